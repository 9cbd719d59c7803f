//! Small implication queries over integers: how many per second, and what our layer adds.
//!
//! `cargo run --release -p gnomon-logic --example bench_queries [queries]`
//!
//! A shared base of constraints, a pool of predicates as abstraction has it, and queries "do these
//! ten literals imply this one?". The same queries are put to Z3 through [`Z3Solver`] and directly
//! through its C interface with everything prepared, in alternating batches of one run; the
//! difference is what the layer costs. The cache is off. Half of the queries are implied. Processor
//! time of the thread is measured.
#![allow(unsafe_code)]

use gnomon_logic::{
    Answer, Limits, Op, Purpose, Relation, Scope, Solver, Sort, Term, Terms, Value, Z3Solver,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use z3_sys::*;

const VARIABLES: usize = 12;
const PREDICATES: usize = 40;
const LITERALS: usize = 10;
const BATCH: usize = 500;

/// A small generator of pseudo-random numbers, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

struct Workload {
    terms: Terms,
    base: Vec<Term>,
    queries: Vec<Vec<Term>>,
}

fn workload(count: usize) -> Workload {
    let mut t = Terms::new();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let variables: Vec<Term> = (0..VARIABLES)
        .map(|i| {
            let v = t.variable(&format!("v{i}"), Scope::Global, Sort::Int);
            t.var_at(v, 1)
        })
        .collect();
    let mut candidate = |t: &mut Terms| {
        let x = variables[random.below(VARIABLES as u64) as usize];
        let y = variables[random.below(VARIABLES as u64) as usize];
        let c = random.below(21) as i64 - 10;
        match random.below(4) {
            0 => {
                let y = t.add_constant(y, c);
                t.eq(x, y)
            }
            1 => {
                let sum = t.add(x, y);
                let c = t.int(c * 3);
                t.le(sum, c)
            }
            2 => {
                let c = t.int(c);
                t.le(x, c)
            }
            _ => {
                let y = t.add_constant(y, c);
                t.le(x, y)
            }
        }
    };
    let mut atom = |t: &mut Terms| {
        loop {
            let atom = candidate(t);
            if !t.is_ground(atom) {
                return atom;
            }
        }
    };
    // Everything holds for one valuation, so that base and premises are consistent, as they are
    // in an abstraction; the conclusion holds for it or not.
    let mut values = Random(0xdead_beef_cafe_f00d);
    let values: BTreeMap<Term, Value> =
        variables.iter().map(|&v| (v, Value::Int((values.below(21) as i64 - 10).into()))).collect();
    let make_true = |t: &mut Terms, atom: Term| {
        let holds = t.evaluate(atom, |term, _| values.get(&term).cloned());
        if holds == Some(Value::Bool(true)) { atom } else { t.not(atom) }
    };
    let base: Vec<Term> = (0..8)
        .map(|_| {
            let atom = atom(&mut t);
            make_true(&mut t, atom)
        })
        .collect();
    let mut predicates: Vec<Term> = (0..PREDICATES)
        .map(|_| {
            let atom = atom(&mut t);
            make_true(&mut t, atom)
        })
        .collect();
    predicates.sort_unstable();
    predicates.dedup();
    // Conclusions that follow from two of the predicates: the sum of two inequalities.
    let consequences: Vec<(Term, Term, Term)> = predicates
        .iter()
        .zip(predicates.iter().rev())
        .filter_map(|(&a, &b)| {
            let (p, Relation::LeZero) = t.linear_atom(a)? else { return None };
            let (q, Relation::LeZero) = t.linear_atom(b)? else { return None };
            let sum = p.add_scaled(&q, &1.into());
            let conclusion = t.from_linear_atom(&sum, Relation::LeZero);
            (a < b && !t.is_ground(conclusion)).then_some((a, b, conclusion))
        })
        .collect();
    let mut random = Random(88_172_645_463_325_252);
    let queries = (0..count)
        .map(|_| {
            let mut query: Vec<Term> = Vec::with_capacity(LITERALS + 1);
            let implied = random.below(2) == 0;
            let (a, b, conclusion) = consequences[random.below(consequences.len() as u64) as usize];
            if implied {
                query.extend([a, b]);
            }
            while query.len() < LITERALS {
                let predicate = predicates[random.below(predicates.len() as u64) as usize];
                if !query.contains(&predicate) {
                    query.push(predicate);
                }
            }
            query.push(t.not(conclusion));
            query
        })
        .collect();
    Workload { terms: t, base, queries }
}

/// Z3's C interface with prepared literals: what the queries cost without us.
struct Direct {
    context: Z3_context,
    solver: Z3_solver,
    made: HashMap<Term, Z3_ast>,
    proxies: HashMap<Term, Z3_ast>,
}

impl Direct {
    fn new(w: &Workload) -> Self {
        // SAFETY: plain use of the C interface on one context that lives as long as the program.
        unsafe {
            let configuration = Z3_mk_config().expect("config");
            let context = Z3_mk_context_rc(configuration).expect("context");
            let logic = Z3_mk_string_symbol(context, c"QF_UFLIA".as_ptr()).expect("symbol");
            let solver = Z3_mk_solver_for_logic(context, logic).expect("solver");
            Z3_solver_inc_ref(context, solver);
            let parameters = Z3_mk_params(context).expect("params");
            Z3_params_inc_ref(context, parameters);
            let rlimit = Z3_mk_string_symbol(context, c"rlimit".as_ptr()).expect("symbol");
            let limit = Limits::default().resources.unwrap_or(0);
            Z3_params_set_uint(context, parameters, rlimit, limit);
            let config = Z3_mk_string_symbol(context, c"auto_config".as_ptr()).expect("symbol");
            Z3_params_set_bool(context, parameters, config, false);
            let mode = c"arith.propagation_mode".as_ptr();
            let mode = Z3_mk_string_symbol(context, mode).expect("symbol");
            Z3_params_set_uint(context, parameters, mode, 0);
            Z3_solver_set_params(context, solver, parameters);
            let mut direct =
                Self { context, solver, made: HashMap::new(), proxies: HashMap::new() };
            for &formula in &w.base {
                let ast = direct.make(&w.terms, formula);
                Z3_solver_assert(context, solver, ast);
            }
            direct
        }
    }

    unsafe fn make(&mut self, terms: &Terms, term: Term) -> Z3_ast {
        if let Some(&ast) = self.made.get(&term) {
            return ast;
        }
        // SAFETY: all terms belong to this context and are kept.
        unsafe {
            let args: Vec<Z3_ast> =
                terms.args(term).to_vec().iter().map(|&a| self.make(terms, a)).collect();
            let int = Z3_mk_int_sort(self.context).expect("sort");
            let ast = match terms.op(term) {
                Op::Int(id) => {
                    let value = i64::try_from(terms.number(id)).expect("small");
                    Z3_mk_int64(self.context, value, int)
                }
                Op::Symbol(_) => {
                    let symbol = Z3_mk_int_symbol(self.context, term.index() as i32);
                    Z3_mk_const(self.context, symbol.expect("symbol"), int)
                }
                Op::Not => Z3_mk_not(self.context, args[0]),
                Op::Eq => Z3_mk_eq(self.context, args[0], args[1]),
                Op::Le => Z3_mk_le(self.context, args[0], args[1]),
                Op::Add => Z3_mk_add(self.context, args.len() as u32, args.as_ptr()),
                Op::Mul => Z3_mk_mul(self.context, args.len() as u32, args.as_ptr()),
                op => panic!("{op:?} is not in the workload"),
            }
            .expect("term");
            Z3_inc_ref(self.context, ast);
            self.made.insert(term, ast);
            ast
        }
    }

    fn proxy(&mut self, terms: &Terms, literal: Term) -> Z3_ast {
        if let Some(&proxy) = self.proxies.get(&literal) {
            return proxy;
        }
        // SAFETY: as above.
        unsafe {
            let ast = self.make(terms, literal);
            let sort = Z3_mk_bool_sort(self.context).expect("sort");
            let symbol = Z3_mk_int_symbol(self.context, 1_000_000 + self.proxies.len() as i32);
            let proxy = Z3_mk_const(self.context, symbol.expect("symbol"), sort).expect("proxy");
            Z3_inc_ref(self.context, proxy);
            let not = Z3_mk_not(self.context, proxy).expect("not");
            let definition = Z3_mk_or(self.context, 2, [not, ast].as_ptr()).expect("or");
            Z3_solver_assert(self.context, self.solver, definition);
            self.proxies.insert(literal, proxy);
            proxy
        }
    }

    fn check(&self, literals: &[Z3_ast]) -> Z3_lbool {
        // SAFETY: as above.
        unsafe {
            Z3_solver_check_assumptions(
                self.context,
                self.solver,
                literals.len() as u32,
                literals.as_ptr(),
            )
        }
    }
}

/// The processor time of this thread, so that other work on the machine does not count; the time
/// of day where the system does not tell.
fn clock() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = schedstat.as_ref().and_then(|s| s.split_whitespace().next()?.parse().ok());
    match nanoseconds {
        Some(nanoseconds) => Duration::from_nanos(nanoseconds),
        None => START.get_or_init(Instant::now).elapsed(),
    }
}

/// The last literal of a query is the negated conclusion.
fn ask(solver: &mut impl Solver, terms: &Terms, query: &[Term]) -> bool {
    let answer = solver.check(terms, query, Purpose::ABSTRACTION, Limits::default());
    assert!(!matches!(answer, Answer::Unknown(_)), "{answer:?}");
    answer.is_unsat()
}

fn main() {
    let count = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(40_000usize);
    let w = workload(count);
    let mut direct = Direct::new(&w);
    let prepared: Vec<Vec<Z3_ast>> =
        w.queries.iter().map(|q| q.iter().map(|&l| direct.proxy(&w.terms, l)).collect()).collect();
    let mut layer = Z3Solver::implications();
    for &formula in &w.base {
        layer.assert(&w.terms, formula);
    }
    let (mut through, mut without) = (Duration::ZERO, Duration::ZERO);
    let (mut implied, mut differ) = (0, 0);
    for (batch, queries) in w.queries.chunks(BATCH).enumerate() {
        let raw = &prepared[batch * BATCH..batch * BATCH + queries.len()];
        let mut answers = Vec::with_capacity(queries.len());
        let mut ours = || {
            let start = clock();
            for query in queries {
                answers.push(ask(&mut layer, &w.terms, query));
            }
            through += clock() - start;
        };
        let mut theirs = Vec::with_capacity(queries.len());
        let mut direct_run = || {
            let start = clock();
            for literals in raw {
                theirs.push(direct.check(literals) == Z3_L_FALSE);
            }
            without += clock() - start;
        };
        // Who goes first alternates, so that neither always finds warm caches.
        if batch % 2 == 0 {
            ours();
            direct_run();
        } else {
            direct_run();
            ours();
        }
        implied += answers.iter().filter(|&&a| a).count();
        differ += answers.iter().zip(&theirs).filter(|(a, b)| a != b).count();
    }
    let rate = |d: Duration| count as f64 / d.as_secs_f64();
    println!("queries            {count} ({implied} implied, {differ} answered differently)");
    println!("through the layer  {:>8.0} queries/s", rate(through));
    println!("Z3 alone           {:>8.0} queries/s", rate(without));
    println!(
        "the layer adds     {:>7.1} %",
        100.0 * (through.as_secs_f64() / without.as_secs_f64() - 1.0)
    );
}
