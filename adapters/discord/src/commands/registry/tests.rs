use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::bench::{HandClock, Memory, Request, Server, client};

const EVERYWHERE: &str = "PUT /applications/1/commands";
const GUILD: &str = "PUT /applications/1/guilds/7/commands";

/// A request that is expected: its line, how many commands it puts, what it is answered.
type Put = (&'static str, usize, Box<dyn FnOnce(Request)>);

struct Bench {
    server: Server,
    clock: Arc<HandClock>,
    client: Client,
    notes: Memory,
}

impl Bench {
    async fn new() -> Self {
        let (server, clock) = (Server::start().await, HandClock::new());
        let client = client(&server, clock.clone());
        Self { server, clock, client, notes: Memory::default() }
    }

    /// Publishes, and answers the requests that are made.
    async fn publish(&mut self, wanted: &Registration, expected: Vec<Put>) {
        let account = Account { channel: "discord".into(), id: "main".into() };
        let registry = Registry {
            client: &self.client,
            clock: &*self.clock,
            notes: &self.notes,
            account: &account,
            application: 1,
        };
        let serving = async {
            for (line, commands, answer) in expected {
                let request = self.server.asked("").await;
                assert_eq!(request.line, line);
                assert_eq!(request.json().as_array().map(Vec::len), Some(commands), "{line}");
                answer(request);
            }
        };
        tokio::join!(registry.publish(wanted), serving);
        assert!(self.server.unanswered().is_empty());
    }
}

fn all() -> usize {
    table().len()
}

fn taken() -> Box<dyn FnOnce(Request)> {
    Box::new(|request| request.ok(&Value::Array(Vec::new())))
}

fn no(status: u16, code: u64) -> Box<dyn FnOnce(Request)> {
    Box::new(move |request| request.no(status, code, "no"))
}

fn guilds(ids: &[&str]) -> Registration {
    Registration::Guilds(ids.iter().map(|id| (*id).into()).collect())
}

#[tokio::test]
async fn what_has_not_changed_is_not_published_again() {
    let mut bench = Bench::new().await;
    bench.publish(&Registration::Global, vec![(EVERYWHERE, all(), taken())]).await;
    bench.publish(&Registration::Global, vec![]).await;
    // Another version had other commands.
    let name = "discord/1/commands";
    bench.notes.keep(name, b"everywhere 00".to_vec()).await.unwrap();
    bench.publish(&Registration::Global, vec![(EVERYWHERE, all(), taken())]).await;
    bench.publish(&Registration::Global, vec![]).await;
}

#[tokio::test]
async fn a_change_of_place_takes_the_others_away() {
    let mut bench = Bench::new().await;
    bench.publish(&Registration::Off, vec![]).await;
    bench.publish(&Registration::Global, vec![(EVERYWHERE, all(), taken())]).await;
    let moved = vec![(EVERYWHERE, 0, taken()), (GUILD, all(), taken())];
    bench.publish(&guilds(&["7", "no guild"]), moved).await;
    bench.publish(&guilds(&["7"]), vec![]).await;
    bench.publish(&Registration::Off, vec![(GUILD, 0, taken())]).await;
    bench.publish(&Registration::Off, vec![]).await;
}

#[tokio::test]
async fn where_the_scope_is_missing_the_next_start_tries_again() {
    let mut bench = Bench::new().await;
    bench.publish(&guilds(&["7"]), vec![(GUILD, all(), no(403, MISSING_ACCESS))]).await;
    bench.publish(&guilds(&["7"]), vec![(GUILD, all(), taken())]).await;
    // The bot has left since: there is nothing to take away.
    bench.publish(&Registration::Off, vec![(GUILD, 0, no(403, MISSING_ACCESS))]).await;
    bench.publish(&Registration::Off, vec![]).await;
}

#[tokio::test]
async fn passing_trouble_is_waited_out() {
    let mut bench = Bench::new().await;
    let (first, second) = (Duration::ZERO, Duration::from_secs(29));
    let clock = bench.clock.clone();
    let flood = Box::new(|request: Request| {
        let body = json!({"message": "slow down", "retry_after": 7.0, "global": false});
        request.told(429, &[("retry-after", "7"), ("x-ratelimit-scope", "user")], &body);
    });
    let expected: Vec<Put> =
        vec![(EVERYWHERE, all(), no(500, 0)), (EVERYWHERE, all(), flood), (EVERYWHERE, all(), taken())];
    let waiting = async {
        clock.wake(first, second).await;
        assert_eq!(clock.wake(first, second).await, Duration::from_secs(7));
    };
    tokio::join!(bench.publish(&Registration::Global, expected), waiting);
    assert!(bench.notes.only().unwrap().starts_with("everywhere "));
}

#[test]
fn what_is_kept_reads_back() {
    let published: Published =
        [(Reach::Everywhere, "ab".to_owned()), (Reach::Guild(7), UNKNOWN.to_owned())].into();
    assert_eq!(read(&written(&published)), published);
    assert_eq!(read(b"strange\nx y\n\xff\n7 c"), [(Reach::Guild(7), "c".to_owned())].into());
}
