//! Functions of the library that do something to memory.
//!
//! Copies and fills of constant size go scalar by scalar, in the layout of what the pointers point
//! to. Where a size is not known or large, the contents of what may be written are any from then
//! on, which allows more than happens and is said so. Allocation hands out addresses in order, as
//! the interpreter does, and never the same twice.

use super::leaves::{LEAF_LIMIT, Leaf, UnionMembers, leaves, padding};
use super::partition::raw;
use super::partitioned::{Located, Partitioned};
use super::{LibraryCall, Returned};
use crate::encode::aliases::{Object, Target, Targets, is_code_pointer};
use crate::encode::cells::{Part, Root};
use crate::encode::draft::{Draft, Operand};
use crate::encode::interval::Interval;
use crate::encode::scalar::constant;
use crate::encode::{NotEncoded, Theory};
use gnomon_ir::cfa::{Call, Callee};
use gnomon_ir::expr::{ExprId, ExprKind};
use gnomon_ir::library::{AllocKind, Library, classify, keeps_no_pointer, plain_name, scans};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{Program, source_name};

/// An allocation of more bytes than this may fail.
const LARGE: u64 = 1 << 29;

/// An allocation of more bytes than this fails.
const TOO_LARGE: u64 = 1 << 30;

/// A copy or fill.
struct Bytes {
    /// Where to.
    to: ExprId,
    /// Where from; `None` if it is a fill.
    from: Option<ExprId>,
    /// The byte it is filled with; `None` is zero.
    byte: Option<ExprId>,
    size: ExprId,
}

impl Bytes {
    fn of(name: &str, args: &[ExprId]) -> Option<Self> {
        match (plain_name(name), args) {
            ("memcpy" | "memmove" | "mempcpy", &[to, from, size, ..]) => {
                Some(Self { to, from: Some(from), byte: None, size })
            }
            ("bcopy", &[from, to, size, ..]) => {
                Some(Self { to, from: Some(from), byte: None, size })
            }
            ("memset", &[to, byte, size, ..]) => {
                Some(Self { to, from: None, byte: Some(byte), size })
            }
            ("bzero", &[to, size, ..]) => Some(Self { to, from: None, byte: None, size }),
            _ => None,
        }
    }

    /// The scalars that are copied or filled, if they are known and not too many.
    fn leaves(&self, program: &Program, unions: &UnionMembers) -> Option<Vec<Leaf>> {
        let size = u64::try_from(program.as_int(self.size)?).ok()?;
        for pointer in [Some(self.to), self.from].into_iter().flatten() {
            if let Some(leaves) = typed_leaves(program, unions, pointer, size) {
                return Some(leaves);
            }
        }
        (size <= LEAF_LIMIT as u64).then(|| (0..size).map(byte_leaf).collect())
    }
}

fn byte_leaf(offset: u64) -> Leaf {
    Leaf { offset, scalar: raw(1), bits: None, way: Vec::new(), indices: Vec::new() }
}

/// The scalars in `size` bytes of what a pointer was before it was converted, with padding.
fn typed_leaves(
    program: &Program,
    unions: &UnionMembers,
    mut pointer: ExprId,
    size: u64,
) -> Option<Vec<Leaf>> {
    while let ExprKind::Cast(inner) = program.exprs.expr(pointer).kind {
        if !program.types.is_pointer(program.expr_ty(inner)) {
            break;
        }
        pointer = inner;
    }
    let to = program.types.pointee(program.expr_ty(pointer))?;
    let stride = program.types.size(to);
    if stride <= 1 || !size.is_multiple_of(stride) || size == 0 {
        return None;
    }
    let mut one = leaves(program, unions, to).ok()?;
    let gaps = padding(&one, stride);
    one.extend(gaps.into_iter().map(byte_leaf));
    let count = size / stride;
    if (one.len() as u64).saturating_mul(count) > LEAF_LIMIT as u64 {
        return None;
    }
    let moved = |at: u64| {
        one.iter().map(move |leaf| Leaf { offset: leaf.offset + at * stride, ..leaf.clone() })
    };
    Some((0..count).flat_map(moved).collect())
}

/// Tells of every scalar that a call of the library accesses: behind which pointer, at which
/// offset, of what size and type.
pub(super) fn accesses(
    program: &Program,
    unions: &UnionMembers,
    call: &Call,
    found: &mut dyn FnMut(ExprId, u64, u64, Scalar),
) {
    let Callee::Direct(func) = call.callee else { return };
    let function = &program.funcs[func];
    if function.body.is_some() {
        return;
    }
    let name = source_name(&function.name);
    let Some(bytes) = Bytes::of(name, &call.args) else { return };
    for leaf in bytes.leaves(program, unions).unwrap_or_default() {
        let size = leaf.size();
        let scalar = if leaf.bits.is_some() { raw(size) } else { leaf.scalar };
        for pointer in [Some(bytes.to), bytes.from].into_iter().flatten() {
            found(pointer, leaf.offset, size, scalar);
        }
    }
}

/// The pointers behind which a call of the library reads or writes.
pub(super) fn pointers(program: &Program, call: &Call) -> Vec<ExprId> {
    let pointers = || {
        let is_pointer = |arg: &ExprId| program.types.is_pointer(program.expr_ty(*arg));
        call.args.iter().copied().filter(is_pointer).collect()
    };
    // It may be a function of the environment.
    let Callee::Direct(func) = call.callee else { return pointers() };
    let function = &program.funcs[func];
    if function.body.is_some() {
        return Vec::new();
    }
    match classify(source_name(&function.name), program.types.target()) {
        Library::MemCopy
        | Library::MemSet
        | Library::MemRead
        | Library::MemWrite
        | Library::Atomic
        | Library::Free
        | Library::Unknown
        | Library::Alloc(_) => pointers(),
        _ => Vec::new(),
    }
}

fn objects_of(targets: &[Target]) -> Vec<Object> {
    let mut objects: Vec<Object> = targets.iter().map(|target| target.object).collect();
    objects.dedup();
    objects
}

/// Whether a pointer, before it was converted, is to numbers.
fn is_number_behind(program: &Program, mut pointer: ExprId) -> bool {
    while let ExprKind::Cast(inner) = program.exprs.expr(pointer).kind
        && program.types.is_pointer(program.expr_ty(inner))
    {
        pointer = inner;
    }
    let to = program.types.pointee(program.expr_ty(pointer));
    to.is_some_and(|to| program.types.is_scalar(to) && !program.types.is_pointer(to))
}

impl Partitioned<'_> {
    pub(super) fn library_call(
        &mut self,
        draft: &mut Draft<'_>,
        call: &LibraryCall<'_>,
    ) -> Result<Returned, NotEncoded> {
        match call.library {
            Library::Alloc(kind) => self.allocation(draft, call, kind),
            Library::Free => {
                if let [pointer, ..] = call.call.args[..] {
                    self.free(draft, pointer)?;
                }
                Ok(Returned::Any)
            }
            Library::MemCopy | Library::MemSet => self.bytes_call(draft, call),
            Library::Atomic => self.atomic_call(draft, call),
            Library::MemRead => {
                if let Some(returned) = self.string_call(draft, call)? {
                    return Ok(returned);
                }
                draft.approximated.push(format!("the result of `{}` can be any value", call.name));
                let length = match (plain_name(call.name), call.call.args.first()) {
                    ("strlen", Some(&text)) => self.any_length(draft, text),
                    _ => None,
                };
                Ok(length.map_or(Returned::Any, Returned::Value))
            }
            Library::MemWrite => match self.string_call(draft, call)? {
                Some(returned) => Ok(returned),
                None => self.text_written(draft, call),
            },
            Library::Unknown => self.unknown_call(draft, call),
            _ => Err(NotEncoded::Call(format!("the call of `{}`", call.name))),
        }
    }

    /// A function that nothing is known of: it returns anything and writes anything to what it
    /// knows. It calls nothing of the program, which verdicts list, and must not be handed a
    /// function then; where it may call back, it has a body that says so.
    fn unknown_call(
        &mut self,
        draft: &mut Draft<'_>,
        call: &LibraryCall<'_>,
    ) -> Result<Returned, NotEncoded> {
        let name = call.name;
        let plain = plain_name(name);
        draft.approximated.push(format!("what `{name}` does can be anything"));
        // Whoever is handed a function will call it.
        for &arg in &call.call.args {
            let Targets::Known(targets) = self.pointees.of_pointer(arg) else { continue };
            let is_outside = targets.iter().any(|target| target.object == Object::Outside);
            if is_outside && !is_code_pointer(self.program, arg) {
                continue;
            }
            let function = targets.iter().find_map(|target| match target.object {
                Object::Function(func) if self.program.funcs[func].body.is_some() => Some(func),
                _ => None,
            });
            if let Some(func) = function {
                let callee = source_name(&self.program.funcs[func].name);
                let what = format!("the call of `{name}`, which may call `{callee}`");
                return Err(NotEncoded::Call(what));
            }
        }
        if !keeps_no_pointer(plain) {
            self.havoc_escaped(draft, name)?;
            return Ok(Returned::Any);
        }
        // The stream that is read holds nothing of the program.
        let streams = usize::from(plain == "fscanf");
        for &arg in call.call.args.iter().skip(streams) {
            if !self.program.types.is_pointer(self.program.expr_ty(arg)) {
                continue;
            }
            if scans(plain) && !is_number_behind(self.program, arg) {
                return Err(NotEncoded::Call(format!("the call of `{name}` with such arguments")));
            }
            match self.pointees.of_pointer(arg) {
                Targets::Known(targets) => self.havoc_objects(draft, &objects_of(&targets))?,
                Targets::Anything => self.havoc_escaped(draft, name)?,
            }
        }
        Ok(Returned::Any)
    }

    /// Any contents for everything that code outside may know.
    fn havoc_escaped(&mut self, draft: &mut Draft<'_>, name: &str) -> Result<(), NotEncoded> {
        let Some(escaped) = self.escaped.clone() else {
            return Err(NotEncoded::Call(format!("the call of `{name}`")));
        };
        self.havoc_objects(draft, &escaped)
    }

    fn havoc_objects(
        &mut self,
        draft: &mut Draft<'_>,
        objects: &[Object],
    ) -> Result<(), NotEncoded> {
        let mut writable = objects.to_vec();
        writable.retain(|&object| !self.is_read_only(object));
        for &object in &writable {
            if let Object::Variable(var) = object
                && !self.pointees.owns(var)
            {
                let part = Part::whole(Root::Var(var), self.program.vars[var].ty);
                for (_, cell) in draft.cells(&part)? {
                    draft.havoc_cell(&cell, &[]);
                }
            }
        }
        self.havoc_classes_of(draft, writable.into_iter());
        Ok(())
    }

    /// Where a pointer argument points.
    fn behind(&mut self, draft: &mut Draft<'_>, pointer: ExprId) -> Result<Located, NotEncoded> {
        let Targets::Known(targets) = self.pointees.of_pointer(pointer) else {
            return Err(NotEncoded::Memory(
                "an access through a pointer that may point to anything".into(),
            ));
        };
        Ok(Located { address: draft.value(self, pointer)?, targets })
    }

    // --- allocation ----------------------------------------------------------------------------

    /// An integer as `size_t`.
    pub(super) fn as_size(
        &self,
        draft: &mut Draft<'_>,
        value: &Operand,
        scalar: Scalar,
    ) -> Result<Operand, NotEncoded> {
        if let Scalar::Float(_) = scalar {
            return Err(NotEncoded::Type("a size that is no integer".into()));
        }
        Ok(match draft.theory {
            Theory::Int => draft.int_cast(scalar, self.pointer(), value),
            Theory::Bits => draft.bits_cast(scalar, self.pointer(), value.term),
        })
    }

    /// The address of a new object of known size.
    pub(super) fn hand_out(
        &mut self,
        draft: &mut Draft<'_>,
        size: u64,
    ) -> Result<Operand, NotEncoded> {
        let size = self.fixed_address(draft, size);
        self.hand_out_any(draft, &size)
    }

    /// The address of a new object. No run goes on where there is no room.
    pub(super) fn hand_out_any(
        &mut self,
        draft: &mut Draft<'_>,
        size: &Operand,
    ) -> Result<Operand, NotEncoded> {
        let (heap, next) = self.next_address(draft, size);
        let cell = self.heap_cell(draft);
        draft.write_cell(&cell, &[], next);
        self.remember_allocation(draft, &heap);
        Ok(heap)
    }

    /// The address for an object of that size, and the one behind it. It is added that there is
    /// room.
    fn next_address(&mut self, draft: &mut Draft<'_>, size: &Operand) -> (Operand, Operand) {
        let heap = self.heap(draft);
        let room = self.room(draft, size);
        let limit = self.fixed_address(draft, TOO_LARGE);
        let end = self.fixed_address(draft, self.layout.heap_end);
        let next = match draft.theory {
            Theory::Int => {
                let fits = draft.terms.le(size.term, limit.term);
                draft.add(fits);
                let next = draft.terms.add(heap.term, room.term);
                let inside = draft.terms.le(next, end.term);
                draft.add(inside);
                let bounds = Interval::new(self.layout.heap_start, self.layout.heap_end);
                let known = heap.interval(self.pointer()).add(&room.interval(self.pointer()));
                Operand::int(next, known.meet(&bounds).unwrap_or(bounds))
            }
            Theory::Bits => {
                let fits = draft.terms.bv_ule(size.term, limit.term);
                draft.add(fits);
                let next = draft.terms.bv_add(heap.term, room.term);
                let inside = draft.terms.bv_ule(next, end.term);
                draft.add(inside);
                Operand::bits(next)
            }
        };
        (heap, next)
    }

    /// The addresses that an object of a size takes, with the distance to the next.
    fn room(&self, draft: &mut Draft<'_>, size: &Operand) -> Operand {
        let pointer = self.pointer();
        if let Some(known) = draft.terms.value(size.term).and_then(|n| u64::try_from(n).ok()) {
            let room = super::layout::Layout::room(known);
            return self.fixed_address(draft, room);
        }
        let [zero, one, more, grain] = [0, 1, 31, 16].map(|n| self.fixed_address(draft, n).term);
        let empty = draft.terms.eq(size.term, zero);
        let bytes = draft.terms.ite(empty, one, size.term);
        match draft.theory {
            Theory::Int => {
                let most = draft.terms.add(bytes, more);
                let grains = draft.terms.div(most, grain);
                let interval = size.interval(pointer).add(&Interval::new(0, 32));
                Operand::int(draft.terms.mul_by(16, grains), interval)
            }
            Theory::Bits => {
                let most = draft.terms.bv_add(bytes, more);
                let mask = draft.terms.bv(15, u32::from(pointer.width()));
                let mask = draft.terms.bv_not(mask);
                Operand::bits(draft.terms.bv_and(most, mask))
            }
        }
    }

    fn allocation(
        &mut self,
        draft: &mut Draft<'_>,
        call: &LibraryCall<'_>,
        kind: AllocKind,
    ) -> Result<Returned, NotEncoded> {
        let size = self.requested_size(draft, call, kind)?;
        let known = draft.terms.value(size.term).and_then(|n| u64::try_from(n).ok());
        let largest = Interval::new(0, TOO_LARGE);
        if known.is_none_or(|n| n > TOO_LARGE)
            && !size.interval.as_ref().is_some_and(|interval| largest.contains(interval))
        {
            self.assumptions.insert("no more than 1 GiB is allocated at once".into());
        }
        if kind == AllocKind::Alloca {
            return Ok(Returned::Value(self.hand_out_any(draft, &size)?));
        }
        // Resizing to nothing frees, and gives null.
        let may_be_null_for_nothing = kind == AllocKind::Realloc;
        let always = !self.options.allocation_may_fail
            && known.is_some_and(|n| n <= LARGE && !(may_be_null_for_nothing && n == 0));
        let address = if always {
            self.hand_out_any(draft, &size)?
        } else {
            let old_heap = self.heap(draft);
            let failed = draft.unknown("failed", Scalar::Bool);
            let one = constant(draft.terms, draft.theory, Scalar::Bool, 1);
            let failed = draft.terms.eq(failed.term, one);
            let null = self.fixed_address(draft, 0);
            if !self.options.allocation_may_fail {
                let large = self.fixed_address(draft, LARGE);
                let mut reasons = vec![match draft.theory {
                    Theory::Int => draft.terms.lt(large.term, size.term),
                    Theory::Bits => draft.terms.bv_ult(large.term, size.term),
                }];
                if may_be_null_for_nothing {
                    reasons.push(draft.terms.eq(size.term, null.term));
                }
                let reason = draft.terms.or(&reasons);
                let only_then = draft.terms.implies(failed, reason);
                draft.add(only_then);
            }
            // Facts of the success hold for an object of no bytes in the other case.
            let taken = draft.terms.ite(failed, null.term, size.term);
            let taken = Operand { term: taken, interval: size.interval.clone() };
            let taken = match (draft.theory, taken.interval) {
                (Theory::Int, Some(interval)) => {
                    Operand::int(taken.term, interval.join(&Interval::point(0)))
                }
                (_, interval) => Operand { term: taken.term, interval },
            };
            let (heap, next) = self.next_address(draft, &taken);
            let next_term = draft.terms.ite(failed, old_heap.term, next.term);
            let cell = self.heap_cell(draft);
            let bounds = Interval::new(self.layout.heap_start, self.layout.heap_end);
            let next = match draft.theory {
                Theory::Int => Operand::int(next_term, bounds.clone()),
                Theory::Bits => Operand::bits(next_term),
            };
            draft.write_cell(&cell, &[], next);
            self.remember_allocation(draft, &heap);
            let address = draft.terms.ite(failed, null.term, heap.term);
            match draft.theory {
                Theory::Int => Operand::int(address, Interval::new(0, self.layout.heap_end)),
                Theory::Bits => Operand::bits(address),
            }
        };
        match kind {
            AllocKind::Calloc => self.zero_new(draft, call, &address, known),
            AllocKind::Realloc | AllocKind::Duplicate => draft
                .approximated
                .push(format!("the contents of what `{}` gives can be any", call.name)),
            AllocKind::Malloc | AllocKind::Aligned | AllocKind::Alloca => {}
        }
        Ok(Returned::Value(address))
    }

    fn size(&mut self, draft: &mut Draft<'_>, e: ExprId) -> Result<Operand, NotEncoded> {
        let scalar = self.scalar_type(self.program.expr_ty(e))?;
        let value = draft.value(self, e)?;
        self.as_size(draft, &value, scalar)
    }

    fn requested_size(
        &mut self,
        draft: &mut Draft<'_>,
        call: &LibraryCall<'_>,
        kind: AllocKind,
    ) -> Result<Operand, NotEncoded> {
        let wrong = || NotEncoded::Call(format!("`{}` with other arguments", call.name));
        let args = &call.call.args;
        let arg = |position: usize| args.get(position).copied().ok_or_else(wrong);
        match kind {
            AllocKind::Malloc | AllocKind::Alloca => self.size(draft, arg(0)?),
            AllocKind::Realloc => {
                let size = self.size(draft, arg(1)?)?;
                if let Some(&old) = args.first() {
                    self.free(draft, old)?;
                }
                Ok(size)
            }
            AllocKind::Calloc => {
                let (count, each) = (self.size(draft, arg(0)?)?, self.size(draft, arg(1)?)?);
                self.product(draft, &count, &each)
            }
            AllocKind::Aligned => {
                let align = args.first().and_then(|&a| self.program.as_int(a));
                if !align.is_some_and(|a| (1..=16).contains(&a)) {
                    return Err(NotEncoded::Call(format!(
                        "`{}` with a large alignment",
                        call.name
                    )));
                }
                self.size(draft, arg(1)?)
            }
            AllocKind::Duplicate => {
                draft.approximated.push(format!("`{}` gives an object of any size", call.name));
                Ok(draft.unknown("size", self.pointer()))
            }
        }
    }

    /// A product that is a size; where it does not fit, it is too large to be had anyway.
    fn product(
        &self,
        draft: &mut Draft<'_>,
        a: &Operand,
        b: &Operand,
    ) -> Result<Operand, NotEncoded> {
        let pointer = self.pointer();
        match draft.theory {
            Theory::Int => {
                if draft.terms.value(a.term).is_none() && draft.terms.value(b.term).is_none() {
                    draft.approximated.push("`calloc` gives an object of any size".into());
                    return Ok(draft.unknown("size", pointer));
                }
                let product = draft.terms.mul(a.term, b.term);
                let interval = a.interval(pointer).mul(&b.interval(pointer));
                Ok(Operand::int(product, interval))
            }
            Theory::Bits => {
                let width = u32::from(pointer.width());
                let (x, y) = (
                    draft.terms.zero_extend(width, a.term),
                    draft.terms.zero_extend(width, b.term),
                );
                let exact = draft.terms.bv_mul(x, y);
                let high = draft.terms.extract(2 * width - 1, width, exact);
                let low = draft.terms.extract(width - 1, 0, exact);
                let none = draft.terms.bv(0, width);
                let fits = draft.terms.eq(high, none);
                let most = draft.terms.bv_not(none);
                Ok(Operand::bits(draft.terms.ite(fits, low, most)))
            }
        }
    }

    /// The new object is zero.
    fn zero_new(
        &mut self,
        draft: &mut Draft<'_>,
        call: &LibraryCall<'_>,
        address: &Operand,
        size: Option<u64>,
    ) {
        let mut left_open = false;
        let objects: Vec<Object> = self
            .partition
            .objects()
            .filter(|object| {
                matches!(object, Object::Allocated { function, edge, .. }
                    if *function == call.caller && *edge == call.edge)
            })
            .collect();
        for object in objects {
            for class in self.partition.of_object(object).to_vec() {
                let offsets = size.and_then(|size| self.element_offsets(class, object, size));
                let Some(offsets) = offsets else {
                    left_open = true;
                    continue;
                };
                let cell = self.cell(draft, class);
                let zero = constant(draft.terms, draft.theory, cell.scalar, 0);
                for offset in offsets {
                    let at = self.further(draft, address, offset as i64);
                    draft.write_cell(&cell, &[at.term], Operand::bits(zero));
                }
            }
        }
        if left_open {
            draft.approximated.push(format!("the contents of what `{}` gives", call.name));
        }
    }

    /// Only null and what was allocated can be freed.
    fn free(&mut self, draft: &mut Draft<'_>, pointer: ExprId) -> Result<(), NotEncoded> {
        let address = draft.value(self, pointer)?;
        let null = self.fixed_address(draft, 0);
        let is_null = draft.terms.eq(address.term, null.term);
        let low = self.fixed_address(draft, self.layout.heap_start);
        let heap = self.heap(draft);
        let high = self.further(draft, &heap, -1);
        let allocated = self.between(draft, low.term, address.term, high.term);
        let either = draft.terms.or2(is_null, allocated);
        draft.add(either);
        Ok(())
    }

    // --- bytes ---------------------------------------------------------------------------------

    fn bytes_call(
        &mut self,
        draft: &mut Draft<'_>,
        call: &LibraryCall<'_>,
    ) -> Result<Returned, NotEncoded> {
        let Some(bytes) = Bytes::of(call.name, &call.call.args) else {
            return Err(NotEncoded::Call(format!("`{}` with other arguments", call.name)));
        };
        let to = self.behind(draft, bytes.to)?;
        match bytes.leaves(self.program, &self.unions) {
            Some(leaves) => {
                let values = self.new_values(draft, &bytes, &leaves)?;
                for (leaf, value) in leaves.iter().zip(&values) {
                    self.write_at(draft, &to, leaf.offset, (leaf.scalar, leaf.bits), value)?;
                }
            }
            None => {
                draft.approximated.push(format!("what `{}` writes can be anything", call.name));
                self.havoc_targets(draft, &to);
            }
        }
        if plain_name(call.name) != "mempcpy" {
            return Ok(Returned::Value(to.address));
        }
        let size = self.program.as_int(bytes.size).and_then(|n| i64::try_from(n).ok());
        Ok(match size {
            Some(size) => Returned::Value(self.further(draft, &to.address, size)),
            None => Returned::Any,
        })
    }

    fn new_values(
        &mut self,
        draft: &mut Draft<'_>,
        bytes: &Bytes,
        leaves: &[Leaf],
    ) -> Result<Vec<Operand>, NotEncoded> {
        let mut values = Vec::with_capacity(leaves.len());
        if let Some(from) = bytes.from {
            let from = self.behind(draft, from)?;
            for leaf in leaves {
                let value = self.read_at(draft, &from, leaf.offset, leaf.scalar, leaf.bits)?;
                values.push(value);
            }
            return Ok(values);
        }
        let byte = match bytes.byte {
            None => {
                let zero = constant(draft.terms, draft.theory, raw(1), 0);
                match draft.theory {
                    Theory::Int => Operand::int(zero, Interval::point(0)),
                    Theory::Bits => Operand::bits(zero),
                }
            }
            Some(byte) => {
                let scalar = self.scalar_type(self.program.expr_ty(byte))?;
                let value = draft.value(self, byte)?;
                match draft.theory {
                    Theory::Int => draft.int_cast(scalar, raw(1), &value),
                    Theory::Bits => draft.bits_cast(scalar, raw(1), value.term),
                }
            }
        };
        for leaf in leaves {
            let size = leaf.size();
            let pattern = self.repeated_byte(draft, &byte, size);
            values.push(match leaf.bits {
                None => draft.same_bits(pattern, raw(size), leaf.scalar)?,
                Some(field) => {
                    let (low, width) = (u32::from(field.shift), u32::from(field.width));
                    let part = draft.bits_of_pattern(&pattern, low, width);
                    let kept = Scalar::Int { bits: width as u16, signed: false };
                    match draft.theory {
                        Theory::Int => part,
                        Theory::Bits => {
                            let width = u32::from(leaf.scalar.width());
                            Operand::bits(draft.resize(kept, width, part.term))
                        }
                    }
                }
            });
        }
        Ok(values)
    }

    /// Any contents in all objects that a location may be in.
    fn havoc_targets(&mut self, draft: &mut Draft<'_>, located: &Located) {
        self.havoc_classes_of(draft, located.targets.iter().map(|target| target.object));
    }

    /// Any contents for all classes of memory that objects have a part in.
    fn havoc_classes_of(&mut self, draft: &mut Draft<'_>, objects: impl Iterator<Item = Object>) {
        let mut classes: Vec<_> =
            objects.flat_map(|object| self.partition.of_object(object).to_vec()).collect();
        classes.sort_unstable();
        classes.dedup();
        for class in classes {
            let cell = self.cell(draft, class);
            draft.havoc_cell(&cell, &[]);
        }
        draft.memo.clear();
    }

    /// `strcpy`, `sprintf` and the like.
    fn text_written(
        &mut self,
        draft: &mut Draft<'_>,
        call: &LibraryCall<'_>,
    ) -> Result<Returned, NotEncoded> {
        let [to, ..] = call.call.args[..] else {
            return Err(NotEncoded::Call(format!("`{}` without arguments", call.name)));
        };
        let to = self.behind(draft, to)?;
        draft.approximated.push(format!("what `{}` writes can be anything", call.name));
        self.havoc_targets(draft, &to);
        Ok(match plain_name(call.name) {
            "strcpy" | "strncpy" | "strcat" | "strncat" => Returned::Value(to.address),
            _ => Returned::Any,
        })
    }
}
