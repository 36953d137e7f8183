use serde_json::json;

use super::slips::{ACKNOWLEDGED_AFTER, ANSWERED_AFTER};
use super::*;
use crate::bench::{HandClock, Reply as Answer, Request, Server, client};

const CALLBACK: &str = "POST /interactions/7/tok/callback";
const TOLD_CALLBACK: &str = "POST /interactions/7/tok/callback?with_response=true";
const FOLLOW_UP: &str = "POST /webhooks/1/tok";
const ORIGINAL: &str = "PATCH /webhooks/1/tok/messages/@original";

struct Bench {
    server: Server,
    clock: Arc<HandClock>,
    desk: Desk,
    stop: CancellationToken,
}

impl Bench {
    async fn new() -> Self {
        let (server, clock) = (Server::start().await, HandClock::new());
        let client = client(&server, clock.clone());
        let account = Account { channel: "discord".into(), id: "main".into() };
        let desk = Desk::new(client, clock.clone(), account);
        Self { server, clock, desk, stop: CancellationToken::new() }
    }

    async fn with(came: Came) -> Self {
        let bench = Self::new().await;
        bench.desk.arrived(&interaction(), came);
        bench
    }

    /// Says `text` to the command; the server answers one request.
    async fn reply(
        &mut self,
        text: &str,
        line: &str,
        expected: Value,
        answer: impl FnOnce(Request),
    ) -> Reply {
        let (to, message) = (interaction(), json!({"content": text}));
        let reply = self.desk.reply(&to, &message, None);
        let answering = answered(&mut self.server, line, expected, answer);
        tokio::join!(reply, answering).0
    }

    /// Answers the press; the server answers one request.
    async fn press(
        &mut self,
        text: Option<&str>,
        line: &str,
        expected: Value,
        answer: impl FnOnce(Request),
    ) -> Outcome<()> {
        let query = interaction().query();
        let pressed = self.desk.answer(&query, text);
        tokio::join!(pressed, answered(&mut self.server, line, expected, answer)).0
    }

    /// Watches until `meanwhile` has been asked and answered.
    async fn watch(&mut self, line: &str, expected: Value, answer: impl FnOnce(Request)) {
        tokio::select! {
            biased;
            () = self.desk.watch(&self.stop) => panic!("it watches until it is stopped"),
            () = answered(&mut self.server, line, expected, answer) => {}
        }
    }

    /// Lets two seconds pass, after which the interaction is acknowledged.
    async fn deferred(&mut self, expected: Value) {
        self.clock.pass(ACKNOWLEDGED_AFTER);
        let (watch, answer) = (self.desk.watch(&self.stop), async {
            answered(&mut self.server, CALLBACK, expected, Request::nothing).await;
            free(&self.desk).await;
        });
        tokio::select! {
            () = watch => panic!("it watches until it is stopped"),
            () = answer => {}
        }
    }
}

/// Waits until the answer to a call has been read: then the turn is free again.
async fn free(desk: &Desk) {
    drop(desk.slip(&interaction(), Came::Command).turn().await);
}

fn interaction() -> Interaction {
    Interaction { application: 1, id: 7, token: "tok".to_owned() }
}

async fn answered(server: &mut Server, line: &str, expected: Value, answer: impl FnOnce(Request)) {
    let request = server.asked("").await;
    assert_eq!((request.line.as_str(), request.json()), (line, expected));
    assert_eq!(request.header("authorization"), None, "the token of the interaction is enough");
    answer(request);
}

fn said(content: &str) -> Value {
    json!({"type": 4, "data": {"content": content, "flags": 64}})
}

fn told(content: &str) -> Value {
    json!({"content": content, "flags": 64})
}

/// Our own words, as nobody is pinged by them.
fn quiet(content: &str) -> Value {
    json!({"content": content, "allowed_mentions": {"parse": []}, "flags": 64})
}

fn thinks() -> Value {
    json!({"type": 5, "data": {"flags": 64}})
}

fn made(request: Request) {
    let interaction = json!({"id": "7", "type": 2, "response_message_id": "55"});
    request.ok(&json!({"interaction": interaction, "resource": {"type": 4}}));
}

fn stands(id: &'static str) -> impl FnOnce(Request) {
    move |request| request.ok(&json!({"id": id}))
}

fn no(status: u16, code: u64) -> impl FnOnce(Request) {
    move |request| request.no(status, code, "no")
}

fn is(message: u64) -> Reply {
    let id = Handle::Private { through: interaction(), message }.mint();
    Reply::Ended(Outcome::Delivered(id))
}

#[tokio::test]
async fn a_command_is_answered_at_once_and_its_further_parts_follow() {
    let mut bench = Bench::with(Came::Command).await;
    assert_eq!(bench.reply("a", TOLD_CALLBACK, said("a"), made).await, is(55));
    assert_eq!(bench.reply("b", FOLLOW_UP, told("b"), stands("56")).await, is(56));
    assert_eq!(bench.reply("c", FOLLOW_UP, told("c"), stands("57")).await, is(57));
}

#[tokio::test]
async fn what_is_not_answered_in_two_seconds_is_acknowledged_and_answered_later() {
    let mut bench = Bench::with(Came::Command).await;
    bench.deferred(thinks()).await;
    assert_eq!(bench.reply("a", ORIGINAL, json!({"content": "a"}), stands("55")).await, is(55));
    assert_eq!(bench.reply("b", FOLLOW_UP, told("b"), stands("56")).await, is(56));
}

#[tokio::test]
async fn the_watch_waits_for_whatever_comes_in() {
    let mut bench = Bench::new().await;
    let (clock, desk) = (bench.clock.clone(), &bench.desk);
    let arriving = async {
        desk.arrived(&interaction(), Came::Command);
        clock.sleep_out(ACKNOWLEDGED_AFTER).await;
        answered(&mut bench.server, CALLBACK, thinks(), Request::nothing).await;
        free(desk).await;
        clock.sleep_out(ANSWERED_AFTER - ACKNOWLEDGED_AFTER).await;
        let expected = json!({"content": NOTHING_TO_SAY, "allowed_mentions": {"parse": []}});
        answered(&mut bench.server, ORIGINAL, expected, stands("55")).await;
    };
    tokio::select! {
        biased;
        () = desk.watch(&bench.stop) => panic!("it watches until it is stopped"),
        () = arriving => {}
    }
}

#[tokio::test]
async fn what_was_answered_is_not_acknowledged_again() {
    let mut bench = Bench::with(Came::Command).await;
    bench.reply("a", TOLD_CALLBACK, said("a"), made).await;
    bench.clock.pass(ANSWERED_AFTER);
    bench.stop.cancel();
    bench.desk.watch(&bench.stop).await;
    assert!(bench.server.unanswered().is_empty());
}

#[tokio::test]
async fn an_answer_that_comes_while_one_is_being_promised_waits_for_that() {
    let mut bench = Bench::with(Came::Command).await;
    bench.clock.pass(ACKNOWLEDGED_AFTER);
    let message = json!({"content": "a"});
    let (desk, server) = (&bench.desk, &mut bench.server);
    let to = interaction();
    let story = async {
        let promised = server.asked(CALLBACK).await;
        let serving = async {
            tokio::task::yield_now().await;
            promised.nothing();
            answered(server, ORIGINAL, json!({"content": "a"}), stands("55")).await;
        };
        tokio::join!(desk.reply(&to, &message, None), serving).0
    };
    let reply = tokio::select! {
        () = desk.watch(&bench.stop) => panic!("it watches until it is stopped"),
        reply = story => reply,
    };
    assert_eq!(reply, is(55));
}

#[tokio::test]
async fn a_first_word_that_fails_is_tried_again_while_it_may_count() {
    let mut bench = Bench::with(Came::Command).await;
    bench.clock.pass(ACKNOWLEDGED_AFTER);
    let clock = bench.clock.clone();
    let (desk, server) = (&bench.desk, &mut bench.server);
    let story = async {
        for answer in [no(500, 0), no(503, 0)] {
            answered(server, CALLBACK, thinks(), answer).await;
            clock.sleep_out(PAUSE).await;
        }
        answered(server, CALLBACK, thinks(), |request| request.with(Answer::Reset)).await;
        clock.sleep_out(PAUSE).await;
        // It had landed.
        answered(server, CALLBACK, thinks(), no(400, ACKNOWLEDGED)).await;
        free(desk).await;
    };
    tokio::select! {
        () = desk.watch(&bench.stop) => panic!("it watches until it is stopped"),
        () = story => {}
    }
    assert_eq!(bench.reply("a", ORIGINAL, json!({"content": "a"}), stands("55")).await, is(55));
}

#[tokio::test]
async fn nobody_tries_when_discord_has_given_up() {
    let mut bench = Bench::with(Came::Command).await;
    bench.clock.pass(GIVEN_UP_AFTER);
    bench.watch(CALLBACK, thinks(), no(500, 0)).await;
    bench.stop.cancel();
    bench.desk.watch(&bench.stop).await;
    assert!(bench.server.unanswered().is_empty());
}

#[tokio::test]
async fn what_another_life_has_acknowledged_is_answered_below_that() {
    let mut bench = Bench::new().await;
    let (to, message) = (interaction(), json!({"content": "a"}));
    let serving = async {
        answered(&mut bench.server, TOLD_CALLBACK, said("a"), no(400, ACKNOWLEDGED)).await;
        answered(&mut bench.server, FOLLOW_UP, told("a"), stands("56")).await;
    };
    let (reply, ()) = tokio::join!(bench.desk.reply(&to, &message, None), serving);
    assert_eq!(reply, is(56));
    assert_eq!(bench.reply("b", FOLLOW_UP, told("b"), stands("57")).await, is(57));
}

#[tokio::test]
async fn what_discord_has_forgotten_belongs_into_the_channel() {
    for (status, code) in [(404, UNKNOWN_INTERACTION), (404, UNKNOWN_WEBHOOK), (401, INVALID_WEBHOOK_TOKEN)] {
        let mut bench = Bench::new().await;
        assert_eq!(bench.reply("a", TOLD_CALLBACK, said("a"), no(status, code)).await, Reply::Expired);
    }
    let mut bench = Bench::with(Came::Command).await;
    bench.reply("a", TOLD_CALLBACK, said("a"), made).await;
    assert_eq!(bench.reply("b", FOLLOW_UP, told("b"), no(404, UNKNOWN_WEBHOOK)).await, Reply::Expired);
    bench.clock.pass(LASTS);
    let message = json!({"content": "c"});
    assert_eq!(bench.desk.reply(&interaction(), &message, None).await, Reply::Expired);
    assert!(bench.server.unanswered().is_empty());
}

#[tokio::test]
async fn an_answer_whose_end_is_not_known_is_said_again_and_stands_once() {
    let reset = |request: Request| request.with(Answer::Reset);
    let (to, message) = (interaction(), json!({"content": "a"}));
    // It had not landed.
    let mut bench = Bench::with(Came::Command).await;
    let serving = async {
        answered(&mut bench.server, TOLD_CALLBACK, said("a"), reset).await;
        answered(&mut bench.server, TOLD_CALLBACK, said("a"), made).await;
    };
    assert_eq!(tokio::join!(bench.desk.reply(&to, &message, None), serving).0, is(55));
    // It had.
    let mut bench = Bench::with(Came::Command).await;
    let serving = async {
        answered(&mut bench.server, TOLD_CALLBACK, said("a"), reset).await;
        answered(&mut bench.server, TOLD_CALLBACK, said("a"), no(400, ACKNOWLEDGED)).await;
        answered(&mut bench.server, ORIGINAL, json!({"content": "a"}), stands("55")).await;
    };
    assert_eq!(tokio::join!(bench.desk.reply(&to, &message, None), serving).0, is(55));
    // Nobody knows.
    let mut bench = Bench::with(Came::Command).await;
    let serving = async {
        answered(&mut bench.server, TOLD_CALLBACK, said("a"), reset).await;
        answered(&mut bench.server, TOLD_CALLBACK, said("a"), reset).await;
    };
    let (reply, ()) = tokio::join!(bench.desk.reply(&to, &message, None), serving);
    assert!(matches!(reply, Reply::Ended(Outcome::Unknown { .. })), "{reply:?}");
}

#[tokio::test]
async fn a_first_word_that_hangs_keeps_nobody_longer_than_it_may_count() {
    let mut bench = Bench::with(Came::Command).await;
    let clock = bench.clock.clone();
    let (to, message) = (interaction(), json!({"content": "a"}));
    let serving = async {
        let hangs = bench.server.asked("").await;
        clock.sleep_out(GIVEN_UP_AFTER).await;
        answered(&mut bench.server, TOLD_CALLBACK, said("a"), no(404, UNKNOWN_INTERACTION)).await;
        drop(hangs);
    };
    assert_eq!(tokio::join!(bench.desk.reply(&to, &message, None), serving).0, Reply::Expired);
}

#[tokio::test]
async fn an_answer_that_was_refused_can_be_tried_again() {
    let mut bench = Bench::with(Came::Command).await;
    let reply = bench.reply("a", TOLD_CALLBACK, said("a"), no(503, 0)).await;
    assert!(matches!(reply, Reply::Ended(Outcome::Refused { refusal: Refusal::Again, .. })), "{reply:?}");
    assert_eq!(bench.reply("a", TOLD_CALLBACK, said("a"), made).await, is(55));
}

#[tokio::test]
async fn who_has_waved_the_sign_away_gets_the_answer_all_the_same() {
    let mut bench = Bench::with(Came::Command).await;
    bench.deferred(thinks()).await;
    let (to, message) = (interaction(), json!({"content": "a"}));
    let serving = async {
        answered(&mut bench.server, ORIGINAL, json!({"content": "a"}), no(404, UNKNOWN_MESSAGE)).await;
        answered(&mut bench.server, FOLLOW_UP, told("a"), stands("56")).await;
    };
    let (reply, ()) = tokio::join!(bench.desk.reply(&to, &message, None), serving);
    assert_eq!(reply, is(56));
}

#[tokio::test]
async fn a_press_is_answered_with_words_or_with_nothing() {
    let mut bench = Bench::with(Came::Press).await;
    let heard = json!({"type": 6});
    let outcome = bench.press(None, CALLBACK, heard.clone(), Request::nothing).await;
    assert_eq!(outcome, Outcome::Delivered(()));
    let outcome = bench.press(Some("hi"), FOLLOW_UP, quiet("hi"), stands("56")).await;
    assert_eq!(outcome, Outcome::Delivered(()));

    let mut bench = Bench::with(Came::Press).await;
    let data = json!({"type": 4, "data": quiet("hi")});
    assert_eq!(bench.press(Some("hi"), TOLD_CALLBACK, data, made).await, Outcome::Delivered(()));

    let mut bench = Bench::with(Came::Press).await;
    bench.deferred(heard).await;
    assert_eq!(bench.desk.answer(&interaction().query(), None).await, Outcome::Delivered(()));
    let outcome = bench.press(Some("hi"), FOLLOW_UP, quiet("hi"), stands("56")).await;
    assert_eq!(outcome, Outcome::Delivered(()));
    let strange = bench.desk.answer("strange", None).await;
    assert!(matches!(strange, Outcome::Refused { refusal: Refusal::Never, .. }));
}

#[tokio::test]
async fn a_message_for_one_person_is_changed_through_the_press_below_it() {
    let body = json!({"content": "new", "components": []});
    let (through, id) = (interaction(), Handle::Private { through: interaction(), message: 55 }.mint());

    let mut bench = Bench::with(Came::PrivatePress).await;
    let changed = json!({"type": 7, "data": body});
    let serving = answered(&mut bench.server, CALLBACK, changed, Request::nothing);
    let (outcome, ()) = tokio::join!(bench.desk.edit(&through, 55, &body), serving);
    assert_eq!(outcome, Outcome::Delivered(id.clone()));
    let outcome = bench.press(Some("set"), FOLLOW_UP, quiet("set"), stands("56")).await;
    assert_eq!(outcome, Outcome::Delivered(()));

    let mut bench = Bench::with(Came::PrivatePress).await;
    let query = interaction().query();
    let serving = async {
        answered(&mut bench.server, CALLBACK, json!({"type": 6}), Request::nothing).await;
        answered(&mut bench.server, FOLLOW_UP, quiet("set"), stands("56")).await;
    };
    tokio::join!(bench.desk.answer(&query, Some("set")), serving);
    let serving = answered(&mut bench.server, ORIGINAL, body.clone(), stands("55"));
    let (outcome, ()) = tokio::join!(bench.desk.edit(&through, 55, &body), serving);
    assert_eq!(outcome, Outcome::Delivered(id));
}

#[tokio::test]
async fn what_a_press_has_set_is_told_once() {
    let mut bench = Bench::with(Came::PrivatePress).await;
    let (to, query, letter) = (interaction(), interaction().query(), json!({"content": "set"}));
    let serving = async {
        answered(&mut bench.server, CALLBACK, json!({"type": 6}), Request::nothing).await;
        answered(&mut bench.server, FOLLOW_UP, told("set"), stands("56")).await;
    };
    let (reply, pressed, ()) =
        tokio::join!(bench.desk.reply(&to, &letter, None), bench.desk.answer(&query, Some("set")), serving);
    assert_eq!((reply, pressed), (is(56), Outcome::Delivered(())));
    assert!(bench.server.unanswered().is_empty());
}

#[tokio::test]
async fn what_was_said_to_a_command_is_changed_by_its_id() {
    let mut bench = Bench::with(Came::Command).await;
    bench.reply("a", TOLD_CALLBACK, said("a"), made).await;
    let body = json!({"content": "b"});
    let line = "PATCH /webhooks/1/tok/messages/55";
    let through = interaction();
    let serving = answered(&mut bench.server, line, body.clone(), stands("55"));
    let (outcome, ()) = tokio::join!(bench.desk.edit(&through, 55, &body), serving);
    assert_eq!(outcome, Outcome::Delivered(Handle::Private { through, message: 55 }.mint()));
}

#[tokio::test]
async fn whoever_does_not_come_in_is_told() {
    let mut bench = Bench::with(Came::Command).await;
    let data = json!({"type": 4, "data": quiet("Not here.")});
    let to = interaction();
    let serving = answered(&mut bench.server, TOLD_CALLBACK, data, made);
    let (outcome, ()) = tokio::join!(bench.desk.refuse(&to, "Not here."), serving);
    assert_eq!(outcome, Outcome::Delivered(()));
}

#[tokio::test]
async fn values_are_offered() {
    let mut bench = Bench::new().await;
    let values = [Suggestion { label: "✓ high (from session)".into(), value: "high".into() }];
    let choice = json!({"name": "✓ high (from session)", "value": "high"});
    let to = interaction();
    let expected = json!({"type": 8, "data": {"choices": [choice]}});
    let serving = answered(&mut bench.server, CALLBACK, expected, Request::nothing);
    let (outcome, ()) = tokio::join!(bench.desk.suggest(&to, &values), serving);
    assert_eq!(outcome, Outcome::Delivered(()));
}

#[tokio::test]
async fn at_the_end_whatever_is_open_is_acknowledged() {
    let mut bench = Bench::with(Came::Command).await;
    bench.stop.cancel();
    let serving = answered(&mut bench.server, CALLBACK, thinks(), Request::nothing);
    tokio::join!(bench.desk.watch(&bench.stop), serving);
}
