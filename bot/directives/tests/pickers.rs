//! What can be picked below the answer to a bare directive: the values of the model in force, and the way back.

#![allow(clippy::unwrap_used, reason = "a picker that is missing fails its test")]

use pensive_directives::{
    Change, Choice, Defaults, Effort, Fast, Level, LevelChoice, ModelEntry, Overrides, Owner, Picker,
    Profile, Queue, QueueMode, Source, Standing, Typed, Usage, Verdict, judge, parse,
};

struct Chat {
    owner: Owner,
    sender: Overrides,
    effort: Option<Effort>,
    profile: Profile,
}

impl Chat {
    fn new() -> Self {
        let (owner, sender) = (Owner::Yes, Overrides::default());
        Self { owner, sender, effort: None, profile: Profile::base_five("prov/model") }
    }

    fn judge(&self, text: &str) -> Verdict {
        let entry = |reference: &str, alias: Option<&str>| ModelEntry {
            reference: reference.into(),
            alias: alias.map(Into::into),
        };
        let models = [entry("prov/model", None), entry("prov/strong", Some("st"))];
        let defaults = Defaults { model: "prov/model".into(), ..Defaults::default() };
        let standing = Standing {
            owner: self.owner,
            sender: &self.sender,
            chat: &Overrides::default(),
            defaults: &defaults,
            effort: self.effort,
            profile: &self.profile,
            models: &models,
            with_model: &|model| (Profile::base_five(model), defaults.clone()),
        };
        judge(&parse(&Typed { text, models: &models, ..Typed::default() }), &standing)
    }

    fn picker(&self, text: &str) -> Picker {
        let mut pickers = self.judge(text).pickers;
        assert_eq!(pickers.len(), 1, "{text}");
        pickers.pop().unwrap()
    }

    /// The labels, what holds in brackets.
    fn check(&self, text: &str, labels: &str) {
        let Picker { choices, current, .. } = self.picker(text);
        let label = |(place, choice): (usize, &Choice)| {
            if Some(place) == current { format!("[{}]", choice.label) } else { choice.label.clone() }
        };
        let shown: Vec<String> = choices.iter().enumerate().map(label).collect();
        assert_eq!(shown.join(" | "), labels, "{text}");
    }
}

#[test]
fn every_family_offers_its_values_and_the_way_back() {
    let chat = Chat::new();
    chat.check("/think", "off | minimal | low | [medium] | high | Default (medium)");
    chat.check("/fast", "on | [off] | auto | Default (off)");
    chat.check("/verbose", "on | full | [off] | Default (off)");
    chat.check("/trace", "on | [off] | raw | Default (off)");
    chat.check("/reasoning", "on | [off] | stream | Default (off)");
    chat.check("/elevated", "[off] | on | ask | full | Default (off)");
    chat.check("/queue", "[steer] | followup | collect | interrupt | Default (steer)");
    chat.check("/usage", "[off] | tokens | full | Default (off)");
    chat.check("/model", "[prov/model] | st | Default (prov/model)");
    chat.check(
        "/effort",
        "low | medium | high | xhigh → high on this model | max → high on this model | [Default (medium)]",
    );
}

#[test]
fn what_is_stored_is_marked_and_what_is_inherited_named() {
    let mut chat = Chat::new();
    chat.sender.think = Some(Level::Max);
    chat.sender.fast = Some(Fast::Auto);
    chat.sender.usage = Some(Usage::Full);
    chat.sender.model = Some("prov/else".into());
    chat.sender.queue = Some(Queue { cap: Some(7), ..Queue::plain(QueueMode::Collect) });
    chat.effort = Some(Effort::High);
    chat.check("/think", "off | minimal | low | medium | [high] | Default (high)");
    chat.check("/fast", "on | off | [auto] | Default (off)");
    chat.check("/usage", "off | tokens | [full] | Default (off)");
    chat.check("/queue", "steer | followup | [collect] | interrupt | Default (steer)");
    chat.check("/model", "prov/model | st | Default (prov/model)");
    chat.check(
        "/effort",
        "low | medium | [high] | xhigh → high on this model | max → high on this model | Default (high)",
    );
}

#[test]
fn a_level_is_called_as_its_provider_calls_it_and_picked_by_its_name() {
    let choice = |level, label: Option<&str>| LevelChoice { level, label: label.map(Into::into) };
    let levels = vec![choice(Level::Off, None), choice(Level::High, Some("on"))];
    let chat = Chat { profile: Profile::new("prov/switch", levels, Level::Off), ..Chat::new() };
    chat.check("/think", "[off] | on | Default (off)");
    let picker = chat.picker("/think");
    let on = picker.choices.into_iter().find(|choice| choice.label == "on").unwrap();
    assert_eq!((on.word.as_str(), on.model.as_deref()), ("high", Some("prov/switch")));
}

#[test]
fn to_press_is_to_send_the_directive() {
    let chat = Chat::new();
    let families = [
        "/think",
        "/fast",
        "/verbose",
        "/trace",
        "/reasoning",
        "/elevated",
        "/effort",
        "/model",
        "/queue",
        "/usage",
    ];
    for family in families {
        let picker = chat.picker(family);
        assert_eq!(format!("/{}", picker.directive), family);
        for Choice { word, .. } in &picker.choices {
            let verdict = chat.judge(&format!("{family} {word}"));
            assert_eq!(verdict.changes.len() + usize::from(verdict.effort.is_some()), 1, "{family} {word}");
            assert_eq!(verdict.pickers, []);
        }
    }
    let second = chat.judge("/model 2").changes;
    assert_eq!(second, [Change::Model(Some("prov/strong".into()))]);
}

#[test]
fn nothing_is_offered_but_to_those_who_only_ask_and_may_have_it() {
    let mut chat = Chat::new();
    for text in [
        "/think high",
        "/think big",
        "/think about it",
        "/fast status",
        "/think --chat",
        "/model list",
        "hello",
    ] {
        assert_eq!(chat.judge(text).pickers, [], "{text}");
    }
    let directives =
        |verdict: Verdict| verdict.pickers.iter().map(|picker| picker.directive).collect::<Vec<_>>();
    assert_eq!(directives(chat.judge("/think /fast on /verbose")), ["think", "verbose"]);
    chat.owner = Owner::No;
    for text in ["/trace", "/elevated", "/effort"] {
        assert_eq!(chat.judge(text).pickers, [], "{text}");
    }
    assert_eq!(chat.picker("/think").directive, "think");
}

#[test]
fn what_is_being_typed_finds_its_choices() {
    let chat = Chat::new();
    let check = |command: &str, typed: &str, expected: &str| {
        let picker = chat.picker(command);
        let found: Vec<_> =
            picker.fitting(typed).into_iter().map(|(_, choice)| choice.word.as_str()).collect();
        assert_eq!(found.join(" "), expected, "{command} {typed}");
    };
    check("/think", "", "off minimal low medium high default");
    check("/think", "m", "minimal medium default");
    check("/think", "I", "minimal medium high default");
    check("/think", " Hi", "high");
    check("/think", "none", "off");
    check("/think", "h", "high medium");
    check("/think", "ultra", "high");
    check("/think", "prov", "");
    check("/think", "(med", "default");
    check("/model", "", "1 2 default");
    check("/model", "prov/", "1 2 default");
    check("/model", "ST", "2");
    check("/model", "strong", "2");
    check("/model", "2", "2");
    check("/verbose", "fu", "full");
    check("/verbose", "xyz", "");
}

#[test]
fn who_says_what_holds_is_known() {
    let mut chat = Chat::new();
    assert_eq!(chat.picker("/think").source, Some(Source::BuiltIn));
    chat.sender.think = Some(Level::Low);
    chat.sender.usage = Some(Usage::Full);
    assert_eq!(chat.picker("/think").source, Some(Source::Session));
    assert_eq!(chat.picker("/usage").source, Some(Source::Session));
    assert_eq!(chat.picker("/effort").source, None);
}
