//! Where a Markdown text that arrives in pieces is code: fenced blocks and inline spans, as CommonMark has them. Finds the
//! next `<` outside of them.

use memchr::{memchr, memchr2, memchr3};

/// Follows a text.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    state: State,
    /// Nothing but blanks since the line began.
    line_start: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Plain,
    /// In a run of backticks or tildes that may open something.
    Opening {
        mark: u8,
        run: usize,
        line_start: bool,
    },
    /// On the opening line of a fence.
    Info {
        mark: u8,
        fence: usize,
    },
    Fence {
        mark: u8,
        fence: usize,
    },
    /// In a run, at the start of a line, that may close the fence.
    Closing {
        mark: u8,
        fence: usize,
        run: usize,
    },
    /// After such a run: only blanks may follow.
    Closed {
        mark: u8,
        fence: usize,
    },
    Span {
        ticks: usize,
    },
    /// In a run that may close the span.
    Ending {
        ticks: usize,
        run: usize,
        line_start: bool,
    },
    /// At the start of a line inside a span; an empty line ends the paragraph, and so the span was none.
    Broken {
        ticks: usize,
    },
}

impl Default for Code {
    fn default() -> Self {
        Self { state: State::Plain, line_start: true }
    }
}

impl Code {
    /// Whether only blanks stand before this place on its line.
    pub(crate) fn at_line_start(&self) -> bool {
        self.line_start
    }

    /// Goes on from `at` to the next `<` that is not in code, or to the end of the text.
    pub(crate) fn next_angle(&mut self, text: &[u8], mut at: usize) -> Option<usize> {
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            if self.state == State::Plain {
                let Some(found) = memchr3(b'<', b'`', b'~', rest) else {
                    self.pass(rest);
                    return None;
                };
                self.pass(rest.get(..found).unwrap_or_default());
                at += found;
                match rest.get(found) {
                    Some(b'<') => return Some(at),
                    Some(mark) => {
                        self.state = State::Opening { mark: *mark, run: 0, line_start: self.line_start };
                    }
                    None => return None,
                }
            } else {
                at += self.step(rest);
            }
        }
        None
    }

    /// Notes that the `<` at the present place is text.
    pub(crate) fn skip_angle(&mut self) {
        self.line_start = false;
    }

    /// Keeps the line's beginning in mind over plain text.
    fn pass(&mut self, text: &[u8]) {
        if let Some(last) = text.iter().rposition(|byte| !is_blank(*byte)) {
            self.line_start = text.get(last) == Some(&b'\n');
        }
    }

    /// One step inside or at the edge of code; gives how many bytes it took.
    fn step(&mut self, rest: &[u8]) -> usize {
        let length = |mark: u8| rest.iter().take_while(|byte| **byte == mark).count();
        match self.state {
            State::Plain => 0,
            State::Opening { mark, run, line_start } => {
                let more = length(mark);
                self.state = if more == rest.len() {
                    State::Opening { mark, run: run + more, line_start }
                } else {
                    self.line_start = false;
                    opened(mark, run + more, line_start)
                };
                more
            }
            State::Info { mark, fence } => self.info(rest, mark, fence),
            State::Fence { mark, fence } => self.fence(rest, mark, fence),
            State::Closing { mark, fence, run } => {
                let more = length(mark);
                self.state = match run + more {
                    run if more == rest.len() => State::Closing { mark, fence, run },
                    run if run >= fence => State::Closed { mark, fence },
                    _ => self.in_fence(mark, fence),
                };
                more
            }
            State::Closed { mark, fence } => match rest.iter().position(|byte| !is_blank(*byte)) {
                None => rest.len(),
                Some(at) if rest.get(at) == Some(&b'\n') => {
                    *self = Self::default();
                    at + 1
                }
                Some(at) => {
                    self.state = self.in_fence(mark, fence);
                    at
                }
            },
            State::Span { ticks } => match memchr2(b'`', b'\n', rest) {
                None => rest.len(),
                Some(at) if rest.get(at) == Some(&b'\n') => {
                    self.state = State::Broken { ticks };
                    at + 1
                }
                Some(at) => {
                    self.state = State::Ending { ticks, run: 0, line_start: false };
                    at
                }
            },
            State::Ending { ticks, run, line_start } => {
                let more = length(b'`');
                self.state = match run + more {
                    run if more == rest.len() => State::Ending { ticks, run, line_start },
                    run if run == ticks => State::Plain,
                    run if run >= 3 && line_start => State::Info { mark: b'`', fence: run },
                    _ => State::Span { ticks },
                };
                more
            }
            State::Broken { ticks } => match rest.iter().position(|byte| !is_blank(*byte)) {
                None => rest.len(),
                Some(at) => match rest.get(at) {
                    Some(b'\n') => {
                        *self = Self::default();
                        at + 1
                    }
                    Some(b'`') => {
                        self.state = State::Ending { ticks, run: 0, line_start: true };
                        at
                    }
                    Some(_) | None => {
                        self.state = State::Span { ticks };
                        at
                    }
                },
            },
        }
    }

    /// The line that opens a fence. Backticks in it mean that the run before them opened a span.
    fn info(&mut self, rest: &[u8], mark: u8, fence: usize) -> usize {
        let found = if mark == b'`' { memchr2(b'`', b'\n', rest) } else { memchr(b'\n', rest) };
        match found.map(|at| (at, rest.get(at))) {
            None => rest.len(),
            Some((at, Some(b'`'))) => {
                self.state = State::Ending { ticks: fence, run: 0, line_start: false };
                at
            }
            Some((at, _)) => {
                self.line_start = true;
                self.state = State::Fence { mark, fence };
                at + 1
            }
        }
    }

    fn fence(&mut self, rest: &[u8], mark: u8, fence: usize) -> usize {
        if !self.line_start {
            let Some(at) = memchr(b'\n', rest) else { return rest.len() };
            self.line_start = true;
            return at + 1;
        }
        match rest.iter().position(|byte| !is_blank(*byte)) {
            None => rest.len(),
            Some(at) if rest.get(at) == Some(&mark) => {
                self.state = State::Closing { mark, fence, run: 0 };
                at
            }
            Some(at) => {
                self.line_start = rest.get(at) == Some(&b'\n');
                at + 1
            }
        }
    }

    fn in_fence(&mut self, mark: u8, fence: usize) -> State {
        self.line_start = false;
        State::Fence { mark, fence }
    }
}

/// What a run of marks opens.
fn opened(mark: u8, run: usize, line_start: bool) -> State {
    match mark {
        _ if line_start && run >= 3 => State::Info { mark, fence: run },
        b'`' => State::Span { ticks: run },
        _ => State::Plain,
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with each `<` outside of code as `@`.
    fn marked(text: &str) -> String {
        let mut code = Code::default();
        let mut out = text.as_bytes().to_vec();
        let mut at = 0;
        while let Some(found) = code.next_angle(text.as_bytes(), at) {
            out[found] = b'@';
            code.skip_angle();
            at = found + 1;
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn code_is_found() {
        let check = |text: &str, expected: &str| assert_eq!(marked(text), expected);
        check("a < b", "a @ b");
        check("`<` <", "`<` @");
        check("``<`<`` <", "``<`<`` @");
        check("`a\n<` <", "`a\n<` @");
        check("`a\n\n<", "`a\n\n@");
        check("```\n<\n```\n<", "```\n<\n```\n@");
        check("```rust\n<\n``\n<\n````  \n<", "```rust\n<\n``\n<\n````  \n@");
        check("```\n<\n```x\n<", "```\n<\n```x\n<");
        check("~~~ `\n<\n```\n<\n~~~\n<", "~~~ `\n<\n```\n<\n~~~\n@");
        check("  ```\n<", "  ```\n<");
        check("a ```\n<``` <", "a ```\n<``` @");
        check("```<``` <", "```<``` @");
        check("~~ < ~~", "~~ @ ~~");
        check("a ~~~\n<", "a ~~~\n@");
        check("one ` here\n```\n<\n```\n<", "one ` here\n```\n<\n```\n@");
        check("\r\n```\r\n<\r\n```\r\n<", "\r\n```\r\n<\r\n```\r\n@");
    }
}
