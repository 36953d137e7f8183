//! Which tools a run has: the engine's own and those of the shed, as far as its agent is allowed them, and whether a call
//! of the model can be made at all. How one is made is for `errand` to say.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use pensive_contract::model::{ToolChoice, ToolSpec};
use pensive_contract::speech::ToolCall;
use pensive_contract::tool::{Danger, Errand, Tool, ToolFault};

use crate::core::Core;
use crate::desk;
use crate::own::{self, Own};
use crate::run::Pending;
use crate::screen::Screen;
use crate::settings::ToolRules;
use crate::status::Busy;

/// How often a run may make the same call, word for word. A model that asks once more goes in circles.
const MOST_ALIKE: u32 = 2;

/// Where a run stands: what its tools look at.
#[derive(Clone, Copy)]
pub(crate) struct Bearings<'a> {
    pub(crate) core: &'a Arc<Core>,
    pub(crate) pending: &'a Pending,
    /// Messages that wait behind the run.
    pub(crate) waiting: &'a Arc<AtomicUsize>,
    /// What its own tools share.
    pub(crate) own: &'a Arc<Own>,
    /// Where its work is shown.
    pub(crate) screen: &'a Screen<'a>,
}

/// The tools of one run, and what it has asked of them.
#[derive(Default)]
pub(crate) struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
    made: HashMap<(String, String), u32>,
}

/// The tools of a run: asked for as it starts, because servers come and go.
pub(crate) async fn gather(bearings: Bearings<'_>) -> Toolbox {
    let Bearings { core, pending, waiting, own, .. } = bearings;
    let status = SessionStatus {
        spec: status_spec(),
        core: Arc::clone(core),
        pending: pending.clone(),
        waiting: Arc::clone(waiting),
    };
    let mut tools: Vec<Arc<dyn Tool>> = vec![Arc::new(status)];
    let agent = &pending.route.agent;
    tools.extend(own::tools(core, pending, own));
    // Nobody connects to a server for an agent without tools.
    if let Some(shed) = core.ports.toolshed.as_ref().filter(|_| !agent.tools.allowed.is_empty()) {
        tools.extend(shed.tools(&agent.id).await);
    }
    Toolbox::new(&agent.tools, tools)
}

impl Toolbox {
    /// Those of the tools that the rules leave. Of two with one name the first is meant.
    pub(crate) fn new(rules: &ToolRules, tools: Vec<Arc<dyn Tool>>) -> Self {
        let mut names = HashSet::new();
        let mut allowed = tools;
        allowed.retain(|tool| {
            let name = &tool.spec().name;
            rules.allow(name) && names.insert(name.clone())
        });
        Self { tools: allowed, made: HashMap::new() }
    }

    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|tool| tool.spec().clone()).collect()
    }

    /// The wish of the configuration as far as there are tools that it can be about.
    pub(crate) fn choice(&self, wish: Option<&ToolChoice>) -> ToolChoice {
        match wish {
            Some(ToolChoice::Named(name)) if self.find(name).is_none() => ToolChoice::Auto,
            Some(choice) if !self.tools.is_empty() => choice.clone(),
            Some(_) | None => ToolChoice::Auto,
        }
    }

    /// The tool for a call, and the call is counted.
    ///
    /// # Errors
    /// The call cannot be made; the words tell the model why.
    pub(crate) fn admit(&mut self, call: &ToolCall) -> Result<Arc<dyn Tool>, String> {
        let Some(tool) = self.find(&call.name).cloned() else {
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

    fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name)
    }

    fn names(&self) -> String {
        let names: Vec<&str> = self.tools.iter().map(|tool| tool.spec().name.as_str()).collect();
        if names.is_empty() {
            "There are no tools here.".to_owned()
        } else {
            format!("Tools: {}.", names.join(", "))
        }
    }
}

/// How the session stands, as `/status` tells it.
struct SessionStatus {
    spec: ToolSpec,
    core: Arc<Core>,
    pending: Pending,
    waiting: Arc<AtomicUsize>,
}

fn status_spec() -> ToolSpec {
    let description = "Tells how this session stands: model, thinking level and what it puts on the wire, fast mode, what \
                       is shown of the work, tokens, context and cost, session, queue. Use it when somebody asks for any \
                       of these.";
    ToolSpec {
        name: "session_status".to_owned(),
        description: description.to_owned(),
        schema: r#"{"type":"object","properties":{},"additionalProperties":false}"#.to_owned(),
    }
}

#[async_trait]
impl Tool for SessionStatus {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn danger(&self, _arguments: &str) -> Danger {
        Danger::Harmless
    }

    async fn call(&self, _arguments: &str, _errand: &Errand) -> Result<String, ToolFault> {
        let busy = Busy { running: true, waiting: self.waiting.load(Ordering::Relaxed) };
        let record = self.core.ports.sessions.get(&self.pending.route.key).await;
        let record = record.map_err(|fault| ToolFault {
            model: "How the session stands cannot be read right now.".to_owned(),
            log: fault.to_string(),
        })?;
        Ok(desk::status_of(&self.core, &self.pending, record.as_ref(), busy))
    }
}

/// Whether these are arguments at all. A model that has none to give may write nothing.
fn is_object(arguments: &str) -> bool {
    let object = || serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(arguments);
    arguments.trim().is_empty() || object().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Stub(ToolSpec);

    #[async_trait]
    impl Tool for Stub {
        fn spec(&self) -> &ToolSpec {
            &self.0
        }

        fn danger(&self, _arguments: &str) -> Danger {
            Danger::Harmless
        }

        async fn call(&self, _arguments: &str, _errand: &Errand) -> Result<String, ToolFault> {
            Ok(self.0.description.clone())
        }
    }

    fn stub(name: &str, description: &str) -> Arc<dyn Tool> {
        let (name, description) = (name.to_owned(), description.to_owned());
        Arc::new(Stub(ToolSpec { name, description, schema: "{}".to_owned() }))
    }

    fn toolbox(allow: &[&str], deny: &[&str]) -> Toolbox {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let rules = ToolRules { allowed: owned(allow), denied: owned(deny) };
        Toolbox::new(&rules, vec![stub("clock", "ours"), stub("clock", "theirs")])
    }

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall { id: "1".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
    }

    #[test]
    fn a_tool_is_there_once_when_it_is_allowed_and_not_denied() {
        let check = |allow: &[&str], deny: &[&str], expected: &[&str]| {
            let specs = toolbox(allow, deny).specs();
            let told: Vec<&str> = specs.iter().map(|spec| spec.description.as_str()).collect();
            assert_eq!(told, expected, "{allow:?} {deny:?}");
        };
        check(&[], &[], &[]);
        check(&["exec"], &[], &[]);
        check(&["clock"], &[], &["ours"]);
        check(&["*"], &[], &["ours"]);
        check(&["*"], &["clock"], &[]);
        check(&["clock"], &["*"], &[]);
    }

    #[test]
    fn what_cannot_be_called_is_told_with_what_can() {
        let check = |toolbox: &mut Toolbox, call: &ToolCall, expected: Result<&str, &str>| {
            let admitted = toolbox.admit(call);
            let admitted = admitted.as_ref().map(|tool| tool.spec().name.as_str()).map_err(String::as_str);
            assert_eq!(admitted, expected, "{call:?}");
        };
        for arguments in ["{}", "", r#"{"more":[1]}"#] {
            check(&mut toolbox(&["*"], &[]), &call("clock", arguments), Ok("clock"));
        }
        for broken in ["{", "[]", "null", "x", "{} {}"] {
            let words = "The arguments of clock are not a JSON object. Tools: clock.";
            check(&mut toolbox(&["*"], &[]), &call("clock", broken), Err(words));
        }
        check(&mut toolbox(&["*"], &[]), &call("rm", "{}"), Err("There is no tool \"rm\". Tools: clock."));
        let words = "There is no tool \"clock\". There are no tools here.";
        check(&mut toolbox(&[], &[]), &call("clock", "{}"), Err(words));
    }

    #[test]
    fn the_third_call_alike_is_not_made() {
        let mut toolbox = toolbox(&["*"], &[]);
        let mut ask = |arguments: &str| toolbox.admit(&call("clock", arguments)).is_ok();
        assert_eq!([ask("{}"), ask("{}"), ask("{}"), ask("{}")], [true, true, false, false]);
        assert!(ask(r#"{"a":1}"#), "other arguments are another call");
    }

    #[test]
    fn a_choice_is_about_tools_that_are_there() {
        let check = |allow: &[&str], wish: Option<ToolChoice>, expected: ToolChoice| {
            assert_eq!(toolbox(allow, &[]).choice(wish.as_ref()), expected, "{allow:?} {wish:?}");
        };
        let named = |name: &str| ToolChoice::Named(name.to_owned());
        check(&["*"], None, ToolChoice::Auto);
        check(&["*"], Some(ToolChoice::Required), ToolChoice::Required);
        check(&["*"], Some(named("clock")), named("clock"));
        check(&["*"], Some(named("exec")), ToolChoice::Auto);
        check(&[], Some(ToolChoice::Required), ToolChoice::Auto);
    }
}
