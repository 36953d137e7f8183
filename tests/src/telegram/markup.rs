//! What the server demands of a `reply_markup` beyond its field list.

use serde_json::Value;

use super::refusal::Refusal;

/// Bytes in one button's `callback_data`.
const DATA_LIMIT: usize = 64;

/// Checks an inline keyboard; other keyboards have nothing past their field lists that could be refused.
pub(crate) fn check(markup: &Value) -> Result<(), Refusal> {
    let rows = markup.get("inline_keyboard").and_then(Value::as_array);
    for button in rows.into_iter().flatten().flat_map(|row| row.as_array().into_iter().flatten()) {
        let text = button.get("text").and_then(Value::as_str).unwrap_or_default();
        if text.trim().is_empty() {
            return Err(Refusal::malformed(
                "can't parse inline keyboard button: button text must be non-empty",
            ));
        }
        let decoration = |name: &str| matches!(name, "text" | "icon_custom_emoji_id" | "style");
        let actions =
            button.as_object().map_or(0, |fields| fields.keys().filter(|name| !decoration(name)).count());
        if actions == 0 {
            return Err(Refusal::malformed(
                "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
            ));
        }
        if actions > 1 {
            return Err(Refusal::malformed(
                "can't parse inline keyboard button: more than one action in a button",
            ));
        }
        let data = button.get("callback_data").and_then(Value::as_str);
        if data.is_some_and(|data| data.is_empty() || data.len() > DATA_LIMIT) {
            return Err(Refusal::malformed("BUTTON_DATA_INVALID"));
        }
    }
    Ok(())
}

/// The callback data behind the button with this label, or whose label contains it.
pub(crate) fn data_of(markup: &Value, label: &str) -> Option<String> {
    let rows = markup.get("inline_keyboard").and_then(Value::as_array)?;
    let buttons: Vec<&Value> = rows.iter().filter_map(Value::as_array).flatten().collect();
    let text = |button: &Value| button.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    let exact = buttons.iter().find(|button| text(button) == label);
    let found = exact.or_else(|| buttons.iter().find(|button| text(button).contains(label)))?;
    found.get("callback_data").and_then(Value::as_str).map(str::to_owned)
}

/// Labels in reading order.
pub(crate) fn labels(markup: &Value) -> Vec<String> {
    let rows = markup.get("inline_keyboard").and_then(Value::as_array);
    let buttons = rows.into_iter().flatten().filter_map(Value::as_array).flatten();
    buttons.filter_map(|button| button.get("text").and_then(Value::as_str).map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn buttons_need_a_label_one_action_and_short_data() {
        let check = |button: Value, expected: Option<&str>| {
            let refused =
                check(&json!({"inline_keyboard": [[button]]})).err().map(|refusal| refusal.description);
            match (refused, expected) {
                (None, None) => {}
                (Some(refused), Some(expected)) => assert!(refused.contains(expected), "{refused}"),
                other => panic!("{other:?}"),
            }
        };
        check(json!({"text": "a", "callback_data": "x".repeat(64)}), None);
        check(json!({"text": "a", "callback_data": "é".repeat(33)}), Some("BUTTON_DATA_INVALID"));
        check(json!({"text": "a", "callback_data": ""}), Some("BUTTON_DATA_INVALID"));
        check(json!({"text": " ", "callback_data": "x"}), Some("non-empty"));
        check(json!({"text": "a"}), Some("unallowed"));
        check(json!({"text": "a", "callback_data": "x", "url": "http://a.example"}), Some("more than one"));
    }
}
