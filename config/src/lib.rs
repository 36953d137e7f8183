//! The file and the environment, turned into checked settings.
//!
//! [`load`] finds the file, checks all of it and gives a [`Config`] or every fault with its line. The types in `file` are the
//! one description of the file: [`schema`], the checks and [`explain`] are made from them, and `build` turns them into
//! settings. Secrets are read where they are needed, by [`SecretSource::read`].

mod agents;
mod channels;
mod config;
mod providers;
mod web;

mod environment;
mod fault;
mod folders;
mod load;
mod mention;
mod nearest;
mod secret;

mod defaults;
mod file;
mod format;

mod document;
mod keys;
mod schema;
mod shape;
mod trail;

mod build;
mod explain;

pub use agents::{
    ActiveHours, Agent, Binding, DirectiveDefaults, Heartbeat, HeartbeatTarget, McpServer, ModelChoice,
    ModelParams, Peer, PeerKind, ToolDetail, Tools,
};
pub use channels::{
    ChatRule, DirectPolicy, DiscordAccount, Door, GroupPolicy, GroupRule, HeartbeatVisibility, MentionKind,
    RichMessages, SlashCommands, Streaming, TelegramAccount, TopicRule, WebPage, Webhook,
};
pub use config::{Config, DmScope, MessageSettings, OverrideScope, Rate, SessionSettings};
pub use environment::Environment;
pub use explain::{Explanation, UnknownKey, explain};
pub use fault::{ConfigFault, ConfigFaults, Position};
pub use folders::Folders;
pub use keys::SetKey;
pub use load::{Sources, load};
pub use mention::Mention;
pub use nearest::{misspelt, nearest_names};
pub use providers::{Api, DefaultModel, Input, ModelRow, Provider, ThinkingFormat, provider_also_called};
pub use schema::schema;
pub use secret::{SecretFault, SecretSource};
pub use web::{SearchEngine, WebTools};
