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
    explored_with(program, MemoryOptions::default())
}

fn explored_with(program: &Program, memory: MemoryOptions) -> (Step, Vec<String>) {
    let budget = Budget::unlimited().metered();
    let entry = program.find_function("main").expect("a main function");
    let facts = Facts::new(program, entry, memory, &budget).expect("facts");
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

/// A record with a state, and a function that makes one.
const MACHINE: &str = "void *malloc(unsigned long); void *calloc(unsigned long, unsigned long);
    struct machine { int state; struct machine *next; void (*callback)(void); };
    struct machine *made(void) { return malloc(sizeof(struct machine)); }
    ";

fn proved_of_machine(text: &str) {
    proved(&format!("{MACHINE}{text}"));
}

fn reached_of_machine(text: &str) {
    reached(&format!("{MACHINE}{text}"));
}

#[test]
fn what_is_allocated_once_is_tracked_like_a_variable() {
    proved_of_machine(
        "int main(void) { struct machine *m = malloc(sizeof *m); int seen = 0; m->state = 3;
        for (;;) { if (m->state == 3) { m->state = 4; seen = 1; }
        else if (m->state == 4) { if (!seen) reach_error(); m->state = 5; }
        else if (m->state != 5) reach_error(); } }",
    );
    // Behind another allocated object, and told apart by the calls of what allocates.
    proved_of_machine(
        "int main(void) { struct machine *a = made(), *b = made(); a->next = b; b->state = 1;
        a->state = 2; if (a->next->state != 1 || a->state != 2) reach_error(); }",
    );
    proved_of_machine(
        "int main(void) { struct machine *m = calloc(1, sizeof *m);
        if ((unsigned long)m == 0 || m->state != 0 || m->callback) reach_error(); }",
    );
}

#[test]
fn what_was_allocated_before_is_not_what_was_allocated_last() {
    reached_of_machine(
        "int main(void) { struct machine *p = 0, *q = 0; for (int i = 0; i < 2; i++) {
        q = p; p = malloc(sizeof *p); p->state = i; }
        if (q && q->state == 0 && p->state == 1) reach_error(); }",
    );
    // The new object holds anything.
    reached_of_machine(
        "int main(void) { for (int i = 0; i < 2; i++) { struct machine *p = malloc(sizeof *p);
        if (i == 1 && p->state == 7) reach_error(); p->state = 3; } }",
    );
    // The old one gets the address of the new one.
    reached_of_machine(
        "int main(void) { struct machine *p = 0; for (int i = 0; i < 2; i++) {
        if (p) { p->next = malloc(sizeof *p); p->next->state = 2;
        if (p->state == 1 && p->next->state == 2) reach_error(); return 0; }
        p = malloc(sizeof *p); p->state = 1; } }",
    );
    reached_of_machine(
        "struct machine *again(int i) { struct machine *p = malloc(sizeof *p); p->state = i; return p; }
        int main(void) { struct machine *p = again(1), *q = again(2);
        if (p->state == 1 && q->state == 2) reach_error(); }",
    );
}

#[test]
fn stores_through_unknown_pointers_change_allocated_objects() {
    reached_of_machine(
        "int main(void) { struct machine *p = malloc(sizeof *p), *q = malloc(sizeof *q);
        p->state = 1; q->state = 1; *(__VERIFIER_nondet_int() ? &p->state : &q->state) = 5;
        if (p->state == 5) reach_error(); if (q->state == 5) reach_error(); }",
    );
    reached_of_machine(
        "void *memset(void *, int, unsigned long);
        int main(void) { struct machine *p = malloc(sizeof *p); p->state = 1;
        memset(p, 0, sizeof *p); if (p->state == 0) reach_error(); }",
    );
    reached_of_machine(
        "void unknown(struct machine *);
        int main(void) { struct machine *p = malloc(sizeof *p); p->state = 1;
        unknown(p); if (p->state == 0) reach_error(); }",
    );
    // An old object is written, and then the young one.
    reached_of_machine(
        "int main(void) { struct machine *all[2]; for (int i = 0; i < 2; i++) {
        all[i] = malloc(sizeof(struct machine)); all[i]->state = 1; }
        all[__VERIFIER_nondet_int() & 1]->state = 2; if (all[1]->state == 2) reach_error(); }",
    );
}

#[test]
fn allocations_may_fail_where_that_is_asked_for() {
    let text = format!(
        "{MACHINE}int main(void) {{ struct machine *m = malloc(sizeof *m); if (!m) reach_error(); }}"
    );
    let program = verifier_program(&text);
    let may_fail = MemoryOptions { allocation_may_fail: true, ..MemoryOptions::default() };
    assert!(matches!(explored_with(&program, may_fail).0, Step::Error(_)));
    assert_eq!(explored(&program).0, Step::Proved);
}
