//! What of a line outlives the daemon, as it is kept in a note.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::marks::{Mark, Marks};
use crate::gateway::{Point, Session};

/// A line's note.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Record {
    /// How far its session was taken in.
    pub(crate) point: Option<Point>,
    /// How far its channels were read.
    pub(crate) marks: Marks,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    /// How many lines there were: with another number, this one brings other events.
    shards: u32,
    session: Option<KeptSession>,
    channels: Vec<KeptMark>,
}

#[derive(Serialize, Deserialize)]
struct KeptSession {
    id: String,
    url: Option<String>,
    seq: u64,
}

#[derive(Serialize, Deserialize)]
struct KeptMark {
    id: u64,
    guild: Option<u64>,
    last: u64,
    behind: bool,
}

impl Record {
    /// Reads a note of a line that was one of `shards`. Of another number, its channels hold, and all are behind.
    pub(crate) fn read(bytes: &[u8], shards: u32) -> Result<Self, serde_json::Error> {
        let kept: Kept = serde_json::from_slice(bytes)?;
        let same = kept.shards == shards;
        let mark = |mark: KeptMark| Mark {
            channel: mark.id,
            guild: mark.guild,
            last: mark.last,
            behind: mark.behind || !same,
        };
        let point = kept.session.filter(|_| same).map(|session| Point {
            seq: session.seq,
            session: Arc::new(Session { id: session.id, url: session.url }),
        });
        Ok(Self { point, marks: Marks::new(kept.channels.into_iter().map(mark).collect()) })
    }

    /// The note of a line that is one of `shards`.
    pub(crate) fn write(&self, shards: u32) -> Vec<u8> {
        let session = self.point.as_ref().map(|point| KeptSession {
            id: point.session.id.clone(),
            url: point.session.url.clone(),
            seq: point.seq,
        });
        let mark = |mark: &Mark| KeptMark {
            id: mark.channel,
            guild: mark.guild,
            last: mark.last,
            behind: mark.behind,
        };
        let kept = Kept { shards, session, channels: self.marks.all().iter().map(mark).collect() };
        // Numbers and texts are always JSON.
        serde_json::to_vec(&kept).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let session = Arc::new(Session { id: "s".to_owned(), url: Some("wss://x".to_owned()) });
        let mut marks = Marks::default();
        marks.read(1, Some(7), 10);
        marks.read(u64::MAX, None, u64::MAX);
        Record { point: Some(Point { session, seq: 42 }), marks }
    }

    #[test]
    fn notes_read_back() {
        for record in [record(), Record::default()] {
            assert_eq!(Record::read(&record.write(3), 3).unwrap(), record);
        }
    }

    #[test]
    fn with_another_number_of_lines_the_session_is_lost_and_the_channels_are_behind() {
        let mut expected = Record { point: None, ..record() };
        expected.marks.fall_behind();
        assert_eq!(Record::read(&record().write(1), 2).unwrap(), expected);
    }

    #[test]
    fn a_damaged_note_is_an_error() {
        for bytes in ["", "{}", "[1]", r#"{"shards":"x"}"#] {
            assert!(Record::read(bytes.as_bytes(), 1).is_err(), "{bytes}");
        }
    }
}
