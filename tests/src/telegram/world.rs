//! Everything the fake knows: bots with their queues, people, chats, message boxes, files, pressed buttons. One lock guards it; no
//! method here waits for anything.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
    time::{SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::gate::Gate;

use super::{
    conversation::{Conversation, see, without_reply},
    flood::Flood,
    people::{Chat, ChatKind, User, topic_fields},
    queue::Queue,
    screen::{Frame, Screen},
};

/// A bot account and its side of the API.
#[derive(Debug)]
pub(crate) struct Bot {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) username: String,
    /// Private chats with this bot can have topics.
    pub(crate) topics: bool,
    pub(crate) queue: Queue,
    pub(crate) webhook: Option<String>,
    /// Scope (as sent) and language → commands.
    pub(crate) commands: BTreeMap<(String, String), Value>,
    /// Ids of private chats and basic groups come from one counter.
    pub(crate) last_message: i64,
}

impl Bot {
    /// The `User` object that others see.
    pub(crate) fn object(&self) -> Value {
        json!({"id": self.id, "is_bot": true, "first_name": self.name, "username": self.username})
    }
}

#[derive(Debug)]
pub(crate) struct StoredFile {
    pub(crate) path: String,
    pub(crate) bytes: Bytes,
    /// A size that the file only claims to have.
    pub(crate) claim: Option<usize>,
}

impl StoredFile {
    pub(crate) fn size(&self) -> usize {
        self.claim.unwrap_or(self.bytes.len())
    }
}

#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) bots: BTreeMap<i64, Bot>,
    pub(crate) tokens: HashMap<String, i64>,
    pub(crate) users: BTreeMap<i64, User>,
    pub(crate) chats: BTreeMap<i64, Chat>,
    boxes: HashMap<(i64, i64), Conversation>,
    pub(crate) files: HashMap<String, StoredFile>,
    /// Callback query id → the bot it went to and the answer, once given.
    pub(crate) presses: HashMap<String, (i64, Option<Value>)>,
    /// What the clock shows that drafts and limits go by.
    pub(crate) time: Time,
    pub(crate) flood: Flood,
    /// Methods that this server does not have.
    pub(crate) off: BTreeSet<String>,
    /// Chats as bots see them that are filmed.
    pub(crate) films: HashMap<(i64, i64), Vec<Frame>>,
    /// Paths of files in the order of their downloads.
    pub(crate) downloads: Vec<String>,
    /// Named gates, for orders from outside.
    pub(crate) gates: BTreeMap<String, Gate>,
    serial: i64,
}

/// Milliseconds since 1970 by the system's clock, or by whatever clock a scene moves.
pub(crate) struct Time(pub(crate) Box<dyn Fn() -> i64 + Send + Sync>);

impl Default for Time {
    fn default() -> Self {
        let since = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(Box::new(move || i64::try_from(since().as_millis()).unwrap_or_default()))
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (self.0)())
    }
}

/// A message to be put into a chat by a person.
#[derive(Clone, Debug)]
pub(crate) struct Incoming {
    pub(crate) chat: i64,
    pub(crate) from: i64,
    /// The bot that is meant in a private chat; elsewhere every member bot gets the update.
    pub(crate) bot: i64,
    pub(crate) thread: Option<i64>,
    pub(crate) reply_to: Option<i64>,
    pub(crate) fields: Map<String, Value>,
}

/// Where a person's message ended up for one bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posted {
    /// `message_id` in that bot's eyes.
    pub message_id: i64,
    /// Absent when the bot did not ask for this kind of update.
    pub update_id: Option<i64>,
}

impl World {
    pub(crate) fn serial(&mut self) -> i64 {
        self.serial += 1;
        self.serial
    }

    pub(crate) fn now() -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }

    /// Milliseconds on the clock that this world follows.
    pub(crate) fn moment(&self) -> i64 {
        (self.time.0)()
    }

    /// The chat as it is seen now.
    pub(crate) fn screen(&self, chat: i64, bot: i64) -> Screen {
        let now = self.moment();
        self.look(chat, bot).map_or_else(Screen::default, |conversation| Screen {
            messages: conversation.seen().collect(),
            drafts: conversation.drafts.live(now).cloned().collect(),
        })
    }

    /// Films a chat from now on.
    pub(crate) fn film(&mut self, chat: i64, bot: i64) {
        self.films.entry((chat, bot)).or_default();
        self.expose();
    }

    /// Takes a picture of each filmed chat that has changed.
    pub(crate) fn expose(&mut self) {
        let mut films = std::mem::take(&mut self.films);
        for ((chat, bot), frames) in &mut films {
            let screen = self.screen(*chat, *bot);
            if frames.last().is_none_or(|last| last.screen != screen) {
                frames.push(Frame { moment: self.moment(), screen });
            }
        }
        self.films = films;
    }

    /// First update ids differ from bot to bot, as they do in life.
    pub(crate) fn add_bot(&mut self, id: i64, token: &str, name: &str, username: &str) {
        let bot = Bot {
            id,
            name: name.to_owned(),
            username: username.to_owned(),
            topics: false,
            queue: Queue::new(800_000_000 + id % 100_000 * 1_000),
            webhook: None,
            commands: BTreeMap::new(),
            last_message: 0,
        };
        self.bots.insert(id, bot);
        self.tokens.insert(token.to_owned(), id);
    }

    /// Adds a person and the private chat with them; one who exists stays as they are.
    pub(crate) fn add_user(&mut self, id: i64, name: &str) {
        self.users.entry(id).or_insert_with(|| User::new(id, name));
        self.chats.entry(id).or_insert_with(|| Chat::new(id, ChatKind::Private, name));
    }

    /// The box that `bot` sees for `chat`: its own in private chats and basic groups, the shared one elsewhere.
    fn key(&self, chat: i64, bot: i64) -> (i64, i64) {
        let shared =
            self.chats.get(&chat).is_some_and(|c| matches!(c.kind, ChatKind::Supergroup | ChatKind::Channel));
        (chat, if shared { 0 } else { bot })
    }

    pub(crate) fn conversation(&mut self, chat: i64, bot: i64) -> &mut Conversation {
        self.boxes.entry(self.key(chat, bot)).or_default()
    }

    pub(crate) fn look(&self, chat: i64, bot: i64) -> Option<&Conversation> {
        self.boxes.get(&self.key(chat, bot))
    }

    pub(crate) fn take_message_id(&mut self, chat: i64, bot: i64) -> i64 {
        match (self.key(chat, bot), self.bots.get_mut(&bot)) {
            ((_, 0), _) | (_, None) => self.conversation(chat, bot).take_id(),
            (_, Some(account)) => {
                account.last_message += 1;
                account.last_message
            }
        }
    }

    pub(crate) fn chat_object(&self, chat: i64) -> Value {
        let person = self.users.get(&chat);
        self.chats.get(&chat).map_or_else(|| json!({"id": chat}), |known| known.object(person))
    }

    /// The `User` object of a person or a bot.
    pub(crate) fn user_object(&self, id: i64) -> Value {
        let person = self.users.get(&id).map(User::object);
        person
            .or_else(|| self.bots.get(&id).map(Bot::object))
            .unwrap_or_else(|| json!({"id": id, "is_bot": false, "first_name": "?"}))
    }

    /// Bots that notice what happens in `chat`; in a private chat the one that is meant.
    pub(crate) fn witnesses(&self, chat: i64, meant: i64) -> Vec<i64> {
        match self.chats.get(&chat) {
            Some(known) if known.kind != ChatKind::Private => {
                known.members.iter().copied().filter(|member| self.bots.contains_key(member)).collect()
            }
            _ => vec![meant],
        }
    }

    /// Puts a person's message into the chat and an update into the queue of each bot that sees it.
    pub(crate) fn receive(&mut self, incoming: &Incoming) -> Vec<(i64, Posted)> {
        if let Some(user) = self.users.get_mut(&incoming.from) {
            user.started.insert(incoming.bot);
        }
        let channel = self.chats.get(&incoming.chat).is_some_and(|chat| chat.kind == ChatKind::Channel);
        let update = if channel { "channel_post" } else { "message" };
        let mut shared = None;
        let mut posted = Vec::new();
        for bot in self.witnesses(incoming.chat, incoming.bot) {
            let own_box = self.key(incoming.chat, bot).1 != 0;
            let id = match shared.filter(|_| !own_box) {
                Some(id) => id,
                None => {
                    let id = self.take_message_id(incoming.chat, bot);
                    let message = self.compose(incoming, bot, id, channel);
                    self.conversation(incoming.chat, bot).keep(id, message);
                    shared = Some(id);
                    id
                }
            };
            let message = self.look(incoming.chat, bot).and_then(|c| c.get(id)).cloned().unwrap_or_default();
            posted.push((bot, Posted { message_id: id, update_id: self.tell(bot, update, &message) }));
        }
        posted
    }

    fn compose(&self, incoming: &Incoming, bot: i64, id: i64, channel: bool) -> Value {
        let chat = self.chat_object(incoming.chat);
        let mut message = json!({"message_id": id, "chat": chat, "date": Self::now()});
        let from = if channel { None } else { Some(self.user_object(incoming.from)) };
        let (thread, reply) = self.threading(incoming, bot);
        let topic = self.chats.get(&incoming.chat).map(|chat| topic_fields(chat, thread)).unwrap_or_default();
        if let Some(fields) = message.as_object_mut() {
            let author =
                if channel { ("sender_chat", chat.clone()) } else { ("from", from.unwrap_or_default()) };
            fields.insert(author.0.into(), author.1);
            fields.extend(topic);
            fields.extend(reply.map(|reply| ("reply_to_message".to_owned(), reply)));
            fields.extend(incoming.fields.clone());
        }
        message
    }

    /// Thread id and answered message as the server fills them in: a message in a topic answers the topic's root when it answers
    /// nothing else, and a reply in an ordinary supergroup carries the id of the chain's first message.
    fn threading(&self, incoming: &Incoming, bot: i64) -> (Option<i64>, Option<Value>) {
        let conversation = self.look(incoming.chat, bot);
        let get = |id: i64| conversation.and_then(|c| c.get(id));
        let answered = incoming.reply_to.and_then(get);
        let chat = self.chats.get(&incoming.chat);
        let chain = answered.filter(|_| chat.is_some_and(|c| c.kind == ChatKind::Supergroup && !c.forum));
        let chain = chain.map(see).map(|seen| seen.thread.unwrap_or(seen.id));
        let thread = incoming.thread.or(chain);
        let root = thread.filter(|_| chat.is_some_and(|c| c.forum)).and_then(get);
        (thread, answered.or(root).map(without_reply))
    }

    /// Queues an update for one bot.
    pub(crate) fn tell(&mut self, bot: i64, kind: &str, payload: &Value) -> Option<i64> {
        self.bots.get_mut(&bot).and_then(|bot| bot.queue.push(kind, payload))
    }

    pub(crate) fn keep_file(&mut self, folder: &str, name: &str, bytes: Bytes) -> (String, i64) {
        let serial = self.serial();
        let id = format!("AgACAgFAKE{serial:08}");
        self.files
            .insert(id.clone(), StoredFile { path: format!("{folder}/{serial}-{name}"), bytes, claim: None });
        (id, serial)
    }
}
