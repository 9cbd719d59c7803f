//! Solving again after rules were added or removed (LAL 4.2.3).
//!
//! The dependence graph is built anew, which needs no weights. An intragraph that has the same edges
//! as before keeps its expressions and everything that was evaluated in it; out-nodes keep their
//! weights. Then the out-nodes that had been solved are gone through in topological order: a
//! component with an out-node of a changed intragraph, or one that depends on an out-node whose weight
//! became another, is solved again; where the new weights agree with the old ones, the change stops.
//!
//! If rules were only added, weights can only grow and iteration starts from the old ones; otherwise
//! components that depend on themselves start from zero.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::WpdsError;
use crate::fwpds::components::strong_components;
use crate::fwpds::schedule::solve_component;
use crate::fwpds::solver::{Fwpds, OutNode, lock};
use crate::fwpds::tdg::EdgeLabel;
use crate::ids::{RuleId, TransitionId};
use crate::semiring::Semiring;
use crate::shape::{Link, Shape, StateKind};
use crate::system::Wpds;

/// How the new system differs from the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// All old rules are still there.
    RulesAdded,
    /// Some rules are gone (and others may have come).
    RulesReplaced,
}

/// What was done again and what was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdateReport {
    /// How the systems differ.
    pub change: Change,
    /// Intragraphs with other edges than before, or new.
    pub intragraphs_changed: usize,
    /// Out-nodes whose equations were solved again.
    pub out_nodes_recomputed: usize,
    /// Out-nodes whose weight became another.
    pub out_nodes_changed: usize,
    /// Out-nodes whose weight was kept without looking.
    pub out_nodes_kept: usize,
}

impl<S: Semiring> Fwpds<'_, S> {
    /// The solution for a changed system and the same input. Rules keep their numbers, so `system`
    /// should be a clone of the old one with rules added and removed; control locations and stack
    /// symbols may only be added.
    pub fn update<'b>(
        self,
        system: &'b Wpds<S>,
    ) -> Result<(Fwpds<'b, S>, UpdateReport), WpdsError> {
        let change = change_between(self.system, system);
        let direction = self.tdg.shape.direction();
        let mut new = Fwpds::new(system, &self.input, direction, self.options.clone())?;
        let to_new = match_transitions(&self.tdg.shape, &new.tdg.shape);
        // The clock goes on, so that ticks of reused expressions stay in the past.
        new.clock = self.clock;
        new.evaluations = self.evaluations;
        let changed_graphs =
            Reuse { new: &mut new, to_new: &to_new, places: &self.places }.take_graphs(self.graphs);
        for (old, &out) in &self.out_index {
            let Some(target) = to_new[old.index()] else { continue };
            if let Some(&position) = new.out_index.get(&target) {
                let mut node = lock(&self.outs[out as usize]);
                let mut slot = lock(&new.outs[position as usize]);
                slot.weight.clone_from(&node.weight);
                slot.last_change = node.last_change;
                slot.solved = node.solved;
                if new.options.trace {
                    slot.versions = std::mem::take(&mut node.versions);
                    for version in &mut slot.versions {
                        let moved = |(out, v): (TransitionId, u32)| Some((to_new[out.index()]?, v));
                        version.from = version.from.drain(..).filter_map(moved).collect();
                    }
                }
            }
        }
        if new.options.differential && change == Change::RulesReplaced {
            // Updates by differences assume that weights only grow.
            for slot in &new.graphs {
                if let Some(graph) = &mut lock(slot).built {
                    graph.forget_open();
                }
            }
        }
        let report = new.revalidate(change, &changed_graphs)?;
        Ok((new, report))
    }

    /// Goes through the solved out-nodes in topological order and solves again what a change reaches.
    fn revalidate(
        &self,
        change: Change,
        changed_graphs: &FxHashSet<u32>,
    ) -> Result<UpdateReport, WpdsError> {
        let mut outs: Vec<TransitionId> = self.out_index.keys().copied().collect();
        outs.sort_unstable();
        outs.retain(|&out| lock(self.out(out)).solved);
        let index: FxHashMap<TransitionId, u32> =
            outs.iter().enumerate().map(|(i, &out)| (out, i as u32)).collect();
        // A solved out-node may depend on new ones that nobody asked for yet: they are solved here.
        let mut depends = Vec::with_capacity(outs.len());
        let mut fresh = Vec::new();
        for &out in &outs {
            let direct = self.out_nodes_of(out);
            fresh.extend(direct.iter().copied().filter(|d| !index.contains_key(d)));
            depends.push(direct);
        }
        let mut report = UpdateReport {
            change,
            intragraphs_changed: changed_graphs.len(),
            out_nodes_recomputed: 0,
            out_nodes_changed: 0,
            out_nodes_kept: 0,
        };
        let (outs, depends) = self.with_fresh(outs, depends, fresh);
        let index: FxHashMap<TransitionId, u32> =
            outs.iter().enumerate().map(|(i, &out)| (out, i as u32)).collect();
        let edges: Vec<Vec<u32>> = depends
            .iter()
            .map(|direct| direct.iter().filter_map(|d| index.get(d).copied()).collect())
            .collect();
        let mut changed = vec![false; outs.len()];
        for component in strong_components(&edges) {
            let touched = |&i: &u32| {
                let out = outs[i as usize];
                changed_graphs.contains(&self.places[out.index()].graph)
                    || !lock(self.out(out)).solved
                    || edges[i as usize].iter().any(|&d| changed[d as usize])
            };
            if !component.iter().any(touched) {
                report.out_nodes_kept += component.len();
                continue;
            }
            let members: Vec<TransitionId> = component.iter().map(|&i| outs[i as usize]).collect();
            let before: Vec<S::Weight> =
                members.iter().map(|&out| lock(self.out(out)).weight.clone()).collect();
            let recursive =
                members.len() > 1 || edges[component[0] as usize].contains(&component[0]);
            if recursive && change == Change::RulesReplaced {
                self.restart(&members);
            }
            solve_component(self, &members)?;
            report.out_nodes_recomputed += members.len();
            for ((&i, &out), old) in component.iter().zip(&members).zip(&before) {
                let mut node = lock(self.out(out));
                node.solved = true;
                if !self.system.domain().equal(&node.weight, old) {
                    changed[i as usize] = true;
                    report.out_nodes_changed += 1;
                }
            }
        }
        Ok(report)
    }

    /// Adds the unsolved out-nodes that solved ones depend on now, and what those depend on.
    fn with_fresh(
        &self,
        mut outs: Vec<TransitionId>,
        mut depends: Vec<Vec<TransitionId>>,
        mut fresh: Vec<TransitionId>,
    ) -> (Vec<TransitionId>, Vec<Vec<TransitionId>>) {
        let mut seen: FxHashSet<TransitionId> = outs.iter().copied().collect();
        while let Some(out) = fresh.pop() {
            if !seen.insert(out) {
                continue;
            }
            let direct = self.out_nodes_of(out);
            fresh.extend(&direct);
            outs.push(out);
            depends.push(direct);
        }
        (outs, depends)
    }

    /// Where weights may have become smaller, iteration starts from zero.
    fn restart(&self, members: &[TransitionId]) {
        for &out in members {
            let mut node = lock(self.out(out));
            node.weight = self.system.domain().zero();
            node.versions.clear();
            node.last_change = self.tick();
        }
    }
}

fn change_between<S: Semiring>(old: &Wpds<S>, new: &Wpds<S>) -> Change {
    let kept = |id: RuleId| new.rule(id).is_some();
    if old.rules().all(|(id, _)| kept(id)) { Change::RulesAdded } else { Change::RulesReplaced }
}

/// For each old transition, the new one with the same meaning.
fn match_transitions(old: &Shape, new: &Shape) -> Vec<Option<TransitionId>> {
    let mut entered = FxHashMap::default();
    for (i, kind) in new.states().iter().enumerate() {
        if let StateKind::Entered(control, symbol) = *kind {
            entered.insert((control, symbol), crate::State::of(i));
        }
    }
    let state = |q: crate::State| match old.states()[q.index()] {
        StateKind::Entered(control, symbol) => entered.get(&(control, symbol)).copied(),
        _ => Some(q),
    };
    let moved = |link: &Link| {
        let (from, to) = (state(link.from)?, state(link.to)?);
        new.find(Link { from, to, ..*link })
    };
    old.links().iter().map(moved).collect()
}

/// Moves what is still valid from the old intragraphs to the new ones.
struct Reuse<'r, 'b, S: Semiring> {
    new: &'r mut Fwpds<'b, S>,
    to_new: &'r [Option<TransitionId>],
    places: &'r [super::solver::Place],
}

/// An edge in terms of new transitions; the root has no source.
type MovedEdge = (Option<TransitionId>, TransitionId, EdgeLabel);

fn sort_key(edge: &MovedEdge) -> (Option<TransitionId>, TransitionId, u64) {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    edge.2.hash(&mut hasher);
    (edge.0, edge.1, hasher.finish())
}

impl<S: Semiring> Reuse<'_, '_, S> {
    /// Reuses what can be; gives the new intragraphs that differ from all old ones.
    fn take_graphs(
        self,
        old_graphs: Vec<std::sync::Mutex<super::solver::GraphSlot<S>>>,
    ) -> FxHashSet<u32> {
        let mut members: Vec<Vec<TransitionId>> = vec![Vec::new(); old_graphs.len()];
        for (t, place) in self.places.iter().enumerate() {
            members[place.graph as usize].push(TransitionId::of(t));
        }
        let mut new_members: Vec<Vec<TransitionId>> = vec![Vec::new(); self.new.graphs.len()];
        for (t, place) in self.new.places.iter().enumerate() {
            new_members[place.graph as usize].push(TransitionId::of(t));
        }
        let mut changed: FxHashSet<u32> = (0..self.new.graphs.len() as u32).collect();
        for (g, slot) in old_graphs.into_iter().enumerate() {
            let mut slot = slot.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
            let Some(moved) = self.move_edges(&members[g], &slot.edges) else { continue };
            let Some(first) = members[g].first().and_then(|t| self.to_new[t.index()]) else {
                continue;
            };
            let graph = self.new.places[first.index()].graph;
            let target = &mut lock(&self.new.graphs[graph as usize]);
            let inside = &new_members[graph as usize];
            if inside.len() != members[g].len() || target.edges.len() != moved.len() {
                continue;
            }
            let by_member: FxHashMap<u32, TransitionId> =
                inside.iter().map(|&t| (self.new.places[t.index()].member, t)).collect();
            let mut own: Vec<MovedEdge> = target
                .edges
                .iter()
                .map(|&(from, to, label)| (by_member.get(&from).copied(), by_member[&to], label))
                .collect();
            let mut theirs = moved;
            own.sort_by_key(sort_key);
            theirs.sort_by_key(sort_key);
            if own != theirs {
                continue;
            }
            changed.remove(&graph);
            if let Some(mut built) = slot.built.take() {
                built.rename_out_nodes(|out| self.to_new[out.index()].unwrap_or(out));
                target.built = Some(built);
            }
            // The expressions speak of the old numbers of the members.
            target.edges = slot
                .edges
                .iter()
                .map(|&(from, to, label)| (from, to, self.move_label(label).unwrap_or(label)))
                .collect();
            for &t in &members[g] {
                if let Some(moved) = self.to_new[t.index()] {
                    let member = self.places[t.index()].member;
                    self.new.places[moved.index()].member = member;
                    target.transitions[member as usize - 1] = moved;
                }
            }
        }
        changed
    }

    fn move_label(&self, label: EdgeLabel) -> Option<EdgeLabel> {
        Some(match label {
            EdgeLabel::Summary { summary, out, given } => {
                EdgeLabel::Summary { summary, out: self.to_new[out.index()]?, given }
            }
            other => other,
        })
    }

    /// The edges of an old intragraph in terms of new transitions; nothing if one has gone.
    fn move_edges(
        &self,
        members: &[TransitionId],
        edges: &[super::intragraph::LocalEdge],
    ) -> Option<Vec<MovedEdge>> {
        let by_member: FxHashMap<u32, TransitionId> =
            members.iter().map(|&t| (self.places[t.index()].member, t)).collect();
        let moved = |&(from, to, label): &super::intragraph::LocalEdge| {
            let from = match from {
                0 => None,
                member => Some(self.to_new[by_member[&member].index()]?),
            };
            let to = self.to_new[by_member[&to].index()]?;
            Some((from, to, self.move_label(label)?))
        };
        edges.iter().map(moved).collect()
    }
}

impl<W> OutNode<W> {
    /// An out-node that nobody asked for yet.
    pub(crate) fn unsolved(zero: W) -> Self {
        Self { weight: zero, last_change: 0, solved: false, versions: Vec::new() }
    }
}
