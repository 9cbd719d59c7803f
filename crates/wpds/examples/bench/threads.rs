//! Context-bounded reachability of generated threads: transducers with all heads, transducers with
//! those heads only that a start needs, and Qadeer and Rehof's algorithm on the same threads with the
//! values of the variables in the control locations.

use std::time::Instant;

use gnomon_bdd::Bdd;
use gnomon_budget::Budget;
use gnomon_wpds::domains::{BddRelations, Boolean};
use gnomon_wpds::transducer::{
    ConcurrentSystem, GlobalStates, Schedule, TransducerOptions, qadeer_rehof,
};
use gnomon_wpds::{
    ConfigSet, Configuration, Control, Kind, RuleId, Semiring, Symbol, Wpds, WpdsError,
};

use crate::program::Random;

/// What one step does to the shared variables.
#[derive(Clone, Copy)]
enum Effect {
    Nothing,
    Assume(usize, bool),
    Set(usize, bool),
    Copy(usize, usize),
}

impl Effect {
    fn random(random: &mut Random, variables: usize) -> Self {
        let variable = random.below(variables);
        match random.below(12) {
            0 => Self::Assume(variable, random.below(2) == 0),
            1 => Self::Set(variable, random.below(2) == 0),
            2 => Self::Copy(variable, random.below(variables)),
            _ => Self::Nothing,
        }
    }

    /// The values after the step, as bits.
    fn apply(self, values: u32) -> Option<u32> {
        let with = |i: usize, bit: bool| values & !(1 << i) | u32::from(bit) << i;
        match self {
            Self::Nothing => Some(values),
            Self::Assume(i, value) => ((values >> i & 1 == 1) == value).then_some(values),
            Self::Set(i, value) => Some(with(i, value)),
            Self::Copy(i, j) => Some(with(i, values >> j & 1 == 1)),
        }
    }

    fn weight(self, domain: &BddRelations) -> Bdd {
        let v = domain.vocabulary();
        let space = v.space();
        let before = |i: usize| space.variable(v.before()[i]).expect("it exists");
        let after = |i: usize| space.variable(v.after()[i]).expect("it exists");
        let others = |i: usize| {
            let kept: Vec<usize> = (0..v.len()).filter(|&k| k != i).collect();
            v.identity_on(&kept).expect("room")
        };
        let relation = match self {
            Self::Nothing => return domain.one(),
            Self::Assume(i, value) => {
                let is = if value { before(i) } else { before(i).not().expect("room") };
                return is.and(v.identity()).expect("room");
            }
            Self::Set(i, value) => {
                let is = if value { after(i) } else { after(i).not().expect("room") };
                is.and(&others(i))
            }
            Self::Copy(i, j) => after(i).iff(&before(j)).and_then(|same| same.and(&others(i))),
        };
        relation.expect("room")
    }
}

/// A thread: rules without weights, and what they do. Symbol 0 is the start, 1 the error.
struct Thread {
    symbols: u32,
    rules: Vec<(Symbol, Vec<Symbol>, Effect)>,
}

/// A loop of `nodes` nodes with branches and calls of a procedure of a quarter of that size.
fn thread(random: &mut Random, nodes: usize, variables: usize) -> Thread {
    let main: Vec<Symbol> = (0..nodes as u32).map(|i| Symbol(2 + i)).collect();
    let callee: Vec<Symbol> =
        (0..(nodes / 4).max(3) as u32).map(|i| Symbol(2 + nodes as u32 + i)).collect();
    let mut rules = vec![(Symbol(0), vec![main[0]], Effect::Nothing)];
    for body in [&main, &callee] {
        for (i, &node) in body.iter().enumerate() {
            let next = body.get(i + 1).copied();
            match next {
                Some(next) if body.len() == main.len() && random.below(8) == 0 => {
                    rules.push((node, vec![callee[0], next], Effect::Nothing));
                }
                Some(next) => {
                    rules.push((node, vec![next], Effect::random(random, variables)));
                    if random.below(5) == 0 {
                        let target = body[random.below(body.len())];
                        rules.push((node, vec![target], Effect::random(random, variables)));
                    }
                }
                None if body.len() == main.len() => {
                    rules.push((node, vec![main[0]], Effect::Nothing));
                }
                None => rules.push((node, vec![], Effect::Nothing)),
            }
        }
    }
    let gate = Symbol(2 + nodes as u32 + callee.len() as u32);
    rules.push((main[nodes / 2], vec![gate], Effect::Assume(0, true)));
    rules.push((gate, vec![Symbol(1)], Effect::Assume(variables - 1, false)));
    Thread { symbols: gate.0 + 1, rules }
}

impl Thread {
    fn symbolic(&self, domain: &BddRelations) -> Wpds<BddRelations> {
        let mut system = Wpds::new(domain.clone(), Kind::Weighted);
        let p = system.add_control("p");
        system.add_symbols(self.symbols);
        for (from, written, effect) in &self.rules {
            let weight = effect.weight(domain);
            expect(system.add_rule((p, *from), (p, written), weight, None));
        }
        system
    }

    fn explicit(&self, variables: usize) -> Wpds<Boolean> {
        let mut system = Wpds::new(Boolean, Kind::Weighted);
        for values in 0..1u32 << variables {
            system.add_control(&format!("g{values}"));
        }
        system.add_symbols(self.symbols);
        for (from, written, effect) in &self.rules {
            for values in 0..1u32 << variables {
                if let Some(after) = effect.apply(values) {
                    let (head, to) = ((Control(values), *from), (Control(after), &written[..]));
                    expect(system.add_rule(head, to, true, None));
                }
            }
        }
        system
    }
}

fn expect(added: Result<RuleId, WpdsError>) -> RuleId {
    added.expect("the rule fits")
}

/// The largest number of variables and of threads for which the values are enumerated.
const ENUMERATED: usize = 4;

/// Measures one size; the mean over the instances.
fn measure(instances: u64, threads: usize, nodes: usize, variables: usize, rounds: usize) {
    let (mut all, mut some, mut enumerated) = (0.0, 0.0, 0.0);
    let (mut states, mut fewer, mut reached) = (0, 0, 0);
    for instance in 0..instances {
        let mut random = Random::new(1 + instance);
        let threads: Vec<Thread> =
            (0..threads).map(|_| thread(&mut random, nodes, variables)).collect();
        let domain = BddRelations::new(variables as u32, 1 << 24).expect("room");
        let systems: Vec<Wpds<BddRelations>> =
            threads.iter().map(|thread| thread.symbolic(&domain)).collect();
        let systems: Vec<&Wpds<BddRelations>> = systems.iter().collect();
        let single = |control: u32, controls: u32| {
            let only = Configuration { control: Control(control), stack: vec![Symbol(0)] };
            ConfigSet::single(controls, &only).expect("one configuration")
        };
        let start = vec![single(0, 1); threads.len()];
        let mut goal = vec![ConfigSet::all(1); threads.len()];
        goal[0] = ConfigSet::top(1, Control(0), Symbol(1)).expect("one symbol");
        let schedule = Schedule::round_robin(threads.len(), rounds);
        let options = TransducerOptions::default();

        domain.vocabulary().space().collect_garbage();
        let begin = Instant::now();
        let full = ConcurrentSystem::new(&systems, &options).expect("transducers");
        let expected = full.analyse(&start, &goal, &schedule).expect("an answer");
        all += begin.elapsed().as_secs_f64();
        drop(full);
        domain.vocabulary().space().collect_garbage();
        let begin = Instant::now();
        let partial = ConcurrentSystem::starting_at(&systems, &start, &options).expect("built");
        let found = partial.analyse(&start, &goal, &schedule).expect("an answer");
        some += begin.elapsed().as_secs_f64();
        assert!(found.weight == expected.weight, "they disagree");
        states += expected.states;
        fewer += found.states;

        // From all variables false.
        let v = domain.vocabulary();
        let clear: Vec<_> = v.before().iter().map(|&var| (var, false)).collect();
        let clear = v.space().cube(&clear).expect("room");
        let bug = found.weight.intersects(&clear).expect("room");
        reached += usize::from(bug);
        if variables.max(threads.len()) <= ENUMERATED {
            let explicit: Vec<Wpds<Boolean>> =
                threads.iter().map(|thread| thread.explicit(variables)).collect();
            let explicit: Vec<&Wpds<Boolean>> = explicit.iter().collect();
            let begin = Instant::now();
            let first = GlobalStates {
                control: Control(0),
                stacks: vec![single(0, 1 << variables); threads.len()],
            };
            let contexts = schedule.contexts();
            let sets = qadeer_rehof(&explicit, &first, &contexts, &Budget::unlimited());
            let error = |states: &GlobalStates| {
                let set = &states.stacks[0];
                set.outgoing(states.control.into())
                    .any(|t| t.label.overlaps(gnomon_wpds::Label::Symbol(Symbol(1))))
            };
            let found = sets.expect("an answer").iter().any(error);
            enumerated += begin.elapsed().as_secs_f64();
            assert_eq!(found, bug, "enumeration disagrees");
        }
    }
    let mean = |total: f64| total / instances as f64;
    let oracle = if variables.max(threads) <= ENUMERATED {
        format!("{:.3}", mean(enumerated))
    } else {
        "–".to_owned()
    };
    println!(
        "| {threads} | {nodes} | {variables} | {rounds} | {reached} of {instances} | {:.3} | {} | {:.3} | {} | {oracle} |",
        mean(all),
        states as u64 / instances,
        mean(some),
        fewer as u64 / instances,
    );
}

/// Growth in each of the four sizes.
pub fn threads(instances: u64) {
    println!(
        "| threads | nodes each | variables | rounds | error reached | transducers s | states | needed heads only s | states | Qadeer-Rehof s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for rounds in 1..=4 {
        measure(instances, 2, 40, 4, rounds);
    }
    for threads in [3, 4, 6] {
        measure(instances, threads, 40, 4, 2);
    }
    for nodes in [80, 160, 320] {
        measure(instances, 2, nodes, 4, 2);
    }
    for variables in [8, 16, 24, 32] {
        measure(instances, 2, 40, variables, 2);
    }
}
