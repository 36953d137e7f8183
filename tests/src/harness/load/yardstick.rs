//! The same trial for an echo bot of a well-known library, as the measure of a minimal bot.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use tokio::{process::Command, time::sleep};

use super::{
    bench::{Bench, Traffic},
    quick::mib,
};
use crate::harness::{figures::Figures, samples::Samples};

/// The library, as it is named in the table and to pip.
const LIBRARY: &str = "python-telegram-bot==22.8";
/// Starts whose median is told.
const STARTS: usize = 5;
/// Messages one after the other.
const MESSAGES: usize = 500;

/// Start, memory, latency and processor time of the echo bot.
pub(super) async fn measure(bench: &Bench, figures: &mut Figures) -> Result<()> {
    let python = python().await?;
    let home = bench.home(1)?;
    let mut starts = Samples::default();
    for _ in 0..STARTS {
        let (bot, up) = bench.start_other(echo(bench, &python), &home).await?;
        starts.add(up);
        bench.end(bot).await?;
    }
    figures.add("yardstick: exec → first getUpdates", "ms", starts.median()).note(LIBRARY);
    let (bot, _) = bench.start_other(echo(bench, &python), &home).await?;
    sleep(Duration::from_secs(2)).await;
    figures.add("yardstick: idle memory", "MiB", mib(bot.usage()?.rss));
    let trips = bench.one_by_one(&bot, 1, MESSAGES, Traffic::Question).await?;
    figures.add("yardstick: message → echo, p50", "ms", trips.to_answer.median()).note("no model is asked");
    figures.add("yardstick: message → echo, p99", "ms", trips.to_answer.p99());
    figures.add("yardstick: CPU a message", "ms", trips.cpu.as_secs_f64() * 1e3);
    bench.end(bot).await
}

fn echo(bench: &Bench, python: &Path) -> Command {
    let script = foreign().join("yardstick_echo.py");
    let mut command = Command::new(python);
    command.arg(script).arg(bench.world.telegram.url()).arg(bench.world.telegram.token());
    command
}

fn foreign() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("foreign")
}

/// A Python that has the library: the one of the foreign clients, or a new one beside it.
async fn python() -> Result<PathBuf> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/foreign");
    let python = target.join("bin/python3");
    if !python.exists() {
        let made =
            Command::new("python3").args(["-m", "venv"]).arg(&target).status().await.context("python3")?;
        ensure!(made.success(), "no virtual environment could be made");
    }
    if !has_library(&python).await {
        let installed =
            Command::new(&python).args(["-m", "pip", "install", "--quiet", LIBRARY]).status().await?;
        ensure!(installed.success(), "{LIBRARY} could not be installed");
    }
    Ok(python)
}

async fn has_library(python: &Path) -> bool {
    let look = Command::new(python).args(["-c", "import telegram.ext"]).output().await;
    look.is_ok_and(|output| output.status.success())
}
