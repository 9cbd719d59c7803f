//! When a result holds for every number of contexts.
//!
//! Three reasons are recognised.
//!
//! 1. *Nothing moves any more*: if in context `k + 1` no thread can take a step from any state it
//!    has after `k` contexts, then every longer execution only does nothing
//!    ([`Round::Still`](super::lazy::Round)).
//! 2. *Closure under interference*, computed here. For each thread `i` let `Nᵢ` be a relation on the
//!    globals that holds all changes its steps can make, and let thread `i` be analysed by itself,
//!    except that wherever it can be switched the globals may change by any sequence of changes in
//!    `Nⱼ` of the other threads. If the analysis finds no change of thread `i` outside `Nᵢ`, for all
//!    `i`, then by induction on the length every execution, however often it switches, is covered:
//!    the steps of a thread between its switches are followed exactly, and what happens while it
//!    waits is a sequence of steps of others, each in its `Nⱼ`. If no target is reached then, none is
//!    reachable. The relations are the least fixed point, starting from nothing.
//!
//! 3. *Enumeration*: the system is so small that all its states can be listed
//!    ([`reaches_at_all`](super::explicit::reaches_at_all)).
//!
//! That the reachable globals of `K` and `K + 1` contexts coincide would not be enough: a thread
//! may need several contexts to come to where its next change is possible. The second
//! argument forgets the locals of the other threads, so it may fail where the program is correct;
//! then the answer stays open.
//!
//! A thread that the program may run any number of times interferes with itself, and what belongs
//! to single copies of it (its start flag and arguments) is arbitrary at every switch, so the
//! argument covers any number of copies.

use gnomon_bdd::{Bdd, BddError, Renaming, VarSet};
use gnomon_budget::Budget;

use super::contexts::ThreadContexts;
use super::copies::pairs;
use super::vocabulary::ContextEncoding;
use crate::model::PointId;

/// What became of an attempt to show that no target is reachable in any number of contexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// It is shown.
    Shown,
    /// This argument cannot show it, however much room it gets.
    NotShown,
    /// It needs more room.
    GaveUp,
}

/// Tries to show that no target is reachable in any number of contexts, with up to about `most_nodes`
/// nodes. `first` are the globals when the threads start, over the start of the first context.
pub fn attempt(
    encoding: &ContextEncoding<'_>,
    first: &Bdd,
    targets: &[PointId],
    most_nodes: usize,
    budget: &Budget,
) -> Result<Attempt, BddError> {
    let threads = &encoding.system.threads;
    let algebra = Algebra::new(encoding)?;
    let mut changes = vec![encoding.space().bottom(); threads.len()];
    loop {
        let mut grown = false;
        for (i, thread) in threads.iter().enumerate() {
            let mut others = encoding.space().bottom();
            for (j, relation) in changes.iter().enumerate() {
                if j != i || thread.replicated {
                    others = others.or(relation)?;
                }
            }
            let interference = algebra.any_sequence(&others, budget)?;
            let space = encoding.space();
            if space.nodes_in_table() > most_nodes {
                space.collect_garbage();
                if space.nodes_in_table() > most_nodes {
                    return Ok(Attempt::GaveUp);
                }
            }
            let mut run = ThreadContexts::new(encoding, thread.root);
            let start = algebra.loosen_start(first)?;
            if run.run_with_interference(&start, &interference, targets, budget)? {
                return Ok(Attempt::NotShown);
            }
            let all = changes[i].or(&run.changes()?)?;
            grown |= all != changes[i];
            changes[i] = all;
        }
        if !grown {
            return Ok(Attempt::Shown);
        }
    }
}

/// Relations between the globals *now* and *next*.
struct Algebra<'e, 's> {
    encoding: &'e ContextEncoding<'s>,
    next_to_entry: Renaming,
    now_to_entry: Renaming,
    entry: VarSet,
    identity: Bdd,
    /// What belongs to single copies of threads, *next*.
    own_next: VarSet,
    /// The same at the start of the first context.
    own_start: VarSet,
}

impl<'e, 's> Algebra<'e, 's> {
    fn new(encoding: &'e ContextEncoding<'s>) -> Result<Self, BddError> {
        let (system, copies, space) = (encoding.system, encoding.copies(), encoding.space());
        let (now, next) = (copies.end(0), copies.third(0));
        let entry = copies.entered(0, &system.model);
        let own = &system.of_single_copies;
        let own_next: Vec<_> = own.iter().map(|&g| next[g.index()]).collect();
        let own_start: Vec<_> = own.iter().map(|&g| copies.start(0)[g.index()]).collect();
        Ok(Self {
            encoding,
            next_to_entry: space.renaming(&pairs(next, &entry))?,
            now_to_entry: space.renaming(&pairs(now, &entry))?,
            entry: space.variable_set(&entry)?,
            identity: copies.equal(&pairs(now, next))?,
            own_next: space.variable_set(&own_next)?,
            own_start: space.variable_set(&own_start)?,
        })
    }

    fn loosen_start(&self, first: &Bdd) -> Result<Bdd, BddError> {
        first.exists(&self.own_start)
    }

    fn compose(&self, first: &Bdd, second: &Bdd) -> Result<Bdd, BddError> {
        let first = first.rename(&self.next_to_entry)?;
        first.and_exists(&second.rename(&self.now_to_entry)?, &self.entry)
    }

    /// No change or any sequence of changes, between states in which threads can be switched.
    fn any_sequence(&self, changes: &Bdd, budget: &Budget) -> Result<Bdd, BddError> {
        let loosened = changes.or(&self.identity)?.exists(&self.own_next)?;
        let mut all = loosened;
        loop {
            budget.check()?;
            let more = all.or(&self.compose(&all, &all)?)?;
            if more == all {
                break;
            }
            all = more;
        }
        self.encoding.between_switches(&all)
    }
}
