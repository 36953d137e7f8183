//! Commands that people call, buttons that they press, and values that they are about to put behind a command.

use pensive_contract::ids::UpdateId;
use pensive_contract::inbound::{Addressed, Inbound, InboundKind, Place, Sender, TypedText};
use pensive_contract::intake::Asked;

use super::{Us, made, place, sender};
use crate::book::{Book, Standing};
use crate::commands;
use crate::components::HALT;
use crate::handle::{self, Handle};
use crate::wire::{Called, Interaction, InteractionKind};

/// The mark of a message that one person alone sees.
const EPHEMERAL: i64 = 1 << 6;

/// What an interaction is answered by.
pub(crate) fn handle(call: &Interaction) -> handle::Interaction {
    handle::Interaction { application: call.application_id, id: call.id, token: call.token.clone() }
}

/// The command whose value somebody is typing.
pub(crate) fn asked(us: &Us, book: &Book, call: &Interaction) -> Option<(handle::Interaction, Asked)> {
    if call.kind != InteractionKind::Autocomplete {
        return None;
    }
    let (place, sender) = whereabouts(us, book, call)?;
    let typed = call.data.options.iter().find(|option| option.focused)?.value.clone().unwrap_or_default();
    Some((handle(call), Asked { place, sender, command: call.data.name.clone()?, typed }))
}

/// What somebody did.
pub(super) fn done(us: &Us, book: &Book, call: &Interaction) -> Option<Inbound> {
    let (place, sender) = whereabouts(us, book, call)?;
    let through = handle(call);
    let (kind, message) = match call.kind {
        InteractionKind::Command => (called(us, &call.data)?, Handle::Command(through)),
        InteractionKind::Component => {
            let pressed = call.message.as_ref()?;
            let kind = press(&call.data, through.query())?;
            let private = pressed.flags.is_some_and(|flags| flags & EPHEMERAL != 0);
            let message = pressed.id;
            let handle =
                if private { Handle::Private { through, message } } else { Handle::Message(message) };
            (kind, handle)
        }
        InteractionKind::Autocomplete | InteractionKind::Other => return None,
    };
    Some(Inbound {
        update: UpdateId::from(format!("i:{}", call.id)),
        place,
        sender,
        message: message.mint(),
        kind,
        addressed: Addressed::Yes,
        attachments: Vec::new(),
        album: None,
        at: made(call.id),
    })
}

/// Where it happened, and who did it.
fn whereabouts(us: &Us, book: &Book, call: &Interaction) -> Option<(Place, Sender)> {
    let channel = call.channel_id.or(call.channel.as_ref().map(|channel| channel.id))?;
    let told =
        call.channel.as_ref().filter(|told| told.id == channel).map(|told| Standing::of(told, call.guild_id));
    let standing = match told {
        Some(told @ (Standing::Thread { .. } | Standing::Crowd)) => told,
        Some(Standing::Direct | Standing::Guild(_)) | None => book.standing(channel, call.guild_id),
    };
    let place = place(us, channel, standing)?;
    let person = call.member.user.as_ref().or(call.user.as_ref()).filter(|user| !user.bot)?;
    let sender = sender(person, call.member.nick.as_deref(), call.member.roles.as_deref(), &place);
    Some((place, sender))
}

/// A command is what they would have typed; nothing where it is one that an earlier version had.
fn called(us: &Us, data: &Called) -> Option<InboundKind> {
    let name = data.name.as_deref().filter(|name| commands::is_ours(name))?;
    let options: Vec<_> = data
        .options
        .iter()
        .filter_map(|option| Some((option.name.as_str(), option.value.as_deref()?)))
        .collect();
    let text = commands::typed(name, &options);
    Some(InboundKind::Message(TypedText {
        text,
        bot_name: Some(us.username.clone()),
        ..TypedText::default()
    }))
}

/// The button under a preview of ours stops it; what the others mean, the engine knows.
fn press(data: &Called, query: String) -> Option<InboundKind> {
    let data = data.values.first().or(data.custom_id.as_ref())?;
    Some(match data.strip_prefix(HALT).and_then(|stream| stream.parse().ok()) {
        Some(stream) => InboundKind::Halt { stream, query: Some(query) },
        None => InboundKind::Press { data: data.clone(), query },
    })
}
