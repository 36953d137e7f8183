//! What `/effort` keeps, what it means for one message, and where it stands among the layers.

use pensive_directives::{
    Defaults, Effort, Layers, Level, LevelChoice, Once, OnceOverrides, Overrides, Owner, Profile, RunsModel,
    Source, Standing, ThinkResolved, Typed, Verdict, judge, parse, resolve,
};

/// A person and the daemon's tier.
struct Room {
    owner: Owner,
    sender: Overrides,
    defaults: Defaults,
    effort: Option<Effort>,
    profile: Profile,
}

impl Room {
    fn new() -> Self {
        Self {
            owner: Owner::Yes,
            sender: Overrides::default(),
            defaults: Defaults { model: "prov/model".into(), ..Defaults::default() },
            effort: None,
            profile: Profile::base_five("prov/model"),
        }
    }

    fn say(&mut self, text: &str) -> Verdict {
        let parsed = parse(&Typed { text, ..Typed::default() });
        let verdict = judge(
            &parsed,
            &Standing {
                owner: self.owner,
                sender: &self.sender,
                chat: &Overrides::default(),
                defaults: &self.defaults,
                effort: self.effort,
                profile: &self.profile,
                models: &[],
                with_model: &|model: &str| (Profile::base_five(model), self.defaults.clone()),
            },
        );
        verdict.apply(&mut self.sender, &mut Overrides::default());
        self.effort = verdict.effort.unwrap_or(self.effort);
        verdict
    }

    fn check(&mut self, text: &str, reply: &str) {
        assert_eq!(self.say(text).reply.as_deref(), Some(reply), "{text:?}");
    }

    fn think(&self, once: &OnceOverrides) -> ThinkResolved {
        resolve(&Layers {
            once,
            sender: &self.sender,
            chat: &Overrides::default(),
            defaults: &self.defaults,
            effort: self.effort,
            profile: &self.profile,
        })
        .think
    }

    /// What a message runs with.
    fn runs(&mut self, text: &str) -> (Level, Source) {
        let verdict = self.say(text);
        assert_eq!((verdict.run, verdict.effort), (RunsModel::Yes, None), "{text:?}");
        let think = self.think(&verdict.once);
        (think.level, think.source)
    }
}

#[test]
fn an_owner_keeps_a_tier_for_the_whole_daemon() {
    let mut room = Room::new();
    let verdict = room.say("/effort high");
    assert_eq!((verdict.effort, verdict.run), (Some(Some(Effort::High)), RunsModel::No));
    assert_eq!((verdict.changes.len(), verdict.once), (0, OnceOverrides::default()));
    assert_eq!(verdict.reply.as_deref(), Some("⚙️ Effort set to high."));
    assert_eq!(room.sender, Overrides::default());
    assert_eq!(room.runs("hello"), (Level::High, Source::Effort));
    room.check(
        "/think",
        "Current thinking level: high (from effort).\nOptions: default, off, minimal, low, medium, high.",
    );
    let verdict = room.say("/effort default");
    assert_eq!(verdict.effort, Some(None));
    assert_eq!(verdict.reply.as_deref(), Some("⚙️ Effort reset to default (thinking level medium)."));
    assert_eq!(room.runs("hello"), (Level::Medium, Source::BuiltIn));
}

#[test]
fn others_may_have_it_for_a_message_only() {
    let mut room = Room { owner: Owner::No, effort: Some(Effort::Low), ..Room::new() };
    for text in ["/effort high", "/effort default", "/effort high --chat"] {
        let verdict = room.say(text);
        assert_eq!((verdict.effort, verdict.run), (None, RunsModel::No), "{text}");
        assert!(verdict.reply.unwrap().ends_with(" is restricted to owners."), "{text}");
    }
    room.check("/effort high", "❌ /effort is restricted to owners.");
    room.check("/effort high /think low", "Thinking level set to low.\n❌ /effort is restricted to owners.");
    room.sender = Overrides::default();
    room.check("explain Raft /effort high", "⚙️ Effort set to high.");
    assert_eq!(room.runs("explain Raft /effort high"), (Level::High, Source::Message));
    assert_eq!(room.runs("explain Raft"), (Level::Low, Source::Effort));
    assert_eq!(room.runs("/effort default explain Raft"), (Level::Medium, Source::BuiltIn));
    assert!(room.say("/effort").reply.unwrap().starts_with("Current effort: low (set for every chat)."));
}

#[test]
fn where_a_tier_stands_among_the_layers() {
    let mut room = Room { effort: Some(Effort::Low), ..Room::new() };
    room.profile.default_source = Source::Provider;
    assert_eq!(room.runs("a"), (Level::Low, Source::Effort));
    for source in [Source::Global, Source::Model, Source::Agent] {
        room.defaults.think = vec![(source, Level::Medium)];
        assert_eq!(room.runs("a"), (Level::Medium, source));
        assert_eq!(room.runs("/effort high a"), (Level::High, Source::Message));
        assert_eq!(room.runs("/effort default a"), (Level::Medium, source));
    }
    room.sender.think = Some(Level::Off);
    assert_eq!(room.runs("a"), (Level::Off, Source::Session));
    assert_eq!(room.runs("/effort high a"), (Level::High, Source::Message));
    assert_eq!(room.runs("/effort high a /think minimal"), (Level::Minimal, Source::Message));
    assert_eq!(room.runs("/effort high a /think default"), (Level::High, Source::Message));
    room.check("/effort max", "⚙️ Effort set to max. Thinking level stays off (from session).");
    room.check(
        "/effort high /think default",
        "Thinking level reset to default (medium).\n\
         ⚙️ Effort set to high. Thinking level stays medium (from agent default).",
    );
    room.defaults.think.clear();
    room.check(
        "/think low /effort high",
        "Thinking level set to low.\n⚙️ Effort set to high. Thinking level stays low (from session).",
    );
    room.check(
        "/think default /effort high",
        "Thinking level reset to default (high).\n⚙️ Effort set to high.",
    );
}

#[test]
fn alone_it_shows_the_tier_and_what_the_model_makes_of_each() {
    let mut room = Room { owner: Owner::No, effort: Some(Effort::Max), ..Room::new() };
    let options = "Options: default, low, medium, high, xhigh → high on this model, \
                   max → high on this model (current).";
    let shown = format!(
        "Current effort: max (set for every chat).\nThinking level here: high (from effort).\n{options}"
    );
    room.check("/effort", &shown);
    let verdict = room.say("/effort hgih fix it");
    assert_eq!(verdict.run, RunsModel::Yes);
    assert_eq!(verdict.reply, Some(format!("{shown} Did you mean \"high\"?")));
    let valid = "Valid tiers: default, low, medium, high, xhigh, max.";
    room.check("/effort zebra", &format!("Unrecognized effort \"zebra\". {valid}"));
    room.check("/effort hgih", &format!("Unrecognized effort \"hgih\". {valid} Did you mean \"high\"?"));
    room.check(
        "/effort off",
        &format!("Unrecognized effort \"off\". {valid} To turn thinking off, use /think off."),
    );
    assert_eq!(room.effort, Some(Effort::Max));
}

#[test]
fn a_tier_that_the_model_lacks_is_clamped_and_never_refused() {
    let mut room = Room::new();
    let verdict = room.say("/effort max explain");
    assert_eq!((verdict.run, verdict.once.effort), (RunsModel::Yes, Some(Once::Set(Effort::Max))));
    let think = room.think(&verdict.once);
    assert_eq!((think.asked, think.level, think.effort), (Level::Max, Level::High, Some(Effort::Max)));
    assert_eq!(
        think.clamped(&room.profile).as_deref(),
        Some("Thinking level set to high (effort max not supported for prov/model).")
    );
    room.effort = Some(Effort::High);
    assert_eq!(room.think(&OnceOverrides::default()).clamped(&room.profile), None);
    room.profile = Profile::off_only("prov/plain");
    let think = room.think(&OnceOverrides::default());
    assert_eq!((think.level, think.source), (Level::Off, Source::Effort));
    assert!(think.clamped(&room.profile).is_some());
    room.sender.think = Some(Level::High);
    assert_eq!(
        room.think(&OnceOverrides::default()).clamped(&room.profile),
        None,
        "no effort has a part in it"
    );
    room.sender.think = None;
    let on = LevelChoice { level: Level::Low, label: Some("on".into()) };
    room.profile = Profile::new("prov/switch", vec![on], Level::Low);
    room.effort = Some(Effort::Max);
    assert_eq!(
        room.think(&OnceOverrides::default()).clamped(&room.profile).as_deref(),
        Some("Thinking level set to on (effort max not supported for prov/switch).")
    );
}
