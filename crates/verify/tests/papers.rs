//! What the papers say about their programs: which predicates are found, and how the work grows.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

use gnomon_budget::Budget;
use gnomon_engine::explore::Cut;
use gnomon_engine::verdict::{Proof, Verdict};
use gnomon_testkit::program;
use gnomon_verify::decide::{Engine, Options, check};

/// Proves a program by lazy abstraction alone; gives the invariants and the statistics.
fn prove(text: &str, cut: Cut) -> (Vec<String>, BTreeMap<&'static str, f64>) {
    let program = program(text);
    let options =
        Options { cut, engine: Engine::Lazy, runs: false, search: false, ..Options::default() };
    let budget = Budget::unlimited().with_time(Duration::from_secs(600));
    let report = check(&program, &options, &budget).expect("a good request");
    let Verdict::True(Proof::Invariants(invariants)) = &report.verdict else {
        panic!("not proved: {:?}", report.verdict)
    };
    (invariants.describe(&program), report.statistics.numbers)
}

/// LA Figure 1.
const LOCKING: &str = "
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int LOCK;
void lock(void) { if (LOCK == 0) LOCK = 1; else reach_error(); }
void unlock(void) { if (LOCK == 1) LOCK = 0; else reach_error(); }
int main(void) {
    int got_lock; unsigned new = __VERIFIER_nondet_int(), old;
    if (__VERIFIER_nondet_int()) {
        do {
            got_lock = 0;
            if (__VERIFIER_nondet_int()) { lock(); got_lock++; }
            if (got_lock) unlock();
        } while (__VERIFIER_nondet_int());
    }
    do {
        lock(); old = new;
        if (__VERIFIER_nondet_int()) { unlock(); new++; }
    } while (new != old);
    unlock();
}";

#[test]
fn the_two_parts_of_la_figure_1_have_their_own_predicates() {
    let (invariants, _) = prove(LOCKING, Cut::Edges);
    let mentions = |name: &str| invariants.iter().filter(|line| line.contains(name)).count();
    assert!(mentions("got_lock") > 0, "{invariants:#?}");
    assert!(mentions("new") > 0 && mentions("old") > 0, "{invariants:#?}");
    for line in &invariants {
        assert!(!(line.contains("got_lock") && line.contains("new")), "both at once: {line}");
    }
}

/// AFP Figure 1: `n` conditions, each tested twice.
fn conditions(n: usize) -> String {
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void); int locked;
        void lock(void) { if (locked) reach_error(); locked = 1; }
        void unlock(void) { if (!locked) reach_error(); locked = 0; }
        int main(void) {\n",
    );
    for i in 0..n {
        let _ = writeln!(text, "int p{i} = __VERIFIER_nondet_int();");
    }
    text += "while (__VERIFIER_nondet_int()) {\n";
    for i in 0..n {
        let _ = writeln!(text, "if (p{i}) lock(); if (p{i}) unlock();");
    }
    text + "} return 0; }"
}

/// The row of the table for one size: tree nodes, and whatever else is worth a column.
fn row(n: usize, cut: Cut) -> f64 {
    let begin = Instant::now();
    let (_, numbers) = prove(&conditions(n), cut);
    let per_location = numbers["predicates per location, maximum"];
    println!(
        "| {n} | {cut:?} | {} | {} | {:.2} | {per_location} | {} | {} | {:.2} |",
        numbers["refinements"],
        numbers["predicates"],
        numbers["predicates per location, average"],
        numbers["tree nodes"],
        numbers["solver calls"],
        begin.elapsed().as_secs_f64()
    );
    assert!(per_location <= 3.0, "{per_location} predicates at a location for n = {n}");
    numbers["tree nodes"]
}

/// `GNOMON_AFP=all` makes the whole table, with `--nocapture`.
#[test]
fn the_work_for_afp_figure_1_grows_slowly() {
    if std::env::var("GNOMON_AFP").is_ok_and(|v| v == "all") {
        for cut in [Cut::Loops, Cut::Edges] {
            for n in [1, 2, 5, 10, 20, 30, 40] {
                row(n, cut);
            }
        }
        return;
    }
    let blocks = [2, 10, 40].map(|n| row(n, Cut::Loops));
    assert!(blocks[2] <= blocks[0], "a loop is one block: {blocks:?}");
    // Twice as many conditions take at most four times as many nodes. (Of few, one look at the whole
    // program makes an end.)
    let edges = [10, 20, 40].map(|n| row(n, Cut::Edges));
    assert!(edges[1] <= 4.0 * edges[0] && edges[2] <= 4.0 * edges[1], "{edges:?}");
}
