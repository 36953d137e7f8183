//! One message before the judge: each wish is granted or refused by itself, and each gets its answer.

use std::borrow::Cow;

use crate::family::{self, Family, effort, model, think, usage};
use crate::judge::restricted;
use crate::pick::Pick;
use crate::settings::Setting;
use crate::vocabulary::clears;
use crate::{
    Access, Ask, Change, CommandCall, CommandName, Defaults, Effort, Layers, Level, LevelWord, ModelWant,
    Once, OnceOverrides, Overrides, Owner, Parsed, Profile, Resolved, RunsModel, Scope, Settings, Shape,
    Standing, ThinkResolved, Usage, Verdict, Want, resolve, table,
};

/// What is known of the message, and what has come of it so far.
pub(crate) struct Bench<'a> {
    pub(crate) standing: &'a Standing<'a>,
    shape: Shape,
    /// What the model offers that will run.
    pub(crate) profile: Cow<'a, Profile>,
    /// What is configured with that model.
    pub(crate) defaults: Cow<'a, Defaults>,
    /// What holds before the message.
    pub(crate) current: Settings,
    /// What would hold without what the message may clear.
    pub(crate) inherited: Settings,
    replies: Vec<String>,
    pub(crate) verdict: Verdict,
}

impl<'a> Bench<'a> {
    pub(crate) fn new(parsed: &Parsed, standing: &'a Standing<'a>, pick: &Pick) -> Self {
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

    /// One family's wish.
    pub(crate) fn ask(&mut self, ask: &Ask, pick: &Pick) {
        if let Some(word) = self.owners_only(ask) {
            return self.reply(restricted(&format!("/{word}")));
        }
        if self.shape == Shape::DirectiveOnly {
            self.verdict.pickers.extend(self.offer(ask));
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
    pub(crate) fn tell_of_moved_level(&mut self, pick: &Pick) {
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

    /// What came of the pick, which was settled before.
    pub(crate) fn model(&mut self, want: &ModelWant, pick: &Pick) {
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
    pub(crate) fn command(&mut self, call: &CommandCall) {
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
            None => {
                self.verdict.pickers.extend(self.offer_usage());
                usage::show_text(self.current.usage)
            }
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

    /// Ends with one acknowledgement of all that was said.
    pub(crate) fn rise(self) -> Verdict {
        let reply = (!self.replies.is_empty()).then(|| self.replies.join("\n"));
        Verdict { reply, ..self.verdict }
    }
}
