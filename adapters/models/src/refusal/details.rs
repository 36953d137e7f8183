//! What Google tells beside its message: when to come back, and which quota is used up.

use std::time::Duration;

use serde_json::Value;

/// The details of an error.
pub(super) struct Details<'a>(&'a [Value]);

impl<'a> Details<'a> {
    /// Those of an error object; none elsewhere.
    pub(super) fn of(error: &'a Value) -> Self {
        Self(error.get("details").and_then(Value::as_array).map_or(&[], Vec::as_slice))
    }

    /// The pause that it asks for: `"retryDelay": "7.5s"`.
    pub(super) fn pause(&self) -> Option<Duration> {
        let delay = self.0.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
        let seconds = delay.strip_suffix('s')?.parse().ok()?;
        Duration::try_from_secs_f64(seconds).ok()
    }

    /// The quota of a whole day that is used up, by its name. Its message is that of any other, and so may be its pause.
    pub(super) fn daily_quota(&self) -> Option<&'a str> {
        let violations = self.0.iter().filter_map(|detail| detail.get("violations")?.as_array()).flatten();
        let mut quotas = violations.filter_map(|violation| violation.get("quotaId")?.as_str());
        quotas.find(|quota| quota.contains("PerDay"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pauses() {
        let check = |delay: Value, expected: Option<u64>| {
            let error = json!({"details": [{"@type": "Help"}, {"retryDelay": delay}]});
            assert_eq!(Details::of(&error).pause(), expected.map(Duration::from_millis), "{delay}");
        };
        check(json!("7s"), Some(7000));
        check(json!("45.5s"), Some(45_500));
        check(json!("-1s"), None);
        check(json!("7"), None);
        check(json!(7), None);
        assert_eq!(Details::of(&json!({"details": "no"})).pause(), None);
        assert_eq!(Details::of(&json!("no")).pause(), None);
    }
}
