//! One message, as state and as the object that the API shows for it.

use serde_json::{Map, Value, json};

use super::{guild::ORDINARY, people::MESSAGE_CONTENT, time::iso, world::World};

/// Only its person sees it.
pub(crate) const EPHEMERAL: u64 = 1 << 6;
/// "… is thinking".
pub(crate) const LOADING: u64 = 1 << 7;

#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub(crate) id: u64,
    pub(crate) channel: u64,
    pub(crate) author: u64,
    /// `MessageType`.
    pub(crate) kind: u8,
    pub(crate) sent: i64,
    pub(crate) edited: Option<i64>,
    pub(crate) content: String,
    pub(crate) pings: Pings,
    pub(crate) attachments: Vec<Value>,
    pub(crate) embeds: Vec<Value>,
    pub(crate) components: Vec<Value>,
    pub(crate) flags: u64,
    pub(crate) tts: bool,
    pub(crate) nonce: Option<Value>,
    /// The message that it answers.
    pub(crate) answers: Option<u64>,
    /// The interaction that it came of.
    pub(crate) origin: Option<Origin>,
    /// The only one who sees it.
    pub(crate) only: Option<u64>,
    /// A webhook wrote it.
    pub(crate) webhook: Option<u64>,
    pub(crate) deleted: bool,
    /// Any further fields of the object.
    pub(crate) extra: Map<String, Value>,
}

/// Whom a message calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pings {
    pub(crate) users: Vec<u64>,
    pub(crate) roles: Vec<u64>,
    pub(crate) everyone: bool,
}

/// What a message says about the interaction that it came of.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) interaction: u64,
    pub(crate) kind: u8,
    pub(crate) user: u64,
    /// The command's name.
    pub(crate) name: String,
    /// The message whose button was pressed.
    pub(crate) pressed: Option<u64>,
}

/// For whom a message is written down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    pub(crate) user: u64,
    /// May read what does not concern it.
    pub(crate) content: bool,
}

impl Reader {
    /// A session of this bot with these intents, or REST when it has the switch in the portal.
    pub(crate) fn bot(user: u64, intents: u64) -> Self {
        Self { user, content: intents & MESSAGE_CONTENT != 0 }
    }

    /// Somebody in front of a screen.
    pub(crate) fn person(user: u64) -> Self {
        Self { user, content: true }
    }
}

/// The message that is answered is shown, those that it answers itself are not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Whole,
    Referred,
}

impl World {
    /// The `Message` object.
    pub(crate) fn message_object(&self, message: &Message, reader: Reader) -> Value {
        self.written(message, reader, Depth::Whole).into()
    }

    /// The same with what the gateway adds to it.
    pub(crate) fn message_event(&self, message: &Message, reader: Reader) -> Value {
        let mut object = self.written(message, reader, Depth::Whole);
        let Some(channel) = self.channels.get(&message.channel) else { return object.into() };
        object.insert("channel_type".into(), channel.kind.number().into());
        if let Some(guild) = channel.guild.and_then(|id| self.guilds.get(&id)) {
            object.insert("guild_id".into(), guild.id.to_string().into());
            if let Some(member) = guild.member(message.author).filter(|_| message.webhook.is_none()) {
                object.insert("member".into(), member.into());
            }
            for mentioned in object.get_mut("mentions").and_then(Value::as_array_mut).into_iter().flatten() {
                let id = mentioned.get("id").and_then(Value::as_str).and_then(|id| id.parse().ok());
                let member = id.and_then(|id| guild.member(id));
                if let (Some(member), Some(fields)) = (member, mentioned.as_object_mut()) {
                    fields.insert("member".into(), member.into());
                }
            }
        }
        object.into()
    }

    fn written(&self, message: &Message, reader: Reader, depth: Depth) -> Map<String, Value> {
        let open = self.may_read(message, reader);
        let hide = |list: &Vec<Value>| if open { list.clone() } else { Vec::new() };
        let pings = &message.pings;
        let mentions: Vec<Value> = pings.users.iter().map(|id| self.user_object(*id)).collect();
        let roles: Vec<String> = pings.roles.iter().map(u64::to_string).collect();
        let object = json!({
            "id": message.id.to_string(), "channel_id": message.channel.to_string(), "type": message.kind,
            "author": self.author_object(message), "content": if open { message.content.as_str() } else { "" },
            "timestamp": iso(message.sent), "edited_timestamp": message.edited.map(iso), "tts": message.tts,
            "mention_everyone": pings.everyone, "mentions": mentions, "mention_roles": roles,
            "attachments": hide(&message.attachments), "embeds": hide(&message.embeds), "pinned": false,
            "flags": message.flags, "components": hide(&message.components),
        });
        let mut object = object.as_object().cloned().unwrap_or_default();
        let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
        if let Some(nonce) = &message.nonce {
            put("nonce", nonce.clone());
        }
        if let Some(webhook) = message.webhook {
            put("webhook_id", webhook.to_string().into());
        }
        if let Some(origin) = &message.origin {
            put("application_id", message.author.to_string().into());
            put("webhook_id", message.author.to_string().into());
            put("interaction_metadata", self.origin_object(origin));
            if origin.kind == 2 {
                let user = self.user_object(origin.user);
                put(
                    "interaction",
                    json!({"id": origin.interaction.to_string(), "type": 2, "name": origin.name, "user": user}),
                );
            }
        }
        if let Some(answered) = message.answers {
            put("message_reference", self.reference(message.channel, answered));
            if depth == Depth::Whole {
                let found = self.message(message.channel, answered);
                let found = found.map(|found| Value::from(self.written(found, reader, Depth::Referred)));
                put("referenced_message", found.unwrap_or_default());
            }
        }
        object.extend(message.extra.clone());
        object
    }

    fn author_object(&self, message: &Message) -> Value {
        let mut user = self.user_object(message.author);
        if let (Some(webhook), Some(fields)) = (message.webhook, user.as_object_mut()) {
            fields.insert("id".into(), webhook.to_string().into());
            fields.insert("discriminator".into(), "0000".into());
            fields.insert("bot".into(), true.into());
        }
        user
    }

    fn reference(&self, channel: u64, message: u64) -> Value {
        let mut object =
            json!({"type": 0, "message_id": message.to_string(), "channel_id": channel.to_string()});
        let guild = self.channels.get(&channel).and_then(|channel| channel.guild);
        if let (Some(guild), Some(fields)) = (guild, object.as_object_mut()) {
            fields.insert("guild_id".into(), guild.to_string().into());
        }
        object
    }

    fn origin_object(&self, origin: &Origin) -> Value {
        let mut object = json!({
            "id": origin.interaction.to_string(), "type": origin.kind, "user": self.user_object(origin.user),
            "authorizing_integration_owners": {},
        });
        if let (Some(pressed), Some(fields)) = (origin.pressed, object.as_object_mut()) {
            fields.insert("interacted_message_id".into(), pressed.to_string().into());
        }
        object
    }

    /// Without the intent, content is for those whom it concerns: the author, whoever is mentioned, and direct messages.
    fn may_read(&self, message: &Message, reader: Reader) -> bool {
        let direct = self.channels.get(&message.channel).is_some_and(|channel| channel.guild.is_none());
        reader.content
            || direct
            || message.author == reader.user
            || message.pings.users.contains(&reader.user)
    }

    /// Whom `content` calls, as far as `allowed` lets it.
    pub(crate) fn pings(&self, content: &str, guild: Option<u64>, allowed: &Allowed) -> Pings {
        let mut pings = Pings::default();
        for tag in tags(content) {
            if let Some(id) = tag.strip_prefix("@&").and_then(|id| id.parse().ok()) {
                let role = guild.and_then(|id| self.guilds.get(&id));
                let known = role.is_some_and(|guild| guild.roles.iter().any(|role| role.id == id));
                if known && allowed.role(id) && !pings.roles.contains(&id) {
                    pings.roles.push(id);
                }
            } else if let Some(id) =
                tag.strip_prefix("@!").or(tag.strip_prefix('@')).and_then(|id| id.parse().ok())
                && self.users.contains_key(&id)
                && allowed.user(id)
                && !pings.users.contains(&id)
            {
                pings.users.push(id);
            }
        }
        let calls_all = content.contains("@everyone") || content.contains("@here");
        pings.everyone = guild.is_some() && calls_all && allowed.everyone;
        pings
    }

    /// What a user may do in a guild: everything that everybody may.
    pub(crate) fn permissions(&self) -> String {
        ORDINARY.to_string()
    }
}

/// What stands between `<` and `>`.
fn tags(content: &str) -> impl Iterator<Item = &str> {
    content.split('<').skip(1).filter_map(|rest| rest.split_once('>').map(|(tag, _)| tag))
}

/// Read from `allowed_mentions`; without it everything is allowed.
#[derive(Clone, Debug)]
pub(crate) struct Allowed {
    /// All users, or these.
    users: Option<Vec<u64>>,
    roles: Option<Vec<u64>>,
    pub(crate) everyone: bool,
    /// The author of the message that is answered.
    pub(crate) replied: bool,
}

impl Allowed {
    pub(crate) fn all() -> Self {
        Self { users: None, roles: None, everyone: true, replied: true }
    }

    /// The object is known to be well formed.
    pub(crate) fn read(given: Option<&Value>) -> Self {
        let Some(given) = given.filter(|given| given.is_object()) else { return Self::all() };
        let list = |name: &str| given.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let parse = list("parse");
        let parses = |word: &str| parse.iter().any(|parsed| parsed == word);
        let ids = |name: &str| {
            let ids = list(name);
            let ids = ids.iter().filter_map(|id| id.as_u64().or_else(|| id.as_str()?.parse().ok())).collect();
            (!parses(name)).then_some(ids)
        };
        let replied = given.get("replied_user").and_then(Value::as_bool).unwrap_or_default();
        Self { users: ids("users"), roles: ids("roles"), everyone: parses("everyone"), replied }
    }

    fn user(&self, id: u64) -> bool {
        self.users.as_ref().is_none_or(|users| users.contains(&id))
    }

    fn role(&self, id: u64) -> bool {
        self.roles.as_ref().is_none_or(|roles| roles.contains(&id))
    }
}
