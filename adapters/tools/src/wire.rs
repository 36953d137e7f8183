//! The arguments of a call as a model writes them: a JSON object that often almost fits.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::trouble::Trouble;

/// Reads a call's arguments; no arguments at all are an empty object.
pub(crate) fn arguments<T: DeserializeOwned>(text: &str) -> Result<T, Trouble> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    // A list would be taken for the fields in their order.
    if !text.trim_start().starts_with('{') {
        return Err(Trouble::Arguments("not an object".to_owned()));
    }
    serde_json::from_str(text).map_err(|fault| Trouble::Arguments(fault.to_string()))
}

/// A count that some models write as a string or with a point. Nothing where it is none.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Count {
    Whole(u64),
    Point(f64),
}

/// For `#[serde(default, deserialize_with)]`: a whole number, however it was written; absent and null are nothing.
pub(crate) fn count<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(Count),
        Text(String),
    }
    let whole = |point: f64| (point >= 0.0 && point.fract() == 0.0).then_some(point as u64);
    let found = match Option::<Written>::deserialize(from)? {
        None => return Ok(None),
        Some(Written::Number(Count::Whole(whole))) => Some(whole),
        Some(Written::Number(Count::Point(point))) => whole(point),
        Some(Written::Text(text)) => text.trim().parse().ok(),
    };
    found.map(Some).ok_or_else(|| serde::de::Error::custom("expected a whole number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, Deserialize, PartialEq)]
    struct Line {
        #[serde(default, deserialize_with = "count")]
        limit: Option<u64>,
    }

    #[test]
    fn counts_are_read_as_models_write_them() {
        let check = |text: &str, expected: Option<Option<u64>>| {
            assert_eq!(arguments::<Line>(text).ok().map(|line| line.limit), expected, "{text}");
        };
        check("", Some(None));
        check("{}", Some(None));
        check(r#"{"limit":null}"#, Some(None));
        check(r#"{"limit":5,"more":1}"#, Some(Some(5)));
        check(r#"{"limit":5.0}"#, Some(Some(5)));
        check(r#"{"limit":" 5 "}"#, Some(Some(5)));
        check(r#"{"limit":-5}"#, None);
        check(r#"{"limit":5.5}"#, None);
        check(r#"{"limit":"five"}"#, None);
        check(r#"{"limit":5"#, None);
        check("[]", None);
        check("null", None);
    }
}
