//! What more than one thread can see.
//!
//! An abstract location is shared if two threads that can run at the same time touch it, at least
//! one of them writes it, and it can be reached from static variables or from what is handed to a
//! new thread. Everything else commutes with what other threads do: no switch before it matters.
//!
//! Threads are told apart by the function they start with; one that may be started twice is two.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::{Budget, Exhausted};
use gnomon_flow::call_graph::CallGraph;
use gnomon_flow::mod_ref::ModRef;
use gnomon_flow::points_to::{self, CellId, ObjectId, ObjectKind, Objects, PointsTo};
use gnomon_flow::sparse_set::SparseSet;
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Program, Storage, source_name};

use crate::intrinsics::Intrinsic;
use crate::loops::Cycles;

/// What threads share, and who calls whom.
pub struct Sharing {
    points_to: PointsTo,
    mod_ref: ModRef,
    calls: CallGraph,
    shared: SparseSet,
}

impl Sharing {
    /// Of a program whose intrinsics have bodies for the analysis (see [`crate::stand_ins`]).
    pub fn of(
        program: &Program,
        entry: FuncId,
        cycles: &Cycles,
        budget: &Budget,
    ) -> Result<Self, Exhausted> {
        let entries = vec![program.funcs[entry].name.clone()];
        let options = points_to::Options { entries, ..points_to::Options::default() };
        let points_to = PointsTo::analyze(program, &options, budget)?;
        let calls = CallGraph::new(program, &points_to, budget)?;
        let mod_ref = ModRef::compute(program, &points_to, &calls, budget)?;
        let mut sharing = Self { points_to, mod_ref, calls, shared: SparseSet::new() };
        sharing.find_shared(program, entry, cycles, budget)?;
        Ok(sharing)
    }

    fn find_shared(
        &mut self,
        program: &Program,
        entry: FuncId,
        cycles: &Cycles,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let spawn = program.funcs.ids().find(|f| is_spawn(program, *f));
        let starts: Vec<FuncId> = match spawn {
            Some(spawn) => self.calls.callees(spawn).to_vec(),
            None => Vec::new(),
        };
        let mut threads = vec![self.effects_from(program, entry, budget)?];
        for start in starts {
            let effects = self.effects_from(program, start, budget)?;
            if start == entry || !started_once(program, entry, start, cycles) {
                threads.push(effects.clone());
            }
            threads.push(effects);
        }
        let visible = self.visible_objects(program, spawn);
        let mut shared = SparseSet::new();
        for (number, one) in threads.iter().enumerate() {
            for (other_number, other) in threads.iter().enumerate() {
                if number == other_number {
                    continue;
                }
                let conflicting = one
                    .writes
                    .iter()
                    .filter(|&cell| other.writes.contains(cell) || other.reads.contains(cell));
                shared.extend(conflicting);
            }
        }
        let objects = self.points_to.objects();
        shared.retain(|cell| visible.contains(&objects.owner(CellId(cell))));
        self.shared = shared;
        Ok(())
    }

    /// What a thread that starts in a function touches, without the threads that it makes.
    fn effects_from(
        &self,
        program: &Program,
        start: FuncId,
        budget: &Budget,
    ) -> Result<Touched, Exhausted> {
        let mut touched = Touched::default();
        let mut seen = BTreeSet::from([start]);
        let mut work = vec![start];
        while let Some(func) = work.pop() {
            if is_spawn(program, func) {
                continue;
            }
            for &callee in self.calls.callees(func) {
                if seen.insert(callee) {
                    work.push(callee);
                }
            }
            let Some(body) = &program.funcs[func].body else { continue };
            for (edge, found) in body.edges().iter_ids() {
                budget.check()?;
                if direct_callee(&found.op).is_some_and(|f| is_spawn(program, f)) {
                    continue;
                }
                let calls_body = direct_callee(&found.op)
                    .is_some_and(|callee| program.funcs[callee].body.is_some());
                if calls_body {
                    // What the callee does is looked at there.
                    self.add_operands(program, func, edge, &mut touched);
                    continue;
                }
                let effects = self.mod_ref.edge_effects(program, &self.points_to, func, edge);
                touched.writes.union_with(&effects.writes);
                touched.reads.union_with(&effects.reads);
            }
        }
        Ok(touched)
    }

    /// What a call of a function with a body touches before and after the call.
    fn add_operands(&self, program: &Program, func: FuncId, edge: EdgeId, to: &mut Touched) {
        let Some(body) = &program.funcs[func].body else { return };
        let Op::Call(Call { dst, args, .. }) = &body.edge(edge).op else { return };
        for &arg in args {
            for_each_load(program, arg, &mut |place| {
                to.reads.union_with(&self.points_to.cells(program, place));
            });
        }
        if let Some(dst) = *dst {
            to.writes.union_with(&self.points_to.cells(program, dst));
            for_each_load_on_the_way(program, dst, &mut |place| {
                to.reads.union_with(&self.points_to.cells(program, place));
            });
        }
    }

    /// The objects that can be reached from static variables and from what threads are given.
    fn visible_objects(&self, program: &Program, spawn: Option<FuncId>) -> BTreeSet<ObjectId> {
        let objects = self.points_to.objects();
        let mut visible = BTreeSet::new();
        let mut work = Vec::new();
        for (var, info) in program.vars.iter_ids() {
            let is_common = match info.storage {
                Storage::Static { thread_local, .. } => !thread_local,
                Storage::Param(func) => Some(func) == spawn,
                Storage::Local(_) => false,
            };
            if is_common {
                work.push(objects.variable(var));
            }
        }
        work.extend(self.points_to.escaped_objects());
        while let Some(object) = work.pop() {
            if object == Objects::OUTSIDE || !visible.insert(object) {
                continue;
            }
            if matches!(objects.get(object).kind, ObjectKind::Function(_)) {
                continue;
            }
            for cell in objects.cells(object) {
                work.extend(self.points_to.contents(cell).into_iter().map(|t| t.object));
            }
        }
        // A variable whose address nobody takes belongs to its call.
        visible.retain(|&object| match objects.get(object).kind {
            ObjectKind::Variable(var) => match &program.vars[var].storage {
                Storage::Static { thread_local, read_only, .. } => !thread_local && !read_only,
                _ => program.vars[var].address_taken,
            },
            _ => true,
        });
        visible
    }

    /// Whether an access to the place may touch what another thread can see. The place must be of
    /// the program that was analysed.
    pub fn is_shared(&self, program: &Program, place: PlaceId) -> bool {
        let simple = program.exprs.root_var(place).is_some_and(|var| {
            let info = &program.vars[var];
            !matches!(info.storage, Storage::Static { .. }) && !info.address_taken
        });
        !simple && self.points_to.cells(program, place).intersects(&self.shared)
    }

    /// Whether a call of functions without a body may touch what another thread can see, behind
    /// its arguments.
    pub fn call_touches_shared(&self, program: &Program, func: FuncId, edge: EdgeId) -> bool {
        let effects = self.mod_ref.edge_effects(program, &self.points_to, func, edge);
        effects.writes.intersects(&self.shared) || effects.reads.intersects(&self.shared)
    }

    /// Who calls whom.
    pub(crate) fn calls(&self) -> &CallGraph {
        &self.calls
    }

    /// What a call of functions without a body touches of what threads share.
    pub(crate) fn shared_cells_of_call(
        &self,
        program: &Program,
        func: FuncId,
        edge: EdgeId,
    ) -> SparseSet {
        let effects = self.mod_ref.edge_effects(program, &self.points_to, func, edge);
        let mut cells = effects.writes.clone();
        cells.union_with(&effects.reads);
        cells.retain(|cell| self.shared.contains(cell));
        cells
    }

    /// Where pointers point.
    pub fn points_to(&self) -> &PointsTo {
        &self.points_to
    }
}

/// What is written and read.
#[derive(Clone, Default)]
struct Touched {
    writes: SparseSet,
    reads: SparseSet,
}

pub(crate) fn is_spawn(program: &Program, func: FuncId) -> bool {
    Intrinsic::of(program, func) == Some(Intrinsic::Spawn)
}

fn direct_callee(op: &Op) -> Option<FuncId> {
    match op {
        Op::Call(Call { callee: Callee::Direct(func), .. }) => Some(*func),
        _ => None,
    }
}

/// Whether one call in the entry function, outside of loops, is all that can start the function.
fn started_once(program: &Program, entry: FuncId, start: FuncId, cycles: &Cycles) -> bool {
    let mut named = BTreeMap::new();
    for (func, function) in program.funcs.iter_ids() {
        let Some(body) = &function.body else { continue };
        for (edge, found) in body.edges().iter_ids() {
            let Op::Call(call) = &found.op else { continue };
            let names = call.args.iter().any(|&arg| names_function(program, arg, start));
            if names || direct_callee(&found.op) == Some(start) {
                named.insert((func, edge), found.from);
            }
        }
    }
    let alone = named.len() == 1;
    let at_top =
        named.iter().all(|((func, _), from)| *func == entry && !cycles.contains(*func, *from));
    alone && at_top && !stored_elsewhere(program, start)
}

/// Whether the address of a function stands anywhere but in an argument of a call.
fn stored_elsewhere(program: &Program, start: FuncId) -> bool {
    let in_initializers = program.vars.iter().any(|var| match &var.storage {
        Storage::Static { init: Some(init), .. } => init.items.iter().any(|item| match item {
            gnomon_ir::program::InitItem::Value { value, .. } => {
                names_function(program, *value, start)
            }
            gnomon_ir::program::InitItem::Bytes { .. } => false,
        }),
        _ => false,
    });
    let in_code = program.funcs.iter().flat_map(|f| f.body.iter()).any(|body| {
        body.edges().iter().any(|edge| match &edge.op {
            Op::Assign { src, .. } => names_function(program, *src, start),
            Op::Return(Some(value)) => names_function(program, *value, start),
            _ => false,
        })
    });
    in_initializers || in_code
}

fn names_function(program: &Program, e: ExprId, func: FuncId) -> bool {
    match program.exprs.expr(e).kind {
        ExprKind::FuncAddr(found) => found == func,
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => names_function(program, a, func),
        ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
            names_function(program, a, func) || names_function(program, b, func)
        }
        ExprKind::Const(_) | ExprKind::Zero | ExprKind::Load(_) | ExprKind::AddrOf(_) => false,
    }
}

/// Calls `visit` for every place that an expression loads, inner ones first.
pub(crate) fn for_each_load(program: &Program, e: ExprId, visit: &mut impl FnMut(PlaceId)) {
    match program.exprs.expr(e).kind {
        ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
        ExprKind::Load(place) => {
            for_each_load_on_the_way(program, place, visit);
            visit(place);
        }
        ExprKind::AddrOf(place) => for_each_load_on_the_way(program, place, visit),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => for_each_load(program, a, visit),
        ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
            for_each_load(program, a, visit);
            for_each_load(program, b, visit);
        }
    }
}

/// The same for what is loaded to find out where a place is.
pub(crate) fn for_each_load_on_the_way(
    program: &Program,
    place: PlaceId,
    visit: &mut impl FnMut(PlaceId),
) {
    use gnomon_ir::expr::PlaceKind;
    match program.exprs.place(place).kind {
        PlaceKind::Var(_) => {}
        PlaceKind::Deref(pointer) => for_each_load(program, pointer, visit),
        PlaceKind::Field(base, _) => for_each_load_on_the_way(program, base, visit),
        PlaceKind::Index(base, index) => {
            for_each_load_on_the_way(program, base, visit);
            for_each_load(program, index, visit);
        }
    }
}

/// What functions must become part of a thread's own automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Concern {
    /// Nothing in it is about other threads: it is called as ever.
    None,
    /// It may end the program, or run forever: others may run before that.
    MayNotReturn,
    /// It touches what others can see.
    Shares,
    /// It synchronises, or depends on which thread runs.
    Synchronises,
}

/// What every function is concerned with, with all that it calls.
pub struct Concerns {
    of: Vec<Concern>,
}

impl Concerns {
    /// Of all functions; those in `opaque` are never looked into.
    pub fn new(
        program: &Program,
        sharing: &Sharing,
        opaque: &BTreeSet<FuncId>,
        cycles: &Cycles,
        budget: &Budget,
    ) -> Result<Self, Exhausted> {
        let mut of = vec![Concern::None; program.funcs.len()];
        for (func, function) in program.funcs.iter_ids() {
            let name = source_name(&function.name);
            if Intrinsic::named(name).is_some() || crate::intrinsics::is_atomic_function(name) {
                of[func.index()] = Concern::Synchronises;
                continue;
            }
            if opaque.contains(&func) {
                continue;
            }
            for (edge, found) in function.body.iter().flat_map(|body| body.edges().iter_ids()) {
                budget.check()?;
                let mut own = own_concern(program, sharing, func, edge, &found.op);
                if cycles.contains(func, found.from) || sharing.calls.is_recursive(func) {
                    own = own.max(Concern::MayNotReturn);
                }
                of[func.index()] = of[func.index()].max(own);
            }
        }
        // Callees first, and all of a component alike.
        for component in sharing.calls.components() {
            let concern = component
                .functions
                .iter()
                .filter(|f| !opaque.contains(f))
                .flat_map(|&f| sharing.calls.callees(f).iter().chain([&component.functions[0]]))
                .chain(&component.functions)
                .map(|f| of[f.index()])
                .max();
            for &func in &component.functions {
                if !opaque.contains(&func) {
                    of[func.index()] = of[func.index()].max(concern.unwrap_or(Concern::None));
                }
            }
        }
        Ok(Self { of })
    }

    /// Of one function.
    pub fn of(&self, func: FuncId) -> Concern {
        self.of.get(func.index()).copied().unwrap_or(Concern::None)
    }
}

/// Whether a function without a body may end the run.
pub(crate) fn ends_run(program: &Program, func: FuncId) -> bool {
    let function = &program.funcs[func];
    let kind = classify(source_name(&function.name), program.types.target());
    let ends =
        matches!(kind, Library::Exit | Library::Abort | Library::Assume | Library::Unreachable);
    function.body.is_none() && ends
}

fn own_concern(
    program: &Program,
    sharing: &Sharing,
    func: FuncId,
    edge: EdgeId,
    op: &Op,
) -> Concern {
    let mut concern = Concern::None;
    let mut places = Vec::new();
    crate::operands::for_each_place(program, op, &mut |place, _| places.push(place));
    for place in places {
        let thread_local = program.exprs.root_var(place).is_some_and(|var| {
            matches!(program.vars[var].storage, Storage::Static { thread_local: true, .. })
        });
        if thread_local {
            concern = Concern::Synchronises;
        } else if sharing.is_shared(program, place) {
            concern = concern.max(Concern::Shares);
        }
    }
    let calls_outside = match op {
        Op::Call(Call { callee: Callee::Direct(callee), .. }) => {
            program.funcs[*callee].body.is_none()
        }
        Op::Call(_) | Op::HavocMemory => true,
        _ => false,
    };
    if direct_callee(op).is_some_and(|callee| ends_run(program, callee)) {
        concern = concern.max(Concern::MayNotReturn);
    }
    if calls_outside && sharing.call_touches_shared(program, func, edge) {
        concern = concern.max(Concern::Shares);
    }
    concern
}
