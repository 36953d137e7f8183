//! What providers taught us about single models since the start: levels that they refused although the rows offer them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use pensive_contract::model::ModelRef;
use pensive_directives::Level;

use crate::catalogue::Fit;
use crate::ladder::Ladder;
use crate::refusal::Refusal;
use crate::registry::Known;

/// The levels that each model refused. Held until the daemon ends.
#[derive(Debug, Default)]
pub(crate) struct Lessons(Mutex<BTreeMap<ModelRef, Vec<Level>>>);

impl Lessons {
    /// Takes refused levels off a model's ladder.
    pub(crate) fn apply(&self, model: &ModelRef, ladder: &mut Ladder) {
        let lessons = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lessons.get(model).into_iter().flatten().for_each(|level| ladder.forget(*level));
    }

    /// Keeps that a model refused a level, and gives the level to repeat the call with; nothing where there is none left.
    pub(crate) fn learn(
        &self,
        known: &Known<'_>,
        model: &ModelRef,
        refused: Level,
        refusal: &Refusal,
    ) -> Option<Level> {
        let mut left = known.ladder.clone();
        let gone = gone(&known.ladder, known.fit, model, refused, refusal);
        gone.iter().for_each(|level| left.forget(*level));
        let profile = left.profile(model);
        let instead = profile.clamp(refused);
        if !profile.offers(instead) && refused == Level::Off {
            return None;
        }
        let mut lessons = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lessons.entry(model.clone()).or_default().extend(gone);
        Some(instead)
    }
}

/// The levels that a refusal rules out. Where it lists words, all that stand for others; where it lists none, on a model
/// that the rows name, the one that was asked for; else every level that thinks, since nothing shows that any is taken.
fn gone(ladder: &Ladder, fit: Fit, model: &ModelRef, refused: Level, refusal: &Refusal) -> Vec<Level> {
    let profile = ladder.profile(model);
    let offered = || profile.levels.iter().map(|choice| choice.level);
    let listed = refusal.alternatives();
    let is_ruled_out = |level: &Level| {
        let word = ladder.word(*level, model).said();
        *level == refused || word.is_some_and(|word| !listed.iter().any(|other| other == word))
    };
    match (listed.is_empty(), fit) {
        (false, _) => offered().filter(is_ruled_out).collect(),
        (true, _) if refused == Level::Off => vec![refused],
        (true, Fit::Named) if !refusal.blames_field() => vec![refused],
        (true, Fit::Named | Fit::General) => offered().filter(|level| *level != Level::Off).collect(),
    }
}
