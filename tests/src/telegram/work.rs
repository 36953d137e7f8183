//! One call on its way through the server: what is wrong with it, the fault that strikes it, what it does, and what the record keeps.

use axum::response::Response;
use serde_json::{Map, Value};

use super::{
    TelegramFake,
    body::Given,
    fault::{Answer, Stage},
    methods,
    outcome::{Outcome, raw, truncated},
    poll,
    record::Call,
    refusal::Refusal,
    schema::{self, Checked},
};
use crate::socket::Cut;

/// A call whose path is read.
pub(crate) struct Work {
    pub(crate) fake: TelegramFake,
    pub(crate) cut: Cut,
    /// When its first byte came, on the clock of the record.
    pub(crate) came: u64,
    pub(crate) method: String,
    pub(crate) token: String,
}

impl Work {
    /// Refuses a body that cannot be read.
    pub(crate) fn unreadable(&self, refusal: Refusal) -> Response {
        let call = Call { status: refusal.code, ..Call::begun(&self.method, &self.token, self.came) };
        self.fake.file(call, vec![refusal.description.clone()]);
        Outcome::Refused(refusal).response()
    }

    /// Carries the call out and answers it, or plays the fault. The call is filed when it has taken effect, before a broken answer goes
    /// out: whoever waits for it sees it even if its client never does.
    pub(crate) async fn answer(&self, given: &Given, struck: Option<(Stage, Answer)>) -> Response {
        let checked = self.check(given);
        let named = given.fields.get("chat_id");
        let chat = named.and_then(|id| id.as_i64().or_else(|| id.as_str()?.parse().ok()));
        let in_chat = || chat.and_then(|chat| self.fake.strike(&self.method, &self.token, Some(chat)));
        let Some((stage, answer)) = struck.or_else(in_chat) else {
            let (outcome, remarks) = self.carry_out(given, &checked).await;
            self.file(given, &outcome, None, remarks);
            return outcome.response();
        };
        let (outcome, remarks) = match (stage, &answer) {
            (Stage::After, _) => self.carry_out(given, &checked).await,
            // These two only put the call off.
            (Stage::Before, Answer::Held(_) | Answer::Delayed(_)) => {
                wait(&answer).await;
                let (outcome, remarks) = self.carry_out(given, &checked).await;
                self.file(given, &outcome, Some(&answer), remarks);
                return outcome.response();
            }
            (Stage::Before, Answer::Refuse(refusal)) => {
                (Outcome::Refused(refusal.clone()), remarks(&checked))
            }
            (Stage::Before, _) => (Outcome::Done(Value::Null), remarks(&checked)),
        };
        self.file(given, &outcome, Some(&answer), remarks);
        self.show(outcome, answer).await
    }

    async fn show(&self, outcome: Outcome, answer: Answer) -> Response {
        wait(&answer).await;
        match answer {
            Answer::Refuse(refusal) => Outcome::Refused(refusal).response(),
            Answer::Raw { status, kind, body } => raw(status, &kind, body),
            Answer::Reset => {
                self.cut.reset();
                Response::default()
            }
            Answer::Truncated => truncated(&outcome),
            Answer::Silence | Answer::Held(_) | Answer::Delayed(_) => outcome.response(),
        }
    }

    /// Arguments with their types, uploads among them.
    fn check(&self, given: &Given) -> Checked {
        let mut fields = given.fields.clone();
        for upload in &given.files {
            fields.entry(&upload.part).or_insert_with(|| format!("attach://{}", upload.part).into());
        }
        let mut checked = schema::check(&self.method, &fields);
        // A part that another field refers to as attach://… is no argument of its own.
        checked.unknown.retain(|name| !given.files.iter().any(|upload| upload.part == *name));
        checked
    }

    /// What the call comes to, and what is to be said about it.
    async fn carry_out(&self, given: &Given, checked: &Checked) -> (Outcome, Vec<String>) {
        let Some(bot) = self.fake.world().tokens.get(&self.token).copied() else {
            return (Outcome::Refused(Refusal::unauthorized()), Vec::new());
        };
        if schema::method_name(&self.method).is_none() {
            let what = "no such method in this version of the Bot API".to_owned();
            return (Outcome::Refused(Refusal::not_found()), vec![what]);
        }
        let mut remarks = remarks(checked);
        if self.fake.world().off.contains(&self.method) {
            return (Outcome::Refused(Refusal::new(404, "Not Found: method not found")), Vec::new());
        }
        if self.method == "getUpdates" {
            let polled = poll::wait(&self.fake, bot, &checked.arguments).await;
            return (polled.map_or_else(Outcome::Refused, Outcome::Updates), remarks);
        }
        let outcome = match unusable(checked) {
            Some(refusal) => Err(refusal),
            None => self.act(bot, given, &checked.arguments, &mut remarks),
        };
        if let Err(refusal) = &outcome
            && refusal.malformed
            && remarks.is_empty()
        {
            remarks.push(refusal.description.clone());
        }
        (outcome.map_or_else(Outcome::Refused, Outcome::Done), remarks)
    }

    fn act(
        &self,
        bot: i64,
        given: &Given,
        arguments: &Map<String, Value>,
        remarks: &mut Vec<String>,
    ) -> Result<Value, Refusal> {
        let clock = self.fake.clock();
        let mut world = self.fake.world();
        let mut call = methods::Call {
            world: &mut world,
            bot,
            came: self.came,
            clock,
            arguments,
            files: &given.files,
            remarks: Vec::new(),
        };
        let done = methods::admit(&self.method, &mut call);
        let done = done.and_then(|()| methods::carry_out(&self.method, &mut call));
        remarks.append(&mut call.remarks);
        world.expose();
        done
    }

    fn file(&self, given: &Given, outcome: &Outcome, fault: Option<&Answer>, remarks: Vec<String>) {
        let status = match fault {
            Some(Answer::Refuse(refusal)) => refusal.code,
            Some(Answer::Raw { status, .. }) => *status,
            Some(Answer::Reset | Answer::Truncated | Answer::Silence) => 0,
            Some(Answer::Held(_) | Answer::Delayed(_)) | None => outcome.status(),
        };
        let call = Call {
            params: Value::Object(given.fields.clone()),
            files: given.files.iter().map(|upload| (upload.part.clone(), upload.name.clone())).collect(),
            status,
            answer: outcome.note(),
            fault: fault.is_some(),
            ..Call::begun(&self.method, &self.token, self.came)
        };
        self.fake.file(call, remarks);
    }
}

/// Waits as long as the fault wants the client to.
async fn wait(answer: &Answer) {
    match answer {
        Answer::Held(gate) => gate.pass().await,
        Answer::Delayed(by) => tokio::time::sleep(*by).await,
        Answer::Silence => std::future::pending().await,
        Answer::Refuse(_) | Answer::Raw { .. } | Answer::Reset | Answer::Truncated => {}
    }
}

fn remarks(checked: &Checked) -> Vec<String> {
    let unknown = checked.unknown.iter().map(|field| format!("unknown field {field}"));
    unknown.chain(checked.wrong.iter().map(|(field, what)| format!("{field} {what}"))).collect()
}

/// The refusal of arguments that are missing or of the wrong kind. Methods have words of their own for the two most common ones.
fn unusable(checked: &Checked) -> Option<Refusal> {
    let own_words = |field: &str, what: &str| what == "is required" && matches!(field, "chat_id" | "text");
    let (field, what) = checked.wrong.iter().find(|(field, what)| !own_words(field, what))?;
    Some(Refusal::bad_request(format!("can't parse {field}: {field} {what}")))
}
