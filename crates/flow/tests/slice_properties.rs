//! Slices are sound and complete (PS 3.2), on random programs, by execution:
//!
//! - sound: every input that executes the path executes the slice;
//! - complete: every input that executes the slice reaches the target, or does not terminate.
//!
//! For paths, and for graphs of steps, which are executed if one of their paths is.
//!
//! `GNOMON_SLICE_PROGRAMS=N` sets the number of programs, `GNOMON_SLICE_SEED` the first seed.

mod slice_support;

use gnomon_budget::Budget;
use gnomon_flow::slice::unsatisfiable::Probe;
use gnomon_flow::slice::{Endings, GraphEdge, Options, Slice, Slicer, Start, StepGraph, Undefined};
use gnomon_ir::cfa::{EdgeId, LocId};
use gnomon_ir::interp::Outcome;
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::encode::{Encoder, Move, Theory};
use gnomon_logic::{Limits, Solver, Terms, Z3Solver};
use slice_support::generate::{self, Rng};
use slice_support::straight::{Straight, path_of_run, run};
use slice_support::{Analysis, Walk, compile};
use std::collections::BTreeMap;

fn programs(daily: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let first = number("GNOMON_SLICE_SEED").unwrap_or(1);
    first..first + number("GNOMON_SLICE_PROGRAMS").unwrap_or(daily)
}

/// Inputs by chance: small numbers.
fn inputs(rng: &mut Rng) -> [i32; generate::INPUTS] {
    std::array::from_fn(|_| rng.below(6) as i32 - 2)
}

/// What a run of the program says about whether an input that executes a slice does what it must.
fn reaches(program: &Program, undefined: Undefined, inputs: &[i32]) -> bool {
    match run(program, "main", inputs) {
        Outcome::Error { .. } | Outcome::OutOfBudget(_) => true,
        // Too deep a recursion is no termination either.
        Outcome::Undefined(ub) => undefined == Undefined::Absent || is_too_deep(&ub),
        _ => false,
    }
}

fn is_too_deep(ub: &gnomon_ir::interp::UndefinedBehaviour) -> bool {
    format!("{ub:?}").contains("StackOverflow")
}

/// A random walk to the target, feasible or not.
fn random_path(program: &Program, main: FuncId, rng: &mut Rng) -> Option<Vec<Move>> {
    let mut walk = Walk::new(program, main);
    while walk.steps.len() < 400 {
        if walk.at_target() {
            return Some(walk.steps);
        }
        if walk.at_exit() {
            if !walk.leave() {
                return None;
            }
            continue;
        }
        let edges = walk.out_edges();
        if edges.is_empty() || walk.stack.len() > 12 {
            return None;
        }
        walk.take(edges[rng.below(edges.len())]);
    }
    None
}

#[derive(Default, Debug)]
struct Totals {
    programs: u64,
    feasible_paths: u64,
    other_paths: u64,
    graphs: u64,
    graph_paths: u64,
    steps: u64,
    kept: u64,
    path_executions: u64,
    slice_executions: u64,
    stopped_early: u64,
    skipping: u64,
}

struct Checker<'p> {
    text: &'p str,
    program: &'p Program,
    main: FuncId,
    undefined: Undefined,
}

impl Checker<'_> {
    fn start(&self) -> Start {
        Start::at_entry(self.program, self.main)
    }

    fn blame(&self, what: &str, seed: u64, inputs: &[i32], steps: &[Move], kept: &[bool]) -> ! {
        let mut listing = String::new();
        for (&step, &kept) in steps.iter().zip(kept) {
            let mark = if kept { "*" } else { " " };
            let text = slice_support::step_text(self.program, step);
            listing.push_str(&format!("{mark} {text}\n"));
        }
        panic!("{what}: seed {seed}, inputs {inputs:?}\n{}\n{listing}", self.text);
    }

    /// Checks a slice of one path.
    fn path(&self, path: &Executed<'_>, slice: &Slice, totals: &mut Totals) {
        let sliced = Straight::new(self.program, path.steps, &slice.kept);
        totals.steps += path.steps.len() as u64;
        totals.kept += slice.kept_count() as u64;
        let blame = |what: &str, inputs: &[i32]| -> ! {
            self.blame(what, path.seed, inputs, path.steps, &slice.kept)
        };
        for (inputs, executes_path) in &path.inputs {
            totals.path_executions += u64::from(*executes_path);
            if *executes_path && slice.cut.stopped_early {
                blame("stopped early", inputs);
            }
            let executes_slice = sliced.executes(inputs);
            totals.slice_executions += u64::from(executes_slice);
            if *executes_path && !executes_slice {
                blame("not sound", inputs);
            }
            if executes_slice
                && !executes_path
                && slice.cut.is_complete()
                && !reaches(self.program, self.undefined, inputs)
            {
                blame("not complete", inputs);
            }
        }
    }

    /// Executes a path with inputs by chance.
    fn executed<'s>(&self, seed: u64, steps: &'s [Move], rng: &mut Rng) -> Executed<'s> {
        let path = Straight::new(self.program, steps, &vec![true; steps.len()]);
        let inputs = (0..INPUTS_PER_PATH).map(|_| {
            let inputs = inputs(rng);
            (inputs, path.executes(&inputs))
        });
        Executed { seed, steps, inputs: inputs.collect() }
    }

    fn graph(&self, seed: u64, slicer: &mut Slicer<'_>, rng: &mut Rng, totals: &mut Totals) {
        let Some(graph) = unrolled(self.program, self.main) else { return };
        let slice = slicer.slice(&graph, &Budget::unlimited()).unwrap();
        let paths = paths(&graph, 12);
        if paths.is_empty() {
            return;
        }
        totals.graphs += 1;
        totals.graph_paths += paths.len() as u64;
        let steps = |path: &[usize]| -> Vec<Move> {
            path.iter().map(|&edge| graph.edges[edge].step).collect()
        };
        let kept = |path: &[usize]| -> Vec<bool> { path.iter().map(|&e| slice.kept[e]).collect() };
        let whole: Vec<Straight> = paths
            .iter()
            .map(|p| Straight::new(self.program, &steps(p), &vec![true; p.len()]))
            .collect();
        let sliced: Vec<Straight> =
            paths.iter().map(|p| Straight::new(self.program, &steps(p), &kept(p))).collect();
        for _ in 0..INPUTS_PER_PATH / 3 {
            let inputs = inputs(rng);
            let executed: Vec<bool> = sliced.iter().map(|s| s.executes(&inputs)).collect();
            for (at, path) in whole.iter().enumerate() {
                if path.executes(&inputs) && !executed[at] {
                    let path = &paths[at];
                    self.blame("graph not sound", seed, &inputs, &steps(path), &kept(path));
                }
            }
            if let Some(at) = executed.iter().position(|&e| e)
                && slice.cut.is_complete()
                && !reaches(self.program, self.undefined, &inputs)
            {
                let path = &paths[at];
                self.blame("graph not complete", seed, &inputs, &steps(path), &kept(path));
            }
        }
    }
}

/// A path, and whether it is executed with some inputs.
struct Executed<'s> {
    seed: u64,
    steps: &'s [Move],
    inputs: Vec<([i32; generate::INPUTS], bool)>,
}

const INPUTS_PER_PATH: usize = 24;

type NodeKey = (Vec<(FuncId, EdgeId)>, FuncId, LocId, u32);

/// All paths to the target with a bounded number of turns, as a graph.
fn unrolled(program: &Program, main: FuncId) -> Option<StepGraph> {
    let mut numbers: BTreeMap<NodeKey, u32> = BTreeMap::new();
    let mut edges: Vec<(u32, u32, Move)> = Vec::new();
    let first = Walk::new(program, main);
    let key = |walk: &Walk<'_>, turns: u32| (walk.stack.clone(), walk.func, walk.loc, turns);
    numbers.insert(key(&first, 0), 0);
    let mut targets = Vec::new();
    let mut work = vec![(first.stack, first.func, first.loc, 0u32)];
    while let Some((stack, func, loc, turns)) = work.pop() {
        let from = numbers[&(stack.clone(), func, loc, turns)];
        let here = |steps| Walk { program, stack: stack.clone(), func, loc, steps };
        let walk = here(Vec::new());
        if walk.at_target() {
            targets.push((from, stack.clone(), func, loc));
            continue;
        }
        let mut ways = Vec::new();
        if walk.at_exit() {
            let mut walk = walk;
            if walk.leave() {
                ways.push((walk, turns));
            }
        } else {
            for &edge in walk.out_edges() {
                let mut next = here(Vec::new());
                next.take(edge);
                let back = next.func == func && next.stack == stack && next.loc <= loc;
                ways.push((next, turns + u32::from(back)));
            }
        }
        for (next, turns) in ways {
            if turns > 3 || next.stack.len() > 5 || numbers.len() > 3000 {
                continue;
            }
            let count = numbers.len() as u32;
            let key = key(&next, turns);
            let to = *numbers.entry(key.clone()).or_insert(count);
            if to == count {
                work.push(key);
            }
            edges.push((from, to, next.steps[0]));
        }
    }
    // One end: the target as it is reached in the first context.
    let (_, stack, func, loc) = targets.first()?.clone();
    let ends: Vec<u32> =
        targets.iter().filter(|t| (&t.1, t.2, t.3) == (&stack, func, loc)).map(|t| t.0).collect();
    in_order(program, main, numbers.len(), &edges, &ends)
}

/// Numbers the nodes so that edges lead to greater ones, and makes all ends one.
fn in_order(
    program: &Program,
    main: FuncId,
    count: usize,
    edges: &[(u32, u32, Move)],
    ends: &[u32],
) -> Option<StepGraph> {
    let end = count as u32;
    let to_end = |node: u32| if ends.contains(&node) { end } else { node };
    let edges: Vec<(u32, u32, Move)> = edges.iter().map(|&(f, t, m)| (f, to_end(t), m)).collect();
    let mut incoming = vec![0; count + 1];
    let mut out: Vec<Vec<(u32, Move)>> = vec![Vec::new(); count + 1];
    for &(from, to, step) in &edges {
        incoming[to as usize] += 1;
        out[from as usize].push((to, step));
    }
    let mut order = Vec::new();
    let mut ready: Vec<u32> =
        (0..=end).filter(|&n| incoming[n as usize] == 0 && n != end).collect();
    while let Some(node) = ready.pop() {
        order.push(node);
        for &(to, _) in &out[node as usize] {
            incoming[to as usize] -= 1;
            if incoming[to as usize] == 0 && to != end {
                ready.push(to);
            }
        }
    }
    let mut position = vec![u32::MAX; count + 1];
    // Node 0 first: nothing leads to it, and ends that were made one lead nowhere.
    order.retain(|&node| node != 0);
    order.insert(0, 0);
    order.push(end);
    for (at, &node) in order.iter().enumerate() {
        position[node as usize] = at as u32;
    }
    let place = |node: u32| position[node as usize];
    let edges = edges
        .iter()
        .map(|&(from, to, step)| GraphEdge { from: place(from), to: place(to), step })
        .filter(|edge| edge.from != u32::MAX && edge.to != u32::MAX)
        .collect();
    Some(StepGraph { start: Start::at_entry(program, main), nodes: order.len() as u32, edges })
}

/// Up to so many paths from the start to the end.
fn paths(graph: &StepGraph, most: usize) -> Vec<Vec<usize>> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes as usize];
    for (at, edge) in graph.edges.iter().enumerate() {
        out[edge.from as usize].push(at);
    }
    let mut reach = vec![false; graph.nodes as usize];
    reach[graph.nodes as usize - 1] = true;
    for node in (0..graph.nodes as usize - 1).rev() {
        reach[node] = out[node].iter().any(|&e| reach[graph.edges[e].to as usize]);
    }
    let mut found = Vec::new();
    let mut work = vec![(0usize, Vec::new())];
    while let Some((node, path)) = work.pop() {
        if node == graph.nodes as usize - 1 {
            found.push(path);
            if found.len() == most {
                break;
            }
            continue;
        }
        for &edge in out[node].iter().filter(|&&e| reach[graph.edges[e].to as usize]) {
            let mut longer = path.clone();
            longer.push(edge);
            work.push((graph.edges[edge].to as usize, longer));
        }
    }
    found
}

#[test]
fn slices_are_sound_and_complete() {
    let mut totals = Totals::default();
    for seed in programs(200) {
        let text = generate::program(seed, seed % 3 != 0);
        let program = compile(&text);
        let main = program.find_function("main").unwrap();
        let analysis = Analysis::of(&program);
        let facts = analysis.facts(&program);
        let undefined = if seed % 2 == 0 { Undefined::Ends } else { Undefined::Absent };
        let endings = if seed % 5 == 0 { Endings::Absent } else { Endings::Kept };
        let options = Options { undefined, endings, ..Options::default() };
        let mut slicer = Slicer::new(&facts, options);
        let skipping = Options { skip_functions: true, ..options };
        let mut skipping = Slicer::new(&facts, skipping);
        let mut rng = Rng(seed ^ 0x5eed);
        let checker = Checker { text: &text, program: &program, main, undefined };
        totals.programs += 1;

        let (mut encoder, mut terms) = (Encoder::new(&program, Theory::Int), Terms::new());
        let mut solver = Z3Solver::integers();
        let mut found = Vec::new();
        for _ in 0..30 {
            let inputs = inputs(&mut rng);
            if let Some(path) = path_of_run(&program, main, &inputs)
                && !found.contains(&path)
            {
                totals.feasible_paths += 1;
                found.push(path);
                if found.len() == 2 {
                    break;
                }
            }
        }
        for _ in 0..20 {
            if let Some(path) = random_path(&program, main, &mut rng)
                && !found.contains(&path)
            {
                totals.other_paths += 1;
                found.push(path);
                if found.len() >= 4 {
                    break;
                }
            }
        }
        for steps in &found {
            let budget = Budget::unlimited();
            let path = checker.executed(seed, steps, &mut rng);
            let slice = slicer.slice_path(checker.start(), steps, &budget).unwrap();
            checker.path(&path, &slice, &mut totals);
            let skipped = skipping.slice_path(checker.start(), steps, &budget).unwrap();
            if skipped != slice {
                totals.skipping += 1;
                checker.path(&path, &skipped, &mut totals);
            }
            solver.push();
            let mut probe = Probe::new(&mut encoder, &mut terms, &mut solver, Limits::default())
                .without_memory();
            let graph = StepGraph::path(checker.start(), steps);
            let slice = slicer.slice_until_unsatisfiable(&graph, &mut probe, &budget).unwrap();
            solver.pop();
            totals.stopped_early += u64::from(slice.cut.stopped_early);
            if slice.cut.stopped_early {
                checker.path(&path, &slice, &mut totals);
            }
        }
        checker.graph(seed, &mut slicer, &mut rng, &mut totals);
    }
    println!("{totals:?}");
    // The test would show little if these were rare.
    assert!(totals.feasible_paths * 5 > totals.programs, "{totals:?}");
    assert!(totals.other_paths * 2 > totals.programs, "{totals:?}");
    assert!(totals.graphs * 2 > totals.programs, "{totals:?}");
    assert!(totals.kept * 10 < totals.steps * 9, "{totals:?}");
    assert!(totals.stopped_early * 20 > totals.programs, "{totals:?}");
}
