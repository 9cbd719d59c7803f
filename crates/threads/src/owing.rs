//! Joins that wait later.
//!
//! A thread that has joined another one only knows that it has ended, which stays true: what other
//! threads do between a join and the next step of the thread that joined could as well happen before
//! the join. (The join is a right mover in the sense of Lipton 1975.) So where all schedules are
//! executed, a join does not wait, but notes that it must: `awaited` of the thread that is joined gets a
//! bit. Before the thread does anything but count and join more threads, it waits until all of them
//! have ended. It is then the same state whichever of the awaited threads have ended already, which
//! is what makes symmetric threads interchangeable ([`crate::symmetric`]) while `main` waits for
//! them in order.
//!
//! Only joins whose result is not used are treated so, outside of sections. Where deadlocks are
//! looked for, joins wait where they stand, because it is told where threads wait; where data races
//! are looked for, too, because every stop is remembered there.

use gnomon_ir::cfa::{Call, Callee, Cfa, LocId, Op};
use gnomon_ir::expr::PlaceKind;
use gnomon_ir::program::{FuncId, source_name};

use crate::calls::Calling;
use crate::frames::{FrameId, Mode};
use crate::graph::{Action, Arrow, Mark, Resumption, Source};
use crate::instance::{Instance, source_of};
use crate::intrinsics::Intrinsic;
use crate::sequential::Rounds;

/// How many joins are put off at most.
const MOST: u8 = 60;

impl Instance<'_> {
    /// Whether joins wait later.
    pub(crate) fn joins_later(&self) -> bool {
        let reported = self.options.reported;
        let all_schedules =
            self.options.rounds == Rounds::Unbounded && self.point.is_none() && !self.options.kinds;
        all_schedules && !reported.deadlock && !reported.race
    }

    /// Whether a call is a join that waits later.
    pub(crate) fn owes_by(&mut self, call: &Call, frame: FrameId, mode: Mode) -> bool {
        if !self.joins_later() || mode.is_quiet() || mode.owes >= MOST || call.dst.is_some() {
            return false;
        }
        let (Callee::Direct(func), &[_, result]) = (call.callee, &call.args[..]) else {
            return false;
        };
        let read = Op::Call(call.clone());
        if !self.is_join(func) || !self.shared_accesses(&read).is_empty() {
            return false;
        }
        let result = self.expr(frame, result);
        self.program.as_truth(result) == Some(false)
    }

    /// Whether a function is a join of the models.
    fn is_join(&self, func: FuncId) -> bool {
        let name = source_name(&self.program.funcs[func].name);
        let Some(body) = self.facts.body(func) else { return false };
        matches!(name, "pthread_join" | "thrd_join")
            && body.edges().iter().any(|edge| match &edge.op {
                Op::Call(Call { callee: Callee::Direct(callee), .. }) => {
                    Intrinsic::of(self.program, *callee) == Some(Intrinsic::Ended)
                }
                _ => false,
            })
    }

    /// A join that waits later.
    pub(crate) fn owe(&mut self, calling: Calling<'_>, from: LocId) {
        let Calling { call, edge, frame, mode, source, .. } = calling;
        let thread = self.expr(frame, call.args[0]);
        let to = self.loc((frame, edge.to, Mode { owes: mode.owes + 1, ..mode }));
        let action = Action::Owe { thread };
        self.graph.arrows.push(Arrow { from, to, action, source: source.beside() });
    }

    /// Whether what a thread does behind a location is only counting and joining.
    pub(crate) fn may_owe_at(&mut self, body: &Cfa, frame: FrameId, loc: LocId) -> bool {
        let returns = self.frames[frame.0 as usize].returns;
        if loc == body.exit() {
            return returns.is_some_and(|returns| returns.dst.is_none());
        }
        let edges = body.out_edges(loc);
        if edges.iter().all(|&e| matches!(body.edge(e).op, Op::Assume(_))) {
            return self.is_decided(body, edges, frame);
        }
        let &[edge] = edges else { return false };
        let edge = body.edge(edge);
        match &edge.op {
            Op::Skip => edge.to != edge.from,
            Op::Declare(var) => self.facts.counters.contains(var),
            Op::Return(value) => {
                let result = self.frames[frame.0 as usize].result;
                returns.is_some() && (value.is_none() || result.is_none())
            }
            Op::Assign { dst, src } => match self.program.exprs.place(*dst).kind {
                PlaceKind::Var(var) if self.facts.counters.contains(&var) => {
                    let value = self.expr(frame, *src);
                    self.program.as_int(value).is_some()
                }
                _ => false,
            },
            Op::Call(call) => {
                let known = self.known;
                let (section, depth, alone, fresh, owes) = (None, 0, false, false, 0);
                self.owes_by(call, frame, Mode { section, depth, alone, fresh, known, owes })
            }
            _ => false,
        }
    }

    /// The thread waits for all that it has joined, and goes on at the location.
    pub(crate) fn settle(&mut self, body: &Cfa, key: (FrameId, LocId, Mode), from: LocId) {
        let (frame, loc, mode) = key;
        let func = self.frames[frame.0 as usize].func;
        let source = match body.out_edges(loc).first() {
            Some(&id) => source_of(body.edge(id), func, id).beside(),
            None => {
                let (span, stmt) =
                    (self.program.funcs[func].span, gnomon_ir::program::Program::NO_STMT);
                Source { span, stmt, edge: None, mark: Mark::Nothing }
            }
        };
        let (point, on) = (self.graph.next_point(), self.graph.add_loc());
        let resumption = Resumption { point, at: on, section: false, span: source.span };
        self.graph.resumptions.push(resumption);
        self.may_stop(from, on, point, source);
        let to = self.loc((frame, loc, Mode { owes: 0, ..mode }));
        let mut at = self.graph.add_loc();
        self.graph.arrows.push(Arrow { from: on, to: at, action: Action::Settle, source });
        // Each join is a point that is passed here; the stop before this one stands for the first.
        let passes = Source { mark: Mark::Passes, ..source };
        for _ in 1..mode.owes {
            let always = self.always();
            at = self.graph.then(at, always, passes);
        }
        let always = self.always();
        self.graph.op(at, to, always, source);
    }
}
