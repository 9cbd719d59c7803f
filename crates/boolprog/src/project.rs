//! Error projection (LAL 5.1, 5.2) and annotated error projection (LAL 5.3).
//!
//! A point is in the projection if some execution from the start to a target passes it. The
//! difficulty (LAL's *correlation problem*) is that what happens before the point and what happens
//! after it must fit together, through all unfinished calls. The relations used here keep the
//! state with which an activation was entered, which is all that before and after have in common:
//!
//! * `reached[n]` (from the forward search): entry state and state at `n`;
//! * `fails[n]`: states at `n` from which a target is reached before this activation returns;
//! * `leaves[n]`: state at `n` and state at the return of this activation;
//! * `doomed[P]`: entry and return states of `P` for which some caller goes on to a target.
//!
//! Then `n` in `P` is on an error path exactly where `reached[n]` meets
//! `fails[n] ∪ doomed[P] ∘ leaves[n]⁻¹`; the states at `n` there are the condition under which it
//! fails. This is the same least fixed point as the functional automata of the paper, computed
//! per procedure. A counterexample through the point comes from [`passing_through`].

use std::collections::BTreeSet;

use gnomon_bdd::{Bdd, BddError};
use gnomon_budget::Budget;

use crate::model::{Action, Edge, Model, PointId, Step, VarId};
use crate::slice::renumbered;
use crate::symbolic::encoding::{EdgeRelation, Encoding};
use crate::symbolic::explore::Exploration;

/// For each point the states at which it lies on an execution to a target; false for points
/// outside the projection.
#[derive(Debug)]
pub struct Projection {
    conditions: Vec<Bdd>,
}

impl Projection {
    /// Whether a point is in the projection.
    pub fn contains(&self, point: PointId) -> bool {
        !self.conditions[point.index()].is_false()
    }

    /// The states at a point from which, on the way from the start, a target is reached; over the
    /// copies before and the variables in scope.
    pub fn condition(&self, point: PointId) -> &Bdd {
        &self.conditions[point.index()]
    }
}

struct Backward<'e, 'm> {
    encoding: &'e Encoding<'m>,
    fails: Vec<Bdd>,
    leaves: Vec<Bdd>,
    /// By edge: what a completed call does.
    effects: Vec<Option<Bdd>>,
}

/// Computes the projection for `targets`.
pub fn project(
    encoding: &Encoding<'_>,
    targets: &[PointId],
    budget: &Budget,
) -> Result<Projection, BddError> {
    let mut search = Exploration::new(encoding, budget)?;
    search.run(&[])?;
    let backward = Backward::run(encoding, &search, targets, budget)?;
    let doomed = doomed(encoding, &search, &backward, budget)?;
    let mut conditions = Vec::with_capacity(encoding.model.points.len());
    for point in encoding.model.point_ids() {
        budget.check()?;
        let procedure = encoding.model.point(point).procedure;
        let failing = backward.failing(point, &doomed[procedure.index()])?;
        let inside = search.layers.points[point.index()].total.and(&failing)?;
        let states = encoding.vocabulary().range(&inside)?;
        conditions.push(encoding.in_scope(procedure, &states)?);
    }
    Ok(Projection { conditions })
}

impl<'e, 'm> Backward<'e, 'm> {
    fn run(
        encoding: &'e Encoding<'m>,
        search: &Exploration<'_, '_>,
        targets: &[PointId],
        budget: &Budget,
    ) -> Result<Self, BddError> {
        let model = encoding.model;
        let none = || vec![encoding.space().bottom(); model.points.len()];
        let mut effects = Vec::with_capacity(model.edges.len());
        let mut into: Vec<Vec<PointId>> = vec![Vec::new(); model.points.len()];
        for (id, edge) in model.edges() {
            let mut effect = None;
            if let (Action::Call { callee, .. }, EdgeRelation::Call { enter, receive }) =
                (&edge.action, encoding.of(id))
            {
                let summary = &search.layers.summaries[callee.index()].total;
                effect = Some(encoding.call_effect(enter, receive, summary)?);
                into[model.procedure(*callee).entry.index()].push(edge.from);
            }
            effects.push(effect);
            into[edge.to.index()].push(edge.from);
        }
        let mut backward = Self { encoding, fails: none(), leaves: none(), effects };
        let mut queue: BTreeSet<PointId> =
            model.point_ids().filter(|p| search.is_reached(*p)).collect();
        for target in targets {
            backward.fails[target.index()] = encoding.space().top();
        }
        while let Some(point) = queue.pop_last() {
            budget.check()?;
            if backward.update(point)? {
                queue.extend(into[point.index()].iter().filter(|p| search.is_reached(**p)));
            }
        }
        Ok(backward)
    }

    /// Recomputes a point from its successors, and says whether it changed.
    fn update(&mut self, point: PointId) -> Result<bool, BddError> {
        let encoding = self.encoding;
        let vocabulary = encoding.vocabulary();
        let mut fails = self.fails[point.index()].clone();
        let mut leaves = self.leaves[point.index()].clone();
        for (id, edge) in encoding.model.outgoing(point) {
            let next = edge.to.index();
            match encoding.of(id) {
                EdgeRelation::Step(relation) => {
                    fails = fails.or(&vocabulary.preimage(&self.fails[next], relation)?)?;
                    leaves = leaves.or(&vocabulary.compose(relation, &self.leaves[next])?)?;
                }
                EdgeRelation::Call { enter, .. } => {
                    let Action::Call { callee, .. } = &edge.action else { continue };
                    let entry = encoding.model.procedure(*callee).entry.index();
                    fails = fails.or(&vocabulary.preimage(&self.fails[entry], enter)?)?;
                    if let Some(effect) = &self.effects[id.index()] {
                        fails = fails.or(&vocabulary.preimage(&self.fails[next], effect)?)?;
                        leaves = leaves.or(&vocabulary.compose(effect, &self.leaves[next])?)?;
                    }
                }
                EdgeRelation::Return(relation) => leaves = leaves.or(relation)?,
                EdgeRelation::Never => {}
            }
        }
        let changed = fails != self.fails[point.index()] || leaves != self.leaves[point.index()];
        self.fails[point.index()] = fails;
        self.leaves[point.index()] = leaves;
        Ok(changed)
    }

    /// Entry state and state at `point` from which a target is reached, now or after the return.
    fn failing(&self, point: PointId, doomed: &Bdd) -> Result<Bdd, BddError> {
        let vocabulary = self.encoding.vocabulary();
        let backwards = vocabulary.transpose(&self.leaves[point.index()])?;
        let later = vocabulary.compose(doomed, &backwards)?;
        // The states as a relation from any entry state: the swap of a set over the copies before.
        let now = vocabulary.transpose(&self.fails[point.index()])?;
        now.or(&later)
    }
}

fn doomed(
    encoding: &Encoding<'_>,
    search: &Exploration<'_, '_>,
    backward: &Backward<'_, '_>,
    budget: &Budget,
) -> Result<Vec<Bdd>, BddError> {
    let model = encoding.model;
    let vocabulary = encoding.vocabulary();
    let mut doomed = vec![encoding.space().bottom(); model.procedures.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (id, edge) in model.edges() {
            budget.check()?;
            let (Action::Call { callee, .. }, EdgeRelation::Call { enter, receive }) =
                (&edge.action, encoding.of(id))
            else {
                continue;
            };
            let caller = model.point(edge.from).procedure;
            let at_call = &search.layers.points[edge.from.index()].total;
            let goal = backward.failing(edge.to, &doomed[caller.index()])?;
            let before_receive = vocabulary.compose(&goal, &vocabulary.transpose(receive)?)?;
            let through = vocabulary.compose(&vocabulary.transpose(at_call)?, &before_receive)?;
            let returned = encoding.with_locals_kept(&through)?;
            let pairs = vocabulary.compose(&vocabulary.transpose(enter)?, &returned)?;
            let more = doomed[callee.index()].or(&pairs)?;
            changed |= more != doomed[callee.index()];
            doomed[callee.index()] = more;
        }
    }
    Ok(doomed)
}

/// A model in which a target is reached only by executions that passed `point` before (or at) it,
/// with the points to look for. Edges of the given model keep their numbers; edges beyond them
/// change nothing. Variables are renumbered: see [`Instrumented::lift`].
#[derive(Clone, Debug)]
pub struct Instrumented {
    /// The model with one more global.
    pub model: Model,
    /// The new targets.
    pub targets: Vec<PointId>,
    original_globals: u32,
    original_edges: u32,
}

/// Instruments a model; see [`Instrumented`].
pub fn passing_through(model: &Model, point: PointId, targets: &[PointId]) -> Instrumented {
    let flag = VarId(model.globals);
    let mut work =
        renumbered(model, |v| if v.0 < model.globals { v } else { VarId(v.0 + 1) }, flag);
    let original_edges = model.edges.len() as u32;
    let is_set = work.exprs.var(flag);
    let mut found = Vec::new();
    let mut hooks = Vec::new();
    for &target in targets {
        let hook = work.add_point_in_front(target);
        let reached = work.add_point_like(target);
        hooks.push((hook, target, Step::skip()));
        hooks.push((hook, reached, Step::assume(is_set)));
        found.push(reached);
    }
    let hook = work.add_point_in_front(point);
    // If the point is a target, its own hook must come behind the one that sets the flag.
    let next = hooks.iter().find(|h| h.1 == point).map_or(point, |h| h.0);
    if next != point {
        work.redirect(next, hook);
        hooks.iter_mut().filter(|h| h.0 == next && h.1 == hook).for_each(|h| h.1 = point);
    }
    hooks.push((hook, next, Step::assign(vec![(flag, crate::model::TRUE)])));
    let edges =
        hooks.into_iter().map(|(from, to, step)| Edge { from, to, action: Action::Step(step) });
    work.append_edges(edges.collect());
    work.initial.push((flag, false));
    Instrumented { model: work, targets: found, original_globals: model.globals, original_edges }
}

impl Instrumented {
    /// An execution of the instrumented model as one of the given model.
    pub fn lift(&self, plan: &crate::interpret::TracePlan) -> crate::interpret::TracePlan {
        let lift = |values: &crate::interpret::PartialValues| {
            let back = |&(v, value): &(VarId, bool)| match v.0.cmp(&self.original_globals) {
                std::cmp::Ordering::Less => Some((v, value)),
                std::cmp::Ordering::Equal => None,
                std::cmp::Ordering::Greater => Some((VarId(v.0 - 1), value)),
            };
            values.iter().filter_map(back).collect()
        };
        let steps = plan
            .steps
            .iter()
            .filter(|(edge, _)| edge.0 < self.original_edges)
            .map(|(edge, values)| (*edge, lift(values)))
            .collect();
        crate::interpret::TracePlan { start: lift(&plan.start), steps }
    }
}
