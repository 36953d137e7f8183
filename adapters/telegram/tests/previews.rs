//! Answers in the making and rich messages, against a server whose every answer the test gives.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use pensive_contract::ids::MessageId;
use pensive_contract::inbound::{ChatKind, Place};
use pensive_contract::outward::{
    Body, Button, Cost, Extras, Outcome, Outward, Part, Preview, Previews, Refusal, Tempo,
};
use serde_json::{Value, json};
use support::{HandClock, Reply, Request, Server, place, telegram};

struct Bench {
    server: Server,
    outward: Outward,
}

type Shown = Outcome<Option<MessageId>>;

const HERE: Shown = Outcome::Delivered(None);

impl Bench {
    async fn new() -> Self {
        let server = Server::start().await;
        let outward = telegram(&server.root, HandClock::new(), Arc::default()).outward;
        Self { server, outward }
    }

    fn previews(&self) -> Arc<dyn Previews> {
        self.outward.previews.clone().unwrap()
    }

    /// Shows a state and answers the calls that are expected, in order; gives their bodies.
    async fn show(
        &mut self,
        to: &Place,
        preview: &Preview,
        standing: Option<&str>,
        expected: Vec<(&str, Answer)>,
    ) -> (Shown, Vec<Value>) {
        let (previews, standing) = (self.previews(), standing.map(MessageId::from));
        let showing = previews.show(to, preview, standing.as_ref());
        let answering = async {
            let mut bodies = Vec::new();
            for (method, answer) in expected {
                let request = self.server.asked(method).await;
                bodies.push(request.body.clone());
                answer(request);
            }
            bodies
        };
        tokio::join!(showing, answering)
    }

    async fn send(
        &mut self,
        to: &Place,
        part: &Part,
        method: &str,
        answer: Answer,
    ) -> (Outcome<MessageId>, Value) {
        let extras = Extras::default();
        let sending = self.outward.outlet.send(to, part, &extras);
        let answering = async {
            let request = self.server.asked(method).await;
            let body = request.body.clone();
            answer(request);
            body
        };
        tokio::join!(sending, answering)
    }
}

type Answer = Box<dyn FnOnce(Request)>;

fn yes() -> Answer {
    Box::new(|request| request.ok(json!(true)))
}

fn message(id: i64) -> Answer {
    Box::new(move |request| request.ok(json!({"message_id": id})))
}

fn no(code: u16, words: &'static str) -> Answer {
    Box::new(move |request| request.no(code, words, Value::Null))
}

fn private() -> Place {
    place("7", ChatKind::Direct, None)
}

fn text(markdown: &str) -> Preview {
    Preview { stream: 5, markdown: markdown.to_owned(), ..Preview::default() }
}

#[tokio::test]
async fn a_private_chat_sees_rich_drafts() {
    let mut bench = Bench::new().await;
    let preview = Preview { thinking: Some("hm".to_owned()), ..text("so **fa") };
    let topic = place("7", ChatKind::Direct, Some("9"));
    let (outcome, bodies) = bench.show(&topic, &preview, None, vec![("SendRichMessageDraft", yes())]).await;
    assert_eq!(outcome, HERE);
    let expected = json!({
        "chat_id": 7, "message_thread_id": 9, "draft_id": 5, "can_stop": true, "keep_on_stop": true,
        "rich_message": {"markdown": "<tg-thinking>hm</tg-thinking>\n\nso **fa**"},
    });
    assert_eq!(bodies, [expected]);
    let tempo =
        Tempo { every: Duration::from_millis(300), fades: Some(Duration::from_secs(20)), cost: Cost::Free };
    assert_eq!(bench.previews().tempo(&topic), Some(tempo));
}

#[tokio::test]
async fn each_step_falls_to_the_next_and_the_chat_is_remembered() {
    let mut bench = Bench::new().await;
    let gone = || no(404, "Not Found: method not found");
    let expected = vec![("SendRichMessageDraft", gone()), ("SendMessageDraft", yes())];
    let (outcome, bodies) = bench.show(&private(), &text("so **fa"), None, expected).await;
    assert_eq!(outcome, HERE);
    let draft = json!({
        "chat_id": 7, "draft_id": 5, "can_stop": true, "keep_on_stop": true, "text": "so fa",
        "entities": [{"type": "bold", "offset": 3, "length": 2}],
    });
    assert_eq!(bodies.last(), Some(&draft));

    // The first method is not tried again, and the second falls to edits.
    let expected = vec![
        ("SendMessageDraft", no(400, "Bad Request: TEXTDRAFT_PEER_INVALID")),
        ("SendMessage", message(31)),
    ];
    let (outcome, bodies) = bench.show(&private(), &text("so far"), None, expected).await;
    assert_eq!(outcome, Outcome::Delivered(Some("31".into())));
    let stop = json!({"inline_keyboard": [[{"text": "⏹ Stop", "callback_data": "halt:5"}]]});
    let sent = json!({"chat_id": 7, "text": "so far", "link_preview_options": {"is_disabled": true}, "reply_markup": stop});
    assert_eq!(bodies.last(), Some(&sent));
    assert_eq!(bench.previews().tempo(&private()).unwrap().cost, Cost::Message);

    // Another chat knows nothing of it.
    let other = place("8", ChatKind::Direct, None);
    bench.show(&other, &text("x"), None, vec![("SendRichMessageDraft", yes())]).await;
}

#[tokio::test]
async fn an_answer_that_a_rich_draft_cannot_hold_falls_for_itself_alone() {
    let mut bench = Bench::new().await;
    let expected = vec![
        ("SendRichMessageDraft", no(400, "Bad Request: RICH_MESSAGE_INVALID")),
        ("SendMessageDraft", yes()),
    ];
    bench.show(&private(), &text("odd"), None, expected).await;
    bench.show(&private(), &text("odder"), None, vec![("SendMessageDraft", yes())]).await;
    let next = Preview { stream: 6, ..text("fine") };
    bench.show(&private(), &next, None, vec![("SendRichMessageDraft", yes())]).await;
}

#[tokio::test]
async fn str_09_a_group_sees_a_message_that_is_changed_in_its_topic() {
    let mut bench = Bench::new().await;
    let to = place("-1005", ChatKind::Group, Some("9"));
    let preview = Preview { reply_to: Some("3".into()), ..text("one") };
    let (outcome, bodies) = bench.show(&to, &preview, None, vec![("SendMessage", message(31))]).await;
    assert_eq!(outcome, Outcome::Delivered(Some("31".into())));
    let seen = bodies.first().unwrap();
    assert_eq!((&seen["message_thread_id"], &seen["reply_parameters"]["message_id"]), (&json!(9), &json!(3)));

    let stop = json!({"inline_keyboard": [[{"text": "⏹ Stop", "callback_data": "halt:5"}]]});
    let (outcome, bodies) =
        bench.show(&to, &text("one two"), Some("31"), vec![("EditMessageText", message(31))]).await;
    assert_eq!(outcome, Outcome::Delivered(Some("31".into())));
    let edit = json!({"chat_id": -1005, "message_id": 31, "text": "one two",
        "link_preview_options": {"is_disabled": true}, "reply_markup": stop});
    assert_eq!(bodies, [edit]);

    // The same again is not even asked for, and where the server says so it is no failure.
    let (outcome, _) = bench.show(&to, &text("one two"), Some("31"), vec![]).await;
    assert_eq!(outcome, Outcome::Unchanged);
    let same = no(400, "Bad Request: message is not modified");
    let (outcome, _) =
        bench.show(&to, &text("one two three"), Some("31"), vec![("EditMessageText", same)]).await;
    assert_eq!(outcome, Outcome::Unchanged);
    let tempo = Tempo { every: Duration::from_secs(3), fades: None, cost: Cost::Message };
    assert_eq!(bench.previews().tempo(&to), Some(tempo));
}

#[tokio::test]
async fn a_message_that_somebody_took_away_is_not_shown_again_for_this_answer() {
    let mut bench = Bench::new().await;
    let to = place("-5", ChatKind::Group, None);
    let gone = no(400, "Bad Request: message to edit not found");
    let expected = vec![("EditMessageText", gone)];
    let (outcome, _) = bench.show(&to, &text("one"), Some("31"), expected).await;
    assert_eq!(outcome, Outcome::Delivered(Some("31".into())));
    let (outcome, _) = bench.show(&to, &text("one two"), None, vec![]).await;
    assert_eq!(outcome, HERE);
    assert!(bench.previews().tempo(&to).is_some(), "the next answer may be shown");
}

#[tokio::test]
async fn str_01_a_flood_names_its_wait_and_no_other_method_is_tried() {
    let mut bench = Bench::new().await;
    let flood: Answer = Box::new(|request| request.no(429, "Too Many Requests", json!({"retry_after": 33})));
    let (outcome, _) = bench.show(&private(), &text("x"), None, vec![("SendRichMessageDraft", flood)]).await;
    assert_eq!(outcome, Outcome::Wait(Duration::from_secs(33)));
    let lost: Answer = Box::new(|request| request.with(Reply::Reset));
    let (outcome, _) = bench.show(&private(), &text("x"), None, vec![("SendRichMessageDraft", lost)]).await;
    assert!(matches!(outcome, Outcome::Unknown { .. }), "{outcome:?}");
    let blocked = no(403, "Forbidden: bot was blocked by the user");
    let (outcome, _) =
        bench.show(&private(), &text("x"), None, vec![("SendRichMessageDraft", blocked)]).await;
    assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::ChatGone, .. }), "{outcome:?}");
}

#[tokio::test]
async fn while_the_model_thinks_a_draft_is_telegrams_own_sign_and_no_message_is_sent() {
    let mut bench = Bench::new().await;
    let empty = Preview { stream: 0, ..Preview::default() };
    let expected = vec![("SendRichMessageDraft", no(404, "Not Found")), ("SendMessageDraft", yes())];
    let (_, bodies) = bench.show(&private(), &empty, None, expected).await;
    let draft = json!({"chat_id": 7, "draft_id": 1, "can_stop": true, "keep_on_stop": true, "text": ""});
    assert_eq!(bodies.last(), Some(&draft), "and the number of a draft is never zero");
    // An older server takes no empty text. That is no reason to give drafts up.
    let old = no(400, "Bad Request: message text is empty");
    let (outcome, _) = bench.show(&private(), &empty, None, vec![("SendMessageDraft", old)]).await;
    assert_eq!(outcome, HERE);
    bench.show(&private(), &text("x"), None, vec![("SendMessageDraft", yes())]).await;
    let (outcome, _) = bench.show(&place("-5", ChatKind::Group, None), &empty, None, vec![]).await;
    assert_eq!(outcome, HERE);
}

#[tokio::test]
async fn str_10_what_is_too_long_is_cut_and_never_refused() {
    let mut bench = Bench::new().await;
    let long = text(&"word ".repeat(2_000));
    let expected = vec![("SendRichMessageDraft", no(404, "Not Found")), ("SendMessageDraft", yes())];
    let (_, bodies) = bench.show(&private(), &long, None, expected).await;
    let (_, edits) =
        bench.show(&place("-5", ChatKind::Group, None), &long, None, vec![("SendMessage", message(1))]).await;
    for body in bodies.iter().skip(1).chain(&edits) {
        assert!((1..=4096).contains(&body["text"].as_str().unwrap().len()));
    }
}

#[tokio::test]
async fn a_standing_preview_becomes_the_final_text_or_goes() {
    let mut bench = Bench::new().await;
    let (to, previews, standing) = (place("-5", ChatKind::Group, None), bench.previews(), "31".into());
    let part = Part { text: "done".to_owned(), ..Part::default() };
    for answer in [message(31), no(400, "Bad Request: message is not modified")] {
        let extras = Extras::default();
        let settling = previews.settle(&to, &standing, &part, &extras);
        let answering = async {
            let request = bench.server.asked("EditMessageText").await;
            let body = request.body.clone();
            answer(request);
            body
        };
        let (outcome, body) = tokio::join!(settling, answering);
        assert_eq!(outcome, Outcome::Delivered("31".into()));
        let edit = json!({"chat_id": -5, "message_id": 31, "text": "done", "link_preview_options": {"is_disabled": true}});
        assert_eq!(body, edit, "the button to stop is gone");
    }
    for (answer, expected) in [
        (yes(), Outcome::Delivered(())),
        (no(400, "Bad Request: message to delete not found"), Outcome::Unchanged),
    ] {
        let removing = previews.remove(&to, &standing);
        let answering = async { answer(bench.server.asked("DeleteMessage").await) };
        let (outcome, ()) = tokio::join!(removing, answering);
        assert_eq!(outcome, expected);
    }
}

#[tokio::test]
async fn a_table_goes_out_as_a_rich_message_and_plain_where_that_is_refused() {
    let mut bench = Bench::new().await;
    let table = "| a | b |\n| - | - |\n| 1 | 2 |";
    let parts = bench.outward.outlet.render(&Body::Markdown(table.to_owned()));
    let part = parts.first().unwrap().clone();
    let (outcome, body) = bench.send(&private(), &part, "SendRichMessage", message(31)).await;
    assert_eq!(outcome, Outcome::Delivered("31".into()));
    assert_eq!(body, json!({"chat_id": 7, "rich_message": {"markdown": table}}));

    let invalid = no(400, "Bad Request: RICH_MESSAGE_INVALID");
    let (outcome, _) = bench.send(&private(), &part, "SendRichMessage", invalid).await;
    assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::Never, .. }), "{outcome:?}");
    let gone = no(404, "Not Found: method not found");
    let (outcome, _) = bench.send(&private(), &part, "SendRichMessage", gone).await;
    assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::Never, .. }), "{outcome:?}");
    // From now on it is known, without a call.
    let outcome = bench.outward.outlet.send(&private(), &part, &Extras::default()).await;
    assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::Style, .. }), "{outcome:?}");
    let plain = Part { whole: None, ..part };
    let (outcome, body) = bench.send(&private(), &plain, "SendMessage", message(32)).await;
    assert_eq!(outcome, Outcome::Delivered("32".into()));
    assert_eq!(body["entities"][0]["type"], json!("pre"));
}

#[tokio::test]
async fn a_long_answer_is_one_rich_message_with_its_buttons_and_direction() {
    let mut bench = Bench::new().await;
    let parts = bench.outward.outlet.render(&Body::Markdown("שלום עולם. ".repeat(1_000)));
    let part = parts.first().unwrap();
    assert_eq!(part.whole.as_ref().unwrap().parts, parts.len());
    assert!(parts.len() > 1 && parts.iter().skip(1).all(|part| part.whole.is_none()));
    let extras = Extras {
        buttons: vec![Button { label: "Again".to_owned(), data: "x".to_owned() }],
        ..Extras::default()
    };
    let to = private();
    let sending = bench.outward.outlet.send(&to, part, &extras);
    let answering = async {
        let request = bench.server.asked("SendRichMessage").await;
        let body = request.body.clone();
        request.ok(json!({"message_id": 31}));
        body
    };
    let (_, body) = tokio::join!(sending, answering);
    assert_eq!(body["rich_message"]["is_rtl"], json!(true));
    assert_eq!(body["reply_markup"]["inline_keyboard"][0][0]["text"], json!("Again"));
    let short = bench.outward.outlet.render(&Body::Markdown("**short**".to_owned()));
    assert!(short.iter().all(|part| part.whole.is_none()));
}
