//! The constants of a program, as a source of inputs that its branches look at.

use crate::arena::Id;
use crate::expr::ExprId;
use crate::ops::{Scalar, cast, sign_extend, truncate};
use crate::program::Program;

/// Numbers that a program names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constants {
    /// Integers, as the program reads them, sorted.
    integers: Vec<i128>,
    /// Floating-point numbers with their negatives, sorted.
    floats: Vec<f64>,
}

const DOUBLE: Scalar = Scalar::Float(crate::types::FloatKind::F64);

impl Constants {
    /// Of a program.
    pub fn of(program: &Program) -> Self {
        let exprs = &program.exprs;
        let (mut integers, mut floats) = (vec![0, 1, -1], vec![0.0]);
        for e in (0..exprs.expr_count()).map(ExprId::from_index) {
            let scalar = program.types.scalar(exprs.ty(e));
            let (Some(bits), Some(scalar)) = (exprs.const_bits(e), scalar) else { continue };
            match scalar {
                Scalar::Int { bits: width, signed: true } => {
                    integers.push(sign_extend(bits, width));
                }
                Scalar::Int { .. } => integers.push(bits as i128),
                Scalar::Float(_) => {
                    let number = f64::from_bits(cast(scalar, DOUBLE, bits) as u64);
                    if number.is_finite() {
                        floats.extend([number, -number]);
                    }
                }
                Scalar::Bool => {}
            }
        }
        integers.sort_unstable();
        integers.dedup();
        floats.sort_by(f64::total_cmp);
        floats.dedup();
        Self { integers, floats }
    }

    /// The bits of a value of a type, drawn with numbers by chance; `None` where other ways to draw one are
    /// as good.
    pub(super) fn draw(&self, scalar: Scalar, next: &mut dyn FnMut() -> u64) -> Option<u128> {
        match scalar {
            Scalar::Int { bits, .. } => {
                let value = match next() % 8 {
                    0..=2 => self.integer(next),
                    3 => self.integer(next).wrapping_add((next() % 5) as i128 - 2),
                    4 => between(self.integer(next), self.integer(next), next),
                    5 => (next() % 4) as i128,
                    _ => return None,
                };
                Some(truncate(value as u128, bits))
            }
            Scalar::Float(_) => {
                let value = match next() % 8 {
                    0 => self.float(next),
                    1..=5 => {
                        let (a, b) = (self.float(next), self.float(next));
                        let part = (next() >> 11) as f64 / (1u64 << 53) as f64;
                        a + (b - a) * part
                    }
                    6 => self.integer(next) as f64,
                    _ => return None,
                };
                Some(cast(DOUBLE, scalar, value.to_bits().into()))
            }
            Scalar::Bool => None,
        }
    }

    fn integer(&self, next: &mut dyn FnMut() -> u64) -> i128 {
        self.integers[(next() % self.integers.len() as u64) as usize]
    }

    fn float(&self, next: &mut dyn FnMut() -> u64) -> f64 {
        self.floats[(next() % self.floats.len() as u64) as usize]
    }
}

/// A number between two, both included.
fn between(a: i128, b: i128, next: &mut dyn FnMut() -> u64) -> i128 {
    let (low, high) = (a.min(b), a.max(b));
    low + (u128::from(next()) % (high.abs_diff(low) + 1)) as i128
}
