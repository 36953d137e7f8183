//! Where the program under trial is: beside the harness in the target folder, built when it is missing or may be old.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

/// Whether a program that is there is good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Cargo looks whether it is up to date.
    Checked,
    /// Whatever is there: cargo has just built the whole workspace.
    AsItIs,
}

/// The `pensive` of the profile that this harness was built with; `PENSIVE_BIN` names another one.
pub fn pensive(freshness: Freshness) -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("PENSIVE_BIN") {
        return Ok(named.into());
    }
    let folder = target_folder()?;
    let program = folder.join("pensive");
    if freshness == Freshness::Checked || !program.exists() {
        build(&folder)?;
    }
    Ok(program)
}

/// `target/<profile>`: tests and benches live one folder deeper.
fn target_folder() -> Result<PathBuf> {
    let me = std::env::current_exe().context("where this program is")?;
    let folder = me.parent().context("a program lies in a folder")?;
    let inner = folder.file_name().is_some_and(|name| name == "deps" || name == "examples");
    Ok(if inner { folder.parent().unwrap_or(folder) } else { folder }.to_owned())
}

fn build(folder: &Path) -> Result<()> {
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Both packages, so that the features of what they share are those of the build that made this harness.
    let status = Command::new(cargo)
        .args([
            "build",
            "--quiet",
            "--profile",
            profile,
            "-p",
            "pensive",
            "-p",
            "pensive-tests",
            "--bin",
            "pensive",
        ])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .status()
        .context("cargo could not be started")?;
    if !status.success() {
        bail!("pensive could not be built ({status})");
    }
    Ok(())
}
