//! Which predicates are tracked where.

use gnomon_ir::cfa::LocId;
use gnomon_ir::program::FuncId;
use gnomon_predabs::{Precision, PredicateId};

const F: FuncId = FuncId(0);
const G: FuncId = FuncId(1);
const P: PredicateId = PredicateId(0);
const Q: PredicateId = PredicateId(1);
const R: PredicateId = PredicateId(2);

#[test]
fn a_predicate_is_tracked_where_it_was_added() {
    let mut precision = Precision::default();
    assert!(precision.add(F, LocId(1), Q));
    assert!(precision.add(F, LocId(1), P));
    assert_eq!(precision.at(F, LocId(1)), [P, Q], "in order");
    assert_eq!(precision.at(F, LocId(2)), []);
    assert_eq!(precision.at(G, LocId(1)), [], "the same location of another function");
}

#[test]
fn functions_and_everywhere_reach_all_their_locations() {
    let mut precision = Precision::default();
    assert!(precision.add_to_function(F, P));
    assert!(precision.add_everywhere(R));
    assert!(precision.add(F, LocId(3), Q));
    assert_eq!(precision.at(F, LocId(3)), [P, Q, R]);
    assert_eq!(precision.at(F, LocId(4)), [P, R]);
    assert_eq!(precision.at(G, LocId(3)), [R]);
}

#[test]
fn only_what_is_new_is_new() {
    let mut precision = Precision::default();
    assert!(precision.add(F, LocId(1), P));
    assert!(!precision.add(F, LocId(1), P));
    assert!(precision.add_to_function(F, Q));
    assert!(!precision.add(F, LocId(1), Q), "tracked in the whole function");
    assert!(precision.add(G, LocId(1), Q));
    assert!(precision.add_everywhere(R));
    assert!(!precision.add_everywhere(R));
    assert!(!precision.add_to_function(G, R) && !precision.add(G, LocId(9), R));
}

#[test]
fn the_same_location_under_other_calls_has_its_own_predicates() {
    let mut precision = Precision::default();
    assert!(precision.add(F, LocId(1), Q));
    assert!(precision.add_at_place(F, LocId(1), 40, P));
    assert!(!precision.add_at_place(F, LocId(1), 41, Q), "tracked at the location anyway");
    assert_eq!(precision.at_place(F, LocId(1), 40), [P, Q]);
    assert_eq!(precision.at_place(F, LocId(1), 41), [Q]);
    assert_eq!(precision.at(F, LocId(1)), [Q]);
    // What is added to the location later is not there twice.
    assert!(precision.add(F, LocId(1), P));
    assert_eq!(precision.at_place(F, LocId(1), 40), [P, Q]);
}
