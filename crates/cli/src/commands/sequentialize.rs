//! `gnomon sequentialize`: a program with threads as a sequential one, in C.

use gnomon_budget::Budget;
use gnomon_cfront::translate::Models;
use gnomon_ir::emit_c::{EmitOptions, emit};
use gnomon_threads::{Options, Rounds, primitives, sequential, sequentialize};

use crate::exit::{Failure, Status};
use crate::thread_args::SequentializeArgs;
use crate::{load, output};

/// Prints the sequential program.
pub fn run(args: &SequentializeArgs) -> Result<Status, Failure> {
    let models = Models::Replaced(primitives::MODELS.to_owned());
    let program = load::program_with(&args.input, models)?;
    let options = Options {
        entry: args.entry.clone(),
        rounds: Rounds::Bounded(args.contexts),
        threads_per_call: args.threads_per_call.max(1),
        ..Options::default()
    };
    let made = sequentialize(&program, &options, &Budget::unlimited()).map_err(|refused| {
        let place = match refused.span.is_none() {
            true => String::new(),
            false => format!("{}: ", program.files.show(refused.span)),
        };
        Failure::error(format!("{place}{refused}"))
    })?;
    let alone = sequential::stand_alone(made);
    let c = emit(&alone, &EmitOptions::default()).map_err(Failure::error)?;
    output::to_file_or_stdout(args.output.as_deref(), &c)?;
    Ok(Status::True)
}
