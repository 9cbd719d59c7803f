//! Context-bounded analysis by composing transducers (LAL 6.3 to 6.5): the threads as weighted
//! pushdown systems over relations on the globals.
//!
//! Transducers have no merge functions (see [`gnomon_wpds::transducer`]), so locals go into the stack
//! symbols, one symbol for each point and valuation that control can come to; weights are BDDs over
//! the globals and the results of a returning procedure.
//!
//! A transducer lets a context end anywhere. Where a thread must not be switched is said by a
//! variable of the store, `held`: it is true while some thread is inside an atomic section or at a
//! point that belongs to the statement before it, that thread's symbol says that it is the one, and
//! all others need it to be false for a step. Ending a context there is then possible but useless.
//!
//! The answer is yes or no; the lazy analysis finds the switches of a counterexample.

use std::collections::BTreeMap;

use gnomon_bdd::{Bdd, BddError, BddSpace, Var, Vocabulary};
use gnomon_budget::Budget;
use gnomon_wpds::domains::BddRelations;
use gnomon_wpds::transducer::{ConcurrentSystem, Schedule, TransducerOptions};
use gnomon_wpds::{
    ConfigSet, Configuration, Control, Kind, Semiring, Symbol, WeightError, Wpds, WpdsError,
};

use super::lazy::{Prologue, first_globals};
use super::system::{Thread, ThreadSystem};
use super::vocabulary::ContextEncoding;
use crate::check::CheckOptions;
use crate::interpret::local_place;
use crate::model::{Action, Edge, EdgeId, ExprId, Model, PointId, ProcId, Step, TRUE, VarId};
use crate::symbolic::values::Values;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A target is reachable before the threads start.
    InPrologue,
    /// A target is reachable.
    Reachable,
    /// No target is reachable.
    Unreachable,
}

/// Locals are part of the stack symbols, so there must not be many.
const MOST_LOCALS: usize = 10;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum TransducerError {
    /// The stack symbols would be too many.
    #[error("a procedure has {locals} locals; transducers take at most {MOST_LOCALS}")]
    TooManyLocals {
        /// How many.
        locals: usize,
    },
    /// The pushdown library gave up or was used wrongly.
    #[error(transparent)]
    Wpds(#[from] WpdsError),
}

/// Whether a target can be reached within `contexts` contexts per thread.
pub fn search(
    system: &ThreadSystem,
    contexts: usize,
    targets: &[PointId],
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Answer, TransducerError> {
    let locals = system.model.procedures.iter().map(|p| p.locals.len()).max().unwrap_or(0);
    if locals > MOST_LOCALS {
        return Err(TransducerError::TooManyLocals { locals });
    }
    let prologue = ContextEncoding::new(system, 1, options.order, options.nodes, budget);
    let prologue = prologue.map_err(weight_error)?;
    let first = match first_globals(&prologue, targets, budget).map_err(weight_error)? {
        Prologue::Fails => return Ok(Answer::InPrologue),
        Prologue::Globals(first) => first,
    };
    let store = Store::new(system, options.nodes, budget).map_err(weight_error)?;
    let first = store.first_states(&prologue, &first).map_err(weight_error)?;
    // Whether the first thread starts inside an atomic section decides which symbol it starts with.
    let held = store.variable(store.held).map_err(weight_error)?;
    for inside in [false, true] {
        let starts = if inside { first.and(&held) } else { first.minus(&held) };
        let starts = starts.map_err(weight_error)?;
        if starts.is_false() {
            continue;
        }
        let domain = BddRelations::over(store.vocabulary.clone());
        let mut threads = Vec::new();
        for (i, thread) in system.threads.iter().enumerate() {
            let mut builder = ThreadBuilder::new(&store, &domain, targets);
            builder.run(thread, inside && i == 0, budget)?;
            threads.push(builder);
        }
        if reaches(&store, &starts, &domain, &threads, contexts, budget)? {
            return Ok(Answer::Reachable);
        }
    }
    Ok(Answer::Unreachable)
}

fn weight_error(error: BddError) -> WpdsError {
    WpdsError::from(WeightError::from(error))
}

fn reaches(
    store: &Store<'_>,
    starts: &Bdd,
    domain: &BddRelations,
    threads: &[ThreadBuilder<'_, '_>],
    contexts: usize,
    budget: &Budget,
) -> Result<bool, WpdsError> {
    let systems: Vec<&Wpds<BddRelations>> = threads.iter().map(|t| &t.system).collect();
    let options = TransducerOptions { budget: budget.clone(), ..TransducerOptions::default() };
    let system = ConcurrentSystem::new(&systems, &options)?;
    let schedule = Schedule::round_robin(threads.len(), contexts);
    let start: Result<Vec<_>, _> = threads
        .iter()
        .map(|t| {
            let mut all = ConfigSet::new(1);
            for &symbol in &t.first {
                all.add_stack(&Configuration { control: t.control, stack: vec![symbol] }, false)?;
            }
            Ok::<_, WpdsError>(all)
        })
        .collect();
    let start = start?;
    let within = store.vocabulary.identity_within(starts).map_err(weight_error)?;
    for (failing, thread) in threads.iter().enumerate() {
        if !thread.can_fail {
            continue;
        }
        let goal: Result<Vec<_>, WpdsError> = threads
            .iter()
            .enumerate()
            .map(|(i, t)| match i == failing {
                true => ConfigSet::top(1, t.control, t.error),
                false => Ok(ConfigSet::all(1)),
            })
            .collect();
        let weight = system.weight(&start, &goal?, &schedule)?;
        let weight = domain.extend(&within, &weight)?;
        if !domain.is_zero(&weight) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The variables of the weights, and of the locals while weights are made.
struct Store<'s> {
    system: &'s ThreadSystem,
    vocabulary: Vocabulary,
    /// By global its position; then the results, then `held`.
    registers: usize,
    held: usize,
    /// By place among the locals of a procedure.
    locals_before: Vec<Var>,
    locals_after: Vec<Var>,
}

impl<'s> Store<'s> {
    fn new(system: &'s ThreadSystem, nodes: usize, budget: &Budget) -> Result<Self, BddError> {
        let model = &system.model;
        let space = BddSpace::new(nodes)?;
        space.set_budget(budget.clone());
        let results = model.procedures.iter().map(|p| p.results).max().unwrap_or(0);
        let vocabulary = Vocabulary::new(&space, model.globals + results + 1)?;
        let locals = model.procedures.iter().map(|p| p.locals.len()).max().unwrap_or(0) as u32;
        Ok(Self {
            system,
            registers: model.globals as usize,
            held: (model.globals + results) as usize,
            locals_before: space.add_variables(locals)?,
            locals_after: space.add_variables(locals)?,
            vocabulary,
        })
    }

    fn space(&self) -> &BddSpace {
        self.vocabulary.space()
    }

    fn model(&self) -> &'s Model {
        &self.system.model
    }

    /// A position before a step.
    fn variable(&self, position: usize) -> Result<Bdd, BddError> {
        self.space().variable(self.vocabulary.before()[position])
    }

    fn before(&self, variable: VarId) -> Var {
        match variable.0 < self.model().globals {
            true => self.vocabulary.before()[variable.index()],
            false => self.locals_before[local_place(self.model(), variable)],
        }
    }

    fn after(&self, variable: VarId) -> Var {
        match variable.0 < self.model().globals {
            true => self.vocabulary.after()[variable.index()],
            false => self.locals_after[local_place(self.model(), variable)],
        }
    }

    /// The first states of the store: the globals, no results, and `held` as the atomic section.
    fn first_states(&self, from: &ContextEncoding<'_>, globals: &Bdd) -> Result<Bdd, BddError> {
        let places = from.copies().start(0);
        let mut all = self.space().bottom();
        for cube in globals.cubes() {
            let literals: Vec<_> = cube
                .iter()
                .filter_map(|&(var, value)| {
                    let place = places.iter().position(|p| *p == var)?;
                    Some((self.vocabulary.before()[place], value))
                })
                .collect();
            all = all.or(&self.space().cube(&literals)?)?;
        }
        for register in self.registers..self.held {
            all = all.minus(&self.variable(register)?)?;
        }
        let held = self.variable(self.held)?;
        match self.system.atomic {
            Some(flag) => all.and(&held.iff(&self.variable(flag.index())?)?),
            None => all.minus(&held),
        }
    }

    fn values(&self, root: ExprId) -> Result<(Bdd, Bdd), BddError> {
        let (before, after) = (|v| self.before(v), |v| self.after(v));
        let exprs = &self.model().exprs;
        Values { space: self.space(), exprs, before: &before, after: &after }.of(root)
    }

    /// An expression with the locals fixed.
    fn at(&self, root: ExprId, locals: &[bool]) -> Result<(Bdd, Bdd), BddError> {
        let (yes, no) = self.values(root)?;
        let fixed = self.fixed(&self.locals_before, locals);
        Ok((yes.restrict(&fixed)?, no.restrict(&fixed)?))
    }

    fn fixed(&self, vars: &[Var], locals: &[bool]) -> Vec<(Var, bool)> {
        vars.iter().copied().zip(locals.iter().copied()).collect()
    }

    /// Keeps all positions but some and `held`, which every weight sets.
    fn kept(&self, assigned: &[usize]) -> Result<Bdd, BddError> {
        let kept: Vec<usize> = (0..self.held).filter(|i| !assigned.contains(i)).collect();
        self.vocabulary.identity_on(&kept)
    }

    /// All ways in which some variables can take values of expressions: the values, and the states
    /// in which they can.
    fn choices(
        &self,
        values: &[ExprId],
        locals: &[bool],
        guard: Bdd,
    ) -> Result<Vec<(Vec<bool>, Bdd)>, BddError> {
        let mut list = vec![(Vec::new(), guard)];
        for &value in values {
            let (yes, no) = self.at(value, locals)?;
            let mut longer = Vec::new();
            for (known, condition) in &list {
                for (choice, can) in [(false, &no), (true, &yes)] {
                    let condition = condition.and(can)?;
                    if !condition.is_false() {
                        let mut known: Vec<bool> = known.clone();
                        known.push(choice);
                        longer.push((known, condition));
                    }
                }
            }
            list = longer;
        }
        Ok(list)
    }
}

/// What is on a stack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// At a point with some locals, and whether this thread holds the store.
    At(PointId, Vec<bool>, bool),
    /// Between the return of a callee and the copying of its results.
    Back(EdgeId, Vec<bool>),
}

struct ThreadBuilder<'b, 's> {
    store: &'b Store<'s>,
    targets: &'b [PointId],
    system: Wpds<BddRelations>,
    control: Control,
    error: Symbol,
    first: Vec<Symbol>,
    symbols: BTreeMap<Place, Symbol>,
    work: Vec<Place>,
    can_fail: bool,
}

impl<'b, 's> ThreadBuilder<'b, 's> {
    fn new(store: &'b Store<'s>, domain: &BddRelations, targets: &'b [PointId]) -> Self {
        let mut system = Wpds::new(domain.clone(), Kind::Weighted);
        let control = system.add_control("p");
        let error = system.add_symbol("error");
        Self {
            store,
            targets,
            system,
            control,
            error,
            first: Vec::new(),
            symbols: BTreeMap::new(),
            work: Vec::new(),
            can_fail: false,
        }
    }

    fn symbol(&mut self, place: Place) -> Symbol {
        if let Some(&known) = self.symbols.get(&place) {
            return known;
        }
        let symbol = self.system.add_symbols(1)[0];
        self.symbols.insert(place.clone(), symbol);
        self.work.push(place);
        symbol
    }

    fn run(&mut self, thread: &Thread, inside: bool, budget: &Budget) -> Result<(), WpdsError> {
        let procedure = self.store.model().procedure(thread.root);
        for locals in all_values(procedure.locals.len()) {
            let first = self.symbol(Place::At(procedure.entry, locals, inside));
            self.first.push(first);
        }
        while let Some(place) = self.work.pop() {
            budget.check()?;
            match &place {
                Place::At(point, locals, own) => self.expand(&place, *point, locals, *own)?,
                Place::Back(edge, locals) => self.receive(&place, *edge, locals)?,
            }
        }
        Ok(())
    }

    /// States in which this thread may take a step.
    fn may_step(&self, own: bool) -> Result<Bdd, BddError> {
        let held = self.store.variable(self.store.held)?;
        if own { Ok(held) } else { held.not() }
    }

    /// The ways to arrive at a point: whether the thread then holds the store, and the relation cut
    /// down to that.
    fn arrivals(&self, point: PointId, relation: &Bdd) -> Result<Vec<(bool, Bdd)>, BddError> {
        let store = self.store;
        let space = store.space();
        let held = space.variable(store.vocabulary.after()[store.held])?;
        let system = store.system;
        let inside = match system.atomic {
            _ if !system.is_switchable(point) => space.top(),
            Some(flag) => space.variable(store.vocabulary.after()[flag.index()])?,
            None => space.bottom(),
        };
        let mut list = Vec::new();
        for own in [false, true] {
            let (flag, condition) =
                if own { (held.clone(), inside.clone()) } else { (held.not()?, inside.not()?) };
            let part = relation.and(&condition)?.and(&flag)?;
            if !part.is_false() {
                list.push((own, part));
            }
        }
        Ok(list)
    }

    fn expand(
        &mut self,
        place: &Place,
        point: PointId,
        locals: &[bool],
        own: bool,
    ) -> Result<(), WpdsError> {
        let store = self.store;
        let from = (self.control, self.symbol(place.clone()));
        let guard = self.may_step(own).map_err(weight_error)?;
        if self.targets.contains(&point) {
            self.can_fail = true;
            let weight = self.let_go().map_err(weight_error)?;
            self.system.add_step(from, (self.control, self.error), weight)?;
            return Ok(());
        }
        let model = store.model();
        for (id, edge) in model.outgoing(point) {
            match &edge.action {
                Action::Step(step) => {
                    let ways = self.step(edge, step, locals, &guard).map_err(weight_error)?;
                    for (to, weight) in ways {
                        let to = self.symbol(to);
                        self.system.add_step(from, (self.control, to), weight)?;
                    }
                }
                Action::Call { callee, arguments, .. } => {
                    let back = self.symbol(Place::Back(id, locals.to_vec()));
                    let ways = self.enter(*callee, arguments, locals, &guard);
                    for (to, weight) in ways.map_err(weight_error)? {
                        let entry = self.symbol(to);
                        let push = (self.control, entry, back);
                        self.system.add_push(from, push, weight, None)?;
                    }
                }
                Action::Return { values } => {
                    let weight = self.returns(values, locals, &guard).map_err(weight_error)?;
                    if !weight.is_false() {
                        self.system.add_pop(from, self.control, weight)?;
                    }
                }
                Action::Thread(_) => {}
            }
        }
        Ok(())
    }

    /// At a target the thread lets the others go on, also out of an atomic section.
    fn let_go(&self) -> Result<Bdd, BddError> {
        let store = self.store;
        let space = store.space();
        let flag = store.system.atomic.map(VarId::index);
        let mut relation = store.kept(&flag.into_iter().collect::<Vec<_>>())?;
        for position in flag.into_iter().chain([store.held]) {
            relation = relation.minus(&space.variable(store.vocabulary.after()[position])?)?;
        }
        Ok(relation)
    }

    fn step(
        &self,
        edge: &Edge,
        step: &Step,
        locals: &[bool],
        guard: &Bdd,
    ) -> Result<Vec<(Place, Bdd)>, BddError> {
        let store = self.store;
        let model = store.model();
        let guard = guard.and(&store.at(step.guard, locals)?.0)?;
        let is_global = |v: VarId| v.0 < model.globals;
        let (globals, own): (Vec<_>, Vec<_>) =
            step.assignments.iter().copied().partition(|a| is_global(a.0));
        let mut relation = store.kept(&globals.iter().map(|a| a.0.index()).collect::<Vec<_>>())?;
        for &(variable, value) in &globals {
            let (yes, no) = store.at(value, locals)?;
            let after = store.space().variable(store.after(variable))?;
            relation = relation.and(&after.ite(&yes, &no)?)?;
        }
        let values: Vec<ExprId> = own.iter().map(|a| a.1).collect();
        let mut ways = Vec::new();
        for (chosen, condition) in store.choices(&values, locals, guard)? {
            let mut after = locals.to_vec();
            for (&(variable, _), &value) in own.iter().zip(&chosen) {
                after[local_place(model, variable)] = value;
            }
            let mut weight = relation.and(&condition)?;
            if step.constraint != TRUE {
                let constraint = store.at(step.constraint, locals)?.0;
                let constraint = constraint.restrict(&store.fixed(&store.locals_after, &after))?;
                weight = weight.and(&constraint)?;
            }
            for (own, weight) in self.arrivals(edge.to, &weight)? {
                ways.push((Place::At(edge.to, after.clone(), own), weight));
            }
        }
        Ok(ways)
    }

    fn enter(
        &self,
        callee: ProcId,
        arguments: &[ExprId],
        locals: &[bool],
        guard: &Bdd,
    ) -> Result<Vec<(Place, Bdd)>, BddError> {
        let store = self.store;
        let model = store.model();
        let procedure = model.procedure(callee);
        let kept = store.kept(&[])?;
        let mut ways = Vec::new();
        for (values, condition) in store.choices(arguments, locals, guard.clone())? {
            let weight = kept.and(&condition)?;
            for others in all_values(procedure.locals.len() - procedure.parameters.len()) {
                let mut others = others.into_iter();
                let mut first = vec![false; procedure.locals.len()];
                for &local in &procedure.locals {
                    let place = procedure.parameters.iter().position(|&p| p == local);
                    let value = match place {
                        Some(i) => values.get(i).copied(),
                        None => others.next(),
                    };
                    first[local_place(model, local)] = value.unwrap_or(false);
                }
                for (own, weight) in self.arrivals(procedure.entry, &weight)? {
                    ways.push((Place::At(procedure.entry, first.clone(), own), weight));
                }
            }
        }
        Ok(ways)
    }

    /// The results go into the store, which stays held until the caller has taken them.
    fn returns(&self, values: &[ExprId], locals: &[bool], guard: &Bdd) -> Result<Bdd, BddError> {
        let store = self.store;
        let after = |i: usize| store.space().variable(store.vocabulary.after()[i]);
        let places: Vec<usize> = (0..values.len()).map(|i| store.registers + i).collect();
        let mut relation = store.kept(&places)?.and(guard)?.and(&after(store.held)?)?;
        for (&place, &value) in places.iter().zip(values) {
            let (yes, no) = store.at(value, locals)?;
            relation = relation.and(&after(place)?.ite(&yes, &no)?)?;
        }
        Ok(relation)
    }

    fn receive(&mut self, place: &Place, id: EdgeId, locals: &[bool]) -> Result<(), WpdsError> {
        let store = self.store;
        let from = (self.control, self.symbol(place.clone()));
        let edge = store.model().edge(id);
        let Action::Call { results, .. } = &edge.action else { return Ok(()) };
        let ways = self.receive_ways(edge, results, locals).map_err(weight_error)?;
        for (to, weight) in ways {
            let to = self.symbol(to);
            self.system.add_step(from, (self.control, to), weight)?;
        }
        Ok(())
    }

    fn receive_ways(
        &self,
        edge: &Edge,
        results: &[Option<VarId>],
        locals: &[bool],
    ) -> Result<Vec<(Place, Bdd)>, BddError> {
        let store = self.store;
        let model = store.model();
        let after = |i: usize| store.space().variable(store.vocabulary.after()[i]);
        let mut assigned: Vec<usize> = (store.registers..store.held).collect();
        let mut relation = store.variable(store.held)?;
        for &register in &assigned {
            relation = relation.minus(&after(register)?)?;
        }
        let mut own = Vec::new();
        for (i, target) in results.iter().enumerate() {
            // If a variable receives two results, the last one counts.
            let Some(variable) = target.filter(|v| !results[i + 1..].contains(&Some(*v))) else {
                continue;
            };
            if variable.0 < model.globals {
                let same = after(variable.index())?.iff(&store.variable(store.registers + i)?)?;
                relation = relation.and(&same)?;
                assigned.push(variable.index());
            } else {
                own.push((variable, store.registers + i));
            }
        }
        relation = relation.and(&store.kept(&assigned)?)?;
        let mut ways = Vec::new();
        for values in all_values(own.len()) {
            let mut next = locals.to_vec();
            let mut weight = relation.clone();
            for (&(variable, register), &value) in own.iter().zip(&values) {
                next[local_place(model, variable)] = value;
                let var = store.vocabulary.before()[register];
                weight = weight.and(&store.space().literal(var, value)?)?;
            }
            for (holds, weight) in self.arrivals(edge.to, &weight)? {
                ways.push((Place::At(edge.to, next.clone(), holds), weight));
            }
        }
        Ok(ways)
    }
}

/// All valuations of some variables.
fn all_values(count: usize) -> Vec<Vec<bool>> {
    let mut list = vec![Vec::new()];
    for _ in 0..count {
        list = list
            .into_iter()
            .flat_map(|known: Vec<bool>| {
                [false, true].map(|value| known.iter().copied().chain([value]).collect())
            })
            .collect();
    }
    list
}
