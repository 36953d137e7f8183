//! What a shell command does, in the words of people: each program that we know by what it is asked for, any other as
//! `run <program>`.

use super::programs;
use super::shell::{self, Joint, Step};

/// Scripts inside scripts are read this deep.
const DEEPEST: usize = 3;

/// What the script does.
pub(super) fn explain(script: &str) -> String {
    nested(script, DEEPEST)
}

fn nested(script: &str, depth: usize) -> String {
    let mut told = String::new();
    for step in shell::steps(script) {
        let Some(phrase) = phrase(&step, depth) else { continue };
        if !told.is_empty() {
            told.push_str(match step.joint {
                Joint::Pipe => " → ",
                Joint::Then => " then ",
                Joint::Else => " or else ",
            });
        }
        told.push_str(&phrase);
    }
    if told.is_empty() { "run a command".to_owned() } else { told }
}

/// What one command does; nothing for what only holds a script together.
fn phrase(step: &Step, depth: usize) -> Option<String> {
    let words = command(&step.words);
    let into = step.into.as_ref().map(|file| format!(" into {file}")).unwrap_or_default();
    match words.first().map(String::as_str) {
        Some("for" | "case" | "select" | "function" | "done" | "fi" | "esac" | "}" | "in") => None,
        Some(_) => Some(format!("{}{into}", of_words(words, depth))),
        None => match step.words.first().and_then(|word| word.split_once('=')) {
            Some((name, _)) => Some(format!("set {name}")),
            None => step.into.as_ref().map(|file| format!("empty {file}")),
        },
    }
}

/// The command without the words of the shell before it and the variables that are set for it.
fn command(words: &[String]) -> &[String] {
    let is_before = |word: &String| {
        let word = word.as_str();
        matches!(word, "do" | "then" | "else" | "elif" | "if" | "while" | "until" | "!" | "{")
            || is_assignment(word)
    };
    let from = words.iter().position(|word| !is_before(word)).unwrap_or(words.len());
    words.get(from..).unwrap_or_default()
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(of_name)
}

/// What these words do. Programs that only run another are seen through.
fn of_words(mut words: &[String], depth: usize) -> String {
    loop {
        let Some((program, rest)) = words.split_first() else { return "run a command".to_owned() };
        let call = programs::Call::new(program, rest);
        if let Some((script, place)) = call.script().filter(|_| depth > 0) {
            return format!("{}{place}", nested(&script, depth - 1));
        }
        match call.wrapped().map(command) {
            Some([]) => return format!("run {program}"),
            Some(inner) => words = inner,
            None => return call.told().unwrap_or_else(|| format!("run {program}")),
        }
    }
}
