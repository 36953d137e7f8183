//! Every shape's decoder against a model server that others wrote: `foreign-models ADDRESS`, where aimock serves the fixtures of
//! `foreign/aimock`. Prints a line a check and ends with 1 when one failed.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use futures::{StreamExt as _, future::join_all};
use pensive_contract::fault::{Fault, FaultClass};
use pensive_contract::model::{
    Manner, Model as _, ModelEvent, ModelRef, ModelRequest, Pace, Params, PromptTurn, StopReason, TokenUsage,
    ToolChoice, ToolSpec,
};
use pensive_contract::secret::Secret;
use pensive_contract::speech::{Speech, ToolCall, ToolOutcome, ToolResult};
use pensive_daemon::SystemClock;
use pensive_directives::Level;
use pensive_models::{Api, Models, ModelsSettings, ProviderSettings, TimeLimits};

/// A provider as aimock plays it.
#[derive(Clone, Copy)]
struct Side {
    provider: &'static str,
    api: Api,
    base: &'static str,
    model: &'static str,
}

const fn side(provider: &'static str, api: Api, base: &'static str, model: &'static str) -> Side {
    Side { provider, api, base, model }
}

const SIDES: [Side; 6] = [
    side("openai", Api::OpenaiResponses, "/v1", "gpt-5.6-sol"),
    side("deepseek", Api::OpenaiCompletions, "/v1", "deepseek-v4-pro"),
    side("openrouter", Api::OpenaiCompletions, "/api/v1", "anthropic/claude-opus-4.6"),
    side("anthropic", Api::AnthropicMessages, "", "claude-opus-4-8"),
    side("google", Api::GoogleGenerativeAi, "/v1beta", "gemini-3-pro-preview"),
    side("ollama", Api::Ollama, "", "gpt-oss:20b"),
];

/// What each status comes to. The words of the person are in one place only, and are to be read there.
const REFUSALS: [(u16, FaultClass, &str); 10] = [
    (400, FaultClass::OursToMend, "did not accept our request"),
    (401, FaultClass::OursToMend, "refused our key"),
    (402, FaultClass::OursToMend, "credit with the model provider is used up"),
    (403, FaultClass::OursToMend, "refused our key"),
    (404, FaultClass::TellPerson, "does not know this model"),
    (413, FaultClass::TellPerson, "too long for the model"),
    (429, FaultClass::AgainAfter(Duration::from_secs(7)), "limiting our requests"),
    (500, FaultClass::Again, "has trouble right now"),
    (503, FaultClass::Again, "has trouble right now"),
    (529, FaultClass::Again, "has trouble right now"),
];

/// What an answer says that is not heard to its end.
const SENTENCE: &str = "Half of a sentence that goes on and on until nobody listens any more, and then some.";

/// What the network does to answers, what is to be told of it, and whether some text came before.
const TROUBLES: [(&str, &[&str], bool); 6] = [
    ("Break off", &["cut off on its way"], true),
    ("Hang up", &["cut off on its way"], true),
    ("Fall silent", &["stopped in the middle"], true),
    ("Never begin", &["did not answer in time"], false),
    ("Mumble", &["arrived damaged", "cut off on its way"], false),
    ("Vanish", &["out of reach"], false),
];

/// What came of a call.
struct Heard {
    speech: Speech,
    usage: Option<TokenUsage>,
    stop: Option<StopReason>,
    fault: Option<Fault>,
}

/// One side, reachable.
struct Line {
    side: Side,
    models: Arc<Models>,
}

impl Line {
    fn request(&self, turns: Vec<PromptTurn>, tools: Vec<ToolSpec>) -> ModelRequest {
        ModelRequest {
            model: ModelRef { provider: self.side.provider.to_owned(), id: self.side.model.to_owned() },
            system: "Be brief.".to_owned(),
            turns,
            tools,
            choice: ToolChoice::Auto,
            manner: Manner { thinking: Level::High, pace: Pace::Normal, params: Params::default() },
            session: "foreign".to_owned(),
        }
    }

    async fn ask(&self, words: &str) -> Heard {
        self.hear(self.request(vec![PromptTurn::User(words.to_owned())], vec![look()])).await
    }

    async fn hear(&self, request: ModelRequest) -> Heard {
        let speech = Speech::new(Some(request.model.clone()));
        let mut heard = Heard { speech, usage: None, stop: None, fault: None };
        let mut events = match self.models.stream(request).await {
            Ok(events) => events,
            Err(fault) => return Heard { fault: Some(fault), ..heard },
        };
        while let Some(event) = events.next().await {
            match event {
                Ok(event) => {
                    heard.speech.hear(&event);
                    if let ModelEvent::Usage(usage) = event {
                        heard.usage = Some(usage);
                    } else if let ModelEvent::End(stop) = event {
                        heard.stop = Some(stop);
                    }
                }
                Err(fault) => heard.fault = Some(fault),
            }
        }
        heard
    }

    async fn text_and_thoughts(&self) -> anyhow::Result<()> {
        let heard = self.ask("Greet me").await;
        heard.ended(&StopReason::Done)?;
        heard.said("Good evening, wörld 😀.", "First I look at the clock.")?;
        let usage = heard.usage.context("no usage came")?;
        // aimock's Ollama counts nothing.
        let expected = if self.side.api == Api::Ollama { (0, 0) } else { (11, 7) };
        ensure!((usage.input, usage.output) == expected, "{usage:?}");
        Ok(())
    }

    async fn tags(&self) -> anyhow::Result<()> {
        let heard = self.ask("Think in tags").await;
        heard.ended(&StopReason::Done)?;
        heard.said("Yes.", "Hm.")
    }

    async fn a_loop_of_parallel_calls(&self) -> anyhow::Result<()> {
        let question = PromptTurn::User("What colour are they?".to_owned());
        let heard = self.hear(self.request(vec![question.clone()], vec![look()])).await;
        heard.ended(&StopReason::Tools)?;
        heard.said("I look.", "Both at once.")?;
        heard.called(&[r#"{"where":"sky"}"#, r#"{"where":"sea","how":"“closely”"}"#])?;
        if self.side.api == Api::AnthropicMessages {
            let seals = heard.speech.pieces.iter().filter(|piece| piece.seal.is_some()).count();
            ensure!(seals == 2, "a thought and a redacted one are sealed, not {:?}", heard.speech.pieces);
        }
        let colours = ["blue", "green"];
        let result = |(call, colour): (&ToolCall, &str)| ToolResult {
            id: call.id.clone(),
            name: call.name.clone(),
            text: colour.to_owned(),
            outcome: ToolOutcome::Done,
        };
        let results = heard.speech.calls().zip(colours).map(result).collect();
        let turns = vec![question, PromptTurn::Assistant(heard.speech), PromptTurn::Tools(results)];
        let heard = self.hear(self.request(turns, vec![look()])).await;
        heard.ended(&StopReason::Done)?;
        heard.said("Blue and green.", "Now I know.")
    }

    async fn calls_around_text(&self) -> anyhow::Result<()> {
        let heard = self.ask("Look first").await;
        heard.ended(&StopReason::Tools)?;
        heard.said("It is blue.", "")?;
        heard.called(&[r#"{"where":"sky"}"#, "{}"])
    }

    async fn other_ends(&self) -> anyhow::Result<()> {
        let heard = self.ask("Go on for ever").await;
        heard.said("On and on", "")?;
        // aimock's Ollama says `stop` whatever a fixture says.
        if self.side.api == Api::Ollama {
            return heard.ended(&StopReason::Done);
        }
        heard.ended(&StopReason::Length)?;
        // A response fails instead, and Anthropic has another word for it.
        if self.side.api == Api::OpenaiResponses {
            let fault = self.ask("Be rude").await.fault.context("no fault")?;
            ensure!(fault.log.contains("failed without a reason"), "{fault:?}");
            return Ok(());
        }
        let words = if self.side.api == Api::AnthropicMessages { "Decline" } else { "Be rude" };
        self.ask(words).await.ended(&StopReason::Filtered)
    }

    async fn refusals(&self) -> anyhow::Result<()> {
        for (status, class, words) in REFUSALS {
            let heard = self.ask(&format!("Fail with {status}")).await;
            let fault = heard.fault.with_context(|| format!("{status} was no fault"))?;
            ensure!(fault.class == class && fault.person.contains(words), "{status}: {fault:?}");
        }
        Ok(())
    }

    async fn trouble(&self) -> anyhow::Result<()> {
        let check = |(words, told, is_partial): (&'static str, &'static [&'static str], bool)| async move {
            let heard = self.ask(words).await;
            let fault = heard.fault.with_context(|| format!("{words}: no fault"))?;
            let is_told = told.iter().any(|part| fault.person.contains(part));
            ensure!(fault.class == FaultClass::Again && is_told, "{words}: {fault:?}");
            let text = heard.speech.text();
            let is_begun = text.len() > 4 && text != SENTENCE && SENTENCE.starts_with(&text);
            ensure!(if is_partial { is_begun } else { text.is_empty() }, "{words}: the text is {text:?}");
            anyhow::Ok(())
        };
        join_all(TROUBLES.map(check)).await.into_iter().collect()
    }
}

impl Heard {
    fn ended(&self, expected: &StopReason) -> anyhow::Result<()> {
        ensure!(self.fault.is_none(), "{:?}", self.fault);
        ensure!(self.stop.as_ref() == Some(expected), "ended with {:?}, not {expected:?}", self.stop);
        Ok(())
    }

    fn said(&self, text: &str, reasoning: &str) -> anyhow::Result<()> {
        let said = (self.speech.text(), self.speech.reasoning());
        ensure!(said == (text.to_owned(), reasoning.to_owned()), "said {said:?}");
        Ok(())
    }

    /// Calls of the one tool with these arguments, in this order, each under an id of its own.
    fn called(&self, arguments: &[&str]) -> anyhow::Result<()> {
        let calls: Vec<_> = self.speech.calls().collect();
        ensure!(calls.len() == arguments.len(), "{calls:?}");
        for (call, expected) in calls.iter().zip(arguments) {
            let (given, expected): (serde_json::Value, serde_json::Value) =
                (serde_json::from_str(&call.arguments)?, serde_json::from_str(expected)?);
            ensure!(call.name == "look" && given == expected, "{call:?}");
            let twins = calls.iter().filter(|other| other.id == call.id).count();
            ensure!(!call.id.is_empty() && twins == 1, "{calls:?}");
        }
        Ok(())
    }
}

fn look() -> ToolSpec {
    ToolSpec {
        name: "look".to_owned(),
        description: "Looks at something.".to_owned(),
        schema: r#"{"type":"object","properties":{"where":{"type":"string"}}}"#.to_owned(),
    }
}

/// All checks of one side, and the lines that tell of them.
async fn checked(line: Line) -> Vec<(String, anyhow::Result<()>)> {
    let name = |check: &str| format!("aimock: {} of {}: {check}", line.side.api.name(), line.side.provider);
    vec![
        (name("text, thoughts and usage"), line.text_and_thoughts().await),
        (name("thoughts in tags"), line.tags().await),
        (name("a loop of parallel calls"), line.a_loop_of_parallel_calls().await),
        (name("calls around text"), line.calls_around_text().await),
        (name("the other ends"), line.other_ends().await),
        (name("refusals"), line.refusals().await),
        (name("trouble on the way"), line.trouble().await),
    ]
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let address = std::env::args().nth(1).context("usage: foreign-models ADDRESS")?;
    let provider = |side: Side| ProviderSettings {
        name: side.provider.to_owned(),
        api: side.api,
        base_url: format!("{address}{}", side.base),
        api_key: Some(Secret::new("any-key")),
        headers: Vec::new(),
        models: Vec::new(),
    };
    let patience = Duration::from_secs(2);
    let limits = TimeLimits { connect: patience, first_byte: patience, idle: patience, thinking: patience };
    let settings =
        ModelsSettings { providers: SIDES.map(provider).into(), limits, ..ModelsSettings::default() };
    let models = Arc::new(Models::new(settings, Arc::new(SystemClock))?);
    let lines = SIDES.map(|side| checked(Line { side, models: Arc::clone(&models) }));
    let mut end = ExitCode::SUCCESS;
    for (name, result) in join_all(lines).await.into_iter().flatten() {
        match result {
            Ok(()) => println!("ok {name}"),
            Err(error) => {
                println!("FAILED {name}: {error:#}");
                end = ExitCode::FAILURE;
            }
        }
    }
    Ok(end)
}
