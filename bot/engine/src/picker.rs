//! Buttons that pick a value with a touch. What stands behind each says all that it means, signed for its session with a key
//! of this daemon's own, so that it outlives a restart and cannot be made up.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pensive_contract::ids::{SenderId, SessionKey};
use pensive_contract::outward::Button;
use pensive_contract::store::{Notes, StoreFault};
use pensive_directives::{Choice, Picker};
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};

/// The note that holds the key.
const NOTE: &str = "picker-key";
const KEY_BYTES: usize = 32;
/// Bytes of a signature that are kept: nobody can try more than a few a second.
const SIGNATURE_BYTES: usize = 8;
/// Bytes of what tells one model from another.
const MODEL_BYTES: usize = 4;
/// The most that a button's data may have.
const MOST_DATA: usize = 64;
/// Values that are offered at once; more are leafed through.
const PAGE: usize = 8;
/// Values up to which nobody has to leaf.
const MOST_AT_ONCE: usize = 10;

const PICK: &str = "pick:";
/// Before the number of a page, which no value begins with.
const LEAF: char = '@';

/// The one key, and what it signs.
pub(crate) struct Signet(hmac::Key);

/// What a person asks for with such a button.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pick {
    /// The directive's word.
    pub(crate) directive: String,
    pub(crate) touch: Touch,
    /// Whom the button was shown to.
    pub(crate) who: SenderId,
    /// The model that the value was offered for.
    model: String,
}

/// What was touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Touch {
    /// A value, as it is typed.
    Word(String),
    /// Another page of them.
    Page(usize),
}

/// Whose buttons they are.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) session: &'a SessionKey,
    pub(crate) who: &'a SenderId,
}

impl Signet {
    /// The signet as it was left; made where there is none.
    ///
    /// # Errors
    /// The store could not be read, or there is no chance to be had.
    pub(crate) async fn read(notes: &dyn Notes) -> Result<Self, StoreFault> {
        if let Some(kept) = notes.note(NOTE).await?.filter(|kept| kept.len() == KEY_BYTES) {
            return Ok(Self::of(&kept));
        }
        let mut fresh = [0; KEY_BYTES];
        SystemRandom::new()
            .fill(&mut fresh)
            .map_err(|_| StoreFault::Disk("the system gives no random bytes".to_owned()))?;
        if let Err(fault) = notes.keep(NOTE, fresh.to_vec()).await {
            tracing::warn!(%fault, "buttons of this life will be out of date in the next one");
        }
        Ok(Self::of(&fresh))
    }

    fn of(key: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, key))
    }

    /// The buttons of a picker: of the page that holds what is current, unless another is asked for. None where the names
    /// are too long for what a button can carry.
    pub(crate) fn buttons(&self, shown: Shown<'_>, picker: &Picker, page: Option<usize>) -> Vec<Button> {
        let (values, rest) = picker.choices.split_at(picker.choices.len().saturating_sub(1));
        let size = if values.len() > MOST_AT_ONCE { PAGE } else { MOST_AT_ONCE };
        let last = values.len().saturating_sub(1) / size;
        let page = page.unwrap_or_else(|| picker.current.unwrap_or(0) / size).min(last);
        let marked = |(place, choice): (usize, &Choice)| {
            let mark = if picker.current == Some(place) { "✓ " } else { "" };
            let data = self.data(shown, picker.directive, &choice.word, choice.model.as_deref());
            Button { label: format!("{mark}{}", choice.label), data }
        };
        let leaf = |label: &str, page: usize| {
            let data = self.data(shown, picker.directive, &format!("{LEAF}{page}"), None);
            Button { label: label.to_owned(), data }
        };
        let mut buttons: Vec<Button> =
            values.iter().enumerate().skip(page * size).take(size).map(marked).collect();
        buttons.extend(rest.iter().zip(values.len()..).map(|(choice, place)| marked((place, choice))));
        buttons.extend(page.checked_sub(1).map(|before| leaf("‹", before)));
        buttons.extend(Some(page + 1).filter(|next| *next <= last).map(|next| leaf("›", next)));
        if buttons.iter().any(|button| button.data.len() > MOST_DATA) { Vec::new() } else { buttons }
    }

    /// Reads the data of a button back; nothing where it is none of this session's.
    pub(crate) fn read_back(&self, session: &SessionKey, data: &str) -> Option<Pick> {
        let (said, signature) = data.rsplit_once(':')?;
        if !same(&self.signature(session, said), signature) {
            return None;
        }
        let (directive, rest) = said.strip_prefix(PICK)?.split_once(':')?;
        let (word, rest) = rest.split_once(':')?;
        let (who, model) = rest.rsplit_once(':')?;
        let touch = match word.strip_prefix(LEAF) {
            Some(page) => Touch::Page(page.parse().ok()?),
            None => Touch::Word(word.to_owned()),
        };
        let (directive, model) = (directive.to_owned(), model.to_owned());
        Some(Pick { directive, touch, who: SenderId::from(who), model })
    }

    /// Whether a value is still what it was when it was offered.
    pub(crate) fn is_fresh(&self, pick: &Pick, word: &str, picker: &Picker) -> bool {
        picker
            .choices
            .iter()
            .any(|choice| choice.word == word && self.model(choice.model.as_deref()) == pick.model)
    }

    fn data(&self, shown: Shown<'_>, directive: &str, word: &str, model: Option<&str>) -> String {
        let said = format!("{PICK}{directive}:{word}:{}:{}", shown.who, self.model(model));
        let signature = self.signature(shown.session, &said);
        format!("{said}:{signature}")
    }

    fn signature(&self, session: &SessionKey, said: &str) -> String {
        // The length keeps apart what comes from the button and what from the session.
        self.short(&format!("{}:{said}{session}", said.len()), SIGNATURE_BYTES)
    }

    fn model(&self, model: Option<&str>) -> String {
        model.map(|model| self.short(model, MODEL_BYTES)).unwrap_or_default()
    }

    fn short(&self, text: &str, bytes: usize) -> String {
        let tag = hmac::sign(&self.0, text.as_bytes());
        URL_SAFE_NO_PAD.encode(tag.as_ref().get(..bytes).unwrap_or_default())
    }
}

/// Whether a button's data is for this module to read.
pub(crate) fn is_pick(data: &str) -> bool {
    data.starts_with(PICK)
}

/// Takes as long for a near miss as for a far one.
fn same(ours: &str, theirs: &str) -> bool {
    let differ = ours.bytes().zip(theirs.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    ours.len() == theirs.len() && differ == 0
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;
    use proptest::prelude::*;

    use super::*;

    fn signet() -> Signet {
        Signet::of(&[7; KEY_BYTES])
    }

    fn picker(values: usize, current: Option<usize>) -> Picker {
        let choice = |number: usize| Choice {
            label: format!("model {number}"),
            word: number.to_string(),
            model: Some(format!("prov/{number}")),
        };
        let default = Choice { label: "Default (x)".into(), word: "default".into(), model: None };
        let choices = (0..values).map(choice).chain([default]).collect();
        Picker { directive: "model", choices, current, source: None }
    }

    fn labels(values: usize, current: Option<usize>, page: Option<usize>) -> String {
        let (session, who) = (SessionKey::of(["a"]), SenderId::from("7"));
        let shown = Shown { session: &session, who: &who };
        let buttons = signet().buttons(shown, &picker(values, current), page);
        let labels: Vec<String> =
            buttons.into_iter().map(|button| button.label.replace("model ", "")).collect();
        labels.join(" ")
    }

    #[test]
    fn few_values_stand_together_and_many_are_leafed_through() {
        assert_eq!(labels(0, None, None), "Default (x)");
        assert_eq!(labels(3, Some(1), None), "0 ✓ 1 2 Default (x)");
        assert_eq!(labels(3, Some(3), None), "0 1 2 ✓ Default (x)");
        assert_eq!(labels(10, None, None), "0 1 2 3 4 5 6 7 8 9 Default (x)");
        assert_eq!(labels(11, None, None), "0 1 2 3 4 5 6 7 Default (x) ›");
        assert_eq!(labels(20, Some(9), None), "8 ✓ 9 10 11 12 13 14 15 Default (x) ‹ ›");
        assert_eq!(labels(20, Some(9), Some(2)), "16 17 18 19 Default (x) ‹");
        assert_eq!(labels(20, Some(9), Some(99)), "16 17 18 19 Default (x) ‹");
        assert_eq!(labels(16, Some(16), None), "8 9 10 11 12 13 14 15 ✓ Default (x) ‹");
    }

    #[test]
    fn data_reads_back_in_its_own_session_and_fits() {
        let (session, other) = (SessionKey::of(["a"]), SessionKey::of(["b"]));
        // As long as people's numbers get.
        let who = SenderId::from("1234567890123456789");
        let signet = signet();
        for directive in ["think", "reasoning", "elevated"] {
            for (word, touch) in [
                ("default", Touch::Word("default".into())),
                ("@12", Touch::Page(12)),
                ("adaptive", Touch::Word("adaptive".into())),
            ] {
                let model = Some("prov/model").filter(|_| directive == "think");
                let data = signet.data(Shown { session: &session, who: &who }, directive, word, model);
                assert!(data.len() <= MOST_DATA && is_pick(&data), "{data}");
                let (directive, model) = (directive.to_owned(), signet.model(model));
                let pick = Pick { directive, touch, who: who.clone(), model };
                assert_eq!(signet.read_back(&session, &data), Some(pick));
                assert_eq!(signet.read_back(&other, &data), None);
                assert_eq!(Signet::of(&[8; KEY_BYTES]).read_back(&session, &data), None);
            }
        }
    }

    #[test]
    fn a_value_is_fresh_while_it_is_offered_for_the_same_model() {
        let (session, who) = (SessionKey::of(["a"]), SenderId::from("7"));
        let (signet, picker) = (signet(), picker(3, None));
        let read = |word, model| {
            let data = signet.data(Shown { session: &session, who: &who }, "model", word, model);
            signet.read_back(&session, &data).unwrap()
        };
        let check = |word, model, expected| {
            assert_eq!(signet.is_fresh(&read(word, model), word, &picker), expected, "{word} {model:?}");
        };
        check("1", Some("prov/1"), true);
        check("1", Some("prov/2"), false);
        check("9", Some("prov/9"), false);
        check("default", None, true);
        check("default", Some("prov/1"), false);
    }

    #[test]
    fn names_that_are_too_long_have_no_buttons() {
        let (session, who) = (SessionKey::of(["a"]), SenderId::from("x".repeat(64)));
        let shown = Shown { session: &session, who: &who };
        assert_eq!(signet().buttons(shown, &picker(3, None), None), []);
    }

    proptest! {
        #[test]
        fn what_was_changed_or_made_up_reads_as_nothing(at in 0_usize..60, letter in "[a-z0-9:@]", junk in ".*") {
            let (session, who) = (SessionKey::of(["a"]), SenderId::from("1:2"));
            let signet = signet();
            let data = signet.data(Shown { session: &session, who: &who }, "think", "high", Some("prov/model"));
            prop_assert_eq!(signet.read_back(&session, &data).unwrap().who, who);
            prop_assert_eq!(signet.read_back(&session, &junk), None);
            let mut changed = data.clone();
            let at = at % data.len();
            changed.replace_range(at..=at, &letter);
            prop_assert!(changed == data || signet.read_back(&session, &changed).is_none());
        }
    }

    /// A disk of one note.
    #[derive(Default)]
    struct Disk(Mutex<Option<Vec<u8>>>);

    #[async_trait]
    impl Notes for Disk {
        async fn note(&self, _: &str) -> Result<Option<Vec<u8>>, StoreFault> {
            Ok(self.0.lock().unwrap().clone())
        }

        async fn keep(&self, _: &str, value: Vec<u8>) -> Result<(), StoreFault> {
            *self.0.lock().unwrap() = Some(value);
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_key_is_made_once() {
        let (session, who) = (SessionKey::of(["a"]), SenderId::from("7"));
        let disk = Disk::default();
        let first = Signet::read(&disk).await.unwrap();
        let data = first.data(Shown { session: &session, who: &who }, "think", "high", None);
        assert!(Signet::read(&disk).await.unwrap().read_back(&session, &data).is_some());
        *disk.0.lock().unwrap() = Some(vec![1]);
        assert!(
            Signet::read(&disk).await.unwrap().read_back(&session, &data).is_none(),
            "a damaged key is none"
        );
        assert_ne!(Signet::read(&Disk::default()).await.unwrap().model(Some("x")), first.model(Some("x")));
    }
}
