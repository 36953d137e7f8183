//! What a command printed: the beginning and the end of it, however much it was, and how that is told.

use std::collections::VecDeque;
use std::time::Duration;

/// Bytes kept of the beginning, and as many of the end.
const HALF: usize = 32 * 1024;

/// The two ends of an output.
#[derive(Debug, Default)]
pub(super) struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Exit(i32),
    Signal(i32),
    TimeOver,
}

/// What is to be told of a command.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) end: End,
    pub(super) kept: Kept,
}

impl Kept {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(HALF - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(HALF);
        self.tail.drain(..over);
        self.left_out += over as u64;
    }

    fn text(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        if self.left_out == 0 {
            return readable(&[self.head.as_slice(), &tail].concat());
        }
        // A character that was cut in two belongs to what is left out.
        let start = tail.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
        let cut = match std::str::from_utf8(&self.head) {
            Err(fault) if fault.error_len().is_none() => fault.valid_up_to(),
            _ => self.head.len(),
        };
        let left_out = self.left_out + start as u64 + (self.head.len() - cut) as u64;
        let head = readable(self.head.get(..cut).unwrap_or_default());
        let tail = readable(tail.get(start..).unwrap_or_default());
        format!("{head}\n[… {left_out} bytes are left out …]\n{tail}")
    }
}

/// Text as it is; of anything else only how much it is.
fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let broken = text.chars().filter(|one| *one == char::REPLACEMENT_CHARACTER).count();
    if bytes.contains(&0) || broken * 10 > bytes.len() {
        return format!("[{} bytes that are not text]", bytes.len());
    }
    text.trim_end().to_owned()
}

impl Report {
    /// For the model.
    pub(super) fn tell(&self, limit: Duration) -> String {
        let text = self.kept.text();
        let end = match self.end {
            End::Exit(0) if text.is_empty() => Some("[It printed nothing.]".to_owned()),
            End::Exit(0) => None,
            End::Exit(code) => Some(format!("[Exit code {code}.]")),
            End::Signal(number) => Some(format!("[Ended by signal {number}{}.]", name(number))),
            End::TimeOver => Some(format!(
                "[Its {} seconds were over: it was ended, with all that it had started. This is what it printed.]",
                limit.as_secs()
            )),
        };
        [Some(text).filter(|text| !text.is_empty()), end].into_iter().flatten().collect::<Vec<_>>().join("\n")
    }
}

fn name(signal: i32) -> &'static str {
    match signal {
        2 => " (interrupted)",
        6 => " (aborted)",
        9 => " (killed)",
        11 => " (segmentation fault)",
        13 => " (broken pipe)",
        15 => " (terminated)",
        25 => " (file too large)",
        31 => " (a forbidden system call)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kept(parts: &[&[u8]]) -> Kept {
        let mut kept = Kept::default();
        parts.iter().for_each(|part| kept.push(part));
        kept
    }

    #[test]
    fn an_end_is_told_behind_what_was_printed() {
        let check = |printed: &[u8], end: End, expected: &str| {
            let report = Report { end, kept: kept(&[printed]) };
            assert_eq!(report.tell(Duration::from_secs(5)), expected);
        };
        check(b"one\ntwo\n", End::Exit(0), "one\ntwo");
        check(b"", End::Exit(0), "[It printed nothing.]");
        check(b"no\n", End::Exit(2), "no\n[Exit code 2.]");
        check(b"", End::Signal(9), "[Ended by signal 9 (killed).]");
        check(b"\x7fELF\x00\x01", End::Exit(0), "[6 bytes that are not text]");
        check(b"caf\xe9 au lait, caf\xe9", End::Exit(0), "[18 bytes that are not text]");
        check(
            b"a long line with one broken caf\xe9",
            End::Exit(0),
            "a long line with one broken caf\u{fffd}",
        );
        let over = "so far\n[Its 5 seconds were over: it was ended, with all that it had started. This is what it printed.]";
        check(b"so far", End::TimeOver, over);
    }

    #[test]
    fn a_flood_keeps_both_ends_and_whole_characters() {
        let flood = "ü".repeat(200_000);
        let odd = [b"x", flood.as_bytes()].concat();
        let text = kept(&[&odd]).text();
        assert!(text.starts_with("xüü") && text.ends_with('ü'));
        assert!(!text.contains('\u{fffd}'));
        assert!(text.len() < 2 * HALF + 100);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_kept_twice(lengths in prop::collection::vec(0_usize..9000, 0..20)) {
            let whole: Vec<u8> = (0..lengths.iter().sum::<usize>()).map(|at| (at % 251) as u8).collect();
            let mut rest = whole.as_slice();
            let mut parts = Vec::new();
            for length in lengths {
                let (part, after) = rest.split_at(length);
                parts.push(part);
                rest = after;
            }
            let kept = kept(&parts);
            let tail: Vec<u8> = kept.tail.iter().copied().collect();
            prop_assert!(kept.head.len() <= HALF && tail.len() <= HALF);
            prop_assert_eq!(kept.head.len() as u64 + tail.len() as u64 + kept.left_out, whole.len() as u64);
            prop_assert!(whole.starts_with(&kept.head) && whole.ends_with(&tail));
        }
    }
}
