//! The pushdown engine on small programs, without plain runs and bounded search beside it.

use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_engine::pushdown::PushdownOptions;
use gnomon_engine::verdict::{Proof, Reason, Verdict};
use gnomon_testkit::verifier_program;
use gnomon_verify::decide::{Engine, Options, check};

fn verdict(text: &str) -> Verdict {
    verdict_within(text, 20)
}

fn verdict_within(text: &str, seconds: u64) -> Verdict {
    let options =
        Options { engine: Engine::Pushdown, runs: false, search: false, ..Options::default() };
    verdict_with(text, seconds, &options)
}

fn verdict_with(text: &str, seconds: u64, options: &Options) -> Verdict {
    let budget = Budget::unlimited().with_cpu_time(Duration::from_secs(seconds));
    check(&verifier_program(text), options, &budget).expect("a good request").verdict
}

fn assert_true(text: &str) {
    let found = verdict(text);
    assert!(matches!(found, Verdict::True(Proof::Summaries(Some(_)))), "{found:?}: {text}");
}

fn assert_false(text: &str) {
    let found = verdict(text);
    assert!(matches!(found, Verdict::False(_)), "{found:?}: {text}");
}

#[test]
fn a_recursive_function_is_proved_by_its_summary() {
    assert_true(
        "int same(int n) { if (n == 0) return 0; return same(n - 1) + 1; }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 99) return 0;
             if (same(n) != n) reach_error(); }",
    );
}

#[test]
fn a_recursive_function_is_refuted() {
    assert_false(
        "int same(int n) { if (n == 3) return 0; return same(n + 1) + 1; }
         int main(void) { int n = __VERIFIER_nondet_int();
             if (n >= 0 && n < 3 && same(n) == 2) reach_error(); }",
    );
}

#[test]
fn locals_of_the_caller_survive_recursion() {
    assert_true(
        "int f(int n) { int k = n; if (n > 0) f(n - 1); if (k != n) reach_error(); return k; }
         int main(void) { f(__VERIFIER_nondet_int()); }",
    );
    assert_false(
        "int k; int f(int n) { k = n; if (n > 0) f(n - 1); if (k != n) reach_error(); return k; }
         int main(void) { f(__VERIFIER_nondet_int() > 5); }",
    );
}

#[test]
fn locals_whose_address_is_taken_exist_once_for_each_call() {
    assert_false(
        "void set(int *p) { *p = 1; }
         int f(int n) { int k = 0; if (n > 0) { set(&k); f(n - 1); } if (k == 1) reach_error(); return k; }
         int main(void) { f(__VERIFIER_nondet_int()); }",
    );
    // Whether it is proved depends on what is known of memory; it must not be refuted.
    let found = verdict_within(
        "void set(int *p) { *p = *p + 1; }
         int f(int n) { int k = 0; set(&k); if (n > 0) { f(n - 1); } if (k != 1) reach_error(); return k; }
         int main(void) { f(__VERIFIER_nondet_int()); }",
        3,
    );
    assert!(!matches!(found, Verdict::False(_)), "{found:?}");
}

#[test]
fn an_error_in_a_callee_that_does_not_return_is_found() {
    // The call matters although nothing behind it does.
    assert_false(
        "int t; void g(int n); void f(int n) { if (n <= 0) return; if (t) reach_error(); g(n - 1); }
         void g(int n) { if (n <= 0) return; if (n == 2) t = 1; f(n - 1); }
         int main(void) { f(__VERIFIER_nondet_int()); }",
    );
}

#[test]
fn values_at_entries_are_told_from_present_ones() {
    assert_true(
        "int f(int n) { n = n + 2; if (n > 100) return n; return f(n); }
         int main(void) { int x = __VERIFIER_nondet_int(); if (x < 0 || x > 50) return 0;
             if (f(x) <= x) reach_error(); }",
    );
}

#[test]
fn what_cannot_be_followed_is_no_proof() {
    let found = verdict(
        "extern int outside(int); int (*p)(int) = outside;
         int main(void) { if (p(1)) reach_error(); }",
    );
    assert!(matches!(found, Verdict::Unknown(Reason::Unsupported(_))), "{found:?}");
}

#[test]
fn loops_and_branches_are_proved() {
    assert_true(
        "int main(void) { int i = 0, j = 0; int n = __VERIFIER_nondet_int();
             while (i < n) { i++; j++; } if (i != j) reach_error(); }",
    );
    assert_true(
        "int main(void) { int lock = 0, got;
             do { lock = 1; got = __VERIFIER_nondet_int(); if (got) lock = 0; } while (got);
             if (lock != 1) reach_error(); }",
    );
}

/// LA Figure 1 and its kind: what is dropped between iterations must not change the answer.
#[test]
fn projections_inside_the_loop_change_no_answer() {
    let with = |projections| Options {
        engine: Engine::Pushdown,
        pushdown: PushdownOptions { projections, ..PushdownOptions::default() },
        runs: false,
        search: false,
        ..Options::default()
    };
    let lock = |released: &str| {
        format!(
            "int lock; void take(void) {{ if (lock) reach_error(); lock = 1; }}
             void release(void) {{ if (!lock) reach_error(); lock = 0; }}
             int main(void) {{ int old, new = __VERIFIER_nondet_int();
                 do {{ take(); old = new; if (__VERIFIER_nondet_int()) {{ {released} new = old + 1; }} }}
                 while (new != old); release(); }}"
        )
    };
    for projections in [false, true] {
        let found = verdict_with(&lock("release();"), 20, &with(projections));
        assert!(matches!(found, Verdict::True(_)), "{projections}: {found:?}");
        let found = verdict_with(&lock(""), 20, &with(projections));
        assert!(matches!(found, Verdict::False(_)), "{projections}: {found:?}");
    }
}

#[test]
fn paths_are_sliced_before_they_are_refined() {
    let text = "int noise; void other(int n) { if (n > 0) { noise = noise + n; other(n - 1); } }
         int main(void) { int a = __VERIFIER_nondet_int(); int b = a; other(3); noise = noise * 7;
             if (a != b) reach_error(); }";
    let number = |slicing: bool, name: &str| {
        let (engine, runs, search) = (Engine::Pushdown, false, false);
        let options = Options { engine, runs, search, slicing, ..Options::default() };
        let budget = Budget::unlimited().with_cpu_time(Duration::from_secs(20));
        let report = check(&verifier_program(text), &options, &budget).expect("a good request");
        assert!(matches!(report.verdict, Verdict::True(_)), "{:?}", report.verdict);
        report.statistics.numbers.get(name).copied().unwrap_or_default()
    };
    assert_eq!(number(false, "refinements, sliced paths"), 0.0);
    let all = number(true, "refinements, steps of sliced paths");
    let kept = number(true, "refinements, steps kept by slices");
    assert!(kept > 0.0 && kept < all, "{kept} of {all} steps");
    assert!(number(true, "refinements, sliced paths infeasible") > 0.0);
}
