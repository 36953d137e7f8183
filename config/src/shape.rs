//! Checks a parsed file against the schema. Every fault is collected with its place; what is faulty is left out, so that the
//! rest can be checked further and one run shows everything.

use std::collections::{BTreeMap, HashSet};

use jsonc_parser::ast::{Array, NumberLit, Object, Value as Node};
use jsonc_parser::common::Ranged;
use serde_json::{Map, Number, Value};

use crate::document::Document;
use crate::fault::{ConfigFault, Position, quoted};
use crate::format;
use crate::nearest::hint;
use crate::schema::{Keys, Shape};
use crate::trail::Trail;

/// The values of the file that are as they should be; what is wrong with the others is added to `faults`, and which elements
/// of lists were kept is noted in the document.
pub(crate) fn check(document: &mut Document<'_>, schema: &Value, faults: &mut Vec<ConfigFault>) -> Value {
    let mut walk = Walk { document, faults: Vec::new(), kept: BTreeMap::new() };
    let root = document.root.as_ref();
    let value = root.and_then(|root| walk.value(root, &Shape::root(schema), &Trail::default()));
    let Walk { faults: found, kept, .. } = walk;
    faults.extend(found);
    document.kept = kept;
    value.unwrap_or_else(|| Value::Object(Map::new()))
}

/// A file with more faults than this is some other file; nobody reads on.
const MOST_FAULTS: usize = 200;

struct Walk<'a> {
    document: &'a Document<'a>,
    faults: Vec<ConfigFault>,
    kept: BTreeMap<Trail, Vec<usize>>,
}

impl Walk<'_> {
    fn fault(&mut self, position: Position, message: String) {
        self.faults.push(ConfigFault { position: Some(position), message });
    }

    fn fault_at(&mut self, node: &Node<'_>, message: String) {
        self.fault(self.document.position(node.start()), message);
    }

    fn value(&mut self, node: &Node<'_>, shape: &Shape<'_>, trail: &Trail) -> Option<Value> {
        if self.faults.len() >= MOST_FAULTS {
            return None;
        }
        match node {
            Node::Object(object) if shape.alternative("object").is_some() => {
                self.object(object, shape, trail)
            }
            Node::Array(list) if shape.alternative("array").is_some() => self.list(list, shape, trail),
            Node::StringLit(text) if shape.alternative("string").is_some() => {
                let fault = text_fault(&text.value, shape, trail);
                self.unless(fault, node, Value::String(text.value.clone().into_owned()))
            }
            Node::BooleanLit(literal) if shape.alternative("boolean").is_some() => {
                let fault = format_fault(if literal.value { "true" } else { "false" }, shape, trail);
                self.unless(fault, node, Value::Bool(literal.value))
            }
            Node::NumberLit(literal) if number_schema(shape).is_some() => {
                self.number(node, literal, shape, trail)
            }
            Node::NullKeyword(_) if shape.alternative("null").is_some() => Some(Value::Null),
            _ => {
                self.fault_at(node, wrong_kind(&found(node), shape, trail));
                None
            }
        }
    }

    fn unless(&mut self, fault: Option<String>, node: &Node<'_>, value: Value) -> Option<Value> {
        match fault {
            None => Some(value),
            Some(message) => {
                self.fault_at(node, message);
                None
            }
        }
    }

    fn object(&mut self, object: &Object<'_>, shape: &Shape<'_>, trail: &Trail) -> Option<Value> {
        let mut values = Map::new();
        let mut names: HashSet<&str> = HashSet::new();
        for property in &object.properties {
            let name = property.name.as_str();
            let place = self.document.name_position(property);
            if !names.insert(name) {
                self.fault(place, format!("{} is given twice", trail.key(name)));
                continue;
            }
            match shape.key(name) {
                Some(inner) => {
                    let value = self.value(&property.value, &inner, &trail.key(name));
                    // An entry with a fault is still an entry: what refers to it by name is right.
                    let stand_in = || is_entry(shape, &inner).then(|| Value::Object(Map::new()));
                    if let Some(value) = value.or_else(stand_in) {
                        values.insert(name.to_owned(), value);
                    }
                }
                None if self.faults.len() >= MOST_FAULTS => break,
                None => self.fault(place, unknown_key(name, shape, trail)),
            }
        }
        let place = self.document.position(object.start());
        for name in shape.required().into_iter().filter(|name| !names.contains(*name)) {
            self.fault(place, format!("{trail} lacks \"{name}\""));
        }
        if let Some(message) = wrong_count(&names, shape, trail) {
            self.fault(place, message);
            return None;
        }
        shape.required().iter().all(|name| values.contains_key(*name)).then_some(Value::Object(values))
    }

    fn list(&mut self, list: &Array<'_>, shape: &Shape<'_>, trail: &Trail) -> Option<Value> {
        let element = shape.element()?;
        let least =
            shape.alternative("array").and_then(|schema| schema.get("minItems")?.as_u64()).unwrap_or(0);
        if (list.elements.len() as u64) < least {
            self.fault(self.document.position(list.start()), format!("{trail} must not be empty"));
            return None;
        }
        let checked = list.elements.iter().enumerate();
        let checked = checked
            .filter_map(|(index, node)| Some((index, self.value(node, &element, &trail.index(index))?)));
        let (kept, values): (Vec<usize>, Vec<Value>) = checked.unzip();
        if kept.len() < list.elements.len() {
            self.kept.insert(trail.clone(), kept);
        }
        Some(Value::Array(values))
    }

    fn number(
        &mut self,
        node: &Node<'_>,
        literal: &NumberLit<'_>,
        shape: &Shape<'_>,
        trail: &Trail,
    ) -> Option<Value> {
        let schema = number_schema(shape)?;
        let whole = shape.alternative("number").is_none();
        let number = read_number(literal.value).filter(|number| !whole || !number.is_f64());
        let Some(number) = number else {
            let kind = if whole { "a whole number" } else { "a finite number" };
            self.fault_at(node, format!("{trail} must be {kind}, not {}", literal.value));
            return None;
        };
        let fault = out_of_range(&number, schema, trail).or_else(|| {
            let is_minutes = shape.alternative("string").is_some();
            is_minutes.then(|| format_fault(&number.to_string(), shape, trail)).flatten()
        });
        self.unless(fault, node, Value::Number(number))
    }
}

fn number_schema<'s>(shape: &Shape<'s>) -> Option<&'s Value> {
    shape.alternative("integer").or_else(|| shape.alternative("number"))
}

fn is_entry(outer: &Shape<'_>, inner: &Shape<'_>) -> bool {
    matches!(outer.keys(), Some(Keys::Named(_)))
        && inner.kinds() == ["object"]
        && inner.required().is_empty()
        && inner.alternative("object").is_some_and(|object| object.get("minProperties").is_none())
}

fn unknown_key(name: &str, shape: &Shape<'_>, trail: &Trail) -> String {
    let place = if trail.steps().is_empty() { format!("at {trail}") } else { format!("in {trail}") };
    let known = match shape.keys() {
        Some(Keys::Listed(known)) => known,
        Some(Keys::Named(_)) | None => Vec::new(),
    };
    match hint(name, known.iter().copied()) {
        near if near.is_empty() => {
            format!("unknown key {} {place}; allowed: {}", quoted(name), known.join(", "))
        }
        near => format!("unknown key {} {place}{near}", quoted(name)),
    }
}

/// Where only certain texts are right, those are named.
fn wrong_kind(found: &str, shape: &Shape<'_>, trail: &Trail) -> String {
    let words: Vec<&str> = shape.words().iter().map(|(word, _)| *word).collect();
    let format = shape.format().and_then(format::by_name);
    match format {
        _ if shape.kinds() != ["string"] => format!("{trail} must be {}, not {found}", expected(shape)),
        Some(format) => format!("{trail} must be {}, not {found}", (format.allowed)()),
        None if words.is_empty() => format!("{trail} must be {}, not {found}", expected(shape)),
        None => format!("{trail} cannot be {found}; allowed: {}", words.join(", ")),
    }
}

/// Objects of which exactly one key is to be given.
fn wrong_count(names: &HashSet<&str>, shape: &Shape<'_>, trail: &Trail) -> Option<String> {
    let most = shape.alternative("object")?.get("maxProperties")?.as_u64()?;
    let Some(Keys::Listed(known)) = shape.keys() else { return None };
    let given = names.iter().filter(|name| known.contains(name)).count() as u64;
    let strange = names.len() as u64 > given;
    (given > most || (given == 0 && !strange))
        .then(|| format!("{trail} must have exactly one of {}", known.join(", ")))
}

fn text_fault(text: &str, shape: &Shape<'_>, trail: &Trail) -> Option<String> {
    let words: Vec<&str> = shape.words().iter().map(|(word, _)| *word).collect();
    if !words.is_empty() && !words.contains(&text) {
        let near = hint(text, words.iter().copied());
        return Some(format!("{trail} cannot be {}; allowed: {}{near}", quoted(text), words.join(", ")));
    }
    let least = shape.alternative("string").and_then(|schema| schema.get("minLength")?.as_u64()).unwrap_or(0);
    if least > 0 && text.trim().is_empty() {
        return Some(format!("{trail} must not be empty"));
    }
    format_fault(text, shape, trail)
}

fn format_fault(text: &str, shape: &Shape<'_>, trail: &Trail) -> Option<String> {
    let format = format::by_name(shape.format()?)?;
    (!(format.accepts)(text)).then(|| {
        let near = (format.near)(text).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
        format!("{trail} must be {}, not {}{near}", (format.allowed)(), quoted(text))
    })
}

fn out_of_range(number: &Number, schema: &Value, trail: &Trail) -> Option<String> {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let value = number.as_f64()?;
    match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) if value < least || value > most => {
            Some(format!("{trail} must be between {least} and {most}, not {number}"))
        }
        (Some(least), None) if value < least => {
            Some(format!("{trail} must be at least {least}, not {number}"))
        }
        (None, Some(most)) if value > most => Some(format!("{trail} must be at most {most}, not {number}")),
        _ => None,
    }
}

/// A JSON5 number; nothing for one that is not finite. What is whole stays whole: `3`, `0x10`, `+3`, `3.0`, `3e2`.
fn read_number(literal: &str) -> Option<Number> {
    let (negative, digits) = match literal.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, literal.strip_prefix('+').unwrap_or(literal)),
    };
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let whole = hex.map_or_else(|| digits.parse::<i128>(), |hex| i128::from_str_radix(hex, 16)).ok();
    let whole = whole.map(|value| if negative { -value } else { value });
    if let Some(number) = whole.and_then(Number::from_i128) {
        return Some(number);
    }
    let value = digits.parse::<f64>().ok()?;
    let value = if negative { -value } else { value };
    // Exact for what a configuration counts; beyond that a number is no count.
    let counts = value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0;
    if counts { Some(Number::from(value as i64)) } else { Number::from_f64(value) }
}

/// What kinds of value may stand there, in words.
pub(crate) fn expected(shape: &Shape<'_>) -> String {
    let kinds: Vec<&str> = shape.kinds().into_iter().map(kind_words).collect();
    match kinds.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "null".to_owned(),
    }
}

/// How a kind of JSON value is called in a message.
fn kind_words(kind: &str) -> &str {
    match kind {
        "object" => "an object",
        "array" => "a list",
        "string" => "a text in quotes",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        other => other,
    }
}

fn found(node: &Node<'_>) -> String {
    match node {
        Node::Object(_) => "an object".to_owned(),
        Node::Array(_) => "a list".to_owned(),
        Node::StringLit(text) => format!("the text {}", quoted(&text.value)),
        Node::NumberLit(number) => format!("the number {}", number.value),
        Node::BooleanLit(literal) => literal.value.to_string(),
        Node::NullKeyword(_) => "null".to_owned(),
    }
}
