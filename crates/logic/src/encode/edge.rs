//! What happens on an edge, as facts and new values.

use super::cells::{Cell, Part, Root};
use super::draft::{Draft, Operand};
use super::expr::PlainPlace;
use super::interval::Interval;
use super::memory::{LibraryCall, MemoryModel, Record, Returned};
use super::scalar::constant;
use super::{NotEncoded, Theory};
use crate::Integer;
use crate::math::{self, MathResult};
use crate::term::{Sort, Term};
use gnomon_ir::cfa::{Call, Callee, Cfa, EdgeId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{FuncId, source_name};
use gnomon_ir::types::TypeId;

impl Draft<'_> {
    /// Encodes the operation of an edge of a function.
    pub(super) fn edge(
        &mut self,
        memory: &mut dyn MemoryModel,
        func: FuncId,
        body: &Cfa,
        edge: EdgeId,
    ) -> Result<(), NotEncoded> {
        self.check_budget()?;
        self.memo.clear();
        match &body.edge(edge).op {
            Op::Skip => Ok(()),
            Op::Assume(condition) => self.assume(memory, *condition),
            Op::Assign { dst, src } => self.assign(memory, *dst, *src),
            Op::Call(call) => self.library_call(memory, func, edge, call),
            Op::Return(None) => Ok(()),
            Op::Return(Some(value)) => {
                let ty = self.program.expr_ty(*value);
                let part = Part::whole(Root::Return(func), ty);
                let to = PlainPlace { part, indices: Vec::new() };
                self.assign_plain(memory, &to, *value)
            }
            Op::Havoc(place) => self.havoc(memory, *place),
            Op::HavocMemory => memory.havoc_all(self),
            Op::Declare(var) => {
                if memory.owns(self.program, *var) {
                    return memory.declare(self, *var);
                }
                let info = &self.program.vars[*var];
                let cells = self.cells(&Part::whole(Root::Var(*var), info.ty))?;
                for (_, cell) in cells {
                    self.havoc_cell(&cell, &[]);
                }
                Ok(())
            }
            Op::Alloca { dst, size } => {
                let pointer = memory.allocate(self, *size)?;
                self.store(memory, *dst, pointer)
            }
            Op::VaStart(_) | Op::VaArg { .. } | Op::VaCopy { .. } | Op::VaEnd(_) => {
                Err(NotEncoded::Operation("a variable argument list".into()))
            }
        }
    }

    fn assume(
        &mut self,
        memory: &mut dyn MemoryModel,
        condition: ExprId,
    ) -> Result<(), NotEncoded> {
        let truth = self.truth(memory, condition)?;
        self.add(truth);
        if self.theory == Theory::Int
            && let ExprKind::Binary(op, a, b) = self.program.exprs.expr(condition).kind
            && op.is_comparison()
        {
            self.learn(memory, op, a, b)?;
            let mirrored = match op {
                BinaryOp::Lt => BinaryOp::Gt,
                BinaryOp::Le => BinaryOp::Ge,
                BinaryOp::Gt => BinaryOp::Lt,
                BinaryOp::Ge => BinaryOp::Le,
                other => other,
            };
            self.learn(memory, mirrored, b, a)?;
        }
        Ok(())
    }

    /// A better interval for the variable `a` from `a op b`.
    fn learn(
        &mut self,
        memory: &mut dyn MemoryModel,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> Result<(), NotEncoded> {
        let Some(cell) = self.plain_variable(memory, a) else { return Ok(()) };
        if matches!(cell.scalar, Scalar::Float(_)) {
            return Ok(());
        }
        let mine = self.value(memory, a)?.interval(cell.scalar);
        let theirs = self.value(memory, b)?.interval(cell.scalar);
        let one = Integer::ONE;
        let bound = match op {
            BinaryOp::Eq => theirs,
            BinaryOp::Lt => Interval { low: mine.low.clone(), high: theirs.high - one },
            BinaryOp::Le => Interval { low: mine.low.clone(), high: theirs.high },
            BinaryOp::Gt => Interval { low: theirs.low + one, high: mine.high.clone() },
            BinaryOp::Ge => Interval { low: theirs.low, high: mine.high.clone() },
            _ => return Ok(()),
        };
        // Nothing in common: the path ends here, and the formula says so.
        if bound.low <= bound.high
            && let Some(better) = mine.meet(&bound)
        {
            self.state.intervals.insert(cell.variable, better);
            self.memo.clear();
        }
        Ok(())
    }

    fn assign(
        &mut self,
        memory: &mut dyn MemoryModel,
        dst: PlaceId,
        src: ExprId,
    ) -> Result<(), NotEncoded> {
        match self.plain_place(memory, dst)? {
            Some(to) => self.assign_plain(memory, &to, src),
            None if self.program.types.is_scalar(self.program.place_ty(dst)) => {
                let value = self.value(memory, src)?;
                memory.write(self, dst, value)
            }
            None => {
                let record = self.record(memory, src)?;
                memory.write_record(self, dst, &record)
            }
        }
    }

    /// Stores a scalar in any place.
    pub(super) fn store(
        &mut self,
        memory: &mut dyn MemoryModel,
        dst: PlaceId,
        value: Operand,
    ) -> Result<(), NotEncoded> {
        let Some(to) = self.plain_place(memory, dst)? else {
            return memory.write(self, dst, value);
        };
        let cells = self.cells(&to.part)?;
        match &cells[..] {
            [(_, cell)] => {
                let value = self.fit_field(cell, value);
                self.write_cell(cell, &to.indices, value);
                Ok(())
            }
            _ => Err(NotEncoded::Type("a number into a record".into())),
        }
    }

    pub(super) fn assign_plain(
        &mut self,
        memory: &mut dyn MemoryModel,
        to: &PlainPlace,
        src: ExprId,
    ) -> Result<(), NotEncoded> {
        let ty = self.program.expr_ty(src);
        let cells = self.cells(&to.part)?;
        if self.program.types.is_scalar(ty) {
            let value = self.value(memory, src)?;
            for (_, cell) in &cells {
                let value = self.fit_field(cell, value.clone());
                self.write_cell(cell, &to.indices, value);
            }
            return Ok(());
        }
        if !self.is_plain(memory, src)? {
            let record = self.record(memory, src)?;
            return self.assign_record(to, &record);
        }
        // A record or array: cell by cell. All are read before the first is written.
        let values = self.values(memory, src)?;
        if values.len() != cells.len() {
            return Err(NotEncoded::Type("an assignment between different records".into()));
        }
        for ((_, cell), value) in cells.iter().zip(values) {
            self.write_cell(cell, &to.indices, value);
        }
        Ok(())
    }

    /// Whether a record or array is in no memory.
    pub(super) fn is_plain(
        &mut self,
        memory: &mut dyn MemoryModel,
        src: ExprId,
    ) -> Result<bool, NotEncoded> {
        Ok(match self.program.exprs.expr(src).kind {
            ExprKind::Load(place) => self.plain_place(memory, place)?.is_some(),
            _ => true,
        })
    }

    /// A record or array, scalar by scalar.
    pub(super) fn record(
        &mut self,
        memory: &mut dyn MemoryModel,
        src: ExprId,
    ) -> Result<Record, NotEncoded> {
        let mut record = memory.shape(self.program, self.program.expr_ty(src))?;
        match self.program.exprs.expr(src).kind {
            ExprKind::Load(place) => {
                let Some(from) = self.plain_place(memory, place)? else {
                    return memory.read_record(self, place);
                };
                record.values = self.leaf_values(&from, &record)?;
            }
            ExprKind::Zero => {
                for leaf in &record.leaves {
                    let zero = constant(self.terms, self.theory, leaf.scalar, 0);
                    record.values.push(match self.terms.sort(zero) {
                        Sort::Int => Operand::int(zero, Interval::point(0)),
                        _ => Operand::bits(zero),
                    });
                }
            }
            _ => return Err(NotEncoded::Type("a record that is not in a place".into())),
        }
        Ok(record)
    }

    /// The scalars of a record in a plain variable.
    pub(super) fn leaf_values(
        &mut self,
        from: &PlainPlace,
        record: &Record,
    ) -> Result<Vec<Operand>, NotEncoded> {
        let mut values = Vec::with_capacity(record.leaves.len());
        for (cell, indices) in self.leaf_cells(from, record)? {
            values.push(self.read_cell(&cell, &indices));
        }
        Ok(values)
    }

    /// Stores a record in a plain variable.
    pub(super) fn assign_record(
        &mut self,
        to: &PlainPlace,
        record: &Record,
    ) -> Result<(), NotEncoded> {
        let cells = self.leaf_cells(to, record)?;
        for ((cell, indices), value) in cells.iter().zip(&record.values) {
            self.write_cell(cell, indices, value.clone());
        }
        Ok(())
    }

    /// For each scalar of a record the cell in a plain variable, and where in it.
    fn leaf_cells(
        &mut self,
        place: &PlainPlace,
        record: &Record,
    ) -> Result<Vec<(Cell, Vec<Term>)>, NotEncoded> {
        let cells = self.cells(&place.part)?;
        let before = place.part.way.len();
        let mut found = Vec::with_capacity(record.leaves.len());
        for leaf in &record.leaves {
            let cell = cells.iter().find(|(way, _)| way[before..] == leaf.way[..]);
            let Some((_, cell)) = cell else {
                return Err(NotEncoded::Type("a copy between different records".into()));
            };
            let mut indices = place.indices.clone();
            for &index in &leaf.indices {
                indices.push(match self.theory {
                    Theory::Int => self.terms.int(index),
                    Theory::Bits => self.terms.bv(index, super::cells::INDEX_BITS),
                });
            }
            found.push((cell.clone(), indices));
        }
        Ok(found)
    }

    /// The values of the cells of an expression of any type, in order.
    pub(super) fn values(
        &mut self,
        memory: &mut dyn MemoryModel,
        src: ExprId,
    ) -> Result<Vec<Operand>, NotEncoded> {
        let ty = self.program.expr_ty(src);
        if self.program.types.is_scalar(ty) {
            return Ok(vec![self.value(memory, src)?]);
        }
        match self.program.exprs.expr(src).kind {
            ExprKind::Load(place) => match self.plain_place(memory, place)? {
                Some(from) => {
                    let cells = self.cells(&from.part)?;
                    Ok(cells.iter().map(|(_, cell)| self.read_cell(cell, &from.indices)).collect())
                }
                None => Err(NotEncoded::Memory("a record behind a pointer".into())),
            },
            ExprKind::Zero => self.zeros(ty),
            _ => Err(NotEncoded::Type("a record that is not in a place".into())),
        }
    }

    /// Zero for each cell of a type.
    pub(super) fn zeros(&mut self, ty: TypeId) -> Result<Vec<Operand>, NotEncoded> {
        let mut found = Vec::new();
        self.zero_cells(ty, &mut found)?;
        Ok(found)
    }

    /// Bytes from the start of an array of characters on.
    pub(super) fn write_bytes(
        &mut self,
        memory: &mut dyn MemoryModel,
        place: PlaceId,
        bytes: &[u8],
    ) -> Result<(), NotEncoded> {
        let Some(to) = self.plain_place(memory, place)? else { return Ok(()) };
        let cells = self.cells(&to.part)?;
        let [(_, cell)] = &cells[..] else {
            return Err(NotEncoded::Type("bytes into a record".into()));
        };
        if cell.scalar.width() != 8 {
            return Err(NotEncoded::Type("bytes into wider elements".into()));
        }
        for (position, &byte) in bytes.iter().enumerate() {
            let index = match self.theory {
                Theory::Int => self.terms.int(position),
                Theory::Bits => self.terms.bv(position, super::cells::INDEX_BITS),
            };
            let value = constant(self.terms, self.theory, cell.scalar, u128::from(byte));
            let mut indices = to.indices.clone();
            indices.push(index);
            self.write_cell(cell, &indices, Operand::bits(value));
        }
        Ok(())
    }

    fn zero_cells(&mut self, ty: TypeId, found: &mut Vec<Operand>) -> Result<(), NotEncoded> {
        use gnomon_ir::types::{RecordKind, Type};
        match *self.program.types.get(ty) {
            Type::Array { elem, .. } => {
                let from = found.len();
                self.zero_cells(elem, found)?;
                let index = super::cells::index_sort(self.theory);
                for operand in &mut found[from..] {
                    let sort = self.terms.sort(operand.term);
                    let sort = self.terms.array_sort(index, sort);
                    *operand = Operand::bits(self.terms.const_array(sort, operand.term));
                }
                Ok(())
            }
            Type::Record(record) => {
                let record = self.program.types.record(record);
                if record.kind == RecordKind::Union {
                    return Err(NotEncoded::Union(record.name.clone()));
                }
                for field in &record.fields {
                    self.zero_cells(field.ty, found)?;
                }
                Ok(())
            }
            _ => {
                let Some(scalar) = self.program.types.scalar(ty) else {
                    return Err(NotEncoded::Type("a zero of no type".into()));
                };
                let zero = constant(self.terms, self.theory, scalar, 0);
                found.push(match self.terms.sort(zero) {
                    Sort::Int => Operand::int(zero, Interval::point(0)),
                    _ => Operand::bits(zero),
                });
                Ok(())
            }
        }
    }

    fn havoc(&mut self, memory: &mut dyn MemoryModel, place: PlaceId) -> Result<(), NotEncoded> {
        let Some(plain) = self.plain_place(memory, place)? else {
            return memory.havoc(self, place);
        };
        for (_, cell) in self.cells(&plain.part)? {
            self.havoc_cell(&cell, &plain.indices);
        }
        Ok(())
    }

    /// A call of a function without a body. Calls of functions with one are steps of a path.
    fn library_call(
        &mut self,
        memory: &mut dyn MemoryModel,
        caller: FuncId,
        edge: EdgeId,
        call: &Call,
    ) -> Result<(), NotEncoded> {
        let Callee::Direct(func) = call.callee else {
            // Of the functions of the environment that it may reach nothing is known.
            let (name, library) = ("a function of the environment", Library::Unknown);
            let called = LibraryCall { caller, edge, call, name, library };
            memory.call(self, &called)?;
            self.memo.clear();
            return match call.dst {
                Some(dst) => self.havoc(memory, dst),
                None => Ok(()),
            };
        };
        let function = &self.program.funcs[func];
        if function.body.is_some() {
            return Err(NotEncoded::Call(format!("the call of `{}`", function.name)));
        }
        let name = source_name(&function.name);
        let library = classify(name, self.program.types.target());
        match library {
            Library::Nondet(_) => {}
            Library::Assume => {
                let [condition, ..] = call.args[..] else {
                    return Err(NotEncoded::Call(format!("`{name}` without an argument")));
                };
                self.assume(memory, condition)?;
            }
            Library::Error | Library::Abort | Library::Exit | Library::Unreachable => {
                // Nothing happens behind it.
                let never = self.terms.ff();
                self.add(never);
            }
            Library::Output | Library::Environment | Library::Pure => {
                if let (Some(dst), Some(value)) = (call.dst, self.math(memory, name, call)?) {
                    return self.store(memory, dst, value);
                }
                if call.dst.is_some() {
                    self.approximated.push(format!("the result of `{name}` can be any value"));
                }
            }
            _ => {
                let called = LibraryCall { caller, edge, call, name, library };
                let returned = memory.call(self, &called)?;
                self.memo.clear();
                if let (Some(dst), Returned::Value(value)) = (call.dst, returned) {
                    return self.store(memory, dst, value);
                }
            }
        }
        match call.dst {
            Some(dst) => self.havoc(memory, dst),
            None => Ok(()),
        }
    }

    /// The result of a function of `<math.h>` whose meaning is known, in bits.
    fn math(
        &mut self,
        memory: &mut dyn MemoryModel,
        name: &str,
        call: &Call,
    ) -> Result<Option<Operand>, NotEncoded> {
        let (Theory::Bits, Some(dst), Some(function)) = (self.theory, call.dst, math::find(name))
        else {
            return Ok(None);
        };
        if call.args.len() != function.arity() {
            return Ok(None);
        }
        let result = self.scalar_of(self.program.place_ty(dst))?;
        let mut format = Scalar::Float(function.kind);
        let mut args = Vec::new();
        for &arg in &call.args {
            let scalar = self.scalar_of(self.program.expr_ty(arg))?;
            if function.is_generic() && matches!(scalar, Scalar::Float(_)) {
                format = scalar;
            }
            let value = self.value(memory, arg)?;
            args.push(if scalar == format {
                value.term
            } else {
                self.bits_cast(scalar, format, value.term).term
            });
        }
        let open = if function.is_open() {
            let any = self.unknown("open", Scalar::Bool);
            self.bits_truth(Scalar::Bool, any.term)
        } else {
            self.terms.tt()
        };
        let int = Scalar::Int { bits: 32, signed: true };
        Ok(match (function.result(self.terms, &args, open), result) {
            (Some(MathResult::Number(term)), _) if result == format => Some(Operand::bits(term)),
            (Some(MathResult::Integer(term)), Scalar::Int { .. }) => {
                Some(Operand::bits(self.resize(int, u32::from(result.width()), term)))
            }
            (Some(MathResult::Whole(term)), Scalar::Int { .. }) => {
                Some(self.bits_cast(format, result, term))
            }
            _ => None,
        })
    }
}
