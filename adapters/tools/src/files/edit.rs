//! `edit`: one passage of a file for another.

use std::io::Read as _;
use std::sync::Arc;

use async_trait::async_trait;
use pensive_contract::model::ToolSpec;
use pensive_contract::tool::{Danger, Errand, Tool, ToolFault};
use serde::Deserialize;

use super::workspace::{Found, Workspace};
use super::{Inside, Shelf, on_disk};
use crate::trouble::Trouble;
use crate::wire::arguments;

/// The longest file that is edited: it is held whole.
const LONGEST: u64 = 8 << 20;

const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string","description":"Relative to the workspace."},"old":{"type":"string","description":"The passage, exactly as it stands in the file; it must occur once."},"new":{"type":"string","description":"What stands there instead."},"all":{"type":"boolean","description":"Replace every occurrence."}},"required":["path","old","new"]}"#;

/// The tool.
pub(crate) struct Edit {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(alias = "file_path", alias = "file")]
    path: String,
    #[serde(alias = "old_string", alias = "oldText", alias = "old_text")]
    old: String,
    #[serde(alias = "new_string", alias = "newText", alias = "new_text")]
    new: String,
    #[serde(default, alias = "replace_all")]
    all: bool,
}

impl Edit {
    pub(crate) fn new(workspace: Arc<Workspace>) -> Self {
        let description = "Replaces a passage of a text file in the workspace. `old` must fit exactly and occur once, \
                           unless `all` is true.";
        let spec = ToolSpec {
            name: "edit".to_owned(),
            description: description.to_owned(),
            schema: SCHEMA.to_owned(),
        };
        Self { spec, workspace }
    }
}

#[async_trait]
impl Tool for Edit {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn danger(&self, _arguments: &str) -> Danger {
        Danger::Harmless
    }

    async fn call(&self, text: &str, errand: &Errand) -> Result<String, ToolFault> {
        let asked: Arguments = arguments(text)?;
        let (workspace, shelf) = (Arc::clone(&self.workspace), Shelf::of(errand.kind));
        Ok(on_disk(move || {
            let path = workspace.path(&asked.path)?;
            workspace.alone(|| {
                let old = whole(&workspace, &path, shelf)?;
                let (new, places) =
                    edited(&old, &asked).map_err(|why| Trouble::Refused(format!("{path}: {why}")))?;
                workspace.replace(&path, new.as_bytes(), shelf)?;
                Ok(format!(
                    "Replaced {places} {} in {path}.",
                    if places == 1 { "passage" } else { "passages" }
                ))
            })
        })
        .await?)
    }
}

fn whole(workspace: &Workspace, path: &Inside, shelf: Shelf) -> Result<String, Trouble> {
    let Found::File(file, seen) = workspace.find(path, shelf)? else {
        return Err(Trouble::Refused(format!("{path} is a folder.")));
    };
    let mut content = Vec::new();
    file.take(LONGEST + 1)
        .read_to_end(&mut content)
        .map_err(|cause| Trouble::system(format!("{path} cannot be read"), cause))?;
    if content.len() as u64 > LONGEST {
        return Err(Trouble::Refused(format!("{path} has {} bytes: too many to edit.", seen.st_size)));
    }
    String::from_utf8(content)
        .map_err(|_| Trouble::Refused(format!("{path} is not UTF-8 text: it cannot be edited.")))
}

/// The new text and how many passages are new; or why nothing is.
fn edited(text: &str, asked: &Arguments) -> Result<(String, usize), String> {
    if asked.old.is_empty() {
        return Err("`old` is empty. Use `write` for a whole file.".to_owned());
    }
    if asked.old == asked.new {
        return Err("`old` and `new` are the same.".to_owned());
    }
    match text.matches(&asked.old).count() {
        0 => Err("`old` does not occur. Read the file again: blanks and line ends have to fit.".to_owned()),
        places if places > 1 && !asked.all => {
            Err(format!("`old` occurs {places} times. Give more of what stands around it, or set `all`."))
        }
        places => Ok((text.replace(&asked.old, &asked.new), places)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_replaced_where_it_is_the_only_one_or_all_are_meant() {
        let check = |text: &str, old: &str, new: &str, all: bool, expected: Option<(&str, usize)>| {
            let asked = Arguments { path: String::new(), old: old.to_owned(), new: new.to_owned(), all };
            let found = edited(text, &asked).ok();
            assert_eq!(
                found,
                expected.map(|(text, places)| (text.to_owned(), places)),
                "{text} {old} {new} {all}"
            );
        };
        check("one two", "two", "three", false, Some(("one three", 1)));
        check("one two", "one ", "", false, Some(("two", 1)));
        check("a a a", "a", "b", false, None);
        check("a a a", "a", "b", true, Some(("b b b", 3)));
        check("a", "x", "b", true, None);
        check("a", "", "b", true, None);
        check("a", "a", "a", true, None);
        check("aaa", "aa", "b", false, Some(("ba", 1)));
        check("日本日", "日", "月", true, Some(("月本月", 2)));
    }
}
