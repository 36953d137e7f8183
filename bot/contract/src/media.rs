//! What people send along with their words: how it is fetched, and what becomes words where a model cannot take it.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use crate::fault::Fault;
use crate::inbound::Attachment;

/// What a model may be able to take beside text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MediaKind {
    /// A picture.
    Image,
    /// Speech or other sound.
    Audio,
    /// A document that is no plain text, such as a PDF.
    Document,
}

/// Something that was fetched and can be handed to a model.
#[derive(Clone, PartialEq, Eq)]
pub struct Media {
    /// What it is.
    pub kind: MediaKind,
    /// Its type as its bytes tell it, such as `image/png`; never what the sender claims.
    pub mime: String,
    /// What the sender calls it, where they call it anything.
    pub name: Option<String>,
    /// The thing itself.
    pub bytes: Arc<[u8]>,
}

impl fmt::Debug for Media {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Media({:?}, {}, {} bytes)", self.kind, self.mime, self.bytes.len())
    }
}

/// Why something was not fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchFault {
    /// It is larger than may be fetched.
    TooLarge,
    /// The platform does not give it out, or not any more; the words are for the log.
    Gone(String),
    /// It was not reached; the words are for the log.
    Trouble(String),
}

/// Fetches what came with messages. Only where the platform offers it, and only for admitted senders.
#[async_trait]
pub trait Attachments: Send + Sync {
    /// All bytes of one, `most` of them at most. No retries inside.
    ///
    /// # Errors
    /// There is nothing to hand on.
    async fn fetch(&self, attachment: &Attachment, most: usize) -> Result<Vec<u8>, FetchFault>;
}

/// Makes words of what was spoken.
#[async_trait]
pub trait Transcriber: Send + Sync {
    /// What is said in a recording; empty when nothing is.
    ///
    /// # Errors
    /// It could not be made out.
    async fn transcribe(&self, recording: &Media) -> Result<String, Fault>;
}
