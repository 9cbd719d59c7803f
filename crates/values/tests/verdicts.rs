//! What values prove, find and leave open, on small programs: each corner at which a value that is taken
//! for granted would make a proof wrong has a program with an error.

use gnomon_budget::Budget;
use gnomon_engine::facts::Facts;
use gnomon_engine::property::{ErrorSites, Property};
use gnomon_ir::program::Program;
use gnomon_logic::encode::MemoryOptions;
use gnomon_testkit::corpus::{self, Case};
use gnomon_testkit::header::Expected;
use gnomon_testkit::verifier_program;
use gnomon_values::{Step, Values};

/// So much work for a program.
const WORK: u64 = 3_000_000;

fn explored(program: &Program) -> (Step, Vec<String>) {
    let budget = Budget::unlimited().metered();
    let entry = program.find_function("main").expect("a main function");
    let facts = Facts::new(program, entry, MemoryOptions::default(), &budget).expect("facts");
    let sites = ErrorSites::of(program, &Property::default()).expect("sites");
    let mut values = Values::new(&facts, &sites, entry, budget.clone()).expect("a body");
    let end = loop {
        match values.run_until(&|| budget.work() > WORK).expect("no limit") {
            Step::More if budget.work() > WORK => break Step::More,
            Step::More => {}
            end => break end,
        }
    };
    let tracked = values.tracked().into_iter().map(|slot| values.describe(slot)).collect();
    (end, tracked)
}

fn said(text: &str) -> Step {
    explored(&verifier_program(text)).0
}

fn proved(text: &str) {
    let found = said(text);
    assert_eq!(found, Step::Proved, "{text}");
}

/// Values alone see an error path: it is a real one.
fn reached(text: &str) {
    let found = said(text);
    assert!(matches!(found, Step::Error(_)), "{found:?}: {text}");
}

#[test]
fn only_what_refutes_errors_is_tracked() {
    let text =
        "int noise, state; int main(void) { state = 1; for (;;) { noise = __VERIFIER_nondet_int();
        if (state == 1) state = 2; else if (state == 2) state = 1;
        if (state == 3) reach_error(); } }";
    let (end, tracked) = explored(&verifier_program(text));
    assert_eq!((end, tracked), (Step::Proved, vec!["state".to_owned()]));
}

#[test]
fn inputs_are_split_where_they_are_compared() {
    proved(
        "int main(void) { for (;;) { int p = __VERIFIER_nondet_int(), l = 0;
        if (p) l = 1; if (p && l != 1) reach_error(); } }",
    );
    proved(
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x < 3 || x > 5) return 0;
        if (x != 3 && x != 4 && x != 5) reach_error(); }",
    );
    reached(
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x < 3 || x > 5) return 0;
        if (x != 3 && x != 4) reach_error(); }",
    );
    proved(
        "int main(void) { int x = __VERIFIER_nondet_int(), b = x == 4; if (b && x != 4) reach_error();
        if (!b && x == 4) reach_error(); }",
    );
}

#[test]
fn differences_and_orders_of_unknown_numbers_are_known() {
    proved(
        "int main(void) { int x = __VERIFIER_nondet_int(), y = x; y++; y++;
        if (y != x + 2) reach_error(); }",
    );
    proved(
        "int main(void) { char a = __VERIFIER_nondet_char(), b = __VERIFIER_nondet_char(),
        c = __VERIFIER_nondet_char(); if (a < b && b < c && c <= a) reach_error(); }",
    );
    reached(
        "int main(void) { char a = __VERIFIER_nondet_char(), b = __VERIFIER_nondet_char(),
        c = __VERIFIER_nondet_char(); if (a < b && a < c && c <= b) reach_error(); }",
    );
    // Of unsigned numbers the order is another one.
    reached(
        "int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
        if (a < b && (unsigned)b < (unsigned)a) reach_error(); }",
    );
}

#[test]
fn counters_without_a_bound_keep_their_difference() {
    proved(
        "int main(void) { unsigned i = 0, j = 1; while (__VERIFIER_nondet_int()) { i++; j++; }
        if (j != i + 1) reach_error(); }",
    );
}

#[test]
fn numbers_wrap_around() {
    reached("int main(void) { unsigned char c = 255; c++; if (c == 0) reach_error(); }");
    reached(
        "int main(void) { int x = __VERIFIER_nondet_int(), y = x + 1; if (y < x) reach_error(); }",
    );
    proved("int main(void) { unsigned x = 0; x--; if (x != 4294967295u) reach_error(); }");
}

#[test]
fn comparisons_have_the_sign_of_their_type() {
    reached("int main(void) { int x = -1; if ((unsigned)x > 5u) reach_error(); }");
    reached(
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x < 0 && (unsigned)x > 7u) reach_error(); }",
    );
    proved(
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x < 0 && x > 7) reach_error(); }",
    );
    // A sign is extended, and then taken for a large number.
    reached(
        "int main(void) { signed char c = __VERIFIER_nondet_char(); unsigned u = c;
        if (u > 300u) reach_error(); }",
    );
    proved(
        "int main(void) { unsigned char c = __VERIFIER_nondet_uchar(); int i = c;
        if (i < 0 || i > 255) reach_error(); }",
    );
}

#[test]
fn stores_through_pointers_change_what_they_point_to() {
    reached("int x; int main(void) { int *p = &x; x = 1; *p = 2; if (x == 2) reach_error(); }");
    proved("int x; int main(void) { int *p = &x; x = 1; *p = 2; if (x != 2) reach_error(); }");
    reached(
        "int x, y; int main(void) { int *p = __VERIFIER_nondet_int() ? &x : &y; x = 1; *p = 2;
        if (x == 2) reach_error(); }",
    );
    reached(
        "void set(int *p) { *p = 7; } int main(void) { int x = 1; set(&x); if (x == 7) reach_error(); }",
    );
    reached(
        "int a[4]; int main(void) { int i = __VERIFIER_nondet_int(); if (i < 0 || i > 3) return 0;
        a[1] = 5; a[i] = 6; if (a[1] == 6) reach_error(); }",
    );
    reached(
        "void unknown(int *p); int main(void) { int x = 1; unknown(&x); if (x == 9) reach_error(); }",
    );
}

#[test]
fn members_of_unions_and_bits_overlap() {
    reached(
        "union { int i; unsigned char c[4]; } u; int main(void) { u.i = 1; u.c[1] = 1;
        if (u.i == 257) reach_error(); }",
    );
    reached(
        "struct { unsigned a : 3; unsigned b : 5; } s; int main(void) { s.a = 9; s.b = 31;
        if (s.a == 1 && s.b == 31) reach_error(); }",
    );
    reached("struct { int a : 3; } s; int main(void) { s.a = 7; if (s.a == -1) reach_error(); }");
    reached(
        "struct s { int a, b; } x, y; int main(void) { x.a = 3; y.a = 4; y = x;
        if (y.a == 3) reach_error(); }",
    );
}

#[test]
fn what_was_never_written_can_be_anything() {
    reached("int main(void) { int x; if (x == 12345) reach_error(); }");
    proved("int main(void) { int x; if (x != x) reach_error(); }");
    reached(
        "int f(int set) { int x; if (set) x = 1; return x; }
        int main(void) { f(1); if (f(0) == 2) reach_error(); }",
    );
    proved("int g; int main(void) { if (g) reach_error(); }");
    reached("extern int g; int main(void) { if (g == 3) reach_error(); }");
}

#[test]
fn calls_return_what_they_return_and_forget_the_rest() {
    proved(
        "int f(int x) { return x + 1; } int main(void) { int a = f(1), b = f(a);
        if (a != 2 || b != 3) reach_error(); }",
    );
    reached(
        "int f(void) { static int n; return ++n; } int main(void) { f(); if (f() == 2) reach_error(); }",
    );
    proved(
        "int f(void) { return 1; } int g(void) { return 2; }
        int main(void) { int (*p)(void) = f; if (p() != 1) reach_error(); }",
    );
}

#[test]
fn recursion_is_not_followed_and_jumps_are() {
    let found = said(
        "int f(int n) { return n < 1 ? 0 : 1 + f(n - 1); }
        int main(void) { if (f(3) == 3) reach_error(); }",
    );
    assert!(matches!(found, Step::GivenUp(_)), "{found:?}");
    reached(
        "int main(void) { int n = 0; again: n++; if (n < 5) goto again; if (n == 5) reach_error(); }",
    );
    proved(
        "int main(void) { int n = 0; again: n++; if (n < 5) goto again; if (n != 5) reach_error(); }",
    );
}

#[test]
fn functions_that_are_called_back_are_not_overlooked() {
    let found = said(
        "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
        int a[2]; int less(const void *x, const void *y) { reach_error(); return 0; }
        int main(void) { qsort(a, 2, sizeof a[0], less); }",
    );
    assert!(matches!(found, Step::GivenUp(_)), "{found:?}");
}

#[test]
fn runs_end_where_a_division_has_no_result() {
    proved("int main(void) { int z = 0, x = 1 / z; reach_error(); return x; }");
    reached("int main(void) { int z = 1, x = 6 / z; if (x == 6) reach_error(); }");
}

/// No program of the corpus that has an error is proved, and many that have none are.
#[test]
fn no_program_with_an_error_is_proved() {
    let mut safe = 0;
    let plain = |case: &Case| case.header.options.is_empty() && case.header.rest.is_empty();
    for case in corpus::areas().iter().flat_map(|area| corpus::area(area)).filter(plain) {
        let program = case.program();
        if program.find_function("main").is_none() {
            continue;
        }
        let (end, _) = explored(&program);
        let has_error = case.header.expected == Expected::False;
        assert!(!has_error || end != Step::Proved, "{} has an error", case.name);
        safe += u32::from(end == Step::Proved);
    }
    assert!(safe > 60, "{safe} proved");
}
