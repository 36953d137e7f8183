//! Application commands: looked at, registered one by one or all at once.

use serde_json::{Map, Value, json};

use super::{Ask, Done, id};
use crate::discord::{checks::commands, outcome::Outcome, refusal::Refusal};

pub(super) fn change(ask: &mut Ask<'_>, application: u64) -> Done {
    if application != ask.bot {
        return Err(Refusal::new(
            403,
            20012,
            "You are not authorized to perform this action on this application",
        ));
    }
    let (guild, rest) = match ask.path.get(2..).unwrap_or_default() {
        ["commands", rest @ ..] => (None, rest.to_vec()),
        ["guilds", guild, "commands", rest @ ..] => (Some(id(guild)?), rest.to_vec()),
        _ => return Err(Refusal::not_found()),
    };
    if let Some(guild) = guild {
        let bot = ask.world.bots.get(&ask.bot);
        let shut = bot.is_some_and(|bot| bot.no_commands.contains(&guild));
        let inside =
            ask.world.guilds.get(&guild).is_some_and(|guild| guild.members.contains_key(&application));
        if shut || !inside {
            return Err(Refusal::missing_access());
        }
    }
    match (ask.method, rest.as_slice()) {
        ("GET", []) => Ok(Outcome::Done(listed(ask, guild))),
        ("PUT", []) => {
            let list = ask.body.as_array().cloned().unwrap_or_default();
            check(ask, &list)?;
            let known = |(owner, _): &(Option<u64>, Value)| *owner != guild;
            if let Some(bot) = ask.world.bots.get_mut(&application) {
                bot.commands.retain(|_, command| known(command));
            }
            for command in &list {
                register(ask, application, guild, command);
            }
            Ok(Outcome::Done(listed(ask, guild)))
        }
        ("POST", []) => {
            let command = ask.body.clone();
            check(ask, std::slice::from_ref(&command))?;
            let name = command.get("name").cloned();
            if let Some(bot) = ask.world.bots.get_mut(&application) {
                bot.commands
                    .retain(|_, (owner, known)| *owner != guild || known.get("name") != name.as_ref());
            }
            Ok(Outcome::Done(register(ask, application, guild, &command)))
        }
        (method, [command]) => {
            let command = id(command)?;
            let bot = ask.world.bots.get_mut(&application);
            let known = bot.and_then(|bot| {
                let found = bot.commands.get(&command).map(|(_, known)| known.clone());
                if method == "DELETE" {
                    bot.commands.remove(&command);
                }
                found
            });
            let known = known.ok_or_else(|| Refusal::new(404, 10063, "Unknown application command"))?;
            Ok(if method == "DELETE" { Outcome::Nothing } else { Outcome::Done(known) })
        }
        _ => Err(Refusal::new(405, 0, "405: Method Not Allowed")),
    }
}

fn check(ask: &mut Ask<'_>, list: &[Value]) -> Result<(), Refusal> {
    let form = commands(list);
    ask.remarks.extend(form.remarks.clone());
    form.verdict()
}

fn listed(ask: &Ask<'_>, guild: Option<u64>) -> Value {
    let bot = ask.world.bots.get(&ask.bot);
    let commands = bot.into_iter().flat_map(|bot| bot.commands.values());
    commands.filter(|(owner, _)| *owner == guild).map(|(_, command)| command.clone()).collect()
}

fn register(ask: &mut Ask<'_>, application: u64, guild: Option<u64>, command: &Value) -> Value {
    let (id, version) = (ask.world.take_id(), ask.world.take_id());
    let mut whole = json!({
        "id": id.to_string(), "application_id": application.to_string(), "version": version.to_string(), "type": 1,
        "default_member_permissions": null, "nsfw": false, "description": "", "name": "",
        "integration_types": [0], "contexts": null,
    });
    let given: Map<String, Value> = command.as_object().cloned().unwrap_or_default();
    // What is given as null is as it would be by itself.
    let given = given.into_iter().filter(|(_, value)| !value.is_null());
    if let Some(fields) = whole.as_object_mut() {
        fields.extend(given);
        fields.insert("id".into(), id.to_string().into());
        if let Some(guild) = guild {
            fields.insert("guild_id".into(), guild.to_string().into());
        }
    }
    if let Some(bot) = ask.world.bots.get_mut(&application) {
        bot.commands.insert(id, (guild, whole.clone()));
    }
    whole
}
