//! Comparisons of sets of integers, and what is left of both sides where one holds.

use gnomon_ir::expr::BinaryOp;

use super::{Int, Shape};

/// What a comparison can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// It holds for all numbers.
    Always,
    /// It holds for none.
    Never,
    /// It depends.
    Sometimes,
}

impl Compared {
    /// The other way round.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Always => Self::Never,
            Self::Never => Self::Always,
            Self::Sometimes => Self::Sometimes,
        }
    }
}

/// Compares all numbers of two sets of one type.
pub fn compare(op: BinaryOp, shape: Shape, a: &Int, b: &Int) -> Compared {
    match op {
        BinaryOp::Eq => match (a.single(), b.single()) {
            (Some(x), Some(y)) if x == y => Compared::Always,
            _ if a.meet(b, shape).is_none() => Compared::Never,
            _ => Compared::Sometimes,
        },
        BinaryOp::Ne => compare(BinaryOp::Eq, shape, a, b).negated(),
        BinaryOp::Lt if a.high < b.low => Compared::Always,
        BinaryOp::Lt if a.low >= b.high => Compared::Never,
        BinaryOp::Le if a.high <= b.low => Compared::Always,
        BinaryOp::Le if a.low > b.high => Compared::Never,
        BinaryOp::Gt => compare(BinaryOp::Lt, shape, b, a),
        BinaryOp::Ge => compare(BinaryOp::Le, shape, b, a),
        _ => Compared::Sometimes,
    }
}

/// The numbers of both sides for which a comparison can hold; `None` if it never does.
pub fn refined(op: BinaryOp, shape: Shape, a: &Int, b: &Int) -> Option<(Int, Int)> {
    let below = |a: &Int, bound: i128| Int { high: a.high.min(bound), ..*a }.reduced(shape);
    let above = |a: &Int, bound: i128| Int { low: a.low.max(bound), ..*a }.reduced(shape);
    match op {
        BinaryOp::Eq => a.meet(b, shape).map(|both| (both, both)),
        BinaryOp::Ne => Some((without(shape, a, b)?, without(shape, b, a)?)),
        BinaryOp::Lt => Some((below(a, b.high - 1)?, above(b, a.low + 1)?)),
        BinaryOp::Le => Some((below(a, b.high)?, above(b, a.low)?)),
        BinaryOp::Gt => refined(BinaryOp::Lt, shape, b, a).map(|(b, a)| (a, b)),
        BinaryOp::Ge => refined(BinaryOp::Le, shape, b, a).map(|(b, a)| (a, b)),
        _ => Some((*a, *b)),
    }
}

/// Without the only number of another set, where that is an end.
fn without(shape: Shape, a: &Int, b: &Int) -> Option<Int> {
    match b.single() {
        Some(value) if a.low == value => Int { low: value + 1, ..*a }.reduced(shape),
        Some(value) if a.high == value => Int { high: value - 1, ..*a }.reduced(shape),
        _ => Some(*a),
    }
}
