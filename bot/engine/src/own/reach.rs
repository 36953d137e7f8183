//! Which chats a run may write to: its own; the one where its person talks to us alone; and, on the same account, those that
//! the configuration names, as far as the person could speak there too. Nobody else, so that no model can be talked into
//! writing to strangers.

use pensive_contract::ids::{ChatId, SenderId, SpaceId};
use pensive_contract::inbound::{Addressed, ChatKind, Inbound, Place};
use pensive_contract::store::StoreFault;
use pensive_contract::tool::ToolFault;
use pensive_directives::Owner;

use super::arguments::refused;
use crate::access::{self, Admission};
use crate::core::Core;
use crate::route;
use crate::run::Pending;
use crate::settings::{DmScope, Door, EngineSettings, GroupPolicy};

/// Where a message is to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Goal {
    /// Where the run was asked.
    Here,
    /// Where its person talks to us alone.
    Asker,
    /// Another chat, which may be reached.
    There(Place),
}

/// Reads what a model says of it.
///
/// # Errors
/// The run may not write there.
pub(super) fn goal(
    settings: &EngineSettings,
    pending: &Pending,
    to: Option<&str>,
    channel: Option<&str>,
) -> Result<Goal, ToolFault> {
    let here = &pending.inbound.place;
    if channel.is_some_and(|channel| channel != here.account.channel.as_str()) {
        return Err(refused("Other channels than that of this chat cannot be reached."));
    }
    match to {
        None => Ok(Goal::Here),
        Some(to) if to == here.chat.as_str() => Ok(Goal::Here),
        Some("me") if here.kind == ChatKind::Direct => Ok(Goal::Here),
        Some("me") => Ok(Goal::Asker),
        Some(to) => group(settings, &pending.inbound, to)
            .or_else(|| direct(settings, &pending.inbound, to))
            .map(Goal::There)
            .ok_or_else(|| refused(format!("This conversation may not write to \"{to}\"."))),
    }
}

/// A group that the configuration names, by itself or as one of a community, and in which the person could speak.
fn group(settings: &EngineSettings, asked: &Inbound, to: &str) -> Option<Place> {
    let door = settings.doors.get(&asked.place.account)?;
    if to == "*" || door.group == GroupPolicy::Disabled {
        return None;
    }
    let space = space_of(door, to);
    if space.is_none() && !door.groups.contains_key(to) {
        return None;
    }
    let mut there = at(asked, ChatKind::Group, to);
    if space != asked.place.space {
        // Roles are worth something only in the community that gave them.
        there.sender.roles.clear();
    }
    there.place.space = space;
    let may = is_owner(settings, asked) || access::admit(settings, &there, None) == Admission::Admitted;
    may.then_some(there.place)
}

/// The community under whose rule the configuration names a chat.
fn space_of(door: &Door, chat: &str) -> Option<SpaceId> {
    let mut spaces = door.spaces.iter().filter(|(space, _)| *space != "*");
    spaces
        .find(|(_, rule)| rule.chat.topics.contains_key(chat))
        .map(|(space, _)| SpaceId::from(space.as_str()))
}

/// A person for whom the configuration has a rule and whom we let in; only for owners.
fn direct(settings: &EngineSettings, asked: &Inbound, to: &str) -> Option<Place> {
    let door = settings.doors.get(&asked.place.account)?;
    if to == "*" || !door.directs.contains_key(to) || !is_owner(settings, asked) {
        return None;
    }
    let there = alone(asked, to);
    (access::admit(settings, &there, None) == Admission::Admitted).then_some(there.place)
}

fn is_owner(settings: &EngineSettings, asked: &Inbound) -> bool {
    access::owner(settings, &asked.place.account, &asked.sender) == Owner::Yes
}

/// What was said here, as if it were said there.
fn at(asked: &Inbound, kind: ChatKind, chat: &str) -> Inbound {
    let place = Place { chat: ChatId::from(chat), kind, topic: None, ..asked.place.clone() };
    Inbound { place, addressed: Addressed::Yes, ..asked.clone() }
}

/// The same, as if a person had said it to us alone.
fn alone(asked: &Inbound, person: &str) -> Inbound {
    let mut there = at(asked, ChatKind::Direct, person);
    there.place.space = None;
    there.sender.id = SenderId::from(person);
    there.sender.roles.clear();
    there
}

/// The chat where the person of a run has talked to us alone.
///
/// # Errors
/// There is none, or whose it is cannot be told.
pub(super) async fn private(core: &Core, pending: &Pending) -> Result<Place, ToolFault> {
    let none = || refused("This person has not talked to me alone, so I cannot write to them.");
    let settings = &core.settings;
    if settings.dm_scope == DmScope::Main {
        // One session is everybody's.
        return Err(none());
    }
    let alone = alone(&pending.inbound, pending.inbound.sender.id.as_str());
    if access::admit(settings, &alone, None) != Admission::Admitted {
        return Err(none());
    }
    let origin = origin(core, &alone).await.map_err(|fault| ToolFault {
        model: "Where this person talks to me cannot be read right now.".to_owned(),
        log: fault.to_string(),
    })?;
    origin.ok_or_else(none)
}

/// Where another chat is in fact: a person is named by their own id, which on some platforms is not that of the chat with them.
/// That is the chat in which they have talked to us.
pub(super) async fn there(core: &Core, pending: &Pending, place: Place) -> Place {
    if place.kind != ChatKind::Direct || core.settings.dm_scope == DmScope::Main {
        return place;
    }
    match origin(core, &alone(&pending.inbound, place.chat.as_str())).await {
        Ok(Some(origin)) if origin.account == place.account => origin,
        Ok(_) => place,
        Err(fault) => {
            tracing::error!(%fault, "the store cannot be read");
            place
        }
    }
}

/// The chat of two in which a person has talked to us, by what is said in it.
async fn origin(core: &Core, alone: &Inbound) -> Result<Option<Place>, StoreFault> {
    let Some(route) = route::route(&core.settings, alone) else { return Ok(None) };
    let record = core.ports.sessions.get(&route.key).await?;
    Ok(record.map(|record| record.origin).filter(|origin| origin.kind == ChatKind::Direct))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{inbound, pending, settings};
    use crate::settings::{ChatRule, DirectPolicy, GroupRule, TopicRule};

    /// A house of Ann's (11) with a group for her and Bob (12), one for Cid (13), and a rule for Bob and for Dan (14).
    fn house() -> EngineSettings {
        let listed = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
        let rule = |ids: &[&str]| GroupRule { allow_from: Some(listed(ids)), ..GroupRule::UNLISTED };
        let mut settings = settings();
        let door = Door {
            direct: DirectPolicy::Allowlist,
            allow_from: listed(&["11", "12", "13"]),
            group: GroupPolicy::Allowlist,
            groups: [
                ("-1".to_owned(), rule(&["11", "12"])),
                ("-2".to_owned(), rule(&["13"])),
                ("*".to_owned(), rule(&["*"])),
            ]
            .into(),
            group_allow_from: None,
            spaces: [].into(),
            directs: [("12".to_owned(), ChatRule::default()), ("14".to_owned(), ChatRule::default())].into(),
        };
        settings.doors = [(inbound("11", "").place.account, door)].into();
        settings.owners = vec!["chat:11".to_owned()];
        settings
    }

    #[test]
    fn a_run_reaches_its_own_chat_and_those_that_were_set_up_for_its_person() {
        let settings = house();
        let check = |sender: &str, to: Option<&str>, channel: Option<&str>, expected: &str| {
            let goal = goal(&settings, &pending(inbound(sender, "")), to, channel);
            let told = match goal {
                Ok(Goal::Here) => "here".to_owned(),
                Ok(Goal::Asker) => "asker".to_owned(),
                Ok(Goal::There(place)) => format!("{:?} {}", place.kind, place.chat),
                Err(_) => "no".to_owned(),
            };
            assert_eq!(told, expected, "{sender} {to:?} {channel:?}");
        };
        check("12", None, None, "here");
        check("12", Some("12"), Some("chat"), "here");
        check("12", Some("me"), None, "here");
        check("12", None, Some("elsewhere"), "no");
        check("12", Some("-1"), None, "Group -1");
        check("12", Some("-2"), None, "no");
        check("11", Some("-2"), None, "Group -2");
        check("11", Some("-3"), None, "no");
        check("11", Some("*"), None, "no");
        check("11", Some("12"), None, "Direct 12");
        check("13", Some("12"), None, "no");
        check("11", Some("13"), None, "no");
        check("11", Some("14"), None, "no");
        check("11", Some("99"), None, "no");
    }

    #[test]
    fn channels_that_the_configuration_names_in_a_community_are_reached_with_the_roles_of_that_community_alone()
     {
        let mut settings = house();
        let door = settings.doors.values_mut().next().unwrap();
        let mut ruled = GroupRule { allow_from: Some(vec!["role:8".to_owned()]), ..GroupRule::UNLISTED };
        ruled.chat.topics = [("60".to_owned(), TopicRule::default())].into();
        door.spaces = [("50".to_owned(), ruled.clone()), ("*".to_owned(), ruled)].into();
        let check = |sender: &str, from: Option<&str>, role: &str, to: &str, expected: Option<&str>| {
            let mut said = inbound(sender, "");
            said.place.space = from.map(SpaceId::from);
            said.sender.roles = vec![role.into()];
            let told = match goal(&settings, &pending(said), Some(to), None) {
                Ok(Goal::There(place)) => Some(format!("{:?} {:?} {}", place.kind, place.space, place.chat)),
                Ok(Goal::Here | Goal::Asker) | Err(_) => None,
            };
            assert_eq!(told.as_deref(), expected, "{sender} {from:?} {role} {to}");
        };
        let there = Some("Group Some(SpaceId(\"50\")) 60");
        check("12", Some("50"), "8", "60", there);
        check("12", Some("50"), "9", "60", None);
        check("12", Some("51"), "8", "60", None);
        check("12", None, "8", "60", None);
        check("11", None, "9", "60", there);
        check("11", Some("50"), "8", "61", None);
    }

    #[test]
    fn a_login_at_the_machine_has_no_other_chats() {
        let settings = settings();
        assert!(goal(&settings, &pending(inbound("11", "")), Some("12"), None).is_err());
        assert_eq!(goal(&settings, &pending(inbound("11", "")), None, None), Ok(Goal::Here));
    }
}
