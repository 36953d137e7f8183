use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn read(kind: &str, data: &Value) -> Event {
    event(kind, &data.to_string()).unwrap()
}

fn message(data: &Value) -> Message {
    match read("MESSAGE_CREATE", data) {
        Event::Message(message) => *message,
        other => panic!("{other:?}"),
    }
}

/// A reply to a message with components, as Discord sends it in a guild.
fn reply(component: &Value) -> Value {
    let author = |id: &str| json!({"id": id, "username": "ada", "discriminator": "0", "global_name": "Ada", "avatar": null, "public_flags": 0});
    let core = |id: &str, author: Value| {
        json!({"id": id, "channel_id": "20", "author": author, "content": "hi", "timestamp": "2026-11-30T10:00:00.000000+00:00",
            "edited_timestamp": null, "tts": false, "mention_everyone": false, "mentions": [], "mention_roles": [], "attachments": [],
            "embeds": [], "pinned": false, "type": 0, "flags": 0, "components": []})
    };
    let mut replied = core("29", author("42"));
    replied["components"] = json!([{"type": 1, "id": 1, "components": [component]}]);
    let mut reply = core("30", author("7"));
    let more = json!({"guild_id": "10", "type": 19, "referenced_message": replied,
        "message_reference": {"type": 0, "channel_id": "20", "message_id": "29", "guild_id": "10"},
        "member": {"roles": ["5", "6"], "nick": "Countess", "joined_at": "2024-01-01T00:00:00.000000+00:00", "deaf": false, "mute": false, "flags": 0}});
    reply.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    reply
}

#[test]
fn why_the_frame_is_ours_serenity_loses_a_reply_to_a_message_with_an_unknown_component() {
    let known = reply(&json!({"type": 2, "id": 2, "style": 1, "label": "x", "custom_id": "c"}));
    let unknown = reply(&json!({"type": 99, "id": 2, "from": "the future"}));
    let theirs = |data: &Value| serde_json::from_str::<serenity::model::channel::Message>(&data.to_string());
    assert_eq!(theirs(&known).unwrap().content, "hi");
    assert!(theirs(&unknown).is_err());
    for data in [known, unknown] {
        let message = message(&data);
        assert_eq!(message.content.text.as_deref(), Some("hi"));
        assert_eq!(message.referenced_message.unwrap().author.unwrap().id, 42);
        assert_eq!(
            (message.member.nick.as_deref(), message.member.roles),
            (Some("Countess"), Some(vec![5, 6]))
        );
    }
}

#[test]
fn odd_fields_lose_nothing_but_themselves() {
    let check = |more: Value| {
        let mut data = json!({"id": 30, "channel_id": "20", "content": "hi"});
        data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let message = message(&data);
        assert_eq!((message.id, message.channel_id), (30, 20));
        assert_eq!(message.content.text.as_deref(), Some("hi"), "{more}");
    };
    check(json!({}));
    check(json!({"type": 250, "flags": "8192", "from_the_future": {"a": [1]}}));
    check(json!({"guild_id": null, "author": null, "member": null, "mentions": null, "attachments": null}));
    check(
        json!({"author": {"id": {}}, "member": {"roles": {"a": 1}, "nick": 7}, "referenced_message": null}),
    );
    check(json!({"author": "x", "attachments": [1, null, {"url": 5}], "mentions": [{}, {"id": "x"}]}));
    check(
        json!({"message_snapshots": {"a": 1}, "sticker_items": "x", "edited_timestamp": 5, "guild_id": [1]}),
    );
    check(
        json!({"guild_id": "99999999999999999999999999", "type": 1.5, "embeds": [{"type": "new"}], "poll": 3}),
    );
}

#[test]
fn the_good_of_a_list_stays() {
    let data = json!({"id": "30", "channel_id": "20",
        "mentions": [{"id": "7", "username": "a"}, {"name": "no id"}, {"id": 8}], "mention_roles": ["5", null, 6],
        "attachments": [{"filename": "a.txt", "url": "https://x/a.txt", "size": "12"}, 3]});
    let content = message(&data).content;
    let mentioned: Vec<_> = content.mentions.unwrap().iter().map(|user| user.id).collect();
    assert_eq!((mentioned, content.mention_roles), (vec![7, 8], Some(vec![5, 6])));
    assert_eq!(content.attachments.iter().map(|file| file.size).collect::<Vec<_>>(), [Some(12)]);
}

#[test]
fn half_a_surrogate_pair_costs_no_more_than_itself() {
    let check = |escaped: &str, expected: &str| {
        let data = format!(r#"{{"id":"1","channel_id":"2","content":"{escaped}"}}"#);
        let Event::Message(message) = event("MESSAGE_CREATE", &data).unwrap() else { panic!() };
        assert_eq!(message.content.text.as_deref(), Some(expected), "{escaped}");
    };
    check(r"\ud83d\ude00 \u05d0", "😀 א");
    check(r"a\ud800b", "a\u{fffd}\u{fffd}\u{fffd}b");
    check("שלום 👋🏽", "שלום 👋🏽");
    check("", "");
}

#[test]
fn what_cannot_be_read_is_told_without_a_word_of_it() {
    for data in [
        r#""a secret word""#,
        "{",
        r#"{"id":"a secret word","channel_id":"1"}"#,
        "null",
        r#"{"content":"a secret word"}"#,
    ] {
        for kind in
            ["MESSAGE_CREATE", "MESSAGE_UPDATE", "INTERACTION_CREATE", "GUILD_CREATE", "CHANNEL_CREATE"]
        {
            let why = event(kind, data).unwrap_err();
            assert!(!format!("{why} {why:?}").contains("secret"), "{why}");
        }
    }
}

#[test]
fn guilds_channels_and_threads_are_read() {
    let data = json!({"id": "10", "name": "G", "unavailable": false, "members": [{"user": {"id": "1"}}],
        "channels": [{"id": "20", "type": 0, "name": "general", "parent_id": "19", "permission_overwrites": []}, {"name": "odd"}],
        "threads": [{"id": "21", "type": 11, "parent_id": "20", "name": "t", "guild_id": "10", "thread_metadata": {"archived": false}}],
        "roles": [{"id": "10", "name": "@everyone"}, {"id": "15", "name": "Pensive", "tags": {"bot_id": "42"}},
            {"id": "16", "name": "Boost", "tags": {"premium_subscriber": null}}]});
    let Event::Guild(guild) = read("GUILD_CREATE", &data) else { panic!() };
    assert_eq!(guild.channels.iter().map(|channel| channel.id).collect::<Vec<_>>(), [20]);
    assert_eq!((guild.threads[0].parent_id, guild.threads[0].kind), (Some(20), Some(11)));
    assert_eq!(guild.roles.iter().map(|role| role.tags.bot_id).collect::<Vec<_>>(), [None, Some(42), None]);
}

#[test]
fn everything_else_is_nothing_for_us() {
    for kind in
        ["TYPING_START", "PRESENCE_UPDATE", "MESSAGE_DELETE", "GUILD_ROLE_DELETE", "FROM_THE_FUTURE", ""]
    {
        assert!(matches!(event(kind, "whatever"), Ok(Event::Other)), "{kind}");
    }
    assert!(matches!(event("READY", r#"{"v":10}"#), Ok(Event::Ready)));
    assert!(matches!(event("RESUMED", "null"), Ok(Event::Resumed)));
}

/// Names of fields that mean something, and one that does not.
const FIELDS: &[&str] = &[
    "type",
    "author",
    "member",
    "guild_id",
    "webhook_id",
    "edited_timestamp",
    "flags",
    "mentions",
    "mention_roles",
    "attachments",
    "sticker_items",
    "referenced_message",
    "message_snapshots",
    "message",
    "user",
    "roles",
    "nick",
    "bot",
    "data",
    "options",
    "values",
    "custom_id",
    "channel",
    "channels",
    "threads",
    "parent_id",
    "application_id",
    "token",
    "name",
    "tags",
    "x",
];

/// Any JSON, with fields that mean something in places where they do not.
pub(crate) fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(|number| Value::from(number.to_string())),
        "\\PC{0,12}".prop_map(Value::from),
        "(/think |<@|<@&|<#|<:a:)?[0-9]{0,3}>?".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        let field =
            prop_oneof![proptest::sample::select(FIELDS), Just("id"), Just("content"), Just("channel_id")];
        let object = proptest::collection::vec((field, inner.clone()), 0..8);
        prop_oneof![
            proptest::collection::vec(inner, 0..4).prop_map(Value::from),
            object.prop_map(|fields| fields
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

/// An object with ids, a text, and anything else beside them.
pub(crate) fn around(text: String) -> impl Strategy<Value = Value> {
    proptest::collection::vec((proptest::sample::select(FIELDS), anything()), 0..8).prop_map(move |fields| {
        let mut data: serde_json::Map<_, _> =
            fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        data.extend(
            [("id", "30"), ("channel_id", "20"), ("content", &text)]
                .map(|(name, value)| (name.to_owned(), value.into())),
        );
        Value::Object(data)
    })
}

proptest! {
    #[test]
    fn no_event_whatever_panics(data in anything(), kind in proptest::sample::select(&[
        "GUILD_CREATE", "GUILD_DELETE", "GUILD_ROLE_CREATE", "CHANNEL_CREATE", "THREAD_LIST_SYNC", "THREAD_DELETE",
        "MESSAGE_CREATE", "MESSAGE_UPDATE", "INTERACTION_CREATE",
    ][..])) {
        drop(event(kind, &data.to_string()));
    }

    #[test]
    fn whatever_stands_beside_it_a_text_survives((text, data) in "\\PC{0,20}".prop_flat_map(|text| (Just(text.clone()), around(text)))) {
        prop_assert_eq!(message(&data).content.text, Some(text));
    }
}
