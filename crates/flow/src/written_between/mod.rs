//! WrBt (PS 3.3, 4.1): what may be written on the paths from one location to another.
//!
//! PS computes two sets of edges for every location, those that reach it and those it reaches, and
//! says that gcc spent most of its time there. Here a question is answered for a pair of locations
//! when it is first asked, by a walk over the part of the automaton between them, and kept as a bit
//! set; slicing asks for a branch and the step location behind it, which are close together as a
//! rule.
//!
//! One departure makes slices smaller: a path ends when it comes to the later location for the first
//! time. PS counts paths that visit it several times, so that in a loop everything is between
//! everything. The invariant of PathSlice asks for some path to the step location on which nothing
//! live is written, and the path to the first visit is one.

pub(crate) mod bit_set;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Cfa, EdgeId, LocId, Op};
use gnomon_ir::program::{FuncId, Program};
use rustc_hash::FxHashMap;

use bit_set::BitSet;

/// The edges between two locations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Between {
    writing: BitSet,
    calls: BitSet,
    /// Whether they make a loop.
    pub has_loop: bool,
}

impl Between {
    /// Those whose operation may write something, in order.
    pub fn writing(&self) -> impl Iterator<Item = EdgeId> {
        self.writing.iter().map(EdgeId)
    }

    /// Those that call something, in order.
    pub fn calls(&self) -> impl Iterator<Item = EdgeId> {
        self.calls.iter().map(EdgeId)
    }
}

/// WrBt for all functions of a program.
pub struct WrittenBetween<'p> {
    program: &'p Program,
    functions: Vec<OnceCell<RefCell<Pairs>>>,
}

type Pairs = FxHashMap<(LocId, LocId), Rc<Between>>;

impl<'p> WrittenBetween<'p> {
    /// For a program.
    pub fn new(program: &'p Program) -> Self {
        Self { program, functions: program.funcs.iter().map(|_| OnceCell::new()).collect() }
    }

    /// The edges on paths from `from` to the first visit of `to`.
    pub fn between(&self, func: FuncId, from: LocId, to: LocId) -> Rc<Between> {
        let Some(cfa) = &self.program.funcs[func].body else { return Rc::default() };
        let pairs = self.functions[func.index()].get_or_init(RefCell::default);
        if let Some(known) = pairs.borrow().get(&(from, to)) {
            return known.clone();
        }
        let found = Rc::new(find(cfa, from, to));
        pairs.borrow_mut().insert((from, to), found.clone());
        found
    }

    /// How many pairs of locations were asked for.
    pub fn pairs(&self) -> usize {
        let known = self.functions.iter().filter_map(OnceCell::get);
        known.map(|pairs| pairs.borrow().len()).sum()
    }
}

fn find(cfa: &Cfa, from: LocId, to: LocId) -> Between {
    let mut between = Between::default();
    if from == to {
        return between;
    }
    let ahead = reached(cfa, from, to);
    let locs = reaching(cfa, to, &ahead);
    let inside = |loc: LocId| locs.contains(loc.0);
    let mut waiting: FxHashMap<LocId, u32> = FxHashMap::default();
    for loc in locs.iter().map(LocId) {
        for &id in cfa.out_edges(loc) {
            let edge = cfa.edge(id);
            if edge.to != to && !inside(edge.to) {
                continue;
            }
            match edge.op {
                Op::Skip | Op::Assume(_) | Op::Return(None) | Op::VaEnd(_) => {}
                Op::Call(_) => {
                    between.writing.insert(id.0);
                    between.calls.insert(id.0);
                }
                _ => {
                    between.writing.insert(id.0);
                }
            }
            if edge.to != to {
                *waiting.entry(edge.to).or_default() += 1;
            }
        }
    }
    between.has_loop = !all_in_order(cfa, &locs, to, waiting);
    between
}

/// The locations reached from `from` before `to` is visited; `to` is not among them.
fn reached(cfa: &Cfa, from: LocId, to: LocId) -> BitSet {
    let mut seen = BitSet::new();
    seen.insert(from.0);
    let mut work = vec![from];
    while let Some(loc) = work.pop() {
        for &edge in cfa.out_edges(loc) {
            let next = cfa.edge(edge).to;
            if next != to && seen.insert(next.0) {
                work.push(next);
            }
        }
    }
    seen
}

/// Those of `ahead` from which `to` is reached.
fn reaching(cfa: &Cfa, to: LocId, ahead: &BitSet) -> BitSet {
    let mut seen = BitSet::new();
    let mut work = vec![to];
    while let Some(loc) = work.pop() {
        for &edge in cfa.in_edges(loc) {
            let from = cfa.edge(edge).from;
            if ahead.contains(from.0) && seen.insert(from.0) {
                work.push(from);
            }
        }
    }
    seen
}

/// Whether the locations can be put in an order that all edges between them follow; `waiting` are
/// the numbers of edges that lead to each.
fn all_in_order(cfa: &Cfa, locs: &BitSet, to: LocId, mut waiting: FxHashMap<LocId, u32>) -> bool {
    let mut ready: Vec<LocId> =
        locs.iter().map(LocId).filter(|loc| !waiting.contains_key(loc)).collect();
    while let Some(loc) = ready.pop() {
        for &edge in cfa.out_edges(loc) {
            let next = cfa.edge(edge).to;
            if next == to {
                continue;
            }
            if let Some(count) = waiting.get_mut(&next) {
                *count -= 1;
                if *count == 0 {
                    waiting.remove(&next);
                    ready.push(next);
                }
            }
        }
    }
    waiting.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"gnomon-ir 1 lp64
file 0 "a.c"
global @x: i32 !0:1:1-1:2 = {
}
func $main: fn() -> i32 !0:2:5-2:9 = {
  locs 8
  L0 -> L2: @x = 1:i32 !0
  L2 -> L3: assume @x != 0:i32 !0
  L2 -> L4: assume @x == 0:i32 !0
  L3 -> L5: @x = 2:i32 !0
  L4 -> L5: @x = 3:i32 !0
  L5 -> L6: @x = 4:i32 !0
  L6 -> L2: assume @x > 0:i32 !0
  L6 -> L7: assume @x <= 0:i32 !0
  L7 -> L1: return @x !0
}
"#;

    fn edges(from: u32, to: u32) -> (Vec<u32>, bool) {
        let program = gnomon_ir::text::parse(TEXT).unwrap();
        let written = WrittenBetween::new(&program);
        let found = written.between(FuncId(0), LocId(from), LocId(to));
        (found.writing().map(|edge| edge.0).collect(), found.has_loop)
    }

    #[test]
    fn a_way_ends_at_the_first_visit() {
        assert_eq!(edges(2, 5), (vec![3, 4], false));
        assert_eq!(edges(3, 5), (vec![3], false));
        // Round the loop, but not past 3.
        assert_eq!(edges(5, 3), (vec![4, 5], true));
        assert_eq!(edges(2, 7), (vec![3, 4, 5], true));
        assert_eq!(edges(5, 5), (vec![], false));
        assert_eq!(edges(7, 2), (vec![], false));
    }
}
