//! The common weaker assumption: functions of which nothing is known write nothing.
//!
//! Each gets a body that returns any value. This is unsound, and whoever asks for it must say so.

use std::collections::BTreeSet;

use gnomon_ir::cfa::{Call, Callee, CfaBuilder, Edge, Op};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Program, Storage, Var, source_name};
use gnomon_ir::span::Span;
use gnomon_ir::types::{Type, TypeId};

/// Gives a body to every function that is called directly, has none, and of which nothing is known;
/// their names.
pub fn silence(program: &mut Program) -> Vec<String> {
    let bodies = program.funcs.iter().filter_map(|function| function.body.as_ref());
    let called: BTreeSet<FuncId> = bodies
        .flat_map(|body| body.edges().iter())
        .filter_map(|edge| match edge.op {
            Op::Call(Call { callee: Callee::Direct(func), .. }) => Some(func),
            _ => None,
        })
        .collect();
    let target = program.types.target();
    let is_unknown = |&func: &FuncId| {
        let function = &program.funcs[func];
        let prototyped = program.types.signature(function.ty).is_some_and(|s| s.prototyped);
        let unknown = classify(source_name(&function.name), target) == Library::Unknown;
        function.body.is_none() && !function.no_return && prototyped && unknown
    };
    let unknown: Vec<FuncId> = called.into_iter().filter(is_unknown).collect();
    for &func in &unknown {
        give_body(program, func);
    }
    unknown.iter().map(|&f| source_name(&program.funcs[f].name).to_owned()).collect()
}

fn give_body(program: &mut Program, func: FuncId) {
    let Some(signature) = program.types.signature(program.funcs[func].ty).cloned() else { return };
    let variable = |program: &mut Program, name: String, ty: TypeId, storage: Storage| {
        program.vars.push(Var { name, ty, storage, address_taken: false, span: Span::NONE })
    };
    for (number, &ty) in signature.params.iter().enumerate() {
        let param = variable(program, format!(".p{number}"), ty, Storage::Param(func));
        program.funcs[func].params.push(param);
    }
    let mut builder = CfaBuilder::new();
    let (mut from, exit) = (builder.entry(), builder.exit());
    let mut value = None;
    if !matches!(program.types.get(signature.result), Type::Void) {
        let result = variable(program, ".any".to_owned(), signature.result, Storage::Local(func));
        program.funcs[func].locals.push(result);
        let place = program.var_place(result);
        let to = builder.add_loc();
        let (span, stmt) = (Span::NONE, Program::NO_STMT);
        builder.add_edge(Edge { from, to, op: Op::Havoc(place), span, stmt });
        from = to;
        value = Some(program.load_var(result));
    }
    let (span, stmt) = (Span::NONE, Program::NO_STMT);
    builder.add_edge(Edge { from, to: exit, op: Op::Return(value), span, stmt });
    program.funcs[func].body = Some(builder.finish());
}
