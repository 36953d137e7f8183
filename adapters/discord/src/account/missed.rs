//! What was written while there was no session: read from the channels, as it would have come.

use std::collections::HashMap;
use std::time::Duration;

use pensive_contract::clock::{Timestamp, within};
use pensive_contract::ids::{RoleId, SenderId};
use pensive_contract::inbound::{Addressed, Inbound};
use reqwest::Method;
use serde_json::value::RawValue;

use super::Bot;
use super::marks::Mark;
use crate::client::{CallFault, Payload};
use crate::routes;
use crate::wire::{self, Event, Member, Message};

/// So many missed messages of a channel are read, and none that is older.
const MOST_MISSED: u8 = 50;
const OLDEST_MISSED: Duration = Duration::from_hours(24);
/// How long a list of missed messages is waited for: all events wait with it.
const CATCH_UP_LIMIT: Duration = Duration::from_secs(5);

impl Bot {
    /// The messages of a channel after its mark, as they would have come.
    pub(crate) async fn missed(&self, mark: Mark) -> Result<Vec<Box<Message>>, CallFault> {
        let after = mark.last.max(first_of(self.clock.now() - OLDEST_MISSED));
        let route = routes::messages_after(mark.channel, after, MOST_MISSED);
        let call = self.client.call::<Vec<Box<RawValue>>>(Method::GET, &route, Payload::None);
        let listed = within(&*self.clock, CATCH_UP_LIMIT, call).await;
        let listed = listed.unwrap_or(Err(CallFault::Overdue(CATCH_UP_LIMIT)))?;
        let read = |raw: &RawValue| match wire::event("MESSAGE_CREATE", raw.get()) {
            Ok(Event::Message(mut message)) => {
                message.guild_id = message.guild_id.or(mark.guild);
                Some(message)
            }
            Ok(_) | Err(_) => None,
        };
        let mut messages: Vec<Box<Message>> = listed.iter().filter_map(|raw| read(raw)).collect();
        messages.retain(|message| message.id > after);
        messages.sort_by_key(|message| message.id);
        Ok(messages)
    }

    /// Finds out what those who talked to us are in their guild, which a list does not say. Whoever cannot be found out about
    /// has no role.
    pub(crate) async fn tell_roles(&self, guild: u64, batch: &mut [Inbound]) {
        let mut known: HashMap<SenderId, Vec<RoleId>> = HashMap::new();
        for inbound in batch.iter_mut().filter(|inbound| inbound.addressed == Addressed::Yes) {
            if !known.contains_key(&inbound.sender.id) {
                let roles = self.roles(guild, &inbound.sender.id).await;
                known.insert(inbound.sender.id.clone(), roles);
            }
            inbound.sender.roles = known.get(&inbound.sender.id).cloned().unwrap_or_default();
        }
    }

    async fn roles(&self, guild: u64, sender: &SenderId) -> Vec<RoleId> {
        let route = routes::guild_member(guild, sender.as_str());
        let call = self.client.call::<Member>(Method::GET, &route, Payload::None);
        let told = within(&*self.clock, CATCH_UP_LIMIT, call).await;
        match told.unwrap_or(Err(CallFault::Overdue(CATCH_UP_LIMIT))) {
            Ok(member) => {
                let roles = member.roles.unwrap_or_default();
                roles.iter().map(|role| RoleId::from(role.to_string())).collect()
            }
            Err(fault) => {
                tracing::debug!(account = %self.account, guild, %fault, "a member's roles are not known");
                Vec::new()
            }
        }
    }
}

/// The smallest id that something made at this moment can have (<https://docs.discord.com/developers/reference#snowflakes>).
fn first_of(moment: Timestamp) -> u64 {
    /// 2015, where Discord's time begins.
    const EPOCH: i64 = 1_420_070_400_000;
    u64::try_from(moment.0.saturating_sub(EPOCH)).unwrap_or(0) << 22
}
