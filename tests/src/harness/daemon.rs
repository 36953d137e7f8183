//! One life of the daemon as a process: begun, weighed by what the kernel tells, and ended gently or at once.

use std::{
    fs::{self, OpenOptions},
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use tokio::process::{Child, Command};

use super::home::Home;

/// Ticks of `utime` and `stime` per second; the kernel reports in these whatever its own clock is.
const TICKS: u64 = 100;

/// A running process. Killed when dropped.
#[derive(Debug)]
pub struct Daemon {
    child: Child,
    pid: u32,
    /// Just before the program was executed.
    pub born: Instant,
}

/// What a process has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Time on a processor, in the program and for it in the kernel.
    pub cpu: Duration,
    /// Resident memory now, KiB.
    pub rss: u64,
    /// The most resident memory there was, KiB.
    pub peak: u64,
    /// Threads now.
    pub threads: u64,
}

impl Daemon {
    /// Starts `program` on `home`, with the environment emptied of everything that could change what it does.
    pub fn start(program: &Path, home: &Home) -> Result<Self> {
        let mut command = Command::new(program);
        command.arg("--home").arg(home.path()).arg("--config").arg(home.config());
        command.env_clear().env("HOME", home.path()).env("USER", "harness").env("PATH", "/usr/bin:/bin");
        Self::spawn(command, &home.log())
    }

    /// Starts any command; its standard error goes to the end of `log`.
    pub fn spawn(mut command: Command, log: &Path) -> Result<Self> {
        let log = OpenOptions::new().create(true).append(true).open(log)?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).kill_on_drop(true);
        let born = Instant::now();
        let child = command.spawn().context("the program could not be started")?;
        let pid = child.id().context("the program ended at once")?;
        Ok(Self { child, pid, born })
    }

    /// SIGKILL, and waits until the process is gone.
    pub async fn kill(mut self) -> Result<()> {
        self.child.kill().await.context("the process could not be killed")
    }

    /// SIGTERM, and waits for an end with status 0.
    pub async fn stop(mut self, patience: Duration) -> Result<()> {
        let told = Command::new("kill").arg("-TERM").arg(self.pid.to_string()).status().await?;
        if !told.success() {
            bail!("the process was gone before it was told to stop");
        }
        let status =
            tokio::time::timeout(patience, self.child.wait()).await.context("it did not stop in time")??;
        if !status.success() {
            bail!("it ended with {status}");
        }
        Ok(())
    }

    /// An error when the process has ended by itself.
    pub fn alive(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            Some(status) => bail!("the daemon ended by itself with {status}"),
            None => Ok(()),
        }
    }

    /// What it has used so far.
    pub fn usage(&self) -> Result<Usage> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid))?;
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid))?;
        let field = |name: &str| number_after(&status, name).with_context(|| format!("no {name} in /proc"));
        let cpu = cpu_ticks(&stat).context("/proc/<pid>/stat is unreadable")?;
        Ok(Usage {
            cpu: Duration::from_millis(cpu * 1000 / TICKS),
            rss: field("VmRSS:")?,
            peak: field("VmHWM:")?,
            threads: field("Threads:")?,
        })
    }
}

/// `utime + stime`, fields 14 and 15; the program's name before them may hold anything.
fn cpu_ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(user + system)
}

fn number_after(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_figures_are_read() {
        let stat = "42 (a ) b) S 1 2 3 4 5 6 7 8 9 10 30 12 0 0 20 0 4 0 100";
        assert_eq!(cpu_ticks(stat), Some(42));
        assert_eq!(cpu_ticks("42 (cut) S 1"), None);
        assert_eq!(number_after("Name:\tx\nVmRSS:\t  1234 kB\n", "VmRSS:"), Some(1234));
        assert_eq!(number_after("Name:\tx\n", "VmRSS:"), None);
    }
}
