//! Lines that break or die, and the heartbeats that tell.

use super::*;

#[tokio::test]
async fn disc_05_a_line_that_breaks_is_taken_up_again_and_nothing_is_lost_or_doubled() {
    let scene = Scene::on_discord(|_| {}).await;
    let (line, ann) = (scene.discord.line(), scene.discord.person("Ann"));
    talk(&ann, "before").await;
    let ways: [(&str, Blow); 5] = [
        ("dropped", Line::drop_connection),
        ("reset", Line::reset),
        ("broken off", Line::break_off),
        ("closed", |line| line.close(4000)),
        ("asked away", Line::ask_to_reconnect),
    ];
    let mut expected = vec!["before"];
    for (count, (way, end)) in ways.iter().enumerate() {
        end(&line);
        line.wait_until_closed().await;
        ann.say(way);
        entered(&scene, RESUME, count + 1).await;
        echo(&ann, way).await;
        expected.push(way);
        stands(&scene, DISCORD, listens).await;
    }
    talk(&ann, "after").await;
    expected.push("after");
    assert_echoed(&ann, &expected);
    assert_eq!(told(&scene, IDENTIFY).len(), 1, "the session goes on");
    assert_eq!(scene.model.count(), expected.len());
    scene.finish().await;
}

#[tokio::test]
async fn disc_05_a_dead_line_is_noticed_by_its_heartbeats_and_told_as_deaf() {
    let scene = Scene::on_discord(|_| {}).await;
    let (line, ann) = (scene.discord.line(), scene.discord.person("Ann"));
    talk(&ann, "before").await;
    first_beat(&scene).await;
    line.go_silent();
    ann.say("anybody?");
    // Nothing is noticed yet: the next heartbeat goes out, and is the one that is missed.
    scene.advance(EVERY);
    assert!(listens(&scene.state(DISCORD)));
    scene.sleep_out(EVERY, EVERY).await;
    let state = stands(&scene, DISCORD, deaf).await;
    assert!(why(&state).contains("no heartbeat was acknowledged"), "{state:?}");
    entered(&scene, RESUME, 1).await;
    stands(&scene, DISCORD, listens).await;
    echo(&ann, "anybody?").await;
    talk(&ann, "after").await;
    assert_echoed(&ann, &["before", "anybody?", "after"]);
    assert_eq!(told(&scene, IDENTIFY).len(), 1);
    scene.finish().await;
}

#[tokio::test]
async fn disc_05_heartbeats_that_are_not_acknowledged_end_a_line_that_still_brings_events() {
    let scene = Scene::on_discord(|_| {}).await;
    let (line, ann) = (scene.discord.line(), scene.discord.person("Ann"));
    first_beat(&scene).await;
    line.stop_acknowledging();
    talk(&ann, "heard all the same").await;
    scene.advance(EVERY);
    scene.sleep_out(EVERY, EVERY).await;
    stands(&scene, DISCORD, deaf).await;
    entered(&scene, RESUME, 1).await;
    talk(&ann, "and now").await;
    stands(&scene, DISCORD, listens).await;
    assert_echoed(&ann, &["heard all the same", "and now"]);
    scene.finish().await;
}

#[tokio::test]
async fn disc_06_a_missing_intent_parks_its_account_alone_and_names_the_switch() {
    let mut scene = both().await;
    scene.discord.bot().switch_message_content(false);
    scene.enter().await;
    let state = stands(&scene, DISCORD, parked).await;
    for part in [DISCORD, "Message Content Intent", "https://discord.com/developers/applications", "restart"]
    {
        assert!(why(&state).contains(part), "{part:?} is not in {state:?}");
    }
    assert!(listens(&stands(&scene, "telegram/default", listens).await));
    let bob = scene.telegram.user("Bob");
    bob.say("hello");
    scene.telegram.wait_for_text(bob.chat(), "You said: hello").await;
    // It is not tried again, however long nobody acts.
    scene.run_for(Duration::from_secs(20)).await;
    assert_eq!(told(&scene, IDENTIFY).len(), 1);

    scene.discord.bot().switch_message_content(true);
    scene.restart().await;
    scene.discord.line().wait_until_open().await;
    talk(&scene.discord.person("Ann"), "you hear me").await;
    scene.finish().await;
}

#[tokio::test]
async fn disc_07_heartbeats_go_out_to_the_millisecond_and_name_the_last_event() {
    let scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    first_beat(&scene).await;
    for round in 1..12 {
        if round % 3 == 0 {
            talk(&ann, &format!("round {round}")).await;
        }
        scene.advance(EVERY - INSTANT);
        scene.discord.wait_within(Duration::from_millis(15), |_| None::<()>).await;
        assert_eq!(told(&scene, BEAT).len(), round, "one too early");
        scene.advance(INSTANT);
        let beat = scene.discord.wait_until(|_| told(&scene, BEAT).into_iter().nth(round)).await;
        let last = scene.discord.events().iter().filter_map(|said| said.s).max();
        assert_eq!(beat.d, json!(last), "in round {round}");
        // Acknowledged, or the next round would find the line dead.
        scene.discord.wait_until(|fake| (acknowledged(&fake.events()) > round).then_some(())).await;
    }
    assert!(listens(&scene.state(DISCORD)));
    assert_eq!((told(&scene, IDENTIFY).len(), told(&scene, RESUME).len()), (1, 0));
    scene.discord.line().ask_for_heartbeat();
    scene.discord.wait_until(|_| (told(&scene, BEAT).len() == 13).then_some(())).await;
    scene.finish().await;
}

fn acknowledged(events: &[Said]) -> usize {
    events.iter().filter(|said| said.op == 11).count()
}
