//! How an account polls, hands in, waits and gives up, against a server whose every answer the test gives.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use pensive_contract::fault::Fault;
use pensive_contract::intake::{AccountState, Channel};
use pensive_contract::outward::Outward;
use pensive_contract::store::Cursor;
use pensive_telegram::Telegram;
use serde_json::{Value, json};
use support::{Desk, HandClock, Memory, Server, TOKEN, Taken, account, settings, telegram};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

struct Running {
    server: Server,
    clock: Arc<HandClock>,
    notes: Arc<Memory>,
    channel: Arc<dyn Channel>,
    outward: Outward,
    taken: mpsc::Receiver<Taken>,
    stop: CancellationToken,
    ends: JoinSet<Result<(), Fault>>,
}

impl Running {
    async fn start(stored: Option<Cursor>) -> Self {
        Self::restart(Server::start().await, stored, Arc::default()).await
    }

    async fn restart(server: Server, stored: Option<Cursor>, notes: Arc<Memory>) -> Self {
        let clock = HandClock::new();
        let Telegram { channel, outward } = telegram(&server.root, clock.clone(), notes.clone());
        let (desk, taken) = Desk::new(stored);
        let stop = CancellationToken::new();
        let mut ends = JoinSet::new();
        let (running, token) = (channel.clone(), stop.clone());
        ends.spawn(async move { running.run(desk, token).await });
        Self { server, clock, notes, channel, outward, taken, stop, ends }
    }

    /// Stops, and starts anew with what was noted.
    async fn again(mut self) -> Self {
        self.stop.cancel();
        self.ends.join_next().await.unwrap().unwrap().unwrap();
        self.server.forget();
        Self::restart(self.server, None, self.notes).await
    }

    async fn end(mut self) -> Result<(), Fault> {
        self.ends.join_next().await.unwrap().unwrap()
    }

    async fn poll(&mut self) -> support::Request {
        self.server.asked("GetUpdates").await
    }
}

fn said(number: i64, text: &str) -> Value {
    json!({"update_id": number, "message": {"message_id": number, "date": 1, "text": text,
        "chat": {"id": 7, "type": "private"}, "from": {"id": 7, "is_bot": false, "first_name": "Ada"}}})
}

fn cursor(bot: &str, next: i64) -> Cursor {
    Cursor { account: account(), bot: bot.to_owned(), next }
}

#[tokio::test]
async fn rst_06_the_offset_moves_only_after_the_batch_was_kept() {
    let mut run = Running::start(None).await;
    let poll = run.poll().await;
    let allowed = json!([
        "message",
        "edited_message",
        "callback_query",
        "my_chat_member",
        "stopped_message_generation"
    ]);
    assert_eq!(poll.body, json!({"limit": 100, "timeout": 50, "allowed_updates": allowed}));
    assert_eq!(poll.path, format!("/bot{TOKEN}/GetUpdates"));
    run.server.introduce().await;
    poll.ok(json!([said(6, "b"), said(5, "a")]));

    let first = run.taken.recv().await.unwrap();
    assert_eq!((first.texts(), first.cursor.clone()), (vec!["a", "b"], Some(cursor("42", 7))));
    first.failed();
    run.clock.nap().await;
    let again = run.taken.recv().await.unwrap();
    assert_eq!(again.texts(), ["a", "b"]);
    assert!(matches!(run.channel.state(), AccountState::Retrying { why } if why.contains("full")));
    again.kept();
    assert_eq!(run.poll().await.body["offset"], 7);
    assert_eq!(run.channel.state(), AccountState::Listening { name: "@PensiveBot".to_owned() });
}

#[tokio::test]
async fn a_start_goes_on_where_the_same_bot_stopped_and_anew_for_another() {
    let mut run = Running::start(Some(cursor("42", 9))).await;
    assert_eq!(run.poll().await.body["offset"], 9);
    let mut run = Running::start(Some(cursor("41", 9))).await;
    assert_eq!(run.poll().await.body.get("offset"), None);
}

#[tokio::test]
async fn a_known_name_lets_events_in_before_telegram_has_said_it() {
    let mut run = Running::start(None).await;
    run.server.introduce().await;
    let mut run = run.again().await;
    run.poll().await.ok(json!([said(1, "a")]));
    assert_eq!(run.taken.recv().await.unwrap().texts(), ["a"]);
}

#[tokio::test]
async fn numbers_that_go_backwards_begin_the_count_anew() {
    let mut run = Running::start(Some(cursor("42", 900))).await;
    let poll = run.poll().await;
    run.server.introduce().await;
    poll.ok(json!([said(3, "a")]));
    let taken = run.taken.recv().await.unwrap();
    assert_eq!(taken.cursor, Some(cursor("42", 4)));
    taken.kept();
    assert_eq!(run.poll().await.body["offset"], 4);
}

#[tokio::test]
async fn a_server_that_neither_waits_nor_has_news_is_asked_less_and_less() {
    let mut run = Running::start(None).await;
    let poll = run.poll().await;
    run.server.introduce().await;
    // Once may be chance.
    poll.ok(json!([]));
    run.poll().await.ok(json!([]));
    let first = run.clock.nap().await;
    run.poll().await.ok(json!([]));
    let second = run.clock.nap().await;
    assert!(first >= Duration::from_secs(1) && second >= first, "{first:?} {second:?}");
    // News end the pauses, and the same events again begin them anew.
    for _ in 0..3 {
        run.poll().await.ok(json!([said(7, "hi")]));
        run.taken.recv().await.unwrap().kept();
    }
    assert_eq!(run.clock.nap().await, Duration::from_secs(1));
}

#[tokio::test]
async fn rst_08_another_poller_is_a_visible_state_that_passes() {
    let mut run = Running::start(None).await;
    let poll = run.poll().await;
    run.server.introduce().await;
    let words =
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
    poll.no(409, words, Value::Null);
    assert!(run.clock.nap().await >= Duration::from_secs(1));
    assert!(
        matches!(run.channel.state(), AccountState::Retrying { why } if why.contains("another program polls"))
    );
    let probe = run.poll().await;
    assert_eq!((&probe.body["timeout"], &probe.body["limit"]), (&json!(0), &json!(1)));
    probe.ok(json!([]));
    assert_eq!(run.poll().await.body["timeout"], 50);
    assert!(matches!(run.channel.state(), AccountState::Listening { .. }));
}

#[tokio::test]
async fn rst_07_a_webhook_is_removed_and_what_waits_is_kept() {
    let mut run = Running::start(None).await;
    run.poll().await.no(409, "Conflict: can't use getUpdates method while webhook is active", Value::Null);
    let removal = run.server.asked("DeleteWebhook").await;
    assert_eq!(removal.body, json!({"drop_pending_updates": false}));
    removal.ok(json!(true));
    run.server.introduce().await;
    run.clock.nap().await;
    run.poll().await.ok(json!([]));
}

#[tokio::test]
async fn a_flood_is_waited_out_to_the_second() {
    let mut run = Running::start(None).await;
    let poll = run.poll().await;
    run.server.introduce().await;
    poll.no(429, "Too Many Requests: retry after 17", json!({"retry_after": 17}));
    assert_eq!(run.clock.nap().await, Duration::from_secs(17));
    run.poll().await.ok(json!([]));
}

#[tokio::test]
async fn every_other_failure_is_tried_again() {
    let mut run = Running::start(None).await;
    let poll = run.poll().await;
    run.server.introduce().await;
    poll.with(support::Reply::Html(502));
    run.clock.nap().await;
    run.poll().await.with(support::Reply::Reset);
    run.clock.nap().await;
    run.poll().await.json(200, r#"{"ok":true,"result":[{"up"#.to_owned());
    run.clock.nap().await;
    run.poll().await.json(500, r#"{"ok":false,"error_code":500,"description":"Internal"}"#.to_owned());
    run.clock.nap().await;
    run.poll().await.ok(json!([]));
    assert_eq!(run.poll().await.body["timeout"], 50);
}

#[tokio::test]
async fn a_poll_without_an_end_is_given_up_and_made_anew() {
    let mut run = Running::start(None).await;
    let poll = run.poll().await;
    run.server.introduce().await;
    let limit = run.clock.wake(Duration::from_secs(50), Duration::from_secs(120)).await;
    assert!(limit < Duration::from_secs(120));
    poll.given_up().await;
    run.clock.nap().await;
    run.poll().await.ok(json!([]));
    run.poll().await;
}

#[tokio::test]
async fn a_refused_token_parks_the_account_and_says_what_to_do() {
    for (asked, code) in [("GetUpdates", 401), ("GetMe", 401), ("GetMe", 404)] {
        let mut run = Running::start(None).await;
        run.server.asked(asked).await.no(code, "Unauthorized", Value::Null);
        let channel = run.channel.clone();
        let fault = run.end().await.unwrap_err();
        for words in ["telegram/main", "@BotFather", "TELEGRAM_BOT_TOKEN"] {
            assert!(fault.log.contains(words), "{}", fault.log);
        }
        assert_eq!(channel.state(), AccountState::Parked { why: fault.log });
    }
}

#[tokio::test]
async fn what_is_no_token_is_never_sent() {
    for token in ["", "abc", ":x", "12:", "12:a b", "12:a/../x", "-3:x"] {
        let clock = HandClock::new();
        let made = pensive_telegram::connect(
            settings("http://127.0.0.1:9/", token),
            clock,
            Arc::<Memory>::default(),
        );
        let (desk, _taken) = Desk::new(None);
        let fault = made.unwrap().channel.run(desk, CancellationToken::new()).await.unwrap_err();
        assert!(fault.log.contains("@BotFather"), "{token:?}: {}", fault.log);
    }
}

#[tokio::test]
async fn a_stop_ends_a_long_poll_at_once() {
    let mut run = Running::start(None).await;
    let poll = run.poll().await;
    run.server.introduce().await;
    run.stop.cancel();
    poll.given_up().await;
    assert_eq!(run.end().await, Ok(()));
}

#[tokio::test]
async fn a_stop_ends_a_pause_at_once() {
    let mut run = Running::start(None).await;
    let poll = run.poll().await;
    run.server.introduce().await;
    poll.no(500, "Internal Server Error", Value::Null);
    run.stop.cancel();
    assert_eq!(run.end().await, Ok(()));
}

#[tokio::test]
async fn rst_13_an_account_has_one_poller() {
    let mut run = Running::start(None).await;
    let _poll = run.poll().await;
    let (desk, _taken) = Desk::new(None);
    let fault = run.channel.run(desk, CancellationToken::new()).await.unwrap_err();
    assert!(fault.log.contains("running already"));
}

#[tokio::test]
async fn a_broken_event_is_passed_and_a_hostile_one_is_read() {
    let mut run = Running::start(None).await;
    let poll = run.poll().await;
    run.server.introduce().await;
    let hostile = r#"{"update_id":3,"message":{"message_id":3,"date":1,"text":"a\ud800b\u0000","chat":{"id":7,"type":"private"},
        "from":{"id":7,"is_bot":false,"first_name":"Ada"},"entities":[{"type":"code","offset":-4,"length":99}]}}"#;
    let broken = r#"{"update_id":4,"message":{"message_id":"words of a person"}}"#;
    let (first, unknown) = (said(2, "a"), json!({"update_id": 1, "from_the_future": {"x": 1}}));
    poll.json(200, format!(r#"{{"ok":true,"result":[{unknown},{first},{hostile},{broken}]}}"#));
    let taken = run.taken.recv().await.unwrap();
    assert_eq!(taken.texts(), ["a", "a\u{fffd}b\0"]);
    assert_eq!(taken.cursor, Some(cursor("42", 5)));
}

#[tokio::test]
async fn a_batch_of_nothing_for_us_is_confirmed_without_a_write() {
    let mut run = Running::start(None).await;
    let poll = run.poll().await;
    run.server.introduce().await;
    poll.ok(json!([{"update_id": 8, "my_chat_member": {}}]));
    assert_eq!(run.poll().await.body["offset"], 9);
    assert!(run.taken.try_recv().is_err());
}

#[tokio::test]
async fn the_menu_is_sent_for_both_scopes_and_again_only_when_changed() {
    let mut run = Running::start(None).await;
    run.server.asked("GetMe").await.ok(json!({"username": "PensiveBot"}));
    let full = run.server.asked("SetMyCommands").await;
    let commands = full.body["commands"].as_array().unwrap().clone();
    assert!(commands.iter().any(|command| command["command"] == "think"));
    assert_eq!(full.body["scope"], json!({"type": "default"}));
    full.no(400, "Bad Request: BOT_COMMANDS_TOO_MUCH", Value::Null);
    let fewer = run.server.asked("SetMyCommands").await;
    assert_eq!(fewer.body["commands"].as_array().unwrap().len(), commands.len() * 4 / 5);
    fewer.ok(json!(true));
    let groups = run.server.asked("SetMyCommands").await;
    assert_eq!(groups.body["scope"], json!({"type": "all_group_chats"}));
    groups.ok(json!(true));
    run.notes.kept("menu").await;
    let mut second = run.again().await;
    second.server.asked("GetMe").await.ok(json!({"username": "PensiveBot"}));
    second.poll().await.ok(json!([]));
    let asked = tokio::select! {
        biased;
        _ = second.server.asked("SetMyCommands") => "menu",
        _ = second.clock.wake(Duration::from_secs(64), Duration::from_secs(65)) => "nothing",
    };
    assert_eq!(asked, "nothing");
}

#[tokio::test]
async fn med_12_general_is_typed_to_by_its_number_and_written_to_without() {
    use pensive_contract::inbound::ChatKind;
    use pensive_contract::outward::{Extras, Part};

    let mut run = Running::start(None).await;
    let poll = run.poll().await;
    run.server.introduce().await;
    let mut forum = said(1, "hello");
    forum["message"]["chat"] = json!({"id": -1005, "type": "supergroup", "is_forum": true});
    poll.ok(json!([forum]));
    let taken = run.taken.recv().await.unwrap();
    let place = taken.batch.first().unwrap().place.clone();
    assert_eq!(place, support::place("-1005", ChatKind::Group, None));
    taken.kept();

    let typing = run.outward.typing.clone().unwrap();
    let (_, body) = tokio::join!(typing.show(&place), async {
        let request = run.server.asked("SendChatAction").await;
        let body = request.body.clone();
        request.ok(json!(true));
        body
    });
    assert_eq!(body["message_thread_id"], 1);
    let part = Part { text: "x".to_owned(), ..Part::default() };
    let extras = Extras::default();
    let (_, body) = tokio::join!(run.outward.outlet.send(&place, &part, &extras), async {
        let request = run.server.asked("SendMessage").await;
        let body = request.body.clone();
        request.ok(json!({"message_id": 2}));
        body
    });
    assert_eq!(body.get("message_thread_id"), None);
}

#[tokio::test]
async fn rst_08_a_fight_for_the_bot_is_told_until_a_long_poll_lives() {
    let mut run = Running::start(None).await;
    let mut poll = run.poll().await;
    run.server.introduce().await;
    for _ in 0..3 {
        poll.no(409, "Conflict: terminated by other getUpdates request", Value::Null);
        run.clock.nap().await;
        run.poll().await.ok(json!([]));
        poll = run.poll().await;
        assert_eq!(poll.body["timeout"], 50);
    }
    assert!(matches!(run.channel.state(), AccountState::Retrying { .. }));
    poll.ok(json!([]));
    run.poll().await;
    assert!(matches!(run.channel.state(), AccountState::Listening { .. }));
}
