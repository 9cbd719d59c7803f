//! `gnomon lsp`: a language server on standard input and output.

use std::fs;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gnomon_lsp::job::{self, Job};
use gnomon_lsp::kept::Keeping;
use gnomon_lsp::processes::Launcher;

use crate::args::LspArgs;
use crate::exit::{Failure, Status};

/// Serves an editor, or does one of the server's checks.
pub fn run(args: &LspArgs) -> Result<Status, Failure> {
    if args.worker {
        return worker();
    }
    let program = std::env::current_exe().map_err(Failure::error)?;
    let keeping = keeping(&program);
    let arguments = vec!["lsp".to_owned(), "--worker".to_owned()];
    let launcher = Launcher { program, arguments, keeping };
    let in_order = gnomon_lsp::serve(BufReader::new(io::stdin()), io::stdout().lock(), launcher);
    // The protocol wants 1 from a server that is left without a farewell.
    Ok(if in_order { Status::True } else { Status::False })
}

/// Outcomes are kept so long.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Where outcomes are kept: in the user's directory for caches, if there is one.
fn keeping(program: &Path) -> Option<Keeping> {
    let of = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|at| at.is_absolute());
    let caches = of("XDG_CACHE_HOME").or_else(|| Some(of("HOME")?.join(".cache")))?;
    let directory = caches.join("gnomon").join("editor");
    forget_old(&directory);
    // Hashing the program itself would keep the editor waiting; a build that replaces it has another time.
    let about = fs::metadata(program).ok()?;
    let moment = about.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let build = format!("{} {} {}", env!("CARGO_PKG_VERSION"), about.len(), moment.as_nanos());
    Some(Keeping { directory: directory.to_str()?.to_owned(), build })
}

fn forget_old(directory: &Path) {
    let entries = |directory: &Path| fs::read_dir(directory).into_iter().flatten().flatten();
    for file in entries(directory).flat_map(|folder| entries(&folder.path())) {
        let modified = file.metadata().ok().and_then(|about| about.modified().ok());
        if modified.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > KEPT) {
            // Somebody else may have removed it.
            let _ = fs::remove_file(file.path());
        }
    }
}

fn worker() -> Result<Status, Failure> {
    let mut text = Vec::new();
    io::stdin().read_to_end(&mut text).map_err(Failure::error)?;
    let job: Job = serde_json::from_slice(&text).map_err(Failure::error)?;
    job::run(&job, &mut io::stdout()).map_err(Failure::error)?;
    Ok(Status::True)
}
