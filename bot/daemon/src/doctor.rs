//! Examines an installation: what the daemon would need, whether it is there, and what to do where it is not. Nothing is
//! changed and nothing is sent to people.

mod channels;
mod here;
mod live;
mod models;

use std::sync::Arc;

use pensive_config::Config;
use pensive_contract::clock::Clock;
use pensive_contract::finding::{Finding, Grade};
use pensive_engine::Masker;
use pensive_models::Models;
use pensive_terminal::wire::Status;

/// What is examined.
pub(crate) struct Patient<'a> {
    /// The installation's configuration, which has no faults.
    pub(crate) config: &'a Config,
    /// The models, with their keys.
    pub(crate) models: &'a Models,
    /// How the daemon stands, where one runs.
    pub(crate) daemon: Option<&'a Status>,
    /// Time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Whether models are really asked, which costs money.
    pub(crate) live: bool,
}

/// What was found on one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chapter {
    /// What it is about: an account, a provider, a part of this machine.
    pub(crate) subject: String,
    /// In the order of looking.
    pub(crate) findings: Vec<Finding>,
}

impl Chapter {
    fn new(subject: impl Into<String>, findings: Vec<Finding>) -> Self {
        Self { subject: subject.into(), findings }
    }
}

/// Looks at everything, side by side where the outside is waited for.
pub(crate) async fn examine(patient: &Patient<'_>, warnings: Vec<String>) -> Vec<Chapter> {
    let (accounts, (providers, clock), live) =
        futures::join!(channels::chapters(patient), models::chapters(patient), live::chapters(patient));
    let mut chapters = vec![configuration(patient.config, warnings)];
    chapters.extend(patient.daemon.map(channels::daemon));
    chapters.extend(accounts);
    chapters.extend(providers);
    chapters.extend(live);
    chapters.push(here::store(patient));
    chapters.extend(here::machine(patient.config, clock));
    chapters.retain(|chapter| !chapter.findings.is_empty());
    mask(&mut chapters, &crate::house::masker(patient.config));
    chapters
}

fn configuration(config: &Config, warnings: Vec<String>) -> Chapter {
    let file = config.file.as_ref().map(|file| file.display().to_string());
    let found = file.unwrap_or_else(|| "there is no file: the defaults hold".to_owned());
    let doubt = |words: String| Finding::doubtful("setting", words, "");
    let findings = std::iter::once(Finding::good("file", found)).chain(warnings.into_iter().map(doubt));
    Chapter::new("configuration", findings.collect())
}

/// What others said may hold what nobody should read.
fn mask(chapters: &mut [Chapter], masker: &Masker) {
    for finding in chapters.iter_mut().flat_map(|chapter| &mut chapter.findings) {
        finding.found = masker.mask(&finding.found).into_owned();
        finding.advice = masker.mask(&finding.advice).into_owned();
    }
}

/// Whether anything does not work.
pub(crate) fn worst(chapters: &[Chapter]) -> Grade {
    let grades = chapters.iter().flat_map(|chapter| &chapter.findings).map(|finding| finding.grade);
    grades.max().unwrap_or(Grade::Good)
}
