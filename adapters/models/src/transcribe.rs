//! Recordings as words: `POST …/audio/transcriptions` of OpenAI and the many servers that speak like it. Fields and limits
//! as of <https://developers.openai.com/api/docs/guides/speech-to-text>, November 2026.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use pensive_contract::fault::{Fault, FaultClass};
use pensive_contract::media::{Media, Transcriber};
use reqwest::multipart::{Form, Part};
use serde::Deserialize;

use crate::http::{HttpLine, Shape};
use crate::repair;
use crate::trouble::Trouble;

/// Where recordings go, below the provider's base.
const PATH: &str = "/audio/transcriptions";

/// The largest recording that is taken.
const LARGEST: usize = 25 << 20;

/// How much of an answer is read: the words of many hours.
const LONGEST: usize = 4 << 20;

/// Makes words of recordings by one model.
pub(crate) struct Recordings {
    line: Arc<HttpLine>,
    model: String,
}

#[derive(Deserialize)]
struct Written {
    text: String,
}

impl Recordings {
    /// Nothing where the provider's shape has no such call.
    pub(crate) fn new(line: Arc<HttpLine>, model: &str) -> Option<Self> {
        match line.shape {
            Shape::Responses | Shape::Chat => Some(Self { line, model: model.to_owned() }),
            Shape::Messages | Shape::Gemini | Shape::Ollama => None,
        }
    }

    async fn written(&self, recording: &Media) -> Result<String, Trouble> {
        let mut answer = self.line.send_form(PATH, form(&self.model, recording)?).await?;
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await? {
            body.extend_from_slice(&chunk);
            if body.len() > LONGEST {
                return Err(Trouble::Broken("a transcript without end".to_owned()));
            }
        }
        text(&body)
    }
}

/// What is sent. The server tells the kind of a recording by its name; the sender's own may say anything.
fn form(model: &str, recording: &Media) -> Result<Form, Trouble> {
    let broken = |error| Trouble::Broken(format!("our own request: {error}"));
    let bytes = Bytes::from_owner(Arc::clone(&recording.bytes));
    let name = format!("recording.{}", extension(&recording.mime));
    let file = Part::stream(bytes).file_name(name).mime_str(&recording.mime).map_err(broken)?;
    Ok(Form::new().text("model", model.to_owned()).text("response_format", "json").part("file", file))
}

fn extension(mime: &str) -> &str {
    match mime.split_once('/').map_or(mime, |(_, kind)| kind) {
        "mpeg" => "mp3",
        "mp4" | "x-m4a" | "aac" => "m4a",
        "wave" | "x-wav" => "wav",
        "opus" => "ogg",
        "x-flac" => "flac",
        other => other,
    }
}

fn text(body: &[u8]) -> Result<String, Trouble> {
    let value =
        repair::value(body).ok_or_else(|| Trouble::Broken("a transcript that is no JSON".to_owned()))?;
    let written: Written =
        serde_json::from_value(value).map_err(|_| Trouble::Broken("a transcript without text".to_owned()))?;
    Ok(written.text.trim().to_owned())
}

#[async_trait]
impl Transcriber for Recordings {
    async fn transcribe(&self, recording: &Media) -> Result<String, Fault> {
        if recording.bytes.len() > LARGEST {
            return Err(Fault {
                class: FaultClass::TellPerson,
                person: "This recording is too long to be written down.".to_owned(),
                log: format!(
                    "{}: a recording of {} bytes is not sent",
                    self.line.provider(),
                    recording.bytes.len()
                ),
            });
        }
        self.written(recording).await.map_err(|trouble| trouble.fault(self.line.provider()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_are_named_by_what_they_are() {
        let check = |mime, expected| assert_eq!(extension(mime), expected, "{mime}");
        check("audio/ogg", "ogg");
        check("audio/mpeg", "mp3");
        check("audio/mp4", "m4a");
        check("audio/x-wav", "wav");
        check("audio/webm", "webm");
        check("odd", "odd");
    }

    #[test]
    fn transcripts() {
        let check = |body: &str, expected: Result<&str, &str>| {
            let read = text(body.as_bytes()).map_err(|trouble| trouble.to_string());
            assert_eq!(read.as_deref().map_err(String::as_str), expected, "{body}");
        };
        check(r#"{"text":" Hello there. ","usage":{"type":"tokens"}}"#, Ok("Hello there."));
        check(r#"{"text":""}"#, Ok(""));
        check(r#"{"text":"a\ud83d"}"#, Ok("a\u{FFFD}"));
        check(r#"{"words":[]}"#, Err("broken answer: a transcript without text"));
        check("Hello", Err("broken answer: a transcript that is no JSON"));
    }
}
