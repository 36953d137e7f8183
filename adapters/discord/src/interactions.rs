//! Answers to those who called a slash command or pressed a button.
