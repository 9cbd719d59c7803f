//! Functions whose result is new: null, a negative number, or a value that nobody has yet.
//!
//! Models of functions like `fopen` return what they allocated, models of functions like `open` a
//! descriptor that was never given out. Here it is read off the bodies: what such a function
//! returns comes from an allocation and goes nowhere but to its end.

use std::collections::BTreeSet;

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Callee, Cfa, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{AllocKind, Library, classify};
use gnomon_ir::program::{FuncId, Program, VarId, source_name};

/// The function of our models that gives out descriptors: -1, or a number from
/// [`FIRST_DESCRIPTOR`] on that it never gave out.
const NEW_DESCRIPTOR: &str = "__gnomon_new_descriptor";
/// The standard streams have the numbers below.
pub(super) const FIRST_DESCRIPTOR: i128 = 3;

/// Which functions have only new results.
pub(super) fn fresh_functions(program: &Program) -> Vec<bool> {
    let mut fresh: Vec<bool> = program
        .funcs
        .iter()
        .map(|function| {
            let name = source_name(&function.name);
            if function.body.is_some() {
                return name == NEW_DESCRIPTOR;
            }
            matches!(
                classify(name, program.types.target()),
                Library::Alloc(
                    AllocKind::Malloc
                        | AllocKind::Calloc
                        | AllocKind::Aligned
                        | AllocKind::Duplicate
                )
            )
        })
        .collect();
    loop {
        let mut changed = false;
        for (func, function) in program.funcs.iter_ids() {
            let Some(body) = &function.body else { continue };
            if !fresh[func.index()] && has_fresh_results(program, func, body, &fresh) {
                fresh[func.index()] = true;
                changed = true;
            }
        }
        if !changed {
            return fresh;
        }
    }
}

/// A variable that is read as a whole.
fn read_var(program: &Program, e: ExprId) -> Option<VarId> {
    match program.exprs.expr(e).kind {
        ExprKind::Cast(inner) => read_var(program, inner),
        ExprKind::Load(place) => match program.exprs.place(place).kind {
            PlaceKind::Var(var) => Some(var),
            _ => None,
        },
        _ => None,
    }
}

fn has_fresh_results(program: &Program, func: FuncId, body: &Cfa, fresh: &[bool]) -> bool {
    let function = &program.funcs[func];
    let mut new: BTreeSet<VarId> = function.locals.iter().copied().collect();
    new.retain(|&var| !program.vars[var].address_taken);
    // What is left can hold nothing but new values, and gives them to nobody.
    loop {
        let before = new.len();
        for edge in body.edges().iter() {
            match &edge.op {
                Op::Skip | Op::Declare(_) | Op::HavocMemory => {}
                Op::Assume(_) => {}
                Op::Assign { dst, src } => match whole(program, *dst) {
                    Some(var) if new.contains(&var) => {
                        let ok = is_nothing(program, *src)
                            || read_var(program, *src).is_some_and(|v| new.contains(&v));
                        if !ok {
                            new.remove(&var);
                        }
                    }
                    _ => {
                        spoil(program, *src, &mut new);
                        spoil_place(program, *dst, &mut new);
                    }
                },
                Op::Call(call) => {
                    call.args.iter().for_each(|&arg| spoil(program, arg, &mut new));
                    let Some(dst) = call.dst else { continue };
                    let ok = matches!(call.callee, Callee::Direct(f) if fresh[f.index()]);
                    match whole(program, dst) {
                        Some(var) if !ok => {
                            new.remove(&var);
                        }
                        Some(_) => {}
                        None => spoil_place(program, dst, &mut new),
                    }
                }
                Op::Return(_) => {}
                Op::Havoc(dst)
                | Op::Alloca { dst, .. }
                | Op::VaStart(dst)
                | Op::VaEnd(dst)
                | Op::VaArg { dst, .. }
                | Op::VaCopy { dst, .. } => {
                    if let Some(var) = program.exprs.root_var(*dst) {
                        new.remove(&var);
                    }
                    spoil_place(program, *dst, &mut new);
                }
            }
        }
        if new.len() == before {
            break;
        }
    }
    let mut returns = body.edges().iter().filter_map(|edge| match edge.op {
        Op::Return(value) => Some(value),
        _ => None,
    });
    let mut some = false;
    let all = returns.all(|value| {
        value.is_some_and(|e| {
            let var = read_var(program, e).filter(|var| new.contains(var));
            some |= var.is_some();
            var.is_some() || is_nothing(program, e)
        })
    });
    all && some
}

/// Null, or a negative number.
fn is_nothing(program: &Program, e: ExprId) -> bool {
    match program.as_int(e) {
        Some(0) => program.types.is_pointer(program.expr_ty(e)),
        Some(number) => number < 0,
        None => false,
    }
}

fn whole(program: &Program, place: PlaceId) -> Option<VarId> {
    match program.exprs.place(place).kind {
        PlaceKind::Var(var) => Some(var),
        _ => None,
    }
}

/// Values that are used are not only returned.
fn spoil(program: &Program, e: ExprId, new: &mut BTreeSet<VarId>) {
    match program.exprs.expr(e).kind {
        ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
        ExprKind::Load(place) => {
            if let Some(var) = program.exprs.root_var(place) {
                new.remove(&var);
            }
            spoil_place(program, place, new);
        }
        ExprKind::AddrOf(place) => spoil_place(program, place, new),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => spoil(program, a, new),
        ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
            spoil(program, a, new);
            spoil(program, b, new);
        }
    }
}

fn spoil_place(program: &Program, place: PlaceId, new: &mut BTreeSet<VarId>) {
    match program.exprs.place(place).kind {
        PlaceKind::Var(_) => {}
        PlaceKind::Deref(e) => spoil(program, e, new),
        PlaceKind::Field(base, _) => spoil_place(program, base, new),
        PlaceKind::Index(base, index) => {
            spoil_place(program, base, new);
            spoil(program, index, new);
        }
    }
}
