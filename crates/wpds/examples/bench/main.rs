//! The benchmarks of BENCH.md: ratios between algorithms in one run, with interleaved repetitions.
//!
//! `cargo run --release -p gnomon-wpds --example bench -- solvers|projection|incremental|bidirectional|growth|parallel|threads|lengths [instances] [procedures]`

mod program;
mod threads;

use std::time::Instant;

use gnomon_wpds::domains::{MinPath, OperationCounts};
use gnomon_wpds::projection::chop_by_double_prestar;
use gnomon_wpds::{
    ConfigSet, Configuration, FunctionalAutomaton, Fwpds, FwpdsOptions, Kind, Order, Rhs,
    SaturationOptions, Semiring, Solution, Symbol, Wpds, poststar, prestar, reaches, weight_of,
    weight_of_set,
};
use program::{Domain, Program, Random, Size, generate, replace_procedure};

/// Repetitions of each measurement; the smallest time counts, because other work on the machine can
/// only add to it.
const REPETITIONS: usize = 3;

/// The same for the programs of mixed sizes, of which the largest take ten seconds a run.
const MIXED_REPETITIONS: usize = 2;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| arguments.get(i).and_then(|a| a.parse().ok());
    let instances = number(1).unwrap_or(10);
    let procedures = number(2).map(|n: u64| n as usize);
    match arguments.first().map(String::as_str) {
        Some("solvers") => solvers(instances, procedures),
        Some("projection") => projection(instances, procedures.unwrap_or(100)),
        Some("incremental") => incremental(instances, procedures.unwrap_or(100)),
        Some("bidirectional") => bidirectional(instances, procedures.unwrap_or(100)),
        Some("growth") => growth(),
        Some("threads") => threads::threads(instances),
        Some("lengths") => lengths(instances as usize, arguments.get(2)),
        Some("parallel") => parallel(instances, procedures.unwrap_or(200)),
        _ => eprintln!(
            "usage: bench solvers|projection|incremental|bidirectional|growth|parallel|threads|lengths [instances] [procedures]"
        ),
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

fn start_of(program: &Program) -> ConfigSet {
    let start = Configuration { control: program.control, stack: vec![program.entry] };
    ConfigSet::single(1, &start).expect("one configuration")
}

fn goal_of(program: &Program) -> ConfigSet {
    ConfigSet::top(1, program.control, program.error).expect("one symbol")
}

/// The best time of a measurement and the operations of one run.
#[derive(Clone, Copy, Default)]
struct Cost {
    seconds: Option<f64>,
    operations: OperationCounts,
}

impl Cost {
    /// Measures one run. The table is cleaned before, so that no run profits from another.
    fn measure<T>(&mut self, domain: &Domain, action: impl FnOnce() -> T) -> T {
        domain.inner().vocabulary().space().collect_garbage();
        domain.take();
        let start = Instant::now();
        let value = action();
        let seconds = start.elapsed().as_secs_f64();
        self.operations = domain.take();
        self.seconds = Some(self.seconds.map_or(seconds, |best| best.min(seconds)));
        value
    }

    fn time(&self) -> f64 {
        self.seconds.unwrap_or(0.0)
    }
}

fn size(instance: u64, procedures: usize) -> Size {
    let variables = 20 + 10 * (instance % 5) as u32;
    Size { procedures, nodes_per_procedure: 40, variables, seed: instance + 1 }
}

/// The sizes of the instances of a run: in each five, one has 1,000 procedures and 40,000 nodes. Every
/// size meets every number of variables.
fn mixed_size(instance: u64) -> Size {
    const SIZES: [usize; 5] = [50, 100, 200, 400, 1000];
    let procedures = SIZES[(instance % 5) as usize];
    let variables = 20 + 10 * ((instance + instance / 5) % 5) as u32;
    let nodes_per_procedure = if procedures == 1000 { 26 } else { 40 };
    Size { procedures, nodes_per_procedure, variables, seed: instance + 1 }
}

fn solvers(instances: u64, procedures: Option<usize>) {
    println!(
        "| nodes | procedures | variables | saturation s | extends | with differences s | callees first s | extends | FWPDS s | extends | FWPDS-Full s | speed-up |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let (mut ratios, mut by_default) = (Vec::new(), Vec::new());
    let repetitions = if procedures.is_some() { REPETITIONS } else { MIXED_REPETITIONS };
    for instance in 0..instances {
        let size = match procedures {
            Some(procedures) => size(instance, procedures),
            None => mixed_size(instance),
        };
        let program = generate(size);
        let system = &program.system;
        let domain = system.domain().clone();
        let input = start_of(&program).weighted(&domain.one());
        let goal = goal_of(&program);
        let plain = SaturationOptions::default();
        let differential = SaturationOptions { differential: true, ..plain.clone() };
        let ordered = SaturationOptions { order: Order::CalleesFirst, ..plain.clone() };
        let mut costs = [Cost::default(); 5];
        for _ in 0..repetitions {
            let expected = costs[0].measure(&domain, || {
                let s = poststar(system, &input, &plain).expect("saturated");
                weight_of_set(&s, &goal).expect("a weight")
            });
            let with_differences = costs[1].measure(&domain, || {
                let s = poststar(system, &input, &differential).expect("saturated");
                weight_of_set(&s, &goal).expect("a weight")
            });
            let other_order = costs[4].measure(&domain, || {
                let s = poststar(system, &input, &ordered).expect("saturated");
                weight_of_set(&s, &goal).expect("a weight")
            });
            let lazy = costs[2].measure(&domain, || {
                let s = Fwpds::poststar(system, &input, FwpdsOptions::default()).expect("solved");
                weight_of_set(&s, &goal).expect("a weight")
            });
            costs[3].measure(&domain, || {
                let s = Fwpds::poststar(system, &input, FwpdsOptions::default()).expect("solved");
                s.automaton().expect("all weights")
            });
            let same = expected == lazy && expected == with_differences && expected == other_order;
            assert!(same, "the solvers disagree");
        }
        let [saturation, differences, lazy, full, callees] = costs;
        let best = saturation.time().min(differences.time()).min(callees.time());
        let ratio = best / lazy.time();
        ratios.push(ratio);
        by_default.push(saturation.time() / lazy.time());
        println!(
            "| {} | {} | {} | {:.3} | {} | {:.3} | {:.3} | {} | {:.3} | {} | {:.3} | {ratio:.2} |",
            program.nodes,
            size.procedures,
            size.variables,
            saturation.time(),
            saturation.operations.extend,
            differences.time(),
            callees.time(),
            callees.operations.extend,
            lazy.time(),
            lazy.operations.extend,
            full.time(),
        );
    }
    println!(
        "\nMedians over {instances} instances: FWPDS {:.2} times faster than the best of the three \
         saturations, {:.2} times faster than reverse post-order",
        median(ratios),
        median(by_default)
    );
}

/// How many chops the double-prestar method is measured on; the rest is extrapolated.
const CHOPS: usize = 4;

fn projection(instances: u64, procedures: usize) {
    println!(
        "| nodes | variables | in the projection | post* s | pre* s | functional s | double-pre* s (extrapolated) | functional : post*+pre* | speed-up end to end |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let (mut to_reach, mut to_double) = (Vec::new(), Vec::new());
    for instance in 0..instances {
        let program = generate(size(instance, procedures));
        let system = &program.system;
        let domain = system.domain().clone();
        let (start, goal) = (start_of(&program), goal_of(&program));
        let options = SaturationOptions::default();
        let (mut post, mut pre, mut functional, mut double) = Default::default();
        let mut nodes = Vec::new();
        for _ in 0..REPETITIONS {
            let forward = Cost::measure(&mut post, &domain, || {
                poststar(system, &start.weighted(&domain.one()), &options).expect("saturated")
            });
            let backward = Cost::measure(&mut pre, &domain, || {
                prestar(system, &goal.weighted(&domain.one()), &options).expect("saturated")
            });
            nodes = Cost::measure(&mut functional, &domain, || {
                let functional =
                    FunctionalAutomaton::new(&forward, &backward).expect("intersected");
                functional.projection().expect("a projection")
            });
            let mut random = Random::new(instance + 99);
            let sample: Vec<_> =
                (0..CHOPS).map(|_| Symbol(random.below(program.nodes) as u32)).collect();
            let inside = Cost::measure(&mut double, &domain, || {
                let chop = |&symbol: &Symbol| {
                    let set = ConfigSet::top(1, program.control, symbol).expect("one symbol");
                    let w = chop_by_double_prestar(&backward, system, &start, &set, &options);
                    !domain.is_zero(&w.expect("a weight"))
                };
                sample.iter().map(chop).collect::<Vec<bool>>()
            });
            for (symbol, inside) in sample.iter().zip(inside) {
                assert_eq!(nodes.contains(&(program.control, *symbol)), inside, "they disagree");
            }
        }
        let all = double.time() / CHOPS as f64 * program.nodes as f64;
        let reach = post.time() + pre.time();
        let relative = functional.time() / reach;
        let end_to_end = (pre.time() + all) / (reach + functional.time());
        to_reach.push(relative);
        to_double.push(end_to_end);
        println!(
            "| {} | {} | {:.0}% | {:.3} | {:.3} | {:.3} | {all:.0} | {relative:.2} | {end_to_end:.0} |",
            program.nodes,
            program.size.variables,
            100.0 * nodes.len() as f64 / program.nodes as f64,
            post.time(),
            pre.time(),
            functional.time(),
        );
    }
    println!(
        "\nMedians: functional at {:.2} of post*+pre*, {:.0} times faster than double-pre* end to end",
        median(to_reach),
        median(to_double)
    );
}

/// A changed procedure that the question depends on, and whose summary other procedures use: as in the
/// paper, changes that affect nothing else are not counted.
fn change_that_matters(program: &Program, seed: u64) -> Option<Wpds<Domain>> {
    let domain = program.system.domain();
    let input = start_of(program).weighted(&domain.one());
    let mut random = Random::new(seed + 5);
    (0..20).find_map(|attempt| {
        let procedure = 1 + random.below(program.size.procedures - 1);
        let changed = replace_procedure(program, procedure, seed + attempt);
        let before =
            Fwpds::poststar(&program.system, &input, FwpdsOptions::default()).expect("solved");
        weight_of_set(&before, &goal_of(program)).expect("a weight");
        let report = before.update(&changed).expect("updated").1;
        (report.out_nodes_recomputed >= 2).then_some(changed)
    })
}

fn incremental(instances: u64, procedures: usize) {
    println!(
        "| nodes | variables | from scratch s | extends | incremental s | extends | out-nodes recomputed | kept | speed-up |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut ratios = Vec::new();
    for instance in 0.. {
        if ratios.len() as u64 == instances {
            break;
        }
        let program = generate(size(instance, procedures));
        let domain = program.system.domain().clone();
        let input = start_of(&program).weighted(&domain.one());
        let goal = goal_of(&program);
        let Some(changed) = change_that_matters(&program, instance) else { continue };
        let (mut scratch, mut update) = (Cost::default(), Cost::default());
        let mut report = None;
        for _ in 0..REPETITIONS {
            let before =
                Fwpds::poststar(&program.system, &input, FwpdsOptions::default()).expect("solved");
            weight_of_set(&before, &goal).expect("a weight");
            let expected = scratch.measure(&domain, || {
                let s = Fwpds::poststar(&changed, &input, FwpdsOptions::default()).expect("solved");
                weight_of_set(&s, &goal).expect("a weight")
            });
            let found = update.measure(&domain, || {
                let (s, what) = before.update(&changed).expect("updated");
                report = Some(what);
                weight_of_set(&s, &goal).expect("a weight")
            });
            assert!(expected == found, "they disagree");
        }
        let ratio = scratch.time() / update.time();
        ratios.push(ratio);
        let report = report.expect("at least one repetition");
        println!(
            "| {} | {} | {:.3} | {} | {:.3} | {} | {} | {} | {ratio:.1} |",
            program.nodes,
            program.size.variables,
            scratch.time(),
            scratch.operations.extend,
            update.time(),
            update.operations.extend,
            report.out_nodes_recomputed,
            report.out_nodes_kept,
        );
    }
    println!("\nMedian speed-up: {:.1}", median(ratios));
}

/// Writes the graph of a generated program with weight 1 on every rule as text (one rule a line:
/// `step FROM TO`, `call FROM ENTRY BACK`, `return FROM`) and solves it for shortest paths, for
/// comparison with other libraries.
fn lengths(procedures: usize, file: Option<&String>) {
    let program = generate(size(0, procedures));
    let mut system = Wpds::new(MinPath, Kind::Weighted);
    let p = system.add_control("p");
    system.add_symbols(program.system.symbol_count());
    let mut text = format!("{} {}\n", system.symbol_count(), program.entry.0);
    for (_, rule) in program.system.rules() {
        let from = (p, rule.top);
        let added = match rule.rhs {
            Rhs::Pop => {
                text += &format!("return {}\n", rule.top.0);
                system.add_pop(from, p, Some(1))
            }
            Rhs::Step(to) => {
                text += &format!("step {} {}\n", rule.top.0, to.0);
                system.add_step(from, (p, to), Some(1))
            }
            Rhs::Push(entry, back) => {
                text += &format!("call {} {} {}\n", rule.top.0, entry.0, back.0);
                system.add_push(from, (p, entry, back), Some(1), None)
            }
        };
        added.expect("it fits");
    }
    if let Some(file) = file {
        std::fs::write(file, text).expect("the file can be written");
    }
    let start = start_of(&program).weighted(&MinPath.one());
    let mut best = [f64::INFINITY; 2];
    for _ in 0..5 {
        let begin = Instant::now();
        let s = poststar(&system, &start, &SaturationOptions::default()).expect("saturated");
        best[0] = best[0].min(begin.elapsed().as_secs_f64());
        let end = Configuration { control: p, stack: vec![] };
        let length = weight_of(&s, &end).expect("a weight");
        let begin = Instant::now();
        let lazy = Fwpds::poststar(&system, &start, FwpdsOptions::default()).expect("solved");
        assert_eq!(weight_of(&lazy, &end).expect("a weight"), length);
        best[1] = best[1].min(begin.elapsed().as_secs_f64());
        println!(
            "{} nodes, {} transitions, shortest run {length:?}: saturation {:.4} s, FWPDS {:.4} s",
            program.nodes,
            s.statistics().transitions,
            best[0],
            best[1]
        );
    }
}

/// Whether a set is reached; a saturation may end before it was asked for the last time.
fn has_weight(solution: &impl Solution<Domain>, set: &ConfigSet) -> bool {
    !solution.system().domain().is_zero(&weight_of_set(solution, set).expect("a weight"))
}

/// How many nodes are asked for in each program.
const QUESTIONS: usize = 8;

/// Whether the start reaches a node with some stack: forwards and backwards until the other set is
/// met, and from both ends.
fn bidirectional(instances: u64, procedures: usize) {
    println!(
        "| nodes | variables | reached | forward s | propagations | backward s | propagations | both ends s | propagations | better one : both ends | worse one : both ends |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let (mut to_better, mut to_worse) = (Vec::new(), Vec::new());
    for instance in 0..instances {
        let program = generate(size(instance, procedures));
        let system = &program.system;
        let domain = system.domain().clone();
        let start = start_of(&program);
        let mut random = Random::new(instance + 3);
        let goals: Vec<ConfigSet> = (0..QUESTIONS)
            .map(|_| Symbol(random.below(program.nodes) as u32))
            .map(|symbol| ConfigSet::top(1, program.control, symbol).expect("one symbol"))
            .collect();
        let one = |set: &ConfigSet| set.weighted(&domain.one());
        let mut costs = [Cost::default(); 3];
        let (mut reached, mut work) = (0, [0u64; 3]);
        for _ in 0..REPETITIONS {
            work = [0; 3];
            let plain = SaturationOptions { order: Order::CalleesFirst, ..Default::default() };
            let forward: Vec<bool> = costs[0].measure(&domain, || {
                let ask = |goal: &ConfigSet| {
                    let options = SaturationOptions { target: Some(goal), ..plain.clone() };
                    let s = poststar(system, &one(&start), &options).expect("saturated");
                    work[0] += s.statistics().propagations;
                    s.statistics().stopped_early || has_weight(&s, goal)
                };
                goals.iter().map(ask).collect()
            });
            let backward: Vec<bool> = costs[1].measure(&domain, || {
                let ask = |goal: &ConfigSet| {
                    let options = SaturationOptions { target: Some(&start), ..plain.clone() };
                    let s = prestar(system, &one(goal), &options).expect("saturated");
                    work[1] += s.statistics().propagations;
                    s.statistics().stopped_early || has_weight(&s, &start)
                };
                goals.iter().map(ask).collect()
            });
            let both: Vec<bool> = costs[2].measure(&domain, || {
                let ask = |goal: &ConfigSet| {
                    let s = reaches(system, &one(&start), &one(goal), &plain).expect("searched");
                    let halves = [s.forward.statistics(), s.backward.statistics()];
                    work[2] += halves.iter().map(|half| half.propagations).sum::<u64>();
                    s.reached
                };
                goals.iter().map(ask).collect()
            });
            assert!(forward == backward && forward == both, "they disagree");
            reached = both.iter().filter(|&&yes| yes).count();
        }
        let [forward, backward, both] = costs.map(|cost| cost.time());
        let (better, worse) = (forward.min(backward) / both, forward.max(backward) / both);
        to_better.push(better);
        to_worse.push(worse);
        println!(
            "| {} | {} | {reached} of {QUESTIONS} | {forward:.3} | {} | {backward:.3} | {} | {both:.3} | {} | {better:.2} | {worse:.2} |",
            program.nodes, program.size.variables, work[0], work[1], work[2],
        );
    }
    println!(
        "\nMedians over {instances} instances: both ends {:.2} times as fast as the better direction, {:.2} times as fast as the worse",
        median(to_better),
        median(to_worse)
    );
}

fn growth() {
    const SEEDS: [u64; 2] = [7, 8];
    println!(
        "| nodes (mean of {}) | procedures | saturation s | µs/node | extends/node | FWPDS-Full s | µs/node | extends/node | resident MiB |",
        SEEDS.len()
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for procedures in [83, 166, 332, 664, 1328] {
        let (mut nodes, mut memory) = (0, 0);
        let (mut times, mut extends) = ([0.0; 2], [0; 2]);
        for seed in SEEDS {
            let program =
                generate(Size { procedures, nodes_per_procedure: 40, variables: 20, seed });
            let system = &program.system;
            let domain = system.domain().clone();
            let input = start_of(&program).weighted(&domain.one());
            let (mut saturation, mut full) = (Cost::default(), Cost::default());
            for _ in 0..2 {
                saturation.measure(&domain, || {
                    let options = SaturationOptions {
                        order: Order::CalleesFirst,
                        ..SaturationOptions::default()
                    };
                    poststar(system, &input, &options).expect("saturated")
                });
                let solved = full.measure(&domain, || {
                    let s = Fwpds::poststar(system, &input, FwpdsOptions::default());
                    s.expect("solved").automaton().expect("all weights")
                });
                memory = memory.max(gnomon_budget::resident_bytes().unwrap_or(0) >> 20);
                drop(solved);
            }
            nodes += program.nodes;
            for (k, cost) in [saturation, full].iter().enumerate() {
                times[k] += cost.time();
                extends[k] += cost.operations.extend;
            }
        }
        let per_node = |k: usize| times[k] * 1e6 / nodes as f64;
        let work = |k: usize| extends[k] as f64 / nodes as f64;
        println!(
            "| {} | {procedures} | {:.2} | {:.0} | {:.2} | {:.2} | {:.0} | {:.2} | {memory} |",
            nodes / SEEDS.len(),
            times[0] / SEEDS.len() as f64,
            per_node(0),
            work(0),
            times[1] / SEEDS.len() as f64,
            per_node(1),
            work(1),
        );
    }
}

fn parallel(instances: u64, procedures: usize) {
    println!("| nodes | one thread s | two threads s | speed-up |");
    println!("|---|---|---|---|");
    for instance in 0..instances {
        let program = generate(size(instance, procedures));
        let domain = program.system.domain().clone();
        let input = start_of(&program).weighted(&domain.one());
        let goal = goal_of(&program);
        let mut costs = [Cost::default(); 2];
        for _ in 0..REPETITIONS {
            for (cost, threads) in costs.iter_mut().zip([1, 2]) {
                cost.measure(&domain, || {
                    let options = FwpdsOptions { threads, ..FwpdsOptions::default() };
                    let s = Fwpds::poststar(&program.system, &input, options).expect("solved");
                    weight_of_set(&s, &goal).expect("a weight")
                });
            }
        }
        let [one, two] = costs.map(|cost| cost.time());
        println!("| {} | {one:.3} | {two:.3} | {:.2} |", program.nodes, one / two);
    }
}
