//! The house in this very process, as scenarios start it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says so by failing")]

use std::sync::Arc;

use pensive_config::{Environment, Sources};
use pensive_contract::intake::AccountState;
use pensive_daemon::{House, Plan, StartFault, SystemClock};
use pensive_terminal::{Dress, Link, Replies, Sheet, Sheets, TerminalFault, ask};

fn plan(home: &std::path::Path) -> Plan {
    let sources = Sources { file: None, home: Some(home.to_owned()), env: Environment::default() };
    Plan::new(pensive_config::load(sources).unwrap(), Arc::new(SystemClock))
}

async fn answer(home: &std::path::Path, text: &str) -> String {
    let link = Link::connect(&home.join("pensive.sock"), "ann").await.unwrap();
    let (mut out, mut aside) = (Vec::new(), Vec::new());
    let sheets = Sheets {
        answer: Sheet { out: &mut out, dress: Dress::Plain },
        aside: Sheet { out: &mut aside, dress: Dress::Plain },
    };
    ask(link, text, sheets, Replies::None).await.unwrap();
    assert_eq!(aside, b"");
    String::from_utf8(out).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_house_starts_answers_stops_and_starts_again() {
    let home = tempfile::tempdir().unwrap();
    for (text, expected) in
        [("/think high", "Thinking level set to high.\n"), ("/stop", "⚙️ Nothing is running.\n")]
    {
        let house = House::start(plan(home.path())).await.unwrap();
        assert!(house.accounts().iter().all(|(_, state)| matches!(state, AccountState::Listening { .. })));
        assert_eq!(answer(home.path(), text).await, expected);
        house.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_house_is_refused_and_leaves_the_first_alone() {
    let home = tempfile::tempdir().unwrap();
    let house = House::start(plan(home.path())).await.unwrap();
    let Err(StartFault::Open(_)) = House::start(plan(home.path())).await else {
        panic!("two houses on one store")
    };

    // The same home, but a store of its own: the socket is taken.
    let mut other = plan(home.path());
    other.config.folders.data = home.path().join("elsewhere");
    let Err(StartFault::Terminal(TerminalFault::Busy(_))) = House::start(other).await else {
        panic!("two houses on one socket")
    };
    assert_eq!(answer(home.path(), "/stop").await, "⚙️ Nothing is running.\n");
    house.stop().await;
}
