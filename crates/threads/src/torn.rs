//! Accesses that are more than one step of the machine.
//!
//! A structure is copied member by member, forwards or backwards, and an integer that is wider than a word is read and
//! written in halves, in either order: another thread may come between. A store to a
//! bit-field reads the memory location that it lies in, changes it and writes all of it back (C17 3.14): stores
//! of other threads to its neighbours between that are lost. Here such operations are taken apart before
//! anything else looks at the program, where threads share the memory and run at the same time. Edges keep their
//! numbers: new ones come behind them.
//!
//! What is not taken apart is told ([`note_whole`]): `long double`, integers wider than two words, and what functions
//! of the library copy, where threads share it; beside `_Atomic` objects also wide integers. A proof for one step is none there.

use std::collections::BTreeSet;

use gnomon_budget::{Budget, Exhausted};
use gnomon_flow::sparse_set::SparseSet;
use gnomon_ir::cfa::{Call, Callee, Cfa, CfaBuilder, Edge, EdgeId, LocId, Op};
use gnomon_ir::expr::{BinaryOp, Expr, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Note, Program, Storage, Var, VarId, source_name};
use gnomon_ir::span::Span;
use gnomon_ir::types::{FloatKind, RecordId, RecordKind, Type, TypeId};

use crate::loops::Cycles;
use crate::operands::for_each_place;
use crate::orders::is_relaxed;
use crate::sharing::Sharing;

/// So many parts of a structure are copied one by one.
const MOST_PARTS: usize = 64;
/// Copies of at most so many bytes are left alone beside `_Atomic` objects, which may be structures.
const WORD: u64 = 8;

/// Takes apart what several steps of the machine do. Intrinsics must have their stand-ins already.
pub(crate) fn tear(
    program: &mut Program,
    entry: FuncId,
    asks_for_races: bool,
    budget: &Budget,
) -> Result<(), Exhausted> {
    let has_atomic = program.notes.iter().any(|note| note.kind == "atomic-access");
    let stored = stored_bits(program);
    if stored.is_empty() && !has_candidates(program) {
        return Ok(());
    }
    let sharing = Sharing::of(program, entry, &Cycles::of(program), budget)?;
    let beside = Beside::of(program, entry, &sharing);
    for func in program.funcs.ids().collect::<Vec<FuncId>>() {
        let Some(body) = program.funcs[func].body.take() else { continue };
        let (program, stored, sharing) = (&mut *program, &stored, &sharing);
        let (count, backwards, has_order) = (0, false, false);
        let mut tearing = Tearing {
            program,
            func,
            stored,
            sharing,
            has_atomic,
            count,
            backwards,
            has_order,
            asks_for_races,
        };
        let body = tearing.body(body, &beside);
        program.funcs[func].body = Some(body);
    }
    Ok(())
}

/// Whether there is anything to take apart but bit-fields.
fn has_candidates(program: &Program) -> bool {
    let bodies = program.funcs.iter().filter_map(|function| function.body.as_ref());
    bodies.flat_map(|body| body.edges().iter()).any(|edge| {
        let mut found = weak_exchange(program, &edge.op).is_some()
            || matches!(&edge.op, Op::Call(call) if copies(program, call));
        for_each_place(program, &edge.op, &mut |place, _| {
            let ty = program.place_ty(place);
            let is_structure =
                matches!(program.types.get(ty), Type::Record(_) | Type::Array { .. });
            found |= is_structure || is_wide(program, ty);
        });
        found
    })
}

/// Whether a type is an integer of two words.
fn is_wide(program: &Program, ty: TypeId) -> bool {
    let word = program.types.target().pointer_bits();
    matches!(program.types.get(ty), Type::Int { bits, .. } if *bits == 2 * word)
}

/// The bit-fields that operations store to, by record and number.
fn stored_bits(program: &Program) -> BTreeSet<(RecordId, u32)> {
    let bodies = program.funcs.iter().filter_map(|function| function.body.as_ref());
    let edges = bodies.flat_map(|body| body.edges().iter());
    let stores = edges.filter_map(|edge| edge.op.destination());
    stores
        .filter_map(|place| bit_field(program, place))
        .map(|(_, id, number)| (id, number))
        .collect()
}

/// The structure, its type and the number of the member, if the place is a bit-field.
fn bit_field(program: &Program, place: PlaceId) -> Option<(PlaceId, RecordId, u32)> {
    let PlaceKind::Field(base, number) = program.exprs.place(place).kind else { return None };
    let (id, record) = program.types.as_record(program.place_ty(base))?;
    let field = record.fields.get(number as usize)?;
    (record.kind == RecordKind::Struct && field.bits.is_some()).then_some((base, id, number))
}

struct Tearing<'a> {
    program: &'a mut Program,
    func: FuncId,
    stored: &'a BTreeSet<(RecordId, u32)>,
    /// Of the program before anything was taken apart.
    sharing: &'a Sharing,
    has_atomic: bool,
    count: usize,
    /// Whether parts come in the other order.
    backwards: bool,
    /// Whether the order of parts plays a role in the operation that is looked at.
    has_order: bool,
    /// A plain access beside atomic ones would be taken for a race.
    asks_for_races: bool,
}

/// A weak compare-and-exchange of integers, with the object and what is expected there.
fn weak_exchange(program: &Program, op: &Op) -> Option<(Call, [ExprId; 2])> {
    let Op::Call(call) = op else { return None };
    let Callee::Direct(func) = call.callee else { return None };
    let name = source_name(&program.funcs[func].name);
    let &[object, expected, _, weak, _, _] = &call.args[..] else { return None };
    let is_exchange = matches!(name, "__atomic_compare_exchange_n" | "__atomic_compare_exchange");
    let is_number = |pointer: ExprId| {
        let to = program.types.pointee(program.expr_ty(pointer));
        to.is_some_and(|to| program.types.is_scalar(to))
    };
    let known = is_exchange && is_number(object) && is_number(expected);
    (known && program.as_truth(weak) != Some(false)).then(|| (call.clone(), [object, expected]))
}

impl Tearing<'_> {
    fn body(&mut self, body: Cfa, beside: &Beside) -> Cfa {
        let taken: Vec<Vec<Vec<Op>>> = body
            .edges()
            .iter_ids()
            .map(|(id, edge)| match beside.contains(self.func, &body, id) {
                true => self.ways(&edge.op),
                false => Vec::new(),
            })
            .collect();
        if taken.iter().all(Vec::is_empty) {
            return body;
        }
        let mut builder = CfaBuilder::new();
        // Entry and exit are there already.
        for _ in 2..body.loc_count() {
            builder.add_loc();
        }
        let mut rest: Vec<Edge> = Vec::new();
        for (edge, ways) in body.edges().iter().zip(taken) {
            if ways.is_empty() {
                builder.add_edge(edge.clone());
            }
            for (way, steps) in ways.into_iter().enumerate() {
                let (mut from, last) = (edge.from, steps.len() - 1);
                for (position, op) in steps.into_iter().enumerate() {
                    let to = if position == last { edge.to } else { builder.add_loc() };
                    let step = Edge { from, to, op, ..edge.clone() };
                    match (way, position) {
                        (0, 0) => {
                            builder.add_edge(step);
                        }
                        _ => rest.push(step),
                    }
                    from = to;
                }
            }
        }
        for edge in rest {
            builder.add_edge(edge);
        }
        for label in body.labels() {
            builder.add_label(label.clone());
        }
        builder.finish()
    }

    /// The steps of an operation in each order, if they are several.
    fn ways(&mut self, op: &Op) -> Vec<Vec<Op>> {
        (self.backwards, self.has_order) = (false, false);
        if let Some(fails) = self.fails_for_no_reason(op) {
            return vec![vec![op.clone()], fails];
        }
        let Some(forwards) = self.steps(op).filter(|steps| !steps.is_empty()) else {
            return Vec::new();
        };
        let mut ways = vec![forwards];
        self.backwards = true;
        if self.has_order {
            ways.extend(self.steps(op));
        }
        ways
    }

    /// A weak compare-and-exchange that fails although the values are equal (C17 7.17.7.4): what is there goes to
    /// what was expected.
    fn fails_for_no_reason(&mut self, op: &Op) -> Option<Vec<Op>> {
        if self.asks_for_races {
            return None;
        }
        let (call, [object, expected]) = weak_exchange(self.program, op)?;
        let (from, to) = (self.program.deref(object), self.program.deref(expected));
        let ty = self.program.place_ty(to);
        let value = self.program.load(from);
        let mut steps = vec![Op::Assign { dst: to, src: self.program.cast(ty, value) }];
        if let Some(dst) = call.dst {
            let src = self.program.zero(self.program.place_ty(dst));
            steps.push(Op::Assign { dst, src });
        }
        Some(steps)
    }

    /// The steps of an operation, if they are several.
    fn steps(&mut self, op: &Op) -> Option<Vec<Op>> {
        self.wide(op).or_else(|| self.structure(op))
    }

    /// Of one that accesses integers of two words which others see.
    fn wide(&mut self, op: &Op) -> Option<Vec<Op>> {
        if self.has_atomic {
            return None;
        }
        let mut steps = Vec::new();
        let mut halves = |e: ExprId, steps: &mut Vec<Op>| self.halved(e, steps);
        let op = match op {
            Op::Assign { dst, src } => {
                let src = halves(*src, &mut steps);
                let dst = self.halved_place(*dst, &mut steps);
                if self.is_wide_shared(dst) {
                    self.store_halves(dst, src, &mut steps);
                    return Some(steps);
                }
                Op::Assign { dst, src }
            }
            Op::Assume(e) => Op::Assume(halves(*e, &mut steps)),
            Op::Return(Some(e)) => Op::Return(Some(halves(*e, &mut steps))),
            Op::Call(call) => {
                let args = call.args.iter().map(|&arg| halves(arg, &mut steps)).collect();
                let dst = call.dst.map(|dst| self.halved_place(dst, &mut steps));
                let stored = dst.filter(|&dst| self.is_wide_shared(dst));
                if let Some(place) = stored {
                    let own = self.temporary(self.program.place_ty(place));
                    let dst = Some(self.program.var_place(own));
                    steps.push(Op::Call(Call { dst, callee: call.callee, args }));
                    let value = self.program.load_var(own);
                    self.store_halves(place, value, &mut steps);
                    return Some(steps);
                }
                Op::Call(Call { dst, callee: call.callee, args })
            }
            _ => return None,
        };
        if steps.is_empty() {
            return None;
        }
        steps.push(op);
        Some(steps)
    }

    fn is_wide_shared(&self, place: PlaceId) -> bool {
        let field = matches!(self.program.exprs.place(place).kind, PlaceKind::Field(..))
            && bit_field(self.program, place).is_some();
        !field
            && is_wide(self.program, self.program.place_ty(place))
            && self.sharing.is_shared(self.program, place)
    }

    /// The lower and the higher half of an integer in memory.
    fn half_places(&mut self, place: PlaceId) -> [PlaceId; 2] {
        let word = self.program.types.target().pointer_bits();
        let half = self.program.types.int(word, false);
        let pointer = self.program.types.pointer(half);
        let address = self.program.address_of(place);
        let address = self.program.cast(pointer, address);
        [0, 1].map(|number| {
            let number = self.program.int(gnomon_ir::types::Types::I32, number);
            let half = self.program.ptr_add(address, number);
            self.program.deref(half)
        })
    }

    /// An expression whose wide shared loads were done before, in halves.
    fn halved(&mut self, e: ExprId, steps: &mut Vec<Op>) -> ExprId {
        let Expr { ty, kind } = self.program.exprs.expr(e);
        match kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => e,
            ExprKind::Load(place) if self.is_wide_shared(place) => {
                let place = self.halved_place(place, steps);
                let place = self.fixed(place, steps);
                let word = self.program.types.target().pointer_bits();
                let (part, whole) =
                    (self.program.types.int(word, false), self.program.types.int(2 * word, false));
                let halves = self.half_places(place).map(|place| {
                    let own = self.temporary(part);
                    (own, place)
                });
                let order = if self.backwards { [1, 0] } else { [0, 1] };
                self.has_order = true;
                for number in order {
                    let (own, place) = halves[number];
                    let (dst, src) = (self.program.var_place(own), self.program.load(place));
                    steps.push(Op::Assign { dst, src });
                }
                let [low, high] = halves.map(|(own, _)| {
                    let half = self.program.load_var(own);
                    self.program.cast(whole, half)
                });
                let by = self.program.int(whole, i128::from(word));
                let high = self.program.binary(BinaryOp::Shl, high, by);
                let value = self.program.binary(BinaryOp::BitOr, high, low);
                self.program.cast(ty, value)
            }
            ExprKind::Load(place) => {
                let own = self.halved_place(place, steps);
                if own == place { e } else { self.program.load(own) }
            }
            ExprKind::AddrOf(place) => {
                let own = self.halved_place(place, steps);
                if own == place {
                    return e;
                }
                let address = self.program.address_of(own);
                self.program.cast(ty, address)
            }
            ExprKind::Unary(op, a) => {
                let own = self.halved(a, steps);
                if own == a { e } else { self.program.unary(op, own) }
            }
            ExprKind::Cast(a) => {
                let own = self.halved(a, steps);
                if own == a { e } else { self.program.cast(ty, own) }
            }
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.halved(a, steps), self.halved(b, steps));
                if (x, y) == (a, b) { e } else { self.program.binary(op, x, y) }
            }
            ExprKind::PtrAdd(a, b) => {
                let (x, y) = (self.halved(a, steps), self.halved(b, steps));
                if (x, y) == (a, b) { e } else { self.program.ptr_add(x, y) }
            }
            ExprKind::PtrDiff(a, b) => {
                let (x, y) = (self.halved(a, steps), self.halved(b, steps));
                if (x, y) == (a, b) { e } else { self.program.ptr_diff(x, y) }
            }
        }
    }

    fn halved_place(&mut self, place: PlaceId, steps: &mut Vec<Op>) -> PlaceId {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) => place,
            PlaceKind::Deref(pointer) => {
                let own = self.halved(pointer, steps);
                if own == pointer { place } else { self.program.deref(own) }
            }
            PlaceKind::Field(base, number) => {
                let own = self.halved_place(base, steps);
                if own == base { place } else { self.program.field(own, number) }
            }
            PlaceKind::Index(base, index) => {
                let own = self.halved_place(base, steps);
                let by = self.halved(index, steps);
                if (own, by) == (base, index) { place } else { self.program.index(own, by) }
            }
        }
    }

    fn store_halves(&mut self, dst: PlaceId, src: ExprId, steps: &mut Vec<Op>) {
        let word = self.program.types.target().pointer_bits();
        let (part, whole) =
            (self.program.types.int(word, false), self.program.types.int(2 * word, false));
        // What is read is read before the first half is written.
        let own = self.temporary(whole);
        let (place, src) = (self.program.var_place(own), self.program.cast(whole, src));
        steps.push(Op::Assign { dst: place, src });
        let dst = self.fixed(dst, steps);
        let halves = self.half_places(dst);
        let order = if self.backwards { [1, 0] } else { [0, 1] };
        self.has_order = true;
        for number in order {
            let value = self.program.load_var(own);
            let by = self.program.int(whole, i128::from(word) * number as i128);
            let value = self.program.binary(BinaryOp::Shr, value, by);
            let src = self.program.cast(part, value);
            steps.push(Op::Assign { dst: halves[number], src });
        }
    }

    fn structure(&mut self, op: &Op) -> Option<Vec<Op>> {
        match op {
            Op::Assign { dst, src } => match self.is_torn(*dst) || self.reads_torn(*src) {
                true => self.copied(*dst, *src),
                false => self.bit_stored(*dst, *src),
            },
            Op::Return(Some(value)) if self.reads_torn(*value) => {
                let mut steps = Vec::new();
                let value = self.read_apart(*value, &mut steps)?;
                steps.push(Op::Return(Some(value)));
                Some(steps)
            }
            Op::Call(call) => self.library_copy(call).or_else(|| self.call(call)),
            _ => None,
        }
    }

    /// `memcpy` of a whole object that others see, and `memset` of one to zero, as an assignment.
    fn library_copy(&mut self, call: &Call) -> Option<Vec<Op>> {
        let Callee::Direct(func) = call.callee else { return None };
        let function = &self.program.funcs[func];
        let kind = classify(source_name(&function.name), self.program.types.target());
        let (&[to, from, size], None) = (&call.args[..], &function.body) else { return None };
        let size = u64::try_from(self.program.as_int(size)?).ok()?;
        let dst = self.object(to, size)?;
        let ty = self.program.place_ty(dst);
        let src = match kind {
            Library::MemCopy => {
                let src = self.object(from, size)?;
                let seen = self.sharing.is_shared(self.program, src);
                if self.program.place_ty(src) != ty || !(seen || self.is_seen(dst)) {
                    return None;
                }
                self.program.load(src)
            }
            Library::MemSet if self.program.as_int(from) == Some(0) && self.is_seen(dst) => {
                self.program.zero(ty)
            }
            _ => return None,
        };
        let mut steps = match self.program.types.get(ty) {
            Type::Record(_) | Type::Array { .. } => self.copied(dst, src)?,
            _ => return None,
        };
        if let Some(result) = call.dst {
            let src = self.program.cast(self.program.place_ty(result), to);
            steps.push(Op::Assign { dst: result, src });
        }
        Some(steps)
    }

    fn is_seen(&self, place: PlaceId) -> bool {
        self.sharing.is_shared(self.program, place)
    }

    /// The object of that size which a pointer is the address of.
    fn object(&mut self, pointer: ExprId, size: u64) -> Option<PlaceId> {
        let mut pointer = pointer;
        loop {
            let to = self.program.types.pointee(self.program.expr_ty(pointer))?;
            if let ExprKind::AddrOf(place) = self.program.exprs.expr(pointer).kind {
                return self.around(place, size);
            }
            let is_void = matches!(self.program.types.get(to), Type::Void | Type::Function(_));
            if !is_void && self.program.types.size(to) == size {
                return Some(self.program.deref(pointer));
            }
            let ExprKind::Cast(inner) = self.program.exprs.expr(pointer).kind else { return None };
            pointer = inner;
        }
    }

    /// The place, or the array whose first element it is, that has the size.
    fn around(&self, place: PlaceId, size: u64) -> Option<PlaceId> {
        let mut place = place;
        loop {
            if self.program.types.size(self.program.place_ty(place)) == size {
                return Some(place);
            }
            let PlaceKind::Index(base, index) = self.program.exprs.place(place).kind else {
                return None;
            };
            if self.program.as_int(index) != Some(0) {
                return None;
            }
            place = base;
        }
    }

    fn call(&mut self, call: &Call) -> Option<Vec<Op>> {
        let stores = call.dst.filter(|&dst| self.is_torn(dst));
        if stores.is_none() && !call.args.iter().any(|&arg| self.reads_torn(arg)) {
            return None;
        }
        let mut steps = Vec::new();
        let mut args = Vec::new();
        for &arg in &call.args {
            args.push(match self.reads_torn(arg) {
                true => self.read_apart(arg, &mut steps)?,
                false => arg,
            });
        }
        let mut last = Vec::new();
        let mut dst = call.dst;
        if let Some(place) = stores {
            let ty = self.program.place_ty(place);
            let own = self.temporary(ty);
            dst = Some(self.program.var_place(own));
            let value = self.program.load_var(own);
            last = self.copied(place, value)?;
        }
        steps.push(Op::Call(Call { dst, callee: call.callee, args: args.into() }));
        steps.extend(last);
        Some(steps)
    }

    /// A value that was copied part by part into a variable of its own.
    fn read_apart(&mut self, value: ExprId, steps: &mut Vec<Op>) -> Option<ExprId> {
        let ty = self.program.expr_ty(value);
        let own = self.temporary(ty);
        let dst = self.program.var_place(own);
        steps.extend(self.copied(dst, value)?);
        Some(self.program.load_var(own))
    }

    /// A structure, part by part.
    fn copied(&mut self, dst: PlaceId, src: ExprId) -> Option<Vec<Op>> {
        let mut steps = Vec::new();
        let dst = self.fixed(dst, &mut steps);
        let from = match self.program.exprs.expr(src).kind {
            ExprKind::Load(place) => Some(self.fixed(place, &mut steps)),
            ExprKind::Zero => None,
            _ => return None,
        };
        let mut parts = Vec::new();
        self.parts(dst, from, &mut parts)?;
        self.has_order = true;
        if self.backwards {
            parts.reverse();
        }
        for (dst, from) in parts {
            let src = match from {
                Some(place) => self.program.load(place),
                None => self.program.zero(self.program.place_ty(dst)),
            };
            steps.push(Op::Assign { dst, src });
        }
        (steps.len() > 1).then_some(steps)
    }

    /// The parts of a place that are copied in one step; unions are one.
    fn parts(
        &mut self,
        dst: PlaceId,
        src: Option<PlaceId>,
        parts: &mut Vec<(PlaceId, Option<PlaceId>)>,
    ) -> Option<()> {
        if parts.len() >= MOST_PARTS {
            return None;
        }
        let ty = self.program.place_ty(dst);
        match self.program.types.get(ty).clone() {
            Type::Array { len, .. } => {
                for index in 0..len {
                    let index = self.program.int(gnomon_ir::types::Types::I32, i128::from(index));
                    let to = self.program.index(dst, index);
                    let from = src.map(|src| self.program.index(src, index));
                    self.parts(to, from, parts)?;
                }
            }
            Type::Record(id) if self.program.types.record(id).kind == RecordKind::Struct => {
                for number in 0..self.program.types.record(id).fields.len() as u32 {
                    let to = self.program.field(dst, number);
                    let from = src.map(|src| self.program.field(src, number));
                    self.parts(to, from, parts)?;
                }
            }
            _ => parts.push((dst, src)),
        }
        Some(())
    }

    /// A store to a bit-field whose neighbours others store to: what they hold is read before and written back.
    fn bit_stored(&mut self, dst: PlaceId, src: ExprId) -> Option<Vec<Op>> {
        if self.is_private(dst) {
            return None;
        }
        let (_, id, number) = bit_field(self.program, dst)?;
        let neighbours: Vec<u32> = neighbours(self.program, id, number)
            .into_iter()
            .filter(|&other| self.stored.contains(&(id, other)))
            .collect();
        if neighbours.is_empty() {
            return None;
        }
        let mut steps = Vec::new();
        let ty = self.program.place_ty(dst);
        let new = self.temporary(ty);
        let place = self.program.var_place(new);
        steps.push(Op::Assign { dst: place, src });
        let (base, _, _) = bit_field(self.program, dst)?;
        let base = self.fixed(base, &mut steps);
        let mut back = Vec::new();
        for other in neighbours {
            let field = self.program.field(base, other);
            let old = self.temporary(self.program.place_ty(field));
            let (place, value) = (self.program.var_place(old), self.program.load(field));
            steps.push(Op::Assign { dst: place, src: value });
            back.push(Op::Assign { dst: field, src: self.program.load_var(old) });
        }
        steps.extend(back);
        let dst = self.program.field(base, number);
        steps.push(Op::Assign { dst, src: self.program.load_var(new) });
        Some(steps)
    }

    /// The same place, reached without reading anything again.
    fn fixed(&mut self, place: PlaceId, steps: &mut Vec<Op>) -> PlaceId {
        let mut reads = false;
        crate::sharing::for_each_load_on_the_way(self.program, place, &mut |_| reads = true);
        if !reads {
            return place;
        }
        let address = self.program.address_of(place);
        let own = self.temporary(self.program.expr_ty(address));
        let dst = self.program.var_place(own);
        steps.push(Op::Assign { dst, src: address });
        let pointer = self.program.load_var(own);
        self.program.deref(pointer)
    }

    /// Whether a place is a structure that is copied in parts, and perhaps others see it.
    fn is_torn(&self, place: PlaceId) -> bool {
        let ty = self.program.place_ty(place);
        let is_structure =
            matches!(self.program.types.get(ty), Type::Record(_) | Type::Array { .. });
        let is_left = self.has_atomic && self.program.types.size(ty) <= WORD;
        is_structure && !is_left && self.sharing.is_shared(self.program, place)
    }

    fn reads_torn(&self, value: ExprId) -> bool {
        match self.program.exprs.expr(value).kind {
            ExprKind::Load(place) => self.is_torn(place),
            _ => false,
        }
    }

    /// Whether a place is in a variable of the function that nobody else can reach.
    fn is_private(&self, place: PlaceId) -> bool {
        self.program.exprs.root_var(place).is_some_and(|var| {
            let info = &self.program.vars[var];
            !matches!(info.storage, Storage::Static { .. }) && !info.address_taken
        })
    }

    fn temporary(&mut self, ty: TypeId) -> VarId {
        let name = format!(".part{}", self.count);
        self.count += 1;
        let storage = Storage::Local(self.func);
        let var = Var { name, ty, storage, address_taken: false, span: Span::NONE };
        let var = self.program.vars.push(var);
        self.program.funcs[self.func].locals.push(var);
        var
    }
}

/// The other bit-fields of the memory location of one: all that lie between the same ordinary members.
fn neighbours(program: &Program, id: RecordId, number: u32) -> Vec<u32> {
    let fields = &program.types.record(id).fields;
    let is_bits = |at: usize| fields[at].bits.is_some();
    // A member of no width ends the location: the next one begins in another unit of its type.
    let apart = |at: usize| {
        let (one, other) = (&fields[at], &fields[at + 1]);
        let end = one.offset * 8
            + one.bits.map_or(0, |bits| u64::from(bits.shift) + u64::from(bits.width));
        let start = other.offset * 8 + other.bits.map_or(0, |bits| u64::from(bits.shift));
        start != end
    };
    let (mut first, mut last) = (number as usize, number as usize);
    while first > 0 && is_bits(first - 1) && !apart(first - 1) {
        first -= 1;
    }
    while last + 1 < fields.len() && is_bits(last + 1) && !apart(last) {
        last += 1;
    }
    (first..=last).filter(|&at| at != number as usize).map(|at| at as u32).collect()
}

/// Notes where an access that is several steps of the machine is one here, and others may see between.
pub(crate) fn note_whole(program: &mut Program, entry: FuncId, sharing: &Sharing) {
    let beside = Beside::of(program, entry, sharing);
    let word = program.types.target().pointer_bits();
    let mut found = None;
    for (func, function) in program.funcs.iter_ids() {
        let Some(body) = &function.body else { continue };
        for (id, edge) in body.edges().iter_ids() {
            if !beside.contains(func, body, id) || found.is_some() {
                continue;
            }
            let copies = matches!(&edge.op, Op::Call(call) if copies(program, call));
            if copies && sharing.call_touches_shared(program, func, id) {
                found = Some((edge.span, "a function of the library accesses what threads share"));
            }
            for_each_place(program, &edge.op, &mut |place, _| {
                let is_wide = match program.types.get(program.place_ty(place)) {
                    Type::Int { bits, .. } => *bits > word,
                    Type::Float(kind) => matches!(kind, FloatKind::X87 | FloatKind::F128),
                    Type::Record(_) | Type::Array { .. } => {
                        program.types.size(program.place_ty(place)) > WORD
                    }
                    _ => false,
                };
                if is_wide && found.is_none() && sharing.is_shared(program, place) {
                    found = Some((edge.span, "what threads share is wider than a word"));
                }
            });
        }
    }
    if let Some((span, what)) = found {
        let message = format!("{what}: it is accessed in one step here");
        program.add_note(Note { kind: Note::NOT_COVERED, message, span });
    }
}

/// Functions of the library that access many bytes.
fn copies(program: &Program, call: &Call) -> bool {
    let Callee::Direct(func) = call.callee else { return false };
    let function = &program.funcs[func];
    let library = classify(source_name(&function.name), program.types.target());
    let accesses = matches!(
        library,
        Library::MemCopy | Library::MemSet | Library::MemRead | Library::MemWrite
    );
    function.body.is_none() && accesses
}

/// What may run while there is more than one thread.
struct Beside {
    entry: FuncId,
    functions: BTreeSet<FuncId>,
    /// The locations of the entry that lie behind a call that makes threads.
    locations: BTreeSet<LocId>,
}

impl Beside {
    fn of(program: &Program, entry: FuncId, sharing: &Sharing) -> Self {
        let calls = sharing.calls();
        let spawn = program.funcs.ids().find(|&f| crate::sharing::is_spawn(program, f));
        let mut functions = BTreeSet::new();
        let mut work: Vec<FuncId> = spawn.iter().flat_map(|&f| calls.callees(f).to_vec()).collect();
        // Who may make threads.
        let mut makers = BTreeSet::new();
        let mut callers: Vec<FuncId> = spawn.into_iter().collect();
        while let Some(func) = callers.pop() {
            if makers.insert(func) {
                callers.extend(calls.callers(func));
            }
        }
        let mut locations = BTreeSet::new();
        if let Some(body) = &program.funcs[entry].body {
            let may_make = |op: &Op| match op {
                Op::Call(Call { callee: Callee::Direct(func), .. }) => makers.contains(func),
                Op::Call(_) => true,
                _ => false,
            };
            let mut open: Vec<LocId> =
                body.edges().iter().filter(|edge| may_make(&edge.op)).map(|edge| edge.to).collect();
            while let Some(loc) = open.pop() {
                if locations.insert(loc) {
                    open.extend(body.out_edges(loc).iter().map(|&edge| body.edge(edge).to));
                }
            }
            for edge in body.edges().iter().filter(|edge| locations.contains(&edge.from)) {
                match &edge.op {
                    Op::Call(Call { callee: Callee::Direct(func), .. }) => work.push(*func),
                    Op::Call(_) => work.extend(calls.callees(entry)),
                    _ => {}
                }
            }
        }
        work.extend(makers.into_iter().filter(|&func| func != entry));
        while let Some(func) = work.pop() {
            if functions.insert(func) {
                work.extend(calls.callees(func));
            }
        }
        Self { entry, functions, locations }
    }

    fn contains(&self, func: FuncId, body: &Cfa, edge: EdgeId) -> bool {
        self.functions.contains(&func)
            || (func == self.entry && self.locations.contains(&body.edge(edge).from))
    }
}

/// Notes where data races of atomic operations are not looked for: with plain accesses to the same memory
/// (C17 5.1.2.4p35), and where nothing but a relaxed operation orders others.
pub(crate) fn note_atomics(program: &mut Program, entry: FuncId, sharing: &Sharing) {
    let beside = Beside::of(program, entry, sharing);
    let (mut atomic, mut found) = (SparseSet::new(), None);
    let mut plain: Vec<(PlaceId, Span)> = Vec::new();
    for (func, function) in program.funcs.iter_ids() {
        let Some(body) = &function.body else { continue };
        for (id, edge) in body.edges().iter_ids() {
            if !beside.contains(func, body, id) {
                continue;
            }
            if let Op::Call(call) = &edge.op
                && is_atomic(program, call)
            {
                atomic.union_with(&sharing.shared_cells_of_call(program, func, id));
                if found.is_none() && is_relaxed(program, call) {
                    found = Some((edge.span, "a relaxed operation orders no other accesses"));
                }
                continue;
            }
            for_each_place(program, &edge.op, &mut |place, _| plain.push((place, edge.span)));
        }
    }
    for (place, span) in plain {
        if found.is_none() && sharing.points_to().cells(program, place).intersects(&atomic) {
            found = Some((span, "what atomic operations access is accessed without them"));
        }
    }
    if let Some((span, what)) = found {
        let message = format!("{what}: such data races are not looked for");
        program.add_note(Note { kind: Note::NOT_COVERED, message, span });
    }
}

fn is_atomic(program: &Program, call: &Call) -> bool {
    let Callee::Direct(func) = call.callee else { return false };
    let function = &program.funcs[func];
    let library = classify(source_name(&function.name), program.types.target());
    function.body.is_none() && library == Library::Atomic
}
