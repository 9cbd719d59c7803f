//! What a certificate leaves out of a program is accepted only where it cannot matter.

use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_certify::certificate::{SCHEMA, VERSION};
use gnomon_certify::{Certificate, Claim, Forbidden, LeftOut, Omission, Outcome, check};
use gnomon_engine::property::{ErrorSites, Property};
use gnomon_ir::cfa::Op;
use gnomon_ir::program::Program;
use gnomon_ir::property::Specification;
use gnomon_testkit::program;

/// What the checker says of the claim that all executions end without an error.
fn outcome(program: &Program, left_out: Vec<LeftOut>) -> Outcome {
    let sites = ErrorSites::of(program, &Property::default()).expect("sites");
    let forbidden = Forbidden {
        edges: sites.iter().map(|(site, _)| (site.func, site.edge)).collect(),
        functions: sites.functions().collect(),
    };
    let certificate = Certificate {
        schema: SCHEMA.into(),
        version: VERSION,
        program: String::new(),
        property: Specification::default(),
        forbidden: Vec::new(),
        claim: Claim::AllExecutions,
        aliases: Vec::new(),
        calls: Vec::new(),
        memory: Vec::new(),
        escaped: None,
        left_out,
    };
    let main = program.find_function("main").expect("main");
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    check(program, main, &forbidden, &certificate, &budget)
}

/// Everything that could be left out, one by one.
fn omissions(program: &Program) -> Vec<LeftOut> {
    let mut all = Vec::new();
    for function in program.funcs.iter() {
        let edges = function.body.iter().flat_map(|body| body.edges().iter_ids());
        for (edge, held) in edges.filter(|(_, held)| !matches!(held.op, Op::Skip)) {
            let mut kinds = vec![Omission::Everything];
            if held.op.destination().is_some() || matches!(held.op, Op::Return(Some(_))) {
                kinds.push(Omission::Value);
            }
            if let Op::Call(call) = &held.op {
                kinds.push(Omission::Parts {
                    arguments: (0..call.args.len() as u32).collect(),
                    result: call.dst.is_some(),
                });
            }
            let left_out = |what| LeftOut { function: function.name.clone(), edge: edge.0, what };
            all.extend(kinds.into_iter().map(left_out));
        }
    }
    all
}

fn unsafe_programs() -> Vec<&'static str> {
    vec![
        // A state in a variable.
        "int s; int main(void) { s = 1; if (s == 1) reach_error(); return 0; }",
        // Behind a pointer.
        "int main(void) { int s = 0, *p = &s; *p = 1; if (s == 1) reach_error(); return 0; }",
        // By a function, at some depth.
        "int s; void b(int v) { s = v; } void a(int v) { b(v); }
         int main(void) { a(1); if (s == 1) reach_error(); return 0; }",
        // As a result.
        "int one(void) { return 1; }
         int main(void) { int r = 0; r = one(); if (r == 1) reach_error(); return 0; }",
        // Through the address of a local variable of the caller.
        "void set(int *p) { *p = 1; }
         int main(void) { int s = 0; set(&s); if (s == 1) reach_error(); return 0; }",
        // The error is in a function.
        "void f(int v) { if (v) reach_error(); } int main(void) { f(1); return 0; }",
        // What was allocated can be accessed.
        "extern void *malloc(unsigned long);
         int main(void) { int *p = malloc(4); *p = 1; if (*p == 1) reach_error(); return 0; }",
        // A part of a structure, and a bit-field.
        "struct r { int a : 3; int b; } g;
         int main(void) { g.b = 1; g.a = 1; if (g.a == 1 && g.b == 1) reach_error(); return 0; }",
        // An index.
        "int main(void) { int a[2] = {0, 0}, i = 0; i = 1; a[i] = 1; if (a[1]) reach_error();
         return 0; }",
        // The caller's variable is changed by a call back into it.
        "int s; void f(int n) { if (n) { f(n - 1); s = 1; } }
         int main(void) { f(1); if (s) reach_error(); return 0; }",
        // By a call through a pointer.
        "int s; void f(void) { s = 1; }
         int main(void) { void (*p)(void) = f; p(); if (s) reach_error(); return 0; }",
        // The run would end, if the value were another one.
        "int main(void) { int x = 0, y = 6; x = 2; y = y / x; if (y == 3) reach_error(); return 0; }",
    ]
}

fn with_header(text: &str) -> Program {
    program(&format!(
        "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n{text}"
    ))
}

#[test]
fn an_error_stays_whatever_is_left_out() {
    for text in unsafe_programs() {
        let program = with_header(text);
        let all = omissions(&program);
        assert!(all.len() > 2, "{text}");
        for (position, one) in all.iter().enumerate() {
            let said = outcome(&program, vec![one.clone()]);
            assert!(matches!(said, Outcome::NotDecided(_)), "{text}\n{one:?}: {said:?}");
            for other in &all[position + 1..] {
                if (&one.function, one.edge) == (&other.function, other.edge) {
                    continue;
                }
                let both = vec![one.clone(), other.clone()];
                let said = outcome(&program, both);
                assert!(
                    matches!(said, Outcome::NotDecided(_)),
                    "{text}\n{one:?}, {other:?}: {said:?}"
                );
            }
        }
    }
}

#[test]
fn what_nobody_looks_at_is_left_out() {
    let program = with_header(
        "int s, t; void log_it(int v) { t = t * v + 1; }
         int main(void) {
             int n = __VERIFIER_nondet_int();
             t = n * n;
             s = 1;
             log_it(n * 3);
             if (s != 1) reach_error();
             return 0;
         }",
    );
    // A formula that nobody looks at is refused only where it matters.
    let accepted = omissions(&program)
        .into_iter()
        .filter(|one| outcome(&program, vec![one.clone()]) == Outcome::Accepted)
        .count();
    assert!(accepted >= 6, "{accepted}");
    let main_of = |wanted: fn(&Op) -> bool| {
        let main = program.find_function("main").expect("main");
        let body = program.funcs[main].body.as_ref().expect("a body");
        let found = body.edges().iter_ids().filter(|(_, edge)| wanted(&edge.op));
        found.map(|(edge, _)| edge.0).collect::<Vec<u32>>()
    };
    let everything =
        |edge: u32| LeftOut { function: "main".into(), edge, what: Omission::Everything };
    let calls =
        main_of(|op| matches!(op, Op::Call(call) if call.dst.is_none() && call.args.len() == 1));
    assert_eq!(calls.len(), 1);
    assert_eq!(outcome(&program, vec![everything(calls[0])]), Outcome::Accepted);
    // There is no such edge, or no such function.
    let nowhere = LeftOut { edge: 9999, ..everything(0) };
    assert!(matches!(outcome(&program, vec![nowhere]), Outcome::NotDecided(_)));
    let nobody = LeftOut { function: "nobody".into(), ..everything(0) };
    assert!(matches!(outcome(&program, vec![nobody]), Outcome::NotDecided(_)));
}
