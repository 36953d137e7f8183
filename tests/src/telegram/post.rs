//! A message in a person's hand, not yet sent.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::{
    Person, Posted,
    methods::dressed,
    text::{self, utf16_len},
    world::{Incoming, World},
};

/// Text or media with whatever belongs to it; [`Post::send`] puts it into the chat.
#[derive(Clone, Debug)]
pub struct Post {
    person: Person,
    fields: Map<String, Value>,
    reply_to: Option<i64>,
    names: (&'static str, &'static str),
    /// The kind of its file.
    kind: Option<&'static str>,
}

impl Post {
    /// A text message with the entities that the server would find in it.
    pub(crate) fn text(person: &Person, text: &str) -> Self {
        let post = Self::empty(person, ("text", "entities"));
        post.with_text(text)
    }

    /// A message with no text of its own.
    pub(crate) fn bare(person: &Person) -> Self {
        Self::empty(person, ("text", "entities"))
    }

    fn empty(person: &Person, names: (&'static str, &'static str)) -> Self {
        Self { person: person.clone(), fields: Map::new(), reply_to: None, names, kind: None }
    }

    /// A message around one file: `photo`, `document`, `voice`.
    pub(crate) fn file(person: &Person, kind: &'static str, name: &str, bytes: Bytes) -> Self {
        let size = bytes.len();
        let id = person.fake().add_file(&format!("{kind}s"), name, bytes);
        let object =
            json!({"file_id": id, "file_unique_id": format!("u{id}"), "file_size": size, "file_name": name});
        let mut post = Self::empty(person, ("caption", "caption_entities"));
        post.kind = Some(kind);
        let mut whole = dressed(kind, object);
        if let Some(sizes) = whole.as_array_mut() {
            // A client shows the small one until it has the other.
            let small = person.fake().add_file("thumbnails", name, "no real thumbnail");
            sizes.insert(0, json!({"file_id": small, "file_unique_id": format!("u{small}"), "file_size": 17, "width": 90, "height": 67}));
        }
        post.fields.insert(kind.into(), whole);
        post
    }

    fn with_text(mut self, words: &str) -> Self {
        text::put(&mut self.fields, words, &text::detect(words), self.names);
        self
    }

    /// The words below a file, with the entities that the server would find in them.
    pub fn caption(self, words: &str) -> Self {
        self.with_text(words)
    }

    /// Marks the first occurrence of `part`.
    pub fn mark(self, kind: &str, part: &str) -> Self {
        let words = self.fields.get(self.names.0).and_then(Value::as_str).unwrap_or_default();
        let before = words.split(part).next().unwrap_or_default();
        let entity = json!({"type": kind, "offset": utf16_len(before), "length": utf16_len(part)});
        self.entity(entity)
    }

    /// Adds an entity as it is, right or wrong.
    pub fn entity(mut self, entity: Value) -> Self {
        let list = self.fields.entry(self.names.1).or_insert_with(|| json!([]));
        if let Some(list) = list.as_array_mut() {
            list.push(entity);
        }
        self
    }

    /// Takes off what the server found, broken entities of one's own to follow.
    pub fn without_entities(mut self) -> Self {
        self.fields.shift_remove(self.names.1);
        self
    }

    /// Answers a message of this chat.
    pub fn reply_to(mut self, message_id: i64) -> Self {
        self.reply_to = Some(message_id);
        self
    }

    /// A part of the answered message, quoted.
    pub fn quote(self, words: &str) -> Self {
        self.field("quote", json!({"text": words, "position": 0, "is_manual": true}))
    }

    /// Written by somebody else and passed on.
    pub fn forwarded_from(self, author: &Person) -> Self {
        let sender = self.person.fake().world().user_object(author.id());
        self.field("forward_origin", json!({"type": "user", "date": World::now(), "sender_user": sender}))
    }

    /// A file that says it has so many bytes, and would be as long to fetch.
    pub fn claims(mut self, bytes: usize) -> Self {
        let Some(kind) = self.kind else { return self };
        let object = match self.fields.get_mut(kind) {
            Some(Value::Array(sizes)) => sizes.last_mut(),
            object => object,
        };
        if let Some(fields) = object.and_then(Value::as_object_mut) {
            fields.insert("file_size".into(), bytes.into());
            let id = fields.get("file_id").and_then(Value::as_str).unwrap_or_default();
            if let Some(file) = self.person.fake().world().files.get_mut(id) {
                file.claim = Some(bytes);
            }
        }
        self
    }

    /// Part of an album.
    pub fn in_album(self, id: &str) -> Self {
        self.field("media_group_id", id.into())
    }

    /// When it was sent, in seconds since 1970.
    pub fn date(self, seconds: i64) -> Self {
        self.field("date", seconds.into())
    }

    /// Any field of the message object.
    pub fn field(mut self, name: &str, value: Value) -> Self {
        self.fields.insert(name.into(), value);
        self
    }

    /// Puts it into the chat.
    pub fn send(self) -> Posted {
        let incoming = Incoming {
            chat: self.person.chat(),
            from: self.person.id(),
            bot: self.person.bot().id(),
            thread: self.person.thread(),
            reply_to: self.reply_to,
            fields: self.fields,
        };
        let fake = self.person.fake();
        let posted = fake.world().receive(&incoming);
        fake.tick();
        let meant = posted.iter().find(|(bot, _)| *bot == incoming.bot).or(posted.first());
        meant.map_or(Posted { message_id: 0, update_id: None }, |(_, posted)| *posted)
    }
}
