//! The Telegram fake as a program: a Bot API server on loopback, with a console to write to bots as a person would.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::Parser;
use pensive_tests::telegram::{
    Call, Options, TelegramFake,
    control::{Order, perform},
};
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin, stdin};

/// A Telegram Bot API server to try bots against. Point a bot's API root at the printed address.
///
/// The console reads lines. `Alice: hello` writes as Alice, who is created when she is new; what bots send is printed. A line that begins
/// with `{` is an order, the same as the body of `POST /_control`:
///
///   {"do": "bots"}                                            tokens and names
///   {"do": "user", "name": "Alice"}                           a person and her id
///   {"do": "say", "from": 500001, "text": "/think high"}      also chat, topic, media, reply_to, fields
///   {"do": "room", "kind": "forum", "title": "F", "members": [500001]}
///   {"do": "press", "from": 500001, "label": "Stop"}          presses a button
///   {"do": "fault", "method": "sendMessage", "answer": {"retry_after": 3}}
///       answers: {"retry_after": seconds}, {"refuse": {"code": 500, "description": "…"}}, {"html": 502}, {"held": "a gate"},
///       {"delayed": milliseconds}, "conflict", "broken_json", "reset", "truncated", "silence";
///       also chat, skip, times (0: always), after_commit
///   {"do": "turn_off", "methods": ["sendRichMessageDraft"]}    as a server that is too old for them; an empty list has all again
///   {"do": "limit"}                                           a burst, then a message a second, as Telegram allows it
///   {"do": "silence", "chat": 500001, "seconds": 30}          as after a flood
///   {"do": "stop_draft", "from": 500001}                      presses Stop below a draft; "draft" shows what it says
///   {"do": "calls", "method": "sendMessage", "after": 0, "wait": 5}
///   {"do": "messages", "chat": 500001}
///   {"do": "violations"}                                      what should not have been sent
///
/// An order that is not understood is answered with the list of those that are.
#[allow(rustdoc::broken_intra_doc_links, reason = "this is the help, printed as it stands")]
#[derive(Debug, Parser)]
#[command(name = "fake-telegram", verbatim_doc_comment)]
struct Arguments {
    /// Where to listen; port 0 is picked by the system.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Token of the first bot.
    #[arg(long)]
    token: Option<String>,
    /// User name of the first bot.
    #[arg(long)]
    username: Option<String>,
    /// Folder for recordings of every call, one JSON object a line; by itself what PENSIVE_RECORD_DIR names.
    #[arg(long)]
    record_dir: Option<PathBuf>,
    /// No console: serve until the process is ended.
    #[arg(long)]
    quiet: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let usual = Options::default();
    let options = Options {
        address: arguments.listen,
        record_dir: arguments.record_dir.or(usual.record_dir),
        token: arguments.token.unwrap_or(usual.token),
        username: arguments.username.unwrap_or(usual.username),
    };
    let telegram = TelegramFake::start_with(options).await?;
    println!("{} token {}", telegram.url(), telegram.token());
    if arguments.quiet {
        tokio::signal::ctrl_c().await?;
        return Ok(());
    }
    console(&telegram, BufReader::new(stdin()).lines()).await
}

async fn console(telegram: &TelegramFake, mut lines: Lines<BufReader<Stdin>>) -> anyhow::Result<()> {
    let mut shown = 0;
    loop {
        tokio::select! {
            line = lines.next_line() => match line? {
                Some(line) if line.trim().is_empty() => {}
                Some(line) => obey(telegram, line.trim()).await,
                None => return Ok(()),
            },
            calls = later(telegram, shown) => {
                for call in calls {
                    shown = call.number;
                    show(&call);
                }
            }
        }
    }
}

/// Calls after number `shown`, as soon as there are some.
async fn later(telegram: &TelegramFake, shown: usize) -> Vec<Call> {
    let day = Duration::from_secs(86_400);
    let fresh = |fake: &TelegramFake| {
        Some(fake.calls_where(|call| call.number > shown)).filter(|calls| !calls.is_empty())
    };
    telegram.wait_within(day, fresh).await.unwrap_or_default()
}

fn show(call: &Call) {
    let (method, status) = (&call.method, call.status);
    match method.as_str() {
        "getUpdates" | "sendChatAction" => {}
        "sendMessage" | "editMessageText" if call.ok() && !call.text("text").is_empty() => {
            println!("{}< {}", call.text("chat_id"), call.text("text"))
        }
        _ => println!("  {method} {status} {}", call.params),
    }
}

async fn obey(telegram: &TelegramFake, line: &str) {
    if line.starts_with('{') {
        let done = match serde_json::from_str::<Order>(line) {
            Ok(order) => perform(telegram, order).await,
            Err(error) => Err(error.to_string()),
        };
        match done {
            Ok(result) => println!("{result}"),
            Err(error) => println!("! {error}"),
        }
    } else if let Some((name, text)) = line.split_once(':') {
        let person = telegram.person(name.trim());
        person.say(text.trim());
    } else {
        println!("! write `Name: text`, or an order in JSON; --help tells more");
    }
}
