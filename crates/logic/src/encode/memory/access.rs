//! Reading and writing: the classes that an access may be in, and what it does to them.

use super::collect::is_possible;
use super::leaves::{Leaf, access_size, leaves, padding};
use super::partition::{ClassId, Form, Spot, raw};
use super::partitioned::{Located, Partitioned};
use super::patterns::pattern_of;
use super::pointees::bit_field;
use crate::encode::aliases::{Object, Offset, Target, Targets};
use crate::encode::draft::{Draft, Operand};
use crate::encode::interval::Interval;
use crate::encode::scalar::{constant, is_signed};
use crate::encode::{NotEncoded, Theory};
use crate::term::{Sort, Term};
use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::{ExprId, PlaceId};
use gnomon_ir::library::{AllocKind, Library, classify};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{FuncId, Program, Storage, source_name};
use gnomon_ir::types::BitField;
use std::collections::BTreeMap;

/// Of more targets than this, only the first and the last address count as bounds.
const BOUNDS_LIMIT: usize = 32;

/// How an access uses what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    Write,
}

/// One of the classes that an access may be in.
struct Case {
    class: ClassId,
    targets: Vec<Target>,
}

impl Partitioned<'_> {
    // --- cases ---------------------------------------------------------------------------------

    /// Where a place in memory is.
    pub(super) fn locate(
        &mut self,
        draft: &mut Draft<'_>,
        place: PlaceId,
    ) -> Result<Located, NotEncoded> {
        match self.pointees.of_place(self.program, place) {
            Some(Targets::Known(targets)) => {
                let address = self.place_address(draft, place)?;
                Ok(Located { address, targets })
            }
            Some(Targets::Anything) => Err(NotEncoded::Memory(
                "an access through a pointer that may point to anything".into(),
            )),
            None => Err(NotEncoded::Memory("a plain variable as memory".into())),
        }
    }

    /// The classes that `size` bytes at `offset` behind a location may be in.
    fn cases(
        &self,
        located: &Located,
        offset: u64,
        size: u64,
        used: Use,
    ) -> Result<Vec<Case>, NotEncoded> {
        let mut by_class: BTreeMap<(bool, ClassId), Vec<Target>> = BTreeMap::new();
        for target in &located.targets {
            let target = Target { offset: target.offset.moved(offset as i64), ..*target };
            if !is_possible(self.program, &target, size)
                || (used == Use::Write && self.is_read_only(target.object))
            {
                continue;
            }
            let spot = Spot { object: target.object, offset: target.offset, size };
            let Some(class) = self.partition.of_spot(&spot) else {
                return Err(NotEncoded::Memory("an access that was not foreseen".into()));
            };
            // What has no fixed address comes last.
            by_class.entry((!self.is_fixed(target.object), class)).or_default().push(target);
        }
        Ok(by_class.into_iter().map(|((_, class), targets)| Case { class, targets }).collect())
    }

    pub(super) fn is_read_only(&self, object: Object) -> bool {
        matches!(object, Object::Variable(var)
            if matches!(self.program.vars[var].storage, Storage::Static { read_only: true, .. }))
    }

    /// Whether `size` bytes at an address are in one of the targets.
    fn is_within(
        &self,
        draft: &mut Draft<'_>,
        address: &Operand,
        targets: &[Target],
        size: u64,
    ) -> Term {
        if targets.len() > BOUNDS_LIMIT {
            return self.is_among(draft, address, targets, size);
        }
        let mut either = Vec::new();
        for target in targets {
            let condition = match target.object {
                Object::Variable(var) if self.is_fixed(target.object) => {
                    let base = self.layout.variable(var);
                    let bytes = self.program.types.size(self.program.vars[var].ty);
                    match target.offset {
                        Offset::Exact(at) => {
                            let there = self.fixed_address(draft, base + at);
                            draft.terms.eq(address.term, there.term)
                        }
                        Offset::Modulo { .. } => {
                            let low = self.fixed_address(draft, base);
                            let high = self.fixed_address(draft, base + bytes - size);
                            self.between(draft, low.term, address.term, high.term)
                        }
                    }
                }
                Object::Outside => {
                    let (first, end) = self.layout.outside;
                    let low = self.fixed_address(draft, first);
                    let high = self.fixed_address(draft, end - size);
                    self.between(draft, low.term, address.term, high.term)
                }
                _ => {
                    let low = self.fixed_address(draft, self.layout.heap_start);
                    let heap = self.heap(draft);
                    let high = self.further(draft, &heap, -(size as i64));
                    let inside = self.between(draft, low.term, address.term, high.term);
                    let begins = self.begins_before(draft, address, target);
                    draft.terms.and2(inside, begins)
                }
            };
            if !either.contains(&condition) {
                either.push(condition);
            }
        }
        draft.terms.or(&either)
    }

    /// Whether an allocated object begins where the target says, if that is remembered.
    fn begins_before(&self, draft: &mut Draft<'_>, address: &Operand, target: &Target) -> Term {
        let Object::Allocated { function, edge, .. } = target.object else {
            return draft.terms.tt();
        };
        let at = match target.offset {
            Offset::Exact(at) => at,
            // An access inside of an object with a single element.
            Offset::Modulo { remainder, modulus }
                if allocated_size(self.program, function, edge).is_some_and(|s| s <= modulus) =>
            {
                remainder
            }
            Offset::Modulo { .. } => return draft.terms.tt(),
        };
        let Some(cell) = self.beginnings(draft) else { return draft.terms.tt() };
        let base = self.further(draft, address, -(at as i64));
        let begins = draft.read_cell(&cell, &[base.term]);
        let one = constant(draft.terms, draft.theory, cell.scalar, 1);
        draft.terms.eq(begins.term, one)
    }

    /// Whether an address lies between the first and the last of many targets, or was handed out.
    fn is_among(
        &self,
        draft: &mut Draft<'_>,
        address: &Operand,
        targets: &[Target],
        size: u64,
    ) -> Term {
        let mut bounds: Option<(u64, u64)> = None;
        let mut allocated = self.layout.heap_start..self.layout.heap_start;
        let mut outside = None;
        for target in targets {
            match target.object {
                Object::Variable(var) if self.is_fixed(target.object) => {
                    let base = self.layout.variable(var);
                    let last = base + self.program.types.size(self.program.vars[var].ty) - size;
                    let (low, high) = bounds.unwrap_or((base, last));
                    bounds = Some((low.min(base), high.max(last)));
                }
                Object::Outside => outside = Some(self.layout.outside),
                _ => allocated.end = self.layout.heap_end,
            }
        }
        let mut either = Vec::new();
        for (low, high) in bounds
            .into_iter()
            .chain((!allocated.is_empty()).then_some((allocated.start, allocated.end)))
            .chain(outside)
        {
            let (low, high) = (self.fixed_address(draft, low), self.fixed_address(draft, high));
            either.push(self.between(draft, low.term, address.term, high.term));
        }
        draft.terms.or(&either)
    }

    pub(super) fn between(&self, draft: &mut Draft<'_>, low: Term, at: Term, high: Term) -> Term {
        let (above, below) = match draft.theory {
            Theory::Int => (draft.terms.le(low, at), draft.terms.le(at, high)),
            Theory::Bits => (draft.terms.bv_ule(low, at), draft.terms.bv_ule(at, high)),
        };
        draft.terms.and2(above, below)
    }

    // --- reading and writing -------------------------------------------------------------------

    /// The contents of a class at an address, and as what type they are held.
    fn contents(
        &mut self,
        draft: &mut Draft<'_>,
        class: ClassId,
        address: &Operand,
        size: u64,
    ) -> (Operand, Scalar) {
        let cell = self.cell(draft, class);
        match self.partition.class(class).form {
            Form::Cell => (draft.read_cell(&cell, &[]), cell.scalar),
            Form::Elements => (draft.read_cell(&cell, &[address.term]), cell.scalar),
            Form::Bytes => {
                let mut bytes = Vec::with_capacity(size as usize);
                for position in 0..size {
                    let at = self.further(draft, address, position as i64);
                    bytes.push(draft.read_cell(&cell, &[at.term]));
                }
                (draft.join_bytes(&self.split, &bytes), raw(size))
            }
        }
    }

    /// Reads a scalar at `offset` behind a location. A run that goes on found it there.
    pub(super) fn read_at(
        &mut self,
        draft: &mut Draft<'_>,
        located: &Located,
        offset: u64,
        scalar: Scalar,
        bits: Option<BitField>,
    ) -> Result<Operand, NotEncoded> {
        let (value, valid) = self.peek_at(draft, located, offset, (scalar, bits))?;
        draft.add(valid);
        Ok(value)
    }

    /// The scalar at `offset` behind a location, and whether there is one.
    pub(super) fn peek_at(
        &mut self,
        draft: &mut Draft<'_>,
        located: &Located,
        offset: u64,
        (scalar, bits): (Scalar, Option<BitField>),
    ) -> Result<(Operand, Term), NotEncoded> {
        let size = access_size(scalar, bits);
        let cases = self.cases(located, offset, size, Use::Read)?;
        let address = self.further(draft, &located.address, offset as i64);
        let mut conditions = Vec::with_capacity(cases.len());
        for case in &cases {
            conditions.push(self.is_within(draft, &address, &case.targets, size));
        }
        let valid = draft.terms.or(&conditions);
        let mut result: Option<Operand> = None;
        for (case, condition) in cases.iter().zip(conditions).rev() {
            if condition == draft.terms.ff() {
                continue;
            }
            let (held, held_type) = self.contents(draft, case.class, &address, size);
            let value = match bits {
                None => draft.same_bits(held, held_type, scalar)?,
                Some(field) => {
                    let pattern = draft.same_bits(held, held_type, raw(size))?;
                    self.field_value(draft, &pattern, field, scalar)?
                }
            };
            result = Some(match result {
                None => value,
                Some(other) => choose(draft, condition, value, other),
            });
        }
        // Where there is no case, no run gets here.
        let value = result.unwrap_or_else(|| draft.unknown("none", scalar));
        Ok((value, valid))
    }

    fn field_value(
        &mut self,
        draft: &mut Draft<'_>,
        pattern: &Operand,
        field: BitField,
        scalar: Scalar,
    ) -> Result<Operand, NotEncoded> {
        let (low, width) = (u32::from(field.shift), u32::from(field.width));
        let value = draft.bits_of_pattern(pattern, low, width);
        Ok(match draft.theory {
            Theory::Int => {
                let interval = value.interval.unwrap_or_else(|| Interval::of_int(width, false));
                draft.wrap(value.term, &interval, width, is_signed(scalar))
            }
            Theory::Bits => {
                let kept = Scalar::Int { bits: width as u16, signed: is_signed(scalar) };
                Operand::bits(draft.resize(kept, u32::from(scalar.width()), value.term))
            }
        })
    }

    /// Writes a scalar at `offset` behind a location. A run that goes on found room for it there.
    pub(super) fn write_at(
        &mut self,
        draft: &mut Draft<'_>,
        located: &Located,
        offset: u64,
        kind: (Scalar, Option<BitField>),
        value: &Operand,
    ) -> Result<(), NotEncoded> {
        let valid = self.put_at(draft, located, offset, kind, value, None)?;
        draft.add(valid);
        Ok(())
    }

    /// Writes a scalar at `offset` behind a location if a condition holds, and says whether there
    /// is room for it. Without a condition, the caller adds that there is.
    pub(super) fn put_at(
        &mut self,
        draft: &mut Draft<'_>,
        located: &Located,
        offset: u64,
        (scalar, bits): (Scalar, Option<BitField>),
        value: &Operand,
        when: Option<Term>,
    ) -> Result<Term, NotEncoded> {
        let size = access_size(scalar, bits);
        let cases = self.cases(located, offset, size, Use::Write)?;
        let address = self.further(draft, &located.address, offset as i64);
        let mut conditions = Vec::with_capacity(cases.len());
        for case in &cases {
            conditions.push(self.is_within(draft, &address, &case.targets, size));
        }
        let valid = draft.terms.or(&conditions);
        let single = cases.len() == 1 && when.is_none();
        for (case, condition) in cases.iter().zip(conditions) {
            if condition == draft.terms.ff() {
                continue;
            }
            let class = self.partition.class(case.class);
            let (form, held) = match class.form {
                Form::Bytes => (Form::Bytes, raw(size)),
                form => (form, class.scalar),
            };
            let new = match bits {
                None => draft.same_bits(value.clone(), scalar, held)?,
                Some(field) => {
                    let (old, _) = self.contents(draft, case.class, &address, size);
                    let pattern = draft.same_bits(old, held, raw(size))?;
                    let (low, width) = (u32::from(field.shift), u32::from(field.width));
                    let whole = draft.same_bits(value.clone(), scalar, pattern_of(scalar))?;
                    let part = draft.bits_of_pattern(&whole, 0, width);
                    let total = u32::from(raw(size).width());
                    let new = draft.with_bits(&pattern, total, low, &part, width);
                    draft.same_bits(new, raw(size), held)?
                }
            };
            let new = match when {
                None => new,
                Some(when) => {
                    let (old, _) = self.contents(draft, case.class, &address, size);
                    choose(draft, when, new, old)
                }
            };
            let cell = self.cell(draft, case.class);
            match form {
                Form::Cell if single => draft.write_cell(&cell, &[], new),
                Form::Cell => {
                    let old = draft.read_cell(&cell, &[]);
                    let new = choose(draft, condition, new, old);
                    draft.write_cell(&cell, &[], new);
                }
                Form::Elements => draft.write_cell(&cell, &[address.term], new),
                Form::Bytes => {
                    let bytes = draft.split_bytes(&mut self.split, &new, size);
                    for (position, byte) in bytes.into_iter().enumerate() {
                        let at = self.further(draft, &address, position as i64);
                        draft.write_cell(&cell, &[at.term], byte);
                    }
                }
            }
        }
        // What was known of expressions may have changed.
        draft.memo.clear();
        Ok(valid)
    }

    /// The scalars in a place of any type, with those padding bytes that somebody may look at.
    pub(super) fn leaves_of(
        &self,
        located: &Located,
        ty: gnomon_ir::types::TypeId,
    ) -> Result<(Vec<Leaf>, Vec<u64>), NotEncoded> {
        let leaves = leaves(self.program, &self.unions, ty)?;
        let mut gaps = padding(&leaves, self.program.types.size(ty));
        gaps.retain(|&gap| {
            located.targets.iter().any(|target| {
                let offset = target.offset.moved(gap as i64);
                let spot = Spot { object: target.object, offset, size: 1 };
                self.partition.of_spot(&spot).is_some()
            })
        });
        Ok((leaves, gaps))
    }

    /// The type and bits of the scalar in a place.
    pub(super) fn kind_of(&self, place: PlaceId) -> Result<(Scalar, Option<BitField>), NotEncoded> {
        let scalar = self.scalar_type(self.program.place_ty(place))?;
        Ok((scalar, bit_field(self.program, place)))
    }
}

/// The size of the objects that an edge allocates, if it is always the same.
pub fn allocated_size(program: &Program, function: FuncId, edge: EdgeId) -> Option<u64> {
    let constant = |e: ExprId| program.as_int(e).and_then(|n| u64::try_from(n).ok());
    match &program.funcs[function].body.as_ref()?.edge(edge).op {
        Op::Alloca { size, .. } => constant(*size),
        Op::Call(Call { callee: Callee::Direct(callee), args, .. }) => {
            let name = source_name(&program.funcs[*callee].name);
            match (classify(name, program.types.target()), &args[..]) {
                (Library::Alloc(AllocKind::Malloc), &[size]) => constant(size),
                (Library::Alloc(AllocKind::Calloc), &[count, each]) => {
                    constant(count)?.checked_mul(constant(each)?)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// One of two values.
fn choose(draft: &mut Draft<'_>, condition: Term, a: Operand, b: Operand) -> Operand {
    let term = draft.terms.ite(condition, a.term, b.term);
    let interval = match (&a.interval, &b.interval) {
        (Some(x), Some(y)) => Some(x.join(y)),
        _ => None,
    };
    if matches!(draft.terms.sort(term), Sort::Int) {
        return Operand { term, interval };
    }
    Operand::bits(term)
}
