//! All schedules of a small program, executed one step after the other.
//!
//! Where threads have stopped, a program is its memory: the functions of the sequential program
//! have returned. From each such state every thread that can run is run up to the next point where
//! it may stop, and what it leaves is a state again. States that were met before are not gone on
//! from, so programs whose threads wait in loops come to an end as well, and a program that takes
//! nothing from outside is decided for any number of contexts. The search is depth-first and lets
//! the thread that ran go on first: the schedules that it looks at first have few contexts.
//!
//! Two things keep the number of states small. A thread that stands before a step which is nobody
//! else's business ([`crate::local`]) is run alone: what the others do commutes with that step, so
//! every error of theirs is found behind it as well. That is only so if the step comes to an end and
//! the others are not put off for ever: if it does not come to a stop, or leads to a state that was met
//! before (a cycle of such steps ends in one), the others are run, too. And states that differ only
//! in which of several symmetric threads is where are one state ([`crate::symmetry`]). Where data
//! races are looked for, every stop is remembered, so that no step is nobody's business there.
//!
//! This is no substitute for the reduction: programs with inputs, and with too many states, need
//! formulas. But it is the better part of what is decided of small programs, and it finds errors
//! that need many threads.

use std::collections::BTreeSet;
use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::cfa::{EdgeId, Op};
use gnomon_ir::interp::{Asked, Called, Calls, InputSource, Outcome, Rest, RunOptions, UbKind};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::FuncId;
use gnomon_ir::trace::{ArgumentValue, Input, InputTrace};
use gnomon_ir::types::{TypeId, Types};

use crate::chance::{Chance, constants};
use crate::graph::{ENDED, Mark, NOT_MADE};
use crate::inputs::Inputs;
use crate::intrinsics::reports;
use crate::sequential::Sequential;
use crate::symmetric::{Symmetric, symmetric};

/// What the schedules showed.
#[derive(Clone, Debug)]
pub enum Schedules {
    /// With these inputs, the sequential program without a bound reaches an error.
    Error(InputTrace),
    /// None of them reaches an error, and these are all.
    All {
        /// How many states there are.
        states: u64,
    },
    /// No error was found, but not everything was looked at.
    Open {
        /// How many states there were.
        states: u64,
        /// Why.
        why: String,
    },
}

/// How deep a schedule may go: states on the way are kept.
const DEEPEST: usize = 10_000;
/// How many states are looked at.
const MOST_STATES: usize = 1_000_000;

/// Executes the schedules of a sequential program that was made for
/// [`Rounds::Unbounded`](crate::Rounds::Unbounded).
pub fn explore(sequential: &Sequential, options: &RunOptions, budget: &Budget) -> Schedules {
    match Exploration::begin(sequential, options, budget) {
        Ok(mut exploration) => loop {
            if let Some(schedules) = exploration.go_on(&|| false) {
                return schedules;
            }
        },
        Err(why) => Schedules::Open { states: 0, why },
    }
}

/// Schedules that are being executed: it can pause between two steps.
pub struct Exploration<'a> {
    search: Search<'a>,
}

impl<'a> Exploration<'a> {
    /// Begins with the first thread; or says why nothing can be executed.
    pub fn begin(
        sequential: &'a Sequential,
        options: &'a RunOptions,
        budget: &'a Budget,
    ) -> Result<Self, String> {
        if sequential.takes_arguments {
            return Err("the program reads its arguments".to_owned());
        }
        let begun = Calls::begin(&sequential.program, options, budget);
        let (calls, rest) = begun.map_err(|outcome| format!("{outcome:?}"))?;
        let changes_memory = |op: &Op| matches!(op, Op::HavocMemory);
        let bodies = sequential.program.funcs.iter().flat_map(|f| f.body.iter());
        let left_out = bodies.flat_map(|body| body.edges().iter()).any(|e| changes_memory(&e.op));
        let left_out = left_out.then(|| "assembler may write anything".to_owned());
        let symmetric = symmetric(sequential);
        let own = sequential.threads.iter().map(|thread| thread.stops);
        let own = own.chain([sequential.chosen]).collect();
        let inputs = Inputs::of(&sequential.program, &own).with_constants(constants(sequential));
        let inputs = Rc::new(inputs);
        let (seen, stack) = Default::default();
        let mut search = Search {
            sequential,
            budget,
            calls,
            symmetric,
            inputs,
            seen,
            stack,
            left_out,
            too_deep: false,
            bounded: false,
        };
        search.begin(rest);
        Ok(Self { search })
    }

    /// How many states were met.
    pub fn states(&self) -> u64 {
        self.search.seen.len() as u64
    }

    /// Whether schedules were left out because a function called itself deeper than it is followed.
    pub fn was_too_deep(&self) -> bool {
        self.search.too_deep
    }

    /// Leaves out schedules with more threads than there are here, so that errors with fewer are found.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.search.bounded = true;
        self
    }

    /// Executes a schedule by chance: an error, if it reaches one.
    pub fn by_chance(&mut self, seed: u64) -> Option<Schedules> {
        match self.search.by_chance(seed) {
            Ok(()) => None,
            Err(Stop::Error(inputs)) => Some(Schedules::Error(inputs)),
            Err(Stop::Limit(limit)) => {
                Some(Schedules::Open { states: self.states(), why: limit.to_string() })
            }
        }
    }

    /// Goes on until somebody wants a pause, or the end.
    pub fn go_on(&mut self, pause: &dyn Fn() -> bool) -> Option<Schedules> {
        let ended = self.search.run_until(pause);
        let states = self.states();
        match ended {
            Ok(false) => None,
            Ok(true) => Some(match self.search.left_out.take() {
                None => Schedules::All { states },
                Some(why) => Schedules::Open { states, why },
            }),
            Err(Stop::Error(inputs)) => Some(Schedules::Error(inputs)),
            Err(Stop::Limit(limit)) => Some(Schedules::Open { states, why: limit.to_string() }),
        }
    }
}

/// What ends the search early.
pub(crate) enum Stop {
    Error(InputTrace),
    Limit(Exhausted),
}

impl From<Exhausted> for Stop {
    fn from(limit: Exhausted) -> Self {
        Self::Limit(limit)
    }
}

/// What a thread did between two stops.
pub(crate) struct Step {
    /// Its place in the state before, and which one it really is.
    pub thread: usize,
    pub real: usize,
    pub inputs: Vec<Input>,
    /// Whether the last input says that it stops: with another one it would have gone on.
    pub stopped: bool,
}

/// A state on the way, and what is left to do there.
pub(crate) struct Node {
    pub rest: Rest,
    /// The step that led to it.
    pub step: Option<Step>,
    /// Which thread really stands in each place.
    pub real: Vec<usize>,
    /// Threads to run, the last one first.
    pub threads: Vec<usize>,
    /// Threads that are run only if `put_off` was wrong.
    pub others: Vec<usize>,
    /// Whether running one thread alone is not enough.
    pub needs_others: bool,
    /// What the thread that was run last can lead to.
    pub next: Vec<(Rest, Step)>,
}

pub(crate) struct Search<'a> {
    pub sequential: &'a Sequential,
    pub budget: &'a Budget,
    pub calls: Calls<'a>,
    symmetric: Symmetric,
    pub inputs: Rc<Inputs>,
    seen: BTreeSet<Box<[u8]>>,
    pub stack: Vec<Node>,
    /// Why schedules were left out, if any were.
    left_out: Option<String>,
    /// Whether one was because calls went too deep.
    too_deep: bool,
    /// Whether schedules with more threads than there are here are left out.
    bounded: bool,
}

impl Search<'_> {
    fn begin(&mut self, rest: Rest) {
        let real = (0..self.sequential.threads.len()).collect();
        let (others, next, needs_others) = Default::default();
        let threads = vec![0];
        self.stack.push(Node { rest, step: None, real, threads, others, needs_others, next });
    }

    /// Whether everything was looked at.
    fn run_until(&mut self, pause: &dyn Fn() -> bool) -> Result<bool, Stop> {
        while let Some(node) = self.stack.last_mut() {
            if pause() {
                return Ok(false);
            }
            self.budget.check()?;
            if let Some((rest, step)) = node.next.pop() {
                self.arrive(rest, step)?;
            } else if let Some(thread) = node.threads.pop() {
                let next = self.steps(thread)?;
                if let Some(node) = self.stack.last_mut() {
                    node.needs_others |= next.is_empty();
                    node.next = next;
                }
            } else if node.needs_others && !node.others.is_empty() {
                node.threads = std::mem::take(&mut node.others);
            } else {
                self.stack.pop();
            }
        }
        Ok(true)
    }

    fn leave_out(&mut self, why: &str) {
        self.left_out.get_or_insert_with(|| why.to_owned());
    }

    /// Goes on from a state, if it is new.
    fn arrive(&mut self, mut rest: Rest, step: Step) -> Result<(), Stop> {
        let thread = &self.sequential.threads[step.thread];
        let stands = self.number(&rest, thread.counter);
        for &var in stands.and_then(|at| thread.dead.get(&at)).into_iter().flatten() {
            self.calls.clear(&mut rest, var);
        }
        self.calls.clear(&mut rest, self.sequential.chosen);
        let count = self.sequential.threads.len();
        let counter =
            |rest: &Rest, thread: usize| self.number(rest, self.sequential.threads[thread].counter);
        let made = |rest: &Rest, thread: usize| counter(rest, thread) != Some(NOT_MADE);
        let before = self.symmetric.put_in_order(&self.calls, &mut rest, count, made);
        let last = before.iter().position(|&thread| thread == step.thread).unwrap_or(step.thread);
        let real = self
            .stack
            .last()
            .map_or(Vec::new(), |node| before.iter().map(|&thread| node.real[thread]).collect());
        let Some(contents) = rest.contents() else {
            self.leave_out("the library remembers something");
            return Ok(());
        };
        if self.seen.contains(&contents) {
            if let Some(node) = self.stack.last_mut() {
                node.needs_others = true;
            }
            return Ok(());
        }
        if self.stack.len() >= DEEPEST || self.seen.len() >= MOST_STATES {
            self.leave_out("there are too many states");
            return Ok(());
        }
        self.seen.insert(contents);
        if self.number(&rest, self.sequential.over) != Some(0) {
            return Ok(());
        }
        let counter = |thread: usize| self.number(&rest, self.sequential.threads[thread].counter);
        let going =
            |&thread: &usize| counter(thread).is_some_and(|at| at != NOT_MADE && at != ENDED);
        // Those behind the last one come first when it has ended, as in a round.
        let mut threads: Vec<usize> = (0..count).map(|n| (last + n) % count).collect();
        threads.retain(going);
        let needless = self.symmetric.needless(&self.calls, &rest, &threads);
        threads.retain(|thread| !needless.contains(thread));
        let alone = |&thread: &usize| {
            counter(thread).is_some_and(|at| self.sequential.threads[thread].alone.contains(&at))
        };
        let alone = threads.iter().position(alone).map(|at| threads.remove(at));
        threads.reverse();
        let (threads, others) = match alone {
            Some(alone) => (vec![alone], threads),
            None => (threads, Vec::new()),
        };
        let (next, needs_others) = Default::default();
        let step = Some(step);
        self.stack.push(Node { rest, step, real, threads, others, needs_others, next });
        self.probe()
    }

    /// Asks whether no thread can move.
    fn probe(&mut self) -> Result<(), Stop> {
        let (Some(probe), Some(node)) = (self.sequential.probe, self.stack.last()) else {
            return Ok(());
        };
        let mut answers = Answers::new(self.sequential, Rc::clone(&self.inputs), None);
        let called = self.calls.call(&node.rest, probe, &mut answers);
        match called.ended {
            None => Ok(()),
            Some(Outcome::Error { .. }) => {
                let rests = vec![nondet(0); self.sequential.threads.len()];
                Err(Stop::Error(self.inputs(None, rests)))
            }
            Some(outcome) => {
                self.leave_out(&format!("{outcome:?}"));
                Ok(())
            }
        }
    }

    /// A number in a static variable.
    pub(crate) fn number(&self, rest: &Rest, var: gnomon_ir::program::VarId) -> Option<i128> {
        let bytes = self.calls.variable(rest, var)?;
        let bytes = bytes.first_chunk::<4>()?;
        Some(i128::from(i32::from_le_bytes(*bytes)))
    }

    /// What a thread can do next, with each answer to what it asks.
    fn steps(&mut self, thread: usize) -> Result<Vec<(Rest, Step)>, Stop> {
        let mut found = Vec::new();
        let mut answers = Answers::new(self.sequential, Rc::clone(&self.inputs), Some(thread));
        let func = self.sequential.threads[thread].func;
        let real = self.stack.last().map_or(Vec::new(), |node| node.real.clone());
        loop {
            let Some(node) = self.stack.last() else { return Ok(found) };
            answers.restart();
            let called = self.calls.call(&node.rest, func, &mut answers);
            if let Some(why) = &answers.left_out {
                self.leave_out(why);
            }
            let Called { ended, rest, noted, trace } = called;
            let mut inputs = trace.inputs;
            answers.name_chosen(&mut inputs, &real);
            let step = Step { thread, real: real[thread], inputs, stopped: answers.stopped };
            let invented = noted.iter().any(|u| u.kind == UbKind::UninitializedRead);
            if invented {
                self.leave_out("a variable is read that was never written");
            }
            if ended.is_some()
                && let Some(node) = self.stack.last_mut()
            {
                node.needs_others = true;
            }
            match ended {
                None => found.push((rest, step)),
                // What lies deeper is not looked at, but other schedules may show an error.
                Some(Outcome::Error { function, .. }) if function == reports::TOO_DEEP => {
                    self.too_deep = true;
                    self.leave_out("a function calls itself deeper than it is followed");
                }
                Some(Outcome::Error { function, .. })
                    if self.bounded && function == reports::TOO_MANY_THREADS =>
                {
                    self.leave_out("a call makes more threads than are looked at");
                }
                Some(Outcome::Error { .. }) if !invented => {
                    return Err(Stop::Error(self.inputs(Some(step), Vec::new())));
                }
                Some(
                    Outcome::Error { .. }
                    | Outcome::Exit(_)
                    | Outcome::Abort { .. }
                    | Outcome::AssumptionFailed { .. },
                ) => {}
                Some(Outcome::OutOfBudget(limit)) => return Err(Stop::Limit(limit)),
                Some(Outcome::Undefined(found)) => self.leave_out(found.kind.message()),
                Some(Outcome::InputsExhausted { asked, .. }) => self.leave_out(&asked),
                Some(Outcome::Unsupported { what, .. }) => self.leave_out(&what),
            }
            if !answers.advance() {
                found.reverse();
                return Ok(found);
            }
        }
    }

    /// The inputs of the sequential program that lead to the last state and through one more step.
    pub(crate) fn inputs(&self, last: Option<Step>, end: Vec<Input>) -> InputTrace {
        let mut inputs = self.arguments();
        let mut running: Option<&Step> = None;
        let steps = self.stack.iter().filter_map(|node| node.step.as_ref());
        for step in steps.chain(last.as_ref()) {
            match (running, inputs.last_mut()) {
                (Some(before), Some(stops)) if before.real == step.real && before.stopped => {
                    *stops = nondet(0);
                }
                (Some(_), _) => {
                    inputs.extend(std::iter::repeat_n(nondet(0), step.real));
                    inputs.push(nondet(1));
                }
                (None, _) => {}
            }
            inputs.extend(step.inputs.iter().cloned());
            running = Some(step);
        }
        inputs.extend(end);
        InputTrace { inputs }
    }

    /// Arguments of the program, which nothing reads.
    fn arguments(&self) -> Vec<Input> {
        let program = &self.sequential.program;
        let Some(driver) = program.find_function(&self.sequential.entry) else {
            return Vec::new();
        };
        let params = program.funcs[driver].params.iter();
        let argument = |&param: &gnomon_ir::program::VarId| {
            let var = &program.vars[param];
            let name = gnomon_ir::program::source_name(&var.name).to_owned();
            let value = match program.types.is_pointer(var.ty) {
                true => ArgumentValue::Null,
                false => ArgumentValue::Bits(0),
            };
            Input::Argument { name, value }
        };
        params.map(argument).collect()
    }
}

fn nondet(value: u128) -> Input {
    Input::Nondet { value, line: None }
}

/// Answers what a thread asks, with each answer once: the last question has the next answer first.
pub(crate) struct Answers<'a> {
    sequential: &'a Sequential,
    inputs: Rc<Inputs>,
    thread: Option<usize>,
    /// For each question the number of the answer, and how many there are.
    given: Vec<(usize, usize)>,
    next: usize,
    /// How many values were asked for, and which of them are threads.
    asked: usize,
    chosen: Vec<usize>,
    pub stopped: bool,
    left_out: Option<String>,
    /// Answers are by chance.
    pub chance: Option<Chance>,
}

impl<'a> Answers<'a> {
    pub(crate) fn new(
        sequential: &'a Sequential,
        inputs: Rc<Inputs>,
        thread: Option<usize>,
    ) -> Self {
        let (given, next, asked, chosen, stopped, left_out) = Default::default();
        let chance = None;
        Self { sequential, inputs, thread, given, next, asked, chosen, stopped, left_out, chance }
    }

    fn restart(&mut self) {
        self.next = 0;
        self.asked = 0;
        self.chosen.clear();
        self.stopped = false;
    }

    /// The next answers, if there are more.
    fn advance(&mut self) -> bool {
        while let Some((answer, count)) = self.given.last_mut() {
            if *answer + 1 < *count {
                *answer += 1;
                return true;
            }
            self.given.pop();
        }
        false
    }

    fn pick(&mut self, count: usize) -> usize {
        self.stopped = false;
        if let Some(chance) = &mut self.chance {
            return chance.below(count);
        }
        if self.next == self.given.len() {
            self.given.push((0, count));
        }
        self.next += 1;
        self.given[self.next - 1].0
    }

    /// Threads that were chosen are those that really stand there.
    fn name_chosen(&self, inputs: &mut [Input], real: &[usize]) {
        let asked = inputs.iter_mut().filter_map(|input| match input {
            Input::Nondet { value, .. } => Some(value),
            _ => None,
        });
        for (position, value) in asked.enumerate() {
            let thread = real.get((*value as usize).wrapping_sub(1));
            if let (true, Some(&thread)) = (self.chosen.contains(&position), thread) {
                *value = thread as u128 + 1;
            }
        }
    }

    fn leave_out(&mut self, why: &str) {
        self.left_out.get_or_insert_with(|| why.to_owned());
    }

    fn mark(&self, at: Option<(FuncId, EdgeId)>) -> Mark {
        let thread = self.thread.map(|thread| &self.sequential.threads[thread]);
        let (Some(thread), Some((func, edge))) = (thread, at) else { return Mark::Nothing };
        let own = (thread.func == func).then(|| thread.marks.get(edge.0 as usize).copied());
        own.flatten().unwrap_or_default()
    }
}

impl InputSource for Answers<'_> {
    fn nondet(&mut self, asked: &Asked<'_>) -> Option<u128> {
        self.asked += 1;
        let sequential = self.sequential;
        let program = &sequential.program;
        let op = asked.at.and_then(|(func, edge)| {
            program.funcs[func].body.as_ref().map(|body| &body.edge(edge).op)
        });
        let var = match op {
            Some(Op::Havoc(place)) => program.exprs.root_var(*place),
            _ => None,
        };
        let stops = self.thread.map(|thread| sequential.threads[thread].stops);
        if var.is_some() && var == stops {
            self.stopped = true;
            return Some(1);
        }
        if var == Some(sequential.chosen) {
            let answer = self.pick(sequential.threads.len() + 1);
            self.chosen.push(self.asked - 1);
            return Some(if answer == 0 { u128::MAX } else { answer as u128 });
        }
        match self.mark(asked.at) {
            Mark::Asks => return Some(self.pick(2) as u128),
            // Reading it is noted.
            Mark::Declares => {
                self.stopped = false;
                return Some(0);
            }
            Mark::Nothing
            | Mark::Passes
            | Mark::Retreats
            | Mark::Makes
            | Mark::Numbers
            | Mark::Owes
            | Mark::Settles => {}
        }
        if let Some(values) = self.inputs.at(asked.at) {
            let values = values.to_vec();
            return Some(values[self.pick(values.len())]);
        }
        if asked.scalar != Scalar::Bool
            && let Some(chance) = &mut self.chance
        {
            let constants = self.inputs.constants();
            let value = constants[chance.below(constants.len())];
            return Some(gnomon_ir::ops::truncate(value, asked.scalar.width()));
        }
        if asked.scalar != Scalar::Bool {
            self.leave_out("the program takes numbers from outside");
        }
        Some(self.pick(2) as u128)
    }

    fn choice(&mut self, open: u32) -> Option<u32> {
        Some(self.pick(open as usize) as u32)
    }

    fn leaves_open(&mut self, at: Option<(FuncId, EdgeId)>) -> bool {
        self.mark(at) == Mark::Declares
    }

    fn argument(&mut self, _name: &str, _types: &Types, _ty: TypeId) -> Option<ArgumentValue> {
        None
    }
}
