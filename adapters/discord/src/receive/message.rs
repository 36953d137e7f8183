//! Messages that people write and change.

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::UpdateId;
use pensive_contract::inbound::{
    Addressed, Attachment, AttachmentKind, ChatKind, Inbound, InboundKind, Place, TypedText,
};

use super::text::Reader;
use super::{Us, made, place, sender};
use crate::book::Book;
use crate::handle::Handle;
use crate::wire::{Content, File, Message, Sticker};

/// The kinds of messages that hold people's words; in all others Discord tells what happened
/// (<https://docs.discord.com/developers/resources/message#message-object-message-types>).
const PLAIN: i64 = 0;
const REPLY: i64 = 19;
/// The mark of a spoken message.
const VOICE: i64 = 1 << 13;

/// A new message.
pub(super) fn written(us: &Us, book: &Book, message: &Message) -> Option<Inbound> {
    let update = UpdateId::from(format!("m:{}", message.id));
    read(us, book, message, Change { update, at: made(message.id), kind: InboundKind::Message })
}

/// A message whose author changed its text. Discord tells of other changes in the same way: a link got its preview, a
/// message was pinned.
pub(super) fn edited(us: &Us, book: &Book, message: &Message, now: Timestamp) -> Option<Inbound> {
    let edited = message.edited_timestamp.as_deref()?;
    message.content.text.as_ref()?;
    let moment = serenity::model::Timestamp::parse(edited).ok();
    let at = moment.map_or(now, |moment| Timestamp(moment.unix_timestamp().saturating_mul(1000)));
    let update = UpdateId::from(format!("e:{}:{edited}", message.id));
    read(us, book, message, Change { update, at, kind: InboundKind::Edit })
}

/// What became of a message.
struct Change {
    update: UpdateId,
    at: Timestamp,
    kind: fn(TypedText) -> InboundKind,
}

fn read(us: &Us, book: &Book, message: &Message, change: Change) -> Option<Inbound> {
    let author = message.author.as_ref()?;
    let machine = author.bot || message.webhook_id.is_some();
    let heard = author.id != us.bot && !author.system && (us.hears_bots || !machine);
    if !heard || !matches!(message.kind, None | Some(PLAIN | REPLY)) {
        return None;
    }
    let standing = book.standing(message.channel_id, message.guild_id);
    let place = place(us, message.channel_id, standing)?;
    let reader = Reader { us, book, guild: standing.guild() };
    let mut typed = reader.typed(&message.content);
    let addressed = addressed(us, message, &place, &typed);
    let forwarded = || message.message_snapshots.iter().map(|snapshot| &snapshot.message);
    forwarded().for_each(|content| reader.lend(content, &mut typed));
    let attachments: Vec<_> =
        std::iter::once(&message.content).chain(forwarded()).flat_map(attachments).collect();
    if typed.text.is_empty() && attachments.is_empty() {
        return None;
    }
    let member = &message.member;
    Some(Inbound {
        update: change.update,
        sender: sender(author, member.nick.as_deref(), member.roles.as_deref(), &place),
        message: Handle::Message(message.id).mint(),
        kind: (change.kind)(typed),
        addressed,
        attachments,
        album: None,
        at: change.at,
        place,
    })
}

fn addressed(us: &Us, message: &Message, place: &Place, typed: &TypedText) -> Addressed {
    let meant = place.kind == ChatKind::Direct
        || !typed.mentions.is_empty()
        || message.content.mentions.iter().flatten().any(|user| user.id == us.bot)
        || commands_us(us, message.content.text.as_deref().unwrap_or_default())
        || answers_us(us, message);
    if meant { Addressed::Yes } else { Addressed::No }
}

/// Whether a command carries our name, like `/think@PensiveBot`.
fn commands_us(us: &Us, text: &str) -> bool {
    text.split_whitespace().filter(|word| word.starts_with('/')).any(|word| {
        let word = word.split(':').next().unwrap_or(word);
        word.split_once('@').is_some_and(|(_, name)| name.eq_ignore_ascii_case(&us.username))
    })
}

/// Whether the person replied to a message of ours. Other kinds of messages refer to one too, and answer none.
fn answers_us(us: &Us, message: &Message) -> bool {
    let author = message.referenced_message.as_ref().and_then(|replied| replied.author.as_ref());
    message.kind == Some(REPLY) && author.is_some_and(|author| author.id == us.bot)
}

fn attachments(content: &Content) -> impl Iterator<Item = Attachment> {
    let spoken = content.flags.is_some_and(|flags| flags & VOICE != 0);
    let files = content.attachments.iter().filter_map(move |file| attachment(file, spoken));
    files.chain(content.sticker_items.iter().map(sticker))
}

fn attachment(file: &File, spoken: bool) -> Option<Attachment> {
    let kind = match file.content_type.as_deref().and_then(|kind| kind.split('/').next()) {
        Some("audio") if spoken => AttachmentKind::Voice,
        Some("audio") => AttachmentKind::Audio,
        Some("video") => AttachmentKind::Video,
        Some("image") => AttachmentKind::Photo,
        _ => AttachmentKind::Document,
    };
    Some(Attachment {
        kind,
        name: file.filename.clone().filter(|name| !name.trim().is_empty()),
        handle: file.url.clone()?,
        size: file.size.and_then(|size| u64::try_from(size).ok()),
    })
}

fn sticker(sticker: &Sticker) -> Attachment {
    // Where their pictures lie: https://docs.discord.com/developers/reference#image-formatting
    let (server, ending) = match sticker.format_type {
        Some(3) => ("cdn.discordapp.com", "json"),
        Some(4) => ("media.discordapp.net", "gif"),
        _ => ("cdn.discordapp.com", "png"),
    };
    Attachment {
        kind: AttachmentKind::Sticker,
        name: sticker.name.clone().filter(|name| !name.trim().is_empty()),
        handle: format!("https://{server}/stickers/{}.{ending}", sticker.id),
        size: None,
    }
}
