//! Plays a script to one client: as a stream of events, or collected into one answer.

use std::io;

use bytes::Bytes;
use futures::{Stream, stream};
use serde_json::Value;

use super::{
    fake::Visit,
    script::{Finish, Script, Step, Usage},
};

/// A wire shape. Streams are what its methods return, in the order in which they are called; [`Writer::whole`] needs the same calls
/// and their results thrown away.
pub(crate) trait Writer: Send {
    /// What comes before the first word; of the usage only the input is known.
    fn begin(&mut self, told: &Told) -> String;
    /// A piece of thought.
    fn reasoning(&mut self, piece: &str) -> String;
    /// The next piece of thought is of another block.
    fn new_thought(&mut self) -> String;
    /// The seal of the thought before, given or to be made.
    fn signature(&mut self, given: Option<&str>) -> String;
    /// A thought that nobody may read.
    fn redacted(&mut self, data: &str) -> String;
    /// A piece of the answer.
    fn text(&mut self, piece: &str) -> String;
    /// A tool call.
    fn tool_call(&mut self, id: &str, name: &str, arguments: &str) -> String;
    /// An event of a kind to come.
    fn unknown(&mut self) -> String;
    /// An error after the status line was sent.
    fn error(&mut self, message: &str) -> String;
    /// What a client takes for the end.
    fn end(&mut self, told: &Told) -> String;
    /// The answer in one body.
    fn whole(&mut self, told: &Told) -> Value;
}

/// What has been said when the end comes.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) reasoning: String,
    pub(crate) text: String,
    /// Id, name and arguments.
    pub(crate) calls: Vec<(String, String, String)>,
    pub(crate) usage: Usage,
    pub(crate) finish: Finish,
}

/// What a step comes to.
enum Heard {
    Bytes(String),
    Break,
    End,
}

/// A script, the writer of its wire shape, and how far it has come.
pub(crate) struct Player {
    writer: Box<dyn Writer>,
    steps: std::vec::IntoIter<Step>,
    told: Told,
    usage: Option<Usage>,
    input: u64,
    visit: Visit,
    begun: bool,
    over: bool,
}

impl Player {
    /// `input` is the prompt's estimated tokens, for scripts that name no usage.
    pub(crate) fn new(writer: Box<dyn Writer>, script: Script, input: u64, visit: Visit) -> Self {
        let expected = script.usage.unwrap_or(Usage { input, ..Usage::default() });
        let told = Told { finish: script.finish, usage: expected, ..Told::default() };
        let steps = script.steps.into_iter();
        Self { writer, steps, told, usage: script.usage, input, visit, begun: false, over: false }
    }

    /// The answer as a stream of events.
    pub(crate) fn stream(self) -> impl Stream<Item = io::Result<Bytes>> {
        stream::unfold(self, |mut player| async move {
            let piece = player.next().await?;
            Some((piece, player))
        })
    }

    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        if self.over {
            self.visit.done();
            return None;
        }
        loop {
            let heard = if !self.begun {
                self.begun = true;
                Heard::Bytes(self.writer.begin(&self.told))
            } else if let Some(step) = self.steps.next() {
                self.take(step).await
            } else {
                self.over = true;
                self.count();
                return Some(Ok(self.writer.end(&self.told).into()));
            };
            match heard {
                Heard::Bytes(bytes) if bytes.is_empty() => {}
                Heard::Bytes(bytes) => return Some(Ok(bytes.into())),
                Heard::Break => {
                    // What was said before is flushed while this is pending, so that the client reads it and then the break.
                    tokio::task::yield_now().await;
                    self.over = true;
                    self.visit.done();
                    return Some(Err(io::ErrorKind::ConnectionAborted.into()));
                }
                Heard::End => {
                    self.visit.done();
                    return None;
                }
            }
        }
    }

    /// The answer in one body; nothing when the script breaks off.
    pub(crate) async fn whole(mut self) -> Option<Value> {
        self.writer.begin(&self.told);
        while let Some(step) = self.steps.next() {
            match self.take(step).await {
                Heard::Bytes(_) => {}
                Heard::Break | Heard::End => {
                    self.visit.done();
                    return None;
                }
            }
        }
        self.count();
        self.visit.done();
        Some(self.writer.whole(&self.told))
    }

    async fn take(&mut self, step: Step) -> Heard {
        let bytes = match step {
            Step::Reasoning(piece) => {
                self.told.reasoning.push_str(&piece);
                self.writer.reasoning(&piece)
            }
            Step::NewThought => self.writer.new_thought(),
            Step::Signature(given) => self.writer.signature(given.as_deref()),
            Step::Redacted(data) => self.writer.redacted(&data),
            Step::Text(piece) => {
                self.told.text.push_str(&piece);
                self.writer.text(&piece)
            }
            Step::ToolCall { name, arguments } => self.call(name, arguments),
            Step::Wait(gate) => {
                gate.pass().await;
                String::new()
            }
            Step::Delay(by) => {
                tokio::time::sleep(by).await;
                String::new()
            }
            Step::Raw(bytes) => bytes,
            Step::Unknown => self.writer.unknown(),
            Step::Error(message) => {
                // After an error event comes nothing but the end of the body.
                self.steps = vec![Step::EndEarly].into_iter();
                self.writer.error(&message)
            }
            Step::Stall => std::future::pending().await,
            Step::Cut => return Heard::Break,
            Step::EndEarly => return Heard::End,
        };
        Heard::Bytes(bytes)
    }

    fn call(&mut self, name: String, arguments: String) -> String {
        let id = self.visit.call_id(self.told.calls.len());
        self.visit.sealer().called(&id, &self.told.reasoning);
        let bytes = self.writer.tool_call(&id, &name, &arguments);
        self.told.calls.push((id, name, arguments));
        bytes
    }

    fn count(&mut self) {
        let reasoning = tokens(&self.told.reasoning);
        let output = tokens(&self.told.text) + reasoning + 10 * self.told.calls.len() as u64;
        let estimated = Usage { input: self.input, cached: 0, output, reasoning };
        self.told.usage = self.usage.unwrap_or(estimated);
    }
}

/// Tokens as a rough count of letters gives them.
fn tokens(text: &str) -> u64 {
    text.len().div_ceil(4) as u64
}
