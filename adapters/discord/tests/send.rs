//! Sends against a server whose every answer the test gives.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use pensive_contract::ids::MessageId;
use pensive_contract::media::{Media, MediaKind};
use pensive_contract::outward::{Button, Extras, Outcome, Outlet, Part, Quote, Refusal, Typing};
use pensive_contract::secret::Secret;
use pensive_discord::{DiscordSettings, Pings};
use serde_json::{Value, json};
use support::{HandClock, Reply, Request, Server, TOKEN, channel, direct, outward, settings, thread};

const POST: &str = "POST /channels/7/messages";

fn part(text: &str) -> Part {
    Part { text: text.to_owned(), ..Part::default() }
}

fn outlet(root: &str) -> Arc<dyn Outlet> {
    outward(settings(root), HandClock::new()).outlet
}

fn reply_to(id: &str) -> Extras {
    Extras { reply_to: Some(id.into()), ..Extras::default() }
}

fn sent(id: &str) -> Outcome<MessageId> {
    Outcome::Delivered(id.into())
}

/// Sends a word into a channel, and answers the request.
async fn tried(answer: impl FnOnce(Request)) -> Outcome<MessageId> {
    let mut server = Server::start().await;
    let (outlet, place, part, extras) = (outlet(&server.root), channel(), part("hi"), Extras::default());
    let sending = outlet.send(&place, &part, &extras);
    tokio::join!(sending, async { answer(server.asked(POST).await) }).0
}

#[tokio::test]
async fn a_message_pings_nobody_unfolds_no_link_and_shows_what_it_answers() {
    let mut server = Server::start().await;
    let (outlet, place) = (outlet(&server.root), channel());
    let (part, extras) = (part("see https://example.com <@5> @everyone"), reply_to("41"));
    let (outcome, ()) = tokio::join!(outlet.send(&place, &part, &extras), async {
        let request = server.asked(POST).await;
        let expected = json!({
            "content": "see https://example.com <@5> @everyone",
            "allowed_mentions": {"parse": [], "replied_user": false},
            "flags": 4,
            "message_reference": {"message_id": "41", "fail_if_not_exists": false},
        });
        assert_eq!(request.json(), expected);
        assert_eq!(request.header("authorization"), Some(format!("Bot {TOKEN}").as_str()));
        assert_eq!(request.header("content-type"), Some("application/json"));
        let agent = request.header("user-agent").unwrap();
        assert!(agent.starts_with("DiscordBot (http") && agent.ends_with(')'), "{agent}");
        request.ok(&json!({"id": "52", "content": "whatever"}));
    });
    assert_eq!(outcome, sent("52"));
}

#[tokio::test]
async fn what_the_operator_allows_pings_and_unfolds() {
    let mut server = Server::start().await;
    let pings = Pings { users: true, replied: true, ..Pings::default() };
    let settings = DiscordSettings { pings, link_previews: true, ..settings(&server.root) };
    let outlet = outward(settings, HandClock::new()).outlet;
    let (place, part, extras) = (channel(), part("hi"), Extras::default());
    tokio::join!(outlet.send(&place, &part, &extras), async {
        let request = server.asked(POST).await;
        let expected = json!({
            "content": "hi", "flags": 0,
            "allowed_mentions": {"parse": ["users"], "replied_user": true},
        });
        assert_eq!(request.json(), expected);
        request.ok(&json!({"id": "52"}));
    });
}

#[tokio::test]
async fn a_thread_is_a_channel_and_of_two_people_each_knows_what_is_answered() {
    let mut server = Server::start().await;
    let outlet = outlet(&server.root);
    let (place, part, extras) = (thread(), part("hi"), reply_to("41"));
    tokio::join!(outlet.send(&place, &part, &extras), async {
        let request = server.asked("POST /channels/9/messages").await;
        assert!(request.json().get("message_reference").is_some());
        request.ok(&json!({"id": "52"}));
    });
    let buttons = vec![Button { label: "Yes".to_owned(), data: "yes".to_owned() }];
    let asking = Extras { buttons, ..reply_to("41") };
    for (extras, expected) in [(reply_to("41"), false), (asking, true)] {
        let place = direct();
        tokio::join!(outlet.send(&place, &part, &extras), async {
            let request = server.asked(POST).await;
            assert_eq!(request.json().get("message_reference").is_some(), expected);
            assert_eq!(request.json().get("components").is_some(), expected);
            request.ok(&json!({"id": "52"}));
        });
    }
    let hidden = Extras { quote: Quote::Hidden, ..reply_to("41") };
    let place = channel();
    tokio::join!(outlet.send(&place, &part, &hidden), async {
        let request = server.asked(POST).await;
        assert_eq!(request.json().get("message_reference"), None);
        request.ok(&json!({"id": "52"}));
    });
}

#[tokio::test]
async fn disc_01_a_message_is_sent_when_discord_has_said_so_and_not_before() {
    let mut server = Server::start().await;
    let (outlet, place) = (outlet(&server.root), channel());
    let parts = [part("one"), part("two")];
    let sending = async {
        let mut ids = Vec::new();
        for part in &parts {
            ids.push(outlet.send(&place, part, &Extras::default()).await);
        }
        ids
    };
    let answering = async {
        let first = server.asked(POST).await;
        assert_eq!(first.json().get("content"), Some(&json!("one")));
        assert!(server.unanswered().is_empty());
        first.ok(&json!({"id": "1"}));
        let second = server.asked(POST).await;
        assert_eq!(second.json().get("content"), Some(&json!("two")));
        second.ok(&json!({"id": "2"}));
    };
    let (ids, ()) = tokio::join!(sending, answering);
    assert_eq!(ids, [sent("1"), sent("2")]);
}

#[tokio::test]
async fn what_cannot_be_quoted_is_told_all_the_same() {
    let mut server = Server::start().await;
    let (outlet, place, part, extras) = (outlet(&server.root), channel(), part("hi"), reply_to("41"));
    let (outcome, ()) = tokio::join!(outlet.send(&place, &part, &extras), async {
        let request = server.asked(POST).await;
        request.no(400, 160_002, "Cannot reply without permission to read message history");
        let request = server.asked(POST).await;
        assert_eq!(request.json().get("message_reference"), None);
        request.ok(&json!({"id": "52"}));
    });
    assert_eq!(outcome, sent("52"));
}

#[tokio::test]
async fn a_file_goes_beside_the_json_that_names_it() {
    let mut server = Server::start().await;
    let (outlet, place) = (outlet(&server.root), channel());
    let file = Media {
        kind: MediaKind::Image,
        mime: "image/png".to_owned(),
        name: Some("Grüße \"a\".png".to_owned()),
        bytes: b"\x89PNG\r\n\x00--bytes".as_slice().into(),
    };
    let part = Part { text: "look".to_owned(), ..Part::default() };
    let extras = Extras { file: Some(file), ..Extras::default() };
    let (outcome, ()) = tokio::join!(outlet.send(&place, &part, &extras), async {
        let request = server.asked(POST).await;
        let kind = request.header("content-type").unwrap();
        let boundary = kind.strip_prefix("multipart/form-data; boundary=").unwrap().to_owned();
        let json = json!({
            "content": "look",
            "allowed_mentions": {"parse": [], "replied_user": false},
            "flags": 4,
            "attachments": [{"id": 0, "filename": "Grüße \"a\".png"}],
        });
        let text = String::from_utf8_lossy(&request.bytes).into_owned();
        let boundary = format!("--{boundary}");
        let mut fields = text.split(&boundary);
        assert_eq!(fields.next(), Some(""));
        let (head, body) = fields.next().unwrap().split_once("\r\n\r\n").unwrap();
        let lower = head.to_ascii_lowercase();
        assert!(lower.contains("content-disposition: form-data; name=\"payload_json\""), "{head}");
        assert!(lower.contains("content-type: application/json"), "{head}");
        assert_eq!(serde_json::from_str::<Value>(body.trim_end()).unwrap(), json);
        let (head, _) = fields.next().unwrap().split_once("\r\n\r\n").unwrap();
        let lower = head.to_ascii_lowercase();
        assert!(lower.contains("name=\"files[0]\"; filename=\"grü"), "{head}");
        assert!(lower.contains("content-type: image/png"), "{head}");
        let content = b"\x89PNG\r\n\x00--bytes";
        assert!(request.bytes.windows(content.len()).any(|window| window == content));
        assert_eq!(fields.next(), Some("--\r\n"));
        request.ok(&json!({"id": "52"}));
    });
    assert_eq!(outcome, sent("52"));
}

#[tokio::test]
async fn text_may_pass_where_files_do_not() {
    let mut server = Server::start().await;
    let (outlet, place) = (outlet(&server.root), channel());
    let file = Media {
        kind: MediaKind::Document,
        mime: "text/plain".to_owned(),
        name: None,
        bytes: b"x".as_slice().into(),
    };
    let (part, extras) = (part("look"), Extras { file: Some(file), ..Extras::default() });
    let (outcome, ()) = tokio::join!(outlet.send(&place, &part, &extras), async {
        server.asked(POST).await.no(403, 50_013, "Missing Permissions");
    });
    assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::Never, .. }), "{outcome:?}");
}

#[tokio::test]
async fn a_no_of_discords_is_told_from_an_answer_that_was_lost() {
    let check = |outcome: Outcome<MessageId>, expected| match outcome {
        Outcome::Refused { refusal, .. } => assert_eq!(refusal, expected),
        other => panic!("{expected:?}: {other:?}"),
    };
    check(tried(|request| request.no(403, 50_001, "Missing Access")).await, Refusal::ChatGone);
    check(tried(|request| request.no(404, 10_003, "Unknown Channel")).await, Refusal::ChatGone);
    check(tried(|request| request.no(500, 0, "500: Internal Server Error")).await, Refusal::Again);
    check(tried(|request| request.page(403)).await, Refusal::Again);
    let long = json!({"content": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 2000 or fewer"}]}});
    let body = json!({"code": 50_035, "message": "Invalid Form Body", "errors": long});
    let outcome = tried(|request| request.told(400, &[], &body)).await;
    let why =
        "Discord answered 400 50035: Invalid Form Body (content: BASE_TYPE_MAX_LENGTH Must be 2000 or fewer)";
    assert_eq!(outcome, Outcome::Refused { refusal: Refusal::Style, why: why.to_owned() });

    for status in [502, 200] {
        let outcome = tried(|request| request.page(status)).await;
        assert!(matches!(outcome, Outcome::Unknown { .. }), "{outcome:?}");
    }
    for reply in [Reply::Half, Reply::Reset, Reply::Answer(302, vec![("location", "/x".to_owned())], vec![])]
    {
        let outcome = tried(|request| request.with(reply)).await;
        assert!(matches!(outcome, Outcome::Unknown { .. }), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_thread_that_is_gone_is_not_answered_in_its_channel() {
    let mut server = Server::start().await;
    let (outlet, place, part) = (outlet(&server.root), thread(), part("hi"));
    let extras = Extras::default();
    let (outcome, ()) = tokio::join!(outlet.send(&place, &part, &extras), async {
        server.asked("POST /channels/9/messages").await.no(404, 10_003, "Unknown Channel");
    });
    assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::ChatGone, .. }), "{outcome:?}");
}

#[tokio::test]
async fn silence_ends_a_call_and_a_server_that_is_not_there_takes_nothing() {
    let mut server = Server::start().await;
    let clock = HandClock::new();
    let outlet = outward(settings(&server.root), clock.clone()).outlet;
    let (place, part, extras) = (channel(), part("hi"), Extras::default());
    let (outcome, ()) = tokio::join!(outlet.send(&place, &part, &extras), async {
        let request = server.asked(POST).await;
        clock.wake(Duration::from_secs(29), Duration::from_secs(30)).await;
        request.given_up().await;
    });
    assert!(matches!(outcome, Outcome::Unknown { .. }), "{outcome:?}");
    drop(server);
    let outcome = outlet.send(&place, &part, &extras).await;
    assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::Again, .. }), "{outcome:?}");
}

#[tokio::test]
async fn a_token_that_is_refused_is_not_shown_around() {
    let mut server = Server::start().await;
    let clock = HandClock::new();
    let outlet = outward(settings(&server.root), clock.clone()).outlet;
    let (place, part, extras) = (channel(), part("hi"), Extras::default());
    let (outcome, ()) = tokio::join!(outlet.send(&place, &part, &extras), async {
        server.asked(POST).await.no(401, 0, &format!("401: Unauthorized {TOKEN}"));
    });
    match outcome {
        Outcome::Refused { refusal: Refusal::Account, why } => assert!(!why.contains(TOKEN), "{why}"),
        other => panic!("{other:?}"),
    }
    // Nobody is asked again so soon, and an operator who mends it need not start anew.
    let outcome = outlet.send(&place, &part, &extras).await;
    assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::Account, .. }), "{outcome:?}");
    assert!(server.unanswered().is_empty());
    clock.pass(Duration::from_mins(1));
    let (outcome, ()) = tokio::join!(outlet.send(&place, &part, &extras), async {
        server.asked(POST).await.ok(&json!({"id": "52"}));
    });
    assert_eq!(outcome, sent("52"));
}

#[tokio::test]
async fn an_account_without_a_token_and_a_place_of_another_channel_reach_nobody() {
    let mut server = Server::start().await;
    let (part, extras) = (part("hi"), Extras::default());
    let tokenless = DiscordSettings { token: Secret::new(""), ..settings(&server.root) };
    let outcome = outward(tokenless, HandClock::new()).outlet.send(&channel(), &part, &extras).await;
    assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::Account, .. }), "{outcome:?}");
    let mut elsewhere = channel();
    elsewhere.chat = "general".into();
    let outcome = outlet(&server.root).send(&elsewhere, &part, &extras).await;
    assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::Never, .. }), "{outcome:?}");
    assert!(server.unanswered().is_empty());
}

#[tokio::test]
async fn the_typing_sign_is_shown_in_a_thread() {
    let mut server = Server::start().await;
    let typing: Arc<dyn Typing> = outward(settings(&server.root), HandClock::new()).typing.unwrap();
    assert_eq!(typing.lasts(), Duration::from_secs(10));
    let place = thread();
    let (outcome, ()) = tokio::join!(typing.show(&place), async {
        let request = server.asked("POST /channels/9/typing").await;
        assert!(request.bytes.is_empty());
        request.nothing();
    });
    assert_eq!(outcome, Outcome::Delivered(()));
}

#[tokio::test]
async fn what_answers_a_command_is_seen_by_one_and_goes_to_the_channel_when_it_is_too_late() {
    let mut server = Server::start().await;
    let (outlet, place, part) = (outlet(&server.root), channel(), part("set"));
    let extras = reply_to("command:1:2:tok");
    let (outcome, ()) = tokio::join!(outlet.send(&place, &part, &extras), async {
        let request = server.asked("POST /interactions/2/tok/callback?with_response=true").await;
        assert_eq!(request.header("authorization"), None);
        // Ephemeral, and no link unfolds.
        assert_eq!(request.json().pointer("/data/flags"), Some(&json!(64 | 4)));
        assert_eq!(request.json().pointer("/data/content"), Some(&json!("set")));
        request.nothing();
    });
    assert!(matches!(outcome, Outcome::Delivered(_)), "{outcome:?}");

    let extras = reply_to("command:1:3:old");
    let (outcome, ()) = tokio::join!(outlet.send(&place, &part, &extras), async {
        let request = server.asked("POST /interactions/3/old/callback?with_response=true").await;
        request.no(404, 10_062, "Unknown interaction");
        let request = server.asked(POST).await;
        assert_eq!(request.json().get("content"), Some(&json!("set")));
        assert_eq!(request.json().get("message_reference"), None);
        request.ok(&json!({"id": "52"}));
    });
    assert_eq!(outcome, sent("52"));
}
