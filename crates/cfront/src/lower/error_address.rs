//! Functions that report errors, by their address.
//!
//! An error is a call that stands in the program. Whoever is handed the address of an error function (`atexit(reach_error)`,
//! a table of functions, `qsort`, a new thread) calls it from a place that is none of the program's edges. So its
//! address becomes that of a function that does nothing but call it: then every way to the error has an edge.

use std::collections::HashMap;

use gnomon_ir::cfa::{Call, Callee, CfaBuilder, Edge, Op};
use gnomon_ir::library::ERROR_FUNCTIONS;
use gnomon_ir::program::{FuncId, Function, Program, Storage, Var, source_name};
use gnomon_ir::types::Type;

use super::function_address::refresh;
use super::other_names::takes_address;

/// Gives addresses of error functions a body that calls them.
pub(super) fn give_bodies(program: &mut Program) {
    let errors = program.funcs.iter_ids().filter(|(_, f)| {
        // Several internal ones of a name are told apart by what stands behind it.
        ERROR_FUNCTIONS.contains(&source_name(&f.name))
    });
    let taken: Vec<FuncId> =
        errors.map(|(id, _)| id).filter(|&f| takes_address(program, f)).collect();
    let mut instead = HashMap::new();
    for func in taken {
        if let Some(calling) = function_that_calls(program, func) {
            instead.insert(func, calling);
        }
    }
    if !instead.is_empty() {
        refresh(program, &instead);
    }
}

/// A function of the same type that calls another one; none if that takes what cannot be handed on.
fn function_that_calls(program: &mut Program, func: FuncId) -> Option<FuncId> {
    let Function { name, ty, no_return, span, .. } = program.funcs[func].clone();
    let signature = program.types.signature(ty)?.clone();
    if signature.variadic {
        return None;
    }
    let id = program.funcs.push(Function {
        name: format!(".address.{name}"),
        ty,
        params: Vec::new(),
        locals: Vec::new(),
        body: None,
        no_return,
        span,
    });
    let mut args = Vec::new();
    for (number, &param) in signature.params.iter().enumerate() {
        let var = program.vars.push(Var {
            name: format!(".p{number}"),
            ty: param,
            storage: Storage::Param(id),
            address_taken: false,
            span,
        });
        program.funcs[id].params.push(var);
        args.push(program.load_var(var));
    }
    let mut builder = CfaBuilder::new();
    let (entry, exit, called) = (builder.entry(), builder.exit(), builder.add_loc());
    let is_void = matches!(program.types.get(signature.result), Type::Void);
    let mut dst = None;
    let mut result = None;
    if !is_void {
        let var = program.vars.push(Var {
            name: ".t0".to_owned(),
            ty: signature.result,
            storage: Storage::Local(id),
            address_taken: false,
            span,
        });
        program.funcs[id].locals.push(var);
        dst = Some(program.var_place(var));
        result = Some(program.load_var(var));
    }
    let call = Call { dst, callee: Callee::Direct(func), args: args.into() };
    let stmt = Program::NO_STMT;
    builder.add_edge(Edge { from: entry, to: called, op: Op::Call(call), span, stmt });
    builder.add_edge(Edge { from: called, to: exit, op: Op::Return(result), span, stmt });
    program.funcs[id].body = Some(builder.finish());
    Some(id)
}
