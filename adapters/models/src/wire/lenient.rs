//! Fields read as the world writes them: what is not of the expected kind counts as absent, and never spoils the event
//! around it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A text; `null`, numbers, lists and objects are none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Text(pub(crate) Option<String>);

impl Text {
    /// The text, unless there is none or it is empty.
    pub(crate) fn some(self) -> Option<String> {
        self.0.filter(|text| !text.is_empty())
    }
}

/// A count; fractions are cut, and anything else is zero.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count(pub(crate) u64);

/// Any other kind of value, when it is well formed.
#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
pub(crate) enum Loose<T> {
    /// As expected.
    Known(T),
    /// Something else.
    Other(IgnoredAny),
}

impl<T: Default> Loose<T> {
    /// The value, or an empty one.
    pub(crate) fn known(self) -> T {
        match self {
            Self::Known(value) => value,
            Self::Other(_) => T::default(),
        }
    }
}

impl<T: Default> Default for Loose<T> {
    fn default() -> Self {
        Self::Known(T::default())
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reader).map(|scalar| match scalar {
            Scalar::Text(text) => Self(Some(text)),
            Scalar::Number(_) | Scalar::Other => Self(None),
        })
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reader).map(|scalar| match scalar {
            Scalar::Number(number) => Self(number),
            Scalar::Text(_) | Scalar::Other => Self(0),
        })
    }
}

enum Scalar {
    Text(String),
    Number(u64),
    Other,
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Scalar, E> {
        Ok(Scalar::Text(text))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Scalar, E> {
        Ok(Scalar::Number(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar::Number(u64::try_from(number).unwrap_or(0)))
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, as meant"
    )]
    fn visit_f64<E>(self, number: f64) -> Result<Scalar, E> {
        Ok(Scalar::Number(number as u64))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Scalar, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_comes_is_a_value() {
        let text = |json| serde_json::from_str::<Text>(json).unwrap().0;
        assert_eq!(text(r#""a\u00e4""#), Some("aä".to_owned()));
        for other in ["null", "5", "true", "[1, [2]]", r#"{"a": {"b": 1}}"#] {
            assert_eq!(text(other), None, "{other}");
        }
        let count = |json| serde_json::from_str::<Count>(json).unwrap().0;
        assert_eq!(count("7"), 7);
        assert_eq!(count("7.9"), 7);
        assert_eq!(count("1e3"), 1000);
        for other in ["-7", "-7.5", "null", r#""7""#, "[]", "{}"] {
            assert_eq!(count(other), 0, "{other}");
        }
        assert_eq!(serde_json::from_str::<Loose<Vec<u8>>>("[1]").unwrap().known(), [1]);
        assert_eq!(serde_json::from_str::<Loose<Vec<u8>>>("null").unwrap().known(), [0_u8; 0]);
    }
}
