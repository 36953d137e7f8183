//! Reads an event of Telegram as an [`Inbound`], or as nothing for us. Pure: what must be known of the bot is passed in.

use std::ops::Range;

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::{Account, ChatId, MessageId, SenderId, TopicId, UpdateId};
use pensive_contract::inbound::{
    Addressed, Attachment, AttachmentKind, ChatKind, Inbound, InboundKind, Place, Sender, Topic, TopicKind,
    TypedText,
};
use regex::Regex;

use crate::previews::STOP_DATA;
use crate::units::byte_ranges;
use crate::wire::{CallbackQuery, Chat, Entity, File, Message, Replied, Stopping, Update, User};

/// The topic that every forum has. Its messages belong to the chat itself.
const GENERAL: i64 = 1;
/// More mentions by pattern than a person could mean.
const MOST_MENTIONS: usize = 16;

/// Who we are in the chats.
#[derive(Debug, Clone)]
pub(crate) struct Us {
    pub(crate) account: Account,
    pub(crate) bot: i64,
    /// Without `@`.
    pub(crate) username: String,
    /// Other words that call us.
    pub(crate) patterns: Vec<Regex>,
}

/// What a person did in `update`; nothing for what bots, channels and Telegram itself say, and for messages without text
/// or a file that could be read.
pub(crate) fn receive(us: &Us, update: Update, now: Timestamp) -> Option<Inbound> {
    let number = update.update_id;
    if let Some(message) = update.message {
        written(us, number, *message, InboundKind::Message)
    } else if let Some(message) = update.edited_message {
        written(us, number, *message, InboundKind::Edit)
    } else {
        match update.callback_query {
            Some(query) => pressed(us, number, *query, now),
            None => stopped(us, number, update.stopped_message_generation?, now),
        }
    }
}

/// A draft is no message, and its stop names nobody: it stands in a private chat, whose number is the person's.
fn stopped(us: &Us, number: i64, stop: Stopping, now: Timestamp) -> Option<Inbound> {
    let Stopping { chat, message_thread_id, draft_id } = stop;
    let place = place(us, &chat, message_thread_id).filter(|place| place.kind == ChatKind::Direct)?;
    let person = User {
        id: chat.id,
        is_bot: false,
        first_name: chat.first_name,
        last_name: chat.last_name,
        username: chat.username,
    };
    Some(Inbound {
        update: UpdateId::from(number.to_string()),
        place,
        sender: sender(&person)?,
        message: MessageId::from(""),
        kind: InboundKind::Halt { stream: draft_id, query: None },
        addressed: Addressed::Yes,
        attachments: Vec::new(),
        album: None,
        at: now,
    })
}

fn written(us: &Us, number: i64, message: Message, kind: fn(TypedText) -> InboundKind) -> Option<Inbound> {
    if message.is_automatic_forward {
        return None;
    }
    let sender = sender(message.from.as_ref()?)?;
    let place = place(us, &message.chat, message.message_thread_id.filter(|_| message.is_topic_message))?;
    let attachments = attachments(&message);
    let (text, entities) = match (&message.text, &message.caption) {
        (Some(text), _) => (text.as_str(), message.entities.as_slice()),
        (None, Some(caption)) => (caption.as_str(), message.caption_entities.as_slice()),
        (None, None) if attachments.is_empty() => return None,
        (None, None) => ("", [].as_slice()),
    };
    let typed = typed(us, text, entities, own_words(&message));
    let addressed = addressed(us, &place, &typed, entities, &message);
    Some(Inbound {
        update: UpdateId::from(number.to_string()),
        sender,
        message: MessageId::from(message.message_id.to_string()),
        addressed,
        attachments,
        album: message.media_group_id,
        at: Timestamp(message.edit_date.unwrap_or(message.date).saturating_mul(1000)),
        kind: kind(typed),
        place,
    })
}

fn pressed(us: &Us, number: i64, query: CallbackQuery, now: Timestamp) -> Option<Inbound> {
    let message = query.message?;
    Some(Inbound {
        update: UpdateId::from(number.to_string()),
        place: place(us, &message.chat, message.message_thread_id.filter(|_| message.is_topic_message))?,
        sender: sender(&query.from)?,
        message: MessageId::from(message.message_id.to_string()),
        kind: press(query.data?, query.id),
        addressed: Addressed::Yes,
        attachments: Vec::new(),
        album: None,
        at: now,
    })
}

/// The button under a standing preview of ours stops it; what the others mean, the engine knows.
fn press(data: String, query: String) -> InboundKind {
    match data.strip_prefix(STOP_DATA).and_then(|stream| stream.parse().ok()) {
        Some(stream) => InboundKind::Halt { stream, query: Some(query) },
        None => InboundKind::Press { data, query },
    }
}

fn sender(user: &User) -> Option<Sender> {
    if user.is_bot {
        return None;
    }
    let full = [Some(user.first_name.as_str()), user.last_name.as_deref()];
    let mut name = full.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        name = user.username.clone().unwrap_or_else(|| user.id.to_string());
    }
    Some(Sender { id: SenderId::from(user.id.to_string()), name, roles: Vec::new() })
}

/// `thread` is the message's own topic: a reply chain of an ordinary group has a thread id too, but is none.
fn place(us: &Us, chat: &Chat, thread: Option<i64>) -> Option<Place> {
    let kind = match chat.kind.as_str() {
        "private" => ChatKind::Direct,
        "group" | "supergroup" => ChatKind::Group,
        _ => return None,
    };
    let general = kind == ChatKind::Group && thread == Some(GENERAL);
    let topic = thread
        .filter(|_| !general)
        .map(|id| Topic { id: TopicId::from(id.to_string()), kind: TopicKind::Topic });
    Some(Place {
        account: us.account.clone(),
        chat: ChatId::from(chat.id.to_string()),
        kind,
        topic,
        space: None,
    })
}

/// Whose words a message holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    Typed,
    /// Forwarded, or chosen from what another bot offered: content, but nothing that the sender said to us.
    Borrowed,
}

fn own_words(message: &Message) -> Words {
    match (&message.forward_origin, &message.via_bot) {
        (None, None) => Words::Typed,
        _ => Words::Borrowed,
    }
}

fn typed(us: &Us, text: &str, entities: &[Entity], words: Words) -> TypedText {
    let spans: Vec<_> = entities.iter().map(|entity| (entity.offset, entity.length)).collect();
    let ranges = byte_ranges(text, &spans);
    let marked = entities.iter().zip(ranges).filter_map(|(entity, range)| Some((entity, range?)));
    let (mut code, mut mentions) = (Vec::new(), Vec::new());
    for (entity, range) in marked {
        match entity.kind.as_str() {
            "code" | "pre" | "blockquote" | "expandable_blockquote" => code.push(range),
            "mention" if names_us(us, text.get(range.clone())) => mentions.push(range),
            "text_mention" if entity.user.as_ref().is_some_and(|user| user.id == us.bot) => {
                mentions.push(range)
            }
            _ => {}
        }
    }
    if words == Words::Borrowed {
        code = std::iter::once(0..text.len()).filter(|all| !all.is_empty()).collect();
        mentions.clear();
    } else {
        mentions.extend(called(us, text));
    }
    code.sort_unstable_by_key(|range| range.start);
    mentions.sort_unstable_by_key(|range| range.start);
    TypedText { text: text.to_owned(), code, mentions, bot_name: Some(us.username.clone()) }
}

fn names_us(us: &Us, mention: Option<&str>) -> bool {
    mention
        .and_then(|name| name.strip_prefix('@'))
        .is_some_and(|name| name.eq_ignore_ascii_case(&us.username))
}

fn called(us: &Us, text: &str) -> impl Iterator<Item = Range<usize>> {
    us.patterns
        .iter()
        .flat_map(move |pattern| pattern.find_iter(text))
        .map(|found| found.range())
        .filter(|range| !range.is_empty())
        .take(MOST_MENTIONS)
}

fn addressed(us: &Us, place: &Place, typed: &TypedText, entities: &[Entity], message: &Message) -> Addressed {
    let meant = place.kind == ChatKind::Direct
        || !typed.mentions.is_empty()
        || (own_words(message) == Words::Typed && commands_us(us, &typed.text, entities))
        || message.reply_to_message.as_deref().is_some_and(|replied| answers_us(us, message, replied));
    if meant { Addressed::Yes } else { Addressed::No }
}

/// Whether a command carries our name, like `/think@PensiveBot`.
fn commands_us(us: &Us, text: &str, entities: &[Entity]) -> bool {
    let spans: Vec<_> =
        entities.iter().filter(|entity| entity.kind == "bot_command").map(|e| (e.offset, e.length)).collect();
    let first = text.split_whitespace().next();
    let marked = byte_ranges(text, &spans).into_iter().flatten().filter_map(|range| text.get(range));
    marked.chain(first).any(|word| {
        let word = word.split(':').next().unwrap_or(word);
        word.starts_with('/') && names_us(us, word.find('@').and_then(|at| word.get(at..)))
    })
}

/// Whether the person replied to a message of ours. Every message in a topic that answers none carries the topic's first
/// message as if it did, and that one may be ours too.
fn answers_us(us: &Us, message: &Message, replied: &Replied) -> bool {
    let root = replied.forum_topic_created.is_some() || message.message_thread_id == Some(replied.message_id);
    let ours = replied.from.as_ref().is_some_and(|user| user.id == us.bot);
    ours && !(message.is_topic_message && root)
}

fn attachments(message: &Message) -> Vec<Attachment> {
    let attachment = |kind, file: &File| Attachment {
        kind,
        name: name(file),
        handle: file.file_id.clone(),
        size: file.file_size,
    };
    // An animation comes a second time as a document, for readers that know no animations.
    let document = message.document.as_ref().filter(|_| message.animation.is_none());
    let single = [
        (AttachmentKind::Video, message.animation.as_ref()),
        (AttachmentKind::Audio, message.audio.as_ref()),
        (AttachmentKind::Document, document),
        (AttachmentKind::Video, message.video.as_ref()),
        (AttachmentKind::Video, message.video_note.as_ref()),
        (AttachmentKind::Voice, message.voice.as_ref()),
        (AttachmentKind::Sticker, message.sticker.as_ref()),
    ];
    // The sizes of one photo come in ascending order.
    let photo = message.photo.last().map(|largest| attachment(AttachmentKind::Photo, largest));
    photo
        .into_iter()
        .chain(single.into_iter().filter_map(|(kind, file)| Some(attachment(kind, file?))))
        .collect()
}

/// What people would call a file: its name, what is sung, or the feeling that a sticker stands for.
fn name(file: &File) -> Option<String> {
    let names = [&file.file_name, &file.title, &file.emoji];
    names.into_iter().flatten().find(|name| !name.trim().is_empty()).cloned()
}

#[cfg(test)]
mod tests;
