//! Which commands do no more than look, so that nobody has to be asked: one program of a short list with plain words
//! behind it. Whatever the shell would do something with, and every path that could lead out, makes a command dangerous.

/// Programs that write nothing and start nothing, whatever their options. Those with an option that writes (`sort -o`,
/// `find -delete`, `date -s`, `file -C`) or with a configuration that starts others (`git`) are missing on purpose.
const LOOKERS: &[&str] = &[
    "basename",
    "cat",
    "cksum",
    "comm",
    "cut",
    "df",
    "dirname",
    "du",
    "echo",
    "expr",
    "false",
    "grep",
    "head",
    "id",
    "ls",
    "md5sum",
    "nl",
    "pwd",
    "realpath",
    "rev",
    "seq",
    "sha256sum",
    "stat",
    "tail",
    "tr",
    "true",
    "uname",
    "wc",
    "whoami",
];

/// Whether a command only looks, inside the workspace.
pub(super) fn only_looks(command: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" ._-/:,+@%".contains(&byte) || byte >= 0x80;
    let leads_out = |word: &str| {
        word.contains("..") || word.starts_with('/') || (word.starts_with('-') && word.contains('/'))
    };
    let mut words = command.split(' ').filter(|word| !word.is_empty());
    command.bytes().all(plain)
        && words.next().is_some_and(|program| LOOKERS.contains(&program))
        && !words.any(leads_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_looks_are_harmless() {
        let check = |command: &str, expected: bool| assert_eq!(only_looks(command), expected, "{command:?}");
        for harmless in [
            "ls",
            " ls -la  notes",
            "cat a.md b/c.md",
            "grep -rn TODO src",
            "wc -l ü.md",
            "pwd",
            "head -n 5 x",
        ] {
            check(harmless, true);
        }
        for dangerous in [
            "",
            " ",
            "rm -rf x",
            "ls; rm x",
            "ls && rm x",
            "ls | sh",
            "cat a > b",
            "cat <a",
            "echo $HOME",
            "echo `id`",
            "echo \"a\"",
            "ls 'a'",
            "ls *",
            "ls\nrm x",
            "cat /etc/passwd",
            "cat ../x",
            "cat a/../../x",
            "cat ~/x",
            "LS=1 ls",
            "./ls",
            "/bin/ls",
            "lsx",
            "find . -delete",
            "git status",
            "sort -o a b",
            "date -s 1",
            "sh -c ls",
            "ls\trm",
            "env",
            "printenv",
            "cat {a,b}",
            "ls \\x",
            "ls #x",
            "ls !x",
            "wc --files0-from=/etc/passwd",
            "grep -f/etc/passwd x",
        ] {
            check(dangerous, false);
        }
    }
}
