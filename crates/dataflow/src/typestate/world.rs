//! What the analysis knows of the program before it starts.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_flow::mod_ref::{Effects, ModRef};
use gnomon_flow::points_to::{ObjectId, ObjectKind, PointsTo};
use gnomon_flow::sparse_set::SparseSet;
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, Cfa, EdgeId, LocId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{Library, classify, keeps_no_pointer, plain_name};
use gnomon_ir::program::{FuncId, Program, VarId, source_name};
use gnomon_ir::types::TypeId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::fact::Fact;
use super::numbers::Numbers;
use super::orders::Orders;
use super::paths::Paths;
use super::{Automaton, Origins, fresh};

/// Functions that have a function of the program called at any moment later.
pub(super) const SIGNALS: [&str; 6] =
    ["signal", "bsd_signal", "sysv_signal", "sigaction", "sigset", "sigvec"];
/// Functions after which several functions run at once.
const THREADS: [&str; 3] = ["pthread_create", "thrd_create", "clone"];
/// Functions that have a function of the program called when it ends.
pub(super) const AT_EXIT: [&str; 3] = ["atexit", "on_exit", "at_quick_exit"];

/// A call on an edge, as far as it is known who is called.
#[derive(Debug, Default)]
pub(super) struct Called {
    /// Functions in which the automaton may make a step.
    pub watched: Vec<FuncId>,
    /// Whether something else may be called too, which may return.
    pub others: bool,
    /// Functions that may be called back, and in which the automaton may make a step.
    pub callbacks: Vec<FuncId>,
    /// What all of them write and read.
    pub effects: Effects,
    /// Whether one of them may store what it knows.
    pub stores: bool,
    /// Whether the result is a value that nobody has.
    pub fresh: bool,
    /// Whether the run ends here.
    pub ends: bool,
}

/// The program and what is known of it.
pub(super) struct World<'a> {
    pub program: &'a Program,
    pub points_to: &'a PointsTo,
    pub mod_ref: &'a ModRef,
    pub automaton: &'a Automaton,
    pub origins: Origins,
    /// The loads of the automaton's variables, in order: the state first.
    pub ghosts: Vec<VarId>,
    /// Functions in which the automaton may make a step, or that call such.
    pub watched: Vec<bool>,
    /// Functions in which the automaton may make a step although nobody there has the watched value,
    /// or that call such.
    pub blind_steps: Vec<bool>,
    /// Functions that may run at any moment, and in which the automaton may make a step.
    pub at_any_moment: Vec<FuncId>,
    /// Functions that run when the program ends, and in which the automaton may make a step.
    pub at_exit: Vec<FuncId>,
    /// The cells of the automaton's variables.
    pub own_cells: SparseSet,
    /// Cells that may change at any moment.
    pub unstable: SparseSet,
    /// Cells that may be read at any moment.
    pub unstable_reads: SparseSet,
    /// Where numbers come from, if they are watched.
    pub numbers: Numbers,
    /// Values under other names.
    pub paths: Paths<'a>,
    /// Operands whose order is open.
    pub orders: Orders,
    /// Parameters that keep the value that they were given.
    pub kept_params: FxHashSet<VarId>,
    /// The expressions that read places.
    pub loads: FxHashMap<PlaceId, ExprId>,
    /// The places of variables.
    pub var_places: FxHashMap<VarId, PlaceId>,
    pub(super) may_return: Vec<bool>,
    /// Functions of which no two calls are open at once.
    pub(super) runs_once: Vec<bool>,
    fresh: Vec<bool>,
    pub(super) caches: RefCell<Caches>,
}

/// Answers that were given before.
#[derive(Default)]
pub(super) struct Caches {
    pub(super) reads: FxHashMap<ExprId, Rc<SparseSet>>,
    pub(super) cells: FxHashMap<PlaceId, Rc<SparseSet>>,
    pub(super) pointees: FxHashMap<ExprId, Rc<BTreeSet<ObjectId>>>,
    pub(super) contents: FxHashMap<u32, Rc<BTreeSet<ObjectId>>>,
    pub(super) can_hold: FxHashMap<u32, Rc<SparseSet>>,
    pub(super) has_local: FxHashMap<ExprId, bool>,
    pub(super) called: FxHashMap<(FuncId, EdgeId), Rc<Called>>,
    pub(super) visible: FxHashMap<FuncId, Rc<SparseSet>>,
}

/// Why the analysis says nothing of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    Exhausted(Exhausted),
    Threads,
    /// It is not known where C leaves an order open.
    Order,
}

impl<'a> World<'a> {
    pub fn new(
        program: &'a Program,
        points_to: &'a PointsTo,
        mod_ref: &'a ModRef,
        automaton: &'a Automaton,
        budget: &Budget,
    ) -> Result<Self, Refused> {
        let called = called_by_name(program);
        if THREADS.iter().any(|name| called.contains(name)) {
            return Err(Refused::Threads);
        }
        let mut ghosts = vec![automaton.state];
        ghosts.extend(&automaton.counters);
        let fresh = fresh::fresh_functions(program);
        let origins = Origins::find(program, points_to, automaton);
        let mut world = Self {
            program,
            points_to,
            mod_ref,
            automaton,
            origins,
            ghosts,
            watched: vec![false; program.funcs.len()],
            blind_steps: vec![false; program.funcs.len()],
            at_any_moment: Vec::new(),
            at_exit: Vec::new(),
            own_cells: SparseSet::new(),
            unstable: SparseSet::new(),
            unstable_reads: SparseSet::new(),
            numbers: Numbers::default(),
            paths: Paths::new(program),
            orders: Orders::default(),
            kept_params: kept_params(program),
            loads: loads(program),
            var_places: var_places(program),
            may_return: vec![false; program.funcs.len()],
            runs_once: vec![false; program.funcs.len()],
            fresh,
            caches: RefCell::default(),
        };
        let own = world.ghosts.iter().chain(&automaton.tracked).chain(&automaton.choice);
        world.own_cells = own.flat_map(|&var| world.variable_cells(var)).collect();
        world.find_watched(budget).map_err(Refused::Exhausted)?;
        world.find_returning();
        if SIGNALS.iter().any(|name| called.contains(name)) {
            for func in world.escaped_functions() {
                world.unstable.union_with(mod_ref.writes(func));
                world.unstable_reads.union_with(mod_ref.reads(func));
                if world.watched[func.index()] {
                    world.at_any_moment.push(func);
                }
            }
        }
        world.find_at_exit();
        world.find_running_once(&called, budget).map_err(Refused::Exhausted)?;
        if automaton.tracked.is_some_and(|var| !program.types.is_pointer(program.vars[var].ty)) {
            world.numbers = Numbers::find(&world, budget).map_err(Refused::Exhausted)?;
        }
        world.find_blind_steps(budget).map_err(Refused::Exhausted)?;
        world.orders = Orders::find(&world).ok_or(Refused::Order)?;
        Ok(world)
    }

    pub(super) fn escaped_functions(&self) -> Vec<FuncId> {
        let objects = self.points_to.objects();
        let escaped = self.points_to.escaped_objects().iter();
        escaped
            .filter_map(|&id| match objects.get(id).kind {
                ObjectKind::Function(func) if self.program.funcs[func].body.is_some() => Some(func),
                _ => None,
            })
            .collect()
    }

    /// Whether code outside the program may have the watched value.
    pub fn is_known_outside(&self, fact: &Fact) -> bool {
        let escaped = self.points_to.escaped_cells();
        fact.origin != 0 && fact.holders.any(|cell| escaped.contains(cell))
    }

    /// Whether this is in the middle of an event.
    pub fn is_event(&self, func: FuncId, body: &Cfa, loc: LocId) -> bool {
        let into = body.in_edges(loc);
        !into.is_empty() && into.iter().all(|&e| self.automaton.inserted.contains(&(func, e)))
    }

    /// What a function without a body is.
    pub fn library(&self, func: FuncId) -> Library {
        classify(source_name(&self.program.funcs[func].name), self.program.types.target())
    }

    /// Whether a function stores no pointer that it is given: it only writes text and numbers.
    fn stores_nothing(&self, func: FuncId) -> bool {
        if self.program.funcs[func].body.is_some() {
            return false;
        }
        let name = plain_name(source_name(&self.program.funcs[func].name));
        match self.library(func) {
            Library::Output | Library::MemRead | Library::MemSet | Library::Environment => true,
            Library::Nondet(_) | Library::Free | Library::Pure => true,
            // `strtol` stores where the number ends.
            Library::Unknown => keeps_no_pointer(name) && !name.starts_with("strto"),
            _ => false,
        }
    }

    fn find_at_exit(&mut self) {
        let mut found = BTreeSet::new();
        for (func, function) in self.program.funcs.iter_ids() {
            for (id, edge) in function.body.iter().flat_map(|body| body.edges().iter_ids()) {
                let Op::Call(Call { callee: Callee::Direct(callee), .. }) = edge.op else {
                    continue;
                };
                let name = plain_name(source_name(&self.program.funcs[callee].name));
                if AT_EXIT.contains(&name) {
                    found.extend(self.points_to.callees(self.program, func, id).callbacks);
                }
            }
        }
        self.at_exit = found.into_iter().filter(|f| self.watched[f.index()]).collect();
    }

    /// Who is called on an edge.
    pub fn called(&self, func: FuncId, edge: EdgeId, call: &Call) -> Rc<Called> {
        if let Some(known) = self.caches.borrow().called.get(&(func, edge)) {
            return known.clone();
        }
        let callees = self.points_to.callees(self.program, func, edge);
        let mut called =
            Called { others: callees.outside, stores: callees.outside, ..Called::default() };
        called.effects = self.mod_ref.edge_effects(self.program, self.points_to, func, edge);
        let mut fresh = !callees.functions.is_empty() && !callees.outside;
        for &callee in &callees.functions {
            fresh &= self.fresh[callee.index()];
            called.stores |= !self.stores_nothing(callee);
            if self.watched[callee.index()] {
                called.watched.push(callee);
            } else if self.may_return[callee.index()] {
                called.others = true;
            } else if self.program.funcs[callee].body.is_none()
                && self.library(callee) == Library::Exit
            {
                called.ends = true;
            }
        }
        called.fresh = fresh && call.dst.is_some();
        let callbacks = callees.callbacks.into_iter();
        called.callbacks = callbacks.filter(|f| self.watched[f.index()]).collect();
        let called = Rc::new(called);
        self.caches.borrow_mut().called.insert((func, edge), called.clone());
        called
    }

    /// What a call of a function may touch.
    pub fn visible(&self, func: FuncId) -> Rc<SparseSet> {
        if let Some(known) = self.caches.borrow().visible.get(&func) {
            return known.clone();
        }
        let mut cells = self.mod_ref.reads(func).clone();
        cells.union_with(self.mod_ref.writes(func));
        let cells = Rc::new(cells);
        self.caches.borrow_mut().visible.insert(func, cells.clone());
        cells
    }

    /// The type of the expression.
    pub fn ty(&self, e: ExprId) -> TypeId {
        self.program.expr_ty(e)
    }
}

/// The plain names of all functions that are called directly or whose address is taken.
fn called_by_name(program: &Program) -> BTreeSet<&str> {
    let mut found: BTreeSet<FuncId> = BTreeSet::new();
    for edge in program.funcs.iter().flat_map(|f| f.body.iter()).flat_map(|b| b.edges().iter()) {
        if let Op::Call(Call { callee: Callee::Direct(callee), .. }) = edge.op {
            found.insert(callee);
        }
    }
    for e in (0..program.exprs.expr_count()).map(ExprId::from_index) {
        if let ExprKind::FuncAddr(func) = program.exprs.expr(e).kind {
            found.insert(func);
        }
    }
    let names = found.into_iter().map(|f| plain_name(source_name(&program.funcs[f].name)));
    names.collect()
}

fn loads(program: &Program) -> FxHashMap<PlaceId, ExprId> {
    let exprs = (0..program.exprs.expr_count()).map(ExprId::from_index);
    let read = exprs.filter_map(|e| match program.exprs.expr(e).kind {
        ExprKind::Load(place) => Some((place, e)),
        _ => None,
    });
    read.collect()
}

fn var_places(program: &Program) -> FxHashMap<VarId, PlaceId> {
    let places = (0..program.exprs.place_count()).map(PlaceId::from_index);
    let vars = places.filter_map(|place| match program.exprs.place(place).kind {
        PlaceKind::Var(var) => Some((var, place)),
        _ => None,
    });
    vars.collect()
}

/// Parameters that nothing is assigned to.
fn kept_params(program: &Program) -> FxHashSet<VarId> {
    let mut kept: FxHashSet<VarId> = FxHashSet::default();
    for function in program.funcs.iter() {
        let Some(body) = &function.body else { continue };
        let params = function.params.iter().copied();
        kept.extend(params.filter(|&param| !program.vars[param].address_taken));
        for edge in body.edges().iter() {
            let written = edge.op.destination();
            if let Some(var) = written.and_then(|place| program.exprs.root_var(place)) {
                kept.remove(&var);
            }
        }
    }
    kept
}
