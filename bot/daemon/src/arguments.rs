//! The command line. Only verbs that work are here.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// A self-hosted bot daemon that puts language-model agents behind chat bots.
#[derive(Debug, Parser)]
#[command(name = "pensive", version, about, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 failed, 2 wrong use or configuration, 3 not reachable.";

/// What every verb takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "For every verb")]
pub(crate) struct Common {
    /// The configuration file; without it PENSIVE_CONFIG, the home folder and ~/.config/pensive are looked at
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Holds data, configuration and workspace, unless something else says so
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// How log lines are written to standard error: human or json
    #[arg(long, global = true, value_name = "FORMAT", default_value = "human", hide_possible_values = true)]
    pub(crate) log_format: LogFormat,
    /// Logs more; twice for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Start the daemon (this is what happens without a verb)
    Run,
    /// Talk to the bot: by line editor, line by line from a pipe, or one message and out
    Chat(Chat),
    /// Send a message into a chat
    Send(Send),
    /// Tell how the running daemon stands
    Status {
        /// As one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Look at all that a daemon needs, and say what to do about what is not as it should be
    Doctor(Doctor),
    /// List the models: their levels, what each puts on the wire, limits and prices
    Models(Models),
    /// Tell what one call puts on the wire, and why
    Explain(Explain),
    /// Look at the configuration
    #[command(subcommand)]
    Config(ConfigVerb),
    /// Look after the store; the daemon must not be running
    #[command(subcommand)]
    Store(StoreVerb),
}

#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// Pick a model for this conversation first: provider/model or an alias
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Events as JSON lines; with a message, one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Say this, show the answer, and leave
    pub(crate) message: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Send {
    /// The channel, as the configuration names it
    #[arg(long, value_name = "CHANNEL")]
    pub(crate) channel: String,
    /// The account of the channel, where it has several
    #[arg(long, value_name = "ID")]
    pub(crate) account: Option<String>,
    /// The chat
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) to: String,
    /// The topic or thread in it
    #[arg(long, value_name = "ID")]
    pub(crate) topic: Option<String>,
    /// Send the text letter for letter; otherwise it is Markdown
    #[arg(long)]
    pub(crate) plain: bool,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// The text; without it, or with -, it is read from standard input
    pub(crate) text: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Ask each model once on each of its levels, which costs what such calls cost
    #[arg(long)]
    pub(crate) live: bool,
    /// As one JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Models {
    /// Only the models of this provider, which need not be configured
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The model: provider/model or an alias
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: String,
    /// How hard it thinks: a level, in any spelling that /think takes
    #[arg(long, value_name = "LEVEL")]
    pub(crate) think: String,
    /// Whether the fast lane is asked for
    #[arg(long, value_name = "on|off", default_value = "off", hide_possible_values = true)]
    pub(crate) fast: Lane,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whether the fast lane is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lane {
    /// It is.
    On,
    /// It is not.
    Off,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigVerb {
    /// Check the file: every fault with line and column
    Check {
        /// As one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of the file
    Schema,
    /// Tell what a key does, its default and its allowed values
    Explain {
        /// The key, like agents.defaults.thinkingDefault; nothing for the whole file
        #[arg(default_value = "")]
        key: String,
        /// As one JSON object
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreVerb {
    /// Read every record and tell what is damaged
    Check {
        /// As one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Write a copy beside the store, as the daemon does every six hours
    Backup,
    /// Go back to the newest copy that is whole
    Restore,
    /// Write everything as JSON lines
    Export {
        /// Where to, a new file; standard output without it, and for -
        file: Option<PathBuf>,
    },
    /// Take in what export wrote: all of it, or nothing when a line is wrong
    Import {
        /// Where from; standard input without it
        file: Option<PathBuf>,
        /// Put it in the place of what the store holds
        #[arg(long)]
        replace: bool,
    },
    /// Rewrite the store without what it no longer needs
    Compact,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn common_options_stand_before_and_behind_a_verb() {
        for line in ["pensive --home h status --json", "pensive status --json --home h"] {
            let arguments = Arguments::try_parse_from(line.split(' ')).unwrap();
            assert_eq!(arguments.common.home, Some("h".into()), "{line}");
            assert!(matches!(arguments.verb, Some(Verb::Status { json: true })), "{line}");
        }
        assert!(Arguments::try_parse_from(["pensive"]).unwrap().verb.is_none());
    }

    #[test]
    fn a_group_id_with_its_minus_sign_is_a_value() {
        let line = ["pensive", "send", "--channel", "telegram", "--to", "-100123", "--topic", "5", "hi"];
        let Some(Verb::Send(send)) = Arguments::try_parse_from(line).unwrap().verb else { panic!() };
        assert_eq!((send.to.as_str(), send.text.as_deref()), ("-100123", Some("hi")));
    }
}
