//! The newest state of the answer in the making: when it may be shown, and as what.

use std::time::Duration;

use pensive_contract::clock::Timestamp;
use pensive_contract::outward::{Cost, Preview, Tempo};
use pensive_directives::{Reasoning, Verbose};

use super::{Age, Call, Stage};
use crate::present::face::{self, Face};
use crate::present::{Op, Over, View};
use crate::settings::Streaming;

/// A shorter beginning may say something else than the whole: `no` of `no problem`.
const TELLING: usize = 24;
/// Unless nothing came behind it for so long.
const PATIENCE: Duration = Duration::from_millis(400);
/// Whatever a channel says, no preview comes sooner after another where it costs a message.
const FLOOR: Duration = Duration::from_secs(1);
/// And where it costs nothing.
const FREE_FLOOR: Duration = Duration::from_millis(300);
/// A run that takes no longer needs no status, which would come and go; by then typing is seen.
const STATUS_AFTER: Duration = Duration::from_secs(3);
/// What a status says where there is nothing else to say.
const AT_WORK: &str = "Thinking…";

impl Stage {
    /// When a preview is due; nothing while there is none to come.
    pub(crate) fn due(&self, view: &View) -> Option<Timestamp> {
        let tempo = view.previews.ok()?;
        let news = self.ripe(view, &tempo).map(|at| at.max(self.soonest(&tempo)));
        let candidates = [news, self.renewal(&tempo)];
        candidates.into_iter().flatten().min()
    }

    /// The preview that is due now, which is taken for shown; see [`Stage::wiped`] where it was not. Where there is none any
    /// more, what is to be done about that is due instead.
    pub(crate) fn preview(&mut self, view: &View, now: Timestamp) -> Option<Preview> {
        if !self.ops.is_empty() || self.due(view).is_none_or(|due| due > now) {
            return None;
        }
        let tempo = view.previews.ok()?;
        let is_renewal = self.renewal(&tempo).is_some_and(|at| at <= now);
        let face = self.make_face(view, &tempo, now);
        let is_known = self.face.as_ref() == Some(&face);
        if face.is_empty() && tempo.cost == Cost::Message {
            self.vanish(view);
            return None;
        }
        if is_known && !is_renewal {
            return None;
        }
        self.face = Some(face.clone());
        self.shown_at = Some(now);
        let Face { thinking, markdown } = face;
        Some(Preview { stream: self.stream, thinking, markdown, reply_to: self.reply_to.clone() })
    }

    /// There is nothing to see any more. A status goes; a beginning of the answer stays for the answer to take its place.
    fn vanish(&mut self, view: &View) {
        if self.face.take().is_some() && view.over() == Over::Beside {
            self.ops.push(Op::Retract);
        }
    }

    fn soonest(&self, tempo: &Tempo) -> Timestamp {
        let floor = match tempo.cost {
            Cost::Message => FLOOR,
            Cost::Free => FREE_FLOOR,
        };
        self.shown_at.map_or(self.since, |at| at + tempo.every.max(floor))
    }

    /// What fades is shown again well before that.
    fn renewal(&self, tempo: &Tempo) -> Option<Timestamp> {
        let (fades, at, _) = (tempo.fades?, self.shown_at?, self.face.as_ref()?);
        Some(at + (fades * 2 / 3).max(FREE_FLOOR))
    }

    /// When what is new may be seen, pace aside.
    fn ripe(&self, view: &View, tempo: &Tempo) -> Option<Timestamp> {
        let sign = match (tempo.cost, &self.face) {
            // That the model thinks is worth a sign at once; that it is silent, after a while.
            (Cost::Free, None) if !self.reasoning.is_empty() => Some(self.since),
            (Cost::Free, None) => Some(self.since + PATIENCE),
            // A status is also what a run is stopped by.
            (Cost::Message, None) if view.streaming == Streaming::Progress => Some(self.since + STATUS_AFTER),
            (Cost::Free, Some(_)) | (Cost::Message, _) => None,
        };
        let thinking = self.news.thinking.filter(|_| view.reasoning == Reasoning::Stream);
        let thinking = thinking.map(|since| self.ripe_thinking(since));
        let words = match view.streaming {
            Streaming::Partial | Streaming::Block => self.news.text.map(|since| self.ripe_text(since)),
            Streaming::Progress => self.news.tools,
            Streaming::Off => None,
        };
        [sign, thinking, words].into_iter().flatten().min()
    }

    fn ripe_thinking(&self, since: Timestamp) -> Timestamp {
        let is_shown = self.face.as_ref().is_some_and(|face| face.thinking.is_some());
        if is_shown || is_telling(&self.reasoning) { since } else { since + PATIENCE }
    }

    fn ripe_text(&self, since: Timestamp) -> Timestamp {
        let is_shown = self.face.as_ref().is_some_and(|face| !face.markdown.is_empty());
        if is_shown || is_telling(&self.text) { since } else { since + PATIENCE }
    }

    /// What there is to see, as far as it is ripe; that is no news any more.
    fn make_face(&mut self, view: &View, tempo: &Tempo, now: Timestamp) -> Face {
        let is_ripe = |at: Option<Timestamp>| at.is_none_or(|at| at <= now);
        let mut face = Face::default();
        if view.reasoning == Reasoning::Stream && is_ripe(self.news.thinking.map(|at| self.ripe_thinking(at)))
        {
            let words = face::held(&self.reasoning).trim();
            face.thinking = Some(words.to_owned()).filter(|words| !words.is_empty());
            self.news.thinking = None;
        }
        match view.streaming {
            Streaming::Progress => {
                face.markdown = self.tools(view);
                if face.is_empty() && tempo.cost == Cost::Message && self.is_status_due(now) {
                    AT_WORK.clone_into(&mut face.markdown);
                }
                self.news.tools = None;
            }
            Streaming::Partial | Streaming::Block => {
                if is_ripe(self.news.text.map(|at| self.ripe_text(at))) {
                    self.words(view).clone_into(&mut face.markdown);
                    self.news.text = None;
                }
            }
            Streaming::Off => {}
        }
        face
    }

    /// One that stands goes on.
    fn is_status_due(&self, now: Timestamp) -> bool {
        self.face.is_some() || self.since + STATUS_AFTER <= now
    }

    fn words(&self, view: &View) -> &str {
        match view.streaming {
            _ if self.age == Age::Whole => self.text.trim(),
            Streaming::Block => face::blocks(face::held(&self.text)).trim(),
            Streaming::Partial | Streaming::Progress | Streaming::Off => face::held(&self.text).trim(),
        }
    }

    /// A line for each tool that is at work, or for the last one. What bubbles would not tell is not told here, and what they
    /// tell is not told twice.
    fn tools(&self, view: &View) -> String {
        match view.verbose {
            Verbose::Off => {}
            Verbose::On | Verbose::Full => return String::new(),
        }
        let at_work: Vec<&Call> = self.calls.iter().filter(|call| call.output.is_none()).collect();
        let shown = if at_work.is_empty() { self.calls.last().into_iter().collect() } else { at_work };
        let lines = shown.into_iter().map(|call| face::escaped(&call.bubble.title));
        lines.collect::<Vec<_>>().join("  \n")
    }
}

fn is_telling(text: &str) -> bool {
    text.chars().nth(TELLING - 1).is_some()
}
