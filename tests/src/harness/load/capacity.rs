//! Many at once: how many messages a second, and what a thousand running answers weigh.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::time::sleep;

use super::{
    bench::{Bench, PATIENCE, Traffic, cpu_between, is_message},
    quick::mib,
};
use crate::harness::{daemon::Daemon, figures::Figures};

/// Chats that write at once.
const CHATS: usize = 400;
/// Messages of each of them: as many as a chat takes at once, so that what is measured is the daemon and not the pace of chats.
const EACH: usize = 5;
/// Runs that stream at once.
pub(super) const STREAMS: usize = 1_000;

/// Messages a second: everybody's messages wait at the server when the bot comes to fetch them.
pub(super) async fn throughput(bench: &Bench, figures: &mut Figures) -> Result<()> {
    let home = bench.home(64)?;
    let (daemon, _) = bench.start(&home).await?;
    for (traffic, from) in [(Traffic::Directive, 0), (Traffic::Question, CHATS)] {
        let before = daemon.usage()?;
        let rate = flood(bench, traffic, from).await?;
        let cpu = cpu_between(before, daemon.usage()?).as_secs_f64() * 1e3 / (CHATS * EACH) as f64;
        let what = if traffic == Traffic::Directive { "directives" } else { "questions" };
        figures
            .add(format!("{what} a second"), "1/s", rate)
            .note(format!("{CHATS} chats, {EACH} each; {cpu:.2} ms CPU each; the fakes share the machine"));
    }
    bench.end(daemon).await
}

/// Queues everything, lets it go, and gives the rate up to the last answer.
async fn flood(bench: &Bench, traffic: Traffic, from: usize) -> Result<f64> {
    let telegram = &bench.world.telegram;
    let bot = telegram.bot();
    telegram.wait_for_poll().await;
    bot.hold_updates();
    // The first of all chats come first.
    for number in 0..EACH {
        for person in bench.people.iter().skip(from).take(CHATS) {
            person.say(&traffic.text(number));
        }
    }
    telegram.forget();
    let released = telegram.started().elapsed();
    bot.release_updates();
    let wanted = CHATS * EACH;
    let deadline = Instant::now() + PATIENCE * 4;
    let mut last = Duration::ZERO;
    loop {
        sleep(Duration::from_millis(20)).await;
        let sent = telegram.calls_where(is_message);
        if let Some(call) = sent.last() {
            last = Duration::from_micros(call.came);
        }
        if sent.len() >= wanted {
            break;
        }
        ensure!(Instant::now() < deadline, "only {} of {wanted} were answered", sent.len());
    }
    Ok(wanted as f64 / last.saturating_sub(released).as_secs_f64())
}

/// Memory while a thousand answers stream and none ends.
pub(super) async fn streaming(bench: &Bench, figures: &mut Figures) -> Result<()> {
    let home = bench.home(STREAMS)?;
    let (daemon, _) = bench.start(&home).await?;
    sleep(Duration::from_secs(1)).await;
    let idle = daemon.usage()?.rss;
    bench.world.hold_answers();
    for (number, person) in bench.people.iter().take(STREAMS).enumerate() {
        person.say(&Traffic::Question.text(number));
    }
    let begun = Instant::now();
    while bench.world.held_answers() < STREAMS {
        sleep(Duration::from_millis(20)).await;
        ensure!(begun.elapsed() < PATIENCE * 2, "only {} streams are open", bench.world.held_answers());
    }
    let opened = begun.elapsed();
    sleep(Duration::from_secs(2)).await;
    let usage = daemon.usage()?;
    figures.add("1,000 answers streaming", "MiB", mib(usage.rss)).at_most(100.0).note(format!(
        "RSS; {:.1} MiB before them, {:.1} at most, open after {opened:.1?}",
        mib(idle),
        mib(usage.peak)
    ));
    finish_streams(bench, &daemon, figures).await?;
    bench.end(daemon).await
}

async fn finish_streams(bench: &Bench, daemon: &Daemon, figures: &mut Figures) -> Result<()> {
    let telegram = &bench.world.telegram;
    telegram.forget();
    bench.world.release_answers();
    let begun = Instant::now();
    while telegram.calls_where(is_message).len() < STREAMS {
        sleep(Duration::from_millis(20)).await;
        let sent = telegram.calls_where(is_message).len();
        ensure!(begun.elapsed() < PATIENCE * 2, "only {sent} of the streams were answered");
    }
    let took = begun.elapsed();
    sleep(Duration::from_secs(12)).await;
    let usage = daemon.usage().context("the daemon is gone")?;
    figures
        .add("memory after them", "MiB", mib(usage.rss))
        .note(format!("12 s after the last answer; all were there within {took:.1?}"));
    Ok(())
}
