use serde_json::{Value, json};

use super::*;

fn us() -> Us {
    Us {
        account: Account { channel: "telegram".into(), id: "main".into() },
        bot: 42,
        username: "PensiveBot".to_owned(),
        patterns: vec![Regex::new(r"(?i)\bhey pensive\b").unwrap()],
    }
}

fn private() -> Value {
    json!({"id": 7, "type": "private", "first_name": "Ada"})
}

fn group() -> Value {
    json!({"id": -5, "type": "group", "title": "G"})
}

fn forum() -> Value {
    json!({"id": -1005, "type": "supergroup", "title": "F", "is_forum": true})
}

/// A message of Ada's with `more` fields.
fn message(chat: Value, more: Value) -> Value {
    let mut message = json!({"message_id": 11, "date": 1_700_000_000, "chat": chat,
        "from": {"id": 7, "is_bot": false, "first_name": "Ada", "last_name": "L"}});
    message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    message
}

fn read(update: Value) -> Option<Inbound> {
    receive(&us(), serde_json::from_str(&update.to_string()).unwrap(), Timestamp(5))
}

fn read_message(chat: Value, more: Value) -> Option<Inbound> {
    read(json!({"update_id": 3, "message": message(chat, more)}))
}

#[test]
fn a_direct_message_is_read_whole() {
    let inbound = read_message(private(), json!({"text": "hi"})).unwrap();
    let expected = Inbound {
        update: "3".into(),
        place: Place {
            account: us().account,
            chat: "7".into(),
            kind: ChatKind::Direct,
            topic: None,
            space: None,
        },
        sender: Sender { id: "7".into(), name: "Ada L".to_owned(), roles: Vec::new() },
        message: "11".into(),
        kind: InboundKind::Message(TypedText {
            text: "hi".to_owned(),
            bot_name: Some("PensiveBot".to_owned()),
            ..TypedText::default()
        }),
        addressed: Addressed::Yes,
        attachments: Vec::new(),
        album: None,
        at: Timestamp(1_700_000_000_000),
    };
    assert_eq!(inbound, expected);
}

#[test]
fn entities_protect_code_in_bytes_of_the_text() {
    let check = |text: &str, entities: Value, expected: &[&str]| {
        let inbound = read_message(private(), json!({"text": text, "entities": entities})).unwrap();
        let typed = inbound.typed().unwrap();
        let found: Vec<_> = typed.code.iter().map(|range| typed.text.get(range.clone()).unwrap()).collect();
        assert_eq!(found, expected, "{text}");
    };
    check("😀 x y", json!([{"type": "code", "offset": 3, "length": 1}]), &["x"]);
    check(
        "ab cd",
        json!([{"type": "pre", "offset": 3, "length": 2}, {"type": "code", "offset": 0, "length": 2}]),
        &["ab", "cd"],
    );
    check("שלום /t", json!([{"type": "blockquote", "offset": 5, "length": 2}]), &["/t"]);
    check("a", json!([{"type": "expandable_blockquote", "offset": 0, "length": 1}]), &["a"]);
    check("😀", json!([{"type": "code", "offset": 1, "length": 1}]), &[]);
    check(
        "ab",
        json!([{"type": "code", "offset": -1, "length": 9}, {"type": "bold", "offset": 0, "length": 1}]),
        &[],
    );
    check("ab", json!([{"type": "code", "offset": 1, "length": 99}]), &[]);
    check("ab", json!(null), &[]);
}

fn addressed_in(chat: Value, more: Value) -> Addressed {
    read_message(chat, more).unwrap().addressed
}

#[test]
fn dir_12_a_command_with_our_name_is_meant_for_us_in_any_case() {
    let check = |text: &str, expected: Addressed| {
        let length = text.split_whitespace().next().unwrap().len();
        let entities = json!([{"type": "bot_command", "offset": 0, "length": length}]);
        assert_eq!(addressed_in(group(), json!({"text": text, "entities": entities})), expected, "{text}");
        assert_eq!(addressed_in(group(), json!({"text": text})), expected, "{text} unmarked");
    };
    check("/think@PensiveBot high", Addressed::Yes);
    check("/think@pensivebot high", Addressed::Yes);
    check("/think@PensiveBot:high", Addressed::Yes);
    check("/think@PensiveBot2 high", Addressed::No);
    check("/think@OtherBot high", Addressed::No);
    check("/think high", Addressed::No);
}

#[test]
fn a_group_message_is_meant_for_us_when_it_names_or_answers_us() {
    let check = |more: Value, expected: Addressed, mentioned: &[&str]| {
        let inbound = read_message(group(), more.clone()).unwrap();
        let typed = inbound.typed().unwrap();
        let found: Vec<_> =
            typed.mentions.iter().map(|range| typed.text.get(range.clone()).unwrap()).collect();
        assert_eq!((inbound.addressed, found.as_slice()), (expected, mentioned), "{more}");
    };
    check(json!({"text": "hello"}), Addressed::No, &[]);
    let mention = json!([{"type": "mention", "offset": 3, "length": 11}]);
    check(json!({"text": "yo @pensiveBOT", "entities": mention}), Addressed::Yes, &["@pensiveBOT"]);
    check(json!({"text": "yo @OtherBot..", "entities": mention}), Addressed::No, &[]);
    let by_id = |id: i64| json!([{"type": "text_mention", "offset": 0, "length": 2, "user": {"id": id}}]);
    check(json!({"text": "yo", "entities": by_id(42)}), Addressed::Yes, &["yo"]);
    check(json!({"text": "yo", "entities": by_id(43)}), Addressed::No, &[]);
    check(json!({"text": "Hey Pensive, what now"}), Addressed::Yes, &["Hey Pensive"]);
    let reply = |from: i64| json!({"message_id": 2, "date": 0, "chat": group(), "from": {"id": from, "is_bot": true}});
    check(json!({"text": "yes", "reply_to_message": reply(42)}), Addressed::Yes, &[]);
    check(json!({"text": "yes", "reply_to_message": reply(43)}), Addressed::No, &[]);
}

#[test]
fn med_14_the_root_of_a_topic_is_no_message_that_was_answered() {
    let in_topic = |replied: Value| {
        addressed_in(
            forum(),
            json!({"text": "x", "message_thread_id": 9, "is_topic_message": true, "reply_to_message": replied}),
        )
    };
    let ours = json!({"id": 42, "is_bot": true});
    assert_eq!(in_topic(json!({"message_id": 9, "from": ours})), Addressed::No);
    assert_eq!(
        in_topic(json!({"message_id": 8, "from": ours, "forum_topic_created": {"name": "T"}})),
        Addressed::No
    );
    assert_eq!(in_topic(json!({"message_id": 10, "from": ours})), Addressed::Yes);
    // In an ordinary group the thread's first message is the one that was answered.
    let chain =
        json!({"text": "x", "message_thread_id": 9, "reply_to_message": {"message_id": 9, "from": ours}});
    assert_eq!(addressed_in(json!({"id": -1006, "type": "supergroup"}), chain), Addressed::Yes);
}

fn topic_in(chat: Value, more: Value) -> Option<String> {
    read_message(chat, more).unwrap().place.topic.map(|topic| topic.id.to_string())
}

#[test]
fn ses_12_a_reply_chain_is_no_topic_and_med_12_general_is_the_chat_itself() {
    let supergroup = json!({"id": -1006, "type": "supergroup"});
    assert_eq!(topic_in(supergroup, json!({"text": "x", "message_thread_id": 9})), None);
    assert_eq!(
        topic_in(forum(), json!({"text": "x", "message_thread_id": 9, "is_topic_message": true})).unwrap(),
        "9"
    );
    assert_eq!(topic_in(forum(), json!({"text": "x"})), None);
    assert_eq!(
        topic_in(forum(), json!({"text": "x", "message_thread_id": 1, "is_topic_message": true})),
        None
    );
}

#[test]
fn med_11_a_direct_message_keeps_a_topic_only_when_it_stood_in_one() {
    assert_eq!(topic_in(private(), json!({"text": "x", "message_thread_id": 9})), None);
    assert_eq!(
        topic_in(private(), json!({"text": "x", "message_thread_id": 9, "is_topic_message": true})).unwrap(),
        "9"
    );
}

#[test]
fn ses_08_equal_topic_numbers_of_two_chats_are_two_places() {
    let place = |id: i64| {
        let chat = json!({"id": id, "type": "private"});
        read_message(chat, json!({"text": "x", "message_thread_id": 5, "is_topic_message": true}))
            .unwrap()
            .place
    };
    assert_ne!(place(1), place(2));
}

#[test]
fn med_16_ids_of_groups_keep_their_sign() {
    assert_eq!(read_message(forum(), json!({"text": "x"})).unwrap().place.chat.as_str(), "-1005");
}

#[test]
fn med_05_service_empty_and_foreign_messages_are_nothing_for_us() {
    let check = |chat: Value, more: Value| assert_eq!(read_message(chat, more.clone()), None, "{more}");
    check(group(), json!({"pinned_message": {"message_id": 1}}));
    check(group(), json!({"new_chat_members": [{"id": 1, "is_bot": false, "first_name": "N"}]}));
    check(group(), json!({"migrate_to_chat_id": -100}));
    check(forum(), json!({"forum_topic_created": {"name": "T", "icon_color": 1}}));
    check(private(), json!({"pinned_message": {"message_id": 1}}));
    check(private(), json!({"location": {"latitude": 1, "longitude": 2}}));
    check(private(), json!({"location": {"latitude": 1.0, "longitude": 2.0}}));
    check(private(), json!({}));
    check(group(), json!({"text": "x", "from": {"id": 9, "is_bot": true, "first_name": "B"}}));
    check(group(), json!({"text": "x", "is_automatic_forward": true}));
    check(json!({"id": -9, "type": "channel"}), json!({"text": "x"}));
    assert_eq!(read(json!({"update_id": 1, "my_chat_member": {"anything": true}})), None);
    assert_eq!(read(json!({"update_id": 1})), None);
    let mut no_one = message(group(), json!({"text": "x"}));
    no_one.as_object_mut().unwrap().remove("from");
    assert_eq!(read(json!({"update_id": 1, "message": no_one})), None);
}

#[test]
fn dir_17_forwarded_quoted_and_inline_words_are_not_typed() {
    let origin = json!({"type": "hidden_user", "sender_user_name": "X", "date": 0});
    for more in [
        json!({"text": "/think high", "forward_origin": origin}),
        json!({"text": "/think high", "via_bot": {"id": 1, "is_bot": true, "first_name": "gif"}}),
    ] {
        let inbound = read_message(private(), more).unwrap();
        let typed = inbound.typed().unwrap();
        assert_eq!(typed.code, std::iter::once(0..11).collect::<Vec<_>>());
    }
    let quoting = json!({"text": "what is this", "quote": {"text": "/think high", "position": 0},
        "reply_to_message": {"message_id": 2, "text": "/think high", "from": {"id": 8}}});
    assert_eq!(read_message(private(), quoting).unwrap().typed().unwrap().text, "what is this");
    let forwarded = json!({"text": "/think@PensiveBot high", "forward_origin": origin});
    assert_eq!(addressed_in(group(), forwarded), Addressed::No);
}

#[test]
fn files_are_noted_and_captions_are_text() {
    let check = |more: Value, text: &str, files: &[(AttachmentKind, &str, Option<u64>)]| {
        let inbound = read_message(private(), more.clone()).unwrap();
        let found: Vec<_> = inbound.attachments.iter().map(|a| (a.kind, a.handle.as_str(), a.size)).collect();
        assert_eq!((inbound.typed().unwrap().text.as_str(), found.as_slice()), (text, files), "{more}");
    };
    let photo = json!([{"file_id": "s", "file_size": 1}, {"file_id": "l", "file_size": 9}]);
    check(
        json!({"photo": photo, "caption": "/think high"}),
        "/think high",
        &[(AttachmentKind::Photo, "l", Some(9))],
    );
    check(json!({"photo": photo}), "", &[(AttachmentKind::Photo, "l", Some(9))]);
    check(json!({"voice": {"file_id": "v", "duration": 3}}), "", &[(AttachmentKind::Voice, "v", None)]);
    check(
        json!({"document": {"file_id": "d"}, "animation": {"file_id": "a"}}),
        "",
        &[(AttachmentKind::Video, "a", None)],
    );
    check(
        json!({"document": {"file_id": "d"}, "caption": "x"}),
        "x",
        &[(AttachmentKind::Document, "d", None)],
    );
    let entities = json!([{"type": "code", "offset": 0, "length": 1}]);
    let captioned = json!({"photo": photo, "caption": "x y", "caption_entities": entities});
    assert_eq!(
        read_message(private(), captioned).unwrap().typed().unwrap().code,
        std::iter::once(0..1).collect::<Vec<_>>()
    );
}

#[test]
fn files_keep_the_names_that_people_know_them_by() {
    let check = |more: Value, kind: AttachmentKind, name: Option<&str>| {
        let inbound = read_message(private(), more.clone()).unwrap();
        let found: Vec<_> = inbound.attachments.iter().map(|a| (a.kind, a.name.as_deref())).collect();
        assert_eq!(found, [(kind, name)], "{more}");
    };
    let named = json!({"file_id": "d", "file_name": "report.pdf"});
    check(json!({"document": named}), AttachmentKind::Document, Some("report.pdf"));
    check(json!({"document": {"file_id": "d", "file_name": " "}}), AttachmentKind::Document, None);
    check(json!({"audio": {"file_id": "a", "title": "Song"}}), AttachmentKind::Audio, Some("Song"));
    check(json!({"sticker": {"file_id": "s", "emoji": "👍"}}), AttachmentKind::Sticker, Some("👍"));
    check(json!({"voice": {"file_id": "v"}}), AttachmentKind::Voice, None);
}

#[test]
fn the_messages_of_an_album_say_which() {
    let photo = json!([{"file_id": "l"}]);
    let album = |more: Value| read_message(private(), more).unwrap().album;
    assert_eq!(album(json!({"photo": photo, "media_group_id": "13"})).as_deref(), Some("13"));
    assert_eq!(album(json!({"photo": photo})), None);
}

#[test]
fn med_09_an_edit_is_told_apart_from_a_message() {
    let edited = message(private(), json!({"text": "new", "edit_date": 1_700_000_100}));
    let inbound = read(json!({"update_id": 3, "edited_message": edited})).unwrap();
    assert!(matches!(&inbound.kind, InboundKind::Edit(typed) if typed.text == "new"));
    assert_eq!(inbound.at, Timestamp(1_700_000_100_000));
}

#[test]
fn a_press_says_who_pressed_what_and_where() {
    let pressed = json!({"message_id": 20, "date": 0, "message_thread_id": 9, "is_topic_message": true, "chat": forum()});
    let query = json!({"id": "q1", "from": {"id": 8, "is_bot": false, "first_name": "Bob"}, "message": pressed,
        "chat_instance": "c", "data": "run:1"});
    let inbound = read(json!({"update_id": 4, "callback_query": query})).unwrap();
    assert_eq!(inbound.kind, InboundKind::Press { data: "run:1".to_owned(), query: "q1".to_owned() });
    assert_eq!((inbound.sender.id.as_str(), inbound.message.as_str(), inbound.at), ("8", "20", Timestamp(5)));
    assert_eq!(inbound.place.topic.unwrap().id.as_str(), "9");
}

proptest::proptest! {
    #[test]
    fn whatever_the_entities_say_ranges_are_good(
        text in ".{0,20}", spans in proptest::collection::vec((proptest::num::i64::ANY, -3i64..30), 0..5),
    ) {
        let entities: Vec<_> = spans.iter()
            .map(|(offset, length)| json!({"type": "code", "offset": offset % 25, "length": length})).collect();
        if let Some(inbound) = read_message(private(), json!({"text": text, "entities": entities})) {
            let typed = inbound.typed().unwrap();
            for range in &typed.code {
                proptest::prop_assert!(typed.text.get(range.clone()).is_some_and(|code| !code.is_empty()));
            }
        }
    }
}

#[test]
fn a_stop_under_a_draft_stops_that_answer() {
    let stop = |chat: Value, more: Value| {
        let mut stop = json!({"chat": chat, "draft_id": -77});
        stop.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        read(json!({"update_id": 3, "stopped_message_generation": stop}))
    };
    let inbound = stop(private(), json!({"message_thread_id": 9})).unwrap();
    let expected = Inbound {
        update: "3".into(),
        place: Place {
            account: us().account,
            chat: "7".into(),
            kind: ChatKind::Direct,
            topic: Some(Topic { id: "9".into(), kind: TopicKind::Topic }),
            space: None,
        },
        sender: Sender { id: "7".into(), name: "Ada".to_owned(), roles: Vec::new() },
        message: "".into(),
        kind: InboundKind::Halt { stream: -77, query: None },
        addressed: Addressed::Yes,
        attachments: Vec::new(),
        album: None,
        at: Timestamp(5),
    };
    assert_eq!(inbound, expected);
    assert_eq!(stop(private(), json!({})).unwrap().place.topic, None);
    assert!(stop(group(), json!({})).is_none(), "a draft stands in no group");
}

#[test]
fn a_button_to_stop_is_a_stop_and_no_press() {
    let press = |data: &str| {
        let query = json!({"id": "q", "from": {"id": 7, "first_name": "Ada"}, "data": data,
            "message": {"message_id": 4, "date": 0, "chat": group()}});
        read(json!({"update_id": 3, "callback_query": query})).unwrap().kind
    };
    assert_eq!(press("halt:-5"), InboundKind::Halt { stream: -5, query: Some("q".to_owned()) });
    for other in ["halt:x", "run:1"] {
        let (data, query) = (other.to_owned(), "q".to_owned());
        assert_eq!(press(other), InboundKind::Press { data, query });
    }
}
