//! What a key of the file is for: its documentation, type, default and allowed values, from the same schema as the checks.

use std::fmt;

use crate::format;
use crate::nearest::nearest;
use crate::schema::{self, Keys, Shape};
use crate::shape::expected;

/// What there is to know about one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The key, from the top of the file.
    pub key: String,
    /// What it is for.
    pub about: String,
    /// What kind of value it takes.
    pub kind: String,
    /// What holds where it is not given, as it would be written.
    pub default: Option<String>,
    /// The words or texts that are allowed, each with what it means where that is said.
    pub allowed: Vec<(String, String)>,
    /// The keys below it, each with the first sentence about it.
    pub keys: Vec<(String, String)>,
}

/// A key that the file does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no key {key}{}", near.as_ref().map(|near| format!("; did you mean {near}?")).unwrap_or_default())]
pub struct UnknownKey {
    /// What was asked for.
    pub key: String,
    /// The nearest key that there is.
    pub near: Option<String>,
}

/// Explains a key, written as in messages: `agents.defaults.model`, `bindings[0].match`, `channels.telegram.groups.*.prompt`.
/// Nothing stands for the whole file.
///
/// # Errors
/// There is no such key.
pub fn explain(key: &str) -> Result<Explanation, UnknownKey> {
    let schema = schema::committed();
    let steps: Vec<String> = steps(key);
    match walk(Shape::root(&schema), &steps) {
        Ok(shape) => Ok(explanation(key, &shape)),
        Err(Lost { done, shape }) => {
            Err(UnknownKey { key: key.to_owned(), near: near(&steps, done, &shape) })
        }
    }
}

/// Where the way ended.
struct Lost<'s> {
    done: usize,
    shape: Shape<'s>,
}

/// The steps of a key. What stands in brackets is one step; elsewhere a dot before a digit belongs to a model's name.
fn steps(key: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    for (index, part) in key.split(['[', ']']).enumerate() {
        if index % 2 == 1 {
            let name = part.trim_matches(['"', '\'']);
            steps.push(if name.is_empty() { "*" } else { name }.to_owned());
            continue;
        }
        for step in part.split('.').filter(|step| !step.is_empty()) {
            match steps
                .last_mut()
                .filter(|name| name.contains('/') && step.starts_with(|c: char| c.is_ascii_digit()))
            {
                Some(name) => *name += &format!(".{step}"),
                None => steps.push(step.to_owned()),
            }
        }
    }
    steps
}

fn walk<'s>(shape: Shape<'s>, steps: &[String]) -> Result<Shape<'s>, Lost<'s>> {
    let Some((first, rest)) = steps.split_first() else { return Ok(shape) };
    let is_index = first == "*" || first.parse::<usize>().is_ok();
    match (shape.key(first), shape.element()) {
        (Some(inner), _) => deeper(inner, rest, 1),
        (None, Some(element)) if is_index => deeper(element, rest, 1),
        // `bindings.agent` means any binding's.
        (None, Some(element)) => deeper(element, steps, 0),
        (None, None) => Err(Lost { done: 0, shape }),
    }
}

fn deeper<'s>(shape: Shape<'s>, steps: &[String], taken: usize) -> Result<Shape<'s>, Lost<'s>> {
    walk(shape, steps).map_err(|lost| Lost { done: lost.done + taken, shape: lost.shape })
}

fn near(steps: &[String], done: usize, shape: &Shape<'_>) -> Option<String> {
    let Some(Keys::Listed(known)) = shape.keys() else { return None };
    let (before, wrong) = (steps.get(..done)?, steps.get(done)?);
    let near = nearest(wrong, known)?;
    let way = before.iter().map(String::as_str).chain([near]).collect::<Vec<_>>();
    Some(way.join("."))
}

fn explanation(key: &str, shape: &Shape<'_>) -> Explanation {
    let words = shape.words().into_iter();
    let mut allowed: Vec<(String, String)> =
        words.map(|(word, meaning)| (word.to_owned(), meaning.unwrap_or_default().to_owned())).collect();
    if let Some(format) = shape.format().and_then(format::by_name) {
        allowed.push(((format.allowed)(), String::new()));
    }
    Explanation {
        key: key.to_owned(),
        about: shape.description().unwrap_or_default().replace('\n', " "),
        kind: expected(shape),
        default: shape.default().map(ToString::to_string),
        allowed,
        keys: below(shape),
    }
}

fn below(shape: &Shape<'_>) -> Vec<(String, String)> {
    let first_sentence = |shape: Shape<'_>| {
        let about = shape.description().unwrap_or_default();
        about.split_once(". ").map_or(about, |(first, _)| first).trim_end_matches('.').to_owned()
    };
    match shape.keys() {
        Some(Keys::Listed(names)) => {
            let known = names
                .into_iter()
                .filter_map(|name| Some((name.to_owned(), first_sentence(shape.key(name)?))));
            known.collect()
        }
        Some(Keys::Named(entry)) => vec![("*".to_owned(), first_sentence(entry))],
        None => Vec::new(),
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.key.is_empty() { "The configuration" } else { &self.key };
        writeln!(f, "{name}: {}", self.kind)?;
        if !self.about.is_empty() {
            writeln!(f, "  {}", self.about)?;
        }
        if let Some(default) = &self.default {
            writeln!(f, "  default: {default}")?;
        }
        for (title, rows) in [("allowed", &self.allowed), ("keys", &self.keys)] {
            if !rows.is_empty() {
                writeln!(f, "  {title}:")?;
            }
            for (word, meaning) in rows {
                writeln!(f, "    {}", format!("{word:<22} {meaning}").trim_end())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: &str, kind: &str, default: Option<&str>, allowed: &str) {
        let found = explain(key).unwrap();
        let words: Vec<&str> = found.allowed.iter().map(|(word, _)| word.as_str()).collect();
        assert_eq!((found.kind.as_str(), found.default.as_deref()), (kind, default), "{key}");
        assert!(
            words.join(", ").contains(allowed) && !found.about.is_empty(),
            "{key}: {words:?} {}",
            found.about
        );
    }

    #[test]
    fn keys_are_explained() {
        check("agents.defaults.thinkingDefault", "a text in quotes", None, "one of off, minimal, low");
        check("agents.defaults.maxConcurrent", "a whole number", Some("16"), "");
        check("agents.entries.ops.model", "a text in quotes or an object", None, "provider/model");
        check(
            "channels.telegram.dmPolicy",
            "a text in quotes",
            Some("\"pairing\""),
            "pairing, allowlist, open, disabled",
        );
        check("channels.telegram.accounts.second.groups.-100.topics.5.prompt", "a text in quotes", None, "");
        check(
            "agents.defaults.models.openai/gpt-5.6-sol.params.thinking",
            "a text in quotes or an object",
            None,
            "one of off",
        );
        check("agents.defaults.models[\"openai/gpt-5.6-sol\"].alias", "a text in quotes", None, "");
        check("agents.defaults.models.*.params.topP", "a number", None, "");
        check(
            "agents.defaults.models.*.params.toolChoice",
            "a text in quotes or an object",
            Some("\"auto\""),
            "auto, none, required",
        );
        check(
            "agents.entries.ops.models.*.params.reasoning.effort",
            "an object, a list, a text in quotes, a number or true or false",
            None,
            "",
        );
        check("bindings[0].match.peer.kind", "a text in quotes", None, "direct, group, channel");
        check("bindings.agent", "a text in quotes or a whole number", None, "");
        check("models.providers.*.models[].compat.thinkingFormat", "a text in quotes", None, "openai");
        check("", "an object", None, "");
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        for (key, expected) in [
            ("agents.defaults.thinkingDefualt", "; did you mean agents.defaults.thinkingDefault?"),
            ("agents.entries.ops.hartbeat.every", "; did you mean agents.entries.ops.heartbeat?"),
            ("chanels", "; did you mean channels?"),
            ("storage.path.deeper", ""),
            ("nonsense", ""),
        ] {
            assert_eq!(explain(key).unwrap_err().to_string(), format!("there is no key {key}{expected}"));
        }
    }

    #[test]
    fn an_explanation_is_readable() {
        let shown = explain("session.dmScope").unwrap().to_string();
        assert!(
            shown.starts_with("session.dmScope: a text in quotes\n  How direct messages are kept apart.\n"),
            "{shown}"
        );
        assert!(shown.contains("  default: \"per-channel-peer\"\n  allowed:\n    main "), "{shown}");
    }
}
