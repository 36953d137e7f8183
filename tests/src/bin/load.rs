//! Measures the release build of the daemon between the fakes: prints one table and writes the figures as JSON.
//!
//! `cargo run --release -p pensive-tests --bin load`

use std::path::PathBuf;

use clap::Parser;
use pensive_tests::harness::{
    load::{Options, Part, run},
    program::{Freshness, pensive},
};

/// Measure start, memory, latency, processor time and growth of pensive, beside their aims
#[derive(Debug, Parser)]
struct Arguments {
    /// Only this part; may be given more than once
    #[arg(long, value_enum)]
    only: Vec<Part>,
    /// A million sessions too; takes minutes and gigabytes
    #[arg(long)]
    full: bool,
    /// Where the figures go
    #[arg(long, default_value = "target/load.json")]
    json: PathBuf,
    /// The daemon to measure, instead of the one beside this program
    #[arg(long)]
    program: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    // Fails only when a provider is there already.
    drop(rustls::crypto::ring::default_provider().install_default());
    let arguments = Arguments::parse();
    let program = match arguments.program {
        Some(program) => program,
        None => pensive(Freshness::Checked)?,
    };
    let figures = run(&Options { program, only: arguments.only, full: arguments.full }).await?;
    figures.write(&arguments.json)?;
    println!("{figures}");
    eprintln!("written to {}", arguments.json.display());
    Ok(())
}
