//! In which order saturation takes transitions from its worklist.
//!
//! The default is a reverse post-order of the rules (callees before return sites): loops are repeated
//! before their exits are followed. It needs no notion of procedures and so suits every system.
//!
//! For systems that come from programs with many procedures, [`Order::CalleesFirst`] is better: in
//! plain reverse post-order callers are visited again whenever a callee is half finished, and the work
//! for each node grows with the program (BENCH.md, *Growth*). It is not the default because it pays
//! only where calls form layers; with few or mutually recursive procedures the two are the same.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::ids::{Symbol, TransitionId};
use crate::semiring::Semiring;
use crate::shape::Direction;
use crate::system::{Rhs, Wpds};

/// The order of a worklist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Smallest position in a reverse post-order of the rules first.
    #[default]
    ReversePostOrder,
    /// Procedures that others call first, each in reverse post-order: a callee is finished before its
    /// callers use it.
    CalleesFirst,
    /// First in, first out.
    Fifo,
    /// Last in, first out.
    Lifo,
    /// Smallest given priority first, by stack symbol.
    Priority(Vec<u32>),
}

/// The position of every symbol in a reverse post-order of the graph of the rules, along the
/// direction of the analysis.
pub fn reverse_post_order<S: Semiring>(system: &Wpds<S>, direction: Direction) -> Vec<u32> {
    let count = system.symbol_count() as usize;
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (_, rule) in system.rules() {
        let from = rule.top.0;
        let mut add = |to: Symbol| match direction {
            Direction::Forward => successors[from as usize].push(to.0),
            Direction::Backward => successors[to.index()].push(from),
        };
        match rule.rhs {
            Rhs::Pop => {}
            Rhs::Step(to) => add(to),
            // The return site is visited first, so that the callee comes earlier in the order.
            Rhs::Push(entry, back) => {
                add(back);
                add(entry);
            }
        }
    }
    let mut indegree = vec![0u32; count];
    for &to in successors.iter().flatten() {
        indegree[to as usize] += 1;
    }
    let roots = (0..count).filter(|&s| indegree[s] == 0);
    let order = post_order(&successors, roots.chain(0..count));
    let mut position = vec![0; count];
    for (place, symbol) in order.into_iter().rev().enumerate() {
        position[symbol as usize] = u32::try_from(place).unwrap_or(u32::MAX);
    }
    position
}

/// The position of every symbol when procedures come after the procedures they call, and the symbols
/// of one procedure in reverse post-order.
pub fn callees_first<S: Semiring>(system: &Wpds<S>, direction: Direction) -> Vec<u32> {
    let count = system.symbol_count() as usize;
    // A symbol belongs to the first entry from which steps and return sites lead to it.
    let mut inside_edges: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut entries = vec![true; count];
    let mut entered = vec![false; count];
    for (_, rule) in system.rules() {
        if let Rhs::Step(to) | Rhs::Push(_, to) = rule.rhs {
            inside_edges[rule.top.index()].push(to.0);
            entries[to.index()] = false;
        }
        if let Rhs::Push(entry, _) = rule.rhs {
            entered[entry.index()] = true;
        }
    }
    const NOBODY: u32 = u32::MAX;
    let mut owner = vec![NOBODY; count];
    let first = (0..count).filter(|&s| entries[s] || entered[s]);
    for entry in first.chain(0..count) {
        let mut stack = vec![entry as u32];
        while let Some(s) = stack.pop() {
            if owner[s as usize] == NOBODY {
                owner[s as usize] = entry as u32;
                stack.extend(&inside_edges[s as usize]);
            }
        }
    }
    let mut callees: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (_, rule) in system.rules() {
        if let Rhs::Push(entry, _) = rule.rhs {
            callees[owner[rule.top.index()] as usize].push(owner[entry.index()]);
        }
    }
    let mut rank = vec![0; count];
    for (place, procedure) in post_order(&callees, 0..count).into_iter().enumerate() {
        rank[procedure as usize] = place;
    }
    let inside = reverse_post_order(system, direction);
    let mut symbols: Vec<u32> = (0..count as u32).collect();
    symbols.sort_by_key(|&s| (rank[owner[s as usize] as usize], inside[s as usize]));
    let mut position = vec![0; count];
    for (place, symbol) in symbols.into_iter().enumerate() {
        position[symbol as usize] = u32::try_from(place).unwrap_or(u32::MAX);
    }
    position
}

/// Depth-first post-order from the roots, each vertex once.
pub(crate) fn post_order(successors: &[Vec<u32>], roots: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::with_capacity(successors.len());
    let mut stack: Vec<(u32, usize)> = Vec::new();
    for root in roots {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        stack.push((root as u32, 0));
        while let Some((vertex, next)) = stack.last_mut() {
            match successors[*vertex as usize].get(*next) {
                Some(&child) => {
                    *next += 1;
                    if !seen[child as usize] {
                        seen[child as usize] = true;
                        stack.push((child, 0));
                    }
                }
                None => {
                    order.push(*vertex);
                    stack.pop();
                }
            }
        }
    }
    order
}

/// A worklist of transitions; each is in it at most once.
#[derive(Debug)]
pub(crate) struct Worklist {
    store: Store,
    waiting: Vec<bool>,
}

#[derive(Debug)]
enum Store {
    Heap { heap: BinaryHeap<Reverse<(u32, TransitionId)>>, priority: Vec<u32> },
    Queue(VecDeque<TransitionId>),
    Stack(Vec<TransitionId>),
}

impl Worklist {
    pub(crate) fn new<S: Semiring>(system: &Wpds<S>, direction: Direction, order: &Order) -> Self {
        let heap = |priority| Store::Heap { heap: BinaryHeap::new(), priority };
        let store = match order {
            Order::ReversePostOrder => heap(reverse_post_order(system, direction)),
            Order::CalleesFirst => heap(callees_first(system, direction)),
            Order::Priority(priority) => heap(priority.clone()),
            Order::Fifo => Store::Queue(VecDeque::new()),
            Order::Lifo => Store::Stack(Vec::new()),
        };
        Self { store, waiting: Vec::new() }
    }

    /// Adds a transition; `symbol` is the one that decides its priority.
    pub(crate) fn push(&mut self, transition: TransitionId, symbol: Option<Symbol>) {
        if transition.index() >= self.waiting.len() {
            self.waiting.resize(transition.index() + 1, false);
        }
        if std::mem::replace(&mut self.waiting[transition.index()], true) {
            return;
        }
        match &mut self.store {
            Store::Heap { heap, priority } => {
                let place = symbol.and_then(|s| priority.get(s.index()).copied());
                heap.push(Reverse((place.unwrap_or(u32::MAX), transition)));
            }
            Store::Queue(queue) => queue.push_back(transition),
            Store::Stack(stack) => stack.push(transition),
        }
    }

    pub(crate) fn pop(&mut self) -> Option<TransitionId> {
        let next = match &mut self.store {
            Store::Heap { heap, .. } => heap.pop().map(|Reverse((_, transition))| transition),
            Store::Queue(queue) => queue.pop_front(),
            Store::Stack(stack) => stack.pop(),
        }?;
        self.waiting[next.index()] = false;
        Some(next)
    }
}
