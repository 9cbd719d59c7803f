//! Reports of runs that others have found: one that reaches an error, or all of them.

use std::cell::Cell;
use std::rc::Rc;

use gnomon_budget::Budget;
use gnomon_ir::interp::{RunOptions, TraceSource};
use gnomon_ir::program::Program;
use gnomon_ir::trace::InputTrace;

use super::{BadRequest, Options, Report, covered, entry, real};
use crate::outside;
use crate::property::ErrorSites;
use crate::replay::{self, Follower, observe};
use crate::verdict::{Proof, Reason, Verdict};

/// The report of the run with these inputs, if it reaches an error.
pub fn executed(
    program: &Program,
    options: &Options,
    inputs: InputTrace,
    budget: &Budget,
) -> Result<Option<Report>, BadRequest> {
    let entry = entry(program, options)?;
    let sites = ErrorSites::of(program, &options.property)?;
    let mut follower = Follower::new(&sites, Rc::new(Cell::new(0)), Vec::new());
    let run = observe(program, entry, &mut TraceSource::new(inputs), &mut follower, budget);
    Ok(follower.counterexample(run).map(|found| {
        let assumptions = outside::assumptions_of_run(program, &found);
        Report { assumptions, ..Report::of(real(program, Box::new(found))) }
    }))
}

/// How the interpreter runs the program, so that errors end runs.
pub fn run_options(program: &Program, options: &Options) -> Result<RunOptions, BadRequest> {
    let sites = ErrorSites::of(program, &options.property)?;
    Ok(replay::run_options(program, entry(program, options)?, &sites))
}

/// The report of a program all of whose executions were done without an error.
pub fn all_executed(program: &Program, states: u64) -> Report {
    let verdict = match covered(program) {
        Ok(()) if outside::may_answer(program) => {
            let why = "functions of the library may answer otherwise".to_owned();
            Verdict::Unknown(Reason::NoProgress(why))
        }
        Ok(()) => Verdict::True(Proof::AllStates { states }),
        Err(reason) => Verdict::Unknown(reason),
    };
    Report { assumptions: outside::assumptions(program), ..Report::of(verdict) }
}
