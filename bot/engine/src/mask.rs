//! The one masker before every outward path: it knows the configured secrets by value, and the shapes of tokens that
//! nobody configured.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use pensive_contract::speech::{PieceKind, Speech};
use regex::Regex;

/// What stands where a secret stood.
pub const STARS: &str = "•••";

/// Shorter values are too likely to be ordinary words.
const SHORTEST: usize = 6;
/// What stands where a text was cut.
const CUT: char = '…';
/// Behind a colon or a dot only what is long is taken for a secret of its own.
const LONG_HALF: usize = 16;

/// Bot tokens (an id in digits and a secret, or an id in digits as base64, a time and a secret), provider keys, bearer headers,
/// private keys, JWTs and passwords in URLs. Long repetitions have no upper end:
/// counting to thousands makes an automaton of megabytes.
static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)(?P<keep>\b[a-z][a-z0-9+.-]{1,15}://[!-.0-9;-?A-~]{0,64}:)[!-.0-9;-?A-~]{1,}(?P<after>@)",
        r"|[0-9]{6,12}:[A-Za-z0-9_-]{30,64}",
        r"|\bsk-[A-Za-z0-9_-]{16,}",
        r"|(?P<bearer>\b[Bb]earer )[A-Za-z0-9._~+/=-]{8,}",
        r"|-----BEGIN [A-Z ]{0,24}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{0,}-----END [A-Z ]{0,24}PRIVATE KEY-----",
        r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}",
        r"|\b(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5,6}[A-Za-z0-9]{0,3}\.[A-Za-z0-9_-]{5,8}\.[A-Za-z0-9_-]{25,}",
    ))
    .ok()
});

/// Replaces secrets in texts that leave the daemon. Cheap to clone.
#[derive(Clone, Default)]
pub struct Masker {
    known: Option<Arc<AhoCorasick>>,
    /// The same in their order, for beginnings.
    needles: Arc<[String]>,
}

impl Masker {
    /// Knows each of `secrets` in plain and base64 form, also inside longer base64, and either of them as URLs write it or
    /// broken over lines.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut needles: Vec<String> = secrets
            .into_iter()
            .flat_map(|secret| names(&secret))
            .filter(|secret| secret.len() >= SHORTEST)
            .flat_map(|secret| forms(&secret))
            .collect();
        needles.sort_unstable();
        needles.dedup();
        let known = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&needles);
        Self { known: known.ok().filter(|_| !needles.is_empty()).map(Arc::new), needles: needles.into() }
    }

    /// Where texts of others were cut in the middle of a secret: its beginning in front of the sign of the cut.
    fn torn(&self, text: &str) -> Vec<Range<usize>> {
        let torn = |(end, _)| {
            let before = text.get(..end)?;
            let begins = |needle: &String| {
                let longest = needle.len().min(before.len());
                (SHORTEST..=longest)
                    .rev()
                    .find(|length| needle.get(..*length).is_some_and(|head| before.ends_with(head)))
            };
            let length = self.needles.iter().filter_map(begins).max()?;
            Some(end - length..end)
        };
        text.match_indices(CUT).filter_map(torn).collect()
    }

    /// The text with stars for secrets; borrowed when there was none.
    #[must_use]
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut found = self.known.as_ref().map(|known| stretches(known, text)).unwrap_or_default();
        found = apart(found.into_iter().chain(self.torn(text)).collect());
        let first = if found.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(starred(text, &found)) };
        match mask_shapes(&first) {
            Some(masked) => Cow::Owned(masked),
            None => first,
        }
    }
}

impl Masker {
    /// The name of a tool, or what stands for one that is a secret: providers take no stars in names.
    #[must_use]
    pub fn name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        match self.mask(name) {
            Cow::Owned(_) => Cow::Owned("hidden".to_owned()),
            Cow::Borrowed(name) => Cow::Borrowed(name),
        }
    }

    /// What a model said with its secrets masked. A piece that had one is not what the provider sealed any more.
    #[must_use]
    pub fn speech(&self, mut speech: Speech) -> Speech {
        for piece in &mut speech.pieces {
            let words = match &mut piece.kind {
                PieceKind::Reasoning(text) | PieceKind::Text(text) => text,
                PieceKind::Call(call) => {
                    if let Cow::Owned(name) = self.name(&call.name) {
                        call.name = name;
                        piece.seal = None;
                    }
                    &mut call.arguments
                }
            };
            if let Cow::Owned(masked) = self.mask(words) {
                *words = masked;
                piece.seal = None;
            }
        }
        speech
    }
}

/// What every shape holds, so that ordinary text is passed without the regex.
static MARKERS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let digits = (0..10).map(|digit| format!("{digit}:"));
    let words = ["://", "sk-", "earer ", "-----BEGIN", "eyJ"].into_iter().map(str::to_owned);
    // Two digits as base64.
    let coded = ["M", "N", "O"]
        .into_iter()
        .flat_map(|first| ["D", "T", "j", "z"].map(|next| format!("{first}{next}")));
    AhoCorasick::new(digits.chain(words).chain(coded)).ok()
});

fn mask_shapes(text: &str) -> Option<String> {
    if !MARKERS.as_ref().is_some_and(|markers| markers.is_match(text)) {
        return None;
    }
    let shapes = SHAPES.as_ref()?;
    match shapes.replace_all(text, format!("${{keep}}${{bearer}}{STARS}${{after}}")) {
        Cow::Owned(masked) => Some(masked),
        Cow::Borrowed(_) => None,
    }
}

/// Where secrets stand in a text.
fn stretches(known: &AhoCorasick, text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = known.find_iter(text).map(|hit| hit.range()).collect();
    if text.contains(['%', '\n']) {
        let read = Reading::of(text);
        found.extend(known.find_iter(&read.bytes).filter_map(|hit| read.place(hit.range())));
    }
    found
}

/// The stretches in order, those that touch made one.
fn apart(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_unstable_by_key(|range| range.start);
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match apart.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

fn starred(text: &str, found: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for range in found {
        out.push_str(text.get(from..range.start).unwrap_or_default());
        out.push_str(STARS);
        from = range.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// A text with the escapes of URLs resolved and its lines joined, and where each of its bytes stood.
#[derive(Default)]
struct Reading {
    bytes: Vec<u8>,
    places: Vec<Range<usize>>,
}

impl Reading {
    fn of(text: &str) -> Self {
        let mut read = Self::default();
        let mut bytes = text.bytes().enumerate();
        while let Some((at, byte)) = bytes.next() {
            let escaped = if byte == b'%' { text.get(at + 1..at + 3) } else { None };
            let escaped = escaped.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
            match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(byte) => {
                    bytes.nth(1);
                    read.push(byte, at..at + 3);
                }
                None if matches!(byte, b'\n' | b'\r') => {}
                None => read.push(byte, at..at + 1),
            }
        }
        read
    }

    fn push(&mut self, byte: u8, place: Range<usize>) {
        self.bytes.push(byte);
        self.places.push(place);
    }

    /// Where a stretch of the reading stands in the text.
    fn place(&self, read: Range<usize>) -> Option<Range<usize>> {
        let (first, last) = (self.places.get(read.start)?, self.places.get(read.end.checked_sub(1)?)?);
        Some(first.start..last.end)
    }
}

/// The secret; where it has a public name before a colon or a dot as bot tokens have, its secret half; and where it is a header
/// with its scheme, what follows that.
fn names(secret: &str) -> Vec<String> {
    let whole = secret.trim();
    let halves = [whole.split_once(':'), whole.rsplit_once('.')];
    let halves = halves.map(|split| split.map(|(_, half)| half).filter(|half| half.len() >= LONG_HALF));
    let credentials = whole.split_once(' ').filter(|(scheme, rest)| is_scheme(scheme) && !rest.contains(' '));
    let parts = [Some(whole), credentials.map(|(_, rest)| rest)];
    parts.into_iter().chain(halves).flatten().map(str::to_owned).collect()
}

fn is_scheme(word: &str) -> bool {
    ["bearer", "basic", "token", "apikey", "bot"].contains(&word.to_ascii_lowercase().as_str())
}

fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned()];
    // Inside a longer base64 text a secret can begin at any of three alignments; the characters that also hold
    // neighbouring bytes are left out.
    for (lead, from) in [0, 2, 3].into_iter().enumerate() {
        let mut bytes = vec![0_u8; lead];
        bytes.extend_from_slice(secret.as_bytes());
        for encoded in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            let to = encoded.len() - usize::from(bytes.len() % 3 != 0);
            if let Some(inner) = encoded.get(from..to).filter(|inner| inner.len() >= SHORTEST) {
                forms.push(inner.to_owned());
            }
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(input: &str, expected: &str) {
        let masker = Masker::new(["hunter2-secret/+key".to_owned(), "short".to_owned()]);
        assert_eq!(masker.mask(input), expected, "{input:?}");
    }

    #[test]
    fn secrets_are_masked_by_value_in_every_form() {
        check("the key is hunter2-secret/+key.", "the key is •••.");
        check("?k=hunter2-secret%2F%2Bkey&x", "?k=•••&x");
        check("?k=hunter2-secret%2f%2bkey&x", "?k=•••&x");
        check("?k=hunter2%2Dsecret/%2Bkey%20%zz%", "?k=•••%20%zz%");
        check("ordinary text: 12:30, short", "ordinary text: 12:30, short");
        for lead in ["", "a", "ab", "abc"] {
            let encoded = STANDARD_NO_PAD.encode(format!("{lead}hunter2-secret/+key and more"));
            let masked = Masker::new(["hunter2-secret/+key".to_owned()]).mask(&encoded).into_owned();
            assert!(masked.contains(STARS), "{lead:?}: {masked}");
        }
    }

    #[test]
    fn a_secret_is_masked_where_a_line_breaks_it_and_inside_an_escaped_code() {
        check("hunter2-sec\nret/+key\nnext", "•••\nnext");
        check("hunter2-sec\r\nret/+key and hunter2-secret/+key", "••• and •••");
        let code = STANDARD_NO_PAD.encode("user:hunter2-secret/+key!");
        let wrapped: String = code
            .chars()
            .enumerate()
            .flat_map(|(n, c)| (n % 9 == 8).then_some('\n').into_iter().chain([c]))
            .collect();
        let escaped = code.replace('+', "%2B").replace('/', "%2F");
        let masker = Masker::new(["hunter2-secret/+key".to_owned()]);
        for text in [wrapped, escaped] {
            let masked = masker.mask(&text).into_owned();
            assert!(masked.contains(STARS) && masked.len() < 20, "{masked}");
        }
    }

    #[test]
    fn a_secret_that_others_have_cut_is_masked_up_to_the_cut() {
        check("it is hunter2-sec… and more", "it is •••… and more");
        check("it is hunter2-secret/+key… and hunter…", "it is •••… and •••…");
        check("it is hunte… of that", "it is hunte… of that");
        let code = STANDARD_NO_PAD.encode("user:hunter2-secret/+key");
        let cut = format!("{}…", code.get(..20).unwrap_or_default());
        assert!(Masker::new(["hunter2-secret/+key".to_owned()]).mask(&cut).contains(STARS), "{cut}");
    }

    #[test]
    fn a_name_that_is_a_secret_is_none() {
        let masker = Masker::new(["hunter2-secret".to_owned()]);
        assert_eq!(
            (masker.name("read").as_ref(), masker.name("hunter2-secret").as_ref()),
            ("read", "hidden")
        );
    }

    #[test]
    fn a_header_is_masked_with_its_scheme_and_without() {
        let masker = Masker::new(["Bearer hdr-Ce4Dg7Fh".to_owned(), "two common words".to_owned()]);
        assert_eq!(masker.mask("it is hdr-Ce4Dg7Fh, common words"), "it is •••, common words");
        assert_eq!(masker.mask("two common words"), "•••");
    }

    #[test]
    fn tool_08_token_shapes_are_masked_without_being_configured() {
        check("/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe", "/bot•••/getMe");
        check("use sk-proj-abcdefghijklmnop0123", "use •••");
        check("Authorization: Bearer abcdef0123456789", "Authorization: Bearer •••");
        check("postgres://me:pa55word@host/db", "postgres://me:•••@host/db");
        check("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n", "•••\n");
        check("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4fwpM", "•••");
        for id in ["80351110224678912", "165511591545143296", "1044912345678901234", "99999999999999999999"] {
            let id = STANDARD_NO_PAD.encode(id);
            let secret = "ZrnQ2VtY0LqJx8dU5mC1aK7eW3sPfGhTbXoRyi";
            check(&format!("Authorization: Bot {id}.GmVcbD.{secret}"), "Authorization: Bot •••");
            check(&format!("{id}.GmVcbD.short"), &format!("{id}.GmVcbD.short"));
        }
        let versions = "MDAw.1.2 NTSC.PAL.and-what-else-there-is-to-see-on-a-screen MzA5.x";
        check(versions, versions);
    }

    #[test]
    fn tool_07_the_secret_half_of_a_bot_token_is_masked_by_itself() {
        let masker = Masker::new(["4242:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw".to_owned()]);
        assert_eq!(masker.mask("it ends in AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"), "it ends in •••");
        assert_eq!(masker.mask("bot 4242"), "bot 4242");
        let masker =
            Masker::new(["MTA0NDkxMjM0NTY3ODkwMTIzNA.GmVcbD.ZrnQ2VtY0LqJx8dU5mC1aK7eW3s".to_owned()]);
        assert_eq!(masker.mask("it ends in ZrnQ2VtY0LqJx8dU5mC1aK7eW3s"), "it ends in •••");
        assert_eq!(masker.mask("bot MTA0NDkxMjM0NTY3ODkwMTIzNA"), "bot MTA0NDkxMjM0NTY3ODkwMTIzNA");
    }

    proptest! {
        #[test]
        fn a_known_secret_never_leaves(before in ".{0,40}", after in ".{0,40}") {
            let masker = Masker::new(["correct-horse-battery".to_owned()]);
            let text = format!("{before}correct-horse-battery{after}");
            prop_assert!(!masker.mask(&text).contains("correct-horse-battery"));
        }

        #[test]
        fn whatever_a_text_holds_what_is_no_secret_stays(text in "[a-z%0-9\\n\\rä]{0,60}") {
            prop_assert_eq!(Masker::new(["correct-horse-battery".to_owned()]).mask(&text), text.as_str());
        }
    }
}
