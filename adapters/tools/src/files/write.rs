//! `write`: a whole file at once.

use std::sync::Arc;

use async_trait::async_trait;
use pensive_contract::model::ToolSpec;
use pensive_contract::tool::{Danger, Errand, Tool, ToolFault};
use serde::Deserialize;

use super::workspace::{Before, Workspace};
use super::{Shelf, on_disk};
use crate::wire::arguments;

const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string","description":"Relative to the workspace."},"text":{"type":"string","description":"The whole content."}},"required":["path","text"]}"#;

/// The tool.
pub(crate) struct Write {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(alias = "file_path", alias = "file")]
    path: String,
    #[serde(alias = "content", alias = "contents")]
    text: String,
}

impl Write {
    pub(crate) fn new(workspace: Arc<Workspace>) -> Self {
        let description = "Writes a text file in the workspace: a new one, or over what was there. Missing folders are made.";
        let spec = ToolSpec {
            name: "write".to_owned(),
            description: description.to_owned(),
            schema: SCHEMA.to_owned(),
        };
        Self { spec, workspace }
    }
}

#[async_trait]
impl Tool for Write {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn danger(&self, _arguments: &str) -> Danger {
        Danger::Harmless
    }

    async fn call(&self, text: &str, errand: &Errand) -> Result<String, ToolFault> {
        let asked: Arguments = arguments(text)?;
        let (workspace, shelf) = (Arc::clone(&self.workspace), Shelf::of(errand.kind));
        Ok(on_disk(move || {
            let path = workspace.path(&asked.path)?;
            let before = workspace.alone(|| workspace.replace(&path, asked.text.as_bytes(), shelf))?;
            let what = match before {
                Before::Nothing => "A new file",
                Before::File => "Over the old file",
            };
            Ok(format!("{what}: {path}, {} bytes.", asked.text.len()))
        })
        .await?)
    }
}
