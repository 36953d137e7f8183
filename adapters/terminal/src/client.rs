//! The other end of the socket: a connection, one turn for a script, and the chat.

mod complete;
mod conversation;
mod editor;
mod link;
mod screen;
mod turn;

use std::io::Write;
use std::path::PathBuf;

pub use link::Link;
pub use screen::Dress;
pub use turn::{Ending, ask};

use crate::fault::TerminalFault;

/// How a chat is held.
#[derive(Debug, Clone)]
pub struct ChatSettings {
    /// Where the person's words come from.
    pub input: Input,
    /// How the bot's words look.
    pub dress: Dress,
}

/// Where a chat's words come from.
#[derive(Debug, Clone)]
pub enum Input {
    /// A person at a line editor; what they type is kept in this file.
    Editor {
        /// The file.
        history: PathBuf,
    },
    /// Lines of standard input: each is one turn, and the next is read when it has been answered.
    Lines,
}

/// Holds a chat until its input ends or the person leaves.
///
/// # Errors
/// The daemon is gone, or the terminal is.
pub async fn chat(
    link: Link,
    settings: &ChatSettings,
    out: &mut (impl Write + Send),
) -> Result<Ending, TerminalFault> {
    match &settings.input {
        Input::Editor { history } => conversation::hold(link, history, settings.dress).await,
        Input::Lines => turn::lines(link, settings.dress, out).await,
    }
}
