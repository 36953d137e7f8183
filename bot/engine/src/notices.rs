//! The texts and button data of our own lines, in one place.

use std::time::Duration;

use pensive_contract::ids::Ticket;
use pensive_contract::model::{Lesson, ModelRef};
use pensive_directives::{Level, Profile};

use crate::approval::{Heeded, Ruling};

/// The fate of an answer is unknown.
pub(crate) const UNCONFIRMED: &str = "⚙️ I could not confirm that my last answer arrived.";
/// Shows it again.
pub(crate) const SHOW_AGAIN: &str = "Show it again";
/// The platform will never take a message, or a part of it.
pub(crate) const REFUSED: &str =
    "⚠️ My last answer could not be delivered here in full. The log of this bot tells an admin why.";
/// A run was cut off by the end of the daemon.
pub(crate) const RESTARTED: &str = "⚙️ I was restarted while answering. Tap to run it again.";
/// Runs a message that was put by.
pub(crate) const RUN_AGAIN: &str = "Run it again";
/// The model was silent.
pub(crate) const NO_TEXT: &str = "The model returned no text.";
/// Tries a failed run again.
pub(crate) const TRY_AGAIN: &str = "Try again";
/// A message was changed too late.
pub(crate) const EDITED_LATE: &str = "⚙️ I had already taken up that message before you changed it.";
/// Runs the changed text.
pub(crate) const RUN_EDIT: &str = "Run the new text";
/// The store did not take a change.
pub(crate) const NOT_STORED: &str =
    "⚠️ I could not save that, so nothing was changed. An admin needs to look at the disk of this bot.";
/// A pressed button leads nowhere any more.
pub(crate) const STALE: &str = "That is no longer here.";
/// A pressed button is somebody else's.
pub(crate) const NOT_YOURS: &str = "That button is for somebody else.";
/// A pressed button offers what does not hold any more, or was never offered here.
pub(crate) const OUT_OF_DATE: &str = "This button is out of date.";
/// Reasoning that is to be seen live cannot be.
pub(crate) const NO_LIVE_REASONING: &str = "⚙️ Reasoning cannot be shown live in this chat, so it is not shown. /reasoning on posts it as a message.";
/// A run took too long.
pub(crate) const TOO_LONG: &str =
    "That took too long, so I gave up. Please try again or ask for less at once.";
/// A sub-agent took too long.
pub(crate) const SUB_TOO_LONG: &str = "It took too long.";
/// A run has sent its answer by itself, and somebody waits for its end.
pub(crate) const SAID_ABOVE: &str = "⚙️ That was all.";
/// Something of ours broke.
pub(crate) const BROKE: &str = "Something broke on my side. The log of this bot tells an admin more.";

/// The provider's filter left nothing of an answer.
pub(crate) const FILTERED: &str =
    "The model provider's content filter held the answer back. Please put your question differently.";
/// The last line of an answer that a person stopped.
pub(crate) const STOPPED_HERE: &str = "⏹";
/// The last line of an answer that its provider's filter cut.
pub(crate) const CUT_BY_FILTER: &str = "⚠️ The model provider's content filter cut this answer off here.";
/// The last line of an answer that ran into the limit.
pub(crate) const CUT: &str = "⚠️ This answer was cut off here: it reached the model's output limit.";
/// The last line of a run whose model did not stop calling tools.
pub(crate) const ENDLESS: &str = "⚠️ I ended it here: the model went on calling tools and came to no answer.";

/// Buttons of a question about a call.
pub(crate) const ALLOW: &str = "Allow once";
/// The same.
pub(crate) const DENY: &str = "Deny";
/// What stands below such a question.
pub(crate) const HOW_TO_ALLOW: &str =
    "Press a button, or send /approve or /approve deny. After 10 minutes the answer is no.";

const RUN: &str = "run:";
const SHOW: &str = "show:";
const ALLOWS: &str = "allow:";
const DENIES: &str = "deny:";

/// What a person asks for with a button of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// To run a message that was put by.
    Run(Ticket),
    /// To see an answer whose fate is unknown.
    Show(Ticket),
    /// To have a call made, or not.
    Rule(Ticket, Ruling),
}

/// The data of a button that runs a message.
pub(crate) fn run_data(ticket: Ticket) -> String {
    format!("{RUN}{ticket}")
}

/// The data of a button that shows an answer.
pub(crate) fn show_data(ticket: Ticket) -> String {
    format!("{SHOW}{ticket}")
}

/// The data of a button that answers a question about a call.
pub(crate) fn rule_data(ticket: Ticket, ruling: Ruling) -> String {
    let kind = match ruling {
        Ruling::Allow => ALLOWS,
        Ruling::Deny => DENIES,
    };
    format!("{kind}{ticket}")
}

/// What a person is told who answered such a question.
pub(crate) fn ruled(heeded: Heeded, ruling: Ruling) -> &'static str {
    match (heeded, ruling) {
        (Heeded::Yes, Ruling::Allow) => "⚙️ Allowed once.",
        (Heeded::Yes, Ruling::Deny) => "⚙️ Denied.",
        (Heeded::TooLate, _) => "⚙️ There is nothing to approve.",
        (Heeded::NotTheirs, _) => NOT_YOURS,
    }
}

/// Reads the data of a button back.
pub(crate) fn wish(data: &str) -> Option<Wish> {
    let (kind, number) = data.split_at_checked(data.find(':')? + 1)?;
    let ticket = number.parse().ok().map(Ticket)?;
    match kind {
        RUN => Some(Wish::Run(ticket)),
        SHOW => Some(Wish::Show(ticket)),
        ALLOWS => Some(Wish::Rule(ticket, Ruling::Allow)),
        DENIES => Some(Wish::Rule(ticket, Ruling::Deny)),
        _ => None,
    }
}

/// The line for somebody who writes too fast.
pub(crate) fn too_fast(wait: Duration) -> String {
    let seconds = wait.as_millis().div_ceil(1000).max(1);
    format!("⚙️ That was too fast for me, and your last message was not taken. Please wait {seconds} s.")
}

/// A provider taught us that a model lacks a level. `profile` is what was known before.
pub(crate) fn learned(lesson: &Lesson, profile: &Profile) -> String {
    let Lesson { model, refused, instead } = lesson;
    let instead = match instead {
        Level::Off => "it runs without thinking".to_owned(),
        level => format!("{} is used", profile.label(*level)),
    };
    match refused {
        Level::Off => format!("⚙️ {model} cannot run without thinking; {instead} until the next restart."),
        level => {
            let refused = profile.label(*level);
            format!("⚙️ {model} refused thinking level \"{refused}\"; {instead} until the next restart.")
        }
    }
}

/// A model thought until nothing was left for the answer, and is asked to think less.
pub(crate) fn lowered(model: &ModelRef, profile: &Profile, from: Level, to: Level) -> String {
    let from = profile.label(from);
    let to = match to {
        Level::Off => "without thinking".to_owned(),
        level => format!("with {}", profile.label(level)),
    };
    format!(
        "⚙️ At thinking level \"{from}\" {model} reached its output limit before it wrote a word; this message runs {to}."
    )
}

/// The same, where thinking less did not help or is not to be had.
pub(crate) fn out_of_output(level: Level) -> String {
    let remedy = match level {
        Level::Off => "Ask for less at once, or have an admin raise params.maxTokens for this model.",
        Level::Minimal
        | Level::Low
        | Level::Medium
        | Level::Adaptive
        | Level::High
        | Level::Xhigh
        | Level::Max
        | Level::Ultra => {
            "Send /think with a lower level, or have an admin raise params.maxTokens for this model."
        }
    };
    format!("The model reached its output limit before it wrote a word. {remedy}")
}

/// A run that used tools ended without a word.
pub(crate) fn worked(tools: &[&str]) -> String {
    format!("⚙️ The model used {} and added no words.", tools.join(", "))
}

/// A span in the two largest units that matter.
pub(crate) fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min"),
        (0, _, _) => format!("{hours} h {minutes} min"),
        (_, _, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use pensive_directives::LevelChoice;

    use super::*;

    #[test]
    fn button_data_reads_back_and_fits_the_smallest_limit() {
        let wishes = [
            Wish::Run(Ticket(u64::MAX)),
            Wish::Show(Ticket(7)),
            Wish::Rule(Ticket(u64::MAX), Ruling::Allow),
            Wish::Rule(Ticket(1), Ruling::Deny),
        ];
        for wish_in in wishes {
            let data = match wish_in {
                Wish::Rule(ticket, ruling) => rule_data(ticket, ruling),
                Wish::Run(ticket) => run_data(ticket),
                Wish::Show(ticket) => show_data(ticket),
            };
            assert!(data.len() <= 64);
            assert_eq!(wish(&data), Some(wish_in));
        }
        for junk in ["", "run:", "run:x", "show:-1", "else"] {
            assert_eq!(wish(junk), None, "{junk}");
        }
    }

    #[test]
    fn a_lesson_is_told_in_the_words_that_the_person_uses() {
        let level = |level, label: Option<&str>| LevelChoice { level, label: label.map(str::to_owned) };
        let levels = vec![level(Level::Off, None), level(Level::Low, Some("on")), level(Level::High, None)];
        let profile = Profile::new("prov/model", levels, Level::Off);
        let model = ModelRef { provider: "prov".to_owned(), id: "model".to_owned() };
        let check = |refused, instead, text: &str| {
            let lesson = Lesson { model: model.clone(), refused, instead };
            assert_eq!(learned(&lesson, &profile), format!("⚙️ prov/model {text} until the next restart."));
        };
        check(Level::High, Level::Low, "refused thinking level \"high\"; on is used");
        check(Level::Low, Level::Off, "refused thinking level \"on\"; it runs without thinking");
        check(Level::Off, Level::Low, "cannot run without thinking; on is used");
    }

    #[test]
    fn spans_read_well() {
        for (seconds, text) in [(5, "5 s"), (60, "1 min"), (3_700, "1 h 1 min"), (90_000, "1 d 1 h")] {
            assert_eq!(span(Duration::from_secs(seconds)), text);
        }
        assert_eq!(
            too_fast(Duration::from_millis(2_100)),
            "⚙️ That was too fast for me, and your last message was not taken. Please wait 3 s."
        );
    }
}
