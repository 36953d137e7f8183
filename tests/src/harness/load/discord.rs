//! The same on Discord: how soon the line is open, how much it takes when idle, how soon a message, a command and a value that is
//! being typed are answered.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;
use tokio::time::sleep;

use super::{
    bench::{Bench, PATIENCE, Traffic, cpu_between},
    quick::mib,
};
use crate::{
    discord::{Call, DiscordFake, Person},
    harness::{daemon::Daemon, figures::Figures, home::Home, samples::Samples},
};

/// Messages of each kind.
const MESSAGES: usize = 300;
/// People who take turns, so that no channel is written to faster than channels take.
const PEOPLE: usize = 100;
/// The machine's rest between two.
const GAP: Duration = Duration::from_millis(3);
/// After a start, before memory is read.
const IDLE: Duration = Duration::from_secs(2);

/// Up, idle, and one thing after the other.
pub(super) async fn measure(bench: &Bench, figures: &mut Figures) -> Result<()> {
    let fake = DiscordFake::start().await?;
    fake.unlimited();
    let keys = crate::scene::discord_keys(&fake.url(), fake.token());
    let home = bench.home_with(16, |config| {
        if let Some(fields) = config.as_object_mut() {
            fields.insert("channels".into(), json!({ "discord": keys }));
        }
    })?;
    let (daemon, _) = start(bench, &fake, &home).await?;
    daemon.stop(PATIENCE).await?;
    fake.line().wait_until_closed().await;
    let (daemon, up) = start(bench, &fake, &home).await?;
    figures.add("discord: exec → line open", "ms", up.as_secs_f64() * 1e3).note("RESUME, store exists");
    sleep(IDLE).await;
    figures.add("discord: idle memory", "MiB", mib(daemon.usage()?.rss)).at_most(20.0);
    let people: Vec<Person> = (0..PEOPLE).map(|n| fake.person(&format!("Person {n}"))).collect();
    let before = daemon.usage()?;
    for (traffic, name) in [(Traffic::Directive, "directive"), (Traffic::Question, "question")] {
        let mut trips = Samples::default();
        for number in 0..MESSAGES {
            let person = people.get(number % PEOPLE).context("no people")?;
            let act = || {
                person.say(&traffic.text(number));
            };
            trips.add(
                trip(&fake, act, |call| {
                    call.channel == person.channel() && call.is("POST /channels/{}/messages")
                })
                .await?,
            );
        }
        tell(figures, name, &trips);
    }
    let cpu = cpu_between(before, daemon.usage()?).as_secs_f64() * 1e3 / (2 * MESSAGES) as f64;
    figures.add("discord: CPU a message", "ms", cpu).at_most(3.0);
    commands(&fake, people.first().context("no people")?, figures).await?;
    daemon.stop(PATIENCE).await
}

async fn start(bench: &Bench, fake: &DiscordFake, home: &Home) -> Result<(Daemon, Duration)> {
    let mut daemon = Daemon::start(&bench.program, home)?;
    let open = fake.wait_within(PATIENCE, |fake| (fake.line().open() > 0).then(Instant::now)).await;
    daemon.alive().with_context(|| home.last_words(20))?;
    let open = open.with_context(|| format!("no line; {}", home.last_words(20)))?;
    let up = open.saturating_duration_since(daemon.born);
    Ok((daemon, up))
}

async fn commands(fake: &DiscordFake, person: &Person, figures: &mut Figures) -> Result<()> {
    let offered = fake.wait_within(PATIENCE, |_| person.is_offered("think").then_some(())).await;
    offered.context("no slash commands were published")?;
    let (mut called, mut typed) = (Samples::default(), Samples::default());
    let answers = |call: &Call| call.is("POST /interactions/{}/{}/callback");
    for number in 0..MESSAGES {
        let level = if number % 2 == 0 { "low" } else { "high" };
        called.add(trip(fake, || drop(person.command("think", &[("level", level)])), answers).await?);
        sleep(GAP).await;
        let begun = Instant::now();
        person.complete("think", "level", "").await;
        typed.add(begun.elapsed());
    }
    tell(figures, "slash command", &called);
    tell(figures, "value being typed", &typed);
    Ok(())
}

/// From what somebody does to the call that answers it.
async fn trip(fake: &DiscordFake, act: impl FnOnce(), answers: impl Fn(&Call) -> bool) -> Result<Duration> {
    sleep(GAP).await;
    fake.forget();
    let begun = fake.elapsed();
    act();
    let answer = fake.wait_within(PATIENCE, |fake| fake.calls_where(&answers).pop()).await;
    let answer = answer.context("no answer")?;
    Ok(Duration::from_micros(answer.came).saturating_sub(begun))
}

fn tell(figures: &mut Figures, what: &str, trips: &Samples) {
    figures.add(format!("discord: {what} → answer, p50"), "ms", trips.median()).at_most(7.0);
    figures.add(format!("discord: {what} → answer, p99"), "ms", trips.p99());
}
