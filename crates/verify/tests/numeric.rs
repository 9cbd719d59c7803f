//! The abstract interpreter alone: what it proves, and that it proves nothing that is wrong.

use gnomon_engine::verdict::{Proof, Verdict};
use gnomon_testkit::header::Expected;
use gnomon_testkit::{corpus, limits, verifier_program};
use gnomon_verify::decide::{Engine, Options, check};

fn alone() -> Options {
    Options { engine: Engine::Numeric, runs: false, search: false, ..Options::default() }
}

fn verdict(text: &str) -> Verdict {
    let budget = limits::for_one_engine();
    check(&verifier_program(text), &alone(), &budget).expect("a good request").verdict
}

fn assert_true(text: &str) {
    let found = verdict(text);
    assert!(matches!(found, Verdict::True(Proof::Invariants(_))), "{found:?}: {text}");
}

fn assert_unknown(text: &str) {
    let found = verdict(text);
    assert!(matches!(found, Verdict::Unknown(_)), "{found:?}: {text}");
}

#[test]
fn bounds_congruences_and_differences_of_loops() {
    assert_true(
        "int main(void) { int n = __VERIFIER_nondet_int(), i = 0, x = 0; if (n < 0) return 0;
             while (i < n) { i++; x += 2; if (x > 100) x = 0; }
             if (i != n) reach_error(); if (x % 2 != 0) reach_error(); if (x > 100) reach_error(); }",
    );
    assert_unknown(
        "int main(void) { int n = __VERIFIER_nondet_int(), i = 0; if (n < 0) return 0;
             while (i < n) i += 2;
             if (i != n) reach_error(); }",
    );
}

#[test]
fn ways_to_a_location_are_kept_apart() {
    assert_true(
        "int main(void) { int x = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
             if (x < -100 || x > 200 || z < 100 || z > 200) return 0;
             while (x < 100 && z > 100) { if (__VERIFIER_nondet_int()) x++; else { x--; z--; } }
             if (x < 100 && z > 100) reach_error(); }",
    );
}

#[test]
fn numbers_wrap_around() {
    assert_unknown(
        "int main(void) { unsigned char c = 0;
             while (__VERIFIER_nondet_int()) c++;
             if (c == 3) reach_error(); }",
    );
    assert_unknown(
        "int main(void) { int i = 1; while (__VERIFIER_nondet_int()) i++; if (i < 1) reach_error(); }",
    );
    assert_true(
        "int main(void) { unsigned u = 0; while (__VERIFIER_nondet_int()) u += 4;
             if (u & 3) reach_error(); }",
    );
}

#[test]
fn calls_and_what_they_write_through_pointers() {
    assert_true(
        "void set(int *p, int v) { *p = v; }
         int main(void) { int a = 0, i; for (i = 0; i < 10; i++) set(&a, 5);
             if (a != 0 && a != 5) reach_error(); if (a < 0) reach_error(); }",
    );
    assert_unknown(
        "int a; int *p;
         int main(void) { int b = 0; p = __VERIFIER_nondet_int() ? &a : &b; a = 1; *p = 7;
             if (a != 1) reach_error(); }",
    );
}

#[test]
fn floating_point_has_nan() {
    assert_true(
        "extern double __VERIFIER_nondet_double(void);
         int main(void) { double x = __VERIFIER_nondet_double(); int i;
             if (!(x >= 0.0 && x <= 1.0)) return 0;
             for (i = 0; i < 100; i++) x = x / 2.0;
             if (!(x <= 1.0)) reach_error(); }",
    );
    assert_unknown(
        "extern double __VERIFIER_nondet_double(void);
         int main(void) { double x = __VERIFIER_nondet_double(); if (x < 0.0 || x > 1.0) return 0;
             if (!(x <= 1.0)) reach_error(); }",
    );
}

#[test]
fn loops_that_are_entered_in_the_middle() {
    assert_unknown(
        "int main(void) { int i = 0; if (__VERIFIER_nondet_int()) goto inside;
         head: i = 3; inside: i++; if (i == 5) reach_error();
             if (__VERIFIER_nondet_int()) goto inside; goto head; }",
    );
    assert_true(
        "int main(void) { int i = 0; if (__VERIFIER_nondet_int()) goto inside;
         head: i = 3; inside: i = i + 1; if (i > 5) i = 0; if (i < 0) reach_error();
             if (__VERIFIER_nondet_int()) goto inside; goto head; }",
    );
}

#[test]
fn what_is_not_followed_is_not_proved() {
    assert_unknown(
        "int f(int n) { if (n > 3) reach_error(); return f(n + 1); }
         int main(void) { return f(0); }",
    );
}

/// Without the checker of proofs behind it.
#[test]
fn no_faulty_program_is_proved() {
    let (mut proved, mut all) = (0, 0);
    for case in corpus::programs() {
        // With options, something else is asked.
        let is_plain = case.header.arguments().next().is_none();
        let is_decided = matches!(case.header.expected, Expected::True | Expected::False);
        if !is_plain || !is_decided {
            continue;
        }
        let budget = limits::for_one_engine();
        let found = check(&case.program(), &alone(), &budget).expect("a good request").verdict;
        let is_true = matches!(found, Verdict::True(_));
        all += 1;
        proved += usize::from(is_true);
        let is_faulty = matches!(case.header.expected, Expected::False);
        assert!(!(is_true && is_faulty), "{} is proved", case.name);
    }
    println!("{proved} of {all} programs are proved");
    assert!(proved > all / 8, "{proved} of {all} programs are proved");
}
