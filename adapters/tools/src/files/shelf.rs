//! What of a workspace is for whom: all of `memory/` but `memory/shared/` is private to direct messages, whichever way
//! leads there.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::{Component, Path, PathBuf};

use pensive_contract::inbound::ChatKind;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

/// The folder of the memory, below the workspace.
pub(crate) const MEMORY: &str = "memory";

/// The folder in it that is for every chat.
pub(crate) const SHARED: &str = "shared";

/// How deep and how far private notes are looked through.
const DEPTH: usize = 8;
const ENTRIES: usize = 10_000;

/// How much of a workspace is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shelf {
    /// All of it: one person is there.
    Whole,
    /// What is for every chat.
    Shared,
}

impl Shelf {
    /// What is open in a chat of that kind.
    pub(crate) fn of(kind: ChatKind) -> Self {
        match kind {
            ChatKind::Direct => Self::Whole,
            ChatKind::Group | ChatKind::Channel => Self::Shared,
        }
    }

    /// Whether something that was opened below `root` may be seen here. Asked of what was opened and not of its name, so that
    /// no link leads there.
    pub(super) fn opens(self, root: &OwnedFd, opened: &impl AsFd) -> bool {
        match self {
            Self::Whole => true,
            // What cannot be told is closed.
            Self::Shared => {
                below(root, opened).is_ok_and(|way| way.is_some_and(|way| !is_private(root, &way)))
            }
        }
    }
}

/// Where something lies below a folder, links followed; nothing where it does not.
fn below(root: &OwnedFd, opened: &impl AsFd) -> io::Result<Option<PathBuf>> {
    let way = real(opened)?;
    Ok(way.strip_prefix(real(root)?).ok().map(Path::to_owned))
}

/// The kernel's own name of something opened.
pub(crate) fn real(opened: &impl AsFd) -> io::Result<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", opened.as_fd().as_raw_fd()))
}

/// Names are compared without case, as some disks do. Where the memory is a link, what it stands for is as private.
fn is_private(root: &OwnedFd, way: &Path) -> bool {
    let mut parts = way.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    let named = parts.next().is_some_and(|first| first.eq_ignore_ascii_case(MEMORY))
        && parts.next().is_none_or(|second| second != SHARED);
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let place = |name: &str| {
        let folder = rustix::fs::openat(root, name, flags, Mode::empty()).ok()?;
        below(root, &folder).ok()?
    };
    let linked = place(MEMORY).is_some_and(|memory| {
        let shared = place("memory/shared").is_some_and(|shared| shared != memory && way.starts_with(shared));
        way.starts_with(memory) && !shared
    });
    named || linked
}

/// What there is to keep from a command of a chat that is not private.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// No note that is private.
    Nothing,
    /// Private notes, where they belong.
    Notes,
    /// Private notes that have a second way to them, so that a command cannot be kept away: the words say which.
    Leaking(&'static str),
}

/// Looks through the memory of a workspace. Blocks.
pub(crate) fn kept(root: &impl AsFd) -> Result<Kept, Errno> {
    let seen = match rustix::fs::statat(root, MEMORY, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(seen) => seen,
        Err(Errno::NOENT) => return Ok(Kept::Nothing),
        Err(cause) => return Err(cause),
    };
    match FileType::from_raw_mode(seen.st_mode) {
        FileType::Directory => {}
        FileType::Symlink => return Ok(Kept::Leaking("`memory` is a link")),
        _ => return Ok(Kept::Notes),
    }
    let memory = folder(root, MEMORY)?;
    let mut left = ENTRIES;
    look_through(&memory, &[SHARED], DEPTH, &mut left)
}

fn look_through(at: &OwnedFd, spared: &[&str], depth: usize, left: &mut usize) -> Result<Kept, Errno> {
    let mut kept = Kept::Nothing;
    for entry in Dir::read_from(at)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..")
            || spared.iter().any(|spared| name.to_bytes() == spared.as_bytes())
        {
            continue;
        }
        kept = Kept::Notes;
        *left = left.saturating_sub(1);
        if *left == 0 || depth == 0 {
            return Ok(Kept::Leaking("the memory is too large or too deep to be looked through"));
        }
        let seen = rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW)?;
        match FileType::from_raw_mode(seen.st_mode) {
            FileType::RegularFile if seen.st_nlink > 1 => {
                return Ok(Kept::Leaking("a private note has a second name, a hard link"));
            }
            FileType::Directory => {
                let below = look_through(&folder(at, name)?, &[], depth - 1, left)?;
                if matches!(below, Kept::Leaking(_)) {
                    return Ok(below);
                }
            }
            _ => {}
        }
    }
    Ok(kept)
}

/// Opens a folder to read it, and no link.
pub(crate) fn folder(at: &impl AsFd, name: impl rustix::path::Arg) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(at, name, flags, Mode::empty())
}

/// Whether two looks saw the same thing.
pub(crate) fn is_same(one: &Stat, other: &Stat) -> bool {
    one.st_dev == other.st_dev && one.st_ino == other.st_ino
}
