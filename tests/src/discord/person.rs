//! A person in front of their app: writes, changes, replies, calls commands, presses buttons, and sees what others see too and what
//! is for them alone.
#![allow(clippy::panic, reason = "what Discord's app would not offer fails the test that does it")]

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::{
    DiscordFake, Room,
    interaction::{Interaction, State},
    message::{Allowed, Message, Reader},
    seen::{Choice, Film, Seen, controls, text},
    world::intent,
};

/// Somebody, and the channel that they look at.
#[derive(Clone, Debug)]
pub struct Person {
    fake: DiscordFake,
    id: u64,
    bot: u64,
    channel: u64,
}

/// What a person did that waits for an answer.
#[derive(Clone, Debug)]
pub struct Called {
    fake: DiscordFake,
    id: u64,
}

impl Called {
    /// Its id.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Discord has had a first word for it.
    pub fn is_heard(&self) -> bool {
        self.fake.world().interactions.get(&self.id).is_some_and(|known| known.state != State::Open)
    }

    /// Milliseconds until the first word, on the clock that is followed.
    pub fn heard_after(&self) -> Option<i64> {
        let world = self.fake.world();
        let known = world.interactions.get(&self.id)?;
        Some(known.heard? - known.created)
    }

    /// Waits for the first word.
    pub async fn heard(&self) {
        self.fake.wait_until(|_| self.is_heard().then_some(())).await;
    }
}

impl Person {
    pub(crate) fn new(fake: DiscordFake, id: u64, bot: u64, channel: u64) -> Self {
        Self { fake, id, bot, channel }
    }

    /// Their id.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The channel that they look at.
    pub fn channel(&self) -> u64 {
        self.channel
    }

    /// `<@id>`.
    pub fn mention(&self) -> String {
        format!("<@{}>", self.id)
    }

    /// The same person in front of a channel of a guild.
    pub fn in_room(&self, room: &Room) -> Self {
        Self { channel: room.id(), ..self.clone() }
    }

    /// The same person in front of any channel.
    pub fn at(&self, channel: u64) -> Self {
        Self { channel, ..self.clone() }
    }

    /// The same person alone with another bot.
    pub fn with(&self, bot: u64) -> Self {
        let channel = self.fake.world().direct(self.id, bot);
        Self { bot, channel, ..self.clone() }
    }

    /// Takes direct messages from nobody any more.
    pub fn close(&self) {
        if let Some(user) = self.fake.world().users.get_mut(&self.id) {
            user.closed = true;
        }
    }

    /// Writes; gives the message.
    pub fn say(&self, text: &str) -> u64 {
        self.post(Message { content: text.to_owned(), ..Message::default() })
    }

    /// Writes and calls the bot by its name.
    pub fn mention_and_say(&self, text: &str) -> u64 {
        self.say(&format!("<@{}> {text}", self.bot))
    }

    /// Replies to a message.
    pub fn reply(&self, to: u64, text: &str) -> u64 {
        self.post(Message { content: text.to_owned(), answers: Some(to), kind: 19, ..Message::default() })
    }

    /// Writes with files: name, type and bytes of each.
    pub fn send(&self, text: &str, files: &[(&str, &str, &[u8])]) -> u64 {
        let mut world = self.fake.world();
        let mut place = |(name, kind, bytes): &(&str, &str, &[u8])| {
            world.keep_file(self.channel, name, kind, Bytes::copy_from_slice(bytes))
        };
        let attachments = files.iter().map(&mut place).collect();
        drop(world);
        self.post(Message { content: text.to_owned(), attachments, ..Message::default() })
    }

    /// A spoken message.
    pub fn speak(&self, bytes: &[u8]) -> u64 {
        let mut file = self.fake.add_file(self.channel, "voice-message.ogg", "audio/ogg", bytes.to_vec());
        if let Some(fields) = file.as_object_mut() {
            fields.insert("duration_secs".into(), json!(2.5));
            fields.insert("waveform".into(), "AAAA".into());
        }
        self.post(Message { attachments: vec![file], flags: 1 << 13, ..Message::default() })
    }

    /// A message with any further fields, such as `sticker_items` or `message_snapshots`, and of any kind.
    pub fn send_raw(&self, text: &str, kind: u8, extra: &Value) -> u64 {
        let extra = extra.as_object().cloned().unwrap_or_default();
        self.post(Message { content: text.to_owned(), kind, extra, ..Message::default() })
    }

    /// A webhook writes in this person's name.
    pub fn say_by_webhook(&self, text: &str) -> u64 {
        let webhook = Some(self.fake.world().take_id());
        self.post(Message { content: text.to_owned(), webhook, ..Message::default() })
    }

    fn post(&self, message: Message) -> u64 {
        let mut world = self.fake.world();
        let (id, sent) = (world.take_id(), world.now());
        let guild = world.channels.get(&self.channel).and_then(|channel| channel.guild);
        let mut pings = world.pings(&message.content, guild, &Allowed::all());
        let answered =
            message.answers.and_then(|id| world.message(self.channel, id)).map(|message| message.author);
        pings.users.extend(answered.filter(|author| !pings.users.contains(author)));
        let message = Message { id, sent, pings, channel: self.channel, author: self.id, ..message };
        world.post(message);
        drop(world);
        self.fake.tick();
        id
    }

    /// Changes a text of theirs.
    pub fn edit(&self, message: u64, text: &str) {
        let mut world = self.fake.world();
        let now = world.now();
        if let Some(message) = world.message_mut(self.channel, message) {
            text.clone_into(&mut message.content);
            message.edited = Some(now);
        }
        world.changed(self.channel, message);
        drop(world);
        self.fake.tick();
    }

    /// Discord has found out what a link of theirs shows: the message changes, and not by them.
    pub fn unfurl(&self, message: u64) {
        let mut world = self.fake.world();
        if let Some(message) = world.message_mut(self.channel, message) {
            message.embeds = vec![json!({"type": "link", "title": "A page", "url": "https://example.org/"})];
        }
        world.changed(self.channel, message);
        drop(world);
        self.fake.tick();
    }

    /// Deletes a message of theirs.
    pub fn delete(&self, message: u64) {
        self.fake.world().delete(self.channel, message);
        self.fake.tick();
    }

    /// What they see where they look, oldest first.
    pub fn sees(&self) -> Vec<Seen> {
        self.fake.world().screen(self.channel, self.id)
    }

    /// What bots have said there.
    pub fn said(&self) -> Vec<String> {
        self.sees().into_iter().filter(|seen| seen.by_bot && !seen.loading).map(|seen| seen.text).collect()
    }

    /// One message, also one that is gone.
    pub fn saw(&self, id: u64) -> Option<Seen> {
        let world = self.fake.world();
        let message = world.channels.get(&self.channel)?.messages.get(&id)?;
        Some(world.see(message, self.id))
    }

    /// A message of a bot whose text contains `part`, as soon as they see it.
    pub async fn wait_for(&self, part: &str) -> Seen {
        let here = |seen: &Seen| seen.by_bot && seen.text.contains(part);
        self.fake.wait_until(|_| self.sees().into_iter().find(here)).await
    }

    /// Pictures of what they see from now on.
    pub fn film(&self) -> Film {
        Film::begin(&self.fake, self.channel, self.id)
    }

    /// Calls a command by its form. What the app would not offer fails the test.
    pub fn command(&self, name: &str, options: &[(&str, &str)]) -> Called {
        let command = self.registered(name);
        let known = command.get("options").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut given = Vec::new();
        for (option, value) in options {
            let spec = known.iter().find(|spec| text(spec, "name") == *option);
            let spec = spec.unwrap_or_else(|| panic!("/{name} has no option {option}: {command}"));
            let choices = spec.get("choices").and_then(Value::as_array).cloned().unwrap_or_default();
            let offered = choices.is_empty() || choices.iter().any(|choice| text(choice, "value") == *value);
            assert!(offered, "/{name} {option} does not offer {value}: {spec}");
            given.push(json!({"name": option, "type": 3, "value": value}));
        }
        self.call(&command, 2, &given)
    }

    /// A command that is not registered any more, from an app that does not know yet.
    pub fn call_forgotten(&self, name: &str) -> Called {
        self.call(&json!({"id": "1", "name": name}), 2, &[])
    }

    fn call(&self, command: &Value, kind: u8, options: &[Value]) -> Called {
        let mut data = Map::new();
        data.insert("id".into(), text(command, "id").into());
        data.insert("name".into(), text(command, "name").into());
        data.insert("type".into(), 1.into());
        if !options.is_empty() {
            data.insert("options".into(), options.to_vec().into());
        }
        if let Some(guild) = command.get("guild_id") {
            data.insert("guild_id".into(), guild.clone());
        }
        self.interact(kind, &text(command, "name"), None, &data.into())
    }

    /// The command of this name as the app offers it here.
    fn registered(&self, name: &str) -> Value {
        let world = self.fake.world();
        let guild = world.channels.get(&self.channel).and_then(|channel| channel.guild);
        let bot = world.bots.get(&self.bot);
        let here = |(owner, command): &&(Option<u64>, Value)| {
            text(command, "name") == name && (owner.is_none() || (owner.is_some() && *owner == guild))
        };
        let found = bot.and_then(|bot| bot.commands.values().find(here)).map(|(_, command)| command.clone());
        drop(world);
        found.unwrap_or_else(|| panic!("no command /{name} is offered here"))
    }

    /// Whether the app offers a command of this name here.
    pub fn is_offered(&self, name: &str) -> bool {
        let world = self.fake.world();
        let guild = world.channels.get(&self.channel).and_then(|channel| channel.guild);
        let Some(bot) = world.bots.get(&self.bot) else { return false };
        bot.commands
            .values()
            .any(|(owner, command)| text(command, "name") == name && (owner.is_none() || *owner == guild))
    }

    /// What is offered to them while they type behind an option.
    pub async fn complete(&self, name: &str, option: &str, typed: &str) -> Vec<Choice> {
        let command = self.registered(name);
        let option = json!({"name": option, "type": 3, "value": typed, "focused": true});
        let called = self.call(&command, 4, &[option]);
        let choices = self.fake.wait_until(|fake| {
            let world = fake.world();
            world.interactions.get(&called.id).and_then(|known| known.choices.clone())
        });
        let read = |choice: &Value| Choice {
            label: text(choice, "name"),
            value: text(choice, "value"),
            marked: false,
        };
        choices.await.as_array().into_iter().flatten().map(read).collect()
    }

    /// Presses the button of this label below a message that they see.
    pub fn press(&self, message: u64, label: &str) -> Called {
        let control = self.control(message, |control| {
            control.get("type").and_then(Value::as_u64) == Some(2) && text(control, "label") == label
        });
        let control = control.unwrap_or_else(|| panic!("no button {label} below {:?}", self.saw(message)));
        let data = json!({"custom_id": text(&control, "custom_id"), "component_type": 2});
        self.interact(3, "", Some(message), &data)
    }

    /// Chooses a value in a menu below a message that they see.
    pub fn choose(&self, message: u64, value: &str) -> Called {
        let has = |control: &Value| {
            let options = control.get("options").and_then(Value::as_array);
            options
                .into_iter()
                .flatten()
                .any(|option| text(option, "value") == value || text(option, "label") == value)
        };
        let control = self.control(message, has);
        let control =
            control.unwrap_or_else(|| panic!("{value} is not to be chosen below {:?}", self.saw(message)));
        let options = control.get("options").and_then(Value::as_array).cloned().unwrap_or_default();
        let chosen =
            options.iter().find(|option| text(option, "value") == value || text(option, "label") == value);
        let chosen = chosen.map(|option| text(option, "value")).unwrap_or_default();
        let data = json!({
            "custom_id": text(&control, "custom_id"), "component_type": 3, "values": [chosen],
        });
        self.interact(3, "", Some(message), &data)
    }

    fn control(&self, message: u64, wanted: impl Fn(&Value) -> bool) -> Option<Value> {
        let world = self.fake.world();
        let message = world.message(self.channel, message)?;
        let shown = message.only.is_none_or(|only| only == self.id);
        controls(&message.components).into_iter().find(|control| shown && wanted(control)).cloned()
    }

    fn interact(&self, kind: u8, name: &str, pressed: Option<u64>, data: &Value) -> Called {
        let mut world = self.fake.world();
        let (id, created) = (world.take_id(), world.now());
        // A press concerns whoever wrote the message.
        let author = pressed.and_then(|id| world.message(self.channel, id)).map(|message| message.author);
        let bot = author.unwrap_or(self.bot);
        let token = format!("aW50ZXJhY3Rpb246{id}fake");
        world.interactions.insert(
            id,
            Interaction {
                id,
                token: token.clone(),
                bot,
                kind,
                user: self.id,
                channel: self.channel,
                created,
                name: name.to_owned(),
                pressed,
                state: State::Open,
                choices: None,
                heard: None,
            },
        );
        let guild = world.channels.get(&self.channel).and_then(|channel| channel.guild);
        let mut channel = world.channel_object(self.channel);
        if let Some(fields) = channel.as_object_mut() {
            fields.insert("permissions".into(), world.permissions().into());
        }
        let mut event = json!({
            "id": id.to_string(), "application_id": bot.to_string(), "type": kind, "token": token, "version": 1,
            "data": data, "channel_id": self.channel.to_string(), "channel": channel, "locale": "en-US",
            "app_permissions": world.permissions(), "entitlements": [], "context": if guild.is_some() { 0 } else { 1 },
            "authorizing_integration_owners": {"0": guild.map_or("0".to_owned(), |guild| guild.to_string())},
            "attachment_size_limit": 10_485_760,
        });
        let mut more = Map::new();
        match guild {
            Some(guild) => {
                let mut member =
                    world.guilds.get(&guild).and_then(|known| known.member(self.id)).unwrap_or_default();
                member.insert("user".into(), world.user_object(self.id));
                member.insert("permissions".into(), world.permissions().into());
                more.insert("member".into(), member.into());
                more.insert("guild_id".into(), guild.to_string().into());
                more.insert("guild_locale".into(), "en-US".into());
                more.insert(
                    "guild".into(),
                    json!({"id": guild.to_string(), "locale": "en-US", "features": []}),
                );
            }
            None => {
                more.insert("user".into(), world.user_object(self.id));
            }
        }
        if let Some(message) = pressed.and_then(|id| world.message(self.channel, id)) {
            more.insert("message".into(), world.message_object(message, Reader::person(self.id)));
        }
        if let Some(fields) = event.as_object_mut() {
            fields.extend(more);
        }
        world.tell(bot, guild, intent::NONE, "INTERACTION_CREATE", |_, _| event.clone());
        drop(world);
        self.fake.tick();
        Called { fake: self.fake.clone(), id }
    }
}
