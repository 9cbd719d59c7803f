//! Paths one by one: what the walk says of recursive functions is what they compute.

use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_engine::verdict::{Proof, Verdict};
use gnomon_testkit::verifier_program;
use gnomon_verify::decide::{Options, check};

fn verdict(text: &str) -> Verdict {
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    let options = Options { runs: false, ..Options::default() };
    check(&verifier_program(text), &options, &budget).expect("a good request").verdict
}

fn is_safe(text: &str) -> bool {
    match verdict(text) {
        Verdict::True(Proof::AllPaths { paths }) => {
            assert!(paths > 0);
            true
        }
        Verdict::False(_) => false,
        other => panic!("not decided by paths: {other:?}"),
    }
}

/// Whether a call of `f` with one of the arguments gives a value.
fn gives(function: &str, arguments: std::ops::Range<i64>, value: i64) -> bool {
    let (low, high) = (arguments.start, arguments.end);
    let main = format!(
        "int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < {low} || n >= {high}) return 0;\n\
         if (f(n) == {value}) reach_error(); return 0; }}"
    );
    !is_safe(&format!("{function}\n{main}"))
}

#[test]
fn exactly_the_values_of_a_function_are_reached() {
    let fibonacci = "static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }";
    let values = [0, 1, 1, 2, 3, 5, 8, 13];
    for value in 0..15 {
        assert_eq!(gives(fibonacci, 0..8, value), values.contains(&value), "{value}");
    }
}

#[test]
fn arithmetic_wraps_around_on_paths_too() {
    let doubled = "static int f(int n) { return n == 0 ? 1 << 29 : 2 * f(n - 1); }";
    for (value, is_reached) in [(1 << 30, true), (-(1i64 << 31), true), (0, true), (1 << 31, false)]
    {
        assert_eq!(gives(doubled, 0..4, value), is_reached, "{value}");
    }
}

#[test]
fn memory_and_globals_are_followed() {
    let text = |bound: u32| {
        format!(
            "static int count; static int seen[8];\n\
             static void visit(int *at, int n) {{ if (n == 0) return; count++; at[n] = n;\n\
               visit(at, n - 1); visit(at, n - 1); }}\n\
             int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < 0 || n > 4) return 0;\n\
               visit(seen, n); if (count > {bound} || seen[5] != 0) reach_error(); return 0; }}"
        )
    };
    assert!(is_safe(&text(15)));
    assert!(!is_safe(&text(14)));
}
