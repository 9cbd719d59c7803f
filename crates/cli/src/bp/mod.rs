//! `gnomon bp`: Boolean programs from the command line.
//!
//! One file for each command that does more than print: [`check`], [`concurrent`], [`project`].
//!
//! Thin: reads the file, calls `gnomon_boolprog`, prints. The last line is the verdict and the exit
//! code follows it (0 true, 1 false, 3 unknown, 2 bad input, 4 internal error).

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use gnomon_boolprog::check::{DEFAULT_LABELS, refuses, targets};
use gnomon_boolprog::concurrent::check::CheckedContexts;
use gnomon_boolprog::interpret::{RunEnd, run_at_random};
use gnomon_boolprog::model::{Model, PointId};
use gnomon_boolprog::read::{Dialect, ReadOptions, canonical, read};
use gnomon_boolprog::report;
use gnomon_boolprog::source::Source;
use gnomon_boolprog::symbolic::order::VariableOrder;
use gnomon_boolprog::validate;
use gnomon_budget::{Budget, Exhausted};

use crate::output;

/// Boolean programs, remopla and pushdown systems.
#[derive(Debug, Args)]
pub struct BpArgs {
    #[command(subcommand)]
    command: BpCommand,
}

#[derive(Debug, Subcommand)]
enum BpCommand {
    /// Look for a violated assertion or a reachable error label.
    #[command(after_help = "\
Examples:
  gnomon bp check lock.bp
  gnomon bp check --label main.ERR --json run.json lock.bp
  gnomon bp check --values L1 --invariants lock.bp   the values at a label, and everywhere
  gnomon bp check race.bp                            threads: as many contexts as it takes
  gnomon bp check --contexts 3 race.bp               at most 3 contexts of each thread
  gnomon bp check --contexts 2 --method transducer race.bp
  gnomon bp check --switches race.bp                 where a switch is fatal, with two switches

With threads, TRUE is said only if it holds for every number of contexts; else the answer is
UNKNOWN with the number that was checked. docs/boolean-programs.md explains why TRUE holds.

The last line is `VERDICT: TRUE`, `VERDICT: FALSE` or `VERDICT: UNKNOWN (reason)`.")]
    Check(CheckArgs),
    /// Show which statements lie on executions to an error, and when.
    Project(ProjectArgs),
    /// Print the sequential program that a program with threads is reduced to.
    #[command(after_help = "\
Examples:
  gnomon bp sequentialize --contexts 2 race.bp > one.bp
  gnomon bp check one.bp                             FALSE exactly if race.bp fails within 2")]
    Sequentialize(concurrent::SequentializeArgs),
    /// Execute the program with random choices.
    Run(RunArgs),
    /// Print the program in canonical form.
    Print(Input),
}

#[derive(Debug, Args)]
struct Input {
    /// The program; `.rem` is remopla, `.pds` a pushdown system, anything else a Boolean program.
    file: PathBuf,
    /// The language, if the file name does not tell it.
    #[arg(long)]
    dialect: Option<DialectName>,
    /// The procedure to start from.
    #[arg(long)]
    entry: Option<String>,
    /// For pushdown systems: the first configuration, `p a` (or `p|a,b` for two threads).
    #[arg(long)]
    init: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DialectName {
    Bp,
    Remopla,
    Pds,
}

#[derive(Debug, Args)]
struct Limits {
    /// Stop after this many seconds.
    #[arg(long, default_value_t = 900.0)]
    time: f64,
    /// Stop when the process uses more than this many megabytes.
    #[arg(long, default_value_t = 8192)]
    memory: u64,
    /// Room for this many BDD nodes (about 20 bytes each).
    #[arg(long, default_value_t = 1 << 24)]
    nodes: usize,
    /// Show progress even if the error stream is no terminal.
    #[arg(long)]
    progress: bool,
    /// The order of the BDD variables.
    #[arg(long, value_enum, default_value_t = OrderName::Force)]
    order: OrderName,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OrderName {
    Declaration,
    FirstUse,
    Force,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EngineName {
    OnTheFly,
    Saturation,
    Fwpds,
}

#[derive(Debug, Args)]
struct CheckArgs {
    #[command(flatten)]
    input: Input,
    /// The error label (`L` or `f.L`); may be given several times. Default: SLIC_ERROR or ERROR.
    #[arg(long)]
    label: Vec<String>,
    /// Do not look at assertions.
    #[arg(long)]
    no_assertions: bool,
    /// Who decides.
    #[arg(long, value_enum, default_value_t = EngineName::OnTheFly)]
    engine: EngineName,
    /// Keep variables and statements that cannot matter.
    #[arg(long)]
    no_slice: bool,
    /// Print the values reachable at this label (or line number).
    #[arg(long)]
    values: Vec<String>,
    /// Print an invariant for every statement.
    #[arg(long)]
    invariants: bool,
    /// Write the counterexample as JSON to this file.
    #[arg(long)]
    json: Option<PathBuf>,
    #[command(flatten)]
    threads: concurrent::ThreadArgs,
    #[command(flatten)]
    limits: Limits,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Text,
    Json,
    Dot,
}

#[derive(Debug, Args)]
struct ProjectArgs {
    #[command(flatten)]
    input: Input,
    /// The error label. Default: assertions, SLIC_ERROR and ERROR.
    #[arg(long)]
    target: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// A counterexample through every statement of the projection.
    #[arg(long)]
    traces: bool,
    #[command(flatten)]
    limits: Limits,
}

#[derive(Debug, Args)]
struct RunArgs {
    #[command(flatten)]
    input: Input,
    /// Where the random choices start.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Stop after this many steps.
    #[arg(long, default_value_t = 1000)]
    steps: usize,
}

/// Writes a line to the standard output. A reader that closed it (`| head`) is no reason to panic.
macro_rules! say {
    ($($text:tt)*) => {{
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

/// Writes to the standard output without ending the line.
macro_rules! say_on {
    ($($text:tt)*) => {{
        let _ = write!(std::io::stdout(), $($text)*);
    }};
}

/// Writes a line to the error stream.
macro_rules! warn {
    ($($text:tt)*) => {{
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

mod check;
mod concurrent;
mod project;

const TRUE: u8 = 0;
const FALSE: u8 = 1;
const BAD_INPUT: u8 = 2;
const UNKNOWN: u8 = 3;
const INTERNAL: u8 = 4;

/// Parsing and the interpreter recurse over nested expressions; the default stack of a thread is
/// too small for the deepest that the parser lets through.
const STACK_BYTES: usize = 256 << 20;

/// How long after its time limit a run may still end by itself. One operation on large BDDs cannot
/// be interrupted, so the worker is abandoned then.
const GRACE: Duration = Duration::from_secs(2);

/// Runs the command and gives the exit code.
pub fn run(args: BpArgs) -> u8 {
    let limit = match &args.command {
        BpCommand::Check(check) => Some(check.limits.duration()),
        BpCommand::Project(project) => Some(project.limits.duration()),
        BpCommand::Sequentialize(_) | BpCommand::Run(_) | BpCommand::Print(_) => None,
    };
    let checked = CheckedContexts::default();
    let so_far = checked.clone();
    let (done, result) = std::sync::mpsc::channel();
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let code = match args.command {
            BpCommand::Check(args) => check::run(&args, &checked),
            BpCommand::Project(args) => project::run(&args),
            BpCommand::Sequentialize(args) => concurrent::sequentialize(&args),
            BpCommand::Run(args) => run_run(&args),
            BpCommand::Print(input) => run_print(&input),
        };
        // Nobody listens any more if the time was up.
        let _ = done.send(code);
    });
    if worker.is_err() {
        return internal("no thread could be started");
    }
    let received = match limit {
        Some(limit) => result.recv_timeout(limit.saturating_add(GRACE)),
        None => result.recv().map_err(|_| RecvTimeoutError::Disconnected),
    };
    match received {
        Ok(Ok(code) | Err(code)) => code,
        Err(RecvTimeoutError::Timeout) => match so_far.so_far() {
            0 => unknown(&Exhausted::Time),
            contexts => unknown(&concurrent::within(contexts, &Exhausted::Time)),
        },
        Err(RecvTimeoutError::Disconnected) => internal("the worker thread ended unexpectedly"),
    }
}

fn internal(message: &str) -> u8 {
    warn!("gnomon: {message}");
    say!("VERDICT: UNKNOWN (internal error)");
    INTERNAL
}

fn unknown(reason: &dyn fmt::Display) -> u8 {
    say!("VERDICT: UNKNOWN ({reason})");
    UNKNOWN
}

impl Limits {
    fn duration(&self) -> Duration {
        const LONGEST: Duration = Duration::from_secs(1 << 30);
        Duration::try_from_secs_f64(self.time).unwrap_or(LONGEST).min(LONGEST)
    }

    fn budget(&self) -> Budget {
        let budget = Budget::unlimited()
            .with_time(self.duration())
            .with_memory(self.memory.saturating_mul(1 << 20));
        match output::progress(self.progress, false) {
            Some(progress) => budget.with_progress(progress),
            None => budget,
        }
    }

    fn order(&self) -> VariableOrder {
        match self.order {
            OrderName::Declaration => VariableOrder::Declaration,
            OrderName::FirstUse => VariableOrder::FirstUse,
            OrderName::Force => VariableOrder::Force,
        }
    }
}

impl Input {
    fn dialect(&self) -> Dialect {
        match self.dialect {
            Some(DialectName::Bp) => Dialect::BooleanProgram,
            Some(DialectName::Remopla) => Dialect::Remopla,
            Some(DialectName::Pds) => Dialect::Pushdown,
            None => Dialect::of_file_name(&self.file.to_string_lossy()),
        }
    }

    fn source(&self) -> Result<Source, u8> {
        let bytes = std::fs::read(&self.file).map_err(|error| {
            warn!("{}: error: {error}", self.file.display());
            BAD_INPUT
        })?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Source::new(self.file.display().to_string(), text))
    }

    fn model(&self, limits: Option<(&Limits, &Budget)>) -> Result<(Source, Model), u8> {
        let source = self.source()?;
        let options = ReadOptions { entry: self.entry.clone(), initial: self.init.clone() };
        let mut result = read(&source, self.dialect(), &options);
        if let (Some(model), Some((limits, budget))) = (&result.model, limits) {
            let outcome = validate::constraints(model, limits.nodes, budget, &mut result.messages);
            outcome.map_err(|error| unknown(&error))?;
        }
        let _ = write!(std::io::stderr(), "{}", result.messages.render(&source));
        match result.model {
            Some(model) if !result.messages.has_errors() => Ok((source, model)),
            _ => Err(BAD_INPUT),
        }
    }
}

/// The targets that the user asked for.
fn wanted(model: &Model, labels: &[String], assertions: bool) -> Result<Vec<PointId>, u8> {
    for label in labels {
        if model.labelled(label).is_empty() {
            warn!("error: there is no label `{label}` in this program");
            return Err(BAD_INPUT);
        }
    }
    let names: Vec<&str> = match labels {
        [] => DEFAULT_LABELS.to_vec(),
        given => given.iter().map(String::as_str).collect(),
    };
    let list = targets(model, assertions, &names);
    if list.is_empty() {
        warn!("note: no assertion and no error label: there is nothing to violate");
    }
    Ok(list)
}

fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), u8> {
    let text = serde_json::to_string_pretty(value).map_err(|e| internal(&e.to_string()))?;
    std::fs::write(path, text + "\n").map_err(|error| {
        warn!("{}: error: {error}", path.display());
        BAD_INPUT
    })
}

fn run_run(args: &RunArgs) -> Result<u8, u8> {
    let (source, model) = args.input.model(None)?;
    if let Some(reason) = refuses(&model) {
        return Err(unknown(&reason));
    }
    let targets = targets(&model, true, &DEFAULT_LABELS);
    let run = run_at_random(&model, &targets, args.seed, args.steps);
    say_on!("{}", report::trace_text(&report::trace(&source, &model, &run)));
    Ok(match run.end {
        RunEnd::Target(_) | RunEnd::Violation(_) => FALSE,
        RunEnd::Finished | RunEnd::Stuck(_) | RunEnd::StepLimit => TRUE,
    })
}

fn run_print(input: &Input) -> Result<u8, u8> {
    let source = input.source()?;
    match canonical(&source, input.dialect()) {
        Ok(text) => {
            say_on!("{text}");
            Ok(TRUE)
        }
        Err(messages) => {
            let _ = write!(std::io::stderr(), "{}", messages.render(&source));
            Err(BAD_INPUT)
        }
    }
}
