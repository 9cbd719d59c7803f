//! How the analyses grow with the number of threads, in BDD nodes: these do not depend on the machine.

use gnomon_boolprog::check::{CheckOptions, DEFAULT_LABELS, targets};
use gnomon_boolprog::concurrent::check::{ConcurrentVerdict, Method, check};
use gnomon_boolprog::concurrent::lazy::{Knowledge, LazySearch, Prologue, Round, first_globals};
use gnomon_boolprog::concurrent::system::ThreadSystem;
use gnomon_boolprog::concurrent::vocabulary::ContextEncoding;
use gnomon_budget::Budget;

use crate::models::{model, options, system};

/// The model with so many threads, of which all but the first run the last procedure started.
fn with_threads(name: &str, last: &str, threads: usize) -> ThreadSystem {
    let (source, small) = model(name);
    let start = format!("    start_thread {last}();\n");
    let at = source.text().rfind(&start).unwrap();
    let mut text = source.text().to_owned();
    text.insert_str(at, &start.repeat(threads - small.threads.len()));
    let (_, large) = system(name, &text);
    assert_eq!(large.threads.len(), threads);
    large
}

fn nodes(system: &ThreadSystem, method: Method, contexts: usize) -> usize {
    let goals = targets(&system.model, true, &DEFAULT_LABELS);
    let outcome =
        check(system, &goals, &options(method, Some(contexts)), &Budget::unlimited()).unwrap();
    assert!(
        matches!(outcome.verdict, ConcurrentVerdict::Unknown { contexts: k, .. } if k == contexts),
        "{:?}",
        outcome.verdict
    );
    outcome.nodes
}

/// LAL Figure 7.7(a): 4 contexts, up to 6 threads.
#[test]
fn bluetooth_grows_linearly_with_the_threads() {
    for method in [Method::Lazy, Method::Eager] {
        let of = |threads| {
            nodes(&with_threads("bluetooth_fixed.bp", "adder", threads), method, 4) / threads
        };
        let (four, six) = (of(4), of(6));
        assert!(six <= four, "{method:?}: {four} and {six} nodes for each thread");
    }
}

/// More masters than matter change nothing.
#[test]
fn threads_alike_with_a_fixed_state_cost_nothing() {
    let of = |threads| nodes(&with_threads("msmie.bp", "master", threads), Method::Lazy, 2);
    let (eight, thirteen) = (of(8), of(13));
    assert!(thirteen * 10 < eight * 11, "{eight} and {thirteen} nodes");
}

/// Where knowing the globals is not enough, the search starts again and says the same.
#[test]
fn a_search_that_knows_too_little_starts_again() {
    let (_, system) = model("anderson4.bp");
    let goals = targets(&system.model, true, &DEFAULT_LABELS);
    let budget = Budget::unlimited();
    let order = CheckOptions::default().order;
    let encoding = ContextEncoding::new(&system, 4, order, 1 << 22, &budget).unwrap();
    let Ok(Prologue::Globals(first)) = first_globals(&encoding, &goals, &budget) else {
        panic!("the prologue ends without an error");
    };
    let mut search = LazySearch::new(&encoding, first, &goals);
    assert_eq!(search.knowledge(), Knowledge::Globals);
    for contexts in 1..=2 {
        assert!(matches!(search.advance(&budget), Ok(Round::Moved)));
        assert_eq!(search.contexts(), contexts);
    }
    assert_eq!(search.knowledge(), Knowledge::History);
}
