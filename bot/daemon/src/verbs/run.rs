//! `pensive run`: the daemon, from its first line to its last.

use std::io::IsTerminal;
use std::time::Duration;

use pensive_config::{Api, Config, DefaultModel, Provider};
use pensive_contract::clock::Clock;
use pensive_contract::model::ModelRef;
use sd_notify::NotifyState;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{Setting, clock, load, runtime, tell};
use crate::arguments::{Common, LogFormat};
use crate::exit::Failure;
use crate::greeting;
use crate::house::{House, Plan, masker};
use crate::logs::{self, Talk};
use crate::unserved;

/// Where an Ollama is looked for when nothing else is configured.
const OLLAMA: &str = "http://127.0.0.1:11434";

/// What is left running when everything has ended gets so long.
const LEFTOVERS: Duration = Duration::from_millis(500);

pub(super) fn run(common: &Common) -> Result<(), Failure> {
    let setting = load(common)?;
    logs::start(common, Talk::Usual, masker(&setting.config));
    let runtime = runtime()?;
    let result = runtime.block_on(serve(setting, common.log_format));
    runtime.shutdown_timeout(LEFTOVERS);
    result
}

async fn serve(setting: Setting, format: LogFormat) -> Result<(), Failure> {
    let mut signals = Signals::listen()?;
    let Setting { mut config, user, ink: _ } = setting;
    let clock = clock();
    adopt_ollama(&mut config, &*clock).await;
    let plan = Plan { user, ..Plan::new(config.clone(), clock) };
    let house = House::start(plan).await?;
    for line in greeting::lines(&config, &house.accounts()) {
        say(&line, format);
    }
    for line in unserved::lines(&config) {
        tracing::warn!("{line}");
    }
    say(&format!("pensive {} is ready", crate::VERSION), format);
    notify(NotifyState::Ready);

    signals.next().await;
    notify(NotifyState::Stopping);
    say("stopping: runs get 10 s; a second signal ends at once", format);
    tokio::select! {
        () = house.stop() => {
            say("stopped", format);
            Ok(())
        }
        () = signals.next() => Err(Failure::Failed("ended at once; what was not finished is taken up at the next start".into())),
    }
}

/// Takes the models of an Ollama that runs here, when there is neither a file nor a key.
pub(super) async fn adopt_ollama(config: &mut Config, clock: &dyn Clock) {
    if config.file.is_some() || config.default_model != DefaultModel::Rehearsal {
        return;
    }
    let models = pensive_models::ollama_models(OLLAMA, clock).await;
    let Some(first) = models.first() else { return };
    let provider = Provider {
        name: "ollama".to_owned(),
        api: Api::Ollama,
        base_url: Some(OLLAMA.to_owned()),
        api_key: None,
        headers: Vec::new(),
        models: Vec::new(),
    };
    config.adopt(provider, &ModelRef { provider: "ollama".to_owned(), id: first.clone() });
}

/// A line for the operator: as it is for people, as a log line for programs.
fn say(line: &str, format: LogFormat) {
    match format {
        LogFormat::Human => tell(line),
        LogFormat::Json => tracing::info!("{line}"),
    }
}

fn notify(state: NotifyState<'_>) {
    if let Err(cause) = sd_notify::notify(&[state]) {
        tracing::warn!(%cause, "the service manager could not be told");
    }
}

/// The signals that a daemon hears.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    hanging: Hanging,
}

/// What a hang-up means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hanging {
    /// The terminal that the daemon writes to was closed: it ends.
    Up,
    /// A service manager asks for a reload.
    On,
}

impl Signals {
    fn listen() -> Result<Self, Failure> {
        let open =
            |kind| signal(kind).map_err(|cause| Failure::Failed(format!("signals cannot be heard: {cause}")));
        Ok(Self {
            terminate: open(SignalKind::terminate())?,
            interrupt: open(SignalKind::interrupt())?,
            hangup: open(SignalKind::hangup())?,
            hanging: if std::io::stderr().is_terminal() { Hanging::Up } else { Hanging::On },
        })
    }

    /// Waits for one that asks the daemon to end.
    async fn next(&mut self) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.hangup.recv() => {}
            }
            if self.hanging == Hanging::Up {
                return;
            }
            tracing::warn!(
                "nothing was reloaded: this version reads its configuration when it starts, so restart it"
            );
        }
    }
}
