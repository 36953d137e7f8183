//! What people send along with their words. In every shape it stands in one message with them, and before them, as the
//! vendors advise; what a shape has no place for is told to the model in words instead, so that nothing is passed over.

use std::borrow::Cow;
use std::fmt;

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use pensive_contract::media::{Media, MediaKind};
use pensive_contract::model::PromptTurn;
use pensive_contract::speech::{Speech, ToolResult};
use serde::{Serialize, Serializer};

/// A turn as the shapes write it.
pub(crate) enum Turn<'a> {
    /// A person: what they sent, then what they said. Never empty.
    Person(Vec<Part<'a>>),
    /// The model.
    Model(&'a Speech),
    /// What its calls came to.
    Tools(&'a [ToolResult]),
}

/// A part of what a person sent.
pub(crate) enum Part<'a> {
    /// Words.
    Text(Cow<'a, str>),
    /// Anything else.
    Media(&'a Media),
}

/// The turns, with what was sent and the words behind it as one. `takes` tells what the shape has a place for.
pub(crate) fn turns(turns: &[PromptTurn], takes: fn(&Media) -> bool) -> Vec<Turn<'_>> {
    let mut told = Vec::with_capacity(turns.len());
    let mut sent: Vec<Part<'_>> = Vec::new();
    for turn in turns {
        let other = match turn {
            PromptTurn::Media(media) => {
                sent.extend(media.iter().map(|media| part(media, takes)));
                continue;
            }
            PromptTurn::User(text) => {
                sent.push(Part::Text(text.into()));
                None
            }
            PromptTurn::Assistant(speech) => Some(Turn::Model(speech)),
            PromptTurn::Tools(results) => Some(Turn::Tools(results)),
        };
        told.extend(person(&mut sent));
        told.extend(other);
    }
    told.extend(person(&mut sent));
    told
}

fn person<'a>(sent: &mut Vec<Part<'a>>) -> Option<Turn<'a>> {
    (!sent.is_empty()).then(|| Turn::Person(std::mem::take(sent)))
}

fn part(media: &Media, takes: fn(&Media) -> bool) -> Part<'_> {
    if takes(media) { Part::Media(media) } else { Part::Text(missed(media).into()) }
}

/// What stands for something that the shape has no place for.
fn missed(media: &Media) -> String {
    let what = match media.kind {
        MediaKind::Image => "a picture",
        MediaKind::Audio => "a recording",
        MediaKind::Document => "a document",
    };
    let size = media.bytes.len().div_ceil(1024);
    format!("[The person also sent {what} ({}, {size} KiB), which this model cannot be given.]", media.mime)
}

/// About how many bytes a body takes that holds these turns, where something was sent with them.
pub(crate) fn weight(turns: &[PromptTurn]) -> usize {
    let sent = turns.iter().flat_map(|turn| match turn {
        PromptTurn::Media(media) => media.as_slice(),
        PromptTurn::User(_) | PromptTurn::Assistant(_) | PromptTurn::Tools(_) => &[],
    });
    let sizes = sent.map(|media| Encoded::length(&media.bytes));
    sizes.fold(16 << 10, usize::saturating_add)
}

/// All words of a person where nothing else was sent.
pub(crate) fn words(parts: &[Part<'_>]) -> Option<String> {
    let texts = parts.iter().map(|part| match part {
        Part::Text(text) => Some(text.as_ref()),
        Part::Media(_) => None,
    });
    texts.collect::<Option<Vec<_>>>().map(|texts| texts.join("\n\n"))
}

/// Bytes in base64, made as the body is written.
pub(crate) struct Encoded<'a>(pub(crate) &'a [u8]);

impl Encoded<'_> {
    /// How long they are in base64.
    pub(crate) fn length(bytes: &[u8]) -> usize {
        bytes.len().div_ceil(3).saturating_mul(4)
    }
}

impl Serialize for Encoded<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Base64Display::new(self.0, &STANDARD))
    }
}

/// A `data:` address that holds all of it.
pub(crate) struct DataUrl<'a>(pub(crate) &'a Media);

impl fmt::Display for DataUrl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "data:{};base64,{}", self.0.mime, Base64Display::new(&self.0.bytes, &STANDARD))
    }
}

impl Serialize for DataUrl<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What a document is called: as its sender calls it, cut to what every vendor takes, or by what it is.
pub(crate) fn title(media: &Media) -> Cow<'_, str> {
    const LONGEST: usize = 200;
    match media.name.as_deref().map(str::trim) {
        None | Some("") => "document.pdf".into(),
        Some(name) if name.chars().any(char::is_control) || name.len() > LONGEST => {
            name.chars().filter(|c| !c.is_control()).take(LONGEST / 4).collect()
        }
        Some(name) => name.into(),
    }
}

/// Whether something is a picture of the kinds that nearly everybody takes.
pub(crate) fn is_common_picture(media: &Media) -> bool {
    media.kind == MediaKind::Image && matches!(media.mime.as_str(), "image/jpeg" | "image/png" | "image/webp")
}

/// Whether something is a PDF, the one document that models read as it is.
pub(crate) fn is_pdf(media: &Media) -> bool {
    media.kind == MediaKind::Document && media.mime == "application/pdf"
}

#[cfg(test)]
pub(crate) mod tests;
