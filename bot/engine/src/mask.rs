//! The one masker before every outward path: it knows the configured secrets by value, and the shapes of tokens that
//! nobody configured.

use std::borrow::Cow;
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
/// Behind a colon only what is long is taken for a secret of its own.
const LONG_HALF: usize = 16;

/// Bot tokens, provider keys, bearer headers, private keys, JWTs and passwords in URLs. Long repetitions have no upper end:
/// counting to thousands makes an automaton of megabytes.
static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)(?P<keep>\b[a-z][a-z0-9+.-]{1,15}://[!-.0-9;-?A-~]{0,64}:)[!-.0-9;-?A-~]{1,}(?P<after>@)",
        r"|[0-9]{6,12}:[A-Za-z0-9_-]{30,64}",
        r"|\bsk-[A-Za-z0-9_-]{16,}",
        r"|(?P<bearer>\b[Bb]earer )[A-Za-z0-9._~+/=-]{8,}",
        r"|-----BEGIN [A-Z ]{0,24}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{0,}-----END [A-Z ]{0,24}PRIVATE KEY-----",
        r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}",
    ))
    .ok()
});

/// Replaces secrets in texts that leave the daemon. Cheap to clone.
#[derive(Clone, Default)]
pub struct Masker {
    known: Option<Arc<AhoCorasick>>,
}

impl Masker {
    /// Knows each of `secrets` in plain, URL-encoded and base64 form, also inside longer base64.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut needles: Vec<String> = secrets
            .into_iter()
            .flat_map(halves)
            .filter(|secret| secret.len() >= SHORTEST)
            .flat_map(|secret| forms(&secret))
            .collect();
        needles.sort_unstable();
        needles.dedup();
        let known = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&needles);
        Self { known: known.ok().filter(|_| !needles.is_empty()).map(Arc::new) }
    }

    /// The text with stars for secrets; borrowed when there was none.
    #[must_use]
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let first = match &self.known {
            Some(known) if known.is_match(text) => {
                let stars = vec![STARS; known.patterns_len()];
                Cow::Owned(known.replace_all(text, &stars))
            }
            _ => Cow::Borrowed(text),
        };
        match mask_shapes(&first) {
            Some(masked) => Cow::Owned(masked),
            None => first,
        }
    }
}

impl Masker {
    /// What a model said with its secrets masked. A piece that had one is not what the provider sealed any more.
    #[must_use]
    pub fn speech(&self, mut speech: Speech) -> Speech {
        for piece in &mut speech.pieces {
            let words = match &mut piece.kind {
                PieceKind::Reasoning(text) | PieceKind::Text(text) => text,
                PieceKind::Call(call) => &mut call.arguments,
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
    AhoCorasick::new(digits.chain(words)).ok()
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

/// The secret and, where it has a public name before a colon as bot tokens have, its secret half.
fn halves(secret: String) -> impl Iterator<Item = String> {
    let whole = secret.trim().to_owned();
    let half = whole.split_once(':').map(|(_, half)| half.to_owned()).filter(|half| half.len() >= LONG_HALF);
    std::iter::once(whole).chain(half)
}

fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned(), url_form(secret)];
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

fn url_form(secret: &str) -> String {
    let mut out = String::with_capacity(secret.len());
    for byte in secret.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
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
        check("ordinary text: 12:30, short", "ordinary text: 12:30, short");
        for lead in ["", "a", "ab", "abc"] {
            let encoded = STANDARD_NO_PAD.encode(format!("{lead}hunter2-secret/+key and more"));
            let masked = Masker::new(["hunter2-secret/+key".to_owned()]).mask(&encoded).into_owned();
            assert!(masked.contains(STARS), "{lead:?}: {masked}");
        }
    }

    #[test]
    fn tool_08_token_shapes_are_masked_without_being_configured() {
        check("/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe", "/bot•••/getMe");
        check("use sk-proj-abcdefghijklmnop0123", "use •••");
        check("Authorization: Bearer abcdef0123456789", "Authorization: Bearer •••");
        check("postgres://me:pa55word@host/db", "postgres://me:•••@host/db");
        check("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n", "•••\n");
        check("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4fwpM", "•••");
    }

    #[test]
    fn tool_07_the_secret_half_of_a_bot_token_is_masked_by_itself() {
        let masker = Masker::new(["4242:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw".to_owned()]);
        assert_eq!(masker.mask("it ends in AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"), "it ends in •••");
        assert_eq!(masker.mask("bot 4242"), "bot 4242");
    }

    proptest! {
        #[test]
        fn a_known_secret_never_leaves(before in ".{0,40}", after in ".{0,40}") {
            let masker = Masker::new(["correct-horse-battery".to_owned()]);
            let text = format!("{before}correct-horse-battery{after}");
            prop_assert!(!masker.mask(&text).contains("correct-horse-battery"));
        }
    }
}
