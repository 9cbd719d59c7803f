//! Both solvers, in both directions and with all options, agree with explicit enumeration.

mod random_systems;

use gnomon_wpds::domains::{ExplicitRelations, Relation};
use gnomon_wpds::{
    ConfigSet, Configuration, Control, Fwpds, FwpdsOptions, Kind, Order, SaturationOptions,
    Semiring, Solution, Symbol, TopWeights, Wpds, poststar, prestar, weight_of, weight_of_set,
};
use random_systems::{Plan, configuration, reached, sequences, system};

const LIMIT: usize = 4000;

fn start_of(system: &Wpds<ExplicitRelations>, start: &Configuration) -> ConfigSet {
    ConfigSet::single(system.control_count(), start).unwrap()
}

fn saturation_variants() -> Vec<SaturationOptions<'static>> {
    let orders = [
        Order::ReversePostOrder,
        Order::CalleesFirst,
        Order::Fifo,
        Order::Lifo,
        Order::Priority((0..9).rev().collect()),
    ];
    let both = |order: &Order| {
        [false, true].map(|differential| SaturationOptions {
            order: order.clone(),
            differential,
            ..SaturationOptions::default()
        })
    };
    orders.iter().flat_map(both).collect()
}

fn fwpds_variants() -> Vec<FwpdsOptions> {
    [(false, 1), (true, 1), (false, 3)]
        .map(|(differential, threads)| FwpdsOptions {
            differential,
            threads,
            ..FwpdsOptions::default()
        })
        .to_vec()
}

fn check_all(
    seed: u64,
    what: &str,
    solution: &impl Solution<ExplicitRelations>,
    expected: &[(Configuration, Relation)],
) {
    for (configuration, weight) in expected {
        let found = weight_of(solution, configuration).unwrap();
        assert_eq!(&found, weight, "seed {seed}, {what}: {configuration:?}");
    }
}

fn plans(layered: bool) -> [Plan; 2] {
    [Kind::Weighted, Kind::Extended].map(|kind| Plan { kind, path_extension: true, layered })
}

/// The weights of all configurations with one or two symbols, and of those in `reached`.
fn questions(
    system: &Wpds<ExplicitRelations>,
    weights: &std::collections::BTreeMap<(u32, Vec<u32>), Relation>,
) -> Vec<(Configuration, Relation)> {
    let mut all: Vec<(u32, Vec<u32>)> = weights.keys().cloned().collect();
    for control in 0..system.control_count() {
        all.push((control, vec![]));
        all.extend((0..system.symbol_count()).map(|s| (control, vec![s])));
        all.extend((0..system.symbol_count()).map(|s| (control, vec![s, (s + 4) % 9])));
    }
    all.sort();
    all.dedup();
    let zero = system.domain().zero();
    all.into_iter()
        .map(|key| {
            let weight = weights.get(&key).unwrap_or(&zero).clone();
            (configuration(key.0, &key.1), weight)
        })
        .collect()
}

#[test]
fn forward_analysis_is_exact() {
    let mut checked = 0;
    for seed in 0..900u64 {
        for plan in plans(true) {
            let system = system(seed, plan);
            let start = configuration(0, if seed.is_multiple_of(3) { &[0, 4, 1] } else { &[0] });
            let Some(weights) = reached(&system, &start, LIMIT) else { continue };
            checked += 1;
            let expected = questions(&system, &weights);
            let input = start_of(&system, &start).weighted(&system.domain().one());
            let variants = saturation_variants();
            let some = if seed.is_multiple_of(10) { &variants[..] } else { &variants[..2] };
            for options in some {
                let solution = poststar(&system, &input, options).unwrap();
                check_all(seed, &format!("poststar {options:?}"), &solution, &expected);
            }
            for options in fwpds_variants() {
                let name = format!("FWPDS poststar {options:?}");
                let solution = Fwpds::poststar(&system, &input, options).unwrap();
                check_all(seed, &name, &solution, &expected);
            }
        }
    }
    assert!(checked > 1000, "only {checked} systems were small enough");
}

#[test]
fn forward_analysis_does_not_need_path_extension() {
    let mut checked = 0;
    for seed in 0..600u64 {
        let plan = Plan { kind: Kind::Extended, path_extension: false, layered: true };
        let system = system(seed, plan);
        let start = configuration(0, &[0]);
        let Some(weights) = reached(&system, &start, LIMIT) else { continue };
        checked += 1;
        let input = start_of(&system, &start).weighted(&system.domain().one());
        let solution = poststar(&system, &input, &SaturationOptions::default()).unwrap();
        check_all(seed, "poststar", &solution, &questions(&system, &weights));
    }
    assert!(checked > 300, "only {checked} systems were small enough");
}

/// A set of configurations to be reached: one, a top of the stack, or everything.
fn goal(system: &Wpds<ExplicitRelations>, seed: u64) -> ConfigSet {
    let controls = system.control_count();
    let symbol = Symbol((seed % 9) as u32);
    match seed % 4 {
        0 => ConfigSet::single(controls, &configuration(0, &[symbol.0, 1])).unwrap(),
        1 => ConfigSet::single(controls, &configuration(0, &[])).unwrap(),
        2 => ConfigSet::all(controls),
        _ => ConfigSet::top(controls, Control(0), symbol).unwrap(),
    }
}

#[test]
fn backward_analysis_is_exact() {
    let mut checked = 0;
    for seed in 0..700u64 {
        for plan in plans(true) {
            let system = system(seed, plan);
            let domain = *system.domain();
            let goal = goal(&system, seed);
            let mut expected = Vec::new();
            for control in 0..system.control_count() {
                for stack in [&[0u32][..], &[1], &[2], &[0, 1], &[3, 1, 2], &[6, 3, 0], &[]] {
                    let start = configuration(control, stack);
                    let Some(weights) = reached(&system, &start, LIMIT / 4) else { continue };
                    let mut total = domain.zero();
                    for ((c, s), weight) in &weights {
                        if goal.contains(&configuration(*c, s)) {
                            total = domain.combine(&total, weight).unwrap();
                        }
                    }
                    expected.push((start, total));
                }
            }
            checked += expected.len();
            let input = goal.weighted(&domain.one());
            let variants = saturation_variants();
            let some = if seed.is_multiple_of(10) { &variants[..] } else { &variants[..2] };
            for options in some {
                let solution = prestar(&system, &input, options).unwrap();
                check_all(seed, &format!("prestar {options:?}"), &solution, &expected);
            }
            for options in fwpds_variants() {
                let name = format!("FWPDS prestar {options:?}");
                let solution = Fwpds::prestar(&system, &input, options).unwrap();
                check_all(seed, &name, &solution, &expected);
            }
        }
    }
    assert!(checked > 5000, "only {checked} questions were small enough");
}

#[test]
fn all_solvers_agree_on_recursive_systems() {
    for seed in 0..800u64 {
        for plan in plans(false) {
            let system = system(seed, plan);
            let domain = *system.domain();
            let start = configuration(0, &[0]);
            let input = start_of(&system, &start).weighted(&domain.one());
            let options = SaturationOptions::default();
            let forward = poststar(&system, &input, &options).unwrap();
            let lazy = Fwpds::poststar(&system, &input, FwpdsOptions::default()).unwrap();
            let tops = TopWeights::new(&forward).unwrap();
            let lazy_tops = TopWeights::new(&lazy).unwrap();
            for symbol in (0..system.symbol_count()).map(Symbol) {
                let goal = ConfigSet::top(system.control_count(), Control(0), symbol).unwrap();
                let weight = weight_of_set(&forward, &goal).unwrap();
                assert_eq!(weight_of_set(&lazy, &goal).unwrap(), weight, "seed {seed}");
                assert_eq!(tops.get(&forward, Control(0), symbol).unwrap(), weight);
                assert_eq!(lazy_tops.get(&lazy, Control(0), symbol).unwrap(), weight);
                let target = goal.weighted(&domain.one());
                let backward = prestar(&system, &target, &options).unwrap();
                assert_eq!(weight_of(&backward, &start).unwrap(), weight, "seed {seed}");
                let below = TopWeights::new(&backward).unwrap();
                let at_start =
                    ConfigSet::top(system.control_count(), Control(0), Symbol(0)).unwrap();
                assert_eq!(
                    below.get(&backward, Control(0), Symbol(0)).unwrap(),
                    weight_of_set(&backward, &at_start).unwrap(),
                    "seed {seed}"
                );
                for options in fwpds_variants() {
                    let lazy = Fwpds::prestar(&system, &target, options).unwrap();
                    assert_eq!(weight_of(&lazy, &start).unwrap(), weight, "seed {seed}");
                }
                // Nothing that a short run shows is missing.
                if symbol.0 == 0 {
                    let mut shown = domain.zero();
                    for (rules, at) in sequences(&system, &start, 7, 300) {
                        if goal.contains(&at) {
                            let (_, value) = system.run(&start, &rules).unwrap();
                            shown = domain.combine(&shown, &value).unwrap();
                        }
                    }
                    assert_eq!(domain.combine(&shown, &weight).unwrap(), weight, "seed {seed}");
                }
            }
        }
    }
}

#[test]
fn early_stop_is_early_and_right() {
    let mut stopped = 0;
    for seed in 0..500u64 {
        for plan in plans(false) {
            let system = system(seed, plan);
            let domain = *system.domain();
            let input = start_of(&system, &configuration(0, &[0])).weighted(&domain.one());
            let goal = ConfigSet::top(system.control_count(), Control(0), Symbol(4)).unwrap();
            let full = poststar(&system, &input, &SaturationOptions::default()).unwrap();
            let options = SaturationOptions { target: Some(&goal), ..SaturationOptions::default() };
            let early = poststar(&system, &input, &options).unwrap();
            let reachable = !domain.is_zero(&weight_of_set(&full, &goal).unwrap());
            let found = !domain.is_zero(&weight_of_set(&early, &goal).unwrap());
            assert_eq!(reachable, found, "seed {seed}");
            assert!(!early.statistics().stopped_early || reachable, "seed {seed}");
            assert!(early.statistics().propagations <= full.statistics().propagations);
            let fewer = early.statistics().propagations < full.statistics().propagations;
            stopped += u32::from(early.statistics().stopped_early && fewer);
        }
    }
    assert!(stopped > 50, "stopped early only {stopped} times");
}
