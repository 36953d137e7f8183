//! What a tool is called among people.

/// The tools that have a name of their own: what models call them, the emoji, the title.
const NAMED: &[(&str, &str, &str)] = &[
    ("exec", "🛠️", "Exec"),
    ("bash", "🛠️", "Exec"),
    ("read", "📖", "Read"),
    ("write", "✍️", "Write"),
    ("edit", "📝", "Edit"),
    ("apply_patch", "🩹", "Apply Patch"),
    ("web_search", "🔎", "Web Search"),
    ("web_fetch", "📄", "Web Fetch"),
    ("memory_search", "🧠", "Memory Search"),
    ("memory_get", "📓", "Memory Get"),
    ("sessions_spawn", "🧑‍🔧", "Sub-agent"),
    ("cron", "⏰", "Cron"),
    ("message", "✉️", "Message"),
    ("session_status", "📊", "Session Status"),
    ("process", "🧰", "Process"),
];

/// The emoji and the title of a tool.
pub(super) fn shown(tool: &str) -> (&'static str, String) {
    match NAMED.iter().find(|(name, _, _)| *name == tool) {
        Some((_, emoji, title)) => (emoji, (*title).to_owned()),
        None => ("🧩", titled(tool)),
    }
}

/// A name's words, each with a capital. The name may be any text of the model's.
fn titled(name: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in name.chars().take(super::value::MOST) {
        if !c.is_alphanumeric() {
            last = ' ';
            continue;
        }
        let starts = last == ' ' || (c.is_uppercase() && last.is_lowercase());
        match words.last_mut() {
            Some(word) if !starts => word.push(c),
            Some(_) | None => words.push(c.to_uppercase().collect()),
        }
        last = c;
    }
    if words.is_empty() { "Tool".to_owned() } else { words.join(" ") }
}
