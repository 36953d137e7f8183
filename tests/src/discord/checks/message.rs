//! A message as it is sent or changed.

use serde_json::Value;

use super::{Form, components::components, embeds::embeds};

/// Where a message is on its way to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A new one in a channel.
    Channel,
    /// A change of one.
    Edit,
    /// An answer to an interaction.
    Answer,
}

const LONGEST: usize = 2_000;
const LONGEST_NONCE: usize = 25;

const CHANNEL: &[&str] = &[
    "content",
    "nonce",
    "tts",
    "embeds",
    "allowed_mentions",
    "message_reference",
    "components",
    "sticker_ids",
    "files",
    "payload_json",
    "attachments",
    "flags",
    "enforce_nonce",
    "poll",
];
const EDIT: &[&str] =
    &["content", "embeds", "flags", "allowed_mentions", "components", "files", "payload_json", "attachments"];
const ANSWER: &[&str] = &[
    "content",
    "tts",
    "embeds",
    "allowed_mentions",
    "components",
    "attachments",
    "flags",
    "poll",
    "username",
    "avatar_url",
    "thread_name",
    "applied_tags",
];

/// Flags that a bot may set: no embeds, private, silent, only components, voice.
const SETTABLE: u64 = 1 << 2 | 1 << 6 | 1 << 12 | 1 << 13 | 1 << 15;

/// Checks one.
pub(crate) fn message(body: &Value, place: Place) -> Form {
    let mut form = Form::default();
    let Some(fields) = body.as_object() else {
        form.wrong("", "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType");
        return form;
    };
    let keys = match place {
        Place::Channel => CHANNEL,
        Place::Edit => EDIT,
        Place::Answer => ANSWER,
    };
    form.only(fields, "", keys);
    form.text(fields.get("content"), "content", LONGEST);
    if let Some(Value::String(nonce)) = fields.get("nonce")
        && nonce.chars().count() > LONGEST_NONCE
    {
        form.wrong("nonce", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.");
    }
    if let Some(flags) = fields.get("flags").filter(|flags| !flags.is_null()) {
        match flags.as_u64() {
            Some(flags) if flags & !SETTABLE != 0 => {
                form.remarks.push(format!("flags {flags} cannot be set"))
            }
            Some(flags) if flags & 1 << 6 != 0 && place != Place::Answer => {
                form.remarks.push("only answers to interactions can be private".to_owned());
            }
            Some(_) => {}
            None => form.wrong("flags", "NUMBER_TYPE_COERCE", "Value is not int."),
        }
    }
    if let Some(list) = fields.get("embeds").and_then(Value::as_array) {
        embeds(&mut form, list);
    }
    mentions(&mut form, fields.get("allowed_mentions"));
    if let Some(list) = fields.get("components").filter(|list| !list.is_null()) {
        components(&mut form, list);
    }
    form
}

fn mentions(form: &mut Form, given: Option<&Value>) {
    let Some(given) = given.filter(|given| !given.is_null()) else { return };
    let Some(fields) = given.as_object() else {
        form.wrong("allowed_mentions", "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType");
        return;
    };
    form.only(fields, "allowed_mentions.", &["parse", "roles", "users", "replied_user"]);
    let parse = fields.get("parse").and_then(Value::as_array).cloned().unwrap_or_default();
    for (place, word) in parse.iter().enumerate() {
        if !matches!(word.as_str(), Some("roles" | "users" | "everyone")) {
            let path = format!("allowed_mentions/parse/{place}");
            form.wrong(&path, "BASE_TYPE_CHOICES", "Value must be one of ('users', 'roles', 'everyone').");
        }
    }
    for name in ["users", "roles"] {
        let listed = fields.get(name).and_then(Value::as_array).is_some_and(|ids| !ids.is_empty());
        if listed && parse.iter().any(|word| word == name) {
            let words = format!("parse:[\"{name}\"] and {name}: [ids...] are mutually exclusive.");
            form.wrong("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", words);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn forms_are_refused_for_what_discord_refuses() {
        let check = |body: Value, good: bool, remarks: usize| {
            let form = message(&body, Place::Channel);
            assert_eq!((form.verdict().is_ok(), form.remarks.len()), (good, remarks), "{body}");
        };
        check(json!({"content": "x".repeat(2_000)}), true, 0);
        check(json!({"content": "x".repeat(2_001)}), false, 0);
        check(json!({"content": 5}), false, 0);
        check(json!({"content": "x", "flags": 4}), true, 0);
        check(json!({"content": "x", "flags": 64}), true, 1);
        check(json!({"content": "x", "contents": 1}), true, 1);
        check(json!({"allowed_mentions": {"parse": ["users"], "users": ["1"]}}), false, 0);
        check(json!({"allowed_mentions": {"parse": ["all"]}}), false, 0);
    }
}
