//! What a failed call means for an account that lives on: wait, wait a given time, or give up until an operator acts.
//! Pure.

use std::time::Duration;

use crate::client::CallFault;

/// What to do about a failure of getUpdates or getMe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Try again after a growing pause.
    Again(String),
    /// Try again when the time that Telegram named has passed.
    After(Duration, String),
    /// The same, and unless it passes soon an operator must act: somebody else polls this bot.
    Contested(String),
    /// A webhook stands in the way of polling; it can be taken away.
    Webhook,
    /// Nothing will help until an operator acts.
    Park(String),
}

/// Which call failed: to getMe, Telegram says 404 for a token that it never gave out; to any other call also an older
/// server that lacks the method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Name,
    Updates,
}

/// Judges `fault`.
pub(crate) fn trouble(fault: &CallFault, asked: Asked) -> Trouble {
    let CallFault::Refused(refused) = fault else { return Trouble::Again(fault.to_string()) };
    match refused.code {
        401 => Trouble::Park("Telegram refused its token, which was revoked or replaced".to_owned()),
        404 if asked == Asked::Name => Trouble::Park("Telegram knows no bot with its token".to_owned()),
        409 if refused.description.to_ascii_lowercase().contains("webhook") => Trouble::Webhook,
        409 => Trouble::Contested(
            "another program polls the same bot, and only one may: stop the other or give it a bot of its own".to_owned(),
        ),
        429 => Trouble::After(refused.wait(), fault.to_string()),
        _ => Trouble::Again(fault.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Refused;

    #[test]
    fn each_failure_has_its_answer() {
        let refused = |code: u16, description: &str, seconds: Option<u64>| {
            CallFault::Refused(Refused {
                code,
                description: description.to_owned(),
                retry_after: seconds.map(Duration::from_secs),
                moved_to: None,
            })
        };
        let check = |fault: CallFault, asked: Asked, expected: fn(&Trouble) -> bool| {
            let found = trouble(&fault, asked);
            assert!(expected(&found), "{fault:?} gives {found:?}");
        };
        check(refused(401, "Unauthorized", None), Asked::Updates, |t| matches!(t, Trouble::Park(_)));
        check(refused(404, "Not Found", None), Asked::Name, |t| matches!(t, Trouble::Park(_)));
        check(refused(404, "Not Found", None), Asked::Updates, |t| matches!(t, Trouble::Again(_)));
        let other = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
        check(
            refused(409, other, None),
            Asked::Updates,
            |t| matches!(t, Trouble::Contested(why) if why.contains("another program")),
        );
        let hook = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook first";
        check(refused(409, hook, None), Asked::Updates, |t| *t == Trouble::Webhook);
        check(
            refused(429, "Too Many Requests", Some(17)),
            Asked::Updates,
            |t| matches!(t, Trouble::After(wait, _) if *wait == Duration::from_secs(17)),
        );
        check(refused(502, "Bad Gateway", None), Asked::Updates, |t| matches!(t, Trouble::Again(_)));
        check(CallFault::Lost("reset".to_owned()), Asked::Updates, |t| matches!(t, Trouble::Again(_)));
        check(CallFault::Overdue(Duration::from_secs(65)), Asked::Name, |t| matches!(t, Trouble::Again(_)));
    }
}
