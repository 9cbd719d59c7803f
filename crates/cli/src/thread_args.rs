//! How `gnomon` treats programs with threads.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::args::InputArgs;

/// Of `gnomon check`, for programs with threads.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Threads")]
pub struct ThreadArgs {
    /// Check the program as one with threads even if it seems to make none.
    #[arg(long = "threads")]
    pub forced: bool,

    /// Let every thread have at most so many contexts: K rounds in which threads take turns.
    #[arg(long, value_name = "K", default_value_t = 8)]
    pub contexts: usize,

    /// Do not execute schedules before formulas are asked about contexts.
    #[arg(long)]
    pub only_contexts: bool,

    /// Calls that make threads in a loop make at most so many each.
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    pub threads_per_call: usize,

    /// What is an error of threads too: deadlock (no thread can move), misuse (of locks), race (of
    /// data); several with commas.
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub thread_errors: Vec<ThreadError>,
}

/// Errors of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ThreadError {
    /// No thread can move, and not all have ended.
    Deadlock,
    /// A lock is used in a way that its specification forbids.
    Misuse,
    /// Two threads access the same data at once, one of them writing.
    Race,
}

/// Of `gnomon sequentialize`.
#[derive(Debug, Args)]
pub struct SequentializeArgs {
    /// The program.
    #[command(flatten)]
    pub input: InputArgs,

    /// The function to start from.
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,

    /// Every thread has at most so many contexts.
    #[arg(long, value_name = "K", default_value_t = 2)]
    pub contexts: usize,

    /// Calls that make threads in a loop make at most so many each.
    #[arg(long, value_name = "NUMBER", default_value_t = 2)]
    pub threads_per_call: usize,

    /// Write the program into this file, not to standard output.
    #[arg(short, long, value_name = "FILE.c")]
    pub output: Option<PathBuf>,
}
