//! The model fake as a program: five vendors' shapes on loopback, with a console to say what it answers.

use std::net::SocketAddr;

use clap::Parser;
use pensive_tests::model::{
    ModelFake, Options, Script,
    control::{Order, perform},
};
use tokio::io::{AsyncBufReadExt, BufReader, stdin};

/// A model server in the shapes of OpenAI's Chat Completions and Responses, Anthropic's Messages, Gemini and Ollama. Point a client's base
/// URL at the printed address; Anthropic's, Google's and Ollama's clients take it without `/v1`.
///
/// Without orders it echoes the prompt, after a thought where an effort is asked for. The console reads lines: a plain line is the next
/// answer, word by word; a line that begins with `{` is an order, the same as the body of `POST /_control`:
///
///   {"do": "play", "script": {"steps": [{"reasoning": "Hm."}, {"text": "42"}]}}
///       steps: reasoning, signature (text or null), redacted, new_thought, text, tool_call (name, arguments), wait (gate),
///       delay_ms, raw, unknown, error, stall, cut, end_early
///       also finish (stop, length, content_filter, tool_use, refusal), usage (input, cached, output, reasoning),
///       reasoning_as (usual, plain, details, both), unsigned, null_first, first_byte (gate),
///       fail (status, html, plain, retry_after; status 0 resets the connection)
///   {"do": "rules", "rules": {"strictness": "lenient", "replay": "required", "efforts": [{"words": ["xhigh"], "supported": ["high"]}]}}
///   {"do": "refusals"}                                        what was wrong with requests
///   {"do": "transcribe", "words": "Buy milk."}                what the next recording says
///   {"do": "recordings"}
///   {"do": "reply_to", "part": "weather", "script": {…}}      every prompt that contains it
///   {"do": "open_gate", "name": "g"}                          lets a waiting script go on
///   {"do": "requests", "after": 0, "wait": 5}
///   {"do": "counts"}
///   {"do": "clear"}
///
/// An order that is not understood is answered with the list of those that are.
#[derive(Debug, Parser)]
#[command(name = "fake-model", verbatim_doc_comment)]
struct Arguments {
    /// Where to listen; port 0 is picked by the system.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// The only API key that is accepted; any is without this.
    #[arg(long)]
    key: Option<String>,
    /// Requests that are kept to be looked at.
    #[arg(long, default_value_t = 10_000)]
    keep: usize,
    /// No console: serve until the process is ended.
    #[arg(long)]
    quiet: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let options = Options { address: arguments.listen, key: arguments.key, ..Options::default() };
    let model = ModelFake::start_with(options).await?;
    model.keep_requests(arguments.keep);
    println!("{}", model.base_url());
    if arguments.quiet {
        tokio::signal::ctrl_c().await?;
        return Ok(());
    }
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        obey(&model, line.trim()).await;
    }
    Ok(())
}

async fn obey(model: &ModelFake, line: &str) {
    if line.is_empty() {
        return;
    }
    if !line.starts_with('{') {
        model.play(line.split_inclusive(' ').fold(Script::new(), Script::text));
        return;
    }
    let done = match serde_json::from_str::<Order>(line) {
        Ok(order) => perform(model, order).await,
        Err(error) => Err(error.to_string()),
    };
    match done {
        Ok(result) => println!("{result}"),
        Err(error) => println!("! {error}"),
    }
}
