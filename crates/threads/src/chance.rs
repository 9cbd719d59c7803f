//! Schedules by chance: errors that need many threads, long before all schedules could be executed.
//!
//! Each thread has a priority by chance, and of those that can move the highest one does, until it waits or has
//! ended; now and then one becomes the lowest (Burckhardt, Kothari, Musuvathi and Nagarakatte, *A Randomized Scheduler with
//! Probabilistic Guarantees of Finding Bugs*, ASPLOS 2010). The first thread puts off its end, which is that of all.
//! Inputs are constants of the program, and numbers beside them.

use std::collections::BTreeSet;
use std::rc::Rc;

use gnomon_ir::cfa::Op;
use gnomon_ir::expr::{ExprId, ExprKind};
use gnomon_ir::interp::{Called, Outcome, UbKind};
use gnomon_ir::program::Program;

use crate::graph::{ENDED, NOT_MADE};
use crate::intrinsics::reports::Kind;
use crate::schedules::{Answers, Node, Search, Step, Stop};
use crate::sequential::Sequential;

/// How long a schedule is at most.
const LONGEST: usize = 4_000;
/// Among how many steps a thread becomes the lowest.
const CHANGES: u64 = 64;

/// Numbers by chance, always the same ones (splitmix64).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }
}

/// Constants in the conditions of a program, and numbers beside them.
pub(crate) fn constants(sequential: &Sequential) -> Vec<u128> {
    let program = &sequential.program;
    let mut found = BTreeSet::from([0, 1]);
    for thread in &sequential.threads {
        let edges = program.funcs[thread.func].body.iter().flat_map(|body| body.edges().iter());
        // Conditions of the model are about threads.
        for (edge, _) in edges.zip(&thread.origins).filter(|(_, origin)| origin.is_some()) {
            if let Op::Assume(condition) = edge.op {
                numbers(program, condition, &mut found);
            }
        }
    }
    let beside = found.iter().flat_map(|&number| [number - 1, number, number + 1]);
    beside.collect::<BTreeSet<i128>>().into_iter().map(|number| number as u128).collect()
}

fn numbers(program: &Program, e: ExprId, found: &mut BTreeSet<i128>) {
    match program.exprs.expr(e).kind {
        ExprKind::Const(_) => {
            found.extend(program.as_int(e).filter(|number| number.abs() < 1 << 62));
        }
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => numbers(program, a, found),
        ExprKind::Binary(_, a, b) => {
            numbers(program, a, found);
            numbers(program, b, found);
        }
        _ => {}
    }
}

impl Search<'_> {
    /// Executes one schedule by chance.
    pub(crate) fn by_chance(&mut self, seed: u64) -> Result<(), Stop> {
        let Some(first) = self.stack.first() else { return Ok(()) };
        let (rest, real) = (first.rest.clone(), first.real.clone());
        let (others, next, threads, needs_others) = Default::default();
        let first = Node { rest, step: None, real, threads, others, needs_others, next };
        let before = std::mem::replace(&mut self.stack, vec![first]);
        let ended = self.walk(Chance(seed));
        if ended.is_ok() {
            self.stack = before;
        }
        ended
    }

    fn walk(&mut self, mut chance: Chance) -> Result<(), Stop> {
        let count = self.sequential.threads.len();
        let mut priorities: Vec<u64> =
            (0..count).map(|_| chance.below(1 << 40) as u64 + 1).collect();
        let changes = chance.below(3) > 0;
        let mut waits = vec![false; count];
        for _ in 0..LONGEST {
            self.budget.check()?;
            let Some(node) = self.stack.last() else { return Ok(()) };
            let counter =
                |thread: usize| self.number(&node.rest, self.sequential.threads[thread].counter);
            let goes = |thread: usize| match self.stack.len() {
                1 => thread == 0,
                _ => counter(thread).is_some_and(|at| at != NOT_MADE && at != ENDED),
            };
            let moving = (0..count).filter(|&thread| goes(thread) && !waits[thread]);
            let Some(thread) = moving.max_by_key(|&thread| priorities[thread]) else {
                // Only the end of the program is left.
                return match goes(0) {
                    true => self.advance(0, &mut chance).map(|_| ()),
                    false => Ok(()),
                };
            };
            if changes && chance.below(CHANGES as usize) == 0 {
                priorities[thread] = 0;
                continue;
            }
            let length = self.stack.len();
            if !self.advance(thread, &mut chance)? {
                return Ok(());
            }
            let [.., before, after] = &self.stack[..] else { return Ok(()) };
            let is_over = self.number(&after.rest, self.sequential.over) != Some(0);
            if is_over || before.rest.contents() == after.rest.contents() {
                self.stack.truncate(length);
                waits[thread] = true;
            } else {
                waits.fill(false);
            }
        }
        Ok(())
    }

    /// A thread goes on to its next stop, with answers by chance; whether it gets there.
    fn advance(&mut self, thread: usize, chance: &mut Chance) -> Result<bool, Stop> {
        let Some(node) = self.stack.last() else { return Ok(false) };
        let mut answers = Answers::new(self.sequential, Rc::clone(&self.inputs), Some(thread));
        answers.chance = Some(*chance);
        let real = node.real.clone();
        let func = self.sequential.threads[thread].func;
        let Called { ended, rest, noted, trace } = self.calls.call(&node.rest, func, &mut answers);
        *chance = answers.chance.unwrap_or(*chance);
        let step = Step { thread, real: thread, inputs: trace.inputs, stopped: answers.stopped };
        let invented = noted.iter().any(|found| found.kind == UbKind::UninitializedRead);
        match ended {
            None => {
                let (others, next, threads, needs_others) = Default::default();
                let step = Some(step);
                self.stack.push(Node { rest, step, real, threads, others, needs_others, next });
                Ok(true)
            }
            Some(Outcome::Error { function, .. })
                if !invented && !Kind::of(&function).is_some_and(|(kind, _)| is_bound(kind)) =>
            {
                Err(Stop::Error(self.inputs(Some(step), Vec::new())))
            }
            Some(Outcome::OutOfBudget(limit)) => Err(Stop::Limit(limit)),
            Some(_) => Ok(false),
        }
    }
}

/// Whether a report is about what is not looked at.
fn is_bound(kind: Kind) -> bool {
    matches!(kind, Kind::MoreContexts | Kind::TooManyThreads | Kind::TooDeep | Kind::NotModelled)
}
