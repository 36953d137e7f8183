//! The line editor on a thread of its own, because it blocks. It hands over one line and waits to be told to go on, so
//! that it never holds the terminal when the chat is over.

use std::path::{Path, PathBuf};
use std::sync::mpsc as blocking;
use std::thread;

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor, ExternalPrinter};
use tokio::sync::{mpsc, oneshot};

use super::complete::SlashWords;
use crate::fault::TerminalFault;

/// What a person did at the prompt.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// Typed a line.
    Line(String),
    /// Pressed Ctrl-C.
    Interrupt,
    /// Pressed Ctrl-D, or the terminal is gone.
    End,
}

/// The prompt and what is printed above it.
pub(super) struct Prompt {
    typed: mpsc::Receiver<Typed>,
    go_on: blocking::Sender<()>,
    print: blocking::Sender<String>,
}

impl Prompt {
    /// Opens the terminal and shows the first prompt.
    pub(super) async fn open(history: &Path) -> Result<Self, TerminalFault> {
        let (typed_in, typed) = mpsc::channel(1);
        let (go_on, gate) = blocking::channel();
        let (print, printed) = blocking::channel();
        let (opened_in, opened) = oneshot::channel();
        let history = history.to_owned();
        // Threads and no tasks: a read from a terminal cannot be cancelled, and the process must be able to end.
        thread::spawn(move || edit(&history, opened_in, &typed_in, &gate));
        let printer = opened.await.map_err(|_| TerminalFault::Editor("its thread ended".to_owned()))?;
        let printer = printer.map_err(|cause| TerminalFault::Editor(cause.to_string()))?;
        thread::spawn(move || print_above(printer, &printed));
        Ok(Self { typed, go_on, print })
    }

    /// What the person does next. May be dropped at any time.
    pub(super) async fn next(&mut self) -> Typed {
        self.typed.recv().await.unwrap_or(Typed::End)
    }

    /// Shows the prompt again after [`Prompt::next`].
    pub(super) fn go_on(&self) {
        if self.go_on.send(()).is_err() {
            tracing::debug!("the editor's thread is gone, which the next read shows as the end of input");
        }
    }

    /// Prints above the prompt. Never waits.
    pub(super) fn print(&self, text: String) {
        if !text.is_empty() {
            drop(self.print.send(text));
        }
    }
}

type Opened = oneshot::Sender<rustyline::Result<Box<dyn ExternalPrinter + Send>>>;

fn edit(history: &PathBuf, opened: Opened, typed: &mpsc::Sender<Typed>, gate: &blocking::Receiver<()>) {
    let mut editor = match open(history) {
        Ok((editor, printer)) => {
            drop(opened.send(Ok(printer)));
            editor
        }
        Err(cause) => {
            drop(opened.send(Err(cause)));
            return;
        }
    };
    loop {
        let step = match editor.readline("> ") {
            Ok(line) => {
                keep(&mut editor, &line, history);
                Typed::Line(line)
            }
            Err(ReadlineError::Interrupted) => Typed::Interrupt,
            Err(_) => Typed::End,
        };
        if typed.blocking_send(step).is_err() || gate.recv().is_err() {
            return;
        }
    }
}

type SlashEditor = Editor<SlashWords, FileHistory>;

fn open(history: &Path) -> rustyline::Result<(SlashEditor, Box<dyn ExternalPrinter + Send>)> {
    let config = Config::builder().history_ignore_space(true).auto_add_history(false).build();
    let mut editor = SlashEditor::with_config(config)?;
    editor.set_helper(Some(SlashWords));
    if history.exists()
        && let Err(cause) = editor.load_history(history)
    {
        tracing::debug!(%cause, "the chat history could not be read");
    }
    let printer = editor.create_external_printer()?;
    Ok((editor, Box::new(printer)))
}

fn keep(editor: &mut SlashEditor, line: &str, history: &PathBuf) {
    let kept = editor.add_history_entry(line).and_then(|_| editor.append_history(history));
    if let Err(cause) = kept {
        tracing::debug!(%cause, "the chat history could not be written");
    }
}

fn print_above(mut printer: Box<dyn ExternalPrinter + Send>, texts: &blocking::Receiver<String>) {
    while let Ok(text) = texts.recv() {
        if printer.print(text).is_err() {
            return;
        }
    }
}
