//! Identities as distinct types: a chat id cannot be passed where a sender id is due. Only the adapter that minted a
//! platform id may read meaning into it.

use std::fmt;
use std::sync::Arc;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The id as its room wrote it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({:?})"), &*self.0)
            }
        }
    };
}

id! {
    /// A kind of channel as the configuration names it.
    ChannelName
}
id! {
    /// One bot, login or socket of a channel.
    AccountId
}
id! {
    /// A conversation on a platform.
    ChatId
}
id! {
    /// A forum topic or thread inside a chat.
    TopicId
}
id! {
    /// A community of many chats with members and roles of its own.
    SpaceId
}
id! {
    /// What members of a community are grouped by.
    RoleId
}
id! {
    /// A person or bot who writes.
    SenderId
}
id! {
    /// A message inside a chat.
    MessageId
}
id! {
    /// What a platform calls one event of an account; equal ids are the same event.
    UpdateId
}
id! {
    /// One life of a conversation: `/new` starts another.
    SessionId
}
id! {
    /// An agent of the configuration.
    AgentId
}

/// One account of one channel: the unit that polls, parks and fails alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Account {
    /// Which kind of channel.
    pub channel: ChannelName,
    /// Which account of it.
    pub id: AccountId,
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.channel, self.id)
    }
}

/// A number that grows with every message taken in or sent out, across restarts: order and identity in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Where a conversation's state is kept. The parts are escaped, so that any id fits, two different lists of parts never
/// give the same key, and the parts can be read back.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey(Arc<str>);

impl SessionKey {
    /// Joins `parts` with `:`; `:`, `%` and control characters inside a part are written as `%XX`.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut key = String::new();
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                key.push(':');
            }
            for c in part.chars() {
                if c == ':' || c == '%' || c.is_ascii_control() {
                    key.push_str(&format!("%{:02X}", u32::from(c)));
                } else {
                    key.push(c);
                }
            }
        }
        Self(key.into())
    }

    /// This key with more parts behind it.
    #[must_use]
    pub fn with<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> Self {
        let tail = Self::of(parts);
        Self(format!("{}:{}", self.0, tail.0).into())
    }

    /// The parts the key was made of.
    #[must_use]
    pub fn parts(&self) -> Vec<String> {
        self.0.split(':').map(unescape).collect()
    }

    /// The key as it is stored and shown.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Takes a key that was stored or typed by an operator, as it stands.
    #[must_use]
    pub fn from_stored(text: &str) -> Self {
        Self(text.into())
    }
}

fn unescape(part: &str) -> String {
    let mut out = String::new();
    let mut rest = part;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let code = after.get(..2).and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
        match (code, after.get(2..)) {
            (Some(c), Some(tail)) => {
                out.push(c);
                rest = tail;
            }
            _ => {
                out.push('%');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionKey({:?})", &*self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ses_10_session_keys_read_back_and_never_collide(
            a in proptest::collection::vec(any::<String>(), 1..5),
            b in proptest::collection::vec(any::<String>(), 1..5),
        ) {
            let key = SessionKey::of(a.iter().map(String::as_str));
            prop_assert_eq!(key.parts(), a.clone());
            let other = SessionKey::of(b.iter().map(String::as_str));
            prop_assert_eq!(key == other, a == b);
        }
    }

    #[test]
    fn ses_11_separators_in_an_id_are_escaped() {
        let key = SessionKey::of(["agent", "main", "x", "direct", "a:b/c%d"]);
        assert_eq!(key.as_str(), "agent:main:x:direct:a%3Ab/c%25d");
        assert_eq!(key.with(["topic", "5"]).parts().len(), 7);
    }
}
