//! The bot's name, which mentions and commands in groups carry. The last known one is kept, so that a start waits for
//! nothing; it is asked for again at each start.

use pensive_contract::fault::Fault;
use pensive_contract::intake::{AccountState, Channel};
use teloxide_core::payloads::GetMe;
use tokio::sync::watch;

use crate::account::Bot;
use crate::pauses::Pauses;
use crate::trouble::{Asked, Trouble, trouble};
use crate::wire::Me;

impl Bot {
    /// Makes the name known, first the kept one and then the one that Telegram says; returns when that has answered.
    pub(crate) async fn introduce(
        &self,
        id: i64,
        names: &watch::Sender<Option<String>>,
    ) -> Result<(), Fault> {
        let note = format!("telegram/{id}/name");
        let known = self.known_name(&note).await;
        if known.is_some() {
            names.send_replace(known.clone());
        }
        let name = self.own_name().await?;
        if self.state() == AccountState::Starting {
            self.listening(Some(&name));
        }
        if known.as_ref() != Some(&name) {
            names.send_replace(Some(name.clone()));
            if let Err(fault) = self.notes.keep(&note, name.into_bytes()).await {
                tracing::warn!(account = %self.account, %fault, "the bot's name could not be kept");
            }
        }
        Ok(())
    }

    async fn known_name(&self, note: &str) -> Option<String> {
        let kept = self.notes.note(note).await.unwrap_or_else(|fault| {
            tracing::warn!(account = %self.account, %fault, "the bot's last known name could not be read");
            None
        });
        String::from_utf8(kept?).ok()
    }

    async fn own_name(&self) -> Result<String, Fault> {
        let mut pauses = Pauses::default();
        loop {
            let fault = match self.client.call::<_, Me>(&GetMe {}).await {
                Ok(me) => return Ok(me.username),
                Err(fault) => fault,
            };
            let (wait, why) = match trouble(&fault, Asked::Name) {
                Trouble::Park(why) => return Err(self.parked(&why)),
                Trouble::After(wait, why) => (wait, why),
                Trouble::Again(why) | Trouble::Contested(why) => (pauses.next(), why),
                Trouble::Webhook => (pauses.next(), fault.to_string()),
            };
            tracing::debug!(account = %self.account, why, "the bot's name is not known yet");
            self.clock.sleep(wait).await;
        }
    }
}
