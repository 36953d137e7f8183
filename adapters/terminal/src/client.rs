//! The other end of the socket: a connection, one turn for a script, and the chat.

mod asked;
mod canvas;
mod complete;
mod conversation;
mod editor;
#[cfg(test)]
mod glass;
mod link;
mod live;
mod screen;
mod stdin;
mod turn;

use std::path::PathBuf;

pub use link::Link;
pub use screen::{Dress, Ink, Sheet, Sheets, harmless};
pub use turn::{Ending, Replies, ask};

use crate::fault::TerminalFault;

/// Where a chat's words come from.
#[derive(Debug, Clone)]
pub enum Input {
    /// A person at a line editor; what they type is kept in this file.
    Editor {
        /// The file.
        history: PathBuf,
    },
    /// Lines of standard input: each is one turn, and the next is read when it has been answered, or when a question comes.
    Lines,
}

/// Holds a chat until its input ends or the person leaves. At a line editor everything is shown on the terminal.
///
/// # Errors
/// The daemon is gone, or the terminal is.
pub async fn chat(link: Link, input: &Input, sheets: Sheets<'_>) -> Result<Ending, TerminalFault> {
    match input {
        Input::Editor { history } => conversation::hold(link, history, sheets.answer.dress).await,
        Input::Lines => turn::lines(link, sheets).await,
    }
}
