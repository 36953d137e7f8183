//! A message that was taken in, on disk.

use std::ops::Range;

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::Ticket;
use pensive_contract::inbound::{
    Addressed, Attachment, AttachmentKind, Inbound, InboundKind, Sender, TypedText,
};
use pensive_contract::store::{InboxEntry, InboxState};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::place::PlaceRecord;

/// See [`InboxEntry`]; its ticket is the record's key.
#[derive(Serialize, Deserialize)]
pub(crate) struct InboxRecord {
    state: StateRecord,
    inbound: InboundRecord,
}

/// See [`InboxState`].
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StateRecord {
    Waiting,
    Heeded,
    Running,
    /// Since when.
    Parked(i64),
}

/// See [`Inbound`].
#[derive(Serialize, Deserialize)]
pub(crate) struct InboundRecord {
    update: String,
    place: PlaceRecord,
    sender: SenderRecord,
    message: String,
    kind: KindRecord,
    addressed: AddressedRecord,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<AttachmentRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    album: Option<String>,
    at: i64,
}

#[derive(Serialize, Deserialize)]
struct SenderRecord {
    id: String,
    name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    roles: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum KindRecord {
    Message(TypedRecord),
    Edit(TypedRecord),
    Press {
        data: String,
        query: String,
    },
    Halt {
        stream: i64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        query: Option<String>,
    },
}

#[derive(Serialize, Deserialize)]
struct TypedRecord {
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    code: Vec<Range<usize>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    mentions: Vec<Range<usize>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bot: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum AddressedRecord {
    No,
    Yes,
}

/// See [`AttachmentKind`]. What an earlier version called otherwise is a file like any other.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum AttachmentKindRecord {
    Photo,
    Voice,
    Audio,
    #[serde(alias = "animation", alias = "video_note")]
    Video,
    Sticker,
    #[serde(other)]
    Document,
}

#[derive(Serialize, Deserialize)]
struct AttachmentRecord {
    kind: AttachmentKindRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    handle: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
}

impl InboxRecord {
    /// An entry that nobody has begun.
    pub(crate) fn waiting(inbound: &Inbound) -> Self {
        Self { state: StateRecord::Waiting, inbound: inbound.into() }
    }

    /// How far it has come.
    pub(crate) fn state(&self) -> StateRecord {
        self.state
    }

    /// The entry under `ticket`.
    pub(crate) fn entry(self, ticket: Ticket) -> InboxEntry {
        let state = match self.state {
            StateRecord::Waiting => InboxState::Waiting,
            StateRecord::Heeded => InboxState::Heeded,
            StateRecord::Running => InboxState::Running,
            StateRecord::Parked(_) => InboxState::Parked,
        };
        InboxEntry { ticket, state, inbound: self.inbound.into() }
    }
}

/// Writes `state` into an entry's JSON.
pub(crate) fn set_state(entry: &mut Value, state: StateRecord) {
    set(entry, "state", serde_json::to_value(state));
}

/// Makes an entry that nobody has begun one whose run was cut off.
pub(crate) fn doubt(entry: &mut Value) {
    if matches!(entry.get("state").and_then(Value::as_str), Some("waiting" | "heeded")) {
        set_state(entry, StateRecord::Running);
    }
}

/// Writes another message into an entry's JSON.
pub(crate) fn set_inbound(entry: &mut Value, inbound: &Inbound) {
    set(entry, "inbound", serde_json::to_value(InboundRecord::from(inbound)));
}

fn set(entry: &mut Value, name: &str, value: serde_json::Result<Value>) {
    if let (Value::Object(fields), Ok(value)) = (entry, value) {
        fields.insert(name.to_owned(), value);
    }
}

impl From<&Inbound> for InboundRecord {
    fn from(inbound: &Inbound) -> Self {
        Self {
            update: inbound.update.to_string(),
            place: (&inbound.place).into(),
            sender: SenderRecord {
                id: inbound.sender.id.to_string(),
                name: inbound.sender.name.clone(),
                roles: inbound.sender.roles.iter().map(ToString::to_string).collect(),
            },
            message: inbound.message.to_string(),
            kind: match &inbound.kind {
                InboundKind::Message(typed) => KindRecord::Message(typed.into()),
                InboundKind::Edit(typed) => KindRecord::Edit(typed.into()),
                InboundKind::Press { data, query } => {
                    KindRecord::Press { data: data.clone(), query: query.clone() }
                }
                InboundKind::Halt { stream, query } => {
                    KindRecord::Halt { stream: *stream, query: query.clone() }
                }
            },
            addressed: match inbound.addressed {
                Addressed::No => AddressedRecord::No,
                Addressed::Yes => AddressedRecord::Yes,
            },
            attachments: inbound.attachments.iter().map(AttachmentRecord::from).collect(),
            album: inbound.album.clone(),
            at: inbound.at.0,
        }
    }
}

impl From<InboundRecord> for Inbound {
    fn from(record: InboundRecord) -> Self {
        Self {
            update: record.update.into(),
            place: record.place.into(),
            sender: Sender {
                id: record.sender.id.into(),
                name: record.sender.name,
                roles: record.sender.roles.into_iter().map(Into::into).collect(),
            },
            message: record.message.into(),
            kind: match record.kind {
                KindRecord::Message(typed) => InboundKind::Message(typed.into()),
                KindRecord::Edit(typed) => InboundKind::Edit(typed.into()),
                KindRecord::Press { data, query } => InboundKind::Press { data, query },
                KindRecord::Halt { stream, query } => InboundKind::Halt { stream, query },
            },
            addressed: match record.addressed {
                AddressedRecord::No => Addressed::No,
                AddressedRecord::Yes => Addressed::Yes,
            },
            attachments: record.attachments.into_iter().map(Attachment::from).collect(),
            album: record.album,
            at: Timestamp(record.at),
        }
    }
}

impl From<&TypedText> for TypedRecord {
    fn from(typed: &TypedText) -> Self {
        Self {
            text: typed.text.clone(),
            code: typed.code.clone(),
            mentions: typed.mentions.clone(),
            bot: typed.bot_name.clone(),
        }
    }
}

impl From<TypedRecord> for TypedText {
    fn from(record: TypedRecord) -> Self {
        Self { text: record.text, code: record.code, mentions: record.mentions, bot_name: record.bot }
    }
}

impl From<AttachmentKind> for AttachmentKindRecord {
    fn from(kind: AttachmentKind) -> Self {
        match kind {
            AttachmentKind::Photo => Self::Photo,
            AttachmentKind::Voice => Self::Voice,
            AttachmentKind::Audio => Self::Audio,
            AttachmentKind::Video => Self::Video,
            AttachmentKind::Sticker => Self::Sticker,
            AttachmentKind::Document => Self::Document,
        }
    }
}

impl From<AttachmentKindRecord> for AttachmentKind {
    fn from(record: AttachmentKindRecord) -> Self {
        match record {
            AttachmentKindRecord::Photo => Self::Photo,
            AttachmentKindRecord::Voice => Self::Voice,
            AttachmentKindRecord::Audio => Self::Audio,
            AttachmentKindRecord::Video => Self::Video,
            AttachmentKindRecord::Sticker => Self::Sticker,
            AttachmentKindRecord::Document => Self::Document,
        }
    }
}

impl From<&Attachment> for AttachmentRecord {
    fn from(attachment: &Attachment) -> Self {
        let (name, handle) = (attachment.name.clone(), attachment.handle.clone());
        Self { kind: attachment.kind.into(), name, handle, size: attachment.size }
    }
}

impl From<AttachmentRecord> for Attachment {
    fn from(record: AttachmentRecord) -> Self {
        Self { kind: record.kind.into(), name: record.name, handle: record.handle, size: record.size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_version_noted_of_a_file_is_still_read() {
        let check = |json: &str, kind: AttachmentKind| {
            let record: AttachmentRecord = serde_json::from_str(json).unwrap();
            let expected = Attachment { kind, name: None, handle: "h".to_owned(), size: None };
            assert_eq!(Attachment::from(record), expected, "{json}");
        };
        check(r#"{"kind":"photo","handle":"h"}"#, AttachmentKind::Photo);
        check(r#"{"kind":"voice","handle":"h"}"#, AttachmentKind::Voice);
        check(r#"{"kind":"animation","handle":"h"}"#, AttachmentKind::Video);
        check(r#"{"kind":"video_note","handle":"h"}"#, AttachmentKind::Video);
        check(r#"{"kind":"something_else","handle":"h"}"#, AttachmentKind::Document);
    }
}
