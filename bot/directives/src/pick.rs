//! Which model a message picks, be it with `/model` or behind `/new`.

use crate::family::model;
use crate::vocabulary::clears;
use crate::{Ask, CommandCall, CommandName, ModelEntry, ModelWant, Parsed, Standing};

/// What becomes of the model. It is settled before all else: the level is judged by the profile of the model that will
/// run.
pub(crate) enum Pick {
    /// The message does not name one.
    Stays,
    /// This one, `provider/model`.
    To(String),
    /// The configured one.
    Back,
    /// The answer to a pick of nothing.
    Refused(String),
}

pub(crate) fn pick(parsed: &Parsed, standing: &Standing<'_>) -> Pick {
    match wanted_model(parsed) {
        Some(ModelWant::Pick(name)) => match model::find(standing.models, &name) {
            Some(reference) => Pick::To(reference),
            None => Pick::Refused(model::unknown_text(standing.models, &name)),
        },
        Some(ModelWant::Number(number)) => {
            match number.checked_sub(1).and_then(|place| standing.models.get(place)) {
                Some(entry) => Pick::To(entry.reference.clone()),
                None => Pick::Refused(model::no_number_text(standing.models, number)),
            }
        }
        Some(ModelWant::Clear) => Pick::Back,
        Some(ModelWant::Show | ModelWant::List) | None => Pick::Stays,
    }
}

/// The reference, `provider/model`, that a name stands for.
///
/// # Errors
/// It stands for none; the words say how to find one.
pub fn find_model(models: &[ModelEntry], name: &str) -> Result<String, String> {
    model::find(models, name).ok_or_else(|| model::unknown_text(models, name))
}

/// What `/model` says, else the model that stands behind `/new`.
fn wanted_model(parsed: &Parsed) -> Option<ModelWant> {
    let asked = parsed.asks.iter().find_map(|ask| if let Ask::Model(want) = ask { Some(want) } else { None });
    asked.cloned().or_else(|| parsed.commands.iter().find_map(new_model))
}

pub(crate) fn new_model(call: &CommandCall) -> Option<ModelWant> {
    let word = call.argument.as_deref().filter(|_| call.name == CommandName::New)?;
    Some(if clears(word) { ModelWant::Clear } else { ModelWant::named(word) })
}
