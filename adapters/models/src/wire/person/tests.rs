//! What people send along, alone and in every shape.

use std::sync::Arc;

use pensive_contract::model::ModelRequest;
use pensive_contract::speech::{PieceKind, ToolCall, ToolOutcome};
use proptest::prelude::*;
use serde::Serialize;
use serde_json::json;

use super::*;
use crate::history::{self, Form, Refused, Seals};
use crate::wire::tests::{knobs, request};
use crate::wire::{Cache, Call, Usage, gemini, messages, ollama, openai_chat, openai_responses};

/// Three bytes of that kind.
pub(crate) fn media(kind: MediaKind, mime: &str, name: Option<&str>) -> Media {
    Media { kind, mime: mime.into(), name: name.map(str::to_owned), bytes: Arc::from(*b"abc") }
}

/// A picture whose bytes are `YWJj` in base64.
pub(crate) fn picture() -> Media {
    media(MediaKind::Image, "image/png", None)
}

/// A PDF with that name.
pub(crate) fn pdf() -> Media {
    media(MediaKind::Document, "application/pdf", Some("plan.pdf"))
}

/// A voice message.
pub(crate) fn voice() -> Media {
    media(MediaKind::Audio, "audio/ogg", None)
}

/// A picture, a document and a recording with words, an answer, and a picture without any.
pub(crate) fn conversation() -> Vec<PromptTurn> {
    vec![
        PromptTurn::Media(vec![picture(), pdf(), voice()]),
        PromptTurn::User("Look".into()),
        PromptTurn::Assistant(Speech::text_only(None, "Nice")),
        PromptTurn::Media(vec![picture()]),
    ]
}

/// What stands for the recording where nobody listens.
pub(crate) const UNHEARD: &str =
    "[The person also sent a recording (audio/ogg, 1 KiB), which this model cannot be given.]";

fn shown(list: &[Turn<'_>]) -> Vec<String> {
    let part = |part: &Part<'_>| match part {
        Part::Text(text) => text.to_string(),
        Part::Media(media) => format!("<{}>", media.mime),
    };
    let turn = |turn: &Turn<'_>| match turn {
        Turn::Person(parts) => parts.iter().map(part).collect::<Vec<_>>().join(" + "),
        Turn::Model(speech) => format!("model: {}", speech.text()),
        Turn::Tools(results) => format!("{} results", results.len()),
    };
    list.iter().map(turn).collect()
}

#[test]
fn what_is_sent_and_the_words_behind_it_are_one_turn() {
    let user = |text: &str| PromptTurn::User(text.into());
    let model = || PromptTurn::Assistant(Speech::text_only(None, "ok"));
    let sent = || PromptTurn::Media(vec![picture(), pdf()]);
    let check = |list: &[PromptTurn], expected: &[&str]| {
        assert_eq!(shown(&turns(list, |_| true)), expected, "{list:?}");
    };
    check(&[user("a"), user("b")], &["a", "b"]);
    check(&[sent(), user("a")], &["<image/png> + <application/pdf> + a"]);
    check(&[user("a"), sent(), user("b")], &["a", "<image/png> + <application/pdf> + b"]);
    check(&[sent()], &["<image/png> + <application/pdf>"]);
    check(
        &[sent(), PromptTurn::Media(vec![voice()]), user("a"), model()],
        &["<image/png> + <application/pdf> + <audio/ogg> + a", "model: ok"],
    );
    check(&[sent(), model(), user("a")], &["<image/png> + <application/pdf>", "model: ok", "a"]);
    check(&[PromptTurn::Tools(Vec::new()), PromptTurn::Media(Vec::new())], &["0 results"]);
}

#[test]
fn what_has_no_place_is_told() {
    let list = [PromptTurn::Media(vec![voice(), picture()]), PromptTurn::User("a".into())];
    let told = turns(&list, is_common_picture);
    assert_eq!(shown(&told), [format!("{UNHEARD} + <image/png> + a")]);
    let told = turns(&list, |_| false);
    let Some(Turn::Person(parts)) = told.first() else { panic!("no person") };
    let picture = "[The person also sent a picture (image/png, 1 KiB), which this model cannot be given.]";
    assert_eq!(words(parts).unwrap(), format!("{UNHEARD}\n\n{picture}\n\na"));
}

#[test]
fn titles() {
    let check = |name: Option<&str>, expected: &str| {
        assert_eq!(title(&media(MediaKind::Document, "application/pdf", name)), expected, "{name:?}");
    };
    check(None, "document.pdf");
    check(Some(" "), "document.pdf");
    check(Some("plan.pdf"), "plan.pdf");
    check(Some("a\nb\".pdf"), "ab\".pdf");
    assert_eq!(title(&media(MediaKind::Document, "", Some(&"ü".repeat(300)))).chars().count(), 50);
}

proptest! {
    #[test]
    fn base64_is_that_of_the_crate(bytes: Vec<u8>) {
        use base64::Engine as _;
        let expected = STANDARD.encode(&bytes);
        prop_assert_eq!(Encoded::length(&bytes), expected.len());
        prop_assert_eq!(serde_json::to_value(Encoded(&bytes)).unwrap(), json!(expected));
        let media = Media { bytes: bytes.into(), ..picture() };
        let url = format!("\"data:image/png;base64,{expected}\"");
        prop_assert_eq!(serde_json::to_string(&DataUrl(&media)).unwrap(), url);
    }
}

fn turn() -> impl Strategy<Value = PromptTurn> {
    let kind = prop_oneof![
        Just((MediaKind::Image, "image/png")),
        Just((MediaKind::Image, "image/gif")),
        Just((MediaKind::Audio, "audio/ogg")),
        Just((MediaKind::Document, "application/pdf")),
        Just((MediaKind::Document, "application/zip")),
    ];
    let sent = proptest::collection::vec(kind.prop_map(|(kind, mime)| media(kind, mime, None)), 0..3);
    let called = PieceKind::Call(ToolCall { id: "c".into(), name: "look".into(), arguments: "{}".into() });
    let came =
        ToolResult { id: "c".into(), name: "look".into(), text: "1".into(), outcome: ToolOutcome::Done };
    prop_oneof![
        3 => sent.prop_map(PromptTurn::Media),
        2 => "[a ]{0,2}".prop_map(PromptTurn::User),
        1 => Just(PromptTurn::Assistant(Speech::text_only(None, "ok"))),
        1 => Just(PromptTurn::Assistant(Speech { model: None, pieces: vec![called.into()] })),
        1 => Just(PromptTurn::Tools(vec![came])),
    ]
}

/// The body that a shape makes of the turns.
fn written<'a, B: Serialize>(request: &'a ModelRequest, encode: impl Fn(Call<'a>) -> B) -> String {
    let knobs = Box::leak(Box::new(knobs(&[])));
    let call = Call { request, knobs, cache: Cache::Keyed, usage: Usage::Asked };
    serde_json::to_string(&encode(call)).unwrap()
}

proptest! {
    #[test]
    fn in_every_shape_each_thing_stands_once_or_is_told(mut turns in proptest::collection::vec(turn(), 0..10)) {
        // Each has bytes of its own, so that it is known again.
        let all = turns.iter_mut().filter_map(|turn| match turn {
            PromptTurn::Media(media) => Some(media),
            PromptTurn::User(_) | PromptTurn::Assistant(_) | PromptTurn::Tools(_) => None,
        });
        let mut marks = Vec::new();
        for media in all.flatten() {
            let bytes = format!("m{:05}", marks.len());
            marks.push(serde_json::to_string(&Encoded(bytes.as_bytes())).unwrap().replace('"', ""));
            media.bytes = bytes.into_bytes().into();
        }
        let refused = Refused::default();
        let asked = history::repaired(ModelRequest { turns, ..request() }, Seals::Own(&refused), Form::Word);
        for body in [
            written(&asked, openai_responses::encode),
            written(&asked, openai_chat::encode),
            written(&asked, messages::encode),
            written(&asked, gemini::encode),
            written(&asked, ollama::encode),
        ] {
            let stand: Vec<usize> = marks.iter().map(|mark| body.matches(mark).count()).collect();
            let told = body.matches("[The person also sent").count();
            prop_assert!(stand.iter().all(|times| *times <= 1), "{body}");
            prop_assert_eq!(stand.iter().sum::<usize>() + told, marks.len(), "{}", body);
        }
    }
}
