//! What a configuration asks for and this version does not do. The file may say it, so that it is ready for the version that
//! does; but nobody is to wait for it in vain.

use std::fmt::Display;

use pensive_config::{Api, Config, Position, SetKey};

const TOP: &[&str] = &[""];
const AGENTS: &[&str] = &["agents.defaults.", "agents.entries.*.", "agents.list.*."];
const TELEGRAM: &[&str] = &["channels.telegram.", "channels.telegram.accounts.*."];
const BOTS: &[&str] = &[
    "channels.telegram.",
    "channels.telegram.accounts.*.",
    "channels.discord.",
    "channels.discord.accounts.*.",
];

/// Which values of a key are not served.
enum Asks {
    Always,
    /// All but these, which ask for what is done anyway.
    Unless(&'static [&'static str]),
    /// Only this one.
    With(&'static str),
}

/// A key, the blocks that it stands in, and what happens instead.
struct Gap {
    blocks: &'static [&'static str],
    key: &'static str,
    asks: Asks,
    instead: &'static str,
}

const fn gap(blocks: &'static [&'static str], key: &'static str, asks: Asks, instead: &'static str) -> Gap {
    Gap { blocks, key, asks, instead }
}

const NO: Asks = Asks::Unless(&["false"]);
const ZERO: Asks = Asks::Unless(&["0"]);
const SILENT: &str = "agents speak only when they are spoken to";
const ENDLESS: &str = "a session ends only with /new or /reset";

#[rustfmt::skip]
const GAPS: &[Gap] = &[
    gap(AGENTS, "heartbeat", Asks::Always, SILENT),
    gap(BOTS, "dmPolicy", Asks::With("pairing"), "newcomers cannot ask to be let in; list them in allowFrom"),
    gap(TELEGRAM, "webhookUrl", Asks::Always, "events are fetched by polling"),
    gap(BOTS, "heartbeat", Asks::Always, SILENT),
    gap(TOP, "channels.web.enabled", NO, "no web page is served"),
    gap(TOP, "channels.web.bind", Asks::Always, "no web page is served"),
    gap(TOP, "models.providers.*.models.*.input.*", Asks::With("video"), "videos are not given to models"),
    gap(TOP, "session.reset.idleMinutes", ZERO, ENDLESS),
    gap(TOP, "session.reset.atHour", Asks::Always, ENDLESS),
    gap(TOP, "session.reset.keepOverrides", NO, ENDLESS),
];

impl Gap {
    fn concerns(&self, key: &SetKey) -> bool {
        let here = |block: &&str| key.is(&format!("{block}{}", self.key));
        let asked = match &self.asks {
            Asks::Always => true,
            Asks::Unless(served) => !served.iter().any(|value| key.holds(value)),
            Asks::With(value) => key.holds(value),
        };
        asked && self.blocks.iter().any(here)
    }
}

/// A line for each thing that is asked for and not done, in the order of the file.
pub(crate) fn lines(config: &Config) -> Vec<String> {
    let file = config.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    let keys = config.keys.iter().filter_map(|key| {
        let Gap { instead, .. } = GAPS.iter().find(|gap| gap.concerns(key))?;
        let Position { line, column } = key.position;
        Some(format!("{file}:{line}:{column}: {key} has no effect in this version: {instead}"))
    });
    keys.chain(mute_models(config)).collect()
}

/// Models that are used and whose providers are programs that are not started yet.
fn mute_models(config: &Config) -> impl Iterator<Item = String> {
    config.agents.iter().flat_map(|agent| {
        let models = std::iter::once(&agent.model).chain(&agent.fallbacks);
        models.filter_map(|model| {
            let provider = config.providers.iter().find(|provider| provider.name == model.provider)?;
            (!spoken(provider.api)).then(|| mute(&agent.id, model))
        })
    })
}

fn mute(agent: &dyn Display, model: &dyn Display) -> String {
    format!(
        "agent {agent}: {model} cannot be used in this version, which starts no command-line agents; name another model"
    )
}

fn spoken(api: Api) -> bool {
    match api {
        Api::OpenaiResponses
        | Api::OpenaiCompletions
        | Api::AnthropicMessages
        | Api::GoogleGenerativeAi
        | Api::Ollama
        | Api::Rehearsal => true,
        Api::ClaudeCli | Api::Codex => false,
    }
}

#[cfg(test)]
mod tests {
    use pensive_config::{Sources, load};

    use super::*;

    /// The lines for a file of this text, without the file's own name.
    fn told(text: &str) -> Vec<String> {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("pensive.json5");
        std::fs::write(&file, text).unwrap();
        let env = [("HOME", "/nowhere")].into_iter().collect();
        let config = load(Sources { file: None, home: Some(home.path().to_owned()), env }).unwrap();
        let head = format!("{}:", file.display());
        lines(&config).into_iter().map(|line| line.replace(&head, "")).collect()
    }

    #[test]
    fn what_is_served_is_passed_over() {
        let text = "{ channels: { telegram: { botToken: '1:x', dmPolicy: 'allowlist', allowFrom: [1], streaming: 'off' },
            discord: { token: 'a.b.c', dmPolicy: 'disabled', guilds: { 5: {} }, streaming: 'progress', commands: 'off' },
            web: { enabled: false } }, messages: { queue: { mode: 'collect', debounceMs: 2000, cap: 5 }, responsePrefix: 'x' },
            session: { dmScope: 'main', reset: { idleMinutes: 0, atHour: null } },
            agents: { defaults: { model: 'openai/x', reasoningDefault: 'on', tools: { allow: ['*'] } } },
            bindings: [{ agent: 'main', match: { channel: 'discord', guild: 5 } }] }";
        assert_eq!(told(text), [""; 0]);
    }

    #[test]
    fn what_is_not_served_is_told_with_its_place_and_what_happens_instead() {
        let text = "{ channels: { telegram: { accounts: { a: { botToken: '1:x', dmPolicy: 'pairing' } } },
                discord: { dmPolicy: 'pairing', heartbeat: { showOk: true } } },
            agents: { list: [{ id: 'ops', tools: { allow: ['session_status', 'read'] }, model: 'claude-cli/sonnet' }] } }";
        let expected = [
            "1:61: channels.telegram.accounts.a.dmPolicy has no effect in this version: newcomers cannot ask to be let in; list them in allowFrom",
            "2:28: channels.discord.dmPolicy has no effect in this version: newcomers cannot ask to be let in; list them in allowFrom",
            "2:49: channels.discord.heartbeat has no effect in this version: agents speak only when they are spoken to",
            "agent ops: claude-cli/sonnet cannot be used in this version, which starts no command-line agents; name another model",
        ];
        assert_eq!(told(text), expected);
    }

    #[test]
    fn every_gap_is_a_key_that_there_is() {
        for gap in GAPS {
            for block in gap.blocks {
                let key = format!("{block}{}", gap.key);
                assert!(pensive_config::explain(&key).is_ok(), "{key}");
            }
        }
    }

    #[test]
    fn the_example_asks_for_every_gap_that_one_value_can_ask_for() {
        let example = include_str!("../../../config/examples/pensive.json5");
        let told = told(example).join("\n");
        for gap in GAPS.iter().filter(|gap| matches!(gap.asks, Asks::Always)) {
            let last = gap.key.rsplit('.').next().unwrap();
            assert!(told.contains(&format!("{last} has no effect")), "{}", gap.key);
        }
    }
}
