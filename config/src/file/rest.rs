//! The short blocks: `session`, `commands`, `messages`, `limits`, `storage`.

use pensive_directives::QueueMode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{Entries, Id, Text};
use crate::config::{DmScope, OverrideScope};
use crate::defaults;
use crate::format::Model;

/// How conversations are kept.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Session {
    /// How direct messages are kept apart.
    #[schemars(extend("default" = "per-channel-peer"))]
    pub(crate) dm_scope: Option<DmScope>,
    /// To whom a setting in a shared chat belongs: to whoever made it, or to everybody in the session.
    #[schemars(extend("default" = "sender"))]
    pub(crate) override_scope: Option<OverrideScope>,
    /// People known under several ids: a name and its `channel:id` forms.
    #[serde(default)]
    pub(crate) identity_links: Entries<Vec<String>>,
    /// When a session ends by itself.
    #[serde(default)]
    pub(crate) reset: Reset,
}

/// When a session ends by itself.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Reset {
    /// After so many minutes without a message; 0 for never.
    #[schemars(range(max = 5_256_000), extend("default" = defaults::IDLE_MINUTES))]
    pub(crate) idle_minutes: Option<u32>,
    /// At this hour of the day, local time.
    #[schemars(range(max = 23))]
    pub(crate) at_hour: Option<u8>,
    /// Whether settings made by directives outlive their session.
    #[schemars(extend("default" = false))]
    pub(crate) keep_overrides: Option<bool>,
}

/// Who may use directives and commands.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Commands {
    /// Who owns this installation: `channel:id`.
    pub(crate) owner_allow_from: Option<Vec<String>>,
    /// Who may use directives and commands, by channel; `*` for all others. Without it whoever the channel admits.
    pub(crate) allow_from: Option<Entries<Vec<Id>>>,
}

/// How messages are taken in and answered.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Messages {
    /// How messages are taken in.
    #[serde(default)]
    pub(crate) inbound: Inbound,
    /// What happens to a message while an answer is being made.
    #[serde(default)]
    pub(crate) queue: Queue,
    /// What becomes of voice messages.
    #[serde(default)]
    pub(crate) voice: Voice,
    /// Put before every answer.
    #[schemars(extend("default" = ""))]
    pub(crate) response_prefix: Option<String>,
}

/// How messages are taken in.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Inbound {
    /// How long a message waits for a continuation, in milliseconds.
    #[schemars(range(max = 60_000), extend("default" = 0))]
    pub(crate) debounce_ms: Option<u32>,
}

/// What becomes of voice messages.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Voice {
    /// The model that writes them down for models that do not listen, of a provider that speaks one of OpenAI's APIs. Without
    /// it such models get none.
    #[schemars(extend("examples" = ["openai/gpt-4o-transcribe", "groq/whisper-large-v3-turbo"]))]
    pub(crate) transcribe: Option<Text<Model>>,
}

/// What happens to a message while an answer is being made.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Queue {
    /// `steer` puts it into the running answer, `followup` answers it next, `collect` answers all that wait at once,
    /// `interrupt` ends the running answer.
    #[schemars(extend("default" = "steer"))]
    pub(crate) mode: Option<Text<QueueMode>>,
    /// How long `collect` waits for quiet, in milliseconds.
    #[schemars(range(max = 60_000), extend("default" = defaults::QUEUE_QUIET_MS))]
    pub(crate) debounce_ms: Option<u32>,
    /// How many messages wait at most.
    #[schemars(range(min = 1, max = 1_000), extend("default" = defaults::QUEUE_CAP))]
    pub(crate) cap: Option<u16>,
}

/// What one person may ask for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Limits {
    /// How often one sender may write.
    #[serde(default)]
    pub(crate) per_sender: PerSender,
}

/// How often one sender may write.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct PerSender {
    /// Messages a minute in the long run; 0 for no limit.
    #[schemars(range(max = 100_000), extend("default" = defaults::PER_MINUTE))]
    pub(crate) per_minute: Option<u32>,
    /// Messages at once.
    #[schemars(range(min = 1, max = 100_000), extend("default" = defaults::BURST))]
    pub(crate) burst: Option<u32>,
}

/// Where state is kept.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Storage {
    /// The folder; `~` is the home folder, a relative path starts at this file.
    #[schemars(length(min = 1), extend("default" = defaults::DATA))]
    pub(crate) path: Option<String>,
}
