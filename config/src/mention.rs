//! Models and levels that the file names, for whoever knows models to judge: this room knows only what is a level at all.

use pensive_contract::model::ModelRef;
use pensive_directives::Level;

use crate::fault::Position;

/// A model that the file names, or a level that it names for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Where the value stands.
    pub position: Position,
    /// The key, as messages about faults show it.
    pub key: String,
    /// The model.
    pub model: ModelRef,
    /// The level that is asked of it; nothing where the model itself is named.
    pub level: Option<Level>,
}
