//! Interactions: slash commands that people called and buttons that they pressed. Each is acknowledged in time, whatever the
//! engine does, and answered where only its person sees it.
//!
//! The first word is a callback, good for three seconds; everything after it goes by the interaction's token, good for fifteen
//! minutes. What was said before a restart is not known: the callback is tried, and Discord says where it is too late for one.

mod slips;
mod speech;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::{FuturesUnordered, StreamExt};
use pensive_contract::clock::{Clock, Timestamp, within};
use pensive_contract::ids::{Account, MessageId};
use pensive_contract::intake::Suggestion;
use pensive_contract::media::Media;
use pensive_contract::outward::{Lasting, Outcome, Presses, Refusal};
use reqwest::Method;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::client::{CallFault, Client, Payload};
use crate::handle::{Handle, Interaction};
use crate::routes;
use crate::verdict::{UNKNOWN_MESSAGE, code, verdict};

use slips::{Due, LASTS, Slip, Slips, Stage, Turn};
use speech::{Callback, Said, Standing, bytes, choices, object, private, words};

pub(crate) use slips::Came;

/// When Discord gives up waiting for a first word.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(3);
/// Between attempts to get a first word through.
const PAUSE: Duration = Duration::from_millis(200);
/// The message that an interaction began with, or the one that was first said to it.
const ORIGINAL: &str = "@original";

const NOTHING_TO_SAY: &str = "I have nothing to say to that.";

const UNKNOWN_WEBHOOK: u64 = 10_015;
const UNKNOWN_INTERACTION: u64 = 10_062;
const ACKNOWLEDGED: u64 = 40_060;
const INVALID_WEBHOOK_TOKEN: u64 = 50_027;

/// How the answer to a command went.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// It was tried here.
    Ended(Outcome<MessageId>),
    /// Discord takes no answer to this interaction any more; nothing was said. The answer belongs into the channel.
    Expired,
}

/// What came before an attempt.
#[derive(Clone, Copy)]
enum Before {
    Nothing,
    Tried,
}

/// A message's JSON and the file that goes with it.
struct Message {
    json: Map<String, Value>,
    file: Option<Media>,
}

/// The interactions of one account.
pub(crate) struct Desk {
    client: Client,
    clock: Arc<dyn Clock>,
    account: Account,
    slips: Slips,
}

impl Desk {
    pub(crate) fn new(client: Client, clock: Arc<dyn Clock>, account: Account) -> Self {
        Self { client, clock, account, slips: Slips::default() }
    }

    /// Notes that an interaction came in: from now on it is acknowledged in time, as long as somebody watches.
    pub(crate) fn arrived(&self, interaction: &Interaction, came: Came) {
        self.slips.arrived(interaction, came, self.clock.now());
    }

    /// Answers a command where its person alone sees it. `message` is a message's JSON object; its file is attachment 0.
    pub(crate) async fn reply(
        &self,
        to: &Interaction,
        message: &impl Serialize,
        file: Option<Media>,
    ) -> Reply {
        let Some(json) = object(message) else { return Reply::Ended(unfit()) };
        self.say(&self.slip(to, Came::Command), Message { json, file }).await
    }

    /// Changes a message that one person alone sees: one that was said `through` an interaction, or the one below which that
    /// was a press.
    pub(crate) async fn edit(
        &self,
        through: &Interaction,
        message: u64,
        body: &impl Serialize,
    ) -> Outcome<MessageId> {
        let Some(json) = object(body) else { return unfit() };
        let slip = self.slip(through, Came::Command);
        let mut turn = slip.turn().await;
        let changed = match (turn.stage, slip.came) {
            (Stage::Open, Came::PrivatePress) => self.change_first(&mut turn, &slip, json).await,
            (_, Came::PrivatePress) => self.change(&slip, ORIGINAL, json).await,
            (_, Came::Command | Came::Press) => self.change(&slip, &message.to_string(), json).await,
        };
        match changed {
            Ok(()) => Outcome::Delivered(Handle::Private { through: through.clone(), message }.mint()),
            Err(fault) => verdict(&fault),
        }
    }

    /// Tells somebody whose command or press does not come in.
    pub(crate) async fn refuse(&self, interaction: &Interaction, with: &str) -> Outcome<()> {
        self.tell(&self.slip(interaction, Came::Command), with).await
    }

    async fn tell(&self, slip: &Slip, with: &str) -> Outcome<()> {
        match self.say(slip, Message { json: words(with), file: None }).await {
            Reply::Ended(outcome) => landed(outcome),
            Reply::Expired => too_late(),
        }
    }

    /// Offers values behind a command that is being typed. Discord asks again on every key, so nothing is kept of it.
    pub(crate) async fn suggest(&self, interaction: &Interaction, values: &[Suggestion]) -> Outcome<()> {
        let offer = Callback::Choices(choices(values)).json();
        let route = routes::callback(interaction.id, &interaction.token);
        match self.client.call::<IgnoredAny>(Method::POST, &route, Payload::Json(offer)).await {
            Ok(_) => Outcome::Delivered(()),
            Err(fault) => verdict(&fault),
        }
    }

    /// Acknowledges what the engine has not answered in time, and ends what it never answers. At `stop` whatever is open is
    /// acknowledged, so that it can still be answered after a restart.
    pub(crate) async fn watch(&self, stop: &CancellationToken) {
        let mut deeds = FuturesUnordered::new();
        loop {
            let (due, next) = self.slips.due(self.clock.now());
            deeds.extend(due.into_iter().map(|(slip, due)| self.act(slip, due)));
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.slips.news.notified() => {}
                () = moment(&*self.clock, next) => {}
                Some(()) = deeds.next() => {}
            }
        }
        deeds.extend(self.slips.open().into_iter().map(|slip| self.act(slip, Due::Word)));
        let last = async { while deeds.next().await.is_some() {} };
        if within(&*self.clock, GIVEN_UP_AFTER, last).await.is_err() {
            tracing::debug!(account = %self.account, "some interactions were not acknowledged in time");
        }
    }

    async fn act(&self, slip: Arc<Slip>, due: Due) {
        let outcome = match due {
            Due::Word => self.acknowledge(&slip).await,
            Due::End => self.end(&slip).await,
            Due::Nothing => return,
        };
        if let Err(fault) = outcome {
            tracing::warn!(account = %self.account, came = ?slip.came, %fault, "an interaction was not acknowledged");
        }
    }

    /// The first word where nobody has said one: that an answer will come, or that the press was seen.
    async fn acknowledge(&self, slip: &Slip) -> Result<(), CallFault> {
        let mut before = Before::Nothing;
        loop {
            let mut turn = slip.turn().await;
            if turn.stage != Stage::Open {
                return Ok(());
            }
            let Err(fault) = self.defer(&mut turn, slip, before).await else { return Ok(()) };
            drop(turn);
            before = Before::Tried;
            let left = GIVEN_UP_AFTER.saturating_sub(self.clock.now().since(slip.since));
            let wait = pause(&fault).filter(|wait| *wait < left).ok_or(fault)?;
            self.clock.sleep(wait).await;
        }
    }

    async fn defer(&self, turn: &mut Turn<'_>, slip: &Slip, before: Before) -> Result<(), CallFault> {
        let (word, stage) = match slip.came {
            Came::Command => (Callback::MessageFollows, Stage::Deferred),
            Came::Press | Came::PrivatePress => (Callback::Heard, Stage::Answered),
        };
        match self.timely(self.first::<IgnoredAny>(slip, word, None)).await {
            Ok(_) => {
                turn.stage = stage;
                Ok(())
            }
            Err(fault) if code(&fault) == Some(ACKNOWLEDGED) => {
                turn.stage = match before {
                    // A call of ours whose end was not seen has done it.
                    Before::Tried => stage,
                    // Who knows what was said; whatever follows stands below it.
                    Before::Nothing => Stage::Answered,
                };
                Ok(())
            }
            Err(fault) => Err(fault),
        }
    }

    /// Ends the sign that an answer is being made.
    async fn end(&self, slip: &Slip) -> Result<(), CallFault> {
        let mut turn = slip.turn().await;
        if turn.stage != Stage::Deferred {
            return Ok(());
        }
        tracing::warn!(account = %self.account, "a command got no answer");
        turn.stage = Stage::Answered;
        self.change(slip, ORIGINAL, words(NOTHING_TO_SAY)).await
    }

    /// Says something to a person alone, as their interaction's stage asks for. Below a message that they alone see, the first
    /// word is that they were heard: else later changes of that message would be taken for changes of what was said.
    async fn say(&self, slip: &Slip, message: Message) -> Reply {
        if slip.came == Came::PrivatePress
            && let Err(fault) = self.acknowledge(slip).await
        {
            return refused(&fault);
        }
        let mut turn = slip.turn().await;
        if self.clock.now().since(slip.since) >= LASTS {
            return Reply::Expired;
        }
        // What a press sets is said as an answer to it, and as an answer to the message that it stands for.
        let content = message.json.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some(id) = turn.said_before(&content) {
            return delivered(slip, Some(id));
        }
        let said = match turn.stage {
            Stage::Open => self.begin(&mut turn, slip, message).await,
            Stage::Deferred => self.fulfil(&mut turn, slip, message).await,
            Stage::Answered => self.follow_up(slip, message).await.map(Some),
        };
        match said {
            Ok(id) => {
                if let Some(id) = id {
                    turn.has_said(content, id);
                }
                delivered(slip, id)
            }
            Err(fault) => refused(&fault),
        }
    }

    /// The first word is the answer. Where there was one before, whatever it was, the answer follows it: Discord takes the sign
    /// that one is being made for its place.
    async fn begin(
        &self,
        turn: &mut Turn<'_>,
        slip: &Slip,
        message: Message,
    ) -> Result<Option<u64>, CallFault> {
        let Message { json, file } = message;
        let say = || self.first::<Option<Said>>(slip, Callback::Message(json.clone()), file.clone());
        let (said, before) = match self.timely(say()).await {
            // Discord takes one first word: said twice it does no harm.
            Err(CallFault::Lost(_) | CallFault::Overdue(_)) => (say().await, Before::Tried),
            said => (said, Before::Nothing),
        };
        match (said, before) {
            (Ok(said), _) => {
                turn.stage = Stage::Answered;
                Ok(said.as_ref().and_then(Said::message))
            }
            (Err(fault), before) if code(&fault) == Some(ACKNOWLEDGED) => {
                turn.stage = Stage::Answered;
                let message = Message { json, file };
                match before {
                    Before::Nothing => self.follow_up(slip, message).await.map(Some),
                    // It had landed: what stands becomes what it is.
                    Before::Tried => self.fulfil(turn, slip, message).await,
                }
            }
            (Err(fault), _) => Err(fault),
        }
    }

    /// The answer that was promised.
    async fn fulfil(
        &self,
        turn: &mut Turn<'_>,
        slip: &Slip,
        message: Message,
    ) -> Result<Option<u64>, CallFault> {
        let Message { json, file } = message;
        let payload = payload(bytes(&Value::Object(json.clone())), file.clone());
        let route = self.standing(slip, ORIGINAL);
        let said = self.client.call::<Standing>(Method::PATCH, &route, payload).await;
        if !matches!(said, Err(CallFault::Unreached(_) | CallFault::Limited(_) | CallFault::Refused(_))) {
            turn.stage = Stage::Answered;
        }
        match said {
            Ok(standing) => Ok(Some(standing.id())),
            // Its person has waved the sign away.
            Err(fault) if code(&fault) == Some(UNKNOWN_MESSAGE) => {
                turn.stage = Stage::Answered;
                self.follow_up(slip, Message { json, file }).await.map(Some)
            }
            Err(fault) => Err(fault),
        }
    }

    async fn follow_up(&self, slip: &Slip, message: Message) -> Result<u64, CallFault> {
        let Interaction { application, token, .. } = &slip.interaction;
        let payload = payload(bytes(&private(message.json)), message.file);
        let route = routes::follow_up(*application, token);
        Ok(self.client.call::<Standing>(Method::POST, &route, payload).await?.id())
    }

    /// Changes the message below which somebody pressed, as the first word that they get.
    async fn change_first(
        &self,
        turn: &mut Turn<'_>,
        slip: &Slip,
        json: Map<String, Value>,
    ) -> Result<(), CallFault> {
        match self.first::<IgnoredAny>(slip, Callback::Changed(json.clone()), None).await {
            Ok(_) => {
                turn.stage = Stage::Answered;
                Ok(())
            }
            Err(fault) if code(&fault) == Some(ACKNOWLEDGED) => {
                turn.stage = Stage::Answered;
                self.change(slip, ORIGINAL, json).await
            }
            Err(fault) => Err(fault),
        }
    }

    async fn change(&self, slip: &Slip, message: &str, json: Map<String, Value>) -> Result<(), CallFault> {
        let payload = Payload::Json(bytes(&Value::Object(json)));
        let route = self.standing(slip, message);
        self.client.call::<IgnoredAny>(Method::PATCH, &route, payload).await.map(|_| ())
    }

    async fn first<R: DeserializeOwned>(
        &self,
        slip: &Slip,
        word: Callback,
        file: Option<Media>,
    ) -> Result<R, CallFault> {
        let Interaction { id, token, .. } = &slip.interaction;
        let route = match word {
            Callback::Message(_) => routes::told_callback(*id, token),
            _ => routes::callback(*id, token),
        };
        self.client.call(Method::POST, &route, payload(word.json(), file)).await
    }

    /// A first word that is not through by then has come too late, or only its answer is slow.
    async fn timely<R>(&self, word: impl Future<Output = Result<R, CallFault>>) -> Result<R, CallFault> {
        within(&*self.clock, GIVEN_UP_AFTER, word).await.unwrap_or(Err(CallFault::Overdue(GIVEN_UP_AFTER)))
    }

    fn standing(&self, slip: &Slip, message: &str) -> routes::Route {
        routes::answer(slip.interaction.application, &slip.interaction.token, message)
    }

    fn slip(&self, interaction: &Interaction, came: Came) -> Arc<Slip> {
        self.slips.of(interaction, came, self.clock.now())
    }
}

#[async_trait]
impl Presses for Desk {
    async fn answer(&self, query: &str, text: Option<&str>) -> Outcome<()> {
        let Some(interaction) = Interaction::read(query) else { return unfit() };
        let slip = self.slip(&interaction, Came::Press);
        match text {
            Some(text) => self.tell(&slip, text).await,
            None => match self.acknowledge(&slip).await {
                Ok(()) => Outcome::Delivered(()),
                Err(fault) => verdict(&fault),
            },
        }
    }

    fn lasting(&self) -> Lasting {
        Lasting::AsMessage
    }
}

/// That something was said. Where nobody told as what, what is known leads to it.
fn delivered(slip: &Slip, message: Option<u64>) -> Reply {
    let through = slip.interaction.clone();
    let handle = match message {
        Some(message) => Handle::Private { through, message },
        None => Handle::Command(through),
    };
    Reply::Ended(Outcome::Delivered(handle.mint()))
}

fn refused(fault: &CallFault) -> Reply {
    match code(fault) {
        Some(UNKNOWN_WEBHOOK | UNKNOWN_INTERACTION | INVALID_WEBHOOK_TOKEN) => Reply::Expired,
        _ => Reply::Ended(verdict(fault)),
    }
}

fn payload(json: Vec<u8>, file: Option<Media>) -> Payload {
    match file {
        Some(file) => Payload::WithFile(json, file),
        None => Payload::Json(json),
    }
}

/// How long to wait before the first word is tried again; nothing where it would be in vain.
fn pause(fault: &CallFault) -> Option<Duration> {
    match fault {
        CallFault::Limited(wait) => Some(*wait),
        CallFault::Unreached(_) => Some(PAUSE),
        CallFault::Refused(no) if no.status == 429 => Some(no.retry_after.unwrap_or(PAUSE)),
        CallFault::Refused(no) if no.status >= 500 => Some(PAUSE),
        // Said twice it does no harm: Discord takes one first word.
        CallFault::Lost(_) => Some(PAUSE),
        CallFault::Refused(_) | CallFault::Overdue(_) => None,
    }
}

fn landed(outcome: Outcome<MessageId>) -> Outcome<()> {
    match outcome {
        Outcome::Delivered(_) => Outcome::Delivered(()),
        Outcome::Unchanged => Outcome::Unchanged,
        Outcome::Refused { refusal, why } => Outcome::Refused { refusal, why },
        Outcome::Wait(wait) => Outcome::Wait(wait),
        Outcome::Unknown { why } => Outcome::Unknown { why },
    }
}

fn unfit<T>() -> Outcome<T> {
    Outcome::Refused { refusal: Refusal::Never, why: "that is nothing of ours".to_owned() }
}

fn too_late<T>() -> Outcome<T> {
    let why = "Discord takes no answer to this interaction any more".to_owned();
    Outcome::Refused { refusal: Refusal::Never, why }
}

async fn moment(clock: &dyn Clock, moment: Option<Timestamp>) {
    match moment {
        Some(moment) => clock.sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
