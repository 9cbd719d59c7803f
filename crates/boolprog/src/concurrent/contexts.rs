//! One thread through its contexts: the relations `H` of LAL Figure 7.5 and their rules.
//!
//! For each context and point there is a BDD `H` over the globals at the starts of the contexts so
//! far (ḡ₀), at the ends of the contexts that are over, the state with which the procedure was
//! entered, and the state now. The paper's ḡ₁ needs only one component of its own: before the
//! context of entry it is what the ends say, after it what the starts say. Procedures are
//! told apart by the context in which they were entered (the paper's k₁); the root of a thread is
//! never left, so it keeps no entry state at all.
//!
//! Rules: `step` is R'1, `enter` R'7, `summary` R'3, `receive` R'2; [`ThreadContexts::effect`] is
//! R11, [`ThreadContexts::begin`] R10, R12 and R17, [`ThreadContexts::resume`] R8, R9 and R18.
//! Summaries keep the starts and ends of the contexts before their entry, which the paper projects
//! away: then every fact of the lazy analysis is reachable by itself, not only those that fit a
//! matching effect of the other threads.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_bdd::{Bdd, BddError};
use gnomon_budget::Budget;

use super::vocabulary::{ContextEncoding, EdgeRelation};
use crate::model::{Action, EdgeId, PointId, ProcId};
use crate::symbolic::explore::reverse_post_order;

/// Who is active: the root of the thread, or a procedure entered in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Activation {
    Root,
    EnteredIn(usize),
}

/// A point of an activation.
type Node = (Activation, PointId);

/// At which points a thread may be switched in a context; everything if not said otherwise.
pub type SwitchFilter<'f> = &'f dyn Fn(usize, PointId) -> bool;

/// What a thread can do in its contexts so far.
#[derive(Debug)]
pub struct ThreadContexts<'e, 's> {
    encoding: &'e ContextEncoding<'s>,
    root: ProcId,
    /// By context.
    reached: Vec<BTreeMap<Node, Bdd>>,
    /// By procedure, context of entry, context of return.
    summaries: BTreeMap<(ProcId, usize, usize), Bdd>,
    calls: BTreeMap<ProcId, Vec<EdgeId>>,
    priority: Vec<u32>,
    /// Whether a step was taken in the last context.
    moved: bool,
    /// What the others may do to the globals at any switch.
    interference: Option<Bdd>,
}

/// The worklist of one saturation.
#[derive(Default)]
struct Work {
    queue: BTreeSet<(u32, Node)>,
    pending: BTreeMap<Node, Bdd>,
}

impl<'e, 's> ThreadContexts<'e, 's> {
    /// A thread before its first context.
    pub fn new(encoding: &'e ContextEncoding<'s>, root: ProcId) -> Self {
        let model = &encoding.system.model;
        let mut calls: BTreeMap<ProcId, Vec<EdgeId>> = BTreeMap::new();
        for (id, edge) in model.edges() {
            if let Action::Call { callee, .. } = &edge.action {
                calls.entry(*callee).or_default().push(id);
            }
        }
        Self {
            encoding,
            root,
            reached: Vec::new(),
            summaries: BTreeMap::new(),
            calls,
            priority: reverse_post_order(model),
            moved: false,
            interference: None,
        }
    }

    /// How many contexts were analysed.
    pub fn contexts(&self) -> usize {
        self.reached.len()
    }

    /// Whether the thread could take a step in its last context.
    pub fn moved(&self) -> bool {
        self.moved
    }

    /// The first context, from the given globals (over the start of the context). Returns whether
    /// one of `targets` was reached, and then may have stopped early.
    pub fn begin(
        &mut self,
        starts: &Bdd,
        targets: &[PointId],
        budget: &Budget,
    ) -> Result<bool, BddError> {
        let entry = self.encoding.system.model.procedure(self.root).entry;
        let states = self.encoding.arrive(0, starts)?;
        self.saturate(vec![((Activation::Root, entry), states)], targets, budget)
    }

    /// A run without contexts of its own, from states over *now*: the prologue.
    pub fn run_alone(
        &mut self,
        states: &Bdd,
        targets: &[PointId],
        budget: &Budget,
    ) -> Result<bool, BddError> {
        let entry = self.encoding.system.model.procedure(self.root).entry;
        self.saturate(vec![((Activation::Root, entry), states.clone())], targets, budget)
    }

    /// One context from which nothing comes back, with the globals changing by `interference`
    /// wherever the thread can be switched.
    pub(super) fn run_with_interference(
        &mut self,
        starts: &Bdd,
        interference: &Bdd,
        targets: &[PointId],
        budget: &Budget,
    ) -> Result<bool, BddError> {
        self.interference = Some(interference.clone());
        let entry = self.encoding.system.model.procedure(self.root).entry;
        let states = self.encoding.arrive(0, starts)?;
        let history = self.encoding.first_start_set()?;
        let states = states.exists(&history)?;
        self.saturate(vec![((Activation::Root, entry), states)], targets, budget)
    }

    /// All changes of globals that the steps of the only context make.
    pub(super) fn changes(&self) -> Result<Bdd, BddError> {
        let encoding = self.encoding;
        let mut all = encoding.space().bottom();
        for ((_, point), states) in self.reached.iter().flatten() {
            for (id, edge) in encoding.system.model.outgoing(*point) {
                let changes = match (&edge.action, encoding.edge(0, id.index())) {
                    (Action::Step(step), EdgeRelation::Step { relation, .. }) => {
                        encoding.changes_of_step(states, step, relation)?
                    }
                    (Action::Call { results, .. }, _) => {
                        encoding.changes_of_results(&self.states_at(0, edge.to)?, results)?
                    }
                    _ => None,
                };
                if let Some(changes) = changes {
                    all = all.or(&changes)?;
                }
            }
        }
        Ok(all)
    }

    /// The next context, where `handover` relates the starts of all contexts, the new one included,
    /// to the ends of the old ones.
    pub fn resume(
        &mut self,
        handover: &Bdd,
        targets: &[PointId],
        filter: SwitchFilter<'_>,
        budget: &Budget,
    ) -> Result<bool, BddError> {
        let last = self.reached.len() - 1;
        let mut seeds = Vec::new();
        for (node, states) in self.leaving(last, filter) {
            budget.check()?;
            let left = self.encoding.leave(last, states)?;
            let waiting = left.and(handover)?;
            if !waiting.is_false() {
                seeds.push((node, self.encoding.arrive(last + 1, &waiting)?));
            }
        }
        self.saturate(seeds, targets, budget)
    }

    fn leaving(
        &self,
        context: usize,
        filter: SwitchFilter<'_>,
    ) -> impl Iterator<Item = (Node, &Bdd)> {
        let system = self.encoding.system;
        self.reached[context]
            .iter()
            .filter(move |((_, p), _)| system.is_switchable(*p) && filter(context, *p))
            .map(|(node, states)| (*node, states))
    }

    /// What the thread does to the globals in its contexts up to `context`.
    pub fn effect(&self, context: usize, filter: SwitchFilter<'_>) -> Result<Bdd, BddError> {
        let mut effect = self.encoding.space().bottom();
        for (_, states) in self.leaving(context, filter) {
            let left = self.encoding.project_effect(&self.encoding.leave(context, states)?)?;
            effect = effect.or(&left)?;
        }
        Ok(effect)
    }

    /// The starts and ends of contexts with which one of `targets` is reached in `context`.
    pub fn failing(&self, context: usize, targets: &[PointId]) -> Result<Bdd, BddError> {
        let mut all = self.encoding.space().bottom();
        for ((_, point), states) in &self.reached[context] {
            if targets.contains(point) {
                all = all.or(&self.encoding.project_history(context, states)?)?;
            }
        }
        Ok(all)
    }

    /// The states reached at a point in a context, all activations together.
    pub fn states_at(&self, context: usize, point: PointId) -> Result<Bdd, BddError> {
        let mut all = self.encoding.space().bottom();
        for ((_, p), states) in &self.reached[context] {
            if *p == point {
                all = all.or(states)?;
            }
        }
        Ok(all)
    }

    fn add(
        &self,
        work: &mut Work,
        here: &mut BTreeMap<Node, Bdd>,
        node: Node,
        states: &Bdd,
    ) -> Result<(), BddError> {
        if states.is_false() {
            return Ok(());
        }
        let new = match here.get(&node) {
            Some(old) => {
                let new = states.minus(old)?;
                if new.is_false() {
                    return Ok(());
                }
                here.insert(node, old.or(&new)?);
                new
            }
            None => {
                here.insert(node, states.clone());
                states.clone()
            }
        };
        let waiting = match work.pending.get(&node) {
            Some(old) => old.or(&new)?,
            None => new,
        };
        work.pending.insert(node, waiting);
        work.queue.insert((self.priority[node.1.index()], node));
        Ok(())
    }

    fn saturate(
        &mut self,
        seeds: Vec<(Node, Bdd)>,
        targets: &[PointId],
        budget: &Budget,
    ) -> Result<bool, BddError> {
        let mut work = Work::default();
        let mut here = BTreeMap::new();
        for (node, states) in seeds {
            self.add(&mut work, &mut here, node, &states)?;
        }
        self.moved = false;
        let mut hit = here.keys().any(|(_, p)| targets.contains(p));
        while !hit {
            let Some((_, node)) = work.queue.pop_first() else { break };
            let Some(new) = work.pending.remove(&node) else { continue };
            budget.check()?;
            self.propagate(&mut work, &mut here, node, &new)?;
            hit = !targets.is_empty() && here.keys().any(|(_, p)| targets.contains(p));
        }
        self.reached.push(here);
        Ok(hit)
    }

    fn propagate(
        &mut self,
        work: &mut Work,
        here: &mut BTreeMap<Node, Bdd>,
        node: Node,
        new: &Bdd,
    ) -> Result<(), BddError> {
        let encoding = self.encoding;
        let context = self.reached.len();
        let (activation, point) = node;
        if let Some(interference) = &self.interference
            && encoding.system.is_switchable(point)
        {
            let changed = encoding.interfere(new, interference)?;
            self.add(work, here, node, &changed)?;
        }
        for (id, edge) in encoding.system.model.outgoing(point) {
            match encoding.edge(context, id.index()) {
                EdgeRelation::Step { relation, replaced } => {
                    let after = encoding.step(new, relation, replaced)?;
                    self.moved |= !after.is_false();
                    self.add(work, here, (activation, edge.to), &after)?;
                }
                EdgeRelation::Call(call) => {
                    self.moved = true;
                    let Action::Call { callee, .. } = &edge.action else { continue };
                    let entry = encoding.system.model.procedure(*callee).entry;
                    let states = encoding.enter(context, new, call)?;
                    self.add(work, here, (Activation::EnteredIn(context), entry), &states)?;
                    if let Some(summary) = self.summaries.get(&(*callee, context, context)) {
                        let after =
                            encoding.receive((context, context), new, (call, call), summary)?;
                        self.add(work, here, (activation, edge.to), &after)?;
                    }
                }
                EdgeRelation::Return { results } => {
                    self.moved = true;
                    let Activation::EnteredIn(entered) = activation else { continue };
                    let summary = encoding.summary(context, new, results)?;
                    let procedure = encoding.system.model.point(point).procedure;
                    self.summarise(work, here, (procedure, entered), &summary)?;
                }
            }
        }
        Ok(())
    }

    fn summarise(
        &mut self,
        work: &mut Work,
        here: &mut BTreeMap<Node, Bdd>,
        (procedure, entered): (ProcId, usize),
        pairs: &Bdd,
    ) -> Result<(), BddError> {
        let encoding = self.encoding;
        let context = self.reached.len();
        let key = (procedure, entered, context);
        let new = match self.summaries.get(&key) {
            Some(old) => {
                let new = pairs.minus(old)?;
                let all = old.or(&new)?;
                self.summaries.insert(key, all);
                new
            }
            None => {
                self.summaries.insert(key, pairs.clone());
                pairs.clone()
            }
        };
        if new.is_false() {
            return Ok(());
        }
        for id in self.calls.get(&procedure).cloned().unwrap_or_default() {
            let (EdgeRelation::Call(call), EdgeRelation::Call(back)) =
                (encoding.edge(entered, id.index()), encoding.edge(context, id.index()))
            else {
                continue;
            };
            let edge = encoding.system.model.edge(id);
            let at_call = if entered == context { &*here } else { &self.reached[entered] };
            let callers: Vec<(Node, Bdd)> = at_call
                .iter()
                .filter(|((_, p), _)| *p == edge.from)
                .map(|(node, states)| (*node, states.clone()))
                .collect();
            for ((activation, _), states) in callers {
                let after = encoding.receive((entered, context), &states, (call, back), &new)?;
                self.add(work, here, (activation, edge.to), &after)?;
            }
        }
        Ok(())
    }
}
