//! What the tests of this room share: a server that they script, a clock that they move, an account.
#![allow(dead_code, unused_imports, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "test support fails the test")]

mod clock;
mod gateway;
mod http;
mod intake;

use std::sync::{Arc, Once};

use pensive_contract::ids::Account;
use pensive_contract::inbound::{ChatKind, Place, Topic, TopicKind};
use pensive_contract::outward::Outward;
use pensive_contract::secret::Secret;
use pensive_discord::{DiscordSettings, Pings, Registration, connect};

pub(crate) use clock::{HandClock, Memory, naps};
pub(crate) use gateway::{EVERY_MS, Gateway, Line, said};
pub(crate) use http::{Reply, Request, Server};
pub(crate) use intake::{Engine, Taken};

pub(crate) const TOKEN: &str = "MTIz.NDU2.Nzg5-secret_half_of_the_token";

pub(crate) fn account() -> Account {
    Account { channel: "discord".into(), id: "main".into() }
}

pub(crate) fn settings(root: &str) -> DiscordSettings {
    static TLS: Once = Once::new();
    TLS.call_once(|| {
        let _installed = rustls::crypto::ring::default_provider().install_default();
    });
    DiscordSettings {
        account: account(),
        token: Secret::new(TOKEN),
        token_from: "the variable DISCORD_BOT_TOKEN".to_owned(),
        api_root: root.to_owned(),
        mention_patterns: Vec::new(),
        pings: Pings::default(),
        link_previews: false,
        hears_bots: false,
        commands: Registration::Off,
        shards: None,
    }
}

pub(crate) fn outward(settings: DiscordSettings, clock: Arc<HandClock>) -> Outward {
    connect(settings, clock, Arc::new(Memory::default())).unwrap().outward
}

pub(crate) fn direct() -> Place {
    Place { account: account(), chat: "7".into(), kind: ChatKind::Direct, topic: None, space: None }
}

pub(crate) fn channel() -> Place {
    Place { kind: ChatKind::Group, space: Some("3".into()), ..direct() }
}

pub(crate) fn thread() -> Place {
    let topic = Topic { id: "9".into(), kind: TopicKind::Thread };
    Place { topic: Some(topic), ..channel() }
}
