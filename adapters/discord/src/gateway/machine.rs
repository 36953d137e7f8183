//! What a line does when a frame comes, when time passes and when the connection ends. Pure: it is told the time, and says
//! what is to be done (<https://docs.discord.com/developers/events/gateway#connection-lifecycle>).

use std::sync::Arc;
use std::time::Duration;

use pensive_contract::clock::Timestamp;

use super::pauses::Pauses;
use super::wire::{Command, Heard};
use super::{Dispatch, Entry, Point, Session, Sign, Slice};

/// Without HELLO for so long after the connection was made, it is none.
const GREETING_LIMIT: Duration = Duration::from_secs(20);
/// A session that lasted less is a sign of trouble, and the next one is started later.
const LASTING: Duration = Duration::from_mins(1);
/// After so many connections that took nothing up again, the session is given up: something in it may be poison to us.
const FRUITLESS: u32 = 5;
/// After so many failures to reach the address where a session is resumed, the common one is tried.
const UNREACHED: u32 = 3;

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Act {
    /// Send this.
    Send(Command),
    /// Find out when a session may be started, and say it by [`Machine::turn`].
    AskTurn,
    /// Hand this on. There is room: whoever drives the machine has made sure before it showed the frame.
    Hand(Dispatch),
    /// Tell whoever watches.
    Say(Sign),
    /// Close the connection, so that the session lives on, and say by [`Machine::ended`] that it ended so.
    HangUp(End),
}

/// How a connection ended, or why there was none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// The other side closed it, with a code or without.
    Closed(Option<u16>),
    /// It broke.
    Broken(String),
    /// It could not be made.
    Unreached(String),
    /// No HELLO came.
    Silent,
    /// A heartbeat was not acknowledged by the time of the next one.
    Zombie,
    /// Discord asked for another connection.
    Asked,
    /// The session is over, or was refused.
    Invalid { resumable: bool },
    /// There was no room for what came.
    Full,
}

/// What follows when a connection has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    /// Another attempt.
    Again { after: Duration, why: String },
    /// None, until an operator has acted.
    Park(Park),
}

/// Why no further attempt will help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Park {
    /// The token is none.
    Token(String),
    /// Anything else; the words say what to do.
    Other(String),
}

/// Where the next connection leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Way {
    /// To a session that goes on, at the address that it named.
    Back(String),
    /// To a session that goes on, by where everybody connects.
    Around,
    /// To a new session.
    New,
}

/// Where a connection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// There is none.
    Apart,
    /// HELLO has to come before this.
    Greeting(Timestamp),
    /// A session may not be started yet; nothing where it is not known when it may.
    Turn(Option<Timestamp>),
    /// We have said who we are.
    Entering(Entry),
    /// Events come in.
    Up(Timestamp),
}

/// The heartbeats of a connection.
#[derive(Debug, Clone, Copy)]
struct Beat {
    every: Duration,
    next: Timestamp,
    /// The last one has not been acknowledged.
    open: bool,
}

/// One line, across its connections.
#[derive(Debug)]
pub(crate) struct Machine {
    slice: Slice,
    session: Option<Arc<Session>>,
    /// The number of the session's first event, of which nothing is to be taken in.
    first: u64,
    /// The number of the last event that was handed on.
    seen: u64,
    /// The number of the last event that was taken in when this connection was made.
    taken: u64,
    stage: Stage,
    beat: Option<Beat>,
    /// Whether a session was started on this connection.
    started: bool,
    fruitless: u32,
    unreached: u32,
    pauses: Pauses,
    starts: Pauses,
}

impl Machine {
    /// A line without a connection that goes on from `point`, where there is one.
    pub(crate) fn new(slice: Slice, point: Option<Point>) -> Self {
        let seen = point.as_ref().map_or(0, |point| point.seq);
        let session = point.map(|point| point.session);
        Self {
            slice,
            session,
            first: seen,
            seen,
            taken: seen,
            stage: Stage::Apart,
            beat: None,
            started: false,
            fruitless: 0,
            unreached: 0,
            pauses: Pauses::between_attempts(),
            starts: Pauses::between_starts(),
        }
    }

    /// Where to connect.
    pub(crate) fn way(&self) -> Way {
        let Some(session) = &self.session else { return Way::New };
        let named = session.url.clone().filter(|_| self.unreached < UNREACHED);
        named.map_or(Way::Around, Way::Back)
    }

    /// A connection was made. `taken` is how far events have been taken in.
    pub(crate) fn opened(&mut self, taken: Option<&Point>, now: Timestamp) {
        self.unreached = 0;
        self.started = false;
        self.stage = Stage::Greeting(now + GREETING_LIMIT);
        let same = taken.filter(|point| self.session.as_ref() == Some(&point.session));
        self.taken = same.map_or(self.first, |point| point.seq);
    }

    /// When [`Machine::ring`] is due.
    pub(crate) fn due(&self) -> Option<Timestamp> {
        let stage = match self.stage {
            Stage::Greeting(limit) => Some(limit),
            Stage::Turn(turn) => turn,
            Stage::Apart | Stage::Entering(_) | Stage::Up(_) => None,
        };
        let beat = self.beat.map(|beat| beat.next);
        stage.into_iter().chain(beat).min()
    }

    /// What was due is now.
    pub(crate) fn ring(&mut self, now: Timestamp) -> Vec<Act> {
        // The clock may have been set back meanwhile.
        let now = self.due().map_or(now, |due| due.max(now));
        match self.stage {
            Stage::Greeting(limit) if limit <= now => return vec![Act::HangUp(End::Silent)],
            Stage::Turn(Some(turn)) if turn <= now => return self.identify(),
            Stage::Apart | Stage::Greeting(_) | Stage::Turn(_) | Stage::Entering(_) | Stage::Up(_) => {}
        }
        match &mut self.beat {
            Some(beat) if beat.open => {
                let why = format!("no heartbeat was acknowledged for {} s", beat.every.as_secs().max(1));
                vec![Act::Say(Sign::Deaf(why)), Act::HangUp(End::Zombie)]
            }
            Some(beat) => {
                (beat.next, beat.open) = (now + beat.every, true);
                vec![self.heartbeat()]
            }
            None => Vec::new(),
        }
    }

    /// A session may be started at `turn`.
    pub(crate) fn turn(&mut self, turn: Timestamp) {
        if let Stage::Turn(known) = &mut self.stage {
            *known = Some(turn);
        }
    }

    /// A frame came. `luck` is below 1, and another each time.
    pub(crate) fn hear(&mut self, heard: Heard<'_>, now: Timestamp, luck: f64) -> Vec<Act> {
        match heard {
            Heard::Hello { every } => self.hello(every, now, luck),
            Heard::Ack => {
                if let Some(beat) = &mut self.beat {
                    beat.open = false;
                }
                vec![Act::Say(Sign::Acked)]
            }
            // It is beside the row: whether it is acknowledged by the next beat says nothing, that may follow at once.
            Heard::BeatAsked => vec![self.heartbeat()],
            Heard::Reconnect => vec![Act::HangUp(End::Asked)],
            Heard::Invalid { resumable } => vec![Act::HangUp(End::Invalid { resumable })],
            Heard::Event { kind, seq, data } => self.event(&kind, seq, data, now),
            Heard::Unknown => Vec::new(),
        }
    }

    /// The connection ended, or could not be made.
    pub(crate) fn ended(&mut self, end: &End, now: Timestamp, luck: f64) -> Next {
        let stage = std::mem::replace(&mut self.stage, Stage::Apart);
        self.beat = None;
        let judged = judge(end);
        if let Judged::Park(park) = judged {
            return Next::Park(park);
        }
        match (end, stage) {
            (End::Unreached(_), _) => self.unreached = self.unreached.saturating_add(1),
            (_, Stage::Up(_)) => {}
            _ => self.fruitless = self.fruitless.saturating_add(1),
        }
        let nameless = self.session.as_ref().is_some_and(|session| session.id.is_empty());
        if judged == Judged::Over || nameless || self.fruitless >= FRUITLESS {
            self.session = None;
            self.fruitless = 0;
        }
        let after = match end {
            // So long must be waited before a session is started in place of one that was refused.
            End::Invalid { .. } => Duration::from_millis(1_000).mul_f64(1.0 + 4.0 * luck),
            _ => self.pauses.next(),
        };
        Next::Again { after: after.max(self.hold_back(stage, now)), why: words(end) }
    }

    /// How much longer the next start of a session has to wait, where sessions do not last.
    fn hold_back(&mut self, stage: Stage, now: Timestamp) -> Duration {
        let lasted = matches!(stage, Stage::Up(since) if now.since(since) >= LASTING);
        if lasted {
            self.starts.reset();
        }
        if self.session.is_none() && self.started && !lasted { self.starts.next() } else { Duration::ZERO }
    }

    fn hello(&mut self, every: Duration, now: Timestamp, luck: f64) -> Vec<Act> {
        let Stage::Greeting(_) = self.stage else { return Vec::new() };
        self.beat = Some(Beat { every, next: now + every.mul_f64(luck), open: false });
        match &self.session {
            Some(session) => {
                let resume = Command::Resume { session: session.clone(), seq: self.taken };
                self.stage = Stage::Entering(Entry::Resumed);
                vec![Act::Send(resume)]
            }
            None => {
                self.stage = Stage::Turn(None);
                vec![Act::AskTurn]
            }
        }
    }

    fn identify(&mut self) -> Vec<Act> {
        self.stage = Stage::Entering(Entry::Fresh);
        self.started = true;
        vec![Act::Send(Command::Identify)]
    }

    fn heartbeat(&self) -> Act {
        Act::Send(Command::Beat((self.seen > 0).then_some(self.seen)))
    }

    fn event(&mut self, kind: &str, seq: Option<u64>, data: &str, now: Timestamp) -> Vec<Act> {
        let entry = match (self.stage, kind) {
            (Stage::Entering(Entry::Fresh), "READY") => Some(Entry::Fresh),
            (Stage::Entering(Entry::Resumed), "RESUMED") => Some(Entry::Resumed),
            (Stage::Entering(Entry::Resumed) | Stage::Up(_), _) => None,
            // Nothing is ours to hear before we have said who we are.
            _ => return Vec::new(),
        };
        let late = self.stage == Stage::Entering(Entry::Resumed);
        let mut acts = Vec::with_capacity(3);
        if let Some(entry) = entry {
            self.stage = Stage::Up(now);
            self.fruitless = 0;
            self.pauses.reset();
            acts.push(Act::Say(Sign::Up(entry)));
        }
        if entry == Some(Entry::Fresh) {
            self.session = Some(Arc::new(Session::of_ready(data)));
            self.first = seq.unwrap_or(0);
            self.seen = self.first;
        } else if seq.is_some_and(|seq| seq <= self.seen) {
            // What was not yet taken in when the connection broke comes again, and is still under way.
            return acts;
        }
        self.seen = seq.unwrap_or(self.seen);
        if let Some(session) = &self.session {
            let at = Point { session: session.clone(), seq: self.seen };
            let (shard, kind, data) = (self.slice.index, kind.to_owned(), data.to_owned());
            acts.extend([Act::Say(Sign::Event), Act::Hand(Dispatch { shard, at, kind, data, late })]);
        }
        acts
    }
}

/// What an end means for the session.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Judged {
    /// It can be taken up again.
    Lives,
    /// It is over.
    Over,
    /// Nothing will help.
    Park(Park),
}

/// The close codes are from
/// <https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes>.
fn judge(end: &End) -> Judged {
    let other = |words: &str| Judged::Park(Park::Other(words.to_owned()));
    match end {
        End::Closed(Some(4004)) => Judged::Park(Park::Token(
            "Discord refused its token, which was reset or belongs to no bot".to_owned(),
        )),
        End::Closed(Some(4010 | 4011)) => other(
            "Discord does not take this number of shards (close code 4010 or 4011); take `shards` out of the configuration and restart, Discord's advice is followed then",
        ),
        End::Closed(Some(4012 | 4013)) => other(
            "Discord no longer speaks this version of its gateway (close code 4012 or 4013); a newer Pensive is needed",
        ),
        End::Closed(Some(4014)) => other(
            "Discord does not let it read messages (close code 4014); open https://discord.com/developers/applications, choose the application, Bot, Privileged Gateway Intents, switch on \"Message Content Intent\", save and restart",
        ),
        End::Closed(Some(4007 | 4009)) | End::Invalid { resumable: false } => Judged::Over,
        End::Closed(_)
        | End::Broken(_)
        | End::Unreached(_)
        | End::Silent
        | End::Zombie
        | End::Asked
        | End::Invalid { resumable: true }
        | End::Full => Judged::Lives,
    }
}

/// What happened, for an operator.
fn words(end: &End) -> String {
    match end {
        End::Closed(Some(code)) => format!("Discord closed the connection with code {code}"),
        End::Closed(None) => "Discord closed the connection".to_owned(),
        End::Broken(why) => format!("the connection to Discord's gateway broke: {why}"),
        End::Unreached(why) => format!("Discord's gateway cannot be reached: {why}"),
        End::Silent => "Discord's gateway says nothing".to_owned(),
        End::Zombie => "Discord's gateway acknowledges no heartbeat".to_owned(),
        End::Asked => "Discord asked for another connection".to_owned(),
        End::Invalid { resumable: true } => "Discord asked to take the session up again".to_owned(),
        End::Invalid { resumable: false } => "Discord refused the session".to_owned(),
        End::Full => "events come faster than they can be kept".to_owned(),
    }
}

#[cfg(test)]
mod tests;
