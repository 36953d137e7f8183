//! Heartbeats: each agent's block over the defaults'.

use std::time::Duration;

use pensive_contract::ids::ChannelName;

use super::Builder;
use super::providers::KnownModels;
use crate::agents::{ActiveHours, Heartbeat, HeartbeatTarget};
use crate::defaults;
use crate::file::heartbeat::{Heartbeat as Keys, Target};
use crate::file::values::{Id, Reading, Span};
use crate::trail::Trail;

impl Builder<'_> {
    /// The heartbeat of one agent, from its own block over the defaults'. With an interval of zero there is none.
    pub(super) fn heartbeat(
        &mut self,
        own: Option<&Keys>,
        base: Option<&Keys>,
        models: &KnownModels,
        trail: &Trail,
    ) -> Option<Heartbeat> {
        let empty = Keys::default();
        let (own, base) = (own.unwrap_or(&empty), base.unwrap_or(&empty));
        let every = own.every.or(base.every).or_else(|| Span::read(defaults::HEARTBEAT_EVERY))?.0;
        let target = self.target(own, base, trail);
        let model = own.model.as_ref().map(|model| (model, trail.key("model")));
        if let Some((model, place)) = &model {
            self.known(&model.0.0, models, place);
        }
        let usual_limit = every.min(Duration::from_secs(defaults::HEARTBEAT_LIMIT_SECONDS));
        let limit = own.timeout_seconds.or(base.timeout_seconds);
        let hours = own.active_hours.as_ref().or(base.active_hours.as_ref());
        let session = own.session.as_ref().or(base.session.as_ref()).filter(|session| *session != "main");
        let prompt = own.prompt.as_ref().or(base.prompt.as_ref());
        let heartbeat = Heartbeat {
            every,
            prompt: prompt.map_or(defaults::HEARTBEAT_PROMPT, String::as_str).to_owned(),
            target,
            session: session.cloned(),
            isolated: own.isolated_session.or(base.isolated_session).unwrap_or(false),
            active_hours: hours.map(|hours| ActiveHours {
                start_minute: hours.start.0.0,
                end_minute: hours.end.0.0,
                timezone: hours.timezone.as_ref().and_then(|zone| zone.0.0.clone()),
            }),
            model: own.model.as_ref().or(base.model.as_ref()).map(|model| model.0.0.clone()),
            limit: limit.map_or(usual_limit, |seconds| Duration::from_secs(seconds.into())),
            ack_max_chars: own.ack_max_chars.or(base.ack_max_chars).unwrap_or(defaults::ACK_MAX_CHARS)
                as usize,
            include_reasoning: own.include_reasoning.or(base.include_reasoning).unwrap_or(false),
        };
        (!every.is_zero()).then_some(heartbeat)
    }

    fn target(&mut self, own: &Keys, base: &Keys, trail: &Trail) -> HeartbeatTarget {
        // A target of its own does not go to the chat of another block's.
        let to = if own.target.is_some() { own.to.as_ref() } else { own.to.as_ref().or(base.to.as_ref()) };
        let channel = match own.target.or(base.target).unwrap_or(Target::None) {
            Target::None => return HeartbeatTarget::Nobody,
            Target::Last => return HeartbeatTarget::Last,
            Target::Telegram => "telegram",
            Target::Discord => "discord",
            Target::Web => "web",
        };
        match to {
            Some(Id(to)) => HeartbeatTarget::Chat { channel: ChannelName::from(channel), to: to.clone() },
            // What the defaults say is told where they stand, and not for every agent.
            None if own.target.is_none() => HeartbeatTarget::Nobody,
            None => {
                self.fault(
                    &trail.key("target"),
                    format_args!("\"{channel}\" needs to: the chat on that channel"),
                );
                HeartbeatTarget::Nobody
            }
        }
    }
}
