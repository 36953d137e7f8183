//! A conversation as one model can take it: what it does not take becomes a note, and documents that are words become a part
//! of the words. Decided for each call, because fallbacks take other things.

use pensive_contract::media::{Media, MediaKind};
use pensive_contract::model::{Limits, PromptTurn};

use super::PLAIN;
use super::mark::{ASIDE, safe};

/// The share of the window that documents may fill with words, and how many bytes a token has at least.
const SHARE: u64 = 2;
const BYTES_A_TOKEN: u64 = 3;

/// The turns for a model with these limits. What is sent along stands before the words that it came with.
pub(crate) fn for_model(turns: Vec<PromptTurn>, limits: Limits) -> Vec<PromptTurn> {
    let mut fitted = Vec::with_capacity(turns.len());
    let mut room = limits.context.saturating_mul(BYTES_A_TOKEN) / SHARE;
    let mut below: Vec<String> = Vec::new();
    for turn in turns {
        match turn {
            PromptTurn::Media(media) => {
                let (taken, told) = split(media, limits.takes, &mut room);
                below.extend(told);
                if !taken.is_empty() {
                    fitted.push(PromptTurn::Media(taken));
                }
            }
            PromptTurn::User(text) if !below.is_empty() => {
                let parts = std::iter::once(text).filter(|text| !text.is_empty()).chain(below.drain(..));
                fitted.push(PromptTurn::User(parts.collect::<Vec<_>>().join("\n\n")));
            }
            PromptTurn::User(_) | PromptTurn::Assistant(_) | PromptTurn::Tools(_) => fitted.push(turn),
        }
    }
    fitted
}

/// What the model takes, and words in the place of the rest.
fn split(media: Vec<Media>, takes: &[MediaKind], room: &mut u64) -> (Vec<Media>, Vec<String>) {
    let (mut taken, mut told) = (Vec::new(), Vec::new());
    for media in media {
        if media.mime == PLAIN {
            told.push(quoted(&media, room));
        } else if takes.contains(&media.kind) {
            taken.push(media);
        } else {
            told.push(missing(match media.kind {
                MediaKind::Image => "a picture",
                MediaKind::Audio => "a recording",
                MediaKind::Document => "a document",
            }));
        }
    }
    (taken, told)
}

/// The note for a model that is not given a thing.
pub(super) fn missing(what: &str) -> String {
    format!("{ASIDE}{what}, which cannot be shown here.]")
}

/// The words of a document between fences that stand nowhere in it; an aside of ours as it is.
fn quoted(media: &Media, room: &mut u64) -> String {
    let text = String::from_utf8_lossy(&media.bytes);
    let Some(name) = &media.name else { return text.into_owned() };
    let text = text.trim_start_matches('\u{feff}').trim_end();
    let most = usize::try_from(*room).unwrap_or(usize::MAX).min(text.len());
    let shown = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    *room -= (shown.len() as u64).min(*room);
    let cut = if shown.len() < text.len() { "\n[The rest is too long to be shown here.]" } else { "" };
    let longest = shown.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{}:\n{fence}\n{shown}\n{fence}{cut}", safe(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn media(kind: MediaKind, mime: &str, name: Option<&str>, bytes: &[u8]) -> Media {
        Media { kind, mime: mime.to_owned(), name: name.map(str::to_owned), bytes: bytes.into() }
    }

    fn fitted(turns: &[PromptTurn], takes: &'static [MediaKind], context: u64) -> Vec<PromptTurn> {
        for_model(turns.to_vec(), Limits { context, output: None, price: None, takes })
    }

    fn user(text: &str) -> PromptTurn {
        PromptTurn::User(text.to_owned())
    }

    #[test]
    fn each_model_gets_what_it_takes() {
        let picture = media(MediaKind::Image, "image/png", None, b"p");
        let report = media(MediaKind::Document, "application/pdf", Some("r.pdf"), b"r");
        let turns =
            [user("before"), PromptTurn::Media(vec![picture.clone(), report.clone()]), user("look\n[photo]")];
        assert_eq!(fitted(&turns, &[MediaKind::Image, MediaKind::Document], 1_000), turns);
        let note = "[The person also sent a document, which cannot be shown here.]";
        let some =
            [user("before"), PromptTurn::Media(vec![picture]), user(&format!("look\n[photo]\n\n{note}"))];
        assert_eq!(fitted(&turns, &[MediaKind::Image], 1_000), some);
        let both = format!(
            "look\n[photo]\n\n[The person also sent a picture, which cannot be shown here.]\n\n{note}"
        );
        assert_eq!(fitted(&turns, &[], 1_000), [user("before"), user(&both)]);
    }

    #[test]
    fn words_of_a_document_stand_between_fences_of_their_own() {
        let check = |text: &str, context, expected: &str| {
            let document = media(MediaKind::Document, PLAIN, Some("a`b.md"), text.as_bytes());
            let turns = [PromptTurn::Media(vec![document]), user("")];
            assert_eq!(fitted(&turns, &[], context), [user(expected)]);
        };
        check("\u{feff}one\ntwo\n", 1_000, "ab.md:\n```\none\ntwo\n```");
        check("a ``` b", 1_000, "ab.md:\n````\na ``` b\n````");
        check("ääää", 2, "ab.md:\n```\nä\n```\n[The rest is too long to be shown here.]");
    }

    #[test]
    fn an_aside_is_told_as_it_is() {
        let aside = media(MediaKind::Document, PLAIN, None, missing("a video").as_bytes());
        let expected = user("look\n\n[The person also sent a video, which cannot be shown here.]");
        assert_eq!(fitted(&[PromptTurn::Media(vec![aside]), user("look")], &[], 9), [expected]);
    }
}
