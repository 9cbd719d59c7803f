//! A run that reaches an error, step by step, with what of it matters.
//!
//! The values come from repeating the run in the interpreter ([`gnomon_engine::steps`]), what
//! matters from slicing the path that it took (PS): every run that does the steps that are kept
//! reaches the end, so they are what a person has to read.

use std::collections::BTreeMap;

use gnomon_budget::Budget;
use gnomon_engine::replay::Counterexample;
use gnomon_engine::sliced::Relevance;
use gnomon_engine::steps::{Step as Taken, steps};
use gnomon_flow::slice::{Slicer, Start};
use gnomon_instrument::describe::{self, Temporaries};
use gnomon_ir::cfa::{Callee, Edge, Op};
use gnomon_ir::program::{FuncId, Program, Stmt, StmtKind, source_name};
use gnomon_logic::encode::Move;

use crate::arguments::arguments;
use crate::collect::{Checked, location};
use crate::model::{Action, Execution, Run, SliceClaim, Step, Stored};

/// Longer paths are not sliced.
const SLICED: usize = 200_000;

/// Lends a slicer of the program, which several runs can share; none if nothing is known of the
/// program, or the budget is not enough.
pub fn with_slicer<R>(
    checked: &Checked<'_>,
    budget: &Budget,
    work: impl FnOnce(Option<&mut Slicer<'_>>) -> R,
) -> R {
    let relevance = checked.facts.map(Relevance::new);
    let mut slicer = relevance.as_ref().and_then(|relevance| relevance.slicer(budget).ok());
    work(slicer.as_mut())
}

/// The run as data, sliced if there is a slicer.
pub fn describe(
    checked: &Checked<'_>,
    run: &Counterexample,
    slicer: Option<&mut Slicer<'_>>,
    budget: &Budget,
) -> Run {
    let program = checked.program;
    let mut taken = taken(checked, run, budget);
    let slice = slicer.and_then(|slicer| slice(checked, slicer, &taken, run, budget));
    let arguments = arguments(program, &checked.entry, &run.inputs);
    without_parameters(&mut taken, &arguments);
    let mut steps = described(checked, &taken, slice.as_ref().map(|(kept, _)| &kept[..]));
    if let Some(first) = steps.first_mut() {
        first.stored.splice(0..0, arguments);
    }
    let site = program.funcs[run.site.func].body.as_ref();
    let site = site.and_then(|b| location(program, run.site.func, b.edge(run.site.edge).span));
    Run {
        message: run.message.clone(),
        location: site,
        length: run.length,
        steps,
        threads: Vec::new(),
        inputs: run.inputs.clone(),
        slice: slice.map(|(_, claim)| claim),
        execution: Execution::NotTried,
    }
}

/// Leaves out what the first step says of the parameters of the entry: they are told as arguments.
fn without_parameters(taken: &mut [Taken], arguments: &[Stored]) {
    let Some(first) = taken.first_mut() else { return };
    let mut left: Vec<&str> = arguments.iter().map(|argument| &*argument.place).collect();
    // A parameter that comes again is one that the step stores to.
    first.stored.retain(|stored| match left.iter().position(|place| *place == stored.place) {
        Some(at) => {
            left.remove(at);
            false
        }
        None => true,
    });
}

/// The steps of a path that nobody executed: what happens, without values.
pub fn steps_without_values(checked: &Checked<'_>, path: &[Move]) -> Vec<Step> {
    let mut depth = 1;
    let mut taken = Vec::new();
    for step in path {
        let (func, edge) = match *step {
            Move::Edge(func, edge) | Move::Enter { caller: func, edge, .. } => (func, edge),
            Move::Start => continue,
            Move::Leave { .. } => {
                depth -= 1;
                continue;
            }
        };
        taken.push(Taken { func, edge, depth, stored: Vec::new(), is_return: false });
        depth += u32::from(matches!(step, Move::Enter { .. }));
    }
    described(checked, &taken, None)
}

/// The steps as data, of which those matter that are kept.
fn described(checked: &Checked<'_>, taken: &[Taken], kept: Option<&[bool]>) -> Vec<Step> {
    let program = checked.program;
    let mut temporaries: BTreeMap<FuncId, Temporaries> = BTreeMap::new();
    let mut described = Vec::new();
    for (at, step) in taken.iter().enumerate() {
        let Some(body) = &program.funcs[step.func].body else { continue };
        let edge = body.edge(step.edge);
        let Some(location) = location(program, step.func, edge.span) else { continue };
        let known = temporaries.entry(step.func).or_insert_with(|| Temporaries::of(program, body));
        let is_inserted = checked.inserted.contains(&(step.func, step.edge));
        // What checks remember is not the user's.
        if is_inserted && !matches!(edge.op, Op::Assume(_)) {
            continue;
        }
        let next = taken.get(at + 1);
        let enters = next.is_some_and(|next| !step.is_return && next.depth > step.depth);
        let action = match (&edge.op, step.is_return) {
            (Op::Assume(_), _) if is_inserted => Action::Check,
            _ => action(program, known, edge, step.is_return, enters.then(|| taken[at + 1].func)),
        };
        let Stmt { kind, span: statement } = program.stmts[edge.stmt];
        let statement = if statement.is_none() { edge.span } else { statement };
        let begins = (statement.line, statement.column.into());
        described.push(Step {
            location,
            statement: (kind != StmtKind::DoWhile).then_some(begins),
            depth: step.depth,
            thread: None,
            action,
            stored: step.stored.iter().map(stored).collect(),
            essential: kept.is_none_or(|kept| kept[at]),
        });
    }
    described
}

/// The steps with values; without, if the run is too long or could not be repeated.
fn taken(checked: &Checked<'_>, run: &Counterexample, budget: &Budget) -> Vec<Taken> {
    let entry = &checked.entry;
    let taken = steps(checked.program, entry, run, budget);
    let length = taken.iter().filter(|step| !step.is_return).count();
    if u64::try_from(length) == Ok(run.length) {
        return taken;
    }
    let plain = run.edges.iter().map(|taken| Taken {
        func: taken.func,
        edge: taken.edge,
        depth: taken.depth,
        stored: Vec::new(),
        is_return: false,
    });
    plain.collect()
}

fn action(
    program: &Program,
    known: &Temporaries,
    edge: &Edge,
    is_return: bool,
    entered: Option<FuncId>,
) -> Action {
    let called = |callee: &Callee| match (entered, callee) {
        (Some(func), _) | (None, &Callee::Direct(func)) => {
            source_name(&program.funcs[func].name).to_owned()
        }
        (None, Callee::Indirect(pointer)) => describe::expr(program, known, *pointer),
    };
    match &edge.op {
        Op::Call(call) if is_return => {
            let Callee::Direct(func) = call.callee else { return Action::Back(String::new()) };
            Action::Back(source_name(&program.funcs[func].name).to_owned())
        }
        Op::Call(call) => Action::Call(called(&call.callee)),
        Op::Assume(_) if program.stmts[edge.stmt].kind == StmtKind::Synthetic => Action::Statement,
        Op::Assume(condition) => Action::Condition(describe::expr(program, known, *condition)),
        Op::Return(_) => Action::Return,
        _ => Action::Statement,
    }
}

fn stored(stored: &gnomon_engine::steps::Stored) -> Stored {
    Stored { place: stored.place.clone(), value: stored.value.clone(), is_input: stored.is_input }
}

/// By step, whether it matters; and what they prove. `None` where the path cannot be sliced.
fn slice(
    checked: &Checked<'_>,
    slicer: &mut Slicer<'_>,
    taken: &[Taken],
    run: &Counterexample,
    budget: &Budget,
) -> Option<(Vec<bool>, SliceClaim)> {
    let program = checked.program;
    // A run of which only the end is known has no path from the start.
    if taken.len() > SLICED || u64::try_from(taken.len()).ok()? < run.length {
        return None;
    }
    let entry = program.find_function(&checked.entry)?;
    let (path, step_of) = path(program, taken);
    let slice = slicer.slice_path(Start::at_entry(program, entry), &path, budget).ok()?;
    let mut kept = vec![false; taken.len()];
    for edge in slice.kept_edges() {
        kept[step_of[edge]] = true;
    }
    // The error itself, and the calls that are open there.
    if let Some(last) = kept.last_mut() {
        *last = true;
    }
    let mut at_least = u32::MAX;
    for (step, kept) in taken.iter().zip(&mut kept).rev() {
        if step.depth < at_least {
            *kept |= at_least != u32::MAX;
            at_least = step.depth;
        }
    }
    let claim = SliceClaim {
        kept: kept.iter().filter(|kept| **kept).count() as u64,
        steps: taken.len() as u64,
        claim: slice.cut.claim().to_owned(),
    };
    Some((kept, claim))
}

/// The path to the error, without the call that is the error, and the step of each move.
fn path(program: &Program, taken: &[Taken]) -> (Vec<Move>, Vec<usize>) {
    let mut moves = Vec::new();
    let mut step_of = Vec::new();
    let mut open: Vec<(usize, Move)> = Vec::new();
    for (at, step) in taken.iter().enumerate() {
        if step.is_return {
            continue;
        }
        while open.len() as u32 + 1 > step.depth {
            let Some((_, leave)) = open.pop() else { break };
            moves.push(leave);
            step_of.push(at.saturating_sub(1));
        }
        let (caller, edge) = (step.func, step.edge);
        let op = program.funcs[caller].body.as_ref().map(|body| &body.edge(edge).op);
        let is_call = matches!(op, Some(Op::Call(_)));
        if is_call && at + 1 == taken.len() {
            break;
        }
        let next = taken[at + 1..].iter().find(|next| !next.is_return);
        match next {
            Some(next) if is_call && next.depth > step.depth => {
                let callee = next.func;
                moves.push(Move::Enter { caller, edge, callee });
                open.push((at, Move::Leave { caller, edge, callee }));
            }
            _ => moves.push(Move::Edge(caller, edge)),
        }
        step_of.push(at);
    }
    (moves, step_of)
}
