//! The log: what is done, with times, for whoever looks for the reason of something (`--log`).
//!
//! Analyses report their progress to their budget and know of no log; here it becomes events of `tracing`, on
//! standard error or in a file. Level `info` has the notes that people read and the verdicts, `debug` what engines report.

use std::fs::File;
use std::sync::Mutex;

use tracing_subscriber::EnvFilter;

use crate::args::LogArgs;
use crate::exit::Failure;

/// Begins to write the log, if one is wanted.
pub fn begin(args: &LogArgs) -> Result<(), Failure> {
    let Some(filter) = &args.log else { return Ok(()) };
    let filter = EnvFilter::try_new(filter)
        .map_err(|error| Failure::error(format!("--log {filter}: {error}")))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_target(false);
    let log = log.with_timer(tracing_subscriber::fmt::time::uptime());
    let begun = match &args.log_file {
        Some(path) => {
            let file = File::create(path).map_err(|error| {
                Failure::error(format!("cannot write {}: {error}", path.display()))
            })?;
            log.with_ansi(false).with_writer(Mutex::new(file)).try_init()
        }
        None => log.with_ansi(false).with_writer(std::io::stderr).try_init(),
    };
    begun.map_err(|error| Failure::error(format!("no log: {error}")))
}
