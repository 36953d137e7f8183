//! What can be done with what came along, as far as it can be said before anything is fetched. Pure.

use pensive_contract::inbound::{Attachment, AttachmentKind};
use pensive_contract::media::MediaKind;
use pensive_contract::model::ModelRef;

/// Whether somebody writes recordings down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ears {
    /// Nobody does.
    None,
    /// A transcriber does.
    Transcriber,
}

/// With what attachments can be met.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Means<'a> {
    /// The model in force.
    pub(crate) model: &'a ModelRef,
    /// What it takes.
    pub(crate) takes: &'a [MediaKind],
    /// Who listens beside it.
    pub(crate) ears: Ears,
    /// Whether the channel gives files out at all.
    pub(crate) fetches: bool,
}

/// How attachments are met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Welcome {
    /// Whether any of them is worth a run of its own.
    pub(crate) usable: bool,
    /// What the person is told of the others; nothing where there are none.
    pub(crate) line: Option<String>,
}

/// Looks at what came along.
pub(crate) fn welcome(attachments: &[Attachment], means: Means<'_>) -> Welcome {
    let (good, bad): (Vec<_>, Vec<_>) = attachments.iter().partition(|sent| means.are_for(sent.kind));
    let mut lines: Vec<String> = Vec::new();
    for line in bad.into_iter().map(|sent| means.regret(sent.kind)) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    Welcome { usable: !good.is_empty(), line: (!lines.is_empty()).then(|| lines.join("\n")) }
}

impl Means<'_> {
    /// Whether something can be made of things of a kind. What a document is its bytes will tell.
    pub(super) fn are_for(self, kind: AttachmentKind) -> bool {
        match kind {
            AttachmentKind::Photo => self.fetches && self.takes.contains(&MediaKind::Image),
            AttachmentKind::Voice | AttachmentKind::Audio => {
                self.fetches && (self.takes.contains(&MediaKind::Audio) || self.ears == Ears::Transcriber)
            }
            AttachmentKind::Document => self.fetches,
            AttachmentKind::Video => false,
            // Its mark says what it stands for.
            AttachmentKind::Sticker => true,
        }
    }

    fn regret(self, kind: AttachmentKind) -> String {
        match kind {
            _ if !self.fetches => "I cannot look at files here, only at text.".to_owned(),
            AttachmentKind::Photo => {
                format!("{} cannot look at pictures. /model shows what else there is.", self.model)
            }
            AttachmentKind::Voice => {
                "I cannot listen to voice messages here. Please write it instead.".to_owned()
            }
            AttachmentKind::Audio => "I cannot listen to recordings here.".to_owned(),
            AttachmentKind::Video => "I cannot watch videos here.".to_owned(),
            AttachmentKind::Sticker | AttachmentKind::Document => "I cannot read this here.".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &[MediaKind] = &[MediaKind::Image, MediaKind::Audio, MediaKind::Document];

    #[test]
    fn med_06_what_cannot_be_used_is_told_and_starts_nothing() {
        let model = ModelRef { provider: "prov".to_owned(), id: "model".to_owned() };
        let check = |kinds: &[AttachmentKind], takes: &[MediaKind], ears, usable, line: Option<&str>| {
            let sent = |kind: &AttachmentKind| Attachment {
                kind: *kind,
                name: None,
                handle: String::new(),
                size: None,
            };
            let sent: Vec<Attachment> = kinds.iter().map(sent).collect();
            let means = Means { model: &model, takes, ears, fetches: true };
            let expected = Welcome { usable, line: line.map(str::to_owned) };
            assert_eq!(welcome(&sent, means), expected, "{kinds:?} {takes:?}");
        };
        let pictures = "prov/model cannot look at pictures. /model shows what else there is.";
        let voice = "I cannot listen to voice messages here. Please write it instead.";
        check(&[], ALL, Ears::None, false, None);
        check(&[AttachmentKind::Photo], ALL, Ears::None, true, None);
        check(&[AttachmentKind::Photo, AttachmentKind::Photo], &[], Ears::None, false, Some(pictures));
        check(&[AttachmentKind::Voice], &[MediaKind::Image], Ears::None, false, Some(voice));
        check(&[AttachmentKind::Voice], &[MediaKind::Audio], Ears::None, true, None);
        check(&[AttachmentKind::Voice, AttachmentKind::Audio], &[], Ears::Transcriber, true, None);
        check(&[AttachmentKind::Video], ALL, Ears::Transcriber, false, Some("I cannot watch videos here."));
        check(&[AttachmentKind::Document, AttachmentKind::Sticker], &[], Ears::None, true, None);
        let both = format!("{pictures}\n{voice}");
        check(
            &[AttachmentKind::Photo, AttachmentKind::Voice, AttachmentKind::Document],
            &[],
            Ears::None,
            true,
            Some(&both),
        );
        let means = Means { model: &model, takes: ALL, ears: Ears::Transcriber, fetches: false };
        let photo = Attachment { kind: AttachmentKind::Photo, name: None, handle: String::new(), size: None };
        let line = Some("I cannot look at files here, only at text.".to_owned());
        assert_eq!(welcome(&[photo], means), Welcome { usable: false, line });
    }
}
