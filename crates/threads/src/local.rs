//! Steps that are nobody else's business.
//!
//! A step that touches nothing but variables of its thread which nobody points to, makes threads or
//! ends its own commutes with whatever the others do, can always be done, and stays possible until it
//! is done. Where a thread stands before such a step, executing it first is enough (a persistent set
//! of one thread; Godefroid 1996, chapter 4); [`crate::schedules`] says what else that needs.
//!
//! A thread that is made has not run before, and nobody waits for its end by more than asking
//! whether it has ended, so making and ending threads commutes with what others do, too. The end of
//! the program does not.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{EdgeId, LocId, Op};
use gnomon_ir::expr::{BinaryOp, ExprKind};
use gnomon_ir::program::{Program, Storage, VarId};

use crate::graph::{AT_START, ENDED, Mark};
use crate::live::{Flow, live};
use crate::operands::{Access, for_each_place};
use crate::sequential::ThreadInfo;
use crate::sites::{ThreadId, Threads};

/// The values of a thread's counter where its next step is local.
pub fn alone(
    program: &Program,
    threads: &Threads,
    id: ThreadId,
    info: &ThreadInfo,
    locals: &[VarId],
) -> BTreeSet<i128> {
    let Some(body) = &program.funcs[info.func].body else { return BTreeSet::new() };
    let ghosts = threads.threads[id].ghosts;
    let mut own: BTreeSet<VarId> = locals.iter().copied().collect();
    own.extend([ghosts.counter, ghosts.result, ghosts.argument, ghosts.start, ghosts.awaited]);
    own.retain(|&var| !program.vars[var].address_taken);
    let all = || threads.threads.iter().map(|thread| thread.ghosts);
    let made: BTreeSet<VarId> =
        all().flat_map(|ghosts| [ghosts.counter, ghosts.argument, ghosts.start]).collect();
    let joined: BTreeSet<VarId> =
        all().flat_map(|ghosts| [ghosts.counter, ghosts.awaited]).collect();
    let is_local = |id: EdgeId| {
        let (op, mark) = (&body.edge(id).op, info.marks[id.index()]);
        let plain = matches!(
            op,
            Op::Skip | Op::Declare(_) | Op::Assume(_) | Op::Assign { .. } | Op::Havoc(_)
        );
        // Where a thread asks whether all that it waits for have ended, it may have to wait.
        if !plain || mark == Mark::Settles {
            return false;
        }
        let mut local = true;
        for_each_place(program, op, &mut |place, _| {
            let root = program.exprs.root_var(place);
            local &= root.is_some_and(|var| {
                own.contains(&var)
                    || mark == Mark::Makes && made.contains(&var)
                    || mark == Mark::Owes && joined.contains(&var)
            });
        });
        local
    };
    // Where a thread may stop, it does.
    let goes_on = |id: EdgeId| {
        let mut asks = false;
        for_each_place(program, &body.edge(id).op, &mut |place, access| {
            let stops = program.exprs.root_var(place) == Some(info.stops);
            asks |= stops && access == Access::Read && info.marks[id.index()] == Mark::Passes;
        });
        asks
    };
    let all_local = |from: LocId| {
        let mut seen = BTreeSet::from([from]);
        let mut work = vec![from];
        while let Some(at) = work.pop() {
            let mut edges =
                body.out_edges(at).iter().copied().filter(|&id| !goes_on(id)).peekable();
            if at != body.exit() && edges.peek().is_none() {
                return false;
            }
            for edge in edges {
                if !is_local(edge) {
                    return false;
                }
                let to = body.edge(edge).to;
                if seen.insert(to) {
                    work.push(to);
                }
            }
        }
        true
    };
    let begins = body.edges().iter().filter_map(|edge| {
        let value = counter_value(program, &edge.op, info.counter)?;
        (value != ENDED).then_some((value, edge.to))
    });
    begins.filter(|&(_, at)| all_local(at)).map(|(value, _)| value).collect()
}

/// By the value of the counter, the static variables of a thread whose values are not needed then.
pub fn dead(program: &Program, info: &ThreadInfo, locals: &[VarId]) -> BTreeMap<i128, Vec<VarId>> {
    let Some(body) = &program.funcs[info.func].body else { return BTreeMap::new() };
    let is_kept = |var: &VarId| {
        let var = &program.vars[*var];
        matches!(var.storage, Storage::Static { .. }) && !var.address_taken
    };
    let kept: Vec<VarId> = locals.iter().copied().filter(is_kept).collect();
    let flows: Vec<Flow<'_>> = body
        .edges()
        .iter()
        .map(|edge| Flow { from: edge.from, to: edge.to, op: &edge.op })
        .collect();
    let live = live(program, &flows, body.locs().count(), &kept);
    let mut dead = BTreeMap::from([(ENDED, kept.clone())]);
    for edge in body.edges().iter() {
        let value = counter_value(program, &edge.op, info.counter);
        // What a thread takes from its maker is there when it begins.
        if let Some(value) = value.filter(|&value| value != ENDED && value != AT_START) {
            let unread = kept.iter().copied().filter(|&var| !live.contains(edge.to, var));
            dead.insert(value, unread.collect());
        }
    }
    dead
}

/// The value that a condition compares a counter with.
pub(crate) fn counter_value(program: &Program, op: &Op, counter: VarId) -> Option<i128> {
    let Op::Assume(condition) = *op else { return None };
    let ExprKind::Binary(BinaryOp::Eq, a, b) = program.exprs.expr(condition).kind else {
        return None;
    };
    let ExprKind::Load(place) = program.exprs.expr(a).kind else { return None };
    (program.exprs.root_var(place) == Some(counter)).then(|| program.as_int(b)).flatten()
}
