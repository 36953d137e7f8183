//! A session's record on disk.

use std::collections::BTreeMap;

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::SessionKey;
use pensive_contract::model::TokenUsage;
use pensive_contract::session::{RunResult, SessionRecord};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::carry::carry;
use super::overrides::OverridesRecord;
use super::place::PlaceRecord;
use super::{json, lenient, parse};
use crate::frame::{self, Damage, Frame, VERSION};
use crate::key;
use crate::tree::Tree;

/// See [`SessionRecord`]; its key is the record's key.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Shape {
    id: String,
    agent: String,
    origin: PlaceRecord,
    created: i64,
    updated: i64,
    last_interaction: i64,
    #[serde(default)]
    senders: BTreeMap<String, OverridesRecord>,
    #[serde(default)]
    chat: OverridesRecord,
    #[serde(default)]
    tokens: TokensShape,
    #[serde(default)]
    context_used: u64,
    #[serde(default)]
    compactions: u32,
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    last_result: Option<ResultShape>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct TokensShape {
    input: u64,
    cached: u64,
    output: u64,
    reasoning: u64,
}

#[derive(Serialize, Deserialize)]
struct ResultShape {
    at: i64,
    how: HowShape,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum HowShape {
    Answered,
    Stopped,
    Failed(String),
}

/// Reads what is kept under `key`.
pub(crate) fn read(key: &SessionKey, bytes: &[u8]) -> Result<SessionRecord, Damage> {
    let shape: Shape = super::read(Tree::Sessions, key::session(key).as_bytes(), bytes)?;
    Ok(shape.into_record(key.clone()))
}

/// The bytes to keep for `record`, in place of `old`. While the session lives on, what another version added stays.
pub(crate) fn write(key: &SessionKey, record: &SessionRecord, old: Option<&[u8]>) -> Vec<u8> {
    let place = key::session(key);
    let fresh = json(&Shape::from(record));
    let (version, payload) = match old.and_then(|old| carried(key, record, old)) {
        Some((version, carried)) => (version, carried),
        None => (VERSION, fresh),
    };
    frame::seal(Tree::Sessions, place.as_bytes(), Frame { version, payload: &payload })
}

/// The new payload with what `old` holds beyond our understanding, if it holds anything such.
fn carried(key: &SessionKey, record: &SessionRecord, old: &[u8]) -> Option<(u8, Vec<u8>)> {
    let frame = frame::unseal(Tree::Sessions, key::session(key).as_bytes(), old).ok()?;
    let before = parse::<Shape>(frame).ok()?.into_record(key.clone());
    let understood = Shape::from(&before);
    if before.id != record.id || json(&understood) == frame.payload {
        return None;
    }
    let old: Value = parse(frame).ok()?;
    let understood = serde_json::to_value(&understood).ok()?;
    let mut new = serde_json::to_value(Shape::from(record)).ok()?;
    carry(&old, &understood, &mut new);
    Some((frame.version.max(VERSION), json(&new)))
}

impl From<&SessionRecord> for Shape {
    fn from(record: &SessionRecord) -> Self {
        let overrides = |(sender, set): (&_, &_)| (ToString::to_string(sender), OverridesRecord::from(set));
        Self {
            id: record.id.to_string(),
            agent: record.agent.to_string(),
            origin: (&record.origin).into(),
            created: record.created.0,
            updated: record.updated.0,
            last_interaction: record.last_interaction.0,
            senders: record.senders.iter().map(|(sender, set)| overrides((sender, set))).collect(),
            chat: (&record.chat).into(),
            tokens: TokensShape {
                input: record.tokens.input,
                cached: record.tokens.cached,
                output: record.tokens.output,
                reasoning: record.tokens.reasoning,
            },
            context_used: record.context_used,
            compactions: record.compactions,
            last_result: record.last_result.as_ref().map(|(at, how)| ResultShape {
                at: at.0,
                how: match how {
                    RunResult::Answered => HowShape::Answered,
                    RunResult::Stopped => HowShape::Stopped,
                    RunResult::Failed(words) => HowShape::Failed(words.clone()),
                },
            }),
        }
    }
}

impl Shape {
    fn into_record(self, key: SessionKey) -> SessionRecord {
        SessionRecord {
            id: self.id.into(),
            key,
            agent: self.agent.into(),
            origin: self.origin.into(),
            created: Timestamp(self.created),
            updated: Timestamp(self.updated),
            last_interaction: Timestamp(self.last_interaction),
            senders: self.senders.into_iter().map(|(sender, set)| (sender.into(), set.into())).collect(),
            chat: self.chat.into(),
            tokens: TokenUsage {
                input: self.tokens.input,
                cached: self.tokens.cached,
                output: self.tokens.output,
                reasoning: self.tokens.reasoning,
            },
            context_used: self.context_used,
            compactions: self.compactions,
            last_result: self.last_result.map(|result| {
                let how = match result.how {
                    HowShape::Answered => RunResult::Answered,
                    HowShape::Stopped => RunResult::Stopped,
                    HowShape::Failed(words) => RunResult::Failed(words),
                };
                (Timestamp(result.at), how)
            }),
        }
    }
}
