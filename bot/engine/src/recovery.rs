//! The first thing after a start: what the last life left in the inbox and the outbox.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use pensive_contract::ids::MessageId;
use pensive_contract::inbound::Place;
use pensive_contract::store::{
    InboxEntry, InboxState, OutboxEntry, OutboxKind, PartState, Standing, StoreFault, Write,
};

use crate::access::Admission;
use crate::core::{Address, Core, Letter};
use crate::hearing;
use crate::notices;
use crate::run::Pending;

/// How long a message that was put by can still be asked for.
const KEEP: Duration = Duration::from_hours(24);

pub(crate) async fn recover(core: &Arc<Core>) -> Result<(), StoreFault> {
    let pending = core.ports.outbox.pending().await?;
    let open = core.ports.inbox.open().await?;
    if !pending.is_empty() || !open.is_empty() {
        let messages = open.iter().filter(|entry| entry.state != InboxState::Parked).count();
        tracing::info!(messages, letters = pending.len(), "going on where the last life ended");
    }
    send_on(core, pending.into_iter().filter(|entry| is_here(core, &entry.place)).collect()).await?;
    for entry in open {
        if is_here(core, &entry.inbound.place) {
            take_up(core, entry).await?;
        }
    }
    Ok(())
}

/// What belongs to an account that is not here is left as it is, for the day when it is back.
fn is_here(core: &Core, place: &Place) -> bool {
    let here = core.ports.outward.contains_key(&place.account);
    if !here {
        tracing::warn!(account = %place.account, "something waits for an account that is not here");
    }
    here
}

/// Goes on sending. Each chat's letters wait for that chat alone.
async fn send_on(core: &Arc<Core>, pending: Vec<OutboxEntry>) -> Result<(), StoreFault> {
    let mut chats: BTreeMap<Address, Vec<OutboxEntry>> = BTreeMap::new();
    for entry in pending {
        match fate(&entry) {
            Fate::Told if core.now().since(entry.created) > KEEP => {
                core.ports.ledger.commit(vec![Write::Forget(entry.ticket)]).await?;
            }
            Fate::Told => {}
            Fate::Open => {
                let address = (entry.place.account.clone(), entry.place.chat.clone());
                chats.entry(address).or_default().push(doubtful(entry));
            }
        }
    }
    for letters in chats.into_values() {
        let core = Arc::clone(core);
        core.tasks.clone().spawn(async move {
            for letter in letters {
                core.dispatch_in_turn(letter).await;
            }
        });
    }
    Ok(())
}

/// What is to be done about a letter of the last life.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    /// Something of it is not settled.
    Open,
    /// It was told that nobody knows whether it arrived, and it waits for its button.
    Told,
}

fn fate(entry: &OutboxEntry) -> Fate {
    let open = |state: &PartState| matches!(state, PartState::Waiting | PartState::Trying);
    if entry.parts.iter().any(|(_, state)| open(state)) { Fate::Open } else { Fate::Told }
}

/// Parts that were being tried may have landed: nobody knows, so they are not tried again. But a notice is the only way
/// to what is behind its button: twice is better than never.
fn doubtful(mut entry: OutboxEntry) -> OutboxEntry {
    let notice = entry.kind == OutboxKind::Notice && !entry.buttons.is_empty();
    // What takes the place of a preview does so twice without harm.
    let settles = matches!(entry.standing, Some(Standing::Settle(_)));
    for (index, (_, state)) in entry.parts.iter_mut().enumerate() {
        let again = notice || (settles && index == 0);
        if *state == PartState::Trying {
            *state = if again { PartState::Waiting } else { PartState::Unknown };
        }
    }
    entry
}

/// Notes that a preview stands as a message of its own, for a start after a crash to take it away.
pub(crate) async fn remember(core: &Core, pending: &Pending, standing: &MessageId) {
    let Some(ticket) = pending.tickets.last() else { return };
    let value = format!("{ticket} {standing}").into_bytes();
    if let Err(fault) = core.ports.notes.keep(&standing_at(&pending.inbound.place), value).await {
        tracing::warn!(%fault, "a preview that stands was not written down");
    }
}

/// Forgets a preview in whose place a message is about to come: from then on it is no preview, and no start takes it away.
pub(crate) async fn settles(core: &Core, place: &Place) {
    if let Err(fault) = core.ports.notes.keep(&standing_at(place), Vec::new()).await {
        tracing::warn!(%fault, "that a preview stands no more was not written down");
    }
}

/// What a run that was cut off had shown of its answer, which is to go.
async fn left_standing(core: &Core, entry: &InboxEntry) -> Result<Option<Standing>, StoreFault> {
    let Some(note) = core.ports.notes.note(&standing_at(&entry.inbound.place)).await? else {
        return Ok(None);
    };
    let note = String::from_utf8_lossy(&note);
    let own = note.split_once(' ').filter(|(ticket, _)| *ticket == entry.ticket.to_string());
    Ok(own.map(|(_, standing)| Standing::Remove(MessageId::from(standing))))
}

/// One conversation has one run at a time, and so one preview.
fn standing_at(place: &Place) -> String {
    let topic = place.topic.as_ref().map_or("", |topic| topic.id.as_str());
    format!("standing/{}/{}/{topic}", place.account, place.chat)
}

async fn take_up(core: &Arc<Core>, entry: InboxEntry) -> Result<(), StoreFault> {
    let old = core.now().since(entry.inbound.at) > KEEP;
    match entry.state {
        InboxState::Parked if old => core.ports.ledger.commit(vec![Write::Close(entry.ticket)]).await,
        InboxState::Parked => Ok(()),
        InboxState::Running => {
            let standing = left_standing(core, &entry).await?;
            let letter = Letter::plain(OutboxKind::Notice, notices::RESTARTED)
                .with_button(notices::RUN_AGAIN, notices::run_data(entry.ticket))
                .last();
            let inbound = &entry.inbound;
            let letter = core.seal(letter, &inbound.place, Some(inbound.message.clone()));
            // It goes with the letter, so that it does also when this start is cut off as well.
            let letter = letter.map(|letter| OutboxEntry { standing, ..letter });
            core.post(vec![Write::Park(entry.ticket)], letter.into_iter().collect()).await
        }
        InboxState::Waiting | InboxState::Heeded => {
            // The configuration may have changed meanwhile: the door is asked again.
            let heard = hearing::hear(core, &entry.inbound);
            if heard.admission != Admission::Admitted {
                return core.ports.ledger.commit(vec![Write::Close(entry.ticket)]).await;
            }
            core.albums.note(&entry.inbound);
            core.assign(entry, heard).await;
            Ok(())
        }
    }
}
