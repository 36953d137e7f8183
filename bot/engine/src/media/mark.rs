//! The short marks that stand in a transcript for what was sent along, and how words are told from them.

use pensive_contract::inbound::{Attachment, AttachmentKind};

/// Characters of a name that a mark shows.
const MOST_NAMED: usize = 80;
/// How the notes begin that only a model sees.
pub(super) const ASIDE: &str = "[The person also sent ";

/// A person's words with the marks of what came with them, and what was said in their recordings.
pub(crate) fn marked(text: &str, attachments: &[Attachment], said: Option<&str>) -> String {
    let marks = marks(attachments);
    let parts = [Some(text.trim_end()), Some(marks.as_str()), said];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// One mark for each kind of thing without a name, and one for each that has one.
fn marks(attachments: &[Attachment]) -> String {
    let mut marks: Vec<(String, usize)> = Vec::new();
    for mark in attachments.iter().map(thing) {
        match marks.iter_mut().find(|(known, _)| *known == mark) {
            Some((_, count)) => *count += 1,
            None => marks.push((mark, 1)),
        }
    }
    let written = marks.iter().map(|(mark, count)| match count {
        1 => format!("[{mark}]"),
        _ => format!("[{count} × {mark}]"),
    });
    written.collect::<Vec<_>>().join("\n")
}

/// What a thing is called between brackets.
pub(super) fn thing(attachment: &Attachment) -> String {
    let kind = match attachment.kind {
        AttachmentKind::Photo => return "photo".to_owned(),
        AttachmentKind::Voice => return "voice message".to_owned(),
        AttachmentKind::Audio => "audio",
        AttachmentKind::Video => "video",
        AttachmentKind::Sticker => "sticker",
        AttachmentKind::Document => "document",
    };
    match attachment.name.as_deref().map(safe).filter(|name| !name.is_empty()) {
        Some(name) => format!("{kind} {name}"),
        None => kind.to_owned(),
    }
}

/// A name as it can stand in a line between brackets.
pub(super) fn safe(name: &str) -> String {
    let seen = name.chars().filter(|c| !c.is_control() && !matches!(c, '[' | ']' | '`'));
    seen.take(MOST_NAMED).collect::<String>().trim().to_owned()
}

/// The words of a transcript's turn without the marks below them.
pub(crate) fn words(said: &str) -> &str {
    let mut words = said.trim();
    while let Some((before, last)) = words.rsplit_once('\n').or(Some(("", words)))
        && is_mark(last)
    {
        words = before.trim_end();
    }
    words
}

/// What a model said, without marks of ours that it took for a manner of speaking and put first.
pub(crate) fn spoken(answer: &str) -> &str {
    let mut rest = answer;
    loop {
        let (first, after) = rest.split_once('\n').unwrap_or((rest, ""));
        if !is_mark(first) || after.trim().is_empty() && !first.starts_with(ASIDE) {
            return rest;
        }
        rest = after.trim_start_matches('\n');
    }
}

/// Whether a line is a mark of ours and nothing else.
fn is_mark(line: &str) -> bool {
    let inner = line.trim().strip_prefix('[').and_then(|line| line.strip_suffix(']'));
    let Some(inner) = inner else { return false };
    if line.trim().starts_with(ASIDE) {
        return true;
    }
    let one = match inner.split_once(" × ") {
        Some((count, one)) if count.parse::<usize>().is_ok() => one,
        _ => inner,
    };
    let kinds = ["audio", "video", "sticker", "document"];
    let named = kinds
        .iter()
        .filter_map(|kind| one.strip_prefix(kind))
        .any(|name| name.is_empty() || name.starts_with(' '));
    matches!(one, "photo" | "voice message") || named && !one.contains(['[', ']'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(kind: AttachmentKind, name: Option<&str>) -> Attachment {
        Attachment { kind, name: name.map(str::to_owned), handle: "h".to_owned(), size: None }
    }

    #[test]
    fn what_was_sent_leaves_a_mark_below_the_words() {
        let check = |text: &str, sent: &[Attachment], said, expected: &str| {
            let all = marked(text, sent, said);
            assert_eq!(all, expected);
            if said.is_none() {
                assert_eq!(words(&all), text, "{all}");
            }
        };
        let photo = sent(AttachmentKind::Photo, Some("x.jpg"));
        check("hi", &[], None, "hi");
        check("", std::slice::from_ref(&photo), None, "[photo]");
        check("what is\nthis?", std::slice::from_ref(&photo), None, "what is\nthis?\n[photo]");
        let report = sent(AttachmentKind::Document, Some("re[po]rt\n.pdf"));
        check("", &[photo.clone(), report, photo], None, "[2 × photo]\n[document report.pdf]");
        check("", &[sent(AttachmentKind::Sticker, Some("👍"))], None, "[sticker 👍]");
        let voice = sent(AttachmentKind::Voice, None);
        check("", &[voice], Some("Good morning."), "[voice message]\nGood morning.");
        check(
            "",
            &[sent(AttachmentKind::Document, Some(&"x".repeat(200)))],
            None,
            &format!("[document {}]", "x".repeat(80)),
        );
    }

    #[test]
    fn med_18_marks_that_a_model_repeats_are_not_its_words() {
        let check = |answer: &str, expected: &str| assert_eq!(spoken(answer), expected, "{answer}");
        check("A cat.", "A cat.");
        check("[photo]\nA cat.", "A cat.");
        check("[2 × photo]\n[document a b.pdf]\n\nTwo cats.", "Two cats.");
        check("[The person also sent a photo, which cannot be shown here.]\nI see none.", "I see none.");
        check("[The person also sent a photo, which cannot be shown here.]", "");
        // Alone it may be just what was asked for, and so may one in the middle.
        check("[photo]", "[photo]");
        check("Put [photo] here:\n[photo]\nand so on", "Put [photo] here:\n[photo]\nand so on");
        check("[photography]\nA cat.", "[photography]\nA cat.");
        check("[documents]\nx", "[documents]\nx");
        check("", "");
    }

    #[test]
    fn words_that_look_like_no_mark_stay() {
        for text in ["", "[x]", "see [photo]", "a\n[photo] b", "[3 x photo]"] {
            assert_eq!(words(text), text);
        }
    }
}
