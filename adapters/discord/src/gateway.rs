//! The line that events come in by.
