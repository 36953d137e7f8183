//! Who the bot is, and the commands that it registers.

use serde_json::{Value, json};

use crate::{Bench, id};

#[tokio::test]
async fn a_bot_learns_who_and_where_it_is() {
    let bench = Bench::unlimited().await;
    let alice = bench.discord.person("Alice");
    let guild = bench.discord.guild("Home", &[&alice]);
    let general = guild.channel("general");
    let bot = bench.discord.bot();
    assert_eq!(id(&bench.done("GET /users/@me", Value::Null).await["id"]), bot.id());
    let application = bench.done("GET /applications/@me", Value::Null).await;
    assert_eq!((id(&application["id"]), &application["flags"]), (bot.id(), &json!(1 << 19)));
    assert_eq!(id(&bench.done("GET /users/@me/guilds", Value::Null).await[0]["id"]), guild.id());
    let path = format!("GET /guilds/{}", guild.id());
    assert_eq!(bench.done(&path, Value::Null).await["name"], "Home");
    assert_eq!(id(&bench.done(&format!("{path}/channels"), Value::Null).await[0]["id"]), general.id());
    assert_eq!(bench.done(&format!("{path}/roles"), Value::Null).await.as_array().unwrap().len(), 2);
    let me = bench.done(&format!("{path}/members/@me"), Value::Null).await;
    assert_eq!(id(&me["roles"][0]), guild.role_of(bot.id()).unwrap());
    let channel = bench.done(&format!("GET /channels/{}", alice.channel()), Value::Null).await;
    assert_eq!((&channel["type"], id(&channel["recipients"][0]["id"])), (&json!(1), alice.id()));
}

#[tokio::test]
async fn commands_are_registered_changed_and_taken_away() {
    let bench = Bench::unlimited().await;
    let alice = bench.discord.person("Alice");
    let guild = bench.discord.guild("Home", &[&alice]);
    let there = alice.in_room(&guild.channel("general"));
    let own = format!("/applications/{}", bench.discord.bot().id());
    let command = |name: &str| json!({"name": name, "description": "Does it", "type": 1});
    let list = bench.done(&format!("PUT {own}/commands"), json!([command("think"), command("fast")])).await;
    assert_eq!(list.as_array().unwrap().len(), 2);
    let think = format!("{own}/commands/{}", id(&list[0]["id"]));
    let changed = bench.done(&format!("PATCH {think}"), json!({"description": "Thinks"})).await;
    assert_eq!((&changed["name"], &changed["description"]), (&json!("think"), &json!("Thinks")));
    assert_ne!(changed["version"], list[0]["version"]);
    assert_eq!(bench.done(&format!("GET {think}"), Value::Null).await, changed);
    assert_eq!(bench.refused(&format!("PATCH {think}"), json!({"name": "No"})).await, (400, 50035));
    bench.done(&format!("DELETE {think}"), Value::Null).await;
    assert_eq!(bench.refused(&format!("GET {think}"), Value::Null).await, (404, 10063));
    assert!(alice.is_offered("fast") && !alice.is_offered("think"));

    let here = format!("{own}/guilds/{}/commands", guild.id());
    bench.done(&format!("POST {here}"), command("verbose")).await;
    bench.done(&format!("POST {here}"), command("verbose")).await;
    let list = bench.done(&format!("GET {here}"), Value::Null).await;
    assert_eq!((list.as_array().unwrap().len(), id(&list[0]["guild_id"])), (1, guild.id()));
    assert!(there.is_offered("verbose") && there.is_offered("fast") && !alice.is_offered("verbose"));
    bench.discord.bot().deny_commands(guild.id());
    assert_eq!(bench.refused(&format!("PUT {here}"), json!([])).await, (403, 50001));
    assert_eq!(bench.refused("GET /applications/5/commands", Value::Null).await, (403, 20012));
    let twice = json!([command("a"), command("a")]);
    let twice = bench.call(&format!("PUT {own}/commands"), twice).await;
    assert_eq!(
        twice.body["errors"]["1"]["name"]["_errors"][0]["code"],
        "APPLICATION_COMMANDS_DUPLICATE_NAME"
    );
}
