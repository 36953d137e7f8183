//! Small values for the tables of this crate's tests.

use std::time::Duration;

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::{
    Account, AccountId, AgentId, ChannelName, ChatId, MessageId, SenderId, UpdateId,
};
use pensive_contract::inbound::{Addressed, ChatKind, Inbound, InboundKind, Place, Sender, TypedText};
use pensive_contract::model::ModelRef;
use pensive_directives::{Layers, Profile, Source, resolve};

use crate::access::Authority;
use crate::route::route;
use crate::run::Pending;
use crate::settings::{
    AgentSettings, DirectiveDefaults, DmScope, EngineSettings, OverrideScope, QueueRules, ToolDetail,
    ToolRules,
};

/// One agent, no doors.
pub(crate) fn settings() -> EngineSettings {
    EngineSettings {
        version: "0".to_owned(),
        agents: vec![AgentSettings {
            id: AgentId::from("main"),
            model: ModelRef { provider: "prov".to_owned(), id: "model".to_owned() },
            model_source: Source::Global,
            fallbacks: Vec::new(),
            prompt: String::new(),
            defaults: DirectiveDefaults::default(),
            params: [].into(),
            tools: ToolRules::default(),
            tool_detail: ToolDetail::default(),
        }],
        bindings: Vec::new(),
        global: DirectiveDefaults::default(),
        params: [].into(),
        owners: Vec::new(),
        commands: None,
        doors: [].into(),
        dm_scope: DmScope::default(),
        override_scope: OverrideScope::default(),
        identity_links: [].into(),
        rate: None,
        max_concurrent: 4,
        response_prefix: String::new(),
        run_limit: Duration::from_mins(10),
        queue: QueueRules::default(),
        streaming: [].into(),
        home: String::new(),
    }
}

/// A direct message.
pub(crate) fn inbound(sender: &str, text: &str) -> Inbound {
    Inbound {
        update: UpdateId::from("1"),
        place: Place {
            account: Account { channel: ChannelName::from("chat"), id: AccountId::from("one") },
            chat: ChatId::from(sender),
            kind: ChatKind::Direct,
            topic: None,
            space: None,
        },
        sender: Sender { id: SenderId::from(sender), name: "Ann".to_owned(), roles: Vec::new() },
        message: MessageId::from("7"),
        kind: InboundKind::Message(TypedText { text: text.to_owned(), ..TypedText::default() }),
        addressed: Addressed::Yes,
        attachments: Vec::new(),
        album: None,
        at: Timestamp(1_000),
    }
}

/// A message that waits for its run, with nothing configured or stored.
pub(crate) fn pending(inbound: Inbound) -> Pending {
    let settings = settings();
    let route = route(&settings, &inbound).expect("there is an agent");
    let profile = Profile::base_five(route.agent.model.to_string());
    let (once, stored, defaults) = Default::default();
    let layers = Layers {
        once: &once,
        sender: &stored,
        chat: &stored,
        defaults: &defaults,
        effort: None,
        profile: &profile,
    };
    Pending {
        parts: Vec::new(),
        said: std::sync::Arc::default(),
        tickets: Vec::new(),
        text: inbound.typed().map(|typed| typed.text.clone()).unwrap_or_default(),
        settings: resolve(&layers),
        once,
        model: route.agent.model.clone(),
        fast_cutoff: Duration::ZERO,
        authority: Authority::Directs,
        route,
        inbound,
    }
}
