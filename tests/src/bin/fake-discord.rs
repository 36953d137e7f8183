//! A Discord on loopback to play with by hand: prints its address, its id and the bot's token, then reads orders from its console.

use std::{net::SocketAddr, path::PathBuf};

use clap::Parser;
use pensive_tests::discord::{
    DiscordFake, Options,
    control::{Order, perform},
};
use tokio::io::{AsyncBufReadExt, BufReader};

/// Plays Discord. Lines of its console:
///   Alice: text              Alice writes to the bot alone
///   Alice #general: text     Alice writes in that channel of the guild Home
///   Alice !think level=high  Alice calls a command by its form
///   {"do": "sees", "from": "Alice"}   any order of POST /_control
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment)]
struct Arguments {
    /// Where it listens
    #[arg(long, default_value = "127.0.0.1:0")]
    address: SocketAddr,
    /// Every call and frame goes into a file of this folder
    #[arg(long)]
    record_dir: Option<PathBuf>,
    /// Says nothing but its first line
    #[arg(long)]
    quiet: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let options =
        Options { address: arguments.address, record_dir: arguments.record_dir, ..Options::default() };
    let fake = DiscordFake::start_with(options).await?;
    println!("{} {} {}", fake.url(), fake.bot().id(), fake.token());
    if !arguments.quiet {
        println!("set channels.discord.apiRoot and token to these; --help tells what can be typed here");
    }
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let obeying = async {
        while let Ok(Some(line)) = lines.next_line().await {
            if let Err(error) = obey(&fake, line.trim()).await {
                eprintln!("{error}");
            }
        }
        // Without a console it goes on until it is ended.
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = obeying => {}
        () = show(&fake), if !arguments.quiet => {}
    }
    Ok(())
}

async fn obey(fake: &DiscordFake, line: &str) -> Result<(), String> {
    if line.is_empty() {
        return Ok(());
    }
    if line.starts_with('{') {
        let order: Order = serde_json::from_str(line).map_err(|error| error.to_string())?;
        println!("{}", perform(fake, order).await?);
        return Ok(());
    }
    if let Some((who, call)) = line.split_once(" !").filter(|(who, _)| !who.contains(": ")) {
        let mut words = call.split_whitespace();
        let name = words.next().ok_or("which command?")?;
        let options: Vec<_> = words.filter_map(|word| word.split_once('=')).collect();
        let person = fake.person(who);
        if !person.is_offered(name) {
            return Err(format!("the bot has no command /{name}"));
        }
        person.command(name, &options);
        return Ok(());
    }
    let (who, text) = line.split_once(": ").ok_or("write like `Alice: hello`; --help tells more")?;
    let Some((who, channel)) = who.split_once(" #") else {
        fake.person(who).say(text);
        return Ok(());
    };
    let person = fake.person(who);
    let guild = fake.guild_named("Home").unwrap_or_else(|| fake.guild("Home", &[&person]));
    guild.join(person.id());
    let room = guild.channel(channel);
    person.in_room(&room).say(&text.replace("@bot", &fake.bot().mention()));
    println!("guild {} channel {}", guild.id(), room.id());
    Ok(())
}

/// Prints what the bot sends.
async fn show(fake: &DiscordFake) {
    let mut shown = 0;
    loop {
        let calls = fake
            .wait_until_ever(|fake| {
                let calls = fake.calls_where(|call| !call.content().is_empty());
                (calls.len() > shown).then_some(calls)
            })
            .await;
        for call in calls.iter().skip(shown) {
            println!("bot → {} {} ({}): {}", call.method, call.route, call.status, call.content());
        }
        shown = calls.len();
    }
}
