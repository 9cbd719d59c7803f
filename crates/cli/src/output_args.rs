//! What `gnomon check` writes beside its text.

use std::path::PathBuf;

use clap::Args;

use crate::args::CheckArgs;
use crate::thread_args::ThreadArgs;

/// Of `gnomon check`: what is checked, and what is written.
#[derive(Debug, Args)]
pub struct CheckCommandArgs {
    /// What is checked, and how.
    #[command(flatten)]
    pub check: CheckArgs,

    /// What is written.
    #[command(flatten)]
    pub output: OutputArgs,

    /// How threads are checked.
    #[command(flatten)]
    pub threads: ThreadArgs,
}

/// Forms of the outcome.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Write everything that is known into this file, as JSON with a versioned schema.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Write the results as SARIF 2.1.0, with the run to each error as a code flow.
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,

    /// Write a witness in the YAML format of SV-COMP.
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,

    /// Write a page that explains the outcome into this directory, as index.html: the source with
    /// the lines that can lie on an error path, the run step by step, graphs, statistics.
    #[arg(long, value_name = "DIR")]
    pub html: Option<PathBuf>,

    /// Write a C file that makes the compiled program fail as predicted.
    #[arg(long, value_name = "FILE.c")]
    pub harness: Option<PathBuf>,

    /// Write the certificate of a proof.
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,

    /// Say TRUE only of proofs that leave a certificate.
    ///
    /// Without this, proofs by executing all schedules of threads and by the typestate analysis of
    /// specs are TRUE too. All others must be accepted by the independent checker in any case.
    #[arg(long)]
    pub certify: bool,

    /// Do not ask the independent checker of proofs: TRUE as the engines say.
    #[arg(long, conflicts_with = "certify")]
    pub no_certify: bool,

    /// After FALSE, compile the program with the recorded inputs, and run it, with limits, in an
    /// empty directory, to see it fail. This executes the program.
    #[arg(long)]
    pub replay: bool,
}

/// Of `gnomon replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// What was checked.
    #[command(flatten)]
    pub check: CheckArgs,

    /// A report that `gnomon check --json` wrote, or inputs that `gnomon run --save-inputs` wrote.
    #[arg(long, value_name = "FILE.json")]
    pub inputs: PathBuf,

    /// Write the C file with the inputs.
    #[arg(long, value_name = "FILE.c")]
    pub harness: Option<PathBuf>,

    /// Only write the C file: execute nothing.
    #[arg(long, requires = "harness")]
    pub no_run: bool,
}

/// Of `gnomon certify`.
#[derive(Debug, Args)]
pub struct CertifyArgs {
    /// What was checked.
    #[command(flatten)]
    pub check: CheckArgs,

    /// The certificate that `gnomon check --certificate` wrote.
    #[arg(long, value_name = "FILE")]
    pub certificate: PathBuf,
}

/// Of `gnomon validate`.
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// The program, and how to check it.
    #[command(flatten)]
    pub check: CheckArgs,

    /// The witness, in the YAML format of SV-COMP.
    #[arg(long, value_name = "FILE.yml")]
    pub witness: PathBuf,
}
