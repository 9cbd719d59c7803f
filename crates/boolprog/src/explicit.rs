//! Explicit-state enumeration: the oracle of the symbolic analyses.
//!
//! Tabulation with single states in place of BDDs: for each procedure and each valuation it is
//! entered with, the states reached at each point and the results it returns. No code is shared
//! with the symbolic side beyond the model, and nothing is clever. For small programs only: a
//! state must fit 64 bits, and [`Limits`] bound the work.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use crate::interpret::local_place;
use crate::model::{
    Action, EdgeId, ExprId, Model, PointId, ProcId, Step, TRUE, ThreadAction, VarId,
};

/// How much may be enumerated.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Path edges or configurations.
    pub states: usize,
}

/// Values of globals (low bits) and locals (above them), by the numbering of [`Layout`].
pub type State = u64;

/// Which bit of a [`State`] holds a variable.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'m> {
    model: &'m Model,
}

impl<'m> Layout<'m> {
    /// The layout for a model, if its states fit 64 bits.
    pub fn new(model: &'m Model) -> Option<Self> {
        let most = model.procedures.iter().map(|p| p.locals.len()).max().unwrap_or(0);
        (model.globals as usize + most <= 63).then_some(Self { model })
    }

    /// The bit of a variable.
    pub fn bit(self, variable: VarId) -> u32 {
        if variable.0 < self.model.globals {
            return variable.0;
        }
        self.model.globals + local_place(self.model, variable) as u32
    }

    /// The value of a variable.
    pub fn get(self, state: State, variable: VarId) -> bool {
        state >> self.bit(variable) & 1 == 1
    }

    fn with(self, state: State, variable: VarId, value: bool) -> State {
        let mask = 1 << self.bit(variable);
        if value { state | mask } else { state & !mask }
    }

    /// Only the globals of a state.
    pub fn globals(self, state: State) -> State {
        state & ((1 << self.model.globals) - 1)
    }

    /// All values of `e` in `state`.
    fn values(self, e: ExprId, state: State) -> Vec<bool> {
        let values = self.model.exprs.values(e, &|v| self.get(state, v), &|_| false);
        [false, true].into_iter().filter(|&b| values.contains(b)).collect()
    }

    /// All states after a step.
    pub fn after_step(self, step: &Step, state: State) -> Vec<State> {
        if !self.values(step.guard, state).contains(&true) {
            return Vec::new();
        }
        let mut after = vec![state];
        for &(variable, e) in &step.assignments {
            let values = self.values(e, state);
            after = after
                .iter()
                .flat_map(|&s| values.iter().map(move |&v| self.with(s, variable, v)))
                .collect();
        }
        if step.constraint != TRUE {
            let (pre, exprs) = (|v| self.get(state, v), &self.model.exprs);
            after.retain(|&s| exprs.values(step.constraint, &pre, &|v| self.get(s, v)).can_be_true);
        }
        after
    }

    /// All states in which a procedure can start, given the globals and its parameters.
    pub(crate) fn fill_locals(self, procedure: ProcId, key: State) -> Vec<State> {
        let procedure = self.model.procedure(procedure);
        let mut states = vec![key];
        for &variable in procedure.locals.iter().filter(|v| !procedure.parameters.contains(v)) {
            states = states
                .iter()
                .flat_map(|&s| [false, true].map(|b| self.with(s, variable, b)))
                .collect();
        }
        states
    }

    /// Globals and parameters with which a call enters its callee.
    fn entries(self, callee: ProcId, arguments: &[ExprId], state: State) -> Vec<State> {
        let mut keys = vec![self.globals(state)];
        for (&parameter, &argument) in self.model.procedure(callee).parameters.iter().zip(arguments)
        {
            let values = self.values(argument, state);
            keys = keys
                .iter()
                .flat_map(|&k| values.iter().map(move |&v| self.with(k, parameter, v)))
                .collect();
        }
        keys
    }

    /// Globals and parameters with which the program can start.
    fn start_keys(self) -> Vec<State> {
        let parameters = &self.model.procedure(self.model.main).parameters;
        self.any_values(&self.first_globals(), parameters)
    }

    /// The globals with which the program can start.
    pub(crate) fn first_globals(self) -> Vec<State> {
        let globals: Vec<VarId> = self.model.global_ids().collect();
        self.any_values(&[0], &globals)
    }

    /// The states with all values of some variables, fixed first values aside.
    fn any_values(self, states: &[State], variables: &[VarId]) -> Vec<State> {
        let mut keys = states.to_vec();
        for &variable in variables {
            let fixed = self.model.initial.iter().find(|i| i.0 == variable).map(|i| i.1);
            keys = keys
                .iter()
                .flat_map(|&k| {
                    [false, true]
                        .into_iter()
                        .filter(move |&b| fixed.is_none_or(|f| f == b))
                        .map(move |b| self.with(k, variable, b))
                })
                .collect();
        }
        keys
    }
}

/// Results of a return: globals, and one bit for each value.
type Summary = (State, Vec<bool>);
/// A procedure with the globals and parameters it was entered with.
type Context = (ProcId, State);

/// All reachable states by point.
#[derive(Clone, Debug, Default)]
pub struct Reachable {
    states: HashMap<PointId, BTreeSet<State>>,
}

impl Reachable {
    /// The states reachable at a point.
    pub fn at(&self, point: PointId) -> BTreeSet<State> {
        self.states.get(&point).cloned().unwrap_or_default()
    }

    /// Whether a point is reachable.
    pub fn contains(&self, point: PointId) -> bool {
        self.states.contains_key(&point)
    }
}

struct Tabulation<'m> {
    layout: Layout<'m>,
    seen: HashSet<(Context, PointId, State)>,
    work: VecDeque<(Context, PointId, State)>,
    summaries: HashMap<Context, HashSet<Summary>>,
    callers: HashMap<Context, HashSet<(Context, EdgeId, State)>>,
}

/// Enumerates everything reachable, or `None` beyond the limits.
pub fn reachable(model: &Model, limits: Limits) -> Option<Reachable> {
    let layout = Layout::new(model)?;
    let mut table = Tabulation {
        layout,
        seen: HashSet::new(),
        work: VecDeque::new(),
        summaries: HashMap::new(),
        callers: HashMap::new(),
    };
    for key in layout.start_keys() {
        table.enter((model.main, key));
    }
    while let Some((context, point, state)) = table.work.pop_front() {
        if table.seen.len() > limits.states {
            return None;
        }
        table.expand(model, context, point, state);
    }
    let mut result = Reachable::default();
    for (_, point, state) in table.seen {
        result.states.entry(point).or_default().insert(state);
    }
    Some(result)
}

impl Tabulation<'_> {
    fn enter(&mut self, context: Context) {
        let entry = self.layout.model.procedure(context.0).entry;
        for state in self.layout.fill_locals(context.0, context.1) {
            self.add(context, entry, state);
        }
    }

    fn add(&mut self, context: Context, point: PointId, state: State) {
        if self.seen.insert((context, point, state)) {
            self.work.push_back((context, point, state));
        }
    }

    fn expand(&mut self, model: &Model, context: Context, point: PointId, state: State) {
        for (id, edge) in model.outgoing(point) {
            match &edge.action {
                Action::Step(step) => {
                    for after in self.layout.after_step(step, state) {
                        self.add(context, edge.to, after);
                    }
                }
                Action::Thread(ThreadAction::AtomicBegin | ThreadAction::AtomicEnd) => {
                    self.add(context, edge.to, state);
                }
                Action::Thread(_) => {}
                Action::Call { callee, arguments, .. } => {
                    for key in self.layout.entries(*callee, arguments, state) {
                        let inner = (*callee, key);
                        self.enter(inner);
                        if self.callers.entry(inner).or_default().insert((context, id, state)) {
                            let known = self.summaries.get(&inner).cloned().unwrap_or_default();
                            for summary in known {
                                self.resume(model, context, id, state, &summary);
                            }
                        }
                    }
                }
                Action::Return { values } => {
                    let mut lists = vec![Vec::new()];
                    for &e in values {
                        let options = self.layout.values(e, state);
                        lists = lists
                            .iter()
                            .flat_map(|l: &Vec<bool>| {
                                options.iter().map(move |&v| [l.as_slice(), &[v]].concat())
                            })
                            .collect();
                    }
                    for list in lists {
                        let summary = (self.layout.globals(state), list);
                        if self.summaries.entry(context).or_default().insert(summary.clone()) {
                            let callers = self.callers.get(&context).cloned().unwrap_or_default();
                            for (outer, call, at) in callers {
                                self.resume(model, outer, call, at, &summary);
                            }
                        }
                    }
                }
            }
        }
    }

    fn resume(
        &mut self,
        model: &Model,
        context: Context,
        call: EdgeId,
        state: State,
        (globals, values): &Summary,
    ) {
        let edge = model.edge(call);
        let Action::Call { results, .. } = &edge.action else { return };
        let mut after = state & !self.layout.globals(State::MAX) | globals;
        for (target, &value) in results.iter().zip(values) {
            if let Some(variable) = *target {
                after = self.layout.with(after, variable, value);
            }
        }
        self.add(context, edge.to, after);
    }
}

/// A configuration: the stack of waiting calls with the states of their callers, then the top.
pub(crate) type Configuration = (Vec<(EdgeId, State)>, PointId, State);

/// The search would go beyond its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many states to enumerate")]
pub struct TooLarge;

/// The least number of edges to one of `targets`, searched breadth first over whole
/// configurations up to `max_length`; `None` if there is none.
pub fn shortest(
    model: &Model,
    targets: &[PointId],
    max_length: usize,
    limits: Limits,
) -> Result<Option<usize>, TooLarge> {
    let layout = Layout::new(model).ok_or(TooLarge)?;
    let entry = model.procedure(model.main).entry;
    let mut seen: HashSet<Configuration> = HashSet::new();
    let starts = layout.start_keys().into_iter().flat_map(|k| layout.fill_locals(model.main, k));
    let mut frontier: Vec<Configuration> = starts.map(|s| (Vec::new(), entry, s)).collect();
    for length in 0..=max_length {
        if frontier.iter().any(|c| targets.contains(&c.1)) {
            return Ok(Some(length));
        }
        let mut next = Vec::new();
        for configuration in frontier {
            for successor in successors(model, layout, &configuration) {
                if seen.insert(successor.clone()) {
                    next.push(successor);
                }
            }
            if seen.len() > limits.states {
                return Err(TooLarge);
            }
        }
        frontier = next;
    }
    Ok(None)
}

pub(crate) fn successors(
    model: &Model,
    layout: Layout<'_>,
    (stack, point, state): &Configuration,
) -> Vec<Configuration> {
    let mut list = Vec::new();
    for (id, edge) in model.outgoing(*point) {
        match &edge.action {
            Action::Step(step) => {
                let after = layout.after_step(step, *state).into_iter();
                list.extend(after.map(|s| (stack.clone(), edge.to, s)));
            }
            Action::Thread(ThreadAction::AtomicBegin | ThreadAction::AtomicEnd) => {
                list.push((stack.clone(), edge.to, *state));
            }
            Action::Thread(_) => {}
            Action::Call { callee, arguments, .. } => {
                let mut deeper = stack.clone();
                deeper.push((id, *state));
                let entry = model.procedure(*callee).entry;
                for key in layout.entries(*callee, arguments, *state) {
                    let starts = layout.fill_locals(*callee, key).into_iter();
                    list.extend(starts.map(|s| (deeper.clone(), entry, s)));
                }
            }
            Action::Return { values } => {
                let Some((&(call, outer), below)) = stack.split_last() else { continue };
                let edge = model.edge(call);
                let Action::Call { results, .. } = &edge.action else { continue };
                let base = outer & !layout.globals(State::MAX) | layout.globals(*state);
                let mut after = vec![base];
                for (target, &e) in results.iter().zip(values) {
                    if let Some(variable) = *target {
                        let options = layout.values(e, *state);
                        after = after
                            .iter()
                            .flat_map(|&s| {
                                options.iter().map(move |&v| layout.with(s, variable, v))
                            })
                            .collect();
                    }
                }
                list.extend(after.into_iter().map(|s| (below.to_vec(), edge.to, s)));
            }
        }
    }
    list
}
