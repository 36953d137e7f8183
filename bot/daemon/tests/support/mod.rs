//! Starts the real program in a home of its own, with nothing of the environment but a user's name.

#![allow(dead_code, reason = "every test file uses some of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};

/// A folder of its own for one test.
pub(crate) struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A home whose configuration is `text`.
    pub(crate) fn with_config(text: &str) -> Self {
        let home = Self::new();
        std::fs::write(home.path().join("pensive.json5"), text).unwrap();
        home
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The program in this home; the words are split at blanks.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pensive"));
        command.env_clear().env("USER", "ann").env("PENSIVE_HOME", self.path());
        command.args(words.split_whitespace()).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, words: &str) -> Ran {
        Ran::of(self.command(words).output().unwrap(), words)
    }

    /// Runs with `input` on standard input.
    pub(crate) fn pipe(&self, words: &str, input: &str) -> Ran {
        let mut command = self.command(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Ran::of(child.wait_with_output().unwrap(), words)
    }

    /// One message and its answer, as `chat --json` tells it.
    pub(crate) fn ask(&self, text: &str) -> serde_json::Value {
        let mut command = self.command("chat --json");
        command.arg(text);
        let ran = Ran::of(command.output().unwrap(), text);
        assert_eq!(ran.code, 0, "{text}: {ran:?}");
        serde_json::from_str(&ran.out).unwrap()
    }

    /// Waits until the daemon has a run at work.
    pub(crate) fn wait_for_run(&self) {
        while !self.run("status --json").out.contains("\"runs\":1") {
            std::thread::yield_now();
        }
    }

    /// The answer's text alone.
    pub(crate) fn answer(&self, text: &str) -> String {
        self.ask(text)["answer"].as_str().unwrap().to_owned()
    }
}

/// What a run of the program left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    fn of(output: Output, words: &str) -> Self {
        let code = output.status.code().unwrap_or_else(|| panic!("{words}: ended by a signal"));
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code, out: text(output.stdout), err: text(output.stderr) }
    }

    #[track_caller]
    pub(crate) fn expect(&self, code: i32, out: &[&str], err: &[&str]) {
        assert_eq!(self.code, code, "{self:?}");
        for part in out {
            assert!(self.out.contains(part), "{part:?} is not in {self:?}");
        }
        for part in err {
            assert!(self.err.contains(part), "{part:?} is not in {self:?}");
        }
    }
}

/// A running daemon; ended when dropped.
pub(crate) struct Daemon {
    child: Child,
    lines: BufReader<ChildStderr>,
    /// What it said until it was ready.
    pub(crate) greeting: String,
}

impl Daemon {
    pub(crate) fn start(home: &Home) -> Self {
        Self::start_with(home.command("run"))
    }

    pub(crate) fn start_with(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut greeting = String::new();
        while !greeting.contains("is ready") {
            let before = greeting.len();
            lines.read_line(&mut greeting).unwrap();
            assert!(greeting.len() > before, "it ended before it was ready: {greeting}");
        }
        Self { child, lines, greeting }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.id().to_string()).status().unwrap();
        assert!(sent.success());
    }

    /// Ends it as a service manager would; gives the exit code and what it said at last.
    pub(crate) fn stop(self) -> (i32, String) {
        self.signal("TERM");
        self.end()
    }

    /// Waits until it ends by itself; gives the exit code and what it said at last.
    pub(crate) fn end(mut self) -> (i32, String) {
        let mut last = String::new();
        self.lines.read_to_string(&mut last).unwrap();
        (self.child.wait().unwrap().code().unwrap(), last)
    }

    /// Ends it as a power cut would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
