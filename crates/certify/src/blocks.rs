//! Blocks: what lies between one cut point and the next ones.
//!
//! From a place, all paths are followed through branches and calls until they come to a cut point, to
//! a forbidden edge, to something that is unsupported, or to the end of the run. Such a block
//! has no loops (a loop without a cut point is refused), so its places are visited in an order in
//! which all paths to a place are known when its turn comes, and are one [`State`] then.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::cfa::{Call, Callee, EdgeId, LocId, Op};
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::{Sort, Term};

use crate::certificate::CallTargets;
use crate::check::Forbidden;
use crate::effects::pointed_to;
use crate::machine::{Followed, Machine, Unsupported};
use crate::operation::Goes;
use crate::state::{State, merge};
use crate::summaries::Summaries;

/// A location with the calls that are open there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The open calls, the outermost first: the calling function, and the edge of the call.
    pub calls: Vec<(FuncId, EdgeId)>,
    /// The function.
    pub func: FuncId,
    /// The location.
    pub loc: LocId,
}

impl Place {
    /// Whether a function is open there.
    pub fn is_open(&self, func: FuncId) -> bool {
        self.func == func || self.calls.iter().any(|(caller, _)| *caller == func)
    }
}

/// Largest number of places in a block.
const MAX_PLACES: usize = 20_000;

/// Where paths out of a block lead.
#[derive(Debug, Default)]
pub struct Exits {
    /// To cut points.
    pub arrivals: BTreeMap<Place, State>,
    /// To forbidden edges, with what it is.
    pub errors: Vec<(String, Term)>,
    /// To what is not followed, with what it is.
    pub unknown: Vec<(String, Term)>,
}

/// Why a block has no exits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// A loop has no cut point.
    #[error("a loop in {0} has no invariant")]
    Loop(String),
    /// Too much.
    #[error("a block has too many locations")]
    TooLarge,
    /// A limit was reached.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

/// One continuation of a location.
pub(crate) enum Continuation<'p> {
    Edge(EdgeId, Place),
    Error(EdgeId),
    Library(EdgeId, FuncId, &'p Call, Place),
    Enter(EdgeId, FuncId, &'p Call, Place),
    Summarised(EdgeId, FuncId, &'p Call, Place),
    Leave(&'p Call, Place),
    Unsupported(EdgeId, FuncId, &'p Call, String),
}

impl Continuation<'_> {
    fn target(&self) -> Option<&Place> {
        match self {
            Self::Edge(_, to)
            | Self::Library(_, _, _, to)
            | Self::Enter(_, _, _, to)
            | Self::Summarised(_, _, _, to)
            | Self::Leave(_, to) => Some(to),
            Self::Error(_) | Self::Unsupported(..) => None,
        }
    }

    fn edge(&self) -> Option<EdgeId> {
        match self {
            Self::Edge(edge, _)
            | Self::Error(edge)
            | Self::Library(edge, ..)
            | Self::Enter(edge, ..)
            | Self::Summarised(edge, ..)
            | Self::Unsupported(edge, ..) => Some(*edge),
            Self::Leave(..) => None,
        }
    }

    /// The function that is entered.
    pub(crate) fn entered(&self) -> Option<FuncId> {
        match self {
            Self::Enter(_, callee, ..) => Some(*callee),
            _ => None,
        }
    }

    /// Whether a function is left.
    pub(crate) fn leaves(&self) -> bool {
        matches!(self, Self::Leave(..))
    }
}

/// Where a path leads if its state is possible.
pub(crate) enum Taken {
    To(Place),
    Error(String),
    Unknown(String),
    Nowhere,
}

/// How calls of functions with bodies are followed.
#[derive(Clone, Copy, Debug)]
pub enum Calls<'c> {
    /// Into the functions, unless they are open already.
    Once,
    /// Into the functions, also if they are open.
    Again,
    /// By summaries.
    Summarised(&'c Summaries<'c>),
}

/// Follows paths through a program.
pub struct Explorer<'p> {
    program: &'p Program,
    forbidden: &'p Forbidden,
    calls: Calls<'p>,
    /// The functions whose address is taken.
    pointed_to: BTreeSet<FuncId>,
    /// What calls through pointers are believed to call.
    believed: BTreeMap<(FuncId, EdgeId), BTreeSet<FuncId>>,
}

impl<'p> Explorer<'p> {
    /// Of a program in which some edges are forbidden.
    pub fn new(program: &'p Program, forbidden: &'p Forbidden, calls: Calls<'p>) -> Self {
        let believed = BTreeMap::new();
        Self { program, forbidden, calls, pointed_to: pointed_to(program), believed }
    }

    /// The same, with facts about calls through pointers that are believed.
    #[must_use]
    pub fn believing(mut self, facts: &[CallTargets]) -> Self {
        self.believed = believed_calls(self.program, facts);
        self
    }

    pub(crate) fn continuations(&self, at: &Place) -> Vec<Continuation<'p>> {
        let Some(body) = &self.program.funcs[at.func].body else { return Vec::new() };
        if at.loc == body.exit() {
            return self.going_back(at).into_iter().collect();
        }
        let mut continuations = Vec::new();
        for &edge in body.out_edges(at.loc) {
            let to = Place { loc: body.edge(edge).to, ..at.clone() };
            if self.forbidden.edges.contains(&(at.func, edge)) {
                continuations.push(Continuation::Error(edge));
                continue;
            }
            let Op::Call(call) = &body.edge(edge).op else {
                continuations.push(Continuation::Edge(edge, to));
                continue;
            };
            match call.callee {
                Callee::Direct(callee) => continuations.push(self.call(at, edge, callee, call, to)),
                Callee::Indirect(_) => {
                    let callees = self.believed.get(&(at.func, edge)).unwrap_or(&self.pointed_to);
                    for &callee in callees {
                        continuations.push(self.call(at, edge, callee, call, to.clone()));
                    }
                }
            }
        }
        continuations
    }

    fn call(
        &self,
        at: &Place,
        edge: EdgeId,
        callee: FuncId,
        call: &'p Call,
        to: Place,
    ) -> Continuation<'p> {
        let function = &self.program.funcs[callee];
        if self.forbidden.functions.contains(&callee) {
            let what = format!("a call of {} through a pointer", function.name);
            return Continuation::Unsupported(edge, callee, call, what);
        }
        let types = &self.program.types;
        let result = types.signature(function.ty).map(|signature| signature.result);
        let wanted = call.dst.map(|dst| self.program.place_ty(dst));
        let fits = call.args.len() == function.params.len()
            && wanted.is_none_or(|wanted| Some(wanted) == result);
        let Some(body) = &function.body else {
            return Continuation::Library(edge, callee, call, to);
        };
        if matches!(call.callee, Callee::Indirect(_)) && !fits {
            let what = format!("a call of {} as if it had another type", function.name);
            return Continuation::Unsupported(edge, callee, call, what);
        }
        if let Calls::Summarised(_) = self.calls {
            return Continuation::Summarised(edge, callee, call, to);
        }
        if matches!(self.calls, Calls::Once) && at.is_open(callee) {
            let what = format!("the recursive call of {}", function.name);
            return Continuation::Unsupported(edge, callee, call, what);
        }
        let mut calls = at.calls.clone();
        calls.push((at.func, edge));
        Continuation::Enter(edge, callee, call, Place { calls, func: callee, loc: body.entry() })
    }

    fn going_back(&self, at: &Place) -> Option<Continuation<'p>> {
        let mut calls = at.calls.clone();
        let (caller, edge) = calls.pop()?;
        let edge = self.program.funcs[caller].body.as_ref()?.edge(edge);
        let Op::Call(call) = &edge.op else { return None };
        Some(Continuation::Leave(call, Place { calls, func: caller, loc: edge.to }))
    }

    /// The places of a block, each behind all that lead to it.
    fn order(
        &self,
        from: &Place,
        is_cut: &dyn Fn(&Place) -> bool,
        budget: &Budget,
    ) -> Result<Vec<Place>, BlockError> {
        #[derive(PartialEq, Eq)]
        enum Mark {
            Open,
            Done,
        }
        let successors = |place: &Place| -> Vec<Place> {
            let continuations = self.continuations(place);
            let targets = continuations.iter().filter_map(Continuation::target);
            targets.filter(|to| !is_cut(to)).cloned().collect()
        };
        let mut marks = BTreeMap::from([(from.clone(), Mark::Open)]);
        let mut finished = Vec::new();
        let mut work = vec![(from.clone(), successors(from))];
        while let Some((place, rest)) = work.last_mut() {
            budget.check()?;
            let Some(next) = rest.pop() else {
                marks.insert(place.clone(), Mark::Done);
                finished.push(place.clone());
                work.pop();
                continue;
            };
            match marks.get(&next) {
                Some(Mark::Done) => {}
                Some(Mark::Open) => {
                    return Err(BlockError::Loop(self.program.funcs[next.func].name.clone()));
                }
                None if marks.len() >= MAX_PLACES => return Err(BlockError::TooLarge),
                None => {
                    marks.insert(next.clone(), Mark::Open);
                    let rest = successors(&next);
                    work.push((next, rest));
                }
            }
        }
        finished.reverse();
        Ok(finished)
    }

    /// The exits of the block that begins in a place with a state.
    pub fn block(
        &self,
        machine: &mut Machine<'p>,
        from: &Place,
        state: State,
        is_cut: &dyn Fn(&Place) -> bool,
        budget: &Budget,
    ) -> Result<Exits, BlockError> {
        let order = self.order(from, is_cut, budget)?;
        let mut exits = Exits::default();
        let mut states: BTreeMap<Place, State> = BTreeMap::from([(from.clone(), state)]);
        for place in order {
            budget.check()?;
            let Some(state) = states.remove(&place) else { continue };
            let continuations = self.continuations(&place);
            let choices = self.choices(machine, &place, &state, &continuations);
            for continuation in &continuations {
                let mut after = state.clone();
                if let Some(choice) = continuation.edge().and_then(|edge| choices.get(&edge)) {
                    after.assume(&mut machine.terms, *choice);
                }
                let taken = self.taken(machine, &place, continuation, &mut after);
                if after.condition == machine.terms.ff() {
                    continue;
                }
                match taken {
                    Taken::Error(what) => exits.errors.push((what, after.condition)),
                    Taken::Unknown(what) => exits.unknown.push((what, after.condition)),
                    Taken::Nowhere => {}
                    Taken::To(to) => {
                        let arrived = if is_cut(&to) { &mut exits.arrivals } else { &mut states };
                        arrive(machine, arrived, &to, after);
                    }
                }
            }
        }
        exits.errors.append(&mut machine.obligations);
        Ok(exits)
    }

    /// Takes a way: the state is the one at its end then, or the one before what is not followed.
    pub(crate) fn taken(
        &self,
        machine: &mut Machine<'p>,
        place: &Place,
        continuation: &Continuation<'p>,
        state: &mut State,
    ) -> Taken {
        machine.open = place.calls.iter().map(|(caller, _)| *caller).collect();
        machine.open.push(place.func);
        let before = state.condition;
        match self.take(machine, place, continuation, state) {
            Err(Unsupported(what)) => {
                state.condition = before;
                return Taken::Unknown(what);
            }
            Ok(Goes::Nowhere) => return Taken::Nowhere,
            Ok(Goes::On) => {}
        }
        match continuation {
            Continuation::Error(_) => {
                Taken::Error(format!("an error in {}", self.program.funcs[place.func].name))
            }
            Continuation::Unsupported(.., what) => Taken::Unknown(what.clone()),
            _ => continuation.target().cloned().map_or(Taken::Nowhere, Taken::To),
        }
    }

    /// What a way does to a state.
    fn take(
        &self,
        machine: &mut Machine<'p>,
        at: &Place,
        continuation: &Continuation<'p>,
        state: &mut State,
    ) -> Followed<Goes> {
        let op = |edge: EdgeId| self.program.funcs[at.func].body.as_ref().map(|b| &b.edge(edge).op);
        match continuation {
            // What is forbidden must not be begun; the condition of a check is its edge's.
            Continuation::Error(edge) => {
                if let Some(op @ Op::Assume(_)) = op(*edge) {
                    machine.operation(state, at.func, op)?;
                }
            }
            Continuation::Edge(edge, _) => {
                if let Some(op) = op(*edge) {
                    machine.operation(state, at.func, op)?;
                }
            }
            Continuation::Library(_, callee, call, _) => {
                self.assume_callee(machine, state, *callee, call)?;
                return machine.library(state, *callee, call);
            }
            Continuation::Enter(_, callee, call, _) => {
                self.assume_callee(machine, state, *callee, call)?;
                machine.open.push(*callee);
                machine.enter(state, *callee, call)?;
            }
            Continuation::Summarised(_, callee, call, _) => {
                self.assume_callee(machine, state, *callee, call)?;
                if let Calls::Summarised(summaries) = self.calls {
                    machine.summarised(state, summaries, *callee, call)?;
                }
            }
            Continuation::Leave(call, _) => {
                let callee = at.func;
                machine.open.pop();
                machine.leave(state, callee, call)?;
            }
            Continuation::Unsupported(_, callee, call, _) => {
                self.assume_callee(machine, state, *callee, call)?;
            }
        }
        Ok(Goes::On)
    }

    /// A call through a pointer calls the function that the pointer points to.
    fn assume_callee(
        &self,
        machine: &mut Machine<'p>,
        state: &mut State,
        callee: FuncId,
        call: &Call,
    ) -> Followed<()> {
        let Callee::Indirect(pointer) = call.callee else { return Ok(()) };
        let pointer = machine.expr(state, pointer)?;
        let address = machine.layout.function(callee);
        let address = machine.pointer(address);
        let is_it = machine.terms.eq(pointer, address);
        state.assume(&mut machine.terms, is_it);
        Ok(())
    }

    /// Conditions that keep the edges of a location apart: where two are open at once, the run
    /// chooses, and the states of both must not be mixed up.
    fn choices(
        &self,
        machine: &mut Machine<'p>,
        at: &Place,
        state: &State,
        continuations: &[Continuation<'p>],
    ) -> BTreeMap<EdgeId, Term> {
        let edges: BTreeSet<EdgeId> = continuations.iter().filter_map(Continuation::edge).collect();
        if edges.len() < 2 || self.are_opposite(machine, at, state, &edges) {
            return BTreeMap::new();
        }
        let chosen = machine.fresh("choice", Sort::BitVec(16));
        let mut choices = BTreeMap::new();
        for (number, edge) in edges.into_iter().enumerate() {
            let number = machine.terms.bv(number as u64, 16);
            choices.insert(edge, machine.terms.eq(chosen, number));
        }
        choices
    }

    /// Whether the edges are two conditions of which one is the negation of the other.
    fn are_opposite(
        &self,
        machine: &mut Machine<'p>,
        at: &Place,
        state: &State,
        edges: &BTreeSet<EdgeId>,
    ) -> bool {
        let Some(body) = &self.program.funcs[at.func].body else { return false };
        let mut conditions = Vec::new();
        for &edge in edges {
            let Op::Assume(condition) = body.edge(edge).op else { return false };
            match machine.truth(&mut state.clone(), condition) {
                Ok(truth) => conditions.push(truth),
                Err(_) => return false,
            }
        }
        matches!(conditions[..], [a, b] if machine.terms.not(a) == b)
    }
}

/// What calls through pointers call, by facts that are believed.
pub(crate) fn believed_calls(
    program: &Program,
    facts: &[CallTargets],
) -> BTreeMap<(FuncId, EdgeId), BTreeSet<FuncId>> {
    let function = |name: &String| program.find_function(name);
    let mut believed = BTreeMap::new();
    for fact in facts {
        let callees: Option<BTreeSet<FuncId>> = fact.callees.iter().map(function).collect();
        if let (Some(caller), Some(callees)) = (function(&fact.caller), callees) {
            believed.insert((caller, EdgeId(fact.edge)), callees);
        }
    }
    believed
}

/// Adds a state to those that arrived at a place.
pub(crate) fn arrive(
    machine: &mut Machine<'_>,
    arrived: &mut BTreeMap<Place, State>,
    to: &Place,
    state: State,
) {
    let merged = match arrived.remove(to) {
        None => state,
        Some(known) => {
            let mut slots: BTreeSet<_> = known.values.keys().copied().collect();
            slots.extend(state.values.keys().copied());
            let starts: BTreeMap<_, _> =
                slots.into_iter().map(|slot| (slot, machine.at_beginning(slot))).collect();
            merge(&mut machine.terms, known, state, |_, slot| starts[&slot])
        }
    };
    arrived.insert(to.clone(), merged);
}

/// The heads of loops: every cycle of edges in a function has one.
pub fn loop_heads(program: &Program, func: FuncId) -> BTreeSet<LocId> {
    let Some(body) = &program.funcs[func].body else { return BTreeSet::new() };
    let mut heads = BTreeSet::new();
    // By location: not seen, open, done.
    let mut marks: BTreeMap<LocId, bool> = BTreeMap::from([(body.entry(), true)]);
    let mut work = vec![(body.entry(), 0)];
    while let Some((loc, next)) = work.last_mut() {
        let Some(&edge) = body.out_edges(*loc).get(*next) else {
            marks.insert(*loc, false);
            work.pop();
            continue;
        };
        *next += 1;
        let to = body.edge(edge).to;
        match marks.get(&to) {
            Some(true) => {
                heads.insert(to);
            }
            Some(false) => {}
            None => {
                marks.insert(to, true);
                work.push((to, 0));
            }
        }
    }
    heads
}
