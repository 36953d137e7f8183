//! The server and the link against each other over a real socket, with an intake that only remembers.

use std::path::Path;
use std::sync::Mutex;

use async_trait::async_trait;
use futures::future::BoxFuture;
use pensive_contract::clock::Timestamp;
use pensive_contract::fault::{Fault, FaultClass};
use pensive_contract::ids::MessageId;
use pensive_contract::inbound::{ChatKind, Inbound, InboundKind, Place};
use pensive_contract::intake::{Asked, Intake, Kept, Suggestion};
use pensive_contract::outward::{Body, Button, Cost, Extras, Finality, Outcome, Preview, Refusal};
use pensive_contract::store::{Cursor, OutboxKind, StoreFault};
use tokio::io::AsyncWriteExt;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::client::Link;
use crate::lines::{Line, LineReader};
use crate::wire::{Code, Event, Format, MessageKind, Push, Request, Status, Stretch};

struct StillClock;

impl Clock for StillClock {
    fn now(&self) -> Timestamp {
        Timestamp(1_000)
    }

    fn sleep_until(&self, _: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(futures::future::pending())
    }
}

pub(super) fn terminal(home: &Path) -> Terminal {
    let settings = TerminalSettings { socket: home.join("pensive.sock"), version: "9.9.9".into() };
    Terminal::open(&settings, Arc::new(StillClock)).unwrap()
}

pub(super) fn place(user: &str) -> Place {
    Place { account: account(), chat: user.into(), kind: ChatKind::Direct, topic: None, space: None }
}

#[derive(Default)]
struct Remembering {
    seen: Mutex<Vec<Inbound>>,
}

#[async_trait]
impl Intake for Remembering {
    async fn take(&self, batch: Vec<Inbound>, cursor: Option<Cursor>) -> Result<Kept, StoreFault> {
        assert!(cursor.is_none());
        if batch.iter().any(|inbound| inbound.typed().is_some_and(|typed| typed.text == "full disk")) {
            return Err(StoreFault::Disk("no space".into()));
        }
        self.seen.lock().unwrap().extend(batch);
        Ok(Kept::default())
    }

    async fn cursor(&self, _: &Account) -> Result<Option<Cursor>, StoreFault> {
        Ok(None)
    }

    fn admits(&self, _: &Inbound) -> bool {
        true
    }

    async fn suggest(&self, _: &Asked) -> Vec<Suggestion> {
        Vec::new()
    }
}

struct SmallDesk;

#[async_trait]
impl Desk for SmallDesk {
    async fn status(&self) -> Status {
        Status { version: "9.9.9".into(), sessions: 3, ..Status::default() }
    }

    async fn send(&self, push: Push) -> Result<Vec<MessageId>, Fault> {
        match push.channel.as_str() {
            "telegram" => Ok(vec!["77".into()]),
            "down" => Err(Fault::new(FaultClass::Again, "Telegram was not reached.", "reset")),
            _ => Err(Fault::new(FaultClass::TellPerson, "There is no such channel.", "unknown")),
        }
    }
}

/// A served terminal in a folder of its own.
struct Served {
    home: tempfile::TempDir,
    terminal: Terminal,
    intake: Arc<Remembering>,
    stop: CancellationToken,
    tasks: JoinSet<Result<(), Fault>>,
}

impl Served {
    fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let terminal = terminal(home.path());
        let intake = Arc::new(Remembering::default());
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let channel = terminal.channel(Arc::new(SmallDesk));
        let (port, token) = (Arc::clone(&intake), stop.clone());
        tasks.spawn(async move { channel.run(port, token).await });
        Self { home, terminal, intake, stop, tasks }
    }

    async fn link(&self, user: &str) -> Link {
        Link::connect(&self.home.path().join("pensive.sock"), user).await.unwrap()
    }

    async fn raw(&self) -> tokio::net::UnixStream {
        tokio::net::UnixStream::connect(self.home.path().join("pensive.sock")).await.unwrap()
    }

    async fn send(&self, user: &str, text: &str, extras: &Extras) -> Outcome<MessageId> {
        let outlet = self.terminal.outward().outlet;
        let parts = outlet.render(&Body::Markdown(text.into()));
        outlet.send(&place(user), &parts[0], extras).await
    }
}

#[tokio::test]
async fn a_message_goes_in_and_its_answer_names_it() {
    let served = Served::start();
    let mut link = served.link("ann").await;
    assert_eq!(link.version(), "9.9.9");
    let id = link.say("/think high why?").await.unwrap();
    assert_eq!(link.next().await.unwrap(), Event::Taken { answers: id.clone() });

    let inbound = served.intake.seen.lock().unwrap()[0].clone();
    assert_eq!(inbound.typed().unwrap().text, "/think high why?");
    assert_eq!((inbound.place.clone(), inbound.sender.id.as_str()), (place("ann"), "ann"));
    assert_eq!((inbound.message.as_str(), inbound.at), (id.as_str(), Timestamp(1_000)));

    let extras = Extras {
        buttons: vec![Button { label: "Again".into(), data: "b1".into() }],
        reply_to: Some(inbound.message),
        finality: Finality::Last,
        kind: OutboxKind::Answer,
        ..Extras::default()
    };
    let Outcome::Delivered(sent) = served.send("ann", "**Because.**", &extras).await else { panic!() };
    let Event::Message(message) = link.next().await.unwrap() else { panic!() };
    assert_eq!((message.id.as_str(), message.answers.as_deref()), (sent.as_str(), Some(id.as_str())));
    assert_eq!(
        (message.text.as_str(), message.kind, message.last),
        ("**Because.**", MessageKind::Text, true)
    );
    assert_eq!(message.buttons.len(), 1);
}

#[tokio::test]
async fn users_see_only_their_own_messages_and_all_their_terminals_see_them() {
    let served = Served::start();
    let (mut first, mut second, mut other) =
        (served.link("ann").await, served.link("ann").await, served.link("bob").await);
    assert!(matches!(served.send("ann", "hi", &Extras::default()).await, Outcome::Delivered(_)));
    assert!(matches!(served.send("bob", "yo", &Extras::default()).await, Outcome::Delivered(_)));
    for (link, text) in [(&mut first, "hi"), (&mut second, "hi"), (&mut other, "yo")] {
        let Event::Message(message) = link.next().await.unwrap() else { panic!() };
        assert_eq!(message.text, text);
    }
}

#[tokio::test]
async fn stop_press_status_and_send_are_requests() {
    let served = Served::start();
    let mut link = served.link("ann").await;
    link.request(&Request::Stop { id: "s".into() }).await.unwrap();
    link.request(&Request::Press { id: "p".into(), message: "t1".into(), data: "b1".into() }).await.unwrap();
    assert_eq!(link.next().await.unwrap(), Event::Taken { answers: "s".into() });
    assert_eq!(link.next().await.unwrap(), Event::Taken { answers: "p".into() });
    let seen = served.intake.seen.lock().unwrap().clone();
    assert_eq!(seen[0].typed().unwrap().text, "/stop");
    let InboundKind::Press { data, query } = &seen[1].kind else { panic!() };
    assert_eq!((data.as_str(), seen[1].message.as_str()), ("b1", "t1"));

    let presses = served.terminal.outward().presses.unwrap();
    assert_eq!(presses.answer(query, Some("ok")).await, Outcome::Delivered(()));
    assert_eq!(link.next().await.unwrap(), Event::Pressed { answers: "p".into(), text: Some("ok".into()) });

    assert_eq!(link.status().await.unwrap().sessions, 3);
    let push = |channel: &str| Push {
        channel: channel.into(),
        account: None,
        to: "1".into(),
        topic: None,
        text: "done".into(),
        format: Format::Plain,
    };
    assert_eq!(link.send(push("telegram")).await.unwrap(), ["77"]);
    let down = link.send(push("down")).await.unwrap_err();
    assert!(down.is_unreachable(), "{down}");
    let unknown = link.send(push("fax")).await.unwrap_err();
    assert!(matches!(&unknown, TerminalFault::Refused { code: Code::Unknown, .. }), "{unknown}");
}

#[tokio::test]
async fn what_is_no_request_is_told_and_the_connection_goes_on() {
    let served = Served::start();
    let mut link = served.link("ann").await;
    link.request(&Request::Hello { v: 1, user: "ann".into() }).await.unwrap();
    link.request(&Request::Status { id: "x".repeat(65) }).await.unwrap();
    link.request(&Request::Say { id: "d".into(), text: "full disk".into() }).await.unwrap();
    for expected in [Code::BadRequest, Code::BadRequest, Code::NotKept] {
        let event = link.next().await.unwrap();
        assert!(matches!(&event, Event::Error { code, .. } if *code == expected), "{event:?}");
    }
    assert_eq!(link.status().await.unwrap().version, "9.9.9");
}

#[tokio::test]
async fn a_client_that_does_not_introduce_itself_is_turned_away() {
    for (first, expected) in [
        (r#"{"do":"status","id":"1"}"#, Code::BadRequest),
        (r#"{"do":"hello","v":2,"user":"ann"}"#, Code::Version),
        (r#"{"do":"hello","v":1,"user":""}"#, Code::BadRequest),
        (r#"{"do":"hello","v":1,"user":"a/b"}"#, Code::BadRequest),
        ("\u{0}\u{1}garbage", Code::BadRequest),
    ] {
        let served = Served::start();
        let mut raw = served.raw().await;
        raw.write_all(format!("{first}\n").as_bytes()).await.unwrap();
        raw.shutdown().await.unwrap();
        let Line::Whole(line) = LineReader::new(raw, 1 << 20).next().await.unwrap() else { panic!() };
        let event: Event = serde_json::from_slice(&line).unwrap();
        assert!(matches!(&event, Event::Error { code, .. } if *code == expected), "{first}: {event:?}");
    }
}

#[tokio::test]
async fn stopping_reads_nothing_more_but_still_answers() {
    let mut served = Served::start();
    let mut link = served.link("ann").await;
    link.say("why?").await.unwrap();
    link.next().await.unwrap();
    served.stop.cancel();
    served.tasks.join_next().await.unwrap().unwrap().unwrap();
    assert!(!served.home.path().join("pensive.sock").exists());

    assert!(matches!(served.send("ann", "because", &Extras::default()).await, Outcome::Delivered(_)));
    served.terminal.close().await;
    let Event::Message(message) = link.next().await.unwrap() else { panic!() };
    assert_eq!(message.text, "because");
    assert!(matches!(link.next().await, Err(TerminalFault::Closed)));
}

#[tokio::test]
async fn a_client_that_does_not_read_is_closed_and_the_others_go_on() {
    let served = Served::start();
    let deaf = served.link("ann").await;
    let mut last = served.send("ann", &"x".repeat(4096), &Extras::default()).await;
    for _ in 0..2_000 {
        last = served.send("ann", &"x".repeat(4096), &Extras::default()).await;
    }
    assert!(matches!(last, Outcome::Refused { .. }), "{last:?}");
    let mut link = served.link("bob").await;
    assert_eq!(link.status().await.unwrap().sessions, 3);
    drop(deaf);
}

/// Asks as a program does, with nobody who could answer a question.
async fn ask(
    served: &Served,
    text: &str,
    dress: crate::Dress,
    out: &mut Vec<u8>,
) -> Result<crate::Ending, TerminalFault> {
    let mut aside = std::io::sink();
    let sheets = crate::Sheets {
        answer: crate::Sheet { out, dress },
        aside: crate::Sheet { out: &mut aside, dress: crate::Dress::Plain },
    };
    crate::ask(served.link("ann").await, text, sheets, crate::Replies::None).await
}

/// Answers everything that was taken so far, as an engine would.
async fn answer(served: &Served, at: usize, text: &str, finality: Finality) {
    loop {
        let message = served.intake.seen.lock().unwrap().get(at).map(|inbound| inbound.message.clone());
        if message.is_some() {
            let extras = Extras {
                buttons: Vec::new(),
                reply_to: message,
                finality,
                kind: OutboxKind::Answer,
                ..Extras::default()
            };
            served.send("ann", text, &extras).await;
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn one_turn_ends_with_its_last_message_and_passes_by_what_others_asked() {
    let served = Served::start();
    let mut other = served.link("ann").await;
    other.say("another question").await.unwrap();
    other.next().await.unwrap();

    let mut out = Vec::new();
    let asking = ask(&served, "/t high why?", crate::Dress::Plain, &mut out);
    let answering = async {
        answer(&served, 1, "Thinking level set to high.", Finality::More).await;
        answer(&served, 0, "not for you", Finality::Last).await;
        answer(&served, 1, "Because.", Finality::Last).await;
    };
    let (ending, ()) = tokio::join!(asking, answering);
    assert_eq!(ending.unwrap(), crate::Ending::Answered);
    assert_eq!(String::from_utf8(out).unwrap(), "Thinking level set to high.\nBecause.\n");
}

#[tokio::test]
async fn one_turn_in_json_is_one_object() {
    let served = Served::start();
    let mut out = Vec::new();
    let asking = ask(&served, "why?", crate::Dress::Json, &mut out);
    let (ending, ()) = tokio::join!(asking, answer(&served, 0, "Because.", Finality::Last));
    ending.unwrap();
    let object: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(object["answer"], "Because.");
    assert_eq!(object["ending"], "answered");
    assert_eq!(object["messages"][0]["kind"], "text");
}

#[tokio::test]
async fn a_message_that_could_not_be_kept_is_a_failure() {
    let served = Served::start();
    let asked = ask(&served, "full disk", crate::Dress::Plain, &mut Vec::new()).await;
    assert!(matches!(asked, Err(TerminalFault::Refused { code: Code::NotKept, .. })), "{asked:?}");
}

fn preview(thinking: Option<&str>, markdown: &str) -> Preview {
    Preview {
        stream: 7,
        thinking: thinking.map(str::to_owned),
        markdown: markdown.into(),
        reply_to: Some("a1".into()),
    }
}

/// The preview that `link` is sent next: what is new of the reasoning, and of the words.
async fn seen(link: &mut Link) -> (Option<Stretch>, Option<Stretch>) {
    let Event::Preview(seen) = link.next().await.unwrap() else { panic!() };
    assert_eq!((seen.stream, seen.answers.as_deref()), (7, Some("a1")));
    (seen.thinking, seen.text)
}

fn whole(text: &str) -> Option<Stretch> {
    Some(Stretch::Whole(text.into()))
}

fn more(text: &str) -> Option<Stretch> {
    Some(Stretch::More(text.into()))
}

#[tokio::test]
async fn of_an_answer_in_the_making_each_client_is_sent_what_is_new_to_it() {
    let served = Served::start();
    let previews = served.terminal.outward().previews.unwrap();
    let tempo = previews.tempo(&place("ann")).unwrap();
    assert_eq!((tempo.fades, tempo.cost), (None, Cost::Free));
    let show = async |thinking, text| previews.show(&place("ann"), &preview(thinking, text), None).await;
    assert!(matches!(show(None, "Bec").await, Outcome::Refused { refusal: Refusal::ChatGone, .. }));

    let mut first = served.link("ann").await;
    assert_eq!(show(Some("hm"), "").await, Outcome::Delivered(None));
    assert_eq!(seen(&mut first).await, (whole("hm"), None));
    let mut second = served.link("ann").await;
    show(Some("hm, so"), "Bec").await;
    assert_eq!(seen(&mut first).await, (more(", so"), whole("Bec")));
    assert_eq!(seen(&mut second).await, (whole("hm, so"), whole("Bec")));
    // The same again is no news.
    show(Some("hm, so"), "Bec").await;
    served.send("ann", "Because.", &Extras { kind: OutboxKind::Answer, ..Extras::default() }).await;
    // What stood in a message may begin the next words too.
    show(None, "Because. Yes").await;
    for link in [&mut first, &mut second] {
        assert!(matches!(link.next().await.unwrap(), Event::Message(_)));
        assert_eq!(seen(link).await, (whole(""), whole("Because. Yes")));
    }
}

#[tokio::test]
async fn a_client_that_is_behind_misses_previews_and_no_message() {
    let served = Served::start();
    let previews = served.terminal.outward().previews.unwrap();
    let mut link = served.link("ann").await;
    let mut text = String::new();
    for _ in 0..400 {
        text.push_str(&"x".repeat(1_000));
        assert_eq!(previews.show(&place("ann"), &preview(None, &text), None).await, Outcome::Delivered(None));
    }
    assert!(matches!(served.send("ann", "done", &Extras::default()).await, Outcome::Delivered(_)));
    let mut shown = String::new();
    loop {
        match link.next().await.unwrap() {
            Event::Preview(seen) => seen.text.unwrap().apply(&mut shown),
            Event::Message(message) => break assert_eq!(message.text, "done"),
            other => panic!("{other:?}"),
        }
    }
    assert!(text.starts_with(&shown) && shown.len() < text.len());
}

#[tokio::test]
async fn our_own_words_are_told_from_the_models() {
    let served = Served::start();
    let mut link = served.link("ann").await;
    let outlet = served.terminal.outward().outlet;
    let words = "words".to_owned();
    for (body, kind, finality, expected) in [
        (Body::Markdown(words.clone()), OutboxKind::Answer, Finality::More, MessageKind::Text),
        (Body::Markdown(words.clone()), OutboxKind::Notice, Finality::More, MessageKind::Notice),
        (Body::Plain(words.clone()), OutboxKind::Answer, Finality::Last, MessageKind::Notice),
        (Body::Plain(words.clone()), OutboxKind::Acknowledgement, Finality::Last, MessageKind::Notice),
        (Body::Plain(words.clone()), OutboxKind::Answer, Finality::Failed, MessageKind::Failure),
        (Body::Thinking(words.clone()), OutboxKind::Answer, Finality::More, MessageKind::Thinking),
    ] {
        let extras = Extras { kind, finality, ..Extras::default() };
        outlet.send(&place("ann"), &outlet.render(&body)[0], &extras).await;
        let Event::Message(message) = link.next().await.unwrap() else { panic!() };
        assert_eq!((message.kind, message.text), (expected, words.clone()), "{body:?} {kind:?}");
    }
}
