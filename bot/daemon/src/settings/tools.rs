//! The tools' settings from the configuration, with the secrets read.

use pensive_config::{self as config, Config, SecretFault, SecretSource};
use pensive_contract::secret::Secret;
use pensive_tools::settings::{ExecSettings, McpServer, Reach, SearchEngine, WebSettings, WithoutSandbox};
use pensive_tools::{AgentTools, ToolSettings};

/// The settings, and a word on each secret that could not be read: what needs it goes without and says so when it is used.
/// Blocks on the secrets' places.
pub(crate) fn tools(config: &Config) -> (ToolSettings, Vec<String>) {
    let mut trouble = Vec::new();
    let mut read = |source: &SecretSource| {
        let tell = |fault: SecretFault| {
            let words = fault.to_string();
            // Agents may share a server.
            if !trouble.contains(&words) {
                trouble.push(words);
            }
        };
        source.read().map_err(tell).ok()
    };
    let zone = config.surroundings.iter().find(|(name, _)| name == "TZ").map(|(_, zone)| zone.clone());
    let agents = config.agents.iter().map(|own| (own.id.clone(), agent(own, zone.as_deref(), &mut read)));
    let settings = ToolSettings {
        agents: agents.collect(),
        web: web(&config.web_tools, &mut read),
        environment: config.surroundings.clone(),
    };
    (settings, trouble)
}

/// Reads a secret, where it is there.
type Reader<'a> = &'a mut dyn FnMut(&SecretSource) -> Option<Secret>;

fn agent(agent: &config::Agent, zone: Option<&str>, read: Reader<'_>) -> AgentTools {
    let exec = ExecSettings {
        without_sandbox: if agent.tools.unconfined { WithoutSandbox::Run } else { WithoutSandbox::Refuse },
        limit: agent.tools.exec_limit,
        zone: zone.map(str::to_owned),
        ..ExecSettings::default()
    };
    let servers = agent.mcp.iter().filter_map(|(name, own)| Some((name.clone(), server(own, read)?)));
    AgentTools { exec, servers: servers.collect(), ..AgentTools::new(agent.workspace.clone()) }
}

/// Nothing for an address that is none; the check of the file has told of it.
fn server(server: &config::McpServer, read: Reader<'_>) -> Option<McpServer> {
    Some(match server {
        config::McpServer::Program { command, args, env } => {
            McpServer::Program { command: command.clone(), args: args.clone(), env: secrets(env, read) }
        }
        config::McpServer::Url { url, headers } => {
            McpServer::Url { url: url.parse().ok()?, headers: secrets(headers, read) }
        }
    })
}

fn secrets(named: &[(String, SecretSource)], read: Reader<'_>) -> Vec<(String, Secret)> {
    named.iter().filter_map(|(name, source)| Some((name.clone(), read(source)?))).collect()
}

/// Without a key nobody searches.
fn web(web: &config::WebTools, read: Reader<'_>) -> WebSettings {
    let search = match &web.search {
        None => None,
        Some(config::SearchEngine::Searxng { url }) => {
            url.parse().ok().map(|url| SearchEngine::Searxng { url })
        }
        Some(config::SearchEngine::Brave { url, key }) => read(key)
            .map(|key| SearchEngine::Brave { url: url.as_deref().and_then(|url| url.parse().ok()), key }),
    };
    WebSettings { reach: if web.allow_private { Reach::Anywhere } else { Reach::Public }, search }
}
