//! One tag: whether a text that begins with `<` begins with a tag of ours, does not, or may yet.

/// A longer tag is none.
const LONGEST: usize = 256;

const PREFIXES: [&str; 3] = ["", "antml:", "mm:"];
const NAMES: [&str; 4] = ["think", "thinking", "thought", "antthinking"];
const FINAL: &str = "final";

/// What a tag does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    /// Reasoning begins.
    Open,
    /// Reasoning ends.
    Close,
    /// Reasoning begins and ends.
    Empty,
    /// An opening or closing tag around the answer.
    Final,
}

/// What a text begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// A tag and its length in bytes.
    Tag(Tag, usize),
    /// The beginning of what may become a tag.
    Perhaps,
    /// Text.
    Text,
}

/// Reads the beginning of a text whose first byte is `<`.
pub(crate) fn beginning(text: &[u8]) -> Beginning {
    let text = text.get(..LONGEST).unwrap_or(text);
    let mut cursor = Cursor { text, at: 1 };
    match cursor.tag() {
        Ok(tag) => Beginning::Tag(tag, cursor.at),
        Err(Stop::End) if text.len() < LONGEST => Beginning::Perhaps,
        Err(Stop::End | Stop::Text) => Beginning::Text,
    }
}

enum Stop {
    /// The text ends before it can be told.
    End,
    /// This is no tag.
    Text,
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn tag(&mut self) -> Result<Tag, Stop> {
        self.blanks();
        let closing = self.take(b'/')?;
        self.blanks();
        let is_final = self.name()?;
        loop {
            let blanks = self.blanks();
            if self.take(b'>')? {
                return Ok(match (is_final, closing) {
                    (true, _) => Tag::Final,
                    (false, true) => Tag::Close,
                    (false, false) => Tag::Open,
                });
            }
            if self.take(b'/')? {
                self.blanks();
                return if self.take(b'>')? {
                    Ok(if is_final { Tag::Final } else { Tag::Empty })
                } else {
                    Err(Stop::Text)
                };
            }
            if blanks == 0 {
                return Err(Stop::Text);
            }
            self.attribute()?;
        }
    }

    /// The name; gives whether it is that of the answer's tag.
    fn name(&mut self) -> Result<bool, Stop> {
        // Most angles are no tags, and this tells most of those.
        if !matches!(self.peek().ok_or(Stop::End)?.to_ascii_lowercase(), b't' | b'a' | b'm' | b'f') {
            return Err(Stop::Text);
        }
        let from = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b':') {
            self.at += 1;
        }
        let name = self.text.get(from..self.at).unwrap_or_default();
        let candidates =
            PREFIXES.iter().flat_map(|p| NAMES.iter().map(move |n| (*p, *n))).chain([("", FINAL)]);
        let mut stop = Stop::Text;
        for (prefix, candidate) in candidates {
            let whole = prefix.bytes().chain(candidate.bytes());
            let length = prefix.len() + candidate.len();
            if name.len() <= length && name.iter().zip(whole).all(|(a, b)| a.to_ascii_lowercase() == b) {
                if self.peek().is_none() {
                    stop = Stop::End;
                } else if name.len() == length {
                    return Ok(candidate == FINAL);
                }
            }
        }
        Err(stop)
    }

    /// `name=value`, the value bare or in quotes.
    fn attribute(&mut self) -> Result<(), Stop> {
        let from = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':' | b'.'))
        {
            self.at += 1;
        }
        if self.peek().is_some() && self.at == from {
            return Err(Stop::Text);
        }
        self.blanks();
        if !self.take(b'=')? {
            return Err(Stop::Text);
        }
        self.blanks();
        match self.peek().ok_or(Stop::End)? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                while self.peek().ok_or(Stop::End)? != quote {
                    self.at += 1;
                }
                self.at += 1;
            }
            _ => {
                while self
                    .peek()
                    .is_some_and(|b| !b.is_ascii_whitespace() && !matches!(b, b'>' | b'/' | b'<'))
                {
                    self.at += 1;
                }
            }
        }
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, wanted: u8) -> Result<bool, Stop> {
        let there = self.peek().ok_or(Stop::End)? == wanted;
        self.at += usize::from(there);
        Ok(there)
    }

    fn blanks(&mut self) -> usize {
        let from = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
        self.at - from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        let check = |text: &str, expected| assert_eq!(beginning(text.as_bytes()), expected, "{text}");
        let tag = |text: &str, tag| check(text, Beginning::Tag(tag, text.len()));
        tag("<think>", Tag::Open);
        tag("<THINKING>", Tag::Open);
        tag("<thought >", Tag::Open);
        tag("<antthinking>", Tag::Open);
        tag("<think>", Tag::Open);
        tag("<mm:think>", Tag::Open);
        tag("< think >", Tag::Open);
        tag("<think a=1 b='x > y' c=\"z\">", Tag::Open);
        tag("<think\n>", Tag::Open);
        tag("</think>", Tag::Close);
        tag("</ think >", Tag::Close);
        tag("<thinking/>", Tag::Empty);
        tag("<think a=1 />", Tag::Empty);
        tag("<final>", Tag::Final);
        tag("</final>", Tag::Final);
        check("<think>rest", Beginning::Tag(Tag::Open, 7));

        for text in [
            "<",
            "< ",
            "</",
            "<t",
            "<thi",
            "<think",
            "<thinking ",
            "<ant",
            "<mm:",
            "<think a",
            "<think a=\"x",
            "<f",
        ] {
            check(text, Beginning::Perhaps);
        }
        for text in [
            "<b",
            "<thinkers>",
            "<think about it>",
            "<thin>",
            "<mm:final>",
            "<think,",
            "<1",
            "<>",
            "<<",
            "<think=>",
            "<think /x>",
            "<ö",
        ] {
            check(text, Beginning::Text);
        }
        check(&format!("<think a='{}", "x".repeat(300)), Beginning::Text);
        check(&format!("<think{}", " ".repeat(300)), Beginning::Text);
    }
}
