//! The composition of a transducer with itself, as far as a question reaches (LAL 6.5.3, 6.6).
//!
//! The contexts of a thread are levels: level 1 reads the stack before the first context, each next
//! level reads what the one below has written, and the last one writes what the goal reads. All stacks
//! are read from the top in one pass. A transducer may read without writing and write without reading;
//! so that no run is found in several orders, symbols are *pushed*: a symbol is handed up from level to
//! level until it is taken off or the goal has read it, and a level that grows writes all that it has
//! to write before the level below goes on. (Pulling symbols from the goal down finds the same runs,
//! but has to guess from which symbol a stack has grown, and most guesses are wrong.) Only states that
//! the start reaches are made, and only those that lie on a complete run get weights.
//!
//! Weights are tensors with one factor for each level. Departure from 6.5.3: the paper reads the
//! stacks from the top, and has to read growth weights transposed, in a factor of their own, because
//! they come in reverse order. Here weights are read from the bottom of the stack: there pop weights
//! come in front of what is known already and growth weights behind it, so that one factor for each
//! context is enough and the domain needs no transposition. The paper's way is
//! [`Composition::weight_by_transposition`], for comparison.

use std::collections::BTreeMap;

use gnomon_budget::Budget;
use rustc_hash::FxHashMap;

use crate::automaton::{ConfigSet, Label};
use crate::error::WpdsError;
use crate::ids::{Control, State, Symbol};
use crate::saturation::expand;
use crate::semiring::Semiring;
use crate::summary::{join_over_paths, renumber};
use crate::transducer::tensor::{TensorOf, TensorProduct};
use crate::transducer::weighted::{Phase, WeightedTransducer};

/// A state of the composition. Only levels up to that of the writer can be growing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Vertex {
    /// How far the stack before has been read.
    start: State,
    /// The state of the transducer on each level.
    levels: Vec<Phase>,
    /// How far the stack after has been read.
    goal: State,
}

impl Vertex {
    /// The level that writes the next symbol: the highest one that grows. If there is none, the next
    /// symbol comes from the start.
    fn writer(&self) -> Option<usize> {
        self.levels.iter().rposition(|level| matches!(level, Phase::Grow { .. }))
    }

    fn with(&self, level: usize, phase: Phase) -> Self {
        let mut changed = self.clone();
        changed.levels[level] = phase;
        changed
    }
}

/// The weights of an edge: of a level that reads, and of a level that writes.
#[derive(Clone, Debug)]
struct Factors<W> {
    popped: Option<(usize, W)>,
    grown: Option<(usize, W)>,
}

/// The contexts that one thread takes part in: where its stack is at the beginning and at the end, and
/// in which control locations the contexts begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contexts<'q> {
    /// The stacks before, with the control location under which the set is read.
    pub(crate) start: (&'q ConfigSet, Control),
    /// The stacks after, likewise.
    pub(crate) goal: (&'q ConfigSet, Control),
    /// The control location at the beginning of each context.
    pub(crate) entries: &'q [Control],
}

/// What the contexts of a thread do: where they end, and the tensor.
pub(crate) type Summaries<S> = Vec<(Vec<Control>, TensorOf<S>)>;

/// The composition of a transducer with itself, without those states that nothing demands.
pub(crate) struct Composition<'t, 'a, S: Semiring> {
    transducer: &'t WeightedTransducer<'a, S>,
    start: &'t ConfigSet,
    goal: &'t ConfigSet,
    index: FxHashMap<Vertex, u32>,
    vertices: Vec<Vertex>,
    edges: Vec<Vec<(u32, u32)>>,
    factors: Vec<Factors<S::Weight>>,
    /// The vertices at which everything is read, by where the contexts end.
    accepting: BTreeMap<Vec<Control>, Vec<u32>>,
    budget: Budget,
}

impl<'t, 'a, S: Semiring> Composition<'t, 'a, S> {
    pub(crate) fn new(
        transducer: &'t WeightedTransducer<'a, S>,
        contexts: Contexts<'t>,
        budget: &Budget,
    ) -> Result<Self, WpdsError> {
        let mut built = Self {
            transducer,
            start: contexts.start.0,
            goal: contexts.goal.0,
            index: FxHashMap::default(),
            vertices: Vec::new(),
            edges: Vec::new(),
            factors: vec![Factors { popped: None, grown: None }],
            accepting: BTreeMap::new(),
            budget: budget.clone(),
        };
        built.vertex(Vertex {
            start: contexts.start.1.into(),
            levels: contexts.entries.iter().map(|&entry| Phase::Pop(entry)).collect(),
            goal: contexts.goal.1.into(),
        });
        while built.edges.len() < built.vertices.len() {
            budget.check()?;
            let vertex = built.vertices[built.edges.len()].clone();
            built.edges.push(Vec::new());
            match vertex.writer() {
                Some(level) => built.write(&vertex, level)?,
                None => built.read_start(&vertex),
            }
        }
        Ok(built)
    }

    /// How many states were made.
    pub(crate) fn len(&self) -> usize {
        self.vertices.len()
    }

    fn vertex(&mut self, vertex: Vertex) -> u32 {
        if let Some(&known) = self.index.get(&vertex) {
            return known;
        }
        let number = u32::try_from(self.vertices.len()).unwrap_or(u32::MAX);
        self.index.insert(vertex.clone(), number);
        self.vertices.push(vertex);
        number
    }

    /// Adds an edge from the vertex that is being expanded; `factors` is 0 for an edge of weight one.
    fn edge(&mut self, factors: u32, to: Vertex) {
        let to = self.vertex(to);
        if let Some(out) = self.edges.last_mut() {
            out.push((factors, to));
        }
    }

    /// Whether everything may be read now: the start has no more symbols, what was not taken off stays,
    /// and the goal is content.
    fn accept(&mut self, vertex: &Vertex) {
        if !self.start.is_final(vertex.start) || !self.goal.is_final(vertex.goal) {
            return;
        }
        let ends = vertex.levels.iter().map(|level| match *level {
            Phase::Pop(end) | Phase::Copy { end } | Phase::Grow { end, .. } => end,
        });
        let number = u32::try_from(self.edges.len() - 1).unwrap_or(u32::MAX);
        self.accepting.entry(ends.collect()).or_default().push(number);
    }

    /// The start has the next symbol, or none.
    fn read_start(&mut self, vertex: &Vertex) {
        self.accept(vertex);
        let (start, all) = (self.start, self.transducer.system().symbol_count());
        for t in start.outgoing(vertex.start) {
            let next = Vertex { start: t.to, ..vertex.clone() };
            for symbol in expand(t.label, all) {
                self.hand_up(symbol, 0, &next, None);
            }
        }
    }

    /// A growing level writes a symbol.
    fn write(&mut self, vertex: &Vertex, level: usize) -> Result<(), WpdsError> {
        let Phase::Grow { target, state, end } = vertex.levels[level] else { return Ok(()) };
        let transducer = self.transducer;
        let indifferent = self.indifferent_goal(vertex, level);
        for (to, transitions) in transducer.growth_towards(state, target) {
            let phase = if to == target {
                Phase::Copy { end }
            } else {
                Phase::Grow { target, state: to, end }
            };
            let next = vertex.with(level, phase);
            if let Some(goal) = indifferent {
                let weight = transducer.combined_growth(transitions)?;
                let factors = self.remember(None, Some((level, weight)));
                self.edge(factors, Vertex { goal, ..next });
                continue;
            }
            for &id in transitions {
                if let Label::Symbol(symbol) = transducer.growth().link(id).label {
                    let weight = transducer.growth_weight(id)?;
                    self.hand_up(symbol, level + 1, &next, Some((level, &weight)));
                }
            }
        }
        Ok(())
    }

    /// If only the goal reads what a level writes, and takes any symbol the same way: where to.
    fn indifferent_goal(&self, vertex: &Vertex, level: usize) -> Option<State> {
        if !vertex.levels[level + 1..].iter().all(|above| matches!(above, Phase::Copy { .. })) {
            return None;
        }
        let mut reads = self.goal.outgoing(vertex.goal);
        match (reads.next(), reads.next()) {
            (Some(only), None) if only.label == Label::Any => Some(only.to),
            _ => None,
        }
    }

    /// Hands a symbol to a level: it is taken off, something grows from it, or it stays and is handed
    /// on.
    fn hand_up(
        &mut self,
        symbol: Symbol,
        level: usize,
        vertex: &Vertex,
        grown: Option<(usize, &S::Weight)>,
    ) {
        let transducer = self.transducer;
        let owned = |grown: Option<(usize, &S::Weight)>| grown.map(|(at, w)| (at, w.clone()));
        match vertex.levels.get(level).copied() {
            Some(Phase::Pop(control)) => {
                for (gone, weight) in transducer.pops(control, symbol) {
                    let factors = self.remember(Some((level, weight.clone())), owned(grown));
                    self.edge(factors, vertex.with(level, Phase::Pop(*gone)));
                }
                if let Some(target) = transducer.growth_of(control, symbol) {
                    let factors = self.remember(None, owned(grown));
                    for end in (0..transducer.system().control_count()).map(Control) {
                        let phase = Phase::Grow { target, state: end.into(), end };
                        self.edge(factors, vertex.with(level, phase));
                    }
                }
                let stays = vertex.with(level, Phase::Copy { end: control });
                self.hand_up(symbol, level + 1, &stays, grown);
            }
            Some(_) => self.hand_up(symbol, level + 1, vertex, grown),
            None => {
                let goal = self.goal;
                let reads = goal.outgoing(vertex.goal);
                for t in reads.filter(|t| t.label.overlaps(Label::Symbol(symbol))) {
                    let factors = self.remember(None, owned(grown));
                    self.edge(factors, Vertex { goal: t.to, ..vertex.clone() });
                }
            }
        }
    }

    fn remember(
        &mut self,
        popped: Option<(usize, S::Weight)>,
        grown: Option<(usize, S::Weight)>,
    ) -> u32 {
        if popped.is_none() && grown.is_none() {
            return 0;
        }
        self.factors.push(Factors { popped, grown });
        u32::try_from(self.factors.len() - 1).unwrap_or(u32::MAX)
    }

    /// The edges the other way round.
    fn reversed(&self) -> Vec<Vec<(u32, u32)>> {
        let mut reversed = vec![Vec::new(); self.edges.len()];
        for (from, out) in self.edges.iter().enumerate() {
            for &(factors, to) in out {
                reversed[to as usize].push((factors, u32::try_from(from).unwrap_or(u32::MAX)));
            }
        }
        reversed
    }
}

impl<S: TensorProduct> Composition<'_, '_, S> {
    /// The tensor of the contexts, for every way in which they can end; the factor of level `j` is at
    /// `positions[j]`, and those that belong to no level are one.
    pub(crate) fn weights(
        &self,
        power: &S::Power,
        positions: &[usize],
    ) -> Result<Summaries<S>, WpdsError> {
        let domain = self.transducer.system().domain();
        let reversed = self.reversed();
        let mut weights = Vec::new();
        for (ends, accepting) in &self.accepting {
            let roots = accepting.iter().map(|&v| v as usize);
            let (place, edges) = renumber(&reversed, roots);
            let start = accepting.iter().map(|&v| (place[v as usize], power.one())).collect();
            let values = join_over_paths(power, &edges, start, |tensor, _, factors: u32| {
                self.budget.check()?;
                let Factors { popped, grown } = &self.factors[factors as usize];
                let mut tensor = tensor.clone();
                if let Some((level, weight)) = popped {
                    tensor = domain.extend_left(power, positions[*level], weight, &tensor)?;
                }
                if let Some((level, weight)) = grown {
                    tensor = domain.extend_right(power, positions[*level], weight, &tensor)?;
                }
                Ok(tensor)
            })?;
            if let Some(weight) = values.get(place[0] as usize).filter(|w| !power.is_zero(w)) {
                weights.push((ends.clone(), weight.clone()));
            }
        }
        Ok(weights)
    }

    /// The contexts in sequence, by the construction of LAL 6.5.3: two factors for each context, the
    /// second one transposed, extended from the top of the stack on. Only contexts that end in `ends`.
    pub(crate) fn weight_by_transposition(&self, ends: &[Control]) -> Result<S::Weight, WpdsError> {
        let domain = self.transducer.system().domain();
        let levels = self.vertices.first().map_or(0, |vertex| vertex.levels.len());
        let power = domain.power(2 * levels)?;
        let (place, edges) = renumber(&self.edges, std::iter::once(0));
        let start = vec![(place[0], power.one())];
        let values = join_over_paths(&power, &edges, start, |tensor, _, factors: u32| {
            self.budget.check()?;
            let Factors { popped, grown } = &self.factors[factors as usize];
            let mut tensor = tensor.clone();
            if let Some((level, weight)) = popped {
                tensor = domain.extend_right(&power, 2 * level, weight, &tensor)?;
            }
            if let Some((level, weight)) = grown {
                let turned = domain.transposed(weight)?;
                tensor = domain.extend_right(&power, 2 * level + 1, &turned, &tensor)?;
            }
            Ok(tensor)
        })?;
        let mut total = domain.zero();
        for &v in self.accepting.get(ends).into_iter().flatten() {
            let weight = domain.transposed_detensor(&power, &values[place[v as usize] as usize])?;
            total = domain.combine(&total, &weight)?;
        }
        Ok(total)
    }
}
