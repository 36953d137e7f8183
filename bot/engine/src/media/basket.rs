//! What came with a message, fetched as its run begins: within bounds, known by its bytes, recordings written down where
//! the model does not listen. The person is told of what came to nothing.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::join_all;
use pensive_contract::clock::within;
use pensive_contract::inbound::{Attachment, AttachmentKind};
use pensive_contract::media::{Attachments, FetchFault, Media, MediaKind};
use pensive_contract::model::PromptTurn;

use super::fit::missing;
use super::mark::thing;
use super::sort::{Sort, sort};
use super::{Ears, Means, PLAIN, marked};
use crate::core::Core;
use crate::course::Course;
use crate::present::Event;
use crate::prompt;
use crate::run::Pending;

/// The most that is looked at of one message.
const MOST_THINGS: usize = 10;
/// Bytes of one thing, and of all: requests of the size are taken by the providers that are known by name.
const MOST_BYTES: usize = 10 << 20;
const MOST_IN_ALL: usize = 20 << 20;
/// Bytes of a document that is words.
const MOST_WORDS: usize = 256 << 10;
/// Fetched at the same time.
const AT_ONCE: usize = 4;
/// Pauses before something is asked for again.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(3)];
/// How long writing one recording down may take.
const LISTENING: Duration = Duration::from_mins(2);

/// What a message brought.
#[derive(Debug, Default)]
struct Basket {
    media: Vec<Media>,
    /// What was said in recordings.
    said: Vec<String>,
    /// What came to nothing, in words for the person.
    lines: Vec<String>,
    /// The same in words for the model.
    asides: Vec<String>,
}

/// What became of one thing.
enum Got {
    Media(Media),
    Said(String),
    /// Nothing; the words are for the person.
    Nothing(String),
}

impl Course<'_> {
    /// A message as turns for the model: what came along, then the words.
    ///
    /// # Errors
    /// Nothing was said beside what came to nothing; the words are for the person.
    pub(crate) async fn receive(&self, pending: &Pending) -> Result<Vec<PromptTurn>, String> {
        let attachments = &pending.inbound.attachments;
        if attachments.is_empty() {
            return Ok(vec![PromptTurn::User(named(pending))]);
        }
        let basket = fill(self.bearings.core, pending).await;
        let mute = pending.text.trim().is_empty() && !attachments.iter().any(is_words);
        if mute && basket.media.is_empty() && basket.said.is_empty() && !basket.lines.is_empty() {
            return Err(basket.lines.join("\n"));
        }
        for line in basket.lines {
            self.bearings.screen.tell(Event::Note(format!("⚙️ {line}"))).await;
        }
        if !basket.said.is_empty() {
            // A message is received once in a run; another clone of it would have heard the same.
            pending.said.get_or_init(|| basket.said.join("\n"));
        }
        let asides = basket.asides.iter().map(|words| aside(words));
        let media: Vec<Media> = basket.media.into_iter().chain(asides).collect();
        let along = (!media.is_empty()).then_some(PromptTurn::Media(media));
        Ok(along.into_iter().chain([PromptTurn::User(named(pending))]).collect())
    }
}

/// What the message is in the transcript too, with the sender's name where there are several.
fn named(pending: &Pending) -> String {
    let text = marked(&pending.text, &pending.inbound.attachments, pending.said.get().map(String::as_str));
    prompt::said(pending.turn().name.as_deref(), &text)
}

/// A sticker says by its mark what it stands for.
fn is_words(sent: &Attachment) -> bool {
    sent.kind == AttachmentKind::Sticker
}

/// Words of ours for the model, which are kept nowhere.
fn aside(words: &str) -> Media {
    Media { kind: MediaKind::Document, mime: PLAIN.to_owned(), name: None, bytes: words.as_bytes().into() }
}

async fn fill(core: &Arc<Core>, pending: &Pending) -> Basket {
    let mut basket = Basket::default();
    let outward = core.ports.outward.get(&pending.inbound.place.account);
    let port = outward.and_then(|outward| outward.attachments.clone());
    let takes = core.ports.model.limits(&pending.model).takes;
    let ears = ears(core);
    let means = Means { model: &pending.model, takes, ears, fetches: port.is_some() };
    let all = &pending.inbound.attachments;
    let (wanted, unwanted): (Vec<&Attachment>, Vec<&Attachment>) =
        all.iter().filter(|sent| !is_words(sent)).partition(|sent| means.are_for(sent.kind));
    // Of these the desk has told.
    basket.asides.extend(unwanted.iter().map(|sent| missing(&format!("a {}", thing(sent)))));
    let Some(port) = port else { return basket };
    if wanted.len() > MOST_THINGS {
        basket.lines.push(format!("I looked at the first {MOST_THINGS} of what you sent."));
    }
    let mut fetched: Vec<(&Attachment, Result<Vec<u8>, String>)> = Vec::new();
    for some in wanted.get(..wanted.len().min(MOST_THINGS)).unwrap_or_default().chunks(AT_ONCE) {
        let fetching: Vec<_> = some.iter().map(|sent| fetch(core, &*port, sent).boxed()).collect();
        fetched.extend(some.iter().copied().zip(join_all(fetching).await));
    }
    let mut left = MOST_IN_ALL;
    for (sent, bytes) in fetched {
        let got = match bytes {
            Ok(bytes) if bytes.len() > left => {
                Got::Nothing(format!("That was too much at once, so I left out the {}.", thing(sent)))
            }
            Ok(bytes) => {
                left -= bytes.len();
                made(core, sent, bytes, means).await
            }
            Err(line) => Got::Nothing(line),
        };
        basket.put(sent, got, means);
    }
    basket
}

impl Basket {
    fn put(&mut self, sent: &Attachment, got: Got, means: Means<'_>) {
        match got {
            Got::Media(media) => {
                if media.mime != PLAIN && !means.takes.contains(&media.kind) {
                    self.lines.push(format!("{} cannot look at the {}.", means.model, thing(sent)));
                }
                self.media.push(media);
            }
            Got::Said(words) => self.said.push(words),
            Got::Nothing(line) => {
                self.asides.push(missing(&format!("a {}", thing(sent))));
                self.lines.push(line);
            }
        }
    }
}

/// Who listens beside the model.
pub(crate) fn ears(core: &Core) -> Ears {
    if core.ports.transcriber.is_some() { Ears::Transcriber } else { Ears::None }
}

/// All bytes of a thing; else words for the person.
async fn fetch(core: &Core, port: &dyn Attachments, sent: &Attachment) -> Result<Vec<u8>, String> {
    let mut pauses = PAUSES.iter();
    loop {
        let fault = match port.fetch(sent, MOST_BYTES).await {
            Ok(bytes) => return Ok(bytes),
            Err(fault) => fault,
        };
        let cause = match &fault {
            FetchFault::TooLarge => {
                return Err(format!(
                    "The {} is larger than {} MB, so I left it out.",
                    thing(sent),
                    MOST_BYTES >> 20
                ));
            }
            FetchFault::Gone(cause) | FetchFault::Trouble(cause) => core.ports.masker.mask(cause),
        };
        let pause = pauses.next().filter(|_| matches!(fault, FetchFault::Trouble(_)));
        tracing::warn!(%cause, again_in = ?pause, "what a person sent was not fetched");
        let Some(pause) = pause else {
            return Err(format!("I could not get hold of the {}.", thing(sent)));
        };
        core.ports.clock.sleep(*pause).await;
    }
}

/// What the bytes of a thing are good for.
async fn made(core: &Core, sent: &Attachment, bytes: Vec<u8>, means: Means<'_>) -> Got {
    let sorted = sort(&bytes).filter(|sorted| is_meant(sent.kind, *sorted));
    let Some(sorted) = sorted else {
        tracing::info!(kind = ?sent.kind, size = bytes.len(), "what a person sent is of no known type");
        return Got::Nothing(format!(
            "I cannot read the {}. I can read pictures, PDF and plain text.",
            thing(sent)
        ));
    };
    let (kind, mime) = match sorted {
        Sort::Media(kind, mime) => (kind, mime),
        Sort::Text if bytes.len() > MOST_WORDS => {
            return Got::Nothing(format!(
                "The {} is longer than {} KB of text, so I left it out.",
                thing(sent),
                MOST_WORDS >> 10
            ));
        }
        Sort::Text => (MediaKind::Document, PLAIN),
    };
    // What has no name is taken for an aside.
    let name = sent.name.clone().or_else(|| (mime == PLAIN).then(|| "document".to_owned()));
    let media = Media { kind, mime: mime.to_owned(), name, bytes: bytes.into() };
    match kind {
        MediaKind::Audio if !means.takes.contains(&kind) => written_down(core, sent, &media).await,
        MediaKind::Audio | MediaKind::Image | MediaKind::Document => Got::Media(media),
    }
}

/// Whether a thing is what it was sent as. A document may be anything.
fn is_meant(kind: AttachmentKind, sorted: Sort) -> bool {
    match kind {
        AttachmentKind::Photo => matches!(sorted, Sort::Media(MediaKind::Image, _)),
        AttachmentKind::Voice | AttachmentKind::Audio => matches!(sorted, Sort::Media(MediaKind::Audio, _)),
        AttachmentKind::Document => true,
        AttachmentKind::Video | AttachmentKind::Sticker => false,
    }
}

async fn written_down(core: &Core, sent: &Attachment, recording: &Media) -> Got {
    let Some(transcriber) = &core.ports.transcriber else {
        return Got::Nothing(format!("I cannot listen to the {}.", thing(sent)));
    };
    match within(&*core.ports.clock, LISTENING, transcriber.transcribe(recording)).await {
        Ok(Ok(words)) if words.trim().is_empty() => {
            Got::Nothing(format!("I heard no words in the {}.", thing(sent)))
        }
        Ok(Ok(words)) => Got::Said(words.trim().to_owned()),
        Ok(Err(fault)) => {
            let cause = core.ports.masker.mask(&fault.log);
            tracing::warn!(%cause, "a recording was not written down");
            Got::Nothing(format!("I could not make out the {}.", thing(sent)))
        }
        Err(_) => {
            tracing::warn!(limit = ?LISTENING, "writing a recording down took too long");
            Got::Nothing(format!("I could not make out the {}.", thing(sent)))
        }
    }
}
