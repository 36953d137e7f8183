//! `pensive config`: checks the file, prints its schema, explains its keys.

use pensive_config::{Config, ConfigFaults, Explanation, McpServer, SearchEngine};
use serde::Serialize;

use super::{catalogue, load, print, print_json};
use crate::arguments::{Common, ConfigVerb};
use crate::doubts;
use crate::equipment;
use crate::exit::Failure;
use crate::unserved;

pub(super) fn config(common: &Common, asked: &ConfigVerb) -> Result<(), Failure> {
    match asked {
        ConfigVerb::Check { json } => check(common, *json),
        ConfigVerb::Schema => print(&pensive_config::schema()),
        ConfigVerb::Explain { key, json } => {
            let explanation = pensive_config::explain(key)?;
            if *json { print_json(&Explained::of(&explanation)) } else { print(&explanation.to_string()) }
        }
    }
}

/// What `check --json` prints.
#[derive(Serialize)]
struct Checked {
    file: Option<String>,
    ok: bool,
    faults: Vec<Fault>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Fault {
    line: Option<usize>,
    column: Option<usize>,
    message: String,
}

fn check(common: &Common, json: bool) -> Result<(), Failure> {
    match load(common) {
        Ok(setting) => tell_good(&setting.config, json),
        Err(Failure::Config(faults)) => {
            if json {
                print_json(&wrong(&faults))?;
            }
            Err(faults.into())
        }
        Err(other) => Err(other),
    }
}

fn tell_good(config: &Config, json: bool) -> Result<(), Failure> {
    let warnings = warnings(config)?;
    let file = config.file.as_ref().map(|file| file.display().to_string());
    if json {
        return print_json(&Checked { file, ok: true, faults: Vec::new(), warnings });
    }
    let mut text = match file {
        Some(file) => format!("{file}: no faults\n"),
        None => "no configuration file: the defaults hold\n".to_owned(),
    };
    for warning in warnings {
        text.push_str(&format!("warning: {warning}\n"));
    }
    print(&text)
}

/// What is right as a file and will not work as it may be meant.
pub(super) fn warnings(config: &Config) -> Result<Vec<String>, Failure> {
    let mut warnings = missing_secrets(config);
    warnings.extend(unserved::lines(config));
    warnings.extend(doubts::lines(config, &catalogue(config)?));
    warnings.extend(equipment::doubts(config, pensive_tools::sandbox));
    Ok(warnings)
}

/// A file may be right while what it points at is not there; the daemon starts all the same, without that account.
fn missing_secrets(config: &Config) -> Vec<String> {
    let tokens = config.telegram.iter().map(|telegram| &telegram.token);
    let tokens = tokens.chain(config.discord.iter().map(|discord| &discord.token));
    let keys = config.providers.iter().filter_map(|provider| provider.api_key.as_ref());
    let servers = config.agents.iter().flat_map(|agent| agent.mcp.values()).flat_map(|server| match server {
        McpServer::Program { env: named, .. } | McpServer::Url { headers: named, .. } => named,
    });
    let search = config.web_tools.search.iter().filter_map(|engine| match engine {
        SearchEngine::Searxng { .. } => None,
        SearchEngine::Brave { key, .. } => Some(key),
    });
    let all = tokens.chain(keys).chain(servers.map(|(_, source)| source)).chain(search);
    let mut told = Vec::new();
    for fault in all.filter_map(|source| source.read().err()).map(|fault| fault.to_string()) {
        // Agents may share a server.
        if !told.contains(&fault) {
            told.push(fault);
        }
    }
    told
}

fn wrong(faults: &ConfigFaults) -> Checked {
    let list = faults.faults.iter().map(|fault| Fault {
        line: fault.position.map(|position| position.line),
        column: fault.position.map(|position| position.column),
        message: fault.message.clone(),
    });
    Checked {
        file: Some(faults.file.display().to_string()),
        ok: false,
        faults: list.collect(),
        warnings: Vec::new(),
    }
}

/// What `explain --json` prints.
#[derive(Serialize)]
struct Explained<'a> {
    key: &'a str,
    about: &'a str,
    kind: &'a str,
    default: Option<&'a str>,
    allowed: Vec<Word<'a>>,
    keys: Vec<Word<'a>>,
}

#[derive(Serialize)]
struct Word<'a> {
    word: &'a str,
    about: &'a str,
}

impl<'a> Explained<'a> {
    fn of(explanation: &'a Explanation) -> Self {
        Self {
            key: &explanation.key,
            about: &explanation.about,
            kind: &explanation.kind,
            default: explanation.default.as_deref(),
            allowed: words(&explanation.allowed),
            keys: words(&explanation.keys),
        }
    }
}

fn words(rows: &[(String, String)]) -> Vec<Word<'_>> {
    rows.iter().map(|(word, about)| Word { word, about }).collect()
}
