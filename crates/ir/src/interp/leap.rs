//! Leaps over iterations of counting loops.
//!
//! A run that counts to a hundred million is executed all the same: when a loop has gone round often,
//! one more iteration is followed on a copy of the registers, in which each holds a number that moves by
//! a constant from iteration to iteration; so do places in memory that are accessed by fixed pointers. If the
//! iteration leaves them as they would be at the beginning of the next one, then, by induction, all iterations
//! do the same as long as no condition changes its truth and no number leaves its type; how many those are is
//! found by division. All of them but the last are leapt over, and the last is executed as always.
//!
//! What does not move by a constant may be computed in an iteration and handed on in it, since the last iteration
//! computes it again; what an iteration before has left of it is not known behind a leap, so an iteration that
//! reads such a thing before it writes it is not leapt over.
//!
//! That is the machine's meaning of the instructions, not an approximation: what is not exact (pointers that
//! move, functions of the library, inputs, whatever may be undefined behaviour) is not leapt over.

use crate::expr::BinaryOp;
use crate::interp::arith;
use crate::interp::code::{Arg, CallTarget, FunctionCode, Home, Inst, Reg, ResultUse};
use crate::interp::machine::{Known, Machine};
use crate::interp::memory::{Access, Memory};
use crate::interp::value::Value;
use crate::ops;
use crate::program::FuncId;

/// An iteration of more instructions is not followed.
const MOST_INSTRUCTIONS: usize = 2_000;
/// Fewer iterations are not worth a leap.
const FEWEST: u64 = 128;
/// Calls in an iteration are followed so deep.
const DEEPEST: usize = 8;
/// So many places in memory are followed.
const MOST_CELLS: usize = 16;
/// How often registers that do not move by constants are left out, and the rest is tried again.
const MOST_ATTEMPTS: usize = 6;
/// After so many failures in a row a loop is asked about more and more seldom.
const MOST_WAITS: u32 = 12;

/// When a loop is asked about again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Patience {
    failures: u32,
    waits: u32,
}

/// The bits of a register at iteration `k`: the lowest `bits` of `at + k * by`, and zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moving {
    at: i128,
    by: i128,
    bits: u32,
}

impl Moving {
    fn fixed(value: u64) -> Self {
        Self { at: value.into(), by: 0, bits: 64 }
    }

    fn fixed_value(self) -> Option<u64> {
        (self.by == 0).then(|| low(self.at, self.bits))
    }
}

fn low(value: i128, bits: u32) -> u64 {
    value as u64 & (u64::MAX >> (64 - bits))
}

/// The number of a type with so many low bits.
fn number(value: i128, bits: u32, signed: bool) -> i128 {
    let word = low(value, bits);
    match signed {
        true => ops::sign_extend(word.into(), bits as u16),
        false => word.into(),
    }
}

/// Followed no further.
struct Nothing;

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    Number(Moving),
    /// The same pointer in all iterations.
    Pointer(Value),
    /// Something that this iteration has computed.
    Computed,
    /// What an iteration before has left, and was not leapt over with: nobody may read it.
    Stale,
}

impl Held {
    fn of(value: Value) -> Self {
        match value.hi {
            0 => Held::Number(Moving::fixed(value.lo)),
            _ => Held::Pointer(value),
        }
    }

    /// The same, if it may be read.
    fn read(self) -> Result<Self, Nothing> {
        match self {
            Held::Stale => Err(Nothing),
            held => Ok(held),
        }
    }

    fn number(value: Option<Moving>) -> Self {
        value.map_or(Held::Computed, Held::Number)
    }
}

/// A place in memory that an iteration accesses by a fixed pointer.
#[derive(Clone, Debug)]
struct Cell {
    pointer: Value,
    offset: i64,
    access: Access,
    /// What it holds at the beginning of the iteration, and now.
    before: Value,
    held: Held,
    is_stored: bool,
}

impl Cell {
    fn span(&self) -> (i128, i128) {
        let first = i128::from(self.pointer.lo) + i128::from(self.offset);
        (first, first + self.access.bytes() as i128)
    }
}

/// What moves: registers of the loop's function, and cells in the order in which they are met.
#[derive(Clone, Debug, Default, PartialEq)]
struct Moves {
    registers: Vec<Option<i64>>,
    /// `None` where that is not known yet, or no number.
    cells: Vec<Option<i64>>,
}

/// One iteration that stands for many.
struct Iteration<'m> {
    known: &'m [Known],
    memory: &'m Memory,
    cells: Vec<Cell>,
    /// By how much cells move, in the order in which they are met; those behind do not.
    moves: Vec<Option<i64>>,
    /// For so many iterations everything is as in the first one.
    limit: u128,
    instructions: usize,
    /// How much of the stack calls pass over.
    stack: u64,
    /// The edges that an observer is told of.
    edges: u64,
}

/// A call that is followed in an iteration.
struct Open<'c> {
    code: &'c FunctionCode,
    regs: Vec<Held>,
    depth: usize,
}

impl Open<'_> {
    fn held(&self, reg: Reg) -> Result<Held, Nothing> {
        self.regs[usize::from(reg)].read()
    }

    fn get(&self, reg: Reg) -> Result<Moving, Nothing> {
        match self.held(reg)? {
            Held::Number(moving) => Ok(moving),
            _ => Err(Nothing),
        }
    }

    fn pointer(&self, reg: Reg) -> Result<Value, Nothing> {
        match self.held(reg)? {
            Held::Pointer(pointer) => Ok(pointer),
            _ => Err(Nothing),
        }
    }

    fn set(&mut self, reg: Reg, held: Held) {
        self.regs[usize::from(reg)] = held;
    }
}

impl Iteration<'_> {
    /// It stays so as long as `at + k * by` is not negative, which it is not for `k = 0`.
    fn while_not_negative(&mut self, at: i128, by: i128) -> Result<(), Nothing> {
        if at < 0 {
            return Err(Nothing);
        }
        if by < 0 {
            self.limit = self.limit.min((at / -by + 1) as u128);
        }
        Ok(())
    }

    fn while_within(&mut self, moving: Moving, least: i128, most: i128) -> Result<(), Nothing> {
        self.while_not_negative(moving.at - least, moving.by)?;
        self.while_not_negative(most - moving.at, -moving.by)
    }

    /// What is held as a number of a type, which it is as long as it does not leave the type.
    fn read(&mut self, held: Moving, bits: u32, signed: bool) -> Result<Moving, Nothing> {
        let held = self.modular(held, bits)?;
        let (at, by) = (number(held.at, bits, signed), number(held.by, bits, true));
        let (least, most) = match signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        let moving = Moving { at, by, bits };
        self.while_within(moving, least, most)?;
        Ok(moving)
    }

    /// The lowest bits of what is held.
    fn modular(&mut self, held: Moving, bits: u32) -> Result<Moving, Nothing> {
        if bits <= held.bits {
            return Ok(Moving { bits, ..held });
        }
        // Behind the bits that it has are zeros.
        let (at, by) = (number(held.at, held.bits, false), number(held.by, held.bits, true));
        let moving = Moving { at, by, bits };
        self.while_within(moving, 0, (1i128 << held.bits) - 1)?;
        Ok(moving)
    }

    /// What an operation gives, if that moves by a constant.
    fn binary(
        &mut self,
        op: BinaryOp,
        (a, b): (Moving, Moving),
        bits: u32,
        signed: bool,
    ) -> Result<Option<Moving>, Nothing> {
        if op.is_comparison() {
            let truth = self.compare(op, (a, b), bits, signed)?;
            return Ok(Some(Moving::fixed(truth.into())));
        }
        if let (Some(x), Some(y)) = (a.fixed_value(), b.fixed_value()) {
            let (value, noted) = match (bits, signed) {
                (32, true) => arith::i32_op(op, x, y),
                (32, false) => arith::u32_op(op, x, y),
                (64, true) => arith::i64_op(op, x, y),
                _ => arith::u64_op(op, x, y),
            };
            return match noted {
                None => Ok(Some(Moving::fixed(value))),
                Some(_) => Err(Nothing),
            };
        }
        let (x, y) = match signed {
            true => (self.read(a, bits, true)?, self.read(b, bits, true)?),
            false => (self.modular(a, bits)?, self.modular(b, bits)?),
        };
        let result = match op {
            BinaryOp::Add => Moving { at: x.at + y.at, by: x.by + y.by, bits },
            BinaryOp::Sub => Moving { at: x.at - y.at, by: x.by - y.by, bits },
            BinaryOp::Mul if x.by == 0 || y.by == 0 => {
                let product = |a: i128, b: i128| a.checked_mul(b).ok_or(Nothing);
                let by = product(x.at, y.by)?.checked_add(product(x.by, y.at)?).ok_or(Nothing)?;
                Moving { at: product(x.at, y.at)?, by, bits }
            }
            BinaryOp::Shl if y.by == 0 => {
                let count = u32::try_from(y.at).ok().filter(|count| *count < bits);
                let factor = 1i128 << count.ok_or(Nothing)?;
                let product = |a: i128| a.checked_mul(factor).ok_or(Nothing);
                Moving { at: product(x.at)?, by: product(x.by)?, bits }
            }
            BinaryOp::Rem if y.by == 0 => return self.remainder(a, y, bits, signed).map(Some),
            BinaryOp::BitAnd if x.by == 0 || y.by == 0 => {
                let (mask, other) = if x.by == 0 { (x, y) } else { (y, x) };
                let mask = low(mask.at, bits);
                // The low bits of what moves by a multiple of them.
                let is_low = mask & mask.wrapping_add(1) == 0;
                let stays = is_low && mask != u64::MAX && other.by % (i128::from(mask) + 1) == 0;
                return Ok(stays.then(|| Moving::fixed(low(other.at, bits) & mask)));
            }
            _ if may_be_undefined(op, y, bits, signed) => return Err(Nothing),
            _ => return Ok(None),
        };
        if signed {
            // Nothing overflows.
            self.while_within(result, -(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)?;
        }
        Ok(Some(Moving { at: number(result.at, bits, signed), ..result }))
    }

    /// The remainder of what moves by a multiple of the divisor, and keeps its sign.
    fn remainder(
        &mut self,
        a: Moving,
        divisor: Moving,
        bits: u32,
        signed: bool,
    ) -> Result<Moving, Nothing> {
        let dividend = self.read(a, bits, signed)?;
        let divisor = number(divisor.at, bits, signed);
        if divisor <= 0 || dividend.by % divisor != 0 || dividend.at < 0 {
            return Err(Nothing);
        }
        self.while_not_negative(dividend.at, dividend.by)?;
        Ok(Moving::fixed((dividend.at % divisor) as u64))
    }

    /// Whether a comparison holds: in all iterations as in the first one.
    fn compare(
        &mut self,
        op: BinaryOp,
        (a, b): (Moving, Moving),
        bits: u32,
        signed: bool,
    ) -> Result<bool, Nothing> {
        let (x, y) = (self.read(a, bits, signed)?, self.read(b, bits, signed)?);
        let (at, by) = (x.at - y.at, x.by - y.by);
        let truth = match op {
            BinaryOp::Eq => at == 0,
            BinaryOp::Ne => at != 0,
            BinaryOp::Lt => at < 0,
            BinaryOp::Le => at <= 0,
            BinaryOp::Gt => at > 0,
            BinaryOp::Ge => at >= 0,
            _ => return Err(Nothing),
        };
        match op {
            BinaryOp::Eq | BinaryOp::Ne if at == 0 => {
                if by != 0 {
                    self.limit = self.limit.min(1);
                }
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                if by != 0 && at % by == 0 && -at / by > 0 {
                    self.limit = self.limit.min((-at / by) as u128);
                }
            }
            _ if at < 0 => self.while_not_negative(-at - 1, -by)?,
            _ if at > 0 => self.while_not_negative(at - 1, by)?,
            // Equal: the side that keeps the truth is the one on which equal lies.
            _ => match (op, truth) {
                (BinaryOp::Le, _) | (BinaryOp::Gt, _) => self.while_not_negative(0, -by)?,
                _ => self.while_not_negative(0, by)?,
            },
        }
        Ok(truth)
    }

    /// The cell that is accessed, found or new.
    fn cell(&mut self, pointer: Value, offset: i64, access: Access) -> Result<usize, Nothing> {
        if matches!(access, Access::B10 | Access::B16) {
            return Err(Nothing);
        }
        let is_same =
            |cell: &Cell| (cell.pointer, cell.offset, cell.access) == (pointer, offset, access);
        if let Some(known) = self.cells.iter().position(is_same) {
            return Ok(known);
        }
        let number = self.cells.len();
        if number == MOST_CELLS {
            return Err(Nothing);
        }
        let before = self.memory.load(access, pointer, offset).map_err(|_| Nothing)?;
        let held = match (Held::of(before), self.moves.get(number)) {
            (Held::Number(moving), Some(Some(by))) => {
                Held::Number(Moving { by: i128::from(*by), ..moving })
            }
            (_, Some(None)) => Held::Stale,
            (held, _) => held,
        };
        let new = Cell { pointer, offset, access, before, held, is_stored: false };
        let overlaps = |cell: &Cell| {
            let ((a, b), (c, d)) = (cell.span(), new.span());
            a < d && c < b
        };
        if self.cells.iter().any(overlaps) {
            return Err(Nothing);
        }
        self.cells.push(new);
        Ok(number)
    }

    /// Follows a call to its end; its result.
    fn call(&mut self, caller: &Open<'_>, site: u32) -> Result<Held, Nothing> {
        let site = &caller.code.calls[site as usize];
        let CallTarget::Exact(func) = site.target else { return Err(Nothing) };
        let Some(Known::Body(code)) = self.known.get(func.0 as usize) else { return Err(Nothing) };
        if !code.locals.is_empty() || code.variadic || caller.depth == DEEPEST {
            return Err(Nothing);
        }
        self.stack = self.stack.saturating_add(code.last_gap);
        let regs = code.template.iter().map(|value| Held::of(*value)).collect();
        let mut open = Open { code, regs, depth: caller.depth + 1 };
        for (arg, param) in site.args.iter().zip(&code.params) {
            let (Arg::Scalar { reg, .. }, Home::Register(home)) = (*arg, param.home) else {
                return Err(Nothing);
            };
            open.set(home, caller.held(reg)?);
        }
        match (self.follow(&mut open, 0, None)?, site.result) {
            (held, ResultUse::Unused) => Ok(held.unwrap_or(Held::Computed)),
            (Some(held), ResultUse::Scalar { .. }) => Ok(held),
            _ => Err(Nothing),
        }
    }

    /// Follows the instructions from a position until it is reached again behind a tick, or until the
    /// call returns; what it returns.
    fn follow(
        &mut self,
        open: &mut Open<'_>,
        start: usize,
        tick: Option<usize>,
    ) -> Result<Option<Held>, Nothing> {
        let code = open.code;
        let mut pc = start;
        loop {
            self.instructions += 1;
            if self.instructions > MOST_INSTRUCTIONS {
                return Err(Nothing);
            }
            let inst = code.insts[pc];
            pc += 1;
            let binary = |this: &mut Self, open: &mut Open<'_>, (op, d, a, b), bits, signed| {
                let operands = (open.get(a)?, open.get(b)?);
                let value = this.binary(op, operands, bits, signed)?;
                open.set(d, Held::number(value));
                Ok(())
            };
            let branch = |this: &mut Self, open: &Open<'_>, (op, a, b), bits, signed| {
                this.compare(op, (open.get(a)?, open.get(b)?), bits, signed)
            };
            match inst {
                Inst::Copy { d, a } => open.set(d, open.held(a)?),
                Inst::Const { d, index } => open.set(d, Held::of(code.constants[index as usize])),
                Inst::I32 { op, d, a, b } => binary(self, open, (op, d, a, b), 32, true)?,
                Inst::U32 { op, d, a, b } => binary(self, open, (op, d, a, b), 32, false)?,
                Inst::I64 { op, d, a, b } => binary(self, open, (op, d, a, b), 64, true)?,
                Inst::U64 { op, d, a, b } => binary(self, open, (op, d, a, b), 64, false)?,
                Inst::SignExtend { d, a, from, to } => {
                    let value = self.read(open.get(a)?, from.into(), true)?;
                    open.set(d, Held::Number(Moving { bits: to.into(), ..value }));
                }
                Inst::Truncate { d, a, to } => {
                    let held = open.get(a)?;
                    let bits = held.bits.min(to.into());
                    open.set(d, Held::Number(Moving { bits, ..held }));
                }
                Inst::Truth { d, a, shape } => {
                    let held = match open.get(a)?.fixed_value() {
                        Some(value) => {
                            let bits = shape.bits(Value::word(value));
                            let truth = ops::is_true(shape.scalar(), bits);
                            Held::Number(Moving::fixed(truth.into()))
                        }
                        None => Held::Computed,
                    };
                    open.set(d, held);
                }
                Inst::Load { access, d, a, offset, .. } => {
                    let cell = self.cell(open.pointer(a)?, offset.into(), access)?;
                    open.set(d, self.cells[cell].held.read()?);
                }
                Inst::Store { access, a, b, offset, .. } => {
                    let cell = self.cell(open.pointer(a)?, offset.into(), access)?;
                    let held = match open.held(b)? {
                        Held::Number(moving) => {
                            let is_pointer = matches!(access, Access::P4 | Access::P8);
                            if is_pointer && moving.fixed_value() != Some(0) {
                                return Err(Nothing);
                            }
                            let bits = moving.bits.min(8 * access.bytes() as u32);
                            Held::Number(Moving { bits, ..moving })
                        }
                        Held::Pointer(_) if !matches!(access, Access::P4 | Access::P8) => {
                            return Err(Nothing);
                        }
                        held => held,
                    };
                    self.cells[cell].held = held;
                    self.cells[cell].is_stored = true;
                }
                Inst::Call { site } => {
                    let result = self.call(open, site)?;
                    if let ResultUse::Scalar { d, .. } = code.calls[site as usize].result {
                        open.set(d, result);
                    }
                }
                Inst::Return { a } if tick.is_none() => return Ok(Some(open.held(a)?)),
                Inst::ReturnNothing if tick.is_none() => return Ok(None),
                Inst::Jump { to } => pc = to as usize,
                Inst::Branch { a, then, other } => {
                    let value = open.get(a)?.fixed_value().ok_or(Nothing)?;
                    pc = if value != 0 { then } else { other } as usize;
                }
                Inst::BranchI32 { op, a, b, then, other } => {
                    let truth = branch(self, open, (op, a, b), 32, true)?;
                    pc = if truth { then } else { other } as usize;
                }
                Inst::BranchU32 { op, a, b, then, other } => {
                    let truth = branch(self, open, (op, a, b), 32, false)?;
                    pc = if truth { then } else { other } as usize;
                }
                Inst::BranchI64 { op, a, b, then, other } => {
                    let truth = branch(self, open, (op, a, b), 64, true)?;
                    pc = if truth { then } else { other } as usize;
                }
                Inst::BranchU64 { op, a, b, then, other } => {
                    let truth = branch(self, open, (op, a, b), 64, false)?;
                    pc = if truth { then } else { other } as usize;
                }
                Inst::Undefine { shadow } => open.set(shadow, Held::Number(Moving::fixed(0))),
                Inst::Define { shadow } => open.set(shadow, Held::Number(Moving::fixed(1))),
                Inst::Require { shadow, .. } => {
                    if open.get(shadow)?.fixed_value().ok_or(Nothing)? == 0 {
                        return Err(Nothing);
                    }
                }
                Inst::Observe { .. } => self.edges += 1,
                Inst::ObserveLoad { .. } | Inst::ObserveStore { .. } => {}
                Inst::Tick if tick == Some(pc) => return Ok(None),
                Inst::Tick => {}
                _ => return Err(Nothing),
            }
        }
    }
}

/// A leap: by how much registers and cells move in an iteration, how many edges and how much of the stack that
/// takes, and how many iterations there are.
struct Leap {
    edges: u64,
    stack: u64,
    registers: Vec<Option<i64>>,
    cells: Vec<(Cell, i64)>,
    count: u64,
}

/// Whether an operation of which at least one operand moves is undefined for some of their values, or is noted as such.
fn may_be_undefined(op: BinaryOp, b: Moving, bits: u32, signed: bool) -> bool {
    let b = (b.by == 0).then(|| number(b.at, bits, signed));
    match op {
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => false,
        BinaryOp::Mul => signed,
        BinaryOp::Div => b.is_none_or(|b| b == 0 || signed && b == -1),
        BinaryOp::Shr => b.is_none_or(|b| !(0..i128::from(bits)).contains(&b)),
        _ => true,
    }
}

/// By how much a value moves to what is held.
fn distance(before: Value, after: Held) -> Option<i64> {
    match after {
        Held::Number(after) if before.hi == 0 => {
            Some(low(after.at, after.bits).wrapping_sub(before.lo) as i64)
        }
        Held::Pointer(after) if after == before => Some(0),
        _ => None,
    }
}

impl Machine<'_> {
    /// What iterations of the loop that begin behind a tick have in common; `None` if that is not known.
    fn many(&self, code: &FunctionCode, regs: &[Value], start: usize) -> Option<Leap> {
        // One iteration in which nothing moves yet, for a first guess.
        let mut moves = Moves { registers: vec![Some(0); regs.len()], cells: Vec::new() };
        let (open, iteration) = self.iteration(code, regs, start, &moves)?;
        moves.registers =
            regs.iter().zip(&open.regs).map(|(before, after)| distance(*before, *after)).collect();
        moves.cells = iteration.cells.iter().map(|cell| distance(cell.before, cell.held)).collect();
        for _ in 0..MOST_ATTEMPTS {
            let (open, mut iteration) = self.iteration(code, regs, start, &moves)?;
            let mut is_stable = iteration.cells.len() == moves.cells.len();
            let mut limit = iteration.limit;
            for ((before, by), after) in regs.iter().zip(&mut moves.registers).zip(&open.regs) {
                if by.is_some_and(|by| !is_step(&mut limit, *before, by, *after)) {
                    *by = None;
                    is_stable = false;
                }
            }
            // The same cells are met in the same order, or the path is another one.
            if iteration.cells.len() != moves.cells.len() {
                return None;
            }
            for (cell, by) in iteration.cells.iter().zip(&mut moves.cells) {
                if by.is_some_and(|by| !is_step(&mut limit, cell.before, by, cell.held)) {
                    *by = None;
                    is_stable = false;
                }
            }
            if is_stable {
                let cells = iteration.cells.drain(..).zip(&moves.cells);
                let moved = cells.filter_map(|(cell, by)| Some((cell, (*by)?)));
                let cells = moved.filter(|(cell, _)| cell.is_stored).collect();
                let count = u64::try_from(limit).unwrap_or(u64::MAX);
                let Iteration { edges, stack, .. } = iteration;
                return Some(Leap { edges, stack, registers: moves.registers, cells, count });
            }
        }
        None
    }

    /// An iteration in which registers and cells move so.
    fn iteration<'m>(
        &'m self,
        code: &'m FunctionCode,
        regs: &[Value],
        start: usize,
        moves: &Moves,
    ) -> Option<(Open<'m>, Iteration<'m>)> {
        let held = |(value, by): (&Value, &Option<i64>)| match (Held::of(*value), by) {
            (_, None) => Held::Stale,
            (Held::Number(moving), Some(by)) => {
                Held::Number(Moving { by: i128::from(*by), ..moving })
            }
            (held, Some(_)) => held,
        };
        let regs = regs.iter().zip(&moves.registers).map(held).collect();
        let mut open = Open { code, regs, depth: 0 };
        let mut iteration = Iteration {
            known: &self.known,
            memory: &self.memory,
            cells: Vec::new(),
            moves: moves.cells.clone(),
            limit: u128::MAX,
            instructions: 0,
            stack: 0,
            edges: 0,
        };
        iteration.follow(&mut open, start, Some(start)).ok()?;
        Some((open, iteration))
    }
}

/// Whether what was `before + k * by` at the beginning of an iteration is what it is to be at the
/// beginning of the next one, in all iterations to the limit, which may become smaller.
fn is_step(limit: &mut u128, before: Value, by: i64, after: Held) -> bool {
    let next = match after {
        Held::Number(next) if before.hi == 0 => next,
        Held::Pointer(after) => return after == before && by == 0,
        _ => return false,
    };
    let by = i128::from(by);
    let expected = i128::from(before.lo) + by;
    let mask = |value: i128| low(value, next.bits);
    if mask(expected) != mask(next.at) || mask(by) != mask(next.by) {
        return false;
    }
    if next.bits == 64 {
        return true;
    }
    // All that is held is within the bits, and so is what comes next.
    let most = (1i128 << next.bits) - 1;
    for (at, by) in [(expected, by), (most - expected, -by)] {
        if at < 0 {
            return false;
        }
        if by < 0 {
            *limit = (*limit).min((at / -by + 1) as u128);
        }
    }
    true
}

impl Machine<'_> {
    /// Leaps over iterations of the loop that goes round with the instruction before a position.
    pub(crate) fn leap(&mut self, code: &FunctionCode, regs: &mut [Value], start: usize) {
        let may_skip = self.observer.as_ref().is_none_or(|observer| observer.may_skip());
        if !self.options.leaps || !may_skip {
            return;
        }
        let key = (code.func, start as u32);
        let patience = self.patience.entry(key).or_default();
        if patience.waits > 0 {
            patience.waits -= 1;
            return;
        }
        match self.many(code, regs, start) {
            Some(Leap { edges, stack, registers, cells, count })
                if count > FEWEST && count < u64::MAX =>
            {
                let leapt = count - 1;
                let moved = |lo: u64, by: i64| lo.wrapping_add((by as u64).wrapping_mul(leapt));
                for (register, by) in regs.iter_mut().zip(registers) {
                    // What does not move by a constant is written in the last iteration, before it is read.
                    register.lo = moved(register.lo, by.unwrap_or(0));
                }
                for (cell, by) in cells {
                    let bytes = cell.access.bytes() as u32;
                    let value = Value {
                        lo: low(moved(cell.before.lo, by).into(), 8 * bytes),
                        ..cell.before
                    };
                    // It was stored to before.
                    let _ = self.memory.store(cell.access, cell.pointer, cell.offset, value);
                }
                self.memory.skip_calls(stack.saturating_mul(leapt));
                self.patience.insert(key, Patience::default());
                if let Some(observer) = &mut self.observer {
                    observer.skipped(edges.saturating_mul(leapt));
                }
            }
            _ => {
                let patience = self.patience.entry(key).or_default();
                patience.failures = (patience.failures + 1).min(MOST_WAITS);
                patience.waits = 1 << patience.failures;
            }
        }
    }
}

/// Loops by their function and the position behind their tick.
pub(crate) type Loops = rustc_hash::FxHashMap<(FuncId, u32), Patience>;
