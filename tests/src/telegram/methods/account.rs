//! The bot's own account: who it is, its webhook, its command menu, and the buttons that people pressed.

use serde_json::{Value, json};

use super::Call;
use crate::telegram::{refusal::Refusal, text::utf16_len};

/// Commands in one list.
const COMMANDS: usize = 100;
/// Serialised size past which the server finds a list too long, whatever the count.
const COMMANDS_BYTES: usize = 10_000;

pub(super) fn get_me(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let bot = call.world.bots.get(&call.bot).ok_or_else(Refusal::unauthorized)?;
    let mut me = bot.object();
    let flags = json!({
        "can_join_groups": true, "can_read_all_group_messages": true, "supports_inline_queries": false,
        "can_connect_to_business": false, "has_main_web_app": false, "has_topics_enabled": bot.topics,
    });
    if let (Some(me), Value::Object(flags)) = (me.as_object_mut(), flags) {
        me.extend(flags);
    }
    Ok(me)
}

pub(super) fn set_webhook(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let url = call.text("url").unwrap_or_default().to_owned();
    if !url.is_empty() && !url.starts_with("https://") {
        return Err(Refusal::bad_request("bad webhook: An HTTPS URL must be provided for webhook"));
    }
    let (allowed, drop_pending) = (call.get("allowed_updates").cloned(), call.flag("drop_pending_updates"));
    let bot = call.world.bots.get_mut(&call.bot).ok_or_else(Refusal::unauthorized)?;
    bot.webhook = (!url.is_empty()).then_some(url);
    bot.queue.allow(&allowed.unwrap_or_default());
    if drop_pending {
        bot.queue.clear();
    }
    bot.queue.changed.notify_waiters();
    Ok(true.into())
}

pub(super) fn delete_webhook(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let drop_pending = call.flag("drop_pending_updates");
    let bot = call.world.bots.get_mut(&call.bot).ok_or_else(Refusal::unauthorized)?;
    bot.webhook = None;
    if drop_pending {
        bot.queue.clear();
    }
    Ok(true.into())
}

pub(super) fn webhook_info(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let bot = call.world.bots.get(&call.bot).ok_or_else(Refusal::unauthorized)?;
    let url = bot.webhook.clone().unwrap_or_default();
    let mut info =
        json!({"url": url, "has_custom_certificate": false, "pending_update_count": bot.queue.pending()});
    if let (Some(kinds), Some(fields)) = (bot.queue.allowed(), info.as_object_mut()) {
        fields.insert("allowed_updates".into(), kinds.into());
    }
    Ok(info)
}

/// Scope as text and language: what a command list is filed under.
fn shelf(call: &Call<'_>) -> (String, String) {
    let scope = call.get("scope").map_or_else(|| json!({"type": "default"}).to_string(), Value::to_string);
    (scope, call.text("language_code").unwrap_or_default().to_owned())
}

pub(super) fn set_commands(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let list = call.get("commands").cloned().unwrap_or_else(|| json!([]));
    let commands = list.as_array().map(Vec::as_slice).unwrap_or_default();
    if commands.len() > COMMANDS || list.to_string().len() > COMMANDS_BYTES {
        return Err(Refusal::malformed("BOT_COMMANDS_TOO_MUCH"));
    }
    for command in commands {
        let field = |name: &str| command.get(name).and_then(Value::as_str).unwrap_or_default();
        let name = field("command").trim_start_matches('/');
        let plain = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !plain || name.is_empty() || name.len() > 32 {
            return Err(Refusal::malformed("BOT_COMMAND_INVALID"));
        }
        if !(1..=256).contains(&utf16_len(field("description").trim())) {
            return Err(Refusal::malformed("BOT_COMMAND_DESCRIPTION_INVALID"));
        }
    }
    let shelf = shelf(call);
    let bot = call.world.bots.get_mut(&call.bot).ok_or_else(Refusal::unauthorized)?;
    bot.commands.insert(shelf, list);
    Ok(true.into())
}

pub(super) fn get_commands(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let shelf = shelf(call);
    let bot = call.world.bots.get(&call.bot).ok_or_else(Refusal::unauthorized)?;
    Ok(bot.commands.get(&shelf).cloned().unwrap_or_else(|| json!([])))
}

pub(super) fn delete_commands(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let shelf = shelf(call);
    let bot = call.world.bots.get_mut(&call.bot).ok_or_else(Refusal::unauthorized)?;
    bot.commands.remove(&shelf);
    Ok(true.into())
}

pub(super) fn answer_press(call: &mut Call<'_>) -> Result<Value, Refusal> {
    if utf16_len(call.text("text").unwrap_or_default()) > 200 {
        return Err(Refusal::malformed("MESSAGE_TOO_LONG"));
    }
    let too_old =
        || Refusal::bad_request("query is too old and response timeout expired or query ID is invalid");
    let (id, bot) = (call.text("callback_query_id").unwrap_or_default().to_owned(), call.bot);
    let answer = Value::Object(call.arguments.clone());
    let (_, slot) = call.world.presses.get_mut(&id).filter(|(to, _)| *to == bot).ok_or_else(too_old)?;
    if slot.is_some() {
        return Err(too_old());
    }
    *slot = Some(answer);
    Ok(true.into())
}
