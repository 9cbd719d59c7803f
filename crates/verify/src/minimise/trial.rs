//! One run with inputs that somebody proposes: does it reach the same error?

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use gnomon_budget::{Budget, Cancel};
use gnomon_engine::property::{ErrorSites, Site};
use gnomon_engine::replay::Counterexample;
use gnomon_ir::interp::{
    Asked, CallEffect, Discarded, EdgeEvent, InputSource, Needs, Observer, RunOptions, State,
    UbKind, interpret_observed,
};
use gnomon_ir::library::{Library, can_return, classify, keeps_no_pointer, plain_name};
use gnomon_ir::ops::{self, Scalar};
use gnomon_ir::program::{Program, source_name};
use gnomon_ir::property::CheckKind;
use gnomon_ir::trace::{ArgumentValue, Input, InputTrace};
use gnomon_ir::types::{Target, TypeId, Types};

use super::size::{Number, size_of_argument};
use crate::decide::{self, Options};

/// An input, with the type that was asked for if it is a number that may be another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The input.
    pub input: Input,
    /// The type.
    pub scalar: Option<Scalar>,
    /// Whether any number of the type will do; else what functions of the library can return.
    pub is_free: bool,
}

impl Given {
    /// Of which the type is not known yet.
    pub fn of(input: Input) -> Self {
        Self { input, scalar: None, is_free: false }
    }

    /// The number that it is.
    pub fn number(&self) -> Option<Number> {
        let scalar = self.scalar?;
        let bits = match &self.input {
            Input::Nondet { value, .. } => *value,
            Input::Call { result, .. } => (*result)?,
            Input::Argument { value: ArgumentValue::Bits(bits), .. } => *bits,
            _ => return None,
        };
        Some(Number { scalar, bits: ops::truncate(bits, scalar.width()) })
    }

    /// Whether both answer the same question, but for when and where it is asked.
    pub fn is_asked_like(&self, other: &Self) -> bool {
        match (&self.input, &other.input) {
            (Input::Nondet { .. }, Input::Nondet { .. }) => true,
            (Input::Call { function: one, .. }, Input::Call { function: another, .. }) => {
                one == another
            }
            _ => false,
        }
    }

    /// The same with another number of its type, if it is a number and has that one.
    pub fn with_number(&self, value: i128) -> Option<Self> {
        let number = Number::of(self.scalar?, value)?;
        if let Input::Call { function, .. } = &self.input
            && !self.is_free
            && !can_return(plain_name(function), value)
        {
            return None;
        }
        self.number()?;
        Some(self.with(number))
    }

    /// The same with other bits.
    pub fn with(&self, number: Number) -> Self {
        let mut given = self.clone();
        match &mut given.input {
            Input::Nondet { value, .. } => *value = number.bits,
            Input::Call { result, .. } => *result = Some(number.bits),
            Input::Argument { value, .. } => *value = ArgumentValue::Bits(number.bits),
            Input::Allocation { .. } | Input::Choice { .. } => {}
        }
        given
    }

    fn size(&self) -> u128 {
        match (&self.input, self.number()) {
            (_, Some(number)) => number.size(),
            (Input::Argument { value, .. }, None) => size_of_argument(value),
            (Input::Choice { edge }, None) => u128::from(*edge),
            (Input::Allocation { succeeds }, None) => u128::from(!succeeds),
            (Input::Nondet { value, .. }, None) => *value,
            (Input::Call { result, .. }, None) => result.unwrap_or(0),
        }
    }
}

/// Whether a function without a body is no function of the library: it can return anything.
fn is_free(function: &str, target: Target) -> bool {
    classify(function, target) == Library::Unknown
        && !keeps_no_pointer(plain_name(function))
        && !function.starts_with("__")
}

/// A run that reaches the error.
#[derive(Clone, Debug)]
pub struct Tried {
    /// What it took from outside.
    pub inputs: Vec<Given>,
    /// How many edges it took.
    pub length: u64,
    /// How often it looked at its budget.
    pub looks: u64,
    /// The forbidden edges that it passed before.
    passed: BTreeSet<Site>,
    /// Undefined behaviour that did not end it.
    noted: BTreeSet<(Option<Site>, UbKind)>,
}

impl Tried {
    /// What is to be small, the most important first: steps, inputs, numbers, and then how long they are to
    /// write, so that of numbers with the same sum one large one is better than two.
    pub fn measure(&self) -> (u64, usize, u128, u32) {
        let sizes = self.inputs.iter().map(Given::size);
        let bits = sizes.clone().map(|size| u128::BITS - size.leading_zeros()).sum();
        (self.length, self.inputs.len(), sizes.fold(0, u128::saturating_add), bits)
    }

    /// What it took from outside.
    pub fn trace(&self) -> InputTrace {
        InputTrace { inputs: self.inputs.iter().map(|given| given.input.clone()).collect() }
    }
}

/// Executes the program and looks for one error.
pub struct Trial<'a> {
    program: &'a Program,
    options: RunOptions,
    asked: &'a ErrorSites,
    all: &'a ErrorSites,
    site: Site,
    fault: Option<CheckKind>,
    /// Functions without a body that the run called and that can do anything.
    free: BTreeSet<String>,
    /// A run may pass and do beside what this one did, the first one, that is to become shorter.
    allowed: Option<Tried>,
    budget: &'a Budget,
    /// What beginning a run costs, in steps.
    pub start_steps: u64,
}

impl<'a> Trial<'a> {
    /// For the error of a run, where `asked` is what may end a run and `all` what must not be passed
    /// if the run does not.
    pub fn new(
        program: &'a Program,
        options: &Options,
        asked: &'a ErrorSites,
        all: &'a ErrorSites,
        run: &Counterexample,
        budget: &'a Budget,
    ) -> Option<Self> {
        let target = program.types.target();
        let called = run.inputs.inputs.iter().filter_map(|input| match input {
            Input::Call { function, .. } if is_free(function, target) => Some(function),
            _ => None,
        });
        let gives_pointer = |name: &str| {
            let mut named = program.funcs.iter().filter(|f| source_name(&f.name) == name);
            named.any(|f| {
                let signature = program.types.signature(f.ty);
                signature.is_none_or(|signature| program.types.is_pointer(signature.result))
            })
        };
        let free = called.filter(|name| !gives_pointer(name)).cloned().collect();
        let start_steps = (program.funcs.len() + program.vars.len()) as u64 / 8 + 50;
        Some(Self {
            program,
            options: decide::run_options(program, options).ok()?,
            asked,
            all,
            site: run.site,
            fault: run.fault,
            free,
            allowed: None,
            budget,
            start_steps,
        })
    }

    /// From now on runs may only pass and do what this one did.
    pub fn allow(&mut self, run: &Tried) {
        self.allowed = Some(run.clone());
    }

    /// A run with these inputs, and zeros behind them, of so many steps at most. If it does not reach
    /// the error as it should, the steps that it took.
    pub fn execute(&self, inputs: &[Given], most: u64) -> Result<Tried, u64> {
        let budget = self.budget.cancellable();
        let is_over = Rc::new(Cell::new(false));
        let mut source = Proposed::new(inputs, self, is_over.clone());
        let mut watch = Watch {
            trial: self,
            most,
            cancel: budget.cancel_handle(),
            is_over,
            length: 0,
            passed: BTreeSet::new(),
            reached: false,
        };
        let run = interpret_observed(
            self.program,
            &self.options,
            &mut source,
            &mut Discarded,
            &budget,
            &mut watch,
        );
        let Watch { length, passed, reached, .. } = watch;
        let is_same = match self.fault {
            None => reached,
            Some(kind) => self.asked.faults().of(&run).is_some_and(|fault| {
                fault.kind == kind && fault.site.is_none_or(|site| site == self.site)
            }),
        };
        let site = |site: gnomon_ir::interp::Site| Site { func: site.func, edge: site.edge };
        let noted = run.noted.iter().map(|found| (found.site.map(site), found.kind)).collect();
        let is_allowed = self
            .allowed
            .as_ref()
            .is_none_or(|first| passed.is_subset(&first.passed) && first.noted.is_superset(&noted));
        if !is_same || !is_allowed || length > most {
            // Edges that were leapt over took no time.
            return Err(length.min(most));
        }
        let inputs = source.typed(run.trace);
        Ok(Tried { inputs, length, looks: budget.steps(), passed, noted })
    }
}

/// Watches a run, and ends it when it has reached the error or cannot do so any more.
struct Watch<'t> {
    trial: &'t Trial<'t>,
    most: u64,
    cancel: Cancel,
    is_over: Rc<Cell<bool>>,
    length: u64,
    passed: BTreeSet<Site>,
    reached: bool,
}

impl Watch<'_> {
    fn end(&self) {
        self.is_over.set(true);
        self.cancel.cancel();
    }
}

impl Observer for Watch<'_> {
    fn needs(&self) -> Needs {
        Needs::Edges
    }

    fn skipped(&mut self, edges: u64) {
        self.length = self.length.saturating_add(edges);
        if self.length > self.most {
            self.end();
        }
    }

    fn edge(&mut self, event: EdgeEvent, _state: &State<'_>) {
        if self.reached {
            return;
        }
        self.length += 1;
        if self.length > self.most {
            return self.end();
        }
        let EdgeEvent { func, edge, .. } = event;
        if !self.trial.all.contains(func, edge) {
            return;
        }
        let here = Site { func, edge };
        if self.trial.fault.is_none() && here == self.trial.site {
            self.reached = true;
            return self.end();
        }
        self.passed.insert(here);
    }
}

/// Answers what is proposed, each kind of question in its own order, so that one that is left out does
/// not disturb the others; then zeros.
struct Proposed<'a> {
    numbers: VecDeque<u128>,
    choices: VecDeque<u32>,
    allocations: VecDeque<bool>,
    calls: BTreeMap<&'a str, VecDeque<CallEffect>>,
    arguments: BTreeMap<&'a str, &'a ArgumentValue>,
    free: &'a BTreeSet<String>,
    target: Target,
    is_over: Rc<Cell<bool>>,
    /// The types of numbers that were asked for, of results of functions and of arguments.
    asked: VecDeque<Scalar>,
    results: VecDeque<(Option<Scalar>, bool)>,
    typed_arguments: BTreeMap<String, Option<Scalar>>,
}

impl<'a> Proposed<'a> {
    fn new(inputs: &'a [Given], trial: &'a Trial<'_>, is_over: Rc<Cell<bool>>) -> Self {
        let mut proposed = Self {
            numbers: VecDeque::new(),
            choices: VecDeque::new(),
            allocations: VecDeque::new(),
            calls: BTreeMap::new(),
            arguments: BTreeMap::new(),
            free: &trial.free,
            target: trial.program.types.target(),
            is_over,
            asked: VecDeque::new(),
            results: VecDeque::new(),
            typed_arguments: BTreeMap::new(),
        };
        for given in inputs {
            match &given.input {
                Input::Nondet { value, .. } => proposed.numbers.push_back(*value),
                Input::Choice { edge } => proposed.choices.push_back(*edge),
                Input::Allocation { succeeds } => proposed.allocations.push_back(*succeeds),
                Input::Call { function, result, writes } => {
                    let effect = CallEffect { result: *result, writes: writes.clone() };
                    proposed.calls.entry(function).or_default().push_back(effect);
                }
                Input::Argument { name, value } => {
                    proposed.arguments.insert(name, value);
                }
            }
        }
        proposed
    }

    /// What the run took, with the types that it asked for.
    fn typed(mut self, trace: InputTrace) -> Vec<Given> {
        let mut typed = |input: Input| {
            let (scalar, is_free) = match &input {
                Input::Nondet { .. } => (self.asked.pop_front(), true),
                Input::Call { .. } => self.results.pop_front().unwrap_or_default(),
                Input::Argument { name, .. } => {
                    (self.typed_arguments.get(name).copied().flatten(), true)
                }
                Input::Allocation { .. } | Input::Choice { .. } => (None, false),
            };
            Given { input, scalar, is_free }
        };
        trace.inputs.into_iter().map(&mut typed).collect()
    }

    fn effect(&mut self, name: &str, result: Option<Scalar>) -> Option<CallEffect> {
        let planned = self.calls.get_mut(name).and_then(VecDeque::pop_front);
        let is_free = self.free.contains(name);
        let nothing = || CallEffect { result: result.map(|_| 0), writes: Vec::new() };
        let effect = planned.or_else(|| is_free.then(nothing))?;
        // What a call writes goes with what it returns.
        let is_number = effect.writes.is_empty() && effect.result.is_some();
        let may_change = is_free || classify(name, self.target) == Library::Environment;
        self.results.push_back((result.filter(|_| is_number && may_change), is_free));
        Some(effect)
    }
}

impl InputSource for Proposed<'_> {
    fn nondet(&mut self, asked: &Asked<'_>) -> Option<u128> {
        if self.is_over.get() {
            return None;
        }
        self.asked.push_back(asked.scalar);
        Some(ops::truncate(self.numbers.pop_front().unwrap_or(0), asked.scalar.width()))
    }

    fn choice(&mut self, open: u32) -> Option<u32> {
        let choice = self.choices.pop_front().unwrap_or(0);
        (!self.is_over.get()).then_some(if choice < open { choice } else { 0 })
    }

    fn allocation(&mut self, _bytes: u64) -> Option<bool> {
        (!self.is_over.get()).then(|| self.allocations.pop_front().unwrap_or(true))
    }

    fn call(&mut self, function: &str, result: Option<Scalar>) -> Option<CallEffect> {
        self.effect(function, result)
    }

    fn environment(&mut self, function: &str, result: Scalar) -> Option<u128> {
        self.effect(function, Some(result))?.result
    }

    fn argument(&mut self, name: &str, types: &Types, ty: TypeId) -> Option<ArgumentValue> {
        let is_pointer = types.is_pointer(ty);
        let scalar = types.scalar(ty).filter(|_| !is_pointer);
        self.typed_arguments.insert(name.to_owned(), scalar);
        let least = if is_pointer { ArgumentValue::Null } else { ArgumentValue::Bits(0) };
        Some(self.arguments.get(name).map_or(least, |value| (*value).clone()))
    }
}
