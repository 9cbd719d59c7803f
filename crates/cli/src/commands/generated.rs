//! `gnomon completions` and `gnomon man`: what packages install beside the program, made from the arguments.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::exit::{Failure, Status};
use crate::output;

/// Prints what a shell needs to complete command lines.
pub fn completions(shell: Shell) -> Result<Status, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "gnomon", &mut text);
    output::result(&String::from_utf8_lossy(&text));
    Ok(Status::True)
}

/// Writes a page for `gnomon` and for each of its commands.
pub fn pages(directory: &Path) -> Result<Status, Failure> {
    let problem = |error| Failure::error(format!("{}: {error}", directory.display()));
    std::fs::create_dir_all(directory).map_err(problem)?;
    // The loader's version of the solver is not that of the machine that reads the page.
    let command = Cli::command().long_version(env!("CARGO_PKG_VERSION"));
    clap_mangen::generate_to(command, directory).map_err(problem)?;
    Ok(Status::True)
}
