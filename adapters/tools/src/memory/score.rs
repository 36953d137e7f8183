//! Which passages of some notes speak of what is looked for: Okapi BM25 over paragraphs, with the share of the words that a
//! passage has at all. Words are Unicode's, so that languages without spaces are found too.

use unicode_segmentation::UnicodeSegmentation;

/// How many words of a query count.
const WORDS: usize = 32;

/// The most lines of one passage.
const LINES: usize = 16;

/// The usual constants of BM25: how soon repetition stops to count, how much length does.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

/// A word this long is found as the beginning of a longer one too: `garden` in `gardening`.
const STEM: usize = 4;

/// Some lines of a note that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Passage<'t> {
    /// The heading that it stands under; empty for none.
    pub(super) heading: &'t str,
    /// Its first line, from 1.
    pub(super) first: usize,
    pub(super) lines: Vec<&'t str>,
}

impl Passage<'_> {
    /// Its last line.
    pub(super) fn last(&self) -> usize {
        self.first + self.lines.len().saturating_sub(1)
    }
}

/// Divides a note at empty lines and headings.
pub(super) fn passages(text: &str) -> Vec<Passage<'_>> {
    let mut passages: Vec<Passage<'_>> = Vec::new();
    let mut heading = "";
    let mut open = false;
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() {
            open = false;
            continue;
        }
        if line.starts_with('#') {
            (heading, open) = (line.trim_start_matches('#').trim(), false);
        }
        match passages.last_mut() {
            Some(last) if open && last.lines.len() < LINES => last.lines.push(line),
            _ => passages.push(Passage { heading, first: number, lines: vec![line] }),
        }
        open = true;
    }
    passages
}

/// What is looked for, as words.
pub(super) struct Query(Vec<String>);

impl Query {
    pub(super) fn new(text: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        for word in text.unicode_words().map(str::to_lowercase) {
            if words.len() < WORDS && !words.contains(&word) {
                words.push(word);
            }
        }
        Self(words)
    }

    /// The passages that have any of the words, with how well they fit, the best first. Equals stay in order.
    pub(super) fn rank<'p, 't>(
        &self,
        passages: impl IntoIterator<Item = &'p Passage<'t>>,
    ) -> Vec<(f64, usize)>
    where
        't: 'p,
    {
        let counts: Vec<Count> = passages.into_iter().map(|passage| self.count(passage)).collect();
        let total = counts.len() as f64;
        let mean = (counts.iter().map(|count| count.length).sum::<f64>() / total.max(1.0)).max(1.0);
        let weights: Vec<f64> = (0..self.0.len())
            .map(|word| {
                let having = counts.iter().filter(|count| count.of(word) > 0.0).count() as f64;
                (1.0 + (total - having + 0.5) / (having + 0.5)).ln()
            })
            .collect();
        let mut ranked: Vec<(f64, usize)> = counts
            .iter()
            .map(|count| count.score(&weights, mean))
            .zip(0..)
            .filter(|(score, _)| *score > 0.0)
            .collect();
        ranked.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        ranked
    }

    fn count(&self, passage: &Passage<'_>) -> Count {
        let mut count = Count { hits: vec![0.0; self.0.len()], length: 0.0 };
        let under = passage.lines.first().is_none_or(|line| !line.starts_with('#'));
        let heading = under.then_some(passage.heading);
        for word in heading.into_iter().chain(passage.lines.iter().copied()).flat_map(str::unicode_words) {
            let word = word.to_lowercase();
            count.length += 1.0;
            for (hits, wanted) in count.hits.iter_mut().zip(&self.0) {
                if word == *wanted || (wanted.chars().count() >= STEM && word.starts_with(wanted.as_str())) {
                    *hits += 1.0;
                }
            }
        }
        count
    }
}

/// How often a passage has each word, and its own number of words.
struct Count {
    hits: Vec<f64>,
    length: f64,
}

impl Count {
    fn of(&self, word: usize) -> f64 {
        self.hits.get(word).copied().unwrap_or_default()
    }

    fn score(&self, weights: &[f64], mean: f64) -> f64 {
        let damp = SATURATION * (1.0 - LENGTH + LENGTH * self.length / mean);
        let sum: f64 = self
            .hits
            .iter()
            .zip(weights)
            .map(|(hits, weight)| weight * hits * (SATURATION + 1.0) / (hits + damp))
            .sum();
        let present = self.hits.iter().filter(|hits| **hits > 0.0).count() as f64;
        sum * present / (self.hits.len() as f64).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn notes_are_divided_at_empty_lines_and_headings() {
        let found = passages("a\nb\n\n# H\nc\n\n\nd");
        let spans: Vec<_> = found.iter().map(|p| (p.heading, p.first, p.last())).collect();
        assert_eq!(spans, [("", 1, 2), ("H", 4, 5), ("H", 8, 8)]);
        assert_eq!(passages(&"x\n".repeat(40)).iter().map(|p| p.first).collect::<Vec<_>>(), [1, 17, 33]);
        assert_eq!(passages("\n \n"), []);
    }

    #[test]
    fn the_passage_that_fits_best_comes_first() {
        let notes = "Ann likes tea and tea and tea.\n\nAnn has a dog, Rex.\n\n# Garden\nTomatoes in May.\n\n\
                     Rex is the dog of Ann.\n\n日本語のメモ 猫が好き\n\nGardening books at Käthe's.";
        let all = passages(notes);
        let check = |query: &str, first: Option<usize>| {
            let best = Query::new(query).rank(&all).first().map(|(_, place)| all[*place].first);
            assert_eq!(best, first, "{query}");
        };
        check("tea", Some(1));
        check("ANN's dog", Some(3));
        check("tomatoes", Some(5));
        check("garden may", Some(5));
        check("猫", Some(10));
        check("käthe", Some(12));
        check("nothing here", None);
        check("…", None);
        check("", None);
    }

    proptest! {
        #[test]
        fn every_line_with_words_is_in_one_passage(text in "([a-c# ]{0,4}\n){0,40}") {
            let found = passages(&text);
            let told: usize = found.iter().map(|passage| passage.lines.len()).sum();
            prop_assert_eq!(told, text.lines().filter(|line| !line.trim().is_empty()).count());
            prop_assert!(found.windows(2).all(|two| two[0].last() < two[1].first));
        }
    }
}
