//! The folder that an agent works in. Every path is resolved by the kernel in one step below the workspace's own
//! descriptor (`openat2`, Linux 5.6 and later), so that no link, mount or race leads out.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;

use super::path::Inside;
use super::shelf::Shelf;
use crate::trouble::Trouble;

/// How often a path is resolved again when a folder on its way was moved meanwhile.
const TRIES: usize = 16;

/// One agent's folder, or several agents' where they share it.
pub(crate) struct Workspace {
    root: PathBuf,
    turn: Mutex<()>,
}

/// Something that can be read.
pub(crate) enum Found {
    File(File, Stat),
    Folder(OwnedFd),
}

/// What was there before a file was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Before {
    Nothing,
    File,
}

impl Workspace {
    /// The folder is made when it is first needed.
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root, turn: Mutex::new(()) }
    }

    /// Where it lies.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Reads a path that a model wrote.
    pub(crate) fn path(&self, written: &str) -> Result<Inside, Trouble> {
        Inside::parse(written, &self.root)
    }

    /// Keeps others from changing files between a look and a change. Blocks.
    pub(crate) fn alone<T>(&self, work: impl FnOnce() -> T) -> T {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }

    /// Opens a file or folder to read it. It is looked at before it is opened: opening a device can do something.
    pub(crate) fn find(&self, path: &Inside, shelf: Shelf) -> Result<Found, Trouble> {
        let root = self.open_root()?;
        let looked = open_below(&root, path, OFlags::PATH)?;
        check_open(shelf, &root, path, &looked)?;
        check_kind(path, &stat(path, &looked)?)?;
        let opened = open_below(&root, path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
        check_open(shelf, &root, path, &opened)?;
        let seen = stat(path, &opened)?;
        Ok(match check_kind(path, &seen)? {
            FileType::Directory => Found::Folder(opened),
            _ => Found::File(File::from(opened), seen),
        })
    }

    /// All of a file that has `most` bytes at most.
    pub(crate) fn whole(&self, path: &Inside, shelf: Shelf, most: usize) -> Result<Vec<u8>, Trouble> {
        let Found::File(file, seen) = self.find(path, shelf)? else {
            return Err(Trouble::Refused(format!("{path} is a folder.")));
        };
        let size = usize::try_from(seen.st_size).unwrap_or(usize::MAX);
        let too_large =
            |size: usize| Trouble::Refused(format!("{path} has {size} bytes; {most} are the most."));
        if size > most {
            return Err(too_large(size));
        }
        let mut content = Vec::with_capacity(size);
        // It may grow meanwhile.
        let up_to = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
        file.take(up_to)
            .read_to_end(&mut content)
            .map_err(|cause| Trouble::system(format!("{path} cannot be read"), cause))?;
        if content.len() > most { Err(too_large(content.len())) } else { Ok(content) }
    }

    /// Opens a folder that is there, as a place and not to read it.
    pub(crate) fn folder(&self, path: &Inside, shelf: Shelf) -> Result<OwnedFd, Trouble> {
        let root = self.open_root()?;
        let opened = open_below(&root, path, OFlags::PATH | OFlags::DIRECTORY)?;
        check_open(shelf, &root, path, &opened).map(|()| opened)
    }

    /// Opens a folder and makes what is missing of it.
    pub(crate) fn make_folder(&self, path: &Inside, shelf: Shelf) -> Result<OwnedFd, Trouble> {
        let root = self.open_root()?;
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let mut at = open_below(&root, &Inside::root(), flags)?;
        for (step, name) in path.steps() {
            // The way to what is shared leads through what is private, so the folder where something is made is looked at.
            let made_in = &at;
            at = match open_below(&root, &step, flags) {
                Err(Trouble::System { cause, .. }) if cause.kind() == std::io::ErrorKind::NotFound => {
                    if !step.leads_to_shared() {
                        check_open(shelf, &root, path, made_in)?;
                    }
                    match rustix::fs::mkdirat(made_in, name, Mode::from_raw_mode(0o777)) {
                        Ok(()) | Err(Errno::EXIST) => open_below(&root, &step, flags)?,
                        Err(cause) => return Err(Trouble::system(format!("{step} cannot be made"), cause)),
                    }
                }
                other => other?,
            };
        }
        check_open(shelf, &root, path, &at).map(|()| at)
    }

    /// Puts a file there in one step: whoever reads it meanwhile sees the old or the new, whole.
    pub(crate) fn replace(&self, path: &Inside, content: &[u8], shelf: Shelf) -> Result<Before, Trouble> {
        let (folder, name) =
            path.split().ok_or_else(|| Trouble::Refused("The workspace itself is a folder.".to_owned()))?;
        let folder = self.make_folder(&folder, shelf)?;
        let old = match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(seen) => Some(check_target(path, &seen)?),
            Err(Errno::NOENT) => None,
            Err(cause) => return Err(Trouble::system(format!("{path} cannot be written"), cause)),
        };
        let draft = format!(".pensive-{:016x}.tmp", fastrand::u64(..));
        let put = write_draft(&folder, &draft, content, old)
            .and_then(|()| Ok(rustix::fs::renameat(&folder, &draft, &folder, name)?));
        match put {
            Ok(()) => Ok(if old.is_some() { Before::File } else { Before::Nothing }),
            Err(cause) => {
                if let Err(left) = rustix::fs::unlinkat(&folder, &draft, AtFlags::empty())
                    && left != Errno::NOENT
                {
                    tracing::warn!(%left, "a draft of a file stays behind");
                }
                Err(Trouble::system(format!("{path} cannot be written"), cause))
            }
        }
    }

    fn open_root(&self) -> Result<OwnedFd, Trouble> {
        let wrong = |cause| Trouble::system("The workspace cannot be opened", cause);
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match rustix::fs::openat(CWD, &self.root, flags, Mode::empty()) {
            Err(Errno::NOENT) => {
                std::fs::create_dir_all(&self.root).map_err(wrong)?;
                rustix::fs::openat(CWD, &self.root, flags, Mode::empty()).map_err(|cause| wrong(cause.into()))
            }
            opened => opened.map_err(|cause| wrong(cause.into())),
        }
    }
}

fn write_draft(folder: &OwnedFd, draft: &str, content: &[u8], old: Option<Mode>) -> std::io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::openat(folder, draft, flags, Mode::from_raw_mode(0o666))?);
    file.write_all(content)?;
    if let Some(mode) = old {
        rustix::fs::fchmod(&file, mode)?;
    }
    file.sync_data()
}

fn open_below(root: &OwnedFd, path: &Inside, flags: OFlags) -> Result<OwnedFd, Trouble> {
    let bounds = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_XDEV;
    let mut tries = 0;
    loop {
        tries += 1;
        let opened = rustix::fs::openat2(root, path.as_str(), flags | OFlags::CLOEXEC, Mode::empty(), bounds);
        return match opened {
            Err(Errno::AGAIN) if tries < TRIES => continue,
            Ok(opened) => Ok(opened),
            Err(Errno::XDEV | Errno::LOOP) => Err(Trouble::Refused(format!(
                "{path} leads out of the workspace. Only what lies inside can be used."
            ))),
            Err(Errno::NXIO) => Err(not_a_file(path)),
            Err(cause) => Err(Trouble::system(format!("{path} cannot be opened"), cause)),
        };
    }
}

fn check_open(shelf: Shelf, root: &OwnedFd, path: &Inside, opened: &OwnedFd) -> Result<(), Trouble> {
    if shelf.opens(root, opened) {
        return Ok(());
    }
    Err(Trouble::Refused(format!(
        "{path} is private memory, which is closed in a group. Of `memory/` only `memory/shared/` can be used here."
    )))
}

fn stat(path: &Inside, opened: &OwnedFd) -> Result<Stat, Trouble> {
    rustix::fs::fstat(opened).map_err(|cause| Trouble::system(format!("{path} cannot be looked at"), cause))
}

/// A file with a second name may be one from outside the workspace.
fn check_kind(path: &Inside, seen: &Stat) -> Result<FileType, Trouble> {
    match FileType::from_raw_mode(seen.st_mode) {
        FileType::RegularFile if seen.st_nlink > 1 => Err(Trouble::Refused(format!(
            "{path} is a hard link: the same file has another name, which may lie outside of the workspace. Use a copy."
        ))),
        kind @ (FileType::RegularFile | FileType::Directory) => Ok(kind),
        _ => Err(not_a_file(path)),
    }
}

/// What may be replaced, and the permissions that stay.
fn check_target(path: &Inside, seen: &Stat) -> Result<Mode, Trouble> {
    match FileType::from_raw_mode(seen.st_mode) {
        FileType::RegularFile => Ok(Mode::from_raw_mode(seen.st_mode & 0o777)),
        FileType::Directory => Err(Trouble::Refused(format!("{path} is a folder."))),
        FileType::Symlink => Err(Trouble::Refused(format!(
            "{path} is a link: write to the file that it stands for, or to another name."
        ))),
        _ => Err(not_a_file(path)),
    }
}

fn not_a_file(path: &Inside) -> Trouble {
    Trouble::Refused(format!("{path} is neither a file nor a folder, but a device, a pipe or a socket."))
}
