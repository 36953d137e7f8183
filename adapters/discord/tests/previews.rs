//! Answers in the making, against a server whose every answer the test gives.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use pensive_contract::ids::MessageId;
use pensive_contract::inbound::Place;
use pensive_contract::outward::{
    Button, Cost, Extras, Outcome, Outward, Part, Preview, Previews, Refusal, Tempo,
};
use pensive_discord::{DiscordSettings, Pings};
use serde_json::{Value, json};
use support::{HandClock, Request, Server, channel, direct, outward, settings, thread};

const POST: &str = "POST /channels/7/messages";
const PATCH: &str = "PATCH /channels/7/messages/52";
const DELETE: &str = "DELETE /channels/7/messages/52";

type Shown = Outcome<Option<MessageId>>;
type Answer = Box<dyn FnOnce(Request)>;

struct Bench {
    server: Server,
    clock: Arc<HandClock>,
    outward: Outward,
}

impl Bench {
    async fn new() -> Self {
        let (server, clock) = (Server::start().await, HandClock::new());
        // What is being made keeps still, whatever its final form may do.
        let pings = Pings { users: true, roles: true, everyone: true, replied: true };
        let settings = DiscordSettings { pings, link_previews: true, ..settings(&server.root) };
        let outward = outward(settings, clock.clone());
        Self { server, clock, outward }
    }

    fn previews(&self) -> Arc<dyn Previews> {
        self.outward.previews.clone().unwrap()
    }

    /// Shows a state and answers the call that it makes; gives its body.
    async fn show(
        &mut self,
        to: &Place,
        state: &Preview,
        standing: Option<&str>,
        line: &str,
        answer: Answer,
    ) -> (Shown, Value) {
        let (previews, standing) = (self.previews(), standing.map(MessageId::from));
        let showing = previews.show(to, state, standing.as_ref());
        tokio::join!(showing, answered(&mut self.server, line, answer))
    }

    async fn settle(&mut self, part: &Part, extras: &Extras, answer: Answer) -> (Outcome<MessageId>, Value) {
        let (previews, standing, place) = (self.previews(), MessageId::from("52"), channel());
        let settling = previews.settle(&place, &standing, part, extras);
        tokio::join!(settling, answered(&mut self.server, PATCH, answer))
    }

    /// Shows a state and asks nobody.
    async fn held(&mut self, state: &Preview, standing: Option<&str>) -> Shown {
        let (previews, standing, place) = (self.previews(), standing.map(MessageId::from), channel());
        let shown = previews.show(&place, state, standing.as_ref()).await;
        assert!(self.server.unanswered().is_empty());
        shown
    }
}

async fn answered(server: &mut Server, line: &str, answer: Answer) -> Value {
    let request = server.asked(line).await;
    let body = if request.bytes.is_empty() { Value::Null } else { request.json() };
    answer(request);
    body
}

fn took() -> Answer {
    Box::new(|request| request.ok(&json!({"id": "52"})))
}

/// Took it, and says what is left of its bucket of five.
fn left(remaining: &'static str, reset_after: &'static str) -> Answer {
    Box::new(move |request| {
        let headers = [
            ("x-ratelimit-bucket", "edit"),
            ("x-ratelimit-limit", "5"),
            ("x-ratelimit-remaining", remaining),
            ("x-ratelimit-reset-after", reset_after),
        ];
        request.told(200, &headers, &json!({"id": "52"}));
    })
}

fn no(status: u16, code: u64) -> Answer {
    Box::new(move |request| request.no(status, code, "no"))
}

fn text(markdown: &str) -> Preview {
    Preview { stream: 5, markdown: markdown.to_owned(), ..Preview::default() }
}

fn standing() -> Shown {
    Outcome::Delivered(Some("52".into()))
}

fn final_part() -> Part {
    Part { text: "all of it".to_owned(), ..Part::default() }
}

fn tempo(millis: u64) -> Option<Tempo> {
    Some(Tempo { every: Duration::from_millis(millis), fades: None, cost: Cost::Message })
}

#[tokio::test]
async fn an_answer_is_made_in_a_message_that_can_be_stopped() {
    let mut bench = Bench::new().await;
    let state = Preview { reply_to: Some("41".into()), ..text("so <@5> far") };
    let (shown, body) = bench.show(&channel(), &state, None, POST, took()).await;
    assert_eq!(shown, standing());
    assert_eq!(body.get("allowed_mentions"), Some(&json!({"parse": [], "replied_user": false})));
    assert_eq!(body.get("flags"), Some(&json!(4)));
    assert_eq!(
        body.get("message_reference"),
        Some(&json!({"message_id": "41", "fail_if_not_exists": false}))
    );
    let button = body.pointer("/components/0/components/0").unwrap();
    let field = |name: &str| button.get(name).cloned().unwrap_or_default();
    assert_eq!((field("custom_id"), field("label")), (json!("halt:5"), json!("⏹ Stop")));

    let (shown, body) =
        bench.show(&channel(), &text("so <@5> far, so good"), Some("52"), PATCH, took()).await;
    assert_eq!(shown, standing());
    assert!(body.get("content").unwrap().as_str().unwrap().contains("so good"));
    assert_eq!(body.get("allowed_mentions"), Some(&json!({"parse": [], "replied_user": false})));
    assert!(body.pointer("/components/0/components/0").is_some());
}

#[tokio::test]
async fn what_is_there_already_is_not_sent() {
    let mut bench = Bench::new().await;
    bench.show(&channel(), &text("so far"), None, POST, took()).await;
    assert_eq!(bench.held(&text("so far"), Some("52")).await, Outcome::Unchanged);
    bench.show(&channel(), &text("farther"), Some("52"), PATCH, took()).await;
    bench.show(&channel(), &text("so far"), Some("52"), PATCH, took()).await;
    assert_eq!(bench.held(&text(""), Some("52")).await, standing());
}

#[tokio::test]
async fn beyond_two_thousand_characters_the_first_message_stands_still() {
    let mut bench = Bench::new().await;
    let long = "word ".repeat(380);
    let (_, body) = bench.show(&channel(), &text(&long), None, POST, took()).await;
    assert!(body.get("content").unwrap().as_str().unwrap().encode_utf16().count() <= 2_000);
    let longer = "word ".repeat(1_000);
    let (_, body) = bench.show(&channel(), &text(&longer), Some("52"), PATCH, took()).await;
    assert!(body.get("content").unwrap().as_str().unwrap().encode_utf16().count() <= 2_000);
    let longest = "word ".repeat(2_000);
    assert_eq!(bench.held(&text(&longest), Some("52")).await, Outcome::Unchanged);
}

#[tokio::test]
async fn threads_and_private_chats_have_previews_too() {
    let mut bench = Bench::new().await;
    let (shown, _) = bench.show(&thread(), &text("so far"), None, "POST /channels/9/messages", took()).await;
    assert_eq!(shown, standing());
    let (shown, _) = bench.show(&direct(), &text("so far"), None, POST, took()).await;
    assert_eq!(shown, standing());
    assert_eq!(bench.previews().tempo(&thread()), tempo(1_200));
}

#[tokio::test]
async fn the_final_text_takes_the_place_of_the_preview() {
    let mut bench = Bench::new().await;
    let (outcome, body) = bench.settle(&final_part(), &Extras::default(), took()).await;
    assert_eq!(outcome, Outcome::Delivered("52".into()));
    let expected = json!({
        "content": "all of it", "flags": 0, "components": [],
        "allowed_mentions": {"parse": ["users", "roles", "everyone"], "replied_user": true},
    });
    assert_eq!(body, expected);
    let buttons = vec![Button { label: "Again".to_owned(), data: "again".to_owned() }];
    let extras = Extras { buttons, ..Extras::default() };
    let (_, body) = bench.settle(&final_part(), &extras, took()).await;
    let id = body.pointer("/components/0/components/0/custom_id");
    assert_eq!(id, Some(&json!("again")));
}

#[tokio::test]
async fn a_preview_that_cannot_be_changed_any_more_makes_way() {
    for (status, code) in [(404, 10_008), (400, 50_083), (429, 30_046)] {
        let mut bench = Bench::new().await;
        let (outcome, _) = bench.settle(&final_part(), &Extras::default(), no(status, code)).await;
        assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::Never, .. }), "{code} {outcome:?}");
    }
    let mut bench = Bench::new().await;
    let page: Answer = Box::new(|request| request.page(502));
    let (outcome, _) = bench.settle(&final_part(), &Extras::default(), page).await;
    assert!(matches!(outcome, Outcome::Unknown { .. }), "{outcome:?}");
}

#[tokio::test]
async fn a_preview_is_taken_away_once() {
    let mut bench = Bench::new().await;
    let (previews, place, id) = (bench.previews(), channel(), MessageId::from("52"));
    let gone: Answer = Box::new(|request| request.nothing());
    let (outcome, _) = tokio::join!(previews.remove(&place, &id), answered(&mut bench.server, DELETE, gone));
    assert_eq!(outcome, Outcome::Delivered(()));
    let unknown = no(404, 10_008);
    let (outcome, _) =
        tokio::join!(previews.remove(&place, &id), answered(&mut bench.server, DELETE, unknown));
    assert_eq!(outcome, Outcome::Unchanged);
    let strange = previews.remove(&place, &MessageId::from("strange")).await;
    assert!(matches!(strange, Outcome::Refused { refusal: Refusal::Never, .. }));
}

#[tokio::test]
async fn what_one_person_alone_sees_is_taken_away_through_its_interaction() {
    let mut bench = Bench::new().await;
    let (previews, place) = (bench.previews(), channel());
    let id = MessageId::from("private:77:1:2:tok");
    let gone: Answer = Box::new(|request| {
        assert_eq!(request.header("authorization"), None);
        request.nothing();
    });
    let line = "DELETE /webhooks/1/tok/messages/77";
    let (outcome, _) = tokio::join!(previews.remove(&place, &id), answered(&mut bench.server, line, gone));
    assert_eq!(outcome, Outcome::Delivered(()));
}

#[tokio::test]
async fn disc_14_edits_wait_for_their_bucket_and_leave_the_last_call_to_the_final_text() {
    let mut bench = Bench::new().await;
    bench.show(&channel(), &text("one"), None, POST, took()).await;
    bench.show(&channel(), &text("two"), Some("52"), PATCH, left("1", "4")).await;
    // The one that is left is not for previews, and what is due need not wait for them.
    assert_eq!(bench.previews().tempo(&channel()), tempo(4_000));
    assert_eq!(bench.held(&text("three"), Some("52")).await, Outcome::Unchanged);
    let (outcome, _) = bench.settle(&final_part(), &Extras::default(), left("0", "4")).await;
    assert_eq!(outcome, Outcome::Delivered("52".into()));
    bench.clock.pass(Duration::from_secs(4));
    assert_eq!(bench.previews().tempo(&channel()), tempo(1_200));
    bench.show(&channel(), &text("four"), Some("52"), PATCH, left("4", "5")).await;
}

#[tokio::test]
async fn a_moment_is_waited_for() {
    let mut bench = Bench::new().await;
    bench.show(&channel(), &text("one"), Some("52"), PATCH, left("1", "0.7")).await;
    let (previews, place, id, state) = (bench.previews(), channel(), MessageId::from("52"), text("two"));
    let clock = bench.clock.clone();
    let (shown, ()) = tokio::join!(previews.show(&place, &state, Some(&id)), async {
        assert_eq!(clock.wake(Duration::ZERO, Duration::from_secs(1)).await, Duration::from_millis(700));
        bench.server.asked(PATCH).await.ok(&json!({"id": "52"}));
    });
    assert_eq!(shown, standing());
}

#[tokio::test]
async fn a_429_to_a_preview_silences_no_final_text_elsewhere() {
    let mut bench = Bench::new().await;
    let flooded: Answer = Box::new(|request| {
        let body = json!({"message": "x", "retry_after": 9.0, "global": false});
        request.told(429, &[("x-ratelimit-scope", "user")], &body);
    });
    let (shown, _) = bench.show(&channel(), &text("one"), Some("52"), PATCH, flooded).await;
    assert_eq!(shown, Outcome::Unchanged);
    assert_eq!(bench.previews().tempo(&channel()), tempo(9_000));
    let (place, part, extras) = (channel(), final_part(), Extras::default());
    let (outcome, ()) = tokio::join!(bench.outward.outlet.send(&place, &part, &extras), async {
        bench.server.asked(POST).await.ok(&json!({"id": "53"}));
    });
    assert_eq!(outcome, Outcome::Delivered("53".into()));
}

#[tokio::test]
async fn what_one_person_alone_sees_is_changed_through_its_interaction() {
    let mut bench = Bench::new().await;
    let (previews, place, part, extras) = (bench.previews(), channel(), final_part(), Extras::default());
    let id = MessageId::from("private:77:1:2:tok");
    let line = "PATCH /webhooks/1/tok/messages/77";
    let took: Answer = Box::new(|request| {
        assert_eq!(request.header("authorization"), None);
        request.ok(&json!({"id": "77"}));
    });
    let settling = previews.settle(&place, &id, &part, &extras);
    let (outcome, body) = tokio::join!(settling, answered(&mut bench.server, line, took));
    assert_eq!(outcome, Outcome::Delivered(id.clone()));
    assert_eq!((body.get("content"), body.get("components")), (Some(&json!("all of it")), Some(&json!([]))));

    // An interaction that has run out is no fault of the account.
    let settling = previews.settle(&place, &id, &part, &extras);
    let (outcome, _) = tokio::join!(settling, answered(&mut bench.server, line, no(401, 50_027)));
    assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::Never, .. }), "{outcome:?}");
}
