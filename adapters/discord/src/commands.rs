//! Slash commands: the table of commands as Discord takes it, and what a called one would have been typed as. Pure;
//! `registry` publishes them.

mod registry;

use pensive_directives::{Argument, CommandSpec, Values, table};
use serde::Serialize;

pub(crate) use registry::Registry;

/// Limits of commands
/// (<https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-structure>).
const MOST_COMMANDS: usize = 100;
const MOST_OPTIONS: usize = 25;
const LONGEST_NAME: usize = 32;
const LONGEST_DESCRIPTION: usize = 100;
/// Of fixed values, and of those that are offered while somebody types.
pub(crate) const MOST_CHOICES: usize = 25;
pub(crate) const LONGEST_CHOICE: usize = 100;

/// `CHAT_INPUT`, a command that is typed.
const TYPED: u8 = 1;
/// `STRING`
const TEXT: u8 = 3;
/// `GUILD_INSTALL`: a bot that is a member, not an app that one person carries about.
const MEMBER: [u8; 1] = [0];
/// `GUILD` and `BOT_DM`
const CONTEXTS: [u8; 2] = [0, 1];

/// Whether there is such a command.
pub(crate) fn is_ours(command: &str) -> bool {
    table().iter().any(|spec| spec.word == command)
}

/// What a person would have typed to the same end as they called a command with these options, each a name and a value. It is
/// the command and nothing else: no value becomes a prompt.
pub(crate) fn typed(command: &str, options: &[(&str, &str)]) -> String {
    let arguments = table().iter().find(|spec| spec.word == command).map_or(&[][..], |spec| spec.arguments);
    let said = |argument: &Argument| {
        let (_, value) = options.iter().find(|(name, _)| *name == argument.name)?;
        // Blanks inside a value are optional.
        let value: String = value.split_whitespace().collect();
        match argument.values {
            _ if value.is_empty() => None,
            Values::Fixed | Values::OfSession => Some(value),
            Values::Named => Some(format!("{}:{value}", argument.name)),
        }
    };
    let said: Vec<String> = arguments.iter().filter_map(said).collect();
    // Without a mode, one of its options is taken for it, and the answer tells that it is none.
    let bare = said.len() > 1 && said.first().is_some_and(|first| first.contains(':'));
    let most = if bare { 1 } else { said.len() };
    std::iter::once(format!("/{command}")).chain(said.into_iter().take(most)).collect::<Vec<_>>().join(" ")
}

/// Where commands are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// Wherever the bot is, and in messages to it.
    Everywhere,
    /// In one guild.
    Guild(u64),
}

/// A command. serenity's builder would write fields that text options do not have.
#[derive(Serialize)]
struct Command {
    #[serde(rename = "type")]
    kind: u8,
    name: &'static str,
    description: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<CommandOption>,
    #[serde(skip_serializing_if = "Option::is_none")]
    integration_types: Option<[u8; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contexts: Option<[u8; 2]>,
}

/// What can be put behind it.
#[derive(Serialize)]
struct CommandOption {
    #[serde(rename = "type")]
    kind: u8,
    name: &'static str,
    description: String,
    #[serde(flatten)]
    offers: Offers,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Offers {
    Choices(Vec<Choice>),
    Autocomplete(bool),
    #[serde(untagged)]
    Nothing {},
}

#[derive(Serialize)]
struct Choice {
    name: &'static str,
    value: &'static str,
}

/// The table as Discord takes it.
fn commands(table: &[CommandSpec], reach: Reach) -> Vec<Command> {
    let fits = |spec: &&CommandSpec| (1..=LONGEST_NAME).contains(&spec.word.len());
    table.iter().filter(fits).take(MOST_COMMANDS).map(|spec| command(spec, reach)).collect()
}

fn command(spec: &CommandSpec, reach: Reach) -> Command {
    // Where a command is known is a question only for one that is known everywhere.
    let (integration_types, contexts) = match reach {
        Reach::Everywhere => (Some(MEMBER), Some(CONTEXTS)),
        Reach::Guild(_) => (None, None),
    };
    Command {
        kind: TYPED,
        name: spec.word,
        description: description(spec.summary, spec.word),
        options: spec.arguments.iter().take(MOST_OPTIONS).map(|argument| option(spec, argument)).collect(),
        integration_types,
        contexts,
    }
}

fn option(spec: &CommandSpec, argument: &Argument) -> CommandOption {
    let choice = |word: &'static str| Choice { name: word, value: word };
    let offers = match argument.values {
        Values::Fixed => {
            Offers::Choices((spec.choices)().into_iter().take(MOST_CHOICES).map(choice).collect())
        }
        Values::OfSession => Offers::Autocomplete(true),
        Values::Named => Offers::Nothing {},
    };
    let description = description(argument.summary, argument.name);
    CommandOption { kind: TEXT, name: argument.name, description, offers }
}

fn description(summary: &str, name: &str) -> String {
    let words = if summary.is_empty() { name } else { summary };
    words.chars().take(LONGEST_DESCRIPTION).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn find(reach: Reach, word: &str) -> Value {
        let commands = serde_json::to_value(commands(table(), reach)).unwrap();
        commands.as_array().unwrap().iter().find(|command| command["name"] == word).unwrap().clone()
    }

    #[test]
    fn values_that_depend_on_nothing_are_listed() {
        let choice = |word| json!({"name": word, "value": word});
        let expected = json!({
            "type": 1,
            "name": "verbose",
            "description": "Show what tools do while I work",
            "options": [{
                "type": 3,
                "name": "level",
                "description": "full shows what came of it too; default gives your choice up",
                "choices": [choice("on"), choice("full"), choice("off"), choice("default")],
            }],
            "integration_types": [0],
            "contexts": [0, 1],
        });
        assert_eq!(find(Reach::Everywhere, "verbose"), expected);
    }

    #[test]
    fn dir_09_values_that_follow_the_session_are_asked_for() {
        for (word, option) in [("think", "level"), ("model", "model"), ("new", "model")] {
            let options = &find(Reach::Guild(7), word)["options"];
            assert_eq!(options.as_array().unwrap().len(), 1, "{word}");
            assert_eq!(options[0]["name"], option);
            assert_eq!(options[0]["autocomplete"], true);
            assert_eq!(options[0].get("choices"), None);
        }
    }

    #[test]
    fn a_guild_says_nothing_of_where_and_a_bare_command_has_no_options() {
        let expected = json!({"type": 1, "name": "stop", "description": "Stop what I am doing"});
        assert_eq!(find(Reach::Guild(7), "stop"), expected);
        let queue = find(Reach::Guild(7), "queue");
        let names: Vec<_> = queue["options"].as_array().unwrap().iter().map(|o| o["name"].clone()).collect();
        assert_eq!(names, ["mode", "debounce", "cap"]);
        assert_eq!(queue["options"][1].get("choices").or(queue["options"][1].get("autocomplete")), None);
    }

    #[test]
    fn every_command_fits() {
        let commands = commands(table(), Reach::Everywhere);
        assert_eq!(commands.len(), table().len());
        // All of a command's words together, as Discord counts them.
        for command in commands {
            let json = serde_json::to_value(&command).unwrap();
            assert!(json.to_string().len() < 8_000, "{}", command.name);
            let choices = json["options"][0]["choices"].as_array().map_or(0, Vec::len);
            assert!(choices <= MOST_CHOICES, "{}", command.name);
        }
    }

    #[test]
    fn a_called_command_is_what_would_have_been_typed() {
        let check = |command: &str, options: &[(&str, &str)], expected: &str| {
            assert_eq!(typed(command, options), expected);
        };
        check("think", &[], "/think");
        check("think", &[("level", "high")], "/think high");
        check("think", &[("level", " extra\nhigh ")], "/think extrahigh");
        check("think", &[("level", "high fix it")], "/think highfixit");
        check("think", &[("level", " ")], "/think");
        check("think", &[("strange", "x")], "/think");
        check("new", &[("model", "prov/model:free")], "/new prov/model:free");
        check("status", &[], "/status");
        check(
            "queue",
            &[("cap", "10"), ("mode", "collect"), ("debounce", "2s")],
            "/queue collect debounce:2s cap:10",
        );
        check("queue", &[("cap", "10"), ("debounce", "2s")], "/queue debounce:2s");
        check("unheard", &[("x", "y")], "/unheard");
    }

    #[test]
    fn what_was_called_means_what_it_says() {
        use pensive_directives::{Shape, Typed, parse};
        for spec in table() {
            for argument in spec.arguments {
                for choice in (spec.choices)().into_iter().chain(["no such thing", "high. /stop", "a b: c"]) {
                    let text = typed(spec.word, &[(argument.name, choice)]);
                    let parsed = parse(&Typed { text: &text, ..Typed::default() });
                    assert_eq!(parsed.shape, Shape::DirectiveOnly, "{text}");
                }
            }
        }
    }
}
