//! Drafts: partial messages of an answer that is being made, in private chats only.

use serde_json::Value;

use super::{
    Call,
    places::{self, Place, Purpose},
    send,
};
use crate::telegram::{
    draft::{DRAFT_LIFE_MS, Draft},
    people::ChatKind,
    refusal::Refusal,
    text::{self, MESSAGE_LIMIT, Source, utf16_len},
};

pub(super) fn plain(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let (place, id) = opened(call)?;
    let text = call.text("text").unwrap_or_default();
    let source = Source { text, parse_mode: call.text("parse_mode"), entities: call.get("entities") };
    let formatted = text::format(&source)?;
    if utf16_len(&formatted.text) > MESSAGE_LIMIT {
        return Err(Refusal::malformed("message is too long"));
    }
    call.remarks.extend(formatted.remarks);
    let draft = Draft { text: formatted.text, entities: formatted.entities, ..bare(call, place, id) };
    show(call, place, draft)
}

pub(super) fn rich(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let (place, id) = opened(call)?;
    let rich = send::rich_content(call)?;
    let text = rich.text();
    let draft = Draft { text, thinking: rich.thinking, blocks: rich.blocks, ..bare(call, place, id) };
    show(call, place, draft)
}

/// Where the draft goes and its id.
fn opened(call: &Call<'_>) -> Result<(Place, i64), Refusal> {
    let place = places::open(call, Purpose::Message)?;
    if call.world.chats.get(&place.chat).is_none_or(|chat| chat.kind != ChatKind::Private) {
        return Err(Refusal::bad_request("TEXTDRAFT_PEER_INVALID"));
    }
    let id = call.int("draft_id").filter(|id| *id != 0);
    Ok((place, id.ok_or_else(|| Refusal::malformed("RANDOM_ID_INVALID"))?))
}

fn bare(call: &Call<'_>, place: Place, id: i64) -> Draft {
    Draft {
        id,
        text: String::new(),
        entities: Vec::new(),
        blocks: Vec::new(),
        thinking: None,
        thread: place.thread,
        can_stop: call.flag("can_stop"),
        keep_on_stop: call.flag("keep_on_stop"),
        until: call.world.moment() + DRAFT_LIFE_MS,
    }
}

fn show(call: &mut Call<'_>, place: Place, draft: Draft) -> Result<Value, Refusal> {
    call.world.conversation(place.chat, call.bot).drafts.show(draft);
    Ok(true.into())
}
