//! Lists the catalogue's files, so that a provider is one more file and no line of code.
#![allow(clippy::disallowed_methods, reason = "cargo tells a build script its places by the environment")]

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=src/catalogue");
    let root = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let out = env::var("OUT_DIR").unwrap_or_default();
    let mut files: Vec<String> = fs::read_dir(Path::new(&root).join("src/catalogue"))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().display().to_string()))
        .filter(|path| path.ends_with(".json"))
        .collect();
    files.sort();
    let texts: String = files.iter().map(|path| format!("include_str!({path:?}),\n")).collect();
    let list = format!("&[\n{texts}]\n");
    if let Err(error) = fs::write(Path::new(&out).join("shelves.rs"), list) {
        println!("cargo::error=the list of catalogue files was not written: {error}");
    }
}
