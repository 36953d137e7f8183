//! What goes with a call: nothing, JSON, or JSON and a file.

use bytes::Bytes;
use pensive_contract::media::Media;
use reqwest::header::CONTENT_TYPE;
use reqwest::multipart::{Form, Part};

/// What goes with a call.
#[derive(Debug)]
pub(crate) enum Payload {
    /// Nothing.
    None,
    /// JSON.
    Json(Vec<u8>),
    /// JSON, and a file beside it, which the JSON names as attachment 0.
    WithFile(Vec<u8>, Media),
}

/// JSON and a file as Discord takes them together (<https://docs.discord.com/developers/reference#uploading-files>).
pub(super) fn form(json: Vec<u8>, file: Media) -> Form {
    let Media { mime, name, bytes, .. } = file;
    let bytes = Bytes::from_owner(bytes);
    let length = bytes.len() as u64;
    let content = Part::stream_with_length(reqwest::Body::from(bytes), length)
        .file_name(name.unwrap_or_else(|| "file".to_owned()));
    // The field of the file has brackets in its name, and Discord reads names as they stand.
    Form::new()
        .percent_encode_noop()
        .part("payload_json", typed(Part::bytes(json), "application/json"))
        .part("files[0]", typed(content, &mime))
}

fn typed(part: Part, mime: &str) -> Part {
    let kind = mime.parse().ok();
    part.headers(kind.map(|kind| (CONTENT_TYPE, kind)).into_iter().collect())
}
