//! Witnesses of both solvers: every path is a run of the system with the value it claims, and together
//! they justify the weight.

mod random_systems;

use gnomon_budget::Budget;
use gnomon_wpds::domains::ExplicitRelations;
use gnomon_wpds::{
    ConfigSet, Control, Fwpds, FwpdsOptions, Kind, SaturationOptions, Semiring, Symbol, Traced,
    Witness, Wpds, WpdsError, poststar, prestar, weight_of_set,
};
use random_systems::{Plan, configuration, sequences, system};

/// Checks the witness of `set` (from or to the start configuration); gives the number of paths seen.
fn check(
    seed: u64,
    what: &str,
    system: &Wpds<ExplicitRelations>,
    solution: &impl Traced<ExplicitRelations>,
    set: &ConfigSet,
    goal: &ConfigSet,
) -> usize {
    let domain = *system.domain();
    let start = configuration(0, &[0]);
    let weight = weight_of_set(solution, set).unwrap();
    let witness = Witness::of_set(solution, set).unwrap();
    assert_eq!(witness.weight().unwrap(), weight, "seed {seed}, {what}");
    let shortest = witness.shortest_path(&Budget::unlimited()).unwrap();
    assert_eq!(shortest.is_some(), !domain.is_zero(&weight), "seed {seed}, {what}");
    if let Some(path) = &shortest {
        let (end, value) = system.run(&start, &path.rules).unwrap();
        assert!(goal.contains(&end), "seed {seed}, {what}: ends at {end:?}");
        assert!(!domain.is_zero(&value), "seed {seed}, {what}");
    }
    const MANY: usize = 400;
    let paths = witness.paths(MANY).unwrap();
    let mut total = domain.zero();
    for path in &paths.paths {
        let (end, value) = system.run(&start, &path.rules).unwrap();
        assert!(goal.contains(&end), "seed {seed}, {what}: ends at {end:?}");
        total = domain.combine(&total, &value).unwrap();
    }
    let both = domain.combine(&total, &weight).unwrap();
    assert_eq!(both, weight, "seed {seed}, {what}: a path has more than the weight");
    if paths.complete {
        assert_eq!(total, weight, "seed {seed}, {what}: the paths do not justify the weight");
    }
    paths.paths.len()
}

#[test]
fn paths_are_runs_and_justify_the_weight() {
    let mut seen = 0;
    for seed in 0..500u64 {
        for kind in [Kind::Weighted, Kind::Extended] {
            let plan = Plan { kind, path_extension: true, layered: seed.is_multiple_of(2) };
            let system = system(seed, plan);
            let one = system.domain().one();
            let start = configuration(0, &[0]);
            let from = ConfigSet::single(system.control_count(), &start).unwrap();
            let symbol = Symbol((seed % 9) as u32);
            let goal = ConfigSet::top(system.control_count(), Control(0), symbol).unwrap();
            let options = SaturationOptions {
                trace: true,
                differential: seed.is_multiple_of(3),
                ..SaturationOptions::default()
            };
            let lazy = FwpdsOptions { trace: true, ..FwpdsOptions::default() };
            let forward = poststar(&system, &from.weighted(&one), &options).unwrap();
            seen += check(seed, "poststar", &system, &forward, &goal, &goal);
            let backward = prestar(&system, &goal.weighted(&one), &options).unwrap();
            seen += check(seed, "prestar", &system, &backward, &from, &goal);
            let forward = Fwpds::poststar(&system, &from.weighted(&one), lazy.clone()).unwrap();
            seen += check(seed, "FWPDS poststar", &system, &forward, &goal, &goal);
            let backward = Fwpds::prestar(&system, &goal.weighted(&one), lazy).unwrap();
            seen += check(seed, "FWPDS prestar", &system, &backward, &from, &goal);
        }
    }
    assert!(seen > 3000, "only {seen} paths were seen");
}

#[test]
fn paths_without_path_extension_are_runs() {
    let mut found = 0;
    for seed in 0..400u64 {
        let plan = Plan { kind: Kind::Extended, path_extension: false, layered: true };
        let system = system(seed, plan);
        let domain = *system.domain();
        let from = ConfigSet::single(system.control_count(), &configuration(0, &[0])).unwrap();
        let options = SaturationOptions { trace: true, ..SaturationOptions::default() };
        let forward = poststar(&system, &from.weighted(&domain.one()), &options).unwrap();
        let goal = ConfigSet::top(system.control_count(), Control(0), Symbol(1)).unwrap();
        found += check(seed, "poststar", &system, &forward, &goal, &goal);
    }
    assert!(found > 200, "only {found} paths were found");
}

/// FWPDS keeps all paths, so its shortest one is as short as any.
#[test]
fn the_shortest_path_is_shortest() {
    let mut compared = 0;
    for seed in 0..400u64 {
        for kind in [Kind::Weighted, Kind::Extended] {
            let plan = Plan { kind, path_extension: true, layered: false };
            let system = system(seed, plan);
            let domain = *system.domain();
            let start = configuration(0, &[0]);
            let from = ConfigSet::single(system.control_count(), &start).unwrap();
            let goal = ConfigSet::top(system.control_count(), Control(0), Symbol(3)).unwrap();
            const LENGTH: usize = 6;
            let enumerated = sequences(&system, &start, LENGTH, 2000);
            let best = enumerated
                .iter()
                .filter(|(rules, at)| {
                    goal.contains(at) && !domain.is_zero(&system.run(&start, rules).unwrap().1)
                })
                .map(|(rules, _)| rules.len())
                .min();
            let Some(best) = best else { continue };
            if enumerated.len() >= 2000 {
                continue;
            }
            let options = FwpdsOptions { trace: true, ..FwpdsOptions::default() };
            let lazy = Fwpds::poststar(&system, &from.weighted(&domain.one()), options).unwrap();
            let witness = Witness::of_set(&lazy, &goal).unwrap();
            let path = witness.shortest_path(&Budget::unlimited()).unwrap().unwrap();
            assert!(path.rules.len() >= best, "seed {seed}");
            // Without recursion the expressions hold every path.
            compared += u32::from(path.rules.len() == best);
        }
    }
    assert!(compared > 60, "only {compared} shortest paths were found");
}

#[test]
fn witnesses_must_be_asked_for() {
    let plan = Plan { kind: Kind::Weighted, path_extension: true, layered: true };
    let system = system(1, plan);
    let from = ConfigSet::single(system.control_count(), &configuration(0, &[0])).unwrap();
    let input = from.weighted(&system.domain().one());
    let forward = poststar(&system, &input, &SaturationOptions::default()).unwrap();
    assert_eq!(Witness::of_set(&forward, &from).unwrap_err(), WpdsError::NotTraced);
    let lazy = Fwpds::poststar(&system, &input, FwpdsOptions::default()).unwrap();
    assert_eq!(Witness::of_set(&lazy, &from).unwrap_err(), WpdsError::NotTraced);
}
