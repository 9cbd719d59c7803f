//! Predicates from the whole program at once.
//!
//! When paths give predicates that do not generalise, the blocks between all cut points are handed
//! to a solver for Horn clauses as one system. If it finds invariants, their atoms become
//! predicates; the exploration then proves the program with them, step by step as always. So
//! nothing depends on that solver being right, only the choice of predicates does.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use gnomon_logic::interpolate::system::{Applied, HornSystem, RelationId};
use gnomon_logic::{Answer, Limits, Purpose, Solver, Term, Terms, Variable};

use crate::blocks::Block;
use crate::control::ControlId;
use crate::explore::End;

/// Whether arithmetic wraps around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapping {
    /// As it does.
    Exact,
    /// It never does: simpler, and often enough to find the right predicates.
    Ignored,
}

/// The limit of a query whether one block keeps invariants.
const SOLUTION_QUERY: u32 = 10_000_000;

/// All blocks of a program.
#[derive(Debug, Default)]
pub struct BlockGraph {
    /// The blocks of an execution's start.
    pub first: Vec<Rc<Block>>,
    /// The blocks that begin at each cut point.
    pub from: BTreeMap<ControlId, Vec<Rc<Block>>>,
}

impl BlockGraph {
    /// Whether it matters for any block that numbers wrap around.
    pub fn may_wrap(&self) -> bool {
        let blocks = self.first.iter().chain(self.from.values().flatten());
        blocks.into_iter().any(|block| block.formula != block.unwrapped)
    }

    /// An invariant for each cut point such that no forbidden end is reached, or why there is
    /// none. With [`Wrapping::Ignored`] they are candidates only.
    pub fn invariants(
        &self,
        terms: &mut Terms,
        wrapping: Wrapping,
        is_forbidden: impl Fn(&End) -> bool,
        resources: u32,
        limit: Duration,
    ) -> Result<BTreeMap<ControlId, Term>, String> {
        let live = self.live(terms);
        let mut system = HornSystem::new();
        let mut relations: BTreeMap<ControlId, RelationId> = BTreeMap::new();
        for (&place, variables) in &live {
            let parameters = variables.iter().map(|&v| terms.var_at(v, 0)).collect();
            relations.insert(place, system.relation(parameters));
        }
        let starts = self.first.iter().map(|block| (None, block));
        let later =
            self.from.iter().flat_map(|(&p, blocks)| blocks.iter().map(move |b| (Some(p), b)));
        for (place, block) in starts.chain(later) {
            let premise = match place {
                None => None,
                Some(place) => {
                    let arguments = live[&place].iter().map(|&v| terms.var_at(v, 0)).collect();
                    Some(Applied { relation: relations[&place], arguments })
                }
            };
            let conclusion = match &block.end {
                End::Control(to) => {
                    let Some(variables) = live.get(to) else { continue };
                    let at = |v: &Variable| terms.var_at(*v, block.after.index(*v));
                    let arguments = variables.iter().map(at).collect();
                    Some(Applied { relation: relations[to], arguments })
                }
                end if is_forbidden(end) => None,
                _ => continue,
            };
            let body = match wrapping {
                Wrapping::Exact => block.formula,
                Wrapping::Ignored => block.unwrapped,
            };
            system.clause(premise, body, conclusion);
        }
        let formulas = system.solve(terms, resources, limit)?;
        let mut invariants = BTreeMap::new();
        for (place, formula) in relations.keys().zip(formulas) {
            invariants.insert(*place, terms.without_indices(formula));
        }
        Ok(invariants)
    }

    /// Whether formulas without indices hold at all cut points and exclude every forbidden end, with
    /// arithmetic as it is. If the solver cannot tell, they do not.
    pub fn is_solution(
        &self,
        invariants: &BTreeMap<ControlId, Term>,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        is_forbidden: impl Fn(&End) -> bool,
    ) -> bool {
        let starts = self.first.iter().map(|block| (None, block));
        let later =
            self.from.iter().flat_map(|(&p, blocks)| blocks.iter().map(move |b| (Some(p), b)));
        starts.chain(later).all(|(place, block)| {
            let mut premises = vec![block.formula];
            if let Some(place) = place {
                let Some(&before) = invariants.get(&place) else { return false };
                premises.push(terms.instantiate(before, |_| 0));
            }
            match &block.end {
                End::Control(to) => {
                    let Some(&behind) = invariants.get(to) else { return false };
                    let behind = terms.instantiate(behind, |v| block.after.index(v));
                    premises.push(terms.not(behind));
                }
                end if is_forbidden(end) => {}
                _ => return true,
            }
            let limits = Limits::default().with_resources(SOLUTION_QUERY);
            solver.check(terms, &premises, Purpose::ABSTRACTION, limits) == Answer::Unsat
        })
    }

    /// The variables whose values matter at each cut point.
    pub fn live(&self, terms: &mut Terms) -> BTreeMap<ControlId, BTreeSet<Variable>> {
        let mut live: BTreeMap<ControlId, BTreeSet<Variable>> = BTreeMap::new();
        for (&place, blocks) in &self.from {
            let own = live.entry(place).or_default();
            for block in blocks {
                let used = terms.free_symbols(block.formula);
                own.extend(used.iter().filter(|s| s.index == Some(0)).map(|s| s.variable));
            }
        }
        loop {
            let mut changed = false;
            for (&place, blocks) in &self.from {
                for block in blocks {
                    let End::Control(to) = &block.end else { continue };
                    let Some(behind) = live.get(to) else { continue };
                    let kept: Vec<Variable> =
                        behind.iter().copied().filter(|&v| block.after.index(v) == 0).collect();
                    let own = live.entry(place).or_default();
                    let before = own.len();
                    own.extend(kept);
                    changed |= own.len() > before;
                }
            }
            if !changed {
                return live;
            }
        }
    }
}
