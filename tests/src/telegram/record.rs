//! What the fake was asked and what it thought of it: kept for tests to look at and wait for, and written as JSON lines where a file
//! was named.

use std::{
    collections::VecDeque,
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
    time::{Duration, Instant},
};

use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

/// One call of a Bot API method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Call {
    /// Place in the order of completion, from 1.
    pub number: usize,
    /// Microseconds since the fake was started when the call was done, just before its answer was written.
    pub at: u64,
    /// The same when the request's head had been read.
    pub came: u64,
    /// When it was done, in milliseconds on the clock that the fake follows: the scene's, where there is one.
    pub moment: i64,
    /// The method in the API's own spelling, whatever the client's was.
    pub method: String,
    /// The bot's id; 0 for an unknown token.
    pub bot: i64,
    /// The token in the path. Not written to recordings.
    #[serde(skip)]
    pub token: String,
    /// The arguments as sent: text throughout unless the body was JSON. Null when they were not read: the
    /// connection was reset first, or the body is none that the server understands.
    pub params: Value,
    /// Uploaded parts: field name and file name.
    pub files: Vec<(String, String)>,
    /// HTTP status of the answer; 0 when the client got none.
    pub status: u16,
    /// `result` of a good answer as the client would have read it, or the description of a refusal; for
    /// getUpdates the ids of the updates.
    pub answer: Value,
    /// A fault rule shaped the answer.
    pub fault: bool,
}

impl Call {
    /// The start of a record: nothing read, nothing answered.
    pub(crate) fn begun(method: &str, token: &str, came: u64) -> Self {
        Self {
            number: 0,
            at: 0,
            came,
            moment: 0,
            method: method.to_owned(),
            bot: 0,
            token: token.to_owned(),
            params: Value::Null,
            files: Vec::new(),
            status: 0,
            answer: Value::Null,
            fault: false,
        }
    }

    /// An argument as text, numbers included; empty when absent.
    pub fn text(&self, name: &str) -> String {
        match self.params.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        }
    }

    /// An argument as a number, from text too.
    pub fn int(&self, name: &str) -> Option<i64> {
        self.text(name).parse().ok()
    }

    /// The call's `chat_id` as a number.
    pub fn chat(&self) -> Option<i64> {
        self.int("chat_id")
    }

    /// The call took effect as far as the fake knows and its answer was good.
    pub fn ok(&self) -> bool {
        self.status == 200
    }
}

/// Something that was sent and should not have been.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// [`Call::number`] of the call.
    pub call: usize,
    /// The method.
    pub method: String,
    /// What is wrong with it.
    pub what: String,
}

#[derive(Debug)]
pub(crate) struct Record {
    started: Instant,
    count: usize,
    kept: VecDeque<Call>,
    keep: usize,
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

    /// Keeps only the last `count` calls in memory.
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
        let method = call.method.clone();
        self.violations.extend(faults.into_iter().map(|what| Violation {
            call: call.number,
            method: method.clone(),
            what,
        }));
        if let Some(file) = &mut self.file
            && let Ok(mut line) = serde_json::to_vec(&call)
        {
            line.push(b'\n');
            if let Err(error) = file.write_all(&line) {
                tracing::warn!(%error, "recording of calls stopped");
                self.file = None;
            }
        }
        if self.keep > 0 {
            if self.kept.len() >= self.keep {
                self.kept.pop_front();
            }
            self.kept.push_back(call);
        }
        self.tick();
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
        self.violations.clear();
    }
}
