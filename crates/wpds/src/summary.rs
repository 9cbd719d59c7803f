//! Reading weights out of a result (LAL 2.4.1, *path_summary*).
//!
//! The weight of a set of configurations is the combine over the accepting paths of the product of
//! the result with the set. The product is built and trimmed without weights first, so that a lazy
//! solver computes only the weights that can matter.

use rustc_hash::FxHashMap;

use crate::automaton::{ConfigSet, Label};
use crate::error::WpdsError;
use crate::ids::{Control, State, Symbol, TransitionId};
use crate::order::post_order;
use crate::semiring::Semiring;
use crate::shape::{Direction, Shape, Solution};
use crate::system::Configuration;

/// The trimmed product of a result with a set of configurations: a graph whose edges are
/// transitions of the result, in an order in which sources come before targets except on cycles.
#[derive(Debug)]
pub(crate) struct Product {
    /// The state of the result, for each vertex.
    pub(crate) states: Vec<State>,
    pub(crate) initial: Vec<u32>,
    pub(crate) accepting: Vec<bool>,
    /// Edges `(transition, target)` by source.
    pub(crate) edges: Vec<Vec<(TransitionId, u32)>>,
    /// Empty stacks: an empty-word transition to a final state.
    pub(crate) empty: Vec<TransitionId>,
    /// Control locations that accept the empty stack by themselves.
    pub(crate) trivial: bool,
}

/// The pairs `(result transition, target of the set's transition)` that a pair of states allows.
fn steps(shape: &Shape, set: &ConfigSet, state: State, other: State) -> Vec<(TransitionId, State)> {
    let mut steps = Vec::new();
    for t in set.outgoing(other) {
        match t.label {
            Label::Epsilon => {}
            Label::Symbol(_) => {
                for label in [t.label, Label::Any] {
                    let matching = shape.labelled(state, label).iter();
                    steps.extend(matching.map(|&id| (id, t.to)));
                }
            }
            Label::Any => {
                let all = shape.outgoing(state).iter();
                let matching = all.filter(|&&id| shape.link(id).label != Label::Epsilon);
                steps.extend(matching.map(|&id| (id, t.to)));
            }
        }
    }
    steps
}

impl Product {
    pub(crate) fn new(shape: &Shape, set: &ConfigSet, controls: u32) -> Self {
        let mut vertex: FxHashMap<(State, State), u32> = FxHashMap::default();
        let mut pairs: Vec<(State, State)> = Vec::new();
        let mut edges: Vec<Vec<(TransitionId, u32)>> = Vec::new();
        let mut of = |pair: (State, State), pairs: &mut Vec<(State, State)>| {
            *vertex.entry(pair).or_insert_with(|| {
                pairs.push(pair);
                (pairs.len() - 1) as u32
            })
        };
        for control in (0..controls).map(State) {
            of((control, control), &mut pairs);
        }
        let mut done = 0;
        while done < pairs.len() {
            let (state, other) = pairs[done];
            let targets = steps(shape, set, state, other).into_iter();
            let out = targets.map(|(id, to)| (id, of((shape.link(id).to, to), &mut pairs)));
            edges.push(out.collect());
            done += 1;
        }
        let accepting: Vec<bool> =
            pairs.iter().map(|&(q, t)| shape.is_final(q) && set.is_final(t)).collect();
        let control_states = || (0..controls).map(State);
        let empty = control_states().filter(|&p| set.is_final(p)).flat_map(|p| {
            let returns = shape.labelled(p, Label::Epsilon).iter().copied();
            returns.filter(|&id| shape.is_final(shape.link(id).to))
        });
        let mut product = Self {
            states: pairs.iter().map(|&(q, _)| q).collect(),
            initial: (0..controls).collect(),
            trivial: control_states().any(|p| set.is_final(p) && shape.is_final(p)),
            empty: empty.collect(),
            accepting,
            edges,
        };
        product.trim();
        product
    }

    /// Keeps what lies on a path from an initial to an accepting vertex, in reverse post-order.
    fn trim(&mut self) {
        let count = self.states.len();
        let mut backwards: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (from, out) in self.edges.iter().enumerate() {
            for &(_, to) in out {
                backwards[to as usize].push(from as u32);
            }
        }
        let mut useful = vec![false; count];
        let mut stack: Vec<u32> =
            (0..count as u32).filter(|&v| self.accepting[v as usize]).collect();
        while let Some(v) = stack.pop() {
            if !std::mem::replace(&mut useful[v as usize], true) {
                stack.extend(&backwards[v as usize]);
            }
        }
        let successors: Vec<Vec<u32>> = self
            .edges
            .iter()
            .map(|out| out.iter().map(|&(_, to)| to).filter(|&to| useful[to as usize]).collect())
            .collect();
        let roots = self.initial.iter().map(|&v| v as usize).filter(|&v| useful[v]);
        let order: Vec<u32> = post_order(&successors, roots).into_iter().rev().collect();
        let mut place = vec![u32::MAX; count];
        for (new, &old) in order.iter().enumerate() {
            place[old as usize] = new as u32;
        }
        let kept = |out: &[(TransitionId, u32)]| {
            let inside = out.iter().filter(|&&(_, to)| place[to as usize] != u32::MAX);
            inside.map(|&(id, to)| (id, place[to as usize])).collect::<Vec<_>>()
        };
        self.edges = order.iter().map(|&v| kept(&self.edges[v as usize])).collect();
        self.states = order.iter().map(|&v| self.states[v as usize]).collect();
        self.accepting = order.iter().map(|&v| self.accepting[v as usize]).collect();
        let initial = self.initial.iter().map(|&v| place[v as usize]);
        self.initial = initial.filter(|&v| v != u32::MAX).collect();
    }

    /// The transitions that matter, each once.
    pub(crate) fn transitions(&self) -> Vec<TransitionId> {
        let on_edges = self.edges.iter().flatten().map(|&(id, _)| id);
        let mut all: Vec<TransitionId> = on_edges.chain(self.empty.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The least solution of `value(v) = start(v) ⊕ ⊕ step(value(u), edge)` over the edges `u → v`:
/// an intraprocedural join over all paths. Vertices should be numbered in reverse post-order.
pub(crate) fn join_over_paths<S: Semiring, E: Copy>(
    domain: &S,
    edges: &[Vec<(E, u32)>],
    start: Vec<(u32, S::Weight)>,
    mut step: impl FnMut(&S::Weight, u32, E) -> Result<S::Weight, WpdsError>,
) -> Result<Vec<S::Weight>, WpdsError> {
    let mut values = vec![domain.zero(); edges.len()];
    let mut waiting = std::collections::BTreeSet::new();
    for (v, weight) in start {
        values[v as usize] = domain.combine(&values[v as usize], &weight)?;
        waiting.insert(v);
    }
    while let Some(v) = waiting.pop_first() {
        for &(edge, to) in &edges[v as usize] {
            let stepped = step(&values[v as usize], v, edge)?;
            if domain.is_zero(&stepped) {
                continue;
            }
            let combined = domain.combine(&values[to as usize], &stepped)?;
            if !domain.equal(&combined, &values[to as usize]) {
                values[to as usize] = combined;
                waiting.insert(to);
            }
        }
    }
    Ok(values)
}

/// `A(C)`: the combine of the weights of all configurations of a set.
pub fn weight_of_set<S: Semiring>(
    solution: &impl Solution<S>,
    set: &ConfigSet,
) -> Result<S::Weight, WpdsError> {
    let system = solution.system();
    let domain = system.domain();
    let shape = solution.shape();
    set.check_controls(system.control_count())?;
    let product = Product::new(shape, set, system.control_count());
    solution.prepare(&product.transitions())?;
    let start = product.initial.iter().map(|&v| (v, domain.one())).collect();
    let mut known: FxHashMap<TransitionId, S::Weight> = FxHashMap::default();
    let values = join_over_paths(domain, &product.edges, start, |value, _, id: TransitionId| {
        let weight = match known.get(&id) {
            Some(weight) => weight,
            None => known.entry(id).or_insert(solution.weight(id)?),
        };
        Ok(match shape.direction() {
            Direction::Forward => domain.extend(weight, value)?,
            Direction::Backward => domain.extend(value, weight)?,
        })
    })?;
    let mut total = if product.trivial { domain.one() } else { domain.zero() };
    for id in &product.empty {
        total = domain.combine(&total, &solution.weight(*id)?)?;
    }
    for (value, &accepting) in values.iter().zip(&product.accepting) {
        if accepting {
            total = domain.combine(&total, value)?;
        }
    }
    Ok(total)
}

/// `A(c)`: the weight of one configuration.
pub fn weight_of<S: Semiring>(
    solution: &impl Solution<S>,
    configuration: &Configuration,
) -> Result<S::Weight, WpdsError> {
    let set = ConfigSet::single(solution.system().control_count(), configuration)?;
    weight_of_set(solution, &set)
}

/// The weights of all sets `⟨p, γΓ*⟩`, with the part of the stack below the top computed once.
#[derive(Clone, Debug)]
pub struct TopWeights<W> {
    /// The combine over the accepting paths from a state, in the direction of the analysis.
    contexts: Vec<W>,
}

impl<W: Clone + PartialEq> TopWeights<W> {
    /// Computes the weight of everything below the top of a stack.
    pub fn new<S: Semiring<Weight = W>>(solution: &impl Solution<S>) -> Result<Self, WpdsError> {
        let domain = solution.system().domain();
        let shape = solution.shape();
        let count = shape.states().len();
        // From the final states against the transitions.
        let mut backwards: Vec<Vec<(TransitionId, u32)>> = vec![Vec::new(); count];
        for (i, link) in shape.links().iter().enumerate() {
            let entry = !shape.is_control(link.from) || shape.direction() == Direction::Backward;
            if link.label != Label::Epsilon && entry {
                backwards[link.to.index()].push((TransitionId::of(i), link.from.0));
            }
        }
        let finals = (0..count).filter(|&q| shape.is_final(State::of(q)));
        let (place, edges) = renumber(&backwards, finals.clone());
        let start = finals.map(|q| (place[q], domain.one())).collect();
        let values = join_over_paths(domain, &edges, start, |value, _, id: TransitionId| {
            let weight = solution.weight(id)?;
            Ok(match shape.direction() {
                Direction::Forward => domain.extend(value, &weight)?,
                Direction::Backward => domain.extend(&weight, value)?,
            })
        })?;
        let of = |q: usize| values.get(place[q] as usize).cloned().unwrap_or_else(|| domain.zero());
        Ok(Self { contexts: (0..count).map(of).collect() })
    }

    /// The weight of `⟨control, symbol Γ*⟩`.
    pub fn get<S: Semiring<Weight = W>>(
        &self,
        solution: &impl Solution<S>,
        control: Control,
        symbol: Symbol,
    ) -> Result<W, WpdsError> {
        let domain = solution.system().domain();
        let shape = solution.shape();
        let mut total = domain.zero();
        for label in [Label::Symbol(symbol), Label::Any] {
            for &id in shape.labelled(control.into(), label) {
                let context = &self.contexts[shape.link(id).to.index()];
                if domain.is_zero(context) {
                    continue;
                }
                let weight = solution.weight(id)?;
                let whole = match shape.direction() {
                    Direction::Forward => domain.extend(context, &weight)?,
                    Direction::Backward => domain.extend(&weight, context)?,
                };
                total = domain.combine(&total, &whole)?;
            }
        }
        Ok(total)
    }

    /// The weight of everything below a state.
    pub fn context(&self, state: State) -> Option<&W> {
        self.contexts.get(state.index())
    }
}

/// Numbers the vertices that the roots reach in reverse post-order; the others keep `u32::MAX`.
pub(crate) fn renumber<E: Copy>(
    edges: &[Vec<(E, u32)>],
    roots: impl Iterator<Item = usize>,
) -> (Vec<u32>, Vec<Vec<(E, u32)>>) {
    let successors: Vec<Vec<u32>> =
        edges.iter().map(|out| out.iter().map(|&(_, to)| to).collect()).collect();
    let order: Vec<u32> = post_order(&successors, roots).into_iter().rev().collect();
    let mut place = vec![u32::MAX; edges.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old as usize] = new as u32;
    }
    let moved = |out: &Vec<(E, u32)>| out.iter().map(|&(e, to)| (e, place[to as usize])).collect();
    let edges = order.iter().map(|&v| moved(&edges[v as usize])).collect();
    (place, edges)
}
