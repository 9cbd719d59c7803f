//! The blocks of a program, each encoded once, and paths made of them.
//!
//! A block is encoded from fresh indices on, so its formula does not depend on how it was reached
//! and can be kept. On a path the formulas follow each other: [`PathFormula`] moves the indices of
//! each block behind those of the blocks before it, and gives what is private to a block the
//! block's position, so that two passes of one block share nothing but the values between them.

use std::rc::Rc;

use gnomon_logic::encode::{Execution, Move, NotEncoded, Ssa};
use gnomon_logic::{Model, Scope, Symbol, Term, Terms, Variable};
use rustc_hash::FxHashMap;

use crate::control::ControlId;
use crate::explore::{End, ExploreError, Explorer, OriginId, Strand};
use crate::tracked::TrackedElements;
use crate::wrapping::Counters;

/// A block from one cut point to the next end.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its number among all blocks.
    pub id: u32,
    /// Where it ends.
    pub end: End,
    /// What it does, from the indices of [`Ssa::new`] on.
    pub formula: Term,
    /// What counts in it how often numbers wrap around.
    pub counters: Counters,
    /// The indices behind it.
    pub after: Ssa,
    /// The number of steps of its shortest path.
    pub steps: u32,
    origin: OriginId,
}

impl Block {
    /// How its executions came to its end.
    pub(crate) fn origin(&self) -> OriginId {
        self.origin
    }

    /// The block, if that is all it does.
    pub(crate) fn with_execution(&self, terms: &mut Terms, execution: &Execution) -> Self {
        let formula = execution.formula(terms);
        Self {
            formula,
            counters: Counters::of(terms, execution.auxiliaries()),
            after: execution.ssa().clone(),
            end: self.end.clone(),
            ..*self
        }
    }
}

/// All blocks met so far.
#[derive(Debug, Default)]
pub struct Blocks {
    /// The blocks of a place; those of an execution's very start are kept apart, since they also
    /// set the initial values (and the start may be a loop head).
    from: FxHashMap<(ControlId, bool), Rc<[Rc<Block>]>>,
    count: u32,
    /// Where arrays become single elements.
    tracked: Option<TrackedElements>,
}

impl Blocks {
    /// With single elements in place of arrays.
    pub fn with_tracked_elements(tracked: TrackedElements) -> Self {
        Self { tracked: Some(tracked), ..Self::default() }
    }

    /// The elements that stand for arrays, if they do.
    pub fn tracked_elements(&self) -> Option<&TrackedElements> {
        self.tracked.as_ref()
    }

    /// Lets positions of tracked elements stand for others, once all blocks are known.
    pub fn share_positions(&mut self, terms: &mut Terms) {
        let Some(tracked) = &mut self.tracked else { return };
        let shared = tracked.share_positions(terms);
        if shared.is_empty() {
            return;
        }
        for blocks in self.from.values_mut() {
            let replaced = blocks.iter().map(|block| {
                let formula = terms.substitute(block.formula, shared);
                Rc::new(Block { formula, ..(**block).clone() })
            });
            *blocks = replaced.collect();
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether none was met.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The blocks that begin at a place; `first` for the very first ones of an execution.
    pub fn from(
        &mut self,
        explorer: &mut Explorer<'_>,
        terms: &mut Terms,
        place: ControlId,
        first: bool,
    ) -> Result<Rc<[Rc<Block>]>, BlockError> {
        if let Some(known) = self.from.get(&(place, first)) {
            return Ok(known.clone());
        }
        let strand = match first {
            false => explorer.fresh_strand(),
            true => Strand {
                execution: explorer.encoder.advance(terms, Execution::default(), Move::Start)?,
                origin: explorer.origins.beginning(),
            },
        };
        let mut blocks = Vec::new();
        for (end, strand) in explorer.block(terms, place, strand)? {
            let formula = strand.execution.formula(terms);
            let counters = Counters::of(terms, strand.execution.auxiliaries());
            let after = strand.execution.ssa().clone();
            let block = Block {
                id: self.count,
                end,
                formula,
                counters,
                after,
                steps: explorer.origins.shortest(strand.origin),
                origin: strand.origin,
            };
            blocks.push(Rc::new(match &mut self.tracked {
                Some(tracked) => tracked.abstracted(terms, block, first),
                None => block,
            }));
            self.count += 1;
        }
        let blocks: Rc<[Rc<Block>]> = blocks.into();
        self.from.insert((place, first), blocks.clone());
        Ok(blocks)
    }
}

/// Why there are no blocks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// The exploration stopped.
    #[error(transparent)]
    Explore(#[from] ExploreError),
    /// The initial values cannot be encoded.
    #[error(transparent)]
    NotEncoded(#[from] NotEncoded),
}

/// How the indices of one block move.
#[derive(Clone, Debug)]
struct Shift {
    /// What index 0 becomes.
    present: Ssa,
    /// What is added to other indices.
    base: FxHashMap<Variable, u32>,
    position: u32,
}

impl Shift {
    fn apply(&self, terms: &mut Terms, formula: Term) -> Term {
        let auxiliary: Vec<Variable> = terms
            .free_symbols(formula)
            .iter()
            .filter(|s| s.index.is_none())
            .map(|s| s.variable)
            .filter(|v| terms.variable_info(*v).scope == Scope::Auxiliary)
            .collect();
        terms.reindex(formula, |Symbol { variable, index }| match index {
            None if auxiliary.binary_search(&variable).is_ok() => Some(self.position),
            None => None,
            Some(0) => Some(self.present.index(variable)),
            Some(index) => Some(self.base.get(&variable).copied().unwrap_or(0) + index),
        })
    }
}

/// The formulas of blocks in a row.
#[derive(Clone, Debug, Default)]
pub struct PathFormula {
    blocks: Vec<Rc<Block>>,
    shifts: Vec<Shift>,
    /// One for each block.
    pub formulas: Vec<Term>,
}

impl PathFormula {
    /// Of these blocks.
    pub fn new(terms: &mut Terms, blocks: Vec<Rc<Block>>) -> Self {
        let mut present = Ssa::new();
        let mut base: FxHashMap<Variable, u32> = FxHashMap::default();
        let mut path = Self { blocks, ..Self::default() };
        for (position, block) in path.blocks.iter().enumerate() {
            let shift =
                Shift { present: present.clone(), base: base.clone(), position: position as u32 };
            path.formulas.push(shift.apply(terms, block.formula));
            for (variable, greatest) in block.after.greatest() {
                let index = block.after.index(variable);
                let before = base.get(&variable).copied().unwrap_or(0);
                if index > 0 {
                    present.restore(variable, before + index);
                }
                base.insert(variable, before + greatest);
            }
            path.shifts.push(shift);
        }
        path
    }

    /// The indices before a block.
    pub fn before(&self, position: usize) -> &Ssa {
        &self.shifts[position].present
    }

    /// Every fact whose truth decides which path through the blocks a model takes.
    pub fn facts(&self, explorer: &Explorer<'_>, terms: &mut Terms) -> Vec<Term> {
        let mut facts = Vec::new();
        for (block, shift) in self.blocks.iter().zip(&self.shifts) {
            for fact in explorer.origins.facts(block.origin) {
                facts.push(shift.apply(terms, fact));
            }
        }
        facts
    }

    /// The steps through the blocks that a model of all facts takes.
    pub fn steps(
        &self,
        explorer: &Explorer<'_>,
        terms: &mut Terms,
        model: &Model,
    ) -> Option<Vec<Move>> {
        let mut steps = Vec::new();
        for (block, shift) in self.blocks.iter().zip(&self.shifts) {
            let mut own = Model::new();
            for fact in explorer.origins.facts(block.origin) {
                let shifted = shift.apply(terms, fact);
                if let Some(value) = model.get(shifted) {
                    own.set(fact, value.clone());
                }
            }
            steps.extend(explorer.origins.path(block.origin, &own)?.1);
        }
        Some(steps)
    }
}
