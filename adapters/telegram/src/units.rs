//! Lengths and places in UTF-16 units, the only measure that Telegram knows, against bytes, the only one that we use.

use std::ops::Range;

/// The byte ranges of `text` for ranges in units (offset, length); nothing for one that is empty, reaches outside or cuts
/// a character. One walk over the text, whatever the number of ranges.
pub(crate) fn byte_ranges(text: &str, spans: &[(i64, i64)]) -> Vec<Option<Range<usize>>> {
    let ends: Vec<Option<(usize, usize)>> = spans.iter().map(|span| in_units(*span)).collect();
    let mut wanted: Vec<usize> = ends.iter().flatten().flat_map(|(start, end)| [*start, *end]).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let found = bytes_of(text, &wanted);
    let byte = |unit: usize| wanted.binary_search(&unit).ok().and_then(|at| found.get(at).copied().flatten());
    ends.into_iter().map(|ends| ends.and_then(|(start, end)| Some(byte(start)?..byte(end)?))).collect()
}

fn in_units((offset, length): (i64, i64)) -> Option<(usize, usize)> {
    let start = usize::try_from(offset).ok()?;
    let length = usize::try_from(length).ok().filter(|length| *length > 0)?;
    Some((start, start.checked_add(length)?))
}

/// The byte that each of the sorted `units` falls on, where it falls on the start of a character or the end of the text.
fn bytes_of(text: &str, units: &[usize]) -> Vec<Option<usize>> {
    let mut found = Vec::with_capacity(units.len());
    let mut wanted = units.iter().peekable();
    let mut unit = 0;
    for (byte, c) in text.char_indices() {
        while let Some(place) = wanted.next_if(|wanted| **wanted <= unit) {
            found.push((*place == unit).then_some(byte));
        }
        if wanted.peek().is_none() {
            return found;
        }
        unit += c.len_utf16();
    }
    found.extend(wanted.map(|place| (*place == unit).then_some(text.len())));
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn units_become_bytes() {
        let check = |text: &str, span: (i64, i64), expected: Option<&str>| {
            let range = byte_ranges(text, &[span]).remove(0);
            assert_eq!(range.map(|range| text.get(range).unwrap()), expected, "{text:?} {span:?}");
        };
        check("abc", (1, 1), Some("b"));
        check("a😀b", (1, 2), Some("😀"));
        check("a😀b", (3, 1), Some("b"));
        check("a😀b", (2, 1), None);
        check("a😀b", (1, 1), None);
        check("שלום /x", (5, 2), Some("/x"));
        check("abc", (0, 3), Some("abc"));
        check("abc", (0, 4), None);
        check("abc", (3, 1), None);
        check("abc", (-1, 2), None);
        check("abc", (1, 0), None);
        check("abc", (i64::MAX, i64::MAX), None);
        check("", (0, 1), None);
    }

    proptest! {
        #[test]
        fn ranges_agree_with_the_units_themselves(text in ".{0,30}", spans in proptest::collection::vec((-2i64..40, -2i64..40), 0..6)) {
            let units: Vec<u16> = text.encode_utf16().collect();
            prop_assert_eq!(pensive_prose::length(&text), units.len());
            for (span, range) in spans.iter().zip(byte_ranges(&text, &spans)) {
                let expected = in_units(*span)
                    .and_then(|(start, end)| units.get(start..end))
                    .and_then(|slice| String::from_utf16(slice).ok())
                    .filter(|slice| !slice.is_empty());
                prop_assert_eq!(range.map(|range| text.get(range).unwrap().to_owned()), expected);
            }
        }
    }
}
