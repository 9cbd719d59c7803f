//! The program with its threads, made to follow one schedule.
//!
//! All functions stay what they are; before every access to shared data a call of
//! [`POINT`] is inserted, which a small runtime in C ([`RUNTIME`]) defines: a thread that has used
//! up its context wakes the one whose turn it is, and waits for its own next turn. Primitives are
//! those of the models, over the runtime's threads, because only one thread runs at a time. So a run
//! that the sequential program has is executed by real threads, compiled by `cc -pthread`.
//!
//! What has no failing statement at its end is seen by the runtime. At the end of the schedule of a
//! [deadlock](Ending::Deadlock) every thread that has not ended tries to go on, one after the other:
//! the run fails if all of them have to wait. At the end of that of a [data race](Ending::Race) two
//! threads stand before their accesses, which they have told ([`ACCESS`]): the run fails if these
//! are to common bytes and one is a write. Otherwise the run was not what the schedule promised.

use std::collections::BTreeMap;
use std::fmt::Write;

use gnomon_budget::Budget;
use gnomon_ir::cfa::{CfaBuilder, Edge, EdgeId, Op};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_ir::trace::{Input, InputTrace};
use gnomon_ir::types::{RecordKind, Type, TypeId, Types};

use crate::counters::Known;
use crate::frames::{Frame, FrameId, Mode};
use crate::graph::{AT_START, Action, Graph, Mark};
use crate::instance::{Ghosts, Instance};
use crate::intrinsics::Intrinsic;
use crate::refused::Refused;
use crate::sequential::{Options, Sequential, declared, facts};
use crate::sharing::Concern;
use crate::sites::Threads;
use crate::stand_ins;

/// The function that is called before accesses to shared data.
pub const POINT: &str = "__gnomon_point";
/// The function that is called before accesses to shared data where data races are shown.
pub const ACCESS: &str = "__gnomon_access";
/// What defines it, and the intrinsics.
pub const RUNTIME: &str = include_str!("enforced.c");

/// The program with calls of [`POINT`] in it; intrinsics have no body.
pub fn enforced(program: &Program, options: &Options, budget: &Budget) -> Result<Program, Refused> {
    let mut program = program.clone();
    let entry =
        program.find_function(&options.entry).ok_or_else(|| Refused::no_entry(&options.entry))?;
    stand_ins::add(&mut program);
    let facts = facts(&program, entry, options, budget)?;
    let point = declared(&mut program, POINT);
    for func in program.funcs.ids() {
        if Intrinsic::of(&program, func).is_some() {
            program.funcs[func].body = None;
            program.funcs[func].params.clear();
            program.funcs[func].locals.clear();
            continue;
        }
        let Some(body) = facts.body(func).cloned() else { continue };
        let joins = facts.concerns.of(func) >= Concern::Shares;
        if !joins || facts.opaque.contains(&func) {
            continue;
        }
        let mut threads = Threads::default();
        let nowhere = gnomon_ir::program::VarId(0);
        let common = Ghosts { over: nowhere, probing: nowhere, moves: nowhere, race: None };
        let id = crate::sites::ThreadId(0);
        let mut instance =
            Instance::new(&mut program, &facts, &mut threads, options, budget, id, func, common);
        instance.point = Some(point);
        instance.frames.push(Frame {
            func,
            returns: None,
            result: None,
            constants: BTreeMap::new(),
            copies: BTreeMap::new(),
        });
        let known = Known::default();
        let mode = Mode { section: None, depth: 0, alone: false, fresh: false, known, owes: 0 };
        instance.set_loc((FrameId(0), body.exit(), mode), Graph::EXIT);
        let start = instance.graph.start;
        instance.set_loc((FrameId(0), body.entry(), mode), start);
        instance.explore()?;
        let (graph, locals) = (instance.graph, instance.locals);
        let mut builder = CfaBuilder::new();
        for _ in 2..graph.loc_count() {
            builder.add_loc();
        }
        let always = program.int(Types::I32, 1);
        let begin = Op::Assume(always);
        let (from, to, span, stmt) =
            (Graph::ENTRY, graph.start, program.funcs[func].span, Program::NO_STMT);
        builder.add_edge(Edge { from, to, op: begin, span, stmt });
        for arrow in graph.arrows {
            let Action::Op(op) = arrow.action else { continue };
            let (from, to, source) = (arrow.from, arrow.to, arrow.source);
            builder.add_edge(Edge { from, to, op, span: source.span, stmt: source.stmt });
        }
        program.funcs[func].locals.extend(locals);
        program.funcs[func].body = Some(builder.finish());
    }
    rename(&mut program);
    Ok(program)
}

/// Primitives get names that the library does not have.
fn rename(program: &mut Program) {
    for func in program.funcs.ids() {
        let function = &mut program.funcs[func];
        let about_threads = crate::primitives::is_about_threads(source_name(&function.name));
        if function.body.is_some() && about_threads {
            function.name = format!("modelled_{}", function.name);
        }
    }
}

/// What the end of a run shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// A statement of the program fails, or a primitive is misused.
    #[default]
    Fails,
    /// No thread can move.
    Deadlock,
    /// The thread that runs last and the one before it access the same data.
    Race,
}

/// Who runs how far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// In order: the thread, and how many points it has passed when its context ends.
    pub contexts: Vec<(usize, usize)>,
    /// How many points the thread has passed that runs last.
    pub end: usize,
    /// The threads in the order in which they are made.
    pub made: Vec<usize>,
    /// The values that the program and its primitives take from outside.
    pub inputs: Vec<u128>,
}

/// The schedule of a run of the sequential program; `None` if its inputs cannot be told apart.
pub fn schedule(
    sequential: &Sequential,
    edges: &[(FuncId, EdgeId)],
    inputs: &InputTrace,
) -> Option<Schedule> {
    let program = &sequential.program;
    let mut schedule = Schedule::default();
    let mut passed = vec![0usize; sequential.threads.len()];
    let mut inputs = inputs.inputs.iter();
    let mut running = None;
    for &(func, edge) in edges {
        let op = &program.funcs[func].body.as_ref()?.edge(edge).op;
        let thread = sequential.threads.iter().position(|thread| thread.func == func);
        let driving = program.funcs[func].name == sequential.entry;
        let mut mark = Mark::Nothing;
        if let Some(thread) = thread {
            mark = *sequential.threads[thread].marks.get(edge.0 as usize)?;
            match mark {
                Mark::Passes => passed[thread] += 1,
                Mark::Retreats => passed[thread] = passed[thread].saturating_sub(1),
                Mark::Nothing
                | Mark::Asks
                | Mark::Declares
                | Mark::Makes
                | Mark::Numbers
                | Mark::Owes
                | Mark::Settles => {}
            }
            running = Some(thread);
        } else if driving && let Some(thread) = running.take() {
            schedule.contexts.push((thread, passed[thread]));
        }
        match op {
            Op::Havoc(place) => {
                for _ in 0..values(program, program.place_ty(*place)) {
                    let Input::Nondet { value, .. } = inputs.next()? else { return None };
                    if mark == Mark::Asks {
                        schedule.inputs.push(*value);
                    }
                }
            }
            Op::Call(call) => {
                let gnomon_ir::cfa::Callee::Direct(callee) = call.callee else { continue };
                let function = &program.funcs[callee];
                if function.body.is_some() {
                    continue;
                }
                match classify(source_name(&function.name), program.types.target()) {
                    Library::Nondet(_) => match inputs.next()? {
                        Input::Nondet { value, .. } => schedule.inputs.push(*value),
                        _ => return None,
                    },
                    Library::Alloc(_) => match inputs.next()? {
                        Input::Allocation { succeeds: true } => {}
                        _ => return None,
                    },
                    _ => {}
                }
            }
            Op::Assign { dst, src } => {
                let root = program.exprs.root_var(*dst);
                let made = sequential.threads.iter().position(|t| Some(t.counter) == root);
                if let (Some(made), Some(AT_START)) = (made, program.as_int(*src)) {
                    schedule.made.push(made);
                }
            }
            _ => {}
        }
    }
    if let Some(thread) = running {
        schedule.contexts.push((thread, usize::MAX));
        schedule.end = passed[thread];
    }
    inputs.next().is_none().then_some(schedule)
}

/// How many values the interpreter asks for to fill something of a type.
fn values(program: &Program, ty: TypeId) -> u64 {
    match program.types.get(ty) {
        Type::Array { elem, len } => len.saturating_mul(values(program, *elem)),
        Type::Record(record) => {
            let record = program.types.record(*record);
            match record.kind {
                RecordKind::Struct => record.fields.iter().map(|f| values(program, f.ty)).sum(),
                RecordKind::Union => record.size,
            }
        }
        _ => 1,
    }
}

/// The tables and functions that stand before the [`RUNTIME`].
pub fn tables(program: &Program, schedule: &Schedule, ending: Ending, misuse: bool) -> String {
    let mut text = String::from("\n/* The schedule. */\n");
    let list = |numbers: Vec<String>| match numbers.is_empty() {
        true => "0".to_owned(),
        false => numbers.join(", "),
    };
    let (mut who, mut until) = (Vec::new(), Vec::new());
    for &(thread, passed) in &schedule.contexts {
        who.push(thread.to_string());
        until.push(passed.min(1 << 30).to_string());
    }
    let _ = writeln!(
        text,
        "static const int gnomon_deadlock = {};",
        i32::from(ending == Ending::Deadlock)
    );
    let race = if ending == Ending::Race { schedule.end } else { 0 };
    let _ = writeln!(text, "static const int gnomon_race_at = {race};");
    let _ = writeln!(text, "static const int gnomon_contexts = {};", schedule.contexts.len());
    let _ = writeln!(text, "static const int gnomon_who[] = {{ {} }};", list(who));
    let _ = writeln!(text, "static const int gnomon_until[] = {{ {} }};", list(until));
    let made = schedule.made.iter().map(ToString::to_string).collect();
    let _ = writeln!(text, "static const int gnomon_made[] = {{ {} }};", list(made));
    let inputs = schedule.inputs.iter().map(|value| format!("{}ULL", *value as u64)).collect();
    let _ = writeln!(text, "static const int gnomon_misuse_fails = {};", i32::from(misuse));
    let _ = writeln!(text, "static const int gnomon_input_count = {};", schedule.inputs.len());
    let _ =
        writeln!(text, "static const unsigned long long gnomon_inputs[] = {{ {} }};", list(inputs));
    text.push_str(RUNTIME);
    for (_, function) in program.funcs.iter_ids() {
        let name = source_name(&function.name);
        if function.body.is_some() || name != function.name {
            continue;
        }
        let result = program.types.signature(function.ty).map(|signature| signature.result);
        let is = |kind: Library| classify(name, program.types.target()) == kind;
        if let Library::Nondet(_) = classify(name, program.types.target()) {
            let ty = match result.map(|ty| program.types.get(ty)) {
                Some(Type::Float(_)) | None => continue,
                Some(Type::Pointer(_)) => "unsigned long".to_owned(),
                Some(Type::Bool) => "_Bool".to_owned(),
                Some(_) => {
                    let size = result.map_or(4, |ty| program.types.size(ty));
                    let names = BTreeMap::from([(1, "char"), (2, "short"), (4, "int")]);
                    names.get(&size).copied().unwrap_or("long").to_owned()
                }
            };
            let _ = writeln!(
                text,
                "{ty} gnomon_rt_{name}(void) __asm__(\"{name}\");\n\
                 {ty} gnomon_rt_{name}(void) {{ return ({ty})gnomon_input(); }}"
            );
        } else if is(Library::Error) && !name.starts_with("__assert") {
            let _ = writeln!(
                text,
                "void gnomon_rt_{name}(void) __asm__(\"{name}\");\n\
                 void gnomon_rt_{name}(void) {{ gnomon_fail(\"{name} is called\"); }}"
            );
        } else if is(Library::Assume) {
            let _ = writeln!(
                text,
                "void gnomon_rt_{name}(int holds) __asm__(\"{name}\");\n\
                 void gnomon_rt_{name}(int holds) {{ if (!holds) gnomon_lost(); }}"
            );
        }
    }
    text
}
