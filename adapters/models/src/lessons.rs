//! What providers taught us about single models since the start: levels that they refused although the rows offer them,
//! and reasoning that they want back although no row says so.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pensive_contract::model::{Lesson, ModelRef};
use pensive_directives::Level;

use crate::catalogue::{Fit, Replay};
use crate::ladder::Ladder;
use crate::refusal::Refusal;
use crate::registry::Known;

/// What was learned. Held until the daemon ends.
#[derive(Debug, Default)]
pub(crate) struct Lessons(Mutex<Learned>);

#[derive(Debug, Default)]
struct Learned {
    /// The levels that each model refused.
    refused: BTreeMap<ModelRef, HashSet<Level>>,
    /// The models that want their reasoning back.
    missed: BTreeSet<ModelRef>,
    /// What nobody was told yet: the repeated call may have failed too.
    untold: Vec<Lesson>,
}

impl Lessons {
    /// Takes refused levels off a model's ladder.
    pub(crate) fn apply(&self, model: &ModelRef, ladder: &mut Ladder) {
        self.learned().refused.get(model).into_iter().flatten().for_each(|level| ladder.forget(*level));
    }

    /// Keeps that a model refused a level. The next try must find another one on the ladder.
    pub(crate) fn learn(
        &self,
        known: &Known<'_>,
        model: &ModelRef,
        refused: Level,
        refusal: &Refusal,
    ) -> Progress {
        let mut left = known.ladder.clone();
        let gone = gone(&known.ladder, known.fit, model, refused, refusal);
        gone.iter().for_each(|level| left.forget(*level));
        let instead = left.profile(model).clamp(refused);
        if left.word(instead, model) == known.ladder.word(refused, model) {
            return Progress::None;
        }
        let Learned { refused: all, untold, .. } = &mut *self.learned();
        let before = all.entry(model.clone()).or_default();
        // Calls that were under way at the same time learn the same; one of them tells it.
        if !before.contains(&refused) {
            untold.push(Lesson { model: model.clone(), refused, instead });
        }
        before.extend(gone);
        Progress::Made
    }

    /// What is to be told about a model, once.
    pub(crate) fn untold(&self, model: &ModelRef) -> Vec<Lesson> {
        let mut learned = self.learned();
        let (told, rest) =
            std::mem::take(&mut learned.untold).into_iter().partition(|lesson| lesson.model == *model);
        learned.untold = rest;
        told
    }

    /// Keeps that a model misses the reasoning of its earlier turns.
    pub(crate) fn learn_missed(&self, model: &ModelRef) {
        self.learned().missed.insert(model.clone());
    }

    /// How reasoning goes back to a model, where it has shown that.
    pub(crate) fn replay(&self, model: &ModelRef) -> Option<Replay> {
        self.learned().missed.contains(model).then_some(Replay::ContentRequired)
    }

    fn learned(&self) -> MutexGuard<'_, Learned> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a refusal leads to another call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Something else can be sent now.
    Made,
    /// The same would go out again.
    None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::settings::Api;

    #[test]
    fn calls_that_are_refused_at_the_same_time_have_one_lesson() {
        let (catalogue, lessons) = (Catalogue::load().unwrap(), Lessons::default());
        let model = ModelRef { provider: "openai".into(), id: "gpt-5.2".into() };
        let api = Api::OpenaiResponses;
        let shelf = catalogue.shelf(&model.provider, api).unwrap();
        let (facts, fit) = shelf.facts(&model.id);
        let (extras, ladder) = (shelf.extras(&model.provider), Ladder::of(None, facts, fit));
        let known = Known { api, row: None, shelf, facts, fit, extras, ladder };
        let refusal = Refusal::read(Some(400), br#"{"error":{"message":"no such effort"}}"#);
        let learn = |level| assert_eq!(lessons.learn(&known, &model, level, &refusal), Progress::Made);
        let lesson = |refused, instead| Lesson { model: model.clone(), refused, instead };
        [Level::Xhigh, Level::Xhigh, Level::High, Level::Xhigh].into_iter().for_each(learn);
        assert_eq!(
            lessons.untold(&model),
            [lesson(Level::Xhigh, Level::High), lesson(Level::High, Level::Medium)]
        );
        learn(Level::Xhigh);
        assert_eq!(lessons.untold(&model), []);
    }
}
