//! Runs with inputs by chance, guided by what they cover.
//!
//! Most bugs need some inputs that the program itself names: numbers that it compares with, or values
//! between them. So inputs are drawn from the constants of the program and from between them; a run
//! that takes an edge for the first time, or much more often than any other, is kept, and later
//! runs repeat its beginning and change the rest (grey-box fuzzing, Zalewski's AFL). No
//! solver is asked, everything is executed, and the same seeds give the same runs.
//!
//! That shows errors only, never their absence.

use std::rc::Rc;

use gnomon_budget::Budget;
use gnomon_ir::interp::{
    Asked, CallEffect, Constants, Discarded, EdgeEvent, InputSource, Needs, Observer, Outcome, Run,
    SeedSource, State, TraceSource, interpret_observed,
};
use gnomon_ir::ops::{Scalar, truncate};
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::trace::{ArgumentValue, Input, InputTrace};
use gnomon_ir::types::{TypeId, Types};
use rustc_hash::FxHashMap;

use crate::property::ErrorSites;
use crate::replay::{self, Counterexample};
use crate::runs::run_again;

/// How many looks at the budget a run may make.
const LONGEST: u64 = 20_000;
/// More runs are not kept, nor runs with more inputs.
const MOST_KEPT: usize = 256;
const MOST_INPUTS: usize = 4_096;
/// One of so many runs begins afresh.
const AFRESH: u64 = 3;
/// Runs without inputs end the search after so many.
const WITHOUT_INPUTS: u64 = 4;

/// How far the search came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chanced {
    /// There is more to try.
    More,
    /// This run reaches an error.
    Error(Box<Counterexample>),
    /// The program takes nothing from outside.
    NoInputs,
}

/// A search by chance.
pub struct Chance<'a> {
    program: &'a Program,
    sites: &'a ErrorSites,
    entry: FuncId,
    budget: Budget,
    constants: Rc<Constants>,
    /// Inputs of runs that covered something new.
    kept: Vec<Rc<[Input]>>,
    covered: Coverage,
    seed: u64,
    /// Runs without inputs.
    without_inputs: u64,
    /// Runs so far.
    pub runs: u64,
}

/// By function and edge: the logarithm of how often a run took it at most.
#[derive(Clone, Debug, Default)]
struct Coverage {
    most: FxHashMap<(FuncId, u32), u8>,
}

impl Coverage {
    /// Adds what a run took. Says whether that is more than before.
    fn add(&mut self, taken: &FxHashMap<(FuncId, u32), u32>) -> bool {
        let mut is_more = false;
        for (&edge, &count) in taken {
            let class = (32 - count.leading_zeros()) as u8;
            let most = self.most.entry(edge).or_default();
            if class > *most {
                *most = class;
                is_more = true;
            }
        }
        is_more
    }
}

/// Counts the edges that a run takes, and sees errors.
struct Counter<'a> {
    sites: &'a ErrorSites,
    taken: FxHashMap<(FuncId, u32), u32>,
    is_wrong: bool,
}

impl Observer for Counter<'_> {
    fn needs(&self) -> Needs {
        Needs::Edges
    }

    fn edge(&mut self, EdgeEvent { func, edge, .. }: EdgeEvent, _: &State<'_>) {
        let count = self.taken.entry((func, edge.0)).or_default();
        *count = count.saturating_add(1);
        self.is_wrong |= *count == 1 && self.sites.contains(func, edge);
    }
}

/// Repeats inputs up to a position, changes one, and goes on by chance.
struct Changed {
    inputs: Rc<[Input]>,
    position: usize,
    /// The input that is drawn anew.
    redrawn: Option<usize>,
    /// Where all are drawn anew.
    until: usize,
    rest: SeedSource,
}

impl Changed {
    fn repeated(&mut self) -> Option<Input> {
        let position = self.position;
        self.position += 1;
        if position >= self.until || self.redrawn == Some(position) {
            return None;
        }
        self.inputs.get(position).cloned()
    }
}

impl InputSource for Changed {
    fn nondet(&mut self, asked: &Asked<'_>) -> Option<u128> {
        match self.repeated() {
            Some(Input::Nondet { value, .. }) => Some(truncate(value, asked.scalar.width())),
            _ => self.rest.nondet(asked),
        }
    }

    fn choice(&mut self, open: u32) -> Option<u32> {
        match self.repeated() {
            Some(Input::Choice { edge }) if edge < open => Some(edge),
            _ => self.rest.choice(open),
        }
    }

    fn allocation(&mut self, bytes: u64) -> Option<bool> {
        self.position += 1;
        self.rest.allocation(bytes)
    }

    fn call(&mut self, function: &str, result: Option<Scalar>) -> Option<CallEffect> {
        self.rest.call(function, result)
    }

    fn argument(&mut self, name: &str, types: &Types, ty: TypeId) -> Option<ArgumentValue> {
        match self.repeated() {
            Some(Input::Argument { name: given, value }) if given == name => Some(value),
            _ => self.rest.argument(name, types, ty),
        }
    }
}

impl<'a> Chance<'a> {
    /// Nothing was tried yet.
    pub fn new(program: &'a Program, sites: &'a ErrorSites, entry: FuncId, budget: Budget) -> Self {
        Self {
            program,
            sites,
            entry,
            budget,
            constants: Rc::new(Constants::of(program)),
            kept: Vec::new(),
            covered: Coverage::default(),
            seed: 0,
            without_inputs: 0,
            runs: 0,
        }
    }

    /// How many runs covered something new.
    pub fn kept(&self) -> usize {
        self.kept.len()
    }

    /// Makes a run.
    pub fn advance(&mut self) -> Chanced {
        self.runs += 1;
        let mut inputs = self.inputs();
        let options = replay::run_options(self.program, self.entry, self.sites);
        let limited = self.budget.with_steps(LONGEST);
        let mut counter =
            Counter { sites: self.sites, taken: FxHashMap::default(), is_wrong: false };
        let program = self.program;
        let run = interpret_observed(
            program,
            &options,
            &mut inputs,
            &mut Discarded,
            &limited,
            &mut counter,
        );
        let is_wrong = counter.is_wrong
            || matches!(run.outcome, Outcome::Error { .. })
            || self.sites.faults().of(&run).is_some();
        if is_wrong && let Some(error) = self.watched(run.trace.clone()) {
            return Chanced::Error(Box::new(error));
        }
        self.keep(run, &counter.taken)
    }

    /// The inputs of the next run.
    fn inputs(&mut self) -> Changed {
        self.seed += 1;
        let mut rest = SeedSource::new(self.seed).with_constants(self.constants.clone());
        let mut inputs: Rc<[Input]> = Rc::from([]);
        let (mut until, mut redrawn) = (0, None);
        if !self.kept.is_empty() && rest.next_below(AFRESH) != 0 {
            // The latest ones know the most.
            let latest = rest.next_below(self.kept.len() as u64);
            let any = rest.next_below(self.kept.len() as u64);
            inputs = self.kept[latest.max(any) as usize].clone();
            let at = rest.next_below(inputs.len() as u64 + 1) as usize;
            match rest.next_below(3) {
                0 => until = at,
                1 => (until, redrawn) = (inputs.len(), Some(at)),
                _ => (until, redrawn) = (at, Some(rest.next_below(at as u64 + 1) as usize)),
            }
        }
        Changed { inputs, position: 0, redrawn, until, rest }
    }

    /// The counterexample of a run with these inputs.
    fn watched(&self, trace: InputTrace) -> Option<Counterexample> {
        let steps = self.budget.with_steps(2 * LONGEST);
        let Self { program, sites, entry, .. } = *self;
        run_again(program, sites, entry, &mut TraceSource::new(trace), &steps)
    }

    /// Keeps the inputs of a run if it is worth it.
    fn keep(&mut self, run: Run, taken: &FxHashMap<(FuncId, u32), u32>) -> Chanced {
        let mut inputs = run.trace.inputs;
        if inputs.iter().all(|input| matches!(input, Input::Allocation { .. })) {
            self.without_inputs += 1;
            if self.without_inputs == self.runs && self.runs >= WITHOUT_INPUTS {
                return Chanced::NoInputs;
            }
            return Chanced::More;
        }
        // Behind an assumption that fails, or a fault, nothing is to be found.
        let is_useless =
            matches!(run.outcome, Outcome::AssumptionFailed { .. } | Outcome::Undefined(_));
        if self.covered.add(taken) && !(is_useless && inputs.len() < 2) {
            inputs.truncate(MOST_INPUTS);
            if self.kept.len() == MOST_KEPT {
                self.kept.remove(0);
            }
            self.kept.push(inputs.into());
        }
        Chanced::More
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_grows_by_classes_of_counts() {
        let mut coverage = Coverage::default();
        let taken = |count| FxHashMap::from_iter([((FuncId(0), 7), count)]);
        assert!(coverage.add(&taken(1)));
        assert!(!coverage.add(&taken(1)));
        assert!(coverage.add(&taken(2)));
        assert!(!coverage.add(&taken(3)), "the same class as 2");
        assert!(coverage.add(&taken(4)));
        assert!(!coverage.add(&taken(1)));
    }
}
