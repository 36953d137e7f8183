//! What a person gets when Telegram, or the way to it, is in trouble: everything once, in order, and a plain word where nobody
//! can know.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::scene::{Scene, said};
use pensive_tests::telegram::{Call, Fault, Person};
use pensive_tests::wire::Wire;
use serde_json::{Value, json};

const UNCONFIRMED: &str = "⚙️ I could not confirm that my last answer arrived.";
const SHOW: &str = "Show it again";
/// The first two pauses of a send that was refused, between their ends.
const FIRST_PAUSE: [Duration; 2] = [ms(400), ms(600)];
const SECOND_PAUSE: [Duration; 2] = [ms(800), ms(1_200)];

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Sends to this person's chat so far.
fn sends(scene: &Scene, person: &Person) -> Vec<Call> {
    scene.telegram.calls_where(|call| call.method == "sendMessage" && call.chat() == Some(person.chat()))
}

/// Says something and waits for its echo: whatever was to come before has come then.
async fn talk(scene: &Scene, person: &Person, text: &str) {
    person.say(text);
    scene.telegram.wait_for_text(person.chat(), &format!("You said: {text}")).await;
}

/// A long answer goes out in several messages.
fn in_parts(config: &mut Value) {
    config["channels"]["telegram"]["richMessages"] = json!("off");
}

/// `count` words that are told apart, in lines.
fn words(count: usize) -> String {
    (0..count).map(|n| format!("word{n}{}", if n % 10 == 9 { '\n' } else { ' ' })).collect()
}

#[tokio::test]
async fn an_explicit_500_is_repeated_and_the_answer_arrives_once() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    scene.telegram.inject(Fault::on("sendMessage").times(2));
    ann.say("hello");
    scene.sleep_out(FIRST_PAUSE[0], FIRST_PAUSE[1]).await;
    scene.sleep_out(SECOND_PAUSE[0], SECOND_PAUSE[1]).await;
    scene.telegram.wait_for_text(ann.chat(), "You said: hello").await;
    talk(&scene, &ann, "and now?").await;
    assert_eq!(said(&ann), ["You said: hello", "You said: and now?"]);
    assert_eq!(sends(&scene, &ann).iter().map(|call| call.status).collect::<Vec<_>>(), [500, 500, 200, 200]);
    scene.finish().await;
}

#[tokio::test]
async fn str_23_an_unknown_outcome_is_told_and_never_doubled() {
    let scene = Scene::start().await;
    let on = || Fault::on("sendMessage");
    for (case, fault, landed) in [
        ("reset after it landed", on().reset().after_commit(), true),
        ("reset before it landed", on().reset(), false),
        ("page after it landed", on().html(502).after_commit(), true),
        ("page before it landed", on().html(502), false),
        ("half an answer", on().truncated(), true),
        ("broken answer", on().broken_json().after_commit(), true),
        ("no answer", on().silence().after_commit(), true),
    ] {
        let person = scene.telegram.user(case);
        let silent = case == "no answer";
        scene.telegram.inject(fault.in_chat(person.chat()));
        person.say("hello");
        if silent {
            scene.telegram.wait_for_text(person.chat(), "You said: hello").await;
            scene.sleep_out(ms(30_000), ms(30_000)).await;
        }
        let notice = scene.telegram.wait_for_text(person.chat(), UNCONFIRMED).await;
        assert_eq!(notice.buttons, [SHOW], "{case}");
        let answer = || "You said: hello".to_owned();
        let mut expected: Vec<String> = landed.then(answer).into_iter().collect();
        expected.push(UNCONFIRMED.to_owned());
        assert_eq!(said(&person), expected, "{case}");

        assert_eq!(person.press(SHOW).unwrap().answered().await.get("text"), None, "{case}");
        expected.push(answer());
        scene.telegram.wait_until(|_| (said(&person) == expected).then_some(())).await;
        let again = person.press(SHOW).unwrap().answered().await;
        assert_eq!(again.get("text"), Some(&json!("That is no longer here.")), "{case}");
        talk(&scene, &person, "go on").await;
        expected.push("You said: go on".to_owned());
        assert_eq!(said(&person), expected, "{case}");
    }
    scene.finish().await;
}

#[tokio::test]
async fn the_word_on_an_unknown_outcome_is_said_again_where_its_own_is_unknown() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    scene.telegram.inject(Fault::on("sendMessage").reset().in_chat(ann.chat()).times(2));
    ann.say("hello");
    scene.sleep_out(FIRST_PAUSE[0], FIRST_PAUSE[1]).await;
    let notice = scene.telegram.wait_for_text(ann.chat(), UNCONFIRMED).await;
    assert_eq!(notice.buttons, [SHOW]);
    assert_eq!(said(&ann), [UNCONFIRMED]);
    scene.finish().await;
}

#[tokio::test]
async fn the_word_on_an_unknown_outcome_waits_until_the_chat_is_reachable() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    scene.telegram.inject(Fault::on("sendMessage").reset().after_commit().in_chat(ann.chat()));
    scene.telegram.inject(Fault::on("sendMessage").in_chat(ann.chat()));
    ann.say("hello");
    scene.sleep_out(FIRST_PAUSE[0], FIRST_PAUSE[1]).await;
    scene.telegram.wait_for_text(ann.chat(), UNCONFIRMED).await;
    assert_eq!(said(&ann), ["You said: hello", UNCONFIRMED]);
    scene.finish().await;
}

#[tokio::test]
async fn a_send_that_reaches_nobody_is_repeated() {
    let mut scene = Scene::prepared(|_| {}).await;
    let mut wire = Wire::to(&scene.telegram.url()).await.unwrap();
    scene.reconfigure(|config| config["channels"]["telegram"]["apiRoot"] = wire.url().into());
    scene.enter().await;
    let ann = scene.telegram.user("Ann");
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate).text("Here it is."));
    ann.say("hello");
    gate.reached(1).await;
    wire.cut().await;
    gate.open();
    scene.sleep_out(FIRST_PAUSE[0], FIRST_PAUSE[1]).await;
    // Time stands still until the second try has failed as well.
    scene.clock.wait_for_sleeper(SECOND_PAUSE[0], SECOND_PAUSE[1]).await;
    wire.mend().await.unwrap();
    scene.advance(SECOND_PAUSE[1]);
    scene.telegram.wait_for_text(ann.chat(), "Here it is.").await;
    talk(&scene, &ann, "still there?").await;
    assert_eq!(said(&ann), ["Here it is.", "You said: still there?"]);
    scene.finish().await;
}

#[tokio::test]
async fn str_01_a_429_is_obeyed_to_the_second_and_holds_up_no_other_chat() {
    let scene = Scene::start().await;
    let (ann, bob) = (scene.telegram.user("Ann"), scene.telegram.user("Bob"));
    scene.telegram.inject(Fault::on("sendMessage").retry_after(7).in_chat(ann.chat()));
    ann.say("hello");
    scene.clock.wait_for_sleeper(ms(7_000), ms(7_000)).await;
    talk(&scene, &bob, "me too").await;
    scene.advance(ms(6_999));
    talk(&scene, &bob, "still?").await;
    assert_eq!(sends(&scene, &ann).len(), 1);
    scene.advance(ms(1));
    scene.telegram.wait_for_text(ann.chat(), "You said: hello").await;
    talk(&scene, &ann, "thanks").await;
    assert_eq!(said(&ann), ["You said: hello", "You said: thanks"]);
    scene.finish().await;
}

#[tokio::test]
async fn fmt_01_a_refused_chunk_is_sent_again_as_plain_text() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    let refusal = "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 4";
    scene.telegram.inject(Fault::on("sendMessage").refuse(400, refusal));
    scene.model.play(Script::new().text("some **bold** words"));
    ann.say("hello");
    let seen = scene.telegram.wait_for_text(ann.chat(), "some bold words").await;
    assert_eq!((seen.text.as_str(), seen.entities.len()), ("some bold words", 0));
    let kinds: Vec<bool> =
        sends(&scene, &ann).iter().map(|call| call.params.get("entities").is_some()).collect();
    assert_eq!(kinds, [true, false]);
    scene.finish().await;
}

#[tokio::test]
async fn med_13_an_answer_to_a_deleted_topic_arrives_once_without_it() {
    let open = |config: &mut serde_json::Value| {
        config["channels"]["telegram"]["groupPolicy"] = "open".into();
        config["channels"]["telegram"]["groups"] = json!({"*": {"requireMention": false}});
    };
    let scene = Scene::with(open).await;
    let ann = scene.telegram.user("Ann");
    let forum = scene.telegram.forum("Team", &[&ann]);
    let topic = forum.topic("Plans", &ann);
    let here = ann.at(&forum).topic(topic);
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate).text("Here it is."));
    here.say("hello");
    gate.reached(1).await;
    forum.delete_topic(topic);
    gate.open();
    let seen = scene.telegram.wait_for_text(forum.id(), "Here it is.").await;
    assert_eq!(seen.thread, None);
    // In the General topic, behind it.
    ann.at(&forum).say("and now?");
    scene.telegram.wait_for_text(forum.id(), "You said: Ann: and now?").await;
    let threads: Vec<_> =
        sends(&scene, &here).iter().map(|call| (call.int("message_thread_id"), call.status)).collect();
    assert_eq!(threads, [(Some(topic), 400), (None, 200), (None, 200)]);
    scene.finish().await;
}

#[tokio::test]
async fn a_blocked_bot_gives_that_chat_up_and_goes_on_with_the_others() {
    let scene = Scene::with(in_parts).await;
    let (ann, bob) = (scene.telegram.user("Ann"), scene.telegram.user("Bob"));
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate).text(&words(1_500)));
    ann.say("tell me a long story");
    gate.reached(1).await;
    ann.block();
    gate.open();
    scene.telegram.wait_for(|call| call.status == 403).await;
    talk(&scene, &bob, "hello").await;
    ann.unblock();
    talk(&scene, &ann, "back again").await;
    assert_eq!(said(&ann), ["You said: back again"]);
    // One part of the story was tried, the others were not.
    assert_eq!(sends(&scene, &ann).iter().map(|call| call.status).collect::<Vec<_>>(), [403, 200]);
    scene.finish().await;
}

#[tokio::test]
async fn a_part_goes_out_when_the_one_before_was_confirmed() {
    let scene = Scene::with(in_parts).await;
    let (ann, bob) = (scene.telegram.user("Ann"), scene.telegram.user("Bob"));
    let (gate, story) = (Gate::new(), words(1_500));
    scene.telegram.inject(Fault::on("sendMessage").held(&gate).in_chat(ann.chat()).always());
    scene.model.play(Script::new().text(&story));
    ann.say("tell me a long story");
    let mut parts = 0;
    while said(&ann).iter().map(|part| part.split_whitespace().count()).sum::<usize>() < 1_500 {
        parts += 1;
        gate.reached(parts).await;
        // Whatever else were under way to Ann would have come before this.
        talk(&scene, &bob, &format!("are you there? {parts}")).await;
        assert_eq!((gate.arrivals(), said(&ann).len()), (parts, parts - 1));
        gate.let_through(1);
        scene.telegram.wait_until(|_| (said(&ann).len() == parts).then_some(())).await;
    }
    assert!(parts >= 3, "{parts}");
    assert!(said(&ann).iter().flat_map(|part| part.split_whitespace()).eq(story.split_whitespace()));
    scene.finish().await;
}

#[tokio::test]
async fn trouble_in_the_middle_of_a_long_answer_changes_neither_order_nor_number() {
    let scene = Scene::with(in_parts).await;
    let (ann, bob) = (scene.telegram.user("Ann"), scene.telegram.user("Bob"));
    let story = words(1_500);
    scene.model.reply_to("story", Script::new().text(&story));

    scene.telegram.inject(Fault::on("sendMessage").in_chat(ann.chat()).skip(1));
    ann.say("tell me a story");
    scene.sleep_out(FIRST_PAUSE[0], FIRST_PAUSE[1]).await;
    scene.telegram.wait_for_text(ann.chat(), "word1499").await;
    assert!(said(&ann).iter().flat_map(|part| part.split_whitespace()).eq(story.split_whitespace()));

    scene.telegram.inject(Fault::on("sendMessage").reset().in_chat(bob.chat()).skip(1));
    bob.say("tell me a story");
    scene.telegram.wait_for_text(bob.chat(), UNCONFIRMED).await;
    let whole = said(&ann);
    let mut expected = whole.clone();
    expected.remove(1);
    expected.push(UNCONFIRMED.to_owned());
    assert_eq!(said(&bob), expected);
    // What is shown again is the part that is in doubt, and no other.
    bob.press(SHOW).unwrap().answered().await;
    expected.push(whole[1].clone());
    scene.telegram.wait_until(|_| (said(&bob) == expected).then_some(())).await;
    scene.finish().await;
}

#[tokio::test]
async fn an_answer_that_met_a_passing_401_still_arrives_before_what_comes_after_it() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    scene.telegram.inject(Fault::on("sendMessage").unauthorized());
    ann.say("hello");
    scene.telegram.wait_for(|call| call.method == "sendMessage").await;
    ann.say("and more");
    scene.sleep_out(FIRST_PAUSE[0], FIRST_PAUSE[1]).await;
    scene.telegram.wait_for_text(ann.chat(), "You said: and more").await;
    assert_eq!(said(&ann), ["You said: hello", "You said: and more"]);
    scene.finish().await;
}

#[tokio::test]
async fn an_answer_that_is_refused_for_good_is_told_in_a_line() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    scene.telegram.inject(Fault::on("sendMessage").refuse(400, "Bad Request: something nobody knows"));
    ann.say("hello");
    scene.telegram.wait_for_text(ann.chat(), "My last answer could not be delivered here in full").await;
    talk(&scene, &ann, "again").await;
    assert_eq!(said(&ann).len(), 2, "one line and the next answer");
    scene.finish().await;
}
