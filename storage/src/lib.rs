//! The stores on sled: one handle, [`Store`], that implements every port of `pensive_contract::store`, and the verbs of
//! `pensive store` on a closed one.
//!
//! Reading order: `store` is the handle and `ports` what it offers; `job`, `writer`, `desk`, `seen`, `letter` and `stage` are a
//! commit's way to the disk, and `mend` what happens when that fails;
//! `disk` and `blobs` are the engine behind a guard; `tree`, `key`, `frame` and `record` say what lies there; `folder`
//! and `life` say which store lives and how it is opened; `lines`, `export`, `backup`, `build`, `check` and `verbs` stand
//! beside it all.
//!
//! What a caller can rely on:
//! - What was answered is on disk, and survives a kill at any instant and a power cut.
//! - A commit over several trees is there wholly or not at all: a group of commits is one sled transaction over all trees
//!   that it touches, sealed in the log as one; recovery drops an unsealed one.
//! - A failed commit has left nothing, also when the disk kept a part of it: see `mend`.
//! - A record that cannot be read is set aside in the tree `quarantine` and counted; everything else goes on.
//! - The cost of a commit and of a read does not grow with the number of sessions.

mod backup;
mod blobs;
mod build;
mod check;
mod desk;
mod disk;
mod export;
mod fault;
mod folder;
mod frame;
mod job;
mod key;
mod letter;
mod life;
mod lines;
mod mend;
mod ports;
mod record;
mod seen;
mod shared;
mod stage;
mod store;
mod tree;
mod verbs;
mod writer;

pub use backup::Backup;
pub use check::{Report, TreeReport, check};
pub use export::Exported;
pub use fault::{OpenFault, VerbFault};
pub use store::{Health, OpenSettings, Store};
pub use verbs::{Compacted, Onto, Replaced, backup, compact, export, import, restore};
