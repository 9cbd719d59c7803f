//! `gnomon replay`: the compiled program, executed with the inputs of a failing run.

use std::fs;

use gnomon_ir::trace::InputTrace;
use gnomon_report::model::{Answer, Execution, Report};
use gnomon_verify::confirm::replay;

use crate::exit::{Failure, Status};
use crate::listener::Told;
use crate::output;
use crate::output_args::ReplayArgs;
use crate::request::request;

/// Replays recorded runs.
pub fn run(args: &ReplayArgs) -> Result<Status, Failure> {
    let traces = recorded(args)?;
    let mut request = request(&args.check)?;
    request.wanted.execution = !args.no_run;
    let mut status = Status::False;
    for replayed in replay(&request, &traces, &Told::new(&args.check))? {
        if let (Some(file), Some(text)) = (&args.harness, &replayed.harness) {
            output::to_file_or_stdout(Some(file), text)?;
        }
        if args.no_run && replayed.harness.is_some() {
            continue;
        }
        output::result(&format!("{}\n", text(&replayed.execution)));
        if replayed.execution != Execution::Confirmed {
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
