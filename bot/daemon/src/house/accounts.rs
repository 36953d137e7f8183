//! The accounts of a house: each has a way out and, where it can run, a way in.

use std::collections::BTreeMap;
use std::sync::Arc;

use pensive_config::{Config, DiscordAccount, SecretFault, TelegramAccount};
use pensive_contract::clock::Clock;
use pensive_contract::fault::Fault;
use pensive_contract::ids::Account;
use pensive_contract::intake::{AccountState, Channel, Pulse};
use pensive_contract::outward::{Outward, Pace};
use pensive_storage::Store;
use pensive_terminal::{Terminal, TerminalFault, TerminalSettings};

use super::front::Front;
use super::{Plan, Reach, StartFault};
use crate::settings;

/// An account that runs.
pub(super) struct Tenant {
    pub(super) account: Account,
    pub(super) channel: Arc<dyn Channel>,
}

/// Tells how an account stands now, and its signs of life.
pub(super) type Standing = Box<dyn Fn() -> (AccountState, Pulse) + Send + Sync>;

/// Every account within reach.
pub(super) struct Accounts {
    bots: Vec<Bot>,
    pub(super) terminal: Option<Arc<Terminal>>,
    /// Accounts that only say why they do not run.
    parked: Vec<(Account, String)>,
}

/// An account that can be sent through.
struct Bot {
    account: Account,
    outward: Outward,
    /// Nothing for one that takes nothing in, as nobody asked it to or its token is missing.
    channel: Option<Arc<dyn Channel>>,
}

/// A bot as the configuration has it.
enum Written<'a> {
    Telegram(&'a TelegramAccount),
    Discord(&'a DiscordAccount),
}

/// The way out and the way in of a bot.
type Ways = (Outward, Arc<dyn Channel>);

impl<'a> Written<'a> {
    fn all(config: &'a Config) -> impl Iterator<Item = Self> {
        config.telegram.iter().map(Self::Telegram).chain(config.discord.iter().map(Self::Discord))
    }

    fn account(&self) -> &'a Account {
        match self {
            Self::Telegram(bot) => &bot.account,
            Self::Discord(bot) => &bot.account,
        }
    }

    /// Makes the account, and says why it has no token where it has none.
    fn connect(&self, clock: &Arc<dyn Clock>, store: &Store) -> (Result<Ways, Fault>, Option<SecretFault>) {
        let (clock, notes) = (Arc::clone(clock), Arc::new(store.clone()));
        match self {
            Self::Telegram(bot) => {
                let (settings, missing) = settings::telegram(bot);
                let made = pensive_telegram::connect(settings, clock, notes);
                (made.map(|made| (made.outward, made.channel)), missing)
            }
            Self::Discord(bot) => {
                let (settings, missing) = settings::discord(bot);
                let made = pensive_discord::connect(settings, clock, notes);
                (made.map(|made| (made.outward, made.channel)), missing)
            }
        }
    }
}

impl Accounts {
    /// Makes the accounts of `plan`. Reaches for nothing outside.
    pub(super) fn connect(plan: &Plan, store: &Store) -> Result<Self, StartFault> {
        let mut accounts = Self { bots: Vec::new(), terminal: None, parked: Vec::new() };
        match &plan.reach {
            Reach::Everything => {
                for bot in Written::all(&plan.config) {
                    accounts.add(&bot, &plan.clock, store);
                }
                match open_terminal(&plan.config, &plan.clock) {
                    Ok(terminal) => accounts.terminal = Some(Arc::new(terminal)),
                    Err(fault @ TerminalFault::Busy(_)) => return Err(fault.into()),
                    Err(fault) => accounts.park(&pensive_terminal::account(), fault.to_string()),
                }
            }
            Reach::Terminal => accounts.terminal = Some(Arc::new(open_terminal(&plan.config, &plan.clock)?)),
            Reach::Outgoing(account) => {
                let bot = Written::all(&plan.config).find(|bot| bot.account() == account);
                let bot = bot.ok_or_else(|| {
                    StartFault::NoAccount(format!(
                        "{account} cannot be sent through without a running daemon"
                    ))
                })?;
                accounts.add(&bot, &plan.clock, store);
                for bot in &mut accounts.bots {
                    bot.channel = None;
                }
            }
        }
        Ok(accounts)
    }

    fn add(&mut self, bot: &Written<'_>, clock: &Arc<dyn Clock>, store: &Store) {
        let account = bot.account().clone();
        match bot.connect(clock, store) {
            (Ok((outward, channel)), None) => {
                self.bots.push(Bot { account, outward, channel: Some(channel) });
            }
            // Its way out stays, so that what it owes is kept for the day when the token is back.
            (Ok((outward, _)), Some(fault)) => {
                self.park(&account, fault.to_string());
                self.bots.push(Bot { account, outward, channel: None });
            }
            (Err(fault), _) => self.park(&account, fault.log),
        }
    }

    fn park(&mut self, account: &Account, why: String) {
        tracing::error!(%account, "parked: {why}");
        self.parked.push((account.clone(), why));
    }

    /// The ways out; `pace` stands in the place of what their channels say.
    pub(super) fn outward(&self, pace: Option<Pace>) -> BTreeMap<Account, Outward> {
        let bots = self.bots.iter().map(|bot| (bot.account.clone(), bot.outward.clone()));
        let terminal = self.terminal.iter().map(|terminal| (pensive_terminal::account(), terminal.outward()));
        let paced = |outward: Outward| Outward { pace: pace.or(outward.pace), ..outward };
        bots.chain(terminal).map(|(account, outward)| (account, paced(outward))).collect()
    }

    /// How each stands, whenever it is asked.
    pub(super) fn standings(&self) -> Vec<(Account, Standing)> {
        let is_parked = |account: &Account| self.parked.iter().any(|(parked, _)| parked == account);
        let bots = self.bots.iter().filter(|bot| !is_parked(&bot.account)).map(|bot| {
            let channel = bot.channel.clone();
            let state = move || match &channel {
                Some(channel) => (channel.state(), channel.pulse()),
                None => (AccountState::Starting, Pulse::default()),
            };
            (bot.account.clone(), Box::new(state) as Standing)
        });
        let parked = self.parked.iter().cloned().map(|(account, why)| {
            (
                account,
                Box::new(move || (AccountState::Parked { why: why.clone() }, Pulse::default())) as Standing,
            )
        });
        let terminal = self.terminal.iter().cloned().map(|terminal| {
            (pensive_terminal::account(), Box::new(move || (terminal.state(), Pulse::default())) as Standing)
        });
        bots.chain(parked).chain(terminal).collect()
    }

    /// Those that run, once there is a front to serve the terminal's verbs.
    pub(super) fn tenants(&mut self, front: &Arc<Front>) -> Vec<Tenant> {
        let bots = self
            .bots
            .drain(..)
            .filter_map(|bot| Some(Tenant { account: bot.account, channel: bot.channel? }));
        let terminal = self.terminal.iter().map(|terminal| Tenant {
            account: pensive_terminal::account(),
            channel: terminal.channel(Arc::clone(front) as _),
        });
        bots.chain(terminal).collect()
    }
}

fn open_terminal(config: &Config, clock: &Arc<dyn Clock>) -> Result<Terminal, TerminalFault> {
    let settings = TerminalSettings { socket: socket(config), version: crate::VERSION.to_owned() };
    Terminal::open(&settings, Arc::clone(clock))
}

/// Where the daemon of a configuration listens.
pub(crate) fn socket(config: &Config) -> std::path::PathBuf {
    config.folders.home.join("pensive.sock")
}
