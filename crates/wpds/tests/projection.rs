//! Error projections, chops, stores and witnesses agree with explicit enumeration; functional automata
//! agree with the double-saturation methods.

mod random_systems;

use gnomon_budget::Budget;
use gnomon_wpds::domains::{ExplicitRelations, Relation};
use gnomon_wpds::projection::{
    chop_by_double_poststar, chop_by_double_prestar, stores_on_path, two_context_switches,
};
use gnomon_wpds::{
    ConfigSet, Control, FunctionalAutomaton, Fwpds, FwpdsOptions, Kind, RelationalSemiring,
    SaturationOptions, Semiring, Symbol, Wpds, WpdsError, poststar, prestar, weight_of_set,
};
use random_systems::{Plan, configuration, reached_through, system};

const LIMIT: usize = 2000;
/// A bottleneck splits values further; what is small without one is small enough with one.
const LIMIT_WITH_BOTTLENECK: usize = 40_000;

/// `BW(w, γ)` by enumeration.
fn enumerated(
    system: &Wpds<ExplicitRelations>,
    stack: &[u32],
    (control, symbol): (u32, u32),
    w: &Relation,
    goal: &ConfigSet,
    limit: usize,
) -> Option<Relation> {
    let domain = *system.domain();
    let passes = |c: u32, s: &[u32]| c == control && s.first() == Some(&symbol);
    let weights = reached_through(system, &configuration(0, stack), (&passes, w), limit)?;
    let mut total = domain.zero();
    for ((c, s), weight) in &weights {
        if goal.contains(&configuration(*c, s)) {
            total = domain.combine(&total, weight).unwrap();
        }
    }
    Some(total)
}

fn plans() -> [Plan; 2] {
    [Kind::Weighted, Kind::Extended].map(|kind| Plan { kind, path_extension: true, layered: true })
}

fn goal_of(system: &Wpds<ExplicitRelations>, seed: u64) -> ConfigSet {
    let symbol = Symbol(((seed / 2) % 9) as u32);
    if seed.is_multiple_of(5) {
        ConfigSet::single(system.control_count(), &configuration(0, &[symbol.0])).unwrap()
    } else {
        ConfigSet::top(system.control_count(), Control(0), symbol).unwrap()
    }
}

#[test]
fn projections_are_exact() {
    let (mut questions, mut inside) = (0, 0);
    for seed in 0..260u64 {
        for plan in plans() {
            let system = system(seed, plan);
            let domain = *system.domain();
            let one = domain.one();
            let stack: &[u32] = if seed.is_multiple_of(3) { &[0, 1] } else { &[0] };
            let start =
                ConfigSet::single(system.control_count(), &configuration(0, stack)).unwrap();
            let goal = goal_of(&system, seed);
            let options = SaturationOptions::default();
            let forward = poststar(&system, &start.weighted(&one), &options).unwrap();
            let backward = prestar(&system, &goal.weighted(&one), &options).unwrap();
            let functional = FunctionalAutomaton::new(&forward, &backward).unwrap();
            let lazy_forward =
                Fwpds::poststar(&system, &start.weighted(&one), FwpdsOptions::default()).unwrap();
            let lazy_backward =
                Fwpds::prestar(&system, &goal.weighted(&one), FwpdsOptions::default()).unwrap();
            let lazy = FunctionalAutomaton::new(&lazy_forward, &lazy_backward).unwrap();
            let nodes = functional.projection().unwrap();
            assert_eq!(nodes, functional.projection_by_summaries().unwrap(), "seed {seed}");
            assert_eq!(nodes, lazy.projection().unwrap(), "seed {seed}");
            let goals = functional.goals().unwrap();
            for control in (0..system.control_count()).map(Control) {
                for symbol in (0..system.symbol_count()).map(Symbol) {
                    let head = (control.0, symbol.0);
                    let Some(expected) = enumerated(&system, stack, head, &one, &goal, LIMIT)
                    else {
                        continue;
                    };
                    questions += 1;
                    let weight = functional.weight_through(control, symbol).unwrap();
                    assert_eq!(weight, expected, "seed {seed} {plan:?} {head:?}");
                    assert_eq!(lazy.weight_through(control, symbol).unwrap(), expected);
                    let chop = ConfigSet::top(system.control_count(), control, symbol).unwrap();
                    assert_eq!(functional.chop(&chop).unwrap(), expected, "seed {seed}");
                    let on_path = !domain.is_zero(&expected);
                    inside += u32::from(on_path);
                    assert_eq!(nodes.contains(&(control, symbol)), on_path, "seed {seed}");
                    if plan.kind == Kind::Weighted {
                        let double =
                            chop_by_double_prestar(&backward, &system, &start, &chop, &options);
                        assert_eq!(double.unwrap(), expected, "seed {seed}, double prestar");
                        let double =
                            chop_by_double_poststar(&forward, &system, &goal, &chop, &options);
                        assert_eq!(double.unwrap(), expected, "seed {seed}, double poststar");
                    }
                    // The stores, one by one.
                    let holds = (0..domain.size()).filter(|&v| {
                        let w = domain.relation([(v, v)]);
                        let through =
                            enumerated(&system, stack, head, &w, &goal, LIMIT_WITH_BOTTLENECK);
                        !domain.is_zero(&through.expect("as small as before"))
                    });
                    let holds = domain.stores(holds);
                    for v in 0..domain.size() {
                        let found = functional.may_hold(control, symbol, &domain.stores([v]));
                        assert_eq!(found.unwrap(), holds.contains(v), "seed {seed}, store {v}");
                    }
                    let above = functional.stores_above(control, symbol).unwrap();
                    assert_eq!(domain.union(&above, &holds).unwrap(), above, "seed {seed}");
                    if let Some(goals) = &goals {
                        let exact = functional.stores_at(goals, control, symbol).unwrap();
                        assert_eq!(exact, holds, "seed {seed} {plan:?} {head:?}");
                    }
                }
            }
        }
    }
    assert!(questions > 3000 && inside > 500, "{questions} questions, {inside} inside");
}

#[test]
fn witnesses_pass_the_node_they_are_for() {
    let (mut paths, mut stores_seen) = (0, 0);
    for seed in 0..220u64 {
        for plan in plans() {
            let plan = Plan { layered: seed.is_multiple_of(2), ..plan };
            let system = system(seed, plan);
            let domain = *system.domain();
            let one = domain.one();
            let start = configuration(0, &[0]);
            let from = ConfigSet::single(system.control_count(), &start).unwrap();
            let goal = goal_of(&system, seed);
            let options = SaturationOptions { trace: true, ..SaturationOptions::default() };
            let forward = poststar(&system, &from.weighted(&one), &options).unwrap();
            let traced = FwpdsOptions { trace: true, ..FwpdsOptions::default() };
            let backward = Fwpds::prestar(&system, &goal.weighted(&one), traced).unwrap();
            let functional = FunctionalAutomaton::new(&forward, &backward).unwrap();
            for (control, symbol) in functional.projection().unwrap() {
                let witness = functional.witness_through(control, symbol).unwrap();
                let weight = functional.weight_through(control, symbol).unwrap();
                assert_eq!(witness.weight().unwrap(), weight, "seed {seed}");
                let path = witness.shortest_path(&Budget::unlimited()).unwrap().unwrap();
                let mark = path.mark.expect("the path is marked");
                let (at, _) = system.run(&start, &path.rules[..mark]).unwrap();
                assert_eq!((at.control, at.stack.first()), (control, Some(&symbol)), "seed {seed}");
                let (end, value) = system.run(&start, &path.rules).unwrap();
                assert!(goal.contains(&end) && !domain.is_zero(&value), "seed {seed}");
                paths += 1;
                if let Some(below) = stores_on_path(&system, &start, &path).unwrap() {
                    assert!(!below.elements().is_empty(), "seed {seed}");
                    for v in below.elements() {
                        let alone = domain.stores([v]);
                        assert!(
                            functional.may_hold(control, symbol, &alone).unwrap(),
                            "seed {seed}"
                        );
                        stores_seen += 1;
                    }
                }
            }
        }
    }
    assert!(paths > 500 && stores_seen > 500, "{paths} paths, {stores_seen} stores");
}

#[test]
fn two_context_switches_agree_with_enumeration() {
    let (mut questions, mut inside) = (0, 0);
    for seed in 0..250u64 {
        for plan in plans() {
            let first = system(seed, plan);
            let second = system(seed + 10_000, plan);
            let domain = *first.domain();
            if *second.domain() != domain {
                continue;
            }
            let one = domain.one();
            let start = |s: &Wpds<ExplicitRelations>| {
                ConfigSet::single(s.control_count(), &configuration(0, &[0])).unwrap()
            };
            let goal = goal_of(&first, seed);
            let options = SaturationOptions::default();
            let forward = poststar(&first, &start(&first).weighted(&one), &options).unwrap();
            let backward = prestar(&first, &goal.weighted(&one), &options).unwrap();
            let functional = FunctionalAutomaton::new(&forward, &backward).unwrap();
            let other = poststar(&second, &start(&second).weighted(&one), &options).unwrap();
            let nodes = two_context_switches(&functional, &other).unwrap();
            let all = ConfigSet::all(second.control_count());
            let meanwhile = weight_of_set(&other, &all).unwrap();
            for symbol in 0..first.symbol_count() {
                let head = (0, symbol);
                let Some(weight) = enumerated(&first, &[0], head, &meanwhile, &goal, LIMIT) else {
                    continue;
                };
                questions += 1;
                let found = nodes.contains(&(Control(0), Symbol(symbol)));
                assert_eq!(found, !domain.is_zero(&weight), "seed {seed}");
                inside += u32::from(found);
            }
        }
    }
    assert!(questions > 1000 && inside > 200, "{questions} questions, {inside} inside");
}

#[test]
fn misuse_is_refused() {
    let plan = Plan { kind: Kind::Extended, path_extension: true, layered: true };
    let extended = system(4, plan);
    let one = extended.domain().one();
    let set = ConfigSet::single(extended.control_count(), &configuration(0, &[0])).unwrap();
    let options = SaturationOptions::default();
    let forward = poststar(&extended, &set.weighted(&one), &options).unwrap();
    let backward = prestar(&extended, &set.weighted(&one), &options).unwrap();
    let wrong = FunctionalAutomaton::new(&backward, &forward).unwrap_err();
    assert!(matches!(wrong, WpdsError::WrongDirection { .. }));
    let double = chop_by_double_prestar(&backward, &extended, &set, &set, &options);
    assert!(matches!(double.unwrap_err(), WpdsError::NeedsPlainCalls { .. }));
}
