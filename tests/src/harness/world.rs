//! The outside of the daemon in a trial: a Telegram, and a model that says back what it hears, after a while or not before it is
//! let.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use anyhow::Result;
use serde_json::json;

use super::home::Wiring;
use crate::{
    gate::Gate,
    model::{ModelFake, Request, Script},
    telegram::TelegramFake,
};

/// Enough of a beginning for a preview.
pub(super) const PREAMBLE: &str = "I was asked to say it again, and so I do. ";
/// What is said before a tool is used.
pub(super) const LOOKING: &str = "Let me have a look at that first, it will not take long.";

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
    tool: Option<&'static str>,
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

    /// Answers what `reply` has a script for by that script.
    pub fn reply_with(&self, reply: impl Fn(&Request) -> Option<Script> + Send + Sync + 'static) {
        self.model.reply_with(reply);
    }

    /// From now on the model uses this tool for every third question before it answers.
    pub fn use_tool(&self, name: &'static str) {
        lock(&self.manner).tool = Some(name);
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
        let prompt = request.prompt();
        if let Some(tool) = self.tool.filter(|_| calls_tool(request, &prompt)) {
            return Script::new().text(LOOKING).delay(self.delay / 2).tool_call(tool, &json!({}));
        }
        let script = Script::new().text("You said: ");
        let script = if self.tool.is_some() { script.text(PREAMBLE) } else { script };
        let script = match &self.held {
            Some(gate) => script.wait(gate),
            None if self.delay.is_zero() => script,
            None => script.delay(self.delay),
        };
        script.text(&prompt)
    }
}

/// A question whose number is a multiple of three, and that has not just got what the tool gave.
fn calls_tool(request: &Request, prompt: &str) -> bool {
    let digits: u32 = prompt.chars().filter_map(|c| c.to_digit(10)).sum();
    let roles = request.at_path("/messages").as_array().and_then(|messages| messages.last());
    let last = roles.and_then(|message| message.get("role")).and_then(serde_json::Value::as_str);
    digits.is_multiple_of(3) && last != Some("tool")
}

fn lock(manner: &Mutex<Manner>) -> MutexGuard<'_, Manner> {
    manner.lock().unwrap_or_else(PoisonError::into_inner)
}
