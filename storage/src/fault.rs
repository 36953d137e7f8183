//! What can go wrong with the store as a whole, in words that say what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use pensive_contract::store::StoreFault;

/// What the disk or the engine on it answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DiskFault {
    /// No room is left.
    #[error("the disk is full")]
    Full,
    /// The file system takes no writes.
    #[error("the file system is read-only")]
    ReadOnly,
    /// The account of this process may not.
    #[error("permission denied")]
    Rights,
    /// What is on disk is not what was written.
    #[error("damaged: {0}")]
    Damaged(String),
    /// Anything else that the system answered.
    #[error("{0}")]
    Other(String),
}

impl From<io::Error> for DiskFault {
    fn from(cause: io::Error) -> Self {
        match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::Full
            }
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            io::ErrorKind::PermissionDenied => Self::Rights,
            _ => Self::Other(cause.to_string()),
        }
    }
}

impl From<DiskFault> for StoreFault {
    fn from(fault: DiskFault) -> Self {
        match fault {
            DiskFault::Damaged(why) => Self::Damaged(why),
            DiskFault::Full | DiskFault::ReadOnly | DiskFault::Rights | DiskFault::Other(_) => {
                Self::Disk(fault.to_string())
            }
        }
    }
}

/// Why the store cannot be opened. The words are for an operator and say the way out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenFault {
    /// Another process has it open.
    #[error(
        "the store in {} is in use{}: stop the other pensive, or give this one a folder of its own (storage.path)",
        folder.display(),
        by.map_or_else(String::new, |pid| format!(" by process {pid}"))
    )]
    Busy {
        /// The data folder.
        folder: PathBuf,
        /// The process, where it left its number.
        by: Option<u32>,
    },
    /// The files belong to somebody else.
    #[error(
        "no permission to write in {}: give the folder to the account that runs pensive, or set storage.path to another one",
        folder.display()
    )]
    Rights {
        /// The data folder.
        folder: PathBuf,
    },
    /// The file system takes no writes.
    #[error(
        "{} is on a read-only file system: make it writable, or set storage.path to another folder",
        folder.display()
    )]
    ReadOnly {
        /// The data folder.
        folder: PathBuf,
    },
    /// No room is left.
    #[error("the disk that holds {} is full: free some space and start again; nothing was lost", folder.display())]
    Full {
        /// The data folder.
        folder: PathBuf,
    },
    /// What is on disk is not what was written.
    #[error("the store in {} is damaged ({why}). {}", folder.display(), way_back(backup.as_deref()))]
    Damaged {
        /// The data folder.
        folder: PathBuf,
        /// What was seen.
        why: String,
        /// The newest backup beside it.
        backup: Option<PathBuf>,
    },
    /// The system answered something else.
    #[error("the store in {} cannot be opened: {why}", folder.display())]
    Other {
        /// The data folder.
        folder: PathBuf,
        /// The system's words.
        why: String,
    },
}

fn way_back(backup: Option<&Path>) -> String {
    match backup {
        Some(backup) => {
            format!("`pensive store restore` goes back to {}; the damaged files are kept", backup.display())
        }
        None => "There is no backup beside it: `pensive store import --replace <file>` takes an export of \
                 yours; to begin anew, move the folder away"
            .to_owned(),
    }
}

impl OpenFault {
    /// Says which folder a fault of the disk is about.
    pub(crate) fn of(fault: DiskFault, folder: &Path, backup: Option<PathBuf>) -> Self {
        let folder = folder.to_owned();
        match fault {
            DiskFault::Full => Self::Full { folder },
            DiskFault::ReadOnly => Self::ReadOnly { folder },
            DiskFault::Rights => Self::Rights { folder },
            DiskFault::Damaged(why) => Self::Damaged { folder, why, backup },
            DiskFault::Other(why) => Self::Other { folder, why },
        }
    }
}

/// Why a verb on a closed store failed.
#[derive(Debug, thiserror::Error)]
pub enum VerbFault {
    /// The store could not be opened.
    #[error(transparent)]
    Open(#[from] OpenFault),
    /// There is no store.
    #[error("there is no store in {}: it begins when pensive is started", folder.display())]
    Missing {
        /// The data folder.
        folder: PathBuf,
    },
    /// The store's disk failed on the way.
    #[error("the store cannot be read or written: {0}")]
    Disk(String),
    /// The given file could not be read or written.
    #[error("the file cannot be read or written: {0}")]
    File(#[from] io::Error),
    /// The given file is no whole export; nothing was imported.
    #[error("line {line}: {why}; nothing was imported")]
    Line {
        /// Which line, from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// The store holds records, and replacing them was not asked for.
    #[error(
        "the store in {} already holds {records} records: say --replace to put the export in their place",
        folder.display()
    )]
    NotEmpty {
        /// The data folder.
        folder: PathBuf,
        /// How many.
        records: u64,
    },
    /// There is nothing to restore from.
    #[error("there is no backup in {}: `pensive store import --replace <file>` takes an export of yours", folder.display())]
    NoBackup {
        /// Where backups would be.
        folder: PathBuf,
    },
}

impl From<DiskFault> for VerbFault {
    fn from(fault: DiskFault) -> Self {
        Self::Disk(fault.to_string())
    }
}
