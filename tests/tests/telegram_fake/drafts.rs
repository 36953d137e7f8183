//! Drafts and what a person sees of them: in private chats only, for half a minute, in place of nothing that stands.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use serde_json::{Value, json};

use crate::Bench;

fn draft(chat: i64, text: &str) -> Value {
    json!({"chat_id": chat, "draft_id": 7, "text": text, "can_stop": true})
}

#[tokio::test]
async fn drafts_show_and_give_way() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let film = alice.film();
    bench.call("sendMessageDraft", draft(alice.id(), "")).await;
    bench.call("sendMessageDraft", draft(alice.id(), "the ans")).await;
    assert_eq!(bench.telegram.draft(alice.id()).unwrap().text, "the ans");
    assert_eq!((alice.sees().len(), alice.screen().copies("the ans")), (0, 1), "a draft is no message");
    bench.call("sendMessage", json!({"chat_id": alice.id(), "text": "the answer"})).await;
    assert_eq!(bench.telegram.draft(alice.id()), None);
    assert_eq!((film.frames().len(), film.most_copies("the ans")), (4, 1));
    assert_eq!(film.drafts(), ["", "the ans"]);
    assert_eq!(film.first("answer").unwrap().screen, alice.screen());

    bench.call("sendMessageDraft", draft(alice.id(), "the answer")).await;
    assert_eq!(film.most_copies("the ans"), 2, "a late draft stands below its own answer");
    assert_eq!(bench.telegram.violations(), []);
}

#[tokio::test]
async fn stop_takes_the_draft_away_and_tells_the_bot() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    assert!(!alice.stop_draft(), "there is none");
    bench.call("sendMessageDraft", json!({"chat_id": alice.id(), "draft_id": 6, "text": "a"})).await;
    assert!(!alice.stop_draft(), "it has no button");
    bench.call("sendMessageDraft", draft(alice.id(), "thin")).await;
    assert!(alice.stop_draft());
    let updates = bench.call("getUpdates", json!({})).await;
    let stopped = &updates[0]["stopped_message_generation"];
    assert_eq!((&stopped["draft_id"], &stopped["chat"]["id"]), (&json!(7), &json!(alice.id())));
    bench.call("sendMessageDraft", draft(alice.id(), "think")).await;
    assert_eq!(alice.draft(), None, "what was stopped shows no more");
    let kept =
        json!({"chat_id": alice.id(), "draft_id": 8, "text": "b", "can_stop": true, "keep_on_stop": true});
    bench.call("sendMessageDraft", kept).await;
    assert!(alice.stop_draft() && alice.draft().is_some());
}

#[tokio::test]
async fn a_draft_fades_on_the_clock_that_the_fake_follows() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let clock = Arc::new(AtomicI64::new(1_000));
    let hand = Arc::clone(&clock);
    bench.telegram.follow(move || clock.load(Ordering::Acquire));
    bench.call("sendMessageDraft", draft(alice.id(), "a")).await;
    hand.store(20_000, Ordering::Release);
    bench.call("sendMessageDraft", draft(alice.id(), "a")).await;
    let visible = |moment: i64| {
        hand.store(moment, Ordering::Release);
        alice.draft().is_some()
    };
    assert!(visible(31_000), "it was renewed");
    assert!(visible(49_999) && !visible(50_000));
    assert!(!alice.stop_draft(), "nor is there a button");
    let moments: Vec<_> = bench.telegram.calls("sendMessageDraft").iter().map(|call| call.moment).collect();
    assert_eq!(moments, [1_000, 20_000]);
}

#[tokio::test]
async fn topics_have_drafts_of_their_own() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let topic = alice.open_topic();
    let mut in_topic = draft(alice.id(), "in the topic");
    in_topic["message_thread_id"] = topic.into();
    bench.call("sendMessageDraft", in_topic).await;
    bench.call("sendMessageDraft", draft(alice.id(), "outside")).await;
    let drafts = |person: &pensive_tests::telegram::Person| person.draft().map(|draft| draft.text);
    assert_eq!(drafts(&alice.topic(topic)).as_deref(), Some("in the topic"));
    bench.call("sendMessage", json!({"chat_id": alice.id(), "text": "said outside"})).await;
    assert_eq!((drafts(&alice), drafts(&alice.topic(topic)).is_some()), (None, true));
    assert!(!alice.stop_draft() && alice.topic(topic).stop_draft());
    let updates = bench.call("getUpdates", json!({})).await;
    assert_eq!(updates[0]["stopped_message_generation"]["message_thread_id"], json!(topic));
}

#[tokio::test]
async fn rich_drafts_think_and_messages_do_not() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let rich = |markdown: &str| json!({"chat_id": alice.id(), "draft_id": 7, "rich_message": {"markdown": markdown}, "can_stop": true});
    bench.call("sendRichMessageDraft", rich("<tg-thinking>why\n\n**not**</tg-thinking>")).await;
    let seen = alice.draft().unwrap();
    assert_eq!((seen.text.as_str(), seen.thinking.as_deref()), ("", Some("why\n\nnot")));
    bench.call("sendRichMessageDraft", rich("<tg-thinking>why</tg-thinking>\n\n```sh\nls")).await;
    let seen = alice.draft().unwrap();
    assert_eq!((seen.text.as_str(), seen.can_stop), ("ls", true));
    assert_eq!(seen.blocks, [json!({"type": "pre", "text": "ls", "language": "sh"})]);
    assert_eq!(bench.telegram.violations(), []);

    let zero = json!({"chat_id": alice.id(), "draft_id": 0, "rich_message": {"markdown": "a"}});
    assert_eq!(bench.refused("sendRichMessageDraft", zero).await, "Bad Request: RANDOM_ID_INVALID");
    let refused = bench.refused("sendRichMessage", rich("a <tg-thinking>b</tg-thinking>")).await;
    assert!(refused.contains("only in drafts"), "{refused}");
}

#[tokio::test]
async fn groups_have_no_drafts() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let group = bench.telegram.group("Group", &[&alice]);
    let plain = bench.refused("sendMessageDraft", draft(group.id(), "a")).await;
    assert_eq!(plain, "Bad Request: TEXTDRAFT_PEER_INVALID");
    let rich = json!({"chat_id": group.id(), "draft_id": 7, "rich_message": {"markdown": "a"}});
    assert_eq!(bench.refused("sendRichMessageDraft", rich).await, "Bad Request: TEXTDRAFT_PEER_INVALID");
    assert_eq!(bench.telegram.violations(), [], "a bot cannot know before it tries");
}

#[tokio::test]
async fn an_older_server_lacks_methods() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    bench.telegram.turn_off(&["sendRichMessageDraft", "sendMessageDraft"]);
    let refused = bench.refused("sendMessageDraft", draft(alice.id(), "a")).await;
    assert_eq!(refused, "Not Found: method not found");
    assert_eq!(bench.telegram.violations(), []);
    bench.telegram.turn_all_on();
    bench.call("sendMessageDraft", draft(alice.id(), "a")).await;
}
