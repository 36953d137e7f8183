//! Links to files, made good for another day.

use serde_json::{Value, json};

use super::{Ask, Done};
use crate::discord::{outcome::Outcome, world::signature};

pub(super) fn refresh(ask: &Ask<'_>) -> Done {
    let urls = ask.body.get("attachment_urls").and_then(Value::as_array).cloned().unwrap_or_default();
    let fresh = urls.iter().filter_map(Value::as_str).map(|url| {
        let bare = url.split('?').next().unwrap_or_default();
        json!({"original": url, "refreshed": format!("{bare}?{}", signature(ask.world.now()))})
    });
    Ok(Outcome::Done(json!({"refreshed_urls": fresh.collect::<Value>()})))
}
