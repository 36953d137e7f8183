//! How a session begins and goes on: IDENTIFY and RESUME, and what they are refused for.

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use super::session::{Frame, Session, Shard};
use crate::discord::{
    people::PRIVILEGED,
    time::iso,
    world::{World, intent},
};

/// Every intent that Discord knows.
const INTENTS: u64 = ((1 << 17) - 1) | 1 << 20 | 1 << 21 | 1 << 24 | 1 << 25;
/// Identifies of one shard must be so far apart, in milliseconds.
const IDENTIFY_PAUSE_MS: i64 = 5_000;

/// Why nothing comes of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Turned {
    /// The connection is closed.
    Closed(u16, &'static str),
    /// Op 9 with false.
    Invalid,
}

/// The near end of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Wire {
    pub(crate) connection: u64,
    pub(crate) frames: UnboundedSender<Frame>,
    /// The address that it came in by: `ws://127.0.0.1:1234`.
    pub(crate) address: String,
}

impl World {
    /// A new session on this wire; gives its id.
    pub(crate) fn identify(&mut self, wire: &Wire, given: &Value) -> Result<String, Turned> {
        let token = given.get("token").and_then(Value::as_str).unwrap_or_default();
        let token = token.strip_prefix("Bot ").unwrap_or(token);
        let bot = self.bot_of(token).ok_or(Turned::Closed(4004, "Authentication failed."))?;
        let intents = given.get("intents").and_then(Value::as_u64);
        let intents = intents.filter(|intents| intents & !INTENTS == 0);
        let intents = intents.ok_or(Turned::Closed(4013, "Invalid intent(s)."))?;
        let shard = shard(given.get("shard")).ok_or(Turned::Closed(4010, "Invalid shard."))?;
        let known = self.bots.get(&bot).map_or(0, |bot| bot.privileged);
        if intents & PRIVILEGED & !known != 0 {
            return Err(Turned::Closed(4014, "Disallowed intent(s)."));
        }
        self.count_identify(bot, shard)?;
        let id = format!("{:032x}", u128::from(self.take_id()) << 40);
        let mut session = Session::new(id.clone(), bot, shard, intents);
        session.wire = Some((wire.connection, wire.frames.clone()));
        session.push("READY", &self.ready(&id, bot, shard, &wire.address));
        self.sessions.insert(id.clone(), session);
        let guilds: Vec<u64> = self.guilds_of(bot, shard).collect();
        for guild in guilds {
            self.greet(bot, guild);
        }
        Ok(id)
    }

    fn count_identify(&mut self, bot: u64, shard: Shard) -> Result<(), Turned> {
        let (now, manners) = (self.now(), self.gateway.clone());
        let Some(bot) = self.bots.get_mut(&bot) else { return Ok(()) };
        let bucket = shard.id % manners.max_concurrency.max(1);
        let last = bot.identified.insert(bucket, now);
        if manners.strict_identify && last.is_some_and(|last| now - last < IDENTIFY_PAUSE_MS) {
            return Err(Turned::Invalid);
        }
        if bot.starts_left == 0 && now < bot.resets_at {
            return Err(Turned::Closed(4004, "Authentication failed."));
        }
        bot.starts_left = bot.starts_left.saturating_sub(1);
        Ok(())
    }

    fn guilds_of(&self, bot: u64, shard: Shard) -> impl Iterator<Item = u64> {
        let guilds = self.guilds.values().filter(move |guild| guild.members.contains_key(&bot));
        guilds.map(|guild| guild.id).filter(move |id| shard.takes(Some(*id)))
    }

    fn ready(&self, session: &str, bot: u64, shard: Shard, address: &str) -> Value {
        let mut user = self.user_object(bot);
        if let Some(fields) = user.as_object_mut() {
            let own = json!({"verified": true, "mfa_enabled": true, "flags": 0, "email": null});
            fields.extend(own.as_object().cloned().unwrap_or_default());
        }
        let away = |id: u64| json!({"id": id.to_string(), "unavailable": true});
        let flags = self.bots.get(&bot).map_or(0, super::super::people::Bot::flags);
        json!({
            "v": 10, "user": user, "user_settings": {}, "session_type": "normal", "session_id": session,
            "resume_gateway_url": format!("{address}/resume"), "relationships": [], "private_channels": [],
            "presences": [], "guild_join_requests": [], "geo_ordered_rtc_regions": [],
            "guilds": self.guilds_of(bot, shard).map(away).collect::<Value>(),
            "shard": [shard.id, shard.count],
            "application": {"id": bot.to_string(), "flags": flags, "flags_new": flags.to_string()},
        })
    }

    /// Goes on with a session that was left, from the event after the one that is named.
    pub(crate) fn resume(&mut self, wire: &Wire, given: &Value) -> Result<String, Turned> {
        let text = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default();
        let token = text("token").strip_prefix("Bot ").unwrap_or(text("token"));
        let bot = self.bot_of(token).ok_or(Turned::Closed(4004, "Authentication failed."))?;
        if self.gateway.refused_resumes > 0 {
            self.gateway.refused_resumes -= 1;
            self.sessions.remove(text("session_id"));
            return Err(Turned::Invalid);
        }
        let session = self.sessions.get_mut(text("session_id")).filter(|session| session.bot == bot);
        let session = session.ok_or(Turned::Invalid)?;
        let seq = given.get("seq").and_then(Value::as_u64).unwrap_or_default();
        if seq > session.seq {
            return Err(Turned::Closed(4007, "Invalid seq."));
        }
        session.send(Frame::Drop);
        session.wire = Some((wire.connection, wire.frames.clone()));
        session.release(seq);
        session.push("RESUMED", &json!({"_trace": ["fake-gateway"]}));
        Ok(session.id.clone())
    }

    /// Shows a guild to a bot that is in it.
    pub(crate) fn greet(&mut self, bot: u64, guild: u64) {
        if self.guilds.get(&guild).is_some_and(|guild| guild.away) {
            return;
        }
        self.tell(bot, Some(guild), intent::GUILDS, "GUILD_CREATE", |world, _| world.guild_event(bot, guild));
    }

    fn guild_event(&self, bot: u64, id: u64) -> Value {
        let Some(guild) = self.guilds.get(&id) else { return Value::Null };
        let inside = self.channels.values().filter(|channel| channel.guild == Some(id));
        let seen = inside.filter(|channel| self.sees(bot, channel.id));
        let (threads, channels): (Vec<_>, Vec<_>) = seen.partition(|channel| channel.thread.is_some());
        let threads = threads
            .into_iter()
            .filter(|channel| channel.thread.as_ref().is_some_and(|thread| !thread.archived));
        let me = guild.member(bot).map(|mut member| {
            member.insert("user".into(), self.user_object(bot));
            Value::from(member)
        });
        let joined = guild.members.get(&bot).map_or(0, |member| member.joined);
        let mut object = guild.object();
        if let Some(fields) = object.as_object_mut() {
            let more = json!({
                "joined_at": iso(joined), "large": guild.members.len() > 50, "unavailable": false,
                "member_count": guild.members.len(), "members": me.into_iter().collect::<Value>(),
                "channels": channels.iter().map(|channel| channel.object(None)).collect::<Value>(),
                "threads": threads.map(|thread| thread.object(None)).collect::<Value>(),
                "presences": [], "voice_states": [], "stage_instances": [], "guild_scheduled_events": [],
                "soundboard_sounds": [],
            });
            fields.extend(more.as_object().cloned().unwrap_or_default());
        }
        object
    }
}

fn shard(given: Option<&Value>) -> Option<Shard> {
    let Some(given) = given else { return Some(Shard { id: 0, count: 1 }) };
    let number = |place: usize| given.get(place).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
    let shard = Shard { id: number(0)?, count: number(1)? };
    (shard.id < shard.count).then_some(shard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_read_and_strange_ones_refused() {
        let check = |given: Value, good: bool| assert_eq!(shard(Some(&given)).is_some(), good, "{given}");
        check(json!([0, 1]), true);
        check(json!([1, 1]), false);
        check(json!([0]), false);
        check(json!(["0", "1"]), false);
    }
}
