//! Calls over loopback: what is sent, what comes of every kind of answer, and that nothing waits for ever.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::let_underscore_must_use,
    unreachable_pub,
    missing_docs,
    reason = "tests may fail loudly, and start their server as they like"
)]

mod support;

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use pensive_contract::fault::FaultClass;
use pensive_contract::model::{Manner, Model, ModelEvent, ModelRef, Pace, Params};
use pensive_contract::secret::Secret;
use pensive_directives::Level;
use pensive_models::{Api, ModelRow, Models, ModelsError, ModelsSettings, ProviderSettings, ollama_models};
use serde_json::json;

use support::{HandClock, Heard, Provider, Reply, Then, hear, models, request};

const HELLO: &str = r#"{"choices":[{"delta":{"content":"Hello"}}]}"#;
const DONE: &str = "[DONE]";
const COMPLETED: &str = r#"{"type":"response.completed","response":{"output":[{"type":"message","content":[{"text":"Hello"}]}]}}"#;

fn manner(thinking: Level, pace: Pace) -> Manner {
    Manner { thinking, pace, params: Params::default() }
}

async fn chat(reply: Reply) -> Heard {
    let provider = Provider::start([reply]).await;
    let models = provider.models("local", Api::OpenaiCompletions, HandClock::new());
    hear(&models, request("local/m", Level::Off, Pace::Normal)).await
}

#[tokio::test]
async fn a_chat_call_and_its_answer() {
    let provider = Provider::start([Reply::events(&[
        r#"{"choices":[{"delta":{"reasoning_content":"Hm."}}]}"#,
        HELLO,
        r#"{"choices":[{"delta":{"content":" you"},"finish_reason":"stop"}]}"#,
        DONE,
        r#"{"choices":[{"delta":{"content":"after the end"}}]}"#,
    ])])
    .await;
    let models = provider.models("local", Api::OpenaiCompletions, HandClock::new());
    let heard = hear(&models, request("local/vendor/thinker", Level::High, Pace::Fast)).await;
    assert_eq!(heard, Heard::whole("Hello you", "Hm."));
    let asked = &provider.asked()[0];
    assert_eq!(asked.path, "/v1/chat/completions");
    assert_eq!(asked.headers["authorization"], "Bearer s3cret-key");
    assert_eq!(asked.headers["x-title"], "pensive");
    assert_eq!(asked.headers["content-type"], "application/json");
    assert_eq!(
        asked.body,
        json!({
            "model": "vendor/thinker",
            "messages": [{"role": "user", "content": "Hi"}],
            "stream": true,
            "stream_options": {"include_usage": true},
            "reasoning_effort": "high",
        })
    );
}

#[tokio::test]
async fn a_responses_call_and_its_answer() {
    let provider = Provider::start([Reply::events(&[COMPLETED])]).await;
    let models = provider.models("openai", Api::OpenaiResponses, HandClock::new());
    let heard = hear(&models, request("openai/gpt-5.6-sol", Level::Ultra, Pace::Fast)).await;
    assert_eq!(heard, Heard::whole("Hello", ""));
    let asked = &provider.asked()[0];
    assert_eq!(asked.path, "/v1/responses");
    assert_eq!(asked.body["reasoning"], json!({"effort": "max", "summary": "auto"}));
    assert_eq!(asked.body["service_tier"], "priority");
    assert_eq!(asked.body["store"], json!(false));
    assert!(asked.body["prompt_cache_key"].is_string());
}

#[tokio::test]
async fn every_level_reaches_the_wire_as_explained() {
    for (api, field) in
        [(Api::OpenaiResponses, "/reasoning/effort"), (Api::OpenaiCompletions, "/reasoning_effort")]
    {
        for id in ["gpt-5", "gpt-5.1", "gpt-5.2-pro", "gpt-5.6-sol", "gpt-5-chat-latest", "o3"] {
            let model = ModelRef { provider: "openai".into(), id: id.into() };
            for level in Level::ALL.iter().copied() {
                let done = if api == Api::OpenaiResponses { COMPLETED } else { DONE };
                let provider = Provider::start([Reply::events(&[done])]).await;
                let models = provider.models("openai", api, HandClock::new());
                hear(&models, request(&model.to_string(), level, Pace::Normal)).await;
                let sent = provider.asked()[0].body.pointer(field).cloned();
                let explained = models.explain(&model, &manner(level, Pace::Normal));
                match sent {
                    Some(word) => assert!(explained.ends_with(&format!("={}", word.as_str().unwrap()))),
                    None => assert_eq!(explained, "nothing", "{id} {level}"),
                }
            }
        }
    }
}

#[tokio::test]
async fn rsn_08_think_tags_split_over_deltas() {
    let delta = |text: &str| json!({"choices": [{"delta": {"content": text}}]}).to_string();
    let data = [delta("<th"), delta("ink>plan</thi"), delta("nk>\n\nHel"), delta("lo")];
    let data: Vec<&str> = data.iter().map(String::as_str).chain([DONE]).collect();
    assert_eq!(chat(Reply::events(&data)).await, Heard::whole("Hello", "plan"));
}

#[tokio::test]
async fn a_refusal_keeps_status_pause_and_body_and_hides_the_key() {
    let body = r#"{"error":{"message":"Bad key s3cret-key","code":"invalid_api_key"}}"#;
    let fault = chat(Reply::status(401, body)).await.fault.unwrap();
    assert_eq!(fault.class, FaultClass::OursToMend);
    assert_eq!(fault.person, "The model provider refused our key. An admin needs to check it.");
    assert_eq!(fault.log, "local: answered 401 code=invalid_api_key: Bad key ***");

    let fault = chat(Reply::status(429, "").header("retry-after", "7")).await.fault.unwrap();
    assert_eq!(fault.class, FaultClass::AgainAfter(Duration::from_secs(7)));

    let fault = chat(Reply::status(502, "<html>Bad gateway</html>")).await.fault.unwrap();
    assert_eq!(fault.class, FaultClass::Again);
    assert_eq!(fault.log, "local: answered 502: <html>Bad gateway</html>");

    let moved = Reply::status(307, "").header("location", "http://127.0.0.1:1/elsewhere");
    assert_eq!(chat(moved).await.fault.unwrap().class, FaultClass::OursToMend);
}

#[tokio::test]
async fn an_answer_without_its_end_is_cut() {
    let heard = chat(Reply::events(&[HELLO])).await;
    assert_eq!(heard.text, "Hello");
    let fault = heard.fault.unwrap();
    assert_eq!(fault.class, FaultClass::Again);
    assert_eq!(fault.person, "The model's answer was cut off on its way. Please try again in a moment.");
}

#[tokio::test]
async fn what_was_said_before_a_fault_stays() {
    for data in [r#"{"error":{"message":"busy","code":503}}"#, "{broken"] {
        let heard = chat(Reply::events(&[r#"{"choices":[{"delta":{"content":"Hello <thi"}}]}"#, data])).await;
        assert_eq!(heard.text, "Hello <thi");
        assert_eq!(heard.fault.unwrap().class, FaultClass::Again, "{data}");
    }
}

#[tokio::test]
async fn the_base_address_may_carry_a_query() {
    let provider = Provider::start([Reply::events(&[DONE])]).await;
    let base_url = format!("{}/openai/?api-version=1", provider.url);
    let models = models(vec![settings("azure", Api::OpenaiCompletions, &base_url)], HandClock::new());
    hear(&models, request("azure/m", Level::Off, Pace::Normal)).await;
    assert_eq!(provider.asked()[0].path, "/openai/chat/completions?api-version=1");
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_heard_too() {
    let body = r#"{"choices":[{"message":{"content":"<think>a</think>Hello"},"finish_reason":"stop"}]}"#;
    let reply = Reply::status(200, body).header("content-type", "application/json; charset=utf-8");
    assert_eq!(chat(reply).await, Heard::whole("Hello", "a"));
}

#[tokio::test]
async fn a_provider_that_is_not_there() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let models = models(vec![settings("local", Api::OpenaiCompletions, &base_url)], HandClock::new());
    let fault = hear(&models, request("local/m", Level::Off, Pace::Normal)).await.fault.unwrap();
    assert_eq!(fault.class, FaultClass::Again);
    assert_eq!(fault.person, "The model provider is out of reach. Please try again in a moment.");
    assert!(!fault.log.contains("http://"), "{}", fault.log);
}

#[tokio::test]
async fn prov_20_a_silent_stream_ends_with_what_was_said_and_a_fault() {
    let provider = Provider::start([Reply::events(&[HELLO]).then(Then::Silence)]).await;
    let clock = HandClock::new();
    let models = provider.models("local", Api::OpenaiCompletions, clock.clone());
    let mut stream = models.stream(request("local/m", Level::Off, Pace::Normal)).await.unwrap();
    assert_eq!(stream.next().await, Some(Ok(ModelEvent::Text("Hello".into()))));
    let (next, ()) = tokio::join!(stream.next(), async {
        clock.waited_on().await;
        clock.advance(60);
    });
    let fault = next.unwrap().unwrap_err();
    assert_eq!(fault.class, FaultClass::Again);
    assert_eq!(fault.person, "The model stopped in the middle of its answer. Please try again in a moment.");
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn prov_20_signs_of_life_alone_are_not_waited_for_without_end() {
    let clock = HandClock::new();
    let provider = Provider::start([Reply::events(&[HELLO]).then(Then::Pings)]).await;
    let models = provider.models("local", Api::OpenaiCompletions, clock.clone());
    let mut stream = models.stream(request("local/m", Level::Off, Pace::Normal)).await.unwrap();
    assert_eq!(stream.next().await, Some(Ok(ModelEvent::Text("Hello".into()))));
    let next = tokio::select! {
        next = stream.next() => next,
        () = async { loop { clock.advance(20); tokio::task::yield_now().await; } } => unreachable!(),
    };
    assert_eq!(next.unwrap().unwrap_err().log, "local: silent for 300s in the middle of an answer");
}

#[tokio::test]
async fn data_that_holds_nothing_is_passed_over() {
    for nothing in ["null", "5", "\"x\"", "[]", "true"] {
        let heard = chat(Reply::events(&[nothing, HELLO, nothing, DONE])).await;
        assert_eq!(heard, Heard::whole("Hello", ""), "{nothing}");
    }
}

#[tokio::test]
async fn a_model_that_thinks_hard_may_be_silent_for_longer_until_it_speaks() {
    let thought = r#"{"choices":[{"delta":{"reasoning":"Hm."}}]}"#;
    let replies = [thought, HELLO].map(|said| Reply::events(&[said]).then(Then::Silence));
    let provider = Provider::start(replies).await;
    let clock = HandClock::new();
    let models = provider.models("local", Api::OpenaiCompletions, clock.clone());
    for limit in [300, 25] {
        let mut stream = models.stream(request("local/m", Level::High, Pace::Normal)).await.unwrap();
        assert!(stream.next().await.unwrap().is_ok());
        let (next, ()) = tokio::join!(stream.next(), async {
            clock.waited_on().await;
            clock.advance(limit);
        });
        let log = next.unwrap().unwrap_err().log;
        assert_eq!(log, format!("local: silent for {limit}s in the middle of an answer"));
    }
}

#[tokio::test]
async fn a_provider_that_never_answers() {
    let provider = Provider::start([Reply::events(&[]).then(Then::NoAnswer)]).await;
    let clock = HandClock::new();
    let models = provider.models("local", Api::OpenaiCompletions, clock.clone());
    let (heard, ()) = tokio::join!(hear(&models, request("local/m", Level::Off, Pace::Normal)), async {
        clock.waited_on().await;
        clock.advance(60);
    });
    let fault = heard.fault.unwrap();
    assert_eq!(fault.class, FaultClass::Again);
    assert_eq!(fault.log, "local: no answer within 60s");
}

#[tokio::test]
async fn dropping_the_stream_closes_it_upstream() {
    let mut provider = Provider::start([Reply::events(&[HELLO]).then(Then::Silence)]).await;
    let models = provider.models("local", Api::OpenaiCompletions, HandClock::new());
    let mut stream = models.stream(request("local/m", Level::Off, Pace::Normal)).await.unwrap();
    assert!(stream.next().await.is_some());
    assert_eq!(*provider.gone.borrow(), 0);
    drop(stream);
    provider.gone.wait_for(|gone| *gone == 1).await.unwrap();
}

#[tokio::test]
async fn an_account_without_reasoning_summaries_is_asked_once() {
    let body = r#"{"error":{"message":"Your organization must be verified","param":"reasoning.summary","code":"unsupported_value"}}"#;
    let provider =
        Provider::start([Reply::status(400, body), Reply::events(&[COMPLETED]), Reply::events(&[COMPLETED])])
            .await;
    let models = provider.models("openai", Api::OpenaiResponses, HandClock::new());
    for _ in 0..2 {
        let heard = hear(&models, request("openai/gpt-5", Level::High, Pace::Normal)).await;
        assert_eq!(heard, Heard::whole("Hello", ""));
    }
    let sent: Vec<_> = provider.asked().into_iter().map(|asked| asked.body["reasoning"].clone()).collect();
    let plain = json!({"effort": "high"});
    assert_eq!(sent, [json!({"effort": "high", "summary": "auto"}), plain.clone(), plain]);
}

fn settings(name: &str, api: Api, base_url: &str) -> ProviderSettings {
    ProviderSettings {
        name: name.to_owned(),
        api,
        base_url: base_url.to_owned(),
        api_key: None,
        headers: Vec::new(),
        models: Vec::new(),
    }
}

#[tokio::test]
async fn what_cannot_be_served_says_so() {
    let models = models(vec![settings("claude", Api::ClaudeCli, "https://x")], HandClock::new());
    let fault = hear(&models, request("claude/m", Level::Off, Pace::Normal)).await.fault.unwrap();
    assert_eq!(fault.class, FaultClass::OursToMend);
    assert_eq!(
        fault.person,
        "Provider claude speaks claude-cli, which this version cannot yet. Send /model to pick another model."
    );
    let fault = hear(&models, request("nobody/m", Level::Off, Pace::Normal)).await.fault.unwrap();
    assert_eq!(fault.class, FaultClass::TellPerson);
    assert!(fault.person.contains("nobody"));
}

#[test]
fn settings_that_can_never_work_are_refused_at_once() {
    let refused = |provider: ProviderSettings| {
        let settings = ModelsSettings { providers: vec![provider], ..ModelsSettings::default() };
        Models::new(settings, HandClock::new()).err().unwrap()
    };
    for url in ["", "not an address", "ftp://x/v1", "http://"] {
        let fault = refused(settings("local", Api::OpenaiCompletions, url));
        assert!(matches!(fault, ModelsError::BaseUrl { .. }), "{url}");
    }
    let mut provider = settings("local", Api::OpenaiCompletions, "http://x");
    provider.api_key = Some(Secret::new("two\nlines"));
    let fault = refused(provider);
    assert!(matches!(fault, ModelsError::Header { .. }) && !fault.to_string().contains("lines"));
}

#[test]
fn what_models_offer() {
    let row = ModelRow {
        id: "qwen3".into(),
        reasoning: Some(true),
        context_window: Some(32_768),
        max_tokens: Some(8192),
        supported_efforts: Some(vec!["low".into(), "high".into(), "xhigh".into()]),
        ..ModelRow::default()
    };
    let mut local = settings("local", Api::OpenaiCompletions, "http://127.0.0.1:8000/v1");
    local.models.push(row);
    let openai = settings("openai", Api::OpenaiResponses, "https://api.openai.com/v1");
    let models = models(vec![local, openai], HandClock::new());
    let check = |model: &str, levels: &str, explained: &str, context, output| {
        let model = ModelRef::parse(model).unwrap();
        assert_eq!(models.profile(&model).values(), levels, "{model}");
        assert_eq!(models.profile(&model).model, model.to_string());
        assert_eq!(models.explain(&model, &manner(Level::Xhigh, Pace::Fast)), explained, "{model}");
        let limits = models.limits(&model);
        assert_eq!((limits.context, limits.output), (context, output), "{model}");
    };
    check("local/qwen3", "off, minimal, low, high, xhigh", "reasoning_effort=xhigh", 32_768, Some(8192));
    check("local/other", "off, minimal, low, medium, high", "reasoning_effort=high", 128_000, None);
    check(
        "openai/gpt-5.6-sol",
        "off, minimal, low, medium, high, xhigh, max, ultra",
        "reasoning.effort=xhigh, service_tier=priority",
        1_050_000,
        Some(128_000),
    );
    check("openai/gpt-5-chat-latest", "off", "nothing", 128_000, Some(16_384));
    check(
        "rehearsal/echo",
        "off, minimal, low, medium, high, xhigh, adaptive, max, ultra",
        "rehearsal.level=xhigh",
        128_000,
        None,
    );
}

#[tokio::test]
async fn the_rehearsal_is_always_there() {
    let models = models(Vec::new(), HandClock::new());
    let heard = hear(&models, request("rehearsal/echo", Level::High, Pace::Normal)).await;
    assert!(heard.text.starts_with("[rehearsal]") && heard.reasoning.contains("high"));
    assert_eq!(heard.fault, None);
}

#[tokio::test]
async fn an_ollama_is_found_when_it_is_there() {
    let body = r#"{"models":[{"name":"qwen3:8b","size":1},{"name":"gemma3"}]}"#;
    let provider = Provider::start([Reply::status(200, body), Reply::status(500, "")]).await;
    let clock = HandClock::new();
    assert_eq!(ollama_models(&provider.url, &*clock).await, ["qwen3:8b", "gemma3"]);
    assert_eq!(provider.asked()[0].path, "/api/tags");
    assert!(ollama_models(&provider.url, &*clock).await.is_empty());
    assert!(ollama_models("nonsense", &*clock).await.is_empty());
    let silent = Provider::start([Reply::events(&[]).then(Then::NoAnswer)]).await;
    let (found, ()) = tokio::join!(ollama_models(&silent.url, &*clock), async {
        clock.waited_on().await;
        clock.advance(1);
    });
    assert!(found.is_empty());
}

#[tokio::test]
async fn many_streams_at_once() {
    let replies = (0..200).map(|_| Reply::events(&[HELLO, DONE]));
    let provider = Provider::start(replies).await;
    let models = Arc::new(provider.models("local", Api::OpenaiCompletions, HandClock::new()));
    let calls = (0..200).map(|_| {
        let models = Arc::clone(&models);
        async move { hear(&models, request("local/m", Level::Off, Pace::Normal)).await }
    });
    for heard in futures::future::join_all(calls).await {
        assert_eq!(heard, Heard::whole("Hello", ""));
    }
}

#[tokio::test]
async fn halves_of_a_character_are_joined_over_deltas_or_lost() {
    let provider = |events: &[&str]| Provider::start([Reply::events(events)]);
    let chat = provider(&[
        r#"{"choices":[{"delta":{"reasoning_content":"a\ud83d"}}]}"#,
        r#"{"choices":[{"delta":{"content":"","reasoning_content":"\ude00b"}}]}"#,
        r#"{"choices":[{"delta":{"content":"Hi \ud83d"}}]}"#,
        r#"{"choices":[{"delta":{"content":"\ude00, \ude00"}}]}"#,
        r#"{"choices":[{"delta":{"content":"you\ud83d"},"finish_reason":"stop"}]}"#,
        DONE,
    ])
    .await;
    let models = chat.models("local", Api::OpenaiCompletions, HandClock::new());
    let heard = hear(&models, request("local/m", Level::Off, Pace::Normal)).await;
    assert_eq!(heard, Heard::whole("Hi 😀, \u{FFFD}you\u{FFFD}", "a😀b"));

    let responses = provider(&[
        r#"{"type":"response.reasoning_summary_text.delta","delta":"a\ud83d"}"#,
        r#"{"type":"response.reasoning_summary_text.delta","delta":"\ude00b\udc00"}"#,
        r#"{"type":"response.output_text.delta","delta":"Hi \ud83d"}"#,
        r#"{"type":"response.output_text.delta","delta":"\ude00"}"#,
        r#"{"type":"response.output_text.done","text":"Hi \ud83d\ude00\ud83d"}"#,
        r#"{"type":"response.completed","response":{"output":[{"type":"message","content":[{"text":"\ud83d"}]}]}}"#,
    ])
    .await;
    let models = responses.models("openai", Api::OpenaiResponses, HandClock::new());
    let heard = hear(&models, request("openai/gpt-5.6-sol", Level::Off, Pace::Normal)).await;
    assert_eq!(heard, Heard::whole("Hi 😀", "a😀b\u{FFFD}"));
}

#[tokio::test]
async fn bytes_that_are_no_text_cost_a_character_and_not_the_answer() {
    let check = async |api, name: &str, json: &[u8], expected: Heard| {
        let mut reply = Reply::events(&[]);
        reply.chunks = vec![[b"data: ", json, b"\n\ndata: [DONE]\n\n"].concat()];
        let models = Provider::start([reply]).await.models("local", api, HandClock::new());
        assert_eq!(hear(&models, request(name, Level::Off, Pace::Normal)).await, expected);
    };
    let chat = b"{\"choices\":[{\"delta\":{\"content\":\"a\xFFb\"}}]}";
    check(Api::OpenaiCompletions, "local/m", chat, Heard::whole("a\u{FFFD}b", "")).await;
    let responses = b"{\"type\":\"response.completed\",\"response\":{\"output\":[{\"type\":\"message\",\"content\":[{\"text\":\"a\xFFb\"}]}]}}";
    check(Api::OpenaiResponses, "local/m", responses, Heard::whole("a\u{FFFD}b", "")).await;
}

#[tokio::test]
async fn an_answer_that_breaks_off_amid_a_character_keeps_the_rest() {
    let cut = chat(Reply::events(&[r#"{"choices":[{"delta":{"content":"Hi \ud83d"}}]}"#])).await;
    assert_eq!(cut.text, "Hi \u{FFFD}");
    assert!(cut.fault.is_some());
}
