//! In which order out-node equations are solved (LAL 4.1.2), by one thread or several.
//!
//! Out-nodes whose intragraphs need each other form a unit. Units are solved after the units they
//! depend on; inside a unit, strongly connected components of equations are iterated one after the
//! other until nothing changes. Units that do not depend on each other may run at the same time; the
//! weights are least solutions, so the result is the same in any order.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

use rustc_hash::FxHashMap;

use crate::error::WpdsError;
use crate::fwpds::components::strong_components;
use crate::fwpds::recall::solve_or_recall;
use crate::fwpds::solver::{Fwpds, lock};
use crate::ids::TransitionId;
use crate::semiring::Semiring;

/// The unsolved out-nodes that some transitions need, with their dependences.
struct Needed {
    outs: Vec<TransitionId>,
    /// For each, the unsolved ones it depends on.
    depends: Vec<Vec<u32>>,
}

impl Needed {
    fn new<S: Semiring>(fwpds: &Fwpds<'_, S>, transitions: &[TransitionId]) -> Self {
        let mut needed = Self { outs: Vec::new(), depends: Vec::new() };
        let mut index: FxHashMap<TransitionId, u32> = FxHashMap::default();
        let mut number = |out: TransitionId, outs: &mut Vec<TransitionId>| {
            if lock(fwpds.out(out)).solved {
                return None;
            }
            Some(*index.entry(out).or_insert_with(|| {
                outs.push(out);
                (outs.len() - 1) as u32
            }))
        };
        for &t in transitions {
            for out in fwpds.dependences(t) {
                number(out, &mut needed.outs);
            }
        }
        let mut done = 0;
        while done < needed.outs.len() {
            let before = fwpds.dependences(needed.outs[done]);
            let depends = before.into_iter().filter_map(|o| number(o, &mut needed.outs)).collect();
            needed.depends.push(depends);
            done += 1;
        }
        needed
    }
}

/// A unit of work: components of equations in the order in which to iterate them.
struct Unit {
    components: Vec<Vec<TransitionId>>,
    /// How many units must be solved before.
    waits_for: usize,
    /// The units that wait for this one.
    before: Vec<u32>,
}

/// Solves everything that the transitions need.
pub(crate) fn solve<S: Semiring>(
    fwpds: &Fwpds<'_, S>,
    transitions: &[TransitionId],
) -> Result<(), WpdsError> {
    let needed = Needed::new(fwpds, transitions);
    if needed.outs.is_empty() {
        return Ok(());
    }
    let units = units(fwpds, &needed);
    if fwpds.options.threads <= 1 {
        for unit in &units {
            solve_unit(fwpds, unit)?;
        }
        return Ok(());
    }
    solve_in_parallel(fwpds, units)
}

/// Groups the out-nodes into units, each after the units it depends on.
fn units<S: Semiring>(fwpds: &Fwpds<'_, S>, needed: &Needed) -> Vec<Unit> {
    let mut graph_index: FxHashMap<u32, u32> = FxHashMap::default();
    let mut graph_of = Vec::with_capacity(needed.outs.len());
    for out in &needed.outs {
        let graph = fwpds.places[out.index()].graph;
        let next = graph_index.len() as u32;
        graph_of.push(*graph_index.entry(graph).or_insert(next));
    }
    let mut graph_depends = vec![Vec::new(); graph_index.len()];
    for (i, depends) in needed.depends.iter().enumerate() {
        for &d in depends {
            graph_depends[graph_of[i] as usize].push(graph_of[d as usize]);
        }
    }
    // Components of "depends on" come with what they depend on first.
    let unit_graphs = strong_components(&graph_depends);
    let mut unit_of_graph = vec![0u32; graph_index.len()];
    for (u, graphs) in unit_graphs.iter().enumerate() {
        for &g in graphs {
            unit_of_graph[g as usize] = u as u32;
        }
    }
    let unit_of = |i: usize| unit_of_graph[graph_of[i] as usize];
    let mut units: Vec<Unit> = unit_graphs
        .iter()
        .map(|_| Unit { components: Vec::new(), waits_for: 0, before: Vec::new() })
        .collect();
    for component in strong_components(&needed.depends) {
        let unit = unit_of(component[0] as usize);
        let outs = component.iter().map(|&i| needed.outs[i as usize]).collect();
        units[unit as usize].components.push(outs);
    }
    let mut links: Vec<(u32, u32)> = Vec::new();
    for (i, depends) in needed.depends.iter().enumerate() {
        let to = unit_of(i);
        links.extend(depends.iter().map(|&d| (unit_of(d as usize), to)).filter(|(a, b)| a != b));
    }
    links.sort_unstable();
    links.dedup();
    for (from, to) in links {
        units[from as usize].before.push(to);
        units[to as usize].waits_for += 1;
    }
    units
}

/// Iterates the components of a unit, one after the other, until nothing changes.
fn solve_unit<S: Semiring>(fwpds: &Fwpds<'_, S>, unit: &Unit) -> Result<(), WpdsError> {
    for component in &unit.components {
        solve_or_recall(fwpds, component, || solve_component(fwpds, component))?;
        for &out in component {
            lock(fwpds.out(out)).solved = true;
        }
    }
    Ok(())
}

pub(crate) fn solve_component<S: Semiring>(
    fwpds: &Fwpds<'_, S>,
    component: &[TransitionId],
) -> Result<(), WpdsError> {
    if let &[single] = component
        && !fwpds.out_nodes_of(single).contains(&single)
    {
        fwpds.step(single)?;
        return Ok(());
    }
    let inside: FxHashMap<TransitionId, usize> =
        component.iter().enumerate().map(|(i, &out)| (out, i)).collect();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); component.len()];
    for (i, &out) in component.iter().enumerate() {
        for used in fwpds.out_nodes_of(out) {
            if let Some(&u) = inside.get(&used) {
                users[u].push(i);
            }
        }
    }
    let mut waiting = vec![true; component.len()];
    let mut queue: VecDeque<usize> = (0..component.len()).collect();
    while let Some(i) = queue.pop_front() {
        waiting[i] = false;
        if fwpds.step(component[i])? {
            for &user in &users[i] {
                if !std::mem::replace(&mut waiting[user], true) {
                    queue.push_back(user);
                }
            }
        }
    }
    Ok(())
}

/// What the threads share: which units are ready, and how many are not finished.
struct Board {
    ready: Vec<u32>,
    waits_for: Vec<usize>,
    unfinished: usize,
    failure: Option<WpdsError>,
}

fn solve_in_parallel<S: Semiring>(fwpds: &Fwpds<'_, S>, units: Vec<Unit>) -> Result<(), WpdsError> {
    let ready = (0..units.len() as u32).filter(|&u| units[u as usize].waits_for == 0).rev();
    let board = Mutex::new(Board {
        ready: ready.collect(),
        waits_for: units.iter().map(|unit| unit.waits_for).collect(),
        unfinished: units.len(),
        failure: None,
    });
    let changed = Condvar::new();
    std::thread::scope(|scope| {
        for _ in 0..fwpds.options.threads.min(units.len()) {
            scope.spawn(|| work(fwpds, &units, &board, &changed));
        }
    });
    let failure = lock(&board).failure.take();
    failure.map_or(Ok(()), Err)
}

fn work<S: Semiring>(
    fwpds: &Fwpds<'_, S>,
    units: &[Unit],
    board: &Mutex<Board>,
    changed: &Condvar,
) {
    let mut state = lock(board);
    loop {
        if state.unfinished == 0 || state.failure.is_some() {
            return;
        }
        let Some(u) = state.ready.pop() else {
            state = changed.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
            continue;
        };
        drop(state);
        let result = solve_unit(fwpds, &units[u as usize]);
        state = lock(board);
        state.unfinished -= 1;
        match result {
            Ok(()) => {
                for &next in &units[u as usize].before {
                    state.waits_for[next as usize] -= 1;
                    if state.waits_for[next as usize] == 0 {
                        state.ready.push(next);
                    }
                }
            }
            Err(error) => state.failure = Some(error),
        }
        changed.notify_all();
    }
}
