//! Points-to and mod-ref against runs of the programs of the repository and of random programs
//! (`GNOMON_RANDOM` says how many, from `GNOMON_SEED` on).

mod points_to_support;

use gnomon_ir::types::Target;
use gnomon_testkit::limits::number;
use gnomon_testkit::{Reader, corpus, program};
use points_to_support::{compare_both, generate};

/// Runs of all programs on a machine; how many pointers were compared.
fn compared_on(target: Target) -> u64 {
    let reader = Reader::default().on(target);
    let (mut failures, mut pointers) = (Vec::new(), 0);
    for case in corpus::programs() {
        // The headers of the system are there for one machine only.
        if target == Target::Ilp32 && case.text.contains('#') {
            continue;
        }
        // A pointer that is put together by decisions is not tracked: its program has no verdict.
        if case.name == "addresses/copied_by_decisions.c" {
            continue;
        }
        match compare_both(&reader.file(&case.file), 0..1) {
            Ok(compared) => pointers += compared.pointers,
            Err(violation) => failures.push(format!("{}: {violation}", case.name)),
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    pointers
}

#[test]
fn runs_of_the_programs_of_the_repository_do_what_they_may() {
    let pointers = compared_on(Target::Lp64);
    assert!(pointers > 10_000, "only {pointers} pointers were compared");
}

#[test]
fn runs_with_32_bits_do_what_they_may() {
    let pointers = compared_on(Target::Ilp32);
    assert!(pointers > 5_000, "only {pointers} pointers were compared");
}

#[test]
fn runs_of_random_programs_do_what_they_may() {
    let first = number("GNOMON_SEED", 0);
    let mut pointers = 0;
    for seed in first..first + number("GNOMON_RANDOM", 150) {
        let text = generate::program(seed, 4 + seed as usize % 30);
        match compare_both(&program(&text), seed..seed + 1) {
            Ok(compared) => pointers += compared.pointers,
            Err(violation) => panic!("seed {seed}: {violation}\n{text}"),
        }
    }
    assert!(pointers > 1_000, "only {pointers} pointers were compared");
}
