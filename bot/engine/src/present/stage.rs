//! The stage of one run: takes what happens, and says what is to be shown in which order. Messages are handed over as they
//! are due; of an answer in the making only the newest state is ever asked for.

mod previews;

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::MessageId;
use pensive_contract::model::Recast;
use pensive_contract::outward::Body;
use pensive_contract::store::OutboxKind;
use pensive_directives::{Reasoning, Verbose};

use super::face::Face;
use super::{Event, Failed, Fate, NoPreviews, Occasion, Op, Over, Post, Rest, View, Words};
use crate::bubble::Bubble;

/// A tool call that was told of.
#[derive(Debug)]
struct Call {
    id: String,
    tool: String,
    bubble: Bubble,
    output: Option<String>,
    /// Whether its end has been shown, or passed over.
    is_done: bool,
}

/// Who is at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Model,
    Tools,
}

/// Which call of the model the words at hand come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Age {
    /// The one that goes on.
    Growing,
    /// An earlier one: they stand until there are others.
    Whole,
}

/// Since when there is something of a kind that no preview has shown.
#[derive(Debug, Default)]
struct News {
    thinking: Option<Timestamp>,
    text: Option<Timestamp>,
    tools: Option<Timestamp>,
}

pub(crate) struct Stage {
    stream: i64,
    reply_to: Option<MessageId>,
    occasion: Occasion,
    ops: Vec<Op>,
    notes: Vec<String>,
    turn: Turn,
    /// The block of reasoning that is being made, or was not shown.
    reasoning: String,
    /// The words that are being made, or were not posted.
    text: String,
    /// Whose words these are.
    age: Age,
    has_posted_words: bool,
    /// Whether the piece before was reasoning or text, so that what is apart stays apart.
    last: Option<Piece>,
    /// Of the newest round of tools.
    calls: Vec<Call>,
    failed: Option<Failed>,
    has_told_no_live: bool,
    news: News,
    /// What the chat shows of the answer in the making.
    face: Option<Face>,
    shown_at: Option<Timestamp>,
    /// When the run began, or a message last went out.
    since: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Reasoning,
    Text,
}

impl Stage {
    /// A run that begins. `stream` is its own and not zero.
    pub(crate) fn new(stream: i64, reply_to: Option<MessageId>, occasion: Occasion, now: Timestamp) -> Self {
        Self {
            stream,
            reply_to,
            occasion,
            ops: Vec::new(),
            notes: Vec::new(),
            turn: Turn::Model,
            reasoning: String::new(),
            text: String::new(),
            age: Age::Growing,
            has_posted_words: false,
            last: None,
            calls: Vec::new(),
            failed: None,
            has_told_no_live: false,
            news: News::default(),
            face: None,
            shown_at: None,
            since: now,
        }
    }

    /// Takes in what happened, under what may be shown now.
    pub(crate) fn feed(&mut self, event: Event, view: &View, now: Timestamp) {
        match event {
            Event::Reasoning(words) => self.think(&words, view, now),
            Event::Text(words) => self.speak(&words, now),
            Event::Recast(recast) => self.recast(recast, now),
            Event::Broke => self.broke(),
            Event::Called { id, tool, bubble } => {
                let call = Call { id, tool, bubble, output: None, is_done: false };
                self.called(call, view, now);
            }
            Event::Returned { id, output, fate } => self.returned(&id, output, fate, view, now),
            Event::Note(words) => match self.occasion {
                Occasion::Asked => self.post(OutboxKind::Notice, Body::Plain(words), view, now),
                Occasion::Background => self.notes.push(words),
            },
        }
    }

    /// The messages that are due, in order. They go out before any preview.
    pub(crate) fn take(&mut self) -> Vec<Op> {
        std::mem::take(&mut self.ops)
    }

    /// What is left when the run has ended.
    pub(crate) fn close(&mut self, view: &View) -> Rest {
        let thinking = match view.reasoning {
            Reasoning::On => Some(self.reasoning.trim().to_owned()).filter(|words| !words.is_empty()),
            Reasoning::Off | Reasoning::Stream => None,
        };
        let words = match (self.text.trim().is_empty(), self.has_posted_words) {
            (false, _) => Words::Unposted(std::mem::take(&mut self.text)),
            (true, true) => Words::Posted,
            (true, false) => Words::Nothing,
        };
        Rest {
            notes: std::mem::take(&mut self.notes),
            thinking,
            words,
            failed: self.failed.take(),
            over: view.over(),
        }
    }

    /// The run has its turn: what it waited before does not count.
    pub(crate) fn begin(&mut self, now: Timestamp) {
        self.since = now;
    }

    /// Whether the chat shows anything of the answer in the making.
    pub(crate) fn is_seen(&self) -> bool {
        self.face.is_some()
    }

    /// A message of ours went out in the chat, or a preview did not land: what was shown may be gone, and is shown again.
    pub(crate) fn wiped(&mut self, now: Timestamp) {
        self.face = None;
        self.since = now;
        if !self.text.is_empty() {
            self.news.text.get_or_insert(now);
        }
        if !self.reasoning.is_empty() {
            self.news.thinking.get_or_insert(now);
        }
    }

    fn think(&mut self, words: &str, view: &View, now: Timestamp) {
        if view.reasoning == Reasoning::Stream
            && matches!(view.previews, Err(NoPreviews::Unable | NoPreviews::SwitchedOff))
            && !std::mem::replace(&mut self.has_told_no_live, true)
        {
            self.ops.push(Op::NoLiveReasoning);
        }
        self.hear();
        apart(&mut self.reasoning, self.last, Piece::Reasoning);
        self.last = Some(Piece::Reasoning);
        self.reasoning.push_str(words);
        self.news.thinking.get_or_insert(now);
    }

    fn speak(&mut self, words: &str, now: Timestamp) {
        self.hear();
        if std::mem::replace(&mut self.age, Age::Growing) == Age::Whole {
            self.text.clear();
        }
        apart(&mut self.text, self.last, Piece::Text);
        self.last = Some(Piece::Text);
        self.text.push_str(words);
        self.news.text.get_or_insert(now);
    }

    /// The model has the word. Behind tools it begins a new block.
    fn hear(&mut self) {
        if std::mem::replace(&mut self.turn, Turn::Model) == Turn::Tools {
            self.last = None;
            match self.occasion {
                Occasion::Asked => self.reasoning.clear(),
                // There all blocks come with the answer.
                Occasion::Background if self.reasoning.is_empty() => {}
                Occasion::Background => self.reasoning.push_str("\n\n"),
            }
        }
    }

    fn recast(&mut self, recast: Recast, now: Timestamp) {
        match recast {
            Recast::TextWasReasoning if self.age == Age::Growing => {
                let text = std::mem::take(&mut self.text);
                apart(&mut self.reasoning, Some(Piece::Text), Piece::Reasoning);
                self.reasoning.push_str(&text);
                self.last = Some(Piece::Reasoning);
                if self.face.take_if(|face| !face.markdown.is_empty()).is_some() {
                    self.ops.push(Op::Retract);
                }
                self.news.text = None;
            }
            Recast::TextWasReasoning => {}
            Recast::ReasoningWasText => self.reasoning.clear(),
        }
        self.news.thinking.get_or_insert(now);
    }

    fn broke(&mut self) {
        if self.turn == Turn::Tools {
            return;
        }
        self.reasoning.clear();
        if self.age == Age::Growing {
            self.text.clear();
            self.news.text = None;
        }
        self.last = None;
        self.news.thinking = None;
    }

    fn called(&mut self, call: Call, view: &View, now: Timestamp) {
        if std::mem::replace(&mut self.turn, Turn::Tools) == Turn::Model {
            self.calls.clear();
            self.age = Age::Whole;
            self.show_thinking(view, now);
        }
        match view.verbose {
            Verbose::Off => {}
            Verbose::On | Verbose::Full => {
                self.post_words(view, now);
                self.post(OutboxKind::Notice, Body::Plain(call.bubble.line()), view, now);
            }
        }
        self.calls.push(call);
        self.news.tools.get_or_insert(now);
    }

    fn show_thinking(&mut self, view: &View, now: Timestamp) {
        if self.occasion == Occasion::Background {
            return;
        }
        let words = std::mem::take(&mut self.reasoning);
        if view.reasoning == Reasoning::On && !words.trim().is_empty() {
            self.post(OutboxKind::Notice, Body::Thinking(words.trim().to_owned()), view, now);
        }
    }

    /// What a bubble would wipe, or push up, becomes a message.
    fn post_words(&mut self, view: &View, now: Timestamp) {
        let words = std::mem::take(&mut self.text);
        self.news.text = None;
        if !words.trim().is_empty() {
            self.has_posted_words = true;
            self.post(OutboxKind::Answer, Body::Markdown(words.trim().to_owned()), view, now);
        }
    }

    fn returned(&mut self, id: &str, output: String, fate: Fate, view: &View, now: Timestamp) {
        let Some(call) = self.calls.iter_mut().find(|call| call.id == id && call.output.is_none()) else {
            return;
        };
        match fate {
            // Whoever did not allow it knows, and the model is told.
            Fate::NotMade => {}
            Fate::Failed(danger) => {
                let (tool, bubble) = (call.tool.clone(), call.bubble.clone());
                self.failed = Some(Failed { tool, bubble, danger, reason: output.clone() });
            }
            // The same tool went well later: that was made good.
            Fate::Done(_) => {
                self.failed.take_if(|failed| failed.tool == call.tool);
            }
        }
        call.output = Some(output);
        self.news.tools.get_or_insert(now);
        self.show_ends(view, now);
    }

    /// Ends are told in the order of the calls.
    fn show_ends(&mut self, view: &View, now: Timestamp) {
        let mut due = Vec::new();
        for call in self.calls.iter_mut().skip_while(|call| call.is_done) {
            let Some(output) = &call.output else { break };
            call.is_done = true;
            if view.verbose == Verbose::Full {
                due.push(call.bubble.output(output));
            }
        }
        for body in due {
            self.post(OutboxKind::Notice, body, view, now);
        }
    }

    fn post(&mut self, kind: OutboxKind, body: Body, view: &View, now: Timestamp) {
        let over = view.over();
        self.ops.push(Op::Post(Post { kind, body, over }));
        let fades = view.previews.is_ok_and(|tempo| tempo.fades.is_some());
        if fades || over == Over::Standing {
            self.wiped(now);
        }
    }
}

/// A piece that another kind stands before begins a paragraph of its own.
fn apart(text: &mut String, last: Option<Piece>, next: Piece) {
    if !text.is_empty() && last.is_some_and(|last| last != next) {
        text.push_str("\n\n");
    }
}
