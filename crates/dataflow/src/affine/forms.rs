//! Expressions as affine forms `c + Σ aᵢxᵢ`, as far as machine arithmetic allows it.
//!
//! Modulo `2ⁿ`, what is at least `n` bits wide is known by its low `n` bits: addition, subtraction,
//! multiplication by constants and conversions between such types are exact then, wrap-around
//! included. What is narrower than `n` bits is known by its value, which only constants, copies and
//! conversions that keep the value preserve. Over the rationals everything is known by its value;
//! signed arithmetic is taken not to overflow, and unsigned arithmetic has no form.

use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceKind, UnaryOp};
use gnomon_ir::program::{Program, VarId};
use gnomon_ir::types::{Type, TypeId};

/// The arithmetic of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// Modulo `2ⁿ`, for `n` of 8, 16, 32 or 64.
    Modular(u32),
    /// Rational numbers.
    Rational,
}

/// `constant + Σ coefficient · variable`; modulo `2ⁿ` the numbers wrap around at 64 bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// The constant.
    pub constant: i64,
    /// Positions of variables with their coefficients.
    pub terms: Vec<(usize, i64)>,
}

impl Form {
    fn constant(value: i64) -> Self {
        Self { constant: value, terms: Vec::new() }
    }

    /// The form of one variable.
    pub fn variable(position: usize) -> Self {
        Self { constant: 0, terms: vec![(position, 1)] }
    }

    /// The constant, if the form has no variables.
    fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }
}

/// Finds forms; `position` says which variables are followed.
pub struct Forms<'a> {
    /// The program.
    pub program: &'a Program,
    /// The arithmetic.
    pub arithmetic: Arithmetic,
    /// The position of a variable that is followed.
    pub position: &'a dyn Fn(VarId) -> Option<usize>,
}

impl Forms<'_> {
    /// The form of an expression, if it has one.
    pub fn of(&self, id: ExprId) -> Option<Form> {
        let expr = self.program.exprs.expr(id);
        let (width, signed) = self.shape(expr.ty)?;
        if let Some(bits) = self.program.exprs.const_bits(id) {
            return constant(bits, width, signed).map(Form::constant);
        }
        match expr.kind {
            ExprKind::Load(place) => match self.program.exprs.place(place).kind {
                PlaceKind::Var(var) => (self.position)(var).map(Form::variable),
                _ => None,
            },
            ExprKind::Cast(inner) => self.cast(inner, (width, signed)),
            ExprKind::Unary(op, a) if self.computes(width, signed) => {
                let a = self.of(a)?;
                match op {
                    UnaryOp::Neg => self.scaled(&a, -1),
                    UnaryOp::BitNot => self.sum(&self.scaled(&a, -1)?, &Form::constant(-1)),
                }
            }
            ExprKind::Binary(op, a, b) => self.binary(op, a, b, (width, signed)),
            _ => None,
        }
    }

    /// Width and sign of integers that are followed; `_Bool` only by its value.
    fn shape(&self, ty: TypeId) -> Option<(u32, bool)> {
        match *self.program.types.get(ty) {
            Type::Int { bits, signed } if bits <= 64 => Some((u32::from(bits), signed)),
            Type::Bool => Some((1, false)),
            _ => None,
        }
    }

    /// Whether values of this shape are known by their low bits.
    fn by_bits(&self, width: u32) -> bool {
        matches!(self.arithmetic, Arithmetic::Modular(n) if width >= n)
    }

    /// Whether the ring computes as the machine does.
    fn computes(&self, width: u32, signed: bool) -> bool {
        match self.arithmetic {
            Arithmetic::Modular(_) => self.by_bits(width),
            Arithmetic::Rational => signed,
        }
    }

    fn cast(&self, inner: ExprId, (width, signed): (u32, bool)) -> Option<Form> {
        let (from, was_signed) = self.shape(self.program.exprs.ty(inner))?;
        let form = self.of(inner)?;
        let keeps_value = match (was_signed, signed) {
            (false, false) => from <= width,
            (true, true) => from <= width,
            (false, true) => from < width,
            (true, false) => false,
        };
        let kept = match (self.by_bits(from), self.by_bits(width)) {
            // The low bits stay; a value becomes low bits, whatever its sign.
            (_, true) => true,
            (true, false) => false,
            (false, false) => keeps_value,
        };
        kept.then_some(form)
    }

    fn binary(
        &self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        (width, signed): (u32, bool),
    ) -> Option<Form> {
        if op.is_comparison() || !self.computes(width, signed) {
            return None;
        }
        match op {
            BinaryOp::Add => self.sum(&self.of(a)?, &self.of(b)?),
            BinaryOp::Sub => self.sum(&self.of(a)?, &self.scaled(&self.of(b)?, -1)?),
            BinaryOp::Mul => {
                let (a, b) = (self.of(a)?, self.of(b)?);
                match (a.as_constant(), b.as_constant()) {
                    (Some(factor), _) => self.scaled(&b, factor),
                    (_, Some(factor)) => self.scaled(&a, factor),
                    _ => None,
                }
            }
            BinaryOp::Shl => {
                let amount = self.program.exprs.const_bits(b)?;
                let in_range = amount < u128::from(width) && amount < 63;
                if in_range { self.scaled(&self.of(a)?, 1 << amount) } else { None }
            }
            // Both change a number by a multiple of the power of two.
            BinaryOp::Rem => self.modulo(a, self.program.exprs.const_bits(b)?),
            BinaryOp::BitAnd => match self.program.exprs.const_bits(b) {
                Some(mask) => self.modulo(a, mask.checked_add(1)?),
                None => self.modulo(b, self.program.exprs.const_bits(a)?.checked_add(1)?),
            },
            _ => None,
        }
    }

    fn modulo(&self, a: ExprId, modulus: u128) -> Option<Form> {
        let Arithmetic::Modular(n) = self.arithmetic else { return None };
        let fits = modulus.is_power_of_two() && modulus.trailing_zeros() >= n;
        if fits { self.of(a) } else { None }
    }

    fn add(&self, a: i64, b: i64) -> Option<i64> {
        match self.arithmetic {
            Arithmetic::Modular(_) => Some(a.wrapping_add(b)),
            Arithmetic::Rational => a.checked_add(b),
        }
    }

    fn multiply(&self, a: i64, b: i64) -> Option<i64> {
        match self.arithmetic {
            Arithmetic::Modular(_) => Some(a.wrapping_mul(b)),
            Arithmetic::Rational => a.checked_mul(b),
        }
    }

    fn sum(&self, a: &Form, b: &Form) -> Option<Form> {
        let mut sum = a.clone();
        sum.constant = self.add(a.constant, b.constant)?;
        for &(variable, coefficient) in &b.terms {
            match sum.terms.iter_mut().find(|t| t.0 == variable) {
                Some(term) => term.1 = self.add(term.1, coefficient)?,
                None => sum.terms.push((variable, coefficient)),
            }
        }
        sum.terms.retain(|t| t.1 != 0);
        Some(sum)
    }

    fn scaled(&self, form: &Form, factor: i64) -> Option<Form> {
        let constant = self.multiply(form.constant, factor)?;
        let terms: Option<Vec<_>> =
            form.terms.iter().map(|&(v, c)| Some((v, self.multiply(c, factor)?))).collect();
        let mut terms = terms?;
        terms.retain(|t| t.1 != 0);
        Some(Form { constant, terms })
    }
}

/// The value of a constant, in 64 bits; a large unsigned one wraps around.
fn constant(bits: u128, width: u32, signed: bool) -> Option<i64> {
    let low = bits as u64;
    match (width, signed) {
        (64, _) => Some(low.cast_signed()),
        (_, true) => {
            let unused = 64 - width;
            Some((low << unused).cast_signed() >> unused)
        }
        (_, false) => Some(low.cast_signed()),
    }
}
