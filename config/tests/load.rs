//! What a person who writes a configuration sees: what is taken over, what holds without it, and every fault with its line.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use pensive_config::{
    Api, Config, DefaultModel, DirectPolicy, Environment, GroupPolicy, HeartbeatTarget, McpServer, Sources,
    load,
};
use pensive_directives::{Fast, Level, QueueMode, Verbose};

const HOUSE: &str = r#"
{
  agents: {
    defaults: {
      model: { primary: "openai/gpt-5.6-sol", fallbacks: ["anthropic/claude-sonnet-5"] },
      workspace: "~/pensive",
      thinkingDefault: "medium", fastModeDefault: "auto", verboseDefault: "off", reasoningDefault: "off",
      toolProgressDetail: "explain",
      maxConcurrent: 16,
      tools: { allow: ["read", "web_fetch"], deny: [], exec: { unconfined: false, timeoutSeconds: 120 } },     // nothing is allowed by default
      mcp: { servers: { notes: { command: "notes-mcp", args: [] }, web: { url: "http://127.0.0.1:9000/mcp" } } },
      models: { "openai/gpt-5.6-sol": { alias: "sol", params: { thinking: "high", fastMode: "auto", fastAutoOnSeconds: 60, serviceTier: null, temperature: null } } },
      heartbeat: { every: "30m", target: "last", activeHours: { start: "08:00", end: "22:00", timezone: "Europe/Rome" }, includeReasoning: false },
    },
    entries: { main: { default: true }, ops: { thinkingDefault: "high", heartbeat: { every: "10m" } } },   // agents.list: [{ id, … }] is accepted too
  },
  bindings: [{ agent: "ops", match: { channel: "telegram", peer: { kind: "group", id: "-1001234567890" } } }],
  channels: {
    telegram: { botToken: { env: "TELEGRAM_BOT_TOKEN" }, dmPolicy: "pairing", allowFrom: [], groups: { "*": { requireMention: true } }, streaming: "partial", richMessages: "auto" /* on, off */,
      apiRoot: "https://api.telegram.org" /* another Bot API server */, accounts: { /* more bots: id → the same keys */ } },
    discord: { token: { file: "/run/secrets/discord" }, guilds: { }, apiRoot: "https://discord.com" /* another server with Discord's API */ },
    web: { bind: "127.0.0.1:7878" },
  },
  models: { providers: { local: { baseUrl: "http://127.0.0.1:8000/v1", api: "openai-completions", apiKey: { env: "LOCAL_KEY" },
    models: [{ id: "qwen3", reasoning: true, contextWindow: 32768, maxTokens: 8192, compat: { supportedReasoningEfforts: ["low", "high", "xhigh"], thinkingFormat: "openai" } }] } } },
  session: { dmScope: "per-channel-peer", reset: { idleMinutes: 1440 } },
  commands: { ownerAllowFrom: ["telegram:1111"], allowFrom: { "*": [], telegram: ["1111", "2222"] } /* absent: the channel's own policy */ },
  messages: { inbound: { debounceMs: 0 }, queue: { mode: "steer" }, responsePrefix: "" },
  limits: { perSender: { perMinute: 20, burst: 5 } },
  storage: { path: "~/.local/share/pensive" },
}
"#;

fn loaded(text: &str, variables: &[(&str, &str)]) -> Result<Config, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pensive.json5");
    std::fs::write(&file, text).unwrap();
    let env: Environment = [("HOME", "/u")].iter().chain(variables).copied().collect();
    let place = format!("{}/", folder.path().display());
    load(Sources { file: Some(file), home: None, env })
        .map_err(|faults| faults.to_string().replace(&place, ""))
}

fn without_file(variables: &[(&str, &str)]) -> Config {
    let folder = tempfile::tempdir().unwrap();
    let home = Some(folder.path().to_owned());
    load(Sources { file: None, home, env: variables.iter().copied().collect() }).unwrap()
}

/// The faults of one line that stands in the file by itself.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let faults = loaded(text, &[]).map(|_| ()).err().unwrap_or_default();
    let expected: Vec<String> = expected.iter().map(|line| format!("pensive.json5:{line}")).collect();
    assert_eq!(faults.lines().collect::<Vec<_>>(), expected, "{text}");
}

#[test]
fn the_house_example_loads() {
    let config = loaded(HOUSE, &[("TELEGRAM_BOT_TOKEN", "1:a"), ("OPENAI_API_KEY", "sk")]).unwrap();
    assert_eq!(config.agents.len(), 2);
    let (main, ops) = (&config.agents[0], &config.agents[1]);
    assert_eq!((main.id.as_str(), main.model.to_string().as_str()), ("main", "openai/gpt-5.6-sol"));
    assert_eq!(
        main.fallbacks.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["anthropic/claude-sonnet-5"]
    );
    assert_eq!((main.workspace.as_path(), main.prompt.as_str()), (Path::new("/u/pensive"), ""));
    assert_eq!((main.defaults.think, ops.defaults.think), (None, Some(Level::High)));
    assert_eq!((config.defaults.think, config.defaults.fast), (Some(Level::Medium), Some(Fast::Auto)));
    assert_eq!(config.models[0].alias.as_deref(), Some("sol"));
    assert_eq!(config.models[0].params.think, Some(Level::High));
    assert_eq!(
        config.models.iter().map(|choice| choice.model.id.as_str()).collect::<Vec<_>>(),
        ["gpt-5.6-sol", "claude-sonnet-5", "qwen3"]
    );
    assert!(main.heartbeat.is_none(), "only agents with a block of their own beat");
    let beat = ops.heartbeat.as_ref().unwrap();
    assert_eq!((beat.every, &beat.target), (Duration::from_secs(600), &HeartbeatTarget::Last));
    let hours = beat.active_hours.as_ref().unwrap();
    assert_eq!(
        (hours.start_minute, hours.end_minute, hours.timezone.as_deref()),
        (480, 1320, Some("Europe/Rome"))
    );
    assert!(matches!(&main.mcp["notes"], McpServer::Program { command, .. } if command == "notes-mcp"));
    assert_eq!(config.bindings[0].peer.as_ref().unwrap().id, "-1001234567890");
    assert_eq!((config.telegram.len(), config.discord.len()), (1, 1));
    assert_eq!(config.telegram[0].token.read().unwrap().expose(), "1:a");
    assert_eq!(config.telegram[0].door.direct, DirectPolicy::Pairing);
    assert_eq!(config.owners, ["telegram:1111"]);
    assert_eq!(config.command_senders.as_ref().unwrap()["telegram"], ["1111", "2222"]);
    assert_eq!(config.session.idle, Some(Duration::from_secs(86_400)));
    assert_eq!(config.messages.queue, QueueMode::Steer);
    assert_eq!(config.folders.data, PathBuf::from("/u/.local/share/pensive"));
    let row = &config.providers[0].models[0];
    assert_eq!(row.supported_efforts, Some(vec![Level::Low, Level::High, Level::Xhigh]));
}

#[test]
fn the_examples_load() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for name in ["pensive.json5", "telegram.json5"] {
        let text = std::fs::read_to_string(examples.join(name)).unwrap();
        let config = loaded(&text, &[]).unwrap_or_else(|faults| panic!("{name}: {faults}"));
        assert_eq!(config.telegram[0].door.direct, DirectPolicy::Allowlist, "{name}");
    }
}

#[test]
fn the_example_shows_every_key() {
    let example = include_str!("../examples/pensive.json5");
    let schema = pensive_config::schema();
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let definitions = schema["$defs"].as_object().unwrap().values().chain([&schema]);
    for name in
        definitions.filter_map(|definition| definition["properties"].as_object()).flat_map(|keys| keys.keys())
    {
        assert!(example.contains(&format!("{name}:")), "{name}");
    }
}

#[test]
fn without_a_file_the_defaults_hold() {
    let config = without_file(&[]);
    assert_eq!(config.file, None);
    assert_eq!((config.agents.len(), config.agents[0].id.as_str()), (1, "main"));
    assert_eq!(config.agents[0].model.to_string(), "rehearsal/echo");
    assert_eq!(config.default_model, DefaultModel::Rehearsal);
    assert_eq!(
        config.providers.iter().map(|provider| provider.name.as_str()).collect::<Vec<_>>(),
        ["rehearsal"]
    );
    assert!(config.telegram.is_empty() && config.discord.is_empty() && config.agents[0].heartbeat.is_none());
    assert_eq!(config.web.bind, "127.0.0.1:7878".parse().ok());
    assert_eq!(config.rate.map(|rate| (rate.per_minute, rate.burst)), Some((20, 5)));
    assert_eq!(config.max_concurrent, 16);
    assert!(config.folders.data.ends_with("data") && config.folders.home.join("data") == config.folders.data);
}

#[test]
fn the_environment_turns_channels_and_providers_on() {
    let config =
        without_file(&[("TELEGRAM_BOT_TOKEN", "1:a"), ("DISCORD_BOT_TOKEN", ""), ("GEMINI_API_KEY", "g")]);
    assert_eq!(config.telegram[0].account.to_string(), "telegram/default");
    assert_eq!(config.telegram[0].door.direct, DirectPolicy::Pairing);
    assert!(
        config.telegram[0].door.allow_from.is_empty()
            && config.telegram[0].door.group == GroupPolicy::Allowlist
    );
    assert!(config.discord.is_empty(), "an empty variable is none");
    for (variables, model, variable) in [
        (&["OPENAI_API_KEY", "ANTHROPIC_API_KEY"][..], "openai/gpt-5.6-sol", "OPENAI_API_KEY"),
        (&["DEEPSEEK_API_KEY", "ANTHROPIC_API_KEY"][..], "anthropic/claude-sonnet-5", "ANTHROPIC_API_KEY"),
        (&["OPENROUTER_API_KEY", "DEEPSEEK_API_KEY"][..], "openrouter/openrouter/auto", "OPENROUTER_API_KEY"),
        (&["XAI_API_KEY", "DEEPSEEK_API_KEY"][..], "deepseek/deepseek-v4-pro", "DEEPSEEK_API_KEY"),
    ] {
        let variables: Vec<(&str, &str)> = variables.iter().map(|name| (*name, "key")).collect();
        let config = without_file(&variables);
        assert_eq!(config.agents[0].model.to_string(), model);
        assert_eq!(config.default_model, DefaultModel::Key(variable));
        assert_eq!((config.providers.len(), config.models.len()), (2, 2), "both can be picked");
    }
}

#[test]
fn openai_base_url_is_honoured() {
    let moved = [("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1/")];
    let openai = &without_file(&moved).providers[0];
    assert_eq!(
        (openai.base_url.as_deref(), openai.api),
        (Some("http://127.0.0.1:9/v1"), Api::OpenaiCompletions)
    );
    let written =
        loaded("{ models: { providers: { openai: { baseUrl: 'https://a.example/v1' } } } }", &moved).unwrap();
    let openai = &written.providers[0];
    assert_eq!(
        (openai.base_url.as_deref(), openai.api),
        (Some("https://a.example/v1"), Api::OpenaiResponses)
    );
}

#[test]
fn a_base_url_that_is_none_is_not_passed_over() {
    let sources = |variables: &[(&str, &str)]| Sources {
        env: variables.iter().copied().collect(),
        ..Sources::default()
    };
    let wrong = sources(&[
        ("PENSIVE_HOME", "/nowhere"),
        ("OPENAI_API_KEY", "k"),
        ("OPENAI_BASE_URL", "localhost:8000"),
    ]);
    assert_eq!(
        load(wrong).unwrap_err().to_string(),
        "/nowhere/pensive.json5: the environment variable OPENAI_BASE_URL must be an address that begins with http:// or \
         https://, not \"localhost:8000\""
    );
}

#[test]
fn a_file_of_some_other_kind_is_told_briefly() {
    let keys: String = (0..100_000).map(|number| format!("k{number}: 1,")).collect();
    let faults = loaded(&format!("{{ {keys} }}"), &[]).unwrap_err();
    assert_eq!(faults.lines().count(), 200);
    let agents: String = (0..5_000).map(|number| format!("k{number}:{{}},")).collect();
    assert_eq!(
        loaded(&format!("{{ agents: {{ entries: {{ {agents} }} }} }}"), &[]).unwrap().agents.len(),
        5_000
    );
}

#[test]
fn agents_that_all_name_a_model_need_no_other() {
    let text = "{ agents: { entries: { a: { model: 'openai/x' }, b: { model: 'openai/y' } } } }";
    let config = loaded(text, &[]).unwrap();
    assert_eq!(config.default_model, DefaultModel::Configured);
    assert_eq!(
        config.providers.iter().map(|provider| provider.name.as_str()).collect::<Vec<_>>(),
        ["openai"]
    );
    assert_eq!(config.models.len(), 2);
}

#[test]
fn agents_take_over_what_they_do_not_say() {
    let text = "{ agents: {
        defaults: { model: { primary: 'openai/a', fallbacks: ['openai/b'] }, prompt: 'p', workspace: 'w' },
        list: [{ id: 1, model: 'openai/b' }, { id: 'two', default: true, prompt: '', verboseDefault: true }],
    } }";
    let config = loaded(text, &[]).unwrap();
    let (two, one) = (&config.agents[0], &config.agents[1]);
    assert_eq!((two.id.as_str(), one.id.as_str()), ("two", "1"), "the default agent is first");
    assert_eq!((two.prompt.as_str(), one.prompt.as_str()), ("", "p"));
    assert_eq!((two.model.id.as_str(), two.fallbacks.len()), ("a", 1));
    assert_eq!(
        (one.model.id.as_str(), one.fallbacks.len()),
        ("b", 0),
        "a model does not stand in for itself"
    );
    assert_eq!(two.defaults.verbose, Some(Verbose::On));
    assert!(one.workspace.is_absolute() && one.workspace.ends_with("w"), "relative to the file");
}

#[test]
fn accounts_take_over_what_they_do_not_say() {
    let text = "{ channels: { telegram: {
        botToken: '1:a', allowFrom: [1111, '2222'], apiRoot: 'http://127.0.0.1:1/',
        groups: { '-100': { requireMention: false, topics: { '7': { thinkingDefault: 'low' } } } },
        accounts: { second: { botToken: '2:b', dmPolicy: 'open', allowFrom: ['*'] }, third: { enabled: false } },
    } } }";
    let config = loaded(text, &[]).unwrap();
    let names: Vec<&str> = config.telegram.iter().map(|bot| bot.account.id.as_str()).collect();
    assert_eq!(names, ["default", "second"]);
    assert_eq!(config.telegram[0].door.allow_from, ["1111", "2222"]);
    assert_eq!(config.telegram[1].door.allow_from, ["*"]);
    assert_eq!(config.telegram[1].api_root, "http://127.0.0.1:1");
    let rule = &config.telegram[1].door.groups["-100"];
    assert!(!rule.require_mention && rule.bare_commands && !rule.reasoning);
    assert_eq!(rule.chat.topics["7"].defaults.think, Some(Level::Low));
}

#[test]
fn bindings_are_ordered_by_how_much_they_say() {
    let text = "{ agents: { entries: { a: {}, b: {}, c: {} } }, bindings: [
        { agent: 'a', match: { channel: 'telegram' } },
        { agent: 'b', match: { channel: 'telegram', group: -100 } },
        { agent: 'c', match: { topic: 7, group: '-100' } },
    ] }";
    let order: Vec<String> =
        loaded(text, &[]).unwrap().bindings.iter().map(|rule| rule.agent.to_string()).collect();
    assert_eq!(order, ["c", "b", "a"]);
}

#[test]
fn one_missing_token_is_told_and_stops_nothing() {
    let config =
        loaded("{ channels: { telegram: { accounts: { a: { botToken: 'x' }, b: {} } } } }", &[]).unwrap();
    assert_eq!(config.telegram[0].token.read().unwrap().expose(), "x");
    let fault = config.telegram[1].token.read().unwrap_err().to_string();
    assert!(
        fault.starts_with(
            "telegram/b has no botToken: the environment variable TELEGRAM_BOT_TOKEN is not set"
        )
    );
    assert_eq!(config.all_secrets().len(), 1);
}

#[test]
fn tool_08_no_secret_shows_in_the_settings() {
    let text = "{ channels: { telegram: { botToken: '1:hunter2' } }, models: { providers: { local: {
        baseUrl: 'http://x', apiKey: 'hunter2', headers: { A: 'hunter2' } } } } }";
    let config = loaded(text, &[("OPENAI_API_KEY", "hunter2")]).unwrap();
    assert!(config.all_secrets().len() >= 4);
    assert!(!format!("{config:?}").contains("hunter2"));
}

#[test]
fn unknown_keys_name_the_nearest() {
    check(
        "{\n  agents: {\n    defaults: { thinkingDefualt: 'high' },\n  },\n}",
        &["3:17: unknown key \"thinkingDefualt\" in agents.defaults; did you mean \"thinkingDefault\"?"],
    );
    check(
        "{ chanels: {} }",
        &["1:3: unknown key \"chanels\" at the top of the file; did you mean \"channels\"?"],
    );
    check("{ storage: { xyz: 1 } }", &["1:14: unknown key \"xyz\" in storage; allowed: path"]);
    check(
        "{ agents: { entries: { ops: { maxConcurrent: 1 } } } }",
        &[
            "1:31: unknown key \"maxConcurrent\" in agents.entries.ops; allowed: default, model, prompt, workspace, \
         thinkingDefault, fastModeDefault, verboseDefault, reasoningDefault, toolProgressDetail, tools, mcp, models, heartbeat",
        ],
    );
}

#[test]
fn wrong_types_and_values_say_what_is_allowed() {
    let agents = |inner: &str| format!("{{ agents: {{ defaults: {{ {inner} }} }} }}");
    for (inner, expected) in [
        (
            "maxConcurrent: '16'",
            "1:40: agents.defaults.maxConcurrent must be a whole number, not the text \"16\"",
        ),
        ("maxConcurrent: 0", "1:40: agents.defaults.maxConcurrent must be between 1 and 10000, not 0"),
        ("maxConcurrent: 1.5", "1:40: agents.defaults.maxConcurrent must be a whole number, not 1.5"),
        (
            "maxConcurrent: Infinity",
            "1:40: agents.defaults.maxConcurrent must be a whole number, not Infinity",
        ),
        ("maxConcurrent: 1e99", "1:40: agents.defaults.maxConcurrent must be a whole number, not 1e99"),
        (
            "thinkingDefault: 3",
            "1:42: agents.defaults.thinkingDefault must be one of off, minimal, low, medium, high, xhigh, adaptive, max, \
             ultra, not the number 3",
        ),
        (
            "toolProgressDetail: 3",
            "1:45: agents.defaults.toolProgressDetail cannot be the number 3; allowed: explain, raw",
        ),
        ("prompt: []", "1:33: agents.defaults.prompt must be a text in quotes, not a list"),
        ("model: 5", "1:32: agents.defaults.model must be a text in quotes or an object, not the number 5"),
        ("workspace: ' '", "1:36: agents.defaults.workspace must not be empty"),
        (
            "thinkingDefault: 'hgih'",
            "1:42: agents.defaults.thinkingDefault must be one of off, minimal, low, medium, high, xhigh, adaptive, max, \
             ultra, not \"hgih\"; did you mean \"high\"?",
        ),
        (
            "fastModeDefault: 'quick'",
            "1:42: agents.defaults.fastModeDefault must be one of on, off, auto, not \"quick\"",
        ),
        (
            "toolProgressDetail: 'rwa'",
            "1:45: agents.defaults.toolProgressDetail cannot be \"rwa\"; allowed: explain, raw; did you mean \"raw\"?",
        ),
        (
            "model: 'gpt-5'",
            "1:32: agents.defaults.model must be a model as \"provider/model\", like \"openai/gpt-5.6-sol\", not \"gpt-5\"",
        ),
        (
            "heartbeat: { every: 'soon' }",
            "1:45: agents.defaults.heartbeat.every must be a number and a unit (s, m, h, d), like \"30m\" or \"1h30m\"; a \
             number alone is minutes, not \"soon\"",
        ),
        (
            "heartbeat: { activeHours: { start: '8', end: '24:00', timezone: 'Europe/Roma' } }",
            "1:60: agents.defaults.heartbeat.activeHours.start must be hours and minutes from \"00:00\" to \"24:00\", not \
             \"8\"\npensive.json5:1:89: agents.defaults.heartbeat.activeHours.timezone must be an IANA name like \
             \"Europe/Rome\", or \"local\", not \"Europe/Roma\"; did you mean \"Europe/Rome\"?",
        ),
    ] {
        check(&agents(inner), &expected.split("\npensive.json5:").collect::<Vec<_>>());
    }
}

#[test]
fn names_are_looked_up() {
    let models = "openai, anthropic, google, openrouter, deepseek, groq, mistral, xai, moonshot, zai, qwen, minimax, kimi, \
                  ollama, claude-cli, codex, rehearsal";
    check(
        "{ agents: { defaults: { model: 'opanai/gpt-5' } } }",
        &[&format!(
            "1:32: agents.defaults.model names a provider that is not known: \"opanai\"; known: {models}; others go under \
         models.providers; did you mean \"openai\"?"
        )],
    );
    check(
        "{ agents: { entries: { main: {}, ops: {} } }, bindings: [{ agent: 'opps', match: {} }] }",
        &["1:67: bindings[0].agent is no agent: \"opps\"; there are: main, ops; did you mean \"ops\"?"],
    );
    check(
        "{ agents: { entries: { a: { default: true } }, list: [{ id: 'b', default: true }, { id: 'a' }] } }",
        &[
            "1:75: agents.list[0].default is a second default agent; \"a\" is one already",
            "1:83: agents.list[1] is a second agent \"a\"",
        ],
    );
    check(
        "{ models: { providers: { grok: {}, 'a/b': { baseUrl: 'x' } } } }",
        &[
            "1:32: models.providers.grok is not known by name and needs a baseUrl; did you mean \"groq\"?",
            "1:43: models.providers[\"a/b\"] needs a name without blanks and slashes",
            "1:54: models.providers[\"a/b\"].baseUrl must be an address that begins with http:// or https://, not \"x\"",
        ],
    );
    check(
        "{ agents: { defaults: { models: { sol: {}, 'openai/a': { alias: 'x' }, 'openai/b': { alias: 'X' } } } } }",
        &[
            "1:40: agents.defaults.models.sol must be named by a model as \"provider/model\", like \"openai/gpt-5.6-sol\"",
            "1:93: agents.defaults.models[\"openai/b\"].alias \"X\" is the alias of openai/a already",
        ],
    );
    check(
        "{ models: { providers: { openai: { models: [{ id: 'a', thinkingLevelMap: { hihg: null } }] } } } }",
        &[
            "1:82: models.providers.openai.models[0].thinkingLevelMap.hihg is no thinking level; allowed: one of off, minimal, \
         low, medium, high, xhigh, adaptive, max, ultra; did you mean \"high\"?",
        ],
    );
}

#[test]
fn doors_must_be_meant() {
    check(
        "{ channels: { telegram: { dmPolicy: 'open', allowFrom: ['1111'] } } }",
        &[
            "1:37: channels.telegram.dmPolicy \"open\" lets everybody in and needs \"*\" in allowFrom to say that this is meant",
        ],
    );
    check(
        "{ channels: { telegram: { dmPolicy: 'opne' } } }",
        &[
            "1:37: channels.telegram.dmPolicy cannot be \"opne\"; allowed: pairing, allowlist, open, disabled; did you mean \
         \"open\"?",
        ],
    );
    check(
        "{ channels: { telegram: { allowFrom: ['@alice', 'telegram:1111', ''] } } }",
        &[
            "1:39: channels.telegram.allowFrom[0] must be an id, not the name \"@alice\"; names can change hands",
            "1:49: channels.telegram.allowFrom[1] must be the id alone, \"1111\", not \"telegram:1111\"",
            "1:66: channels.telegram.allowFrom[2] must not be empty",
        ],
    );
    check(
        "{ commands: { ownerAllowFrom: ['1111', 'telegrm:1', 'telegram:*'], allowFrom: { tg: [] } } }",
        &[
            "1:32: commands.ownerAllowFrom[0] must be \"channel:id\", like \"telegram:1111\", not \"1111\"",
            "1:40: commands.ownerAllowFrom[1] must be \"channel:id\", like \"telegram:1111\", not \"telegrm:1\"; did you mean \
         \"telegram\"?",
            "1:53: commands.ownerAllowFrom[2] must name one person; * would be everybody",
            "1:85: commands.allowFrom.tg is no channel; allowed: *, telegram, discord, web, terminal",
        ],
    );
}

#[test]
fn secrets_are_checked_without_being_shown() {
    check(
        "{ channels: { telegram: { botToken: '' } } }",
        &["1:37: channels.telegram.botToken must not be empty"],
    );
    check(
        "{ channels: { telegram: { botToken: {} } } }",
        &["1:37: channels.telegram.botToken must have exactly one of env, file, command"],
    );
    check(
        "{ channels: { telegram: { botToken: { env: 'A', file: 'b' } } } }",
        &["1:37: channels.telegram.botToken must have exactly one of env, file, command"],
    );
    check(
        "{ channels: { telegram: { botToken: { evn: 'A' } } } }",
        &["1:39: unknown key \"evn\" in channels.telegram.botToken; did you mean \"env\"?"],
    );
    check(
        "{ channels: { telegram: { botToken: '${TOKEN}' } } }",
        &["1:37: channels.telegram.botToken is not filled in from the environment; write { env: \"TOKEN\" }"],
    );
    check(
        "{ channels: { telegram: { botToken: '1:a', accounts: { b: { botToken: '1:a' } } } } }",
        &[
            "1:71: channels.telegram.accounts.b.botToken is the token of channels.telegram too; one bot is one account",
        ],
    );
    check(
        "{ channels: { telegram: { apiRoot: 'api.telegram.org', webhookUrl: 'https://x' } } }",
        &[
            "1:36: channels.telegram.apiRoot must be an address that begins with http:// or https://, not \"api.telegram.org\"",
            "1:68: channels.telegram.webhookUrl needs webhookSecret beside it, so that nobody else can call it",
        ],
    );
}

#[test]
fn every_fault_is_told_at_once_in_the_order_of_the_file() {
    let text = "{
  bindings: [{ agent: 'main', match: [] }, { match: {} }, { agent: 'nobody', match: {} }],
  agents: { entries: { main: { default: 1 } }, entries: {} },
  limits: 7,
}";
    check(
        text,
        &[
            "2:38: bindings[0].match must be an object, not a list",
            "2:44: bindings[1] lacks \"agent\"",
            "2:68: bindings[2].agent is no agent: \"nobody\"; there are: main",
            "3:41: agents.entries.main.default must be true or false, not the number 1",
            "3:48: agents.entries is given twice",
            "4:11: limits must be an object, not the number 7",
        ],
    );
}

#[test]
fn heartbeats_need_a_place_to_go() {
    check(
        "{ agents: { defaults: { heartbeat: { target: 'telegram' } } } }",
        &["1:46: agents.defaults.heartbeat.target \"telegram\" needs to: the chat on that channel"],
    );
    let off = loaded("{ agents: { defaults: { heartbeat: { every: 0 } } } }", &[]).unwrap();
    assert!(off.agents[0].heartbeat.is_none());
    let on = loaded("{ agents: { defaults: { heartbeat: { every: 5, target: 'discord', to: 7 } } } }", &[])
        .unwrap();
    let beat = on.agents[0].heartbeat.as_ref().unwrap();
    assert_eq!((beat.every.as_secs(), beat.limit.as_secs(), beat.ack_max_chars), (300, 300, 300));
    assert!(beat.prompt.starts_with("Read HEARTBEAT.md if it exists (workspace context)."));
}

#[test]
fn files_that_are_no_configuration_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refusal = |bytes: &[u8]| {
        let file = folder.path().join("x");
        std::fs::write(&file, bytes).unwrap();
        let sources = Sources { file: Some(file), ..Sources::default() };
        load(sources)
            .map(|_| ())
            .unwrap_err()
            .to_string()
            .replace(&format!("{}/", folder.path().display()), "")
    };
    assert_eq!(
        refusal(&vec![b' '; 10 << 20]),
        "x: this file is larger than 1 MiB and cannot be a configuration"
    );
    assert_eq!(refusal(b"\x7fELF\0\xff"), "x: this file is not UTF-8 text and cannot be a configuration");
    assert_eq!(refusal(b"{}\0"), "x: this file is not UTF-8 text and cannot be a configuration");
    assert_eq!(
        refusal("[".repeat(100_000).as_bytes()),
        "x:1:513: this is nested too deep for a configuration"
    );
    assert_eq!(refusal(b"[]"), "x:1:1: the top of the file must be an object, not a list");
    assert_eq!(refusal(b"agents: {}"), "x:1:1: a text needs quotes: \"agents\"");
    let missing = Sources { file: Some(folder.path().join("none")), ..Sources::default() };
    assert!(
        load(missing)
            .unwrap_err()
            .to_string()
            .contains("none: the configuration cannot be read: No such file")
    );
    let directory = Sources { file: Some(folder.path().to_owned()), ..Sources::default() };
    assert!(load(directory).unwrap_err().to_string().contains("cannot be read: Is a directory"));
}

#[test]
fn an_empty_file_holds_the_defaults() {
    for text in ["", "{}", "// nothing\n", "{ agents: {}, channels: { telegram: null } }"] {
        assert_eq!(loaded(text, &[]).unwrap().agents[0].model.to_string(), "rehearsal/echo", "{text}");
    }
}

#[test]
fn what_accounts_share_is_told_once_and_where_it_stands() {
    let text =
        "{ channels: { telegram: { allowFrom: ['@a'], accounts: { x: {}, y: { dmPolicy: 'open' } } } } }";
    check(
        text,
        &[
            "1:39: channels.telegram.allowFrom[0] must be an id, not the name \"@a\"; names can change hands",
            "1:68: channels.telegram.accounts.y.botToken is the token of channels.telegram.accounts.x too; one bot is one account",
            "1:80: channels.telegram.accounts.y.dmPolicy \"open\" lets everybody in and needs \"*\" in allowFrom to say that this \
         is meant",
        ],
    );
    let shared = "{ agents: { defaults: { mcp: { servers: { s: {} } } }, entries: { a: {}, b: {} } } }";
    check(shared, &["1:46: agents.defaults.mcp.servers.s must have either command or url"]);
}
