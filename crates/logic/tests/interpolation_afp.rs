//! The examples of "Abstractions from Proofs" give its interpolants, or stronger simple ones.

mod interpolation_paths;

use gnomon_budget::Budget;
use gnomon_logic::interpolate::{Interpolator, Path, Sequence, Step};
use gnomon_logic::{Purpose, Scope, Solver, Sort, Term, Terms, Z3Solver};

/// Symbols by name and index.
struct Names<'a>(&'a mut Terms);

impl Names<'_> {
    fn at(&mut self, name: &str, index: u32) -> Term {
        let variable = self.0.variable(name, Scope::Global, Sort::Int);
        self.0.var(variable);
        self.0.var_at(variable, index)
    }
}

fn interpolate(terms: &mut Terms, steps: Vec<Step>) -> Vec<Sequence> {
    let path = Path::new(terms, steps).expect("calls and returns match");
    let mut solver = Z3Solver::all();
    Interpolator::default()
        .interpolate(terms, &mut solver, &path, &Budget::unlimited())
        .expect("the path is infeasible")
}

fn inner(formulas: &[Term]) -> Vec<Step> {
    formulas.iter().map(|&f| Step::inner(f)).collect()
}

fn shown(terms: &mut Terms, formula: Term) -> String {
    let predicate = terms.without_indices(formula);
    terms.display(predicate).to_string()
}

fn implies(terms: &mut Terms, premise: Term, conclusion: Term) -> bool {
    let limits = gnomon_logic::Limits::default();
    Z3Solver::all().implies(terms, &[premise], conclusion, Purpose::CHECK, limits).is_unsat()
}

#[test]
fn figure_2() {
    let mut t = Terms::new();
    let mut names = Names(&mut t);
    let (x, y, m) = (names.at("x", 1), names.at("y", 2), names.at("m", 0));
    let (ctr0, ctr1) = (names.at("ctr", 0), names.at("ctr", 1));
    let (increased, expected) = (t.add_constant(ctr0, 1), t.add_constant(m, 1));
    let steps =
        [t.eq(x, ctr0), t.eq(ctr1, increased), t.eq(y, ctr1), t.eq(x, m), t.ne(y, expected)];
    let offered = interpolate(&mut t, inner(&steps));
    let formulas = &offered[0].formulas;
    let texts: Vec<String> = formulas.iter().map(|&f| shown(&mut t, f)).collect();
    assert_eq!(texts[1..5], ["x == ctr", "x == ctr - 1", "x == y - 1", "y == m + 1"]);
}

#[test]
fn example_1() {
    let mut t = Terms::new();
    let mut names = Names(&mut t);
    let (b, c) = (names.at("b", 0), names.at("c", 1));
    let (a2, a3) = (names.at("a", 2), names.at("a", 3));
    let zero = t.int(0);
    let (double, less) = (t.mul_by(2, b), t.add_constant(a2, -1));
    let steps =
        [t.gt(b, zero), t.eq(c, double), t.eq(a2, b), t.eq(a3, less), t.lt(a3, b), t.eq(a3, c)];
    let offered = interpolate(&mut t, inner(&steps));
    let bound = t.add_constant(c, -2);
    let afp = t.le(a3, bound);
    // With `a < b` after the cut, `b < c` is enough; AFP's proof does without it.
    let simpler = t.lt(b, c);
    for sequence in &offered {
        let at_cut = sequence.formulas[4];
        let good = at_cut == simpler || implies(&mut t, at_cut, afp);
        assert!(good, "{}", shown(&mut t, at_cut));
        assert_eq!(t.atoms(at_cut).len(), 1, "{}", shown(&mut t, at_cut));
    }
    // Without that test, it is AFP's interpolant or a stronger one.
    let mut without = steps.to_vec();
    without.remove(4);
    let offered = interpolate(&mut t, inner(&without));
    let at_cut = offered[0].formulas[4];
    assert!(implies(&mut t, at_cut, afp), "{}", shown(&mut t, at_cut));
    assert_eq!(t.atoms(at_cut).len(), 1, "{}", shown(&mut t, at_cut));
}

#[test]
fn example_3_speaks_about_the_callee_only() {
    // a := 0; b := inc(a) { x := phi; x := x + 1; r := x }; assume a != b - 1.
    let mut t = Terms::new();
    let mut names = Names(&mut t);
    let (a, b, phi) = (names.at("a", 1), names.at("b", 6), names.at("phi", 2));
    let (x3, x4, r) = (names.at("x", 3), names.at("x", 4), names.at("r", 5));
    let (zero, next, less) = (t.int(0), t.add_constant(x3, 1), t.add_constant(b, -1));
    let steps = vec![
        Step::inner(t.eq(a, zero)),
        Step::call(t.eq(phi, a)),
        Step::inner(t.eq(x3, phi)),
        Step::inner(t.eq(x4, next)),
        Step::inner(t.eq(r, x4)),
        Step::returning(t.eq(b, r)),
        Step::inner(t.ne(a, less)),
    ];
    let offered = interpolate(&mut t, steps);
    let formulas = offered[0].formulas.clone();
    let result = t.add_constant(phi, 1);
    let expected = [(4, t.eq(x4, result)), (5, t.eq(r, result)), (6, t.eq(a, less))];
    for (cut, formula) in expected {
        assert_eq!(formulas[cut], formula, "{}", shown(&mut t, formulas[cut]));
    }
    assert_eq!(formulas[2], t.tt());
}

#[test]
fn example_4_tracks_the_aliased_cell() {
    // assume x != y; *x := 0; y := x; assume y = x; *y := *y + 1; assume *x = 0.
    let mut t = Terms::new();
    let mut names = Names(&mut t);
    let (x, y0, y4) = (names.at("x", 0), names.at("y", 0), names.at("y", 4));
    let (cell_x3, cell_x7) = (names.at("*x", 3), names.at("*x", 7));
    let (cell_y5, cell_y6) = (names.at("*y", 5), names.at("*y", 6));
    let zero = t.int(0);
    let (same, copied) = (t.eq(y4, x), t.eq(cell_y5, cell_x3));
    let aliased = t.and2(same, copied);
    let next = t.add_constant(cell_y5, 1);
    let (written, through, kept) =
        (t.eq(cell_y6, next), t.eq(cell_x7, next), t.eq(cell_x7, cell_x3));
    let effect = t.ite(same, through, kept);
    let assignment = t.and2(written, effect);
    let steps =
        [t.ne(x, y0), t.eq(cell_x3, zero), aliased, aliased, assignment, t.eq(cell_x7, zero)];
    let offered = interpolate(&mut t, inner(&steps));
    let afp = t.eq(cell_y5, zero);
    let at_cut = offered[0].formulas[4];
    assert!(implies(&mut t, at_cut, afp), "{}", shown(&mut t, at_cut));
    assert!(t.atoms(at_cut).len() <= 2, "{}", shown(&mut t, at_cut));
}

#[test]
fn example_5_summarises_a_call_with_a_pointer() {
    // assume *y = n; inc(y) { x := phi; *x := *x + 1 }; assume *y != n + 1.
    let mut t = Terms::new();
    let mut names = Names(&mut t);
    let (n, y, cell_y1, cell_y2) =
        (names.at("n", 0), names.at("y", 0), names.at("*y", 1), names.at("*y", 2));
    let (phi, phi_cell) = (names.at("phi_x", 2), names.at("phi_*x", 2));
    let (x, cell_x3, cell_x4) = (names.at("x", 3), names.at("*x", 3), names.at("*x", 4));
    let (through3, through4) = (names.at("*phi_x", 3), names.at("*phi_x", 4));
    let (next, expected) = (t.add_constant(cell_x3, 1), t.add_constant(n, 1));
    let (passes, passes_cell) = (t.eq(phi, y), t.eq(phi_cell, cell_y1));
    let loads = [t.eq(x, phi), t.eq(cell_x3, phi_cell), t.eq(through3, phi_cell)];
    let (written, alias) = (t.eq(cell_x4, next), t.eq(x, phi));
    let (same, kept) = (t.eq(through4, next), t.eq(through4, through3));
    let effect = t.ite(alias, same, kept);
    let (here, copied, untouched) = (t.eq(y, phi), t.eq(cell_y2, through4), t.eq(cell_y2, cell_y1));
    let steps = vec![
        Step::inner(t.eq(cell_y1, n)),
        Step::call(t.and2(passes, passes_cell)),
        Step::inner(t.and(&loads)),
        Step::inner(t.and2(written, effect)),
        Step::returning(t.ite(here, copied, untouched)),
        Step::inner(t.ne(cell_y2, expected)),
    ];
    let offered = interpolate(&mut t, steps);
    let result = t.add_constant(phi_cell, 1);
    let afp = t.eq(through4, result);
    let at_cut = offered[0].formulas[4];
    assert_eq!(at_cut, afp, "{}", shown(&mut t, at_cut));
}

#[test]
fn figure_4() {
    let mut t = Terms::new();
    let mut names = Names(&mut t);
    let (x, y, z) = (names.at("x", 0), names.at("y", 0), names.at("z", 0));
    let steps = [t.le(x, y), t.le(y, z), t.gt(x, z)];
    let offered = interpolate(&mut t, inner(&steps));
    let expected = t.le(x, z);
    assert_eq!(offered[0].formulas[2], expected);
}

#[test]
fn figure_5() {
    let mut t = Terms::new();
    let [b, c] = ["b", "c"].map(|name| {
        let variable = t.variable(name, Scope::Global, Sort::Bool);
        t.var_at(variable, 0)
    });
    let clause = t.implies(b, c);
    let steps = [b, clause, t.not(c)];
    let offered = interpolate(&mut t, inner(&steps));
    assert_eq!(offered[0].formulas, [t.tt(), b, c, t.ff()]);
}

#[test]
fn equal_arguments_are_carried_across_cuts() {
    // y := f(x); x := x + 1; z := x - 1; assume f(z) != y.
    let mut t = Terms::new();
    let f = t.function("f", &[Sort::Int], Sort::Int);
    let mut names = Names(&mut t);
    let (x0, x1, y, z) = (names.at("x", 0), names.at("x", 1), names.at("y", 1), names.at("z", 1));
    let (next, back) = (t.add_constant(x0, 1), t.add_constant(x1, -1));
    let (value, again) = (t.apply(f, &[x0]), t.apply(f, &[z]));
    let steps = [t.eq(y, value), t.eq(x1, next), t.eq(z, back), t.ne(again, y)];
    let offered = interpolate(&mut t, inner(&steps));
    let before = t.apply(f, &[back]);
    let expected = [t.eq(y, value), t.eq(y, before), t.eq(y, again)];
    assert_eq!(offered[0].formulas[1..4], expected);
}

#[test]
fn a_call_that_does_not_return_carries_the_caller_along() {
    // a := 1; f(a) { x := phi; assume x < 1 }.
    let mut t = Terms::new();
    let mut names = Names(&mut t);
    let (a, phi, x) = (names.at("a", 1), names.at("phi", 1), names.at("x", 1));
    let one = t.int(1);
    let steps = vec![
        Step::inner(t.eq(a, one)),
        Step::call(t.eq(phi, a)),
        Step::inner(t.eq(x, phi)),
        Step::inner(t.lt(x, one)),
    ];
    let offered = interpolate(&mut t, steps);
    let positive = t.ge(phi, one);
    let at_entry = offered[0].formulas[2];
    assert!(implies(&mut t, at_entry, positive), "{}", shown(&mut t, at_entry));
}
