//! `pensive status`: how the running daemon stands.

use pensive_terminal::harmless;
use pensive_terminal::wire::{AccountLine, AccountWord, Status};

use super::{count, daemon, load, print, print_json, runtime};
use crate::arguments::Common;
use crate::exit::Failure;
use crate::house::socket;

pub(super) fn status(common: &Common, json: bool) -> Result<(), Failure> {
    let setting = load(common)?;
    let status = runtime()?.block_on(async {
        match daemon(&setting).await? {
            Some(mut link) => Ok(link.status().await?),
            None => Err(Failure::Unreachable(format!(
                "no daemon listens at {}; start one with `pensive run`",
                socket(&setting.config).display()
            ))),
        }
    })?;
    if json { print_json(&status) } else { print(&harmless(&shown(&status))) }
}

fn shown(status: &Status) -> String {
    let mut text = format!(
        "pensive {}, up {}, process {}\nmodel: {}\nstore: {} ({})\nruns: {}\n",
        status.version,
        span(status.uptime_seconds),
        status.pid,
        status.model,
        status.store,
        count(status.sessions, "session"),
        status.runs,
    );
    let width = status.accounts.iter().map(|line| line.account.chars().count()).max().unwrap_or(0);
    for line in &status.accounts {
        let state = match line.state {
            AccountWord::Starting => "starting",
            AccountWord::Listening => "listening",
            AccountWord::Deaf => "deaf",
            AccountWord::Retrying => "retrying",
            AccountWord::Parked => "parked",
        };
        let told: Vec<String> = Some(line.detail.clone())
            .filter(|detail| !detail.is_empty())
            .into_iter()
            .chain(life(line))
            .collect();
        text.push_str(&format!("{:width$}  {state:9}  {}\n", line.account, told.join("; ")));
    }
    text
}

/// An account's signs of life, in the order in which somebody looks for them; nothing where there are none.
fn life(line: &AccountLine) -> Option<String> {
    let heard = line.heard_seconds_ago.map(|seconds| format!("heard {} ago", span(seconds)));
    let event = line.event_seconds_ago.map(|seconds| format!("last event {} ago", span(seconds)));
    let resumes = (line.resumes > 0).then(|| count(line.resumes, "resume"));
    let signs: Vec<String> = heard.into_iter().chain(event).chain(resumes).collect();
    (!signs.is_empty()).then(|| signs.join(", "))
}

/// `2d 3h`, `3h 4m`, `4m 5s`, `5s`.
fn span(seconds: u64) -> String {
    let (days, hours, minutes, rest) =
        (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{rest}s"),
        (0, 0, minutes) => format!("{minutes}m {rest}s"),
        (0, hours, minutes) => format!("{hours}h {minutes}m"),
        (days, hours, _) => format!("{days}d {hours}h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_told_in_two_units() {
        for (seconds, expected) in [(0, "0s"), (61, "1m 1s"), (3_600, "1h 0m"), (90_061, "1d 1h")] {
            assert_eq!(span(seconds), expected);
        }
    }

    #[test]
    fn every_account_has_a_line() {
        let line = |account: &str, state, detail: &str| AccountLine {
            account: account.into(),
            state,
            detail: detail.into(),
            heard_seconds_ago: None,
            event_seconds_ago: None,
            resumes: 0,
        };
        let status = Status {
            version: "1.0.0".into(),
            pid: 7,
            uptime_seconds: 61,
            model: "rehearsal/echo".into(),
            store: "/data".into(),
            sessions: 2,
            lanes: 1,
            runs: 1,
            accounts: vec![
                line("telegram/main", AccountWord::Parked, "no token"),
                line("terminal/local", AccountWord::Listening, "/home/pensive.sock"),
                AccountLine {
                    heard_seconds_ago: Some(3),
                    event_seconds_ago: Some(245),
                    resumes: 2,
                    ..line("discord/ops", AccountWord::Listening, "Pensive")
                },
                AccountLine {
                    heard_seconds_ago: Some(61),
                    ..line("discord/talk", AccountWord::Deaf, "no ack")
                },
                AccountLine { heard_seconds_ago: Some(1), ..line("telegram/two", AccountWord::Starting, "") },
            ],
        };
        let expected = "pensive 1.0.0, up 1m 1s, process 7\nmodel: rehearsal/echo\nstore: /data (2 sessions)\nruns: 1\n\
                        telegram/main   parked     no token\nterminal/local  listening  /home/pensive.sock\n\
                        discord/ops     listening  Pensive; heard 3s ago, last event 4m 5s ago, 2 resumes\n\
                        discord/talk    deaf       no ack; heard 1m 1s ago\n\
                        telegram/two    starting   heard 1s ago\n";
        assert_eq!(shown(&status), expected);
    }
}
