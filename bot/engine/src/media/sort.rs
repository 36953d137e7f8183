//! What a file is, by its first bytes: what its sender calls it is no evidence.

use pensive_contract::media::MediaKind;

/// What a file is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// Something that models may take, and its type.
    Media(MediaKind, &'static str),
    /// Words.
    Text,
}

/// Sorts a file; nothing for what nobody here can read.
pub(super) fn sort(bytes: &[u8]) -> Option<Sort> {
    let known = SIGNATURES.iter().find(|signature| signature.marks(bytes));
    known.map(|known| Sort::Media(known.kind, known.mime)).or_else(|| is_text(bytes).then_some(Sort::Text))
}

/// How files of a type begin.
struct Signature {
    kind: MediaKind,
    mime: &'static str,
    /// Stretches and where they stand.
    parts: &'static [(usize, &'static [u8])],
}

const fn signature(
    kind: MediaKind,
    mime: &'static str,
    parts: &'static [(usize, &'static [u8])],
) -> Signature {
    Signature { kind, mime, parts }
}

const SIGNATURES: &[Signature] = &[
    signature(MediaKind::Image, "image/png", &[(0, b"\x89PNG\r\n\x1a\n")]),
    signature(MediaKind::Image, "image/jpeg", &[(0, b"\xff\xd8\xff")]),
    signature(MediaKind::Image, "image/gif", &[(0, b"GIF87a")]),
    signature(MediaKind::Image, "image/gif", &[(0, b"GIF89a")]),
    signature(MediaKind::Image, "image/webp", &[(0, b"RIFF"), (8, b"WEBP")]),
    signature(MediaKind::Document, "application/pdf", &[(0, b"%PDF-")]),
    signature(MediaKind::Audio, "audio/ogg", &[(0, b"OggS")]),
    signature(MediaKind::Audio, "audio/wav", &[(0, b"RIFF"), (8, b"WAVE")]),
    signature(MediaKind::Audio, "audio/mpeg", &[(0, b"ID3")]),
    // Frames of layer III without a tag before them.
    signature(MediaKind::Audio, "audio/mpeg", &[(0, b"\xff\xfb")]),
    signature(MediaKind::Audio, "audio/mpeg", &[(0, b"\xff\xf3")]),
    signature(MediaKind::Audio, "audio/mpeg", &[(0, b"\xff\xf2")]),
    // The general brands are films more often than sound.
    signature(MediaKind::Audio, "audio/mp4", &[(4, b"ftypM4A")]),
    signature(MediaKind::Audio, "audio/mp4", &[(4, b"ftypM4B")]),
];

impl Signature {
    fn marks(&self, bytes: &[u8]) -> bool {
        self.parts.iter().all(|(at, part)| bytes.get(*at..).is_some_and(|tail| tail.starts_with(part)))
    }
}

/// Whether it is UTF-8 that a person could have written.
fn is_text(bytes: &[u8]) -> bool {
    let is_strange = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\x0c' | '\x1b');
    std::str::from_utf8(bytes).is_ok_and(|text| !text.trim().is_empty() && !text.contains(is_strange))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn files_are_known_by_their_bytes() {
        let check = |bytes: &[u8], expected: Option<Sort>| assert_eq!(sort(bytes), expected, "{bytes:?}");
        let image = |mime| Some(Sort::Media(MediaKind::Image, mime));
        let audio = |mime| Some(Sort::Media(MediaKind::Audio, mime));
        check(b"\x89PNG\r\n\x1a\n...", image("image/png"));
        check(b"\xff\xd8\xff\xe0", image("image/jpeg"));
        check(b"GIF89a..", image("image/gif"));
        check(b"RIFF\x01\x02\x03\x04WEBPVP8 ", image("image/webp"));
        check(b"RIFF\x01\x02\x03\x04WAVEfmt ", audio("audio/wav"));
        check(b"RIFF\x01\x02\x03\x04AVI ", None);
        check(b"OggS\x00", audio("audio/ogg"));
        check(b"ID3\x04", audio("audio/mpeg"));
        check(b"\xff\xfb\x90", audio("audio/mpeg"));
        check(b"\x00\x00\x00\x20ftypM4A ", audio("audio/mp4"));
        check(b"\x00\x00\x00\x20ftypisom", None);
        check(b"%PDF-1.7", Some(Sort::Media(MediaKind::Document, "application/pdf")));
        check("Grüße\n\tx\r\n".as_bytes(), Some(Sort::Text));
        check(b"\xef\xbb\xbfwith a mark", Some(Sort::Text));
        check(b"", None);
        check(b"PK\x03\x04", None);
        check(b"a\x00b", None);
        check(b"\xe4", None);
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let text = std::str::from_utf8(&bytes).is_ok();
            prop_assert!(sort(&bytes) != Some(Sort::Text) || text);
        }
    }
}
