//! What functions without a body write and read behind their arguments.

use gnomon_ir::expr::ExprId;
use gnomon_ir::library::{AllocKind, Library, classify, plain_name};
use gnomon_ir::program::{FuncId, Program, source_name};

use crate::points_to::PointsTo;

/// Pointers behind which something happens, somewhere in the objects that they point to.
#[derive(Default)]
pub(super) struct LibraryEffects {
    pub writes: Vec<ExprId>,
    pub reads: Vec<ExprId>,
    /// Whether all that escaped may be written and read.
    pub escaped: bool,
}

/// What a call of a function without a body does to memory.
pub(super) fn library_effects(
    program: &Program,
    points_to: &PointsTo,
    callee: FuncId,
    args: &[ExprId],
) -> LibraryEffects {
    let name = source_name(&program.funcs[callee].name);
    let (first, rest) = match args {
        [first, rest @ ..] => (vec![*first], rest.to_vec()),
        [] => (Vec::new(), Vec::new()),
    };
    let all = args.to_vec();
    let none = LibraryEffects::default();
    match classify(name, program.types.target()) {
        Library::Nondet(_)
        | Library::Assume
        | Library::Error
        | Library::Abort
        | Library::Exit
        | Library::Unreachable
        | Library::Free => none,
        // `frexp` and its kin store a second result.
        Library::Pure => {
            let types = &program.types;
            let pointers = all.into_iter().filter(|&arg| types.is_pointer(program.expr_ty(arg)));
            LibraryEffects { writes: pointers.collect(), ..none }
        }
        Library::Alloc(AllocKind::Realloc | AllocKind::Duplicate) => {
            LibraryEffects { reads: first, ..none }
        }
        Library::Alloc(_) => none,
        Library::MemCopy if plain_name(name) == "bcopy" => {
            LibraryEffects { reads: first, writes: rest, ..none }
        }
        Library::MemSet => LibraryEffects { writes: first, ..none },
        Library::MemCopy | Library::MemWrite => {
            // `strcat` reads what is there already.
            LibraryEffects { writes: first, reads: all, ..none }
        }
        Library::MemRead => LibraryEffects { reads: all, ..none },
        // `%n` stores behind an argument; `time` behind its only one.
        Library::Output if name.ends_with("printf") => {
            LibraryEffects { writes: rest, reads: all, ..none }
        }
        Library::Output => LibraryEffects { reads: all, ..none },
        Library::Environment => LibraryEffects { writes: all, ..none },
        Library::Atomic | Library::CallsBack => {
            LibraryEffects { writes: all.clone(), reads: all, ..none }
        }
        Library::Unknown if points_to.keeps_no_pointer(program, callee) => {
            LibraryEffects { writes: all.clone(), reads: all, ..none }
        }
        Library::Unknown => LibraryEffects { escaped: true, ..none },
    }
}
