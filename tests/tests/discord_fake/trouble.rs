//! Lines that end, fall silent, repeat themselves and are taken up again.

use std::time::Duration;

use pensive_tests::discord::Resumable;
use serde_json::{Value, json};

use crate::{
    Bench,
    ears::{ALL, Ears, Heard},
};

/// A greeted session with what it takes to resume it.
struct Session {
    ears: Ears,
    id: Value,
    url: String,
}

impl Session {
    async fn begin(bench: &Bench) -> Self {
        let mut ears = Ears::open(&bench.discord).await;
        ears.identify(bench.discord.token(), ALL).await;
        let ready = ears.event("READY").await;
        let url = ready["resume_gateway_url"].as_str().unwrap().to_owned();
        Self { ears, id: ready["session_id"].clone(), url }
    }

    /// Another line, on which the session goes on behind `seq`.
    async fn again(&mut self, bench: &Bench, seq: u64) {
        self.ears = Ears::open_at(&self.url).await;
        self.ears.resume(bench.discord.token(), &self.id, seq).await;
    }
}

async fn said(ears: &mut Ears) -> Value {
    ears.event("MESSAGE_CREATE").await["content"].clone()
}

#[tokio::test]
async fn a_resume_replays_exactly_what_was_missed() {
    let bench = Bench::new().await;
    let alice = bench.discord.person("Alice");
    let mut session = Session::begin(&bench).await;
    alice.say("one");
    assert_eq!(said(&mut session.ears).await, "one");
    let seq = session.ears.seq;
    bench.discord.line().drop_connection();
    assert_eq!(session.ears.hear().await, Heard::Lost);
    bench.discord.line().wait_until_closed().await;
    alice.say("two");
    alice.say("three");
    session.again(&bench, seq).await;
    assert_eq!((said(&mut session.ears).await, session.ears.seq), (json!("two"), seq + 1));
    assert_eq!((said(&mut session.ears).await, session.ears.seq), (json!("three"), seq + 2));
    session.ears.event("RESUMED").await;
    alice.say("four");
    assert_eq!(said(&mut session.ears).await, "four");
    // A line that is taken up elsewhere ends here.
    let old = std::mem::replace(&mut session.ears, Ears::open_at(&session.url).await);
    session.ears.resume(bench.discord.token(), &session.id, old.seq).await;
    session.ears.event("RESUMED").await;
    let mut old = old;
    assert_eq!(old.hear().await, Heard::Lost);
    assert_eq!(bench.blamed(), Vec::<String>::new());
}

#[tokio::test]
async fn a_resume_that_cannot_be_is_told_and_a_new_session_begins_on_the_same_line() {
    let bench = Bench::new().await;
    let token = bench.discord.token().to_owned();
    let mut session = Session::begin(&bench).await;
    session.again(&bench, 50).await;
    assert_eq!(session.ears.hear().await, Heard::Closed(4007), "an event that never was");
    bench.discord.refuse_resumes(1);
    session.again(&bench, 1).await;
    assert_eq!(session.ears.op(9).await, false);
    session.ears.identify(&token, ALL).await;
    session.ears.event("READY").await;
    session.ears.hears_nothing().await;
    assert_eq!(bench.blamed(), Vec::<String>::new());
    let mut elsewhere = Ears::open(&bench.discord).await;
    elsewhere.resume(&token, &json!("unknown"), 1).await;
    assert_eq!(elsewhere.op(9).await, false);
    assert_eq!(bench.blamed(), ["RESUME at another address than resume_gateway_url"]);
}

#[tokio::test]
async fn op_7_and_op_9_leave_it_to_the_client() {
    let bench = Bench::new().await;
    let alice = bench.discord.person("Alice");
    let mut session = Session::begin(&bench).await;
    bench.discord.line().ask_to_reconnect();
    session.ears.op(7).await;
    session.again(&bench, 1).await;
    session.ears.event("RESUMED").await;
    bench.discord.line().invalidate(Resumable::Yes);
    assert_eq!(session.ears.op(9).await, true);
    bench.discord.line().wait_until_closed().await;
    alice.say("meanwhile");
    let seq = session.ears.seq;
    session.ears.resume(bench.discord.token(), &session.id, seq).await;
    assert_eq!(said(&mut session.ears).await, "meanwhile");
    session.ears.event("RESUMED").await;
    bench.discord.line().invalidate(Resumable::No);
    assert_eq!(session.ears.op(9).await, false);
    assert_eq!(bench.discord.line().sessions(), 0);
    session.ears.identify(bench.discord.token(), ALL).await;
    session.ears.event("READY").await;
    bench.discord.line().ask_for_heartbeat();
    session.ears.op(1).await;
    assert_eq!(bench.blamed(), Vec::<String>::new());
}

#[tokio::test]
async fn codes_keep_the_session_or_end_it() {
    let bench = Bench::new().await;
    for (code, kept) in [(4000, 1), (4009, 0), (1001, 0), (1012, 1)] {
        bench.discord.line().forget();
        let mut session = Session::begin(&bench).await;
        bench.discord.line().close(code);
        assert_eq!((session.ears.hear().await, bench.discord.line().sessions()), (Heard::Closed(code), kept));
    }
    for break_off in [true, false] {
        bench.discord.line().forget();
        let mut session = Session::begin(&bench).await;
        let line = bench.discord.line();
        if break_off {
            line.break_off()
        } else {
            line.reset()
        }
        assert_eq!((session.ears.hear().await, line.sessions()), (Heard::Lost, 1));
    }
}

#[tokio::test]
async fn a_dead_line_says_nothing_and_loses_nothing() {
    let bench = Bench::new().await;
    let alice = bench.discord.person("Alice");
    let mut session = Session::begin(&bench).await;
    let line = bench.discord.line();
    line.go_silent();
    alice.say("unheard");
    session.ears.say(1, json!(1)).await;
    let silence = tokio::time::timeout(Duration::from_millis(100), session.ears.hear()).await;
    assert!(silence.is_err(), "{silence:?}");
    session.again(&bench, 1).await;
    assert_eq!(said(&mut session.ears).await, "unheard");
    session.ears.event("RESUMED").await;
    line.stop_acknowledging();
    session.ears.say(1, json!(3)).await;
    alice.say("heard");
    assert_eq!(said(&mut session.ears).await, "heard", "only acknowledgements are missing");
}

#[tokio::test]
async fn heartbeats_are_held_to_number_and_time() {
    let bench = Bench::new().await;
    let mut session = Session::begin(&bench).await;
    session.ears.say(1, json!(7)).await;
    assert_eq!(session.ears.hear().await, Heard::Closed(4007));
    bench.discord.beat_every(Duration::from_millis(10));
    let mut session = Session::begin(&bench).await;
    assert_eq!(session.ears.hear().await, Heard::Closed(4009));
    let expected = ["a heartbeat with sequence 7, which was never sent", "no heartbeat for two intervals"];
    assert_eq!(bench.blamed(), expected);
}

#[tokio::test]
async fn events_come_twice_late_or_made_up() {
    let bench = Bench::new().await;
    let alice = bench.discord.person("Alice");
    let mut session = Session::begin(&bench).await;
    let (line, ears) = (bench.discord.line(), &mut session.ears);
    alice.say("a");
    assert_eq!((said(ears).await, ears.seq), (json!("a"), 2));
    line.repeat("MESSAGE_CREATE");
    assert_eq!((said(ears).await, ears.seq), (json!("a"), 3), "under the next number");
    line.hold();
    alice.say("b");
    ears.hears_nothing().await;
    line.release();
    assert_eq!((said(ears).await, ears.seq), (json!("b"), 4));
    line.replay("MESSAGE_CREATE");
    assert_eq!((said(ears).await, ears.seq), (json!("b"), 4), "under its own");
    line.event("NEVER_SEEN", &json!({"x": 1}));
    assert_eq!(ears.event("NEVER_SEEN").await, json!({"x": 1}));
    line.raw("{\"op\":");
    assert_eq!(ears.hear().await, Heard::Noise("{\"op\":".into()));
    ears.hears_nothing().await;
}
