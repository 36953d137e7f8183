//! Which measurements are made, in which order.

use std::path::PathBuf;

use anyhow::Result;

use super::{
    bench::Bench,
    capacity::{self, STREAMS},
    discord, floor, growth, live, quick, storm, yardstick,
};
use crate::harness::figures::Figures;

/// What is measured.
#[derive(Clone, Debug)]
pub struct Options {
    /// The daemon, a release build.
    pub program: PathBuf,
    /// Parts by name; none means all.
    pub only: Vec<Part>,
    /// A million sessions too.
    pub full: bool,
}

/// A part of the trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// The machine's own cost: a bare HTTP echo, one flush.
    Floor,
    /// Start, idle memory, one message after the other.
    Quick,
    /// The same on Discord.
    Discord,
    /// Messages a second.
    Throughput,
    /// A thousand answers at once.
    Streaming,
    /// Answers while they are made: how soon the first of a thought is seen, how soon the end of the answer, by how many calls.
    Live,
    /// A thousand answers while Telegram silences chats right and left.
    Storm,
    /// The same with more and more sessions in the store.
    Growth,
    /// An echo bot of a well-known library.
    Yardstick,
}

/// Measures what was asked for.
pub async fn run(options: &Options) -> Result<Figures> {
    let mut figures = Figures::default();
    let mut bench = Bench::new(options.program.clone(), STREAMS).await?;
    let wanted = |part| options.only.is_empty() || options.only.contains(&part);
    if wanted(Part::Floor) {
        let echo = floor::http_echo().await?;
        figures.add("floor: HTTP echo, p50", "ms", echo.median()).note(format!("p99 {:.2}", echo.p99()));
        let flush = floor::flush(&bench.home(1)?.path())?;
        figures
            .add("floor: one flush, p50", "ms", flush.median())
            .note(format!("4 KiB; p99 {:.2}", flush.p99()));
    }
    if wanted(Part::Quick) {
        quick::measure(&bench, &mut figures).await?;
    }
    if wanted(Part::Discord) {
        discord::measure(&bench, &mut figures).await?;
    }
    if wanted(Part::Throughput) {
        capacity::throughput(&bench, &mut figures).await?;
    }
    if wanted(Part::Streaming) {
        capacity::streaming(&bench, &mut figures).await?;
    }
    if wanted(Part::Live) {
        live::measure(&bench, &mut figures).await?;
    }
    if wanted(Part::Storm) {
        storm::measure(&bench, &mut figures).await?;
    }
    if wanted(Part::Growth) {
        let sizes: &[usize] =
            if options.full { &[100, 10_000, 100_000, 1_000_000] } else { &[100, 10_000, 100_000] };
        growth::measure(&mut bench, sizes, &mut figures).await?;
    }
    if wanted(Part::Yardstick) {
        yardstick::measure(&bench, &mut figures).await?;
    }
    Ok(figures)
}
