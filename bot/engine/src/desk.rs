//! What is to be done about one message: a decision over the session as it stands, without any effect. The lane acts
//! on it.

use std::sync::Arc;
use std::time::Duration;

use pensive_contract::ids::Ticket;
use pensive_contract::inbound::{Attachment, TypedText};
use pensive_contract::model::{Manner, ModelRef};
use pensive_contract::outward::{Button, Finality};
use pensive_contract::session::SessionRecord;
use pensive_contract::store::{InboxState, OutboxKind};
use pensive_directives::{
    Addressee, Change, CommandCall, CommandName, Effort, Layers, OnceOverrides, Overrides, Parsed, Picker,
    RunsModel, Scope, Settings, Shape, Standing, Typed, Verdict, judge, parse, resolve,
};

use crate::access::{Authority, owner};
use crate::approval::Ruling;
use crate::core::{Core, Letter};
use crate::effort::Clamp;
use crate::lane::Job;
use crate::media::{self, Means};
use crate::picker::Shown;
use crate::route;
use crate::run::Pending;
use crate::status::{self, Busy, View};

/// What the lane must do besides writing and sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Control {
    /// Nothing.
    None,
    /// End the run and forget the queue.
    Stop,
    /// The same, and begin a new session.
    Renew,
    /// Answer the oldest question of the run.
    Rule(Ruling),
}

/// What is to be done about a message.
pub(crate) struct Decision {
    /// Changes of overrides, to be on disk before any letter goes out.
    pub(crate) changes: Vec<Change>,
    /// Whose overrides change.
    pub(crate) scope: Scope,
    /// The tier of the whole daemon from now on, to be on disk as well; none where it is given up.
    pub(crate) effort: Option<Option<Effort>>,
    /// What the letters tell of a tier that the model lacks, and need not tell again.
    pub(crate) clamp: Option<Clamp>,
    /// What to answer at once, in order.
    pub(crate) letters: Vec<Letter>,
    /// The run, where there is one.
    pub(crate) run: Option<Pending>,
    /// What else.
    pub(crate) control: Control,
}

impl Decision {
    /// Leaves only the run: the rest was done before a restart.
    pub(crate) fn heeded(self) -> Self {
        let (changes, letters) = (Vec::new(), Vec::new());
        Self { changes, effort: None, clamp: None, letters, control: Control::None, ..self }
    }
}

/// Everything a decision looks at.
#[derive(Clone, Copy)]
pub(crate) struct Desk<'a> {
    pub(crate) core: &'a Core,
    pub(crate) job: &'a Job,
    pub(crate) record: Option<&'a SessionRecord>,
    pub(crate) busy: Busy,
}

/// What a bare directive is answered.
pub(crate) struct Offer {
    pub(crate) text: String,
    /// What can be picked, where the sender may.
    pub(crate) picker: Option<Picker>,
}

/// What is stored and applies to the sender of a message.
struct Stored {
    sender: Overrides,
    chat: Overrides,
    effort: Option<Effort>,
}

/// What holds under what is stored.
struct Held {
    model: ModelRef,
    settings: Settings,
    fast_cutoff: Duration,
    effort: Option<Effort>,
    /// The line about a tier that the model lacks.
    clamped: Option<String>,
}

impl Desk<'_> {
    /// Decides about a message whose text is `typed`.
    pub(crate) fn decide(&self, ticket: Ticket, typed: &TypedText, attachments: &[Attachment]) -> Decision {
        let parsed = self.job.parsed.clone().unwrap_or_else(|| plain(&typed.text));
        let renews = |call: &&CommandCall| matches!(call.name, CommandName::New | CommandName::Reset);
        match parsed.commands.iter().find(renews) {
            Some(call) => self.renew(ticket, &parsed, call, attachments),
            None => self.settle(ticket, parsed, attachments, None),
        }
    }

    /// Decides within the session as it stands. `news` stands in front of the acknowledgement.
    fn settle(
        &self,
        ticket: Ticket,
        parsed: Parsed,
        attachments: &[Attachment],
        news: Option<String>,
    ) -> Decision {
        let stored = self.stored();
        let verdict = self.judge(&parsed, &stored);
        let held = self.held(stored, &verdict);
        let stops = parsed.commands.iter().any(|call| call.name == CommandName::Stop);
        let welcome = media::welcome(attachments, self.means(&held.model));
        // Directives alone are no message, but a picture below them is.
        let says = verdict.run == RunsModel::Yes && !parsed.text.trim().is_empty();
        let runs = !stops && (says || welcome.usable);
        let changes = !verdict.changes.is_empty() || verdict.effort.is_some();
        let (clamp, clamped) = self.clamp(&held).filter(|_| runs || changes).unzip();
        let told: Vec<String> = news.into_iter().chain(verdict.reply.clone()).chain(clamped).collect();
        let mut letters = Vec::new();
        if !told.is_empty() {
            let letter = Letter::plain(OutboxKind::Acknowledgement, told.join("\n"));
            letters.push(Letter { buttons: self.buttons(&parsed, &verdict.pickers), ..letter });
        }
        letters.extend(parsed.commands.iter().filter_map(|call| self.answer(call, &held)));
        letters.extend(welcome.line.map(|line| Letter::plain(OutboxKind::Acknowledgement, line)));
        let run = runs.then(|| self.pending(ticket, parsed.text, verdict.once, held));
        if run.is_none()
            && let Some(last) = letters.last_mut()
        {
            last.finality = Finality::Last;
        }
        let ruling = parsed.commands.iter().find_map(ruling);
        let control = match ruling {
            _ if stops => Control::Stop,
            Some(ruling) => Control::Rule(ruling),
            None => Control::None,
        };
        let Verdict { changes, scope, effort, .. } = verdict;
        Decision { changes, scope, effort, clamp, letters, run, control }
    }

    /// What can be picked below the answer to a message that asks one thing and nothing else, where the channel has buttons.
    fn buttons(&self, parsed: &Parsed, pickers: &[Picker]) -> Vec<Button> {
        let outward = self.core.ports.outward.get(&self.job.inbound.place.account);
        let has_buttons = outward.is_some_and(|outward| outward.presses.is_some());
        match pickers {
            [picker] if has_buttons && parsed.asks.len() + parsed.commands.len() == 1 => {
                let who = &self.job.inbound.sender.id;
                self.core.signet.buttons(Shown { session: &self.job.route.key, who }, picker, None)
            }
            _ => Vec::new(),
        }
    }

    /// What a bare directive is answered at this moment.
    pub(crate) fn offer(&self, directive: &str) -> Offer {
        let text = format!("/{directive}");
        let parsed =
            parse(&Typed { text: &text, models: self.core.ports.model.entries(), ..Typed::default() });
        let Verdict { reply, mut pickers, .. } = self.judge(&parsed, &self.stored());
        Offer { text: reply.unwrap_or_default(), picker: pickers.pop() }
    }

    /// What is stored and applies to this sender: overrides of their own only for somebody who may direct.
    fn stored(&self) -> Stored {
        let effort = self.core.effort.tier();
        let chat = self.record.map(|record| record.chat.clone()).unwrap_or_default();
        match self.job.authority {
            Authority::Directs => {
                let own = self.record.map(|record| record.overrides_of(&self.job.route.holder));
                Stored { sender: own.unwrap_or_default(), chat, effort }
            }
            // What shows the model's work never applies to those who may not ask for it.
            Authority::Speaks => {
                let chat = Overrides { reasoning: None, verbose: None, trace: None, ..chat };
                Stored { sender: Overrides::default(), chat, effort }
            }
        }
    }

    /// What is to be told of a tier that the model lacks: once in each chat, and to nobody who could not set one.
    fn clamp(&self, held: &Held) -> Option<(Clamp, String)> {
        let tier = held.settings.think.effort.filter(|_| self.job.authority == Authority::Directs)?;
        let place = &self.job.inbound.place;
        let chat = (place.account.clone(), place.chat.clone());
        let clamp = Clamp { chat, model: held.model.clone(), tier };
        let words = held.clamped.clone()?;
        (!self.core.effort.is_told(&clamp)).then_some((clamp, words))
    }

    fn judge(&self, parsed: &Parsed, stored: &Stored) -> Verdict {
        let Stored { sender, chat, effort } = stored;
        let ports = &self.core.ports;
        let place = &self.job.inbound.place;
        let agent = &self.job.route.agent;
        let model = route::model_in_force(agent, sender, chat);
        let with_model = |model: &ModelRef| {
            (
                self.core.profile(agent, model),
                route::defaults(&self.core.settings, agent, model, &self.job.inbound),
            )
        };
        let (profile, defaults) = with_model(&model);
        judge(
            parsed,
            &Standing {
                owner: owner(&self.core.settings, &place.account, &self.job.inbound.sender),
                sender,
                chat,
                defaults: &defaults,
                effort: *effort,
                profile: &profile,
                models: ports.model.entries(),
                with_model: &|reference| {
                    with_model(&ModelRef::parse(reference).unwrap_or_else(|| agent.model.clone()))
                },
            },
        )
    }

    /// What holds once the changes are made.
    fn held(&self, mut stored: Stored, verdict: &Verdict) -> Held {
        verdict.apply(&mut stored.sender, &mut stored.chat);
        stored.effort = verdict.effort.unwrap_or(stored.effort);
        hold(self.core, self.job, &stored, &verdict.once)
    }

    /// With what attachments can be met here.
    fn means<'b>(&'b self, model: &'b ModelRef) -> Means<'b> {
        let ports = &self.core.ports;
        let outward = ports.outward.get(&self.job.inbound.place.account);
        let fetches = outward.is_some_and(|outward| outward.attachments.is_some());
        Means { model, takes: ports.model.limits(model).takes, ears: media::ears(self.core), fetches }
    }

    fn pending(&self, ticket: Ticket, text: String, once: OnceOverrides, held: Held) -> Pending {
        Pending {
            tickets: self.job.earlier.iter().copied().chain([ticket]).collect(),
            inbound: self.job.inbound.clone(),
            text,
            parts: self.job.parts.clone(),
            said: Arc::default(),
            once,
            settings: held.settings,
            model: held.model,
            fast_cutoff: held.fast_cutoff,
            route: self.job.route.clone(),
            authority: self.job.authority,
        }
    }

    /// The answer to a command that is not the lane's.
    fn answer(&self, call: &CommandCall, held: &Held) -> Option<Letter> {
        let text = match call.name {
            CommandName::Status => status::status(&self.view(held)),
            CommandName::Help => pensive_directives::help(),
            CommandName::Commands => pensive_directives::commands(),
            CommandName::Whoami => self.whoami(),
            // The lane knows what it stopped, and the run what it asked.
            CommandName::Stop | CommandName::Approve => return None,
            // Already in the verdict, or handled before.
            CommandName::New
            | CommandName::Reset
            | CommandName::Models
            | CommandName::Usage
            | CommandName::Think
            | CommandName::Fast
            | CommandName::Verbose
            | CommandName::Trace
            | CommandName::Reasoning
            | CommandName::Elevated
            | CommandName::Effort
            | CommandName::Model
            | CommandName::Queue => return None,
        };
        Some(Letter::plain(OutboxKind::Acknowledgement, text))
    }

    fn view<'b>(&'b self, held: &'b Held) -> View<'b> {
        View {
            version: &self.core.settings.version,
            up: self.core.now().since(self.core.started),
            now: self.core.now(),
            settings: &held.settings,
            effort: held.effort,
            wire: self.core.ports.model.explain(&held.model, &self.manner(held)),
            label: self
                .core
                .profile(&self.job.route.agent, &held.model)
                .label(held.settings.think.level)
                .to_owned(),
            model: &held.model,
            fallbacks: &self.job.route.agent.fallbacks,
            limits: self.core.ports.model.limits(&held.model),
            fast_cutoff: held.fast_cutoff,
            key: &self.job.route.key,
            record: self.record,
            busy: self.busy,
            trace: self.core.traces.of(&self.job.route.key),
        }
    }

    /// How a call made now would be asked.
    fn manner(&self, held: &Held) -> Manner {
        Manner {
            thinking: held.settings.think.level,
            pace: status::pace_now(&held.settings),
            params: route::params(&self.core.settings, &self.job.route.agent, &held.model),
        }
    }

    fn whoami(&self) -> String {
        let inbound = &self.job.inbound;
        let who = format!("{}:{}", inbound.place.account.channel, inbound.sender.id);
        let owner = match owner(&self.core.settings, &inbound.place.account, &inbound.sender) {
            pensive_directives::Owner::Yes => "yes",
            pensive_directives::Owner::No => "no",
        };
        format!(
            "You are {} ({who}).\nOwner: {owner}.\nAgent: {}.\nSession: {}",
            inbound.sender.name, self.job.route.agent.id, self.job.route.key
        )
    }

    /// `/new` and `/reset`: the queue ends, overrides end, and what else the message asks for holds in the new session. A
    /// model that there is not begins none: its name is to be put right first.
    fn renew(
        &self,
        ticket: Ticket,
        parsed: &Parsed,
        call: &CommandCall,
        attachments: &[Attachment],
    ) -> Decision {
        let bare = Desk { record: None, busy: Busy::default(), ..*self };
        let news = status::renewed(&self.stored().sender);
        let renewed = bare.settle(ticket, parsed.clone(), attachments, Some(news));
        let picked = renewed.changes.iter().any(|change| matches!(change, Change::Model(_)));
        if call.argument.is_some() && !picked {
            return self.settle(ticket, parsed.clone(), attachments, None);
        }
        Decision { control: Control::Renew, ..renewed }
    }
}

/// Settles everything for a message of `job` under what is stored.
fn hold(core: &Core, job: &Job, stored: &Stored, once: &OnceOverrides) -> Held {
    let Stored { sender, chat, effort } = stored;
    let agent = &job.route.agent;
    let model = route::model_in_force(agent, sender, chat);
    let defaults = route::defaults(&core.settings, agent, &model, &job.inbound);
    let profile = core.profile(agent, &model);
    let layers = Layers { once, sender, chat, defaults: &defaults, effort: *effort, profile: &profile };
    let settings = resolve(&layers);
    let fast_cutoff = Duration::from_secs(u64::from(defaults.fast_cutoff_seconds));
    let clamped = settings.think.clamped(&profile);
    Held { model, settings, fast_cutoff, effort: *effort, clamped }
}

/// The settings of a run as they stand now: what is read live, such as whether reasoning is shown.
pub(crate) fn live(core: &Core, pending: &Pending, record: Option<&SessionRecord>) -> Settings {
    let job = job_of(pending);
    let desk = Desk { core, job: &job, record, busy: Busy::default() };
    hold(core, &job, &desk.stored(), &pending.once).settings
}

/// What `/status` shows of a run: what it runs with, and what else holds by now.
pub(crate) fn status_of(
    core: &Core,
    pending: &Pending,
    record: Option<&SessionRecord>,
    busy: Busy,
) -> String {
    let job = job_of(pending);
    let desk = Desk { core, job: &job, record, busy };
    let now = hold(core, &job, &desk.stored(), &pending.once);
    let Settings { think, fast, model, .. } = pending.settings.clone();
    let held = Held {
        model: pending.model.clone(),
        settings: Settings { think, fast, model, ..now.settings },
        fast_cutoff: pending.fast_cutoff,
        ..now
    };
    status::status(&desk.view(&held))
}

fn job_of(pending: &Pending) -> Job {
    Job {
        ticket: Ticket(0),
        earlier: Vec::new(),
        parts: Vec::new(),
        state: InboxState::Waiting,
        inbound: pending.inbound.clone(),
        parsed: None,
        authority: pending.authority,
        route: pending.route.clone(),
    }
}

/// What a command says to a call that somebody has to allow.
fn ruling(call: &CommandCall) -> Option<Ruling> {
    let denies = || call.argument.as_deref().is_some_and(|word| word.eq_ignore_ascii_case("deny"));
    let approves = call.name == CommandName::Approve;
    approves.then(|| if denies() { Ruling::Deny } else { Ruling::Allow })
}

fn plain(text: &str) -> Parsed {
    Parsed {
        addressee: Addressee::Nobody,
        shape: Shape::Plain,
        text: text.to_owned(),
        asks: Vec::new(),
        commands: Vec::new(),
        scope: Scope::Sender,
    }
}
