//! What could stand behind a command that somebody is typing: what its picker would offer them at this moment. Pure reading:
//! nothing is changed, nothing is said.

use pensive_contract::ids::{MessageId, Ticket, UpdateId};
use pensive_contract::inbound::{Addressed, Inbound, InboundKind, TypedText};
use pensive_contract::intake::{Asked, Suggestion};
use pensive_contract::session::SessionRecord;
use pensive_contract::store::{InboxEntry, InboxState};
use pensive_directives::{Access, Choice, CommandName, CommandSpec, Owner, Picker, table};

use crate::access::{Admission, Authority, owner};
use crate::core::Core;
use crate::desk::Desk;
use crate::hearing;
use crate::lane::Job;
use crate::status::Busy;

/// As many as anybody reads while they type.
const MOST: usize = 25;

/// The values, best match first.
pub(crate) async fn values(core: &Core, asked: &Asked) -> Vec<Suggestion> {
    let Some(spec) = table().iter().find(|spec| spec.word == asked.command) else { return Vec::new() };
    let Some(job) = job(core, spec, asked) else { return Vec::new() };
    match core.ports.sessions.get(&job.route.key).await {
        Ok(record) => offered(core, spec, &job, record.as_ref(), &asked.typed),
        Err(fault) => {
            tracing::error!(%fault, session = %job.route.key, "the store cannot be read");
            Vec::new()
        }
    }
}

/// The bare command as if it were sent; nothing where it would not be obeyed.
fn job(core: &Core, spec: &CommandSpec, asked: &Asked) -> Option<Job> {
    let inbound = Inbound {
        update: UpdateId::from(""),
        place: asked.place.clone(),
        sender: asked.sender.clone(),
        message: MessageId::from(""),
        kind: InboundKind::Message(TypedText { text: format!("/{}", spec.word), ..TypedText::default() }),
        addressed: Addressed::Yes,
        attachments: Vec::new(),
        album: None,
        at: core.now(),
    };
    let heard = hearing::hear(core, &inbound);
    let obeyed = heard.admission == Admission::Admitted && heard.authority == Authority::Directs;
    let owned = match spec.access {
        Access::Anyone => true,
        Access::OwnerToKeep | Access::Owner => {
            owner(&core.settings, &asked.place.account, &asked.sender) == Owner::Yes
        }
    };
    if !obeyed || !owned {
        return None;
    }
    let route = hearing::belongs(core, &inbound)?;
    Some(heard.job(InboxEntry { ticket: Ticket(0), state: InboxState::Waiting, inbound }, route))
}

fn offered(
    core: &Core,
    spec: &CommandSpec,
    job: &Job,
    record: Option<&SessionRecord>,
    typed: &str,
) -> Vec<Suggestion> {
    let desk = Desk { core, job, record, busy: Busy::default() };
    // A new session begins with any of the models that there are.
    let picked = if spec.name == CommandName::New { "model" } else { spec.word };
    match desk.offer(picked).picker {
        Some(picker) => of_picker(&picker, typed),
        None => (spec.choices)().into_iter().filter(|word| word.starts_with(typed)).map(plain).collect(),
    }
}

fn plain(word: &str) -> Suggestion {
    Suggestion { label: word.to_owned(), value: word.to_owned() }
}

fn of_picker(picker: &Picker, typed: &str) -> Vec<Suggestion> {
    let mut fitting = picker.fitting(typed);
    if fitting.len() > MOST {
        // What holds and the way back are found without typing.
        let last = picker.choices.len().saturating_sub(1);
        fitting.sort_by_key(|(place, _)| Some(*place) != picker.current && *place != last);
        fitting.truncate(MOST);
    }
    fitting.into_iter().map(|(place, choice)| suggestion(picker, place, choice)).collect()
}

fn suggestion(picker: &Picker, place: usize, choice: &Choice) -> Suggestion {
    let (name, value) = named(picker, choice);
    let label = match picker.source {
        _ if picker.current != Some(place) => name,
        Some(source) => format!("✓ {name} (from {source})"),
        None => format!("✓ {name}"),
    };
    Suggestion { label, value }
}

/// What people read, and what is then typed: a model by its name, as its number in the list may soon be another's.
fn named(picker: &Picker, choice: &Choice) -> (String, String) {
    match &choice.model {
        Some(reference) if picker.directive == "model" && *reference != choice.label => {
            (format!("{} · {reference}", choice.label), choice.label.clone())
        }
        Some(reference) if picker.directive == "model" => (reference.clone(), reference.clone()),
        Some(_) | None => (choice.label.clone(), choice.word.clone()),
    }
}

#[cfg(test)]
mod tests;
