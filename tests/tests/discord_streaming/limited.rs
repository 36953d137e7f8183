//! Edits that have no room, fail or are lost.

use super::*;

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
