//! Messages with a file, and the way back from a file id to its bytes.

use serde_json::{Map, Value, json};

use super::{
    Call,
    places::{self, Purpose},
    send,
};
use crate::telegram::{
    body::Upload,
    refusal::Refusal,
    text::{self, CAPTION_LIMIT, Source, utf16_len},
};

/// Bytes that a bot can download.
const DOWNLOAD_LIMIT: usize = 20 * 1024 * 1024;

/// Bytes that a bot can send, and in a photo.
const UPLOAD_LIMIT: usize = 50 * 1024 * 1024;
const PHOTO_LIMIT: usize = 10 * 1024 * 1024;

/// Caption fields, or why the caption cannot stand.
pub(super) fn caption_fields(call: &mut Call<'_>) -> Result<Map<String, Value>, Refusal> {
    let text = call.text("caption").unwrap_or_default();
    let entities = call.get("caption_entities");
    let (fields, remarks) = captioned(&Source { text, parse_mode: call.text("parse_mode"), entities })?;
    call.remarks.extend(remarks);
    Ok(fields)
}

/// Caption fields and what is to be said about them.
fn captioned(source: &Source<'_>) -> Result<(Map<String, Value>, Vec<String>), Refusal> {
    let formatted = text::format(source)?;
    if utf16_len(&formatted.text) > CAPTION_LIMIT {
        return Err(Refusal::malformed("message caption is too long"));
    }
    let mut fields = Map::new();
    if !formatted.text.is_empty() {
        text::put(&mut fields, &formatted.text, &formatted.entities, ("caption", "caption_entities"));
    }
    Ok((fields, formatted.remarks))
}

/// Sends the file in the field `kind`.
pub(super) fn send(call: &mut Call<'_>, kind: &'static str) -> Result<Value, Refusal> {
    let place = places::open(call, Purpose::Message)?;
    let mut content = caption_fields(call)?;
    let given = call.text(kind).unwrap_or_default().to_owned();
    content.insert(kind.into(), named(call, kind, &given)?);
    send::deliver(call, place, content)
}

/// Sends an album: a message for each file, with what ties them together.
pub(super) fn send_group(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let place = places::open(call, Purpose::Message)?;
    let media = call.get("media").and_then(Value::as_array).cloned().unwrap_or_default();
    if !(2..=10).contains(&media.len()) {
        return Err(Refusal::malformed("group send failed: 2 to 10 media must be given"));
    }
    let group = format!("{}{}", call.bot, call.world.serial());
    let mut contents = Vec::new();
    for item in &media {
        let field = |name: &str| item.get(name).and_then(Value::as_str);
        let (kind, given) = (field("type").unwrap_or_default(), field("media").unwrap_or_default());
        let source = Source {
            text: field("caption").unwrap_or_default(),
            parse_mode: field("parse_mode"),
            entities: item.get("caption_entities"),
        };
        let (mut content, remarks) = captioned(&source)?;
        call.remarks.extend(remarks);
        content.insert("media_group_id".into(), group.clone().into());
        content.insert(kind.to_owned(), named(call, kind, given)?);
        contents.push(content);
    }
    let sent = contents.into_iter().map(|content| send::deliver(call, place, content));
    sent.collect::<Result<Vec<_>, _>>().map(Value::Array)
}

/// The file that an argument names: an upload, a known file id, or an address that is not fetched.
fn named(call: &mut Call<'_>, kind: &str, given: &str) -> Result<Value, Refusal> {
    let part = given.strip_prefix("attach://").unwrap_or(kind);
    let upload = call.files.iter().find(|upload| upload.part == part).cloned();
    let object = match upload {
        Some(upload) if upload.bytes.is_empty() => return Err(Refusal::malformed("file must be non-empty")),
        Some(upload) if upload.bytes.len() > UPLOAD_LIMIT => {
            return Err(Refusal::new(413, "Request Entity Too Large"));
        }
        Some(upload) if kind == "photo" && upload.bytes.len() > PHOTO_LIMIT => {
            return Err(Refusal::malformed("file is too big for a photo"));
        }
        Some(upload) => store(call, kind, &upload),
        None if given.is_empty() => {
            return Err(Refusal::malformed(format!("there is no {kind} in the request")));
        }
        None if given.starts_with("http") => json!({"file_id": given, "file_unique_id": given}),
        None if call.world.files.contains_key(given) => json!({"file_id": given, "file_unique_id": given}),
        None => {
            return Err(Refusal::bad_request(
                "wrong remote file identifier specified: Wrong character in the string",
            ));
        }
    };
    Ok(dressed(kind, object))
}

fn store(call: &mut Call<'_>, kind: &str, upload: &Upload) -> Value {
    let (id, serial) = call.world.keep_file(&format!("{kind}s"), &upload.name, upload.bytes.clone());
    json!({"file_id": id, "file_unique_id": format!("u{serial}"), "file_size": upload.bytes.len(), "file_name": upload.name})
}

/// What a client would make of a file's name.
fn mime_type(file: &Value) -> &'static str {
    let name = file.get("file_name").and_then(Value::as_str).unwrap_or_default();
    match name.rsplit('.').next() {
        Some("txt" | "md" | "log") => "text/plain",
        Some("json") => "application/json",
        Some("pdf") => "application/pdf",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}

/// Adds what an object of this kind must have; the fake does not look into files.
pub(crate) fn dressed(kind: &str, mut file: Value) -> Value {
    let extra = match kind {
        "photo" => json!({"width": 640, "height": 480}),
        "document" => json!({"mime_type": mime_type(&file)}),
        "voice" => json!({"duration": 1, "mime_type": "audio/ogg"}),
        "audio" => json!({"duration": 1, "mime_type": "audio/mpeg"}),
        "video" | "animation" => {
            json!({"width": 640, "height": 480, "duration": 1, "mime_type": "video/mp4"})
        }
        _ => json!({}),
    };
    if let (Some(file), Value::Object(extra)) = (file.as_object_mut(), extra) {
        file.extend(extra);
        if matches!(kind, "photo" | "voice") {
            file.shift_remove("file_name");
        }
    }
    if kind == "photo" { json!([file]) } else { file }
}

pub(super) fn get(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let id = call.text("file_id").unwrap_or_default();
    let file = call.world.files.get(id);
    let file =
        file.ok_or_else(|| Refusal::bad_request("wrong file_id or the file is temporarily unavailable"))?;
    if file.size() > DOWNLOAD_LIMIT {
        return Err(Refusal::bad_request("file is too big"));
    }
    Ok(
        json!({"file_id": id, "file_unique_id": format!("u{id}"), "file_size": file.size(), "file_path": file.path}),
    )
}
