//! What a client asked for, read alike from every API, and what became of it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    conversation::{self, Entry},
    media::{self, Found, Media},
};

/// Which API was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// OpenAI's `POST …/chat/completions`.
    Chat,
    /// OpenAI's `POST …/responses`.
    Responses,
    /// Anthropic's `POST …/messages`.
    Anthropic,
    /// Google's `POST …/models/{model}:generateContent` and `:streamGenerateContent`.
    Gemini,
    /// Ollama's own `POST /api/chat`.
    Ollama,
}

impl Shape {
    /// How the ids of tool calls begin.
    pub(crate) fn call_prefix(self) -> &'static str {
        match self {
            Self::Anthropic => "toolu",
            Self::Chat | Self::Responses | Self::Gemini | Self::Ollama => "call",
        }
    }
}

/// Where a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Being answered.
    Running,
    /// Answered to the end that its script has, be it a failure.
    Done,
    /// The client left before that end.
    Abandoned,
}

/// One request for an answer.
#[derive(Clone, Debug, Serialize)]
pub struct Request {
    /// Place in the order of arrival, from 1.
    pub number: usize,
    /// Microseconds since the fake was started.
    pub at: u64,
    /// The API.
    pub shape: Shape,
    /// The path that was called, without its query.
    pub path: String,
    /// The body as sent; Gemini's field names in camelCase, whichever way they came.
    pub body: Value,
    /// Headers by lower-case name; a key in them is as the client sent it.
    pub headers: BTreeMap<String, String>,
    /// What has become of it by now.
    pub fate: Fate,
    /// What the vendor had to say about it, where it was refused.
    pub refused: Option<String>,
}

/// The fields that say how the model shall think, in any API.
const THINKING: [&str; 9] = [
    "reasoning",
    "reasoning_effort",
    "thinking",
    "output_config",
    "enable_thinking",
    "thinking_budget",
    "chat_template_kwargs",
    "extra_body",
    "think",
];

impl Request {
    /// The model's name.
    pub fn model(&self) -> &str {
        match self.shape {
            Shape::Gemini => {
                let last = self.path.rsplit('/').next().unwrap_or_default();
                last.split(':').next().unwrap_or_default()
            }
            Shape::Chat | Shape::Responses | Shape::Anthropic | Shape::Ollama => {
                self.body.get("model").and_then(Value::as_str).unwrap_or_default()
            }
        }
    }

    /// A streamed answer is wanted.
    pub fn streams(&self) -> bool {
        let asked = self.body.get("stream").and_then(Value::as_bool);
        match self.shape {
            Shape::Gemini => self.path.ends_with(":streamGenerateContent"),
            Shape::Ollama => asked.unwrap_or(true),
            Shape::Chat | Shape::Responses | Shape::Anthropic => asked.unwrap_or_default(),
        }
    }

    /// A header by its lower-case name; empty when absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(String::as_str).unwrap_or_default()
    }

    /// The value at a JSON pointer of the body; null when absent.
    pub fn at_path(&self, pointer: &str) -> &Value {
        self.body.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// The word for how hard to think, wherever the API has it: an effort, a thinking level, or Ollama's `think` where it is a word.
    pub fn effort(&self) -> Option<&str> {
        const PLACES: [&str; 5] = [
            "/reasoning/effort",
            "/reasoning_effort",
            "/output_config/effort",
            "/generationConfig/thinkingConfig/thinkingLevel",
            "/think",
        ];
        PLACES.iter().find_map(|place| self.at_path(place).as_str())
    }

    /// The tokens that may be thought, wherever the API has them.
    pub fn budget(&self) -> Option<i64> {
        const PLACES: [&str; 4] = [
            "/thinking/budget_tokens",
            "/generationConfig/thinkingConfig/thinkingBudget",
            "/reasoning/max_tokens",
            "/thinking_budget",
        ];
        PLACES.iter().find_map(|place| self.at_path(place).as_i64())
    }

    /// Whether thinking is asked for or forbidden; nothing when the request leaves it to the model.
    pub fn thinks(&self) -> Option<bool> {
        let kind = self.at_path("/thinking/type").as_str().map(|kind| kind != "disabled");
        let switch = ["/enable_thinking", "/reasoning/enabled", "/think"]
            .iter()
            .find_map(|place| self.at_path(place).as_bool());
        let budget = || self.budget().map(|budget| budget != 0);
        let effort = || self.effort().map(|effort| !effort.eq_ignore_ascii_case("none"));
        kind.or(switch).or_else(budget).or_else(effort)
    }

    /// The body's fields that say how to think, and no others: an object to be compared whole.
    pub fn thinking(&self) -> Value {
        let fields = self.body.as_object().into_iter().flatten();
        let mut found: Map<String, Value> = fields
            .filter(|(name, _)| THINKING.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let config = self.at_path("/generationConfig/thinkingConfig");
        if !config.is_null() {
            found.insert("thinkingConfig".into(), config.clone());
        }
        found.into()
    }

    /// Names of the tools that are offered, in order.
    pub fn tools(&self) -> Vec<String> {
        conversation::tools(self.shape, &self.body)
    }

    /// Ids of the calls that are answered (names, where the API has no ids) and their results as text, in order.
    pub fn tool_results(&self) -> Vec<(String, String)> {
        conversation::tool_results(self.shape, &self.body)
    }

    /// Every seal that is sent back, in the order of the body: signatures, encrypted reasoning, redacted thoughts.
    pub fn seals(&self) -> Vec<String> {
        let mut found = Vec::new();
        conversation::seals(&self.body, &mut found);
        found
    }

    /// Pictures, recordings and documents of the whole conversation, in the order of the body.
    pub fn media(&self) -> Vec<Media> {
        media::found(self.shape, &self.body).into_iter().filter_map(Found::read).collect()
    }

    /// What was said with the given role (`user`, `assistant`, `system`, `developer`, `tool`), the text of each entry joined. Entries
    /// that hold nothing but tool results are not the user's.
    pub fn texts(&self, role: &str) -> Vec<String> {
        let entries = conversation::entries(self.shape, &self.body);
        entries.into_iter().filter(|entry| entry.role == role).map(|Entry { text, .. }| text).collect()
    }

    /// The last thing that the person said.
    pub fn prompt(&self) -> String {
        self.texts("user").pop().unwrap_or_default()
    }

    /// Standing instructions, wherever the API has them.
    pub fn instructions(&self) -> String {
        let mut all = conversation::standing(self.shape, &self.body);
        all.extend(self.texts("system"));
        all.extend(self.texts("developer"));
        all.join("\n")
    }

    /// The same under the name that most vendors have for it.
    pub fn system(&self) -> String {
        self.instructions()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(shape: Shape, body: Value) -> Request {
        let path = "/v1beta/models/gemini-3-pro:streamGenerateContent".to_owned();
        let (headers, fate) = (BTreeMap::new(), Fate::Running);
        Request { number: 1, at: 0, shape, path, body, headers, fate, refused: None }
    }

    #[test]
    fn the_prompt_is_found_in_every_shape() {
        let check = |shape, body: Value| {
            let request = request(shape, body);
            assert_eq!(
                (request.prompt().as_str(), request.system().as_str()),
                ("hi", "be kind"),
                "{request:?}"
            );
        };
        let system = json!({"role": "system", "content": "be kind"});
        check(Shape::Chat, json!({"messages": [system, {"role": "user", "content": "hi"}]}));
        let parts = json!([{"type": "text", "text": "hi"}, {"type": "image_url", "image_url": {}}]);
        check(
            Shape::Chat,
            json!({"messages": [{"role": "user", "content": "a"}, system, {"role": "user", "content": parts}]}),
        );
        check(Shape::Responses, json!({"instructions": "be kind", "input": "hi"}));
        let parts = json!([{"type": "input_text", "text": "hi"}]);
        check(
            Shape::Responses,
            json!({"instructions": "be kind", "input": [{"role": "user", "content": parts}]}),
        );
        let result =
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "b"}]});
        check(
            Shape::Anthropic,
            json!({"system": [{"type": "text", "text": "be kind"}], "messages": [{"role": "user", "content": "hi"}, result]}),
        );
        let result = json!({"role": "user", "parts": [{"functionResponse": {"name": "a", "response": {}}}]});
        check(
            Shape::Gemini,
            json!({"systemInstruction": {"parts": [{"text": "be kind"}]},
                   "contents": [{"role": "user", "parts": [{"text": "hi"}]}, result]}),
        );
        check(Shape::Ollama, json!({"messages": [system, {"role": "user", "content": "hi"}]}));
    }

    #[test]
    fn how_to_think_is_found_in_every_shape() {
        let check = |shape, body: Value, expected: (Option<&str>, Option<i64>, Option<bool>)| {
            let request = request(shape, body);
            assert_eq!((request.effort(), request.budget(), request.thinks()), expected, "{request:?}");
        };
        check(Shape::Chat, json!({}), (None, None, None));
        check(Shape::Chat, json!({"reasoning_effort": "low"}), (Some("low"), None, Some(true)));
        check(Shape::Chat, json!({"reasoning_effort": "none"}), (Some("none"), None, Some(false)));
        check(Shape::Chat, json!({"thinking": {"type": "disabled"}}), (None, None, Some(false)));
        check(Shape::Chat, json!({"enable_thinking": true}), (None, None, Some(true)));
        check(Shape::Chat, json!({"reasoning": {"enabled": false}}), (None, None, Some(false)));
        check(Shape::Responses, json!({"reasoning": {"effort": "high"}}), (Some("high"), None, Some(true)));
        let budget = json!({"thinking": {"type": "enabled", "budget_tokens": 2048}});
        check(Shape::Anthropic, budget, (None, Some(2048), Some(true)));
        let adaptive = json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "max"}});
        check(Shape::Anthropic, adaptive, (Some("max"), None, Some(true)));
        let config = |config: Value| json!({"generationConfig": {"thinkingConfig": config}});
        check(Shape::Gemini, config(json!({"thinkingLevel": "LOW"})), (Some("LOW"), None, Some(true)));
        check(Shape::Gemini, config(json!({"thinkingBudget": 0})), (None, Some(0), Some(false)));
        check(Shape::Ollama, json!({"think": false}), (None, None, Some(false)));
        check(Shape::Ollama, json!({"think": "high"}), (Some("high"), None, Some(true)));
    }

    #[test]
    fn fields_of_thinking_are_seen_alone() {
        let body =
            json!({"model": "m", "thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}});
        let expected = json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}});
        assert_eq!(request(Shape::Anthropic, body).thinking(), expected);
        let body = json!({"generationConfig": {"temperature": 1, "thinkingConfig": {"thinkingBudget": -1}}});
        let request = request(Shape::Gemini, body);
        assert_eq!(request.thinking(), json!({"thinkingConfig": {"thinkingBudget": -1}}));
        assert_eq!((request.model(), request.streams()), ("gemini-3-pro", true));
    }
}
