//! ARCHITECTURE.md is true, where a program can tell: its tables are read and compared with the crates.
//!
//! - [`dependencies`]: the crates and what they depend on, by `cargo metadata`;
//! - [`sources`]: who reads the clock, prints, reaches outside of the process, or is `unsafe`.

mod dependencies;
mod document;
mod sources;

use std::path::{Path, PathBuf};

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
