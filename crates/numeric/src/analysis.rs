//! The analysis of a program: calls are followed, loops are looked at until nothing changes.
//!
//! Each call of a function is analysed for itself, with what holds at the call, so the places that
//! states belong to are locations with the calls that are open, as for the other engines. The
//! locations of a function come in a weak topological order ([`crate::order`]). The state at the head
//! of a loop grows by joining, then by widening; when the loop is stable it is made smaller again by
//! narrowing, and each smaller state is only kept if the loop is stable with it too. So what is left
//! Between the heads of loops several states are kept for a location, one for each way to it, as long
//! as there are few (trace partitioning, Mauborgne and Rival 2005): proofs are about heads only, and
//! whoever checks one looks at all ways between them anyway. So what is left
//! in the [log](Place) holds at every pass of every loop, whatever the domains do.

use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, Cfa, EdgeId, LocId, Op};
use gnomon_ir::program::FuncId;
use rustc_hash::FxHashMap;

use crate::model::Model;
use crate::order::{Loop, Order, Part};
use crate::state::State;

/// Passes of a loop in which its state grows by joining only.
const JOINS: usize = 2;
/// Passes after which everything that still changes is given up.
const MAX_PASSES: usize = 40;
/// Attempts to make the state of a stable loop smaller.
const NARROWINGS: usize = 3;
/// So many states of a location are kept apart.
pub const MAX_STATES: usize = 8;
/// Work of an edge.
const EDGE_WORK: u64 = 12;

/// What must not be reached.
pub trait Errors {
    /// Whether an edge must not be taken.
    fn is_error(&self, func: FuncId, edge: EdgeId) -> bool;
    /// Whether a function must not be called, in whatever way.
    fn forbids(&self, func: FuncId) -> bool;
}

/// Where states are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noted {
    /// At the heads of loops: what a proof needs.
    Loops,
    /// At every location that is reached.
    Everywhere,
}

/// The calls that are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Context(u32);

/// A place where something is known.
#[derive(Clone, Debug)]
pub struct Place {
    /// The open calls, the innermost first: the calling function, and the edge of the call.
    pub calls: Vec<(FuncId, EdgeId)>,
    /// The function.
    pub func: FuncId,
    /// The location in it.
    pub loc: LocId,
    /// What holds there; `None` if no run gets there.
    pub state: Option<State>,
}

/// What came of the analysis.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The heads of loops, and locations that no run gets to although an edge leads there.
    pub places: Vec<Place>,
    /// The errors that may be reached.
    pub errors: Vec<(FuncId, EdgeId)>,
    /// What may be reached and is not followed; then the rest says nothing about what is behind.
    pub not_followed: Vec<String>,
    /// Branches that no run takes at some place.
    pub pruned: Vec<(FuncId, EdgeId)>,
}

#[derive(Clone, Debug)]
enum Record {
    Head(Context, FuncId, LocId, State),
    Dead(Context, FuncId, LocId),
    Error(FuncId, EdgeId),
    NotFollowed(String),
    Pruned(FuncId, EdgeId),
}

/// A call that was analysed.
struct Known {
    entry: Vec<State>,
    exit: Vec<State>,
    log: Rc<[Record]>,
}

struct Frame {
    below: Context,
    caller: FuncId,
    edge: EdgeId,
}

struct Analysis<'a, 'p> {
    model: &'a Model<'p>,
    errors: &'a dyn Errors,
    noted: Noted,
    max_states: usize,
    budget: &'a Budget,
    orders: FxHashMap<FuncId, Rc<Order>>,
    frames: Vec<Frame>,
    contexts: FxHashMap<(Context, FuncId, EdgeId), Context>,
    known: FxHashMap<(Context, FuncId), Known>,
    log: Vec<Record>,
}

/// One run through a function.
struct Activation<'b> {
    context: Context,
    func: FuncId,
    body: &'b Cfa,
    entry: Vec<State>,
    /// What holds behind each edge: one of these. None if no run takes it.
    behind: Vec<Vec<State>>,
    reached: Vec<bool>,
    /// By loop: what it was entered with last, and what was logged.
    loops: Vec<Option<Passed>>,
}

/// A loop that was gone through: what it was entered with, and what was logged.
type Passed = (Option<State>, Rc<[Record]>);

/// Analyses a program from a function on.
pub fn analyse(
    model: &Model<'_>,
    entry: FuncId,
    errors: &dyn Errors,
    noted: Noted,
    max_states: usize,
    budget: &Budget,
) -> Result<Outcome, Exhausted> {
    let bottom = Frame { below: Context(0), caller: entry, edge: EdgeId(u32::MAX) };
    let mut analysis = Analysis {
        model,
        errors,
        noted,
        max_states: max_states.max(1),
        budget,
        orders: FxHashMap::default(),
        frames: vec![bottom],
        contexts: FxHashMap::default(),
        known: FxHashMap::default(),
        log: Vec::new(),
    };
    let start = model.start();
    analysis.function(Context(0), entry, vec![start])?;
    Ok(analysis.outcome())
}

impl Analysis<'_, '_> {
    fn outcome(self) -> Outcome {
        let mut outcome = Outcome::default();
        let open_calls = |mut context: Context| {
            let mut calls = Vec::new();
            while context.0 != 0 {
                let frame = &self.frames[context.0 as usize];
                calls.push((frame.caller, frame.edge));
                context = frame.below;
            }
            calls
        };
        for record in self.log {
            match record {
                Record::Head(context, func, loc, state) => {
                    let (calls, state) = (open_calls(context), Some(state));
                    outcome.places.push(Place { calls, func, loc, state });
                }
                Record::Dead(context, func, loc) => {
                    let calls = open_calls(context);
                    outcome.places.push(Place { calls, func, loc, state: None });
                }
                Record::Error(func, edge) => outcome.errors.push((func, edge)),
                Record::NotFollowed(what) => outcome.not_followed.push(what),
                Record::Pruned(func, edge) => outcome.pruned.push((func, edge)),
            }
        }
        outcome.errors.sort_unstable();
        outcome.errors.dedup();
        outcome.not_followed.sort_unstable();
        outcome.not_followed.dedup();
        outcome.pruned.sort_unstable();
        outcome.pruned.dedup();
        outcome
    }

    fn is_open(&self, context: Context, func: FuncId, callee: FuncId) -> bool {
        let mut at = context;
        if func == callee {
            return true;
        }
        while at.0 != 0 {
            let frame = &self.frames[at.0 as usize];
            if frame.caller == callee {
                return true;
            }
            at = frame.below;
        }
        false
    }

    fn called(&mut self, below: Context, caller: FuncId, edge: EdgeId) -> Context {
        let next = Context(self.frames.len() as u32);
        *self.contexts.entry((below, caller, edge)).or_insert_with(|| {
            self.frames.push(Frame { below, caller, edge });
            next
        })
    }

    /// What holds at the end of a function that begins with a state.
    fn function(
        &mut self,
        context: Context,
        func: FuncId,
        entry: Vec<State>,
    ) -> Result<Vec<State>, Exhausted> {
        let model = self.model;
        if let Some(known) = self.known.get(&(context, func))
            && are_equal(&known.entry, &entry, model)
        {
            self.log.extend(known.log.iter().cloned());
            return Ok(known.exit.clone());
        }
        let Some(body) = &model.program.funcs[func].body else { return Ok(Vec::new()) };
        let order = self.orders.entry(func).or_insert_with(|| Rc::new(Order::of(body))).clone();
        let mark = self.log.len();
        let mut activation = Activation {
            context,
            func,
            body,
            entry: entry.clone(),
            behind: vec![Vec::new(); body.edges().len()],
            reached: vec![false; body.loc_count()],
            loops: (0..order.loops).map(|_| None).collect(),
        };
        self.parts(&mut activation, &order.parts)?;
        self.note_dead(&activation, &order);
        let exit = self.states_at(&activation, body.exit());
        let log = self.log[mark..].into();
        self.known.insert((context, func), Known { entry, exit: exit.clone(), log });
        Ok(exit)
    }

    /// Locations that no run gets to, right behind those that runs do get to.
    fn note_dead(&mut self, activation: &Activation<'_>, order: &Order) {
        let Activation { context, func, body, reached, .. } = activation;
        for loc in body.locs() {
            let is_next = || {
                let mut before = body.in_edges(loc).iter().map(|edge| body.edge(*edge).from);
                before.any(|from| reached[from.index()])
            };
            if !reached[loc.index()]
                && loc != body.exit()
                && order.loop_or_call_ahead[loc.index()]
                && is_next()
            {
                self.log.push(Record::Dead(*context, *func, loc));
            }
        }
    }

    fn parts(&mut self, at: &mut Activation<'_>, parts: &[Part]) -> Result<(), Exhausted> {
        for part in parts {
            match part {
                Part::Vertex(loc) => {
                    let states = self.states_at(at, *loc);
                    self.vertex(at, *loc, &states)?;
                }
                Part::Loop(inner) => self.stabilise(at, inner)?,
            }
        }
        Ok(())
    }

    /// One pass of a loop; what comes back to the head.
    fn pass(
        &mut self,
        at: &mut Activation<'_>,
        inner: &Loop,
        mark: usize,
        head: Option<&State>,
    ) -> Result<Option<State>, Exhausted> {
        self.log.truncate(mark);
        if let (Noted::Loops, Some(head)) = (self.noted, head) {
            self.log.push(Record::Head(at.context, at.func, inner.head, head.clone()));
        }
        let states: Vec<State> = head.into_iter().cloned().collect();
        self.vertex(at, inner.head, &states)?;
        self.parts(at, &inner.body)?;
        Ok(at.joined(self.model, &inner.back))
    }

    fn stabilise(&mut self, at: &mut Activation<'_>, inner: &Loop) -> Result<(), Exhausted> {
        let model = self.model;
        let mut entered = at.joined(model, &inner.entries);
        if inner.head == at.body.entry() {
            entered = either(entered, joined(&at.entry, model), model);
        }
        // Entered as the last time: what is behind its edges still holds.
        if let (Some((last, log)), true) = (&at.loops[inner.number], inner.single_entry) {
            let same = match (last, &entered) {
                (None, None) => true,
                (Some(a), Some(b)) => is_equal(a, b, model),
                _ => false,
            };
            if same {
                self.log.extend(log.iter().cloned());
                return Ok(());
            }
        }
        let mark = self.log.len();
        self.find_invariant(at, inner, mark, &entered)?;
        at.loops[inner.number] = Some((entered, self.log[mark..].into()));
        Ok(())
    }

    fn find_invariant(
        &mut self,
        at: &mut Activation<'_>,
        inner: &Loop,
        mark: usize,
        init: &Option<State>,
    ) -> Result<(), Exhausted> {
        let model = self.model;
        let mut head = init.clone();
        let mut passes = 0;
        let mut back = loop {
            let back = self.pass(at, inner, mark, head.as_ref())?;
            let Some(state) = &back else { break back };
            // A loop that is entered elsewhere comes to its head from inside.
            let Some(known) = &head else {
                head = back;
                continue;
            };
            if state.is_in(known, model) {
                break back;
            }
            passes += 1;
            let next = known.join(state, model);
            head = Some(if passes <= JOINS {
                next
            } else if passes <= MAX_PASSES {
                known.widen(&next, model)
            } else {
                known.give_up(&next)
            });
        };
        for _ in 0..NARROWINGS {
            let smaller = either(init.clone(), back.clone(), model);
            let (Some(known), Some(less)) = (&head, &smaller) else { break };
            if known.is_in(less, model) {
                break;
            }
            let again = self.pass(at, inner, mark, Some(less))?;
            if again.as_ref().is_some_and(|state| !state.is_in(less, model)) {
                self.pass(at, inner, mark, head.as_ref())?;
                break;
            }
            (head, back) = (smaller, again);
        }
        Ok(())
    }

    /// What holds at a location: one of these, by what is behind the edges to it.
    fn states_at(&self, at: &Activation<'_>, loc: LocId) -> Vec<State> {
        let mut states = Vec::new();
        if loc == at.body.entry() {
            states.extend(at.entry.iter().cloned());
        }
        for edge in at.body.in_edges(loc) {
            states.extend(at.behind[edge.index()].iter().cloned());
        }
        self.few(states)
    }

    /// The same states without those that others contain; if there are too many, neighbours are joined.
    fn few(&self, states: Vec<State>) -> Vec<State> {
        let model = self.model;
        let mut kept: Vec<State> = Vec::with_capacity(states.len());
        for state in states {
            if !kept.iter().any(|other| state.is_in(other, model)) {
                kept.retain(|other| !other.is_in(&state, model));
                kept.push(state);
            }
        }
        while kept.len() > self.max_states {
            let pairs = kept.chunks(2).map(|pair| match pair {
                [a, b] => a.join(b, model),
                _ => pair[0].clone(),
            });
            kept = pairs.collect();
        }
        kept
    }

    /// Takes all edges of a location.
    fn vertex(
        &mut self,
        at: &mut Activation<'_>,
        loc: LocId,
        states: &[State],
    ) -> Result<(), Exhausted> {
        at.reached[loc.index()] = !states.is_empty();
        if self.noted == Noted::Everywhere {
            let record = |state: &State| Record::Head(at.context, at.func, loc, state.clone());
            self.log.extend(states.iter().map(record));
        }
        for &edge in at.body.out_edges(loc) {
            self.budget.check()?;
            self.budget.charge(EDGE_WORK * states.len() as u64);
            at.behind[edge.index()] = match states {
                [] => Vec::new(),
                states => self.edge(at, edge, states)?,
            };
        }
        Ok(())
    }

    fn edge(
        &mut self,
        at: &Activation<'_>,
        edge: EdgeId,
        states: &[State],
    ) -> Result<Vec<State>, Exhausted> {
        let func = at.func;
        if self.errors.is_error(func, edge) {
            self.log.push(Record::Error(func, edge));
            return Ok(Vec::new());
        }
        match &at.body.edge(edge).op {
            Op::Call(call) => self.call(at, edge, call, states),
            op => {
                let after = states.iter().filter_map(|s| self.model.transfer(s, func, edge, op));
                let after: Vec<State> = after.collect();
                if after.len() < states.len() && matches!(op, Op::Assume(_)) {
                    self.log.push(Record::Pruned(func, edge));
                }
                Ok(after)
            }
        }
    }

    fn call(
        &mut self,
        at: &Activation<'_>,
        edge: EdgeId,
        call: &Call,
        states: &[State],
    ) -> Result<Vec<State>, Exhausted> {
        let model = self.model;
        let Model { program, points_to, .. } = *model;
        let callees = points_to.callees(program, at.func, edge);
        let indirect = matches!(call.callee, Callee::Indirect(_));
        if callees.outside || !callees.handed.is_empty() {
            let what = "a call that may lead to any function".to_owned();
            self.log.push(Record::NotFollowed(what));
            return Ok(Vec::new());
        }
        let mut after: Vec<State> = Vec::new();
        for callee in callees.functions {
            let function = &program.funcs[callee];
            let refused = match function.body.is_some() {
                _ if indirect && self.errors.forbids(callee) => Some("a call of an error function"),
                false if indirect => Some("a call of a function without a body"),
                true if self.is_open(at.context, at.func, callee) => Some("recursion"),
                _ => None,
            };
            if let Some(what) = refused {
                self.log.push(Record::NotFollowed(format!("{what}: {}", function.name)));
                continue;
            }
            if function.body.is_none() {
                let next = |state| model.library(state, at.func, edge, callee, call);
                after.extend(states.iter().filter_map(next));
                continue;
            }
            let context = self.called(at.context, at.func, edge);
            let inside: Vec<State> =
                states.iter().filter_map(|state| model.enter(state, callee, call)).collect();
            if !inside.is_empty() {
                let ends = self.function(context, callee, self.few(inside))?;
                after.extend(ends.iter().map(|end| model.leave(end, callee, call)));
            }
        }
        Ok(self.few(after))
    }
}

impl Activation<'_> {
    fn joined(&self, model: &Model<'_>, edges: &[EdgeId]) -> Option<State> {
        let behind = edges.iter().filter_map(|edge| joined(&self.behind[edge.index()], model));
        behind.reduce(|all, next| all.join(&next, model))
    }
}

/// What holds if one of these does.
fn joined(states: &[State], model: &Model<'_>) -> Option<State> {
    let (first, rest) = states.split_first()?;
    Some(rest.iter().fold(first.clone(), |all, next| all.join(next, model)))
}

/// What holds if one of both does.
fn either(a: Option<State>, b: Option<State>, model: &Model<'_>) -> Option<State> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.join(&b, model)),
        (a, b) => a.or(b),
    }
}

fn are_equal(a: &[State], b: &[State], model: &Model<'_>) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b, model))
}

fn is_equal(a: &State, b: &State, model: &Model<'_>) -> bool {
    a.is_same(b) || a.is_in(b, model) && b.is_in(a, model)
}
