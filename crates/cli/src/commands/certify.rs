//! `gnomon certify`: the independent checker of proofs.

use gnomon_certify::{Certificate, Outcome};
use gnomon_verify::certification::{Judged, certify};

use crate::exit::{Failure, Status};
use crate::listener::Told;
use crate::output;
use crate::output_args::CertifyArgs;
use crate::request::request;

/// Checks a certificate.
pub fn run(args: &CertifyArgs) -> Result<Status, Failure> {
    let path = &args.certificate;
    let problem = |error: String| Failure::error(format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
    let certificate = Certificate::read(&text).map_err(|error| problem(error.to_string()))?;
    let outcome = match certify(&request(&args.check)?, &certificate, &Told::new(&args.check))? {
        Judged::Said(outcome) => outcome,
        Judged::Other(mismatch) => return Err(problem(mismatch.to_string())),
    };
    let (line, status) = match outcome {
        Outcome::Accepted => ("accepted".to_owned(), Status::True),
        Outcome::AcceptedTrusting(facts) => {
            let line =
                format!("accepted, if {facts} facts of it about where pointers point are right");
            (line, Status::True)
        }
        Outcome::Refused(reason) => (format!("refused: {reason}"), Status::False),
        Outcome::NotDecided(reason) => (format!("not decided: {reason}"), Status::Unknown),
    };
    output::result(&format!("{line}\n"));
    Ok(status)
}
