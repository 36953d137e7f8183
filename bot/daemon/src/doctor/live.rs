//! Asks each configured model once on each of its levels, where somebody wants that: it is the only way to know that a
//! provider takes what its table says.

use std::time::Duration;

use futures::StreamExt;
use futures::future::join_all;
use pensive_contract::clock::within;
use pensive_contract::fault::Fault;
use pensive_contract::finding::Finding;
use pensive_contract::model::{
    Manner, Model, ModelEvent, ModelRef, ModelRequest, Pace, Params, PromptTurn, ToolChoice,
};
use pensive_directives::Level;

use super::models::used;
use super::{Chapter, Patient};

/// The highest levels think for minutes even about nothing.
const LIMIT: Duration = Duration::from_mins(3);

/// A chapter for each model; its levels one after the other, the models side by side.
pub(super) async fn chapters(patient: &Patient<'_>) -> Vec<Chapter> {
    if !patient.live {
        return Vec::new();
    }
    let models = used(patient.config).into_iter().flat_map(|(provider, ids)| {
        ids.into_iter().map(move |id| ModelRef { provider: provider.clone(), id })
    });
    join_all(models.map(|model| chapter(patient, model))).await
}

async fn chapter(patient: &Patient<'_>, model: ModelRef) -> Chapter {
    let mut findings = Vec::new();
    for choice in patient.models.profile(&model).levels {
        findings.push(asked(patient, &model, choice.level).await);
    }
    Chapter::new(format!("model {model}"), findings)
}

async fn asked(patient: &Patient<'_>, model: &ModelRef, level: Level) -> Finding {
    let manner = Manner { thinking: level, pace: Pace::Normal, params: Params::default() };
    let wire = patient.models.explain(model, &manner);
    let about = format!("level {level}");
    let request = ModelRequest {
        model: model.clone(),
        system: String::new(),
        turns: vec![PromptTurn::User("Reply with the word OK.".to_owned())],
        tools: Vec::new(),
        choice: ToolChoice::Auto,
        manner,
        session: "doctor".to_owned(),
    };
    match within(&*patient.clock, LIMIT, heard(patient, request)).await {
        Ok(Ok(None)) => Finding::good(about, format!("it answers ({wire})")),
        Ok(Ok(Some(instead))) => Finding::doubtful(
            about,
            format!("the provider refuses it ({wire}) and takes {instead}"),
            "say so in models.providers (compat.supportedReasoningEfforts)",
        ),
        Ok(Err(fault)) => Finding::bad(about, format!("{} ({wire})", fault.log), fault.person),
        Err(_) => Finding::bad(about, format!("no answer within {} s ({wire})", LIMIT.as_secs()), ""),
    }
}

/// The level that was taken instead, where it was another.
async fn heard(patient: &Patient<'_>, request: ModelRequest) -> Result<Option<Level>, Fault> {
    let mut stream = patient.models.stream(request).await?;
    let mut instead = None;
    while let Some(event) = stream.next().await {
        match event? {
            ModelEvent::Learned(lesson) => instead = Some(lesson.instead),
            ModelEvent::End(_) => break,
            ModelEvent::Reasoning(_)
            | ModelEvent::Text(_)
            | ModelEvent::Call(_)
            | ModelEvent::Seal(_)
            | ModelEvent::Recast(_)
            | ModelEvent::Usage(_) => {}
        }
    }
    Ok(instead)
}
