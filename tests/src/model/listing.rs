//! The lists of models, as each vendor writes them.

use serde_json::{Value, json};

use super::request::Shape;

/// The models of these names.
pub(crate) fn models(shape: Shape, names: &[String]) -> Value {
    let all = |entry: fn(&String) -> Value| Value::from(names.iter().map(entry).collect::<Vec<_>>());
    match shape {
        Shape::Chat | Shape::Responses => {
            let data =
                all(|id| json!({"id": id, "object": "model", "created": 1_750_000_000, "owned_by": "fake"}));
            json!({"object": "list", "data": data})
        }
        Shape::Anthropic => {
            let data = all(
                |id| json!({"id": id, "type": "model", "display_name": id, "created_at": "2026-01-01T00:00:00Z"}),
            );
            json!({"data": data, "has_more": false, "first_id": names.first(), "last_id": names.last()})
        }
        Shape::Gemini => {
            let models = all(|id| {
                json!({"name": format!("models/{id}"), "version": "001", "displayName": id, "inputTokenLimit": 1_048_576,
                       "outputTokenLimit": 65_536, "supportedGenerationMethods": ["generateContent"], "thinking": true})
            });
            json!({"models": models})
        }
        Shape::Ollama => {
            let models = all(|id| {
                json!({"name": id, "model": id, "modified_at": "2026-01-01T00:00:00Z", "size": 1_000_000_000,
                       "digest": "f".repeat(64), "details": {"parent_model": "", "format": "gguf", "family": "fake",
                       "families": ["fake"], "parameter_size": "1B", "quantization_level": "Q4_K_M"}})
            });
            json!({"models": models})
        }
    }
}

/// What Ollama tells about one model: it can do all that the fake can.
pub(crate) fn shown() -> Value {
    json!({"modelfile": "", "parameters": "", "template": "", "details": {"format": "gguf", "family": "fake"},
           "model_info": {"fake.context_length": 131_072}, "capabilities": ["completion", "tools", "thinking"]})
}
