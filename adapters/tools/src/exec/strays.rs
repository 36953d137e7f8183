//! Processes that left their command's group, as `setsid` and daemons do. They are known by a mark that every process
//! inherits in its environment; one that takes care to lose it as well stays confined but lives on.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// The variable that carries the mark.
pub(super) const MARK: &str = "PENSIVE_CALL";

/// How often all processes are looked through while there is something new.
const ROUNDS: usize = 100;
/// How much of an environment is read.
const LONGEST: u64 = 256 * 1024;

/// What one look at a process says.
enum Look {
    Marked,
    Other,
    /// It is becoming another program and has no environment yet.
    Unsettled,
}

/// What one look at all processes says.
#[derive(Default)]
struct Round {
    /// There was something to kill, or something ended before it was looked at and may have left a child.
    again: bool,
    unsettled: Option<OwnedFd>,
}

/// Kills every process with that mark that is no older than the command, whose own process is not yet reaped. Blocks for
/// some milliseconds.
pub(super) fn kill(command: Pid, mark: &str) {
    let needle = format!("{MARK}={mark}\0");
    let since = born(command).unwrap_or(0);
    let mut killed = BTreeSet::new();
    for _ in 0..ROUNDS {
        match round(needle.as_bytes(), since, &mut killed) {
            Round { unsettled: Some(process), .. } => wait(&process),
            Round { again: true, unsettled: None } => {}
            Round { again: false, unsettled: None } => return,
        }
    }
    tracing::debug!(
        "a process without an environment, or a command that leaves processes faster than they end"
    );
}

fn round(needle: &[u8], since: u64, killed: &mut BTreeSet<i32>) -> Round {
    let mut told = Round::default();
    let Ok(entries) = std::fs::read_dir("/proc") else { return told };
    for number in entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()) {
        let Some(pid) = Pid::from_raw(number).filter(|_| !killed.contains(&number)) else { continue };
        // It is held before it is looked at, so that its number cannot become another's.
        let (Ok(held), Some(born)) = (pidfd_open(pid, PidfdFlags::empty()), born(pid)) else {
            told.again = true;
            continue;
        };
        if born < since {
            continue;
        }
        match look(pid, needle) {
            Look::Other => {}
            Look::Unsettled => told.unsettled = Some(held),
            Look::Marked => {
                told.again = true;
                if pidfd_send_signal(held, Signal::KILL).is_ok() {
                    killed.insert(number);
                }
            }
        }
    }
    told
}

/// Gives a process a moment to become what it will be, or to end.
fn wait(process: &OwnedFd) {
    const MOMENT: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };
    if let Err(cause) = poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&MOMENT)) {
        tracing::debug!(%cause, "a process cannot be waited for");
    }
}

fn look(pid: Pid, needle: &[u8]) -> Look {
    let mut environment = Vec::new();
    let file = File::open(format!("/proc/{pid}/environ"));
    match file.and_then(|file| file.take(LONGEST).read_to_end(&mut environment)) {
        // One that has ended has no program either.
        Ok(0) if std::fs::read_link(format!("/proc/{pid}/exe")).is_ok() => Look::Unsettled,
        Ok(_) if environment.windows(needle.len()).any(|part| part == needle) => Look::Marked,
        Ok(_) | Err(_) => Look::Other,
    }
}

/// When a process began, in the kernel's count; nothing where there is none.
fn born(pid: Pid) -> Option<u64> {
    /// The place of the start behind the name, which may have blanks and brackets of its own.
    const START: usize = 19;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(START)?.parse().ok()
}
