//! A bot account as a test holds it: its token, what stands in its chats, and its queue of updates with all that can go wrong there.

use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use super::{TelegramFake, conversation::Seen, queue::Queue};

/// One bot of a [`TelegramFake`].
#[derive(Clone, Debug)]
pub struct BotAccount {
    fake: TelegramFake,
    id: i64,
    token: String,
}

impl BotAccount {
    pub(crate) fn new(fake: TelegramFake, id: i64, token: String) -> Self {
        Self { fake, id, token }
    }

    /// The account's user id.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// What the bot's program is configured with.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// User name without the `@`.
    pub fn username(&self) -> String {
        self.fake.world().bots.get(&self.id).map(|bot| bot.username.clone()).unwrap_or_default()
    }

    /// Private chats with this bot have topics from now on.
    pub fn enable_topics(&self) {
        if let Some(bot) = self.fake.world().bots.get_mut(&self.id) {
            bot.topics = true;
        }
    }

    /// The token is no longer known: every call gets 401.
    pub fn revoke_token(&self) {
        self.fake.world().tokens.remove(&self.token);
        self.queue(|queue| queue.changed.notify_waiters());
    }

    /// Undoes [`Self::revoke_token`].
    pub fn restore_token(&self) {
        self.fake.world().tokens.insert(self.token.clone(), self.id);
    }

    /// What stands in the chat in this bot's eyes, oldest first.
    pub fn messages(&self, chat: i64) -> Vec<Seen> {
        let world = self.fake.world();
        world.look(chat, self.id).map(|conversation| conversation.seen().collect()).unwrap_or_default()
    }

    /// Turns a chat silent for this bot as after a flood: calls there get 429 with what is left of the time, and whoever was told
    /// and goes on is remarked on.
    pub fn silence(&self, chat: i64, span: Duration) {
        let mut world = self.fake.world();
        let until = world.moment() + i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        world.flood.silence(self.id, chat, until);
    }

    /// The command menu filed under a scope such as `json!({"type": "default"})`.
    pub fn commands(&self, scope: &Value) -> Option<Value> {
        let world = self.fake.world();
        let bot = world.bots.get(&self.id)?;
        bot.commands.get(&(scope.to_string(), String::new())).cloned()
    }

    /// Queues an update of any kind under the next id, unless the bot did not ask for that kind.
    pub fn push(&self, kind: &str, payload: &Value) -> Option<i64> {
        self.fake.world().tell(self.id, kind, payload)
    }

    /// Queues a whole update as it is; one without an `update_id` gets the next.
    pub fn push_update(&self, mut update: Value) -> i64 {
        self.queue(|queue| {
            let id = update.get("update_id").and_then(Value::as_i64).unwrap_or(queue.next_id());
            if let Some(fields) = update.as_object_mut() {
                fields.insert("update_id".into(), id.into());
            }
            queue.push_raw(id, update.to_string().into());
            id
        })
        .unwrap_or_default()
    }

    /// Puts these bytes where an update should stand, valid JSON or not. `id` is what offsets are compared with.
    pub fn push_bytes(&self, id: i64, body: impl Into<Bytes>) {
        self.queue(|queue| queue.push_raw(id, body.into()));
    }

    /// A private message whose `text` is put into the JSON as it stands, so that escapes such as `\ud800` reach the bot.
    pub fn push_text_escape(&self, from: i64, escaped: &str) -> i64 {
        let id = self.next_update_id();
        let (user, chat) = {
            let world = self.fake.world();
            (world.user_object(from), world.chat_object(from))
        };
        let message = self.fake.world().take_message_id(from, self.id);
        let date = super::world::World::now();
        let body = format!(
            r#"{{"update_id":{id},"message":{{"message_id":{message},"from":{user},"chat":{chat},"date":{date},"text":"{escaped}"}}}}"#
        );
        self.push_bytes(id, body);
        id
    }

    /// The id that the next update will have.
    pub fn next_update_id(&self) -> i64 {
        self.queue(|queue| queue.next_id()).unwrap_or_default()
    }

    /// Numbers updates from here on, backwards too.
    pub fn set_next_update_id(&self, id: i64) {
        self.queue(|queue| queue.set_next_id(id));
    }

    /// Sends an update again that was sent before; false when it is too long ago.
    pub fn repeat(&self, update_id: i64) -> bool {
        self.queue(|queue| queue.repeat(update_id)).unwrap_or_default()
    }

    /// Turns the order of the waiting updates round.
    pub fn reverse_pending(&self) {
        self.queue(Queue::reverse);
    }

    /// Polls see nothing until [`Self::release_updates`]: several updates can be made to arrive in one answer.
    pub fn hold_updates(&self) {
        self.queue(|queue| queue.pause(true));
    }

    /// See [`Self::hold_updates`].
    pub fn release_updates(&self) {
        self.queue(|queue| queue.pause(false));
    }

    /// Updates that no poll has confirmed.
    pub fn pending(&self) -> usize {
        self.queue(|queue| queue.pending()).unwrap_or_default()
    }

    /// Polls that wait for an answer now.
    pub fn open_polls(&self) -> usize {
        self.queue(|queue| queue.open_polls).unwrap_or_default()
    }

    /// Waits until a poll is open.
    pub async fn wait_for_poll(&self) {
        self.fake.wait_until(|_| (self.open_polls() > 0).then_some(())).await;
    }

    /// Waits until every update is confirmed.
    pub async fn wait_until_confirmed(&self) {
        self.fake.wait_until(|_| (self.pending() == 0).then_some(())).await;
    }

    fn queue<T>(&self, act: impl FnOnce(&mut Queue) -> T) -> Option<T> {
        let done = self.fake.world().bots.get_mut(&self.id).map(|bot| act(&mut bot.queue));
        self.fake.tick();
        done
    }
}
