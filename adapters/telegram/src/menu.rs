//! The list of commands that people see when they type a slash, sent when it has changed.

use std::time::Duration;

use pensive_directives::CommandSpec;
use sha2::{Digest, Sha256};
use teloxide_core::payloads::SetMyCommands;
use teloxide_core::types::{BotCommand, BotCommandScope};

use crate::account::Bot;
use crate::client::CallFault;
use crate::pauses::Pauses;

/// Limits of setMyCommands (<https://core.telegram.org/bots/api#setmycommands>, <https://core.telegram.org/bots/api#botcommand>).
const MOST_COMMANDS: usize = 100;
const LONGEST_DESCRIPTION: usize = 256;
const LONGEST_COMMAND: usize = 32;
/// A menu is not worth more attempts; the next start makes new ones.
const ATTEMPTS: usize = 8;

impl Bot {
    /// Sends the menu unless this bot has it already.
    pub(crate) async fn publish_menu(&self, id: i64) {
        let menu = menu(pensive_directives::table());
        let note = format!("telegram/{id}/menu");
        let print = fingerprint(&menu);
        match self.notes.note(&note).await {
            Ok(Some(kept)) if kept == print => return,
            Ok(_) => {}
            Err(fault) => {
                tracing::warn!(account = %self.account, %fault, "whether the menu was sent is not known")
            }
        }
        for scope in [BotCommandScope::Default, BotCommandScope::AllGroupChats] {
            if let Err(fault) = self.send_menu(menu.clone(), scope).await {
                tracing::warn!(account = %self.account, %fault, "the command menu could not be set");
                return;
            }
        }
        if let Err(fault) = self.notes.keep(&note, print).await {
            tracing::warn!(account = %self.account, %fault, "that the menu was sent could not be kept");
        }
    }

    async fn send_menu(&self, mut menu: Vec<BotCommand>, scope: BotCommandScope) -> Result<(), CallFault> {
        let mut pauses = Pauses::default();
        let mut attempts = 1..ATTEMPTS;
        loop {
            let asked =
                SetMyCommands { commands: menu.clone(), scope: Some(scope.clone()), language_code: None };
            let Err(fault) = self.client.call::<_, bool>(&asked).await else { return Ok(()) };
            let next = if attempts.next().is_some() { next(&fault) } else { Next::GiveUp };
            match next {
                Next::Fewer => menu.truncate(menu.len() * 4 / 5),
                Next::After(wait) => self.clock.sleep(wait).await,
                Next::Later => self.clock.sleep(pauses.next()).await,
                Next::GiveUp => return Err(fault),
            }
        }
    }
}

/// What to do when the menu was not taken.
enum Next {
    /// Telegram limits the length of all descriptions together.
    Fewer,
    After(Duration),
    Later,
    GiveUp,
}

fn next(fault: &CallFault) -> Next {
    match fault {
        CallFault::Refused(no) if no.description.contains("BOT_COMMANDS_TOO_MUCH") => Next::Fewer,
        CallFault::Refused(no) if no.code == 429 => Next::After(no.wait()),
        CallFault::Refused(no) if no.code < 500 => Next::GiveUp,
        CallFault::Refused(_) | CallFault::Unreached(_) | CallFault::Overdue(_) | CallFault::Lost(_) => {
            Next::Later
        }
    }
}

/// The table as Telegram takes it.
fn menu(table: &[CommandSpec]) -> Vec<BotCommand> {
    let fits = |word: &&CommandSpec| {
        (1..=LONGEST_COMMAND).contains(&word.word.len())
            && word.word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    let command = |spec: &CommandSpec| {
        let description: String = spec.summary.chars().take(LONGEST_DESCRIPTION).collect();
        BotCommand::new(spec.word, if description.is_empty() { spec.word.to_owned() } else { description })
    };
    table.iter().filter(fits).take(MOST_COMMANDS).map(command).collect()
}

fn fingerprint(menu: &[BotCommand]) -> Vec<u8> {
    let mut hash = Sha256::new();
    for command in menu {
        hash.update(&command.command);
        hash.update([0]);
        hash.update(&command.description);
        hash.update([0]);
    }
    hash.finalize().to_vec()
}
