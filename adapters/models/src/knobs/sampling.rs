//! Temperature and its kin: sent only where they were asked for and the model takes them.

use pensive_contract::model::Manner;
use serde_json::Value;

use super::{Case, Knobs, Thinks};
use crate::catalogue::Sampling;
use crate::http::Shape;

/// Puts the sampling values in.
pub(super) fn put(case: &Case<'_>, manner: &Manner, knobs: &mut Knobs) {
    let params = &manner.params;
    let wishes = [
        (names(case.shape, Kind::Temperature), params.temperature),
        (names(case.shape, Kind::TopP), params.top_p),
        (names(case.shape, Kind::Presence), params.presence_penalty),
        (names(case.shape, Kind::Frequency), params.frequency_penalty),
    ];
    if wishes.iter().all(|(_, wish)| wish.is_none()) {
        return;
    }
    let taken = match (case.facts.sampling, knobs.thinks) {
        (Sampling::Always, _) | (Sampling::Idle, Thinks::No) => true,
        (Sampling::Never, _) => {
            knobs.why.push("this model takes no sampling values".to_owned());
            false
        }
        (Sampling::Idle, Thinks::Yes) => {
            knobs.why.push("sampling values are left out while it thinks".to_owned());
            false
        }
    };
    for (field, wish) in wishes.into_iter().filter(|_| taken) {
        let (Some(field), Some(value)) = (field, wish) else { continue };
        let is_zero = value == 0.0 && Some(field) == names(case.shape, Kind::Temperature);
        if is_zero && case.facts.temperature_not_zero && knobs.thinks == Thinks::Yes {
            knobs.why.push("a temperature of 0 is left out while it thinks".to_owned());
        } else {
            knobs.fields.put(field, Value::from(value));
        }
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Temperature,
    TopP,
    Presence,
    Frequency,
}

/// What a shape calls the value; nothing where it has none.
fn names(shape: Shape, kind: Kind) -> Option<&'static str> {
    match (shape, kind) {
        (Shape::Responses | Shape::Chat | Shape::Messages, Kind::Temperature) => Some("temperature"),
        (Shape::Responses | Shape::Chat | Shape::Messages, Kind::TopP) => Some("top_p"),
        (Shape::Chat, Kind::Presence) => Some("presence_penalty"),
        (Shape::Chat, Kind::Frequency) => Some("frequency_penalty"),
        (Shape::Responses | Shape::Messages, Kind::Presence | Kind::Frequency) => None,
        (Shape::Gemini, Kind::Temperature) => Some("generationConfig.temperature"),
        (Shape::Gemini, Kind::TopP) => Some("generationConfig.topP"),
        (Shape::Gemini, Kind::Presence) => Some("generationConfig.presencePenalty"),
        (Shape::Gemini, Kind::Frequency) => Some("generationConfig.frequencyPenalty"),
        (Shape::Ollama, Kind::Temperature) => Some("options.temperature"),
        (Shape::Ollama, Kind::TopP) => Some("options.top_p"),
        (Shape::Ollama, Kind::Presence) => Some("options.presence_penalty"),
        (Shape::Ollama, Kind::Frequency) => Some("options.frequency_penalty"),
    }
}
