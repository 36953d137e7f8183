//! Application commands as they are registered.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Form;

/// Checks a single one.
pub(crate) fn command(given: &Value) -> Form {
    let mut form = Form::default();
    one(&mut form, given, "");
    form
}

/// Checks a whole list.
pub(crate) fn commands(list: &[Value]) -> Form {
    let mut form = Form::default();
    if list.len() > 100 {
        form.wrong(
            "",
            "APPLICATION_COMMAND_TOO_MANY",
            "Maximum number of application commands reached (100).",
        );
    }
    let mut names = BTreeSet::new();
    for (place, command) in list.iter().enumerate() {
        let path = place.to_string();
        one(&mut form, command, &path);
        if !names.insert(command.get("name").map(Value::to_string)) {
            form.wrong(
                &format!("{path}/name"),
                "APPLICATION_COMMANDS_DUPLICATE_NAME",
                "Application command names must be unique",
            );
        }
    }
    form
}

fn one(form: &mut Form, command: &Value, path: &str) {
    let Some(fields) = command.as_object() else {
        return form.wrong(path, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType");
    };
    form.only(
        fields,
        "command.",
        &[
            "id",
            "type",
            "name",
            "name_localizations",
            "description",
            "description_localizations",
            "options",
            "default_member_permissions",
            "dm_permission",
            "default_permission",
            "nsfw",
            "integration_types",
            "contexts",
            "handler",
        ],
    );
    name(form, fields.get("name"), path);
    form.required(fields.get("description"), &format!("{path}/description"), 100);
    let options = fields.get("options").and_then(Value::as_array).cloned().unwrap_or_default();
    if options.len() > 25 {
        form.wrong(&format!("{path}/options"), "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.");
    }
    for (place, option) in options.iter().enumerate() {
        let path = format!("{path}/options/{place}");
        name(form, option.get("name"), &path);
        form.required(option.get("description"), &format!("{path}/description"), 100);
        let choices = option.get("choices").and_then(Value::as_array).cloned().unwrap_or_default();
        if choices.len() > 25 {
            form.wrong(&format!("{path}/choices"), "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.");
        }
        if !choices.is_empty() && option.get("autocomplete").and_then(Value::as_bool) == Some(true) {
            form.wrong(
                &path,
                "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE",
                "Choices and autocomplete exclude each other",
            );
        }
        for (place, choice) in choices.iter().enumerate() {
            form.required(choice.get("name"), &format!("{path}/choices/{place}/name"), 100);
            form.required(choice.get("value"), &format!("{path}/choices/{place}/value"), 100);
        }
    }
}

fn name(form: &mut Form, given: Option<&Value>, path: &str) {
    let path = format!("{path}/name");
    form.required(given, &path, 32);
    let text = given.and_then(Value::as_str).unwrap_or_default();
    let fits = |c: char| c == '-' || c == '_' || (c.is_alphanumeric() && !c.is_uppercase());
    if !text.chars().all(fits) {
        form.wrong(&path, "STRING_TYPE_REGEX", "String value did not match validation regex.");
    }
}
