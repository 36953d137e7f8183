//! The trees that the store is made of, by name. A tree's name and number are on disk and never change.

/// One sorted map of keys to records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Tree {
    /// The store's own counters.
    Meta,
    /// Session records by session key.
    Sessions,
    /// Turns by session id and ticket.
    Transcript,
    /// Messages that are not done with, by ticket.
    Inbox,
    /// Events that were taken, by account and event id.
    Seen,
    /// The same events in the order in which they were taken, so that the oldest are found.
    SeenOrder,
    /// Where each account stands in its platform's stream.
    Cursors,
    /// Messages that are to go out, by ticket.
    Outbox,
    /// How far parts of these have come since the message was kept, by ticket and index.
    OutboxParts,
    /// Small values under a name.
    Notes,
    /// Records that could not be read, as they were, by tree and key.
    Quarantine,
}

/// What the records of a tree hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// A JSON value behind a checksum.
    Json,
    /// Bytes of somebody else behind a checksum.
    Sealed,
    /// Bytes as they were found.
    Bare,
}

/// What a part of a tree's key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A text.
    Text,
    /// A number that sorts by size.
    Number,
    /// All the bytes that are left.
    Bytes,
}

impl Tree {
    /// Every tree, in the order of export.
    pub(crate) const ALL: [Tree; 11] = [
        Tree::Meta,
        Tree::Sessions,
        Tree::Transcript,
        Tree::Inbox,
        Tree::Seen,
        Tree::SeenOrder,
        Tree::Cursors,
        Tree::Outbox,
        Tree::OutboxParts,
        Tree::Notes,
        Tree::Quarantine,
    ];

    /// The name on disk and in exports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Tree::Meta => "meta",
            Tree::Sessions => "sessions",
            Tree::Transcript => "transcript",
            Tree::Inbox => "inbox",
            Tree::Seen => "seen",
            Tree::SeenOrder => "seen_order",
            Tree::Cursors => "cursors",
            Tree::Outbox => "outbox",
            Tree::OutboxParts => "outbox_parts",
            Tree::Notes => "notes",
            Tree::Quarantine => "quarantine",
        }
    }

    /// The tree of that name.
    pub(crate) fn named(name: &str) -> Option<Tree> {
        Self::ALL.into_iter().find(|tree| tree.name() == name)
    }

    /// What its records hold.
    pub(crate) fn holds(self) -> Holds {
        match self {
            Tree::Meta
            | Tree::Sessions
            | Tree::Transcript
            | Tree::Inbox
            | Tree::Seen
            | Tree::SeenOrder
            | Tree::Cursors
            | Tree::Outbox
            | Tree::OutboxParts => Holds::Json,
            Tree::Notes => Holds::Sealed,
            Tree::Quarantine => Holds::Bare,
        }
    }

    /// How its keys are built.
    pub(crate) fn key(self) -> &'static [Piece] {
        match self {
            Tree::Meta | Tree::Sessions | Tree::Notes => &[Piece::Text],
            Tree::Transcript => &[Piece::Text, Piece::Number],
            Tree::Inbox | Tree::Outbox | Tree::SeenOrder => &[Piece::Number],
            Tree::OutboxParts => &[Piece::Number, Piece::Number],
            Tree::Seen => &[Piece::Text, Piece::Text, Piece::Text],
            Tree::Cursors => &[Piece::Text, Piece::Text],
            Tree::Quarantine => &[Piece::Text, Piece::Number, Piece::Bytes],
        }
    }

    /// A byte that stands for the tree in checksums, so that a record is whole only where it belongs.
    pub(crate) fn number(self) -> u8 {
        match self {
            Tree::Meta => 0,
            Tree::Sessions => 1,
            Tree::Transcript => 2,
            Tree::Inbox => 3,
            Tree::Seen => 4,
            Tree::SeenOrder => 5,
            Tree::Cursors => 6,
            Tree::Outbox => 7,
            Tree::Notes => 8,
            Tree::Quarantine => 9,
            Tree::OutboxParts => 10,
        }
    }
}
