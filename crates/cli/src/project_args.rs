//! The command line of projects: `verify`, `capture`, `init`, `diff`, and what workers are called with.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gnomon_project::config::FailOn;

/// Of `gnomon verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The directory of the project, with gnomon.toml and compile_commands.json.
    #[arg(value_name = "DIR", default_value = ".")]
    pub project: PathBuf,

    /// Another configuration than DIR/gnomon.toml.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Another file than the configuration names, as compilers, CMake or `gnomon capture` write it.
    #[arg(long, value_name = "FILE")]
    pub compile_commands: Option<PathBuf>,

    /// Keep results here; machines may share the directory.
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,

    /// Write index.html, results.json, results.sarif and junit.xml here.
    #[arg(long, value_name = "DIR", default_value = ".gnomon/report")]
    pub output: PathBuf,

    /// What makes the exit code 1: findings that are not in the baseline, any, or none.
    #[arg(long, value_name = "WHAT")]
    pub fail_on: Option<FailChoice>,

    /// Another baseline than the configuration names.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Write all findings into the baseline, so that they are not reported again; or into another file.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub write_baseline: Option<Option<PathBuf>>,

    /// Who does the work: processes of this machine, a Slurm cluster by job arrays, or HyperQueue.
    #[arg(long, value_name = "WHERE", default_value = "local")]
    pub on: Where,

    /// Further arguments for `sbatch` or `hq submit`, as in `--engine-arg=--partition=long`.
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    pub engine_arg: Vec<String>,

    /// With --on hyperqueue: the directory of a running server. Without it, `hq` asks its usual one; where there is
    /// no `hq`, a server with as many workers as --jobs says is started.
    #[arg(long, value_name = "DIR")]
    pub hq_server: Option<PathBuf>,

    /// So many units at once; as many as there are processors if not given.
    #[arg(long, value_name = "NUMBER")]
    pub jobs: Option<usize>,

    /// Processor seconds of each round, with commas.
    #[arg(long, value_name = "SECONDS", value_delimiter = ',')]
    pub rounds: Vec<u64>,

    /// Only these groups of properties, with commas.
    #[arg(long, value_name = "GROUPS", value_delimiter = ',')]
    pub properties: Vec<String>,

    /// Say only what was found.
    #[arg(short, long)]
    pub quiet: bool,

    /// Tell of every unit that is done.
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,

    /// Another worker, for tests: a program with its first arguments.
    #[arg(long, value_name = "COMMAND", hide = true)]
    pub worker: Option<String>,
}

/// What makes a run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailChoice {
    /// Findings that are not in the baseline.
    New,
    /// Any finding.
    Any,
    /// Nothing.
    Never,
}

impl From<FailChoice> for FailOn {
    fn from(choice: FailChoice) -> Self {
        match choice {
            FailChoice::New => Self::New,
            FailChoice::Any => Self::Any,
            FailChoice::Never => Self::Never,
        }
    }
}

/// Who does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Where {
    /// Processes of this machine.
    Local,
    /// A Slurm cluster.
    Slurm,
    /// HyperQueue.
    Hyperqueue,
}

/// Of `gnomon capture`.
#[derive(Debug, Args)]
pub struct CaptureArgs {
    /// Where compile_commands.json and link_commands.json are written.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub into: PathBuf,

    /// The command that builds the project.
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    pub build: Vec<OsString>,
}

/// Of `gnomon init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The directory of the project.
    #[arg(value_name = "DIR", default_value = ".")]
    pub project: PathBuf,
}

/// Of `gnomon diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The results.json of one run.
    #[arg(value_name = "OLD")]
    pub old: PathBuf,

    /// The results.json of another run.
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
}

/// Of a worker, which `gnomon verify` calls.
#[derive(Clone, Debug, Args)]
pub struct WorkerArgs {
    /// The cache.
    #[arg(long)]
    pub cache: PathBuf,

    /// The name of the run in the cache whose units are meant.
    #[arg(long, default_value = "")]
    pub run: String,

    /// The key of the unit.
    #[arg(long, required_unless_present = "batch")]
    pub key: Option<String>,

    /// Processor seconds.
    #[arg(long, default_value_t = 60)]
    pub seconds: u64,

    /// Memory in MB.
    #[arg(long, default_value_t = 4000)]
    pub memory: u64,

    /// No longer attempt follows.
    #[arg(long)]
    pub last: bool,

    /// A batch of a cluster: the key and limits stand in its file of tasks.
    #[arg(long)]
    pub batch: Option<PathBuf>,

    /// Which one of the batch; HQ_TASK_ID or SLURM_ARRAY_TASK_ID if not given.
    #[arg(long, requires = "batch")]
    pub task: Option<usize>,
}
