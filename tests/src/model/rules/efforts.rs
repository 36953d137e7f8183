//! Refuses efforts that a test says the model does not have, as each vendor would.

use super::{RefusedEfforts, invalid, listed};
use crate::model::{
    failure::Failure,
    request::{Request, Shape},
};

pub(super) fn check(request: &Request, refused: &[RefusedEfforts]) -> Result<(), Failure> {
    for refusal in refused {
        let meant = |word: &String| match word.as_str() {
            "on" => request.thinks() == Some(true),
            "off" => request.thinks() == Some(false),
            word => request.effort().is_some_and(|effort| effort.eq_ignore_ascii_case(word)),
        };
        if let Some(word) = refusal.words.iter().find(|word| meant(word)) {
            return Err(refuse(request, word, &refusal.supported));
        }
    }
    Ok(())
}

fn refuse(request: &Request, word: &str, supported: &[String]) -> Failure {
    let word = request.effort().unwrap_or(word);
    if request.thinks() == Some(false) {
        return invalid("Reasoning is mandatory for this endpoint and cannot be disabled.");
    }
    let model = request.model();
    match request.shape {
        Shape::Chat | Shape::Responses => {
            let param = if request.shape == Shape::Chat { "reasoning_effort" } else { "reasoning.effort" };
            let mut words = format!("Unsupported value: '{word}' is not supported with the '{model}' model.");
            if !supported.is_empty() {
                words += &format!(" Supported values are: {}.", listed(supported, ", and "));
            }
            invalid(words).code("unsupported_value").param(param)
        }
        Shape::Anthropic if request.effort().is_none() => {
            invalid("This model does not support extended thinking.")
        }
        Shape::Anthropic => {
            let mut words = format!("This model does not support effort level '{word}'.");
            if !supported.is_empty() {
                words += &format!(" Supported levels: {}.", supported.join(", "));
            }
            invalid(words)
        }
        Shape::Gemini if request.effort().is_none() => invalid("Thinking is not enabled for this model."),
        Shape::Gemini => {
            let mut words = format!("Thinking level {word} is not supported for this model.");
            if !supported.is_empty() {
                words += &format!(" Please retry with other thinking level: {}.", supported.join(", "));
            }
            invalid(words)
        }
        Shape::Ollama if request.effort().is_none() => {
            invalid(format!("\"{model}\" does not support thinking"))
        }
        Shape::Ollama => {
            let known: Vec<String> = supported.iter().map(|word| format!("\"{word}\"")).collect();
            let known = if known.is_empty() { String::new() } else { format!("{}, ", known.join(", ")) };
            invalid(format!("invalid think value: \"{word}\" (must be {known}true, or false)"))
        }
    }
}
