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

/// Caption fields, or why the caption cannot stand.
pub(super) fn caption_fields(call: &mut Call<'_>) -> Result<Map<String, Value>, Refusal> {
    let text = call.text("caption").unwrap_or_default();
    let entities = call.get("caption_entities");
    let formatted = text::format(&Source { text, parse_mode: call.text("parse_mode"), entities })?;
    if utf16_len(&formatted.text) > CAPTION_LIMIT {
        return Err(Refusal::malformed("message caption is too long"));
    }
    call.remarks.extend(formatted.remarks);
    let mut fields = Map::new();
    if !formatted.text.is_empty() {
        text::put(&mut fields, &formatted.text, &formatted.entities, ("caption", "caption_entities"));
    }
    Ok(fields)
}

/// Sends the file in the field `kind`: an upload, a known file id, or an address that is not fetched.
pub(super) fn send(call: &mut Call<'_>, kind: &'static str) -> Result<Value, Refusal> {
    let place = places::open(call, Purpose::Message)?;
    let mut content = caption_fields(call)?;
    let given = call.text(kind).unwrap_or_default().to_owned();
    let part = given.strip_prefix("attach://").unwrap_or(kind);
    let upload = call.files.iter().find(|upload| upload.part == part).cloned();
    let object = match upload {
        Some(upload) if upload.bytes.is_empty() => return Err(Refusal::malformed("file must be non-empty")),
        Some(upload) => store(call, kind, &upload),
        None if given.is_empty() => {
            return Err(Refusal::malformed(format!("there is no {kind} in the request")));
        }
        None if given.starts_with("http") => json!({"file_id": given, "file_unique_id": given}),
        None if call.world.files.contains_key(&given) => json!({"file_id": given, "file_unique_id": given}),
        None => {
            return Err(Refusal::bad_request(
                "wrong remote file identifier specified: Wrong character in the string",
            ));
        }
    };
    content.insert(kind.into(), dressed(kind, object));
    send::deliver(call, place, content)
}

fn store(call: &mut Call<'_>, kind: &str, upload: &Upload) -> Value {
    let (id, serial) = call.world.keep_file(&format!("{kind}s"), &upload.name, upload.bytes.clone());
    json!({"file_id": id, "file_unique_id": format!("u{serial}"), "file_size": upload.bytes.len(), "file_name": upload.name})
}

/// Adds what an object of this kind must have; the fake does not look into files.
pub(crate) fn dressed(kind: &str, mut file: Value) -> Value {
    let extra = match kind {
        "photo" => json!({"width": 640, "height": 480}),
        "voice" => json!({"duration": 1, "mime_type": "audio/ogg"}),
        _ => json!({}),
    };
    if let (Some(file), Value::Object(extra)) = (file.as_object_mut(), extra) {
        file.extend(extra);
        if kind != "document" {
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
    if file.bytes.len() > DOWNLOAD_LIMIT {
        return Err(Refusal::bad_request("file is too big"));
    }
    Ok(
        json!({"file_id": id, "file_unique_id": format!("u{id}"), "file_size": file.bytes.len(), "file_path": file.path}),
    )
}
