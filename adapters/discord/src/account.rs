//! One bot account: what it is made of, how it runs, how it stands.

use std::sync::Arc;

use pensive_contract::clock::Clock;
use pensive_contract::fault::{Fault, FaultClass};
use pensive_contract::intake::Channel;
use pensive_contract::outward::Outward;
use pensive_contract::store::Notes;

use crate::settings::DiscordSettings;

/// An account, ready to run.
pub struct Discord {
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
    settings: DiscordSettings,
    _clock: Arc<dyn Clock>,
    _notes: Arc<dyn Notes>,
) -> Result<Discord, Fault> {
    let log = format!("account {} cannot be used: this version does not speak Discord yet", settings.account);
    Err(Fault::new(FaultClass::OursToMend, "This bot is out of service.", log))
}
