//! The command line as users type it.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use gnomon_budget::Budget;
use gnomon_cfront::load::Input;
use gnomon_cfront::lower::volatile::Volatile;
use gnomon_cfront::preprocess::{self, PreprocessOptions, PreprocessorFlag};
use gnomon_instrument::Checks;
use gnomon_report::terminal::Length;

use crate::output;
use crate::output_args::{CertifyArgs, CheckCommandArgs, ReplayArgs, ValidateArgs};
use crate::project_args::{CaptureArgs, DiffArgs, InitArgs, VerifyArgs, WorkerArgs};
use crate::thread_args::SequentializeArgs;

static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    format!("{}\nsolver: {}", env!("CARGO_PKG_VERSION"), crate::commands::doctor::solver_version())
});

const EXIT_CODES: &str = "\
Exit codes:
  0  the property holds; the command did what was asked
  1  the property does not hold; the run showed an error
  2  bad input or usage
  3  not known
  4  internal error";

/// A software model checker for C.
#[derive(Debug, Parser)]
#[command(name = "gnomon", version, long_version = LONG_VERSION.as_str(), about, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// What is logged.
    #[command(flatten)]
    pub log: LogArgs,
}

/// What is logged.
#[derive(Debug, Args)]
pub struct LogArgs {
    /// Log what is done, with times: `info`, `debug`, or another filter of `tracing`.
    #[arg(long, value_name = "FILTER", global = true, help_heading = "Log")]
    pub log: Option<String>,

    /// Write the log to a file instead of standard error.
    #[arg(long, value_name = "FILE", global = true, requires = "log", help_heading = "Log")]
    pub log_file: Option<PathBuf>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check whether a program can reach an error.
    #[command(after_help = "\
Examples:
  gnomon check main.c
  gnomon check -m32 -Iinclude -DNDEBUG main.c list.c
  gnomon check --time 60 --stats main.c
  gnomon check --reach list.c:42 main.c list.c       can line 42 be reached?
  gnomon check --prp unreach-call.prp main.c
  gnomon check --check overflow,bounds main.c        undefined behaviour is an error too
  gnomon check --json out.json --replay main.c       what was found, for other programs; see it fail
  gnomon check --spec file,lock main.c               property automata; `gnomon specs` lists them

Errors are calls of reach_error, __VERIFIER_error and __assert_fail (a failing assert), and what
--error-label, --reach and --check add. With --prp, only what the property file names is an error
(and what the other options add). Values from outside come from __VERIFIER_nondet_*.

The last line is `VERDICT: TRUE`, `VERDICT: FALSE` or `VERDICT: UNKNOWN (reason)`.")]
    Check(CheckCommandArgs),
    /// Check a project: everything that its build makes, unit by unit; what is known is not checked again.
    #[command(after_help = "\
Examples:
  gnomon capture -- make; gnomon init; gnomon verify     from a fresh clone to findings
  gnomon verify --fail-on new --write-baseline           from now on, only what is new is reported
  gnomon verify --on slurm --cache /shared/cache         on a cluster

What is checked stands in gnomon.toml; docs/projects.md explains it. The report is in .gnomon/report: a page
(index.html), results.json, results.sarif and junit.xml. The exit code is 0, or 1 if there are findings of
the kind that --fail-on names; 130 after Ctrl-C, and then the next run goes on.")]
    Verify(VerifyArgs),
    /// Run a build, and write down what it compiles and links.
    #[command(after_help = "\
Examples:
  gnomon capture -- make -j8
  gnomon capture -- sh -c './configure && make'")]
    Capture(CaptureArgs),
    /// Write a gnomon.toml in which everything is explained.
    Init(InitArgs),
    /// Compare the results of two runs of `gnomon verify`.
    #[command(after_help = "\
Examples:
  gnomon diff before.json .gnomon/report/results.json

The exit code is 0 if no verdict changed, else 1.")]
    Diff(DiffArgs),
    /// Make one attempt at one unit; `gnomon verify` calls it.
    #[command(hide = true)]
    UnitWorker(WorkerArgs),
    /// Execute the compiled program with the inputs of a failing run.
    #[command(after_help = "\
Examples:
  gnomon check --json bug.json main.c; gnomon replay --inputs bug.json main.c
  gnomon replay --inputs bug.json --harness bug.c --no-run main.c
                                           only write the C file that makes main.c fail

The program is compiled with cc and executed, without input, with limits on time and memory, in an
empty directory. The exit code is 1 if the error was reached, 3 if not. Give the options that were
given to `gnomon check`.")]
    Replay(ReplayArgs),
    /// Check the certificate of a proof, with a checker that shares no code with the engines.
    #[command(after_help = "\
Examples:
  gnomon check --certificate proof.json main.c; gnomon certify --certificate proof.json main.c

The exit code is 0 if the certificate is accepted, 1 if it is refused, 3 if the checker cannot tell
(what it does not follow, or its time is over). Give the options that were given to `gnomon check`.")]
    Certify(CertifyArgs),
    /// Confirm or refute a verification witness of any tool.
    #[command(after_help = "\
Examples:
  gnomon check --witness bug.yml main.c; gnomon validate --witness bug.yml main.c
  gnomon validate --prp no-overflow.prp --witness witness.yml main.c

The witness is woven into a copy of the source, which is then checked: for a violation, whether a run
that passes its waypoints reaches the target; for correctness, whether its invariants hold and no
error is reached. Waypoints of `?:` and of calls through pointers are left out, and told. The last line is
`WITNESS: CONFIRMED`, `WITNESS: REFUTED (reason)` or `WITNESS: UNKNOWN (reason)`, the exit code 0, 1
or 3.")]
    Validate(ValidateArgs),
    /// Show which lines lie on an error path.
    #[command(after_help = "\
Examples:
  gnomon project main.c
  gnomon project --paths main.c                      with a path over each line
  gnomon project --time 20 main.c                    refine for 20 seconds at most

The lines that are shown lie on an abstract error path under the last predicates; the others are
proved irrelevant. Each has a label: `feasible` if the path over it that was checked can be executed,
`infeasible` if it cannot (another one may), `unknown` if that was not found out; and the predicates
under which it fails. The last line is the verdict of the pushdown engine.")]
    Project(ProjectArgs),
    /// List the property automata for `gnomon check --spec`.
    #[command(after_help = "\
Examples:
  gnomon specs                             names and what they demand
  gnomon specs file > my.spec              the text of one, to begin with

The language is described in docs/specs.md.")]
    Specs(SpecsArgs),
    /// Show the control flow automata of a program.
    #[command(after_help = "\
Examples:
  gnomon cfa main.c                        all functions, in the text form that can be read back
  gnomon cfa main.c -o main.ir             the same, into a file that all commands accept
  gnomon cfa --dot --function main main.c | dot -Tsvg > main.svg")]
    Cfa(CfaArgs),
    /// Run a program in the interpreter.
    #[command(after_help = "\
Examples:
  gnomon run main.c                        run it, as far as it needs no input
  gnomon run main.c --input 3,-1,0x10      answers for nondeterministic values, in order
  gnomon run main.c --entry f --input x=5,7
                                           call f(5); 7 answers the first nondeterministic value
  gnomon run main.c --seed 42              answers by chance, always the same
  gnomon run main.c -- --verbose file      arguments of the program

What the program prints goes to standard output and error; how the run ended, and undefined
behaviour on the way, goes to standard error. The exit code is 0 if the program ended by itself
(with any status), 1 if it reached an error, aborted, or did something undefined that cannot be
continued, 3 if the run could not be finished; with --exit-code it is the program's own status if
it ended by itself.")]
    Run(RunArgs),
    /// Print the model of a program as C.
    #[command(after_help = "\
Examples:
  gnomon emit-c main.c -o model.c
  gcc -std=gnu17 -fwrapv -fno-strict-aliasing -w model.c -o model")]
    EmitC(EmitCArgs),
    /// Print a program with threads as a sequential one, in C.
    #[command(after_help = "\
Examples:
  gnomon sequentialize --contexts 3 threads.c -o sequential.c
  cbmc sequential.c                        any verifier of sequential programs can take it

It has an error if and only if the threads have one with so many contexts each, in rounds. Choices of
the schedule come from __VERIFIER_nondet_int.")]
    Sequentialize(SequentializeArgs),
    /// Find affine relations between the integer variables of a program.
    #[command(after_help = "\
Examples:
  gnomon affine main.c                     at all branches and ends of functions
  gnomon affine --at list.c:42 main.c list.c
  gnomon affine --at list.c:42 --in main:10,run main.c list.c
                                           only when main calls run in line 10, and run calls on
  gnomon affine --bits 8 main.c            modulo 2^8

Relations hold for all runs, wrap-around included; variables whose address is taken are not
followed.")]
    Affine(AffineArgs),
    /// Find which expressions may mean the same object, for pointers to data.
    #[command(after_help = "\
Examples:
  gnomon alias main.c                      at the ends of all functions
  gnomon alias --at list.c:42 --in main:10,run main.c list.c

Pairs are shown with what the points-to analysis of the checker says: it knows nothing of the
order of statements, but follows pointers in memory, which alias pairs take to point anywhere.")]
    Alias(AliasArgs),
    /// Find the path that best explains a crash.
    #[command(after_help = "\
Examples:
  ./program 2> crash.txt; gnomon btrace --stack crash.txt main.c list.c
  gdb -batch -ex run -ex bt ./program | gnomon btrace --stack - main.c list.c
  gnomon btrace --stack crash.txt --seen list.c:42 --seen main.c:7 main.c list.c
                                           lines that were executed, from a log or from gcov

The stack is taken as gdb or a sanitizer prints it, with everything around it. The path is the
shortest one that ends with this stack and touches as many of the lines as possible; paths that
cannot be executed are left out.")]
    Btrace(BtraceArgs),
    /// Check Boolean programs, remopla and pushdown systems.
    Bp(crate::bp::BpArgs),
    /// Serve an editor: what `gnomon check` finds, while you write.
    #[command(after_help = "\
The server talks the Language Server Protocol on standard input and output. Settings come from the client,
as initialization options: flags, checks, time, memory, jobs, parallel, onSave.")]
    Lsp(LspArgs),
    /// Show what gnomon finds on this machine, what is missing, and how to get it.
    Doctor,
    /// Print what a shell needs to complete command lines of gnomon.
    #[command(
        hide = true,
        after_help = "\
Examples:
  gnomon completions bash > ~/.local/share/bash-completion/completions/gnomon"
    )]
    Completions(CompletionsArgs),
    /// Write manual pages into a directory.
    #[command(hide = true)]
    Man(ManArgs),
    /// Fail on purpose, to see what a report of an internal error looks like.
    #[command(hide = true)]
    InternalError,
}

/// Of `gnomon lsp`.
#[derive(Debug, Args)]
pub struct LspArgs {
    /// Do one check, which is read from standard input; the server starts it.
    #[arg(long, hide = true)]
    pub worker: bool,

    /// Talk on standard input and output, as always; some clients say it.
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// Of `gnomon completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// Of `gnomon man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Where the pages are written.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

/// The files, and how to preprocess them.
#[derive(Debug, Args)]
pub struct InputArgs {
    /// C files (`.c` are preprocessed by cc, `.i` taken as they are), or one `.ir` file.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The machine: 32 (ILP32) or 64 (LP64), as for gcc.
    #[arg(short = 'm', value_name = "BITS", default_value = "64")]
    pub machine: Machine,

    /// Search this directory for header files.
    #[arg(short = 'I', value_name = "DIR", action = clap::ArgAction::Append)]
    pub include_dirs: Vec<PathBuf>,

    /// Search this directory for header files of the system (`-isystem DIR`, as for gcc).
    #[arg(long = "isystem", value_name = "DIR", action = clap::ArgAction::Append)]
    pub system_dirs: Vec<PathBuf>,

    /// Define a macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]", action = clap::ArgAction::Append)]
    pub defines: Vec<String>,

    /// Undefine a macro.
    #[arg(short = 'U', value_name = "NAME", action = clap::ArgAction::Append)]
    pub undefines: Vec<String>,

    /// Read this file first (`-include FILE`, as for gcc).
    #[arg(long = "include", value_name = "FILE", action = clap::ArgAction::Append)]
    pub includes: Vec<PathBuf>,

    /// The C standard (`-std=STANDARD`, as for gcc).
    #[arg(long = "std", value_name = "STANDARD")]
    pub standard: Option<String>,

    /// Who changes `volatile` objects. Registers of devices (`*(volatile int *)0x40001000`) are any
    /// value at each read in both cases.
    #[arg(long, value_enum, value_name = "WHO", default_value = "program")]
    pub volatile: VolatileChoice,
}

/// Who changes `volatile` objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VolatileChoice {
    /// The program only.
    Program,
    /// Anybody: each read gives any value.
    Any,
}

impl InputArgs {
    /// The files.
    pub fn inputs(&self) -> Vec<Input> {
        self.files.iter().cloned().map(Input::File).collect()
    }

    /// How they are preprocessed and parsed.
    pub fn preprocess(&self) -> PreprocessOptions {
        let flags = self.include_dirs.iter().cloned().map(PreprocessorFlag::IncludeDir);
        let system = self.system_dirs.iter().cloned().map(PreprocessorFlag::SystemIncludeDir);
        let defines = self.defines.iter().cloned().map(PreprocessorFlag::Define);
        let undefines = self.undefines.iter().cloned().map(PreprocessorFlag::Undefine);
        let includes = self.includes.iter().cloned().map(PreprocessorFlag::Include);
        PreprocessOptions {
            compiler: None,
            flags: flags.chain(system).chain(defines).chain(undefines).chain(includes).collect(),
            standard: self.standard.clone(),
            machine: match self.machine {
                Machine::Bits32 => preprocess::Machine::Ilp32,
                Machine::Bits64 => preprocess::Machine::Lp64,
            },
            volatile: match self.volatile {
                VolatileChoice::Program => Volatile::Program,
                VolatileChoice::Any => Volatile::Any,
            },
        }
    }
}

/// The machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Machine {
    /// ILP32.
    #[value(name = "32")]
    Bits32,
    /// LP64.
    #[value(name = "64")]
    Bits64,
}

/// Of `gnomon check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The program.
    #[command(flatten)]
    pub input: InputArgs,

    /// The function to start from; its arguments can be anything.
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,

    /// Reaching this label is an error too.
    #[arg(long, value_name = "LABEL")]
    pub error_label: Vec<String>,

    /// Reaching this line is an error too.
    #[arg(long, value_name = "FILE:LINE")]
    pub reach: Vec<String>,

    /// Undefined behaviour that is an error too: overflow (of signed arithmetic), div (by zero),
    /// bounds (of arrays), null (dereferenced), shift (by too much), access (outside of living
    /// objects), free (of something else), leak (of memory), memory (the last three), all (but
    /// leaks); several with commas. div, access and free always are, without --assertions-only,
    /// --prp and --spec, unless the program says by calling reach_error or __VERIFIER_error what
    /// must not happen.
    #[arg(long, value_name = "KINDS")]
    pub check: Vec<Checks>,

    /// Take accesses to memory and divisions to be right: a proof then says nothing about runs in
    /// which one is not, and the verdict says so.
    #[arg(long)]
    pub assertions_only: bool,

    /// Allocations can fail, and give the null pointer.
    #[arg(long)]
    pub malloc_may_fail: bool,

    /// What property automata ask for.
    #[command(flatten)]
    pub specs: SpecArgs,

    /// Functions without a body.
    #[command(flatten)]
    pub outside: OutsideArgs,

    /// Give no verdict on a program that calls functions without a body. Otherwise they return
    /// anything and write anything to what their arguments reach, and the verdict says so.
    #[arg(long)]
    pub strict: bool,

    /// A property file of SV-COMP: names the entry function, and the function that must not be
    /// called or that no signed arithmetic overflows.
    #[arg(long, value_name = "FILE.prp")]
    pub prp: Option<PathBuf>,

    /// Give every place where an error can be reported a verdict of its own.
    #[arg(long)]
    pub each: bool,

    /// Of places with a verdict of their own (--each, --spec), show only those where an error is reached.
    #[arg(long)]
    pub failures_only: bool,

    /// Show all lines of a run that reaches an error; without this, the beginning and the end of long
    /// ones.
    #[arg(long)]
    pub full: bool,

    /// After a proof by invariants, show them.
    #[arg(long)]
    pub invariants: bool,

    /// The proof engine.
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    pub engine: EngineChoice,

    /// Let this engine not take part; once for each engine. `--stats` shows who took part.
    #[arg(long = "without", value_name = "NAME", value_parser = engine_names())]
    pub without: Vec<String>,

    /// Show which lines lie on an error path, as `gnomon project` does.
    #[arg(long)]
    pub projection: bool,

    /// Let the pushdown engine drop what lies on no abstract error path after each iteration.
    #[arg(long)]
    pub use_projections: bool,

    /// Where blocks end: what lies between becomes one formula.
    #[arg(long, value_name = "WHERE", default_value = "loop")]
    pub block: BlockSize,

    /// A block ends, wherever it is, when it has so many locations.
    #[arg(long, value_name = "NUMBER", default_value_t = gnomon_engine::explore::MAX_PLACES)]
    pub block_places: usize,

    /// Which part of the tree is explored first.
    #[arg(long, value_name = "ORDER", default_value = "breadth")]
    pub order: SearchOrder,

    /// How precise successors of abstract states are.
    #[arg(long, value_name = "HOW", default_value = "exact")]
    pub post: PostPrecision,

    /// Keep the subtree of a refined node, and refine only the branch in which it was found.
    #[arg(long)]
    pub keep_subtree: bool,

    /// Refine whole paths, without cutting away first what does not matter for them.
    #[arg(long)]
    pub no_slice: bool,

    /// Do not try plain runs before anything else.
    #[arg(long)]
    pub no_runs: bool,

    /// Do not search for bugs beside proving.
    #[arg(long)]
    pub no_search: bool,

    /// Give up after so many seconds of processor time.
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub time: Duration,

    /// Keep under so much memory; three quarters are for this process, a quarter for solvers that
    /// work in others.
    #[arg(long, value_name = "MB", default_value_t = 4000)]
    pub memory: u64,

    /// Show what was done.
    #[arg(long)]
    pub stats: bool,

    /// Tell on standard error what is being done.
    #[arg(short, long)]
    pub verbose: bool,

    /// Say nothing but the verdict.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
}

impl CheckArgs {
    /// How much of a run is shown.
    pub fn length(&self) -> Length {
        if self.full { Length::Full } else { Length::Folded }
    }
}

/// Functions without a body.
#[derive(Debug, Args)]
pub struct OutsideArgs {
    /// Take models of library functions from the C files in this directory before those that come
    /// with gnomon; each begins with a line `// model: NAME`.
    #[arg(long, value_name = "DIR")]
    pub models: Option<PathBuf>,

    /// What functions without a body and without a model do; the verdict says it.
    #[arg(long, value_enum, value_name = "WHAT", default_value = "args")]
    pub unknown_functions: UnknownChoice,
}

/// What functions without a body and without a model do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UnknownChoice {
    /// Return any value and write nothing, which is unsound.
    Pure,
    /// Also write what their arguments reach, and what such functions were given before.
    Args,
    /// Also write all memory that is not private, and call functions of the program.
    Anything,
}

/// Property automata.
#[derive(Debug, Args)]
pub struct SpecArgs {
    /// Check these specs, and no other errors but those that options name: names from `gnomon
    /// specs` or files that end in `.spec`, several with commas; options of a spec behind colons,
    /// as in `file:closed_at_exit=on`.
    #[arg(long = "spec", value_name = "SPECS", value_delimiter = ',')]
    pub names: Vec<String>,

    /// With --spec, the processor time for the sites of each function.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub group_time: Duration,

    /// Let so many engines work at once, or with --spec check so many functions; as many as there are
    /// processors if not given. The verdicts are the same for every number.
    #[arg(long, value_name = "NUMBER")]
    pub jobs: Option<usize>,
}

/// Of `gnomon specs`.
#[derive(Debug, Args)]
pub struct SpecsArgs {
    /// Show the text of this one.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

/// Of `gnomon project`.
#[derive(Debug, Args)]
pub struct ProjectArgs {
    /// What is checked, and how.
    #[command(flatten)]
    pub check: CheckArgs,

    /// Show an error path over each line.
    #[arg(long)]
    pub paths: bool,

    /// Two functions that run as threads, with commas between them: show the lines of the first at
    /// which a switch to the second (and back) can lead to an error.
    #[arg(long, value_name = "FIRST,SECOND", value_parser = two_names)]
    pub threads: Option<(String, String)>,

    /// The function that runs before the threads do.
    #[arg(long, value_name = "FUNCTION", requires = "threads")]
    pub before: Option<String>,
}

/// Two names with a comma between them.
fn two_names(text: &str) -> Result<(String, String), String> {
    match text.split_once(',') {
        Some((first, second)) if !first.is_empty() && !second.is_empty() => {
            Ok((first.trim().to_owned(), second.trim().to_owned()))
        }
        _ => Err("two functions are needed, as in `--threads reader,writer`".to_owned()),
    }
}

/// The engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineChoice {
    /// The one that fits the program, and the other one where that gets stuck.
    Auto,
    /// Lazy abstraction; does not follow recursive calls.
    Lazy,
    /// The whole program as a pushdown system.
    Pushdown,
    /// Explicit values; does not follow recursive calls.
    Values,
    /// The abstract interpreter, without a solver; proves only.
    Numeric,
}

/// The names of the engines that can be left out.
fn engine_names() -> PossibleValuesParser {
    PossibleValuesParser::new(gnomon_verify::table::names())
}

/// Where blocks end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BlockSize {
    /// At loop heads.
    Loop,
    /// At loop heads, and where functions begin and end.
    Function,
    /// At every edge.
    Edge,
}

/// In which order the tree is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SearchOrder {
    /// The newest nodes first.
    Depth,
    /// The fewest blocks from the start first.
    Breadth,
    /// The fewest steps of the program from the start first.
    Shortest,
}

/// How precise successors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PostPrecision {
    /// All combinations of predicates, up to a number.
    Exact,
    /// Each predicate for itself.
    Cartesian,
}

/// A time in seconds, with a fraction or without.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "this is no number of seconds".to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

/// Limits of an analysis.
#[derive(Debug, Args)]
pub struct LimitArgs {
    /// Keep what procedures do in this directory, and use what is known from earlier runs.
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,

    /// Give up after so many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub time: Duration,

    /// Keep under so much memory.
    #[arg(long, value_name = "MB", default_value_t = 4000)]
    pub memory: u64,

    /// Tell on standard error what is being done.
    #[arg(short, long)]
    pub verbose: bool,
}

impl LimitArgs {
    /// The limits, with progress told if that was asked for.
    pub fn budget(&self) -> Budget {
        let budget = Budget::unlimited().with_time(self.time).with_memory(self.memory << 20);
        match output::progress(self.verbose, false) {
            Some(progress) => budget.with_progress(progress),
            None => budget,
        }
    }
}

/// A point of the program, and how it was reached.
#[derive(Debug, Args)]
pub struct PointArgs {
    /// Only where this line begins.
    #[arg(long, value_name = "FILE:LINE")]
    pub at: Option<String>,

    /// Only in this calling context: calls as FUNCTION or FUNCTION:LINE, the outermost first.
    #[arg(long = "in", value_name = "CALL,CALL...", requires = "at")]
    pub context: Option<String>,
}

/// Of `gnomon affine`.
#[derive(Debug, Args)]
pub struct AffineArgs {
    /// The program.
    #[command(flatten)]
    pub input: InputArgs,

    /// Where to look.
    #[command(flatten)]
    pub query: PointArgs,

    /// Machine arithmetic of so many bits: relations are modulo 2^BITS.
    #[arg(long, value_name = "BITS", default_value_t = 32, value_parser = arithmetic_bits)]
    pub bits: u32,

    /// Rational arithmetic instead: signed integers are taken not to overflow.
    #[arg(long, conflicts_with = "bits")]
    pub rational: bool,

    /// Follow at most so many globals.
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub globals: usize,

    /// Follow at most so many locals of each function.
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub locals: usize,

    /// The function to start from; its arguments can be anything.
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,

    /// How long to try.
    #[command(flatten)]
    pub limits: LimitArgs,
}

fn arithmetic_bits(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(bits @ (8 | 16 | 32 | 64)) => Ok(bits),
        _ => Err("8, 16, 32 or 64".to_owned()),
    }
}

/// Of `gnomon alias`.
#[derive(Debug, Args)]
pub struct AliasArgs {
    /// The program.
    #[command(flatten)]
    pub input: InputArgs,

    /// Where to look.
    #[command(flatten)]
    pub query: PointArgs,

    /// The function to start from; its arguments can be anything.
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,

    /// How long to try.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Of `gnomon btrace`.
#[derive(Debug, Args)]
pub struct BtraceArgs {
    /// The program.
    #[command(flatten)]
    pub input: InputArgs,

    /// A file with the stack trace; - is standard input.
    #[arg(long, value_name = "FILE")]
    pub stack: PathBuf,

    /// A line that was executed.
    #[arg(long, value_name = "FILE:LINE")]
    pub seen: Vec<String>,

    /// How to show the path.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: TraceFormat,

    /// Write into this file.
    #[arg(short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Try at most so many paths.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub candidates: usize,

    /// Do not ask whether the path can be executed.
    #[arg(long)]
    pub no_feasibility: bool,

    /// The function to start from; its arguments can be anything.
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,

    /// How long to try.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// How a path is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    /// As indented text.
    Text,
    /// For other programs.
    Json,
    /// As a page that folds.
    Html,
}

/// Of `gnomon cfa`.
#[derive(Debug, Args)]
pub struct CfaArgs {
    /// The program.
    #[command(flatten)]
    pub input: InputArgs,

    /// As a picture, in the language of Graphviz.
    #[arg(long, conflicts_with = "text")]
    pub dot: bool,

    /// As text (this is what happens without --dot).
    #[arg(long)]
    pub text: bool,

    /// Only this function.
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,

    /// Write into this file.
    #[arg(short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Of `gnomon emit-c`.
#[derive(Debug, Args)]
pub struct EmitCArgs {
    /// The program.
    #[command(flatten)]
    pub input: InputArgs,

    /// Put `#line` directives of the original files before statements.
    #[arg(long)]
    pub lines: bool,

    /// Write into this file.
    #[arg(short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Of `gnomon run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The program.
    #[command(flatten)]
    pub input: InputArgs,

    /// Answers: VALUE for the next nondeterministic value, NAME=VALUE for an argument of the entry
    /// function; several with commas.
    #[arg(
        long = "input",
        value_name = "LIST",
        value_delimiter = ',',
        allow_hyphen_values = true,
        group = "answer source"
    )]
    pub answers: Vec<String>,

    /// Answers from a file that --save-inputs wrote.
    #[arg(long = "inputs", value_name = "FILE.json", group = "answer source")]
    pub trace: Option<PathBuf>,

    /// Answers by chance, the same for the same number; functions without a body return something.
    #[arg(long, value_name = "NUMBER", group = "answer source")]
    pub seed: Option<u64>,

    /// Answers from standard input, separated by blanks.
    #[arg(long, group = "answer source")]
    pub stdin: bool,

    /// Write the inputs that the run took into this file.
    #[arg(long, value_name = "FILE.json")]
    pub save_inputs: Option<PathBuf>,

    /// The function to run.
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,

    /// Give up after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub time: Option<u64>,

    /// Return the program's own status if it ended by itself.
    #[arg(long)]
    pub exit_code: bool,

    /// Arguments of the program.
    #[arg(last = true, value_name = "ARGS")]
    pub program_args: Vec<OsString>,
}

/// `-std=c99`, `-include x.h` and `-isystem dir`, as gcc has them, for a parser that wants two dashes.
pub fn gcc_style(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let is_option =
        |text: &str| text.starts_with("-std=") || matches!(text, "-include" | "-isystem");
    let mut foreign = false;
    args.map(|arg| {
        foreign |= arg == OsStr::new("--");
        match arg.to_str() {
            Some(text) if !foreign && is_option(text) => format!("-{text}").into(),
            // With the directory in one word.
            Some(text) if !foreign => match text.strip_prefix("-isystem") {
                Some(directory) => format!("--isystem={directory}").into(),
                None => arg,
            },
            _ => arg,
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_of_gcc_are_understood_before_the_dashes_only() {
        let typed = ["gnomon", "run", "-std=c99", "-include", "a.h", "x.c", "--", "-std=c99"];
        let read = gcc_style(typed.iter().map(OsString::from));
        let expected = ["gnomon", "run", "--std=c99", "--include", "a.h", "x.c", "--", "-std=c99"];
        assert_eq!(read, expected.map(OsString::from));
    }
}
