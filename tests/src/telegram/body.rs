//! A call's arguments out of whatever body a client likes: JSON, form, multipart, or the query string alone.

use axum::{
    extract::{DefaultBodyLimit, FromRequest, Multipart, Request},
    http::{HeaderMap, header::CONTENT_TYPE},
};
use bytes::Bytes;
use serde_json::{Map, Value};

use super::refusal::Refusal;

/// Fields as they came, text unless the body was JSON, and the uploaded files by part name.
#[derive(Debug, Default)]
pub(crate) struct Given {
    pub(crate) fields: Map<String, Value>,
    pub(crate) files: Vec<Upload>,
}

/// One uploaded part.
#[derive(Clone, Debug)]
pub(crate) struct Upload {
    pub(crate) part: String,
    pub(crate) name: String,
    pub(crate) bytes: Bytes,
}

/// Reads query and body; a field of the body wins over one of the query.
pub(crate) async fn read(query: Option<&str>, headers: &HeaderMap, body: Bytes) -> Result<Given, Refusal> {
    let mut given = Given { fields: pairs(query.unwrap_or_default().as_bytes())?, files: Vec::new() };
    if body.is_empty() {
        return Ok(given);
    }
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.to_ascii_lowercase();
    if kind.starts_with("application/json") {
        match serde_json::from_slice(&body) {
            Ok(Value::Object(fields)) => given.fields.extend(fields),
            Ok(_) | Err(_) => return Err(Refusal::malformed("can't parse JSON object")),
        }
    } else if kind.starts_with("multipart/form-data") {
        multipart(&mut given, headers, body).await?;
    } else if kind.starts_with("application/x-www-form-urlencoded") {
        given.fields.extend(pairs(&body)?);
    }
    Ok(given)
}

fn pairs(encoded: &[u8]) -> Result<Map<String, Value>, Refusal> {
    let mut fields = Map::new();
    for pair in encoded.split(|b| *b == b'&').filter(|pair| !pair.is_empty()) {
        let mut halves = pair.splitn(2, |b| *b == b'=');
        let mut half = || decode(halves.next().unwrap_or_default(), b' ');
        let (name, value) = (half()?, half()?);
        fields.insert(name, value.into());
    }
    Ok(fields)
}

/// A path as it was before some clients encoded the colon of the token and others the slashes of a file's name.
pub(crate) fn path(encoded: &str) -> Result<String, Refusal> {
    decode(encoded.as_bytes(), b'+')
}

/// Undoes percent-encoding; `blank` is what a plus sign stands for.
fn decode(encoded: &[u8], blank: u8) -> Result<String, Refusal> {
    let mut plain = Vec::with_capacity(encoded.len());
    let mut bytes = encoded.iter().copied();
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'+' => blank,
            b'%' => {
                let digit = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16)).map(|d| d as u8);
                match (digit(bytes.next()), digit(bytes.next())) {
                    (Some(high), Some(low)) => high * 16 + low,
                    _ => return Err(Refusal::malformed("can't decode the request's percent-encoding")),
                }
            }
            other => other,
        });
    }
    String::from_utf8(plain).map_err(|_| Refusal::malformed("strings must be encoded in UTF-8"))
}

async fn multipart(given: &mut Given, headers: &HeaderMap, body: Bytes) -> Result<(), Refusal> {
    let unreadable =
        |error: &dyn std::fmt::Display| Refusal::malformed(format!("can't parse multipart body: {error}"));
    let mut request = Request::new(body.into());
    *request.headers_mut() = headers.clone();
    DefaultBodyLimit::disable().apply(&mut request);
    let mut parts = Multipart::from_request(request, &()).await.map_err(|e| unreadable(&e))?;
    while let Some(part) = parts.next_field().await.map_err(|e| unreadable(&e))? {
        let name = part.name().unwrap_or_default().to_owned();
        let file = part.file_name().map(str::to_owned);
        let bytes = part.bytes().await.map_err(|e| unreadable(&e))?;
        match file {
            Some(file) => given.files.push(Upload { part: name, name: file, bytes }),
            None => {
                let text = String::from_utf8(bytes.into());
                let text = text.map_err(|_| Refusal::malformed("strings must be encoded in UTF-8"))?;
                given.fields.insert(name, text.into());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pairs_are_decoded() {
        let check = |encoded: &str, expected: Value| {
            assert_eq!(pairs(encoded.as_bytes()).ok().map(Value::Object), Some(expected), "{encoded}");
        };
        check("", json!({}));
        check("a=1&b=x+y%20z&c", json!({"a": "1", "b": "x y z", "c": ""}));
        check("t=%F0%9F%98%80%3D", json!({"t": "😀="}));
        assert!(pairs(b"a=%zz").is_err());
        assert!(pairs(b"a=%ff").is_err());
    }
}
