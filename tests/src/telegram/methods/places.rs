//! Where a call may go: which chat it names, whether the bot may write there, which topic it means. Also what the API tells about
//! chats and members.

use serde_json::{Value, json};

use super::Call;
use crate::telegram::{
    people::{Chat, ChatKind, TopicState},
    refusal::Refusal,
};

/// The General topic's id where ids are shown; sends must leave it out.
const GENERAL: i64 = 1;

/// A chat that the bot may write to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) chat: i64,
    pub(super) thread: Option<i64>,
}

/// What is about to be done there: typing may name the General topic, a message may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Message,
    Action,
}

/// The chat that the arguments name, found but not yet judged.
pub(super) fn named<'a>(call: &'a Call<'_>) -> Result<&'a Chat, Refusal> {
    let not_found = || Refusal::bad_request("chat not found");
    match call.get("chat_id") {
        None => Err(Refusal::malformed("chat_id is empty")),
        Some(Value::String(name)) => {
            let name = name.trim_start_matches('@');
            let mut chats = call.world.chats.values();
            chats.find(|chat| chat.username.as_deref() == Some(name)).ok_or_else(not_found)
        }
        Some(id) => id.as_i64().and_then(|id| call.world.chats.get(&id)).ok_or_else(not_found),
    }
}

/// The named chat and topic, or why the bot may not write there.
pub(super) fn open(call: &Call<'_>, purpose: Purpose) -> Result<Place, Refusal> {
    let chat = named(call)?;
    if chat.kind == ChatKind::Private {
        person_listens(call, chat.id)?;
    } else if !chat.members.contains(&call.bot) {
        let kind = if chat.kind == ChatKind::Group { "group" } else { chat.kind.word() };
        return Err(Refusal::forbidden(format!("bot was kicked from the {kind} chat")));
    }
    let thread = call.int("message_thread_id").filter(|thread| *thread != 0);
    if let Some(thread) = thread {
        topic_is_open(call, chat, thread, purpose)?;
    }
    Ok(Place { chat: chat.id, thread: thread.filter(|thread| !(chat.forum && *thread == GENERAL)) })
}

fn person_listens(call: &Call<'_>, id: i64) -> Result<(), Refusal> {
    let user = call.world.users.get(&id).ok_or_else(|| Refusal::bad_request("chat not found"))?;
    if user.deactivated {
        return Err(Refusal::forbidden("user is deactivated"));
    }
    if user.blocked.contains(&call.bot) {
        return Err(Refusal::forbidden("bot was blocked by the user"));
    }
    if !user.started.contains(&call.bot) {
        return Err(Refusal::forbidden("bot can't initiate conversation with a user"));
    }
    Ok(())
}

fn topic_is_open(call: &Call<'_>, chat: &Chat, thread: i64, purpose: Purpose) -> Result<(), Refusal> {
    let lost = || Refusal::bad_request("message thread not found");
    if chat.forum && thread == GENERAL {
        return if purpose == Purpose::Action { Ok(()) } else { Err(lost()) };
    }
    match chat.topics.get(&thread) {
        Some(TopicState::Open) => Ok(()),
        Some(TopicState::Closed) => Err(Refusal::bad_request("TOPIC_CLOSED")),
        Some(TopicState::Deleted) => Err(lost()),
        // Outside forums a supergroup's threads are reply chains, named by their first message.
        None if chat.kind == ChatKind::Supergroup && !chat.forum => {
            let known = call.world.look(chat.id, call.bot).is_some_and(|c| c.get(thread).is_some());
            if known { Ok(()) } else { Err(lost()) }
        }
        None => Err(lost()),
    }
}

pub(super) fn chat(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let chat = named(call)?;
    let mut object = call.world.chat_object(chat.id);
    let extra = json!({"accent_color_id": 0, "max_reaction_count": 11,
                       "accepted_gift_types": {"unlimited_gifts": false, "limited_gifts": false, "unique_gifts": false,
                                               "premium_subscription": false, "gifts_from_channels": false}});
    if let (Some(object), Value::Object(extra)) = (object.as_object_mut(), extra) {
        object.extend(extra);
    }
    Ok(object)
}

pub(super) fn member(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let chat = named(call)?;
    let user = call.int("user_id").unwrap_or_default();
    if !call.world.users.contains_key(&user) && !call.world.bots.contains_key(&user) {
        return Err(Refusal::bad_request("PARTICIPANT_ID_INVALID"));
    }
    let status = match (chat.members.contains(&user), chat.admins.contains(&user)) {
        (true, true) => "administrator",
        (true, false) => "member",
        (false, _) => "left",
    };
    Ok(member_object(&call.world.user_object(user), status))
}

pub(super) fn member_count(call: &mut Call<'_>) -> Result<Value, Refusal> {
    Ok(named(call)?.members.len().into())
}

/// A `ChatMember` of the given status, with the rights that an administrator's object must show.
pub(crate) fn member_object(user: &Value, status: &str) -> Value {
    let mut member = json!({"status": status, "user": user});
    let rights = [
        "can_be_edited",
        "is_anonymous",
        "can_manage_chat",
        "can_delete_messages",
        "can_manage_video_chats",
        "can_restrict_members",
        "can_promote_members",
        "can_change_info",
        "can_invite_users",
        "can_post_stories",
        "can_edit_stories",
        "can_delete_stories",
    ];
    if let (true, Some(fields)) = (status == "administrator", member.as_object_mut()) {
        fields.extend(rights.map(|right| (right.to_owned(), right.starts_with("can_").into())));
    }
    if let (true, Some(fields)) = (status == "kicked", member.as_object_mut()) {
        fields.insert("until_date".into(), 0.into());
    }
    member
}
