//! The first thing after a start: what the last life left in the inbox and the outbox.

use std::sync::Arc;
use std::time::Duration;

use pensive_contract::inbound::Place;
use pensive_contract::store::{
    InboxEntry, InboxState, OutboxEntry, OutboxKind, PartState, StoreFault, Write,
};

use crate::access::Admission;
use crate::core::{Core, Letter};
use crate::courier::Parcel;
use crate::hearing;
use crate::notices;

/// How long a message that was put by can still be asked for.
const KEEP: Duration = Duration::from_hours(24);

pub(crate) async fn recover(core: &Arc<Core>) -> Result<(), StoreFault> {
    let pending = core.ports.outbox.pending().await?;
    let open = core.ports.inbox.open().await?;
    if !pending.is_empty() || !open.is_empty() {
        tracing::info!(messages = open.len(), letters = pending.len(), "going on where the last life ended");
    }
    for entry in pending {
        if is_here(core, &entry.place) {
            send_on(core, entry).await?;
        }
    }
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

/// Parts that were being tried may have landed: nobody knows, so they are not tried again.
async fn send_on(core: &Arc<Core>, mut entry: OutboxEntry) -> Result<(), StoreFault> {
    let mut unknown_before = false;
    for (_, state) in &mut entry.parts {
        unknown_before |= *state == PartState::Unknown;
        if *state == PartState::Trying {
            *state = PartState::Unknown;
        }
    }
    let settled = entry.parts.iter().all(|(_, state)| *state != PartState::Waiting);
    if unknown_before && settled {
        // It was told before the restart and waits for its button.
        if core.now().since(entry.created) > KEEP {
            core.ports.ledger.commit(vec![Write::Forget(entry.ticket)]).await?;
        }
        return Ok(());
    }
    core.dispatch(Parcel { entry, done: None });
    Ok(())
}

async fn take_up(core: &Arc<Core>, entry: InboxEntry) -> Result<(), StoreFault> {
    let old = core.now().since(entry.inbound.at) > KEEP;
    match entry.state {
        InboxState::Parked if old => core.ports.ledger.commit(vec![Write::Close(entry.ticket)]).await,
        InboxState::Parked => Ok(()),
        InboxState::Running => {
            let letter = Letter::plain(OutboxKind::Notice, notices::RESTARTED)
                .with_button(notices::RUN_AGAIN, notices::run_data(entry.ticket))
                .last();
            let inbound = &entry.inbound;
            let letter = core.seal(letter, &inbound.place, Some(inbound.message.clone()));
            core.post(vec![Write::Park(entry.ticket)], letter.into_iter().collect()).await
        }
        InboxState::Waiting | InboxState::Heeded => {
            // The configuration may have changed meanwhile: the door is asked again.
            let heard = hearing::hear(core, &entry.inbound);
            if heard.admission != Admission::Admitted {
                return core.ports.ledger.commit(vec![Write::Close(entry.ticket)]).await;
            }
            core.assign(entry, heard);
            Ok(())
        }
    }
}
