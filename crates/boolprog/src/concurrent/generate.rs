//! Random programs with threads, for differential tests.
//!
//! Half follow the convention of Getafix (`init`, then the other roots, with a global `atomic`),
//! half start their threads with `start_thread`, some of these in a loop. Thread bodies are those
//! of [`crate::generate`]: few variables, loops, gotos, calls with parameters and results.

use crate::bp::ast::{Expr, ExprKind, Program, Statement, StatementKind};
use crate::generate::{Generator, Shape, Signature, expr, ident, plain};
use crate::random::Random;

/// How large the programs are.
#[derive(Clone, Copy, Debug)]
pub struct ConcurrentShape {
    /// Threads besides `main` or `init`.
    pub threads: usize,
    /// Whether procedures may call themselves and each other.
    pub recursion: bool,
    /// The size of each procedure.
    pub procedures: Shape,
}

/// The shape that belongs to a seed: two to four threads, with and without recursion.
pub fn shape_of(seed: u64) -> ConcurrentShape {
    let mut random = Random::new(seed ^ 0x5eed);
    let threads = 2 + random.below(3);
    let recursion = random.coin();
    let (globals, statements) = if threads == 2 { (3, 5) } else { (2, 3) };
    let procedures = Shape { globals, locals: 2, functions: 2, statements };
    ConcurrentShape { threads, recursion, procedures }
}

/// A random program with threads.
pub fn program(seed: u64, shape: ConcurrentShape) -> Program {
    let mut random = Random::new(seed);
    let getafix = random.coin();
    let mut globals: Vec<_> =
        (0..=random.below(shape.procedures.globals)).map(|i| format!("g{i}")).collect();
    if getafix {
        globals.push("atomic".to_owned());
    }
    let helpers = random.below(shape.procedures.functions + 1);
    let mut signatures: Vec<Signature> = (0..helpers)
        .map(|i| Signature {
            name: format!("f{i}"),
            parameters: random.below(2),
            results: random.below(2),
        })
        .collect();
    // `main` starts one thread fewer: it is one itself.
    let threads = if getafix { shape.threads } else { shape.threads - 1 };
    for i in 0..threads {
        let parameters = if getafix { 0 } else { random.below(2) };
        signatures.push(Signature { name: format!("t{i}"), parameters, results: 0 });
    }
    let first = if getafix { "init" } else { "main" };
    signatures.push(Signature { name: first.to_owned(), parameters: 0, results: 0 });
    let mut generator = Generator {
        random,
        shape: shape.procedures,
        globals,
        signatures: &signatures,
        callees: None,
        atomic_sections: !getafix,
    };
    let mut functions = Vec::new();
    for (i, signature) in signatures.iter().enumerate() {
        let callable = if i < helpers && !shape.recursion { i + 1..helpers } else { 0..helpers };
        generator.callees = Some(callable.collect());
        functions.push(generator.function(signature));
    }
    let Some(mut start) = functions.pop() else { return Program::default() };
    if getafix {
        let value = |e: bool| expr(ExprKind::Constant(e));
        start.body.insert(0, assign("atomic", value(false)));
    } else {
        for (i, signature) in signatures[helpers..helpers + threads].iter().enumerate() {
            let arguments = (0..signature.parameters).map(|_| simple(&mut generator)).collect();
            let kind = StatementKind::StartThreadCall { callee: ident(&signature.name), arguments };
            // Mostly at the beginning; sometimes anywhere.
            let place = if generator.random.one_in(4) {
                generator.random.below(start.body.len() + 1)
            } else {
                i.min(start.body.len())
            };
            start.body.insert(place, plain(kind));
        }
    }
    functions.insert(0, start);
    let names = generator.globals.clone();
    let globals = names.iter().map(|g| generator.declaration(g)).collect();
    Program { globals, functions }
}

fn assign(target: &str, value: Expr) -> Statement {
    plain(StatementKind::Assign {
        targets: vec![ident(target)],
        values: vec![value],
        constrain: None,
    })
}

fn simple(generator: &mut Generator<'_>) -> Expr {
    match generator.random.below(3) {
        0 => expr(ExprKind::Constant(generator.random.coin())),
        1 => expr(ExprKind::Nondet),
        _ => {
            let i = generator.random.below(generator.globals.len());
            expr(ExprKind::Variable(ident(&generator.globals[i])))
        }
    }
}
