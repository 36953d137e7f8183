//! getUpdates, the one method that waits.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Map, Value};
use tokio::sync::Notify;

use super::{TelegramFake, queue::Update, refusal::Refusal};

/// Seconds that the server lets a poll ask for.
const LONGEST: i64 = 50;

/// Answers at once when there is something, else when something comes, the time is up or a newer poll takes over.
pub(crate) async fn wait(
    fake: &TelegramFake,
    bot: i64,
    arguments: &Map<String, Value>,
) -> Result<Vec<Update>, Refusal> {
    let int = |name: &str| arguments.get(name).and_then(Value::as_i64);
    let limit = int("limit").filter(|limit| (1..=100).contains(limit)).map_or(100, |limit| limit as usize);
    let seconds = int("timeout").unwrap_or_default().clamp(0, LONGEST).unsigned_abs();
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let open =
        OpenPoll::begin(fake, bot, int("offset").unwrap_or_default(), arguments.get("allowed_updates"))?;
    loop {
        let changed = open.changed.notified();
        tokio::pin!(changed);
        // From here on nothing is missed between the look and the wait.
        changed.as_mut().enable();
        let updates = open.look(limit)?;
        if !updates.is_empty() {
            return Ok(updates);
        }
        if tokio::time::timeout_at(deadline.into(), changed).await.is_err() {
            return Ok(Vec::new());
        }
    }
}

/// A poll that is being answered; gone when its client is.
struct OpenPoll {
    fake: TelegramFake,
    bot: i64,
    number: u64,
    changed: Arc<Notify>,
}

impl OpenPoll {
    fn begin(fake: &TelegramFake, bot: i64, offset: i64, allowed: Option<&Value>) -> Result<Self, Refusal> {
        let mut world = fake.world();
        let account = world.bots.get_mut(&bot).ok_or_else(Refusal::unauthorized)?;
        if account.webhook.is_some() {
            return Err(webhook_is_set());
        }
        let queue = &mut account.queue;
        if let Some(allowed) = allowed {
            queue.allow(allowed);
        }
        queue.confirm(offset);
        queue.poll += 1;
        queue.open_polls += 1;
        queue.changed.notify_waiters();
        let (number, changed) = (queue.poll, Arc::clone(&queue.changed));
        drop(world);
        fake.tick();
        Ok(Self { fake: fake.clone(), bot, number, changed })
    }

    fn look(&self, limit: usize) -> Result<Vec<Update>, Refusal> {
        let world = self.fake.world();
        let account = world.bots.get(&self.bot).ok_or_else(Refusal::unauthorized)?;
        if account.webhook.is_some() {
            return Err(webhook_is_set());
        }
        if account.queue.poll != self.number {
            return Err(Refusal::other_poll());
        }
        Ok(account.queue.ready(limit))
    }
}

impl Drop for OpenPoll {
    fn drop(&mut self) {
        if let Some(account) = self.fake.world().bots.get_mut(&self.bot) {
            account.queue.open_polls = account.queue.open_polls.saturating_sub(1);
        }
        self.fake.tick();
    }
}

fn webhook_is_set() -> Refusal {
    Refusal::new(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    )
}
