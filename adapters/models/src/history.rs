//! A conversation as providers take it: every result behind its call, no turn empty, no seal of another model.

use pensive_contract::model::{ModelRequest, PromptTurn};

/// Which seals stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seals {
    /// Those of the model that is asked.
    Own,
    /// None: the provider did not know them again.
    None,
}

/// The request with its history mended.
pub(crate) fn repaired(mut request: ModelRequest, seals: Seals) -> ModelRequest {
    for turn in &mut request.turns {
        let PromptTurn::Assistant(speech) = turn else { continue };
        if seals == Seals::None || speech.model.as_ref() != Some(&request.model) {
            speech.pieces.iter_mut().for_each(|piece| piece.seal = None);
        }
    }
    request
}
