//! The analysis of a program: calls are followed, loops are looked at until nothing changes.
//!
//! Each call of a function is analysed for itself, with what holds at the call, so the places that
//! states belong to are locations with the calls that are open, as for the other engines. The
//! locations of a function come in a weak topological order ([`crate::order`]). The state at the head
//! of a loop grows by joining, then by widening; when the loop is stable it is made smaller again by
//! narrowing, and each smaller state is only kept if the loop is stable with it too. So what is left
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
    entry: State,
    exit: Option<State>,
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
    entry: State,
    /// What holds behind each edge; `None` if no run takes it.
    behind: Vec<Option<State>>,
    reached: Vec<bool>,
    /// By loop: what it was entered with last, and what was logged.
    loops: Vec<Option<(Option<State>, Rc<[Record]>)>>,
}

/// Analyses a program from a function on.
pub fn analyse(
    model: &Model<'_>,
    entry: FuncId,
    errors: &dyn Errors,
    noted: Noted,
    budget: &Budget,
) -> Result<Outcome, Exhausted> {
    let bottom = Frame { below: Context(0), caller: entry, edge: EdgeId(u32::MAX) };
    let mut analysis = Analysis {
        model,
        errors,
        noted,
        budget,
        orders: FxHashMap::default(),
        frames: vec![bottom],
        contexts: FxHashMap::default(),
        known: FxHashMap::default(),
        log: Vec::new(),
    };
    let start = model.start();
    analysis.function(Context(0), entry, start)?;
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
        entry: State,
    ) -> Result<Option<State>, Exhausted> {
        let model = self.model;
        if let Some(known) = self.known.get(&(context, func))
            && is_equal(&known.entry, &entry, model)
        {
            self.log.extend(known.log.iter().cloned());
            return Ok(known.exit.clone());
        }
        let Some(body) = &model.program.funcs[func].body else { return Ok(None) };
        let order = self.orders.entry(func).or_insert_with(|| Rc::new(Order::of(body))).clone();
        let mark = self.log.len();
        let mut activation = Activation {
            context,
            func,
            body,
            entry: entry.clone(),
            behind: vec![None; body.edges().len()],
            reached: vec![false; body.loc_count()],
            loops: (0..order.loops).map(|_| None).collect(),
        };
        self.parts(&mut activation, &order.parts)?;
        self.note_dead(&activation, &order);
        let exit = activation.state_at(model, body.exit());
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
                    let state = at.state_at(self.model, *loc);
                    self.vertex(at, *loc, state)?;
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
        head: &State,
    ) -> Result<Option<State>, Exhausted> {
        self.log.truncate(mark);
        if self.noted == Noted::Loops {
            self.log.push(Record::Head(at.context, at.func, inner.head, head.clone()));
        }
        self.vertex(at, inner.head, Some(head.clone()))?;
        self.parts(at, &inner.body)?;
        Ok(at.joined(self.model, &inner.back))
    }

    fn stabilise(&mut self, at: &mut Activation<'_>, inner: &Loop) -> Result<(), Exhausted> {
        let model = self.model;
        let mut entered = at.joined(model, &inner.entries);
        if inner.head == at.body.entry() {
            entered = Some(match entered {
                Some(state) => state.join(&at.entry, model),
                None => at.entry.clone(),
            });
        }
        // Entered as the last time: what is behind its edges still holds.
        if let Some((last, log)) = &at.loops[inner.number] {
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
        match &entered {
            None => {
                self.vertex(at, inner.head, None)?;
                self.parts(at, &inner.body)?;
            }
            Some(init) => self.find_invariant(at, inner, mark, init)?,
        }
        at.loops[inner.number] = Some((entered, self.log[mark..].into()));
        Ok(())
    }

    fn find_invariant(
        &mut self,
        at: &mut Activation<'_>,
        inner: &Loop,
        mark: usize,
        init: &State,
    ) -> Result<(), Exhausted> {
        let model = self.model;
        let mut head = init.clone();
        let mut passes = 0;
        let mut back = loop {
            let back = self.pass(at, inner, mark, &head)?;
            let Some(state) = &back else { break back };
            if state.is_in(&head, model) {
                break back;
            }
            passes += 1;
            let next = head.join(state, model);
            head = match passes {
                ..=JOINS => next,
                ..=MAX_PASSES => head.widen(&next, model),
                _ => head.give_up(&next),
            };
        };
        for _ in 0..NARROWINGS {
            let smaller = match &back {
                Some(state) => init.join(state, model),
                None => init.clone(),
            };
            if head.is_in(&smaller, model) {
                break;
            }
            let again = self.pass(at, inner, mark, &smaller)?;
            if again.as_ref().is_some_and(|state| !state.is_in(&smaller, model)) {
                self.pass(at, inner, mark, &head)?;
                break;
            }
            (head, back) = (smaller, again);
        }
        Ok(())
    }

    /// Takes all edges of a location.
    fn vertex(
        &mut self,
        at: &mut Activation<'_>,
        loc: LocId,
        state: Option<State>,
    ) -> Result<(), Exhausted> {
        at.reached[loc.index()] = state.is_some();
        if let (Noted::Everywhere, Some(state)) = (self.noted, &state) {
            self.log.push(Record::Head(at.context, at.func, loc, state.clone()));
        }
        for &edge in at.body.out_edges(loc) {
            self.budget.check()?;
            self.budget.charge(EDGE_WORK);
            at.behind[edge.index()] = match &state {
                Some(state) => self.edge(at, edge, state)?,
                None => None,
            };
        }
        Ok(())
    }

    fn edge(
        &mut self,
        at: &Activation<'_>,
        edge: EdgeId,
        state: &State,
    ) -> Result<Option<State>, Exhausted> {
        let func = at.func;
        if self.errors.is_error(func, edge) {
            self.log.push(Record::Error(func, edge));
            return Ok(None);
        }
        match &at.body.edge(edge).op {
            Op::Call(call) => self.call(at, edge, call, state),
            op => {
                let after = self.model.transfer(state, func, edge, op);
                if after.is_none() && matches!(op, Op::Assume(_)) {
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
        state: &State,
    ) -> Result<Option<State>, Exhausted> {
        let model = self.model;
        let Model { program, points_to, .. } = *model;
        let callees = points_to.callees(program, at.func, edge);
        let indirect = matches!(call.callee, Callee::Indirect(_));
        if callees.outside || !callees.callbacks.is_empty() {
            let what = "a call that may lead to any function".to_owned();
            self.log.push(Record::NotFollowed(what));
            return Ok(None);
        }
        let mut after: Option<State> = None;
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
            let next = match function.body.is_some() {
                false => model.library(state, at.func, edge, callee, call),
                true => {
                    let context = self.called(at.context, at.func, edge);
                    match model.enter(state, callee, call) {
                        Some(inside) => self
                            .function(context, callee, inside)?
                            .map(|end| model.leave(&end, callee, call)),
                        None => None,
                    }
                }
            };
            after = match (after, next) {
                (Some(a), Some(b)) => Some(a.join(&b, model)),
                (a, b) => a.or(b),
            };
        }
        Ok(after)
    }
}

impl Activation<'_> {
    /// What holds at a location, by what is behind the edges to it.
    fn state_at(&self, model: &Model<'_>, loc: LocId) -> Option<State> {
        let joined = self.joined(model, self.body.in_edges(loc));
        match joined {
            Some(state) if loc == self.body.entry() => Some(state.join(&self.entry, model)),
            None if loc == self.body.entry() => Some(self.entry.clone()),
            joined => joined,
        }
    }

    fn joined(&self, model: &Model<'_>, edges: &[EdgeId]) -> Option<State> {
        let mut behind = edges.iter().filter_map(|edge| self.behind[edge.index()].as_ref());
        let first = behind.next()?.clone();
        Some(behind.fold(first, |all, next| all.join(next, model)))
    }
}

fn is_equal(a: &State, b: &State, model: &Model<'_>) -> bool {
    a.is_same(b) || a.is_in(b, model) && b.is_in(a, model)
}
