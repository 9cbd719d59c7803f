//! The symbolic analyses against explicit-state enumeration on random programs with recursion.

use gnomon_boolprog::bp;
use gnomon_boolprog::diagnostic::Diagnostics;
use gnomon_boolprog::explicit::{self, Layout, Limits, State};
use gnomon_boolprog::generate::{self, Shape};
use gnomon_boolprog::interpret::{RunEnd, replay};
use gnomon_boolprog::model::{Model, PointId};
use gnomon_boolprog::slice::slice;
use gnomon_boolprog::symbolic::encoding::Encoding;
use gnomon_boolprog::symbolic::explore::Exploration;
use gnomon_boolprog::symbolic::order::VariableOrder;
use gnomon_boolprog::symbolic::pushdown::{Pushdown, Solver};
use gnomon_boolprog::symbolic::shortest::shortest_trace;
use gnomon_budget::Budget;
use std::collections::BTreeSet;

const LIMITS: Limits = Limits { states: 200_000 };

fn model(seed: u64) -> (Model, String) {
    let program = generate::program(seed, Shape::default());
    let text = bp::print::program(&program);
    let mut messages = Diagnostics::default();
    let model = bp::lower(&program, None, &mut messages).expect("generated programs are valid");
    (model, text)
}

fn encode(model: &Model) -> Encoding<'_> {
    Encoding::new(model, VariableOrder::Force, 1 << 20, &Budget::unlimited()).unwrap()
}

fn symbolic_states(search: &Exploration<'_, '_>, model: &Model, point: PointId) -> BTreeSet<State> {
    let encoding = search.layers.encoding;
    let layout = Layout::new(model).unwrap();
    let values = search.values(point).unwrap();
    let scope = model.scope(model.point(point).procedure);
    let mut states = BTreeSet::new();
    for cube in values.cubes() {
        let fixed = encoding.values(&scope, &cube);
        let open: Vec<_> = scope.iter().filter(|v| fixed.iter().all(|f| f.0 != **v)).collect();
        for choice in 0..1_u64 << open.len() {
            let mut state = 0;
            for &(v, value) in &fixed {
                state |= u64::from(value) << layout.bit(v);
            }
            for (i, v) in open.iter().enumerate() {
                state |= (choice >> i & 1) << layout.bit(**v);
            }
            states.insert(state);
        }
    }
    states
}

/// How many programs a test looks at; `GNOMON_BP_PROGRAMS` makes it a longer campaign.
fn programs(usual: u64) -> u64 {
    std::env::var("GNOMON_BP_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[test]
fn values_at_all_points_agree() {
    let mut compared = 0;
    for seed in 0..programs(400) {
        let (model, text) = model(seed);
        let Some(expected) = explicit::reachable(&model, LIMITS) else { continue };
        let encoding = encode(&model);
        let mut search = Exploration::new(&encoding, &Budget::unlimited()).unwrap();
        assert_eq!(search.run(&[]).unwrap(), None);
        for point in model.point_ids() {
            let found = symbolic_states(&search, &model, point);
            assert_eq!(found, expected.at(point), "seed {seed}, point {}\n{text}", point.0);
        }
        compared += 1;
    }
    assert!(compared > 380, "only {compared} programs were small enough");
}

#[test]
fn every_reachable_assertion_violation_has_an_executable_trace() {
    let mut traces = 0;
    for seed in 0..programs(400) {
        let (model, text) = model(seed);
        let Some(expected) = explicit::reachable(&model, LIMITS) else { continue };
        let encoding = encode(&model);
        for target in model.assertion_failures() {
            let mut search = Exploration::new(&encoding, &Budget::unlimited()).unwrap();
            let found = search.run(&[target]).unwrap();
            assert_eq!(found.is_some(), expected.contains(target), "seed {seed}\n{text}");
            if found.is_some() {
                let plan = search.trace(target).unwrap_or_else(|e| panic!("{seed} {e}\n{text}"));
                let run = replay(&model, &plan).unwrap_or_else(|e| panic!("{seed} {e}\n{text}"));
                assert_eq!(run.end, RunEnd::Violation(target), "seed {seed}\n{text}");
                traces += 1;
            }
        }
    }
    assert!(traces > 100, "only {traces} violations");
}

#[test]
fn shortest_traces_are_executable_and_no_longer_than_breadth_first_search_finds() {
    let (mut traces, mut confirmed) = (0, 0);
    for seed in 0..programs(300) {
        let (model, text) = model(seed);
        let targets = model.assertion_failures();
        let encoding = encode(&model);
        let mut search = Exploration::new(&encoding, &Budget::unlimited()).unwrap();
        search.run(&[]).unwrap();
        if !targets.iter().any(|t| search.is_reached(*t)) {
            continue;
        }
        let plan = shortest_trace(&encoding, &search.entries, &targets, &Budget::unlimited())
            .unwrap_or_else(|e| panic!("{seed} {e}\n{text}"));
        let run = replay(&model, &plan).unwrap_or_else(|e| panic!("{seed} {e}\n{text}"));
        assert!(matches!(run.end, RunEnd::Violation(_)), "seed {seed}\n{text}");
        traces += 1;
        let length = plan.steps.len();
        if let Ok(best) = explicit::shortest(&model, &targets, length, LIMITS) {
            assert_eq!(best, Some(length), "seed {seed}\n{text}");
            confirmed += 1;
        }
    }
    assert!(traces > 50 && confirmed > 50, "only {traces} traces, {confirmed} confirmed");
}

#[test]
fn saturation_and_fwpds_give_the_values_of_the_search() {
    for seed in 0..programs(200) {
        let (model, text) = model(seed);
        let encoding = encode(&model);
        let mut search = Exploration::new(&encoding, &Budget::unlimited()).unwrap();
        search.run(&[]).unwrap();
        let points: Vec<_> = model.point_ids().collect();
        let pushdown = Pushdown::new(&encoding).unwrap();
        for solver in [Solver::Saturation, Solver::Fwpds] {
            let values = pushdown.values(solver, &points, &Budget::unlimited()).unwrap();
            for (&point, found) in points.iter().zip(values) {
                let expected = search.values(point).unwrap();
                assert_eq!(found, expected, "{solver:?}, seed {seed}, point {}\n{text}", point.0);
            }
        }
    }
}

#[test]
fn slices_have_the_same_answer_and_their_traces_execute_on_the_whole_program() {
    let (mut reached, mut dropped) = (0, 0);
    for seed in 0..programs(400) {
        let (model, text) = model(seed);
        let Some(expected) = explicit::reachable(&model, LIMITS) else { continue };
        let mut questions: Vec<Vec<PointId>> =
            model.assertion_failures().into_iter().map(|t| vec![t]).collect();
        questions.push(model.assertion_failures());
        for targets in questions {
            let sliced = slice(&model, &targets);
            dropped += sliced.variables_dropped;
            let encoding = encode(&sliced.model);
            let mut search = Exploration::new(&encoding, &Budget::unlimited()).unwrap();
            let found = search.run(&targets).unwrap();
            let wanted = targets.iter().any(|t| expected.contains(*t));
            assert_eq!(found.is_some(), wanted, "seed {seed}, {targets:?}\n{text}");
            if let Some(target) = found {
                let plan = sliced.lift(&search.trace(target).unwrap());
                let run = replay(&model, &plan).unwrap_or_else(|e| panic!("{seed} {e}\n{text}"));
                assert_eq!(run.end, RunEnd::Violation(target), "seed {seed}\n{text}");
                reached += 1;
            }
        }
    }
    assert!(reached > 100 && dropped > 500, "{reached} reached, {dropped} dropped");
}
