//! Bodies for functions of which nothing is known, by what they are taken to do.
//!
//! [`silence`] is the common weaker assumption: they return any value and write nothing. This is
//! unsound, and whoever asks for it must say so. [`unleash`] is the strongest: they write anything
//! to all memory that is not private, and call any function of the program with any arguments, as
//! often as they like.

use std::collections::BTreeSet;

use gnomon_ir::cfa::{Call, Callee, CfaBuilder, Edge, Op};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Function, Program, Storage, Var, VarId, source_name};
use gnomon_ir::span::Span;
use gnomon_ir::types::{Type, TypeId};

/// Gives a body to every function that is called directly, has none, and of which nothing is known;
/// their names.
pub fn silence(program: &mut Program) -> Vec<String> {
    let unknown = unknown(program);
    for &func in &unknown {
        give_body(program, func, &[], Writes::Nothing);
    }
    names(program, &unknown)
}

/// Gives such functions a body that does anything, calls of the program's functions but `entry`
/// among it; their names.
pub fn unleash(program: &mut Program, entry: &str) -> Vec<String> {
    let unknown = unknown(program);
    if unknown.is_empty() {
        return Vec::new();
    }
    let callable = |(id, function): (FuncId, &Function)| {
        let called_back = function.body.is_some() && source_name(&function.name) != entry;
        called_back.then_some(id)
    };
    let callable: Vec<FuncId> = program.funcs.iter_ids().filter_map(callable).collect();
    for &func in &unknown {
        give_body(program, func, &callable, Writes::Everything);
    }
    // It is another file that may name every variable of static storage.
    for var in program.vars.ids().collect::<Vec<VarId>>() {
        if matches!(program.vars[var].storage, Storage::Static { read_only: false, .. }) {
            program.vars[var].address_taken = true;
        }
    }
    names(program, &unknown)
}

fn names(program: &Program, functions: &[FuncId]) -> Vec<String> {
    functions.iter().map(|&f| source_name(&program.funcs[f].name).to_owned()).collect()
}

/// What a body writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writes {
    Nothing,
    Everything,
}

fn unknown(program: &Program) -> Vec<FuncId> {
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
    called.into_iter().filter(is_unknown).collect()
}

fn give_body(program: &mut Program, func: FuncId, callable: &[FuncId], writes: Writes) {
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
    let edge = |from, to, op| Edge { from, to, op, span: Span::NONE, stmt: Program::NO_STMT };
    if writes == Writes::Everything {
        let again = builder.add_loc();
        builder.add_edge(edge(from, again, Op::HavocMemory));
        for (count, &callee) in callable.iter().enumerate() {
            let Some(called) = program.types.signature(program.funcs[callee].ty).cloned() else {
                continue;
            };
            let mut at = again;
            let mut args = Vec::new();
            for (number, &ty) in called.params.iter().enumerate() {
                let name = format!(".c{count}.{number}");
                let arg = variable(program, name, ty, Storage::Local(func));
                program.funcs[func].locals.push(arg);
                let next = builder.add_loc();
                builder.add_edge(edge(at, next, Op::Havoc(program.var_place(arg))));
                args.push(program.load_var(arg));
                at = next;
            }
            let behind = builder.add_loc();
            let call = Call { dst: None, callee: Callee::Direct(callee), args: args.into() };
            builder.add_edge(edge(at, behind, Op::Call(call)));
            builder.add_edge(edge(behind, again, Op::HavocMemory));
        }
        let done = builder.add_loc();
        builder.add_edge(edge(again, done, Op::Skip));
        from = done;
    }
    let mut value = None;
    if !matches!(program.types.get(signature.result), Type::Void) {
        let result = variable(program, ".any".to_owned(), signature.result, Storage::Local(func));
        program.funcs[func].locals.push(result);
        let place = program.var_place(result);
        let to = builder.add_loc();
        builder.add_edge(edge(from, to, Op::Havoc(place)));
        from = to;
        value = Some(program.load_var(result));
    }
    builder.add_edge(edge(from, exit, Op::Return(value)));
    program.funcs[func].body = Some(builder.finish());
}
