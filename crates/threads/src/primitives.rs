//! Which functions of thread libraries are known, and how a program is seen to use threads.

use gnomon_ir::cfa::{Call, Callee, Op};
use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_ir::span::Span;

use crate::intrinsics::Intrinsic;

/// The models, in the form of the files in `models/`.
pub const MODELS: &str = include_str!("../../../models/threads.c");

/// What their operations mean where there is one thread, in the same form.
pub const ONE_THREAD: &str = include_str!("../../../models/one_thread.c");

/// Functions that make threads.
const CREATE: [&str; 2] = ["pthread_create", "thrd_create"];

/// Prefixes of functions whose meaning is about threads.
const PREFIXES: [&str; 8] =
    ["pthread_", "sem_", "mtx_", "cnd_", "thrd_", "tss_", "__pthread_", "__gnomon_"];

/// Whether the meaning of a function is about threads, by its name.
pub(crate) fn is_about_threads(name: &str) -> bool {
    name == "call_once" || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether the program makes threads.
pub fn makes_threads(program: &Program) -> bool {
    calls(program).any(|(func, _)| {
        let name = source_name(&program.funcs[func].name);
        CREATE.contains(&name) || Intrinsic::named(name) == Some(Intrinsic::Spawn)
    })
}

/// Whether the program calls a function of a thread library that it does not define.
pub fn uses(program: &Program) -> bool {
    calls(program).any(|(func, _)| {
        let function = &program.funcs[func];
        function.body.is_none() && is_about_threads(source_name(&function.name))
    })
}

/// The first function about threads that is called and has no body: what it does is not known.
pub(crate) fn unknown(program: &Program) -> Option<(String, Span)> {
    calls(program).find_map(|(func, span)| {
        let function = &program.funcs[func];
        let name = source_name(&function.name);
        let about_threads = is_about_threads(name);
        let known = function.body.is_some() || Intrinsic::named(name).is_some();
        (about_threads && !known).then(|| (name.to_owned(), span))
    })
}

/// All functions that are called by name, with where.
fn calls(program: &Program) -> impl Iterator<Item = (FuncId, Span)> {
    let edges = program.funcs.iter().flat_map(|f| f.body.iter().flat_map(|b| b.edges().iter()));
    edges.filter_map(|edge| match &edge.op {
        Op::Call(Call { callee: Callee::Direct(func), .. }) => Some((*func, edge.span)),
        _ => None,
    })
}
