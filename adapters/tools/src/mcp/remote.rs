//! A server's tool as one of ours.

use std::sync::Arc;

use async_trait::async_trait;
use pensive_contract::model::ToolSpec;
use pensive_contract::tool::{Danger, Errand, Tool, ToolFault};
use rmcp::ServiceError;
use rmcp::model::{CallToolRequestParams, CallToolResponse, JsonObject, Tool as Offer};

use super::outcome;
use super::server::Server;
use crate::web::chain;
use crate::wire::arguments;

/// How much of a description the model is told, in characters: servers write manuals.
const DESCRIPTION: usize = 2000;

/// How much of a server's own complaint, in characters.
const COMPLAINT: usize = 1000;

/// The longest schema that is passed on; a tool with a longer one takes any object.
const SCHEMA: usize = 32 * 1024;

/// A tool of a server.
pub(super) struct Remote {
    spec: ToolSpec,
    /// What the server calls it.
    name: String,
    danger: Danger,
    server: Arc<Server>,
}

impl Remote {
    pub(super) fn new(server: Arc<Server>, name: String, offer: Offer) -> Self {
        let danger = danger(&offer);
        let description = offer.description.as_deref().or(offer.title.as_deref()).unwrap_or_default();
        let description = cut(description, DESCRIPTION);
        let schema = serde_json::to_string(&offer.input_schema)
            .ok()
            .filter(|schema| schema.len() <= SCHEMA)
            .unwrap_or_else(|| r#"{"type":"object"}"#.to_owned());
        Self { spec: ToolSpec { name, description, schema }, name: offer.name.into_owned(), danger, server }
    }
}

/// The owner chose the server, so that its word counts; where it says nothing, the protocol's defaults hold.
fn danger(offer: &Offer) -> Danger {
    let hints = offer.annotations.as_ref();
    let reads = hints.and_then(|hints| hints.read_only_hint).unwrap_or(false);
    let destroys = hints.and_then(|hints| hints.destructive_hint).unwrap_or(true);
    if reads || !destroys { Danger::Harmless } else { Danger::Dangerous }
}

fn cut(text: &str, most: usize) -> String {
    text.trim().chars().take(most).collect()
}

#[async_trait]
impl Tool for Remote {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn danger(&self, _arguments: &str) -> Danger {
        self.danger
    }

    async fn call(&self, text: &str, _errand: &Errand) -> Result<String, ToolFault> {
        let given: JsonObject = arguments(text)?;
        let link = self.server.link().await.map_err(|_| self.absent())?;
        // Dropping this tells the server that nobody waits any more.
        let asked = link
            .peer
            .call_tool_once(CallToolRequestParams::new(self.name.clone()).with_arguments(given))
            .await;
        match asked {
            Ok(CallToolResponse::Complete(result)) => outcome::tell(result)
                .map_err(|model| ToolFault { model, log: self.log("says that it failed") }),
            Ok(CallToolResponse::InputRequired(_)) => Err(self.fault(
                "The tool asks for more from a person, which cannot be given here.",
                "asks for input",
            )),
            Ok(_) => Err(self
                .fault("The tool wants to answer later, which cannot be waited for.", "makes a task of it")),
            Err(error) => {
                let lost = matches!(error, ServiceError::TransportSend(_) | ServiceError::TransportClosed);
                if lost {
                    link.give_up();
                }
                Err(self.broken(&error))
            }
        }
    }
}

impl Remote {
    fn broken(&self, error: &ServiceError) -> ToolFault {
        match error {
            ServiceError::McpError(complaint) => ToolFault {
                model: format!("The tool refuses: {}", cut(&complaint.message, COMPLAINT)),
                log: self.log(&format!("refuses with code {}", complaint.code.0)),
            },
            ServiceError::TransportSend(_) | ServiceError::TransportClosed => {
                let model = format!(
                    "The tool server `{}` ended during the call. Whether the call did anything is not known. The server is \
                     started again when it is next needed.",
                    self.server.name()
                );
                ToolFault { model, log: self.log(&chain(error)) }
            }
            other => {
                self.fault("The tool server answered in a way that cannot be understood.", &chain(other))
            }
        }
    }

    fn absent(&self) -> ToolFault {
        let model = format!(
            "The tool server `{}` is not there now. Do without it, or try later.",
            self.server.name()
        );
        ToolFault { model, log: self.log("is not there") }
    }

    fn fault(&self, model: &str, log: &str) -> ToolFault {
        ToolFault { model: model.to_owned(), log: self.log(log) }
    }

    fn log(&self, what: &str) -> String {
        format!("tool server {}, {}: {what}", self.server.name(), self.name)
    }
}
