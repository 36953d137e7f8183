//! The field lists of Bot API methods and objects, and the check of a call against them. The lists are data, written by
//! `foreign/bot_api.py` out of aiogram's classes.

use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use serde::Deserialize;
use serde_json::{Map, Value};

type Fields = BTreeMap<String, String>;

/// Every method and object of one Bot API version. A field's kind is one word: `int`, `[str]`, `User`, `a|b`, `=literal`, with `!`
/// where the field must be given.
#[derive(Deserialize)]
pub(crate) struct Schema {
    methods: BTreeMap<String, Fields>,
    types: BTreeMap<String, Fields>,
    #[serde(skip)]
    spelling: HashMap<String, String>,
}

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let mut schema: Schema = serde_json::from_str(include_str!("bot_api.json"))
        .unwrap_or_else(|error| unreachable!("bot_api.json: {error}"));
    schema.spelling = schema.methods.keys().map(|name| (name.to_ascii_lowercase(), name.clone())).collect();
    schema
});

/// A call's arguments with the types that the Bot API gives them, and what was wrong with them.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    pub(crate) arguments: Map<String, Value>,
    /// The server goes on as if these were absent, but whoever sent them meant something by it.
    pub(crate) unknown: Vec<String>,
    /// Missing fields and values of the wrong kind, by field.
    pub(crate) wrong: Vec<(String, String)>,
}

/// The method's own spelling, or nothing when this Bot API version has no such method.
pub(crate) fn method_name(spelled: &str) -> Option<&'static str> {
    SCHEMA.spelling.get(&spelled.to_ascii_lowercase()).map(String::as_str)
}

/// Checks and converts the arguments of `method`, whose name is spelled as [`method_name`] gives it. Form and query fields come as
/// strings, and the real server takes strings in JSON as well, so text that reads as the wanted kind is that kind.
pub(crate) fn check(method: &str, given: &Map<String, Value>) -> Checked {
    let mut checked = Checked::default();
    if let Some(fields) = SCHEMA.methods.get(method) {
        checked.arguments = check_fields(fields, given, "", &mut checked.unknown, &mut checked.wrong);
    }
    checked
}

fn check_fields(
    fields: &Fields,
    given: &Map<String, Value>,
    path: &str,
    unknown: &mut Vec<String>,
    wrong: &mut Vec<(String, String)>,
) -> Map<String, Value> {
    let mut typed = Map::new();
    for (name, value) in given {
        let path = format!("{path}{name}");
        match fields.get(name) {
            None => unknown.push(path),
            // The server reads null as absent.
            Some(_) if value.is_null() => {}
            Some(kind) => match convert(kind.trim_end_matches('!'), value, &path, unknown, wrong) {
                Ok(value) => drop(typed.insert(name.clone(), value)),
                Err(what) => wrong.push((path, what)),
            },
        }
    }
    for (name, _) in fields.iter().filter(|(_, kind)| kind.ends_with('!')) {
        if given.get(name).is_none_or(Value::is_null) {
            wrong.push((format!("{path}{name}"), "is required".into()));
        }
    }
    typed
}

fn convert(
    kind: &str,
    value: &Value,
    path: &str,
    unknown: &mut Vec<String>,
    wrong: &mut Vec<(String, String)>,
) -> Result<Value, String> {
    if let Some(item) = kind.strip_prefix('[').and_then(|kind| kind.strip_suffix(']')) {
        let items = nested(value).and_then(|value| match value {
            Value::Array(items) => Some(items),
            _ => None,
        });
        let items = items.ok_or_else(|| format!("is no array of {item}: {}", short(value)))?;
        let convert = |(i, value)| convert(item, value, &format!("{path}[{i}]."), unknown, wrong);
        return items.iter().enumerate().map(convert).collect::<Result<Vec<_>, _>>().map(Value::Array);
    }
    if kind.contains('|') {
        return choose(kind, value, path, unknown, wrong);
    }
    if let Some(literal) = kind.strip_prefix('=') {
        let matches = value.as_str() == Some(literal);
        return if matches {
            Ok(value.clone())
        } else {
            Err(format!("is not `{literal}`: {}", short(value)))
        };
    }
    if let Some(fields) = SCHEMA.types.get(kind) {
        let object = nested(value).and_then(|value| match value {
            Value::Object(object) => Some(object),
            _ => None,
        });
        let object = object.ok_or_else(|| format!("is no {kind}: {}", short(value)))?;
        let path = if path.ends_with('.') { path.to_owned() } else { format!("{path}.") };
        return Ok(Value::Object(check_fields(fields, &object, &path, unknown, wrong)));
    }
    plain(kind, value).ok_or_else(|| format!("is no {kind}: {}", short(value)))
}

/// Counts of faults, the value, what is unknown in it and what is wrong.
type Reading = ((usize, usize), Value, Vec<String>, Vec<(String, String)>);

/// The alternative with the least to say against it, the first of equals: `int|str` makes a number of text that reads as one.
fn choose(
    kinds: &str,
    value: &Value,
    path: &str,
    unknown: &mut Vec<String>,
    wrong: &mut Vec<(String, String)>,
) -> Result<Value, String> {
    let mut best: Option<Reading> = None;
    for kind in alternatives(kinds) {
        let (mut strange, mut bad) = (Vec::new(), Vec::new());
        if let Ok(typed) = convert(kind, value, path, &mut strange, &mut bad) {
            let faults = (bad.len(), strange.len());
            if best.as_ref().is_none_or(|(least, ..)| faults < *least) {
                best = Some((faults, typed, strange, bad));
            }
        }
    }
    let (_, typed, strange, bad) = best.ok_or_else(|| format!("is none of {kinds}: {}", short(value)))?;
    unknown.extend(strange);
    wrong.extend(bad);
    Ok(typed)
}

/// Splits `a|[b|c]|d` at the outer bars.
fn alternatives(kinds: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    kinds.split(move |c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == '|' && depth == 0
    })
}

fn plain(kind: &str, value: &Value) -> Option<Value> {
    match (kind, value) {
        ("any", _) | ("str", Value::String(_)) | ("bool", Value::Bool(_)) | ("float", Value::Number(_)) => {
            Some(value.clone())
        }
        ("file", Value::String(_)) => Some(value.clone()),
        ("str", Value::Number(number)) => Some(number.to_string().into()),
        ("int", Value::Number(number)) => {
            let whole = number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < 9.1e15);
            number.as_i64().or(whole.map(|n| n as i64)).map(Value::from)
        }
        ("int", Value::String(text)) => text.trim().parse::<i64>().ok().map(Value::from),
        ("float", Value::String(text)) => text.trim().parse::<f64>().ok().map(Value::from),
        ("bool", Value::String(text)) => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => Some(true.into()),
            "false" | "no" | "0" | "" => Some(false.into()),
            _ => None,
        },
        ("bool", Value::Number(number)) => Some((number.as_i64() != Some(0)).into()),
        _ => None,
    }
}

/// The value itself, or what its text holds: outside JSON bodies objects and arrays come serialised.
fn nested(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => serde_json::from_str(text).ok(),
        Value::Object(_) | Value::Array(_) => Some(value.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn look(method: &str, given: Value) -> (Value, Vec<String>, Vec<String>) {
        let checked = check(method, given.as_object().unwrap());
        let wrong = checked.wrong.into_iter().map(|(field, what)| format!("{field} {what}")).collect();
        (Value::Object(checked.arguments), checked.unknown, wrong)
    }

    #[test]
    fn names_are_matched_without_regard_to_case() {
        assert_eq!(method_name("SendMessage"), Some("sendMessage"));
        assert_eq!(method_name("GETUPDATES"), Some("getUpdates"));
        assert_eq!(method_name("sendTelepathy"), None);
    }

    #[test]
    fn form_text_gets_the_types_of_the_fields() {
        let (typed, unknown, wrong) = look(
            "sendMessage",
            json!({"chat_id": "42", "text": "a", "disable_notification": "True",
                   "entities": "[{\"type\":\"bold\",\"offset\":0,\"length\":1}]"}),
        );
        let entities = json!([{"type": "bold", "offset": 0, "length": 1}]);
        assert_eq!(
            typed,
            json!({"chat_id": 42, "text": "a", "disable_notification": true, "entities": entities})
        );
        assert_eq!((unknown, wrong), (vec![], vec![]));
    }

    #[test]
    fn unknown_missing_and_wrong_fields_are_told_with_their_path() {
        let (_, unknown, wrong) = look(
            "sendMessage",
            json!({"chat_id": true, "txt": "a", "reply_parameters": {"message_id": 1, "msg": 2},
                   "reply_markup": {"inline_keyboard": [[{"text": "a", "callback_dat": "b"}]]}}),
        );
        assert_eq!(
            unknown,
            ["txt", "reply_parameters.msg", "reply_markup.inline_keyboard[0].[0].callback_dat"]
        );
        assert_eq!(wrong, ["chat_id is none of int|str: true", "text is required"]);
    }

    #[test]
    fn a_choice_of_objects_takes_the_one_that_fits() {
        let scope = json!({"commands": [], "scope": {"type": "chat", "chat_id": 5}});
        let (typed, unknown, wrong) = look("setMyCommands", scope.clone());
        assert_eq!((typed, unknown, wrong), (scope, vec![], vec![]));
    }
}
