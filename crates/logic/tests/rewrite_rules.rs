//! Every rewrite rule of the simplifier is proved by the solver.
//!
//! Terms are made with recording on; each recorded rewrite (node as asked for, result) must be an
//! equality that the solver proves, and every rule must have been seen. Rules over unconstrained
//! arguments are proved in general that way (the arguments are free symbols); rules with a side
//! condition on constants are proved for edge values and for random ones.

use gnomon_logic::{
    Answer, FloatSort, Integer, Limits, Op, Purpose, Rewrite, Rule, Scope, Solver, Sort, Term,
    Terms, Z3Solver,
};
use std::collections::BTreeSet;

fn var(terms: &mut Terms, name: &str, sort: Sort) -> Term {
    let variable = terms.variable(name, Scope::Global, sort);
    terms.var(variable)
}

/// A small generator of pseudo-random numbers, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const COMPARISONS: &[Op] = &[Op::BvUle, Op::BvUlt, Op::BvSle, Op::BvSlt];
const BINARY: &[Op] = &[
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
];

/// Boolean, integer and array rules on symbols and edge constants.
fn systematic(t: &mut Terms) {
    let (p, q, r) = (var(t, "p", Sort::Bool), var(t, "q", Sort::Bool), var(t, "r", Sort::Bool));
    let booleans = [p, q, r, t.tt(), t.ff(), t.not(p), t.not(q)];
    let pq = t.and2(p, q);
    let p_or_q = t.or2(p, q);
    for a in booleans {
        t.not(a);
        for b in booleans {
            t.and2(a, b);
            t.or2(a, b);
            t.eq(a, b);
            t.and(&[a, pq, b]);
            t.or(&[a, p_or_q, b]);
            for c in booleans {
                t.ite(a, b, c);
            }
        }
    }
    let (x, y) = (var(t, "x", Sort::Int), var(t, "y", Sort::Int));
    let mut integers = vec![x, y];
    for c in [-7, -2, -1, 0, 1, 2, 3, 8] {
        integers.push(t.int(c));
        let scaled = t.mul_by(c, x);
        integers.push(scaled);
        integers.push(t.add_constant(scaled, 5));
        integers.push(t.sub(scaled, y));
    }
    let (one, two) = (t.int(1), t.int(2));
    integers.push(t.ite(p, one, two));
    integers.push(t.mul(x, y));
    for &a in &integers {
        for &b in &integers {
            for op in [Op::Add, Op::Mul, Op::Le, Op::Eq, Op::Div, Op::Mod] {
                let made = t.make(op, &[a, b]);
                if t.sort(made) == Sort::Bool {
                    t.not(made);
                }
            }
        }
    }
    let sort = t.array_sort(Sort::Int, Sort::Int);
    let a = var(t, "a", sort);
    let filled = t.const_array(sort, y);
    let (next, seven) = (t.add_constant(x, 1), t.int(7));
    for array in [a, filled] {
        for i in [x, y, next, seven] {
            let read = t.select(array, i);
            t.store(array, i, read);
            let written = t.store(array, i, y);
            for j in [x, y, next, seven] {
                t.select(written, j);
                let twice = t.store(written, j, x);
                for k in [x, next, seven] {
                    t.select(twice, k);
                }
            }
        }
    }
    let bytes = t.array_sort(Sort::BitVec(4), Sort::BitVec(4));
    let (b, u) = (var(t, "b", bytes), var(t, "u", Sort::BitVec(4)));
    for i in 0..3 {
        let (i, j) = (t.bv(i, 4), t.bv(2, 4));
        let written = t.store(b, i, u);
        t.select(written, j);
    }
    let float = var(t, "f", Sort::Float(FloatSort::SINGLE));
    for outer in [Op::FloatNeg, Op::FloatAbs] {
        for inner in [Op::FloatNeg, Op::FloatAbs] {
            let inner = t.make(inner, &[float]);
            t.make(outer, &[inner]);
        }
    }
    t.make(Op::FloatConvert(FloatSort::SINGLE), &[float]);
}

/// Bit-vector rules at one width.
fn bit_vectors(t: &mut Terms, width: u32) {
    let (a, b) = (var(t, "a", Sort::BitVec(width)), var(t, "b", Sort::BitVec(width)));
    let p = var(t, "p", Sort::Bool);
    let top: Integer = Integer::ONE << (width as usize - 1);
    let edge = [
        Integer::ZERO,
        Integer::ONE,
        Integer::from(2),
        Integer::from(width),
        Integer::from(width + 1),
        &top - Integer::ONE,
        top.clone(),
        &top + Integer::ONE,
        &top + &top - Integer::ONE,
    ];
    let mut operands = vec![a, b];
    let constants: Vec<Term> = edge.iter().map(|c| t.bv(c.clone(), width)).collect();
    operands.extend_from_slice(&constants);
    operands.push(t.ite(p, constants[1], constants[0]));
    for &c in &constants[..4] {
        operands.extend(BINARY.iter().map(|&op| t.make(op, &[a, c])));
    }
    let mut results = operands.clone();
    for &l in &operands {
        for op in [Op::BvNot, Op::BvNeg] {
            let once = t.make(op, &[l]);
            results.push(once);
            t.make(op, &[once]);
        }
        for &r in &operands {
            results.extend(BINARY.iter().map(|&op| t.make(op, &[l, r])));
            for &op in COMPARISONS.iter().chain(&[Op::Eq]) {
                let made = t.make(op, &[l, r]);
                t.not(made);
            }
        }
    }
    extensions(t, width, a, b, &constants);
}

fn extensions(t: &mut Terms, width: u32, a: Term, b: Term, constants: &[Term]) {
    let mut pieces = vec![a, b, constants[1], constants[6]];
    for by in [0, 1, 3] {
        pieces.push(t.zero_extend(by, a));
        pieces.push(t.sign_extend(by, a));
    }
    pieces.push(t.concat(a, b));
    let cuts = pieces.clone();
    for &piece in &cuts {
        let whole = t.width(piece);
        for high in 0..whole {
            for low in 0..=high {
                pieces.push(t.extract(high, low, piece));
            }
        }
    }
    pieces.sort_unstable();
    pieces.dedup();
    for &piece in &pieces {
        let whole = t.width(piece);
        for by in [0, 2] {
            for extended in [t.zero_extend(by, piece), t.sign_extend(by, piece)] {
                for c in [0i64, 1, -1, 1 << (width - 1)] {
                    let c = t.bv(c, whole + by);
                    t.eq(extended, c);
                }
            }
        }
        t.extract(whole - 1, 0, piece);
        t.extract(whole / 2, 0, piece);
        t.extract(whole - 1, whole / 2, piece);
    }
    for low in 1..width {
        let (upper, lower) = (t.extract(width - 1, low, a), t.extract(low - 1, 0, a));
        t.concat(upper, lower);
        t.concat(lower, upper);
    }
}

/// Random terms over small sorts: rules in combinations nobody thought of.
fn random_terms(t: &mut Terms, random: &mut Random, count: usize) {
    const WIDTH: u32 = 4;
    let mut pool: Vec<Term> = Vec::new();
    for i in 0..3 {
        pool.push(var(t, &format!("p{i}"), Sort::Bool));
        pool.push(var(t, &format!("x{i}"), Sort::Int));
        pool.push(var(t, &format!("a{i}"), Sort::BitVec(WIDTH)));
    }
    for c in -2..4 {
        pool.push(t.int(c));
        pool.push(t.bv(c, WIDTH));
    }
    let leaves = pool.clone();
    let ops: Vec<Op> = [Op::Not, Op::And, Op::Or, Op::Ite, Op::Eq, Op::Add, Op::Le]
        .into_iter()
        .chain(BINARY.iter().copied())
        .chain(COMPARISONS.iter().copied())
        .chain([Op::BvNot, Op::BvNeg, Op::Extract { high: 2, low: 1 }, Op::ZeroExtend(2)])
        .chain([Op::Extract { high: 3, low: 0 }, Op::SignExtend(2), Op::Concat])
        .collect();
    let mut made = 0;
    while made < count {
        let op = random.pick(&ops);
        let arity = match op {
            Op::Not | Op::BvNot | Op::BvNeg | Op::Extract { .. } | Op::ZeroExtend(_) => 1,
            Op::SignExtend(_) => 1,
            Op::Ite => 3,
            _ => 2,
        };
        let args: Vec<Term> = (0..arity).map(|_| random.pick(&pool)).collect();
        let Ok(term) = t.checked(op, &args) else { continue };
        made += 1;
        // Small terms only: the proofs are about one step each.
        if t.width(term) <= 8 && t.size(term) < 12 {
            pool.push(term);
        }
        if pool.len() > 150 {
            pool.truncate(leaves.len());
        }
    }
}

fn prove(t: &mut Terms, rewrites: &[Rewrite]) -> BTreeSet<Rule> {
    let mut seen = BTreeSet::new();
    let mut proved = BTreeSet::new();
    let mut solver = Z3Solver::all();
    for rewrite in rewrites {
        seen.insert(rewrite.rule);
        if !proved.insert((rewrite.before, rewrite.after)) {
            continue;
        }
        let claim = t.unsimplified_difference(rewrite.before, rewrite.after);
        solver.push();
        solver.assert(t, claim);
        let answer = solver.check(t, &[], Purpose::CHECK, Limits::default());
        solver.pop();
        assert_eq!(
            answer,
            Answer::Unsat,
            "{:?}: {} is not {}",
            rewrite.rule,
            gnomon_logic::smtlib::write_term(t, rewrite.before),
            gnomon_logic::smtlib::write_term(t, rewrite.after)
        );
    }
    seen
}

#[test]
fn every_rule_is_proved() {
    let mut t = Terms::new();
    t.record_rewrites();
    systematic(&mut t);
    for width in [1, 2, 5, 8] {
        bit_vectors(&mut t, width);
    }
    let rewrites = t.take_rewrites();
    let seen = prove(&mut t, &rewrites);
    let missing: Vec<&Rule> = Rule::ALL.iter().filter(|r| !seen.contains(r)).collect();
    assert!(missing.is_empty(), "rules without a proof: {missing:?}");
}

#[test]
fn random_rewrites_are_proved() {
    let mut t = Terms::new();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    t.record_rewrites();
    random_terms(&mut t, &mut random, 4_000);
    let rewrites = t.take_rewrites();
    assert!(rewrites.len() > 1_000);
    prove(&mut t, &rewrites);
}
