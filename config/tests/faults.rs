//! What a person who writes a wrong configuration sees: every fault with its line and the way to put it right.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use pensive_config::{Sources, load};
use support::{check, loaded};

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
         https:// and has no #, not \"localhost:8000\""
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
                  amazon-bedrock, ollama, claude-cli, codex, rehearsal";
    check(
        "{ agents: { defaults: { model: 'opanai/gpt-5' } } }",
        &[&format!(
            "1:32: agents.defaults.model names a provider that is not known: \"opanai\"; known: {models}; others go under \
         models.providers; did you mean \"openai\"?"
        )],
    );
    check(
        "{ agents: { defaults: { model: 'gemini/gemini-3.5-flash' } } }",
        &[&format!(
            "1:32: agents.defaults.model names a provider that is not known: \"gemini\"; known: {models}; others go under \
         models.providers; did you mean \"google\"?"
        )],
    );
    check(
        "{ models: { providers: { grok: {} } } }",
        &["1:32: models.providers.grok is not known by name and needs a baseUrl; did you mean \"xai\"?"],
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
        "{ models: { providers: { grop: {}, 'a/b': { baseUrl: 'x' } } } }",
        &[
            "1:32: models.providers.grop is not known by name and needs a baseUrl; did you mean \"groq\"?",
            "1:43: models.providers[\"a/b\"] needs a name without blanks and slashes",
            "1:54: models.providers[\"a/b\"].baseUrl must be an address that begins with http:// or https:// and has no #, not \"x\"",
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
fn roles_stand_where_there_are_any_and_own_nothing() {
    check(
        "{ channels: { telegram: { groups: { '-1': { allowFrom: ['role:5'] } } } } }",
        &[
            "1:57: channels.telegram.groups.-1.allowFrom[0] is a role, \"role:5\", which only discord has; list people by id",
        ],
    );
    check(
        "{ channels: { discord: { allowFrom: ['role:5', 'role:', 'role:Mods', 'discord:5'] } } }",
        &[
            "1:48: channels.discord.allowFrom[1] must be \"role:\" and the id of a role, a number, not \"role:\"",
            "1:57: channels.discord.allowFrom[2] must be \"role:\" and the id of a role, a number, not \"role:Mods\"",
            "1:70: channels.discord.allowFrom[3] must be the id alone, \"5\", not \"discord:5\"",
        ],
    );
    check(
        "{ channels: { discord: { allowFrom: ['Alice', '*', 5] } } }",
        &[
            "1:38: channels.discord.allowFrom[0] must be the id of a person, a number, or \"role:\" and that of a role, not \"Alice\"",
        ],
    );
    check(
        "{ commands: { ownerAllowFrom: ['discord:role:5'], allowFrom: { '*': ['role:5'], telegram: ['role:6'] } } }",
        &[
            "1:32: commands.ownerAllowFrom[0] must name one person, not a role, which others can give away",
            "1:92: commands.allowFrom.telegram[0] is a role, \"role:6\", which only discord has; list people by id",
        ],
    );
}

#[test]
fn what_a_discord_bot_may_be_told() {
    let discord = |inner: &str| format!("{{ channels: {{ discord: {{ {inner} }} }} }}");
    for (inner, expected) in [
        ("alowBots: true", "1:26: unknown key \"alowBots\" in channels.discord; did you mean \"allowBots\"?"),
        (
            "allowedMentions: ['user']",
            "1:44: channels.discord.allowedMentions[0] cannot be \"user\"; allowed: users, roles, everyone, repliedUser; did \
             you mean \"users\"?",
        ),
        ("allowedMentions: true", "1:43: channels.discord.allowedMentions must be a list, not true"),
        (
            "linkPreviews: 'no'",
            "1:40: channels.discord.linkPreviews must be true or false, not the text \"no\"",
        ),
        (
            "commands: 'globl'",
            "1:36: channels.discord.commands cannot be \"globl\"; allowed: global, off; did you mean \"global\"?",
        ),
        (
            "commands: [1, '*']",
            "1:40: channels.discord.commands[1] must be the id of a guild, a number, not \"*\"; for all guilds write \
             commands: \"global\"",
        ),
        ("shards: 0", "1:34: channels.discord.shards must be between 1 and 1024, not 0"),
        ("shards: '2'", "1:34: channels.discord.shards must be a whole number, not the text \"2\""),
        (
            "guilds: { '-5': {} }",
            "1:42: channels.discord.guilds.-5 must be the id of a guild, a number; for all other guilds write \"*\"",
        ),
        (
            "guilds: { '*': { channels: { general: {} } } }",
            "1:64: channels.discord.guilds.*.channels.general must be the id of a channel or thread, a number; what holds for \
             the whole guild stands beside channels",
        ),
        (
            "guilds: { '1': { channels: { '*': {} } } }",
            "1:60: channels.discord.guilds.1.channels.* must be the id of a channel or thread, a number; what holds for the \
             whole guild stands beside channels",
        ),
        (
            "guilds: { '1': { chanels: {} } }",
            "1:43: unknown key \"chanels\" in channels.discord.guilds.1; did you mean \"channels\"?",
        ),
    ] {
        check(&discord(inner), &[expected]);
    }
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
            "1:36: channels.telegram.apiRoot must be an address that begins with http:// or https:// and has no ? or #, not \"api.telegram.org\"",
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

#[test]
fn who_searches_needs_what_its_engine_needs() {
    check(
        "{ web: { search: { engine: 'searxng' } } }",
        &["1:18: web.search needs url, the address of the SearxNG server"],
    );
    check(
        "{ web: { search: { engine: 'searxng', url: 'http://127.0.0.1:1', apiKey: 'k' } } }",
        &["1:74: web.search.apiKey is for Brave; a SearxNG server has none"],
    );
    check(
        "{ web: { alowPrivate: true } }",
        &["1:10: unknown key \"alowPrivate\" in web; did you mean \"allowPrivate\"?"],
    );
    let fault = loaded("{ web: { search: { engine: 'brav' } } }", &[]).unwrap_err();
    assert!(fault.contains("web.search.engine") && fault.contains("brave"), "{fault}");
}
