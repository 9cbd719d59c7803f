//! Programs for commands that look at them only: read by the front end's loader, with warnings shown.

use gnomon_cfront::load::{LoadError, load};
use gnomon_cfront::translate::Models;
use gnomon_ir::program::Program;

use crate::args::InputArgs;
use crate::exit::Failure;
use crate::output;

/// The program in the files. Warnings are shown; everything worse is a failure.
pub fn program(args: &InputArgs) -> Result<Program, Failure> {
    program_with(args, Models::None)
}

/// The same, with models of library functions.
pub fn program_with(args: &InputArgs, with: Models) -> Result<Program, Failure> {
    let loaded =
        load(&args.inputs(), &args.preprocess(), |_| with).map_err(|error| match error {
            LoadError::Rejected(text) => Failure::rendered(text),
            other => Failure::error(other),
        })?;
    if !loaded.warnings.is_empty() {
        output::message(loaded.warnings.trim_end());
    }
    Ok(loaded.program)
}
