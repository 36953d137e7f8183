//! What may be shown at this moment: the settings that hold now, as far as the place and the occasion let them.

use pensive_contract::inbound::ChatKind;
use pensive_contract::outward::Tempo;
use pensive_directives::{Level, Reasoning, Settings, Source, Verbose};

use super::Over;
use crate::settings::Streaming;

/// Why a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// Somebody asked, and waits.
    Asked,
    /// A heartbeat, a schedule or another run asked: nothing of the work is shown, only what comes of it.
    Background,
}

/// Where a run is shown; does not change while it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scene {
    pub(crate) occasion: Occasion,
    pub(crate) kind: ChatKind,
    /// What the configuration of this very chat says of bubbles.
    pub(crate) verbose_here: Option<Verbose>,
    /// Whether the configuration of this very chat lets reasoning be shown, where several people read it.
    pub(crate) reasoning_here: bool,
    /// How answers are shown while they are made.
    pub(crate) streaming: Streaming,
}

/// Why an answer is not shown while it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoPreviews {
    /// The configuration of the channel says so.
    SwitchedOff,
    /// Nobody waits for it.
    Background,
    /// The channel or the chat has no way to.
    Unable,
}

/// What may be shown now. Made anew for each event: people change their minds during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct View {
    /// Which bubbles.
    pub(crate) verbose: Verbose,
    /// Whether reasoning.
    pub(crate) reasoning: Reasoning,
    /// How fast answers in the making.
    pub(crate) previews: Result<Tempo, NoPreviews>,
    /// In which form.
    pub(crate) streaming: Streaming,
}

impl View {
    /// What becomes of a preview that stands when a message goes out.
    pub(crate) fn over(&self) -> Over {
        match self.streaming {
            Streaming::Progress => Over::Beside,
            Streaming::Off | Streaming::Partial | Streaming::Block => Over::Standing,
        }
    }

    /// Under these settings in this scene; `tempo` is how the chat takes previews now.
    pub(crate) fn new(settings: &Settings, scene: &Scene, tempo: Option<Tempo>) -> Self {
        let previews = match (scene.occasion, scene.streaming) {
            (Occasion::Background, _) => Err(NoPreviews::Background),
            (Occasion::Asked, Streaming::Off) => Err(NoPreviews::SwitchedOff),
            (Occasion::Asked, Streaming::Partial | Streaming::Block | Streaming::Progress) => {
                tempo.ok_or(NoPreviews::Unable)
            }
        };
        Self {
            verbose: verbose(settings, scene),
            reasoning: reasoning(settings, scene),
            previews,
            streaming: scene.streaming,
        }
    }
}

/// Among several people bubbles need somebody who asked for them there: a default that came from elsewhere opens nothing.
fn verbose(settings: &Settings, scene: &Scene) -> Verbose {
    let is_explicit = match settings.verbose.source {
        Source::Message | Source::Session => true,
        Source::Agent
        | Source::Model
        | Source::Global
        | Source::Effort
        | Source::Provider
        | Source::BuiltIn => scene.verbose_here.is_some(),
    };
    let opens = match scene.kind {
        ChatKind::Direct => true,
        ChatKind::Group | ChatKind::Channel => is_explicit,
    };
    match scene.occasion {
        Occasion::Asked if opens => settings.verbose.value,
        Occasion::Asked | Occasion::Background => Verbose::Off,
    }
}

/// What was not thought on purpose is not shown as a thought, and where several people read the chat's rule decides.
fn reasoning(settings: &Settings, scene: &Scene) -> Reasoning {
    let opens = match scene.kind {
        ChatKind::Direct => true,
        ChatKind::Group | ChatKind::Channel => scene.reasoning_here,
    };
    if opens && settings.think.level != Level::Off { settings.reasoning.value } else { Reasoning::Off }
}
