//! Paths to the goal, the best first.
//!
//! A search over single configurations that always goes on with the one that can be completed best.
//! How well a configuration can be completed is known exactly, from the solution of the backward
//! analysis: so the search takes no wrong turn on its way to the first path, and goes back only as far
//! as it must for the next one. Who finds that a path cannot be executed, and how far it can, tells the
//! search ([`Paths::rule_out`]), which then leaves out all paths that begin like that.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use gnomon_budget::Budget;
use gnomon_wpds::{Fwpds, Label, Rhs, RuleId, Semiring, Solution, State, Symbol, WpdsError};

use crate::btrace::touched::{Marks, Touched, TouchedWeight};
use crate::btrace::{BtraceProblem, Origin};
use crate::supergraph::CONTROL;

/// A path from the entry of the program to the goal.
#[derive(Clone, Debug)]
pub struct Path {
    /// What happens, in order.
    pub steps: Vec<Origin>,
    /// The lines that it touches, as positions in the list that was given.
    pub touched: Vec<usize>,
    /// The location where it ends: a stack symbol.
    pub end: Symbol,
    taken: Option<Rc<Taken>>,
}

/// The stack below the top, with what it is worth from each state of the solution.
struct Below {
    symbol: Symbol,
    rest: Option<Rc<Below>>,
    /// For states from which `symbol` and the rest are read to the end.
    worth: Vec<(State, TouchedWeight)>,
}

/// The rules that were taken, the last first.
#[derive(Debug)]
struct Taken {
    rule: RuleId,
    before: Option<Rc<Taken>>,
    /// Nothing that begins like this is wanted.
    ruled_out: Cell<bool>,
}

/// The steps of a chain, the last first.
fn chain(end: Option<&Taken>) -> impl Iterator<Item = &Taken> {
    std::iter::successors(end, |taken| taken.before.as_deref())
}

struct Node {
    /// More touched, then shorter, is better; then the newest.
    rank: (u32, Reverse<u32>, u64),
    top: Symbol,
    below: Option<Rc<Below>>,
    taken: Option<Rc<Taken>>,
    marks: Marks,
    length: u32,
    /// Whether this is the end of a path.
    ends: bool,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Node {}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Node {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

/// The paths to a goal, the best first.
pub struct Paths<'a> {
    problem: &'a BtraceProblem,
    solution: &'a Fwpds<'a, Touched>,
    /// The rules by the symbol on top.
    rules: Vec<Vec<RuleId>>,
    queue: BinaryHeap<Node>,
    serial: u64,
}

impl<'a> Paths<'a> {
    /// Begins a search from a location of the entry function.
    pub fn new(
        problem: &'a BtraceProblem,
        solution: &'a Fwpds<'a, Touched>,
        entry: Symbol,
    ) -> Result<Self, WpdsError> {
        let mut rules = vec![Vec::new(); problem.graph().symbol_count()];
        for (id, rule) in problem.system().rules() {
            rules[rule.top.index()].push(id);
        }
        let queue = BinaryHeap::new();
        let mut paths = Self { problem, solution, rules, queue, serial: 0 };
        paths.add(entry, None, None, 0, 0)?;
        Ok(paths)
    }

    /// The next path; nothing if there is no other.
    pub fn next_path(&mut self, budget: &Budget) -> Result<Option<Path>, WpdsError> {
        while let Some(node) = self.queue.pop() {
            budget.check()?;
            if chain(node.taken.as_deref()).any(|t| t.ruled_out.get()) {
                continue;
            }
            if node.ends {
                return Ok(Some(self.path(&node)));
            }
            for rule in self.rules[node.top.index()].clone() {
                self.follow(&node, rule)?;
            }
        }
        Ok(None)
    }

    /// From now on, no path begins with the first `steps` steps of this one.
    pub fn rule_out(&self, path: &Path, steps: usize) {
        let behind = path.steps.len().saturating_sub(steps);
        if let Some(taken) = chain(path.taken.as_deref()).nth(behind) {
            taken.ruled_out.set(true);
        }
    }

    fn follow(&mut self, node: &Node, id: RuleId) -> Result<(), WpdsError> {
        let Some(rule) = self.problem.system().rule(id) else { return Ok(()) };
        let (before, ruled_out) = (node.taken.clone(), Cell::new(false));
        let taken = Some(Rc::new(Taken { rule: id, before, ruled_out }));
        let (marks, length) = rule.weight.best(0).unwrap_or((0, 0));
        let (marks, length) = (node.marks | marks, node.length.saturating_add(length));
        match rule.rhs {
            Rhs::Step(top) => self.add(top, node.below.clone(), taken, marks, length),
            Rhs::Push(top, symbol) => {
                let below = self.below(symbol, node.below.clone())?;
                self.add(top, Some(below), taken, marks, length)
            }
            Rhs::Pop => match &node.below {
                Some(below) => self.add(below.symbol, below.rest.clone(), taken, marks, length),
                None => Ok(()),
            },
        }
    }

    fn below(&self, symbol: Symbol, rest: Option<Rc<Below>>) -> Result<Rc<Below>, WpdsError> {
        let shape = self.solution.shape();
        let mut worth = Vec::new();
        for state in (0..shape.states().len() as u32).map(State) {
            let weight = self.worth(state, symbol, rest.as_deref())?;
            if !weight.pairs().is_empty() {
                worth.push((state, weight));
            }
        }
        Ok(Rc::new(Below { symbol, rest, worth }))
    }

    /// What reading a symbol from a state and then the rest is worth.
    fn worth(
        &self,
        state: State,
        symbol: Symbol,
        rest: Option<&Below>,
    ) -> Result<TouchedWeight, WpdsError> {
        let shape = self.solution.shape();
        let mut total = Touched.zero();
        for label in [Label::Symbol(symbol), Label::Any] {
            for &id in shape.labelled(state, label) {
                let to = shape.link(id).to;
                let behind = match rest {
                    None if shape.is_final(to) => Touched.one(),
                    None => continue,
                    Some(below) => match below.worth.iter().find(|(s, _)| *s == to) {
                        Some((_, weight)) => weight.clone(),
                        None => continue,
                    },
                };
                let whole = Touched.extend(&self.solution.weight(id)?, &behind)?;
                total = Touched.combine(&total, &whole)?;
            }
        }
        Ok(total)
    }

    fn add(
        &mut self,
        top: Symbol,
        below: Option<Rc<Below>>,
        taken: Option<Rc<Taken>>,
        marks: Marks,
        length: u32,
    ) -> Result<(), WpdsError> {
        let worth = self.worth(State::from(CONTROL), top, below.as_deref())?;
        if self.is_goal(top, below.as_deref()) {
            self.serial += 1;
            let rank = (marks.count_ones(), Reverse(length), self.serial);
            let (below, taken) = (below.clone(), taken.clone());
            self.queue.push(Node { rank, top, below, taken, marks, length, ends: true });
        }
        // A configuration of the goal can go on, too; then it needs at least one step.
        let Some((more, further)) = worth.best(marks) else { return Ok(()) };
        self.serial += 1;
        let rank =
            ((marks | more).count_ones(), Reverse(length.saturating_add(further)), self.serial);
        self.queue.push(Node { rank, top, below, taken, marks, length, ends: false });
        Ok(())
    }

    fn is_goal(&self, top: Symbol, mut below: Option<&Below>) -> bool {
        let mut stack = vec![top];
        while let Some(frame) = below {
            stack.push(frame.symbol);
            below = frame.rest.as_deref();
        }
        let configuration = gnomon_wpds::Configuration { control: CONTROL, stack };
        self.problem.goal().contains(&configuration)
    }

    fn path(&self, node: &Node) -> Path {
        let taken = chain(node.taken.as_deref());
        let mut steps: Vec<Origin> = taken.map(|t| self.problem.origin(t.rule)).collect();
        steps.reverse();
        let touched = (0..self.problem.seen().len()).filter(|i| node.marks >> i & 1 == 1);
        Path { steps, touched: touched.collect(), end: node.top, taken: node.taken.clone() }
    }
}
