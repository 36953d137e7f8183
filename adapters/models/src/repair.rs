//! Makes readable what strict JSON refuses but a model may have written: bytes that are no UTF-8, bare control characters,
//! and halves of surrogate pairs, also those of a pair that was split over two pieces of an answer. For the slow path
//! only, after strict reading has failed.

use serde_json::Value;

/// Stands, with four hex digits behind it, for half a pair. Never a character of its own: Unicode keeps it for such uses.
const MARK: char = '\u{FDD0}';

/// How long that is, in bytes.
const MARKED: usize = MARK.len_utf8() + 4;

/// What becomes of a half that stays alone.
const LOST: char = char::REPLACEMENT_CHARACTER;

/// The same JSON with what is broken replaced, and lone halves marked for [`Halves`].
pub(crate) fn marked(json: &[u8]) -> String {
    let text = String::from_utf8_lossy(json);
    let mut out = String::with_capacity(text.len());
    let mut rest: &str = &text;
    let mut in_text = false;
    while let Some(at) = rest.find(|c: char| c == '\\' || c == '"' || c < ' ') {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let taken = match tail.chars().next() {
            Some('\\') => escape(tail, &mut out),
            Some(control) if in_text && control < ' ' => {
                out.push_str(&format!("\\u{:04x}", u32::from(control)));
                1
            }
            other => {
                in_text ^= other == Some('"');
                out.extend(other);
                1
            }
        };
        rest = tail.get(taken..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Reads a document whose words go into no answer; lone halves are lost.
pub(crate) fn value(json: &[u8]) -> Option<Value> {
    let repaired = || serde_json::from_str(&Halves::default().join(marked(json))).ok();
    serde_json::from_slice(json).ok().or_else(repaired)
}

/// A whole text with its marked halves joined; those that stay alone are lost.
pub(crate) fn healed(text: String) -> String {
    let mut halves = Halves::default();
    let mut healed = halves.join(text);
    healed.extend(halves.finish());
    healed
}

/// Writes the escape at the start of `tail`, and tells how many bytes it takes.
fn escape(tail: &str, out: &mut String) -> usize {
    let is_low = |unit: &u16| (0xDC00..0xE000).contains(unit);
    let length = match unit(tail, "\\u") {
        None => tail.chars().take(2).map(char::len_utf8).sum(),
        Some(high) if (0xD800..0xDC00).contains(&high) => {
            if tail.get(6..).and_then(|next| unit(next, "\\u")).as_ref().is_some_and(is_low) {
                12
            } else {
                return mark(high, out);
            }
        }
        Some(low) if is_low(&low) => return mark(low, out),
        Some(_) => 6,
    };
    out.push_str(tail.get(..length).unwrap_or_default());
    length
}

fn mark(half: u16, out: &mut String) -> usize {
    out.push(MARK);
    out.push_str(&format!("{half:04x}"));
    6
}

/// The UTF-16 unit whose four digits stand behind `prefix` at the start of `tail`.
fn unit(tail: &str, prefix: &str) -> Option<u16> {
    u16::from_str_radix(tail.strip_prefix(prefix)?.get(..4)?, 16).ok()
}

/// Joins the marked halves in the pieces of one text.
#[derive(Debug, Default)]
pub(crate) struct Halves {
    /// The half that the last piece ended with.
    high: Option<u16>,
}

impl Halves {
    /// A piece with its pairs joined. A half at its end is held back for the next one.
    pub(crate) fn join(&mut self, piece: String) -> String {
        if self.high.is_none() && !piece.contains(MARK) {
            return piece;
        }
        let mut out = String::with_capacity(piece.len() + LOST.len_utf8());
        let mut rest: &str = &piece;
        while !rest.is_empty() {
            let half =
                unit(rest, MARK.encode_utf8(&mut [0; 4])).filter(|unit| (0xD800..0xE000).contains(unit));
            let taken = match half {
                Some(half) => {
                    self.half(half, &mut out);
                    MARKED
                }
                None => {
                    out.extend(self.finish());
                    let next = rest.char_indices().skip(1).find(|(_, c)| *c == MARK);
                    let plain = next.map_or(rest.len(), |(at, _)| at);
                    out.push_str(rest.get(..plain).unwrap_or_default());
                    plain
                }
            };
            rest = rest.get(taken..).unwrap_or_default();
        }
        out
    }

    /// What a half that is still held back comes to when nothing follows it.
    pub(crate) fn finish(&mut self) -> Option<char> {
        self.high.take().map(|_| LOST)
    }

    fn half(&mut self, half: u16, out: &mut String) {
        if half < 0xDC00 {
            out.extend(self.finish());
            self.high = Some(half);
        } else {
            let units = self.high.take().into_iter().chain([half]);
            out.extend(char::decode_utf16(units).map(|read| read.unwrap_or(LOST)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the pieces, each a JSON text as a model wrote it, come to.
    fn check(pieces: &[&[u8]], expected: &[&str]) {
        let mut halves = Halves::default();
        let read = |json: &&[u8]| serde_json::from_str::<String>(&marked(json)).unwrap();
        let mut joined: Vec<String> = pieces.iter().map(read).map(|piece| halves.join(piece)).collect();
        joined.extend(halves.finish().map(String::from));
        assert_eq!(joined, expected, "{pieces:?}");
    }

    #[test]
    fn halves_find_each_other_or_are_lost() {
        check(&[br#""a\ud83d\ude00b""#], &["a😀b"]);
        check(&[br#""a\ud83d""#, br#""\ude00b""#], &["a", "😀b"]);
        check(&[br#""a\uD83D""#, br#""""#, br#""\uDE00""#], &["a", "", "😀"]);
        check(&[br#""\ud83d""#, br#""\ude00\ud83d""#, br#""\ude01""#], &["", "😀", "😁"]);
        check(&[br#""a\ud83d""#, br#""b""#], &["a", "\u{FFFD}b"]);
        check(&[br#""a\ud83d""#], &["a", "\u{FFFD}"]);
        check(&[br#""\ude00a\ud83db\ude00""#], &["\u{FFFD}a\u{FFFD}b\u{FFFD}"]);
        check(&[br#""\ud83d\ud83d\ude00""#], &["\u{FFFD}😀"]);
        check(&[br#""\ude00\ud83d""#, br#""\ud83d""#, br#""\ude00""#], &["\u{FFFD}", "\u{FFFD}", "😀"]);
    }

    #[test]
    fn what_else_is_broken_is_replaced_and_the_rest_stays() {
        check(&[b"\"a\xFFb\xF0\x9F\x98\""], &["a\u{FFFD}b\u{FFFD}"]);
        check(&[b" \n\"a\nb\tc\\\"\\\\ud83d \\ufdd0 \xFF\""], &["a\nb\tc\"\\ud83d \u{FDD0} \u{FFFD}"]);
        let error = value(br#"{"error":{"message":"\ud83d no","code":"insufficient_quota"}}"#).unwrap();
        assert_eq!(
            error,
            serde_json::json!({"error": {"message": "\u{FFFD} no", "code": "insufficient_quota"}})
        );
        assert_eq!(value(b"<html>"), None);
    }

    proptest::proptest! {
        #[test]
        fn repairing_never_panics_and_leaves_good_json_alone(text in ".*", bytes: Vec<u8>) {
            let json = serde_json::to_string(&text).unwrap();
            proptest::prop_assert_eq!(serde_json::from_str::<String>(&marked(json.as_bytes())).unwrap(), text);
            let _ = Halves::default().join(marked(&bytes));
        }

        #[test]
        fn any_cut_between_units_gives_the_same_text(text in "[a😀é\"]{0,12}", at: proptest::sample::Index) {
            let units: Vec<String> = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            let (one, two) = units.split_at(at.index(units.len() + 1));
            let mut halves = Halves::default();
            let mut read = |units: &[String]| {
                halves.join(serde_json::from_str(&marked(format!("\"{}\"", units.concat()).as_bytes())).unwrap())
            };
            proptest::prop_assert_eq!(read(one) + &read(two), text);
        }
    }
}
