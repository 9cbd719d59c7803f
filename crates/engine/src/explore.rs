//! Blocks: from one cut point of a program to the next.
//!
//! A block is everything between a place and the next cut points, calls included: an acyclic graph,
//! explored in topological order with one formula per place (adjustable block encoding). The same
//! exploration serves the bounded search, which goes on from the formulas at the cut points, and
//! predicate abstraction, which starts afresh at each.
//!
//! Where each formula came from is kept in a graph of [`Origins`], so that a model of a formula
//! becomes one path again ([`Origins::path`]).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::FuncId;
use gnomon_logic::encode::{Encoder, Execution, Move, NotEncoded};
use gnomon_logic::value::Value;
use gnomon_logic::{Model, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::control::{ControlId, ControlSpace, Target};
use crate::property::Site;
use crate::unsupported::{Construct, Unsupported};

/// Where blocks end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Cut {
    /// At loop heads.
    #[default]
    Loops,
    /// At loop heads, and where functions begin and end.
    Functions,
    /// Everywhere: a block is an edge.
    Edges,
}

/// A point in the graph of origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OriginId(u32);

/// One edge to a point: from where, by which step, and what holds if it was taken.
#[derive(Clone, Debug)]
pub(crate) struct Incoming {
    pub(crate) from: OriginId,
    pub(crate) step: Option<Move>,
    facts: Vec<Term>,
}

/// How formulas came about.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// No incoming edge: a beginning.
    points: Vec<Vec<Incoming>>,
}

impl Origins {
    /// A beginning.
    pub fn beginning(&mut self) -> OriginId {
        self.point(Vec::new())
    }

    fn point(&mut self, incoming: Vec<Incoming>) -> OriginId {
        self.points.push(incoming);
        OriginId(self.points.len() as u32 - 1)
    }

    /// The edges to a point; none to a beginning.
    pub(crate) fn incoming(&self, point: OriginId) -> &[Incoming] {
        &self.points[point.0 as usize]
    }

    /// All points on paths to a point, each behind those that lead to it, and the point itself.
    pub(crate) fn points_before(&self, end: OriginId) -> BTreeSet<OriginId> {
        let mut points = BTreeSet::from([end]);
        let mut work = vec![end];
        while let Some(point) = work.pop() {
            for incoming in self.incoming(point) {
                if points.insert(incoming.from) {
                    work.push(incoming.from);
                }
            }
        }
        points
    }

    /// The number of steps of the shortest path from a beginning to a point.
    pub(crate) fn shortest(&self, end: OriginId) -> u32 {
        let mut steps: FxHashMap<OriginId, u32> = FxHashMap::default();
        for point in self.points_before(end) {
            let edges = self.incoming(point).iter();
            let through = |edge: &Incoming| steps[&edge.from] + u32::from(edge.step.is_some());
            steps.insert(point, edges.map(through).min().unwrap_or(0));
        }
        steps[&end]
    }

    /// Every fact on the way to a point: the truth values of these decide the path.
    pub fn facts(&self, end: OriginId) -> Vec<Term> {
        let mut facts = Vec::new();
        for point in self.points_before(end) {
            for incoming in self.incoming(point) {
                facts.extend_from_slice(&incoming.facts);
            }
        }
        facts.sort_unstable();
        facts.dedup();
        facts
    }

    /// The steps of a path to a point on which every fact is true in the model; with the beginning.
    pub fn path(&self, end: OriginId, model: &Model) -> Option<(OriginId, Vec<Move>)> {
        let holds = |fact: &Term| model.get(*fact) != Some(&Value::Bool(false));
        let mut dead: FxHashSet<OriginId> = FxHashSet::default();
        // The present path from the end back, with the edges not tried yet.
        let mut path: Vec<(OriginId, usize)> = vec![(end, 0)];
        while let Some((point, next)) = path.last_mut() {
            let edges = &self.points[point.0 as usize];
            if edges.is_empty() {
                let beginning = *point;
                let chosen = path.iter().rev().skip(1);
                let steps =
                    chosen.filter_map(|&(at, next)| self.points[at.0 as usize][next - 1].step);
                return Some((beginning, steps.collect()));
            }
            match edges.get(*next) {
                None => {
                    dead.insert(*point);
                    path.pop();
                }
                Some(edge) => {
                    *next += 1;
                    if !dead.contains(&edge.from) && edge.facts.iter().all(holds) {
                        path.push((edge.from, 0));
                    }
                }
            }
        }
        None
    }
}

/// Executions at a place, and how they came there.
#[derive(Clone, Debug)]
pub struct Strand {
    /// What is known of them.
    pub execution: Execution,
    /// How they came there.
    pub origin: OriginId,
}

/// A strand on its way into a place.
struct Arrival {
    execution: Execution,
    incoming: Incoming,
}

/// Where a block ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// At a cut point.
    Control(ControlId),
    /// At an error.
    Error(Site),
    /// At something unsupported. Of several of one kind in a block, the first stands for all.
    Stuck(Rc<Unsupported>),
}

impl End {
    /// Whether both are the same, or the same kind of something unsupported.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Stuck(mine), Self::Stuck(theirs)) => mine.what == theirs.what,
            _ => self == other,
        }
    }
}

/// The number of places that a block may have, unless told otherwise.
pub const MAX_PLACES: usize = 20_000;

/// Why a block could not be explored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExploreError {
    /// The budget ran out.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

/// Explores a program block by block.
pub struct Explorer<'p> {
    /// Where the program can be.
    pub space: ControlSpace<'p>,
    /// Makes the formulas.
    pub encoder: Encoder<'p>,
    /// How formulas came about.
    pub origins: Origins,
    /// Where blocks end.
    pub cut: Cut,
    /// How many places a block may have; where it would have more, it ends earlier.
    pub max_places: usize,
    /// Where blocks end because they would be too large.
    early_ends: FxHashSet<ControlId>,
    steps: FxHashMap<ControlId, Rc<[(Move, Target)]>>,
    pub(crate) budget: Budget,
}

impl<'p> Explorer<'p> {
    /// Explores with this encoder.
    pub fn new(space: ControlSpace<'p>, encoder: Encoder<'p>, cut: Cut, budget: Budget) -> Self {
        Self {
            space,
            encoder,
            origins: Origins::default(),
            cut,
            max_places: MAX_PLACES,
            early_ends: FxHashSet::default(),
            steps: FxHashMap::default(),
            budget,
        }
    }

    /// A strand on which nothing happened yet.
    pub fn fresh_strand(&mut self) -> Strand {
        Strand { execution: Execution::default(), origin: self.origins.beginning() }
    }

    /// The steps from a place.
    pub(crate) fn steps_from(&mut self, id: ControlId) -> Rc<[(Move, Target)]> {
        if let Some(known) = self.steps.get(&id) {
            return known.clone();
        }
        let steps: Rc<[(Move, Target)]> = self.space.steps(id).into();
        self.steps.insert(id, steps.clone());
        steps
    }

    /// Whether blocks end at a place.
    pub fn is_cut(&mut self, id: ControlId) -> bool {
        if self.early_ends.contains(&id) {
            return true;
        }
        match self.cut {
            Cut::Edges => true,
            Cut::Loops => self.space.is_loop_head(id),
            Cut::Functions => {
                let control = self.space.get(id);
                let body = self.space.program().funcs[control.func].body.as_ref();
                let border = body.is_some_and(|b| {
                    (control.loc == b.entry() || control.loc == b.exit())
                        && self.space.depth(id) > 0
                });
                border || self.space.is_loop_head(id)
            }
        }
    }

    /// The places of the block that begins at `from`, each before those it leads to.
    pub(crate) fn places(&mut self, from: ControlId) -> Result<Vec<ControlId>, ExploreError> {
        let mut post_order = Vec::new();
        let mut seen: FxHashSet<ControlId> = [from].into_iter().collect();
        let mut work = vec![(from, 0usize)];
        while let Some((place, next)) = work.last_mut() {
            self.budget.check()?;
            let (place, position) = (*place, *next);
            *next += 1;
            let steps = self.steps_from(place);
            match steps.get(position) {
                None => {
                    post_order.push(place);
                    work.pop();
                }
                Some((_, Target::Control(to))) => {
                    if self.is_cut(*to) || seen.contains(to) {
                        continue;
                    }
                    if seen.len() >= self.max_places {
                        self.early_ends.insert(*to);
                    } else {
                        seen.insert(*to);
                        work.push((*to, 0));
                    }
                }
                Some(_) => {}
            }
        }
        post_order.reverse();
        Ok(post_order)
    }

    /// Takes a strand from a place through its block; gives what arrives at each end, in order.
    pub fn block(
        &mut self,
        terms: &mut Terms,
        from: ControlId,
        strand: Strand,
    ) -> Result<Vec<(End, Strand)>, ExploreError> {
        let order = self.places(from)?;
        let mut here: FxHashMap<ControlId, Vec<Arrival>> = FxHashMap::default();
        let mut ends: BTreeMap<End, Vec<Arrival>> = BTreeMap::new();
        let mut first = Some(strand);
        for place in order {
            self.budget.check_now()?;
            let strand = match first.take() {
                Some(strand) => strand,
                None => match here.remove(&place) {
                    Some(arrivals) => self.meet(terms, arrivals),
                    None => continue,
                },
            };
            let steps = self.steps_from(place);
            let last = steps.len().saturating_sub(1);
            let mut rest = Some(strand);
            for (position, (step, target)) in steps.iter().enumerate() {
                let strand = if position == last { rest.take() } else { rest.clone() };
                let Some(strand) = strand else { break };
                let (end, arrival) = self.arrive(terms, strand, *step, target);
                if arrival.execution.is_empty(terms) {
                    continue;
                }
                match end {
                    End::Control(to) if !self.is_cut(to) => {
                        here.entry(to).or_default().push(arrival);
                    }
                    end => {
                        let known = ends.keys().find(|known| known.is_like(&end)).cloned();
                        ends.entry(known.unwrap_or(end)).or_default().push(arrival);
                    }
                }
            }
        }
        Ok(ends.into_iter().map(|(end, arrivals)| (end, self.meet(terms, arrivals))).collect())
    }

    /// Takes a strand over one step.
    fn arrive(
        &mut self,
        terms: &mut Terms,
        strand: Strand,
        step: Move,
        target: &Target,
    ) -> (End, Arrival) {
        let unmoved = |strand: Strand| Arrival {
            execution: strand.execution,
            incoming: Incoming { from: strand.origin, step: None, facts: Vec::new() },
        };
        let end = match target {
            Target::Control(to) => End::Control(*to),
            // A call is an error already when it is made; anything else when it was possible.
            Target::Error(site) if is_call(self.space.program(), step) => {
                return (End::Error(*site), unmoved(strand));
            }
            Target::Error(site) => End::Error(*site),
            Target::Stuck(reason) => return (End::Stuck(reason.clone()), unmoved(strand)),
        };
        let before = strand.execution.facts().len();
        match self.encoder.advance(terms, strand.execution.clone(), step) {
            Ok(execution) => {
                let facts = execution.facts()[before..].to_vec();
                let incoming = Incoming { from: strand.origin, step: Some(step), facts };
                (end, Arrival { execution, incoming })
            }
            Err(reason) => (End::Stuck(self.refuse(step, &reason)), unmoved(strand)),
        }
    }

    /// From now on, a step that cannot be encoded is unsupported.
    pub(crate) fn refuse(&mut self, step: Move, reason: &NotEncoded) -> Rc<Unsupported> {
        let (what, place) = (Construct::NotEncoded(reason.to_string()), edge_of(step));
        let reason = Rc::new(Unsupported { what, place });
        if let Some((func, edge)) = place {
            self.space.refuse(func, edge, reason.clone());
            self.steps.clear();
        }
        reason
    }

    /// Puts together strands that have met.
    pub fn meet_strands(&mut self, terms: &mut Terms, strands: Vec<Strand>) -> Strand {
        let unmoved = |s: Strand| Arrival {
            execution: s.execution,
            incoming: Incoming { from: s.origin, step: None, facts: Vec::new() },
        };
        self.meet(terms, strands.into_iter().map(unmoved).collect())
    }

    /// Puts together what arrives at one place.
    fn meet(&mut self, terms: &mut Terms, mut arrivals: Vec<Arrival>) -> Strand {
        if let [_] = arrivals[..]
            && let Some(Arrival { execution, incoming }) = arrivals.pop()
        {
            let origin = self.origins.point(vec![incoming]);
            return Strand { execution, origin };
        }
        let executions: Vec<Execution> = arrivals.iter().map(|a| a.execution.clone()).collect();
        let merged = self.encoder.merge(terms, executions);
        let mut edges = Vec::with_capacity(arrivals.len());
        for Arrival { execution, mut incoming } in arrivals {
            for (variable, index) in merged.ssa().iter() {
                let mine = execution.ssa().index(variable);
                if mine != index {
                    let (new, old) = (terms.var_at(variable, index), terms.var_at(variable, mine));
                    incoming.facts.push(terms.eq(new, old));
                }
            }
            edges.push(incoming);
        }
        Strand { execution: merged, origin: self.origins.point(edges) }
    }
}

fn edge_of(step: Move) -> Option<(FuncId, EdgeId)> {
    match step {
        Move::Start => None,
        Move::Edge(func, edge) => Some((func, edge)),
        Move::Enter { caller, edge, .. } | Move::Leave { caller, edge, .. } => Some((caller, edge)),
    }
}

pub(crate) fn is_call(program: &gnomon_ir::program::Program, step: Move) -> bool {
    edge_of(step).is_some_and(|(func, edge)| {
        let body = program.funcs[func].body.as_ref();
        body.is_some_and(|b| matches!(b.edge(edge).op, gnomon_ir::cfa::Op::Call(_)))
    })
}
