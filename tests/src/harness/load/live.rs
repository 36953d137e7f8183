//! Answers while they are made: what lies between the model's word and the person's eye, and how many calls one answer costs.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tokio::time::sleep;

use super::bench::{Bench, PATIENCE, is_message};
use crate::{
    gate::Gate,
    harness::{figures::Figures, samples::Samples},
    model::Script,
    telegram::{Call, Person},
};

/// Answers whose times are taken, one after the other, each in a chat of its own.
const TIMED: usize = 200;
/// Answers whose calls are counted, at the same time.
const COUNTED: usize = 50;
/// Words of each of those, and the time between two of them.
const WORDS: usize = 120;
const GAP: Duration = Duration::from_millis(33);

/// Times, then calls.
pub(super) async fn measure(bench: &Bench, figures: &mut Figures) -> Result<()> {
    let home = bench.home_with(COUNTED, |config| {
        if let Some(defaults) = config.pointer_mut("/agents/defaults").and_then(|value| value.as_object_mut())
        {
            defaults.insert("reasoningDefault".to_owned(), json!("stream"));
            defaults.insert("thinkingDefault".to_owned(), json!("high"));
        }
    })?;
    let (daemon, _) = bench.start(&home).await?;
    times(bench, figures).await.with_context(|| home.last_words(20))?;
    calls(bench, figures).await.with_context(|| home.last_words(20))?;
    bench.end(daemon).await
}

/// One answer that waits before its thought, its words and its end.
#[derive(Clone, Debug, Default)]
struct Held {
    thought: Gate,
    words: Gate,
    end: Gate,
}

impl Held {
    fn script(&self) -> Script {
        Script::new()
            .wait(&self.thought)
            .reasoning("A thought that is long enough to be seen at once. ")
            .wait(&self.words)
            .text("Words that are long enough to be seen at once, and ")
            .wait(&self.end)
            .text("the end.")
    }
}

async fn times(bench: &Bench, figures: &mut Figures) -> Result<()> {
    let held: Arc<Vec<Held>> = Arc::new((0..TIMED).map(|_| Held::default()).collect());
    let scripts = Arc::clone(&held);
    let next = AtomicUsize::new(0);
    bench.world.reply_with(move |request| {
        let is_ours = request.prompt().starts_with("timed");
        let held = is_ours.then(|| next.fetch_add(1, Ordering::Relaxed)).and_then(|n| scripts.get(n));
        held.map(Held::script)
    });
    let (mut first, mut last) = (Samples::default(), Samples::default());
    for (person, held) in bench.people.iter().zip(held.iter()) {
        let telegram = &bench.world.telegram;
        telegram.wait_for_poll().await;
        telegram.forget();
        person.say("timed");
        let reached = tokio::time::timeout(PATIENCE, held.thought.reached(1)).await;
        ensure!(reached.is_ok(), "the model was not asked");
        sleep(Duration::from_millis(5)).await;
        let shows =
            |call: &Call| call.method.ends_with("Draft") && call.params.to_string().contains("A thought");
        first.add(after(bench, person, &held.thought, shows).await.context("no draft of a thought")?);
        held.words.open();
        held.end.reached(1).await;
        sleep(Duration::from_millis(20)).await;
        last.add(after(bench, person, &held.end, is_message).await.context("no answer")?);
    }
    figures
        .add("first reasoning delta → first draft, p50", "ms", first.median())
        .at_most(5.0)
        .note(format!("p99 {:.2}; {TIMED} answers, one after the other", first.p99()));
    figures
        .add("last delta → final message, p50", "ms", last.median())
        .at_most(7.0)
        .note(format!("p99 {:.2}; stored and flushed before it is sent", last.p99()));
    Ok(())
}

/// Opens a gate and gives the time until such a call comes in this person's chat.
async fn after(
    bench: &Bench,
    person: &Person,
    gate: &Gate,
    wanted: impl Fn(&Call) -> bool,
) -> Option<Duration> {
    let telegram = &bench.world.telegram;
    let opened = Instant::now();
    gate.open();
    let look = |call: &Call| call.chat() == Some(person.id()) && wanted(call);
    let call = telegram.wait_within(PATIENCE, |fake| fake.calls_where(look).into_iter().next()).await?;
    let opened = opened.saturating_duration_since(telegram.started());
    Some(Duration::from_micros(call.came).saturating_sub(opened))
}

async fn calls(bench: &Bench, figures: &mut Figures) -> Result<()> {
    bench.world.reply_with(|request| {
        request.prompt().starts_with("counted").then(|| {
            let thoughts = (0..WORDS / 4)
                .fold(Script::new(), |script, n| script.delay(GAP).reasoning(&format!("thought{n} ")));
            (0..WORDS).fold(thoughts, |script, n| script.delay(GAP).text(&format!("word{n} ")))
        })
    });
    let telegram = &bench.world.telegram;
    telegram.wait_for_poll().await;
    telegram.forget();
    let people: Vec<&Person> = bench.people.iter().skip(TIMED).take(COUNTED).collect();
    for person in &people {
        person.say("counted");
    }
    let limit = PATIENCE + GAP * u32::try_from(WORDS * 2)?;
    let done = telegram
        .wait_within(limit, |fake| (fake.calls_where(is_message).len() >= COUNTED).then_some(()))
        .await;
    ensure!(done.is_some(), "only {} of {COUNTED} were answered", telegram.calls_where(is_message).len());
    sleep(Duration::from_secs(1)).await;
    let each = |count: usize| count as f64 / COUNTED as f64;
    let of = |wanted: &dyn Fn(&Call) -> bool| {
        each(telegram.calls_where(|call| call.chat().is_some() && wanted(call)).len())
    };
    let (all, drafts) = (of(&|_| true), of(&|call| call.method.ends_with("Draft")));
    let (typing, messages) = (of(&|call| call.method == "sendChatAction"), of(&is_message));
    let took = GAP.as_secs_f64() * (WORDS + WORDS / 4) as f64;
    figures
        .add("calls an answer", "", all)
        // A draft every 300 ms at the most, typing now and then, and the answer.
        .at_most(took / 0.3 + 4.0)
        .note(format!(
            "{took:.1} s of stream in {COUNTED} chats at once; {drafts:.1} drafts, {typing:.1} typing"
        ));
    figures.add("messages an answer", "", messages).exactly(1.0);
    Ok(())
}
