//! Sums, products, quotients, shifts and conversions of sets of integers.
//!
//! Every function is tested against `ir::ops`: exhaustively for all sets of small widths, at random
//! for wide ones.

use gnomon_ir::expr::BinaryOp;

use super::{Int, Shape, congruence, gcd};

impl Int {
    /// `a op b` for all numbers of both; `b` has another type for shifts. `None` if no execution
    /// goes on. Comparisons have their own function.
    pub fn binary(op: BinaryOp, shape: Shape, a: &Self, right: Shape, b: &Self) -> Option<Self> {
        match op {
            BinaryOp::Add => Self::wrapped(
                shape,
                a.low + b.low,
                a.high + b.high,
                congruence(gcd(a.modulus, b.modulus), a.residue + b.residue),
            ),
            BinaryOp::Sub => Self::wrapped(
                shape,
                a.low - b.high,
                a.high - b.low,
                congruence(gcd(a.modulus, b.modulus), a.residue - b.residue),
            ),
            BinaryOp::Mul => product(shape, a, b),
            BinaryOp::Div => quotient(shape, a, b),
            BinaryOp::Rem => remainder(shape, a, b),
            BinaryOp::Shl => shifted(shape, a, right, b, |count| {
                product(shape, a, &Self::constant_of(1i128 << count))
            }),
            BinaryOp::Shr => shifted(shape, a, right, b, |count| shifted_right(shape, a, count)),
            BinaryOp::BitAnd => Self::and(shape, a, b),
            BinaryOp::BitOr => Self::or(shape, a, b),
            BinaryOp::BitXor => Self::xor(shape, a, b),
            _ => Some(Self::any(shape)),
        }
    }

    /// A number that need not be of a type; its bits are not looked at.
    fn constant_of(value: i128) -> Self {
        Self { low: value, high: value, modulus: 0, residue: value, known: 0, ones: 0 }
    }

    /// `-a`.
    pub fn negated(shape: Shape, a: &Self) -> Option<Self> {
        Self::wrapped(shape, -a.high, -a.low, congruence(a.modulus, -a.residue))
    }

    /// `~a`.
    pub fn complemented(shape: Shape, a: &Self) -> Option<Self> {
        let all = if shape.signed { -1 } else { shape.max() };
        let arithmetic = Self::wrapped(
            shape,
            all - a.high,
            all - a.low,
            congruence(a.modulus, all - a.residue),
        )?;
        let known = a.known;
        Self {
            known: arithmetic.known | known,
            ones: arithmetic.ones | (!a.ones & known),
            ..arithmetic
        }
        .reduced(shape)
    }

    /// Converted to another type: the low bits.
    pub fn cast(&self, from: Shape, to: Shape) -> Option<Self> {
        let arithmetic = Self::wrapped(to, self.low, self.high, (self.modulus, self.residue))?;
        let (mut known, mut ones) = (self.known, self.ones);
        if to.bits > from.bits {
            let above = !from.mask();
            let sign = 1u64 << (from.bits - 1);
            if !from.signed {
                known |= above;
            } else if known & sign != 0 {
                known |= above;
                ones |= if ones & sign != 0 { above } else { 0 };
            }
        }
        known &= to.mask();
        ones &= to.mask();
        if (arithmetic.ones ^ ones) & arithmetic.known & known != 0 {
            return None;
        }
        Self { known: arithmetic.known | known, ones: arithmetic.ones | ones, ..arithmetic }
            .reduced(to)
    }
}

fn product(shape: Shape, a: &Int, b: &Int) -> Option<Int> {
    let corners = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)]
        .map(|(x, y)| x.checked_mul(y));
    let congruence = product_congruence(a, b);
    let Some(corners) = corners.into_iter().collect::<Option<Vec<i128>>>() else {
        let even = gcd(congruence.0, shape.count()).max(1);
        return Int { modulus: even, residue: congruence.1.rem_euclid(even), ..Int::any(shape) }
            .reduced(shape);
    };
    let low = corners.iter().copied().min()?;
    let high = corners.iter().copied().max()?;
    Int::wrapped(shape, low, high, congruence)
}

/// `(m·x + r)(n·y + s)`; nothing is known of what gets too large.
fn product_congruence(a: &Int, b: &Int) -> (i128, i128) {
    let ((m, r), (n, s)) = ((a.modulus, a.residue), (b.modulus, b.residue));
    let parts = (m.checked_mul(n), m.checked_mul(s), n.checked_mul(r), r.checked_mul(s));
    match parts {
        (Some(mn), Some(ms), Some(nr), Some(rs)) => congruence(gcd(gcd(mn, ms), nr), rs),
        _ => (1, 0),
    }
}

/// Cut towards zero. Division by zero ends the run, and so does a quotient that does not fit.
fn quotient(shape: Shape, a: &Int, b: &Int) -> Option<Int> {
    let mut bounds: Option<(i128, i128)> = None;
    for (low, high) in [(b.low, b.high.min(-1)), (b.low.max(1), b.high)] {
        if low > high {
            continue;
        }
        for x in [a.low, a.high] {
            for y in [low, high] {
                let q = x / y;
                bounds = Some(bounds.map_or((q, q), |(l, h)| (l.min(q), h.max(q))));
            }
        }
        // Between numbers of both signs lies zero.
        if a.low <= 0 && a.high >= 0 {
            bounds = bounds.map(|(l, h)| (l.min(0), h.max(0)));
        }
    }
    let (low, high) = bounds?;
    Int::range(shape, low, high)
}

/// The sign is that of the dividend.
fn remainder(shape: Shape, a: &Int, b: &Int) -> Option<Int> {
    let b = match (b.low, b.high) {
        (0, 0) => return None,
        (0, _) => Int { low: 1, ..*b },
        (_, 0) => Int { high: -1, ..*b },
        _ => *b,
    };
    let most = b.low.abs().max(b.high.abs()) - 1;
    let least = if b.low > 0 || b.high < 0 { b.low.abs().min(b.high.abs()) } else { 1 };
    if a.high.max(-a.low) < least && a.low > -least {
        // Smaller than every divisor. The smallest number by -1 ends the run, and is not smaller.
        return Some(*a);
    }
    let low = if a.low < 0 { a.low.max(-most) } else { 0 };
    let high = if a.high > 0 { a.high.min(most) } else { 0 };
    let (modulus, residue) = match b.single() {
        Some(divisor) if a.modulus > 0 => congruence(gcd(a.modulus, divisor), a.residue),
        _ => (1, 0),
    };
    Int { low, high, modulus, residue, ..Int::any(shape) }.reduced(shape)
}

/// All shifts that a count allows: it is taken modulo the width.
fn shifted(
    shape: Shape,
    a: &Int,
    right: Shape,
    b: &Int,
    shift: impl Fn(u32) -> Option<Int>,
) -> Option<Int> {
    let width = i128::from(shape.bits);
    let mut all: Option<Int> = None;
    let counts = match b.single() {
        Some(count) => {
            let count = i128::from(right.pattern(count)) % width;
            count..count + 1
        }
        None if b.low >= 0 && b.high < width => b.low..b.high + 1,
        None => 0..width,
    };
    let is_range = counts.end - counts.start > 1 && b.low >= 0 && b.high < width;
    for count in counts {
        if is_range && !b.contains(right, count) {
            continue;
        }
        let Some(next) = shift(count as u32) else { continue };
        all = Some(all.map_or(next, |known| known.join(&next, shape)));
    }
    let _ = a;
    all
}

fn shifted_right(shape: Shape, a: &Int, count: u32) -> Option<Int> {
    let moved = Int::range(shape, a.low >> count, a.high >> count)?;
    // Bits that move in at the top are zeros, or the sign.
    let sign = 1u64 << (shape.bits - 1);
    let top = shape.mask() & !(shape.mask() >> count);
    let (mut known, mut ones) = ((a.known & shape.mask()) >> count, a.ones >> count);
    if !shape.signed || a.low >= 0 {
        known |= top;
    } else if a.known & sign != 0 {
        known |= top;
        ones |= top;
    } else {
        known &= !top;
        ones &= !top;
    }
    if (moved.ones ^ ones) & moved.known & known != 0 {
        return None;
    }
    Int { known: moved.known | known, ones: moved.ones | ones, ..moved }.reduced(shape)
}
