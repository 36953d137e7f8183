//! The prompt of one call: as much of the history as fits, then the message.

use pensive_contract::model::{Limits, PromptTurn, Role};
use pensive_contract::session::Turn;

/// Turns that are looked at; more never fit and would make long sessions slow.
pub(crate) const MOST_TURNS: usize = 200;

/// A token is rarely shorter than this many bytes of text, so that this many bytes a token never overfill a window.
const BYTES_A_TOKEN: u64 = 3;

/// History and the new message, oldest first, within 80 % of the window. The new message is always there; the history
/// begins with a person's turn, as providers demand.
pub(crate) fn build(history: Vec<Turn>, message: String, limits: Limits) -> Vec<PromptTurn> {
    let mut room =
        (limits.context.saturating_mul(BYTES_A_TOKEN) * 8 / 10).saturating_sub(message.len() as u64);
    let mut kept: Vec<PromptTurn> = Vec::with_capacity(history.len() + 1);
    for turn in history.into_iter().rev() {
        let size = turn.text.len() as u64 + 16;
        if size > room {
            break;
        }
        room -= size;
        if !turn.text.trim().is_empty() {
            kept.push(PromptTurn {
                role: turn.role,
                text: said(turn.role, turn.name.as_deref(), &turn.text),
            });
        }
    }
    while kept.last().is_some_and(|turn| turn.role == Role::Assistant) {
        kept.pop();
    }
    kept.reverse();
    kept.push(PromptTurn { role: Role::User, text: message });
    kept
}

/// A person's words with their name, in a conversation of several people.
pub(crate) fn said(role: Role, name: Option<&str>, text: &str) -> String {
    match (role, name) {
        (Role::User, Some(name)) => format!("{name}: {text}"),
        (Role::User, None) | (Role::Assistant, _) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use pensive_contract::clock::Timestamp;

    use super::*;

    fn turn(role: Role, text: &str) -> Turn {
        Turn { at: Timestamp(0), role, name: None, text: text.to_owned() }
    }

    fn texts(turns: &[PromptTurn]) -> Vec<&str> {
        turns.iter().map(|turn| turn.text.as_str()).collect()
    }

    #[test]
    fn the_oldest_turns_give_way_and_a_person_speaks_first() {
        let history = vec![
            turn(Role::User, &"a".repeat(60)),
            turn(Role::Assistant, &"b".repeat(60)),
            turn(Role::User, "c"),
            turn(Role::Assistant, "d"),
        ];
        let limits = |context| Limits { context, output: None };
        assert_eq!(build(history.clone(), "e".to_owned(), limits(1000)).len(), 5);
        assert_eq!(texts(&build(history.clone(), "e".to_owned(), limits(60))), ["c", "d", "e"]);
        assert_eq!(texts(&build(history, "e".to_owned(), limits(1))), ["e"]);
    }

    #[test]
    fn rst_12_an_empty_turn_is_never_replayed() {
        let history = vec![turn(Role::User, "a"), turn(Role::Assistant, " "), turn(Role::User, "b")];
        assert_eq!(
            texts(&build(history, "c".to_owned(), Limits { context: 1000, output: None })),
            ["a", "b", "c"]
        );
    }
}
