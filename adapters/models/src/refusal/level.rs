//! What a refusal says of the thinking level, and of reasoning in the history, which is something else.

const SIGNS: &[&str] = &["reasoning", "thinking", "effort", "budget_tokens"];

/// Words that lead to a list of what would have been taken.
const LEADS: &[&str] = &[
    "supported values are",
    "must be one of",
    "should be one of",
    "expected one of",
    "allowed values",
    "valid values",
    "input should be",
    "supported levels",
];

const EFFORTS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max", "default"];

/// What may stand between two words of such a list.
const BETWEEN: &[&str] = &["", "and", "or"];

/// Whether a message, in lower case, speaks of how hard a model thinks.
pub(super) fn is_named(message: &str) -> bool {
    let words = message.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '/'));
    let mut words = words.filter(|word| !is_model(word));
    message.contains("think value") || words.any(|word| SIGNS.iter().any(|sign| word.contains(sign)))
}

/// Many models have "thinking" or "reasoning" in their names, and are named whatever is wrong.
fn is_model(word: &str) -> bool {
    word.contains(['-', '/']) && !SIGNS.iter().any(|sign| word.starts_with(sign))
}

/// The efforts that a message, in lower case, names as good ones. The refused one may stand around them.
pub(super) fn alternatives(message: &str) -> Vec<String> {
    let list = LEADS.iter().find_map(|lead| message.split_once(lead)).map(|(_, list)| list);
    let sentence = list.and_then(|list| list.split(['.', ';', '\n']).next()).unwrap_or_default();
    let words = sentence.split(|c: char| !c.is_ascii_alphanumeric());
    let from_first = words.skip_while(|word| !EFFORTS.contains(word));
    let list = from_first.take_while(|word| EFFORTS.contains(word) || BETWEEN.contains(word));
    list.filter(|word| EFFORTS.contains(word)).map(str::to_owned).collect()
}

/// Whether a provider that never took reasoning back found some in the history: it names the field of a message.
pub(super) fn is_unwanted_in_history(message: &str) -> bool {
    const FIELDS: &[&str] = &["reasoning_content", "'reasoning'", "\"reasoning\"", ".reasoning:"];
    const WORDS: &[&str] = &["unsupported", "not supported", "not permitted", "unknown", "unrecognized"];
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| message.contains(phrase));
    message.contains("messages") && says(FIELDS) && says(WORDS)
}

/// Whether a provider misses the reasoning of an earlier turn, which it wants back.
pub(super) fn is_missing_in_history(message: &str) -> bool {
    message.contains("reasoning_content") && (message.contains("missing") || message.contains("passed back"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_words_are_those_of_the_list() {
        let check = |message: &str, expected: &str| {
            assert_eq!(alternatives(&message.to_ascii_lowercase()).join(" "), expected, "{message}");
        };
        check(
            "Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model. Supported values are: 'low', 'medium', and 'high'.",
            "low medium high",
        );
        check("Supported values are: 'low' and 'high'. 'xhigh' is not one of them.", "low high");
        check("reasoning_effort must be one of [low, high], got xhigh", "low high");
        check("expected one of `low`, `medium`, `high` at line 1, found `max`", "low medium high");
        check("`reasoning_effort` must be one of `none` or `default`", "none default");
        check("Input should be 'low', 'medium' or 'high', input_value='xhigh'", "low medium high");
        check(
            r#"[{"msg":"Input should be 'low' or 'high'","input":"xhigh","ctx":{"expected":"'low' or 'high'"}}]"#,
            "low high",
        );
        check("Supported levels for this model are: low|high", "low high");
        check("Allowed values\n- low", "");
        check("'xhigh' is not supported", "");
        check("must be one of the others", "");
    }

    #[test]
    fn a_model_is_not_its_level() {
        let check = |message: &str, expected| assert_eq!(is_named(message), expected, "{message}");
        check("model grok-4-fast-reasoning does not support parameter presencepenalty.", false);
        check("model grok-4-fast-reasoning does not support parameter reasoningeffort.", true);
        check("kimi-k2-thinking: only temperature 1 is allowed", false);
        check("moonshotai/kimi-k2-thinking: bad", false);
        check("reasoning-effort is unknown", true);
        check("thinking.type: field required", true);
        check("invalid value 'thinking'", true);
        check("think value \"medium\" is not supported", true);
        check("output_config.effort: not for this model", true);
        check("request contains an invalid argument", false);
    }
}
