//! Stored settings: canonical words. An absent field inherits; `off` is a word like any other.

use pensive_directives::{
    Elevated, Fast, Level, Overrides, Queue, QueueMode, Reasoning, Trace, Usage, Verbose,
};
use serde::{Deserialize, Serialize};

use super::lenient;

/// See [`Overrides`].
#[derive(Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OverridesRecord {
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    think: Option<String>,
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    fast: Option<String>,
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    verbose: Option<String>,
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    trace: Option<String>,
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    reasoning: Option<String>,
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    elevated: Option<String>,
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    queue: Option<QueueRecord>,
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    usage: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct QueueRecord {
    mode: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    debounce_ms: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cap: Option<u16>,
}

/// A setting whose values have canonical words.
trait Words: Copy + 'static {
    const ALL: &'static [Self];
    fn word(self) -> &'static str;
}

macro_rules! words {
    ($($family:ty),+) => {$(
        impl Words for $family {
            const ALL: &'static [Self] = <$family>::ALL;
            fn word(self) -> &'static str {
                self.name()
            }
        }
    )+};
}

words!(Level, Fast, Verbose, Trace, Reasoning, Elevated, QueueMode, Usage);

/// Only canonical words are ever stored, so aliases are not looked up.
fn value<T: Words>(word: Option<String>) -> Option<T> {
    word.and_then(|word| T::ALL.iter().copied().find(|value| value.word() == word))
}

fn word<T: Words>(value: Option<T>) -> Option<String> {
    value.map(|value| value.word().to_owned())
}

impl From<&Overrides> for OverridesRecord {
    fn from(overrides: &Overrides) -> Self {
        Self {
            think: word(overrides.think),
            fast: word(overrides.fast),
            verbose: word(overrides.verbose),
            trace: word(overrides.trace),
            reasoning: word(overrides.reasoning),
            elevated: word(overrides.elevated),
            model: overrides.model.clone(),
            queue: overrides.queue.map(|queue| QueueRecord {
                mode: queue.mode.word().to_owned(),
                debounce_ms: queue.debounce_ms,
                cap: queue.cap,
            }),
            usage: word(overrides.usage),
        }
    }
}

impl From<OverridesRecord> for Overrides {
    fn from(record: OverridesRecord) -> Self {
        Self {
            think: value(record.think),
            fast: value(record.fast),
            verbose: value(record.verbose),
            trace: value(record.trace),
            reasoning: value(record.reasoning),
            elevated: value(record.elevated),
            model: record.model,
            queue: record.queue.and_then(|queue| {
                let mode = value(Some(queue.mode))?;
                Some(Queue { mode, debounce_ms: queue.debounce_ms, cap: queue.cap })
            }),
            usage: value(record.usage),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn stored(overrides: &Overrides) -> Value {
        serde_json::to_value(OverridesRecord::from(overrides)).unwrap()
    }

    fn read(value: Value) -> Overrides {
        serde_json::from_value::<OverridesRecord>(value).unwrap().into()
    }

    #[test]
    fn dir_06_off_is_stored_and_absence_inherits() {
        let off = Overrides { think: Some(Level::Off), ..Overrides::default() };
        assert_eq!(stored(&off), json!({"think": "off"}));
        assert_eq!(stored(&Overrides::default()), json!({}));
        assert_eq!(read(json!({"think": "off"})), off);
        assert_eq!(read(json!({})), Overrides::default());
    }

    #[test]
    fn every_value_of_every_family_reads_back() {
        fn check<T: Words>(set: impl Fn(T) -> Overrides) {
            for value in T::ALL {
                let overrides = set(*value);
                assert_eq!(read(stored(&overrides)), overrides);
            }
        }
        let none = Overrides::default();
        check(|value| Overrides { think: Some(value), ..none.clone() });
        check(|value| Overrides { fast: Some(value), ..none.clone() });
        check(|value| Overrides { verbose: Some(value), ..none.clone() });
        check(|value| Overrides { trace: Some(value), ..none.clone() });
        check(|value| Overrides { reasoning: Some(value), ..none.clone() });
        check(|value| Overrides { elevated: Some(value), ..none.clone() });
        check(|value| Overrides { usage: Some(value), ..none.clone() });
        check(|mode| Overrides {
            queue: Some(Queue { mode, debounce_ms: Some(2000), cap: Some(10) }),
            ..none.clone()
        });
        let picked = Overrides { model: Some("prov/model".into()), ..none.clone() };
        assert_eq!(read(stored(&picked)), picked);
    }

    #[test]
    fn words_and_types_of_another_version_count_as_absent() {
        for strange in [json!("hyper"), json!({"level": "high"}), json!(7), json!(null)] {
            assert_eq!(read(json!({"think": strange, "queue": strange})), Overrides::default());
        }
    }
}
