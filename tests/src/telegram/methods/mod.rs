//! What the API does, method by method. Each is a plain function over the world and the checked arguments; polling, which waits, is
//! the server's.

mod account;
mod edits;
mod files;
mod places;
mod send;

pub(crate) use files::dressed;
pub(crate) use places::member_object;
use serde_json::{Map, Value};

use super::{body::Upload, refusal::Refusal, world::World};

/// One call being carried out.
pub(crate) struct Call<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) bot: i64,
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
        "sendMessageDraft" => send::draft(call),
        "sendChatAction" => send::action(call),
        "sendPhoto" => files::send(call, "photo"),
        "sendDocument" => files::send(call, "document"),
        "sendVoice" => files::send(call, "voice"),
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
