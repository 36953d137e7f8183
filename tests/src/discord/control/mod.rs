//! Orders from outside the process, one JSON object each: `POST /_control` with `{"do": "say", "from": "Alice", "text": "hi"}`. The
//! console of the binary takes the same.

use std::time::Duration;

use axum::{
    Json, Router,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::post,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{DiscordFake, Fault, Line, Person, Resumable, Seen};

pub(crate) fn router() -> Router<DiscordFake> {
    Router::new().route("/", post(order))
}

async fn order(State(fake): State<DiscordFake>, body: String) -> Response {
    let done = match serde_json::from_str::<Order>(&body) {
        Ok(order) => perform(&fake, order).await,
        Err(error) => Err(error.to_string()),
    };
    match done {
        Ok(result) => Json(json!({"ok": true, "result": result})).into_response(),
        Err(error) => (StatusCode::BAD_REQUEST, Json(json!({"ok": false, "error": error}))).into_response(),
    }
}

/// Something to be done. `channel` is an id as text; without it the direct channel of `from` is meant.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// Ids and tokens.
    Bots,
    /// One more bot.
    AddBot {
        /// What it is called.
        username: String,
    },
    /// A person, new or known; gives their id and direct channel.
    Person {
        /// What they are called.
        name: String,
    },
    /// A guild with these people and the first bot, or the known one of this name; gives its id.
    Guild {
        /// What it is called.
        name: String,
        /// Names of people.
        #[serde(default)]
        members: Vec<String>,
    },
    /// A text channel of a guild, new or known.
    Channel {
        /// The guild's name.
        guild: String,
        /// The channel's.
        name: String,
    },
    /// A thread below a channel.
    Thread {
        /// The guild's name.
        guild: String,
        /// The channel's.
        channel: String,
        /// The thread's.
        name: String,
    },
    /// Somebody writes.
    Say {
        /// Who.
        from: String,
        /// Where.
        channel: Option<String>,
        /// What.
        text: String,
        /// The message that it answers.
        reply_to: Option<String>,
        /// Files: name, type, text.
        #[serde(default)]
        files: Vec<(String, String, String)>,
    },
    /// Somebody changes a message of theirs.
    Edit {
        /// Who.
        from: String,
        /// Where.
        channel: Option<String>,
        /// Which.
        message: String,
        /// What it says now.
        text: String,
    },
    /// Somebody deletes a message of theirs.
    Delete {
        /// Who.
        from: String,
        /// Where.
        channel: Option<String>,
        /// Which.
        message: String,
    },
    /// Somebody calls a command by its form.
    Command {
        /// Who.
        from: String,
        /// Where.
        channel: Option<String>,
        /// The command.
        name: String,
        /// Options with their values.
        #[serde(default)]
        options: Vec<(String, String)>,
    },
    /// Somebody types behind an option; gives what is offered.
    Complete {
        /// Who.
        from: String,
        /// Where.
        channel: Option<String>,
        /// The command.
        name: String,
        /// The option.
        option: String,
        /// What stands there so far.
        typed: String,
    },
    /// Somebody presses a button.
    Press {
        /// Who.
        from: String,
        /// Where.
        channel: Option<String>,
        /// Below which message.
        message: String,
        /// What it says.
        label: String,
    },
    /// Somebody chooses in a menu.
    Choose {
        /// Who.
        from: String,
        /// Where.
        channel: Option<String>,
        /// Below which message.
        message: String,
        /// The value or its label.
        value: String,
    },
    /// What somebody sees.
    Sees {
        /// Who.
        from: String,
        /// Where.
        channel: Option<String>,
    },
    /// Something happens to the first bot's connections.
    Line(LineOrder),
    /// The next calls go wrong.
    Fault(FaultOrder),
    /// No fault any more.
    ClearFaults,
    /// Nobody is limited.
    Unlimited,
    /// So many such calls in so many milliseconds.
    Limit {
        /// `POST /channels/{}/messages` and the like.
        call: String,
        /// How many.
        calls: u32,
        /// In what time.
        milliseconds: u64,
    },
    /// `heartbeat_interval` of connections to come, in milliseconds.
    BeatEvery {
        /// How long.
        milliseconds: u64,
    },
    /// What should not have been sent.
    Violations,
    /// Calls so far.
    Calls,
    /// What clients said on the gateway.
    Commands,
    /// Forgets calls and violations.
    Forget,
}

/// What happens to a line.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", tag = "what")]
pub enum LineOrder {
    /// Op 7.
    Reconnect,
    /// Op 9 with true.
    InvalidResumable,
    /// Op 9 with false.
    Invalid,
    /// Ends without a word.
    Drop,
    /// Is reset.
    Reset,
    /// Lives on and is dead.
    Zombie,
    /// Closes.
    Close {
        /// With this code.
        code: u16,
    },
    /// The newest event of a kind once more.
    Repeat {
        /// Which kind.
        event: String,
    },
    /// Any event.
    Event {
        /// Its name.
        event: String,
        /// What it says.
        data: Value,
    },
    /// How many sessions have a connection.
    Open,
}

/// How calls go wrong.
#[derive(Debug, Deserialize)]
pub struct FaultOrder {
    /// `POST /channels/{}/messages` and the like; any call without it.
    call: Option<String>,
    /// Only in this channel.
    channel: Option<String>,
    /// Hits so many; one without it.
    times: Option<usize>,
    /// The call takes effect all the same.
    #[serde(default)]
    after: bool,
    /// `reset`, `silence`, `truncated`, `html`; a 500 without it.
    how: Option<String>,
    /// 429 with this wait.
    retry_after: Option<f64>,
}

/// Carries an order out, or says what is wrong with it.
pub async fn perform(fake: &DiscordFake, order: Order) -> Result<Value, String> {
    Ok(match order {
        Order::Bots => json!([{"id": fake.bot().id().to_string(), "token": fake.token()}]),
        Order::AddBot { username } => {
            let bot = fake.add_bot(&username);
            json!({"id": bot.id().to_string(), "token": bot.token()})
        }
        Order::Person { name } => {
            let person = fake.person(&name);
            json!({"id": person.id().to_string(), "channel": person.channel().to_string()})
        }
        Order::Guild { name, members } => {
            let people: Vec<Person> = members.iter().map(|name| fake.person(name)).collect();
            let people: Vec<&Person> = people.iter().collect();
            let guild = fake.guild_named(&name).unwrap_or_else(|| fake.guild(&name, &people));
            json!({"id": guild.id().to_string()})
        }
        Order::Channel { guild, name } => {
            let guild = fake.guild_named(&guild).ok_or("no such guild")?;
            json!({"id": guild.channel(&name).id().to_string()})
        }
        Order::Thread { guild, channel, name } => {
            let guild = fake.guild_named(&guild).ok_or("no such guild")?;
            json!({"id": guild.channel(&channel).thread(&name).id().to_string()})
        }
        Order::Say { from, channel, text, reply_to, files } => {
            let person = placed(fake, &from, channel)?;
            let files: Vec<(&str, &str, &[u8])> = files
                .iter()
                .map(|(name, kind, text)| (name.as_str(), kind.as_str(), text.as_bytes()))
                .collect();
            let message = match reply_to {
                Some(to) => person.reply(number(&to)?, &text),
                None if files.is_empty() => person.say(&text),
                None => person.send(&text, &files),
            };
            message.to_string().into()
        }
        Order::Edit { from, channel, message, text } => {
            placed(fake, &from, channel)?.edit(number(&message)?, &text);
            true.into()
        }
        Order::Delete { from, channel, message } => {
            placed(fake, &from, channel)?.delete(number(&message)?);
            true.into()
        }
        Order::Command { from, channel, name, options } => {
            let person = placed(fake, &from, channel)?;
            if !person.is_offered(&name) {
                return Err(format!("no command /{name} is offered here"));
            }
            let options: Vec<(&str, &str)> = options.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            person.command(&name, &options).id().to_string().into()
        }
        Order::Complete { from, channel, name, option, typed } => {
            let person = placed(fake, &from, channel)?;
            if !person.is_offered(&name) {
                return Err(format!("no command /{name} is offered here"));
            }
            let choices = person.complete(&name, &option, &typed).await;
            choices.into_iter().map(|choice| json!({"label": choice.label, "value": choice.value})).collect()
        }
        Order::Press { from, channel, message, label } => {
            placed(fake, &from, channel)?.press(number(&message)?, &label).id().to_string().into()
        }
        Order::Choose { from, channel, message, value } => {
            placed(fake, &from, channel)?.choose(number(&message)?, &value).id().to_string().into()
        }
        Order::Sees { from, channel } => placed(fake, &from, channel)?.sees().iter().map(shown).collect(),
        Order::Line(order) => line(&fake.line(), order),
        Order::Fault(order) => {
            fake.inject(fault(order)?);
            true.into()
        }
        Order::ClearFaults => {
            fake.clear_faults();
            true.into()
        }
        Order::Unlimited => {
            fake.unlimited();
            true.into()
        }
        Order::Limit { call, calls, milliseconds } => {
            fake.limit(&call, calls, Duration::from_millis(milliseconds));
            true.into()
        }
        Order::BeatEvery { milliseconds } => {
            fake.beat_every(Duration::from_millis(milliseconds));
            true.into()
        }
        Order::Violations => json!(fake.violations()),
        Order::Calls => json!(fake.calls_where(|_| true)),
        Order::Commands => fake
            .commands()
            .iter()
            .map(|said| json!({"op": said.op, "d": said.d, "closed": said.closed}))
            .collect(),
        Order::Forget => {
            fake.forget();
            true.into()
        }
    })
}

fn number(id: &str) -> Result<u64, String> {
    id.parse().map_err(|_| format!("{id} is no id"))
}

fn placed(fake: &DiscordFake, name: &str, channel: Option<String>) -> Result<Person, String> {
    let person = fake.person(name);
    Ok(match channel {
        Some(channel) => person.at(number(&channel)?),
        None => person,
    })
}

/// A message as an order shows it.
fn shown(seen: &Seen) -> Value {
    let menus: Value = seen
        .menus
        .iter()
        .map(|menu| json!({"id": menu.id, "options": menu.options.iter().map(|option| option.label.clone()).collect::<Vec<_>>()}))
        .collect();
    let files: Value = seen
        .attachments
        .iter()
        .map(|file| json!({"name": file.name, "size": file.size, "url": file.url}))
        .collect();
    json!({
        "id": seen.id.to_string(), "from": seen.from.to_string(), "by_bot": seen.by_bot, "text": seen.text,
        "buttons": seen.buttons, "menus": menus, "reply_to": seen.reply_to.map(|id| id.to_string()),
        "ephemeral": seen.ephemeral, "loading": seen.loading, "edited": seen.edited, "files": files,
        "embeds": seen.embeds,
    })
}

fn line(line: &Line, order: LineOrder) -> Value {
    match order {
        LineOrder::Reconnect => line.ask_to_reconnect(),
        LineOrder::InvalidResumable => line.invalidate(Resumable::Yes),
        LineOrder::Invalid => line.invalidate(Resumable::No),
        LineOrder::Drop => line.drop_connection(),
        LineOrder::Reset => line.reset(),
        LineOrder::Zombie => line.go_silent(),
        LineOrder::Close { code } => line.close(code),
        LineOrder::Repeat { event } => line.repeat(&event),
        LineOrder::Event { event, data } => line.event(&event, &data),
        LineOrder::Open => return line.open().into(),
    }
    true.into()
}

fn fault(order: FaultOrder) -> Result<Fault, String> {
    let mut fault = order.call.as_deref().map_or_else(Fault::on_any, Fault::on);
    if let Some(channel) = &order.channel {
        fault = fault.in_channel(number(channel)?);
    }
    fault = match (order.how.as_deref(), order.retry_after) {
        (None, None) => fault,
        (None, Some(seconds)) => fault.retry_after(seconds),
        (Some("reset"), _) => fault.reset(),
        (Some("silence"), _) => fault.silence(),
        (Some("truncated"), _) => fault.truncated(),
        (Some("html"), _) => fault.html(502),
        (Some(other), _) => return Err(format!("{other} is no way to go wrong")),
    };
    let fault = if order.after { fault.after_commit() } else { fault };
    Ok(fault.times(order.times.unwrap_or(1)))
}
