//! A turn of a transcript on disk.

use pensive_contract::clock::Timestamp;
use pensive_contract::model::Role;
use pensive_contract::session::Turn;
use serde::{Deserialize, Serialize};

/// See [`Turn`].
#[derive(Serialize, Deserialize)]
pub(crate) struct TurnRecord {
    at: i64,
    role: RoleRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    text: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum RoleRecord {
    User,
    Assistant,
}

impl From<Turn> for TurnRecord {
    fn from(turn: Turn) -> Self {
        Self {
            at: turn.at.0,
            role: match turn.role {
                Role::User => RoleRecord::User,
                Role::Assistant => RoleRecord::Assistant,
            },
            name: turn.name,
            text: turn.text,
        }
    }
}

impl From<TurnRecord> for Turn {
    fn from(record: TurnRecord) -> Self {
        Self {
            at: Timestamp(record.at),
            role: match record.role {
                RoleRecord::User => Role::User,
                RoleRecord::Assistant => Role::Assistant,
            },
            name: record.name,
            text: record.text,
        }
    }
}
