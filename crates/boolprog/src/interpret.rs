//! The concrete interpreter: executes a [`Model`] one edge at a time.
//!
//! It is the judge of counterexamples: a trace found by the symbolic analyses is shown only after
//! [`replay`] went through it here, on the program before any slicing. It shares nothing with the
//! analyses but the model. Where a step leaves a choice (a `*`, an arbitrary local), a [`Chooser`]
//! decides: at random for `gnomon bp run`, guided by the symbolic trace for a replay.
//!
//! One thread at a time is executed; [`concurrent::schedule`](crate::concurrent::schedule) executes
//! several by turns.

use crate::model::{
    Action, EdgeId, ExprId, Model, PointId, PointKind, ProcId, Step, ThreadAction, ValueSet, VarId,
};
use crate::random::Random;

/// Values of the globals, and of the locals of one procedure by their place in
/// [`Procedure::locals`](crate::model::Procedure::locals).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Where it stands (for frames below the top: where it will go on).
    pub point: PointId,
    /// Values of the locals.
    pub locals: Vec<bool>,
    /// The call this frame waits for, if it is not the top.
    pub waiting: Option<EdgeId>,
}

impl Frame {
    /// A procedure at its entry; the chooser gives its locals their first values.
    pub fn first(model: &Model, procedure: ProcId, chooser: &mut dyn Chooser) -> Self {
        let procedure = model.procedure(procedure);
        let locals = procedure.locals.iter().map(|&v| chooser.choose(v)).collect();
        Self { point: procedure.entry, locals, waiting: None }
    }
}

/// The state of a running program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Machine {
    /// Values of the globals.
    pub globals: Vec<bool>,
    /// The stack, top last; empty when the program has ended.
    pub frames: Vec<Frame>,
}

/// Decides what the program leaves open.
pub trait Chooser {
    /// A value for `variable`, which can take either.
    fn choose(&mut self, variable: VarId) -> bool;
    /// A value for result number `index` of a call, which can take either.
    fn choose_result(&mut self, index: usize) -> bool;
}

/// Why an edge could not be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Blocked {
    /// The program does not stand in front of this edge.
    #[error("execution is not at this statement")]
    Elsewhere,
    /// The guard cannot hold.
    #[error("the condition does not hold")]
    Guard,
    /// No choice meets the constraint.
    #[error("no values meet the constraint")]
    Constraint,
    /// The edge is an operation on threads.
    #[error("operations on threads are not executed")]
    Threads,
}

/// How many combinations of choices are tried to meet a constraint.
const MAX_COMBINATIONS: u64 = 1 << 20;

impl Machine {
    /// The program at its start; the chooser gives globals and locals their first values.
    pub fn start(model: &Model, chooser: &mut dyn Chooser) -> Self {
        let globals = Self::first_globals(model, chooser);
        Self { globals, frames: vec![Frame::first(model, model.main, chooser)] }
    }

    /// First values of the globals; the chooser gives those that are not fixed.
    pub fn first_globals(model: &Model, chooser: &mut dyn Chooser) -> Vec<bool> {
        let mut globals: Vec<_> = model.global_ids().map(|v| chooser.choose(v)).collect();
        for &(variable, value) in &model.initial {
            globals[variable.index()] = value;
        }
        globals
    }

    fn push(&mut self, model: &Model, procedure: ProcId, locals: Vec<bool>) {
        let point = model.procedure(procedure).entry;
        self.frames.push(Frame { point, locals, waiting: None });
    }

    /// Where the program stands, or `None` if it has ended.
    pub fn point(&self) -> Option<PointId> {
        self.frames.last().map(|f| f.point)
    }

    /// The value of a variable in scope at the top of the stack.
    pub fn value(&self, model: &Model, variable: VarId) -> bool {
        if variable.0 < model.globals {
            return self.globals[variable.index()];
        }
        let place = local_place(model, variable);
        self.frames.last().is_some_and(|f| f.locals.get(place).copied().unwrap_or(false))
    }

    fn set(&mut self, model: &Model, variable: VarId, value: bool) {
        if variable.0 < model.globals {
            self.globals[variable.index()] = value;
        } else if let Some(frame) = self.frames.last_mut() {
            frame.locals[local_place(model, variable)] = value;
        }
    }

    fn evaluate(&self, model: &Model, e: ExprId) -> ValueSet {
        model.exprs.values(e, &|v| self.value(model, v), &|_| false)
    }

    fn pick(&self, model: &Model, e: ExprId, free: impl FnOnce() -> bool) -> bool {
        let values = self.evaluate(model, e);
        if values == ValueSet::ANY { free() } else { values.can_be_true }
    }

    /// Executes an edge, or says why not and leaves the state as it was.
    pub fn execute(
        &mut self,
        model: &Model,
        edge: EdgeId,
        chooser: &mut dyn Chooser,
    ) -> Result<(), Blocked> {
        let target = model.edge(edge);
        if self.point() != Some(target.from) {
            return Err(Blocked::Elsewhere);
        }
        match &target.action {
            Action::Step(step) => {
                self.step(model, step, chooser)?;
                self.go(target.to);
            }
            Action::Call { callee, arguments, .. } => {
                let procedure = model.procedure(*callee);
                let mut locals: Vec<_> =
                    procedure.locals.iter().map(|&v| chooser.choose(v)).collect();
                for (&parameter, &argument) in procedure.parameters.iter().zip(arguments) {
                    let value = self.pick(model, argument, || chooser.choose(parameter));
                    locals[local_place(model, parameter)] = value;
                }
                self.go(target.to);
                if let Some(frame) = self.frames.last_mut() {
                    frame.waiting = Some(edge);
                }
                self.push(model, *callee, locals);
            }
            Action::Return { values } => {
                let values: Vec<_> = values
                    .iter()
                    .enumerate()
                    .map(|(i, &e)| self.pick(model, e, || chooser.choose_result(i)))
                    .collect();
                self.frames.pop();
                self.receive(model, &values);
            }
            Action::Thread(ThreadAction::AtomicBegin | ThreadAction::AtomicEnd) => {
                self.go(target.to);
            }
            Action::Thread(_) => return Err(Blocked::Threads),
        }
        Ok(())
    }

    fn go(&mut self, point: PointId) {
        if let Some(frame) = self.frames.last_mut() {
            frame.point = point;
        }
    }

    fn receive(&mut self, model: &Model, values: &[bool]) {
        let Some(call) = self.frames.last_mut().and_then(|f| f.waiting.take()) else { return };
        if let Action::Call { results, .. } = &model.edge(call).action {
            for (target, &value) in results.iter().zip(values) {
                if let Some(variable) = *target {
                    self.set(model, variable, value);
                }
            }
        }
    }

    fn step(
        &mut self,
        model: &Model,
        step: &Step,
        chooser: &mut dyn Chooser,
    ) -> Result<(), Blocked> {
        if !self.evaluate(model, step.guard).can_be_true {
            return Err(Blocked::Guard);
        }
        let mut chosen = Vec::with_capacity(step.assignments.len());
        let mut free = Vec::new();
        for &(variable, e) in &step.assignments {
            let values = self.evaluate(model, e);
            if values == ValueSet::ANY {
                free.push(chosen.len());
                chosen.push((variable, chooser.choose(variable)));
            } else {
                chosen.push((variable, values.can_be_true));
            }
        }
        // The chooser's wish first, then everything that differs from it, nearest last bits first.
        let wish = chosen.clone();
        let limit = 1_u64.checked_shl(free.len() as u32).unwrap_or(u64::MAX).min(MAX_COMBINATIONS);
        for flips in 0..limit {
            for (bit, &place) in free.iter().enumerate() {
                chosen[place].1 = wish[place].1 ^ (bit < 64 && flips >> bit & 1 == 1);
            }
            if self.constraint_holds(model, step, &chosen) {
                for (variable, value) in chosen {
                    self.set(model, variable, value);
                }
                return Ok(());
            }
        }
        Err(Blocked::Constraint)
    }

    fn constraint_holds(&self, model: &Model, step: &Step, after: &[(VarId, bool)]) -> bool {
        if step.constraint == crate::model::TRUE {
            return true;
        }
        let pre = |v: VarId| self.value(model, v);
        let post = |v: VarId| {
            after.binary_search_by_key(&v, |a| a.0).map_or_else(|_| pre(v), |i| after[i].1)
        };
        model.exprs.values(step.constraint, &pre, &post).can_be_true
    }
}

/// The place of a local in its procedure's list.
pub fn local_place(model: &Model, variable: VarId) -> usize {
    let Some(owner) = model.variable(variable).owner else { return 0 };
    model.procedure(owner).locals.iter().position(|&v| v == variable).unwrap_or(0)
}

/// Chooses at random.
pub struct RandomChooser(pub Random);

impl Chooser for RandomChooser {
    fn choose(&mut self, _: VarId) -> bool {
        self.0.coin()
    }

    fn choose_result(&mut self, _: usize) -> bool {
        self.0.coin()
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// One of the targets was reached.
    Target(PointId),
    /// An assertion was violated.
    Violation(PointId),
    /// The first procedure returned.
    Finished,
    /// No edge could be taken.
    Stuck(PointId),
    /// The limit on the number of steps was reached.
    StepLimit,
}

/// One executed edge and the state after it.
#[derive(Clone, Debug)]
pub struct Executed {
    /// The edge.
    pub edge: EdgeId,
    /// The state after it.
    pub after: Machine,
}

/// A run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The state at the start.
    pub start: Machine,
    /// The edges in order.
    pub steps: Vec<Executed>,
    /// How it ended.
    pub end: RunEnd,
}

/// Runs the program with random choices, up to `max_steps` edges.
pub fn run_at_random(model: &Model, targets: &[PointId], seed: u64, max_steps: usize) -> Run {
    let mut random = Random::new(seed);
    let mut chooser = RandomChooser(Random::new(random.next_u64()));
    let start = Machine::start(model, &mut chooser);
    let mut machine = start.clone();
    let mut steps = Vec::new();
    let end = loop {
        let Some(point) = machine.point() else { break RunEnd::Finished };
        if model.point(point).kind == PointKind::AssertionFailure {
            break RunEnd::Violation(point);
        }
        if targets.contains(&point) {
            break RunEnd::Target(point);
        }
        if steps.len() >= max_steps {
            break RunEnd::StepLimit;
        }
        let mut edges: Vec<_> = model.outgoing(point).map(|(id, _)| id).collect();
        let taken = loop {
            if edges.is_empty() {
                break None;
            }
            let edge = edges.swap_remove(random.below(edges.len()));
            if machine.execute(model, edge, &mut chooser).is_ok() {
                break Some(edge);
            }
        };
        let Some(edge) = taken else { break RunEnd::Stuck(point) };
        steps.push(Executed { edge, after: machine.clone() });
    };
    Run { start, steps, end }
}

/// What a symbolic analysis says about a state: values for some of the variables.
pub type PartialValues = Vec<(VarId, bool)>;

/// A trace to be replayed: wishes for the first state, then edges with wishes for the state after
/// each. Variables that are not mentioned do not matter.
#[derive(Clone, Debug)]
pub struct TracePlan {
    /// Wishes for the first state.
    pub start: PartialValues,
    /// The edges and the wishes after each.
    pub steps: Vec<(EdgeId, PartialValues)>,
}

/// Why a plan is no execution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("step {step} of the trace cannot be executed: {reason}")]
pub struct ReplayError {
    /// Which step, from zero.
    pub step: usize,
    /// Why.
    pub reason: Blocked,
}

/// Follows wishes; what is not wished for is false.
pub(crate) struct Guided<'a> {
    pub(crate) wishes: &'a PartialValues,
    /// For a return: the variable each result goes to.
    pub(crate) results: Vec<Option<VarId>>,
}

/// Where the results of the procedure on top of the stack will go.
pub(crate) fn waiting_results(model: &Model, machine: &Machine) -> Vec<Option<VarId>> {
    let below = machine.frames.len().checked_sub(2).map(|i| &machine.frames[i]);
    match below.and_then(|f| f.waiting).map(|e| &model.edge(e).action) {
        Some(Action::Call { results, .. }) => results.clone(),
        _ => Vec::new(),
    }
}

impl Chooser for Guided<'_> {
    fn choose(&mut self, variable: VarId) -> bool {
        self.wishes.iter().find(|w| w.0 == variable).is_some_and(|w| w.1)
    }

    fn choose_result(&mut self, index: usize) -> bool {
        let target = self.results.get(index).copied().flatten();
        target.is_some_and(|v| self.choose(v))
    }
}

/// Executes a plan. Success means that the program really has this execution.
pub fn replay(model: &Model, plan: &TracePlan) -> Result<Run, ReplayError> {
    let mut chooser = Guided { wishes: &plan.start, results: Vec::new() };
    let start = Machine::start(model, &mut chooser);
    let mut machine = start.clone();
    let mut steps = Vec::with_capacity(plan.steps.len());
    for (step, (edge, wishes)) in plan.steps.iter().enumerate() {
        let results = waiting_results(model, &machine);
        let mut chooser = Guided { wishes, results };
        machine
            .execute(model, *edge, &mut chooser)
            .map_err(|reason| ReplayError { step, reason })?;
        steps.push(Executed { edge: *edge, after: machine.clone() });
    }
    let end = match machine.point() {
        None => RunEnd::Finished,
        Some(point) if model.point(point).kind == PointKind::AssertionFailure => {
            RunEnd::Violation(point)
        }
        Some(point) => RunEnd::Target(point),
    };
    Ok(Run { start, steps, end })
}
