//! `gnomon replay`: the compiled program, executed with the inputs of a failing run.

mod execution;

use std::collections::BTreeSet;
use std::fs;

use gnomon_engine::property::ErrorSites;
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::trace::InputTrace;
use gnomon_report::harness::{Failing, Harness, NotReplayable, harness};
use gnomon_report::model::{Answer, Execution, Report};
use gnomon_verify::decide::Options;

use super::check::outputs::description_budget;
use super::check::{Task, requested};
use crate::args::CheckArgs;
use crate::exit::{Failure, Status};
use crate::output;
use crate::output_args::ReplayArgs;

pub use execution::execute;

/// Replays recorded runs.
pub fn run(args: &ReplayArgs) -> Result<Status, Failure> {
    let traces = recorded(args)?;
    let Task { program, options, inserted, .. } = requested(&args.check)?;
    let mut status = Status::False;
    for inputs in &traces {
        let (options, inserted) = (&options, &inserted);
        let attempt = Attempt { program: &program, inserted, options, args: &args.check, inputs };
        let outcome = match attempt.harness()? {
            Ok(harness) => {
                if let Some(file) = &args.harness {
                    output::to_file_or_stdout(Some(file), &harness.text)?;
                }
                if args.no_run {
                    continue;
                }
                execute(&harness, &args.check.input)?
            }
            Err(reason) => Execution::NotConfirmed(reason.to_string()),
        };
        output::result(&format!("{}\n", text(&outcome)));
        if outcome != Execution::Confirmed {
            status = Status::Unknown;
        }
    }
    Ok(if args.no_run { Status::True } else { status })
}

/// What an execution showed, for people.
pub fn text(execution: &Execution) -> String {
    match execution {
        Execution::NotTried => "not executed".to_owned(),
        Execution::Confirmed => "confirmed by execution".to_owned(),
        Execution::NotConfirmed(reason) => format!("not confirmed by execution: {reason}"),
    }
}

/// The inputs of all failing runs in a file.
fn recorded(args: &ReplayArgs) -> Result<Vec<InputTrace>, Failure> {
    let path = &args.inputs;
    let problem = |error: String| Failure::error(format!("{}: {error}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
    if let Ok(trace) = serde_json::from_str::<InputTrace>(&text) {
        return Ok(vec![trace]);
    }
    let report: Report = serde_json::from_str(&text).map_err(|error| problem(error.to_string()))?;
    let runs = report.findings.into_iter().filter_map(|finding| match finding.answer {
        Answer::Violated(run) => Some(run.inputs),
        _ => None,
    });
    let traces: Vec<InputTrace> = runs.collect();
    if traces.is_empty() {
        return Err(problem("there is no failing run in this report".to_owned()));
    }
    Ok(traces)
}

/// A failing run that is to be executed.
pub struct Attempt<'a> {
    /// The program, with checks.
    pub program: &'a Program,
    /// Edges of checks, which nobody wrote.
    pub inserted: &'a BTreeSet<(FuncId, EdgeId)>,
    /// What was checked.
    pub options: &'a Options,
    /// The command line.
    pub args: &'a CheckArgs,
    /// What the run takes from outside.
    pub inputs: &'a InputTrace,
}

impl Attempt<'_> {
    /// The C file that makes the program fail, or why there is none.
    pub fn harness(&self) -> Result<Result<Harness, NotReplayable>, Failure> {
        if self.args.input.files.iter().any(|file| file.extension().is_some_and(|e| e == "ir")) {
            return Ok(Err(NotReplayable::NotRepeated("the program is not given as C".into())));
        }
        let sites = ErrorSites::of(self.program, &self.options.property).map_err(Failure::error)?;
        let failing = Failing {
            program: self.program,
            entry: &self.options.entry,
            sites: &sites,
            inserted: self.inserted,
            inputs: self.inputs,
        };
        Ok(harness(&failing, &description_budget()))
    }
}
