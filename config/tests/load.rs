//! What a person who writes a configuration gets: what is taken over, and what holds without it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod support;

use std::path::{Path, PathBuf};
use std::time::Duration;

use pensive_config::{
    Api, DefaultModel, DirectPolicy, GroupPolicy, HeartbeatTarget, McpServer, MentionKind, SearchEngine,
    SlashCommands,
};
use pensive_directives::{Fast, Level, QueueMode, Verbose};
use support::{check, loaded, without_file};

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
fn a_provider_of_many_regions_needs_the_address_of_one() {
    let key = [("AWS_BEARER_TOKEN_BEDROCK", "k")];
    assert_eq!(without_file(&key).default_model, DefaultModel::Rehearsal);
    let text = "{ models: { providers: { 'amazon-bedrock': {
        baseUrl: 'https://bedrock-mantle.eu-west-1.api.aws/anthropic' } } } }";
    let bedrock = &loaded(text, &key).unwrap().providers[0];
    assert_eq!(bedrock.api, Api::AnthropicMessages);
    assert_eq!(bedrock.api_key.as_ref().unwrap().read().unwrap().expose(), "k");
    let faults =
        loaded("{ agents: { defaults: { model: 'amazon-bedrock/anthropic.claude-sonnet-5' } } }", &key);
    assert!(faults.unwrap_err().contains("models.providers.amazon-bedrock needs the baseUrl of its region"));
}

#[test]
fn a_vendor_that_is_set_up_can_be_picked_though_no_model_of_it_is_named() {
    let text = "{ agents: { defaults: { model: 'anthropic/claude-sonnet-5' } }, models: { providers: {
        anthropic: { apiKey: 'k' }, deepseek: { apiKey: 'k' }, ollama: {}, zai: { models: [{ id: 'z' }] } } } }";
    let config = loaded(text, &[("XAI_API_KEY", "k")]).unwrap();
    assert_eq!(
        config.models.iter().map(|choice| choice.model.to_string()).collect::<Vec<_>>(),
        ["anthropic/claude-sonnet-5", "zai/z", "deepseek/deepseek-v4-pro"]
    );
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
fn an_empty_file_holds_the_defaults() {
    for text in ["", "{}", "// nothing\n", "{ agents: {}, channels: { telegram: null } }"] {
        assert_eq!(loaded(text, &[]).unwrap().agents[0].model.to_string(), "rehearsal/echo", "{text}");
    }
}

#[test]
fn nobody_searches_and_no_private_page_is_read_unless_the_file_says_so() {
    let web = |text: &str, variables: &[(&str, &str)]| loaded(text, variables).unwrap().web_tools;
    let without = web("{}", &[]);
    assert!(!without.allow_private && without.search.is_none());
    let own =
        web("{ web: { allowPrivate: true, search: { engine: 'searxng', url: 'http://127.0.0.1:1' } } }", &[]);
    assert!(own.allow_private);
    assert!(matches!(own.search, Some(SearchEngine::Searxng { url }) if url == "http://127.0.0.1:1"));
    let brave = web("{ web: { search: { engine: 'brave' } } }", &[("BRAVE_API_KEY", "k")]);
    let Some(SearchEngine::Brave { url: None, key }) = brave.search else { panic!("{brave:?}") };
    assert_eq!(key.read().unwrap().expose(), "k");
}

#[test]
fn programs_of_others_find_no_secret_in_their_environment() {
    let config =
        loaded("{}", &[("PATH", "/bin"), ("LC_ALL", "C"), ("OPENAI_API_KEY", "k"), ("AWS_SECRET", "s")])
            .unwrap();
    let names: Vec<&str> = config.surroundings.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["HOME", "LC_ALL", "PATH"]);
}

#[test]
fn a_discord_account_says_what_it_wants_over_the_block_around_it() {
    let text = "{ channels: { discord: {
        token: 'a.b.c', allowFrom: [80351110224678912, 'role:165511591545143296'], allowedMentions: ['users'], allowBots: true,
        guilds: { '41771983423143937': { channels: { '81384788765712384': { requireMention: false } } } },
        accounts: { ops: { token: 'd.e.f', commands: [41771983423143937], shards: 2, allowedMentions: [], linkPreviews: true } },
    } } }";
    let config = loaded(text, &[]).unwrap();
    let [main, ops] = &config.discord[..] else { panic!("{:?}", config.discord) };
    assert_eq!(main.door.allow_from, ["80351110224678912", "role:165511591545143296"]);
    assert_eq!(ops.door.allow_from, main.door.allow_from);
    let channel = &ops.guilds["41771983423143937"].chat.topics["81384788765712384"];
    assert_eq!(channel.require_mention, Some(false));
    assert_eq!((&main.allowed_mentions[..], &ops.allowed_mentions[..]), (&[MentionKind::Users][..], &[][..]));
    assert_eq!((main.link_previews, ops.link_previews), (false, true));
    assert_eq!((main.allow_bots, ops.allow_bots), (true, true));
    assert_eq!((main.shards, ops.shards), (None, Some(2)));
    assert_eq!(main.commands, SlashCommands::Global);
    assert_eq!(ops.commands, SlashCommands::Guilds(vec!["41771983423143937".to_owned()]));
    let off = loaded("{ channels: { discord: { commands: 'off' } } }", &[]).unwrap();
    assert_eq!(off.discord[0].commands, SlashCommands::Off);
}

#[test]
fn the_examples_of_first_bots_are_right() {
    for (name, text) in [
        ("telegram", include_str!("../examples/telegram.json5")),
        ("discord", include_str!("../examples/discord.json5")),
    ] {
        let config = loaded(text, &[]).unwrap();
        assert_eq!(config.telegram.len() + config.discord.len(), 1, "{name}");
        assert_eq!(config.owners.len(), 1, "{name}");
    }
}
