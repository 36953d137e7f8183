//! How a test sets the server up: which clock it follows, how old it is, how much a chat takes.

use super::{FloodLimits, TelegramFake, schema};

impl TelegramFake {
    /// Lets drafts fade, limits count and silences end by this clock, in milliseconds, instead of the system's.
    pub fn follow(&self, clock: impl Fn() -> i64 + Send + Sync + 'static) {
        self.world().time.0 = Box::new(clock);
    }

    /// The time on that clock.
    pub fn moment(&self) -> i64 {
        self.world().moment()
    }

    /// Answers these methods as a server does that is too old for them.
    pub fn turn_off(&self, methods: &[&str]) {
        let known = methods.iter().map(|method| schema::method_name(method).unwrap_or(method).to_owned());
        self.world().off.extend(known);
    }

    /// Undoes [`Self::turn_off`] for all methods.
    pub fn turn_all_on(&self) {
        self.world().off.clear();
    }

    /// Holds bots to limits in each chat; without, none is too quick.
    pub fn limit(&self, limits: FloodLimits) {
        self.world().flood.limits = Some(limits);
    }

    /// Paths of the files that bots have downloaded so far.
    pub fn downloads(&self) -> Vec<String> {
        self.world().downloads.clone()
    }
}
