//! `gnomon check`: can the program reach an error?

mod columns;
mod outputs;
mod page;
mod specs;
mod text;

use std::sync::Arc;

use gnomon_report::model::{Answer, VerdictName};
use gnomon_verify::{Answers, Outcome, VerifyError, verify};

pub(super) use self::text::statistics;

use crate::args::CheckArgs;
use crate::exit::{Failure, Status};
use crate::listener::Told;
use crate::output;
use crate::output::Recorded;
use crate::output_args::OutputArgs;
use crate::request::check_request;
use crate::thread_args::ThreadArgs;

/// Checks a program.
pub fn run(args: &CheckArgs, wanted: &OutputArgs, threads: &ThreadArgs) -> Result<Status, Failure> {
    let request = check_request(args, wanted, threads)?;
    let recorded = wanted.html.as_ref().map(|_| Arc::new(Recorded::new()));
    let outcome = verify(&request, &Told::of_check(args, recorded.clone()));
    // Takes back the line that shows what is being done.
    recorded.iter().for_each(|recorded| recorded.pass_on_to(None));
    let mut outcome = match outcome {
        Ok(outcome) => outcome,
        Err(VerifyError::ProofRefused { reason, certificate }) => {
            return outputs::refused(&reason, &certificate, wanted);
        }
        Err(error) => return Err(error.into()),
    };
    if outcome.certificate.is_some()
        && let Some(Answer::Proved(proof)) =
            outcome.report.findings.first_mut().map(|finding| &mut finding.answer)
    {
        proof.certificate_file = wanted.certificate.as_ref().map(|file| file.display().to_string());
    }
    if let Some(projection) = &outcome.projection {
        output::result(&super::project::text_of(&outcome.program, projection));
    }
    let times = recorded.map(|recorded| recorded.times()).unwrap_or_default();
    outputs::write(&outcome, wanted, times)?;
    output::result(&text_of(&outcome, args));
    Ok(match outcome.verdict() {
        VerdictName::True => Status::True,
        VerdictName::False => Status::False,
        VerdictName::Unknown => Status::Unknown,
    })
}

fn text_of(outcome: &Outcome, args: &CheckArgs) -> String {
    match &outcome.answers {
        Answers::Whole(engine) => text::whole(outcome, engine, args),
        Answers::Each(sites) => text::each(outcome, sites, args),
        Answers::Groups(groups) => specs::text(outcome, groups, args),
    }
}
