//! The data folder: who holds it, which store in it is the living one, and what lies beside it.
//!
//! `lock` is held by the process that has the folder open. `current` names the sub-folder of the living store (`store`
//! when there is no such file); a new store takes its place by the renaming of that one file. `mark` is a number that the
//! living store must have reached: a log that lost its end has not. `backups/` holds exports.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::fault::{DiskFault, OpenFault};

const FIRST: &str = "store";

/// A data folder that this process holds. Dropping it lets others have it.
pub(crate) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Creates the folder where it is missing and takes hold of it.
    pub(crate) fn claim(path: &Path) -> Result<Self, OpenFault> {
        let io = |cause: io::Error| OpenFault::of(cause.into(), path, None);
        private().recursive(true).create(path).map_err(io)?;
        let mut options = OpenOptions::new();
        let mut lock = options
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path.join("lock"))
            .map_err(io)?;
        if !take(&lock).map_err(io)? {
            let mut by = String::new();
            let by = lock.read_to_string(&mut by).ok().and_then(|_| by.trim().parse().ok());
            return Err(OpenFault::Busy { folder: path.to_owned(), by });
        }
        lock.set_len(0).and_then(|()| writeln!(lock, "{}", std::process::id())).map_err(io)?;
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// The folder itself.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the living store is.
    pub(crate) fn store(&self) -> Result<PathBuf, DiskFault> {
        let name = match fs::read_to_string(self.path.join("current")) {
            Ok(name) => name,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(self.path.join(FIRST)),
            Err(cause) => return Err(cause.into()),
        };
        let store = self.path.join(name.trim());
        if name.trim().is_empty() || !store.is_dir() {
            return Err(DiskFault::Damaged("the folder that `current` names is missing".to_owned()));
        }
        Ok(store)
    }

    /// A sub-folder for a store that is to take the living one's place; what an interrupted attempt left there is gone.
    pub(crate) fn vacant(&self) -> Result<PathBuf, DiskFault> {
        let living = self.store().ok();
        let mut number = 2_u64;
        loop {
            let path = self.path.join(format!("{FIRST}-{number}"));
            if !path.exists() {
                return Ok(path);
            }
            if living.as_ref() != Some(&path) && path.join(UNFINISHED).exists() {
                fs::remove_dir_all(&path)?;
                return Ok(path);
            }
            number += 1;
        }
    }

    /// Makes the store in `successor` the living one, at once and for good. Returns the one before.
    pub(crate) fn succeed(&self, successor: &Path) -> Result<PathBuf, DiskFault> {
        let before = self.store().unwrap_or_else(|_| self.path.join(FIRST));
        let name = successor.file_name().and_then(|name| name.to_str()).unwrap_or(FIRST);
        self.replace("current", name)?;
        // It is the living one already: a leftover of this file does no harm.
        drop(fs::remove_file(successor.join(UNFINISHED)));
        Ok(before)
    }

    /// The number that the living store must have reached.
    pub(crate) fn mark(&self) -> Option<u64> {
        let mark = fs::read_to_string(self.path.join("mark")).ok()?;
        mark.strip_suffix('\n')?.parse().ok()
    }

    /// Sets that number. May be behind after a power cut, never ahead.
    pub(crate) fn set_mark(&self, flush: u64) -> io::Result<()> {
        // Written in place: truncating a file makes some file systems flush it when it is closed.
        let mut mark =
            OpenOptions::new().create(true).truncate(false).write(true).open(self.path.join("mark"))?;
        mark.write_all(format!("{flush:020}\n").as_bytes())
    }

    /// Where backups are.
    pub(crate) fn backups(&self) -> PathBuf {
        self.path.join(BACKUPS)
    }

    /// The backups that are there, oldest first.
    pub(crate) fn list_backups(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.backups()).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| backup_flush(path).is_some()).collect();
        found.sort();
        found
    }

    /// The number that the store had reached at its newest backup.
    pub(crate) fn backup_mark(&self) -> Option<u64> {
        self.list_backups().last().and_then(|path| backup_flush(path))
    }

    /// Says of a fault of the disk that it is about this folder, and which backup is the way back.
    pub(crate) fn fault(&self, fault: DiskFault) -> OpenFault {
        OpenFault::of(fault, &self.path, self.list_backups().pop())
    }

    /// Puts `content` into the file `name`, wholly or not at all.
    fn replace(&self, name: &str, content: &str) -> io::Result<()> {
        let draft = self.path.join(format!("{name}.new"));
        let mut file = File::create(&draft)?;
        writeln!(file, "{content}")?;
        file.sync_all()?;
        fs::rename(&draft, self.path.join(name))?;
        sync_folder(&self.path)
    }
}

/// How often, and how far apart, a lock is tried that somebody else holds.
const TRIES: u32 = 10;
const BETWEEN: Duration = Duration::from_millis(20);

/// Takes a lock, with a little patience: a daemon that is ending, or a child process that has not become its program
/// yet, holds it for some milliseconds more.
fn take(lock: &File) -> io::Result<bool> {
    for _ in 0..TRIES {
        match lock.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => std::thread::park_timeout(BETWEEN),
            Err(TryLockError::Error(cause)) => return Err(cause),
        }
    }
    Ok(false)
}

/// The sub-folder of backups.
pub(crate) const BACKUPS: &str = "backups";

/// The number of the last flush that a backup has, by its name; nothing when the file is no backup. Names begin with it,
/// so they sort by age.
pub(crate) fn backup_flush(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
    name.split_once('-')?.0.parse().ok()
}

/// Stands in a store that is being built.
const UNFINISHED: &str = "unfinished";

/// Creates a folder for a store that is being built.
pub(crate) fn begin_build(path: &Path) -> io::Result<()> {
    private().create(path)?;
    File::create(path.join(UNFINISHED)).map(drop)
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Creates folders that only their owner can read: conversations are in them.
pub(crate) fn private() -> DirBuilder {
    #[allow(unused_mut, reason = "only some systems have a mode to set")]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}
