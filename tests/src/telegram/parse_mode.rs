//! The three markups that the server parses for clients that do not send entities. Reads what people really send and refuses what
//! the server refuses, in its wording; it is no complete copy of the server's parser.

use serde_json::{Map, Value, json};

use super::{refusal::Refusal, text::Formatted};

/// Parses `text`; the mode's name is matched without regard to case.
pub(crate) fn parse(text: &str, mode: &str) -> Result<Formatted, Refusal> {
    let parsed = match mode.to_ascii_lowercase().as_str() {
        "html" => html(text),
        "markdownv2" => markdown(text, &V2),
        "markdown" => markdown(text, &LEGACY),
        _ => return Err(Refusal::malformed("unsupported parse_mode")),
    };
    parsed.map_err(|what| Refusal::malformed(format!("can't parse entities: {what}")))
}

/// Plain text so far, and the entities opened in it.
#[derive(Default)]
struct Output {
    text: String,
    length: usize,
    open: Vec<Open>,
    entities: Vec<Value>,
}

struct Open {
    mark: String,
    kind: &'static str,
    start: usize,
    byte: usize,
    extra: Map<String, Value>,
}

impl Output {
    fn push(&mut self, c: char) {
        self.text.push(c);
        self.length += c.len_utf16();
    }

    fn open(&mut self, mark: &str, kind: &'static str, byte: usize) {
        let extra = Map::new();
        self.open.push(Open { mark: mark.into(), kind, start: self.length, byte, extra });
    }

    fn close(&mut self, extra: Map<String, Value>) {
        let Some(open) = self.open.pop().filter(|open| !open.kind.is_empty()) else { return };
        let length = self.length - open.start;
        let mut entity = json!({"type": open.kind, "offset": open.start, "length": length});
        if let Some(fields) = entity.as_object_mut() {
            fields.extend(open.extra);
            fields.extend(extra);
        }
        if length > 0 {
            self.entities.push(entity);
        }
    }

    fn finish(mut self) -> Formatted {
        self.entities.sort_by_key(|entity| entity.get("offset").and_then(Value::as_u64));
        Formatted { text: self.text, entities: self.entities, remarks: Vec::new() }
    }
}

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

fn html(source: &str) -> Result<Formatted, String> {
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

/// What sets the two Markdown modes apart.
struct Dialect {
    /// Longest first.
    marks: &'static [(&'static str, &'static str)],
    /// What must be escaped where it marks nothing.
    reserved: &'static str,
    escapable: fn(char) -> bool,
    strict: bool,
}

const V2: Dialect = Dialect {
    marks: &[
        ("```", "pre"),
        ("__", "underline"),
        ("||", "spoiler"),
        ("`", "code"),
        ("*", "bold"),
        ("_", "italic"),
        ("~", "strikethrough"),
    ],
    reserved: "_*[]()~`>#+-=|{}.!",
    escapable: |c| c.is_ascii() && !c.is_ascii_control(),
    strict: true,
};

const LEGACY: Dialect = Dialect {
    marks: &[("```", "pre"), ("`", "code"), ("*", "bold"), ("_", "italic")],
    reserved: "",
    escapable: |c| matches!(c, '_' | '*' | '`' | '['),
    strict: false,
};

fn markdown(source: &str, dialect: &Dialect) -> Result<Formatted, String> {
    let mut out = Output::default();
    let mut at = 0;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        at += step(&mut out, rest, at, dialect)?;
    }
    match out.open.last() {
        Some(open) if dialect.strict => {
            let kind = camel(open.kind);
            Err(format!("Can't find end of {kind} entity at byte offset {}", open.byte))
        }
        Some(open) => Err(format!("Can't find end of the entity starting at byte offset {}", open.byte)),
        None => Ok(out.finish()),
    }
}

/// Takes one character, mark or escape; gives the bytes it took.
fn step(out: &mut Output, rest: &str, at: usize, dialect: &Dialect) -> Result<usize, String> {
    let c = rest.chars().next().unwrap_or_default();
    let inner = out.open.last().map(|open| (open.mark.clone(), open.kind));
    let verbatim = inner.as_ref().is_some_and(|(_, kind)| matches!(*kind, "code" | "pre"));
    if let Some(escaped) =
        rest.strip_prefix('\\').and_then(|rest| rest.chars().next()).filter(|c| (dialect.escapable)(*c))
        && (dialect.strict || !verbatim)
    {
        out.push(escaped);
        return Ok(1 + escaped.len_utf8());
    }
    if let Some((mark, kind)) = &inner {
        if *kind == "text_link" && c == ']' {
            return close_link(out, rest);
        }
        if *kind != "text_link" && rest.starts_with(mark.as_str()) {
            out.close(Map::new());
            return Ok(mark.len());
        }
    }
    if !verbatim {
        if let Some((mark, kind)) = dialect.marks.iter().find(|(mark, _)| rest.starts_with(mark)) {
            out.open(mark, kind, at);
            return Ok(mark.len() + if *kind == "pre" { language(out, rest) } else { 0 });
        }
        if c == '[' || (dialect.strict && rest.starts_with("![")) {
            out.open("[", "text_link", at);
            return Ok(if c == '[' { 1 } else { 2 });
        }
        let quote = c == '>' && (out.text.is_empty() || out.text.ends_with('\n'));
        if dialect.reserved.contains(c) && !quote {
            return Err(format!("Character '{c}' is reserved and must be escaped with the preceding '\\'"));
        }
    }
    out.push(c);
    Ok(c.len_utf8())
}

/// The first line of a fenced block, when it is one word.
fn language(out: &mut Output, rest: &str) -> usize {
    let head = rest.get(3..).and_then(|rest| rest.split_once('\n')).map_or("", |(head, _)| head);
    if head.is_empty() || head.contains(char::is_whitespace) || head.contains('`') {
        return usize::from(rest.get(3..).is_some_and(|rest| rest.starts_with('\n')));
    }
    if let Some(open) = out.open.last_mut() {
        open.extra.insert("language".into(), head.into());
    }
    head.len() + 1
}

fn close_link(out: &mut Output, rest: &str) -> Result<usize, String> {
    let url = rest.strip_prefix("](").and_then(|rest| rest.split_once(')')).map(|(url, _)| url);
    let extra = url.map(|url| Map::from_iter([("url".to_owned(), url.into())]));
    match extra {
        Some(extra) => out.close(extra),
        None => drop(out.open.pop()),
    }
    Ok(url.map_or(1, |url| url.len() + 3))
}

fn camel(kind: &str) -> &'static str {
    match kind {
        "bold" => "Bold",
        "italic" => "Italic",
        "underline" => "Underline",
        "strikethrough" => "Strikethrough",
        "spoiler" => "Spoiler",
        "code" => "Code",
        "pre" => "Pre",
        _ => "TextUrl",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mode: &str, source: &str, text: &str, entities: Value) {
        let parsed = parse(source, mode).unwrap();
        assert_eq!((parsed.text.as_str(), Value::from(parsed.entities)), (text, entities), "{source}");
    }

    fn refused(mode: &str, source: &str, expected: &str) {
        let description = parse(source, mode).unwrap_err().description;
        assert!(description.contains(expected), "{description}");
    }

    #[test]
    fn html_tags_become_entities() {
        check("HTML", "a <b>b&lt;😀</b>c", "a b<😀c", json!([{"type": "bold", "offset": 2, "length": 4}]));
        check(
            "html",
            "<a href=\"http://a.example/?x=1&amp;y\">l</a><blockquote expandable>q</blockquote>",
            "lq",
            json!([{"type": "text_link", "offset": 0, "length": 1, "url": "http://a.example/?x=1&y"},
                   {"type": "expandable_blockquote", "offset": 1, "length": 1}]),
        );
        check(
            "HTML",
            "<pre><code class=\"language-rust\">x</code></pre>",
            "x",
            json!([{"type": "pre", "offset": 0, "length": 1, "language": "rust"}]),
        );
        refused("HTML", "<div>x</div>", "Unsupported start tag \"div\" at byte offset 0");
        refused("HTML", "<b>x</i>", "expected \"</b>\", found \"</i>\"");
        refused("HTML", "<b>x", "Can't find end tag corresponding to start tag \"b\"");
    }

    #[test]
    fn markdown_marks_become_entities() {
        check(
            "MarkdownV2",
            "*a* _b_",
            "a b",
            json!([{"type": "bold", "offset": 0, "length": 1}, {"type": "italic", "offset": 2, "length": 1}]),
        );
        check("MarkdownV2", "1\\. `a.b`", "1. a.b", json!([{"type": "code", "offset": 3, "length": 3}]));
        check("Markdown", "1. *a*", "1. a", json!([{"type": "bold", "offset": 3, "length": 1}]));
        check(
            "Markdown",
            "[l](http://x.example)",
            "l",
            json!([{"type": "text_link", "offset": 0, "length": 1, "url": "http://x.example"}]),
        );
        check(
            "MarkdownV2",
            "```rust\nfn\n```",
            "fn\n",
            json!([{"type": "pre", "offset": 0, "length": 3, "language": "rust"}]),
        );
        refused("MarkdownV2", "1. x", "Character '.' is reserved");
        refused("MarkdownV2", "*x", "Can't find end of Bold entity at byte offset 0");
        refused("Markdown", "a_b", "Can't find end of the entity starting at byte offset 1");
        assert_eq!(parse("x", "latex").unwrap_err().description, "Bad Request: unsupported parse_mode");
    }
}
