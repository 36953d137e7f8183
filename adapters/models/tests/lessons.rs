//! What a refusal teaches: one repeat without what was refused, told once, remembered until the end.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

mod support;

use futures::StreamExt;
use pensive_contract::fault::{Fault, FaultClass};
use pensive_contract::model::{Lesson, Model, ModelEvent, ModelRef, Pace};
use pensive_directives::Level;
use pensive_models::{Api, Models};
use support::{HandClock, Provider, Reply, request};

const ANSWER: &[&str] =
    &[r#"{"choices":[{"index":0,"delta":{"content":"Hi."},"finish_reason":"stop"}]}"#, "[DONE]"];

fn refused(message: &str) -> Reply {
    let body =
        serde_json::json!({ "error": { "message": message, "type": "invalid_request_error", "code": null } });
    Reply::status(400, &body.to_string())
}

/// What was learned in a call, and its fault.
async fn call(models: &Models, model: &str, level: Level) -> Result<Option<Lesson>, Fault> {
    let mut stream = models.stream(request(model, level, Pace::Normal)).await?;
    let mut lesson = None;
    while let Some(event) = stream.next().await {
        if let ModelEvent::Learned(learned) = event? {
            assert_eq!(lesson.replace(learned), None, "told once");
        }
    }
    Ok(lesson)
}

fn lesson(model: &str, refused: Level, instead: Level) -> Option<Lesson> {
    Some(Lesson { model: ModelRef::parse(model).unwrap(), refused, instead })
}

/// The efforts that the provider was asked for since the last look.
fn efforts(provider: &Provider) -> Vec<Option<String>> {
    let effort = |asked: support::Asked| asked.body["reasoning_effort"].as_str().map(str::to_owned);
    provider.asked().into_iter().map(effort).collect()
}

#[tokio::test]
async fn a_refusal_that_lists_words_is_repeated_with_the_nearest_weaker_of_them() {
    let no = "Unsupported value: 'reasoning_effort' does not support 'high' with this model. Supported values are: 'low' and 'medium'.";
    let provider =
        Provider::start([refused(no), Reply::events(ANSWER), Reply::events(ANSWER), Reply::events(ANSWER)])
            .await;
    let models = provider.models("home", Api::OpenaiCompletions, HandClock::new());
    let model = ModelRef::parse("home/thinker").unwrap();
    assert!(models.profile(&model).offers(Level::High));
    assert_eq!(
        call(&models, "home/thinker", Level::High).await.unwrap(),
        lesson("home/thinker", Level::High, Level::Medium)
    );
    assert_eq!(efforts(&provider), [Some("high".into()), Some("medium".into())]);
    assert_eq!(call(&models, "home/thinker", Level::High).await.unwrap(), None, "told once");
    assert_eq!(efforts(&provider), [Some("medium".into())], "and remembered");
    let profile = models.profile(&model);
    assert_eq!(profile.values(), "off, low, medium", "menus and validation know it too");
    assert_eq!(call(&models, "home/other", Level::High).await.unwrap(), None);
    assert_eq!(efforts(&provider), [Some("high".into())], "another model is not concerned");
}

#[tokio::test]
async fn prov_11_a_refusal_without_alternatives_is_repeated_once_without_thinking() {
    let provider =
        Provider::start([refused("reasoning_effort: no such thing here"), Reply::events(ANSWER)]).await;
    let models = provider.models("home", Api::OpenaiCompletions, HandClock::new());
    assert_eq!(
        call(&models, "home/thinker", Level::High).await.unwrap(),
        lesson("home/thinker", Level::High, Level::Off)
    );
    assert_eq!(efforts(&provider), [Some("high".into()), None]);
}

#[tokio::test]
async fn what_was_learned_is_told_when_an_answer_comes_at_last() {
    let no = refused("reasoning_effort is not supported");
    let provider = Provider::start([no, Reply::status(500, "busy"), Reply::events(ANSWER)]).await;
    let models = provider.models("home", Api::OpenaiCompletions, HandClock::new());
    assert_eq!(call(&models, "home/thinker", Level::High).await.unwrap_err().class, FaultClass::Again);
    assert_eq!(
        call(&models, "home/thinker", Level::High).await.unwrap(),
        lesson("home/thinker", Level::High, Level::Off)
    );
}

#[tokio::test]
async fn a_second_refusal_is_told_and_not_repeated_for_ever() {
    let no = || refused("this model does not support reasoning");
    let provider = Provider::start([no(), no(), no()]).await;
    let models = provider.models("home", Api::OpenaiCompletions, HandClock::new());
    let fault = call(&models, "home/thinker", Level::High).await.unwrap_err();
    assert_eq!(fault.class, FaultClass::TellPerson);
    assert!(fault.person.contains("/think"), "{}", fault.person);
    assert_eq!(provider.asked().len(), 2);
}

#[tokio::test]
async fn prov_18_a_model_that_must_think_gets_its_weakest_level_and_nothing_is_compacted() {
    let no = "Reasoning is mandatory for this endpoint and cannot be disabled.";
    let provider = Provider::start([refused(no), Reply::events(ANSWER)]).await;
    let models = provider.models("openai", Api::OpenaiCompletions, HandClock::new());
    assert_eq!(
        call(&models, "openai/gpt-5.1", Level::Off).await.unwrap(),
        lesson("openai/gpt-5.1", Level::Off, Level::Minimal)
    );
    assert_eq!(efforts(&provider), [Some("none".into()), Some("low".into())]);
}

#[tokio::test]
async fn a_row_that_is_known_goes_down_by_one_level() {
    let provider =
        Provider::start([refused("the reasoning effort is not available to you"), Reply::events(ANSWER)])
            .await;
    let models = provider.models("openai", Api::OpenaiCompletions, HandClock::new());
    assert_eq!(
        call(&models, "openai/gpt-5.2", Level::Xhigh).await.unwrap(),
        lesson("openai/gpt-5.2", Level::Xhigh, Level::High)
    );
}

#[tokio::test]
async fn what_the_configuration_says_in_the_vendors_words_is_no_level_that_a_person_could_change() {
    let no = "thinking.type.enabled is not supported by this model";
    let provider = Provider::start([refused(no), Reply::events(ANSWER)]).await;
    let models = provider.models("home", Api::AnthropicMessages, HandClock::new());
    let mut request = request("home/thinker", Level::High, Pace::Normal);
    request.manner.params.thinking = Some(r#"{"type":"enabled","budget_tokens":2048}"#.to_owned());
    let fault = models.stream(request).await.err().unwrap();
    assert_eq!(fault.class, FaultClass::OursToMend);
    let told = "The model provider did not accept our request. An admin needs to look into the log.";
    assert_eq!(fault.person, told);
    assert_eq!(provider.asked().len(), 1, "the owner's words are not weakened");
    assert!(
        models.profile(&ModelRef::parse("home/thinker").unwrap()).offers(Level::High),
        "nothing was learned"
    );
}
