//! What a confined command may do, held by the kernel: Landlock for files, a seccomp filter for the network.
//!
//! It holds for the thread that enters, and for every process that the thread starts; there is no way back. The workspace
//! can be written; programs, libraries and the few settings they need can be read; nothing else can be opened. There is no
//! network of any kind, local sockets included, as the daemon's own socket is one: Landlock knows TCP alone, and paths of
//! sockets from Linux 7 on only, so that the filter refuses every socket.
//!
//! What it cannot hold: the permissions and times of a file outside can be changed by who owns it (no Landlock right covers
//! `chmod`); signals to processes of the same user below Linux 6.12; how much memory and processor a command takes.

use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::thread::{CapabilitySet, CapabilitySets};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

use crate::trouble::Trouble;

/// How a thread is confined to a workspace.
pub(super) type Enter = fn(BorrowedFd<'_>) -> Result<(), Trouble>;

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
pub(super) fn enter(workspace: BorrowedFd<'_>) -> Result<(), Trouble> {
    let abi = close_files(workspace).map_err(|cause| Trouble::NoSandbox(format!("Landlock: {cause}")))?;
    lower_privileges()?;
    close_network(abi)
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

/// Gives the version of Landlock that holds.
fn close_files(workspace: BorrowedFd<'_>) -> Result<ABI, Box<dyn std::error::Error>> {
    let all = AccessFs::from_all(RIGHTS);
    let devices = AccessFs::MakeChar | AccessFs::MakeBlock;
    let sink: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::WriteFile;
    let status = Ruleset::default()
        .handle_access(all)?
        .handle_access(AccessNet::from_all(RIGHTS))?
        .scope(Scope::from_all(RIGHTS))?
        .create()?
        .add_rule(PathBeneath::new(workspace, all & !devices))?
        .add_rules(path_beneath_rules(PROGRAMS, AccessFs::from_read(RIGHTS)))?
        .add_rules(path_beneath_rules(SETTINGS, AccessFs::ReadFile | AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(SINKS, sink))?
        .restrict_self()?;
    match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, _) => Err("not enforced".into()),
        (_, LandlockStatus::Available { effective_abi, .. }) if status.no_new_privs => Ok(effective_abi),
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
