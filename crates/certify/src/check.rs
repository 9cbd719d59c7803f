//! The checker: initiation, consecution and safety, block by block.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::cfa::{EdgeId, LocId};
use gnomon_ir::expr::{PlaceId, PlaceKind};
use gnomon_ir::interp::{
    Arguments, Discarded, EdgeEvent, InputSource, Needs, Observer, Outcome as RunOutcome,
    RunOptions, State as RunState, interpret_observed,
};
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::solver::sat::SatSolver;
use gnomon_logic::solver::{for_bits, for_search};
use gnomon_logic::{Answer, Limits, Purpose, Solver, Term};

use crate::blocks::{BlockError, Calls, Exits, Explorer, Place, believed_calls, loop_heads};
use crate::certificate::{
    Alias, AliasObject, CallTargets, Certificate, Claim, CutPoint, Formulas, Held, LeftOut, Node,
};
use crate::machine::{Machine, Unsupported};
use crate::rest::{Writes, rest};
use crate::state::{Slot, State};
use crate::summaries::Summaries;

/// What must not happen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forbidden {
    /// Edges that must not be taken.
    pub edges: BTreeSet<(FuncId, EdgeId)>,
    /// Functions that must not be called, not even through a pointer.
    pub functions: BTreeSet<FuncId>,
}

/// What the checker says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The claim is proved.
    Accepted,
    /// The claim is proved, if pointers point where so many facts of the certificate say.
    AcceptedTrusting(usize),
    /// The claim is wrong as it stands, and how.
    Refused(String),
    /// The checker cannot tell, and why.
    NotDecided(String),
}

/// At most so long a proof is looked at without the facts of its certificate, if there are any.
const TIME_ALONE: Duration = Duration::from_secs(4);
/// Time of one query.
const QUERY_TIME: Duration = Duration::from_secs(30);
/// Resources of one query.
const RESOURCES: u32 = 60_000_000;
/// What the first solver may use before a SAT solver is asked, and what that may use. What one of them does
/// not find in minutes, the other often finds at once.
const RESOURCES_AT_FIRST: u32 = 3_000_000;
const RESOURCES_OF_SAT: u32 = 12_000_000;
/// Iterations of an unwinding.
const MAX_LAYERS: usize = 10_000;

/// Why a check ended early.
pub(crate) enum Stop {
    Refused(String),
    NotDecided(String),
}

impl From<Unsupported> for Stop {
    fn from(what: Unsupported) -> Self {
        Stop::NotDecided(what.0)
    }
}

impl From<Exhausted> for Stop {
    fn from(limit: Exhausted) -> Self {
        Stop::NotDecided(limit.to_string())
    }
}

impl From<BlockError> for Stop {
    fn from(error: BlockError) -> Self {
        match error {
            BlockError::Loop(_) => Stop::Refused(error.to_string()),
            other => Stop::NotDecided(other.to_string()),
        }
    }
}

/// Checks the claim of a certificate about runs of a program from `entry`. Whether the certificate is
/// one of this program and this property, [`Certificate::is_about`] says.
pub fn check(
    program: &Program,
    entry: FuncId,
    forbidden: &Forbidden,
    certificate: &Certificate,
    budget: &Budget,
) -> Outcome {
    let rest = match rest(program, &certificate.left_out) {
        _ if certificate.left_out.is_empty() => None,
        Some(rest) => Some(rest),
        None => return Outcome::NotDecided("what is left out is not in the program".into()),
    };
    let looked_at = rest.as_ref().unwrap_or(program);
    let check_with = |trust, budget: &Budget| {
        check_with((program, looked_at), entry, forbidden, certificate, trust, budget)
    };
    let facts = certificate.aliases.len() + certificate.calls.len();
    let first = match (facts == 0, budget.time_left()) {
        (false, Some(left)) => budget.with_time((left / 4).min(TIME_ALONE)),
        _ => budget.clone(),
    };
    let alone = check_with(Trust::Nothing, &first);
    let Outcome::NotDecided(_) = alone else { return alone };
    if facts == 0 {
        return alone;
    }
    match check_with(Trust::Facts, budget) {
        Outcome::Accepted => Outcome::AcceptedTrusting(facts),
        // Facts that are not repeated are no reason to refuse.
        Outcome::Refused(reason) | Outcome::NotDecided(reason) => Outcome::NotDecided(reason),
        trusting @ Outcome::AcceptedTrusting(_) => trusting,
    }
}

/// What invariants say about errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Errors {
    /// They exclude them, in every block.
    Excluded,
    /// Nothing: that is shown otherwise.
    Ignored,
}

/// Whether the facts of a certificate are believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    Nothing,
    Facts,
}

/// What checks need to know.
#[derive(Clone, Copy)]
struct Believed<'c> {
    /// The program without anything left out.
    whole: &'c Program,
    left_out: &'c [LeftOut],
    aliases: &'c [Alias],
    calls: &'c [CallTargets],
    memory: &'c [Held],
    escaped: Option<&'c [AliasObject]>,
    /// Whether formulas speak of where allocated objects begin.
    remembers: bool,
}

impl Believed<'_> {
    fn machine<'p>(&self, program: &'p Program) -> Result<Machine<'p>, Unsupported> {
        let Self { whole, aliases, memory, remembers, .. } = *self;
        let mut machine = Machine::with_parts_of(program, whole, aliases, memory, remembers)?;
        machine.escaped = self.escaped.map(|escaped| escaped.iter().copied().collect());
        Ok(machine)
    }

    /// Whether what is left out writes nothing that was read.
    fn cannot_matter(&self, forbidden: &Forbidden, read: &BTreeSet<Slot>) -> Result<(), Stop> {
        let machine = self.machine(self.whole)?;
        let believed = &believed_calls(self.whole, self.calls);
        Writes { machine: &machine, forbidden, believed, read }.cannot_matter(self.left_out)
    }
}

fn check_with(
    (whole, program): (&Program, &Program),
    entry: FuncId,
    forbidden: &Forbidden,
    certificate: &Certificate,
    trust: Trust,
    budget: &Budget,
) -> Outcome {
    let formulas = match &certificate.claim {
        Claim::Invariants { formulas, .. }
        | Claim::ForAll { formulas, .. }
        | Claim::KInduction { formulas, .. }
        | Claim::Summaries { formulas, .. } => Some(formulas),
        _ => None,
    };
    let nodes = formulas.map_or(&[][..], |formulas| &formulas.nodes[..]);
    let is_begins = |node: &Node| matches!(node, Node::Variable { name, .. } | Node::AtEntry { name, .. } if name == "heap::begins");
    let (aliases, calls, escaped) = match trust {
        Trust::Nothing => (&[][..], &[][..], None),
        Trust::Facts => {
            (&certificate.aliases[..], &certificate.calls[..], certificate.escaped.as_deref())
        }
    };
    let (memory, remembers) = (&certificate.memory, nodes.iter().any(is_begins));
    let left_out = &certificate.left_out[..];
    let believed = Believed { whole, left_out, aliases, calls, memory, escaped, remembers };
    let checked = match &certificate.claim {
        Claim::NoErrorSite | Claim::OnlyRun | Claim::AllPaths | Claim::Summaries { .. }
            if !left_out.is_empty() =>
        {
            Err(Stop::NotDecided("something is left out of a claim of this kind".into()))
        }
        Claim::NoErrorSite => no_error_site(program, forbidden),
        Claim::OnlyRun => only_run(program, entry, forbidden, budget),
        Claim::AllExecutions => {
            with_checker(program, forbidden, Calls::Once, believed, budget, |checker| {
                checker.solver = Box::new(for_search());
                checker.unwind_all(entry)
            })
        }
        Claim::AllPaths => {
            with_checker(program, forbidden, Calls::Again, believed, budget, |checker| {
                checker.follow_paths(entry)
            })
        }
        Claim::Summaries { formulas, places } => {
            summarised(program, entry, forbidden, (formulas, places), believed, budget)
        }
        Claim::KInduction { k, formulas, places } => cut_points(program, places).and_then(|cuts| {
            with_checker(program, forbidden, Calls::Once, believed, budget, |checker| {
                checker.solver = Box::new(for_search());
                checker.induct_from_blocks(entry, *k, formulas, &cuts)
            })
        }),
        Claim::ForAll { formulas, places, instances } => {
            cut_points(program, places).and_then(|cuts| {
                with_checker(program, forbidden, Calls::Once, believed, budget, |checker| {
                    checker.instances = instances.clone();
                    checker.induct(entry, formulas, &cuts, Errors::Excluded).map(|_| ())
                })
                .map_err(for_instances)
            })
        }
        Claim::Invariants { formulas, places } => cut_points(program, places).and_then(|cuts| {
            let checked =
                with_checker(program, forbidden, Calls::Once, believed, budget, |checker| {
                    checker.induct(entry, formulas, &cuts, Errors::Excluded).map(|_| ())
                });
            let over_positions = formulas.nodes.iter().any(|n| matches!(n, Node::Position(_)));
            match checked {
                Err(Stop::Refused(reason)) if over_positions => Err(Stop::NotDecided(format!(
                    "{reason}, for the positions of arrays that were looked at"
                ))),
                other => other,
            }
        }),
    };
    match checked {
        Ok(()) => Outcome::Accepted,
        Err(Stop::Refused(reason)) => Outcome::Refused(reason),
        Err(Stop::NotDecided(reason)) => Outcome::NotDecided(reason),
    }
}

/// Other instances might do: what fails for some is no refusal.
fn for_instances(stop: Stop) -> Stop {
    match stop {
        Stop::Refused(reason) => {
            Stop::NotDecided(format!("{reason}, for the positions that were looked at"))
        }
        other => other,
    }
}

/// Checks with a checker of its own. A refusal is one only as far as things are known.
fn with_checker(
    program: &Program,
    forbidden: &Forbidden,
    calls: Calls<'_>,
    believed: Believed<'_>,
    budget: &Budget,
    work: impl FnOnce(&mut Checker<'_>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut checker = Checker {
        program,
        explorer: Explorer::new(program, forbidden, calls).believing(believed.calls),
        machine: believed.machine(program)?,
        solver: for_bits(),
        second: None,
        budget: budget.clone(),
        instances: Vec::new(),
    };
    let checked = work(&mut checker);
    let checked = checker.as_far_as_known(checked);
    if believed.left_out.is_empty() {
        return checked;
    }
    match checked {
        Ok(()) => believed.cannot_matter(forbidden, &checker.machine.read),
        // The rest may do more than the program.
        Err(Stop::Refused(reason)) => {
            Err(Stop::NotDecided(format!("{reason}, where something is left out")))
        }
        stopped => stopped,
    }
}

fn summarised(
    program: &Program,
    entry: FuncId,
    forbidden: &Forbidden,
    (formulas, places): (&Formulas, &[CutPoint]),
    believed: Believed<'_>,
    budget: &Budget,
) -> Result<(), Stop> {
    let summaries = Summaries::new(&believed.machine(program)?, formulas, places)?;
    with_checker(program, forbidden, Calls::Summarised(&summaries), believed, budget, |checker| {
        checker.summarise(entry, &summaries)
    })
}

/// Whether something is accessed through a pointer.
fn follows_pointers(program: &Program) -> bool {
    let exprs = &program.exprs;
    let mut places = (0..exprs.place_count()).map(|at| exprs.place(PlaceId(at as u32)).kind);
    places.any(|kind| matches!(kind, PlaceKind::Deref(_)))
}

fn no_error_site(program: &Program, forbidden: &Forbidden) -> Result<(), Stop> {
    let calls_through_pointers = program.funcs.iter().filter_map(|f| f.body.as_ref()).any(|body| {
        body.edges().iter().any(|edge| {
            use gnomon_ir::cfa::{Callee, Op};
            matches!(&edge.op, Op::Call(call) if matches!(call.callee, Callee::Indirect(_)))
        })
    });
    if !forbidden.edges.is_empty() {
        return Err(Stop::Refused("there is an error site".into()));
    }
    if calls_through_pointers && !forbidden.functions.is_empty() {
        return Err(Stop::NotDecided("calls through pointers".into()));
    }
    Ok(())
}

/// Notes whether a forbidden edge is taken.
struct Watch<'a> {
    forbidden: &'a Forbidden,
    taken: bool,
}

impl Observer for Watch<'_> {
    fn needs(&self) -> Needs {
        Needs::Edges
    }

    fn edge(&mut self, event: EdgeEvent, _state: &RunState<'_>) {
        self.taken |= self.forbidden.edges.contains(&(event.func, event.edge));
    }
}

/// Answers nothing, so that a run which asks ends.
struct NoInput;

impl InputSource for NoInput {
    fn nondet(&mut self, _asked: &gnomon_ir::interp::Asked<'_>) -> Option<u128> {
        None
    }

    fn choice(&mut self, _open: u32) -> Option<u32> {
        None
    }

    fn argument(
        &mut self,
        _name: &str,
        _types: &gnomon_ir::types::Types,
        _ty: gnomon_ir::types::TypeId,
    ) -> Option<gnomon_ir::trace::ArgumentValue> {
        None
    }
}

fn only_run(
    program: &Program,
    entry: FuncId,
    forbidden: &Forbidden,
    budget: &Budget,
) -> Result<(), Stop> {
    if may_change_memory(program) {
        return Err(Stop::NotDecided("assembler may change memory".into()));
    }
    let mut watch = Watch { forbidden, taken: false };
    let options = RunOptions {
        entry: program.funcs[entry].name.clone(),
        arguments: Arguments::FromInput,
        ..RunOptions::default()
    };
    let (mut inputs, mut sink) = (NoInput, Discarded);
    let run = interpret_observed(program, &options, &mut inputs, &mut sink, budget, &mut watch);
    match run.outcome {
        _ if watch.taken => Err(Stop::Refused("the run reaches an error".into())),
        RunOutcome::Exit(_) | RunOutcome::Abort { .. } | RunOutcome::AssumptionFailed { .. } => {
            match run.noted.first() {
                None => Ok(()),
                Some(noted) => Err(Stop::NotDecided(noted.kind.message().to_string())),
            }
        }
        RunOutcome::Error { function, .. } => {
            Err(Stop::Refused(format!("the run calls {function}")))
        }
        RunOutcome::InputsExhausted { asked, .. } => {
            Err(Stop::Refused(format!("the run asks for {asked}")))
        }
        _ => Err(Stop::NotDecided("the run does not end by itself".into())),
    }
}

/// Whether assembler may change memory; the run that is executed is one in which it does not.
fn may_change_memory(program: &Program) -> bool {
    let bodies = program.funcs.iter().filter_map(|function| function.body.as_ref());
    let mut edges = bodies.flat_map(|body| body.edges().iter());
    edges.any(|edge| matches!(edge.op, gnomon_ir::cfa::Op::HavocMemory))
}

/// The invariants by place.
fn cut_points(
    program: &Program,
    places: &[crate::certificate::CutPoint],
) -> Result<BTreeMap<Place, u32>, Stop> {
    let unknown = |name: &str| Stop::Refused(format!("there is no function `{name}`"));
    let function = |name: &str| program.find_function(name).ok_or_else(|| unknown(name));
    let mut cuts = BTreeMap::new();
    for place in places {
        let mut calls = Vec::new();
        for (caller, edge) in place.calls.iter().rev() {
            calls.push((function(caller)?, EdgeId(*edge)));
        }
        let (func, loc) = (function(&place.function)?, LocId(place.location));
        if cuts.insert(Place { calls, func, loc }, place.formula).is_some() {
            return Err(Stop::Refused("a location has two invariants".into()));
        }
    }
    Ok(cuts)
}

type Heads = BTreeMap<FuncId, BTreeSet<LocId>>;

/// Whether blocks end at a place: where there is an invariant, and at every other loop head, which
/// nobody may come to then.
fn is_end(cuts: &BTreeMap<Place, u32>, heads: &Heads, place: &Place) -> bool {
    cuts.contains_key(place) || heads[&place.func].contains(&place.loc)
}

pub(crate) struct Checker<'p> {
    program: &'p Program,
    pub(crate) explorer: Explorer<'p>,
    pub(crate) machine: Machine<'p>,
    solver: Box<dyn Solver>,
    /// Who is asked what the solver does not decide soon; made when it is needed.
    second: Option<SatSolver>,
    pub(crate) budget: Budget,
    /// Values of positions for which what holds at the beginning of a block is taken.
    instances: Vec<Vec<(String, u32)>>,
}

impl Checker<'_> {
    /// A refusal is one only if nothing was taken to do more than it does.
    fn as_far_as_known(&self, checked: Result<(), Stop>) -> Result<(), Stop> {
        let Err(Stop::Refused(reason)) = checked else { return checked };
        Err(match &self.machine.approximated {
            Some(name) => Stop::NotDecided(format!("{reason}, if `{name}` does anything")),
            None if follows_pointers(self.program) => {
                Stop::NotDecided(format!("{reason}, if pointers may point to any object"))
            }
            None => Stop::Refused(reason),
        })
    }

    pub(crate) fn start(&self, entry: FuncId) -> Result<Place, Stop> {
        match &self.program.funcs[entry].body {
            Some(body) => Ok(Place { calls: Vec::new(), func: entry, loc: body.entry() }),
            None => Err(Stop::Refused("the entry function has no body".into())),
        }
    }

    /// Invariants: every block from a cut point to the next. Gives the cut points that blocks lead
    /// to.
    fn induct(
        &mut self,
        entry: FuncId,
        formulas: &Formulas,
        cuts: &BTreeMap<Place, u32>,
        errors: Errors,
    ) -> Result<BTreeSet<Place>, Stop> {
        let start = self.start(entry)?;
        let heads = self.heads();
        let is_cut = |place: &Place| is_end(cuts, &heads, place);
        let mut reached: BTreeSet<Place> = BTreeSet::new();
        let mut work: Vec<Option<Place>> = vec![None];
        while let Some(next) = work.pop() {
            self.budget.check()?;
            self.machine.begin_block();
            let assumed = next.as_ref().map(|place| cuts[place]);
            let (from, state) = match next {
                None => (start.clone(), self.machine.initial()?),
                Some(place) => {
                    let state = self.machine.beginning_with(formulas, cuts[&place])?;
                    (place, state)
                }
            };
            let mut exits =
                self.explorer.block(&mut self.machine, &from, state, &is_cut, &self.budget)?;
            if errors == Errors::Ignored {
                exits.errors.clear();
                exits.unknown.clear();
            }
            if let Some(root) = assumed {
                let beginning = State::new(&self.machine.terms);
                let instances = self.machine.instances(&beginning, formulas, root)?;
                self.machine.background.extend(instances);
                let Self { machine, instances, .. } = self;
                let own = machine.instantiated(&beginning, formulas, root, instances)?;
                machine.background.extend(own);
            }
            let mut broken = Vec::new();
            for (place, state) in &exits.arrivals {
                let name = &self.program.funcs[place.func].name;
                let Some(&root) = cuts.get(place) else {
                    broken.push((format!("a loop in {name} has no invariant"), state.condition));
                    continue;
                };
                let formula = self.machine.formula(state, formulas, root)?;
                let not = self.machine.terms.not(formula);
                let violated = self.machine.terms.and2(state.condition, not);
                broken.push((format!("an invariant in {name} is not inductive"), violated));
            }
            self.must_not(&exits, broken)?;
            for place in exits.arrivals.into_keys().filter(|place| cuts.contains_key(place)) {
                if reached.insert(place.clone()) {
                    work.push(Some(place));
                }
            }
        }
        Ok(reached)
    }

    /// k-induction: the invariants are inductive, no error is reached within k blocks from the start
    /// (base), nor in the last of k blocks from any place where an invariant holds (step). What is
    /// not followed counts as an error. Suppose a run takes a forbidden edge in its block n. If n is
    /// at most k, the base excludes it. Else its block n - k + 1 began at a cut point, where the
    /// invariant holds, since nothing before was left out; and the step excludes it.
    fn induct_from_blocks(
        &mut self,
        entry: FuncId,
        k: u32,
        formulas: &Formulas,
        cuts: &BTreeMap<Place, u32>,
    ) -> Result<(), Stop> {
        if k == 0 {
            return Err(Stop::Refused("induction needs a block".into()));
        }
        let heads = self.heads();
        let is_cut = |place: &Place| is_end(cuts, &heads, place);
        let reached = self.induct(entry, formulas, cuts, Errors::Ignored)?;
        self.machine.begin_block();
        let initial = self.machine.initial()?;
        let start = self.start(entry)?;
        self.unwind((start, initial), &is_cut, k as usize)?;
        for place in reached {
            self.machine.begin_block();
            let mut state = State::new(&self.machine.terms);
            let formula = self.machine.formula(&state, formulas, cuts[&place])?;
            state.assume(&mut self.machine.terms, formula);
            let mut front = BTreeMap::from([(place, state)]);
            for passed in 1..=k {
                let mut next: BTreeMap<Place, State> = BTreeMap::new();
                for (place, state) in front {
                    self.budget.check()?;
                    let exits = self.explorer.block(
                        &mut self.machine,
                        &place,
                        state,
                        &is_cut,
                        &self.budget,
                    )?;
                    if passed == k {
                        self.must_not(&exits, Vec::new())?;
                    }
                    for (place, state) in exits.arrivals {
                        self.join(&mut next, place, state);
                    }
                }
                front = next;
            }
        }
        Ok(())
    }

    /// Summaries: every function from each of its places to the next, for all functions that calls
    /// lead to.
    fn summarise(&mut self, entry: FuncId, summaries: &Summaries<'_>) -> Result<(), Stop> {
        let start = self.start(entry)?;
        let formulas = summaries.formulas();
        let initial = self.machine.initial()?;
        let Some(first) = summaries.at(entry, start.loc) else {
            return Err(Stop::Refused("there is no summary of the entry function".into()));
        };
        self.machine.at_entry = Some(initial.clone());
        let formula = self.machine.formula(&initial, formulas, first)?;
        let violated = self.machine.terms.not(formula);
        let what = "the program does not start as its summary says".to_owned();
        self.must_not(&Exits::default(), vec![(what, violated)])?;
        // Functions without a summary cannot be called, and others may be looked at in vain.
        for func in self.program.funcs.ids() {
            for (loc, assumed) in summaries.places(func) {
                self.budget.check()?;
                let from = Place { calls: Vec::new(), func, loc };
                self.summarised_block(summaries, &from, assumed)?;
            }
        }
        Ok(())
    }

    /// From a place of a function to the next ones.
    fn summarised_block(
        &mut self,
        summaries: &Summaries<'_>,
        from: &Place,
        assumed: u32,
    ) -> Result<(), Stop> {
        let formulas = summaries.formulas();
        let Some(body) = &self.program.funcs[from.func].body else { return Ok(()) };
        let entry = body.entry();
        self.machine.begin_block();
        let at_entry = match from.loc == entry {
            true => State::new(&self.machine.terms),
            false => self.machine.any_entry(),
        };
        self.machine.at_entry = Some(at_entry);
        let mut state = State::new(&self.machine.terms);
        let formula = self.machine.formula(&state, formulas, assumed)?;
        state.assume(&mut self.machine.terms, formula);
        let is_cut = |place: &Place| summaries.at(place.func, place.loc).is_some();
        let exits = self.explorer.block(&mut self.machine, from, state, &is_cut, &self.budget)?;
        let mut broken = Vec::new();
        for (place, state) in &exits.arrivals {
            if place.loc == entry {
                return Err(Stop::NotDecided("a loop through the entry of a function".into()));
            }
            let Some(promised) = summaries.at(place.func, place.loc) else { continue };
            let formula = self.machine.formula(state, formulas, promised)?;
            let not = self.machine.terms.not(formula);
            let name = &self.program.funcs[place.func].name;
            let violated = self.machine.terms.and2(state.condition, not);
            broken.push((format!("a summary of {name} is not inductive"), violated));
        }
        self.must_not(&exits, broken)
    }

    /// The loop heads of all functions.
    fn heads(&self) -> Heads {
        self.program.funcs.ids().map(|func| (func, loop_heads(self.program, func))).collect()
    }

    /// All executions, loop by loop, until none is left.
    fn unwind_all(&mut self, entry: FuncId) -> Result<(), Stop> {
        let heads = self.heads();
        let is_cut = |place: &Place| heads[&place.func].contains(&place.loc);
        let initial = self.machine.initial()?;
        let start = self.start(entry)?;
        match self.unwind((start, initial), &is_cut, MAX_LAYERS)? {
            true => Ok(()),
            false => Err(Stop::NotDecided("executions are too long".into())),
        }
    }

    /// All executions with at most so many blocks; says whether there are no others.
    fn unwind(
        &mut self,
        (start, initial): (Place, State),
        is_cut: &dyn Fn(&Place) -> bool,
        layers: usize,
    ) -> Result<bool, Stop> {
        let mut front = BTreeMap::from([(start, initial)]);
        // Conditions under which executions go on. Asking costs, and only saves work.
        let mut possible = BTreeSet::from([self.machine.terms.tt()]);
        for _ in 0..layers {
            let mut next: BTreeMap<Place, State> = BTreeMap::new();
            for (place, state) in front {
                self.budget.check()?;
                let exits =
                    self.explorer.block(&mut self.machine, &place, state, is_cut, &self.budget)?;
                self.must_not(&exits, Vec::new())?;
                for (place, state) in exits.arrivals {
                    let condition = state.condition;
                    if possible.contains(&condition) || self.possible(condition)? {
                        possible.insert(condition);
                        self.join(&mut next, place, state);
                    }
                }
            }
            if next.is_empty() {
                return Ok(true);
            }
            front = next;
        }
        Ok(false)
    }

    fn join(&mut self, next: &mut BTreeMap<Place, State>, place: Place, state: State) {
        crate::blocks::arrive(&mut self.machine, next, &place, state);
    }

    /// Whether a condition can hold.
    pub(crate) fn possible(&mut self, condition: Term) -> Result<bool, Stop> {
        if condition == self.machine.terms.ff() {
            return Ok(false);
        }
        let mut all = self.machine.background.clone();
        all.extend(self.machine.facts_of_overwritten());
        all.push(condition);
        let whole = self.machine.terms.and(&all);
        if whole == self.machine.terms.ff() {
            return Ok(false);
        }
        let limits = Limits::default().with_resources(RESOURCES);
        let limits = match self.budget.time_left() {
            Some(left) => limits.with_time(left.min(QUERY_TIME)),
            None => limits,
        };
        // Mostly it does not matter what arrays are, and bits alone are much easier.
        if let Some(weaker) = self.machine.with_any_elements(whole)
            && self.ask(weaker, limits) == Answer::Unsat
        {
            return Ok(false);
        }
        match self.ask(whole, limits) {
            Answer::Unsat => Ok(false),
            Answer::Sat => Ok(true),
            Answer::Unknown(reason) => Err(Stop::NotDecided(format!("the solver: {reason}"))),
        }
    }

    /// Asks the solver for a while, then a SAT solver, then the solver again.
    fn ask(&mut self, formula: Term, limits: Limits) -> Answer {
        let terms = &self.machine.terms;
        let at_first = limits.with_resources(RESOURCES_AT_FIRST);
        let answer = self.solver.check(terms, &[formula], Purpose::CHECK, at_first);
        if !matches!(answer, Answer::Unknown(_)) {
            return answer;
        }
        let of_sat = limits.with_resources(RESOURCES_OF_SAT);
        let second = self.second.get_or_insert_default();
        match second.check(terms, &[formula], Purpose::CHECK, of_sat) {
            Answer::Unknown(_) => self.solver.check(terms, &[formula], Purpose::CHECK, limits),
            answer => answer,
        }
    }

    /// What a block must not do: one query for all, and one for each if that fails.
    fn must_not(&mut self, exits: &Exits, broken: Vec<(String, Term)>) -> Result<(), Stop> {
        let refused = exits.errors.iter().cloned().chain(broken);
        let refused: Vec<(String, Term)> = refused.collect();
        let all: Vec<Term> =
            refused.iter().chain(&exits.unknown).map(|(_, condition)| *condition).collect();
        let any = self.machine.terms.or(&all);
        if let Ok(false) = self.possible(any) {
            return Ok(());
        }
        // What is unsupported makes all that is behind it open.
        for (what, condition) in &exits.unknown {
            if self.possible(*condition)? {
                return Err(Stop::NotDecided(format!("not followed: {what}")));
            }
        }
        for (what, condition) in &refused {
            if self.possible(*condition)? {
                return Err(Stop::Refused(what.clone()));
            }
        }
        Ok(())
    }
}
