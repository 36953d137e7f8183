//! Finds the file, reads it and makes settings of it and of the environment.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::build::Builder;
use crate::config::Config;
use crate::document::{Document, LONGEST};
use crate::environment::Environment;
use crate::fault::{ConfigFault, ConfigFaults};
use crate::file::File;
use crate::folders::{self, FilePlace, Places};
use crate::{schema, shape};

/// Where settings come from.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The file that the command line names.
    pub file: Option<PathBuf>,
    /// The home folder that the command line names.
    pub home: Option<PathBuf>,
    /// The environment.
    pub env: Environment,
}

/// Reads the configuration. Without a file the defaults hold. Blocks on the file.
///
/// # Errors
/// The file cannot be read or something in it is wrong: everything that is wrong, at once.
pub fn load(sources: Sources) -> Result<Config, ConfigFaults> {
    let Sources { file, home, env } = sources;
    let places = folders::find(file, home, &env);
    match read(&places.file)? {
        Some(text) => from_text(&text, &schema::committed(), &places, &env),
        None => {
            let (config, faults) = builder(&places, &env, None, Vec::new()).config(&File::default());
            whole(places.file.path(), config, faults)
        }
    }
}

fn from_text(text: &str, schema: &Value, places: &Places, env: &Environment) -> Result<Config, ConfigFaults> {
    let path = places.file.path();
    let mut document = Document::parse(path, text)?;
    let mut faults = Vec::new();
    let value = shape::check(&mut document, schema, &mut faults);
    // The schema is made from the same types, so this fails only where the two disagree; a test holds them together.
    let file: File =
        serde_json::from_value(value).map_err(|cause| ConfigFaults::whole(path, cause.to_string()))?;
    let (config, faults) = builder(places, env, Some(&document), faults).config(&file);
    whole(path, config, faults)
}

fn builder<'a>(
    places: &'a Places,
    environment: &'a Environment,
    document: Option<&'a Document<'a>>,
    faults: Vec<ConfigFault>,
) -> Builder<'a> {
    Builder { environment, places, document, faults, secrets: Vec::new(), mentions: Vec::new() }
}

fn whole(path: &Path, config: Config, faults: Vec<ConfigFault>) -> Result<Config, ConfigFaults> {
    if faults.is_empty() { Ok(config) } else { Err(ConfigFaults::new(path, faults)) }
}

/// The file's text; nothing where the usual place is empty.
fn read(place: &FilePlace) -> Result<Option<String>, ConfigFaults> {
    let path = place.path();
    let fault = |message: String| ConfigFaults::whole(path, message);
    let file = match (std::fs::File::open(path), place) {
        (Ok(file), _) => file,
        (Err(cause), FilePlace::Usual(_)) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        (Err(cause), _) => return Err(fault(format!("the configuration cannot be read: {cause}"))),
    };
    let mut bytes = Vec::new();
    file.take(LONGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|cause| fault(format!("the configuration cannot be read: {cause}")))?;
    if bytes.len() as u64 > LONGEST {
        return Err(fault("this file is larger than 1 MiB and cannot be a configuration".to_owned()));
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(Some(text)),
        _ => Err(fault("this file is not UTF-8 text and cannot be a configuration".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::string_slice, reason = "a slip fails the test, and that is its purpose")]

    use std::sync::LazyLock;

    use jsonc_parser::ast::Value;
    use jsonc_parser::common::Ranged;
    use proptest::prelude::*;

    use super::{Value as Json, *};

    const EXAMPLE: &str = include_str!("../examples/pensive.json5");

    fn faults(text: &str) -> Vec<ConfigFault> {
        static SCHEMA: LazyLock<Json> = LazyLock::new(schema::committed);
        let env = Environment::from_iter([("HOME", "/u")]);
        let places = folders::find(Some("p".into()), None, &env);
        from_text(text, &SCHEMA, &places, &env).map_or_else(|faults| faults.faults, |_| Vec::new())
    }

    fn ranges(value: &Value<'_>, found: &mut Vec<(usize, usize)>) {
        found.push((value.start(), value.end()));
        match value {
            Value::Object(object) => {
                object.properties.iter().for_each(|property| ranges(&property.value, found))
            }
            Value::Array(list) => list.elements.iter().for_each(|element| ranges(element, found)),
            _ => {}
        }
    }

    /// What passes the checks of the schema must be what the types take: a disagreement shows as a fault without a place.
    #[test]
    fn whatever_stands_where_it_should_not_has_a_place() {
        let document = Document::parse(Path::new("p"), EXAMPLE).unwrap();
        let mut places = Vec::new();
        ranges(document.root.as_ref().unwrap(), &mut places);
        assert!(places.len() > 150);
        for (start, end) in places {
            for value in ["null", "true", "-7.5", "'x'", "[]", "{}"] {
                let text = format!("{}{value}{}", &EXAMPLE[..start], &EXAMPLE[end..]);
                for fault in faults(&text) {
                    assert!(
                        fault.position.is_some(),
                        "{} instead of {}: {fault:?}",
                        value,
                        &EXAMPLE[start..end]
                    );
                }
            }
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in any::<String>()) {
            faults(&text);
        }

        #[test]
        fn no_damage_is_too_strange(start in 0..EXAMPLE.len(), length in 0_usize..40, patch in r#"[\[\]{}'",:/*\\ \n0-9a-z]{0,6}"#) {
            let cut = |at: usize| (0..=at.min(EXAMPLE.len())).rev().find(|at| EXAMPLE.is_char_boundary(*at)).unwrap_or(0);
            let text = format!("{}{patch}{}", &EXAMPLE[..cut(start)], &EXAMPLE[cut(start + length)..]);
            for fault in faults(&text) {
                prop_assert!(fault.position.is_some(), "{:?}", fault);
            }
        }
    }
}
