//! A message that is to go out, on disk.

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::Ticket;
use pensive_contract::outward::{Button, Enclosure, Finality, Mark, Part, Style, Whole};
use pensive_contract::store::{OutboxEntry, OutboxKind, PartState, Standing};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::inbox::AttachmentKindRecord;
use super::place::{ChatKindRecord, PlaceRecord};

/// See [`OutboxEntry`]; its ticket is the record's key.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OutboxRecord {
    kind: KindRecord,
    place: PlaceRecord,
    parts: Vec<PartRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    buttons: Vec<ButtonRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply_to: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    standing: Option<StandingRecord>,
    finality: FinalityRecord,
    created: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum KindRecord {
    Answer,
    Acknowledgement,
    Notice,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum FinalityRecord {
    More,
    Last,
    Failed,
}

#[derive(Serialize, Deserialize)]
struct PartRecord {
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    marks: Vec<MarkRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    whole: Option<WholeRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<FileRecord>,
    state: StateRecord,
}

/// See [`Enclosure`].
#[derive(Serialize, Deserialize)]
struct FileRecord {
    agent: String,
    path: String,
    name: String,
    kind: AttachmentKindRecord,
    shelf: ChatKindRecord,
}

#[derive(Serialize, Deserialize)]
struct WholeRecord {
    form: String,
    parts: usize,
}

#[derive(Serialize, Deserialize)]
struct MarkRecord {
    start: usize,
    end: usize,
    style: StyleRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum StyleRecord {
    Bold,
    Italic,
    Underline,
    Strike,
    Spoiler,
    Code,
    Pre(String),
    Quote,
    Fold,
    Link(String),
}

/// See [`PartState`]; inside an entry as it was kept, and on its own once a part has come further.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StateRecord {
    Waiting,
    Trying,
    Sent(String),
    Unknown,
    Failed(String),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum StandingRecord {
    Settle(String),
    Remove(String),
}

#[derive(Serialize, Deserialize)]
struct ButtonRecord {
    label: String,
    data: String,
}

impl OutboxRecord {
    /// The entry under `ticket`.
    pub(crate) fn entry(self, ticket: Ticket) -> OutboxEntry {
        OutboxEntry {
            ticket,
            kind: match self.kind {
                KindRecord::Answer => OutboxKind::Answer,
                KindRecord::Acknowledgement => OutboxKind::Acknowledgement,
                KindRecord::Notice => OutboxKind::Notice,
            },
            place: self.place.into(),
            parts: self.parts.into_iter().map(PartRecord::part).collect(),
            buttons: self.buttons.into_iter().map(|b| Button { label: b.label, data: b.data }).collect(),
            reply_to: self.reply_to.map(Into::into),
            standing: self.standing.map(|standing| match standing {
                StandingRecord::Settle(id) => Standing::Settle(id.into()),
                StandingRecord::Remove(id) => Standing::Remove(id.into()),
            }),
            finality: match self.finality {
                FinalityRecord::More => Finality::More,
                FinalityRecord::Last => Finality::Last,
                FinalityRecord::Failed => Finality::Failed,
            },
            created: Timestamp(self.created),
        }
    }
}

/// Makes every part that is not known to have ended one that may have landed.
pub(crate) fn doubt_parts(entry: &mut Value) {
    let parts = entry.get_mut("parts").and_then(Value::as_array_mut);
    parts.into_iter().flatten().filter_map(|part| part.get_mut("state")).for_each(doubt_part);
}

/// The same for the state of one part.
pub(crate) fn doubt_part(state: &mut Value) {
    if state.as_str().is_some_and(|s| s == "waiting" || s == "trying") {
        *state = Value::from("unknown");
    }
}

impl From<OutboxEntry> for OutboxRecord {
    fn from(entry: OutboxEntry) -> Self {
        Self {
            kind: match entry.kind {
                OutboxKind::Answer => KindRecord::Answer,
                OutboxKind::Acknowledgement => KindRecord::Acknowledgement,
                OutboxKind::Notice => KindRecord::Notice,
            },
            place: (&entry.place).into(),
            parts: entry.parts.into_iter().map(PartRecord::new).collect(),
            buttons: entry
                .buttons
                .into_iter()
                .map(|b| ButtonRecord { label: b.label, data: b.data })
                .collect(),
            reply_to: entry.reply_to.map(|id| id.to_string()),
            standing: entry.standing.map(|standing| match standing {
                Standing::Settle(id) => StandingRecord::Settle(id.to_string()),
                Standing::Remove(id) => StandingRecord::Remove(id.to_string()),
            }),
            finality: match entry.finality {
                Finality::More => FinalityRecord::More,
                Finality::Last => FinalityRecord::Last,
                Finality::Failed => FinalityRecord::Failed,
            },
            created: entry.created.0,
        }
    }
}

impl PartRecord {
    fn new((part, state): (Part, PartState)) -> Self {
        let marks = part.marks.into_iter().map(|mark| MarkRecord {
            start: mark.range.start,
            end: mark.range.end,
            style: mark.style.into(),
        });
        let whole = part.whole.map(|whole| WholeRecord { form: whole.form, parts: whole.parts });
        Self {
            text: part.text,
            marks: marks.collect(),
            whole,
            file: part.file.map(Into::into),
            state: state.into(),
        }
    }

    fn part(self) -> (Part, PartState) {
        let marks =
            self.marks.into_iter().map(|mark| Mark { range: mark.start..mark.end, style: mark.style.into() });
        let whole = self.whole.map(|whole| Whole { form: whole.form, parts: whole.parts });
        (
            Part { text: self.text, marks: marks.collect(), whole, file: self.file.map(Into::into) },
            self.state.into(),
        )
    }
}

impl From<Enclosure> for FileRecord {
    fn from(file: Enclosure) -> Self {
        let (agent, kind, shelf) = (file.agent.to_string(), file.kind.into(), file.shelf.into());
        Self { agent, path: file.path, name: file.name, kind, shelf }
    }
}

impl From<FileRecord> for Enclosure {
    fn from(record: FileRecord) -> Self {
        let (agent, kind, shelf) = (record.agent.into(), record.kind.into(), record.shelf.into());
        Self { agent, path: record.path, name: record.name, kind, shelf }
    }
}

impl From<PartState> for StateRecord {
    fn from(state: PartState) -> Self {
        match state {
            PartState::Waiting => Self::Waiting,
            PartState::Trying => Self::Trying,
            PartState::Sent(id) => Self::Sent(id.to_string()),
            PartState::Unknown => Self::Unknown,
            PartState::Failed(words) => Self::Failed(words),
        }
    }
}

impl From<StateRecord> for PartState {
    fn from(record: StateRecord) -> Self {
        match record {
            StateRecord::Waiting => Self::Waiting,
            StateRecord::Trying => Self::Trying,
            StateRecord::Sent(id) => Self::Sent(id.into()),
            StateRecord::Unknown => Self::Unknown,
            StateRecord::Failed(words) => Self::Failed(words),
        }
    }
}

impl From<Style> for StyleRecord {
    fn from(style: Style) -> Self {
        match style {
            Style::Bold => Self::Bold,
            Style::Italic => Self::Italic,
            Style::Underline => Self::Underline,
            Style::Strike => Self::Strike,
            Style::Spoiler => Self::Spoiler,
            Style::Code => Self::Code,
            Style::Pre { language } => Self::Pre(language),
            Style::Quote => Self::Quote,
            Style::Fold => Self::Fold,
            Style::Link { url } => Self::Link(url),
        }
    }
}

impl From<StyleRecord> for Style {
    fn from(record: StyleRecord) -> Self {
        match record {
            StyleRecord::Bold => Self::Bold,
            StyleRecord::Italic => Self::Italic,
            StyleRecord::Underline => Self::Underline,
            StyleRecord::Strike => Self::Strike,
            StyleRecord::Spoiler => Self::Spoiler,
            StyleRecord::Code => Self::Code,
            StyleRecord::Pre(language) => Self::Pre { language },
            StyleRecord::Quote => Self::Quote,
            StyleRecord::Fold => Self::Fold,
            StyleRecord::Link(url) => Self::Link { url },
        }
    }
}
