//! Finds the file, reads it and makes settings of it and of the environment.

use std::io::Read;
use std::path::{Path, PathBuf};

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
        Some(text) => from_text(&text, &places, &env),
        None => {
            let (config, faults) = builder(&places, &env, None, Vec::new()).config(&File::default());
            whole(places.file.path(), config, faults)
        }
    }
}

fn from_text(text: &str, places: &Places, env: &Environment) -> Result<Config, ConfigFaults> {
    let path = places.file.path();
    let mut document = Document::parse(path, text)?;
    let mut faults = Vec::new();
    let value = shape::check(&mut document, &schema::value(), &mut faults);
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
    Builder { environment, places, document, faults, secrets: Vec::new() }
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
