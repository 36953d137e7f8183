//! Control tags, such as `[[reply_to_current]]`, that models trained for other bots put before an answer. Nobody should
//! read them, whole or broken; anywhere but at the very start they are text, and inside code they always are.

const NAMES: [&str; 2] = ["reply_to_current", "audio_as_voice"];
const NAME_WITH_ID: &str = "reply_to:";

/// The message behind its leading control tags, or the message itself when there are none.
#[must_use]
pub fn without_tags(markdown: &str) -> &str {
    let mut rest = markdown;
    while let Some(after) = opening(rest).and_then(after_tag) {
        rest = after;
    }
    rest
}

/// What follows `[[` at the start, unless the indentation makes it code.
fn opening(text: &str) -> Option<&str> {
    let start = text.trim_start_matches(['\n', '\r']);
    let line = start.trim_start_matches(' ');
    if start.len() - line.len() >= 4 {
        return None;
    }
    line.strip_prefix("[[").map(str::trim_start)
}

/// What follows the tag: its name, and one or two brackets or, where they were forgotten, white space.
fn after_tag(inside: &str) -> Option<&str> {
    let named = NAMES.iter().find_map(|name| strip_ignoring_case(inside, name));
    let after_name = named.or_else(|| {
        let id = strip_ignoring_case(inside, NAME_WITH_ID)?.trim_start_matches(' ');
        Some(id.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_'))
    })?;
    let closed = after_name.trim_start_matches(' ');
    let after = closed.strip_prefix("]]").or_else(|| closed.strip_prefix(']'));
    let ended = after
        .or_else(|| (after_name.is_empty() || after_name.starts_with([' ', '\n'])).then_some(after_name))?;
    Some(ended.trim_start_matches(' '))
}

fn strip_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dir_18_leading_control_tags_are_removed_also_broken_ones() {
        let check = |text: &str, expected: &str| assert_eq!(without_tags(text), expected, "{text:?}");
        check("[[reply_to_current]] hello", "hello");
        check("[[reply_to_current] hello", "hello");
        check("[[reply_to_current hello", "hello");
        check("[[ reply_to_current ]]hello", "hello");
        check("[[audio_as_voice]]\n[[reply_to: 12-a]]\nhello", "\nhello");
        check("\n  [[Reply_To_Current]]", "");
        check("[[reply_to_current", "");
        check("[[reply_to_currently]] x", "[[reply_to_currently]] x");
        check("[[other]] x", "[[other]] x");
        check("[reply_to_current] x", "[reply_to_current] x");
        check("x [[reply_to_current]]", "x [[reply_to_current]]");
        check("", "");
    }

    #[test]
    fn dir_19_inside_code_they_are_text() {
        for text in ["`[[audio_as_voice]]` please", "```\n[[audio_as_voice]]\n```", "    [[audio_as_voice]]"]
        {
            assert_eq!(without_tags(text), text);
        }
    }
}
