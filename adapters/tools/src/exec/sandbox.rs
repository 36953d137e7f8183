//! What a confined command may do, held by the kernel: Landlock for files, a seccomp filter for the network.
//!
//! It holds for the thread that enters, and for every process that the thread starts; there is no way back. The workspace
//! can be written; programs, libraries and the few settings they need can be read; nothing else can be opened. There is no
//! network of any kind, local sockets included, as the daemon's own socket is one: Landlock knows TCP alone, and paths of
//! sockets from Linux 7 on only, so that the filter refuses every socket.
//!
//! In a group a command is kept from the workspace's private memory as well, also where somebody allowed it everything else.
//! Then the workspace's own folder is not open, only what lies in it, so that there nothing new can be made or listed.
//!
//! What it cannot hold: the permissions and times of a file outside can be changed by who owns it (no Landlock right covers
//! `chmod`); signals to processes of the same user below Linux 6.12; how much memory and processor a command takes.

use std::collections::BTreeMap;
use std::error::Error;
use std::os::fd::{AsFd as _, BorrowedFd};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, RestrictionStatus, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::fs::FileType;
use rustix::thread::{CapabilitySet, CapabilitySets};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

use super::openings;
use crate::trouble::Trouble;

/// How a thread is kept to something, given the workspace.
pub(super) type Enter = fn(BorrowedFd<'_>, Hold) -> Result<(), Trouble>;

/// What a command is kept to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// The workspace, and the system's programs.
    Workspace,
    /// The same without what is private in the workspace.
    SharedWorkspace,
    /// Whatever the daemon may do, save for reading what is private in the workspace.
    AllButPrivate,
}

/// The newest rights that are known here; a kernel that knows fewer holds fewer.
const RIGHTS: ABI = ABI::V9;

/// Programs and libraries.
const PROGRAMS: &[&str] =
    &["/bin", "/sbin", "/usr", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store"];

/// Settings that programs need; the rest of `/etc` may hold secrets.
const SETTINGS: &[&str] = &[
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/fonts",
    "/etc/group",
    "/etc/hosts",
    "/etc/inputrc",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki/tls/certs",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/version",
    "/dev/random",
    "/dev/urandom",
];

/// Devices that swallow.
const SINKS: &[&str] = &["/dev/null", "/dev/zero", "/dev/full"];

/// Confines this thread for good.
pub(super) fn enter(workspace: BorrowedFd<'_>, hold: Hold) -> Result<(), Trouble> {
    let lack = |cause: Box<dyn Error>| Trouble::NoSandbox(format!("Landlock: {cause}"));
    let abi = match hold {
        Hold::Workspace => close_files(&[(workspace, FileType::Directory)]).map_err(lack)?,
        Hold::SharedWorkspace => {
            let open = openings::shared(&workspace).map_err(|cause| lack(cause.into()))?;
            let open: Vec<_> = open.iter().map(|open| (open.place.as_fd(), open.kind)).collect();
            close_files(&open).map_err(lack)?
        }
        Hold::AllButPrivate => return close_private(workspace).map_err(lack),
    };
    lower_privileges()?;
    close_network(abi)
}

/// Tries on a thread of its own what a command is confined by.
pub(super) fn try_out() -> Result<(), String> {
    let tried = std::thread::spawn(|| {
        let root = std::fs::File::open("/").map_err(|cause| cause.to_string())?;
        enter(root.as_fd(), Hold::Workspace).map_err(|trouble| match trouble {
            Trouble::NoSandbox(why) => why,
            other => other.to_string(),
        })
    });
    tried.join().unwrap_or_else(|_| Err("the trial broke off".to_owned()))
}

/// A daemon that runs as root starts commands with hardly more than any user's rights; it may still write where the
/// workspace belongs to somebody else.
fn lower_privileges() -> Result<(), Trouble> {
    let lack = |cause: rustix::io::Errno| Trouble::NoSandbox(format!("capabilities: {cause}"));
    let held = rustix::thread::capabilities(None).map_err(lack)?;
    let kept = held.permitted & CapabilitySet::DAC_OVERRIDE;
    let sets = CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() };
    rustix::thread::set_capabilities(None, sets).map_err(lack)
}

/// Gives the version of Landlock that holds. What is open can be written.
fn close_files(open: &[(BorrowedFd<'_>, FileType)]) -> Result<ABI, Box<dyn Error>> {
    let all = AccessFs::from_all(RIGHTS);
    let devices = AccessFs::MakeChar | AccessFs::MakeBlock;
    let sink: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::WriteFile;
    let status = Ruleset::default()
        .handle_access(all)?
        .handle_access(AccessNet::from_all(RIGHTS))?
        .scope(Scope::from_all(RIGHTS))?
        .create()?
        .add_rules(open.iter().map(|(place, kind)| beneath(*place, *kind, all & !devices)))?
        .add_rules(path_beneath_rules(PROGRAMS, AccessFs::from_read(RIGHTS)))?
        .add_rules(path_beneath_rules(SETTINGS, AccessFs::ReadFile | AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(SINKS, sink))?
        .restrict_self()?;
    settled(&status)
}

/// Nothing is closed but reading what is private, and moving it to where it could be read.
fn close_private(workspace: BorrowedFd<'_>) -> Result<(), Box<dyn Error>> {
    let closed = AccessFs::ReadFile | AccessFs::Refer;
    let open = openings::all_but_private(&workspace)?;
    let status = Ruleset::default()
        .handle_access(closed)?
        .create()?
        .add_rules(open.iter().map(|open| beneath(open.place.as_fd(), open.kind, closed)))?
        .restrict_self()?;
    settled(&status).map(drop)
}

/// A file has no rights of folders.
fn beneath(
    place: BorrowedFd<'_>,
    kind: FileType,
    rights: BitFlags<AccessFs>,
) -> Result<PathBeneath<BorrowedFd<'_>>, RulesetError> {
    let rights = if kind == FileType::Directory { rights } else { rights & AccessFs::from_file(RIGHTS) };
    Ok(PathBeneath::new(place, rights))
}

fn settled(status: &RestrictionStatus) -> Result<ABI, Box<dyn Error>> {
    match (&status.ruleset, &status.landlock) {
        (RulesetStatus::NotEnforced, _) => Err("not enforced".into()),
        (_, LandlockStatus::Available { effective_abi, .. }) if status.no_new_privs => Ok(*effective_abi),
        (_, _) => Err("a thread can still win privileges".into()),
    }
}

fn close_network(abi: ABI) -> Result<(), Trouble> {
    let lack = |cause: &dyn std::fmt::Display| Trouble::NoSandbox(format!("seccomp: {cause}"));
    let target = std::env::consts::ARCH.try_into().map_err(|cause| lack(&cause))?;
    let refuse = SeccompAction::Errno(rustix::io::Errno::ACCESS.raw_os_error().unsigned_abs());
    let rules: BTreeMap<_, _> = refused_calls(abi).into_iter().map(|call| (call, Vec::new())).collect();
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, refuse, target).map_err(|cause| lack(&cause))?;
    let program = BpfProgram::try_from(filter).map_err(|cause| lack(&cause))?;
    seccompiler::apply_filter(&program).map_err(|cause| lack(&cause))
}

/// Sockets, what makes them behind the filter's back, and below ABI 3 the one way to cut a file that Landlock overlooks.
fn refused_calls(abi: ABI) -> Vec<i64> {
    let mut calls = vec![libc::SYS_socket, libc::SYS_io_uring_setup];
    if abi < ABI::V3 {
        calls.push(libc::SYS_truncate);
    }
    // The same calls under their numbers of the x32 interface.
    if cfg!(target_arch = "x86_64") {
        calls.extend(calls.clone().into_iter().map(|call| call | 0x4000_0000));
    }
    calls
}
