//! Weights of out-nodes that are known from before, perhaps from another process (LAL 4.2.3).
//!
//! The equations of a component of out-nodes say everything about their weights: the edges that lead
//! to them inside their intragraphs, the weights of the rules on these edges, and the weights of the
//! out-nodes of other components, which are solved before. Written down without any numbers that
//! depend on the rest of the system, they are the key under which a [`WeightStore`] keeps the
//! solution. So a procedure that did not change is not solved again, nor are its callers where its
//! weight stayed the same; whatever else changed does not matter. With a store, not even the
//! expressions of such procedures are made, unless somebody asks for weights inside them.

use rustc_hash::FxHashMap;

use crate::automaton::Label;
use crate::error::WpdsError;
use crate::fwpds::solver::{Fwpds, lock};
use crate::fwpds::tdg::{EdgeLabel, Summary};
use crate::ids::{RuleId, State, TransitionId};
use crate::semiring::Semiring;
use crate::shape::{Direction, StateKind};

/// Keeps solutions of equations. All systems that share entries must have the same domain, and the
/// weight of a rule and the name of its merge function must determine that function.
pub trait WeightStore<W>: Send + Sync {
    /// Writes down a weight: different weights differ in what is written, and none is the beginning
    /// of another.
    fn describe(&self, weight: &W, out: &mut Vec<u8>);

    /// The weights that were kept under a key.
    fn recall(&self, key: &[u8]) -> Option<Vec<W>>;

    /// Keeps weights under a key.
    fn keep(&self, key: &[u8], weights: &[W]);
}

/// The order of a transition inside its intragraph: what stays as it is when other procedures change.
type Order = (Label, StateOrder, StateOrder, Option<RuleId>);
type StateOrder = (u8, u32, u32);

/// The members of an intragraph from which some out-nodes can be reached, by their order.
struct Closure {
    graph: u32,
    /// The number of each member, from 1; the root is 0.
    ranks: FxHashMap<u32, u32>,
    outs: Vec<TransitionId>,
}

impl<'a, S: Semiring> Fwpds<'a, S> {
    /// Recalls weights from a store where it has them, and keeps the others there. Not used where
    /// witnesses are wanted, which need the history of the weights.
    #[must_use]
    pub fn with_store(mut self, store: &'a dyn WeightStore<S::Weight>) -> Self {
        self.store = if self.options.trace { None } else { Some(store) };
        self
    }

    /// The out-nodes that a transition depends on directly, without making expressions.
    pub(crate) fn dependences(&self, transition: TransitionId) -> Vec<TransitionId> {
        if self.store.is_none() {
            return self.out_nodes_of(transition);
        }
        if self.tdg.given[transition.index()].is_some() {
            return Vec::new();
        }
        let place = self.places[transition.index()];
        let slot = lock(&self.graphs[place.graph as usize]);
        let inside = behind(&slot.edges, slot.members, &[place.member]);
        let mut outs: Vec<TransitionId> = (slot.edges.iter())
            .filter(|(_, to, _)| inside[*to as usize])
            .filter_map(|(_, _, label)| match label {
                EdgeLabel::Summary { out, .. } => Some(*out),
                _ => None,
            })
            .collect();
        outs.sort_unstable();
        outs.dedup();
        outs
    }

    /// Gives the out-nodes of a component the weights that the store has for them, if it has.
    /// Otherwise says under which key, and in which order, their weights can be kept.
    pub(crate) fn recall(&self, component: &[TransitionId]) -> Result<(), Option<Unknown>> {
        let Some(store) = self.store else { return Err(None) };
        let Some((key, outs)) = self.equations(store, component) else { return Err(None) };
        let weights = store.recall(&key).filter(|weights| weights.len() == outs.len());
        let Some(weights) = weights else { return Err(Some(Unknown { key, outs })) };
        for (out, weight) in outs.into_iter().zip(weights) {
            let mut node = lock(self.out(out));
            if !self.system.domain().equal(&node.weight, &weight) {
                node.weight = weight;
                node.last_change = self.tick();
            }
        }
        Ok(())
    }

    /// Keeps the weights of a component that was solved.
    pub(crate) fn keep(&self, unknown: &Unknown) {
        let Some(store) = self.store else { return };
        let weights: Vec<S::Weight> =
            unknown.outs.iter().map(|&out| lock(self.out(out)).weight.clone()).collect();
        store.keep(&unknown.key, &weights);
    }

    /// The equations of a component, and its out-nodes in the order in which they occur.
    fn equations(
        &self,
        store: &dyn WeightStore<S::Weight>,
        component: &[TransitionId],
    ) -> Option<(Vec<u8>, Vec<TransitionId>)> {
        let closures = self.closures(component);
        let outs: Vec<TransitionId> =
            closures.iter().flat_map(|closure| closure.outs.iter().copied()).collect();
        let own: FxHashMap<TransitionId, u32> =
            outs.iter().enumerate().map(|(i, &out)| (out, i as u32)).collect();
        let mut writer = Writer { fwpds: self, store, own, key: Vec::new() };
        writer.key.push(match self.tdg.shape.direction() {
            Direction::Forward => b'f',
            Direction::Backward => b'b',
        });
        writer.number(closures.len() as u32);
        for closure in &closures {
            writer.closure(closure)?;
        }
        Some((writer.key, outs))
    }

    /// The part of each intragraph that the equations of a component are about.
    fn closures(&self, component: &[TransitionId]) -> Vec<Closure> {
        let mut outs = component.to_vec();
        outs.sort_by_key(|&out| self.order(out));
        let mut closures: Vec<Closure> = Vec::new();
        for out in outs {
            let graph = self.places[out.index()].graph;
            match closures.iter_mut().find(|c| c.graph == graph) {
                Some(closure) => closure.outs.push(out),
                None => {
                    closures.push(Closure { graph, ranks: FxHashMap::default(), outs: vec![out] })
                }
            }
        }
        for closure in &mut closures {
            let targets: Vec<u32> =
                closure.outs.iter().map(|out| self.places[out.index()].member).collect();
            let slot = lock(&self.graphs[closure.graph as usize]);
            let inside = behind(&slot.edges, slot.members, &targets);
            let mut members: Vec<(Order, u32)> = (1..=slot.members as u32)
                .filter(|&m| inside[m as usize])
                .map(|m| (self.order(slot.transitions[m as usize - 1]), m))
                .collect();
            members.sort_unstable();
            let ranked = members.iter().enumerate().map(|(i, (_, m))| (*m, i as u32 + 1));
            closure.ranks = ranked.collect();
        }
        closures
    }

    fn order(&self, transition: TransitionId) -> Order {
        let shape = &self.tdg.shape;
        let link = shape.link(transition);
        let state = |state: State| match shape.states()[state.index()] {
            StateKind::Control(control) => (0, control.0, 0),
            StateKind::Input => (1, state.0, 0),
            StateKind::Entered(control, symbol) => (2, control.0, symbol.0),
        };
        (link.label, state(link.from), state(link.to), link.call)
    }
}

/// Equations without a known solution: their key, and the out-nodes in its order.
pub(crate) struct Unknown {
    key: Vec<u8>,
    outs: Vec<TransitionId>,
}

/// Which members (from 1) reach one of the targets.
fn behind(edges: &[super::intragraph::LocalEdge], members: usize, targets: &[u32]) -> Vec<bool> {
    let mut sources: Vec<Vec<u32>> = vec![Vec::new(); members + 1];
    for &(from, to, _) in edges {
        sources[to as usize].push(from);
    }
    let mut inside = vec![false; members + 1];
    let mut work = targets.to_vec();
    while let Some(member) = work.pop() {
        if !std::mem::replace(&mut inside[member as usize], true) {
            work.extend(&sources[member as usize]);
        }
    }
    inside
}

/// Writes equations down.
struct Writer<'w, 'a, S: Semiring> {
    fwpds: &'w Fwpds<'a, S>,
    store: &'w dyn WeightStore<S::Weight>,
    /// The out-nodes of the component, which have no weights yet.
    own: FxHashMap<TransitionId, u32>,
    key: Vec<u8>,
}

impl<S: Semiring> Writer<'_, '_, S> {
    fn number(&mut self, number: u32) {
        self.key.extend(number.to_le_bytes());
    }

    fn weight(&mut self, weight: &S::Weight) {
        // Most steps do nothing.
        if self.fwpds.system.domain().is_one(weight) {
            self.key.push(b'1');
        } else {
            self.key.push(b'w');
            self.store.describe(weight, &mut self.key);
        }
    }

    fn closure(&mut self, closure: &Closure) -> Option<()> {
        let slot = lock(&self.fwpds.graphs[closure.graph as usize]);
        let rank = |member: &u32| closure.ranks.get(member).copied();
        let mut edges: Vec<(u32, u32, EdgeLabel)> = (slot.edges.iter())
            .filter_map(|(from, to, label)| {
                let from = if *from == 0 { 0 } else { rank(from)? };
                Some((from, rank(to)?, *label))
            })
            .collect();
        drop(slot);
        // Parallel edges stay in the order of the rules.
        edges.sort_by_key(|&(from, to, _)| (to, from));
        self.number(closure.outs.len() as u32);
        for out in &closure.outs {
            let member = self.fwpds.places[out.index()].member;
            self.number(rank(&member)?);
        }
        self.number(edges.len() as u32);
        for (from, to, label) in edges {
            self.number(from);
            self.number(to);
            self.label(label)?;
        }
        Some(())
    }

    fn label(&mut self, label: EdgeLabel) -> Option<()> {
        match label {
            EdgeLabel::One => self.key.push(b'n'),
            EdgeLabel::Given(i) => {
                self.key.push(b'g');
                self.given(i);
            }
            EdgeLabel::Rule(rule) => {
                self.key.push(b'r');
                self.rule(rule)?;
            }
            EdgeLabel::Summary { summary, out, given } => {
                match summary {
                    Summary::Plain => self.key.push(b'p'),
                    Summary::After(rule) => {
                        self.key.push(b'a');
                        self.rule(rule)?;
                    }
                    Summary::Merge(rule) => {
                        self.key.push(b'm');
                        self.rule(rule)?;
                    }
                }
                match given {
                    Some(i) => self.given(i),
                    None => self.key.push(b'n'),
                }
                self.out_node(out)?;
            }
        }
        Some(())
    }

    fn given(&mut self, i: u32) {
        let fwpds = self.fwpds;
        self.weight(&fwpds.input.transitions()[i as usize].weight);
    }

    fn rule(&mut self, rule: RuleId) -> Option<()> {
        let system = self.fwpds.system;
        let rule = system.rule(rule)?;
        self.weight(&rule.weight);
        let merge = rule.merge.as_ref().map_or("", |merge| merge.name());
        self.number(merge.len() as u32);
        self.key.extend(merge.as_bytes());
        Some(())
    }

    /// An unknown of the equations, or a weight; nothing if that is not known.
    fn out_node(&mut self, out: TransitionId) -> Option<()> {
        if let Some(&i) = self.own.get(&out) {
            self.key.push(b'o');
            self.number(i);
            return Some(());
        }
        let node = lock(self.fwpds.out(out));
        if !node.solved {
            return None;
        }
        let weight = node.weight.clone();
        drop(node);
        self.weight(&weight);
        Some(())
    }
}

/// Solves a component with the help of the store, if there is one.
pub(crate) fn solve_or_recall<S: Semiring>(
    fwpds: &Fwpds<'_, S>,
    component: &[TransitionId],
    solve: impl FnOnce() -> Result<(), WpdsError>,
) -> Result<(), WpdsError> {
    match fwpds.recall(component) {
        Ok(()) => Ok(()),
        Err(None) => solve(),
        Err(Some(unknown)) => {
            solve()?;
            fwpds.keep(&unknown);
            Ok(())
        }
    }
}
