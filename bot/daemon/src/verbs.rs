//! What the command line offers, a file for each verb.

mod chat;
mod config;
mod doctor;
mod explain;
mod models;
mod run;
mod send;
mod status;
mod store;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use pensive_config::{Config, Environment, Sources};
use pensive_contract::clock::Clock;
use pensive_models::Models;
use pensive_terminal::{Ink, Link, TerminalFault};
use serde::Serialize;
use tokio::runtime::{Builder, Runtime};

use crate::arguments::{Arguments, Common, Verb};
use crate::clock::SystemClock;
use crate::exit::{Failure, code_of};
use crate::house::{StartFault, socket};
use crate::settings;

/// The program: reads its command line, does what it says, and gives the exit code.
pub fn main() -> ExitCode {
    let Arguments { common, verb } = Arguments::parse();
    code_of(match verb.unwrap_or(Verb::Run) {
        Verb::Run => run::run(&common),
        Verb::Chat(asked) => chat::chat(&common, &asked),
        Verb::Send(asked) => send::send(&common, asked),
        Verb::Status { json } => status::status(&common, json),
        Verb::Doctor(asked) => doctor::doctor(&common, &asked),
        Verb::Models(asked) => models::models(&common, &asked),
        Verb::Explain(asked) => explain::explain(&common, &asked),
        Verb::Config(asked) => config::config(&common, &asked),
        Verb::Store(asked) => store::store(&common, &asked),
    })
}

/// The checked configuration, and the person who is logged in.
struct Setting {
    config: Config,
    user: String,
    /// What a terminal can be told, where there is one.
    ink: Option<Ink>,
}

fn load(common: &Common) -> Result<Setting, Failure> {
    let env = Environment::capture();
    let user = env.get("USER").or_else(|| env.get("LOGNAME")).unwrap_or("local").to_owned();
    let ink = chat::ink(env.get("TERM"), env.get("NO_COLOR"));
    let config =
        pensive_config::load(Sources { file: common.config.clone(), home: common.home.clone(), env })?;
    Ok(Setting { config, user, ink })
}

/// What is known of models, for whoever calls none: no key is read.
fn catalogue(config: &Config) -> Result<Models, Failure> {
    // Where another one is installed already, it is the same.
    drop(rustls::crypto::ring::default_provider().install_default());
    Models::new(settings::keyless(config), clock()).map_err(|fault| StartFault::from(fault).into())
}

fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock)
}

/// A runtime for a program that waits most of the time: few threads, and those that block end soon.
fn runtime() -> Result<Runtime, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Builder::new_multi_thread()
        .worker_threads(cores.min(4))
        .max_blocking_threads(16)
        .thread_keep_alive(Duration::from_secs(2))
        .thread_name("pensive")
        .enable_all()
        .build()
        .map_err(|cause| Failure::Failed(format!("the runtime cannot be started: {cause}")))
}

/// Connects to the daemon of this home; nothing where none runs.
async fn daemon(setting: &Setting) -> Result<Option<Link>, Failure> {
    match Link::connect(&socket(&setting.config), &setting.user).await {
        Ok(link) => Ok(Some(link)),
        Err(TerminalFault::NoDaemon(_)) => Ok(None),
        Err(fault) => Err(fault.into()),
    }
}

/// Writes a result to standard output.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// `1 session`, `2 sessions`.
fn count(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Writes a result to standard output as one JSON object.
fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(io::Error::from)?;
    print(&text)
}

/// Says something to the person at the terminal, on standard error. Where that is closed or full nobody hears it, and all
/// else goes on: a daemon outlives the terminal, the pipe or the log service that it was started with.
pub(crate) fn tell(line: &str) {
    drop(writeln!(io::stderr().lock(), "{line}"));
}
