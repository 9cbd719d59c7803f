//! The worker process: same answers as in process, killed when it takes too long, Spacer.

use gnomon_logic::solver::smtlib::ChannelError;
use gnomon_logic::solver::worker::{self, Worker};
use gnomon_logic::{
    Answer, FloatSort, Limits, Op, Purpose, Scope, Solver, Sort, Term, Terms, UnknownReason, Value,
};
use std::time::{Duration, Instant};

fn program() -> gnomon_logic::solver::smtlib::Program {
    worker::program(env!("CARGO_BIN_EXE_gnomon-solver-worker").into(), 512)
}

fn var(terms: &mut Terms, name: &str, sort: Sort) -> Term {
    let variable = terms.variable(name, Scope::Global, sort);
    terms.var(variable)
}

#[test]
fn bit_vectors_models_and_cores() {
    let mut t = Terms::new();
    let (x, y) = (var(&mut t, "x", Sort::BitVec(32)), var(&mut t, "y", Sort::BitVec(32)));
    let product = t.bv_mul(x, y);
    let (six, two, three) = (t.bv(6, 32), t.bv(2, 32), t.bv(3, 32));
    let equal = t.eq(product, six);
    let mut solver = worker::solver(program());
    solver.assert(&t, equal);
    solver.push();
    let (x_is, y_is, y_is_not) = (t.eq(x, two), t.eq(y, three), t.ne(y, three));
    solver.assert(&t, x_is);
    assert_eq!(solver.check(&t, &[y_is], Purpose::OTHER, Limits::default()), Answer::Sat);
    let model = solver.model(&t, &[x, product]);
    assert_eq!(model.get(x), Some(&Value::BitVec { width: 32, bits: 2.into() }));
    assert_eq!(model.get(product), Some(&Value::BitVec { width: 32, bits: 6.into() }));
    let small = t.bv_ule(y, six);
    let answer = solver.check(&t, &[small, y_is_not], Purpose::OTHER, Limits::default());
    assert_eq!(answer, Answer::Unsat);
    assert_eq!(solver.core(&t), [small, y_is_not]);
    solver.pop();
    let one = t.bv(1, 32);
    let x_is_one = t.eq(x, one);
    assert_eq!(solver.check(&t, &[x_is_one], Purpose::OTHER, Limits::default()), Answer::Sat);
    assert_eq!(solver.model(&t, &[y]).get(y), Some(&Value::BitVec { width: 32, bits: 6.into() }));
}

#[test]
fn floats_have_values() {
    let mut t = Terms::new();
    let sort = Sort::Float(FloatSort::DOUBLE);
    let x = var(&mut t, "x", sort);
    let half = t.value_term(&Value::float(FloatSort::DOUBLE, 0.5f64.to_bits().into()), sort);
    let sum = t.make(Op::FloatAdd, &[half, half]);
    let equal = t.eq(x, sum);
    let mut solver = worker::solver(program());
    solver.assert(&t, equal);
    assert_eq!(solver.check_sat(&t), Answer::Sat);
    let expected = Value::float(FloatSort::DOUBLE, 1.0f64.to_bits().into());
    assert_eq!(solver.model(&t, &[x]).get(x), Some(&expected));
}

/// Factoring: nothing gives an answer in time.
fn hard_query(t: &mut Terms) -> Vec<Term> {
    let (x, y) = (var(t, "x", Sort::BitVec(128)), var(t, "y", Sort::BitVec(128)));
    let product = t.bv_mul(x, y);
    let semiprime: gnomon_logic::Integer =
        "1000000016000000063".parse::<gnomon_logic::Integer>().expect("a number")
            * 1_000_000_007
            * 998_244_353;
    let semiprime = t.bv(semiprime, 128);
    let equal = t.eq(product, semiprime);
    let bound = t.bv(1u64 << 63, 128);
    let one = t.bv(1, 128);
    let mut all = vec![equal];
    for z in [x, y] {
        all.push(t.bv_ult(z, bound));
        all.push(t.bv_ult(one, z));
    }
    all
}

#[test]
fn a_query_that_takes_too_long_is_killed_and_the_stack_survives() {
    let mut t = Terms::new();
    let mut solver = worker::solver(program());
    let z = var(&mut t, "z", Sort::BitVec(8));
    let (five, six) = (t.bv(5, 8), t.bv(6, 8));
    let (is_five, is_six) = (t.eq(z, five), t.eq(z, six));
    solver.assert(&t, is_five);
    solver.push();
    for formula in hard_query(&mut t) {
        solver.assert(&t, formula);
    }
    let start = Instant::now();
    let limits = Limits { resources: None, time: Some(Duration::from_millis(200)) };
    let answer = solver.check(&t, &[], Purpose::OTHER, limits);
    assert_eq!(answer, Answer::Unknown(UnknownReason::Time));
    assert!(start.elapsed() < Duration::from_secs(10));
    solver.pop();
    assert_eq!(solver.check_sat(&t), Answer::Sat);
    assert_eq!(solver.check(&t, &[is_six], Purpose::OTHER, Limits::default()), Answer::Unsat);
    assert_eq!(solver.statistics().restarts, 1);
}

#[test]
fn the_resource_limit_is_obeyed() {
    let mut t = Terms::new();
    let mut solver = worker::solver(program());
    for formula in hard_query(&mut t) {
        solver.assert(&t, formula);
    }
    let limits = Limits::default().with_resources(100_000);
    let answer = solver.check(&t, &[], Purpose::OTHER, limits);
    assert_eq!(answer, Answer::Unknown(UnknownReason::ResourceLimit));
}

#[test]
fn too_little_memory_is_an_answer() {
    let mut t = Terms::new();
    let small = worker::program(env!("CARGO_BIN_EXE_gnomon-solver-worker").into(), 24);
    let mut solver = worker::solver(small);
    for formula in hard_query(&mut t) {
        solver.assert(&t, formula);
    }
    let limits = Limits { resources: None, time: Some(Duration::from_secs(20)) };
    let answer = solver.check(&t, &[], Purpose::OTHER, limits);
    assert_eq!(answer, Answer::Unknown(UnknownReason::Memory));
}

#[test]
fn a_missing_program_is_an_answer() {
    let t = Terms::new();
    let mut solver = worker::solver(worker::program("/does/not/exist".into(), 512));
    let answer = solver.check_sat(&t);
    assert!(matches!(answer, Answer::Unknown(UnknownReason::Failed(_))), "{answer:?}");
}

#[test]
fn spacer_finds_an_inductive_relation() {
    let script = "(set-logic HORN)
        (declare-fun R (Int Int) Bool)
        (assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (R x y))))
        (assert (forall ((x Int) (y Int)) (=> (R x y) (R (+ x 1) (+ y 1)))))
        (assert (forall ((x Int) (y Int)) (=> (and (R x y) (not (= x y))) false)))
        (check-sat)
        (get-model)";
    let mut worker = Worker::new(program());
    for _ in 0..3 {
        let answer = worker.run(script, Duration::from_secs(20)).expect("an answer");
        let model = answer.strip_prefix("sat").expect("a model");
        let definitions = gnomon_logic::smtlib::Definitions::parse(model).expect("definitions");
        let mut t = Terms::new();
        let (x, y) = (var(&mut t, "x", Sort::Int), var(&mut t, "y", Sort::Int));
        let relation = definitions.instantiate(&mut t, "R", &[x, y]).expect("a formula");
        let different = t.ne(x, y);
        let mut solver = gnomon_logic::Z3Solver::integers();
        solver.assert(&t, relation);
        assert_eq!(
            solver.check(&t, &[different], Purpose::CHECK, Limits::default()),
            Answer::Unsat
        );
    }
    let malformed = worker.run("(check-sat", Duration::from_secs(20)).expect("an answer");
    assert!(malformed.contains("error"), "{malformed}");
    let endless = "(declare-const x (_ BitVec 256)) (declare-const y (_ BitVec 256))
        (assert (= (bvmul x y) (_ bv1000000016000000063000000087 256)))
        (assert (bvult x (_ bv18446744073709551616 256)))
        (assert (bvult y (_ bv18446744073709551616 256)))
        (assert (bvult (_ bv1 256) x)) (assert (bvult (_ bv1 256) y)) (check-sat)";
    assert_eq!(worker.run(endless, Duration::from_millis(100)), Err(ChannelError::Time));
}
