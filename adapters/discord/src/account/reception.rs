//! What cannot wait for its turn among the events: somebody who called a command or pressed a button looks at a spinning
//! wheel, and Discord gives us three seconds to take note.

use std::time::Duration;

use futures::StreamExt;
use pensive_contract::clock::within;
use pensive_contract::inbound::Inbound;
use pensive_contract::intake::{Asked, Intake};
use tokio::sync::mpsc;

use super::Bot;
use crate::book::Book;
use crate::commands;
use crate::gateway::{Dispatch, Sign, Watcher};
use crate::handle::{Handle, Interaction};
use crate::interactions::Came;
use crate::receive::{self, Us};
use crate::wire::{self, Event, InteractionKind};

/// How many may wait to be prompted. When there are more, the newest get nothing: typing on, they ask again.
pub(crate) const PROMPTS: usize = 64;
/// How many are prompted at once.
const AT_ONCE: usize = 8;
/// Values that are offered later find nobody
/// (<https://docs.discord.com/developers/interactions/receiving-and-responding#responding-to-an-interaction>).
const LIMIT: Duration = Duration::from_millis(2_500);
const UNWELCOME: &str = "You may not use me here.";
const UNHEARD: &str = "I do not have that command any more. Type / to see what I have.";

/// A short answer that is given beside everything else.
pub(crate) enum Prompt {
    /// Offer values to somebody who is typing a command.
    Suggest(Interaction, Box<Asked>),
    /// Tell somebody that nothing will come of it, and why.
    Refuse(Interaction, &'static str),
}

/// What looks at each event as it comes.
pub(crate) struct Reception<'a> {
    pub(crate) bot: &'a Bot,
    pub(crate) us: &'a Us,
    pub(crate) intake: &'a dyn Intake,
    pub(crate) prompts: mpsc::Sender<Prompt>,
}

impl Watcher for Reception<'_> {
    fn sign(&self, shard: u32, sign: Sign) {
        self.bot.health.sign(shard, sign, self.bot.clock.now());
    }

    fn glimpse(&self, dispatch: &Dispatch) {
        // For one that is made up for, the three seconds have passed, or somebody has answered it in an earlier life.
        if dispatch.kind != "INTERACTION_CREATE" || dispatch.late {
            return;
        }
        let Ok(event) = wire::event(&dispatch.kind, &dispatch.data) else { return };
        if let Some(prompt) = self.notice(&event)
            && self.prompts.try_send(prompt).is_err()
        {
            tracing::debug!(account = %self.bot.account, "too many ask at once; one is not answered");
        }
    }
}

impl Reception<'_> {
    /// Has the desk acknowledge in time what will come in; gives what is to be answered without it.
    fn notice(&self, event: &Event) -> Option<Prompt> {
        let Event::Interaction(call) = event else { return None };
        // An interaction tells of its channel what must be known of it.
        let mut book = Book::default();
        book.learn(event);
        if call.kind == InteractionKind::Autocomplete {
            let (interaction, asked) = receive::asked(self.us, &book, call)?;
            return Some(Prompt::Suggest(interaction, Box::new(asked)));
        }
        let interaction = receive::handle(call);
        let inbound = receive::inbound(self.us, &book, event, self.bot.clock.now());
        let Some(inbound) = inbound.filter(|inbound| self.is_welcome(inbound)) else {
            let is_unheard = |name: &String| !commands::is_ours(name);
            let is_unheard =
                call.kind == InteractionKind::Command && call.data.name.as_ref().is_some_and(is_unheard);
            let why = if is_unheard { UNHEARD } else { UNWELCOME };
            return (call.kind != InteractionKind::Other).then_some(Prompt::Refuse(interaction, why));
        };
        let came = match (call.kind, Handle::read(&inbound.message)) {
            (InteractionKind::Component, Some(Handle::Private { .. })) => Came::PrivatePress,
            (InteractionKind::Component, _) => Came::Press,
            _ => Came::Command,
        };
        self.bot.desk.arrived(&interaction, came);
        None
    }

    /// Who is not is told so, and stands in the log, where operators look for their own id.
    fn is_welcome(&self, inbound: &Inbound) -> bool {
        let is_welcome = self.intake.admits(inbound);
        if !is_welcome {
            let space = inbound.place.space.as_ref().map(tracing::field::display);
            tracing::info!(
                account = %self.bot.account, sender = %inbound.sender.id, chat = %inbound.place.chat, space,
                "somebody who is on no list called a command; nothing was kept"
            );
        }
        is_welcome
    }

    /// Answers, a few at once, for as long as there may be somebody to answer.
    pub(crate) async fn prompt(&self, waiting: mpsc::Receiver<Prompt>) {
        let prompts = futures::stream::unfold(waiting, async |mut waiting| {
            let prompt = waiting.recv().await?;
            Some((prompt, waiting))
        });
        prompts.for_each_concurrent(AT_ONCE, |prompt| self.answer(prompt)).await;
    }

    async fn answer(&self, prompt: Prompt) {
        let desk = &self.bot.desk;
        let answered = match prompt {
            Prompt::Suggest(interaction, asked) => {
                let suggested = within(&*self.bot.clock, LIMIT, self.intake.suggest(&asked)).await;
                desk.suggest(&interaction, &suggested.unwrap_or_default()).await
            }
            Prompt::Refuse(interaction, why) => desk.refuse(&interaction, why).await,
        };
        tracing::trace!(account = %self.bot.account, ?answered, "prompted");
    }
}
