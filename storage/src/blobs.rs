//! Flushes the files beside the log. The engine keeps big pages in files of their own and leaves it to the system when
//! they reach the disk; after a power cut the log would point at nothing.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Which of the files are known to be on disk. Their names are numbers that grow.
pub(crate) struct Blobs {
    folder: PathBuf,
    synced: i64,
    looked: Option<SystemTime>,
}

impl Blobs {
    /// Watches a folder whose present files are on disk.
    pub(crate) fn watch(folder: &Path) -> io::Result<Self> {
        let mut blobs = Self { folder: folder.to_owned(), synced: i64::MIN, looked: None };
        blobs.synced = blobs.newer()?.into_iter().map(|(number, _)| number).max().unwrap_or(i64::MIN);
        Ok(blobs)
    }

    /// Returns when every file is on disk. One look at the folder when nothing was added.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let changed = fs::metadata(&self.folder)?.modified()?;
        if self.looked == Some(changed) {
            return Ok(());
        }
        let newer = self.newer()?;
        for (number, path) in &newer {
            match File::open(path) {
                Ok(file) => file.sync_data()?,
                // Written and already replaced.
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => {}
                Err(cause) => return Err(cause),
            }
            self.synced = self.synced.max(*number);
        }
        // The folder's time is coarse: only a look that finds nothing new says that there is nothing new.
        self.looked = if newer.is_empty() {
            Some(changed)
        } else {
            File::open(&self.folder)?.sync_all()?;
            None
        };
        Ok(())
    }

    fn newer(&self) -> io::Result<Vec<(i64, PathBuf)>> {
        let mut newer = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let number = entry.file_name().to_str().and_then(|name| name.parse::<i64>().ok());
            newer.extend(number.filter(|number| *number > self.synced).map(|number| (number, entry.path())));
        }
        Ok(newer)
    }
}
