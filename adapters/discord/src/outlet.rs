//! Sends: a part becomes one message, and beside it the typing sign. What answers a slash command goes to the desk, which shows
//! it to whoever called it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::ids::MessageId;
use pensive_contract::inbound::{ChatKind, Place};
use pensive_contract::media::Media;
use pensive_contract::outward::{
    Body, Cut, Extras, FileLimits, Outcome, Outlet, Outward, Pace, Part, Refusal, Typing,
};
use reqwest::Method;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::address::{channel, unaddressed};
use crate::buckets::Rank;
use crate::client::{CallFault, Client, Payload};
use crate::files::Files;
use crate::handle::Handle;
use crate::interactions::{Desk, Reply};
use crate::letter::{Letter, Manners};
use crate::previews::Faces;
use crate::render::render;
use crate::routes;
use crate::verdict::{MISSING_PERMISSIONS, UNKNOWN_CHANNEL, code, is_about_reply, verdict};

/// A typing sign fades after this long (<https://docs.discord.com/developers/resources/channel#trigger-typing-indicator>).
const TYPING_LASTS: Duration = Duration::from_secs(10);
/// As many messages as Discord usually lets a bot make in a channel; what it tells with its answers goes before this.
const PACE: Pace = Pace { burst: 5, every: Duration::from_secs(1), shared: None };
/// 2,000 characters is the longest text that people without a subscription can send
/// (<https://docs.discord.com/developers/resources/message#create-message>).
const CUT: Cut = Cut { near: 1_900, most: 2_000 };
/// A file that every channel takes, beside a whole message (<https://docs.discord.com/developers/reference#uploading-files>).
const FILES: FileLimits = FileLimits { bytes: 10 << 20, caption: CUT.most };

/// The ports of one account that lead outward.
pub(crate) fn outward(client: Client, desk: Arc<Desk>, manners: Manners) -> Outward {
    let attachments = Arc::new(Files { client: client.clone() });
    let lines = Arc::new(Lines::new(client, Arc::clone(&desk), manners));
    Outward {
        outlet: lines.clone(),
        previews: Some(lines.clone()),
        typing: Some(lines),
        presses: Some(desk),
        pace: Some(PACE),
        attachments: Some(attachments),
        cut: Some(CUT),
        files: Some(FILES),
    }
}

/// The outward side of one account.
pub(crate) struct Lines {
    pub(crate) client: Client,
    pub(crate) desk: Arc<Desk>,
    pub(crate) manners: Manners,
    /// What standing previews show.
    pub(crate) faces: Faces,
}

/// What Discord says of a message that it took.
#[derive(Deserialize)]
struct Sent {
    id: serenity::model::id::MessageId,
}

/// A conversation that was opened.
#[derive(Deserialize)]
struct Opened {
    id: serenity::model::id::ChannelId,
}

impl Lines {
    fn new(client: Client, desk: Arc<Desk>, manners: Manners) -> Self {
        Self { client, desk, manners, faces: Faces::default() }
    }

    /// Makes a message; gives its id. A reply that is refused for what it answers is told without it.
    pub(crate) async fn post(
        &self,
        rank: Rank,
        channel: u64,
        letter: &Letter,
        file: Option<&Media>,
    ) -> Result<u64, CallFault> {
        let post = async |letter: &Letter| {
            let payload = letter.payload(file.cloned())?;
            let route = routes::messages(channel);
            self.client.call_as::<Sent>(rank, Method::POST, &route, payload).await
        };
        let sent = match post(letter).await {
            Err(fault) if is_about_reply(&fault) => match letter.unreferred() {
                Some(letter) => post(&letter).await,
                None => Err(fault),
            },
            sent => sent,
        };
        sent.map(|sent| sent.id.get())
    }

    /// The channel of a conversation with one person; nothing where the number is nobody's.
    async fn direct(&self, person: u64) -> Option<u64> {
        let json = format!("{{\"recipient_id\":\"{person}\"}}");
        let payload = Payload::Json(json.into_bytes());
        let opened = self.client.call::<Opened>(Method::POST, &routes::directs(), payload).await;
        opened.ok().map(|opened| opened.id.get())
    }
}

#[async_trait]
impl Outlet for Lines {
    fn render(&self, body: &Body) -> Vec<Part> {
        render(body)
    }

    async fn send(&self, to: &Place, part: &Part, extras: &Extras) -> Outcome<MessageId> {
        let Some(channel) = channel(to) else { return unaddressed(to) };
        let letter = Letter::new(to, part, extras, self.manners);
        if let Some(Handle::Command(interaction) | Handle::Private { through: interaction, .. }) =
            extras.reply_to.as_ref().and_then(Handle::read)
            && let Reply::Ended(outcome) = self.desk.reply(&interaction, &letter, extras.file.clone()).await
        {
            return outcome;
        }
        let mut sent = self.post(Rank::Due, channel, &letter, extras.file.as_ref()).await;
        // Whoever pushes to a person knows their id, and not that of their channel.
        if let Err(fault) = &sent
            && to.kind == ChatKind::Direct
            && code(fault) == Some(UNKNOWN_CHANNEL)
            && let Some(direct) = self.direct(channel).await
        {
            sent = self.post(Rank::Due, direct, &letter, extras.file.as_ref()).await;
        }
        match sent {
            Ok(id) => Outcome::Delivered(Handle::Message(id).mint()),
            // Text may pass where files do not.
            Err(fault) if extras.file.is_some() && code(&fault) == Some(MISSING_PERMISSIONS) => {
                Outcome::Refused { refusal: Refusal::Never, why: fault.to_string() }
            }
            // A thread that is gone is no reason to speak in its channel: those who read there may not have read it.
            Err(fault) => verdict(&fault),
        }
    }
}

#[async_trait]
impl Typing for Lines {
    fn lasts(&self) -> Duration {
        TYPING_LASTS
    }

    async fn show(&self, to: &Place) -> Outcome<()> {
        let Some(channel) = channel(to) else { return unaddressed(to) };
        let route = routes::typing(channel);
        match self.client.call_as::<IgnoredAny>(Rank::Spare, Method::POST, &route, Payload::None).await {
            Ok(_) => Outcome::Delivered(()),
            Err(fault) => match verdict(&fault) {
                // The limit is of the sign alone: no message need wait for it.
                Outcome::Wait(_) => Outcome::Unchanged,
                outcome => outcome,
            },
        }
    }
}
