//! Formatted text as the server takes it: cleaned, trimmed, measured in UTF-16 units, its entities checked. Also finds the commands
//! and mentions that the server marks in what people type.

use serde_json::{Map, Value, json};

use super::{parse_mode, refusal::Refusal};

/// UTF-16 units in one message.
pub const MESSAGE_LIMIT: usize = 4096;
/// UTF-16 units in one caption.
pub const CAPTION_LIMIT: usize = 1024;
/// Entities of one message that the server keeps.
const ENTITY_LIMIT: usize = 100;

const KINDS: [&str; 21] = [
    "mention",
    "hashtag",
    "cashtag",
    "bot_command",
    "url",
    "email",
    "phone_number",
    "bold",
    "italic",
    "underline",
    "strikethrough",
    "spoiler",
    "blockquote",
    "expandable_blockquote",
    "code",
    "pre",
    "text_link",
    "text_mention",
    "custom_emoji",
    "date_time",
    "unknown",
];

/// Text and entities as they stand in the chat.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Formatted {
    pub(crate) text: String,
    pub(crate) entities: Vec<Value>,
    /// What the server puts up with and a reader of the message would not.
    pub(crate) remarks: Vec<String>,
}

/// The named fields of a call that make up one formatted text.
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) parse_mode: Option<&'a str>,
    pub(crate) entities: Option<&'a Value>,
}

/// Length as Telegram counts it.
pub fn utf16_len(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Formats as the server would, or says no as it would. An empty result is the caller's to refuse.
pub(crate) fn format(source: &Source<'_>) -> Result<Formatted, Refusal> {
    let mut formatted = match source.parse_mode.filter(|mode| !mode.is_empty()) {
        Some(mode) => parse_mode::parse(source.text, mode)?,
        None => {
            let given = source.entities.and_then(Value::as_array).cloned().unwrap_or_default();
            Formatted { text: source.text.to_owned(), entities: given, remarks: Vec::new() }
        }
    };
    if formatted.entities.len() > ENTITY_LIMIT {
        let count = formatted.entities.len();
        formatted.remarks.push(format!("{count} entities, of which only {ENTITY_LIMIT} are kept"));
        formatted.entities.truncate(ENTITY_LIMIT);
    }
    check_entities(&formatted.text, &formatted.entities)?;
    clean(&mut formatted);
    Ok(formatted)
}

fn check_entities(text: &str, entities: &[Value]) -> Result<(), Refusal> {
    if entities.is_empty() {
        return Ok(());
    }
    let edges = edges(text);
    let length = edges.len().saturating_sub(1);
    for entity in entities {
        let field = |name: &str| entity.get(name).and_then(Value::as_i64).unwrap_or(-1);
        let kind = entity.get("type").and_then(Value::as_str).unwrap_or_default();
        if !KINDS.contains(&kind) {
            return Err(Refusal::malformed(format!(
                "can't parse MessageEntity: unsupported type {kind:?} specified"
            )));
        }
        let (Ok(start), Ok(size)) = (usize::try_from(field("offset")), usize::try_from(field("length")))
        else {
            return Err(Refusal::malformed("can't parse MessageEntity: negative offset or length"));
        };
        let end = start.saturating_add(size);
        if end > length {
            return Err(Refusal::malformed(format!(
                "entity beginning at UTF-16 offset {start} ends after the end of the text at UTF-16 offset {end}"
            )));
        }
        if !edges.get(start).copied().unwrap_or_default() || !edges.get(end).copied().unwrap_or_default() {
            let which = if edges.get(start).copied().unwrap_or_default() { "ends" } else { "begins" };
            return Err(Refusal::malformed(format!(
                "entity beginning at UTF-16 offset {start} {which} in a middle of a UTF-16 symbol"
            )));
        }
        if kind == "text_link" && entity.get("url").and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err(Refusal::malformed("can't parse MessageEntity: text_link without url"));
        }
    }
    Ok(())
}

/// For each UTF-16 offset, the end included, whether a character begins there.
fn edges(text: &str) -> Vec<bool> {
    let mut edges = Vec::with_capacity(text.len() + 1);
    for c in text.chars() {
        edges.push(true);
        edges.extend(std::iter::repeat_n(false, c.len_utf16() - 1));
    }
    edges.push(true);
    edges
}

/// Control characters become spaces, blank edges go, and entities move and shrink with the text. Empty ones vanish.
fn clean(formatted: &mut Formatted) {
    let blank = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '\u{200b}' | '\u{feff}');
    let text: String = formatted.text.chars().filter(|c| *c != '\r').map(soften).collect();
    if text.encode_utf16().count() != utf16_len(&formatted.text) && !formatted.entities.is_empty() {
        formatted.remarks.push("carriage returns shift the entities behind them".into());
    }
    let head = text.trim_start_matches(blank);
    let cut = utf16_len(&text) - utf16_len(head);
    let kept = head.trim_end_matches(blank);
    let end = cut + utf16_len(kept);
    formatted.entities.retain_mut(|entity| {
        let field = |name: &str| entity.get(name).and_then(Value::as_u64).unwrap_or_default() as usize;
        let (start, stop) =
            (field("offset").clamp(cut, end), (field("offset") + field("length")).clamp(cut, end));
        if let Some(fields) = entity.as_object_mut() {
            fields.insert("offset".into(), (start - cut).into());
            fields.insert("length".into(), (stop - start).into());
        }
        stop > start
    });
    formatted.text = kept.to_owned();
}

fn soften(c: char) -> char {
    if c.is_control() && c != '\n' { ' ' } else { c }
}

/// The entities that the server finds in what a person typed: commands, mentions, links.
pub(crate) fn detect(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut offset = 0;
    let mut before = ' ';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let word = match c {
            '/' if !is_word(before) && before != '/' && before != '<' => command(rest),
            '@' if !is_word(before) => mention(rest),
            'h' if !is_word(before) => link(rest),
            _ => None,
        };
        let (step, kind) = word.unwrap_or((c.len_utf8(), ""));
        let (done, left) = rest.split_at_checked(step).unwrap_or((rest, ""));
        let length = utf16_len(done);
        if !kind.is_empty() {
            found.push(json!({"offset": offset, "length": length, "type": kind}));
        }
        offset += length;
        before = done.chars().next_back().unwrap_or(' ');
        rest = left;
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn ascii_word(text: &str) -> usize {
    text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count()
}

fn command(text: &str) -> Option<(usize, &'static str)> {
    let name = ascii_word(text.get(1..)?);
    let mut end = 1 + name;
    if let Some(bot) = text.get(end..).and_then(|rest| rest.strip_prefix('@')).map(ascii_word)
        && bot >= 3
    {
        end += 1 + bot;
    }
    let next = text.get(end..)?.chars().next().unwrap_or(' ');
    ((1..=64).contains(&name) && !is_word(next) && next != '/' && next != '>').then_some((end, "bot_command"))
}

fn mention(text: &str) -> Option<(usize, &'static str)> {
    let name = ascii_word(text.get(1..)?);
    (3..=32).contains(&name).then_some((1 + name, "mention"))
}

fn link(text: &str) -> Option<(usize, &'static str)> {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let scheme = text.starts_with("https://") || text.starts_with("http://");
    (scheme && end > 8).then_some((end, "url"))
}

/// Puts `text` and its entities into a message object under the given names.
pub(crate) fn put(message: &mut Map<String, Value>, text: &str, entities: &[Value], names: (&str, &str)) {
    message.insert(names.0.into(), text.into());
    if !entities.is_empty() {
        message.insert(names.1.into(), entities.to_vec().into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_entities(text: &str, entities: Value) -> Result<Formatted, String> {
        format(&Source { text, parse_mode: None, entities: Some(&entities) }).map_err(|r| r.description)
    }

    #[test]
    fn entity_ranges_are_utf16_and_whole_characters() {
        let bold = |offset: i64, length: i64| json!([{"type": "bold", "offset": offset, "length": length}]);
        assert!(with_entities("a😀b", bold(1, 2)).is_ok());
        for (offset, length, expected) in [
            (2, 2, "begins in a middle"),
            (1, 1, "ends in a middle"),
            (0, 5, "ends after the end of the text at UTF-16 offset 5"),
            (-1, 2, "negative"),
        ] {
            let refused = with_entities("a😀b", bold(offset, length)).unwrap_err();
            assert!(refused.contains(expected), "{refused}");
        }
        let refused = with_entities("abc", json!([{"type": "loud", "offset": 0, "length": 1}])).unwrap_err();
        assert!(refused.contains("unsupported type"), "{refused}");
    }

    #[test]
    fn edges_are_trimmed_and_entities_follow() {
        let bold = json!([{"type": "bold", "offset": 2, "length": 4}]);
        let formatted = with_entities("\n a\u{0}b \t", bold).unwrap();
        assert_eq!(formatted.text, "a b");
        assert_eq!(formatted.entities, [json!({"type": "bold", "offset": 0, "length": 3})]);
        assert_eq!(with_entities(" \n\u{200b} ", Value::Null).unwrap().text, "");
    }

    #[test]
    fn typed_text_gets_the_marks_of_the_server() {
        let check = |text: &str, expected: &[(&str, usize, usize)]| {
            let found: Vec<_> = expected
                .iter()
                .map(|(kind, offset, length)| json!({"offset": offset, "length": length, "type": kind}))
                .collect();
            assert_eq!(detect(text), found, "{text}");
        };
        check("/think high", &[("bot_command", 0, 6)]);
        check("/think:high", &[("bot_command", 0, 6)]);
        check("😀 /t@my_bot x", &[("bot_command", 3, 9)]);
        check("/tmp/cache and a/b", &[]);
        check("hey @my_bot, see http://a.example/x now", &[("mention", 4, 7), ("url", 17, 18)]);
        check("mail a@example", &[]);
    }
}
