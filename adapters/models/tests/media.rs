//! What people send along, over loopback: pictures and documents in every shape, and recordings that are written down.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests may fail loudly"
)]

mod support;

use std::sync::Arc;

use pensive_contract::fault::FaultClass;
use pensive_contract::media::{Media, MediaKind, Transcriber};
use pensive_contract::model::{Model, ModelRef, ModelRequest, Pace, PromptTurn};
use pensive_directives::Level;
use pensive_models::{Api, ModelRow, ProviderSettings};
use serde_json::{Value, json};

use support::{HandClock, Heard, Provider, Reply, hear, models, request};

const MODELS: [(&str, Api, &str); 5] = [
    ("openai", Api::OpenaiResponses, "gpt-5.6-sol"),
    ("openrouter", Api::OpenaiCompletions, "google/gemini-3.5-flash"),
    ("anthropic", Api::AnthropicMessages, "claude-sonnet-5"),
    ("google", Api::GoogleGenerativeAi, "gemini-3.5-flash"),
    ("ollama", Api::Ollama, "gemma3:12b"),
];

fn media(kind: MediaKind, mime: &str, bytes: &[u8]) -> Media {
    Media { kind, mime: mime.into(), name: None, bytes: bytes.into() }
}

fn picture() -> Media {
    media(MediaKind::Image, "image/png", b"\x89PNG")
}

fn voice() -> Media {
    media(MediaKind::Audio, "audio/ogg", b"OggS")
}

/// Says an answer in the words of that shape.
fn answer(api: Api) -> Reply {
    match api {
        Api::OpenaiResponses => Reply::events(&[
            r#"{"type":"response.output_text.delta","delta":"A cat"}"#,
            r#"{"type":"response.completed","response":{"status":"completed"}}"#,
        ]),
        Api::OpenaiCompletions => Reply::events(&[
            r#"{"choices":[{"delta":{"content":"A cat"},"finish_reason":"stop"}]}"#,
            "[DONE]",
        ]),
        Api::AnthropicMessages => Reply::events(&[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"A cat"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
            r#"{"type":"message_stop"}"#,
        ]),
        Api::GoogleGenerativeAi => Reply::events(&[
            r#"{"candidates":[{"content":{"parts":[{"text":"A cat"}]},"finishReason":"STOP"}]}"#,
        ]),
        _ => Reply::status(200, r#"{"message":{"content":"A cat"},"done":true,"done_reason":"stop"}"#),
    }
}

/// Every place in a body that is this text.
fn times(body: &Value, text: &str) -> usize {
    match body {
        Value::String(own) => usize::from(own.contains(text)),
        Value::Array(list) => list.iter().map(|value| times(value, text)).sum(),
        Value::Object(fields) => fields.values().map(|value| times(value, text)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

#[tokio::test]
async fn med_02_all_pictures_of_an_album_reach_the_model_in_every_shape() {
    for (name, api, id) in MODELS {
        let provider = Provider::start([answer(api), answer(api)]).await;
        let models = provider.models(name, api, HandClock::new());
        let album = vec![
            picture(),
            media(MediaKind::Image, "image/jpeg", b"one"),
            media(MediaKind::Image, "image/webp", b"two"),
        ];
        let turns = vec![PromptTurn::Media(album), PromptTurn::User("What is it?".into())];
        let asked = ModelRequest { turns, ..request(&format!("{name}/{id}"), Level::Off, Pace::Normal) };
        assert_eq!(hear(&models, asked.clone()).await, Heard::whole("A cat", ""), "{name}");
        // A picture that nobody says anything to is a message as well.
        let turns = vec![PromptTurn::Media(vec![picture()])];
        assert_eq!(hear(&models, ModelRequest { turns, ..asked }).await, Heard::whole("A cat", ""), "{name}");
        let bodies: Vec<Value> = provider.asked().into_iter().map(|asked| asked.body).collect();
        for (text, first, second) in
            [("iVBORw==", 1, 1), ("b25l", 1, 0), ("dHdv", 1, 0), ("What is it?", 1, 0)]
        {
            assert_eq!(times(&bodies[0], text), first, "{name} {text}: {}", bodies[0]);
            assert_eq!(times(&bodies[1], text), second, "{name} {text}: {}", bodies[1]);
        }
    }
}

#[tokio::test]
async fn each_shape_is_given_what_it_has_a_place_for() {
    let provider = Provider::start([]).await;
    let takes = |name: &str, api, id: &str| {
        let model = ModelRef { provider: name.into(), id: id.into() };
        provider.models(name, api, HandClock::new()).limits(&model).takes
    };
    use MediaKind::{Audio, Document, Image};
    let expected: [&[MediaKind]; 5] = [
        &[Image, Document],
        &[Image, Audio, Document],
        &[Image, Document],
        &[Image, Audio, Document],
        &[Image],
    ];
    for ((name, api, id), expected) in MODELS.into_iter().zip(expected) {
        assert_eq!(takes(name, api, id), expected, "{name}");
    }
    assert_eq!(takes("local", Api::OpenaiCompletions, "anything"), &[] as &[MediaKind]);
    assert_eq!(takes("rehearsal", Api::Rehearsal, "echo"), [Image, Audio, Document]);
    assert_eq!(takes("rehearsal", Api::Codex, "gpt-5.6-sol"), &[] as &[MediaKind]);
}

#[tokio::test]
async fn the_configuration_goes_before_the_catalogue() {
    let provider = Provider::start([]).await;
    let takes = |api, input: &[MediaKind]| {
        let settings = ProviderSettings {
            name: "local".into(),
            api,
            base_url: provider.url.clone(),
            api_key: None,
            headers: Vec::new(),
            models: vec![ModelRow { id: "m".into(), input: Some(input.to_vec()), ..ModelRow::default() }],
        };
        models(vec![settings], HandClock::new()).limits(&ModelRef::parse("local/m").unwrap()).takes
    };
    let all = [MediaKind::Image, MediaKind::Audio, MediaKind::Document];
    assert_eq!(takes(Api::OpenaiCompletions, &all), all);
    assert_eq!(takes(Api::OpenaiCompletions, &[]), []);
    assert_eq!(takes(Api::OpenaiResponses, &all), [MediaKind::Image, MediaKind::Document]);
    assert_eq!(takes(Api::Ollama, &all), [MediaKind::Image]);
}

fn listener(provider: &Provider) -> Arc<dyn Transcriber> {
    let models = provider.models("openai", Api::OpenaiResponses, HandClock::new());
    models.transcriber(&ModelRef::parse("openai/gpt-4o-transcribe").unwrap()).unwrap()
}

#[tokio::test]
async fn med_06_a_recording_is_sent_as_a_form_and_comes_back_as_words() {
    let provider = Provider::start([Reply::status(200, r#"{"text":" Buy milk. "}"#)]).await;
    assert_eq!(listener(&provider).transcribe(&voice()).await.unwrap(), "Buy milk.");
    let asked = &provider.asked()[0];
    assert_eq!(asked.path, "/v1/audio/transcriptions");
    assert_eq!(asked.headers["authorization"], "Bearer s3cret-key");
    assert_eq!(asked.headers["x-title"], "pensive");
    let kinds: Vec<_> = asked.headers.get_all("content-type").iter().collect();
    let boundary = kinds[0].to_str().unwrap().strip_prefix("multipart/form-data; boundary=").unwrap();
    assert_eq!(kinds.len(), 1);
    assert_eq!(asked.headers["content-length"].to_str().unwrap(), asked.raw.len().to_string());
    let form = String::from_utf8_lossy(&asked.raw);
    let field = |name: &str, head: &str, value: &str| {
        format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"{head}\r\n\r\n{value}\r\n")
    };
    let expected = [
        field("model", "", "gpt-4o-transcribe"),
        field("response_format", "", "json"),
        field("file", "; filename=\"recording.ogg\"\r\nContent-Type: audio/ogg", "OggS"),
    ];
    assert_eq!(form, format!("{}--{boundary}--\r\n", expected.concat()));
}

#[tokio::test]
async fn a_recording_that_is_not_made_out_is_a_fault_of_its_class() {
    let check = async |reply: Reply, class: FaultClass, words: &str| {
        let provider = Provider::start([reply]).await;
        let fault = listener(&provider).transcribe(&voice()).await.unwrap_err();
        assert_eq!(fault.class, class, "{fault:?}");
        assert!(fault.person.contains(words), "{fault:?}");
        assert!(fault.log.starts_with("openai: ") && !fault.log.contains("s3cret"), "{fault:?}");
    };
    let error = |words: &str| json!({"error": {"message": words}}).to_string();
    check(
        Reply::status(401, &error("Incorrect API key provided: s3cret-key")),
        FaultClass::OursToMend,
        "key",
    )
    .await;
    check(Reply::status(500, "oops"), FaultClass::Again, "trouble").await;
    let busy = Reply::status(429, &error("slow down")).header("retry-after", "7");
    check(busy, FaultClass::AgainAfter(std::time::Duration::from_secs(7)), "limiting").await;
    check(Reply::status(200, "<html>"), FaultClass::Again, "damaged").await;
    check(Reply::status(200, r#"{"words":1}"#), FaultClass::Again, "damaged").await;
    check(
        Reply::status(302, "").header("location", "http://127.0.0.1:1/"),
        FaultClass::OursToMend,
        "address",
    )
    .await;
    let endless = vec![b'a'; 5 << 20];
    let endless = Reply { chunks: vec![endless], ..Reply::status(200, "") };
    check(endless, FaultClass::Again, "damaged").await;
}

#[tokio::test]
async fn a_recording_that_nobody_takes_is_not_sent() {
    let provider = Provider::start([]).await;
    let long = Media { bytes: vec![0; (25 << 20) + 1].into(), ..voice() };
    let fault = listener(&provider).transcribe(&long).await.unwrap_err();
    assert_eq!((fault.class, provider.asked().len()), (FaultClass::TellPerson, 0));
}

#[tokio::test]
async fn only_openais_shapes_write_down() {
    let provider = Provider::start([]).await;
    for (name, api, id) in MODELS {
        let models = provider.models(name, api, HandClock::new());
        let model = ModelRef { provider: name.into(), id: id.into() };
        let writes = matches!(api, Api::OpenaiResponses | Api::OpenaiCompletions);
        assert_eq!(models.transcriber(&model).is_some(), writes, "{name}");
        assert!(models.transcriber(&ModelRef { provider: "other".into(), id: id.into() }).is_none());
    }
}
