//! How much one answer may have kept beside its words. Those the reader counts; seals and tool calls are held until they are
//! whole, then kept and sent back, so that without a bound a provider could fill the memory without saying a word.

use serde_json::{Map, Value};

use crate::trouble::Trouble;

/// The most that one answer may bring: several times the seals of the longest thought, and no memory to speak of.
const MOST: usize = 16 << 20;

/// What each seal and each call counts beside its bytes, so that there are no more than 2,048: a new one is looked for
/// among all that came before.
pub(crate) const EACH: usize = 8 << 10;

/// What was kept so far.
#[derive(Debug, Default)]
pub(crate) struct Kept(usize);

impl Kept {
    /// Counts so many bytes.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.0 = self.0.saturating_add(bytes);
    }

    /// # Errors
    /// It is more than any answer needs.
    pub(crate) fn within_bounds(&self) -> Result<(), Trouble> {
        if self.0 > MOST {
            return Err(Trouble::Broken("seals and calls without end".to_owned()));
        }
        Ok(())
    }
}

/// The bytes of an object, about.
pub(crate) fn weight(fields: &Map<String, Value>) -> usize {
    fields.iter().map(|(key, value)| key.len() + size(value)).sum()
}

fn size(value: &Value) -> usize {
    let own = size_of::<Value>();
    own + match value {
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(fields) => weight(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn there_is_a_bound() {
        let mut kept = Kept::default();
        kept.add(MOST);
        assert!(kept.within_bounds().is_ok());
        kept.add(1);
        assert!(kept.within_bounds().is_err());
        kept.add(usize::MAX);
        assert!(kept.within_bounds().is_err());
    }

    #[test]
    fn what_is_deep_counts() {
        let fields = |value: Value| Map::from_iter([("a".to_owned(), value)]);
        assert!(weight(&fields(json!([[{ "b": "x".repeat(1000) }]]))) > 1000);
        assert!(weight(&fields(json!([0, 0, 0, 0]))) > 4);
        assert_eq!(weight(&Map::new()), 0);
    }
}
