//! What an answer looks like when it has reached Discord: its own Markdown, messages that fit, nothing lost between them, and
//! nobody pinged.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::discord::{Call, Fault, Person, Seen};
use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::scene::Scene;
use serde_json::{Value, json};

const SEND: &str = "POST /channels/{}/messages";
const MOST_UNITS: usize = 2_000;
const MOST_LINES: usize = 17;
const END: &str = "The end of it.";

async fn start(change: impl FnOnce(&mut Value)) -> (Scene, Person) {
    let scene = Scene::on_discord(change).await;
    let ann = scene.discord.person("Ann");
    (scene, ann)
}

/// What Ann sees when the model writes `markdown`: as many messages as it takes, and each of them fits.
async fn shown(scene: &Scene, ann: &Person, markdown: &str) -> Vec<Seen> {
    let of_bot = || ann.sees().into_iter().filter(|seen| seen.by_bot).collect::<Vec<_>>();
    let before = of_bot().len();
    scene.model.play(Script::new().text_in(7, markdown));
    scene.model.play(Script::new().text(END));
    ann.say("write");
    ann.say("end");
    let ended = |_: &_| of_bot().split_off(before).last().is_some_and(|seen| seen.text == END).then_some(());
    // Fifty calls are what Discord takes in a second.
    scene.run_until_at_discord("all of it", ended).await;
    let mut parts = of_bot().split_off(before);
    parts.pop();
    for part in &parts {
        assert!(part.text.encode_utf16().count() <= MOST_UNITS, "{} units", part.text.encode_utf16().count());
        assert!(part.text.lines().count() <= MOST_LINES, "{} lines", part.text.lines().count());
    }
    parts
}

fn texts(parts: &[Seen]) -> Vec<&str> {
    parts.iter().map(|part| part.text.as_str()).collect()
}

/// All words of the parts, in their order.
fn words(parts: &[Seen]) -> Vec<&str> {
    parts.iter().flat_map(|part| part.text.split_whitespace()).collect()
}

fn sends(scene: &Scene) -> Vec<Call> {
    scene.discord.calls(SEND)
}

#[tokio::test]
async fn fmt_02_fmt_04_markdown_arrives_as_discord_writes_it_and_signs_as_signs() {
    let (scene, ann) = start(|_| {}).await;
    for (markdown, expected) in [
        (
            "# 😀 Plan\n\n**bold *both*** and `code`\n\n- one\n- two",
            "# 😀 Plan\n\n**bold *both*** and `code`\n\n- one\n- two",
        ),
        ("```rust\nfn x() {}\n```\n> quoted", "```rust\nfn x() {}\n```\n\n> quoted"),
        ("the characters _ * ` and [ ]", "the characters \\_ \\* \\` and \\[ ]"),
        ("snake_case_name 2\\*3", "snake\\_case\\_name 2\\*3"),
        ("#### Small\ntext", "**Small**\n\ntext"),
        ("- [x] done\n- [ ] open", "☑ done\n☐ open"),
        ("|a|b|\n|-|-:|\n|日本|2|\n", "```\na    | b\n-----+--\n日本 | 2\n```"),
    ] {
        let parts = shown(&scene, &ann, markdown).await;
        assert_eq!(texts(&parts), [expected], "{markdown:?}");
    }
    assert!(sends(&scene).iter().all(Call::ok), "fmt_13: the first attempt is right");
    scene.finish().await;
}

#[tokio::test]
async fn disc_04_two_thousand_five_hundred_characters_arrive_in_two_messages() {
    let (scene, ann) = start(|_| {}).await;
    for text in ["word ".repeat(500), "x".repeat(2_500)] {
        let parts = shown(&scene, &ann, &text).await;
        assert_eq!(parts.len(), 2);
        let whole: String = words(&parts).concat();
        assert_eq!(whole, text.replace(' ', ""));
    }
    scene.finish().await;
}

#[tokio::test]
async fn disc_01_a_part_goes_out_when_the_one_before_it_was_confirmed() {
    let (scene, ann) = start(|_| {}).await;
    let bob = scene.discord.person("Bob");
    let (gate, story) = (Gate::new(), (0..900).map(|n| format!("word{n} ")).collect::<String>());
    scene.discord.inject(Fault::on_send().held(&gate).in_channel(ann.channel()).always());
    scene.model.play(Script::new().text(&story));
    ann.say("tell me a long story");
    let mut parts = 0;
    while ann.said().iter().map(|part| part.split_whitespace().count()).sum::<usize>() < 900 {
        parts += 1;
        gate.reached(parts).await;
        // Whatever else were under way to Ann would have come before this.
        bob.say(&format!("are you there? {parts}"));
        bob.wait_for(&format!("You said: are you there? {parts}")).await;
        assert_eq!((gate.arrivals(), ann.said().len()), (parts, parts - 1));
        gate.let_through(1);
        scene.discord.wait_until(|_| (ann.said().len() == parts).then_some(())).await;
    }
    assert!(parts >= 3, "{parts}");
    assert!(ann.said().iter().flat_map(|part| part.split_whitespace()).eq(story.split_whitespace()));
    scene.finish().await;
}

#[tokio::test]
async fn a_message_has_seventeen_lines() {
    let (scene, ann) = start(|_| {}).await;
    for (count, expected) in [(17, 1), (18, 2), (34, 2), (35, 3)] {
        let text = (0..count).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n");
        let parts = shown(&scene, &ann, &text).await;
        assert_eq!(parts.len(), expected, "{count} lines");
        assert_eq!(texts(&parts).join("\n"), text);
    }
    scene.finish().await;
}

#[tokio::test]
async fn fmt_10_a_fence_that_is_cut_is_closed_and_opened_again_with_its_language() {
    let (scene, ann) = start(|_| {}).await;
    let code: Vec<String> = (0..60).map(|n| format!("    print('{n}')  # {}", "x".repeat(n))).collect();
    let parts = shown(&scene, &ann, &format!("Look:\n\n```python\n{}\n```\n\nSo.", code.join("\n"))).await;
    assert!(parts.len() >= 4, "{}", parts.len());
    for part in &parts {
        assert_eq!(
            (part.text.matches("```python\n").count(), part.text.matches("```").count()),
            (1, 2),
            "{part:?}"
        );
    }
    let lines: Vec<&str> =
        parts.iter().flat_map(|part| part.text.lines()).filter(|line| line.contains("print")).collect();
    assert_eq!(lines, code);
    scene.finish().await;
}

#[tokio::test]
async fn fmt_01_a_style_that_a_cut_goes_through_is_closed_and_opened_again() {
    let (scene, ann) = start(|_| {}).await;
    let markdown = format!("{}**{}** end", "word ".repeat(300), "bold ".repeat(300).trim_end());
    let parts = shown(&scene, &ann, &markdown).await;
    let bold: Vec<&Seen> = parts.iter().filter(|part| part.text.contains("bold")).collect();
    assert!(bold.len() >= 2);
    assert!(bold.iter().all(|part| part.text.matches("**").count() == 2));
    let plain: Vec<String> = words(&parts).iter().map(|word| word.replace("**", "")).collect();
    assert_eq!(plain, markdown.replace("**", "").split_whitespace().collect::<Vec<_>>(), "fmt_09");
    scene.finish().await;
}

#[tokio::test]
async fn disc_15_hundreds_of_fences_arrive_whole_and_in_no_more_messages_than_they_need() {
    let (scene, ann) = start(|_| {}).await;
    let block = |n: usize| format!("Step {n}:\n\n```rust\nlet x{n} = {n};\n```\n\n");
    let report: String = (0..300).map(block).collect();
    let parts = shown(&scene, &ann, &report).await;
    // A block takes six lines with the empty ones around it.
    assert!((100..=150).contains(&parts.len()), "{}", parts.len());
    for part in &parts {
        assert_eq!(part.text.matches("```").count() % 2, 0, "{:?}", part.text);
    }
    let kept = |text: &str| {
        text.lines()
            .filter(|line| line.starts_with("let ") || line.starts_with("Step "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(kept(&texts(&parts).join("\n")), kept(&report));
    scene.finish().await;
}

#[tokio::test]
async fn fmt_11_uni_05_emoji_and_flags_are_never_cut() {
    let (scene, ann) = start(|_| {}).await;
    for emoji in ["😀", "👩‍👩‍👧‍👦", "🇩🇪", "e\u{301}", "👍🏽"] {
        let parts = shown(&scene, &ann, &emoji.repeat(1_500)).await;
        assert!(parts.len() > 1);
        let mut count = 0;
        for part in &parts {
            assert_eq!(part.text.replace(emoji, ""), "", "{emoji}");
            count += part.text.matches(emoji).count();
        }
        assert_eq!(count, 1_500);
    }
    scene.finish().await;
}

#[tokio::test]
async fn fmt_08_markup_that_shows_nothing_is_shown_as_it_was_written() {
    let (scene, ann) = start(|_| {}).await;
    for (markdown, expected) in [
        ("```\n```", "\\`\\`\\`\n\\`\\`\\`"),
        ("**", "\\*\\*"),
        ("Visible.\n\n```\n```", "Visible."),
        (" \u{200b}\n", "The model returned no text."),
    ] {
        let parts = shown(&scene, &ann, markdown).await;
        assert_eq!(texts(&parts), [expected], "{markdown:?}");
    }
    scene.finish().await;
}

/// Ann and Bob in a guild with a role, and a bot with these manners.
async fn calling(manners: impl FnOnce(&mut Value)) -> (Seen, [u64; 3]) {
    let mut scene = Scene::prepared_for_discord(manners).await;
    let (ann, bob) = (scene.discord.person("Ann"), scene.discord.person("Bob"));
    let guild = scene.discord.guild("Home", &[&ann, &bob]);
    let (room, role) = (guild.channel("kitchen"), guild.role("cooks"));
    scene.discord.unlimited();
    scene.reconfigure(|config| {
        config["channels"]["discord"]["streaming"] = json!("off");
        config["channels"]["discord"]["groupPolicy"] = json!("open");
        config["channels"]["discord"]["guilds"] =
            json!({ guild.id().to_string(): { "requireMention": false } });
    });
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    let words = format!("@everyone, @here, <@{}> and <@&{role}>: see https://example.org/a .", bob.id());
    scene.model.play(Script::new().text(&words));
    let ann = ann.in_room(&room);
    ann.say("call them");
    let seen = ann.wait_for("see https").await;
    assert!(seen.text.starts_with("@everyone, @here, <@"), "{}", seen.text);
    scene.finish().await;
    (seen, [ann.id(), bob.id(), role])
}

#[tokio::test]
async fn mentions_ping_nobody_unless_that_is_wanted() {
    let (seen, _) = calling(|_| {}).await;
    assert_eq!((seen.pinged.as_slice(), seen.pinged_everyone), ([].as_slice(), false));
    for (kinds, expected) in [
        (json!(["users"]), [false, true, false, false]),
        (json!(["roles"]), [false, false, true, false]),
        (json!(["everyone"]), [false, false, false, true]),
        (json!(["repliedUser"]), [true, false, false, false]),
        (json!(["users", "roles", "everyone", "repliedUser"]), [true; 4]),
    ] {
        let allowed = kinds.clone();
        let (seen, ids) = calling(|config| config["channels"]["discord"]["allowedMentions"] = allowed).await;
        let [ann, bob, role] = ids.map(|id| seen.pinged.contains(&id));
        assert_eq!([ann, bob, role, seen.pinged_everyone], expected, "{kinds}");
    }
}

#[tokio::test]
async fn links_have_no_previews_unless_that_is_wanted() {
    const SUPPRESS_EMBEDS: u64 = 1 << 2;
    for is_wanted in [false, true] {
        let (seen, _) =
            calling(|config| config["channels"]["discord"]["linkPreviews"] = is_wanted.into()).await;
        assert_eq!(seen.raw["flags"].as_u64().unwrap() & SUPPRESS_EMBEDS == 0, is_wanted);
    }
}

#[tokio::test]
async fn fmt_03_a_footer_stands_below_the_last_part() {
    let (scene, ann) = start(|_| {}).await;
    ann.say("/usage tokens");
    ann.wait_for("⚙️").await;
    let before = ann.said().len();
    scene.model.play(Script::new().text(&"word ".repeat(600)));
    ann.say("write");
    let count = |part: &String| part.matches("word").count();
    scene
        .discord
        .wait_until(|_| (ann.said().iter().skip(before).map(count).sum::<usize>() == 600).then_some(()))
        .await;
    let parts = ann.said().split_off(before);
    assert_eq!(parts.len(), 2);
    assert!(!parts[0].contains("in ") && parts[1].lines().last().unwrap().contains("out"), "{parts:?}");
    scene.finish().await;
}
