//! Doors: who may come in through an account, and what holds in single chats.

use std::collections::BTreeMap;

use super::Builder;
use crate::agents::DirectiveDefaults;
use crate::channels::{ChatRule, DirectPolicy, Door, GroupPolicy, GroupRule, TopicRule};
use crate::fault::quoted;
use crate::file::channels::{ChatKeys, DoorKeys, Group, GroupKeys, Topic};
use crate::file::values::{Entries, Id};
use crate::trail::{Step, Trail};

/// Where an account's keys stand: in its own block, or in the block around it.
pub(super) struct Spot {
    /// Its own block.
    pub(super) own: Trail,
    /// The block around it; the same where the account is that block.
    pub(super) around: Trail,
}

impl Builder<'_> {
    /// Where a key of an account stands in the file.
    pub(super) fn place(&self, spot: &Spot, key: &str) -> Trail {
        let own = spot.own.key(key);
        if self.holds(&own) { own } else { spot.around.key(key) }
    }

    pub(super) fn door(&mut self, keys: &DoorKeys, spot: &Spot) -> Door {
        let direct = keys.dm_policy.unwrap_or_default();
        let list = self.place(spot, "allowFrom");
        let allow_from = self.optional_ids(keys.allow_from.as_ref(), &list).unwrap_or_default();
        let is_listed =
            allow_from.iter().any(|id| id == "*") || (keys.allow_from.is_none() && self.holds(&list));
        if direct == DirectPolicy::Open && !is_listed {
            let message = "\"open\" lets everybody in and needs \"*\" in allowFrom to say that this is meant";
            self.fault(&self.place(spot, "dmPolicy"), message);
        }
        Door {
            direct,
            allow_from,
            group: keys.group_policy.unwrap_or(GroupPolicy::Allowlist),
            group_allow_from: self
                .optional_ids(keys.group_allow_from.as_ref(), &self.place(spot, "groupAllowFrom")),
            groups: self.groups(keys, &self.place(spot, "groups")),
            directs: self.directs(keys, &self.place(spot, "direct")),
        }
    }

    fn groups(&mut self, keys: &DoorKeys, trail: &Trail) -> BTreeMap<String, GroupRule> {
        let groups = keys.groups.iter().flat_map(|groups| &groups.0);
        let groups = groups.map(|(id, Group { rule, topics })| {
            let place = trail.key(id);
            (id.clone(), self.group_rule(rule, topics, (&place, &place.key("topics"))))
        });
        groups.collect()
    }

    fn directs(&mut self, keys: &DoorKeys, trail: &Trail) -> BTreeMap<String, ChatRule> {
        let directs = keys.direct.iter().flat_map(|directs| &directs.0);
        let directs = directs.map(|(id, direct)| {
            (id.clone(), self.chat_rule(&direct.chat, &direct.topics, &trail.key(id).key("topics")))
        });
        directs.collect()
    }

    /// The rule of a group or guild; `places` are those of the rule and of what stands for its topics.
    pub(super) fn group_rule(
        &mut self,
        rule: &GroupKeys,
        topics: &Entries<Topic>,
        places: (&Trail, &Trail),
    ) -> GroupRule {
        GroupRule {
            require_mention: rule.require_mention.unwrap_or(true),
            bare_commands: rule.bare_commands.unwrap_or(true),
            allow_from: self.optional_ids(rule.allow_from.as_ref(), &places.0.key("allowFrom")),
            reasoning: rule.reasoning_in_groups.unwrap_or(false),
            chat: self.chat_rule(&rule.chat, topics, places.1),
        }
    }

    fn chat_rule(&mut self, chat: &ChatKeys, topics: &Entries<Topic>, place: &Trail) -> ChatRule {
        let topics = topics.0.iter().map(|(id, topic)| {
            let rule = TopicRule {
                require_mention: topic.require_mention,
                allow_from: self.optional_ids(topic.allow_from.as_ref(), &place.key(id).key("allowFrom")),
                defaults: chat_defaults(&topic.chat),
                prompt: topic.chat.prompt.clone().unwrap_or_default(),
            };
            (id.clone(), rule)
        });
        ChatRule {
            topics: topics.collect(),
            defaults: chat_defaults(chat),
            prompt: chat.prompt.clone().unwrap_or_default(),
        }
    }

    fn optional_ids(&mut self, ids: Option<&Vec<Id>>, trail: &Trail) -> Option<Vec<String>> {
        ids.map(|ids| self.ids(ids, trail))
    }

    /// Ids as people are listed by: on their channel, without its name, never by display name. Roles are listed beside them
    /// where there are any.
    pub(super) fn ids(&mut self, ids: &[Id], trail: &Trail) -> Vec<String> {
        for (index, Id(id)) in ids.iter().enumerate() {
            if id.starts_with('@') {
                let message =
                    format_args!("must be an id, not the name {}; names can change hands", quoted(id));
                self.fault(&trail.index(index), message);
            } else if let Some(role) = id.trim().strip_prefix("role:") {
                if !has_roles(trail) {
                    let message =
                        format_args!("is a role, {}, which only discord has; list people by id", quoted(id));
                    self.fault(&trail.index(index), message);
                } else if !is_number(role) {
                    let message =
                        format_args!("must be \"role:\" and the id of a role, a number, not {}", quoted(id));
                    self.fault(&trail.index(index), message);
                }
            } else if let Some((_, bare)) = super::bindings::split_channel(id) {
                let message = format_args!("must be the id alone, {}, not {}", quoted(bare), quoted(id));
                self.fault(&trail.index(index), message);
            } else if is_of_discord(trail) && id.trim() != "*" && !is_number(id.trim()) {
                let message = format_args!(
                    "must be the id of a person, a number, or \"role:\" and that of a role, not {}",
                    quoted(id)
                );
                self.fault(&trail.index(index), message);
            }
        }
        ids.iter().map(|Id(id)| id.trim().to_owned()).collect()
    }
}

/// The channel whose people a list is of; `*` for those of any.
fn channel(trail: &Trail) -> &str {
    let key = |index: usize| match trail.steps().get(index) {
        Some(Step::Key(key)) => key.as_str(),
        Some(Step::Index(_)) | None => "",
    };
    if key(0) == "channels" { key(1) } else { key(2) }
}

/// Whether a list of people stands where communities with roles are known.
fn has_roles(trail: &Trail) -> bool {
    ["*", "discord"].contains(&channel(trail))
}

/// Whether all whom a list may name have numbers for ids.
fn is_of_discord(trail: &Trail) -> bool {
    channel(trail) == "discord"
}

/// Whether a text is an id as Discord gives them.
pub(super) fn is_number(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())
}

fn chat_defaults(chat: &ChatKeys) -> DirectiveDefaults {
    DirectiveDefaults {
        think: chat.thinking_default.as_ref().map(|word| word.0),
        fast: chat.fast_mode_default.as_ref().map(|word| word.0),
        verbose: chat.verbose_default.as_ref().map(|word| word.0),
        reasoning: chat.reasoning_default.as_ref().map(|word| word.0),
    }
}
