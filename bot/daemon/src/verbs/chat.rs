//! `pensive chat`: with the daemon where one runs, otherwise with a house of its own.

use std::io::{self, IsTerminal};

use pensive_terminal::{Dress, Ending, Ink, Input, Link, Replies, Sheet, Sheets};

use super::run::adopt_ollama;
use super::{Setting, clock, daemon, load, runtime, tell};
use crate::arguments::{Chat, Common};
use crate::exit::Failure;
use crate::house::{House, Plan, Reach, masker};
use crate::logs::{self, Talk};

pub(super) fn chat(common: &Common, asked: &Chat) -> Result<(), Failure> {
    let setting = load(common)?;
    logs::start(common, Talk::Quiet, masker(&setting.config));
    let talk = Conversation::of(asked, &setting)?;
    let runtime = runtime()?;
    let result = runtime.block_on(hold(setting, talk));
    // A thread that reads from the terminal cannot be waited for.
    runtime.shutdown_background();
    result
}

/// What is to be said, and how.
struct Conversation {
    /// Said before anything else, and it has to be heeded.
    pick: Option<String>,
    /// The only thing to be said, where it is known already.
    only: Option<String>,
    input: Input,
    /// How standard output and standard error look.
    dress: [Dress; 2],
}

impl Conversation {
    fn of(asked: &Chat, setting: &Setting) -> Result<Self, Failure> {
        let message = asked.message.join(" ");
        let pick = asked.model.as_deref().map(pick).transpose()?;
        let only = Some(message).filter(|message| !message.trim().is_empty());
        Ok(Self { pick, only, input: input(asked, setting), dress: dress(asked, setting) })
    }
}

/// The directive that picks a model.
fn pick(model: &str) -> Result<String, Failure> {
    if model.is_empty() || model.contains(char::is_whitespace) {
        return Err(Failure::Usage(format!("{model:?} is no model: write provider/model or an alias")));
    }
    Ok(format!("/model {model}"))
}

fn input(asked: &Chat, setting: &Setting) -> Input {
    if io::stdin().is_terminal() && io::stdout().is_terminal() && !asked.json {
        Input::Editor { history: setting.config.folders.home.join("chat_history") }
    } else {
        Input::Lines
    }
}

fn dress(asked: &Chat, setting: &Setting) -> [Dress; 2] {
    let on = |is_terminal| match setting.ink {
        Some(ink) if is_terminal => Dress::Screen(ink),
        Some(_) | None => Dress::Plain,
    };
    let answer = if asked.json { Dress::Json } else { on(io::stdout().is_terminal()) };
    [answer, on(io::stderr().is_terminal())]
}

/// What a terminal can be told: nothing where it is no screen, no colours where the person wants none.
pub(super) fn ink(terminal: Option<&str>, no_colour: Option<&str>) -> Option<Ink> {
    match (terminal, no_colour) {
        (None | Some("dumb"), _) => None,
        (Some(_), Some(_)) => Some(Ink::None),
        (Some(_), None) => Some(Ink::Dim),
    }
}

async fn hold(mut setting: Setting, talk: Conversation) -> Result<(), Failure> {
    if let Some(link) = daemon(&setting).await? {
        return converse(link, talk, &setting).await;
    }
    let clock = clock();
    adopt_ollama(&mut setting.config, &*clock).await;
    let plan = Plan { user: setting.user.clone(), ..Plan::new(setting.config.clone(), clock) };
    let house = House::start(plan.reaching(Reach::Terminal)).await?;
    if talk.only.is_none() {
        tell("No daemon is running: this chat serves itself, without the other channels.");
    }
    let result = match daemon(&setting).await {
        Ok(Some(link)) => converse(link, talk, &setting).await,
        Ok(None) => Err(gone()),
        Err(failure) => Err(failure),
    };
    house.stop_soon().await;
    result
}

async fn converse(mut link: Link, talk: Conversation, setting: &Setting) -> Result<(), Failure> {
    let Conversation { pick, only, input, dress: [answer, aside] } = talk;
    let (mut out, mut err) = (io::stdout(), io::stderr());
    if let Some(pick) = pick {
        let told = picked(link, &pick).await?;
        if answer != Dress::Json {
            tell(told.trim_end());
        }
        link = daemon(setting).await?.ok_or_else(gone)?;
    }
    let sheets = Sheets {
        answer: Sheet { out: &mut out, dress: answer },
        aside: Sheet { out: &mut err, dress: aside },
    };
    let replies = if io::stdin().is_terminal() { Replies::Typed } else { Replies::None };
    let ending = match only {
        Some(text) => pensive_terminal::ask(link, &text, sheets, replies).await?,
        None => pensive_terminal::chat(link, &input, sheets).await?,
    };
    match ending {
        Ending::Answered | Ending::Stopped | Ending::Left => Ok(()),
        Ending::Failed => Err(Failure::Failed("there is no answer".to_owned())),
    }
}

/// The answer to a pick. Where it was not heeded, another model than was meant would answer, so that is the end.
async fn picked(link: Link, pick: &str) -> Result<String, Failure> {
    let (mut heard, mut beside) = (Vec::new(), Vec::new());
    let sheets = Sheets {
        answer: Sheet { out: &mut heard, dress: Dress::Plain },
        aside: Sheet { out: &mut beside, dress: Dress::Plain },
    };
    pensive_terminal::ask(link, pick, sheets, Replies::None).await?;
    let answer = String::from_utf8_lossy(&[beside, heard].concat()).into_owned();
    let is_heeded =
        answer.lines().any(|line| line.starts_with("Model set to ") || line.starts_with("Model reset to "));
    if is_heeded { Ok(answer) } else { Err(Failure::Usage(answer.trim_end().to_owned())) }
}

fn gone() -> Failure {
    Failure::Unreachable("the chat could not reach its own socket".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_told_what_it_can_do() {
        assert_eq!(ink(Some("xterm"), None), Some(Ink::Dim));
        assert_eq!(ink(Some("xterm"), Some("1")), Some(Ink::None));
        assert_eq!(ink(Some("dumb"), None), None);
        assert_eq!(ink(None, Some("1")), None);
    }
}
