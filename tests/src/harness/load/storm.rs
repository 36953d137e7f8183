//! A thousand answers in chats of two and in groups, while the platform silences chats again and again: previews may be dropped,
//! answers may wait, and each arrives once.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use fastrand::Rng;
use serde_json::Value;
use tokio::time::sleep;

use super::bench::Bench;
use crate::{
    harness::{figures::Figures, home::Home},
    model::Script,
    telegram::{Call, FloodLimits, Person},
};

/// Answers in all, and at the same time.
const RUNS: usize = 1_000;
const WAVE: usize = 250;
/// Every so many of them are asked for in a group.
const GROUP_EACH: usize = 4;
/// Pieces of each answer, and the time between two of them.
const PIECES: usize = 24;
const GAP: Duration = Duration::from_millis(120);
/// Between two silences, each in a chat of its own.
const STRIKE: Duration = Duration::from_millis(12);
/// From the last silence on, how long answers may take.
const PATIENCE: Duration = Duration::from_secs(60);
const STOP: &str = "⏹";
/// Microseconds that a call may be on its way, on a machine that has much to do, before it counts as made in spite of what was told.
const ON_ITS_WAY: u64 = 300_000;

/// Streams, silences, and looks whether everything arrived.
pub(super) async fn measure(bench: &Bench, figures: &mut Figures) -> Result<()> {
    bench.world.reply_with(|request| {
        let prompt = request.prompt();
        let token = prompt.split_whitespace().find(|word| word.starts_with("storm"))?.to_owned();
        let script = (0..PIECES)
            .fold(Script::new(), |script, n| script.delay(GAP).text(&format!("piece {n} of it. ")));
        Some(script.text(&format!("{token} ends.")))
    });
    let home = bench.home(WAVE)?;
    let (daemon, _) = bench.start(&home).await?;
    bench.world.telegram.forget();
    bench.world.telegram.limit(FloodLimits::default());
    let places = places(bench);
    let mut storm = Storm { bench, rng: Rng::with_seed(7), silences: 0, slowest: Duration::ZERO };
    for wave in 0..RUNS / WAVE {
        storm.wave(&places, wave * WAVE).await.with_context(|| home.last_words(20))?;
    }
    storm.tell(&places, figures, &home);
    bench.end(daemon).await
}

/// Where people ask: most with the bot alone, some in groups.
fn places(bench: &Bench) -> Vec<Person> {
    let place = |(n, person): (usize, &Person)| match n % GROUP_EACH {
        0 => person.at(&bench.world.telegram.supergroup(&format!("Room {n}"), &[person])),
        _ => person.clone(),
    };
    bench.people.iter().take(WAVE).enumerate().map(place).collect()
}

struct Storm<'a> {
    bench: &'a Bench,
    rng: Rng,
    silences: usize,
    /// From the end of a wave's streams, when the last silence may have begun, to its last answer.
    slowest: Duration,
}

impl Storm<'_> {
    async fn wave(&mut self, places: &[Person], from: usize) -> Result<()> {
        for (n, person) in places.iter().enumerate() {
            person.say(&format!("Tell me about storm{:04}", from + n));
        }
        let streams = GAP * u32::try_from(PIECES)? + Duration::from_secs(1);
        let begun = Instant::now();
        while begun.elapsed() < streams {
            if let Some(person) = self.rng.choice(places) {
                let span = Duration::from_millis(self.rng.u64(1_000..3_000));
                self.bench.world.telegram.bot().silence(person.chat(), span);
                self.silences += 1;
            }
            sleep(STRIKE).await;
        }
        let ended = Instant::now();
        while ended.elapsed() < PATIENCE
            && places.iter().enumerate().any(|(n, place)| finals(place, from + n) == 0)
        {
            sleep(Duration::from_millis(20)).await;
        }
        self.slowest = self.slowest.max(ended.elapsed());
        // What would be doubled comes after a while.
        sleep(Duration::from_secs(2)).await;
        Ok(())
    }

    fn tell(&self, places: &[Person], figures: &mut Figures, home: &Home) {
        let telegram = &self.bench.world.telegram;
        let count = |wanted: &dyn Fn(&Call) -> bool| telegram.calls_where(wanted).len() as f64;
        let counts: Vec<usize> =
            (0..RUNS).filter_map(|n| places.get(n % WAVE).map(|place| finals(place, n))).collect();
        let arrived = counts.iter().filter(|count| **count > 0).count();
        let doubled = counts.iter().filter(|count| **count > 1).count();
        let standing = places
            .iter()
            .flat_map(Person::sees)
            .filter(|seen| seen.buttons.iter().any(|label| label.contains(STOP)));
        let standing = standing.count() as f64;
        let dropped = count(&|call| is_preview(call) && call.status == 429);
        let previews = count(&is_preview);
        let note = format!(
            "{} silences of 1 to 3 s; the last {:.1} s after the streams",
            self.silences,
            self.slowest.as_secs_f64()
        );
        figures
            .add("storm: answers of 1,000 that arrived", "", arrived as f64)
            .exactly(RUNS as f64)
            .note(note);
        figures.add("storm: answers that came twice", "", doubled as f64).exactly(0.0);
        figures.add("storm: previews left standing", "", standing).exactly(0.0);
        figures.add("storm: previews dropped", "", dropped).note(format!("of {previews:.0}, by 429"));
        let deaf = deaf(&telegram.calls_where(|call| call.chat().is_some()));
        figures
            .add("storm: calls into a silence", "", deaf as f64)
            .exactly(0.0)
            .note("but for those that were on their way");
        let others =
            telegram.violations().into_iter().filter(|found| !found.what.contains("silence")).count();
        figures.add("storm: other violations", "", others as f64).exactly(0.0);
        if arrived < RUNS {
            eprintln!("{}", home.last_words(20));
        }
    }
}

/// How often the whole of this answer stands in its chat.
fn finals(place: &Person, number: usize) -> usize {
    let end = format!("storm{number:04} ends.");
    place.sees().iter().filter(|seen| seen.by_bot && seen.text.ends_with(&end)).count()
}

/// Calls that came though the chat had been told a while before that it is silent for longer.
fn deaf(calls: &[Call]) -> usize {
    let mut until: HashMap<i64, (u64, u64)> = HashMap::new();
    let mut count = 0;
    for call in calls {
        let Some(chat) = call.chat() else { continue };
        if let Some((told, end)) = until.get(&chat) {
            count += usize::from(call.came > told + ON_ITS_WAY && call.came < *end);
        }
        if call.status == 429 && until.get(&chat).is_none_or(|(_, end)| call.at >= *end) {
            let seconds =
                call.answer.as_str().and_then(|words| words.rsplit(' ').next()?.parse::<u64>().ok());
            // The wait is told in whole seconds, so that the silence may end up to one sooner.
            let span = seconds.unwrap_or_default().saturating_sub(1) * 1_000_000;
            until.insert(chat, (call.at, call.at + span));
        }
    }
    count
}

fn is_preview(call: &Call) -> bool {
    let has_stop =
        || call.params.get("reply_markup").map(Value::to_string).is_some_and(|markup| markup.contains(STOP));
    call.method.ends_with("Draft") || has_stop()
}
