//! A person at a terminal: the real program on a pseudo terminal of its own, what it writes there, and keys that are pressed.

#![allow(clippy::expect_used, clippy::panic, reason = "a trial without its terminal fails at once")]

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tokio::process::{Child, Command};
use tokio::sync::watch;

/// How long a person waits for something to appear.
const PATIENCE: Duration = Duration::from_secs(30);

/// A terminal with the program on it.
pub struct Pty {
    keys: File,
    seen: watch::Receiver<Arc<str>>,
    read: usize,
    child: Child,
}

impl Pty {
    /// Starts `command` on a terminal of 60 columns.
    pub fn start(mut command: Command) -> Self {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there are pseudo terminals");
        grantpt(&keys).and_then(|()| unlockpt(&keys)).expect("a pseudo terminal can be opened");
        tcsetwinsize(&keys, Winsize { ws_row: 24, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0 })
            .expect("it has a size");
        let name = ptsname(&keys, Vec::new()).expect("it has a name").into_string().expect("of letters");
        let side = || {
            use std::os::unix::fs::OpenOptionsExt;
            let flags = i32::try_from(OFlags::NOCTTY.bits()).unwrap_or_default();
            let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(&name);
            file.expect("its other side can be opened")
        };
        command.stdin(side()).stdout(side()).stderr(side()).env("TERM", "xterm-256color").kill_on_drop(true);
        let child = command.spawn().expect("the program can be started");
        let keys = File::from(keys);
        let screen = keys.try_clone().expect("a terminal can be read and written");
        let (shown, seen) = watch::channel(Arc::from(""));
        std::thread::spawn(move || follow(screen, &shown));
        Self { keys, seen, read: 0, child }
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("a terminal takes keys");
    }

    /// Types a line.
    pub fn say(&mut self, line: &str) {
        self.press(&format!("{line}\r"));
    }

    /// Waits until `part` is written behind what was waited for before; gives all that was written in between, with it.
    pub async fn see(&mut self, part: &str) -> String {
        let from = self.read;
        let behind =
            |all: &Arc<str>| all.get(from..).and_then(|new| new.find(part)).map(|at| from + at + part.len());
        let mut seen = self.seen.clone();
        // What is waited for holds a lock, which must be gone before the next look.
        drop(tokio::time::timeout(PATIENCE, seen.wait_for(|all| behind(all).is_some())).await);
        let all = Arc::clone(&self.seen.borrow());
        match behind(&all) {
            Some(end) => {
                self.read = end;
                all.get(from..end).unwrap_or_default().to_owned()
            }
            None => panic!("{part:?} is not in {:?}", all.get(from..)),
        }
    }

    /// All that was written.
    pub fn all(&self) -> String {
        self.seen.borrow().to_string()
    }

    /// Waits until the program ends.
    pub async fn end(&mut self) -> ExitStatus {
        let ended = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        ended.expect("the program ends").expect("it can be waited for")
    }
}

fn follow(mut screen: File, shown: &watch::Sender<Arc<str>>) {
    let (mut all, mut piece) = (Vec::new(), [0; 4096]);
    // With the last program on it a terminal ends in an error.
    while let Ok(read @ 1..) = screen.read(&mut piece) {
        all.extend_from_slice(piece.get(..read).unwrap_or_default());
        shown.send_replace(String::from_utf8_lossy(&all).into());
    }
}
