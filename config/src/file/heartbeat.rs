//! `heartbeat`: when an agent speaks up without being asked.

use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{Id, Span, Text};
use crate::defaults;
use crate::format::{ClockTime, Model, Timezone};

/// When an agent speaks up without being asked.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Heartbeat {
    /// Between two beats: `30m`, `2h`, or a number in minutes. `0m` turns it off.
    #[schemars(extend("default" = defaults::HEARTBEAT_EVERY))]
    pub(crate) every: Option<Span>,
    /// What the model is told.
    #[schemars(length(min = 1), extend("default" = defaults::HEARTBEAT_PROMPT))]
    pub(crate) prompt: Option<String>,
    /// Where the answer goes: `none`, `last` (the session's last chat), or a channel, with `to`.
    #[schemars(extend("default" = "none"))]
    pub(crate) target: Option<Target>,
    /// The chat on the target channel: `<chat>` or `<chat>:topic:<id>`.
    pub(crate) to: Option<Id>,
    /// The session that it runs in: `main` or a session key.
    #[schemars(length(min = 1), extend("default" = "main"))]
    pub(crate) session: Option<String>,
    /// Whether it runs beside that session, without its history.
    #[schemars(extend("default" = false))]
    pub(crate) isolated_session: Option<bool>,
    /// The hours in which it beats.
    pub(crate) active_hours: Option<ActiveHours>,
    /// The model for these runs.
    pub(crate) model: Option<Text<Model>>,
    /// How long a run may take. Without it the interval, at most 600.
    #[schemars(range(min = 1, max = 86_400))]
    pub(crate) timeout_seconds: Option<u32>,
    /// How many characters may stand beside an acknowledgement without being sent.
    #[schemars(range(max = 100_000), extend("default" = defaults::ACK_MAX_CHARS))]
    pub(crate) ack_max_chars: Option<u32>,
    /// Whether the reasoning is sent before the answer.
    #[schemars(extend("default" = false))]
    pub(crate) include_reasoning: Option<bool>,
}

/// Where a heartbeat's answer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Target {
    /// Nowhere.
    None,
    /// To the session's last chat.
    Last,
    /// To a Telegram chat.
    Telegram,
    /// To a Discord channel.
    Discord,
    /// To a login of the web page.
    Web,
}

/// Hours of the day.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct ActiveHours {
    /// The first minute that counts, `HH:MM`.
    pub(crate) start: Text<ClockTime>,
    /// The first minute that does not count any more, `HH:MM`; `24:00` is allowed.
    pub(crate) end: Text<ClockTime>,
    /// The time zone: an IANA name, or `local`.
    #[schemars(extend("default" = "local"))]
    pub(crate) timezone: Option<Text<Timezone>>,
}
