//! Time that runs: what is shown of an answer in the making depends on the daemon's clock, which moves here in small steps,
//! with a moment of real time for each, so that calls which are due are made before the next step.
#![allow(clippy::panic, reason = "a scene in which nothing happens fails its test")]

use std::time::Duration;

use crate::discord::DiscordFake;
use crate::scene::Scene;
use crate::talk::Talk;
use crate::telegram::{Call, Film, Seen, TelegramFake};

/// One step of the daemon's clock.
const STEP: Duration = Duration::from_millis(100);
/// What a call over loopback takes at the most on a machine that has other things to do, while nobody waits for longer than needed.
const MOMENT: Duration = Duration::from_millis(8);
/// The daemon's time after which nothing more is expected.
const PATIENCE: Duration = Duration::from_mins(5);

impl Scene {
    /// Lets time run until `look` finds something.
    ///
    /// # Panics
    /// Nothing is found in minutes of the daemon's time.
    pub async fn run_until<T>(&self, what: &str, look: impl Fn(&TelegramFake) -> Option<T>) -> T {
        let mut passed = Duration::ZERO;
        while passed < PATIENCE {
            if let Some(found) = self.telegram.wait_within(MOMENT, &look).await {
                return found;
            }
            self.advance(STEP);
            passed += STEP;
        }
        let calls = self.telegram.calls_where(|call| call.chat().is_some());
        let last: Vec<_> = calls.iter().rev().take(12).rev().map(told).collect();
        panic!("{what}: it did not come within {PATIENCE:?}; the last calls:\n{}", last.join("\n"))
    }

    /// The same for what happens at Discord.
    ///
    /// # Panics
    /// Nothing is found in minutes of the daemon's time.
    pub async fn run_until_at_discord<T>(&self, what: &str, look: impl Fn(&DiscordFake) -> Option<T>) -> T {
        let mut passed = Duration::ZERO;
        while passed < PATIENCE {
            if let Some(found) = self.discord.wait_within(MOMENT, &look).await {
                return found;
            }
            self.advance(STEP);
            passed += STEP;
        }
        let calls = self.discord.calls_where(|_| true);
        let last = calls.iter().rev().take(12).rev();
        let last: Vec<_> = last
            .map(|call| format!("  {} {} {} {}", call.method, call.route, call.status, call.body))
            .collect();
        panic!("{what}: it did not come within {PATIENCE:?}; the last calls:\n{}", last.join("\n"))
    }

    /// Lets time run until something that a bot shows contains `part`, a draft or a message.
    pub async fn run_until_seen(&self, film: &Film, part: &str) {
        self.run_until(part, |_| film.first(part)).await;
    }

    /// The next message of a talk, while time runs: a chat takes no more than a few at once.
    pub async fn hear(&self, talk: &mut Talk) -> Seen {
        let passing = async {
            loop {
                self.run_for(STEP).await;
            }
        };
        tokio::select! {
            biased;
            seen = talk.next() => seen,
            () = passing => unreachable!("time never ends"),
        }
    }

    /// Lets so much time pass, with whatever is due in it.
    pub async fn run_for(&self, span: Duration) {
        let mut left = span;
        while !left.is_zero() {
            let step = STEP.min(left);
            self.advance(step);
            self.telegram.wait_within(MOMENT, |_| None::<()>).await;
            left -= step;
        }
    }
}

fn told(call: &Call) -> String {
    format!("  {} {} {}", call.method, call.status, call.params)
}
