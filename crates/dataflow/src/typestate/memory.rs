//! The memory that expressions and places touch, and how much of it a store replaces. Answers are kept.

use std::collections::BTreeSet;
use std::rc::Rc;

use gnomon_flow::points_to::{CellId, ObjectId, ObjectKind, Objects, Offset, PointsTo};
use gnomon_flow::sparse_set::SparseSet;
use gnomon_ir::arena::Id;
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, Program, Storage, VarId};
use gnomon_ir::types::Type;

use super::fact::RESULT;
use super::world::World;

impl<'a> World<'a> {
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
    fn may_contain(&self, cell: u32, objects: &BTreeSet<ObjectId>) -> bool {
        if let Some(known) = self.caches.borrow().contents.get(&cell) {
            return !known.is_disjoint(objects);
        }
        let found = self.points_to.contents(CellId(cell));
        let found: Rc<BTreeSet<ObjectId>> = Rc::new(found.iter().map(|t| t.object).collect());
        let meets = !found.is_disjoint(objects);
        self.caches.borrow_mut().contents.insert(cell, found);
        meets
    }

    /// The cells that can hold what is watched from a beginning on, without those that may hold any
    /// number; `None` if these are all.
    pub fn can_hold(&self, origin: u32) -> Option<Rc<SparseSet>> {
        if origin == 0 || !self.origins.is_in_object(origin) {
            return self.numbers.only(origin);
        }
        if let Some(known) = self.caches.borrow().can_hold.get(&origin) {
            return Some(known.clone());
        }
        let cells = 0..self.points_to.objects().cell_count() as u32;
        let objects = self.origins.objects(origin);
        let found = Rc::new(cells.filter(|&cell| self.may_contain(cell, objects)).collect());
        self.caches.borrow_mut().can_hold.insert(origin, Rc::clone(&found));
        Some(found)
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
            Storage::Param(func) | Storage::Local(func) => {
                !var.address_taken || self.runs_once[func.index()]
            }
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
