//! Context-bounded reachability by transducers agrees with explicit enumeration and with Qadeer and
//! Rehof's algorithm, and transducers agree with saturation.

mod random_systems;

use std::collections::BTreeSet;

use gnomon_bdd::Bdd;
use gnomon_budget::Budget;
use gnomon_wpds::domains::{BddRelations, Boolean, ExplicitRelations, Relation};
use gnomon_wpds::transducer::{
    ConcurrentSystem, GlobalStates, Schedule, TransducerOptions, WeightedTransducer, qadeer_rehof,
};
use gnomon_wpds::{
    ConfigSet, Configuration, Control, Kind, Rhs, SaturationOptions, Semiring, Symbol, Wpds,
    WpdsError, poststar, weight_of,
};
use random_systems::{Plan, Random, configuration, system};

/// A random set of threads over the same control locations and values.
struct Threads {
    systems: Vec<Wpds<ExplicitRelations>>,
    start: Vec<u32>,
}

/// Steps on the data that are functions on some of the values: what one thread does decides what
/// another one can do.
fn sparse(random: &mut Random, domain: &ExplicitRelations) -> Relation {
    let size = domain.size();
    match random.below(4) {
        0 => domain.one(),
        1 => domain.relation((0..size).map(|v| (v, (v + 1) % size))),
        2 => domain.relation([(random.below(size), random.below(size))]),
        _ => {
            let kept = random.below(size);
            domain.relation((0..size).filter(|&v| v != kept).map(|v| (v, v)))
        }
    }
}

/// Two layers of three symbols: calls go from the first to the second unless recursion is wanted.
fn threads(seed: u64, recursive: bool) -> Threads {
    let mut random = Random::new(seed);
    let domain = ExplicitRelations::new(2 + random.below(2));
    let controls = 1 + u32::from(random.chance(30));
    let count = 2 + u32::from(random.chance(30));
    let mut systems = Vec::new();
    let mut start = Vec::new();
    for _ in 0..count {
        let mut system = Wpds::new(domain, Kind::Weighted);
        for i in 0..controls {
            system.add_control(&format!("p{i}"));
        }
        let symbols = system.add_symbols(6);
        for _ in 0..6 + random.below(5) {
            let layer = random.below(2);
            let pick =
                |random: &mut Random, layer: u32| symbols[(3 * layer + random.below(3)) as usize];
            let control = |random: &mut Random| Control(random.below(controls));
            let from = (control(&mut random), pick(&mut random, layer));
            let to = control(&mut random);
            let weight = sparse(&mut random, &domain);
            let added = match random.below(6) {
                0 => system.add_pop(from, to, weight),
                1 | 2 if recursive || layer == 0 => {
                    let callee = if recursive { random.below(2) } else { 1 };
                    let entry = pick(&mut random, callee);
                    let back = pick(&mut random, layer);
                    system.add_push(from, (to, entry, back), weight, None)
                }
                _ => {
                    let target = pick(&mut random, layer);
                    system.add_step(from, (to, target), weight)
                }
            };
            added.unwrap();
        }
        systems.push(system);
        start.push(random.below(3));
    }
    Threads { systems, start }
}

impl Threads {
    fn refs(&self) -> Vec<&Wpds<ExplicitRelations>> {
        self.systems.iter().collect()
    }

    fn controls(&self) -> u32 {
        self.systems[0].control_count()
    }

    fn domain(&self) -> ExplicitRelations {
        *self.systems[0].domain()
    }

    /// Every thread at its start, control location 0.
    fn start_sets(&self) -> Vec<ConfigSet> {
        let single = |&symbol: &u32| {
            ConfigSet::single(self.controls(), &configuration(0, &[symbol])).unwrap()
        };
        self.start.iter().map(single).collect()
    }
}

/// The control location, the value and the stacks of all threads.
type Global = (u32, u32, Vec<Vec<u32>>);

/// What the contexts of a schedule reach from one value, by enumeration; `None` if there is too much.
fn enumerate(threads: &Threads, value: u32, contexts: &[usize]) -> Option<BTreeSet<Global>> {
    let stacks = threads.start.iter().map(|&s| vec![s]).collect();
    let mut reached: BTreeSet<Global> = BTreeSet::from([(0, value, stacks)]);
    for &thread in contexts {
        let mut queue: Vec<Global> = reached.iter().cloned().collect();
        while let Some((control, value, stacks)) = queue.pop() {
            for (_, rule) in threads.systems[thread].rules() {
                if rule.from.0 != control || stacks[thread].first() != Some(&rule.top.0) {
                    continue;
                }
                for (_, after) in rule.weight.pairs().into_iter().filter(|&(a, _)| a == value) {
                    let mut next = stacks.clone();
                    next[thread].remove(0);
                    match rule.rhs {
                        Rhs::Pop => {}
                        Rhs::Step(top) => next[thread].insert(0, top.0),
                        Rhs::Push(top, below) => {
                            next[thread].splice(0..0, [top.0, below.0]);
                        }
                    }
                    let state = (rule.to.0, after, next);
                    if reached.insert(state.clone()) {
                        queue.push(state);
                    }
                    if reached.len() > 3000 {
                        return None;
                    }
                }
            }
        }
    }
    Some(reached)
}

/// Goals for one system: one thread at a symbol with anything below, or everybody with short stacks.
fn goal(random: &mut Random, threads: &Threads) -> Vec<ConfigSet> {
    let controls = threads.controls();
    let special = random.below(threads.systems.len() as u32) as usize;
    (0..threads.systems.len())
        .map(|i| {
            let control = random.below(controls);
            match random.below(4) {
                0 => ConfigSet::single(controls, &configuration(control, &[])).unwrap(),
                1 if i != special => {
                    let mut set = ConfigSet::new(controls);
                    for control in 0..controls {
                        let stack = [random.below(6), random.below(6)];
                        set.add_stack(&configuration(control, &stack), false).unwrap();
                        set.add_stack(&configuration(control, &stack[..1]), false).unwrap();
                    }
                    set
                }
                _ if i == special => {
                    let mut set = ConfigSet::new(controls);
                    for control in 0..controls {
                        let top = configuration(control, &[random.below(6)]);
                        set.add_stack(&top, true).unwrap();
                    }
                    set
                }
                _ => ConfigSet::all(controls),
            }
        })
        .collect()
}

fn inside(goal: &[ConfigSet], (control, _, stacks): &Global) -> bool {
    goal.iter().zip(stacks).all(|(set, stack)| set.contains(&configuration(*control, stack)))
}

fn schedule(random: &mut Random, threads: usize) -> Schedule {
    if random.chance(50) {
        return Schedule::round_robin(threads, 1 + random.below(3) as usize);
    }
    let contexts: Vec<usize> =
        (0..random.below(5)).map(|_| random.below(threads as u32) as usize).collect();
    Schedule::sequence(threads, &contexts)
}

#[test]
fn transducers_agree_with_enumeration() {
    let (mut checked, mut reached_some, mut reached_none) = (0, 0, 0);
    for seed in 0..1400u64 {
        let threads = threads(seed, false);
        let mut random = Random::new(seed + 1_000_003);
        let schedule = schedule(&mut random, threads.systems.len());
        let domain = threads.domain();
        let all: Option<Vec<BTreeSet<Global>>> =
            (0..domain.size()).map(|v| enumerate(&threads, v, &schedule.contexts())).collect();
        let Some(all) = all else { continue };
        let concurrent =
            ConcurrentSystem::new(&threads.refs(), &TransducerOptions::default()).unwrap();
        let start = threads.start_sets();
        let options = TransducerOptions::default();
        let partial = ConcurrentSystem::starting_at(&threads.refs(), &start, &options).unwrap();
        for _ in 0..3 {
            let goal = goal(&mut random, &threads);
            let found = concurrent.weight(&start, &goal, &schedule).unwrap();
            let with_less = partial.weight(&start, &goal, &schedule).unwrap();
            assert_eq!(with_less, found, "seed {seed}, {schedule:?}");
            let ends = all.iter().enumerate().flat_map(|(value, states)| {
                let ends = states.iter().filter(|state| inside(&goal, state));
                ends.map(move |state| (value as u32, state.1))
            });
            let expected = domain.relation(ends);
            assert_eq!(found, expected, "seed {seed}, {schedule:?}");
            checked += 1;
            if domain.is_zero(&found) { reached_none += 1 } else { reached_some += 1 }
        }
    }
    assert!(
        checked > 3000 && reached_some > 600 && reached_none > 600,
        "{checked}: {reached_some} and {reached_none}"
    );
}

/// The threads with the values put into the control locations, for Qadeer and Rehof.
fn expanded(system: &Wpds<ExplicitRelations>) -> Wpds<Boolean> {
    let size = system.domain().size();
    let mut out = Wpds::new(Boolean, Kind::Weighted);
    for control in 0..system.control_count() * size {
        out.add_control(&format!("{control}"));
    }
    out.add_symbols(system.symbol_count());
    for (_, rule) in system.rules() {
        let written: Vec<Symbol> = match rule.rhs {
            Rhs::Pop => vec![],
            Rhs::Step(top) => vec![top],
            Rhs::Push(top, below) => vec![top, below],
        };
        for (a, b) in rule.weight.pairs() {
            let from = (Control(rule.from.0 * size + a), rule.top);
            let to = (Control(rule.to.0 * size + b), written.as_slice());
            out.add_rule(from, to, true, None).unwrap();
        }
    }
    out
}

/// Whether a set of stacks under one control location of the expanded system meets a goal.
fn meets(states: &ConfigSet, at: Control, goal: &ConfigSet, control: Control) -> bool {
    let mut seen = BTreeSet::from([(at.0, control.0)]);
    let mut queue = vec![(at.0, control.0)];
    while let Some((q, r)) = queue.pop() {
        let (q, r) = (gnomon_wpds::State(q), gnomon_wpds::State(r));
        if states.is_final(q) && goal.is_final(r) {
            return true;
        }
        for a in states.outgoing(q) {
            for b in goal.outgoing(r).filter(|b| b.label.overlaps(a.label)) {
                if seen.insert((a.to.0, b.to.0)) {
                    queue.push((a.to.0, b.to.0));
                }
            }
        }
    }
    false
}

#[test]
fn transducers_agree_with_qadeer_and_rehof_on_recursive_threads() {
    let (mut reached_some, mut reached_none) = (0, 0);
    for seed in 0..900u64 {
        let threads = threads(seed, true);
        let mut random = Random::new(seed + 77_777);
        let schedule = schedule(&mut random, threads.systems.len());
        let domain = threads.domain();
        let size = domain.size();
        let explicit: Vec<Wpds<Boolean>> = threads.systems.iter().map(expanded).collect();
        let refs: Vec<&Wpds<Boolean>> = explicit.iter().collect();
        let concurrent =
            ConcurrentSystem::new(&threads.refs(), &TransducerOptions::default()).unwrap();
        let goal = goal(&mut random, &threads);
        let start = threads.start_sets();
        let found = concurrent.weight(&start, &goal, &schedule).unwrap();
        let options = TransducerOptions::default();
        let partial = ConcurrentSystem::starting_at(&threads.refs(), &start, &options).unwrap();
        assert_eq!(partial.weight(&start, &goal, &schedule).unwrap(), found, "seed {seed}");
        let mut pairs = Vec::new();
        for value in 0..size {
            let control = Control(value);
            let single = |&symbol: &u32| {
                let only = Configuration { control, stack: vec![Symbol(symbol)] };
                ConfigSet::single(explicit[0].control_count(), &only).unwrap()
            };
            let start =
                GlobalStates { control, stacks: threads.start.iter().map(single).collect() };
            let contexts = schedule.contexts();
            let all = qadeer_rehof(&refs, &start, &contexts, &Budget::unlimited()).unwrap();
            for states in all {
                let (at, after) = (Control(states.control.0 / size), states.control.0 % size);
                let mut both = states.stacks.iter().zip(&goal);
                if both.all(|(set, goal)| meets(set, states.control, goal, at)) {
                    pairs.push((value, after));
                }
            }
        }
        let expected = domain.relation(pairs);
        assert_eq!(found, expected, "seed {seed}, {schedule:?}");
        if domain.is_zero(&found) { reached_none += 1 } else { reached_some += 1 }
    }
    assert!(reached_some > 120 && reached_none > 200, "{reached_some} and {reached_none}");
}

/// All schedules with a number of switches together are what the definition of LAL 6.1 says.
#[test]
fn all_schedules_with_so_many_switches() {
    for seed in 0..150u64 {
        let threads = threads(seed, false);
        let count = threads.systems.len();
        let domain = threads.domain();
        let concurrent =
            ConcurrentSystem::new(&threads.refs(), &TransducerOptions::default()).unwrap();
        let mut random = Random::new(seed + 5);
        let goal = goal(&mut random, &threads);
        for switches in 0..3 {
            let mut found = domain.zero();
            let mut expected = domain.zero();
            for schedule in Schedule::with_switches(count, switches) {
                let w = concurrent.weight(&threads.start_sets(), &goal, &schedule).unwrap();
                found = domain.combine(&found, &w).unwrap();
            }
            // Any thread may run in any context here, also twice in a row.
            let mut sequences = vec![vec![]];
            for _ in 0..=switches {
                let longer = |known: Vec<usize>| {
                    (0..count).map(move |t| known.iter().copied().chain([t]).collect::<Vec<_>>())
                };
                sequences = sequences.into_iter().flat_map(longer).collect();
            }
            for contexts in sequences {
                for value in 0..domain.size() {
                    let Some(states) = enumerate(&threads, value, &contexts) else { continue };
                    let ends = states.iter().filter(|state| inside(&goal, state));
                    let ends = domain.relation(ends.map(|state| (value, state.1)));
                    expected = domain.combine(&expected, &ends).unwrap();
                }
            }
            assert_eq!(found, expected, "seed {seed}, {switches} switches");
        }
    }
}

/// Relations as diagrams over two Boolean variables.
fn diagram(domain: &BddRelations, relation: &Relation) -> Bdd {
    let v = domain.vocabulary();
    let mut all = domain.zero();
    for (a, b) in relation.pairs() {
        let bits = (0..2)
            .flat_map(|i| [(v.before()[i], a >> i & 1 == 1), (v.after()[i], b >> i & 1 == 1)]);
        all = all.or(&v.space().cube(&bits.collect::<Vec<_>>()).unwrap()).unwrap();
    }
    all
}

#[test]
fn diagrams_and_tables_agree() {
    for seed in 0..200u64 {
        let threads = threads(seed, seed % 2 == 0);
        let symbolic = BddRelations::new(2, 1 << 16).unwrap();
        let copies: Vec<Wpds<BddRelations>> = threads
            .systems
            .iter()
            .map(|system| {
                let mut out = Wpds::new(symbolic.clone(), Kind::Weighted);
                for control in 0..system.control_count() {
                    out.add_control(&format!("p{control}"));
                }
                out.add_symbols(system.symbol_count());
                for (_, rule) in system.rules() {
                    let written: Vec<Symbol> = match rule.rhs {
                        Rhs::Pop => vec![],
                        Rhs::Step(top) => vec![top],
                        Rhs::Push(top, below) => vec![top, below],
                    };
                    let weight = diagram(&symbolic, &rule.weight);
                    out.add_rule((rule.from, rule.top), (rule.to, &written), weight, None).unwrap();
                }
                out
            })
            .collect();
        let refs: Vec<&Wpds<BddRelations>> = copies.iter().collect();
        let options = TransducerOptions::default();
        let tables = ConcurrentSystem::new(&threads.refs(), &options).unwrap();
        let diagrams = ConcurrentSystem::new(&refs, &options).unwrap();
        let mut random = Random::new(seed + 9);
        for rounds in 1..3 {
            let schedule = Schedule::round_robin(threads.systems.len(), rounds);
            let goal = goal(&mut random, &threads);
            let expected = tables.analyse(&threads.start_sets(), &goal, &schedule).unwrap();
            let found = diagrams.analyse(&threads.start_sets(), &goal, &schedule).unwrap();
            // The value 3 and, with two values, the value 2 do not occur in the tables; rules of weight
            // one keep them in the tables' identity only.
            let size = threads.domain().size();
            let v = symbolic.vocabulary();
            let mut inside = symbolic.zero();
            for value in 0..size {
                let bits: Vec<_> = (0..2).map(|i| (v.before()[i], value >> i & 1 == 1)).collect();
                inside = inside.or(&v.space().cube(&bits).unwrap()).unwrap();
            }
            let within = v.identity_within(&inside).unwrap();
            let found_within = symbolic.extend(&within, &found.weight).unwrap();
            assert_eq!(found_within, diagram(&symbolic, &expected.weight), "seed {seed}");
            assert_eq!(found.states, expected.states);
        }
    }
}

#[test]
fn one_factor_a_context_agrees_with_transposition() {
    for seed in 0..300u64 {
        let threads = threads(seed, true);
        let only = [&threads.systems[0]];
        let concurrent = ConcurrentSystem::new(&only, &TransducerOptions::default()).unwrap();
        let start = threads.start_sets();
        let mut random = Random::new(seed + 31);
        let goal = goal(&mut random, &threads);
        for contexts in 1..3 {
            let schedule = Schedule::round_robin(1, contexts);
            let found = concurrent.weight(&start[..1], &goal[..1], &schedule).unwrap();
            let sets = (&start[0], &goal[0]);
            let paper = concurrent.weight_by_transposition(0, sets, contexts).unwrap();
            assert_eq!(found, paper, "seed {seed}, {contexts} contexts");
            // One context after the other of the same thread is one context.
            let once = Schedule::round_robin(1, 1);
            assert_eq!(found, concurrent.weight(&start[..1], &goal[..1], &once).unwrap());
        }
    }
}

#[test]
fn a_transducer_knows_every_pair_of_configurations() {
    for seed in 0..600u64 {
        let plan =
            Plan { kind: Kind::Weighted, path_extension: true, layered: seed.is_multiple_of(2) };
        let system = system(seed, plan);
        let transducer = WeightedTransducer::new(&system, &TransducerOptions::default()).unwrap();
        let mut random = Random::new(seed);
        let domain = *system.domain();
        let some = |random: &mut Random| {
            let stack: Vec<u32> = (0..random.below(4)).map(|_| random.below(9)).collect();
            configuration(random.below(system.control_count()), &stack)
        };
        for _ in 0..4 {
            let from = some(&mut random);
            let start = ConfigSet::single(system.control_count(), &from).unwrap();
            let start = start.weighted(&domain.one());
            let reached = poststar(&system, &start, &SaturationOptions::default()).unwrap();
            for _ in 0..12 {
                let mut to = some(&mut random);
                if random.chance(50) {
                    to.stack.extend(from.stack.iter().skip(random.below(3) as usize));
                }
                let expected = weight_of(&reached, &to).unwrap();
                let found = transducer.weight(&from, &to).unwrap();
                assert_eq!(found, expected, "seed {seed}: {from:?} to {to:?}");
            }
        }
    }
}

/// A thread is interrupted in a callee, returns to a step without effect, and goes on: the partial
/// transducers need growth from that return site, though nothing happens there.
#[test]
fn return_sites_without_effect_are_not_left_out() {
    let domain = ExplicitRelations::new(2);
    let is_set = domain.relation([(1, 1)]);
    let mut first = Wpds::new(domain, Kind::Weighted);
    let p = first.add_control("p");
    let [main, f, back, last, error] =
        ["main", "f", "back", "last", "error"].map(|name| first.add_symbol(name));
    let is_clear = domain.relation([(0, 0)]);
    first.add_push((p, main), (p, f, back), is_clear, None).unwrap();
    first.add_pop((p, f), p, is_set.clone()).unwrap();
    first.add_step((p, back), (p, last), domain.one()).unwrap();
    first.add_step((p, last), (p, error), is_set).unwrap();
    let mut second = Wpds::new(domain, Kind::Weighted);
    let q = second.add_control("p");
    let [a, b] = ["a", "b"].map(|name| second.add_symbol(name));
    second.add_step((q, a), (q, b), domain.relation([(0, 1)])).unwrap();
    let at = |symbol: Symbol| ConfigSet::single(1, &configuration(0, &[symbol.0])).unwrap();
    let start = [at(main), at(a)];
    let goal = [at(error), ConfigSet::all(1)];
    let options = TransducerOptions::default();
    let partial = ConcurrentSystem::starting_at(&[&first, &second], &start, &options).unwrap();
    let weight = |rounds| partial.weight(&start, &goal, &Schedule::round_robin(2, rounds)).unwrap();
    assert!(domain.is_zero(&weight(1)), "the second thread comes too late");
    assert_eq!(weight(2).pairs(), [(0, 1)]);
}

#[test]
fn bad_questions_are_errors() {
    let threads = threads(1, false);
    let options = TransducerOptions::default();
    let concurrent = ConcurrentSystem::new(&threads.refs(), &options).unwrap();
    let start = threads.start_sets();
    let count = threads.systems.len();
    let short = concurrent.weight(&start[..1], &start, &Schedule::round_robin(count, 1));
    assert!(matches!(short.unwrap_err(), WpdsError::OutOfRange { what: "thread", .. }));
    let other = concurrent.weight(&start, &start, &Schedule::round_robin(count + 1, 1));
    assert!(matches!(other.unwrap_err(), WpdsError::OutOfRange { what: "thread", .. }));
    let none: Result<ConcurrentSystem<'_, Boolean>, _> = ConcurrentSystem::new(&[], &options);
    assert!(none.is_err());
    let mut extended = Wpds::new(ExplicitRelations::new(2), Kind::Extended);
    extended.add_control("p");
    let told = ConcurrentSystem::new(&[&extended], &options).unwrap_err().to_string();
    assert!(told.starts_with("a weighted transducer splits paths"), "{told}");
    let mut foreign = Wpds::new(ExplicitRelations::new(7), Kind::Weighted);
    for i in 0..threads.controls() {
        foreign.add_control(&format!("p{i}"));
    }
    let a = foreign.add_symbol("a");
    foreign.add_pop((Control(0), a), Control(0), ExplicitRelations::new(7).one()).unwrap();
    let told = ConcurrentSystem::new(&[&threads.systems[0], &foreign], &options).unwrap_err();
    assert!(matches!(told, WpdsError::ForeignWeight { .. }), "{told}");
    let budget = Budget::unlimited().with_steps(10);
    let small = TransducerOptions { budget, ..TransducerOptions::default() };
    let stopped = ConcurrentSystem::new(&threads.refs(), &small).err();
    assert!(matches!(stopped, Some(WpdsError::Exhausted(_))));
    let partial = ConcurrentSystem::starting_at(&threads.refs(), &start, &options).unwrap();
    let everywhere = vec![ConfigSet::all(threads.controls()); count];
    let elsewhere = partial.weight(&everywhere, &start, &Schedule::round_robin(count, 1));
    assert!(matches!(elsewhere.unwrap_err(), WpdsError::OutOfRange { .. }));
    // Seven factors of seven values do not fit a table.
    let mut large = Wpds::new(ExplicitRelations::new(7), Kind::Weighted);
    large.add_control("p");
    let concurrent = ConcurrentSystem::new(&[&large], &options).unwrap();
    let sets = [ConfigSet::all(1)];
    let told = concurrent.weight(&sets, &sets, &Schedule::round_robin(1, 7)).unwrap_err();
    assert_eq!(told.to_string(), "too large: 7-tuples of 7 values");
}
