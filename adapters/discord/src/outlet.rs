//! Sends: a part becomes one message.
