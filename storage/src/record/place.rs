//! A place on disk.

use pensive_contract::ids::Account;
use pensive_contract::inbound::{ChatKind, Place, Topic, TopicKind};
use serde::{Deserialize, Serialize};

/// See [`Place`].
#[derive(Serialize, Deserialize)]
pub(crate) struct PlaceRecord {
    channel: String,
    account: String,
    chat: String,
    kind: ChatKindRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    topic: Option<TopicRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    space: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ChatKindRecord {
    Direct,
    Group,
    Channel,
}

#[derive(Serialize, Deserialize)]
struct TopicRecord {
    id: String,
    kind: TopicKindRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum TopicKindRecord {
    Topic,
    Thread,
}

impl From<ChatKind> for ChatKindRecord {
    fn from(kind: ChatKind) -> Self {
        match kind {
            ChatKind::Direct => Self::Direct,
            ChatKind::Group => Self::Group,
            ChatKind::Channel => Self::Channel,
        }
    }
}

impl From<ChatKindRecord> for ChatKind {
    fn from(record: ChatKindRecord) -> Self {
        match record {
            ChatKindRecord::Direct => Self::Direct,
            ChatKindRecord::Group => Self::Group,
            ChatKindRecord::Channel => Self::Channel,
        }
    }
}

impl From<&Place> for PlaceRecord {
    fn from(place: &Place) -> Self {
        Self {
            channel: place.account.channel.to_string(),
            account: place.account.id.to_string(),
            chat: place.chat.to_string(),
            kind: place.kind.into(),
            topic: place.topic.as_ref().map(|topic| TopicRecord {
                id: topic.id.to_string(),
                kind: match topic.kind {
                    TopicKind::Topic => TopicKindRecord::Topic,
                    TopicKind::Thread => TopicKindRecord::Thread,
                },
            }),
            space: place.space.as_ref().map(ToString::to_string),
        }
    }
}

impl From<PlaceRecord> for Place {
    fn from(record: PlaceRecord) -> Self {
        Self {
            account: Account { channel: record.channel.into(), id: record.account.into() },
            chat: record.chat.into(),
            kind: record.kind.into(),
            topic: record.topic.map(|topic| Topic {
                id: topic.id.into(),
                kind: match topic.kind {
                    TopicKindRecord::Topic => TopicKind::Topic,
                    TopicKindRecord::Thread => TopicKind::Thread,
                },
            }),
            space: record.space.map(Into::into),
        }
    }
}
