//! What models take beside text: rows of patterns, apart from those of levels because the two rarely change together.

use pensive_contract::media::MediaKind;
use serde::Deserialize;

use super::{fitting, undated};

/// What models of these names take.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TakesRow {
    /// Patterns, as for other rows; `*` alone is every model that no other row names.
    r#match: Vec<String>,
    takes: Vec<Kind>,
    /// Where this comes from and when it was read.
    #[expect(dead_code, reason = "for whoever reads the file; that it is there is checked with the rest")]
    source: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Image,
    Audio,
    Document,
}

/// Kinds of things beside text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Takes {
    image: bool,
    audio: bool,
    document: bool,
}

impl Takes {
    /// These kinds.
    pub(crate) fn of(kinds: &[MediaKind]) -> Self {
        let has = |kind| kinds.contains(&kind);
        Self {
            image: has(MediaKind::Image),
            audio: has(MediaKind::Audio),
            document: has(MediaKind::Document),
        }
    }

    /// What is in both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            image: self.image && other.image,
            audio: self.audio && other.audio,
            document: self.document && other.document,
        }
    }

    /// The kinds in words of the port.
    pub(crate) fn kinds(self) -> &'static [MediaKind] {
        use MediaKind::{Audio, Document, Image};
        match (self.image, self.audio, self.document) {
            (false, false, false) => &[],
            (true, false, false) => &[Image],
            (false, true, false) => &[Audio],
            (false, false, true) => &[Document],
            (true, true, false) => &[Image, Audio],
            (true, false, true) => &[Image, Document],
            (false, true, true) => &[Audio, Document],
            (true, true, true) => &[Image, Audio, Document],
        }
    }
}

/// What the longest pattern that fits says. A stranger who only speaks like this vendor is judged by names alone.
pub(super) fn takes(rows: &[TakesRow], model: &str, is_own: bool) -> Takes {
    let patterns = rows.iter().flat_map(|row| row.r#match.iter().map(move |pattern| (pattern.as_str(), row)));
    let found = fitting(patterns.filter(|(pattern, _)| is_own || *pattern != "*"), undated(model));
    found.map_or_else(Takes::default, |row| {
        let has = |kind| row.takes.contains(&kind);
        Takes { image: has(Kind::Image), audio: has(Kind::Audio), document: has(Kind::Document) }
    })
}
