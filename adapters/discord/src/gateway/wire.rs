//! The gateway's frames: what comes (<https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-opcodes>),
//! read as far as the line itself needs it, and what we send.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use pensive_contract::secret::Secret;
use serde::Deserialize;
use serde_json::value::RawValue;
use serenity::model::gateway::GatewayIntents;

use super::{Session, Slice};

/// What we want to hear of; the same at every start of a session.
const INTENTS: GatewayIntents = GatewayIntents::GUILDS
    .union(GatewayIntents::GUILD_MESSAGES)
    .union(GatewayIntents::DIRECT_MESSAGES)
    .union(GatewayIntents::MESSAGE_CONTENT);

/// A frame from Discord.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard<'a> {
    /// The first one: how often it wants a heartbeat.
    Hello { every: Duration },
    /// Our heartbeat arrived.
    Ack,
    /// It wants a heartbeat now.
    BeatAsked,
    /// It wants us to connect anew.
    Reconnect,
    /// The session is over, or was refused.
    Invalid { resumable: bool },
    /// Something happened.
    Event { kind: Cow<'a, str>, seq: Option<u64>, data: &'a str },
    /// Nothing that we know.
    Unknown,
}

#[derive(Deserialize)]
struct Frame<'a> {
    op: i64,
    #[serde(default)]
    s: Option<u64>,
    #[serde(borrow, default)]
    t: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    d: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Hello {
    heartbeat_interval: f64,
}

#[derive(Deserialize)]
struct Ready {
    #[serde(default)]
    session_id: Option<String>,
    #[serde(default)]
    resume_gateway_url: Option<String>,
}

impl<'a> Heard<'a> {
    /// Reads a frame.
    pub(crate) fn read(text: &'a str) -> Result<Self, serde_json::Error> {
        let frame: Frame<'a> = serde_json::from_str(text)?;
        let data = frame.d.map_or("null", RawValue::get);
        Ok(match frame.op {
            0 => match frame.t {
                Some(kind) => Self::Event { kind, seq: frame.s, data },
                None => Self::Unknown,
            },
            1 => Self::BeatAsked,
            7 => Self::Reconnect,
            9 => Self::Invalid { resumable: data == "true" },
            10 => Self::Hello { every: interval(data) },
            11 => Self::Ack,
            _ => Self::Unknown,
        })
    }
}

/// How often a heartbeat is wanted; what cannot be is replaced by something that can.
fn interval(data: &str) -> Duration {
    /// What Discord says these days.
    const USUAL: Duration = Duration::from_millis(41_250);
    const SHORTEST: Duration = Duration::from_millis(100);
    const LONGEST: Duration = Duration::from_mins(10);
    let told = serde_json::from_str::<Hello>(data).ok();
    let told = told.and_then(|hello| Duration::try_from_secs_f64(hello.heartbeat_interval / 1000.0).ok());
    told.unwrap_or(USUAL).clamp(SHORTEST, LONGEST)
}

impl Session {
    /// What READY says of the session that begins with it.
    pub(crate) fn of_ready(data: &str) -> Self {
        let ready =
            serde_json::from_str(data).unwrap_or(Ready { session_id: None, resume_gateway_url: None });
        Self { id: ready.session_id.unwrap_or_default(), url: ready.resume_gateway_url }
    }
}

/// A frame from us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    /// We live, and have heard so far.
    Beat(Option<u64>),
    /// Start a session.
    Identify,
    /// Take one up again, after the event of this number.
    Resume { session: Arc<Session>, seq: u64 },
}

impl Command {
    /// As it is sent.
    pub(crate) fn json(&self, token: &Secret, slice: Slice) -> String {
        let token = token.expose();
        let frame = match self {
            Self::Beat(seq) => serde_json::json!({"op": 1, "d": seq}),
            Self::Identify => serde_json::json!({"op": 2, "d": {
                "token": token,
                "intents": INTENTS.bits(),
                "properties": {"os": std::env::consts::OS, "browser": "pensive", "device": "pensive"},
                "shard": [slice.index, slice.count],
            }}),
            Self::Resume { session, seq } => {
                serde_json::json!({"op": 6, "d": {"token": token, "session_id": session.id, "seq": seq}})
            }
        };
        frame.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_read_as_what_they_are() {
        let check =
            |text: &str, expected: Heard<'_>| assert_eq!(Heard::read(text).unwrap(), expected, "{text}");
        let hello = |every| Heard::Hello { every: Duration::from_millis(every) };
        check(
            r#"{"op":10,"d":{"heartbeat_interval":45000,"_trace":["x"]},"s":null,"t":null}"#,
            hello(45_000),
        );
        check(
            r#"{"op":10,"d":{"heartbeat_interval":41250.5}}"#,
            Heard::Hello { every: Duration::from_micros(41_250_500) },
        );
        for odd in ["{}", "null", r#"{"heartbeat_interval":-1}"#, r#"{"heartbeat_interval":"x"}"#] {
            check(&format!(r#"{{"op":10,"d":{odd}}}"#), hello(41_250));
        }
        check(r#"{"op":10,"d":{"heartbeat_interval":0}}"#, hello(100));
        check(r#"{"op":10,"d":{"heartbeat_interval":1e15}}"#, hello(600_000));
        check(r#"{"op":11}"#, Heard::Ack);
        check(r#"{"op":1,"d":251}"#, Heard::BeatAsked);
        check(r#"{"op":7,"d":null}"#, Heard::Reconnect);
        check(r#"{"op":9,"d":false}"#, Heard::Invalid { resumable: false });
        check(r#"{"op":9,"d": true}"#, Heard::Invalid { resumable: true });
        check(r#"{"op":9}"#, Heard::Invalid { resumable: false });
        check(r#"{"op":77,"d":{"new":1}}"#, Heard::Unknown);
        check(r#"{"op":-3}"#, Heard::Unknown);
        check(r#"{"op":0,"d":{}}"#, Heard::Unknown);
        check(
            r#"{"t":"MESSAGE_CREATE","s":42,"op":0,"d":{"content":"a\ud83d\ude00"}}"#,
            Heard::Event {
                kind: "MESSAGE_CREATE".into(),
                seq: Some(42),
                data: r#"{"content":"a\ud83d\ude00"}"#,
            },
        );
        check(r#"{"op":0,"t":"X"}"#, Heard::Event { kind: "X".into(), seq: None, data: "null" });
        for broken in ["", "[]", "{", r#"{"op":"1"}"#, r#"{"s":1}"#] {
            assert!(Heard::read(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_session_is_read_from_what_there_is() {
        let check = |data: &str, id: &str, url: Option<&str>| {
            let expected = Session { id: id.to_owned(), url: url.map(str::to_owned) };
            assert_eq!(Session::of_ready(data), expected, "{data}");
        };
        check(r#"{"v":10,"session_id":"s","resume_gateway_url":"wss://x"}"#, "s", Some("wss://x"));
        check(r#"{"session_id":"s"}"#, "s", None);
        check(r#"{"session_id":null}"#, "", None);
        check("null", "", None);
    }

    #[test]
    fn commands_are_what_discord_takes() {
        let (token, slice) = (Secret::new("t"), Slice { index: 1, count: 3 });
        let sent = |command: Command| {
            serde_json::from_str::<serde_json::Value>(&command.json(&token, slice)).unwrap()
        };
        assert_eq!(sent(Command::Beat(None)), serde_json::json!({"op": 1, "d": null}));
        assert_eq!(sent(Command::Beat(Some(7))), serde_json::json!({"op": 1, "d": 7}));
        let session = Arc::new(Session { id: "s".to_owned(), url: None });
        let resume = serde_json::json!({"op": 6, "d": {"token": "t", "session_id": "s", "seq": 9}});
        assert_eq!(sent(Command::Resume { session, seq: 9 }), resume);
        let identify = sent(Command::Identify);
        // GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES, MESSAGE_CONTENT.
        assert_eq!(identify["d"]["intents"], (1 << 0) + (1 << 9) + (1 << 12) + (1 << 15));
        assert_eq!(identify["d"]["shard"], serde_json::json!([1, 3]));
        assert_eq!(identify["d"].get("compress"), None);
    }
}
