//! One running command: how it starts, how what it prints is read, and how it ends with everything below it.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::sync::Arc;

use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use tokio::io::AsyncReadExt;
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe;
use tokio::sync::oneshot;

use super::output::{End, Kept, Report};
use super::sandbox::{Enter, Hold};
use super::strays;
use crate::trouble::Trouble;

/// Sets limits that a command and all below it keep, then becomes the command. Shells differ in the letter for the number
/// of processes; one that knows neither goes without. Root is not bound by that number.
const SHELL: &str = "ulimit -c 0; (ulimit -u 4096) 2>/dev/null && ulimit -u 4096 2>/dev/null || \
                     { (ulimit -p 4096) 2>/dev/null && ulimit -p 4096 2>/dev/null; }; exec /bin/sh -c \"$1\"";

/// Everything that a command needs to start.
#[derive(Clone)]
pub(super) struct Launch {
    command: String,
    root: Arc<OwnedFd>,
    cwd: Arc<OwnedFd>,
    environment: Vec<(&'static str, OsString)>,
    mark: String,
}

/// A command that runs, or ran and was not yet asked how it ended. Dropping it kills the whole group.
pub(super) struct Child {
    process: std::process::Child,
    group: Pid,
    mark: String,
    exit: AsyncFd<OwnedFd>,
    pipe: pipe::Receiver,
    open: bool,
    kept: Kept,
    finished: bool,
}

impl Launch {
    pub(super) fn new(
        command: &str,
        root: OwnedFd,
        cwd: OwnedFd,
        environment: Vec<(&'static str, OsString)>,
    ) -> Self {
        let mark = format!("{:016x}{:016x}", fastrand::u64(..), fastrand::u64(..));
        Self { command: command.to_owned(), root: Arc::new(root), cwd: Arc::new(cwd), environment, mark }
    }

    /// Starts it on a thread of its own: what `bounds` take away from that thread its children lack as well, and the
    /// thread ends.
    pub(super) async fn start(&self, bounds: Option<(Enter, Hold)>) -> Result<Child, Trouble> {
        let wrong = |cause| Trouble::system("The command cannot be started", cause);
        let (tell, told) = oneshot::channel();
        let launch = self.clone();
        let thread = std::thread::Builder::new().name("command".to_owned()).spawn(move || {
            let started = bounds
                .map_or(Ok(()), |(enter, hold)| enter(launch.root.as_fd(), hold))
                .and_then(|()| launch.spawn().map_err(wrong));
            // Where nobody listens any more, as the daemon ends, this drops the child, which ends it.
            drop(tell.send(started));
        });
        drop(thread.map_err(wrong)?);
        let started = told.await.map_err(|cut| wrong(io::Error::other(cut)))??;
        started.watched(self.mark.clone()).map_err(wrong)
    }

    fn spawn(&self) -> io::Result<Started> {
        let (reader, writer) = io::pipe()?;
        let process = Command::new("/bin/sh")
            .args(["-c", SHELL, "sh", &self.command])
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (*name, value)))
            .env(strays::MARK, &self.mark)
            .current_dir(format!("/proc/self/fd/{}", self.cwd.as_raw_fd()))
            .stdin(Stdio::null())
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .process_group(0)
            .spawn()?;
        Ok(Started { process: Some(process), reader: Some(reader) })
    }
}

/// A child on its way from the thread that started it to the task that watches it.
struct Started {
    process: Option<std::process::Child>,
    reader: Option<io::PipeReader>,
}

impl Started {
    fn watched(mut self, mark: String) -> io::Result<Child> {
        let pid = self.process.as_ref().and_then(pid).ok_or(io::ErrorKind::NotFound)?;
        let exit = pidfd_open(pid, PidfdFlags::empty())?;
        #[allow(
            deprecated,
            reason = "what replaces it is unsafe code; an owned descriptor is what makes this one sound"
        )]
        let exit = AsyncFd::with_interest(exit, tokio::io::Interest::READABLE)?;
        let reader = self.reader.take().ok_or(io::ErrorKind::NotFound)?;
        let pipe = pipe::Receiver::from_owned_fd(OwnedFd::from(reader))?;
        let process = self.process.take().ok_or(io::ErrorKind::NotFound)?;
        Ok(Child {
            process,
            group: pid,
            mark,
            exit,
            pipe,
            open: true,
            kept: Kept::default(),
            finished: false,
        })
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            if let Some(group) = pid(&process) {
                signal(group, Signal::KILL);
            }
            reap(&mut process);
        }
    }
}

impl Child {
    /// Reads what it prints until the shell itself has ended. May be dropped and asked again.
    pub(super) async fn ended(&mut self) -> Result<(), Trouble> {
        let wrong = |cause| Trouble::system("The command cannot be watched", cause);
        let mut buffer = [0; 8 * 1024];
        loop {
            tokio::select! {
                ended = self.exit.readable() => { ended.map_err(wrong)?.retain_ready(); return Ok(()) }
                read = self.pipe.read(&mut buffer), if self.open => match read {
                    Ok(0) => self.open = false,
                    Ok(read) => self.kept.push(buffer.get(..read).unwrap_or_default()),
                    Err(cause) => return Err(wrong(cause)),
                }
            }
        }
    }

    /// The word to end, to all that did not leave the group.
    pub(super) fn ask_to_end(&self) {
        signal(self.group, Signal::TERM);
    }

    /// Kills what is left, the shell too where it still runs, and tells how it went.
    pub(super) async fn finish(mut self, over: bool) -> Result<Report, Trouble> {
        let wrong = |cause| Trouble::system("The command cannot be watched", cause);
        // Before the shell is reaped nobody else can have its number.
        signal(self.group, Signal::KILL);
        drop(self.exit.readable().await.map_err(wrong)?);
        let (command, mark) = (self.group, self.mark.clone());
        tokio::task::spawn_blocking(move || strays::kill(command, &mark))
            .await
            .map_err(|cut| wrong(io::Error::other(cut)))?;
        self.drain();
        self.finished = true;
        let status = self.process.wait().map_err(wrong)?;
        let end = match (over, status.signal()) {
            (true, _) => End::TimeOver,
            (false, Some(signal)) => End::Signal(signal),
            (false, None) => End::Exit(status.code().unwrap_or_default()),
        };
        Ok(Report { end, kept: std::mem::take(&mut self.kept) })
    }

    /// What still lies in the pipe. Whoever holds its other end is not waited for, and gets no second turn.
    fn drain(&mut self) {
        let mut buffer = [0; 8 * 1024];
        for _ in 0..128 {
            match rustix::io::read(&self.pipe, &mut buffer) {
                Ok(read) if read > 0 => self.kept.push(buffer.get(..read).unwrap_or_default()),
                _ => return,
            }
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.finished {
            signal(self.group, Signal::KILL);
            reap(&mut self.process);
        }
    }
}

fn pid(process: &std::process::Child) -> Option<Pid> {
    Pid::from_raw(i32::try_from(process.id()).ok()?)
}

/// Waits for one that was killed.
fn reap(process: &mut std::process::Child) {
    if let Err(cause) = process.wait() {
        tracing::warn!(%cause, "a command cannot be waited for");
    }
}

fn signal(group: Pid, signal: Signal) {
    match kill_process_group(group, signal) {
        Ok(()) | Err(rustix::io::Errno::SRCH) => {}
        Err(cause) => tracing::warn!(%cause, "a command cannot be signalled"),
    }
}
