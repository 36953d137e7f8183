//! What is stored, answered and run: every row of the tables of directive-only against mixed messages and of answers.

use pensive_directives::{
    Change, Defaults, Effort, Elevated, Fast, Layers, Level, LevelChoice, ModelEntry, Once, OnceOverrides,
    Overrides, Owner, Profile, Queue, QueueMode, Reasoning, RunsModel, Settings, Source, Standing, Trace,
    Typed, Usage, Verbose, Verdict, judge, parse, resolve,
};

/// A person in a chat.
struct Chat {
    owner: Owner,
    sender: Overrides,
    chat: Overrides,
    defaults: Defaults,
    effort: Option<Effort>,
    profile: Profile,
    models: Vec<ModelEntry>,
}

impl Chat {
    fn new() -> Self {
        let entry = |reference: &str, alias: &str| ModelEntry {
            reference: reference.into(),
            alias: Some(alias.into()),
        };
        Self {
            owner: Owner::Yes,
            sender: Overrides::default(),
            chat: Overrides::default(),
            defaults: Defaults { model: "prov/model".into(), ..Defaults::default() },
            effort: None,
            profile: Profile::base_five("prov/model"),
            models: vec![entry("prov/model", "mo"), entry("prov/strong", "st"), entry("prov/plain", "pl")],
        }
    }

    fn judge(&self, text: &str) -> Verdict {
        let parsed = parse(&Typed { text, models: &self.models, ..Typed::default() });
        judge(
            &parsed,
            &Standing {
                owner: self.owner,
                sender: &self.sender,
                chat: &self.chat,
                defaults: &self.defaults,
                effort: self.effort,
                profile: &self.profile,
                models: &self.models,
                with_model: &|model: &str| (profile_of(model), self.defaults_of(model)),
            },
        )
    }

    /// What is configured: for the strong model another level than for the others.
    fn defaults_of(&self, model: &str) -> Defaults {
        let mut defaults = self.defaults.clone();
        if model == "prov/strong" {
            defaults.think.insert(0, (Source::Model, Level::Max));
        }
        defaults
    }

    /// Sends a message and stores what it changes.
    fn say(&mut self, text: &str) -> Verdict {
        let verdict = self.judge(text);
        verdict.apply(&mut self.sender, &mut self.chat);
        self.effort = verdict.effort.unwrap_or(self.effort);
        verdict
    }

    /// What holds for a message that was judged.
    fn settings(&self, verdict: &Verdict) -> Settings {
        resolve(&Layers {
            once: &verdict.once,
            sender: &self.sender,
            chat: &self.chat,
            defaults: &self.defaults,
            effort: self.effort,
            profile: &self.profile,
        })
    }

    fn reply(&mut self, text: &str) -> String {
        self.say(text).reply.unwrap_or_default()
    }

    fn check(&mut self, text: &str, reply: &str) {
        assert_eq!(self.reply(text), reply, "{text:?}");
    }
}

fn profile_of(model: &str) -> Profile {
    let levels = |levels: &[Level]| levels.iter().map(|&level| LevelChoice { level, label: None }).collect();
    match model {
        "prov/strong" => Profile::new(model, levels(Level::ALL), Level::High),
        "prov/plain" => Profile::off_only(model),
        _ => Profile::base_five(model),
    }
}

#[test]
fn answers_of_think() {
    let mut chat = Chat::new();
    chat.defaults.think = vec![(Source::Agent, Level::Medium)];
    chat.check(
        "/think",
        "Current thinking level: medium (from agent default).\nOptions: default, off, minimal, low, medium, high.",
    );
    chat.check("/think high", "Thinking level set to high.");
    chat.check("/think off", "Thinking disabled.");
    chat.check("/think default", "Thinking level reset to default (medium).");
    chat.check(
        "/think zebra",
        "Unrecognized thinking level \"zebra\". Valid levels: default, off, minimal, low, medium, high.",
    );
    chat.check(
        "/think hgih",
        "Unrecognized thinking level \"hgih\". Valid levels: default, off, minimal, low, medium, high. \
         Did you mean \"high\"?",
    );
    chat.check(
        "/think xhigh",
        "Thinking level \"xhigh\" is not supported for prov/model. Use one of: off, minimal, low, medium, high.",
    );
    chat.check(
        "/think hgih fix it",
        "Current thinking level: medium (from agent default).\n\
         Options: default, off, minimal, low, medium, high. Did you mean \"high\"?",
    );
    assert_eq!(chat.sender, Overrides::default());
}

#[test]
fn answers_of_fast() {
    let mut chat = Chat::new();
    chat.check("/fast auto", "⚙️ Fast mode set to auto.");
    chat.check(
        "/fast",
        "Current fast mode: auto (60 sec) (from session).\nOptions: on, off, auto, default, status.",
    );
    chat.check("/fast status", "Current fast mode: auto (60 sec) (from session).");
    chat.check("/fast on", "⚙️ Fast mode enabled.");
    chat.check("/fast off", "⚙️ Fast mode disabled.");
    chat.check("/fast default", "⚙️ Fast mode reset to default (off).");
    chat.check("/fast status", "Current fast mode: off (from built-in).");
    chat.check(
        "/fast zebra",
        "Unrecognized fast mode \"zebra\". Valid modes: on, off, auto, default, status.",
    );
}

#[test]
fn answers_of_verbose_trace_and_reasoning() {
    let mut chat = Chat::new();
    chat.check("/verbose", "Current verbose level: off (from built-in).\nOptions: default, on, full, off.");
    chat.check("/verbose on", "⚙️ Verbose logging enabled.");
    chat.check("/verbose off", "⚙️ Verbose logging disabled.");
    chat.check("/verbose full", "⚙️ Verbose logging set to full.");
    chat.check("/verbose default", "⚙️ Verbose logging reset to default (off).");
    chat.check(
        "/verbose zebra",
        "Unrecognized verbose level \"zebra\". Valid levels: default, on, full, off.",
    );
    chat.check("/trace on", "⚙️ Plugin trace enabled.");
    chat.check("/trace off", "⚙️ Plugin trace disabled.");
    chat.check("/trace raw", "⚙️ Plugin trace set to raw. Trace output may contain sensitive text.");
    chat.check("/trace", "Current plugin trace: raw (from session).\nOptions: default, on, off, raw.");
    chat.check("/trace zebra", "Unrecognized plugin trace \"zebra\". Valid levels: default, on, off, raw.");
    chat.check("/reasoning on", "⚙️ Reasoning visibility enabled.");
    chat.check("/reasoning off", "⚙️ Reasoning visibility disabled.");
    chat.check("/reasoning stream", "⚙️ Reasoning stream enabled.");
    chat.check("/reasoning default", "⚙️ Reasoning visibility reset to default (off).");
    chat.check(
        "/reasoning steam",
        "Unrecognized reasoning visibility \"steam\". Valid levels: default, on, off, stream. \
         Did you mean \"stream\"?",
    );
}

#[test]
fn answers_of_elevated_queue_and_usage() {
    let mut chat = Chat::new();
    chat.check("/elevated off", "⚙️ Elevated mode disabled.");
    chat.check("/elevated on", "⚙️ Elevated mode set to ask (approvals may still apply).");
    chat.check("/elevated ask", "⚙️ Elevated mode set to ask (approvals may still apply).");
    chat.check("/elevated full", "⚙️ Elevated mode set to full (auto-approve).");
    chat.check(
        "/elevated",
        "Current elevated mode: full (from session).\nOptions: default, off, on, ask, full.",
    );
    chat.check("/queue collect cap:10", "⚙️ Queue mode set to collect cap:10.");
    chat.check("/queue default", "⚙️ Queue mode reset to default (steer).");
    chat.check("/usage tokens", "⚙️ Usage line set to tokens.");
    assert_eq!(chat.sender.usage, Some(Usage::Tokens));
    chat.check("/usage", "Current usage line: tokens (from session).\nOptions: default, off, tokens, full.");
    chat.check("/usage reset", "⚙️ Usage line reset to default (off).");
    chat.check("/usage lots", "Unrecognized usage line \"lots\". Valid values: default, off, tokens, full.");
}

#[test]
fn answers_of_model() {
    let mut chat = Chat::new();
    chat.check("/model prov/strong", "Model set to prov/strong for this session.");
    assert_eq!(chat.sender.model.as_deref(), Some("prov/strong"));
    chat.check("/model pl", "Model set to prov/plain for this session.");
    chat.check("/model 1", "Model set to prov/model for this session.");
    chat.check("/model default", "Model reset to default (prov/model).");
    assert_eq!(chat.sender.model, None);
    chat.check(
        "/model strong",
        "Unrecognized model \"strong\". See /model list. Did you mean \"prov/strong\"?",
    );
    chat.check("/model 9", "There is no model 9. Use a number from 1 to 3; see /model list.");
    let list = "Models:\n1. prov/model (mo) ← current\n2. prov/strong (st)\n3. prov/plain (pl)\n\
                Pick one with /model and its number.";
    chat.check("/models", list);
    chat.check("/model list", list);
    assert!(chat.reply("/model status").starts_with("Current model: prov/model (from global default).\n"));
}

#[test]
fn a_model_behind_new_is_picked_like_any_other() {
    let mut chat = Chat::new();
    chat.check("/new st", "Model set to prov/strong for this session.");
    assert_eq!(chat.sender.model.as_deref(), Some("prov/strong"));
    chat.check(
        "/new 1 /think high",
        "Thinking level set to high.\nModel set to prov/model for this session.",
    );
    chat.check("/new default", "Model reset to default (prov/model).");
    chat.check("/new nope", "Unrecognized model \"nope\". See /model list.");
    chat.check("/new pl /model st", "Model set to prov/strong for this session.");
    assert_eq!(chat.judge("/new").reply, None);
}

#[test]
fn alone_is_stored_and_does_not_run() {
    let mut chat = Chat::new();
    let verdict =
        chat.say("/t high /fast on /v full /trace on /reason on /elev ask /model st /queue collect");
    let expected = Overrides {
        think: Some(Level::High),
        fast: Some(Fast::On),
        verbose: Some(Verbose::Full),
        trace: Some(Trace::On),
        reasoning: Some(Reasoning::On),
        elevated: Some(Elevated::Ask),
        model: Some("prov/strong".into()),
        queue: Some(Queue::plain(QueueMode::Collect)),
        usage: None,
    };
    assert_eq!(chat.sender, expected);
    assert_eq!((verdict.run, verdict.once), (RunsModel::No, OnceOverrides::default()));
}

#[test]
fn dir_04_inline_value_is_used_for_the_run() {
    let mut chat = Chat::new();
    chat.sender.think = Some(Level::Low);
    let verdict = chat.say("/think high explain Raft");
    assert_eq!(verdict.reply.as_deref(), Some("Thinking level set to high."));
    assert_eq!((verdict.run, &verdict.changes[..]), (RunsModel::Yes, &[][..]));
    let settings = chat.settings(&verdict);
    assert_eq!((settings.think.level, settings.think.source), (Level::High, Source::Message));
}

#[test]
fn mixed_holds_for_the_message_except_the_model() {
    let mut chat = Chat::new();
    let verdict = chat.say("/t high /fast on /v full /model st /queue collect explain");
    assert_eq!(verdict.changes, [Change::Model(Some("prov/strong".into()))]);
    let once = OnceOverrides {
        think: Some(Once::Set(Level::High)),
        fast: Some(Once::Set(Fast::On)),
        verbose: Some(Once::Set(Verbose::Full)),
        queue: Some(Once::Set(Queue::plain(QueueMode::Collect))),
        ..OnceOverrides::default()
    };
    assert_eq!((verdict.once, verdict.run), (once, RunsModel::Yes));
    assert_eq!(
        verdict.reply.as_deref(),
        Some(
            "Thinking level set to high.\n⚙️ Fast mode enabled.\n⚙️ Verbose logging set to full.\n\
             Model set to prov/strong for this session.\n⚙️ Queue mode set to collect."
        )
    );
}

#[test]
fn default_in_a_mixed_message_ignores_what_is_stored() {
    let mut chat = Chat::new();
    chat.sender.think = Some(Level::High);
    let verdict = chat.say("/think default explain");
    assert_eq!(verdict.reply.as_deref(), Some("Thinking level reset to default (medium)."));
    assert_eq!(verdict.once.think, Some(Once::Inherit));
    assert_eq!(chat.sender.think, Some(Level::High));
}

#[test]
fn a_level_that_the_model_lacks_stops_the_prompt() {
    let mut chat = Chat::new();
    let verdict = chat.say("/think xhigh /fast on explain");
    assert_eq!(verdict.run, RunsModel::No);
    assert_eq!(verdict.once.think, None);
    let reply = verdict.reply.unwrap();
    assert!(reply.starts_with("Thinking level \"xhigh\" is not supported for prov/model."), "{reply}");
    assert!(reply.ends_with("⚙️ Fast mode enabled."), "{reply}");
}

#[test]
fn valid_ones_apply_though_another_is_rejected() {
    let mut chat = Chat::new();
    chat.say("/think zebra /fast on /v full");
    let expected = Overrides { fast: Some(Fast::On), verbose: Some(Verbose::Full), ..Overrides::default() };
    assert_eq!(chat.sender, expected);
}

#[test]
fn no_value_shows_and_the_run_goes_on() {
    let verdict = Chat::new().say("/think about my plan");
    assert_eq!(verdict.run, RunsModel::Yes);
    assert_eq!(
        verdict.reply.as_deref(),
        Some(
            "Current thinking level: medium (from built-in).\nOptions: default, off, minimal, low, medium, high."
        )
    );
}

#[test]
fn dir_05_off_is_what_is_shown_and_what_runs() {
    let mut chat = Chat::new();
    chat.defaults.think = vec![(Source::Global, Level::Medium)];
    chat.check("/t off", "Thinking disabled.");
    chat.check(
        "/think",
        "Current thinking level: off (from session).\nOptions: default, off, minimal, low, medium, high.",
    );
}

#[test]
fn dir_06_off_is_a_value_and_not_its_absence() {
    let mut chat = Chat::new();
    chat.profile = profile_of("prov/strong");
    chat.say("/think off");
    assert_eq!(chat.sender.think, Some(Level::Off));
    chat.say("/think default");
    assert_eq!(chat.sender.think, None);
}

#[test]
fn dir_07_notice_and_status_use_one_resolver() {
    let chat = Chat::new();
    let verdict = chat.judge("/think");
    let settings = chat.settings(&verdict);
    let reply = verdict.reply.unwrap();
    assert!(reply.starts_with(&format!(
        "Current thinking level: {} (from {}).",
        settings.think.level, settings.think.source
    )));
}

#[test]
fn dir_09_what_is_listed_is_accepted() {
    for model in ["prov/model", "prov/strong", "prov/plain"] {
        let mut chat = Chat::new();
        chat.profile = profile_of(model);
        for &level in Level::ALL {
            let listed = chat.profile.values().split(", ").any(|word| word == level.name());
            let verdict = chat.say(&format!("/think {level}"));
            assert_eq!(verdict.changes.len(), usize::from(listed), "{model} {level}");
        }
    }
}

#[test]
fn a_binary_model_shows_and_takes_its_own_word() {
    let mut chat = Chat::new();
    let choice = |level, label: Option<&str>| LevelChoice { level, label: label.map(Into::into) };
    let levels = vec![choice(Level::Off, None), choice(Level::High, Some("on"))];
    chat.profile = Profile::new("prov/switch", levels, Level::Off);
    chat.check("/think on", "Thinking level set to on.");
    assert_eq!(chat.sender.think, Some(Level::High));
    chat.check("/think", "Current thinking level: on (from session).\nOptions: default, off, on.");
    chat.check("/think low", "Thinking level \"low\" is not supported for prov/switch. Use one of: off, on.");
    chat.check("/think default", "Thinking level reset to default (off).");
    chat.check("/think no", "Unrecognized thinking level \"no\". Valid levels: default, off, on.");
}

#[test]
fn a_stored_level_moves_with_the_model_and_stays_stored() {
    let mut chat = Chat::new();
    chat.profile = profile_of("prov/strong");
    chat.sender =
        Overrides { think: Some(Level::Xhigh), model: Some("prov/strong".into()), ..Overrides::default() };
    let notice = "Thinking level set to high (xhigh not supported for prov/model).";
    chat.check("/model mo", &format!("{notice}\nModel set to prov/model for this session."));
    assert_eq!(chat.sender.think, Some(Level::Xhigh));
    chat.sender.model = Some("prov/strong".into());
    chat.check("/model default", &format!("{notice}\nModel reset to default (prov/model)."));
    chat.check(
        "/model mo /think low",
        "Thinking level set to low.\nModel set to prov/model for this session.",
    );
    chat.sender.think = Some(Level::High);
    chat.check("/model mo", "Model set to prov/model for this session.");
}

#[test]
fn a_stored_level_that_comes_back_with_the_model_is_told_as_well() {
    let mut chat = Chat::new();
    chat.sender.think = Some(Level::Xhigh);
    chat.check("/model st", "Thinking level set to xhigh.\nModel set to prov/strong for this session.");
    chat.profile = profile_of("prov/plain");
    chat.sender.think = Some(Level::Adaptive);
    chat.check(
        "/model mo",
        "Thinking level set to medium (adaptive not supported for prov/model).\n\
         Model set to prov/model for this session.",
    );
}

#[test]
fn a_level_is_judged_by_the_model_that_is_picked_with_it() {
    let mut chat = Chat::new();
    chat.check(
        "/think xhigh /model st",
        "Thinking level set to xhigh.\nModel set to prov/strong for this session.",
    );
    chat.check(
        "/think default /model st",
        "Thinking level reset to default (max).\nModel set to prov/strong for this session.",
    );
    let verdict = chat.say("/model mo /think xhigh explain");
    assert_eq!(
        (verdict.reply.as_deref(), verdict.run),
        (
            Some(
                "Thinking level \"xhigh\" is not supported for prov/model. Use one of: off, minimal, low, medium, \
                 high.\nModel set to prov/model for this session."
            ),
            RunsModel::No
        )
    );
}

#[test]
fn what_only_owners_may() {
    let mut chat = Chat::new();
    chat.owner = Owner::No;
    chat.check("/trace on", "❌ /trace is restricted to owners.");
    chat.check("/elevated full", "❌ /elevated is restricted to owners.");
    chat.check("/trace on /v on", "⚙️ Verbose logging enabled.\n❌ /trace is restricted to owners.");
    assert_eq!(chat.sender, Overrides { verbose: Some(Verbose::On), ..Overrides::default() });
    let verdict = chat.say("/think high --chat");
    assert_eq!(verdict.reply.as_deref(), Some("❌ --chat is restricted to owners."));
    assert_eq!((verdict.run, verdict.changes.len()), (RunsModel::No, 0));
    assert_eq!(chat.chat, Overrides::default());
}

#[test]
fn an_owner_sets_the_layer_of_the_chat() {
    let mut chat = Chat::new();
    chat.check("/think high --chat", "Thinking level set to high.");
    assert_eq!((chat.sender.think, chat.chat.think), (None, Some(Level::High)));
    chat.sender.think = Some(Level::Low);
    chat.check("/think default", "Thinking level reset to default (high).");
    chat.check("/think default --chat", "Thinking level reset to default (medium).");
    assert_eq!(chat.chat.think, None);
    let verdict = chat.say("/think low --chat explain");
    assert_eq!((chat.chat.think, verdict.once.think), (Some(Level::Low), Some(Once::Set(Level::Low))));
}

#[test]
fn a_command_in_a_text_lets_the_text_run() {
    let mut chat = Chat::new();
    let verdict = chat.say("how are you /status");
    assert_eq!((verdict.reply, verdict.run), (None, RunsModel::Yes));
    assert_eq!(chat.say("/status").run, RunsModel::No);
    assert_eq!(chat.say("hello").run, RunsModel::Yes);
}
