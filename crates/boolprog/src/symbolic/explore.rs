//! Forward search on the fly: the tabulation of Bebop with relations in place of single pairs.
//!
//! Only what the program can reach is computed, and the search stops as soon as a target is
//! reached. A worklist in reverse post-order propagates what is new at a point; a call adds entry
//! states to its callee and applies what is known of the callee so far, a growing summary is
//! applied at all call sites. Layers are ranked by the order of their discovery, which is enough to
//! read off *an* execution, though not the shortest.

use std::collections::BTreeSet;

use gnomon_bdd::{Bdd, BddError};
use gnomon_budget::Budget;

use super::encoding::{EdgeRelation, Encoding};
use super::layers::{Layered, Layers, Ranking, TraceError};
use crate::interpret::TracePlan;
use crate::model::{Action, EdgeId, Model, PointId, ProcId};

/// A search and what it found so far.
#[derive(Debug)]
pub struct Exploration<'e, 'm> {
    /// What was reached.
    pub layers: Layers<'e, 'm>,
    /// By procedure: the states it is entered with, over the copies before.
    pub entries: Vec<Layered>,
    pending: Vec<Option<Bdd>>,
    queue: BTreeSet<(u32, PointId)>,
    priority: Vec<u32>,
    callers: Vec<Vec<EdgeId>>,
    effects: Vec<Option<Bdd>>,
    stamp: u32,
    budget: Budget,
    /// How many times a point was taken from the worklist.
    pub propagations: u64,
}

impl<'e, 'm> Exploration<'e, 'm> {
    /// A search that has only entered `main`.
    pub fn new(encoding: &'e Encoding<'m>, budget: &Budget) -> Result<Self, BddError> {
        let model = encoding.model;
        let mut callers = vec![Vec::new(); model.procedures.len()];
        for (id, edge) in model.edges() {
            if let Action::Call { callee, .. } = &edge.action {
                callers[callee.index()].push(id);
            }
        }
        let mut search = Self {
            layers: Layers::new(encoding, Ranking::Stamps),
            entries: model.procedures.iter().map(|_| Layered::empty(encoding)).collect(),
            pending: vec![None; model.points.len()],
            queue: BTreeSet::new(),
            priority: reverse_post_order(model),
            callers,
            effects: vec![None; model.edges.len()],
            stamp: 0,
            budget: budget.clone(),
            propagations: 0,
        };
        search.enter(model.main, encoding.initial())?;
        Ok(search)
    }

    fn tick(&mut self) -> u32 {
        self.stamp += 1;
        self.stamp
    }

    fn enter(&mut self, procedure: ProcId, states: &Bdd) -> Result<(), BddError> {
        let rank = self.tick();
        if let Some(new) = self.entries[procedure.index()].add(rank, states)? {
            let relation = self.layers.entry_relation(procedure, &new)?;
            let entry = self.layers.encoding.model.procedure(procedure).entry;
            self.reach(entry, &relation)?;
        }
        Ok(())
    }

    fn reach(&mut self, point: PointId, pairs: &Bdd) -> Result<(), BddError> {
        let rank = self.tick();
        if let Some(new) = self.layers.points[point.index()].add(rank, pairs)? {
            let waiting = &mut self.pending[point.index()];
            *waiting = Some(match waiting.take() {
                Some(old) => old.or(&new)?,
                None => new,
            });
            self.queue.insert((self.priority[point.index()], point));
        }
        Ok(())
    }

    /// Searches until one of `targets` is reached (and says which) or nothing new can be.
    pub fn run(&mut self, targets: &[PointId]) -> Result<Option<PointId>, BddError> {
        loop {
            if let Some(&target) = targets.iter().find(|t| self.is_reached(**t)) {
                return Ok(Some(target));
            }
            let Some((_, point)) = self.queue.pop_first() else { return Ok(None) };
            let Some(new) = self.pending[point.index()].take() else { continue };
            self.budget.check()?;
            self.propagations += 1;
            if self.propagations.is_multiple_of(64) {
                let nodes = self.layers.encoding.space().nodes_in_table();
                let (steps, left) = (self.propagations, self.queue.len());
                self.budget.report(
                    "explore",
                    format_args!("{steps} propagations, {left} waiting, {nodes} BDD nodes"),
                );
            }
            self.propagate(point, &new)?;
        }
    }

    /// Searches on until nothing new can be reached, within a budget of its own.
    pub fn complete(&mut self, budget: &Budget) -> Result<(), BddError> {
        let own = std::mem::replace(&mut self.budget, budget.clone());
        let result = self.run(&[]).map(|_| ());
        self.budget = own;
        result
    }

    /// Whether a point was reached.
    pub fn is_reached(&self, point: PointId) -> bool {
        !self.layers.points[point.index()].layers.is_empty()
    }

    fn propagate(&mut self, point: PointId, new: &Bdd) -> Result<(), BddError> {
        let encoding = self.layers.encoding;
        let vocabulary = encoding.vocabulary();
        let procedure = encoding.model.point(point).procedure;
        for (id, edge) in encoding.model.outgoing(point) {
            match encoding.of(id) {
                EdgeRelation::Step(relation) => {
                    let after = vocabulary.compose(new, relation)?;
                    self.reach(edge.to, &after)?;
                }
                EdgeRelation::Call { enter, .. } => {
                    let Action::Call { callee, .. } = &edge.action else { continue };
                    let states = vocabulary.range(&vocabulary.compose(new, enter)?)?;
                    self.enter(*callee, &states)?;
                    if let Some(effect) = self.effects[id.index()].clone() {
                        let after = vocabulary.compose(new, &effect)?;
                        self.reach(edge.to, &after)?;
                    }
                }
                EdgeRelation::Return(relation) => {
                    let summary = vocabulary.compose(new, relation)?;
                    self.summarise(procedure, &summary)?;
                }
                EdgeRelation::Never => {}
            }
        }
        Ok(())
    }

    fn summarise(&mut self, procedure: ProcId, pairs: &Bdd) -> Result<(), BddError> {
        let rank = self.tick();
        let Some(new) = self.layers.summaries[procedure.index()].add(rank, pairs)? else {
            return Ok(());
        };
        let encoding = self.layers.encoding;
        for id in self.callers[procedure.index()].clone() {
            let EdgeRelation::Call { enter, receive } = encoding.of(id) else { continue };
            let added = encoding.call_effect(enter, receive, &new)?;
            let edge = encoding.model.edge(id);
            let effect = match &self.effects[id.index()] {
                Some(old) => old.or(&added)?,
                None => added.clone(),
            };
            self.effects[id.index()] = Some(effect);
            let at_call = self.layers.points[edge.from.index()].total.clone();
            if !at_call.is_false() {
                let after = encoding.vocabulary().compose(&at_call, &added)?;
                self.reach(edge.to, &after)?;
            }
        }
        Ok(())
    }

    /// The states reachable at a point, over the copies before and the variables in scope.
    pub fn values(&self, point: PointId) -> Result<Bdd, BddError> {
        let encoding = self.layers.encoding;
        let states = encoding.vocabulary().range(&self.layers.points[point.index()].total)?;
        encoding.in_scope(encoding.model.point(point).procedure, &states)
    }

    /// An execution that reaches `target`, which was reached.
    pub fn trace(&self, target: PointId) -> Result<TracePlan, TraceError> {
        let layers = &self.layers;
        let encoding = layers.encoding;
        let model = encoding.model;
        let vocabulary = encoding.vocabulary();
        let mut point = target;
        let first = layers.points[point.index()]
            .layers
            .first()
            .ok_or(TraceError::Inconsistent(target.0))?;
        let mut rank = first.rank;
        let inconsistent = |p: PointId| TraceError::Inconsistent(p.0);
        let mut entry =
            layers.pick(&vocabulary.domain(&first.new)?).ok_or_else(|| inconsistent(point))?;
        let mut state = layers
            .pick(&layers.successors(&entry, &first.new)?)
            .ok_or_else(|| inconsistent(point))?;
        let mut rest = Vec::new();
        loop {
            let path = layers.local_path(&entry, point, &state, rank)?;
            let procedure = model.point(point).procedure;
            let caller = self.entering(procedure, &entry)?;
            let Some((call, outer_entry, outer_state, outer_rank)) = caller else {
                return Ok(layers.plan(path, rest));
            };
            let mut steps = vec![(call, layers.wishes(procedure, &path.first))];
            steps.extend(path.steps);
            steps.append(&mut rest);
            rest = steps;
            point = model.edge(call).from;
            (entry, state, rank) = (outer_entry, outer_state, outer_rank);
        }
    }

    /// Who entered `procedure` with this state first, unless it was the start of the program.
    #[allow(clippy::type_complexity)]
    fn entering(
        &self,
        procedure: ProcId,
        entry: &super::layers::FullState,
    ) -> Result<Option<(EdgeId, super::layers::FullState, super::layers::FullState, u32)>, TraceError>
    {
        let layers = &self.layers;
        let encoding = layers.encoding;
        let vocabulary = encoding.vocabulary();
        let model = encoding.model;
        // Locals that are not parameters do not matter for who entered.
        let same_entry = layers.entry_relation(procedure, &encoding.space().top())?;
        let states = layers.successors(entry, &same_entry)?;
        let here = &self.entries[procedure.index()];
        let found = here.layers.iter().find(|l| l.new.intersects(&states).unwrap_or(false));
        let rank = found.ok_or(TraceError::Inconsistent(model.procedure(procedure).entry.0))?.rank;
        if procedure == model.main && states.intersects(encoding.initial())? {
            return Ok(None);
        }
        for &id in &self.callers[procedure.index()] {
            let EdgeRelation::Call { enter, .. } = encoding.of(id) else { continue };
            let from = model.edge(id).from;
            let before_call = vocabulary.preimage(&states, enter)?;
            for layer in layers.points[from.index()].layers.iter().filter(|l| l.rank < rank) {
                let matching = vocabulary.preimage(&before_call, &layer.new)?;
                let Some(outer) = layers.pick(&matching) else { continue };
                let at_call = layers.successors(&outer, &layer.new)?.and(&before_call)?;
                let Some(state) = layers.pick(&at_call) else { continue };
                return Ok(Some((id, outer, state, layer.rank)));
            }
        }
        Err(TraceError::Inconsistent(model.procedure(procedure).entry.0))
    }
}

/// For each point its place in a reverse post-order of its procedure; callees come before the
/// points behind their calls because summaries wake those.
pub(crate) fn reverse_post_order(model: &Model) -> Vec<u32> {
    let mut order = vec![u32::MAX; model.points.len()];
    let mut seen = vec![false; model.points.len()];
    let mut finished: Vec<PointId> = Vec::new();
    for procedure in &model.procedures {
        let mut stack = vec![(procedure.entry, 0)];
        seen[procedure.entry.index()] = true;
        while let Some((point, next)) = stack.pop() {
            let successor = model.outgoing(point).nth(next).map(|(_, e)| e.to);
            match successor {
                Some(to) => {
                    stack.push((point, next + 1));
                    if !std::mem::replace(&mut seen[to.index()], true) {
                        stack.push((to, 0));
                    }
                }
                None => finished.push(point),
            }
        }
    }
    for (place, point) in finished.iter().rev().enumerate() {
        order[point.index()] = place as u32;
    }
    order
}
