//! Infeasible paths with their call structure, and the cuts through them (AFP 5.2).
//!
//! A path is a list of steps; cut `c` stands between step `c - 1` and step `c`, so there is one cut
//! more than steps. Each cut splits the steps into *its own part* (AFP's `phi-`) and the rest
//! (`phi+` with both halves of the calling context). In the outermost function the own part is
//! everything before the cut. Inside a call that returns later on the path it starts after the call,
//! so that the formula at the cut speaks about the values at the entry of the function and the
//! current ones only: a summary of the function so far, valid for every caller. The own part is
//! always a contiguous range of steps, finished calls included.
//!
//! A call that does not return on the path opens no own part (AFP assumes that every call returns):
//! what the path needs of the caller's state is carried into the callee, over the symbols that the
//! callee still mentions.

use crate::term::{Symbol, Term, Terms};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What a step does to the call stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// Stays in its function.
    Inner,
    /// Passes the arguments and enters a function; the formula belongs to the caller.
    Call,
    /// Leaves the function entered last and takes over its results; the formula belongs to the
    /// caller.
    Return,
}

/// One step: a formula over SSA symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does to the call stack.
    pub kind: StepKind,
    /// The relation between the symbols before and after.
    pub formula: Term,
}

impl Step {
    /// A step inside its function.
    pub fn inner(formula: Term) -> Self {
        Self { kind: StepKind::Inner, formula }
    }

    /// A call.
    pub fn call(formula: Term) -> Self {
        Self { kind: StepKind::Call, formula }
    }

    /// A return.
    pub fn returning(formula: Term) -> Self {
        Self { kind: StepKind::Return, formula }
    }
}

/// Why a list of steps is no path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("step {step} returns, but no call is open there")]
pub struct UnmatchedReturn {
    /// The step.
    pub step: usize,
}

/// A path: steps, their call structure, and where each symbol occurs.
#[derive(Clone, Debug)]
pub struct Path {
    steps: Vec<Step>,
    /// For each cut, the first step of its own part.
    start: Vec<usize>,
    /// For each returning step, its call.
    call_of: Vec<Option<usize>>,
    /// For each calling step, whether it returns.
    returns: Vec<bool>,
    /// The steps that mention a symbol, increasing.
    occurrences: FxHashMap<Symbol, Vec<u32>>,
}

impl Path {
    /// A path with these steps.
    pub fn new(terms: &mut Terms, steps: Vec<Step>) -> Result<Self, UnmatchedReturn> {
        let mut call_of = vec![None; steps.len()];
        let mut returns = vec![false; steps.len()];
        let mut open = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            match step.kind {
                StepKind::Inner => {}
                StepKind::Call => open.push(at),
                StepKind::Return => {
                    let call = open.pop().ok_or(UnmatchedReturn { step: at })?;
                    call_of[at] = Some(call);
                    returns[call] = true;
                }
            }
        }
        let mut start = vec![0];
        let mut starts = vec![0];
        for at in 0..steps.len() {
            if returns[at] {
                starts.push(at + 1);
            } else if call_of[at].is_some() {
                starts.pop();
            }
            start.push(starts.last().copied().unwrap_or(0));
        }
        let occurrences = occurrences_of(terms, &steps);
        Ok(Self { steps, start, call_of, returns, occurrences })
    }

    /// A path inside one function.
    pub fn flat(terms: &mut Terms, formulas: &[Term]) -> Self {
        let steps: Vec<Step> = formulas.iter().map(|&f| Step::inner(f)).collect();
        let occurrences = occurrences_of(terms, &steps);
        let count = steps.len();
        Self {
            steps,
            start: vec![0; count + 1],
            call_of: vec![None; count],
            returns: vec![false; count],
            occurrences,
        }
    }

    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many steps there are; the cuts are numbered from 0 to this.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The steps of the own part of a cut.
    pub fn own_part(&self, cut: usize) -> Range<usize> {
        self.start[cut]..cut
    }

    /// The call that a returning step ends.
    pub fn call_of(&self, step: usize) -> Option<usize> {
        self.call_of[step]
    }

    /// Whether a step is a call that returns on the path.
    pub fn is_returning_call(&self, step: usize) -> bool {
        self.returns[step]
    }

    /// Whether a symbol occurs on both sides of a cut: only such may occur in its formula.
    pub fn is_shared(&self, symbol: Symbol, cut: usize) -> bool {
        let Some(steps) = self.occurrences.get(&symbol) else { return false };
        let own = self.own_part(cut);
        let before = steps.partition_point(|&s| (s as usize) < own.start);
        let through = steps.partition_point(|&s| (s as usize) < own.end);
        through > before && (before > 0 || through < steps.len())
    }

    /// The symbols that occur on both sides of each cut, in increasing order.
    pub fn shared_symbols(&self) -> Vec<Vec<Symbol>> {
        let mut shared = vec![Vec::new(); self.len() + 1];
        let mut symbols: Vec<&Symbol> = self.occurrences.keys().collect();
        symbols.sort_unstable();
        for &symbol in symbols {
            let steps = &self.occurrences[&symbol];
            let (Some(&first), Some(&last)) = (steps.first(), steps.last()) else { continue };
            // After its last occurrence a symbol can be shared only inside a call that was entered
            // after its first.
            for (cut, shared) in shared.iter_mut().enumerate().skip(first as usize + 1) {
                if cut > last as usize && self.start[cut] <= first as usize {
                    continue;
                }
                if self.is_shared(symbol, cut) {
                    shared.push(symbol);
                }
            }
        }
        shared
    }

    /// The same path with only some of its steps: the others demand nothing.
    pub fn restricted(&self, terms: &mut Terms, keep: &[bool]) -> Self {
        let kept = |(step, &keep): (&Step, &bool)| if keep { step.formula } else { terms.tt() };
        let formulas: Vec<Term> = self.steps.iter().zip(keep).map(kept).collect();
        self.with_formulas(terms, &formulas)
    }

    /// The same path with other formulas; there must be one per step.
    pub fn with_formulas(&self, terms: &mut Terms, formulas: &[Term]) -> Self {
        let mut path = self.clone();
        for (step, &formula) in path.steps.iter_mut().zip(formulas) {
            step.formula = formula;
        }
        path.occurrences = occurrences_of(terms, &path.steps);
        path
    }
}

/// The steps that mention each symbol.
fn occurrences_of(terms: &mut Terms, steps: &[Step]) -> FxHashMap<Symbol, Vec<u32>> {
    let mut occurrences: FxHashMap<Symbol, Vec<u32>> = FxHashMap::default();
    for (at, step) in steps.iter().enumerate() {
        for &symbol in &*terms.free_symbols(step.formula) {
            occurrences.entry(symbol).or_default().push(at as u32);
        }
    }
    occurrences
}
