//! A whole world for one scenario: the daemon's rooms in this process with a real store and real HTTP, the fakes around
//! them, and a clock that only the test moves.
#![allow(clippy::expect_used, clippy::panic, reason = "a scene that cannot be set up fails its test")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pensive_config::{Environment, Sources, load};
use pensive_contract::clock::{Clock as _, Timestamp};
use pensive_contract::intake::AccountState;
use pensive_contract::outward::Pace;
use pensive_contract::tool::Toolshed;
use pensive_daemon::{House, Plan};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinHandle;

use crate::clock::SimClock;
use crate::discord::DiscordFake;
use crate::model::ModelFake;
use crate::telegram::{Person, TelegramFake};
use crate::tools::ToolsFake;

/// The secret that the scene's configuration gives the model provider; it must never be seen outside a request header.
pub const MODEL_KEY: &str = "model-key-0123456789abcdef";

/// One scenario's world. Everything ends with it.
pub struct Scene {
    /// Telegram.
    pub telegram: TelegramFake,
    /// Discord, which the daemon knows of in [`Scene::discord`] and where a scene's configuration says so.
    pub discord: DiscordFake,
    /// The model server, known to the daemon as provider `fake`.
    pub model: ModelFake,
    /// Time, as the daemon sees it.
    pub clock: SimClock,
    config: Value,
    tools: Option<ToolsFake>,
    pace: Option<Pace>,
    home: TempDir,
    house: Option<House>,
}

impl Scene {
    /// A daemon open to everybody in direct messages, with the model `fake/gpt-5.2` over the Responses API.
    pub async fn start() -> Self {
        Self::with(|_| {}).await
    }

    /// The same after `change` has been at its configuration. Answers are seen when they stand, unless that says otherwise.
    pub async fn with(change: impl FnOnce(&mut Value)) -> Self {
        let mut scene = Self::prepared(|config| {
            let telegram = config.pointer_mut("/channels/telegram").and_then(Value::as_object_mut);
            telegram.expect("there is a bot").insert("streaming".to_owned(), "off".into());
            change(config);
        })
        .await;
        scene.enter().await;
        scene
    }

    /// A daemon that shows answers while they are made, with the pace that the channel asks for: a chat takes a few messages at once and then one a second, which
    /// only passes when the test moves the clock.
    pub async fn paced(change: impl FnOnce(&mut Value)) -> Self {
        let mut scene = Self::prepared(change).await;
        scene.pace = None;
        scene.enter().await;
        scene
    }

    /// A daemon whose agent has these tools, and is allowed all.
    pub async fn with_tools(tools: &ToolsFake, change: impl FnOnce(&mut Value)) -> Self {
        let mut scene = Self::prepared(|config| {
            if let Some(defaults) = config.pointer_mut("/agents/defaults").and_then(Value::as_object_mut) {
                defaults.insert("tools".to_owned(), json!({ "allow": ["*"] }));
            }
            change(config);
        })
        .await;
        scene.equip(tools);
        scene.enter().await;
        scene
    }

    /// A daemon with one Discord bot and no Telegram, open to everybody in direct messages, which has said that it listens. Answers are seen
    /// when they stand, and nobody is limited.
    pub async fn on_discord(change: impl FnOnce(&mut Value)) -> Self {
        let mut scene = Self::prepared_for_discord(change).await;
        scene.discord.unlimited();
        scene.reconfigure(|config| {
            let keys = config.pointer_mut("/channels/discord").and_then(Value::as_object_mut);
            keys.expect("there is a bot").entry("streaming").or_insert_with(|| "off".into());
        });
        scene.enter().await;
        scene.discord.line().wait_until_open().await;
        scene
    }

    /// The same with answers shown while they are made, the pace that the channel asks for, and Discord's own limits.
    pub async fn on_discord_paced(change: impl FnOnce(&mut Value)) -> Self {
        let mut scene = Self::prepared_for_discord(change).await;
        scene.pace = None;
        scene.enter().await;
        scene.discord.line().wait_until_open().await;
        scene
    }

    /// The same with nothing running yet; [`Scene::enter`] starts it.
    pub async fn prepared_for_discord(change: impl FnOnce(&mut Value)) -> Self {
        let mut scene = Self::prepared(|_| {}).await;
        let (url, token) = (scene.discord.url(), scene.discord.token().to_owned());
        scene.reconfigure(|config| {
            config["channels"] = json!({ "discord": discord_keys(&url, &token) });
            change(config);
        });
        scene
    }

    /// A daemon with nothing running yet; [`Scene::enter`] starts it.
    pub async fn prepared(change: impl FnOnce(&mut Value)) -> Self {
        // The first of the tests in this process installs it, the others find it there.
        drop(rustls::crypto::ring::default_provider().install_default());
        let telegram = TelegramFake::start().await.expect("the Telegram fake starts");
        let discord = DiscordFake::start().await.expect("the Discord fake starts");
        let model = ModelFake::start().await.expect("the model fake starts");
        let home = TempDir::new().expect("a folder for the daemon");
        let mut config = config(&telegram, &model, home.path());
        change(&mut config);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let clock = SimClock::at(Timestamp(i64::try_from(now.as_millis()).unwrap_or(0)));
        let hand = clock.clone();
        telegram.follow(move || hand.now().0);
        let hand = clock.clone();
        discord.follow(move || hand.now().0);
        Self {
            telegram,
            discord,
            model,
            clock,
            config,
            tools: None,
            pace: Some(Pace::FREE),
            home,
            house: None,
        }
    }

    /// Starts the daemon, after a change or a stop.
    pub async fn enter(&mut self) {
        let file = self.write();
        let env = Environment::from_iter([("HOME", self.home.path().display().to_string())]);
        let sources = Sources { file: Some(file), home: Some(self.home.path().to_owned()), env };
        let config =
            load(sources).unwrap_or_else(|faults| panic!("the scene's configuration is wrong:\n{faults}"));
        let mut plan = Plan::new(config, Arc::new(self.clock.clone()));
        plan.pace = self.pace;
        plan.toolshed = self.tools.clone().map(|tools| Arc::new(tools) as Arc<dyn Toolshed>);
        let house = House::start(plan).await;
        self.house = Some(house.unwrap_or_else(|fault| panic!("the daemon does not start: {fault}")));
    }

    /// Writes the configuration where the daemon looks for it.
    pub(crate) fn write(&self) -> PathBuf {
        let file = self.home.path().join("pensive.json5");
        std::fs::write(&file, self.config.to_string()).expect("the configuration is written");
        file
    }

    /// Stops the daemon in order. Runs that go on hold it for their grace; move the clock to cut them off.
    pub async fn leave(&mut self) {
        if let Some(house) = self.house.take() {
            house.stop().await;
        }
    }

    /// Stops the daemon and has no patience with what still goes on: it is cut off when its grace is over.
    pub async fn cut_off(&mut self) {
        let (clock, grace) = (self.clock.clone(), Duration::from_secs(10));
        let hurry = async move {
            clock.wait_for_sleeper(grace, grace).await;
            clock.advance(grace);
            std::future::pending::<()>().await;
        };
        tokio::select! {
            biased;
            () = self.leave() => {}
            () = hurry => {}
        }
    }

    /// Stops and starts it.
    pub async fn restart(&mut self) {
        self.leave().await;
        self.enter().await;
    }

    /// Changes the configuration; holds from the next [`Scene::enter`] on.
    pub fn reconfigure(&mut self, change: impl FnOnce(&mut Value)) {
        change(&mut self.config);
    }

    /// Tools of the agent's; there from the next [`Scene::enter`] on.
    pub fn equip(&mut self, tools: &ToolsFake) {
        self.tools = Some(tools.clone());
    }

    /// The running daemon.
    pub fn house(&self) -> &House {
        self.house.as_ref().expect("the daemon runs")
    }

    /// How an account stands, such as `telegram/default`.
    pub fn state(&self, account: &str) -> AccountState {
        let accounts = self.house().accounts();
        let found = accounts.into_iter().find(|(known, _)| known.to_string() == account);
        found.unwrap_or_else(|| panic!("there is no account {account}")).1
    }

    /// Another program that polls the first bot, until it is aborted.
    pub fn rival(&self) -> JoinHandle<()> {
        let url = format!("{}/bot{}/getUpdates?timeout=50", self.telegram.url(), self.telegram.token());
        tokio::spawn(async move {
            // What comes of it is none of its concern.
            drop(reqwest::get(url).await);
        })
    }

    /// The folder that the daemon lives in.
    pub fn home(&self) -> PathBuf {
        self.home.path().to_owned()
    }

    /// Moves the daemon's clock.
    pub fn advance(&self, span: Duration) {
        self.clock.advance(span);
    }

    /// Moves the daemon's clock as [`Scene::advance`] does, and on until the account polls again: a poll that lasts longer
    /// than 65 s is given up and asked anew after a pause.
    pub async fn pass(&self, span: Duration) {
        let pause = Duration::from_millis(1)..=Duration::from_secs(30);
        self.advance(span);
        if span > Duration::from_secs(65) {
            self.sleep_out(*pause.start(), *pause.end()).await;
        }
        self.telegram.wait_for_poll().await;
    }

    /// Waits until something sleeps for a span between these two, then moves the clock past it; returns the span.
    pub async fn sleep_out(&self, shortest: Duration, longest: Duration) -> Duration {
        let limit = Duration::from_secs(20);
        let span = tokio::time::timeout(limit, self.clock.wait_for_sleeper(shortest, longest)).await;
        let span = span.unwrap_or_else(|_| panic!("nothing sleeps for {shortest:?} to {longest:?}"));
        self.clock.advance(span);
        span
    }

    /// Ends the scenario: stops the daemon and fails when it sent anything that it should not have sent.
    pub async fn finish(mut self) {
        self.leave().await;
        let violations = self.telegram.violations();
        assert!(violations.is_empty(), "sent to Telegram: {violations:#?}");
        let violations = self.discord.violations();
        assert!(violations.is_empty(), "sent to Discord: {violations:#?}");
    }
}

/// What our bot has said in the chat where this person writes, oldest first.
pub fn said(person: &Person) -> Vec<String> {
    person.sees().into_iter().filter(|seen| seen.by_bot).map(|seen| seen.text).collect()
}

/// The keys of a Discord bot that is open to everybody in direct messages.
pub fn discord_keys(url: &str, token: &str) -> Value {
    json!({ "token": token, "dmPolicy": "open", "allowFrom": ["*"], "apiRoot": url })
}

/// What the daemon of a scene is told.
fn config(telegram: &TelegramFake, model: &ModelFake, home: &Path) -> Value {
    json!({
        "agents": { "defaults": { "model": { "primary": "fake/gpt-5.2" }, "workspace": home.join("workspace") } },
        "channels": { "telegram": {
            "botToken": telegram.token(),
            "dmPolicy": "open",
            "allowFrom": ["*"],
            "apiRoot": telegram.url(),
        } },
        "models": { "providers": { "fake": {
            "baseUrl": model.base_url(),
            "api": "openai-responses",
            "apiKey": MODEL_KEY,
            "models": [
                { "id": "gpt-5.2", "reasoning": true, "contextWindow": 128_000 },
                { "id": "gpt-4.1", "reasoning": false, "contextWindow": 32_000 },
            ],
        } } },
        "limits": { "perSender": { "perMinute": 0, "burst": 5 } },
    })
}
