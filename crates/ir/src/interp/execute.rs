//! The loop that executes instructions.

use std::rc::Rc;

use crate::expr::BinaryOp;
use crate::interp::arith;
use crate::interp::code::{CallTarget, Inst, Reg, ResultUse};
use crate::interp::machine::{Machine, Returned};
use crate::interp::memory::{Access, Blob, Contents, ObjectKind, Region};
use crate::interp::outcome::{Outcome, Stop};
use crate::interp::ub::UbKind;
use crate::interp::value::{Shape, Value};
use crate::ops;
use crate::program::VarId;
use crate::trace::Input;

/// Turns of loops and calls between two looks at the budget. A prime number: a loop with calls is looked at
/// where it goes round, too, and not always at the same call.
const FUEL: u32 = 61;

impl Machine<'_> {
    /// Runs until only `depth` calls are open.
    pub(crate) fn run(&mut self, depth: usize) -> Result<(), Stop> {
        let mut regs = std::mem::take(&mut self.regs);
        let result = self.run_frames(&mut regs, depth);
        self.regs = regs;
        result
    }

    fn run_frames(&mut self, regs: &mut Vec<Value>, depth: usize) -> Result<(), Stop> {
        let mut fuel = FUEL;
        while self.frames.len() > depth {
            let Some(frame) = self.frames.last() else { return Ok(()) };
            let code = Rc::clone(&frame.code);
            let (base, pc) = (frame.base, frame.pc);
            match self.run_frame(
                &code,
                &mut regs[base..base + code.template.len()],
                pc,
                &mut fuel,
            )? {
                Transfer::Call(site) => {
                    fuel -= 1;
                    if fuel == 0 {
                        fuel = FUEL;
                        self.step(FUEL)?;
                    }
                    let site = &code.calls[site as usize];
                    match site.target {
                        CallTarget::Exact(func) => self.call_exact(regs, base, func, site)?,
                        _ => self.call_any(regs, base, site)?,
                    }
                }
                Transfer::Return(returned) => self.finish_call(regs, returned)?,
                Transfer::Observe(edge) => self.observe_edge(regs, edge),
                Transfer::Outer(d, var) => {
                    regs[base + usize::from(d)] = self.outer_variable(regs, var);
                }
            }
        }
        Ok(())
    }

    /// Ends the call that runs and hands its result to the caller.
    fn finish_call(&mut self, regs: &mut [Value], returned: Returned) -> Result<(), Stop> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        self.memory.unwind(frame.stack_mark);
        self.returned = returned;
        let base = self.frames.last().map_or(0, |caller| caller.base);
        self.deliver(regs, base, frame.result)
    }

    /// Puts the result of a call where the caller wants it.
    pub(crate) fn deliver(
        &mut self,
        regs: &mut [Value],
        base: usize,
        wanted: ResultUse,
    ) -> Result<(), Stop> {
        match wanted {
            ResultUse::Unused => {}
            ResultUse::Scalar { d, ty } => {
                let value = match self.returned {
                    Returned::Scalar(value) => value,
                    Returned::Nothing | Returned::Record(_) => {
                        self.undefined(UbKind::MissingReturn)?;
                        let shape = Shape::of(&self.program.types, ty).unwrap_or(Shape::I32);
                        self.nondet_value(shape)?
                    }
                };
                regs[base + usize::from(d)] = value;
            }
            ResultUse::Record { ty } => {
                let bytes = self.program.types.size(ty) as usize;
                let fits = matches!(&self.returned, Returned::Record(blob) if blob.len() == bytes);
                if !fits {
                    self.undefined(UbKind::MissingReturn)?;
                    self.returned = Returned::Record(Blob::zero(bytes));
                }
            }
        }
        Ok(())
    }

    #[cold]
    fn save(&mut self, pc: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.pc = pc;
        }
    }

    #[cold]
    fn note(&mut self, pc: usize, kind: UbKind) -> Result<(), Stop> {
        self.save(pc);
        self.undefined(kind)
    }

    #[cold]
    fn fault(&mut self, pc: usize, kind: UbKind) -> Stop {
        self.save(pc);
        self.fatal(kind)
    }

    fn run_frame(
        &mut self,
        code: &crate::interp::code::FunctionCode,
        regs: &mut [Value],
        mut pc: usize,
        fuel: &mut u32,
    ) -> Result<Transfer, Stop> {
        macro_rules! r {
            ($reg:expr) => {
                regs[usize::from($reg)]
            };
        }
        macro_rules! checked {
            ($d:expr, $result:expr) => {{
                let (value, note) = $result;
                if let Some(kind) = note {
                    self.note(pc, kind)?;
                }
                r!($d) = Value::word(value);
            }};
        }
        macro_rules! branch {
            ($taken:expr, $then:expr, $other:expr) => {
                pc = if $taken { $then as usize } else { $other as usize }
            };
        }
        macro_rules! memory {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(kind) => return Err(self.fault(pc, kind)),
                }
            };
        }
        let insts = &code.insts[..];
        loop {
            let inst = insts[pc];
            pc += 1;
            match inst {
                Inst::Copy { d, a } => r!(d) = r!(a),
                Inst::Const { d, index } => r!(d) = code.constants[index as usize],
                Inst::I32 { op, d, a, b } => checked!(d, arith::i32_op(op, r!(a).lo, r!(b).lo)),
                Inst::U32 { op, d, a, b } => checked!(d, arith::u32_op(op, r!(a).lo, r!(b).lo)),
                Inst::I64 { op, d, a, b } => checked!(d, arith::i64_op(op, r!(a).lo, r!(b).lo)),
                Inst::U64 { op, d, a, b } => checked!(d, arith::u64_op(op, r!(a).lo, r!(b).lo)),
                Inst::F32 { op, d, a, b } => {
                    r!(d) = Value::word(arith::f32_op(op, r!(a).lo, r!(b).lo));
                }
                Inst::F64 { op, d, a, b } => {
                    r!(d) = Value::word(arith::f64_op(op, r!(a).lo, r!(b).lo));
                }
                Inst::Binary { op, shape, d, a, b } => {
                    self.save(pc);
                    r!(d) = self.slow_binary(op, shape, r!(a), r!(b))?;
                }
                Inst::Unary { op, shape, d, a } => {
                    let bits = shape.bits(r!(a));
                    let result = ops::unary(op, shape.scalar(), bits);
                    let smallest = shape.is_signed() && bits == 1u128 << (shape.width() - 1);
                    if smallest && op == crate::expr::UnaryOp::Neg {
                        self.note(pc, UbKind::SignedOverflow)?;
                    }
                    r!(d) = Value::bits(result);
                }
                Inst::ComparePointers { op, d, a, b } => {
                    let (x, y) = (r!(a), r!(b));
                    if x.hi != y.hi && self.object_of(x) != self.object_of(y) {
                        self.note(pc, UbKind::PointerComparison)?;
                    }
                    r!(d) = Value::word(u64::from(arith::u64_compare(op, x.lo, y.lo)));
                }
                Inst::Move { d, a, b, size } => {
                    let bytes = r!(b).lo.wrapping_mul(size as u64);
                    let lo = r!(a).lo.wrapping_add(bytes) & self.memory.address_mask();
                    r!(d) = Value { lo, hi: r!(a).hi };
                }
                Inst::MoveI32 { d, a, b, size } => {
                    let bytes = i64::from(r!(b).lo as i32).wrapping_mul(size);
                    let lo = r!(a).lo.wrapping_add(bytes as u64) & self.memory.address_mask();
                    r!(d) = Value { lo, hi: r!(a).hi };
                }
                Inst::Offset { d, a, bytes } => {
                    let lo = r!(a).lo.wrapping_add(bytes as u64) & self.memory.address_mask();
                    r!(d) = Value { lo, hi: r!(a).hi };
                }
                Inst::Extent { d, a } => {
                    r!(d) = Value::word(self.memory.extent(r!(a).lo));
                }
                Inst::Difference { d, a, b, size } => {
                    let (x, y) = (r!(a), r!(b));
                    if x.hi != y.hi && self.object_of(x) != self.object_of(y) {
                        self.note(pc, UbKind::PointerSubtraction)?;
                    }
                    let mask = self.memory.address_mask();
                    let width = mask.count_ones() as u16;
                    let bytes = ops::sign_extend(u128::from(x.lo.wrapping_sub(y.lo)), width) as i64;
                    r!(d) = Value::word(bytes.checked_div(size).unwrap_or(0) as u64 & mask);
                }
                Inst::SignExtend { d, a, from, to } => {
                    let unused = 64 - u32::from(from);
                    let value = ((r!(a).lo << unused) as i64 >> unused) as u64;
                    r!(d) = Value::word(value & u64::MAX >> (64 - u32::from(to)));
                }
                Inst::Truncate { d, a, to } => {
                    r!(d) = Value::word(r!(a).lo & u64::MAX >> (64 - u32::from(to)));
                }
                Inst::Truth { d, a, shape } => {
                    let truth = ops::is_true(shape.scalar(), shape.bits(r!(a)));
                    r!(d) = Value::word(u64::from(truth));
                }
                Inst::Pointer { d, a } => {
                    let address = Value::word(r!(a).lo);
                    r!(d) = self.memory.with_provenance(address);
                }
                Inst::Cast { d, a, from, to } => {
                    let (value, fits) = convert(from, to, r!(a));
                    if !fits {
                        self.note(pc, UbKind::FloatConversion)?;
                    }
                    r!(d) = value;
                }
                Inst::Load { access, shape, aligned, d, a, offset } => {
                    let (pointer, offset) = (r!(a), i64::from(offset));
                    if aligned && is_misaligned(access, pointer, offset) {
                        self.note(pc, UbKind::Misaligned)?;
                    }
                    r!(d) = match self.memory.load(access, pointer, offset) {
                        Ok(value) => value,
                        Err(fault) => {
                            self.save(pc);
                            self.complete(shape, pointer, offset, fault)?;
                            pc -= 1;
                            continue;
                        }
                    };
                }
                Inst::Store { access, aligned, a, b, offset } => {
                    let (pointer, offset) = (r!(a), i64::from(offset));
                    if aligned && is_misaligned(access, pointer, offset) {
                        self.note(pc, UbKind::Misaligned)?;
                    }
                    memory!(self.memory.store(access, pointer, offset, r!(b)));
                }
                Inst::LoadBits { d, a, field } => {
                    self.save(pc);
                    r!(d) = self.load_bits(code.bit_fields[field as usize], r!(a))?;
                }
                Inst::StoreBits { a, b, field } => {
                    self.save(pc);
                    self.store_bits(code.bit_fields[field as usize], r!(a), r!(b))?;
                }
                Inst::CopyBytes { a, b, bytes } => {
                    memory!(self.memory.copy(r!(a), r!(b), bytes));
                }
                Inst::ZeroBytes { a, bytes } => memory!(self.memory.fill(r!(a), 0, bytes)),
                Inst::Jump { to } => pc = to as usize,
                Inst::Branch { a, then, other } => branch!(r!(a).lo != 0, then, other),
                Inst::BranchI32 { op, a, b, then, other } => {
                    branch!(arith::i32_compare(op, r!(a).lo, r!(b).lo), then, other);
                }
                Inst::BranchU32 { op, a, b, then, other } => {
                    branch!(arith::u32_compare(op, r!(a).lo, r!(b).lo), then, other);
                }
                Inst::BranchI64 { op, a, b, then, other } => {
                    branch!(arith::i64_compare(op, r!(a).lo, r!(b).lo), then, other);
                }
                Inst::BranchU64 { op, a, b, then, other } => {
                    branch!(arith::u64_compare(op, r!(a).lo, r!(b).lo), then, other);
                }
                Inst::Select { index } => {
                    let options = &code.selects[index as usize];
                    let open: Vec<u32> = options
                        .iter()
                        .filter(|option| r!(option.condition).lo != 0)
                        .map(|option| option.to)
                        .collect();
                    self.save(pc);
                    pc = self.choose(&open)? as usize;
                }
                Inst::Tick => {
                    *fuel -= 1;
                    if *fuel == 0 {
                        *fuel = FUEL;
                        self.save(pc);
                        self.step(FUEL)?;
                        self.leap(code, regs, pc);
                    }
                }
                Inst::Stuck => {
                    self.save(pc);
                    let site = self.site();
                    return Err(Box::new(Outcome::AssumptionFailed { site }));
                }
                Inst::Call { site } => {
                    self.resume_at(pc);
                    return Ok(Transfer::Call(site));
                }
                Inst::TakeRecord { a } => {
                    let returned = std::mem::replace(&mut self.returned, Returned::Nothing);
                    if let Returned::Record(blob) = returned {
                        memory!(self.memory.put_blob(r!(a), 0, &blob));
                    }
                }
                Inst::Return { a } => return Ok(Transfer::Return(Returned::Scalar(r!(a)))),
                Inst::ReturnNothing => return Ok(Transfer::Return(Returned::Nothing)),
                Inst::ReturnRecord { a, bytes } => {
                    let blob = memory!(self.memory.take_blob(r!(a), bytes));
                    return Ok(Transfer::Return(Returned::Record(blob)));
                }
                Inst::ReturnZero { bytes } => {
                    let blob = Blob::zero(bytes as usize);
                    return Ok(Transfer::Return(Returned::Record(blob)));
                }
                Inst::Havoc { d, shape } => {
                    self.save(pc);
                    r!(d) = self.nondet_value(shape)?;
                }
                Inst::HavocBytes { a, ty } => {
                    self.save(pc);
                    self.havoc_bytes(r!(a), ty)?;
                }
                Inst::Undefine { shadow } => r!(shadow) = Value::ZERO,
                Inst::Define { shadow } => r!(shadow) = Value::word(1),
                Inst::Require { d, shadow, shape } => {
                    if r!(shadow).lo == 0 {
                        self.note(pc, UbKind::UninitializedRead)?;
                        r!(d) = self.nondet_value(shape)?;
                        r!(shadow) = Value::word(1);
                    }
                }
                Inst::Forget { a } => self.memory.forget(r!(a)),
                Inst::Alloca { d, a } => {
                    self.save(pc);
                    r!(d) = self.alloca(r!(a).lo)?;
                }
                Inst::Outer { d, var } => {
                    self.resume_at(pc);
                    return Ok(Transfer::Outer(d, var));
                }
                Inst::VaStart { d } => {
                    r!(d) = self.frames.last().map_or(Value::ZERO, |frame| frame.var_args);
                }
                Inst::VaFetch { d, a, ty } => {
                    self.save(pc);
                    let (value, next) = self.va_fetch(r!(a), ty)?;
                    r!(a) = next;
                    r!(d) = value;
                }
                Inst::VaFetchRecord { a, b, ty } => {
                    self.save(pc);
                    let (from, next) = self.va_position(r!(a), ty)?;
                    let bytes = self.program.types.size(ty);
                    memory!(self.memory.copy(r!(b), from, bytes));
                    r!(a) = next;
                }
                Inst::Observe { edge } => {
                    self.resume_at(pc);
                    return Ok(Transfer::Observe(edge));
                }
                Inst::ObserveLoad { a, offset, bytes } => {
                    self.observe_load(r!(a), i64::from(offset), u64::from(bytes));
                }
                Inst::ObserveStore { a, offset, bytes } => {
                    self.observe_store(r!(a), i64::from(offset), u64::from(bytes));
                }
            }
        }
    }

    fn resume_at(&mut self, pc: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.pc = pc;
        }
    }

    fn choose(&mut self, open: &[u32]) -> Result<u32, Stop> {
        match *open {
            [] => Err(Box::new(Outcome::AssumptionFailed { site: self.site() })),
            [only] => Ok(only),
            _ => {
                let count = open.len() as u32;
                let chosen = self.inputs.choice(count).filter(|&choice| choice < count);
                let Some(edge) = chosen else {
                    return Err(self.exhausted(format!("one of {count} open edges")));
                };
                self.trace.inputs.push(Input::Choice { edge });
                Ok(open[edge as usize])
            }
        }
    }

    fn slow_binary(
        &mut self,
        op: BinaryOp,
        shape: Shape,
        a: Value,
        b: Value,
    ) -> Result<Value, Stop> {
        let scalar = shape.scalar();
        let width = shape.width();
        let (x, y) = (shape.bits(a), b.to_bits());
        if op.is_shift() && y >= u128::from(width) {
            self.undefined(UbKind::ShiftOutOfRange)?;
        }
        if ops::overflows(op, scalar, x, y) {
            self.undefined(UbKind::SignedOverflow)?;
        }
        match ops::binary(op, scalar, x, scalar, shape_count(op, y, width)) {
            Ok(bits) => Ok(Value::bits(bits)),
            Err(trap) => Err(self.fatal(trap.into())),
        }
    }

    fn load_bits(
        &mut self,
        field: crate::interp::code::BitAccess,
        pointer: Value,
    ) -> Result<Value, Stop> {
        let width = u16::from(field.width);
        let bytes = usize::from(field.shift) + usize::from(field.width);
        let bytes = bytes.div_ceil(8);
        let which = bit_mask(field);
        let read = self.memory.read_masked(pointer, field.offset, bytes);
        let (mut value, mask) = self.check(read)?;
        if mask & which != which {
            if !self.memory.is_unknown(pointer, field.offset) {
                self.undefined(UbKind::UninitializedRead)?;
            }
            let answer = self.nondet(ops::Scalar::Int { bits: width, signed: false })?;
            let missing = which & !mask;
            value = value & !missing | (answer << field.shift) & missing;
            let stored = self.memory.write_masked(pointer, field.offset, bytes, value, missing);
            self.check(stored)?;
        }
        let bits = (value & which) >> field.shift;
        let extended =
            if field.shape.is_signed() { ops::sign_extend(bits, width) as u128 } else { bits };
        Ok(field.shape.value(extended))
    }

    fn store_bits(
        &mut self,
        field: crate::interp::code::BitAccess,
        pointer: Value,
        value: Value,
    ) -> Result<(), Stop> {
        let bytes = (usize::from(field.shift) + usize::from(field.width)).div_ceil(8);
        let bits = field.shape.bits(value) << field.shift;
        let stored = self.memory.write_masked(pointer, field.offset, bytes, bits, bit_mask(field));
        self.check(stored)
    }

    /// A new object that lives as long as the call that runs.
    pub(crate) fn alloca(&mut self, bytes: u64) -> Result<Value, Stop> {
        let object = self
            .memory
            .allocate(Region::Stack, ObjectKind::Alloca, bytes, 16, Contents::Indeterminate)
            .ok_or_else(|| self.fatal(UbKind::StackOverflow))?;
        self.observe_allocation(object);
        Ok(object)
    }
}

/// Why the loop of one call was left.
enum Transfer {
    Call(u32),
    Return(Returned),
    Observe(crate::cfa::EdgeId),
    Outer(Reg, VarId),
}

/// Shift counts have a type of their own, of which only the value modulo the width matters.
fn shape_count(op: BinaryOp, bits: u128, width: u16) -> u128 {
    if op.is_shift() { bits % u128::from(width) } else { bits }
}

fn bit_mask(field: crate::interp::code::BitAccess) -> u128 {
    (u128::MAX >> (128 - u32::from(field.width))) << field.shift
}

#[inline(always)]
fn is_misaligned(access: Access, pointer: Value, offset: i64) -> bool {
    let align = match access {
        Access::B1 => return false,
        Access::B2 => 2,
        Access::B4 | Access::P4 => 4,
        Access::P8 => 8,
        // Less than their size on ILP32.
        Access::B8 | Access::B10 | Access::B16 => 4,
    };
    pointer.lo.wrapping_add(offset as u64) & (align - 1) != 0
}

/// The conversion, and whether the value could be represented.
#[inline(always)]
fn convert(from: Shape, to: Shape, value: Value) -> (Value, bool) {
    match (from, to) {
        (Shape::I32, Shape::F64) => (Value::double(f64::from(value.lo as i32)), true),
        (Shape::F64, Shape::I32) => {
            let number = f64::from_bits(value.lo);
            if number > -2_147_483_649.0 && number < 2_147_483_648.0 {
                return (Value::int(number as i32), true);
            }
            slow_convert(from, to, value)
        }
        (Shape::F32, Shape::F64) => {
            let number = f32::from_bits(value.lo as u32);
            if number.is_nan() {
                slow_convert(from, to, value)
            } else {
                (Value::double(f64::from(number)), true)
            }
        }
        (Shape::F64, Shape::F32) => {
            let number = f64::from_bits(value.lo);
            if number.is_nan() {
                slow_convert(from, to, value)
            } else {
                (Value::word(u64::from((number as f32).to_bits())), true)
            }
        }
        _ => slow_convert(from, to, value),
    }
}

fn slow_convert(from: Shape, to: Shape, value: Value) -> (Value, bool) {
    let bits = from.bits(value);
    let result = ops::cast(from.scalar(), to.scalar(), bits);
    let mut fits = true;
    if from.is_float() && !to.is_float() && to != Shape::Bool {
        // Converted back, a number that fits differs by less than one.
        let back =
            ops::cast(to.scalar(), ops::Scalar::Float(crate::types::FloatKind::F128), result);
        let quad = ops::Scalar::Float(crate::types::FloatKind::F128);
        let original = ops::cast(from.scalar(), quad, bits);
        let difference = ops::binary(BinaryOp::Sub, quad, original, quad, back).unwrap_or(0);
        let one = ops::cast(Shape::I32.scalar(), quad, 1);
        let minus_one = ops::unary(crate::expr::UnaryOp::Neg, quad, one);
        let below = ops::binary(BinaryOp::Lt, quad, difference, quad, one) == Ok(1);
        let above = ops::binary(BinaryOp::Gt, quad, difference, quad, minus_one) == Ok(1);
        fits = below && above;
    }
    (Value::bits(result), fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn fast_conversions_agree_with_ops(word in prop_oneof![
            any::<u64>(),
            any::<f64>().prop_map(f64::to_bits),
            (-3e9..3e9f64).prop_map(f64::to_bits),
        ]) {
            for (from, to) in [
                (Shape::I32, Shape::F64),
                (Shape::F64, Shape::I32),
                (Shape::F32, Shape::F64),
                (Shape::F64, Shape::F32),
            ] {
                let value = from.value(u128::from(word));
                prop_assert_eq!(convert(from, to, value), slow_convert(from, to, value));
            }
        }
    }
}
