//! Infeasible paths for tests and benchmarks of interpolation: a builder that keeps SSA indices, the
//! loop families of the benchmark, and random affine loops with a known invariant.
#![allow(dead_code, reason = "every user of this module needs another part of it")]

pub mod random_paths;

use gnomon_logic::interpolate::{Path, Step};
use gnomon_logic::{Integer, Scope, Sort, Term, Terms, Variable};
use std::collections::BTreeMap;

/// Builds a path statement by statement.
pub struct Builder {
    pub terms: Terms,
    current: BTreeMap<String, (Variable, u32)>,
    steps: Vec<Step>,
}

impl Default for Builder {
    fn default() -> Self {
        Self { terms: Terms::new(), current: BTreeMap::new(), steps: Vec::new() }
    }
}

impl Builder {
    fn variable(&mut self, name: &str, sort: Sort) -> Term {
        let scope = Scope::Global;
        let terms = &mut self.terms;
        let &mut (variable, index) = self.current.entry(name.to_owned()).or_insert_with(|| {
            let variable = terms.variable(name, scope, sort);
            terms.var(variable);
            (variable, 0)
        });
        self.terms.var_at(variable, index)
    }

    /// The current value of an integer variable.
    pub fn int(&mut self, name: &str) -> Term {
        self.variable(name, Sort::Int)
    }

    /// The current value of an array of integers.
    pub fn array(&mut self, name: &str) -> Term {
        let sort = self.terms.array_sort(Sort::Int, Sort::Int);
        self.variable(name, sort)
    }

    /// A new value for a variable.
    pub fn next(&mut self, name: &str, sort: Sort) -> Term {
        self.variable(name, sort);
        if let Some((_, index)) = self.current.get_mut(name) {
            *index += 1;
        }
        self.variable(name, sort)
    }

    pub fn step(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// `name := value`.
    pub fn assign(&mut self, name: &str, value: Term) {
        let sort = self.terms.sort(value);
        let next = self.next(name, sort);
        let equal = self.terms.eq(next, value);
        self.step(Step::inner(equal));
    }

    /// `name := constant`.
    pub fn set(&mut self, name: &str, constant: i64) {
        let value = self.terms.int(constant);
        self.assign(name, value);
    }

    /// `name := name + constant`.
    pub fn increase(&mut self, name: &str, by: i64) {
        let value = self.int(name);
        let sum = self.terms.add_constant(value, by);
        self.assign(name, sum);
    }

    pub fn assume(&mut self, condition: Term) {
        self.step(Step::inner(condition));
    }

    pub fn assume_less(&mut self, left: &str, right: &str) {
        let (left, right) = (self.int(left), self.int(right));
        let less = self.terms.lt(left, right);
        self.assume(less);
    }

    pub fn assume_at_least(&mut self, left: &str, right: &str) {
        let (left, right) = (self.int(left), self.int(right));
        let condition = self.terms.ge(left, right);
        self.assume(condition);
    }

    /// The formulas of the steps built so far.
    pub fn formulas(&self) -> Vec<Term> {
        self.steps.iter().map(|s| s.formula).collect()
    }

    /// The path built so far, with its arena.
    pub fn finish(mut self) -> (Terms, Path) {
        let path = Path::new(&mut self.terms, self.steps).expect("calls and returns match");
        (self.terms, path)
    }
}

/// A family of paths through a loop.
pub struct Family {
    pub name: &'static str,
    pub path: fn(usize) -> (Terms, Path),
}

/// The families of the benchmark.
pub const FAMILIES: [Family; 7] = [
    Family { name: "count up", path: count_up },
    Family { name: "count down", path: count_down },
    Family { name: "two counters in step", path: in_step },
    Family { name: "x - y = i - j", path: difference },
    Family { name: "sum with bounds", path: sum_with_bounds },
    Family { name: "array fill", path: array_fill },
    Family { name: "two nested loops", path: nested_loops },
];

/// `i = 0; while (i < n) i++; assert(i == n)`.
pub fn count_up(iterations: usize) -> (Terms, Path) {
    let mut b = Builder::default();
    b.set("i", 0);
    let (n, zero) = (b.int("n"), b.terms.int(0));
    let positive = b.terms.ge(n, zero);
    b.assume(positive);
    for _ in 0..iterations {
        b.assume_less("i", "n");
        b.increase("i", 1);
    }
    b.assume_at_least("i", "n");
    let i = b.int("i");
    let wrong = b.terms.ne(i, n);
    b.assume(wrong);
    b.finish()
}

/// `i = n; while (i > 0) i--; assert(i == 0)`.
pub fn count_down(iterations: usize) -> (Terms, Path) {
    let mut b = Builder::default();
    let (n, zero) = (b.int("n"), b.terms.int(0));
    let positive = b.terms.ge(n, zero);
    b.assume(positive);
    b.assign("i", n);
    for _ in 0..iterations {
        let i = b.int("i");
        let goes_on = b.terms.gt(i, zero);
        b.assume(goes_on);
        b.increase("i", -1);
    }
    let i = b.int("i");
    let (ends, wrong) = (b.terms.le(i, zero), b.terms.ne(i, zero));
    b.assume(ends);
    b.assume(wrong);
    b.finish()
}

/// `x = y = 0; while (*) { x++; y++; } assert(x == y)`.
pub fn in_step(iterations: usize) -> (Terms, Path) {
    let mut b = Builder::default();
    b.set("x", 0);
    b.set("y", 0);
    for _ in 0..iterations {
        b.increase("x", 1);
        b.increase("y", 1);
    }
    let (x, y) = (b.int("x"), b.int("y"));
    let wrong = b.terms.ne(x, y);
    b.assume(wrong);
    b.finish()
}

/// `x = i; y = j; while (x != 0) { x--; y--; } if (i == j) assert(y == 0)`.
pub fn difference(iterations: usize) -> (Terms, Path) {
    let mut b = Builder::default();
    let (i, j, zero) = (b.int("i"), b.int("j"), b.terms.int(0));
    b.assign("x", i);
    b.assign("y", j);
    for _ in 0..iterations {
        let x = b.int("x");
        let goes_on = b.terms.ne(x, zero);
        b.assume(goes_on);
        b.increase("x", -1);
        b.increase("y", -1);
    }
    let (x, y) = (b.int("x"), b.int("y"));
    let conditions = [b.terms.eq(x, zero), b.terms.eq(i, j), b.terms.ne(y, zero)];
    for condition in conditions {
        b.assume(condition);
    }
    b.finish()
}

/// `i = s = 0; while (i < n) { s += i; i++; } assert(s >= 0)`.
pub fn sum_with_bounds(iterations: usize) -> (Terms, Path) {
    let mut b = Builder::default();
    b.set("i", 0);
    b.set("s", 0);
    for _ in 0..iterations {
        b.assume_less("i", "n");
        let (s, i) = (b.int("s"), b.int("i"));
        let sum = b.terms.add(s, i);
        b.assign("s", sum);
        b.increase("i", 1);
    }
    b.assume_at_least("i", "n");
    let (s, zero) = (b.int("s"), b.terms.int(0));
    let wrong = b.terms.lt(s, zero);
    b.assume(wrong);
    b.finish()
}

/// `if (0 <= k && k < n) { for (i = 0; i < n; i++) a[i] = 0; assert(a[k] == 0) }`.
pub fn array_fill(iterations: usize) -> (Terms, Path) {
    let mut b = Builder::default();
    let (k, zero) = (b.int("k"), b.terms.int(0));
    let low = b.terms.ge(k, zero);
    b.assume(low);
    b.assume_less("k", "n");
    b.set("i", 0);
    for _ in 0..iterations {
        b.assume_less("i", "n");
        let (a, i) = (b.array("a"), b.int("i"));
        let filled = b.terms.store(a, i, zero);
        b.assign("a", filled);
        b.increase("i", 1);
    }
    b.assume_at_least("i", "n");
    let a = b.array("a");
    let read = b.terms.select(a, k);
    let wrong = b.terms.ne(read, zero);
    b.assume(wrong);
    b.finish()
}

/// `for (i = s = 0; i < n; i++) for (j = 0; j < m; j++) s++; assert(s >= 0)`, five inner iterations
/// for each outer one.
pub fn nested_loops(iterations: usize) -> (Terms, Path) {
    let mut b = Builder::default();
    b.set("s", 0);
    b.set("i", 0);
    for _ in 0..iterations.div_ceil(5) {
        b.assume_less("i", "n");
        b.set("j", 0);
        for _ in 0..5 {
            b.assume_less("j", "m");
            let (s, j) = (b.int("s"), b.int("j"));
            let sum = b.terms.add(s, j);
            b.assign("s", sum);
            b.increase("j", 1);
        }
        b.assume_at_least("j", "m");
        b.increase("i", 1);
    }
    b.assume_at_least("i", "n");
    let (s, zero) = (b.int("s"), b.terms.int(0));
    let wrong = b.terms.lt(s, zero);
    b.assume(wrong);
    b.finish()
}

/// A path of `steps` steps of which ten matter: `x` is passed through ten variables, spread among
/// assignments to and tests of others.
pub fn noise(steps: usize) -> (Terms, Path) {
    let mut b = Builder::default();
    let mut random = Random::new(7);
    let every = steps / 10;
    let mut link = 0;
    for step in 0..steps {
        if step % every == every / 2 && link < 9 {
            let from = b.int(&format!("x{link}"));
            let value = b.terms.add_constant(from, 1);
            link += 1;
            b.assign(&format!("x{link}"), value);
            continue;
        }
        let (one, other) = (random.below(40), random.below(40));
        let value = b.int(&format!("noise{one}"));
        match step % 3 {
            0 => {
                let constant = random.below(100) as i64;
                let value = b.terms.add_constant(value, constant);
                b.assign(&format!("noise{other}"), value);
            }
            1 => {
                let bound = b.terms.int(-1_000_000);
                let above = b.terms.ge(value, bound);
                b.assume(above);
            }
            _ => {
                let next = b.int(&format!("noise{other}"));
                let sum = b.terms.add(value, next);
                b.assign("total", sum);
            }
        }
    }
    let (first, last) = (b.int("x0"), b.int("x9"));
    let wrong = b.terms.le(last, first);
    b.assume(wrong);
    b.finish()
}

/// A small generator of numbers, the same on every machine (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }
}

/// A random affine loop with the invariant `a*x + b*y + c*z + d (= or <=) 0`, which starts true, is
/// kept by the loop body, and contradicts the end of the path.
pub fn affine_loop(seed: u64) -> (Terms, Path) {
    let mut random = Random::new(seed + 1);
    let mut b = Builder::default();
    let names = ["x", "y", "z"];
    let used = 2 + random.below(2) as usize;
    let equation = random.below(2) == 0;
    let iterations = 5 + random.below(16);
    // The body adds `change` to the variables; the coefficients are orthogonal to it.
    let mut coefficients = [0i64; 3];
    let mut change = [0i64; 3];
    loop {
        for at in 0..used {
            coefficients[at] = random.between(-3, 3);
            change[at] = random.between(-3, 3);
        }
        let kept: i64 = (0..used).map(|at| coefficients[at] * change[at]).sum();
        let all = (0..used).all(|at| coefficients[at] != 0 && change[at] != 0);
        if all && (kept == 0 || (!equation && kept < 0)) {
            break;
        }
    }
    let mut start = 0;
    for at in 0..used {
        let value = random.between(-9, 9);
        start += coefficients[at] * value;
        b.set(names[at], value);
    }
    let guarded = random.below(2) == 0;
    for _ in 0..iterations {
        if guarded {
            let (x, n) = (b.int("x"), b.int("n"));
            let goes_on = b.terms.ne(x, n);
            b.assume(goes_on);
        }
        for at in 0..used {
            b.increase(names[at], change[at]);
        }
    }
    if guarded {
        let (x, n) = (b.int("x"), b.int("n"));
        let ends = b.terms.eq(x, n);
        b.assume(ends);
    }
    let mut sum = b.terms.int(0);
    for at in 0..used {
        let value = b.int(names[at]);
        let product = b.terms.mul_by(Integer::from(coefficients[at]), value);
        sum = b.terms.add(sum, product);
    }
    let start = b.terms.int(start);
    let wrong = if equation { b.terms.ne(sum, start) } else { b.terms.gt(sum, start) };
    b.assume(wrong);
    b.finish()
}
