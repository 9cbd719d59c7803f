//! How `gnomon check` treats programs with threads.

use clap::Args;

/// Of `gnomon check`, for programs with threads.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Threads")]
pub struct ThreadArgs {
    /// Check the program as one with threads even if it seems to make none.
    #[arg(long = "threads")]
    pub forced: bool,

    /// Let every thread have at most so many contexts: K rounds in which threads take turns.
    #[arg(long, value_name = "K", default_value_t = 8)]
    pub contexts: usize,

    /// Calls that make threads in a loop make at most so many each.
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    pub threads_per_call: usize,
}
