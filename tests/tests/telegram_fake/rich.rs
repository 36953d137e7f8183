//! Rich messages as they are sent, edited and read.

use serde_json::{Value, json};

use crate::Bench;

#[tokio::test]
async fn a_rich_message_stands_as_blocks_and_reads_as_text() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let send = |markdown: &str| json!({"chat_id": alice.id(), "rich_message": {"markdown": markdown}});
    let sent = bench.call("sendRichMessage", send("## Sum\n\n|a|b|\n|-|-|\n|1|2|\n\n- [x] done")).await;
    let kinds: Vec<_> =
        sent["rich_message"]["blocks"].as_array().unwrap().iter().map(|b| &b["type"]).collect();
    assert_eq!(kinds, ["heading", "table", "list"]);
    assert_eq!(sent.get("text"), None);
    assert_eq!(alice.sees()[0].text, "Sum\na | b\n1 | 2\n☑ done");

    let edit = |content: Value| {
        let mut edit = json!({"chat_id": alice.id(), "message_id": sent["message_id"]});
        edit.as_object_mut().unwrap().extend(content.as_object().unwrap().clone());
        edit
    };
    let same = edit(send("## Sum\n\n|a|b|\n|-|-|\n|1|2|\n\n- [x] done"));
    assert!(bench.refused("editMessageText", same).await.contains("message is not modified"));
    let plain = bench.call("editMessageText", edit(json!({"text": "plain"}))).await;
    assert_eq!((&plain["text"], plain.get("rich_message")), (&json!("plain"), None));
    bench.call("editMessageText", edit(send("**rich**"))).await;
    assert_eq!(alice.sees()[0].text, "rich");
    assert_eq!(bench.telegram.violations(), []);
    let both = edit(json!({"text": "a", "rich_message": {"markdown": "a"}}));
    assert!(bench.refused("editMessageText", both).await.contains("simultaneously"));
}

#[tokio::test]
async fn a_wrong_rich_message_is_refused_and_remarked_on() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let check = async |rich: Value, expected: &str| {
        bench.telegram.forget();
        let body = json!({"chat_id": alice.id(), "rich_message": rich});
        let refused = bench.refused("sendRichMessage", body).await;
        assert!(refused.contains(expected), "{rich}: {refused}");
        assert_eq!(bench.telegram.violations().len(), 1, "{rich}");
    };
    check(json!({"markdown": ""}), "RICH_MESSAGE_MARKDOWN_INVALID").await;
    check(json!({"markdown": "a", "html": "a"}), "exactly one of").await;
    check(json!({"markdown": "\u{a0}\n"}), "RICH_MESSAGE_EMPTY").await;
    check(json!({"markdown": "x".repeat(32_769)}), "RICH_MESSAGE_TOO_LONG").await;
    check(json!({"blocks": "x"}), "can't parse rich_message").await;
}
