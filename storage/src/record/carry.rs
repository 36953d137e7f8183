//! Keeps what another version of this program wrote and this one does not understand.

use serde_json::Value;

/// Puts into `new` whatever stands in `old` but not in `understood`, which is `old` as this program reads and writes it.
/// What `new` says itself stays.
pub(super) fn carry(old: &Value, understood: &Value, new: &mut Value) {
    let (Value::Object(old), Value::Object(understood), Value::Object(new)) = (old, understood, new) else {
        return;
    };
    for (name, was) in old {
        match (understood.get(name), new.get_mut(name)) {
            (Some(understood), Some(new)) => carry(was, understood, new),
            (None, None) => {
                new.insert(name.clone(), was.clone());
            }
            // Given up by this program, or newly set by it.
            (Some(_), None) | (None, Some(_)) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_understood_stays() {
        let check = |old: Value, understood: Value, new: Value, expected: Value| {
            let mut carried = new;
            carry(&old, &understood, &mut carried);
            assert_eq!(carried, expected);
        };
        // An unknown field stays, a field that was given up goes.
        check(json!({"a": 1, "x": 2}), json!({"a": 1}), json!({}), json!({"x": 2}));
        // An unknown word stays until the field is set again.
        check(json!({"think": "hyper"}), json!({}), json!({}), json!({"think": "hyper"}));
        check(json!({"think": "hyper"}), json!({}), json!({"think": "off"}), json!({"think": "off"}));
        // The same inside; what left a map takes its unknown fields along.
        check(
            json!({"who": {"a": {"x": 1}, "b": {"x": 2}}}),
            json!({"who": {"a": {}, "b": {}}}),
            json!({"who": {"a": {"y": 3}}}),
            json!({"who": {"a": {"y": 3, "x": 1}}}),
        );
        // A value that changed its type is ours now.
        check(json!({"a": {"x": 1}}), json!({"a": {}}), json!({"a": 5}), json!({"a": 5}));
    }
}
