//! Provides libz3 to the linker.
//!
//! The library comes from the Python package of Z3, because compiling Z3 takes half an hour and
//! needs a newer compiler than stable distributions have, and because distributions ship versions
//! that do not fit the bindings. It is kept in a cache directory outside the target directory, so
//! that a clean build does not download it again:
//!
//! 1. `Z3_LIB_DIR`, if set, is the directory that holds the library; nothing is downloaded.
//! 2. Else `$GNOMON_CACHE_DIR`, `$XDG_CACHE_HOME/gnomon` or `~/.cache/gnomon` is looked at, and
//!    filled with `python3 -m pip download` when the library is not there yet.
//!
//! Links to the library are put into `OUT_DIR` and that directory is named as link search path:
//! Cargo adds search paths inside the target directory to the loader path of everything it runs
//! (tests, examples, `cargo run`), so that no dependent crate needs an rpath of its own. The
//! directory itself is passed on as `DEP_GNOMON_Z3_LIB_DIR` for the one binary that is installed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const PACKAGE: &str = "z3-solver";
const VERSION: &str = "5.4.0.0";

fn main() -> ExitCode {
    for variable in ["Z3_LIB_DIR", "GNOMON_CACHE_DIR", "XDG_CACHE_HOME", "HOME"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    match provide() {
        Ok(directory) => {
            println!("cargo::metadata=lib_dir={}", directory.display());
            // The worker program is also started outside of Cargo.
            println!("cargo::rustc-link-arg-bins=-Wl,-rpath,{}", directory.display());
            println!("cargo::rustc-link-arg-bins=-Wl,-rpath,$ORIGIN");
            ExitCode::SUCCESS
        }
        Err(reason) => {
            println!(
                "cargo::error=cannot provide libz3 {VERSION}: {reason}. Either make `python3 -m \
                 pip download {PACKAGE}=={VERSION}` work, or set Z3_LIB_DIR to a directory that \
                 holds libz3 5.4"
            );
            ExitCode::FAILURE
        }
    }
}

fn provide() -> Result<PathBuf, String> {
    let directory = match env::var_os("Z3_LIB_DIR") {
        Some(directory) => PathBuf::from(directory),
        None => cached()?,
    };
    let libraries = libraries_in(&directory)?;
    if libraries.is_empty() {
        return Err(format!("{} holds no libz3", directory.display()));
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    for library in &libraries {
        let name = library.file_name().ok_or("a library without a name")?;
        link(library, &out.join(name))?;
        println!("cargo::rerun-if-changed={}", library.display());
    }
    println!("cargo::rustc-link-search=native={}", out.display());
    Ok(directory)
}

/// The files named `libz3*` in `directory`, sorted.
fn libraries_in(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(directory).map_err(|e| at(directory, &e))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libz3"))
        })
        .collect();
    found.sort();
    Ok(found)
}

fn cached() -> Result<PathBuf, String> {
    let cache = cache_directory()?;
    let target = env::var("TARGET").map_err(|e| e.to_string())?;
    let directory = cache.join(format!("z3-{VERSION}-{target}"));
    if directory.is_dir() {
        return Ok(directory);
    }
    fs::create_dir_all(&cache).map_err(|e| at(&cache, &e))?;
    // Everything happens in a directory of this process, and the result appears by one rename:
    // two builds at once both succeed, and an interrupted one leaves nothing that looks complete.
    let work = cache.join(format!("z3-{VERSION}-{target}.{}.partial", std::process::id()));
    let result = download(&work).and_then(|libraries| match fs::rename(libraries, &directory) {
        Err(_) if directory.is_dir() => Ok(()),
        other => other.map_err(|e| at(&directory, &e)),
    });
    let _ = fs::remove_dir_all(&work);
    result.map(|()| directory)
}

fn cache_directory() -> Result<PathBuf, String> {
    let variable = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    variable("GNOMON_CACHE_DIR")
        .or_else(|| variable("XDG_CACHE_HOME").map(|d| d.join("gnomon")))
        .or_else(|| variable("HOME").map(|d| d.join(".cache").join("gnomon")))
        .ok_or_else(|| "none of GNOMON_CACHE_DIR, XDG_CACHE_HOME and HOME is set".into())
}

/// Downloads and unpacks the package under `work`; gives the directory with the libraries.
fn download(work: &Path) -> Result<PathBuf, String> {
    fs::create_dir_all(work).map_err(|e| at(work, &e))?;
    run(Command::new("python3")
        .args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest"])
        .arg(work)
        .arg(format!("{PACKAGE}=={VERSION}")))?;
    let wheel = fs::read_dir(work)
        .map_err(|e| at(work, &e))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|path| path.extension().is_some_and(|e| e == "whl"))
        .ok_or("pip downloaded no wheel")?;
    let unpacked = work.join("unpacked");
    run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&unpacked))?;
    let libraries = unpacked.join("z3").join("lib");
    if libraries_in(&libraries)?.is_empty() {
        return Err(format!("{} holds no libz3", wheel.display()));
    }
    Ok(libraries)
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| format!("{command:?} did not start: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
    Err(format!("{command:?} failed: {complaint}"))
}

/// Makes `to` the library `from`, replacing what an earlier build left there.
fn link(from: &Path, to: &Path) -> Result<(), String> {
    let _ = fs::remove_file(to);
    #[cfg(unix)]
    let result = std::os::unix::fs::symlink(from, to);
    #[cfg(not(unix))]
    let result = fs::copy(from, to).map(|_| ());
    result.map_err(|e| at(to, &e))
}

fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
