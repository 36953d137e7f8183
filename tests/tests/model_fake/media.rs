//! What is sent beside text: taken, seen by the test, and refused in each vendor's words where it is not what it is said to be.

use pensive_tests::model::{Failure, MediaKind, Recording};
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::bench::{Bench, refusal};

const PNG: &str = "iVBORw==";
const PDF: &str = "JVBERi0=";

fn user(content: Value) -> Value {
    json!([{"role": "user", "content": content}])
}

fn url(mime: &str, data: &str) -> String {
    format!("data:{mime};base64,{data}")
}

fn chat_image(mime: &str, data: &str) -> Value {
    json!({"messages": user(json!([{"type": "image_url", "image_url": {"url": url(mime, data)}}]))})
}

fn responses_image(mime: &str, data: &str) -> Value {
    json!({"input": user(json!([{"type": "input_image", "image_url": url(mime, data), "detail": "auto"}]))})
}

fn anthropic_block(kind: &str, mime: &str, data: &str) -> Value {
    let source = json!({"type": "base64", "media_type": mime, "data": data});
    json!({"messages": user(json!([{"type": kind, "source": source}]))})
}

fn gemini_blob(mime: &str, data: &str) -> Value {
    json!({"contents": [{"role": "user", "parts": [{"inlineData": {"mimeType": mime, "data": data}}]}]})
}

fn ollama_image(data: &str) -> Value {
    json!({"model": "gemma3", "stream": false, "messages": [{"role": "user", "content": "", "images": [data]}]})
}

#[tokio::test]
async fn what_is_sent_is_taken_and_seen() {
    let bench = Bench::new().await;
    for response in [
        bench.chat(chat_image("image/png", PNG)).await,
        bench.responses(responses_image("image/png", PNG)).await,
        bench.anthropic(anthropic_block("image", "image/png", PNG)).await,
        bench.gemini("gemini-3.5-flash:generateContent", gemini_blob("image/png", PNG)).await,
        bench.ollama(ollama_image(PNG)).await,
    ] {
        assert_eq!(response.unwrap().status(), 200);
    }
    for request in bench.model.requests() {
        let media = request.media();
        assert_eq!(media.len(), 1, "{request:?}");
        assert_eq!((media[0].kind, media[0].mime.as_str()), (MediaKind::Image, "image/png"));
        assert_eq!(media[0].bytes, b"\x89PNG");
    }
    bench.anthropic(anthropic_block("document", "application/pdf", PDF)).await.unwrap();
    let last = bench.model.requests().pop().unwrap();
    assert_eq!((last.media()[0].kind, last.refused), (MediaKind::Document, None));
}

#[tokio::test]
async fn openai_refuses_what_is_no_picture() {
    let bench = Bench::new().await;
    for (body, words) in [
        (
            chat_image("image/png", "?"),
            "400 Invalid 'messages.0.content.0'. Expected a base64-encoded data URL.",
        ),
        (chat_image("image/tiff", PNG), "unsupported image"),
        (chat_image("image/jpeg", PNG), "unsupported image"),
        (json!({"messages": user(json!([{"type": "image_url", "image_url": {"url": ""}}]))}), "data URL"),
        (
            json!({"messages": user(json!([{"type": "file", "file": {"file_data": url("application/pdf", PDF)}}]))}),
            "'filename'",
        ),
        (
            json!({"messages": user(json!([{"type": "input_audio", "input_audio": {"data": "T2dnUw==", "format": "ogg"}}]))}),
            "'wav' and 'mp3'",
        ),
        (
            json!({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": [
                {"type": "image_url", "image_url": {"url": url("image/png", PNG)}}]}]}),
            "role 'user'",
        ),
    ] {
        let said = refusal(bench.chat(body).await).await;
        assert!(said.contains(words), "{said}");
    }
    let said = refusal(bench.responses(responses_image("image/png", "JVBERi0=")).await).await;
    assert!(said.contains("unsupported image"), "{said}");
}

#[tokio::test]
async fn the_others_refuse_what_is_none_or_too_large() {
    let bench = Bench::new().await;
    for (body, words) in [
        (
            anthropic_block("image", "image/tiff", PNG),
            "400 messages.0.content.0.image.source.base64.media_type: Input should be",
        ),
        (anthropic_block("image", "image/jpeg", PNG), "appears to be a image/png image"),
        (anthropic_block("image", "image/png", "YWJj"), "400 Could not process image"),
        (anthropic_block("document", "application/pdf", PNG), "The PDF specified was not valid."),
        (
            anthropic_block("image", "image/png", &"A".repeat(5_242_884)),
            "image exceeds 5 MB maximum: 5242884 bytes > 5242880 bytes",
        ),
    ] {
        let said = refusal(bench.anthropic(body).await).await;
        assert!(said.contains(words), "{said}");
    }
    for (body, words) in [
        (gemini_blob("image/gif", "R0lGODlh"), "400 Unsupported MIME type: image/gif"),
        (gemini_blob("image/png", PDF), "400 Unable to process input image."),
        (gemini_blob("application/pdf", PNG), "400 The document has no pages."),
    ] {
        let said = refusal(bench.gemini("gemini-3.5-flash:generateContent", body).await).await;
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(
        refusal(bench.ollama(ollama_image("?")).await).await,
        "400 illegal base64 data at input byte 0"
    );
    assert_eq!(
        refusal(bench.ollama(ollama_image(PDF)).await).await,
        "500 Failed to load image or audio file"
    );
}

#[tokio::test]
async fn models_that_do_not_see_say_so() {
    let bench = Bench::new().await;
    let mut body = ollama_image(PNG);
    body["model"] = "gpt-oss:20b".into();
    assert_eq!(
        refusal(bench.ollama(body).await).await,
        "500 this model is missing data required for image input"
    );
    let mut body = chat_image("image/png", PNG);
    body["model"] = "deepseek-v4-pro".into();
    assert!(refusal(bench.chat(body).await).await.contains("unknown variant `image_url`"));
}

async fn send(bench: &Bench, form: Form) -> (u16, Value) {
    let url = format!("{}/audio/transcriptions", bench.model.base_url());
    let response = reqwest::Client::new().post(url).multipart(form).send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

fn voice(name: &'static str, bytes: &'static [u8]) -> Form {
    let file = Part::bytes(bytes).file_name(name).mime_str("audio/ogg").unwrap();
    Form::new().part("file", file)
}

#[tokio::test]
async fn recordings_are_written_down() {
    let bench = Bench::new().await;
    bench.model.transcribe("Buy milk.");
    bench.model.fail_transcription(Failure::json(500));
    let good = || voice("a.ogg", b"OggS").text("model", "whisper-1").text("response_format", "json");
    let (status, body) = send(&bench, good()).await;
    assert_eq!((status, &body["text"]), (200, &json!("Buy milk.")));
    assert_eq!(send(&bench, good()).await.0, 500);
    assert_eq!(send(&bench, good()).await.1["text"], "A recording of 4 bytes.");
    let expected = Recording {
        model: "whisper-1".into(),
        name: "a.ogg".into(),
        mime: "audio/ogg".into(),
        bytes: b"OggS".as_slice().into(),
    };
    assert_eq!(bench.model.recordings(), vec![expected; 3]);
    for (form, words) in [
        (voice("a.ogg", b"OggS"), "model parameter"),
        (Form::new().text("model", "whisper-1"), "file parameter"),
        (voice("a.oga", b"OggS").text("model", "whisper-1"), "Invalid file format."),
        (voice("a.ogg", b"text").text("model", "whisper-1"), "Invalid file format."),
        (good().text("colour", "1"), "Unrecognized request argument supplied: colour"),
    ] {
        let (status, body) = send(&bench, form).await;
        assert!(status == 400 && body["error"]["message"].as_str().unwrap().contains(words), "{body}");
    }
}
