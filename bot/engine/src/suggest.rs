//! What could stand behind a command that somebody is typing. Pure reading: nothing is changed, nothing is said.

use pensive_contract::intake::{Asked, Suggestion};
use pensive_directives::table;

use crate::core::Core;

/// The values, best match first.
pub(crate) async fn values(_core: &Core, asked: &Asked) -> Vec<Suggestion> {
    let spec = table().iter().find(|spec| spec.word == asked.command);
    let choices = spec.map(|spec| (spec.choices)()).unwrap_or_default();
    let matching = choices.into_iter().filter(|choice| choice.starts_with(&asked.typed));
    matching.map(|choice| Suggestion { label: choice.to_owned(), value: choice.to_owned() }).collect()
}
