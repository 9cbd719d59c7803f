//! What a check says.

use std::collections::BTreeMap;
use std::sync::Arc;

use gnomon_logic::Solver;

use crate::proof::{ForAll, Invariants, OfRest, Summaries};
pub use crate::reason::Reason;
use crate::replay::Counterexample;

/// The answer, with what stands behind it.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No run reaches an error.
    True(Proof),
    /// This run does.
    False(Box<Counterexample>),
    /// Not known.
    Unknown(Reason),
}

/// Why the program is safe.
#[derive(Clone, Debug)]
pub enum Proof {
    /// There is nothing to reach: no error site in the program.
    NoErrorSite,
    /// The program takes nothing from outside, and its only run was done.
    OnlyRun,
    /// Exhaustive search to this depth, in blocks.
    AllExecutions {
        /// In blocks.
        depth: usize,
    },
    /// Exhaustive search, path by path.
    AllPaths {
        /// How many there are.
        paths: u64,
    },
    /// All executions were done, from each state that they meet.
    AllStates {
        /// How many states there are.
        states: u64,
    },
    /// What is shared, and where the first thread and any two others are and know, excludes it: for any number
    /// of threads.
    Views {
        /// How many such views there are.
        views: u64,
    },
    /// Inductive invariants at all cut points exclude it.
    Invariants(Arc<Invariants>),
    /// No error is reached within k blocks from the start, nor in a block that k - 1 others precede
    /// from any cut point where the auxiliary invariants hold, which are inductive.
    KInduction {
        /// The k.
        k: usize,
        /// The auxiliary invariants at all cut points.
        invariants: Arc<Invariants>,
    },
    /// Inductive invariants at all cut points, each for all positions, exclude it.
    ForAll(Arc<ForAll>),
    /// Inductive summaries of all functions exclude it; `None` if they were not written down.
    Summaries(Option<Arc<Summaries>>),
    /// No fact about the state of an automaton leads to it.
    Typestate,
    /// A proof of what is left where operations that cannot matter are left out.
    OfRest(Arc<OfRest>),
}

/// What was done, for `--stats`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Numbers by name, in the order in which they are shown. The same program, options and version
    /// always give the same, unless a time limit struck.
    pub numbers: BTreeMap<&'static str, f64>,
    /// Seconds that each purpose took.
    pub seconds: BTreeMap<String, f64>,
    /// The engine that was asked last, if any was.
    pub engine: Option<&'static str>,
}

impl Statistics {
    /// Adds what was done in another attempt.
    pub fn add(&mut self, other: Self) {
        for (name, number) in other.numbers {
            *self.numbers.entry(name).or_default() += number;
        }
        for (name, seconds) in other.seconds {
            *self.seconds.entry(name).or_default() += seconds;
        }
        self.engine = other.engine.or(self.engine);
    }

    /// Counts the queries of a solver and the time they took.
    pub fn add_solver(&mut self, solver: &dyn Solver) {
        for (purpose, counts) in solver.statistics().iter() {
            *self.numbers.entry("solver calls").or_default() += counts.queries() as f64;
            let seconds = self.seconds.entry(format!("solver, {}", purpose.0)).or_default();
            *seconds += counts.time.as_secs_f64();
        }
    }
}
