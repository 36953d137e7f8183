//! A model that needs no key and no network: always the same answer to the same question, labelled as what it is, and
//! able to misbehave on request, so that everything around a model can be shown and tested.
//!
//! The last message may hold one of these:
//!
//! | words | what happens |
//! | --- | --- |
//! | `rehearse: fail 500` | the call is refused with that status |
//! | `rehearse: fail 429 7` | the same, and the provider asks for 7 seconds |
//! | `rehearse: cut` | the answer ends in the middle |
//! | `rehearse: stall` | the answer stops in the middle and nothing more comes, until the limit on silence |
//! | `rehearse: empty` | there is no answer at all |
//! | `rehearse: long 9000` | an answer of that many characters |
//! | `rehearse: markdown` | an answer with everything that Markdown has |
//! | `rehearse: think` | reasoning, even where the level is off |
//! | `rehearse: slow` | each piece comes 200 ms after the one before |

use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, StreamExt, stream};
use pensive_contract::clock::Clock;
use pensive_contract::fault::Fault;
use pensive_contract::media::{Media, MediaKind};
use pensive_contract::model::{
    Limits, ModelEvent, ModelRef, ModelRequest, ModelStream, PromptTurn, StopReason, TokenUsage,
};
use pensive_directives::{Level, LevelChoice, Profile};

use crate::refusal::Refusal;
use crate::trouble::Trouble;

/// What the configuration calls it.
pub(crate) const PROVIDER: &str = "rehearsal";

/// What it can hold.
pub(crate) const LIMITS: Limits = Limits { context: 128_000, output: None, price: None, takes: &KINDS };

/// All that may be sent along: it looks at nothing and can take everything.
const KINDS: [MediaKind; 3] = [MediaKind::Image, MediaKind::Audio, MediaKind::Document];

/// How long a slow answer waits before each piece.
const PACE: Duration = Duration::from_millis(200);

/// How long a stalled answer is waited for.
const SILENCE: Duration = Duration::from_secs(60);

/// The longest answer that can be asked for.
const LONGEST: usize = 1_000_000;

const MARKDOWN: &str = "\
# A heading

Some *italic*, **bold**, ~~struck~~ and `code`, and [a link](https://example.com).

- one
- two
  - two and a half

1. first
2. second

> A quotation.

```rust
fn main() {
    println!(\"<b> & </b>\");
}
```

| a | b |
| --- | --- |
| 1 | 2 |
";

/// Every level, so that every directive has something to show.
pub(crate) fn profile(model: &ModelRef) -> Profile {
    let levels = Level::ALL.iter().map(|&level| LevelChoice { level, label: None }).collect();
    Profile::new(model.to_string(), levels, Level::Medium)
}

/// What a level would put on the wire, were there one.
pub(crate) fn explain(level: Level) -> String {
    format!("rehearsal.level={level}")
}

/// The model.
pub(crate) struct Rehearsal {
    clock: Arc<dyn Clock>,
}

/// What the message asks for beyond an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Nothing,
    Fail { status: u16, pause: Option<u64> },
    Cut,
    Stall,
    Empty,
    Long(usize),
    Markdown,
    Think,
    Slow,
}

impl Rehearsal {
    /// Slow answers wait on this clock.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock }
    }

    /// Answers.
    pub(crate) fn stream(&self, request: &ModelRequest) -> Result<ModelStream, Trouble> {
        let user = |turn: &PromptTurn| match turn {
            PromptTurn::User(text) => Some(text.clone()),
            PromptTurn::Media(_) => Some(String::new()),
            PromptTurn::Assistant(_) | PromptTurn::Tools(_) => None,
        };
        let said = request.turns.iter().rev().find_map(user).unwrap_or_default();
        let said = said.as_str();
        let wish = Wish::of(said);
        if let Wish::Fail { status, pause } = wish {
            let refusal = Refusal::read(Some(status), b"as the rehearsal was asked to");
            return Err(refusal.after(pause.map(Duration::from_secs)).into());
        }
        let mut events = events(request, said, wish);
        if matches!(wish, Wish::Cut | Wish::Stall) {
            let texts = events.iter().filter(|event| matches!(event, ModelEvent::Text(_))).count();
            let mut left = texts / 2;
            events.retain(|event| match event {
                ModelEvent::Text(_) if left > 0 => {
                    left -= 1;
                    true
                }
                ModelEvent::Reasoning(_) => true,
                ModelEvent::Text(_)
                | ModelEvent::Learned(_)
                | ModelEvent::Call(_)
                | ModelEvent::Seal(_)
                | ModelEvent::Recast(_)
                | ModelEvent::Usage(_)
                | ModelEvent::End(_) => false,
            });
        }
        Ok(self.played(events, wish))
    }

    fn played(&self, events: Vec<ModelEvent>, wish: Wish) -> ModelStream {
        let events = stream::iter(events.into_iter().map(Ok::<_, Fault>));
        let clock = Arc::clone(&self.clock);
        match wish {
            Wish::Slow => events.then(move |event| clock.sleep(PACE).map(|()| event)).boxed(),
            Wish::Stall => {
                let silence = clock.sleep(SILENCE).map(|()| Err(Trouble::Stalled(SILENCE).fault(PROVIDER)));
                events.chain(stream::once(silence)).boxed()
            }
            Wish::Cut => {
                let cut = Trouble::Cut("as the rehearsal was asked to".to_owned()).fault(PROVIDER);
                events.chain(stream::iter([Err(cut)])).boxed()
            }
            Wish::Nothing
            | Wish::Fail { .. }
            | Wish::Empty
            | Wish::Long(_)
            | Wish::Markdown
            | Wish::Think => events.boxed(),
        }
    }
}

impl Wish {
    fn of(said: &str) -> Self {
        let lower = said.to_ascii_lowercase();
        let Some((_, words)) = lower.split_once("rehearse:") else { return Self::Nothing };
        let mut words = words.split_whitespace();
        let (wish, mut numbers) = (words.next().unwrap_or_default(), words.map(str::parse::<u64>));
        let mut number = || numbers.next().and_then(Result::ok);
        match wish {
            "fail" => Self::Fail {
                status: number().and_then(|status| u16::try_from(status).ok()).unwrap_or(500),
                pause: number(),
            },
            "cut" => Self::Cut,
            "stall" => Self::Stall,
            "empty" => Self::Empty,
            "long" => {
                let length = number().and_then(|length| usize::try_from(length).ok()).unwrap_or(9000);
                Self::Long(length.min(LONGEST))
            }
            "markdown" => Self::Markdown,
            "think" => Self::Think,
            "slow" => Self::Slow,
            _ => Self::Nothing,
        }
    }
}

/// A sentence on what came along with the last message; nothing where that was words alone.
fn sent(turns: &[PromptTurn]) -> String {
    let spoken = turns.iter().rev().skip_while(|turn| matches!(turn, PromptTurn::User(_)));
    let sent = spoken.map_while(|turn| match turn {
        PromptTurn::Media(media) => Some(media),
        PromptTurn::User(_) | PromptTurn::Assistant(_) | PromptTurn::Tools(_) => None,
    });
    let mut things: Vec<String> = sent.flat_map(|media| media.iter().rev()).map(thing).collect();
    things.reverse();
    if things.is_empty() { String::new() } else { format!("\n\nYou sent: {}.", things.join(", ")) }
}

fn thing(media: &Media) -> String {
    let kind = match media.kind {
        MediaKind::Image => "a picture",
        MediaKind::Audio => "a recording",
        MediaKind::Document => "a document",
    };
    format!("{kind} ({}, {} bytes)", media.mime, media.bytes.len())
}

fn events(request: &ModelRequest, said: &str, wish: Wish) -> Vec<ModelEvent> {
    let level = request.manner.thinking;
    let thoughts = if level == Level::Off && wish != Wish::Think {
        String::new()
    } else {
        format!(
            "A message of {} characters came in. The thinking level is {level}. Nobody has to think here, so this is \
                 all there is to see.",
            said.chars().count()
        )
    };
    let answer = match wish {
        Wish::Empty => String::new(),
        Wish::Long(length) => long(length),
        Wish::Markdown => format!("[rehearsal] Everything that Markdown has:\n\n{MARKDOWN}"),
        Wish::Nothing | Wish::Fail { .. } | Wish::Cut | Wish::Stall | Wish::Think | Wish::Slow => format!(
            "[rehearsal] No model is at work here; this is a stand-in. Thinking level: {level}. You wrote: {said}{}",
            sent(&request.turns)
        ),
    };
    let count = |text: &str| u64::try_from(text.split_whitespace().count()).unwrap_or(u64::MAX);
    let words = |turn: &PromptTurn| match turn {
        PromptTurn::User(text) => count(text),
        PromptTurn::Media(_) => 0,
        PromptTurn::Assistant(speech) => count(&speech.text()),
        PromptTurn::Tools(results) => results.iter().map(|result| count(&result.text)).sum(),
    };
    let asked: u64 = request.turns.iter().map(words).sum();
    let usage = TokenUsage {
        input: asked + count(&request.system),
        cached: 0,
        output: count(&thoughts) + count(&answer),
        reasoning: count(&thoughts),
    };
    let reasoning = pieces(&thoughts).map(ModelEvent::Reasoning);
    let text = pieces(&answer).map(ModelEvent::Text);
    reasoning.chain(text).chain([ModelEvent::Usage(usage), ModelEvent::End(StopReason::Done)]).collect()
}

/// A text in pieces of a word or so, as models stream.
fn pieces(text: &str) -> impl Iterator<Item = String> {
    text.split_inclusive(' ').map(str::to_owned)
}

/// Numbered lines up to exactly that many characters.
fn long(length: usize) -> String {
    let mut text = "[rehearsal] A long answer.\n\n".to_owned();
    for number in 1.. {
        if text.len() >= length {
            break;
        }
        text.push_str(&format!("Line {number} of an answer that goes on for as long as it was asked to.\n"));
    }
    text.truncate(length);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::future::BoxFuture;
    use pensive_contract::clock::Timestamp;
    use pensive_contract::fault::FaultClass;
    use pensive_contract::model::{Manner, Pace, Params, ToolChoice};

    struct Still;

    impl Clock for Still {
        fn now(&self) -> Timestamp {
            Timestamp(0)
        }

        fn sleep_until(&self, _: Timestamp) -> BoxFuture<'static, ()> {
            futures::future::ready(()).boxed()
        }
    }

    fn ask(text: &str, thinking: Level) -> Result<Vec<Result<ModelEvent, Fault>>, Trouble> {
        let request = ModelRequest {
            model: ModelRef { provider: PROVIDER.into(), id: "echo".into() },
            system: "Be brief.".into(),
            turns: vec![PromptTurn::User(text.into())],
            tools: Vec::new(),
            choice: ToolChoice::Auto,
            manner: Manner { thinking, pace: Pace::Normal, params: Params::default() },
            session: "s".into(),
        };
        let stream = Rehearsal::new(Arc::new(Still)).stream(&request)?;
        Ok(stream.collect().now_or_never().unwrap())
    }

    fn answer(text: &str, thinking: Level) -> (String, String) {
        let (mut text_out, mut reasoning) = (String::new(), String::new());
        for event in ask(text, thinking).unwrap() {
            match event.unwrap() {
                ModelEvent::Text(text) => text_out.push_str(&text),
                ModelEvent::Reasoning(text) => reasoning.push_str(&text),
                _ => {}
            }
        }
        (text_out, reasoning)
    }

    #[test]
    fn it_is_labelled_and_shows_level_and_text() {
        let (text, reasoning) = answer("hello there", Level::High);
        assert!(
            text.starts_with("[rehearsal]") && text.contains("level: high") && text.ends_with("hello there")
        );
        assert!(reasoning.contains("high"));
        assert_eq!(answer("hello", Level::Off).1, "");
        assert_ne!(answer("rehearse: think", Level::Off).1, "");
        assert_eq!(answer("hello", Level::Off), answer("hello", Level::Off));
    }

    #[test]
    fn it_ends_with_usage_and_end() {
        let events = ask("two words", Level::Off).unwrap();
        let usage = TokenUsage { input: 4, cached: 0, output: 18, reasoning: 0 };
        assert_eq!(
            events[events.len() - 2..],
            [Ok(ModelEvent::Usage(usage)), Ok(ModelEvent::End(StopReason::Done))]
        );
        assert!(events.len() > 10);
    }

    #[test]
    fn med_02_it_tells_what_was_sent_along() {
        let media =
            |kind, mime: &str| Media { kind, mime: mime.into(), name: None, bytes: Arc::from(*b"abc") };
        let user = |text: &str| PromptTurn::User(text.into());
        let picture = || PromptTurn::Media(vec![media(MediaKind::Image, "image/png")]);
        let check = |turns: &[PromptTurn], expected: &str| assert_eq!(sent(turns), expected, "{turns:?}");
        let both = PromptTurn::Media(vec![
            media(MediaKind::Image, "image/jpeg"),
            media(MediaKind::Document, "application/pdf"),
        ]);
        check(&[picture(), user("a"), user("b")], "\n\nYou sent: a picture (image/png, 3 bytes).");
        check(&[user("a"), picture()], "\n\nYou sent: a picture (image/png, 3 bytes).");
        check(
            &[both, picture(), user("a")],
            "\n\nYou sent: a picture (image/jpeg, 3 bytes), a document (application/pdf, 3 bytes), a picture (image/png, 3 bytes).",
        );
        check(&[picture(), user("a"), PromptTurn::Tools(Vec::new()), user("b")], "");
        check(&[user("a")], "");
    }

    #[test]
    fn it_misbehaves_on_request() {
        let class = |text| ask(text, Level::Off).unwrap_err().fault(PROVIDER).class;
        assert_eq!(class("please rehearse: fail 500"), FaultClass::Again);
        assert_eq!(class("rehearse: fail 429 7"), FaultClass::AgainAfter(Duration::from_secs(7)));
        assert_eq!(class("Rehearse: Fail 401"), FaultClass::OursToMend);
        assert_eq!(class("rehearse: fail"), FaultClass::Again);
        for text in ["rehearse: cut", "rehearse: stall"] {
            let events = ask(text, Level::Off).unwrap();
            let (last, before) = events.split_last().unwrap();
            assert_eq!(last.as_ref().unwrap_err().class, FaultClass::Again);
            assert!(before.iter().all(|event| matches!(event, Ok(ModelEvent::Text(_)))) && before.len() > 3);
        }
        assert_eq!(answer("rehearse: empty", Level::Off).0, "");
        assert_eq!(answer("rehearse: long 9000", Level::Off).0.len(), 9000);
        assert!(answer("rehearse: markdown", Level::Off).0.contains("```rust"));
        assert!(answer("rehearse: slow", Level::Off).0.starts_with("[rehearsal]"));
        assert!(answer("rehearse: dance", Level::Off).0.starts_with("[rehearsal]"));
    }
}
