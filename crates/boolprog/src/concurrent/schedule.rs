//! Counterexamples with threads: who runs which steps in which context.
//!
//! An analysis only says with which globals each context begins and ends ([`Passing`]). Between
//! these, each thread is a sequential program: [`find`] instruments it so that it changes contexts
//! exactly at these globals, and lets the sequential analysis find a shortest execution. The
//! executions of all threads, cut at their switches and put in the order of the contexts, are then
//! executed step by step on the system ([`replay`]), which is what makes them a counterexample.

use gnomon_budget::Budget;

use super::system::ThreadSystem;
use crate::check::{CheckError, CheckOptions, Verdict, check};
use crate::interpret::{
    Executed, Frame, Guided, Machine, PartialValues, ReplayError, Run, RunEnd, waiting_results,
};
use crate::model::{
    Action, Edge, EdgeId, ExprArena, ExprId, Model, PointId, PointKind, ProcId, Step, TRUE, VarId,
};
use crate::slice::renumbered;

/// Values of all globals.
pub type GlobalState = Vec<bool>;

/// The globals at the switches of an execution that reaches a target.
#[derive(Clone, Debug)]
pub struct Passing {
    /// The thread that reaches it.
    pub thread: usize,
    /// In this context, from zero.
    pub context: usize,
    /// By thread, by context: the globals when the context begins. The entry behind the last thread
    /// holds the globals at the end of the round. Contexts behind the target are left out.
    pub starts: Vec<Vec<GlobalState>>,
}

/// The steps of one context.
#[derive(Clone, Debug)]
pub struct PlannedContext {
    /// The thread; `None` is the prologue.
    pub thread: Option<usize>,
    /// The number of the context, from zero.
    pub context: usize,
    /// The edges with wishes for the state after each.
    pub steps: Vec<(EdgeId, PartialValues)>,
}

/// A schedule to be executed.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Wishes for the first globals.
    pub start: PartialValues,
    /// By thread (the prologue last): wishes for its first locals.
    pub locals: Vec<PartialValues>,
    /// The contexts in order.
    pub contexts: Vec<PlannedContext>,
}

/// One executed context.
#[derive(Clone, Debug)]
pub struct ContextRun {
    /// The thread; `None` is the prologue.
    pub thread: Option<usize>,
    /// The number of the context, from zero.
    pub context: usize,
    /// What happened.
    pub run: Run,
}

/// An executed counterexample.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The contexts in which something happened.
    pub contexts: Vec<ContextRun>,
    /// The thread that reached the target; `None` is the prologue.
    pub thread: Option<usize>,
    /// The target.
    pub target: PointId,
}

impl Schedule {
    /// How often the thread changes.
    pub fn switches(&self) -> usize {
        self.contexts
            .windows(2)
            .filter(|w| w[0].thread.is_some() && w[0].thread != w[1].thread)
            .count()
    }
}

/// Why there is no schedule: a bug of ours, or no room to find it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ScheduleError {
    /// A thread cannot do what the analysis says.
    #[error("internal error: thread {thread} cannot do in its contexts what the analysis says")]
    Impossible {
        /// The thread, from one; zero is the prologue.
        thread: usize,
    },
    /// The schedule does not execute.
    #[error("internal error: context {context} of the schedule does not execute: {reason}")]
    Replay {
        /// Which, from zero.
        context: usize,
        /// Why.
        reason: ReplayError,
    },
    /// A thread is switched where it must not be.
    #[error("internal error: context {context} of the schedule ends where no switch is possible")]
    Switch {
        /// Which, from zero.
        context: usize,
    },
    /// The target is not reached.
    #[error("internal error: the schedule does not reach its target")]
    Misses,
    /// The search for the steps of a thread is inconsistent.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// Not enough time or room.
    #[error("{0}")]
    Exhausted(String),
}

/// What one thread has to do.
struct Script {
    root: ProcId,
    /// The globals at the starts of its contexts.
    starts: Vec<GlobalState>,
    /// The globals at their ends; one fewer than the starts if the thread reaches the target.
    ends: Vec<GlobalState>,
}

/// The steps of all threads for a passing of globals, executed.
pub fn find(
    system: &ThreadSystem,
    passing: &Passing,
    targets: &[PointId],
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Schedule, ScheduleError> {
    let mut plan =
        Plan { locals: vec![PartialValues::new(); system.threads.len() + 1], ..Plan::default() };
    let mut by_thread = Vec::new();
    for (i, thread) in system.threads.iter().enumerate() {
        let starts = passing.starts[i].clone();
        let complete = match i.cmp(&passing.thread) {
            std::cmp::Ordering::Less => passing.context + 1,
            _ => passing.context,
        };
        let ends = passing.starts[i + 1][..complete].to_vec();
        let count = if i == passing.thread { complete + 1 } else { complete };
        let script = Script { root: thread.root, starts: starts[..count].to_vec(), ends };
        let (locals, contexts) = if count == 0 {
            Default::default()
        } else {
            perform(system, &script, targets, options, budget, i + 1)?
        };
        plan.locals[i] = locals;
        by_thread.push(contexts);
    }
    let first = &passing.starts[0][0];
    if let Some(root) = system.prologue {
        let any = Script { root, starts: Vec::new(), ends: vec![first.clone()] };
        let (locals, mut contexts) = perform(system, &any, &[], options, budget, 0)?;
        plan.start = locals.clone();
        plan.locals[system.threads.len()] = locals;
        let steps = contexts.pop().unwrap_or_default();
        plan.contexts.push(PlannedContext { thread: None, context: 0, steps });
    } else {
        plan.start = system.globals().into_iter().zip(first.iter().copied()).collect();
    }
    for context in 0..=passing.context {
        for (i, contexts) in by_thread.iter_mut().enumerate() {
            if let Some(steps) = contexts.get_mut(context) {
                let steps = std::mem::take(steps);
                plan.contexts.push(PlannedContext { thread: Some(i), context, steps });
            }
        }
    }
    replay(system, &plan, targets)
}

/// An execution of the prologue alone that reaches a target.
pub fn find_in_prologue(
    system: &ThreadSystem,
    targets: &[PointId],
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Schedule, ScheduleError> {
    let Some(root) = system.prologue else {
        return Err(ScheduleError::Impossible { thread: 0 });
    };
    let script = Script { root, starts: Vec::new(), ends: Vec::new() };
    let (locals, mut contexts) = perform(system, &script, targets, options, budget, 0)?;
    let mut plan = Plan {
        start: locals.clone(),
        locals: vec![PartialValues::new(); system.threads.len() + 1],
        contexts: Vec::new(),
    };
    plan.locals[system.threads.len()] = locals;
    let steps = contexts.pop().unwrap_or_default();
    plan.contexts.push(PlannedContext { thread: None, context: 0, steps });
    replay(system, &plan, targets)
}

type ThreadPlan = (PartialValues, Vec<Vec<(EdgeId, PartialValues)>>);

/// A shortest execution of one thread that follows its script: its first values, and its steps by
/// context.
fn perform(
    system: &ThreadSystem,
    script: &Script,
    targets: &[PointId],
    options: &CheckOptions,
    budget: &Budget,
    number: usize,
) -> Result<ThreadPlan, ScheduleError> {
    let instrumented = Instrumented::new(system, script, targets);
    let outcome = check(&instrumented.model, &instrumented.targets, options, budget)?;
    let run = match outcome.verdict {
        Verdict::True => return Err(ScheduleError::Impossible { thread: number }),
        Verdict::Unknown(reason) => return Err(ScheduleError::Exhausted(reason)),
        Verdict::False(counterexample) => counterexample.run,
    };
    let wishes = |machine: &Machine| -> PartialValues {
        let Some(point) = machine.point() else { return PartialValues::new() };
        let scope = instrumented.model.scope(instrumented.model.point(point).procedure);
        scope
            .into_iter()
            .filter_map(|v| {
                Some((instrumented.original(v)?, machine.value(&instrumented.model, v)))
            })
            .collect()
    };
    let mut contexts = vec![Vec::new()];
    for executed in &run.steps {
        if executed.edge.0 < instrumented.original_edges {
            let step = (executed.edge, wishes(&executed.after));
            if let Some(last) = contexts.last_mut() {
                last.push(step);
            }
        } else if instrumented.switches.contains(&executed.edge) {
            contexts.push(Vec::new());
        }
    }
    contexts.truncate(script.starts.len().max(1));
    Ok((wishes(&run.start), contexts))
}

/// A thread as a sequential program that follows its script.
struct Instrumented {
    model: Model,
    targets: Vec<PointId>,
    switches: Vec<EdgeId>,
    original_edges: u32,
    original_globals: u32,
    added: u32,
}

impl Instrumented {
    fn new(system: &ThreadSystem, script: &Script, targets: &[PointId]) -> Self {
        let original_globals = system.model.globals;
        let added = usize::BITS - script.ends.len().leading_zeros();
        let mut model = system.model.clone();
        for _ in 0..added {
            let fresh = VarId(model.globals);
            let shift = |v: VarId| if v.0 < fresh.0 { v } else { VarId(v.0 + 1) };
            model = renumbered(&model, shift, fresh);
        }
        model.main = script.root;
        if let Some(first) = script.starts.first() {
            model.initial = system.globals().into_iter().zip(first.iter().copied()).collect();
        }
        let counter: Vec<VarId> = (0..added).map(|i| VarId(original_globals + i)).collect();
        model.initial.extend(counter.iter().map(|&v| (v, false)));
        let original_edges = model.edges.len() as u32;
        let points: Vec<PointId> = system.model.point_ids().collect();
        let mut edges: Vec<(PointId, PointId, Step, bool)> = Vec::new();
        let mut done = Vec::new();
        for point in points {
            let switchable = match system.prologue {
                // The prologue has no contexts: only its end counts.
                Some(root) if root == script.root => {
                    system.model.point(point).kind == PointKind::End
                        && system.model.point(point).procedure == root
                        && system.model.outgoing(point).next().is_none()
                }
                _ => system.is_switchable(point),
            };
            if !switchable || script.ends.is_empty() {
                continue;
            }
            let hook = model.add_point_in_front(point);
            edges.push((hook, point, Step::skip(), false));
            for (context, end) in script.ends.iter().enumerate() {
                let exprs = &mut model.exprs;
                let at = number_is(exprs, &counter, context);
                let here = state_is(exprs, end);
                let guard = exprs.and(at, here);
                let mut assignments = Vec::new();
                for (i, &bit) in counter.iter().enumerate() {
                    assignments.push((bit, exprs.constant((context + 1) >> i & 1 == 1)));
                }
                if let Some(next) = script.starts.get(context + 1) {
                    for (i, &value) in next.iter().enumerate() {
                        assignments.push((VarId(i as u32), exprs.constant(value)));
                    }
                    let step = Step { guard, ..Step::assign(assignments) };
                    edges.push((hook, hook, step, true));
                } else {
                    let end = model.add_point_like(point);
                    done.push(end);
                    edges.push((hook, end, Step { guard, ..Step::assign(assignments) }, true));
                }
            }
        }
        let reaches_target = script.ends.len() < script.starts.len().max(1);
        edges.sort_by_key(|e| e.0);
        let first = model.edges.len() as u32;
        let switches = edges
            .iter()
            .enumerate()
            .filter(|(_, e)| e.3)
            .map(|(i, _)| EdgeId(first + i as u32))
            .collect();
        model.append_edges(
            edges
                .into_iter()
                .map(|(from, to, step, _)| Edge { from, to, action: Action::Step(step) })
                .collect(),
        );
        Self {
            model,
            targets: if reaches_target { targets.to_vec() } else { done },
            switches,
            original_edges,
            original_globals,
            added,
        }
    }

    /// The variable of the system, unless it is part of the counter.
    fn original(&self, variable: VarId) -> Option<VarId> {
        if variable.0 < self.original_globals {
            return Some(variable);
        }
        variable.0.checked_sub(self.added).filter(|&v| v >= self.original_globals).map(VarId)
    }
}

fn number_is(exprs: &mut ExprArena, bits: &[VarId], number: usize) -> ExprId {
    let mut all = TRUE;
    for (i, &bit) in bits.iter().enumerate() {
        let variable = exprs.var(bit);
        let literal = if number >> i & 1 == 1 { variable } else { exprs.not(variable) };
        all = exprs.and(all, literal);
    }
    all
}

fn state_is(exprs: &mut ExprArena, state: &GlobalState) -> ExprId {
    let mut all = TRUE;
    for (i, &value) in state.iter().enumerate() {
        let variable = exprs.var(VarId(i as u32));
        let literal = if value { variable } else { exprs.not(variable) };
        all = exprs.and(all, literal);
    }
    all
}

/// Executes a schedule up to its target. Success means that the system really has this execution.
pub fn replay(
    system: &ThreadSystem,
    plan: &Plan,
    targets: &[PointId],
) -> Result<Schedule, ScheduleError> {
    let model = &system.model;
    let mut chooser = Guided { wishes: &plan.start, results: Vec::new() };
    let mut globals = Machine::first_globals(model, &mut chooser);
    let mut stacks: Vec<Vec<Frame>> = Vec::new();
    let roots = system.threads.iter().map(|t| Some(t.root)).chain([system.prologue]);
    for (root, wishes) in roots.zip(&plan.locals) {
        let mut chooser = Guided { wishes, results: Vec::new() };
        stacks.push(root.map(|r| vec![Frame::first(model, r, &mut chooser)]).unwrap_or_default());
    }
    let mut contexts = Vec::new();
    for (number, planned) in plan.contexts.iter().enumerate() {
        let stack = planned.thread.unwrap_or(system.threads.len());
        let mut machine = Machine { globals, frames: std::mem::take(&mut stacks[stack]) };
        let start = machine.clone();
        let mut steps = Vec::new();
        let mut hit = machine.point().filter(|p| targets.contains(p));
        for (step, (edge, wishes)) in planned.steps.iter().enumerate() {
            if hit.is_some() {
                break;
            }
            let results = waiting_results(model, &machine);
            let mut chooser = Guided { wishes, results };
            machine.execute(model, *edge, &mut chooser).map_err(|reason| {
                let reason = ReplayError { step, reason };
                ScheduleError::Replay { context: number, reason }
            })?;
            steps.push(Executed { edge: *edge, after: machine.clone() });
            hit = machine.point().filter(|p| targets.contains(p));
        }
        let end = match hit {
            Some(point) if model.point(point).kind == PointKind::AssertionFailure => {
                RunEnd::Violation(point)
            }
            Some(point) => RunEnd::Target(point),
            None => RunEnd::StepLimit,
        };
        if hit.is_some() || !steps.is_empty() {
            let run = Run { start, steps, end };
            contexts.push(ContextRun { thread: planned.thread, context: planned.context, run });
        }
        if let Some(target) = hit {
            return Ok(Schedule { contexts, thread: planned.thread, target });
        }
        let ended = |p: PointId| {
            model.point(p).kind == PointKind::End && model.outgoing(p).next().is_none()
        };
        let may_switch = match (planned.thread, machine.point()) {
            (Some(_), Some(p)) => {
                let inside = system.atomic.is_some_and(|flag| machine.globals[flag.index()]);
                system.is_switchable(p) && !inside
            }
            (None, Some(p)) => ended(p),
            (_, None) => false,
        };
        if !may_switch {
            return Err(ScheduleError::Switch { context: number });
        }
        globals = machine.globals;
        stacks[stack] = machine.frames;
    }
    Err(ScheduleError::Misses)
}
