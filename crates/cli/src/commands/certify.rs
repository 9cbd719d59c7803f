//! `gnomon certify`: the independent checker of proofs.

use gnomon_budget::Budget;
use gnomon_certify::{Certificate, Outcome};

use super::check::certificate::{CHECK_TIME, checked, program_hash};
use super::check::{Task, requested};
use crate::exit::{Failure, Status};
use crate::output;
use crate::output_args::CertifyArgs;

/// Checks a certificate.
pub fn run(args: &CertifyArgs) -> Result<Status, Failure> {
    let path = &args.certificate;
    let problem = |error: String| Failure::error(format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
    let certificate: Certificate =
        serde_json::from_str(&text).map_err(|error| problem(error.to_string()))?;
    let Task { program, options, .. } = requested(&args.check)?;
    if certificate.program != program_hash(&program) {
        return Err(problem("the certificate is of another program, or another version".into()));
    }
    let budget = Budget::unlimited().with_time(args.check.time.min(CHECK_TIME));
    let outcome = checked(&program, &options, &certificate, &budget)?;
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
