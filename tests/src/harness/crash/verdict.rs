//! What became of each message, told from what stands in the chat. Pure: sent and seen in, a tally out.

use std::collections::BTreeMap;

use serde::Serialize;

use super::plan::Errand;
use crate::harness::world::LOOKING;

/// Told when a run was cut off.
pub(super) const RESTARTED: &str = "⚙️ I was restarted while answering. Tap to run it again.";
/// Told when the fate of a message of ours is unknown.
pub(super) const UNCONFIRMED: &str = "⚙️ I could not confirm that my last answer arrived.";

/// How the message of a tool begins.
const WORK: &str = "📊 ";
/// How every answer ends: with the end of the question.
const LAST_WORD: &str = "again";

/// A message that was written to the bot.
#[derive(Clone, Debug)]
pub struct Sent {
    /// Its id in the chat.
    pub message: i64,
    /// What has to come of it.
    pub errand: Errand,
}

/// A message of the bot, as it stands in the chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bubble {
    /// Its text.
    pub text: String,
    /// The message that it answers.
    pub reply_to: Option<i64>,
    /// Whether it is an answer in the making.
    pub growth: Growth,
}

/// What the button under a message, and the time at which it was sent, say of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// It is whole.
    #[default]
    Whole,
    /// An answer in the making that landed as the daemon was killed: nobody ever learned that it is there.
    Orphan,
    /// An answer in the making that the daemon knew of.
    Known,
}

/// How many messages came to which end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tally {
    /// Messages that were written to the bot.
    pub updates: usize,
    /// Those whose acknowledgement is there.
    pub acknowledged: usize,
    /// Those whose answer is there.
    pub answered: usize,
    /// Those that are told to have been cut off.
    pub restarted: usize,
    /// Notices that something of ours may not have arrived.
    pub unconfirmed: usize,
    /// Questions about settings that got the right value.
    pub settings_checked: usize,
    /// Messages that show what tools did.
    pub shown_work: usize,
    /// Answers in the making that landed in the moment of a kill, so that no later life knows of them.
    pub orphans: usize,
    /// Answers in the making that stand though nobody makes them any more.
    pub half_made: Vec<String>,
    /// Things that should be there, are not, and that no notice stands for.
    pub gaps: usize,
    /// Acknowledgements or answers that are there twice, or an answer beside a word that it was cut off.
    pub doubled: Vec<String>,
    /// Messages of which nothing at all came.
    pub lost: Vec<String>,
    /// What nobody can explain; a setting that was lost shows here as a wrong value.
    pub wrong: Vec<String>,
    /// Notices about the same run that are there more than once. Odd, and harmless.
    pub repeated_notices: usize,
}

impl Tally {
    /// Nothing lost, nothing doubled, nothing wrong.
    pub fn clean(&self) -> bool {
        self.doubled.is_empty() && self.lost.is_empty() && self.wrong.is_empty() && self.half_made.is_empty()
    }

    /// Adds the tally of another chat.
    pub fn add(&mut self, other: Self) {
        self.updates += other.updates;
        self.acknowledged += other.acknowledged;
        self.answered += other.answered;
        self.restarted += other.restarted;
        self.unconfirmed += other.unconfirmed;
        self.settings_checked += other.settings_checked;
        self.gaps += other.gaps;
        self.shown_work += other.shown_work;
        self.orphans += other.orphans;
        self.half_made.extend(other.half_made);
        self.doubled.extend(other.doubled);
        self.lost.extend(other.lost);
        self.wrong.extend(other.wrong);
        self.repeated_notices += other.repeated_notices;
    }
}

/// What is known of one message.
#[derive(Clone, Debug, Default)]
struct Fate {
    acknowledgements: usize,
    answers: usize,
    cut_off: usize,
}

/// Judges one chat before any button was pressed.
pub fn judge(sent: &[Sent], seen: &[Bubble]) -> Tally {
    let mut tally = Tally { updates: sent.len(), ..Tally::default() };
    let fates = fates(sent, seen, &mut tally);
    let mut missing = Vec::new();
    for (sent, fate) in sent.iter().zip(fates) {
        tally.count(sent, &fate);
        missing.extend(gaps(sent, &fate));
    }
    tally.gaps = missing.len().saturating_sub(tally.unconfirmed);
    // Each such notice stands for one message of ours, which may be there all the same.
    if missing.len() > tally.unconfirmed {
        tally.lost = missing;
    }
    tally
}

/// Looks once more after every button was pressed: what was missing is there now. Gives what still is not.
pub(super) fn missing_after_presses(sent: &[Sent], seen: &[Bubble]) -> Vec<String> {
    let fates = fates(sent, seen, &mut Tally::default());
    let missing = |(sent, fate): (&Sent, Fate)| {
        let Errand { text, acknowledgement, token } = &sent.errand;
        let unanswered = token.is_some() && fate.answers == 0;
        let untold = acknowledgement.is_some() && fate.acknowledgements == 0;
        let unanswered = unanswered.then(|| format!("no answer: {text}"));
        unanswered.into_iter().chain(untold.then(|| format!("no acknowledgement: {text}")))
    };
    sent.iter().zip(fates).flat_map(missing).collect()
}

fn fates(sent: &[Sent], seen: &[Bubble], tally: &mut Tally) -> Vec<Fate> {
    let mut fates = vec![Fate::default(); sent.len()];
    let by_message: BTreeMap<i64, usize> =
        sent.iter().enumerate().map(|(at, sent)| (sent.message, at)).collect();
    let by_token: BTreeMap<&str, usize> =
        sent.iter().enumerate().filter_map(|(at, sent)| Some((sent.errand.token.as_deref()?, at))).collect();
    for bubble in seen {
        match bubble.growth {
            Growth::Whole => {}
            Growth::Orphan => {
                tally.orphans += 1;
                continue;
            }
            Growth::Known => {
                tally.half_made.push(bubble.text.clone());
                continue;
            }
        }
        if bubble.text.starts_with(WORK) || bubble.text == LOOKING {
            tally.shown_work += 1;
            continue;
        }
        let quoted = bubble.reply_to.and_then(|message| by_message.get(&message)).copied();
        if let Some(at) = token_in(&bubble.text).and_then(|token| by_token.get(token)) {
            if !bubble.text.ends_with(LAST_WORD) {
                tally.half_made.push(bubble.text.clone());
            }
            if quoted.is_some_and(|quoted| quoted != *at) {
                tally.wrong.push(format!("answers another message than it says: {}", bubble.text));
            }
            bump(&mut fates, *at, |fate| &mut fate.answers);
            continue;
        }
        match (bubble.text.as_str(), quoted) {
            (UNCONFIRMED, _) => tally.unconfirmed += 1,
            (RESTARTED, Some(at)) => bump(&mut fates, at, |fate| &mut fate.cut_off),
            (text, quoted) => match told(sent, &fates, first_line(text), quoted) {
                Some(at) => bump(&mut fates, at, |fate| &mut fate.acknowledgements),
                None => {
                    let to = quoted.and_then(|at| sent.get(at)).map_or("nobody", |sent| &sent.errand.text);
                    tally.wrong.push(format!("to {to:?}: {text:?}"));
                }
            },
        }
    }
    fates
}

/// The message that this acknowledges. Between two people acknowledgements quote nothing: then it is the first that waits for these
/// words, else the first that has them already.
fn told(sent: &[Sent], fates: &[Fate], words: &str, quoted: Option<usize>) -> Option<usize> {
    let expects =
        |at: &usize| sent.get(*at).and_then(|sent| sent.errand.acknowledgement.as_deref()) == Some(words);
    if quoted.is_some() {
        return quoted.filter(expects);
    }
    let waits = |at: &usize| fates.get(*at).is_some_and(|fate| fate.acknowledgements == 0);
    let mut candidates = (0..sent.len()).filter(expects);
    let first = candidates.next()?;
    std::iter::once(first).chain(candidates).find(waits).or(Some(first))
}

fn bump(fates: &mut [Fate], at: usize, which: impl Fn(&mut Fate) -> &mut usize) {
    if let Some(fate) = fates.get_mut(at) {
        *which(fate) += 1;
    }
}

impl Tally {
    fn count(&mut self, sent: &Sent, fate: &Fate) {
        let text = &sent.errand.text;
        self.acknowledged += usize::from(fate.acknowledgements > 0);
        self.answered += usize::from(fate.answers > 0);
        self.restarted += usize::from(fate.cut_off > 0);
        self.repeated_notices += fate.cut_off.saturating_sub(1);
        let asks = sent.errand.acknowledgement.as_deref().is_some_and(|words| words.starts_with("Current "));
        self.settings_checked += usize::from(asks && fate.acknowledgements > 0);
        if fate.acknowledgements > 1 {
            self.doubled.push(format!("acknowledged {} times: {text}", fate.acknowledgements));
        }
        if fate.answers > 1 {
            self.doubled.push(format!("answered {} times: {text}", fate.answers));
        }
        if fate.answers > 0 && fate.cut_off > 0 {
            self.doubled.push(format!("answered and said to be cut off: {text}"));
        }
    }
}

/// What should have come of the message and did not.
fn gaps(sent: &Sent, fate: &Fate) -> Vec<String> {
    let mut gaps = Vec::new();
    let Errand { text, acknowledgement, token } = &sent.errand;
    if acknowledgement.is_some() && fate.acknowledgements == 0 {
        gaps.push(format!("no acknowledgement: {text}"));
    }
    if token.is_some() && fate.answers == 0 && fate.cut_off == 0 {
        gaps.push(format!("no answer and no word about it: {text}"));
    }
    gaps
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn token_in(text: &str) -> Option<&str> {
    let start = text.find("tok")?;
    text.get(start..start + 9).filter(|token| token.bytes().skip(3).all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent() -> Vec<Sent> {
        let errand = |text: &str, ack: Option<&str>, token: Option<&str>| Errand {
            text: text.into(),
            acknowledgement: ack.map(Into::into),
            token: token.map(Into::into),
        };
        vec![
            Sent { message: 1, errand: errand("/think high", Some("Thinking level set to high."), None) },
            Sent { message: 2, errand: errand("say tok000001", None, Some("tok000001")) },
            Sent {
                message: 3,
                errand: errand("/think", Some("Current thinking level: high (from session)."), None),
            },
        ]
    }

    fn bubble(reply_to: i64, text: &str) -> Bubble {
        Bubble { text: text.into(), reply_to: (reply_to > 0).then_some(reply_to), growth: Growth::Whole }
    }

    const SET: &str = "Thinking level set to high.";
    const NOW: &str = "Current thinking level: high (from session).\nOptions: default, off.";

    #[test]
    fn all_well() {
        let seen = [bubble(1, SET), bubble(2, "You said: say tok000001 again"), bubble(3, NOW)];
        let tally = judge(&sent(), &seen);
        assert!(tally.clean(), "{tally:?}");
        assert_eq!((tally.acknowledged, tally.answered, tally.settings_checked), (2, 1, 1));
        assert_eq!(missing_after_presses(&sent(), &seen), Vec::<String>::new());
    }

    #[test]
    fn a_gap_needs_a_notice() {
        let seen = [bubble(1, SET), bubble(3, NOW)];
        assert_eq!(judge(&sent(), &seen).lost.len(), 1);
        let cut_off = [bubble(1, SET), bubble(2, RESTARTED), bubble(3, NOW)];
        assert!(judge(&sent(), &cut_off).clean());
        let unconfirmed = [bubble(1, SET), bubble(0, UNCONFIRMED), bubble(3, NOW)];
        assert!(judge(&sent(), &unconfirmed).clean());
        assert_eq!(missing_after_presses(&sent(), &unconfirmed).len(), 1);
    }

    #[test]
    fn twice_is_once_too_often() {
        let twice = [
            bubble(1, SET),
            bubble(1, SET),
            bubble(2, "tok000001 again"),
            bubble(2, "tok000001 again"),
            bubble(3, NOW),
        ];
        assert_eq!(judge(&sent(), &twice).doubled.len(), 2);
        let both = [bubble(1, SET), bubble(2, "tok000001 again"), bubble(2, RESTARTED), bubble(3, NOW)];
        assert_eq!(judge(&sent(), &both).doubled.len(), 1);
    }

    #[test]
    fn what_is_half_made_is_no_answer_and_work_is_none_either() {
        let growing = Bubble { growth: Growth::Known, ..bubble(2, "You said: say tok000001 again") };
        let tally = judge(&sent(), &[bubble(1, SET), growing, bubble(3, NOW)]);
        assert_eq!((tally.half_made.len(), tally.lost.len(), tally.answered), (1, 1, 0));
        let cut = bubble(2, "You said: say tok000001");
        assert_eq!(judge(&sent(), &[bubble(1, SET), cut, bubble(3, NOW)]).half_made.len(), 1);
        let work = bubble(0, "📊 Session Status");
        let seen = [bubble(1, SET), work, bubble(2, "tok000001 again"), bubble(3, NOW)];
        assert!(judge(&sent(), &seen).clean());
    }

    #[test]
    fn a_lost_setting_is_a_wrong_value() {
        let seen = [
            bubble(1, SET),
            bubble(2, "tok000001 again"),
            bubble(3, "Current thinking level: low (from session)."),
        ];
        let tally = judge(&sent(), &seen);
        assert!(!tally.clean() && tally.wrong.len() == 1, "{tally:?}");
    }

    #[test]
    fn between_two_people_nothing_is_quoted() {
        let seen = [bubble(0, SET), bubble(2, RESTARTED), bubble(0, NOW)];
        assert!(judge(&sent(), &seen).clean());
        assert_eq!(judge(&sent(), &[bubble(0, SET), bubble(0, NOW)]).lost.len(), 1);
        let twice = [bubble(0, SET), bubble(0, SET), bubble(0, "tok000001 again"), bubble(0, NOW)];
        assert_eq!(judge(&sent(), &twice).doubled.len(), 1);
    }

    #[test]
    fn an_acknowledgement_shown_again_counts() {
        let seen = [bubble(2, "tok000001 again"), bubble(3, NOW), bubble(0, UNCONFIRMED), bubble(0, SET)];
        assert_eq!(missing_after_presses(&sent(), &seen), Vec::<String>::new());
    }
}
