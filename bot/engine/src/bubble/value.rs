//! One value as a bubble shows it: a line, not too long, with the home folder as `~`.

/// The most of a value.
pub(super) const MOST: usize = 160;

/// The first line that says anything.
pub(super) fn shown(text: &str, home: &str) -> String {
    line(&homely(text, home), MOST)
}

/// The first line that says anything, of at most so many characters.
pub(super) fn line(text: &str, most: usize) -> String {
    let mut lines = text.split(['\n', '\r', '\u{2028}', '\u{2029}']).map(str::trim);
    let first = lines.find(|line| !line.is_empty()).unwrap_or_default();
    let clean: String = first.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match clean.char_indices().nth(most) {
        None => clean,
        Some(_) => {
            let kept: String = clean.chars().take(most.saturating_sub(1)).collect();
            format!("{}…", kept.trim_end())
        }
    }
}

/// The text with `~` for the home folder, wherever a path begins with it.
pub(super) fn homely(text: &str, home: &str) -> String {
    let home = home.trim_end_matches('/');
    if home.is_empty() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(home) {
        out.push_str(before);
        let in_name = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '~');
        let begins = !out.ends_with(in_name);
        let ends = after.starts_with('/') || !after.starts_with(in_name);
        out.push_str(if begins && ends { "~" } else { home });
        rest = after;
    }
    out.push_str(rest);
    out
}
