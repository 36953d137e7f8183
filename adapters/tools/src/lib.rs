//! What a model may do beside speaking. Each tool does one thing inside its agent's workspace; who may call it, who is
//! asked before, how long it may take and how much of its result is kept is the engine's business.
//!
//! Read [`settings`] for what the daemon hands in and [`shed`] for what comes out; then one module a tool.

mod exec;
mod files;
mod mcp;
mod memory;
#[cfg(test)]
mod privacy;
pub mod settings;
pub mod shed;
#[cfg(test)]
mod testing;
mod trouble;
mod web;
mod wire;

pub use exec::sandbox;
pub use mcp::server_prefix;
pub use settings::{AgentTools, ToolSettings};
pub use shed::{NAMES, Tools};
