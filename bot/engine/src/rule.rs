//! What the configuration says of one place: a chat's rule, or that of the community it belongs to, and over it what differs
//! in the chat and in its topic or thread.

use pensive_contract::inbound::{ChatKind, Inbound, Place};

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
        Self::of(&UNLISTED, Parts::NONE)
    }
}

/// The rule of a group that none is written for.
static UNLISTED: GroupRule = GroupRule::UNLISTED;

impl<'a> Rule<'a> {
    fn of(group: &'a GroupRule, parts: Parts<'a>) -> Self {
        let list = parts.first(|part| part.allow_from.as_deref());
        Self {
            mention: parts.first(|part| part.mention).unwrap_or(group.mention),
            bare_commands: group.bare_commands,
            allow_from: list.or(group.allow_from.as_deref()),
            reasoning: group.reasoning,
        }
    }
}

/// What differs in parts of what a rule is written for.
#[derive(Debug, Clone, Copy)]
struct Parts<'a> {
    /// In the topic or thread.
    topic: Option<&'a TopicRule>,
    /// In the chat, where the rule is that of a community.
    chat: Option<&'a TopicRule>,
}

impl<'a> Parts<'a> {
    const NONE: Self = Self { topic: None, chat: None };

    /// What the narrowest part that says anything says.
    fn first<T>(self, said: impl Fn(&'a TopicRule) -> Option<T>) -> Option<T> {
        self.topic.and_then(&said).or_else(|| self.chat.and_then(&said))
    }
}

/// The rule of a place in a group: the chat's own, else that of its community, else the one for all.
pub(crate) fn rule_of<'a>(door: &'a Door, inbound: &Inbound) -> Option<Rule<'a>> {
    let (group, parts) = group_of(door, &inbound.place)?;
    Some(Rule::of(group, parts))
}

/// The starting values of a place, those of the narrowest rule first.
pub(crate) fn defaults_of(door: &Door, inbound: &Inbound) -> DirectiveDefaults {
    let Some((chat, parts)) = chat_of(door, inbound) else { return DirectiveDefaults::default() };
    DirectiveDefaults {
        think: parts.first(|part| part.defaults.think).or(chat.defaults.think),
        fast: parts.first(|part| part.defaults.fast).or(chat.defaults.fast),
        verbose: parts.first(|part| part.defaults.verbose).or(chat.defaults.verbose),
        reasoning: parts.first(|part| part.defaults.reasoning).or(chat.defaults.reasoning),
    }
}

/// The prompt of an agent with what a place puts behind it, the narrowest last.
pub(crate) fn prompt_of(door: &Door, inbound: &Inbound, prompt: &str) -> String {
    let Some((chat, parts)) = chat_of(door, inbound) else { return prompt.to_owned() };
    let added = [parts.chat, parts.topic].into_iter().flatten().map(|part| part.prompt.as_str());
    let pieces = [prompt, chat.prompt.as_str()].into_iter().chain(added);
    pieces.filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Two people's chat is known by the person: what the platform calls the chat itself nobody writes down.
fn chat_of<'a>(door: &'a Door, inbound: &Inbound) -> Option<(&'a ChatRule, Parts<'a>)> {
    let place = &inbound.place;
    match place.kind {
        ChatKind::Direct => {
            let chat = door.directs.get(inbound.sender.id.as_str()).or_else(|| door.directs.get("*"))?;
            Some((chat, Parts { topic: topic_of(chat, place), chat: None }))
        }
        ChatKind::Group | ChatKind::Channel => {
            group_of(door, place).map(|(group, parts)| (&group.chat, parts))
        }
    }
}

fn group_of<'a>(door: &'a Door, place: &Place) -> Option<(&'a GroupRule, Parts<'a>)> {
    let in_chat = |rule: &'a GroupRule| (rule, Parts { topic: topic_of(&rule.chat, place), chat: None });
    let in_space = |rule: &'a GroupRule| {
        let chat = rule.chat.topics.get(place.chat.as_str());
        (rule, Parts { topic: topic_of(&rule.chat, place), chat })
    };
    let of_space = |id: &str| place.space.as_ref().and_then(|_| door.spaces.get(id));
    let own = door.groups.get(place.chat.as_str()).map(in_chat);
    own.or_else(|| of_space(place.space.as_ref()?.as_str()).map(in_space))
        .or_else(|| of_space("*").map(in_space))
        .or_else(|| door.groups.get("*").map(in_chat))
}

fn topic_of<'a>(chat: &'a ChatRule, place: &Place) -> Option<&'a TopicRule> {
    chat.topics.get(place.topic.as_ref()?.id.as_str())
}

#[cfg(test)]
mod tests {
    use pensive_contract::ids::{ChatId, SpaceId, TopicId};
    use pensive_contract::inbound::{Topic, TopicKind};
    use pensive_directives::{Fast, Level};

    use super::*;
    use crate::samples::inbound;

    fn spoken(kind: ChatKind, chat: &str, topic: Option<&str>) -> Inbound {
        let topic = topic.map(|id| Topic { id: TopicId::from(id), kind: TopicKind::Topic });
        let sender = if kind == ChatKind::Direct { chat } else { "11" };
        let mut said = inbound(sender, "");
        said.place = Place { kind, chat: ChatId::from(chat), topic, ..said.place };
        said
    }

    /// In a channel of a community, or in a thread of it.
    fn in_space(space: &str, chat: &str, thread: Option<&str>) -> Inbound {
        let mut said = spoken(ChatKind::Group, chat, None);
        said.place.topic = thread.map(|id| Topic { id: TopicId::from(id), kind: TopicKind::Thread });
        said.place.space = Some(SpaceId::from(space));
        said
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
        let check = |said: &Inbound, think, fast, prompt: &str| {
            let defaults = defaults_of(&door, said);
            assert_eq!((defaults.think, defaults.fast), (think, fast), "{:?}", said.place);
            assert_eq!(prompt_of(&door, said, "Agent."), prompt, "{:?}", said.place);
        };
        let (low, high) = (Some(Level::Low), Some(Level::High));
        for (kind, chat) in [(ChatKind::Group, "-1"), (ChatKind::Direct, "11")] {
            check(&spoken(kind, chat, None), low, Some(Fast::On), "Agent.\n\nChat.");
            check(&spoken(kind, chat, Some("8")), low, Some(Fast::On), "Agent.\n\nChat.");
            check(&spoken(kind, chat, Some("7")), high, Some(Fast::On), "Agent.\n\nChat.\n\nTopic.");
        }
        check(&spoken(ChatKind::Group, "-2", Some("7")), None, None, "Agent.");
        check(&spoken(ChatKind::Direct, "12", Some("7")), None, None, "Agent.");
        let mut elsewhere = spoken(ChatKind::Direct, "11", None);
        elsewhere.place.chat = ChatId::from("900");
        check(&elsewhere, low, Some(Fast::On), "Agent.\n\nChat.");
    }

    #[test]
    fn a_topic_may_have_its_own_list_and_need_no_mention() {
        let door = door();
        let rule = |topic| rule_of(&door, &spoken(ChatKind::Group, "-1", topic)).unwrap();
        let own = vec!["12".to_owned()];
        assert_eq!(
            (rule(Some("7")).mention, rule(Some("7")).allow_from),
            (MentionRule::Free, Some(own.as_slice()))
        );
        assert_eq!((rule(Some("8")).mention, rule(Some("8")).allow_from), (MentionRule::Required, None));
    }

    /// Community 50 with what differs in its channel 60 and in thread 70, whatever channel that is in; a rule for all other
    /// communities; one for channel 61 by itself, with its thread 71; one for all other groups.
    fn communities() -> Door {
        let part = |prompt: &str, list: Option<&str>| TopicRule {
            prompt: prompt.to_owned(),
            allow_from: list.map(|id| vec![id.to_owned()]),
            ..TopicRule::default()
        };
        let rule = |prompt: &str, list: &str, topics| GroupRule {
            allow_from: Some(vec![list.to_owned()]),
            reasoning: prompt == "Space.",
            chat: ChatRule { prompt: prompt.to_owned(), topics, ..ChatRule::default() },
            ..GroupRule::UNLISTED
        };
        let channel = TopicRule { mention: Some(MentionRule::Free), ..part("Channel.", Some("channel")) };
        let parts = [("60".to_owned(), channel), ("70".to_owned(), part("Thread.", None))];
        Door {
            groups: [
                ("61".to_owned(), rule("Own.", "own", [("71".to_owned(), part("Own thread.", None))].into())),
                ("*".to_owned(), rule("Groups.", "groups", [].into())),
            ]
            .into(),
            spaces: [
                ("50".to_owned(), rule("Space.", "space", parts.into())),
                ("*".to_owned(), rule("Spaces.", "spaces", [("62".to_owned(), part("Known.", None))].into())),
            ]
            .into(),
            ..Door::default()
        }
    }

    #[test]
    fn disc_10_a_thread_is_ruled_as_its_channel_and_a_channel_as_its_community() {
        let door = communities();
        let check = |said: &Inbound, list: &str, mention, reasoning, prompt: &str| {
            let rule = rule_of(&door, said).unwrap();
            let list = [list.to_owned()];
            let expected =
                Rule { mention, bare_commands: true, allow_from: Some(list.as_slice()), reasoning };
            assert_eq!(rule, expected, "{:?}", said.place);
            assert_eq!(prompt_of(&door, said, ""), prompt, "{:?}", said.place);
        };
        let (free, required) = (MentionRule::Free, MentionRule::Required);
        check(&in_space("50", "63", None), "space", required, true, "Space.");
        check(&in_space("50", "63", Some("79")), "space", required, true, "Space.");
        check(&in_space("50", "60", None), "channel", free, true, "Space.\n\nChannel.");
        check(&in_space("50", "60", Some("79")), "channel", free, true, "Space.\n\nChannel.");
        check(&in_space("50", "60", Some("70")), "channel", free, true, "Space.\n\nChannel.\n\nThread.");
        check(&in_space("50", "63", Some("70")), "space", required, true, "Space.\n\nThread.");
        check(&in_space("50", "61", None), "own", required, false, "Own.");
        check(&in_space("50", "61", Some("71")), "own", required, false, "Own.\n\nOwn thread.");
        check(&in_space("51", "60", None), "spaces", required, false, "Spaces.");
        check(&in_space("51", "62", Some("79")), "spaces", required, false, "Spaces.\n\nKnown.");
        check(&spoken(ChatKind::Group, "60", None), "groups", required, false, "Groups.");
    }

    #[test]
    fn where_no_rule_is_written_for_a_community_there_is_none() {
        let door = Door { spaces: [("50".to_owned(), GroupRule::UNLISTED)].into(), ..Door::default() };
        assert!(rule_of(&door, &in_space("50", "60", None)).is_some());
        assert_eq!(rule_of(&door, &in_space("51", "60", None)), None);
        assert_eq!(rule_of(&door, &spoken(ChatKind::Group, "60", None)), None);
    }
}
