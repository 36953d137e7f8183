//! This machine: the store, the disk below it, the folders and the clock.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use pensive_config::Config;
use pensive_contract::finding::Finding;
use pensive_storage::{OpenFault, Report, VerbFault};

use super::{Chapter, Patient};

const MIB: u64 = 1 << 20;
/// Below so much room the store may fail at any moment.
const LITTLE: u64 = 100 * MIB;
/// Below so much somebody should look soon.
const SCARCE: u64 = 1_024 * MIB;

/// The store: read record by record, unless a daemon has it open.
pub(super) fn store(patient: &Patient<'_>) -> Chapter {
    let folder = &patient.config.folders.data;
    let finding = match pensive_storage::check(folder) {
        Ok(report) => return Chapter::new("store", read(&report)),
        Err(VerbFault::Missing { .. }) => {
            Finding::good("records", "there is no store yet: it begins when pensive is started")
        }
        Err(VerbFault::Open(OpenFault::Busy { .. })) if patient.daemon.is_some() => {
            let sessions = patient.daemon.map_or(0, |status| status.sessions);
            Finding::good("records", format!("the daemon has it open, with {sessions} sessions"))
        }
        Err(fault) => {
            Finding::bad("records", fault.to_string(), "`pensive store restore` goes back to the newest copy")
        }
    };
    Chapter::new("store", vec![finding])
}

fn read(report: &Report) -> Vec<Finding> {
    let records: u64 = report.trees.iter().map(|tree| tree.records).sum();
    let found = format!("{records} records, {} MiB", report.disk_bytes / MIB);
    let whole = if report.whole {
        Finding::good("records", found)
    } else {
        let damaged: u64 = report.trees.iter().map(pensive_storage::TreeReport::damaged).sum();
        let advice = "`pensive store check` names them, `pensive store restore` goes back to the newest copy";
        Finding::bad("records", format!("{found}, {damaged} of them damaged"), advice)
    };
    let copies = match report.backups.len() {
        0 => Finding::good("copies", "none yet: the daemon makes the first an hour after its start"),
        copies => Finding::good("copies", format!("{copies} beside it")),
    };
    vec![whole, copies]
}

/// Disk, folders and clock.
pub(super) fn machine(config: &Config, clock: Option<Finding>) -> Option<Chapter> {
    let findings = [room(&config.folders.data), privacy(&config.folders.home), clock];
    Some(Chapter::new("machine", findings.into_iter().flatten().collect()))
}

/// The room on the disk of the nearest folder that is there.
fn room(folder: &Path) -> Option<Finding> {
    let there = folder.ancestors().find(|folder| folder.exists())?;
    let stat = rustix::fs::statvfs(there).ok()?;
    Some(judged(stat.f_bavail.saturating_mul(stat.f_frsize), there))
}

fn judged(free: u64, folder: &Path) -> Finding {
    let found = format!("{} MiB free at {}", free / MIB, folder.display());
    match free {
        0..LITTLE => Finding::bad("disk", found, "make room: with a full disk nothing new is taken in"),
        LITTLE..SCARCE => Finding::doubtful("disk", found, "make room soon"),
        _ => Finding::good("disk", found),
    }
}

fn privacy(home: &Path) -> Option<Finding> {
    let mode = fs::metadata(home).ok()?.permissions().mode() & 0o777;
    if mode & 0o077 == 0 {
        return Some(Finding::good("home", format!("{} is for its owner alone", home.display())));
    }
    Some(Finding::doubtful(
        "home",
        format!("{} can be entered by others (mode {mode:o})", home.display()),
        format!("chmod 700 {}", home.display()),
    ))
}

#[cfg(test)]
mod tests {
    use pensive_contract::finding::Grade;

    use super::*;

    #[test]
    fn little_room_is_told_in_time() {
        let grade = |mib: u64| judged(mib * MIB, Path::new("/")).grade;
        assert_eq!(
            [grade(99), grade(100), grade(1_023), grade(1_024)],
            [Grade::Bad, Grade::Doubtful, Grade::Doubtful, Grade::Good]
        );
    }

    #[test]
    fn a_home_that_others_can_read_is_told() {
        let home = tempfile::tempdir().unwrap();
        let grade = |mode: u32| {
            fs::set_permissions(home.path(), fs::Permissions::from_mode(mode)).unwrap();
            privacy(home.path()).unwrap().grade
        };
        assert_eq!([grade(0o700), grade(0o755)], [Grade::Good, Grade::Doubtful]);
        assert_eq!(privacy(Path::new("/nowhere")), None);
    }
}
