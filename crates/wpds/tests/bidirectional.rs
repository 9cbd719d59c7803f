//! The search from both ends says the same as plain saturation and as enumeration.

mod random_systems;

use gnomon_budget::Budget;
use gnomon_wpds::domains::{Boolean, ExplicitRelations};
use gnomon_wpds::{
    ConfigSet, Configuration, FunctionalAutomaton, Kind, Order, SaturationOptions, Semiring, Wpds,
    poststar, prestar, reaches, weight_of_set,
};
use random_systems::{Plan, Random, configuration, reached, system};

/// A random regular set: a few stacks, some with anything below.
fn some_set(random: &mut Random, system: &Wpds<ExplicitRelations>) -> ConfigSet {
    let mut set = ConfigSet::new(system.control_count());
    for _ in 0..1 + random.below(2) {
        let depth = random.below(3);
        let stack: Vec<u32> = (0..depth).map(|_| random.below(system.symbol_count())).collect();
        let control = random.below(system.control_count());
        set.add_stack(&configuration(control, &stack), random.chance(40)).unwrap();
    }
    // A control location that accepts the empty stack and has transitions into it is not allowed;
    // `add_stack` never makes one.
    set
}

#[test]
fn both_ends_agree_with_either_end() {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..3000u64 {
        let kind = if seed % 3 == 0 { Kind::Extended } else { Kind::Weighted };
        let plan = Plan { kind, path_extension: true, layered: seed % 2 == 0 };
        let system = system(seed, plan);
        let mut random = Random::new(seed + 77);
        let (from, to) = (some_set(&mut random, &system), some_set(&mut random, &system));
        let domain = *system.domain();
        let weighted = |set: &ConfigSet| set.weighted(&domain.one());
        let orders = [Order::ReversePostOrder, Order::CalleesFirst, Order::Fifo, Order::Lifo];
        let options = SaturationOptions {
            order: orders[(seed % 4) as usize].clone(),
            differential: seed % 5 == 0,
            ..SaturationOptions::default()
        };
        let plain = SaturationOptions::default();
        let forward = poststar(&system, &weighted(&from), &plain).unwrap();
        let expected = !domain.is_zero(&weight_of_set(&forward, &to).unwrap());
        let backward = prestar(&system, &weighted(&to), &plain).unwrap();
        assert_eq!(!domain.is_zero(&weight_of_set(&backward, &from).unwrap()), expected);
        let found = reaches(&system, &weighted(&from), &weighted(&to), &options).unwrap();
        assert_eq!(found.reached, expected, "seed {seed}");
        let (f, b) = (found.forward.statistics(), found.backward.statistics());
        assert!(f.propagations.abs_diff(b.propagations) <= 1, "the sides take turns");
        if expected { yes += 1 } else { no += 1 }
    }
    assert!(yes > 300 && no > 300, "{yes} reached, {no} not");
}

#[test]
fn enumeration_agrees() {
    let mut asked = 0;
    for seed in 0..400u64 {
        let kind = if seed % 2 == 0 { Kind::Extended } else { Kind::Weighted };
        let system = system(seed, Plan { kind, path_extension: true, layered: true });
        let start = configuration(0, &[0]);
        let Some(weights) = reached(&system, &start, 2000) else { continue };
        let domain = *system.domain();
        let one = |set: ConfigSet| set.weighted(&domain.one());
        let from = one(ConfigSet::single(system.control_count(), &start).unwrap());
        for control in 0..system.control_count() {
            for symbol in 0..system.symbol_count() {
                let at = configuration(control, &[symbol]);
                let expected = weights
                    .get(&(control, vec![symbol]))
                    .is_some_and(|weight| !domain.is_zero(weight));
                let to = one(ConfigSet::single(system.control_count(), &at).unwrap());
                let options = SaturationOptions::default();
                let found = reaches(&system, &from, &to, &options).unwrap();
                assert_eq!(found.reached, expected, "seed {seed}: {at:?}");
                asked += 1;
            }
        }
    }
    assert!(asked > 1000, "{asked}");
}

/// A chain is searched to its middle, and a goal with a small cone is found whatever else the start
/// reaches.
#[test]
fn the_search_ends_where_the_halves_meet() {
    const LENGTH: u32 = 1000;
    let mut system = Wpds::new(Boolean, Kind::Weighted);
    let p = system.add_control("p");
    let chain = system.add_symbols(LENGTH);
    let fan = system.add_symbols(LENGTH);
    for pair in chain.windows(2) {
        system.add_step((p, pair[0]), (p, pair[1]), true).unwrap();
    }
    for &leaf in &fan {
        system.add_step((p, chain[500]), (p, leaf), true).unwrap();
    }
    let at = |symbol| {
        let only = Configuration { control: p, stack: vec![symbol] };
        ConfigSet::single(1, &only).unwrap().weighted(&true)
    };
    let options = SaturationOptions { order: Order::Fifo, ..SaturationOptions::default() };
    let effort = |from, to| {
        let found = reaches(&system, &at(from), &at(to), &options).unwrap();
        assert!(found.reached);
        found.forward.statistics().propagations + found.backward.statistics().propagations
    };
    assert!(effort(chain[0], chain[999]).abs_diff(999) < 5);
    assert!(effort(chain[500], chain[700]).abs_diff(400) < 5, "the fan delays the forward half");
    assert!(effort(chain[499], fan[900]) < 10);
    let back = reaches(&system, &at(fan[0]), &at(chain[0]), &options).unwrap();
    assert!(!back.reached && back.backward.statistics().propagations < 5);
}

/// The two halves are enough for a path: every meeting point of a search that succeeded has one.
#[test]
fn a_search_that_succeeds_has_a_path() {
    let mut found_paths = 0;
    for seed in 0..300u64 {
        let system =
            system(seed, Plan { kind: Kind::Weighted, path_extension: true, layered: true });
        let start = configuration(0, &[0]);
        let domain = *system.domain();
        let from = ConfigSet::single(system.control_count(), &start).unwrap();
        let goal = configuration(0, &[seed as u32 % system.symbol_count()]);
        let to = ConfigSet::single(system.control_count(), &goal).unwrap();
        let options = SaturationOptions { trace: true, ..SaturationOptions::default() };
        let (from, to) = (from.weighted(&domain.one()), to.weighted(&domain.one()));
        let search = reaches(&system, &from, &to, &options).unwrap();
        if !search.reached {
            continue;
        }
        let meeting = search.meeting_points().unwrap();
        let &(control, symbol) = meeting.first().expect("they meet somewhere");
        let halves = FunctionalAutomaton::new(&search.forward, &search.backward).unwrap();
        let witness = halves.witness_through(control, symbol).unwrap();
        let path = witness.shortest_path(&Budget::unlimited()).unwrap().expect("a path");
        let (end, _) = system.run(&start, &path.rules).unwrap();
        assert_eq!(end, goal, "seed {seed}");
        found_paths += 1;
    }
    assert!(found_paths > 50, "{found_paths}");
}
