//! The lines of an export, which is a text that people may read and other programs may write.
//!
//! ```text
//! {"pensive-store":1,"made":1800000000000}                      first: the format's version
//! {"tree":"sessions","key":["agent:main:…"],"v":1,"value":{…}}  a record as it is stored
//! {"tree":"notes","key":["menu"],"v":1,"base64":"AP8H"}         a record that is no JSON
//! {"tree":"inbox","key":[4294967296],"gone":true}               a record that was removed while the export was made
//! {"end":true,"lines":3}                                        last: how many lines there are between
//! ```
//! The last line about a key holds. Values are copied letter for letter, with whatever fields they have.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::frame::{self, Damage, Frame};
use crate::key::{Key, Part};
use crate::tree::{Holds, Piece, Tree};
use crate::{key, record};

/// The version of the format.
const FORMAT: u32 = 1;

/// The first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    #[serde(rename = "pensive-store")]
    format: u32,
    /// When, in milliseconds since 1970.
    made: i64,
}

impl Header {
    /// The header of an export that is made now.
    pub(crate) fn new(made: i64) -> Self {
        Self { format: FORMAT, made }
    }
}

/// The last line.
#[derive(Serialize, Deserialize)]
pub(crate) struct End {
    end: bool,
    /// How many lines there are between the first and this one.
    pub(crate) lines: u64,
}

impl End {
    /// The end after so many lines.
    pub(crate) fn after(lines: u64) -> Self {
        Self { end: true, lines }
    }
}

#[derive(Serialize, Deserialize)]
struct RecordLine<'a> {
    tree: &'a str,
    key: Vec<KeyPart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    v: Option<u8>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    value: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    gone: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum KeyPart {
    Number(u64),
    Text(String),
}

/// The line of a record. What cannot be read is exported as the quarantine record that it would become.
pub(crate) fn record_line(tree: Tree, key: &[u8], bytes: &[u8]) -> Result<Vec<u8>, Damage> {
    let parts = key::parts(tree, key).ok_or(Damage::Shape)?;
    let empty = RecordLine {
        tree: tree.name(),
        key: key_parts(parts),
        v: None,
        value: None,
        base64: None,
        gone: false,
    };
    match tree.holds() {
        Holds::Bare => json(&RecordLine { base64: Some(BASE64.encode(bytes)), ..empty }),
        Holds::Sealed => {
            let Frame { version, payload } = frame::unseal(tree, key, bytes)?;
            json(&RecordLine { v: Some(version), base64: Some(BASE64.encode(payload)), ..empty })
        }
        Holds::Json => {
            let Frame { version, payload } = frame::unseal(tree, key, bytes)?;
            let value = serde_json::from_slice(payload).map_err(|_| Damage::Shape)?;
            json(&RecordLine { v: Some(version), value: Some(value), ..empty })
        }
    }
}

/// The line that says that a record was removed.
pub(crate) fn gone_line(tree: Tree, key: &[u8]) -> Result<Vec<u8>, Damage> {
    let key = key_parts(key::parts(tree, key).ok_or(Damage::Shape)?);
    json(&RecordLine { tree: tree.name(), key, v: None, value: None, base64: None, gone: true })
}

/// What a line says.
pub(crate) enum Line {
    /// A record, or that there is none any more.
    Record(Tree, Key, Option<Vec<u8>>),
    /// That there are no more.
    End(End),
}

impl Line {
    /// Reads one line behind the first; the words say what is wrong with it.
    pub(crate) fn parse(line: &[u8]) -> Result<Self, String> {
        if let Ok(end) = serde_json::from_slice::<End>(line) {
            return Ok(Self::End(end));
        }
        let line: RecordLine<'_> = serde_json::from_slice(line).map_err(|cause| shown(&cause))?;
        let tree = Tree::named(line.tree).ok_or_else(|| format!("there is no tree {:?}", line.tree))?;
        let key = read_key(tree, line.key).ok_or_else(|| format!("not a key of the tree {}", tree.name()))?;
        if line.gone {
            return Ok(Self::Record(tree, key, None));
        }
        let bytes = || {
            let text = line.base64.as_ref().ok_or("`base64` is missing")?;
            BASE64.decode(text).map_err(|_| "`base64` is not base64")
        };
        let version = line.v.ok_or("`v` is missing");
        let payload = match tree.holds() {
            Holds::Bare => return Ok(Self::Record(tree, key, Some(bytes()?))),
            Holds::Sealed => bytes()?,
            Holds::Json => line.value.ok_or("`value` is missing")?.get().as_bytes().to_vec(),
        };
        let frame = Frame { version: version?, payload: &payload };
        let sealed = frame::seal(tree, key.as_bytes(), frame);
        match record::check(tree, key.as_bytes(), &sealed) {
            Ok(()) | Err(Damage::Newer) => Ok(Self::Record(tree, key, Some(sealed))),
            Err(Damage::Short | Damage::Checksum | Damage::Shape) => {
                Err(format!("not a record of the tree {}", tree.name()))
            }
        }
    }
}

/// Reads the first line.
pub(crate) fn check_header(line: &[u8]) -> Result<(), String> {
    let header: Header =
        serde_json::from_slice(line).map_err(|_| "not the first line of an export".to_owned())?;
    if header.format > FORMAT {
        return Err(format!("format {} is newer than this program's {FORMAT}", header.format));
    }
    Ok(())
}

/// A line's JSON; what it is made of cannot fail to be written.
pub(crate) fn json<T: Serialize>(line: &T) -> Result<Vec<u8>, Damage> {
    serde_json::to_vec(line).map_err(|_| Damage::Shape)
}

/// Where in the line the JSON is broken; never its text.
fn shown(cause: &serde_json::Error) -> String {
    format!("not a line of an export (column {})", cause.column())
}

fn key_parts(parts: Vec<Part>) -> Vec<KeyPart> {
    let part = |part| match part {
        Part::Text(text) => KeyPart::Text(text),
        Part::Number(number) => KeyPart::Number(number),
        Part::Bytes(bytes) => KeyPart::Text(BASE64.encode(bytes)),
    };
    parts.into_iter().map(part).collect()
}

fn read_key(tree: Tree, parts: Vec<KeyPart>) -> Option<Key> {
    let pieces = tree.key();
    if parts.len() != pieces.len() {
        return None;
    }
    let mut key = Key::default();
    for (piece, part) in pieces.iter().zip(parts) {
        key = match (piece, part) {
            (Piece::Text, KeyPart::Text(text)) => key.text(&text),
            (Piece::Number, KeyPart::Number(number)) => key.number(number),
            (Piece::Bytes, KeyPart::Text(text)) => key.bytes(&BASE64.decode(text).ok()?),
            (Piece::Text | Piece::Bytes, KeyPart::Number(_)) | (Piece::Number, KeyPart::Text(_)) => {
                return None;
            }
        };
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::frame::VERSION;

    fn check(tree: Tree, key: &Key, bytes: &[u8], expected: &str) {
        let line = record_line(tree, key.as_bytes(), bytes).unwrap();
        assert_eq!(std::str::from_utf8(&line).unwrap(), expected);
        match Line::parse(&line) {
            Ok(Line::Record(read_tree, read_key, Some(read))) => {
                assert_eq!((read_tree, &read_key, read.as_slice()), (tree, key, bytes));
            }
            _ => panic!("{expected}"),
        }
    }

    #[test]
    fn lines_of_each_kind_read_back() {
        let meta = Key::default().text("life");
        let sealed = record::write(Tree::Meta, &meta, &7_u64);
        check(Tree::Meta, &meta, &sealed, r#"{"tree":"meta","key":["life"],"v":1,"value":7}"#);
        let note = Key::default().text("menu");
        let sealed =
            frame::seal(Tree::Notes, note.as_bytes(), Frame { version: VERSION, payload: &[0, 255] });
        check(Tree::Notes, &note, &sealed, r#"{"tree":"notes","key":["menu"],"v":1,"base64":"AP8="}"#);
        let aside = Key::default().text("inbox").number(3).bytes(&[9]);
        check(
            Tree::Quarantine,
            &aside,
            b"?",
            r#"{"tree":"quarantine","key":["inbox",3,"CQ=="],"base64":"Pw=="}"#,
        );
        let gone = gone_line(Tree::Notes, note.as_bytes()).unwrap();
        assert!(matches!(Line::parse(&gone), Ok(Line::Record(Tree::Notes, key, None)) if key == note));
    }

    proptest! {
        #[test]
        fn any_line_is_read_or_refused(line in ".*", bytes: Vec<u8>) {
            prop_assert!(Line::parse(line.as_bytes()).is_err());
            prop_assert!(Line::parse(&bytes).is_err());
            prop_assert!(check_header(&bytes).is_err());
        }
    }
}
