use pensive_contract::intake::Asked;

use super::*;
use crate::handle::{self, Handle};

/// What Ada does in the thread.
fn call(kind: u8, data: Value, more: Value) -> Value {
    let member = json!({"user": ada(), "nick": "Countess", "roles": ["16"], "permissions": "0"});
    let call = json!({"id": MIDNIGHT.to_string(), "application_id": "41", "type": kind, "token": "tok:en", "version": 1,
        "guild_id": "10", "channel_id": "23", "channel": {"id": "23", "type": 11, "parent_id": "22", "name": "post"},
        "member": member, "data": data, "context": 0, "locale": "en-GB"});
    joined(call, &more)
}

fn answered_by() -> handle::Interaction {
    handle::Interaction { application: 41, id: MIDNIGHT, token: "tok:en".to_owned() }
}

#[test]
fn a_called_command_is_what_would_have_been_typed() {
    let data = json!({"id": "1", "name": "think", "type": 1, "options": [{"name": "level", "type": 3, "value": "high"}]});
    let expected = Inbound {
        update: format!("i:{MIDNIGHT}").into(),
        place: Place {
            account: us().account,
            chat: "22".into(),
            kind: ChatKind::Group,
            topic: Some(Topic { id: "23".into(), kind: TopicKind::Thread }),
            space: Some("10".into()),
        },
        sender: Sender { id: "7".into(), name: "Countess".to_owned(), roles: vec!["16".into()] },
        message: Handle::Command(answered_by()).mint(),
        kind: InboundKind::Message(TypedText {
            text: "/think high".to_owned(),
            bot_name: Some("PensiveBot".to_owned()),
            ..TypedText::default()
        }),
        addressed: Addressed::Yes,
        attachments: Vec::new(),
        album: None,
        at: Timestamp(1_796_083_200_000),
    };
    assert_eq!(read_as(&us(), "INTERACTION_CREATE", &call(2, data, json!({}))), Some(expected));
}

#[test]
fn where_an_interaction_was_is_told_by_its_channel_or_known() {
    let place = |more: Value| {
        let place = read_as(&us(), "INTERACTION_CREATE", &call(2, json!({"name": "status"}), more))?.place;
        Some((place.chat.to_string(), place.kind, place.topic.map(|topic| topic.id.to_string())))
    };
    let here =
        |chat: &str, topic: Option<&str>| Some((chat.to_owned(), ChatKind::Group, topic.map(str::to_owned)));
    assert_eq!(
        place(json!({"channel_id": "20", "channel": {"id": "20", "type": 0, "parent_id": "19"}})),
        here("20", None)
    );
    assert_eq!(place(json!({"channel_id": "21", "channel": null})), here("20", Some("21")));
    assert_eq!(
        place(json!({"channel_id": "21", "channel": {"id": "21", "type": 11}})),
        here("20", Some("21"))
    );
    assert_eq!(place(json!({"channel_id": "99", "channel": null})), here("99", None));
    assert_eq!(place(json!({"channel_id": null})), here("22", Some("23")));
    let alone = json!({"guild_id": null, "member": null, "user": ada(), "channel_id": "50", "channel": {"id": "50", "type": 1}});
    assert_eq!(place(alone.clone()), Some(("50".to_owned(), ChatKind::Direct, None)));
    assert_eq!(place(joined(alone.clone(), &json!({"channel": {"id": "50", "type": 3}}))), None);
    assert_eq!(place(joined(alone, &json!({"user": null}))), None);
}

#[test]
fn a_press_says_who_pressed_what_and_where() {
    let press = |data: Value, flags: u8| {
        let message = json!({"message": {"id": "70", "flags": flags, "content": "pick"}});
        let read = read_as(&us(), "INTERACTION_CREATE", &call(3, data, message)).unwrap();
        (read.kind, Handle::read(&read.message).unwrap())
    };
    let query = answered_by().query();
    let pressed = |data: &str| InboundKind::Press { data: data.to_owned(), query: query.clone() };
    let button = |id: &str| json!({"component_type": 2, "custom_id": id});
    assert_eq!(press(button("run:1"), 0), (pressed("run:1"), Handle::Message(70)));
    let private = Handle::Private { through: answered_by(), message: 70 };
    assert_eq!(press(button("run:1"), 64), (pressed("run:1"), private));
    let chosen = json!({"component_type": 3, "custom_id": "menu", "values": ["think:high"]});
    assert_eq!(press(chosen, 0).0, pressed("think:high"));
    let halt = InboundKind::Halt { stream: -5, query: Some(query.clone()) };
    assert_eq!(press(button("halt:-5"), 0).0, halt);
    assert_eq!(press(button("halt:x"), 0).0, pressed("halt:x"));
    for (kind, data, more) in [
        (3, button("run:1"), json!({"message": null})),
        (3, json!({}), json!({"message": {"id": "70"}})),
        (5, json!({"custom_id": "form"}), json!({"message": {"id": "70"}})),
        (1, json!(null), json!({})),
        (2, json!({}), json!({})),
        (9, button("x"), json!({"message": {"id": "70"}})),
    ] {
        assert_eq!(read_as(&us(), "INTERACTION_CREATE", &call(kind, data, more)), None, "{kind}");
    }
}

#[test]
fn a_command_that_is_being_typed_asks_for_the_value_under_the_cursor() {
    let asks = |kind: u8, options: Value| {
        let data = call(kind, json!({"name": "think", "options": options}), json!({}));
        let Event::Interaction(call) = wire::event("INTERACTION_CREATE", &data.to_string()).unwrap() else {
            panic!()
        };
        asked(&us(), &book(), &call)
    };
    let (interaction, asked) =
        asks(4, json!([{"name": "other", "value": "z"}, {"name": "level", "value": "hi", "focused": true}]))
            .unwrap();
    assert_eq!(interaction, answered_by());
    let place = asked.place.clone();
    let sender = Sender { id: "7".into(), name: "Countess".to_owned(), roles: vec!["16".into()] };
    assert_eq!(place.topic.as_ref().unwrap().id.as_str(), "23");
    assert_eq!(asked, Asked { place, sender, command: "think".to_owned(), typed: "hi".to_owned() });
    let number = asks(4, json!([{"name": "cap", "type": 4, "value": 20, "focused": true}])).unwrap();
    assert_eq!(number.1.typed, "20");
    assert_eq!(asks(4, json!([{"name": "level", "value": "hi"}])), None);
    assert_eq!(asks(2, json!([{"name": "level", "value": "hi", "focused": true}])), None);
}
