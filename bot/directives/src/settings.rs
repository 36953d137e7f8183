//! The layers in which settings live: what a message asks for, what people have stored and what was configured. The
//! order between them is `resolve`'s business.

use crate::{Effort, Elevated, Fast, Level, Queue, Reasoning, Trace, Usage, Verbose};

/// Which layer a value came from; shown in `/status` and in brackets after a current value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// Typed in the message that is being answered.
    Message,
    /// Stored by the sender, or for the whole chat.
    Session,
    /// The agent's own default.
    Agent,
    /// A parameter of the model's configuration entry.
    Model,
    /// The default for all agents.
    Global,
    /// The daemon-wide effort tier.
    Effort,
    /// What the model's vendor does when nothing is said.
    Provider,
    /// Ours, where nobody else said anything.
    BuiltIn,
}

impl Source {
    /// The words that people see after `from`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Message => "this message",
            Self::Session => "session",
            Self::Agent => "agent default",
            Self::Model => "model default",
            Self::Global => "global default",
            Self::Effort => "effort",
            Self::Provider => "provider default",
            Self::BuiltIn => "built-in",
        }
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.words())
    }
}

/// Who a stored change is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The person who typed it.
    #[default]
    Sender,
    /// Everybody in the chat who has nothing of their own: `--chat`.
    Chat,
}

/// One write to a set of overrides; `None` gives the override up. `off` is a value like any other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// How hard the model thinks.
    Think(Option<Level>),
    /// The provider's fast lane.
    Fast(Option<Fast>),
    /// How much of the work is shown.
    Verbose(Option<Verbose>),
    /// Plugins' trace lines.
    Trace(Option<Trace>),
    /// Whether the model's reasoning is shown.
    Reasoning(Option<Reasoning>),
    /// Whether tools may leave the sandbox.
    Elevated(Option<Elevated>),
    /// The model, as `provider/model`.
    Model(Option<String>),
    /// What happens to a message that arrives during a run.
    Queue(Option<Queue>),
    /// The usage line under answers.
    Usage(Option<Usage>),
}

/// What a sender, or a chat, has stored. A field that is `None` inherits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The level as it was typed; a model that lacks it clamps it, and the stored value stays.
    pub think: Option<Level>,
    /// See [`Fast`].
    pub fast: Option<Fast>,
    /// See [`Verbose`].
    pub verbose: Option<Verbose>,
    /// See [`Trace`].
    pub trace: Option<Trace>,
    /// See [`Reasoning`].
    pub reasoning: Option<Reasoning>,
    /// See [`Elevated`].
    pub elevated: Option<Elevated>,
    /// A full reference, `provider/model`; never an alias, which may come to mean something else.
    pub model: Option<String>,
    /// See [`Queue`].
    pub queue: Option<Queue>,
    /// See [`Usage`].
    pub usage: Option<Usage>,
}

impl Overrides {
    /// Writes one change.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Think(level) => self.think = *level,
            Change::Fast(fast) => self.fast = *fast,
            Change::Verbose(verbose) => self.verbose = *verbose,
            Change::Trace(trace) => self.trace = *trace,
            Change::Reasoning(reasoning) => self.reasoning = *reasoning,
            Change::Elevated(elevated) => self.elevated = *elevated,
            Change::Model(model) => self.model.clone_from(model),
            Change::Queue(queue) => self.queue = *queue,
            Change::Usage(usage) => self.usage = *usage,
        }
    }
}

/// What a message with text wants for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Once<T> {
    /// This value, whatever is stored.
    Set(T),
    /// What would hold had the sender stored nothing.
    Inherit,
}

/// The settings of one message. A model pick is not among them: it is always stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OnceOverrides {
    /// See [`Level`].
    pub think: Option<Once<Level>>,
    /// See [`Fast`].
    pub fast: Option<Once<Fast>>,
    /// See [`Verbose`].
    pub verbose: Option<Once<Verbose>>,
    /// See [`Trace`].
    pub trace: Option<Once<Trace>>,
    /// See [`Reasoning`].
    pub reasoning: Option<Once<Reasoning>>,
    /// See [`Elevated`].
    pub elevated: Option<Once<Elevated>>,
    /// See [`Effort`].
    pub effort: Option<Once<Effort>>,
    /// See [`Queue`].
    pub queue: Option<Once<Queue>>,
}

/// What is configured for this agent, model and chat: the caller has looked the layers up and lists them highest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defaults {
    /// See [`Level`].
    pub think: Vec<(Source, Level)>,
    /// See [`Fast`].
    pub fast: Vec<(Source, Fast)>,
    /// See [`Verbose`].
    pub verbose: Vec<(Source, Verbose)>,
    /// See [`Trace`].
    pub trace: Vec<(Source, Trace)>,
    /// See [`Reasoning`].
    pub reasoning: Vec<(Source, Reasoning)>,
    /// See [`Elevated`].
    pub elevated: Vec<(Source, Elevated)>,
    /// See [`Queue`].
    pub queue: Vec<(Source, Queue)>,
    /// How long a run stays fast under [`Fast::Auto`].
    pub fast_cutoff_seconds: u32,
    /// The model where nobody picked one, `provider/model`.
    pub model: String,
    /// Who says so.
    pub model_source: Source,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            think: Vec::new(),
            fast: Vec::new(),
            verbose: Vec::new(),
            trace: Vec::new(),
            reasoning: Vec::new(),
            elevated: Vec::new(),
            queue: Vec::new(),
            fast_cutoff_seconds: 60,
            model: String::new(),
            model_source: Source::Global,
        }
    }
}

/// Where the values of one family stand in each layer.
pub(crate) trait Setting: Copy + 'static {
    fn change(value: Option<Self>) -> Change;
    fn stored(overrides: &Overrides) -> Option<Self>;
    fn once(once: &OnceOverrides) -> Option<Once<Self>>;
    fn set_once(once: &mut OnceOverrides, want: Once<Self>);
    fn configured(defaults: &Defaults) -> &[(Source, Self)];
}

macro_rules! setting {
    ($($family:ident in $field:ident as $change:ident;)+) => {$(
        impl Setting for $family {
            fn change(value: Option<Self>) -> Change {
                Change::$change(value)
            }
            fn stored(overrides: &Overrides) -> Option<Self> {
                overrides.$field
            }
            fn once(once: &OnceOverrides) -> Option<Once<Self>> {
                once.$field
            }
            fn set_once(once: &mut OnceOverrides, want: Once<Self>) {
                once.$field = Some(want);
            }
            fn configured(defaults: &Defaults) -> &[(Source, Self)] {
                &defaults.$field
            }
        }
    )+};
}

setting! {
    Level in think as Think;
    Fast in fast as Fast;
    Verbose in verbose as Verbose;
    Trace in trace as Trace;
    Reasoning in reasoning as Reasoning;
    Elevated in elevated as Elevated;
    Queue in queue as Queue;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_touches_its_own_field() {
        let mut stored = Overrides { fast: Some(Fast::Auto), ..Overrides::default() };
        stored.apply(&Change::Think(Some(Level::Off)));
        stored.apply(&Change::Model(Some("prov/model".into())));
        stored.apply(&Change::Usage(Some(Usage::Full)));
        let expected = Overrides {
            think: Some(Level::Off),
            fast: Some(Fast::Auto),
            model: Some("prov/model".into()),
            usage: Some(Usage::Full),
            ..Overrides::default()
        };
        assert_eq!(stored, expected);
        for change in [Change::Think(None), Change::Fast(None), Change::Model(None), Change::Usage(None)] {
            stored.apply(&change);
        }
        assert_eq!(stored, Overrides::default());
    }
}
