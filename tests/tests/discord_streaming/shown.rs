//! Answers in the making: a status, a growing message, live reasoning.

use super::*;

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
