//! `pensive models`: which models there are, their levels with what each puts on the wire, and what they hold and cost.
//!
//! With `--json` one object, whose shape stays: `{ "models": [ … ] }`, each model with
//! - `model` (`provider/id`), `provider`, `id`, `alias` and `name` (`null` where the configuration gives none),
//!   `configured` (whether the daemon would call its provider), `api` (how that one is spoken to);
//! - `levels`, weakest first, each with `level`, `label` (what people see and may type) and `wire` (`nothing` where the
//!   provider is told nothing); `default`, the level that holds where nobody chose one;
//! - `input`, what it takes: `text`, and of `image`, `audio` and `document` what there is;
//! - `context` and `output` in tokens, `price` in US dollars for a million tokens of `input`, `cached` and `output`; `output`
//!   and `price` are `null` where they are not known;
//! - `source`, where all of this was read, and when.

use pensive_config::{Config, nearest_names, provider_also_called};
use pensive_contract::media::MediaKind;
use pensive_contract::model::Price;
use pensive_models::{Models, Sheet, SheetLevel, Unknown};
use serde::Serialize;

use super::{catalogue, load, print, print_json};
use crate::arguments::{Common, Models as Asked};
use crate::exit::Failure;

pub(super) fn models(common: &Common, asked: &Asked) -> Result<(), Failure> {
    let config = load(common)?.config;
    let catalogue = catalogue(&config)?;
    let sheets = sheets(&config, &catalogue, asked.provider.as_deref())?;
    let listing = Listing { models: sheets.into_iter().map(|sheet| row(&config, sheet)).collect() };
    if asked.json { print_json(&listing) } else { print(&shown(&listing)) }
}

/// The models of one provider, or of all that are configured: those of the catalogue, and what else the configuration names.
fn sheets(config: &Config, catalogue: &Models, provider: Option<&str>) -> Result<Vec<Sheet>, Failure> {
    let mut sheets = catalogue.sheets(provider).map_err(|unknown| refused(catalogue, &unknown))?;
    let named = config.models.iter().map(|choice| &choice.model);
    for model in named.filter(|model| provider.is_none_or(|wanted| model.provider == wanted)) {
        if sheets.iter().all(|sheet| sheet.model != *model) {
            sheets.extend(catalogue.sheet(model));
        }
    }
    sheets.sort_by(|a, b| a.model.provider.cmp(&b.model.provider));
    Ok(sheets)
}

/// What to say of a provider that nobody knows.
pub(super) fn refused(catalogue: &Models, unknown: &Unknown) -> Failure {
    let Unknown::Provider(provider) = unknown;
    let names = catalogue.provider_names();
    let near = match provider_also_called(provider) {
        Some(known) => vec![known],
        None => nearest_names(provider, names.iter().map(String::as_str)),
    };
    Failure::Usage(format!(
        "there is no provider {provider}; known: {}; others go under models.providers{}",
        names.join(", "),
        did_you_mean(&near)
    ))
}

/// `; did you mean a or b?`, or nothing.
pub(super) fn did_you_mean<S: AsRef<str>>(near: &[S]) -> String {
    let near: Vec<&str> = near.iter().map(AsRef::as_ref).collect();
    match near.split_last() {
        None => String::new(),
        Some((only, [])) => format!("; did you mean {only}?"),
        Some((last, others)) => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}

#[derive(Serialize)]
struct Listing {
    models: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    model: String,
    provider: String,
    id: String,
    alias: Option<String>,
    name: Option<String>,
    configured: bool,
    api: &'static str,
    levels: Vec<LevelRow>,
    default: &'static str,
    input: Vec<&'static str>,
    context: u64,
    output: Option<u64>,
    price: Option<PriceRow>,
    source: String,
}

#[derive(Serialize)]
struct LevelRow {
    level: &'static str,
    label: String,
    wire: String,
}

#[derive(Serialize)]
struct PriceRow {
    input: f64,
    cached: f64,
    output: f64,
}

fn row(config: &Config, sheet: Sheet) -> Row {
    let Sheet { model, api, source, levels, default, context, output, price, takes } = sheet;
    let own = config.providers.iter().find(|own| own.name == model.provider);
    let described = own.and_then(|own| own.models.iter().find(|row| row.id == model.id));
    let choice = config.models.iter().find(|choice| choice.model == model);
    let level = |SheetLevel { level, label, wire }| LevelRow { level: level.name(), label, wire };
    Row {
        alias: choice.and_then(|choice| choice.alias.clone()),
        name: described.and_then(|row| row.name.clone()),
        configured: own.is_some(),
        api,
        levels: levels.into_iter().map(level).collect(),
        default: default.name(),
        input: std::iter::once("text").chain(takes.iter().copied().map(input)).collect(),
        context,
        output,
        price: price.map(|Price { input, cached, output }| PriceRow { input, cached, output }),
        source,
        model: model.to_string(),
        provider: model.provider,
        id: model.id,
    }
}

fn input(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "image",
        MediaKind::Audio => "audio",
        MediaKind::Document => "document",
    }
}

fn shown(listing: &Listing) -> String {
    if listing.models.is_empty() {
        return "no models are known there; one is used by its name as provider/model".to_owned();
    }
    let blocks: Vec<String> = listing.models.iter().map(block).collect();
    blocks.join("\n")
}

fn block(row: &Row) -> String {
    let alias = row.alias.as_ref().map(|alias| format!(" ({alias})")).unwrap_or_default();
    let name = row.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    let mut text = format!("{}{alias}{name}\n  {}\n", row.model, holds(row));
    let label = |row: &LevelRow| match row.label.as_str() {
        label if label == row.level => label.to_owned(),
        label => format!("{label} ({})", row.level),
    };
    let width = row.levels.iter().map(|level| label(level).len()).max().unwrap_or(0);
    for level in &row.levels {
        let mark = if level.level == row.default { "  ← default" } else { "" };
        text.push_str(&format!("  {:width$} → {}{mark}\n", label(level), level.wire));
    }
    text
}

/// `400,000 tokens of context, 128,000 of output; takes text, image; $1.25 in, $0.125 cached, $10 out for a million`.
fn holds(row: &Row) -> String {
    let mut text = format!("{} tokens of context", grouped(row.context));
    if let Some(output) = row.output {
        text.push_str(&format!(", {} of output", grouped(output)));
    }
    text.push_str(&format!("; takes {}", row.input.join(", ")));
    if let Some(PriceRow { input, cached, output }) = row.price {
        text.push_str(&format!("; ${input} in, ${cached} cached, ${output} out for a million"));
    }
    text
}

/// `1,050,000`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_in_groups() {
        for (number, expected) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_050_000, "1,050,000")] {
            assert_eq!(grouped(number), expected);
        }
    }

    #[test]
    fn near_names_are_told_in_a_sentence() {
        assert_eq!(did_you_mean::<&str>(&[]), "");
        assert_eq!(did_you_mean(&["a"]), "; did you mean a?");
        assert_eq!(did_you_mean(&["a", "b", "c"]), "; did you mean a, b or c?");
    }

    #[test]
    fn a_model_has_a_line_for_each_level() {
        let level =
            |level, label: &str, wire: &str| LevelRow { level, label: label.into(), wire: wire.into() };
        let row = Row {
            model: "zai/glm-5".into(),
            provider: "zai".into(),
            id: "glm-5".into(),
            alias: Some("glm".into()),
            name: Some("GLM 5".into()),
            configured: true,
            api: "openai-completions",
            levels: vec![
                level("off", "off", "thinking.type=disabled"),
                level("low", "on", "thinking.type=enabled"),
            ],
            default: "off",
            input: vec!["text", "image"],
            context: 200_000,
            output: Some(131_072),
            price: Some(PriceRow { input: 1.0, cached: 0.2, output: 3.2 }),
            source: "a page".into(),
        };
        let expected = "zai/glm-5 (glm) GLM 5\n  200,000 tokens of context, 131,072 of output; takes text, image; $1 in, $0.2 cached, $3.2 \
                        out for a million\n  off      → thinking.type=disabled  ← default\n  on (low) → thinking.type=enabled\n";
        assert_eq!(block(&row), expected);
    }
}
