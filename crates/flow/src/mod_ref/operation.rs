//! What an operation writes and reads itself, without the bodies of the functions that it calls.

use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, Program, VarId};
use rustc_hash::FxHashMap;

use super::Effects;
use super::library_effects::library_effects;
use crate::points_to::{ObjectId, Objects, PointsTo};
use crate::sparse_set::SparseSet;

/// Which accesses to local variables of the function are left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Locals {
    /// None.
    Kept,
    /// Those by name: each call has its own.
    Named,
    /// All: no other call's instance can be meant.
    All,
}

/// Collects the effects of operations of a function.
pub(super) struct Own<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    func: FuncId,
    locals: Locals,
    /// Whether all that escaped is in the effects already.
    met_outside: bool,
    cells_of: FxHashMap<PlaceId, SparseSet>,
    effects: Effects,
}

impl<'a> Own<'a> {
    /// For the summary of a function.
    pub(super) fn new(
        program: &'a Program,
        points_to: &'a PointsTo,
        func: FuncId,
        recursive: bool,
    ) -> Self {
        let locals = if recursive { Locals::Named } else { Locals::All };
        let effects = Effects::default();
        let cells_of = FxHashMap::default();
        Self { program, points_to, func, locals, met_outside: false, cells_of, effects }
    }

    /// For one edge, as the function itself sees it.
    pub(super) fn of_edge(program: &'a Program, points_to: &'a PointsTo, func: FuncId) -> Self {
        let effects = Effects::default();
        let locals = Locals::Kept;
        let cells_of = FxHashMap::default();
        Self { program, points_to, func, locals, met_outside: false, cells_of, effects }
    }

    /// Adds what the operation does.
    pub(super) fn operation(&mut self, edge: EdgeId, op: &Op) {
        // What is allocated has new contents, known or not.
        for &object in self.points_to.allocated_on(self.func, edge) {
            let cells = self.object_cells(object);
            self.effects.writes.union_with(&cells);
        }
        match op {
            Op::Skip => {}
            Op::Assume(condition) => self.value(*condition),
            Op::Assign { dst, src } => {
                self.value(*src);
                self.write(*dst);
            }
            Op::Call(call) => self.call(call),
            Op::Return(value) => {
                if let Some(value) = value {
                    self.value(*value);
                }
            }
            Op::Havoc(place) => self.write(*place),
            Op::HavocMemory => self.outside(),
            Op::Declare(var) => {
                let object = self.points_to.objects().variable(*var);
                if !self.is_left_out(*var) {
                    let cells = self.object_cells(object);
                    self.add_writes(&cells);
                }
            }
            Op::Alloca { dst, size } => {
                self.value(*size);
                self.write(*dst);
            }
            Op::VaStart(list) => self.write(*list),
            Op::VaArg { dst, list } => {
                self.read(*list);
                self.write(*list);
                self.write(*dst);
                let arguments = self.points_to.argument_cells(self.program, *list);
                self.add_reads(&arguments);
            }
            Op::VaCopy { dst, src } => {
                self.read(*src);
                self.write(*dst);
            }
            Op::VaEnd(list) => self.write(*list),
        }
    }

    fn call(&mut self, call: &Call) {
        for &arg in &call.args {
            self.value(arg);
        }
        let callees = match call.callee {
            Callee::Direct(callee) => vec![callee],
            Callee::Indirect(pointer) => {
                self.value(pointer);
                let called = self.points_to.called_through(self.program, pointer);
                if called.outside {
                    self.outside();
                }
                called.functions
            }
        };
        for callee in callees {
            if self.program.funcs[callee].body.is_none() {
                let found = library_effects(self.program, self.points_to, callee, &call.args);
                for pointer in found.writes {
                    let cells = self.behind(pointer);
                    self.add_writes(&cells);
                }
                for pointer in found.reads {
                    let cells = self.behind(pointer);
                    self.add_reads(&cells);
                }
                // `errno` and the tables of the library are outside.
                self.effects
                    .writes
                    .extend(self.points_to.objects().cells(Objects::OUTSIDE).map(|cell| cell.0));
                if found.escaped {
                    self.outside();
                }
            }
        }
        if let Some(dst) = call.dst {
            self.write(dst);
        }
    }

    fn outside(&mut self) {
        if std::mem::replace(&mut self.met_outside, true) {
            return;
        }
        let escaped = self.points_to.escaped_cells();
        self.add_reads(escaped);
        self.add_writes(escaped);
    }

    /// All cells of the objects that a pointer may point to.
    fn behind(&self, pointer: ExprId) -> SparseSet {
        let mut cells = SparseSet::new();
        for target in self.points_to.pointees(self.program, pointer) {
            cells.extend(self.points_to.objects().cells(target.object).map(|cell| cell.0));
        }
        cells
    }

    fn object_cells(&self, object: ObjectId) -> SparseSet {
        self.points_to.objects().cells(object).map(|cell| cell.0).collect()
    }

    /// The effects that belong into the summary.
    pub(super) fn finish(self) -> Effects {
        let Own { program, points_to, func, locals, mut effects, .. } = self;
        if locals == Locals::All {
            let objects = points_to.objects();
            let visible = |cell: u32| {
                let owner = objects.owner(crate::points_to::CellId(cell));
                objects.function_of_local(program, owner) != Some(func)
            };
            effects.writes.retain(visible);
            effects.reads.retain(visible);
        }
        effects
    }

    fn add_writes(&mut self, cells: &SparseSet) {
        self.effects.writes.union_with(cells);
    }

    fn add_reads(&mut self, cells: &SparseSet) {
        self.effects.reads.union_with(cells);
    }

    /// Whether accesses to the variable are left out wherever its name stands.
    fn is_left_out(&self, var: VarId) -> bool {
        let own = self.program.vars[var].storage.function() == Some(self.func);
        own && self.locals != Locals::Kept
    }

    fn cells(&mut self, place: PlaceId) -> SparseSet {
        if let Some(known) = self.cells_of.get(&place) {
            return known.clone();
        }
        let cells = self.points_to.cells(self.program, place);
        self.cells_of.insert(place, cells.clone());
        cells
    }

    fn write(&mut self, place: PlaceId) {
        self.address(place);
        let root = self.program.exprs.root_var(place);
        if !root.is_some_and(|var| self.is_left_out(var)) {
            let cells = self.cells(place);
            self.add_writes(&cells);
        }
    }

    fn read(&mut self, place: PlaceId) {
        self.address(place);
        let root = self.program.exprs.root_var(place);
        if !root.is_some_and(|var| self.is_left_out(var)) {
            let cells = self.cells(place);
            self.add_reads(&cells);
        }
    }

    /// What the address of a place is computed from.
    fn address(&mut self, place: PlaceId) {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) => {}
            PlaceKind::Deref(pointer) => self.value(pointer),
            PlaceKind::Field(base, _) => self.address(base),
            PlaceKind::Index(base, index) => {
                self.address(base);
                self.value(index);
            }
        }
    }

    fn value(&mut self, expr: ExprId) {
        match self.program.exprs.expr(expr).kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
            ExprKind::Load(place) => self.read(place),
            ExprKind::AddrOf(place) => self.address(place),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.value(a),
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                self.value(a);
                self.value(b);
            }
        }
    }
}
