//! What a file of ours is to people who are sent it, by its bytes: a picture is looked at where it arrives, speech is played,
//! and everything else is kept.

use pensive_contract::inbound::AttachmentKind;
use pensive_contract::media::MediaKind;

use super::PLAIN;
use super::sort::{Sort, sort};

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// To people.
    pub(crate) kind: AttachmentKind,
    /// To programs.
    pub(crate) media: MediaKind,
    /// Its type.
    pub(crate) mime: &'static str,
}

const OCTETS: &str = "application/octet-stream";

/// How the first page of a stream of speech goes on
/// (<https://www.rfc-editor.org/rfc/rfc7845#section-5.1>).
const OPUS: (usize, &[u8]) = (28, b"OpusHead");

/// Films by their brands; those of sound and of pictures in the same container are none
/// (<https://mp4ra.org/registered-types/brands>).
const FILMS: [&[u8]; 7] = [b"isom", b"iso2", b"iso4", b"iso5", b"iso6", b"mp41", b"mp42"];

/// Looks at a file.
pub(crate) fn shape(bytes: &[u8]) -> Shape {
    let is_speech = bytes.get(OPUS.0..).is_some_and(|tail| tail.starts_with(OPUS.1));
    let (kind, media, mime) = match sort(bytes) {
        Some(Sort::Media(media, mime @ "image/gif")) => (AttachmentKind::Video, media, mime),
        Some(Sort::Media(media @ MediaKind::Image, mime)) => (AttachmentKind::Photo, media, mime),
        Some(Sort::Media(media, mime @ "audio/ogg")) if is_speech => (AttachmentKind::Voice, media, mime),
        Some(Sort::Media(media @ MediaKind::Audio, mime)) => (AttachmentKind::Audio, media, mime),
        Some(Sort::Media(media @ MediaKind::Document, mime)) => (AttachmentKind::Document, media, mime),
        Some(Sort::Text) => (AttachmentKind::Document, MediaKind::Document, PLAIN),
        None if is_film(bytes) => (AttachmentKind::Video, MediaKind::Document, "video/mp4"),
        None => (AttachmentKind::Document, MediaKind::Document, OCTETS),
    };
    Shape { kind, media, mime }
}

fn is_film(bytes: &[u8]) -> bool {
    bytes.get(4..8) == Some(b"ftyp") && bytes.get(8..12).is_some_and(|brand| FILMS.contains(&brand))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_to_people_what_their_bytes_say() {
        let check = |bytes: &[u8], kind: AttachmentKind, mime: &str| {
            let shape = shape(bytes);
            assert_eq!((shape.kind, shape.mime), (kind, mime), "{bytes:?}");
        };
        let ogg = |codec: &[u8]| [b"OggS".as_slice(), &[0; 24], codec].concat();
        check(b"\x89PNG\r\n\x1a\n...", AttachmentKind::Photo, "image/png");
        check(b"GIF89a..", AttachmentKind::Video, "image/gif");
        check(&ogg(b"OpusHead"), AttachmentKind::Voice, "audio/ogg");
        check(&ogg(b"\x01vorbis"), AttachmentKind::Audio, "audio/ogg");
        check(b"ID3\x04", AttachmentKind::Audio, "audio/mpeg");
        check(b"\x00\x00\x00\x20ftypM4A ", AttachmentKind::Audio, "audio/mp4");
        check(b"\x00\x00\x00\x20ftypisom....", AttachmentKind::Video, "video/mp4");
        check(b"\x00\x00\x00\x20ftypheic....", AttachmentKind::Document, OCTETS);
        check(b"\x00\x00\x00\x20ftyp", AttachmentKind::Document, OCTETS);
        check(b"%PDF-1.7", AttachmentKind::Document, "application/pdf");
        check(b"a,b\n1,2\n", AttachmentKind::Document, PLAIN);
        check(b"PK\x03\x04", AttachmentKind::Document, OCTETS);
        check(b"", AttachmentKind::Document, OCTETS);
    }
}
