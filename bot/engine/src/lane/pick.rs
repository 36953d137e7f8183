//! Values that are picked with a button: to press one is to send the directive, for the person whom the picker was shown to.

use pensive_contract::ids::SenderId;
use pensive_contract::inbound::{Inbound, InboundKind, Sender, TypedText};
use pensive_contract::outward::{Body, Lasting};
use pensive_contract::session::SessionRecord;
use pensive_contract::store::{InboxEntry, InboxState, OutboxKind, Write};
use pensive_directives::Owner;

use super::repaint::Picture;
use super::{Job, Lane};
use crate::access::{Authority, owner};
use crate::core::Letter;
use crate::desk::{Decision, Desk, Offer};
use crate::hearing;
use crate::notices;
use crate::picker::{Pick, Shown, Touch};

/// Characters that a press can be answered with everywhere.
const MOST_ON_BUTTON: usize = 200;

impl Lane {
    /// Does what a button of a picker asks for; gives what the button is to say.
    pub(super) async fn pick(&mut self, press: &Job, data: &str) -> Option<String> {
        let Some((pick, job)) = self.picked(press, data) else {
            self.close(press.ticket).await;
            return Some(notices::OUT_OF_DATE.to_owned());
        };
        if !self.may_pick(press, &pick.who) {
            self.close(press.ticket).await;
            return Some(notices::NOT_YOURS.to_owned());
        }
        let Some(record) = self.record().await else {
            self.core.close_later(&[press.ticket]);
            return Some(notices::NOT_STORED.to_owned());
        };
        match &pick.touch {
            Touch::Page(page) => {
                self.close(press.ticket).await;
                self.repaint(&job, &pick, record.as_ref(), Some(*page));
                None
            }
            Touch::Word(word) => self.take_word(&job, &pick, word, record.as_ref()).await,
        }
    }

    /// Sends the directive with this word, unless it is not what it was any more.
    async fn take_word(
        &mut self,
        job: &Job,
        pick: &Pick,
        word: &str,
        record: Option<&SessionRecord>,
    ) -> Option<String> {
        let desk = Desk { core: &self.core, job, record, busy: self.busy() };
        let offer = desk.offer(&pick.directive);
        let fresh = offer.picker.as_ref().is_some_and(|picker| self.core.signet.is_fresh(pick, word, picker));
        if !fresh {
            return Some(self.tell_what_holds(job, pick, offer, record).await);
        }
        let typed = TypedText { text: format!("/{} {word}", pick.directive), ..TypedText::default() };
        let decision = desk.decide(job.ticket, &typed, &[]);
        let told = first_words(&decision);
        if let Err(fault) = self.carry_out(job, decision).await {
            self.unwritten(job, &fault).await;
            return Some(notices::NOT_STORED.to_owned());
        }
        if let Some(record) = self.record().await {
            self.repaint(job, pick, record.as_ref(), None);
        }
        (!self.answers_stay(job)).then_some(told)
    }

    /// Whether what a press is answered with stays to be read, so that it would be read twice beside a message.
    fn answers_stay(&self, job: &Job) -> bool {
        let outward = self.core.ports.outward.get(&job.inbound.place.account);
        let presses = outward.and_then(|outward| outward.presses.as_ref());
        presses.is_some_and(|presses| presses.lasting() == Lasting::AsMessage)
    }

    /// The button is of another time: what holds now is said on it, and below it where it is too long for that.
    async fn tell_what_holds(
        &self,
        job: &Job,
        pick: &Pick,
        offer: Offer,
        record: Option<&SessionRecord>,
    ) -> String {
        let told = format!("{}\n{}", notices::OUT_OF_DATE, offer.text);
        let letter = (told.chars().count() > MOST_ON_BUTTON && !self.answers_stay(job))
            .then(|| Letter::plain(OutboxKind::Acknowledgement, offer.text).last());
        let reply_to = Some(job.inbound.message.clone());
        let entry = letter.and_then(|letter| self.core.seal(letter, &job.inbound.place, reply_to));
        let closed = self.core.post(vec![Write::Close(job.ticket)], entry.into_iter().collect()).await;
        if let Err(fault) = closed {
            tracing::error!(%fault, session = %self.key, "a press was not written down");
        }
        self.repaint(job, pick, record, None);
        told
    }

    /// Makes the picker show what holds, where its channel can change a message.
    fn repaint(&self, job: &Job, pick: &Pick, record: Option<&SessionRecord>, page: Option<usize>) {
        let desk = Desk { core: &self.core, job, record, busy: self.busy() };
        let Offer { text, picker } = desk.offer(&pick.directive);
        let shown = Shown { session: &self.key, who: &pick.who };
        let buttons = picker.map(|picker| self.core.signet.buttons(shown, &picker, page)).unwrap_or_default();
        let (place, message) = (job.inbound.place.clone(), job.inbound.message.clone());
        self.easel.paint(&self.core, Picture { place, message, text, buttons });
    }

    /// What a button means, and the message that its person would have sent instead; nothing where the button is not one of
    /// this session's, or its person may not direct any more.
    fn picked(&self, press: &Job, data: &str) -> Option<(Pick, Job)> {
        let pick = self.core.signet.read_back(&self.key, data)?;
        let value = match &pick.touch {
            Touch::Word(word) => word.as_str(),
            Touch::Page(_) => "",
        };
        let text = format!("/{} {value}", pick.directive);
        let sender = match &press.inbound.sender {
            presser if presser.id == pick.who => presser.clone(),
            _ => Sender { id: pick.who.clone(), name: pick.who.to_string(), roles: Vec::new() },
        };
        let kind = InboundKind::Message(TypedText { text, ..TypedText::default() });
        let inbound = Inbound { sender, kind, ..press.inbound.clone() };
        let route = hearing::belongs(&self.core, &inbound).filter(|route| route.key == self.key)?;
        let heard = hearing::hear(&self.core, &inbound);
        let entry = InboxEntry { ticket: press.ticket, state: InboxState::Waiting, inbound };
        let job = heard.job(entry, route);
        job.parsed.is_some().then_some((pick, job))
    }

    fn may_pick(&self, press: &Job, who: &SenderId) -> bool {
        let presser = &press.inbound.sender;
        press.authority == Authority::Directs
            && (presser.id == *who
                || owner(&self.core.settings, &press.inbound.place.account, presser) == Owner::Yes)
    }
}

/// What is answered first, as it stands there.
fn first_words(decision: &Decision) -> String {
    let body = decision.letters.first().and_then(|letter| letter.bodies.first());
    match body {
        Some(Body::Plain(text)) => text.clone(),
        Some(Body::Markdown(_) | Body::Framed { .. } | Body::Thinking(_)) | None => String::new(),
    }
}
