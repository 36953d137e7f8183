//! How a call that was to change something ended, in the engine's words. Pure. The numbers are Discord's
//! (<https://docs.discord.com/developers/topics/opcodes-and-status-codes#json>).

use std::time::Duration;

use pensive_contract::outward::{Outcome, Refusal};

use crate::client::{CallFault, Refused};

/// What a 429 asks for that names no time.
const UNNAMED: Duration = Duration::from_secs(5);

pub(crate) const UNKNOWN_CHANNEL: u64 = 10_003;
pub(crate) const UNKNOWN_MESSAGE: u64 = 10_008;
const UNKNOWN_GUILD: u64 = 10_004;
const UNKNOWN_USER: u64 = 10_013;
const UNKNOWN_WEBHOOK: u64 = 10_015;
const UNKNOWN_INTERACTION: u64 = 10_062;
const SLOWMODE: u64 = 20_016;
const ANNOUNCEMENT_EDITS: u64 = 20_022;
const CHANNEL_WRITES: u64 = 20_028;
const SERVER_WRITES: u64 = 20_029;
const OLD_EDITS: u64 = 30_046;
const UNVERIFIED_ACCOUNT: u64 = 40_002;
const SENDING_DISABLED: u64 = 40_004;
const FEATURE_DISABLED: u64 = 40_006;
const BANNED: u64 = 40_007;
const IN_FORUM: u64 = 40_058;
const SERVICE_LIMITED: u64 = 40_062;
const GATEKEEPER: u64 = 40_333;
const MISSING_ACCESS: u64 = 50_001;
const NO_MESSAGES_TO_USER: u64 = 50_007;
const NO_TEXT_CHANNEL: u64 = 50_008;
const VERIFICATION_LEVEL: u64 = 50_009;
pub(crate) const MISSING_PERMISSIONS: u64 = 50_013;
const INVALID_TOKEN: u64 = 50_014;
const INVALID_WEBHOOK_TOKEN: u64 = 50_027;
const INVALID_FORM: u64 = 50_035;
const ARCHIVED_THREAD: u64 = 50_083;
const NO_MUTUAL_GUILDS: u64 = 50_278;
const OVERLOADED: u64 = 130_000;
const NO_REPLY_WITHOUT_HISTORY: u64 = 160_002;
const LOCKED_THREAD: u64 = 160_005;
const AUTOMOD: u64 = 200_000;
const HARMFUL_LINKS: u64 = 240_000;

/// The outcome of a call that failed with `fault`.
pub(crate) fn verdict<T>(fault: &CallFault) -> Outcome<T> {
    match fault {
        CallFault::Unreached(_) => Outcome::Refused { refusal: Refusal::Again, why: fault.to_string() },
        CallFault::Limited(wait) => Outcome::Wait(*wait),
        CallFault::Overdue(_) | CallFault::Lost(_) => Outcome::Unknown { why: fault.to_string() },
        CallFault::Refused(no) => match refused(no) {
            Ok(refusal) => Outcome::Refused { refusal, why: fault.to_string() },
            Err(wait) => Outcome::Wait(wait),
        },
    }
}

/// The same for a change of a message that stands. What cannot be changed any more is no reason to give a chat up: another
/// message may still come in its place.
pub(crate) fn verdict_of_change<T>(fault: &CallFault) -> Outcome<T> {
    match fault {
        CallFault::Refused(no)
            if matches!(no.code, ARCHIVED_THREAD | LOCKED_THREAD | OLD_EDITS | ANNOUNCEMENT_EDITS) =>
        {
            Outcome::Refused { refusal: Refusal::Never, why: fault.to_string() }
        }
        _ => verdict(fault),
    }
}

/// The same for a message that is to go. The thread that it stands in was put away, and whatever is said there next takes it
/// out again.
pub(crate) fn verdict_of_removal<T>(fault: &CallFault) -> Outcome<T> {
    match code(fault) {
        Some(ARCHIVED_THREAD) => Outcome::Refused { refusal: Refusal::Again, why: fault.to_string() },
        _ => verdict_of_change(fault),
    }
}

/// Whether a message was refused for what it answers: it may be told without.
pub(crate) fn is_about_reply(fault: &CallFault) -> bool {
    let CallFault::Refused(no) = fault else { return false };
    no.code == NO_REPLY_WITHOUT_HISTORY
        || (no.code == INVALID_FORM && no.message.contains("message_reference"))
}

/// The code of a no.
pub(crate) fn code(fault: &CallFault) -> Option<u64> {
    match fault {
        CallFault::Refused(no) => Some(no.code),
        CallFault::Unreached(_) | CallFault::Limited(_) | CallFault::Overdue(_) | CallFault::Lost(_) => None,
    }
}

/// What kind of no it is, or how long is to be waited.
fn refused(no: &Refused) -> Result<Refusal, Duration> {
    Ok(match no.code {
        SLOWMODE | CHANNEL_WRITES | SERVER_WRITES | SERVICE_LIMITED => {
            return Err(no.retry_after.unwrap_or(UNNAMED));
        }
        UNKNOWN_CHANNEL | UNKNOWN_GUILD | UNKNOWN_USER | BANNED | IN_FORUM | MISSING_ACCESS
        | NO_MESSAGES_TO_USER | NO_TEXT_CHANNEL | VERIFICATION_LEVEL | MISSING_PERMISSIONS
        | ARCHIVED_THREAD | NO_MUTUAL_GUILDS | LOCKED_THREAD => Refusal::ChatGone,
        UNVERIFIED_ACCOUNT | INVALID_TOKEN => Refusal::Account,
        SENDING_DISABLED | FEATURE_DISABLED | GATEKEEPER | OVERLOADED => Refusal::Again,
        INVALID_FORM if is_about_content(&no.message) => Refusal::Style,
        // An interaction has run out, not the account: whatever the status says.
        UNKNOWN_WEBHOOK | UNKNOWN_INTERACTION | INVALID_WEBHOOK_TOKEN => Refusal::Never,
        AUTOMOD | HARMFUL_LINKS => Refusal::Never,
        _ => return of_status(no),
    })
}

/// What a status means whose code says no more.
fn of_status(no: &Refused) -> Result<Refusal, Duration> {
    Ok(match no.status {
        429 => return Err(no.retry_after.unwrap_or(UNNAMED)),
        401 => Refusal::Account,
        // Not Discord's own no, which has a code: its gatekeeper keeps an address out for a while.
        403 if no.code == 0 => Refusal::Again,
        403 => Refusal::ChatGone,
        409 | 500.. => Refusal::Again,
        _ => Refusal::Never,
    })
}

fn is_about_content(message: &str) -> bool {
    ["(content:", "(data.content:", "(embeds"].iter().any(|field| message.contains(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no(status: u16, code: u64, message: &str) -> CallFault {
        let (message, retry_after) = (message.to_owned(), (status == 429).then_some(Duration::from_secs(7)));
        CallFault::Refused(Refused { status, code, message, retry_after })
    }

    #[test]
    fn an_answer_of_discords_own_means_that_nothing_landed() {
        let check = |status, code, message: &str, expected| match verdict::<()>(&no(status, code, message)) {
            Outcome::Refused { refusal, .. } => assert_eq!(refusal, expected, "{status} {code}"),
            other => panic!("{status} {code}: {other:?}"),
        };
        check(403, 50_007, "Cannot send messages to this user", Refusal::ChatGone);
        check(400, 50_278, "no mutual guilds", Refusal::ChatGone);
        check(403, 50_001, "Missing Access", Refusal::ChatGone);
        check(403, 50_013, "Missing Permissions", Refusal::ChatGone);
        check(404, 10_003, "Unknown Channel", Refusal::ChatGone);
        check(404, 10_008, "Unknown Message", Refusal::Never);
        check(400, 50_083, "Thread is archived", Refusal::ChatGone);
        check(400, 160_005, "Thread is locked", Refusal::ChatGone);
        check(400, 40_058, "Cannot send a message in a forum channel", Refusal::ChatGone);
        check(401, 0, "401: Unauthorized", Refusal::Account);
        check(401, 50_027, "Invalid Webhook Token", Refusal::Never);
        check(401, 40_001, "Unauthorized", Refusal::Account);
        check(403, 40_002, "You need to verify your account", Refusal::Account);
        check(403, 0, "a page", Refusal::Again);
        check(403, 90_001, "something new", Refusal::ChatGone);
        check(
            400,
            50_035,
            "Invalid Form Body (content: BASE_TYPE_MAX_LENGTH Must be 2000 …)",
            Refusal::Style,
        );
        check(400, 50_035, "Invalid Form Body (components.0: X the content: y)", Refusal::Never);
        check(400, 50_006, "Cannot send an empty message", Refusal::Never);
        check(413, 40_005, "Request entity too large", Refusal::Never);
        check(400, 200_000, "Message was blocked by automatic moderation", Refusal::Never);
        check(400, 240_000, "Message blocked by harmful links filter", Refusal::Never);
        check(503, 130_000, "overloaded", Refusal::Again);
        check(500, 0, "500: Internal Server Error", Refusal::Again);
        check(403, 40_333, "Cloudflare is blocking your request", Refusal::Again);
        check(404, 0, "404: Not Found", Refusal::Never);
    }

    #[test]
    fn a_limit_names_its_wait() {
        let check = |fault: CallFault, seconds| {
            assert_eq!(verdict::<()>(&fault), Outcome::Wait(Duration::from_secs(seconds)));
        };
        check(no(429, 0, "You are being rate limited."), 7);
        check(no(429, 20_016, "slowmode"), 7);
        check(no(429, 20_028, "the write rate limit"), 7);
        check(no(429, 40_062, "Service resource is being rate limited"), 7);
        check(no(400, 20_016, "slowmode"), 5);
        check(CallFault::Limited(Duration::from_secs(3)), 3);
    }

    #[test]
    fn what_cannot_be_changed_any_more_is_told_anew() {
        let check = |code| match verdict_of_change::<()>(&no(429, code, "x")) {
            Outcome::Refused { refusal, .. } => assert_eq!(refusal, Refusal::Never, "{code}"),
            other => panic!("{code}: {other:?}"),
        };
        for code in [50_083, 160_005, 30_046, 20_022] {
            check(code);
        }
        assert!(matches!(verdict_of_change::<()>(&no(429, 0, "x")), Outcome::Wait(_)));
    }

    #[test]
    fn what_stands_in_a_thread_that_was_put_away_goes_later() {
        let check = |code, expected| match verdict_of_removal::<()>(&no(400, code, "x")) {
            Outcome::Refused { refusal, .. } => assert_eq!(refusal, expected, "{code}"),
            other => panic!("{code}: {other:?}"),
        };
        check(50_083, Refusal::Again);
        check(160_005, Refusal::Never);
        check(50_013, Refusal::ChatGone);
    }

    #[test]
    fn a_reply_that_is_refused_may_be_told_as_a_message() {
        assert!(is_about_reply(&no(400, 160_002, "Cannot reply without permission to read message history")));
        let form =
            "Invalid Form Body (message_reference: REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE Cannot reply …)";
        assert!(is_about_reply(&no(400, 50_035, form)));
        assert!(!is_about_reply(&no(400, 50_035, "Invalid Form Body (content: X)")));
        assert!(!is_about_reply(&CallFault::Lost("x".to_owned())));
    }

    #[test]
    fn without_an_answer_it_depends_on_whether_anything_was_sent() {
        let unreached = verdict::<()>(&CallFault::Unreached("refused".to_owned()));
        assert!(matches!(unreached, Outcome::Refused { refusal: Refusal::Again, .. }));
        let lost = verdict::<()>(&CallFault::Lost("reset".to_owned()));
        assert!(matches!(lost, Outcome::Unknown { .. }));
        let late = verdict::<()>(&CallFault::Overdue(Duration::from_secs(30)));
        assert!(matches!(late, Outcome::Unknown { .. }));
    }
}
