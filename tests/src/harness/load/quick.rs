//! What a person notices first: how soon it is up, how much it takes when idle, how soon it answers.

use std::time::Duration;

use anyhow::Result;
use tokio::time::sleep;

use super::bench::{Bench, Traffic, Trips};
use crate::harness::{figures::Figures, samples::Samples};

/// Starts whose median is told.
const STARTS: usize = 10;
/// After a start, before memory is read.
const IDLE: Duration = Duration::from_secs(2);
/// Messages of each kind.
const MESSAGES: usize = 500;
/// Chats that take turns, so that none is written to faster than chats take.
const CHATS: usize = 200;

/// Up, idle, and one message after the other.
pub(super) async fn measure(bench: &Bench, figures: &mut Figures) -> Result<()> {
    let home = bench.home(16)?;
    let (daemon, first) = bench.start(&home).await?;
    bench.end(daemon).await?;
    let mut starts = Samples::default();
    for _ in 1..STARTS {
        let (daemon, up) = bench.start(&home).await?;
        starts.add(up);
        bench.end(daemon).await?;
    }
    figures.add("exec → first getUpdates", "ms", starts.median()).at_most(40.0).note("median, store exists");
    figures.add("the same, store is made", "ms", first.as_secs_f64() * 1e3);
    let (daemon, _) = bench.start(&home).await?;
    sleep(IDLE).await;
    figures
        .add("idle memory", "MiB", mib(daemon.usage()?.rss))
        .at_most(18.0)
        .note("RSS 2 s after the first poll");
    let fifty = bench.one_by_one(&daemon, CHATS, 50, Traffic::Question).await?;
    let cpu = fifty.cpu.as_secs_f64() * 1e3;
    figures.add("CPU a message", "ms", cpu).at_most(3.0).note("50 questions; utime + stime");
    figures.add("model requests a message", "", fifty.requests).exactly(1.0).note("the same 50");
    let directives = bench.one_by_one(&daemon, CHATS, MESSAGES, Traffic::Directive).await?;
    tell_directives(figures, &directives);
    let questions = bench.one_by_one(&daemon, CHATS, MESSAGES, Traffic::Question).await?;
    tell_questions(figures, &questions);
    let usage = daemon.usage()?;
    figures.add("memory after these", "MiB", mib(usage.rss)).note(format!("{} threads", usage.threads));
    bench.end(daemon).await
}

fn tell_directives(figures: &mut Figures, trips: &Trips) {
    let note = format!("{} one after the other", trips.to_answer.count());
    figures.add("directive → acknowledgement, p50", "ms", trips.to_answer.median()).at_most(3.0).note(note);
    figures.add("directive → acknowledgement, p99", "ms", trips.to_answer.p99());
    figures.add("CPU a directive", "ms", trips.cpu.as_secs_f64() * 1e3);
}

fn tell_questions(figures: &mut Figures, trips: &Trips) {
    let note = format!("{} one after the other", trips.to_answer.count());
    figures.add("question → model request, p50", "ms", trips.to_model.median()).at_most(2.5).note(note);
    figures.add("question → model request, p99", "ms", trips.to_model.p99());
    figures.add("question → answer, p50", "ms", trips.to_answer.median()).at_most(7.0).note("instant model");
    figures.add("question → answer, p99", "ms", trips.to_answer.p99());
    figures.add("CPU a question", "ms", trips.cpu.as_secs_f64() * 1e3).at_most(3.0);
}

/// From KiB.
pub(super) fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}
