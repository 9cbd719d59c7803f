//! Projects, not files: what a build makes is checked in units of work that are remembered.
//!
//! ```text
//! compile_commands.json, link_commands.json, gnomon.toml
//!    commands, capture, config
//!      -> translation units as the compiler sees them   sources
//!      -> programs and libraries                        link
//!      -> units of work with keys                       plan, unit
//!      -> attempts by workers, round by round           driver, pool, worker, store
//!      -> findings, against the last run and a baseline results, baseline, difference
//!      -> page, SARIF, JSON, JUnit                      forms
//! ```
//!
//! Everything that is decided is decided by [`gnomon_verify`]; here is only decided what is asked, by whom,
//! when, and whether it was asked before. A [`unit`] is a part of a program with an entry and a group of
//! properties; its key is a hash of exactly that, so a result is valid wherever the key is the same.
//!
//! Invariants: nothing is printed, a [`Watcher`](driver::Watcher) is told; the process is never ended.
//! What one worker does costs its unit at most. Results appear complete or not at all.

pub mod baseline;
pub mod capture;
pub mod commands;
pub mod config;
pub mod difference;
pub mod driver;
pub mod forms;
pub mod link;
pub mod plan;
pub mod pool;
pub mod record;
pub mod results;
pub mod sources;
pub mod store;
pub mod unit;
pub mod worker;

use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Why a project cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// A file or directory cannot be used.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        problem: String,
    },
    /// There are no commands of a build.
    #[error(
        "{} is not there: write it with `gnomon capture -- make` (or what builds the project), or let the \
         build system write it (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)",
        path.display()
    )]
    NoCommands {
        /// The file.
        path: PathBuf,
    },
    /// A file is not written right.
    #[error("{}: {}", path.display(), problem.trim_end())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the line.
        problem: String,
    },
    /// A build could not be watched.
    #[error("{0}")]
    Capture(String),
    /// The user has stopped it before there was anything to report.
    #[error("stopped before anything was checked")]
    Stopped,
    /// A property automaton is not there, or is not written right.
    #[error(transparent)]
    Spec(#[from] gnomon_verify::VerifyError),
    /// Nobody can do the work.
    #[error("{0}")]
    Pool(String),
}

impl ProjectError {
    /// A file or directory cannot be used.
    pub fn file(path: &Path, error: io::Error) -> Self {
        Self::File { path: path.to_owned(), problem: error.to_string() }
    }
}

/// Writes a file that is complete or not there at all, whatever happens meanwhile; what was there before stays until
/// then. What is no file (a terminal, a pipe) is written as it is.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if std::fs::metadata(&path).is_ok_and(|data| !data.is_file()) {
        return std::fs::write(&path, text);
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".draft-{}", std::process::id()));
    let draft = path.with_file_name(name);
    let written = std::fs::write(&draft, text).and_then(|()| std::fs::rename(&draft, &path));
    if written.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    written
}

/// Which build of Gnomon a program is: a hash of its bytes. Results of another build are not taken over.
pub fn build_of(program: &Path) -> Result<String, ProjectError> {
    let problem = |error| ProjectError::file(program, error);
    let mut file = std::fs::File::open(program).map_err(problem)?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; 1 << 20];
    loop {
        let count = io::Read::read(&mut file, &mut piece).map_err(problem)?;
        if count == 0 {
            break;
        }
        hash.update(&piece[..count]);
    }
    Ok(unit::hex(&hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_written_leaves_what_was_there() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("results.json");
        write_whole(&file, "old").expect("written");
        // In the place of the draft is a directory: as on a full disk, it cannot be written.
        let draft = directory.path().join(format!("results.json.draft-{}", std::process::id()));
        std::fs::create_dir(&draft).expect("a directory");
        write_whole(&file, "new").expect_err("not written");
        assert_eq!(std::fs::read_to_string(&file).expect("a file"), "old");
        std::fs::remove_dir(&draft).expect("removed");
        write_whole(&file, "new").expect("written");
        assert_eq!(std::fs::read_to_string(&file).expect("a file"), "new");
        assert_eq!(std::fs::read_dir(directory.path()).expect("entries").count(), 1);
    }
}
