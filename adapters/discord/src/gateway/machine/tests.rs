use std::borrow::Cow;

use super::*;

const BEGIN: Timestamp = Timestamp(1_000_000);
const EVERY: Duration = Duration::from_millis(41_250);
const SECOND: Duration = Duration::from_secs(1);

fn machine() -> Machine {
    Machine::new(Slice { index: 0, count: 1 }, None)
}

fn session(id: &str) -> Arc<Session> {
    Arc::new(Session { id: id.to_owned(), url: Some("wss://back".to_owned()) })
}

fn point(id: &str, seq: u64) -> Point {
    Point { session: session(id), seq }
}

fn event(kind: &str, seq: u64) -> Heard<'_> {
    Heard::Event { kind: Cow::Borrowed(kind), seq: Some(seq), data: "{}" }
}

fn ready(seq: u64) -> Heard<'static> {
    let data = r#"{"session_id":"s","resume_gateway_url":"wss://back"}"#;
    Heard::Event { kind: Cow::Borrowed("READY"), seq: Some(seq), data }
}

fn hello() -> Heard<'static> {
    Heard::Hello { every: EVERY }
}

/// What was handed on, by number.
fn handed(acts: &[Act]) -> Vec<u64> {
    let seq = |act: &Act| match act {
        Act::Hand(dispatch) => Some(dispatch.at.seq),
        Act::Send(_) | Act::AskTurn | Act::Say(_) | Act::HangUp(_) => None,
    };
    acts.iter().filter_map(seq).collect()
}

/// A line with a fresh session whose READY had number 1.
fn up() -> Machine {
    let mut machine = machine();
    machine.opened(None, BEGIN);
    assert_eq!(machine.hear(hello(), BEGIN, 0.5), [Act::AskTurn]);
    machine.turn(BEGIN);
    assert_eq!(machine.ring(BEGIN), [Act::Send(Command::Identify)]);
    let acts = machine.hear(ready(1), BEGIN, 0.0);
    assert_eq!(acts.first(), Some(&Act::Say(Sign::Up(Entry::Fresh))));
    assert_eq!(handed(&acts), [1]);
    machine
}

/// What the line says first on its next connection.
fn says(machine: &mut Machine, taken: Option<&Point>, now: Timestamp) -> Vec<Act> {
    machine.opened(taken, now);
    machine.hear(hello(), now, 0.5)
}

fn resume(id: &str, seq: u64) -> Vec<Act> {
    vec![Act::Send(Command::Resume { session: session(id), seq })]
}

#[test]
fn disc_07_heartbeats_begin_at_any_moment_of_the_interval_and_go_on_by_it() {
    for luck in [0.0, 0.25, 0.999] {
        let mut machine = machine();
        machine.opened(None, BEGIN);
        machine.hear(hello(), BEGIN, luck);
        let mut due = BEGIN + EVERY.mul_f64(luck);
        for _ in 0..5 {
            assert_eq!(machine.due(), Some(due));
            assert_eq!(machine.ring(due), [Act::Send(Command::Beat(None))]);
            assert_eq!(machine.hear(Heard::Ack, due + SECOND, 0.0), [Act::Say(Sign::Acked)]);
            due = due + EVERY;
        }
    }
}

#[test]
fn disc_07_heartbeats_say_how_far_we_have_heard() {
    let mut machine = up();
    machine.hear(event("MESSAGE_CREATE", 7), BEGIN, 0.0);
    let due = machine.due().unwrap();
    assert_eq!(machine.ring(due), [Act::Send(Command::Beat(Some(7)))]);
    assert_eq!(machine.hear(Heard::BeatAsked, due, 0.0), [Act::Send(Command::Beat(Some(7)))]);
}

#[test]
fn disc_05_a_heartbeat_without_an_answer_ends_the_connection_and_not_the_session() {
    let mut machine = up();
    let first = machine.due().unwrap();
    machine.ring(first);
    let second = machine.due().unwrap();
    assert_eq!(second, first + EVERY);
    let acts = machine.ring(second);
    assert!(matches!(acts.first(), Some(Act::Say(Sign::Deaf(why))) if why.contains("41 s")), "{acts:?}");
    assert_eq!(acts.last(), Some(&Act::HangUp(End::Zombie)));
    assert!(matches!(machine.ended(&End::Zombie, second, 0.0), Next::Again { .. }));
    assert_eq!(machine.way(), Way::Back("wss://back".to_owned()));
    assert_eq!(says(&mut machine, Some(&point("s", 1)), second), resume("s", 1));
}

#[test]
fn a_heartbeat_that_was_asked_for_needs_no_answer_before_the_next_one() {
    let mut machine = up();
    let due = machine.due().unwrap();
    machine.hear(Heard::BeatAsked, due, 0.0);
    assert_eq!(machine.ring(due), [Act::Send(Command::Beat(Some(1)))]);
}

#[test]
fn a_clock_that_was_set_back_keeps_no_heartbeat_waiting() {
    let mut machine = up();
    assert_eq!(machine.ring(BEGIN - Duration::from_hours(1)), [Act::Send(Command::Beat(Some(1)))]);
}

#[test]
fn a_connection_without_a_greeting_is_none() {
    let mut machine = machine();
    machine.opened(None, BEGIN);
    assert_eq!(machine.due(), Some(BEGIN + GREETING_LIMIT));
    assert_eq!(machine.ring(BEGIN + GREETING_LIMIT), [Act::HangUp(End::Silent)]);
    // A second greeting changes nothing.
    machine.opened(None, BEGIN);
    machine.hear(hello(), BEGIN, 0.5);
    assert_eq!(machine.hear(hello(), BEGIN, 0.5), []);
}

#[test]
fn a_session_is_started_when_its_turn_has_come_and_hearts_beat_meanwhile() {
    let mut machine = machine();
    machine.opened(None, BEGIN);
    machine.hear(hello(), BEGIN, 0.1);
    let turn = BEGIN + Duration::from_secs(10);
    machine.turn(turn);
    let beat = machine.due().unwrap();
    assert!(beat < turn);
    assert_eq!(machine.ring(beat), [Act::Send(Command::Beat(None))]);
    assert_eq!(machine.due(), Some(turn));
    assert_eq!(machine.ring(turn), [Act::Send(Command::Identify)]);
    assert_eq!(machine.due(), Some(beat + EVERY));
}

#[test]
fn rst_07_a_session_of_an_earlier_life_is_taken_up_first() {
    let kept = point("old", 40);
    let mut machine = Machine::new(Slice { index: 0, count: 1 }, Some(kept.clone()));
    assert_eq!(machine.way(), Way::Back("wss://back".to_owned()));
    assert_eq!(says(&mut machine, Some(&kept), BEGIN), resume("old", 40));
    assert_eq!(handed(&machine.hear(event("MESSAGE_CREATE", 41), BEGIN, 0.0)), [41]);
    let acts = machine.hear(event("RESUMED", 42), BEGIN, 0.0);
    assert_eq!(acts.first(), Some(&Act::Say(Sign::Up(Entry::Resumed))));
    assert_eq!(handed(&acts), [42]);
}

#[test]
fn disc_08_resume_names_what_was_taken_and_replays_are_not_handed_on_twice() {
    let mut machine = up();
    for seq in 2..=6 {
        assert_eq!(handed(&machine.hear(event("MESSAGE_CREATE", seq), BEGIN, 0.0)), [seq]);
    }
    machine.ended(&End::Closed(None), BEGIN, 0.0);
    // Of the six, four are on disk; two wait.
    assert_eq!(says(&mut machine, Some(&point("s", 4)), BEGIN), resume("s", 4));
    for (seq, expected) in [(5, vec![]), (6, vec![]), (7, vec![7])] {
        assert_eq!(handed(&machine.hear(event("MESSAGE_CREATE", seq), BEGIN, 0.0)), expected);
    }
    assert_eq!(machine.hear(event("RESUMED", 7), BEGIN, 0.0), [Act::Say(Sign::Up(Entry::Resumed))]);
}

#[test]
fn what_was_taken_of_another_session_is_not_named_for_this_one() {
    let mut machine = up();
    machine.hear(event("MESSAGE_CREATE", 2), BEGIN, 0.0);
    machine.ended(&End::Asked, BEGIN, 0.0);
    assert_eq!(says(&mut machine, Some(&point("older", 900)), BEGIN), resume("s", 1));
}

#[test]
fn every_end_leads_where_discord_says() {
    enum Then {
        Resume,
        Identify,
        Token,
        Words(&'static str),
    }
    let check = |end: End, then: Then| {
        let mut machine = up();
        let next = machine.ended(&end, BEGIN, 0.5);
        match (then, &next) {
            (Then::Resume, Next::Again { after, .. }) => {
                assert!(*after <= 3 * SECOND, "{end:?} waits {after:?}");
                assert_eq!(says(&mut machine, None, BEGIN), resume("s", 1), "{end:?}");
            }
            (Then::Identify, Next::Again { .. }) => {
                assert_eq!(machine.way(), Way::New, "{end:?}");
                assert_eq!(says(&mut machine, None, BEGIN), [Act::AskTurn], "{end:?}");
            }
            (Then::Token, Next::Park(Park::Token(_))) => {}
            (Then::Words(words), Next::Park(Park::Other(why))) if why.contains(words) => {}
            _ => panic!("{end:?} leads to {next:?}"),
        }
    };
    for code in [1000, 1001, 1006, 1011, 4000, 4001, 4002, 4003, 4005, 4006, 4008, 4015, 4999] {
        check(End::Closed(Some(code)), Then::Resume);
    }
    check(End::Closed(None), Then::Resume);
    check(End::Broken("reset".to_owned()), Then::Resume);
    check(End::Unreached("refused".to_owned()), Then::Resume);
    for end in [End::Silent, End::Zombie, End::Asked, End::Full, End::Invalid { resumable: true }] {
        check(end, Then::Resume);
    }
    for end in [End::Closed(Some(4007)), End::Closed(Some(4009)), End::Invalid { resumable: false }] {
        check(end, Then::Identify);
    }
    check(End::Closed(Some(4004)), Then::Token);
    check(End::Closed(Some(4010)), Then::Words("shards"));
    check(End::Closed(Some(4011)), Then::Words("shards"));
    check(End::Closed(Some(4012)), Then::Words("newer Pensive"));
    check(End::Closed(Some(4013)), Then::Words("newer Pensive"));
    check(End::Closed(Some(4014)), Then::Words("Message Content Intent"));
}

#[test]
fn op_7_and_op_9_end_the_connection() {
    let mut machine = up();
    assert_eq!(machine.hear(Heard::Reconnect, BEGIN, 0.0), [Act::HangUp(End::Asked)]);
    for resumable in [true, false] {
        let acts = machine.hear(Heard::Invalid { resumable }, BEGIN, 0.0);
        assert_eq!(acts, [Act::HangUp(End::Invalid { resumable })]);
    }
}

#[test]
fn a_refused_session_is_followed_by_another_after_one_to_five_seconds() {
    for luck in [0.0, 0.5, 0.999] {
        let mut machine = Machine::new(Slice { index: 0, count: 1 }, Some(point("old", 3)));
        says(&mut machine, None, BEGIN);
        let Next::Again { after, .. } = machine.ended(&End::Invalid { resumable: false }, BEGIN, luck) else {
            panic!("parked");
        };
        assert!((SECOND..=5 * SECOND).contains(&after), "{after:?}");
    }
}

#[test]
fn attempts_are_made_less_and_less_often_until_one_succeeds() {
    let mut machine = machine();
    let unreached = End::Unreached("refused".to_owned());
    let pause = |machine: &mut Machine, end: &End| match machine.ended(end, BEGIN, 0.5) {
        Next::Again { after, .. } => after,
        Next::Park(park) => panic!("{park:?}"),
    };
    let first = pause(&mut machine, &unreached);
    assert!(first <= SECOND / 2);
    for _ in 0..20 {
        pause(&mut machine, &unreached);
    }
    assert!(pause(&mut machine, &unreached) >= 30 * SECOND);
    machine.opened(None, BEGIN);
    machine.hear(hello(), BEGIN, 0.5);
    machine.turn(BEGIN);
    machine.ring(BEGIN);
    machine.hear(ready(1), BEGIN, 0.5);
    assert!(pause(&mut machine, &End::Closed(None)) <= SECOND / 2);
}

#[test]
fn sessions_that_end_at_once_are_started_less_and_less_often() {
    let mut machine = machine();
    let mut waits = Vec::new();
    for _ in 0..6 {
        machine.opened(None, BEGIN);
        machine.hear(hello(), BEGIN, 0.5);
        machine.turn(BEGIN);
        machine.ring(BEGIN);
        machine.hear(ready(1), BEGIN, 0.5);
        let Next::Again { after, .. } = machine.ended(&End::Closed(Some(4009)), BEGIN + SECOND, 0.5) else {
            panic!("parked");
        };
        waits.push(after);
    }
    assert!(waits.last().unwrap() > &(60 * SECOND), "{waits:?}");
    // One that lasted is followed by the next without delay.
    machine.opened(None, BEGIN);
    machine.hear(hello(), BEGIN, 0.5);
    machine.turn(BEGIN);
    machine.ring(BEGIN);
    machine.hear(ready(1), BEGIN, 0.5);
    let later = BEGIN + Duration::from_mins(5);
    let next = machine.ended(&End::Closed(Some(4009)), later, 0.5);
    assert!(matches!(next, Next::Again { after, .. } if after <= SECOND), "{next:?}");
}

#[test]
fn a_session_that_cannot_be_taken_up_is_given_up_in_the_end() {
    let mut machine = up();
    machine.ended(&End::Closed(None), BEGIN, 0.5);
    for attempt in 1..=FRUITLESS {
        assert_eq!(says(&mut machine, None, BEGIN), resume("s", 1), "attempt {attempt}");
        machine.ended(&End::Broken("a frame that is too large".to_owned()), BEGIN, 0.5);
    }
    assert_eq!(machine.way(), Way::New);
}

#[test]
fn a_session_outlives_an_outage_and_is_tried_at_the_common_address_too() {
    let mut machine = up();
    machine.ended(&End::Closed(None), BEGIN, 0.5);
    for _ in 0..UNREACHED {
        assert_eq!(machine.way(), Way::Back("wss://back".to_owned()));
        machine.ended(&End::Unreached("refused".to_owned()), BEGIN, 0.5);
    }
    for _ in 0..20 {
        assert_eq!(machine.way(), Way::Around);
        machine.ended(&End::Unreached("refused".to_owned()), BEGIN, 0.5);
    }
    assert_eq!(says(&mut machine, None, BEGIN), resume("s", 1));
}

#[test]
fn events_before_we_have_said_who_we_are_are_none() {
    let mut machine = machine();
    machine.opened(None, BEGIN);
    assert_eq!(machine.hear(ready(1), BEGIN, 0.0), []);
    machine.hear(hello(), BEGIN, 0.5);
    assert_eq!(machine.hear(ready(1), BEGIN, 0.0), []);
    machine.turn(BEGIN);
    machine.ring(BEGIN);
    assert_eq!(machine.hear(event("MESSAGE_CREATE", 1), BEGIN, 0.0), []);
}

#[test]
fn a_session_without_a_name_is_not_taken_up() {
    let mut machine = machine();
    machine.opened(None, BEGIN);
    machine.hear(hello(), BEGIN, 0.5);
    machine.turn(BEGIN);
    machine.ring(BEGIN);
    machine.hear(event("READY", 1), BEGIN, 0.5);
    assert_eq!(handed(&machine.hear(event("MESSAGE_CREATE", 2), BEGIN, 0.0)), [2]);
    machine.ended(&End::Closed(None), BEGIN, 0.5);
    assert_eq!(machine.way(), Way::New);
}

#[test]
fn events_without_a_number_are_handed_on() {
    let mut machine = up();
    machine.hear(event("MESSAGE_CREATE", 5), BEGIN, 0.0);
    let unnumbered = Heard::Event { kind: "MESSAGE_CREATE".into(), seq: None, data: "{}" };
    assert_eq!(handed(&machine.hear(unnumbered, BEGIN, 0.0)), [5]);
    assert_eq!(handed(&machine.hear(event("MESSAGE_CREATE", 6), BEGIN, 0.0)), [6]);
}
