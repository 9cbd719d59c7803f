//! What values an expression of integer type can have, by its form alone.
//!
//! A sum of two `char`s cannot overflow an `int`, and `i & 7` is always an index of an array of
//! eight. No flow of control is looked at: this only spares checks that can never fail.

use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceKind};
use gnomon_ir::program::Program;
use gnomon_ir::types::{Type, TypeId};

/// The values from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The smallest.
    pub low: i128,
    /// The largest.
    pub high: i128,
}

/// Expressions are trees that share parts: deeper parts count as anything of their type.
const DEPTH: u32 = 8;

impl Range {
    /// All values of an integer type of at most 64 bits, or a signed one of 128.
    pub fn of_type(program: &Program, ty: TypeId) -> Option<Range> {
        Some(match *program.types.get(ty) {
            Type::Bool => Range { low: 0, high: 1 },
            Type::Int { bits, signed: true } => {
                Range { low: i128::MIN >> (128 - bits), high: i128::MAX >> (128 - bits) }
            }
            Type::Int { bits, signed: false } if bits < 128 => {
                Range { low: 0, high: (1i128 << bits) - 1 }
            }
            _ => return None,
        })
    }

    /// The values that an expression can have; `None` if its type is no integer, or one of 128 bits
    /// without sign.
    pub fn of(program: &Program, e: ExprId) -> Option<Range> {
        bounded(program, e, DEPTH)
    }

    fn within(self, outer: Range) -> bool {
        outer.low <= self.low && self.high <= outer.high
    }

    fn point(value: i128) -> Range {
        Range { low: value, high: value }
    }

    /// The result of an operator on numbers without bounds; `None` if there is no simple answer.
    pub(crate) fn combine(op: BinaryOp, a: Range, b: Range) -> Option<Range> {
        let hull = |values: [Option<i128>; 4]| {
            let [mut low, mut high] = [values[0]?; 2];
            for value in values {
                (low, high) = (low.min(value?), high.max(value?));
            }
            Some(Range { low, high })
        };
        match op {
            BinaryOp::Add => {
                Some(Range { low: a.low.checked_add(b.low)?, high: a.high.checked_add(b.high)? })
            }
            BinaryOp::Sub => {
                Some(Range { low: a.low.checked_sub(b.high)?, high: a.high.checked_sub(b.low)? })
            }
            BinaryOp::Mul => hull([
                a.low.checked_mul(b.low),
                a.low.checked_mul(b.high),
                a.high.checked_mul(b.low),
                a.high.checked_mul(b.high),
            ]),
            BinaryOp::Div if b.low > 0 => {
                hull([a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high].map(Some))
            }
            BinaryOp::Rem if b.low > 0 => Some(Range {
                low: if a.low < 0 { (1 - b.high).max(a.low) } else { 0 },
                high: if a.high > 0 { (b.high - 1).min(a.high) } else { 0 },
            }),
            BinaryOp::Shr if a.low >= 0 && b.low == b.high && (0..127).contains(&b.low) => {
                Some(Range { low: a.low >> b.low, high: a.high >> b.low })
            }
            BinaryOp::BitAnd if a.low >= 0 && b.low >= 0 => {
                Some(Range { low: 0, high: a.high.min(b.high) })
            }
            BinaryOp::BitAnd if b.low >= 0 => Some(Range { low: 0, high: b.high }),
            BinaryOp::BitAnd if a.low >= 0 => Some(Range { low: 0, high: a.high }),
            BinaryOp::BitOr | BinaryOp::BitXor if a.low >= 0 && b.low >= 0 => {
                // No bit above the highest of both.
                let bits = 128 - a.high.max(b.high).leading_zeros();
                (bits < 127).then(|| Range { low: 0, high: (1i128 << bits) - 1 })
            }
            _ => None,
        }
    }
}

fn bounded(program: &Program, e: ExprId, depth: u32) -> Option<Range> {
    let ty = program.expr_ty(e);
    let all = Range::of_type(program, ty)?;
    let Some(depth) = depth.checked_sub(1) else { return Some(all) };
    let found = match program.exprs.expr(e).kind {
        ExprKind::Const(_) | ExprKind::Zero => program.as_int(e).map(Range::point),
        ExprKind::Cast(inner) => bounded(program, inner, depth),
        ExprKind::Binary(op, ..) if op.is_comparison() => Some(Range { low: 0, high: 1 }),
        ExprKind::Binary(op, a, b) => {
            match (bounded(program, a, depth), bounded(program, b, depth)) {
                (Some(a), Some(b)) => Range::combine(op, a, b),
                _ => None,
            }
        }
        ExprKind::Load(place) => match program.exprs.place(place).kind {
            PlaceKind::Field(base, field) => bit_field(program, program.place_ty(base), field),
            _ => None,
        },
        _ => None,
    };
    // Where the exact result may not fit, the type's values are all that is known.
    Some(found.filter(|range| range.within(all)).unwrap_or(all))
}

fn bit_field(program: &Program, record: TypeId, field: u32) -> Option<Range> {
    let (_, record) = program.types.as_record(record)?;
    let field = record.fields.get(field as usize)?;
    let width = u32::from(field.bits?.width);
    let Type::Int { signed, .. } = *program.types.get(field.ty) else { return None };
    if !(1..=64).contains(&width) {
        return None;
    }
    Some(match signed {
        true => Range { low: i128::MIN >> (128 - width), high: i128::MAX >> (128 - width) },
        false => Range { low: 0, high: (1i128 << width) - 1 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_ir::ops;

    /// Every operator on small numbers: what it gives lies in the range.
    #[test]
    fn results_lie_in_their_ranges() {
        let scalar = ops::Scalar::Int { bits: 32, signed: true };
        let ranges = [(-3, 4), (0, 0), (0, 7), (1, 5), (-5, -2), (2, 2), (6, 13)];
        for (low, high) in ranges {
            for (low2, high2) in ranges {
                for op in BinaryOp::ALL {
                    let (a, b) = (Range { low, high }, Range { low: low2, high: high2 });
                    let Some(range) = Range::combine(op, a, b) else { continue };
                    for x in low..=high {
                        for y in low2..=high2 {
                            let bits = |v: i128| v as u128 & 0xffff_ffff;
                            let Ok(result) = ops::binary(op, scalar, bits(x), scalar, bits(y))
                            else {
                                continue;
                            };
                            let value = ops::extend(scalar, result);
                            let inside = Range::point(value).within(range);
                            assert!(inside, "{x} {} {y} = {value} not in {range:?}", op.symbol());
                        }
                    }
                }
            }
        }
    }
}
