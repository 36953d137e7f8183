//! How a call that was to change something ended, in the engine's words. Pure. Telegram's descriptions are matched without
//! regard to case and by a part of them: they have been reworded before.

use pensive_contract::outward::{Outcome, Refusal};

use crate::client::{CallFault, Refused};

/// The outcome of a call that failed with `fault`.
pub(crate) fn verdict<T>(fault: &CallFault) -> Outcome<T> {
    match fault {
        CallFault::Unreached(_) => Outcome::Refused { refusal: Refusal::Again, why: fault.to_string() },
        CallFault::Overdue(_) | CallFault::Lost(_) => Outcome::Unknown { why: fault.to_string() },
        CallFault::Refused(no) => refused(no, fault.to_string()),
    }
}

fn refused<T>(no: &Refused, why: String) -> Outcome<T> {
    let description = no.description.to_ascii_lowercase();
    let refusal = match no.code {
        429 => {
            return Outcome::Wait(no.wait());
        }
        400 if description.contains("message is not modified") => return Outcome::Unchanged,
        400 if no.moved_to.is_some() => Refusal::Again,
        400 => of_request(&description),
        401 => Refusal::Account,
        403 => Refusal::ChatGone,
        409 => Refusal::Again,
        500.. => Refusal::Again,
        _ => Refusal::Never,
    };
    Outcome::Refused { refusal, why }
}

/// What is wrong with a request that Telegram calls bad.
fn of_request(description: &str) -> Refusal {
    const TOPIC: &[&str] =
        &["message thread not found", "topic_deleted", "topic_id_invalid", "topic not found"];
    const CHAT: &[&str] = &[
        "chat not found",
        "user not found",
        "peer_id_invalid",
        "user_is_blocked",
        "chat_write_forbidden",
        "not enough rights to send",
        "have no rights to send",
        "need administrator rights",
        "group chat was deactivated",
        "bot was kicked",
        "bot is not a member",
        "chat_restricted",
    ];
    const BUTTONS: &[&str] = &["keyboard", "button", "reply markup"];
    const STYLE: &[&str] = &["can't parse", "entit"];
    let says = |words: &[&str]| words.iter().any(|word| description.contains(word));
    if says(TOPIC) {
        Refusal::TopicGone
    } else if says(CHAT) {
        Refusal::ChatGone
    } else if !says(BUTTONS) && says(STYLE) {
        Refusal::Style
    } else {
        Refusal::Never
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn of(code: u16, description: &str, seconds: Option<u64>) -> Outcome<()> {
        let description = description.to_owned();
        let retry_after = seconds.map(Duration::from_secs);
        verdict(&CallFault::Refused(Refused { code, description, retry_after, moved_to: None }))
    }

    #[test]
    fn an_answer_of_telegrams_own_means_that_nothing_landed() {
        let check = |code: u16, description: &str, expected: Refusal| match of(code, description, None) {
            Outcome::Refused { refusal, .. } => assert_eq!(refusal, expected, "{code} {description}"),
            other => panic!("{code} {description}: {other:?}"),
        };
        check(500, "Internal Server Error", Refusal::Again);
        check(502, "Bad Gateway", Refusal::Again);
        check(400, "Bad Request: can't parse entities: Unsupported start tag", Refusal::Style);
        check(400, "Bad Request: ENTITY_BOUNDS_INVALID", Refusal::Style);
        check(400, "Bad Request: message thread not found", Refusal::TopicGone);
        check(400, "BAD REQUEST: Message Thread Not Found (reworded)", Refusal::TopicGone);
        check(400, "Bad Request: TOPIC_DELETED", Refusal::TopicGone);
        check(400, "Bad Request: TOPIC_CLOSED", Refusal::Never);
        check(400, "Bad Request: chat not found", Refusal::ChatGone);
        check(400, "Bad Request: not enough rights to send text messages to the chat", Refusal::ChatGone);
        check(403, "Forbidden: bot was blocked by the user", Refusal::ChatGone);
        check(403, "Forbidden: user is deactivated", Refusal::ChatGone);
        check(403, "Forbidden: bot was kicked from the supergroup chat", Refusal::ChatGone);
        check(401, "Unauthorized", Refusal::Account);
        check(404, "Not Found", Refusal::Never);
        check(413, "Request Entity Too Large", Refusal::Never);
        check(400, "Bad Request: message is too long", Refusal::Never);
        check(400, "Bad Request: message text is empty", Refusal::Never);
        check(400, "Bad Request: can't parse inline keyboard button: BUTTON_DATA_INVALID", Refusal::Never);
    }

    #[test]
    fn a_flood_names_its_wait() {
        assert_eq!(
            of(429, "Too Many Requests: retry after 9", Some(7)),
            Outcome::Wait(Duration::from_secs(7))
        );
        assert_eq!(of(429, "Too Many Requests: retry after 9", None), Outcome::Wait(Duration::from_secs(9)));
        assert_eq!(of(429, "Too Many Requests", None), Outcome::Wait(Duration::from_secs(5)));
    }

    #[test]
    fn no_change_is_no_failure() {
        let words = "Bad Request: message is not modified: specified new message content is exactly the same";
        assert_eq!(of(400, words, None), Outcome::Unchanged);
    }

    #[test]
    fn without_an_answer_it_depends_on_whether_anything_was_sent() {
        let unreached: Outcome<()> = verdict(&CallFault::Unreached("refused".to_owned()));
        assert!(matches!(unreached, Outcome::Refused { refusal: Refusal::Again, .. }));
        let lost: Outcome<()> = verdict(&CallFault::Lost("reset".to_owned()));
        assert!(matches!(lost, Outcome::Unknown { .. }));
        let late: Outcome<()> = verdict(&CallFault::Overdue(Duration::from_secs(30)));
        assert!(matches!(late, Outcome::Unknown { .. }));
    }

    #[test]
    fn a_group_that_moved_can_be_tried_again() {
        let description = "Bad Request: group chat was upgraded to a supergroup chat".to_owned();
        let no = Refused { code: 400, description, retry_after: None, moved_to: Some(-100) };
        let outcome: Outcome<()> = verdict(&CallFault::Refused(no));
        assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::Again, .. }));
    }
}
