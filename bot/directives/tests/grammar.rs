//! What is found in a message and what is left of it: every row of the grammar's tables.

use std::ops::Range;

use pensive_directives::{
    Addressee, Ask, CommandCall, ModelEntry, ModelWant, Parsed, Scope, Shape, Typed, Want, parse,
};

/// A parsed message in one line: `only think=high`, `mixed think=high | fix it`, `plain`.
fn told(parsed: &Parsed) -> String {
    let shape = match parsed.shape {
        Shape::Plain => "plain",
        Shape::DirectiveOnly => "only",
        Shape::Mixed => "mixed",
    };
    let mut words = vec![shape.to_owned()];
    words.extend(parsed.asks.iter().map(asked));
    words.extend(parsed.commands.iter().map(called));
    if parsed.scope == Scope::Chat {
        words.push("--chat".into());
    }
    if parsed.shape == Shape::Mixed {
        words.push(format!("| {}", parsed.text));
    }
    words.join(" ")
}

fn asked(ask: &Ask) -> String {
    fn want<T: std::fmt::Display>(want: &Want<T>) -> String {
        let near = |near: &Option<T>| near.as_ref().map_or_else(String::new, |near| format!("~{near}"));
        match want {
            Want::Set(value) => format!("={value}"),
            Want::Clear => "=default".into(),
            Want::Show { near: value } => format!("?{}", near(value)),
            Want::Status => "=status".into(),
            Want::Unknown { word, near: value } => format!("!{word}{}", near(value)),
        }
    }
    match ask {
        Ask::Think(level) => format!("think{}", want(level)),
        Ask::Fast(fast) => format!("fast{}", want(fast)),
        Ask::Verbose(verbose) => format!("verbose{}", want(verbose)),
        Ask::Trace(trace) => format!("trace{}", want(trace)),
        Ask::Reasoning(reasoning) => format!("reasoning{}", want(reasoning)),
        Ask::Elevated(elevated) => format!("elevated{}", want(elevated)),
        Ask::Effort(effort) => format!("effort{}", want(effort)),
        Ask::Queue(queue) => format!("queue{}", want(queue)),
        Ask::Model(ModelWant::Pick(name)) => format!("model={name}"),
        Ask::Model(ModelWant::Number(number)) => format!("model=#{number}"),
        Ask::Model(ModelWant::Clear) => "model=default".into(),
        Ask::Model(ModelWant::Show) => "model?".into(),
        Ask::Model(ModelWant::List) => "model=list".into(),
    }
}

fn called(call: &CommandCall) -> String {
    let argument = call.argument.as_ref().map_or_else(String::new, |word| format!("({word})"));
    format!("{:?}{argument}", call.name)
}

fn read(text: &str) -> Parsed {
    let entry = |reference: &str, alias: Option<&str>| ModelEntry {
        reference: reference.into(),
        alias: alias.map(Into::into),
    };
    let models = [entry("openai/gpt-5.6-sol", Some("sol")), entry("anthropic/claude-sonnet-5", None)];
    parse(&Typed { text, bot_name: Some("PensiveBot"), models: &models, ..Typed::default() })
}

fn check(text: &str, expected: &str) {
    let parsed = read(text);
    assert_eq!(told(&parsed), expected, "{text:?}");
    if parsed.shape == Shape::Plain {
        assert_eq!(parsed.text, text);
    }
}

#[test]
fn a_value_behind_a_name() {
    check("/think high fix it", "mixed think=high | fix it");
    check("fix it /t:low now", "mixed think=low | fix it now");
    check("/think : high", "only think=high");
    check("/THINK:High", "only think=high");
    check("/think\nhigh", "only think=high");
    check("/think \t:\n high", "only think=high");
    check("/think extra high", "only think=xhigh");
    check("/think x_high", "only think=xhigh");
    check("/t extra_high", "only think=xhigh");
    check("/think high.", "only think=high");
    check("/think high!!", "only think=high");
    check("/think high ?", "only think=high");
    check("/think low please /think high", "mixed think=high | please");
    check("/v full /reasoning on /t high", "only think=high verbose=full reasoning=on");
    check("fix it\n/think high", "mixed think=high | fix it");
    check("fix it /think high, then test", "mixed think=high | fix it, then test");
}

#[test]
fn a_value_in_two_words() {
    check("/think extra high fix it", "mixed think=xhigh | fix it");
    check("/think x high fix it", "mixed think=xhigh | fix it");
    check("/think think hard fix it", "mixed think=low | fix it");
    check("/think think harder. fix it", "mixed think=medium | . fix it");
    check("/think think fix it", "mixed think=minimal | fix it");
    check("/think ultra think of it", "mixed think=ultra | think of it");
    check("/think x\nhigh", "mixed think? | x\nhigh");
    check("/elev auto approve", "only elevated=full");
}

#[test]
fn no_directive_at_all() {
    for text in [
        "/think=high",
        "/think-high",
        "/thinkhigh",
        "/think/foo",
        "/thinkstuff",
        "/think.",
        "http://x/think",
        "see ./think",
        "(/think high)",
        "`/think high`",
        "what does /think do",
        "what is it /think",
        "fix it /think big",
        "/efforts high",
        "/compact",
        "/unknown word",
        "think high",
        "/ think high",
        "",
        " ",
        "/",
        "//think high",
    ] {
        check(text, "plain");
    }
}

#[test]
fn dir_01_a_name_in_a_sentence_is_a_word_of_it() {
    check("Please check that the model can be picked with /model resp. /models in Telegram", "plain");
    check("can I pick it with /model resp. /models?", "plain");
    check("compare it in /model and/or elsewhere", "plain");
    check("a /fast car and a /verbose speaker", "plain");
}

#[test]
fn dir_03_a_short_name_does_not_eat_a_path() {
    check("that is not /tmp/cache", "plain");
    check("/tmp/cache is full", "plain");
    check("/t/cache", "plain");
    check("/v1/models returns 404", "plain");
}

#[test]
fn no_value_in_front() {
    check("/think", "only think?");
    check("/think:", "only think?");
    check("/think about my plan", "mixed think? | about my plan");
    check("/think: about my plan", "mixed think? | about my plan");
    check("/think hgih fix it", "mixed think?~high | hgih fix it");
    check("/think high:", "only think!high:~high");
    check("/think big", "only think!big~high");
    check("/think zebra!", "only think!zebra");
    check("/fast /think", "only think? fast?");
    check("/think huge /fast on", "only think!huge~high fast=on");
    check("/fast on /think huge", "only think!huge~high fast=on");
    check("/think::high", "only think!:high~high");
    // Only what stands in front may do without a value when there is a prompt.
    check("/think high /fast explain it", "mixed think=high | /fast explain it");
}

#[test]
fn the_last_wish_wins_and_a_question_takes_none_back() {
    check("/think high /think big", "only think!big~high");
    check("/think high /think", "only think=high");
    check("/think /think high", "only think=high");
    check("/t low a /t default b /t max c", "mixed think=max | a b c");
}

#[test]
fn dir_15_fast_tells_its_status() {
    check("/fast status", "only fast=status");
    check("/fast status please", "mixed fast=status | please");
    check("/think status", "only think!status");
}

#[test]
fn every_family_and_name() {
    check("/thinking low", "only think=low");
    check("/t low", "only think=low");
    check("/fast auto", "only fast=auto");
    check("/verbose full", "only verbose=full");
    check("/v full", "only verbose=full");
    check("/trace raw", "only trace=raw");
    check("/reasoning stream", "only reasoning=stream");
    check("/reason stream", "only reasoning=stream");
    check("/elevated ask", "only elevated=ask");
    check("/elev ask", "only elevated=ask");
    check("/effort max", "only effort=max");
    check("/think on", "only think=on");
    check("/queue collect", "only queue=collect");
    for name in ["think", "fast", "verbose", "trace", "reasoning", "elevated", "effort", "model", "queue"] {
        for word in ["default", "inherit", "inherited", "clear", "reset", "unpin"] {
            check(&format!("/{name} {word}"), &format!("only {name}=default"));
            check(&format!("/{name} {word} a"), &format!("mixed {name}=default | a"));
        }
    }
}

#[test]
fn queue_options() {
    check("/queue collect debounce:2s cap:10", "only queue=collect debounce:2s cap:10");
    check("/queue collect cap:10 debounce:500ms go", "mixed queue=collect debounce:500ms cap:10 | go");
    check("/queue steer on", "mixed queue=steer | on");
    check("/queue colect", "only queue!colect~collect");
}

#[test]
fn models_by_name_alias_and_number() {
    check("/model openai/gpt-5.6-sol", "only model=openai/gpt-5.6-sol");
    check("/model sol explain", "mixed model=sol | explain");
    check("explain /model anthropic/claude-sonnet-5.", "mixed model=anthropic/claude-sonnet-5 | explain.");
    check("/model anthropic/other explain", "mixed model=anthropic/other | explain");
    check("/model nobody/other explain", "mixed model? | nobody/other explain");
    check("/model nobody/other", "only model=nobody/other");
    check("/model 2 explain", "mixed model=#2 | explain");
    check("/model 3 explain", "mixed model? | 3 explain");
    check("/model 3", "only model=#3");
    check("/model status", "only model?");
    check("/model list", "only model=list");
    check("/model", "only model?");
}

#[test]
fn dir_20_a_model_keeps_its_at_sign() {
    check("/model openai/@cf/x", "only model=openai/@cf/x");
    check("/model@PensiveBot openai/@cf/x", "only model=openai/@cf/x");
    check("/model openai/gpt:me@example.org go", "mixed model=openai/gpt:me@example.org | go");
}

#[test]
fn dir_12_our_own_name_behind_a_command() {
    let check = |text: &str, addressee: Addressee, expected: &str| {
        assert_eq!(read(text).addressee, addressee, "{text}");
        check(text, expected);
    };
    check("/think@PensiveBot high", Addressee::Us, "only think=high");
    check("/think@pensivebot:high explain", Addressee::Us, "mixed think=high | explain");
    check("/think@PensiveBot high\n/fast@PensiveBot on", Addressee::Us, "only think=high fast=on");
    check("/status@PensiveBot", Addressee::Us, "only Status");
    check("/new@PensiveBot sol", Addressee::Us, "only New(sol)");
    check("/frobnicate@PensiveBot a", Addressee::Us, "plain");
    check("/think@OtherBot high", Addressee::Another, "plain");
    check("/think@OtherBot high /think low", Addressee::Another, "plain");
    check("/start@OtherBot", Addressee::Another, "plain");
    check("explain /think@PensiveBot high", Addressee::Nobody, "plain");
    check("explain /think@OtherBot high", Addressee::Nobody, "plain");
    check("/think high", Addressee::Nobody, "only think=high");
    check("/me@example.org is where", Addressee::Nobody, "plain");
    let nameless = parse(&Typed { text: "/think@PensiveBot high", ..Typed::default() });
    assert_eq!((nameless.addressee, nameless.shape), (Addressee::Nobody, Shape::Plain));
}

#[test]
fn mentions_are_set_aside() {
    let check = |text: &str, expected: &str| {
        let mentions: Vec<_> =
            text.match_indices("@PensiveBot").map(|(at, name)| at..at + name.len()).collect();
        let parsed = parse(&Typed { text, mentions: &mentions, ..Typed::default() });
        assert_eq!(told(&parsed), expected, "{text:?}");
    };
    check("@PensiveBot /think high", "only think=high");
    check("@PensiveBot, /think high", "only think=high");
    check("/think high @PensiveBot", "only think=high");
    check("/think @PensiveBot", "only think?");
    check("@PensiveBot /think about it", "mixed think? | @PensiveBot about it");
    check("@PensiveBot stop", "only Stop");
    check("@PensiveBot /think high explain", "mixed think=high | @PensiveBot explain");
    check("@PensiveBot", "plain");
}

#[test]
fn a_mention_that_lies_wrong_is_passed_over() {
    for (start, end) in [(0, usize::MAX), (6, 0), (1, 99), (usize::MAX, usize::MAX)] {
        let mentions = vec![Range { start, end }];
        let parsed = parse(&Typed { text: "/think high é", mentions: &mentions, ..Typed::default() });
        assert_eq!(told(&parsed), "mixed think=high | é", "{mentions:?}");
    }
}

#[test]
fn dir_19_nothing_in_code_or_quotation_is_read() {
    for text in [
        "run `/think high` please",
        "a\n```\n/think high\n```",
        "a\n~~~\n/think high",
        "> /think high",
        "why?\n> /think high\n> /status",
        "a\n\n    /think high",
        "a\n\n\t/think high",
        "    /think high",
        "``a ` /think high``",
        "`stop`",
    ] {
        check(text, "plain");
    }
    check("/think high run `/think low`", "mixed think=high | run `/think low`");
    check("/think `high`", "mixed think? | `high`");
    check("```\na\n```\n/think high", "mixed think=high | ```\na\n```");
}

#[test]
fn platform_code_protects_without_signs() {
    let check = |text: &str, start: usize, end: usize, expected: &str| {
        let code = vec![Range { start, end }];
        let parsed = parse(&Typed { text, code: &code, ..Typed::default() });
        assert_eq!(told(&parsed), expected, "{text:?} {code:?}");
    };
    check("use /think high", 4, 15, "plain");
    check("use /think high", 4, 10, "plain");
    check("use /think high", 11, 15, "plain");
    check("/think high", 7, 11, "mixed think? | high");
    check("stop", 0, 4, "plain");
    check("use /think high", 90, 99, "mixed think=high | use");
    check("use /think high", 0, 4, "mixed think=high | use");
    check("use /think high", 9, 5, "mixed think=high | use");
}

#[test]
fn commands_in_a_text_and_alone() {
    check("/status", "only Status");
    check("/Status!", "only Status");
    check("how are you /status", "mixed Status | how are you");
    check("/help what is that", "mixed Help | what is that");
    check("/id", "only Whoami");
    check("/status /status /think high", "only think=high Status");
    check("I typed /status, and nothing came", "plain");
    check("/new", "only New");
    check("/new openai/gpt-5.6-sol", "only New(openai/gpt-5.6-sol)");
    check("/new write me a poem", "plain");
    check("/new /think high", "only think=high New");
    check("/reset", "only Reset");
    check("/reset now", "plain");
    check("/stop", "only Stop");
    check("/stop.", "only Stop");
    check("/models", "only Models");
    check("/usage", "only Usage");
    check("/usage full", "only Usage(full)");
    check("/usage of the car", "plain");
}

#[test]
fn bare_words_that_stop() {
    for text in ["stop", "STOP", " abort ", "Cancel!", "stop..."] {
        check(text, "only Stop");
    }
    for text in ["stop it", "please stop", "stopp", "don't cancel"] {
        check(text, "plain");
    }
}

#[test]
fn dir_11_the_cleaned_text_is_the_only_text() {
    let parsed = read("/think:high list my files");
    assert_eq!(parsed.text, "list my files");
}

#[test]
fn uni_04_what_keyboards_make_of_signs() {
    check("/think high --chat", "only think=high --chat");
    check("/think high —chat", "only think=high --chat");
    check("/think high –-chat", "only think=high --chat");
    check("/think ––CHAT high", "only think=high --chat");
    check("/think high --chat explain", "mixed think=high --chat | explain");
    check("/think high -chat", "mixed think=high | -chat");
    check("/think high --chatty", "mixed think=high | --chatty");
    check("/think：high", "only think=high");
    check("/think\u{a0}high", "only think=high");
    check("/think\u{a0}:\u{a0}high\u{a0}explain", "mixed think=high | explain");
    check("explain\u{a0}/think\u{a0}high", "mixed think=high | explain");
    check("/think x\u{2011}high", "only think=xhigh");
}

#[test]
fn the_rest_stays_as_it_was() {
    let check = |text: &str, expected: &str| assert_eq!(read(text).text, expected, "{text:?}");
    check("/think high\r\n  fn main() {\r\n", "  fn main() {\r\n");
    check("a\n/think high\nb", "a\nb");
    check("a  /think high  b", "a   b");
    check("👩‍👩‍👧 /think high \u{200f}שלום?", "👩‍👩‍👧 \u{200f}שלום?");
    check("/think high\n\n\tx\n", "\n\tx\n");
    check("a /status b\n/v on\n\n> /t low\n", "a b\n\n> /t low\n");
    check("/think@PensiveBot:  high\u{a0}a", "a");
}

#[test]
fn a_very_long_word_is_not_repeated() {
    let parsed = read(&format!("/think {}", "é".repeat(100_000)));
    let Some(Ask::Think(Want::Unknown { word, near: None })) = parsed.asks.first() else {
        panic!("{parsed:?}")
    };
    assert_eq!(word.chars().count(), 129);
}
