//! A person with a phone: writes, edits, presses buttons, blocks bots.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{
    BotAccount, Post, Posted, Room, TelegramFake,
    conversation::Seen,
    draft::Draft,
    markup,
    methods::member_object,
    people::{TopicState, User},
    screen::{Film, Screen},
    text,
    world::World,
};

/// A user account, and the place that it is writing in: the private chat with the first bot unless moved.
#[derive(Clone, Debug)]
pub struct Person {
    fake: TelegramFake,
    id: i64,
    bot: BotAccount,
    chat: i64,
    thread: Option<i64>,
}

impl Person {
    pub(crate) fn new(fake: TelegramFake, id: i64, bot: BotAccount) -> Self {
        Self { fake, id, bot, chat: id, thread: None }
    }

    /// User id, and id of the private chat.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Where this person is writing.
    pub fn chat(&self) -> i64 {
        self.chat
    }

    /// User name without the `@`.
    pub fn username(&self) -> String {
        self.fake.world().users.get(&self.id).and_then(|user| user.username.clone()).unwrap_or_default()
    }

    /// The same person in a room.
    pub fn at(&self, room: &Room) -> Self {
        Self { chat: room.id(), thread: None, ..self.clone() }
    }

    /// The same person in a topic of that chat; without this, in the General topic.
    pub fn topic(&self, topic: i64) -> Self {
        Self { thread: Some(topic), ..self.clone() }
    }

    /// The same person in a private chat with another bot.
    pub fn to_bot(&self, bot: &BotAccount) -> Self {
        self.start(bot);
        Self { bot: bot.clone(), chat: self.id, thread: None, ..self.clone() }
    }

    /// Opens a topic in the private chat and gives its id.
    pub fn open_topic(&self) -> i64 {
        let mut world = self.fake.world();
        let id = world.take_message_id(self.id, self.bot.id());
        if let Some(chat) = world.chats.get_mut(&self.id) {
            chat.topics.insert(id, TopicState::Open);
        }
        id
    }

    /// Deletes a topic of the private chat.
    pub fn delete_topic(&self, topic: i64) {
        if let Some(chat) = self.fake.world().chats.get_mut(&self.id) {
            chat.topics.insert(topic, TopicState::Deleted);
        }
    }

    /// Writes a text.
    pub fn say(&self, text: &str) -> Posted {
        self.post(text).send()
    }

    /// A text to add to before it is sent.
    pub fn post(&self, text: &str) -> Post {
        Post::text(self, text)
    }

    /// A photo.
    pub fn photo(&self) -> Post {
        Post::file(self, "photo", "photo.jpg", Bytes::from_static(b"\xff\xd8\xff\xe0 no real picture"))
    }

    /// A photo of one's own, such as two that can be told apart.
    pub fn picture(&self, bytes: impl Into<Bytes>) -> Post {
        Post::file(self, "photo", "photo.jpg", bytes.into())
    }

    /// A voice message.
    pub fn voice(&self) -> Post {
        Post::file(self, "voice", "voice.oga", Bytes::from_static(b"OggS no real sound"))
    }

    /// A file.
    pub fn document(&self, name: &str, bytes: impl Into<Bytes>) -> Post {
        Post::file(self, "document", name, bytes.into())
    }

    /// An album of photos, one for each caption and no two alike; an empty caption is none.
    pub fn album(&self, captions: &[&str]) -> Vec<Posted> {
        let id = format!("album{}", self.fake.world().serial());
        let photo = |(place, caption): (usize, &&str)| {
            let bytes = [&b"\xff\xd8\xff\xe0 no real picture "[..], place.to_string().as_bytes()].concat();
            let photo = self.picture(bytes).in_album(&id);
            if caption.is_empty() { photo.send() } else { photo.caption(caption).send() }
        };
        captions.iter().enumerate().map(photo).collect()
    }

    /// A service message: `person.service("pinned_message", …)`, `("new_chat_members", …)`.
    pub fn service(&self, kind: &str, content: Value) -> Posted {
        Post::bare(self).field(kind, content).send()
    }

    /// Joins a room and is seen to.
    pub fn join(&self, room: &Room) -> Posted {
        room.admit(self);
        let user = self.fake.world().user_object(self.id);
        self.at(room).service("new_chat_members", json!([user]))
    }

    /// Changes the text or the caption of a message of one's own.
    pub fn edit(&self, message_id: i64, words: &str) -> Option<i64> {
        let mut world = self.fake.world();
        let mut told = None;
        for bot in world.witnesses(self.chat, self.bot.id()) {
            let Some(message) = world.conversation(self.chat, bot).change(message_id) else { continue };
            let names = if message.contains_key("text") {
                ("text", "entities")
            } else {
                ("caption", "caption_entities")
            };
            message.shift_remove(names.1);
            text::put(message, words, &text::detect(words), names);
            message.insert("edit_date".into(), World::now().into());
            let message = Value::Object(message.clone());
            told = told.or(world.tell(bot, "edited_message", &message));
        }
        drop(world);
        self.fake.tick();
        told
    }

    /// Removes a message; bots are not told.
    pub fn delete(&self, message_id: i64) {
        let mut world = self.fake.world();
        for bot in world.witnesses(self.chat, self.bot.id()) {
            world.conversation(self.chat, bot).delete(message_id);
        }
    }

    /// What this person sees in the chat.
    pub fn sees(&self) -> Vec<Seen> {
        self.bot.messages(self.chat)
    }

    /// The same with the drafts that have not faded, those of other topics included.
    pub fn screen(&self) -> Screen {
        self.fake.world().screen(self.chat, self.bot.id())
    }

    /// The draft in this chat or topic.
    pub fn draft(&self) -> Option<Draft> {
        self.screen().drafts.into_iter().find(|draft| draft.thread == self.thread)
    }

    /// Films this chat from now on.
    pub fn film(&self) -> Film {
        Film::begin(&self.fake, self.chat, self.bot.id())
    }

    /// Presses the button with this label, or whose label contains it, on the newest message that has one.
    pub fn press(&self, label: &str) -> Option<Press> {
        let message = self
            .sees()
            .into_iter()
            .rev()
            .find(|seen| seen.buttons.iter().any(|button| button.contains(label)))?;
        let data = message.raw.get("reply_markup").and_then(|keyboard| markup::data_of(keyboard, label))?;
        Some(self.press_data(&message, &data))
    }

    /// Presses a button with any data, also data that no button of the message has.
    pub fn press_data(&self, message: &Seen, data: &str) -> Press {
        let mut world = self.fake.world();
        let id = format!("{}{:09}", self.id, world.serial());
        let query = json!({
            "id": id, "from": world.user_object(self.id), "message": message.raw,
            "chat_instance": format!("{}", self.chat), "data": data,
        });
        let author = if message.by_bot { message.from } else { self.bot.id() };
        world.presses.insert(id.clone(), (author, None));
        let update_id = world.tell(author, "callback_query", &query);
        drop(world);
        self.fake.tick();
        Press { fake: self.fake.clone(), id, update_id }
    }

    /// Presses Stop below the draft of this chat or topic, which takes it away; false when there is none that can be stopped.
    pub fn stop_draft(&self) -> bool {
        let mut world = self.fake.world();
        let now = world.moment();
        let stopped = world.conversation(self.chat, self.bot.id()).drafts.stop(self.thread, now);
        let Some(draft) = stopped else { return false };
        world.expose();
        let mut update = json!({"chat": world.chat_object(self.chat), "draft_id": draft.id});
        if let (Some(thread), Some(fields)) = (draft.thread, update.as_object_mut()) {
            fields.insert("message_thread_id".into(), thread.into());
        }
        world.tell(self.bot.id(), "stopped_message_generation", &update);
        drop(world);
        self.fake.tick();
        true
    }

    /// Reacts to a message with an emoji.
    pub fn react(&self, message_id: i64, emoji: &str) -> Option<i64> {
        let mut world = self.fake.world();
        let update = json!({
            "chat": world.chat_object(self.chat), "message_id": message_id, "user": world.user_object(self.id),
            "date": World::now(), "old_reaction": [], "new_reaction": [{"type": "emoji", "emoji": emoji}],
        });
        world.tell(self.bot.id(), "message_reaction", &update)
    }

    /// The bot may write to this person.
    pub fn start(&self, bot: &BotAccount) {
        self.change(|user| user.started.insert(bot.id()));
    }

    /// Blocks the bot, which it learns by `my_chat_member`.
    pub fn block(&self) {
        self.change(|user| user.blocked.insert(self.bot.id()));
        self.tell_membership(("member", "kicked"));
    }

    /// Undoes [`Self::block`].
    pub fn unblock(&self) {
        self.change(|user| user.blocked.remove(&self.bot.id()));
        self.tell_membership(("kicked", "member"));
    }

    /// Deletes the account.
    pub fn leave_telegram(&self) {
        self.change(|user| user.deactivated = true);
    }

    fn tell_membership(&self, (old, new): (&str, &str)) {
        let mut world = self.fake.world();
        let bot = world.user_object(self.bot.id());
        let update = json!({
            "chat": world.chat_object(self.id), "from": world.user_object(self.id), "date": World::now(),
            "old_chat_member": member_object(&bot, old), "new_chat_member": member_object(&bot, new),
        });
        world.tell(self.bot.id(), "my_chat_member", &update);
        drop(world);
        self.fake.tick();
    }

    fn change<T>(&self, act: impl FnOnce(&mut User) -> T) {
        if let Some(user) = self.fake.world().users.get_mut(&self.id) {
            act(user);
        }
    }

    pub(crate) fn fake(&self) -> &TelegramFake {
        &self.fake
    }

    pub(crate) fn bot(&self) -> &BotAccount {
        &self.bot
    }

    pub(crate) fn thread(&self) -> Option<i64> {
        self.thread
    }
}

/// A pressed button that waits for the bot's word.
#[derive(Clone, Debug)]
pub struct Press {
    fake: TelegramFake,
    id: String,
    /// The update that told the bot.
    pub update_id: Option<i64>,
}

impl Press {
    /// `callback_query.id`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The arguments of the bot's answerCallbackQuery, once it comes.
    pub async fn answered(&self) -> Value {
        self.fake.wait_until(|fake| fake.press_answer(&self.id)).await
    }
}
