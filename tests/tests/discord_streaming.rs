//! Answers in the making on Discord: a status that gives way to the answer, or one message that grows into it, with a button that
//! stops it, within what the channel takes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::discord::{Call, Fault, Person, Room, Seen};
use pensive_tests::gate::Gate;
use pensive_tests::model::{Failure, Script};
use pensive_tests::scene::Scene;
use pensive_tests::tools::ToolsFake;
use serde_json::{Value, json};

const SEND: &str = "POST /channels/{}/messages";
const EDIT: &str = "PATCH /channels/{}/messages/{}";
const DELETE: &str = "DELETE /channels/{}/messages/{}";
const TYPE: &str = "POST /channels/{}/typing";
const STOP: &str = "⏹ Stop";
const AT_WORK: &str = "Thinking…";
const READ: &str = "📖 Read";
const FIRST: &str = "The first line of it is a long one. ";
const SECOND: &str = "And then one more of them. ";
const END: &str = "That is all.";

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn streaming(mode: &'static str) -> impl FnOnce(&mut Value) {
    move |config| config["channels"]["discord"]["streaming"] = json!(mode)
}

/// Ann alone with the bot, at its own pace and within Discord's limits.
async fn alone(mode: &'static str) -> (Scene, Person) {
    let scene = Scene::on_discord_paced(streaming(mode)).await;
    let ann = scene.discord.person("Ann");
    (scene, ann)
}

/// The same with `read` waiting at a gate.
async fn reading(mode: &'static str) -> (Scene, Person, Gate) {
    let gate = Gate::new();
    let held = gate.clone();
    let tools = ToolsFake::new().tool("read", move |_| {
        let held = held.clone();
        async move {
            held.pass().await;
            Ok("one".to_owned())
        }
    });
    let mut scene = Scene::prepared_for_discord(|config| {
        streaming(mode)(config);
        config["agents"]["defaults"]["tools"] = json!({ "allow": ["*"] });
    })
    .await;
    scene.equip(&tools);
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    let ann = scene.discord.person("Ann");
    (scene, ann, gate)
}

/// Ann in two channels of a guild where everything is heard.
async fn guild(change: impl FnOnce(&mut Value, &str)) -> (Scene, Person, [Room; 2]) {
    let mut scene = Scene::prepared_for_discord(streaming("partial")).await;
    let ann = scene.discord.person("Ann");
    let guild = scene.discord.guild("Home", &[&ann]);
    let rooms = [guild.channel("kitchen"), guild.channel("cellar")];
    let id = guild.id().to_string();
    scene.reconfigure(|config| {
        config["channels"]["discord"]["groupPolicy"] = json!("open");
        config["channels"]["discord"]["guilds"] = json!({ &id: { "requireMention": false } });
        change(config, &id);
    });
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    (scene, ann, rooms)
}

fn of_bot(person: &Person) -> Vec<Seen> {
    person.sees().into_iter().filter(|seen| seen.by_bot).collect()
}

/// The message of the bot that begins so, once it stands.
async fn stands(scene: &Scene, person: &Person, beginning: &str) -> Seen {
    let begins = |seen: &Seen| seen.text.starts_with(beginning);
    scene.run_until_at_discord(beginning, |_| of_bot(person).into_iter().find(begins)).await
}

/// Runs until the bot has said exactly this and no Stop is left.
async fn ends(scene: &Scene, person: &Person, expected: &[&str]) {
    let look = |_: &_| {
        let said: Vec<Seen> = of_bot(person);
        let texts: Vec<&str> = said.iter().map(|seen| seen.text.as_str()).collect();
        (texts == expected && said.iter().all(|seen| seen.buttons.is_empty())).then_some(())
    };
    scene.run_until_at_discord(&format!("{expected:?}"), look).await;
}

fn good(scene: &Scene, what: &str) -> Vec<Call> {
    scene.discord.calls_where(|call| call.is(what) && call.ok())
}

/// Lets so many seconds pass, one after the other.
async fn leap(scene: &Scene, seconds: u32) {
    for _ in 0..seconds {
        scene.advance(ms(1_000));
        scene.discord.wait_within(ms(8), |_| None::<()>).await;
    }
}

#[tokio::test]
async fn by_default_a_status_stands_after_three_seconds_and_is_gone_with_the_answer() {
    let scene = Scene::on_discord_paced(|_| {}).await;
    let ann = scene.discord.person("Ann");
    let gate = Gate::new();
    scene.model.play(Script::new().text(FIRST).wait(&gate).text(END));
    ann.say("tell me");
    gate.reached(1).await;
    scene.run_for(ms(2_800)).await;
    assert_eq!(of_bot(&ann), []);
    assert!(scene.discord.typed().iter().any(|(_, channel, _)| *channel == ann.channel()));
    scene.run_for(ms(600)).await;
    let status = of_bot(&ann);
    assert_eq!(status.len(), 1);
    assert_eq!(
        (status[0].text.as_str(), status[0].buttons.as_slice()),
        (AT_WORK, [STOP.to_owned()].as_slice())
    );
    gate.open();
    let whole = format!("{FIRST}{END}");
    ends(&scene, &ann, &[&whole]).await;
    assert_ne!(of_bot(&ann)[0].id, status[0].id);
    assert!(!of_bot(&ann)[0].edited, "the answer calls its reader as a new message does");
    scene.finish().await;
}

#[tokio::test]
async fn an_answer_that_comes_at_once_has_no_status_before_it() {
    let scene = Scene::on_discord_paced(|_| {}).await;
    let ann = scene.discord.person("Ann");
    ann.say("hello");
    ends(&scene, &ann, &["You said: hello"]).await;
    scene.run_for(ms(5_000)).await;
    assert_eq!((good(&scene, SEND).len(), good(&scene, EDIT).len(), good(&scene, DELETE).len()), (1, 0, 0));
    scene.finish().await;
}

#[tokio::test]
async fn str_11_a_status_shows_the_tool_at_work_and_no_words() {
    let (scene, ann, gate) = reading("progress").await;
    let film = ann.film();
    scene.model.play(Script::new().text("Let me look. ").tool_call("read", &json!({ "path": "a.txt" })));
    scene.model.play(Script::new().text("It says one."));
    ann.say("what is in it?");
    let status = stands(&scene, &ann, READ).await;
    assert_eq!((status.text.as_str(), status.buttons.as_slice()), (READ, [STOP.to_owned()].as_slice()));
    gate.open();
    ends(&scene, &ann, &["It says one."]).await;
    assert_eq!(film.first("Let me look"), None);
    assert_eq!(good(&scene, DELETE).len(), 1);
    scene.finish().await;
}

#[tokio::test]
async fn partial_grows_one_message_that_becomes_the_answer() {
    let (scene, ann) = alone("partial").await;
    let film = ann.film();
    let gates: Vec<Gate> = (0..12).map(|_| Gate::new()).collect();
    let script = gates.iter().enumerate().fold(Script::new().text(FIRST), |script, (n, gate)| {
        script.wait(gate).text(&format!("Line number {n} is said to <@{}>. ", ann.id()))
    });
    scene.model.play(script.text("**That** is all."));
    ann.say("tell me");
    let growing = stands(&scene, &ann, "The first line").await;
    assert_eq!(growing.buttons, [STOP]);
    for gate in &gates {
        gate.reached(1).await;
        scene.run_for(ms(700)).await;
        gate.open();
    }
    let answer = scene.run_until_at_discord("the answer", |_| {
        of_bot(&ann)
            .into_iter()
            .find(|seen| seen.text.ends_with("**That** is all.") && seen.buttons.is_empty())
    });
    assert_eq!(answer.await.id, growing.id);
    assert_eq!((of_bot(&ann).len(), film.most_copies("The first line")), (1, 1));
    let edits = good(&scene, EDIT);
    assert!(edits.len() >= 5, "{} edits in eight seconds", edits.len());
    let previews: Vec<&Call> = edits.iter().filter(|call| !call.content().ends_with("all.")).collect();
    // A call may be counted a little late, but not most of them.
    let mut gaps: Vec<i64> = previews.windows(2).map(|pair| pair[1].moment - pair[0].moment).collect();
    gaps.sort_unstable();
    assert!(gaps[gaps.len() / 2] >= 1_200, "{gaps:?}");
    for call in good(&scene, SEND).iter().chain(&edits) {
        assert_eq!(call.body["allowed_mentions"]["parse"], json!([]), "{}", call.body);
    }
    assert!(
        film.frames()
            .iter()
            .flat_map(|frame| &frame.messages)
            .all(|seen| !seen.by_bot || seen.pinged.is_empty())
    );
    assert_eq!(good(&scene, DELETE).len(), 0);
    scene.finish().await;
}

#[tokio::test]
async fn str_10_at_two_thousand_characters_the_preview_stops_and_the_answer_is_split() {
    let (scene, ann) = alone("partial").await;
    let gates: Vec<Gate> = (0..4).map(|_| Gate::new()).collect();
    let part = |n: usize| (0..160).map(|k| format!("w{n}x{k} ")).collect::<String>();
    let script = (0..4).fold(Script::new(), |script, n| script.text(&part(n)).wait(&gates[n]));
    scene.model.play(script.text(END));
    ann.say("tell me all");
    let growing = stands(&scene, &ann, "w0x0").await;
    for gate in &gates {
        gate.reached(1).await;
        scene.run_for(ms(4_000)).await;
        assert_eq!(of_bot(&ann).len(), 1, "one preview, however long it is");
        gate.open();
    }
    scene
        .run_until_at_discord("the end", |_| of_bot(&ann).pop().filter(|seen| seen.text.ends_with(END)))
        .await;
    let whole = ann.said().join(" ");
    let words: Vec<&str> = whole.split_whitespace().filter(|word| word.starts_with('w')).collect();
    let wanted: Vec<String> = (0..4).flat_map(|n| (0..160).map(move |k| format!("w{n}x{k}"))).collect();
    assert_eq!(words, wanted);
    let parts = of_bot(&ann);
    assert!(parts.len() >= 3 && parts[0].id == growing.id, "{}", parts.len());
    assert!(parts.iter().all(|seen| seen.buttons.is_empty()));
    let long = scene.discord.calls_where(|call| call.status == 400);
    assert!(long.is_empty(), "{long:?}");
    scene.finish().await;
}

#[tokio::test]
async fn block_shows_whole_paragraphs_and_off_shows_nothing_before_its_end() {
    let sentence = "A sentence of some forty characters, yes. ";
    let paragraph = sentence.repeat(6).trim_end().to_owned();
    for (mode, expected) in [("block", Some(paragraph.as_str())), ("off", None)] {
        let (scene, ann) = alone(mode).await;
        let gate = Gate::new();
        scene.model.play(
            Script::new()
                .text(&format!("{paragraph}\n\nThe next has only begun to"))
                .wait(&gate)
                .text(" be. "),
        );
        ann.say("tell me");
        gate.reached(1).await;
        scene.run_for(ms(6_000)).await;
        assert_eq!(ann.said(), expected.into_iter().collect::<Vec<_>>(), "{mode}");
        gate.open();
        ends(&scene, &ann, &[&format!("{paragraph}\n\nThe next has only begun to be.")]).await;
        scene.finish().await;
    }
}

#[tokio::test]
async fn disc_14_str_01_edits_that_meet_a_429_wait_and_merge_and_the_answer_comes() {
    let (scene, ann) = alone("partial").await;
    let gates: Vec<Gate> = (0..10).map(|_| Gate::new()).collect();
    let script = gates
        .iter()
        .enumerate()
        .fold(Script::new().text(FIRST), |script, (n, gate)| script.wait(gate).text(&format!("Line {n}. ")));
    scene.model.play(script.text(END));
    ann.say("tell me");
    stands(&scene, &ann, "The first line").await;
    let hit = scene.discord.inject(Fault::on_edit().retry_after(6.0));
    for gate in &gates {
        gate.reached(1).await;
        scene.run_for(ms(1_000)).await;
        gate.open();
    }
    scene
        .run_until_at_discord("the end", |_| of_bot(&ann).pop().filter(|seen| seen.text.ends_with(END)))
        .await;
    assert_eq!(hit.hits(), 1);
    let calls = scene.discord.calls(EDIT);
    let limited = calls.iter().position(|call| call.status == 429).unwrap();
    let pause = calls[limited + 1].moment - calls[limited].moment;
    assert!((6_000..8_000).contains(&pause), "{pause} ms");
    assert_eq!(
        ann.said(),
        [format!("{FIRST}{}{END}", (0..10).map(|n| format!("Line {n}. ")).collect::<String>())]
    );
    scene.finish().await;
}

#[tokio::test]
async fn disc_14_str_02_no_edit_is_made_in_vain_however_tight_the_bucket_is() {
    for (calls, span) in [(1, 5_000), (2, 10_000), (5, 5_000)] {
        let (scene, ann) = alone("partial").await;
        scene.discord.limit(EDIT, calls, ms(span));
        let gates: Vec<Gate> = (0..40).map(|_| Gate::new()).collect();
        let script = gates.iter().enumerate().fold(Script::new().text(FIRST), |script, (n, gate)| {
            script.wait(gate).text(&format!("Line {n}. "))
        });
        scene.model.play(script.text(END));
        ann.say("tell me");
        stands(&scene, &ann, "The first line").await;
        for gate in &gates {
            gate.reached(1).await;
            scene.run_for(ms(200)).await;
            gate.open();
        }
        let whole = format!("{FIRST}{}{END}", (0..40).map(|n| format!("Line {n}. ")).collect::<String>());
        ends(&scene, &ann, &[&whole]).await;
        let edits: Vec<u16> = scene.discord.calls(EDIT).iter().map(|call| call.status).collect();
        assert!(edits.iter().all(|status| *status == 200), "{calls} in {span} ms: {edits:?}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn str_04_an_answer_is_finished_in_place_after_previews_that_failed() {
    let (scene, ann) = alone("partial").await;
    let gates = [Gate::new(), Gate::new(), Gate::new()];
    scene.model.play(
        Script::new()
            .text(FIRST)
            .wait(&gates[0])
            .text(SECOND)
            .wait(&gates[1])
            .text(SECOND)
            .wait(&gates[2])
            .text(END),
    );
    ann.say("tell me");
    let growing = stands(&scene, &ann, "The first line").await;
    scene.discord.inject(Fault::on_edit().times(2));
    for gate in &gates {
        gate.open();
        scene.run_for(ms(2_500)).await;
    }
    let whole = format!("{FIRST}{SECOND}{SECOND}{END}");
    ends(&scene, &ann, &[&whole]).await;
    assert_eq!(of_bot(&ann)[0].id, growing.id);
    scene.finish().await;
}

#[tokio::test]
async fn str_23_an_edit_whose_answer_is_lost_doubles_nothing() {
    let (scene, ann) = alone("partial").await;
    let film = ann.film();
    let gate = Gate::new();
    scene.model.play(Script::new().text(FIRST).wait(&gate).text(END));
    ann.say("tell me");
    stands(&scene, &ann, "The first line").await;
    scene.discord.inject(Fault::on_edit().reset().after_commit());
    gate.open();
    let whole = format!("{FIRST}{END}");
    scene.run_until_at_discord("the answer", |_| ann.said().contains(&whole).then_some(())).await;
    leap(&scene, 20).await;
    assert_eq!(film.most_copies("The first line"), 1, "{:?}", ann.said());
    scene.finish().await;
}

#[tokio::test]
async fn str_24_an_answer_whose_place_is_gone_comes_as_a_new_message() {
    let (scene, ann) = alone("partial").await;
    let gate = Gate::new();
    scene.model.play(Script::new().text(FIRST).wait(&gate).text(END));
    ann.say("tell me");
    let growing = stands(&scene, &ann, "The first line").await;
    ann.delete(growing.id);
    gate.open();
    ends(&scene, &ann, &[&format!("{FIRST}{END}")]).await;
    scene.finish().await;
}

#[tokio::test]
async fn the_stop_button_ends_the_run_and_keeps_what_is_there() {
    let (scene, ann) = alone("partial").await;
    let gate = Gate::new();
    scene.model.play(Script::new().text(FIRST).wait(&gate).text(END));
    ann.say("tell me");
    let growing = stands(&scene, &ann, "The first line").await;
    let pressed = ann.press(growing.id, STOP);
    scene.run_until_at_discord("a word for the press", |_| pressed.is_heard().then_some(())).await;
    assert!(pressed.heard_after().unwrap() < 3_000);
    scene.model.wait_for_abandoned(1).await;
    let stopped = scene.run_until_at_discord("the sign", |_| {
        of_bot(&ann).into_iter().find(|seen| seen.text.ends_with('⏹') && seen.buttons.is_empty())
    });
    let stopped = stopped.await;
    assert_eq!(stopped.id, growing.id);
    assert!(stopped.text.starts_with(FIRST.trim_end()), "{}", stopped.text);
    gate.open();
    scene.run_for(ms(2_000)).await;
    assert!(!ann.said().concat().contains(END));
    ann.say("and now?");
    stands(&scene, &ann, "You said: and now?").await;
    scene.finish().await;
}

#[tokio::test]
async fn str_20_no_status_stays_where_a_run_fails_or_is_stopped() {
    for is_stopped in [false, true] {
        let (scene, ann, gate) = reading("progress").await;
        scene.model.play(Script::new().tool_call("read", &json!({ "path": "a.txt" })));
        scene.model.play(Script::fail(Failure::json(401)));
        ann.say("what is in it?");
        let status = stands(&scene, &ann, READ).await;
        if is_stopped {
            ann.press(status.id, STOP).heard().await;
        } else {
            gate.open();
            stands(&scene, &ann, "⚠️").await;
        }
        let look = |_: &_| of_bot(&ann).iter().all(|seen| seen.id != status.id).then_some(());
        scene.run_until_at_discord("the end", look).await;
        assert!(of_bot(&ann).iter().all(|seen| !seen.buttons.contains(&STOP.to_owned())));
        gate.open();
        scene.finish().await;
    }
}

#[tokio::test]
async fn str_20_a_preview_of_a_run_that_fails_is_no_answer() {
    let (scene, ann) = alone("partial").await;
    let gate = Gate::new();
    scene.model.play(Script::new().text(FIRST).wait(&gate).error_event("It broke."));
    scene.model.reply_with(|_| Some(Script::fail(Failure::json(401))));
    ann.say("tell me");
    stands(&scene, &ann, "The first line").await;
    gate.open();
    stands(&scene, &ann, "⚠️").await;
    scene.run_for(ms(3_000)).await;
    assert!(of_bot(&ann).iter().all(|seen| !seen.buttons.contains(&STOP.to_owned())), "{:?}", ann.said());
    assert!(ann.said().len() <= 2, "{:?}", ann.said());
    scene.finish().await;
}

#[tokio::test]
async fn str_21_two_runs_in_two_channels_each_have_their_own_growing_message() {
    let (scene, ann, rooms) = guild(|_, _| {}).await;
    let gate = Gate::new();
    for colour in ["Red", "Blue"] {
        let script =
            Script::new().text(&format!("{colour} is what this one is all about. ")).wait(&gate).text(END);
        scene.model.reply_to(&colour.to_lowercase(), script);
    }
    let people = [ann.in_room(&rooms[0]), ann.in_room(&rooms[1])];
    let asked = [people[0].say("red"), people[1].say("blue")];
    let growing = [stands(&scene, &people[0], "Red is").await, stands(&scene, &people[1], "Blue is").await];
    gate.open();
    for (n, colour) in ["Red", "Blue"].iter().enumerate() {
        ends(&scene, &people[n], &[&format!("{colour} is what this one is all about. {END}")]).await;
        let answer = &of_bot(&people[n])[0];
        assert_eq!((answer.id, answer.reply_to), (growing[n].id, Some(asked[n])));
    }
    scene.finish().await;
}

#[tokio::test]
async fn live_reasoning_is_seen_while_the_answer_is_made_and_vanishes() {
    let (scene, ann) = alone("partial").await;
    ann.say("/reasoning stream");
    stands(&scene, &ann, "⚙️ Reasoning").await;
    let film = ann.film();
    let gates = [Gate::new(), Gate::new()];
    let thought = "I have to weigh the basalt against the granite.";
    scene.model.play(Script::new().reasoning(thought).wait(&gates[0]).text(FIRST).wait(&gates[1]).text(END));
    ann.say("tell me");
    scene.run_until_at_discord("the thought", |_| film.first("basalt")).await;
    gates[0].open();
    scene.run_until_at_discord("the text", |_| film.first("The first line")).await;
    gates[1].open();
    scene
        .run_until_at_discord("the answer", |_| {
            of_bot(&ann).pop().filter(|seen| seen.text == format!("{FIRST}{END}") && seen.buttons.is_empty())
        })
        .await;
    assert!(!ann.said().concat().contains("basalt"));
    scene.finish().await;
}

#[tokio::test]
async fn disc_12_typing_ends_with_its_run_whatever_comes_of_it() {
    for is_down in [false, true] {
        let (scene, ann) = alone("off").await;
        let down = is_down.then(|| scene.discord.inject(Fault::on(TYPE).html(502).always()));
        let gate = Gate::new();
        scene.model.play(Script::new().text(FIRST).wait(&gate).text(END));
        ann.say("tell me");
        gate.reached(1).await;
        leap(&scene, 25).await;
        let typed = scene.discord.calls(TYPE).len();
        assert!((2..=8).contains(&typed), "{typed} in 25 s");
        gate.open();
        ends(&scene, &ann, &[&format!("{FIRST}{END}")]).await;
        let before = scene.discord.calls(TYPE).len();
        leap(&scene, 40).await;
        assert_eq!(scene.discord.calls(TYPE).len(), before);
        if let Some(down) = down {
            assert!(down.hits() > 0);
        }
        scene.finish().await;
    }
}

#[tokio::test]
async fn disc_12_typing_ends_with_its_run_when_nothing_can_be_sent() {
    let (scene, ann) = alone("progress").await;
    let gate = Gate::new();
    scene.model.play(Script::new().text(FIRST).wait(&gate).text(END));
    ann.say("tell me");
    gate.reached(1).await;
    let down = scene.discord.inject(Fault::on_any().refuse(503, 0, "upstream").always());
    scene.run_for(ms(10_000)).await;
    gate.open();
    scene.model.wait_until(|model| (model.running() == 0).then_some(())).await;
    scene.run_for(ms(5_000)).await;
    let before = scene.discord.calls(TYPE).len();
    leap(&scene, 60).await;
    assert_eq!(scene.discord.calls(TYPE).len(), before);
    down.end();
    ends(&scene, &ann, &[&format!("{FIRST}{END}")]).await;
    scene.finish().await;
}

#[tokio::test]
async fn disc_11_a_long_run_holds_up_nobody() {
    let (scene, ann) = alone("progress").await;
    let bob = scene.discord.person("Bob");
    let gates: Vec<Gate> = (0..4).map(|_| Gate::new()).collect();
    scene
        .model
        .play(gates.iter().fold(Script::new(), |script, gate| script.text(FIRST).wait(gate)).text(END));
    ann.say("tell me");
    for (n, gate) in gates.iter().enumerate() {
        gate.reached(1).await;
        leap(&scene, 25).await;
        bob.say(&format!("hello {n}"));
        stands(&scene, &bob, &format!("You said: hello {n}")).await;
        if n < 3 {
            gate.open();
        }
    }
    ann.say("/think");
    stands(&scene, &ann, "Current thinking level").await;
    assert!(ann.said().iter().all(|text| !text.contains(END)));
    let hears = scene.discord.commands().iter().filter(|said| said.op == 1).count();
    assert!(hears >= 2, "{hears} heartbeats in so long a time");
    assert_eq!(scene.discord.line().sessions(), 1, "nobody had to come back");
    gates[3].open();
    scene
        .run_until_at_discord("the answer", |_| {
            ann.said().iter().any(|text| text.ends_with(END)).then_some(())
        })
        .await;
    scene.finish().await;
}

#[tokio::test]
async fn str_25_what_a_crash_left_is_taken_away_or_finished_by_the_next_start() {
    for mode in ["progress", "partial"] {
        let (mut scene, ann, gate) = reading(mode).await;
        scene.model.play(Script::new().text(FIRST).tool_call("read", &json!({ "path": "a.txt" })));
        ann.say("what is in it?");
        let beginning = if mode == "progress" { READ } else { "The first line" };
        let left = stands(&scene, &ann, beginning).await;
        scene.cut_off().await;
        gate.open();
        scene.enter().await;
        stands(&scene, &ann, "⚙️ I was restarted while answering").await;
        scene.run_for(ms(5_000)).await;
        assert!(of_bot(&ann).iter().all(|seen| seen.id != left.id), "{mode}: {:?}", ann.said());
        scene.finish().await;
    }
}

#[tokio::test]
async fn str_09_in_a_thread_everything_of_an_answer_stands_in_that_thread() {
    let (scene, ann, [kitchen, _]) = guild(|_, _| {}).await;
    let thread = kitchen.thread("aside");
    let here = ann.in_room(&thread);
    let gates = [Gate::new(), Gate::new()];
    scene.model.play(Script::new().text(FIRST).wait(&gates[0]).text(SECOND).wait(&gates[1]).text(END));
    here.say("tell me");
    stands(&scene, &here, "The first line").await;
    gates[0].open();
    scene.run_for(ms(3_000)).await;
    gates[1].open();
    ends(&scene, &here, &[&format!("{FIRST}{SECOND}{END}")]).await;
    assert_eq!(kitchen.said().len(), 0);
    assert!(scene.discord.typed().iter().all(|(_, channel, _)| *channel == thread.id()));
    scene.finish().await;
}

#[tokio::test]
async fn str_04_nothing_half_made_stays_in_a_thread_that_is_put_away_meanwhile() {
    for mode in ["partial", "progress"] {
        let streams = |config: &mut Value, _: &str| streaming(mode)(config);
        let (scene, ann, [kitchen, _]) = guild(streams).await;
        let thread = kitchen.thread("aside");
        let here = ann.in_room(&thread);
        let gate = Gate::new();
        scene.model.play(Script::new().text(FIRST).wait(&gate).text(END));
        here.say("tell me");
        stands(&scene, &here, if mode == "partial" { "The first line" } else { AT_WORK }).await;
        thread.archive();
        gate.open();
        ends(&scene, &here, &[&format!("{FIRST}{END}")]).await;
        scene.finish().await;
    }
}

#[tokio::test]
async fn live_reasoning_is_part_of_the_status_that_goes() {
    let scene = Scene::on_discord_paced(|_| {}).await;
    let ann = scene.discord.person("Ann");
    ann.say("/reasoning stream");
    stands(&scene, &ann, "⚙️ Reasoning").await;
    let film = ann.film();
    let gate = Gate::new();
    let thought = "I have to weigh the basalt against the granite. ";
    scene.model.play(Script::new().reasoning(thought).wait(&gate).text(FIRST).text(END));
    ann.say("tell me");
    scene.run_until_at_discord("the thought", |_| film.first("basalt")).await;
    let before = ann.said()[0].clone();
    gate.open();
    ends(&scene, &ann, &[&before, &format!("{FIRST}{END}")]).await;
    scene.finish().await;
}

#[tokio::test]
async fn disc_14_a_429_for_the_whole_bot_silences_previews_and_typing_everywhere() {
    let (scene, ann, rooms) = guild(|_, _| {}).await;
    let gates: Vec<Gate> = (0..6).map(|_| Gate::new()).collect();
    let script = gates.iter().fold(Script::new().text(FIRST), |script, gate| script.wait(gate).text(SECOND));
    scene.model.play(script.text(END));
    let people = [ann.in_room(&rooms[0]), ann.in_room(&rooms[1])];
    people[0].say("tell me");
    stands(&scene, &people[0], "The first line").await;
    scene.discord.inject(Fault::on_edit().global(5.0));
    for (n, gate) in gates.iter().enumerate() {
        gate.reached(1).await;
        if n == 2 {
            people[1].say("me too");
        }
        scene.run_for(ms(1_500)).await;
        gate.open();
    }
    ends(&scene, &people[0], &[&format!("{FIRST}{}{END}", SECOND.repeat(6))]).await;
    ends(&scene, &people[1], &["You said: Ann: me too"]).await;
    let calls = scene.discord.calls_where(|_| true);
    let limited = calls.iter().position(|call| call.status == 429).unwrap();
    assert_eq!(calls.iter().filter(|call| call.status == 429).count(), 1);
    let pause = calls[limited + 1].moment - calls[limited].moment;
    assert!(pause >= 5_000, "{:?} after {pause} ms", calls[limited + 1]);
    scene.finish().await;
}
