//! What is written can be read again, and solvers' ways of writing are understood.

use super::*;
use crate::term::{FloatSort, Op, Rounding, Scope, Sort, Term, Terms};
use crate::{Integer, Value};

fn var(terms: &mut Terms, name: &str, sort: Sort) -> Term {
    let variable = terms.variable(name, Scope::Global, sort);
    terms.var(variable)
}

/// One term for each operator, over all sorts.
fn samples(t: &mut Terms) -> Vec<Term> {
    let array = t.array_sort(Sort::Int, Sort::BitVec(8));
    let float = Sort::Float(FloatSort::SINGLE);
    let (p, q) = (var(t, "p", Sort::Bool), var(t, "q q", Sort::Bool));
    let (x, y) = (var(t, "x|y", Sort::Int), var(t, "y", Sort::Int));
    let (a, b) = (var(t, "a", Sort::BitVec(8)), var(t, "b", Sort::BitVec(8)));
    let (f, g) = (var(t, "f", float), var(t, "g", float));
    let m = var(t, "m", array);
    let function = t.function("phi", &[Sort::Int, Sort::Bool], Sort::Int);
    let at = t.variable("y", Scope::Global, Sort::Int);
    let indexed = t.var_at(at, 7);
    let mut all = vec![p, x, a, f, m, indexed, t.tt(), t.ff()];
    let big = "-123456789012345678901234567890".parse::<Integer>().expect("a number");
    all.push(t.int(big));
    all.push(t.bv(200, 8));
    all.push(t.apply(function, &[x, p]));
    all.push(t.not(p));
    all.push(t.and(&[p, q]));
    all.push(t.or(&[p, q]));
    all.push(t.ite(p, x, y));
    all.push(t.eq(m, m));
    all.push(t.sum_of(&[x, y, indexed]));
    all.push(t.mul(x, y));
    let three = t.int(3);
    for op in [Op::Le, Op::Div, Op::Mod, Op::Eq] {
        all.push(t.make(op, &[x, three]));
        all.push(t.make(op, &[x, y]));
    }
    for op in [Op::BvNot, Op::BvNeg, Op::ZeroExtend(3), Op::SignExtend(3)] {
        all.push(t.make(op, &[a]));
    }
    all.push(t.extract(6, 2, a));
    for op in [
        Op::BvAnd,
        Op::BvOr,
        Op::BvXor,
        Op::BvAdd,
        Op::BvMul,
        Op::BvUdiv,
        Op::BvUrem,
        Op::BvSdiv,
        Op::BvSrem,
        Op::BvShl,
        Op::BvLshr,
        Op::BvAshr,
        Op::BvUle,
        Op::BvUlt,
        Op::BvSle,
        Op::BvSlt,
        Op::Concat,
        Op::Eq,
    ] {
        all.push(t.make(op, &[a, b]));
    }
    all.push(t.select(m, x));
    all.push(t.store(m, x, a));
    all.push(t.const_array(array, a));
    for op in [
        Op::FloatAdd,
        Op::FloatSub,
        Op::FloatMul,
        Op::FloatDiv,
        Op::FloatRem,
        Op::FloatEq,
        Op::FloatLt,
        Op::FloatLe,
    ] {
        all.push(t.make(op, &[f, g]));
    }
    for op in [
        Op::FloatNeg,
        Op::FloatAbs,
        Op::FloatSqrt,
        Op::FloatRound(Rounding::NearestEven),
        Op::FloatRound(Rounding::NearestAway),
        Op::FloatRound(Rounding::TowardZero),
        Op::FloatRound(Rounding::Up),
        Op::FloatRound(Rounding::Down),
        Op::FloatIsNan,
        Op::FloatIsInfinite,
        Op::FloatConvert(FloatSort::DOUBLE),
        Op::FloatToSigned(16),
        Op::FloatToUnsigned(16),
    ] {
        all.push(t.make(op, &[f]));
    }
    all.push(t.make(Op::FloatFma, &[f, g, f]));
    let bits = var(t, "bits", Sort::BitVec(32));
    all.push(t.make(Op::FloatFromBits(FloatSort::SINGLE), &[bits]));
    all.push(t.make(Op::FloatFromSigned(FloatSort::SINGLE), &[a]));
    all.push(t.make(Op::FloatFromUnsigned(FloatSort::SINGLE), &[a]));
    all
}

#[test]
fn every_operator_survives_writing_and_reading() {
    let mut t = Terms::new();
    for term in samples(&mut t) {
        let text = write_term(&t, term);
        assert_eq!(parse_term(&mut t, &text), Ok(term), "{text}");
    }
}

#[test]
fn shared_and_deep_terms_stay_small_and_readable() {
    let mut t = Terms::new();
    let p = var(&mut t, "p", Sort::Bool);
    let mut shared = var(&mut t, "a", Sort::BitVec(8));
    let mut deep = p;
    let function = t.function("h", &[Sort::BitVec(8), Sort::BitVec(8)], Sort::BitVec(8));
    for _ in 0..60 {
        shared = t.apply(function, &[shared, shared]);
    }
    let text = write_term(&t, shared);
    assert!(text.len() < 10_000);
    assert_eq!(parse_term(&mut t, &text), Ok(shared));
    let step = t.function("s", &[Sort::Bool], Sort::Bool);
    for _ in 0..100_000 {
        deep = t.apply(step, &[deep]);
    }
    let text = write_term(&t, deep);
    assert_eq!(parse_term(&mut t, &text), Ok(deep));
}

#[test]
fn what_solvers_write_is_understood() {
    let mut t = Terms::new();
    let (x, y) = (var(&mut t, "x", Sort::Int), var(&mut t, "y", Sort::Int));
    let (xn, yn) = ("|x#0|", "|y#1|");
    let mut reads = |text: String, shown: &str| {
        let term = parse_term(&mut t, &text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(t.display(term).to_string(), shown, "{text}");
    };
    reads(format!("(>= (- {xn} {yn}) (- 1))"), "y <= x + 1");
    reads(format!("(not (> {xn} {yn}))"), "x <= y");
    reads(format!("(let ((a (+ {xn} 1)) (b {yn})) (let ((a b) (b a)) (< a b)))"), "y <= x");
    reads(format!("(! (= (* (- 1) {xn}) 5) :named foo)"), "x == -5");
    reads(format!("(distinct {xn} {yn} 3)"), "x != y && x != 3 && y != 3");
    reads(format!("(=> (< {xn} 0) (< {yn} 0) false)"), "x >= 0 || y >= 0");
    let _ = (x, y);
    assert!(matches!(
        parse_term(&mut t, "(forall ((z Int)) (= z z))"),
        Err(ParseError::Unsupported(_))
    ));
    assert!(matches!(parse_term(&mut t, "(and |x#0| true)"), Err(ParseError::IllSorted(_))));
    assert!(matches!(parse_term(&mut t, "|z#99|"), Err(ParseError::UnknownName(_))));
    assert!(matches!(parse_term(&mut t, "(and true"), Err(ParseError::Sexpr(_))));
}

#[test]
fn values_are_read_in_all_forms() {
    let mut t = Terms::new();
    let array = t.array_sort(Sort::Int, Sort::Int);
    let int = |v: i64| Value::Int(v.into());
    let value = |sort, text: &str| parse_value(&t, sort, text);
    assert_eq!(value(Sort::Int, "(- 7)"), Some(int(-7)));
    let byte = |bits: i64| Some(Value::BitVec { width: 8, bits: bits.into() });
    assert_eq!(value(Sort::BitVec(8), "#xff"), byte(255));
    assert_eq!(value(Sort::BitVec(8), "#b00000101"), byte(5));
    assert_eq!(value(Sort::BitVec(8), "(_ bv9 8)"), byte(9));
    assert_eq!(value(Sort::BitVec(7), "(_ bv9 8)"), None);
    let single = Sort::Float(FloatSort::SINGLE);
    let bits = |v: f32| Some(Value::float(FloatSort::SINGLE, v.to_bits().into()));
    assert_eq!(value(single, "(fp #b0 #x7f #b10000000000000000000000)"), bits(1.5));
    assert_eq!(value(single, "(_ -oo 8 24)"), bits(f32::NEG_INFINITY));
    assert_eq!(value(single, "(_ -zero 8 24)"), bits(-0.0));
    assert_eq!(value(single, "(_ NaN 8 24)"), bits(f32::NAN));
    let text = "(store (store ((as const (Array Int Int)) 0) 1 5) 1 (- 6))";
    let expected = Value::Array { default: Box::new(int(0)), entries: [(int(1), int(-6))].into() };
    assert_eq!(
        value(
            Sort::Array(match array {
                Sort::Array(a) => a,
                _ => return,
            }),
            text
        ),
        Some(expected)
    );
}

#[test]
fn definitions_of_relations_are_instantiated() {
    let mut t = Terms::new();
    let (x, y) = (var(&mut t, "x", Sort::Int), var(&mut t, "y", Sort::Int));
    let text =
        "(\n (define-fun R ((x!0 Int) (x!1 Int)) Bool (let ((a!1 (+ x!0 x!1))) (<= a!1 3)))\n)";
    let definitions = Definitions::parse(text).expect("definitions");
    assert_eq!(definitions.names().collect::<Vec<_>>(), ["R"]);
    assert_eq!(definitions.parameter_sorts(&mut t, "R"), Ok(vec![Sort::Int, Sort::Int]));
    let body = definitions.instantiate(&mut t, "R", &[x, y]).expect("a body");
    assert_eq!(t.display(body).to_string(), "x + y <= 3");
    assert!(definitions.instantiate(&mut t, "R", &[x]).is_err());
}
