//! Lazy abstraction alone: what its own refinement does not find.

use gnomon_engine::verdict::{Proof, Verdict};
use gnomon_testkit::{limits, verifier_program};
use gnomon_verify::decide::{Engine, Options, Report, check};

fn report(text: &str) -> Report {
    let options =
        Options { engine: Engine::Lazy, runs: false, search: false, ..Options::default() };
    check(&verifier_program(text), &options, &limits::for_one_engine()).expect("a good request")
}

/// What was tracked, but excludes nothing, is no part of the proof: that the counters are equal is
/// proposed by affine relations.
#[test]
fn a_proof_is_what_it_needs() {
    let text = "int main(void) { unsigned counter = 0, other = 0; int mode = 3;
        while (__VERIFIER_nondet_int()) { counter++; other++; if (mode != 3) reach_error(); }
        if (mode != 3) reach_error(); }";
    let report = report(text);
    let Verdict::True(Proof::Invariants(invariants)) = &report.verdict else {
        panic!("not proved: {:?}", report.verdict)
    };
    assert!(report.statistics.numbers["candidate invariants"] > 0.0, "the equation is tracked");
    let lines = invariants.describe(&verifier_program(text));
    assert!(lines.iter().any(|line| line.contains("mode == 3")), "{lines:#?}");
    assert!(lines.iter().all(|line| !line.contains("counter")), "{lines:#?}");
}
