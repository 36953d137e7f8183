//! Processes that left their command's group, as `setsid` and daemons do. They are known by a mark that every process
//! inherits in its environment; one that takes care to lose it as well stays confined but lives on.

use std::fs::File;
use std::io::Read as _;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// The variable that carries the mark.
pub(super) const MARK: &str = "PENSIVE_CALL";

/// How often all processes are looked through while there are new ones.
const ROUNDS: usize = 8;
/// How much of an environment is read. The kernel begins with the oldest variables, ours among them.
const LONGEST: u64 = 256 * 1024;

/// Kills every process with that mark. Blocks for some milliseconds.
pub(super) fn kill(mark: &str) {
    let needle = format!("{MARK}={mark}\0");
    for _ in 0..ROUNDS {
        if round(needle.as_bytes()) == 0 {
            return;
        }
    }
    tracing::warn!("a command leaves processes faster than they can be ended");
}

fn round(needle: &[u8]) -> usize {
    let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter_map(Pid::from_raw).filter(|pid| kill_marked(*pid, needle)).count()
}

/// Whether there was one to kill. It is held before it is looked at, so that its number cannot become another's.
fn kill_marked(pid: Pid, needle: &[u8]) -> bool {
    let Ok(held) = pidfd_open(pid, PidfdFlags::empty()) else { return false };
    let mut environment = Vec::new();
    let read = File::open(format!("/proc/{pid}/environ"))
        .and_then(|file| file.take(LONGEST).read_to_end(&mut environment));
    read.is_ok()
        && environment.windows(needle.len()).any(|part| part == needle)
        && pidfd_send_signal(held, Signal::KILL).is_ok()
}
