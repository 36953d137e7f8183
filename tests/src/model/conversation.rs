//! Reads what every API has in a place of its own: who said what, which tools there are, what they answered, what is replayed.

use serde_json::Value;

use super::request::Shape;

/// One entry of a conversation.
pub(crate) struct Entry {
    pub(crate) role: String,
    pub(crate) text: String,
}

/// The entries of a list in a body; none when there is no list.
pub(crate) fn list<'a>(body: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    body.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// A field as text; empty when it is none.
pub(crate) fn word<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The conversation with the words of its entries. Thoughts are not among them.
pub(crate) fn entries(shape: Shape, body: &Value) -> Vec<Entry> {
    let entry = |role: &str, text: String| Entry { role: role.to_owned(), text };
    match shape {
        Shape::Chat | Shape::Ollama => list(body, "messages")
            .map(|message| entry(word(message, "role"), text_of(message.get("content"))))
            .collect(),
        Shape::Responses => match body.get("input") {
            Some(Value::String(text)) => vec![entry("user", text.clone())],
            _ => list(body, "input")
                .filter(|item| item.get("role").is_some())
                .map(|item| entry(word(item, "role"), text_of(item.get("content"))))
                .collect(),
        },
        Shape::Anthropic => list(body, "messages")
            .filter(|message| !only(list(message, "content"), |block| word(block, "type") == "tool_result"))
            .map(|message| entry(word(message, "role"), text_of(message.get("content"))))
            .collect(),
        Shape::Gemini => list(body, "contents")
            .filter(|content| !only(list(content, "parts"), |part| part.get("functionResponse").is_some()))
            .map(|content| {
                let role = if word(content, "role") == "model" { "assistant" } else { "user" };
                entry(role, text_of(content.get("parts")))
            })
            .collect(),
    }
}

/// Instructions that are no entries of the conversation.
pub(crate) fn standing(shape: Shape, body: &Value) -> Vec<String> {
    let given = match shape {
        Shape::Responses => body.get("instructions"),
        Shape::Anthropic => body.get("system"),
        Shape::Gemini => body.pointer("/systemInstruction/parts"),
        Shape::Chat | Shape::Ollama => None,
    };
    given.map(|given| text_of(Some(given))).filter(|text| !text.is_empty()).into_iter().collect()
}

/// Names of the tools that are offered.
pub(crate) fn tools(shape: Shape, body: &Value) -> Vec<String> {
    let name = |tool: &Value| word(tool, "name").to_owned();
    match shape {
        Shape::Chat | Shape::Ollama => {
            list(body, "tools").filter_map(|tool| tool.get("function")).map(name).collect()
        }
        Shape::Responses | Shape::Anthropic => list(body, "tools").map(name).collect(),
        Shape::Gemini => {
            list(body, "tools").flat_map(|tool| list(tool, "functionDeclarations")).map(name).collect()
        }
    }
}

/// What tools answered.
pub(crate) fn tool_results(shape: Shape, body: &Value) -> Vec<(String, String)> {
    let answer =
        |result: &Value, id: &str, text: &str| (word(result, id).to_owned(), text_of(result.get(text)));
    match shape {
        Shape::Chat | Shape::Ollama => {
            let id = if shape == Shape::Chat { "tool_call_id" } else { "tool_name" };
            let messages = list(body, "messages").filter(|message| word(message, "role") == "tool");
            messages.map(|message| answer(message, id, "content")).collect()
        }
        Shape::Responses => {
            let outputs = list(body, "input").filter(|item| word(item, "type") == "function_call_output");
            outputs.map(|item| answer(item, "call_id", "output")).collect()
        }
        Shape::Anthropic => {
            let blocks = list(body, "messages").flat_map(|message| list(message, "content"));
            let results = blocks.filter(|block| word(block, "type") == "tool_result");
            results.map(|block| answer(block, "tool_use_id", "content")).collect()
        }
        Shape::Gemini => list(body, "contents")
            .flat_map(|content| list(content, "parts"))
            .filter_map(|part| part.get("functionResponse"))
            .map(|response| {
                let id = Some(word(response, "id")).filter(|id| !id.is_empty());
                let id = id.unwrap_or_else(|| word(response, "name"));
                (id.to_owned(), response.get("response").map(Value::to_string).unwrap_or_default())
            })
            .collect(),
    }
}

/// Collects what seals thoughts, under each API's name for it.
pub(crate) fn seals(value: &Value, found: &mut Vec<String>) {
    const NAMES: [&str; 4] = ["signature", "encrypted_content", "thoughtSignature", "thought_signature"];
    match value {
        Value::Array(values) => values.iter().for_each(|value| seals(value, found)),
        Value::Object(fields) => {
            let redacted = matches!(word(value, "type"), "redacted_thinking" | "reasoning.encrypted");
            for (name, value) in fields {
                match value {
                    Value::String(seal) if NAMES.contains(&name.as_str()) || (redacted && name == "data") => {
                        found.push(seal.clone());
                    }
                    value => seals(value, found),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Google's APIs read a field under its name in camelCase and in snake_case; here is the first of the two. What is inside a tool's arguments,
/// results and schemas stays as it is.
pub(crate) fn camel(value: Value) -> Value {
    const OPAQUE: [&str; 5] =
        ["args", "response", "parameters", "parametersJsonSchema", "responseJsonSchema"];
    match value {
        Value::Array(values) => values.into_iter().map(camel).collect(),
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(name, value)| {
                    let name = camel_name(&name);
                    let value = if OPAQUE.contains(&name.as_str()) { value } else { camel(value) };
                    (name, value)
                })
                .collect(),
        ),
        plain => plain,
    }
}

fn camel_name(name: &str) -> String {
    let mut words = name.split('_');
    let mut joined = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        joined.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        joined.push_str(letters.as_str());
    }
    joined
}

fn only<'a>(mut parts: impl Iterator<Item = &'a Value>, wanted: impl Fn(&Value) -> bool) -> bool {
    parts.next().is_some_and(|first| wanted(first) && parts.all(wanted))
}

fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts
            .iter()
            .filter(|part| part.get("thought").and_then(Value::as_bool) != Some(true))
            .filter_map(|part| part.get("text").and_then(Value::as_str))
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}
