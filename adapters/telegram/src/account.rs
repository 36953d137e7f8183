//! One bot account: what it is made of, how it runs, how it stands.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::clock::Clock;
use pensive_contract::fault::{Fault, FaultClass};
use pensive_contract::ids::Account;
use pensive_contract::intake::{AccountState, Channel, Intake, Pulse};
use pensive_contract::outward::{Cut, Outward, Pace};
use pensive_contract::secret::Secret;
use pensive_contract::store::Notes;
use regex::{Regex, RegexBuilder};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::chats::Chats;
use crate::client::Client;
use crate::enclosure::FILES;
use crate::files::Files;
use crate::ladder::Ladder;
use crate::outlet::Lines;
use crate::poll::Poller;
use crate::render::RichMessages;

/// A message holds 4,096 units (<https://core.telegram.org/bots/api#sendmessage>); apps cut a longer text there or a little
/// before, where a line or a word ends.
const CUT: Cut = Cut { near: 3_800, most: 4_096 };

/// One message a second in a chat, short bursts aside, and 20 a minute in a group
/// (<https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this>).
const PACE: Pace =
    Pace { burst: 5, every: Duration::from_secs(1), shared: Some((20, Duration::from_mins(1))) };

/// What an account needs to be told.
#[derive(Debug, Clone)]
pub struct TelegramSettings {
    /// Its name in the configuration.
    pub account: Account,
    /// The bot's token.
    pub token: Secret,
    /// Where the token was read, in words that an operator can act on, such as the name of a variable.
    pub token_from: String,
    /// The Bot API server, `https://api.telegram.org` or one's own.
    pub api_root: String,
    /// Further words that call the bot in groups, as regular expressions; case does not matter.
    pub mention_patterns: Vec<String>,
    /// Whether answers go out as rich messages.
    pub rich_messages: RichMessages,
}

/// An account, ready to run.
pub struct Telegram {
    /// What comes in.
    pub channel: Arc<dyn Channel>,
    /// What goes out.
    pub outward: Outward,
}

/// Makes an account. Reaches for nothing: the network is first touched when the channel runs or something is sent.
///
/// # Errors
/// The address of the server or a mention pattern cannot be used; the words name it.
pub fn connect(
    settings: TelegramSettings,
    clock: Arc<dyn Clock>,
    notes: Arc<dyn Notes>,
) -> Result<Telegram, Fault> {
    let TelegramSettings { account, token, token_from, api_root, mention_patterns, rich_messages } = settings;
    let unusable = |why: String| unusable(&account, &why);
    let patterns = mention_patterns.iter().map(|pattern| compiled(pattern)).collect::<Result<Vec<_>, _>>();
    let patterns = patterns.map_err(unusable)?;
    let client =
        Client::new(&api_root, &token, clock.clone()).map_err(|fault| unusable(fault.to_string()))?;
    let chats = Arc::new(Chats::default());
    let lines = Arc::new(Lines {
        client: client.clone(),
        chats: chats.clone(),
        ladder: Ladder::default(),
        rich: rich_messages,
    });
    let outward = Outward {
        outlet: lines.clone(),
        previews: Some(lines.clone()),
        typing: Some(lines.clone()),
        presses: Some(lines),
        pace: Some(PACE),
        attachments: Some(Arc::new(Files { client: client.clone() })),
        cut: Some(CUT),
        files: Some(FILES),
    };
    let state = watch::Sender::new(AccountState::Starting);
    let bot = Bot {
        id: bot_id(&token),
        account,
        token_from,
        patterns,
        client,
        clock,
        notes,
        chats,
        state,
        pulse: watch::Sender::new(Pulse::default()),
        running: tokio::sync::Mutex::new(()),
    };
    Ok(Telegram { channel: Arc::new(bot), outward })
}

/// One account's parts, shared by what runs of it.
pub(crate) struct Bot {
    /// The bot's own id, which is the first part of its token; nothing when the token is none.
    id: Option<i64>,
    pub(crate) account: Account,
    pub(crate) token_from: String,
    pub(crate) patterns: Vec<Regex>,
    pub(crate) client: Client,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) notes: Arc<dyn Notes>,
    pub(crate) chats: Arc<Chats>,
    state: watch::Sender<AccountState>,
    pub(crate) pulse: watch::Sender<Pulse>,
    /// Held by the one poller that there may be.
    running: tokio::sync::Mutex<()>,
}

#[async_trait]
impl Channel for Bot {
    async fn run(&self, intake: Arc<dyn Intake>, stop: CancellationToken) -> Result<(), Fault> {
        let Ok(_only) = self.running.try_lock() else {
            return Err(unusable(&self.account, "it is running already"));
        };
        let end = match self.id {
            Some(id) => Box::pin(self.serve(id, &*intake, &stop)).await,
            None => Err(self.parked("the token does not look like 123456:ABC-def, as @BotFather gives it")),
        };
        if let Err(fault) = &end {
            self.enter(AccountState::Parked { why: fault.log.clone() });
        }
        end
    }

    fn state(&self) -> AccountState {
        self.state.borrow().clone()
    }

    fn pulse(&self) -> Pulse {
        *self.pulse.borrow()
    }
}

impl Bot {
    /// Polls; finds out the bot's name and sets its menu beside it.
    async fn serve(&self, id: i64, intake: &dyn Intake, stop: &CancellationToken) -> Result<(), Fault> {
        let names = watch::Sender::new(None);
        let poller = Poller::new(self, id, intake, stop, names.subscribe());
        let aside = async {
            match self.introduce(id, &names).await {
                Ok(()) => self.publish_menu(id).await,
                Err(fault) => return fault,
            }
            std::future::pending().await
        };
        tokio::select! {
            biased;
            end = poller.run() => end,
            fault = aside => Err(fault),
        }
    }

    /// Events come in, or can.
    pub(crate) fn listening(&self, name: Option<&str>) {
        if let Some(name) = name {
            self.enter(AccountState::Listening { name: format!("@{name}") });
        }
    }

    /// Takes on a state, with one line in the log where it is news.
    pub(crate) fn enter(&self, state: AccountState) {
        let before = self.state.send_replace(state.clone());
        if before == state {
            return;
        }
        let account = &self.account;
        match (&before, &state) {
            (_, AccountState::Starting) => {}
            (_, AccountState::Listening { name }) => tracing::info!(%account, name, "listening"),
            (AccountState::Retrying { .. }, AccountState::Retrying { why }) => {
                tracing::debug!(%account, why, "trying again")
            }
            (_, AccountState::Retrying { why } | AccountState::Deaf { why }) => {
                tracing::warn!(%account, why, "trying again")
            }
            // Whoever runs the account is handed the fault, and logs it.
            (_, AccountState::Parked { .. }) => {}
        }
    }

    /// The fault of an account that needs an operator.
    pub(crate) fn parked(&self, why: &str) -> Fault {
        let (account, from) = (&self.account, &self.token_from);
        unusable(
            account,
            &format!(
                "{why}. Its token was read from {from}; get the right one from @BotFather (/mybots, API Token), put it there and restart"
            ),
        )
    }
}

/// The number before the colon, where the token is of the form that Telegram gives.
fn bot_id(token: &Secret) -> Option<i64> {
    let (id, rest) = token.expose().split_once(':')?;
    let formed = !rest.is_empty() && rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    id.parse().ok().filter(|id| formed && *id > 0)
}

fn compiled(pattern: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(pattern).case_insensitive(true).size_limit(1 << 20).build();
    // The parser draws a picture over several lines, and says what is wrong in the last.
    let why = |error: regex::Error| error.to_string().lines().last().unwrap_or_default().to_owned();
    built.map_err(|error| format!("the mention pattern {pattern:?} is no regular expression: {}", why(error)))
}

fn unusable(account: &Account, why: &str) -> Fault {
    Fault::new(
        FaultClass::OursToMend,
        "This bot's Telegram account is out of service until its operator has looked at it.",
        format!("account {account} cannot be used: {why}"),
    )
}
