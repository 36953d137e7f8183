//! What Discord's gateway sends, as far as we read it.
