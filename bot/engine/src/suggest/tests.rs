use std::sync::Arc;

use async_trait::async_trait;
use futures::future::BoxFuture;
use pensive_contract::clock::{Clock, Timestamp};
use pensive_contract::fault::{Fault, FaultClass};
use pensive_contract::ids::{Account, SenderId, SessionId, SessionKey};
use pensive_contract::model::{Limits, Manner, Model, ModelRef, ModelRequest, ModelStream};
use pensive_contract::session::Turn;
use pensive_contract::store::{
    Cursor, Inbox, Ledger, Notes, Outbox, OutboxEntry, Sessions, StoreFault, Transcript, Write,
};
use pensive_directives::{Level, ModelEntry, Overrides, Profile};

use super::*;
use crate::core::Ports;
use crate::mask::Masker;
use crate::samples::{inbound, settings};
use crate::settings::{DirectPolicy, Door, EngineSettings};

/// A house in which one person has stored something and nothing goes on.
struct House {
    entries: Vec<ModelEntry>,
    stored: Overrides,
}

fn unheard<T>() -> Result<T, StoreFault> {
    Err(StoreFault::Closed)
}

impl Clock for House {
    fn now(&self) -> Timestamp {
        Timestamp(1_000)
    }

    fn sleep_until(&self, _: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
}

#[async_trait]
impl Ledger for House {
    fn ticket(&self) -> Ticket {
        Ticket(1)
    }

    async fn commit(&self, _: Vec<Write>) -> Result<(), StoreFault> {
        unheard()
    }

    fn commit_soon(&self, _: Vec<Write>) -> Result<(), StoreFault> {
        unheard()
    }
}

#[async_trait]
impl Inbox for House {
    async fn take(&self, _: Vec<Inbound>, _: Option<Cursor>) -> Result<Vec<(Ticket, Inbound)>, StoreFault> {
        unheard()
    }

    async fn open(&self) -> Result<Vec<InboxEntry>, StoreFault> {
        unheard()
    }

    async fn entry(&self, _: Ticket) -> Result<Option<InboxEntry>, StoreFault> {
        unheard()
    }

    async fn cursor(&self, _: &Account) -> Result<Option<Cursor>, StoreFault> {
        unheard()
    }
}

#[async_trait]
impl Sessions for House {
    async fn get(&self, key: &SessionKey) -> Result<Option<SessionRecord>, StoreFault> {
        let (agent, place) = (settings().agents[0].id.clone(), inbound("11", "").place);
        let mut record = SessionRecord::new(SessionId::from("s"), key.clone(), agent, place, Timestamp(0));
        record.senders.insert(SenderId::from("11"), self.stored.clone());
        Ok(Some(record))
    }

    async fn count(&self) -> Result<u64, StoreFault> {
        unheard()
    }
}

#[async_trait]
impl Transcript for House {
    async fn tail(&self, _: &SessionId, _: usize) -> Result<Vec<Turn>, StoreFault> {
        unheard()
    }
}

#[async_trait]
impl Outbox for House {
    async fn pending(&self) -> Result<Vec<OutboxEntry>, StoreFault> {
        unheard()
    }

    async fn entry(&self, _: Ticket) -> Result<Option<OutboxEntry>, StoreFault> {
        unheard()
    }
}

#[async_trait]
impl Notes for House {
    async fn note(&self, _: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        Ok(None)
    }

    async fn keep(&self, _: &str, _: Vec<u8>) -> Result<(), StoreFault> {
        Ok(())
    }
}

#[async_trait]
impl Model for House {
    async fn stream(&self, _: ModelRequest) -> Result<ModelStream, Fault> {
        Err(Fault::new(FaultClass::OursToMend, "no", "nobody is asked"))
    }

    fn profile(&self, model: &ModelRef) -> Profile {
        match model.id.as_str() {
            "plain" => Profile::off_only(model.to_string()),
            _ => Profile::base_five(model.to_string()),
        }
    }

    fn explain(&self, _: &ModelRef, _: &Manner) -> String {
        String::new()
    }

    fn entries(&self) -> &[ModelEntry] {
        &self.entries
    }

    fn limits(&self, _: &ModelRef) -> Limits {
        Limits { context: 0, output: None, price: None, takes: &[] }
    }
}

fn entry(reference: &str, alias: Option<&str>) -> ModelEntry {
    ModelEntry { reference: reference.into(), alias: alias.map(Into::into) }
}

/// A house whose door is open to 11 and 12; 11 owns it.
fn guarded() -> EngineSettings {
    let mut settings = settings();
    let door = Door {
        direct: DirectPolicy::Allowlist,
        allow_from: vec!["11".to_owned(), "12".to_owned()],
        ..Door::default()
    };
    settings.doors.insert(inbound("11", "").place.account, door);
    settings.owners = vec!["chat:11".to_owned()];
    settings
}

/// The values that somebody is offered, or their labels.
async fn offered(stored: Overrides, settings: EngineSettings, who: &str, asked: &str) -> Vec<Suggestion> {
    let entries = vec![entry("prov/model", None), entry("prov/plain", Some("pl")), entry("other/big", None)];
    offered_of(entries, stored, settings, who, asked).await
}

async fn offered_of(
    entries: Vec<ModelEntry>,
    stored: Overrides,
    settings: EngineSettings,
    who: &str,
    asked: &str,
) -> Vec<Suggestion> {
    let house = Arc::new(House { entries, stored });
    let ports = Ports {
        clock: house.clone(),
        ledger: house.clone(),
        inbox: house.clone(),
        sessions: house.clone(),
        transcript: house.clone(),
        outbox: house.clone(),
        notes: house.clone(),
        model: house,
        transcriber: None,
        toolshed: None,
        workspace: None,
        outward: [].into(),
        untag: str::to_owned,
        masker: Masker::new([]),
    };
    let core = Core::new(ports, settings).await.unwrap();
    let (command, typed) = asked.split_once(' ').unwrap_or((asked, ""));
    let Inbound { place, sender, .. } = inbound(who, "");
    values(&core, &Asked { place, sender, command: command.into(), typed: typed.into() }).await
}

fn shown(offered: &[Suggestion]) -> String {
    offered.iter().map(|value| value.label.as_str()).collect::<Vec<_>>().join(" | ")
}

fn typed(offered: &[Suggestion]) -> String {
    offered.iter().map(|value| value.value.as_str()).collect::<Vec<_>>().join(" | ")
}

#[tokio::test]
async fn dir_09_levels_are_those_of_the_sessions_model() {
    let now = offered(Overrides::default(), settings(), "11", "think").await;
    assert_eq!(shown(&now), "off | minimal | low | ✓ medium (from built-in) | high | Default (medium)");
    assert_eq!(typed(&now), "off | minimal | low | medium | high | default");
    let stored = Overrides { think: Some(Level::High), ..Overrides::default() };
    let now = offered(stored, settings(), "11", "think h").await;
    assert_eq!(shown(&now), "✓ high (from session) | medium");
    let stored = Overrides { model: Some("prov/plain".into()), ..Overrides::default() };
    let now = offered(stored, settings(), "11", "think").await;
    assert_eq!(shown(&now), "✓ off (from built-in) | Default (off)");
}

#[tokio::test]
async fn models_are_offered_by_name() {
    for command in ["model", "new"] {
        let now = offered(Overrides::default(), settings(), "11", command).await;
        let expected =
            "✓ prov/model (from global default) | pl · prov/plain | other/big | Default (prov/model)";
        assert_eq!(shown(&now), expected);
        assert_eq!(typed(&now), "prov/model | pl | other/big | default");
        let now = offered(Overrides::default(), settings(), "11", &format!("{command} PL")).await;
        assert_eq!(typed(&now), "pl");
        let now = offered(Overrides::default(), settings(), "11", &format!("{command} ig")).await;
        assert_eq!(typed(&now), "other/big");
    }
}

#[tokio::test]
async fn of_many_models_the_one_that_holds_is_there() {
    let entries: Vec<_> = (0..40).map(|number| entry(&format!("prov/m{number}"), None)).collect();
    let stored = Overrides { model: Some("prov/m39".into()), ..Overrides::default() };
    let now = offered_of(entries.clone(), stored.clone(), settings(), "11", "model").await;
    assert_eq!(now.len(), MOST);
    assert_eq!(typed(&now[..3]), "prov/m39 | default | prov/m0");
    let now = offered_of(entries, stored, settings(), "11", "model m3").await;
    assert_eq!(now.len(), 11);
}

#[tokio::test]
async fn other_commands_offer_what_their_pickers_do_and_some_nothing() {
    let check = async |asked: &str, expected: &str| {
        assert_eq!(shown(&offered(Overrides::default(), settings(), "11", asked).await), expected, "{asked}");
    };
    check("verbose", "on | full | ✓ off (from built-in) | Default (off)").await;
    check("usage fu", "full").await;
    check("approve", "deny").await;
    check("status", "").await;
    check("unheard", "").await;
}

#[tokio::test]
async fn strangers_and_those_who_may_not_are_offered_nothing() {
    let check = async |settings: EngineSettings, who: &str, asked: &str, expected: usize| {
        let now = offered(Overrides::default(), settings, who, asked).await;
        assert_eq!(now.len(), expected, "{who} {asked}");
    };
    check(guarded(), "11", "think", 6).await;
    check(guarded(), "12", "think", 6).await;
    check(guarded(), "13", "think", 0).await;
    check(guarded(), "11", "trace", 4).await;
    check(guarded(), "12", "trace", 0).await;
    check(guarded(), "12", "effort", 0).await;
    check(guarded(), "11", "effort", 6).await;
    let narrowed =
        EngineSettings { commands: Some([("chat".to_owned(), vec!["11".to_owned()])].into()), ..guarded() };
    check(narrowed.clone(), "11", "think", 6).await;
    check(narrowed, "12", "think", 0).await;
}
