//! Operations on edges, and functions without a body.
//!
//! A function of which little is known is taken to do more than it does: it returns anything, and
//! leaves anything in all of memory. What is proved then holds for what it really does.

use gnomon_ir::cfa::{Call, Callee, Op};
use gnomon_ir::expr::ExprKind;
use gnomon_ir::library::{AllocKind, Library, NondetKind, classify, plain_name};
use gnomon_ir::program::{FuncId, source_name};
use gnomon_ir::types::Type;
use gnomon_logic::{Sort, Term};

use crate::certificate::{AliasObject, Offset};
use crate::machine::{Contents, Followed, Machine, Overwritten, not_followed};
use crate::parts::PartId;
use crate::state::{Slot, State};

/// The largest allocation.
const MAX_ALLOCATION: u64 = 1 << 30;

/// Whether a run goes on behind an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goes {
    /// To the end of the edge.
    On,
    /// Nowhere: the run ends.
    Nowhere,
}

impl Machine<'_> {
    /// An operation that is no call.
    pub fn operation(&mut self, state: &mut State, func: FuncId, op: &Op) -> Followed<()> {
        match op {
            Op::Skip => {}
            Op::Assume(condition) => {
                let truth = self.truth(state, *condition)?;
                state.assume(&mut self.terms, truth);
            }
            Op::Assign { dst, src } => {
                if self.program.types.is_scalar(self.program.place_ty(*dst)) {
                    let value = self.expr(state, *src)?;
                    self.store(state, *dst, value)?;
                } else {
                    self.copy(state, *dst, *src)?;
                }
            }
            Op::Return(None) => {}
            Op::Return(Some(value)) => {
                let ty = self.program.expr_ty(*value);
                if self.program.types.is_scalar(ty) {
                    let value = self.expr(state, *value)?;
                    state.values.insert(Slot::Result(func), value);
                } else if *self.program.types.get(ty) != Type::Void {
                    self.return_record(state, func, *value)?;
                }
            }
            Op::Havoc(place) => {
                let ty = self.program.place_ty(*place);
                if self.program.types.is_scalar(ty) {
                    let any = self.any_number(ty)?;
                    self.store(state, *place, any)?;
                } else {
                    let size = self.copy_size(ty)?;
                    let any: Vec<Term> =
                        (0..size).map(|_| self.fresh("byte", Sort::BitVec(8))).collect();
                    self.store_bytes(state, *place, &any)?;
                }
            }
            Op::HavocMemory => self.forget_memory(state),
            Op::Declare(var) => self.forget(state, *var)?,
            Op::Alloca { dst, size } => {
                let size = self.expr(state, *size)?;
                let address = self.allocate(state, size);
                self.store(state, *dst, address)?;
            }
            Op::Call(_) => return not_followed("a call"),
            Op::VaStart(_) | Op::VaArg { .. } | Op::VaCopy { .. } | Op::VaEnd(_) => {
                return not_followed("variable arguments");
            }
        }
        Ok(())
    }

    fn return_record(
        &mut self,
        state: &mut State,
        func: FuncId,
        value: gnomon_ir::expr::ExprId,
    ) -> Followed<()> {
        let size = self.copy_size(self.program.expr_ty(value))?;
        let bytes = match self.program.exprs.expr(value).kind {
            ExprKind::Load(place) => self.load_bytes(state, place, size)?,
            ExprKind::Zero => vec![self.terms.bv(0, 8); size as usize],
            _ => return not_followed("a record that is computed"),
        };
        let sort = self.bytes_sort();
        let mut array = self.fresh("record", sort);
        for (offset, byte) in bytes.into_iter().enumerate() {
            let at = self.terms.bv(offset as u64, 64);
            array = self.terms.store(array, at, byte);
        }
        state.values.insert(Slot::ResultBytes(func), array);
        Ok(())
    }

    /// Any number of a type.
    fn any_number(&mut self, ty: gnomon_ir::types::TypeId) -> Followed<Term> {
        let width = self.scalar(ty)?.width();
        let any = self.fresh("any", Sort::BitVec(width.into()));
        if *self.program.types.get(ty) == Type::Bool {
            let one = self.terms.bv(1, 8);
            let truth = self.terms.bv_ule(any, one);
            self.background.push(truth);
        }
        Ok(any)
    }

    /// Any contents for all parts of memory with something that code outside may know.
    fn forget_escaped(&mut self, state: &mut State) {
        let Some(escaped) = self.escaped.take() else { return self.forget_memory(state) };
        let known = self.parts.ids().filter(|part| self.parts.has_some(*part, &escaped));
        for part in known.collect::<Vec<_>>() {
            let any = self.any(Slot::Memory(part));
            state.values.insert(Slot::Memory(part), any);
        }
        self.escaped = Some(escaped);
    }

    fn forget_memory(&mut self, state: &mut State) {
        for part in self.parts.ids() {
            let any = self.any(Slot::Memory(part));
            state.values.insert(Slot::Memory(part), any);
        }
    }

    /// A new object: behind all others.
    fn allocate(&mut self, state: &mut State, size: Term) -> Term {
        let size = self.widened(size, 64, false);
        let most = self.terms.bv(MAX_ALLOCATION, 64);
        let fits = self.terms.bv_ule(size, most);
        state.assume(&mut self.terms, fits);
        let (zero, one) = (self.terms.bv(0, 64), self.terms.bv(1, 64));
        let is_empty = self.terms.eq(size, zero);
        let size = self.terms.ite(is_empty, one, size);
        let (gap, mask) = (self.terms.bv(31, 64), self.terms.bv(15, 64));
        let mask = self.terms.bv_not(mask);
        let room = self.terms.bv_add(size, gap);
        let room = self.terms.bv_and(room, mask);
        let address = self.value(state, Slot::HeapEnd);
        let end = self.terms.bv_add(address, room);
        let limit = self.terms.bv(self.layout.heap_end, 64);
        let fits = self.terms.bv_ule(end, limit);
        state.assume(&mut self.terms, fits);
        state.values.insert(Slot::HeapEnd, end);
        if self.remembers {
            let (begins, one) = (self.value(state, Slot::Begins), self.terms.bv(1, 8));
            let begins = self.terms.store(begins, address, one);
            state.values.insert(Slot::Begins, begins);
        }
        self.to_pointer(address)
    }

    /// An object by another function than `malloc`. What it holds can be anything, as that of every new
    /// object: nothing was written there, so memory holds there what was there when the program began.
    /// What was resized is not accessed any more.
    fn allocate_otherwise(
        &mut self,
        state: &mut State,
        kind: AllocKind,
        name: &str,
        call: &Call,
    ) -> Followed<Term> {
        let align = call.args.first().and_then(|&align| self.program.as_int(align));
        let size = match (kind, &call.args[..]) {
            (AllocKind::Realloc, &[_, size]) => self.expr(state, size)?,
            (AllocKind::Aligned, &[_, size]) if align.is_some_and(|a| (1..=16).contains(&a)) => {
                let size = self.expr(state, size)?;
                return Ok(self.allocate(state, size));
            }
            (AllocKind::Duplicate, _) => self.fresh("size", Sort::BitVec(64)),
            _ => return not_followed(format!("the call of `{name}`")),
        };
        self.approximated.get_or_insert_with(|| name.to_owned());
        let address = self.allocate(state, size);
        // Resizing to nothing may give null.
        let zero = self.terms.bv(0, self.terms.width(size));
        let is_empty = self.terms.eq(size, zero);
        let any = self.fresh("any", Sort::BitVec(self.terms.width(address)));
        Ok(self.terms.ite(is_empty, any, address))
    }

    /// The call of a function without a body.
    pub fn library(&mut self, state: &mut State, callee: FuncId, call: &Call) -> Followed<Goes> {
        let name = source_name(&self.program.funcs[callee].name);
        let kind = classify(name, self.program.types.target());
        let result = match kind {
            Library::Abort | Library::Exit | Library::Unreachable | Library::Error => {
                return Ok(Goes::Nowhere);
            }
            Library::Assume => {
                if let Some(&condition) = call.args.first() {
                    let truth = self.truth(state, condition)?;
                    state.assume(&mut self.terms, truth);
                }
                None
            }
            Library::Nondet(NondetKind::Bool) => {
                let any = self.fresh("any", Sort::BitVec(8));
                let one = self.terms.bv(1, 8);
                let truth = self.terms.bv_ule(any, one);
                self.background.push(truth);
                Some(any)
            }
            Library::Alloc(AllocKind::Malloc) => {
                let Some(&size) = call.args.first() else { return not_followed("an allocation") };
                let size = self.expr(state, size)?;
                Some(self.allocate(state, size))
            }
            Library::Alloc(AllocKind::Calloc) => Some(self.calloc(state, call)?),
            Library::Alloc(
                kind @ (AllocKind::Realloc | AllocKind::Aligned | AllocKind::Duplicate),
            ) => Some(self.allocate_otherwise(state, kind, name, call)?),
            Library::Alloc(_) | Library::CallsBack => {
                return not_followed(format!("the call of `{name}`"));
            }
            Library::Nondet(_) | Library::Free | Library::Output | Library::Environment => None,
            Library::Pure | Library::MemRead => {
                let known = self.math(state, name, call)?;
                if known.is_none() {
                    self.approximated.get_or_insert_with(|| name.to_owned());
                }
                known
            }
            Library::Atomic => match self.atomic(state, name, call)? {
                Some(result) => result,
                None => return not_followed(format!("the call of `{name}`")),
            },
            Library::MemCopy | Library::MemSet if self.moved_bytes(call).is_some() => {
                Some(self.move_bytes(state, kind, call)?)
            }
            Library::Unknown if self.escaped.is_some() => {
                self.approximated.get_or_insert_with(|| name.to_owned());
                self.forget_escaped(state);
                None
            }
            Library::MemCopy | Library::MemSet | Library::MemWrite | Library::Unknown => {
                self.approximated.get_or_insert_with(|| name.to_owned());
                self.forget_memory(state);
                None
            }
        };
        if let Some(dst) = call.dst {
            let ty = self.program.place_ty(dst);
            let width = u32::from(self.scalar(ty)?.width());
            match result {
                Some(value) => {
                    let value = self.widened(value, width, false);
                    self.store(state, dst, value)?;
                }
                None => {
                    let any = self.any_number(ty)?;
                    self.store(state, dst, any)?;
                }
            }
        }
        Ok(Goes::On)
    }

    /// How many bytes `memcpy`, `memmove` or `memset` writes, if that is a small number.
    fn moved_bytes(&self, call: &Call) -> Option<u64> {
        let &[to, _, size] = &call.args[..] else { return None };
        let ExprKind::Const(size) = self.program.exprs.expr(size).kind else { return None };
        // `mempcpy` and `bcopy` are others.
        let Callee::Direct(callee) = call.callee else { return None };
        let name = plain_name(source_name(&self.program.funcs[callee].name));
        let is_known = matches!(name, "memcpy" | "memmove" | "memset");
        let size = u64::try_from(self.program.exprs.bits(size)).ok();
        let is_pointer = self.program.types.pointee(self.program.expr_ty(to)).is_some();
        size.filter(|size| is_known && is_pointer && *size <= crate::place::MAX_COPY)
    }

    fn move_bytes(&mut self, state: &mut State, kind: Library, call: &Call) -> Followed<Term> {
        let (Some(size), &[to, from, _]) = (self.moved_bytes(call), &call.args[..]) else {
            return not_followed("bytes that are moved");
        };
        let (to, from) = (self.expr(state, to)?, self.expr(state, from)?);
        let (at, slot) = (self.widened(to, 64, false), self.undivided()?);
        let memory = self.value(state, slot);
        let bytes = match kind {
            Library::MemSet => vec![self.terms.extract(7, 0, from); size as usize],
            _ => {
                let from = self.widened(from, 64, false);
                self.read_bytes(memory, from, size)?
            }
        };
        let memory = self.with_bytes(memory, at, &bytes)?;
        state.values.insert(slot, memory);
        Ok(to)
    }

    /// All of memory, where it is not in parts.
    pub fn undivided(&self) -> Followed<Slot> {
        match self.parts.is_one() {
            true => Ok(Slot::Memory(PartId(0))),
            false => not_followed("bytes of an unknown part of memory"),
        }
    }

    /// Clears an array from a position up to where the next object will be.
    fn clear(&mut self, state: &mut State, slot: Slot, from: Term) {
        let to = self.value(state, Slot::HeapEnd);
        self.overwrite(state, slot, (from, to), Contents::Zero);
    }

    /// Writes a range of an array, from a position up to another one.
    pub(crate) fn overwrite(
        &mut self,
        state: &mut State,
        slot: Slot,
        (from, to): (Term, Term),
        contents: Contents,
    ) {
        let (before, after) = (self.value(state, slot), self.any(slot));
        self.overwritten.push(Overwritten { contents, slot, before, after, from, to });
        state.values.insert(slot, after);
    }

    /// What is known of ranges that were written as a whole, at the positions where it may matter.
    pub fn facts_of_overwritten(&mut self) -> Vec<Term> {
        let mut facts = Vec::new();
        for Overwritten { contents, slot, before, after, from, to } in self.overwritten.clone() {
            let zero = self.terms.bv(0, self.element_width(slot));
            let noted = self.noted.clone();
            for (_, at) in noted.into_iter().filter(|(of, _)| *of == Some(slot)) {
                let (above, below) = (self.terms.bv_ule(from, at), self.terms.bv_ult(at, to));
                let inside = self.terms.and2(above, below);
                let held = self.terms.select(after, at);
                let inside_expected = match contents {
                    Contents::Zero => zero,
                    Contents::Any => held,
                };
                let old = self.terms.select(before, at);
                let expected = self.terms.ite(inside, inside_expected, old);
                facts.push(self.terms.eq(held, expected));
            }
        }
        facts
    }

    fn calloc(&mut self, state: &mut State, call: &Call) -> Followed<Term> {
        let [count, size] = call.args[..] else { return not_followed("an allocation") };
        let (count, size) = (self.expr(state, count)?, self.expr(state, size)?);
        let bytes = self.terms.bv_mul(count, size);
        let known = self.terms.value(bytes).and_then(|bytes| u64::try_from(bytes).ok());
        let address = self.allocate(state, bytes);
        let at = self.widened(address, 64, false);
        for part in self.parts.ids() {
            let slot = Slot::Memory(part);
            let Some(known) = known.filter(|bytes| *bytes <= crate::place::MAX_COPY) else {
                self.clear(state, slot, at);
                continue;
            };
            let mut memory = self.value(state, slot);
            let zero = self.terms.bv(0, self.element_width(slot));
            for offset in self.parts.offsets_of_allocated(part, known) {
                let offset = self.terms.bv(offset, 64);
                let at = self.terms.bv_add(at, offset);
                memory = self.terms.store(memory, at, zero);
            }
            state.values.insert(slot, memory);
        }
        Ok(address)
    }

    /// Passes arguments to the parameters of a function with a body.
    pub fn enter(&mut self, state: &mut State, callee: FuncId, call: &Call) -> Followed<()> {
        let function = &self.program.funcs[callee];
        let signature = self.program.types.signature(function.ty);
        let declared = function.params.len();
        // A body that asks for further arguments is not followed.
        if call.args.len() > declared && !signature.is_some_and(|s| s.variadic) {
            return not_followed("arguments that are not declared");
        }
        // All arguments are evaluated before the first parameter changes.
        let mut values = Vec::new();
        for &arg in call.args.iter().take(declared) {
            let ty = self.program.expr_ty(arg);
            values.push(if self.program.types.is_scalar(ty) {
                vec![self.expr(state, arg)?]
            } else {
                let gnomon_ir::expr::ExprKind::Load(place) = self.program.exprs.expr(arg).kind
                else {
                    return not_followed("a record that is computed");
                };
                let size = self.copy_size(ty)?;
                self.load_bytes(state, place, size)?
            });
        }
        for (position, &param) in function.params.iter().enumerate() {
            self.forget(state, param)?;
            let Some(value) = values.get(position) else { continue };
            let ty = self.program.vars[param].ty;
            if let Some(slot @ Slot::Plain(_)) = self.own_slot(param) {
                let width = u32::from(self.scalar(ty)?.width());
                let value = self.widened(value[0], width, false);
                state.values.insert(slot, value);
                continue;
            }
            let (slot, at) = match self.own_slot(param) {
                Some(slot) => (slot, 0),
                None => {
                    let object = AliasObject::Variable(param.0);
                    let size = self.program.types.size(ty);
                    let part = self.parts.holding(object, Offset::at(0), size);
                    let Some(part) = part else { return not_followed("a parameter in parts") };
                    (Slot::Memory(part), self.layout.variable(param))
                }
            };
            let (array, at) = (self.old_value(state, slot), self.terms.bv(at, 64));
            let array = match self.program.types.is_scalar(ty) {
                true => self.written(array, at, value[0])?,
                false => self.with_bytes(array, at, value)?,
            };
            state.values.insert(slot, array);
        }
        // A function that ends without a value returns anything.
        let result = self.program.types.signature(function.ty).map(|s| s.result);
        let slot = match result {
            Some(ty) if self.program.types.is_scalar(ty) => Slot::Result(callee),
            _ => Slot::ResultBytes(callee),
        };
        let any = self.any(slot);
        state.values.insert(slot, any);
        Ok(())
    }

    /// Brings the result of a function with a body to where the caller wants it.
    pub fn leave(&mut self, state: &mut State, callee: FuncId, call: &Call) -> Followed<()> {
        let Some(dst) = call.dst else { return Ok(()) };
        let ty = self.program.place_ty(dst);
        if self.program.types.is_scalar(ty) {
            let value = self.value(state, Slot::Result(callee));
            let width = u32::from(self.scalar(ty)?.width());
            if self.terms.width(value) != width {
                return not_followed("a result of another type");
            }
            return self.store(state, dst, value);
        }
        let size = self.copy_size(ty)?;
        let array = self.value(state, Slot::ResultBytes(callee));
        let mut bytes = Vec::new();
        for offset in 0..size {
            let at = self.terms.bv(offset, 64);
            bytes.push(self.terms.select(array, at));
        }
        self.store_bytes(state, dst, &bytes)
    }
}
