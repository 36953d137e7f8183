//! Messages, threads and files over REST: what they do, who may do it, and what people see of it.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::{Bench, ears::ALL, id};

#[tokio::test]
async fn a_message_is_sent_read_changed_and_deleted() {
    let bench = Bench::unlimited().await;
    let alice = bench.discord.person("Alice");
    let channel = alice.channel();
    let path = format!("/channels/{channel}/messages");
    let film = alice.film();
    let first = alice.say("hello");
    let reply = json!({"content": "hi", "message_reference": {"message_id": first.to_string()}});
    let sent = bench.done(&format!("POST {path}"), reply).await;
    assert_eq!((&sent["type"], &sent["referenced_message"]["content"]), (&json!(19), &json!("hello")));
    let own = id(&sent["id"]);
    let changed = bench.done(&format!("PATCH {path}/{own}"), json!({"content": "hi there"})).await;
    assert_eq!(changed["content"], "hi there");
    assert!(changed["edited_timestamp"].is_string());
    let third = bench.say(channel, "bye").await;
    let ids = async |query: &str| -> Vec<u64> {
        let list = bench.done(&format!("GET {path}{query}"), Value::Null).await;
        list.as_array().unwrap().iter().map(|message| id(&message["id"])).collect()
    };
    assert_eq!(ids("").await, [third, own, first], "newest first");
    assert_eq!(ids(&format!("?after={first}&limit=1")).await, [own]);
    assert_eq!(ids(&format!("?before={third}&limit=1")).await, [own]);
    bench.done(&format!("DELETE {path}/{own}"), Value::Null).await;
    assert_eq!(bench.refused(&format!("GET {path}/{own}"), Value::Null).await, (404, 10008));
    assert_eq!(alice.said(), ["bye"]);
    assert!(alice.saw(own).unwrap().deleted);
    assert_eq!(film.newest(), ["hi", "hi there", "bye"]);
    bench.done(&format!("POST /channels/{channel}/typing"), Value::Null).await;
    assert_eq!(bench.discord.typed().len(), 1);
    assert_eq!(bench.blamed(), Vec::<String>::new());
}

#[tokio::test]
async fn what_is_not_allowed_is_refused_in_discords_words() {
    let bench = Bench::unlimited().await;
    let alice = bench.discord.person("Alice");
    let guild = bench.discord.guild("Home", &[&alice]);
    let (general, hidden, silent) =
        (guild.channel("general"), guild.channel("hidden"), guild.channel("silent"));
    let bot = bench.discord.bot().id();
    hidden.hide_from(bot);
    silent.silence(bot);
    let theirs = alice.in_room(&general).say("mine");
    let gone = bench.say(general.id(), "gone").await;
    bench.done(&format!("DELETE /channels/{}/messages/{gone}", general.id()), Value::Null).await;
    let text = || json!({"content": "x"});
    let cases = [
        (format!("POST /channels/{}/messages", hidden.id()), text(), (403, 50001)),
        (format!("POST /channels/{}/messages", silent.id()), text(), (403, 50013)),
        ("POST /channels/1/messages".to_owned(), text(), (404, 10003)),
        (format!("PATCH /channels/{}/messages/{theirs}", general.id()), text(), (403, 50005)),
        (format!("PATCH /channels/{}/messages/{gone}", general.id()), text(), (404, 10008)),
        (format!("DELETE /channels/{}/messages/{theirs}", general.id()), Value::Null, (403, 50013)),
        (format!("DELETE /channels/{}/messages/{gone}", general.id()), Value::Null, (404, 10008)),
        (format!("POST /channels/{}/messages", general.id()), json!({"content": " "}), (400, 50006)),
        ("GET /guilds/1".to_owned(), Value::Null, (404, 10004)),
        ("POST /users/@me/channels".to_owned(), json!({"recipient_id": "1"}), (400, 50033)),
        ("GET /nowhere".to_owned(), Value::Null, (404, 0)),
    ];
    for (what, body, expected) in cases {
        assert_eq!(bench.refused(&what, body).await, expected, "{what}");
    }
    let direct = json!({"recipient_id": alice.id().to_string()});
    let direct = bench.done("POST /users/@me/channels", direct).await;
    assert_eq!(id(&direct["id"]), alice.channel());
    alice.close();
    let send = format!("POST /channels/{}/messages", alice.channel());
    assert_eq!(bench.refused(&send, text()).await, (403, 50007));
    bench.discord.bot().revoke();
    assert_eq!(bench.refused(&send, text()).await, (401, 0));
}

#[tokio::test]
async fn a_nonce_that_is_enforced_brings_the_message_that_stands() {
    let bench = Bench::unlimited().await;
    let clock = bench.follow();
    let alice = bench.discord.person("Alice");
    let send = format!("POST /channels/{}/messages", alice.channel());
    let body = |text: &str, enforce: bool| json!({"content": text, "nonce": "n1", "enforce_nonce": enforce});
    let first = bench.done(&send, body("one", true)).await;
    let second = bench.done(&send, body("two", true)).await;
    assert_eq!((&first["id"], &second["content"]), (&second["id"], &json!("one")));
    bench.done(&send, body("three", false)).await;
    clock.fetch_add(6 * 60_000, Ordering::SeqCst);
    bench.done(&send, body("four", true)).await;
    assert_eq!(alice.said(), ["one", "three", "four"]);
}

#[tokio::test]
async fn threads_are_opened_put_away_and_locked_and_slowmode_is_kept() {
    let bench = Bench::unlimited().await;
    let clock = bench.follow();
    let alice = bench.discord.person("Alice");
    let guild = bench.discord.guild("Home", &[&alice]);
    let general = guild.channel("general");
    let open = format!("POST /channels/{}/threads", general.id());
    let opened = bench.done(&open, json!({"name": "aside", "type": 11})).await;
    assert_eq!((id(&opened["parent_id"]), &opened["type"]), (general.id(), &json!(11)));
    let thread = general.thread("aside");
    assert_eq!(thread.id(), id(&opened["id"]));
    let own = bench.say(thread.id(), "a").await;
    thread.archive();
    let edit = format!("PATCH /channels/{}/messages/{own}", thread.id());
    assert_eq!(bench.refused(&edit, json!({"content": "b"})).await, (400, 50083));
    bench.say(thread.id(), "writing takes it out again").await;
    bench.done(&edit, json!({"content": "b"})).await;
    thread.lock();
    let send = format!("POST /channels/{}/messages", thread.id());
    assert_eq!(bench.refused(&send, json!({"content": "c"})).await, (400, 50083));

    general.slow_down(10);
    bench.say(general.id(), "a").await;
    clock.fetch_add(4_000, Ordering::SeqCst);
    let send = format!("POST /channels/{}/messages", general.id());
    let slow = bench.call(&send, json!({"content": "b"})).await;
    assert_eq!((slow.status, slow.code(), &slow.body["retry_after"]), (429, 20016, &json!(6.0)));
    clock.fetch_add(6_000, Ordering::SeqCst);
    bench.say(general.id(), "b").await;
}

#[tokio::test]
async fn files_go_up_are_described_kept_and_fetched() {
    let bench = Bench::unlimited().await;
    let clock = bench.follow();
    let alice = bench.discord.person("Alice");
    let path = format!("/channels/{}/messages", alice.channel());
    let about = json!({"content": "two", "attachments": [{"id": 1, "description": "the second"}]});
    let sent = bench.upload(&format!("POST {path}"), about, &[("a.txt", b"aaa"), ("b.txt", b"b")]).await.body;
    let (first, second) = (&sent["attachments"][0], &sent["attachments"][1]);
    assert_eq!((&first["size"], &second["description"]), (&json!(3), &json!("the second")));
    let strange = json!({"content": "x", "attachments": [{"id": 2}]});
    let strange = bench.upload(&format!("POST {path}"), strange, &[("a.txt", b"a")]).await;
    assert_eq!((strange.status, strange.code()), (400, 50035));
    let keep = json!({"attachments": [{"id": second["id"]}, {"id": "0", "filename": "c.txt"}]});
    let edit = format!("PATCH {path}/{}", id(&sent["id"]));
    let changed = bench.upload(&edit, keep, &[("c.txt", b"c")]).await.body;
    let names: Vec<_> =
        changed["attachments"].as_array().unwrap().iter().map(|file| &file["filename"]).collect();
    assert_eq!(names, ["b.txt", "c.txt"]);

    let url = first["url"].as_str().unwrap();
    let fetched = bench.http.get(url).send().await.unwrap();
    assert_eq!(fetched.bytes().await.unwrap().as_ref(), b"aaa");
    clock.fetch_add(25 * 3_600_000, Ordering::SeqCst);
    assert_eq!(bench.http.get(url).send().await.unwrap().status(), 404, "a link is good for a day");
    let fresh = bench.done("POST /attachments/refresh-urls", json!({"attachment_urls": [url]})).await;
    let fresh = fresh["refreshed_urls"][0]["refreshed"].as_str().unwrap();
    assert_eq!(bench.http.get(fresh).send().await.unwrap().status(), 200);
    bench.discord.forget();
    bench.http.get(fresh).header("authorization", "Bot x").send().await.unwrap();
    assert_eq!(bench.blamed(), ["a token was sent along with the fetching of a file"]);
}

#[tokio::test]
async fn mentions_call_whom_they_are_allowed_to() {
    let bench = Bench::unlimited().await;
    let alice = bench.discord.person("Alice");
    let guild = bench.discord.guild("Home", &[&alice]);
    let (general, role) = (guild.channel("general"), guild.role("Friends"));
    let theirs = alice.in_room(&general).say("hm");
    let text = format!("{} <@&{role}> @everyone", alice.mention());
    let send = format!("POST /channels/{}/messages", general.id());
    let check = async |allowed: Value, users: &[u64], everyone: bool| {
        let sent = bench.done(&send, json!({"content": text, "allowed_mentions": allowed})).await;
        let seen = alice.in_room(&general).saw(id(&sent["id"])).unwrap();
        assert_eq!((seen.pinged.as_slice(), seen.pinged_everyone), (users, everyone), "{allowed}");
    };
    check(Value::Null, &[alice.id(), role], true).await;
    check(json!({"parse": []}), &[], false).await;
    check(json!({"parse": ["roles"], "users": [alice.id().to_string()]}), &[alice.id(), role], false).await;
    check(json!({"users": ["1"]}), &[], false).await;
    let reply = |replied: bool| {
        json!({
            "content": "so", "message_reference": {"message_id": theirs.to_string()},
            "allowed_mentions": {"parse": [], "replied_user": replied},
        })
    };
    let pinged = async |replied: bool| {
        let sent = bench.done(&send, reply(replied)).await;
        alice.in_room(&general).saw(id(&sent["id"])).unwrap().pinged
    };
    assert_eq!((pinged(true).await, pinged(false).await), (vec![alice.id()], vec![]));
}

#[tokio::test]
async fn what_people_do_is_told_as_discord_tells_it() {
    let bench = Bench::unlimited().await;
    let alice = bench.discord.person("Alice");
    let mut ears = bench.listen(ALL).await;
    let message = alice.say("one");
    ears.event("MESSAGE_CREATE").await;
    alice.edit(message, "two");
    let event = ears.event("MESSAGE_UPDATE").await;
    assert_eq!((&event["content"], event["edited_timestamp"].is_string()), (&json!("two"), true));
    alice.unfurl(message);
    let event = ears.event("MESSAGE_UPDATE").await;
    assert_eq!(event["embeds"][0]["type"], "link");
    let reply = alice.reply(message, "three");
    let event = ears.event("MESSAGE_CREATE").await;
    assert_eq!((id(&event["id"]), id(&event["message_reference"]["message_id"])), (reply, message));
    alice.speak(b"ogg");
    assert_eq!(ears.event("MESSAGE_CREATE").await["flags"], 1 << 13);
    alice.say_by_webhook("four");
    let event = ears.event("MESSAGE_CREATE").await;
    assert_eq!((&event["webhook_id"], &event["author"]["bot"]), (&event["author"]["id"], &json!(true)));
    alice.delete(message);
    assert_eq!(id(&ears.event("MESSAGE_DELETE").await["id"]), message);
}
