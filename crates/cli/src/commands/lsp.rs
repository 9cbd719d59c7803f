//! `gnomon lsp`: a language server on standard input and output.

use std::io::{self, BufReader, Read};

use gnomon_lsp::job::{self, Job};
use gnomon_lsp::processes::Launcher;

use crate::args::LspArgs;
use crate::exit::{Failure, Status};

/// Serves an editor, or does one of the server's checks.
pub fn run(args: &LspArgs) -> Result<Status, Failure> {
    if args.worker {
        return worker();
    }
    let program = std::env::current_exe().map_err(Failure::error)?;
    let launcher = Launcher { program, arguments: vec!["lsp".to_owned(), "--worker".to_owned()] };
    let in_order = gnomon_lsp::serve(BufReader::new(io::stdin()), io::stdout().lock(), launcher);
    // The protocol wants 1 from a server that is left without a farewell.
    Ok(if in_order { Status::True } else { Status::False })
}

fn worker() -> Result<Status, Failure> {
    let mut text = Vec::new();
    io::stdin().read_to_end(&mut text).map_err(Failure::error)?;
    let job: Job = serde_json::from_slice(&text).map_err(Failure::error)?;
    job::run(&job, &mut io::stdout()).map_err(Failure::error)?;
    Ok(Status::True)
}
