//! The rooms, put together: a configuration and a clock in, a running product out.

mod accounts;
mod front;
mod plan;

use std::sync::Arc;
use std::time::Duration;

use pensive_config::Config;
use pensive_contract::clock::{Clock, within};
use pensive_contract::ids::Account;
use pensive_contract::intake::AccountState;
use pensive_contract::tool::{Toolshed, Workspace};
use pensive_engine::{Engine, Masker, Ports};
use pensive_models::Models;
use pensive_storage::{OpenSettings, Store};
use pensive_terminal::Terminal;
use pensive_tools::Tools;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub(crate) use self::accounts::socket;
use self::accounts::{Accounts, Tenant};
pub(crate) use self::front::{Front, pick};
pub use self::plan::{Plan, Reach, StartFault};
use crate::doubts;
use crate::equipment;
use crate::settings;

/// What runs get to end in, once nothing more is taken in.
const GRACE: Duration = Duration::from_secs(10);

/// The same when nobody waits for an answer any more.
const SHORT_GRACE: Duration = Duration::from_millis(500);

/// A copy of the store is put beside it so long after the start, and then so often.
const FIRST_BACKUP: Duration = Duration::from_hours(1);
const NEXT_BACKUP: Duration = Duration::from_hours(6);

/// How many copies are kept.
pub(crate) const BACKUPS: usize = 8;

/// The running product.
pub struct House {
    engine: Arc<Engine>,
    store: Store,
    terminal: Option<Arc<Terminal>>,
    tools: Option<Arc<Tools>>,
    front: Arc<Front>,
    clock: Arc<dyn Clock>,
    /// Ends intake: the channels.
    closing: CancellationToken,
    tasks: JoinSet<()>,
}

impl House {
    /// Opens the store, goes on where the last life ended, and lets the accounts in. Needs a tokio runtime with timers.
    ///
    /// # Errors
    /// What every part needs is missing: the store, the models, or this home. An account that cannot run does not stop
    /// the others: it is parked and logged.
    pub async fn start(plan: Plan) -> Result<Self, StartFault> {
        // Where another one is installed already, it is the same.
        drop(rustls::crypto::ring::default_provider().install_default());
        read_secrets(&plan.config).await;
        make_folders(&plan.config)?;
        let store = open(&plan).await?;
        match Self::build(&plan, &store).await {
            Ok(house) => Ok(house),
            Err(fault) => {
                close(&store).await;
                Err(fault)
            }
        }
    }

    async fn build(plan: &Plan, store: &Store) -> Result<Self, StartFault> {
        let Plan { config, clock, reach, user, toolshed, pace } = plan;
        // Reads the system's certificates, beside the accounts that may do the same.
        let models = {
            let (config, clock) = (config.clone(), Arc::clone(clock));
            tokio::task::spawn_blocking(move || build_models(&config, clock))
        };
        let mut accounts = Accounts::connect(plan, store)?;
        let tools = tools(plan).await?;
        let hung = tools.clone().map(|tools| tools as Arc<dyn Toolshed>);
        let models = Arc::new(models.await.map_err(|_| StartFault::Cut)??);
        let ports = Ports {
            clock: Arc::clone(clock),
            ledger: Arc::new(store.clone()),
            inbox: Arc::new(store.clone()),
            sessions: Arc::new(store.clone()),
            transcript: Arc::new(store.clone()),
            outbox: Arc::new(store.clone()),
            notes: Arc::new(store.clone()),
            transcriber: config.messages.transcribe.as_ref().and_then(|model| models.transcriber(model)),
            model: models,
            toolshed: toolshed.clone().or(hung),
            workspace: tools.clone().map(|tools| tools as Arc<dyn Workspace>),
            outward: accounts.outward(*pace),
            untag: pensive_models::untagged,
            masker: masker(config),
        };
        let engine = Engine::new(ports, settings::engine(config, user)).await?;
        let front = Arc::new(Front::new(Arc::clone(&engine), plan, accounts.standings()));
        let tenants = accounts.tenants(&front);
        if *reach == Reach::Everything {
            engine.recover().await?;
        }
        let mut house = Self {
            engine,
            store: store.clone(),
            terminal: accounts.terminal,
            tools,
            front,
            clock: Arc::clone(clock),
            closing: CancellationToken::new(),
            tasks: JoinSet::new(),
        };
        tenants.into_iter().for_each(|tenant| house.let_in(tenant));
        if *reach == Reach::Everything {
            house.keep_backups();
        }
        Ok(house)
    }

    /// How each account stands.
    #[must_use]
    pub fn accounts(&self) -> Vec<(Account, AccountState)> {
        self.front.accounts()
    }

    /// The product's behaviour, for those who assemble or test it.
    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// What the command line asks of the house.
    pub(crate) fn front(&self) -> &Arc<Front> {
        &self.front
    }

    /// Ends in order: nothing more is taken in, runs get ten seconds, the last words go out, the store is flushed.
    pub async fn stop(self) {
        self.end(GRACE).await;
    }

    /// The same for a house that nobody waits for.
    pub(crate) async fn stop_soon(self) {
        self.end(SHORT_GRACE).await;
    }

    async fn end(mut self, grace: Duration) {
        self.closing.cancel();
        self.engine.drain(grace).await;
        if let Some(tools) = &self.tools
            && within(&*self.clock, GRACE, tools.drain()).await.is_err()
        {
            tracing::warn!("a command or a tool server did not end in time");
        }
        if let Some(terminal) = &self.terminal {
            terminal.close().await;
        }
        let joined = async { while self.tasks.join_next().await.is_some() {} };
        if within(&*self.clock, GRACE, joined).await.is_err() {
            tracing::warn!("a channel did not end in time");
        }
        close(&self.store).await;
    }

    /// Runs one account until the house stops or the account parks. Whatever becomes of it, the others go on.
    fn let_in(&mut self, tenant: Tenant) {
        let Tenant { account, channel } = tenant;
        let intake = Arc::clone(&self.engine);
        let stop = self.closing.child_token();
        self.tasks.spawn(async move {
            match channel.run(intake, stop).await {
                Ok(()) => tracing::debug!(%account, "the account ended"),
                Err(fault) => tracing::error!(%account, "parked: {fault}"),
            }
        });
    }

    fn keep_backups(&mut self) {
        let (store, clock, stop) = (self.store.clone(), Arc::clone(&self.clock), self.closing.child_token());
        self.tasks.spawn(async move {
            let mut pause = FIRST_BACKUP;
            while stop.run_until_cancelled(clock.sleep(pause)).await.is_some() {
                match store.backup(BACKUPS).await {
                    Ok(made) => tracing::info!(file = %made.file.display(), records = made.holds.records, "the store was copied"),
                    Err(fault) => tracing::error!(%fault, "the store could not be copied"),
                }
                pause = NEXT_BACKUP;
            }
        });
    }
}

/// Opening blocks for as long as the disk likes.
async fn open(plan: &Plan) -> Result<Store, StartFault> {
    let settings = OpenSettings { path: plan.config.folders.data.clone(), clock: Arc::clone(&plan.clock) };
    let opened = tokio::task::spawn_blocking(move || Store::open(settings)).await;
    Ok(opened.map_err(|_| StartFault::Cut)??)
}

fn build_models(config: &Config, clock: Arc<dyn Clock>) -> Result<Models, StartFault> {
    let (settings, trouble) = settings::models(config);
    for words in trouble {
        tracing::error!("{words}");
    }
    let models = Models::new(settings, clock)?;
    for line in doubts::lines(config, &models) {
        tracing::warn!("{line}");
    }
    Ok(models)
}

/// The tools of the configuration: nothing where it allows none, where they come from elsewhere, and where nothing runs.
async fn tools(plan: &Plan) -> Result<Option<Arc<Tools>>, StartFault> {
    let allowed = plan.config.agents.iter().any(|agent| !agent.tools.allow.is_empty());
    if plan.toolshed.is_some() || !allowed || matches!(plan.reach, Reach::Outgoing(_)) {
        return Ok(None);
    }
    let (config, clock) = (plan.config.clone(), Arc::clone(&plan.clock));
    let built = tokio::task::spawn_blocking(move || {
        let (settings, trouble) = settings::tools(&config);
        for words in trouble {
            tracing::error!("{words}");
        }
        for line in equipment::doubts(&config, pensive_tools::sandbox) {
            tracing::warn!("{line}");
        }
        Arc::new(Tools::new(settings, clock))
    });
    Ok(Some(built.await.map_err(|_| StartFault::Cut)?))
}

/// The masker that knows every secret of a configuration that can be read.
pub(crate) fn masker(config: &Config) -> Masker {
    Masker::new(config.all_secrets().iter().map(|secret| secret.expose().to_owned()))
}

/// Reads the secrets where blocking is allowed; whoever reads them later gets what was found.
async fn read_secrets(config: &Config) {
    let config = config.clone();
    if tokio::task::spawn_blocking(move || config.all_secrets().len()).await.is_err() {
        tracing::warn!("reading the secrets ahead failed");
    }
}

/// The home and data folders, for this user alone.
fn make_folders(config: &Config) -> Result<(), StartFault> {
    use std::os::unix::fs::DirBuilderExt;
    for path in [&config.folders.home, &config.folders.data] {
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.map_err(|cause| StartFault::Folder { path: path.display().to_string(), cause })?;
    }
    Ok(())
}

async fn close(store: &Store) {
    if let Err(fault) = store.close().await {
        tracing::error!(%fault, "the store could not be closed in order");
    }
}
