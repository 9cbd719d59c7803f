//! Where a program decides something by the addresses that its objects happen to have.
//!
//! Formulas and runs put objects at addresses that the tool chose. What a program computes with
//! addresses is followed exactly, as with any number; but a *decision* that comes out otherwise at
//! other addresses (a comparison of an address with a number, of its bits, or of the order of two
//! objects) is one that was looked at for one layout only. A proof does not cover the others.
//!
//! No such decision are: tests for null and for the same address, alignment that the ABI promises
//! (of the type of a variable, of `malloc`), numbers that no address can be, and comparisons inside
//! of one variable. C 6.5.8 and 6.5.9 say which comparisons of pointers mean something: pointers of
//! which the analysis knows a common object are taken to be in one.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::Budget;
use gnomon_ir::cfa::{Callee, EdgeId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{AllocKind, Library, classify};
use gnomon_ir::program::{FuncId, InitItem, Program, Storage, source_name};
use gnomon_ir::types::{Target as Machine, Type, TypeId};

use super::objects::{ObjectId, Objects};
use super::spot::Spot;
use super::{ObjectKind, Offset, PointsTo, Site};
use crate::call_graph::CallGraph;
use crate::outlived::{on_stack, outlived};

/// A decision that depends on where objects lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressDecision {
    /// The function.
    pub function: FuncId,
    /// Its edge.
    pub edge: EdgeId,
}

/// Whether a program may give memory back.
fn frees(program: &Program) -> bool {
    let mut outside = program.funcs.iter().filter(|function| function.body.is_none());
    outside.any(|function| {
        let known = classify(source_name(&function.name), program.types.target());
        matches!(known, Library::Free | Library::Alloc(AllocKind::Realloc))
    })
}

impl PointsTo {
    /// Whether a pointer to an object that may be gone (from the heap, where something is freed, or on the stack) may
    /// be compared with another pointer than null: a newer object may have its address by then.
    pub fn may_compare_dangling(&self, program: &Program, budget: &Budget) -> bool {
        let compared = self.compared_objects(program);
        let from_heap = |id: &ObjectId| {
            matches!(self.objects.get(*id).kind, ObjectKind::Allocated { .. })
                && on_stack(program, self, *id).is_none()
        };
        if frees(program) && compared.iter().any(from_heap) {
            return true;
        }
        if !compared.iter().any(|id| on_stack(program, self, *id).is_some()) {
            return false;
        }
        match CallGraph::new(program, self, budget) {
            Ok(calls) => !outlived(program, self, &calls).is_disjoint(&compared),
            Err(_) => true,
        }
    }

    /// Where pointers may lead that are compared with other ones than null.
    fn compared_objects(&self, program: &Program) -> BTreeSet<ObjectId> {
        let is_pointer = |e| program.types.is_pointer(program.expr_ty(e));
        let is_null = |e| program.as_int(e) == Some(0);
        let mut compared = BTreeSet::new();
        for number in 0..program.exprs.expr_count() {
            if let ExprKind::Binary(op, a, b) = program.exprs.expr(ExprId(number as u32)).kind
                && op.is_comparison()
                && is_pointer(a)
                && !is_null(a)
                && !is_null(b)
            {
                compared.extend(self.objects_of(program, a));
                compared.extend(self.objects_of(program, b));
            }
        }
        compared
    }

    /// The first decision on addresses in a function that can be reached from `entry`.
    pub fn address_decision(&self, program: &Program, entry: FuncId) -> Option<AddressDecision> {
        let frees = frees(program);
        let mut search = Search { points_to: self, program, entry, frees, held: BTreeMap::new() };
        let mut reached = BTreeSet::from([entry]);
        let mut pending = vec![entry];
        let mut found: Option<AddressDecision> = None;
        while let Some(function) = pending.pop() {
            let Some(body) = &program.funcs[function].body else { continue };
            for (edge, held) in body.edges().iter_ids() {
                if let Op::Call(_) = held.op {
                    let callees = self.callees(program, function, edge);
                    for callee in callees.functions.into_iter().chain(callees.callbacks) {
                        if reached.insert(callee) {
                            pending.push(callee);
                        }
                    }
                }
                let is_earlier = found.is_none_or(|f| (function, edge) < (f.function, f.edge));
                if is_earlier && search.decides(&held.op) {
                    found = Some(AddressDecision { function, edge });
                }
            }
        }
        found
    }
}

/// No object lies below.
const LEAST_ADDRESS: u32 = 4096;

struct Search<'a> {
    points_to: &'a PointsTo,
    program: &'a Program,
    entry: FuncId,
    /// Whether objects from the heap may be freed, and their addresses given out again.
    frees: bool,
    /// The objects whose addresses a number is made of.
    held: BTreeMap<ExprId, BTreeSet<ObjectId>>,
}

impl Search<'_> {
    fn decides(&mut self, op: &Op) -> bool {
        let mut exprs = Vec::new();
        let mut places = Vec::new();
        match op {
            Op::Assume(e) => {
                if self.is_shown(*e) {
                    return true;
                }
                exprs.push(*e);
            }
            Op::Return(Some(e)) => exprs.push(*e),
            Op::Assign { dst, src } => {
                exprs.push(*src);
                places.push(*dst);
            }
            Op::Alloca { dst, size } => {
                exprs.push(*size);
                places.push(*dst);
            }
            Op::Call(call) => {
                exprs.extend(call.args.iter().copied());
                places.extend(call.dst);
                if let Callee::Indirect(pointer) = call.callee {
                    exprs.push(pointer);
                }
            }
            Op::Havoc(place) => places.push(*place),
            _ => {}
        }
        let mut seen = BTreeSet::new();
        loop {
            if let Some(place) = places.pop() {
                match self.program.exprs.place(place).kind {
                    PlaceKind::Var(_) => {}
                    PlaceKind::Deref(pointer) => exprs.push(pointer),
                    PlaceKind::Field(base, _) => places.push(base),
                    PlaceKind::Index(base, index) => {
                        if self.chooses(base, index) {
                            return true;
                        }
                        exprs.push(index);
                        places.push(base);
                    }
                }
                continue;
            }
            let Some(e) = exprs.pop() else { return false };
            if !seen.insert(e) {
                continue;
            }
            match self.program.exprs.expr(e).kind {
                ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
                ExprKind::Load(place) | ExprKind::AddrOf(place) => places.push(place),
                ExprKind::Unary(_, a) => exprs.push(a),
                ExprKind::Cast(a) => {
                    let to = self.program.types.get(self.program.expr_ty(e));
                    if matches!(to, Type::Bool) && self.is_shown(a)
                        || matches!(to, Type::Float(_)) && !self.held(a).is_empty()
                    {
                        return true;
                    }
                    exprs.push(a);
                }
                ExprKind::Binary(op, a, b) => {
                    if op.is_comparison() && self.compares(op, a, b) {
                        return true;
                    }
                    exprs.extend([a, b]);
                }
                ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => exprs.extend([a, b]),
            }
        }
    }

    /// Whether it can be seen where objects lie by whether a number is zero.
    fn is_shown(&mut self, e: ExprId) -> bool {
        self.program.types.is_integer(self.program.expr_ty(e))
            && (!self.held(e).is_empty() || self.is_outside(e))
            && !self.is_address(e)
    }

    /// Whether an index tells by where objects lie which element is meant. An address as it is
    /// leaves an array of few elements wherever its object lies; and the array by address of checks
    /// is asked about one object after the other.
    fn chooses(&mut self, base: PlaceId, index: ExprId) -> bool {
        if self.held(index).is_empty() {
            return false;
        }
        let is_ghost = match self.program.exprs.place(base).kind {
            PlaceKind::Var(var) => self.program.extents == Some(var),
            _ => false,
        };
        let is_short = match *self.program.types.get(self.program.place_ty(base)) {
            Type::Array { len, .. } => len <= u64::from(LEAST_ADDRESS),
            _ => false,
        };
        !(is_ghost || is_short && self.is_address(index))
    }

    fn compares(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> bool {
        let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        if self.program.types.is_pointer(self.program.expr_ty(a)) {
            return match equality {
                true => self.may_touch(a, b) || self.may_share_text(a, b),
                false => self.are_apart(a, b),
            };
        }
        let (in_a, in_b) = (self.held(a), self.held(b));
        let (outside_a, outside_b) = (self.is_outside(a), self.is_outside(b));
        if in_a.is_empty() && in_b.is_empty() && !outside_a && !outside_b {
            return false;
        }
        for (number, address) in [(a, b), (b, a)] {
            if let Some(bits) = self.program.exprs.const_bits(number) {
                let ty = self.program.expr_ty(address);
                let has_sign = self.program.types.int_shape(ty).is_some_and(|shape| shape.1);
                // Half of the addresses are below zero there.
                let is_split = self.program.types.target() == Machine::Ilp32 && has_sign;
                return !(self.is_no_address(bits) && self.is_address(address))
                    || is_split && !equality;
            }
        }
        if in_a.is_empty() && in_b.is_empty() {
            // Objects of the environment may lie in any order, and a number that is no address is any.
            return false;
        }
        if outside_a && in_a.is_empty() || outside_b && in_b.is_empty() {
            // The environment lies apart from all objects of the program here.
            let other_is_address = !(if in_a.is_empty() { &in_b } else { &in_a }).is_empty();
            return other_is_address && !(equality && self.is_address(a) && self.is_address(b));
        }
        let in_one = in_a == in_b && self.is_one_variable(&in_a);
        let same = equality
            && !in_a.is_empty()
            && !in_b.is_empty()
            && self.is_address(a)
            && self.is_address(b)
            && !in_a.iter().chain(&in_b).any(|object| self.may_be_gone(*object));
        !(same || in_one && self.is_address(a) && self.is_address(b))
    }

    /// Numbers that no object is at.
    fn is_no_address(&self, bits: u128) -> bool {
        let end = match self.program.types.target() {
            Machine::Lp64 => 1u128 << 47,
            Machine::Ilp32 => 0xffff_f000,
        };
        bits < u128::from(LEAST_ADDRESS) || bits >= end
    }

    fn is_one_variable(&self, objects: &BTreeSet<ObjectId>) -> bool {
        let mut all = objects.iter();
        let kind = |id: &ObjectId| self.points_to.objects.get(*id).kind;
        all.next().is_some_and(|id| matches!(kind(id), ObjectKind::Variable(_)))
            && all.next().is_none()
    }

    /// Whether pointers are certainly to different objects.
    fn are_apart(&self, a: ExprId, b: ExprId) -> bool {
        let (a, b) = (self.objects_and_functions(a), self.objects_and_functions(b));
        !a.is_empty() && !b.is_empty() && a.is_disjoint(&b)
    }

    /// Whether another object may have the address of this one later. (Of pointers that is asked by checks of memory.)
    fn may_be_gone(&self, object: ObjectId) -> bool {
        match self.points_to.objects.get(object).kind {
            ObjectKind::Variable(var) => {
                let function = self.program.vars[var].storage.function();
                function.is_some_and(|function| function != self.entry)
            }
            ObjectKind::Allocated { .. } => self.frees,
            _ => false,
        }
    }

    /// Whether pointers may be into different strings of which one is the end of the other: linkers have one object
    /// for both.
    fn may_share_text(&self, a: ExprId, b: ExprId) -> bool {
        let texts = |e| -> Vec<(ObjectId, &[u8])> {
            let objects = self.points_to.objects_of(self.program, e);
            objects.into_iter().filter_map(|id| Some((id, self.text(id)?))).collect()
        };
        let in_b = texts(b);
        !in_b.is_empty()
            && texts(a).iter().any(|(one, text)| {
                let ends = |(other, end): &(ObjectId, &[u8])| {
                    one != other && (text.ends_with(end) || end.ends_with(text))
                };
                in_b.iter().any(ends)
            })
    }

    /// The bytes of a string literal.
    fn text(&self, object: ObjectId) -> Option<&[u8]> {
        let ObjectKind::Variable(var) = self.points_to.objects.get(object).kind else {
            return None;
        };
        let Storage::Static { init: Some(init), read_only: true, .. } =
            &self.program.vars[var].storage
        else {
            return None;
        };
        match &init.items[..] {
            [InitItem::Bytes { bytes, .. }] => Some(bytes),
            _ => None,
        }
    }

    /// Whether one pointer may be just behind an object and the other one at the start of another,
    /// which may lie there (C 6.5.9).
    fn may_touch(&self, a: ExprId, b: ExprId) -> bool {
        let ends = |e| {
            let targets = self.points_to.pointees(self.program, e);

            targets.iter().any(|t| match self.points_to.objects.get(t.object).kind {
                ObjectKind::Variable(var) => {
                    let size = self.program.types.size(self.program.vars[var].ty);
                    size > 0
                        && match t.offset {
                            Offset::Exact(at) => at == size,
                            // Somewhere in an array, or behind it.
                            _ => true,
                        }
                }
                _ => false,
            })
        };
        self.are_apart(a, b) && (ends(a) || ends(b))
    }

    /// Whether a number is an address as it is: a pointer just now converted, or a copy of one.
    fn is_address(&self, mut e: ExprId) -> bool {
        let width = u64::from(self.program.types.target().pointer_bits() / 8);
        loop {
            let ty = self.program.expr_ty(e);
            if self.program.types.is_pointer(ty) {
                return true;
            }
            if self.program.types.size(ty) < width {
                return false;
            }
            match self.program.exprs.expr(e).kind {
                ExprKind::Cast(inner) => e = inner,
                ExprKind::Load(_) => {
                    let pointers = self.points_to.value_pointers(self.program, e);
                    return pointers.iter().all(|(_, spot)| !matches!(spot, Spot::Any));
                }
                _ => return false,
            }
        }
    }

    /// The objects of the program whose addresses a number is made of, as far as it depends on
    /// where they lie.
    fn held(&mut self, e: ExprId) -> BTreeSet<ObjectId> {
        if let Some(known) = self.held.get(&e) {
            return known.clone();
        }
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let found = match exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero => BTreeSet::new(),
            ExprKind::Binary(op, ..) if op.is_comparison() => BTreeSet::new(),
            ExprKind::Binary(op, a, b) => {
                let (mut of_a, of_b) = (self.held(a), self.held(b));
                let mask = exprs.const_bits(b);
                let mask = match op {
                    BinaryOp::BitAnd => mask,
                    BinaryOp::Rem => mask.filter(|m| m.is_power_of_two()).map(|m| m - 1),
                    _ => None,
                };
                let aligned = of_a.iter().map(|id| self.alignment(*id)).min().map_or(1, u128::from);
                let is_difference =
                    op == BinaryOp::Sub && of_a == of_b && self.is_one_variable(&of_a);
                if mask.is_some_and(|m| m < aligned) && self.is_address(a) || is_difference {
                    BTreeSet::new()
                } else {
                    of_a.extend(of_b);
                    of_a
                }
            }
            ExprKind::Unary(_, a) => self.held(a),
            ExprKind::Cast(a) if !matches!(types.get(exprs.expr(e).ty), Type::Bool) => self.held(a),
            ExprKind::Cast(_) => BTreeSet::new(),
            ExprKind::Load(_)
            | ExprKind::FuncAddr(_)
            | ExprKind::AddrOf(_)
            | ExprKind::PtrAdd(..)
            | ExprKind::PtrDiff(..) => {
                let mut objects = self.objects_and_functions(e);
                objects.remove(&Objects::OUTSIDE);
                objects
            }
        };
        self.held.insert(e, found.clone());
        found
    }

    /// What the value may point to.
    fn objects_and_functions(&self, e: ExprId) -> BTreeSet<ObjectId> {
        let pointers = self.points_to.value_pointers(self.program, e);
        pointers.into_iter().map(|(object, _)| object).collect()
    }

    /// Whether a number is made of the address of an object of the environment, just now converted, and depends on
    /// more than its low bits, which can be any.
    fn is_outside(&self, e: ExprId) -> bool {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let is_narrow = |e| types.size(self.program.expr_ty(e)) < 4;
        match exprs.expr(e).kind {
            ExprKind::Cast(inner) if types.is_pointer(self.program.expr_ty(inner)) => {
                let is_number = types.is_integer(self.program.expr_ty(e)) && !is_narrow(e);
                is_number
                    && self.points_to.objects_of(self.program, inner).contains(&Objects::OUTSIDE)
            }
            ExprKind::Cast(inner) => !is_narrow(e) && self.is_outside(inner),
            ExprKind::Unary(_, inner) => self.is_outside(inner),
            ExprKind::Binary(op, ..) if op.is_comparison() => false,
            ExprKind::Binary(op @ (BinaryOp::BitAnd | BinaryOp::Rem), a, b) => {
                let is_low =
                    |e| exprs.const_bits(e).is_some_and(|m| m <= u128::from(LEAST_ADDRESS));
                !(is_low(b) || op == BinaryOp::BitAnd && is_low(a))
                    && (self.is_outside(a) || self.is_outside(b))
            }
            // How far apart they are can be any number.
            ExprKind::Binary(BinaryOp::Sub, a, b) => self.is_outside(a) != self.is_outside(b),
            ExprKind::Binary(_, a, b) => self.is_outside(a) || self.is_outside(b),
            _ => false,
        }
    }

    /// What the address of an object is certainly a multiple of.
    fn alignment(&self, object: ObjectId) -> u64 {
        let of_heap = match self.program.types.target() {
            Machine::Lp64 => 16,
            Machine::Ilp32 => 8,
        };
        match self.points_to.objects.get(object).kind {
            ObjectKind::Variable(var) => self.type_alignment(self.program.vars[var].ty),
            ObjectKind::Allocated { site: Site { function, edge }, .. } => {
                let op = self.program.funcs[function].body.as_ref().map(|body| &body.edge(edge).op);
                let Some(Op::Call(call)) = op else { return 1 };
                let Callee::Direct(callee) = call.callee else { return 1 };
                let name = source_name(&self.program.funcs[callee].name);
                match classify(name, self.program.types.target()) {
                    Library::Alloc(
                        AllocKind::Malloc
                        | AllocKind::Calloc
                        | AllocKind::Realloc
                        | AllocKind::Duplicate,
                    ) => of_heap,
                    _ => 1,
                }
            }
            _ => 1,
        }
    }

    fn type_alignment(&self, mut ty: TypeId) -> u64 {
        let types = &self.program.types;
        while let Type::Array { elem, .. } = *types.get(ty) {
            ty = elem;
        }
        match types.as_record(ty) {
            Some((_, record)) => record.align,
            None => {
                let most = u64::from(types.target().pointer_bits() / 8);
                let size = types.size(ty).min(most);
                1 << size.max(1).ilog2()
            }
        }
    }
}
