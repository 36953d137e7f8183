//! What came with messages, fetched from where Discord keeps it.
