use std::sync::Arc;

use futures::future::BoxFuture;
use pensive_contract::secret::Secret;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use crate::wire;

const THREAD: Standing = Standing::Thread { guild: 10, parent: 20 };

fn event(kind: &str, data: Value) -> Event {
    wire::event(kind, &data.to_string()).unwrap()
}

fn learned(events: &[(&str, Value)]) -> Book {
    let mut book = Book::default();
    events.iter().for_each(|(kind, data)| book.learn(&event(kind, data.clone())));
    book
}

fn guild() -> (&'static str, Value) {
    let channels = json!([{"id": "20", "type": 0, "name": "general", "parent_id": "19"}, {"id": "22", "type": 15, "name": "forum"}]);
    let threads = json!([{"id": "21", "type": 11, "parent_id": "20", "name": "a thread"}]);
    let roles = json!([{"id": "15", "name": "Pensive", "tags": {"bot_id": "42"}}]);
    ("GUILD_CREATE", json!({"id": "10", "channels": channels, "threads": threads, "roles": roles}))
}

fn message(channel: u64) -> Event {
    event(
        "MESSAGE_CREATE",
        json!({"id": "30", "channel_id": channel.to_string(), "guild_id": "10", "content": "x"}),
    )
}

#[test]
fn disc_10_threads_and_posts_know_their_channel_and_channels_their_guild() {
    let check = |more: &[(&str, Value)], channel: u64, expected: Standing| {
        let events: Vec<_> = std::iter::once(guild()).chain(more.iter().cloned()).collect();
        assert_eq!(learned(&events).standing(channel, Some(10)), expected, "{channel} after {more:?}");
    };
    // A category is no channel that one could be a thread of.
    check(&[], 20, Standing::Guild(10));
    check(&[], 21, THREAD);
    check(&[], 99, Standing::Guild(10));
    let post = |kind: u8| json!({"id": "23", "type": kind, "parent_id": "22", "guild_id": "10"});
    for kind in 10..=12 {
        check(&[("THREAD_CREATE", post(kind))], 23, Standing::Thread { guild: 10, parent: 22 });
    }
    check(&[("CHANNEL_CREATE", post(0))], 23, Standing::Guild(10));
    let synced = json!({"guild_id": "10", "channel_ids": ["22"], "threads": [{"id": "23", "type": 11, "parent_id": "22"}], "members": []});
    check(&[("THREAD_LIST_SYNC", synced)], 23, Standing::Thread { guild: 10, parent: 22 });
    // An event that names no more than the thread takes nothing away.
    check(&[("THREAD_UPDATE", json!({"id": "21", "guild_id": "10"}))], 21, THREAD);
    check(
        &[("THREAD_DELETE", json!({"id": "21", "guild_id": "10", "parent_id": "20", "type": 11}))],
        21,
        Standing::Guild(10),
    );
    check(&[("GUILD_DELETE", json!({"id": "10", "unavailable": true}))], 21, Standing::Guild(10));
    check(&[("GUILD_DELETE", json!({"id": "11"}))], 21, THREAD);
}

#[test]
fn what_stands_in_no_guild_is_a_conversation_of_two_or_nothing_for_us() {
    let check = |kind: Value, expected: Standing| {
        let book = learned(&[("CHANNEL_CREATE", json!({"id": "50", "type": kind}))]);
        assert_eq!(book.standing(50, None), expected, "{kind}");
    };
    check(json!(1), Standing::Direct);
    check(json!(null), Standing::Direct);
    check(json!(3), Standing::Crowd);
    check(json!(0), Standing::Crowd);
    assert_eq!(Book::default().standing(50, None), Standing::Direct);
    // Where an event leaves out the guild of a channel that is known to have one, it is no conversation of two.
    assert_eq!(learned(&[guild()]).standing(21, None), THREAD);
    // And what another guild's channel is says nothing of this one's.
    assert_eq!(learned(&[guild()]).standing(21, Some(11)), Standing::Guild(11));
}

#[test]
fn names_and_roles_are_kept_up() {
    let renamed = ("CHANNEL_UPDATE", json!({"id": "20", "type": 0, "guild_id": "10", "name": "lobby"}));
    let role = ("GUILD_ROLE_UPDATE", json!({"guild_id": "10", "role": {"id": "16", "name": "Friends"}}));
    let book = learned(&[guild(), renamed, role, ("GUILD_UPDATE", json!({"id": "10", "name": "G"}))]);
    assert_eq!(
        (book.name(10, 20), book.name(10, 21), book.name(10, 99)),
        (Some("lobby"), Some("a thread"), None)
    );
    assert_eq!(book.role(10, 15).unwrap().tags.bot_id, Some(42));
    assert_eq!(book.role(10, 16).unwrap().name.as_deref(), Some("Friends"));
    assert!(book.role(11, 15).is_none());
    assert!(learned(&[guild(), ("GUILD_DELETE", json!({"id": "10"}))]).role(10, 15).is_none());
}

#[test]
fn only_a_channel_of_a_guild_that_is_not_known_is_asked_for() {
    let book = learned(&[guild()]);
    let missing =
        |event: &Event| book.missing(event, Timestamp(0)).map(|missing| (missing.channel, missing.roles));
    assert_eq!(missing(&message(20)), None);
    assert_eq!(missing(&message(99)), Some((Some(99), false)));
    assert_eq!(
        missing(&event("MESSAGE_CREATE", json!({"id": "1", "channel_id": "99", "content": "x"}))),
        None
    );
    let call = |channel: Value| {
        let data = json!({"id": "1", "application_id": "2", "type": 2, "token": "t", "guild_id": "10", "channel_id": "99", "channel": channel});
        event("INTERACTION_CREATE", data)
    };
    assert_eq!(missing(&call(json!({"id": "99", "type": 0}))), None);
    assert_eq!(missing(&call(json!(null))), Some((Some(99), false)));
    assert_eq!(missing(&event("THREAD_CREATE", json!({"id": "99"}))), None);
}

#[test]
fn what_was_longest_out_of_use_is_forgotten_first() {
    let mut book = Book::default();
    let channel = |id: u64| event("CHANNEL_CREATE", json!({"id": id, "guild_id": "10", "type": 0}));
    let most = u64::try_from(MOST).unwrap();
    for id in 1..=most {
        book.learn(&channel(id));
    }
    book.learn(&message(1));
    book.learn(&channel(most + 1));
    assert!(book.channels.len() <= MOST * 3 / 4 + 2, "{}", book.channels.len());
    for (id, kept) in [(1, true), (2, false), (most / 8, false), (most / 2, true), (most + 1, true)] {
        assert_eq!(book.channels.contains_key(&id), kept, "{id}");
    }
}

/// A clock that stands still, on which no limit ever passes.
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp(1_000)
    }

    fn sleep_until(&self, _moment: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(futures::future::pending())
    }
}

/// What is known after Discord was asked for what `missing` an event shows, and answered this.
async fn asked(status: &str, body: Value, about: &Event, path: &str) -> Book {
    drop(rustls::crypto::ring::default_provider().install_default());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let root = format!("http://{}", listener.local_addr().unwrap());
    let body = body.to_string();
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let serve = async {
        let (mut line, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            request.push(line.read_u8().await.unwrap());
        }
        line.write_all(answer.as_bytes()).await.unwrap();
        String::from_utf8(request).unwrap()
    };
    let mut book = learned(&[("CHANNEL_CREATE", json!({"id": "20", "type": 0, "guild_id": "10"}))]);
    let client = Client::new(&root, &Secret::new("token"), Arc::new(Still)).unwrap();
    let missing = book.missing(about, Timestamp(0)).unwrap();
    let (request, ()) = tokio::join!(serve, book.ask(&client, &Still, missing));
    assert!(request.starts_with(&format!("GET /api/v10{path} ")), "{request}");
    book
}

async fn asked_channel(status: &str, body: Value) -> Book {
    asked(status, body, &message(99), "/channels/99").await
}

#[tokio::test]
async fn roles_are_asked_for_once_where_no_event_told_them() {
    let data = json!({"id": "1", "channel_id": "20", "guild_id": "10", "mention_roles": ["15"]});
    let mentioning = event("MESSAGE_CREATE", data);
    let roles = json!([{"id": "15", "name": "Pensive", "tags": {"bot_id": "42"}}]);
    let book = asked("200 OK", roles, &mentioning, "/guilds/10/roles").await;
    assert_eq!(book.role(10, 15).unwrap().tags.bot_id, Some(42));
    assert_eq!(book.missing(&mentioning, Timestamp(i64::MAX)), None);
    let book = asked("502 Bad Gateway", json!(null), &mentioning, "/guilds/10/roles").await;
    assert_eq!(book.missing(&mentioning, Timestamp(60_999)), None);
    assert!(book.missing(&mentioning, Timestamp(61_000)).is_some());
}

#[tokio::test]
async fn disc_10_an_unknown_channel_is_asked_for_once_be_it_a_thread_or_not() {
    for (kind, expected) in [(11, THREAD), (0, Standing::Guild(10))] {
        let book = asked_channel(
            "200 OK",
            json!({"id": "99", "type": kind, "parent_id": "20", "guild_id": "10", "name": "n"}),
        )
        .await;
        assert_eq!((book.standing(99, Some(10)), book.name(10, 99)), (expected, Some("n")));
        assert_eq!(book.missing(&message(99), Timestamp(i64::MAX)), None);
    }
}

#[tokio::test]
async fn where_discord_does_not_tell_a_thread_counts_as_a_channel_of_its_own() {
    let denied = json!({"code": 50001, "message": "Missing Access"});
    let book = asked_channel("403 Forbidden", denied.clone()).await;
    assert_eq!(book.standing(99, Some(10)), Standing::Guild(10));
    assert_eq!(book.missing(&message(99), Timestamp(i64::MAX)), None, "a no is a no");
    for (status, body) in [
        ("500 Internal Server Error", denied),
        ("200 OK", json!({"id": "98", "type": 11, "parent_id": "20"})),
    ] {
        let mut book = asked_channel(status, body).await;
        assert_eq!(book.standing(99, Some(10)), Standing::Guild(10));
        assert_eq!(book.missing(&message(99), Timestamp(60_999)), None, "{status}");
        assert!(book.missing(&message(99), Timestamp(61_000)).is_some(), "{status}");
        book.learn(&event(
            "THREAD_UPDATE",
            json!({"id": "99", "type": 11, "parent_id": "20", "guild_id": "10"}),
        ));
        assert_eq!(book.standing(99, Some(10)), THREAD);
        assert_eq!(book.missing(&message(99), Timestamp(61_000)), None);
    }
}
