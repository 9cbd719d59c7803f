//! How a run ends.

use gnomon_budget::Exhausted;

use crate::interp::ub::{Site, UndefinedBehaviour};
use crate::trace::InputTrace;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The entry function returned or `exit` was called, with this value; a system shows only its
    /// lowest eight bits.
    Exit(i32),
    /// A function that reports an error was called.
    Error {
        /// Its name.
        function: String,
        /// The call.
        site: Option<Site>,
    },
    /// `abort` was called, or a signal that ends the process was raised.
    Abort {
        /// The call.
        site: Option<Site>,
    },
    /// An assumption of the program does not hold, or no edge is open: there is no such run.
    AssumptionFailed {
        /// Where.
        site: Option<Site>,
    },
    /// Undefined behaviour after which nothing can be said.
    Undefined(UndefinedBehaviour),
    /// A limit was reached.
    OutOfBudget(Exhausted),
    /// The source had no answer.
    InputsExhausted {
        /// What was asked for.
        asked: String,
        /// Where.
        site: Option<Site>,
    },
    /// The program needs what the interpreter does not have.
    Unsupported {
        /// What, for people: the name of a function without a body, as a rule.
        what: String,
        /// Where.
        site: Option<Site>,
    },
}

/// Ends a run from inside.
pub(crate) type Stop = Box<Outcome>;

/// A run that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// Undefined behaviour that did not end it, once for each edge and kind, in order.
    pub noted: Vec<UndefinedBehaviour>,
    /// Everything that it took from outside: a [`TraceSource`](crate::interp::TraceSource) of it
    /// repeats the run.
    pub trace: InputTrace,
    /// Turns of loops and calls, about.
    pub steps: u64,
    /// What was not freed when the program ended by itself.
    pub left: Left,
}

/// Objects from the heap that live at the end of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// How many there are.
    pub living: usize,
    /// How many of them nothing leads to; none if the program did not end by returning, when
    /// variables of functions may still lead there.
    pub lost: usize,
}
