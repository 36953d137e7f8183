//! The name that a mistyped one was meant to be.

use std::cmp::Reverse;

/// The candidate that `word` was most likely meant to be: at most two slips away, one in a short word; case does not count.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let slips = most_slips(&word)?;
    let distances =
        candidates.into_iter().map(|candidate| (distance(&word, &candidate.to_lowercase()), candidate));
    distances
        .filter(|(distance, _)| *distance <= slips)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, near)| near)
}

/// ` did you mean "x"?` behind a semicolon, or nothing.
pub(crate) fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default()
}

/// Up to three candidates that `word` may have been meant to be, the likeliest first.
#[must_use]
pub fn nearest_names<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let word = word.to_lowercase();
    let mut near: Vec<(Likeness, &'a str)> = candidates
        .into_iter()
        .filter_map(|candidate| Some((likeness(&word, &candidate.to_lowercase())?, candidate)))
        .collect();
    near.sort_by(|(a, _), (b, _)| a.cmp(b));
    near.into_iter().take(MOST_NAMES).map(|(_, candidate)| candidate).collect()
}

/// The candidate that `word` misspells: its letters alone are slips away, and it is no candidate itself. Numbers that
/// differ make another name, not a slip.
#[must_use]
pub fn misspelt<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let frame = |name: &str| name.chars().filter(|c| !c.is_alphabetic()).collect::<String>();
    let near = nearest(word, candidates)?;
    (!near.eq_ignore_ascii_case(word) && frame(near) == frame(word)).then_some(near)
}

/// More would be a list, and there is a verb for that.
const MOST_NAMES: usize = 3;

/// What begins alike in so many letters may be of the same family.
const FAMILY: usize = 5;

/// How a name is like what was typed, the likeliest first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    /// It holds it, and so many letters more.
    Longer(usize),
    /// So many slips away.
    Slips(usize),
    /// It begins alike; the letters in common, most of them first.
    Family(Reverse<usize>),
}

/// Nothing where the name cannot have been meant.
fn likeness(word: &str, candidate: &str) -> Option<Likeness> {
    let slips = most_slips(word)?;
    if word.len() >= 3 && candidate.contains(word) {
        return Some(Likeness::Longer(candidate.len() - word.len()));
    }
    let distance = distance(word, candidate);
    if distance <= slips {
        return Some(Likeness::Slips(distance));
    }
    let alike = word.chars().zip(candidate.chars()).take_while(|(a, b)| a == b).count();
    (alike >= FAMILY).then_some(Likeness::Family(Reverse(alike)))
}

/// How many slips a word of this length may hold; nothing for what nobody typed.
fn most_slips(word: &str) -> Option<usize> {
    match word.chars().count() {
        0..=2 => Some(0),
        3..=4 => Some(1),
        // Nobody mistypes a name of this length into a configured one, and the distance costs its square.
        201.. => None,
        _ => Some(2),
    }
}

/// Single-character slips between two words: one left out, put in, changed, or swapped with its neighbour.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let mut last: Option<char> = None;
    for (i, x) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX - 1);
            let change = at(&row, j) + usize::from(x != *y);
            let mut best = change.min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let swapped = j > 0 && b.get(j - 1) == Some(&x) && last == Some(*y);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
        last = Some(x);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_forgives_slips_and_case() {
        let names = ["thinkingDefault", "fastModeDefault", "open", "env", "list"];
        for (word, expected) in [
            ("thinkingDefualt", Some("thinkingDefault")),
            ("thinkingdefault", Some("thinkingDefault")),
            ("opne", Some("open")),
            ("opens", Some("open")),
            ("nev", Some("env")),
            ("xyz", None),
            ("", None),
            ("lsit", Some("list")),
        ] {
            assert_eq!(nearest(word, names), expected, "{word}");
        }
        assert_eq!(nearest(&"x".repeat(100_000), names), None);
    }

    #[test]
    fn several_near_names_come_with_the_likeliest_first() {
        let models =
            ["gpt-5", "gpt-5.6-sol", "gpt-5.6-luna", "gpt-5.6-terra", "gpt-5.2", "o3", "claude-sonnet-5"];
        for (word, expected) in [
            ("gpt-5.6-soll", &["gpt-5.6-sol", "gpt-5.6-luna", "gpt-5.6-terra"][..]),
            ("sol", &["gpt-5.6-sol"]),
            ("GPT-5.6", &["gpt-5.6-sol", "gpt-5.6-luna", "gpt-5.6-terra"]),
            ("claude-sonet-5", &["claude-sonnet-5"]),
            ("llama", &[]),
            ("", &[]),
        ] {
            assert_eq!(nearest_names(word, models), expected, "{word}");
        }
        assert!(nearest_names(&"x".repeat(100_000), models).is_empty());
    }

    #[test]
    fn a_misspelt_name_has_other_letters_and_the_same_numbers() {
        let models = ["gpt-5-mini", "gpt-5.6-sol", "claude-sonnet-5"];
        for (word, expected) in [
            ("gpt-5.6-soll", Some("gpt-5.6-sol")),
            ("claude-sonet-5", Some("claude-sonnet-5")),
            ("gpt-5.6-sol", None),
            ("GPT-5.6-Sol", None),
            ("gpt-5.4-mini", None),
            ("claude-sonnet-6", None),
            ("gpt-5.6-sol-2026-08-01", None),
        ] {
            assert_eq!(misspelt(word, models), expected, "{word}");
        }
    }
}
