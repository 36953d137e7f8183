//! What a preview shows: as much of the words so far as may be seen before the rest has come.

/// Runs of signs shorter than this hold no secret that the masker would know.
const HARMLESS: usize = 6;
/// A block is cut as soon as it is this long and the text offers a good place.
const SHORTEST_BLOCK: usize = 200;
/// And at any place between words once it is this long.
const LONGEST_BLOCK: usize = 800;

/// One preview, without its frame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Face {
    pub(super) thinking: Option<String>,
    pub(super) markdown: String,
}

impl Face {
    pub(super) fn is_empty(&self) -> bool {
        self.thinking.is_none() && self.markdown.is_empty()
    }
}

/// The text without an end that may yet turn out to be a secret: the masker knows one only when it is whole. What stands in
/// plain signs without a blank waits for its end, and so does a private key for its last line.
pub(super) fn held(text: &str) -> &str {
    let key =
        text.rfind("-----BEGIN ").filter(|at| !text.get(*at..).is_some_and(|key| key.contains("-----END ")));
    let text = key.and_then(|at| text.get(..at)).unwrap_or(text);
    let tail = text.bytes().rev().take_while(u8::is_ascii_graphic).count();
    let kept = if tail < HARMLESS { text.len() } else { text.len() - tail };
    text.get(..kept).unwrap_or(text)
}

/// The whole blocks that a text begins with. A block ends at a paragraph, or where it has grown long, at its last line,
/// else sentence, else word. It never ends in a fence.
pub(super) fn blocks(text: &str) -> &str {
    let mut end = 0;
    while let Some(more) = text.get(end..).and_then(block) {
        end += more;
    }
    text.get(..end).unwrap_or(text)
}

/// Where the first block of a text ends; nothing while it may still grow.
fn block(text: &str) -> Option<usize> {
    let mut best: Option<(Seam, usize)> = None;
    let (mut chars, mut start, mut fence) = (0, 0, None);
    for line in text.split_inclusive('\n') {
        let was_open = fence.is_some();
        fence = fence_after(line, fence);
        for (at, c) in line.char_indices() {
            chars += 1;
            let seam = match (was_open, fence) {
                (false, None) => seam(line, at, c),
                // Behind the line that closes it.
                (true, None) if c == '\n' => Some(Seam::Line),
                (true | false, _) => None,
            };
            let seam = seam.filter(|_| chars >= SHORTEST_BLOCK);
            if let Some(seam) = seam.filter(|seam| best.is_none_or(|(known, _)| *seam >= known)) {
                best = Some((seam, start + at + c.len_utf8()));
            }
            if let Some((seam, end)) = best
                && (seam == Seam::Paragraph || chars >= LONGEST_BLOCK)
            {
                return Some(end);
            }
        }
        start += line.len();
    }
    None
}

/// A place where a block may end, best last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Seam {
    Word,
    Sentence,
    Line,
    Paragraph,
}

fn seam(line: &str, at: usize, c: char) -> Option<Seam> {
    let before = line.get(..at).unwrap_or_default();
    match c {
        '\n' if before.trim().is_empty() => Some(Seam::Paragraph),
        '\n' => Some(Seam::Line),
        c if c.is_whitespace() && before.ends_with(['.', '!', '?', ':']) => Some(Seam::Sentence),
        '。' | '！' | '？' => Some(Seam::Sentence),
        c if c.is_whitespace() => Some(Seam::Word),
        _ => None,
    }
}

/// The fence that is open behind a line: its sign and how often it stands there.
fn fence_after(line: &str, open: Option<(char, usize)>) -> Option<(char, usize)> {
    let line = line.trim();
    let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'));
    let run = sign.map_or(0, |sign| line.chars().take_while(|c| *c == sign).count());
    match (open, sign) {
        (Some((known, length)), Some(sign)) if sign == known && run >= length && run == line.len() => None,
        (Some(open), _) => Some(open),
        (None, Some(sign)) if run >= 3 => Some((sign, run)),
        (None, _) => None,
    }
}

/// Our own words in the middle of Markdown.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_may_be_half_a_secret_waits_for_its_end() {
        let check = |text: &str, expected: &str| assert_eq!(held(text), expected, "{text:?}");
        check("", "");
        check("no", "no");
        check("the key is sk-abcdefghij", "the key is ");
        check("the key is sk-abcdefghij ", "the key is sk-abcdefghij ");
        check("a word", "a word");
        check("wonderful", "");
        check("你好世界你好世界", "你好世界你好世界");
        check("see\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n", "see\n");
        let whole = "-----BEGIN X-----\nMIIE\n-----END X-----\n";
        check(whole, whole);
    }

    #[test]
    fn blocks_end_where_a_text_pauses() {
        let check = |text: &str, expected: usize| assert_eq!(blocks(text).len(), expected, "{text:.60}");
        let words = |count: usize| "word ".repeat(count / 5);
        check(&words(500), 0);
        check(&words(800), 800);
        check(&words(900), 800);
        check(&format!("{}\n\n{}", words(100), words(400)), 0);
        check(&format!("{}\n\n{}", words(300), words(400)), 302);
        check(&format!("{}\n{}", words(300), words(400)), 0);
        check(&format!("{}\n{}", words(300), words(600)), 301);
        check(&format!("{}end. {}", words(300), words(600)), 305);
        check(&format!("{}\n{}end. {}", words(300), words(300), words(600)), 301 + 305);
        check(&"x".repeat(2_000), 0);
    }

    #[test]
    fn a_fence_is_never_cut() {
        let code = "let x = 1;\n\n".repeat(200);
        let open = format!("Look:\n\n```rust\n{code}");
        assert_eq!(blocks(&open), "");
        let closed = format!("{open}```\n");
        assert_eq!(blocks(&format!("{closed}and more")), closed);
        let longer = format!("````\n```\n{code}````\n");
        assert_eq!(blocks(&format!("{longer}x")), longer);
    }

    #[test]
    fn our_own_words_are_no_markdown() {
        assert_eq!(escaped("🛠️ Exec: *a_b*"), "🛠️ Exec\\: \\*a\\_b\\*");
    }

    proptest! {
        #[test]
        fn what_is_shown_is_a_beginning_and_only_grows(text in "[a-z .\n`~]{0,3000}", cut in 0_usize..3_000) {
            prop_assert!(text.starts_with(held(&text)));
            let early = text.get(..cut.min(text.len())).unwrap_or_default();
            // The last line may yet become a fence's.
            let early = early.rsplit_once('\n').map_or("", |(lines, _)| lines);
            prop_assert!(blocks(&text).starts_with(blocks(early)), "{:?}", early);
        }
    }
}
