//! Limits, told and kept.

use proptest::prelude::*;

use super::bucket::UNTOLD;
use super::*;
use crate::routes;

const START: Timestamp = Timestamp(1_000_000);

fn state(hash: &str, limit: u32, remaining: u32, millis: u64) -> Told {
    let reset_after = Duration::from_millis(millis);
    let bucket = Some(State { hash: hash.to_owned(), limit, remaining, reset_after });
    Told { bucket, ..Told::default() }
}

fn post(buckets: &mut Buckets, channel: u64, rank: Rank, now: Timestamp) -> Result<Permit, Duration> {
    buckets.take(&Method::POST, &routes::messages(channel), rank, now)
}

fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

#[test]
fn a_bucket_that_is_empty_waits_for_its_reset() {
    let mut buckets = Buckets::default();
    let permit = post(&mut buckets, 1, Rank::Due, START).unwrap();
    buckets.told(permit, state("a", 5, 1, 2_000), START);
    let permit = post(&mut buckets, 1, Rank::Due, START + millis(500)).unwrap();
    buckets.told(permit, state("a", 5, 0, 1_500), START + millis(500));
    let refused = post(&mut buckets, 1, Rank::Due, START + millis(600)).map(drop);
    assert_eq!(refused, Err(millis(1_400)));
    // Another channel has limits of its own, and so has this one after the reset.
    assert!(post(&mut buckets, 2, Rank::Due, START + millis(600)).is_ok());
    assert!(post(&mut buckets, 1, Rank::Due, START + millis(2_000)).is_ok());
}

#[test]
fn what_is_under_way_counts_and_answers_may_overtake_each_other() {
    let mut buckets = Buckets::default();
    let first = post(&mut buckets, 1, Rank::Due, START).unwrap();
    buckets.told(first, state("a", 3, 2, 1_000), START);
    let second = post(&mut buckets, 1, Rank::Due, START).unwrap();
    let third = post(&mut buckets, 1, Rank::Due, START).unwrap();
    assert_eq!(post(&mut buckets, 1, Rank::Due, START).map(drop), Err(millis(1_000)));
    buckets.told(third, state("a", 3, 0, 900), START + millis(100));
    buckets.told(second, state("a", 3, 1, 900), START + millis(100));
    assert_eq!(post(&mut buckets, 1, Rank::Due, START + millis(100)).map(drop), Err(millis(900)));
}

#[test]
fn what_was_under_way_before_the_bucket_had_a_name_counts_in_it() {
    let mut buckets = Buckets::default();
    let [first, second, third] = [(); 3].map(|()| post(&mut buckets, 1, Rank::Due, START).unwrap());
    buckets.told(first, state("a", 4, 3, 1_000), START);
    assert!(post(&mut buckets, 1, Rank::Due, START).is_ok());
    assert_eq!(post(&mut buckets, 1, Rank::Due, START).map(drop), Err(millis(1_000)));
    buckets.told(second, state("a", 4, 2, 1_000), START);
    buckets.lost(third, START);
    let bucket = buckets.buckets.values().next().unwrap();
    assert_eq!((buckets.buckets.len(), bucket.under_way, bucket.left), (1, 1, 0));
}

#[test]
fn a_route_may_have_several_buckets() {
    let mut buckets = Buckets::default();
    for hash in ["young", "old", "young"] {
        let permit = buckets.take(&Method::DELETE, &routes::message(1, 7), Rank::Due, START).unwrap();
        buckets.told(permit, state(hash, 5, 4, 1_000), START);
    }
    assert!(buckets.buckets.values().all(|bucket| bucket.under_way == 0));
}

#[test]
fn a_window_that_began_anew_is_whole() {
    let mut buckets = Buckets::default();
    let permit = post(&mut buckets, 1, Rank::Due, START).unwrap();
    buckets.told(permit, state("a", 2, 1, 1_000), START);
    let permit = post(&mut buckets, 1, Rank::Due, START + millis(990)).unwrap();
    // The server's window had passed a little before ours.
    buckets.told(permit, state("a", 2, 1, 1_000), START + millis(995));
    assert!(post(&mut buckets, 1, Rank::Due, START + millis(996)).is_ok());
}

#[test]
fn what_can_be_spared_leaves_one_call_to_what_is_due() {
    let mut buckets = Buckets::default();
    let permit = post(&mut buckets, 1, Rank::Spare, START).unwrap();
    buckets.told(permit, state("a", 2, 1, 1_000), START);
    assert_eq!(post(&mut buckets, 1, Rank::Spare, START).map(drop), Err(millis(1_000)));
    assert!(post(&mut buckets, 1, Rank::Due, START).is_ok());
    // Where there is but one there is none to leave.
    let permit = post(&mut buckets, 2, Rank::Due, START).unwrap();
    buckets.told(permit, state("b", 1, 0, 1_000), START);
    assert!(post(&mut buckets, 2, Rank::Spare, START + millis(1_000)).is_ok());
}

#[test]
fn routes_of_one_bucket_share_it() {
    let mut buckets = Buckets::default();
    let edit = routes::message(1, 7);
    let permit = post(&mut buckets, 1, Rank::Due, START).unwrap();
    buckets.told(permit, state("a", 5, 4, 1_000), START);
    let permit = buckets.take(&Method::PATCH, &edit, Rank::Due, START).unwrap();
    buckets.told(permit, state("a", 5, 0, 1_000), START);
    assert_eq!(post(&mut buckets, 1, Rank::Due, START).map(drop), Err(millis(1_000)));
}

#[test]
fn a_429_silences_its_bucket_or_all() {
    let mut buckets = Buckets::default();
    let no = |scope| Told { silence: Some((scope, millis(3_000))), invalid: true, ..Told::default() };
    let permit = post(&mut buckets, 1, Rank::Due, START).unwrap();
    buckets.told(permit, no(Scope::Bucket), START);
    assert_eq!(post(&mut buckets, 1, Rank::Due, START).map(drop), Err(millis(3_000)));
    let permit = post(&mut buckets, 2, Rank::Due, START).unwrap();
    buckets.told(permit, no(Scope::Global), START);
    let typing = buckets.take(&Method::POST, &routes::typing(9), Rank::Due, START + millis(1_000));
    assert_eq!(typing.map(drop), Err(millis(2_000)));
    // Answers to interactions are not bound by the limit over all.
    let answer = routes::callback(1, "x");
    assert!(buckets.take(&Method::POST, &answer, Rank::Due, START).is_ok());
}

#[test]
fn fifty_calls_a_second_over_all() {
    let mut buckets = Buckets::default();
    for channel in 0..40 {
        assert!(post(&mut buckets, channel, Rank::Spare, START).is_ok());
    }
    assert_eq!(post(&mut buckets, 40, Rank::Spare, START).map(drop), Err(GLOBAL_SPAN));
    for channel in 40..50 {
        assert!(post(&mut buckets, channel, Rank::Due, START + millis(100)).is_ok());
    }
    let refused = post(&mut buckets, 50, Rank::Due, START + millis(100)).map(drop);
    assert_eq!(refused, Err(millis(900)));
    assert!(post(&mut buckets, 50, Rank::Due, START + millis(1_000)).is_ok());
}

#[test]
fn many_a_no_ends_in_silence_and_not_in_a_ban() {
    let mut buckets = Buckets::default();
    let mut now = START;
    for _ in 0..MOST_INVALID {
        let permit = post(&mut buckets, 1, Rank::Due, now).unwrap();
        buckets.told(permit, Told { invalid: true, ..Told::default() }, now);
        now = now + millis(30);
    }
    let refused = post(&mut buckets, 1, Rank::Due, now).map(drop);
    assert_eq!(refused, Err(INVALID_SPAN - now.since(START)));
    assert!(post(&mut buckets, 1, Rank::Due, START + INVALID_SPAN).is_ok());
}

#[test]
fn an_answer_that_never_comes_holds_nothing_up_for_long() {
    let mut buckets = Buckets::default();
    let permit = post(&mut buckets, 1, Rank::Due, START).unwrap();
    buckets.told(permit, state("a", 1, 0, 500), START);
    let permit = post(&mut buckets, 1, Rank::Due, START + millis(500)).unwrap();
    let later = START + millis(600);
    assert_eq!(post(&mut buckets, 1, Rank::Due, later).map(drop), Err(UNTOLD));
    buckets.lost(permit, later);
    assert_eq!(post(&mut buckets, 1, Rank::Due, later).map(drop), Err(UNKNOWN_WINDOW));
    assert!(post(&mut buckets, 1, Rank::Due, later + UNKNOWN_WINDOW).is_ok());
}

#[test]
fn what_is_whole_again_is_forgotten() {
    let mut buckets = Buckets::default();
    let mut now = START;
    for channel in 0..10_000 {
        let permit = post(&mut buckets, channel, Rank::Due, now).unwrap();
        buckets.told(permit, state("a", 5, 4, 1_000), now);
        now = now + millis(25);
    }
    assert!(buckets.buckets.len() <= MANY + 50, "{}", buckets.buckets.len());
}

#[test]
fn a_clock_that_is_set_back_makes_no_wait_longer() {
    let mut buckets = Buckets::default();
    let permit = post(&mut buckets, 1, Rank::Due, START).unwrap();
    buckets.told(permit, state("a", 1, 0, 2_000), START);
    let before = START - Duration::from_hours(1);
    assert_eq!(post(&mut buckets, 1, Rank::Due, before).map(drop), Err(millis(2_000)));
}

proptest! {
    /// Against a server that counts by fixed windows, whatever the delays, no call is made that it would refuse.
    #[test]
    fn no_call_is_made_in_vain(steps in prop::collection::vec((0_u64..700, 0_u64..80), 1..200)) {
        let (limit, span) = (5_u32, 5_000_u64);
        let mut buckets = Buckets::default();
        let (mut now, mut began, mut used) = (START, START, 0);
        for (pause, delay) in steps {
            now = now + millis(pause);
            let Ok(permit) = post(&mut buckets, 1, Rank::Due, now) else { continue };
            if now.since(began) >= millis(span) || used == 0 {
                (began, used) = (now, 0);
            }
            used += 1;
            prop_assert!(used <= limit);
            let reset = millis(span) - now.since(began);
            let told = State { hash: "a".to_owned(), limit, remaining: limit - used, reset_after: reset };
            now = now + millis(delay);
            buckets.told(permit, Told { bucket: Some(told), ..Told::default() }, now);
        }
    }
}
