//! What a model may do in a run beside speaking: which tools its agent has, and how their calls are worked.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use pensive_contract::model::{ToolChoice, ToolSpec};
use pensive_contract::speech::{ToolCall, ToolOutcome, ToolResult};

use crate::core::Core;
use crate::desk;
use crate::run::Pending;
use crate::settings::ToolRules;
use crate::status::Busy;

/// How often a run may make the same call, word for word. A model that asks once more goes in circles.
const MOST_ALIKE: u32 = 2;

/// Calls of one answer that are worked; a model that makes more does not know what it does.
const MOST_AT_ONCE: usize = 32;

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tool {
    /// How the session stands, as `/status` tells it.
    SessionStatus,
}

impl Tool {
    const ALL: [Self; 1] = [Self::SessionStatus];

    fn name(self) -> &'static str {
        match self {
            Self::SessionStatus => "session_status",
        }
    }

    fn spec(self) -> ToolSpec {
        let (description, schema) = match self {
            Self::SessionStatus => (
                "Tells how this session stands: model, thinking level and what it puts on the wire, fast mode, what is \
                 shown of the work, tokens, context and cost, session, queue. Use it when somebody asks for any of these.",
                r#"{"type":"object","properties":{},"additionalProperties":false}"#,
            ),
        };
        let (name, description, schema) = (self.name().to_owned(), description.to_owned(), schema.to_owned());
        ToolSpec { name, description, schema }
    }
}

/// Where a run stands: what its tools look at.
#[derive(Clone, Copy)]
pub(crate) struct Bearings<'a> {
    pub(crate) core: &'a Core,
    pub(crate) pending: &'a Pending,
    /// Messages that wait behind the run.
    pub(crate) waiting: &'a AtomicUsize,
}

/// The tools of one run, and what it has asked of them.
pub(crate) struct Toolbox {
    tools: Vec<Tool>,
    made: HashMap<(String, String), u32>,
}

impl Toolbox {
    /// The tools that these rules leave.
    pub(crate) fn new(rules: &ToolRules) -> Self {
        let tools = Tool::ALL.into_iter().filter(|tool| rules.allow(tool.name())).collect();
        Self { tools, made: HashMap::new() }
    }

    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|tool| tool.spec()).collect()
    }

    /// The wish of the configuration as far as there are tools that it can be about.
    pub(crate) fn choice(&self, wish: Option<&ToolChoice>) -> ToolChoice {
        match wish {
            Some(ToolChoice::Named(name)) if self.find(name).is_none() => ToolChoice::Auto,
            Some(choice) if !self.tools.is_empty() => choice.clone(),
            Some(_) | None => ToolChoice::Auto,
        }
    }

    /// Works calls one after the other. Each has its result, whatever became of it.
    pub(crate) async fn work(&mut self, calls: &[ToolCall], bearings: Bearings<'_>) -> Vec<ToolResult> {
        let mut results = Vec::with_capacity(calls.len());
        for (place, call) in calls.iter().enumerate() {
            let admitted = if place < MOST_AT_ONCE { self.admit(call) } else { Err(too_many()) };
            let (text, outcome) = match admitted {
                Ok(tool) => tool.call(bearings).await,
                Err(why) => Err(why),
            }
            .map_or_else(|why| (why, ToolOutcome::Failed), |text| (text, ToolOutcome::Done));
            // A name that is no tool's may be any text.
            let tool = self.find(&call.name).map(Tool::name);
            tracing::info!(tool, ?outcome, "a tool was called");
            // The model's provider is outside as well.
            let text = bearings.core.ports.masker.mask(&text).into_owned();
            results.push(ToolResult { id: call.id.clone(), name: call.name.clone(), text, outcome });
        }
        results
    }

    /// # Errors
    /// The call cannot be made; the words tell the model why.
    fn admit(&mut self, call: &ToolCall) -> Result<Tool, String> {
        let Some(tool) = self.find(&call.name) else {
            return Err(format!("There is no tool \"{}\". {}", call.name, self.names()));
        };
        if !is_object(&call.arguments) {
            return Err(format!("The arguments of {} are not a JSON object. {}", call.name, self.names()));
        }
        let made = self.made.entry((call.name.clone(), call.arguments.clone())).or_default();
        *made += 1;
        if *made > MOST_ALIKE {
            return Err(format!(
                "This is call number {made} of {} with the same arguments, so it was not made. \
                 Use the earlier result, or do something else.",
                call.name
            ));
        }
        Ok(tool)
    }

    fn find(&self, name: &str) -> Option<Tool> {
        self.tools.iter().copied().find(|tool| tool.name() == name)
    }

    fn names(&self) -> String {
        let names: Vec<&str> = self.tools.iter().map(|tool| tool.name()).collect();
        if names.is_empty() {
            "There are no tools here.".to_owned()
        } else {
            format!("Tools: {}.", names.join(", "))
        }
    }
}

impl Tool {
    /// # Errors
    /// It came to nothing; the words tell the model why.
    async fn call(self, bearings: Bearings<'_>) -> Result<String, String> {
        let Bearings { core, pending, waiting } = bearings;
        match self {
            Self::SessionStatus => {
                let busy = Busy { running: true, waiting: waiting.load(Ordering::Relaxed) };
                let record = core.ports.sessions.get(&pending.route.key).await.map_err(|fault| {
                    tracing::error!(%fault, "the store cannot be read");
                    "How the session stands cannot be read right now.".to_owned()
                })?;
                Ok(desk::status_of(core, pending, record.as_ref(), busy))
            }
        }
    }
}

fn too_many() -> String {
    format!(
        "Only the first {MOST_AT_ONCE} calls of an answer are made. Make this one again if it is still needed."
    )
}

/// Whether these are arguments at all. A model that has none to give may write nothing.
fn is_object(arguments: &str) -> bool {
    let object = || serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(arguments);
    arguments.trim().is_empty() || object().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(allow: &[&str], deny: &[&str]) -> ToolRules {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        ToolRules { allowed: owned(allow), denied: owned(deny) }
    }

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall { id: "1".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
    }

    #[test]
    fn a_tool_is_there_when_it_is_allowed_and_not_denied() {
        let check = |allow: &[&str], deny: &[&str], expected: usize| {
            assert_eq!(Toolbox::new(&rules(allow, deny)).specs().len(), expected, "{allow:?} {deny:?}");
        };
        check(&[], &[], 0);
        check(&["exec"], &[], 0);
        check(&["session_status"], &[], 1);
        check(&["*"], &[], 1);
        check(&["*"], &["session_status"], 0);
        check(&["session_status"], &["*"], 0);
    }

    #[test]
    fn what_cannot_be_called_is_told_with_what_can() {
        let check = |call: &ToolCall, expected: Result<Tool, &str>| {
            let admitted = Toolbox::new(&rules(&["*"], &[])).admit(call);
            assert_eq!(admitted, expected.map_err(str::to_owned), "{call:?}");
        };
        check(&call("session_status", "{}"), Ok(Tool::SessionStatus));
        check(&call("session_status", ""), Ok(Tool::SessionStatus));
        check(&call("session_status", r#"{"more":[1]}"#), Ok(Tool::SessionStatus));
        for broken in ["{", "[]", "null", "x", "{} {}"] {
            let words = "The arguments of session_status are not a JSON object. Tools: session_status.";
            check(&call("session_status", broken), Err(words));
        }
        check(&call("rm", "{}"), Err("There is no tool \"rm\". Tools: session_status."));
        let mut none = Toolbox::new(&rules(&[], &[]));
        let words = "There is no tool \"session_status\". There are no tools here.";
        assert_eq!(none.admit(&call("session_status", "{}")), Err(words.to_owned()));
    }

    #[test]
    fn the_third_call_alike_is_not_made() {
        let mut toolbox = Toolbox::new(&rules(&["*"], &[]));
        let mut ask = |arguments: &str| toolbox.admit(&call("session_status", arguments)).is_ok();
        assert_eq!([ask("{}"), ask("{}"), ask("{}"), ask("{}")], [true, true, false, false]);
        assert!(ask(r#"{"a":1}"#), "other arguments are another call");
    }

    #[test]
    fn a_choice_is_about_tools_that_are_there() {
        let check = |allow: &[&str], wish: Option<ToolChoice>, expected: ToolChoice| {
            assert_eq!(
                Toolbox::new(&rules(allow, &[])).choice(wish.as_ref()),
                expected,
                "{allow:?} {wish:?}"
            );
        };
        let named = |name: &str| ToolChoice::Named(name.to_owned());
        check(&["*"], None, ToolChoice::Auto);
        check(&["*"], Some(ToolChoice::Required), ToolChoice::Required);
        check(&["*"], Some(named("session_status")), named("session_status"));
        check(&["*"], Some(named("exec")), ToolChoice::Auto);
        check(&[], Some(ToolChoice::Required), ToolChoice::Auto);
    }
}
