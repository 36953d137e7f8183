//! The outside of the daemon in a trial: a Telegram, and a model that says back what it hears, after a while or not before it is
//! let.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use anyhow::Result;

use super::home::Wiring;
use crate::{
    gate::Gate,
    model::{ModelFake, Request, Script},
    telegram::TelegramFake,
};

/// Both fakes, ready to be written into a configuration.
#[derive(Debug)]
pub struct World {
    /// Where people write.
    pub telegram: TelegramFake,
    model: ModelFake,
    manner: Arc<Mutex<Manner>>,
}

/// How the model answers just now.
#[derive(Debug, Default)]
struct Manner {
    delay: Duration,
    held: Option<Gate>,
    asked: Option<Instant>,
}

impl World {
    /// Starts both on loopback.
    pub async fn start() -> Result<Self> {
        let (telegram, model) = (TelegramFake::start().await?, ModelFake::start().await?);
        // Prompts with their history would fill the memory of a long trial.
        model.keep_requests(0);
        let manner = Arc::<Mutex<Manner>>::default();
        let heard = Arc::clone(&manner);
        model.reply_with(move |request| Some(lock(&heard).answer(request)));
        Ok(Self { telegram, model, manner })
    }

    /// What a home needs to know of them; everybody may write.
    pub fn wiring(&self) -> Wiring {
        Wiring {
            telegram: self.telegram.url(),
            token: self.telegram.token().to_owned(),
            model: self.model.base_url(),
            people: Vec::new(),
            runs: 16,
        }
    }

    /// From now on the model takes so long in the middle of each answer.
    pub fn answer_after(&self, delay: Duration) {
        lock(&self.manner).delay = delay;
    }

    /// From now on the model begins its answers and stops in the middle.
    pub fn hold_answers(&self) {
        lock(&self.manner).held = Some(Gate::new());
    }

    /// Lets the held answers go on.
    pub fn release_answers(&self) {
        if let Some(gate) = lock(&self.manner).held.take() {
            gate.open();
        }
    }

    /// Answers that are being held in their middle.
    pub fn held_answers(&self) -> usize {
        lock(&self.manner).held.as_ref().map_or(0, Gate::arrivals)
    }

    /// How often the model was asked.
    pub fn model_requests(&self) -> usize {
        self.model.count()
    }

    /// When it was asked last.
    pub fn last_model_request(&self) -> Option<Instant> {
        lock(&self.manner).asked
    }
}

impl Manner {
    fn answer(&mut self, request: &Request) -> Script {
        self.asked = Some(Instant::now());
        let script = Script::new().text("You said: ");
        let script = match &self.held {
            Some(gate) => script.wait(gate),
            None if self.delay.is_zero() => script,
            None => script.delay(self.delay),
        };
        script.text(&request.prompt())
    }
}

fn lock(manner: &Mutex<Manner>) -> MutexGuard<'_, Manner> {
    manner.lock().unwrap_or_else(PoisonError::into_inner)
}
