//! What a command may open where the workspace's private memory is closed to it. The sandbox only opens, and with a folder
//! all that lies below: so each thing that stands beside what is closed is opened by itself, and the folders above are not.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Component;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::files::shelf::{MEMORY, SHARED, folder, is_same, real};

/// A file or folder, as a place.
pub(super) struct Opening {
    pub(super) place: OwnedFd,
    pub(super) kind: FileType,
}

/// What of a workspace is for every chat.
pub(super) fn shared(workspace: &impl AsFd) -> Result<Vec<Opening>, Errno> {
    let root = folder(workspace, ".")?;
    let memory = match rustix::fs::statat(&root, MEMORY, AtFlags::empty()) {
        Ok(seen) => Some(seen),
        Err(Errno::NOENT) => None,
        Err(cause) => return Err(cause),
    };
    let mut open = beside(&root, memory.as_ref())?;
    if memory.is_some()
        && let Ok(memory) = folder(&root, MEMORY)
    {
        open.extend(opening(&memory, SHARED).filter(|shared| shared.kind == FileType::Directory));
    }
    Ok(open)
}

/// Everything there is on this machine but what is private in the workspace.
pub(super) fn all_but_private(workspace: &impl AsFd) -> std::io::Result<Vec<Opening>> {
    let way = real(workspace)?;
    let mut at =
        rustix::fs::openat(CWD, "/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let mut open = Vec::new();
    for part in way.components() {
        let Component::Normal(name) = part else { continue };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let next = rustix::fs::openat(&at, name, flags, Mode::empty())?;
        match beside(&at, Some(&rustix::fs::fstat(&next)?)) {
            Ok(found) => open.extend(found),
            // A folder whose names are hidden from us hides them from our commands too.
            Err(Errno::ACCESS | Errno::PERM) => {}
            Err(cause) => return Err(cause.into()),
        }
        at = next;
    }
    open.extend(shared(&at)?);
    Ok(open)
}

/// What lies in a folder, without one thing and without links: what these stand for is opened where it lies.
fn beside(at: &impl AsFd, closed: Option<&Stat>) -> Result<Vec<Opening>, Errno> {
    let mut open = Vec::new();
    for entry in Dir::new(folder(at, ".")?)? {
        let entry = entry?;
        if matches!(entry.file_name().to_bytes(), b"." | b"..") {
            continue;
        }
        let Some(found) = opening(at, entry.file_name()) else { continue };
        let seen = rustix::fs::fstat(&found.place)?;
        let is_closed = closed.is_some_and(|closed| is_same(closed, &seen));
        if !is_closed && found.kind != FileType::Symlink {
            open.push(found);
        }
    }
    Ok(open)
}

/// Nothing for what is gone or hidden.
fn opening(at: &impl AsFd, name: impl rustix::path::Arg) -> Option<Opening> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let place = rustix::fs::openat(at, name, flags, Mode::empty()).ok()?;
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&place).ok()?.st_mode);
    Some(Opening { place, kind })
}
