//! What agents may do beside speaking: said at the start, and what of it cannot work as the file has it.

use std::collections::BTreeSet;
use std::path::Path;

use pensive_config::{Agent, Config, Position, SetKey, nearest_names};

/// The tools that runs have of their own.
const ENGINES: &[&str] = &["message", "session_status", "sessions_spawn"];

/// Tools that need the workspace.
const FILES: &[&str] = &["edit", "exec", "memory_get", "memory_search", "memory_write", "read", "write"];

/// The lists that name tools.
const LISTS: &[&str] = &["agents.defaults.tools.", "agents.entries.*.tools.", "agents.list.*.tools."];

/// The folders that are named.
const WORKSPACES: &[&str] =
    &["agents.defaults.workspace", "agents.entries.*.workspace", "agents.list.*.workspace"];

/// A line for each agent that has tools.
pub(crate) fn lines(config: &Config) -> Vec<String> {
    let several = config.agents.len() > 1;
    let told = config.agents.iter().filter_map(|agent| {
        let has =
            |name: &&str| has(agent, name) && (*name != "web_search" || config.web_tools.search.is_some());
        let mut names: Vec<&str> = known().filter(has).collect();
        names.sort_unstable();
        let servers: Vec<&str> =
            agent.mcp.keys().map(String::as_str).filter(|server| serves(agent, server)).collect();
        let own = (!names.is_empty()).then(|| names.join(", "));
        let others = (!servers.is_empty()).then(|| format!("those of {}", servers.join(", ")));
        let what: Vec<String> = own.into_iter().chain(others).collect();
        let whose = if several { format!(" of {}", agent.id) } else { String::new() };
        (!what.is_empty()).then(|| format!("tools{whose}: {}", what.join(", and ")))
    });
    told.collect()
}

/// A line for each thing that will not work, those with a place in the order of the file first. `sandbox` says why commands
/// cannot be confined here, if they cannot.
pub(crate) fn doubts(config: &Config, sandbox: impl FnOnce() -> Result<(), String>) -> Vec<String> {
    let mut doubts: Vec<String> = config.keys.iter().filter_map(|key| strange_name(config, key)).collect();
    doubts.extend(missing_folders(config));
    let agents = |name: &str| -> Vec<String> {
        config.agents.iter().filter(|agent| has(agent, name)).map(|agent| agent.id.to_string()).collect()
    };
    let searching =
        config.agents.iter().filter(|agent| agent.tools.allow.iter().any(|name| name == "web_search"));
    if config.web_tools.search.is_none() && searching.count() > 0 {
        doubts.push(format!(
            "web_search is allowed for {}, but nobody searches: set web.search",
            agents("web_search").join(", ")
        ));
    }
    let confined: Vec<&Agent> =
        config.agents.iter().filter(|agent| has(agent, "exec") && !agent.tools.unconfined).collect();
    if !confined.is_empty()
        && let Err(why) = sandbox()
    {
        let names: Vec<String> = confined.iter().map(|agent| agent.id.to_string()).collect();
        doubts.push(format!(
            "exec is allowed for {}, but this machine cannot confine commands ({why}), so each is refused; it takes Linux with \
             Landlock, or tools.exec.unconfined: true to run them unconfined",
            names.join(", ")
        ));
    }
    doubts
}

fn known() -> impl Iterator<Item = &'static str> {
    ENGINES.iter().chain(pensive_tools::NAMES).copied()
}

/// Whether a list has the name, or a beginning of it with `*`.
fn lists(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known.strip_suffix('*').map_or(known == name, |start| name.starts_with(start)))
}

fn has(agent: &Agent, name: &str) -> bool {
    lists(&agent.tools.allow, name) && !lists(&agent.tools.deny, name)
}

/// Whether any tool of a server could be allowed.
fn serves(agent: &Agent, server: &str) -> bool {
    let start = pensive_tools::server_prefix(server);
    let named = |name: &String| match name.strip_suffix('*') {
        Some(head) => head.starts_with(&start) || start.starts_with(head),
        None => name.starts_with(&start),
    };
    let closed = |name: &String| name.strip_suffix('*').is_some_and(|head| start.starts_with(head));
    agent.tools.allow.iter().any(named) && !agent.tools.deny.iter().any(closed)
}

fn place(config: &Config, key: &SetKey) -> String {
    let file = config.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    let Position { line, column } = key.position;
    format!("{file}:{line}:{column}: {key}")
}

/// A name that no tool has.
fn strange_name(config: &Config, key: &SetKey) -> Option<String> {
    let listed = |list: &str| key.is(&format!("{list}allow.*")) || key.is(&format!("{list}deny.*"));
    if !LISTS.iter().any(|list| listed(list)) {
        return None;
    }
    let names = config.agents.iter().flat_map(|agent| agent.tools.allow.iter().chain(&agent.tools.deny));
    let name = names.into_iter().find(|name| key.holds(name))?;
    let servers: BTreeSet<String> = config
        .agents
        .iter()
        .flat_map(|agent| agent.mcp.keys())
        .map(|server| pensive_tools::server_prefix(server))
        .collect();
    let start = name.strip_suffix('*');
    let of_server = servers.iter().any(|server| {
        name.starts_with(server.as_str()) || start.is_some_and(|start| server.starts_with(start))
    });
    let of_ours = known().any(|tool| start.map_or(tool == name, |start| tool.starts_with(start)));
    if of_server || of_ours {
        return None;
    }
    let near = nearest_names(name, known());
    let near = if near.is_empty() {
        format!("there are: {}; and server__tool of a tool server", known().collect::<Vec<_>>().join(", "))
    } else {
        format!("near it: {}", near.join(", "))
    };
    Some(format!("{}: there is no tool {name}; {near}", place(config, key)))
}

/// Folders that are named and not there.
fn missing_folders(config: &Config) -> Vec<String> {
    let named = config.keys.iter().any(|key| WORKSPACES.iter().any(|workspace| key.is(workspace)));
    let needs = |agent: &&Agent| named && FILES.iter().any(|name| has(agent, name));
    let folders: BTreeSet<&Path> =
        config.agents.iter().filter(needs).map(|agent| agent.workspace.as_path()).collect();
    let told = folders.into_iter().filter_map(|folder| match folder.metadata() {
        Ok(found) if found.is_dir() => None,
        Ok(_) => {
            Some(format!("workspace {} is a file; the tools that work there need a folder", folder.display()))
        }
        Err(_) => Some(format!(
            "workspace {} is not there yet; it is made when a tool first needs it",
            folder.display()
        )),
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use pensive_config::{Sources, load};

    use super::*;

    /// The configuration of this text, and what its lines say of a machine whose sandbox does that.
    fn told(text: &str, sandbox: Result<(), String>) -> (Vec<String>, Vec<String>) {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("pensive.json5");
        std::fs::write(&file, text).unwrap();
        let env = [("HOME", "/nowhere")].into_iter().collect();
        let config = load(Sources { file: None, home: Some(home.path().to_owned()), env }).unwrap();
        let head = format!("{}:", file.display());
        let doubts = doubts(&config, || sandbox);
        (lines(&config), doubts.into_iter().map(|line| line.replace(&head, "")).collect())
    }

    fn fine(text: &str) -> Vec<String> {
        let (lines, doubts) = told(text, Ok(()));
        assert_eq!(doubts, [""; 0], "{text}");
        lines
    }

    #[test]
    fn a_start_says_which_tools_there_are() {
        assert_eq!(fine("{}"), [""; 0]);
        assert_eq!(
            fine(
                "{ agents: { defaults: { tools: { allow: ['read', 'memory_*'], deny: ['memory_write'] } } } }"
            ),
            ["tools: memory_get, memory_search, read"]
        );
        let text = "{ web: { search: { engine: 'searxng', url: 'http://127.0.0.1:1' } }, agents: {
            defaults: { mcp: { servers: { notes: { command: 'x' }, 'my web': { url: 'http://127.0.0.1:2' } } } },
            entries: { a: { tools: { allow: ['web_search', 'notes__*'] } }, b: { tools: { allow: ['my_web__get'] } }, c: {},
                       d: { tools: { allow: ['*'], deny: ['exec', 'my_web__*'] } } } } }";
        assert_eq!(
            fine(text),
            [
                "tools of a: web_search, and those of notes",
                "tools of b: those of my web",
                "tools of d: edit, memory_get, memory_search, memory_write, message, read, session_status, sessions_spawn, \
                 web_fetch, web_search, write, and those of notes",
            ]
        );
    }

    #[test]
    fn what_will_not_work_is_told_with_what_to_do() {
        let check = |text: &str, sandbox: Result<(), String>, expected: &[&str]| {
            assert_eq!(told(text, sandbox).1, expected, "{text}");
        };
        check(
            "{ agents: { defaults: { tools: { allow: ['raed', 'reed__x'], deny: ['quux'] } } } }",
            Ok(()),
            &[
                "1:42: agents.defaults.tools.allow[0]: there is no tool raed; near it: read",
                "1:50: agents.defaults.tools.allow[1]: there is no tool reed__x; there are: message, session_status, \
                 sessions_spawn, edit, exec, memory_get, memory_search, memory_write, read, web_fetch, web_search, write; and \
                 server__tool of a tool server",
                "1:69: agents.defaults.tools.deny[0]: there is no tool quux; there are: message, session_status, \
                 sessions_spawn, edit, exec, memory_get, memory_search, memory_write, read, web_fetch, web_search, write; and \
                 server__tool of a tool server",
            ],
        );
        check(
            "{ agents: { defaults: { tools: { allow: ['web_search'] } } } }",
            Ok(()),
            &["web_search is allowed for main, but nobody searches: set web.search"],
        );
        let none = || Err("Landlock: none".to_owned());
        let exec = "{ agents: { defaults: { tools: { allow: ['exec'] } } } }";
        check(
            exec,
            none(),
            &[
                "exec is allowed for main, but this machine cannot confine commands (Landlock: none), so each is refused; it takes \
               Linux with Landlock, or tools.exec.unconfined: true to run them unconfined",
            ],
        );
        check(&exec.replace("'exec'] ", "'exec'], exec: { unconfined: true } "), none(), &[]);
        check(&exec.replace("exec", "read"), none(), &[]);
        check(
            "{ agents: { defaults: { workspace: '/no/such/place', tools: { allow: ['read'] } } } }",
            Ok(()),
            &["workspace /no/such/place is not there yet; it is made when a tool first needs it"],
        );
        check(
            "{ agents: { defaults: { workspace: '/dev/null', tools: { allow: ['*'], deny: ['web_*'] } } } }",
            Ok(()),
            &["workspace /dev/null is a file; the tools that work there need a folder"],
        );
        check("{ agents: { defaults: { workspace: '/no/such/place' } } }", Ok(()), &[]);
    }
}
