//! Random infeasible paths, and a check of interpolants that shares nothing with the crate's own.

use super::{Builder, Random};
use gnomon_logic::interpolate::{Path, Sequence, Step};
use gnomon_logic::{
    Answer, Function, Limits, Purpose, Solver, Sort, Symbol, Term, Terms, Z3Solver,
};
use std::collections::BTreeSet;

/// A random path that the solver says is infeasible: assignments, tests, blocks with joins, calls
/// that return, and sometimes applications of an uninterpreted function.
pub fn infeasible_path(seed: u64) -> (Terms, Path) {
    let mut random = Random::new(seed.wrapping_mul(2) + 1);
    loop {
        if let Some(found) = attempt(&mut random) {
            return found;
        }
    }
}

struct Generator<'a> {
    random: &'a mut Random,
    b: Builder,
    function: Option<Function>,
    /// The names in scope.
    names: Vec<String>,
    calls: u32,
}

fn attempt(random: &mut Random) -> Option<(Terms, Path)> {
    let mut b = Builder::default();
    let function = (random.below(4) == 0).then(|| b.terms.function("f", &[Sort::Int], Sort::Int));
    let names = (0..3 + random.below(2)).map(|i| format!("v{i}")).collect();
    let mut g = Generator { random, b, function, names, calls: 0 };
    let steps = 2 + g.random.below(7);
    for _ in 0..steps {
        g.statement(0);
    }
    let mut solver = Z3Solver::all();
    for formula in g.b.formulas() {
        solver.assert(&g.b.terms, formula);
    }
    // Tests are added until the path is infeasible.
    for _ in 0..12 {
        let condition = g.condition();
        g.b.assume(condition);
        solver.assert(&g.b.terms, condition);
        match solver.check_sat(&g.b.terms) {
            Answer::Sat => {}
            Answer::Unsat => return Some(g.b.finish()),
            Answer::Unknown(_) => return None,
        }
    }
    None
}

impl Generator<'_> {
    fn name(&mut self) -> String {
        let at = self.random.below(self.names.len() as u64) as usize;
        self.names[at].clone()
    }

    fn value(&mut self) -> Term {
        let name = self.name();
        let value = self.b.int(&name);
        match self.function {
            Some(f) if self.random.below(4) == 0 => self.b.terms.apply(f, &[value]),
            _ => value,
        }
    }

    fn expression(&mut self) -> Term {
        let constant = self.random.between(-4, 4);
        match self.random.below(5) {
            0 => self.b.terms.int(constant),
            1 => {
                let (left, right) = (self.value(), self.value());
                let factor = self.random.between(-2, 2);
                let right = self.b.terms.mul_by(factor, right);
                self.b.terms.add(left, right)
            }
            _ => {
                let value = self.value();
                self.b.terms.add_constant(value, constant)
            }
        }
    }

    fn condition(&mut self) -> Term {
        let (left, right) = (self.value(), self.expression());
        match self.random.below(6) {
            0 => self.b.terms.eq(left, right),
            1 => self.b.terms.ne(left, right),
            2 => {
                let first = self.b.terms.lt(left, right);
                let (left, right) = (self.value(), self.expression());
                let second = self.b.terms.eq(left, right);
                self.b.terms.or2(first, second)
            }
            3 => self.b.terms.le(left, right),
            _ => self.b.terms.lt(left, right),
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.random.below(8) {
            0..=2 => {
                let (value, name) = (self.expression(), self.name());
                self.b.assign(&name, value);
            }
            3 | 4 => {
                let condition = self.condition();
                self.b.assume(condition);
            }
            5 | 6 => self.block(),
            _ if depth < 2 => self.call(depth),
            _ => {}
        }
    }

    /// `if (c) v := e1 else v := e2` as one step.
    fn block(&mut self) {
        let (condition, name) = (self.condition(), self.name());
        let (then, other) = (self.expression(), self.expression());
        let next = self.b.next(&name, Sort::Int);
        let terms = &mut self.b.terms;
        let (then, other) = (terms.eq(next, then), terms.eq(next, other));
        let not = terms.not(condition);
        let (then, other) = (terms.and2(condition, then), terms.and2(not, other));
        let joined = terms.or2(then, other);
        self.b.step(Step::inner(joined));
    }

    /// `name := f(e)` with a body of a few statements over the callee's own variables.
    fn call(&mut self, depth: u32) {
        self.calls += 1;
        let number = self.calls;
        let (argument, target) = (self.expression(), self.name());
        let passed = format!("phi{number}");
        let phi = self.b.next(&passed, Sort::Int);
        let passing = self.b.terms.eq(phi, argument);
        self.b.step(Step::call(passing));
        let locals = vec![passed, format!("local{number}")];
        let outer = std::mem::replace(&mut self.names, locals);
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth + 1);
        }
        let result = self.expression();
        let r = self.b.next(&format!("r{number}"), Sort::Int);
        let returned = self.b.terms.eq(r, result);
        self.b.assume(returned);
        self.names = outer;
        let next = self.b.next(&target, Sort::Int);
        let taken = self.b.terms.eq(next, r);
        self.b.step(Step::returning(taken));
    }
}

/// Whether each formula is an interpolant of its cut, by the definition: implied by the steps of its
/// own part, contradicting the others, over symbols of both.
pub fn are_interpolants(terms: &mut Terms, path: &Path, sequence: &Sequence) -> Result<(), String> {
    let steps: Vec<Term> = path.steps().iter().map(|s| s.formula).collect();
    let mut solver = Z3Solver::all();
    for (cut, &formula) in sequence.formulas.iter().enumerate() {
        let own = path.own_part(cut);
        let ours: Vec<Term> = steps[own.clone()].to_vec();
        let theirs: Vec<Term> =
            (0..steps.len()).filter(|at| !own.contains(at)).map(|at| steps[at]).collect();
        let mut symbols = |formulas: &[Term]| -> BTreeSet<Symbol> {
            formulas.iter().flat_map(|&f| terms.free_symbols(f).to_vec()).collect()
        };
        let (left, right) = (symbols(&ours), symbols(&theirs));
        for symbol in symbols(&[formula]) {
            if !left.contains(&symbol) || !right.contains(&symbol) {
                return Err(format!("a symbol at cut {cut} is not shared"));
            }
        }
        let not = terms.not(formula);
        for (side, claim) in [(ours, not), (theirs, formula)] {
            solver.push();
            for &formula in side.iter().chain([&claim]) {
                solver.assert(terms, formula);
            }
            let answer = solver.check(terms, &[], Purpose::CHECK, Limits::default());
            solver.pop();
            if !answer.is_unsat() {
                return Err(format!("cut {cut}: {answer:?}"));
            }
        }
    }
    Ok(())
}
