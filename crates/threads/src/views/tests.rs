//! Small programs, looked at by views: what is proved, and what is not because it can happen.

use gnomon_budget::Budget;
use gnomon_testkit::Reader;

use crate::views::{Shown, look};
use crate::{Options, Rounds, primitives, sequentialize};

const DECLARATIONS: &str = "typedef unsigned long pthread_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern pthread_t pthread_self(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
";
const WITHOUT_END: &str =
    "int main(void) { pthread_t t; while (1) pthread_create(&t, 0, one, 0); }";

/// Whether views exclude an error.
fn is_proved(text: &str) -> bool {
    let text = format!("{DECLARATIONS}{text}");
    let program = Reader::default().with_own_models(primitives::MODELS).text(&text);
    let (rounds, threads_per_call, kinds) = (Rounds::Unbounded, 1, true);
    let options = Options { rounds, threads_per_call, kinds, ..Options::default() };
    let budget = Budget::unlimited();
    let kinds = sequentialize(&program, &options, &budget).expect("can be taken apart");
    matches!(look(&kinds, &["reach_error".to_owned()], &budget), Shown::Proved { .. })
}

/// A thread with a body, made without end.
fn many(shared: &str, body: &str) -> bool {
    is_proved(&format!("{shared}\nvoid *one(void *unused) {{ {body} return 0; }}\n{WITHOUT_END}"))
}

#[test]
fn many_threads_exclude_each_other() {
    let body = |first: &str, last: &str| {
        format!(
            "__VERIFIER_atomic_begin(); {first} __VERIFIER_atomic_end();
             n = n + 1; if (n != 1) reach_error(); n = n - 1; {last}"
        )
    };
    assert!(many("int m, n;", &body("__VERIFIER_assume(m == 0); m = 1;", "m = 0;")));
    // Two are let in.
    assert!(!many("int m, n;", &body("__VERIFIER_assume(m <= 1); m = m + 1;", "m = m - 1;")));
    assert!(!many("int m, n;", &body("__VERIFIER_assume(m == 0);", "")));
}

#[test]
fn a_third_thread_is_seen() {
    // Each of two is alone with the flag of the other down, a third one puts it down.
    let text = |third: &str| {
        format!(
            "int a, b, n;
             void *left(void *x) {{ a = 1; if (!b) {{ n = n + 1; if (n != 1) reach_error(); n = n - 1; }} return 0; }}
             void *right(void *x) {{ b = 1; if (!a) {{ n = n + 1; if (n != 1) reach_error(); n = n - 1; }} return 0; }}
             void *third(void *x) {{ {third} return 0; }}
             int main(void) {{ pthread_t t; pthread_create(&t, 0, left, 0); pthread_create(&t, 0, right, 0);
                               pthread_create(&t, 0, third, 0); return 0; }}"
        )
    };
    assert!(is_proved(&text("int seen = b;")));
    assert!(!is_proved(&text("b = 0;")));
}

#[test]
fn numbers_wrap() {
    let counts = |guard: &str| {
        format!(
            "unsigned mine; __VERIFIER_atomic_begin(); {guard} mine = n; n = n + 1; __VERIFIER_atomic_end();
             __VERIFIER_atomic_begin(); if (n <= mine) reach_error(); __VERIFIER_atomic_end();"
        )
    };
    assert!(many("unsigned n;", &counts("__VERIFIER_assume(n != 0xffffffffu);")));
    assert!(!many("unsigned n;", &counts("")));
    // As a signed number it is the smallest one.
    assert!(!many("int n = 2147483647;", "if (n + 1 < 0) reach_error();"));
    assert!(!many("unsigned char n = 255;", "unsigned char m = n + 1; if (m == 0) reach_error();"));
    assert!(!many("unsigned n = 4294967295u;", "if ((int)n == -1) reach_error();"));
    assert!(!many("unsigned long n;", "n = n - 1; if ((long)n < 0) reach_error();"));
    assert!(many("unsigned n = 5;", "if ((int)n != 5) reach_error();"));
}

#[test]
fn threads_of_one_kind_are_not_one_thread() {
    let alone =
        "__VERIFIER_atomic_begin(); if (!who) who = pthread_self(); __VERIFIER_atomic_end();";
    assert!(!many(
        "unsigned long who;",
        &format!("{alone} if (who != pthread_self()) reach_error();")
    ));
    assert!(many("unsigned long who;", &format!("{alone} if (!who) reach_error();")));
    // Each has variables of its own, also where every thread has one of the name.
    assert!(!many(
        "int n; _Thread_local int own;",
        "own = n; n = own + 1; if (own > 1) reach_error();"
    ));
    assert!(!many("int n;", "int own = n; n = own + 1; if (own > 1) reach_error();"));
}

#[test]
fn what_is_behind_pointers_is_not_known() {
    let stores = "int *p = __VERIFIER_nondet_int() ? &n : &m; *p = 1;";
    assert!(!many("int n, m;", &format!("{stores} if (n) reach_error();")));
    assert!(many("int n, m, other;", &format!("{stores} if (other) reach_error();")));
    assert!(!many("int a[3];", "a[__VERIFIER_nondet_int() & 1] = 1; if (a[1]) reach_error();"));
    let parts = "union { int whole; unsigned char parts[4]; } u;";
    assert!(!many(parts, "u.parts[0] = 7; if (u.whole == 7) reach_error();"));
}

#[test]
fn errors_are_found_inside_of_functions() {
    assert!(!many(
        "void fails(int n) { if (n) reach_error(); }",
        "fails(__VERIFIER_nondet_int());"
    ));
    assert!(many("void fails(int n) { if (n) reach_error(); }", "fails(0);"));
    assert!(!many(
        "int deep(int n) { return n ? deep(n - 1) : 0; }",
        "if (deep(9) == 0) reach_error();"
    ));
}

#[test]
fn threads_that_were_joined_have_ended() {
    let text = |join: &str| {
        format!(
            "int n; void *one(void *a) {{ n = 1; return 0; }}
             int main(void) {{ pthread_t t; pthread_create(&t, 0, one, 0); {join} if (n != 1) reach_error(); return 0; }}"
        )
    };
    assert!(is_proved(&text("pthread_join(t, 0);")));
    assert!(!is_proved(&text("")));
}
