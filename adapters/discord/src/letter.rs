//! What a message to Discord is made of: its text, whom it pings, what it answers, its buttons, its file. Pure.

use pensive_contract::inbound::{ChatKind, Place};
use pensive_contract::media::Media;
use pensive_contract::outward::{Button, Extras, Part, Quote};
use serde::Serialize;
use serenity::builder::CreateActionRow;

use crate::client::{CallFault, Payload};
use crate::components::rows;
use crate::handle::Handle;
use crate::settings::{DiscordSettings, Pings};

/// `SUPPRESS_EMBEDS`: links get no previews (<https://docs.discord.com/developers/resources/message#message-object-message-flags>).
const SUPPRESS_EMBEDS: u64 = 1 << 2;

/// How an account's messages behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Manners {
    pub(crate) pings: Pings,
    pub(crate) link_previews: bool,
}

impl Manners {
    /// Nobody is pinged and no link unfolds: so it is while an answer is made, whatever its final form may do.
    pub(crate) const QUIET: Self = Self {
        pings: Pings { users: false, roles: false, everyone: false, replied: false },
        link_previews: false,
    };

    pub(crate) fn of(settings: &DiscordSettings) -> Self {
        Self { pings: settings.pings, link_previews: settings.link_previews }
    }
}

/// A message as Discord takes it, new or in the place of another
/// (<https://docs.discord.com/developers/resources/message#create-message>).
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Letter {
    content: String,
    allowed_mentions: AllowedMentions,
    /// Always said: where it stays away an edit leaves what was.
    flags: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_reference: Option<MessageReference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    components: Option<Vec<CreateActionRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attachments: Option<[Attachment; 1]>,
}

#[derive(Debug, Clone, Serialize)]
struct AllowedMentions {
    parse: Vec<&'static str>,
    replied_user: bool,
}

#[derive(Debug, Clone, Serialize)]
struct MessageReference {
    message_id: String,
    /// One that is gone by then is no reason to lose the answer.
    fail_if_not_exists: bool,
}

#[derive(Debug, Clone, Serialize)]
struct Attachment {
    id: u64,
    filename: String,
}

impl Letter {
    /// A message of its own.
    pub(crate) fn new(to: &Place, part: &Part, extras: &Extras, manners: Manners) -> Self {
        let components = Some(rows(&extras.buttons)).filter(|rows| !rows.is_empty());
        let message_reference = quoted(to, extras);
        Self { message_reference, components, ..Self::plain(part, extras, manners) }
    }

    /// What a message that stands becomes; buttons that it had are gone unless they are named.
    pub(crate) fn change(part: &Part, extras: &Extras, manners: Manners) -> Self {
        Self { components: Some(rows(&extras.buttons)), ..Self::plain(part, extras, manners) }
    }

    fn plain(part: &Part, extras: &Extras, manners: Manners) -> Self {
        let name = |file: &Media| file.name.clone().unwrap_or_else(|| "file".to_owned());
        Self {
            content: part.text.clone(),
            allowed_mentions: AllowedMentions::of(manners.pings),
            flags: if manners.link_previews { 0 } else { SUPPRESS_EMBEDS },
            message_reference: None,
            components: None,
            attachments: extras.file.as_ref().map(|file| [Attachment { id: 0, filename: name(file) }]),
        }
    }

    /// The same without what it answers; nothing where it answers nothing.
    pub(crate) fn unreferred(&self) -> Option<Self> {
        self.message_reference.as_ref()?;
        Some(Self { message_reference: None, ..self.clone() })
    }

    /// As it goes over the wire, with the file that it names.
    pub(crate) fn payload(&self, file: Option<Media>) -> Result<Payload, CallFault> {
        let json =
            serde_json::to_vec(self).map_err(|error| CallFault::Unreached(format!("no JSON: {error}")))?;
        Ok(match file {
            Some(file) => Payload::WithFile(json, file),
            None => Payload::Json(json),
        })
    }
}

impl AllowedMentions {
    fn of(pings: Pings) -> Self {
        let kinds = [(pings.users, "users"), (pings.roles, "roles"), (pings.everyone, "everyone")];
        let parse = kinds.into_iter().filter_map(|(allowed, kind)| allowed.then_some(kind)).collect();
        Self { parse, replied_user: pings.replied }
    }
}

/// The message to quote. Of two people each knows what the other answers, so there only a message with buttons says what it is
/// about.
fn quoted(to: &Place, extras: &Extras) -> Option<MessageReference> {
    let says = match to.kind {
        ChatKind::Direct => !extras.buttons.is_empty(),
        ChatKind::Group | ChatKind::Channel => true,
    };
    let Handle::Message(id) = Handle::read(extras.reply_to.as_ref()?)? else { return None };
    let reference = MessageReference { message_id: id.to_string(), fail_if_not_exists: false };
    (says && extras.quote == Quote::Shown).then_some(reference)
}

/// The button under what is being made, and what it brings back before the number of the answer.
pub(crate) fn stop(stream: i64) -> Button {
    Button { label: "⏹ Stop".to_owned(), data: format!("halt:{stream}") }
}

#[cfg(test)]
mod tests {
    use pensive_contract::ids::Account;
    use pensive_contract::media::MediaKind;
    use serde_json::{Value, json};

    use super::*;
    use crate::handle::Interaction;

    fn place(kind: ChatKind) -> Place {
        let account = Account { channel: "discord".into(), id: "main".into() };
        Place { account, chat: "7".into(), kind, topic: None, space: None }
    }

    fn part() -> Part {
        Part { text: "hi <@1>".to_owned(), ..Part::default() }
    }

    fn json_of(letter: &Letter) -> Value {
        serde_json::to_value(letter).unwrap()
    }

    #[test]
    fn nobody_is_pinged_and_no_link_unfolds_unless_the_operator_says_so() {
        let extras = Extras::default();
        let silent = Letter::new(&place(ChatKind::Group), &part(), &extras, Manners::default());
        let expected = json!({
            "content": "hi <@1>", "flags": 4, "allowed_mentions": {"parse": [], "replied_user": false},
        });
        assert_eq!(json_of(&silent), expected);
        let pings = Pings { users: true, roles: true, everyone: true, replied: true };
        let loud = Manners { pings, link_previews: true };
        let loud = json_of(&Letter::new(&place(ChatKind::Group), &part(), &extras, loud));
        assert_eq!(
            loud.get("allowed_mentions"),
            Some(&json!({"parse": ["users", "roles", "everyone"], "replied_user": true}))
        );
        assert_eq!(loud.get("flags"), Some(&json!(0)));
    }

    #[test]
    fn what_is_answered_is_shown_where_others_talk() {
        let check = |kind, reply_to: &str, quote, expected: Option<&str>| {
            let extras = Extras { reply_to: Some(reply_to.into()), quote, ..Extras::default() };
            let letter = json_of(&Letter::new(&place(kind), &part(), &extras, Manners::default()));
            let expected = expected.map(|id| json!({"message_id": id, "fail_if_not_exists": false}));
            assert_eq!(letter.get("message_reference"), expected.as_ref());
        };
        check(ChatKind::Group, "5", Quote::Shown, Some("5"));
        check(ChatKind::Group, "5", Quote::Hidden, None);
        check(ChatKind::Direct, "5", Quote::Shown, None);
        let interaction = Interaction { application: 1, id: 2, token: "t".to_owned() };
        check(ChatKind::Group, Handle::Command(interaction).mint().as_str(), Quote::Shown, None);
        check(ChatKind::Group, "no id of ours", Quote::Shown, None);
    }

    #[test]
    fn a_change_takes_buttons_away() {
        let change = json_of(&Letter::change(&part(), &Extras::default(), Manners::default()));
        assert_eq!(change.get("components"), Some(&json!([])));
        assert_eq!(change.get("message_reference"), None);
    }

    #[test]
    fn a_file_is_named() {
        let file = |name: Option<&str>| Media {
            kind: MediaKind::Image,
            mime: "image/png".to_owned(),
            name: name.map(str::to_owned),
            bytes: b"png".as_slice().into(),
        };
        let check = |name: Option<&str>, expected: &str| {
            let extras = Extras { file: Some(file(name)), ..Extras::default() };
            let letter = json_of(&Letter::new(&place(ChatKind::Group), &part(), &extras, Manners::default()));
            assert_eq!(letter.get("attachments"), Some(&json!([{"id": 0, "filename": expected}])));
        };
        check(Some("cat.png"), "cat.png");
        check(None, "file");
    }
}
