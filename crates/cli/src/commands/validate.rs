//! `gnomon validate`: is a witness of some tool right?

use gnomon_report::witness;
use gnomon_verify::witness::{Validated, validate};

use crate::exit::{Failure, Status};
use crate::listener::Told;
use crate::output;
use crate::output_args::ValidateArgs;
use crate::request::request;

/// Validates a witness.
pub fn run(args: &ValidateArgs) -> Result<Status, Failure> {
    let path = &args.witness;
    let problem = |error: String| Failure::error(format!("{}: {error}", path.display()));
    let request = request(&args.check)?;
    let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
    let entries = witness::read(&text).map_err(|error| problem(error.to_string()))?;
    let answer = validate(&request, &entries, &Told::new(&args.check))?;
    let (line, status) = match answer {
        Validated::Confirmed => ("WITNESS: CONFIRMED".to_owned(), Status::True),
        Validated::Refuted(reason) => (format!("WITNESS: REFUTED ({reason})"), Status::False),
        Validated::Unknown(reason) => (format!("WITNESS: UNKNOWN ({reason})"), Status::Unknown),
    };
    output::result(&format!("{line}\n"));
    Ok(status)
}
