//! Answers while they are made: a message that is changed as they grow.
