//! A C file that makes the compiled program fail as predicted.
//!
//! The file defines what the program only declares: the sources of nondeterministic values with the
//! values that the run took, functions without a body with what they did, and the functions whose
//! call is the error. Linked with the program and executed, it ends with the status [`REACHED`]
//! when the error is reached. Which function asked for which value is found out by repeating the
//! run in the interpreter. Not everything that the model leaves open can be fed to a compiled
//! program (what was never written, which of two branches of assembler is taken): then there is no
//! such file, and [`NotReplayable`] says why.

mod text;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gnomon_budget::Budget;
use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::interp::{
    Arguments, Asked, CallEffect, Discarded, EdgeEvent, InputSource, Observer, RunOptions, State,
    TraceSource, interpret_observed,
};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_ir::trace::{ArgumentValue, InputTrace};
use gnomon_ir::types::{TypeId, Types};

use gnomon_engine::property::{ErrorSites, Site};

/// The status of a run that reached the error.
pub const REACHED: i32 = 77;
/// The status of a run in which an assumption of the program did not hold.
pub const ASSUMPTION_FAILED: i32 = 78;
/// The status of a run that asked for more values than were recorded.
pub const EXHAUSTED: i32 = 79;
/// What is printed to standard error when the error is reached.
pub const REACHED_MARK: &str = "gnomon: the error is reached";

/// Why a run cannot be repeated by the compiled program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReplayable {
    /// A value that no function returns.
    #[error("the run depends on {0}, which a compiled program cannot be given")]
    Value(String),
    /// The error cannot be seen from outside.
    #[error("{0} cannot be observed from outside of the program")]
    Site(String),
    /// The interpreter did not repeat the run.
    #[error("the run could not be repeated: {0}")]
    NotRepeated(String),
}

/// How the error shows itself when the compiled program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The harness defines the function that must not be called.
    Function {
        /// Its name.
        name: String,
        /// Whether the program defines it too, so that its own definition must be made weak.
        is_defined: bool,
    },
    /// A sanitizer of the compiler reports undefined behaviour in this line.
    Sanitizer {
        /// The file.
        file: String,
        /// The line.
        line: u32,
    },
}

/// A C file, and how to use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Harness {
    /// The C file.
    pub text: String,
    /// How the error shows itself.
    pub evidence: Evidence,
    /// The program's `main` must be renamed to [`RENAMED_MAIN`], because the file has one.
    pub has_main: bool,
    /// Allocations are answered by the file: link with `--wrap` for each of these functions.
    pub wrapped: &'static [&'static str],
}

/// What `main` of the program is called if the harness has one.
pub const RENAMED_MAIN: &str = "gnomon_program_main";

/// Allocation functions that a harness answers, if one of them failed in the run.
const ALLOCATORS: &[&str] = &["malloc", "calloc", "realloc"];

/// A failing run, and the program that it belongs to.
pub struct Failing<'a> {
    /// The program, with checks.
    pub program: &'a Program,
    /// Where runs begin.
    pub entry: &'a str,
    /// What must not be reached.
    pub sites: &'a ErrorSites,
    /// Edges of checks, which nobody wrote.
    pub inserted: &'a BTreeSet<(FuncId, EdgeId)>,
    /// What the run takes from outside.
    pub inputs: &'a InputTrace,
}

/// What functions and allocations answered, in order.
#[derive(Debug, Default)]
pub(crate) struct Answered {
    /// Results of functions, by name.
    pub results: BTreeMap<String, Vec<CallEffect>>,
    /// Whether allocations succeeded.
    pub allocations: Vec<bool>,
    /// Arguments of the entry function.
    pub arguments: Vec<(String, ArgumentValue)>,
    /// What no function can answer.
    problem: Option<String>,
}

/// The harness of a failing run.
pub fn harness(failing: &Failing<'_>, budget: &Budget) -> Result<Harness, NotReplayable> {
    let (answered, reached) = repeat(failing, budget);
    let site = reached.ok_or_else(|| {
        NotReplayable::NotRepeated("the interpreter did not reach the error".into())
    })?;
    if let Some(problem) = answered.problem {
        return Err(NotReplayable::Value(problem));
    }
    let evidence = evidence(failing, site)?;
    let has_main = failing.entry != "main" || !answered.arguments.is_empty();
    let fails = answered.allocations.contains(&false);
    let wrapped = if fails { ALLOCATORS } else { &[] };
    let text = text::c_file(failing, &answered, &evidence, has_main, fails)?;
    Ok(Harness { text, evidence, has_main, wrapped })
}

/// How the error at a site shows itself.
fn evidence(failing: &Failing<'_>, site: Site) -> Result<Evidence, NotReplayable> {
    let program = failing.program;
    let what = failing.sites.describe(site).to_owned();
    let Some(body) = &program.funcs[site.func].body else { return Err(NotReplayable::Site(what)) };
    let edge = body.edge(site.edge);
    let is_fault = !failing.sites.contains(site.func, site.edge);
    if is_fault || failing.inserted.contains(&(site.func, site.edge)) {
        let (file, line) = (program.files.name(edge.span.file).to_owned(), edge.span.line);
        return Ok(Evidence::Sanitizer { file, line });
    }
    match &edge.op {
        Op::Call(Call { callee: Callee::Direct(func), .. }) if failing.sites.forbids(*func) => {
            let function = &program.funcs[*func];
            let name = source_name(&function.name).to_owned();
            if function.name != name {
                // A static function of one of several files.
                return Err(NotReplayable::Site(what));
            }
            Ok(Evidence::Function { name, is_defined: function.body.is_some() })
        }
        _ => Err(NotReplayable::Site(what)),
    }
}

/// Repeats the run and notes who was asked for what.
fn repeat(failing: &Failing<'_>, budget: &Budget) -> (Answered, Option<Site>) {
    let taken = Rc::new(Cell::new(None));
    let mut watch = Watch { sites: failing.sites, taken: taken.clone(), reached: None };
    let mut source = Recorder {
        program: failing.program,
        taken,
        asked_at: None,
        trace: TraceSource::new(failing.inputs.clone()),
        answered: Answered::default(),
    };
    let options = RunOptions {
        entry: failing.entry.to_owned(),
        arguments: Arguments::FromInput,
        error_functions: Vec::new(),
        ..RunOptions::default()
    };
    let run = interpret_observed(
        failing.program,
        &options,
        &mut source,
        &mut Discarded,
        budget,
        &mut watch,
    );
    let fault = failing.sites.faults().of(&run).and_then(|fault| fault.site);
    (source.answered, watch.reached.or(fault))
}

/// The position of the run: how many edges were taken, and the last of them; nothing once the
/// error was reached.
type Position = Option<(u64, FuncId, EdgeId)>;

struct Watch<'a> {
    sites: &'a ErrorSites,
    taken: Rc<Cell<Position>>,
    reached: Option<Site>,
}

impl Observer for Watch<'_> {
    fn edge(&mut self, event: EdgeEvent, _state: &State<'_>) {
        let EdgeEvent { func, edge, .. } = event;
        if self.reached.is_some() {
            return;
        }
        if self.sites.contains(func, edge) {
            self.reached = Some(Site { func, edge });
            self.taken.set(None);
            return;
        }
        let count = self.taken.get().map_or(0, |(count, ..)| count);
        self.taken.set(Some((count + 1, func, edge)));
    }
}

struct Recorder<'a> {
    program: &'a Program,
    taken: Rc<Cell<Position>>,
    /// The last call that asked for a value: a second value at the same step is not its result.
    asked_at: Option<u64>,
    trace: TraceSource,
    answered: Answered,
}

impl Recorder<'_> {
    /// The source of nondeterministic values that is being called, if one is.
    fn called(&mut self) -> Option<String> {
        let (count, func, edge) = self.taken.get()?;
        if self.asked_at == Some(count) {
            return None;
        }
        let body = self.program.funcs[func].body.as_ref()?;
        let Op::Call(Call { callee: Callee::Direct(callee), .. }) = &body.edge(edge).op else {
            return None;
        };
        let callee = &self.program.funcs[*callee];
        let name = source_name(&callee.name);
        let library = classify(name, self.program.types.target());
        let asks = callee.body.is_none() && matches!(library, Library::Nondet(_));
        self.asked_at = Some(count);
        asks.then(|| name.to_owned())
    }

    fn problem(&mut self, what: String) {
        if self.taken.get().is_some() {
            self.answered.problem.get_or_insert(what);
        }
    }
}

impl InputSource for Recorder<'_> {
    fn nondet(&mut self, asked: &Asked<'_>) -> Option<u128> {
        let value = self.trace.nondet(asked)?;
        match self.called() {
            Some(name) => {
                let effect = CallEffect { result: Some(value), writes: Vec::new() };
                self.answered.results.entry(name).or_default().push(effect);
            }
            None => {
                let place = asked.line().map(|line| format!(" at {line}")).unwrap_or_default();
                self.problem(format!("a value that was never written{place}"));
            }
        }
        Some(value)
    }

    fn choice(&mut self, open: u32) -> Option<u32> {
        let chosen = self.trace.choice(open)?;
        self.problem("a choice between branches".to_owned());
        Some(chosen)
    }

    fn allocation(&mut self, bytes: u64) -> Option<bool> {
        let succeeds = self.trace.allocation(bytes)?;
        self.answered.allocations.push(succeeds);
        Some(succeeds)
    }

    fn call(&mut self, function: &str, result: Option<Scalar>) -> Option<CallEffect> {
        let effect = self.trace.call(function, result)?;
        self.answered.results.entry(function.to_owned()).or_default().push(effect.clone());
        Some(effect)
    }

    fn environment(&mut self, function: &str, result: Scalar) -> Option<u128> {
        let value = self.trace.environment(function, result)?;
        let effect = CallEffect { result: Some(value), writes: Vec::new() };
        self.answered.results.entry(function.to_owned()).or_default().push(effect);
        Some(value)
    }

    fn argument(&mut self, name: &str, types: &Types, ty: TypeId) -> Option<ArgumentValue> {
        let value = self.trace.argument(name, types, ty)?;
        self.answered.arguments.push((name.to_owned(), value.clone()));
        Some(value)
    }
}
