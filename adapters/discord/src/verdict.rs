//! How a call that was to change something ended, in the engine's words. Pure.

use pensive_contract::outward::{Outcome, Refusal};

use crate::client::CallFault;

/// The outcome of a call that failed with `fault`.
pub(crate) fn verdict<T>(fault: &CallFault) -> Outcome<T> {
    match fault {
        CallFault::Unreached(_) => Outcome::Refused { refusal: Refusal::Again, why: fault.to_string() },
        CallFault::Limited(wait) => Outcome::Wait(*wait),
        CallFault::Overdue(_) | CallFault::Lost(_) => Outcome::Unknown { why: fault.to_string() },
        CallFault::Refused(_) => Outcome::Refused { refusal: Refusal::Never, why: fault.to_string() },
    }
}
