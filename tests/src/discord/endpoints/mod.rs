//! What each route does.

mod account;
mod channels;
mod commands;
mod draft;
mod files;
mod interactions;
mod messages;

use serde_json::Value;

use super::{outcome::Outcome, refusal::Refusal, world::World};

/// One call, as far as the world is concerned.
pub(crate) struct Ask<'a> {
    pub(crate) world: &'a mut World,
    /// Whose call; 0 on routes that carry a token of their own.
    pub(crate) bot: u64,
    pub(crate) method: &'a str,
    /// Behind the version.
    pub(crate) path: Vec<&'a str>,
    pub(crate) query: &'a str,
    pub(crate) body: &'a Value,
    pub(crate) files: &'a [Upload],
    /// What Discord would pass over.
    pub(crate) remarks: Vec<String>,
}

/// A file in a form.
#[derive(Clone, Debug)]
pub(crate) struct Upload {
    /// `files[0]`.
    pub(crate) part: String,
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) bytes: bytes::Bytes,
}

impl Upload {
    /// Its number in the form, by which the body speaks of it.
    fn place(&self) -> Option<u64> {
        self.part.strip_prefix("files[")?.strip_suffix(']')?.parse().ok()
    }
}

/// What came of it.
pub(crate) type Done = Result<Outcome, Refusal>;

/// Whether a path carries its own token.
pub(crate) fn is_free(path: &[&str]) -> bool {
    matches!(path, ["interactions", _, _, "callback"] | ["webhooks", ..])
}

/// Does it.
pub(crate) fn carry_out(ask: &mut Ask<'_>) -> Done {
    let path = ask.path.clone();
    match (ask.method, path.as_slice()) {
        ("GET", ["gateway", ..] | ["users", "@me", ..] | ["applications" | "oauth2", .., "@me"]) => {
            account::look(ask)
        }
        ("POST", ["users", "@me", "channels"]) => account::open_direct(ask),
        ("GET", ["guilds", ..]) => account::guild(ask),
        (_, ["applications", application, ..]) => {
            let application = id(application)?;
            commands::change(ask, application)
        }
        ("POST", ["interactions", interaction, token, "callback"]) => {
            interactions::callback(ask, id(interaction)?, token)
        }
        (_, ["webhooks", _, token]) if ask.method == "POST" => interactions::follow_up(ask, token),
        (_, ["webhooks", _, token, "messages", message]) => interactions::answer(ask, token, message),
        ("POST", ["attachments", "refresh-urls"]) => files::refresh(ask),
        (_, ["channels", channel]) => channels::one(ask, id(channel)?),
        ("POST", ["channels", channel, "typing"]) => channels::typing(ask, id(channel)?),
        ("POST", ["channels", channel, "threads"]) => channels::open_thread(ask, id(channel)?, None),
        ("POST", ["channels", channel, "messages", message, "threads"]) => {
            channels::open_thread(ask, id(channel)?, Some(id(message)?))
        }
        ("GET", ["channels", channel, "messages"]) => messages::list(ask, id(channel)?),
        ("POST", ["channels", channel, "messages"]) => messages::send(ask, id(channel)?),
        ("GET", ["channels", channel, "messages", message]) => {
            messages::read(ask, id(channel)?, id(message)?)
        }
        ("PATCH", ["channels", channel, "messages", message]) => {
            messages::edit(ask, id(channel)?, id(message)?)
        }
        ("DELETE", ["channels", channel, "messages", message]) => {
            messages::delete(ask, id(channel)?, id(message)?)
        }
        _ => {
            ask.remarks.push("no such route".to_owned());
            Err(Refusal::not_found())
        }
    }
}

/// An id in a path.
fn id(segment: &str) -> Result<u64, Refusal> {
    let wrong =
        || Refusal::field("", "NUMBER_TYPE_COERCE", &format!("Value \"{segment}\" is not snowflake."));
    segment.parse().map_err(|_| wrong())
}

/// An id in a body: Discord takes numbers as well.
fn given_id(value: Option<&Value>) -> Option<u64> {
    let value = value?;
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

/// The path with `{}` for ids and tokens.
pub(crate) fn route(path: &[&str]) -> String {
    let mut route = String::new();
    for (place, segment) in path.iter().enumerate() {
        let token = matches!(path.first(), Some(&"interactions" | &"webhooks")) && place == 2;
        let original = *segment == "@original";
        let number = segment.bytes().all(|byte| byte.is_ascii_digit());
        route.push('/');
        route.push_str(if token || number || original { "{}" } else { segment });
    }
    route
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_named_without_ids_and_tokens() {
        let check = |path: &[&str], expected: &str| assert_eq!(route(path), expected);
        check(&["channels", "12", "messages", "3"], "/channels/{}/messages/{}");
        check(&["interactions", "12", "aW", "callback"], "/interactions/{}/{}/callback");
        check(&["webhooks", "12", "aW", "messages", "@original"], "/webhooks/{}/{}/messages/{}");
        check(&["users", "@me"], "/users/@me");
    }
}
