//! The abstraction of all steps under the present predicates, made where it is needed and kept.
//!
//! A relation is made again only if the predicates that are tracked at the ends of its step changed.
//! The vocabulary has room for more predicates than there are; when it is full, a larger one takes its
//! place and the relations that are known move over.

use std::sync::Arc;

use gnomon_bdd::{Bdd, BddError, BddSpace, Renaming, Var, Vocabulary};
use gnomon_budget::{Budget, Exhausted};
use gnomon_logic::{Solver, Terms};
use gnomon_predabs::PredicateId;
use rustc_hash::FxHashMap;

use super::ghosts::Reading;
use super::graph::{Action, Graph, NodeId, StepId};
use super::merge::MiddleCopies;
use super::relation::{Bit, RelationOptions, RelationStatistics, Relations};
use super::transfer::{Meaning, Transfer, Transfers};
use crate::refine::Tracking;

/// The relations of a step.
#[derive(Clone, Debug)]
pub enum Abstract {
    /// Of a start or a chain.
    Plain(Bdd),
    /// Of a call: into the callee, and with the callee's end in the middle copies to behind the call.
    Call {
        /// Into the callee.
        enter: Bdd,
        /// To behind the call.
        receive: Bdd,
    },
}

/// What a relation was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ends {
    before: Vec<PredicateId>,
    /// At the callee's ends, for calls.
    callee: [Vec<PredicateId>; 2],
    after: Vec<PredicateId>,
    options: RelationOptions,
}

/// The abstraction of a graph.
#[derive(Debug)]
pub struct Abstraction {
    space: BddSpace,
    vocabulary: Vocabulary,
    copies: Arc<MiddleCopies>,
    known: FxHashMap<StepId, (Ends, Abstract)>,
    /// The valuations with which nodes lie on a path to a target, over the copies before; none for
    /// those of which nothing is known.
    stores: FxHashMap<NodeId, Bdd>,
    /// Steps that get more effort.
    pub exact: rustc_hash::FxHashSet<StepId>,
    /// The usual effort.
    pub options: RelationOptions,
    /// What was asked.
    pub statistics: RelationStatistics,
    /// How often the relations of a step were made.
    pub abstracted: u64,
}

/// Where relations come from.
pub struct Tracked<'a> {
    /// The arena.
    pub terms: &'a mut Terms,
    /// The solver.
    pub solver: &'a mut dyn Solver,
    /// The graph.
    pub graph: &'a Graph,
    /// The formulas of its steps.
    pub transfers: &'a Transfers,
    /// The predicates, and where they are tracked.
    pub tracking: &'a Tracking,
}

impl Tracked<'_> {
    /// The predicates that are tracked at a node and in scope there.
    pub fn at(&self, node: NodeId) -> Vec<PredicateId> {
        self.tracking.at(self.graph, node)
    }

    fn bits(&mut self, ids: &[PredicateId], reading: &Reading, copies: &[Var]) -> Vec<Bit> {
        let mut bits = Vec::with_capacity(ids.len());
        for &id in ids {
            let atom = self.tracking.predicates.get(id).atom;
            let atom = reading.instantiate(self.terms, &self.tracking.ghosts, atom);
            bits.push(Bit { var: copies[id.0 as usize], atom });
        }
        bits
    }
}

/// One end of a relation.
#[derive(Clone, Copy)]
struct End<'a> {
    node: Option<NodeId>,
    tracked: &'a [PredicateId],
}

const NO_END: End<'static> = End { node: None, tracked: &[] };

/// State variables of the first vocabulary.
const FIRST_VARIABLES: u32 = 32;

impl Abstraction {
    /// In a space with room for so many nodes.
    pub fn new(nodes: usize, options: RelationOptions, budget: &Budget) -> Result<Self, BddError> {
        let space = BddSpace::new(nodes)?;
        space.set_budget(budget.clone());
        let vocabulary = Vocabulary::new(&space, FIRST_VARIABLES)?;
        let copies = MiddleCopies::new(&vocabulary)?;
        Ok(Self {
            space,
            vocabulary,
            copies,
            known: FxHashMap::default(),
            stores: FxHashMap::default(),
            exact: Default::default(),
            options,
            statistics: RelationStatistics::default(),
            abstracted: 0,
        })
    }

    /// The variables of the relations: the state variable of a predicate has its number.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The variables of a callee's end.
    pub fn copies(&self) -> &Arc<MiddleCopies> {
        &self.copies
    }

    /// Works with another budget from now on.
    pub fn set_budget(&self, budget: &Budget) {
        self.space.set_budget(budget.clone());
    }

    /// From now on, only these valuations (over the copies before) matter at a node.
    pub fn restrict(&mut self, node: NodeId, stores: Bdd) {
        self.stores.insert(node, stores);
    }

    /// What matters at the ends of a relation.
    fn within(&self, ends: [(Option<NodeId>, &[Var]); 3]) -> Result<Bdd, BddError> {
        let mut within = self.space.top();
        for (node, copies) in ends {
            let Some(stores) = node.and_then(|node| self.stores.get(&node)) else { continue };
            let pairs: Vec<_> =
                self.vocabulary.before().iter().copied().zip(copies.iter().copied()).collect();
            let moved = stores.rename(&self.space.renaming(&pairs)?)?;
            within = within.and(&moved)?;
        }
        Ok(within)
    }

    /// Makes room for so many predicates.
    pub fn make_room(&mut self, predicates: usize) -> Result<(), BddError> {
        if predicates <= self.vocabulary.len() {
            return Ok(());
        }
        let count = predicates.next_power_of_two() as u32;
        let larger = Vocabulary::new(&self.space, count)?;
        let mut pairs = Vec::new();
        for (old, new) in [
            (self.vocabulary.before(), larger.before()),
            (self.vocabulary.between(), larger.between()),
            (self.vocabulary.after(), larger.after()),
        ] {
            pairs.extend(old.iter().copied().zip(new.iter().copied()));
        }
        let renaming = self.space.renaming(&pairs)?;
        for (_, relations) in self.known.values_mut() {
            *relations = relations.renamed(&renaming)?;
        }
        for stores in self.stores.values_mut() {
            *stores = stores.rename(&renaming)?;
        }
        self.copies = MiddleCopies::new(&larger)?;
        self.vocabulary = larger;
        Ok(())
    }

    /// The relations of a step under the predicates that are tracked at its ends.
    pub fn of(
        &mut self,
        tracked: &mut Tracked<'_>,
        step: StepId,
        budget: &Budget,
    ) -> Result<Abstract, AbstractionError> {
        let ends = self.ends(tracked, step);
        if let Some((made_for, known)) = self.known.get(&step)
            && *made_for == ends
        {
            return Ok(known.clone());
        }
        budget.check()?;
        self.abstracted += 1;
        let (graph, transfers) = (tracked.graph, tracked.transfers);
        let (from, to) = (graph.step(step).from, graph.step(step).to);
        let relations = match (transfers.of(step), &graph.step(step).action) {
            (Meaning::Call { enter, finished }, Action::Call { callee, .. }) => {
                let ends_of_callee = graph.ends(*callee);
                let entry = End { node: ends_of_callee.map(|e| e.0), tracked: &ends.callee[0] };
                let exit = End { node: ends_of_callee.map(|e| e.1), tracked: &ends.callee[1] };
                let before = End { node: Some(from), tracked: &ends.before };
                let after = End { node: Some(to), tracked: &ends.after };
                Abstract::Call {
                    enter: self.relation(tracked, enter, &ends, [before, NO_END, entry])?,
                    receive: self.relation(tracked, finished, &ends, [before, exit, after])?,
                }
            }
            (Meaning::Plain(transfer) | Meaning::Call { finished: transfer, .. }, _) => {
                let before = End { node: Some(from), tracked: &ends.before };
                let after = End { node: Some(to), tracked: &ends.after };
                Abstract::Plain(self.relation(tracked, transfer, &ends, [before, NO_END, after])?)
            }
        };
        self.known.insert(step, (ends, relations.clone()));
        Ok(relations)
    }

    fn ends(&self, tracked: &Tracked<'_>, id: StepId) -> Ends {
        let step = tracked.graph.step(id);
        let mut callee = [Vec::new(), Vec::new()];
        if let Action::Call { callee: func, .. } = step.action
            && let Some((entry, exit)) = tracked.graph.ends(func)
        {
            callee = [tracked.at(entry), tracked.at(exit)];
        }
        let options = if self.exact.contains(&id) { self.options.exact() } else { self.options };
        Ends { before: tracked.at(step.from), callee, after: tracked.at(step.to), options }
    }

    fn relation(
        &mut self,
        tracked: &mut Tracked<'_>,
        transfer: &Transfer,
        ends: &Ends,
        [before, middle, after]: [End<'_>; 3],
    ) -> Result<Bdd, BddError> {
        let vocabulary = self.vocabulary.clone();
        let mut inputs = tracked.bits(before.tracked, &transfer.before, vocabulary.before());
        if let Some(reading) = &transfer.callee_end {
            inputs.extend(tracked.bits(middle.tracked, reading, vocabulary.between()));
        }
        let outputs = tracked.bits(after.tracked, &transfer.after, vocabulary.after());
        let within = self.within([
            (before.node, vocabulary.before()),
            (middle.node, vocabulary.between()),
            (after.node, vocabulary.after()),
        ])?;
        Relations {
            terms: tracked.terms,
            solver: tracked.solver,
            space: &self.space,
            options: ends.options,
            within: &within,
            statistics: &mut self.statistics,
        }
        .relation(transfer.formula, &inputs, &outputs)
    }
}

impl Abstract {
    fn renamed(&self, renaming: &Renaming) -> Result<Self, BddError> {
        Ok(match self {
            Self::Plain(relation) => Self::Plain(relation.rename(renaming)?),
            Self::Call { enter, receive } => {
                Self::Call { enter: enter.rename(renaming)?, receive: receive.rename(renaming)? }
            }
        })
    }
}

/// Why a step has no relation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AbstractionError {
    /// Of the diagrams.
    #[error(transparent)]
    Bdd(#[from] BddError),
    /// The budget ran out.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}
