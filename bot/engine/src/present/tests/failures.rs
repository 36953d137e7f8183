//! Calls that came to nothing, and what is said of them.

use pensive_contract::tool::Danger;
use pensive_directives::Verbose;

use super::{Play, QUIET, called};
use crate::present::{Event, Fate, NoPreviews, View};

fn failing(tool: &str, arguments: &str, view: View) -> Play {
    let mut play = Play::new(View { previews: Err(NoPreviews::Unable), ..view });
    play.event(1, called("1", tool, arguments));
    let danger = if tool == "exec" { Danger::Dangerous } else { Danger::Harmless };
    let (id, output) = ("1".to_owned(), "no such thing: /srv/x\nmore".to_owned());
    play.event(2, Event::Returned { id, output, fate: Fate::Failed(danger) });
    play
}

#[test]
fn tool_13_a_failure_is_told_once_below_the_answer_and_its_reason_only_at_full() {
    let check = |tool: &str, arguments: &str, answer: Option<&str>, verbose, expected: Option<&str>| {
        let rest = failing(tool, arguments, QUIET).ends(3);
        let line = rest.failed.and_then(|failed| failed.line(answer, verbose));
        assert_eq!(line.as_deref(), expected, "{tool} {answer:?} {verbose:?}");
    };
    let exec = r#"{"command":"make"}"#;
    let short = Some("⚠️ 🛠️ Exec: build with make failed");
    check("exec", exec, Some("Done."), Verbose::Off, short);
    check("exec", exec, Some("Done."), Verbose::On, short);
    let full = Some("⚠️ 🛠️ Exec: build with make failed: no such thing: /srv/x");
    check("exec", exec, Some("Done."), Verbose::Full, full);
    check("exec", exec, None, Verbose::Off, short);
    check("exec", exec, Some("I Could not build it."), Verbose::Full, None);
    // An answer without what was to be read is an answer.
    check("read", r#"{"path":"p"}"#, Some("Done."), Verbose::Off, None);
    check("read", r#"{"path":"p"}"#, Some(" \n"), Verbose::Off, Some("⚠️ 📖 Read: from p failed"));
    check("read", r#"{"path":"p"}"#, None, Verbose::Off, Some("⚠️ 📖 Read: from p failed"));
}

#[test]
fn a_failure_that_was_made_good_is_forgotten_and_the_last_one_counts() {
    let mut play = failing("exec", r#"{"command":"make"}"#, QUIET);
    play.calls(3, "2", "make").gets(4, "2", "ok");
    assert_eq!(play.ends(5).failed, None);
    let mut play = failing("exec", r#"{"command":"make"}"#, QUIET);
    play.event(3, called("2", "write", r#"{"path":"p","content":""}"#));
    let (id, output, danger) = ("2".to_owned(), "disk full".to_owned(), Danger::Harmless);
    play.event(4, Event::Returned { id, output, fate: Fate::Failed(danger) });
    let line = play.ends(5).failed.and_then(|failed| failed.line(None, Verbose::Off));
    assert_eq!(line.as_deref(), Some("⚠️ ✍️ Write: to p (0 chars) failed"));
}
