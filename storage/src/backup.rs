//! Backups: exports kept beside the store, made while it works.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use jiff::Timestamp as Moment;
use pensive_contract::clock::Timestamp;
use pensive_contract::store::StoreFault;

use crate::export::{Export, Exported};
use crate::fault::VerbFault;
use crate::folder::{BACKUPS, backup_flush, private, sync_folder};
use crate::job::Job;
use crate::lines::Header;
use crate::store::Store;

/// A backup that was made.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Backup {
    /// The file.
    pub file: PathBuf,
    /// What is in it.
    pub holds: Exported,
}

impl Store {
    /// Makes a backup beside the store and removes the oldest so that `keep` remain. The store goes on meanwhile: the
    /// records are read first, and what changed during that is added from one moment, so that the backup is the store
    /// as it was then. Called by the daemon from time to time; the file is written on the blocking pool.
    ///
    /// # Errors
    /// The store or the file failed; earlier backups are as they were.
    pub async fn backup(&self, keep: usize) -> Result<Backup, VerbFault> {
        self.ask(Job::Watch).await?;
        let store = self.clone();
        let (draft, export) = blocking(move || {
            let draft = Draft::create(store.folder())?;
            let mut export = Export::begin(draft.out()?, Header::new(store.clock().now().0))?;
            export.all(|tree, after, most| {
                store.read(|disk| disk.page(tree, after, most)).map_err(VerbFault::from)
            })?;
            Ok((draft, export))
        })
        .await?;
        let changes = self.ask(Job::Cut).await?;
        let made = self.clock().now();
        let mut export = export;
        blocking(move || {
            export.changes(&changes.writes)?;
            let (_, exported) = export.end()?;
            Ok(draft.finish(changes.flush, made, exported, keep)?)
        })
        .await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, VerbFault> + Send + 'static,
) -> Result<T, VerbFault> {
    let lost = |_| VerbFault::Disk("the backup was broken off".to_owned());
    tokio::task::spawn_blocking(work).await.map_err(lost)?
}

impl From<StoreFault> for VerbFault {
    fn from(fault: StoreFault) -> Self {
        Self::Disk(fault.to_string())
    }
}

/// A backup that is being written.
pub(crate) struct Draft {
    folder: PathBuf,
    file: PathBuf,
}

impl Draft {
    /// Begins one in a data folder; what an interrupted one left is overwritten.
    pub(crate) fn create(folder: &Path) -> io::Result<Self> {
        let folder = folder.join(BACKUPS);
        private().recursive(true).create(&folder)?;
        let file = folder.join("draft");
        File::create(&file)?;
        Ok(Self { folder, file })
    }

    /// Where its lines go.
    pub(crate) fn out(&self) -> io::Result<BufWriter<File>> {
        Ok(BufWriter::new(File::create(&self.file)?))
    }

    /// Makes it a backup that has everything up to `flush`.
    pub(crate) fn finish(
        self,
        flush: u64,
        made: Timestamp,
        holds: Exported,
        keep: usize,
    ) -> io::Result<Backup> {
        File::open(&self.file)?.sync_all()?;
        let when = Moment::from_millisecond(made.0).unwrap_or_default().strftime("%Y-%m-%dT%H-%M-%SZ");
        let file = self.folder.join(format!("{flush:012}-{when}.jsonl"));
        fs::rename(&self.file, &file)?;
        sync_folder(&self.folder)?;
        self.remove_old(keep)?;
        Ok(Backup { file, holds })
    }

    fn remove_old(&self, keep: usize) -> io::Result<()> {
        let mut backups: Vec<PathBuf> =
            fs::read_dir(&self.folder)?.flatten().map(|entry| entry.path()).collect();
        backups.retain(|path| backup_flush(path).is_some());
        backups.sort();
        let old = backups.len().saturating_sub(keep.max(1));
        backups.iter().take(old).try_for_each(fs::remove_file)
    }
}
