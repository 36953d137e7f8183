//! `read`: some lines of a file, or what lies in a folder. A file is streamed and never held whole.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use async_trait::async_trait;
use pensive_contract::model::ToolSpec;
use pensive_contract::tool::{Danger, Errand, Tool, ToolFault};
use rustix::fs::{Dir, FileType};
use serde::Deserialize;

use super::workspace::{Found, Workspace};
use super::{Inside, Shelf, on_disk};
use crate::trouble::Trouble;
use crate::wire::{arguments, count};

/// Lines of one call that asks for no number.
const LINES: u64 = 2000;
/// Bytes of one call, whatever it asks for.
const BYTES: usize = 64 * 1024;
/// Bytes of one line; the rest of it is left out.
const LINE: u64 = 4 * 1024;
/// How far into a file a call goes.
const REACH: u64 = 1 << 30;
/// How much of a file's beginning tells whether it is text.
const SAMPLE: usize = 8 * 1024;
/// Entries of a folder.
const ENTRIES: usize = 500;

const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string","description":"Relative to the workspace."},"offset":{"type":"integer","minimum":1,"description":"The first line, counted from 1."},"limit":{"type":"integer","minimum":1,"description":"How many lines; 2000 at most when absent."}},"required":["path"]}"#;

/// The tool.
pub(crate) struct Read {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(alias = "file_path", alias = "file")]
    path: String,
    #[serde(default, deserialize_with = "count")]
    offset: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    limit: Option<u64>,
}

impl Read {
    pub(crate) fn new(workspace: Arc<Workspace>) -> Self {
        let description =
            "Reads lines of a text file in the workspace, or lists a folder (`.` is the workspace).";
        let spec = ToolSpec {
            name: "read".to_owned(),
            description: description.to_owned(),
            schema: SCHEMA.to_owned(),
        };
        Self { spec, workspace }
    }
}

#[async_trait]
impl Tool for Read {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn danger(&self, _arguments: &str) -> Danger {
        Danger::Harmless
    }

    async fn call(&self, text: &str, errand: &Errand) -> Result<String, ToolFault> {
        let asked: Arguments = arguments(text)?;
        let (workspace, shelf) = (Arc::clone(&self.workspace), Shelf::of(errand.kind));
        Ok(on_disk(move || {
            let path = workspace.path(&asked.path)?;
            match workspace.find(&path, shelf)? {
                Found::Folder(folder) => list(&path, folder),
                Found::File(file, seen) => {
                    let size = u64::try_from(seen.st_size).unwrap_or(0);
                    passage(
                        &path,
                        file,
                        size,
                        asked.offset.unwrap_or(1).max(1),
                        asked.limit.unwrap_or(LINES).max(1),
                    )
                }
            }
        })
        .await?)
    }
}

fn passage(path: &Inside, file: File, size: u64, first: u64, lines: u64) -> Result<String, Trouble> {
    let wrong = |cause| Trouble::system(format!("{path} cannot be read"), cause);
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    let sample = reader.fill_buf().map_err(wrong)?;
    if sample.is_empty() {
        return Ok("[The file is empty.]".to_owned());
    }
    if sample.iter().take(SAMPLE).any(|byte| *byte == 0) {
        return Err(Trouble::Refused(format!(
            "{path} is not text but binary, {size} bytes: it cannot be shown."
        )));
    }
    match skip(&mut reader, first - 1).map_err(wrong)? {
        Skipped::All => {}
        Skipped::Ended(there) => return Err(Trouble::Refused(format!("{path} has only {there} lines."))),
        Skipped::TooFar => {
            return Err(Trouble::Refused(format!("Line {first} of {path} lies too far inside to be read.")));
        }
    }
    let mut text = Vec::new();
    let mut last = first - 1;
    while last < first - 1 + lines
        && text.len() < BYTES
        && take_line(&mut reader, &mut text).map_err(wrong)?
    {
        last += 1;
    }
    let more = !reader.fill_buf().map_err(wrong)?.is_empty();
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if last < first {
        return Err(Trouble::Refused(format!("{path} has only {last} lines.")));
    }
    if more {
        let next = last + 1;
        text.push_str(&format!(
            "[Lines {first} to {last}. The file has {size} bytes and goes on at offset {next}.]"
        ));
    }
    Ok(text)
}

enum Skipped {
    All,
    /// After so many lines.
    Ended(u64),
    TooFar,
}

fn skip(reader: &mut impl BufRead, lines: u64) -> io::Result<Skipped> {
    let mut seen = 0;
    for line in 0..lines {
        match reader.skip_until(b'\n')? {
            0 => return Ok(Skipped::Ended(line)),
            bytes => seen += bytes as u64,
        }
        if seen > REACH {
            return Ok(Skipped::TooFar);
        }
    }
    Ok(Skipped::All)
}

/// Adds one line; nothing was left where it says false.
fn take_line(reader: &mut impl BufRead, text: &mut Vec<u8>) -> io::Result<bool> {
    let taken = reader.by_ref().take(LINE).read_until(b'\n', text)?;
    if taken as u64 == LINE && text.last() != Some(&b'\n') {
        // What is left may be nothing but the line's end, or the file's.
        match reader.skip_until(b'\n')? {
            0 | 1 => text.push(b'\n'),
            left => text.extend_from_slice(format!(" [{left} bytes of this line are left out]\n").as_bytes()),
        }
    }
    Ok(taken > 0)
}

fn list(path: &Inside, folder: OwnedFd) -> Result<String, Trouble> {
    let wrong = |cause: rustix::io::Errno| Trouble::system(format!("{path} cannot be listed"), cause);
    let mut names = Vec::new();
    let mut left_out = false;
    for entry in Dir::new(folder).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        let name = entry.file_name().to_string_lossy();
        if matches!(&*name, "." | "..") {
            continue;
        }
        if names.len() == ENTRIES {
            left_out = true;
            break;
        }
        names.push(format!("{name}{}", if entry.file_type() == FileType::Directory { "/" } else { "" }));
    }
    names.sort_unstable();
    Ok(match (names.is_empty(), left_out) {
        (true, _) => "[The folder is empty.]".to_owned(),
        (false, false) => names.join("\n"),
        (false, true) => format!("{}\n[There is more than these {ENTRIES}.]", names.join("\n")),
    })
}
