//! The SAT-based solver against Z3, on random terms of all operators at small widths, with arrays
//! and functions; models are checked by evaluation, unsatisfiable cores by asking again.

use gnomon_logic::solver::sat::SatSolver;
use gnomon_logic::{
    Answer, Integer, Limits, Model, Op, Purpose, Scope, Solver, Sort, Term, Terms, UnknownReason,
    Value, Z3Solver,
};
use proptest::prelude::*;

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

const WORDS: &[Op] = &[
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
const COMPARISONS: &[Op] = &[Op::Eq, Op::BvUle, Op::BvUlt, Op::BvSle, Op::BvSlt];

fn symbol(terms: &mut Terms, name: &str, sort: Sort) -> Term {
    let variable = terms.variable(name, Scope::Global, sort);
    terms.var(variable)
}

/// A word of a width, of a depth.
fn word(t: &mut Terms, r: &mut Random, width: u32, depth: usize) -> Term {
    if depth == 0 {
        return match r.below(3) {
            0 => t.bv(Integer::from(r.below(1 << width)), width),
            n => symbol(t, &format!("x{n}_{width}"), Sort::BitVec(width)),
        };
    }
    match r.below(12) {
        0 => {
            let a = word(t, r, width, depth - 1);
            t.make(r.pick(&[Op::BvNot, Op::BvNeg]), &[a])
        }
        1 if width > 1 => {
            let cut = 1 + r.below(width as usize - 1) as u32;
            let (a, b) = (word(t, r, cut, depth - 1), word(t, r, width - cut, depth - 1));
            t.make(Op::Concat, &[a, b])
        }
        2 => {
            let more = r.below(3) as u32;
            let low = r.below(more as usize + 1) as u32;
            let a = word(t, r, width + more, depth - 1);
            t.extract(low + width - 1, low, a)
        }
        3 if width > 1 => {
            let less = 1 + r.below(width as usize - 1) as u32;
            let a = word(t, r, width - less, depth - 1);
            t.make(r.pick(&[Op::ZeroExtend(less), Op::SignExtend(less)]), &[a])
        }
        4 => {
            let test = formula(t, r, depth - 1);
            let (a, b) = (word(t, r, width, depth - 1), word(t, r, width, depth - 1));
            t.ite(test, a, b)
        }
        5 => {
            let array = array(t, r, width, depth - 1);
            let index = word(t, r, 3, depth - 1);
            t.select(array, index)
        }
        6 => {
            let sorts = [Sort::BitVec(width), Sort::BitVec(2)];
            let f = t.function(&format!("f{width}"), &sorts, Sort::BitVec(width));
            let (a, b) = (word(t, r, width, depth - 1), word(t, r, 2, depth - 1));
            t.apply(f, &[a, b])
        }
        _ => {
            let (a, b) = (word(t, r, width, depth - 1), word(t, r, width, depth - 1));
            t.make(r.pick(WORDS), &[a, b])
        }
    }
}

/// An array from three bits to words.
fn array(t: &mut Terms, r: &mut Random, width: u32, depth: usize) -> Term {
    let sort = t.array_sort(Sort::BitVec(3), Sort::BitVec(width));
    match (depth, r.below(5)) {
        (0, 0) | (_, 1) => {
            let value = word(t, r, width, depth.saturating_sub(1));
            t.const_array(sort, value)
        }
        (0, _) | (_, 0) => symbol(t, &format!("a{width}"), sort),
        (_, 2) => {
            let test = formula(t, r, depth - 1);
            let (a, b) = (array(t, r, width, depth - 1), array(t, r, width, depth - 1));
            t.ite(test, a, b)
        }
        _ => {
            let inner = array(t, r, width, depth - 1);
            let (index, value) = (word(t, r, 3, depth - 1), word(t, r, width, depth - 1));
            t.store(inner, index, value)
        }
    }
}

fn formula(t: &mut Terms, r: &mut Random, depth: usize) -> Term {
    if depth == 0 {
        return symbol(t, ["p", "q"][r.below(2)], Sort::Bool);
    }
    match r.below(8) {
        0 => {
            let a = formula(t, r, depth - 1);
            t.not(a)
        }
        1 => {
            let all: Vec<Term> = (0..3).map(|_| formula(t, r, depth - 1)).collect();
            if r.below(2) == 0 { t.and(&all) } else { t.or(&all) }
        }
        2 => {
            let (a, b) = (formula(t, r, depth - 1), formula(t, r, depth - 1));
            t.eq(a, b)
        }
        3 => {
            let (a, b, c) =
                (formula(t, r, depth - 1), formula(t, r, depth - 1), formula(t, r, depth - 1));
            t.ite(a, b, c)
        }
        _ => {
            let width = r.pick(&[1, 2, 3, 5, 8]);
            let (a, b) = (word(t, r, width, depth - 1), word(t, r, width, depth - 1));
            t.make(r.pick(COMPARISONS), &[a, b])
        }
    }
}

fn limits() -> Limits {
    Limits::default().with_resources(5_000_000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// One incremental solver for several queries in scopes, compared with Z3 for each.
    #[test]
    fn answers_are_those_of_z3(seed in 1u64..) {
        let (mut t, mut r) = (Terms::new(), Random(seed));
        let (mut sat, mut z3) = (SatSolver::new(), Z3Solver::all());
        for _ in 0..3 {
            let asserted = formula(&mut t, &mut r, 4);
            let assumptions: Vec<Term> = (0..2).map(|_| formula(&mut t, &mut r, 3)).collect();
            for solver in [&mut sat as &mut dyn Solver, &mut z3] {
                solver.push();
                solver.assert(&t, asserted);
            }
            let expected = z3.check(&t, &assumptions, Purpose::OTHER, limits());
            let answer = sat.check(&t, &assumptions, Purpose::OTHER, limits());
            if !matches!(expected, Answer::Unknown(_)) {
                prop_assert_eq!(&answer, &expected);
            }
            let mut all = assumptions.clone();
            all.push(asserted);
            match answer {
                Answer::Sat => check_model(&mut t, &mut sat, &all),
                Answer::Unsat => {
                    let core = sat.core(&t);
                    prop_assert!(core.iter().all(|c| assumptions.contains(c)));
                    let again = sat.check(&t, &core, Purpose::OTHER, limits());
                    prop_assert_eq!(again, Answer::Unsat);
                }
                Answer::Unknown(why) => prop_assert!(false, "unknown: {}", why),
            }
            for solver in [&mut sat as &mut dyn Solver, &mut z3] {
                solver.pop();
            }
        }
    }
}

/// Formulas hold under the model of the last check.
fn check_model(t: &mut Terms, solver: &mut dyn Solver, formulas: &[Term]) {
    let mut wanted = Model::symbols_of(t, formulas);
    let applied = |term: &Term| matches!(t.op(*term), Op::Apply(_));
    wanted.extend(t.subterms(formulas).into_iter().filter(applied));
    let model = solver.model(t, &wanted);
    for &f in formulas {
        let value = t.evaluate(f, |term, _| {
            // What no query asked for can be anything.
            Some(model.get(term).cloned().unwrap_or_else(|| Value::zero(t, t.sort(term))))
        });
        assert_eq!(value, Some(Value::Bool(true)), "{}", t.display(f));
    }
}

/// Every operator on words, against evaluation, for all values of three bits.
#[test]
fn operators_on_all_small_words() {
    let mut t = Terms::new();
    let (x, y) = (symbol(&mut t, "x", Sort::BitVec(3)), symbol(&mut t, "y", Sort::BitVec(3)));
    let mut solver = SatSolver::new();
    for &op in WORDS {
        let result = t.make(op, &[x, y]);
        for (a, b) in (0..8u32).flat_map(|a| (0..8u32).map(move |b| (a, b))) {
            let (value_a, value_b) = (t.bv(a, 3), t.bv(b, 3));
            let expected = t.make(op, &[value_a, value_b]);
            let (is_a, is_b) = (t.eq(x, value_a), t.eq(y, value_b));
            let differs = t.ne(result, expected);
            let answer = solver.check(&t, &[is_a, is_b, differs], Purpose::OTHER, limits());
            assert_eq!(answer, Answer::Unsat, "{op:?} of {a} and {b}");
        }
    }
}

/// The same of words that were extended, with and without sign: their circuits are narrower.
#[test]
fn operators_on_extended_words() {
    let mut t = Terms::new();
    let (x, y) = (symbol(&mut t, "x", Sort::BitVec(3)), symbol(&mut t, "y", Sort::BitVec(3)));
    let mut solver = SatSolver::new();
    let ops = [Op::BvMul, Op::BvUdiv, Op::BvUrem, Op::BvSdiv, Op::BvSrem];
    for (extend_x, extend_y) in [Op::SignExtend(6), Op::ZeroExtend(6)]
        .map(|op| [(op, Op::SignExtend(6)), (op, Op::ZeroExtend(6))])
        .concat()
    {
        let (wide_x, wide_y) = (t.make(extend_x, &[x]), t.make(extend_y, &[y]));
        for op in ops {
            let result = t.make(op, &[wide_x, wide_y]);
            for (a, b) in (0..8u32).flat_map(|a| (0..8u32).map(move |b| (a, b))) {
                let (value_a, value_b) = (t.bv(a, 3), t.bv(b, 3));
                let (long_a, long_b) = (t.make(extend_x, &[value_a]), t.make(extend_y, &[value_b]));
                let expected = t.make(op, &[long_a, long_b]);
                let (is_a, is_b) = (t.eq(x, value_a), t.eq(y, value_b));
                let differs = t.ne(result, expected);
                let answer = solver.check(&t, &[is_a, is_b, differs], Purpose::OTHER, limits());
                assert_eq!(
                    answer,
                    Answer::Unsat,
                    "{extend_x:?} {extend_y:?} {op:?} of {a} and {b}"
                );
            }
        }
    }
}

/// The factors of a product of two primes of 24 bits: too much for a small limit, and the work
/// that was done is told.
#[test]
fn limits_are_obeyed_and_work_is_charged() {
    let mut t = Terms::new();
    let (x, y) = (symbol(&mut t, "x", Sort::BitVec(48)), symbol(&mut t, "y", Sort::BitVec(48)));
    let product = t.bv_mul(x, y);
    let number = t.bv(Integer::from(15_485_863u64 * 12_582_917), 48);
    let (one, small) = (t.bv(1, 48), t.bv(1 << 24, 48));
    let mut facts = vec![t.eq(product, number)];
    for factor in [x, y] {
        facts.push(t.make(Op::BvUlt, &[one, factor]));
        facts.push(t.make(Op::BvUlt, &[factor, small]));
    }
    let budget = gnomon_budget::Budget::unlimited().metered();
    let before = gnomon_logic::solver::client::work_for(Some(budget.clone()));
    let mut used = Vec::new();
    for _ in 0..2 {
        let mut solver = SatSolver::new();
        let start = budget.work();
        let limits = Limits::default().with_resources(50_000);
        let answer = solver.check(&t, &facts, Purpose::OTHER, limits);
        assert_eq!(answer, Answer::Unknown(UnknownReason::ResourceLimit));
        used.push(budget.work() - start);
    }
    gnomon_logic::solver::client::work_for(before);
    assert!(used[0] >= 40_000 && used[0] < 200_000, "{used:?}");
    // Time counts only where the machine is six times slower than counts say.
    assert!(used[0].abs_diff(used[1]) < used[0] / 4, "about the same work in every run: {used:?}");
}

/// What has no bits is refused, and the scope with it can be left.
#[test]
fn integers_are_refused() {
    let mut t = Terms::new();
    let x = symbol(&mut t, "x", Sort::Int);
    let one = t.int(1);
    let positive = t.le(one, x);
    let mut solver = SatSolver::new();
    solver.push();
    solver.assert(&t, positive);
    let answer = solver.check_sat(&t);
    assert!(matches!(answer, Answer::Unknown(UnknownReason::Incomplete(_))), "{answer:?}");
    solver.pop();
    assert_eq!(solver.check_sat(&t), Answer::Sat);
}
