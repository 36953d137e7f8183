//! Refusals of many servers, and what each comes down to.

mod anthropic;
mod dialects;

use super::*;
use FaultClass::{Again, AgainAfter, OursToMend, TellPerson};

fn check(status: Option<u16>, body: &str, class: FaultClass, words: &str) {
    let refusal = Refusal::read(status, body.as_bytes());
    assert_eq!(refusal.class(), class, "{status:?} {body}");
    assert!(refusal.person().contains(words), "{} / {words}", refusal.person());
}

#[test]
fn statuses() {
    check(Some(401), "", OursToMend, "key");
    check(Some(403), "<html>no</html>", OursToMend, "key");
    check(Some(402), "", OursToMend, "credit");
    check(Some(429), "", Again, "limiting");
    check(Some(408), "", Again, "trouble");
    check(Some(409), "", Again, "trouble");
    check(Some(500), "oops", Again, "trouble");
    check(Some(503), "<html>busy</html>", Again, "trouble");
    check(Some(529), "", Again, "trouble");
    check(Some(400), "{}", OursToMend, "log");
    check(Some(404), "<html>", OursToMend, "address");
    check(Some(308), "", OursToMend, "address");
    check(Some(413), "", TellPerson, "/new");
}

#[test]
fn med_02_a_picture_that_is_not_taken_is_told_to_the_person() {
    let check = |status, body| check(Some(status), body, TellPerson, "what you sent along");
    check(
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 8259148 bytes > 5242880 bytes"}}"#,
    );
    check(
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"Could not process image"}}"#,
    );
    check(
        400,
        r#"{"error":{"message":"You uploaded an unsupported image. Please make sure your image is valid.","type":"invalid_request_error","param":null,"code":"image_parse_error"}}"#,
    );
    check(
        400,
        r#"{"error":{"code":400,"message":"Unsupported MIME type: image/gif","status":"INVALID_ARGUMENT"}}"#,
    );
    check(404, r#"{"error":{"message":"No endpoints found that support image input","code":404}}"#);
    check(
        400,
        r#"{"error":{"message":"Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text`"}}"#,
    );
    check(500, r#"{"error":"this model is missing data required for image input"}"#);
    check(400, r#"{"error":{"message":"m is not a multimodal model","type":"BadRequestError"}}"#);
}

#[test]
fn bodies() {
    check(
        Some(429),
        r#"{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}"#,
        OursToMend,
        "credit",
    );
    check(Some(429), r#"{"error":{"code":"rate_limit_exceeded","message":"model busy"}}"#, Again, "limiting");
    check(
        Some(400),
        r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}"#,
        TellPerson,
        "/new",
    );
    check(Some(500), r#"{"error":"the request exceeds the available context size"}"#, TellPerson, "/new");
    check(Some(404), r#"{"error":{"code":"model_not_found","message":"no"}}"#, TellPerson, "/model");
    check(Some(404), r#"{"error":"model 'x' not found"}"#, TellPerson, "/model");
    check(Some(400), r#"{"error":{"code":"invalid_prompt","message":"no"}}"#, TellPerson, "content rules");
    check(
        Some(400),
        r#"{"error":{"param":"reasoning.effort","code":"unsupported_value","message":"no"}}"#,
        TellPerson,
        "thinking level",
    );
    check(None, r#"{"error":{"code":429,"message":"slow down"}}"#, Again, "limiting");
    check(None, r#"{"error":{"code":"server_error","message":"x"}}"#, Again, "trouble");
    check(None, r#"{"type":"error","code":"invalid_api_key","message":"x"}"#, OursToMend, "key");
    check(None, r#"[{"error":{"code":503}}]"#, Again, "trouble");
}

#[test]
fn errors_of_google() {
    let error = |code: u16, status: &str, message: &str, details: &str| {
        format!(
            r#"[{{"error":{{"code":{code},"message":{message:?},"status":"{status}","details":[{details}]}}}}]"#
        )
    };
    let quota = "You exceeded your current quota, please check your plan and billing details.";
    let per = |span: &str| {
        format!(
            r#"{{"violations":[{{"quotaId":"Requests{span}-FreeTier"}}]}},{{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}}"#
        )
    };
    let check = |code, status, message, details: &str, class, words| {
        check(Some(code), &error(code, status, message, details), class, words);
    };
    let pause = AgainAfter(Duration::from_secs(7));
    check(429, "RESOURCE_EXHAUSTED", quota, &per("PerMinute"), pause, "limiting");
    check(429, "RESOURCE_EXHAUSTED", quota, &per("PerDay"), OursToMend, "credit");
    check(
        429,
        "RESOURCE_EXHAUSTED",
        "Resource has been exhausted (e.g. check quota).",
        "",
        Again,
        "limiting",
    );
    let key = "API key not valid. Please pass a valid API key.";
    check(400, "INVALID_ARGUMENT", key, "", OursToMend, "key");
    check(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers.", "", OursToMend, "key");
    check(503, "UNAVAILABLE", "The model is overloaded.", "", Again, "trouble");
    let level = "You can only set only one of thinking budget and thinking level.";
    check(400, "INVALID_ARGUMENT", level, "", TellPerson, "thinking level");
    let off = "Budget 0 is invalid. This model only works in thinking mode.";
    check(400, "INVALID_ARGUMENT", off, "", TellPerson, "thinking level");
    let long = "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).";
    check(400, "INVALID_ARGUMENT", long, "", TellPerson, "/new");
    let model = "models/x is not found for API version v1beta, or is not supported for generateContent.";
    check(404, "NOT_FOUND", model, "", TellPerson, "/model");
    check(400, "INVALID_ARGUMENT", "Request contains an invalid argument.", "", OursToMend, "log");
}

#[test]
fn prov_09_google_misses_its_signatures() {
    for message in [
        "Function call is missing a thought_signature in functionCall parts.",
        "Unable to submit request because Thought signature is not valid.",
        "Corrupted thought signature.",
    ] {
        let body = format!(r#"{{"error":{{"code":400,"message":"{message}","status":"INVALID_ARGUMENT"}}}}"#);
        let refusal = Refusal::read(Some(400), body.as_bytes());
        assert!(refusal.blames_seals() && !refusal.blames_level(), "{message}");
    }
}

#[test]
fn errors_of_ollama() {
    let unpulled = r#"{"error":"model \"x\" not found, try pulling it first"}"#;
    check(Some(404), unpulled, TellPerson, "`ollama pull`");
    check(Some(404), r#"{"error":"model 'x' not found"}"#, TellPerson, "does not know this model");
    for body in [
        r#"{"error":"\"llama3.1:8b\" does not support thinking"}"#,
        r#"{"error":"think value \"medium\" is not supported for this model"}"#,
    ] {
        check(Some(400), body, TellPerson, "thinking level");
        assert!(Refusal::read(Some(400), body.as_bytes()).blames_field(), "{body}");
    }
    let busy = r#"{"error":"server busy, please try again.  maximum pending requests exceeded"}"#;
    check(Some(503), busy, Again, "trouble");
}

#[test]
fn prov_18_a_demand_for_reasoning_is_no_overflow() {
    let body = r#"{"error":{"message":"Reasoning is mandatory for this endpoint and cannot be disabled."}}"#;
    check(Some(400), body, TellPerson, "thinking level");
}

#[test]
fn a_pause_is_honoured_and_capped() {
    let refusal = Refusal::read(Some(429), b"").after(pause("7", Timestamp(0)));
    assert_eq!(refusal.class(), AgainAfter(Duration::from_secs(7)));
    let body = br#"{"error":{"details":[{"retryDelay":"7200s"}]}}"#;
    let refusal = Refusal::read(Some(429), body);
    assert_eq!(refusal.clone().after(None).class(), AgainAfter(LONGEST_PAUSE));
    let soon = refusal.after(pause("3", Timestamp(0)));
    assert_eq!(soon.class(), AgainAfter(Duration::from_secs(3)));
    let check = |header, expected: Option<u64>| {
        let now = Timestamp(784_111_777_000);
        assert_eq!(pause(header, now), expected.map(Duration::from_millis), "{header}");
    };
    check("0", Some(0));
    check(" 1.5 ", Some(1500));
    check("3601", Some(3_600_000));
    check("99999999999999999999", Some(3_600_000));
    check("inf", Some(3_600_000));
    check("Sun, 06 Nov 1994 08:49:47 GMT", Some(10_000));
    check("Sun, 06 Nov 1994 08:49:27 GMT", Some(0));
    check("-1", None);
    check("soon", None);
    check("NaN", None);
}

#[test]
fn the_log_has_the_body_but_no_key() {
    let body =
        r#"{"error":{"message":"Bad key sk-proj-abcdefghij and s3cret.\nBye","code":"invalid_api_key"}}"#;
    let refusal = Refusal::read(Some(401), body.as_bytes()).masked(&["s3cret"]);
    assert_eq!(refusal.to_string(), "answered 401 code=invalid_api_key: Bad key *** and ***. Bye");
    let long = Refusal::read(Some(500), "ä".repeat(5000).as_bytes()).to_string();
    assert!(long.ends_with('…') && long.chars().count() < 700);
    assert_eq!(mask("ask-me and sk-short", &[]), "ask-me and sk-short");
}
