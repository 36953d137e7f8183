//! Who is let in, who may use directives, and who owns the place: pure decisions over ids, closed unless configured.

use std::collections::BTreeMap;

use pensive_contract::ids::Account;
use pensive_contract::inbound::{Addressed, ChatKind, Inbound, InboundKind, Sender};
use pensive_directives::{Addressee, Owner, Parsed, Shape};

use crate::rule::{Rule, rule_of};
use crate::settings::{DirectPolicy, Door, EngineSettings, GroupPolicy, MentionRule};

/// What becomes of an event at the door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It comes in.
    Admitted,
    /// The sender or chat is not on the list: nothing of it is kept.
    Stranger,
    /// It is said among people, or to another bot.
    NotForUs,
}

/// Whether a sender's slash words are directives or plain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Authority {
    /// They are obeyed.
    Directs,
    /// They are text.
    Speaks,
}

/// Judges one event. `parsed` is what its text would mean if its sender may direct.
pub(crate) fn admit(settings: &EngineSettings, inbound: &Inbound, parsed: Option<&Parsed>) -> Admission {
    if parsed.is_some_and(|parsed| parsed.addressee == Addressee::Another) {
        return Admission::NotForUs;
    }
    let Some(door) = settings.doors.get(&inbound.place.account) else { return Admission::Admitted };
    match inbound.place.kind {
        ChatKind::Direct => admit_direct(door, &inbound.sender),
        ChatKind::Group | ChatKind::Channel => admit_group(settings, door, inbound, parsed),
    }
}

fn admit_direct(door: &Door, sender: &Sender) -> Admission {
    let listed = names(&door.allow_from, sender);
    let open = match door.direct {
        DirectPolicy::Disabled => false,
        DirectPolicy::Pairing | DirectPolicy::Allowlist => listed,
        DirectPolicy::Open => listed || door.allow_from.iter().any(|entry| entry == "*"),
    };
    if open { Admission::Admitted } else { Admission::Stranger }
}

fn admit_group(
    settings: &EngineSettings,
    door: &Door,
    inbound: &Inbound,
    parsed: Option<&Parsed>,
) -> Admission {
    let listed = rule_of(door, inbound);
    let rule = match door.group {
        GroupPolicy::Disabled => return Admission::Stranger,
        GroupPolicy::Allowlist => match listed {
            Some(rule) if may_speak(door, &rule, &inbound.sender) => rule,
            Some(_) | None => return Admission::Stranger,
        },
        GroupPolicy::Open => match listed {
            Some(rule) if rule.allow_from.is_some() && !may_speak(door, &rule, &inbound.sender) => {
                return Admission::Stranger;
            }
            Some(rule) => rule,
            None => Rule::default(),
        },
    };
    let addressed = match (&inbound.kind, inbound.addressed, rule.mention) {
        (InboundKind::Press { .. } | InboundKind::Halt { .. }, _, _)
        | (_, Addressed::Yes, _)
        | (_, _, MentionRule::Free) => true,
        (InboundKind::Message(_) | InboundKind::Edit(_), Addressed::No, MentionRule::Required) => {
            rule.bare_commands && bare_command(settings, inbound, parsed)
        }
    };
    if addressed { Admission::Admitted } else { Admission::NotForUs }
}

/// A message that is nothing but slash words, from somebody who may use them. A bare `stop` among people is not one.
fn bare_command(settings: &EngineSettings, inbound: &Inbound, parsed: Option<&Parsed>) -> bool {
    parsed.is_some_and(|parsed| parsed.shape == Shape::DirectiveOnly)
        && inbound.attachments.is_empty()
        && inbound.typed().is_some_and(|typed| typed.text.trim_start().starts_with('/'))
        && authority(settings, &inbound.place.account, &inbound.sender) == Authority::Directs
}

fn may_speak(door: &Door, rule: &Rule<'_>, sender: &Sender) -> bool {
    let of_groups = door.group_allow_from.as_ref().unwrap_or(&door.allow_from);
    let list = rule.allow_from.unwrap_or(of_groups);
    names(list, sender) || list.iter().any(|entry| entry == "*")
}

fn names(list: &[String], sender: &Sender) -> bool {
    list.iter().any(|entry| is_meant(entry, sender))
}

/// Whether an entry of a list is the sender's id, or a role that they have where they speak.
fn is_meant(entry: &str, sender: &Sender) -> bool {
    let role = entry.strip_prefix("role:");
    entry == sender.id.as_str() || role.is_some_and(|id| sender.roles.iter().any(|role| role.as_str() == id))
}

/// Whether the sender's slash words are directives: as the channel admits, unless `commands.allowFrom` narrows it.
pub(crate) fn authority(settings: &EngineSettings, account: &Account, sender: &Sender) -> Authority {
    // A login on this very machine needs no list.
    if !settings.doors.contains_key(account) {
        return Authority::Directs;
    }
    match &settings.commands {
        None => Authority::Directs,
        Some(lists) if on_a_list(lists, account, sender) => Authority::Directs,
        Some(_) => Authority::Speaks,
    }
}

fn on_a_list(lists: &BTreeMap<String, Vec<String>>, account: &Account, sender: &Sender) -> bool {
    let for_channel = lists.get(account.channel.as_str()).into_iter().flatten();
    let for_all = lists.get("*").into_iter().flatten();
    let full = format!("{}:", account.channel);
    for_channel.chain(for_all).any(|entry| {
        entry == "*"
            || is_meant(entry, sender)
            || entry.strip_prefix(&full).is_some_and(|id| is_meant(id, sender))
    })
}

/// Whether the sender owns this installation. Whoever sits at the machine's own terminal does.
pub(crate) fn owner(settings: &EngineSettings, account: &Account, sender: &Sender) -> Owner {
    if !settings.doors.contains_key(account) {
        return Owner::Yes;
    }
    let full = format!("{}:{}", account.channel, sender.id);
    if settings.owners.contains(&full) { Owner::Yes } else { Owner::No }
}

#[cfg(test)]
mod tests {
    use pensive_contract::ids::{ChatId, RoleId, SpaceId, TopicId};
    use pensive_contract::inbound::{Topic, TopicKind};
    use pensive_directives::{Typed, parse};

    use super::*;
    use crate::samples::{inbound, settings};
    use crate::settings::GroupRule;

    fn group(chat: &str, sender: &str, text: &str, addressed: Addressed) -> Inbound {
        let mut inbound = inbound(sender, text);
        inbound.place.chat = ChatId::from(chat);
        inbound.place.kind = ChatKind::Group;
        inbound.addressed = addressed;
        inbound
    }

    fn judged(settings: &EngineSettings, inbound: &Inbound) -> Admission {
        let typed = inbound.typed().cloned().unwrap_or_default();
        let parsed = parse(&Typed { text: &typed.text, bot_name: Some("PensiveBot"), ..Typed::default() });
        admit(settings, inbound, Some(&parsed))
    }

    fn with(door: Door) -> EngineSettings {
        let mut settings = settings();
        settings.doors.insert(inbound("1", "").place.account, door);
        settings
    }

    fn list(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn direct_messages_follow_their_policy() {
        let check = |direct, allowed: &[&str], expected| {
            let settings = with(Door { direct, allow_from: list(allowed), ..Door::default() });
            assert_eq!(judged(&settings, &inbound("11", "hello")), expected, "{direct:?} {allowed:?}");
        };
        check(DirectPolicy::Pairing, &[], Admission::Stranger);
        check(DirectPolicy::Pairing, &["11"], Admission::Admitted);
        check(DirectPolicy::Allowlist, &["111"], Admission::Stranger);
        check(DirectPolicy::Allowlist, &["*"], Admission::Stranger);
        check(DirectPolicy::Allowlist, &["11"], Admission::Admitted);
        check(DirectPolicy::Open, &[], Admission::Stranger);
        check(DirectPolicy::Open, &["*"], Admission::Admitted);
        check(DirectPolicy::Disabled, &["11", "*"], Admission::Stranger);
    }

    #[test]
    fn med_16_groups_are_closed_and_negative_ids_match_exactly() {
        let rule = |mention, allow_from: Option<&[&str]>| GroupRule {
            mention,
            allow_from: allow_from.map(list),
            ..GroupRule::UNLISTED
        };
        let door = Door {
            allow_from: list(&["11"]),
            groups: [
                ("-100123".to_owned(), rule(MentionRule::Free, None)),
                ("-100124".to_owned(), rule(MentionRule::Required, Some(&["*"]))),
            ]
            .into(),
            ..Door::default()
        };
        let settings = with(door);
        let check = |chat, sender, text, addressed, expected| {
            let inbound = group(chat, sender, text, addressed);
            assert_eq!(judged(&settings, &inbound), expected, "{chat} {sender} {text}");
        };
        check("-100123", "11", "hello", Addressed::No, Admission::Admitted);
        check("-100123", "12", "hello", Addressed::Yes, Admission::Stranger);
        check("-10012", "11", "hello", Addressed::Yes, Admission::Stranger);
        check("100123", "11", "hello", Addressed::Yes, Admission::Stranger);
        check("-100124", "99", "hello", Addressed::No, Admission::NotForUs);
        check("-100124", "99", "hello", Addressed::Yes, Admission::Admitted);
    }

    #[test]
    fn an_open_group_still_keeps_its_own_list() {
        let closed = GroupRule { allow_from: Some(list(&["11"])), ..GroupRule::UNLISTED };
        let door =
            Door { group: GroupPolicy::Open, groups: [("-1".to_owned(), closed)].into(), ..Door::default() };
        let settings = with(door);
        assert_eq!(judged(&settings, &group("-1", "12", "x", Addressed::Yes)), Admission::Stranger);
        assert_eq!(judged(&settings, &group("-1", "11", "x", Addressed::Yes)), Admission::Admitted);
        assert_eq!(judged(&settings, &group("-2", "12", "x", Addressed::Yes)), Admission::Admitted);
    }

    #[test]
    fn a_bare_command_in_a_group_needs_no_mention_unless_the_group_says_so() {
        let rule = |bare_commands| GroupRule { bare_commands, ..GroupRule::UNLISTED };
        let door = Door {
            allow_from: list(&["11"]),
            groups: [("-1".to_owned(), rule(true)), ("-2".to_owned(), rule(false))].into(),
            ..Door::default()
        };
        let settings = with(door);
        let check = |chat, text, expected| {
            assert_eq!(judged(&settings, &group(chat, "11", text, Addressed::No)), expected, "{chat} {text}");
        };
        check("-1", "/think high", Admission::Admitted);
        check("-1", "/think high please", Admission::NotForUs);
        check("-1", "stop", Admission::NotForUs);
        check("-2", "/think high", Admission::NotForUs);
    }

    #[test]
    fn commands_allow_from_narrows_who_directs() {
        let account = inbound("11", "").place.account;
        let mut settings = with(Door { allow_from: list(&["11", "12"]), ..Door::default() });
        let may = |settings: &EngineSettings, sender: &str| {
            authority(settings, &account, &inbound(sender, "").sender) == Authority::Directs
        };
        assert!(may(&settings, "11") && may(&settings, "12"));
        settings.commands = Some([("chat".to_owned(), list(&["12"])), ("*".to_owned(), Vec::new())].into());
        assert!(!may(&settings, "11") && may(&settings, "12"));
    }

    /// Somebody with these roles, in a channel or a thread of a community.
    fn member(space: &str, chat: &str, thread: Option<&str>, sender: &str, roles: &[&str]) -> Inbound {
        let mut said = group(chat, sender, "hello", Addressed::Yes);
        said.place.space = Some(SpaceId::from(space));
        said.place.topic = thread.map(|id| Topic { id: TopicId::from(id), kind: TopicKind::Thread });
        said.sender.roles = roles.iter().map(|id| RoleId::from(*id)).collect();
        said
    }

    #[test]
    fn disc_10_members_of_a_community_come_in_by_id_or_role_and_threads_as_their_channel() {
        let narrow = crate::settings::TopicRule { allow_from: Some(list(&["role:9"])), ..Default::default() };
        let mut ruled = GroupRule { allow_from: Some(list(&["11", "role:8"])), ..GroupRule::UNLISTED };
        ruled.chat.topics = [("60".to_owned(), narrow)].into();
        let door = Door {
            spaces: [("50".to_owned(), ruled), ("51".to_owned(), GroupRule::UNLISTED)].into(),
            group_allow_from: Some(list(&["role:7"])),
            ..Door::default()
        };
        let settings = with(door);
        let check = |space, chat, thread, sender, roles: &[&str], expected| {
            let said = member(space, chat, thread, sender, roles);
            assert_eq!(judged(&settings, &said), expected, "{space} {chat} {thread:?} {sender} {roles:?}");
        };
        use Admission::{Admitted, Stranger};
        check("50", "61", None, "11", &[], Admitted);
        check("50", "61", None, "12", &["1", "8"], Admitted);
        check("50", "61", Some("70"), "12", &["8"], Admitted);
        check("50", "61", None, "12", &["7", "9", "88"], Stranger);
        check("50", "61", None, "8", &[], Stranger);
        check("50", "60", None, "12", &["8"], Stranger);
        check("50", "60", None, "12", &["9"], Admitted);
        check("50", "60", Some("70"), "12", &["9"], Admitted);
        check("50", "60", Some("70"), "11", &[], Stranger);
        check("51", "60", None, "12", &["7"], Admitted);
        check("52", "61", None, "11", &["7", "8", "9"], Stranger);
        let nobody = with(Door { allow_from: list(&["role:8"]), ..Door::default() });
        assert_eq!(judged(&nobody, &inbound("8", "hello")), Stranger, "a person's id is no role");
    }

    #[test]
    fn roles_may_direct_and_own_nothing() {
        let mut settings = with(Door { allow_from: list(&["*"]), ..Door::default() });
        let (who, other) = (member("50", "60", None, "12", &["8"]), member("50", "60", None, "8", &["9"]));
        let account = &who.place.account;
        for entry in ["role:8", "chat:role:8"] {
            settings.commands = Some([("*".to_owned(), list(&[entry]))].into());
            assert_eq!(authority(&settings, account, &who.sender), Authority::Directs, "{entry}");
            assert_eq!(authority(&settings, account, &other.sender), Authority::Speaks, "{entry}");
        }
        settings.owners = list(&["chat:role:8", "role:8"]);
        assert_eq!(owner(&settings, account, &who.sender), Owner::No);
    }
}
