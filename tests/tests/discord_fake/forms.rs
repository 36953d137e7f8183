//! Forms that Discord refuses, with the place where it says they are wrong, and what is remarked on though it would pass.

use serde_json::{Value, json};

use crate::Bench;

#[tokio::test]
async fn a_form_is_refused_at_the_place_where_it_is_wrong() {
    let bench = Bench::unlimited().await;
    let alice = bench.discord.person("Alice");
    let send = format!("POST /channels/{}/messages", alice.channel());
    let rows = |control: Value| json!({"content": "x", "components": [{"type": 1, "components": [control]}]});
    let long = |count: usize| "x".repeat(count);
    let cases = [
        (json!({"content": long(2_001)}), "/content", "BASE_TYPE_MAX_LENGTH"),
        (json!({"content": "x", "nonce": long(26)}), "/nonce", "BASE_TYPE_MAX_LENGTH"),
        (
            json!({"content": "x", "message_reference": {"message_id": "1"}}),
            "/message_reference",
            "REPLIES_UNKNOWN_MESSAGE",
        ),
        (
            rows(json!({"type": 2, "style": 1, "label": long(81), "custom_id": "a"})),
            "/components/0/components/0/label",
            "BASE_TYPE_MAX_LENGTH",
        ),
        (
            rows(json!({"type": 2, "style": 1, "label": "a", "custom_id": long(101)})),
            "/components/0/components/0/custom_id",
            "BASE_TYPE_MAX_LENGTH",
        ),
        (
            rows(json!({"type": 2, "style": 5, "label": "a"})),
            "/components/0/components/0/url",
            "BASE_TYPE_REQUIRED",
        ),
        (json!({"embeds": [{"title": long(257)}]}), "/embeds/0/title", "BASE_TYPE_MAX_LENGTH"),
        (
            json!({"embeds": [{"description": long(4_000)}, {"description": long(4_000)}]}),
            "/embeds",
            "MAX_EMBED_SIZE_EXCEEDED",
        ),
        (json!({"content": "x", "attachments": [{"id": 0}]}), "/attachments/0", "ATTACHMENT_NOT_FOUND"),
        (
            json!({"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}}),
            "/allowed_mentions",
            "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
        ),
    ];
    let count = cases.len();
    for (body, place, code) in cases {
        let answer = bench.call(&send, body).await;
        assert_eq!((answer.status, answer.code()), (400, 50035));
        let found = answer.body["errors"].pointer(place).map(|place| &place["_errors"][0]["code"]);
        assert_eq!(found, Some(&json!(code)), "{}", answer.body);
    }
    assert_eq!((bench.blamed().len(), alice.sees().len()), (count, 0), "each is a fault of the client's");
}

#[tokio::test]
async fn what_discord_passes_over_is_remarked_on() {
    let bench = Bench::unlimited().await;
    let alice = bench.discord.person("Alice");
    let send = format!("POST /channels/{}/messages", alice.channel());
    bench.done(&send, json!({"content": "x", "colour": 1, "flags": 64})).await;
    assert_eq!(bench.blamed(), ["unknown field colour", "only answers to interactions can be private"]);
    bench.discord.forget();
    let plain = reqwest::Client::new();
    let url = format!("{}/api/v10/users/@me", bench.discord.url());
    let me = plain.get(url).header("authorization", format!("Bot {}", bench.discord.token()));
    assert_eq!(me.send().await.unwrap().status(), 200);
    assert!(bench.blamed()[0].starts_with("User-Agent"), "{:?}", bench.blamed());
}

#[tokio::test]
async fn whatever_bytes_come_are_answered() {
    let bench = Bench::unlimited().await;
    let channel = bench.discord.person("Alice").channel();
    let long = "[".repeat(1 << 20);
    for kind in ["application/json", "multipart/form-data; boundary=x", "text/plain"] {
        for body in ["{", "[]", "null", "\u{0}", "--x\r\n\r\n", "{\"content\":\"\\ud800\"}", &long] {
            let sent = bench.request(&format!("POST /channels/{channel}/messages"));
            let sent = sent.header("content-type", kind).body(body.to_owned()).send();
            assert_eq!(sent.await.unwrap().status(), 400, "{kind} {body:.20}");
        }
    }
    for path in ["/channels/x/messages", "/channels/99999999999999999999999/messages", "/channels//messages"]
    {
        assert!(bench.call(&format!("GET {path}"), Value::Null).await.status >= 400);
    }
}
