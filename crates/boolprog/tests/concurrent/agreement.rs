//! All methods against explicit-state enumeration and against each other, on random programs.
//!
//! `GNOMON_BP_CONCURRENT=2400` checks that many programs instead of the daily number;
//! `GNOMON_BP_FIRST` is the first seed.

use gnomon_boolprog::bp;
use gnomon_boolprog::check::{CheckOptions, targets};
use gnomon_boolprog::concurrent::check::{ConcurrentOptions, ConcurrentVerdict, Method, check};
use gnomon_boolprog::concurrent::copies::Arrangement;
use gnomon_boolprog::concurrent::explicit::reaches;
use gnomon_boolprog::concurrent::generate::{program, shape_of};
use gnomon_boolprog::concurrent::lazy::{Knowledge, LazySearch, Prologue, Round, first_globals};
use gnomon_boolprog::concurrent::reduce::sequentialize;
use gnomon_boolprog::concurrent::system::{SystemOptions, ThreadSystem};
use gnomon_boolprog::concurrent::vocabulary::ContextEncoding;
use gnomon_boolprog::diagnostic::Diagnostics;
use gnomon_boolprog::explicit::Limits;
use gnomon_boolprog::model::PointId;
use gnomon_boolprog::symbolic::layers::TraceError;
use gnomon_boolprog::symbolic::order::VariableOrder;
use gnomon_budget::Budget;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

/// One comparison.
struct Line {
    contexts: usize,
    enumerated: Option<bool>,
    eager: bool,
    transducer: bool,
    reduced: bool,
}

/// The lazy search finds the same whatever threads know and however the copies are arranged.
fn lazy_variants_agree(
    seed: u64,
    system: &ThreadSystem,
    goals: &[PointId],
    contexts: usize,
    expected: bool,
) {
    for arrangement in [Arrangement::ByPosition, Arrangement::ByContext] {
        let order = (VariableOrder::default(), arrangement);
        for knowledge in [Knowledge::History, Knowledge::Globals] {
            // What needs more steps than this is left out.
            let budget = Budget::unlimited().with_steps(20_000);
            let encoding = ContextEncoding::arranged(system, contexts, order, 1 << 19, &budget);
            let Ok(encoding) = &encoding else { continue };
            let Ok(Prologue::Globals(first)) = first_globals(encoding, goals, &budget) else {
                continue;
            };
            let mut search = LazySearch::knowing(knowledge, encoding, first, goals);
            let mut found = Some(false);
            while found == Some(false) && search.contexts() < contexts {
                found = match search.advance(&budget) {
                    Ok(round) => Some(matches!(round, Round::Found(_))),
                    // Out of steps or nodes.
                    Err(TraceError::Bdd(_)) => None,
                    Err(error) => panic!("seed {seed}, {arrangement:?}, {knowledge:?}: {error}"),
                };
            }
            if let Some(found) = found {
                assert_eq!(found, expected, "seed {seed}, {arrangement:?}, {knowledge:?}");
            }
        }
    }
}

fn compare(seed: u64) -> Option<Line> {
    let shape = shape_of(seed);
    let tree = program(seed, shape);
    let text = bp::print::program(&tree);
    let mut messages = Diagnostics::default();
    let again = bp::parse::parse(&text, &mut messages);
    assert_eq!(tree, again, "seed {seed}\n{text}");
    let model = bp::lower(&tree, None, &mut messages).unwrap_or_else(|| panic!("{seed}\n{text}"));
    let system = ThreadSystem::new(&model, SystemOptions { instances: 1 }).ok()?;
    let goals = targets(&system.model, true, &[]);
    if goals.is_empty() {
        return None;
    }
    let contexts = 1 + (seed % 4) as usize;
    let limits = Limits { states: number("GNOMON_BP_STATES", 20_000) as usize };
    let enumerated = reaches(&system, &goals, contexts, limits).ok();
    let scale = number("GNOMON_BP_SCALE", 1);
    let mut answers = Vec::new();
    for method in [Method::Lazy, Method::Eager, Method::Transducer, Method::Reduce] {
        // Steps and not seconds, so that the same programs are answered on every machine.
        let budget = match method {
            Method::Lazy => Budget::unlimited(),
            Method::Reduce => Budget::unlimited().with_steps(100_000 * scale),
            Method::Eager => Budget::unlimited().with_steps(20_000 * scale),
            Method::Transducer => Budget::unlimited().with_steps(60_000 * scale),
        };
        let options = ConcurrentOptions {
            method,
            contexts: Some(contexts),
            prove: method == Method::Lazy,
            sequential: CheckOptions {
                nodes: if method == Method::Lazy { 1 << 21 } else { 1 << 18 },
                ..CheckOptions::default()
            },
            ..ConcurrentOptions::default()
        };
        let start = std::time::Instant::now();
        let outcome = check(&system, &goals, &options, &budget).unwrap_or_else(|e| {
            panic!("seed {seed}, {method:?}, {contexts} contexts: {e}\n{text}")
        });
        if std::env::var("GNOMON_BP_TIMES").is_ok() {
            println!("{seed} {method:?} {contexts} {:?}", start.elapsed());
        }
        let found = match &outcome.verdict {
            ConcurrentVerdict::False(schedule) => {
                assert!(goals.contains(&schedule.target), "seed {seed}");
                true
            }
            ConcurrentVerdict::True(_) => false,
            // Guessing needs much more room; what is not answered is counted below.
            ConcurrentVerdict::Unknown { contexts: 0, why } if method != Method::Lazy => {
                if std::env::var("GNOMON_BP_TIMES").is_ok() {
                    println!("{seed} {method:?}: {why}");
                }
                continue;
            }
            ConcurrentVerdict::Unknown { contexts: checked, why } => {
                assert_eq!(*checked, contexts, "seed {seed} {method:?}: {why}\n{text}");
                false
            }
        };
        answers.push((method, found, matches!(outcome.verdict, ConcurrentVerdict::True(_))));
    }
    let first = answers[0].1;
    lazy_variants_agree(seed, &system, &goals, contexts, first);
    for (method, found, _) in &answers {
        assert_eq!(
            *found,
            enumerated.unwrap_or(first),
            "seed {seed}, {method:?}, {contexts} contexts, enumeration {enumerated:?}, all {answers:?}\n{text}"
        );
    }
    // A proof must hold for more contexts too.
    if answers.iter().any(|a| a.2)
        && let Ok(later) = reaches(&system, &goals, contexts + 3, limits)
    {
        assert!(
            !later,
            "seed {seed}: proved, but reachable with {} contexts\n{text}",
            contexts + 3
        );
    }
    let answered = |m: Method| answers.iter().any(|a| a.0 == m);
    let (eager, reduced) = (answered(Method::Eager), answered(Method::Reduce));
    Some(Line { contexts, enumerated, eager, transducer: answered(Method::Transducer), reduced })
}

#[test]
fn all_methods_agree_with_enumeration() {
    let count = number("GNOMON_BP_CONCURRENT", 40);
    let first = number("GNOMON_BP_FIRST", 0);
    let (mut compared, mut enumerated, mut reachable) = (0, 0, 0);
    let (mut eager, mut transducer, mut reduced) = (0, 0, 0);
    let mut by_contexts = [0; 5];
    let mut seed = first;
    while compared < count {
        if let Some(line) = compare(seed) {
            compared += 1;
            by_contexts[line.contexts] += 1;
            enumerated += u64::from(line.enumerated.is_some());
            eager += u64::from(line.eager);
            transducer += u64::from(line.transducer);
            reduced += u64::from(line.reduced);
            reachable += u64::from(line.enumerated == Some(true));
        }
        seed += 1;
    }
    println!(
        "{compared} programs, {enumerated} enumerated, {reachable} of these reach a target, answered by the eager method {eager}, by transducers {transducer}, by the reduced program {reduced}, by contexts {by_contexts:?}"
    );
    assert!(enumerated * 2 > compared, "enumeration ends too rarely: {enumerated} of {compared}");
    assert!(eager * 10 > compared * 9, "the eager method needs too much room: {eager}");
    assert!(
        reduced * 10 > compared * 6,
        "the reduced program is too large: {reduced} of {compared}"
    );
    assert!(reachable > 0 && reachable < enumerated);
}

#[test]
fn the_sequential_program_prints_and_reads_back() {
    for seed in 0..40 {
        let tree = program(seed, shape_of(seed));
        let mut messages = Diagnostics::default();
        let Some(model) = bp::lower(&tree, None, &mut messages) else { continue };
        let Ok(system) = ThreadSystem::new(&model, SystemOptions { instances: 1 }) else {
            continue;
        };
        let goals = targets(&system.model, true, &[]);
        for contexts in 1..4 {
            let reduced = sequentialize(&system, contexts, &goals);
            let text = bp::print::program(&reduced);
            let again = bp::parse::parse(&text, &mut messages);
            assert!(!messages.has_errors(), "seed {seed}\n{text}");
            assert_eq!(reduced, again, "seed {seed}\n{text}");
        }
    }
}
