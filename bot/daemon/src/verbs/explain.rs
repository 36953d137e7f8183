//! `pensive explain`: the fields that one call puts on the wire beside the conversation, and why, without a daemon, a key
//! or the network.
//!
//! With `--json` one object, whose shape stays: `model`, `asked` and `sent` (levels), `label` (what people call the one that
//! is sent), `offered` (whether the model has the asked one), `levels` (all that it has, by the words that people see),
//! `fast`, `fields` (each with `field`, its path in the body, and `value`), and `why`, sentences.

use pensive_config::{Config, nearest_names};
use pensive_contract::model::{Manner, ModelRef, Pace, Params};
use pensive_directives::Level;
use pensive_models::{Explanation, Models, Sheet, Unknown};
use serde::Serialize;

use super::models::{did_you_mean, refused};
use super::{catalogue, load, print, print_json};
use crate::arguments::{Common, Explain as Asked, Lane};
use crate::doubts;
use crate::exit::Failure;

pub(super) fn explain(common: &Common, asked: &Asked) -> Result<(), Failure> {
    let config = load(common)?.config;
    let catalogue = catalogue(&config)?;
    let model = model(&config, &catalogue, &asked.model)?;
    let unknown = || refused(&catalogue, &Unknown::Provider(model.provider.clone()));
    let sheet = catalogue.sheet(&model).ok_or_else(unknown)?;
    let level = level(&sheet, &asked.think)?;
    let manner = Manner { thinking: level, pace: pace(asked.fast), params: params(&config, &model) };
    let told = |manner: &Manner| {
        catalogue.explain_call(&model, manner).map_err(|unknown| refused(&catalogue, &unknown))
    };
    let mut explanation = told(&manner)?;
    if manner.pace == Pace::Fast {
        let normal = told(&Manner { pace: Pace::Normal, ..manner.clone() })?;
        if normal.fields == explanation.fields && normal.why == explanation.why {
            explanation.why.push("fast mode changes nothing in this call".to_owned());
        }
    }
    let explained = Explained::of(sheet, &manner, explanation);
    if asked.json { print_json(&explained) } else { print(&shown(&explained)) }
}

/// The model that a word names: an alias, a model that the configuration names, or any that is known.
fn model(config: &Config, catalogue: &Models, word: &str) -> Result<ModelRef, Failure> {
    let is_meant = |alias: &str| alias.eq_ignore_ascii_case(word);
    let mut choices = config.models.iter();
    if let Some(choice) = choices.find(|choice| choice.alias.as_deref().is_some_and(is_meant)) {
        return Ok(choice.model.clone());
    }
    let Some(model) = ModelRef::parse(word) else { return plain(config, catalogue, word) };
    let is_named = config.models.iter().any(|choice| choice.model == model);
    match doubts::strange(config, catalogue, &model).filter(|_| !is_named) {
        None => Ok(model),
        Some(near) => Err(Failure::Usage(format!(
            "{} has no model {}; `pensive models --provider {}` lists those that are known{}",
            model.provider,
            model.id,
            model.provider,
            did_you_mean(&near)
        ))),
    }
}

/// A word without a slash that is no alias: the only model that the configuration names so.
fn plain(config: &Config, catalogue: &Models, word: &str) -> Result<ModelRef, Failure> {
    let named =
        config.models.iter().map(|choice| &choice.model).filter(|model| model.id.eq_ignore_ascii_case(word));
    match named.collect::<Vec<_>>().as_slice() {
        [only] => Ok((*only).clone()),
        _ => {
            let mut names: Vec<String> =
                config.models.iter().filter_map(|choice| choice.alias.clone()).collect();
            for provider in catalogue.provider_names() {
                names.extend(catalogue.names(&provider).into_iter().map(|id| format!("{provider}/{id}")));
            }
            let near = nearest_names(word, names.iter().map(String::as_str));
            Err(Failure::Usage(format!(
                "{word} is no alias, nor provider/model; `pensive models` lists them{}",
                did_you_mean(&near)
            )))
        }
    }
}

/// A level by its name, or by what people see instead of it on this model.
fn level(sheet: &Sheet, word: &str) -> Result<Level, Failure> {
    let labelled = sheet.levels.iter().find(|row| row.label.eq_ignore_ascii_case(word)).map(|row| row.level);
    labelled.or_else(|| Level::normalise(word)).ok_or_else(|| {
        let names: Vec<&str> = Level::ALL.iter().map(|level| level.name()).collect();
        let near = did_you_mean(&nearest_names(word, names.iter().copied()));
        Failure::Usage(format!("{word} is no thinking level; there are: {}{near}", names.join(", ")))
    })
}

fn pace(lane: Lane) -> Pace {
    match lane {
        Lane::On => Pace::Fast,
        Lane::Off => Pace::Normal,
    }
}

/// What the configuration wants of calls to a model by the default agent.
fn params(config: &Config, model: &ModelRef) -> Params {
    let own = config.agents.first().and_then(|agent| agent.params.get(&model.to_string()));
    let shared = config.models.iter().find(|choice| choice.model == *model).map(|choice| &choice.params);
    let call = |params: &pensive_config::ModelParams| params.call.clone();
    own.map(call).unwrap_or_default().over(&shared.map(call).unwrap_or_default())
}

#[derive(Serialize)]
struct Explained {
    model: String,
    asked: &'static str,
    /// What people call the level that is sent, on this model.
    label: String,
    sent: &'static str,
    offered: bool,
    levels: Vec<String>,
    fast: bool,
    fields: Vec<Field>,
    why: Vec<String>,
}

#[derive(Serialize)]
struct Field {
    field: String,
    value: String,
}

impl Explained {
    fn of(sheet: Sheet, manner: &Manner, explanation: Explanation) -> Self {
        let asked = manner.thinking;
        Self {
            model: sheet.model.to_string(),
            asked: asked.name(),
            label: explanation.label,
            sent: explanation.level.name(),
            offered: sheet.levels.iter().any(|row| row.level == asked),
            levels: sheet.levels.into_iter().map(|row| row.label).collect(),
            fast: manner.pace == Pace::Fast,
            fields: explanation.fields.into_iter().map(|(field, value)| Field { field, value }).collect(),
            why: explanation.why,
        }
    }
}

fn shown(explained: &Explained) -> String {
    let Explained { model, asked, label, levels, .. } = explained;
    let fast = if explained.fast { ", fast" } else { "" };
    let level = if explained.offered { label.as_str() } else { asked };
    let mut text = format!("{model}, thinking {level}{fast}\n");
    if !explained.offered {
        text.push_str(&format!(
            "  {asked} is not on offer; typed, it is refused with the levels {}; stored or inherited, it becomes {label}:\n",
            levels.join(", ")
        ));
    }
    if explained.fields.is_empty() {
        text.push_str("  nothing is sent\n");
    }
    for Field { field, value } in &explained.fields {
        text.push_str(&format!("  {field} = {value}\n"));
    }
    if !explained.why.is_empty() {
        text.push_str("why:\n");
    }
    for why in &explained.why {
        text.push_str(&format!("  - {why}\n"));
    }
    text
}
