//! Sending a message by itself, beside the answer: into the chat where the run was asked, or into another that it may
//! reach. It goes out like everything else: without what tags mark as thoughts, masked, on disk before it is sent. A file of
//! the workspace may go with it.

use std::sync::Arc;

use async_trait::async_trait;
use pensive_contract::inbound::Place;
use pensive_contract::model::ToolSpec;
use pensive_contract::outward::{Body, Enclosure, Finality};
use pensive_contract::store::OutboxKind;
use pensive_contract::tool::{Danger, Errand, Grant, Tool, ToolFault};

use super::arguments::{Arguments, refused};
use super::crew::Tally;
use super::reach::{self, Goal};
use super::{MESSAGE, Own};
use crate::core::{Core, Letter};
use crate::enclosure::{self, Wanted};
use crate::run::Pending;
use crate::screen::Posted;

/// Bytes of one message.
const MOST: usize = 16 << 10;

const NOT_KEPT: &str = "It could not be written down, so it was not sent.";

/// The tool of one run.
pub(super) struct Message {
    spec: ToolSpec,
    core: Arc<Core>,
    pending: Pending,
    own: Arc<Own>,
}

impl Message {
    pub(super) fn new(core: Arc<Core>, pending: Pending, own: Arc<Own>) -> Self {
        Self { spec: spec(), core, pending, own }
    }

    fn goal(&self, arguments: &Arguments) -> Result<Goal, ToolFault> {
        let (to, channel) = (arguments.text("to")?, arguments.text("channel")?);
        reach::goal(&self.core.settings, &self.pending, to, channel)
    }

    /// The words that people will see; none are needed where a file says it.
    fn words(&self, arguments: &Arguments) -> Result<String, ToolFault> {
        let Some(text) = arguments.text("text")? else {
            let carries = arguments.text("file")?.is_some();
            return carries.then(String::new).ok_or_else(|| refused("Give \"text\", or \"file\", or both."));
        };
        let text = (self.core.ports.untag)(text);
        if text.trim().is_empty() {
            return Err(refused("Nothing of this text is for people to see, so it was not sent."));
        }
        if text.len() > MOST {
            return Err(refused(format!("A message has {MOST} bytes at most. Send less, or in parts.")));
        }
        Ok(text)
    }

    /// Another place than that of the run, where it is one.
    async fn place(&self, goal: Goal) -> Result<Option<Place>, ToolFault> {
        match goal {
            Goal::Here => Ok(None),
            Goal::Asker => reach::private(&self.core, &self.pending).await.map(Some),
            Goal::There(place) => Ok(Some(reach::there(&self.core, &self.pending, place).await)),
        }
    }

    async fn file(&self, path: &str, errand: &Errand, to: &Place) -> Result<Enclosure, ToolFault> {
        let wanted = Wanted { agent: &errand.agent, path, from: errand.kind };
        enclosure::look(&self.core, &wanted, to).await
    }

    async fn send(&self, letter: Letter, text: &str, place: Option<Place>) -> Result<String, ToolFault> {
        let Some(place) = place else {
            return match self.own.outbound.send(letter, text).await {
                Posted::Kept => Ok("Sent to this chat. Do not say it again in your answer.".to_owned()),
                Posted::Lost => Err(refused(NOT_KEPT)),
            };
        };
        self.elsewhere(letter, &place).await
    }

    async fn elsewhere(&self, letter: Letter, place: &Place) -> Result<String, ToolFault> {
        let entry = self.core.seal(letter, place, None);
        let entry =
            entry.ok_or_else(|| refused("There is nothing to see in this text, so it was not sent."))?;
        let core = Arc::clone(&self.core);
        // The run may be left at any moment: what is on disk goes out all the same.
        let sent = self.core.tasks.spawn(async move { core.send(entry).await }).await;
        match sent {
            Ok(Ok(_landing)) => Ok("Sent.".to_owned()),
            Ok(Err(fault)) => Err(ToolFault { model: NOT_KEPT.to_owned(), log: fault.to_string() }),
            Err(error) => Err(ToolFault { model: NOT_KEPT.to_owned(), log: error.to_string() }),
        }
    }
}

#[async_trait]
impl Tool for Message {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Whoever asked may be told anything; for others somebody has to answer.
    fn danger(&self, arguments: &str) -> Danger {
        match Arguments::read(arguments).and_then(|arguments| self.goal(&arguments)) {
            Ok(Goal::There(_)) => Danger::Dangerous,
            Ok(Goal::Here | Goal::Asker) | Err(_) => Danger::Harmless,
        }
    }

    async fn call(&self, arguments: &str, errand: &Errand) -> Result<String, ToolFault> {
        let arguments = Arguments::read(arguments)?;
        if arguments.text("action")?.is_some_and(|action| action != "send") {
            return Err(refused("The only action is \"send\"."));
        }
        let goal = self.goal(&arguments)?;
        if matches!(goal, Goal::There(_)) && errand.grant == Grant::Confined {
            return Err(refused(
                "Nobody has allowed messages to other chats. The person can with /elevated ask, and then try again.",
            ));
        }
        let text = self.words(&arguments)?;
        let place = self.place(goal).await?;
        let file = match arguments.text("file")? {
            Some(path) => {
                Some(self.file(path, errand, place.as_ref().unwrap_or(&self.pending.inbound.place)).await?)
            }
            None => None,
        };
        if !self.own.outbound.begin() {
            return Err(refused(
                "This run has sent as many messages as it may. Put the rest into your answer.",
            ));
        }
        let sent = self.send(letter(&text, file), &text, place).await?;
        self.own.crew.report(Tally { deeds: 1, ..Tally::default() });
        Ok(sent)
    }
}

fn letter(text: &str, file: Option<Enclosure>) -> Letter {
    Letter {
        kind: OutboxKind::Answer,
        bodies: vec![Body::Markdown(text.to_owned())],
        buttons: Vec::new(),
        finality: Finality::More,
        file,
    }
}

fn spec() -> ToolSpec {
    let description = "Sends a message at once, beside your answer: to this chat, to the person alone (\"me\"), or to \
                       another chat that was set up for it, for which somebody may have to give leave. Your answer is \
                       sent by itself; do not use this for it.";
    let field = |description: &str| serde_json::json!({ "type": "string", "description": description });
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "action": { "type": "string", "enum": ["send"] },
            "text": field("What to say, as Markdown. Below a file, where there is one."),
            "file": field("A file of your workspace to send along, relative to it. One at a time."),
            "to": field("The id of another chat, or \"me\" for the person alone. This chat where nothing is said."),
            "channel": field("Only ever the channel of this chat."),
        },
        "additionalProperties": false,
    });
    ToolSpec { name: MESSAGE.to_owned(), description: description.to_owned(), schema: schema.to_string() }
}
