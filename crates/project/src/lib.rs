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
