//! Rows of buttons and menus.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::Form;

/// Checks a message's components, of the first kind: rows.
pub(crate) fn components(form: &mut Form, list: &Value) {
    let Some(rows) = list.as_array() else {
        return form.wrong("components", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType");
    };
    if rows.len() > 5 {
        form.wrong("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.");
    }
    let mut ids = BTreeSet::new();
    for (place, row) in rows.iter().enumerate() {
        let path = format!("components/{place}");
        if row.get("type").and_then(Value::as_u64) != Some(1) {
            form.wrong(&path, "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (1,).");
            continue;
        }
        let inside = row.get("components").and_then(Value::as_array).cloned().unwrap_or_default();
        let menus = inside.iter().filter(|one| one.get("type").and_then(Value::as_u64) != Some(2)).count();
        if inside.is_empty() || inside.len() > 5 || (menus > 0 && inside.len() > 1) {
            let path = format!("{path}/components");
            form.wrong(&path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.");
        }
        for (place, one) in inside.iter().enumerate() {
            control(form, one, &format!("{path}/components/{place}"), &mut ids);
        }
    }
}

fn control(form: &mut Form, one: &Value, path: &str, ids: &mut BTreeSet<String>) {
    let Some(fields) = one.as_object() else {
        return form.wrong(path, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType");
    };
    let style = fields.get("style").and_then(Value::as_u64);
    match fields.get("type").and_then(Value::as_u64) {
        Some(2) => {
            form.only(
                fields,
                "button.",
                &["type", "id", "style", "label", "emoji", "custom_id", "sku_id", "url", "disabled"],
            );
            if !matches!(style, Some(1..=6)) {
                let path = format!("{path}/style");
                form.wrong(&path, "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4, 5, 6).");
            }
            form.text(fields.get("label"), &format!("{path}/label"), 80);
            if fields.get("label").is_none() && fields.get("emoji").is_none() {
                form.wrong(path, "BUTTON_COMPONENT_LABEL_REQUIRED", "A button has a label or an emoji");
            }
            if matches!(style, Some(5 | 6)) {
                return leads(form, fields, path);
            }
            if fields.get("url").is_some_and(|url| !url.is_null()) {
                form.wrong(path, "BUTTON_COMPONENT_URL_STYLE", "Only a button of style 5 has a url");
            }
        }
        Some(3) => {
            form.only(
                fields,
                "menu.",
                &[
                    "type",
                    "id",
                    "custom_id",
                    "options",
                    "placeholder",
                    "min_values",
                    "max_values",
                    "disabled",
                    "required",
                ],
            );
            form.text(fields.get("placeholder"), &format!("{path}/placeholder"), 150);
            options(form, fields.get("options"), path);
        }
        Some(5..=8) => {}
        _ => return form.wrong(&format!("{path}/type"), "BASE_TYPE_CHOICES", "Value is none of the kinds."),
    }
    form.required(fields.get("custom_id"), &format!("{path}/custom_id"), 100);
    let id = fields.get("custom_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !id.is_empty() && !ids.insert(id) {
        let path = format!("{path}/custom_id");
        form.wrong(&path, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated");
    }
}

/// A button that leads elsewhere, to a page or a shop: nobody is told that it was pressed.
fn leads(form: &mut Form, fields: &Map<String, Value>, path: &str) {
    if fields.get("custom_id").is_some_and(|id| !id.is_null()) {
        form.wrong(path, "COMPONENT_CUSTOM_ID_AND_URL", "A custom id and url cannot both be specified");
    }
    if fields.get("style").and_then(Value::as_u64) == Some(5) {
        let url = format!("{path}/url");
        form.required(fields.get("url"), &url, 512);
        let address = fields.get("url").and_then(Value::as_str).unwrap_or("https://");
        if !["http://", "https://", "discord://"].iter().any(|scheme| address.starts_with(scheme)) {
            form.wrong(
                &url,
                "URL_TYPE_INVALID_SCHEME",
                "Scheme must be one of ('http', 'https', 'discord').",
            );
        }
    }
}

fn options(form: &mut Form, given: Option<&Value>, path: &str) {
    let list = given.and_then(Value::as_array).cloned().unwrap_or_default();
    if list.is_empty() || list.len() > 25 {
        let path = format!("{path}/options");
        form.wrong(&path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 25 in length.");
    }
    let mut values = BTreeSet::new();
    for (place, option) in list.iter().enumerate() {
        let path = format!("{path}/options/{place}");
        form.required(option.get("label"), &format!("{path}/label"), 100);
        form.required(option.get("value"), &format!("{path}/value"), 100);
        form.text(option.get("description"), &format!("{path}/description"), 100);
        if !values.insert(option.get("value").map(Value::to_string)) {
            let path = format!("{path}/value");
            form.wrong(
                &path,
                "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
                "The specified option value is already used",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_have_their_bounds() {
        let button = |id: &str| json!({"type": 2, "style": 2, "label": "x", "custom_id": id});
        let row = |inside: Vec<Value>| json!({"type": 1, "components": inside});
        let check = |rows: Value, good: bool| {
            let mut form = Form::default();
            components(&mut form, &rows);
            assert_eq!(form.verdict().is_ok(), good, "{rows}");
        };
        check(json!([]), true);
        check(json!([row(vec![button("a"), button("b")])]), true);
        check(json!([row(vec![button("a"), button("a")])]), false);
        check(json!([row((0..6).map(|n| button(&n.to_string())).collect())]), false);
        check(json!([row(vec![])]), false);
        check(json!([button("a")]), false);
        check(
            json!([row(vec![json!({"type": 2, "style": 2, "label": "x".repeat(81), "custom_id": "a"})])]),
            false,
        );
        check(json!([row(vec![json!({"type": 3, "custom_id": "m", "options": []})])]), false);
        let link = |more: Value| {
            let mut link = json!({"type": 2, "style": 5, "label": "x"});
            link.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!([row(vec![link])])
        };
        check(link(json!({"url": "https://example.org/"})), true);
        check(link(json!({})), false);
        check(link(json!({"url": "ftp://example.org/"})), false);
        check(link(json!({"url": "https://example.org/", "custom_id": "a"})), false);
        check(link(json!({"style": 1, "url": "https://example.org/", "custom_id": "a"})), false);
    }
}
