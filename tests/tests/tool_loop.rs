//! A run that calls tools: what is offered, what a call comes to, what goes back to the model, what is kept, and what the
//! person sees of it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::gate::Gate;
use pensive_tests::model::{Failure, ReasoningShape, Request, Script, Usage};
use pensive_tests::scene::{MODEL_KEY, Scene, said};
use pensive_tests::talk::Talk;
use serde_json::{Value, json};

const STATUS: &str = "session_status";
const APIS: [&str; 2] = ["openai-responses", "openai-completions"];

/// A daemon whose agent has the one tool, with a provider that speaks this shape.
async fn over(api: &str) -> Scene {
    Scene::with(|config| {
        config["models"]["providers"]["fake"]["api"] = json!(api);
        config["agents"]["defaults"]["tools"] = json!({ "allow": [STATUS] });
    })
    .await
}

fn calls_status() -> Script {
    Script::new().tool_call(STATUS, &json!({}))
}

fn last(scene: &Scene) -> Request {
    scene.model.requests().pop().unwrap()
}

/// What the tools answered last in the newest request.
fn result(scene: &Scene) -> String {
    last(scene).tool_results().pop().unwrap().1
}

fn choice(request: &Request) -> Value {
    request.at_path("/tool_choice").clone()
}

#[tokio::test]
async fn dir_08_the_tool_tells_what_status_tells() {
    for api in APIS {
        let scene = over(api).await;
        let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
        ann.check(&[("/think high", "Thinking level set to high."), ("hello", "You said: hello")]).await;
        let gate = Gate::new();
        scene.model.play(calls_status());
        scene.model.play(Script::new().wait(&gate).text("You think hard."));
        ann.say("how do you stand?");
        gate.reached(1).await;
        let told = result(&scene);
        assert_eq!(ann.ask("/status").await, told, "{api}");
        assert!(told.contains("Thinking: high → ") && told.contains("(from session)"), "{told}");
        assert!(told.contains("Queue: steer · working\n"), "{told}");
        gate.open();
        assert_eq!(ann.hear().await, "You think hard.");
        scene.finish().await;
    }
}

#[tokio::test]
async fn dir_08_the_tool_tells_what_this_message_wants() {
    let scene = over("openai-responses").await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    assert_eq!(ann.ask("/think low").await, "Thinking level set to low.");
    scene.model.play(calls_status());
    scene.model.play(Script::new().text("So."));
    assert_eq!(ann.ask("/think xhigh how do you stand?").await, "Thinking level set to xhigh.");
    assert_eq!(ann.hear().await, "So.");
    let told = result(&scene);
    assert!(told.contains("Thinking: xhigh → reasoning.effort=xhigh (from this message)"), "{told}");
    assert_eq!(last(&scene).effort(), Some("xhigh"), "the level holds for the whole run");
    scene.finish().await;
}

#[tokio::test]
async fn an_agent_has_the_tools_that_it_is_allowed() {
    for (tools, offered) in [
        (json!(null), false),
        (json!({ "allow": [STATUS] }), true),
        (json!({ "allow": [STATUS], "deny": ["*"] }), false),
        (json!({ "allow": ["other"] }), false),
    ] {
        let scene = Scene::with(|config| config["agents"]["defaults"]["tools"] = tools.clone()).await;
        let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
        assert_eq!(ann.ask("hello").await, "You said: hello");
        let expected = if offered { vec![STATUS] } else { Vec::new() };
        assert_eq!(last(&scene).tools(), expected, "{tools}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn a_call_that_cannot_be_made_is_told_to_the_model() {
    for api in APIS {
        let scene = over(api).await;
        let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
        let broken = |arguments: &str| {
            let step = pensive_tests::model::Step::ToolCall {
                name: STATUS.to_owned(),
                arguments: arguments.to_owned(),
            };
            Script::new().step(step)
        };
        scene.model.play(Script::new().tool_call("rm", &json!({ "path": "/" })));
        scene.model.play(broken("{\"a\": "));
        assert_eq!(ann.ask("hello").await, "You said: hello");
        let results: Vec<String> = last(&scene).tool_results().into_iter().map(|(_, text)| text).collect();
        assert_eq!(
            results,
            [
                "There is no tool \"rm\". Tools: session_status.",
                "The arguments of session_status are not a JSON object. Tools: session_status.",
            ],
            "{api}"
        );
        scene.finish().await;
    }
}

#[tokio::test]
async fn parallel_calls_have_their_results_in_order() {
    for api in APIS {
        let scene = over(api).await;
        let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
        scene.model.play(calls_status().tool_call("read", &json!({})).tool_call(STATUS, &json!({ "a": 1 })));
        assert_eq!(ann.ask("hello").await, "You said: hello");
        let results = last(&scene).tool_results();
        let heads: Vec<&str> = results.iter().map(|(_, text)| text.split(' ').next().unwrap()).collect();
        assert_eq!(heads, ["Pensive", "There", "Pensive"], "{api}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn of_calls_without_number_only_the_first_are_made() {
    let scene = over("openai-completions").await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    let many = (0..40).fold(Script::new(), |script, n| script.tool_call("unheard_of", &json!({ "n": n })));
    scene.model.play(many);
    scene.model.play(Script::new().text("Enough."));
    assert_eq!(ann.ask("go").await, "Enough.");
    let results = last(&scene).tool_results();
    let made = results.iter().filter(|(_, text)| text.starts_with("There is no tool")).count();
    assert_eq!((results.len(), made), (40, 32));
    assert!(results[39].1.starts_with("Only the first 32 calls"), "{:?}", results[39]);
    scene.finish().await;
}

#[tokio::test]
async fn a_model_that_goes_in_circles_is_told_and_has_to_answer_in_the_end() {
    let scene = over("openai-responses").await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.reply_to("again", calls_status());
    assert_eq!(
        ann.ask("again").await,
        "⚙️ The model used session_status and added no words.\n\n\
         ⚠️ I ended it here: the model went on calling tools and came to no answer."
    );
    let requests = scene.model.requests();
    assert_eq!(requests.len(), 25);
    let results = requests[24].tool_results();
    let stands = |(_, text): &(String, String)| text.starts_with("Pensive ");
    assert_eq!(results.iter().map(stands).filter(|stands| *stands).count(), 2);
    assert!(results[2].1.starts_with("This is call number 3 of session_status with the same arguments"));
    let choices: Vec<Value> = requests.iter().map(choice).collect();
    assert!(choices[..24].iter().all(|choice| *choice != json!("none")), "{choices:?}");
    assert_eq!(choices[24], json!("none"));
    // What the person saw is what the model is told it said.
    scene.model.clear();
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!(last(&scene).texts("assistant"), ["⚙️ The model used session_status and added no words."]);
    scene.finish().await;
}

#[tokio::test]
async fn the_first_call_may_be_bound_to_a_tool_and_later_ones_are_free() {
    let scene = Scene::with(|config| {
        let defaults = &mut config["agents"]["defaults"];
        defaults["tools"] = json!({ "allow": ["*"] });
        defaults["models"] = json!({ "fake/gpt-5.2": { "params": { "toolChoice": "required" } } });
    })
    .await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    for _ in 0..2 {
        scene.model.play(calls_status());
        assert_eq!(ann.ask("hello").await, "You said: hello");
    }
    let choices: Vec<Value> = scene.model.requests().iter().map(choice).collect();
    let free = |choice: &Value| choice.is_null() || *choice == json!("auto");
    assert_eq!((&choices[0], &choices[2]), (&json!("required"), &json!("required")));
    assert!(free(&choices[1]) && free(&choices[3]), "{choices:?}");
    scene.finish().await;
}

/// A provider that has a fast lane, and an agent with tools.
async fn with_a_fast_lane() -> Scene {
    Scene::with(|config| {
        let mut provider = config["models"]["providers"]["fake"].clone();
        provider["models"] = json!([]);
        config["models"]["providers"]["openai"] = provider;
        let defaults = &mut config["agents"]["defaults"];
        defaults["model"]["primary"] = json!("openai/gpt-5.2");
        defaults["tools"] = json!({ "allow": ["*"] });
    })
    .await
}

/// Each call is judged as it starts: the moment of the cutoff is still early enough, a thousandth of a second later is not.
#[tokio::test]
async fn fast_auto_is_judged_at_the_start_of_each_call() {
    let scene = with_a_fast_lane().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    assert_eq!(
        ann.ask("/fast auto /think high").await,
        "Thinking level set to high.\n⚙️ Fast mode set to auto."
    );
    let gates = [Gate::new(), Gate::new()];
    for gate in &gates {
        scene.model.play(calls_status().first_byte(gate));
    }
    ann.say("hello");
    for (gate, span) in gates.iter().zip([Duration::from_secs(60), Duration::from_millis(1)]) {
        gate.reached(1).await;
        scene.advance(span);
        gate.open();
    }
    assert_eq!(ann.hear().await, "You said: hello");
    let tiers: Vec<Value> =
        scene.model.requests().iter().map(|request| request.at_path("/service_tier").clone()).collect();
    assert_eq!(tiers, [json!("priority"), json!("priority"), Value::Null]);
    scene.finish().await;
}

#[tokio::test]
async fn a_stop_among_the_calls_leaves_only_the_persons_message() {
    let scene = over("openai-completions").await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(calls_status());
    scene.model.play(Script::new().stall());
    ann.say("one");
    scene.model.wait_until(|model| (model.count() == 2).then_some(())).await;
    assert_eq!(ann.ask("/stop").await, "⚙️ Stopped.");
    assert_eq!(ann.ask("two").await, "You said: two");
    let request = last(&scene);
    assert_eq!(request.texts("user"), ["one", "two"]);
    assert_eq!(request.texts("assistant"), [""; 0]);
    assert_eq!(request.tool_results(), []);
    scene.finish().await;
}

/// The conversation as it was sent.
fn replayed(request: &Request) -> Vec<Value> {
    let items = ["input", "messages", "contents"].iter().find_map(|name| request.body.get(*name)).unwrap();
    items.as_array().unwrap().clone()
}

/// Each provider wants its own back: OpenAI encrypted items, `DeepSeek` its `reasoning_content`, `OpenRouter` its details,
/// Anthropic signed blocks, Google a signature on the call.
#[tokio::test]
async fn prov_01_prov_02_what_a_tool_loop_was_is_sent_back_unchanged_also_after_a_restart() {
    for (provider, model, api, shape) in [
        ("openai", "gpt-5.6-terra", APIS[0], ReasoningShape::Usual),
        ("deepseek", "deepseek-v4-pro", APIS[1], ReasoningShape::Usual),
        ("openrouter", "anthropic/claude-opus-4.8", APIS[1], ReasoningShape::Details),
        ("anthropic", "claude-opus-4-8", "anthropic-messages", ReasoningShape::Usual),
        ("google", "gemini-3-flash-preview", "google-generative-ai", ReasoningShape::Usual),
    ] {
        let mut scene = Scene::with(|config| {
            let mut row = config["models"]["providers"]["fake"].clone();
            row["api"] = json!(api);
            row["models"] = json!([]);
            let root = row["baseUrl"].as_str().unwrap().trim_end_matches("/v1").to_owned();
            match provider {
                "google" => row["baseUrl"] = json!(format!("{root}/v1beta")),
                "anthropic" => row["baseUrl"] = json!(root),
                _ => {}
            }
            config["models"]["providers"][provider] = row;
            let defaults = &mut config["agents"]["defaults"];
            defaults["tools"] = json!({ "allow": ["*"] });
            defaults["model"]["primary"] = json!(format!("{provider}/{model}"));
        })
        .await;
        let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
        assert_eq!(ann.ask("/think high").await, "Thinking level set to high.");
        let thought = || Script::new().reasoning_as(shape).reasoning("Look  first.\n").sealed();
        scene.model.play(thought().text("Let me look.").tool_call(STATUS, &json!({ "why": "é \"q\"" })));
        scene.model.play(thought().text("It stands."));
        assert_eq!(ann.ask("how is it?").await, "It stands.", "{provider}");
        let inside = replayed(&last(&scene));
        scene.restart().await;
        assert_eq!(ann.ask("and now?").await, "You said: and now?");
        let after = last(&scene);
        assert_eq!(replayed(&after)[..inside.len()], inside[..], "{provider}");
        assert_eq!(after.tool_results().len(), 1);
        let thoughts = inside.iter().filter(|item| item.to_string().contains("Look  first.\\n")).count();
        // With Google the signature alone stands for the thought.
        let goes_back = thoughts == 1 || (provider == "google" && !after.seals().is_empty());
        assert!(goes_back, "{provider}: {inside:#?}");
        assert_eq!(scene.model.refusals(), [""; 0], "{provider}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn a_fallback_goes_on_where_the_first_model_came_to_nothing() {
    let scene = Scene::with(|config| {
        let defaults = &mut config["agents"]["defaults"];
        defaults["tools"] = json!({ "allow": ["*"] });
        defaults["model"]["fallbacks"] = json!(["fake/gpt-4.1"]);
    })
    .await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(calls_status());
    scene.model.play(Script::fail(Failure::json(401)));
    scene.model.play(calls_status());
    assert_eq!(ann.ask("hello").await, "You said: hello");
    let requests = scene.model.requests();
    let models: Vec<&str> = requests.iter().map(Request::model).collect();
    assert_eq!(models, ["gpt-5.2", "gpt-5.2", "gpt-4.1", "gpt-4.1"], "who refused is not asked again");
    let results: Vec<usize> = requests.iter().map(|request| request.tool_results().len()).collect();
    assert_eq!(results, [0, 1, 1, 2]);
    scene.finish().await;
}

#[tokio::test]
async fn tokens_and_cost_are_those_of_all_calls_and_the_context_is_that_of_the_last() {
    let scene = with_a_fast_lane().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    assert_eq!(ann.ask("/usage full").await, "⚙️ Usage line set to full.");
    scene.model.play(calls_status().usage(Usage { input: 1_000, cached: 0, output: 50, reasoning: 40 }));
    let usage = Usage { input: 1_200, cached: 1_000, output: 100, reasoning: 0 };
    scene.model.play(Script::new().text("Hi.").usage(usage));
    // 1000·1.75 + 50·14, and 200·1.75 + 1000·0.175 + 100·14, in millionths of a dollar.
    assert_eq!(
        ann.ask("hello").await,
        "Hi.\n\nin 2200 · out 150 · reasoning 40 · cached 1000 · openai/gpt-5.2 · medium · \
         first after 0.0 s · 0.0 s in all · $0.0044"
    );
    let status = ann.ask("/status").await;
    let line = "Tokens: 2200 in, 150 out · context 1300 of 400000 (0 %) · $0.0044\n";
    assert!(status.contains(line), "{status}");
    assert_eq!(ann.ask("/fast on hello").await, "⚙️ Fast mode enabled.");
    assert!(ann.hear().await.contains(" · openai/gpt-5.2 · medium · fast · first after "));
    scene.finish().await;
}

#[tokio::test]
async fn rsn_10_rsn_12_what_is_said_between_calls_is_no_answer() {
    for api in APIS {
        let scene = over(api).await;
        let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
        assert_eq!(ann.ask("/reasoning on").await, "⚙️ Reasoning visibility enabled.");
        scene
            .model
            .play(Script::new().reasoning("Look.").text("I shall look.").tool_call(STATUS, &json!({})));
        scene.model.play(Script::new().reasoning("Seen.").text("All is well."));
        assert_eq!(ann.ask("how is it?").await, "Thinking\nLook.", "{api}");
        assert_eq!(ann.hear().await, "Thinking\nSeen.", "each block before what it led to");
        assert_eq!(ann.hear().await, "All is well.");
        assert_eq!(ann.ask("/whoami").await.lines().count(), 4, "and nothing else");
        scene.finish().await;
    }
}

#[tokio::test]
async fn rsn_18_a_run_of_calls_alone_does_not_end_in_silence() {
    for api in APIS {
        let scene = over(api).await;
        let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
        let line = "⚙️ The model used session_status and added no words.";
        for silent in [Script::new(), Script::new().text(" \n"), Script::new().reasoning("Done.")] {
            scene.model.play(calls_status());
            scene.model.play(silent);
            assert_eq!(ann.ask("look").await, line, "{api}");
        }
        // What was said before the calls is better than a line of ours.
        scene.model.play(Script::new().text("I have a look.").tool_call(STATUS, &json!({})));
        scene.model.play(Script::new());
        assert_eq!(ann.ask("look").await, "I have a look.", "{api}");
        // Where nothing was done, asking again does no harm.
        scene.model.play(Script::new().tool_call("rm", &json!({})));
        scene.model.play(Script::new());
        ann.say("look");
        let seen = ann.next().await;
        assert_eq!((seen.text.as_str(), seen.buttons.len()), ("The model returned no text.", 1), "{api}");
        assert_eq!(ann.ask("hello").await, "You said: hello");
        assert_eq!(said(ann.person()).len(), 6);
        scene.finish().await;
    }
}

#[tokio::test]
async fn what_breaks_among_the_calls_keeps_what_was_said() {
    let scene = over("openai-responses").await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(Script::new().text("I have a look.").tool_call(STATUS, &json!({})));
    scene.model.play(Script::fail(Failure::json(401)));
    assert_eq!(ann.ask("look").await, "I have a look.");
    let seen = ann.next().await;
    assert_eq!(seen.text, "⚠️ The model provider refused our key. An admin needs to check it.");
    assert_eq!(seen.buttons, ["Try again"]);
    ann.person().press("Try again").unwrap();
    assert_eq!(ann.hear().await, "You said: look");
    assert_eq!(last(&scene).tool_results(), []);
    scene.finish().await;
}

#[tokio::test]
async fn a_secret_in_a_call_is_not_kept() {
    let scene = over("openai-completions").await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(Script::new().tool_call(STATUS, &json!({ "key": MODEL_KEY })));
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!(ann.ask("again").await, "You said: again");
    let body = last(&scene).body.to_string();
    assert!(!body.contains(MODEL_KEY) && body.contains("•••"), "{body}");
    scene.finish().await;
}
