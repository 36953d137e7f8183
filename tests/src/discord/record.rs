//! What the fake was asked, what it said by itself, and what it thought of it: kept for tests to look at and wait for, and written
//! as JSON lines where a file was named.

use std::{
    collections::VecDeque,
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
    time::{Duration, Instant},
};

use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::watch;

/// One REST call.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Call {
    /// Place in the order of completion, from 1.
    pub number: usize,
    /// Microseconds since the fake was started when the call was done, just before its answer was written.
    pub at: u64,
    /// The same when the request's head had been read.
    pub came: u64,
    /// When it was done, in milliseconds on the clock that the fake follows.
    pub moment: i64,
    /// HTTP method.
    pub method: String,
    /// The path behind the version with `{}` for ids and tokens: `/channels/{}/messages`.
    pub route: String,
    /// The channel in the path; 0 for none.
    pub channel: u64,
    /// Whose call it was; 0 for nobody's.
    pub bot: u64,
    /// What stands behind `?`.
    pub query: String,
    /// The JSON body, `payload_json` of a form; null without one.
    pub body: Value,
    /// Uploaded files: name and size.
    pub files: Vec<(String, usize)>,
    /// HTTP status of the answer; 0 when the client got none.
    pub status: u16,
    /// The answer's body.
    pub answer: Value,
    /// A fault rule shaped the answer.
    pub fault: bool,
}

impl Call {
    /// `POST /channels/{}/messages` and the like.
    pub fn is(&self, what: &str) -> bool {
        what.split_once(' ').is_some_and(|(method, route)| method == self.method && route == self.route)
    }

    /// The text that it is to show.
    pub fn content(&self) -> &str {
        let content = self.body.get("content").or_else(|| self.body.pointer("/data/content"));
        content.and_then(Value::as_str).unwrap_or_default()
    }

    /// The call took effect as far as the fake knows and its answer was good.
    pub fn ok(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// One frame of the gateway, in either direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// Whose line; 0 before anybody has said who they are.
    pub bot: u64,
    /// `op`.
    pub op: u64,
    /// `t`; empty for what is no event.
    pub t: String,
    /// `s`.
    pub s: Option<u64>,
    /// `d`.
    pub d: Value,
    /// An event that a test wrote, like Discord or not.
    pub by_hand: bool,
    /// The line was closed with this code instead.
    pub closed: Option<u16>,
}

impl Said {
    fn line(&self, kind: &str) -> Value {
        let t = if self.t.is_empty() { Value::Null } else { self.t.clone().into() };
        let frame = match kind {
            "event" => json!({"op": self.op, "d": self.d, "t": t, "s": self.s}),
            _ => json!({"op": self.op, "d": self.d}),
        };
        json!({"kind": kind, "bot": self.bot.to_string(), "frame": frame, "by_hand": self.by_hand})
    }
}

/// Something that was sent and should not have been.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The call, or the gateway.
    pub about: String,
    /// What is wrong with it.
    pub what: String,
}

#[derive(Debug)]
pub(crate) struct Record {
    started: Instant,
    count: usize,
    kept: VecDeque<Call>,
    keep: usize,
    /// What clients said on the gateway.
    pub(crate) commands: Vec<Said>,
    /// What they were told there.
    pub(crate) events: Vec<Said>,
    pub(crate) violations: Vec<Violation>,
    file: Option<File>,
    /// Ticks with every call and every change of the world, so that waiting needs no clock.
    pub(crate) ticks: watch::Sender<u64>,
}

impl Default for Record {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            count: 0,
            kept: VecDeque::new(),
            keep: usize::MAX,
            commands: Vec::new(),
            events: Vec::new(),
            violations: Vec::new(),
            file: None,
            ticks: watch::Sender::new(0),
        }
    }
}

impl Record {
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(crate) fn write_to(&mut self, path: &Path) -> io::Result<()> {
        self.file = Some(OpenOptions::new().create(true).append(true).open(path)?);
        Ok(())
    }

    /// Keeps only the last `count` calls in memory, and nothing of the gateway.
    pub(crate) fn keep(&mut self, count: usize) {
        self.keep = count;
        let surplus = self.kept.len().saturating_sub(count);
        self.kept.drain(..surplus);
    }

    /// Files a call under the next number.
    pub(crate) fn add(&mut self, mut call: Call, faults: Vec<String>) {
        self.count += 1;
        call.number = self.count;
        call.at = self.clock();
        let about = format!("{} {}", call.method, call.route);
        self.violations.extend(faults.into_iter().map(|what| Violation { about: about.clone(), what }));
        if self.file.is_some()
            && let Ok(Value::Object(mut line)) = serde_json::to_value(&call)
        {
            line.insert("kind".into(), "rest".into());
            self.write(&line.into());
        }
        if self.keep > 0 {
            if self.kept.len() >= self.keep {
                self.kept.pop_front();
            }
            self.kept.push_back(call);
        }
        self.tick();
    }

    /// Files what the fake said.
    pub(crate) fn add_event(&mut self, said: Said) {
        if self.file.is_some() && said.closed.is_none() {
            self.write(&said.line("event"));
        }
        if self.keep == usize::MAX {
            self.events.push(said);
        }
        self.tick();
    }

    /// Files what a client said.
    pub(crate) fn add_command(&mut self, said: Said) {
        if self.file.is_some() && said.closed.is_none() {
            self.write(&said.line("command"));
        }
        if self.keep == usize::MAX {
            self.commands.push(said);
        }
        self.tick();
    }

    fn write(&mut self, line: &Value) {
        let Some(file) = &mut self.file else { return };
        if let Err(error) = file.write_all(format!("{line}\n").as_bytes()) {
            tracing::warn!(%error, "recording stopped");
            self.file = None;
        }
    }

    /// Microseconds since the start.
    pub(crate) fn clock(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// When that clock began.
    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    pub(crate) fn tick(&self) {
        self.ticks.send_modify(|ticks| *ticks += 1);
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.kept.iter()
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn forget(&mut self) {
        self.kept.clear();
        self.commands.clear();
        self.events.clear();
        self.violations.clear();
    }
}
