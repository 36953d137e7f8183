//! Messages with a file: which method shows it best, and the form that carries it. Pure but for the calls.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use pensive_contract::inbound::{AttachmentKind, Place};
use pensive_contract::media::Media;
use pensive_contract::outward::{Extras, FileLimits, Outcome, Part, Refusal};
use reqwest::header::CONTENT_TYPE;
use reqwest::multipart::{self, Form};
use serde::Serialize;
use serde_json::Value;
use teloxide_core::types::{InlineKeyboardMarkup, MessageEntity, Recipient, ReplyParameters, ThreadId};

use crate::address::Address;
use crate::client::CallFault;
use crate::letter::{entities, keyboard, reply};
use crate::outlet::Lines;
use crate::wire::Sent;

/// 50 MB and a caption of 1,024 (<https://core.telegram.org/bots/api#sending-files>,
/// <https://core.telegram.org/bots/api#senddocument>).
pub(crate) const FILES: FileLimits = FileLimits { bytes: 50_000_000, caption: 1_024 };
/// The largest picture that is shown as one (<https://core.telegram.org/bots/api#sending-files>).
const LARGEST_PHOTO: usize = 10_000_000;
/// The limit of a call that carries a file, over a slow line.
const LIMIT: Duration = Duration::from_secs(120);

/// How Telegram shows a file: the method that sends it, and the field that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Method {
    name: &'static str,
    field: &'static str,
}

/// As it is, for people to keep.
const DOCUMENT: Method = Method { name: "SendDocument", field: "document" };

impl Method {
    /// What does most for a file. What Telegram would not play or show goes as it is.
    fn of(kind: AttachmentKind, file: &Media) -> Self {
        match (kind, file.mime.as_str()) {
            (AttachmentKind::Photo, _) if file.bytes.len() <= LARGEST_PHOTO => {
                Self { name: "SendPhoto", field: "photo" }
            }
            (AttachmentKind::Voice, "audio/ogg") => Self { name: "SendVoice", field: "voice" },
            (AttachmentKind::Audio, "audio/mpeg" | "audio/mp4") => Self { name: "SendAudio", field: "audio" },
            (AttachmentKind::Video, "image/gif") => Self { name: "SendAnimation", field: "animation" },
            (AttachmentKind::Video, "video/mp4") => Self { name: "SendVideo", field: "video" },
            (
                AttachmentKind::Photo
                | AttachmentKind::Voice
                | AttachmentKind::Audio
                | AttachmentKind::Video
                | AttachmentKind::Sticker
                | AttachmentKind::Document,
                _,
            ) => DOCUMENT,
        }
    }
}

/// What is said beside the file.
#[derive(Serialize)]
struct Beside {
    chat_id: Recipient,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_thread_id: Option<ThreadId>,
    #[serde(skip_serializing_if = "String::is_empty")]
    caption: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    caption_entities: Vec<MessageEntity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_parameters: Option<ReplyParameters>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_markup: Option<InlineKeyboardMarkup>,
}

/// A part with a file on its way.
pub(crate) struct Parcel<'a> {
    pub(crate) to: &'a Place,
    pub(crate) address: Address,
    pub(crate) part: &'a Part,
    pub(crate) extras: &'a Extras,
    pub(crate) file: &'a Media,
}

impl Lines {
    /// Sends a part with its file. Where it is refused in the form that suits it best, for its pixels or for what may be sent
    /// in the chat, nothing has landed, and it goes as it is.
    pub(crate) async fn send_file(&self, parcel: &Parcel<'_>) -> Result<Sent, CallFault> {
        let kind = parcel.part.file.as_ref().map_or(AttachmentKind::Document, |file| file.kind);
        let best = Method::of(kind, parcel.file);
        match self.send_file_as(best, parcel).await {
            Err(fault) if best != DOCUMENT && is_about_form(&fault) => {
                tracing::debug!(method = best.name, %fault, "a file goes as a document");
                self.send_file_as(DOCUMENT, parcel).await
            }
            sent => sent,
        }
    }

    async fn send_file_as(&self, method: Method, parcel: &Parcel<'_>) -> Result<Sent, CallFault> {
        let form = form(method, parcel).map_err(|error| CallFault::Unreached(format!("no form: {error}")))?;
        self.client.upload(method.name, form, LIMIT).await
    }
}

/// How a part with a file failed. Text may pass where files do not: the chat is not lost.
pub(crate) fn verdict<T>(outcome: Outcome<T>, fault: &CallFault) -> Outcome<T> {
    match outcome {
        Outcome::Refused { refusal: Refusal::ChatGone, why } if is_about_rights(fault) => {
            Outcome::Refused { refusal: Refusal::Never, why }
        }
        outcome => outcome,
    }
}

/// Whether another form of the same may pass.
fn is_about_form(fault: &CallFault) -> bool {
    let outcome: Outcome<()> = verdict(crate::verdict::verdict(fault), fault);
    matches!(outcome, Outcome::Refused { refusal: Refusal::Never, .. })
}

fn is_about_rights(fault: &CallFault) -> bool {
    const RIGHTS: &str = "rights to send";
    let CallFault::Refused(no) = fault else { return false };
    let description = no.description.to_ascii_lowercase();
    description.contains(RIGHTS) && !description.contains("text messages")
}

fn form(method: Method, parcel: &Parcel<'_>) -> Result<Form, String> {
    let Parcel { to, address, part, extras, file } = *parcel;
    let beside = Beside {
        chat_id: address.recipient(),
        message_thread_id: address.thread(),
        caption: part.text.clone(),
        caption_entities: entities(part),
        reply_parameters: reply(to, extras),
        reply_markup: keyboard(&extras.buttons),
    };
    let Value::Object(fields) = serde_json::to_value(&beside).map_err(|error| error.to_string())? else {
        return Err("fields have no names".to_owned());
    };
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let form = fields.into_iter().fold(Form::new(), |form, (name, value)| form.text(name, text(value)));
    Ok(form.part(method.field, content(file)))
}

fn content(file: &Media) -> multipart::Part {
    let length = u64::try_from(file.bytes.len()).unwrap_or(u64::MAX);
    let bytes = Bytes::from_owner(Arc::clone(&file.bytes));
    let kind = file.mime.parse().ok();
    multipart::Part::stream_with_length(bytes, length)
        .file_name(plain(file.name.as_deref().unwrap_or("file")))
        .headers(kind.map(|kind| (CONTENT_TYPE, kind)).into_iter().collect())
}

/// A name as Telegram's server reads it, which knows neither quoted semicolons nor escapes
/// (<https://github.com/tdlib/td/blob/master/tdnet/td/net/HttpReader.cpp>).
fn plain(name: &str) -> String {
    let strange = |c: char| c.is_control() || matches!(c, '"' | ';' | '\\');
    name.chars().map(|c| if strange(c) { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use pensive_contract::media::MediaKind;

    use super::*;
    use crate::client::Refused;

    #[test]
    fn a_file_is_shown_as_what_it_is() {
        let check = |kind, mime: &str, length: usize, expected: &str| {
            let (mime, bytes) = (mime.to_owned(), vec![0; length].into());
            let file = Media { kind: MediaKind::Document, mime, name: None, bytes };
            assert_eq!(Method::of(kind, &file).name, expected);
        };
        check(AttachmentKind::Photo, "image/png", 1, "SendPhoto");
        check(AttachmentKind::Photo, "image/png", LARGEST_PHOTO + 1, "SendDocument");
        check(AttachmentKind::Voice, "audio/ogg", 1, "SendVoice");
        check(AttachmentKind::Audio, "audio/mpeg", 1, "SendAudio");
        check(AttachmentKind::Audio, "audio/ogg", 1, "SendDocument");
        check(AttachmentKind::Audio, "audio/wav", 1, "SendDocument");
        check(AttachmentKind::Video, "video/mp4", 1, "SendVideo");
        check(AttachmentKind::Video, "image/gif", 1, "SendAnimation");
        check(AttachmentKind::Document, "image/png", 1, "SendDocument");
    }

    #[test]
    fn another_form_is_tried_where_it_may_pass() {
        let check = |code, description: &str, form: bool, rights: bool| {
            let description = description.to_owned();
            let fault = CallFault::Refused(Refused { code, description, retry_after: None, moved_to: None });
            assert_eq!((is_about_form(&fault), is_about_rights(&fault)), (form, rights), "{fault}");
        };
        check(400, "Bad Request: PHOTO_INVALID_DIMENSIONS", true, false);
        check(400, "Bad Request: IMAGE_PROCESS_FAILED", true, false);
        check(400, "Bad Request: VOICE_MESSAGES_FORBIDDEN", true, false);
        check(400, "Bad Request: not enough rights to send photos to the chat", true, true);
        check(400, "Bad Request: not enough rights to send text messages to the chat", false, false);
        check(400, "Bad Request: chat not found", false, false);
        check(400, "Bad Request: message thread not found", false, false);
        check(400, "Bad Request: can't parse entities", false, false);
        check(403, "Forbidden: bot was blocked by the user", false, false);
        check(429, "Too Many Requests: retry after 3", false, false);
        check(502, "Bad Gateway", false, false);
    }

    #[test]
    fn names_have_nothing_that_telegram_reads_otherwise() {
        assert_eq!(plain("ü 日本.png"), "ü 日本.png");
        assert_eq!(plain("a\"; filename=\"b\\\r\n.exe"), "a__ filename=_b___.exe");
    }
}
