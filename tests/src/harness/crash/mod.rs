//! The crash harness: people write to the real program while it is killed with SIGKILL again and again, and afterwards
//! every message must have come to exactly one end.
//!
//! `plan` makes up what is sent (the same for the same seed), `stage` sends and kills (at instants that are never the
//! same), `verdict` looks at what people see and says what became of each message.

mod outcome;
mod plan;
mod stage;
mod verdict;

pub use outcome::Outcome;
pub use plan::{Errand, Planner};
pub use stage::{Trial, run};
pub use verdict::{Bubble, Growth, Sent, Tally, judge};
