//! What goes out: bodies, the parts that a channel makes of them, the operations, and how each can end.

use std::ops::Range;
use std::time::Duration;

use async_trait::async_trait;

use crate::ids::{AgentId, MessageId};
use crate::inbound::{AttachmentKind, ChatKind, Place};
use crate::media::Media;
use crate::store::OutboxKind;

/// A message as the engine means it, before a channel gives it its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// What a model wrote: Markdown.
    Markdown(String),
    /// The same with words of ours around it, which are no Markdown and change nothing in how it is read.
    Framed {
        /// At the beginning of its first line; empty for nothing.
        before: String,
        /// What a model wrote.
        markdown: String,
        /// Below it; empty for nothing.
        after: String,
    },
    /// Our own words, shown letter for letter.
    Plain(String),
    /// What a model thought, shown as its own foldable message.
    Thinking(String),
}

/// How a stretch of a [`Part`] is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Style {
    /// Bold.
    Bold,
    /// Italic.
    Italic,
    /// Underlined.
    Underline,
    /// Struck through.
    Strike,
    /// Hidden until touched.
    Spoiler,
    /// Fixed width inside a line.
    Code,
    /// A block of fixed width; the language may be empty.
    Pre {
        /// The info string of the fence.
        language: String,
    },
    /// A quotation.
    Quote,
    /// A quotation that is folded until touched.
    Fold,
    /// A link.
    Link {
        /// Where it leads.
        url: String,
    },
}

/// A stretch of text with a style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Byte range of the part's text.
    pub range: Range<usize>,
    /// How it is shown.
    pub style: Style,
}

/// One message of a platform: fits its limits, ready to send, the same after a restart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// The text.
    pub text: String,
    /// Its styles, by start.
    pub marks: Vec<Mark>,
    /// How it and those behind it can be sent as one, where the channel prefers that.
    pub whole: Option<Whole>,
    /// A file that goes with it.
    pub file: Option<Enclosure>,
}

/// A file of an agent's workspace that goes out with a part. It is read when the part is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enclosure {
    /// Whose workspace.
    pub agent: AgentId,
    /// Where in it.
    pub path: String,
    /// What it is called where it arrives.
    pub name: String,
    /// What it is to people.
    pub kind: AttachmentKind,
    /// The least private chat that it touches: that where it was asked for, or that where it goes. It is read as from there.
    pub shelf: ChatKind,
}

/// One richer message in place of several parts. A channel that is handed a part with it sends it and nothing else of the
/// part. Delivered, the other parts are not sent; refused for the style or for ever, they are sent without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// What the channel sends, in words of its own.
    pub form: String,
    /// How many parts it stands for, the one that carries it included.
    pub parts: usize,
}

/// A button under a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    /// What it says.
    pub label: String,
    /// What comes back when it is pressed; at most 64 bytes.
    pub data: String,
}

/// What goes with a part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extras {
    /// Buttons, in reading order; the channel lays them out. Dropped by channels without buttons.
    pub buttons: Vec<Button>,
    /// The message that this one answers.
    pub reply_to: Option<MessageId>,
    /// Whether a channel that shows what is answered shows it here.
    pub quote: Quote,
    /// The file of the part, as it was read.
    pub file: Option<Media>,
    /// Whether more follows for the message that this one answers.
    pub finality: Finality,
    /// What kind of letter it belongs to.
    pub kind: OutboxKind,
}

/// Whether it is shown which message is answered. Of several parts not each one says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quote {
    /// It is.
    #[default]
    Shown,
    /// It is not: a part before it did, or one behind it will.
    Hidden,
}

/// Whether a message is the last of what answers another one. A channel that is asked for one turn ends with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Finality {
    /// More follows, or nobody asked.
    #[default]
    More,
    /// The turn is over with this one.
    Last,
    /// The same, and it came to nothing: this says why.
    Failed,
}

/// Why a platform said no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Passing trouble on its side, or it was never reached: nothing has landed, try again.
    Again,
    /// It does not take the styles: the plain text may pass.
    Style,
    /// The topic is gone: once more without it.
    TopicGone,
    /// The chat is gone or we are not welcome there: give up and remember.
    ChatGone,
    /// The account may do nothing at all until an operator acts.
    Account,
    /// It will never take this.
    Never,
}

/// How an operation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<T> {
    /// It landed.
    Delivered(T),
    /// It already was as asked.
    Unchanged,
    /// The platform answered no; nothing has landed.
    Refused {
        /// What kind of no.
        refusal: Refusal,
        /// Its words, for the log.
        why: String,
    },
    /// The platform asks for silence in this chat first; nothing has landed.
    Wait(Duration),
    /// No answer that tells: it may have landed.
    Unknown {
        /// What was seen instead, for the log.
        why: String,
    },
}

/// Sends messages of one account. Every channel has one.
#[async_trait]
pub trait Outlet: Send + Sync {
    /// Gives a body its form and splits it by the channel's limits. Pure; an empty or invisible body gives no parts.
    fn render(&self, body: &Body) -> Vec<Part>;

    /// Sends one part, once: no retries inside, so that the caller knows what may have landed. Called in order for a
    /// chat, after the part before it ended.
    async fn send(&self, to: &Place, part: &Part, extras: &Extras) -> Outcome<MessageId>;
}

/// Shows that an answer is being made. Only where the platform can.
#[async_trait]
pub trait Typing: Send + Sync {
    /// How long one call lasts; it is repeated sooner while a run goes on.
    fn lasts(&self) -> Duration;

    /// Shows it once. Failure is never worth more than a debug line.
    async fn show(&self, to: &Place) -> Outcome<()>;
}

/// How the text is shown that answers a press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lasting {
    /// For a moment.
    Briefly,
    /// Until it is put away.
    AsMessage,
}

/// Answers the press of a button. Only where the platform expects it.
#[async_trait]
pub trait Presses: Send + Sync {
    /// Ends the waiting sign on the button, with a short text when there is something to say.
    async fn answer(&self, query: &str, text: Option<&str>) -> Outcome<()>;

    /// What becomes of the text: where it stays, nobody needs to be told the same below.
    fn lasting(&self) -> Lasting;
}

/// An answer in the making, as it is to be shown now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Preview {
    /// Which run: previews of two runs in one chat never mix. Never zero.
    pub stream: i64,
    /// The reasoning so far, where it is shown live.
    pub thinking: Option<String>,
    /// The answer so far, as Markdown that may break off anywhere; empty while the model thinks.
    pub markdown: String,
    /// The message that is being answered.
    pub reply_to: Option<MessageId>,
}

/// How a chat takes previews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tempo {
    /// At least this long between two of them.
    pub every: Duration,
    /// After this long a preview fades and must be shown again; nothing where it stays.
    pub fades: Option<Duration>,
    /// Whether each one counts against the chat's budget of messages.
    pub cost: Cost,
}

/// Whether showing a preview uses up what the platform allows a chat in messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// It does, like any message.
    Message,
    /// It does not.
    Free,
}

/// Shows answers while they are made. Only where the platform can.
#[async_trait]
pub trait Previews: Send + Sync {
    /// How a chat takes them; nothing where it takes none. May change as methods turn out to be refused there.
    fn tempo(&self, to: &Place) -> Option<Tempo>;

    /// Shows the newest state, once, by the best method that this chat is known to take; a method that is refused is not
    /// tried there again, and the next one is. `standing` is the message that an earlier call gave, to be changed. Gives the
    /// message that stands now, where a real one does; nothing where the preview vanishes by itself.
    async fn show(
        &self,
        to: &Place,
        preview: &Preview,
        standing: Option<&MessageId>,
    ) -> Outcome<Option<MessageId>>;

    /// Turns a standing preview into a part of the final text.
    async fn settle(
        &self,
        to: &Place,
        standing: &MessageId,
        part: &Part,
        extras: &Extras,
    ) -> Outcome<MessageId>;

    /// Takes a standing preview away.
    async fn remove(&self, to: &Place, standing: &MessageId) -> Outcome<()>;
}

/// The outward ports of one account.
#[derive(Clone)]
pub struct Outward {
    /// Messages.
    pub outlet: std::sync::Arc<dyn Outlet>,
    /// Answers in the making, where offered.
    pub previews: Option<std::sync::Arc<dyn Previews>>,
    /// The typing sign, where offered.
    pub typing: Option<std::sync::Arc<dyn Typing>>,
    /// Button presses, where offered.
    pub presses: Option<std::sync::Arc<dyn Presses>>,
    /// How many messages a chat takes; nothing where that is no question.
    pub pace: Option<Pace>,
    /// What came with messages, where it can be fetched.
    pub attachments: Option<std::sync::Arc<dyn crate::media::Attachments>>,
    /// Where people's apps cut what they type; nothing where they do not.
    pub cut: Option<Cut>,
    /// What files it takes; nothing where it takes none.
    pub files: Option<FileLimits>,
}

/// What files the platform lets us send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLimits {
    /// Bytes of one.
    pub bytes: usize,
    /// Length of the text that goes with one, in UTF-16 units. A longer one comes behind it, as messages of its own.
    pub caption: usize,
}

/// How many messages the platform lets us make in one chat, edits included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// At once.
    pub burst: u32,
    /// After the burst, one in this time.
    pub every: Duration,
    /// The most in a chat of several people, and in what time.
    pub shared: Option<(usize, Duration)>,
}

impl Pace {
    /// As many as one likes.
    pub const FREE: Self = Self { burst: u32::MAX, every: Duration::ZERO, shared: None };
}

/// How long a text people can send at once, in UTF-16 units. Their apps make several messages of a longer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// From this length on a text may have been cut: apps look for the end of a line or a word.
    pub near: usize,
    /// No text is longer.
    pub most: usize,
}
