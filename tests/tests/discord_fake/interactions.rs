//! Commands that are called, buttons that are pressed and values that are chosen: every answer to them, and the time it has.

use std::sync::atomic::Ordering;

use pensive_tests::discord::Person;
use serde_json::{Value, json};

use crate::{
    Bench,
    ears::{ALL, Ears},
    id,
};

/// A bot with a command `/think`, listening, and somebody in a guild with it.
struct Stage {
    bench: Bench,
    ears: Ears,
    alice: Person,
    bob: Person,
}

impl Stage {
    async fn set() -> Self {
        let bench = Bench::unlimited().await;
        let (alice, bob) = (bench.discord.person("Alice"), bench.discord.person("Bob"));
        let guild = bench.discord.guild("Home", &[&alice, &bob]);
        let general = guild.channel("general");
        let option = json!({"name": "level", "description": "How hard", "type": 3, "autocomplete": true});
        let command = json!([{"name": "think", "description": "Thinks", "options": [option]}]);
        let register = format!("PUT /applications/{}/commands", bench.discord.bot().id());
        bench.done(&register, command).await;
        let mut ears = bench.listen(ALL).await;
        ears.event("GUILD_CREATE").await;
        Self { alice: alice.in_room(&general), bob: bob.in_room(&general), bench, ears }
    }

    /// Where the next interaction is answered.
    async fn next(&mut self) -> Routes {
        // The bot hears what it says itself, too.
        loop {
            let frame = self.ears.frame().await;
            if frame["t"] == "INTERACTION_CREATE" {
                return Routes::of(&frame["d"], self.bench.discord.bot().id());
            }
        }
    }

    /// Calls `/think` and gives where it is answered.
    async fn think(&mut self) -> Routes {
        self.alice.command("think", &[("level", "high")]);
        self.next().await
    }

    async fn callback(&self, routes: &Routes, kind: u8, data: Value) {
        self.bench.done(&routes.callback, json!({"type": kind, "data": data})).await;
    }
}

struct Routes {
    data: Value,
    callback: String,
    webhook: String,
}

impl Routes {
    fn of(event: &Value, bot: u64) -> Self {
        let token = event["token"].as_str().unwrap();
        Self {
            data: event.clone(),
            callback: format!("POST /interactions/{}/{token}/callback", id(&event["id"])),
            webhook: format!("/webhooks/{bot}/{token}"),
        }
    }

    fn original(&self, method: &str) -> String {
        format!("{method} {}/messages/@original", self.webhook)
    }
}

#[tokio::test]
async fn an_ephemeral_answer_is_seen_by_its_person_alone_and_changed_by_the_token() {
    let mut stage = Stage::set().await;
    let routes = stage.think().await;
    assert_eq!(routes.data["data"]["options"][0]["value"], "high");
    assert_eq!(id(&routes.data["member"]["user"]["id"]), stage.alice.id());
    stage.callback(&routes, 4, json!({"content": "set", "flags": 64})).await;
    let seen = stage.alice.wait_for("set").await;
    assert!(seen.ephemeral && stage.bob.sees().is_empty());
    let bench = &stage.bench;
    let again = json!({"type": 4, "data": {"content": "set"}});
    assert_eq!(bench.refused(&routes.callback, again).await, (400, 40060));
    let edit = format!("PATCH /channels/{}/messages/{}", stage.alice.channel(), seen.id);
    assert_eq!(bench.refused(&edit, json!({"content": "x"})).await, (404, 10008));
    bench.done(&routes.original("PATCH"), json!({"content": "set to high"})).await;
    assert_eq!(stage.alice.said(), ["set to high"]);
    let further =
        bench.done(&format!("POST {}", routes.webhook), json!({"content": "more", "flags": 64})).await;
    assert_eq!((stage.alice.said(), stage.bob.said()), (vec!["set to high".into(), "more".into()], vec![]));
    bench.done(&format!("DELETE {}/messages/{}", routes.webhook, id(&further["id"])), Value::Null).await;
    bench.done(&routes.original("DELETE"), Value::Null).await;
    assert!(stage.alice.said().is_empty());
    assert_eq!(bench.blamed(), Vec::<String>::new());
}

#[tokio::test]
async fn a_deferred_answer_takes_the_place_of_is_thinking() {
    let mut stage = Stage::set().await;
    for by_follow_up in [true, false] {
        let routes = stage.think().await;
        stage.callback(&routes, 5, json!({"flags": 64})).await;
        let waiting = stage.alice.sees().pop().unwrap();
        assert!(waiting.loading && waiting.ephemeral && waiting.text.is_empty());
        let words = json!({"content": "done"});
        if by_follow_up {
            stage.bench.done(&format!("POST {}", routes.webhook), words).await;
        } else {
            stage.bench.done(&routes.original("PATCH"), words).await;
        }
        let seen = stage.alice.sees().pop().unwrap();
        assert_eq!((seen.id, seen.text.as_str(), seen.loading), (waiting.id, "done", false));
        assert!(seen.ephemeral && stage.bob.sees().is_empty());
        stage.bench.done(&format!("POST {}", routes.webhook), json!({"content": "to all"})).await;
        let count = stage.bob.sees().len();
        assert_eq!(count, 1, "what follows is for all unless it says otherwise");
        stage
            .bench
            .done(&format!("DELETE {}/messages/{}", routes.webhook, stage.bob.sees()[0].id), Value::Null)
            .await;
    }
}

#[tokio::test]
async fn three_seconds_for_the_first_word_and_a_quarter_of_an_hour_for_the_last() {
    let mut stage = Stage::set().await;
    let clock = stage.bench.follow();
    let words = || json!({"type": 4, "data": {"content": "x"}});
    let late = stage.think().await;
    assert_eq!(
        stage.bench.refused(&format!("POST {}", late.webhook), json!({"content": "x"})).await,
        (404, 10015)
    );
    clock.fetch_add(3_001, Ordering::SeqCst);
    assert_eq!(stage.bench.refused(&late.callback, words()).await, (404, 10062));
    let good = stage.think().await;
    clock.fetch_add(3_000, Ordering::SeqCst);
    stage.bench.done(&good.callback, words()).await;
    clock.fetch_add(15 * 60_000 - 3_001, Ordering::SeqCst);
    stage.bench.done(&good.original("PATCH"), json!({"content": "y"})).await;
    clock.fetch_add(1, Ordering::SeqCst);
    assert_eq!(stage.bench.refused(&good.original("PATCH"), json!({"content": "z"})).await, (401, 50027));
    assert_eq!(
        stage.bench.refused(&format!("POST {}", good.webhook), json!({"content": "z"})).await,
        (401, 50027)
    );
    assert_eq!(stage.alice.said(), ["y"]);
}

#[tokio::test]
async fn buttons_and_menus_tell_who_pressed_what_and_the_message_can_change() {
    let mut stage = Stage::set().await;
    let buttons =
        ["Stop", "Go"].map(|label| json!({"type": 2, "style": 2, "label": label, "custom_id": label}));
    let options = ["low", "high"].map(|value| json!({"label": value.to_uppercase(), "value": value}));
    let menu = json!({"type": 3, "custom_id": "level", "options": options});
    let rows = json!([{"type": 1, "components": buttons}, {"type": 1, "components": [menu]}]);
    let send = format!("POST /channels/{}/messages", stage.alice.channel());
    let sent = stage.bench.done(&send, json!({"content": "which?", "components": rows})).await;
    let message = id(&sent["id"]);
    let seen = stage.bob.saw(message).unwrap();
    assert_eq!((seen.buttons, seen.menus[0].options.len()), (vec!["Stop".to_owned(), "Go".to_owned()], 2));

    let called = stage.bob.press(message, "Stop");
    let pressed = stage.next().await;
    assert_eq!(
        (&pressed.data["data"]["custom_id"], id(&pressed.data["message"]["id"])),
        (&json!("Stop"), message)
    );
    assert_eq!(id(&pressed.data["member"]["user"]["id"]), stage.bob.id());
    assert!(!called.is_heard());
    stage.bench.done(&pressed.callback, json!({"type": 6})).await;
    assert!(called.is_heard());
    stage.bench.done(&pressed.original("PATCH"), json!({"content": "stopped"})).await;
    assert_eq!(stage.alice.said(), ["stopped"]);

    stage.alice.choose(message, "HIGH");
    let chosen = stage.next().await;
    assert_eq!(chosen.data["data"]["values"], json!(["high"]));
    let change = json!({"type": 7, "data": {"content": "high", "components": []}});
    let told = stage.bench.done(&format!("{}?with_response=true", chosen.callback), change).await;
    assert_eq!(told["interaction"]["type"], 3);
    let seen = stage.bob.saw(message).unwrap();
    assert_eq!((seen.text.as_str(), seen.buttons.len(), seen.menus.len()), ("high", 0, 0));
    assert_eq!(stage.bench.blamed(), Vec::<String>::new());
}

#[tokio::test]
async fn each_kind_of_interaction_has_its_answers() {
    let mut stage = Stage::set().await;
    for (kind, data) in
        [(6, json!({})), (7, json!({"content": "x"})), (8, json!({"choices": []})), (99, json!({}))]
    {
        let routes = stage.think().await;
        let body = json!({"type": kind, "data": data});
        assert_eq!(stage.bench.refused(&routes.callback, body).await, (400, 50035), "{kind}");
    }
    let routes = stage.think().await;
    let told = format!("{}?with_response=true", routes.callback);
    let told = stage.bench.done(&told, json!({"type": 4, "data": {"content": "for all"}})).await;
    assert_eq!(told["interaction"]["response_message_ephemeral"], false);
    assert_eq!(told["resource"]["message"]["content"], "for all");
    assert_eq!(stage.bob.said(), ["for all"]);

    let alice = stage.alice.clone();
    let typing = tokio::spawn(async move { alice.complete("think", "level", "hi").await });
    let routes = stage.next().await;
    assert_eq!(
        (&routes.data["type"], &routes.data["data"]["options"][0]["focused"]),
        (&json!(4), &json!(true))
    );
    stage.callback(&routes, 8, json!({"choices": [{"name": "High", "value": "high"}]})).await;
    let choices = typing.await.unwrap();
    assert_eq!((choices[0].label.as_str(), choices[0].value.as_str()), ("High", "high"));
    let unknown = "POST /interactions/1/none/callback";
    assert_eq!(stage.bench.refused(unknown, json!({"type": 4})).await, (404, 10062));
}

#[tokio::test]
async fn people_call_what_their_app_offers_and_nothing_else() {
    let stage = Stage::set().await;
    let strange = [("nothing", "x"), ("think", "depth")];
    for (name, option) in strange {
        let alice = stage.alice.clone();
        let called = tokio::spawn(async move { alice.command(name, &[(option, "x")]).id() });
        assert!(called.await.unwrap_err().is_panic(), "{name} {option}");
    }
    let alone = stage.bench.discord.person("Alice");
    assert!(alone.is_offered("think"), "a global command is there in direct messages, too");
    assert!(!alone.with(stage.bench.discord.add_bot("Second").id()).is_offered("think"));
}
