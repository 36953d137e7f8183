//! The texts of `/help` and `/commands`, written from the command table so that they never list less than the parser
//! takes.

use crate::{Access, CommandSpec, Placement, table};

/// The text of `/help`: how directives work, and what everybody may use.
pub fn help() -> String {
    let mut text = String::from(
        "Write to me as to a person. A slash word anywhere in a message says how to answer it:\n\
         \"/think high why is the sky blue?\" holds for that message; \"/think high\" alone is kept.\n",
    );
    for spec in table().iter().filter(|spec| spec.access != Access::Owner) {
        text.push('\n');
        text.push_str(&line(spec));
    }
    text.push_str("\n\n/commands lists everything.");
    text
}

/// The text of `/commands`: every row with its other names and values.
pub fn commands() -> String {
    let group = |title: &str, placement: Placement| {
        let rows = table().iter().filter(|spec| spec.placement == placement);
        rows.fold(format!("{title}:"), |text, spec| text + "\n" + &full_line(spec))
    };
    [
        group("In any message, or alone to keep it", Placement::Directive),
        group("In any message", Placement::Anywhere),
        group("Alone", Placement::Alone),
    ]
    .join("\n\n")
}

/// `/think LEVEL: How hard the model thinks (off, minimal, …)`
fn line(spec: &CommandSpec) -> String {
    let choices = (spec.choices)();
    let values = if choices.is_empty() { String::new() } else { format!(" ({})", choices.join(", ")) };
    format!("{}: {}{values}", spec.usage, spec.summary)
}

fn full_line(spec: &CommandSpec) -> String {
    let aliases: String = spec.aliases.iter().map(|alias| format!(" /{alias}")).collect();
    let also = if aliases.is_empty() { aliases } else { format!(", also{aliases}") };
    let owner = match spec.access {
        Access::Owner => ", owners only",
        Access::OwnerToKeep => ", kept by owners only, for every chat",
        Access::Anyone => "",
    };
    line(spec) + &also + owner
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Level;

    #[test]
    fn dir_21_help_lists_every_level() {
        for text in [help(), commands()] {
            let line = text.lines().find(|line| line.starts_with("/think ")).unwrap();
            for level in Level::ALL {
                let listed = line.split([' ', ',', '(', ')']).any(|word| word == level.name());
                assert!(listed, "{level} in {line}");
            }
        }
    }

    #[test]
    fn every_command_and_alias_is_listed() {
        let (help, commands) = (help(), commands());
        for spec in table() {
            assert!(commands.contains(&line(spec)), "{}", spec.word);
            assert_eq!(help.contains(&line(spec)), spec.access != Access::Owner, "{}", spec.word);
            for alias in spec.aliases {
                assert!(commands.contains(&format!(" /{alias}")), "{alias}");
            }
        }
    }

    #[test]
    fn a_line() {
        let fast = table().iter().find(|spec| spec.word == "fast").unwrap();
        assert_eq!(line(fast), "/fast MODE: Use the provider's fast lane (on, off, auto, default, status)");
        let trace = table().iter().find(|spec| spec.word == "trace").unwrap();
        assert_eq!(
            full_line(trace),
            "/trace LEVEL: Show plugins' trace lines (on, off, raw, default), owners only"
        );
        let effort = table().iter().find(|spec| spec.word == "effort").unwrap();
        assert_eq!(
            full_line(effort),
            "/effort TIER: How hard every model thinks, where nothing else is set \
             (low, medium, high, xhigh, max, default), kept by owners only, for every chat"
        );
    }
}
