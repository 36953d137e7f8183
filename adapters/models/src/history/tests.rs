//! Broken histories and what becomes of them.

use pensive_contract::media::MediaKind;
use pensive_contract::model::{Manner, Pace, Params, ToolChoice};
use pensive_contract::speech::Seal;
use pensive_directives::Level;
use proptest::prelude::*;

use super::*;

fn named(id: &str) -> ModelRef {
    ModelRef { provider: "p".into(), id: id.into() }
}

fn request(turns: Vec<PromptTurn>) -> ModelRequest {
    ModelRequest {
        model: named("own"),
        system: String::new(),
        turns,
        tools: Vec::new(),
        choice: ToolChoice::Auto,
        manner: Manner { thinking: Level::Off, pace: Pace::Normal, params: Params::default() },
        session: String::new(),
    }
}

fn user(text: &str) -> PromptTurn {
    PromptTurn::User(text.into())
}

fn said(model: &str, pieces: &[Piece]) -> PromptTurn {
    PromptTurn::Assistant(Speech { model: Some(named(model)), pieces: pieces.to_vec() })
}

fn text(text: &str) -> Piece {
    PieceKind::Text(text.into()).into()
}

fn thought(words: &str) -> Piece {
    PieceKind::Reasoning(words.into()).into()
}

fn sealed(piece: Piece) -> Piece {
    Piece { seal: Some(Seal("s".into())), ..piece }
}

fn asks(id: &str, name: &str, arguments: &str) -> Piece {
    PieceKind::Call(ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }).into()
}

fn calls(id: &str) -> Piece {
    asks(id, "look", "{}")
}

fn came(id: &str, text: &str) -> ToolResult {
    ToolResult { id: id.into(), name: "look".into(), text: text.into(), outcome: ToolOutcome::Done }
}

fn unfinished(id: &str) -> ToolResult {
    ToolResult { outcome: ToolOutcome::Failed, ..came(id, UNFINISHED) }
}

fn tools(results: &[ToolResult]) -> PromptTurn {
    PromptTurn::Tools(results.to_vec())
}

fn check(turns: &[PromptTurn], expected: &[PromptTurn]) {
    assert_eq!(
        repaired(request(turns.to_vec()), Seals::Own(&Refused::default()), Form::Word).turns,
        expected
    );
}

#[test]
fn a_sound_history_stays_as_it_is() {
    let sound = [
        user("Hi"),
        said("own", &[sealed(thought("Hm.")), text("Let me see."), calls("a"), calls("b")]),
        tools(&[came("a", "1"), came("b", "2")]),
        said("own", &[calls("c")]),
        tools(&[came("c", "")]),
        user("Well?"),
        said("own", &[text("So.")]),
        user("Bye"),
    ];
    check(&sound, &sound);
}

#[test]
fn prov_10_split_late_and_disordered_results_stand_behind_their_calls() {
    check(
        &[
            user("Hi"),
            said("own", &[calls("a"), calls("b"), calls("c")]),
            tools(&[came("c", "3")]),
            user("Hurry"),
            tools(&[came("a", "1")]),
            said("own", &[text("Wait.")]),
            tools(&[came("b", "2")]),
            user("Well?"),
        ],
        &[
            user("Hi"),
            said("own", &[calls("a"), calls("b"), calls("c")]),
            tools(&[came("a", "1"), came("b", "2"), came("c", "3")]),
            user("Hurry"),
            said("own", &[text("Wait.")]),
            user("Well?"),
        ],
    );
}

#[test]
fn prov_10_the_same_name_twice_is_renamed_with_its_result() {
    let mut ids = Ids::new(Form::Word);
    ids.settle("a");
    let again = ids.settle("a");
    check(
        &[
            user("Hi"),
            said("own", &[calls("a"), calls("a")]),
            tools(&[came("a", "1"), came("a", "2"), came("a", "again")]),
        ],
        &[user("Hi"), said("own", &[calls("a"), calls(&again)]), tools(&[came("a", "1"), came(&again, "2")])],
    );
    check(
        &[user("Hi"), said("own", &[calls("a")]), said("own", &[calls("a")]), tools(&[came("a", "2")])],
        &[
            user("Hi"),
            said("own", &[calls("a")]),
            tools(&[unfinished("a")]),
            said("own", &[calls(&again)]),
            tools(&[came(&again, "2")]),
        ],
    );
}

#[test]
fn a_call_without_result_failed_and_a_result_without_call_goes() {
    check(
        &[
            tools(&[came("x", "0")]),
            user("Hi"),
            said("own", &[calls("a"), calls("b")]),
            tools(&[came("b", "2"), came("y", "3")]),
        ],
        &[user("Hi"), said("own", &[calls("a"), calls("b")]), tools(&[unfinished("a"), came("b", "2")])],
    );
}

#[test]
fn empty_turns_go_and_what_the_model_said_around_them_joins() {
    check(
        &[
            said("own", &[text("I begin."), calls("a")]),
            tools(&[came("a", "1")]),
            user("One"),
            said("own", &[thought("Hm."), text(" \n")]),
            user(" "),
            user("Two"),
            said("own", &[text("Yes"), text("")]),
            user(""),
            said("own", &[sealed(thought("More.")), text("and no.")]),
            user("Three"),
            said("own", &[sealed(thought("Nothing said."))]),
        ],
        &[
            user("One"),
            user("Two"),
            said("own", &[text("Yes"), sealed(thought("More.")), text("and no.")]),
            user("Three"),
        ],
    );
}

#[test]
fn prov_01_seals_and_reasoning_of_other_models_stay_behind() {
    let pieces = [sealed(thought("Hm.")), thought("So."), sealed(text("Yes.")), sealed(calls("a"))];
    let plain = [text("Yes."), calls("a")];
    let turns = |own: &[Piece], other: &[Piece]| {
        [
            user("1"),
            said("own", own),
            tools(&[came("a", "1")]),
            user("2"),
            said("other", other),
            tools(&[came("b", "1")]),
        ]
    };
    let b = |pieces: &[Piece]| [pieces.split_last().unwrap().1, &[calls("b")]].concat();
    let mut other = b(&pieces);
    other.last_mut().unwrap().seal = Some(Seal("s".into()));
    check(&turns(&pieces, &other), &turns(&pieces, &b(&plain)));
    let stripped = repaired(request(turns(&pieces, &other).to_vec()), Seals::None, Form::Word).turns;
    assert_eq!(stripped, turns(&plain, &b(&plain)));
    let mut unknown = Speech::text_only(None, "Yes.");
    unknown.pieces.insert(0, sealed(thought("Hm.")));
    check(
        &[user("1"), PromptTurn::Assistant(unknown)],
        &[user("1"), PromptTurn::Assistant(Speech::text_only(None, "Yes."))],
    );
}

#[test]
fn prov_01_what_was_refused_once_stays_behind_and_what_came_later_does_not() {
    let refused = Refused::default();
    let stale = [sealed(thought("Hm.")), sealed(text("Yes.")), thought("So.")];
    let fresh = Piece { seal: Some(Seal("fresh".into())), ..thought("Well.") };
    refused.learn(&request(vec![user("1"), said("own", &stale)]));
    let turns = |stale: &[Piece]| {
        vec![user("1"), said("own", stale), user("2"), said("own", &[fresh.clone(), text("No.")])]
    };
    let sent = repaired(request(turns(&stale)), Seals::Own(&refused), Form::Word).turns;
    assert_eq!(sent, turns(&[text("Yes."), thought("So.")]));
}

#[test]
fn arguments_are_an_object_and_names_are_words() {
    let check = |name: &str, arguments: &str, expected: Piece| {
        let turns = vec![user("Hi"), said("own", &[asks("a", name, arguments)])];
        let turns = repaired(request(turns), Seals::Own(&Refused::default()), Form::Word).turns;
        assert_eq!(turns[1], said("own", std::slice::from_ref(&expected)), "{name} {arguments}");
        let (PieceKind::Call(call), PromptTurn::Tools(results)) = (expected.kind, &turns[2]) else {
            panic!()
        };
        assert_eq!(results[0].name, call.name);
    };
    check("look", r#"{ "a": [1.0] }"#, asks("a", "look", r#"{ "a": [1.0] }"#));
    for none in ["", " ", "null"] {
        check("look", none, asks("a", "look", "{}"));
    }
    check("look", "[]", asks("a", "look", r#"{"arguments":"[]"}"#));
    check("look", "{\"a\":", asks("a", "look", r#"{"arguments":"{\"a\":"}"#));
    check("functions.look up", "{}", asks("a", "functions_look_up", "{}"));
    check("", "{}", asks("a", "unnamed", "{}"));
    check(&"ä".repeat(70), "{}", asks("a", &"_".repeat(64), "{}"));
}

#[test]
fn names_of_calls_have_the_form_that_the_provider_demands() {
    let check = |form, id: &str, stays: bool| {
        let given = Ids::new(form).settle(id);
        assert_eq!(given == id, stays, "{form:?} {id}");
        assert!(form.takes(&given), "{form:?} {id} {given}");
        assert_eq!(given, Ids::new(form).settle(id), "the same history looks the same");
    };
    for (id, short, word, nine) in [
        ("toolu_01D7FLrfh4GYq7yT1ULFeyMV", true, true, false),
        ("functions.look:0", true, false, false),
        ("D681PevKs", true, true, true),
        ("", false, false, false),
        ("two words", false, false, false),
        ("ä", false, false, false),
        (&"c".repeat(41), false, true, false),
        (&"c".repeat(65), false, false, false),
    ] {
        check(Form::Short, id, short);
        check(Form::Word, id, word);
        check(Form::Nine, id, nine);
    }
}

fn piece() -> impl Strategy<Value = Piece> {
    let kind = prop_oneof![
        "[a ]{0,2}".prop_map(PieceKind::Text),
        "[a ]{0,2}".prop_map(PieceKind::Reasoning),
        ("[ab.]{0,2}", "[f.]{0,2}", "(\\{\\})?|null")
            .prop_map(|(id, name, arguments)| { PieceKind::Call(ToolCall { id, name, arguments }) }),
    ];
    (kind, proptest::option::of("s".prop_map(Seal))).prop_map(|(kind, seal)| Piece { kind, seal })
}

fn turn() -> impl Strategy<Value = PromptTurn> {
    let model = prop_oneof![Just(None), Just(Some(named("own"))), Just(Some(named("other")))];
    let speech = (model, proptest::collection::vec(piece(), 0..4))
        .prop_map(|(model, pieces)| PromptTurn::Assistant(Speech { model, pieces }));
    let result = "[ab.]{0,2}".prop_map(|id| came(&id, "1"));
    prop_oneof![
        "[a ]{0,2}".prop_map(PromptTurn::User),
        proptest::collection::vec(media(), 0..3).prop_map(PromptTurn::Media),
        speech,
        proptest::collection::vec(result, 0..4).prop_map(PromptTurn::Tools),
    ]
}

fn media() -> impl Strategy<Value = Media> {
    let bytes = proptest::collection::vec(0..3_u8, 0..3);
    bytes.prop_map(|bytes| Media {
        kind: MediaKind::Image,
        mime: "image/png".into(),
        name: None,
        bytes: bytes.into(),
    })
}

/// What people sent and said, in order: all of it that is anything.
fn persons(turns: &[PromptTurn]) -> Vec<String> {
    let said = |turn: &PromptTurn| match turn {
        PromptTurn::User(text) if !text.trim().is_empty() => vec![text.clone()],
        PromptTurn::Media(media) => {
            let real = media.iter().filter(|media| !media.bytes.is_empty());
            real.map(|media| format!("{:?}", media.bytes)).collect()
        }
        PromptTurn::User(_) | PromptTurn::Assistant(_) | PromptTurn::Tools(_) => Vec::new(),
    };
    turns.iter().flat_map(said).collect()
}

/// Whether a turn may stand behind the one before it.
fn follows(before: Option<&PromptTurn>, turn: &PromptTurn) -> bool {
    match (before, turn) {
        (
            None | Some(PromptTurn::Tools(_) | PromptTurn::User(_) | PromptTurn::Media(_)),
            PromptTurn::User(_) | PromptTurn::Media(_),
        ) => true,
        (Some(PromptTurn::Assistant(speech)), PromptTurn::User(_) | PromptTurn::Media(_)) => {
            speech.calls().next().is_none()
        }
        (
            Some(PromptTurn::User(_) | PromptTurn::Media(_) | PromptTurn::Tools(_)),
            PromptTurn::Assistant(_),
        ) => true,
        (Some(PromptTurn::Assistant(speech)), PromptTurn::Tools(results)) => {
            !results.is_empty()
                && speech.calls().map(|call| &call.id).eq(results.iter().map(|result| &result.id))
        }
        _ => false,
    }
}

proptest! {
    #[test]
    fn any_history_becomes_one_that_providers_take(
        turns in proptest::collection::vec(turn(), 0..12),
        keeps_seals: bool,
        form in prop_oneof![Just(Form::Short), Just(Form::Word), Just(Form::Nine)],
    ) {
        let refused = Refused::default();
        let seals = if keeps_seals { Seals::Own(&refused) } else { Seals::None };
        let sent = persons(&turns);
        let once = repaired(request(turns), seals, form);
        prop_assert_eq!(persons(&once.turns), sent, "what people sent neither disappears nor doubles");
        let mut before = None;
        let mut ids = std::collections::BTreeSet::new();
        for turn in &once.turns {
            prop_assert!(follows(before, turn), "{before:?} {turn:?}");
            before = Some(turn);
            let PromptTurn::Assistant(speech) = turn else { continue };
            prop_assert!(!speech.text().trim().is_empty() || speech.calls().next().is_some());
            for call in speech.calls() {
                prop_assert!(form.takes(&call.id) && ids.insert(call.id.clone()));
            }
            let is_own = speech.model == Some(named("own")) && keeps_seals;
            prop_assert!(is_own || speech.pieces.iter().all(|piece| piece.seal.is_none()));
        }
        prop_assert!(before.is_none_or(|last| !matches!(last, PromptTurn::Assistant(speech) if speech.calls().next().is_some())));
        let twice = repaired(once.clone(), seals, form);
        prop_assert_eq!(twice, once);
    }
}
