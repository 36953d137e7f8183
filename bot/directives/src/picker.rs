//! What a channel with buttons offers below the answer to a bare directive: its values, so that one can be had with a
//! touch. To press one is to send the directive with its word.

use crate::bench::Bench;
use crate::family::{Family, effort};
use crate::vocabulary::{Vocabulary, words};
use crate::{
    Ask, CommandName, Effort, Layers, Level, ModelWant, Once, OnceOverrides, Owner, Resolved, Scope, Source,
    Usage, Want, resolve, table,
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
    /// Who says what holds, where that is a question.
    pub source: Option<Source>,
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
        Some(Self { directive, choices, current, source: None })
    }

    fn from(self, source: Source) -> Self {
        Self { source: Some(source), ..self }
    }

    /// The choices, each with its place, that fit what somebody has begun to type: those that begin so, then levels
    /// that another word for them does, then those that hold it. Case does not matter.
    pub fn fitting(&self, typed: &str) -> Vec<(usize, &Choice)> {
        let typed = typed.trim().to_lowercase();
        let fits = |(place, choice)| Some((self.fit(choice, &typed)?, (place, choice)));
        let mut ranked: Vec<_> = self.choices.iter().enumerate().filter_map(fits).collect();
        ranked.sort_by_key(|(fit, _)| *fit);
        ranked.into_iter().map(|(_, placed)| placed).collect()
    }

    fn fit(&self, choice: &Choice, typed: &str) -> Option<Fit> {
        let is = |name| table().iter().any(|spec| spec.name == name && spec.word == self.directive);
        // What a level is offered for is not what it is called.
        let reference = choice.model.as_ref().filter(|_| is(CommandName::Model));
        let names = [&choice.label, &choice.word].into_iter().chain(reference);
        let spells =
            |(spelling, level): (&str, Level)| level.name() == choice.word && spelling.starts_with(typed);
        let spelled = (is(CommandName::Think) && Level::spellings().any(spells)).then_some(Fit::Means);
        names.filter_map(|name| fit(&name.to_lowercase(), typed)).chain(spelled).min()
    }
}

/// How well a name fits what was typed; the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Begins,
    Means,
    Holds,
}

fn fit(name: &str, typed: &str) -> Option<Fit> {
    match name.find(typed)? {
        0 => Some(Fit::Begins),
        _ => Some(Fit::Holds),
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
        let picker = Picker::of(CommandName::Usage, choices, |choice| choice.word == now.name())?;
        Some(picker.from(self.current.usage.source))
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
        let picker = Picker::of(CommandName::Think, choices, |choice| choice.word == now.name())?;
        Some(picker.from(self.current.think.source))
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
        let picker = Picker::of(CommandName::Model, choices, |choice| choice.model.as_ref() == Some(now))?;
        Some(picker.from(self.current.model.source))
    }
}

/// Values that no model changes. A value may have more behind its word, as a queue mode has its options.
fn family<T: Family>(ask: &Ask, now: Resolved<T>, inherited: Resolved<T>) -> Option<Picker> {
    let choices = T::words().into_iter().map(Choice::plain);
    let choices = choices.chain([Choice::default(inherited.value)]).collect();
    let (now, source) = (now.value.to_string(), now.source);
    let picker = Picker::of(ask.command(), choices, |choice| now.split(' ').next() == Some(&choice.word))?;
    Some(picker.from(source))
}
