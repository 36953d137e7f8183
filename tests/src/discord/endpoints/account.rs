//! Who a bot is, where its line is, and where it is a member.

use serde_json::{Value, json};

use super::{Ask, Done, given_id, id};
use crate::discord::{outcome::Outcome, people::STARTS, refusal::Refusal};

pub(super) fn look(ask: &Ask<'_>) -> Done {
    let world = &ask.world;
    let bot = world.bots.get(&ask.bot).ok_or_else(Refusal::unauthorized)?;
    let address = format!("ws{}", world.url.strip_prefix("http").unwrap_or_default());
    Ok(Outcome::Done(match ask.path.as_slice() {
        ["gateway"] => json!({"url": address}),
        ["gateway", "bot"] => {
            let now = world.now();
            let left = if now >= bot.resets_at && bot.starts_left == 0 { STARTS } else { bot.starts_left };
            json!({
                "url": address, "shards": bot.shards,
                "session_start_limit": {
                    "total": STARTS, "remaining": left, "reset_after": (bot.resets_at - now).max(0),
                    "max_concurrency": world.gateway.max_concurrency,
                },
            })
        }
        ["users", "@me"] => world.user_object(ask.bot),
        ["users", "@me", "guilds"] => {
            let mine = world.guilds.values().filter(|guild| guild.members.contains_key(&ask.bot));
            let guilds = mine.map(|guild| {
                json!({
                    "id": guild.id.to_string(), "name": guild.name, "icon": null, "banner": null, "owner": false,
                    "permissions": world.permissions(), "features": [],
                })
            });
            guilds.collect()
        }
        ["applications" | "oauth2", ..] => bot.application(&world.user_object(ask.bot)),
        _ => return Err(Refusal::not_found()),
    }))
}

pub(super) fn open_direct(ask: &mut Ask<'_>) -> Done {
    let person = given_id(ask.body.get("recipient_id"));
    let person = person.filter(|person| ask.world.users.contains_key(person));
    let person = person.ok_or_else(|| Refusal::new(400, 50033, "Invalid Recipient(s)"))?;
    let channel = ask.world.direct(person, ask.bot);
    Ok(Outcome::Done(ask.world.channel_object(channel)))
}

pub(super) fn guild(ask: &Ask<'_>) -> Done {
    let world = &ask.world;
    let ["guilds", guild, rest @ ..] = ask.path.as_slice() else { return Err(Refusal::not_found()) };
    let known = world.guilds.get(&id(guild)?).filter(|guild| guild.members.contains_key(&ask.bot));
    let guild = known.ok_or_else(|| Refusal::new(404, 10004, "Unknown Guild"))?;
    let member = |user: u64| {
        let mut member = guild.member(user)?;
        member.insert("user".into(), world.user_object(user));
        Some(Value::from(member))
    };
    Ok(Outcome::Done(match rest {
        [] => guild.object(),
        ["roles"] => guild.object().get("roles").cloned().unwrap_or_default(),
        ["channels"] => {
            let inside = world.channels.values();
            let inside = inside.filter(|channel| channel.guild == Some(guild.id) && channel.thread.is_none());
            inside
                .filter(|channel| world.sees(ask.bot, channel.id))
                .map(|channel| channel.object(None))
                .collect()
        }
        ["members", "@me"] => member(ask.bot).unwrap_or_default(),
        ["members", user] => {
            let unknown = || Refusal::new(404, 10007, "Unknown Member");
            member(id(user)?).ok_or_else(unknown)?
        }
        _ => return Err(Refusal::not_found()),
    }))
}
