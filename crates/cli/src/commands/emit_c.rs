//! `gnomon emit-c`: the model as C.

use gnomon_ir::emit_c::{EmitOptions, emit};

use crate::args::EmitCArgs;
use crate::exit::{Failure, Status};
use crate::{load, output};

/// Prints the model of a program as C.
pub fn run(args: &EmitCArgs) -> Result<Status, Failure> {
    let program = load::program(&args.input)?;
    let options = EmitOptions { line_directives: args.lines };
    let c = emit(&program, &options).map_err(Failure::error)?;
    output::to_file_or_stdout(args.output.as_deref(), &c)?;
    Ok(Status::True)
}
