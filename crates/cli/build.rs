//! Lets the binary find libz3 after the build is gone.
//!
//! The loader looks beside the binary (an unpacked archive), in `../lib/gnomon` (the Debian package, the
//! wheel, `cargo install`), and where the build found it. `cargo install` copies nothing but binaries, so
//! a release build puts the library into `lib/gnomon` of Cargo's home, which is `../lib/gnomon` of what is
//! installed there, and is named besides for `cargo install --root`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The library by the name that the binary asks for: that of the file with a version.
const LIBRARY: &str = "libz3.so.";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for variable in ["CARGO_HOME", "HOME", "GNOMON_RELOCATABLE"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    rpath("$ORIGIN");
    rpath("$ORIGIN/../lib/gnomon");
    // Packages carry the library, and no directory of the machine that made them.
    if env::var_os("GNOMON_RELOCATABLE").is_some() {
        return;
    }
    let Ok(built_with) = env::var("DEP_GNOMON_Z3_LIB_DIR") else { return };
    if let Some(kept) = kept(Path::new(&built_with)) {
        rpath(&kept.display().to_string());
    }
    rpath(&built_with);
}

fn rpath(directory: &str) {
    println!("cargo::rustc-link-arg-bins=-Wl,-rpath,{directory}");
}

/// Where the library is kept for installed binaries, if it could be put there.
fn kept(built_with: &Path) -> Option<PathBuf> {
    if env::var("PROFILE").ok()? != "release" {
        return None;
    }
    let home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))?;
    let directory = home.join("lib").join("gnomon");
    let library =
        fs::read_dir(built_with).ok()?.filter_map(|entry| Some(entry.ok()?.path())).find(
            |path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(LIBRARY)),
        )?;
    let copy = directory.join(library.file_name()?);
    println!("cargo::rerun-if-changed={}", copy.display());
    if put(&library, &copy).is_err() {
        println!(
            "cargo::warning=cannot write {}: binaries find libz3 in {} only",
            copy.display(),
            built_with.display()
        );
        return None;
    }
    Some(directory)
}

/// The copy appears by one rename, so that whoever runs meanwhile has the old or the new one.
fn put(library: &Path, copy: &Path) -> std::io::Result<()> {
    let length = fs::metadata(library)?.len();
    if fs::metadata(copy).is_ok_and(|there| there.len() == length) {
        return Ok(());
    }
    let directory = copy.parent().ok_or(std::io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(directory)?;
    let partial = copy.with_extension(format!("{}.partial", std::process::id()));
    let done = fs::copy(library, &partial).and_then(|_| fs::rename(&partial, copy));
    let _ = fs::remove_file(&partial);
    done
}
