//! Orders from outside the process, one JSON object each: `POST /_control` with `{"do": "play", "script": {"steps": [{"text": "hi"}]}}`.
//! The console of the binary takes the same.

use std::time::Duration;

use axum::{
    Json, Router,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::post,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Failure, Finish, ModelFake, ReasoningShape, Recording, Rules, Script, Step, Usage};

/// Everything that can be ordered.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// The next request gets this answer.
    Play {
        /// The answer.
        script: ScriptOrder,
    },
    /// Every request whose prompt contains `part` gets this answer.
    ReplyTo {
        /// Part of the prompt; empty for all.
        part: String,
        /// The answer.
        script: ScriptOrder,
    },
    /// The next recording is written down as this.
    Transcribe {
        /// The words.
        words: String,
    },
    /// The recordings that were to be written down: name, type, model and size of each.
    Recordings,
    /// Takes back all answers; the echo is left.
    Clear,
    /// What requests are held against from now on.
    Rules {
        /// All rules; what is not named is as at the start.
        rules: Rules,
    },
    /// What the rules had to say about the requests that are kept.
    Refusals,
    /// Opens a gate that a script waits at.
    OpenGate {
        /// As the script named it.
        name: String,
    },
    /// Requests with numbers above `after`; waits for the first of them for up to `wait` seconds.
    Requests {
        /// Only later ones.
        #[serde(default)]
        after: usize,
        /// Seconds.
        #[serde(default)]
        wait: f64,
    },
    /// How many there were, are, and have left.
    Counts,
    /// Forgets requests and counts.
    Forget,
}

/// A script in JSON.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptOrder {
    steps: Vec<StepOrder>,
    fail: Option<FailureOrder>,
    usage: Option<Usage>,
    /// `stop`, `length`, `content_filter`, `tool_use` or `refusal`.
    finish: Finish,
    /// `usual`, `plain`, `details` or `both`.
    reasoning_as: ReasoningShape,
    /// Nothing is sealed by itself.
    unsigned: bool,
    null_first: bool,
    /// Sends no header before this gate opens.
    first_byte: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StepOrder {
    Reasoning(String),
    Signature(Option<String>),
    Redacted(String),
    NewThought,
    Text(String),
    ToolCall { name: String, arguments: Value },
    Wait(String),
    DelayMs(u64),
    Raw(String),
    Unknown,
    Error(String),
    Stall,
    Cut,
    EndEarly,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FailureOrder {
    /// 0 resets the connection.
    status: u16,
    /// A gateway's page instead of the API's JSON.
    #[serde(default)]
    html: bool,
    plain: Option<String>,
    retry_after: Option<String>,
}

pub(crate) fn router() -> Router<ModelFake> {
    Router::new().route("/", post(order))
}

async fn order(State(fake): State<ModelFake>, body: String) -> Response {
    let done = match serde_json::from_str::<Order>(&body) {
        Ok(order) => perform(&fake, order).await,
        Err(error) => Err(error.to_string()),
    };
    match done {
        Ok(result) => Json(json!({"ok": true, "result": result})).into_response(),
        Err(error) => (StatusCode::BAD_REQUEST, Json(json!({"ok": false, "error": error}))).into_response(),
    }
}

/// Carries out an order, or says what is wrong with it.
pub async fn perform(fake: &ModelFake, order: Order) -> Result<Value, String> {
    match order {
        Order::Play { script } => fake.play(self::script(fake, script)),
        Order::ReplyTo { part, script } => fake.reply_to(&part, self::script(fake, script)),
        Order::Transcribe { words } => fake.transcribe(&words),
        Order::Recordings => {
            let shown = |one: Recording| json!({"model": one.model, "name": one.name, "mime": one.mime, "size": one.bytes.len()});
            return Ok(fake.recordings().into_iter().map(shown).collect());
        }
        Order::Clear => fake.clear(),
        Order::Rules { rules } => fake.set_rules(rules),
        Order::Refusals => return Ok(json!(fake.refusals())),
        Order::OpenGate { name } => fake.gate(&name).open(),
        Order::Requests { after, wait } => return Ok(requests(fake, after, wait).await),
        Order::Counts => {
            let (count, running) = (fake.count(), fake.running());
            let (peak, abandoned) = (fake.peak(), fake.abandoned());
            return Ok(json!({"count": count, "running": running, "peak": peak, "abandoned": abandoned}));
        }
        Order::Forget => fake.forget(),
    }
    Ok(true.into())
}

async fn requests(fake: &ModelFake, after: usize, wait: f64) -> Value {
    let look = |fake: &ModelFake| {
        let later: Vec<_> = fake.requests().into_iter().filter(|request| request.number > after).collect();
        Some(later).filter(|later| !later.is_empty())
    };
    let limit = Duration::try_from_secs_f64(wait.clamp(0.0, 60.0)).unwrap_or_default();
    json!(fake.wait_within(limit, look).await.unwrap_or_default())
}

fn script(fake: &ModelFake, order: ScriptOrder) -> Script {
    let mut script = order.fail.map_or_else(Script::new, |fail| Script::fail(failure(fail)));
    for step in order.steps {
        script = script.step(self::step(fake, step));
    }
    if let Some(gate) = order.first_byte {
        script = script.first_byte(&fake.gate(&gate));
    }
    if let Some(usage) = order.usage {
        script = script.usage(usage);
    }
    script = script.finish(order.finish).reasoning_as(order.reasoning_as);
    if order.unsigned {
        script = script.unsigned();
    }
    if order.null_first { script.null_first() } else { script }
}

fn step(fake: &ModelFake, order: StepOrder) -> Step {
    match order {
        StepOrder::Reasoning(piece) => Step::Reasoning(piece),
        StepOrder::Signature(given) => Step::Signature(given),
        StepOrder::Redacted(data) => Step::Redacted(data),
        StepOrder::NewThought => Step::NewThought,
        StepOrder::Text(piece) => Step::Text(piece),
        StepOrder::ToolCall { name, arguments } => Step::ToolCall { name, arguments: arguments.to_string() },
        StepOrder::Wait(gate) => Step::Wait(fake.gate(&gate)),
        StepOrder::DelayMs(by) => Step::Delay(Duration::from_millis(by)),
        StepOrder::Raw(bytes) => Step::Raw(bytes),
        StepOrder::Unknown => Step::Unknown,
        StepOrder::Error(message) => Step::Error(message),
        StepOrder::Stall => Step::Stall,
        StepOrder::Cut => Step::Cut,
        StepOrder::EndEarly => Step::EndEarly,
    }
}

fn failure(order: FailureOrder) -> Failure {
    let failure = match order {
        FailureOrder { status: 0, .. } => Failure::reset(),
        FailureOrder { plain: Some(ref words), status, .. } => Failure::plain(status, words),
        FailureOrder { html: true, status, .. } => Failure::html(status),
        FailureOrder { status, .. } => Failure::json(status),
    };
    match order.retry_after {
        Some(wait) => failure.retry_after(&wait),
        None => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_and_strange_ones_refused() {
        let check = |order: Value, good: bool| {
            let read = serde_json::from_value::<Order>(order.clone());
            assert_eq!(read.is_ok(), good, "{order}: {read:?}");
        };
        let steps = json!([{"reasoning": "a"}, {"text": "b"}, {"wait": "g"}, "stall"]);
        check(json!({"do": "play", "script": {"steps": steps, "finish": "length"}}), true);
        check(json!({"do": "play", "script": {"fail": {"status": 429, "retry_after": "7"}}}), true);
        check(json!({"do": "play", "script": {"step": []}}), false);
        check(json!({"do": "counts"}), true);
        let steps = json!([{"reasoning": "a"}, {"signature": null}, {"redacted": "x"}, "new_thought"]);
        check(
            json!({"do": "play", "script": {"steps": steps, "finish": "refusal", "reasoning_as": "both"}}),
            true,
        );
        let efforts = json!([{"words": ["xhigh"], "supported": ["low"]}]);
        check(json!({"do": "rules", "rules": {"strictness": "lenient", "efforts": efforts}}), true);
        check(json!({"do": "rules", "rules": {"strict": true}}), false);
    }
}
