//! The level above all others: as much thinking as a model has, and a run that plans, checks its work and hands parts of it
//! to sub-agents. A model has it for an agent that can have sub-agents, and for no other.

use pensive_contract::model::ModelRef;
use pensive_directives::{Level, LevelChoice, Profile};

use crate::core::Core;
use crate::own;
use crate::settings::AgentSettings;

/// What such a run is told.
const GUIDANCE: &str = "Take the time to do this as well as it can be done. Plan first: name the parts of the work and what \
                        depends on what. Hand parts that do not depend on each other to sub-agents with sessions_spawn, \
                        several at once, each with all that it needs to know; keep for yourself what is quicker done \
                        than explained. Check what comes back, and your own work, against the task before you answer, \
                        and mend what does not hold. Then answer once, with the result and with what is still in doubt.";

impl Core {
    /// The levels of a model as an agent has them: what is offered, judged and clamped everywhere.
    pub(crate) fn profile(&self, agent: &AgentSettings, model: &ModelRef) -> Profile {
        offered(agent, self.ports.model.profile(model))
    }
}

fn offered(agent: &AgentSettings, mut profile: Profile) -> Profile {
    let is_offered = profile.offers(Level::Max) && agent.tools.allow(own::SPAWN);
    match (is_offered, profile.offers(Level::Ultra)) {
        (true, false) => profile.levels.push(LevelChoice { level: Level::Ultra, label: None }),
        (false, true) => profile.levels.retain(|choice| choice.level != Level::Ultra),
        (true, true) | (false, false) => {}
    }
    profile
}

/// The system prompt of a call at this level.
pub(crate) fn prompt(agent: &AgentSettings, level: Level) -> String {
    if level == Level::Ultra { below(&agent.prompt, GUIDANCE) } else { agent.prompt.clone() }
}

/// Guidance of ours below a prompt, which may be none.
pub(crate) fn below(prompt: &str, guidance: &str) -> String {
    if prompt.is_empty() { guidance.to_owned() } else { format!("{prompt}\n\n{guidance}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::settings;

    fn agent(allow: &[&str], deny: &[&str]) -> AgentSettings {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let mut agent = settings().agents.remove(0);
        agent.tools.allowed = owned(allow);
        agent.tools.denied = owned(deny);
        agent
    }

    #[test]
    fn ultra_needs_the_most_of_a_model_and_sub_agents() {
        let check = |allow: &[&str], deny: &[&str], levels: &[Level], expected: &str| {
            let levels = levels.iter().map(|&level| LevelChoice { level, label: None }).collect();
            let profile = offered(&agent(allow, deny), Profile::new("prov/model", levels, Level::Off));
            assert_eq!(profile.values(), expected, "{allow:?} {deny:?}");
        };
        let (most, native) = ([Level::Off, Level::Max], [Level::Off, Level::Max, Level::Ultra]);
        check(&["sessions_spawn"], &[], &most, "off, max, ultra");
        check(&["*"], &[], &native, "off, max, ultra");
        check(&["*"], &["sessions_spawn"], &native, "off, max");
        check(&[], &[], &native, "off, max");
        check(&["*"], &[], &[Level::Off, Level::High], "off, high");
    }

    #[test]
    fn only_an_ultra_run_is_told_to_plan() {
        let mut agent = agent(&["*"], &[]);
        assert_eq!(prompt(&agent, Level::Max), "");
        assert_eq!(prompt(&agent, Level::Ultra), GUIDANCE);
        agent.prompt = "You are kind.".to_owned();
        assert_eq!(prompt(&agent, Level::Ultra), format!("You are kind.\n\n{GUIDANCE}"));
    }
}
