//! Examines an account: its token, what it may hear, and whether somebody else takes its events. Nothing is changed.

use std::sync::Arc;
use std::time::Duration;

use pensive_contract::clock::{Clock, within};
use pensive_contract::finding::Finding;
use serde::Deserialize;
use teloxide_core::payloads::{GetMe, GetWebhookInfo};

use crate::account::TelegramSettings;
use crate::client::{CallFault, Client};
use crate::trouble::{Asked, Trouble, trouble};

/// One question may take this long.
const LIMIT: Duration = Duration::from_secs(10);

/// Whether the account is to hear what is not addressed to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hearing {
    /// In some group everything is for it.
    Everything,
    /// Only what names it.
    Addressed,
}

#[derive(Debug, Deserialize)]
struct Me {
    username: String,
    #[serde(default)]
    can_read_all_group_messages: bool,
}

#[derive(Debug, Default, Deserialize)]
struct Webhook {
    #[serde(default)]
    url: String,
    #[serde(default)]
    pending_update_count: u64,
}

/// Looks at one account. No words hold the token.
pub async fn probe(settings: &TelegramSettings, hearing: Hearing, clock: Arc<dyn Clock>) -> Vec<Finding> {
    let client = match Client::new(&settings.api_root, &settings.token, Arc::clone(&clock)) {
        Ok(client) => client,
        Err(fault) => return vec![Finding::bad("server", fault.to_string(), "correct apiRoot")],
    };
    let asked = within(&*clock, LIMIT, client.call::<_, Me>(&GetMe {})).await;
    let me = match asked.unwrap_or(Err(CallFault::Overdue(LIMIT))) {
        Ok(me) => me,
        Err(fault) => return vec![unknown(settings, &fault)],
    };
    let asked = within(&*clock, LIMIT, client.call::<_, Webhook>(&GetWebhookInfo {})).await;
    let mut found = vec![Finding::good("token", format!("it is @{}", me.username))];
    found.extend(privacy(&me, hearing));
    match asked.unwrap_or(Err(CallFault::Overdue(LIMIT))) {
        Ok(webhook) => found.push(events(&webhook)),
        Err(fault) => {
            let advice = "look again; Telegram may be in trouble";
            found.push(Finding::doubtful("events", fault.to_string(), advice));
        }
    }
    found
}

fn unknown(settings: &TelegramSettings, fault: &CallFault) -> Finding {
    match trouble(fault, Asked::Name) {
        Trouble::Park(why) => {
            let from = &settings.token_from;
            let advice = format!("get the token from @BotFather (/mybots, API Token) and put it into {from}");
            Finding::bad("token", why, advice)
        }
        Trouble::Again(why) | Trouble::After(_, why) | Trouble::Contested(why) => {
            let advice = format!("see that {} can be reached from here", settings.api_root);
            Finding::bad("server", why, advice)
        }
        Trouble::Webhook => Finding::bad("server", fault.to_string(), "look again"),
    }
}

fn privacy(me: &Me, hearing: Hearing) -> Option<Finding> {
    match (hearing, me.can_read_all_group_messages) {
        (Hearing::Everything, true) => Some(Finding::good("privacy mode", "off: it hears all of its groups")),
        (Hearing::Everything, false) => Some(Finding::doubtful(
            "privacy mode",
            "on: Telegram hands it only commands, replies and mentions, while requireMention is false for a group",
            "send /setprivacy to @BotFather, pick the bot, Disable; then take it out of the group and put it in again",
        )),
        (Hearing::Addressed, _) => None,
    }
}

fn events(webhook: &Webhook) -> Finding {
    if !webhook.url.is_empty() {
        return Finding::doubtful(
            "events",
            "a webhook is set, so another program takes its events",
            "stop that program; the webhook is taken away when the daemon starts to poll",
        );
    }
    let waiting = webhook.pending_update_count;
    Finding::good("events", format!("{waiting} waiting"))
}

#[cfg(test)]
mod tests {
    use pensive_contract::finding::Grade;

    use super::*;

    #[test]
    fn privacy_matters_only_where_everything_is_to_be_heard() {
        let check = |hearing, reads, expected: Option<Grade>| {
            let me = Me { username: "PensiveBot".to_owned(), can_read_all_group_messages: reads };
            assert_eq!(privacy(&me, hearing).map(|finding| finding.grade), expected);
        };
        check(Hearing::Everything, true, Some(Grade::Good));
        check(Hearing::Everything, false, Some(Grade::Doubtful));
        check(Hearing::Addressed, false, None);
        check(Hearing::Addressed, true, None);
    }

    #[test]
    fn a_webhook_of_somebody_else_is_told() {
        let webhook = Webhook { url: "https://example.org/hook".to_owned(), pending_update_count: 3 };
        let finding = events(&webhook);
        assert_eq!(finding.grade, Grade::Doubtful);
        // The address may hold a secret.
        assert!(!finding.found.contains("example.org"), "{finding:?}");
        assert_eq!(events(&Webhook::default()), Finding::good("events", "0 waiting"));
    }
}
