//! What is known of models, on the command line: lists of them, and what one call puts on the wire and why.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::scene::Scene;
use serde_json::{Value, json};

/// What a verb printed with `--json`, once it has ended well.
async fn told(scene: &Scene, arguments: &[&str]) -> Value {
    let ran = scene.run(arguments).await;
    ran.expect(0, &[]);
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("no JSON: {ran:?}"))
}

/// The listed model of that name.
fn model<'a>(listing: &'a Value, name: &str) -> &'a Value {
    let models = listing["models"].as_array().unwrap();
    models.iter().find(|row| row["model"] == name).unwrap_or_else(|| panic!("{name} is not listed"))
}

/// `level → wire` of each level.
fn wires(row: &Value) -> Vec<String> {
    let levels = row["levels"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    levels.map(|level| format!("{} → {}", text(&level["label"]), text(&level["wire"]))).collect()
}

/// A provider with one model that nothing but the configuration describes.
fn with_a_row(config: &mut Value) {
    config["models"]["providers"]["local"] = json!({
        "baseUrl": "http://127.0.0.1:9/v1",
        "models": [{
            "id": "thinker-1", "name": "Thinker", "reasoning": true, "contextWindow": 32768, "maxTokens": 8192, "input": ["text", "image"],
            "compat": { "supportedReasoningEfforts": ["low", "high", "xhigh"], "thinkingFormat": "openrouter" },
        }],
    });
    config["agents"]["defaults"]["models"]["local/thinker-1"]["alias"] = json!("thinker");
}

#[tokio::test]
async fn a_list_shows_levels_with_their_wire_limits_and_where_it_is_from() {
    let scene = Scene::prepared(with_a_row).await;
    let listing = told(&scene, &["models", "--json"]).await;
    let row = model(&listing, "local/thinker-1");
    assert_eq!(
        wires(row),
        [
            "off → reasoning.enabled=false",
            "minimal → reasoning.effort=low",
            "low → reasoning.effort=low",
            "high → reasoning.effort=high",
            "xhigh → reasoning.effort=xhigh",
        ]
    );
    let shown = ["provider", "id", "alias", "name", "configured", "api", "context", "output", "price"]
        .map(|key| &row[key]);
    let expected = [
        json!("local"),
        json!("thinker-1"),
        json!("thinker"),
        json!("Thinker"),
        json!(true),
        json!("openai-completions"),
        json!(32768),
        json!(8192),
        Value::Null,
    ];
    assert_eq!(shown, expected.each_ref());
    assert_eq!(row["input"], json!(["text", "image"]));
    assert!(row["source"].as_str().unwrap().starts_with("configuration"), "{row}");
    assert_eq!(wires(model(&listing, "fake/gpt-4.1")), ["off → nothing"]);
    scene
        .run(&["models"])
        .await
        .expect(0, &["local/thinker-1 (thinker) Thinker\n", "32,768 tokens", "  high"]);
    scene.finish().await;
}

#[tokio::test]
async fn a_vendor_without_a_key_can_be_looked_up() {
    let scene = Scene::prepared(|_| {}).await;
    let listing = told(&scene, &["models", "--provider", "openai", "--json"]).await;
    assert!(listing["models"].as_array().unwrap().iter().all(|row| row["provider"] == "openai"));
    let sol = model(&listing, "openai/gpt-5.6-sol");
    assert_eq!((&sol["configured"], &sol["default"]), (&json!(false), &json!("medium")));
    assert_eq!(wires(sol).last().unwrap(), "ultra → reasoning.effort=max");
    let all = told(&scene, &["models", "--json"]).await;
    assert!(all["models"].as_array().unwrap().iter().all(|row| row["configured"] == true), "{all}");
    scene
        .run(&["models", "--provider", "opnai"])
        .await
        .expect(2, &["no provider opnai", "did you mean openai?"]);
    scene.run(&["models", "--provider", "gemini"]).await.expect(2, &["did you mean google?"]);
    scene.finish().await;
}

/// Each of these vendors with the fake in its place, in the shape that its own host speaks.
const VENDORS: [(&str, &str, &str, &[&str]); 14] = [
    ("openai", "/v1", "openai-responses", &["gpt-5", "gpt-5.6-sol"]),
    ("anthropic", "", "anthropic-messages", &["claude-haiku-4-5", "claude-opus-4-6", "claude-sonnet-5"]),
    ("google", "/v1beta", "google-generative-ai", &["gemini-2.5-flash", "gemini-3-flash-preview"]),
    ("ollama", "", "ollama", &["gpt-oss"]),
    ("deepseek", "/v1", "openai-completions", &["deepseek-v4-pro"]),
    ("openrouter", "/v1", "openai-completions", &["some/thinker"]),
    ("zai", "/v1", "openai-completions", &["glm-4.7", "glm-5.2"]),
    ("moonshot", "/v1", "openai-completions", &["kimi-k2.6", "kimi-k3"]),
    ("kimi", "", "anthropic-messages", &["k3", "kimi-for-coding"]),
    ("minimax", "", "anthropic-messages", &["MiniMax-M2.7", "MiniMax-M3"]),
    ("qwen", "/v1", "openai-completions", &["qwen-plus"]),
    ("xai", "/v1", "openai-completions", &["grok-4.3"]),
    ("mistral", "/v1", "openai-completions", &["mistral-medium-latest"]),
    ("groq", "/v1", "openai-completions", &["openai/gpt-oss-120b"]),
];

#[tokio::test]
async fn what_is_explained_is_what_is_sent() {
    let mut scene = Scene::prepared(|_| {}).await;
    let url = scene.model.url();
    scene.reconfigure(|config| {
        // Without sub-agents nobody is offered `ultra`.
        config["agents"]["defaults"]["tools"] = json!({ "allow": ["sessions_spawn"] });
        for (vendor, path, api, models) in VENDORS {
            let base = format!("{url}{path}");
            config["models"]["providers"][vendor] = json!({ "baseUrl": base, "api": api, "apiKey": "k" });
            for model in models {
                let params = json!({ "temperature": 0.5, "topP": 0.9, "maxTokens": 4000 });
                config["agents"]["defaults"]["models"][format!("{vendor}/{model}")] =
                    json!({ "params": params });
            }
        }
    });
    let daemon = scene.daemon().await;
    let listing = told(&scene, &["models", "--json"]).await;
    for (vendor, model_id) in VENDORS.iter().flat_map(|row| row.3.iter().map(|id| (row.0, *id))) {
        let name = format!("{vendor}/{model_id}");
        for level in model(&listing, &name)["levels"].as_array().unwrap() {
            let level = level["level"].as_str().unwrap();
            let said = scene.run(&["chat", "--model", &name, &format!("/think {level} hello")]).await;
            assert!(said.code == 0 && said.out.ends_with("You said: hello\n"), "{name} {level}: {said:?}");
            let sent = scene.model.requests().pop().unwrap();
            let explained = told(&scene, &["explain", "--model", &name, "--think", level, "--json"]).await;
            agrees(&explained, &sent.body, &sent.path);
        }
    }
    assert_eq!(scene.model.refusals(), [""; 0]);
    drop(daemon);
    scene.finish().await;
}

/// Every field that was explained stands in the body; Gemini's model is part of the path.
fn agrees(explained: &Value, body: &Value, path: &str) {
    for field in explained["fields"].as_array().unwrap() {
        let (name, value) = (field["field"].as_str().unwrap(), field["value"].as_str().unwrap());
        let sent = body.pointer(&format!("/{}", name.replace('.', "/"))).unwrap_or(&Value::Null);
        let sent = sent.as_str().map_or_else(|| sent.to_string(), str::to_owned);
        let is_in_path = name == "model" && path.contains(value);
        assert!(sent == value || is_in_path, "{explained}: {name} is not so in {body}");
    }
}

#[tokio::test]
async fn a_level_that_the_model_lacks_is_told_with_what_becomes_of_it() {
    let scene = Scene::prepared(|_| {}).await;
    let arguments = ["explain", "--model", "openai/gpt-5", "--think", "xhigh"];
    scene.run(&arguments).await.expect(
        0,
        &[
            "openai/gpt-5, thinking xhigh\n",
            "xhigh is not on offer; typed, it is refused with the levels off, minimal, low, medium, high; stored or inherited, \
             it becomes high",
            "reasoning.effort = high\n",
            "why:\n",
        ],
    );
    let explained = told(&scene, &[&arguments[..], &["--fast", "on", "--json"]].concat()).await;
    assert_eq!(
        (&explained["asked"], &explained["sent"], &explained["offered"], &explained["fast"]),
        (&json!("xhigh"), &json!("high"), &json!(false), &json!(true))
    );
    let tier = json!({ "field": "service_tier", "value": "priority" });
    assert!(explained["fields"].as_array().unwrap().contains(&tier), "{explained}");
    let nothing = "fast mode changes nothing in this call";
    assert!(!explained["why"].to_string().contains(nothing), "{explained}");
    let slow = ["explain", "--model", "zai/glm-4.6", "--think", "high", "--fast", "on"];
    scene.run(&slow).await.expect(0, &["stored or inherited, it becomes on:", nothing]);
    scene.finish().await;
}

#[tokio::test]
async fn a_chat_with_a_model_that_cannot_be_picked_asks_no_other() {
    let scene = Scene::with(|config| {
        with_a_row(config);
        let fake = config["models"]["providers"]["fake"]["baseUrl"].clone();
        config["models"]["providers"]["local"]["baseUrl"] = fake;
    })
    .await;
    let strange = scene.run(&["chat", "--model", "nobody/thinker", "hello"]).await;
    strange.expect(2, &["Unrecognized model \"nobody/thinker\". See /model list."]);
    assert!(scene.model.requests().is_empty());
    let picked = scene.run(&["chat", "--model", "thinker", "hello"]).await;
    assert_eq!(picked.out, "You said: hello\n");
    assert!(picked.err.contains("Model set to local/thinker-1 for this session.\n"), "{picked:?}");
    scene.finish().await;
}

#[tokio::test]
async fn names_that_nobody_knows_are_refused_with_near_ones() {
    let scene = Scene::prepared(with_a_row).await;
    for (model, level, parts) in [
        ("opnai/gpt-5", "high", ["there is no provider opnai", "did you mean openai?"]),
        ("openai/gpt-5.6-soll", "high", ["openai has no model gpt-5.6-soll", "did you mean gpt-5.6-sol"]),
        ("thinkr", "high", ["thinkr is no alias, nor provider/model", "did you mean thinker?"]),
        ("thinker", "hihg", ["hihg is no thinking level", "did you mean high?"]),
        ("openai/gpt-5", "very", ["very is no thinking level", "there are: off, minimal"]),
    ] {
        scene.run(&["explain", "--model", model, "--think", level]).await.expect(2, &parts);
    }
    scene.run(&["explain", "--model", "openai/gpt-5"]).await.expect(2, &["--think"]);
    // Where anything may be served, a strange name is no slip.
    scene
        .run(&["explain", "--model", "local/another", "--think", "high"])
        .await
        .expect(0, &["reasoning_effort = high"]);
    scene.finish().await;
}

#[tokio::test]
async fn doubts_about_models_and_levels_stand_in_the_check_and_at_the_start() {
    let scene = Scene::prepared(|config| {
        config["agents"]["defaults"]["thinkingDefault"] = json!("max");
    })
    .await;
    let doubt = "agents.defaults.thinkingDefault: fake/gpt-5.2 has no thinking level max, so xhigh is used; it has: off, ";
    scene.run(&["config", "check"]).await.expect(0, &["no faults", "warning: ", doubt]);
    let daemon = scene.daemon().await;
    assert!(scene.log().contains(doubt), "{}", scene.log());
    drop(daemon);
    scene.finish().await;
}
