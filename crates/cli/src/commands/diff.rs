//! `gnomon diff OLD NEW`: which verdicts changed between two runs.

use gnomon_project::difference::Difference;
use gnomon_project::results::Results;

use crate::exit::{Failure, Status};
use crate::output;
use crate::project_args::DiffArgs;

/// Compares two runs.
pub fn run(args: &DiffArgs) -> Result<Status, Failure> {
    let old = Results::read(&args.old).map_err(Failure::error)?;
    let new = Results::read(&args.new).map_err(Failure::error)?;
    let difference = Difference::of(&old, &new);
    output::result_with_sources(&difference.to_string());
    Ok(if difference.is_empty() { Status::True } else { Status::False })
}
