//! What is known of models without asking anybody: rows of data, one file a provider, compiled into the binary. Code
//! knows shapes; model names stand in the rows alone.
//!
//! Efforts and limits of `openai.json` follow the vendor's model pages as of November 2026.

mod takes;
mod word;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use pensive_contract::model::Price;
use pensive_directives::Level;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::settings::Api;

pub(crate) use takes::Takes;
use takes::TakesRow;
pub(crate) use word::{Spoken, Word};

/// The files, as the build found them.
const SHELVES: &[&str] = include!(concat!(env!("OUT_DIR"), "/shelves.rs"));

/// All rows.
#[derive(Debug)]
pub(crate) struct Catalogue(Vec<Shelf>);

/// The rows of one provider.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shelf {
    /// Its usual name in the configuration; `*` is every other one.
    pub(crate) provider: String,
    /// The shape that its own host speaks.
    #[serde(deserialize_with = "api")]
    pub(crate) api: Api,
    /// The shapes that others speak after its example: its rows stand for their models too.
    #[serde(default, deserialize_with = "apis")]
    followers: Vec<Api>,
    /// Where the figures come from, and when they were read.
    pub(crate) source: String,
    /// What its endpoint takes beyond the common fields.
    #[serde(default)]
    pub(crate) extras: Extras,
    /// What holds for models without a row.
    general: Facts,
    #[serde(default)]
    models: Vec<Row>,
    /// What its models take beside text; one that no row names takes nothing.
    #[serde(default)]
    takes: Vec<TakesRow>,
}

/// Fields that only some endpoints take.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct Extras {
    /// A key that routes a conversation to a warm cache, in Chat Completions.
    pub(crate) cache_key: bool,
    /// How its fast lane is asked for.
    pub(crate) fast: Option<FastLane>,
    /// The only host that knows its tiers; a proxy in front of it may not.
    pub(crate) own_host: Option<String>,
    /// The wish to be told how many tokens a streamed answer took. Most servers want it said; Mistral tells unasked and
    /// refuses the field.
    pub(crate) usage: bool,
    /// What Chat Completions call the cap of an answer here.
    pub(crate) cap: CapField,
    /// Whether names of tool calls must have the nine letters and digits that Mistral demands.
    pub(crate) nine_letter_ids: bool,
}

impl Default for Extras {
    fn default() -> Self {
        Self {
            cache_key: false,
            fast: None,
            own_host: None,
            usage: true,
            cap: CapField::MaxTokens,
            nine_letter_ids: false,
        }
    }
}

/// How a provider's fast lane is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum FastLane {
    /// `service_tier: priority`; as usual, nothing is said.
    Priority,
    /// `service_tier: auto`; as usual, `standard_only`.
    Auto,
}

/// What Chat Completions call the cap of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CapField {
    MaxTokens,
    MaxCompletionTokens,
}

#[derive(Debug, Deserialize)]
struct Row {
    /// Patterns: `*` is any run of characters, `?` any one.
    r#match: Vec<String>,
    #[serde(flatten)]
    facts: Facts,
}

/// What is known of a model.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Facts {
    /// Where this comes from and when it was read, where it is not the shelf's own source.
    #[serde(default)]
    pub(crate) source: Option<String>,
    /// How the words of its levels travel.
    #[serde(default)]
    pub(crate) format: Format,
    /// Its levels, weakest first, each with its word.
    #[serde(default, deserialize_with = "levels")]
    pub(crate) levels: Option<Vec<(Level, Spoken)>>,
    /// The budget of max for a model that takes numbers, where the configuration offers more levels than the row.
    #[serde(default)]
    pub(crate) most: Option<i64>,
    /// Levels that the vendor takes for others, by name.
    #[serde(default, deserialize_with = "stand_ins")]
    pub(crate) stand_ins: Vec<(Level, Level)>,
    /// Or the vendor's effort words, from which the levels follow; none when it takes no effort at all.
    #[serde(default)]
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
    /// What it costs.
    #[serde(default)]
    price: Option<Cost>,
    /// When it takes sampling values.
    #[serde(default)]
    pub(crate) sampling: Sampling,
    /// Whether a temperature of zero is refused while it thinks.
    #[serde(default)]
    pub(crate) temperature_not_zero: bool,
    /// How its reasoning goes back in Chat Completions.
    #[serde(default)]
    pub(crate) replay: Replay,
    /// Whether it may be made to call a tool while it thinks.
    #[serde(default = "yes")]
    pub(crate) forced_tools: bool,
    /// Whether the fast lane takes it, where its provider has one.
    #[serde(default = "yes")]
    pub(crate) fast: bool,
    /// How its thoughts are shown, where it shows none unless it is told to.
    #[serde(default)]
    pub(crate) display: Option<String>,
    /// Present where it is asked to be fast with `speed: fast`.
    #[serde(default)]
    pub(crate) speed: Option<Speed>,
    /// The model that stands in for it in the fast lane.
    #[serde(default)]
    pub(crate) fast_model: Option<String>,
    /// Names of the provider's trials that its calls take part in.
    #[serde(default)]
    pub(crate) beta: Vec<String>,
}

impl Facts {
    /// What it costs, where that is known. What is not said of cached tokens costs what others do.
    pub(crate) fn price(&self) -> Option<Price> {
        let Cost { input, output, cached } = self.price?;
        Some(Price { input, output, cached: cached.unwrap_or(input) })
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cost {
    input: f64,
    output: f64,
    #[serde(default)]
    cached: Option<f64>,
}

/// The wish `speed: fast`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Speed {
    /// The trial of the provider that such a call must take part in.
    #[serde(default)]
    pub(crate) beta: Option<String>,
}

/// How the word of a level travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Format {
    /// In the shape's own field for a word.
    #[default]
    Effort,
    /// In the shape's own field for a number of tokens.
    Budget,
    /// `reasoning: {effort}`.
    Openrouter,
    /// `thinking: {type}` and `reasoning_effort`.
    Deepseek,
    /// `thinking: {type}`.
    Zai,
    /// `enable_thinking`.
    Qwen,
}

/// When a model takes temperature and the like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Sampling {
    Always,
    /// Only while it does not think.
    #[default]
    Idle,
    Never,
}

/// How reasoning goes back to the model in Chat Completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Replay {
    /// Not at all: most servers refuse or ignore it.
    #[default]
    Drop,
    /// As `reasoning_content`.
    Content,
    /// The same, and empty where there was none on a turn that called tools; not at all while thinking is off.
    ContentRequired,
    /// As the provider's own list, `reasoning_details`.
    Details,
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

fn level_named<E: serde::de::Error>(word: &str) -> Result<Level, E> {
    let level = Level::ALL.iter().copied().find(|level| level.name() == word);
    level.ok_or_else(|| E::custom(format!("{word} is no level")))
}

fn level<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Level>, D::Error> {
    level_named(&String::deserialize(from)?).map(Some)
}

fn levels<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<(Level, Spoken)>>, D::Error> {
    let rows = Map::<String, Value>::deserialize(from)?;
    let row = |(name, value): (String, Value)| {
        Ok((level_named(&name)?, Spoken::try_from(value).map_err(serde::de::Error::custom)?))
    };
    rows.into_iter().map(row).collect::<Result<_, _>>().map(Some)
}

fn api_named<E: serde::de::Error>(name: &str) -> Result<Api, E> {
    let api = Api::ALL.iter().copied().find(|api| api.name() == name);
    api.ok_or_else(|| E::custom(format!("{name} is no shape")))
}

fn stand_ins<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(Level, Level)>, D::Error> {
    let rows = BTreeMap::<String, String>::deserialize(from)?;
    rows.iter().map(|(asked, instead)| Ok((level_named(asked)?, level_named(instead)?))).collect()
}

fn api<'de, D: Deserializer<'de>>(from: D) -> Result<Api, D::Error> {
    api_named(&String::deserialize(from)?)
}

fn apis<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Api>, D::Error> {
    Vec::<String>::deserialize(from)?.iter().map(|name| api_named(name)).collect()
}

impl Catalogue {
    /// Reads the rows that came with the binary.
    pub(crate) fn load() -> Result<Self, serde_json::Error> {
        SHELVES.iter().map(|text| serde_json::from_str(text)).collect::<Result<_, _>>().map(Self)
    }

    /// Every file.
    pub(crate) fn shelves(&self) -> impl Iterator<Item = &Shelf> {
        self.0.iter()
    }

    /// The rows for a provider: its own by name, else those of the vendor whose shape it speaks, else the common ones.
    pub(crate) fn shelf(&self, provider: &str, api: Api) -> Option<&Shelf> {
        let own = self.0.iter().find(|shelf| shelf.provider == provider);
        own.or_else(|| self.0.iter().find(|shelf| shelf.followers.contains(&api)))
    }
}

impl Shelf {
    /// What the endpoint of this very provider takes; a stranger that only speaks the same shape gets nothing extra.
    pub(crate) fn extras(&self, provider: &str) -> Extras {
        if self.provider == provider { self.extras.clone() } else { Extras::default() }
    }

    /// The names that rows give without a pattern, in the order of the file.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let patterns = self.models.iter().flat_map(|row| &row.r#match);
        patterns
            .map(|pattern| pattern.strip_suffix('*').unwrap_or(pattern))
            .filter(|name| !name.contains(['*', '?']))
    }

    /// The row with the longest pattern that fits, else the general one.
    pub(crate) fn facts(&self, model: &str) -> (&Facts, Fit) {
        let patterns = self.models.iter().flat_map(|row| row.r#match.iter().map(move |p| (p.as_str(), row)));
        fitting(patterns, undated(bare(model)))
            .map_or((&self.general, Fit::General), |row| (&row.facts, Fit::Named))
    }

    /// What a model of `provider` takes beside text.
    pub(crate) fn takes(&self, provider: &str, model: &str) -> Takes {
        takes::takes(&self.takes, bare(model), self.provider == provider)
    }
}

/// Gemini's list gives its models with a prefix, and takes them with it.
fn bare(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}

/// What stands with the longest pattern that fits.
fn fitting<'a, T>(patterns: impl Iterator<Item = (&'a str, T)>, name: &str) -> Option<T> {
    let fitting = patterns.filter(|(pattern, _)| fits(pattern.as_bytes(), name.as_bytes()));
    fitting.min_by_key(|(pattern, _)| Reverse(weight(pattern))).map(|(_, found)| found)
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
mod tests;
