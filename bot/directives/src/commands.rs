//! The one table of slash words. The parser, the help texts, a platform's menu and a terminal's completion all read it.

use crate::vocabulary::Vocabulary;
use crate::{Effort, Elevated, Fast, Level, QueueMode, Reasoning, Trace, Usage, Verbose};

/// Answers `/stop` when a run was ended.
pub const STOPPED: &str = "⚙️ Stopped.";

/// Answers `/stop` when there was no run.
pub const NOTHING_RUNNING: &str = "⚙️ Nothing is running.";

/// A slash word that is acted on here and never reaches the model. The directives among them stand in the order in which
/// they are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommandName {
    /// What holds in this session.
    Status,
    /// How to talk to the bot.
    Help,
    /// Every slash word.
    Commands,
    /// Who the sender is to the bot.
    Whoami,
    /// A new session, perhaps with a model.
    New,
    /// A new session.
    Reset,
    /// An end to the run.
    Stop,
    /// Leave for a call of a tool that could do harm.
    Approve,
    /// The models.
    Models,
    /// The usage line.
    Usage,
    /// See [`Level`].
    Think,
    /// See [`Fast`].
    Fast,
    /// See [`Verbose`].
    Verbose,
    /// See [`Trace`].
    Trace,
    /// See [`Reasoning`].
    Reasoning,
    /// See [`Elevated`].
    Elevated,
    /// See [`Effort`].
    Effort,
    /// Which model answers.
    Model,
    /// See [`crate::Queue`].
    Queue,
}

/// Where in a message a slash word counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Placement {
    /// With a value anywhere; without one only in front or alone.
    Directive,
    /// Anywhere in a text, which then goes on without it.
    Anywhere,
    /// Only where the message is nothing else.
    Alone,
}

/// Who may use a slash word, of those who may talk to the bot at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// All of them.
    Anyone,
    /// All of them inside a text; only an owner where it stands alone and is kept, as it is kept for everybody.
    OwnerToKeep,
    /// Only an owner.
    Owner,
}

/// A command that was called; directives are [`crate::Ask`]s instead. [`crate::judge()`] answers `Models` and `Usage` and
/// picks the model of `New`, the engine answers all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandCall {
    /// Which one.
    pub name: CommandName,
    /// The word after it, where the command takes one.
    pub argument: Option<String>,
}

/// A value that may stand behind a slash word, for platforms that ask for it by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// What it is, in one word.
    pub name: &'static str,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// What can be put there.
    pub values: Values,
}

/// What can be put behind a slash word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Values {
    /// [`CommandSpec::choices`], in every session.
    Fixed,
    /// What the session has: the levels of its model, or the models.
    OfSession,
    /// Anything; it is typed as `name:value` behind the one that has no name.
    Named,
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct CommandSpec {
    /// What the row is about.
    pub name: CommandName,
    /// The word after the slash, in lower case.
    pub word: &'static str,
    /// Other words that mean the same.
    pub aliases: &'static [&'static str],
    /// What it does, in a few words; also the description in a platform's menu.
    pub summary: &'static str,
    /// How it is typed.
    pub usage: &'static str,
    /// Where it counts.
    pub placement: Placement,
    /// Who may use it.
    pub access: Access,
    /// The fixed values to offer, none where there are none or where only the configuration knows them.
    pub choices: fn() -> Vec<&'static str>,
    /// What may stand behind it, in the order in which it is typed; all of it may be left out.
    pub arguments: &'static [Argument],
}

impl Argument {
    const fn fixed(name: &'static str, summary: &'static str) -> Self {
        Self { name, summary, values: Values::Fixed }
    }

    const fn of_session(name: &'static str, summary: &'static str) -> Self {
        Self { name, summary, values: Values::OfSession }
    }

    const fn named(name: &'static str, summary: &'static str) -> Self {
        Self { name, summary, values: Values::Named }
    }
}

impl CommandSpec {
    /// Whether a typed word names this row, in any case.
    fn is_called(&self, word: &str) -> bool {
        self.word.eq_ignore_ascii_case(word)
            || self.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(word))
    }
}

/// Every row, in the order of help texts and menus.
pub fn table() -> &'static [CommandSpec] {
    TABLE
}

/// The row that a word after a slash names.
pub(crate) fn find(word: &str) -> Option<&'static CommandSpec> {
    TABLE.iter().find(|spec| spec.is_called(word))
}

/// A directive that everybody may use; the other rows say how they differ.
const DIRECTIVE: CommandSpec = CommandSpec {
    name: CommandName::Think,
    word: "",
    aliases: &[],
    summary: "",
    usage: "",
    placement: Placement::Directive,
    access: Access::Anyone,
    choices: Vec::new,
    arguments: &[],
};
const ANYWHERE: CommandSpec = CommandSpec { placement: Placement::Anywhere, ..DIRECTIVE };
const ALONE: CommandSpec = CommandSpec { placement: Placement::Alone, ..DIRECTIVE };

const TABLE: &[CommandSpec] = &[
    CommandSpec {
        name: CommandName::Think,
        word: "think",
        aliases: &["thinking", "t"],
        summary: "How hard the model thinks",
        usage: "/think LEVEL",
        choices: || values::<Level>(&["default"]),
        arguments: &[Argument::of_session("level", "How hard; default gives your choice up")],
        ..DIRECTIVE
    },
    CommandSpec {
        name: CommandName::Fast,
        word: "fast",
        summary: "Use the provider's fast lane",
        usage: "/fast MODE",
        choices: || values::<Fast>(&["default", "status"]),
        arguments: &[Argument::fixed(
            "mode",
            "auto is fast while an answer is young; default gives your choice up",
        )],
        ..DIRECTIVE
    },
    CommandSpec {
        name: CommandName::Verbose,
        word: "verbose",
        aliases: &["v"],
        summary: "Show what tools do while I work",
        usage: "/verbose LEVEL",
        choices: || values::<Verbose>(&["default"]),
        arguments: &[Argument::fixed(
            "level",
            "full shows what came of it too; default gives your choice up",
        )],
        ..DIRECTIVE
    },
    CommandSpec {
        name: CommandName::Reasoning,
        word: "reasoning",
        aliases: &["reason"],
        summary: "Show what the model thought",
        usage: "/reasoning LEVEL",
        choices: || values::<Reasoning>(&["default"]),
        arguments: &[Argument::fixed("level", "stream shows it live, while the answer is made")],
        ..DIRECTIVE
    },
    CommandSpec {
        name: CommandName::Effort,
        word: "effort",
        summary: "How hard every model thinks, where nothing else is set",
        usage: "/effort TIER",
        access: Access::OwnerToKeep,
        choices: || values::<Effort>(&["default"]),
        arguments: &[Argument::fixed("tier", "For every chat; default gives it up")],
        ..DIRECTIVE
    },
    CommandSpec {
        name: CommandName::Model,
        word: "model",
        summary: "Show or pick the model",
        usage: "/model NAME",
        choices: || vec!["default", "status", "list"],
        arguments: &[Argument::of_session("model", "Which one; default gives your choice up")],
        ..DIRECTIVE
    },
    CommandSpec {
        name: CommandName::Queue,
        word: "queue",
        summary: "What happens to messages while I work",
        usage: "/queue MODE [debounce:2s] [cap:10]",
        choices: || values::<QueueMode>(&["default"]),
        arguments: &[
            Argument::fixed("mode", "How a waiting message meets my work"),
            Argument::named(
                "debounce",
                "How long it must be quiet before collected messages are answered, such as 2s",
            ),
            Argument::named("cap", "How many messages may wait, such as 10"),
        ],
        ..DIRECTIVE
    },
    CommandSpec {
        name: CommandName::Trace,
        word: "trace",
        summary: "Show plugins' trace lines",
        usage: "/trace LEVEL",
        access: Access::Owner,
        choices: || values::<Trace>(&["default"]),
        arguments: &[Argument::fixed("level", "raw shows all of it, and may hold what is sensitive")],
        ..DIRECTIVE
    },
    CommandSpec {
        name: CommandName::Elevated,
        word: "elevated",
        aliases: &["elev"],
        summary: "Let tools leave the sandbox",
        usage: "/elevated MODE",
        access: Access::Owner,
        choices: || values::<Elevated>(&["default"]),
        arguments: &[Argument::fixed("mode", "Who is asked before a tool does harm; full asks nobody")],
        ..DIRECTIVE
    },
    CommandSpec {
        name: CommandName::Status,
        word: "status",
        summary: "Show model, settings, tokens and session",
        usage: "/status",
        ..ANYWHERE
    },
    CommandSpec {
        name: CommandName::Help,
        word: "help",
        summary: "Show how to talk to me",
        usage: "/help",
        ..ANYWHERE
    },
    CommandSpec {
        name: CommandName::Commands,
        word: "commands",
        summary: "List every command",
        usage: "/commands",
        ..ANYWHERE
    },
    CommandSpec {
        name: CommandName::Whoami,
        word: "whoami",
        aliases: &["id"],
        summary: "Show your id and what you may do",
        usage: "/whoami",
        ..ANYWHERE
    },
    CommandSpec {
        name: CommandName::New,
        word: "new",
        summary: "Start a new session",
        usage: "/new [MODEL]",
        arguments: &[Argument::of_session("model", "Which model it begins with")],
        ..ALONE
    },
    CommandSpec {
        name: CommandName::Reset,
        word: "reset",
        summary: "Start a new session",
        usage: "/reset",
        ..ALONE
    },
    CommandSpec {
        name: CommandName::Stop,
        word: "stop",
        aliases: &["abort", "cancel"],
        summary: "Stop what I am doing",
        usage: "/stop",
        ..ALONE
    },
    CommandSpec {
        name: CommandName::Approve,
        word: "approve",
        summary: "Allow what I asked about, or deny it",
        usage: "/approve [deny]",
        choices: || vec!["deny"],
        arguments: &[Argument::fixed("ruling", "deny says no; nothing says yes")],
        ..ALONE
    },
    CommandSpec {
        name: CommandName::Models,
        word: "models",
        summary: "List the models",
        usage: "/models",
        ..ALONE
    },
    CommandSpec {
        name: CommandName::Usage,
        word: "usage",
        summary: "Show what an answer took",
        usage: "/usage KIND",
        choices: || values::<Usage>(&["default"]),
        arguments: &[Argument::fixed("kind", "tokens, or everything that is known")],
        ..ALONE
    },
];

fn values<T: Vocabulary>(besides: &[&'static str]) -> Vec<&'static str> {
    T::values().map(Vocabulary::word).chain(besides.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shape, Typed, parse};

    #[test]
    fn every_row_fits_into_a_menu() {
        let mut words: Vec<_> =
            table().iter().flat_map(|spec| spec.aliases.iter().chain([&spec.word])).collect();
        for word in &words {
            assert!((1..=32).contains(&word.len()), "{word}");
            assert!(word.bytes().all(|byte| byte.is_ascii_lowercase()), "{word}");
        }
        words.sort_unstable();
        let all = words.len();
        words.dedup();
        assert_eq!(words.len(), all, "a word names two rows");
        for spec in table() {
            assert!((1..=256).contains(&spec.summary.len()), "{}", spec.word);
            assert!(spec.usage.starts_with(&format!("/{}", spec.word)), "{}", spec.word);
        }
    }

    #[test]
    fn what_stands_behind_a_word_is_named_once_and_explained() {
        for spec in table() {
            let mut names: Vec<_> = spec.arguments.iter().map(|argument| argument.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), spec.arguments.len(), "{}", spec.word);
            let offers = !(spec.choices)().is_empty();
            let fixed = spec.arguments.iter().any(|argument| argument.values == Values::Fixed);
            assert!(offers || !fixed, "{} offers nothing", spec.word);
            assert_eq!(spec.usage.contains(' '), !spec.arguments.is_empty(), "{}", spec.word);
            for Argument { name, summary, .. } in spec.arguments {
                assert!(name.bytes().all(|byte| byte.is_ascii_lowercase()), "{name}");
                assert!((1..=100).contains(&summary.chars().count()), "{name}");
            }
        }
    }

    #[test]
    fn dir_14_whatever_is_advertised_is_handled() {
        for spec in table() {
            for word in spec.aliases.iter().chain([&spec.word]) {
                let parsed = parse(&Typed { text: &format!("/{word}"), ..Typed::default() });
                assert_eq!(parsed.shape, Shape::DirectiveOnly, "{word}");
                let names = parsed.commands.iter().map(|call| call.name);
                let asks = parsed.asks.iter().map(crate::Ask::command);
                assert_eq!(names.chain(asks).collect::<Vec<_>>(), [spec.name], "{word}");
            }
        }
    }

    #[test]
    fn every_choice_is_a_value() {
        for spec in table() {
            for choice in (spec.choices)() {
                let parsed = parse(&Typed { text: &format!("/{} {choice}", spec.word), ..Typed::default() });
                assert_eq!(parsed.shape, Shape::DirectiveOnly, "{} {choice}", spec.word);
                let unknown = format!("{:?}", parsed.asks).contains("Unknown");
                assert!(!unknown, "{} {choice}", spec.word);
            }
        }
    }
}
