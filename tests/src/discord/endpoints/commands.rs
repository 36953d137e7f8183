//! Application commands: looked at, registered one by one or all at once.

use serde_json::{Map, Value, json};

use super::{Ask, Done, id};
use crate::discord::{
    checks::{Form, command as command_form, commands},
    outcome::Outcome,
    refusal::Refusal,
};

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
            let form = commands(&list);
            settle(ask, &form)?;
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
            let form = command_form(&command);
            settle(ask, &form)?;
            let name = command.get("name").cloned();
            if let Some(bot) = ask.world.bots.get_mut(&application) {
                bot.commands
                    .retain(|_, (owner, known)| *owner != guild || known.get("name") != name.as_ref());
            }
            Ok(Outcome::Done(register(ask, application, guild, &command)))
        }
        (_, [command]) => one(ask, application, id(command)?),
        _ => Err(Refusal::new(405, 0, "405: Method Not Allowed")),
    }
}

/// One that is registered: looked at, changed, taken away.
fn one(ask: &mut Ask<'_>, application: u64, command: u64) -> Done {
    let bot = ask.world.bots.get(&application);
    let known = bot.and_then(|bot| bot.commands.get(&command)).cloned();
    let (guild, known) = known.ok_or_else(|| Refusal::new(404, 10063, "Unknown application command"))?;
    let after = match ask.method {
        "GET" => return Ok(Outcome::Done(known)),
        "DELETE" => None,
        "PATCH" => Some(patched(ask, known)?),
        _ => return Err(Refusal::new(405, 0, "405: Method Not Allowed")),
    };
    if let Some(bot) = ask.world.bots.get_mut(&application) {
        match after.clone() {
            Some(after) => bot.commands.insert(command, (guild, after)),
            None => bot.commands.remove(&command),
        };
    }
    Ok(after.map_or(Outcome::Nothing, Outcome::Done))
}

/// The command with what the body names in the place of what was there.
fn patched(ask: &mut Ask<'_>, mut known: Value) -> Result<Value, Refusal> {
    let given = ask.body.as_object().cloned().unwrap_or_default();
    let mut whole = Map::new();
    for name in ["name", "description"] {
        whole.extend(known.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    whole.extend(given.clone());
    let form = command_form(&whole.into());
    settle(ask, &form)?;
    let version = ask.world.take_id();
    if let Some(fields) = known.as_object_mut() {
        fields.extend(given);
        fields.insert("version".into(), version.to_string().into());
    }
    Ok(known)
}

fn settle(ask: &mut Ask<'_>, form: &Form) -> Result<(), Refusal> {
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
