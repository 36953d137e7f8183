//! The fake as something outside the process plays with it, and what it writes down.

use pensive_tests::discord::{DiscordFake, Options};
use serde_json::{Value, json};

use crate::{AGENT, Bench, ears::Ears, id};

impl Bench {
    /// Does as it is told; gives the result.
    async fn order(&self, order: Value) -> Value {
        let url = format!("{}/_control", self.discord.url());
        let answer = Self::answer(self.http.post(url).body(order.to_string())).await.unwrap();
        assert_eq!(answer.body["ok"], true, "{order}: {answer:?}");
        answer.body["result"].clone()
    }
}

#[tokio::test]
async fn orders_play_people_and_break_things() {
    let bench = Bench::unlimited().await;
    let alice = id(&bench.order(json!({"do": "person", "name": "Alice"})).await["channel"]);
    bench.order(json!({"do": "guild", "name": "Home", "members": ["Alice"]})).await;
    let general =
        bench.order(json!({"do": "channel", "guild": "Home", "name": "general"})).await["id"].clone();
    let aside = json!({"do": "thread", "guild": "Home", "channel": "general", "name": "aside"});
    bench.order(aside).await;
    let said = bench.order(json!({"do": "say", "from": "Alice", "channel": general, "text": "hello"})).await;
    bench
        .order(json!({"do": "edit", "from": "Alice", "channel": general, "message": said, "text": "hi"}))
        .await;
    let sees = bench.order(json!({"do": "sees", "from": "Alice", "channel": general})).await;
    assert_eq!((&sees[0]["text"], &sees[0]["id"]), (&json!("hi"), &said));

    bench.order(json!({"do": "fault", "call": "POST /channels/{}/messages", "retry_after": 0.5})).await;
    let send = format!("POST /channels/{alice}/messages");
    assert_eq!(bench.refused(&send, json!({"content": "x"})).await, (429, 0));
    bench.order(json!({"do": "beat_every", "milliseconds": 1_000})).await;
    let mut ears = bench.listen(1).await;
    ears.event("GUILD_CREATE").await;
    assert_eq!(bench.order(json!({"do": "line", "what": "open"})).await, 1);
    bench.order(json!({"do": "line", "what": "reconnect"})).await;
    ears.op(7).await;
    assert_eq!(bench.order(json!({"do": "violations"})).await, json!([]));
    let calls = bench.order(json!({"do": "calls"})).await;
    assert_eq!((&calls[0]["route"], &calls[0]["status"]), (&json!("/channels/{}/messages"), &json!(429)));
    let strange = bench.http.post(format!("{}/_control", bench.discord.url())).body("{\"do\":\"dance\"}");
    assert_eq!(strange.send().await.unwrap().status(), 400);
}

#[tokio::test]
async fn calls_and_frames_are_written_down_without_the_token() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { record_dir: Some(folder.path().into()), ..Options::default() };
    rustls::crypto::ring::default_provider().install_default().ok();
    let discord = DiscordFake::start_with(options).await.unwrap();
    let http = reqwest::Client::builder().user_agent(AGENT).build().unwrap();
    let bench = Bench { discord, http };
    let alice = bench.discord.person("Alice");
    let mut ears = bench.listen(1 << 12).await;
    bench.say(alice.channel(), "hello").await;
    ears.event("MESSAGE_CREATE").await;
    let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap();
    let text = std::fs::read_to_string(file.path()).unwrap();
    assert!(!text.contains(bench.discord.token()));
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| lines.iter().filter(|line| line["kind"] == kind).collect::<Vec<_>>();
    assert_eq!(of("rest")[0]["body"]["content"], "hello");
    assert_eq!(of("command")[0]["frame"]["op"], 2);
    let names: Vec<_> = of("event").iter().map(|line| line["frame"]["t"].clone()).collect();
    assert_eq!(names, [json!(null), json!("READY"), json!("MESSAGE_CREATE")]);
}

#[tokio::test]
async fn many_listen_at_once_and_each_bot_hears_its_own() {
    let bench = Bench::unlimited().await;
    let alice = bench.discord.person("Alice");
    let second = bench.discord.add_bot("Second");
    let mut first = bench.listen(1 << 12).await;
    let mut other = Ears::open(&bench.discord).await;
    other.identify(&second.token(), 1 << 12).await;
    other.event("READY").await;
    alice.say("to the first");
    alice.with(second.id()).say("to the second");
    assert_eq!(first.event("MESSAGE_CREATE").await["content"], "to the first");
    assert_eq!(other.event("MESSAGE_CREATE").await["content"], "to the second");
    first.hears_nothing().await;
    other.hears_nothing().await;
    second.line().drop_connection();
    second.line().wait_until_closed().await;
    assert_eq!((bench.discord.line().open(), second.line().open()), (1, 0));
}
