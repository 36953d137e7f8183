//! One turn at a time: a question, its answer, and out; or the lines of a pipe, each after the other's answer.

use std::io;

use serde::Serialize;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::Link;
use super::asked::{Asked, Whose};
use super::live::Live;
use super::screen::{Dress, Ink, Sheet, Sheets, harmless, note, offers, show, show_message, size};
use super::stdin::Lines;
use crate::fault::TerminalFault;
use crate::wire::{Choice, Event, Message, MessageKind, Preview, Request};

/// How a turn or a chat ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Everything was answered.
    Answered,
    /// The run came to nothing.
    Failed,
    /// The person stopped the run.
    Stopped,
    /// The person left.
    Left,
}

/// Whether somebody is there who can answer a question of the bot's in the middle of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replies {
    /// A person at a terminal: their next line is the answer.
    Typed,
    /// Nobody.
    None,
}

/// What a single turn gives to a script.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    /// What the model said last; our own words where it was not asked.
    answer: &'a str,
    ending: Ending,
    messages: &'a [Message],
}

/// Says `text`, shows what answers it, and ends.
///
/// # Errors
/// The daemon is gone or said no, or a sheet is.
pub async fn ask(
    link: Link,
    text: &str,
    sheets: Sheets<'_>,
    replies: Replies,
) -> Result<Ending, TerminalFault> {
    let lines = match replies {
        Replies::Typed => Lines::Unread,
        Replies::None => Lines::Over,
    };
    if sheets.answer.dress != Dress::Json {
        return Turn::new(link, sheets, lines)?.run(text).await;
    }
    let Sheets { answer: mut sheet, aside } = sheets;
    let mut nowhere = io::sink();
    let answer = Sheet { out: &mut nowhere, dress: Dress::Json };
    let aside = Sheet { out: &mut *aside.out, dress: aside.dress };
    let mut turn = Turn::new(link, Sheets { answer, aside }, lines)?;
    let ending = turn.run(text).await?;
    let newest = |kind| turn.messages.iter().rfind(|message: &&Message| message.kind == kind);
    // A directive alone is answered in our own words.
    let answer = newest(MessageKind::Text).or_else(|| newest(MessageKind::Notice));
    let answer = answer.map_or("", |message| message.text.as_str());
    let object = serde_json::to_string(&Answer { answer, ending, messages: &turn.messages });
    let object = object.map_err(|cause| TerminalFault::Garbled(cause.to_string()))?;
    sheet.write(&format!("{object}\n"))?;
    Ok(ending)
}

/// Takes each line of standard input as one turn.
pub(super) async fn lines(link: Link, sheets: Sheets<'_>) -> Result<Ending, TerminalFault> {
    let mut turn = Turn::new(link, sheets, Lines::Unread)?;
    loop {
        let line = tokio::select! {
            line = turn.lines.next() => line,
            _ = turn.interrupts.recv() => None,
        };
        let Some(line) = line else { return Ok(Ending::Left) };
        if line.trim().is_empty() {
            continue;
        }
        if turn.run(&line).await? == Ending::Left {
            return Ok(Ending::Left);
        }
    }
}

/// A question and what has come back so far.
struct Turn<'a> {
    link: Link,
    interrupts: Signal,
    sheets: Sheets<'a>,
    lines: Lines,
    live: Live,
    messages: Vec<Message>,
    asked: Asked,
    /// What the bot wants to know before it goes on, and under which message it asked.
    choices: Vec<(String, Choice)>,
}

impl<'a> Turn<'a> {
    fn new(link: Link, sheets: Sheets<'a>, lines: Lines) -> Result<Self, TerminalFault> {
        let interrupts = interrupts()?;
        Ok(Self {
            link,
            interrupts,
            sheets,
            lines,
            live: Live::default(),
            messages: Vec::new(),
            asked: Asked::default(),
            choices: Vec::new(),
        })
    }

    async fn run(&mut self, text: &str) -> Result<Ending, TerminalFault> {
        self.messages.clear();
        self.choices.clear();
        self.live.typed();
        self.asked = Asked { question: self.link.say(text).await?, ..Asked::default() };
        loop {
            let ending = tokio::select! {
                event = self.link.next() => self.heard(event?)?,
                _ = self.interrupts.recv() => self.interrupted().await?,
                Some(line) = self.lines.next(), if !self.choices.is_empty() => {
                    self.replied(line).await?;
                    None
                }
            };
            if let Some(ending) = ending {
                return Ok(ending);
            }
        }
    }

    /// Shows an event; tells where it ends the turn.
    fn heard(&mut self, event: Event) -> Result<Option<Ending>, TerminalFault> {
        let whose = self.asked.whose(&event);
        if whose == Whose::Others {
            return Ok(None);
        }
        if let Event::Error { code, text, .. } = event {
            return Err(TerminalFault::Refused { code, text: harmless(&text) });
        }
        if self.sheets.answer.dress == Dress::Json {
            self.sheets.answer.write(&event.line())?;
        }
        match event {
            Event::Preview(preview) => self.preview(&preview).map(|()| None),
            Event::Message(message) => self.message(message, whose),
            Event::Pressed { .. } => self.aside(&show(&event, self.sheets.aside.dress)).map(|()| None),
            Event::Welcome { .. }
            | Event::Taken { .. }
            | Event::Typing
            | Event::Status { .. }
            | Event::Sent { .. }
            | Event::Error { .. } => Ok(None),
        }
    }

    fn preview(&mut self, preview: &Preview) -> Result<(), TerminalFault> {
        let Dress::Screen(ink) = self.sheets.answer.dress else { return Ok(()) };
        self.sheets.answer.write(&self.live.preview(preview, size(), ink))
    }

    fn message(&mut self, message: Message, whose: Whose) -> Result<Option<Ending>, TerminalFault> {
        match (self.sheets.answer.dress, self.is_answer(&message, whose)) {
            (Dress::Json, _) => {}
            (Dress::Screen(ink), true) => {
                let text = self.live.message(&message, size(), ink);
                self.sheets.answer.write(&text)?;
            }
            (Dress::Plain, true) => self.sheets.answer.write(&show_message(&message, Ink::None))?,
            (Dress::Plain | Dress::Screen(_), false) => {
                let ink = self.sheets.aside.dress.ink();
                self.aside(&show_message(&message, ink))?;
            }
        }
        if !message.buttons.is_empty() && !message.last && self.lines.is_open() {
            self.choices =
                message.buttons.iter().map(|choice| (message.id.clone(), choice.clone())).collect();
            self.aside(&offers(&message, self.sheets.aside.dress))?;
        }
        let ends = message.last && whose != Whose::Beside;
        let ending = match (whose, message.kind) {
            (Whose::Stop, _) => Ending::Stopped,
            (_, MessageKind::Failure) => Ending::Failed,
            (_, MessageKind::Text | MessageKind::Notice | MessageKind::Thinking) => Ending::Answered,
        };
        self.messages.push(message);
        Ok(ends.then_some(ending))
    }

    /// Whether a message is what a script waits for: the model's words, or ours where there are no others.
    fn is_answer(&self, message: &Message, whose: Whose) -> bool {
        match message.kind {
            MessageKind::Text => true,
            MessageKind::Notice => {
                let alone = self.messages.iter().all(|message| message.kind != MessageKind::Text);
                message.last && matches!(whose, Whose::Question | Whose::Nobody) && alone
            }
            MessageKind::Failure | MessageKind::Thinking => false,
        }
    }

    /// Writes beside the answer, which on one terminal is below it.
    fn aside(&mut self, text: &str) -> Result<(), TerminalFault> {
        let Sheets { answer, aside } = &mut self.sheets;
        if let (Dress::Screen(_), Dress::Screen(_)) = (answer.dress, aside.dress) {
            answer.write(&self.live.pause())?;
        }
        aside.write(text)
    }

    /// The first stops the run, the second leaves.
    async fn interrupted(&mut self) -> Result<Option<Ending>, TerminalFault> {
        if self.asked.stop.is_some() {
            return Ok(Some(Ending::Left));
        }
        let id = self.link.fresh_id();
        self.link.request(&Request::Stop { id: id.clone() }).await?;
        self.asked.stop = Some(id);
        let dress = self.sheets.aside.dress;
        // A terminal has written what was pressed.
        let begin = if matches!(dress, Dress::Screen(_)) { "\r\x1b[J" } else { "" };
        self.aside(&format!("{begin}{}", note(STOPPING, dress)))?;
        Ok(None)
    }

    /// `/1` presses what was offered first; anything else is said.
    async fn replied(&mut self, line: String) -> Result<(), TerminalFault> {
        self.live.typed();
        if line.trim().is_empty() {
            return Ok(());
        }
        let id = self.link.fresh_id();
        let request = match chosen(&line, &self.choices) {
            Some((message, choice)) => {
                Request::Press { id: id.clone(), message: message.clone(), data: choice.data.clone() }
            }
            None => Request::Say { id: id.clone(), text: line },
        };
        self.choices.clear();
        self.asked.besides.push(id);
        self.link.request(&request).await
    }
}

/// Each Ctrl-C that reaches the process as a signal.
pub(super) fn interrupts() -> Result<Signal, TerminalFault> {
    signal(SignalKind::interrupt()).map_err(TerminalFault::io("cannot listen for Ctrl-C"))
}

/// What the first Ctrl-C is answered with.
pub(super) const STOPPING: &str = "Stopping. Ctrl-C again leaves.";

/// What a line like `/2` picks.
pub(super) fn chosen<'c>(line: &str, choices: &'c [(String, Choice)]) -> Option<&'c (String, Choice)> {
    let number = line.trim().strip_prefix('/')?.parse::<usize>().ok()?;
    choices.get(number.checked_sub(1)?)
}
