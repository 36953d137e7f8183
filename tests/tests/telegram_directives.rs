//! What a person types on Telegram, and what comes of it: directives alone, mixed with text, and in between.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::model::Request;
use pensive_tests::scene::Scene;
use pensive_tests::talk::Talk;
use serde_json::json;

/// Writes, waits for the echo, and gives what the model was asked.
async fn run(scene: &Scene, talk: &mut Talk, text: &str) -> Request {
    let before = scene.model.count();
    let echo = talk.ask(text).await;
    assert!(echo.starts_with("You said: "), "{text:?} was answered with {echo:?}");
    assert_eq!(scene.model.count(), before + 1, "{text:?}");
    scene.model.requests().pop().unwrap()
}

#[tokio::test]
async fn dir_04_inline_value_is_used_for_the_run() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    ann.say("/think high explain Raft");
    let request = scene.model.wait_for_request(|_| true).await;
    assert_eq!(request.effort(), Some("high"));
    assert_eq!(request.prompt(), "explain Raft");
    scene.telegram.wait_for_text(ann.chat(), "explain Raft").await;
    ann.say("/think");
    scene.telegram.wait_for_text(ann.chat(), "Current thinking level: medium (from").await;
    scene.finish().await;
}

#[tokio::test]
async fn dir_15_a_directive_alone_is_kept_and_confirmed_in_the_words_of_its_family() {
    let scene = Scene::with(|config| config["commands"] = json!({ "ownerAllowFrom": ["telegram:1"] })).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user_with_id(1, "Ann"));
    ann.check(&[
        ("/think", "Current thinking level: medium (from built-in).\nOptions: default, off, minimal, low, medium, high, xhigh."),
        ("/think high", "Thinking level set to high."),
        ("/think", "Current thinking level: high (from session).\nOptions: default, off, minimal, low, medium, high, xhigh."),
        ("/t off", "Thinking disabled."),
        ("/thinking", "Current thinking level: off (from session).\nOptions: default, off, minimal, low, medium, high, xhigh."),
        ("/THINK : Extra High", "Thinking level set to xhigh."),
        ("/think\nlow", "Thinking level set to low."),
        ("  /t  :  medium , ", "Thinking level set to medium."),
        ("/think high!", "Thinking level set to high."),
        ("/think low /think /think high", "Thinking level set to high."),
        ("/think default", "Thinking level reset to default (medium)."),
        ("/fast", "Current fast mode: off (from built-in).\nOptions: on, off, auto, default, status."),
        ("/fast auto", "⚙️ Fast mode set to auto."),
        ("/fast status", "Current fast mode: auto (60 sec) (from session)."),
        ("/fast on", "⚙️ Fast mode enabled."),
        ("/fast normal", "⚙️ Fast mode disabled."),
        ("/fast reset", "⚙️ Fast mode reset to default (off)."),
        ("/verbose", "Current verbose level: off (from built-in).\nOptions: default, on, full, off."),
        ("/v on", "⚙️ Verbose logging enabled."),
        ("/v full", "⚙️ Verbose logging set to full."),
        ("/verbose false", "⚙️ Verbose logging disabled."),
        ("/verbose unpin", "⚙️ Verbose logging reset to default (off)."),
        ("/trace on", "⚙️ Plugin trace enabled."),
        ("/trace unfiltered", "⚙️ Plugin trace set to raw. Trace output may contain sensitive text."),
        ("/trace 0", "⚙️ Plugin trace disabled."),
        ("/trace clear", "⚙️ Plugin trace reset to default (off)."),
        ("/reasoning show", "⚙️ Reasoning visibility enabled."),
        ("/reason live", "⚙️ Reasoning stream enabled."),
        ("/reason hide", "⚙️ Reasoning visibility disabled."),
        ("/reasoning inherit", "⚙️ Reasoning visibility reset to default (off)."),
        ("/elevated ask", "⚙️ Elevated mode set to ask (approvals may still apply)."),
        ("/elev on", "⚙️ Elevated mode set to ask (approvals may still apply)."),
        ("/elev auto", "⚙️ Elevated mode set to full (auto-approve)."),
        ("/elevated off", "⚙️ Elevated mode disabled."),
        ("/model fake/gpt-4.1", "Model set to fake/gpt-4.1 for this session."),
        ("/model default", "Model reset to default (fake/gpt-5.2)."),
    ])
    .await;
    assert_eq!(scene.model.count(), 0, "the model has no part in settings");
    scene.finish().await;
}

#[tokio::test]
async fn what_is_unknown_or_not_on_offer_is_refused_and_changes_nothing() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    let levels = "default, off, minimal, low, medium, high, xhigh";
    ann.check(&[
        ("/think low", "Thinking level set to low."),
        ("/think big", &format!("Unrecognized thinking level \"big\". Valid levels: {levels}. Did you mean \"high\"?")),
        ("/think zzzz", &format!("Unrecognized thinking level \"zzzz\". Valid levels: {levels}.")),
        ("/think max", "Thinking level \"max\" is not supported for fake/gpt-5.2. Use one of: off, minimal, low, medium, high, xhigh."),
        ("/think max please", "Thinking level \"max\" is not supported for fake/gpt-5.2. Use one of: off, minimal, low, medium, high, xhigh."),
        ("/fast warp", "Unrecognized fast mode \"warp\". Valid modes: on, off, auto, default, status."),
        ("/v loud", "Unrecognized verbose level \"loud\". Valid levels: default, on, full, off."),
        ("/reasoning maybe", "Unrecognized reasoning visibility \"maybe\". Valid levels: default, on, off, stream."),
        ("/think big /fast on", &format!("Unrecognized thinking level \"big\". Valid levels: {levels}. Did you mean \"high\"?\n⚙️ Fast mode enabled.")),
        ("/model nope", "Unrecognized model \"nope\". See /model list."),
        ("/trace on", "❌ /trace is restricted to owners."),
        ("/elevated full", "❌ /elevated is restricted to owners."),
        ("/think", &format!("Current thinking level: low (from session).\nOptions: {levels}.")),
    ])
    .await;
    assert_eq!(scene.model.count(), 0, "a refused message is not run");
    scene.finish().await;
}

#[tokio::test]
async fn several_families_in_one_message_are_answered_in_one_in_their_own_order() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    ann.check(&[(
        "/v full /reasoning on /t high",
        "Thinking level set to high.\n⚙️ Verbose logging set to full.\n⚙️ Reasoning visibility enabled.",
    )])
    .await;
    let status = ann.ask("/status").await;
    assert!(status.contains("Thinking: high → reasoning.effort=high (from session)"), "{status}");
    assert!(status.contains("Verbose: full (from session) · Reasoning: on (from session)"), "{status}");
    scene.finish().await;
}

#[tokio::test]
async fn dir_11_mixed_with_text_the_model_gets_the_cleaned_text_and_the_value_for_that_message() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    assert_eq!(ann.ask("/think low").await, "Thinking level set to low.");
    for (text, ack, effort, prompt) in [
        ("fix it /t:high now", "Thinking level set to high.", Some("high"), "fix it now"),
        ("/think low please /think xhigh", "Thinking level set to xhigh.", Some("xhigh"), "please"),
        ("/think default how?", "Thinking level reset to default (medium).", Some("medium"), "how?"),
        ("/think off why", "Thinking disabled.", Some("none"), "why"),
        (
            "line one\n/think high\nline two\r\n  indented 😀",
            "Thinking level set to high.",
            Some("high"),
            "line one\nline two\r\n  indented 😀",
        ),
    ] {
        assert_eq!(ann.ask(text).await, ack, "{text:?}");
        let echo = ann.hear().await;
        assert!(echo.starts_with("You said:"), "{echo}");
        let request = scene.model.requests().pop().unwrap();
        assert_eq!((request.effort(), request.prompt().as_str()), (effort, prompt), "{text:?}");
    }
    let after = run(&scene, &mut ann, "and now").await;
    assert_eq!(after.effort(), Some("low"), "the stored level is back");
    scene.finish().await;
}

/// What is no directive stays text, byte for byte, and the model gets it.
#[tokio::test]
async fn dir_01_dir_03_slash_words_in_a_sentence_stay_text() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    for text in [
        "Please check that the model can be picked with /model resp. /models in Telegram",
        "can I pick it with /model resp. /models?",
        "what does /think do",
        "that is not /tmp/cache",
        "is /t worth it?",
        "/think=high",
        "/think-high",
        "/thinkhigh",
        "/think/foo",
        "/thinkstuff now",
        "http://x/think high",
        "see ./think high",
        "(/think high)",
        "`/think high`",
        "say `/think high` twice",
        "```\n/think high\n```",
        "```sh\n/think high and no end",
        "~~~\n/reasoning on\n~~~\nwhat is that?",
        "> /think high\nwhy did she write that",
        "/frobnicate the thing",
        "/start",
        "please /stop that",
        "a /new idea",
    ] {
        let request = run(&scene, &mut ann, text).await;
        assert_eq!((request.prompt().as_str(), request.effort()), (text, Some("medium")));
    }
    assert!(ann.ask("/think").await.starts_with("Current thinking level: medium (from built-in)."));
    scene.finish().await;
}

#[tokio::test]
async fn a_directive_without_a_value_shows_what_holds_and_the_text_goes_on() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    let shown = "Current thinking level: medium (from built-in).\n\
                 Options: default, off, minimal, low, medium, high, xhigh.";
    for (text, notice, prompt) in [
        ("/think about my plan", shown.to_owned(), "about my plan"),
        ("/think hgih fix it", format!("{shown} Did you mean \"high\"?"), "hgih fix it"),
        (
            "/fast as you can",
            "Current fast mode: off (from built-in).\nOptions: on, off, auto, default, status.".to_owned(),
            "as you can",
        ),
    ] {
        assert_eq!(ann.ask(text).await, notice, "{text:?}");
        assert_eq!(ann.hear().await, format!("You said: {prompt}"));
        let request = scene.model.requests().pop().unwrap();
        assert_eq!((request.prompt().as_str(), request.effort()), (prompt, Some("medium")));
    }
    scene.finish().await;
}

/// Marks of the platform protect without a sign in the text.
#[tokio::test]
async fn dir_17_only_what_the_sender_typed_is_read() {
    let scene = Scene::start().await;
    let person = scene.telegram.user("Ann");
    let mut ann = Talk::with(&scene, &person);
    let bob = scene.telegram.user("Bob");
    let words = "/think high please";
    for post in [
        person.post(words).mark("code", words),
        person.post(words).mark("pre", words),
        person.post(words).mark("blockquote", words),
        person.post(words).mark("expandable_blockquote", words),
        person.post(words).mark("code", "/think"),
        person.post(words).forwarded_from(&bob),
        person.post(words).field("via_bot", json!({"id": 77, "is_bot": true, "first_name": "Gif"})),
    ] {
        post.send();
        assert_eq!(ann.hear().await, format!("You said: {words}"));
        let request = scene.model.requests().pop().unwrap();
        assert_eq!((request.prompt().as_str(), request.effort()), (words, Some("medium")));
    }
    let quoted = person.post("/think high").mark("code", "/think high").send();
    assert_eq!(ann.hear().await, "You said: /think high");
    person.post("what did I mean?").reply_to(quoted.message_id).quote("/think high").send();
    assert_eq!(ann.hear().await, "You said: what did I mean?");
    assert_eq!(scene.model.requests().pop().unwrap().effort(), Some("medium"));
    assert!(ann.ask("/think").await.contains("medium (from built-in)"));
    scene.finish().await;
}

#[tokio::test]
async fn an_edit_never_executes_anything() {
    let scene = Scene::start().await;
    let person = scene.telegram.user("Ann");
    let mut ann = Talk::with(&scene, &person);
    let asked = person.say("hello");
    assert_eq!(ann.hear().await, "You said: hello");
    person.edit(asked.message_id, "/think high");
    person.edit(asked.message_id, "/new");
    person.edit(asked.message_id, "/think xhigh explain Raft /status");
    assert_eq!(ann.hear().await, "⚙️ I had already taken up that message before you changed it.");
    person.press("Run the new text").unwrap();
    assert_eq!(ann.hear().await, "You said: explain Raft");
    let request = scene.model.requests().pop().unwrap();
    assert_eq!((request.prompt().as_str(), request.effort()), ("explain Raft", Some("medium")));
    let set = person.say("/think low");
    assert_eq!(ann.hear().await, "Thinking level set to low.");
    person.edit(set.message_id, "/think xhigh");
    assert!(ann.ask("/think").await.starts_with("Current thinking level: low (from session)."));
    scene.finish().await;
}

#[tokio::test]
async fn captions_follow_the_same_rules() {
    let scene = Scene::start().await;
    let person = scene.telegram.user("Ann");
    let mut ann = Talk::with(&scene, &person);
    person.photo().caption("/think high").send();
    assert_eq!(ann.hear().await, "Thinking level set to high.");
    assert_eq!(ann.hear().await, "You said: [photo]");
    assert!(ann.ask("/think").await.starts_with("Current thinking level: high (from session)."));
    person.photo().caption("what is /think low this?").send();
    assert_eq!(ann.hear().await, "Thinking level set to low.");
    assert_eq!(ann.hear().await, "You said: what is this?\n[photo]");
    assert_eq!(scene.model.requests().pop().unwrap().effort(), Some("low"));
    person.photo().caption("/think off").mark("code", "/think off").send();
    assert_eq!(ann.hear().await, "You said: /think off\n[photo]");
    scene.finish().await;
}

#[tokio::test]
async fn dir_12_our_name_behind_a_command_is_ours_in_any_case_and_another_bots_is_not() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    ann.check(&[
        ("/think@pensive_test_bot high", "Thinking level set to high."),
        ("/THINK@Pensive_Test_BOT low", "Thinking level set to low."),
        ("/think@pensive_test_bot: off", "Thinking disabled."),
        ("@pensive_test_bot /think high", "Thinking level set to high."),
        ("/think off, @pensive_test_bot!", "Thinking disabled."),
    ])
    .await;
    ann.say("/think@other_bot high");
    ann.say("/think@other_bot high and explain");
    ann.say("/help@other_bot");
    assert!(ann.ask("/think").await.starts_with("Current thinking level: off (from session)."));
    assert_eq!(scene.model.count(), 0, "what is for another bot is not fed to the model");
    scene.finish().await;
}

#[tokio::test]
async fn uni_04_keyboards_that_beautify_are_understood() {
    let scene = Scene::with(|config| config["commands"] = json!({ "ownerAllowFrom": ["telegram:1"] })).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user_with_id(1, "Ann"));
    ann.check(&[
        ("/think：high", "Thinking level set to high."),
        ("/think\u{a0}low", "Thinking level set to low."),
        ("/think\u{202f}:\u{a0}medium", "Thinking level set to medium."),
        ("/think extra\u{2011}high", "Thinking level set to xhigh."),
        ("/think extra\u{2013}high", "Thinking level set to xhigh."),
        ("/think x\u{a0}high", "Thinking level set to xhigh."),
        ("/think think\u{2014}hard", "Thinking level set to low."),
        ("/think off\u{3000}", "Thinking disabled."),
        ("/think high \u{2014}chat", "Thinking level set to high."),
    ])
    .await;
    let request = run(&scene, &mut ann, "\u{200f}שלום 😀👨‍👩‍👧‍👦 \u{200f}?").await;
    assert_eq!(request.prompt(), "\u{200f}שלום 😀👨‍👩‍👧‍👦 \u{200f}?");
    scene.finish().await;
}

#[tokio::test]
async fn dir_20_a_model_name_may_hold_any_sign() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    ann.check(&[
        ("/model fake/@cf/x", "Model set to fake/@cf/x for this session."),
        ("/model fake/me@example.org:x", "Model set to fake/me@example.org:x for this session."),
    ])
    .await;
    assert_eq!(run(&scene, &mut ann, "hello").await.model(), "me@example.org:x");
    scene.finish().await;
}

#[tokio::test]
async fn what_is_repeated_to_the_sender_is_never_too_long_to_send() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    let answer = ann.ask(&format!("/think {}", "😀".repeat(2_000))).await;
    let levels = "default, off, minimal, low, medium, high, xhigh";
    let word = "😀".repeat(128);
    assert_eq!(answer, format!("Unrecognized thinking level \"{word}…\". Valid levels: {levels}."));
    let answer = ann.ask(&format!("/model {}", "x".repeat(4_000))).await;
    assert_eq!(answer, format!("Unrecognized model \"{}…\". See /model list.", "x".repeat(128)));
    scene.finish().await;
}
