//! `pensive doctor`: looks at all that a daemon needs and says what to do about what is not as it should be.
//!
//! With `--json` one array whose shape stays: objects with `subject`, `check`, `state` (`ok`, `warn`, `fail`), `found` and
//! `advice` (`null` where nothing is to be done).

use pensive_contract::finding::{Finding, Grade};
use pensive_models::Models;
use pensive_terminal::harmless;
use serde::Serialize;

use super::config::warnings;
use super::{clock, daemon, load, print, print_json, runtime};
use crate::arguments::{Common, Doctor as Asked};
use crate::doctor::{Chapter, Patient, examine, worst};
use crate::exit::Failure;
use crate::house::StartFault;
use crate::settings;

pub(super) fn doctor(common: &Common, asked: &Asked) -> Result<(), Failure> {
    let setting = load(common)?;
    // Where another one is installed already, it is the same.
    drop(rustls::crypto::ring::default_provider().install_default());
    // Keys that cannot be read are among the warnings.
    let (models, _missing) = settings::models(&setting.config);
    let models = Models::new(models, clock()).map_err(StartFault::from)?;
    let warnings = warnings(&setting.config)?;
    let chapters = runtime()?.block_on(async {
        let status = match daemon(&setting).await {
            Ok(Some(mut link)) => link.status().await.ok(),
            Ok(None) | Err(_) => None,
        };
        let config = &setting.config;
        let patient =
            Patient { config, models: &models, daemon: status.as_ref(), clock: clock(), live: asked.live };
        examine(&patient, warnings).await
    });
    if asked.json {
        print_json(&rows(&chapters))?;
    } else {
        print(&harmless(&shown(&chapters)))?;
    }
    match worst(&chapters) {
        Grade::Good | Grade::Doubtful => Ok(()),
        Grade::Bad => Err(Failure::Failed("something does not work; see the lines that say FAIL".to_owned())),
    }
}

#[derive(Serialize)]
struct Row<'a> {
    subject: &'a str,
    check: &'a str,
    state: &'static str,
    found: &'a str,
    advice: Option<&'a str>,
}

fn rows(chapters: &[Chapter]) -> Vec<Row<'_>> {
    let all = chapters.iter().flat_map(|chapter| {
        chapter.findings.iter().map(|finding| Row {
            subject: &chapter.subject,
            check: &finding.about,
            state: word(finding.grade),
            found: &finding.found,
            advice: Some(finding.advice.as_str()).filter(|advice| !advice.is_empty()),
        })
    });
    all.collect()
}

fn word(grade: Grade) -> &'static str {
    match grade {
        Grade::Good => "ok",
        Grade::Doubtful => "warn",
        Grade::Bad => "fail",
    }
}

fn shown(chapters: &[Chapter]) -> String {
    let mut text = String::new();
    for Chapter { subject, findings } in chapters {
        text.push_str(&format!("{subject}\n"));
        findings.iter().for_each(|finding| text.push_str(&line(finding)));
    }
    text
}

fn line(Finding { grade, about, found, advice }: &Finding) -> String {
    let mark = match grade {
        Grade::Good => "ok  ",
        Grade::Doubtful => "warn",
        Grade::Bad => "FAIL",
    };
    let advice = if advice.is_empty() { String::new() } else { format!("\n          → {advice}") };
    format!("  {mark}  {about}: {found}{advice}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_finding_is_a_line_and_what_to_do_stands_below() {
        let findings = vec![
            Finding::good("token", "it is @PensiveBot"),
            Finding::bad("events", "none", "look at the network"),
        ];
        let chapters = [Chapter { subject: "telegram/default".to_owned(), findings }];
        let expected = "telegram/default\n  ok    token: it is @PensiveBot\n  FAIL  events: none\n          → look at the network\n";
        assert_eq!(shown(&chapters), expected);
        assert_eq!(worst(&chapters), Grade::Bad);
        let rows = serde_json::to_value(rows(&chapters)).unwrap();
        assert_eq!(rows[0]["advice"], serde_json::Value::Null);
        assert_eq!(rows[1]["state"], "fail");
    }
}
