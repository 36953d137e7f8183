//! The file's text, parsed as JSON5, with the line of every value.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::ops::Range;
use std::path::Path;
use std::str::CharIndices;

use jsonc_parser::ast::{ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::fault::{ConfigFault, ConfigFaults, Position};
use crate::trail::{Step, Trail};

/// The most that a configuration may hold; what is longer is some other file.
pub(crate) const LONGEST: u64 = 1024 * 1024;

/// A parsed file.
pub(crate) struct Document<'a> {
    text: &'a str,
    line_starts: Vec<usize>,
    /// Of lists from which the checks left elements out: the indices of those that stayed.
    pub(crate) kept: BTreeMap<Trail, Vec<usize>>,
    /// The value of the whole file; nothing in an empty file.
    pub(crate) root: Option<Value<'a>>,
}

impl<'a> Document<'a> {
    /// Parses the text.
    ///
    /// # Errors
    /// It is no JSON5; the parser stops at the first place where that shows.
    pub(crate) fn parse(file: &Path, text: &'a str) -> Result<Self, ConfigFaults> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let strict = ParseOptions { allow_missing_commas: false, ..ParseOptions::default() };
        let lines = line_starts(text);
        if let Some(start) = unclosed_text(text) {
            let document = Self { text, line_starts: lines, kept: BTreeMap::new(), root: None };
            let message = "this text is not closed on its line; a quote is missing".to_owned();
            let position = Some(document.position(start));
            return Err(ConfigFaults::new(file, vec![ConfigFault { position, message }]));
        }
        match parse_to_ast(text, &CollectOptions::default(), &strict) {
            Ok(parsed) => Ok(Self { text, line_starts: lines, kept: BTreeMap::new(), root: parsed.value }),
            Err(error) => {
                let document = Self { text, line_starts: lines, kept: BTreeMap::new(), root: None };
                let position = document.position(error.range().start);
                let message = document.syntax_words(&error);
                Err(ConfigFaults::new(file, vec![ConfigFault { position: Some(position), message }]))
            }
        }
    }

    /// The place of a byte.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let column = self.text.get(start..offset).map_or(0, |before| before.chars().count());
        Position { line, column: column + 1 }
    }

    /// The place of the value at the end of a trail, or of the last thing on the way there.
    pub(crate) fn locate(&self, trail: &Trail) -> Option<Position> {
        let (value, _) = self.follow(trail)?;
        Some(self.position(value.start()))
    }

    /// Whether the file has a value at the end of a trail.
    pub(crate) fn holds(&self, trail: &Trail) -> bool {
        self.follow(trail).is_some_and(|(_, left)| left == 0)
    }

    /// The last value on the way of a trail, and how many steps are left there.
    fn follow(&self, trail: &Trail) -> Option<(&Value<'a>, usize)> {
        let mut value = self.root.as_ref()?;
        let steps = trail.steps();
        for (taken, step) in steps.iter().enumerate() {
            let next = match (value, step) {
                (Value::Object(object), Step::Key(key)) => object.get(key).map(|property| &property.value),
                (Value::Array(list), Step::Index(index)) => list.elements.get(*index),
                _ => None,
            };
            match next {
                Some(next) => value = next,
                None => return Some((value, steps.len() - taken)),
            }
        }
        Some((value, 0))
    }

    /// The trail as the file has it, for one that counts only the elements that the checks kept.
    pub(crate) fn original(&self, trail: &Trail) -> Trail {
        let mut original = Trail::default();
        for step in trail.steps() {
            original = match step {
                Step::Key(key) => original.key(key),
                Step::Index(index) => {
                    let kept = self.kept.get(&original).and_then(|kept| kept.get(*index));
                    original.index(kept.copied().unwrap_or(*index))
                }
            };
        }
        original
    }

    /// The place of a property's name.
    pub(crate) fn name_position(&self, property: &ObjectProp<'_>) -> Position {
        self.position(property.range.start)
    }

    fn syntax_words(&self, error: &ParseError) -> String {
        let found = self.found(error.range().start..error.range().end);
        match error.kind() {
            ParseErrorKind::ExpectedComma => "a comma is missing here".to_owned(),
            ParseErrorKind::ExpectedColonAfterObjectKey => format!("a colon is missing after the key{found}"),
            ParseErrorKind::UnexpectedWord => format!("a text needs quotes{found}"),
            ParseErrorKind::UnterminatedObject => "this { is never closed; a } is missing".to_owned(),
            ParseErrorKind::UnterminatedArray => "this [ is never closed; a ] is missing".to_owned(),
            ParseErrorKind::UnterminatedCommentBlock => {
                "this comment is never closed; a */ is missing".to_owned()
            }
            ParseErrorKind::NestingDepthExceeded => "this is nested too deep for a configuration".to_owned(),
            ParseErrorKind::MultipleRootJsonValues => {
                format!("nothing may follow the closing brace of the file{found}")
            }
            ParseErrorKind::ExpectedObjectValue => "a value is missing after the colon".to_owned(),
            ParseErrorKind::UnexpectedToken | ParseErrorKind::UnexpectedTokenInObject => {
                format!("this is not valid JSON5 here{found}")
            }
            other => format!("this is not valid JSON5: {}{found}", lower_first(&other.to_string())),
        }
    }

    /// What stands at a place, to be put behind a message.
    fn found(&self, range: Range<usize>) -> String {
        let text = self.text.get(range).unwrap_or_default();
        let text = text.lines().next().unwrap_or_default();
        if text.is_empty() { String::new() } else { format!(": {}", crate::fault::quoted(text)) }
    }
}

fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = bytes
        .iter()
        .enumerate()
        .filter(|(at, byte)| **byte == b'\n' || (**byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')));
    std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect()
}

/// Where a text begins that runs over the end of its line. The parser would go on to the next quote and blame what follows.
fn unclosed_text(text: &str) -> Option<usize> {
    let mut letters = text.char_indices().peekable();
    while let Some((start, letter)) = letters.next() {
        match (letter, letters.peek().map(|(_, next)| *next)) {
            ('/', Some('/')) => while letters.next_if(|(_, c)| *c != '\n' && *c != '\r').is_some() {},
            ('/', Some('*')) => {
                letters.next();
                let mut star = false;
                while let Some((_, c)) = letters.next().filter(|(_, c)| !(star && *c == '/')) {
                    star = c == '*';
                }
            }
            ('"' | '\'', _) if !closes(&mut letters, letter) => return Some(start),
            _ => {}
        }
    }
    None
}

/// Goes to the end of a text; whether it ends on its line, broken lines aside.
fn closes(letters: &mut Peekable<CharIndices<'_>>, quote: char) -> bool {
    while let Some((_, letter)) = letters.next() {
        match letter {
            '\\' => {
                let broken = letters.next();
                letters.next_if(|(_, c)| broken.is_some_and(|(_, c)| c == '\r') && *c == '\n');
            }
            '\n' | '\r' => return false,
            _ if letter == quote => return true,
            _ => {}
        }
    }
    false
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        Document::parse(Path::new("p"), text).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn a_syntax_fault_has_a_place_and_a_hint() {
        for (text, expected) in [
            ("{ a: 1 b: 2 }", "p:1:7: a comma is missing here"),
            ("{\n  a 1\n}", "p:2:5: a colon is missing after the key: \"1\""),
            ("{ a: on }", "p:1:6: a text needs quotes: \"on\""),
            ("{ a: { b: 1 }", "p:1:1: this { is never closed; a } is missing"),
            ("{ a: [1, 2 }", "p:1:12: this is not valid JSON5: unexpected close brace: \"}\""),
            ("{ a: [1, 2", "p:1:6: this [ is never closed; a ] is missing"),
            ("{} {}", "p:1:4: nothing may follow the closing brace of the file: \"{\""),
            ("/* a", "p:1:1: this comment is never closed; a */ is missing"),
            ("{ a: , }", "p:1:6: this is not valid JSON5: unexpected comma: \",\""),
            ("\u{feff}{ 'é': \"a\nb\" }", "p:1:8: this text is not closed on its line; a quote is missing"),
            ("{ a: 'x }", "p:1:6: this text is not closed on its line; a quote is missing"),
            (
                "{ a: 'x',\n b: \"y,\n c: \"z\" }",
                "p:2:5: this text is not closed on its line; a quote is missing",
            ),
        ] {
            assert_eq!(fault(text), expected, "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_a_fault_and_no_overflow() {
        for open in ["[", "{a:", "[{a:"] {
            assert!(fault(&open.repeat(100_000)).contains("nested too deep"), "{open}");
        }
    }

    #[test]
    fn all_of_json5_is_read() {
        let text = "// c\n{ 'a': +1, $b: .5, \"c\": 0xFF, d: 'it\\'s \\\n two \\\r\n', /* ' */ // \"\n e: [1,], f: Infinity, g: -.5e3, h: null, }";
        assert!(Document::parse(Path::new("p"), text).is_ok());
        assert!(Document::parse(Path::new("p"), "").is_ok_and(|document| document.root.is_none()));
    }

    #[test]
    fn a_trail_leads_to_a_line() {
        let document =
            Document::parse(Path::new("p"), "{\r\n  a: [\r\n    1,\r    { ü: 'x', b: 2 } ] }").unwrap();
        let at = |trail: Trail| document.locate(&trail).map(|place| (place.line, place.column));
        let list = Trail::of(&["a"]);
        assert_eq!(at(list.clone()), Some((2, 6)));
        assert_eq!(at(list.index(0)), Some((3, 5)));
        assert_eq!(at(list.index(1).key("b")), Some((4, 18)));
        assert_eq!(at(list.index(1).key("nothing").key("there")), Some((4, 5)));
    }
}
