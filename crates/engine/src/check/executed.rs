//! Reports of runs that others have found: one that reaches an error, or all of them.

use std::cell::Cell;
use std::rc::Rc;

use gnomon_budget::Budget;
use gnomon_ir::interp::{Asked, CallEffect, InputSource, RunOptions, TraceSource, ZeroSource};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::Program;
use gnomon_ir::trace::{ArgumentValue, InputTrace};
use gnomon_ir::types::{TypeId, Types};

use super::{BadRequest, Options, Report, entry, holds_everywhere, real};
use crate::assumption::Assumption;
use crate::facts::Facts;
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
    let mut source = Continued(TraceSource::new(inputs));
    let run = observe(program, entry, &mut source, &mut follower, budget);
    Ok(follower.counterexample(program, run).map(|found| {
        let assumptions = outside::assumptions_of_run(program, &found);
        Report { assumptions, ..Report::of(real(program, Box::new(found))) }
    }))
}

/// What was recorded, and zeros afterwards: the run that was recorded may have ended before this one,
/// at a check that this program does not have.
struct Continued(TraceSource);

impl InputSource for Continued {
    fn nondet(&mut self, asked: &Asked<'_>) -> Option<u128> {
        self.0.nondet(asked).or_else(|| ZeroSource.nondet(asked))
    }

    fn choice(&mut self, open: u32) -> Option<u32> {
        self.0.choice(open).or_else(|| ZeroSource.choice(open))
    }

    fn allocation(&mut self, bytes: u64) -> Option<bool> {
        self.0.allocation(bytes).or_else(|| ZeroSource.allocation(bytes))
    }

    fn call(&mut self, function: &str, result: Option<Scalar>) -> Option<CallEffect> {
        self.0.call(function, result)
    }

    fn environment(&mut self, function: &str, result: Scalar) -> Option<u128> {
        self.0.environment(function, result)
    }

    fn argument(&mut self, name: &str, types: &Types, ty: TypeId) -> Option<ArgumentValue> {
        self.0.argument(name, types, ty).or_else(|| ZeroSource.argument(name, types, ty))
    }
}

/// How the interpreter runs the program, so that errors end runs.
pub fn run_options(program: &Program, options: &Options) -> Result<RunOptions, BadRequest> {
    let sites = ErrorSites::of(program, &options.property)?;
    Ok(replay::run_options(program, entry(program, options)?, &sites))
}

/// A program of which all runs were looked at, where objects lie at the addresses that were chosen for them.
#[derive(Clone, Copy)]
pub struct AllRuns<'a> {
    /// The program whose runs they were.
    pub model: &'a Facts<'a>,
    /// The program that this one stands for, if it is another one. What is found in one of them only comes from what
    /// the model adds, or from what is not known of the original.
    pub original: Option<&'a Facts<'a>>,
    /// For looking at them.
    pub budget: &'a Budget,
}

impl AllRuns<'_> {
    /// There is one run, which was executed without an error.
    pub fn only_run(self) -> Report {
        self.report(Proof::OnlyRun)
    }

    /// No view of threads shows an error; what runs do behind a wrong access to memory is not looked at.
    pub fn views(self, views: u64) -> Report {
        let mut report = self.report(Proof::Views { views });
        report.assumptions.push(Assumption::AccessesInside);
        report
    }

    /// All schedules were executed without an error.
    pub fn schedules(self, states: u64) -> Report {
        let mut report = self.report(Proof::AllStates { states });
        let may_answer = outside::may_answer(self.model.program());
        if may_answer && matches!(report.verdict, Verdict::True(_)) {
            let why = "functions of the library may answer otherwise";
            report.verdict = Verdict::Unknown(Reason::not_enough(why));
        }
        report
    }

    fn report(self, proof: Proof) -> Report {
        let Self { model, original, budget } = self;
        let holds = match (holds_everywhere(model), original) {
            (Err(Reason::OneLayoutOnly { .. }), Some(original)) => {
                let decision = original.address_decision();
                decision.map_or(Ok(()), |span| {
                    let at = original.program().files.position(span);
                    Err(Reason::OneLayoutOnly { at })
                })
            }
            (holds, _) => holds,
        };
        let verdict = match holds {
            Ok(()) => Verdict::True(proof),
            Err(reason) => Verdict::Unknown(reason),
        };
        let mut assumptions = outside::assumptions(model.program());
        if [Some(model), original]
            .into_iter()
            .flatten()
            .all(|facts| facts.compares_dangling(budget))
        {
            assumptions.push(Assumption::DanglingNotCompared);
        }
        Report { assumptions, ..Report::of(verdict) }
    }
}
