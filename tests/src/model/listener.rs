//! `POST …/audio/transcriptions` of OpenAI and those who speak like it: a form with a recording in, its words out.

use axum::{
    extract::{FromRequest, Multipart, Request as HttpRequest, multipart::Field},
    response::Response,
};
use bytes::Bytes;
use serde_json::json;

use super::{
    ModelFake,
    failure::Failure,
    media::looks_like,
    request::Shape,
    server::{failed, json},
};

/// Endings of names by which a recording's kind is told.
const KINDS: [&str; 9] = ["flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "ogg", "wav", "webm"];

/// The fields that the form may have, beside the file and the model.
const FIELDS: [&str; 8] = [
    "language",
    "prompt",
    "response_format",
    "temperature",
    "stream",
    "chunking_strategy",
    "include[]",
    "timestamp_granularities[]",
];

/// Bytes of a recording that are taken.
const LARGEST: usize = 26_214_400;

/// A recording that was sent to be written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The model that was to do it.
    pub model: String,
    /// What the file is called.
    pub name: String,
    /// What the form says that it is.
    pub mime: String,
    /// The recording itself.
    pub bytes: Bytes,
}

/// Answers with the words that a test gave, or what the vendor says to such a form.
pub(crate) async fn listen(fake: &ModelFake, request: HttpRequest) -> Response {
    match read(request).await {
        Ok(recording) => match fake.hear(recording) {
            Ok(words) => json(&json!({"text": words, "usage": {"type": "duration", "seconds": 3}})),
            Err(failure) => failed(&failure, Shape::Chat),
        },
        Err(failure) => failed(&failure, Shape::Chat),
    }
}

async fn read(request: HttpRequest) -> Result<Recording, Failure> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Failure::words(400, format!("Could not parse multipart form: {error}"))
    };
    let mut form = Multipart::from_request(request, &()).await.map_err(|error| unreadable(&error))?;
    let (mut model, mut file) = (None, None);
    while let Some(field) = form.next_field().await.map_err(|error| unreadable(&error))? {
        match field.name().unwrap_or_default() {
            "model" => model = Some(field.text().await.map_err(|error| unreadable(&error))?),
            "file" => file = Some(recording(field).await?),
            "response_format" => {
                let format = field.text().await.map_err(|error| unreadable(&error))?;
                if format != "json" {
                    return Err(Failure::words(
                        400,
                        format!("response_format '{format}' is not compatible with this fake"),
                    ));
                }
            }
            name if FIELDS.contains(&name) => {}
            name => {
                let words = format!("Unrecognized request argument supplied: {name}");
                return Err(Failure::words(400, words));
            }
        }
    }
    let missing = |name: &str| Failure::words(400, format!("you must provide a {name} parameter"));
    let model = model.filter(|model| !model.is_empty()).ok_or_else(|| missing("model"))?;
    Ok(Recording { model, ..file.ok_or_else(|| missing("file"))? })
}

async fn recording(field: Field<'_>) -> Result<Recording, Failure> {
    let name = field.file_name().unwrap_or_default().to_owned();
    let mime = field.content_type().unwrap_or_default().to_owned();
    let bytes = field.bytes().await.map_err(|error| Failure::words(400, error.to_string()))?;
    if bytes.len() > LARGEST {
        let words = format!("Maximum content size limit ({LARGEST}) exceeded ({} bytes read)", bytes.len());
        return Err(Failure::words(413, words));
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending).unwrap_or_default();
    if !KINDS.contains(&ending) || looks_like(&bytes).split('/').next() != Some("audio") {
        let words = format!("Invalid file format. Supported formats: {KINDS:?}");
        return Err(Failure::words(400, words));
    }
    Ok(Recording { model: String::new(), name, mime, bytes })
}
