//! Kills the daemon with SIGKILL again and again while people write to it, and tells what became of every message.
//!
//! `cargo run -p pensive-tests --bin crash -- --rounds 200`

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;
use pensive_tests::harness::{
    crash::{Trial, run},
    program::{Freshness, pensive},
};

/// Kill pensive at random instants under load and look whether anything was lost or doubled
#[derive(Debug, Parser)]
struct Arguments {
    /// How often it is killed
    #[arg(long, default_value_t = 200)]
    rounds: usize,
    /// Decides what is sent; random when not given
    #[arg(long)]
    seed: Option<u64>,
    /// How many people write
    #[arg(long, default_value_t = 24)]
    people: usize,
    /// Where the figures go
    #[arg(long, default_value = "target/crash.json")]
    json: PathBuf,
    /// The daemon to try, instead of the one beside this program
    #[arg(long)]
    program: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let program = match arguments.program {
        Some(program) => program,
        None => pensive(Freshness::Checked)?,
    };
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..));
    let trial = Trial { rounds: arguments.rounds, seed, people: arguments.people, program };
    let outcome = run(&trial).await?;
    println!("{outcome}");
    outcome.write(&arguments.json)?;
    Ok(if outcome.clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
