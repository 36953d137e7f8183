//! Buttons of ours that people press, and answers that they stop by what their platform offers beside it.

use pensive_contract::ids::Ticket;
use pensive_contract::inbound::Inbound;
use pensive_contract::store::{InboxState, OutboxKind, Write};
use pensive_directives::{NOTHING_RUNNING, Owner, STOPPED};

use super::{Job, Lane};
use crate::access::{Authority, owner};
use crate::approval::By;
use crate::core::Letter;
use crate::courier;
use crate::desk::Desk;
use crate::hearing;
use crate::notices::{self, Wish};
use crate::picker;

impl Lane {
    pub(super) async fn press(&mut self, job: &Job, data: &str, query: &str) {
        if picker::is_pick(data) {
            let answer = self.pick(job, data).await;
            return self.answer_press(job, query, answer);
        }
        let answer = match notices::wish(data) {
            Some(Wish::Run(ticket)) => self.run_parked(job, ticket).await,
            Some(Wish::Show(ticket)) => self.show_again(job, ticket).await,
            Some(Wish::Rule(ticket, ruling)) => {
                Some(notices::ruled(self.core.approvals.answer(ticket, ruling, self.by(job)), ruling))
            }
            None => Some(notices::STALE),
        };
        self.close(job.ticket).await;
        self.answer_press(job, query, answer.map(str::to_owned));
    }

    /// Ends the run as `/stop` does, where the person may. One that comes too late, or for a run that is over, is told only on
    /// the button.
    pub(super) async fn halt(&mut self, job: &Job, stream: i64, query: Option<&str>) {
        let stopped = job.authority == Authority::Directs && self.is_under_way(stream) && self.stop().await;
        let reply_to = Some(job.inbound.message.clone());
        let letter = Letter::plain(OutboxKind::Acknowledgement, STOPPED).last();
        let entry =
            stopped.then(|| self.core.seal(letter, &job.inbound.place, reply_to)).flatten().into_iter();
        if let Err(fault) = self.core.post(vec![Write::Close(job.ticket)], entry.collect()).await {
            tracing::error!(%fault, session = %self.key, "a stop was not written down");
        }
        if let Some(query) = query {
            self.answer_press(job, query, (!stopped).then(|| NOTHING_RUNNING.to_owned()));
        }
    }

    /// Whether previews of this name are the run's own. Nobody's name may mean any.
    fn is_under_way(&self, stream: i64) -> bool {
        stream == 0 || self.active.as_ref().is_some_and(|active| active.stream == stream)
    }

    fn answer_press(&self, job: &Job, query: &str, answer: Option<String>) {
        let outward = self.core.ports.outward.get(&job.inbound.place.account);
        if let Some(presses) = outward.and_then(|outward| outward.presses.clone()) {
            let query = query.to_owned();
            let answer = answer.map(|text| self.core.ports.masker.mask(&text).into_owned());
            // The sign on the button is no part of the conversation: it waits for nobody.
            self.core.tasks.spawn(async move {
                let outcome = presses.answer(&query, answer.as_deref()).await;
                tracing::debug!(?outcome, "a press was answered");
            });
        }
    }

    /// Runs a message that was put by. What it changed when it came is not changed again.
    async fn run_parked(&mut self, press: &Job, ticket: Ticket) -> Option<&'static str> {
        let entry = self.read(self.core.ports.inbox.entry(ticket).await).flatten();
        let Some(entry) = entry.filter(|entry| entry.state == InboxState::Parked) else {
            return Some(notices::STALE);
        };
        if !self.may_press(press, &entry.inbound) {
            return Some(notices::NOT_YOURS);
        }
        let runs = self.active.as_ref().is_some_and(|active| active.pending.tickets.contains(&ticket));
        if runs || self.backlog.holds(ticket) {
            return None;
        }
        let Some(typed) = entry.inbound.typed().cloned() else { return Some(notices::STALE) };
        let Some(route) = hearing::belongs(&self.core, &entry.inbound) else { return Some(notices::STALE) };
        let job = hearing::hear(&self.core, &entry.inbound).job(entry, route);
        let Some(record) = self.record().await else { return Some(notices::STALE) };
        let desk = Desk { core: &self.core, job: &job, record: record.as_ref(), busy: self.busy() };
        let decision = desk.decide(ticket, &typed, &job.inbound.attachments);
        match decision.run {
            Some(pending) => self.enqueue(pending).await,
            None => return Some(notices::STALE),
        }
        None
    }

    async fn show_again(&mut self, press: &Job, ticket: Ticket) -> Option<&'static str> {
        let entry = self.read(self.core.ports.outbox.entry(ticket).await).flatten();
        let Some(entry) = entry.filter(|entry| entry.place.chat == press.inbound.place.chat) else {
            return Some(notices::STALE);
        };
        let Some(again) = courier::again(&entry, self.core.ports.ledger.ticket()) else {
            return Some(notices::STALE);
        };
        if let Err(fault) = self.core.post(vec![Write::Forget(ticket)], vec![again]).await {
            tracing::error!(%fault, session = %self.key, "an answer could not be shown again");
        }
        None
    }

    pub(super) fn by<'a>(&self, job: &'a Job) -> By<'a> {
        let sender = &job.inbound.sender;
        let owner = owner(&self.core.settings, &job.inbound.place.account, sender);
        By { session: &job.route.key, sender: &sender.id, owner }
    }

    /// A button belongs to the person whose message it is about, and to owners.
    fn may_press(&self, press: &Job, about: &Inbound) -> bool {
        let presser = &press.inbound.sender;
        presser.id == about.sender.id
            || owner(&self.core.settings, &press.inbound.place.account, presser) == Owner::Yes
    }
}
