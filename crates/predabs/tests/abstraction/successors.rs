//! Abstract successors: exact where few predicates vary, Cartesian where many do.

use gnomon_predabs::PostOptions;

use crate::{Setting, and, or};

#[test]
fn an_assignment_decides_what_the_region_implies() {
    let mut s = Setting::new();
    let (x, positive, above) = (s.x, s.at_least(s.x, 1), s.at_least(s.x, 3));
    let block = s.assignment(x, x, 2);
    // x >= 1, then x := x + 2: x >= 3.
    let before = s.holds(positive);
    let after = s.successor(0, &before, &block, &[positive, above]);
    assert_eq!(after, and(&s.holds(positive), &s.holds(above)));
    // x < 1: x may be 2 then, or less, and never 3.
    let before = s.fails(positive);
    let after = s.successor(0, &before, &block, &[positive, above]);
    assert_eq!(after, s.fails(above));
}

#[test]
fn a_block_that_cannot_be_passed_has_no_successor() {
    let mut s = Setting::new();
    let positive = s.at_least(s.x, 1);
    let (value, zero) = (s.terms.var_at(s.x, 0), s.terms.int(0));
    let (formula, after) = (s.terms.eq(value, zero), Default::default());
    let before = s.holds(positive);
    assert!(s.successor(0, &before, &(formula, after), &[positive]).is_false());
}

#[test]
fn predicates_that_vary_together_are_kept_together() {
    let mut s = Setting::new();
    let (x, y) = (s.x, s.y);
    let (of_x, of_y) = (s.at_least(x, 0), s.at_least(y, 0));
    // y := x, for any x: both or none.
    let block = s.assignment(y, x, 0);
    let after = s.successor(0, &s.top(), &block, &[of_x, of_y]);
    let both = and(&s.holds(of_x), &s.holds(of_y));
    let none = and(&s.fails(of_x), &s.fails(of_y));
    assert_eq!(after, or(&both, &none));
    assert_eq!(s.post.statistics.cartesian, 0);
}

#[test]
fn the_cartesian_successor_loses_what_holds_between_predicates_only() {
    let mut s = Setting::with(PostOptions { exact_predicates: 1, ..PostOptions::default() });
    let (x, y) = (s.x, s.y);
    let (of_x, of_y, fixed) = (s.at_least(x, 0), s.at_least(y, 0), s.equal(x, y));
    let block = s.assignment(y, x, 0);
    let after = s.successor(0, &s.top(), &block, &[of_x, of_y, fixed]);
    assert_eq!(after, s.holds(fixed), "x and y are equal, and nothing else is known");
    assert_eq!(s.post.statistics.cartesian, 1);
}

#[test]
fn too_many_valuations_make_it_cartesian_too() {
    let mut s = Setting::with(PostOptions { valuations: 3, ..PostOptions::default() });
    let (x, y) = (s.x, s.y);
    let (of_x, of_y) = (s.at_least(x, 0), s.at_least(y, 0));
    let block = s.any(&[x, y]);
    // Four valuations, and a fourth query that would say that there is no other.
    assert!(s.successor(0, &s.top(), &block, &[of_x, of_y]).is_true());
    assert_eq!(s.post.statistics.cartesian, 1);
}

#[test]
fn what_a_block_does_not_touch_stays() {
    let mut s = Setting::new();
    let (x, y) = (s.x, s.y);
    let (of_x, of_y) = (s.at_least(x, 0), s.at_least(y, 0));
    let block = s.any(&[x]);
    let before = and(&s.fails(of_x), &s.fails(of_y));
    assert_eq!(s.successor(0, &before, &block, &[of_x, of_y]), s.fails(of_y));
    // One query for the block, and two to see that `x` can be both and nothing else is open.
    let asked = s.post.statistics.queries;
    let before = s.fails(of_y);
    s.successor(1, &before, &block, &[of_y]);
    assert_eq!(s.post.statistics.queries, asked + 1, "nobody asks about y");
}

#[test]
fn the_region_is_about_the_wanted_predicates_only() {
    let mut s = Setting::new();
    let (x, y) = (s.x, s.y);
    let (of_x, of_y) = (s.at_least(x, 0), s.at_least(y, 0));
    let block = s.assignment(y, x, 0);
    let before = s.holds(of_x);
    let after = s.successor(0, &before, &block, &[of_y]);
    assert_eq!(after, s.holds(of_y));
    assert_eq!(s.successor(0, &before, &block, &[]), s.top());
}

#[test]
fn the_same_question_is_asked_once() {
    let mut s = Setting::new();
    let (x, positive, above) = (s.x, s.at_least(s.x, 1), s.at_least(s.x, 3));
    let block = s.assignment(x, x, 2);
    let before = s.holds(positive);
    let first = s.successor(7, &before, &block, &[above]);
    let queries = s.post.statistics.queries;
    assert_eq!(s.successor(7, &before, &block, &[above]), first);
    assert_eq!((s.post.statistics.queries, s.post.statistics.cached), (queries, 1));
    // Another region, another block, other predicates: each is another question.
    s.successor(7, &s.top(), &block, &[above]);
    let other = s.assignment(x, x, -2);
    let after = s.successor(8, &before, &other, &[above]);
    assert_ne!(after, first);
    s.successor(7, &before, &block, &[positive, above]);
    assert_eq!(s.post.statistics.cached, 1);
    assert_eq!(s.post.statistics.asked, 5);
}

#[test]
fn the_solver_is_left_as_it_was() {
    let mut s = Setting::new();
    let (x, positive) = (s.x, s.at_least(s.x, 1));
    let block = s.any(&[x]);
    let before = s.holds(positive);
    s.successor(0, &before, &block, &[positive]);
    assert_eq!(s.solver.depth(), 0);
    let contradiction = s.terms.ff();
    assert!(s.solver.check_sat(&s.terms).is_sat(), "nothing is asserted");
    s.solver.assert(&s.terms, contradiction);
    assert!(s.solver.check_sat(&s.terms).is_unsat());
}
