//! The lazy solver: out-node equations, and the weights that are asked for.
//!
//! Weights are found behind locks of single intragraphs and out-nodes, so that questions need only
//! `&self` and independent components can be solved by several threads. An intragraph's lock is
//! never held while another's is taken.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gnomon_budget::Budget;
use rustc_hash::FxHashMap;

use crate::automaton::Automaton;
use crate::error::WpdsError;
use crate::fwpds::intragraph::{Evaluation, Intragraph, Labels, LocalEdge};
use crate::fwpds::recall::WeightStore;
use crate::fwpds::schedule;
use crate::fwpds::tdg::{EdgeLabel, Summary, Tdg};
use crate::ids::TransitionId;
use crate::saturation::weighted_automaton;
use crate::semiring::Semiring;
use crate::shape::{Direction, Shape, Solution};
use crate::system::Wpds;

/// How to solve.
#[derive(Clone, Debug)]
pub struct FwpdsOptions {
    /// Update expressions by differences where the domain has them (LAL 4.2.2).
    pub differential: bool,
    /// Record the history of the out-nodes, for witnesses.
    pub trace: bool,
    /// Solve independent components on this many threads. Weights are shared between threads; BDD
    /// weights share one table of nodes, whose locks limit what is gained.
    pub threads: usize,
    /// The budget; one step for each evaluation of an out-node.
    pub budget: Budget,
}

impl Default for FwpdsOptions {
    fn default() -> Self {
        Self { differential: false, trace: false, threads: 1, budget: Budget::unlimited() }
    }
}

/// What the solver did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FwpdsStatistics {
    /// Transitions of the result.
    pub transitions: usize,
    /// Intragraphs, and how many of them were looked at.
    pub intragraphs: usize,
    /// Intragraphs for which path expressions were made.
    pub intragraphs_used: usize,
    /// Nodes of all expressions that were made.
    pub expressions: usize,
    /// Out-nodes.
    pub out_nodes: usize,
    /// Out-nodes whose weight was needed.
    pub out_nodes_solved: usize,
    /// Evaluations of out-node equations.
    pub evaluations: u64,
}

/// One change of an out-node: the versions of the out-nodes that its new weight was computed from (LAL
/// 4.2.1). The paper also keeps the weights; they can be computed again from the versions.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub(crate) from: Vec<(TransitionId, u32)>,
}

/// An out-node: a transition that stands for a callee's summary.
#[derive(Debug)]
pub(crate) struct OutNode<W> {
    pub(crate) weight: W,
    pub(crate) last_change: u64,
    pub(crate) solved: bool,
    pub(crate) versions: Vec<Version>,
}

/// The place of a transition: its intragraph and its number in it (from 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) graph: u32,
    pub(crate) member: u32,
}

/// The edges of one intragraph, and its expressions once they are needed.
#[derive(Debug)]
pub(crate) struct GraphSlot<S: Semiring> {
    pub(crate) members: usize,
    /// The transition of each member.
    pub(crate) transitions: Vec<TransitionId>,
    pub(crate) edges: Vec<LocalEdge>,
    pub(crate) built: Option<Intragraph<S>>,
}

impl<S: Semiring> Default for GraphSlot<S> {
    fn default() -> Self {
        Self { members: 0, transitions: Vec::new(), edges: Vec::new(), built: None }
    }
}

/// A solution by path expressions.
pub struct Fwpds<'a, S: Semiring> {
    pub(crate) system: &'a Wpds<S>,
    pub(crate) input: Automaton<S::Weight>,
    pub(crate) tdg: Tdg,
    pub(crate) places: Vec<Place>,
    pub(crate) graphs: Vec<Mutex<GraphSlot<S>>>,
    pub(crate) out_index: FxHashMap<TransitionId, u32>,
    pub(crate) outs: Vec<Mutex<OutNode<S::Weight>>>,
    pub(crate) clock: AtomicU64,
    pub(crate) evaluations: AtomicU64,
    pub(crate) options: FwpdsOptions,
    /// Weights that are known from before.
    pub(crate) store: Option<&'a dyn WeightStore<S::Weight>>,
}

impl<S: Semiring + std::fmt::Debug> std::fmt::Debug for Fwpds<'_, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fwpds").field("statistics", &self.statistics()).finish_non_exhaustive()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a, S: Semiring> Fwpds<'a, S> {
    /// Everything that `start` reaches, as [`poststar`](crate::poststar) computes it.
    pub fn poststar(
        system: &'a Wpds<S>,
        start: &Automaton<S::Weight>,
        options: FwpdsOptions,
    ) -> Result<Self, WpdsError> {
        Self::new(system, start, Direction::Forward, options)
    }

    /// Everything that reaches `goal`, as [`prestar`](crate::prestar) computes it.
    pub fn prestar(
        system: &'a Wpds<S>,
        goal: &Automaton<S::Weight>,
        options: FwpdsOptions,
    ) -> Result<Self, WpdsError> {
        Self::new(system, goal, Direction::Backward, options)
    }

    pub(crate) fn new(
        system: &'a Wpds<S>,
        input: &Automaton<S::Weight>,
        direction: Direction,
        options: FwpdsOptions,
    ) -> Result<Self, WpdsError> {
        input.check_input(system.control_count())?;
        system.require_path_extension("FWPDS")?;
        let input = merge_parallel(system.domain(), input)?;
        let tdg = Tdg::new(system, &input, direction);
        let (places, graphs) = partition(&tdg);
        let mut out_index = FxHashMap::default();
        let mut outs = Vec::new();
        for edge in &tdg.edges {
            if let EdgeLabel::Summary { out, .. } = edge.label {
                out_index.entry(out).or_insert_with(|| {
                    outs.push(Mutex::new(OutNode::unsolved(system.domain().zero())));
                    (outs.len() - 1) as u32
                });
            }
        }
        Ok(Self {
            system,
            input,
            tdg,
            places,
            graphs: graphs.into_iter().map(Mutex::new).collect(),
            out_index,
            outs,
            clock: AtomicU64::new(1),
            evaluations: AtomicU64::new(0),
            options,
            store: None,
        })
    }

    /// What the solver did so far.
    pub fn statistics(&self) -> FwpdsStatistics {
        let mut statistics = FwpdsStatistics {
            transitions: self.tdg.shape.links().len(),
            intragraphs: self.graphs.len(),
            out_nodes: self.outs.len(),
            evaluations: self.evaluations.load(Ordering::Relaxed),
            ..FwpdsStatistics::default()
        };
        for slot in &self.graphs {
            if let Some(graph) = &lock(slot).built {
                statistics.intragraphs_used += 1;
                statistics.expressions += graph.expression_count();
            }
        }
        statistics.out_nodes_solved = self.outs.iter().filter(|out| lock(out).solved).count();
        statistics
    }

    /// The automaton with all its weights.
    pub fn automaton(&self) -> Result<Automaton<S::Weight>, WpdsError> {
        let all: Vec<_> = (0..self.tdg.shape.links().len()).map(TransitionId::of).collect();
        self.prepare(&all)?;
        weighted_automaton(self)
    }

    pub(crate) fn evaluation(&self) -> Evaluation<'_, S> {
        Evaluation {
            domain: self.system.domain(),
            direction: self.tdg.shape.direction(),
            differential: self.options.differential,
        }
    }

    /// Runs `action` on an intragraph, with its expressions made.
    pub(crate) fn with_graph<T>(
        &self,
        graph: u32,
        action: impl FnOnce(&mut Intragraph<S>) -> T,
    ) -> T {
        let mut slot = lock(&self.graphs[graph as usize]);
        let slot = &mut *slot;
        let built = slot.built.get_or_insert_with(|| {
            Intragraph::new(slot.members, &slot.edges, |label| self.vanishes(label))
        });
        action(built)
    }

    /// Whether an edge does nothing to weights and nobody needs to know its rule.
    fn vanishes(&self, label: EdgeLabel) -> bool {
        match label {
            EdgeLabel::Rule(rule) if !self.options.trace => {
                let rule = self.system.rule(rule);
                rule.is_some_and(|rule| self.system.domain().is_one(&rule.weight))
            }
            _ => false,
        }
    }

    /// The out-nodes that the weight of a transition depends on directly.
    pub(crate) fn out_nodes_of(&self, transition: TransitionId) -> Vec<TransitionId> {
        if self.tdg.given[transition.index()].is_some() {
            return Vec::new();
        }
        let place = self.places[transition.index()];
        self.with_graph(place.graph, |graph| graph.out_nodes(place.member))
    }

    pub(crate) fn out(&self, transition: TransitionId) -> &Mutex<OutNode<S::Weight>> {
        &self.outs[self.out_index[&transition] as usize]
    }

    /// The weight of a transition from the out-nodes as they are now.
    pub(crate) fn evaluate(&self, transition: TransitionId) -> Result<S::Weight, WpdsError> {
        let place = self.places[transition.index()];
        let how = self.evaluation();
        let now = self.clock.load(Ordering::Acquire);
        self.with_graph(place.graph, |graph| graph.evaluate(&how, self, place.member, now))
    }

    /// Evaluates the equation of an out-node once; says whether its weight changed.
    pub(crate) fn step(&self, out: TransitionId) -> Result<bool, WpdsError> {
        self.options.budget.check()?;
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        let weight = self.evaluate(out)?;
        let from = if self.options.trace { self.versions_before(out) } else { Vec::new() };
        let mut node = lock(self.out(out));
        if self.system.domain().equal(&node.weight, &weight) {
            return Ok(false);
        }
        if self.options.trace {
            node.versions.push(Version { from });
        }
        node.weight = weight;
        node.last_change = self.tick();
        Ok(true)
    }

    /// The clock after one more change of an out-node.
    pub(crate) fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// The current versions of the out-nodes that an out-node depends on.
    fn versions_before(&self, out: TransitionId) -> Vec<(TransitionId, u32)> {
        let depends = self.out_nodes_of(out);
        depends.into_iter().map(|o| (o, lock(self.out(o)).versions.len() as u32)).collect()
    }
}

impl<S: Semiring> Labels<S> for Fwpds<'_, S> {
    fn weight(&self, label: EdgeLabel) -> Result<S::Weight, WpdsError> {
        let domain = self.system.domain();
        match label {
            EdgeLabel::One => Ok(domain.one()),
            EdgeLabel::Given(i) => Ok(self.input.transitions()[i as usize].weight.clone()),
            EdgeLabel::Rule(rule) => self.system.enter(rule, &domain.one()),
            EdgeLabel::Summary { out, .. } => {
                let weight = lock(self.out(out)).weight.clone();
                self.summary(label, &weight)
            }
        }
    }

    fn last_change(&self, out: TransitionId) -> u64 {
        lock(self.out(out)).last_change
    }
}

impl<S: Semiring> Fwpds<'_, S> {
    /// The weight of a summary edge whose out-node has the given weight.
    pub(crate) fn summary(
        &self,
        label: EdgeLabel,
        out_weight: &S::Weight,
    ) -> Result<S::Weight, WpdsError> {
        let EdgeLabel::Summary { summary, given, .. } = label else {
            return Ok(out_weight.clone());
        };
        let domain = self.system.domain();
        if domain.is_zero(out_weight) {
            return Ok(domain.zero());
        }
        let called = match summary {
            Summary::Plain => out_weight.clone(),
            Summary::After(rule) => {
                domain.extend(&self.system.enter(rule, &domain.one())?, out_weight)?
            }
            Summary::Merge(rule) => self.system.return_from(rule, &domain.one(), out_weight)?,
        };
        let Some(given) = given else { return Ok(called) };
        let below = &self.input.transitions()[given as usize].weight;
        Ok(match self.tdg.shape.direction() {
            Direction::Forward => domain.extend(below, &called)?,
            Direction::Backward => domain.extend(&called, below)?,
        })
    }
}

impl<S: Semiring> Solution<S> for Fwpds<'_, S> {
    fn system(&self) -> &Wpds<S> {
        self.system
    }

    fn shape(&self) -> &Shape {
        &self.tdg.shape
    }

    fn weight_before_call(&self, transition: TransitionId) -> Result<S::Weight, WpdsError> {
        if let Some(Some(i)) = self.tdg.given.get(transition.index()) {
            return Ok(self.input.transitions()[*i as usize].weight.clone());
        }
        if transition.index() >= self.places.len() {
            return Err(WpdsError::OutOfRange { what: "transition", index: transition.0 });
        }
        self.prepare(&[transition])?;
        self.evaluate(transition)
    }

    /// Solves the equations of all out-nodes that these transitions need.
    fn prepare(&self, transitions: &[TransitionId]) -> Result<(), WpdsError> {
        schedule::solve(self, transitions)
    }
}

/// Combines transitions of the input that have the same states and label.
fn merge_parallel<S: Semiring>(
    domain: &S,
    input: &Automaton<S::Weight>,
) -> Result<Automaton<S::Weight>, WpdsError> {
    let mut merged = Automaton::new(input.control_count());
    while merged.state_count() < input.state_count() {
        merged.add_state();
    }
    let mut weights: Vec<S::Weight> = Vec::new();
    let mut keys = Vec::new();
    let mut index = FxHashMap::default();
    for t in input.transitions() {
        let key = (t.from, t.label, t.to);
        match index.get(&key) {
            Some(&i) => weights[i] = domain.combine(&weights[i], &t.weight)?,
            None => {
                index.insert(key, weights.len());
                keys.push(key);
                weights.push(t.weight.clone());
            }
        }
    }
    for ((from, label, to), weight) in keys.into_iter().zip(weights) {
        merged.add(from, label, to, weight)?;
    }
    for state in (0..input.state_count()).map(crate::State::of) {
        if input.is_final(state) {
            merged.set_final(state);
        }
    }
    Ok(merged)
}

/// Splits the dependence graph into its intragraphs.
fn partition<S: Semiring>(tdg: &Tdg) -> (Vec<Place>, Vec<GraphSlot<S>>) {
    let count = tdg.shape.links().len();
    let mut parent: Vec<u32> = (0..count as u32).collect();
    fn root(parent: &mut [u32], mut v: u32) -> u32 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }
    for edge in &tdg.edges {
        if let Some(source) = edge.source {
            let (a, b) = (root(&mut parent, source.0), root(&mut parent, edge.target.0));
            // The smaller number stays the root, so that numbering does not depend on the order.
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut graph_of_root = FxHashMap::default();
    let mut graphs: Vec<GraphSlot<S>> = Vec::new();
    let mut places = Vec::with_capacity(count);
    for v in 0..count as u32 {
        let top = root(&mut parent, v);
        let graph = *graph_of_root.entry(top).or_insert_with(|| {
            graphs.push(GraphSlot::default());
            (graphs.len() - 1) as u32
        });
        let slot = &mut graphs[graph as usize];
        slot.members += 1;
        slot.transitions.push(TransitionId(v));
        places.push(Place { graph, member: slot.members as u32 });
    }
    for edge in &tdg.edges {
        let target = places[edge.target.index()];
        let source = edge.source.map_or(0, |s| places[s.index()].member);
        graphs[target.graph as usize].edges.push((source, target.member, edge.label));
    }
    (places, graphs)
}
