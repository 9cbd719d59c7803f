//! Bodies of the intrinsics for the analysis of pointers.
//!
//! A new thread runs its function with its argument at some time, and its result can be asked for:
//! that is all that an analysis which knows no order needs to know of threads. The reduction
//! replaces every call of an intrinsic, so that these bodies are in no program that is checked.

use gnomon_ir::cfa::{Call, Callee, CfaBuilder, Edge, Op};
use gnomon_ir::program::{FuncId, Initializer, Program, Storage, Var, VarId};
use gnomon_ir::span::Span;
use gnomon_ir::types::{Type, TypeId, Types};

use crate::intrinsics::Intrinsic;

/// Gives every intrinsic that the program declares a body.
pub fn add(program: &mut Program) {
    let void_pointer = program.types.pointer(Types::VOID);
    let storage = Storage::Static {
        init: Some(Initializer::default()),
        thread_local: false,
        read_only: false,
    };
    let result = program.vars.push(Var {
        name: ".result".to_owned(),
        ty: void_pointer,
        storage,
        address_taken: false,
        span: Span::NONE,
    });
    for func in program.funcs.ids() {
        if program.funcs[func].body.is_some() {
            continue;
        }
        if let Some(intrinsic) = Intrinsic::of(program, func) {
            stand_in(program, func, intrinsic, result);
        }
    }
}

fn stand_in(program: &mut Program, func: FuncId, intrinsic: Intrinsic, result: VarId) {
    let signature = match program.types.signature(program.funcs[func].ty) {
        Some(signature) => signature.clone(),
        None => return,
    };
    let mut params = Vec::new();
    for (number, &ty) in signature.params.iter().enumerate() {
        let storage = Storage::Param(func);
        params.push(variable(program, format!("a{number}"), ty, storage));
    }
    let mut ops = Vec::new();
    match (intrinsic, &params[..]) {
        (Intrinsic::Spawn, &[start, argument]) => ops.extend(run(program, start, argument, result)),
        (Intrinsic::ExitThread, &[value]) => {
            let (dst, src) = (program.var_place(result), program.load_var(value));
            let src = program.cast(program.vars[result].ty, src);
            ops.push(Op::Assign { dst, src });
        }
        _ => {}
    }
    let value = match signature.result {
        Types::VOID => None,
        ty if intrinsic == Intrinsic::ResultOf => {
            let value = program.load_var(result);
            Some(program.cast(ty, value))
        }
        ty => {
            let any = variable(program, ".any".to_owned(), ty, Storage::Local(func));
            program.funcs[func].locals.push(any);
            ops.push(Op::Havoc(program.var_place(any)));
            Some(program.load_var(any))
        }
    };
    ops.push(Op::Return(value));
    let mut builder = CfaBuilder::new();
    let mut from = builder.entry();
    let last = ops.len() - 1;
    for (position, op) in ops.into_iter().enumerate() {
        let to = if position == last { builder.exit() } else { builder.add_loc() };
        builder.add_edge(Edge { from, to, op, span: Span::NONE, stmt: Program::NO_STMT });
        from = to;
    }
    program.funcs[func].params = params;
    program.funcs[func].body = Some(builder.finish());
}

/// Calls the function of a new thread.
fn run(program: &mut Program, start: VarId, argument: VarId, result: VarId) -> Option<Op> {
    let pointer = program.load_var(start);
    let callee_ty = program.types.pointee(program.expr_ty(pointer))?;
    let Type::Function(signature) = program.types.get(callee_ty).clone() else { return None };
    let argument = program.load_var(argument);
    let args = signature.params.iter().map(|&ty| program.cast(ty, argument)).collect();
    let dst = (signature.result == program.vars[result].ty).then(|| program.var_place(result));
    Some(Op::Call(Call { dst, callee: Callee::Indirect(pointer), args }))
}

fn variable(program: &mut Program, name: String, ty: TypeId, storage: Storage) -> VarId {
    program.vars.push(Var { name, ty, storage, address_taken: false, span: Span::NONE })
}
