//! Budgets, caps, tiers, sampling and tool choice, for the rows of the catalogue.

use pensive_contract::model::{Pace, Params};

use super::*;
use crate::catalogue::Catalogue;
use crate::settings::Api;

/// A call to be decided about.
struct Ask {
    provider: &'static str,
    api: Api,
    model: &'static str,
    level: Level,
    pace: Pace,
    params: Params,
    choice: ToolChoice,
    host: Host,
    output: Option<u64>,
    context: Option<u64>,
}

fn ask(provider: &'static str, api: Api, model: &'static str, level: Level) -> Ask {
    Ask {
        provider,
        api,
        model,
        level,
        pace: Pace::Normal,
        params: Params::default(),
        choice: ToolChoice::Auto,
        host: Host::Other,
        output: None,
        context: None,
    }
}

fn claude(model: &'static str, level: Level) -> Ask {
    ask("anthropic", Api::AnthropicMessages, model, level)
}

fn openai(model: &'static str, level: Level) -> Ask {
    ask("openai", Api::OpenaiResponses, model, level)
}

impl Ask {
    fn fast(self) -> Self {
        Self { pace: Pace::Fast, ..self }
    }

    fn params(self, params: Params) -> Self {
        Self { params, ..self }
    }

    fn capped(self, max_tokens: u64) -> Self {
        self.params(Params { max_tokens: Some(max_tokens), ..Params::default() })
    }

    fn choice(self, choice: ToolChoice) -> Self {
        Self { choice, ..self }
    }

    fn decided(self) -> Knobs {
        let catalogue = Catalogue::load().unwrap();
        let shelf = catalogue.shelf(self.provider, self.api).unwrap();
        let (facts, fit) = shelf.facts(self.model);
        let ladder = Ladder::of(None, facts, fit);
        let model = ModelRef { provider: self.provider.to_owned(), id: self.model.to_owned() };
        let case = Case {
            shape: Shape::of(self.api).unwrap(),
            model: &model,
            facts,
            extras: &shelf.extras(self.provider),
            ladder: &ladder,
            output: self.output.or(facts.output),
            context: self.context,
            host: self.host,
            summary: Summary::Unwanted,
        };
        let manner = Manner { thinking: self.level, pace: self.pace, params: self.params };
        decide(&case, &manner, self.choice)
    }
}

#[track_caller]
fn check(ask: Ask, fields: &str) {
    assert_eq!(ask.decided().fields.to_string(), fields);
}

#[test]
fn a_budget_stands_beside_the_answer_within_the_models_limit() {
    let haiku = |level| claude("claude-haiku-4-5", level);
    let thinks = |budget: u64, cap: u64| {
        format!("thinking.type=enabled, thinking.budget_tokens={budget}, max_tokens={cap}")
    };
    check(haiku(Level::Minimal).capped(4096), &thinks(1024, 5120));
    check(haiku(Level::Low).capped(4096), &thinks(2048, 6144));
    check(haiku(Level::Medium).capped(4096), &thinks(8192, 12288));
    check(haiku(Level::High).capped(4096), &thinks(16384, 20480));
    check(haiku(Level::Off).capped(4096), "max_tokens=4096");
}

#[test]
fn prov_13_a_budget_is_never_as_large_as_the_cap_and_never_under_1024() {
    let limited =
        |output, level| Ask { output: Some(output), ..claude("claude-haiku-4-5", level).capped(4096) };
    check(limited(8192, Level::High), "thinking.type=enabled, thinking.budget_tokens=7168, max_tokens=8192");
    check(
        limited(16384, Level::High),
        "thinking.type=enabled, thinking.budget_tokens=15360, max_tokens=16384",
    );
    check(limited(2048, Level::High), "thinking.type=enabled, thinking.budget_tokens=1024, max_tokens=2048");
    check(limited(2047, Level::High), "max_tokens=2047");
    check(
        limited(10_000, Level::Medium),
        "thinking.type=enabled, thinking.budget_tokens=8192, max_tokens=10000",
    );
}

proptest::proptest! {
    #[test]
    fn whatever_the_limits_a_budget_leaves_room(cap in 1u64..200_000, output in 1u64..200_000, at in 0usize..5) {
        let level = [Level::Minimal, Level::Low, Level::Medium, Level::High, Level::Off][at];
        let knobs = Ask { output: Some(output), ..claude("claude-haiku-4-5", level).capped(cap) }.decided();
        let body = Value::Object(knobs.fields.body());
        let max = body["max_tokens"].as_u64().unwrap();
        proptest::prop_assert!(max <= output);
        if let Some(budget) = body.pointer("/thinking/budget_tokens").and_then(Value::as_u64) {
            proptest::prop_assert!((1024..max).contains(&budget));
        }
    }
}

#[test]
fn prov_15_gemini_2_5_takes_a_number_and_gemini_3_a_word() {
    let gemini =
        |model, level| ask("google", Api::GoogleGenerativeAi, model, level).decided().said.to_string();
    let budget = |tokens: i64| format!("generationConfig.thinkingConfig.thinkingBudget={tokens}");
    let word = |word: &str| format!("generationConfig.thinkingConfig.thinkingLevel={word}");
    assert_eq!(gemini("gemini-2.5-flash", Level::Low), budget(2048));
    assert_eq!(gemini("gemini-2.5-flash", Level::High), budget(24_576));
    assert_eq!(gemini("gemini-2.5-flash", Level::Off), budget(0));
    assert_eq!(gemini("gemini-2.5-flash", Level::Adaptive), budget(-1));
    assert_eq!(gemini("gemini-2.5-flash-lite", Level::Minimal), budget(512));
    assert_eq!(gemini("gemini-2.5-pro", Level::High), budget(32_768));
    assert_eq!(gemini("gemini-2.5-pro", Level::Off), "nothing");
    assert_eq!(gemini("gemini-3-flash-preview", Level::Medium), word("MEDIUM"));
    assert_eq!(gemini("gemini-3-pro-preview", Level::Minimal), word("LOW"));
    assert_eq!(gemini("gemini-3-pro-preview", Level::Adaptive), "nothing");
}

#[test]
fn prov_03_a_tool_is_not_forced_upon_a_model_that_thinks() {
    let sonnet = |choice: ToolChoice| claude("claude-sonnet-4-5", Level::High).choice(choice).decided();
    assert_eq!(sonnet(ToolChoice::Required).choice, ToolChoice::Auto);
    assert_eq!(sonnet(ToolChoice::Required).level, Level::High);
    let named = sonnet(ToolChoice::Named("t".into()));
    assert_eq!((named.choice, named.level), (ToolChoice::Named("t".into()), Level::Off));
    assert_eq!(sonnet(ToolChoice::None).choice, ToolChoice::None);
    let idle = claude("claude-sonnet-4-5", Level::Off).choice(ToolChoice::Required).decided();
    assert_eq!(idle.choice, ToolChoice::Required);
    let moonshot = |model, choice: ToolChoice| {
        ask("moonshot", Api::OpenaiCompletions, model, Level::Max).choice(choice).decided()
    };
    assert_eq!(moonshot("kimi-k2.6", ToolChoice::Required).choice, ToolChoice::Auto);
    let pinned = moonshot("kimi-k2.6", ToolChoice::Named("t".into()));
    assert_eq!(pinned.fields.to_string(), "thinking.type=disabled");
    assert_eq!(moonshot("kimi-k3", ToolChoice::Required).choice, ToolChoice::Required);
    assert_eq!(
        openai("gpt-5.2", Level::High).choice(ToolChoice::Required).decided().choice,
        ToolChoice::Required
    );
}

#[test]
fn prov_04_prov_05_sampling_values_go_only_where_they_are_taken() {
    let warm = || Params { temperature: Some(0.7), top_p: Some(0.9), ..Params::default() };
    check(openai("gpt-5-nano", Level::Off).params(warm()), "nothing");
    check(openai("gpt-4.1", Level::Off).params(warm()), "temperature=0.7, top_p=0.9");
    let sonnet = |level| claude("claude-sonnet-4-5", level).params(warm()).decided().fields;
    assert!(!sonnet(Level::High).has("temperature") && !sonnet(Level::High).has("top_p"));
    assert!(sonnet(Level::Off).has("temperature"));
    assert!(!claude("claude-opus-4-7", Level::Off).params(warm()).decided().fields.has("temperature"));
    let deepseek = |level| ask("deepseek", Api::OpenaiCompletions, "deepseek-v4-pro", level).params(warm());
    check(deepseek(Level::High), "thinking.type=enabled, reasoning_effort=high");
    check(deepseek(Level::Off), "thinking.type=disabled, temperature=0.7, top_p=0.9");
    let cold = || Params { temperature: Some(0.0), ..Params::default() };
    let mistral =
        |level| ask("mistral", Api::OpenaiCompletions, "mistral-small-latest", level).params(cold());
    check(mistral(Level::High), "reasoning_effort=high");
    check(mistral(Level::Off), "reasoning_effort=none, temperature=0.0");
}

#[test]
fn the_fast_lane_of_each_provider() {
    let tier = |ask: Ask| {
        let shown = ask.decided().said.to_string();
        shown
            .split(", ")
            .filter(|field| field.contains("tier") || field.contains("speed"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let own = |ask: Ask| Ask { host: Host::Own, ..ask };
    assert_eq!(tier(openai("gpt-5.2", Level::Off).fast()), "service_tier=priority");
    assert_eq!(tier(openai("gpt-5.2", Level::Off)), "");
    assert_eq!(tier(openai("gpt-5-nano", Level::Off).fast()), "");
    assert_eq!(tier(own(claude("claude-haiku-4-5", Level::Off)).fast()), "service_tier=auto");
    assert_eq!(tier(own(claude("claude-haiku-4-5", Level::Off))), "service_tier=standard_only");
    assert_eq!(tier(claude("claude-haiku-4-5", Level::Off).fast()), "");
    assert_eq!(tier(claude("claude-haiku-4-5", Level::Off)), "");
    let opus = || own(claude("claude-opus-5", Level::Off));
    assert_eq!(tier(opus().fast()), "speed=fast");
    assert!(opus().fast().decided().beta.iter().any(|beta| beta.starts_with("fast-mode")));
    assert!(!opus().decided().beta.iter().any(|beta| beta.starts_with("fast-mode")));
    let flex = || Params { service_tier: Some("flex".into()), ..Params::default() };
    assert_eq!(tier(openai("gpt-5.2", Level::Off).fast().params(flex())), "service_tier=flex");
    assert_eq!(tier(openai("gpt-5.2", Level::Off).params(flex())), "service_tier=flex");
    let minimax = |pace: fn(Ask) -> Ask| {
        pace(ask("minimax", Api::AnthropicMessages, "MiniMax-M2.7", Level::Off)).decided().model
    };
    assert_eq!(minimax(Ask::fast), "MiniMax-M2.7-highspeed");
    assert_eq!(minimax(|ask| ask), "MiniMax-M2.7");
}

#[test]
fn the_users_own_object_goes_before_the_level() {
    let own = |params: Params| {
        ask("openrouter", Api::OpenaiCompletions, "qwen/qwen3-32b", Level::High).params(params)
    };
    let reasoning = Some(r#"{"effort":"low","exclude":true}"#.to_owned());
    check(own(Params { reasoning, ..Params::default() }), "reasoning.effort=low, reasoning.exclude=true");
    let minimax = ask("minimax", Api::AnthropicMessages, "MiniMax-M2.7", Level::Off).capped(100);
    check(minimax, "thinking.type=disabled, max_tokens=100");
    let thinking = Some(r#"{"type":"enabled","budget_tokens":2048}"#.to_owned());
    let params = Params { thinking, max_tokens: Some(100), ..Params::default() };
    let knobs = ask("minimax", Api::AnthropicMessages, "MiniMax-M2.7", Level::Off).params(params).decided();
    assert!(knobs.fields.to_string().starts_with("thinking.type=enabled, thinking.budget_tokens=2048"));
}

#[test]
fn prov_13_an_own_budget_stands_beside_the_answer_too() {
    let own = |cap: u64, budget: u64| {
        let thinking = format!(r#"{{"type":"enabled","budget_tokens":{budget}}}"#);
        let params = Params { max_tokens: Some(cap), thinking: Some(thinking), ..Params::default() };
        claude("claude-haiku-4-5", Level::Off).params(params)
    };
    check(own(4096, 40_000), "thinking.type=enabled, thinking.budget_tokens=40000, max_tokens=44096");
    check(own(40_000, 40_000), "thinking.type=enabled, thinking.budget_tokens=40000, max_tokens=64000");
}

#[test]
fn an_own_object_stands_where_its_shape_has_it() {
    let own = || Params {
        thinking: Some(r#"{"x":1}"#.into()),
        reasoning: Some(r#"{"y":2}"#.into()),
        ..Params::default()
    };
    let said = |ask: Ask| ask.params(own()).decided().said.to_string();
    assert_eq!(said(openai("gpt-5.2", Level::High)), "reasoning.y=2");
    assert_eq!(
        said(ask("google", Api::GoogleGenerativeAi, "gemini-2.5-flash", Level::High)),
        "generationConfig.thinkingConfig.x=1"
    );
    assert_eq!(said(ask("home", Api::OpenaiCompletions, "x", Level::High)), "thinking.x=1, reasoning.y=2");
    let ollama = || ask("ollama", Api::Ollama, "gpt-oss:20b", Level::High);
    assert_eq!(said(ollama()), "think=high");
    assert_eq!(ollama().params(own()).decided().words, Words::Ours, "what is not sent says nothing");
}

#[test]
fn ollama_is_told_how_large_the_window_is_where_the_owner_says_so() {
    let asked = |context| Ask { context, ..ask("ollama", Api::Ollama, "gpt-oss:20b", Level::Off) };
    check(asked(Some(32_768)), "think=false, options.num_ctx=32768");
    check(asked(None), "think=false");
}

#[test]
fn an_answers_cap_is_named_as_each_shape_has_it() {
    check(openai("gpt-4.1", Level::Off).capped(500), "max_output_tokens=500");
    check(
        ask("openai", Api::OpenaiCompletions, "gpt-4.1", Level::Off).capped(500),
        "max_completion_tokens=500",
    );
    check(ask("somebody", Api::OpenaiCompletions, "x", Level::Off).capped(500), "max_tokens=500");
    let gemini =
        ask("google", Api::GoogleGenerativeAi, "gemini-2.5-flash", Level::Low).capped(500).decided().fields;
    assert!(gemini.to_string().contains("generationConfig.maxOutputTokens=2548"));
    let ollama = ask("ollama", Api::Ollama, "gpt-oss:20b", Level::Off).capped(500);
    check(ollama, "think=false, options.num_predict=500");
}
