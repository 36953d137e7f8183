//! Parameters of models: what the file says of a call, checked and in the words of the contract.

use pensive_contract::model::{Params, ToolChoice};
use serde_json::{Map, Value};

use super::Builder;
use crate::agents::ModelParams;
use crate::fault::quoted;
use crate::file::params::{ModelParams as Written, Thinking, ToolChoice as WrittenChoice, ToolRule};
use crate::file::values::{Entries, Json};
use crate::trail::Trail;

/// The longest name that a tool may have with every provider.
const LONGEST_TOOL: usize = 64;

impl Builder<'_> {
    /// Checks what the schema cannot say of parameters.
    pub(super) fn check_params(&mut self, params: &Written, trail: &Trail) {
        if params.service_tier.is_some() && params.wire_service_tier.is_some() {
            self.fault(&trail.key("service_tier"), "is the same as serviceTier; give one of the two");
        }
        if let Some(WrittenChoice::Named(tool)) = &params.tool_choice
            && !names_a_tool(&tool.name)
        {
            let message = format_args!(
                "must be letters, digits, _ and -, {LONGEST_TOOL} at most, not {}",
                quoted(&tool.name)
            );
            self.fault(&trail.key("toolChoice").key("name"), message);
        }
    }
}

fn names_a_tool(name: &str) -> bool {
    name.len() <= LONGEST_TOOL
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// The parameters in the words of the settings.
pub(super) fn params(written: &Written) -> ModelParams {
    let (think, thinking) = match &written.thinking {
        None => (None, None),
        Some(Thinking::Level(level)) => (Some(level.0), None),
        Some(Thinking::Wire(object)) => (None, Some(text(object))),
    };
    ModelParams {
        think,
        fast: written.fast_mode.as_ref().map(|word| word.0),
        fast_cutoff_seconds: written.fast_auto_on_seconds,
        call: Params {
            max_tokens: written.max_tokens,
            temperature: written.temperature,
            top_p: written.top_p,
            presence_penalty: written.presence_penalty,
            frequency_penalty: written.frequency_penalty,
            service_tier: written.service_tier.as_ref().or(written.wire_service_tier.as_ref()).cloned(),
            tool_choice: written.tool_choice.as_ref().map(tool_choice),
            thinking,
            reasoning: written.reasoning.as_ref().map(text),
        },
    }
}

fn tool_choice(written: &WrittenChoice) -> ToolChoice {
    match written {
        WrittenChoice::Any(ToolRule::Auto) => ToolChoice::Auto,
        WrittenChoice::Any(ToolRule::None) => ToolChoice::None,
        WrittenChoice::Any(ToolRule::Required) => ToolChoice::Required,
        WrittenChoice::Named(tool) => ToolChoice::Named(tool.name.clone()),
    }
}

/// An object as JSON text, its keys in the order of the file.
fn text(object: &Entries<Json>) -> String {
    let map: Map<String, Value> =
        object.0.iter().map(|(name, value)| (name.clone(), value.0.clone())).collect();
    Value::Object(map).to_string()
}
