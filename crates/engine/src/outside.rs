//! Functions without a body: what a verdict takes them for.
//!
//! A function that nothing is known of returns anything and writes anything to what it knows: what
//! its arguments lead to, what was given to such functions before, and objects that are only
//! declared. It calls nothing of the program, unless it was given a function: then the call is not
//! covered. Points-to analysis, slices and the encoding of memory agree on this; here it is said to
//! the user.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind};
use gnomon_ir::library::{
    AllocKind, Library, classify, depends_on_environment, keeps_no_pointer, plain_name,
};
use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_ir::span::Span;

use crate::assumption::Assumption;
use crate::replay::Counterexample;

/// Whether a call is one of a function without a body that nothing is known of; its name.
fn unknown_callee<'p>(program: &'p Program, call: &Call) -> Option<&'p str> {
    let Callee::Direct(func) = call.callee else { return None };
    let function = &program.funcs[func];
    let name = source_name(&function.name);
    let unknown = classify(name, program.types.target()) == Library::Unknown;
    (function.body.is_none() && unknown).then_some(name)
}

fn calls(program: &Program) -> impl Iterator<Item = (FuncId, EdgeId, &Call)> {
    program.funcs.iter_ids().flat_map(|(func, function)| {
        let edges = function.body.iter().flat_map(|body| body.edges().iter_ids());
        edges.filter_map(move |(id, edge)| match &edge.op {
            Op::Call(call) => Some((func, id, call)),
            _ => None,
        })
    })
}

/// The functions without a body and without a meaning that a program calls, by name.
pub fn unknown_functions(program: &Program) -> BTreeSet<&str> {
    calls(program).filter_map(|(_, _, call)| unknown_callee(program, call)).collect()
}

/// What a proof takes such functions for.
pub fn assumptions(program: &Program) -> Vec<Assumption> {
    unknown_functions(program).into_iter().map(assumption).collect()
}

/// What a run takes the functions for that it calls.
pub fn assumptions_of_run(program: &Program, run: &Counterexample) -> Vec<Assumption> {
    let by_edge: BTreeMap<(FuncId, EdgeId), &str> = calls(program)
        .filter_map(|(func, edge, call)| Some(((func, edge), unknown_callee(program, call)?)))
        .collect();
    let called: BTreeSet<&str> =
        run.edges.iter().filter_map(|e| by_edge.get(&(e.func, e.edge)).copied()).collect();
    called.into_iter().map(assumption).collect()
}

fn assumption(name: &str) -> Assumption {
    Assumption::Other(if keeps_no_pointer(plain_name(name)) {
        format!("`{name}` has no body: it returns anything and writes behind its arguments")
    } else {
        format!(
            "`{name}` has no body: it is taken to return anything, to write what its arguments \
             reach, and to call nothing of the program"
        )
    })
}

/// Whether a function without a body may answer otherwise than the interpreter does: then a run
/// is not the only one.
pub fn may_answer(program: &Program) -> bool {
    let depends = |func: FuncId, used: bool| {
        let function = &program.funcs[func];
        let name = source_name(&function.name);
        function.body.is_none() && depends_on_environment(name, program.types.target(), used)
    };
    let called = calls(program).any(|(_, _, call)| match call.callee {
        Callee::Direct(func) => {
            // Nondeterministic values are asked for, so the run knows of them.
            let name = source_name(&program.funcs[func].name);
            let asked = matches!(classify(name, program.types.target()), Library::Nondet(_));
            !asked && depends(func, call.dst.is_some())
        }
        Callee::Indirect(_) => false,
    });
    let mut exprs = (0..program.exprs.expr_count()).map(|i| ExprId(i as u32));
    called
        || exprs.any(|e| match program.exprs.expr(e).kind {
            ExprKind::FuncAddr(func) => depends(func, true),
            _ => false,
        })
}

/// Whether assembler may change memory: the interpreter takes the run in which it does not.
pub fn assembler_changes_memory(program: &Program) -> bool {
    let bodies = program.funcs.iter().filter_map(|function| function.body.as_ref());
    let mut edges = bodies.flat_map(|body| body.edges().iter());
    edges.any(|edge| matches!(edge.op, Op::HavocMemory))
}

/// Functions that begin a sequence of random numbers, and those that draw from one.
const SEEDS: [&str; 5] = ["srand", "srandom", "srand48", "seed48", "lcong48"];
const DRAWS: [&str; 6] = ["rand", "random", "drand48", "lrand48", "mrand48", "rand_r"];

const OWN_STATE: &str = "rand_r";

/// Whether a run draws random numbers from more than one sequence: any numbers are possible in one of
/// them, but two that begin with the same seed are equal (C17 7.22.2.2), and a program that never sets
/// one begins with 1.
pub fn draws_again(program: &Program, run: &Counterexample) -> bool {
    let passed = run.passed(program);
    let called = passed.iter().filter_map(|&(func, edge)| {
        match &program.funcs[func].body.as_ref()?.edge(edge).op {
            Op::Call(Call { callee: Callee::Direct(func), .. }) => {
                let function = &program.funcs[*func];
                function.body.is_none().then(|| plain_name(source_name(&function.name)))
            }
            _ => None,
        }
    });
    let called: Vec<&str> = called.collect();
    let calls = |names: &[&str]| called.iter().any(|name| names.contains(name));
    // It keeps its state in memory of the program, so every second call may begin a sequence again.
    if called.iter().filter(|name| **name == OWN_STATE).count() > 1 {
        return true;
    }
    if run.length > run.edges.len() as u64 {
        // Nobody knows in which order.
        return calls(&SEEDS) && calls(&DRAWS) || calls(&[OWN_STATE]);
    }
    let (mut sequences, mut drawn) = (0, false);
    for name in called {
        if SEEDS.contains(&name) {
            drawn = false;
        } else if DRAWS.contains(&name) && !std::mem::replace(&mut drawn, true) {
            sequences += 1;
        }
    }
    sequences > 1
}

/// Functions that are told of functions of the program in memory, and have them called later.
const REGISTER: [&str; 7] = [
    "sigaction",
    "sigvec",
    "timer_create",
    "mq_notify",
    "fopencookie",
    "argp_parse",
    "__sigaction",
];

/// Functions that say what happens at a signal.
const IGNORE: [&str; 8] = [
    "signal",
    "bsd_signal",
    "sysv_signal",
    "__sysv_signal",
    "sigset",
    "sigaction",
    "sigprocmask",
    "pthread_sigmask",
];

/// Such a function that the program calls, if it has functions that it could be told of.
pub fn calls_back_later(program: &Program) -> Option<&str> {
    let mut exprs = (0..program.exprs.expr_count()).map(|i| ExprId(i as u32));
    let has_functions = exprs.any(|e| match program.exprs.expr(e).kind {
        ExprKind::FuncAddr(func) => program.funcs[func].body.is_some(),
        _ => false,
    });
    let names = || calls(program).filter_map(|(_, _, call)| unknown_callee(program, call));
    // A signal that the program sends to itself ends it, as its model says, unless it is ignored.
    let raises = calls(program).any(|(_, _, call)| match call.callee {
        Callee::Direct(func) => source_name(&program.funcs[func].name) == "raise",
        Callee::Indirect(_) => false,
    });
    let ignores = raises.then(|| names().find(|name| IGNORE.contains(name))).flatten();
    let registers = has_functions.then(|| names().find(|name| REGISTER.contains(name))).flatten();
    ignores.or(registers)
}

/// The place of an allocation that asks for more than runs have and less than no machine has: it is taken to give null
/// here, and gives an object on most machines.
pub fn allocates_too_much(program: &Program) -> Option<Span> {
    let sizes = (1i128 << 30) + 1..1 << 47;
    program.funcs.iter().flat_map(|function| function.body.iter()).find_map(|body| {
        let edge = body.edges().iter().find(|edge| {
            let Op::Call(Call { callee: Callee::Direct(func), args, .. }) = &edge.op else {
                return false;
            };
            let function = &program.funcs[*func];
            let name = source_name(&function.name);
            let Library::Alloc(kind) = classify(name, program.types.target()) else { return false };
            let number = |at: usize| args.get(at).and_then(|&arg| program.as_int(arg));
            let asked = match kind {
                AllocKind::Malloc | AllocKind::Alloca => number(0),
                AllocKind::Calloc => number(0).zip(number(1)).map(|(a, b)| a.saturating_mul(b)),
                AllocKind::Realloc | AllocKind::Aligned => number(1),
                AllocKind::Duplicate => None,
            };
            function.body.is_none() && asked.is_some_and(|asked| sizes.contains(&asked))
        })?;
        Some(edge.span)
    })
}

/// What stands for an operation of threads that nobody has a model of.
const NOT_MODELLED: &str = "__gnomon_not_modelled";

/// Whether a model says that what happens is not known.
pub fn says_not_modelled(program: &Program) -> bool {
    calls(program).any(|(_, _, call)| unknown_callee(program, call) == Some(NOT_MODELLED))
}

/// Functions of `<fenv.h>` after which numbers are rounded in another way.
const ROUNDING: [&str; 4] = ["fesetround", "fesetenv", "feupdateenv", "fesetmode"];

/// A function without a body that the program has and that changes rounding: the encodings round to
/// the nearest always.
pub fn changes_rounding(program: &Program) -> Option<&'static str> {
    let is_there =
        |name: &str| program.funcs.iter().any(|f| f.body.is_none() && source_name(&f.name) == name);
    ROUNDING.iter().find(|name| is_there(name)).copied()
}

/// A function that changes rounding and that one of these operations may call: the interpreter
/// rounds to the nearest always.
pub fn rounds_differently<'a>(
    program: &Program,
    mut ops: impl Iterator<Item = &'a Op>,
) -> Option<&'static str> {
    let name = changes_rounding(program)?;
    let is_called = ops.any(|op| match op {
        Op::Call(call) => match call.callee {
            Callee::Direct(func) => ROUNDING.contains(&source_name(&program.funcs[func].name)),
            Callee::Indirect(_) => true,
        },
        _ => false,
    });
    is_called.then_some(name)
}
