//! The text of a page: what a reader sees, with headings, lists and links in Markdown's manner. One pass over the tokens
//! and no tree, so that a page made to be costly is not.

use std::cell::RefCell;
use std::mem;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use url::Url;

/// The longest address of a link that is worth its room.
const LINK: usize = 300;

/// What a page says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    /// Its title; empty for none.
    pub(super) title: String,
    /// Its text, paragraphs divided by an empty line.
    pub(super) text: String,
}

/// Reads HTML. Links are told in full where `base` is known.
pub(super) fn read(html: &str, base: Option<&Url>) -> Page {
    let tokens = Tokenizer::new(Reader::new(base), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    // Without scripts and encodings nothing makes the tokenizer stop before the end.
    while !input.is_empty() {
        drop(tokens.feed(&input));
    }
    tokens.end();
    tokens.sink.state.into_inner().finish()
}

struct Reader<'b> {
    state: RefCell<Text<'b>>,
}

impl<'b> Reader<'b> {
    fn new(base: Option<&'b Url>) -> Self {
        Self { state: RefCell::new(Text { base, ..Text::default() }) }
    }
}

impl TokenSink for Reader<'_> {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut text = self.state.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                text.open(&tag);
                return raw(&tag.name);
            }
            Token::TagToken(tag) => text.close(&tag.name),
            Token::CharacterTokens(characters) => text.say(&characters),
            Token::DoctypeToken(_) | Token::CommentToken(_) | Token::NullCharacterToken => {}
            Token::EOFToken | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

/// How the tokenizer goes on after a start tag whose content is not markup.
fn raw(name: &str) -> TokenSinkResult<()> {
    match name {
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        "plaintext" => TokenSinkResult::Plaintext,
        _ => TokenSinkResult::Continue,
    }
}

/// What separates the next word from the last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
    Paragraph,
}

#[derive(Default)]
struct Text<'b> {
    base: Option<&'b Url>,
    page: Page,
    gap: Gap,
    /// What goes before the next word: a heading's or list item's mark.
    mark: &'static str,
    /// The element whose content is left out, and how often it was opened within itself.
    hidden: Option<(String, usize)>,
    in_title: bool,
    /// How many `pre` are open.
    verbatim: usize,
    /// Where the open link leads and where its words begin.
    link: Option<(Url, usize)>,
}

impl Text<'_> {
    fn open(&mut self, tag: &Tag) {
        let name: &str = &tag.name;
        if let Some((hidden, depth)) = &mut self.hidden {
            *depth += usize::from(hidden == name && !tag.self_closing);
            return;
        }
        match name {
            "script" | "style" | "iframe" | "noembed" | "noframes" | "noscript" | "template" | "svg"
            | "math" | "textarea" | "select" | "object" | "canvas" | "audio" | "video"
                if !tag.self_closing || !matches!(name, "svg" | "math") =>
            {
                self.hidden = Some((name.to_owned(), 1));
            }
            "title" => self.in_title = self.page.title.is_empty(),
            "br" => self.part(Gap::Line),
            "td" | "th" => self.cell(),
            "pre" => {
                self.part(Gap::Paragraph);
                self.verbatim += 1;
            }
            "a" => self.link = self.target(tag).map(|target| (target, self.page.text.len())),
            _ => self.part(block(name)),
        }
        self.mark = mark(name).unwrap_or(self.mark);
    }

    fn close(&mut self, name: &str) {
        if let Some((hidden, depth)) = &mut self.hidden {
            *depth -= usize::from(hidden == name);
            if *depth == 0 {
                self.hidden = None;
            }
            return;
        }
        match name {
            "title" => self.in_title = false,
            "pre" => {
                self.verbatim = self.verbatim.saturating_sub(1);
                self.part(Gap::Paragraph);
            }
            "a" => self.end_link(),
            _ => self.part(block(name)),
        }
        if mark(name).is_some() {
            self.mark = "";
        }
    }

    fn say(&mut self, characters: &str) {
        if self.hidden.is_some() {
        } else if self.in_title {
            self.page.title.push_str(characters);
        } else if self.verbatim > 0 {
            self.before();
            self.page.text.push_str(characters);
        } else {
            self.words(characters);
        }
    }

    fn words(&mut self, characters: &str) {
        if characters.starts_with(char::is_whitespace) {
            self.part(Gap::Space);
        }
        for word in characters.split_whitespace() {
            self.before();
            self.page.text.push_str(word);
            self.part(Gap::Space);
        }
        if !characters.ends_with(char::is_whitespace) && self.gap == Gap::Space {
            self.gap = Gap::None;
        }
    }

    fn part(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// Cells of a row stand side by side.
    fn cell(&mut self) {
        if self.gap < Gap::Line && !self.page.text.is_empty() {
            self.gap = Gap::None;
            self.page.text.push_str(" | ");
        }
    }

    /// Writes what goes before a word.
    fn before(&mut self) {
        let gap = mem::take(&mut self.gap);
        if !self.page.text.is_empty() {
            self.page.text.push_str(match gap {
                Gap::None => "",
                Gap::Space => " ",
                Gap::Line => "\n",
                Gap::Paragraph => "\n\n",
            });
        }
        self.page.text.push_str(mem::take(&mut self.mark));
    }

    fn target(&self, tag: &Tag) -> Option<Url> {
        let href = tag.attrs.iter().find(|attribute| &*attribute.name.local == "href")?;
        let target = self.base?.join(href.value.trim()).ok()?;
        let worth = matches!(target.scheme(), "http" | "https") && target.as_str().len() <= LINK;
        (worth && !href.value.starts_with('#')).then_some(target)
    }

    fn end_link(&mut self) {
        if let Some((target, start)) = self.link.take()
            && self.page.text.get(start..).is_some_and(|words| !words.trim().is_empty())
        {
            self.page.text.push_str(&format!(" ({target})"));
        }
    }

    fn finish(mut self) -> Page {
        self.page.title = self.page.title.split_whitespace().collect::<Vec<_>>().join(" ");
        self.page.text.truncate(self.page.text.trim_end().len());
        self.page
    }
}

/// How an element stands apart from its neighbours.
fn block(name: &str) -> Gap {
    match name {
        "li" | "tr" | "dt" | "dd" | "option" | "figcaption" | "legend" => Gap::Line,
        "p" | "div" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "ul" | "ol" | "dl" | "table" | "section"
        | "article" | "main" | "header" | "footer" | "nav" | "aside" | "blockquote" | "figure" | "form"
        | "fieldset" | "hr" | "address" | "details" | "summary" | "body" | "html" | "head" => Gap::Paragraph,
        _ => Gap::None,
    }
}

fn mark(name: &str) -> Option<&'static str> {
    match name {
        "h1" => Some("# "),
        "h2" => Some("## "),
        "h3" => Some("### "),
        "h4" | "h5" | "h6" => Some("#### "),
        "li" => Some("- "),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(html: &str, expected: &str) {
        let base = Url::parse("https://example.org/a/b").unwrap();
        assert_eq!(read(html, Some(&base)).text, expected, "{html}");
    }

    #[test]
    fn a_page_is_told_as_it_is_read() {
        check("plain", "plain");
        check("<p>one  two\n three</p><p>four</p>", "one two three\n\nfour");
        check("<h1>Head</h1>body<h2>Sub</h2>more", "# Head\n\nbody\n\n## Sub\n\nmore");
        check("<ul><li>a<li>b</ul>after", "- a\n- b\n\nafter");
        check("a<br>b", "a\nb");
        check("<b>bo</b>ld <i>it</i>", "bold it");
        check("<table><tr><th>k<th>v<tr><td>a</td><td>1</td></table>", "k | v\na | 1");
        check("<pre>x\n  y</pre>z", "x\n  y\n\nz");
        check("caf&eacute; &amp; &#x1F600; &lt;p&gt;", "café & 😀 <p>");
        check("<h1></h1>text", "text");
    }

    #[test]
    fn links_are_told_in_full() {
        check("<a href='/x'>there</a> now", "there (https://example.org/x) now");
        check("<a href='c?d=1'>there</a>", "there (https://example.org/a/c?d=1)");
        check("<a href='#top'>up</a><a href='javascript:alert(1)'>js</a><a href='mailto:a@b'>m</a>", "upjsm");
        check("<a href='/x'><img src=y></a>none", "none");
        assert_eq!(read("<a href='https://e.org'>x</a>", None).text, "x");
    }

    #[test]
    fn what_nobody_sees_is_left_out() {
        check("a<script>if (1 < 2) { '<p>x' }</script>b", "ab");
        check("a<style>p { }</style><noscript><p>on</p></noscript>b", "ab");
        check("a<svg><title>t</title><svg></svg></svg>b<!-- c -->", "ab");
        check("a<template><p>x</template>b<svg/>c", "abc");
        check("<textarea>typed</textarea>x<video>old browser</video>", "x");
    }

    #[test]
    fn the_title_stands_apart() {
        let page = read("<html><head><title> A &amp;\n B </title></head><body>text", None);
        assert_eq!(page, Page { title: "A & B".to_owned(), text: "text".to_owned() });
    }

    #[test]
    fn a_page_made_to_be_costly_is_read() {
        assert_eq!(read(&"<div>".repeat(300_000), None), Page::default());
        assert_eq!(read(&"<a href=x>".repeat(100_000), None).text, "");
        assert_eq!(read(&"<svg>".repeat(300_000), None), Page::default());
    }

    proptest! {
        #[test]
        fn any_text_is_read(html in "(<[a-z/!]{1,6}|>|[a-z &;\"'=\n-]{1,5}|<pre>|</a>|<svg>|</svg>|é){0,40}") {
            let page = read(&html, None);
            prop_assert!(page.text.trim_end() == page.text);
        }
    }
}
