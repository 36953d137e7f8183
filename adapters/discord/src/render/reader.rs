//! Discord's reading of a message as its desktop client does it, so that tests see what people see: each rule is tried at each
//! letter, in order, and looks for its end by its sign alone.

#![allow(clippy::string_slice, reason = "a test that cuts a letter must fail")]

/// What the message shows, without its markup; labels of items stay.
pub(super) fn shown(message: &str) -> String {
    let mut reader = Reader { out: String::new(), in_link: false, in_quote: false };
    reader.read(message, true);
    reader.out
}

struct Reader {
    out: String,
    in_link: bool,
    in_quote: bool,
}

impl Reader {
    fn read(&mut self, text: &str, mut line_start: bool) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let block = if line_start && !self.in_link { self.block(rest) } else { None };
            if let Some(length) = block {
                rest = &rest[length..];
                continue;
            }
            if let Some(length) = self.span(rest, line_start) {
                rest = &rest[length..];
                line_start = false;
                continue;
            }
            self.out.push(c);
            rest = &rest[c.len_utf8()..];
            line_start = c == '\n' || line_start && c == ' ';
        }
    }

    fn block(&mut self, text: &str) -> Option<usize> {
        let line_length = text.find('\n').map_or(text.len(), |at| at + 1);
        let line = &text[..line_length];
        let bare = line.trim_start_matches(' ');
        if !self.in_quote && bare.starts_with("> ") {
            let (mut inner, mut length) = (String::new(), 0);
            for line in text.split_inclusive('\n') {
                let Some(quoted) = line.trim_start_matches(' ').strip_prefix("> ") else { break };
                inner.push_str(quoted);
                length += line.len();
            }
            self.in_quote = true;
            self.read(&inner, true);
            self.in_quote = false;
            return Some(length);
        }
        assert!(!bare.starts_with(">>> "), "{text:?}");
        if let Some(inner) = line.strip_prefix("-# ") {
            self.read(inner, true);
            return Some(line_length);
        }
        if let Some(inner) = ["# ", "## ", "### "].into_iter().find_map(|sign| bare.strip_prefix(sign)) {
            self.read(inner, true);
            return Some(line_length);
        }
        let digits = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let label = if digits > 0 && bare[digits..].starts_with(". ") {
            digits + 2
        } else if ["- ", "+ ", "* "].into_iter().any(|sign| bare.starts_with(sign)) {
            2
        } else {
            return None;
        };
        self.out.push_str(&bare[..label]);
        self.out.push('⦁');
        let inner = &bare[label..];
        self.read(inner, true);
        Some(line_length)
    }

    fn span(&mut self, text: &str, line_start: bool) -> Option<usize> {
        let second = text.chars().nth(1);
        if text.starts_with('\\') && second.is_some_and(|c| !c.is_alphanumeric() && !c.is_whitespace()) {
            let second = second?;
            if !(self.in_link && second == ']') {
                self.out.push(second);
                return Some(1 + second.len_utf8());
            }
        }
        if text.starts_with("http://") || text.starts_with("https://") {
            let run = text.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(text.len());
            let url = text[..run].trim_end_matches(['.', ',', ':', ';', '"', '\'', ')', ']']);
            self.out.push_str(url);
            return Some(url.len());
        }
        if let Some(length) = self.link(text) {
            return Some(length);
        }
        if let Some(inside) = text.strip_prefix("```")
            && let Some(end) =
                behind_first(inside).find("```").map(|at| at + inside.len() - behind_first(inside).len())
            && inside[..end].contains(|c| c != '\n')
        {
            let code = &inside[..end];
            let language = code.find('\n').filter(|at| {
                *at > 0 && code[..*at].chars().all(|c| c.is_ascii_alphanumeric() || "_+-.".contains(c))
            });
            self.out.push_str(&code[language.unwrap_or(0)..]);
            return Some(end + 6);
        }
        for (sign, not_after) in [("**", "*"), ("__", "_"), ("~~", ""), ("||", "")] {
            if let Some((inside, length)) = enclosed(text, sign, not_after) {
                self.read(inside, line_start);
                return Some(length);
            }
        }
        if let Some((inside, length)) = italic(text) {
            self.read(inside, line_start);
            return Some(length);
        }
        for tick in ["``", "`"] {
            if let Some(inside) = text.strip_prefix(tick) {
                let end = inside.find(tick)?;
                let code = &inside[..end];
                if code.contains(|c| c != '`') {
                    self.out.push_str(code);
                    return Some(end + 2 * tick.len());
                }
            }
        }
        None
    }

    fn link(&mut self, text: &str) -> Option<usize> {
        if self.in_link || !text.starts_with('[') {
            return None;
        }
        let mut depth = 0;
        let close = text.char_indices().find_map(|(at, c)| {
            depth += i32::from(c == '[') - i32::from(c == ']');
            (depth == 0).then_some(at)
        })?;
        let target = text[close + 1..].strip_prefix('(')?;
        let end = target.find(')')?;
        let url = &target[..end];
        let is_url = url.starts_with("http") && !url.contains([' ', '\n', '<', '\\', '(']);
        let words = &text[1..close];
        if !is_url || url.ends_with(['.', ',', ':', ';', '"', '\'', ']']) || words.contains("://") {
            return None;
        }
        self.in_link = true;
        self.read(words, false);
        self.in_link = false;
        Some(close + 2 + end + 1)
    }
}

fn behind_first(text: &str) -> &str {
    let mut letters = text.chars();
    letters.next();
    letters.as_str()
}

fn enclosed<'a>(text: &'a str, sign: &str, not_after: &str) -> Option<(&'a str, usize)> {
    let inside = text.strip_prefix(sign)?;
    let first = inside.chars().next()?.len_utf8();
    let ends = inside.char_indices().map(|(at, _)| at).filter(|at| *at >= first);
    let mut ends = ends.filter(|at| inside[*at..].starts_with(sign));
    let end = ends.find(|at| not_after.is_empty() || !inside[at + sign.len()..].starts_with(not_after))?;
    Some((&inside[..end], end + 2 * sign.len()))
}

fn italic(text: &str) -> Option<(&str, usize)> {
    let inside = text.strip_prefix('*').filter(|inside| !inside.starts_with(char::is_whitespace))?;
    let mut at = 0;
    while let Some(c) = inside[at..].chars().next() {
        let rest = &inside[at..];
        if at > 0 && c == '*' && !inside[..at].ends_with('\\') && !rest.starts_with("**") {
            return Some((&inside[..at], at + 2));
        }
        if rest.starts_with("\\*") || rest.starts_with("**") {
            at += 2;
        } else if c == '*' {
            return None;
        } else if c.is_whitespace() {
            at += rest.len() - rest.trim_start().len();
            let next = &inside[at..];
            if next.starts_with('*') && !next.starts_with("**") {
                return None;
            }
        } else {
            at += c.len_utf8();
        }
    }
    None
}
