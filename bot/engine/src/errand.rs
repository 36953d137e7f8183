//! How the calls of one turn are worked: some at once, each within its time, cut to what a model can take, and contained
//! whatever a tool does. Dropping it ends everything that still goes on.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::stream::FuturesOrdered;
use futures::{FutureExt, StreamExt};
use pensive_contract::clock::within;
use pensive_contract::speech::{ToolCall, ToolOutcome, ToolResult};
use pensive_contract::tool::{Danger, Errand, Grant, Tool};

use crate::approval;
use crate::bubble::Bubble;
use crate::course::Course;
use crate::present::{Event, Fate};
use crate::tools::Bearings;

/// Calls of one turn that are worked at the same time.
const AT_ONCE: usize = 8;

/// Calls of one turn that are worked at all; a model that makes more does not know what it does.
const MOST: usize = 32;

/// Bytes of a result that the model is given.
const MOST_TOLD: usize = 64 << 10;

/// Bytes that are looked at for secrets: more than are told, so that none is cut before it is known.
const MOST_READ: usize = 4 * MOST_TOLD;

/// One call on its way.
struct Task<'a> {
    call: &'a ToolCall,
    /// The tool; where the call cannot be made, the words that tell the model why.
    tool: Result<Arc<dyn Tool>, String>,
    /// What people see of it.
    bubble: Bubble,
}

impl Course<'_> {
    /// Works the calls of a turn. Each has its result, in the order of the calls, whatever became of it.
    pub(crate) async fn work(&mut self, calls: &[ToolCall]) -> Vec<ToolResult> {
        let (calls, beyond) = calls.split_at(calls.len().min(MOST));
        let mut results = Vec::with_capacity(calls.len() + beyond.len());
        for calls in calls.chunks(AT_ONCE) {
            let tasks: Vec<Task<'_>> = calls.iter().map(|call| self.task(call)).collect();
            for task in tasks.iter().filter(|task| task.tool.is_ok()) {
                self.bearings.screen.tell(task.called()).await;
            }
            let mut work: FuturesOrdered<_> =
                tasks.iter().map(|task| make(self.bearings, task).boxed()).collect();
            for task in &tasks {
                let Some((result, fate)) = work.next().await else { break };
                self.trace.worked(&result);
                self.done(task, &result, fate).await;
                results.push(result);
            }
        }
        results.extend(beyond.iter().map(too_many));
        results
    }

    fn task<'a>(&mut self, call: &'a ToolCall) -> Task<'a> {
        let bubble = Bubble::new(&call.name, &call.arguments, self.bearings.screen.lens());
        Task { call, tool: self.toolbox.admit(call), bubble }
    }

    async fn done(&mut self, task: &Task<'_>, result: &ToolResult, fate: Fate) {
        match fate {
            Fate::NotMade => {}
            // One that failed may have come half of the way.
            Fate::Done(danger) | Fate::Failed(danger) => {
                self.deeds += usize::from(danger == Danger::Dangerous);
            }
        }
        if task.tool.is_ok() {
            let (id, output) = (result.id.clone(), result.text.clone());
            self.bearings.screen.tell(Event::Returned { id, output, fate }).await;
        }
    }
}

impl Task<'_> {
    fn called(&self) -> Event {
        let ToolCall { id, name, .. } = self.call.clone();
        Event::Called { id, tool: name, bubble: self.bubble.clone() }
    }
}

/// The result of a call that is not even looked at.
fn too_many(call: &ToolCall) -> ToolResult {
    let text = format!(
        "Only the first {MOST} calls of an answer are made. Make this one again if it is still needed."
    );
    ToolResult { id: call.id.clone(), name: call.name.clone(), text, outcome: ToolOutcome::Failed }
}

/// Makes one call, where it can be made.
async fn make(bearings: Bearings<'_>, task: &Task<'_>) -> (ToolResult, Fate) {
    let (made, fate) = match &task.tool {
        Ok(tool) => try_to(bearings, task, &**tool).await,
        Err(why) => (Err(why.clone()), Fate::NotMade),
    };
    let (text, outcome) = match made {
        Ok(text) => (text, ToolOutcome::Done),
        Err(why) => (why, ToolOutcome::Failed),
    };
    // A name that is no tool's may be any text.
    let known = task.tool.as_ref().ok().map(|tool| tool.spec().name.as_str());
    tracing::info!(tool = known, ?outcome, "a tool was called");
    // The model's provider is outside as well.
    let text = bearings.core.ports.masker.mask(&shortened(text, MOST_READ)).into_owned();
    let (id, name) = (task.call.id.clone(), bearings.core.ports.masker.name(&task.call.name).into_owned());
    (ToolResult { id, name, text: shortened(text, MOST_TOLD), outcome }, fate)
}

/// Makes a call as far as it may go.
async fn try_to(bearings: Bearings<'_>, task: &Task<'_>, tool: &dyn Tool) -> (Result<String, String>, Fate) {
    let arguments = if task.call.arguments.trim().is_empty() { "{}" } else { &task.call.arguments };
    let danger = tool.danger(arguments);
    let granted = match danger {
        Danger::Harmless => Ok(Grant::Confined),
        Danger::Dangerous => approval::grant(bearings, &task.bubble, arguments).await,
    };
    match granted {
        Ok(grant) => {
            let made = contained(bearings, tool, arguments, grant).await;
            let fate = if made.is_ok() { Fate::Done(danger) } else { Fate::Failed(danger) };
            (made, fate)
        }
        Err(why) => (Err(why), Fate::NotMade),
    }
}

/// Makes a call within its time. A tool that breaks breaks nothing else.
///
/// # Errors
/// It came to nothing; the words tell the model why.
async fn contained(
    bearings: Bearings<'_>,
    tool: &dyn Tool,
    arguments: &str,
    grant: Grant,
) -> Result<String, String> {
    let Bearings { core, pending, .. } = bearings;
    let name = &tool.spec().name;
    let errand = Errand {
        agent: pending.route.agent.id.clone(),
        session: pending.route.key.clone(),
        kind: pending.inbound.place.kind,
        grant,
    };
    let limit = tool.limit(arguments);
    // A tool has nothing of ours that its panic could leave half done.
    let work = AssertUnwindSafe(tool.call(arguments, &errand)).catch_unwind();
    match within(&*core.ports.clock, limit, work).await {
        Ok(Ok(Ok(text))) => Ok(text),
        Ok(Ok(Err(fault))) => {
            let cause = core.ports.masker.mask(&fault.log);
            tracing::warn!(tool = name, %cause, "a tool came to nothing");
            Err(fault.model)
        }
        Ok(Err(_)) => {
            tracing::error!(tool = name, "a tool broke");
            Err(format!("{name} broke over this call. Do something else."))
        }
        Err(_) => {
            tracing::warn!(tool = name, ?limit, "a tool took too long");
            let seconds = limit.as_secs();
            Err(format!("{name} was ended: it had not come to an end after {seconds} s."))
        }
    }
}

/// The head and the tail of a text that is longer than `most` bytes, with what is missing told between them.
pub(crate) fn shortened(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let (head, tail) =
        (text.floor_char_boundary(most / 4 * 3), text.ceil_char_boundary(text.len() - most / 4));
    let (Some(first), Some(last)) = (text.get(..head), text.get(tail..)) else { return String::new() };
    format!("{first}\n[… {} bytes are left out here …]\n{last}", tail - head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_result_keeps_its_head_and_its_tail() {
        assert_eq!(shortened("abcdefgh".to_owned(), 8), "abcdefgh");
        assert_eq!(shortened("abcdefghi".to_owned(), 8), "abcdef\n[… 1 bytes are left out here …]\nhi");
        let cut = shortened("ä".repeat(MOST_TOLD), MOST_TOLD);
        assert!(cut.starts_with('ä') && cut.ends_with('ä') && cut.len() < MOST_TOLD + 100);
    }
}
