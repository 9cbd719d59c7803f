//! `gnomon run`: the interpreter.

mod answers;

use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_ir::interp::{
    Arguments, InputSource, Outcome, OutputSink, Run, RunOptions, SeedSource, Site, Stream,
    TraceSource, interpret,
};
use gnomon_ir::program::Program;
use gnomon_ir::trace::InputTrace;

use crate::args::RunArgs;
use crate::exit::{Failure, Status};
use crate::{load, output};
use answers::AnswerSource;

/// Runs a program.
pub fn run(args: &RunArgs) -> Result<Status, Failure> {
    let mut source = source(args)?;
    let program = load::program(&args.input)?;
    let has_body =
        program.find_function(&args.entry).is_some_and(|f| program.funcs[f].body.is_some());
    if !has_body {
        return Err(Failure::error(format!("there is no function {} to run", args.entry)));
    }
    let name = args.input.files[0].clone().into_os_string().into_vec();
    let given = args.program_args.iter().map(|arg| arg.clone().into_vec());
    let options = RunOptions {
        entry: args.entry.clone(),
        arguments: Arguments::CommandLine(std::iter::once(name).chain(given).collect()),
        ..RunOptions::default()
    };
    let budget = match args.time {
        Some(seconds) => Budget::unlimited().with_time(Duration::from_secs(seconds)),
        None => Budget::unlimited(),
    };
    let mut sink = Streams { stdout: io::BufWriter::new(io::stdout()) };
    let run = interpret(&program, &options, source.as_mut(), &mut sink, &budget);
    let _ = sink.stdout.flush();
    if let Some(path) = &args.save_inputs {
        let json = serde_json::to_string_pretty(&run.trace).map_err(Failure::error)?;
        output::to_file_or_stdout(Some(path), &format!("{json}\n"))?;
    }
    Ok(report(&program, &run, args.exit_code))
}

/// Where the answers come from.
fn source(args: &RunArgs) -> Result<Box<dyn InputSource>, Failure> {
    if let Some(path) = &args.trace {
        let problem = |error: String| Failure::error(format!("{}: {error}", path.display()));
        let json = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
        let trace: InputTrace =
            serde_json::from_str(&json).map_err(|error| problem(error.to_string()))?;
        return Ok(Box::new(TraceSource::new(trace)));
    }
    if let Some(seed) = args.seed {
        return Ok(Box::new(SeedSource::new(seed).answering_calls()));
    }
    if args.stdin {
        let mut text = String::new();
        let read = io::stdin().read_to_string(&mut text);
        read.map_err(|error| Failure::error(format!("standard input: {error}")))?;
        let list: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        return Ok(Box::new(AnswerSource::new(&list)?));
    }
    Ok(Box::new(AnswerSource::new(&args.answers)?))
}

/// The program's streams are ours.
struct Streams {
    stdout: io::BufWriter<io::Stdout>,
}

impl OutputSink for Streams {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        // A reader that went away is not the program's error.
        let _ = match stream {
            Stream::Stdout => self.stdout.write_all(bytes),
            Stream::Stderr => self.stdout.flush().and_then(|()| io::stderr().write_all(bytes)),
        };
    }
}

/// Says how the run went.
fn report(program: &Program, run: &Run, pass_through: bool) -> Status {
    for undefined in &run.noted {
        let place = place(program, undefined.site);
        let (kind, message) = (undefined.kind.name(), undefined.kind.message());
        output::message(&format!("{place}undefined behaviour: {message} [{kind}]"));
    }
    let (status, text) = match &run.outcome {
        Outcome::Exit(code) => {
            // What a process returns is the lowest byte.
            let status =
                if pass_through { Status::PassedThrough(*code as u8) } else { Status::True };
            (status, format!("the program ended with status {code}"))
        }
        Outcome::Error { function, site } => (
            Status::False,
            format!("{}an error was reached: {function} was called", place(program, *site)),
        ),
        Outcome::Abort { site } => {
            (Status::False, format!("{}the program aborted", place(program, *site)))
        }
        Outcome::Undefined(undefined) => {
            let (kind, message) = (undefined.kind.name(), undefined.kind.message());
            let place = place(program, undefined.site);
            (Status::False, format!("{place}undefined behaviour: {message} [{kind}]"))
        }
        Outcome::AssumptionFailed { site } => {
            (Status::Unknown, format!("{}an assumption does not hold", place(program, *site)))
        }
        Outcome::OutOfBudget(limit) => (Status::Unknown, format!("the run was given up: {limit}")),
        Outcome::InputsExhausted { asked, site } => (
            Status::Unknown,
            format!(
                "{}the run needs {asked}, and no answer is left: give more with --input, or use \
                 --seed",
                place(program, *site)
            ),
        ),
        Outcome::Unsupported { what, site } => (
            Status::Unknown,
            format!("{}the interpreter does not have {what}", place(program, *site)),
        ),
    };
    output::message(&text);
    status
}

fn place(program: &Program, site: Option<Site>) -> String {
    match site {
        Some(site) if !site.span.is_none() => format!("{}: ", program.files.show(site.span)),
        _ => String::new(),
    }
}
