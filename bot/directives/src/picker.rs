//! What a channel with buttons offers below the answer to a bare directive: its values, so that one can be had with a
//! touch. To press one is to send the directive with its word.

use crate::bench::Bench;
use crate::family::{Family, effort};
use crate::vocabulary::words;
use crate::{
    Ask, CommandName, Effort, Layers, ModelWant, Once, OnceOverrides, Owner, Resolved, Scope, Usage, Want,
    resolve, table,
};

/// The values of one family, to be picked from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picker {
    /// The directive's word, without its slash.
    pub directive: &'static str,
    /// What there is, the way back to the inherited value last.
    pub choices: Vec<Choice>,
    /// Which of them holds, by its place; nothing where what holds is none of them.
    pub current: Option<usize>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What people read.
    pub label: String,
    /// What is typed behind the directive to the same end.
    pub word: String,
    /// The model that makes it what it is, `provider/model`; with another it means something else, or nothing.
    pub model: Option<String>,
}

const DEFAULT: &str = "default";

impl Choice {
    fn plain(word: &str) -> Self {
        Self { label: word.to_owned(), word: word.to_owned(), model: None }
    }

    /// Back to what is inherited.
    fn default(inherited: impl std::fmt::Display) -> Self {
        Self { label: format!("Default ({inherited})"), ..Self::plain(DEFAULT) }
    }
}

impl Picker {
    fn of(name: CommandName, choices: Vec<Choice>, is_current: impl FnMut(&Choice) -> bool) -> Option<Self> {
        let directive = table().iter().find(|spec| spec.name == name)?.word;
        let current = choices.iter().position(is_current);
        Some(Self { directive, choices, current })
    }
}

impl Bench<'_> {
    /// What can be picked where a wish only asks what holds.
    pub(crate) fn offer(&self, ask: &Ask) -> Option<Picker> {
        if self.verdict.scope == Scope::Chat {
            return None;
        }
        let (now, inherited) = (&self.current, &self.inherited);
        match ask {
            Ask::Think(Want::Show { .. }) => self.levels(),
            Ask::Fast(Want::Show { .. }) => family(ask, now.fast, inherited.fast),
            Ask::Verbose(Want::Show { .. }) => family(ask, now.verbose, inherited.verbose),
            Ask::Trace(Want::Show { .. }) => family(ask, now.trace, inherited.trace),
            Ask::Reasoning(Want::Show { .. }) => family(ask, now.reasoning, inherited.reasoning),
            Ask::Elevated(Want::Show { .. }) => family(ask, now.elevated, inherited.elevated),
            Ask::Effort(Want::Show { .. }) => self.tiers(),
            Ask::Model(ModelWant::Show) => self.model_choices(),
            Ask::Queue(Want::Show { .. }) => family(ask, now.queue, inherited.queue),
            Ask::Think(_)
            | Ask::Fast(_)
            | Ask::Verbose(_)
            | Ask::Trace(_)
            | Ask::Reasoning(_)
            | Ask::Elevated(_)
            | Ask::Effort(_)
            | Ask::Model(_)
            | Ask::Queue(_) => None,
        }
    }

    /// The kinds of usage lines.
    pub(crate) fn offer_usage(&self) -> Option<Picker> {
        let now = self.current.usage.value;
        let words = words::<Usage>().into_iter().map(Choice::plain);
        let choices = words.chain([Choice::default(self.inherited.usage.value)]).collect();
        Picker::of(CommandName::Usage, choices, |choice| choice.word == now.name())
    }

    /// The levels of the model that will run, by the words that it is known to have for them.
    fn levels(&self) -> Option<Picker> {
        let profile = &self.profile;
        let level = |choice: &crate::LevelChoice| Choice {
            label: profile.label(choice.level).to_owned(),
            word: choice.level.name().to_owned(),
            model: Some(profile.model.clone()),
        };
        let default = Choice::default(profile.label(self.inherited.think.level));
        let choices = profile.levels.iter().map(level).chain([default]).collect();
        let now = self.current.think.level;
        Picker::of(CommandName::Think, choices, |choice| choice.word == now.name())
    }

    /// The tiers, each with what the model makes of it; for those who may keep one.
    fn tiers(&self) -> Option<Picker> {
        let standing = self.standing;
        if standing.owner == Owner::No {
            return None;
        }
        let tier = |tier: &Effort| Choice {
            label: effort::choice(&self.profile, *tier),
            word: tier.name().to_owned(),
            model: Some(self.profile.model.clone()),
        };
        let once = OnceOverrides { effort: Some(Once::Inherit), ..OnceOverrides::default() };
        let bare = resolve(&Layers {
            once: &once,
            sender: standing.sender,
            chat: standing.chat,
            defaults: &self.defaults,
            effort: None,
            profile: &self.profile,
        });
        let default = Choice::default(self.profile.label(bare.think.level));
        let choices = Effort::ALL.iter().map(tier).chain([default]).collect();
        let kept = standing.effort.map_or(DEFAULT, Effort::name);
        Picker::of(CommandName::Effort, choices, |choice| choice.word == kept)
    }

    /// The models, by the numbers that they have in the list.
    fn model_choices(&self) -> Option<Picker> {
        let numbered = self.standing.models.iter().zip(1..);
        let choice = |(entry, number): (&crate::ModelEntry, usize)| Choice {
            label: entry.alias.as_ref().unwrap_or(&entry.reference).clone(),
            word: number.to_string(),
            model: Some(entry.reference.clone()),
        };
        let default = Choice::default(&self.inherited.model.value);
        let choices = numbered.map(choice).chain([default]).collect();
        let now = &self.current.model.value;
        Picker::of(CommandName::Model, choices, |choice| choice.model.as_ref() == Some(now))
    }
}

/// Values that no model changes. A value may have more behind its word, as a queue mode has its options.
fn family<T: Family>(ask: &Ask, now: Resolved<T>, inherited: Resolved<T>) -> Option<Picker> {
    let choices = T::words().into_iter().map(Choice::plain);
    let choices = choices.chain([Choice::default(inherited.value)]).collect();
    let now = now.value.to_string();
    Picker::of(ask.command(), choices, |choice| now.split(' ').next() == Some(&choice.word))
}
