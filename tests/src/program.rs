//! The real program in the home of a scene: where a kill or the command line matters.

#![allow(clippy::expect_used, reason = "a trial without its program fails at once")]

use std::{
    path::PathBuf,
    process::{ExitStatus, Stdio},
};

use tokio::{io::AsyncWriteExt, process::Command};

use crate::{
    harness::{
        daemon::Daemon,
        program::{Freshness, pensive},
    },
    scene::Scene,
};

/// What a run of the program left.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; -1 when a signal ended it.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ran {
    /// Fails unless it ended with `code` and said `parts` somewhere.
    #[track_caller]
    pub fn expect(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, code, "{self:?}");
        for part in parts {
            assert!(self.out.contains(part) || self.err.contains(part), "{part:?} is not in {self:?}");
        }
    }
}

impl Scene {
    /// The program with these arguments and nothing of our environment.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        self.dress(&mut command);
        command.args(arguments);
        command
    }

    /// The same under limits of the shell, such as `ulimit -f 1000`. A write past a limit fails and does not kill.
    pub fn limited(&self, limits: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new("/bin/sh");
        self.dress(&mut command);
        command.arg("-c").arg(format!("trap '' XFSZ; {limits}; exec \"$0\" \"$@\"")).arg(program());
        command.args(arguments);
        command
    }

    /// A line of the shell.
    pub fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        self.dress(&mut command);
        command.arg("-c").arg(line);
        command
    }

    fn dress(&self, command: &mut Command) {
        self.write();
        command.env_clear().env("HOME", self.home()).env("USER", "ann").env("PATH", "/usr/bin:/bin");
        command.env("PENSIVE_HOME", self.home()).stdin(Stdio::null());
    }

    /// Runs a verb to its end.
    pub async fn run(&self, arguments: &[&str]) -> Ran {
        finish(self.command(arguments), "").await
    }

    /// Runs a verb with `input` on standard input.
    pub async fn pipe(&self, arguments: &[&str], input: &str) -> Ran {
        finish(self.command(arguments), input).await
    }

    /// Starts the daemon and waits until it polls.
    pub async fn daemon(&self) -> Daemon {
        let daemon = self.spawn(self.command(&["run", "-vv"]));
        self.telegram.wait_for_poll().await;
        daemon
    }

    /// Starts any command as a daemon; what it says goes to [`Scene::log`].
    pub fn spawn(&self, command: Command) -> Daemon {
        Daemon::spawn(command, &self.log_file()).expect("the program can be started")
    }

    /// Sends a process what Ctrl-C sends.
    pub async fn interrupt(&self, process: u32) -> ExitStatus {
        let kill = Command::new("kill").arg("-INT").arg(process.to_string()).status().await;
        kill.expect("there is a kill")
    }

    /// What daemons have said so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_file()).unwrap_or_default()
    }

    fn log_file(&self) -> PathBuf {
        self.home().join("stderr.log")
    }
}

fn program() -> PathBuf {
    pensive(Freshness::AsItIs).expect("the program is built")
}

/// Runs a command to its end.
pub async fn finish(mut command: Command, input: &str) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().expect("the program can be started");
    if let Some(mut stdin) = child.stdin.take() {
        // Who wants no input has closed it.
        drop(stdin.write_all(input.as_bytes()).await);
    }
    let output = child.wait_with_output().await.expect("the program ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}
