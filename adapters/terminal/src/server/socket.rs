//! The socket file: made for this user alone, a dead daemon's one replaced, a living daemon's one left alone.

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use crate::fault::TerminalFault;

/// A listening socket and its file, which goes when this is dropped.
pub(super) struct Bound {
    pub(super) listener: UnixListener,
    pub(super) path: PathBuf,
    /// Who made it, and so who may connect.
    pub(super) owner: u32,
    inode: u64,
}

/// Listens at `path`. The socket gets its rights under another name first, so that nobody can connect before they hold.
pub(super) fn bind(path: &Path) -> Result<Bound, TerminalFault> {
    refuse_if_taken(path)?;
    let early = path.with_file_name(format!(".{}", std::process::id()));
    match fs::remove_file(&early) {
        Err(cause) if cause.kind() != ErrorKind::NotFound => return Err(failed(&early)(cause)),
        Ok(()) | Err(_) => {}
    }
    let listener = UnixListener::bind(&early).map_err(|cause| match cause.kind() {
        ErrorKind::InvalidInput => TerminalFault::PathTooLong(path.to_owned()),
        _ => failed(path)(cause),
    })?;
    fs::set_permissions(&early, Permissions::from_mode(0o600)).map_err(failed(path))?;
    fs::rename(&early, path).map_err(failed(path))?;
    listener.set_nonblocking(true).map_err(failed(path))?;
    let meta = fs::symlink_metadata(path).map_err(failed(path))?;
    Ok(Bound { listener, path: path.to_owned(), owner: meta.uid(), inode: meta.ino() })
}

fn refuse_if_taken(path: &Path) -> Result<(), TerminalFault> {
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(failed(path)(cause)),
    };
    if !meta.file_type().is_socket() {
        return Err(TerminalFault::NotASocket(path.to_owned()));
    }
    match UnixStream::connect(path) {
        Ok(_) => Err(TerminalFault::Busy(path.to_owned())),
        Err(_) => Ok(()),
    }
}

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> TerminalFault {
    TerminalFault::io(format!("cannot listen at {}", path.display()))
}

impl Drop for Bound {
    fn drop(&mut self) {
        // Another daemon may have put its own socket here in the meantime.
        let ours = fs::symlink_metadata(&self.path).is_ok_and(|meta| meta.ino() == self.inode);
        if ours && let Err(cause) = fs::remove_file(&self.path) {
            tracing::debug!(%cause, "the socket file stays");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_socket_is_replaced_and_a_living_one_is_not() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("pensive.sock");
        drop(UnixListener::bind(&path).unwrap());
        assert!(path.exists());

        let bound = bind(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(matches!(bind(&path), Err(TerminalFault::Busy(_))));
        drop(bound);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_cannot_be_a_socket_is_told() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("pensive.sock");
        fs::write(&file, "notes").unwrap();
        assert!(matches!(bind(&file), Err(TerminalFault::NotASocket(_))));
        assert_eq!(fs::read_to_string(&file).unwrap(), "notes");
        assert!(matches!(bind(&home.path().join("no/such/folder")), Err(TerminalFault::Io { .. })));
        let deep = home.path().join("x".repeat(120));
        fs::create_dir(&deep).unwrap();
        assert!(matches!(bind(&deep.join("pensive.sock")), Err(TerminalFault::PathTooLong(_))));
    }
}
