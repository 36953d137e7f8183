//! What a run shows of its work while it goes on, each as a letter of its own and in order: what the model thought and said
//! before it called tools, a bubble for each call, and what came of it where all is to be seen. Settings are read as they
//! stand at that moment.

use std::sync::Arc;

use pensive_contract::inbound::{ChatKind, Place};
use pensive_contract::outward::{Body, Finality};
use pensive_contract::store::OutboxKind;
use pensive_directives::{Level, Reasoning, Settings, Source, Verbose};

use crate::bubble::{Bubble, Lens};
use crate::core::{Core, Letter};
use crate::course::Course;
use crate::desk;
use crate::rule::{defaults_of, rule_of};
use crate::settings::ToolDetail;
use crate::tools::Bearings;

/// How far the run has been shown, in turns of it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shown {
    /// Their thoughts.
    pub(crate) thoughts: usize,
    /// Their words.
    pub(crate) words: usize,
}

impl Course<'_> {
    /// Shows that calls begin, and before them what led to them: it would be out of its place after them.
    pub(crate) async fn show_calls(&mut self, headers: Vec<String>) {
        let settings = live(self.bearings).await;
        let place = &self.bearings.pending.inbound.place;
        if headers.is_empty() || bubbles(self.bearings.core, place, &settings) == Verbose::Off {
            return;
        }
        let mut bodies = Vec::new();
        if shows_reasoning(self.bearings.core, place, &settings) {
            bodies.extend(Some(self.reasoning()).filter(|thoughts| !thoughts.is_empty()).map(Body::Thinking));
            self.shown.thoughts = self.said.len();
        }
        bodies.extend(self.last_words().map(Body::Markdown));
        self.shown.words = self.said.len();
        bodies.extend(headers.into_iter().map(Body::Plain));
        tell(self.bearings, bodies).await;
    }

    /// Shows what came of a call, where all is to be seen.
    pub(crate) async fn show_result(&self, bubble: &Bubble, result: &str) {
        let place = &self.bearings.pending.inbound.place;
        if bubbles(self.bearings.core, place, &live(self.bearings).await) == Verbose::Full {
            tell(self.bearings, vec![bubble.output(result)]).await;
        }
    }
}

/// How the words of bubbles are made here.
pub(crate) fn lens(core: &Core) -> Lens<'_> {
    Lens { detail: ToolDetail::default(), home: "", masker: &core.ports.masker }
}

/// The settings of a run as they stand now.
pub(crate) async fn live(bearings: Bearings<'_>) -> Settings {
    let Bearings { core, pending, .. } = bearings;
    match core.ports.sessions.get(&pending.route.key).await {
        Ok(record) => desk::live(core, pending, record.as_ref()),
        Err(fault) => {
            tracing::error!(%fault, "the store cannot be read; a run goes by what held as it began");
            pending.settings.clone()
        }
    }
}

/// How much of its tools a run may show. A default that was meant for other chats opens no shared one.
pub(crate) fn bubbles(core: &Core, place: &Place, settings: &Settings) -> Verbose {
    let meant = match (place.kind, settings.verbose.source) {
        (ChatKind::Direct, _) | (_, Source::Message | Source::Session) => true,
        (ChatKind::Group | ChatKind::Channel, Source::Agent) => {
            let door = core.settings.doors.get(&place.account);
            door.is_some_and(|door| defaults_of(door, place).verbose.is_some())
        }
        (ChatKind::Group | ChatKind::Channel, _) => false,
    };
    if meant { settings.verbose.value } else { Verbose::Off }
}

/// Whether what the model thinks is told as a message of its own.
pub(crate) fn shows_reasoning(core: &Core, place: &Place, settings: &Settings) -> bool {
    let here = match place.kind {
        ChatKind::Direct => true,
        ChatKind::Group | ChatKind::Channel => {
            let door = core.settings.doors.get(&place.account);
            door.and_then(|door| rule_of(door, place)).is_some_and(|rule| rule.reasoning)
        }
    };
    here && settings.reasoning.value == Reasoning::On && settings.think.level != Level::Off
}

/// Posts a letter for each body.
async fn tell(bearings: Bearings<'_>, bodies: Vec<Body>) {
    let letters = bodies.into_iter().map(|body| Letter {
        kind: OutboxKind::Notice,
        bodies: vec![body],
        buttons: Vec::new(),
        finality: Finality::More,
    });
    if post(bearings, letters.collect()).await.is_err() {
        tracing::warn!("a run goes on without being shown");
    }
}

/// Posts letters together and in order. The run may be left at any moment: what is on disk goes out all the same.
///
/// # Errors
/// Nothing goes out; the log says why.
pub(crate) async fn post(bearings: Bearings<'_>, letters: Vec<Letter>) -> Result<(), ()> {
    let Bearings { core, pending, .. } = bearings;
    let inbound = &pending.inbound;
    let seal = |letter| core.seal(letter, &inbound.place, Some(inbound.message.clone()));
    let entries = letters.into_iter().filter_map(seal).collect();
    let post = {
        let core = Arc::clone(core);
        async move { core.post(Vec::new(), entries).await }
    };
    match core.tasks.spawn(post).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(fault)) => {
            tracing::error!(%fault, "a letter of a run was not written down");
            Err(())
        }
        Err(error) => {
            tracing::error!(%error, "a letter of a run was not written down");
            Err(())
        }
    }
}
