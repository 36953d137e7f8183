//! What a configuration says of models: the parameters of their calls, and what is noted for whoever knows models.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use pensive_config::{Input, ModelParams};
use pensive_contract::model::{Params, ToolChoice};
use pensive_directives::{Fast, Level};
use support::{check, loaded, without_file};

#[test]
fn parameters_of_models_are_taken_over_and_sent_as_they_stand() {
    let text = "{ agents: { defaults: { models: {
        'openai/a': { params: { thinking: 'high', fastMode: 'auto', fastAutoOnSeconds: 9, service_tier: 'flex', maxTokens: 16,
            temperature: 0.5, topP: 1, presencePenalty: -2, frequencyPenalty: 0.25, toolChoice: { name: 'read_file' } } },
        'anthropic/b': { params: { thinking: { type: 'enabled', budget_tokens: 0x800, display: null }, serviceTier: 'auto' } },
        'openrouter/c/d': { params: { reasoning: { max_tokens: 9, exclude: [true, 0.5] }, toolChoice: 'required' } },
        'openai/e': { params: { toolChoice: null, thinking: null, reasoning: null } },
    } } } }";
    let models = loaded(text, &[]).unwrap().models;
    let expected = [
        ModelParams {
            think: Some(Level::High),
            fast: Some(Fast::Auto),
            fast_cutoff_seconds: Some(9),
            call: Params {
                max_tokens: Some(16),
                temperature: Some(0.5),
                top_p: Some(1.0),
                presence_penalty: Some(-2.0),
                frequency_penalty: Some(0.25),
                service_tier: Some("flex".into()),
                tool_choice: Some(ToolChoice::Named("read_file".into())),
                thinking: None,
                reasoning: None,
            },
        },
        calls(Params {
            service_tier: Some("auto".into()),
            thinking: Some(r#"{"type":"enabled","budget_tokens":2048,"display":null}"#.into()),
            ..Params::default()
        }),
        calls(Params {
            tool_choice: Some(ToolChoice::Required),
            reasoning: Some(r#"{"max_tokens":9,"exclude":[true,0.5]}"#.into()),
            ..Params::default()
        }),
        ModelParams::default(),
    ];
    assert_eq!(models.into_iter().take(4).map(|choice| choice.params).collect::<Vec<_>>(), expected);
}

fn calls(call: Params) -> ModelParams {
    ModelParams { call, ..ModelParams::default() }
}

#[test]
fn parameters_that_cannot_be_are_told() {
    let params = |inner: &str| {
        format!("{{ agents: {{ defaults: {{ models: {{ 'openai/a': {{ params: {{ {inner} }} }} }} }} }} }}")
    };
    let place = "agents.defaults.models[\"openai/a\"].params";
    for (inner, expected) in [
        ("maxTokens: 15", "maxTokens must be at least 16, not 15"),
        ("maxTokens: 16.5", "maxTokens must be a whole number, not 16.5"),
        ("topP: 1.5", "topP must be between 0 and 1, not 1.5"),
        ("presencePenalty: 3", "presencePenalty must be between -2 and 2, not 3"),
        ("frequencyPenalty: '1'", "frequencyPenalty must be a number, not the text \"1\""),
        ("toolChoice: 'any'", "toolChoice cannot be \"any\"; allowed: auto, none, required"),
        ("toolChoice: {}", "toolChoice lacks \"name\""),
        (
            "toolChoice: { name: 'a b' }",
            "toolChoice.name must be letters, digits, _ and -, 64 at most, not \"a b\"",
        ),
        ("thinking: 3", "thinking must be a text in quotes or an object, not the number 3"),
        ("reasoning: 'high'", "reasoning must be an object, not the text \"high\""),
        ("reasoning: { a: [Infinity] }", "reasoning.a[0] must be a finite number, not Infinity"),
        ("thinking: { a: 1, a: 2 }", "thinking.a is given twice"),
        (
            "serviceTier: 'a', service_tier: 'a'",
            "service_tier is the same as serviceTier; give one of the two",
        ),
        (
            "thinking: 'hihg'",
            "thinking must be one of off, minimal, low, medium, high, xhigh, adaptive, max, ultra, not \"hihg\"; did you mean \
             \"high\"?",
        ),
    ] {
        let faults = loaded(&params(inner), &[]).unwrap_err();
        let (_, message) = faults.split_once(": ").unwrap();
        assert_eq!(message, format!("{place}.{expected}"), "{inner}");
    }
    let unknown = loaded(&params("top_p: 1"), &[]).unwrap_err();
    assert!(
        unknown.ends_with(
            "unknown key \"top_p\" in agents.defaults.models[\"openai/a\"].params; did you mean \"topP\"?"
        ),
        "{unknown}"
    );
}

#[test]
fn models_and_levels_are_mentioned_with_their_places() {
    let text = "{ agents: { defaults: { model: { primary: 'openai/a', fallbacks: ['google/b'] }, thinkingDefault: 'max',
        models: { 'openai/a': { params: { thinking: 'low' } } }, heartbeat: { model: 'openai/h' } },
      entries: { one: {}, two: { model: 'openai/c' }, three: { model: 'openai/c', thinkingDefault: 'high' } } },
      models: { providers: { zai: { models: [{ id: 'm', thinkingLevelMap: { xhigh: null, max: 'most' } }] } } } }";
    let mentions = loaded(text, &[]).unwrap().mentions;
    let shown: Vec<String> = mentions
        .iter()
        .map(|mention| {
            let level = mention.level.map_or("", |level| level.name());
            format!(
                "{}:{} {} {} {level}",
                mention.position.line, mention.position.column, mention.key, mention.model
            )
        })
        .collect();
    let expected = [
        "1:43 agents.defaults.model.primary openai/a ",
        "1:67 agents.defaults.model.fallbacks[0] google/b ",
        "1:99 agents.defaults.thinkingDefault openai/a max",
        "1:99 agents.defaults.thinkingDefault openai/c max",
        "2:31 agents.defaults.models[\"openai/a\"] openai/a ",
        "2:53 agents.defaults.models[\"openai/a\"].params.thinking openai/a low",
        "2:86 agents.defaults.heartbeat.model openai/h ",
        "3:41 agents.entries.two.model openai/c ",
        "3:71 agents.entries.three.model openai/c ",
        "3:100 agents.entries.three.thinkingDefault openai/c high",
        "4:95 models.providers.zai.models[0].thinkingLevelMap.max zai/m max",
    ];
    assert_eq!(shown, expected);
    assert!(without_file(&[("OPENAI_API_KEY", "k")]).mentions.is_empty());
}

#[test]
fn what_a_model_takes_is_taken_over() {
    let text = "{ models: { providers: { openai: { models: [
        { id: 'a', input: ['text', 'image', 'document'] }, { id: 'b', input: [] }, { id: 'c' } ] } } } }";
    let rows = &loaded(text, &[]).unwrap().providers[0].models;
    let input: Vec<_> = rows.iter().map(|row| row.input.clone()).collect();
    assert_eq!(input, [Some(vec![Input::Text, Input::Image, Input::Document]), Some(vec![]), None]);
    check(
        "{ models: { providers: { openai: { models: [{ id: 'a', input: ['imgae'] }] } } } }",
        &[
            "1:64: models.providers.openai.models[0].input[0] cannot be \"imgae\"; allowed: text, image, audio, video, document; \
         did you mean \"image\"?",
        ],
    );
}

#[test]
fn med_06_who_writes_down_voice_messages() {
    let config =
        loaded("{ messages: { voice: { transcribe: 'groq/whisper-large-v3-turbo' } } }", &[]).unwrap();
    assert_eq!(config.messages.transcribe.unwrap().to_string(), "groq/whisper-large-v3-turbo");
    assert!(
        config.providers.iter().any(|provider| provider.name == "groq"),
        "it is reached though no agent uses it"
    );
    assert!(config.models.iter().all(|choice| choice.model.provider != "groq"), "and nobody can pick it");
    assert_eq!(without_file(&[]).messages.transcribe, None);
    let named = |model: &str| format!("{{ messages: {{ voice: {{ transcribe: '{model}' }} }} }}");
    let place = "1:36: messages.voice.transcribe";
    let mute =
        "names a provider that writes nothing down; it must speak openai-responses or openai-completions";
    check(&named("anthropic/claude"), &[&format!("{place} {mute}")]);
    check(&named("rehearsal/echo"), &[&format!("{place} {mute}")]);
    let faults = loaded(&named("opnai/whisper-1"), &[]).unwrap_err();
    assert!(
        faults.contains(&format!("{place} names a provider that is not known: \"opnai\"; known: ")),
        "{faults}"
    );
    assert!(faults.ends_with("; did you mean \"openai\"?"), "{faults}");
}
