//! Answers to interactions: the first word, further ones, and changes of what was said.

use serde_json::{Value, json};

use super::{
    Ask, Done,
    draft::{change, draft},
    messages::reader,
};
use crate::discord::{
    checks::{Place, message},
    interaction::{FIRST_WORD, Interaction, State},
    message::{EPHEMERAL, LOADING, Message, Origin, Reader},
    outcome::Outcome,
    refusal::Refusal,
};

pub(super) fn callback(ask: &mut Ask<'_>, id: u64, token: &str) -> Done {
    let now = ask.world.now();
    let known = ask.world.interactions.get(&id).filter(|known| known.token == token).cloned();
    let mut known = known.ok_or_else(Refusal::unknown_interaction)?;
    if known.state != State::Open {
        return Err(Refusal::new(400, 40060, "Interaction has already been acknowledged."));
    }
    if now - known.created > FIRST_WORD {
        return Err(Refusal::unknown_interaction());
    }
    let kind = ask.body.get("type").and_then(Value::as_u64).unwrap_or_default();
    let data = ask.body.get("data").cloned().unwrap_or_else(|| json!({}));
    let mut shown = None;
    known.state = match (kind, known.kind) {
        (4, 2 | 3) => {
            let id = say(ask, &known, &data, 0)?;
            shown = Some(id);
            State::Answered(id)
        }
        (5, 2 | 3) => {
            let flags = data.get("flags").and_then(Value::as_u64).unwrap_or_default() & EPHEMERAL;
            let thinking = Message { flags: flags | LOADING, ..bare(ask, &known, flags) };
            let id = thinking.id;
            ask.world.post(thinking);
            shown = Some(id);
            State::Thinking(id)
        }
        (6, 3) => State::Seen,
        (7, 3) => {
            let pressed = known.pressed.unwrap_or_default();
            check(ask, &data, Place::Answer)?;
            change(ask.world, known.channel, pressed, &data, ask.files)?;
            ask.world.changed(known.channel, pressed);
            State::Seen
        }
        (8, 4) => {
            known.choices = Some(offered(ask, &data)?);
            State::Offered
        }
        _ => {
            return Err(Refusal::field(
                "type",
                "BASE_TYPE_CHOICES",
                "Not a callback for this kind of interaction.",
            ));
        }
    };
    known.heard = Some(now);
    ask.world.interactions.insert(id, known.clone());
    if !ask.query.split('&').any(|pair| matches!(pair, "with_response=true" | "with_response=1")) {
        return Ok(Outcome::Nothing);
    }
    let (id, of) = (id.to_string(), known.kind);
    let Some(message) = shown.and_then(|id| ask.world.message(known.channel, id)) else {
        return Ok(Outcome::Done(json!({"interaction": {"id": id, "type": of}})));
    };
    let object = ask.world.message_object(message, Reader::bot(known.bot, u64::MAX));
    Ok(Outcome::Done(json!({
        "interaction": {
            "id": id, "type": of, "response_message_id": message.id.to_string(),
            "response_message_loading": message.flags & LOADING != 0,
            "response_message_ephemeral": message.flags & EPHEMERAL != 0,
        },
        "resource": {"type": kind, "message": object},
    })))
}

fn check(ask: &mut Ask<'_>, body: &Value, place: Place) -> Result<(), Refusal> {
    let form = message(body, place);
    ask.remarks.extend(form.remarks.clone());
    form.verdict()
}

fn offered(ask: &mut Ask<'_>, data: &Value) -> Result<Value, Refusal> {
    let choices = data.get("choices").and_then(Value::as_array).cloned().unwrap_or_default();
    let long = |choice: &Value, name: &str| {
        let text = choice.get(name).and_then(Value::as_str).unwrap_or_default();
        text.is_empty() || text.chars().count() > 100
    };
    if choices.len() > 25 || choices.iter().any(|choice| long(choice, "name") || long(choice, "value")) {
        return Err(Refusal::field(
            "data/choices",
            "BASE_TYPE_BAD_LENGTH",
            "Must be between 0 and 25 in length.",
        ));
    }
    ask.remarks.extend(data.get("choices").is_none().then(|| "no choices are offered".to_owned()));
    Ok(choices.into())
}

/// An answer without words.
fn bare(ask: &mut Ask<'_>, known: &Interaction, flags: u64) -> Message {
    let (id, sent) = (ask.world.take_id(), ask.world.now());
    Message {
        id,
        sent,
        channel: known.channel,
        author: known.bot,
        kind: if known.kind == 2 { 20 } else { 19 },
        flags,
        only: (flags & EPHEMERAL != 0).then_some(known.user),
        origin: Some(origin(known)),
        ..Message::default()
    }
}

fn origin(known: &Interaction) -> Origin {
    Origin {
        interaction: known.id,
        kind: known.kind,
        user: known.user,
        name: known.name.clone(),
        pressed: known.pressed,
    }
}

fn say(ask: &mut Ask<'_>, known: &Interaction, data: &Value, inherited: u64) -> Result<u64, Refusal> {
    check(ask, data, Place::Answer)?;
    let said = draft(ask.world, known.bot, known.channel, data, ask.files)?;
    let flags = said.flags | inherited;
    let only = (flags & EPHEMERAL != 0).then_some(known.user);
    let kind = if known.kind == 2 { 20 } else { 19 };
    let said = Message { flags, only, kind, origin: Some(origin(known)), ..said };
    let id = said.id;
    ask.world.post(said);
    Ok(id)
}

/// The interaction of a token that is still good.
fn alive(ask: &Ask<'_>, token: &str) -> Result<Interaction, Refusal> {
    let known = ask.world.interactions.values().find(|known| known.token == token);
    let known = known.ok_or_else(|| Refusal::new(404, 10015, "Unknown Webhook"))?;
    if !known.is_alive(ask.world.now()) {
        return Err(Refusal::new(401, 50027, "Invalid Webhook Token"));
    }
    Ok(known.clone())
}

pub(super) fn follow_up(ask: &mut Ask<'_>, token: &str) -> Done {
    let mut known = alive(ask, token)?;
    let body = ask.body.clone();
    let id = match known.state {
        State::Open | State::Offered => return Err(Refusal::new(404, 10015, "Unknown Webhook")),
        // The first one takes the place of "… is thinking".
        State::Thinking(id) => {
            check(ask, &body, Place::Answer)?;
            settle(ask, &known, id, &body)?;
            known.state = State::Answered(id);
            ask.world.interactions.insert(known.id, known.clone());
            id
        }
        State::Seen | State::Answered(_) => say(ask, &known, &body, 0)?,
    };
    told(ask, &known, id)
}

/// Words in the place of "… is thinking".
fn settle(ask: &mut Ask<'_>, known: &Interaction, id: u64, body: &Value) -> Result<(), Refusal> {
    change(ask.world, known.channel, id, body, ask.files)?;
    if let Some(message) = ask.world.message_mut(known.channel, id) {
        message.flags &= !LOADING;
        message.edited = None;
    }
    ask.world.changed(known.channel, id);
    Ok(())
}

fn told(ask: &Ask<'_>, known: &Interaction, id: u64) -> Done {
    let message = ask.world.message(known.channel, id).cloned().unwrap_or_default();
    Ok(Outcome::Done(ask.world.message_object(&message, reader(ask.world, known.bot))))
}

pub(super) fn answer(ask: &mut Ask<'_>, token: &str, message: &str) -> Done {
    let mut known = alive(ask, token)?;
    let id = match message {
        "@original" => known.original(),
        id => id.parse().ok().filter(|id| {
            let theirs =
                |found: &Message| found.origin.as_ref().is_some_and(|origin| origin.interaction == known.id);
            ask.world.message(known.channel, *id).is_some_and(theirs) || known.pressed == Some(*id)
        }),
    };
    let id = id.ok_or_else(Refusal::unknown_message)?;
    match ask.method {
        "GET" => told(ask, &known, id),
        "PATCH" => {
            let body = ask.body.clone();
            check(ask, &body, Place::Answer)?;
            if known.state == State::Thinking(id) {
                settle(ask, &known, id, &body)?;
                known.state = State::Answered(id);
                ask.world.interactions.insert(known.id, known.clone());
            } else {
                change(ask.world, known.channel, id, &body, ask.files)?;
                ask.world.changed(known.channel, id);
            }
            told(ask, &known, id)
        }
        "DELETE" => {
            ask.world.delete(known.channel, id);
            Ok(Outcome::Nothing)
        }
        _ => Err(Refusal::new(405, 0, "405: Method Not Allowed")),
    }
}
