//! What Discord would read as markup where none was meant. A backslash takes the meaning from any sign that is no letter,
//! digit or blank; those that do something only at the beginning of a line are left alone elsewhere.

/// More digits than a message holds.
const LONGEST_NUMBER: usize = 2_000;

/// Whether this sign could begin or end a style, wherever it stands.
pub(super) fn is_sign(c: char) -> bool {
    matches!(c, '\\' | '*' | '_' | '`' | '~' | '|' | '[')
}

/// Where, from the beginning of a line, the sign stands that would make it an item, a heading, a quotation or a subtext.
pub(super) fn at_line_start(line: &str) -> Option<usize> {
    let first = line.chars().next()?;
    let behind = |sign: &str| line.strip_prefix(sign).is_some_and(|rest| rest.starts_with([' ', '\n']));
    match first {
        '#' => ["#", "##", "###"].into_iter().any(behind).then_some(0),
        '>' => Some(0),
        '-' => (behind("-") || behind("-#")).then_some(0),
        '+' => behind("+").then_some(0),
        '0'..='9' => {
            let digits = line.bytes().take(LONGEST_NUMBER).take_while(u8::is_ascii_digit).count();
            line.get(digits..).is_some_and(|rest| rest.starts_with(". ")).then_some(digits)
        }
        _ => None,
    }
}

/// The mention of a member or a role at the beginning of `text`; whether it pings is not decided here.
pub(super) fn mention(text: &str) -> Option<&str> {
    let id = text.strip_prefix("<@")?;
    let id = id.strip_prefix(['!', '&']).unwrap_or(id);
    let digits = id.len() - id.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let closed = (1..=20).contains(&digits) && id.get(digits..).is_some_and(|rest| rest.starts_with('>'));
    closed.then(|| text.get(..text.len() - id.len() + digits + 1)).flatten()
}

/// Whether the `<` at the beginning of `text` could begin a channel's name, an emoji, a time, a command or an address.
pub(super) fn is_reference(text: &str) -> bool {
    let next = text.strip_prefix('<').and_then(|rest| rest.chars().next());
    next.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '@' | '#' | ':' | '/'))
}
