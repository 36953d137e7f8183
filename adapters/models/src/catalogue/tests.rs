//! What the rows say of models by their names.

use super::*;

fn efforts(provider: &str, api: Api, model: &str) -> String {
    let catalogue = Catalogue::load().unwrap();
    catalogue.shelf(provider, api).unwrap().facts(model).0.efforts.join(" ")
}

#[test]
fn efforts_of_openai_models() {
    let check =
        |model, expected| assert_eq!(efforts("openai", Api::OpenaiResponses, model), expected, "{model}");
    check("gpt-5", "minimal low medium high");
    check("gpt-5-mini", "minimal low medium high");
    check("gpt-5-nano", "minimal low medium high");
    check("gpt-5-2025-08-07", "minimal low medium high");
    check("gpt-5-pro", "high");
    check("gpt-5-pro-2025-10-06", "high");
    check("gpt-5.1", "none low medium high");
    check("gpt-5.1-codex-mini", "medium high");
    check("gpt-5.1-codex-max", "none medium high xhigh");
    check("gpt-5.1-codex", "low medium high xhigh");
    check("gpt-5.3-codex", "low medium high xhigh");
    check("gpt-5.2", "none low medium high xhigh");
    check("gpt-5.2-2025-12-11", "none low medium high xhigh");
    check("gpt-5.4-mini", "none low medium high xhigh");
    check("gpt-5.9", "none low medium high xhigh");
    check("gpt-5.2-pro", "medium high xhigh");
    check("gpt-5.6-sol", "none low medium high xhigh max");
    check("gpt-5.6-terra-20261101", "none low medium high xhigh max");
    check("GPT-5.6-Luna", "none low medium high xhigh max");
    check("o3", "low medium high");
    check("o4-mini-2025-04-16", "low medium high");
    check("a-model-of-tomorrow", "low medium high");
}

#[test]
fn prov_07_chat_latest_and_models_that_do_not_reason_take_no_effort() {
    let check = |model| assert_eq!(efforts("openai", Api::OpenaiCompletions, model), "", "{model}");
    check("gpt-5-chat-latest");
    check("gpt-5.2-chat-latest");
    check("gpt-4o");
    check("gpt-4.1-mini");
    check("o1-mini");
    assert_eq!(efforts("proxy", Api::OpenaiCompletions, "gpt-5.1-chat-latest"), "");
    assert_eq!(efforts("proxy", Api::OpenaiResponses, "gpt-5.1-chat-latest"), "");
}

#[test]
fn a_stranger_gets_the_rows_of_its_shape_but_no_extras() {
    let catalogue = Catalogue::load().unwrap();
    assert_eq!(efforts("proxy", Api::OpenaiResponses, "gpt-5.6-sol"), "none low medium high xhigh max");
    assert_eq!(efforts("proxy", Api::OpenaiCompletions, "qwen3"), "minimal low medium high");
    let shelf = catalogue.shelf("proxy", Api::OpenaiResponses).unwrap();
    assert_eq!(shelf.extras("proxy").fast, None);
    assert_eq!(shelf.extras("openai").fast, Some(FastLane::Priority));
    assert!(shelf.extras("proxy").usage && shelf.extras("openai").usage);
    assert!(!catalogue.shelf("mistral", Api::OpenaiCompletions).unwrap().extras("mistral").usage);
}

#[test]
fn what_models_take_beside_text() {
    use pensive_contract::media::MediaKind::{self, Audio, Document, Image};
    let catalogue = Catalogue::load().unwrap();
    let check = |provider: &str, api, model, expected: &[MediaKind]| {
        let shelf = catalogue.shelf(provider, api).unwrap();
        assert_eq!(shelf.takes(provider, model).kinds(), expected, "{provider}/{model}");
    };
    let (openai, chat) = (Api::OpenaiResponses, Api::OpenaiCompletions);
    check("openai", openai, "gpt-5.6-sol", &[Image, Document]);
    check("openai", openai, "gpt-4o-2024-08-06", &[Image, Document]);
    check("openai", openai, "a-model-of-tomorrow", &[Image, Document]);
    check("openai", openai, "gpt-4-turbo", &[Image]);
    check("openai", openai, "gpt-4-0613", &[]);
    check("openai", openai, "o3", &[Image, Document]);
    check("openai", openai, "o3-mini", &[]);
    check("openai", chat, "gpt-4o-audio-preview", &[]);
    check("proxy", openai, "gpt-5.6-sol", &[Image, Document]);
    check("proxy", openai, "a-model-of-tomorrow", &[]);
    check("proxy", chat, "gpt-4o", &[]);
    check("anthropic", Api::AnthropicMessages, "claude-sonnet-5", &[Image, Document]);
    check("proxy", Api::AnthropicMessages, "glm-5", &[]);
    check("amazon-bedrock", Api::AnthropicMessages, "eu.anthropic.claude-opus-5", &[Image, Document]);
    check("google", Api::GoogleGenerativeAi, "models/gemini-3.5-flash", &[Image, Audio, Document]);
    check("google", Api::GoogleGenerativeAi, "gemma-3-27b-it", &[Image]);
    check("google", Api::GoogleGenerativeAi, "gemma-3-1b-it", &[]);
    check("ollama", Api::Ollama, "gemma3:12b", &[Image]);
    check("ollama", Api::Ollama, "gemma3:1b", &[]);
    check("ollama", Api::Ollama, "gpt-oss:20b", &[]);
    check("openrouter", chat, "google/gemini-3.5-flash", &[Image, Audio, Document]);
    check("openrouter", chat, "deepseek/deepseek-v4-pro", &[]);
    check("deepseek", chat, "deepseek-v4-pro", &[]);
    check("deepseek", chat, "deepseek-v4-flash", &[Image]);
    check("xai", chat, "grok-4.7", &[Image]);
    check("zai", chat, "glm-5.2", &[]);
    check("zai", chat, "glm-4.6v", &[Image]);
    check("zai", chat, "glm-5v-turbo", &[Image]);
    check("qwen", chat, "qwen3.7-max", &[]);
    check("qwen", chat, "qwen3-vl-plus", &[Image]);
    check("moonshot", chat, "kimi-k3", &[Image]);
    check("mistral", chat, "mistral-medium-latest", &[Image]);
    check("minimax", Api::AnthropicMessages, "MiniMax-M2.7", &[]);
    check("minimax", Api::AnthropicMessages, "MiniMax-M3", &[Image]);
}

#[test]
fn every_shape_has_rows_for_strangers() {
    let catalogue = Catalogue::load().unwrap();
    for api in Api::ALL {
        let followed = catalogue.shelves().filter(|shelf| shelf.followers.contains(&api)).count();
        assert_eq!(followed, 1, "{}", api.name());
    }
}

#[test]
fn dates_are_no_part_of_a_name() {
    let check = |name, expected| assert_eq!(undated(name), expected);
    check("gpt-4o-2024-08-06", "gpt-4o");
    check("m-20250807", "m");
    check("m@20250807", "m");
    check("m-2025", "m-2025");
    check("m-2025080", "m-2025080");
    check("äöü-2025-08-0ä", "äöü-2025-08-0ä");
    check("", "");
}

#[test]
fn a_model_may_be_named_as_its_vendor_lists_it() {
    let catalogue = Catalogue::load().unwrap();
    let google = catalogue.shelf("google", Api::GoogleGenerativeAi).unwrap();
    assert_eq!(google.facts("models/gemini-2.5-flash").0.format, Format::Budget);
}

#[test]
fn patterns() {
    let check = |pattern: &str, name: &str, expected| {
        assert_eq!(fits(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
    };
    check("a", "a", true);
    check("a", "ab", false);
    check("a*", "abc", true);
    check("a*", "a", true);
    check("*c", "abc", true);
    check("a?c", "abc", true);
    check("a?c", "ac", false);
    check("*b*", "abc", true);
    check("", "", true);
}
