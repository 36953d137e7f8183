//! The prompt of one call: as much of the history as fits, then the message.

use pensive_contract::model::{Limits, PromptTurn};
use pensive_contract::session::Turn;

/// Turns that are looked at; more never fit and would make long sessions slow.
pub(crate) const MOST_TURNS: usize = 200;

/// A token is rarely shorter than this many bytes of text, so that this many bytes a token never overfill a window.
const BYTES_A_TOKEN: u64 = 3;

/// History and the new message, oldest first, within 80 % of the window. The new message is always there. The history is
/// kept or left out in whole exchanges, from a person's turn to the next one, so that no call loses its result.
pub(crate) fn build(history: Vec<Turn>, message: String, limits: Limits) -> Vec<PromptTurn> {
    let mut room =
        (limits.context.saturating_mul(BYTES_A_TOKEN) * 8 / 10).saturating_sub(message.len() as u64);
    let mut kept: Vec<PromptTurn> = Vec::with_capacity(history.len() + 1);
    let (mut exchange, mut size) = (Vec::new(), 0);
    for turn in history.into_iter().rev() {
        size += weight(&turn.said) + 16;
        if size > room {
            break;
        }
        let is_first = matches!(turn.said, PromptTurn::User(_));
        exchange.extend(replayed(turn));
        if is_first {
            kept.append(&mut exchange);
            room -= std::mem::take(&mut size);
        }
    }
    kept.reverse();
    kept.push(PromptTurn::User(message));
    kept
}

/// How much of the window a turn takes, in bytes. What is sealed goes back too.
fn weight(said: &PromptTurn) -> u64 {
    let size = match said {
        PromptTurn::User(text) => text.len(),
        PromptTurn::Assistant(speech) => {
            let seals = speech.pieces.iter().filter_map(|piece| piece.seal.as_ref());
            speech.len() + seals.map(|seal| seal.0.len()).sum::<usize>()
        }
        PromptTurn::Tools(results) => results.iter().map(|result| result.text.len() + 32).sum(),
    };
    size as u64
}

/// The turn as the model is shown it; an empty one never is.
fn replayed(turn: Turn) -> Option<PromptTurn> {
    match turn.said {
        PromptTurn::User(text) if text.trim().is_empty() => None,
        PromptTurn::User(text) => Some(PromptTurn::User(said(turn.name.as_deref(), &text))),
        PromptTurn::Assistant(speech) => {
            let is_silent = speech.calls().next().is_none() && speech.text().trim().is_empty();
            (!is_silent).then_some(PromptTurn::Assistant(speech))
        }
        PromptTurn::Tools(results) => (!results.is_empty()).then_some(PromptTurn::Tools(results)),
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
    use pensive_contract::clock::Timestamp;
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

    fn texts(turns: &[PromptTurn]) -> Vec<String> {
        let text = |turn: &PromptTurn| match turn {
            PromptTurn::User(text) => text.clone(),
            PromptTurn::Assistant(speech) => speech.text(),
            PromptTurn::Tools(results) => results.iter().map(|result| result.text.as_str()).collect(),
        };
        turns.iter().map(text).collect()
    }

    fn limits(context: u64) -> Limits {
        Limits { context, output: None, price: None }
    }

    #[test]
    fn the_oldest_exchanges_give_way_and_a_person_speaks_first() {
        let history = vec![user(&"a".repeat(60)), model(&"b".repeat(60)), user("c"), model("d")];
        assert_eq!(build(history.clone(), "e".to_owned(), limits(1000)).len(), 5);
        assert_eq!(texts(&build(history.clone(), "e".to_owned(), limits(60))), ["c", "d", "e"]);
        assert_eq!(texts(&build(history, "e".to_owned(), limits(1))), ["e"]);
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
        assert_eq!(build(history.clone(), "e".to_owned(), limits(1000)).len(), 7);
        assert_eq!(texts(&build(history, "e".to_owned(), limits(100))), ["c", "d", "e"]);
    }

    #[test]
    fn rst_12_an_empty_turn_is_never_replayed() {
        let history = vec![user("a"), model(" "), user("b")];
        assert_eq!(texts(&build(history, "c".to_owned(), limits(1000))), ["a", "b", "c"]);
    }
}
