//! Single paths out of a witness.
//!
//! The search is A* over partly expanded witnesses: what was decided so far has a value, what is
//! still open has a weight and a least length. A choice that can only end in weight zero is never
//! followed, so every state of the search can be completed; the first complete one is a shortest
//! path. After a number of expansions the search keeps only its best state, and the path that it
//! gives is a path but perhaps not the shortest.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

use gnomon_budget::Budget;
use rustc_hash::FxHashMap;

use crate::error::WpdsError;
use crate::ids::RuleId;
use crate::semiring::{Semiring, star};
use crate::witness::{Witness, WitnessId, WitnessNode};

/// A rule sequence, and how many of its rules come before the node that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessPath {
    /// The rules in the order in which they fire.
    pub rules: Vec<RuleId>,
    /// For a path through a node of a projection: the number of rules before that node.
    pub mark: Option<usize>,
}

/// Rule sequences of a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessPaths {
    /// The sequences, shortest first.
    pub paths: Vec<WitnessPath>,
    /// Whether these are all: then they justify the weight of the witness.
    pub complete: bool,
}

/// After this many expansions only the best state is kept.
const EXHAUSTIVE: usize = 20_000;

/// What is still to be done, the next first.
struct Pending<W> {
    item: Item<W>,
    next: Todo<W>,
    /// The weight of all items up to the next one that is not a plain extension.
    run: W,
    /// The next item that is not a plain extension, from here.
    boundary: Todo<W>,
    /// The least number of rules in all items.
    length: u64,
}

type Todo<W> = Option<Rc<Pending<W>>>;

enum Item<W> {
    Expand(WitnessId),
    /// Fire a push rule with a merge function, then the callee's part.
    Enter(RuleId, WitnessId),
    /// The callee has returned to the caller with this weight.
    Return(RuleId, W),
}

/// The rules that were emitted, the last first.
struct Emitted {
    rule: RuleId,
    before: Option<Rc<Emitted>>,
}

struct SearchState<W> {
    value: W,
    todo: Todo<W>,
    emitted: Option<Rc<Emitted>>,
    count: u64,
    mark: Option<u64>,
    serial: u64,
}

impl<W> SearchState<W> {
    fn estimate(&self) -> u64 {
        self.count.saturating_add(self.todo.as_ref().map_or(0, |todo| todo.length))
    }
}

impl<W> PartialEq for SearchState<W> {
    fn eq(&self, other: &Self) -> bool {
        self.serial == other.serial
    }
}

impl<W> Eq for SearchState<W> {}

impl<W> PartialOrd for SearchState<W> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<W> Ord for SearchState<W> {
    /// The greatest is the one to take next: shortest in total, then the furthest, then the newest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.estimate(), self.count, self.serial).cmp(&(
            self.estimate(),
            other.count,
            other.serial,
        ))
    }
}

impl<S: Semiring> Witness<'_, S> {
    /// A shortest rule sequence of the witness whose value is not zero; nothing if the weight is zero.
    pub fn shortest_path(&self, budget: &Budget) -> Result<Option<WitnessPath>, WpdsError> {
        self.shortest_path_to(budget, &|_| Ok(true))
    }

    /// A shortest rule sequence whose value is not zero and is wanted. `wanted` must hold for a
    /// combination exactly when it holds for one of its parts (such as "has a pair in common with").
    pub fn shortest_path_to(
        &self,
        budget: &Budget,
        wanted: &dyn Fn(&S::Weight) -> Result<bool, WpdsError>,
    ) -> Result<Option<WitnessPath>, WpdsError> {
        let Some(root) = self.root else { return Ok(None) };
        let mut search = Search {
            witness: self,
            weights: self.weights(root)?,
            lengths: self.lengths(root),
            extension: self.system.rule_without_path_extension().is_none(),
            wanted,
            queue: BinaryHeap::new(),
            serial: 0,
        };
        search.run(root, budget)
    }

    /// Up to about `limit` rule sequences of the witness; loops are unrolled until their weight stays
    /// the same.
    pub fn paths(&self, limit: usize) -> Result<WitnessPaths, WpdsError> {
        let mut complete = true;
        let Some(root) = self.root else {
            return Ok(WitnessPaths { paths: Vec::new(), complete });
        };
        let weights = self.weights(root)?;
        let mut lists: FxHashMap<WitnessId, Vec<Items>> = FxHashMap::default();
        for id in self.below(root) {
            let mut list = match self.dag.node(id) {
                WitnessNode::Given(_) => vec![Vec::new()],
                WitnessNode::Mark => vec![vec![None]],
                WitnessNode::Rule(rule) => vec![vec![Some(*rule)]],
                WitnessNode::Seq(a, b) => products(&lists[a], &[], &lists[b], limit),
                WitnessNode::Alt(a, b) => [&lists[a][..], &lists[b][..]].concat(),
                WitnessNode::Star(a) => self.unroll(&lists[a], &weights[a], limit)?,
                WitnessNode::Call(rule, a) => {
                    products(&[Vec::new()], &[Some(*rule)], &lists[a], limit)
                }
                WitnessNode::Merged(a, rule, b) => {
                    products(&lists[a], &[Some(*rule)], &lists[b], limit)
                }
            };
            list.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
            list.dedup();
            complete &= list.len() <= limit;
            list.truncate(limit);
            lists.insert(id, list);
        }
        let found = lists[&root].iter().map(|items| WitnessPath {
            mark: items.iter().position(Option::is_none),
            rules: items.iter().copied().flatten().collect(),
        });
        Ok(WitnessPaths { paths: found.collect(), complete })
    }

    /// The sequences of a loop, one more than `limit` if there are more.
    fn unroll(
        &self,
        body: &[Items],
        weight: &S::Weight,
        limit: usize,
    ) -> Result<Vec<Items>, WpdsError> {
        let domain = self.system.domain();
        let whole = star(domain, weight)?;
        let (mut sum, mut power) = (domain.one(), domain.one());
        let mut rounds = vec![Vec::new()];
        let mut all = rounds.clone();
        while !domain.equal(&sum, &whole) && all.len() <= limit {
            rounds = products(&rounds, &[], body, limit);
            all.extend(rounds.iter().cloned());
            power = domain.extend(&power, weight)?;
            sum = domain.combine(&sum, &power)?;
        }
        Ok(all)
    }

    /// The least number of rules of every node below a node.
    fn lengths(&self, root: WitnessId) -> FxHashMap<WitnessId, u64> {
        let mut lengths: FxHashMap<WitnessId, u64> = FxHashMap::default();
        for id in self.below(root) {
            let length = match self.dag.node(id) {
                WitnessNode::Given(_) | WitnessNode::Mark | WitnessNode::Star(_) => 0,
                WitnessNode::Rule(_) => 1,
                WitnessNode::Seq(a, b) => lengths[a].saturating_add(lengths[b]),
                WitnessNode::Alt(a, b) => lengths[a].min(lengths[b]),
                WitnessNode::Call(_, a) => lengths[a].saturating_add(1),
                WitnessNode::Merged(a, _, b) => {
                    lengths[a].saturating_add(lengths[b]).saturating_add(1)
                }
            };
            lengths.insert(id, length);
        }
        lengths
    }
}

/// A rule sequence in which the mark is a gap.
type Items = Vec<Option<RuleId>>;

/// All concatenations, one more than `limit` if there are more.
fn products(
    first: &[Items],
    middle: &[Option<RuleId>],
    second: &[Items],
    limit: usize,
) -> Vec<Items> {
    let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (a, b)));
    pairs.take(limit + 1).map(|(a, b)| [&a[..], middle, &b[..]].concat()).collect()
}

struct Search<'w, 'a, S: Semiring> {
    witness: &'w Witness<'a, S>,
    weights: FxHashMap<WitnessId, S::Weight>,
    lengths: FxHashMap<WitnessId, u64>,
    /// Whether calls can be folded into plain extensions.
    extension: bool,
    wanted: &'w dyn Fn(&S::Weight) -> Result<bool, WpdsError>,
    queue: BinaryHeap<SearchState<S::Weight>>,
    serial: u64,
}

impl<S: Semiring> Search<'_, '_, S> {
    fn run(&mut self, root: WitnessId, budget: &Budget) -> Result<Option<WitnessPath>, WpdsError> {
        let one = self.witness.system.domain().one();
        if !self.can_end(&self.weights[&root].clone(), &None)? {
            return Ok(None);
        }
        let todo = self.push(Item::Expand(root), None)?;
        self.add(SearchState { value: one, todo, emitted: None, count: 0, mark: None, serial: 0 });
        let mut expansions = 0;
        while let Some(state) = self.queue.pop() {
            budget.check()?;
            expansions += 1;
            if expansions > EXHAUSTIVE {
                self.queue.clear();
            }
            if let Some(found) = self.expand(state)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn add(&mut self, mut state: SearchState<S::Weight>) {
        self.serial += 1;
        state.serial = self.serial;
        self.queue.push(state);
    }

    fn push(
        &self,
        item: Item<S::Weight>,
        next: Todo<S::Weight>,
    ) -> Result<Todo<S::Weight>, WpdsError> {
        let system = self.witness.system;
        let domain = system.domain();
        let (weight, length) = match &item {
            Item::Expand(id) => (Some(self.weights[id].clone()), self.lengths[id]),
            Item::Enter(rule, callee) => {
                let folded = if self.extension {
                    Some(system.return_from(*rule, &domain.one(), &self.weights[callee])?)
                } else {
                    None
                };
                (folded, self.lengths[callee].saturating_add(1))
            }
            Item::Return(..) => (None, 0),
        };
        let length = length.saturating_add(next.as_ref().map_or(0, |n| n.length));
        let (run, boundary) = match (weight, &next) {
            (Some(weight), None) => (weight, None),
            (Some(weight), Some(n)) if is_boundary(n, self.extension) => (weight, next.clone()),
            (Some(weight), Some(n)) => (domain.extend(&weight, &n.run)?, n.boundary.clone()),
            (None, _) => (domain.one(), None),
        };
        Ok(Some(Rc::new(Pending { item, next, run, boundary, length })))
    }

    /// Whether a value can be completed by what is still to be done.
    fn can_end(&self, value: &S::Weight, todo: &Todo<S::Weight>) -> Result<bool, WpdsError> {
        let system = self.witness.system;
        let domain = system.domain();
        let mut value = value.clone();
        let mut at = todo.clone();
        while let Some(pending) = at {
            if domain.is_zero(&value) {
                return Ok(false);
            }
            at = match &pending.item {
                Item::Return(rule, caller) => {
                    value = system.return_from(*rule, caller, &value)?;
                    pending.next.clone()
                }
                Item::Enter(rule, callee) if !self.extension => {
                    value = system.return_from(*rule, &value, &self.weights[callee])?;
                    pending.next.clone()
                }
                _ => {
                    value = domain.extend(&value, &pending.run)?;
                    pending.boundary.clone()
                }
            };
        }
        Ok(!domain.is_zero(&value) && (self.wanted)(&value)?)
    }

    /// Goes on from a state until there is a choice; gives the path if there is nothing left.
    fn expand(
        &mut self,
        mut state: SearchState<S::Weight>,
    ) -> Result<Option<WitnessPath>, WpdsError> {
        let witness = self.witness;
        let domain = witness.system.domain();
        loop {
            let Some(pending) = state.todo.take() else {
                return Ok(Some(finish(&state)));
            };
            let rest = pending.next.clone();
            match &pending.item {
                Item::Return(rule, caller) => {
                    state.value = witness.system.return_from(*rule, caller, &state.value)?;
                    state.todo = rest;
                }
                Item::Enter(rule, callee) => {
                    self.emit(&mut state, *rule);
                    let caller = std::mem::replace(&mut state.value, domain.one());
                    let after = self.push(Item::Return(*rule, caller), rest)?;
                    state.todo = self.push(Item::Expand(*callee), after)?;
                }
                Item::Expand(id) => match witness.dag.node(*id) {
                    WitnessNode::Given(weight) => {
                        state.value = domain.extend(&state.value, weight)?;
                        state.todo = rest;
                    }
                    WitnessNode::Mark => {
                        state.mark = Some(state.count);
                        state.todo = rest;
                    }
                    WitnessNode::Rule(rule) => {
                        self.emit(&mut state, *rule);
                        state.value = witness.system.enter(*rule, &state.value)?;
                        state.todo = rest;
                    }
                    WitnessNode::Seq(a, b) => {
                        let after = self.push(Item::Expand(*b), rest)?;
                        state.todo = self.push(Item::Expand(*a), after)?;
                    }
                    WitnessNode::Call(rule, a) => {
                        state.todo = self.push(Item::Enter(*rule, *a), rest)?;
                    }
                    WitnessNode::Merged(a, rule, b) => {
                        let after = self.push(Item::Enter(*rule, *b), rest)?;
                        state.todo = self.push(Item::Expand(*a), after)?;
                    }
                    WitnessNode::Alt(a, b) => {
                        let options = [*a, *b].map(|child| vec![child]);
                        return self.branch(&state, &options, &rest).map(|()| None);
                    }
                    WitnessNode::Star(a) => {
                        let options = [Vec::new(), vec![*a, *id]];
                        return self.branch(&state, &options, &rest).map(|()| None);
                    }
                },
            }
        }
    }

    fn emit(&self, state: &mut SearchState<S::Weight>, rule: RuleId) {
        state.emitted = Some(Rc::new(Emitted { rule, before: state.emitted.take() }));
        state.count += 1;
    }

    /// Puts every option that can still end well into the queue.
    fn branch(
        &mut self,
        state: &SearchState<S::Weight>,
        options: &[Vec<WitnessId>; 2],
        rest: &Todo<S::Weight>,
    ) -> Result<(), WpdsError> {
        for option in options {
            let mut todo = rest.clone();
            for &id in option.iter().rev() {
                todo = self.push(Item::Expand(id), todo)?;
            }
            if self.can_end(&state.value, &todo)? {
                self.add(SearchState {
                    value: state.value.clone(),
                    todo,
                    emitted: state.emitted.clone(),
                    count: state.count,
                    mark: state.mark,
                    serial: 0,
                });
            }
        }
        Ok(())
    }
}

fn is_boundary<W>(pending: &Pending<W>, extension: bool) -> bool {
    match pending.item {
        Item::Return(..) => true,
        Item::Enter(..) => !extension,
        Item::Expand(_) => false,
    }
}

fn finish<W>(state: &SearchState<W>) -> WitnessPath {
    let mut rules = Vec::with_capacity(state.count as usize);
    let mut at = &state.emitted;
    while let Some(emitted) = at {
        rules.push(emitted.rule);
        at = &emitted.before;
    }
    rules.reverse();
    WitnessPath { rules, mark: state.mark.map(|m| m as usize) }
}
