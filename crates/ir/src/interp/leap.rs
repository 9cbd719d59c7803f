//! Leaps over iterations of counting loops.
//!
//! A run that counts to a hundred million is executed all the same: when a loop has gone round often,
//! one more iteration is followed on a copy of the registers, in which each holds a number that moves by
//! a constant from iteration to iteration. If the iteration leaves them as they would be at the
//! beginning of the next one, then, by induction, all iterations do the same as long as no condition
//! changes its truth and no number leaves its type; how many those are is found by division. All of them
//! but the last are leapt over, and the last is executed as always, so registers that were written on the
//! way have their values.
//!
//! That is the machine's meaning of the instructions, not an approximation: what is not exact (memory,
//! calls, inputs, undefined behaviour) is not leapt over.

use crate::expr::BinaryOp;
use crate::interp::arith;
use crate::interp::code::{FunctionCode, Inst, Reg};
use crate::interp::machine::Machine;
use crate::interp::value::Value;
use crate::ops;
use crate::program::FuncId;

/// An iteration of more instructions is not followed.
const MOST_INSTRUCTIONS: usize = 2_000;
/// Fewer iterations are not worth a leap.
const FEWEST: u64 = 128;
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

/// One iteration that stands for many.
struct Iteration<'c> {
    code: &'c FunctionCode,
    /// What registers hold; `None` where that is not known.
    regs: Vec<Option<Moving>>,
    /// For so many iterations everything is as in the first one.
    limit: u128,
}

impl Iteration<'_> {
    fn get(&self, reg: Reg) -> Result<Moving, Nothing> {
        self.regs[usize::from(reg)].ok_or(Nothing)
    }

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

    /// A register as a number of a type, which it is as long as it does not leave the type.
    fn read(&mut self, reg: Reg, bits: u32, signed: bool) -> Result<Moving, Nothing> {
        let held = self.modular(reg, bits)?;
        let (at, by) = (number(held.at, bits, signed), number(held.by, bits, true));
        let (least, most) = match signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        let moving = Moving { at, by, bits };
        self.while_within(moving, least, most)?;
        Ok(moving)
    }

    /// The lowest bits of a register.
    fn modular(&mut self, reg: Reg, bits: u32) -> Result<Moving, Nothing> {
        let held = self.get(reg)?;
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
        (a, b): (Reg, Reg),
        bits: u32,
        signed: bool,
    ) -> Result<Option<Moving>, Nothing> {
        if op.is_comparison() {
            let truth = self.compare(op, (a, b), bits, signed)?;
            return Ok(Some(Moving::fixed(truth.into())));
        }
        let (x, y) = (self.get(a)?, self.get(b)?);
        if let (Some(x), Some(y)) = (x.fixed_value(), y.fixed_value()) {
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
            BinaryOp::Rem if y.by == 0 => return self.remainder(a, y, bits, signed).map(Some),
            BinaryOp::BitAnd if x.by == 0 || y.by == 0 => {
                let (mask, other) = if x.by == 0 { (x, y) } else { (y, x) };
                let mask = low(mask.at, bits);
                // The low bits of what moves by a multiple of them.
                let is_low = mask & mask.wrapping_add(1) == 0;
                let stays = is_low && mask != u64::MAX && other.by % (i128::from(mask) + 1) == 0;
                return Ok(stays.then(|| Moving::fixed(low(other.at, bits) & mask)));
            }
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
        a: Reg,
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
        (a, b): (Reg, Reg),
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

    /// Follows the instructions from a position until it is reached again.
    fn follow(&mut self, start: usize) -> Result<(), Nothing> {
        let mut pc = start;
        for _ in 0..MOST_INSTRUCTIONS {
            let inst = self.code.insts[pc];
            pc += 1;
            let set = |this: &mut Self, d: Reg, value: Option<Moving>| {
                this.regs[usize::from(d)] = value;
            };
            match inst {
                Inst::Copy { d, a } => {
                    let value = self.regs[usize::from(a)];
                    set(self, d, value);
                }
                Inst::Const { d, index } => {
                    let value = self.code.constants[index as usize];
                    set(self, d, (value.hi == 0).then(|| Moving::fixed(value.lo)));
                }
                Inst::I32 { op, d, a, b } => {
                    let value = self.binary(op, (a, b), 32, true)?;
                    set(self, d, value);
                }
                Inst::U32 { op, d, a, b } => {
                    let value = self.binary(op, (a, b), 32, false)?;
                    set(self, d, value);
                }
                Inst::I64 { op, d, a, b } => {
                    let value = self.binary(op, (a, b), 64, true)?;
                    set(self, d, value);
                }
                Inst::U64 { op, d, a, b } => {
                    let value = self.binary(op, (a, b), 64, false)?;
                    set(self, d, value);
                }
                Inst::SignExtend { d, a, from, to } => {
                    let value = self.read(a, from.into(), true)?;
                    set(self, d, Some(Moving { bits: to.into(), ..value }));
                }
                Inst::Truncate { d, a, to } => {
                    let held = self.get(a)?;
                    let bits = held.bits.min(to.into());
                    set(self, d, Some(Moving { bits, ..held }));
                }
                Inst::Truth { d, a, shape } => {
                    let value = match self.get(a)?.fixed_value() {
                        Some(value) => {
                            let truth = ops::is_true(shape.scalar(), shape.bits(Value::word(value)));
                            Some(Moving::fixed(truth.into()))
                        }
                        None => None,
                    };
                    set(self, d, value);
                }
                Inst::Jump { to } => pc = to as usize,
                Inst::Branch { a, then, other } => {
                    let value = self.get(a)?.fixed_value().ok_or(Nothing)?;
                    pc = if value != 0 { then } else { other } as usize;
                }
                Inst::BranchI32 { op, a, b, then, other } => {
                    pc = if self.compare(op, (a, b), 32, true)? { then } else { other } as usize;
                }
                Inst::BranchU32 { op, a, b, then, other } => {
                    pc = if self.compare(op, (a, b), 32, false)? { then } else { other } as usize;
                }
                Inst::BranchI64 { op, a, b, then, other } => {
                    pc = if self.compare(op, (a, b), 64, true)? { then } else { other } as usize;
                }
                Inst::BranchU64 { op, a, b, then, other } => {
                    pc = if self.compare(op, (a, b), 64, false)? { then } else { other } as usize;
                }
                Inst::Undefine { shadow } => set(self, shadow, Some(Moving::fixed(0))),
                Inst::Define { shadow } => set(self, shadow, Some(Moving::fixed(1))),
                Inst::Require { shadow, .. } => {
                    if self.get(shadow)?.fixed_value().ok_or(Nothing)? == 0 {
                        return Err(Nothing);
                    }
                }
                Inst::Observe { .. } => {}
                Inst::Tick if pc == start => return Ok(()),
                Inst::Tick => {}
                _ => return Err(Nothing),
            }
        }
        Err(Nothing)
    }
}

/// By how much registers move in an iteration that begins behind a tick, as far as that is a constant, and for
/// how many iterations; `None` if that is not known of the loop.
fn many(code: &FunctionCode, regs: &[Value], start: usize) -> Option<(Vec<i64>, u64)> {
    let plain = |value: &Value| (value.hi == 0).then(|| Moving::fixed(value.lo));
    // One iteration as it is, for a first guess.
    let mut first = Iteration { code, regs: regs.iter().map(plain).collect(), limit: u128::MAX };
    first.follow(start).ok()?;
    let moved = |(old, new): (&Value, &Option<Moving>)| {
        let new = low(new.as_ref()?.at, new.as_ref()?.bits);
        (old.hi == 0).then(|| new.wrapping_sub(old.lo) as i64)
    };
    let mut moves: Vec<Option<i64>> = regs.iter().zip(&first.regs).map(moved).collect();
    for _ in 0..MOST_ATTEMPTS {
        let held = |(old, by): (&Value, &Option<i64>)| {
            let at = i128::from(old.lo);
            by.map(|by| Moving { at, by: by.into(), bits: 64 })
        };
        let beginning: Vec<Option<Moving>> = regs.iter().zip(&moves).map(held).collect();
        let mut iteration = Iteration { code, regs: beginning.clone(), limit: u128::MAX };
        iteration.follow(start).ok()?;
        let mut is_stable = true;
        for (reg, held) in beginning.iter().enumerate() {
            let Some(held) = held else { continue };
            let is_next = iteration.regs[reg].is_some_and(|next| is_step(&mut iteration.limit, *held, next));
            if !is_next {
                moves[reg] = None;
                is_stable = false;
            }
        }
        if is_stable {
            let count = u64::try_from(iteration.limit).unwrap_or(u64::MAX);
            return Some((moves.into_iter().map(|by| by.unwrap_or(0)).collect(), count));
        }
    }
    None
}

/// Whether a register holds at the end of an iteration what it is to hold at the beginning of the next one,
/// in all iterations to the limit, which may become smaller.
fn is_step(limit: &mut u128, held: Moving, next: Moving) -> bool {
    let mask = |value: i128| low(value, next.bits);
    let expected = held.at + held.by;
    if mask(expected) != mask(next.at) || mask(held.by) != mask(next.by) {
        return false;
    }
    if next.bits == 64 {
        return true;
    }
    // All that is held is within the bits, and so is what comes next.
    let most = (1i128 << next.bits) - 1;
    for (at, by) in [(expected, held.by), (most - expected, -held.by)] {
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
        let patience = self.patience.entry((code.func, start as u32)).or_default();
        if patience.waits > 0 {
            patience.waits -= 1;
            return;
        }
        match many(code, regs, start) {
            Some((moves, count)) if count > FEWEST && count < u64::MAX => {
                patience.failures = 0;
                let leapt = count - 1;
                for (register, by) in regs.iter_mut().zip(moves) {
                    register.lo = register.lo.wrapping_add((by as u64).wrapping_mul(leapt));
                }
            }
            _ => {
                patience.failures = (patience.failures + 1).min(MOST_WAITS);
                patience.waits = 1 << patience.failures;
            }
        }
    }
}

/// Loops by their function and the position behind their tick.
pub(crate) type Loops = rustc_hash::FxHashMap<(FuncId, u32), Patience>;

