//! `pensive send`: a message into a chat, through the daemon where one runs.

use std::io::{self, Read};

use pensive_contract::fault::{Fault, FaultClass};
use pensive_contract::ids::Account;
use pensive_terminal::Desk;
use pensive_terminal::wire::{Format, Push};
use serde::Serialize;

use super::{Setting, clock, daemon, load, print, print_json, runtime};
use crate::arguments::{Common, Send};
use crate::exit::Failure;
use crate::house::{House, Plan, Reach, masker, pick};
use crate::logs::{self, Talk};

/// The longest text that is read from standard input.
const LONGEST: u64 = 1024 * 1024;

#[derive(Serialize)]
struct Sent {
    messages: Vec<String>,
}

pub(super) fn send(common: &Common, asked: Send) -> Result<(), Failure> {
    let setting = load(common)?;
    logs::start(common, Talk::Quiet, masker(&setting.config));
    let json = asked.json;
    let push = push(asked)?;
    let runtime = runtime()?;
    let messages = runtime.block_on(deliver(setting, push))?;
    if json {
        return print_json(&Sent { messages });
    }
    print(&format!("sent: {}", messages.join(", ")))
}

fn push(asked: Send) -> Result<Push, Failure> {
    let text = match asked.text {
        Some(text) if text != "-" => text,
        Some(_) | None => read_text()?,
    };
    if text.trim().is_empty() {
        return Err(Failure::Usage("there is nothing to send: the text is empty".into()));
    }
    Ok(Push {
        channel: asked.channel,
        account: asked.account,
        to: asked.to,
        topic: asked.topic,
        text,
        format: if asked.plain { Format::Plain } else { Format::Markdown },
    })
}

fn read_text() -> Result<String, Failure> {
    let mut text = String::new();
    let read = io::stdin().lock().take(LONGEST).read_to_string(&mut text);
    read.map_err(|cause| Failure::Usage(format!("the text cannot be read from standard input: {cause}")))?;
    Ok(text)
}

async fn deliver(setting: Setting, push: Push) -> Result<Vec<String>, Failure> {
    if let Some(mut link) = daemon(&setting).await? {
        return Ok(link.send(push).await?);
    }
    let telegram = setting.config.telegram.iter().map(|bot| &bot.account);
    let discord = setting.config.discord.iter().map(|bot| &bot.account);
    let known: Vec<Account> = telegram.chain(discord).cloned().collect();
    let account = pick(&known, &push.channel, push.account.as_deref()).map_err(Failure::Usage)?;
    let plan = Plan { user: setting.user, ..Plan::new(setting.config, clock()) };
    let house = House::start(plan.reaching(Reach::Outgoing(account))).await?;
    let sent = house.front().send(push).await;
    // It has landed, or nobody can tell when it will.
    house.stop_soon().await;
    sent.map(|ids| ids.iter().map(|id| id.as_str().to_owned()).collect()).map_err(failure)
}

fn failure(fault: Fault) -> Failure {
    match fault.class {
        FaultClass::Again | FaultClass::AgainAfter(_) => Failure::Unreachable(fault.person),
        FaultClass::TellPerson | FaultClass::OursToMend => Failure::Failed(fault.person),
    }
}
