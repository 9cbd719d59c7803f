//! `gnomon`, the command line: composes the crates, does the I/O, and nothing else.
//!
//! Results go to standard output, messages to standard error. What the process returns is in
//! [`exit::Status`]. A panic anywhere is an internal error: it is reported to a file
//! ([`internal_error`]), and the user is told what to do with it.

mod args;
mod bp;
mod cache;
mod commands;
mod exit;
mod internal_error;
mod listener;
mod load;
mod log;
mod output;
mod output_args;
mod project_args;
mod request;
mod thread_args;

use std::process::ExitCode;

use args::{Cli, Command};
use clap::Parser;
use exit::Status;

/// Real programs nest deeply, and so do the functions that walk over them.
pub const STACK_BYTES: usize = 256 << 20;

fn main() -> ExitCode {
    // The solver that can be killed is this program, started again.
    gnomon_logic::solver::worker::run_if_requested();
    internal_error::install();
    limit_stacks_of_diagrams();
    let work = std::thread::Builder::new().name("gnomon".into()).stack_size(STACK_BYTES);
    let status = match work.spawn(run) {
        Ok(thread) => thread.join().unwrap_or(Status::InternalError),
        Err(_) => run(),
    };
    status.into()
}

/// Every table of decision diagrams has a thread with a stack of a gigabyte, unless this variable says
/// otherwise: four of them are all that a limit of four gigabytes on the address space has room for.
#[expect(unsafe_code, reason = "the variable is the only way to say it")]
fn limit_stacks_of_diagrams() {
    const VARIABLE: &str = "OXIDD_STACK_SIZE";
    if std::env::var_os(VARIABLE).is_none() {
        // SAFETY: this thread is the only one yet, so nobody reads the environment meanwhile.
        unsafe { std::env::set_var(VARIABLE, (STACK_BYTES / 4).to_string()) };
    }
}

fn run() -> Status {
    let cli = match Cli::try_parse_from(args::gcc_style(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too, with code 0.
            let _ = error.print();
            return if error.exit_code() == 0 { Status::True } else { Status::BadInput };
        }
    };
    if let Err(failure) = log::begin(&cli.log) {
        output::message(&failure.to_string());
        return failure.status();
    }
    let result = match cli.command {
        Command::Check(args) => commands::check::run(&args.check, &args.output, &args.threads),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Capture(args) => commands::capture::run(&args),
        Command::Init(args) => commands::init::run(&args),
        Command::Diff(args) => commands::diff::run(&args),
        Command::UnitWorker(args) => commands::unit_worker::run(&args),
        Command::Certify(args) => commands::certify::run(&args),
        Command::Validate(args) => commands::validate::run(&args),
        Command::Replay(args) => commands::replay::run(&args),
        Command::Project(args) => commands::project::run(&args),
        Command::Specs(args) => commands::specs::run(&args),
        Command::Cfa(args) => commands::cfa::run(&args),
        Command::Run(args) => commands::run::run(&args),
        Command::EmitC(args) => commands::emit_c::run(&args),
        Command::Sequentialize(args) => commands::sequentialize::run(&args),
        Command::Affine(args) => commands::affine::run(&args),
        Command::Alias(args) => commands::alias::run(&args),
        Command::Btrace(args) => commands::btrace::run(&args),
        Command::Bp(args) => Ok(Status::PassedThrough(bp::run(args))),
        Command::Lsp(args) => commands::lsp::run(&args),
        Command::Doctor => commands::doctor::run(),
        Command::Completions(args) => commands::generated::completions(args.shell),
        Command::Man(args) => commands::generated::pages(&args.directory),
        Command::InternalError => panic!("asked for by the user"),
    };
    result.unwrap_or_else(|failure| {
        output::message(&failure.to_string());
        failure.status()
    })
}
