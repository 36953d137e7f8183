//! `parse_mode: HTML`: the tags that Telegram knows and no others.

use serde_json::Map;

use super::Output;
use crate::telegram::text::Formatted;

const TAGS: [(&str, &str); 17] = [
    ("b", "bold"),
    ("strong", "bold"),
    ("i", "italic"),
    ("em", "italic"),
    ("u", "underline"),
    ("ins", "underline"),
    ("s", "strikethrough"),
    ("strike", "strikethrough"),
    ("del", "strikethrough"),
    ("tg-spoiler", "spoiler"),
    ("span", "spoiler"),
    ("code", "code"),
    ("pre", "pre"),
    ("blockquote", "blockquote"),
    ("a", "text_link"),
    ("tg-emoji", "custom_emoji"),
    ("tg-time", "date_time"),
];

/// Plain text and entities, or the server's complaint.
pub(super) fn parse(source: &str) -> Result<Formatted, String> {
    let mut out = Output::default();
    let mut at = 0;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with('<') {
            let end = rest.find('>').ok_or_else(|| format!("Unclosed start tag at byte offset {at}"))?;
            let tag = rest.get(1..end).unwrap_or_default();
            match tag.strip_prefix('/') {
                Some(name) => close_tag(&mut out, name.trim(), at)?,
                None => open_tag(&mut out, tag, at)?,
            }
            at += end + 1;
        } else {
            let (c, used) = character(rest);
            out.push(c);
            at += used;
        }
    }
    match out.open.last() {
        Some(open) => Err(format!("Can't find end tag corresponding to start tag \"{}\"", open.mark)),
        None => Ok(out.finish()),
    }
}

fn open_tag(out: &mut Output, tag: &str, at: usize) -> Result<(), String> {
    let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    let name = name.to_ascii_lowercase();
    let unsupported = || format!("Unsupported start tag \"{name}\" at byte offset {at}");
    let (_, kind) = TAGS.iter().find(|(known, _)| *known == name).ok_or_else(unsupported)?;
    let kind = match (name.as_str(), attributes.contains("expandable")) {
        ("blockquote", true) => "expandable_blockquote",
        ("span", _) if !attributes.contains("tg-spoiler") => {
            return Err(format!("Tag \"span\" must have class \"tg-spoiler\" at byte offset {at}"));
        }
        // A language sits on a code tag inside the pre tag, and the two are one entity.
        ("code", _) if out.open.last().is_some_and(|open| open.mark == "pre" && open.start == out.length) => {
            ""
        }
        _ => kind,
    };
    out.open(&name, kind, at);
    let extra = match name.as_str() {
        "a" => attribute(attributes, "href").map(|url| ("url", url)),
        "tg-emoji" => attribute(attributes, "emoji-id").map(|id| ("custom_emoji_id", id)),
        _ => None,
    };
    if let (Some((key, value)), Some(open)) = (extra, out.open.last_mut()) {
        open.extra.insert(key.into(), value.into());
    }
    let language =
        attribute(attributes, "class").and_then(|class| class.strip_prefix("language-").map(str::to_owned));
    if let (true, Some(language)) = (kind.is_empty(), language) {
        let pre = out.open.iter_mut().rev().nth(1);
        pre.into_iter().for_each(|pre| drop(pre.extra.insert("language".into(), language.clone().into())));
    }
    Ok(())
}

fn close_tag(out: &mut Output, name: &str, at: usize) -> Result<(), String> {
    let name = name.to_ascii_lowercase();
    match out.open.last() {
        None => return Err(format!("Unexpected end tag at byte offset {at}")),
        Some(open) if open.mark != name => {
            return Err(format!(
                "Unmatched end tag at byte offset {at}, expected \"</{}>\", found \"</{name}>\"",
                open.mark
            ));
        }
        // A link without an address is plain text.
        Some(open) if open.kind == "text_link" && !open.extra.contains_key("url") => drop(out.open.pop()),
        Some(_) => out.close(Map::new()),
    }
    Ok(())
}

fn attribute(attributes: &str, name: &str) -> Option<String> {
    let value = attributes.split_once(&format!("{name}="))?.1;
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let raw = value.get(1..)?.split(quote).next()?;
    let mut plain = String::new();
    let mut rest = raw;
    while !rest.is_empty() {
        let (c, used) = character(rest);
        plain.push(c);
        rest = rest.get(used..).unwrap_or_default();
    }
    Some(plain)
}

/// One character, named and numeric references decoded, and the bytes that it took.
fn character(text: &str) -> (char, usize) {
    for (name, c) in [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&'), ("&quot;", '"')] {
        if text.starts_with(name) {
            return (c, name.len());
        }
    }
    if let Some((digits, _)) = text.strip_prefix("&#").and_then(|rest| rest.split_once(';')) {
        let code = digits
            .strip_prefix('x')
            .map_or_else(|| digits.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
        if let Some(c) = code.and_then(char::from_u32) {
            return (c, digits.len() + 3);
        }
    }
    let c = text.chars().next().unwrap_or_default();
    (c, c.len_utf8())
}
