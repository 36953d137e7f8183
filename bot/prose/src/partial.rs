//! Markdown that breaks off anywhere, while it is written: what is open is closed, so that a half-written word is bold at
//! once and no bare mark flashes. Only the last paragraph matters, as no style reaches over an empty line.

use std::borrow::Cow;

/// `markdown` as if its writer had come to an end.
#[must_use]
pub fn closed(markdown: &str) -> Cow<'_, str> {
    if let Some(fence) = open_fence(markdown) {
        let gap = if markdown.ends_with('\n') { "" } else { "\n" };
        return Cow::Owned(format!("{markdown}{gap}{fence}"));
    }
    let start = markdown.rfind("\n\n").map_or(0, |at| at + 2);
    let Some(tail) = markdown.get(start..) else { return Cow::Borrowed(markdown) };
    let mut scan = Scan { text: tail, at: 0, open: Vec::new() };
    while scan.step().is_some() {}
    let mut keep = markdown.len();
    let mut close = String::new();
    while let Some(Open { mark, at }) = scan.open.pop() {
        let inside = markdown.get(start + at + mark.len()..keep).unwrap_or_default();
        if inside.trim().is_empty() {
            // It has just begun.
            keep = start + at;
            close.clear();
        } else {
            close.push_str(mark);
        }
    }
    if keep == markdown.len() && close.is_empty() {
        return Cow::Borrowed(markdown);
    }
    let kept = markdown.get(..keep).unwrap_or(markdown);
    let (text, space) = kept.split_at(kept.trim_end().len());
    Cow::Owned(format!("{text}{close}{space}"))
}

/// The fence that ends the block of code in which `markdown` breaks off.
#[must_use]
pub fn open_fence(markdown: &str) -> Option<&str> {
    let mut open: Option<&str> = None;
    for line in markdown.lines() {
        let line = line.trim_start_matches([' ', '\t', '>']);
        let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'));
        let Some(sign) = sign else { continue };
        let (fence, rest) = line.split_at(line.len() - line.trim_start_matches(sign).len());
        match open {
            Some(opener) if fence.starts_with(opener) && rest.trim().is_empty() => open = None,
            None if fence.len() >= 3 && !(sign == '`' && rest.contains('`')) => open = Some(fence),
            Some(_) | None => {}
        }
    }
    open
}

/// The last lines of `text` that have at most `most` bytes, or of one that is longer, its end.
#[must_use]
pub fn end(text: &str, most: usize) -> &str {
    let Some(cut) = text.len().checked_sub(most).filter(|cut| *cut > 0) else { return text };
    let cut = (cut..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let tail = text.get(cut..).unwrap_or_default();
    tail.find('\n').and_then(|at| tail.get(at + 1..)).filter(|lines| !lines.is_empty()).unwrap_or(tail)
}

struct Open {
    mark: &'static str,
    at: usize,
}

/// A walk over one paragraph.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    open: Vec<Open>,
}

impl Scan<'_> {
    /// The marks that have to be closed, longer ones first.
    const MARKS: [&'static str; 6] = ["**", "__", "~~", "`", "*", "_"];

    fn step(&mut self) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        let next = rest.chars().next()?;
        let in_code = self.open.last().is_some_and(|open| open.mark == "`");
        if next == '\\' && !in_code {
            self.at += 1 + rest.chars().nth(1).map_or(0, char::len_utf8);
            return Some(());
        }
        let mark = Self::MARKS.into_iter().find(|mark| rest.starts_with(mark));
        match mark.filter(|mark| !in_code || *mark == "`") {
            Some(mark) => self.meet(mark, rest),
            None => self.at += next.len_utf8(),
        }
        Some(())
    }

    fn meet(&mut self, mark: &'static str, rest: &str) {
        let before = self.text.get(..self.at).and_then(|before| before.chars().next_back());
        let after = rest.get(mark.len()..).and_then(|after| after.chars().next());
        let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let inner = mark.starts_with('_') && word(before) && word(after);
        let known = self.open.iter().rposition(|open| open.mark == mark);
        match known {
            Some(index) if (mark == "`" || !blank(before)) && !inner => self.open.truncate(index),
            // A bullet, a product, an underscore in a name: no style begins there.
            None if mark != "`" && (after.is_some_and(char::is_whitespace) || inner) => {}
            None if mark.starts_with('_') && word(before) => {}
            None => self.open.push(Open { mark, at: self.at }),
            Some(_) => {}
        }
        self.at += mark.len();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fmt_05_what_breaks_off_is_closed() {
        let check = |partial: &str, expected: &str| assert_eq!(closed(partial), expected, "{partial:?}");
        check("plain", "plain");
        check("", "");
        check("1. Fix (v1.2.3)! - faster", "1. Fix (v1.2.3)! - faster");
        check("a **bo", "a **bo**");
        check("a **bo ", "a **bo** ");
        check("a **", "a ");
        check("a *it", "a *it*");
        check("a `co", "a `co`");
        check("a `c*d", "a `c*d`");
        check("**b *i", "**b *i***");
        check("**b `c", "**b `c`**");
        check("~~s", "~~s~~");
        check("* item\n* it", "* item\n* it");
        check("3 * 4 = 12", "3 * 4 = 12");
        check("snake_case_name", "snake_case_name");
        check("\\*no", "\\*no");
        check("**a** b", "**a** b");
        check("**a\n\nb", "**a\n\nb");
        check("```rust\nlet a", "```rust\nlet a\n```");
        check("```rust\nlet a\n", "```rust\nlet a\n```");
        check("```\na\n```\n**b", "```\na\n```\n**b**");
        check("~~~~\n```\nx", "~~~~\n```\nx\n~~~~");
    }

    proptest! {
        #[test]
        fn fmt_05_nothing_is_lost_but_marks(text in "[a-c*_`~ \n\\\\]{0,40}") {
            let closed = closed(&text);
            let letters = |text: &str| text.chars().filter(char::is_ascii_alphabetic).collect::<String>();
            prop_assert_eq!(letters(&closed), letters(&text));
        }
    }
}
