//! The programs that are known: what they do by their subcommand, as data, and the few whose options decide.

mod options;
mod table;

use super::arguments::listed;
use table::VERBS;

/// A program and what it is given.
pub(super) struct Call<'a> {
    /// As it is known: without its folder, its version or its other spellings.
    program: &'a str,
    words: &'a [String],
}

impl<'a> Call<'a> {
    pub(super) fn new(program: &'a str, words: &'a [String]) -> Self {
        Self { program: known_as(program), words }
    }

    /// The command that this one only runs, where it is one of those.
    pub(super) fn wrapped(&self) -> Option<&'a [String]> {
        let own = match (self.program, self.words.first().map(String::as_str)) {
            ("sudo" | "doas" | "env" | "time" | "nohup" | "nice" | "ionice" | "stdbuf" | "xargs", _)
            | ("command" | "exec" | "builtin" | "setsid", _) => 0,
            ("timeout", _) => 1,
            ("uv" | "poetry" | "pipenv" | "hatch", Some("run")) | ("bundle", Some("exec")) => 1,
            _ => return None,
        };
        let mut rest = self.words.iter().enumerate();
        let mut operands = 0;
        while let Some((index, word)) = rest.next() {
            if is_option(word) {
                if self.takes_value(word) {
                    rest.next();
                }
            } else if operands == own {
                return self.words.get(index..);
            } else {
                operands += 1;
            }
        }
        Some(&[])
    }

    /// A script that it hands to a shell, and where that is.
    pub(super) fn script(&self) -> Option<(String, String)> {
        match self.program {
            "sh" => {
                let at = self.words.iter().position(|word| is_cluster(word) && word.ends_with('c'))?;
                Some((self.words.get(at + 1)?.clone(), String::new()))
            }
            "ssh" => {
                let (host, rest) = self.split_operand()?;
                (!rest.is_empty()).then(|| (rest.join(" "), format!(" on {host}")))
            }
            "docker" | "kubectl" if self.words.first().is_some_and(|word| word == "exec") => {
                let inside = Call { program: self.program, words: self.words.get(1..)? };
                let (container, rest) = inside.split_operand()?;
                let rest = rest.strip_prefix(&["--".to_owned()]).unwrap_or(rest);
                (!rest.is_empty()).then(|| (rest.join(" "), format!(" in {container}")))
            }
            _ => None,
        }
    }

    /// What it does; nothing where it is not known.
    pub(super) fn told(&self) -> Option<String> {
        if !options::KNOWN.contains(&self.program) && !self.is_in_table() {
            return None;
        }
        match self.words {
            [only] if only == "--version" || only == "-V" => {
                return Some(format!("show the version of {}", self.program));
            }
            [only] if only == "--help" || only == "-h" => {
                return Some(format!("show the help of {}", self.program));
            }
            _ => {}
        }
        options::told(self).or_else(|| self.looked_up())
    }

    fn is_in_table(&self) -> bool {
        VERBS.iter().any(|verb| verb.key.split(' ').next() == Some(self.program))
    }

    fn has_subcommands(&self) -> bool {
        VERBS.iter().any(|verb| verb.key.strip_prefix(self.program).is_some_and(|rest| rest.starts_with(' ')))
    }

    /// By the longest key of the table: program and two, one or no words behind it.
    fn looked_up(&self) -> Option<String> {
        let operands = self.operands();
        let found = (0..=2).rev().find_map(|count| {
            let key = std::iter::once(self.program).chain(operands.iter().take(count).copied());
            let key = key.collect::<Vec<_>>().join(" ");
            let verb = VERBS.iter().find(|verb| verb.key == key)?;
            Some((verb, operands.get(count..).unwrap_or_default()))
        });
        match found {
            // A subcommand that is not known is more than nothing.
            Some((verb, [sub, ..])) if verb.key == self.program && self.has_subcommands() => {
                Some(format!("run {} {sub}", self.program))
            }
            Some((verb, rest)) => verb.told(rest),
            None => operands.first().map(|sub| format!("run {} {sub}", self.program)),
        }
    }

    /// The words that are no options, nor values of options.
    fn operands(&self) -> Vec<&'a str> {
        let mut operands = Vec::new();
        let mut rest = self.words.iter();
        while let Some(word) = rest.next() {
            if word == "--" {
                operands.extend(rest.by_ref().map(String::as_str));
            } else if !is_option(word) {
                operands.push(word.as_str());
            } else if self.takes_value(word) {
                rest.next();
            }
        }
        operands
    }

    /// The first operand, and all that stands behind it.
    fn split_operand(&self) -> Option<(&'a str, &'a [String])> {
        let mut rest = self.words.iter().enumerate();
        while let Some((index, word)) = rest.next() {
            if !is_option(word) {
                return Some((word, self.words.get(index + 1..).unwrap_or_default()));
            }
            if self.takes_value(word) {
                rest.next();
            }
        }
        None
    }

    /// Whether one of these options is given; single letters also among others.
    fn has(&self, options: &[&str]) -> bool {
        let given = |word: &String, option: &str| {
            let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
            word == option || letter.is_some_and(|letter| is_cluster(word) && word.contains(letter))
        };
        self.words.iter().take_while(|word| *word != "--").any(|word| options.iter().any(|o| given(word, o)))
    }

    /// The value of one of these options: behind it, or behind its `=`.
    fn value(&self, options: &[&str]) -> Option<&'a str> {
        let mut words = self.words.iter();
        while let Some(word) = words.next() {
            for option in options {
                match word.strip_prefix(option) {
                    Some("") => return words.next().map(String::as_str),
                    Some(rest) if option.starts_with("--") => {
                        if let Some(value) = rest.strip_prefix('=') {
                            return Some(value);
                        }
                    }
                    Some(_) | None => {}
                }
            }
        }
        None
    }

    fn takes_value(&self, option: &str) -> bool {
        let valued = table::VALUED.iter().find(|(program, _)| *program == self.program);
        valued.is_some_and(|(_, options)| options.split(' ').any(|known| known == option))
    }
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// Whether it is single letters behind one dash.
fn is_cluster(word: &str) -> bool {
    is_option(word) && !word.starts_with("--")
}

/// The name under which a program is known here.
fn known_as(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    match name {
        "bash" | "zsh" | "dash" | "ksh" => "sh",
        "egrep" | "fgrep" | "rg" | "ag" => "grep",
        "nodejs" => "node",
        "gmake" => "make",
        "gawk" | "mawk" => "awk",
        "docker-compose" => "compose",
        "podman" => "docker",
        "pnpm" | "yarn" | "bun" => "npm",
        "pnpx" | "bunx" => "npx",
        "pytest" => "py.test",
        _ if is_version_of(name, "python") => "python",
        _ if is_version_of(name, "pip") => "pip",
        _ => name,
    }
}

fn is_version_of(name: &str, program: &str) -> bool {
    let version = name.strip_prefix(program);
    version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// One row of the table.
struct Verb {
    /// The program and its subcommands.
    key: &'static str,
    /// What it does by itself.
    bare: &'static str,
    /// What it does with `{}`; empty where that makes no difference.
    with: &'static str,
}

impl Verb {
    fn told(&self, operands: &[&str]) -> Option<String> {
        if !operands.is_empty() && !self.with.is_empty() {
            return Some(self.with.replace("{}", &listed(operands)));
        }
        Some(self.bare.to_owned()).filter(|bare| !bare.is_empty())
    }
}
