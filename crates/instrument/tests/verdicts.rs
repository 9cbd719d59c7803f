//! Small programs with undefined behaviour and without: what `--check` says of them.

use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_engine::property::{Property, Site};
use gnomon_engine::verdict::{Reason, Verdict};
use gnomon_instrument::{CheckKind, Checks, instrument};
use gnomon_ir::program::Program;
use gnomon_ir::validate::validate;
use gnomon_verify::decide::{Options, check};

const OUTSIDE: &str = "extern int __VERIFIER_nondet_int(void);
    extern long __VERIFIER_nondet_long(void); extern char __VERIFIER_nondet_char(void);
    extern unsigned __VERIFIER_nondet_uint(void); extern void *malloc(unsigned long);
    extern void abort(void);\n";

fn program(text: &str) -> Program {
    let text = text.replace("ANY", "__VERIFIER_nondet_int()");
    gnomon_testkit::program(&format!("{OUTSIDE}{text}"))
}

fn verdict(text: &str, kind: CheckKind) -> Verdict {
    let instrumented = instrument(&program(text), Checks::NONE.with(kind));
    assert_eq!(validate(&instrumented.program), [], "{text}");
    let edges = instrumented.violations.iter().map(|v| {
        assert_eq!(v.kind, kind);
        (Site { func: v.func, edge: v.edge }, v.message.clone())
    });
    let property = Property { edges: edges.collect(), ..Property::default() };
    let options = Options { property, ..Options::default() };
    let budget = Budget::unlimited().with_time(Duration::from_secs(30));
    check(&instrumented.program, &options, &budget).expect("a good request").verdict
}

fn all_are_right(kind: CheckKind, correct: &[&str], faulty: &[(&str, &str)]) {
    assert!(correct.len() >= 8 && faulty.len() >= 8);
    for text in correct {
        let found = verdict(&format!("int main(void) {{ {text} return 0; }}"), kind);
        assert!(matches!(found, Verdict::True(_)), "{text}\n{found:?}");
    }
    for (text, message) in faulty {
        let found = verdict(&format!("int main(void) {{ {text} return 0; }}"), kind);
        match found {
            Verdict::False(counterexample) => assert_eq!(counterexample.message, *message),
            other => panic!("{text}\n{other:?}"),
        }
    }
}

#[test]
fn signed_overflow() {
    all_are_right(
        CheckKind::Overflow,
        &[
            "char a = __VERIFIER_nondet_char(), b = a; int c = a * b + a;",
            "unsigned a = __VERIFIER_nondet_uint(); a = a + a * 3; a++; a <<= 5; a = -a;",
            "int a = ANY; if (a < 100) a = a + 1;",
            "int a = ANY, b = ANY; if (a > 0 && b < 0) a = a + b;",
            "int a = ANY, b = ANY; long c = (long)a * b; c = c + a;",
            "int a = ANY; if (a != -2147483647 - 1 && -a < 0) a = 1;",
            "int a = ANY, b = ANY; if (b > 0) a = a / b; else if (b < -1) a = a % b;",
            "int s = 0; for (int i = 0; i < 50; i++) s += i;",
            "int n = ANY; if (n >= 0 && n < 31) n = 1 << n;",
            "char c = 127; c++; short s = 32767; s += 1; c = -c;",
            "int a = ANY; int b = a > 5 ? a - 1 : 0; int c = (int)(long)a;",
            "int r = 0; long a = ANY; r = __builtin_add_overflow(a, a, &a);",
            "int n = ANY; int i = 0; while (i < n) i++;",
            "struct { int x : 5; } s; s.x = 15; s.x++; s.x = s.x * 3;",
            "static int x = 1 << 31; enum { A = 1 << 31 }; int y = A;",
        ],
        &[
            ("int a = ANY, b = ANY; int c = a + b;", "signed overflow in `a + b`"),
            ("int a = ANY; a = a - 7;", "signed overflow in `a - 7`"),
            ("int a = ANY; if (a > 46341) a = a * a;", "signed overflow in `a * a`"),
            ("int a = ANY; a = -a;", "signed overflow in `-a`"),
            ("int a = ANY; if (a < 5) a = a / -1;", "signed overflow in `a / -1`"),
            ("int a = ANY, b = ANY; if (b < 0) a = a % b;", "signed overflow in `a % b`"),
            ("long a = __VERIFIER_nondet_long(); a = 3 * a;", "signed overflow in `3 * a`"),
            ("int a = 2147483647; a++;", "signed overflow in `a + 1`"),
            ("int a = ANY; if (a > 0) a = a << 4;", "signed overflow in `a << 4`"),
            ("int a = ANY; a = 5 - a;", "signed overflow in `5 - a`"),
            ("int a = 2147483647 + 1;", "signed overflow in `2147483647 + 1`"),
            ("int a = ANY; a + 1;", "signed overflow in `a + 1`"),
            ("__int128 a = 1; while (1) a = a * 2;", "signed overflow in `a * 2`"),
            ("__int128 a = 1, b = ANY; while (b > 1) a = a * b;", "signed overflow in `a * b`"),
            ("int i = 1; for (;;) i += 1000000000;", "signed overflow in `i + 1000000000`"),
            ("int a = ANY, b = ANY; if (a - b > 3 || a > b) a = 1;", "signed overflow in `a - b`"),
        ],
    );
}

#[test]
fn division_by_zero() {
    all_are_right(
        CheckKind::Division,
        &[
            "int a = ANY, b = ANY; if (b) a = a / b;",
            "int a = ANY, b = ANY; a = b != 0 && a / b > 3;",
            "int a = ANY, b = ANY; a = b ? a % b : 0;",
            "double a = ANY; a = 1.0 / a;",
            "int a = ANY; a = a / 3 + a % 5;",
            "unsigned a = __VERIFIER_nondet_uint(); a = 100 / (a | 1);",
            "int a = ANY; if (a > 3) { a = 10 / (a - 3); }",
            "int s = 1; for (int i = 1; i < 20; i++) s = 1000 / i;",
            "int b = ANY; if (!b) abort(); b = 5 % b;",
            "int a = ANY; if (sizeof(1 / a) == 4) a = 1;",
        ],
        &[
            ("int a = ANY; a = 5 / a;", "division by zero in `5 / a`"),
            ("int a = ANY; a = 5 % a;", "division by zero in `5 % a`"),
            ("int a = ANY; a = 5 / (a - 17);", "division by zero in `5 / (a - 17)`"),
            ("int a = ANY; if (a == 0 || 5 / a > 2) a = 7 / a;", "division by zero in `7 / a`"),
            (
                "unsigned a = __VERIFIER_nondet_uint(); a = 5 / (a & 6);",
                "division by zero in `5 / (a & 6)`",
            ),
            ("int a = 1 / 0;", "division by zero in `1 / 0`"),
            ("int a = ANY; a /= a > 5;", "division by zero in `a / (a > 5)`"),
            ("for (int i = 5; i > -5; i--) { int a = 100 / i; }", "division by zero in `100 / i`"),
            ("int a = ANY; 1 / a;", "division by zero in `1 / a`"),
            ("int a = ANY; if (7 % a > 3) a = 1;", "division by zero in `7 % a`"),
            (
                "int a = ANY; int b[3]; b[0] = 1; b[1 % (a & 1)] = 2;",
                "division by zero in `1 % (a & 1)`",
            ),
        ],
    );
}

#[test]
fn array_bounds() {
    all_are_right(
        CheckKind::Bounds,
        &[
            "int a[10], i = ANY; if (0 <= i && i < 10) a[i] = 1;",
            "int a[10], i = ANY; a[i & 7] = 1;",
            "int a[10]; int *p = &a[10]; p = a + 10; p = &a[0];",
            "int a[3][4]; for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) a[i][j] = 1;",
            "struct { int n; struct { int b[5]; } s[2]; } x; unsigned i = __VERIFIER_nondet_uint();
                x.s[i % 2].b[i % 5] = 3;",
            "int a[5], n = ANY; for (int i = 0; i < 5 && a[i] != n; i++) a[i] = n;",
            "int a[5]; *(a + 4) = 1; *a = 2; 3[a] = 1; int *p = a + 2; int d = p - a;",
            "unsigned char c = __VERIFIER_nondet_char(); int a[256]; a[c] = 1;",
            "char s[] = \"abc\"; int i = 0; while (s[i]) i++;",
            "int a[5]; int i = ANY; i = i >= 0 && i < 5 ? a[i] : 0;",
            "int x; *(&x + 0) = 5; int a[2]; int *p = &a[2] - 1; int b = *(&a[2] - 1);",
            "int a[4]; int (*p)[4] = &a; (*p)[3] = 1; unsigned long s = sizeof(a[7]);",
        ],
        &[
            ("int a[10], i = ANY; if (i < 10) a[i] = 1;", "index out of bounds in `a[i]`"),
            (
                "int a[10], i = ANY; if (i >= 0 && i <= 10) a[i] = 1;",
                "index out of bounds in `a[i]`",
            ),
            ("int a[10]; int *p = &a[11];", "index out of bounds in `a[11]`"),
            ("int a[3][4]; a[1][4] = 1;", "index out of bounds in `a[1][4]`"),
            (
                "struct { int b[5]; int c; } s[2]; int i = ANY; s[i & 1].b[i & 7] = 3;",
                "index out of bounds in `s[i & 1].b[i & 7]`",
            ),
            ("int a[5]; for (int i = 0; i <= 5; i++) a[i] = 1;", "index out of bounds in `a[i]`"),
            ("int a[5]; *(a + 5) = 1;", "index out of bounds in `a + 5`"),
            ("int a[5]; int i = ANY; int b = a[i];", "index out of bounds in `a[i]`"),
            ("int a[5], i = -1; int b = a[a[0] = 1, i];", "index out of bounds in `a[i]`"),
            ("int x; *(&x + 1) = 5;", "index out of bounds in `&x + 1`"),
            ("int a[4]; int (*p)[4] = &a; (*p)[4] = 1;", "index out of bounds in `(*p)[4]`"),
            ("int a[4], i = ANY; a[2]; a[i];", "index out of bounds in `a[i]`"),
            (
                "char s[] = \"abc\"; int i = 0; while (s[i] != 'x') i++;",
                "index out of bounds in `s[i]`",
            ),
        ],
    );
}

#[test]
fn null_pointers() {
    all_are_right(
        CheckKind::Null,
        &[
            "int x, *p = &x; *p = 1;",
            "int x, *p = 0; if (ANY) p = &x; if (p) *p = 1;",
            "int x, *p = ANY ? &x : 0; int y = p && *p > 3;",
            "struct s { int n; struct s *next; } a, b; a.next = &b; b.next = 0;
                for (struct s *p = &a; p; p = p->next) p->n = 1;",
            "int *p = malloc(4); if (!p) return 0; *p = 1;",
            "struct s { int a, b; }; unsigned long o = (unsigned long)&((struct s *)0)->b;",
            "int a[5], *p = a; for (int i = 0; i < 5; i++) *p++ = i;",
            "int *p = 0; unsigned long n = sizeof(*p); int *q = &*p;",
            "int (*f)(void) = 0; if (f) f(); int x; int **q, *p = &x; q = &p; **q = 1;",
        ],
        &[
            ("int *p = 0; *p = 1;", "null pointer dereference in `*p`"),
            ("int x, *p = 0; if (ANY) p = &x; *p = 1;", "null pointer dereference in `*p`"),
            ("struct s { int a, b; } *p = 0; p->b = 1;", "null pointer dereference in `*p`"),
            ("int *p = 0; int x = p[3];", "null pointer dereference in `*(p + 3)`"),
            (
                "struct s { int n; struct s *next; } a; a.next = 0; struct s *p = &a;
                while (ANY) p = p->next;",
                "null pointer dereference in `*p`",
            ),
            ("int (*f)(void) = 0; if (ANY) f();", "null pointer dereference in `f`"),
            ("int **q, *p = 0; q = &p; **q = 1;", "null pointer dereference in `**q`"),
            (
                "int x, *p = &x; if (ANY == 77) p = 0; if (*p || x) x = 1;",
                "null pointer dereference in `*p`",
            ),
            ("*(int *)0 = 1;", "null pointer dereference in `*NULL`"),
            ("int *p = 0; *p;", "null pointer dereference in `*p`"),
        ],
    );
}

#[test]
fn shift_counts() {
    all_are_right(
        CheckKind::Shift,
        &[
            "int n = ANY, a = 1; if (n >= 0 && n < 32) a <<= n;",
            "int n = ANY, a = 1 << (n & 31);",
            "unsigned n = __VERIFIER_nondet_uint(); n = n >> 31;",
            "unsigned n = __VERIFIER_nondet_uint(); if (n < 64) { long a = 1L << n; }",
            "int a = ANY; a = a >> 3 << 5;",
            "int n = ANY; n = n >= 0 && n <= 31 ? 1 >> n : 0;",
            "for (int i = 0; i < 32; i++) { unsigned a = 1u << i; }",
            "char c = 1; int n = ANY; if (n > 7 && n < 32) c = c << n;",
        ],
        &[
            ("int n = ANY, a = 1; a <<= n;", "shift count out of range in `a << n`"),
            ("int n = ANY, a = 1; if (n < 32) a <<= n;", "shift count out of range in `a << n`"),
            ("int n = ANY, a = 1; if (n >= 0) a >>= n;", "shift count out of range in `a >> n`"),
            ("int a = 1 << 32;", "shift count out of range in `1 << 32`"),
            (
                "unsigned n = __VERIFIER_nondet_uint(), a = 1u << n;",
                "shift count out of range in `1 << n`",
            ),
            ("int a = ANY; a = a >> -1;", "shift count out of range in `a >> -1`"),
            (
                "for (int i = 0; i <= 32; i++) { unsigned a = 1u << i; }",
                "shift count out of range in `1 << i`",
            ),
            (
                "int n = ANY; if (n > 7 && n < 64) n = 1 << n;",
                "shift count out of range in `1 << n`",
            ),
        ],
    );
}

#[test]
fn the_place_of_a_result_is_checked_after_the_call() {
    let text = "int i = 0; int move(void) { i = 7; return 1; } int a[5];
        int main(void) { int *p = &a[0]; a[i] = move(); }";
    // C leaves open whether the index is read before the call: one order is right, the other is not.
    let found = verdict(text, CheckKind::Bounds);
    assert!(
        matches!(found, Verdict::Unknown(Reason::OneOrderOnly { .. }) | Verdict::False(_)),
        "{found:?}"
    );
    // In the model the place is evaluated after the call, whatever the front end made of it.
    let mut model = program(
        "int i = 0; int move(void) { i = 7; return 1; } int a[5];
        int main(void) { int t; t = move(); a[i] = 1; }",
    );
    let main = model.find_function("main").expect("main");
    let find = |name: &str| model.vars.iter_ids().find(|(_, v)| v.name == name).map(|(id, _)| id);
    let (a, i) = (find("a").expect("a"), find("i").expect("i"));
    let (array, index) = (model.var_place(a), model.load_var(i));
    let element = model.index(array, index);
    let mut body = model.funcs[main].body.take().expect("a body");
    body.rewrite_ops(|edge| match &edge.op {
        gnomon_ir::cfa::Op::Call(call) => {
            let dst = Some(element);
            Some(gnomon_ir::cfa::Op::Call(gnomon_ir::cfa::Call { dst, ..call.clone() }))
        }
        gnomon_ir::cfa::Op::Assign { dst, .. } if *dst == element => Some(gnomon_ir::cfa::Op::Skip),
        _ => None,
    });
    model.funcs[main].body = Some(body);
    let instrumented = instrument(&model, Checks::NONE.with(CheckKind::Bounds));
    assert_eq!(validate(&instrumented.program), []);
    let edges = instrumented
        .violations
        .iter()
        .map(|v| (Site { func: v.func, edge: v.edge }, v.message.clone()))
        .collect();
    let options =
        Options { property: Property { edges, ..Property::default() }, ..Options::default() };
    let report = check(&instrumented.program, &options, &Budget::unlimited()).expect("a request");
    assert!(matches!(report.verdict, Verdict::False(_)), "{:?}", report.verdict);
}

#[test]
fn what_is_not_checked_is_said() {
    let kinds = |text: &str| {
        let checked = instrument(&program(text), Checks::NONE.with(CheckKind::Bounds));
        checked.program.notes.iter().map(|note| note.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds("int main(void) { int a[3]; a[1] = 1; }"), [""; 0]);
    assert_eq!(kinds("int f(int *p) { return p[1]; }"), ["bounds"]);
    assert_eq!(kinds("int f(int n) { int a[n]; return a[1]; }"), ["bounds"]);
    let open = "struct s { int n; char t[1]; }; int f(struct s *p) { return p->t[3]; }";
    assert_eq!(kinds(open), ["bounds"]);
    let copy = "void *memcpy(void *, const void *, unsigned long);
        int main(void) { int a[3], b[3]; memcpy(a, b, 12); }";
    assert_eq!(kinds(copy), ["library"]);
}

#[test]
fn two_checks_of_one_statement_both_count() {
    let text = "int main(void) { int a = ANY, b = ANY; if (a < 10) a = a + b; }";
    let program = program(text);
    let all = instrument(&program, "all".parse().expect("all"));
    let messages: Vec<&str> = all.violations.iter().map(|v| v.message.as_str()).collect();
    // Above and below.
    assert_eq!(messages, ["signed overflow in `a + b`"; 2]);
    // Two branches of two edges each.
    assert_eq!(all.inserted.len(), 4);
    for violation in &all.violations {
        let body = all.program.funcs[violation.func].body.as_ref().expect("a body");
        let end = body.edge(violation.edge).to;
        assert!(body.out_edges(end).is_empty() && end != body.exit());
        assert!(all.inserted.contains(&(violation.func, violation.edge)));
    }
}
