//! Makes readable what strict JSON refuses but a person may have sent: halves of surrogate pairs written as escapes, bytes
//! that are no UTF-8, bare control characters. For the slow path only, after strict reading has failed.

/// The same JSON with what is broken replaced; everything else stays as it is.
pub(crate) fn repaired(json: &[u8]) -> String {
    let text = String::from_utf8_lossy(json);
    let mut out = String::with_capacity(text.len());
    let mut rest: &str = &text;
    while let Some(at) = rest.find(|c: char| c == '\\' || c < ' ') {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let (kept, taken) = escape(tail);
        out.push_str(kept);
        rest = tail.get(taken..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// What to write for the escape or control character at the start of `tail`, and how many bytes it takes.
fn escape(tail: &str) -> (&str, usize) {
    if !tail.starts_with('\\') {
        return (" ", 1);
    }
    let both = |length: usize| tail.get(..length).map_or(("", tail.len()), |kept| (kept, length));
    match half(tail) {
        None => both(tail.chars().take(2).map(char::len_utf8).sum()),
        Some(unit) if !(0xD800..0xE000).contains(&unit) => both(6),
        Some(high) if high < 0xDC00 => match tail.get(6..).and_then(half) {
            Some(low) if (0xDC00..0xE000).contains(&low) => both(12),
            _ => ("\\ufffd", 6),
        },
        Some(_) => ("\\ufffd", 6),
    }
}

/// The UTF-16 unit that a `\u` with four digits at the start of `tail` stands for.
fn half(tail: &str) -> Option<u16> {
    u16::from_str_radix(tail.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn repairing_never_panics_and_leaves_good_json_alone(text in ".*", bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..64)) {
            let json = serde_json::to_string(&text).unwrap();
            proptest::prop_assert_eq!(serde_json::from_str::<String>(&repaired(json.as_bytes())).unwrap(), text);
            let _ = repaired(&bytes);
        }
    }
}
