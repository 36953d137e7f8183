//! Messages that were changed after they were sent: one that waits has its new text, and of one that was taken up the person
//! is told. Nothing in an edit is ever executed.

use pensive_contract::inbound::TypedText;
use pensive_contract::model::PromptTurn;
use pensive_contract::store::{OutboxKind, Write};
use pensive_directives::Shape;

use super::{Active, Job, Lane};
use crate::core::Letter;
use crate::media;
use crate::notices;
use crate::prompt;

impl Lane {
    pub(super) async fn edit(&mut self, job: &Job, typed: &TypedText) {
        let text =
            job.parsed.as_ref().map_or(typed.text.as_str(), |parsed| parsed.text.as_str()).trim().to_owned();
        let directive_only = job.parsed.as_ref().is_some_and(|parsed| parsed.shape == Shape::DirectiveOnly);
        let attachments = &job.inbound.attachments;
        if directive_only || text.is_empty() && attachments.is_empty() {
            return self.close(job.ticket).await;
        }
        let message = &job.inbound.message;
        let held = self.hold.amend(&self.core, job, &text);
        if let Some(amended) = held.or_else(|| self.backlog.amend(message, &text, attachments)) {
            let writes = amended.writes().chain([Write::Close(job.ticket)]).collect();
            if let Err(fault) = self.core.ports.ledger.commit(writes).await {
                tracing::error!(%fault, session = %self.key, "an edit was not written down");
            }
            return;
        }
        if self.has_said(&text).await {
            return self.close(job.ticket).await;
        }
        let letter = Letter::plain(OutboxKind::Notice, notices::EDITED_LATE)
            .with_button(notices::RUN_EDIT, notices::run_data(job.ticket));
        let entry = self.core.seal(letter, &job.inbound.place, Some(message.clone()));
        if let Err(fault) = self.core.post(vec![Write::Park(job.ticket)], entry.into_iter().collect()).await {
            tracing::error!(%fault, session = %self.key, "an edit was not written down");
        }
    }

    /// Whether the text of an edit is what the run has or had: then only marks or pictures of the message changed.
    async fn has_said(&self, text: &str) -> bool {
        let is_said = |active: &Active| active.pending.says(text) || self.backlog.has_taken(text);
        if self.active.as_ref().is_some_and(is_said) {
            return true;
        }
        let Some(Some(record)) = self.record().await else { return false };
        let history = self.core.ports.transcript.tail(&record.id, prompt::MOST_TURNS).await;
        self.read(history).is_some_and(|history| {
            history.iter().any(|turn| matches!(&turn.said, PromptTurn::User(said) if says(said, text)))
        })
    }
}

/// Whether a turn of the transcript holds this text and nothing else, or it is one caption of an album's.
fn says(said: &str, text: &str) -> bool {
    let words = media::words(said);
    words == text || (words != said.trim() && words.split("\n\n").any(|caption| caption == text))
}
