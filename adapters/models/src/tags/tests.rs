//! The rows of the contract, the faults that people met, and that the cutting of the text does not matter.

use pensive_contract::model::{ModelEvent, Recast};
use pensive_contract::speech::{Piece, PieceKind, Seal, Speech, ToolCall};
use proptest::prelude::*;

use super::{Between, TagFilter, untagged};

/// The answer and the reasoning as a reader of the events has them in the end.
fn read<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
    let (mut filter, mut events) = (TagFilter::default(), Vec::new());
    for piece in pieces {
        filter.push(piece.to_owned(), &mut events);
    }
    filter.finish(&mut events);
    let (mut answer, mut reasoning) = (String::new(), String::new());
    for event in events {
        match event {
            ModelEvent::Text(text) => answer.push_str(&text),
            ModelEvent::Reasoning(text) => reasoning.push_str(&text),
            ModelEvent::Recast(Recast::TextWasReasoning) => reasoning.push_str(&std::mem::take(&mut answer)),
            ModelEvent::Recast(Recast::ReasoningWasText) => reasoning.clear(),
            ModelEvent::Learned(_)
            | ModelEvent::Call(_)
            | ModelEvent::Seal(_)
            | ModelEvent::Usage(_)
            | ModelEvent::End(_) => unreachable!("the filter makes none"),
        }
    }
    (answer, reasoning)
}

fn letters(text: &str) -> impl Iterator<Item = &str> {
    text.split("").filter(|letter| !letter.is_empty())
}

fn check(text: &str, answer: &str, reasoning: &str) {
    let expected = (answer.to_owned(), reasoning.to_owned());
    assert_eq!(read([text]), expected, "{text:?}");
    assert_eq!(read(letters(text)), expected, "{text:?} letter by letter");
}

#[test]
fn rsn_16_a_whole_text_loses_what_tags_mark_as_reasoning() {
    let check = |text: &str, expected: &str| assert_eq!(untagged(text), expected, "{text}");
    check("<think>a</think>b", "b");
    check("b <think>a", "b ");
    check("<thinking>all of it", "all of it");
    check("a</think>b", "b");
    check("`<think>` is a tag, a<b", "`<think>` is a tag, a<b");
    check("<thinking/>", "");
}

#[test]
fn the_table() {
    check("<think>a</think>b", "b", "a");
    check("b <think>a", "b ", "a");
    check("<think>a b\nc", "a b\nc", "");
    check("a</think>b", "b", "a");
    check("b</think>", "b", "");
    check("<think>a<think>b</think>c</think>d", "d", "abc");
    check("just text", "just text", "");
    check("", "", "");
}

#[test]
fn names_attributes_and_case() {
    for name in
        ["think", "thinking", "thought", "antthinking", "antml:think", "mm:thought", "THINK", "Mm:Think"]
    {
        check(&format!("<{name}>a</{name}>b"), "b", "a");
        check(&format!("< {name} kind='x' >a</ {name} >b"), "b", "a");
    }
    check("<final>b</final>", "b", "");
    check("<think>a</think>\n<final>\nb</final>", "b", "a");
}

#[test]
fn blanks_around_a_block_go_with_it() {
    check("\n <think>\na\n</think>\n\nb", "b", "\na\n");
    check("b\n<think>a</think>\nc", "b\nc", "a");
    check("b <think>a</think> c", "b c", "a");
    check("b<think>a</think> c", "b c", "a");
    check("    indented\n  <b>", "    indented\n  <b>", "");
    check("<think></think>\n", "", "");
}

#[test]
fn rsn_02_vendor_variants_are_known_at_the_start() {
    check("<mm:think>plan</mm:think>\n\nHello", "Hello", "plan");
    check("<thinking>plan</thinking>Hello", "Hello", "plan");
}

#[test]
fn rsn_04_text_about_the_tag_and_code_stay() {
    for text in [
        "You ask what <think> means.",
        "Write `<think>` and `</think>` around it.",
        "```xml\n<think>\nplan\n</think>\n```\nDone.",
        "~~~\n</think>\n~~~\nDone.",
        "The tag <think>, when unclosed, is odd.",
        "a < b and b > a, <thinker>, <think about it>",
    ] {
        check(text, text, "");
    }
    check("<think>it says `</think>` here</think>b", "b", "it says `</think>` here");
}

#[test]
fn rsn_05_only_a_tag_at_the_start_may_be_unclosed_reasoning() {
    let text = "One.\nTwo.\nA line with \"<think\" in it.\nFour.";
    check(text, text, "");
    let text = "One.\nThe <think> tag.\nThree.";
    check(text, text, "");
}

#[test]
fn rsn_06_text_before_a_lone_closer_is_reasoning() {
    check("plan... </think> Answer", "Answer", "plan... ");
    check("plan\n</think>\n\nAnswer", "Answer", "plan\n");
    check("plan </think> Answer </think>", "Answer ", "plan ");
    check("</think>Answer", "Answer", "");
    check("one</think><think>two</think>Answer", "Answer", "twoone");
}

#[test]
fn rsn_08_a_tag_in_pieces_never_shows() {
    let (mut filter, mut events) = (TagFilter::default(), Vec::new());
    for piece in ["<th", "ink>pl", "an</", "thi", "nk>", "Hel", "lo <", "b"] {
        filter.push(piece.to_owned(), &mut events);
        for event in &events {
            let (ModelEvent::Text(text) | ModelEvent::Reasoning(text)) = event else { panic!("{event:?}") };
            assert!(!text.contains("th") && !text.contains("ink"), "{text}");
        }
    }
    assert_eq!(events.last(), Some(&ModelEvent::Text("<b".to_owned())));
}

#[test]
fn rsn_20_a_tag_that_closes_itself_is_empty_reasoning() {
    check("<thinking/>b", "b", "");
    check("a <think/>b", "a b", "");
    check("<thinking />", "", "");
}

#[test]
fn a_reply_is_never_emptied() {
    check("<think>all of it", "all of it", "");
    check("<think>all of it</thi", "all of it</thi", "");
    check("<think>one</think><think>two", "two", "");
    check("<think>the <think> tag\n</think>\nb", "b", "the  tag\n");
    check("<", "<", "");
    check("<think", "<think", "");
}

#[test]
fn a_closer_on_its_own_line_counts_whatever_is_open() {
    check("<think>an odd ` here\nand ```\n</think>b", "b", "an odd ` here\nand ```\n");
}

#[test]
fn reasoning_that_breaks_off_is_no_answer() {
    let cut = |text: &str| {
        let (mut filter, mut events) = (TagFilter::default(), Vec::new());
        filter.push(text.to_owned(), &mut events);
        filter.cut(&mut events);
        events
    };
    assert_eq!(cut("<think>plan"), [ModelEvent::Reasoning("plan".to_owned())]);
    assert_eq!(cut("the <think> tag")[1], ModelEvent::Text("<think> tag".to_owned()));
    assert_eq!(cut("Hello <thi")[1], ModelEvent::Text("<thi".to_owned()));
}

#[test]
fn reasoning_streams() {
    let (mut filter, mut events) = (TagFilter::default(), Vec::new());
    filter.push("<think>a".to_owned(), &mut events);
    assert_eq!(events, [ModelEvent::Reasoning("a".to_owned())]);
}

/// Texts made of what matters to the filter.
fn tricky() -> impl Strategy<Value = String> {
    let atom = prop_oneof![
        Just("<think>"),
        Just("</think>"),
        Just("<think/>"),
        Just("<final>"),
        Just("<mm:thought a='`'>"),
        Just("<"),
        Just("<th"),
        Just("/"),
        Just(">"),
        Just("`"),
        Just("```"),
        Just("~~~"),
        Just("\n"),
        Just(" "),
        Just("a"),
        Just("ä."),
        Just("😀"),
        Just("\r\n"),
    ];
    proptest::collection::vec(atom, 0..30).prop_map(|atoms| atoms.concat())
}

/// The text in pieces of so many characters, over and over.
fn pieces<'a>(text: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    for cut in cuts.iter().cycle() {
        let Some((end, _)) = rest.char_indices().nth(*cut) else { break };
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same(text in tricky(), cuts in proptest::collection::vec(1..7_usize, 1..30)) {
        let whole = read([text.as_str()]);
        prop_assert_eq!(read(letters(&text)), whole.clone());
        prop_assert_eq!(read(pieces(&text, &cuts)), whole);
    }

    #[test]
    fn any_chunking_of_any_text_gives_the_same(
        texts in proptest::collection::vec(prop_oneof!["\\PC{0,12}", tricky()], 0..6),
        cuts in proptest::collection::vec(1..9_usize, 1..12),
    ) {
        let text = texts.concat();
        prop_assert_eq!(read(pieces(&text, &cuts)), read([text.as_str()]));
    }

    #[test]
    fn nothing_visible_is_lost(text in tricky()) {
        let count = |text: &str| text.chars().filter(|c| matches!(c, 'ä' | '😀')).count();
        let (mut filter, mut events) = (TagFilter::default(), Vec::new());
        filter.push(text.clone(), &mut events);
        filter.finish(&mut events);
        let given = events.iter().map(|event| match event {
            ModelEvent::Text(words) | ModelEvent::Reasoning(words) => count(words),
            _ => 0,
        });
        // What was given as reasoning may be given once more, as the answer.
        let is_recast = events.contains(&ModelEvent::Recast(Recast::ReasoningWasText));
        let (given, written) = (given.sum::<usize>(), count(&text));
        prop_assert!(given == written || (is_recast && given > written), "{events:?}");
    }

    #[test]
    fn a_reply_without_a_closed_stretch_is_never_empty(text in tricky()) {
        if !text.contains("</think>") && !text.contains("< ") && text.contains('ä') {
            prop_assert!(!read([text.as_str()]).0.trim().is_empty());
        }
    }

    #[test]
    fn text_without_angles_passes_at_once(text in "[a-z `~\n.*]{0,60}") {
        let (mut filter, mut events) = (TagFilter::default(), Vec::new());
        for letter in letters(&text) {
            filter.push(letter.to_owned(), &mut events);
        }
        let shown: String = events.into_iter().map(|event| match event {
            ModelEvent::Text(text) => text,
            other => panic!("{other:?}"),
        }).collect();
        // Nothing is held back but blanks before anything visible.
        let expected = if text.trim().is_empty() { "" } else { text.as_str() };
        prop_assert_eq!(shown, expected);
    }

    #[test]
    fn nothing_is_lost_without_tags(text in "[a-z<>/ \n]{0,60}") {
        let is_plain = !text.contains("think") && !text.contains("thought") && !text.contains("final");
        if is_plain && !text.trim().is_empty() {
            prop_assert_eq!(read([text.as_str()]), (text.clone(), String::new()));
        }
    }
}

/// What a filter makes of texts with something else than text between them.
fn between(pieces: &[Result<&str, Between>], expected: &[ModelEvent]) {
    let (mut filter, mut out) = (TagFilter::default(), Vec::new());
    for piece in pieces {
        match piece {
            Ok(text) => filter.push((*text).to_owned(), &mut out),
            Err(what) => {
                filter.between(*what, &mut out);
                out.push(match what {
                    Between::Reasoning => ModelEvent::Reasoning("|".into()),
                    Between::Call => CALL,
                    Between::Seal => ModelEvent::Seal(Seal(String::new())),
                });
            }
        }
    }
    filter.finish(&mut out);
    assert_eq!(out, expected, "{pieces:?}");
}

const CALL: ModelEvent =
    ModelEvent::Call(ToolCall { id: String::new(), name: String::new(), arguments: String::new() });

#[test]
fn rsn_09_reasoning_before_a_call_is_reasoning_closed_or_not() {
    let (text, thought) = (|t: &str| ModelEvent::Text(t.into()), |t: &str| ModelEvent::Reasoning(t.into()));
    let call = Err(Between::Call);
    between(&[Ok("<think>a</think>"), call], &[thought("a"), CALL]);
    between(&[Ok("<think>a"), call], &[thought("a"), CALL]);
    between(&[Ok("b\n<think>a"), call], &[text("b\n"), thought("a"), CALL]);
    between(&[Ok("<think>a"), call, Ok("c</think>b")], &[thought("a"), CALL, thought("c"), text("b")]);
    between(&[Ok("<think>a"), call, Ok("c")], &[thought("a"), CALL, thought("c")]);
    let was_thought = || ModelEvent::Recast(Recast::TextWasReasoning);
    between(&[Ok("a</think>\n"), call, Ok("\nb")], &[text("a"), was_thought(), CALL, text("b")]);
    between(&[Ok("a</think>b"), call], &[text("a"), was_thought(), text("b"), CALL]);
    between(&[Ok("\n\n"), call, Ok("b")], &[CALL, text("b")]);
}

#[test]
fn what_may_become_a_tag_stands_before_what_comes_after_it() {
    let text = |t: &str| ModelEvent::Text(t.into());
    between(&[Ok("1 <"), Err(Between::Call), Ok("think>")], &[text("1 "), text("<"), CALL, text("think>")]);
    let seal = || ModelEvent::Seal(Seal(String::new()));
    between(&[Ok("1 <thi"), Err(Between::Seal)], &[text("1 "), text("<thi"), seal()]);
    let bar = || ModelEvent::Reasoning("|".into());
    between(
        &[Ok("1 <"), Err(Between::Reasoning), Err(Between::Seal), Ok("a")],
        &[text("1 "), text("<"), bar(), seal(), text("a")],
    );
}

#[test]
fn blanks_under_a_seal_are_given() {
    let seal = || ModelEvent::Seal(Seal(String::new()));
    between(&[Ok("\n"), Err(Between::Seal)], &[ModelEvent::Text("\n".into()), seal()]);
    between(
        &[Ok("\n"), Err(Between::Reasoning), Err(Between::Seal), Ok("a")],
        &[ModelEvent::Reasoning("|".into()), seal(), ModelEvent::Text("\na".into())],
    );
}

/// What is kept of texts with something between them.
fn kept(before: &[&str], what: Between, after: &[&str]) -> Vec<Piece> {
    let (mut filter, mut events) = (TagFilter::default(), Vec::new());
    before.iter().for_each(|piece| filter.push((*piece).to_owned(), &mut events));
    filter.between(what, &mut events);
    events.push(match what {
        Between::Reasoning => ModelEvent::Reasoning("|".into()),
        Between::Call => CALL,
        Between::Seal => ModelEvent::Seal(Seal(String::new())),
    });
    after.iter().for_each(|piece| filter.push((*piece).to_owned(), &mut events));
    filter.finish(&mut events);
    let mut speech = Speech::new(None);
    events.iter().for_each(|event| speech.hear(event));
    speech.pieces
}

proptest! {
    #[test]
    fn any_chunking_around_a_call_or_seal_gives_the_same(
        before in tricky(),
        what in prop_oneof![Just(Between::Reasoning), Just(Between::Call), Just(Between::Seal)],
        after in tricky(),
    ) {
        let split = [letters(&before), letters(&after)].map(Iterator::collect::<Vec<_>>);
        prop_assert_eq!(kept(&split[0], what, &split[1]), kept(&[&before], what, &[&after]));
    }

    #[test]
    fn text_without_tags_stands_where_it_was(before in "[a-z< \n]{0,20}", after in "[a-z< \n]{0,20}") {
        let tags = ["think", "thought", "final"];
        prop_assume!(!tags.iter().any(|tag| before.contains(tag) || after.contains(tag)));
        let said = |text: &str| PieceKind::Text(text.to_owned());
        let call = PieceKind::Call(ToolCall { id: String::new(), name: String::new(), arguments: String::new() });
        let is_blank = |text: &str| text.trim().is_empty();
        // Blanks are nothing until something visible was said.
        let first = (!is_blank(&before)).then(|| said(&before));
        let hidden = is_blank(&after) && is_blank(&before);
        let last = (!after.is_empty() && !hidden).then(|| said(&after));
        let expected: Vec<Piece> = first.into_iter().chain([call]).chain(last).map(Piece::from).collect();
        prop_assert_eq!(kept(&[&before], Between::Call, &[&after]), expected);
    }
}
