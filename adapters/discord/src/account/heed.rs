//! Takes in what a line brings, one event after the other, and remembers how far it has come.

use std::time::Duration;

use pensive_contract::clock::Timestamp;
use pensive_contract::inbound::Inbound;
use pensive_contract::intake::{Intake, Kept};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::Bot;
use super::marks::{Mark, Marks};
use super::reception::{Prompt, Reception};
use super::record::Record;
use crate::book::Book;
use crate::client::CallFault;
use crate::gateway::{Bell, Dispatch, Pauses, Point, Slice};
use crate::handle::Interaction;
use crate::receive::{self, Us};
use crate::wire::{self, Event, Message};

/// At most this often the note of a line is written: what a crash takes from it comes again and is known.
const NOTE_EVERY: Duration = Duration::from_secs(1);
const TOO_FAST: &str = "⚙️ That was too fast: nothing came of it. Try again in a moment.";

/// One line's events, on their way in.
pub(crate) struct Heeder<'a> {
    bot: &'a Bot,
    us: &'a Us,
    intake: &'a dyn Intake,
    prompts: mpsc::Sender<Prompt>,
    slice: Slice,
    stop: &'a CancellationToken,
    book: Book,
    taken: watch::Sender<Option<Point>>,
    marks: Marks,
    /// When the note is to be written; nothing while it says all there is.
    stale: Option<Timestamp>,
    /// When missed messages may be asked for.
    next: Timestamp,
    pauses: Pauses,
}

/// The line was told to end.
struct Stopped;

impl<'a> Heeder<'a> {
    /// Goes on from where the line's note says that it stopped.
    pub(crate) async fn start(reception: &Reception<'a>, slice: Slice, stop: &'a CancellationToken) -> Self {
        let (bot, us, intake) = (reception.bot, reception.us, reception.intake);
        let Record { point, marks } = bot.recall(us, slice).await;
        Self {
            bot,
            us,
            intake,
            prompts: reception.prompts.clone(),
            slice,
            stop,
            book: Book::default(),
            taken: watch::Sender::new(point),
            marks,
            stale: None,
            next: bot.clock.now(),
            pauses: Pauses::between_attempts(),
        }
    }

    /// How far events have been taken in, as it goes on.
    pub(crate) fn taken(&self) -> watch::Receiver<Option<Point>> {
        self.taken.subscribe()
    }

    /// Takes events in until told to stop, or until there will be none any more.
    pub(crate) async fn run(mut self, mut events: mpsc::Receiver<Dispatch>) {
        let (mut note, mut gap) = (Bell::default(), Bell::default());
        while let Ok(More::Comes) = self.step(&mut events, &mut note, &mut gap).await {}
        self.keep_note().await;
    }

    async fn step(
        &mut self,
        events: &mut mpsc::Receiver<Dispatch>,
        note: &mut Bell,
        gap: &mut Bell,
    ) -> Result<More, Stopped> {
        let clock = &*self.bot.clock;
        let behind = self.marks.next_behind();
        note.set(self.stale, clock);
        gap.set(behind.map(|_| self.next), clock);
        // Which of them is looked at first is left to chance, so that none waits for ever for the others.
        tokio::select! {
            () = self.stop.cancelled() => return Err(Stopped),
            () = note.rings() => self.keep_note().await,
            () = gap.rings() => {
                if let Some(mark) = behind {
                    self.catch_up(mark).await?;
                }
            }
            dispatch = events.recv() => {
                let Some(dispatch) = dispatch else { return Ok(More::Ends) };
                self.heed(dispatch).await?;
            }
        }
        Ok(More::Comes)
    }

    /// Takes one event in; then it counts as taken.
    async fn heed(&mut self, dispatch: Dispatch) -> Result<(), Stopped> {
        let event = wire::event(&dispatch.kind, &dispatch.data);
        match &event {
            Ok(event) => self.understood(event).await?,
            Err(unread) => {
                let (account, kind) = (&self.bot.account, &dispatch.kind);
                tracing::warn!(%account, kind, %unread, "skipped an event that cannot be read");
            }
        }
        self.taken.send_replace(Some(dispatch.at));
        self.touch();
        if matches!(event, Ok(Event::Ready)) {
            // A crash before a session is known would lose what is written while nobody listens.
            self.keep_note().await;
        }
        Ok(())
    }

    async fn understood(&mut self, event: &Event) -> Result<(), Stopped> {
        match event {
            // Another session than the one before: what happened in between was told to nobody.
            Event::Ready => {
                self.marks.fall_behind();
                self.next = self.bot.clock.now();
            }
            Event::Message(message) => {
                if let Some(mark) = self.marks.of(message.channel_id).filter(|mark| mark.behind) {
                    self.catch_up(mark).await?;
                }
            }
            _ => {}
        }
        let inbound = self.read(event).await?;
        if let Event::Message(message) = event {
            self.mark(message, inbound.as_ref());
        }
        match inbound {
            // Whoever called a command in vain has been told so.
            Some(inbound) if matches!(event, Event::Interaction(_)) && !self.intake.admits(&inbound) => {
                Ok(())
            }
            Some(inbound) => {
                let Kept { hushed } = self.keep(vec![inbound]).await?;
                if let (Event::Interaction(call), false) = (event, hushed.is_empty()) {
                    // Everybody who called a command looks at what became of it.
                    self.refuse(receive::handle(call));
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Tells somebody beside everything else that nothing will come of it: no event waits for that.
    fn refuse(&self, interaction: Interaction) {
        if self.prompts.try_send(Prompt::Refuse(interaction, TOO_FAST)).is_err() {
            tracing::debug!(account = %self.bot.account, "too many ask at once; one is not answered");
        }
    }

    /// What a person did, once enough is known of where it was.
    async fn read(&mut self, event: &Event) -> Result<Option<Inbound>, Stopped> {
        self.book.learn(event);
        if let Some(missing) = self.book.missing(event, self.bot.clock.now()) {
            let stop = self.stop;
            let asked = self.book.ask(&self.bot.client, &*self.bot.clock, missing);
            tokio::select! {
                biased;
                () = stop.cancelled() => return Err(Stopped),
                () = asked => {}
            }
        }
        Ok(receive::inbound(self.us, &self.book, event, self.bot.clock.now()))
    }

    /// Remembers how far a channel was read, where it is one that we are talked to in.
    fn mark(&mut self, message: &Message, inbound: Option<&Inbound>) {
        let ours = || inbound.is_some_and(|inbound| self.intake.admits(inbound));
        if self.marks.of(message.channel_id).is_some() || ours() {
            self.marks.read(message.channel_id, message.guild_id, message.id);
        }
    }

    /// Has the engine keep events.
    async fn keep(&self, batch: Vec<Inbound>) -> Result<Kept, Stopped> {
        let mut pauses = Pauses::between_attempts();
        loop {
            // Not cut short by a stop: what was kept is worth knowing.
            let fault = match self.intake.take(batch.clone(), None).await {
                Ok(kept) => {
                    self.bot.health.store(None);
                    return Ok(kept);
                }
                Err(fault) => fault,
            };
            self.bot.health.store(Some(format!("messages cannot be kept and wait at Discord: {fault}")));
            self.unless_stopped(self.bot.clock.sleep(pauses.next())).await?;
        }
    }

    /// Reads what was missed in a channel, the oldest first.
    async fn catch_up(&mut self, mark: Mark) -> Result<(), Stopped> {
        let (account, channel) = (&self.bot.account, mark.channel);
        let fault = match self.unless_stopped(self.bot.missed(mark)).await? {
            Ok(messages) => {
                let last = messages.iter().map(|message| message.id).max().unwrap_or(mark.last);
                if !messages.is_empty() {
                    tracing::info!(%account, channel, count = messages.len(), "messages were missed and are read now");
                }
                let mut batch = Vec::new();
                for message in messages {
                    batch.extend(self.read(&Event::Message(message)).await?);
                }
                if let Some(guild) = mark.guild {
                    self.unless_stopped(self.bot.tell_roles(guild, &mut batch)).await?;
                }
                if !batch.is_empty() {
                    self.keep(batch).await?;
                }
                self.marks.caught_up(channel, last);
                self.pauses.reset();
                self.touch();
                return Ok(());
            }
            Err(fault) => fault,
        };
        tracing::debug!(%account, channel, %fault, "what was missed cannot be read");
        match fault {
            CallFault::Refused(no) if (400..500).contains(&no.status) && no.status != 429 => {
                self.marks.forget(channel);
                self.touch();
            }
            CallFault::Limited(wait) => self.next = self.bot.clock.now() + wait,
            CallFault::Refused(_) | CallFault::Unreached(_) | CallFault::Overdue(_) | CallFault::Lost(_) => {
                self.next = self.bot.clock.now() + self.pauses.next();
            }
        }
        Ok(())
    }

    /// The note no longer says all there is.
    fn touch(&mut self) {
        if self.stale.is_none() {
            self.stale = Some(self.bot.clock.now() + NOTE_EVERY);
        }
    }

    async fn keep_note(&mut self) {
        if self.stale.take().is_none() {
            return;
        }
        let record = Record { point: self.taken.borrow().clone(), marks: self.marks.clone() };
        let kept = self.bot.notes.keep(&name(self.us, self.slice), record.write(self.slice.count)).await;
        if let Err(fault) = kept {
            tracing::warn!(account = %self.bot.account, %fault, "how far events were taken in could not be kept");
            self.touch();
        }
    }

    async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Result<T, Stopped> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(Stopped),
            output = work => Ok(output),
        }
    }
}

/// Whether there is anything to wait for.
enum More {
    Comes,
    Ends,
}

impl Bot {
    /// What a line's note says; nothing where there is none, or none that can be read.
    async fn recall(&self, us: &Us, slice: Slice) -> Record {
        let account = &self.account;
        match self.notes.note(&name(us, slice)).await {
            Ok(Some(bytes)) => Record::read(&bytes, slice.count).unwrap_or_else(|error| {
                tracing::warn!(%account, %error, "how far events were taken in cannot be read; a new session is started");
                Record::default()
            }),
            Ok(None) => Record::default(),
            Err(fault) => {
                tracing::warn!(%account, %fault, "how far events were taken in cannot be read; a new session is started");
                Record::default()
            }
        }
    }
}

fn name(us: &Us, slice: Slice) -> String {
    format!("discord/{}/shard/{}", us.bot, slice.index)
}
