//! Embeds and how long what stands in them may be
//! (<https://docs.discord.com/developers/resources/message#embed-object-embed-limits>).

use serde_json::Value;

use super::Form;

/// Embeds of one message.
const MOST: usize = 10;
/// Fields of one embed.
const MOST_FIELDS: usize = 25;
/// Characters of all embeds of a message together.
const LONGEST_IN_ALL: usize = 6_000;

/// Checks those of a message.
pub(crate) fn embeds(form: &mut Form, list: &[Value]) {
    if list.len() > MOST {
        form.wrong("embeds", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.");
    }
    let mut length = 0;
    for (place, embed) in list.iter().enumerate() {
        let path = format!("embeds/{place}");
        let mut part = |pointer: &str, longest: usize| {
            let text = embed.pointer(pointer);
            form.text(text, &format!("{path}{pointer}"), longest);
            length += text.and_then(Value::as_str).map_or(0, |text| text.chars().count());
        };
        part("/title", 256);
        part("/description", 4_096);
        part("/footer/text", 2_048);
        part("/author/name", 256);
        let fields = embed.get("fields").and_then(Value::as_array).map_or(0, Vec::len);
        for field in 0..fields {
            part(&format!("/fields/{field}/name"), 256);
            part(&format!("/fields/{field}/value"), 1_024);
        }
        if fields > MOST_FIELDS {
            form.wrong(&format!("{path}/fields"), "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.");
        }
    }
    if length > LONGEST_IN_ALL {
        form.wrong("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn embeds_have_their_lengths() {
        let check = |list: Value, good: bool| {
            let mut form = Form::default();
            embeds(&mut form, list.as_array().map_or(&[], Vec::as_slice));
            assert_eq!(form.verdict().is_ok(), good, "{list:.80}");
        };
        let long = |count: usize| json!({"description": "x".repeat(count)});
        check(json!([{"title": "x".repeat(256)}, long(4_096)]), true);
        check(json!([{"title": "x".repeat(257)}]), false);
        check(json!([long(4_097)]), false);
        check(json!([long(3_000), long(3_000)]), true);
        check(json!([long(3_000), long(3_001)]), false);
        check(json!([{"footer": {"text": "x".repeat(2_049)}}]), false);
        check(json!([{"fields": [{"name": "x", "value": "y".repeat(1_025)}]}]), false);
        check(json!([{"fields": vec![json!({"name": "x", "value": "y"}); 26]}]), false);
        check(json!(vec![long(1); 11]), false);
    }
}
