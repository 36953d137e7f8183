//! What a message may have of what it asks: what is stored, what holds for this message alone, what is answered and
//! whether the model runs.

use std::borrow::Cow;

use crate::family::{self, Family, effort, model, think, usage};
use crate::pick::{Pick, new_model, pick};
use crate::settings::Setting;
use crate::vocabulary::clears;
use crate::{
    Access, Ask, Change, CommandCall, CommandName, Defaults, Effort, Layers, Level, LevelWord, ModelEntry,
    ModelWant, Once, OnceOverrides, Overrides, Parsed, Profile, Resolved, Scope, Settings, Shape,
    ThinkResolved, Usage, Want, resolve, table,
};

/// Whether the sender is an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
    /// May do everything.
    Yes,
    /// May talk to the bot.
    No,
}

/// What holds while a message is judged.
#[derive(Clone, Copy)]
pub struct Standing<'a> {
    /// Who wrote it.
    pub owner: Owner,
    /// What the sender has stored.
    pub sender: &'a Overrides,
    /// What is stored for the chat.
    pub chat: &'a Overrides,
    /// What is configured.
    pub defaults: &'a Defaults,
    /// The tier that is kept for the whole daemon.
    pub effort: Option<Effort>,
    /// What the model now in force offers.
    pub profile: &'a Profile,
    /// The models that may be picked, in the order of `/model list`; the same that [`crate::Typed`] was given.
    pub models: &'a [ModelEntry],
    /// What a model that is about to be picked offers, and what is configured with it.
    pub with_model: &'a dyn Fn(&str) -> (Profile, Defaults),
}

/// Whether the model gets the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunsModel {
    /// It does.
    Yes,
    /// There is none, or the sender must put something right first.
    No,
}

/// What is to be done about a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The acknowledgement. Send it only after the changes are on disk.
    pub reply: Option<String>,
    /// What to store, for [`Verdict::scope`].
    pub changes: Vec<Change>,
    /// Whose overrides change.
    pub scope: Scope,
    /// What to keep as the tier of the whole daemon, whatever the scope: one, or none from now on.
    pub effort: Option<Option<Effort>>,
    /// What holds for this message alone.
    pub once: OnceOverrides,
    /// Whether the model gets the text.
    pub run: RunsModel,
}

/// Judges a message by the standing of its sender: each family alone, so that what is right applies though something
/// else is refused.
pub fn judge(parsed: &Parsed, standing: &Standing<'_>) -> Verdict {
    if parsed.shape == Shape::Plain {
        return Verdict::empty(parsed);
    }
    if parsed.scope == Scope::Chat && standing.owner == Owner::No && parsed.asks.iter().any(Ask::changes) {
        let reply = Some(restricted("--chat"));
        return Verdict { reply, run: RunsModel::No, ..Verdict::empty(parsed) };
    }
    let pick = pick(parsed, standing);
    let mut bench = Bench::new(parsed, standing, &pick);
    if !parsed.asks.iter().any(|ask| matches!(ask, Ask::Think(_))) {
        bench.tell_of_moved_level(&pick);
    }
    for ask in &parsed.asks {
        bench.ask(ask, &pick);
    }
    let asks_for_model = parsed.asks.iter().any(|ask| matches!(ask, Ask::Model(_)));
    for call in &parsed.commands {
        match new_model(call).filter(|_| !asks_for_model) {
            Some(want) => bench.model(&want, &pick),
            None => bench.command(call),
        }
    }
    let reply = (!bench.replies.is_empty()).then(|| bench.replies.join("\n"));
    Verdict { reply, ..bench.verdict }
}

impl Verdict {
    /// Makes the changes on copies of what is stored.
    pub fn apply(&self, sender: &mut Overrides, chat: &mut Overrides) {
        let overrides = match self.scope {
            Scope::Sender => sender,
            Scope::Chat => chat,
        };
        for change in &self.changes {
            overrides.apply(change);
        }
    }

    fn empty(parsed: &Parsed) -> Self {
        let run = match parsed.shape {
            Shape::DirectiveOnly => RunsModel::No,
            Shape::Plain | Shape::Mixed => RunsModel::Yes,
        };
        let (scope, once) = (parsed.scope, OnceOverrides::default());
        Self { reply: None, changes: Vec::new(), scope, effort: None, once, run }
    }
}

fn restricted(what: &str) -> String {
    format!("❌ {what} is restricted to owners.")
}

/// One message before the judge.
struct Bench<'a> {
    standing: &'a Standing<'a>,
    shape: Shape,
    /// What the model offers that will run.
    profile: Cow<'a, Profile>,
    /// What is configured with that model.
    defaults: Cow<'a, Defaults>,
    /// What holds before the message.
    current: Settings,
    /// What would hold without what the message may clear.
    inherited: Settings,
    replies: Vec<String>,
    verdict: Verdict,
}

impl<'a> Bench<'a> {
    fn new(parsed: &Parsed, standing: &'a Standing<'a>, pick: &Pick) -> Self {
        let (once, nothing) = (OnceOverrides::default(), Overrides::default());
        let layers = Layers {
            once: &once,
            sender: standing.sender,
            chat: standing.chat,
            defaults: standing.defaults,
            effort: standing.effort,
            profile: standing.profile,
        };
        let chat = match parsed.scope {
            Scope::Sender => standing.chat,
            Scope::Chat => &nothing,
        };
        let without = Layers { sender: &nothing, chat, ..layers };
        let owned = |(profile, defaults)| (Cow::Owned(profile), Cow::Owned(defaults));
        let (profile, defaults) = match pick {
            Pick::To(model) => owned((standing.with_model)(model)),
            Pick::Back => owned((standing.with_model)(&resolve(&without).model.value)),
            Pick::Stays | Pick::Refused(_) => {
                (Cow::Borrowed(standing.profile), Cow::Borrowed(standing.defaults))
            }
        };
        Self {
            standing,
            shape: parsed.shape,
            current: resolve(&Layers { profile: &profile, defaults: &defaults, ..layers }),
            inherited: resolve(&Layers { profile: &profile, defaults: &defaults, ..without }),
            profile,
            defaults,
            replies: Vec::new(),
            verdict: Verdict::empty(parsed),
        }
    }

    fn ask(&mut self, ask: &Ask, pick: &Pick) {
        if let Some(word) = self.owners_only(ask) {
            return self.reply(restricted(&format!("/{word}")));
        }
        match ask {
            Ask::Think(want) => {
                self.think(want);
                if !ask.changes() {
                    self.tell_of_moved_level(pick);
                }
            }
            Ask::Fast(want) => self.family(want, self.current.fast, self.inherited.fast),
            Ask::Verbose(want) => self.family(want, self.current.verbose, self.inherited.verbose),
            Ask::Trace(want) => self.family(want, self.current.trace, self.inherited.trace),
            Ask::Reasoning(want) => self.family(want, self.current.reasoning, self.inherited.reasoning),
            Ask::Elevated(want) => self.family(want, self.current.elevated, self.inherited.elevated),
            Ask::Effort(want) => self.effort(want),
            Ask::Model(want) => self.model(want, pick),
            Ask::Queue(want) => self.family(want, self.current.queue, self.inherited.queue),
        }
    }

    /// The directive's word, where the sender may not use it.
    fn owners_only(&self, ask: &Ask) -> Option<&'static str> {
        let spec = table().iter().find(|spec| spec.name == ask.command())?;
        let is_barred = match spec.access {
            Access::Anyone => false,
            Access::OwnerToKeep => ask.changes() && self.shape == Shape::DirectiveOnly,
            Access::Owner => true,
        };
        (is_barred && self.standing.owner == Owner::No).then_some(spec.word)
    }

    fn think(&mut self, want: &Want<LevelWord>) {
        let reply = match want {
            Want::Set(typed) => match self.profile.select(*typed) {
                Some(level) => {
                    self.set(level);
                    think::set_text(&self.profile, level)
                }
                None => {
                    self.verdict.run = RunsModel::No;
                    think::unsupported_text(&self.profile, *typed)
                }
            },
            Want::Clear => {
                self.clear::<Level>();
                think::reset_text(&self.profile, self.inherited.think.level)
            }
            Want::Status => think::status_text(&self.profile, self.current.think),
            Want::Show { near } => think::show_text(&self.profile, self.current.think, *near),
            Want::Unknown { word, near } => think::unknown_text(&self.profile, word, *near),
        };
        self.reply(reply);
    }

    /// Says so when the stored level means another one on the model that was picked. The stored level stays.
    fn tell_of_moved_level(&mut self, pick: &Pick) {
        let stored = self.standing.sender.think.or(self.standing.chat.think);
        let is_new = matches!(pick, Pick::To(_) | Pick::Back);
        let moves = |level: &Level| self.profile.clamp(*level) != self.standing.profile.clamp(*level);
        if let Some(level) = stored.filter(|level| is_new && moves(level)) {
            self.reply(think::moved_text(&self.profile, level));
        }
    }

    /// Alone, a tier is kept for everybody; with a text it is for that text.
    fn effort(&mut self, want: &Want<Effort>) {
        let (kept, think) = (self.standing.effort, self.current.think);
        let reply = match want {
            Want::Set(tier) => {
                let think = self.tier(Some(*tier), Once::Set(*tier));
                let is_heard = think.effort.is_some();
                let overruled =
                    if is_heard { String::new() } else { effort::overruled_text(&self.profile, think) };
                effort::set_text(*tier) + &overruled
            }
            Want::Clear => {
                let think = self.tier(None, Once::Inherit);
                effort::reset_text(&self.profile, think)
            }
            Want::Status => effort::status_text(&self.profile, kept, think),
            Want::Show { near } => effort::show_text(&self.profile, kept, think, *near),
            Want::Unknown { word, near } => effort::unknown_text(word, *near),
        };
        self.reply(reply);
    }

    /// Grants a tier; gives the level that comes of it, with whatever else was granted before.
    fn tier(&mut self, kept: Option<Effort>, once: Once<Effort>) -> ThinkResolved {
        let (mut sender, mut chat) = (self.standing.sender.clone(), self.standing.chat.clone());
        self.verdict.apply(&mut sender, &mut chat);
        let mut effort = self.standing.effort;
        if self.shape == Shape::DirectiveOnly {
            effort = kept;
            self.verdict.effort = Some(kept);
        } else {
            self.verdict.once.effort = Some(once);
        }
        let (once, defaults) = (&self.verdict.once, &*self.defaults);
        let layers = Layers { once, sender: &sender, chat: &chat, defaults, effort, profile: &self.profile };
        resolve(&layers).think
    }

    fn family<T: Family>(&mut self, want: &Want<T>, current: Resolved<T>, inherited: Resolved<T>) {
        let status = || family::current(T::NOUN, current.value.shown(&self.defaults), current.source);
        let reply = match want {
            Want::Set(value) => {
                self.set(*value);
                value.set_text()
            }
            Want::Clear => {
                self.clear::<T>();
                T::reset_text(inherited.value)
            }
            Want::Status => status(),
            Want::Show { near } => {
                format!("{}\n{}{}", status(), family::options(&T::options()), family::did_you_mean(*near))
            }
            Want::Unknown { word, near } => {
                let hint = family::did_you_mean(*near);
                family::unrecognized(T::NOUN, word, T::KINDS, &T::options()) + &hint
            }
        };
        self.reply(reply);
    }

    fn model(&mut self, want: &ModelWant, pick: &Pick) {
        let reply = match (pick, want) {
            (Pick::To(reference), _) => {
                self.verdict.changes.push(Change::Model(Some(reference.clone())));
                model::set_text(reference)
            }
            (Pick::Back, _) => {
                self.verdict.changes.push(Change::Model(None));
                model::reset_text(&self.inherited.model.value)
            }
            (Pick::Refused(answer), _) => {
                self.verdict.run = RunsModel::No;
                answer.clone()
            }
            (Pick::Stays, ModelWant::List) => self.models(),
            (Pick::Stays, _) => model::show_text(&self.current.model),
        };
        self.reply(reply);
    }

    /// Two commands are settings by nature and answered here; the others are the engine's.
    fn command(&mut self, call: &CommandCall) {
        if call.name == CommandName::Models {
            self.reply(self.models());
        } else if call.name == CommandName::Usage {
            self.usage(call.argument.as_deref());
        }
    }

    fn models(&self) -> String {
        model::list_text(self.standing.models, &self.current.model)
    }

    fn usage(&mut self, word: Option<&str>) {
        let reply = match word {
            None => usage::show_text(self.current.usage),
            Some(word) if clears(word) => {
                self.verdict.changes.push(Change::Usage(None));
                usage::reset_text(self.inherited.usage.value)
            }
            Some(word) => match Usage::normalise(word) {
                Some(value) => {
                    self.verdict.changes.push(Change::Usage(Some(value)));
                    usage::set_text(value)
                }
                None => usage::unknown_text(word),
            },
        };
        self.reply(reply);
    }

    fn set<T: Setting>(&mut self, value: T) {
        self.grant(Some(value), Once::Set(value));
    }

    fn clear<T: Setting>(&mut self) {
        self.grant::<T>(None, Once::Inherit);
    }

    /// Alone, a wish is stored; with a text it is for that text. `--chat` always asks for the former too.
    fn grant<T: Setting>(&mut self, stored: Option<T>, once: Once<T>) {
        if self.shape == Shape::DirectiveOnly || self.verdict.scope == Scope::Chat {
            self.verdict.changes.push(T::change(stored));
        }
        if self.shape == Shape::Mixed {
            T::set_once(&mut self.verdict.once, once);
        }
    }

    fn reply(&mut self, reply: String) {
        self.replies.push(reply);
    }
}
