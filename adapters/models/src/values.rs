//! JSON values out of bytes: chunks in, whole objects out, in time linear in the bytes whatever the chunks are. Objects
//! may stand on lines of their own, one behind another, or in an array.

use memchr::memchr2;

use crate::trouble::Trouble;

/// The longest value; a document holds a whole answer.
const LONGEST: usize = 16 << 20;

/// Reads one body.
#[derive(Debug, Default)]
pub(crate) struct Values {
    buffer: Vec<u8>,
    /// Where the object begins that is being read, or where the search for one goes on.
    start: usize,
    /// Up to where that was searched for its end.
    searched: usize,
    /// Brackets that are open, from the object's own on.
    depth: usize,
    place: Place,
}

/// Where in an object the search stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Plain,
    Text,
    /// In a text, behind a backslash.
    Escape,
}

impl Values {
    /// Takes the next bytes.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Result<(), Trouble> {
        if self.start > self.buffer.len() / 2 {
            self.buffer.drain(..self.start);
            self.searched -= self.start;
            self.start = 0;
        }
        self.buffer.extend_from_slice(chunk);
        if self.buffer.len() - self.start > LONGEST {
            return Err(Trouble::Broken("a document without end".to_owned()));
        }
        Ok(())
    }

    /// The next whole object.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, Trouble> {
        if self.depth == 0 && !self.begin()? {
            return Ok(None);
        }
        while let Some(byte) = self.step() {
            match byte {
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth -= 1,
                _ => {}
            }
            if self.depth == 0 {
                let start = std::mem::replace(&mut self.start, self.searched);
                return Ok(self.buffer.get(start..self.searched));
            }
        }
        Ok(None)
    }

    /// Goes to the beginning of an object; what may stand between two is passed over.
    fn begin(&mut self) -> Result<bool, Trouble> {
        let is_between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'[' | b']');
        loop {
            let rest = self.buffer.get(self.start..).unwrap_or_default();
            self.start += rest.iter().position(|byte| !is_between(byte)).unwrap_or(rest.len());
            self.searched = self.start;
            match self.buffer.get(self.start..).unwrap_or_default() {
                [] => return Ok(false),
                [b'{', ..] => return Ok(true),
                // Some servers send it where others send nothing at all.
                [b'n', b'u', b'l', b'l', ..] => self.start += 4,
                short if b"null".starts_with(short) => return Ok(false),
                [_, ..] => return Err(Trouble::Broken("something that is no JSON object".to_owned())),
            }
        }
    }

    /// Goes behind the next byte that is not part of a text.
    fn step(&mut self) -> Option<u8> {
        loop {
            let rest = self.buffer.get(self.searched..)?;
            let first = *rest.first()?;
            match self.place {
                Place::Plain => {
                    self.searched += 1;
                    if first != b'"' {
                        return Some(first);
                    }
                    self.place = Place::Text;
                }
                Place::Text => match memchr2(b'"', b'\\', rest) {
                    Some(at) => {
                        self.searched += at + 1;
                        let is_end = rest.get(at) == Some(&b'"');
                        self.place = if is_end { Place::Plain } else { Place::Escape };
                    }
                    None => self.searched = self.buffer.len(),
                },
                Place::Escape => {
                    self.searched += 1;
                    self.place = Place::Text;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<String>, String> {
        let (mut values, mut out) = (Values::default(), Vec::new());
        for chunk in chunks {
            values.push(chunk).unwrap();
            while let Some(value) = values.next().map_err(|trouble| trouble.to_string())? {
                out.push(String::from_utf8_lossy(value).into_owned());
            }
        }
        Ok(out)
    }

    fn check(body: &str, expected: &[&str]) {
        assert_eq!(read([body.as_bytes()]).unwrap(), expected, "{body:?}");
        assert_eq!(read(body.as_bytes().chunks(1)).unwrap(), expected, "{body:?} byte by byte");
    }

    #[test]
    fn bodies() {
        check("{\"a\":1}\n{\"b\":2}\r\n", &["{\"a\":1}", "{\"b\":2}"]);
        check("{\"a\":1}{\"b\":2}", &["{\"a\":1}", "{\"b\":2}"]);
        check("[{\"a\":[{}]}\n,\n{\"b\":2}\n]\n", &["{\"a\":[{}]}", "{\"b\":2}"]);
        check(" \n{\n  \"a\": {\n    \"b\": [1, 2]\n  }\n}", &["{\n  \"a\": {\n    \"b\": [1, 2]\n  }\n}"]);
        check(r#"{"a":"}{\"]\\"}{"b":"\\\""}"#, &[r#"{"a":"}{\"]\\"}"#, r#"{"b":"\\\""}"#]);
        check("{}", &["{}"]);
        check("{\"a\":{}", &[]);
        check("{\"a\":\"}", &[]);
        check("[]\n", &[]);
        check("null\n{\"a\":1}\nnull\n", &["{\"a\":1}"]);
        check(&"null".repeat(100_000), &[]);
        check("", &[]);
    }

    #[test]
    fn what_is_no_object_is_broken() {
        for body in ["{}<html>", "1", "[\"a\"]", "data: {}"] {
            assert_eq!(
                read([body.as_bytes()]).unwrap_err(),
                "broken answer: something that is no JSON object",
                "{body}"
            );
        }
    }

    #[test]
    fn an_endless_value_is_refused() {
        let mut values = Values::default();
        values.push(b"{\"a\":\"").unwrap();
        let chunk = vec![b'a'; 1 << 20];
        let refused = (0..20).any(|_| {
            let full = values.push(&chunk).is_err();
            assert_eq!(values.next().unwrap(), None);
            full
        });
        assert!(refused);
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_values(
            parts in proptest::collection::vec(
                prop_oneof![
                    Just("{}"), Just("{\"a\":"), Just("\"\\\"}"), Just("\""), Just("}"), Just("]"), Just("["), Just("\n"),
                    Just("ä"), Just("\\"), Just(","),
                ],
                0..30,
            ),
            sizes in proptest::collection::vec(1..9_usize, 1..20),
        ) {
            let body = parts.concat();
            let whole = read([body.as_bytes()]);
            let mut chunks = Vec::new();
            let mut rest = body.as_bytes();
            for size in sizes.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (chunk, after) = rest.split_at((*size).min(rest.len()));
                chunks.push(chunk);
                rest = after;
            }
            prop_assert_eq!(read(chunks), whole);
        }

        #[test]
        fn lines_of_json_come_out_as_they_went_in(texts in proptest::collection::vec(".*", 0..8), size in 1..9_usize) {
            let lines: Vec<String> = texts.iter().map(|text| serde_json::json!({"t": text}).to_string()).collect();
            prop_assert_eq!(read(lines.join("\n").as_bytes().chunks(size)).unwrap(), lines);
        }
    }
}
