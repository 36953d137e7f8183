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

#[cfg(test)]
mod tests {
    use pensive_config::{Sources, load};

    use super::*;
    use crate::house::masker;

    fn config(text: &str, variables: &[(&str, &str)]) -> Config {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("pensive.json5"), text).unwrap();
        let env = [("HOME", "/u")].iter().chain(variables).copied().collect();
        load(Sources { file: None, home: Some(home.path().to_owned()), env }).unwrap()
    }

    const FILE: &str = "{ web: { allowPrivate: true, search: { engine: 'brave', apiKey: { env: 'SEARCH' } } }, agents: { defaults: {
        workspace: '/w', tools: { allow: ['*'], exec: { unconfined: true, timeoutSeconds: 7 } },
        mcp: { servers: { notes: { command: 'n', args: ['-r'], env: { A: { env: 'NOTES' } } },
                          web: { url: 'http://127.0.0.1:9/mcp', headers: { 'X-Key': 'header-secret' } } } } },
        entries: { main: {}, ops: { workspace: '/o', tools: {} } } } }";

    #[test]
    fn each_agent_gets_what_the_file_says() {
        let given = [
            ("SEARCH", "search-secret"),
            ("NOTES", "notes-secret"),
            ("TZ", "Europe/Rome"),
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("OPENAI_API_KEY", "key-secret"),
        ];
        let (settings, trouble) = tools(&config(FILE, &given));
        assert_eq!(trouble, [""; 0]);
        let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let open = [("HOME", "/u"), ("LC_ALL", "C"), ("PATH", "/bin"), ("TZ", "Europe/Rome")];
        assert_eq!(settings.environment, pairs(&open));
        assert_eq!(settings.web.reach, Reach::Anywhere);
        let Some(SearchEngine::Brave { url: None, key }) = &settings.web.search else {
            panic!("{settings:?}")
        };
        assert_eq!(key.expose(), "search-secret");
        let main = &settings.agents[&"main".into()];
        assert_eq!((main.exec.without_sandbox, main.exec.limit.as_secs()), (WithoutSandbox::Run, 7));
        assert_eq!((main.exec.zone.as_deref(), main.workspace.to_str()), (Some("Europe/Rome"), Some("/w")));
        let McpServer::Program { command, args, env } = &main.servers["notes"] else { panic!("{main:?}") };
        assert_eq!((command.as_str(), args.as_slice()), ("n", ["-r".to_owned()].as_slice()));
        assert_eq!(env[0].1.expose(), "notes-secret");
        let McpServer::Url { url, headers } = &main.servers["web"] else { panic!("{main:?}") };
        assert_eq!((url.as_str(), headers[0].1.expose()), ("http://127.0.0.1:9/mcp", "header-secret"));
        let ops = &settings.agents[&"ops".into()];
        assert_eq!((ops.workspace.to_str(), ops.servers.len()), (Some("/o"), 2));
    }

    #[test]
    fn a_secret_that_is_missing_is_told_once_and_costs_what_needs_it() {
        let (settings, trouble) = tools(&config(FILE, &[("NOTES", "notes-secret")]));
        assert!(trouble.len() == 1 && trouble[0].contains("SEARCH is not set"), "{trouble:?}");
        assert!(settings.web.search.is_none() && settings.agents[&"main".into()].servers.len() == 2);
        let (_, trouble) = tools(&config(FILE, &[("SEARCH", "search-secret")]));
        assert!(
            trouble.iter().all(|words| words.contains("NOTES is not set")) && !trouble.is_empty(),
            "{trouble:?}"
        );
    }

    #[test]
    fn tool_07_the_masker_knows_the_secrets_of_tools() {
        let masker = masker(&config(FILE, &[("SEARCH", "search-secret"), ("NOTES", "notes-secret")]));
        let told = masker.mask("search-secret and notes-secret and header-secret");
        assert_eq!(told, "••• and ••• and •••");
    }
}
