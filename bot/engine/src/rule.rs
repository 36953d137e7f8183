//! What the configuration says of one place: a chat's rule, and over it that of the topic.

use pensive_contract::inbound::{ChatKind, Place};

use crate::settings::{ChatRule, DirectiveDefaults, Door, GroupRule, MentionRule, TopicRule};

/// Who may speak in one place among people, and how they call us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rule<'a> {
    pub(crate) mention: MentionRule,
    pub(crate) bare_commands: bool,
    /// Nothing means as in the account.
    pub(crate) allow_from: Option<&'a [String]>,
    /// Whether reasoning may be shown.
    pub(crate) reasoning: bool,
}

impl Default for Rule<'_> {
    fn default() -> Self {
        Self::of(&UNLISTED, None)
    }
}

/// The rule of a group that none is written for.
static UNLISTED: GroupRule = GroupRule::UNLISTED;

impl<'a> Rule<'a> {
    fn of(group: &'a GroupRule, topic: Option<&'a TopicRule>) -> Self {
        let list = topic.and_then(|topic| topic.allow_from.as_ref()).or(group.allow_from.as_ref());
        Self {
            mention: topic.and_then(|topic| topic.mention).unwrap_or(group.mention),
            bare_commands: group.bare_commands,
            allow_from: list.map(Vec::as_slice),
            reasoning: group.reasoning,
        }
    }
}

/// The rule of a place in a group: the group's own, else the one for all.
pub(crate) fn rule_of<'a>(door: &'a Door, place: &Place) -> Option<Rule<'a>> {
    let group = group_of(door, place)?;
    Some(Rule::of(group, topic_of(&group.chat, place)))
}

/// The starting values of a place, its topic's before its chat's.
pub(crate) fn defaults_of(door: &Door, place: &Place) -> DirectiveDefaults {
    let Some(chat) = chat_of(door, place) else { return DirectiveDefaults::default() };
    let topic = topic_of(chat, place).map(|topic| topic.defaults).unwrap_or_default();
    DirectiveDefaults {
        think: topic.think.or(chat.defaults.think),
        fast: topic.fast.or(chat.defaults.fast),
        verbose: topic.verbose.or(chat.defaults.verbose),
        reasoning: topic.reasoning.or(chat.defaults.reasoning),
    }
}

/// The prompt of an agent with what a place puts behind it.
pub(crate) fn prompt_of(door: &Door, place: &Place, prompt: &str) -> String {
    let chat = chat_of(door, place);
    let topic = chat.and_then(|chat| topic_of(chat, place));
    let added = [chat.map(|chat| chat.prompt.as_str()), topic.map(|topic| topic.prompt.as_str())];
    let pieces = std::iter::once(prompt).chain(added.into_iter().flatten());
    pieces.filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn chat_of<'a>(door: &'a Door, place: &Place) -> Option<&'a ChatRule> {
    match place.kind {
        ChatKind::Direct => door.directs.get(place.chat.as_str()).or_else(|| door.directs.get("*")),
        ChatKind::Group | ChatKind::Channel => group_of(door, place).map(|group| &group.chat),
    }
}

fn group_of<'a>(door: &'a Door, place: &Place) -> Option<&'a GroupRule> {
    door.groups.get(place.chat.as_str()).or_else(|| door.groups.get("*"))
}

fn topic_of<'a>(chat: &'a ChatRule, place: &Place) -> Option<&'a TopicRule> {
    chat.topics.get(place.topic.as_ref()?.id.as_str())
}

#[cfg(test)]
mod tests {
    use pensive_contract::ids::{ChatId, TopicId};
    use pensive_contract::inbound::{Topic, TopicKind};
    use pensive_directives::{Fast, Level};

    use super::*;
    use crate::samples::inbound;

    fn place(kind: ChatKind, chat: &str, topic: Option<&str>) -> Place {
        let topic = topic.map(|id| Topic { id: TopicId::from(id), kind: TopicKind::Topic });
        Place { kind, chat: ChatId::from(chat), topic, ..inbound("11", "").place }
    }

    fn door() -> Door {
        let topic = TopicRule {
            mention: Some(MentionRule::Free),
            allow_from: Some(vec!["12".to_owned()]),
            defaults: DirectiveDefaults { think: Some(Level::High), ..DirectiveDefaults::default() },
            prompt: "Topic.".to_owned(),
        };
        let defaults = DirectiveDefaults {
            think: Some(Level::Low),
            fast: Some(Fast::On),
            ..DirectiveDefaults::default()
        };
        let topics = [("7".to_owned(), topic)].into();
        let chat = ChatRule { defaults, prompt: "Chat.".to_owned(), topics };
        let group = GroupRule { chat: chat.clone(), ..GroupRule::UNLISTED };
        Door {
            groups: [("-1".to_owned(), group), ("*".to_owned(), GroupRule::UNLISTED)].into(),
            directs: [("11".to_owned(), chat)].into(),
            ..Door::default()
        }
    }

    #[test]
    fn a_topic_goes_before_its_chat_and_a_chat_before_all_others() {
        let door = door();
        let check = |place: &Place, think, fast, prompt: &str| {
            let defaults = defaults_of(&door, place);
            assert_eq!((defaults.think, defaults.fast), (think, fast), "{place:?}");
            assert_eq!(prompt_of(&door, place, "Agent."), prompt, "{place:?}");
        };
        let (low, high) = (Some(Level::Low), Some(Level::High));
        for (kind, chat) in [(ChatKind::Group, "-1"), (ChatKind::Direct, "11")] {
            check(&place(kind, chat, None), low, Some(Fast::On), "Agent.\n\nChat.");
            check(&place(kind, chat, Some("8")), low, Some(Fast::On), "Agent.\n\nChat.");
            check(&place(kind, chat, Some("7")), high, Some(Fast::On), "Agent.\n\nChat.\n\nTopic.");
        }
        check(&place(ChatKind::Group, "-2", Some("7")), None, None, "Agent.");
        check(&place(ChatKind::Direct, "12", Some("7")), None, None, "Agent.");
    }

    #[test]
    fn a_topic_may_have_its_own_list_and_need_no_mention() {
        let door = door();
        let rule = |topic| rule_of(&door, &place(ChatKind::Group, "-1", topic)).unwrap();
        let own = vec!["12".to_owned()];
        assert_eq!(
            (rule(Some("7")).mention, rule(Some("7")).allow_from),
            (MentionRule::Free, Some(own.as_slice()))
        );
        assert_eq!((rule(Some("8")).mention, rule(Some("8")).allow_from), (MentionRule::Required, None));
    }
}
