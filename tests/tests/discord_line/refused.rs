//! Lookups, tokens, close codes and sessions that are refused.

use super::*;

#[tokio::test]
async fn disc_08_a_limited_lookup_of_the_gateway_is_waited_out() {
    let mut scene = Scene::prepared_for_discord(|_| {}).await;
    let limited = scene.discord.inject(Fault::on(LOOKUP).retry_after(7.0).times(2));
    scene.enter().await;
    let state = stands(&scene, DISCORD, waits).await;
    assert!(!parked(&state), "{state:?}");
    scene.run_until_at_discord("the line", |fake| (fake.line().open() == 1).then_some(())).await;
    assert_eq!(limited.hits(), 2);
    let asked: Vec<i64> = scene.discord.calls(LOOKUP).iter().map(|call| call.moment).collect();
    let apart: Vec<i64> = asked.windows(2).map(|two| two[1] - two[0]).collect();
    assert!(apart.len() == 2 && apart.iter().all(|apart| *apart >= 7_000), "{apart:?}");
    stands(&scene, DISCORD, listens).await;
    scene.discord.unlimited();
    talk(&scene.discord.person("Ann"), "hello").await;
    scene.finish().await;
}

#[tokio::test]
async fn disc_08_a_gateway_that_is_down_at_the_start_is_asked_again_until_it_is_up() {
    let mut scene = both().await;
    let down = scene.discord.inject(Fault::on_any().html(502).always());
    scene.enter().await;
    let state = stands(&scene, DISCORD, waits).await;
    assert!(why(&state).contains("502"), "{state:?}");
    let bob = scene.telegram.user("Bob");
    bob.say("hello");
    scene.telegram.wait_for_text(bob.chat(), "You said: hello").await;
    scene.run_for(Duration::from_secs(10)).await;
    assert!(down.hits() > 2, "{}", down.hits());
    down.end();
    scene.run_until_at_discord("the line", |fake| (fake.line().open() == 1).then_some(())).await;
    talk(&scene.discord.person("Ann"), "hello").await;
    scene.finish().await;
}

#[tokio::test]
async fn disc_08_a_refused_token_parks_the_account_and_is_not_tried_again() {
    for late in [false, true] {
        let mut scene = both().await;
        if !late {
            scene.discord.bot().revoke();
        }
        scene.enter().await;
        if late {
            scene.discord.line().wait_until_open().await;
            scene.discord.bot().revoke();
            scene.discord.line().close(4004);
        }
        let state = stands(&scene, DISCORD, parked).await;
        for part in [DISCORD, "refused its token", "Reset Token", "restart"] {
            assert!(why(&state).contains(part), "{part:?} is not in {state:?}");
        }
        assert!(!why(&state).contains(scene.discord.token()));
        let (calls, said) = (scene.discord.call_count(), scene.discord.commands().len());
        scene.run_for(Duration::from_secs(20)).await;
        assert_eq!((scene.discord.call_count(), scene.discord.commands().len()), (calls, said));
        let bob = scene.telegram.user("Bob");
        bob.say("hello");
        scene.telegram.wait_for_text(bob.chat(), "You said: hello").await;
        scene.finish().await;
    }
}

#[tokio::test]
async fn close_codes_that_no_attempt_helps_against_park_the_account_with_what_to_do() {
    for (code, advice) in [
        (4010, "shards"),
        (4011, "shards"),
        (4012, "a newer Pensive"),
        (4013, "a newer Pensive"),
        (4014, "Message Content Intent"),
    ] {
        let scene = Scene::on_discord(|_| {}).await;
        scene.discord.line().close(code);
        let state = stands(&scene, DISCORD, parked).await;
        assert!(why(&state).contains(advice) && why(&state).contains(&code.to_string()), "{state:?}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn close_codes_that_pass_are_survived_with_the_session_or_a_new_one() {
    let scene = Scene::on_discord(|_| {}).await;
    let (line, ann) = (scene.discord.line(), scene.discord.person("Ann"));
    talk(&ann, "before").await;
    let (mut resumes, mut starts, mut expected) = (0, 1, vec!["before".to_owned()]);
    for code in [1000, 1001, 1011, 4000, 4001, 4002, 4003, 4005, 4007, 4008, 4009, 4321] {
        let fresh = matches!(code, 1000 | 1001 | 4007 | 4009);
        line.close(code);
        line.wait_until_closed().await;
        let text = format!("after {code}");
        ann.say(&text);
        if fresh {
            starts += 1;
            entered(&scene, IDENTIFY, starts).await;
        } else {
            resumes += 1;
            entered(&scene, RESUME, resumes).await;
        }
        echo(&ann, &text).await;
        expected.push(text);
        stands(&scene, DISCORD, listens).await;
        resumes = told(&scene, RESUME).len();
    }
    assert_echoed(&ann, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    scene.finish().await;
}

#[tokio::test]
async fn disc_09_every_session_has_the_intents_of_the_first() {
    let scene = Scene::on_discord(|_| {}).await;
    let (line, ann) = (scene.discord.line(), scene.discord.person("Ann"));
    for count in 2..5 {
        line.invalidate(Resumable::No);
        entered(&scene, IDENTIFY, count).await;
        // Without the intent the text would be empty.
        talk(&ann, &format!("session {count}")).await;
    }
    let intents: Vec<Value> = told(&scene, IDENTIFY).iter().map(|said| said.d["intents"].clone()).collect();
    assert_eq!(intents.len(), 4);
    assert!(intents.iter().all(|given| given.as_u64().unwrap() & 1 << 15 != 0), "{intents:?}");
    assert!(intents.iter().all(|given| *given == intents[0]), "{intents:?}");
    scene.finish().await;
}

#[tokio::test]
async fn a_session_that_may_go_on_is_resumed_after_op_9_with_its_number() {
    let scene = Scene::on_discord(|_| {}).await;
    let (line, ann) = (scene.discord.line(), scene.discord.person("Ann"));
    talk(&ann, "before").await;
    let last = scene.discord.events().iter().filter_map(|said| said.s).max().unwrap();
    line.invalidate(Resumable::Yes);
    line.wait_until_closed().await;
    ann.say("meanwhile");
    entered(&scene, RESUME, 1).await;
    echo(&ann, "meanwhile").await;
    let resume = told(&scene, RESUME).pop().unwrap();
    assert_eq!(resume.d["seq"], json!(last));
    assert_echoed(&ann, &["before", "meanwhile"]);
    scene.finish().await;
}

#[tokio::test]
async fn rst_07_what_was_written_while_there_was_no_session_is_read_from_the_channels() {
    let (scene, people) = with_guild().await;
    let Places { ann, kitchen, thread, .. } = &people;
    talk(ann, "one").await;
    talk(kitchen, "two").await;
    talk(thread, "three").await;
    scene.discord.line().invalidate(Resumable::No);
    ann.say("four");
    ann.say("five");
    kitchen.say("six");
    thread.say("seven");
    entered(&scene, IDENTIFY, 2).await;
    for (person, last) in [(ann, "five"), (kitchen, "six"), (thread, "seven")] {
        echo(person, last).await;
    }
    talk(ann, "eight").await;
    let joined = ann.said().join("\n");
    let order: Vec<usize> = ["one", "four", "five", "eight"].map(|text| joined.find(text).unwrap()).to_vec();
    assert!(order.is_sorted(), "{joined}");
    assert_echoed(kitchen, &["two", "six"]);
    assert_echoed(thread, &["three", "seven"]);
    for text in ["one", "four", "five", "eight"] {
        assert_eq!(joined.matches(text).count(), 1, "{joined}");
    }
    scene.finish().await;
}

#[tokio::test]
async fn a_resume_that_is_refused_ends_in_a_new_session_with_what_was_missed() {
    let scene = Scene::on_discord(|_| {}).await;
    let (line, ann) = (scene.discord.line(), scene.discord.person("Ann"));
    talk(&ann, "before").await;
    scene.discord.refuse_resumes(1);
    line.drop_connection();
    line.wait_until_closed().await;
    ann.say("meanwhile");
    entered(&scene, IDENTIFY, 2).await;
    echo(&ann, "meanwhile").await;
    talk(&ann, "after").await;
    assert_echoed(&ann, &["before", "meanwhile", "after"]);
    assert_eq!(told(&scene, RESUME).len(), 1);
    scene.finish().await;
}
