//! What is known of models without asking anybody: rows of data, one file a provider, compiled into the binary. Code
//! knows shapes; model names stand in the rows alone.
//!
//! Efforts and limits of `openai.json` follow the vendor's model pages as of November 2026.

use std::cmp::Reverse;

use pensive_directives::Level;
use serde::Deserialize;

use crate::settings::Api;

const SHELVES: [&str; 5] = [
    include_str!("openai.json"),
    include_str!("openrouter.json"),
    include_str!("deepseek.json"),
    include_str!("mistral.json"),
    include_str!("compatible.json"),
];

/// All rows.
#[derive(Debug)]
pub(crate) struct Catalogue(Vec<Shelf>);

/// The rows of one provider.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shelf {
    /// Its usual name in the configuration; `*` is every other one.
    provider: String,
    /// What its endpoint takes beyond the common fields.
    #[serde(default)]
    extras: Extras,
    /// What holds for models without a row.
    general: Facts,
    #[serde(default)]
    models: Vec<Row>,
}

/// Fields that only some endpoints take.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct Extras {
    /// A key that routes a conversation to a warm cache, in Chat Completions.
    pub(crate) cache_key: bool,
    /// A service tier with a fast lane.
    pub(crate) fast: bool,
    /// The wish to be told how many tokens a streamed answer took. Most servers want it said; Mistral tells unasked and
    /// refuses the field.
    pub(crate) usage: bool,
}

impl Default for Extras {
    fn default() -> Self {
        Self { cache_key: false, fast: false, usage: true }
    }
}

#[derive(Debug, Deserialize)]
struct Row {
    /// Patterns: `*` is any run of characters, `?` any one.
    r#match: Vec<String>,
    #[serde(flatten)]
    facts: Facts,
}

/// What is known of a model.
#[derive(Debug, Deserialize)]
pub(crate) struct Facts {
    /// The effort words that it takes, weakest first; none when it takes no effort at all.
    pub(crate) efforts: Vec<String>,
    /// Whether the harness mode above its strongest effort is on offer.
    #[serde(default)]
    pub(crate) ultra: bool,
    /// The level that holds when nobody chose one, where the vendor or caution names one.
    #[serde(default, deserialize_with = "level")]
    pub(crate) default: Option<Level>,
    /// The context window in tokens.
    pub(crate) context: u64,
    /// The most that one call writes, in tokens.
    #[serde(default)]
    pub(crate) output: Option<u64>,
    /// Whether the fast lane takes it, where its provider has one.
    #[serde(default = "yes")]
    pub(crate) fast: bool,
}

/// How sure a row is of the model that it was found for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// A pattern names it.
    Named,
    /// Only the provider is known.
    General,
}

fn yes() -> bool {
    true
}

fn level<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Level>, D::Error> {
    let word = String::deserialize(from)?;
    let level = Level::ALL.iter().copied().find(|level| level.name() == word);
    level.map(Some).ok_or_else(|| serde::de::Error::custom(format!("{word} is no level")))
}

impl Catalogue {
    /// Reads the rows that came with the binary.
    pub(crate) fn load() -> Result<Self, serde_json::Error> {
        SHELVES.iter().map(|text| serde_json::from_str(text)).collect::<Result<_, _>>().map(Self)
    }

    /// The rows for a provider: its own by name, else those of the vendor whose shape it speaks, else the common ones.
    pub(crate) fn shelf(&self, provider: &str, api: Api) -> Option<&Shelf> {
        let named = |name: &str| self.0.iter().find(|shelf| shelf.provider == name);
        let kin = if api == Api::OpenaiResponses { "openai" } else { "*" };
        named(provider).or_else(|| named(kin)).or_else(|| named("*"))
    }
}

impl Shelf {
    /// What the endpoint of this very provider takes; a stranger that only speaks the same shape gets nothing extra.
    pub(crate) fn extras(&self, provider: &str) -> Extras {
        if self.provider == provider { self.extras } else { Extras::default() }
    }

    /// The row with the longest pattern that fits, else the general one.
    pub(crate) fn facts(&self, model: &str) -> (&Facts, Fit) {
        let name = undated(model);
        let fitting =
            self.models.iter().flat_map(|row| row.r#match.iter().map(move |pattern| (pattern, row)));
        fitting
            .filter(|(pattern, _)| fits(pattern.as_bytes(), name.as_bytes()))
            .min_by_key(|(pattern, _)| Reverse(weight(pattern)))
            .map_or((&self.general, Fit::General), |(_, row)| (&row.facts, Fit::Named))
    }
}

/// How many characters of a pattern are themselves.
fn weight(pattern: &str) -> usize {
    pattern.bytes().filter(|b| !matches!(b, b'*' | b'?')).count()
}

/// A model's name without the date of its snapshot: `-2025-08-07`, `-20250807` or `@20250807`.
fn undated(model: &str) -> &str {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let compact = |at: usize| {
        let (name, date) = model.split_at_checked(at)?;
        let date = date.strip_prefix(['-', '@'])?;
        (date.len() == 8 && digits(date)).then_some(name)
    };
    let spelled = |at: usize| {
        let (name, date) = model.split_at_checked(at)?;
        let mut parts = date.strip_prefix('-')?.split('-');
        let lengths = [4, 2, 2].iter().all(|len| parts.next().is_some_and(|p| p.len() == *len && digits(p)));
        lengths.then_some(name)
    };
    let from_end = |len: usize| model.len().checked_sub(len);
    from_end(11).and_then(spelled).or_else(|| from_end(9).and_then(compact)).unwrap_or(model)
}

/// Whether the whole name fits the pattern. After a `*` the rest is tried ever further right; names may be as long as
/// people type them, so there is no recursion.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut retry = None;
    while let Some(byte) = name.get(n) {
        match pattern.get(p) {
            Some(b'*') => {
                p += 1;
                retry = Some((p, n));
            }
            Some(wanted) if *wanted == b'?' || wanted.eq_ignore_ascii_case(byte) => {
                p += 1;
                n += 1;
            }
            Some(_) | None => match &mut retry {
                Some((after_star, from)) => {
                    *from += 1;
                    (p, n) = (*after_star, *from);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn efforts(provider: &str, api: Api, model: &str) -> String {
        let catalogue = Catalogue::load().unwrap();
        catalogue.shelf(provider, api).unwrap().facts(model).0.efforts.join(" ")
    }

    #[test]
    fn efforts_of_openai_models() {
        let check =
            |model, expected| assert_eq!(efforts("openai", Api::OpenaiResponses, model), expected, "{model}");
        check("gpt-5", "minimal low medium high");
        check("gpt-5-mini", "minimal low medium high");
        check("gpt-5-nano", "minimal low medium high");
        check("gpt-5-2025-08-07", "minimal low medium high");
        check("gpt-5-pro", "high");
        check("gpt-5-pro-2025-10-06", "high");
        check("gpt-5.1", "none low medium high");
        check("gpt-5.1-codex-mini", "medium high");
        check("gpt-5.1-codex-max", "none medium high xhigh");
        check("gpt-5.1-codex", "low medium high xhigh");
        check("gpt-5.3-codex", "low medium high xhigh");
        check("gpt-5.2", "none low medium high xhigh");
        check("gpt-5.2-2025-12-11", "none low medium high xhigh");
        check("gpt-5.4-mini", "none low medium high xhigh");
        check("gpt-5.9", "none low medium high xhigh");
        check("gpt-5.2-pro", "medium high xhigh");
        check("gpt-5.6-sol", "none low medium high xhigh max");
        check("gpt-5.6-terra-20261101", "none low medium high xhigh max");
        check("GPT-5.6-Luna", "none low medium high xhigh max");
        check("o3", "low medium high");
        check("o4-mini-2025-04-16", "low medium high");
        check("a-model-of-tomorrow", "low medium high");
    }

    #[test]
    fn prov_07_chat_latest_and_models_that_do_not_reason_take_no_effort() {
        let check = |model| assert_eq!(efforts("openai", Api::OpenaiCompletions, model), "", "{model}");
        check("gpt-5-chat-latest");
        check("gpt-5.2-chat-latest");
        check("gpt-4o");
        check("gpt-4.1-mini");
        check("o1-mini");
        assert_eq!(efforts("proxy", Api::OpenaiCompletions, "gpt-5.1-chat-latest"), "");
        assert_eq!(efforts("proxy", Api::OpenaiResponses, "gpt-5.1-chat-latest"), "");
    }

    #[test]
    fn a_stranger_gets_the_rows_of_its_shape_but_no_extras() {
        let catalogue = Catalogue::load().unwrap();
        assert_eq!(efforts("proxy", Api::OpenaiResponses, "gpt-5.6-sol"), "none low medium high xhigh max");
        assert_eq!(efforts("proxy", Api::OpenaiCompletions, "qwen3"), "minimal low medium high");
        let shelf = catalogue.shelf("proxy", Api::OpenaiResponses).unwrap();
        assert!(!shelf.extras("proxy").fast);
        assert!(shelf.extras("openai").fast);
        assert!(shelf.extras("proxy").usage && shelf.extras("openai").usage);
        assert!(!catalogue.shelf("mistral", Api::OpenaiCompletions).unwrap().extras("mistral").usage);
    }

    #[test]
    fn dates_are_no_part_of_a_name() {
        let check = |name, expected| assert_eq!(undated(name), expected);
        check("gpt-4o-2024-08-06", "gpt-4o");
        check("m-20250807", "m");
        check("m@20250807", "m");
        check("m-2025", "m-2025");
        check("m-2025080", "m-2025080");
        check("äöü-2025-08-0ä", "äöü-2025-08-0ä");
        check("", "");
    }

    #[test]
    fn patterns() {
        let check = |pattern: &str, name: &str, expected| {
            assert_eq!(fits(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
        };
        check("a", "a", true);
        check("a", "ab", false);
        check("a*", "abc", true);
        check("a*", "a", true);
        check("*c", "abc", true);
        check("a?c", "abc", true);
        check("a?c", "ac", false);
        check("*b*", "abc", true);
        check("", "", true);
    }
}
