//! `pensive chat`: with the daemon where one runs, otherwise with a house of its own.

use std::io::{self, IsTerminal, Write};

use pensive_terminal::{ChatSettings, Dress, Ending, Input, Link};

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
    settings: ChatSettings,
}

impl Conversation {
    fn of(asked: &Chat, setting: &Setting) -> Result<Self, Failure> {
        let message = asked.message.join(" ");
        let pick = asked.model.as_deref().map(pick).transpose()?;
        let only = Some(message).filter(|message| !message.trim().is_empty());
        Ok(Self { pick, only, settings: settings(asked, setting) })
    }
}

/// The directive that picks a model.
fn pick(model: &str) -> Result<String, Failure> {
    if model.is_empty() || model.contains(char::is_whitespace) {
        return Err(Failure::Usage(format!("{model:?} is no model: write provider/model or an alias")));
    }
    Ok(format!("/model {model}"))
}

fn settings(asked: &Chat, setting: &Setting) -> ChatSettings {
    let on_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let input = if on_terminal && !asked.json {
        Input::Editor { history: setting.config.folders.home.join("chat_history") }
    } else {
        Input::Lines
    };
    let dress = match (asked.json, io::stdout().is_terminal()) {
        (true, _) => Dress::Json,
        (false, true) => Dress::Coloured,
        (false, false) => Dress::Plain,
    };
    ChatSettings { input, dress }
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
    let Conversation { pick, only, settings } = talk;
    let mut out = io::stdout();
    if let Some(pick) = pick {
        let answer = picked(link, &pick).await?;
        if settings.dress != Dress::Json {
            out.write_all(answer.as_bytes())?;
        }
        link = daemon(setting).await?.ok_or_else(gone)?;
    }
    let ending = match only {
        Some(text) => pensive_terminal::ask(link, &text, settings.dress, &mut out).await?,
        None => pensive_terminal::chat(link, &settings, &mut out).await?,
    };
    match ending {
        Ending::Answered | Ending::Stopped | Ending::Left => Ok(()),
        Ending::Failed => Err(Failure::Failed("there is no answer".to_owned())),
    }
}

/// The answer to a pick. Where it was not heeded, another model than was meant would answer, so that is the end.
async fn picked(link: Link, pick: &str) -> Result<String, Failure> {
    let mut heard = Vec::new();
    pensive_terminal::ask(link, pick, Dress::Plain, &mut heard).await?;
    let answer = String::from_utf8_lossy(&heard).into_owned();
    let is_heeded =
        answer.lines().any(|line| line.starts_with("Model set to ") || line.starts_with("Model reset to "));
    if is_heeded { Ok(answer) } else { Err(Failure::Usage(answer.trim_end().to_owned())) }
}

fn gone() -> Failure {
    Failure::Unreachable("the chat could not reach its own socket".into())
}
