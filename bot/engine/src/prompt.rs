//! The prompt of one call: as much of the history as fits, then the message.

use pensive_contract::clock::Timestamp;
use pensive_contract::model::{Limits, PromptTurn};
use pensive_contract::session::Turn;

use crate::media;

/// Turns that are looked at; more never fit and would make long sessions slow.
pub(crate) const MOST_TURNS: usize = 200;

/// A token is rarely shorter than this many bytes of text, so that this many bytes a token never overfill a window.
const BYTES_A_TOKEN: u64 = 3;

/// History, the new message and what was `said` since, oldest first, within 80 % of the window. The message and what came
/// of it are always there. The history is kept or left out in whole exchanges, from a person's turn to the next one, so that
/// no call loses its result.
pub(crate) fn build(
    history: &[Turn],
    message: &[PromptTurn],
    said: &[PromptTurn],
    limits: Limits,
) -> Vec<PromptTurn> {
    let taken = message.iter().chain(said).map(weight).sum::<u64>();
    let room = (limits.context.saturating_mul(BYTES_A_TOKEN) / 10 * 8).saturating_sub(taken);
    let exchanges = window(history, room);
    let mut turns: Vec<PromptTurn> = exchanges.into_iter().flat_map(|exchange| exchange.turns).collect();
    turns.reverse();
    turns.extend_from_slice(message);
    turns.extend_from_slice(said);
    turns
}

/// A person's turn and all up to the next one, newest first.
struct Exchange {
    began: Timestamp,
    turns: Vec<PromptTurn>,
}

/// The newest exchanges that fit into so many bytes, newest first.
fn window(history: &[Turn], mut room: u64) -> Vec<Exchange> {
    let mut kept = Vec::new();
    let (mut turns, mut size) = (Vec::new(), 0);
    let mut is_whole = history.len() < MOST_TURNS;
    for turn in history.iter().rev() {
        size += weight(&turn.said) + 16;
        if size > room {
            is_whole = false;
            break;
        }
        turns.extend(replayed(turn));
        if matches!(turn.said, PromptTurn::User(_)) {
            kept.push(Exchange { began: turn.at, turns: std::mem::take(&mut turns) });
            room -= std::mem::take(&mut size);
        }
    }
    if !is_whole {
        anchor(&mut kept);
    }
    kept
}

/// A window that moved with every message would make each prompt a stranger to the provider's cache, and some models do not
/// know their own sealed thoughts again behind another beginning. So it begins with an anchor, about one exchange in eight,
/// as long as that leaves half of it.
fn anchor(kept: &mut Vec<Exchange>) {
    let is_anchor =
        |exchange: &Exchange| exchange.began.0.cast_unsigned().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 61 == 0;
    let oldest = kept.iter().rposition(is_anchor);
    if let Some(at) = oldest.filter(|at| *at >= kept.len() / 2) {
        kept.truncate(at + 1);
    }
}

/// How much of the window a turn takes, in bytes. What is sealed goes back too.
fn weight(said: &PromptTurn) -> u64 {
    let size = match said {
        PromptTurn::User(text) => text.len(),
        PromptTurn::Media(media) => media.iter().map(media::weight).sum(),
        PromptTurn::Assistant(speech) => {
            let seals = speech.pieces.iter().filter_map(|piece| piece.seal.as_ref());
            speech.len() + seals.map(|seal| seal.0.len()).sum::<usize>()
        }
        PromptTurn::Tools(results) => results.iter().map(|result| result.text.len() + 32).sum(),
    };
    size as u64
}

/// The turn as the model is shown it; an empty one never is.
fn replayed(turn: &Turn) -> Option<PromptTurn> {
    match &turn.said {
        PromptTurn::User(text) => {
            (!text.trim().is_empty()).then(|| PromptTurn::User(said(turn.name.as_deref(), text)))
        }
        PromptTurn::Media(_) => None,
        PromptTurn::Assistant(speech) => {
            let is_silent = speech.calls().next().is_none() && speech.text().trim().is_empty();
            (!is_silent).then(|| PromptTurn::Assistant(speech.clone()))
        }
        PromptTurn::Tools(results) => (!results.is_empty()).then(|| PromptTurn::Tools(results.clone())),
    }
}

/// A person's words with their name, in a conversation of several people.
pub(crate) fn said(name: Option<&str>, text: &str) -> String {
    match name {
        Some(name) => format!("{name}: {text}"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use pensive_contract::speech::{PieceKind, Speech, ToolCall, ToolOutcome, ToolResult};

    use super::*;

    fn turn(said: PromptTurn) -> Turn {
        Turn { at: Timestamp(0), name: None, said }
    }

    fn user(text: &str) -> Turn {
        turn(PromptTurn::User(text.to_owned()))
    }

    fn model(text: &str) -> Turn {
        turn(PromptTurn::Assistant(Speech::text_only(None, text)))
    }

    fn built(history: &[Turn], message: &str, context: u64) -> Vec<PromptTurn> {
        let limits = Limits { context, output: None, price: None, takes: &[] };
        build(history, &[PromptTurn::User(message.to_owned())], &[], limits)
    }

    fn texts(turns: &[PromptTurn]) -> Vec<String> {
        let text = |turn: &PromptTurn| match turn {
            PromptTurn::User(text) => text.clone(),
            PromptTurn::Media(media) => format!("{media:?}"),
            PromptTurn::Assistant(speech) => speech.text(),
            PromptTurn::Tools(results) => results.iter().map(|result| result.text.as_str()).collect(),
        };
        turns.iter().map(text).collect()
    }

    #[test]
    fn the_oldest_exchanges_give_way_and_a_person_speaks_first() {
        let history = vec![user(&"a".repeat(60)), model(&"b".repeat(60)), user("c"), model("d")];
        assert_eq!(built(&history, "e", 1000).len(), 5);
        assert_eq!(texts(&built(&history, "e", 60)), ["c", "d", "e"]);
        assert_eq!(texts(&built(&history, "e", 1)), ["e"]);
    }

    #[test]
    fn a_call_and_its_result_stay_together_or_go_together() {
        let call = ToolCall { id: "1".into(), name: "t".into(), arguments: "{}".into() };
        let mut speech = Speech::text_only(None, "look");
        speech.pieces.push(PieceKind::Call(call).into());
        let result =
            ToolResult { id: "1".into(), name: "t".into(), text: "x".repeat(90), outcome: ToolOutcome::Done };
        let history = vec![
            user("a"),
            turn(PromptTurn::Assistant(speech)),
            turn(PromptTurn::Tools(vec![result])),
            model("b"),
            user("c"),
            model("d"),
        ];
        assert_eq!(built(&history, "e", 1000).len(), 7);
        assert_eq!(texts(&built(&history, "e", 90)), ["c", "d", "e"]);
    }

    #[test]
    fn what_was_said_in_the_run_is_kept_whole_and_takes_the_room_of_older_things() {
        let history = vec![user(&"a".repeat(60)), model("b")];
        let said = [PromptTurn::Assistant(Speech::text_only(None, "x".repeat(90)))];
        let limits = |context| Limits { context, output: None, price: None, takes: &[] };
        let texts =
            |context| texts(&build(&history, &[PromptTurn::User("c".to_owned())], &said, limits(context)));
        assert_eq!(texts(1000).len(), 4);
        assert_eq!(texts(60), ["c".to_owned(), "x".repeat(90)]);
    }

    #[test]
    fn a_window_that_is_full_moves_seldom_and_in_steps() {
        let said = |n: i64| {
            [user(&format!("question {n}")), model("answer")]
                .map(|turn| Turn { at: Timestamp(n * 60_007), ..turn })
        };
        let mut begins = Vec::new();
        for newest in 100..400 {
            let history: Vec<Turn> = (0..newest).flat_map(said).collect();
            let tail = history.split_at(history.len() - MOST_TURNS.min(history.len())).1;
            let prompt = built(tail, "now", 100_000);
            assert!(prompt.len() > MOST_TURNS / 2, "{}", prompt.len());
            begins.push(texts(&prompt).swap_remove(0));
        }
        begins.dedup();
        assert!(begins.len() < 80, "{} beginnings in 300 messages", begins.len());
    }

    #[test]
    fn rst_12_an_empty_turn_is_never_replayed() {
        let history = vec![user("a"), model(" "), user("b")];
        assert_eq!(texts(&built(&history, "c", 1000)), ["a", "b", "c"]);
    }
}
