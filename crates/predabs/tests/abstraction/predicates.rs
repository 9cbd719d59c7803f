//! Predicates as variables of regions, and regions as formulas.

use gnomon_ir::program::FuncId;
use gnomon_logic::encode::Ssa;
use gnomon_logic::{Scope, Sort};
use gnomon_predabs::predicates::formula_of;

use crate::{Setting, and, or};

#[test]
fn each_atom_is_one_predicate() {
    let mut s = Setting::new();
    let first = s.at_least(s.x, 1);
    assert_ne!(s.at_least(s.x, 2), first);
    assert_eq!(s.at_least(s.x, 1), first);
    assert_eq!(s.predicates.len(), 2);
    let bits: Vec<_> = s.predicates.iter().map(|predicate| predicate.bit).collect();
    assert_ne!(bits[0], bits[1]);
}

#[test]
fn what_is_no_variable_of_the_program_makes_no_predicate() {
    let mut s = Setting::new();
    let helper = s.terms.fresh_variable("helper", Sort::Int);
    let (helper, x) = (s.terms.var(helper), s.terms.var(s.x));
    let mixed = s.terms.eq(helper, x);
    assert_eq!(s.predicates.intern(&mut s.terms, mixed).expect("room"), None);
    let nothing = s.terms.tt();
    assert_eq!(s.predicates.intern(&mut s.terms, nothing).expect("room"), None);
    assert!(s.predicates.is_empty());
}

#[test]
fn the_functions_of_a_predicate_are_those_of_its_variables() {
    let mut s = Setting::new();
    let [f, g] = [7, 3].map(|func| {
        let variable = s.terms.variable("local", Scope::Function(func), Sort::Int);
        s.terms.var(variable)
    });
    let x = s.terms.var(s.x);
    let sum = s.terms.add(f, g);
    let atom = s.terms.eq(sum, x);
    let id = s.predicates.intern(&mut s.terms, atom).expect("room").expect("a predicate");
    assert_eq!(s.predicates.get(id).functions, [FuncId(3), FuncId(7)]);
    let global = s.at_least(s.y, 0);
    assert_eq!(s.predicates.get(global).functions, []);
}

#[test]
fn a_region_at_a_point_of_a_path_is_about_the_values_there() {
    let mut s = Setting::new();
    let (x, y) = (s.x, s.y);
    let (of_x, same) = (s.at_least(x, 1), s.equal(x, y));
    let region = and(&s.holds(of_x), &s.fails(same));
    let mut ssa = Ssa::new();
    ssa.assign(x);
    ssa.assign(x);
    let formula = s.predicates.formula(&mut s.terms, &region, &ssa).expect("room");
    // x2 >= 1 and x2 != y0, and nothing else: both directions.
    let (x2, y0, one) = (s.terms.var_at(x, 2), s.terms.var_at(y, 0), s.terms.int(1));
    let (above, other) = (s.terms.ge(x2, one), s.terms.ne(x2, y0));
    let expected = s.terms.and2(above, other);
    let same = s.terms.eq(formula, expected);
    let differ = s.terms.not(same);
    s.solver.assert(&s.terms, differ);
    assert!(s.solver.check_sat(&s.terms).is_unsat());
}

#[test]
fn the_formula_of_a_region_has_the_valuations_of_the_region() {
    let mut s = Setting::new();
    let ids = [s.at_least(s.x, 0), s.at_least(s.y, 0), s.at_least(s.z, 0)];
    let one_of =
        or(&and(&s.holds(ids[0]), &s.fails(ids[1])), &and(&s.fails(ids[0]), &s.holds(ids[2])));
    for region in [s.top(), s.predicates.space().bottom(), one_of] {
        for valuation in 0..8u32 {
            let values = [0, 1, 2].map(|bit| valuation >> bit & 1 == 1);
            let formula = formula_of(&mut s.terms, &region, &mut |terms, bit| {
                let position = ids.iter().position(|id| s.predicates.get(*id).bit == bit);
                terms.bool(values[position.expect("one of the predicates")])
            });
            // Beside each bit lies the one that stands for it behind a path.
            let with_next = values.map(|value| [value, false]).concat();
            let expected = s.terms.bool(region.eval(&with_next));
            assert_eq!(formula.expect("room"), expected, "{values:?}");
        }
    }
}

#[test]
fn untouched_is_what_no_variable_changed_of() {
    let mut s = Setting::new();
    let (x, y) = (s.x, s.y);
    let (of_x, both) = (s.at_least(x, 0), s.equal(x, y));
    let (before, mut after) = (Ssa::new(), Ssa::new());
    after.assign(y);
    assert!(s.predicates.is_untouched(of_x, &before, &after));
    assert!(!s.predicates.is_untouched(both, &before, &after));
    after.restore(y, 0);
    assert!(s.predicates.is_untouched(both, &before, &after), "the value of before is back");
}
