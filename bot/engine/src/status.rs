//! The texts that tell how things stand.

use std::fmt::Write as _;
use std::time::Duration;

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::SessionKey;
use pensive_contract::model::{Limits, ModelRef, Pace, TokenUsage};
use pensive_contract::session::{RunResult, SessionRecord};
use pensive_directives::{Effort, Fast, Overrides, Reasoning, Settings, Trace, Usage, Verbose};

use crate::answer::{Answer, dollars};
use crate::notices::span;

/// What a lane has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Busy {
    /// A run is under way.
    pub(crate) running: bool,
    /// Messages that wait for theirs.
    pub(crate) waiting: usize,
}

/// What `/status` shows.
pub(crate) struct View<'a> {
    pub(crate) version: &'a str,
    pub(crate) up: Duration,
    pub(crate) now: Timestamp,
    pub(crate) settings: &'a Settings,
    /// The tier of the whole daemon.
    pub(crate) effort: Option<Effort>,
    /// What the level puts on the wire.
    pub(crate) wire: String,
    /// The level as the model's profile calls it.
    pub(crate) label: String,
    pub(crate) model: &'a ModelRef,
    pub(crate) fallbacks: &'a [ModelRef],
    pub(crate) limits: Limits,
    pub(crate) fast_cutoff: Duration,
    pub(crate) key: &'a SessionKey,
    pub(crate) record: Option<&'a SessionRecord>,
    pub(crate) busy: Busy,
    /// What the last run told of itself.
    pub(crate) trace: Vec<String>,
}

/// The lane that a call made now would ask for.
pub(crate) fn pace_now(settings: &Settings) -> Pace {
    match settings.fast.value {
        Fast::On | Fast::Auto => Pace::Fast,
        Fast::Off => Pace::Normal,
    }
}

/// `/status`.
pub(crate) fn status(view: &View<'_>) -> String {
    let mut lines = vec![
        format!("Pensive {} · up {}", view.version, span(view.up)),
        model_line(view),
        thinking_line(view),
    ];
    lines.extend(shown_line(view));
    lines.push(tokens_line(view));
    lines.push(session_line(view));
    lines.push(queue_line(view));
    lines.extend(view.record.and_then(|record| last_line(record, view.now)));
    if view.settings.trace.value != Trace::Off {
        lines.extend(view.trace.iter().cloned());
    }
    lines.join("\n")
}

fn model_line(view: &View<'_>) -> String {
    let mut line = format!("Model: {} (from {})", view.model, view.settings.model.source.words());
    if !view.fallbacks.is_empty() {
        let names: Vec<String> = view.fallbacks.iter().map(ModelRef::to_string).collect();
        let _infallible = write!(line, " · fallbacks: {}", names.join(", "));
    }
    line
}

fn thinking_line(view: &View<'_>) -> String {
    let think = &view.settings.think;
    let mut line = format!("Thinking: {} → {} (from {})", view.label, view.wire, think.source.words());
    if think.asked != think.level {
        let _infallible = write!(line, " · {} not supported here", think.asked);
    }
    if let Some(tier) = think.effort.or(view.effort) {
        let _infallible = write!(line, " · effort {tier}");
    }
    match view.settings.fast.value {
        Fast::On => line.push_str(" · Fast"),
        Fast::Auto => {
            let _infallible = write!(line, " · Fast:auto ({} sec)", view.fast_cutoff.as_secs());
        }
        Fast::Off => {}
    }
    line
}

/// What is shown of the work, where anything is.
fn shown_line(view: &View<'_>) -> Option<String> {
    let settings = view.settings;
    let mut shown = Vec::new();
    if settings.verbose.value != Verbose::Off {
        shown.push(format!("Verbose: {} (from {})", settings.verbose.value, settings.verbose.source.words()));
    }
    if settings.reasoning.value != Reasoning::Off {
        shown.push(format!(
            "Reasoning: {} (from {})",
            settings.reasoning.value,
            settings.reasoning.source.words()
        ));
    }
    if settings.trace.value != Trace::Off {
        shown.push(format!("Trace: {} (from {})", settings.trace.value, settings.trace.source.words()));
    }
    (!shown.is_empty()).then(|| shown.join(" · "))
}

fn tokens_line(view: &View<'_>) -> String {
    let tokens = view.record.map(|record| record.tokens).unwrap_or_default();
    let used = view.record.map_or(0, |record| record.context_used);
    let percent = used.saturating_mul(100).checked_div(view.limits.context).unwrap_or(0);
    let cost = view.record.and_then(|record| dollars(record.cost));
    let cost = cost.map(|cost| format!(" · {cost}")).unwrap_or_default();
    format!(
        "Tokens: {} in, {} out · context {used} of {} ({percent} %){cost}",
        tokens.input, tokens.output, view.limits.context
    )
}

fn session_line(view: &View<'_>) -> String {
    let age = view
        .record
        .map_or_else(|| "new".to_owned(), |record| format!("{} old", span(view.now.since(record.created))));
    format!("Session: {} · {age}", view.key)
}

fn queue_line(view: &View<'_>) -> String {
    let now = match (view.busy.running, view.busy.waiting) {
        (false, 0) => "idle".to_owned(),
        (_, 0) => "working".to_owned(),
        (_, waiting) => format!("working, {waiting} waiting"),
    };
    format!("Queue: {} · {now}", view.settings.queue.value)
}

fn last_line(record: &SessionRecord, now: Timestamp) -> Option<String> {
    let (at, result) = record.last_result.as_ref()?;
    let words = match result {
        RunResult::Answered => "answered".to_owned(),
        RunResult::Stopped => "stopped".to_owned(),
        RunResult::Failed(why) => format!("failed: {why}"),
    };
    Some(format!("Last run: {words} ({} ago)", span(now.since(*at))))
}

/// The acknowledgement of `/new` and `/reset`: a new session starts bare, so what had been set is named.
pub(crate) fn renewed(overrides: &Overrides) -> String {
    let mut gone = Vec::new();
    gone.extend(overrides.think.map(|level| format!("thinking {level}")));
    gone.extend(overrides.fast.map(|fast| format!("fast {fast}")));
    gone.extend(overrides.verbose.map(|verbose| format!("verbose {verbose}")));
    gone.extend(overrides.trace.map(|trace| format!("trace {trace}")));
    gone.extend(overrides.reasoning.map(|reasoning| format!("reasoning {reasoning}")));
    gone.extend(overrides.elevated.map(|elevated| format!("elevated {elevated}")));
    gone.extend(overrides.model.as_ref().map(|model| format!("model {model}")));
    gone.extend(overrides.queue.map(|queue| format!("queue {}", queue.mode)));
    gone.extend(overrides.usage.map(|usage| format!("usage {usage}")));
    if gone.is_empty() {
        "⚙️ New session started.".to_owned()
    } else {
        format!("⚙️ New session started. No longer set: {}.", gone.join(", "))
    }
}

/// The line under an answer, where the person wants one.
pub(crate) fn footer(usage: Usage, answer: &Answer) -> Option<String> {
    let TokenUsage { input, cached, output, reasoning } = answer.spent.usage;
    let tokens = format!("in {input} · out {output} · reasoning {reasoning} · cached {cached}");
    match usage {
        Usage::Off => None,
        Usage::Tokens => Some(tokens),
        Usage::Full => {
            let first = answer.first_token.unwrap_or_default().as_secs_f64();
            let all = answer.took.as_secs_f64();
            let mut parts = vec![tokens, answer.model.to_string(), answer.level.clone()];
            parts.extend(answer.tier.clone());
            parts.extend([format!("first after {first:.1} s"), format!("{all:.1} s in all")]);
            parts.extend(dollars(answer.spent.cost));
            Some(parts.join(" · "))
        }
    }
}
