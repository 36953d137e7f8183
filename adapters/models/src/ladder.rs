//! The levels of one model, each with the word that carries it. Profile, validation, `/status` and the wire all come from
//! this one table.

use pensive_contract::model::ModelRef;
use pensive_directives::{Level, LevelChoice, Profile, Source};

use crate::catalogue::{Facts, Fit, Format, Spoken, Word};
use crate::settings::{ModelRow, ThinkingFormat};

/// One level on offer.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rung {
    level: Level,
    spoken: Spoken,
}

/// The levels that a model offers, weakest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ladder {
    rungs: Vec<Rung>,
    default: Option<Level>,
    /// Levels that the vendor takes for others.
    stand_ins: Vec<(Level, Level)>,
    /// How the words travel.
    pub(crate) format: Format,
}

/// The effort words that may stand in for a level, best first. Only the weak end bends: who asks for much of a model that
/// has little is told so instead.
fn words(level: Level) -> &'static [&'static str] {
    match level {
        Level::Off => &["none"],
        Level::Minimal => &["minimal", "low", "medium"],
        Level::Low => &["low", "medium"],
        Level::Medium => &["medium"],
        Level::High => &["high"],
        Level::Xhigh => &["xhigh"],
        Level::Max => &["max"],
        Level::Ultra => &["max", "xhigh", "high"],
        Level::Adaptive => &[],
    }
}

/// The efforts of a model that reasons and of which nothing else is known.
const BASE: [&str; 4] = ["minimal", "low", "medium", "high"];

impl Ladder {
    /// What the configuration says of the model goes first, then what the catalogue knows.
    pub(crate) fn of(row: Option<&ModelRow>, facts: &Facts, fit: Fit) -> Self {
        let Some(row) = row else { return Self::of_facts(facts, facts.format, facts.default) };
        let format = row.thinking_format.map_or(facts.format, Format::from);
        if row.reasoning == Some(false) || row.supports_effort == Some(false) {
            return Self::of_efforts::<&str>(format, &[], None);
        }
        let default = row.starting_level(facts, fit);
        let mut ladder = match &row.supported_efforts {
            Some(efforts) => Self::of_efforts(format, efforts, default),
            None if row.thinking_format.is_some() && format.is_switch() => Self::switch(format, default),
            None if row.reasoning == Some(true) && facts.is_mute() => Self::of_efforts(format, &BASE, None),
            None => Self::of_facts(facts, format, default),
        };
        for (level, word) in &row.thinking_level_map {
            ladder.put(*level, word.as_deref());
        }
        if format == Format::Budget {
            ladder.count(facts);
        }
        ladder
    }

    fn of_facts(facts: &Facts, format: Format, default: Option<Level>) -> Self {
        match &facts.levels {
            Some(levels) => {
                let rung = |(level, spoken): &(Level, Spoken)| Rung { level: *level, spoken: spoken.clone() };
                let stand_ins = facts.stand_ins.clone();
                Self { rungs: levels.iter().map(rung).collect(), default, stand_ins, format }
            }
            None => {
                let mut ladder = Self::of_efforts(format, &facts.efforts, default);
                ladder.rungs.extend(rung(Level::Ultra, &facts.efforts).filter(|_| facts.ultra));
                ladder
            }
        }
    }

    /// The levels that efforts stand for. The harness mode above them is for a row to offer.
    fn of_efforts<S: AsRef<str>>(format: Format, efforts: &[S], default: Option<Level>) -> Self {
        let rung = |level: Level| {
            let off = || if efforts.is_empty() { Word::Silent } else { format.off() };
            match level {
                Level::Off => rung(level, efforts).or_else(|| Some(Rung::new(level, off()))),
                Level::Ultra => None,
                Level::Minimal
                | Level::Low
                | Level::Medium
                | Level::High
                | Level::Xhigh
                | Level::Adaptive
                | Level::Max => rung(level, efforts),
            }
        };
        let rungs = Level::ALL.iter().copied().filter_map(rung).collect();
        Self { rungs, default, stand_ins: Vec::new(), format }
    }

    /// On and off, and nothing between.
    fn switch(format: Format, default: Option<Level>) -> Self {
        let off = Rung::new(Level::Off, Word::Off);
        let on = Spoken { word: Word::On, label: Some("on".to_owned()) };
        let rungs = vec![off, Rung { level: Level::Low, spoken: on }];
        Self { rungs, default, stand_ins: Vec::new(), format }
    }

    /// Gives a level a word of its own, or takes it off the ladder.
    fn put(&mut self, level: Level, word: Option<&str>) {
        self.forget(level);
        if let Some(word) = word {
            let order = |level: Level| Level::ALL.iter().position(|other| *other == level);
            let at = self.rungs.partition_point(|rung| order(rung.level) < order(level));
            self.rungs.insert(at, Rung::new(level, self.format.word(word)));
        }
    }

    /// Puts numbers in the place of the configuration's words, which this model's vendor does not take.
    fn count(&mut self, facts: &Facts) {
        for Rung { level, spoken } in &mut self.rungs {
            if matches!(spoken.word, Word::Said(_)) || *level == Level::Off {
                spoken.word = facts.budget(*level).unwrap_or(Word::Silent);
            }
        }
    }

    /// Takes a level off the ladder.
    pub(crate) fn forget(&mut self, level: Level) {
        self.rungs.retain(|rung| rung.level != level);
    }

    /// What people are offered.
    pub(crate) fn profile(&self, model: &ModelRef) -> Profile {
        let choice = |rung: &Rung| LevelChoice { level: rung.level, label: rung.spoken.label.clone() };
        let mut profile =
            Profile::new(model.to_string(), self.rungs.iter().map(choice).collect(), Level::Off);
        profile.stand_ins.clone_from(&self.stand_ins);
        match self.default {
            Some(level) => profile.default = profile.clamp(level),
            None => {
                profile.default = profile.clamp(Level::Medium);
                profile.default_source = Source::BuiltIn;
            }
        }
        if profile.default == Level::Off {
            profile.default_source = Source::BuiltIn;
        }
        profile
    }

    /// The word that carries a level. A level that is not on offer is clamped first.
    pub(crate) fn word(&self, level: Level, model: &ModelRef) -> &Word {
        let find = |level| self.rungs.iter().find(|rung| rung.level == level);
        let rung = find(level).or_else(|| find(self.profile(model).clamp(level)));
        rung.map_or(&Word::Silent, |rung| &rung.spoken.word)
    }
}

impl Rung {
    fn new(level: Level, word: Word) -> Self {
        Self { level, spoken: Spoken { word, label: None } }
    }
}

/// A level with the best of these efforts that may stand for it; nothing where there is none.
fn rung<S: AsRef<str>>(level: Level, efforts: &[S]) -> Option<Rung> {
    let word = words(level).iter().find(|word| efforts.iter().any(|effort| effort.as_ref() == **word))?;
    Some(Rung::new(level, Word::Said((*word).to_owned())))
}

impl Facts {
    /// The word for a level of a model that takes numbers, also where the row does not offer it: the most it knows that is
    /// not above the level, else its least.
    fn budget(&self, level: Level) -> Option<Word> {
        let rows = self.levels.iter().flatten();
        let own = rows.clone().find(|(known, _)| *known == level);
        if own.is_some() || level == Level::Off {
            return own.map(|(_, spoken)| spoken.word.clone());
        }
        if let Some(most) = self.most.filter(|_| level.rank() >= Level::Max.rank()) {
            return Some(Word::Tokens(most));
        }
        let mut numbers = rows.filter(|(known, _)| !matches!(known, Level::Off | Level::Adaptive));
        let below = numbers.clone().take_while(|(known, _)| known.rank() <= level.rank()).last();
        below.or_else(|| numbers.next()).map(|(_, spoken)| spoken.word.clone())
    }

    /// Whether the row knows no level but off.
    fn is_mute(&self) -> bool {
        match &self.levels {
            Some(levels) => levels.iter().all(|(level, _)| *level == Level::Off),
            None => self.efforts.is_empty(),
        }
    }
}

impl Format {
    /// Whether it can only say yes and no.
    fn is_switch(self) -> bool {
        matches!(self, Self::Zai | Self::Qwen)
    }

    /// How a model that has no word for it is told not to think. Of a shape's own field nobody knows whether it takes a
    /// no, so it is left out there.
    fn off(self) -> Word {
        match self {
            Self::Effort | Self::Budget => Word::Silent,
            Self::Openrouter | Self::Deepseek | Self::Zai | Self::Qwen => Word::Off,
        }
    }

    /// A word of the configuration.
    fn word(self, word: &str) -> Word {
        match (word, word.parse()) {
            ("true", _) => Word::On,
            ("false", _) => Word::Off,
            (_, Ok(tokens)) => Word::Tokens(tokens),
            (word, Err(_)) => Word::Said(word.to_owned()),
        }
    }
}

impl From<ThinkingFormat> for Format {
    fn from(format: ThinkingFormat) -> Self {
        match format {
            ThinkingFormat::Openai => Self::Effort,
            ThinkingFormat::Openrouter => Self::Openrouter,
            ThinkingFormat::Deepseek => Self::Deepseek,
            ThinkingFormat::Zai => Self::Zai,
            ThinkingFormat::Qwen => Self::Qwen,
        }
    }
}

impl ModelRow {
    /// The level to start from. The catalogue's general rows are careful with models that may not reason; an owner who
    /// says that this one does knows better.
    fn starting_level(&self, facts: &Facts, fit: Fit) -> Option<Level> {
        match (self.reasoning, fit) {
            (Some(true), Fit::General) => None,
            (Some(_) | None, Fit::Named | Fit::General) => facts.default,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::settings::Api;

    fn ladder(provider: &str, api: Api, row: Option<&ModelRow>, model: &str) -> Ladder {
        let catalogue = Catalogue::load().unwrap();
        let (facts, fit) = catalogue.shelf(provider, api).unwrap().facts(model);
        Ladder::of(row, facts, fit)
    }

    fn shown(ladder: &Ladder) -> String {
        let profile = ladder.profile(&ModelRef { provider: "p".into(), id: "m".into() });
        format!("{} ({})", profile.values(), profile.default)
    }

    /// Levels and default, then `level=word` for each level that puts a word on the wire.
    fn check(ladder: &Ladder, levels: &str, on_wire: &str) {
        assert_eq!(shown(ladder), levels);
        let said: Vec<String> = ladder
            .rungs
            .iter()
            .filter_map(|rung| match &rung.spoken.word {
                Word::Said(word) => Some(format!("{}={word}", rung.level)),
                Word::Silent => None,
                other => Some(format!("{}={other:?}", rung.level)),
            })
            .collect();
        assert_eq!(said.join(" "), on_wire);
    }

    #[test]
    fn openai_levels_and_their_words() {
        let openai = |model| ladder("openai", Api::OpenaiResponses, None, model);
        check(
            &openai("gpt-5"),
            "off, minimal, low, medium, high (medium)",
            "minimal=minimal low=low medium=medium high=high",
        );
        check(
            &openai("gpt-5.1"),
            "off, minimal, low, medium, high (medium)",
            "off=none minimal=low low=low medium=medium high=high",
        );
        check(
            &openai("gpt-5.1-codex-mini"),
            "off, minimal, low, medium, high (medium)",
            "minimal=medium low=medium medium=medium high=high",
        );
        check(
            &openai("gpt-5.2"),
            "off, minimal, low, medium, high, xhigh (medium)",
            "off=none minimal=low low=low medium=medium high=high xhigh=xhigh",
        );
        check(
            &openai("gpt-5.6-sol"),
            "off, minimal, low, medium, high, xhigh, max, ultra (medium)",
            "off=none minimal=low low=low medium=medium high=high xhigh=xhigh max=max ultra=max",
        );
        check(&openai("gpt-5-pro"), "off, high (high)", "high=high");
        check(&openai("gpt-5-chat-latest"), "off (off)", "");
        check(
            &openai("a-model-of-tomorrow"),
            "off, minimal, low, medium, high (off)",
            "minimal=low low=low medium=medium high=high",
        );
    }

    #[test]
    fn an_unknown_model_elsewhere_has_the_base_five_and_is_not_bothered() {
        check(
            &ladder("local", Api::OpenaiCompletions, None, "qwen3"),
            "off, minimal, low, medium, high (off)",
            "minimal=minimal low=low medium=medium high=high",
        );
    }

    #[test]
    fn the_configuration_goes_first() {
        let local = |row: &ModelRow| ladder("local", Api::OpenaiCompletions, Some(row), "qwen3");
        let strings = |words: &[&str]| Some(words.iter().map(ToString::to_string).collect::<Vec<_>>());
        check(
            &local(&ModelRow { reasoning: Some(true), ..ModelRow::default() }),
            "off, minimal, low, medium, high (medium)",
            "minimal=minimal low=low medium=medium high=high",
        );
        check(&local(&ModelRow { reasoning: Some(false), ..ModelRow::default() }), "off (off)", "");
        check(&local(&ModelRow { supports_effort: Some(false), ..ModelRow::default() }), "off (off)", "");
        check(
            &local(&ModelRow {
                reasoning: Some(true),
                supported_efforts: strings(&["low", "high", "xhigh"]),
                ..ModelRow::default()
            }),
            "off, minimal, low, high, xhigh (low)",
            "minimal=low low=low high=high xhigh=xhigh",
        );
        check(
            &local(&ModelRow {
                reasoning: Some(true),
                thinking_level_map: vec![
                    (Level::Minimal, None),
                    (Level::Max, Some("heavy".into())),
                    (Level::Off, Some("none".into())),
                ],
                ..ModelRow::default()
            }),
            "off, low, medium, high, max (medium)",
            "off=none low=low medium=medium high=high max=heavy",
        );
        check(
            &local(&ModelRow {
                reasoning: Some(true),
                thinking_format: Some(ThinkingFormat::Deepseek),
                ..ModelRow::default()
            }),
            "off, minimal, low, medium, high (medium)",
            "off=Off minimal=minimal low=low medium=medium high=high",
        );
        let sol = ModelRow { thinking_level_map: vec![(Level::Xhigh, None)], ..ModelRow::default() };
        assert_eq!(
            shown(&ladder("openai", Api::OpenaiResponses, Some(&sol), "gpt-5.6-sol")),
            "off, minimal, low, medium, high, max, ultra (medium)"
        );
    }

    #[test]
    fn prov_15_where_numbers_are_taken_a_word_of_the_configuration_becomes_one() {
        let efforts = ["low", "medium", "high", "xhigh", "max"].map(str::to_owned).to_vec();
        let row = ModelRow { supported_efforts: Some(efforts), ..ModelRow::default() };
        let numbers = |provider, api, model, on_wire: &str| {
            let ladder = ladder(provider, api, Some(&row), model);
            let numbers = ladder.rungs.iter().map(|rung| format!("{:?}", rung.spoken.word));
            let numbers: Vec<_> = numbers.map(|word| word.replace("Tokens", "")).collect();
            assert_eq!(numbers.join(" "), on_wire, "{model}");
        };
        numbers(
            "anthropic",
            Api::AnthropicMessages,
            "claude-sonnet-4-5",
            "Silent (1024) (2048) (8192) (16384) (16384) (32768)",
        );
        let gemini = |model, on_wire| numbers("google", Api::GoogleGenerativeAi, model, on_wire);
        gemini("gemini-2.5-pro", "Silent (128) (2048) (8192) (32768) (32768) (32768)");
        gemini("gemini-2.5-flash", "(0) (128) (2048) (8192) (24576) (24576) (24576)");
        gemini("gemini-2.5-flash-lite", "(0) (512) (2048) (8192) (24576) (24576) (24576)");
        let named = vec![(Level::Xhigh, Some("xhigh".to_owned())), (Level::Max, Some("20000".to_owned()))];
        let named = ModelRow { thinking_level_map: named, ..ModelRow::default() };
        let named = ladder("anthropic", Api::AnthropicMessages, Some(&named), "claude-sonnet-4-5");
        check(
            &named,
            "off, minimal, low, medium, high, xhigh, max (off)",
            "minimal=Tokens(1024) low=Tokens(2048) medium=Tokens(8192) high=Tokens(16384) xhigh=Tokens(16384) \
             max=Tokens(20000)",
        );
    }

    #[test]
    fn dir_09_every_level_on_offer_has_its_form_on_the_wire_and_no_other_has() {
        let model = ModelRef { provider: "openai".into(), id: "m".into() };
        for name in ["gpt-5", "gpt-5.1", "gpt-5.6-sol", "gpt-5-pro", "gpt-4o", "o3", "unheard-of"] {
            let ladder = ladder("openai", Api::OpenaiResponses, None, name);
            let profile = ladder.profile(&model);
            for level in Level::ALL.iter().copied() {
                let said = ladder.word(level, &model);
                assert_eq!(said, ladder.word(profile.clamp(level), &model), "{name} {level}");
                if profile.offers(level) && level != Level::Off {
                    assert_ne!(said, &Word::Silent, "{name} {level}");
                }
            }
        }
    }
}
