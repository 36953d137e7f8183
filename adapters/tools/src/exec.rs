//! `exec`: a command of the shell, inside the workspace and a sandbox of the kernel's, or free where somebody allowed it.
//!
//! A command and all that it started end with its call: when the shell has ended, when its time is over, when the call is
//! dropped. A task of its own sees to that, so that nobody has to wait for it.

mod child;
mod openings;
mod output;
mod quiet;
mod sandbox;
mod strays;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::clock::Clock;
use pensive_contract::model::ToolSpec;
use pensive_contract::tool::{Danger, Errand, Grant, Tool, ToolFault};
use serde::Deserialize;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::child::{Child, Launch};
use self::output::{End, Report};
use self::sandbox::{Enter, Hold};
use crate::files::shelf::{Kept, kept};
use crate::files::{Inside, Shelf, Workspace, on_disk};
use crate::settings::{ExecSettings, WithoutSandbox};
use crate::trouble::Trouble;
use crate::wire::{arguments, count};

/// The longest that a command may ask for.
const LONGEST: u64 = 600;
/// How long a command has between the word to end and its end.
const GRACE: Duration = Duration::from_secs(2);

/// Why a command may have failed in a group.
const IN_GROUP: &str = "\n[In a group commands do not see private memory, nor list the workspace's own folder or make anything \
                        in it; they can in the folders that are there. `read` and `write` have no such bounds.]";

const SCHEMA: &str = r#"{"type":"object","properties":{"command":{"type":"string","description":"For /bin/sh."},"timeout":{"type":"integer","minimum":1,"maximum":600,"description":"Seconds."},"cwd":{"type":"string","description":"The folder to run in, relative to the workspace."}},"required":["command"]}"#;

/// The tool.
pub(crate) struct Exec {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
    settings: ExecSettings,
    clock: Arc<dyn Clock>,
    tasks: TaskTracker,
    enter: Enter,
}

/// Whether commands can be confined here.
///
/// # Errors
/// Why they cannot, for the bot's owner.
pub fn sandbox() -> Result<(), String> {
    sandbox::try_out()
}

/// What a command runs in, and what is done where the kernel cannot do that.
struct Bounds {
    hold: Option<Hold>,
    otherwise: WithoutSandbox,
}

/// A command that can start.
struct Ready {
    launch: Launch,
    kept: Kept,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(alias = "cmd")]
    command: String,
    #[serde(default, alias = "timeout_seconds", deserialize_with = "count")]
    timeout: Option<u64>,
    #[serde(default, alias = "workdir")]
    cwd: Option<String>,
}

impl Exec {
    pub(crate) fn new(
        workspace: Arc<Workspace>,
        settings: ExecSettings,
        clock: Arc<dyn Clock>,
        tasks: TaskTracker,
    ) -> Self {
        let description = "Runs a command in the workspace and gives what it prints. It runs confined, unless somebody \
                           allows more: it can write in the workspace only, reads that and the system's programs, and \
                           has no network. It has no input. What it leaves running ends with it.";
        let spec = ToolSpec {
            name: "exec".to_owned(),
            description: description.to_owned(),
            schema: SCHEMA.to_owned(),
        };
        Self { spec, workspace, settings, clock, tasks, enter: sandbox::enter }
    }

    fn time(&self, asked: &Arguments) -> Duration {
        asked.timeout.map_or(self.settings.limit, |seconds| Duration::from_secs(seconds.clamp(1, LONGEST)))
    }

    /// Where something private has to be kept from it, a command does not run without its bounds.
    fn bounds(&self, grant: Grant, shelf: Shelf, kept: Kept) -> Bounds {
        let hold = match (grant, shelf) {
            (Grant::Free, Shelf::Whole) => None,
            (Grant::Free, Shelf::Shared) => Some(Hold::AllButPrivate),
            (Grant::Confined, Shelf::Whole) => Some(Hold::Workspace),
            (Grant::Confined, Shelf::Shared) => Some(Hold::SharedWorkspace),
        };
        let otherwise = match (grant, shelf, kept) {
            (_, Shelf::Shared, Kept::Notes | Kept::Leaking(_)) => WithoutSandbox::Refuse,
            (Grant::Free, _, _) => WithoutSandbox::Run,
            (Grant::Confined, _, _) => self.settings.without_sandbox,
        };
        Bounds { hold, otherwise }
    }

    async fn ready(&self, asked: &Arguments, shelf: Shelf) -> Result<Ready, Trouble> {
        if asked.command.trim().is_empty() || asked.command.contains('\0') {
            return Err(Trouble::Refused("The command is empty or has a NUL character.".to_owned()));
        }
        let (workspace, cwd) = (Arc::clone(&self.workspace), asked.cwd.clone());
        let (root, cwd, scratch, kept) = on_disk(move || {
            drop(workspace.make_folder(&workspace.path(".tmp")?, shelf)?);
            let cwd = cwd.map_or_else(|| Ok(Inside::root()), |written| workspace.path(&written))?;
            let scratch = workspace.root().join(".tmp");
            let root = workspace.folder(&Inside::root(), shelf)?;
            let kept = match shelf {
                Shelf::Whole => Kept::Nothing,
                Shelf::Shared => kept(&root)
                    .map_err(|cause| Trouble::system("The memory cannot be looked through", cause))?,
            };
            Ok((root, workspace.folder(&cwd, shelf)?, scratch, kept))
        })
        .await?;
        if let Kept::Leaking(why) = kept {
            return Err(Trouble::Refused(format!(
                "Private memory cannot be kept from commands here, as {why}. None runs in a group."
            )));
        }
        Ok(Ready { launch: Launch::new(&asked.command, root, cwd, self.environment(scratch)), kept })
    }

    /// All that a command is told by its environment: nothing of the daemon's own.
    fn environment(&self, scratch: std::path::PathBuf) -> Vec<(&'static str, std::ffi::OsString)> {
        let mut environment = vec![
            ("PATH", self.settings.path.clone().into()),
            ("HOME", self.workspace.root().into()),
            ("TMPDIR", scratch.into()),
            ("LANG", "C.UTF-8".into()),
        ];
        environment.extend(self.settings.zone.as_ref().map(|zone| ("TZ", zone.into())));
        environment
    }
}

#[async_trait]
impl Tool for Exec {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn danger(&self, text: &str) -> Danger {
        match arguments::<Arguments>(text) {
            Ok(asked) if !quiet::only_looks(&asked.command) => Danger::Dangerous,
            _ => Danger::Harmless,
        }
    }

    fn limit(&self, text: &str) -> Duration {
        let own = arguments::<Arguments>(text).map_or(self.settings.limit, |asked| self.time(&asked));
        own + GRACE * 4
    }

    async fn call(&self, text: &str, errand: &Errand) -> Result<String, ToolFault> {
        let asked: Arguments = arguments(text)?;
        let limit = self.time(&asked);
        let shelf = Shelf::of(errand.kind);
        let Ready { launch, kept } = self.ready(&asked, shelf).await?;
        let bounds = self.bounds(errand.grant, shelf, kept);
        let (enter, hold) = (self.enter, bounds.hold);
        let dropped = CancellationToken::new();
        let _ends_with_this_call = dropped.clone().drop_guard();
        let (tell, told) = oneshot::channel();
        let clock = Arc::clone(&self.clock);
        self.tasks.spawn(async move {
            let report = match start(launch, enter, bounds).await {
                Ok(child) => see_through(child, clock.as_ref(), limit, &dropped).await,
                Err(trouble) => Err(trouble),
            };
            // Nobody listens where the call was dropped.
            drop(tell.send(report));
        });
        let report = told
            .await
            .map_err(|cut| Trouble::system("The command was cut off", std::io::Error::other(cut)))?;
        let report = report?;
        match report.end {
            End::TimeOver => Err(Trouble::Refused(report.tell(limit)).into()),
            End::Exit(1..) if hold == Some(Hold::SharedWorkspace) => Ok(report.tell(limit) + IN_GROUP),
            End::Exit(_) | End::Signal(_) => Ok(report.tell(limit)),
        }
    }
}

async fn start(launch: Launch, enter: Enter, bounds: Bounds) -> Result<Child, Trouble> {
    match launch.start(bounds.hold.map(|hold| (enter, hold))).await {
        Err(Trouble::NoSandbox(why)) if bounds.otherwise == WithoutSandbox::Run => {
            tracing::debug!(%why, "a command runs without a sandbox");
            launch.start(None).await
        }
        started => started,
    }
}

/// Stays with a command until it and all that it started have ended.
async fn see_through(
    mut child: Child,
    clock: &dyn Clock,
    limit: Duration,
    dropped: &CancellationToken,
) -> Result<Report, Trouble> {
    let bell = clock.sleep(limit);
    let over = tokio::select! {
        biased;
        () = dropped.cancelled() => true,
        () = bell => true,
        ended = child.ended() => { ended?; false }
    };
    if over {
        child.ask_to_end();
        let grace = clock.sleep(GRACE);
        tokio::select! {
            biased;
            ended = child.ended() => ended?,
            () = grace => {}
        }
    }
    child.finish(over).await
}
