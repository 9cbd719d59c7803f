//! [`Partitioned`] as a [`MemoryModel`].

use super::leaves::Leaf;
use super::partition::{ClassId, Form, raw};
use super::partitioned::{ELEMENT_LIMIT, Located, Partitioned};
use super::{Argument, LibraryCall, MemoryModel, Record, Returned};
use crate::encode::NotEncoded;
use crate::encode::aliases::{Object, Offset, Target};
use crate::encode::draft::{Draft, Operand};
use crate::term::{Term, Variable};
use gnomon_ir::expr::{ExprId, PlaceId};
use gnomon_ir::program::{FuncId, Program, VarId};
use gnomon_ir::types::TypeId;

impl MemoryModel for Partitioned<'_> {
    fn owns(&self, _program: &Program, var: VarId) -> bool {
        self.pointees.owns(var)
    }

    fn read(&mut self, draft: &mut Draft<'_>, place: PlaceId) -> Result<Operand, NotEncoded> {
        let located = self.locate(draft, place)?;
        let (scalar, bits) = self.kind_of(place)?;
        self.read_at(draft, &located, 0, scalar, bits)
    }

    fn read_outside(
        &mut self,
        draft: &mut Draft<'_>,
        address: Term,
        ty: TypeId,
    ) -> Result<Operand, NotEncoded> {
        let scalar = self.scalar_type(ty)?;
        let address = draft.operand(address, Partitioned::pointer(self));
        let target = Target { object: Object::Outside, offset: Offset::ANY };
        let located = Located { address, targets: vec![target] };
        Ok(self.peek_at(draft, &located, 0, (scalar, None))?.0)
    }

    fn write(
        &mut self,
        draft: &mut Draft<'_>,
        place: PlaceId,
        value: Operand,
    ) -> Result<(), NotEncoded> {
        let located = self.locate(draft, place)?;
        let kind = self.kind_of(place)?;
        self.write_at(draft, &located, 0, kind, &value)
    }

    fn shape(&self, program: &Program, ty: TypeId) -> Result<Record, NotEncoded> {
        let leaves = super::leaves(program, &self.unions, ty)?;
        Ok(Record { leaves, values: Vec::new(), padding: Vec::new() })
    }

    fn read_record(&mut self, draft: &mut Draft<'_>, place: PlaceId) -> Result<Record, NotEncoded> {
        let located = self.locate(draft, place)?;
        let (leaves, gaps) = self.leaves_of(&located, self.program.place_ty(place))?;
        let mut record = Record { leaves, values: Vec::new(), padding: Vec::new() };
        for leaf in &record.leaves {
            let value = self.read_at(draft, &located, leaf.offset, leaf.scalar, leaf.bits)?;
            record.values.push(value);
        }
        for gap in gaps {
            let byte = self.read_at(draft, &located, gap, raw(1), None)?;
            record.padding.push((gap, byte));
        }
        Ok(record)
    }

    fn write_record(
        &mut self,
        draft: &mut Draft<'_>,
        place: PlaceId,
        record: &Record,
    ) -> Result<(), NotEncoded> {
        let located = self.locate(draft, place)?;
        self.write_all(draft, &located, self.program.place_ty(place), record)
    }

    fn havoc(&mut self, draft: &mut Draft<'_>, place: PlaceId) -> Result<(), NotEncoded> {
        let located = self.locate(draft, place)?;
        if self.program.types.is_scalar(self.program.place_ty(place)) {
            let (scalar, bits) = self.kind_of(place)?;
            let leaf = Leaf { offset: 0, scalar, bits, way: Vec::new(), indices: Vec::new() };
            return self.havoc_leaf(draft, &located, &leaf);
        }
        let (leaves, gaps) = self.leaves_of(&located, self.program.place_ty(place))?;
        for leaf in leaves {
            self.havoc_leaf(draft, &located, &leaf)?;
        }
        self.havoc_bytes(draft, &located, &gaps)
    }

    fn address(&mut self, draft: &mut Draft<'_>, place: PlaceId) -> Result<Operand, NotEncoded> {
        self.address_value(draft, place)
    }

    fn pointer(&mut self, draft: &mut Draft<'_>, expr: ExprId) -> Result<Operand, NotEncoded> {
        self.pointer_value(draft, expr)
    }

    fn function(&mut self, draft: &mut Draft<'_>, func: FuncId) -> Result<Operand, NotEncoded> {
        Ok(self.fixed_address(draft, self.layout.function(func)))
    }

    fn start(&mut self, draft: &mut Draft<'_>) -> Result<(), NotEncoded> {
        self.initial_values(draft)
    }

    fn enter(
        &mut self,
        draft: &mut Draft<'_>,
        func: FuncId,
    ) -> Result<Vec<(Variable, u32)>, NotEncoded> {
        let function = &self.program.funcs[func];
        let mut saved = Vec::new();
        for &var in function.params.iter().chain(&function.locals) {
            if !self.pointees.owns(var) {
                continue;
            }
            if self.is_recursive(func) {
                // A new instance at a new address, where nothing was written yet.
                let cell = self.address_cell(draft, var);
                saved.push((cell.variable, draft.state.ssa.index(cell.variable)));
                let size = self.program.types.size(self.program.vars[var].ty);
                let address = self.hand_out(draft, size)?;
                draft.write_cell(&cell, &[], address);
            } else {
                self.declare(draft, var)?;
            }
        }
        Ok(saved)
    }

    fn pass(
        &mut self,
        draft: &mut Draft<'_>,
        param: VarId,
        argument: &Argument,
    ) -> Result<(), NotEncoded> {
        let located = self.whole_variable(draft, param);
        let ty = self.program.vars[param].ty;
        match argument {
            Argument::Scalar(value) => {
                let scalar = self.scalar_type(ty)?;
                self.write_at(draft, &located, 0, (scalar, None), value)
            }
            Argument::Record(record) => self.write_all(draft, &located, ty, record),
        }
    }

    fn declare(&mut self, draft: &mut Draft<'_>, var: VarId) -> Result<(), NotEncoded> {
        let object = Object::Variable(var);
        let size = self.program.types.size(self.program.vars[var].ty);
        let classes = self.partition.of_object(object).to_vec();
        for class in classes {
            self.havoc_object(draft, class, object, size)?;
        }
        Ok(())
    }

    fn havoc_all(&mut self, draft: &mut Draft<'_>) -> Result<(), NotEncoded> {
        for class in self.partition.ids() {
            let cell = self.cell(draft, class);
            draft.havoc_cell(&cell, &[]);
        }
        Ok(())
    }

    fn allocate(&mut self, draft: &mut Draft<'_>, size: ExprId) -> Result<Operand, NotEncoded> {
        let scalar = self.scalar_type(self.program.expr_ty(size))?;
        let size = draft.value(self, size)?;
        let size = self.as_size(draft, &size, scalar)?;
        self.hand_out_any(draft, &size)
    }

    fn call(
        &mut self,
        draft: &mut Draft<'_>,
        call: &LibraryCall<'_>,
    ) -> Result<Returned, NotEncoded> {
        self.library_call(draft, call)
    }

    fn assumptions(&self) -> Vec<String> {
        self.assumptions()
    }
}

impl Partitioned<'_> {
    /// All of a variable.
    pub(super) fn whole_variable(&self, draft: &mut Draft<'_>, var: VarId) -> Located {
        let target = Target { object: Object::Variable(var), offset: Offset::Exact(0) };
        Located { address: self.variable_address(draft, var), targets: vec![target] }
    }

    fn write_all(
        &mut self,
        draft: &mut Draft<'_>,
        located: &Located,
        ty: TypeId,
        record: &Record,
    ) -> Result<(), NotEncoded> {
        let (leaves, mut gaps) = self.leaves_of(located, ty)?;
        if leaves.len() != record.values.len() {
            return Err(NotEncoded::Type("a copy between different records".into()));
        }
        for (leaf, value) in leaves.iter().zip(&record.values) {
            self.write_at(draft, located, leaf.offset, (leaf.scalar, leaf.bits), value)?;
        }
        for (gap, byte) in &record.padding {
            if gaps.contains(gap) {
                self.write_at(draft, located, *gap, (raw(1), None), byte)?;
            }
        }
        // Of the others it is not known what was copied.
        gaps.retain(|gap| record.padding.iter().all(|(copied, _)| copied != gap));
        self.havoc_bytes(draft, located, &gaps)
    }

    fn havoc_bytes(
        &mut self,
        draft: &mut Draft<'_>,
        located: &Located,
        bytes: &[u64],
    ) -> Result<(), NotEncoded> {
        for &byte in bytes {
            let any = draft.unknown("any", raw(1));
            self.write_at(draft, located, byte, (raw(1), None), &any)?;
        }
        Ok(())
    }

    fn havoc_leaf(
        &mut self,
        draft: &mut Draft<'_>,
        located: &Located,
        leaf: &Leaf,
    ) -> Result<(), NotEncoded> {
        let any = draft.unknown("any", leaf.scalar);
        self.write_at(draft, located, leaf.offset, (leaf.scalar, leaf.bits), &any)
    }

    /// Any values in the part of an object of that size that a class has.
    fn havoc_object(
        &mut self,
        draft: &mut Draft<'_>,
        class: ClassId,
        object: Object,
        size: u64,
    ) -> Result<(), NotEncoded> {
        let cell = self.cell(draft, class);
        let only = self.partition.class(class).spots.iter().all(|spot| spot.object == object);
        if only && self.is_fixed(object) {
            draft.havoc_cell(&cell, &[]);
            return Ok(());
        }
        let Object::Variable(var) = object else { return Ok(()) };
        let Some(offsets) = self.element_offsets(class, object, size) else {
            draft.approximated.push(format!(
                "where the lifetime of `{}` begins, what lies in the same part of memory is \
                 forgotten",
                self.program.vars[var].name
            ));
            draft.havoc_cell(&cell, &[]);
            return Ok(());
        };
        let base = self.variable_address(draft, var);
        for offset in offsets {
            let at = self.further(draft, &base, offset as i64);
            draft.havoc_cell(&cell, &[at.term]);
        }
        Ok(())
    }

    /// The offsets at which a class has elements of an object of that size; `None` if they are too
    /// many.
    pub(super) fn element_offsets(
        &self,
        class: ClassId,
        object: Object,
        size: u64,
    ) -> Option<Vec<u64>> {
        let class = self.partition.class(class);
        let mut offsets = std::collections::BTreeSet::new();
        for spot in class.spots.iter().filter(|spot| spot.object == object) {
            let (first, step) = match spot.offset {
                Offset::Exact(at) => (at, size.max(1)),
                Offset::Modulo { remainder, modulus } => (remainder, modulus),
            };
            let width = if class.form == Form::Bytes { 1 } else { spot.size };
            let mut at = first;
            while at.checked_add(spot.size).is_some_and(|end| end <= size) {
                // Bytes are elements of their own.
                offsets.extend((at..at + spot.size).step_by(width as usize));
                if offsets.len() as u64 > ELEMENT_LIMIT {
                    return None;
                }
                if matches!(spot.offset, Offset::Exact(_)) {
                    break;
                }
                at += step;
            }
        }
        Some(offsets.into_iter().collect())
    }
}
