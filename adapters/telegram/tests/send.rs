//! What is sent and how each call can end, against a server whose every answer the test gives.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use pensive_contract::ids::MessageId;
use pensive_contract::inbound::ChatKind;
use pensive_contract::outward::{Body, Button, Extras, Mark, Outcome, Outward, Part, Refusal, Style};
use serde_json::{Value, json};
use support::{HandClock, Memory, Reply, Request, SECRET, Server, TOKEN, place, settings, telegram};

struct Bench {
    server: Server,
    clock: Arc<HandClock>,
    outward: Outward,
}

impl Bench {
    async fn new() -> Self {
        let server = Server::start().await;
        let clock = HandClock::new();
        let outward = telegram(&server.root, clock.clone(), Arc::default()).outward;
        Self { server, clock, outward }
    }

    /// Sends a line and has `answer` deal with the request.
    async fn send(&mut self, answer: impl FnOnce(Request)) -> Outcome<MessageId> {
        let (to, part) = (place("7", ChatKind::Direct, None), plain("hi"));
        let extras = Extras::default();
        let sending = self.outward.outlet.send(&to, &part, &extras);
        let (outcome, ()) = tokio::join!(sending, async { answer(self.server.asked("SendMessage").await) });
        outcome
    }
}

fn plain(text: &str) -> Part {
    Part { text: text.to_owned(), ..Part::default() }
}

#[tokio::test]
async fn a_part_goes_out_with_its_styles_topic_reply_and_buttons() {
    let mut bench = Bench::new().await;
    let part = Part {
        text: "😀 bold x".to_owned(),
        marks: vec![
            Mark { range: 5..9, style: Style::Bold },
            Mark { range: 10..11, style: Style::Link { url: "https://x.org".to_owned() } },
            Mark { range: 10..99, style: Style::Code },
            Mark { range: 1..5, style: Style::Code },
        ],
        whole: None,
        file: None,
    };
    let extras = Extras {
        buttons: vec![
            Button { label: "Again".to_owned(), data: "run:1".to_owned() },
            Button { label: "Long".to_owned(), data: "x".repeat(65) },
        ],
        reply_to: Some("5".into()),
        ..Extras::default()
    };
    let to = place("-1005", ChatKind::Group, Some("9"));
    let sending = bench.outward.outlet.send(&to, &part, &extras);
    let answering = async {
        let request = bench.server.asked("SendMessage").await;
        let body = request.body.clone();
        request.ok(json!({"message_id": 31, "anything": "else"}));
        body
    };
    let (outcome, body) = tokio::join!(sending, answering);
    assert_eq!(outcome, Outcome::Delivered("31".into()));
    let expected = json!({
        "chat_id": -1005, "text": "😀 bold x", "message_thread_id": 9,
        "entities": [
            {"type": "bold", "offset": 3, "length": 4},
            {"type": "text_link", "url": "https://x.org/", "offset": 8, "length": 1},
        ],
        "link_preview_options": {"is_disabled": true},
        "reply_parameters": {"message_id": 5, "allow_sending_without_reply": true},
        "reply_markup": {"inline_keyboard": [[{"text": "Again", "callback_data": "run:1"}]]},
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn an_answer_of_its_own_means_refused_and_anything_else_unknown() {
    let mut bench = Bench::new().await;
    let again =
        |outcome: &Outcome<MessageId>| matches!(outcome, Outcome::Refused { refusal: Refusal::Again, .. });
    let unknown = |outcome: &Outcome<MessageId>| matches!(outcome, Outcome::Unknown { .. });

    let outcome = bench.send(|request| request.no(500, "Internal Server Error", Value::Null)).await;
    assert!(again(&outcome), "{outcome:?}");
    let outcome = bench.send(|request| request.no(429, "Too Many Requests", json!({"retry_after": 3}))).await;
    assert_eq!(outcome, Outcome::Wait(Duration::from_secs(3)));
    for lost in [Reply::Html(502), Reply::Html(429), Reply::Reset, Reply::Json(200, "{\"ok\":tr".to_owned())]
    {
        let outcome = bench.send(|request| request.with(lost)).await;
        assert!(unknown(&outcome), "{outcome:?}");
    }
    let outcome = bench.send(|request| request.ok(json!({"no": "id"}))).await;
    assert!(unknown(&outcome), "{outcome:?}");
}

#[tokio::test]
async fn a_no_is_a_no_however_oddly_it_is_written() {
    let mut bench = Bench::new().await;
    let flood = |parameters: &str| {
        (
            429,
            format!(r#"{{"ok":false,"error_code":429,"description":"Too Many","parameters":{parameters}}}"#),
        )
    };
    for ((status, body), expected) in [
        (flood(r#"{"retry_after":1.5}"#), "wait 2"),
        (flood(r#"{"retry_after":"7"}"#), "wait 7"),
        (flood(r#"{"retry_after":-1}"#), "wait 5"),
        (flood(r#"{"retry_after":0}"#), "wait 1"),
        (flood(r#""none""#), "wait 5"),
        ((500, r#"{"ok":false,"error_code":"500","description":"Internal"}"#.to_owned()), "again"),
        ((500, r#"{"ok":false}"#.to_owned()), "again"),
        ((200, r#"{"ok":false}"#.to_owned()), "again"),
        ((200, "{}".to_owned()), "unknown"),
        ((500, r#"{"error":"of a proxy"}"#.to_owned()), "unknown"),
    ] {
        let outcome = bench.send(|request| request.json(status, body.clone())).await;
        let found = match &outcome {
            Outcome::Wait(span) => format!("wait {}", span.as_secs()),
            Outcome::Refused { refusal: Refusal::Again, .. } => "again".to_owned(),
            Outcome::Unknown { .. } => "unknown".to_owned(),
            other => format!("{other:?}"),
        };
        assert_eq!(found, expected, "{status} {body}");
    }
}

#[tokio::test]
async fn silence_is_given_up_and_the_outcome_is_unknown() {
    let mut bench = Bench::new().await;
    let (to, part, extras) = (place("7", ChatKind::Direct, None), plain("hi"), Extras::default());
    let sending = bench.outward.outlet.send(&to, &part, &extras);
    let (outcome, limit) = tokio::join!(sending, async {
        bench.server.asked("SendMessage").await.with(Reply::Silence);
        bench.clock.wake(Duration::from_secs(1), Duration::from_secs(60)).await
    });
    assert!(matches!(outcome, Outcome::Unknown { .. }), "{outcome:?}");
    assert_eq!(limit, Duration::from_secs(30));
}

#[tokio::test]
async fn without_a_connection_nothing_has_landed_and_tool_08_no_word_holds_the_token() {
    // The port was free a moment ago and nobody listens on it.
    let root = { Server::start().await.root.clone() };
    let clock = HandClock::new();
    let made = settings(&root, TOKEN);
    assert!(!format!("{made:?}").contains(SECRET));
    let outward = telegram(&root, clock, Arc::<Memory>::default()).outward;
    let outcome =
        outward.outlet.send(&place("7", ChatKind::Direct, None), &plain("hi"), &Extras::default()).await;
    assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::Again, .. }), "{outcome:?}");
    assert!(!format!("{outcome:?}").contains(SECRET), "{outcome:?}");

    let mut bench = Bench::new().await;
    let echo = format!("Bad Request: no such path /bot{TOKEN}/SendMessage");
    for outcome in [
        bench.send(|request| request.no(400, &echo, Value::Null)).await,
        bench.send(|request| request.with(Reply::Reset)).await,
        bench.send(|request| request.with(Reply::Html(404))).await,
    ] {
        assert!(!format!("{outcome:?}").contains(SECRET), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_group_that_became_a_supergroup_is_found_at_its_new_id() {
    let mut bench = Bench::new().await;
    let words = "Bad Request: group chat was upgraded to a supergroup chat";
    let outcome = bench.send(|request| request.no(400, words, json!({"migrate_to_chat_id": -1009}))).await;
    assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::Again, .. }), "{outcome:?}");
    bench
        .send(|request| {
            assert_eq!(request.body["chat_id"], -1009);
            request.ok(json!({"message_id": 1}));
        })
        .await;
}

#[tokio::test]
async fn typing_and_presses_are_answered() {
    let mut bench = Bench::new().await;
    let typing = bench.outward.typing.clone().unwrap();
    assert_eq!(typing.lasts(), Duration::from_secs(5));
    let to = place("-5", ChatKind::Group, None);
    let (outcome, ()) = tokio::join!(typing.show(&to), async {
        let request = bench.server.asked("SendChatAction").await;
        assert_eq!(request.body, json!({"chat_id": -5, "action": "typing"}));
        request.ok(json!(true));
    });
    assert_eq!(outcome, Outcome::Delivered(()));

    let presses = bench.outward.presses.clone().unwrap();
    let long = "é".repeat(300);
    let (outcome, ()) = tokio::join!(presses.answer("q1", Some(&long)), async {
        let request = bench.server.asked("AnswerCallbackQuery").await;
        assert_eq!(request.body, json!({"callback_query_id": "q1", "text": "é".repeat(200)}));
        request.ok(json!(true));
    });
    assert_eq!(outcome, Outcome::Delivered(()));
}

#[tokio::test]
async fn a_place_of_another_channel_is_refused_without_a_call() {
    let bench = Bench::new().await;
    let outcome = bench
        .outward
        .outlet
        .send(&place("#general", ChatKind::Group, None), &plain("x"), &Extras::default())
        .await;
    assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::Never, .. }));
}

#[test]
fn an_address_or_pattern_that_is_none_is_named() {
    let check = |root: &str, patterns: &[&str], words: &str| {
        let mut settings = settings(root, TOKEN);
        settings.mention_patterns = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        let made = pensive_telegram::connect(settings, HandClock::new(), Arc::<Memory>::default());
        let fault = made.err().unwrap();
        assert!(fault.log.contains(words) && fault.log.contains("telegram/main"), "{}", fault.log);
    };
    check("api.telegram.org", &[], "apiRoot");
    check("ftp://x", &[], "apiRoot");
    check("https://api.telegram.org", &["("], "mention pattern");
}

#[test]
fn rendering_is_the_outlets() {
    let made = pensive_telegram::connect(
        settings("https://api.telegram.org/", TOKEN),
        HandClock::new(),
        Arc::<Memory>::default(),
    );
    let parts = made.unwrap().outward.outlet.render(&Body::Markdown("**x**".to_owned()));
    assert_eq!(
        parts,
        vec![Part {
            text: "x".to_owned(),
            marks: vec![Mark { range: 0..1, style: Style::Bold }],
            whole: None,
            file: None,
        }]
    );
}
