//! What a call is asked for, in a few words: a shape for each tool that we know, and the most telling argument of any other.

use super::arguments::{Arguments, listed};
use super::{Lens, explain, value};
use crate::settings::ToolDetail;

const PATH: &[&str] = &["path", "file_path", "file"];
const COMMAND: &[&str] = &["command", "cmd"];
/// What tells most of a call whose tool we do not know, best first.
const TELLING: &[&str] = &[
    "command", "path", "url", "query", "name", "id", "file", "key", "title", "label", "action", "task",
    "text",
];

/// The detail of a call; empty where there is nothing to tell.
pub(super) fn of(tool: &str, arguments: &Arguments<'_>, lens: Lens<'_>) -> String {
    let detail = match tool {
        "exec" | "bash" => arguments.whole(COMMAND).map(|command| exec(command, lens)),
        "read" => arguments.shown(PATH).map(|path| read(arguments, &path)),
        "write" => sized("to", arguments, &["content", "text"]),
        "edit" => sized("in", arguments, &["new", "new_text", "new_string", "newText", "content"]),
        "apply_patch" => arguments.whole(&["patch", "input"]).map(|patch| patched(patch, lens)),
        "web_search" => arguments.shown(&["query", "q"]).map(|query| search(arguments, &query)),
        "web_fetch" => arguments.shown(&["url"]).map(|url| format!("from {url}")),
        "memory_search" => arguments.shown(&["query", "q"]),
        "memory_get" => arguments.shown(PATH),
        "sessions_spawn" => told(arguments, &[&["label"], &["task"]]),
        "message" => told(arguments, &[&["action"], &["target", "to", "chat"], &["file"]]),
        "cron" => arguments.shown(&["action"]),
        "process" => arguments.shown(&["id", "session_id", "sessionId"]),
        "session_status" => None,
        _ => arguments.shown(TELLING),
    };
    detail.unwrap_or_default()
}

fn exec(command: &str, lens: Lens<'_>) -> String {
    let told = value::shown(&explain::explain(command), lens.home);
    match lens.detail {
        ToolDetail::Explain => told,
        ToolDetail::Raw => format!("{told}, {}", value::shown(command, lens.home)),
    }
}

fn read(arguments: &Arguments<'_>, path: &str) -> String {
    let from = arguments.count(&["offset", "from"]).map(|line| line.max(1));
    let limit = arguments.count(&["limit", "lines"]).filter(|lines| *lines > 0);
    match (from, limit) {
        (None, None) => format!("from {path}"),
        (Some(from), None) => format!("from line {from} of {path}"),
        (from, Some(limit)) => {
            let from = from.unwrap_or(1);
            format!("lines {from}-{} from {path}", from.saturating_add(limit - 1))
        }
    }
}

fn sized(preposition: &str, arguments: &Arguments<'_>, text: &[&str]) -> Option<String> {
    let path = arguments.shown(PATH)?;
    let chars = arguments.whole(text).map_or(0, |text| text.chars().count());
    Some(format!("{preposition} {path} ({chars} chars)"))
}

fn search(arguments: &Arguments<'_>, query: &str) -> String {
    match arguments.count(&["count", "limit", "n", "top"]) {
        Some(top) => format!("for \"{query}\" (top {top})"),
        None => format!("for \"{query}\""),
    }
}

fn told(arguments: &Arguments<'_>, what: &[&[&str]]) -> Option<String> {
    let parts: Vec<String> = what.iter().filter_map(|names| arguments.shown(names)).collect();
    Some(parts.join(", ")).filter(|text| !text.is_empty())
}

/// The files that a patch touches: its own headers, or those of a unified diff.
fn patched(patch: &str, lens: Lens<'_>) -> String {
    const HEADS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "+++ "];
    let mut files: Vec<String> = Vec::new();
    for line in patch.lines() {
        let Some(name) = HEADS.iter().find_map(|head| line.strip_prefix(head)) else { continue };
        let name = name.split('\t').next().unwrap_or(name).trim();
        let name = name.strip_prefix("b/").unwrap_or(name);
        let file = value::shown(name, lens.home);
        if file != "/dev/null" && !files.contains(&file) {
            files.push(file);
        }
    }
    listed(&files)
}
