//! Getting messages from Telegram when the way or the server is in trouble: nothing is lost, nothing is answered twice.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_contract::intake::AccountState;
use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::scene::{Scene, said};
use pensive_tests::telegram::{Answer, Fault, Person};
use serde_json::{Value, json};

/// Between these lie the first pauses of the poller, and no time limit of a call.
const PAUSE: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(29)];

/// Says something and waits for its echo: whatever was to come before has come then.
async fn talk(scene: &Scene, person: &Person, text: &str) {
    person.say(text);
    scene.telegram.wait_for_text(person.chat(), &format!("You said: {text}")).await;
}

fn echoes(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| format!("You said: {text}")).collect()
}

/// Lets the next poll meet `fault`, and waits until the daemon is about to try again.
async fn strike(scene: &Scene, person: &Person, fault: Fault, words: &str) -> AccountState {
    scene.telegram.wait_for_poll().await;
    scene.telegram.inject(fault);
    talk(scene, person, words).await;
    scene.clock.wait_for_sleeper(PAUSE[0], PAUSE[1]).await;
    scene.state("telegram/default")
}

fn is_listening(scene: &Scene) -> bool {
    matches!(scene.state("telegram/default"), AccountState::Listening { .. })
}

#[tokio::test]
async fn every_trouble_of_a_poll_passes_and_loses_nothing() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    let on = || Fault::on("getUpdates");
    let page = Answer::Raw { status: 200, kind: "text/html".into(), body: "<html>hello</html>".into() };
    let mut expected = Vec::new();
    for (case, fault) in [
        ("server error", on()),
        ("page", on().html(502)),
        ("page that says yes", on().answer(page)),
        ("reset", on().reset()),
        ("broken", on().broken_json()),
        ("flood", on().retry_after(3)),
        ("not found", on().missing()),
    ] {
        let (before, after) = (format!("before {case}"), format!("after {case}"));
        let state = strike(&scene, &ann, fault, &before).await;
        assert!(matches!(state, AccountState::Retrying { .. }), "{case}: {state:?}");
        let posted = ann.say(&after);
        assert_eq!(said(&ann).len(), expected.len() + 1, "{case}");
        scene.sleep_out(PAUSE[0], PAUSE[1]).await;
        scene.telegram.wait_for_text(ann.chat(), &format!("You said: {after}")).await;
        assert!(is_listening(&scene), "{case}");
        assert!(posted.update_id.is_some());
        expected.extend(echoes(&[&before, &after]));
        assert_eq!(said(&ann), expected, "{case}");
    }
    scene.finish().await;
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_asked_for_again() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    scene.telegram.wait_for_poll().await;
    scene.telegram.inject(Fault::on("getUpdates").truncated());
    talk(&scene, &ann, "first").await;
    ann.say("second");
    scene.sleep_out(PAUSE[0], PAUSE[1]).await;
    scene.telegram.wait_for_text(ann.chat(), "You said: second").await;
    talk(&scene, &ann, "third").await;
    assert_eq!(said(&ann), echoes(&["first", "second", "third"]));
    scene.finish().await;
}

#[tokio::test]
async fn a_flood_is_waited_out_to_the_second() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    let state = strike(&scene, &ann, Fault::on("getUpdates").retry_after(17), "hello").await;
    assert!(matches!(&state, AccountState::Retrying { why } if why.contains("429")), "{state:?}");
    let exactly = Duration::from_secs(17);
    assert_eq!(scene.sleep_out(PAUSE[0], PAUSE[1]).await, exactly);
    talk(&scene, &ann, "again").await;
    scene.finish().await;
}

#[tokio::test]
async fn rst_08_another_poller_is_told_and_the_bot_comes_back_when_it_is_gone() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    talk(&scene, &ann, "hello").await;
    scene.telegram.wait_for_poll().await;
    // A second program polls the same bot for real; ours, the older one, is refused.
    let other = scene.rival();
    scene.clock.wait_for_sleeper(PAUSE[0], PAUSE[1]).await;
    let AccountState::Retrying { why } = scene.state("telegram/default") else {
        panic!("{:?}", scene.state("telegram/default"))
    };
    assert!(why.contains("another program polls the same bot"), "{why}");
    other.abort();
    drop(other.await);
    ann.say("are you there?");
    scene.sleep_out(PAUSE[0], PAUSE[1]).await;
    scene.telegram.wait_for_text(ann.chat(), "You said: are you there?").await;
    assert!(is_listening(&scene));
    assert_eq!(said(&ann), echoes(&["hello", "are you there?"]));
    scene.finish().await;
}

#[tokio::test]
async fn a_poll_without_any_answer_is_given_up_and_connections_are_made_anew() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    scene.telegram.wait_for_poll().await;
    let silence = Gate::new();
    scene.telegram.inject(Fault::on("getUpdates").held(&silence));
    talk(&scene, &ann, "hello").await;
    silence.reached(1).await;
    ann.say("anybody?");
    scene.sleep_out(Duration::from_secs(65), Duration::from_secs(65)).await;
    scene.sleep_out(PAUSE[0], PAUSE[1]).await;
    scene.telegram.wait_for_text(ann.chat(), "You said: anybody?").await;
    assert_eq!(said(&ann), echoes(&["hello", "anybody?"]));
    scene.finish().await;
}

#[tokio::test]
async fn a_webhook_in_the_way_is_removed() {
    let scene = Scene::prepared(|_| {}).await;
    let url = format!(
        "{}/bot{}/setWebhook?url=https://example.org/hook",
        scene.telegram.url(),
        scene.telegram.token()
    );
    assert!(reqwest::get(url).await.unwrap().status().is_success());
    let mut scene = scene;
    scene.enter().await;
    let ann = scene.telegram.user("Ann");
    ann.say("hello");
    scene.sleep_out(PAUSE[0], PAUSE[1]).await;
    scene.telegram.wait_for_text(ann.chat(), "You said: hello").await;
    scene.finish().await;
}

#[tokio::test]
async fn rst_04_an_update_that_comes_twice_is_answered_once_also_while_it_is_being_answered() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    let gate = Gate::new();
    scene.model.play(Script::new().text("You said: ").wait(&gate).text("first"));
    let posted = ann.say("first");
    gate.reached(1).await;
    let bot = scene.telegram.bot();
    assert!(bot.repeat(posted.update_id.unwrap()));
    bot.wait_until_confirmed().await;
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), "You said: first").await;
    assert!(bot.repeat(posted.update_id.unwrap()));
    talk(&scene, &ann, "second").await;
    assert_eq!(said(&ann), echoes(&["first", "second"]));
    assert_eq!(scene.model.count(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn con_01_messages_of_one_batch_are_answered_in_order_one_after_the_other() {
    let scene = Scene::start().await;
    let (ann, bot) = (scene.telegram.user("Ann"), scene.telegram.bot());
    scene.telegram.wait_for_poll().await;
    bot.hold_updates();
    for text in ["one", "two", "three"] {
        ann.say(text);
    }
    bot.reverse_pending();
    bot.release_updates();
    scene.telegram.wait_for_text(ann.chat(), "You said: three").await;
    assert_eq!(said(&ann), echoes(&["one", "two", "three"]));
    assert_eq!(scene.model.peak(), 1);
    // Each run knew the answers before it.
    let requests = scene.model.requests();
    assert_eq!(requests[2].texts("assistant"), echoes(&["one", "two"]));
    assert_eq!(requests[2].texts("user"), ["one", "two", "three"]);
    scene.finish().await;
}

#[tokio::test]
async fn numbers_that_go_backwards_are_followed_also_over_a_restart() {
    let mut scene = Scene::start().await;
    let (ann, bot) = (scene.telegram.user("Ann"), scene.telegram.bot());
    talk(&scene, &ann, "one").await;
    bot.set_next_update_id(7);
    talk(&scene, &ann, "two").await;
    bot.wait_until_confirmed().await;
    scene.leave().await;
    ann.say("three");
    scene.telegram.forget();
    scene.enter().await;
    scene.telegram.wait_for_text(ann.chat(), "You said: three").await;
    let asked = scene.telegram.wait_for(|call| call.method == "getUpdates").await;
    assert_eq!(asked.int("offset"), Some(8));
    assert_eq!(said(&ann), echoes(&["one", "two", "three"]));
    scene.finish().await;
}

#[tokio::test]
async fn rst_07_what_was_written_before_the_start_is_answered_unless_it_is_old() {
    let mut scene = Scene::prepared(|_| {}).await;
    let ann = scene.telegram.user("Ann");
    let now = i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()).unwrap();
    ann.post("of the day before yesterday").date(now - 2 * 86_400).send();
    ann.say("one");
    ann.say("/think high");
    ann.say("two");
    scene.enter().await;
    scene.telegram.wait_for_text(ann.chat(), "You said: two").await;
    let mut found = said(&ann);
    // An acknowledgement waits for no run.
    found.sort();
    assert_eq!(found, ["Thinking level set to high.", "You said: one", "You said: two"]);
    assert_eq!(scene.model.requests()[1].effort(), Some("high"));
    scene.finish().await;
}

#[tokio::test]
async fn what_nobody_knows_yet_is_passed_over_and_holds_nothing_up() {
    let scene = Scene::start().await;
    let (ann, bot) = (scene.telegram.user("Ann"), scene.telegram.bot());
    scene.telegram.wait_for_poll().await;
    bot.hold_updates();
    for update in [
        json!({"brand_new_kind": {"id": 1}}),
        json!({}),
        json!({"message": {"text": "no chat and no sender"}}),
        json!({"message": "not even an object"}),
        json!({"message": {"message_id": 1, "date": 1, "chat": {"id": "x", "type": 7}}}),
        json!({"callback_query": {"id": "1"}}),
        json!({"edited_message": null, "message": null}),
    ] {
        bot.push_update(update);
    }
    ann.say("hello");
    bot.release_updates();
    scene.telegram.wait_for_text(ann.chat(), "You said: hello").await;
    bot.wait_until_confirmed().await;
    assert_eq!(said(&ann), echoes(&["hello"]));
    scene.finish().await;
}

#[tokio::test]
async fn an_update_that_is_no_json_does_not_stop_the_others_for_ever() {
    let scene = Scene::start().await;
    let (ann, bot) = (scene.telegram.user("Ann"), scene.telegram.bot());
    scene.telegram.wait_for_poll().await;
    bot.hold_updates();
    ann.say("before");
    let broken = bot.next_update_id();
    bot.push_bytes(broken, format!("{{\"update_id\":{broken},\"message\":{{\"text\":\"\x01"));
    ann.say("after");
    bot.release_updates();
    scene.sleep_out(PAUSE[0], PAUSE[1]).await;
    scene.telegram.wait_for_text(ann.chat(), "You said: before").await;
    scene.finish().await;
}

#[tokio::test]
async fn hostile_texts_are_answered_and_never_a_panic() {
    let scene = Scene::start().await;
    let (ann, bot) = (scene.telegram.user("Ann"), scene.telegram.bot());
    scene.model.reply_with(|request| Some(Script::new().text(&format!("{} bytes", request.prompt().len()))));
    let whole = "x".repeat(1 << 20);
    let slashes = "/think high ".repeat(20_000);
    for text in [&whole, "a\0b\u{7}c\u{200e}d", "שלום (عالم) \u{202e}abc\u{202c}", "👩‍👩‍👧‍👦🇮🇹e\u{301}"]
    {
        ann.say(text);
        scene.telegram.wait_for_text(ann.chat(), &format!("{} bytes", text.len())).await;
    }
    ann.say(&slashes);
    scene.telegram.wait_for_text(ann.chat(), "Thinking level set to high.").await;
    bot.push_text_escape(ann.id(), r"half \ud800 a pair \udc00\ud83d\ude00");
    // Each lone half is one replacement character of three bytes, the whole pair four.
    scene.telegram.wait_for_text(ann.chat(), "23 bytes").await;
    assert!(is_listening(&scene));
    scene.finish().await;
}

#[tokio::test]
async fn broken_entities_are_ignored() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    let odd: [(i64, i64); 6] = [(-1, 3), (0, 99), (5, i64::MAX), (i64::MAX, 1), (1, 0), (3, -2)];
    for (n, (offset, length)) in odd.into_iter().enumerate() {
        let text = format!("👍 hello {n}");
        let entity = json!({"type": "code", "offset": offset, "length": length});
        ann.post(&text).without_entities().entity(entity).send();
        scene.telegram.wait_for_text(ann.chat(), &format!("You said: {text}")).await;
    }
    let kinds: [Value; 4] = [
        json!({}),
        json!({"type": 5}),
        json!("no entity"),
        json!({"type": "new_kind", "offset": 0, "length": 2}),
    ];
    for (n, entity) in kinds.into_iter().enumerate() {
        let text = format!("odd kind {n}");
        ann.post(&text).without_entities().entity(entity).send();
        scene.telegram.wait_for_text(ann.chat(), &format!("You said: {text}")).await;
    }
    scene.finish().await;
}

#[tokio::test]
async fn a_stop_ends_an_open_poll_and_a_pause_at_once() {
    let mut scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    talk(&scene, &ann, "hello").await;
    scene.telegram.wait_for_poll().await;
    // The clock stands still, so nothing but the stop itself can end it.
    scene.leave().await;
    assert_eq!(scene.telegram.bot().open_polls(), 0);
    scene.enter().await;
    strike(&scene, &ann, Fault::on("getUpdates").retry_after(25), "again").await;
    scene.leave().await;
    scene.finish().await;
}
