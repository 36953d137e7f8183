//! What each level of the ladder puts into the body of each row's calls: typed in a message, stored by its sender, and
//! inherited from the configuration. The bodies are those that arrive at a server; `levels.txt` holds them without the
//! conversation, and is to be read beside the table of rows when it changes.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

use std::fmt::Write as _;

use futures::StreamExt;
use pensive_contract::model::{Model, ModelRef, Pace};
use pensive_directives::{
    Defaults, Layers, Level, OnceOverrides, Overrides, Owner, Parsed, Profile, RunsModel, Source, Standing,
    Typed, judge, parse, resolve,
};
use pensive_models::{Api, Models};
use serde_json::Value;
use support::{HandClock, Provider, request};

/// The rows: provider, its shape, and models of each.
const ROWS: &[(&str, Api, &[&str])] = &[
    (
        "anthropic",
        Api::AnthropicMessages,
        &[
            "claude-haiku-4-5",
            "claude-opus-4-5-20251101",
            "claude-opus-4-6",
            "claude-sonnet-4-6",
            "claude-opus-4-7",
            "claude-opus-4-8",
            "claude-opus-5",
            "claude-sonnet-5",
        ],
    ),
    (
        "amazon-bedrock",
        Api::AnthropicMessages,
        &[
            "anthropic.claude-sonnet-4-5-20250929-v1:0",
            "anthropic.claude-opus-4-6-v1",
            "anthropic.claude-opus-4-8",
            "anthropic.claude-opus-5",
        ],
    ),
    (
        "openai",
        Api::OpenaiResponses,
        &[
            "gpt-5",
            "gpt-5-mini",
            "gpt-5-pro",
            "gpt-5.1",
            "gpt-5.1-codex-mini",
            "gpt-5.1-codex-max",
            "gpt-5.3-codex",
            "gpt-5.2",
            "gpt-5.2-pro",
            "gpt-5.6-sol",
            "gpt-5.6-terra",
            "gpt-5.6-luna",
            "o3",
            "gpt-4.1",
            "a-model-of-tomorrow",
        ],
    ),
    ("openai", Api::OpenaiCompletions, &["gpt-5", "gpt-5.1", "gpt-5.6-sol", "gpt-5-chat-latest"]),
    (
        "google",
        Api::GoogleGenerativeAi,
        &[
            "gemini-3-pro-preview",
            "gemini-3-flash-preview",
            "gemini-2.5-pro",
            "gemini-2.5-flash",
            "gemini-2.5-flash-lite",
        ],
    ),
    ("deepseek", Api::OpenaiCompletions, &["deepseek-v4-pro"]),
    (
        "openrouter",
        Api::OpenaiCompletions,
        &["deepseek/deepseek-v4-pro", "qwen/qwen3-32b", "auto", "openrouter/hunter-alpha"],
    ),
    (
        "ollama",
        Api::Ollama,
        &[
            "gpt-oss:20b",
            "glm-5.2:cloud",
            "glm-5.3:cloud",
            "kimi-k3:cloud",
            "deepseek-v4:cloud",
            "deepseek-v4.1:cloud",
        ],
    ),
    ("minimax", Api::AnthropicMessages, &["MiniMax-M2.7", "MiniMax-M3"]),
    ("zai", Api::OpenaiCompletions, &["glm-4.7", "glm-5.2", "glm-5.3"]),
    (
        "moonshot",
        Api::OpenaiCompletions,
        &["kimi-k2.6", "kimi-k3", "kimi-k2.7-code", "kimi-k2.7-code-highspeed"],
    ),
    (
        "kimi",
        Api::AnthropicMessages,
        &["k3", "k3[1m]", "k3-256k", "kimi-for-coding", "kimi-for-coding-highspeed"],
    ),
    ("qwen", Api::OpenaiCompletions, &["qwen3-max"]),
    ("xai", Api::OpenaiCompletions, &["grok-4.3"]),
    ("mistral", Api::OpenaiCompletions, &["mistral-small-latest", "mistral-medium-latest"]),
    ("groq", Api::OpenaiCompletions, &["openai/gpt-oss-120b"]),
    ("a-server-at-home", Api::OpenaiCompletions, &["qwen3"]),
];

/// Where a level may come from.
#[derive(Clone, Copy)]
enum From {
    Typed,
    Stored,
    Inherited,
}

/// The level that a run gets; nothing where the model refuses it as typed.
fn resolved(profile: &Profile, level: Level, from: From) -> Option<Level> {
    let (mut sender, chat) = (Overrides::default(), Overrides::default());
    let mut defaults = Defaults { model: profile.model.clone(), ..Defaults::default() };
    let mut once = OnceOverrides::default();
    match from {
        From::Typed => {
            let text = format!("/think {level} Hi");
            let parsed: Parsed = parse(&Typed { text: &text, ..Typed::default() });
            let with_model = |_: &str| (profile.clone(), Defaults::default());
            let standing = Standing {
                owner: Owner::No,
                sender: &sender,
                chat: &chat,
                defaults: &defaults,
                effort: None,
                profile,
                models: &[],
                with_model: &with_model,
            };
            let verdict = judge(&parsed, &standing);
            if verdict.run == RunsModel::No {
                return None;
            }
            once = verdict.once;
        }
        From::Stored => sender.think = Some(level),
        From::Inherited => defaults.think = vec![(Source::Global, level)],
    }
    let layers =
        Layers { once: &once, sender: &sender, chat: &chat, defaults: &defaults, effort: None, profile };
    Some(resolve(&layers).think.level)
}

/// The body of a call without the conversation and what every call of the shape has.
async fn body(provider: &Provider, models: &Models, model: &ModelRef, level: Level) -> Value {
    let call = models.stream(request(&model.to_string(), level, Pace::Normal)).await;
    if let Ok(mut stream) = call {
        while stream.next().await.is_some() {}
    }
    let mut body = provider.asked().pop().unwrap().body;
    let fields = body.as_object_mut().unwrap();
    for usual in [
        "model",
        "messages",
        "input",
        "contents",
        "stream",
        "stream_options",
        "store",
        "prompt_cache_key",
        "include",
    ] {
        fields.remove(usual);
    }
    body
}

#[tokio::test]
async fn every_level_of_every_row_typed_stored_and_inherited() {
    let mut shown = String::new();
    for (name, api, ids) in ROWS {
        let provider = Provider::start([]).await;
        let models = provider.models(name, *api, HandClock::new());
        for id in *ids {
            let model = ModelRef { provider: (*name).to_owned(), id: (*id).to_owned() };
            let profile = models.profile(&model);
            let default = profile.label(profile.default);
            writeln!(shown, "\n{model} over {}: {} ({default})", api.name(), profile.values()).unwrap();
            for level in Level::ALL.iter().copied() {
                let stored = resolved(&profile, level, From::Stored).unwrap();
                assert_eq!(resolved(&profile, level, From::Inherited), Some(stored), "{model} {level}");
                let mark = match resolved(&profile, level, From::Typed) {
                    Some(typed) if typed == stored => "",
                    Some(typed) => panic!("{model}: typed {level} is {typed}, stored it is {stored}"),
                    None => " refused when typed, else",
                };
                let body = body(&provider, &models, &model, stored).await;
                writeln!(shown, "  {:8}{mark} {body}", level.name()).unwrap();
            }
        }
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/levels.txt");
    let expected = std::fs::read_to_string(file).unwrap_or_default();
    if shown.trim() != expected.trim() {
        let made = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("levels.txt");
        std::fs::write(&made, shown.trim_start()).unwrap();
        panic!("the bodies differ from {file}; those of this build are in {}", made.display());
    }
}
