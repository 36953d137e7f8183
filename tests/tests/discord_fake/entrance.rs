//! How sessions begin, who is turned away, and what is told to whom.

use serde_json::{Value, json};

use crate::{
    Bench,
    ears::{ALL, DIRECT_MESSAGES, Ears, GUILD_MESSAGES, GUILDS, Heard},
    id,
};

#[tokio::test]
async fn a_session_begins_with_hello_ready_and_the_guilds() {
    let bench = Bench::new().await;
    let alice = bench.discord.person("Alice");
    let guild = bench.discord.guild("Home", &[&alice]);
    let general = guild.channel("general");
    let aside = general.thread("aside");
    let bot = bench.discord.bot();

    let mut ears = Ears::open(&bench.discord).await;
    ears.say(1, Value::Null).await;
    ears.op(11).await;
    ears.identify(&bot.token(), ALL).await;
    let ready = ears.event("READY").await;
    assert_eq!((id(&ready["user"]["id"]), id(&ready["application"]["id"])), (bot.id(), bot.id()));
    assert_eq!(ready["guilds"], json!([{"id": guild.id().to_string(), "unavailable": true}]));
    assert!(ready["resume_gateway_url"].as_str().unwrap().starts_with("ws://127.0.0.1:"));
    let seen = ears.event("GUILD_CREATE").await;
    assert_eq!((id(&seen["channels"][0]["id"]), id(&seen["threads"][0]["id"])), (general.id(), aside.id()));
    assert_eq!(id(&seen["threads"][0]["parent_id"]), general.id());
    let role = &seen["roles"][1];
    assert_eq!((id(&role["id"]), id(&role["tags"]["bot_id"])), (guild.role_of(bot.id()).unwrap(), bot.id()));
    assert_eq!((&role["managed"], &seen["members"][0]["roles"]), (&json!(true), &json!([role["id"]])));
    assert_eq!(ears.seq, 2);
    ears.hears_nothing().await;
    assert_eq!((bench.discord.line().open(), bench.blamed()), (1, Vec::new()));
}

#[tokio::test]
async fn whoever_does_it_wrong_is_turned_away_with_the_code_that_says_so() {
    let bench = Bench::new().await;
    bench.discord.bot().switch_message_content(false);
    let token = bench.discord.token().to_owned();
    let identify = |token: &str, intents: u64, shard: Value| {
        let properties = json!({"os": "a", "browser": "b", "device": "c"});
        json!({"op": 2, "d": {"token": token, "intents": intents, "properties": properties, "shard": shard}})
    };
    let good = identify(&token, GUILDS, json!([0, 1]));
    let cases = [
        (identify("wrong", GUILDS, json!([0, 1])), 4004),
        (identify(&token, ALL, json!([0, 1])), 4014),
        (identify(&token, 1 << 40, json!([0, 1])), 4013),
        (identify(&token, GUILDS, json!([2, 2])), 4010),
        (json!({"op": 3, "d": {}}), 4003),
        (json!({"op": 5, "d": {}}), 4001),
        (json!({"op": 1, "d": "x".repeat(4_096)}), 4002),
    ];
    for (said, code) in cases {
        let mut ears = Ears::open(&bench.discord).await;
        ears.say_raw(&said.to_string()).await;
        assert_eq!(ears.hear().await, Heard::Closed(code), "{said:.80}");
    }
    let mut ears = Ears::open(&bench.discord).await;
    ears.say_raw("{").await;
    assert_eq!(ears.hear().await, Heard::Closed(4002));
    let mut ears = Ears::open(&bench.discord).await;
    ears.say_raw(&good.to_string()).await;
    ears.event("READY").await;
    ears.say_raw(&good.to_string()).await;
    assert_eq!(ears.hear().await, Heard::Closed(4005));
    let url = bench.discord.url().replace("http", "ws");
    let mut ears = Ears::open_deaf(&format!("{url}/?v=8&encoding=json")).await;
    assert_eq!(ears.hear().await, Heard::Closed(4012));
}

#[tokio::test]
async fn who_identifies_too_quickly_is_told_to_wait_and_starts_are_counted() {
    let bench = Bench::new().await;
    let clock = bench.follow();
    bench.discord.be_strict_about_identifies();
    let left = async || {
        bench.done("GET /gateway/bot", Value::Null).await["session_start_limit"]["remaining"].clone()
    };
    assert_eq!(left().await, 1_000);
    drop(bench.listen(ALL).await);
    let mut ears = Ears::open(&bench.discord).await;
    ears.identify(bench.discord.token(), ALL).await;
    assert_eq!(ears.op(9).await, false);
    clock.fetch_add(5_000, std::sync::atomic::Ordering::SeqCst);
    ears.identify(bench.discord.token(), ALL).await;
    ears.event("READY").await;
    assert_eq!(left().await, 998);
}

#[tokio::test]
async fn content_is_hidden_without_the_intent_save_from_those_it_concerns() {
    let bench = Bench::new().await;
    let alice = bench.discord.person("Alice");
    let guild = bench.discord.guild("Home", &[&alice]);
    let there = alice.in_room(&guild.channel("general"));
    let mut ears = bench.listen(GUILDS | GUILD_MESSAGES | DIRECT_MESSAGES).await;
    ears.event("GUILD_CREATE").await;
    there.send("secret", &[("a.txt", "text/plain", b"a")]);
    let event = ears.event("MESSAGE_CREATE").await;
    assert_eq!((&event["content"], &event["attachments"]), (&json!(""), &json!([])));
    assert_eq!((id(&event["guild_id"]), id(&event["author"]["id"])), (guild.id(), alice.id()));
    assert!(event["member"]["roles"].is_array());
    there.mention_and_say("open");
    assert!(ears.event("MESSAGE_CREATE").await["content"].as_str().unwrap().ends_with("open"));
    alice.say("between us");
    let event = ears.event("MESSAGE_CREATE").await;
    assert_eq!((&event["content"], event.get("guild_id")), (&json!("between us"), None));

    let mut ears = bench.listen(GUILDS | DIRECT_MESSAGES).await;
    ears.event("GUILD_CREATE").await;
    there.say("not asked for");
    ears.hears_nothing().await;
}

#[tokio::test]
async fn shards_hear_of_their_own_guilds_and_the_first_of_direct_messages() {
    let bench = Bench::new().await;
    let alice = bench.discord.person("Alice");
    let guild = bench.discord.guild("Home", &[&alice]);
    let general = guild.channel("general");
    bench.discord.bot().recommend_shards(2);
    assert_eq!(bench.done("GET /gateway/bot", Value::Null).await["shards"], 2);
    let home = (guild.id() >> 22) % 2;
    let mut shards = Vec::new();
    for shard in 0..2 {
        let mut ears = Ears::open(&bench.discord).await;
        ears.identify_with(bench.discord.token(), ALL, json!({"shard": [shard, 2]})).await;
        let ready = ears.event("READY").await;
        assert_eq!(ready["guilds"].as_array().unwrap().len(), usize::from(shard == home));
        if shard == home {
            ears.event("GUILD_CREATE").await;
        }
        shards.push(ears);
    }
    alice.in_room(&general).say("to the guild");
    alice.say("to the bot");
    for (shard, ears) in shards.iter_mut().enumerate() {
        if u64::try_from(shard).unwrap() == home {
            assert_eq!(ears.event("MESSAGE_CREATE").await["content"], "to the guild");
        }
        if shard == 0 {
            assert_eq!(ears.event("MESSAGE_CREATE").await["content"], "to the bot");
        }
        ears.hears_nothing().await;
    }
}

#[tokio::test]
async fn what_becomes_of_channels_roles_and_members_is_told() {
    let bench = Bench::new().await;
    let alice = bench.discord.person("Alice");
    let guild = bench.discord.guild("Home", &[&alice]);
    let general = guild.channel("general");
    let mut ears = bench.listen(ALL).await;
    ears.event("GUILD_CREATE").await;
    let aside = general.thread("aside");
    assert_eq!(ears.event("THREAD_CREATE").await["newly_created"], true);
    aside.archive();
    assert_eq!(ears.event("THREAD_UPDATE").await["thread_metadata"]["archived"], true);
    aside.delete();
    let stub = json!({
        "id": aside.id().to_string(), "guild_id": guild.id().to_string(), "parent_id": general.id().to_string(),
        "type": 11,
    });
    assert_eq!(ears.event("THREAD_DELETE").await, stub);
    let role = guild.role("Friends");
    assert_eq!(id(&ears.event("GUILD_ROLE_CREATE").await["role"]["id"]), role);
    assert_eq!(guild.role("Friends"), role);
    let second = bench.discord.add_bot("Second");
    guild.join(second.id());
    let event = ears.event("GUILD_ROLE_CREATE").await;
    assert_eq!(id(&event["role"]["tags"]["bot_id"]), second.id());
    general.delete();
    assert_eq!(id(&ears.event("CHANNEL_DELETE").await["id"]), general.id());
    guild.part(bench.discord.bot().id());
    assert_eq!(ears.event("GUILD_DELETE").await, json!({"id": guild.id().to_string()}));
}
