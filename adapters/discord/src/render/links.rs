//! Addresses as Discord reads them. It takes no escapes inside an address, ends one at a blank or a `<`, and looks for the end
//! of a style without regard to addresses, so signs that would end something are written in percent.

/// The longest address, and the most words in front of one; what is longer is spelled out.
const LONGEST: usize = 512;
/// Signs that Discord leaves out of an address that ends with them.
const NOT_LAST: [char; 9] = ['.', ',', ':', ';', '"', '\'', ')', ']', '<'];

/// Whether Discord makes a link of these words.
pub(super) fn is_link(url: &str, words: &str) -> bool {
    let is_web = |url: reqwest::Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    url.len().max(words.len()) <= LONGEST && takes(words) && reqwest::Url::parse(url).is_ok_and(is_web)
}

/// Whether Discord shows words in place of the address behind them: they may not look like an address themselves, and their
/// brackets have to match.
fn takes(words: &str) -> bool {
    let depths = words.chars().scan(0_i64, |depth, c| {
        *depth += match c {
            '[' => 1,
            ']' => -1,
            _ => 0,
        };
        Some(*depth)
    });
    let (lowest, last) = depths.fold((0, 0), |(lowest, _), depth| (lowest.min(depth), depth));
    lowest == 0 && last == 0 && !words.contains("://") && !words.contains("```")
}

/// The address behind words, in its brackets.
pub(super) fn target(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    let last = url.char_indices().next_back().map_or(0, |(at, _)| at);
    for (at, c) in url.char_indices() {
        let ends = at == last && NOT_LAST.contains(&c);
        if ends || c.is_whitespace() || matches!(c, '(' | ')' | '<' | '>' | '\\' | '*' | '|' | '`' | '~') {
            percent(c, &mut out);
        } else {
            out.push(c);
        }
    }
    out
}

/// An address among words, with the signs of punctuation behind it: all that is not a blank or a `<`. Nothing where none
/// begins.
pub(super) fn bare(text: &str) -> Option<&str> {
    let rest = ["https://", "http://"].into_iter().find_map(|scheme| text.strip_prefix(scheme))?;
    let end = rest.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(rest.len());
    let run = text.get(..text.len() - rest.len() + end)?;
    (run.trim_end_matches(NOT_LAST).len() > text.len() - rest.len()).then_some(run)
}

/// A piece of an address inside a style.
pub(super) fn in_style(c: char, out: &mut String) {
    if matches!(c, '*' | '|' | '`' | '~') { percent(c, out) } else { out.push(c) }
}

/// A sign by its bytes.
fn percent(c: char, out: &mut String) {
    let mut bytes = [0; 4];
    for byte in c.encode_utf8(&mut bytes).bytes() {
        out.push_str(&format!("%{byte:02X}"));
    }
}
