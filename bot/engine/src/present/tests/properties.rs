//! What holds of any run.

use pensive_contract::model::Recast;
use pensive_contract::tool::Danger;
use pensive_directives::{Reasoning, Verbose};
use proptest::prelude::*;

use super::{DRAFTS, EDITS, Play, called};
use crate::present::{Event, Fate, NoPreviews, View, Words};
use crate::settings::Streaming;

/// What may happen in a run; calls and their ends are numbered as they come.
fn any_event() -> impl Strategy<Value = Event> {
    let words = "[a-z]{1,9}( [a-z]{1,9}){0,6}";
    prop_oneof![
        words.prop_map(|words| Event::Reasoning(format!("{words} "))),
        words.prop_map(|words| Event::Text(format!("{words} "))),
        Just(Event::Recast(Recast::TextWasReasoning)),
        Just(Event::Recast(Recast::ReasoningWasText)),
        Just(Event::Broke),
        Just(called("", "exec", "{}")),
        Just(Event::Returned {
            id: String::new(),
            output: "x".to_owned(),
            fate: Fate::Done(Danger::Harmless)
        }),
    ]
}

fn any_view() -> impl Strategy<Value = View> {
    let verbose = proptest::sample::select(vec![Verbose::Off, Verbose::On, Verbose::Full]);
    let reasoning = proptest::sample::select(vec![Reasoning::Off, Reasoning::On, Reasoning::Stream]);
    let previews = proptest::sample::select(vec![Ok(DRAFTS), Ok(EDITS), Err(NoPreviews::Unable)]);
    let streaming = proptest::sample::select(vec![Streaming::Partial, Streaming::Block, Streaming::Progress]);
    (verbose, reasoning, previews, streaming).prop_map(|(verbose, reasoning, previews, streaming)| View {
        verbose,
        reasoning,
        previews,
        streaming,
    })
}

proptest! {
    #[test]
    fn any_run_keeps_its_pace_and_says_nothing_twice(
        events in proptest::collection::vec((0_i64..900, any_event()), 0..60),
        view in any_view(),
    ) {
        let mut play = Play::new(view);
        let (mut at, mut spoken) = (0, String::new());
        for (pause, event) in events {
            at += pause;
            if let Event::Text(words) = &event {
                spoken.push_str(words);
            }
            play.event(at, event);
        }
        play.until(at + 100_000);
        let moments = play.log.iter().filter_map(|line| line.split_once(" ~ ")?.0.parse::<i64>().ok());
        let moments: Vec<i64> = moments.collect();
        let floor = if view.previews == Ok(EDITS) { 1_000 } else { 300 };
        prop_assert!(moments.is_sorted_by(|one, next| next - one >= floor), "{:?}", moments);
        let posted = play.log.iter().filter_map(|line| line.split_once(" + ").map(|(_, words)| words.to_owned()));
        let mut said: Vec<String> = posted.filter(|words| !words.contains("```")).collect();
        if let Words::Unposted(words) = play.ends(at + 100_001).words {
            said.push(words);
        }
        let count = |text: &str| text.split_whitespace().count();
        prop_assert!(said.iter().map(|words| count(words)).sum::<usize>() <= count(&spoken));
    }

    #[test]
    fn rsn_14_what_was_thought_leaves_only_where_it_was_asked_for(
        events in proptest::collection::vec((0_i64..900, any_event()), 0..60),
        view in any_view(),
    ) {
        let mut play = Play::new(View { reasoning: Reasoning::Off, ..view });
        let mut at = 0;
        for (pause, event) in events {
            at += pause;
            play.event(at, match event {
                Event::Reasoning(_) => Event::Reasoning("THOUGHT ".repeat(9)),
                Event::Recast(_) => Event::Broke,
                other => other,
            });
        }
        let rest = play.ends(at + 30_000);
        prop_assert_eq!(&rest.thinking, &None);
        let all = format!("{:?} {rest:?}", play.log);
        prop_assert!(!all.contains("THOUGHT"), "{}", all);
    }
}
