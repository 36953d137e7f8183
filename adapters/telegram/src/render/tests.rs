use pensive_contract::outward::Style;
use pensive_prose::length;
use proptest::prelude::*;

use super::*;

/// Writes parts so that a reader sees text and styles: `{b|bold}`.
fn shown(part: &Part) -> String {
    let mut out = String::new();
    let mut ends: Vec<usize> = Vec::new();
    for (at, c) in part.text.char_indices().chain([(part.text.len(), '\0')]) {
        while ends.last() == Some(&at) {
            ends.pop();
            out.push('}');
        }
        for mark in part.marks.iter().filter(|mark| mark.range.start == at) {
            out.push_str(&format!("{{{}|", letter(&mark.style)));
            ends.push(mark.range.end);
        }
        if c != '\0' {
            out.push(c);
        }
    }
    assert!(ends.is_empty(), "marks overlap: {part:?}");
    out
}

fn letter(style: &Style) -> String {
    match style {
        Style::Bold => "b".to_owned(),
        Style::Italic => "i".to_owned(),
        Style::Underline => "u".to_owned(),
        Style::Strike => "s".to_owned(),
        Style::Spoiler => "x".to_owned(),
        Style::Code => "c".to_owned(),
        Style::Pre { language } => format!("p:{language}"),
        Style::Quote => "q".to_owned(),
        Style::Fold => "f".to_owned(),
        Style::Link { url } => format!("a:{url}"),
    }
}

fn parts(markdown: &str) -> Vec<Part> {
    render(&Body::Markdown(markdown.to_owned()))
}

fn check(markdown: &str, expected: &str) {
    let found: Vec<_> = parts(markdown).iter().map(shown).collect();
    assert_eq!(found.join("¶"), expected, "{markdown:?}");
}

#[test]
fn inline_styles() {
    check("a **b** c", "a {b|b} c");
    check("*i* _i_ ~~s~~ `c`", "{i|i} {i|i} {s|s} {c|c}");
    check("**b *bi* b**", "{b|b {i|bi} b}");
    check("**a `c` d**", "{b|a }{c|c}{b| d}");
    check("***x `c`***", "{i|{b|x }}{c|c}");
    check("**a **b** c**", "{b|a b c}");
    check("a\\*b\\* &amp; <b>x</b>", "a*b* & <b>x</b>");
    check("1 < 2 && 3 > 2", "1 < 2 && 3 > 2");
}

#[test]
fn fmt_02_and_fmt_04_signs_that_are_no_markup_stay() {
    check("the characters _ * ` and [ ]", "the characters _ * ` and [ ]");
    check("use `--model`, not `--runtime`", "use {c|--model}, not {c|--runtime}");
    check("costs $5_000 - or so", "costs $5_000 - or so");
    check("1\\. Fix (v1.2.3)! - faster", "1. Fix (v1.2.3)! - faster");
    check("**", "**");
    check("~/a and ~/b", "~/a and ~/b");
}

#[test]
fn blocks() {
    check("# Head\ntext", "{b|Head}\n\ntext");
    check("# Use `x` **now**", "{b|Use }{c|x}{b| now}");
    check("a\n\n\n\nb", "a\n\nb");
    check("a\nb  \nc", "a\nb\nc");
    check("a\n\n---\n\nb", "a\n\n———\n\nb");
    check("- a\n- b\n  - c\n    more\n- d", "• a\n• b\n  • c\n    more\n• d");
    check("3. a\n4. b\n   - c", "3. a\n4. b\n   • c");
    check("- a\n\n  b\n\n- c\n\nafter", "• a\n\n  b\n\n• c\n\nafter");
    check("- [x] done\n- [ ] open\n- plain", "☑ done\n☐ open\n• plain");
    check("1. [ ] a", "1. ☐ a");
    check("> q\n> r\n\na", "{q|q\nr}\n\na");
    check("> q\n>> nested\n\na", "{q|q\n\nnested}\n\na");
    check("> [!WARNING]\n> hot", "{q|{b|Warning}\nhot}");
    check("- > q", "• \n{q|q}");
    check("<div>\n<b>x</b>\n</div>\n\na", "<div>\n<b>x</b>\n</div>\n\na");
}

#[test]
fn code_blocks_keep_their_language_and_lines() {
    check("```rust\nfn x() {}\n\n  y\n```\nafter", "{p:rust|fn x() {}\n\n  y}\n\nafter");
    check("```rust,ignore\nx\n```", "{p:rust|x}");
    check("```\nx", "{p:|x}");
    check("    x\n    y", "{p:|x\ny}");
    check("- a\n  ```sh\n  b\n  ```\n- c", "• a\n{p:sh|b}\n• c");
    check("```\n**x** `y` [[reply_to_current]]\n```", "{p:|**x** `y` [[reply_to_current]]}");
    check("a\r\n\r\n```\r\nx\r\ny\r\n```\r\nb", "a\n\n{p:|x\ny}\n\nb");
    check("> ```\n> x\n> ```", "{q|{p:|x}}");
    check("a\n\n```\n```\n\nb", "a\n\nb");
}

#[test]
fn links_lead_to_the_web_or_are_spelled_out() {
    check("[a](https://x.org/p)", "{a:https://x.org/p|a}");
    check("[**a** `c`](https://x.org)", "{a:https://x.org|{b|a} c}");
    check("**[a](https://x.org)**", "{b|{a:https://x.org|a}}");
    check("<https://x.org>", "https://x.org");
    check("[https://x.org](https://x.org)", "https://x.org");
    check("<a@b.org> [me](mailto:a@b.org)", "a@b.org me (mailto:a@b.org)");
    check("[a](javascript:alert(1))", "a (javascript:alert(1))");
    check("[a](docs/b.md) [c](#d)", "a (docs/b.md) c (#d)");
    check("[a]() [](https://x.org)", "a https://x.org");
    check("[a](http://localhost:3000/x)", "a (http://localhost:3000/x)");
    check("[a](tg://user?id=5)", "a (tg://user?id=5)");
    check("![cat](https://x.org/c.png)", "{a:https://x.org/c.png|cat}");
    check("![](https://x.org/c.png)", "https://x.org/c.png");
    check("[![alt](https://i.org/b)](https://x.org)", "{a:https://x.org|alt}");
    check("[![](https://i.org/b)](https://x.org)", "{a:https://x.org|https://i.org/b}");
}

#[test]
fn tables_are_aligned() {
    let table = "| Name | N |\n|:--|--:|\n| `a` | 1 |\n| 日本 | 22 |\n\nafter";
    check(table, "{p:|Name |  N\n-----+---\na    |  1\n日本 | 22}\n\nafter");
    check(
        "|a|b|\n|-|:-:|\n|[x](https://x.org)|\n",
        "{p:|a                 | b\n------------------+--\nx (https://x.org) |}",
    );
}

#[test]
fn what_shows_nothing_is_not_sent() {
    for body in [
        Body::Markdown(String::new()),
        Body::Markdown(" \n\u{200b}".to_owned()),
        Body::Markdown("```\n```".to_owned()),
        Body::Markdown("[[reply_to_current]]".to_owned()),
        Body::Plain("\n".to_owned()),
        Body::Thinking(" ".to_owned()),
    ] {
        assert_eq!(render(&body), Vec::new(), "{body:?}");
    }
}

#[test]
fn plain_bodies_stay_letter_for_letter() {
    let text = "⚙️ **x** [a](b)\r\n  `c` שלום?";
    assert_eq!(
        render(&Body::Plain(text.to_owned())),
        vec![Part { text: text.to_owned(), ..Part::default() }]
    );
}

#[test]
fn fmt_03_our_own_words_around_an_answer_change_nothing_in_it() {
    let check = |before: &str, markdown: &str, after: &str, expected: &str| {
        let body = Body::Framed {
            before: before.to_owned(),
            markdown: markdown.to_owned(),
            after: after.to_owned(),
        };
        let found: Vec<_> = render(&body).iter().map(shown).collect();
        assert_eq!(found.join("¶"), expected, "{markdown:?}");
    };
    check("🤖 ", "**Yes.**", "in 1", "🤖 {b|Yes.}\n\nin 1");
    check("🤖 ", "# Head\ntext", "", "🤖 {b|Head}\n\ntext");
    check("🤖 ", "1. a\n2. b", "", "🤖 1. a\n2. b");
    check("🤖 ", "```sh\nls", "in 1", "🤖 \n{p:sh|ls}\n\nin 1");
    check("", "```sh\nls", "_in_ 1", "{p:sh|ls}\n\n_in_ 1");
    check("[[", "[[reply_to_current]] a", "", "[[a");
    check("> ", "> q", "", "> \n{q|q}");
    check("", "שלום.", "in 1", "שלום.\u{200f}\n\nin 1");
}

#[test]
fn thoughts_are_folded_below_a_bold_line() {
    let parts = render(&Body::Thinking("**Plan**\n> no quote\n\n`x`".to_owned()));
    let found: Vec<_> = parts.iter().map(shown).collect();
    assert_eq!(found, ["{b|Thinking}\n{f|{b|Plan}\n\nno quote\n\n{c|x}}"]);
    let long = render(&Body::Thinking("thought. ".repeat(1000)));
    assert!(long.len() > 1);
    for part in &long {
        assert!(part.marks.iter().any(|mark| mark.style == Style::Fold), "{part:?}");
    }
}

#[test]
fn fmt_01_a_style_that_a_cut_goes_through_is_reopened() {
    let parts = parts(&format!("{} **{}** end", "word ".repeat(700), "bold ".repeat(300).trim_end()));
    assert_eq!(parts.len(), 2);
    assert!(parts.iter().all(|part| part.marks.iter().any(|mark| mark.style == Style::Bold)));
}

#[test]
fn fmt_10_a_fence_that_a_cut_goes_through_keeps_its_language() {
    let parts = parts(&format!("before\n\n```python\n{}```\nafter", "print('x')\n".repeat(600)));
    assert!(parts.len() >= 2);
    for part in &parts {
        let fences: Vec<_> = part.marks.iter().map(|mark| letter(&mark.style)).collect();
        assert_eq!(fences, ["p:python"]);
    }
    assert!(parts.iter().rev().skip(1).all(|part| part.text.ends_with(")\n")));
}

#[test]
fn fmt_11_emoji_and_flags_are_counted_in_units_and_never_cut() {
    for emoji in ["😀", "👩‍👩‍👧‍👦", "🇩🇪", "e\u{301}", "👍🏽"] {
        let parts = parts(&emoji.repeat(5000));
        assert!(parts.len() > 1);
        for part in &parts {
            assert!(length(&part.text) <= split::MOST_UNITS);
            assert_eq!(part.text.replace(emoji, ""), "", "{emoji}");
        }
    }
}

#[test]
fn a_letter_longer_than_a_message_is_cut_somewhere() {
    let zalgo = format!("a{}", "\u{301}".repeat(10_000));
    let parts = parts(&zalgo);
    assert_eq!(parts.iter().map(|part| part.text.as_str()).collect::<String>(), zalgo);
}

#[test]
fn cuts_fall_after_paragraphs_lines_sentences_and_words() {
    let check = |text: String, ends: &str| {
        let parts = parts(&text);
        assert!(parts[0].text.ends_with(ends), "{ends:?}");
    };
    check(format!("{}\n\n{}", "a ".repeat(1500), "b. ".repeat(1000)), "a\n\n");
    check(format!("{}\n{}", "a ".repeat(1500), "b. ".repeat(1000)), "a\n");
    check(format!("{}. {}", "a ".repeat(1500), "b ".repeat(1000)), "a . ");
    check("word ".repeat(2000), "word ");
    let fence = "```\n".to_owned() + &"x\n".repeat(600) + "```";
    check(format!("{}\n\n{fence}", "a ".repeat(1500)), "a\n\n");
}

#[test]
fn many_styles_make_more_messages_and_none_is_lost() {
    let parts = parts(&"`a` ".repeat(250));
    assert!(parts.iter().all(|part| part.marks.len() <= split::MOST_MARKS));
    assert_eq!(parts.iter().map(|part| part.marks.len()).sum::<usize>(), 250);
}

#[test]
fn uni_02_a_question_from_the_right_keeps_its_sign() {
    check("מה שלומך?", "מה שלומך?\u{200f}");
    check("OpenAI שחררה מודל חדש היום", "\u{200f}OpenAI שחררה מודל חדש היום");
    check("He said: מה שלומך? Then left", "He said: \u{2067}מה שלומך?\u{2069} Then left");
    check("hello?", "hello?");
}

#[test]
fn uni_03_ids_paths_and_code_inside_it_are_isolated_and_its_own_marks_stay() {
    check("- קובץ `a.rs` כאן", "• קובץ \u{2066}{c|a.rs}\u{2069} כאן");
    check("הנתיב /etc/hosts, תודה", "הנתיב \u{2066}/etc/hosts\u{2069}, תודה");
    check("الملف session_1 هنا", "الملف \u{2066}session_1\u{2069} هنا");
    check("\u{200f}שלום /a/b?", "\u{200f}שלום /a/b?");
    check("> שלום!\n\nend", "{q|שלום!\u{200f}}\n\nend");
    check("**שלום!**", "{b|שלום!}\u{200f}");
    check("```\nשלום?\n```", "{p:|שלום?}");
}

/// Markdown-like text, short and long, with everything that the layout looks at.
fn any_markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z ]{0,12}",
        ".{0,6}",
        proptest::sample::select(vec![
            "**",
            "*",
            "_",
            "`",
            "```\n",
            "```rs\n",
            "\n",
            "\n\n",
            "> ",
            "- ",
            "1. ",
            "    ",
            "[a](https://x.org)",
            "![i](u)",
            "|a|b|\n|-|-|\n|c|d|\n",
            "# ",
            "~~",
            "<b>",
            "- [ ] ",
            "😀",
            "🇩🇪",
            "👩‍👩‍👧‍👦",
            "שלום ",
            "/etc/x ",
            "?",
            "\u{301}",
            "\r\n",
            "\0",
            "[[reply_to_current]]",
        ])
        .prop_map(str::to_owned),
    ];
    (proptest::collection::vec(piece, 0..40), prop_oneof![3 => Just(1usize), 1 => Just(60)])
        .prop_map(|(pieces, times)| pieces.concat().repeat(times))
}

proptest! {
    #[test]
    fn fmt_09_fmt_12_parts_are_within_limits_and_together_are_the_text(markdown in any_markdown()) {
        let whole = pensive_prose::answer("", &markdown, "", &DIALECT);
        let parts = render(&Body::Markdown(markdown));
        let seen = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let joined: String = parts.iter().map(|part| part.text.as_str()).collect();
        let lost = split::split(whole.clone()).len() < 2 && parts.is_empty();
        if lost {
            prop_assert!(!is_visible(&whole.text));
        } else if parts.iter().map(|part| part.text.len()).sum::<usize>() == whole.text.len() {
            prop_assert_eq!(&joined, &whole.text);
        } else {
            // Only parts without anything to see are left out.
            prop_assert_eq!(seen(&joined), seen(&whole.text));
        }
        for part in &parts {
            prop_assert!(length(&part.text) <= split::MOST_UNITS);
            prop_assert!(part.marks.len() <= split::MOST_MARKS);
            prop_assert!(part.marks.is_sorted_by_key(|mark| mark.range.start));
            for mark in &part.marks {
                prop_assert!(part.text.get(mark.range.clone()).is_some_and(|text| !text.is_empty()), "{:?}", mark);
            }
            let _ = shown(part);
        }
    }
}
