//! The paths of Discord's API that we call. A route's name and its major parameter are what its limits go by
//! (<https://docs.discord.com/developers/topics/rate-limits>).

/// One path, behind `/api/v10`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route {
    /// What it is called, without ids; with the method it names the limit.
    pub(crate) name: &'static str,
    /// The channel, guild or webhook that has limits of its own; empty where there is none.
    pub(crate) major: String,
    /// The path itself, with its ids and its query.
    pub(crate) path: String,
    /// Whether the call carries the bot's token; a path that holds a token of its own does not.
    pub(crate) signed: bool,
}

impl Route {
    fn new(name: &'static str, major: impl ToString, path: String) -> Self {
        Self { name, major: major.to_string(), path, signed: true }
    }

    fn unsigned(self) -> Self {
        Self { signed: false, ..self }
    }
}

pub(crate) fn me() -> Route {
    Route::new("me", "", "/users/@me".to_owned())
}

pub(crate) fn application() -> Route {
    Route::new("application", "", "/applications/@me".to_owned())
}

pub(crate) fn gateway() -> Route {
    Route::new("gateway", "", "/gateway/bot".to_owned())
}

/// Where a conversation with one person is opened.
pub(crate) fn directs() -> Route {
    Route::new("directs", "", "/users/@me/channels".to_owned())
}

/// The guilds that the bot is in, 200 of them at most.
pub(crate) fn guilds() -> Route {
    Route::new("guilds", "", "/users/@me/guilds".to_owned())
}

pub(crate) fn channel(channel: u64) -> Route {
    Route::new("channel", channel, format!("/channels/{channel}"))
}

pub(crate) fn guild_roles(guild: u64) -> Route {
    Route::new("guild roles", guild, format!("/guilds/{guild}/roles"))
}

pub(crate) fn messages(channel: u64) -> Route {
    Route::new("messages", channel, format!("/channels/{channel}/messages"))
}

/// The messages of a channel that are newer than one, the newest first.
pub(crate) fn messages_after(channel: u64, after: u64, limit: u8) -> Route {
    Route::new("messages", channel, format!("/channels/{channel}/messages?after={after}&limit={limit}"))
}

pub(crate) fn message(channel: u64, message: u64) -> Route {
    Route::new("message", channel, format!("/channels/{channel}/messages/{message}"))
}

pub(crate) fn typing(channel: u64) -> Route {
    Route::new("typing", channel, format!("/channels/{channel}/typing"))
}

pub(crate) fn global_commands(application: u64) -> Route {
    Route::new("global commands", "", format!("/applications/{application}/commands"))
}

pub(crate) fn guild_commands(application: u64, guild: u64) -> Route {
    Route::new("guild commands", guild, format!("/applications/{application}/guilds/{guild}/commands"))
}

pub(crate) fn guild_member(guild: u64, user: &str) -> Route {
    Route::new("guild member", guild, format!("/guilds/{guild}/members/{user}"))
}

/// Where an address of an attachment that has run out is exchanged for one that holds.
pub(crate) fn fresh_addresses() -> Route {
    Route::new("fresh addresses", "", "/attachments/refresh-urls".to_owned())
}

/// The first answer to an interaction.
pub(crate) fn callback(interaction: u64, token: &str) -> Route {
    Route::new("callback", interaction, format!("/interactions/{interaction}/{token}/callback")).unsigned()
}

/// The same for an answer whose message is told back.
pub(crate) fn told_callback(interaction: u64, token: &str) -> Route {
    let route = callback(interaction, token);
    Route { path: format!("{}?with_response=true", route.path), ..route }
}

/// A further answer to an interaction.
pub(crate) fn follow_up(application: u64, token: &str) -> Route {
    Route::new("follow-up", token, format!("/webhooks/{application}/{token}")).unsigned()
}

/// An answer to an interaction that stands: `@original` or a message's id.
pub(crate) fn answer(application: u64, token: &str, message: &str) -> Route {
    Route::new("answer", token, format!("/webhooks/{application}/{token}/messages/{message}")).unsigned()
}
