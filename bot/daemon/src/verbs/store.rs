//! `pensive store`: looks after a store that no daemon has open.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use pensive_storage::{Exported, Onto, Replaced, Report, TreeReport, VerbFault};

use super::{clock, count, load, print, print_json, tell};
use crate::arguments::{Common, StoreVerb};
use crate::exit::Failure;
use crate::house::BACKUPS;

pub(super) fn store(common: &Common, asked: &StoreVerb) -> Result<(), Failure> {
    let folder = load(common)?.config.folders.data;
    match asked {
        StoreVerb::Check { json } => check(&folder, *json),
        StoreVerb::Backup => {
            let made = pensive_storage::backup(&folder, BACKUPS, clock().now()).map_err(failure)?;
            print(&format!("{}: {} records", made.file.display(), made.holds.records))
        }
        StoreVerb::Restore => told(&pensive_storage::restore(&folder).map_err(failure)?),
        StoreVerb::Export { file } => export(&folder, file.as_deref()),
        StoreVerb::Import { file, replace } => import(&folder, file.as_deref(), *replace),
        StoreVerb::Compact => {
            let compacted = pensive_storage::compact(&folder).map_err(failure)?;
            print(&format!("{} before, {} now", size(compacted.before), size(compacted.after)))
        }
    }
}

fn check(folder: &Path, json: bool) -> Result<(), Failure> {
    let report = pensive_storage::check(folder).map_err(failure)?;
    if json {
        print_json(&report)?
    } else {
        print(&shown(&report))?
    }
    if report.whole {
        return Ok(());
    }
    Err(Failure::Failed(
        "some of it is damaged; the rest is served all the same, `pensive store restore` goes back".into(),
    ))
}

fn shown(report: &Report) -> String {
    let mut text = format!(
        "{}: {}, {}\n",
        report.folder.display(),
        size(report.disk_bytes),
        count(report.backups.len() as u64, "backup")
    );
    for tree in &report.trees {
        text.push_str(&format!(
            "{:12} {:>10} records {:>10}{}\n",
            tree.name,
            tree.records,
            size(tree.bytes),
            trouble(tree)
        ));
    }
    text.push_str(if report.whole { "everything can be read\n" } else { "not everything can be read\n" });
    text
}

fn trouble(tree: &TreeReport) -> String {
    let told = [(tree.damaged(), "damaged"), (tree.newer, "of a newer version")];
    told.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!(", {count} {word}")).collect()
}

fn export(folder: &Path, file: Option<&Path>) -> Result<(), Failure> {
    // As everywhere, `-` is standard output.
    let exported = match file.filter(|file| file.as_os_str() != "-") {
        Some(file) => {
            // Never over a file that is there: it may be the last good export.
            let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
            let opened = opened.map_err(|cause| unusable(file, &cause))?;
            // Half an export is none, and would be in the way of the next try.
            write_out(folder, opened, file).inspect_err(|_| fs::remove_file(file).unwrap_or_default())?
        }
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            let exported = pensive_storage::export(folder, &mut out, clock().now()).map_err(failure)?;
            out.flush()?;
            exported
        }
    };
    tell(&format!("{} records exported, {} of them damaged", exported.records, exported.damaged));
    Ok(())
}

fn write_out(folder: &Path, opened: File, file: &Path) -> Result<Exported, Failure> {
    let mut out = BufWriter::new(opened);
    let exported = pensive_storage::export(folder, &mut out, clock().now()).map_err(failure)?;
    out.flush().map_err(|cause| unusable(file, &cause))?;
    out.get_ref().sync_all().map_err(|cause| unusable(file, &cause))?;
    Ok(exported)
}

fn import(folder: &Path, file: Option<&Path>, replace: bool) -> Result<(), Failure> {
    let onto = if replace { Onto::Replace } else { Onto::Empty };
    let replaced = match file {
        Some(file) => {
            let opened = File::open(file).map_err(|cause| unusable(file, &cause))?;
            pensive_storage::import(folder, BufReader::new(opened), onto)
        }
        None => pensive_storage::import(folder, io::stdin().lock(), onto),
    };
    told(&replaced.map_err(failure)?)
}

fn told(replaced: &Replaced) -> Result<(), Failure> {
    let mut text = match &replaced.from {
        Some(from) => format!("{} records taken from {}\n", replaced.lines, from.display()),
        None => format!("{} records taken in\n", replaced.lines),
    };
    for path in &replaced.passed_over {
        text.push_str(&format!("passed over, as it is not whole: {}\n", path.display()));
    }
    if let Some(kept) = &replaced.kept {
        text.push_str(&format!("the store before is kept in {}\n", kept.display()));
    }
    print(&text)
}

fn failure(fault: VerbFault) -> Failure {
    match fault {
        VerbFault::File(cause) => Failure::Output(cause),
        other => Failure::Failed(other.to_string()),
    }
}

fn unusable(file: &Path, cause: &io::Error) -> Failure {
    let words = match cause.kind() {
        io::ErrorKind::AlreadyExists => "exists already; name a new file".to_owned(),
        _ => cause.to_string(),
    };
    Failure::Failed(format!("{}: {words}", file.display()))
}

/// A number of bytes in words.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{} KiB", bytes / 1_024),
        _ => format!("{} MiB", bytes / 1_048_576),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_in_the_unit_that_fits() {
        for (bytes, expected) in [(0, "0 B"), (1_023, "1023 B"), (1_024, "1 KiB"), (5 << 20, "5 MiB")] {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn a_report_names_what_is_damaged() {
        let tree = TreeReport {
            name: "sessions",
            records: 3,
            bytes: 900,
            checksum_errors: 1,
            ..TreeReport::default()
        };
        assert_eq!(trouble(&tree), ", 1 damaged");
        assert_eq!(trouble(&TreeReport::default()), "");
    }
}
