//! What a run tells of itself under `/trace`: short lines for people, and all of it in fences for whoever looks closer.

use pensive_contract::ids::SessionKey;
use pensive_contract::model::{Limits, ModelRef, ModelRequest, PromptTurn};
use pensive_contract::outward::Body;
use pensive_contract::speech::{ToolOutcome, ToolResult};
use pensive_directives::Trace;

use crate::answer::Answer;
use crate::bubble::fenced;
use crate::core::Core;
use crate::run::RunEnd;

/// What is noted while a run goes on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Log {
    /// Calls of models, tries included, that came to nothing: who, and why.
    failed: Vec<(ModelRef, String)>,
    /// Calls of models that came to something.
    calls: usize,
    /// What the last call asked for on the wire.
    parameters: String,
    /// What the last call was made of, in bytes.
    segments: Vec<(&'static str, usize)>,
    /// Calls of tools: which, how they ended, and how much they gave.
    tools: Vec<(String, ToolOutcome, usize)>,
    /// The level that was asked for and the one that was used, where they differ.
    clamped: Option<(String, String)>,
}

impl Log {
    /// A call goes out, with these `parameters` for level and tier.
    pub(crate) fn asked(&mut self, request: &ModelRequest, parameters: String) {
        let said = |pick: fn(&PromptTurn) -> usize| request.turns.iter().map(pick).sum();
        self.parameters = parameters;
        self.segments = vec![
            ("system prompt", request.system.len()),
            ("tools", request.tools.iter().map(|tool| tool.description.len() + tool.schema.len()).sum()),
            ("people", said(|turn| if let PromptTurn::User(text) = turn { text.len() } else { 0 })),
            ("model", said(|turn| if let PromptTurn::Assistant(speech) = turn { speech.len() } else { 0 })),
            ("tool results", said(results)),
        ];
    }

    /// It was answered.
    pub(crate) fn answered(&mut self) {
        self.calls += 1;
    }

    /// It came to nothing.
    pub(crate) fn failed(&mut self, model: &ModelRef, why: String) {
        self.failed.push((model.clone(), why));
    }

    /// A tool was called.
    pub(crate) fn worked(&mut self, result: &ToolResult) {
        self.tools.push((result.name.clone(), result.outcome, result.text.len()));
    }

    /// The model lacks the level that was asked for.
    pub(crate) fn clamped(&mut self, asked: String, used: String) {
        self.clamped = (asked != used).then_some((asked, used));
    }
}

fn results(turn: &PromptTurn) -> usize {
    match turn {
        PromptTurn::Tools(results) => results.iter().map(|result| result.text.len()).sum(),
        PromptTurn::User(_) | PromptTurn::Media(_) | PromptTurn::Assistant(_) => 0,
    }
}

/// Keeps what a run tells, for whoever asks how things stand.
pub(crate) fn keep(core: &Core, session: &SessionKey, end: &RunEnd) {
    match end {
        RunEnd::Answered(answer) => {
            let lines = lines(answer, core.ports.model.limits(&answer.model));
            core.traces.keep(session, lines);
        }
        RunEnd::Failed(_) | RunEnd::Stopped(_) | RunEnd::Aborted => core.traces.forget(session),
    }
}

/// The message after an answer; nothing where none is wanted.
pub(crate) fn body(answer: &Answer, limits: Limits, level: Trace) -> Option<Body> {
    match level {
        Trace::Off => None,
        Trace::On => Some(Body::Plain(lines(answer, limits).join("\n"))),
        Trace::Raw => {
            let blocks = blocks(answer, limits).into_iter();
            let blocks = blocks.map(|(title, text)| format!("🔎 {title}:\n{}", fenced(&text)));
            Some(Body::Markdown(blocks.collect::<Vec<_>>().join("\n\n")))
        }
    }
}

fn lines(answer: &Answer, limits: Limits) -> Vec<String> {
    let log = &answer.trace;
    let mut lines = Vec::new();
    match log.failed.len() {
        0 => lines.push(format!("🔎 Model: {}, calls: {}", answer.model, log.calls)),
        failed => lines.push(format!("🔎 Model: {}, calls: {}, failed: {failed}", answer.model, log.calls)),
    }
    lines.extend(log.failed.iter().map(|(model, why)| format!("🔎 Failed: {model}: {}", first_line(why))));
    lines.extend(log.clamped.as_ref().map(|(asked, used)| format!("🔎 Thinking: {asked} → {used}")));
    if !log.tools.is_empty() {
        let failed = log.tools.iter().filter(|(_, outcome, _)| *outcome == ToolOutcome::Failed).count();
        lines.push(format!("🔎 Tools: {} calls, {failed} failed", log.tools.len()));
    }
    let usage = answer.spent.usage;
    lines.extend(answer.spent.context.map(|used| {
        format!("🔎 Context: {used} of {} ({} %)", limits.context, percent(used, limits.context))
    }));
    lines.push(format!(
        "🔎 Cache: {} of {} ({} %)",
        usage.cached,
        usage.input,
        percent(usage.cached, usage.input)
    ));
    lines
}

fn blocks(answer: &Answer, limits: Limits) -> Vec<(&'static str, String)> {
    let log = &answer.trace;
    let usage = answer.spent.usage;
    let took = answer.took.as_secs_f64();
    let first = answer.first_token.unwrap_or_default().as_secs_f64();
    let chain = log.failed.iter().map(|(model, why)| format!("{model}: {why}"));
    let tools = log.tools.iter().map(|(name, outcome, bytes)| match outcome {
        ToolOutcome::Done => format!("{name}: {bytes} bytes"),
        ToolOutcome::Failed => format!("{name}: failed"),
    });
    let segments = log.segments.iter().map(|(name, bytes)| format!("{name}: {bytes} bytes"));
    let context = answer.spent.context.unwrap_or(0);
    let blocks = [
        ("Execution Result", format!("answered\nfirst word after {first:.1} s\ndone after {took:.1} s")),
        ("Fallback Chain", joined(chain.chain([format!("{}: answered", answer.model)]))),
        ("Prompt Segments", joined(segments)),
        ("Tool Summary", joined(tools)),
        (
            "Token Usage",
            format!(
                "in {}\ncached {}\nout {}\nreasoning {}\ncontext {context} of {}",
                usage.input, usage.cached, usage.output, usage.reasoning, limits.context
            ),
        ),
        ("Request Parameters", log.parameters.clone()),
    ];
    blocks.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

fn joined(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn percent(part: u64, whole: u64) -> u64 {
    part.saturating_mul(100).checked_div(whole).unwrap_or(0)
}
