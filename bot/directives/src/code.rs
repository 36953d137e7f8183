//! Which parts of a text are quoted or shown and not said: fenced, indented and inline code and lines quoted with `>`,
//! by CommonMark's rules, and whatever the platform marks as such.
//!
//! Blocks are told apart line by line. Of lists only that is known which says where a fence may stand.

use std::ops::Range;

use crate::words::{between, count, from};

/// Byte ranges in which no directive is read, in order and without overlap.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Protected(Vec<Range<usize>>);

impl Protected {
    /// Finds what the text protects by itself, and adds what the platform marked.
    pub(crate) fn of(text: &str, marked: &[Range<usize>]) -> Self {
        let mut blocks =
            Blocks { text, found: Vec::new(), paragraph: None, fence: None, indented: true, item: 0 };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            blocks.line(at..at + line.len());
            at += line.len();
        }
        blocks.end();
        let mut found = blocks.found;
        found.extend(marked.iter().filter(|range| range.start < range.end).cloned());
        Self(merged(found))
    }

    /// Whether a part of the text reaches into something protected.
    pub(crate) fn touches(&self, part: Range<usize>) -> bool {
        let next = self.0.partition_point(|range| range.end <= part.start);
        self.0.get(next).is_some_and(|range| range.start < part.end)
    }
}

fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            Some(_) | None => merged.push(range),
        }
    }
    merged
}

/// A fence that has been opened.
struct Fence {
    start: usize,
    sign: u8,
    length: usize,
    /// In which column its list item begins; its end may be indented by as much.
    item: usize,
}

/// The walk over the lines.
struct Blocks<'a> {
    text: &'a str,
    found: Vec<Range<usize>>,
    /// Where the running lines of prose began.
    paragraph: Option<usize>,
    fence: Option<Fence>,
    /// Whether an indented line would be code here, and not the continuation of a paragraph.
    indented: bool,
    /// In which column the text of the current list item begins; 0 outside lists.
    item: usize,
}

impl Blocks<'_> {
    fn line(&mut self, at: Range<usize>) {
        let line = between(self.text, at.start, at.end);
        count(line.len());
        let content = line.trim();
        let indent = columns(line);
        if let Some(fence) = &self.fence {
            if closes(fence, content, indent) {
                self.found.push(fence.start..at.end);
                self.fence = None;
                self.indented = true;
            }
        } else if content.is_empty() {
            self.end_paragraph(at.start);
            self.indented = true;
        } else if self.indented && indent >= 4 {
            self.found.push(at);
        } else if content.starts_with('>') {
            self.end_paragraph(at.start);
            self.found.push(at);
            self.indented = false;
        } else {
            self.prose(at, line, indent);
        }
    }

    /// A line of prose, or one that opens a fence.
    fn prose(&mut self, at: Range<usize>, line: &str, indent: usize) {
        let fits = indent < self.item + 4;
        let content = line.trim_start();
        let item = if fits { after_markers(content) } else { content };
        let column = indent + content.len() - item.len();
        if column > indent {
            self.end_paragraph(at.start);
            self.item = column;
        } else if indent == 0 {
            self.item = 0;
        }
        let fence = fence(item).filter(|_| fits);
        self.indented = false;
        match fence {
            Some((sign, length)) => {
                self.end_paragraph(at.start);
                self.fence = Some(Fence { start: at.start, sign, length, item: self.item });
            }
            None => self.paragraph = self.paragraph.or(Some(at.start)),
        }
    }

    fn end(&mut self) {
        self.end_paragraph(self.text.len());
        if let Some(fence) = self.fence.take() {
            self.found.push(fence.start..self.text.len());
        }
    }

    fn end_paragraph(&mut self, end: usize) {
        if let Some(start) = self.paragraph.take() {
            inline(between(self.text, start, end), start, &mut self.found);
        }
    }
}

/// How far a line is indented, a tab reaching to the next multiple of four.
fn columns(line: &str) -> usize {
    let blanks = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blanks.fold(0, |column, byte| if byte == b'\t' { column / 4 * 4 + 4 } else { column + 1 })
}

/// What stands behind list markers, `- ` or `12. `.
fn after_markers(content: &str) -> &str {
    let mut rest = content;
    while let Some(item) = after_marker(rest) {
        rest = item;
    }
    rest
}

fn after_marker(content: &str) -> Option<&str> {
    let digits = content.bytes().take(9).take_while(u8::is_ascii_digit).count();
    let behind = if digits == 0 {
        content.strip_prefix(['-', '*', '+'])
    } else {
        from(content, digits).strip_prefix(['.', ')'])
    };
    let item = behind?.strip_prefix([' ', '\t'])?.trim_start_matches([' ', '\t']);
    count(content.len() - item.len());
    Some(item)
}

/// The sign and length of a fence that opens here.
fn fence(content: &str) -> Option<(u8, usize)> {
    let sign = content.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = content.bytes().take_while(|byte| *byte == sign).count();
    let info = from(content, length);
    // A backtick behind the fence makes the whole an inline span.
    (length >= 3 && (sign == b'~' || !info.contains('`'))).then_some((sign, length))
}

fn closes(fence: &Fence, content: &str, indent: usize) -> bool {
    content.len() >= fence.length
        && content.bytes().all(|byte| byte == fence.sign)
        && indent <= fence.item + 3
}

/// A run of backticks: where a span would begin with it, and where one would end.
struct Run {
    start: usize,
    end: usize,
    /// The next run of the length that it has as an opener.
    closer: Option<usize>,
}

/// Finds the code spans of a paragraph: from a run of backticks to the next run of the same length.
fn inline(paragraph: &str, offset: usize, found: &mut Vec<Range<usize>>) {
    let runs = with_closers(runs(paragraph));
    let mut next = 0;
    while let Some(run) = runs.get(next) {
        match run.closer.and_then(|closer| Some((closer, runs.get(closer)?))) {
            Some((closer, end)) => {
                found.push(offset + run.start..offset + end.end);
                next = closer + 1;
            }
            None => next += 1,
        }
    }
}

/// The runs from left to right. Each is as long as an opener as its `start` says: a backslash takes its first backtick
/// away, which does not hold for a closer, for inside code a backslash is only a backslash.
fn runs(paragraph: &str) -> Vec<(usize, Run)> {
    count(paragraph.len());
    let mut runs = Vec::new();
    let mut length = 0;
    let mut backslashes = 0;
    let mut escaped = false;
    for (at, byte) in paragraph.bytes().enumerate() {
        if byte == b'`' {
            if length == 0 {
                escaped = backslashes % 2 == 1;
            }
            length += 1;
        } else if length > 0 {
            runs.push((length, Run { start: at - length + usize::from(escaped), end: at, closer: None }));
            length = 0;
        }
        backslashes = if byte == b'\\' { backslashes + 1 } else { 0 };
    }
    if length > 0 {
        let end = paragraph.len();
        runs.push((length, Run { start: end - length + usize::from(escaped), end, closer: None }));
    }
    runs
}

/// Finds every run's closer in one pass from the right, with the nearest run of each length at hand.
fn with_closers(mut runs: Vec<(usize, Run)>) -> Vec<Run> {
    let longest = runs.iter().map(|(length, _)| *length).max().unwrap_or_default();
    let mut nearest: Vec<Option<usize>> = vec![None; longest + 1];
    for (place, (length, run)) in runs.iter_mut().enumerate().rev() {
        let as_opener = run.end - run.start;
        run.closer = nearest.get(as_opener).copied().flatten();
        if let Some(slot) = nearest.get_mut(*length) {
            *slot = Some(place);
        }
    }
    runs.into_iter().map(|(_, run)| run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The protected parts of a text, as text.
    fn shown(text: &str) -> Vec<&str> {
        Protected::of(text, &[]).0.into_iter().map(|range| between(text, range.start, range.end)).collect()
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(shown(text), expected, "{text:?}");
    }

    #[test]
    fn dir_19_inline_spans() {
        check("run `/think high` please", &["`/think high`"]);
        check("a ``b ` c`` d", &["``b ` c``"]);
        check("a `` b ` c", &[]);
        check("`a` b `c` d `e", &["`a`", "`c`"]);
        check("over `two\nlines` here", &["`two\nlines`"]);
        check("not `over\n\na gap`", &[]);
        check(r"a \`b` c`", &["` c`"]);
        check(r"a \``b` c", &["`b`"]);
        check(r"a \\`b` c", &["`b`"]);
        check(r"`a\` b", &[r"`a\`"]);
        check("- it` s\n- th`is", &[]);
    }

    #[test]
    fn dir_19_fences() {
        check("a\n```\n/think high\n```\nb", &["```\n/think high\n```\n"]);
        check("~~~ rust\nx\n~~~", &["~~~ rust\nx\n~~~"]);
        check("a\n```\nunclosed\n/think high", &["```\nunclosed\n/think high"]);
        check("````\n```\nx\n````\nb", &["````\n```\nx\n````\n"]);
        check("```\n~~~\nx\n```\nb", &["```\n~~~\nx\n```\n"]);
        check("```\r\nx\r\n```\r\nb", &["```\r\nx\r\n```\r\n"]);
        check("``` a ` b\nc", &[]);
        check("```a```\nb", &["```a```"]);
        check("``\nx\n``", &["``\nx\n``"]);
        check("```\n    ```\nb", &["```\n    ```\nb"]);
        check("- ```\n  /think high\n  ```\nb", &["- ```\n  /think high\n  ```\n"]);
        check("10. ```\n    x\n    ```\nb", &["10. ```\n    x\n    ```\n"]);
    }

    #[test]
    fn dir_19_indented_lines() {
        check("a\n\n    /think high\nb", &["    /think high\n"]);
        check("a\n\n\t/think high", &["\t/think high"]);
        check("a\n\n  \tx\n    y\n\n    z\nb", &["  \tx\n    y\n", "    z\n"]);
        check("    first", &["    first"]);
        check("a\n    goes on", &[]);
        check("a\n\n   three", &[]);
        check("```\nx\n```\n    y", &["```\nx\n```\n    y"]);
    }

    #[test]
    fn quoted_lines() {
        check("> /think high\nb", &["> /think high\n"]);
        check("a\n   >b\nc > d", &["   >b\n"]);
        check("> `a\nb` c", &["> `a\n"]);
    }

    #[test]
    fn platform_ranges_count_too_and_may_be_wrong() {
        let range = |start, end| Range { start, end };
        let protected = Protected::of("a `b` c", &[range(4, 6), range(90, 99), range(6, 3), range(0, 1)]);
        assert_eq!(protected.0, [0..1, 2..6, 90..99]);
        assert!(protected.touches(0..3));
        assert!(!protected.touches(1..2));
        assert!(protected.touches(5..6));
        assert!(!protected.touches(6..7));
    }

    /// What a well-known CommonMark parser takes for code in the text.
    fn by_commonmark(text: &str) -> Vec<Range<usize>> {
        use pulldown_cmark::{Event, Parser, Tag};
        Parser::new(text)
            .into_offset_iter()
            .filter(|(event, _)| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))))
            .map(|(_, range)| range)
            .collect()
    }

    proptest! {
        #[test]
        fn spans_are_those_of_commonmark(text in r"a[a`\\ ]{0,40}a") {
            let ours = Protected::of(&text, &[]).0;
            // Spans that touch are one range here.
            prop_assert_eq!(ours, merged(by_commonmark(&text)), "{:?}", text);
        }

        /// In any text without lists, quotations, links or HTML, what CommonMark takes for code is protected.
        #[test]
        fn nothing_that_commonmark_calls_code_is_missed(
            lines in proptest::collection::vec(
                "( {0,5}|\t)(```|~~~|~~~~|```x|`a`|a `b|a|)( *)", 1..9,
            ),
        ) {
            let text = lines.join("\n");
            let ours = Protected::of(&text, &[]);
            for range in by_commonmark(&text) {
                for at in range.clone() {
                    let blank = text.as_bytes()[at].is_ascii_whitespace();
                    prop_assert!(blank || ours.touches(at..at + 1), "{:?} {:?} {:?}", text, range, ours);
                }
            }
        }
    }
}
