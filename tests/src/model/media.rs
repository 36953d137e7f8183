//! What requests carry beside text, wherever each API has it.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Serialize;
use serde_json::Value;

use super::{
    conversation::{list, word},
    request::Shape,
};

/// What something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaKind {
    /// A picture.
    Image,
    /// A recording.
    Audio,
    /// A document.
    Document,
}

/// Something that a request carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Media {
    /// What it is.
    pub kind: MediaKind,
    /// What the request says that it is; where the API has no place for that, what its bytes say.
    pub mime: String,
    /// What it is called, where the request says so.
    pub name: Option<String>,
    /// The thing itself.
    pub bytes: Vec<u8>,
}

/// The same as it stands in a body, right or wrong.
pub(crate) struct Found {
    pub(crate) kind: MediaKind,
    pub(crate) mime: String,
    pub(crate) name: Option<String>,
    /// What should be base64.
    pub(crate) data: String,
    /// How the vendor calls its place.
    pub(crate) place: String,
    /// Who sent it.
    pub(crate) role: String,
}

impl Found {
    /// The thing itself; nothing where it is no base64.
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        STANDARD.decode(&self.data).ok()
    }

    pub(crate) fn read(self) -> Option<Media> {
        let bytes = self.bytes()?;
        let mime = if self.mime.is_empty() { looks_like(&bytes).to_owned() } else { self.mime };
        Some(Media { kind: self.kind, mime, name: self.name, bytes })
    }
}

/// Everything that a body carries, in its order.
pub(crate) fn found(shape: Shape, body: &Value) -> Vec<Found> {
    let entries = match shape {
        Shape::Chat | Shape::Anthropic | Shape::Ollama => "messages",
        Shape::Responses => "input",
        Shape::Gemini => "contents",
    };
    let all = list(body, entries).enumerate();
    all.flat_map(|(at, entry)| match shape {
        Shape::Chat => parts(at, entry, "content", chat),
        Shape::Responses => parts(at, entry, "content", responses),
        Shape::Anthropic => parts(at, entry, "content", anthropic),
        Shape::Gemini => parts(at, entry, "parts", gemini),
        Shape::Ollama => parts(at, entry, "images", ollama),
    })
    .collect()
}

/// What the parts of an entry hold, with the entry's place and role put in.
fn parts(at: usize, entry: &Value, name: &str, read: fn(&Value) -> Option<Found>) -> Vec<Found> {
    let role = word(entry, "role");
    let all = list(entry, name).enumerate();
    all.filter_map(|(part, value)| {
        let found = read(value)?;
        Some(Found { place: format!("{at}.{name}.{part}{}", found.place), role: role.to_owned(), ..found })
    })
    .collect()
}

fn plain(kind: MediaKind, mime: &str, data: &str) -> Found {
    let (mime, data) = (mime.to_owned(), data.to_owned());
    Found { kind, mime, name: None, data, place: String::new(), role: String::new() }
}

/// A `data:` address; any other has no type and is left to the rules.
fn address(kind: MediaKind, url: &str) -> Found {
    let whole = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    whole.map_or_else(|| plain(kind, "", url), |(mime, data)| plain(kind, mime, data))
}

fn document(file: &Value) -> Found {
    let name = file.get("filename").and_then(Value::as_str).map(str::to_owned);
    Found { name, ..address(MediaKind::Document, word(file, "file_data")) }
}

fn chat(part: &Value) -> Option<Found> {
    let inner = part.get(word(part, "type"))?;
    match word(part, "type") {
        "image_url" => Some(address(MediaKind::Image, word(inner, "url"))),
        "input_audio" => {
            let mime = match word(inner, "format") {
                "mp3" => "audio/mpeg".to_owned(),
                other => format!("audio/{other}"),
            };
            Some(plain(MediaKind::Audio, &mime, word(inner, "data")))
        }
        "file" => Some(document(inner)),
        _ => None,
    }
}

fn responses(part: &Value) -> Option<Found> {
    match word(part, "type") {
        "input_image" => Some(address(MediaKind::Image, word(part, "image_url"))),
        "input_file" => Some(document(part)),
        _ => None,
    }
}

fn anthropic(part: &Value) -> Option<Found> {
    let kind = match word(part, "type") {
        "image" => MediaKind::Image,
        "document" => MediaKind::Document,
        _ => return None,
    };
    let source = part.get("source")?;
    let name = part.get("title").and_then(Value::as_str).map(str::to_owned);
    let place = format!(".{}.source.{}", word(part, "type"), word(source, "type"));
    Some(Found { name, place, ..plain(kind, word(source, "media_type"), word(source, "data")) })
}

fn gemini(part: &Value) -> Option<Found> {
    let blob = part.get("inlineData")?;
    let mime = word(blob, "mimeType");
    let kind = match mime.split('/').next() {
        Some("image") => MediaKind::Image,
        Some("audio") => MediaKind::Audio,
        Some(_) | None => MediaKind::Document,
    };
    Some(plain(kind, mime, word(blob, "data")))
}

fn ollama(part: &Value) -> Option<Found> {
    part.as_str().map(|data| plain(MediaKind::Image, "", data))
}

/// What bytes are, by their first ones; empty where they are nothing that is known here.
pub(crate) fn looks_like(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xFF, 0xD8, 0xFF, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => "audio/wav",
        [b'%', b'P', b'D', b'F', ..] => "application/pdf",
        [b'O', b'g', b'g', b'S', ..] => "audio/ogg",
        [b'I', b'D', b'3', ..] | [0xFF, 0xE0..=0xFF, ..] => "audio/mpeg",
        [b'f', b'L', b'a', b'C', ..] => "audio/flac",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => "audio/mp4",
        [0x1A, 0x45, 0xDF, 0xA3, ..] => "audio/webm",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(shape: Shape, body: &Value, expected: &[(MediaKind, &str, Option<&str>)]) {
        let media: Vec<Media> = found(shape, body).into_iter().filter_map(Found::read).collect();
        let seen: Vec<_> =
            media.iter().map(|media| (media.kind, media.mime.as_str(), media.name.as_deref())).collect();
        assert_eq!(seen, expected, "{body}");
        assert!(media.iter().all(|media| !media.bytes.is_empty()));
    }

    #[test]
    fn what_is_sent_is_found_in_every_shape() {
        use MediaKind::{Audio, Document, Image};
        let said = |content: Value| json!({"messages": [{"role": "user", "content": content}]});
        let (png, pdf) = ("data:image/png;base64,iVBORw==", "data:application/pdf;base64,JVBERi0=");
        check(
            Shape::Chat,
            &said(json!([
                {"type": "image_url", "image_url": {"url": png}},
                {"type": "input_audio", "input_audio": {"data": "T2dnUw==", "format": "ogg"}},
                {"type": "file", "file": {"filename": "a.pdf", "file_data": pdf}},
                {"type": "text", "text": "x"},
            ])),
            &[
                (Image, "image/png", None),
                (Audio, "audio/ogg", None),
                (Document, "application/pdf", Some("a.pdf")),
            ],
        );
        check(
            Shape::Responses,
            &json!({"input": [{"role": "user", "content": [
                {"type": "input_image", "image_url": png}, {"type": "input_file", "filename": "a.pdf", "file_data": pdf}]}]}),
            &[(Image, "image/png", None), (Document, "application/pdf", Some("a.pdf"))],
        );
        let source = |kind: &str, data: &str| json!({"type": "base64", "media_type": kind, "data": data});
        check(
            Shape::Anthropic,
            &said(json!([
                {"type": "image", "source": source("image/jpeg", "/9j/")},
                {"type": "document", "title": "a.pdf", "source": source("application/pdf", "JVBERi0=")},
            ])),
            &[(Image, "image/jpeg", None), (Document, "application/pdf", Some("a.pdf"))],
        );
        check(
            Shape::Gemini,
            &json!({"contents": [{"role": "user", "parts": [{"inlineData": {"mimeType": "audio/ogg", "data": "T2dnUw=="}}]}]}),
            &[(Audio, "audio/ogg", None)],
        );
        check(
            Shape::Ollama,
            &json!({"messages": [{"role": "user", "content": "", "images": ["iVBORw==", "R0lGODlh"]}]}),
            &[(Image, "image/png", None), (Image, "image/gif", None)],
        );
        check(Shape::Chat, &said(json!([{"type": "image_url", "image_url": {"url": "https://a"}}])), &[]);
    }
}
