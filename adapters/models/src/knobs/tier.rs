//! The fast lane, which each provider calls otherwise.

use pensive_contract::model::{Manner, Pace};

use super::{Case, Host, Knobs};
use crate::catalogue::FastLane;
use crate::http::Shape;

/// Puts tier, speed or another model in.
pub(super) fn put(case: &Case<'_>, manner: &Manner, knobs: &mut Knobs) {
    let is_fast = manner.pace == Pace::Fast;
    if let Some(model) = case.facts.fast_model.as_ref().filter(|_| is_fast) {
        knobs.why.push(format!("fast mode asks {model} instead"));
        knobs.model.clone_from(model);
    }
    if !matches!(case.shape, Shape::Responses | Shape::Chat | Shape::Messages) {
        return;
    }
    if let Some(tier) = &manner.params.service_tier {
        knobs.why.push("the configuration names the tier".to_owned());
        return knobs.said.put("service_tier", tier.as_str());
    }
    if let (Some(speed), true, Host::Own) = (&case.facts.speed, is_fast, case.host) {
        knobs.beta.extend(speed.beta.clone());
        return knobs.said.put("speed", "fast");
    }
    let tier = match (case.extras.fast, manner.pace) {
        (None, _) | (Some(FastLane::Priority), Pace::Normal) => return,
        (Some(FastLane::Priority), Pace::Fast) if !case.facts.fast => {
            return knobs.why.push("the fast lane does not take this model".to_owned());
        }
        (Some(FastLane::Priority), Pace::Fast) => "priority",
        (Some(FastLane::Auto), _) if case.host == Host::Other => return,
        (Some(FastLane::Auto), Pace::Fast) => "auto",
        (Some(FastLane::Auto), Pace::Normal) => "standard_only",
    };
    knobs.said.put("service_tier", tier);
}
