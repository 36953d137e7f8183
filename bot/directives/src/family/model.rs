//! `/model`: which model answers. Its values are names that only the configuration knows, so a pick is a name until it is
//! found in the list of models.

use super::{current, did_you_mean, options};
use crate::Resolved;
use crate::vocabulary::distance;

/// A model that people may pick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelEntry {
    /// `provider/model`; the model's part may hold more slashes.
    pub reference: String,
    /// A short name from the configuration.
    pub alias: Option<String>,
}

impl ModelEntry {
    fn is_called(&self, name: &str) -> bool {
        let alias = self.alias.as_deref().unwrap_or_default();
        self.reference.eq_ignore_ascii_case(name) || (!name.is_empty() && alias.eq_ignore_ascii_case(name))
    }
}

/// The reference that a typed name stands for: one of the list, or any model of a provider that the list knows. An empty
/// list knows nothing, so it leaves every `provider/model` to be tried.
pub(crate) fn find(models: &[ModelEntry], name: &str) -> Option<String> {
    if let Some(entry) = models.iter().find(|entry| entry.is_called(name)) {
        return Some(entry.reference.clone());
    }
    let provider = provider(name)?;
    let known = models.iter().any(|entry| {
        self::provider(&entry.reference).is_some_and(|known| known.eq_ignore_ascii_case(provider))
    });
    (known || models.is_empty()).then(|| name.to_owned())
}

/// What stands before the first slash, where both sides say something.
fn provider(reference: &str) -> Option<&str> {
    let (provider, model) = reference.split_once('/')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!provider.is_empty() && !model.is_empty() && provider.chars().all(is_plain)).then_some(provider)
}

/// The answer to a pick.
pub(crate) fn set_text(reference: &str) -> String {
    format!("Model set to {reference} for this session.")
}

/// The answer to giving the pick up.
pub(crate) fn reset_text(inherited: &str) -> String {
    format!("Model reset to default ({inherited}).")
}

/// Which model holds, and how to pick another.
pub(crate) fn show_text(model: &Resolved<String>) -> String {
    let choices = "default, status, list, provider/model, an alias, or a number of the list";
    format!("{}\n{}", current("model", &model.value, model.source), options(choices))
}

/// The models by number, the one in force marked.
pub(crate) fn list_text(models: &[ModelEntry], now: &Resolved<String>) -> String {
    if models.is_empty() {
        return format!("{}\nNo models are listed.", current("model", &now.value, now.source));
    }
    let mut text = String::from("Models:");
    for (place, entry) in models.iter().enumerate() {
        let alias = entry.alias.as_ref().map_or_else(String::new, |alias| format!(" ({alias})"));
        let mark = if entry.reference == now.value { " ← current" } else { "" };
        text.push_str(&format!("\n{}. {}{alias}{mark}", place + 1, entry.reference));
    }
    text.push_str("\nPick one with /model and its number.");
    text
}

/// The answer to a name that no model has.
pub(crate) fn unknown_text(models: &[ModelEntry], name: &str) -> String {
    format!("Unrecognized model \"{name}\". See /model list.{}", did_you_mean(nearest(models, name)))
}

/// The answer to a number that is not in the list.
pub(crate) fn no_number_text(models: &[ModelEntry], number: usize) -> String {
    match models.len() {
        0 => format!("There is no model {number}: no models are listed."),
        last => format!("There is no model {number}. Use a number from 1 to {last}; see /model list."),
    }
}

/// The listed name that was most likely meant: two slips of the finger away, or a longer name that holds this one.
fn nearest<'a>(models: &'a [ModelEntry], name: &str) -> Option<&'a str> {
    let typed: Vec<char> = name.to_lowercase().chars().collect();
    let names = || models.iter().flat_map(|entry| entry.alias.iter().chain([&entry.reference]));
    let slipped = names()
        .map(|known| (distance(&typed, &known.to_lowercase()), known))
        .filter(|(edits, known)| *edits <= 2 && *edits < typed.len().min(known.len()))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, known)| known);
    let wanted: String = typed.iter().collect();
    let holding = || names().find(|known| typed.len() >= 3 && known.to_lowercase().contains(&wanted));
    slipped.or_else(holding).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    fn models() -> Vec<ModelEntry> {
        let entry = |reference: &str, alias: Option<&str>| ModelEntry {
            reference: reference.into(),
            alias: alias.map(Into::into),
        };
        vec![entry("openai/gpt-5.6-sol", Some("sol")), entry("anthropic/claude-sonnet-5", None)]
    }

    #[test]
    fn names_are_found() {
        let check = |name: &str, expected: Option<&str>| {
            assert_eq!(find(&models(), name).as_deref(), expected, "{name}");
        };
        check("sol", Some("openai/gpt-5.6-sol"));
        check("SOL", Some("openai/gpt-5.6-sol"));
        check("OpenAI/GPT-5.6-Sol", Some("openai/gpt-5.6-sol"));
        check("openai/o9", Some("openai/o9"));
        check("and/or", None);
        check("openai/", None);
        check("gpt", None);
        check("", None);
    }

    #[test]
    fn dir_20_only_the_first_slash_parts_the_provider() {
        assert_eq!(find(&models(), "openai/@cf/x").as_deref(), Some("openai/@cf/x"));
        assert_eq!(find(&models(), "openai/me@example.org:x").as_deref(), Some("openai/me@example.org:x"));
    }

    #[test]
    fn an_empty_list_tries_everything_with_a_provider() {
        assert_eq!(find(&[], "prov/model").as_deref(), Some("prov/model"));
        assert_eq!(find(&[], "model"), None);
        assert_eq!(find(&[], "http://x"), None);
    }

    #[test]
    fn answers() {
        let now = Resolved { value: "openai/gpt-5.6-sol".to_owned(), source: Source::Session };
        assert_eq!(
            list_text(&models(), &now),
            "Models:\n1. openai/gpt-5.6-sol (sol) ← current\n2. anthropic/claude-sonnet-5\n\
             Pick one with /model and its number."
        );
        assert_eq!(
            list_text(&[], &now),
            "Current model: openai/gpt-5.6-sol (from session).\nNo models are listed."
        );
        let check = |name: &str, expected: &str| assert_eq!(unknown_text(&models(), name), expected);
        check("soll", "Unrecognized model \"soll\". See /model list. Did you mean \"sol\"?");
        check(
            "sonnet",
            "Unrecognized model \"sonnet\". See /model list. Did you mean \"anthropic/claude-sonnet-5\"?",
        );
        check("zzz", "Unrecognized model \"zzz\". See /model list.");
        assert_eq!(
            no_number_text(&models(), 7),
            "There is no model 7. Use a number from 1 to 2; see /model list."
        );
        assert_eq!(set_text("prov/model"), "Model set to prov/model for this session.");
        assert_eq!(reset_text("prov/model"), "Model reset to default (prov/model).");
    }
}
