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
    cost: u64,
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

/// Whether a record can be read.
pub(crate) fn check(key: &[u8], bytes: &[u8]) -> Result<(), Damage> {
    super::read::<Shape>(Tree::Sessions, key, bytes).map(drop)
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
        Self {
            id: record.id.to_string(),
            agent: record.agent.to_string(),
            origin: (&record.origin).into(),
            created: record.created.0,
            updated: record.updated.0,
            last_interaction: record.last_interaction.0,
            senders: record.senders.iter().map(|(sender, set)| (sender.to_string(), set.into())).collect(),
            chat: (&record.chat).into(),
            tokens: TokensShape {
                input: record.tokens.input,
                cached: record.tokens.cached,
                output: record.tokens.output,
                reasoning: record.tokens.reasoning,
            },
            cost: record.cost,
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
            cost: self.cost,
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pensive_contract::ids::Account;
    use pensive_contract::inbound::{ChatKind, Place, Topic, TopicKind};
    use pensive_directives::{Level, Overrides, Verbose};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn overrides() -> impl Strategy<Value = Overrides> {
        let think = proptest::option::of(proptest::sample::select(Level::ALL));
        let verbose = proptest::option::of(proptest::sample::select(Verbose::ALL));
        (think, verbose, proptest::option::of(".{0,9}")).prop_map(|(think, verbose, model)| Overrides {
            think,
            verbose,
            model,
            ..Overrides::default()
        })
    }

    fn place() -> impl Strategy<Value = Place> {
        (".{0,9}", ".{0,9}", ".{0,9}", proptest::option::of(".{0,9}")).prop_map(
            |(channel, id, chat, topic)| Place {
                account: Account { channel: channel.into(), id: id.into() },
                chat: chat.into(),
                kind: ChatKind::Group,
                space: topic.as_deref().map(Into::into),
                topic: topic.map(|id| Topic { id: id.into(), kind: TopicKind::Topic }),
            },
        )
    }

    fn record() -> impl Strategy<Value = SessionRecord> {
        let senders = proptest::collection::btree_map(".{0,5}", overrides(), 0..4);
        (any::<[String; 3]>(), place(), senders, overrides(), any::<[i64; 4]>(), any::<[u64; 6]>()).prop_map(
            |([id, key, agent], origin, senders, chat, at, n)| {
                let key = SessionKey::of([key.as_str()]);
                let mut record = SessionRecord::new(id.into(), key, agent.into(), origin, Timestamp(at[0]));
                record.updated = Timestamp(at[1]);
                record.last_interaction = Timestamp(at[2]);
                record.senders = senders.into_iter().map(|(id, set)| (id.into(), set)).collect();
                record.chat = chat;
                record.tokens = TokenUsage { input: n[0], cached: n[1], output: n[2], reasoning: n[3] };
                record.context_used = n[4];
                record.cost = n[5];
                record.last_result = Some((Timestamp(at[3]), RunResult::Stopped));
                record
            },
        )
    }

    /// The same record as a later version would keep it: a field more in every object.
    fn enriched(value: &mut Value, extra: &str) {
        if let Value::Object(fields) = value {
            fields.values_mut().for_each(|field| enriched(field, extra));
            fields.insert(format!("later{extra}"), json!({ "x": [extra, 1.5, null] }));
        }
    }

    fn payload(key: &SessionKey, bytes: &[u8]) -> Value {
        let place = key::session(key);
        serde_json::from_slice(frame::unseal(Tree::Sessions, place.as_bytes(), bytes).unwrap().payload)
            .unwrap()
    }

    proptest! {
        #[test]
        fn ses_03_a_record_reads_back(record in record()) {
            let bytes = write(&record.key, &record, None);
            prop_assert_eq!(read(&record.key, &bytes), Ok(record));
        }

        #[test]
        fn what_a_later_version_added_survives_a_change(old in record(), extra in "[a-z]{1,3}", used: u64) {
            let place = key::session(&old.key);
            let mut value = payload(&old.key, &write(&old.key, &old, None));
            enriched(&mut value, &extra);
            let later = Frame { version: 7, payload: &json(&value) };
            let kept = frame::seal(Tree::Sessions, place.as_bytes(), later);

            let mut record = read(&old.key, &kept).unwrap();
            // A map of senders takes an unknown field for a sender who has set nothing.
            record.senders = old.senders.clone();
            prop_assert_eq!(&record, &old);
            record = read(&old.key, &kept).unwrap();
            record.context_used = used;
            let again = write(&old.key, &record, Some(&kept));
            prop_assert_eq!(frame::unseal(Tree::Sessions, place.as_bytes(), &again).unwrap().version, 7);
            let mut expected = value;
            expected["contextUsed"] = json!(used);
            prop_assert_eq!(payload(&old.key, &again), expected);
        }

        #[test]
        fn any_bytes_are_a_record_or_damage(bytes: Vec<u8>) {
            let key = SessionKey::of(["k"]);
            prop_assert!(read(&key, &bytes).is_err());
            let framed = frame::seal(
                Tree::Sessions,
                key::session(&key).as_bytes(),
                Frame { version: VERSION, payload: &bytes },
            );
            prop_assert_eq!(read(&key, &framed), Err(Damage::Shape));
        }
    }

    #[test]
    fn a_record_from_before_costs_were_counted_has_cost_nothing() {
        let key = SessionKey::of(["k"]);
        let place = Place {
            account: Account { channel: "c".into(), id: "a".into() },
            chat: "1".into(),
            kind: ChatKind::Direct,
            topic: None,
            space: None,
        };
        let record = SessionRecord::new("one".into(), key.clone(), "main".into(), place, Timestamp(1));
        let mut value = payload(&key, &write(&key, &record, None));
        value.as_object_mut().unwrap().remove("cost");
        let frame = Frame { version: VERSION, payload: &json(&value) };
        let kept = frame::seal(Tree::Sessions, key::session(&key).as_bytes(), frame);
        assert_eq!(read(&key, &kept), Ok(record));
    }

    #[test]
    fn a_new_life_of_a_conversation_takes_nothing_along() {
        let place = Place {
            account: Account { channel: "c".into(), id: "a".into() },
            chat: "1".into(),
            kind: ChatKind::Direct,
            topic: None,
            space: None,
        };
        let key = SessionKey::of(["k"]);
        let begin =
            |id: &str| SessionRecord::new(id.into(), key.clone(), "main".into(), place.clone(), Timestamp(1));
        let mut value = payload(&key, &write(&key, &begin("one"), None));
        value["activation"] = json!("mention");
        let frame = Frame { version: VERSION, payload: &json(&value) };
        let kept = frame::seal(Tree::Sessions, key::session(&key).as_bytes(), frame);
        assert_eq!(payload(&key, &write(&key, &begin("one"), Some(&kept)))["activation"], "mention");
        assert_eq!(payload(&key, &write(&key, &begin("two"), Some(&kept))).get("activation"), None);
        assert_eq!(begin("one").senders, BTreeMap::new());
    }
}
