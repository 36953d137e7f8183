//! What a person gets when Discord, or the way to it, is in trouble: everything once, in order, and a plain word where nobody can
//! know.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::discord::{Call, Fault, Person, Room};
use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::scene::Scene;
use serde_json::{Value, json};

const SEND: &str = "POST /channels/{}/messages";
const UNCONFIRMED: &str = "⚙️ I could not confirm that my last answer arrived.";
const SHOW: &str = "Show it again";
const RESTARTED: &str = "⚙️ I was restarted while answering. Tap to run it again.";
const RUN: &str = "Run it again";
const FAILED: &str = "My last answer could not be delivered here in full";
/// The first two pauses of a send that was refused, between their ends.
const FIRST_PAUSE: [Duration; 2] = [ms(400), ms(600)];
const SECOND_PAUSE: [Duration; 2] = [ms(800), ms(1_200)];

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Sends to this channel so far.
fn sends(scene: &Scene, channel: u64) -> Vec<Call> {
    scene.discord.calls_where(|call| call.is(SEND) && call.channel == channel)
}

fn statuses(scene: &Scene, channel: u64) -> Vec<u16> {
    sends(scene, channel).iter().map(|call| call.status).collect()
}

/// Says something and waits for its echo: whatever was to come before has come then.
async fn talk(person: &Person, text: &str) {
    person.say(text);
    person.wait_for(&format!("You said: {text}")).await;
}

async fn wait_said(scene: &Scene, person: &Person, expected: &[&str]) {
    let look = |_: &_| (person.said() == expected).then_some(());
    let found = scene.discord.wait_within(Duration::from_secs(10), look).await;
    assert!(found.is_some(), "{:?} instead of {expected:?}", person.said());
}

/// Ann and a channel of a guild where everything that is said is heard.
async fn guild() -> (Scene, Person, Room) {
    let mut scene = Scene::prepared_for_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    let guild = scene.discord.guild("Home", &[&ann]);
    let room = guild.channel("kitchen");
    scene.discord.unlimited();
    scene.reconfigure(|config| {
        config["channels"]["discord"]["streaming"] = json!("off");
        config["channels"]["discord"]["groupPolicy"] = json!("open");
        config["channels"]["discord"]["guilds"] =
            json!({ guild.id().to_string(): { "requireMention": false } });
    });
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    (scene, ann.in_room(&room), room)
}

/// `count` words that are told apart, in lines.
fn words(count: usize) -> String {
    (0..count).map(|n| format!("word{n}{}", if n % 10 == 9 { '\n' } else { ' ' })).collect()
}

#[tokio::test]
async fn an_explicit_500_is_repeated_and_the_answer_arrives_once() {
    let scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    scene.discord.inject(Fault::on_send().times(2));
    ann.say("hello");
    scene.sleep_out(FIRST_PAUSE[0], FIRST_PAUSE[1]).await;
    scene.sleep_out(SECOND_PAUSE[0], SECOND_PAUSE[1]).await;
    ann.wait_for("You said: hello").await;
    talk(&ann, "and now?").await;
    assert_eq!(ann.said(), ["You said: hello", "You said: and now?"]);
    assert_eq!(statuses(&scene, ann.channel()), [500, 500, 200, 200]);
    scene.finish().await;
}

#[tokio::test]
async fn str_23_an_unknown_outcome_is_told_and_never_doubled() {
    let scene = Scene::on_discord(|_| {}).await;
    for (case, fault, landed) in [
        ("reset after it landed", Fault::on_send().reset().after_commit(), true),
        ("reset before it landed", Fault::on_send().reset(), false),
        ("page after it landed", Fault::on_send().html(502).after_commit(), true),
        ("page before it landed", Fault::on_send().html(502), false),
        ("half an answer", Fault::on_send().truncated(), true),
        ("broken answer", Fault::on_send().broken_json().after_commit(), true),
        ("no answer", Fault::on_send().silence().after_commit(), true),
    ] {
        let person = scene.discord.person(case);
        scene.discord.inject(fault.in_channel(person.channel()));
        person.say("hello");
        if case == "no answer" {
            person.wait_for("You said: hello").await;
            scene.sleep_out(ms(30_000), ms(30_000)).await;
        }
        let notice = person.wait_for(UNCONFIRMED).await;
        assert_eq!(notice.buttons, [SHOW], "{case}");
        let mut expected = if landed { vec!["You said: hello", UNCONFIRMED] } else { vec![UNCONFIRMED] };
        assert_eq!(person.said(), expected, "{case}");

        person.press(notice.id, SHOW).heard().await;
        expected.push("You said: hello");
        wait_said(&scene, &person, &expected).await;
        talk(&person, "go on").await;
        expected.push("You said: go on");
        assert_eq!(person.said(), expected, "{case}");
    }
    scene.finish().await;
}

#[tokio::test]
async fn the_word_on_an_unknown_outcome_waits_until_the_channel_is_reachable() {
    let scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    scene.discord.inject(Fault::on_send().reset().after_commit());
    scene.discord.inject(Fault::on_send());
    ann.say("hello");
    scene.sleep_out(FIRST_PAUSE[0], FIRST_PAUSE[1]).await;
    ann.wait_for(UNCONFIRMED).await;
    assert_eq!(ann.said(), ["You said: hello", UNCONFIRMED]);
    scene.finish().await;
}

#[tokio::test]
async fn str_01_a_429_is_obeyed_to_the_millisecond_and_holds_up_no_other_channel() {
    let scene = Scene::on_discord(|_| {}).await;
    let (ann, bob) = (scene.discord.person("Ann"), scene.discord.person("Bob"));
    scene.discord.inject(Fault::on_send().retry_after(7.25).in_channel(ann.channel()));
    ann.say("hello");
    scene.clock.wait_for_sleeper(ms(7_250), ms(7_250)).await;
    talk(&bob, "me too").await;
    scene.advance(ms(7_249));
    talk(&bob, "still?").await;
    assert_eq!(statuses(&scene, ann.channel()), [429]);
    scene.advance(ms(1));
    ann.wait_for("You said: hello").await;
    talk(&ann, "thanks").await;
    assert_eq!(ann.said(), ["You said: hello", "You said: thanks"]);
    scene.finish().await;
}

#[tokio::test]
async fn a_429_for_the_whole_bot_is_obeyed_in_every_channel() {
    let scene = Scene::on_discord(|_| {}).await;
    let (ann, bob) = (scene.discord.person("Ann"), scene.discord.person("Bob"));
    scene.discord.inject(Fault::on_send().global(4.0).in_channel(ann.channel()));
    ann.say("hello");
    scene.clock.wait_for_sleeper(ms(4_000), ms(4_000)).await;
    bob.say("me too");
    scene.model.wait_for_request(|request| request.prompt().contains("me too")).await;
    scene.run_for(ms(3_800)).await;
    assert_eq!((statuses(&scene, ann.channel()), statuses(&scene, bob.channel())), (vec![429], vec![]));
    scene.run_until_at_discord("both", |_| (bob.said().len() + ann.said().len() == 2).then_some(())).await;
    assert_eq!(
        (statuses(&scene, ann.channel()), statuses(&scene, bob.channel())),
        (vec![429, 200], vec![200])
    );
    scene.finish().await;
}

#[tokio::test]
async fn disc_14_twenty_answers_at_once_go_by_the_limit_that_discord_tells() {
    let scene = Scene::on_discord(|_| {}).await;
    // Tighter than anybody would guess, so that only the headers can say it.
    scene.discord.limit(SEND, 3, ms(7_000));
    let ann = scene.discord.person("Ann");
    for n in 0..20 {
        ann.say(&format!("/think {}", ["low", "medium", "high"][n % 3]));
    }
    scene.run_until_at_discord("all of them", |_| (ann.said().len() == 20).then_some(())).await;
    let expected = |n: usize| format!("Thinking level set to {}.", ["low", "medium", "high"][n % 3]);
    assert_eq!(ann.said(), (0..20).map(expected).collect::<Vec<_>>());
    assert_eq!(statuses(&scene, ann.channel()), [200; 20], "no call was in vain");
    let moments: Vec<i64> = sends(&scene, ann.channel()).iter().map(|call| call.moment).collect();
    let passed = moments[19] - moments[0];
    assert!((42_000..50_000).contains(&passed), "{passed} ms for seven windows");
    scene.finish().await;
}

#[tokio::test]
async fn disc_01_trouble_in_the_middle_of_a_long_answer_changes_neither_order_nor_number() {
    let scene = Scene::on_discord(|_| {}).await;
    let (ann, bob) = (scene.discord.person("Ann"), scene.discord.person("Bob"));
    let story = words(700);
    scene.model.reply_to("story", Script::new().text(&story));

    scene.discord.inject(Fault::on_send().in_channel(ann.channel()).skip(1));
    ann.say("tell me a story");
    scene.sleep_out(FIRST_PAUSE[0], FIRST_PAUSE[1]).await;
    ann.wait_for("word699").await;
    assert!(ann.said().iter().flat_map(|part| part.split_whitespace()).eq(story.split_whitespace()));

    scene.discord.inject(Fault::on_send().reset().in_channel(bob.channel()).skip(1));
    bob.say("tell me a story");
    let notice = bob.wait_for(UNCONFIRMED).await;
    let whole = ann.said();
    let mut expected = whole.clone();
    expected.remove(1);
    expected.push(UNCONFIRMED.to_owned());
    assert_eq!(bob.said(), expected);
    // What is shown again is the part that is in doubt, and no other.
    bob.press(notice.id, SHOW).heard().await;
    expected.push(whole[1].clone());
    scene.discord.wait_until(|_| (bob.said() == expected).then_some(())).await;
    scene.finish().await;
}

#[tokio::test]
async fn a_thread_that_was_put_away_is_answered_in_all_the_same() {
    let (scene, ann, kitchen) = guild().await;
    let thread = kitchen.thread("aside");
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate).text("Here it is."));
    ann.in_room(&thread).say("hello");
    gate.reached(1).await;
    thread.archive();
    gate.open();
    ann.in_room(&thread).wait_for("Here it is.").await;
    assert_eq!((thread.said(), kitchen.said().len()), (vec!["Here it is.".to_owned()], 0));
    scene.finish().await;
}

#[tokio::test]
async fn where_the_bot_may_not_write_it_gives_up_and_goes_on_elsewhere() {
    for (case, status) in [("locked", 400), ("silenced", 403), ("hidden", 403), ("deleted", 404)] {
        let (scene, ann, kitchen) = guild().await;
        let bob = scene.discord.person("Bob");
        let place = if case == "locked" { kitchen.thread("aside") } else { kitchen.clone() };
        let (gate, bot) = (Gate::new(), scene.discord.bot().id());
        scene.model.play(Script::new().wait(&gate).text(&words(700)));
        ann.in_room(&place).say("tell me a story");
        gate.reached(1).await;
        match case {
            "locked" => place.lock(),
            "silenced" => place.silence(bot),
            "hidden" => place.hide_from(bot),
            _ => place.delete(),
        }
        gate.open();
        scene.discord.wait_for(|call| call.is(SEND) && call.channel == place.id()).await;
        talk(&bob, "hello").await;
        // One part was tried, the others were not, and time changes nothing.
        scene.run_for(ms(5_000)).await;
        talk(&bob, "and now?").await;
        assert_eq!(statuses(&scene, place.id()), [status], "{case}");
        assert_eq!(place.said().len(), 0, "{case}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn an_answer_to_a_thread_that_is_gone_is_not_told_to_those_in_its_channel() {
    let (scene, ann, kitchen) = guild().await;
    let thread = kitchen.private_thread("aside");
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate).text("Here it is."));
    ann.in_room(&thread).say("hello");
    gate.reached(1).await;
    thread.delete();
    gate.open();
    scene.discord.wait_for(|call| call.is(SEND) && call.channel == thread.id()).await;
    ann.say("and here?");
    ann.wait_for("You said: Ann: and here?").await;
    scene.run_for(ms(5_000)).await;
    assert_eq!(
        (statuses(&scene, thread.id()), kitchen.said()),
        (vec![404], vec!["You said: Ann: and here?".to_owned()])
    );
    scene.finish().await;
}

#[tokio::test]
async fn a_channel_in_slowmode_gets_every_part_of_an_answer_in_its_time() {
    let (scene, ann, kitchen) = guild().await;
    kitchen.slow_down(6);
    let story = words(500);
    scene.model.play(Script::new().text(&story));
    ann.say("tell me a story");
    scene
        .run_until_at_discord("its end", |_| kitchen.said().pop().filter(|part| part.contains("word499")))
        .await;
    assert!(kitchen.said().iter().flat_map(|part| part.split_whitespace()).eq(story.split_whitespace()));
    let calls = sends(&scene, kitchen.id());
    let (refused, good): (Vec<_>, Vec<_>) = calls.iter().partition(|call| call.status == 429);
    assert!(good.len() > 2 && refused.len() < good.len(), "{} and {} in vain", good.len(), refused.len());
    scene.finish().await;
}

#[tokio::test]
async fn an_answer_that_met_a_passing_401_still_arrives_before_what_comes_after_it() {
    let scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    scene.discord.inject(Fault::on_send().unauthorized());
    ann.say("hello");
    scene.discord.wait_for(|call| call.is(SEND)).await;
    ann.say("and more");
    // Whoever is told that its token is unknown asks once a minute: more of that shuts an address out.
    scene.run_until_at_discord("both", |_| (ann.said().len() == 2).then_some(())).await;
    assert_eq!(ann.said(), ["You said: hello", "You said: and more"]);
    let moments: Vec<i64> = sends(&scene, ann.channel()).iter().map(|call| call.moment).collect();
    assert!(moments[1] - moments[0] >= 60_000, "{moments:?}");
    scene.finish().await;
}

#[tokio::test]
async fn an_answer_that_is_refused_for_good_is_told_in_a_line() {
    let scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    let words = "Message was blocked by automatic moderation";
    scene.discord.inject(Fault::on_send().refuse(400, 200_000, words));
    ann.say("hello");
    ann.wait_for(FAILED).await;
    talk(&ann, "again").await;
    assert_eq!(ann.said().len(), 2, "one line and the next answer");
    scene.finish().await;
}

#[tokio::test]
async fn a_message_that_was_answered_and_is_gone_costs_no_answer() {
    let (scene, ann, kitchen) = guild().await;
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate).text("Here it is."));
    let asked = ann.say("hello");
    gate.reached(1).await;
    ann.delete(asked);
    gate.open();
    ann.wait_for("Here it is.").await;
    assert_eq!(statuses(&scene, kitchen.id()), [200]);
    scene.finish().await;
}

#[tokio::test]
async fn an_answer_that_was_refused_until_the_end_goes_out_after_the_start() {
    let mut scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    let refusals = scene.discord.inject(Fault::on_send().always());
    ann.say("one");
    scene.discord.wait_for(|call| call.is(SEND) && call.status == 500).await;
    scene.cut_off().await;
    refusals.end();
    scene.enter().await;
    ann.wait_for("You said: one").await;
    talk(&ann, "two").await;
    assert_eq!(ann.said(), ["You said: one", "You said: two"]);
    assert_eq!(scene.model.count(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn a_run_that_was_cut_off_is_told_and_runs_again_by_its_button() {
    let mut scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    let gate = Gate::new();
    scene.model.play(Script::new().text("half an ans").wait(&gate));
    ann.say("/think high one");
    gate.reached(1).await;
    ann.say("two");
    scene.cut_off().await;
    scene.enter().await;
    ann.wait_for("You said: two").await;
    let notice = ann.wait_for(RESTARTED).await;
    ann.press(notice.id, RUN).heard().await;
    ann.wait_for("You said: one").await;
    let expected = ["Thinking level set to high.", RESTARTED, "You said: two", "You said: one"];
    assert_eq!(ann.said(), expected);
    assert_eq!(scene.model.requests().pop().unwrap().effort(), Some("high"));
    scene.finish().await;
}

#[tokio::test]
async fn killed_between_the_answer_and_its_confirmation_nothing_is_doubled() {
    for landed in [false, true] {
        let streams_not = |config: &mut Value| config["channels"]["discord"]["streaming"] = json!("off");
        let scene = Scene::prepared_for_discord(streams_not).await;
        scene.discord.unlimited();
        let ann = scene.discord.person("Ann");
        let daemon = scene.spawn(scene.command(&["run", "-vv"]));
        scene.discord.line().wait_until_open().await;
        let gate = Gate::new();
        let held = Fault::on_send().held(&gate).in_channel(ann.channel());
        scene.discord.inject(if landed { held.after_commit() } else { held });
        ann.say("one");
        gate.reached(1).await;
        daemon.kill().await.unwrap();
        let daemon = scene.spawn(scene.command(&["run", "-vv"]));
        let notice = ann.wait_for(UNCONFIRMED).await;
        let mut expected = if landed { vec!["You said: one", UNCONFIRMED] } else { vec![UNCONFIRMED] };
        assert_eq!(ann.said(), expected);
        scene.discord.line().wait_until_open().await;
        ann.press(notice.id, SHOW).heard().await;
        expected.push("You said: one");
        wait_said(&scene, &ann, &expected).await;
        assert_eq!(scene.model.count(), 1);
        drop(daemon);
        scene.finish().await;
    }
}

#[tokio::test]
async fn killed_between_two_tries_of_a_refused_send_the_answer_still_goes_out_once() {
    let streams_not = |config: &mut Value| config["channels"]["discord"]["streaming"] = json!("off");
    let scene = Scene::prepared_for_discord(streams_not).await;
    scene.discord.unlimited();
    let (ann, bob) = (scene.discord.person("Ann"), scene.discord.person("Bob"));
    let daemon = scene.spawn(scene.command(&["run", "-vv"]));
    scene.discord.line().wait_until_open().await;
    scene.discord.inject(Fault::on_send().retry_after(3_600.0).in_channel(ann.channel()));
    ann.say("one");
    scene.discord.wait_for(|call| call.is(SEND) && call.status == 429).await;
    // A setting that is on disk takes everything with it that was written before.
    bob.say("/verbose off");
    bob.wait_for("Verbose").await;
    daemon.kill().await.unwrap();
    let daemon = scene.spawn(scene.command(&["run", "-vv"]));
    ann.wait_for("You said: one").await;
    scene.discord.line().wait_until_open().await;
    talk(&ann, "two").await;
    assert_eq!(ann.said(), ["You said: one", "You said: two"]);
    assert_eq!(scene.model.count(), 2);
    drop(daemon);
    scene.finish().await;
}
