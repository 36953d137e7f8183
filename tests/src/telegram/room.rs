//! A group, forum or channel as a test holds it.

use serde_json::json;

use super::{
    BotAccount, ChatKind, Person, TelegramFake,
    methods::member_object,
    people::{Chat, SUPERGROUP_BASE, TopicState},
    world::{Incoming, World},
};

/// A chat of more than two.
#[derive(Clone, Debug)]
pub struct Room {
    fake: TelegramFake,
    id: i64,
}

impl Room {
    pub(crate) fn found(fake: &TelegramFake, kind: ChatKind, title: &str, people: &[&Person]) -> Self {
        let mut world = fake.world();
        let serial = world.serial();
        let id = if kind == ChatKind::Group { -400_000 - serial } else { SUPERGROUP_BASE - 400_000 - serial };
        let mut chat = Chat::new(id, kind, title);
        chat.members.extend(people.iter().map(|person| person.id()));
        world.chats.insert(id, chat);
        drop(world);
        let room = Self { fake: fake.clone(), id };
        room.change(|chat| chat.members.insert(fake.bot().id()));
        room
    }

    pub(crate) fn at(fake: &TelegramFake, id: i64) -> Self {
        Self { fake: fake.clone(), id }
    }

    /// The chat's id, negative.
    pub fn id(&self) -> i64 {
        self.id
    }

    pub(crate) fn make_forum(&self) {
        self.change(|chat| chat.forum = true);
        // Id 1 is the General topic's.
        self.fake.world().take_message_id(self.id, self.fake.bot().id());
    }

    /// Gives the chat a public name.
    pub fn set_username(&self, username: &str) {
        self.change(|chat| chat.username = Some(username.to_owned()));
    }

    /// One more person, without a word about it.
    pub fn admit(&self, person: &Person) {
        self.change(|chat| chat.members.insert(person.id()));
    }

    /// One more bot, without a word about it.
    pub fn admit_bot(&self, bot: &BotAccount) {
        self.change(|chat| chat.members.insert(bot.id()));
    }

    /// Makes a member an administrator.
    pub fn promote(&self, member: i64) {
        self.change(|chat| {
            chat.members.insert(member);
            chat.admins.insert(member)
        });
    }

    /// Puts the bot out, which it learns by `my_chat_member`.
    pub fn kick_bot(&self, bot: &BotAccount, by: &Person) {
        self.change(|chat| chat.members.remove(&bot.id()));
        self.tell_membership(bot, by, ("member", "kicked"));
    }

    /// Brings the bot in, which it learns by `my_chat_member`.
    pub fn invite_bot(&self, bot: &BotAccount, by: &Person) {
        self.change(|chat| chat.members.insert(bot.id()));
        self.tell_membership(bot, by, ("left", "member"));
    }

    fn tell_membership(&self, bot: &BotAccount, by: &Person, (old, new): (&str, &str)) {
        let mut world = self.fake.world();
        let account = world.user_object(bot.id());
        let update = json!({
            "chat": world.chat_object(self.id), "from": world.user_object(by.id()), "date": World::now(),
            "old_chat_member": member_object(&account, old), "new_chat_member": member_object(&account, new),
        });
        world.tell(bot.id(), "my_chat_member", &update);
    }

    /// Opens a topic and gives its id, which is that of the service message at its root.
    pub fn topic(&self, name: &str, by: &Person) -> i64 {
        let mut world = self.fake.world();
        let fields = json!({"forum_topic_created": {"name": name, "icon_color": 7_322_096}});
        let incoming = Incoming {
            chat: self.id,
            from: by.id(),
            bot: self.fake.bot().id(),
            thread: None,
            reply_to: None,
            fields: fields.as_object().cloned().unwrap_or_default(),
        };
        let id = world.receive(&incoming).first().map_or(0, |(_, posted)| posted.message_id);
        if let Some(chat) = world.chats.get_mut(&self.id) {
            chat.topics.insert(id, TopicState::Open);
        }
        id
    }

    /// Deletes a topic: sends to it are refused from now on. Nobody is told.
    pub fn delete_topic(&self, topic: i64) {
        self.set_topic(topic, TopicState::Deleted);
    }

    /// Closes a topic to all but administrators.
    pub fn close_topic(&self, topic: i64) {
        self.set_topic(topic, TopicState::Closed);
    }

    fn set_topic(&self, topic: i64, state: TopicState) {
        self.change(|chat| chat.topics.insert(topic, state));
    }

    fn change<T>(&self, act: impl FnOnce(&mut Chat) -> T) {
        if let Some(chat) = self.fake.world().chats.get_mut(&self.id) {
            act(chat);
        }
    }
}
