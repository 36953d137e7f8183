//! Bots on two platforms in one daemon: what goes wrong with one of them is felt by no other.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_contract::intake::AccountState;
use pensive_tests::discord::{BotAccount as DiscordBot, Fault, Person as Member};
use pensive_tests::program::finish;
use pensive_tests::scene::{Scene, discord_keys};
use pensive_tests::telegram::{self, BotAccount as TelegramBot, Person};
use serde_json::{Value, json};

/// Two bots on each platform, and somebody who talks to all of them.
struct Town {
    scene: Scene,
    telegram: [TelegramBot; 2],
    discord: [DiscordBot; 2],
    on_telegram: [Person; 2],
    on_discord: [Member; 2],
}

/// What may be in trouble.
const ALL: [&str; 4] = ["telegram/default", "telegram/second", "discord/default", "discord/second"];

impl Town {
    /// Nothing runs yet.
    async fn prepared() -> Self {
        let mut scene = Scene::prepared(|_| {}).await;
        scene.discord.unlimited();
        let telegram = [scene.telegram.bot(), scene.telegram.add_bot("second_bot")];
        let discord = [scene.discord.bot(), scene.discord.add_bot("Second")];
        let keys = discord_keys(&scene.discord.url(), scene.discord.token());
        scene.reconfigure(|config| {
            let channels = &mut config["channels"];
            channels["discord"] = keys;
            channels["discord"]["accounts"] = json!({ "second": { "token": discord[1].token() } });
            channels["telegram"]["accounts"] = json!({ "second": { "botToken": telegram[1].token() } });
            channels["discord"]["streaming"] = json!("off");
            channels["telegram"]["streaming"] = json!("off");
        });
        let ann = scene.telegram.user("Ann");
        let on_telegram = [ann.clone(), ann.to_bot(&telegram[1])];
        let ann = scene.discord.person("Ann");
        let on_discord = [ann.clone(), ann.with(discord[1].id())];
        Self { scene, telegram, discord, on_telegram, on_discord }
    }

    /// All listen.
    async fn open() -> Self {
        let mut town = Self::prepared().await;
        town.scene.enter().await;
        for account in ALL {
            town.stands(account, listens).await;
        }
        town
    }

    /// Waits for a state without letting time pass.
    async fn stands(&self, account: &str, wanted: fn(&AccountState) -> bool) -> AccountState {
        for _ in 0..2_000 {
            let state = self.scene.state(account);
            if wanted(&state) {
                return state;
            }
            self.scene.discord.wait_within(Duration::from_millis(5), |_| None::<()>).await;
        }
        panic!("{account} is {:?}", self.scene.state(account))
    }

    /// Everybody but one answers `text`, without the clock having to move.
    async fn others_answer(&self, troubled: &str, text: &str) {
        for (account, person) in
            ALL.iter().zip(&self.on_telegram).filter(|(account, _)| **account != troubled)
        {
            person.say(text);
            let bot = &self.telegram[usize::from(account.ends_with("second"))];
            let wanted = format!("You said: {text}");
            let look = |_: &_| bot.messages(person.chat()).into_iter().find(|seen| seen.text == wanted);
            let seen = self.scene.telegram.wait_within(Duration::from_secs(10), look).await;
            assert!(seen.is_some(), "{account} is kept from answering by {troubled}");
        }
        for (account, person) in
            ALL[2..].iter().zip(&self.on_discord).filter(|(account, _)| **account != troubled)
        {
            person.say(text);
            let wanted = format!("You said: {text}");
            let look = |_: &_| person.said().contains(&wanted).then_some(());
            let seen = self.scene.discord.wait_within(Duration::from_secs(10), look).await;
            assert!(seen.is_some(), "{account} is kept from answering by {troubled}");
        }
        for account in ALL.iter().filter(|account| **account != troubled) {
            assert!(listens(&self.scene.state(account)), "{account}: {:?}", self.scene.state(account));
        }
    }

    /// Everybody answers, while time goes on: a poll that began long ago is given up and asked anew after a pause.
    async fn all_answer(&self, text: &str) {
        let passing = async {
            loop {
                self.scene.run_for(Duration::from_millis(100)).await;
            }
        };
        tokio::select! {
            biased;
            () = self.others_answer("nobody", text) => {}
            () = passing => unreachable!("time never ends"),
        }
    }

    fn second(&self) -> u64 {
        self.discord[1].id()
    }
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

const SECOND: &str = "discord/second";
const UNCONFIRMED: &str = "⚙️ I could not confirm that my last answer arrived.";

#[tokio::test]
async fn every_bot_answers_its_own_people_under_its_own_name() {
    let town = Town::open().await;
    town.others_answer("nobody", "hello").await;
    let names: Vec<String> = ALL
        .iter()
        .map(|account| match town.scene.state(account) {
            AccountState::Listening { name } => name,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(names, ["@pensive_test_bot", "@second_bot", "@PensiveTest", "@Second"]);
    assert_eq!(town.on_discord[0].said().len(), 1);
    assert_eq!(town.on_discord[1].said().len(), 1);
    town.scene.finish().await;
}

#[tokio::test]
async fn a_refused_token_parks_one_bot_and_the_three_others_answer() {
    let mut town = Town::open().await;
    town.discord[1].revoke();
    town.discord[1].line().close(4004);
    town.stands(SECOND, parked).await;
    town.others_answer(SECOND, "still there?").await;
    // The operator puts it right.
    town.discord[1].restore();
    town.scene.restart().await;
    let line = town.discord[1].line();
    // Its session ended with the token: that is found out, and a new one is started after a pause.
    town.scene.run_until_at_discord("its line", |_| (line.open() == 1).then_some(())).await;
    town.stands(SECOND, listens).await;
    town.all_answer("all of you?").await;
    town.scene.finish().await;
}

#[tokio::test]
async fn disc_06_an_intent_that_is_off_stops_one_bot_of_four() {
    let mut town = Town::prepared().await;
    town.discord[1].switch_message_content(false);
    town.scene.enter().await;
    let AccountState::Parked { why } = town.stands(SECOND, parked).await else { unreachable!() };
    assert!(why.contains(SECOND) && why.contains("Message Content Intent"), "{why}");
    for account in ALL.iter().filter(|account| **account != SECOND) {
        town.stands(account, listens).await;
    }
    town.others_answer(SECOND, "hello").await;
    town.scene.finish().await;
}

#[tokio::test]
async fn disc_05_a_dead_line_leaves_the_others_theirs() {
    let town = Town::open().await;
    town.discord[1].line().go_silent();
    town.others_answer(SECOND, "while it is dead").await;
    for _ in 0..45 {
        if deaf(&town.scene.state(SECOND)) {
            break;
        }
        town.scene.run_for(Duration::from_millis(100)).await;
        town.scene.advance(Duration::from_secs(2));
    }
    town.scene.run_until_at_discord("its line", |_| (town.discord[1].line().open() == 1).then_some(())).await;
    town.stands(SECOND, listens).await;
    town.all_answer("all of you?").await;
    town.scene.finish().await;
}

#[tokio::test]
async fn a_bot_whose_every_call_is_limited_holds_nobody_up() {
    let town = Town::open().await;
    let limited =
        town.scene.discord.inject(Fault::on_send().retry_after(3_600.0).for_bot(town.second()).always());
    town.on_discord[1].say("anybody?");
    town.scene.discord.wait_until(|_| (limited.hits() > 0).then_some(())).await;
    town.others_answer(SECOND, "hello").await;
    assert!(town.on_discord[1].said().is_empty());
    limited.end();
    // What it owes goes out when it may.
    town.scene.advance(Duration::from_hours(1));
    let owed = |_: &_| town.on_discord[1].said().contains(&"You said: anybody?".to_owned()).then_some(());
    town.scene.run_until_at_discord("what is owed", owed).await;
    town.scene.finish().await;
}

#[tokio::test]
async fn a_global_limit_is_one_bots_own() {
    let town = Town::open().await;
    let limited = town.scene.discord.inject(Fault::on_send().global(600.0).for_bot(town.second()).always());
    town.on_discord[1].say("anybody?");
    town.scene.discord.wait_until(|_| (limited.hits() > 0).then_some(())).await;
    town.others_answer(SECOND, "hello").await;
    assert_eq!(limited.hits(), 1, "nothing is sent before the time that was named");
    limited.end();
    town.scene.advance(Duration::from_mins(10));
    let owed = |_: &_| town.on_discord[1].said().contains(&"You said: anybody?".to_owned()).then_some(());
    town.scene.run_until_at_discord("what is owed", owed).await;
    town.scene.finish().await;
}

#[tokio::test]
async fn a_bot_whose_calls_hang_holds_nobody_up() {
    let town = Town::open().await;
    let hung = town.scene.discord.inject(Fault::on_send().silence().for_bot(town.second()));
    town.on_discord[1].say("anybody?");
    town.scene.discord.wait_until(|_| (hung.hits() > 0).then_some(())).await;
    town.others_answer(SECOND, "hello").await;
    // It is given up some time, and nobody can know what became of it.
    let told = |_: &_| town.on_discord[1].said().iter().any(|text| text == UNCONFIRMED).then_some(());
    town.scene.run_until_at_discord("the word", told).await;
    town.all_answer("all of you?").await;
    town.scene.finish().await;
}

#[tokio::test]
async fn a_lookup_that_hangs_or_fails_at_the_start_holds_nobody_up() {
    for fault in [Fault::on("GET /gateway/bot").silence(), Fault::on("GET /users/@me").html(503)] {
        let mut town = Town::prepared().await;
        let faulty = town.scene.discord.inject(fault.for_bot(town.second()).always());
        town.scene.enter().await;
        town.scene.discord.wait_until(|_| (faulty.hits() > 0).then_some(())).await;
        for account in ALL.iter().filter(|account| **account != SECOND) {
            town.stands(account, listens).await;
        }
        town.others_answer(SECOND, "hello").await;
        assert!(!listens(&town.scene.state(SECOND)));
        faulty.end();
        // The question that hangs is given up some time.
        town.scene.advance(Duration::from_secs(40));
        let line = town.discord[1].line();
        town.scene.run_until_at_discord("its line", |_| (line.open() == 1).then_some(())).await;
        town.stands(SECOND, listens).await;
        town.scene.finish().await;
    }
}

#[tokio::test]
async fn a_platform_that_is_down_leaves_the_other_platform_alone() {
    let town = Town::open().await;
    let ann = town.on_telegram[0].clone();
    town.scene.discord.stop();
    town.discord.iter().for_each(|bot| bot.line().drop_connection());
    for account in &ALL[2..] {
        town.stands(account, waits).await;
    }
    for text in ["one", "two"] {
        ann.say(text);
        town.scene.telegram.wait_for_text(ann.chat(), &format!("You said: {text}")).await;
        town.scene.run_for(Duration::from_secs(3)).await;
    }
    for account in &ALL[..2] {
        assert!(listens(&town.scene.state(account)), "{account}");
    }
    for account in &ALL[2..] {
        assert!(waits(&town.scene.state(account)), "{account}");
    }
    town.scene.finish().await;
}

#[tokio::test]
async fn trouble_on_telegram_is_not_felt_on_discord() {
    let town = Town::open().await;
    let second = "telegram/second";
    town.telegram[1].revoke_token();
    town.on_telegram[1].say("anybody?");
    town.stands(second, parked).await;
    town.others_answer(second, "hello").await;
    // All of Telegram is away now.
    town.scene.telegram.inject(telegram::Fault::on_any().html(502).always());
    for person in &town.on_discord {
        person.say("and without Telegram?");
        person.wait_for("You said: and without Telegram?").await;
    }
    town.scene.finish().await;
}

#[tokio::test]
async fn two_bots_in_one_guild_answer_only_for_themselves() {
    let mut town = Town::prepared().await;
    let ann = &town.on_discord[0];
    let guild = town.scene.discord.guild("Home", &[ann]);
    guild.join(town.second());
    let room = guild.channel("kitchen");
    let person = ann.id().to_string();
    town.scene.reconfigure(|config| {
        config["channels"]["discord"]["guilds"] =
            json!({ guild.id().to_string(): { "allowFrom": [person] } });
    });
    town.scene.enter().await;
    for account in &ALL[2..] {
        town.stands(account, listens).await;
    }
    let here = ann.in_room(&room);
    let by = |bot: u64| room.messages().into_iter().filter(|seen| seen.from == bot).count();
    let [first, second] = town.discord.each_ref().map(DiscordBot::id);
    here.say(&format!("{} you", town.discord[0].mention()));
    here.wait_for("you").await;
    let answer = room.messages().into_iter().find(|seen| seen.from == first).unwrap();
    here.say(&format!("{} and you", town.discord[1].mention()));
    here.wait_for("and you").await;
    assert_eq!((by(first), by(second)), (1, 1));
    // A reply is for whose message it answers.
    here.reply(answer.id, "what I said first");
    here.wait_for("what I said first").await;
    assert_eq!((by(first), by(second)), (2, 1));
    // What one of them says is no question to the other, and what calls nobody is for none.
    here.say("nobody in particular");
    here.say(&format!("{} once more", town.discord[1].mention()));
    here.wait_for("once more").await;
    assert_eq!((by(first), by(second)), (2, 2));
    assert_eq!(town.scene.model.count(), 4);
    town.scene.finish().await;
}

#[tokio::test]
async fn scripts_push_messages_to_discord_with_a_daemon_and_without() {
    let scene = Scene::prepared_for_discord(|_| {}).await;
    scene.discord.unlimited();
    let ann = scene.discord.person("Ann");
    let guild = scene.discord.guild("Home", &[&ann]);
    let room = guild.channel("kitchen");
    let thread = room.thread("cooking");
    let (to, hall, topic) = (ann.channel().to_string(), room.id().to_string(), thread.id().to_string());
    let mut daemon = None;
    for round in 0..2 {
        let send = |more: &[&str]| {
            let all: Vec<&str> = ["send", "--channel", "discord"].iter().chain(more).copied().collect();
            let command = scene.command(&all);
            async { finish(command, "from **standard** input").await }
        };
        let before = ann.said().len();
        send(&["--to", &to, "some **bold** words"]).await.expect(0, &["sent: "]);
        send(&["--to", &to, "--plain", "some **plain** words"]).await.expect(0, &[]);
        let sent: Value = serde_json::from_str(&send(&["--to", &to, "--json"]).await.out).unwrap();
        let said = ["some **bold** words", "some \\*\\*plain\\*\\* words", "from **standard** input"];
        assert_eq!(ann.said()[before..], said);
        assert_eq!(sent["messages"], json!([ann.sees().pop().unwrap().id.to_string()]));
        send(&["--to", &hall, "to the kitchen"]).await.expect(0, &[]);
        send(&["--to", &hall, "--topic", &topic, "to the thread"]).await.expect(0, &[]);
        assert_eq!((room.said().len(), thread.said().len()), (round + 1, round + 1));
        send(&["--to", &ann.id().to_string(), "to herself"]).await.expect(0, &[]);
        assert_eq!(ann.said().pop().as_deref(), Some("to herself"));
        send(&["--to", "123456", "nobody"]).await.expect(1, &["Unknown Channel"]);
        send(&["--to", "not-an-id", "nobody"]).await.expect(1, &["no place on Discord"]);
        if daemon.is_none() {
            daemon = Some(scene.spawn(scene.command(&["run", "-vv"])));
            scene.discord.line().wait_until_open().await;
        }
    }
    scene.discord.inject(Fault::on_send().reset().after_commit());
    let unsure = scene.run(&["send", "--channel", "discord", "--to", &to, "perhaps"]).await;
    unsure.expect(1, &["may or may not have arrived"]);
    let shown = scene.run(&["status"]).await;
    shown.expect(0, &["discord/default", "listening", "@PensiveTest"]);
    scene.discord.bot().revoke();
    let refused = scene.run(&["send", "--channel", "discord", "--to", &to, "owed"]).await;
    refused.expect(1, &["discord/default", "The message is kept"]);
    assert!(!refused.err.contains(scene.discord.token()));
    assert_eq!(scene.model.count(), 0);
    drop(daemon);
    scene.finish().await;
}
