//! `pensive chat`: with the daemon where one runs, otherwise with a house of its own.

use std::io::{self, IsTerminal};

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
    /// Said first.
    first: Option<String>,
    /// Nothing more is said after it.
    only: bool,
    settings: ChatSettings,
}

impl Conversation {
    fn of(asked: &Chat, setting: &Setting) -> Result<Self, Failure> {
        let message = asked.message.join(" ");
        let pick = asked.model.as_deref().map(pick).transpose()?;
        let only = !message.trim().is_empty();
        let first = match (pick, only) {
            (Some(pick), true) => Some(format!("{pick}\n{message}")),
            (None, true) => Some(message),
            (pick, false) => pick,
        };
        Ok(Self { first, only, settings: settings(asked, setting) })
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
        return converse(link, talk).await;
    }
    let clock = clock();
    adopt_ollama(&mut setting.config, &*clock).await;
    let plan = Plan { user: setting.user.clone(), ..Plan::new(setting.config.clone(), clock) };
    let house = House::start(plan.reaching(Reach::Terminal)).await?;
    if !talk.only {
        tell("No daemon is running: this chat serves itself, without the other channels.");
    }
    let result = match daemon(&setting).await {
        Ok(Some(link)) => converse(link, talk).await,
        Ok(None) => Err(Failure::Unreachable("the chat could not reach its own socket".into())),
        Err(failure) => Err(failure),
    };
    house.stop_soon().await;
    result
}

async fn converse(mut link: Link, talk: Conversation) -> Result<(), Failure> {
    let Conversation { first, only, settings } = talk;
    let mut out = io::stdout();
    let ending = match first {
        Some(text) if only => pensive_terminal::ask(link, &text, settings.dress, &mut out).await?,
        first => {
            if let Some(text) = first {
                link.say(&text).await?;
            }
            pensive_terminal::chat(link, &settings, &mut out).await?
        }
    };
    match ending {
        Ending::Answered | Ending::Stopped | Ending::Left => Ok(()),
        Ending::Failed => Err(Failure::Failed("there is no answer".to_owned())),
    }
}
