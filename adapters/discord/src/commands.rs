//! Slash commands: the table of commands as Discord takes it, published when it has changed, and what a called one would
//! have been typed as.

/// What a person would have typed to the same end as they called a command with these options (name and value).
pub(crate) fn typed(command: &str, options: &[(&str, &str)]) -> String {
    let values = options.iter().map(|(_, value)| format!(" {value}"));
    format!("/{command}{}", values.collect::<String>())
}
