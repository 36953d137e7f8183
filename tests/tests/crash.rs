//! The short form of the crash trial: the real program is killed a dozen times under load, and nothing is lost or doubled.
//! The long form is the binary `crash`.
#![allow(clippy::expect_used, reason = "a test says what it expects")]

use pensive_tests::harness::{
    crash::{Trial, run},
    program::{Freshness, pensive},
};

#[tokio::test]
async fn rst_01_kills_at_random_instants_lose_and_double_nothing() {
    let program = pensive(Freshness::AsItIs).expect("the daemon's program");
    // What is sent is the same every time; when the daemon is killed is not.
    let trial = Trial { rounds: 12, seed: 2, people: 12, program };
    let outcome = run(&trial).await.expect("the trial runs to its end");
    println!("{outcome}");
    assert!(outcome.clean(), "{outcome}");
    assert!(outcome.tally.updates > 20 && outcome.tally.settings_checked > 0, "{outcome}");
}
