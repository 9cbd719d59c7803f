//! Every operation on sets against `ir::ops`: exhaustively at four bits, at random at 8 to 64 bits,
//! and floating point against the machine.

use gnomon_ir::expr::{BinaryOp, UnaryOp};
use gnomon_ir::ops::{self, Scalar};
use gnomon_ir::types::FloatKind;
use gnomon_numeric::float::{self, Float};
use gnomon_numeric::int::{Compared, Int, Shape, compare, refined};

const ARITHMETIC: [BinaryOp; 10] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
];
const COMPARISONS: [BinaryOp; 6] =
    [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge];

fn scalar(shape: Shape) -> Scalar {
    Scalar::Int { bits: shape.bits, signed: shape.signed }
}

fn apply(op: BinaryOp, shape: Shape, x: i128, y: i128) -> Option<i128> {
    let bits = |value: i128| u128::from(shape.pattern(value));
    let result = ops::binary(op, scalar(shape), bits(x), scalar(shape), bits(y)).ok()?;
    Some(shape.number(result as u64))
}

/// The numbers of a set, by looking at all of the type.
fn numbers(shape: Shape, set: &Int) -> Vec<i128> {
    (shape.min()..=shape.max()).filter(|value| set.contains(shape, *value)).collect()
}

fn check_all(shape: Shape, sets: &[Int]) {
    let members: Vec<Vec<i128>> = sets.iter().map(|set| numbers(shape, set)).collect();
    for (a, xs) in sets.iter().zip(&members) {
        let negated = Int::negated(shape, a);
        let complemented = Int::complemented(shape, a);
        for x in xs {
            let unary = |op| {
                let bits = ops::unary(op, scalar(shape), u128::from(shape.pattern(*x)));
                shape.number(bits as u64)
            };
            assert!(negated.is_some_and(|set| set.contains(shape, unary(UnaryOp::Neg))));
            assert!(complemented.is_some_and(|set| set.contains(shape, unary(UnaryOp::BitNot))));
        }
        for (b, ys) in sets.iter().zip(&members) {
            let pairs = || xs.iter().flat_map(|x| ys.iter().map(move |y| (*x, *y)));
            for op in ARITHMETIC {
                let result = Int::binary(op, shape, a, shape, b);
                for (x, y) in pairs() {
                    let Some(exact) = apply(op, shape, x, y) else { continue };
                    let inside = result.is_some_and(|set| set.contains(shape, exact));
                    assert!(
                        inside,
                        "{x} {op:?} {y} = {exact} not in {result:?} of {a:?} and {b:?}"
                    );
                }
            }
            for op in COMPARISONS {
                let (said, left) = (compare(op, shape, a, b), refined(op, shape, a, b));
                for (x, y) in pairs() {
                    let holds = apply(op, shape, x, y) == Some(1);
                    let possible = match said {
                        Compared::Always => holds,
                        Compared::Never => !holds,
                        Compared::Sometimes => true,
                    };
                    assert!(possible, "{x} {op:?} {y} is not {said:?}: {a:?} and {b:?}");
                    if holds {
                        let kept =
                            left.is_some_and(|(a, b)| a.contains(shape, x) && b.contains(shape, y));
                        assert!(kept, "{x} {op:?} {y} was refined away: {a:?} and {b:?}");
                    }
                }
            }
            let (joined, met) = (a.join(b, shape), a.meet(b, shape));
            let widened = a.widen(b, shape, &[-4, 0, 3]);
            for x in xs.iter().chain(ys) {
                assert!(joined.contains(shape, *x), "{x} not in the join of {a:?} and {b:?}");
                assert!(widened.contains(shape, *x), "{x} not in {a:?} widened by {b:?}");
            }
            for x in xs.iter().filter(|x| ys.contains(x)) {
                assert!(met.is_some_and(|met| met.contains(shape, *x)));
            }
            if a.is_in(b) {
                assert!(xs.iter().all(|x| ys.contains(x)), "{a:?} is in {b:?}");
            }
        }
    }
}

fn ranges(shape: Shape) -> Vec<Int> {
    let all = shape.min()..=shape.max();
    let pairs = all.clone().flat_map(|low| all.clone().map(move |high| (low, high)));
    pairs.filter_map(|(low, high)| Int::range(shape, low, high)).collect()
}

/// Of three numbers each: congruences and known bits among them.
fn spread(shape: Shape, every: usize) -> Vec<Int> {
    let all: Vec<i128> = (shape.min()..=shape.max()).collect();
    let mut sets = Vec::new();
    for (i, x) in all.iter().enumerate() {
        for (j, y) in all.iter().enumerate().skip(i + 1) {
            let pair = Int::constant(shape, *x).join(&Int::constant(shape, *y), shape);
            sets.push(pair);
            if (i + j).is_multiple_of(every) {
                let third = Int::constant(shape, all[(i * 7 + j * 3) % all.len()]);
                sets.push(pair.join(&third, shape));
            }
        }
    }
    sets
}

#[test]
fn ranges_of_four_bits_exhaustively() {
    for signed in [false, true] {
        let shape = Shape { bits: 4, signed };
        check_all(shape, &ranges(shape));
    }
}

#[test]
fn congruences_and_bits_of_four_bits_exhaustively() {
    for signed in [false, true] {
        let shape = Shape { bits: 4, signed };
        check_all(shape, &spread(shape, 3));
    }
}

#[test]
fn conversions_exhaustively() {
    let shapes = [(4, true), (4, false), (8, true), (8, false), (2, true), (2, false)];
    let shapes = shapes.map(|(bits, signed)| Shape { bits, signed });
    for from in shapes.into_iter().filter(|shape| shape.bits <= 4) {
        let mut sets = ranges(from);
        sets.extend(spread(from, 2));
        for to in shapes {
            for set in &sets {
                let result = set.cast(from, to);
                for x in numbers(from, set) {
                    let bits = ops::cast(scalar(from), scalar(to), u128::from(from.pattern(x)));
                    let exact = to.number(bits as u64);
                    let inside = result.is_some_and(|set| set.contains(to, exact));
                    assert!(inside, "{x} of {set:?} as {to:?} is {exact}, not in {result:?}");
                }
            }
        }
    }
}

/// What every chain of widenings must do: end.
#[test]
fn widening_ends() {
    let shape = Shape { bits: 32, signed: true };
    let mut rng = Rng(9);
    for _ in 0..200 {
        let mut set = Int::constant(shape, rng.number(shape));
        let mut changes = 0;
        for _ in 0..500 {
            let next = set.join(&Int::constant(shape, rng.number(shape)), shape);
            let wider = set.widen(&next, shape, &[-1000, -1, 0, 1, 7, 1000]);
            assert!(next.is_in(&wider), "{next:?} not in {wider:?}");
            changes += usize::from(wider != set);
            set = wider;
        }
        // Two bounds with eight stops each, and a congruence or bits that are lost on the way.
        assert!(changes < 60, "{changes} changes to {set:?}");
    }
}

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Small numbers, ends of the type and others.
    fn number(&mut self, shape: Shape) -> i128 {
        let small = (self.next() % 17) as i128;
        let value = match self.next() % 5 {
            0 => small - 8,
            1 => shape.max() - small,
            2 => shape.min() + small,
            3 => 1i128 << (self.next() % u64::from(shape.bits)),
            _ => i128::from(self.next()),
        };
        shape.number(shape.pattern(value))
    }

    /// A set with some of its members.
    fn set(&mut self, shape: Shape) -> (Int, Vec<i128>) {
        let members: Vec<i128> = (0..1 + self.next() % 4).map(|_| self.number(shape)).collect();
        let mut set = Int::constant(shape, members[0]);
        for member in &members[1..] {
            set = set.join(&Int::constant(shape, *member), shape);
        }
        if self.next().is_multiple_of(3)
            && let Some(range) = Int::range(shape, set.low, set.high)
        {
            return (range, members);
        }
        (set, members)
    }
}

#[test]
fn wide_integers_at_random() {
    let rounds: u64 =
        std::env::var("GNOMON_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(4_000);
    let mut rng = Rng(64);
    for bits in [8, 16, 32, 64] {
        for signed in [false, true] {
            let shape = Shape { bits, signed };
            for _ in 0..rounds {
                let ((a, xs), (b, ys)) = (rng.set(shape), rng.set(shape));
                for op in ARITHMETIC {
                    let result = Int::binary(op, shape, &a, shape, &b);
                    for (x, y) in xs.iter().flat_map(|x| ys.iter().map(move |y| (*x, *y))) {
                        let Some(exact) = apply(op, shape, x, y) else { continue };
                        let inside = result.is_some_and(|set| set.contains(shape, exact));
                        assert!(
                            inside,
                            "{x} {op:?} {y} = {exact} not in {result:?} of {a:?} and {b:?}, {shape:?}"
                        );
                    }
                }
                for op in COMPARISONS {
                    let left = refined(op, shape, &a, &b);
                    for (x, y) in xs.iter().flat_map(|x| ys.iter().map(move |y| (*x, *y))) {
                        if apply(op, shape, x, y) == Some(1) {
                            assert_ne!(compare(op, shape, &a, &b), Compared::Never);
                            let (a, b) = left.expect("it holds for some");
                            assert!(a.contains(shape, x) && b.contains(shape, y));
                        } else {
                            assert_ne!(compare(op, shape, &a, &b), Compared::Always);
                        }
                    }
                }
            }
        }
    }
}

fn any_double(rng: &mut Rng, kind: FloatKind) -> f64 {
    let value = match rng.next() % 8 {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => f64::NEG_INFINITY,
        3 => 0.0,
        4 => -0.0,
        5 => (rng.next() % 2000) as f64 / 8.0 - 100.0,
        6 => f64::from_bits(rng.next() % 1000),
        _ => f64::from_bits(rng.next()),
    };
    let rounded = float::number(kind, float::bits(kind, value));
    if rng.next().is_multiple_of(2) { -rounded } else { rounded }
}

#[test]
fn floating_point_against_the_machine() {
    let mut rng = Rng(754);
    for kind in [FloatKind::F64, FloatKind::F32] {
        for _ in 0..20_000 {
            let mut set = || {
                let members: Vec<f64> =
                    (0..1 + rng.next() % 3).map(|_| any_double(&mut rng, kind)).collect();
                let first = Float::constant(members[0]);
                let all = members[1..].iter();
                (all.fold(first, |set, next| set.join(&Float::constant(*next))), members)
            };
            let ((a, xs), (b, ys)) = (set(), set());
            for (x, y) in xs.iter().flat_map(|x| ys.iter().map(move |y| (*x, *y))) {
                assert!(a.contains(x) && b.contains(y));
                for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div] {
                    let machine = |x: f64, y: f64| match op {
                        BinaryOp::Add => x + y,
                        BinaryOp::Sub => x - y,
                        BinaryOp::Mul => x * y,
                        _ => x / y,
                    };
                    let single = |x: f32, y: f32| match op {
                        BinaryOp::Add => x + y,
                        BinaryOp::Sub => x - y,
                        BinaryOp::Mul => x * y,
                        _ => x / y,
                    };
                    let exact = match kind {
                        FloatKind::F32 => f64::from(single(x as f32, y as f32)),
                        _ => machine(x, y),
                    };
                    let result = Float::binary(op, kind, &a, &b);
                    assert!(result.contains(exact), "{x} {op:?} {y} = {exact} not in {result:?}");
                }
                for op in COMPARISONS {
                    let holds = match op {
                        BinaryOp::Eq => x == y,
                        BinaryOp::Ne => x != y,
                        BinaryOp::Lt => x < y,
                        BinaryOp::Le => x <= y,
                        BinaryOp::Gt => x > y,
                        _ => x >= y,
                    };
                    let never = if holds { Compared::Never } else { Compared::Always };
                    assert_ne!(Float::compare(op, &a, &b), never, "{x} {op:?} {y}");
                    let (a, b) = Float::refined(op, kind, holds, &a, &b).expect("some are left");
                    assert!(a.contains(x) && b.contains(y), "{x} {op:?} {y} is {holds}");
                }
            }
            for x in xs {
                assert!(a.negated().contains(-x));
                assert!(a.cast(kind, FloatKind::F32).contains(f64::from(x as f32)));
                let shape = Shape { bits: 32, signed: true };
                if let Some(int) = a.to_int(shape) {
                    assert!(int.contains(shape, x as i32 as i128));
                }
            }
        }
    }
}
