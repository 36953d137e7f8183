//! Whether a provider answers, takes the key and has the models that are used; asked by whoever examines an installation.
//! A listing costs nothing.

use std::time::{SystemTime, UNIX_EPOCH};

use pensive_contract::clock::Timestamp;
use pensive_contract::fault::FaultClass;
use serde_json::Value;

use crate::registry::{Line, Models};
use crate::trouble::Trouble;

/// What a provider answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Its models.
    pub listed: Listed,
    /// What time it says that it is, to the second.
    pub now: Option<Timestamp>,
}

/// What came of asking a provider for its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listed {
    /// It has these.
    Models(Vec<String>),
    /// It answers, and has no listing that we can read.
    Unlisted,
    /// It refused: the key is wrong, or may not do this.
    Refused(String),
    /// It does not answer, or is in trouble.
    Unreachable(String),
    /// It is nothing that is asked over the network.
    Local,
}

impl Models {
    /// Asks a provider for its models.
    pub async fn examine(&self, provider: &str) -> Look {
        let line = match self.providers.get(provider).map(|provider| &provider.line) {
            Some(Line::Http(line)) => line,
            Some(Line::Rehearsal | Line::Unspoken) | None => {
                return Look { listed: Listed::Local, now: None };
            }
        };
        match line.listing().await {
            Ok((body, date)) => {
                let listed = names(&body).map_or(Listed::Unlisted, Listed::Models);
                Look { listed, now: date.and_then(stamp) }
            }
            Err(trouble) => Look { listed: judged(&trouble), now: None },
        }
    }
}

fn stamp(date: SystemTime) -> Option<Timestamp> {
    let since = date.duration_since(UNIX_EPOCH).ok()?;
    Some(Timestamp(i64::try_from(since.as_millis()).ok()?))
}

fn judged(trouble: &Trouble) -> Listed {
    let words = trouble.to_string();
    match trouble {
        Trouble::Refused(refusal) if matches!(refusal.status, Some(404 | 405 | 501)) => Listed::Unlisted,
        Trouble::Refused(refusal) => match refusal.class() {
            FaultClass::Again | FaultClass::AgainAfter(_) => Listed::Unreachable(words),
            FaultClass::TellPerson | FaultClass::OursToMend => Listed::Refused(words),
        },
        Trouble::UnknownProvider(_)
        | Trouble::Unspoken { .. }
        | Trouble::Unreachable(_)
        | Trouble::Late(_)
        | Trouble::Stalled(_)
        | Trouble::Cut(_)
        | Trouble::Broken(_) => Listed::Unreachable(words),
    }
}

/// The ids in a listing, as any of the shapes writes it.
fn names(body: &[u8]) -> Option<Vec<String>> {
    let listing: Value = serde_json::from_slice(body).ok()?;
    let rows = ["data", "models"].iter().find_map(|key| listing.get(key)?.as_array());
    // Some servers give the bare list.
    let rows = rows.or_else(|| listing.as_array())?;
    let id = |row: &Value| {
        let id = ["id", "name", "model"].iter().find_map(|key| row.get(key)?.as_str())?;
        Some(id.strip_prefix("models/").unwrap_or(id).to_owned())
    };
    Some(rows.iter().filter_map(id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_of_every_shape_are_read() {
        let check = |body: &str, expected: Option<&[&str]>| {
            let expected = expected.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
            assert_eq!(names(body.as_bytes()), expected, "{body}");
        };
        check(r#"{"object":"list","data":[{"id":"gpt-5.2","object":"model"}]}"#, Some(&["gpt-5.2"]));
        check(r#"{"data":[{"id":"claude-sonnet-5"}],"has_more":false}"#, Some(&["claude-sonnet-5"]));
        check(r#"{"models":[{"name":"models/gemini-3.1-pro"}]}"#, Some(&["gemini-3.1-pro"]));
        check(r#"{"models":[{"name":"qwen3:8b","model":"qwen3:8b"}]}"#, Some(&["qwen3:8b"]));
        check(r#"[{"id":"bare"}]"#, Some(&["bare"]));
        check(r#"{"data":[]}"#, Some(&[]));
        check(r#"{"error":"no"}"#, None);
        check("<html>", None);
    }
}
