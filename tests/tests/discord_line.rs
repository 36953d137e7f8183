//! The line to Discord's gateway: it breaks, dies, is refused and is moved, and people notice none of it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_contract::intake::AccountState;
use pensive_tests::discord::{Fault, Guild, Line, Person, Resumable, Said};
use pensive_tests::scene::{Scene, discord_keys};
use serde_json::{Value, json};

const DISCORD: &str = "discord/default";
const LOOKUP: &str = "GET /gateway/bot";
/// `heartbeat_interval`, as Discord has it.
const EVERY: Duration = Duration::from_millis(41_250);
const INSTANT: Duration = Duration::from_millis(1);

/// What is done to a line.
type Blow = fn(&Line);

const BEAT: u64 = 1;
const IDENTIFY: u64 = 2;
const RESUME: u64 = 6;

/// Says something and waits for its echo: whatever was to come before has come then.
async fn talk(person: &Person, text: &str) {
    person.say(text);
    echo(person, text).await;
}

/// Waits for the echo of what Ann said, alone or among others, who are told who said what.
async fn echo(person: &Person, text: &str) {
    person.wait_for(text).await;
}

/// Exactly these have been echoed, in this order and each once.
#[track_caller]
fn assert_echoed(person: &Person, texts: &[&str]) {
    let said = person.said();
    let bare = |text: &String| text.trim_start_matches("You said: ").trim_start_matches("Ann: ").to_owned();
    assert_eq!(said.iter().map(bare).collect::<Vec<_>>(), texts, "{said:?}");
}

/// What the daemon said on its lines under this opcode.
fn told(scene: &Scene, op: u64) -> Vec<Said> {
    let commands = scene.discord.commands();
    commands.into_iter().filter(|said| said.closed.is_none() && said.op == op).collect()
}

/// Waits until `count` sessions were started or taken up, and lets the pauses before it pass.
async fn entered(scene: &Scene, op: u64, count: usize) {
    scene.run_until_at_discord("a session", |_| (told(scene, op).len() >= count).then_some(())).await;
    scene.discord.line().wait_until_open().await;
}

/// Waits for a state without letting time pass.
async fn stands(scene: &Scene, account: &str, wanted: fn(&AccountState) -> bool) -> AccountState {
    for _ in 0..2_000 {
        let state = scene.state(account);
        if wanted(&state) {
            return state;
        }
        scene.discord.wait_within(Duration::from_millis(5), |_| None::<()>).await;
    }
    panic!("{account} is {:?}", scene.state(account))
}

fn listens(state: &AccountState) -> bool {
    matches!(state, AccountState::Listening { .. })
}

fn deaf(state: &AccountState) -> bool {
    matches!(state, AccountState::Deaf { .. })
}

fn waits(state: &AccountState) -> bool {
    matches!(state, AccountState::Retrying { .. })
}

fn parked(state: &AccountState) -> bool {
    matches!(state, AccountState::Parked { .. })
}

/// The words of a state that has some.
fn why(state: &AccountState) -> &str {
    match state {
        AccountState::Parked { why } | AccountState::Retrying { why } | AccountState::Deaf { why } => why,
        other => panic!("{other:?}"),
    }
}

/// A bot on Discord and one on Telegram.
async fn both() -> Scene {
    let mut scene = Scene::prepared(|_| {}).await;
    scene.discord.unlimited();
    let keys = discord_keys(&scene.discord.url(), scene.discord.token());
    scene.reconfigure(|config| {
        config["channels"]["discord"] = keys;
        config["channels"]["discord"]["streaming"] = json!("off");
        config["channels"]["telegram"]["streaming"] = json!("off");
    });
    scene
}

/// Lets time pass up to the first heartbeat; it is sent when the clock stands still.
async fn first_beat(scene: &Scene) {
    for _ in 0..45 {
        if scene.discord.wait_within(Duration::from_millis(8), |_| told(scene, BEAT).pop()).await.is_some() {
            return;
        }
        scene.advance(Duration::from_secs(1));
    }
    panic!("no heartbeat in 45 s")
}

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

/// A person alone with the bot and in two places of a guild where everything that is said is heard.
struct Places {
    guild: Guild,
    ann: Person,
    kitchen: Person,
    thread: Person,
}

async fn with_guild() -> (Scene, Places) {
    let mut scene = Scene::prepared_for_discord(|_| {}).await;
    scene.discord.unlimited();
    let ann = scene.discord.person("Ann");
    let guild = scene.discord.guild("Home", &[&ann]);
    let room = guild.channel("kitchen");
    let thread = room.thread("cooking");
    scene.reconfigure(|config| {
        let discord = &mut config["channels"]["discord"];
        discord["streaming"] = json!("off");
        discord["groupPolicy"] = json!("open");
        discord["guilds"] = json!({ guild.id().to_string(): { "requireMention": false } });
    });
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    let (kitchen, thread) = (ann.in_room(&room), ann.in_room(&thread));
    (scene, Places { guild, ann, kitchen, thread })
}
