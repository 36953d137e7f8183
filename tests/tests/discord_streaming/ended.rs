//! Runs that are stopped, fail or are cut off, and what stays of them; typing.

use super::*;

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
