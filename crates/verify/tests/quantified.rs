//! Invariants about all elements of arrays: what they prove, and what they must not prove.

use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_engine::verdict::Verdict;
use gnomon_testkit::verifier_program;
use gnomon_verify::decide::{Engine, Options, check};

fn verdict(text: &str) -> Verdict {
    let program = verifier_program(text);
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    let engine = Engine::Lazy;
    let options = Options { engine, runs: false, search: false, ..Options::default() };
    check(&program, &options, &budget).expect("a good request").verdict
}

#[track_caller]
fn is_proved(text: &str) {
    let found = verdict(text);
    assert!(matches!(found, Verdict::True(_)), "{found:?}");
}

#[track_caller]
fn is_not_proved(text: &str) {
    let program = verifier_program(text);
    let budget = Budget::unlimited().with_time(Duration::from_secs(10));
    let found = check(&program, &Options::default(), &budget).expect("a good request").verdict;
    assert!(!matches!(found, Verdict::True(_)), "{found:?}");
}

/// Two arrays that are the same if a flag says so.
fn compared(flag: &str) -> String {
    format!(
        "int a[100000], b[100000]; int main(void) {{ int i, same = 1;\n\
         for (i = 0; i < 100000; i++) a[i] = __VERIFIER_nondet_int();\n\
         for (i = 0; i < 100000; i++) b[i] = __VERIFIER_nondet_int();\n\
         for (i = 0; i < 100000; i++) if (a[i] != b[i]) same = {flag};\n\
         if (same) for (i = 0; i < 100000; i++) if (a[i] != b[i]) reach_error(); }}"
    )
}

#[test]
fn a_flag_that_a_loop_sets_guards_what_holds_for_all() {
    is_proved(&compared("0"));
    is_not_proved(&compared("2"));
}

/// Copies from array to array.
fn copied(last: &str) -> String {
    format!(
        "int a[100000], b[100000], c[100000]; int main(void) {{ int i;\n\
         for (i = 0; i < 100000; i++) a[i] = __VERIFIER_nondet_int();\n\
         for (i = 0; i < 100000; i++) b[i] = a[i];\n\
         for (i = 0; i < 100000; i++) c[i] = {last};\n\
         for (i = 0; i < 100000; i++) if (c[i] != a[i]) reach_error(); }}"
    )
}

#[test]
fn what_makes_a_property_true_one_loop_earlier_is_found() {
    is_proved(&copied("b[i]"));
    is_not_proved(&copied("b[i] + (i == 99999)"));
}
