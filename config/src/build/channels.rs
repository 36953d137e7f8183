//! Accounts and their doors.

use std::collections::BTreeMap;

use pensive_contract::ids::Account;

use super::Builder;
use crate::agents::DirectiveDefaults;
use crate::channels::{
    ChatRule, DirectPolicy, DiscordAccount, Door, GroupPolicy, GroupRule, HeartbeatVisibility, RichMessages,
    Streaming, TelegramAccount, TopicRule, WebPage, Webhook,
};
use crate::defaults;
use crate::file::channels::{
    ChatKeys, Discord, DiscordKeys, DoorKeys, Group, GroupKeys, HeartbeatVisibility as Visibility, Telegram,
    TelegramKeys, Topic, Web,
};
use crate::file::values::{Entries, Id, SecretPlace, SecretText, Text};
use crate::format::{Address, Url};
use crate::secret::SecretSource;
use crate::trail::Trail;

/// `$over` with what it leaves open taken from `$base`, key by key.
macro_rules! over {
    ($type:ident, $over:expr, $base:expr, $($key:ident),+) => {
        $type { $($key: $over.$key.clone().or_else(|| $base.$key.clone())),+ }
    };
}

fn telegram_keys(over: &TelegramKeys, base: &TelegramKeys) -> TelegramKeys {
    over!(
        TelegramKeys,
        over,
        base,
        enabled,
        bot_token,
        streaming,
        rich_messages,
        api_root,
        mention_patterns,
        webhook_url,
        webhook_secret,
        heartbeat
    )
}

fn discord_keys(over: &DiscordKeys, base: &DiscordKeys) -> DiscordKeys {
    over!(DiscordKeys, over, base, enabled, token, guilds, streaming, api_root, mention_patterns, heartbeat)
}

fn door_keys(over: &DoorKeys, base: &DoorKeys) -> DoorKeys {
    over!(DoorKeys, over, base, dm_policy, allow_from, group_policy, group_allow_from, groups, direct)
}

/// One account before it is built: its name, where it stands, and its keys with those of the block around it put in.
struct Written<K> {
    account: Account,
    trail: Trail,
    keys: K,
    door: DoorKeys,
}

impl Builder<'_> {
    pub(super) fn telegram(&mut self, block: Option<&Telegram>) -> Vec<TelegramAccount> {
        let variable = "TELEGRAM_BOT_TOKEN";
        let absent = Telegram::default();
        if block.is_none() && self.environment.get(variable).is_none() {
            return Vec::new();
        }
        let block = block.unwrap_or(&absent);
        let trail = Trail::of(&["channels", "telegram"]);
        let written = accounts(
            "telegram",
            &trail,
            (&block.keys, &block.door, block.keys.bot_token.is_some()),
            block.accounts.0.iter().map(|(name, entry)| {
                (name, telegram_keys(&entry.keys, &block.keys), door_keys(&entry.door, &block.door))
            }),
        );
        let on = written.into_iter().filter(|written| written.keys.enabled != Some(false));
        let bots: Vec<_> =
            on.map(|written| (self.telegram_account(&written, variable), written.trail)).collect();
        self.refuse_twins(bots.iter().map(|(bot, trail)| (&bot.token, trail)).collect(), "botToken");
        bots.into_iter().map(|(bot, _)| bot).collect()
    }

    fn telegram_account(&mut self, written: &Written<TelegramKeys>, variable: &str) -> TelegramAccount {
        let Written { account, trail, keys, door } = written;
        TelegramAccount {
            token: self.token(keys.bot_token.as_ref(), account, &trail.key("botToken"), variable),
            api_root: keys
                .api_root
                .as_ref()
                .map_or_else(|| defaults::TELEGRAM_ROOT.to_owned(), |Text(Url(root))| root.clone()),
            door: self.door(door, trail),
            streaming: keys.streaming.unwrap_or(Streaming::Partial),
            rich_messages: keys.rich_messages.unwrap_or(RichMessages::Auto),
            mention_patterns: keys.mention_patterns.clone().unwrap_or_default(),
            webhook: self.webhook(keys, account, trail),
            heartbeat: visibility(keys.heartbeat),
            account: account.clone(),
        }
    }

    fn webhook(&mut self, keys: &TelegramKeys, account: &Account, trail: &Trail) -> Option<Webhook> {
        let Text(Url(url)) = keys.webhook_url.as_ref()?;
        let place = trail.key("webhookSecret");
        let Some(secret) = &keys.webhook_secret else {
            self.fault(
                &trail.key("webhookUrl"),
                "needs webhookSecret beside it, so that nobody else can call it",
            );
            return None;
        };
        Some(Webhook { url: url.clone(), secret: self.secret(secret, &account.to_string(), &place) })
    }

    pub(super) fn discord(&mut self, block: Option<&Discord>) -> Vec<DiscordAccount> {
        let variable = "DISCORD_BOT_TOKEN";
        let absent = Discord::default();
        if block.is_none() && self.environment.get(variable).is_none() {
            return Vec::new();
        }
        let block = block.unwrap_or(&absent);
        let trail = Trail::of(&["channels", "discord"]);
        let written = accounts(
            "discord",
            &trail,
            (&block.keys, &block.door, block.keys.token.is_some()),
            block.accounts.0.iter().map(|(name, entry)| {
                (name, discord_keys(&entry.keys, &block.keys), door_keys(&entry.door, &block.door))
            }),
        );
        let on = written.into_iter().filter(|written| written.keys.enabled != Some(false));
        let bots: Vec<_> =
            on.map(|written| (self.discord_account(&written, variable), written.trail)).collect();
        self.refuse_twins(bots.iter().map(|(bot, trail)| (&bot.token, trail)).collect(), "token");
        bots.into_iter().map(|(bot, _)| bot).collect()
    }

    fn discord_account(&mut self, written: &Written<DiscordKeys>, variable: &str) -> DiscordAccount {
        let Written { account, trail, keys, door } = written;
        let guilds = keys.guilds.iter().flat_map(|guilds| &guilds.0);
        let guilds = guilds.map(|(id, guild)| {
            let place = trail.key("guilds").key(id);
            (id.clone(), self.group_rule(&guild.rule, ("channels", &guild.channels), &place))
        });
        DiscordAccount {
            guilds: guilds.collect(),
            token: self.token(keys.token.as_ref(), account, &trail.key("token"), variable),
            api_root: keys
                .api_root
                .as_ref()
                .map_or_else(|| defaults::DISCORD_ROOT.to_owned(), |Text(Url(root))| root.clone()),
            door: self.door(door, trail),
            streaming: keys.streaming.unwrap_or(Streaming::Progress),
            mention_patterns: keys.mention_patterns.clone().unwrap_or_default(),
            heartbeat: visibility(keys.heartbeat),
            account: account.clone(),
        }
    }

    fn token(
        &mut self,
        text: Option<&SecretText>,
        account: &Account,
        trail: &Trail,
        variable: &str,
    ) -> SecretSource {
        let environment = || {
            SecretText::Elsewhere(SecretPlace { env: Some(variable.to_owned()), file: None, command: None })
        };
        let text = text.cloned().unwrap_or_else(environment);
        self.secret(&text, &account.to_string(), trail)
    }

    /// Two accounts with one token would take each other's messages.
    fn refuse_twins(&mut self, tokens: Vec<(&SecretSource, &Trail)>, key: &str) {
        for (index, (token, trail)) in tokens.iter().enumerate() {
            let twin = tokens.iter().take(index).find(|(other, _)| token.same_place(other));
            if let Some((_, other)) = twin {
                self.fault(
                    &trail.key(key),
                    format_args!("is the token of {other} too; one bot is one account"),
                );
            }
        }
    }

    fn door(&mut self, keys: &DoorKeys, trail: &Trail) -> Door {
        let direct = keys.dm_policy.unwrap_or_default();
        let allow_from =
            self.optional_ids(keys.allow_from.as_ref(), &trail.key("allowFrom")).unwrap_or_default();
        if direct == DirectPolicy::Open && !allow_from.iter().any(|id| id == "*") {
            let message = "\"open\" lets everybody in and needs \"*\" in allowFrom to say that this is meant";
            self.fault(&trail.key("dmPolicy"), message);
        }
        let groups = keys.groups.iter().flat_map(|groups| &groups.0);
        let groups = groups.map(|(id, Group { rule, topics })| {
            (id.clone(), self.group_rule(rule, ("topics", topics), &trail.key("groups").key(id)))
        });
        let groups = groups.collect();
        let directs = keys.direct.iter().flat_map(|directs| &directs.0);
        let directs = directs.map(|(id, direct)| {
            let place = trail.key("direct").key(id);
            (id.clone(), self.chat_rule(&direct.chat, ("topics", &direct.topics), &place))
        });
        let directs = directs.collect();
        Door {
            direct,
            allow_from,
            group: keys.group_policy.unwrap_or(GroupPolicy::Allowlist),
            group_allow_from: self.optional_ids(keys.group_allow_from.as_ref(), &trail.key("groupAllowFrom")),
            groups,
            directs,
        }
    }

    fn group_rule(&mut self, rule: &GroupKeys, topics: (&str, &Entries<Topic>), trail: &Trail) -> GroupRule {
        GroupRule {
            require_mention: rule.require_mention.unwrap_or(true),
            bare_commands: rule.bare_commands.unwrap_or(true),
            allow_from: self.optional_ids(rule.allow_from.as_ref(), &trail.key("allowFrom")),
            reasoning: rule.reasoning_in_groups.unwrap_or(false),
            chat: self.chat_rule(&rule.chat, topics, trail),
        }
    }

    fn chat_rule(
        &mut self,
        chat: &ChatKeys,
        (key, topics): (&str, &Entries<Topic>),
        trail: &Trail,
    ) -> ChatRule {
        let topics = topics.0.iter().map(|(id, topic)| {
            let place = trail.key(key).key(id).key("allowFrom");
            let rule = TopicRule {
                require_mention: topic.require_mention,
                allow_from: self.optional_ids(topic.allow_from.as_ref(), &place),
                defaults: chat_defaults(&topic.chat),
                prompt: topic.chat.prompt.clone().unwrap_or_default(),
            };
            (id.clone(), rule)
        });
        ChatRule {
            topics: topics.collect::<BTreeMap<_, _>>(),
            defaults: chat_defaults(chat),
            prompt: chat.prompt.clone().unwrap_or_default(),
        }
    }

    fn optional_ids(&mut self, ids: Option<&Vec<Id>>, trail: &Trail) -> Option<Vec<String>> {
        ids.map(|ids| self.ids(ids, trail))
    }
}

/// The account of the block itself, where it has a token or no others are named, and then the named ones.
fn accounts<'a, K: Clone>(
    channel: &str,
    trail: &Trail,
    (keys, door, has_token): (&K, &DoorKeys, bool),
    named: impl Iterator<Item = (&'a String, K, DoorKeys)>,
) -> Vec<Written<K>> {
    let account = |id: &str| Account { channel: channel.into(), id: id.into() };
    let named: Vec<Written<K>> = named
        .map(|(id, keys, door)| Written {
            account: account(id),
            trail: trail.key("accounts").key(id),
            keys,
            door,
        })
        .collect();
    let alone = named.is_empty() || has_token;
    let own =
        Written { account: account("default"), trail: trail.clone(), keys: keys.clone(), door: door.clone() };
    alone.then_some(own).into_iter().chain(named).collect()
}

pub(super) fn web(web: &Web) -> WebPage {
    let usual = || defaults::WEB_BIND.parse().ok();
    let bind = web.bind.as_ref().map(|Text(Address(address))| *address).or_else(usual);
    WebPage { bind: bind.filter(|_| web.enabled.unwrap_or(true)) }
}

fn chat_defaults(chat: &ChatKeys) -> DirectiveDefaults {
    DirectiveDefaults {
        think: chat.thinking_default.as_ref().map(|word| word.0),
        fast: chat.fast_mode_default.as_ref().map(|word| word.0),
        verbose: chat.verbose_default.as_ref().map(|word| word.0),
        reasoning: chat.reasoning_default.as_ref().map(|word| word.0),
    }
}

fn visibility(keys: Option<Visibility>) -> HeartbeatVisibility {
    let keys = keys.unwrap_or_default();
    HeartbeatVisibility {
        show_ok: keys.show_ok.unwrap_or(false),
        show_alerts: keys.show_alerts.unwrap_or(true),
        use_indicator: keys.use_indicator.unwrap_or(true),
    }
}
