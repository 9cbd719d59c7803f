//! All solvers give the same answers: Z3 in process, Z3 in a worker, the cache, and an external
//! program (cvc5, where it is installed) on all queries of a generated corpus. Models are checked
//! by evaluating the formulas under them, cores by asking again with only the core.

use gnomon_logic::solver::sat::SatSolver;
use gnomon_logic::solver::smtlib::SmtLibSolver;
use gnomon_logic::solver::worker;
use gnomon_logic::{
    Answer, Limits, Model, Op, Purpose, Scope, Solver, Sort, Term, Terms, UnknownReason, Value,
    Z3Solver,
};
use std::time::Duration;

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

#[derive(Clone, Copy, Debug, PartialEq)]
enum Theory {
    Integers,
    Functions,
    Arrays,
    Bits,
}

/// A query: formulas asserted in two scopes, and assumptions.
struct Query {
    theory: Theory,
    base: Vec<Term>,
    inner: Vec<Term>,
    assumptions: Vec<Term>,
}

fn var(t: &mut Terms, name: &str, sort: Sort) -> Term {
    let variable = t.variable(name, Scope::Global, sort);
    t.var_at(variable, 3)
}

/// A random formula of a theory.
fn formula(t: &mut Terms, random: &mut Random, theory: Theory) -> Term {
    let atom = |t: &mut Terms, random: &mut Random| match theory {
        Theory::Bits => {
            let mut pool: Vec<Term> =
                (0..3).map(|i| var(t, &format!("b{i}"), Sort::BitVec(6))).collect();
            for c in [0, 1, 5, 63] {
                pool.push(t.bv(c, 6));
            }
            for _ in 0..2 {
                let op = random.pick(&[
                    Op::BvAdd,
                    Op::BvMul,
                    Op::BvAnd,
                    Op::BvXor,
                    Op::BvUdiv,
                    Op::BvSrem,
                    Op::BvShl,
                    Op::BvAshr,
                ]);
                let (a, b) = (random.pick(&pool), random.pick(&pool));
                pool.push(t.make(op, &[a, b]));
            }
            let op = random.pick(&[Op::Eq, Op::BvUle, Op::BvSlt]);
            let (a, b) = (pool[pool.len() - 1], random.pick(&pool));
            t.make(op, &[a, b])
        }
        _ => {
            let mut pool: Vec<Term> = (0..4).map(|i| var(t, &format!("x{i}"), Sort::Int)).collect();
            if theory == Theory::Functions {
                let f = t.function("f", &[Sort::Int], Sort::Int);
                let g = t.function("g", &[Sort::Int, Sort::Int], Sort::Int);
                let (a, b) = (random.pick(&pool), random.pick(&pool));
                pool.push(t.apply(f, &[a]));
                pool.push(t.apply(g, &[a, b]));
            }
            if theory == Theory::Arrays {
                let sort = t.array_sort(Sort::Int, Sort::Int);
                let mut array = var(t, "m", sort);
                for _ in 0..random.below(3) {
                    let (i, v) = (random.pick(&pool), random.pick(&pool));
                    array = t.store(array, i, v);
                }
                let i = random.pick(&pool);
                pool.push(t.select(array, i));
            }
            let (a, b) = (pool[pool.len() - 1 - random.below(2)], random.pick(&pool));
            let c = random.below(7) as i64 - 3;
            let b = t.mul_by(1 + random.below(3) as i64, b);
            let b = t.add_constant(b, c);
            match random.below(4) {
                0 => t.eq(a, b),
                1 => {
                    let three = t.int(3);
                    let rest = t.modulo(a, three);
                    let one = t.int(1);
                    t.eq(rest, one)
                }
                _ => t.le(a, b),
            }
        }
    };
    let (a, b, c) = (atom(t, random), atom(t, random), atom(t, random));
    match random.below(5) {
        0 => t.or(&[a, b, c]),
        1 => {
            let not = t.not(a);
            t.implies(not, b)
        }
        2 => t.ite(a, b, c),
        3 => t.eq(a, b),
        _ => t.not(a),
    }
}

fn corpus(t: &mut Terms, count: usize) -> Vec<Query> {
    let mut random = Random(0x0dd_ba11_5eed);
    let theories = [Theory::Integers, Theory::Functions, Theory::Arrays, Theory::Bits];
    (0..count)
        .map(|at| {
            let theory = theories[at % theories.len()];
            let mut some = |random: &mut Random, n: usize| -> Vec<Term> {
                let n = 1 + random.below(n);
                (0..n).map(|_| formula(t, random, theory)).collect()
            };
            Query {
                theory,
                base: some(&mut random, 3),
                inner: some(&mut random, 3),
                assumptions: some(&mut random, 4),
            }
        })
        .collect()
}

fn limits() -> Limits {
    Limits { resources: Some(2_000_000), time: Some(Duration::from_secs(10)) }
}

/// Asks a query on top of whatever is asserted, and checks model and core.
fn ask(t: &mut Terms, solver: &mut dyn Solver, query: &Query) -> Answer {
    solver.push();
    for &f in &query.base {
        solver.assert(t, f);
    }
    solver.push();
    for &f in &query.inner {
        solver.assert(t, f);
    }
    let answer = solver.check(t, &query.assumptions, Purpose::OTHER, limits());
    let all: Vec<Term> = [&query.base[..], &query.inner[..], &query.assumptions[..]].concat();
    match &answer {
        Answer::Sat => {
            let model = model_of(t, solver, &all);
            for &f in &all {
                let value = t.evaluate(f, |term, _| model.get(term).cloned());
                assert_ne!(value, Some(Value::Bool(false)), "{}", t.display(f));
                if matches!(query.theory, Theory::Integers | Theory::Bits) {
                    assert_eq!(value, Some(Value::Bool(true)), "{}", t.display(f));
                }
            }
        }
        Answer::Unsat => {
            let core = solver.core(t);
            assert!(core.iter().all(|c| query.assumptions.contains(c)));
            let again = solver.check(t, &core, Purpose::OTHER, limits());
            assert_ne!(again, Answer::Sat, "the core does not suffice");
        }
        Answer::Unknown(_) => {}
    }
    solver.pop();
    solver.pop();
    answer
}

fn model_of(t: &mut Terms, solver: &mut dyn Solver, formulas: &[Term]) -> Model {
    let mut wanted = Model::symbols_of(t, formulas);
    let applied = |term: &Term| matches!(t.op(*term), Op::Apply(_));
    wanted.extend(t.subterms(formulas).into_iter().filter(applied));
    solver.model(t, &wanted)
}

fn disagree(a: &Answer, b: &Answer) -> bool {
    matches!((a, b), (Answer::Sat, Answer::Unsat) | (Answer::Unsat, Answer::Sat))
}

#[test]
fn all_solvers_agree() {
    let mut t = Terms::new();
    let queries = corpus(&mut t, 400);
    let mut z3 = Z3Solver::all();
    let answers: Vec<Answer> = queries.iter().map(|q| ask(&mut t, &mut z3, q)).collect();
    let count = |wanted: &Answer| answers.iter().filter(|a| *a == wanted).count();
    assert!(count(&Answer::Sat) > 60 && count(&Answer::Unsat) > 60, "a corpus with both answers");
    let program = worker::program(env!("CARGO_BIN_EXE_gnomon-solver-worker").into(), 1024);
    let mut others: Vec<(&str, Box<dyn Solver>)> = vec![
        ("integers", Box::new(Z3Solver::integers())),
        ("worker", Box::new(worker::solver(program))),
        ("external", Box::new(SmtLibSolver::external("cvc5"))),
        ("bits", Box::new(SatSolver::new())),
    ];
    for (name, solver) in &mut others {
        let mut known = 0;
        for (at, (query, expected)) in queries.iter().zip(&answers).enumerate() {
            let is_bits = query.theory == Theory::Bits;
            if (*name == "integers" && is_bits) || (*name == "bits" && !is_bits) {
                continue;
            }
            let answer = ask(&mut t, &mut **solver, query);
            // A machine without the external program cannot compare with it.
            if *name == "external"
                && at == 0
                && let Answer::Unknown(UnknownReason::Failed(why)) = &answer
                && why.contains("could not be started")
            {
                known = queries.len();
                break;
            }
            assert!(!disagree(expected, &answer), "{name}, query {at}: {expected:?}, {answer:?}");
            known += usize::from(!matches!(answer, Answer::Unknown(_)));
        }
        // A quarter of the queries are about bits.
        let least = if *name == "bits" { queries.len() / 5 } else { queries.len() / 2 };
        assert!(known > least, "{name} knows {known} answers only");
    }
}
