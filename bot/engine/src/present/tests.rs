//! Whole runs as a chat shows them: events at their moments, and under them what goes out and when.

mod failures;
mod properties;
mod views;

use std::time::Duration;

use pensive_contract::clock::Timestamp;
use pensive_contract::inbound::ChatKind;
use pensive_contract::model::Recast;
use pensive_contract::outward::{Body, Cost, Tempo};
use pensive_contract::store::OutboxKind;
use pensive_contract::tool::Danger;
use pensive_directives::{Reasoning, Source, Verbose};

use super::*;
use crate::bubble::{Bubble, Lens};
use crate::mask::Masker;
use crate::settings::{Streaming, ToolDetail};

/// Drafts beside the conversation, as a chat with one person may have.
const DRAFTS: Tempo =
    Tempo { every: Duration::from_millis(300), fades: Some(Duration::from_secs(30)), cost: Cost::Free };
/// Messages that are edited.
const EDITS: Tempo = Tempo { every: Duration::from_secs(1), fades: None, cost: Cost::Message };

const QUIET: View = View {
    verbose: Verbose::Off,
    reasoning: Reasoning::Off,
    previews: Ok(DRAFTS),
    streaming: Streaming::Partial,
};

fn view(verbose: Verbose, reasoning: Reasoning) -> View {
    View { verbose, reasoning, ..QUIET }
}

/// A run that is being shown.
struct Play {
    stage: Stage,
    view: View,
    now: i64,
    log: Vec<String>,
}

impl Play {
    fn new(view: View) -> Self {
        Self { stage: Stage::new(7, None, Occasion::Asked, Timestamp(0)), view, now: 0, log: Vec::new() }
    }

    /// Goes on to this moment, showing what is due on the way.
    fn until(&mut self, end: i64) {
        while let Some(due) = self.stage.due(&self.view).filter(|due| *due < Timestamp(end)) {
            self.now = self.now.max(due.0);
            let Some(preview) = self.stage.preview(&self.view, Timestamp(self.now)) else {
                self.perform(self.now);
                assert!(self.stage.due(&self.view).is_none_or(|next| next.0 > self.now), "it spins");
                continue;
            };
            assert_eq!(preview.stream, 7);
            let thinking = preview.thinking.map(|words| format!("[{words}] ")).unwrap_or_default();
            self.log.push(format!("{} ~ {thinking}{}", self.now, preview.markdown));
        }
        self.now = end;
    }

    fn event(&mut self, at: i64, event: Event) -> &mut Self {
        self.until(at);
        self.stage.feed(event, &self.view, Timestamp(at));
        self.perform(at);
        self
    }

    fn perform(&mut self, at: i64) {
        for op in self.stage.take() {
            self.log.push(match op {
                Op::Post(post) => format!("{at} {}", shown(&post.body)),
                Op::Retract => format!("{at} retract"),
                Op::NoLiveReasoning => format!("{at} no live reasoning"),
            });
        }
    }

    fn thinks(&mut self, at: i64, words: &str) -> &mut Self {
        self.event(at, Event::Reasoning(words.to_owned()))
    }

    fn says(&mut self, at: i64, words: &str) -> &mut Self {
        self.event(at, Event::Text(words.to_owned()))
    }

    fn calls(&mut self, at: i64, id: &str, command: &str) -> &mut Self {
        self.event(at, called(id, "exec", &format!(r#"{{"command":"{command}"}}"#)))
    }

    fn gets(&mut self, at: i64, id: &str, output: &str) -> &mut Self {
        let (id, output) = (id.to_owned(), output.to_owned());
        self.event(at, Event::Returned { id, output, fate: Fate::Done(Danger::Harmless) })
    }

    /// Ends here; what is left is the last line.
    fn ends(&mut self, at: i64) -> Rest {
        self.until(at);
        let mut stage =
            std::mem::replace(&mut self.stage, Stage::new(8, None, Occasion::Asked, Timestamp(at)));
        stage.close(&self.view)
    }

    fn check(&self, expected: &[&str]) {
        assert_eq!(self.log, expected);
    }
}

fn called(id: &str, tool: &str, arguments: &str) -> Event {
    let masker = Masker::default();
    let lens = Lens { detail: ToolDetail::Explain, home: "", masker: &masker };
    Event::Called { id: id.to_owned(), tool: tool.to_owned(), bubble: Bubble::new(tool, arguments, lens) }
}

fn shown(body: &Body) -> String {
    match body {
        Body::Markdown(text) => format!("+ {text}"),
        Body::Framed { before, markdown, after } => format!("+ {before}|{markdown}|{after}"),
        Body::Plain(text) => format!("- {text}"),
        Body::Thinking(text) => format!("? {text}"),
    }
}

fn unposted(words: &str) -> Words {
    Words::Unposted(words.to_owned())
}

const LONG: &str = "This is the first sentence of it. ";

#[test]
fn str_18_a_short_beginning_waits_for_more_or_for_a_moment() {
    let mut play = Play::new(QUIET);
    play.says(50, "no").says(200, " problem").until(449);
    play.check(&["400 ~ "]);
    play.until(500);
    play.check(&["400 ~ "]);
    play.until(701);
    play.check(&["400 ~ ", "700 ~ no"]);
}

#[test]
fn str_12_words_are_seen_while_the_model_still_speaks() {
    let mut play = Play::new(QUIET);
    play.says(50, LONG).says(100, "Then more ").says(900, "and more ");
    assert_eq!(play.ends(2_000).words, unposted("This is the first sentence of it. Then more and more "));
    play.check(&[
        "50 ~ This is the first sentence of it.",
        "350 ~ This is the first sentence of it. Then more",
        "900 ~ This is the first sentence of it. Then more and more",
    ]);
}

#[test]
fn str_05_str_26_no_pace_is_faster_than_a_chat_takes() {
    let times = |tempo: Tempo, end: i64| {
        let mut play = Play::new(View { previews: Ok(Tempo { every: Duration::ZERO, ..tempo }), ..QUIET });
        for at in (0..end).step_by(20) {
            play.says(at, LONG);
        }
        play.until(end);
        play.log.len()
    };
    assert_eq!(times(EDITS, 10_000), 10);
    assert_eq!(times(DRAFTS, 9_000), 30);
}

#[test]
fn str_01_what_comes_during_a_silence_is_one_preview_after_it() {
    let mut play = Play::new(QUIET);
    play.says(0, LONG).until(1);
    for at in 1..100 {
        play.stage.feed(Event::Text(format!("{at} ")), &QUIET, Timestamp(at * 300));
    }
    let preview = play.stage.preview(&QUIET, Timestamp(33_000)).map(|preview| preview.markdown);
    assert!(preview.is_some_and(|text| text.ends_with("98 99")));
    assert_eq!(play.stage.preview(&QUIET, Timestamp(33_001)), None);
}

#[test]
fn a_silent_model_is_shown_to_think_and_a_fading_preview_is_renewed_in_time() {
    let mut play = Play::new(QUIET);
    play.until(41_000);
    play.check(&["400 ~ ", "20400 ~ ", "40400 ~ "]);
    let mut play = Play::new(QUIET);
    play.thinks(30, "hm").until(20_000);
    play.check(&["30 ~ "]);
    let mut play = Play::new(View { previews: Ok(EDITS), ..QUIET });
    play.thinks(30, "hm").until(100_000);
    play.check(&[]);
}

#[test]
fn str_15_a_model_that_thinks_makes_no_message_more_than_another() {
    let edits = View { previews: Ok(EDITS), ..QUIET };
    for reasoning in [false, true] {
        let mut play = Play::new(edits);
        if reasoning {
            play.thinks(10, "Let me think about this for a while, shall I?");
        }
        play.says(100, LONG);
        let rest = play.ends(5_000);
        play.check(&["100 ~ This is the first sentence of it."]);
        assert_eq!((rest.thinking, rest.over), (None, Over::Standing));
    }
}

#[test]
fn rsn_11_str_16_thoughts_come_as_a_message_before_the_bubble_they_led_to_and_before_the_answer() {
    let mut play = Play::new(view(Verbose::On, Reasoning::On));
    play.thinks(10, "Look first. ").calls(100, "1", "ls").gets(200, "1", "a b");
    play.thinks(300, "Now ").thinks(310, "I know.").says(700, "There are two files in here.");
    let rest = play.ends(701);
    assert_eq!(rest.thinking.as_deref(), Some("Now I know."));
    play.check(&[
        "10 ~ ",
        "100 ? Look first.",
        "100 - 🛠️ Exec: list files",
        "310 ~ ",
        "700 ~ There are two files in here.",
    ]);
}

#[test]
fn rsn_14_rsn_15_without_a_wish_no_thought_goes_out() {
    let mut play = Play::new(view(Verbose::Off, Reasoning::Off));
    play.thinks(10, "A secret plan. ").calls(100, "1", "ls").gets(200, "1", "a");
    play.thinks(300, "Another. ").says(400, LONG);
    assert_eq!(play.ends(500).thinking, None);
    assert!(!play.log.join("").contains("plan"), "{:?}", play.log);
}

#[test]
fn live_reasoning_stands_in_the_preview_and_is_gone_with_the_answer() {
    let mut play = Play::new(view(Verbose::Off, Reasoning::Stream));
    play.thinks(10, "Let me think about this, shall I? ")
        .thinks(500, "Yes. ")
        .says(1_000, "It ")
        .says(1_100, LONG);
    let rest = play.ends(2_000);
    assert_eq!(rest.thinking, None);
    play.check(&[
        "10 ~ [Let me think about this, shall I?] ",
        "500 ~ [Let me think about this, shall I? Yes.] ",
        "1100 ~ [Let me think about this, shall I? Yes.] It This is the first sentence of it.",
    ]);
}

#[test]
fn where_nothing_can_be_shown_live_that_is_said_once() {
    for why in [NoPreviews::Unable, NoPreviews::SwitchedOff] {
        let mut play = Play::new(View { previews: Err(why), ..view(Verbose::Off, Reasoning::Stream) });
        play.thinks(10, "a").thinks(20, "b").says(30, LONG);
        assert_eq!(play.ends(1_000).thinking, None);
        play.check(&["10 no live reasoning"]);
    }
}

#[test]
fn what_was_seen_before_a_tool_is_a_message_before_its_bubble() {
    let mut play = Play::new(view(Verbose::On, Reasoning::Off));
    play.says(10, "I will look at the files now. ").calls(1_000, "1", "ls").gets(1_100, "1", "a");
    play.says(1_200, "There is only one file here. ");
    let rest = play.ends(1_300);
    assert_eq!(rest.words, unposted("There is only one file here. "));
    play.check(&[
        "10 ~ I will look at the files now.",
        "1000 + I will look at the files now.",
        "1000 - 🛠️ Exec: list files",
        "1200 ~ There is only one file here.",
    ]);
}

#[test]
fn str_13_what_was_posted_is_not_there_to_be_said_again() {
    let mut play = Play::new(view(Verbose::On, Reasoning::Off));
    play.says(10, "I will look at it.").calls(20, "1", "ls").gets(30, "1", "a");
    assert_eq!(play.ends(40).words, Words::Posted);
    let mut play = Play::new(QUIET);
    play.says(10, "I will look at it.").calls(20, "1", "ls").gets(30, "1", "a");
    assert_eq!(play.ends(40).words, unposted("I will look at it."));
    let mut play = Play::new(QUIET);
    play.calls(20, "1", "ls").gets(30, "1", "a");
    assert_eq!(play.ends(40).words, Words::Nothing);
}

#[test]
fn tool_02_rsn_10_without_bubbles_only_the_last_words_are_an_answer() {
    let mut play = Play::new(QUIET);
    play.says(10, "I will look at the files now. ").calls(100, "1", "ls").gets(200, "1", "a");
    play.thinks(300, "hm").says(1_000, "There is only one file here. ");
    let rest = play.ends(1_100);
    assert_eq!((rest.words, rest.thinking), (unposted("There is only one file here. "), None));
    play.check(&["10 ~ I will look at the files now.", "1000 ~ There is only one file here."]);
}

#[test]
fn words_that_a_thought_wipes_are_shown_again_at_once() {
    let mut play = Play::new(view(Verbose::Off, Reasoning::On));
    play.thinks(5, "Hm.")
        .says(10, "I will look at the files now. ")
        .calls(1_000, "1", "sleep 60")
        .until(2_000);
    play.check(&[
        "5 ~ ",
        "305 ~ I will look at the files now.",
        "1000 ? Hm.",
        "1000 ~ I will look at the files now.",
    ]);
}

#[test]
fn tool_03_bubbles_follow_what_holds_when_they_come() {
    let mut play = Play::new(view(Verbose::Off, Reasoning::Off));
    play.view.previews = Err(NoPreviews::Unable);
    play.calls(10, "1", "ls a").gets(20, "1", "x");
    play.view.verbose = Verbose::On;
    play.calls(30, "2", "ls b").gets(40, "2", "x").calls(50, "3", "ls c");
    play.view.verbose = Verbose::Full;
    play.gets(60, "3", "x").calls(70, "4", "ls d");
    play.view.verbose = Verbose::Off;
    play.gets(80, "4", "x").calls(90, "5", "ls e");
    play.check(&[
        "30 - 🛠️ Exec: list files in b",
        "50 - 🛠️ Exec: list files in c",
        "60 + 🛠️ Exec: list files in c|```\nx\n```|",
        "70 - 🛠️ Exec: list files in d",
    ]);
}

#[test]
fn bubbles_of_calls_side_by_side_come_in_the_order_of_the_calls() {
    let mut play = Play::new(view(Verbose::Full, Reasoning::Off));
    play.view.previews = Err(NoPreviews::Unable);
    play.calls(1, "1", "ls a").calls(1, "2", "ls b").calls(1, "3", "ls c");
    play.gets(10, "3", "c").gets(20, "1", "").gets(30, "2", "b").gets(40, "2", "again");
    play.check(&[
        "1 - 🛠️ Exec: list files in a",
        "1 - 🛠️ Exec: list files in b",
        "1 - 🛠️ Exec: list files in c",
        "20 - 🛠️ Exec: list files in a\n(no output)",
        "30 + 🛠️ Exec: list files in b|```\nb\n```|",
        "30 + 🛠️ Exec: list files in c|```\nc\n```|",
    ]);
}

#[test]
fn str_03_tool_09_nothing_of_background_work_is_shown() {
    let scene = Scene { occasion: Occasion::Background, ..views::scene(ChatKind::Direct) };
    let view = View::new(&views::settings(Verbose::Full, Source::Session), &scene, Some(DRAFTS));
    assert_eq!((view.verbose, view.previews), (Verbose::Off, Err(NoPreviews::Background)));
    let mut play = Play::new(View { reasoning: Reasoning::On, ..view });
    play.stage = Stage::new(7, None, Occasion::Background, Timestamp(0));
    play.thinks(1, "One.").says(2, LONG).calls(3, "1", "ls").gets(4, "1", "a");
    play.event(5, Event::Note("A note.".to_owned())).thinks(6, "Two.").says(7, "Done.");
    let rest = play.ends(60_000);
    play.check(&[]);
    assert_eq!((rest.words, rest.thinking.as_deref()), (unposted("Done."), Some("One.\n\nTwo.")));
    assert_eq!(rest.notes, ["A note."]);
}

#[test]
fn a_note_goes_out_as_it_comes() {
    let mut play = Play::new(QUIET);
    play.says(10, LONG).event(500, Event::Note("⚙️ A note.".to_owned())).until(1_000);
    play.check(&[
        "10 ~ This is the first sentence of it.",
        "500 - ⚙️ A note.",
        "500 ~ This is the first sentence of it.",
    ]);
}

#[test]
fn words_of_a_try_that_broke_do_not_count() {
    let mut play = Play::new(view(Verbose::On, Reasoning::On));
    play.thinks(1, "Old. ").says(2, "Half an answer that ").event(500, Event::Broke);
    play.thinks(600, "New. ").says(700, "The whole answer, as it is. ");
    let rest = play.ends(2_000);
    assert_eq!(
        (rest.words, rest.thinking.as_deref()),
        (unposted("The whole answer, as it is. "), Some("New."))
    );
}

#[test]
fn a_later_try_that_breaks_leaves_what_an_earlier_call_said() {
    let mut play = Play::new(QUIET);
    play.says(10, "I will look at it.").calls(20, "1", "ls").gets(30, "1", "a");
    play.thinks(40, "hm").event(50, Event::Broke);
    assert_eq!(play.ends(60).words, unposted("I will look at it."));
}

#[test]
fn rsn_06_rsn_08_words_that_turn_out_to_be_thoughts_are_taken_back() {
    let mut play = Play::new(view(Verbose::Off, Reasoning::On));
    play.says(10, "I should plan this well first. ").event(500, Event::Recast(Recast::TextWasReasoning));
    play.says(600, "Here is what you asked me for. ");
    let rest = play.ends(1_000);
    assert_eq!(rest.thinking.as_deref(), Some("I should plan this well first."));
    assert_eq!(rest.words, unposted("Here is what you asked me for. "));
    play.check(&[
        "10 ~ I should plan this well first.",
        "500 retract",
        "500 ~ ",
        "800 ~ Here is what you asked me for.",
    ]);
    let mut play = Play::new(view(Verbose::Off, Reasoning::On));
    play.thinks(10, "It is four.").event(20, Event::Recast(Recast::ReasoningWasText)).says(20, "It is four.");
    let rest = play.ends(30);
    assert_eq!((rest.thinking, rest.words), (None, unposted("It is four.")));
}

#[test]
fn pieces_that_another_kind_stands_between_are_paragraphs() {
    let mut play = Play::new(view(Verbose::Off, Reasoning::On));
    play.thinks(1, "a").thinks(2, "b").says(3, "c").thinks(4, "d").says(5, "e").says(6, "f");
    let rest = play.ends(7);
    assert_eq!((rest.thinking.as_deref(), rest.words), (Some("ab\n\nd"), unposted("c\n\nef")));
}

#[test]
fn str_11_progress_has_a_line_for_each_tool_at_work_and_no_words() {
    let mut play = Play::new(View { streaming: Streaming::Progress, previews: Ok(EDITS), ..QUIET });
    play.says(10, "I will look at the files now. ").calls(100, "1", "ls a").calls(100, "2", "ls b");
    play.gets(2_000, "1", "x").gets(4_000, "2", "x").says(6_000, LONG);
    let rest = play.ends(9_000);
    assert_eq!((rest.over, rest.words), (Over::Beside, unposted(LONG)));
    play.check(&["100 ~ 🛠️ Exec  \n🛠️ Exec", "2000 ~ 🛠️ Exec"]);
}

fn progress(verbose: Verbose, reasoning: Reasoning) -> View {
    View { streaming: Streaming::Progress, previews: Ok(EDITS), ..view(verbose, reasoning) }
}

#[test]
fn bubbles_and_a_status_never_say_the_same() {
    for verbose in [Verbose::On, Verbose::Full] {
        let mut play = Play::new(progress(verbose, Reasoning::Off));
        play.calls(100, "1", "cat a_b").until(1_400);
        play.check(&["100 - 🛠️ Exec: show a_b"]);
    }
    let mut play = Play::new(progress(Verbose::Off, Reasoning::Off));
    play.calls(100, "1", "cat a").gets(1_500, "1", "x");
    play.view.verbose = Verbose::On;
    play.calls(2_000, "2", "cat c").gets(3_500, "2", "x").calls(4_000, "3", "cat d").until(6_000);
    play.view.verbose = Verbose::Off;
    play.gets(7_000, "3", "x").calls(8_000, "4", "cat e").until(9_000);
    play.check(&[
        "100 ~ 🛠️ Exec",
        "1500 ~ Thinking…",
        "2000 - 🛠️ Exec: show c",
        "4000 - 🛠️ Exec: show d",
        "7000 ~ 🛠️ Exec",
    ]);
    let mut play = Play::new(progress(Verbose::Off, Reasoning::Off));
    play.calls(100, "1", "cat a").until(1_400);
    play.view.verbose = Verbose::On;
    play.calls(1_500, "2", "cat c").until(4_000);
    play.check(&["100 ~ 🛠️ Exec", "1500 - 🛠️ Exec: show c", "1500 ~ Thinking…"]);
}

#[test]
fn a_run_that_takes_long_has_a_status_to_stop_it_by_whatever_it_does() {
    let mut play = Play::new(progress(Verbose::Off, Reasoning::Off));
    play.says(10, LONG).until(2_900);
    play.check(&[]);
    let mut play = Play::new(progress(Verbose::On, Reasoning::On));
    play.thinks(10, LONG).says(2_000, LONG).until(6_000);
    play.calls(6_100, "1", "cat a").until(8_000);
    play.check(&[
        "3000 ~ Thinking…",
        "6100 ? This is the first sentence of it.",
        "6100 + This is the first sentence of it.",
        "6100 - 🛠️ Exec: show a",
    ]);
}

#[test]
fn live_reasoning_stands_in_the_status_and_leaves_with_it() {
    let mut play = Play::new(progress(Verbose::Off, Reasoning::Stream));
    play.thinks(10, "Let me think about this, shall I? ").calls(2_000, "1", "ls").gets(3_500, "1", "a");
    play.thinks(5_000, "There is one file, and that is all. ").says(7_000, LONG);
    let rest = play.ends(9_000);
    assert_eq!((rest.over, rest.thinking, rest.words), (Over::Beside, None, unposted(LONG)));
    play.check(&[
        "10 ~ [Let me think about this, shall I?] ",
        "2000 ~ 🛠️ Exec",
        "5000 ~ [There is one file, and that is all.] 🛠️ Exec",
    ]);
    let mut play = Play::new(progress(Verbose::On, Reasoning::Stream));
    play.thinks(10, "Let me think about this, shall I? ").calls(2_000, "1", "ls").until(4_000);
    play.check(&[
        "10 ~ [Let me think about this, shall I?] ",
        "2000 - 🛠️ Exec: list files",
        "2000 ~ Thinking…",
    ]);
}

#[test]
fn blocks_are_shown_whole() {
    let mut play = Play::new(View { streaming: Streaming::Block, ..QUIET });
    let paragraph = LONG.repeat(7);
    play.says(10, &paragraph).until(390);
    play.check(&["10 ~ "]);
    play.says(500, "\n\n").says(510, LONG).until(900);
    play.check(&["10 ~ ", &format!("500 ~ {}", paragraph.trim())]);
}

#[test]
fn a_chat_that_lost_its_previews_gets_none() {
    let mut play = Play::new(View { previews: Err(NoPreviews::Unable), ..QUIET });
    play.thinks(1, "a").says(2, LONG);
    assert_eq!(play.ends(60_000).words, unposted(LONG));
    play.check(&[]);
}

#[test]
fn tool_07_half_a_secret_is_not_shown_while_it_grows() {
    let mut play = Play::new(view(Verbose::Off, Reasoning::Stream));
    play.thinks(10, "The key that I was given is sk-abc").says(20, "The key that I was given is sk-abcdefgh");
    play.says(1_000, "ijklmnopqrstu").until(10_000);
    assert!(!play.log.join("").contains("sk-abc"), "{:?}", play.log);
}

#[test]
fn what_is_a_word_of_the_models_is_worth_a_button_and_the_rest_is_not() {
    let mut stage = Stage::new(7, None, Occasion::Asked, Timestamp(0));
    let view = view(Verbose::On, Reasoning::On);
    for event in [Event::Reasoning("a".to_owned()), Event::Text("b".to_owned()), called("1", "exec", "{}")] {
        stage.feed(event, &view, Timestamp(0));
    }
    let kinds = stage.take().into_iter().map(|op| match op {
        Op::Post(Post { kind, over, .. }) => Some((kind, over)),
        Op::Retract | Op::NoLiveReasoning => None,
    });
    let kinds: Vec<_> = kinds.collect();
    let expected = [OutboxKind::Notice, OutboxKind::Answer, OutboxKind::Notice];
    assert_eq!(kinds, expected.map(|kind| Some((kind, Over::Standing))));
}
