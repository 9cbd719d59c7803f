//! Many predicates: blocks are taken path by path, and the successor is the one that enumeration of
//! all valuations gives.

use gnomon_bdd::Bdd;
use gnomon_logic::Term;
use gnomon_logic::encode::Ssa;
use gnomon_predabs::{PostOptions, PredicateId};

use crate::{Setting, and, or};

const STATES: i64 = 10;

fn enumerating() -> PostOptions {
    PostOptions { enumerated: 100, valuations: 10_000, ..PostOptions::default() }
}

/// `x` is a state that goes on by one; odd states set `y` to zero, state 4 adds `z` to it, and in
/// state 6 `y` becomes what `z` is.
fn machine(s: &mut Setting) -> (Term, Ssa) {
    let mut after = Ssa::new();
    let (x1, y1) = (after.assign(s.x), after.assign(s.y));
    let t = &mut s.terms;
    let (x1, y1) = (t.symbol(x1), t.symbol(y1));
    let (x0, y0, z0) = (t.var_at(s.x, 0), t.var_at(s.y, 0), t.var_at(s.z, 0));
    let mut branches = Vec::new();
    for state in 0..STATES {
        let (now, next, zero) = (t.int(state), t.int((state + 1) % STATES), t.int(0));
        let is_here = t.eq(x0, now);
        let goes_on = t.eq(x1, next);
        let value = match state {
            4 => t.add(y0, z0),
            6 => z0,
            _ if state % 2 == 1 => zero,
            _ => y0,
        };
        let assigned = t.eq(y1, value);
        branches.push(t.and(&[is_here, goes_on, assigned]));
    }
    (t.or(&branches), after)
}

/// The states, and what is tracked of `y` and `z`.
fn predicates(s: &mut Setting) -> (Vec<PredicateId>, Vec<PredicateId>) {
    let states = (0..STATES)
        .map(|state| {
            let (x, state) = (s.terms.var(s.x), s.terms.int(state));
            let atom = s.terms.eq(x, state);
            s.predicate(atom)
        })
        .collect();
    let (y, z) = (s.y, s.z);
    let data = vec![s.at_least(y, 0), s.at_least(y, 5), s.at_least(z, 0), s.at_least(z, 5)];
    (states, data)
}

/// In one of these states, and in no other.
fn in_states(s: &Setting, all: &[PredicateId], chosen: &[usize]) -> Bdd {
    let mut region = s.predicates.space().bottom();
    for &state in chosen {
        let mut here = s.holds(all[state]);
        for (other, &id) in all.iter().enumerate() {
            if other != state {
                here = and(&here, &s.fails(id));
            }
        }
        region = or(&region, &here);
    }
    region
}

#[test]
fn paths_give_what_all_valuations_give() {
    let mut regions = Vec::new();
    let mut queries = Vec::new();
    for options in [PostOptions::default(), enumerating()] {
        let mut s = Setting::with(options);
        let block = machine(&mut s);
        let (states, data) = predicates(&mut s);
        let wanted: Vec<PredicateId> = states.iter().chain(&data).copied().collect();
        let mut results = Vec::new();
        let all: Vec<usize> = (0..STATES as usize).collect();
        for (chosen, is_positive) in
            [(&all[..], false), (&all[..], true), (&[4][..], true), (&[5, 6][..], true)]
        {
            let mut region = in_states(&s, &states, chosen);
            if is_positive {
                region = and(&region, &and(&s.holds(data[0]), &s.holds(data[3])));
            }
            let after = s.successor(0, &region, &block, &wanted);
            results.push(after.sat_count(wanted.len() as u32));
        }
        assert_eq!(s.post.statistics.cartesian, 0);
        regions.push(results);
        queries.push(s.post.statistics.queries);
    }
    assert_eq!(regions[0], regions[1]);
    // States and numbers are not multiplied out, and paths are known when they come again.
    assert!(queries[0] * 2 < queries[1], "{queries:?}");
}

#[test]
fn what_is_copied_is_known_by_another_name() {
    let mut s = Setting::new();
    let (y, z) = (s.y, s.z);
    let bounds = |s: &mut Setting, v| (0..10).map(|k| s.at_least(v, k)).collect::<Vec<_>>();
    let (of_y, of_z) = (bounds(&mut s, y), bounds(&mut s, z));
    let block = s.assignment(y, z, 0);
    let region = and(&s.holds(of_z[3]), &s.fails(of_z[4]));
    let after = s.successor(0, &region, &block, &of_y);
    for (k, &bound) in of_y.iter().enumerate() {
        let expected = if k <= 3 { s.holds(bound) } else { s.fails(bound) };
        assert!(after.is_subset_of(&expected).expect("room"), "y >= {k}");
    }
}
