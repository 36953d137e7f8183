//! What a person sees of a message, and of a channel over time.

use serde_json::Value;

use super::{
    DiscordFake,
    message::{EPHEMERAL, LOADING, Message, Reader},
    world::World,
};

/// One message on somebody's screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Its id.
    pub id: u64,
    /// Where it stands.
    pub channel: u64,
    /// Who wrote it.
    pub from: u64,
    /// Written by a bot, ours or another.
    pub by_bot: bool,
    /// `content`.
    pub text: String,
    /// Labels of the buttons, in reading order.
    pub buttons: Vec<String>,
    /// Select menus, in reading order.
    pub menus: Vec<Menu>,
    /// The message it answers.
    pub reply_to: Option<u64>,
    /// Nobody else sees it.
    pub ephemeral: bool,
    /// Only "… is thinking" so far.
    pub loading: bool,
    /// It was changed after it was sent.
    pub edited: bool,
    /// It is gone; found only by `Person::saw`.
    pub deleted: bool,
    /// Files.
    pub attachments: Vec<Attached>,
    /// Embeds as they were sent.
    pub embeds: Vec<Value>,
    /// Whom it called: users and roles.
    pub pinged: Vec<u64>,
    /// It called everybody.
    pub pinged_everyone: bool,
    /// The message object as the API gives it.
    pub raw: Value,
}

/// A select menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Menu {
    /// `custom_id`.
    pub id: String,
    /// What stands there before something is chosen.
    pub placeholder: String,
    /// In their order.
    pub options: Vec<Choice>,
}

/// Something to choose, in a menu or while a command is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What is shown.
    pub label: String,
    /// What is sent.
    pub value: String,
    /// Marked as chosen already.
    pub marked: bool,
}

/// A file below a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    /// File name.
    pub name: String,
    /// `content_type`, empty when there is none.
    pub kind: String,
    /// Bytes.
    pub size: u64,
    /// Where it is fetched.
    pub url: String,
}

impl Choice {
    fn read(option: &Value) -> Self {
        let marked = option.get("default").and_then(Value::as_bool).unwrap_or_default();
        Self { label: text(option, "label"), value: text(option, "value"), marked }
    }
}

/// A field as text; empty where there is none.
pub(crate) fn text(object: &Value, name: &str) -> String {
    object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Everything that can be pressed or chosen, in reading order, however deep it stands.
pub(crate) fn controls(components: &[Value]) -> Vec<&Value> {
    let mut found = Vec::new();
    for component in components {
        match component.get("type").and_then(Value::as_u64) {
            Some(2..=8) => found.push(component),
            _ => {
                let inner = component.get("components").and_then(Value::as_array);
                found.extend(inner.into_iter().flat_map(|inner| controls(inner)));
                found.extend(component.get("accessory"));
            }
        }
    }
    found
}

impl World {
    pub(crate) fn see(&self, message: &Message, viewer: u64) -> Seen {
        let controls = controls(&message.components);
        let of_kind = |kind: u64| {
            controls.iter().filter(move |control| control.get("type").and_then(Value::as_u64) == Some(kind))
        };
        let menu = |menu: &&Value| Menu {
            id: text(menu, "custom_id"),
            placeholder: text(menu, "placeholder"),
            options: menu
                .get("options")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .map(Choice::read)
                .collect(),
        };
        let file = |file: &Value| Attached {
            name: text(file, "filename"),
            kind: text(file, "content_type"),
            size: file.get("size").and_then(Value::as_u64).unwrap_or_default(),
            url: text(file, "url"),
        };
        Seen {
            id: message.id,
            channel: message.channel,
            from: message.author,
            by_bot: self.users.get(&message.author).is_some_and(|user| user.bot),
            text: message.content.clone(),
            buttons: of_kind(2).map(|button| text(button, "label")).collect(),
            menus: of_kind(3).map(menu).collect(),
            reply_to: message.answers,
            ephemeral: message.flags & EPHEMERAL != 0,
            loading: message.flags & LOADING != 0,
            edited: message.edited.is_some(),
            deleted: message.deleted,
            attachments: message.attachments.iter().map(file).collect(),
            embeds: message.embeds.clone(),
            pinged: message.pings.users.iter().chain(&message.pings.roles).copied().collect(),
            pinged_everyone: message.pings.everyone,
            raw: self.message_object(message, Reader::person(viewer)),
        }
    }

    /// The messages of a channel in somebody's eyes, oldest first.
    pub(crate) fn screen(&self, channel: u64, viewer: u64) -> Vec<Seen> {
        let channel = self.channels.get(&channel);
        let messages = channel.into_iter().flat_map(|channel| channel.messages.values());
        let shown =
            messages.filter(|message| message.only.is_none_or(|only| only == viewer) && !message.deleted);
        shown.map(|message| self.see(message, viewer)).collect()
    }
}

/// One picture of a [`Film`].
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Milliseconds on the clock that the fake follows.
    pub moment: i64,
    /// What could be seen from then on.
    pub messages: Vec<Seen>,
}

impl Frame {
    /// How often a text of a bot's can be read that contains `part`: more than once is once too often.
    pub fn copies(&self, part: &str) -> usize {
        self.messages.iter().filter(|seen| seen.by_bot && seen.text.contains(part)).count()
    }
}

/// Takes a picture whenever something changes in a channel.
#[derive(Clone, Debug)]
pub struct Film {
    fake: DiscordFake,
    key: (u64, u64),
}

impl Film {
    pub(crate) fn begin(fake: &DiscordFake, channel: u64, viewer: u64) -> Self {
        fake.world().film(channel, viewer);
        Self { fake: fake.clone(), key: (channel, viewer) }
    }

    /// All pictures, the first being that of the beginning.
    pub fn frames(&self) -> Vec<Frame> {
        self.fake.world().films.get(&self.key).cloned().unwrap_or_default()
    }

    /// The most copies of a text with `part` in it that could ever be read at the same moment.
    pub fn most_copies(&self, part: &str) -> usize {
        self.frames().iter().map(|frame| frame.copies(part)).max().unwrap_or_default()
    }

    /// The first picture in which a text of a bot's contains `part`.
    pub fn first(&self, part: &str) -> Option<Frame> {
        self.frames().into_iter().find(|frame| frame.copies(part) > 0)
    }

    /// What bots' newest message said, each text once for as long as it did not change.
    pub fn newest(&self) -> Vec<String> {
        let newest = |frame: &Frame| {
            frame.messages.iter().rev().find(|seen| seen.by_bot).map(|seen| seen.text.clone())
        };
        let mut texts: Vec<String> = self.frames().iter().filter_map(newest).collect();
        texts.dedup();
        texts
    }
}
