//! Server-sent events out of bytes: chunks in, whole events out, in time linear in the bytes whatever the chunks are.

use memchr::memchr2;

use crate::trouble::Trouble;

/// The longest event; a final event repeats the whole answer and may be long.
const LONGEST: usize = 16 << 20;

/// One event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Event<'a> {
    /// Whether the event calls itself an error.
    pub(crate) kind: Kind,
    /// Its data lines, joined.
    pub(crate) data: &'a [u8],
}

/// What an event calls itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Kind {
    /// `event: error`.
    Error,
    /// Anything else; what matters stands in the data.
    #[default]
    Any,
}

/// Reads one stream.
#[derive(Debug, Default)]
pub(crate) struct Events {
    buffer: Vec<u8>,
    /// Where the line begins that is being read.
    line: usize,
    /// Up to where that line was searched for its end.
    searched: usize,
    /// The line before ended with a carriage return, so a line feed right here belongs to it.
    after_return: bool,
    started: bool,
    data: Vec<u8>,
    has_data: bool,
    kind: Kind,
    given: bool,
}

impl Events {
    /// Takes the next bytes.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Result<(), Trouble> {
        if self.line == self.buffer.len() {
            self.buffer.clear();
        } else if self.line > self.buffer.len() / 2 {
            self.buffer.drain(..self.line);
        } else {
            self.buffer.extend_from_slice(chunk);
            return self.within_bounds();
        }
        self.searched -= self.line;
        self.line = 0;
        self.buffer.extend_from_slice(chunk);
        self.within_bounds()
    }

    fn within_bounds(&self) -> Result<(), Trouble> {
        if self.buffer.len() - self.line + self.data.len() > LONGEST {
            return Err(Trouble::Broken("an event without end".to_owned()));
        }
        Ok(())
    }

    /// The next whole event.
    pub(crate) fn next(&mut self) -> Option<Event<'_>> {
        if std::mem::take(&mut self.given) {
            self.data.clear();
            self.has_data = false;
            self.kind = Kind::Any;
        }
        while let Some((from, to)) = self.next_line() {
            if from == to {
                if self.has_data {
                    self.given = true;
                    return Some(Event { kind: self.kind, data: &self.data });
                }
                self.kind = Kind::Any;
            } else {
                self.field(from, to);
            }
        }
        None
    }

    /// The bounds of the next whole line, without its end.
    fn next_line(&mut self) -> Option<(usize, usize)> {
        if self.after_return && self.buffer.get(self.line).is_some() {
            self.after_return = false;
            if self.buffer.get(self.line) == Some(&b'\n') {
                self.line += 1;
                self.searched = self.searched.max(self.line);
            }
        }
        let Some(end) = memchr2(b'\n', b'\r', self.buffer.get(self.searched..)?) else {
            self.searched = self.buffer.len();
            return None;
        };
        let (from, to) = (self.line, self.searched + end);
        self.after_return = self.buffer.get(to) == Some(&b'\r');
        self.line = to + 1;
        self.searched = self.line;
        Some((from, to))
    }

    fn field(&mut self, from: usize, to: usize) {
        let mut line = self.buffer.get(from..to).unwrap_or_default();
        if !std::mem::replace(&mut self.started, true) {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => {
                let value = line.get(colon + 1..).unwrap_or_default();
                (line.get(..colon).unwrap_or_default(), value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &b""[..]),
        };
        match name {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => self.kind = if value == b"error" { Kind::Error } else { Kind::Any },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<(Kind, String)> {
        let mut events = Events::default();
        let mut out = Vec::new();
        for chunk in chunks {
            events.push(chunk).unwrap();
            while let Some(event) = events.next() {
                out.push((event.kind, String::from_utf8_lossy(event.data).into_owned()));
            }
        }
        out
    }

    fn check(stream: &str, expected: &[&str]) {
        let any: Vec<_> = expected.iter().map(|data| (Kind::Any, (*data).to_owned())).collect();
        assert_eq!(read([stream.as_bytes()]), any, "{stream:?}");
        assert_eq!(read(stream.as_bytes().chunks(1)), any, "{stream:?} byte by byte");
    }

    #[test]
    fn streams() {
        check("data: a\n\n", &["a"]);
        check("data:a\n\ndata:  b\n\n", &["a", " b"]);
        check("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]);
        check("data: a\r\rdata: b\r\r", &["a", "b"]);
        check("data: a\ndata: b\n\n", &["a\nb"]);
        check("\u{FEFF}data: a\n\n", &["a"]);
        check(": a comment\n\ndata: a\n\n: more\n\n", &["a"]);
        check("event: x\nid: 5\nretry: 9\ndata: ä😀\n\n", &["ä😀"]);
        check("event: x\n\ndata: a\n\n", &["a"]);
        check("data\n\n", &[""]);
        check("data: unfinished\n", &[]);
        check("", &[]);
        assert_eq!(
            read([&b"event: error\ndata: a\n\ndata: b\n\n"[..]]),
            [(Kind::Error, "a".to_owned()), (Kind::Any, "b".to_owned())]
        );
    }

    #[test]
    fn an_endless_event_is_refused() {
        let mut events = Events::default();
        let chunk = vec![b'a'; 1 << 20];
        let refused = (0..20).any(|_| {
            let full = events.push(&chunk).is_err();
            assert_eq!(events.next(), None);
            full
        });
        assert!(refused);
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_events(
            parts in proptest::collection::vec(
                prop_oneof![
                    Just("data: "), Just("a"), Just("\n"), Just("\r"), Just("\n\n"), Just(":"), Just("event: error"),
                    Just("ä"), Just("\u{FEFF}"),
                ],
                0..40,
            ),
            sizes in proptest::collection::vec(1..9_usize, 1..20),
        ) {
            let stream = parts.concat();
            let whole = read([stream.as_bytes()]);
            let mut chunks = Vec::new();
            let mut rest = stream.as_bytes();
            for size in sizes.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (chunk, after) = rest.split_at((*size).min(rest.len()));
                chunks.push(chunk);
                rest = after;
            }
            prop_assert_eq!(read(chunks), whole);
        }
    }
}
