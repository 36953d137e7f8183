//! Orders from outside the process, one JSON object each: `POST /_control` with `{"do": "say", "from": 500001, "text": "hi"}`. The
//! console of the binary takes the same.

mod order;

use std::time::Duration;

use axum::{
    Json, Router,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::post,
};
use serde_json::{Value, json};

use self::order::AnswerOrder;
pub use self::order::{FaultOrder, Order, Say};
use super::{
    ChatKind, Draft, Fault, FloodLimits, Person, Room, TelegramFake, conversation::Seen, fault::Answer,
    refusal::Refusal,
};

pub(crate) fn router() -> Router<TelegramFake> {
    Router::new().route("/", post(order))
}

async fn order(State(fake): State<TelegramFake>, body: String) -> Response {
    let done = match serde_json::from_str::<Order>(&body) {
        Ok(order) => perform(&fake, order).await,
        Err(error) => Err(error.to_string()),
    };
    match done {
        Ok(result) => Json(json!({"ok": true, "result": result})).into_response(),
        Err(error) => (StatusCode::BAD_REQUEST, Json(json!({"ok": false, "error": error}))).into_response(),
    }
}

/// Carries out an order, or says what is wrong with it.
pub async fn perform(fake: &TelegramFake, order: Order) -> Result<Value, String> {
    let bot = fake.bot();
    Ok(match order {
        Order::Bots => bots(fake),
        Order::AddBot { username } => {
            let bot = fake.add_bot(&username);
            json!({"id": bot.id(), "token": bot.token(), "username": username})
        }
        Order::User { name, id } => {
            let person = match id {
                Some(id) => fake.user_with_id(id, &name),
                None => fake.person(&name),
            };
            person.start(&bot);
            json!({"id": person.id(), "username": person.username()})
        }
        Order::Room { kind, title, members } => json!({"id": room(fake, &kind, &title, &members)?.id()}),
        Order::Topic { chat, by, name } => {
            json!({"topic": Room::known(fake, chat)?.topic(&name, &person(fake, by)?)})
        }
        Order::DeleteTopic { chat, topic } => {
            Room::known(fake, chat)?.delete_topic(topic);
            true.into()
        }
        Order::Say(say) => say_it(fake, say)?,
        Order::Edit { from, chat, message_id, text } => {
            json!({"update_id": placed(fake, from, chat)?.edit(message_id, &text)})
        }
        Order::Press { from, chat, label } => {
            let press = placed(fake, from, chat)?.press(&label).ok_or("no message here has such a button")?;
            json!({"id": press.id(), "update_id": press.update_id})
        }
        Order::PressAnswer { id } => fake.press_answer(&id).unwrap_or_default(),
        Order::StopDraft { from } => person(fake, from)?.stop_draft().into(),
        Order::TurnOff { methods } if methods.is_empty() => {
            fake.turn_all_on();
            true.into()
        }
        Order::TurnOff { methods } => {
            fake.turn_off(&methods.iter().map(String::as_str).collect::<Vec<_>>());
            true.into()
        }
        Order::Limit => {
            fake.limit(FloodLimits::default());
            true.into()
        }
        Order::Silence { chat, seconds } => {
            bot.silence(chat, Duration::from_secs(seconds));
            true.into()
        }
        Order::Downloads => json!(fake.downloads()),
        Order::Block { user } => {
            person(fake, user)?.block();
            true.into()
        }
        Order::Unblock { user } => {
            person(fake, user)?.unblock();
            true.into()
        }
        Order::Update { update } => json!({"update_id": bot.push_update(update)}),
        Order::Hold => {
            bot.hold_updates();
            true.into()
        }
        Order::Release => {
            bot.release_updates();
            true.into()
        }
        Order::Reverse => {
            bot.reverse_pending();
            true.into()
        }
        Order::Repeat { update_id } => bot.repeat(update_id).into(),
        Order::NextUpdateId { id } => {
            bot.set_next_update_id(id);
            true.into()
        }
        Order::Fault(order) => {
            fake.inject(fault(fake, order));
            true.into()
        }
        Order::ClearFaults => {
            fake.clear_faults();
            true.into()
        }
        Order::OpenGate { name } => {
            fake.gate(&name).open();
            true.into()
        }
        Order::Calls { method, after, wait } => calls(fake, method.as_deref(), after, wait).await,
        Order::Messages { chat } => fake.messages(chat).into_iter().map(seen).collect(),
        Order::Draft { chat } => fake.draft(chat).map_or(Value::Null, drafted),
        Order::Commands { scope } => bot.commands(&scope).unwrap_or_default(),
        Order::Violations => json!(fake.violations()),
        Order::Forget => {
            fake.forget();
            true.into()
        }
    })
}

fn bots(fake: &TelegramFake) -> Value {
    let world = fake.world();
    let bot = |(token, id): (&String, &i64)| {
        let username = world.bots.get(id).map(|bot| bot.username.clone());
        json!({"id": id, "token": token, "username": username})
    };
    world.tokens.iter().map(bot).collect()
}

fn person(fake: &TelegramFake, id: i64) -> Result<Person, String> {
    let known = fake.world().users.contains_key(&id);
    if known { Ok(fake.user_with_id(id, "")) } else { Err(format!("there is no user {id}")) }
}

fn placed(fake: &TelegramFake, from: i64, chat: Option<i64>) -> Result<Person, String> {
    let person = person(fake, from)?;
    match chat.filter(|chat| *chat != from) {
        Some(chat) => Ok(person.at(&Room::known(fake, chat)?)),
        None => Ok(person),
    }
}

fn room(fake: &TelegramFake, kind: &str, title: &str, members: &[i64]) -> Result<Room, String> {
    let members = members.iter().map(|id| person(fake, *id)).collect::<Result<Vec<_>, _>>()?;
    let members: Vec<&Person> = members.iter().collect();
    match kind {
        "group" => Ok(fake.group(title, &members)),
        "supergroup" => Ok(fake.supergroup(title, &members)),
        "forum" => Ok(fake.forum(title, &members)),
        "channel" => Ok(fake.channel(title)),
        other => Err(format!("no such kind of room: {other}")),
    }
}

fn say_it(fake: &TelegramFake, say: Say) -> Result<Value, String> {
    let mut person = placed(fake, say.from, say.chat)?;
    if let Some(username) = &say.bot {
        let bot = fake.bot_named(username).ok_or_else(|| format!("there is no bot {username}"))?;
        person = person.to_bot(&bot);
    }
    if let Some(topic) = say.topic {
        person = person.topic(topic);
    }
    let media = match say.media.as_deref() {
        None => None,
        Some("photo") => Some(person.photo()),
        Some("voice") => Some(person.voice()),
        Some("document") => Some(person.document("notes.txt", "notes")),
        Some(other) => return Err(format!("no such medium: {other}")),
    };
    let mut post = match media {
        None => person.post(&say.text),
        Some(post) if say.text.is_empty() => post,
        Some(post) => post.caption(&say.text),
    };
    if let Some(answered) = say.reply_to {
        post = post.reply_to(answered);
    }
    for (name, value) in say.fields {
        post = post.field(&name, value);
    }
    let posted = post.send();
    Ok(json!({"message_id": posted.message_id, "update_id": posted.update_id}))
}

fn fault(fake: &TelegramFake, order: FaultOrder) -> Fault {
    let mut fault = order.method.as_deref().map_or_else(Fault::on_any, Fault::on).skip(order.skip);
    if let Some(chat) = order.chat {
        fault = fault.in_chat(chat);
    }
    fault = match order.times {
        Some(0) => fault.always(),
        times => fault.times(times.unwrap_or(1)),
    };
    if order.after_commit {
        fault = fault.after_commit();
    }
    match order.answer {
        AnswerOrder::RetryAfter(seconds) => fault.retry_after(seconds),
        AnswerOrder::Refuse { code, description } => {
            fault.answer(Answer::Refuse(Refusal::new(code, description)))
        }
        AnswerOrder::Conflict => fault.conflict(),
        AnswerOrder::Html(status) => fault.html(status),
        AnswerOrder::BrokenJson => fault.broken_json(),
        AnswerOrder::Reset => fault.reset(),
        AnswerOrder::Truncated => fault.truncated(),
        AnswerOrder::Silence => fault.silence(),
        AnswerOrder::Held(gate) => fault.held(&fake.gate(&gate)),
        AnswerOrder::Delayed(milliseconds) => fault.delayed(Duration::from_millis(milliseconds)),
    }
}

async fn calls(fake: &TelegramFake, method: Option<&str>, after: usize, wait: f64) -> Value {
    let look = |fake: &TelegramFake| {
        let wanted = |name: &str| method.is_none_or(|method| method.eq_ignore_ascii_case(name));
        fake.calls_where(|call| call.number > after && wanted(&call.method))
    };
    let limit = Duration::try_from_secs_f64(wait.clamp(0.0, 60.0)).unwrap_or_default();
    let found = fake.wait_within(limit, |fake| Some(look(fake)).filter(|calls| !calls.is_empty())).await;
    json!(found.unwrap_or_default())
}

fn seen(seen: Seen) -> Value {
    json!({
        "id": seen.id, "from": seen.from, "by_bot": seen.by_bot, "text": seen.text, "entities": seen.entities,
        "buttons": seen.buttons, "thread": seen.thread, "reply_to": seen.reply_to, "edited": seen.edited,
    })
}

fn drafted(draft: Draft) -> Value {
    json!({
        "id": draft.id, "text": draft.text, "entities": draft.entities, "blocks": draft.blocks,
        "thinking": draft.thinking, "thread": draft.thread, "can_stop": draft.can_stop,
    })
}

/// A room by its id, whatever its kind; used by orders only.
impl Room {
    fn known(fake: &TelegramFake, id: i64) -> Result<Self, String> {
        let kind = fake.world().chats.get(&id).map(|chat| chat.kind);
        match kind {
            Some(kind) if kind != ChatKind::Private => Ok(Self::at(fake, id)),
            _ => Err(format!("there is no room {id}")),
        }
    }
}
