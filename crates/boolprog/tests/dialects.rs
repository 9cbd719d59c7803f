//! Programs of all dialects with their known answers, and the round trip through the printers.

use gnomon_boolprog::check::{CheckOptions, DEFAULT_LABELS, Engine, Verdict, check, targets};
use gnomon_boolprog::model::Concurrency;
use gnomon_boolprog::read::{Dialect, ReadOptions, canonical, read};
use gnomon_boolprog::source::Source;
use gnomon_budget::Budget;

/// `true`, `false` or `unknown`, decided by every engine, with and without slicing.
fn answer(dialect: Dialect, text: &str, options: &ReadOptions) -> &'static str {
    let source = Source::new("test", text);
    let result = read(&source, dialect, options);
    let model = result.model.unwrap_or_else(|| panic!("{}", result.messages.render(&source)));
    let targets = targets(&model, true, &DEFAULT_LABELS);
    let mut answers = Vec::new();
    for engine in [Engine::OnTheFly, Engine::Saturation, Engine::Fwpds] {
        for slice in [false, true] {
            let options = CheckOptions { engine, slice, nodes: 1 << 20, ..CheckOptions::default() };
            let outcome = check(&model, &targets, &options, &Budget::unlimited()).unwrap();
            answers.push(match outcome.verdict {
                Verdict::True => "true",
                Verdict::False(_) => "false",
                Verdict::Unknown(_) => "unknown",
            });
        }
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "the engines disagree: {answers:?}\n{text}");
    let printed = canonical(&source, dialect).expect("it was read before");
    let again = canonical(&Source::new("printed", printed.clone()), dialect);
    assert_eq!(again.ok().as_deref(), Some(printed.as_str()), "the printed form reads differently");
    answers[0]
}

fn bp(text: &str) -> &'static str {
    answer(Dialect::BooleanProgram, text, &ReadOptions::default())
}

fn remopla(text: &str) -> &'static str {
    answer(Dialect::Remopla, text, &ReadOptions::default())
}

fn pds(text: &str, initial: &str) -> &'static str {
    let initial = Some(initial.to_owned());
    answer(Dialect::Pushdown, text, &ReadOptions { entry: None, initial })
}

#[test]
fn statements_of_the_slam_family() {
    // Several results, discarded results, parameters by value, unbounded recursion.
    let swap = "decl a, b; bool<2> swap(x, y) begin return y, x; end
        void main() begin a, b := T, F; a, b := swap(a, b); assert(!a & b); _, a := swap(T, a); assert(a); end";
    assert_eq!(bp(swap), "true");
    let parity = "decl odd; void f() begin odd := !odd; if * then f(); f(); fi end
        void main() begin odd := F; f(); assert(odd); end";
    assert_eq!(bp(parity), "true");
    assert_eq!(bp(&parity.replace("f(); f();", "f();")), "false");
    // elsif, while, goto with several targets, labels that are numbers, empty statements.
    let control =
        "decl x; void main() begin x := F; 1: goto 2, 3; 2: ; x := !x; while x do x := F; od
        3: if (x) then assert(F); elsif (!x) then skip; else assert(F); fi; end";
    assert_eq!(bp(control), "true");
    // constrain relates values before and after; dead forgets; schoose.
    let constrain =
        "decl x, y; void main() begin x, y := *, * constrain ('x != 'y); assert(x != y);
        constrain('x = y & 'y = y); assert(x = y); end";
    assert_eq!(bp(constrain), "true");
    assert_eq!(bp("decl x; void main() begin x := T; dead x; assert(x); end"), "false");
    let choose = "decl a, b; void main() begin a := schoose[T, T]; assert(a); b := schoose[F, T]; assert(!b); end";
    assert_eq!(bp(choose), "true");
    assert_eq!(bp("decl b; void main() begin b := schoose[F, F]; assert(b); end"), "false");
    // enforce and abortif cut executions; names in braces; ternary; precedence of =>.
    let enforce = "decl {x==0}; void main() begin decl l; enforce (l | {x==0}); abortif ({x==0}); assert(l); l := *; assert(l); end";
    assert_eq!(bp(enforce), "true");
    assert_eq!(bp("decl a; void main() begin assert(a ? a : !a); assert(a => a | F); end"), "true");
    // First values, `print`, `dfs`, bare calls that drop results.
    let first = "decl a := 1; dfs bool f() begin decl l := 0; print(l, a); return l; end
        void main() begin f(); assert(a); end";
    assert_eq!(bp(first), "true");
}

#[test]
fn labels_and_assertions_are_both_checked() {
    assert_eq!(bp("void main() begin goto L; SLIC_ERROR: skip; L: skip; end"), "true");
    assert_eq!(bp("void main() begin if * then ERROR: skip; fi end"), "false");
    assert_eq!(bp("void main() begin skip; end"), "true");
}

#[test]
fn threads_are_read_and_left_to_others() {
    let started = "decl x; void main() begin start_thread goto L; assert(x); L: atomic_begin; x := T; atomic_end; end_thread; end";
    assert_eq!(bp(started), "unknown");
    assert_eq!(
        bp("decl x; void f(p) begin x := p; end void main() begin async f(T); end"),
        "unknown"
    );
    // Labels of SATABS; the last `;` of a block may be missing.
    assert_eq!(
        bp(
            "decl x; void f() begin x := T end void main() begin x := F; l: ASYNC_1: f(); assert(!x) end"
        ),
        "unknown"
    );
    assert_eq!(
        bp(
            "decl x; void f() begin x := T end void main() begin x := F; ASYNCHRONOUS: f(); assert(x) end"
        ),
        "true"
    );
    let getafix =
        "decl atomic; void init() begin atomic := F; end void thread1() begin helper(); end
        void thread2() begin skip; end void helper() begin skip; end";
    assert_eq!(bp(getafix), "unknown");
    let source = Source::new("test", getafix);
    let model = read(&source, Dialect::BooleanProgram, &ReadOptions::default()).model.unwrap();
    let Concurrency::InitThenThreads(threads) = &model.concurrency else { panic!() };
    let names: Vec<_> = threads.iter().map(|t| model.procedure(*t).name.as_str()).collect();
    assert_eq!(names, ["thread1", "thread2"]);
    // Atomic sections alone do not make a program concurrent, nor does `x$` that is declared.
    assert_eq!(
        bp("decl x$; void main() begin atomic_begin; x$ := T; atomic_end; assert(x$); end"),
        "true"
    );
    assert_eq!(bp("decl x; void main() begin x, x$ := T, F; end"), "unknown");
}

#[test]
fn remopla_numbers_arrays_and_structures() {
    let counter = "define N 3\ndefine DEFAULT_INT_BITS 3\nint x; bool b;\ninit main;
        module void main() { x = 0; do :: x < N -> x = x + 1; :: else -> break; od;
        if :: x != N -> goto ERROR; :: else -> skip; fi; return; ERROR: skip; }";
    assert_eq!(remopla(counter), "true");
    assert_eq!(remopla(&counter.replace("x != N", "x == N")), "false");
    // Overflow cannot be executed, so the error behind it is not reached.
    let overflow = "int x(2); init main; module void main() { x = 3; x = x + 1; ERROR: skip; }";
    assert_eq!(remopla(overflow), "true");
    let arithmetic = "int x(4), y(4), z(4); init main; module void main() { x = 7, y = 2; z = x / y;
        if :: z != 3 || x * y != 14 || x - y != 5 || x << 1 != 14 || x >> 1 != 3 || (x & y) != 2 || (x | 8) != 15 || (x ^ y) != 5 -> goto ERROR;
        :: else -> skip; fi; return; ERROR: skip; }";
    assert_eq!(remopla(arithmetic), "true");
    let arrays = "int a[1,3](2), i(2); bool m[2][2]; init main; module void main() {
        A k (1,3) a[k] = 0; i = undef; a[i] = 2; m[0][1] = true;
        if :: (A k (1,3) a[k] == 0) -> goto ERROR; :: (E k (1,3) a[k] == 2) && m[0][1] -> skip; fi; return; ERROR: skip; }";
    assert_eq!(remopla(arrays), "true");
    let structures = "enum color {red, green, blue}; struct pair { int v(2); enum color c; }; struct pair p, q; enum color d;
        init main; module void main() { d = undef; if :: d == 3 -> goto ERROR; :: else -> skip; fi;
        p.v = 2, p.c = green; q = p; if :: q.v != 2 || q.c != green -> goto ERROR; :: else -> skip; fi; q.c != green;
        if :: q.c == green -> goto ERROR; :: else -> return; fi; ERROR: skip; }";
    assert_eq!(remopla(structures), "true");
    // Calls with results, assignments at the time of the call, forks.
    let calls = "int x(3), y(3); init main; module int(3) twice(int v(3)) { if :: v > 3 -> return 7; :: else -> skip; fi; return v * 2; }
        module void main() { x = 3; x = twice(x), y = 5; if :: x != 6 || y != 5 -> goto ERROR; :: else -> return; fi; ERROR: skip; }";
    assert_eq!(remopla(calls), "true");
    let fork = "bool b; init main; module void t() { b = true; } module void main() { fork t(); }";
    assert_eq!(remopla(fork), "unknown");
    // Statements outside modules; raw rules with relations.
    let outside = "bool b; init main; ERROR: goto ERROR; module void main() { b = true; if :: b -> goto ERROR; :: else -> skip; fi; }";
    assert_eq!(remopla(outside), "false");
    let rules = "bool x; init a; q <a> -> q <b c> (x' == true); q <b> -> r <> (x); r <c> -> q <ERROR> \"oops\" (x);";
    assert_eq!(remopla(rules), "false");
    assert_eq!(remopla(&rules.replace("(x);", "(!x);")), "true");
}

#[test]
fn plain_pushdown_systems() {
    // The stack counts: as many returns as calls.
    let balanced =
        "# a comment\np a -> p a a\np a -> q b\nq b -> q -\nq a -> q b\nq e -> q ERROR\n";
    assert_eq!(pds(balanced, "p a"), "true");
    assert_eq!(pds(balanced, "p a e"), "false");
    assert_eq!(pds("<p, a> -> <q, b c>\n<q, b> -> <r, >\n<r, c> -> <r, ERROR>\n", "p a"), "false");
    // A rule for the empty stack.
    assert_eq!(pds("p a -> q -\nq - -> q ERROR\n", "p a"), "false");
    // Longer right sides.
    assert_eq!(pds("p a -> p b c ERROR\np b -> p -\np c -> p -\n", "p a"), "false");
    assert_eq!(pds("2\nPDA 0 1\n0 0 -> 1 1\nPDA 2 3\n0 2 -> 0 3\n", "0|0,2"), "unknown");
}
