//! Secrets: each that is configured is said by a model, a tool and a provider in every form and every place, and is looked for in
//! everything that leaves: calls, prompts, files, logs. Not even a piece of one may be found.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use pensive_tests::gate::Gate;
use pensive_tests::model::{Failure, ReasoningShape, Script};
use pensive_tests::scene::Scene;
use pensive_tests::telegram::{Call, Person};
use pensive_tests::tools::{ToolsFake, fault};
use serde_json::{Value, json};

/// Secrets of the configuration, no piece of which stands anywhere else.
const KEY: &str = "pk/Zq7+Wm2=Lr9~Vt4&Xs8Bd";
const PROVIDER_HEADER: &str = "hd-Jk5Np8Qr3St6Uv9Wx";
const FALLBACK_KEY: &str = "fb-Aq1Sw2De3Fr4Gt5Hy6";
const SERVER_VARIABLE: &str = "mcp:Yb3/Fd8+Hg1Kj6Lm0Pz";
const SERVER_HEADER: &str = "Bearer hdr-Ce4Dg7Fh2Ji5Lk8";
const SEARCH_KEY: &str = "BSA-Mn6Bv4Cx2Zl9Kj7Hg5";

/// The shortest piece of a form that is looked for.
const PIECE: usize = 10;

/// Each secret as it is known to a reader, without scheme or public half.
fn secrets(scene: &Scene) -> Vec<String> {
    let token = scene.telegram.token().split(':').next_back().unwrap().to_owned();
    let header = SERVER_HEADER.trim_start_matches("Bearer ");
    let others = [KEY, PROVIDER_HEADER, FALLBACK_KEY, SERVER_VARIABLE, header, SEARCH_KEY].map(str::to_owned);
    others.into_iter().chain([token]).collect()
}

fn configure(config: &mut Value) {
    config["agents"]["defaults"]["tools"] = json!({ "allow": ["*"] });
    config["agents"]["defaults"]["mcp"] = json!({ "servers": {
        "notes": { "command": "/bin/sh", "args": ["-c", "echo \"starting with $NOTES_TOKEN\" >&2; exit 1"],
            "env": { "NOTES_TOKEN": SERVER_VARIABLE } },
        "remote": { "url": "http://127.0.0.1:9/mcp", "headers": { "authorization": SERVER_HEADER } },
    } });
    config["web"] =
        json!({ "search": { "engine": "brave", "url": "http://127.0.0.1:9/", "apiKey": SEARCH_KEY } });
    let fake = &mut config["models"]["providers"]["fake"];
    fake["apiKey"] = json!(KEY);
    fake["headers"] = json!({ "x-extra": PROVIDER_HEADER });
    let mut other = fake.clone();
    other["apiKey"] = json!(FALLBACK_KEY);
    config["models"]["providers"]["other"] = other;
    config["agents"]["defaults"]["model"]["fallbacks"] = json!(["other/gpt-5.2"]);
    let telegram = &mut config["channels"]["telegram"];
    telegram["groupPolicy"] = json!("open");
    telegram["groups"] = json!({ "*": { "requireMention": false, "reasoningInGroups": true } });
}

fn percent(text: &str, upper: bool) -> String {
    let escape = |byte: u8| if upper { format!("%{byte:02X}") } else { format!("%{byte:02x}") };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { escape(byte) }).collect()
}

/// A secret in every form: plain, as URLs have it, as base64 wherever it stands in what was encoded.
fn forms(secret: &str) -> Vec<String> {
    let encoded = ["", "u", "us", "user:"].map(|lead| STANDARD.encode(format!("{lead}{secret}")));
    let url_safe = URL_SAFE_NO_PAD.encode(secret);
    let plain = [secret.to_owned(), percent(secret, true), percent(secret, false), url_safe];
    plain.into_iter().chain(encoded).collect()
}

/// All secrets in all forms, as a leak would have them.
fn leak(secrets: &[String]) -> String {
    let lines = secrets.iter().map(|secret| format!("Look at {} here.", forms(secret).join(" and ")));
    lines.collect::<Vec<_>>().join("\n")
}

/// What may be found of no secret: any piece of any form.
struct Watch {
    pieces: Vec<String>,
}

impl Watch {
    fn new(secrets: &[String]) -> Self {
        let mut pieces = Vec::new();
        for secret in secrets {
            for form in forms(secret) {
                // The ends of base64 hold bytes of what stands beside the secret.
                let is_code = form != *secret && !form.contains('%');
                let form = if is_code { &form[4..form.len() - 4] } else { form.as_str() };
                pieces.extend(
                    (0..form.len().saturating_sub(PIECE - 1)).map(|at| form[at..at + PIECE].to_owned()),
                );
            }
        }
        Self { pieces }
    }

    #[track_caller]
    fn look(&self, place: &str, text: &str) {
        for piece in &self.pieces {
            if let Some(at) = text.find(piece.as_str()) {
                let from = text.floor_char_boundary(at.saturating_sub(200));
                let to = text.ceil_char_boundary((at + 200).min(text.len()));
                panic!("{piece} is in {place}: …{}…", &text[from..to]);
            }
        }
    }
}

/// Everything that went out of a scene, the store included.
fn look_everywhere(scene: &Scene, watch: &Watch) {
    for call in scene.telegram.calls_where(|_| true) {
        watch.look(&call.method, &call.params.to_string());
        watch.look(&call.method, &format!("{:?}", call.files));
    }
    for mut request in scene.model.requests() {
        // To the provider itself its own keys go in these, and in nothing else.
        let key = request.headers.remove("authorization").unwrap_or_default();
        let own = if key.contains(KEY) { KEY } else { FALLBACK_KEY };
        assert_eq!(key, format!("Bearer {own}"));
        assert_eq!(request.headers.remove("x-extra").as_deref(), Some(PROVIDER_HEADER));
        watch.look("the head of a prompt", &format!("{} {:?}", request.path, request.headers));
        watch.look("a prompt", &request.body.to_string());
    }
    for file in files(&scene.home().join("data")) {
        let content = std::fs::read(&file).unwrap();
        watch.look(&file.display().to_string(), &String::from_utf8_lossy(&content));
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn tools(leak: &str) -> ToolsFake {
    let (told, failed, ran) = (leak.to_owned(), leak.to_owned(), leak.to_owned());
    ToolsFake::new()
        .tool("read", move |_| {
            let told = told.clone();
            async move { Ok(told) }
        })
        .tool("web_fetch", move |_| {
            let failed = failed.clone();
            async move { fault(&failed) }
        })
        .dangerous("exec", move |_| {
            let ran = ran.clone();
            async move { fault(&ran) }
        })
}

/// A run that says all secrets in every place, and its answer's words stop in the middle of each of them.
fn leaky(secrets: &[String], gates: &[Gate]) -> Vec<Script> {
    let leak = leak(secrets);
    let first = Script::new()
        .reasoning(&leak)
        .text_in(3, &leak)
        .tool_call("read", &json!({ "path": leak, leak.clone(): leak }))
        .tool_call("web_fetch", &json!({ "url": format!("https://user:{}@example.org/?k={}", secrets[0], forms(&secrets[1])[1]) }))
        .tool_call("exec", &json!({ "command": format!("curl -H 'X-Key: {}' {}", secrets[2], secrets[3]) }))
        .tool_call("no_such_tool", &json!({ "what": leak }));
    let shape = ReasoningShape::Plain;
    let second = leak.split_inclusive(' ').fold(Script::new().reasoning_as(shape), Script::reasoning);
    let halves = secrets.iter().zip(gates).fold(second, |script, (secret, gate)| {
        let (head, tail) = secret.split_at(secret.len() / 2 + 1);
        script.text(&format!("And it is {head}")).wait(gate).text(&format!("{tail} you know. "))
    });
    vec![first, halves.text_in(5, &leak).text("That is all.")]
}

/// One leaky run in this chat, with what the person answers to questions.
async fn leaky_run(scene: &Scene, person: &Person, secrets: &[String]) {
    let gates: Vec<Gate> = secrets.iter().map(|_| Gate::new()).collect();
    for script in leaky(secrets, &gates) {
        scene.model.play(script);
    }
    let before = person.sees().len();
    person.say("what do you know?");
    scene
        .run_until("the question", |_| {
            person.sees().iter().skip(before).find(|seen| seen.text.contains("/approve")).cloned()
        })
        .await;
    person.press("once").or_else(|| person.press("Allow")).unwrap();
    for gate in &gates {
        scene.run_until("the next half", |_| (gate.arrivals() > 0).then_some(())).await;
        scene.run_for(Duration::from_secs(2)).await;
        gate.open();
    }
    scene
        .run_until("the answer", |_| {
            person.sees().iter().skip(before).find(|seen| seen.text.contains("That is all.")).cloned()
        })
        .await;
    scene.run_for(Duration::from_secs(30)).await;
}

#[tokio::test]
async fn tool_07_no_piece_of_a_secret_leaves_by_any_way() {
    let mut scene = Scene::prepared(configure).await;
    let ann = scene.telegram.user("Ann");
    let owner = format!("telegram:{}", ann.id());
    scene.reconfigure(|config| config["commands"] = json!({ "ownerAllowFrom": [owner] }));
    let secrets = secrets(&scene);
    let watch = Watch::new(&secrets);
    scene.equip(&tools(&leak(&secrets)));
    scene.enter().await;
    let room = scene.telegram.supergroup("Kitchen", &[&ann]);
    // In a group messages beside the answer would leave no room for its previews.
    let loud = &["/verbose full", "/trace raw", "/usage full", "/elevated ask"][..];
    for (place, levels, wishes) in
        [(ann.clone(), &["on", "stream"][..], loud), (ann.at(&room), &["stream"], &["/elevated ask"])]
    {
        for level in levels {
            let reasoning = format!("/reasoning {level}");
            for wish in wishes.iter().copied().chain([reasoning.as_str()]) {
                let before = place.sees().len();
                place.say(wish);
                scene.run_until(wish, |_| place.sees().get(before + 1).cloned()).await;
            }
            leaky_run(&scene, &place, &secrets).await;
        }
        // What the provider says of it when it refuses.
        let refusal = Failure::with_error(400, &leak(&secrets), "invalid_request_error", "odd");
        scene.model.play(Script::fail(refusal.clone()));
        scene.model.play(Script::fail(refusal));
        let before = place.sees().len();
        place.say("and now?");
        scene
            .run_until("a failure", |_| {
                place.sees().into_iter().skip(before).find(|seen| seen.text.contains("⚠️"))
            })
            .await;
        for ask in ["/status", "what did you say?"] {
            let before = place.sees().len();
            place.say(ask);
            scene.run_until(ask, |_| place.sees().get(before + 1).cloned()).await;
            scene.run_for(Duration::from_secs(3)).await;
        }
    }
    let stars = |call: &Call| call.params.to_string().contains("•••");
    for method in ["sendMessage", "sendRichMessageDraft", "editMessageText"] {
        assert!(scene.telegram.calls(method).iter().any(stars), "{method} never had anything to hide");
    }
    let prompts = scene.model.requests();
    assert!(prompts.iter().any(|request| request.body.to_string().contains("•••")), "nor had a prompt");
    scene.leave().await;
    look_everywhere(&scene, &watch);
    scene.finish().await;
}

#[tokio::test]
async fn tool_07_tool_08_the_program_writes_no_piece_of_a_secret() {
    let mut scene = Scene::prepared(configure).await;
    let ann = scene.telegram.user("Ann");
    let owner = format!("telegram:{}", ann.id());
    scene.reconfigure(|config| config["commands"] = json!({ "ownerAllowFrom": [owner] }));
    let secrets = secrets(&scene);
    let watch = Watch::new(&secrets);
    let leak = leak(&secrets);
    let workspace = scene.home().join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    std::fs::write(workspace.join("leak.txt"), &leak).unwrap();
    let daemon = scene.daemon().await;
    for wish in ["/verbose full", "/trace raw", "/reasoning on"] {
        ann.say(wish);
    }
    let read =
        |path: &str| Script::new().reasoning(&leak).text(&leak).tool_call("read", &json!({ "path": path }));
    scene.model.play(read("leak.txt"));
    scene
        .model
        .play(read(&format!("no/{}/such", secrets[0])).tool_call("web_search", &json!({ "query": leak })));
    scene.model.play(
        Script::new().tool_call("exec", &json!({ "command": "env" })).tool_call(&secrets[1], &json!({})),
    );
    scene.model.play(Script::new().text(&leak).error_event(&leak));
    scene.model.play(Script::new().reasoning(&leak).text_in(4, &leak).text("That is all."));
    ann.say("what do you know?");
    let end = |_: &_| ann.sees().into_iter().find(|seen| seen.by_bot && seen.text.contains("That is all."));
    assert!(scene.telegram.wait_within(Duration::from_secs(60), end).await.is_some(), "{:?}", ann.sees());
    ann.say("/status");
    let status = |_: &_| ann.sees().into_iter().find(|seen| seen.by_bot && seen.text.contains("Tokens"));
    assert!(scene.telegram.wait_within(Duration::from_secs(60), status).await.is_some());
    daemon.stop(Duration::from_secs(15)).await.unwrap();
    let log = scene.log();
    assert!(log.contains("•••"), "the log never had anything to hide: {log}");
    watch.look("the log", &log);
    let export = scene.run(&["store", "export", "-"]).await;
    assert!(export.out.contains("\"tree\""), "nothing was exported: {export:?}");
    watch.look("the export", &format!("{export:?}"));
    look_everywhere(&scene, &watch);
    scene.finish().await;
}
