//! Random expressions of the program model, and their meaning by `gnomon_ir::ops`.
#![allow(dead_code, reason = "each test program uses a part")]

use gnomon_ir::expr::{BinaryOp, Bits, ExprId, ExprKind, PlaceKind, UnaryOp};
use gnomon_ir::ops::{self, Scalar, Trap, truncate};
use gnomon_ir::program::{Program, Storage, Var, VarId};
use gnomon_ir::span::Span;
use gnomon_ir::types::{FloatKind, TypeId, Types};
use std::collections::BTreeMap;

/// A small generator of pseudo-random numbers, the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// How many cases to run: the default, or more for a campaign.
pub fn cases(default: usize) -> usize {
    std::env::var("GNOMON_ENCODING_SCALE")
        .ok()
        .and_then(|v| v.parse::<usize>().ok())
        .map_or(default, |scale| default * scale)
}

pub const INTEGERS: [TypeId; 11] = [
    Types::BOOL,
    Types::I8,
    Types::U8,
    Types::I16,
    Types::U16,
    Types::I32,
    Types::U32,
    Types::I64,
    Types::U64,
    Types::I128,
    Types::U128,
];

/// Interesting values of a type.
pub fn edge_value(random: &mut Random, scalar: Scalar) -> Bits {
    let width = scalar.width();
    match scalar {
        Scalar::Bool => Bits::from(random.next() & 1),
        Scalar::Int { .. } => {
            let top = 1u128 << (width - 1);
            let power = 1u128 << random.below(usize::from(width));
            let value = match random.below(10) {
                0 => 0,
                1 => 1,
                2 => u128::MAX,
                3 => top,
                4 => top - 1,
                5 => top + 1,
                6 => power.wrapping_sub(1),
                7 => power.wrapping_neg(),
                8 => random.below(20) as u128,
                _ => (u128::from(random.next()) << 64) | u128::from(random.next()),
            };
            truncate(value, width)
        }
        Scalar::Float(kind) => float_value(random, kind),
    }
}

fn float_value(random: &mut Random, kind: FloatKind) -> Bits {
    const LITERALS: [&str; 16] = [
        "0",
        "1",
        "0.5",
        "1.5",
        "3",
        "10000000000",
        "2147483648",
        "2147483647",
        "4294967295.5",
        "9223372036854775808",
        "18446744073709551616",
        "1e30",
        "1e-40",
        "127.9",
        "255.5",
        "65504",
    ];
    let sign = 1u128 << (Scalar::Float(kind).width() - 1);
    let positive = match random.below(10) {
        0 => ops::parse_float(kind, "1e40").unwrap_or(0),
        1 => {
            let zero = 0;
            let quotient =
                ops::binary(BinaryOp::Div, Scalar::Float(kind), zero, Scalar::Float(kind), zero);
            return quotient.unwrap_or(0);
        }
        2 if matches!(kind, FloatKind::F32 | FloatKind::F64) => {
            let bits = u128::from(random.next());
            let bits = truncate(bits, Scalar::Float(kind).width());
            // Only one NaN: their bits are nobody's business.
            return ops::cast(
                Scalar::Float(FloatKind::F64),
                Scalar::Float(kind),
                ops::cast(Scalar::Float(kind), Scalar::Float(FloatKind::F64), bits),
            );
        }
        3 => 1,
        _ => ops::parse_float(kind, random.pick(&LITERALS)).unwrap_or(0),
    };
    // The smallest pattern of x87 above zero is a number too, but not 1 in the explicit format.
    let positive = if kind == FloatKind::X87 && positive == 1 { 0 } else { positive };
    if random.one_in(2) { positive ^ sign } else { positive }
}

pub fn add_static(program: &mut Program, name: &str, ty: TypeId) -> VarId {
    program.vars.push(Var {
        name: name.to_owned(),
        ty,
        storage: Storage::Static { init: None, thread_local: false, read_only: false },
        address_taken: false,
        span: Span::NONE,
    })
}

/// A random expression of a type over variables, `depth` operators deep at most.
pub fn expression(
    program: &mut Program,
    random: &mut Random,
    vars: &[VarId],
    types: &[TypeId],
    ty: TypeId,
    depth: usize,
) -> ExprId {
    let Some(scalar) = program.types.scalar(ty) else { return program.zero(ty) };
    if depth == 0 || random.one_in(8) {
        let fitting: Vec<VarId> =
            vars.iter().copied().filter(|&v| program.vars[v].ty == ty).collect();
        if !fitting.is_empty() && !random.one_in(3) {
            let var = random.pick(&fitting);
            return program.load_var(var);
        }
        let bits = edge_value(random, scalar);
        return program.constant(ty, bits);
    }
    let sub = |program: &mut Program, random: &mut Random, ty| {
        expression(program, random, vars, types, ty, depth - 1)
    };
    let arithmetic = ty != Types::BOOL;
    let choice = random.below(12);
    if choice < 2 || !arithmetic {
        let from = random.pick(types);
        let inner = sub(program, random, from);
        return program.cast(ty, inner);
    }
    let is_float = matches!(scalar, Scalar::Float(_));
    if choice == 2 {
        let inner = sub(program, random, ty);
        let op = if is_float || random.one_in(2) { UnaryOp::Neg } else { UnaryOp::BitNot };
        return program.unary(op, inner);
    }
    if choice == 3 && ty == Types::I32 {
        let operands: Vec<TypeId> = types.iter().copied().filter(|&t| t != Types::BOOL).collect();
        let operand = random.pick(&operands);
        let (a, b) = (sub(program, random, operand), sub(program, random, operand));
        let op = random.pick(&BinaryOp::ALL[10..]);
        return program.binary(op, a, b);
    }
    let op = if is_float {
        random.pick(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div])
    } else {
        random.pick(&BinaryOp::ALL[..10])
    };
    let a = sub(program, random, ty);
    let right = if op.is_shift() {
        let integers: Vec<TypeId> =
            types.iter().copied().filter(|&t| program.types.is_integer(t)).collect();
        random.pick(&integers)
    } else {
        ty
    };
    // Constants on the right make masks, shifts and divisions by constants.
    let b = if random.one_in(2) {
        match program.types.scalar(right) {
            Some(scalar) => {
                let bits = edge_value(random, scalar);
                program.constant(right, bits)
            }
            None => sub(program, random, right),
        }
    } else {
        sub(program, random, right)
    };
    program.binary(op, a, b)
}

/// The values of variables.
pub type Valuation = BTreeMap<VarId, Bits>;

pub fn valuation(program: &Program, random: &mut Random, vars: &[VarId]) -> Valuation {
    vars.iter()
        .filter_map(|&v| Some((v, edge_value(random, program.types.scalar(program.vars[v].ty)?))))
        .collect()
}

/// The value of an expression over scalar variables.
pub fn meaning(program: &Program, e: ExprId, values: &Valuation) -> Result<Bits, Trap> {
    let expr = program.exprs.expr(e);
    if let Some(bits) = program.exprs.const_bits(e) {
        return Ok(bits);
    }
    let scalar = |e: ExprId| program.types.scalar(program.expr_ty(e)).expect("a scalar");
    match expr.kind {
        ExprKind::Load(place) => match program.exprs.place(place).kind {
            PlaceKind::Var(var) => Ok(values[&var]),
            other => panic!("{other:?} is not generated"),
        },
        ExprKind::Unary(op, a) => Ok(ops::unary(op, scalar(a), meaning(program, a, values)?)),
        ExprKind::Binary(op, a, b) => {
            let (x, y) = (meaning(program, a, values)?, meaning(program, b, values)?);
            ops::binary(op, scalar(a), x, scalar(b), y)
        }
        ExprKind::Cast(a) => {
            let to = program.types.scalar(expr.ty).expect("a scalar");
            Ok(ops::cast(scalar(a), to, meaning(program, a, values)?))
        }
        other => panic!("{other:?} is not generated"),
    }
}
