//! The providers: whether each answers, takes its key and has the models that are used; and whether our clocks agree.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use pensive_config::Config;
use pensive_contract::clock::{Timestamp, within};
use pensive_contract::finding::Finding;
use pensive_contract::model::ModelRef;
use pensive_models::{Listed, Look};

use super::{Chapter, Patient};

/// One look may take this long.
const LIMIT: std::time::Duration = std::time::Duration::from_secs(10);

/// How far two clocks may be apart: certificates and signed requests are judged by the time.
const APART_MS: i64 = 30_000;

/// A chapter for each provider in use, and the clock by the first of them that told the time.
pub(super) async fn chapters(patient: &Patient<'_>) -> (Vec<Chapter>, Option<Finding>) {
    let used = used(patient.config);
    let looks = used.iter().map(|(provider, models)| async move {
        let look = within(&*patient.clock, LIMIT, patient.models.examine(provider)).await;
        let late = || Look {
            listed: Listed::Unreachable(format!("no answer within {} s", LIMIT.as_secs())),
            now: None,
        };
        let look = look.unwrap_or_else(|_| late());
        let at = patient.clock.now();
        let clock = look.now.map(|theirs| agreed(provider, at, theirs));
        (Chapter::new(format!("provider {provider}"), judged(&look.listed, models)), clock)
    });
    let (chapters, clocks): (Vec<Chapter>, Vec<Option<Finding>>) = join_all(looks).await.into_iter().unzip();
    (chapters, clocks.into_iter().flatten().next())
}

/// The models that agents use or people can pick, by provider.
pub(super) fn used(config: &Config) -> BTreeMap<String, BTreeSet<String>> {
    let own = config.agents.iter().flat_map(|agent| std::iter::once(&agent.model).chain(&agent.fallbacks));
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for ModelRef { provider, id } in own.chain(config.models.iter().map(|choice| &choice.model)) {
        used.entry(provider.clone()).or_default().insert(id.clone());
    }
    used
}

fn judged(listed: &Listed, models: &BTreeSet<String>) -> Vec<Finding> {
    match listed {
        Listed::Local => vec![Finding::good("reach", "it runs here")],
        Listed::Unlisted => vec![Finding::good("reach", "it answers; it does not list its models")],
        Listed::Refused(why) => {
            let advice = "look at the key (apiKey, or the variable of the provider) and at the account that it belongs to";
            vec![Finding::bad("key", why.clone(), advice)]
        }
        Listed::Unreachable(why) => {
            vec![Finding::bad(
                "reach",
                why.clone(),
                "look at baseUrl, and whether it can be reached from here",
            )]
        }
        Listed::Models(names) => {
            let missing = models.iter().filter(|model| !has(names, model)).map(|model| {
                let found = format!("{model} is not among the {} models that it lists", names.len());
                Finding::doubtful(
                    "model",
                    found,
                    "it may be an alias that works all the same; `--live` tries it",
                )
            });
            std::iter::once(Finding::good("reach", "it answers and takes the key")).chain(missing).collect()
        }
    }
}

/// Some list a model under its full version, or with the tag that is meant where none is named.
fn has(names: &[String], model: &str) -> bool {
    names.iter().any(|name| {
        name == model || name.strip_prefix(model).is_some_and(|rest| rest.starts_with([':', '-', '@']))
    })
}

fn agreed(provider: &str, ours: Timestamp, theirs: Timestamp) -> Finding {
    let apart = ours.0 - theirs.0;
    if apart.abs() <= APART_MS {
        return Finding::good("clock", format!("it agrees with that of {provider}"));
    }
    let (seconds, word) = (apart.abs() / 1_000, if apart > 0 { "ahead of" } else { "behind" });
    Finding::doubtful(
        "clock",
        format!("it is {seconds} s {word} that of {provider}"),
        "set it by the network (timedatectl set-ntp true)",
    )
}

#[cfg(test)]
mod tests {
    use pensive_contract::finding::Grade;

    use super::*;

    #[test]
    fn a_provider_is_judged_by_what_it_lists() {
        let models = BTreeSet::from(["qwen3".to_owned(), "gone".to_owned()]);
        let grades = |listed: &Listed| -> Vec<Grade> {
            judged(listed, &models).iter().map(|finding| finding.grade).collect()
        };
        let listed = Listed::Models(vec!["qwen3:latest".to_owned(), "gone2".to_owned()]);
        assert_eq!(grades(&listed), [Grade::Good, Grade::Doubtful]);
        assert_eq!(grades(&Listed::Refused("401".to_owned())), [Grade::Bad]);
        assert_eq!(grades(&Listed::Unreachable("refused".to_owned())), [Grade::Bad]);
        assert_eq!(grades(&Listed::Unlisted), [Grade::Good]);
        assert_eq!(grades(&Listed::Local), [Grade::Good]);
    }

    #[test]
    fn clocks_may_be_half_a_minute_apart() {
        let check = |ours, expected: &str| {
            assert_eq!(agreed("x", Timestamp(ours), Timestamp(100_000)).found, expected);
        };
        check(130_000, "it agrees with that of x");
        check(131_000, "it is 31 s ahead of that of x");
        check(40_000, "it is 60 s behind that of x");
    }
}
