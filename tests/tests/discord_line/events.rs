//! What comes over a line: odd frames, the same twice, much at once, over several shards.

use super::*;

#[tokio::test]
async fn frames_and_events_that_nobody_expects_are_passed_over_on_the_same_line() {
    let scene = Scene::on_discord(|_| {}).await;
    let (line, ann) = (scene.discord.line(), scene.discord.person("Ann"));
    for text in
        ["", "{\"t\":\"MESSAGE_CREATE\"", "[]", "null", "nonsense", "{\"op\":\"0\"}", "{\"op\":999,\"d\":{}}"]
    {
        line.raw(text);
    }
    talk(&ann, "after bad frames").await;
    let odd = [json!({}), json!(null), json!([1]), json!({"id": "x", "channel_id": -3, "content": 7})];
    for kind in [
        "MESSAGE_CREATE",
        "MESSAGE_UPDATE",
        "INTERACTION_CREATE",
        "GUILD_CREATE",
        "THREAD_UPDATE",
        "FUTURE_EVENT",
    ] {
        odd.iter().for_each(|data| line.event(kind, data));
    }
    line.event(
        "TYPING_START",
        &json!({"channel_id": ann.channel().to_string(), "user_id": ann.id().to_string()}),
    );
    line.event("GUILD_DELETE", &json!({"id": "77", "unavailable": true}));
    line.event("CHANNEL_DELETE", &json!({"id": "78", "guild_id": "77", "type": 0}));
    line.event("THREAD_LIST_SYNC", &json!({"guild_id": "77", "threads": [], "members": []}));
    line.event("RESUMED", &json!({}));
    talk(&ann, "after odd events").await;
    assert_echoed(&ann, &["after bad frames", "after odd events"]);
    assert_eq!((told(&scene, IDENTIFY).len(), told(&scene, RESUME).len()), (1, 0));
    assert!(listens(&scene.state(DISCORD)));
    scene.finish().await;
}

#[tokio::test]
async fn rst_04_an_event_that_comes_again_is_answered_once() {
    let scene = Scene::on_discord(|_| {}).await;
    let (line, ann) = (scene.discord.line(), scene.discord.person("Ann"));
    talk(&ann, "one").await;
    line.replay("MESSAGE_CREATE");
    line.repeat("MESSAGE_CREATE");
    line.drop_connection();
    entered(&scene, RESUME, 1).await;
    line.repeat("MESSAGE_CREATE");
    talk(&ann, "two").await;
    assert_echoed(&ann, &["one", "two"]);
    assert_eq!(scene.model.count(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn a_huge_guild_is_taken_in_and_its_threads_are_known() {
    let (scene, people) = with_guild().await;
    for number in 0..1_500 {
        people.guild.channel(&format!("channel-{number}"));
    }
    let attic = people.guild.channel("attic");
    let threads: Vec<_> = (0..50).map(|number| attic.thread(&format!("thread-{number}"))).collect();
    // All of it in one event.
    scene.discord.line().invalidate(Resumable::No);
    entered(&scene, IDENTIFY, 2).await;
    let ann = people.ann.in_room(threads.last().unwrap());
    talk(&ann, "up here").await;
    assert_echoed(&ann, &["up here"]);
    assert!(scene.discord.calls("GET /channels/{}").is_empty(), "the guild said what the channel is");
    scene.finish().await;
}

#[tokio::test]
async fn two_shards_hear_their_guilds_and_the_first_direct_messages_too() {
    let mut scene = Scene::prepared_for_discord(|_| {}).await;
    scene.discord.unlimited();
    scene.discord.bot().recommend_shards(2);
    let ann = scene.discord.person("Ann");
    let mut guilds: [Option<Guild>; 2] = [None, None];
    while guilds.iter().any(Option::is_none) {
        scene.advance(INSTANT);
        let guild = scene.discord.guild("One more", &[&ann]);
        let shard = usize::from(guild.id() >> 22 & 1 == 1);
        guilds[shard].get_or_insert(guild);
    }
    let guilds = guilds.map(Option::unwrap);
    scene.reconfigure(|config| {
        let discord = &mut config["channels"]["discord"];
        discord["streaming"] = json!("off");
        discord["groupPolicy"] = json!("open");
        let rule = json!({ "requireMention": false });
        discord["guilds"] = json!({ guilds[0].id().to_string(): rule, guilds[1].id().to_string(): rule });
    });
    scene.enter().await;
    let line = scene.discord.line();
    scene.run_until_at_discord("both lines", |fake| (fake.line().open() == 2).then_some(())).await;
    let shards: Vec<Value> = told(&scene, IDENTIFY).iter().map(|said| said.d["shard"].clone()).collect();
    assert!(shards.contains(&json!([0, 2])) && shards.contains(&json!([1, 2])), "{shards:?}");
    stands(&scene, DISCORD, listens).await;
    let rooms = guilds.each_ref().map(|guild| ann.in_room(&guild.channel("hall")));
    talk(&rooms[0], "here").await;
    talk(&rooms[1], "and there").await;
    talk(&ann, "alone").await;

    // One of them is away: the other goes on, and what was missed is not.
    line.shard(1).drop_connection();
    line.wait_for(1).await;
    rooms[1].say("while you were away");
    talk(&rooms[0], "meanwhile").await;
    talk(&ann, "meanwhile").await;
    entered(&scene, RESUME, 1).await;
    echo(&rooms[1], "while you were away").await;
    assert_echoed(&rooms[0], &["here", "meanwhile"]);
    assert_echoed(&rooms[1], &["and there", "while you were away"]);
    assert_echoed(&ann, &["alone", "meanwhile"]);
    assert_eq!(scene.model.count(), 6);
    scene.finish().await;
}

#[tokio::test]
async fn shards_start_one_after_the_other_as_discord_wants_it() {
    let mut scene = Scene::prepared_for_discord(|_| {}).await;
    scene.discord.bot().recommend_shards(3);
    scene.discord.be_strict_about_identifies();
    scene.enter().await;
    scene.run_until_at_discord("three lines", |fake| (fake.line().open() == 3).then_some(())).await;
    assert_eq!(told(&scene, IDENTIFY).len(), 3, "none was turned away");
    scene.finish().await;
}

#[tokio::test]
async fn used_up_starts_are_waited_for_and_said() {
    let mut scene = Scene::prepared_for_discord(|_| {}).await;
    scene.discord.bot().limit_starts(0, Duration::from_mins(10));
    scene.enter().await;
    let state = stands(&scene, DISCORD, waits).await;
    assert!(why(&state).contains("no more sessions for 10 min"), "{state:?}");
    assert!(told(&scene, IDENTIFY).is_empty());
    scene.advance(Duration::from_mins(9));
    scene.run_for(Duration::from_secs(1)).await;
    assert!(told(&scene, IDENTIFY).is_empty());
    scene.discord.bot().limit_starts(1_000, Duration::from_hours(24));
    scene.advance(Duration::from_mins(1));
    scene.discord.line().wait_until_open().await;
    stands(&scene, DISCORD, listens).await;
    scene.discord.unlimited();
    talk(&scene.discord.person("Ann"), "hello").await;
    scene.finish().await;
}
