//! What an operation writes and reads itself, without the bodies of the functions that it calls.

use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, Program};

use super::Effects;
use super::library_effects::library_effects;
use crate::points_to::{ObjectId, PointsTo};
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
    pub effects: Effects,
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
        Self { program, points_to, func, locals, effects: Effects::default() }
    }

    /// For one edge, as the function itself sees it.
    pub(super) fn of_edge(program: &'a Program, points_to: &'a PointsTo, func: FuncId) -> Self {
        Self { program, points_to, func, locals: Locals::Kept, effects: Effects::default() }
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
            Op::HavocMemory => {
                let escaped = self.points_to.escaped_cells();
                self.effects.writes.union_with(escaped);
                self.effects.reads.union_with(escaped);
            }
            Op::Declare(var) => {
                let object = self.points_to.objects().variable(*var);
                let cells = self.object_cells(object);
                self.add_writes(cells, true);
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
                self.add_reads(arguments, false);
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
                let found = library_effects(self.program, callee, &call.args);
                for pointer in found.writes {
                    let cells = self.behind(pointer);
                    self.add_writes(cells, false);
                }
                for pointer in found.reads {
                    let cells = self.behind(pointer);
                    self.add_reads(cells, false);
                }
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
        let escaped = self.points_to.escaped_cells().clone();
        self.add_reads(escaped.clone(), false);
        self.add_writes(escaped, false);
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

    fn visible(&self, mut cells: SparseSet, named: bool) -> SparseSet {
        let left_out = match self.locals {
            Locals::Kept => false,
            Locals::Named => named,
            Locals::All => true,
        };
        if left_out {
            let objects = self.points_to.objects();
            cells.retain(|cell| {
                let owner = objects.owner(crate::points_to::CellId(cell));
                objects.function_of_local(self.program, owner) != Some(self.func)
            });
        }
        cells
    }

    fn add_writes(&mut self, cells: SparseSet, named: bool) {
        let cells = self.visible(cells, named);
        self.effects.writes.union_with(&cells);
    }

    fn add_reads(&mut self, cells: SparseSet, named: bool) {
        let cells = self.visible(cells, named);
        self.effects.reads.union_with(&cells);
    }

    fn write(&mut self, place: PlaceId) {
        self.address(place);
        let named = self.program.exprs.root_var(place).is_some();
        self.add_writes(self.points_to.cells(self.program, place), named);
    }

    fn read(&mut self, place: PlaceId) {
        self.address(place);
        let named = self.program.exprs.root_var(place).is_some();
        self.add_reads(self.points_to.cells(self.program, place), named);
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
