//! One turn at a time: a question, its answer, and out; or the lines of a pipe, each after the other's answer.

use std::io::{self, BufRead, Write};
use std::thread;

use serde::Serialize;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use super::Link;
use super::screen::{Dress, show};
use crate::fault::TerminalFault;
use crate::wire::{Event, Message, MessageKind, Request};

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
/// The daemon is gone or said no, or `out` is.
pub async fn ask(
    mut link: Link,
    text: &str,
    dress: Dress,
    out: &mut (impl Write + Send),
) -> Result<Ending, TerminalFault> {
    let mut turn = Turn { link: &mut link, interrupts: interrupts()?, messages: Vec::new() };
    if dress != Dress::Json {
        return turn.run(text, dress, out).await;
    }
    let ending = turn.run(text, dress, &mut io::sink()).await?;
    let newest = |kind| turn.messages.iter().rfind(|message: &&Message| message.kind == kind);
    // A directive alone is answered in our own words.
    let answer = newest(MessageKind::Text).or_else(|| newest(MessageKind::Notice));
    let answer = answer.map_or("", |message| message.text.as_str());
    let object = serde_json::to_string(&Answer { answer, ending, messages: &turn.messages });
    let object = object.map_err(|cause| TerminalFault::Garbled(cause.to_string()))?;
    write(out, &format!("{object}\n"))?;
    Ok(ending)
}

/// Takes each line of standard input as one turn.
pub(super) async fn lines(
    mut link: Link,
    dress: Dress,
    out: &mut (impl Write + Send),
) -> Result<Ending, TerminalFault> {
    let mut typed = read_lines();
    let mut turn = Turn { link: &mut link, interrupts: interrupts()?, messages: Vec::new() };
    loop {
        let line = tokio::select! {
            line = typed.recv() => line,
            _ = turn.interrupts.recv() => None,
        };
        let Some(line) = line else { return Ok(Ending::Left) };
        if line.trim().is_empty() {
            continue;
        }
        if turn.run(&line, dress, out).await? == Ending::Left {
            return Ok(Ending::Left);
        }
        turn.messages.clear();
    }
}

/// A question and what has come back so far.
struct Turn<'a> {
    link: &'a mut Link,
    interrupts: Signal,
    messages: Vec<Message>,
}

impl Turn<'_> {
    async fn run(
        &mut self,
        text: &str,
        dress: Dress,
        out: &mut (impl Write + Send),
    ) -> Result<Ending, TerminalFault> {
        let question = self.link.say(text).await?;
        let mut stop: Option<String> = None;
        loop {
            tokio::select! {
                event = self.link.next() => {
                    let event = event?;
                    match whose(&event, &question, stop.as_deref()) {
                        Whose::Others => continue,
                        Whose::Question | Whose::Stop | Whose::Nobody => {}
                    }
                    if let Event::Error { code, text, .. } = event {
                        return Err(TerminalFault::Refused { code, text });
                    }
                    write(out, &show(&event, dress))?;
                    let stopped = whose(&event, &question, stop.as_deref()) == Whose::Stop;
                    let Event::Message(message) = event else { continue };
                    let (last, kind) = (message.last, message.kind);
                    self.messages.push(message);
                    if last {
                        return Ok(match (stopped, kind) {
                            (true, _) => Ending::Stopped,
                            (false, MessageKind::Failure) => Ending::Failed,
                            (false, MessageKind::Text | MessageKind::Notice | MessageKind::Thinking) => Ending::Answered,
                        });
                    }
                }
                _ = self.interrupts.recv() => {
                    if stop.is_some() {
                        return Ok(Ending::Left);
                    }
                    let id = self.link.fresh_id();
                    self.link.request(&Request::Stop { id: id.clone() }).await?;
                    stop = Some(id);
                }
            }
        }
    }
}

/// To whom an event belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// It answers the question.
    Question,
    /// It answers the stop.
    Stop,
    /// It answers what another terminal of this user asked.
    Others,
    /// It answers nobody.
    Nobody,
}

fn whose(event: &Event, question: &str, stop: Option<&str>) -> Whose {
    let answers = match event {
        Event::Message(message) => message.answers.as_deref(),
        Event::Taken { answers }
        | Event::Pressed { answers, .. }
        | Event::Status { answers, .. }
        | Event::Sent { answers, .. } => Some(answers.as_str()),
        Event::Error { answers, .. } => answers.as_deref(),
        Event::Preview(preview) => preview.answers.as_deref(),
        Event::Welcome { .. } | Event::Typing => None,
    };
    match answers {
        None => Whose::Nobody,
        Some(id) if id == question => Whose::Question,
        Some(id) if Some(id) == stop => Whose::Stop,
        Some(_) => Whose::Others,
    }
}

fn interrupts() -> Result<Signal, TerminalFault> {
    signal(SignalKind::interrupt()).map_err(TerminalFault::io("cannot listen for Ctrl-C"))
}

fn write(out: &mut impl Write, text: &str) -> Result<(), TerminalFault> {
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(TerminalFault::io("cannot write the answer"))
}

/// Reads standard input on a thread of its own: a read from it cannot be cancelled, and the process must be able to end.
fn read_lines() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(1);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            let text = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
            line.clear();
            if sender.blocking_send(text).is_err() {
                return;
            }
        }
    });
    receiver
}
