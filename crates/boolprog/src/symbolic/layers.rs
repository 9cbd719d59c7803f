//! What was reached, in layers that say in which order, so that an execution can be read off.
//!
//! For each point there is a relation between the states with which its procedure was entered and
//! the states reached at the point; for each procedure a relation between entries and returns. New
//! pairs are kept as a layer with a rank. A pair of rank `r` was derived from pairs of smaller
//! rank, so walking back ends at the entry. What the ranks are is the business of the search:
//! [`explore`](super::explore) counts additions, [`shortest`](super::shortest) counts edges.

use gnomon_bdd::{Bdd, BddError, Var};

use super::encoding::{EdgeRelation, Encoding};
use crate::interpret::{PartialValues, TracePlan};
use crate::model::{EdgeId, PointId, ProcId};

/// New pairs.
#[derive(Clone, Debug)]
pub struct Layer {
    /// See the module text.
    pub rank: u32,
    /// The pairs (or states) that are new at this rank.
    pub new: Bdd,
}

/// Layers and their union.
#[derive(Clone, Debug)]
pub struct Layered {
    /// In the order of their ranks.
    pub layers: Vec<Layer>,
    /// The union of all layers.
    pub total: Bdd,
}

impl Layered {
    /// Nothing.
    pub fn empty(encoding: &Encoding<'_>) -> Self {
        Self { layers: Vec::new(), total: encoding.space().bottom() }
    }

    /// Adds what is not there yet as a layer of the given rank, and returns it if there is any.
    pub fn add(&mut self, rank: u32, pairs: &Bdd) -> Result<Option<Bdd>, BddError> {
        let new = pairs.minus(&self.total)?;
        if new.is_false() {
            return Ok(None);
        }
        self.total = self.total.or(&new)?;
        match self.layers.last_mut() {
            Some(last) if last.rank == rank => last.new = last.new.or(&new)?,
            _ => self.layers.push(Layer { rank, new: new.clone() }),
        }
        Ok(Some(new))
    }

    /// The layer of a rank.
    pub fn at(&self, rank: u32) -> Option<&Bdd> {
        let i = self.layers.binary_search_by_key(&rank, |l| l.rank).ok()?;
        Some(&self.layers[i].new)
    }
}

/// How the rank of a derived pair depends on what it is derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// Larger than all ranks it is derived from.
    Stamps,
    /// The number of edges from the entry of the procedure.
    Lengths,
}

impl Ranking {
    fn step_allows(self, rank: u32, from: u32) -> bool {
        match self {
            Self::Stamps => from < rank,
            Self::Lengths => from + 1 == rank,
        }
    }

    /// A call: `from` at the call, `summary` for the callee from entry through return.
    fn call_allows(self, rank: u32, from: u32, summary: u32) -> bool {
        match self {
            Self::Stamps => from < rank && summary < rank,
            Self::Lengths => from + 1 + summary == rank,
        }
    }
}

/// A state: one value for each position.
pub type FullState = Vec<bool>;

/// All layers of a search.
#[derive(Debug)]
pub struct Layers<'e, 'm> {
    /// The relations of the program.
    pub encoding: &'e Encoding<'m>,
    /// What the ranks mean.
    pub ranking: Ranking,
    /// By point: pairs of entry state and state.
    pub points: Vec<Layered>,
    /// By procedure: pairs of entry state and state at the return.
    pub summaries: Vec<Layered>,
}

/// An execution inside one activation of a procedure, calls completed.
pub struct LocalPath {
    /// The state at the entry, locals included.
    pub first: FullState,
    /// The edges and the values wanted after each.
    pub steps: Vec<(EdgeId, PartialValues)>,
}

/// Why no execution could be read off.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// A bug: the layers do not fit together.
    #[error("the layers of the search do not fit together at point {0}")]
    Inconsistent(u32),
    /// The BDDs gave out.
    #[error(transparent)]
    Bdd(#[from] BddError),
}

impl<'e, 'm> Layers<'e, 'm> {
    /// No layers.
    pub fn new(encoding: &'e Encoding<'m>, ranking: Ranking) -> Self {
        let model = encoding.model;
        let none = || Layered::empty(encoding);
        Self {
            encoding,
            ranking,
            points: model.points.iter().map(|_| none()).collect(),
            summaries: model.procedures.iter().map(|_| none()).collect(),
        }
    }

    /// The relation at the entry of a procedure: globals and parameters are those it is entered
    /// with, other locals are open.
    pub fn entry_relation(&self, procedure: ProcId, entries: &Bdd) -> Result<Bdd, BddError> {
        let encoding = self.encoding;
        let parameters = &encoding.model.procedure(procedure).parameters;
        let bound: Vec<_> = parameters.iter().map(|&p| encoding.before(p)).collect();
        let open: Vec<usize> = encoding
            .slots()
            .into_iter()
            .filter(|&i| !bound.contains(&encoding.vocabulary().before()[i]))
            .collect();
        let kept: Vec<_> = (0..encoding.vocabulary().len()).filter(|i| !open.contains(i)).collect();
        encoding.vocabulary().identity_on(&kept)?.and(entries)
    }

    /// The states (over the copies before) that a relation leads to from one state.
    pub fn successors(&self, state: &FullState, relation: &Bdd) -> Result<Bdd, BddError> {
        self.encoding.vocabulary().image(&self.cube(state)?, relation)
    }

    fn predecessors(&self, state: &FullState, relation: &Bdd) -> Result<Bdd, BddError> {
        self.encoding.vocabulary().preimage(&self.cube(state)?, relation)
    }

    fn literals(&self, state: &FullState) -> Vec<(Var, bool)> {
        self.encoding.vocabulary().before().iter().copied().zip(state.iter().copied()).collect()
    }

    fn cube(&self, state: &FullState) -> Result<Bdd, BddError> {
        self.encoding.space().cube(&self.literals(state))
    }

    /// One state of a set over the copies before.
    pub fn pick(&self, states: &Bdd) -> Option<FullState> {
        let cube = states.pick_cube()?;
        let value = |var: &Var| cube.iter().any(|l| l.0 == *var && l.1);
        Some(self.encoding.vocabulary().before().iter().map(value).collect())
    }

    /// The values of the variables in scope of a procedure.
    pub fn wishes(&self, procedure: ProcId, state: &FullState) -> PartialValues {
        let literals = self.literals(state);
        self.encoding.values(&self.encoding.model.scope(procedure), &literals)
    }

    /// An execution of one activation from entry state `entry` to `state` at `point`, which was
    /// reached at `rank`.
    pub fn local_path(
        &self,
        entry: &FullState,
        point: PointId,
        state: &FullState,
        rank: u32,
    ) -> Result<LocalPath, TraceError> {
        let model = self.encoding.model;
        let procedure = model.point(point).procedure;
        let first_point = model.procedure(procedure).entry;
        let entry_relation = self.entry_relation(procedure, &self.cube(entry)?)?;
        let (mut at, mut now, mut rank) = (point, state.clone(), rank);
        let mut reversed: Vec<Vec<(EdgeId, PartialValues)>> = Vec::new();
        loop {
            let may_start = self.ranking == Ranking::Stamps || rank == 0;
            if at == first_point
                && may_start
                && self.successors(entry, &entry_relation)?.intersects(&self.cube(&now)?)?
            {
                break;
            }
            let back =
                self.step_back(entry, at, &now, rank)?.ok_or(TraceError::Inconsistent(at.0))?;
            reversed.push(back.segment);
            (at, now, rank) = (back.from, back.before, back.rank);
        }
        let steps = reversed.into_iter().rev().flatten().collect();
        Ok(LocalPath { first: now, steps })
    }

    /// The last edge (with a completed call if it is one) on the way to `state`.
    fn step_back(
        &self,
        entry: &FullState,
        at: PointId,
        state: &FullState,
        rank: u32,
    ) -> Result<Option<Back>, TraceError> {
        let model = self.encoding.model;
        let procedure = model.point(at).procedure;
        for (id, edge) in model.edges().filter(|(_, e)| e.to == at) {
            match self.encoding.of(id) {
                EdgeRelation::Step(relation) => {
                    let goal = self.predecessors(state, relation)?;
                    let allows = |from| self.ranking.step_allows(rank, from);
                    if let Some((before, rank)) = self.earlier(entry, edge.from, &goal, allows)? {
                        let segment = vec![(id, self.wishes(procedure, state))];
                        return Ok(Some(Back { segment, from: edge.from, before, rank }));
                    }
                }
                EdgeRelation::Call { enter, receive } => {
                    let call = Call { id, enter, receive };
                    if let Some(mut back) = self.call_back(entry, &call, state, rank)? {
                        if let Some(last) = back.segment.last_mut() {
                            last.1 = self.wishes(procedure, state);
                        }
                        return Ok(Some(back));
                    }
                }
                EdgeRelation::Return(_) | EdgeRelation::Never => {}
            }
        }
        Ok(None)
    }

    /// A state of `goal` that was reached at `point` at an allowed rank, the latest one first
    /// because what was derived from it is usually near.
    fn earlier(
        &self,
        entry: &FullState,
        point: PointId,
        goal: &Bdd,
        allows: impl Fn(u32) -> bool,
    ) -> Result<Option<(FullState, u32)>, BddError> {
        if goal.is_false() {
            return Ok(None);
        }
        for layer in self.points[point.index()].layers.iter().rev().filter(|l| allows(l.rank)) {
            let states = self.successors(entry, &layer.new)?.and(goal)?;
            if let Some(state) = self.pick(&states) {
                return Ok(Some((state, layer.rank)));
            }
        }
        Ok(None)
    }

    fn call_back(
        &self,
        entry: &FullState,
        call: &Call<'_>,
        state: &FullState,
        rank: u32,
    ) -> Result<Option<Back>, TraceError> {
        let edge = self.encoding.model.edge(call.id);
        let crate::model::Action::Call { callee, .. } = &edge.action else { return Ok(None) };
        for summary in self.summaries[callee.index()].layers.iter().rev() {
            let allows = |from| self.ranking.call_allows(rank, from, summary.rank);
            let layers = &self.points[edge.from.index()].layers;
            if !layers.iter().any(|l| allows(l.rank)) {
                continue;
            }
            let effect = self.encoding.call_effect(call.enter, call.receive, &summary.new)?;
            let goal = self.predecessors(state, &effect)?;
            if let Some((before, rank)) = self.earlier(entry, edge.from, &goal, allows)? {
                let segment = self.callee_path(call, *callee, summary, &before, state)?;
                return Ok(Some(Back { segment, from: edge.from, before, rank }));
            }
        }
        Ok(None)
    }

    /// The call, what the callee does, and its return, between two states of the caller.
    fn callee_path(
        &self,
        call: &Call<'_>,
        callee: ProcId,
        summary: &Layer,
        before: &FullState,
        after: &FullState,
    ) -> Result<Vec<(EdgeId, PartialValues)>, TraceError> {
        let encoding = self.encoding;
        let vocabulary = encoding.vocabulary();
        let inconsistent = || TraceError::Inconsistent(encoding.model.procedure(callee).entry.0);
        // The states at the return: globals and results that give `after` with the caller's locals.
        let slots = encoding.slots();
        let own: Vec<_> = slots.iter().map(|&i| (vocabulary.before()[i], before[i])).collect();
        let slot_set =
            encoding.space().variable_set(&own.iter().map(|l| l.0).collect::<Vec<_>>())?;
        let returned = self
            .predecessors(after, call.receive)?
            .and(&encoding.space().cube(&own)?)?
            .exists(&slot_set)?;
        let entries = self
            .successors(before, call.enter)?
            .and(&vocabulary.preimage(&returned, &summary.new)?)?;
        let entry = self.pick(&entries).ok_or_else(inconsistent)?;
        let exits = self.successors(&entry, &summary.new)?.and(&returned)?;
        let exit = self.pick(&exits).ok_or_else(inconsistent)?;
        let exit_states = self.cube(&exit)?.exists(&slot_set)?;
        for (id, edge) in encoding.model.edges() {
            let EdgeRelation::Return(relation) = encoding.of(id) else { continue };
            if encoding.model.point(edge.from).procedure != callee {
                continue;
            }
            let goal = vocabulary.preimage(&exit_states, relation)?;
            let allows = |from| self.ranking.step_allows(summary.rank, from);
            if let Some((last, rank)) = self.earlier(&entry, edge.from, &goal, allows)? {
                let path = self.local_path(&entry, edge.from, &last, rank)?;
                let mut steps = vec![(call.id, self.wishes(callee, &path.first))];
                steps.extend(path.steps);
                steps.push((id, Vec::new()));
                return Ok(steps);
            }
        }
        Err(inconsistent())
    }

    /// Puts a path of `main` in front of what follows it.
    pub fn plan(&self, path: LocalPath, rest: Vec<(EdgeId, PartialValues)>) -> TracePlan {
        let start = self.wishes(self.encoding.model.main, &path.first);
        let steps = path.steps.into_iter().chain(rest).collect();
        TracePlan { start, steps }
    }
}

/// One edge back on the way to a state, or a whole call.
struct Back {
    segment: Vec<(EdgeId, PartialValues)>,
    from: PointId,
    before: FullState,
    rank: u32,
}

struct Call<'a> {
    id: EdgeId,
    enter: &'a Bdd,
    receive: &'a Bdd,
}
