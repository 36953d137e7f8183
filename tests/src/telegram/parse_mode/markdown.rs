//! `parse_mode: MarkdownV2`, which wants everything escaped, and `Markdown`, which cannot escape inside an entity.

use serde_json::Map;

use super::Output;
use crate::telegram::text::Formatted;

/// What sets the two Markdown modes apart.
pub(super) struct Dialect {
    /// Longest first.
    marks: &'static [(&'static str, &'static str)],
    /// What must be escaped where it marks nothing.
    reserved: &'static str,
    escapable: fn(char) -> bool,
    strict: bool,
}

pub(super) const V2: Dialect = Dialect {
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

pub(super) const LEGACY: Dialect = Dialect {
    marks: &[("```", "pre"), ("`", "code"), ("*", "bold"), ("_", "italic")],
    reserved: "",
    escapable: |c| matches!(c, '_' | '*' | '`' | '['),
    strict: false,
};

/// Plain text and entities, or the server's complaint.
pub(super) fn parse(source: &str, dialect: &Dialect) -> Result<Formatted, String> {
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
