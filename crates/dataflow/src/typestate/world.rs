//! What the analysis knows of the program before it starts, and answers that it keeps.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_flow::mod_ref::{Effects, ModRef};
use gnomon_flow::points_to::{CellId, ObjectId, ObjectKind, Objects, Offset, PointsTo};
use gnomon_flow::sparse_set::SparseSet;
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, Cfa, EdgeId, LocId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{Library, classify, plain_name};
use gnomon_ir::program::{FuncId, Program, Storage, VarId, source_name};
use gnomon_ir::types::{Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::fact::{Fact, Holders, RESULT};
use super::fresh::FIRST_DESCRIPTOR;
use super::orders::Orders;
use super::paths::Paths;
use super::{Automaton, Origins, fresh, numbers};

/// Functions that have a function of the program called at any moment later.
const SIGNALS: [&str; 6] = ["signal", "bsd_signal", "sysv_signal", "sigaction", "sigset", "sigvec"];
/// Functions after which several functions run at once.
const THREADS: [&str; 3] = ["pthread_create", "thrd_create", "clone"];
/// Functions that have a function of the program called when it ends.
const AT_EXIT: [&str; 3] = ["atexit", "on_exit", "at_quick_exit"];

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
    /// Cells that may hold a number that nobody knows.
    pub any_number: SparseSet,
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
    may_return: Vec<bool>,
    fresh: Vec<bool>,
    caches: RefCell<Caches>,
}

#[derive(Default)]
struct Caches {
    reads: FxHashMap<ExprId, Rc<SparseSet>>,
    cells: FxHashMap<PlaceId, Rc<SparseSet>>,
    pointees: FxHashMap<ExprId, Rc<BTreeSet<ObjectId>>>,
    contents: FxHashMap<u32, Rc<BTreeSet<ObjectId>>>,
    has_local: FxHashMap<ExprId, bool>,
    called: FxHashMap<(FuncId, EdgeId), Rc<Called>>,
    visible: FxHashMap<FuncId, Rc<SparseSet>>,
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
            any_number: SparseSet::new(),
            paths: Paths::new(program),
            orders: Orders::default(),
            kept_params: kept_params(program),
            loads: loads(program),
            var_places: var_places(program),
            may_return: vec![false; program.funcs.len()],
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
        if automaton.tracked.is_some_and(|var| !program.types.is_pointer(program.vars[var].ty)) {
            world.any_number = numbers::any_number(&world, budget).map_err(Refused::Exhausted)?;
        }
        world.find_blind_steps(budget).map_err(Refused::Exhausted)?;
        world.orders = Orders::find(&world).ok_or(Refused::Order)?;
        Ok(world)
    }

    fn escaped_functions(&self) -> Vec<FuncId> {
        let objects = self.points_to.objects();
        let escaped = self.points_to.escaped_objects().iter();
        escaped
            .filter_map(|&id| match objects.get(id).kind {
                ObjectKind::Function(func) if self.program.funcs[func].body.is_some() => Some(func),
                _ => None,
            })
            .collect()
    }

    /// Functions whose edges write variables of the automaton, and all that may call them.
    fn find_watched(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        let mut own: BTreeSet<VarId> = self.ghosts.iter().copied().collect();
        own.extend(self.automaton.tracked);
        for (func, function) in self.program.funcs.iter_ids() {
            let Some(body) = &function.body else { continue };
            let sites = self.automaton.sites.range((func, EdgeId(0))..=(func, EdgeId(u32::MAX)));
            let mut makes_steps = sites.count() > 0;
            for edge in body.edges().iter() {
                budget.check()?;
                if let Op::Assign { dst, .. } = edge.op {
                    let root = self.program.exprs.root_var(dst);
                    makes_steps |= root.is_some_and(|var| own.contains(&var));
                }
            }
            self.watched[func.index()] = makes_steps;
        }
        let own = std::mem::take(&mut self.watched);
        self.watched = self.with_callers(own, budget)?;
        Ok(())
    }

    /// These functions and all that may call them.
    fn with_callers(&self, mut some: Vec<bool>, budget: &Budget) -> Result<Vec<bool>, Exhausted> {
        let mut callers: Vec<Vec<FuncId>> = vec![Vec::new(); some.len()];
        for (func, function) in self.program.funcs.iter_ids() {
            for (id, edge) in function.body.iter().flat_map(|body| body.edges().iter_ids()) {
                budget.check()?;
                if matches!(edge.op, Op::Call(_)) {
                    let callees = self.points_to.callees(self.program, func, id);
                    for callee in callees.functions.iter().chain(&callees.callbacks) {
                        callers[callee.index()].push(func);
                    }
                }
            }
        }
        let mut work: Vec<FuncId> = self.program.funcs.ids().filter(|f| some[f.index()]).collect();
        while let Some(func) = work.pop() {
            for &caller in &callers[func.index()] {
                if !std::mem::replace(&mut some[caller.index()], true) {
                    work.push(caller);
                }
            }
        }
        Ok(some)
    }

    /// Functions with a step that needs no comparison with the watched value, or one with a number
    /// that may be any.
    fn find_blind_steps(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        let mut blind = vec![false; self.program.funcs.len()];
        for (func, function) in self.program.funcs.iter_ids() {
            let Some(body) = &function.body else { continue };
            for (id, edge) in body.edges().iter_ids() {
                let is_step = match &edge.op {
                    Op::Assign { dst, .. } => {
                        let root = self.program.exprs.root_var(*dst);
                        root.is_some_and(|var| self.ghosts.contains(&var))
                    }
                    _ => self.automaton.sites.contains(&(func, id)),
                };
                blind[func.index()] |= is_step && !self.is_guarded(body, id);
            }
        }
        self.blind_steps = self.with_callers(blind, budget)?;
        Ok(())
    }

    /// Whether an edge of the automaton lies behind a comparison with the watched value, or behind
    /// the beginning of the watch.
    fn is_guarded(&self, body: &Cfa, mut id: EdgeId) -> bool {
        loop {
            let edge = body.edge(id);
            match &edge.op {
                Op::Assume(condition) if self.compares_watched(*condition) => return true,
                Op::Assign { dst, .. } => {
                    if self.program.exprs.root_var(*dst) == self.automaton.tracked
                        && self.automaton.tracked.is_some()
                    {
                        return true;
                    }
                }
                Op::Assume(_) | Op::Skip | Op::Havoc(_) => {}
                _ => return false,
            }
            match body.in_edges(edge.from) {
                [only] => id = *only,
                _ => return false,
            }
        }
    }

    /// Whether a condition says that something is the watched value, which only who holds it is.
    fn compares_watched(&self, condition: ExprId) -> bool {
        let ExprKind::Binary(BinaryOp::Eq, a, b) = self.program.exprs.expr(condition).kind else {
            return false;
        };
        let (a, b) = (self.stripped(a), self.stripped(b));
        let other = match (self.is_tracked_variable(a), self.is_tracked_variable(b)) {
            (true, false) => b,
            (false, true) => a,
            _ => return false,
        };
        if self.program.types.is_pointer(self.ty(other)) {
            return true;
        }
        match self.program.exprs.expr(other).kind {
            ExprKind::Const(_) | ExprKind::Zero => {
                self.program.as_int(other).is_some_and(|number| number < FIRST_DESCRIPTOR)
            }
            ExprKind::Load(place) => !self.cells(place).intersects(&self.any_number),
            _ => false,
        }
    }

    /// Whether a function cannot do anything with the watched value, because nobody there has it.
    pub fn is_blind(&self, fact: &Fact, callee: FuncId, args: &[ExprId], knows: bool) -> bool {
        let Holders::Only(cells) = &fact.holders else { return false };
        if fact.origin == 0 || knows || self.blind_steps[callee.index()] {
            return false;
        }
        let visible = self.visible(callee);
        !cells.iter().any(|&cell| visible.contains(cell))
            && !args.iter().any(|&arg| self.may_hold(fact, arg))
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

    /// Whether a call of the function may return.
    pub fn may_return(&self, func: FuncId) -> bool {
        self.may_return[func.index()]
    }

    /// Which functions have a path to their end, over calls that may return.
    fn find_returning(&mut self) {
        loop {
            let mut changed = false;
            for (func, function) in self.program.funcs.iter_ids() {
                let Some(body) = &function.body else {
                    let kind = self.library(func);
                    let ends = matches!(
                        kind,
                        Library::Abort | Library::Exit | Library::Unreachable | Library::Error
                    );
                    changed |=
                        !std::mem::replace(&mut self.may_return[func.index()], !ends) && !ends;
                    continue;
                };
                if self.may_return[func.index()] {
                    continue;
                }
                let mut seen = vec![false; body.loc_count()];
                let mut work = vec![body.entry()];
                seen[body.entry().index()] = true;
                while let Some(loc) = work.pop() {
                    for &id in body.out_edges(loc) {
                        let edge = body.edge(id);
                        let passes = match &edge.op {
                            Op::Call(call) => self.call_may_return(func, id, call),
                            _ => true,
                        };
                        if passes && !std::mem::replace(&mut seen[edge.to.index()], true) {
                            work.push(edge.to);
                        }
                    }
                }
                if seen[body.exit().index()] {
                    self.may_return[func.index()] = true;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn call_may_return(&self, func: FuncId, edge: EdgeId, call: &Call) -> bool {
        match call.callee {
            Callee::Direct(callee) => self.may_return[callee.index()],
            Callee::Indirect(_) => {
                let callees = self.points_to.callees(self.program, func, edge);
                callees.outside || callees.functions.iter().any(|f| self.may_return[f.index()])
            }
        }
    }

    /// What a function without a body is.
    pub fn library(&self, func: FuncId) -> Library {
        classify(source_name(&self.program.funcs[func].name), self.program.types.target())
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
        let mut called = Called { others: callees.outside, ..Called::default() };
        called.effects = self.mod_ref.edge_effects(self.program, self.points_to, func, edge);
        let mut fresh = !callees.functions.is_empty() && !callees.outside;
        for &callee in &callees.functions {
            fresh &= self.fresh[callee.index()];
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

    /// The cells that an access to a place may touch.
    pub fn cells(&self, place: PlaceId) -> Rc<SparseSet> {
        if let Some(known) = self.caches.borrow().cells.get(&place) {
            return known.clone();
        }
        let cells = Rc::new(self.points_to.cells(self.program, place));
        self.caches.borrow_mut().cells.insert(place, cells.clone());
        cells
    }

    /// The cells that are read to evaluate an expression.
    pub fn reads(&self, e: ExprId) -> Rc<SparseSet> {
        if let Some(known) = self.caches.borrow().reads.get(&e) {
            return known.clone();
        }
        let mut cells = SparseSet::new();
        if e == RESULT {
            return Rc::new(cells);
        }
        match self.program.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
            ExprKind::Load(place) => {
                cells.union_with(&self.cells(place));
                cells.union_with(&self.address_reads(place));
            }
            ExprKind::AddrOf(place) => {
                cells.union_with(&self.address_reads(place));
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => {
                cells.union_with(&self.reads(a));
            }
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                cells.union_with(&self.reads(a));
                cells.union_with(&self.reads(b));
            }
        }
        let cells = Rc::new(cells);
        self.caches.borrow_mut().reads.insert(e, cells.clone());
        cells
    }

    /// The cells that are read to know where a place is.
    pub fn address_reads(&self, place: PlaceId) -> SparseSet {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) => SparseSet::new(),
            PlaceKind::Deref(e) => (*self.reads(e)).clone(),
            PlaceKind::Field(base, _) => self.address_reads(base),
            PlaceKind::Index(base, index) => {
                let mut cells = self.address_reads(base);
                cells.union_with(&self.reads(index));
                cells
            }
        }
    }

    /// The objects that the value of an expression may point into.
    pub fn pointees(&self, e: ExprId) -> Rc<BTreeSet<ObjectId>> {
        if let Some(known) = self.caches.borrow().pointees.get(&e) {
            return known.clone();
        }
        let found = self.points_to.pointees(self.program, e);
        let found: Rc<BTreeSet<ObjectId>> = Rc::new(found.iter().map(|t| t.object).collect());
        self.caches.borrow_mut().pointees.insert(e, found.clone());
        found
    }

    /// Whether a cell may hold a pointer to one of these objects.
    pub fn may_contain(&self, cell: u32, objects: &BTreeSet<ObjectId>) -> bool {
        if let Some(known) = self.caches.borrow().contents.get(&cell) {
            return !known.is_disjoint(objects);
        }
        let found = self.points_to.contents(CellId(cell));
        let found: Rc<BTreeSet<ObjectId>> = Rc::new(found.iter().map(|t| t.object).collect());
        let meets = !found.is_disjoint(objects);
        self.caches.borrow_mut().contents.insert(cell, found);
        meets
    }

    /// Whether an expression is about local variables: it means something in one function only.
    pub fn has_local(&self, e: ExprId) -> bool {
        if let Some(&known) = self.caches.borrow().has_local.get(&e) {
            return known;
        }
        if e == RESULT {
            return true;
        }
        let has = match self.program.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => false,
            ExprKind::Load(place) | ExprKind::AddrOf(place) => self.place_has_local(place),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.has_local(a),
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                self.has_local(a) || self.has_local(b)
            }
        };
        self.caches.borrow_mut().has_local.insert(e, has);
        has
    }

    fn place_has_local(&self, place: PlaceId) -> bool {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(var) => self.program.vars[var].storage.function().is_some(),
            PlaceKind::Deref(e) => self.has_local(e),
            PlaceKind::Field(base, _) => self.place_has_local(base),
            PlaceKind::Index(base, index) => self.place_has_local(base) || self.has_local(index),
        }
    }

    /// The cells of a variable.
    pub fn variable_cells(&self, var: VarId) -> impl Iterator<Item = u32> + use<'a> {
        let objects = self.points_to.objects();
        objects.cells(objects.variable(var)).map(|cell| cell.0)
    }

    /// The cells of the arguments behind the declared ones.
    pub fn further_arguments(&self, func: FuncId) -> impl Iterator<Item = u32> + use<'a> {
        let objects = self.points_to.objects();
        let found = objects.find(ObjectKind::VarArgs(func));
        found.into_iter().flat_map(|object| objects.cells(object)).map(|cell| cell.0)
    }

    /// Whether a cell belongs to a local variable of a function, of which no other call's instance
    /// can be meant.
    pub fn is_own_local(&self, cell: u32, func: FuncId) -> bool {
        let objects = self.points_to.objects();
        let ObjectKind::Variable(var) = objects.get(objects.owner(CellId(cell))).kind else {
            return false;
        };
        let var = &self.program.vars[var];
        var.storage.function() == Some(func) && !var.address_taken
    }

    /// Whether a write to the place replaces all that its cells held.
    pub fn is_strong(&self, place: PlaceId) -> bool {
        let mut base = place;
        let var = loop {
            match self.program.exprs.place(base).kind {
                PlaceKind::Var(var) => break var,
                PlaceKind::Field(inner, field) => {
                    let record = self.program.types.as_record(self.program.place_ty(inner));
                    let field = record.and_then(|(_, r)| r.fields.get(field as usize));
                    if field.is_none_or(|f| f.bits.is_some()) {
                        return false;
                    }
                    base = inner;
                }
                PlaceKind::Deref(_) | PlaceKind::Index(..) => return false,
            }
        };
        let whole = self.cells(place);
        let objects = self.points_to.objects();
        // A cell may be larger than the place: then something of it stays.
        let size = self.program.types.size(self.program.place_ty(place));
        let exact = whole.len() == 1 && self.program.types.is_scalar(self.program.place_ty(place));
        let covered = base == place
            || exact && whole.iter().all(|cell| self.covers(CellId(cell), size, objects));
        let var = &self.program.vars[var];
        let single = match var.storage {
            Storage::Static { thread_local, .. } => !thread_local,
            Storage::Param(_) | Storage::Local(_) => !var.address_taken,
        };
        covered && single
    }

    fn covers(&self, cell: CellId, size: u64, objects: &Objects) -> bool {
        let bytes = objects.cell_bytes(cell);
        !bytes.repeated && bytes.end.saturating_sub(bytes.start) <= size
    }

    /// Whether what is stored in a place can be remembered as the value of reading it.
    pub fn is_remembered(&self, place: PlaceId) -> bool {
        let ty = self.program.place_ty(place);
        if !matches!(self.program.types.get(ty), Type::Int { .. } | Type::Bool | Type::Pointer(_)) {
            return false;
        }
        let mut base = place;
        loop {
            match self.program.exprs.place(base).kind {
                PlaceKind::Var(_) | PlaceKind::Deref(_) => return true,
                PlaceKind::Field(inner, field) => {
                    let record = self.program.types.as_record(self.program.place_ty(inner));
                    let field = record.and_then(|(_, r)| r.fields.get(field as usize));
                    if field.is_none_or(|f| f.bits.is_some()) {
                        return false;
                    }
                    base = inner;
                }
                PlaceKind::Index(inner, _) => base = inner,
            }
        }
    }

    /// Whether something can be known of the expression for more than a moment.
    pub fn is_stable(&self, e: ExprId) -> bool {
        !self.reads(e).intersects(&self.unstable)
    }

    /// The address of a static variable, or a part of it, exactly.
    pub fn static_address(&self, e: ExprId) -> Option<(ObjectId, u64)> {
        static_address(self.program, self.points_to, e)
    }

    /// The type of the expression.
    pub fn ty(&self, e: ExprId) -> TypeId {
        self.program.expr_ty(e)
    }
}

/// The address of a static variable, or a part of it, exactly.
pub(super) fn static_address(
    program: &Program,
    points_to: &PointsTo,
    e: ExprId,
) -> Option<(ObjectId, u64)> {
    let ExprKind::AddrOf(place) = program.exprs.expr(e).kind else { return None };
    let var = program.exprs.root_var(place)?;
    if !matches!(program.vars[var].storage, Storage::Static { thread_local: false, .. }) {
        return None;
    }
    match points_to.targets(program, place)[..] {
        [target] => match target.offset {
            Offset::Exact(offset) => Some((target.object, offset)),
            _ => None,
        },
        _ => None,
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
            let written = match &edge.op {
                Op::Assign { dst, .. } | Op::Havoc(dst) | Op::Alloca { dst, .. } => Some(*dst),
                Op::VaStart(dst) | Op::VaEnd(dst) => Some(*dst),
                Op::VaArg { dst, .. } | Op::VaCopy { dst, .. } => Some(*dst),
                Op::Call(call) => call.dst,
                _ => None,
            };
            if let Some(var) = written.and_then(|place| program.exprs.root_var(place)) {
                kept.remove(&var);
            }
        }
    }
    kept
}
