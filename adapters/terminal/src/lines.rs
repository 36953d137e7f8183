//! Reads lines of bounded length from a socket. What is too long is skipped, told once, and the next line is read.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

const CHUNK: usize = 4 * 1024;

/// One step of a [`LineReader`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line without its line break; may be empty.
    Whole(Vec<u8>),
    /// A line beyond the limit came by.
    TooLong,
    /// The far side is done.
    End,
}

/// Splits what comes from `source` at line breaks. [`LineReader::next`] may be dropped at any wait without losing a byte.
pub(crate) struct LineReader<R> {
    source: R,
    limit: usize,
    held: Vec<u8>,
    /// How much of `held` is known to hold no line break.
    searched: usize,
    skipping: Skipping,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Skipping {
    Yes,
    No,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(source: R, limit: usize) -> Self {
        Self { source, limit, held: Vec::new(), searched: 0, skipping: Skipping::No }
    }

    /// The next line.
    pub(crate) async fn next(&mut self) -> io::Result<Line> {
        loop {
            if let Some(line) = self.take() {
                return Ok(line);
            }
            self.held.reserve(CHUNK);
            if self.source.read_buf(&mut self.held).await? == 0 {
                // A line without its line break was cut off by the far side's end: half a request is no request.
                return Ok(Line::End);
            }
        }
    }

    /// What can be told without reading further.
    fn take(&mut self) -> Option<Line> {
        let end =
            self.held.iter().skip(self.searched).position(|byte| *byte == b'\n').map(|at| at + self.searched);
        let Some(end) = end else {
            self.searched = self.held.len();
            if self.held.len() > self.limit {
                self.skipping = Skipping::Yes;
            }
            if self.skipping == Skipping::Yes {
                self.held = Vec::new();
                self.searched = 0;
            }
            return None;
        };
        let rest = self.held.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.held, rest);
        self.searched = 0;
        line.pop();
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        let too_long = self.skipping == Skipping::Yes || line.len() > self.limit;
        self.skipping = Skipping::No;
        Some(if too_long { Line::TooLong } else { Line::Whole(line) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_all(bytes: &[u8], limit: usize) -> Vec<Line> {
        let mut reader = LineReader::new(bytes, limit);
        let mut seen = Vec::new();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        loop {
            match runtime.block_on(reader.next()).unwrap() {
                Line::End => return seen,
                line => seen.push(line),
            }
        }
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_are_split_and_long_ones_are_skipped_once() {
        assert_eq!(read_all(b"", 5), vec![]);
        assert_eq!(read_all(b"a\nbc\r\n\nlast", 5), vec![whole("a"), whole("bc"), whole("")]);
        assert_eq!(read_all(b"123456\nok\n", 5), vec![Line::TooLong, whole("ok")]);
        let mut hostile = vec![b'x'; 100_000];
        hostile.extend_from_slice(b"\nok\n");
        assert_eq!(read_all(&hostile, 5), vec![Line::TooLong, whole("ok")]);
    }

    proptest! {
        #[test]
        fn any_bytes_give_the_lines_that_they_hold(bytes in proptest::collection::vec(any::<u8>(), 0..20_000)) {
            let expected: Vec<Vec<u8>> = {
                let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
                lines.pop();
                lines.into_iter().map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec()).collect()
            };
            let seen: Vec<Vec<u8>> = read_all(&bytes, 1 << 20)
                .into_iter()
                .map(|line| match line { Line::Whole(line) => line, Line::TooLong | Line::End => b"?".to_vec() })
                .collect();
            prop_assert_eq!(seen, expected);
        }
    }
}
