//! What Discord needs to find something again, written into the ids that the engine keeps and hands back. Only this room
//! reads them.

use pensive_contract::ids::MessageId;

/// What a [`MessageId`] of this channel stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Handle {
    /// A message in a channel.
    Message(u64),
    /// A slash command that somebody called: it has no message, only an interaction that can be answered.
    Command(Interaction),
    /// A message that one person alone sees; it is reached through the interaction that it came from.
    Private {
        /// What reaches it.
        through: Interaction,
        /// The message.
        message: u64,
    },
}

/// An interaction that waits for its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Interaction {
    /// The application that it was meant for: ours.
    pub(crate) application: u64,
    /// Its id.
    pub(crate) id: u64,
    /// Good for 15 minutes (<https://docs.discord.com/developers/interactions/receiving-and-responding>).
    pub(crate) token: String,
}

impl Handle {
    /// Reads an id that was minted here; nothing for any other.
    pub(crate) fn read(id: &MessageId) -> Option<Self> {
        let text = id.as_str();
        match text.split_once(':') {
            None => text.parse().ok().map(Self::Message),
            Some(("command", rest)) => Interaction::read(rest).map(Self::Command),
            Some(("private", rest)) => {
                let (message, through) = rest.split_once(':')?;
                let through = Interaction::read(through)?;
                Some(Self::Private { through, message: message.parse().ok()? })
            }
            Some(_) => None,
        }
    }

    /// The id that the engine keeps.
    pub(crate) fn mint(&self) -> MessageId {
        match self {
            Self::Message(id) => id.to_string().into(),
            Self::Command(interaction) => format!("command:{}", interaction.query()).into(),
            Self::Private { through, message } => format!("private:{message}:{}", through.query()).into(),
        }
    }
}

impl Interaction {
    /// Reads what [`Interaction::query`] wrote.
    pub(crate) fn read(query: &str) -> Option<Self> {
        let (application, rest) = query.split_once(':')?;
        let (id, token) = rest.split_once(':')?;
        Some(Self { application: application.parse().ok()?, id: id.parse().ok()?, token: token.to_owned() })
    }

    /// As the engine hands it back to have a press answered.
    pub(crate) fn query(&self) -> String {
        format!("{}:{}:{}", self.application, self.id, self.token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_read_back() {
        let through = Interaction { application: 5, id: 7, token: "aW50:x:y".to_owned() };
        let private = Handle::Private { through: through.clone(), message: 9 };
        for handle in [Handle::Message(42), Handle::Command(through), private] {
            assert_eq!(Handle::read(&handle.mint()), Some(handle));
        }
        for strange in ["", "x", "command:1:x:y", "private:1:2:y", "else:1:2"] {
            assert_eq!(Handle::read(&strange.into()), None, "{strange}");
        }
    }
}
