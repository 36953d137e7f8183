use pensive_contract::inbound::{Addressed, AttachmentKind, InboundKind, TypedText};
use pensive_directives::{Shape, Typed};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::wire;
use crate::wire::tests::around;

mod interaction;

/// An id that was given out at 2026-12-01 00:00:00.000 UTC.
const MIDNIGHT: u64 = (1_796_083_200_000 - 1_420_070_400_000) << 22;

fn us() -> Us {
    Us {
        account: Account { channel: "discord".into(), id: "main".into() },
        bot: 42,
        username: "PensiveBot".to_owned(),
        patterns: vec![Regex::new(r"(?i)\bhey pensive\b").unwrap()],
        hears_bots: false,
    }
}

fn book() -> Book {
    let channels =
        json!([{"id": "20", "type": 0, "name": "general"}, {"id": "22", "type": 15, "name": "forum"}]);
    let threads = json!([{"id": "21", "type": 11, "parent_id": "20", "name": "x /think high"}]);
    let roles = json!([{"id": "15", "name": "Pensive", "tags": {"bot_id": "42"}},
        {"id": "16", "name": "Friends"}, {"id": "17", "name": "Other", "tags": {"bot_id": "43"}}]);
    let mut book = Book::default();
    let guild = json!({"id": "10", "channels": channels, "threads": threads, "roles": roles});
    book.learn(&wire::event("GUILD_CREATE", &guild.to_string()).unwrap());
    let elsewhere = r#"{"id":"88","type":0,"guild_id":"77","name":"mergers"}"#;
    for channel in [r#"{"id":"60","type":3}"#, elsewhere] {
        book.learn(&wire::event("CHANNEL_CREATE", channel).unwrap());
    }
    book
}

fn joined(mut base: Value, more: &Value) -> Value {
    base.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    base
}

fn ada() -> Value {
    json!({"id": "7", "username": "ada", "global_name": "Ada L", "discriminator": "0"})
}

/// A message of Ada's in a conversation with us.
fn direct(more: Value) -> Value {
    joined(
        json!({"id": MIDNIGHT.to_string(), "channel_id": "50", "author": ada(), "type": 0, "flags": 0}),
        &more,
    )
}

/// A message of Ada's in a guild.
fn guild(more: Value) -> Value {
    let member = json!({"nick": "Countess", "roles": ["16", "10", "5"]});
    joined(direct(json!({"channel_id": "20", "guild_id": "10", "member": member})), &more)
}

fn read_as(us: &Us, kind: &str, data: &Value) -> Option<Inbound> {
    inbound(us, &book(), &wire::event(kind, &data.to_string()).unwrap(), Timestamp(5))
}

fn read(data: Value) -> Option<Inbound> {
    read_as(&us(), "MESSAGE_CREATE", &data)
}

fn typed(data: Value) -> TypedText {
    read(data).unwrap().typed().unwrap().clone()
}

fn parts<'a>(typed: &'a TypedText, ranges: &[std::ops::Range<usize>]) -> Vec<&'a str> {
    ranges.iter().map(|range| typed.text.get(range.clone()).unwrap()).collect()
}

#[test]
fn a_direct_message_is_read_whole() {
    let expected = Inbound {
        update: format!("m:{MIDNIGHT}").into(),
        place: Place {
            account: us().account,
            chat: "50".into(),
            kind: ChatKind::Direct,
            topic: None,
            space: None,
        },
        sender: Sender { id: "7".into(), name: "Ada L".to_owned(), roles: Vec::new() },
        message: MIDNIGHT.to_string().into(),
        kind: InboundKind::Message(TypedText {
            text: "hi".to_owned(),
            bot_name: Some("PensiveBot".to_owned()),
            ..TypedText::default()
        }),
        addressed: Addressed::Yes,
        attachments: Vec::new(),
        album: None,
        at: Timestamp(1_796_083_200_000),
    };
    assert_eq!(read(direct(json!({"content": "hi"}))), Some(expected));
}

#[test]
fn disc_10_a_thread_is_a_topic_of_its_channel() {
    let place = |channel: &str| {
        let place = read(guild(json!({"content": "x", "channel_id": channel}))).unwrap().place;
        let topic = place.topic.map(|topic| (topic.id.to_string(), topic.kind));
        (place.chat.to_string(), place.kind, topic, place.space.map(|space| space.to_string()))
    };
    let within = Some("10".to_owned());
    let thread = Some(("21".to_owned(), TopicKind::Thread));
    assert_eq!(place("20"), ("20".to_owned(), ChatKind::Group, None, within.clone()));
    assert_eq!(place("21"), ("20".to_owned(), ChatKind::Group, thread, within.clone()));
    assert_eq!(place("99"), ("99".to_owned(), ChatKind::Group, None, within));
    // Sent back, it goes where it came from.
    let place = read(guild(json!({"content": "x", "channel_id": "21"}))).unwrap().place;
    assert_eq!(crate::address::channel(&place), Some(21));
}

#[test]
fn med_16_people_and_roles_are_their_ids_and_names_are_only_shown() {
    let sender = |more: Value| {
        let sender = read(guild(joined(json!({"content": "x"}), &more))).unwrap().sender;
        let roles: Vec<_> = sender.roles.iter().map(|role| role.as_str().to_owned()).collect();
        (sender.id.as_str().to_owned(), sender.name, roles)
    };
    let roles = || vec!["16".to_owned(), "5".to_owned()];
    assert_eq!(sender(json!({})), ("7".to_owned(), "Countess".to_owned(), roles()));
    let without_nick = json!({"member": {"nick": null, "roles": ["16", "5"]}});
    assert_eq!(sender(without_nick), ("7".to_owned(), "Ada L".to_owned(), roles()));
    assert_eq!(sender(json!({"member": null})), ("7".to_owned(), "Ada L".to_owned(), Vec::new()));
    let bare = |author: Value| sender(json!({"member": null, "author": author})).1;
    assert_eq!(bare(json!({"id": "7", "username": "ada", "global_name": " "})), "ada");
    assert_eq!(bare(json!({"id": 7})), "7");
}

#[test]
fn med_05_what_discord_bots_and_we_say_is_nothing_for_us() {
    let check =
        |more: Value| assert_eq!(read(guild(joined(json!({"content": "<@42> x"}), &more))), None, "{more}");
    // A pin, a join, a boost, a new thread, its first message, a command's answer, and what is yet to come.
    for kind in [6, 7, 8, 18, 21, 20, 23, 250] {
        check(json!({"type": kind}));
    }
    check(json!({"author": {"id": "42", "username": "PensiveBot"}}));
    check(json!({"author": {"id": "9", "username": "b", "bot": true}}));
    check(json!({"author": {"id": "9", "username": "Discord", "system": true}}));
    check(json!({"webhook_id": "9"}));
    check(json!({"author": null}));
    check(json!({"channel_id": "60", "guild_id": null}));
    assert_eq!(read(direct(json!({}))), None);
    assert_eq!(
        read(direct(json!({"content": "", "embeds": [{"title": "t"}], "poll": {"question": {"text": "q"}}}))),
        None
    );
    assert_eq!(read(guild(json!({"content": "", "attachments": [], "sticker_items": []}))), None);
}

#[test]
fn bots_are_heard_where_that_is_wished_for_but_never_ourselves() {
    let us = Us { hears_bots: true, ..us() };
    let hears = |more: Value| {
        read_as(&us, "MESSAGE_CREATE", &guild(joined(json!({"content": "x"}), &more)))
            .map(|read| read.sender.name)
    };
    assert_eq!(
        hears(json!({"author": {"id": "9", "username": "b", "bot": true}, "member": null})).as_deref(),
        Some("b")
    );
    let webhook =
        json!({"webhook_id": "9", "author": {"id": "9", "username": "News", "bot": true}, "member": null});
    assert_eq!(hears(webhook).as_deref(), Some("News"));
    assert_eq!(hears(json!({"author": {"id": "42", "username": "PensiveBot", "bot": true}})), None);
    assert_eq!(hears(json!({"author": {"id": "9", "system": true, "bot": true}})), None);
}

fn addressed(more: Value) -> Addressed {
    read(guild(more)).unwrap().addressed
}

#[test]
fn in_a_guild_a_mention_a_reply_or_our_role_calls_us() {
    let check = |expected: Addressed, more: Value| assert_eq!(addressed(more.clone()), expected, "{more}");
    let me = json!([{"id": "42", "username": "PensiveBot"}]);
    check(Addressed::No, json!({"content": "hello"}));
    check(Addressed::Yes, json!({"content": "<@42> hello", "mentions": me}));
    check(Addressed::Yes, json!({"content": "hello <@!42>", "mentions": me}));
    check(Addressed::Yes, json!({"content": "hello <@42>"}));
    check(Addressed::No, json!({"content": "type `<@42>`", "mentions": []}));
    check(Addressed::No, json!({"content": "<@43>", "mentions": [{"id": "43", "username": "b"}]}));
    check(Addressed::Yes, json!({"content": "<@&15> hello", "mention_roles": ["15"]}));
    check(Addressed::No, json!({"content": "type `<@&15>`", "mention_roles": []}));
    check(Addressed::No, json!({"content": "<@&16> hello", "mention_roles": ["16"]}));
    check(Addressed::No, json!({"content": "<@&17> hello", "mention_roles": ["17"]}));
    check(Addressed::No, json!({"content": "@everyone", "mention_everyone": true}));
    check(Addressed::No, json!({"content": "@here", "mention_everyone": true}));
    check(Addressed::Yes, json!({"content": "Hey Pensive, hello"}));
    check(Addressed::No, json!({"content": "they pensive"}));
    let to = |id: &str| json!({"content": "yes", "type": 19, "referenced_message": {"id": "1", "author": {"id": id}}});
    check(Addressed::Yes, to("42"));
    check(Addressed::No, to("8"));
    check(Addressed::No, json!({"content": "yes", "type": 19, "referenced_message": null}));
}

#[test]
fn med_14_a_reference_that_is_no_reply_answers_nobody() {
    let mut more = json!({"content": "x", "referenced_message": {"id": "21", "author": {"id": "42"}}});
    assert_eq!(addressed(more.clone()), Addressed::No);
    more["channel_id"] = json!("21");
    assert_eq!(addressed(more), Addressed::No);
}

#[test]
fn dir_12_a_command_with_our_name_is_meant_for_us_in_any_case() {
    let check =
        |text: &str, expected: Addressed| assert_eq!(addressed(json!({"content": text})), expected, "{text}");
    check("/think@PensiveBot high", Addressed::Yes);
    check("/think@pensivebot high", Addressed::Yes);
    check("/think@PensiveBot:high", Addressed::Yes);
    check("please /think@PensiveBot high", Addressed::Yes);
    check("/think@PensiveBot2 high", Addressed::No);
    check("/think@Other high", Addressed::No);
    check("/think high", Addressed::No);
    check("mail@PensiveBot", Addressed::No);
}

#[test]
fn people_read_names_and_so_does_the_model() {
    let check = |content: &str, text: &str, ours: &[&str], given: &[&str]| {
        let mentions = json!([{"id": "42", "username": "PensiveBot"}, {"id": "8", "username": "bob", "global_name": "Bob"},
            {"id": "9", "username": "eve", "member": {"nick": "Eve `\n"}}]);
        let typed =
            typed(guild(json!({"content": content, "mentions": mentions, "mention_roles": ["15", "16"]})));
        assert_eq!(typed.text, text, "{content}");
        assert_eq!(parts(&typed, &typed.mentions), ours, "{content}");
        assert_eq!(parts(&typed, &typed.code), given, "{content}");
    };
    check("<@42> /think high", "@PensiveBot /think high", &["@PensiveBot"], &[]);
    check("a <@!42>, <@8>", "a @PensiveBot, @Bob", &["@PensiveBot"], &["@Bob"]);
    check("<@&15> and <@&16>", "@PensiveBot and @Friends", &["@PensiveBot"], &["@Friends"]);
    check("<@9>!", "@Eve ' !", &[], &["@Eve ' "]);
    check("in <#20>", "in #general", &[], &["#general"]);
    check("<:wave:123> <a:party_1:9>", ":wave: :party_1:", &[], &[]);
    check(
        "שלום <@42> 👋🏽 hey pensive",
        "שלום @PensiveBot 👋🏽 hey pensive",
        &["@PensiveBot", "hey pensive"],
        &[],
    );
    for unknown in [
        "<@77>",
        "<@&99>",
        "<#99>",
        "<t:1618953630:R>",
        "</think:9>",
        "<id:guide>",
        "<",
        "<@",
        "<@>",
        "<@x>",
        "<@8",
        "a < b > c",
        "<:a b:1>",
        "<::1>",
        "<:😀:1>",
        "<@99999999999999999999999>",
        "<@+8>",
        "<https://x.org>",
        "<😀>",
        "<<",
    ] {
        check(unknown, unknown, &[], &[]);
    }
    check("<<@8>>", "<@Bob>", &[], &["@Bob"]);
}

#[test]
fn dir_17_what_others_called_themselves_is_not_typed() {
    let hostile = json!([{"id": "8", "username": "x", "global_name": "x /think max hey pensive"}]);
    let typed = typed(guild(json!({"content": "ask <@8> in <#21>", "mentions": hostile})));
    assert_eq!(typed.text, "ask @x /think max hey pensive in #x /think high");
    assert_eq!(parts(&typed, &typed.code), ["@x /think max hey pensive", "#x /think high"]);
    assert_eq!(addressed(json!({"content": "ask <@8>", "mentions": hostile})), Addressed::No);
    let named = json!([{"id": "8", "username": "x", "global_name": "x /think@PensiveBot max"}]);
    assert_eq!(addressed(json!({"content": "ask <@8>", "mentions": named})), Addressed::No);
}

#[test]
fn dir_17_the_parser_finds_nothing_in_what_others_said() {
    let shape = |more: Value| {
        let typed = typed(guild(more));
        let (code, mentions) = (typed.code.as_slice(), typed.mentions.as_slice());
        let said =
            Typed { text: &typed.text, code, mentions, bot_name: typed.bot_name.as_deref(), models: &[] };
        pensive_directives::parse(&said).shape
    };
    let bob = |name: &str| json!([{"id": "8", "global_name": name}, {"id": "42"}]);
    let check = |content: &str, name: &str, expected: Shape| {
        assert_eq!(
            shape(json!({"content": content, "mentions": bob(name)})),
            expected,
            "{content} of {name}"
        );
    };
    check("<@8> /think high", "Bob", Shape::Mixed);
    check("<@42> /think high", "Bob", Shape::DirectiveOnly);
    check("ask <@8>", "x /think max", Shape::Plain);
    check("<@8>", "\n/stop", Shape::Plain);
    check("<@8> `/think max`", "`", Shape::Plain);
    check("<@8> `/think max` <@8>", "```", Shape::Plain);
    check("look in <#21>", "Bob", Shape::Plain);
    let forwarded = json!({"content": "", "message_snapshots": [{"message": {"content": "/think high"}}]});
    assert_eq!(shape(forwarded), Shape::Plain);
}

#[test]
fn dir_17_forwarded_and_quoted_words_are_not_typed() {
    let snapshot = json!([{"message": {"content": "<@42> /think@PensiveBot high hey pensive", "type": 0, "mentions": [{"id": "42"}],
        "attachments": [{"id": "1", "filename": "a.png", "content_type": "image/png", "size": 3, "url": "https://x/a.png"}]}}]);
    let forward = json!({"content": "", "message_reference": {"type": 1, "message_id": "1", "channel_id": "2"}, "message_snapshots": snapshot});
    let read = read(guild(forward)).unwrap();
    let lent = read.typed().unwrap();
    assert_eq!(lent.text, "@PensiveBot /think@PensiveBot high hey pensive");
    assert_eq!((parts(lent, &lent.code), lent.mentions.len()), (vec![lent.text.as_str()], 0));
    assert_eq!((read.addressed, read.attachments.len()), (Addressed::No, 1));
    let both = typed(direct(
        json!({"content": "/fast on", "message_snapshots": [{"message": {"content": "/think high"}}, {"message": null}]}),
    ));
    assert_eq!(
        (both.text.as_str(), parts(&both, &both.code)),
        ("/fast on\n\n/think high", vec!["/think high"])
    );
    let replied = json!({"id": "1", "content": "/think high", "author": {"id": "42"}});
    let quoting =
        typed(direct(json!({"content": "what is this", "type": 19, "referenced_message": replied})));
    assert_eq!((quoting.text.as_str(), quoting.code.len()), ("what is this", 0));
}

#[test]
fn disc_13_a_link_to_a_message_stays_a_link() {
    let link = "https://discord.com/channels/77/88/99";
    let data = guild(
        json!({"content": link, "embeds": [{"type": "rich", "description": "a secret of another server"}]}),
    );
    let event = wire::event("MESSAGE_CREATE", &data.to_string()).unwrap();
    assert_eq!(book().missing(&event, Timestamp(0)), None, "nothing is asked for");
    let read = inbound(&us(), &book(), &event, Timestamp(5)).unwrap();
    assert_eq!((read.typed().unwrap().text.as_str(), read.attachments.len()), (link, 0));
    assert_eq!(
        typed(guild(json!({"content": "<#88>"}))).text,
        "<#88>",
        "nor is another server's channel named"
    );
}

#[test]
fn med_04_files_come_with_and_without_words() {
    let check = |more: Value, expected: &[(AttachmentKind, Option<&str>, &str, Option<u64>)]| {
        let read = read(guild(more.clone())).unwrap();
        let found: Vec<_> =
            read.attachments.iter().map(|a| (a.kind, a.name.as_deref(), a.handle.as_str(), a.size)).collect();
        assert_eq!(found, expected, "{more}");
    };
    let file = |kind: Value| json!({"id": "1", "filename": "f", "content_type": kind, "size": 9, "url": "https://x/f"});
    let one = |kind| [(kind, Some("f"), "https://x/f", Some(9))];
    for (told, kind) in [
        (json!("image/png"), AttachmentKind::Photo),
        (json!("audio/mpeg"), AttachmentKind::Audio),
        (json!("video/mp4; codecs=x"), AttachmentKind::Video),
        (json!("application/pdf"), AttachmentKind::Document),
        (json!(null), AttachmentKind::Document),
    ] {
        check(json!({"attachments": [file(told)]}), &one(kind));
    }
    let spoken = json!({"flags": 8192, "attachments": [file(json!("audio/ogg"))]});
    check(spoken, &one(AttachmentKind::Voice));
    let bare = json!({"content": "x", "attachments": [{"url": "https://x/f", "filename": " "}, {"filename": "no address"}]});
    check(bare, &[(AttachmentKind::Document, None, "https://x/f", None)]);
    let sticker = |format: u8, url: &str| {
        let more = json!({"sticker_items": [{"id": "3", "name": "Wave", "format_type": format}]});
        check(more, &[(AttachmentKind::Sticker, Some("Wave"), url, None)]);
    };
    sticker(1, "https://cdn.discordapp.com/stickers/3.png");
    sticker(3, "https://cdn.discordapp.com/stickers/3.json");
    sticker(4, "https://media.discordapp.net/stickers/3.gif");
    let replied = json!({"type": 19, "referenced_message": {"author": {"id": "42"}}, "attachments": [file(json!("image/png"))]});
    assert_eq!(addressed(replied), Addressed::Yes, "a picture alone may answer us");
}

#[test]
fn med_09_an_edit_is_what_its_author_changed() {
    let edit = |more: Value| read_as(&us(), "MESSAGE_UPDATE", &guild(more));
    let at = "2026-12-01T00:00:01.500000+00:00";
    let read = edit(json!({"content": "/think high", "edited_timestamp": at})).unwrap();
    assert!(matches!(&read.kind, InboundKind::Edit(typed) if typed.text == "/think high"));
    assert_eq!(
        (read.update.as_str(), read.at),
        (format!("e:{MIDNIGHT}:{at}").as_str(), Timestamp(1_796_083_201_000))
    );
    assert_eq!(edit(json!({"content": "x", "edited_timestamp": "soon"})).unwrap().at, Timestamp(5));
    for other in [
        json!({"content": "https://x.org", "edited_timestamp": null, "embeds": [{"type": "link"}]}),
        json!({"content": "x", "pinned": true}),
        json!({"edited_timestamp": at}),
        json!({"content": "x", "edited_timestamp": at, "author": {"id": "42"}}),
        json!({"content": "x", "edited_timestamp": at, "author": null}),
        json!({"content": "x", "edited_timestamp": at, "type": 6}),
    ] {
        assert_eq!(edit(other.clone()), None, "{other}");
    }
}

proptest! {
    #[test]
    fn whatever_comes_is_read_without_a_panic_and_with_good_ranges(
        data in "(<@42>|<@&15>|<@8>|<#21>|<:a:1>|[ <>@&#:a-z0-9א😀`])\
                 {0,12}".prop_flat_map(around),
        kind in proptest::sample::select(&["MESSAGE_CREATE", "MESSAGE_UPDATE", "INTERACTION_CREATE"][..]),
    ) {
        let Ok(event) = wire::event(kind, &data.to_string()) else { return Ok(()) };
        let mut book = book();
        book.learn(&event);
        book.missing(&event, Timestamp(0));
        if let Some(typed) = inbound(&us(), &book, &event, Timestamp(5)).as_ref().and_then(Inbound::typed) {
            for range in typed.code.iter().chain(&typed.mentions) {
                prop_assert!(typed.text.get(range.clone()).is_some_and(|part| !part.is_empty()));
            }
        }
    }

    #[test]
    fn what_people_say_in_private_comes_in_word_for_word(text in "[^<\\p{C}]{1,40}") {
        prop_assert_eq!(typed(direct(json!({"content": text}))).text, text);
    }
}
