//! Files of a workspace that go out with our messages. They are looked at when a model asks for it, and read when their
//! message is sent: whatever becomes of one in between, the rest of the letter arrives.

use std::borrow::Cow;

use pensive_contract::ids::AgentId;
use pensive_contract::inbound::{ChatKind, Place};
use pensive_contract::media::Media;
use pensive_contract::outward::{Enclosure, FileLimits, Part};
use pensive_contract::tool::ToolFault;

use crate::core::Core;
use crate::media::{self, Shape, shape};

/// A file that is asked for.
pub(crate) struct Wanted<'a> {
    /// Whose workspace.
    pub(crate) agent: &'a AgentId,
    /// Where in it, as a model wrote it.
    pub(crate) path: &'a str,
    /// The kind of chat that asks.
    pub(crate) from: ChatKind,
}

/// Looks at a file that is to go to a place.
///
/// # Errors
/// It cannot go there.
pub(crate) async fn look(core: &Core, wanted: &Wanted<'_>, to: &Place) -> Result<Enclosure, ToolFault> {
    let Wanted { agent, path, from } = *wanted;
    let shelf = if from == ChatKind::Direct { to.kind } else { from };
    let bytes = open(core, agent, path, shelf, to).await?;
    if bytes.is_empty() {
        return Err(refused(format!("`{path}` is empty: there is nothing to send.")));
    }
    let Shape { kind, .. } = shape(&bytes);
    let (agent, path, name) =
        (agent.clone(), path.to_owned(), core.ports.masker.mask(&name(path)).into_owned());
    Ok(Enclosure { agent, path, name, kind, shelf })
}

/// Reads a file that is to be sent now. Secrets in one that is text stay here, as they do in a message.
///
/// # Errors
/// It is not there any more, or not what may be sent.
pub(crate) async fn read(core: &Core, file: &Enclosure, to: &Place) -> Result<Media, ToolFault> {
    let mut bytes = open(core, &file.agent, &file.path, file.shelf, to).await?;
    let Shape { media: kind, mime, .. } = shape(&bytes);
    if mime == media::PLAIN
        && let Ok(text) = std::str::from_utf8(&bytes)
        && let Cow::Owned(masked) = core.ports.masker.mask(text)
    {
        bytes = masked.into_bytes();
    }
    Ok(Media { kind, mime: mime.to_owned(), name: Some(file.name.clone()), bytes: bytes.into() })
}

async fn open(
    core: &Core,
    agent: &AgentId,
    path: &str,
    shelf: ChatKind,
    to: &Place,
) -> Result<Vec<u8>, ToolFault> {
    let limits = core.ports.outward.get(&to.account).and_then(|outward| outward.files);
    let Some(limits) = limits else {
        return Err(refused("No files can be sent here. Say in words what is in it."));
    };
    let Some(workspace) = &core.ports.workspace else {
        return Err(refused("There is no workspace here to send files from."));
    };
    workspace.open(agent, path, shelf, limits.bytes).await
}

/// Puts a file at the head of the parts of a letter: above the words where they fit below it, else before them.
pub(crate) fn enclose(file: Enclosure, mut parts: Vec<Part>, limits: Option<FileLimits>) -> Vec<Part> {
    let caption = limits.map_or(0, |limits| limits.caption);
    match parts.as_mut_slice() {
        [only] if only.text.encode_utf16().count() <= caption => {
            // Its richer form takes no file.
            only.whole = None;
            only.file = Some(file);
        }
        _ => parts.insert(0, Part { file: Some(file), ..Part::default() }),
    }
    parts
}

/// What a file is called where it arrives.
fn name(path: &str) -> String {
    let last = path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path);
    last.chars().map(|c| if c.is_control() { '_' } else { c }).collect()
}

fn refused(words: impl Into<String>) -> ToolFault {
    ToolFault { model: words.into(), log: "a file was not sent".to_owned() }
}

#[cfg(test)]
mod tests {
    use pensive_contract::inbound::AttachmentKind;
    use pensive_contract::outward::Whole;

    use super::*;

    fn file() -> Enclosure {
        let (path, name) = ("plots/a.png".to_owned(), "a.png".to_owned());
        Enclosure { agent: "main".into(), path, name, kind: AttachmentKind::Photo, shelf: ChatKind::Direct }
    }

    #[test]
    fn med_07_words_stand_below_a_file_where_they_fit_and_come_behind_it_where_not() {
        let check = |texts: &[&str], expected: &[(&str, bool)]| {
            let whole = Some(Whole { form: String::new(), parts: texts.len() });
            let part =
                |text: &&str| Part { text: (*text).to_owned(), whole: whole.clone(), ..Part::default() };
            let limits = Some(FileLimits { bytes: 9, caption: 4 });
            let parts = enclose(file(), texts.iter().map(part).collect(), limits);
            let told: Vec<_> = parts.iter().map(|part| (part.text.as_str(), part.file.is_some())).collect();
            assert_eq!(told, expected);
            assert!(parts.iter().all(|part| part.file.is_none() || part.whole.is_none()));
        };
        check(&[], &[("", true)]);
        check(&["four"], &[("four", true)]);
        check(&["😀😀"], &[("😀😀", true)]);
        check(&["😀😀."], &[("", true), ("😀😀.", false)]);
        check(&["a", "b"], &[("", true), ("a", false), ("b", false)]);
    }

    #[test]
    fn a_file_keeps_its_own_name() {
        let check = |path: &str, expected: &str| assert_eq!(name(path), expected, "{path}");
        check("a.png", "a.png");
        check("plots/ü 日本.png", "ü 日本.png");
        check("plots/a.png/", "a.png");
        check("/", "/");
        check("a\r\nb", "a__b");
    }
}
