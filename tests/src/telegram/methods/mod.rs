//! What the API does, method by method. Each is a plain function over the world and the checked arguments; polling, which waits, is
//! the server's.

mod account;
mod drafts;
mod edits;
mod files;
mod places;
mod send;

pub(crate) use files::dressed;
pub(crate) use places::member_object;
use serde_json::{Map, Value};

use super::{
    body::Upload,
    flood::{self, Arrival},
    people::ChatKind,
    refusal::Refusal,
    world::World,
};

/// One call being carried out.
pub(crate) struct Call<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) bot: i64,
    /// When its first byte came and what the time is, on the clock of the record.
    pub(crate) came: u64,
    pub(crate) clock: u64,
    pub(crate) arguments: &'a Map<String, Value>,
    pub(crate) files: &'a [Upload],
    /// What the server tolerated and should not have been sent.
    pub(crate) remarks: Vec<String>,
}

impl Call<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.arguments.get(name)
    }

    fn int(&self, name: &str) -> Option<i64> {
        self.get(name).and_then(Value::as_i64)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Value::as_str)
    }

    fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool).unwrap_or_default()
    }
}

/// Whether the chat that the call names takes it now.
pub(crate) fn admit(method: &str, call: &mut Call<'_>) -> Result<(), Refusal> {
    let weight = flood::weight(method);
    let Ok((chat, kind)) = places::named(call).map(|chat| (chat.id, chat.kind)) else { return Ok(()) };
    let arrival = Arrival {
        bot: call.bot,
        chat,
        group: kind != ChatKind::Private,
        weight,
        now: call.world.moment(),
        came: call.came,
        clock: call.clock,
    };
    call.world.flood.admit(&arrival).map_err(|denied| {
        call.remarks.extend(denied.deaf);
        denied.refusal
    })
}

/// Carries out the call, or refuses it. A method that this fake does not have is answered like one that an older server lacks.
pub(crate) fn carry_out(method: &str, call: &mut Call<'_>) -> Result<Value, Refusal> {
    match method {
        "getMe" => account::get_me(call),
        "logOut" | "close" => Ok(true.into()),
        "setWebhook" => account::set_webhook(call),
        "deleteWebhook" => account::delete_webhook(call),
        "getWebhookInfo" => account::webhook_info(call),
        "setMyCommands" => account::set_commands(call),
        "getMyCommands" => account::get_commands(call),
        "deleteMyCommands" => account::delete_commands(call),
        "answerCallbackQuery" => account::answer_press(call),
        "sendMessage" => send::message(call),
        "sendRichMessage" => send::rich_message(call),
        "sendMessageDraft" => drafts::plain(call),
        "sendRichMessageDraft" => drafts::rich(call),
        "sendChatAction" => send::action(call),
        "sendPhoto" => files::send(call, "photo"),
        "sendDocument" => files::send(call, "document"),
        "sendVoice" => files::send(call, "voice"),
        "sendAudio" => files::send(call, "audio"),
        "sendVideo" => files::send(call, "video"),
        "sendAnimation" => files::send(call, "animation"),
        "sendMediaGroup" => files::send_group(call),
        "getFile" => files::get(call),
        "editMessageText" => edits::text(call),
        "editMessageCaption" => edits::caption(call),
        "editMessageReplyMarkup" => edits::markup(call),
        "deleteMessage" => edits::delete(call),
        "deleteMessages" => edits::delete_many(call),
        "setMessageReaction" => edits::react(call),
        "getChat" => places::chat(call),
        "getChatMember" => places::member(call),
        "getChatMemberCount" => places::member_count(call),
        _ => Err(Refusal::not_found()),
    }
}
