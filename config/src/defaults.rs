//! What holds where nothing is configured, said once: the schema shows these values and `build` puts them in.

pub(crate) const MAX_CONCURRENT: u16 = 16;
pub(crate) const WORKSPACE: &str = "~/pensive";
pub(crate) const DATA: &str = "~/.local/share/pensive";
pub(crate) const EXEC_SECONDS: u32 = 120;
pub(crate) const FAST_SECONDS: u32 = 60;
pub(crate) const HEARTBEAT_EVERY: &str = "30m";
pub(crate) const HEARTBEAT_PROMPT: &str = "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly. Do not \
    infer or repeat old tasks from prior chats. If nothing needs attention, reply HEARTBEAT_OK.";
pub(crate) const HEARTBEAT_LIMIT_SECONDS: u64 = 600;
pub(crate) const ACK_MAX_CHARS: u32 = 300;
pub(crate) const TELEGRAM_ROOT: &str = "https://api.telegram.org";
pub(crate) const DISCORD_ROOT: &str = "https://discord.com";
pub(crate) const WEB_BIND: &str = "127.0.0.1:7878";
pub(crate) const IDLE_MINUTES: u32 = 1440;
pub(crate) const QUEUE_QUIET_MS: u32 = 500;
pub(crate) const QUEUE_CAP: u16 = 20;
pub(crate) const PER_MINUTE: u32 = 20;
pub(crate) const BURST: u32 = 5;
