//! Accounts: each bot's keys over those of the block around it.

use pensive_contract::ids::Account;

use super::Builder;
use super::doors::{Spot, is_number};
use crate::channels::{
    DiscordAccount, HeartbeatVisibility, RichMessages, SlashCommands, Streaming, TelegramAccount, WebPage,
    Webhook,
};
use crate::defaults;
use crate::fault::quoted;
use crate::file::channels::{
    Discord, DiscordKeys, DoorKeys, Guild, HeartbeatVisibility as Visibility, SlashCommands as Slash,
    SlashWord, Telegram, TelegramKeys, Web,
};
use crate::file::values::{Id, SecretText, Text};
use crate::format::{Address, Url};
use crate::secret::SecretSource;
use crate::trail::Trail;

/// One account before it is built: its name, where it stands, and its keys with those of the block around it put in.
struct Written<K> {
    account: Account,
    spot: Spot,
    keys: K,
    door: DoorKeys,
}

/// `$over` with what it leaves open taken from `$base`, key by key.
macro_rules! over {
    ($type:ident, $over:expr, $base:expr, $($key:ident),+) => {
        $type { $($key: $over.$key.clone().or_else(|| $base.$key.clone())),+ }
    };
}

#[rustfmt::skip]
fn telegram_keys(over: &TelegramKeys, base: &TelegramKeys) -> TelegramKeys {
    over!(TelegramKeys, over, base, enabled, bot_token, streaming, rich_messages, api_root, mention_patterns, webhook_url,
        webhook_secret, heartbeat)
}

#[rustfmt::skip]
fn discord_keys(over: &DiscordKeys, base: &DiscordKeys) -> DiscordKeys {
    over!(DiscordKeys, over, base, enabled, token, guilds, streaming, api_root, mention_patterns, allowed_mentions,
        link_previews, allow_bots, commands, shards, heartbeat)
}

fn door_keys(over: &DoorKeys, base: &DoorKeys) -> DoorKeys {
    over!(DoorKeys, over, base, dm_policy, allow_from, group_policy, group_allow_from, groups, direct)
}

const TELEGRAM_TOKEN: &str = "TELEGRAM_BOT_TOKEN";
const DISCORD_TOKEN: &str = "DISCORD_BOT_TOKEN";

impl Builder<'_> {
    pub(super) fn telegram(&mut self, block: Option<&Telegram>) -> Vec<TelegramAccount> {
        let absent = Telegram::default();
        if block.is_none() && self.environment.get(TELEGRAM_TOKEN).is_none() {
            return Vec::new();
        }
        let Telegram { keys, door, accounts: named } = block.unwrap_or(&absent);
        let named = named.0.iter();
        let named =
            named.map(|(id, entry)| (id, telegram_keys(&entry.keys, keys), door_keys(&entry.door, door)));
        let written = accounts("telegram", (keys.clone(), door.clone()), keys.bot_token.is_some(), named);
        let on = written.into_iter().filter(|written| written.keys.enabled != Some(false));
        let bots: Vec<_> = on.map(|written| (self.telegram_account(&written), written.spot.own)).collect();
        self.refuse_twins(&bots, "botToken", |bot| &bot.token);
        bots.into_iter().map(|(bot, _)| bot).collect()
    }

    fn telegram_account(&mut self, written: &Written<TelegramKeys>) -> TelegramAccount {
        let Written { account, spot, keys, door } = written;
        let token = (keys.bot_token.as_ref(), TELEGRAM_TOKEN);
        TelegramAccount {
            token: self.token(token, account, &self.place(spot, "botToken")),
            api_root: root(keys.api_root.as_ref(), defaults::TELEGRAM_ROOT),
            door: self.door(door, spot),
            streaming: keys.streaming.unwrap_or(Streaming::Partial),
            rich_messages: keys.rich_messages.unwrap_or(RichMessages::Auto),
            mention_patterns: keys.mention_patterns.clone().unwrap_or_default(),
            webhook: self.webhook(keys, account, spot),
            heartbeat: visibility(keys.heartbeat),
            account: account.clone(),
        }
    }

    fn webhook(&mut self, keys: &TelegramKeys, account: &Account, spot: &Spot) -> Option<Webhook> {
        let Text(Url(url)) = keys.webhook_url.as_ref()?;
        let Some(secret) = &keys.webhook_secret else {
            if !self.holds(&self.place(spot, "webhookSecret")) {
                let message = "needs webhookSecret beside it, so that nobody else can call it";
                self.fault(&self.place(spot, "webhookUrl"), message);
            }
            return None;
        };
        let secret = self.secret(secret, &account.to_string(), &self.place(spot, "webhookSecret"));
        Some(Webhook { url: url.clone(), secret })
    }

    pub(super) fn discord(&mut self, block: Option<&Discord>) -> Vec<DiscordAccount> {
        let absent = Discord::default();
        if block.is_none() && self.environment.get(DISCORD_TOKEN).is_none() {
            return Vec::new();
        }
        let Discord { keys, door, accounts: named } = block.unwrap_or(&absent);
        let named = named.0.iter();
        let named =
            named.map(|(id, entry)| (id, discord_keys(&entry.keys, keys), door_keys(&entry.door, door)));
        let written = accounts("discord", (keys.clone(), door.clone()), keys.token.is_some(), named);
        let on = written.into_iter().filter(|written| written.keys.enabled != Some(false));
        let bots: Vec<_> = on.map(|written| (self.discord_account(&written), written.spot.own)).collect();
        self.refuse_twins(&bots, "token", |bot| &bot.token);
        bots.into_iter().map(|(bot, _)| bot).collect()
    }

    fn discord_account(&mut self, written: &Written<DiscordKeys>) -> DiscordAccount {
        let Written { account, spot, keys, door } = written;
        let trail = self.place(spot, "guilds");
        let guilds = keys.guilds.iter().flat_map(|guilds| &guilds.0);
        let guilds = guilds.map(|(id, guild)| {
            let place = trail.key(id);
            self.guild_ids(id, guild, &place);
            (id.clone(), self.group_rule(&guild.rule, &guild.channels, (&place, &place.key("channels"))))
        });
        DiscordAccount {
            guilds: guilds.collect(),
            token: self.token((keys.token.as_ref(), DISCORD_TOKEN), account, &self.place(spot, "token")),
            api_root: root(keys.api_root.as_ref(), defaults::DISCORD_ROOT),
            door: self.door(door, spot),
            streaming: keys.streaming.unwrap_or(Streaming::Progress),
            mention_patterns: keys.mention_patterns.clone().unwrap_or_default(),
            allowed_mentions: keys.allowed_mentions.clone().unwrap_or_default(),
            link_previews: keys.link_previews.unwrap_or(false),
            allow_bots: keys.allow_bots.unwrap_or(false),
            commands: self.slash_commands(keys.commands.as_ref(), &self.place(spot, "commands")),
            shards: keys.shards,
            heartbeat: visibility(keys.heartbeat),
            account: account.clone(),
        }
    }

    /// Rules under a name or a mistyped id would never hold.
    fn guild_ids(&mut self, id: &str, guild: &Guild, place: &Trail) {
        if id != "*" && !is_number(id) {
            let message = "must be the id of a guild, a number; for all other guilds write \"*\"";
            self.fault(place, message);
        }
        for (id, _) in guild.channels.0.iter().filter(|(id, _)| !is_number(id)) {
            let message = "must be the id of a channel or thread, a number; what holds for the whole guild stands beside channels";
            self.fault(&place.key("channels").key(id), message);
        }
    }

    fn slash_commands(&mut self, written: Option<&Slash>, trail: &Trail) -> SlashCommands {
        match written {
            None | Some(Slash::Word(SlashWord::Global)) => SlashCommands::Global,
            Some(Slash::Word(SlashWord::Off)) => SlashCommands::Off,
            Some(Slash::Guilds(ids)) => {
                for (index, Id(id)) in ids.iter().enumerate() {
                    if !is_number(id.trim()) {
                        let message = format_args!(
                            "must be the id of a guild, a number, not {}; for all guilds write commands: \"global\"",
                            quoted(id)
                        );
                        self.fault(&trail.index(index), message);
                    }
                }
                SlashCommands::Guilds(ids.iter().map(|Id(id)| id.trim().to_owned()).collect())
            }
        }
    }

    /// An account's token: the written one, else that of the environment.
    fn token(
        &mut self,
        (text, variable): (Option<&SecretText>, &str),
        account: &Account,
        trail: &Trail,
    ) -> SecretSource {
        let text = text.cloned().unwrap_or_else(|| SecretText::variable(variable));
        self.secret(&text, &account.to_string(), trail)
    }

    /// Two accounts with one token would take each other's messages.
    fn refuse_twins<B>(&mut self, bots: &[(B, Trail)], key: &str, token: impl Fn(&B) -> &SecretSource) {
        for (index, (bot, trail)) in bots.iter().enumerate() {
            let mut before = bots.iter().take(index);
            if let Some((_, other)) = before.find(|(other, _)| token(bot).same_place(token(other))) {
                self.fault(
                    &trail.key(key),
                    format_args!("is the token of {other} too; one bot is one account"),
                );
            }
        }
    }
}

/// The account of the block itself, where it has a token or no others are named, and then the named ones.
fn accounts<'a, K>(
    channel: &str,
    (keys, door): (K, DoorKeys),
    has_token: bool,
    named: impl Iterator<Item = (&'a String, K, DoorKeys)>,
) -> Vec<Written<K>> {
    let around = Trail::of(&["channels", channel]);
    let account = |id: &str| Account { channel: channel.into(), id: id.into() };
    let spot = |own: Trail| Spot { own, around: around.clone() };
    let named = named.map(|(id, keys, door)| {
        let spot = spot(around.key("accounts").key(id));
        Written { account: account(id), spot, keys, door }
    });
    let named: Vec<Written<K>> = named.collect();
    let alone = named.is_empty() || has_token;
    let own = Written { account: account("default"), spot: spot(around.clone()), keys, door };
    alone.then_some(own).into_iter().chain(named).collect()
}

pub(super) fn web(web: &Web) -> WebPage {
    let usual = || defaults::WEB_BIND.parse().ok();
    let bind = web.bind.as_ref().map(|Text(Address(address))| *address).or_else(usual);
    WebPage { bind: bind.filter(|_| web.enabled.unwrap_or(true)) }
}

fn root(written: Option<&Text<Url>>, usual: &str) -> String {
    written.map_or_else(|| usual.to_owned(), |Text(Url(root))| root.clone())
}

fn visibility(keys: Option<Visibility>) -> HeartbeatVisibility {
    let keys = keys.unwrap_or_default();
    HeartbeatVisibility {
        show_ok: keys.show_ok.unwrap_or(false),
        show_alerts: keys.show_alerts.unwrap_or(true),
        use_indicator: keys.use_indicator.unwrap_or(true),
    }
}
