use proptest::prelude::*;

use super::reader::shown;
use super::*;

fn parts(markdown: &str) -> Vec<String> {
    render(&Body::Markdown(markdown.to_owned())).into_iter().map(|part| part.text).collect()
}

fn check(markdown: &str, expected: &str) {
    assert_eq!(parts(markdown).join("¶"), expected, "{markdown:?}");
}

fn fits(part: &str) {
    assert!(pensive_prose::length(part) <= 2_000, "{} units", pensive_prose::length(part));
    assert!(part.split('\n').count() <= 17, "{part:?}");
}

#[test]
fn styles_of_a_line() {
    check("a **b** c", "a **b** c");
    check("a __b__ c", "a **b** c");
    check("*i* _i_ ~~s~~ `c`", "*i* *i* ~~s~~ `c`");
    check("**b *bi* b**", "**b *bi* b**");
    check("***x***", "***x***");
    check("**a `c` d**", "**a** `c` **d**");
    check("**a\nb**", "**a**\n**b**");
    check("~~a\\~~~", "~~a\\~\u{200b}~~");
    check("**\\**i***", "**\\*\u{200b}*i***");
    check("*a***b**", "*a*\u{200b}**b**");
    check("||x|| and a || b || c", "||x|| and a \\|\\| b \\|\\| c");
    check("`` a`b `` `` ` ``", "``a`b`` `` ` ``");
}

#[test]
fn fmt_02_and_fmt_04_signs_that_are_no_markup_stay() {
    check("the characters _ * ` and [ ]", "the characters \\_ \\* \\` and \\[ ]");
    check("snake_case_name 2\\*3", "snake\\_case\\_name 2\\*3");
    check("costs $5_000 - or so", "costs $5\\_000 - or so");
    check("1\\. Fix", "1\\. Fix");
    check("\\- x\n\\# y\n\\> z\n-# w", "\\- x\n\\# y\n\\> z\n\\-# w");
    check("#tag and -5", "#tag and -5");
    check("<#1> <t:1:R> <:a:1> </x:1> <b>x</b>", "\\<#1> \\<t:1:R> \\<:a:1> \\</x:1> \\<b>x\\</b>");
    check("<@1> <@&2> @everyone 1 < 2", "<@1> <@&2> @everyone 1 < 2");
    check("C:\\dir ¯\\\\\\_(ツ)\\_/¯", "C:\\\\dir ¯\\\\\\_(ツ)\\_/¯");
    check("~/a and ~/b", "\\~/a and \\~/b");
}

#[test]
fn blocks() {
    check("# Head\ntext", "# Head\n\ntext");
    check("#### Small\ntext", "**Small**\n\ntext");
    check("# Use `x` **now**", "# Use `x` **now**");
    check("a\n\n\n\nb", "a\n\nb");
    check("a\n\n---\n\nb", "a\n\n———\n\nb");
    check("- a\n- b\n  - c\n    more\n- d", "- a\n- b\n  - c\n    more\n- d");
    check("3. a\n4. b\n   - c", "3. a\n4. b\n  - c");
    check("- [x] done\n- [ ] open\n- plain", "☑ done\n☐ open\n- plain");
    check("> q\n> r\n\na", "> q\n> r\n\na");
    check("> q\n>\n> r", "> q\n> \n> r");
    check("> q\n>> nested\n\na", "> q\n> \n> nested\n\na");
    check("> [!WARNING]\n> hot", "> **Warning**\n> hot");
    check("> # h\n> - a", "> # h\n> \n> - a");
    check("$x_1$ and [^1]", "$x\\_1$ and \\[^1]");
}

#[test]
fn code_keeps_its_language_and_its_letters() {
    check("```rust\nfn x() {}\n\n  y\n```\nafter", "```rust\nfn x() {}\n\n  y\n```\n\nafter");
    check("```c#\nx\n```", "```\nx\n```");
    check("    x\n    y", "```\nx\ny\n```");
    check("- a\n  ```sh\n  b\n  ```\n- c", "- a\n```sh\nb\n```\n- c");
    check("> ```\n> x\n> y\n> ```\n> z", "> ```\n> x\n> y\n> ```\n> \n> z");
    check("````\n```\n````", "```\n``\u{200b}`\n```");
    check("```\n  x\n```", "```\n  x\n```");
    check("|a|b|\n|-|-:|\n|日本|2|\n", "```\na    | b\n-----+--\n日本 | 2\n```");
}

#[test]
fn links_keep_their_words_or_are_spelled_out() {
    check("[a](https://x.org/p)", "[a](https://x.org/p)");
    check("[**a** `c`](https://x.org)", "[**a** c](https://x.org)");
    check("**[a](https://x.org)**", "**[a](https://x.org)**");
    check("<https://x.org/a_b_c> https://x.org/*.", "https://x.org/a_b_c https://x.org/*.");
    check("**https://x.org/a\\*b**", "**https://x.org/a%2Ab**");
    check("[https://x.org](https://x.org)", "https://x.org");
    check("[see https://y.org](https://x.org)", "see https://y.org (https://x.org)");
    check("[a](docs/b.md) [a\\]](https://x.org)", "a (docs/b.md) a] (https://x.org)");
    check("[a](https://x.org/\\(b\\))", "[a](https://x.org/%28b%29)");
    check("![cat](https://x.org/c.png)", "[cat](https://x.org/c.png)");
    check("\\[a](https://x.org)", "\\[a](https://x.org)");
}

#[test]
fn what_shows_nothing_is_not_sent() {
    for text in ["", " \n\u{200b}", "```\n```", "[[reply_to_current]]"] {
        check(text, "");
    }
    assert_eq!(render(&Body::Plain("\n".to_owned())), Vec::new());
    assert_eq!(render(&Body::Thinking(" ".to_owned())), Vec::new());
    assert_eq!(preview(None, "\u{200b}"), Vec::new());
}

#[test]
fn plain_bodies_show_letter_for_letter() {
    let text = "⚙️ **x** [a](https://b.org)\n# c\n- d\n1. e\n> f `g`\n  -# h ||i||";
    let parts = render(&Body::Plain(text.to_owned()));
    assert_eq!(parts.len(), 1);
    assert_eq!(shown(&parts[0].text), text);
}

#[test]
fn fmt_03_our_own_words_around_an_answer_change_nothing_in_it() {
    let check = |before: &str, markdown: &str, after: &str, expected: &str| {
        let (before, markdown, after) = (before.to_owned(), markdown.to_owned(), after.to_owned());
        let parts = render(&Body::Framed { before, markdown: markdown.clone(), after });
        let found: Vec<_> = parts.into_iter().map(|part| part.text).collect();
        assert_eq!(found.join("¶"), expected, "{markdown:?}");
    };
    check("🤖 ", "**Yes.**", "in 1", "🤖 **Yes.**\n\nin 1");
    check("🤖 ", "# Head\ntext", "", "🤖 \n# Head\n\ntext".replace("🤖 \n", "🤖\n").as_str());
    check("🤖 ", "1. a\n2. b", "", "🤖\n1. a\n2. b");
    check("🤖 ", "```sh\nls", "*in* 1", "🤖\n```sh\nls\n```\n\n\\*in\\* 1");
    check("[[", "[[reply_to_current]] a", "", "\\[\\[a");
}

#[test]
fn thoughts_are_quoted_small_below_a_bold_line() {
    let found = |text: &str| {
        let parts = render(&Body::Thinking(text.to_owned()));
        parts.into_iter().map(|part| part.text).collect::<Vec<_>>().join("¶")
    };
    assert_eq!(
        found("**Plan**\n> no quote\n\n- `x`\n# y"),
        "**Thinking**\n> -# **Plan**\n> \n> -# no quote\n> \n> -# • `x`\n> \n> -# **y**"
    );
    assert_eq!(found("so\n```rust\nlet a = *b;\n```"), "**Thinking**\n> -# so\n> \n> -# let a = \\*b;");
}

#[test]
fn disc_03_what_is_added_to_thoughts_is_counted_before_they_are_split() {
    for text in ["x".repeat(2_000), "*x* ".repeat(700), "a\n\n".repeat(300), "a_".repeat(900)] {
        let parts = render(&Body::Thinking(text));
        assert!(parts.len() > 1);
        for part in &parts {
            fits(&part.text);
            let lines = part.text.lines().filter(|line| *line != "**Thinking**");
            assert!(lines.clone().all(|line| line.starts_with("> ")), "{part:?}");
        }
    }
}

#[test]
fn disc_04_two_thousand_five_hundred_characters_are_two_messages() {
    let parts = parts(&"word ".repeat(500));
    assert_eq!(parts.len(), 2);
    parts.iter().for_each(|part| fits(part));
    assert_eq!(parts.concat().matches("word").count(), 500);
}

#[test]
fn seventeen_lines_are_a_message_and_eighteen_are_two() {
    let lines = |count: usize| vec!["line"; count].join("\n");
    assert_eq!(parts(&lines(17)).len(), 1);
    assert_eq!(parts(&lines(18)).len(), 2);
    assert_eq!(parts(&format!("{}\n\nnext", lines(17))).len(), 2);
    let code = format!("```\n{}\n```", lines(15));
    assert_eq!(parts(&code).len(), 1);
}

#[test]
fn fmt_01_a_style_that_a_cut_goes_through_is_reopened() {
    let parts = parts(&format!("{} **{}** end", "word ".repeat(300), "bold ".repeat(300).trim_end()));
    assert!(parts.len() >= 2);
    for part in parts.iter().filter(|part| part.contains("bold")) {
        assert_eq!(part.matches("**").count(), 2, "{part:?}");
    }
}

#[test]
fn fmt_10_a_fence_that_a_cut_goes_through_keeps_its_language() {
    let parts = parts(&format!("before\n\n```python\n{}```\nafter", "print('x')\n".repeat(600)));
    assert!(parts.len() >= 2);
    for part in &parts {
        fits(part);
        assert_eq!(part.matches("```python\n").count(), 1, "{part:?}");
        assert_eq!(part.matches("```").count(), 2, "{part:?}");
    }
}

#[test]
fn a_long_language_is_named_once() {
    let language = "l".repeat(40);
    let parts = parts(&format!("```{language}\n{}```", "x\n".repeat(40)));
    assert_eq!(parts.concat().matches(&language).count(), 1);
    assert!(parts[1].starts_with("```\nx"));
}

#[test]
fn quotations_are_reopened() {
    let quote = parts(&"> one two three\n".repeat(40));
    assert!(quote.len() > 1);
    for part in quote {
        fits(&part);
        assert!(part.lines().all(|line| line.starts_with("> one")), "{part:?}");
    }
}

#[test]
fn fmt_11_uni_05_emoji_and_flags_are_counted_in_units_and_never_cut() {
    for emoji in ["😀", "👩‍👩‍👧‍👦", "🇩🇪", "e\u{301}", "👍🏽"] {
        let parts = parts(&emoji.repeat(3_000));
        assert!(parts.len() > 1);
        for part in &parts {
            fits(part);
            assert_eq!(part.replace(emoji, ""), "", "{emoji}");
        }
        let first = preview(None, &emoji.repeat(3_000)).remove(0).text;
        fits(&first);
        assert_eq!(first.replace(emoji, ""), "…");
    }
}

#[test]
fn disc_15_the_work_is_in_proportion_to_the_text_whatever_is_in_it() {
    let steps = |text: &str| {
        let whole = pensive_prose::answer("", text, "", &DIALECT);
        pen::STEPS.set(0);
        let parts = Split::new(&whole, MESSAGE).count();
        assert!(parts > 1);
        pen::STEPS.get() as f64 / whole.text.len() as f64
    };
    for piece in [
        "```rust\nlet x = 1;\n```\n\n",
        "word ",
        "x",
        "a\n",
        "**b** `c` [d](https://x.org) ",
        "> q\n",
        "- i\n",
        "*a_",
        "https://x.org/a ",
        "||s|| ",
        "1",
    ] {
        let (short, long) = (steps(&piece.repeat(4_000)), steps(&piece.repeat(32_000)));
        assert!(short <= 4.0 && long <= 4.0, "{piece:?}: {short} {long}");
    }
}

#[test]
fn uni_02_uni_03_text_from_the_right_is_guided() {
    check("מה שלומך?", "מה שלומך?\u{200f}");
    check("- קובץ `a.rs` כאן", "- קובץ \u{2066}`a.rs`\u{2069} כאן");
    check("- OpenAI שחררה מודל חדש היום", "- \u{200f}OpenAI שחררה מודל חדש היום");
    check("# OpenAI שחררה מודל חדש היום", "# \u{200f}OpenAI שחררה מודל חדש היום");
    check("הנתיב /etc/hosts, תודה", "הנתיב \u{2066}/etc/hosts\u{2069}, תודה");
}

#[test]
fn dir_18_dir_19_control_tags_are_not_shown_and_in_code_they_are_text() {
    check("[[reply_to_current] hello", "hello");
    check("`[[audio_as_voice]]` please", "`[[audio_as_voice]]` please");
}

#[test]
fn fmt_05_an_answer_in_the_making_shows_no_half_markup() {
    let check = |thinking: Option<&str>, markdown: &str, expected: &str| {
        let found: Vec<_> = preview(thinking, markdown).into_iter().map(|part| part.text).collect();
        assert_eq!(found.join("¶"), expected, "{markdown:?}");
    };
    check(None, "a **bo", "a **bo**");
    check(None, "```rust\nlet a", "```rust\nlet a\n```");
    check(Some("so *fa"), "", "**Thinking**\n> -# so \\*fa");
    check(Some("so far"), "yes", "**Thinking**\n> -# so far\n\nyes");
    let long = preview(Some(&"thought\n".repeat(900)), &"word ".repeat(900));
    assert_eq!(long.len(), 1);
    fits(&long[0].text);
    assert!(long[0].text.contains("thought") && long[0].text.ends_with("word…"), "{long:?}");
    let code = preview(None, &format!("```\n{}", "x\n".repeat(900))).remove(0).text;
    assert!(code.ends_with("\n```\n…"));
    fits(&code);
}

/// Markdown-like text, short and long, with everything that the layout looks at.
fn any_markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z ]{0,12}",
        "\\PC{0,6}",
        proptest::sample::select(vec![
            "**",
            "*",
            "_",
            "__",
            "`",
            "``",
            "```\n",
            "```rs\n",
            "\n",
            "\n\n",
            "> ",
            "- ",
            "1. ",
            "    ",
            "-# ",
            "[a](https://x.org)",
            "![i](u)",
            "|a|b|\n|-|-|\n|c|d|\n",
            "# ",
            "~~",
            "||",
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
            "<@1>",
            "<#1>",
            " https://x.org/a_b ",
            "[[reply_to_current]]",
            "\\",
            "#",
            "+ ",
        ])
        .prop_map(str::to_owned),
    ];
    (proptest::collection::vec(piece, 0..40), prop_oneof![3 => Just(1usize), 1 => Just(60)])
        .prop_map(|(pieces, times)| pieces.concat().repeat(times))
}

fn seen(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '\u{200b}' | '⦁')).collect()
}

/// Each message is within the limits, and together they show `whole`.
fn is_whole(whole: &Styled, parts: &[Part]) -> Result<(), TestCaseError> {
    let joined: String = parts.iter().map(|part| shown(&part.text)).collect();
    prop_assert_eq!(seen(&joined), seen(&whole.text), "{:?}", parts);
    for part in parts {
        prop_assert!(pensive_prose::length(&part.text) <= 2_000);
        prop_assert!(part.text.split('\n').count() <= 17);
        prop_assert!(part.marks.is_empty());
    }
    Ok(())
}

proptest! {
    #[test]
    fn fmt_09_fmt_12_messages_are_within_limits_and_together_show_the_text(markdown in any_markdown()) {
        let whole = pensive_prose::answer("", &markdown, "", &DIALECT);
        is_whole(&whole, &render(&Body::Markdown(markdown)))?;
    }

    #[test]
    fn thoughts_show_all_of_them(markdown in any_markdown()) {
        let whole = pensive_prose::thinking(&markdown, &DIALECT);
        is_whole(&whole, &render(&Body::Thinking(markdown)))?;
    }

    #[test]
    fn plain_words_show_letter_for_letter(text in any_markdown()) {
        is_whole(&Styled::plain(&text), &render(&Body::Plain(text)))?;
    }

    #[test]
    fn previews_are_one_message(thinking in any_markdown(), markdown in any_markdown()) {
        let parts = preview(Some(&thinking), &markdown);
        prop_assert!(parts.len() <= 1);
        for part in parts {
            prop_assert!(pensive_prose::length(&part.text) <= 2_000);
            prop_assert!(part.text.split('\n').count() <= 17);
        }
    }
}
