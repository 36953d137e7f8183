//! Up to where the channels that we are talked to in have been read, for when a session is lost and with it what was written
//! meanwhile. Pure.

/// So many channels are remembered, those that were last written in.
const MOST: usize = 100;

/// How far a channel has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) channel: u64,
    /// Its guild, which the messages of a list do not name.
    pub(crate) guild: Option<u64>,
    /// The newest message.
    pub(crate) last: u64,
    /// Whether messages after it may have been missed.
    pub(crate) behind: bool,
}

/// The marks, the channel that was last written in at the end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Marks(Vec<Mark>);

impl Marks {
    /// What was kept.
    pub(crate) fn new(mut marks: Vec<Mark>) -> Self {
        marks.drain(..marks.len().saturating_sub(MOST));
        Self(marks)
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[Mark] {
        &self.0
    }

    /// The mark of a channel.
    pub(crate) fn of(&self, channel: u64) -> Option<Mark> {
        self.0.iter().find(|mark| mark.channel == channel).copied()
    }

    /// A message was read. In a channel where some were missed, that changes nothing: they come first.
    pub(crate) fn read(&mut self, channel: u64, guild: Option<u64>, message: u64) {
        let known = self.of(channel);
        if known.is_some_and(|mark| mark.behind) {
            return;
        }
        let last = known.map_or(message, |mark| mark.last.max(message));
        self.forget(channel);
        self.0.push(Mark { channel, guild, last, behind: false });
        self.0.drain(..self.0.len().saturating_sub(MOST));
    }

    /// What was missed in a channel has been read, up to `last`.
    pub(crate) fn caught_up(&mut self, channel: u64, last: u64) {
        for mark in self.0.iter_mut().filter(|mark| mark.channel == channel) {
            (mark.behind, mark.last) = (false, mark.last.max(last));
        }
    }

    /// A session was lost: messages may have been missed in every channel.
    pub(crate) fn fall_behind(&mut self) {
        self.0.iter_mut().for_each(|mark| mark.behind = true);
    }

    /// The channel to catch up in next: where people wrote last, they wait.
    pub(crate) fn next_behind(&self) -> Option<Mark> {
        self.0.iter().rev().find(|mark| mark.behind).copied()
    }

    /// The channel is none of ours any more.
    pub(crate) fn forget(&mut self, channel: u64) {
        self.0.retain(|mark| mark.channel != channel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_channels_that_were_last_written_in_are_remembered() {
        let mut marks = Marks::default();
        for channel in 0..150 {
            marks.read(channel, None, 1_000 + channel);
        }
        marks.read(50, None, 9_000);
        assert_eq!(marks.all().len(), MOST);
        assert_eq!(marks.of(49), None);
        assert_eq!(marks.all().last().map(|mark| (mark.channel, mark.last)), Some((50, 9_000)));
        assert_eq!(Marks::new(marks.all().to_vec()), marks);
    }

    #[test]
    fn a_channel_that_is_behind_keeps_its_mark_until_it_is_caught_up_in() {
        let mut marks = Marks::default();
        marks.read(1, Some(9), 10);
        marks.read(2, None, 20);
        marks.fall_behind();
        marks.read(1, Some(9), 15);
        assert_eq!(marks.of(1).map(|mark| (mark.last, mark.behind)), Some((10, true)));
        assert_eq!(marks.next_behind().map(|mark| mark.channel), Some(2));
        marks.caught_up(2, 25);
        assert_eq!(marks.next_behind().map(|mark| mark.channel), Some(1));
        marks.caught_up(1, 0);
        assert_eq!(marks.next_behind(), None);
        assert_eq!(marks.of(1).map(|mark| mark.last), Some(10));
        assert_eq!(marks.of(2).map(|mark| mark.last), Some(25));
    }
}
