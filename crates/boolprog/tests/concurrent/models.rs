//! The models in `programs/concurrent` have the answers that their headers say.

use std::path::PathBuf;

use gnomon_boolprog::check::{CheckOptions, DEFAULT_LABELS, targets};
use gnomon_boolprog::concurrent::check::{ConcurrentOptions, ConcurrentVerdict, Method, check};
use gnomon_boolprog::concurrent::switches::fatal_switches;
use gnomon_boolprog::concurrent::system::{SystemOptions, ThreadSystem};
use gnomon_boolprog::read::{Dialect, ReadOptions, read};
use gnomon_boolprog::source::Source;
use gnomon_budget::Budget;

pub fn model(name: &str) -> (Source, ThreadSystem) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("programs/concurrent").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    system(name, &text)
}

pub fn system(name: &str, text: &str) -> (Source, ThreadSystem) {
    let source = Source::new(name, text);
    let result = read(&source, Dialect::BooleanProgram, &ReadOptions::default());
    let model = result.model.unwrap_or_else(|| panic!("{}", result.messages.render(&source)));
    let system = ThreadSystem::new(&model, SystemOptions::default()).unwrap();
    (source, system)
}

pub fn options(method: Method, contexts: Option<usize>) -> ConcurrentOptions {
    ConcurrentOptions {
        method,
        contexts,
        prove: contexts.is_none(),
        sequential: CheckOptions { nodes: 1 << 22, ..CheckOptions::default() },
        ..ConcurrentOptions::default()
    }
}

fn verdict(system: &ThreadSystem, options: &ConcurrentOptions) -> ConcurrentVerdict {
    let goals = targets(&system.model, true, &DEFAULT_LABELS);
    check(system, &goals, options, &Budget::unlimited()).unwrap().verdict
}

/// The expectation in the header: an error, or none within so many contexts.
fn expectation(source: &Source) -> Option<usize> {
    let line = source.text().lines().find_map(|l| l.strip_prefix("// expect: ")).unwrap();
    let bound = line.strip_prefix("no error within ").and_then(|r| r.split(' ').next());
    match (line, bound) {
        ("false", _) => None,
        (_, Some(bound)) => Some(bound.parse().unwrap()),
        _ => panic!("{}: unknown expectation `{line}`", source.name()),
    }
}

fn as_expected(names: &[&str], method: Method, bound_of_errors: usize) {
    for name in names {
        let (source, system) = model(&format!("{name}.bp"));
        let expected = expectation(&source);
        let bound = expected.unwrap_or(bound_of_errors);
        match verdict(&system, &options(method, Some(bound))) {
            ConcurrentVerdict::False(_) => assert_eq!(expected, None, "{name}, {method:?}"),
            ConcurrentVerdict::True(_) => assert!(expected.is_some(), "{name}, {method:?}"),
            ConcurrentVerdict::Unknown { contexts, why } => {
                assert!(expected.is_some() && contexts == bound, "{name}, {method:?}: {why}");
            }
        }
    }
}

#[test]
fn the_lazy_method_answers_all_models() {
    as_expected(
        &[
            "anderson2",
            "anderson2_wrong",
            "anderson3",
            "anderson3_wrong",
            "anderson4_wrong",
            "anderson6_wrong",
            "bakery2",
            "bakery2_wrong",
            "bakery3",
            "bakery3_wrong",
            "bakery4_wrong",
            "bluetooth_bug",
            "bluetooth_fixed",
            "msmie",
            "msmie_wrong",
            "peterson2",
            "peterson2_wrong",
            "peterson3_wrong",
            "search_tree",
            "search_tree_wrong",
        ],
        Method::Lazy,
        3,
    );
}

#[test]
fn the_other_methods_answer_the_small_models() {
    let small = ["anderson2_wrong", "peterson2_wrong"];
    for method in [Method::Eager, Method::Reduce, Method::Transducer] {
        as_expected(&small, method, 1);
    }
    as_expected(&["anderson2", "bakery2_wrong"], Method::Eager, 2);
}

#[test]
fn without_a_bound_small_models_are_decided() {
    for name in ["anderson2", "bakery2", "bluetooth_fixed", "msmie", "peterson2"] {
        let (_, system) = model(&format!("{name}.bp"));
        let answer = verdict(&system, &options(Method::Lazy, None));
        assert!(matches!(answer, ConcurrentVerdict::True(_)), "{name}: {answer:?}");
    }
}

/// The paper's threads scale: one more adder, the same bug.
#[test]
fn the_bluetooth_bug_is_found_with_more_threads() {
    let (source, _) = model("bluetooth_bug.bp");
    for adders in 2..5 {
        let start = "    start_thread adder();\n";
        let text = source.text().replace(start, &start.repeat(adders));
        let (_, system) = system("bluetooth", &text);
        assert_eq!(system.threads.len(), adders + 1);
        match verdict(&system, &options(Method::Lazy, Some(2))) {
            ConcurrentVerdict::False(schedule) => assert!(schedule.switches() >= 2),
            other => panic!("{adders} adders: {other:?}"),
        }
    }
}

#[test]
fn the_fatal_switch_of_bluetooth_is_between_test_and_increment() {
    let (_, system) = model("bluetooth_bug.bp");
    let goals = targets(&system.model, true, &DEFAULT_LABELS);
    let options = CheckOptions { nodes: 1 << 20, ..CheckOptions::default() };
    let list = fatal_switches(&system, &goals, &options, &Budget::unlimited()).unwrap();
    let first: Vec<_> =
        list.iter().filter(|s| s.first).map(|s| &system.model.point(s.point).text).collect();
    assert!(!first.is_empty());
    assert!(
        first.iter().all(|t| t.starts_with("pending0")
            || t.starts_with("return")
            || t.starts_with("if (accepted)")
            || t.starts_with("assert")),
        "{first:?}"
    );
    // The stopper must have run to its end.
    let second: Vec<_> =
        list.iter().filter(|s| !s.first).map(|s| &system.model.point(s.point).text).collect();
    assert_eq!(second, ["end", "thread has ended"]);
}

/// Who cannot wait for the answer learns how far the search has come.
#[test]
fn the_bound_is_told_while_the_search_runs() {
    let (_, system) = model("bakery2.bp");
    let options = ConcurrentOptions { prove: false, ..options(Method::Lazy, Some(2)) };
    assert_eq!(options.checked.so_far(), 0);
    verdict(&system, &options);
    assert_eq!(options.checked.so_far(), 2);
}

#[test]
fn a_thread_started_in_a_loop_is_bounded_but_can_be_proved() {
    let text = "decl inside := F;\n\
        void worker() begin\n\
          atomic_begin; assert(!inside); inside := T; inside := F; atomic_end;\n\
        end\n\
        void main() begin while (T) do start_thread worker(); od end";
    let (_, proved) = system("workers", text);
    assert!(proved.bounded_starts && proved.threads.len() == 3);
    let answer = verdict(&proved, &options(Method::Lazy, None));
    assert!(matches!(answer, ConcurrentVerdict::True(_)), "{answer:?}");
    let (_, broken) = system("workers", &text.replace("atomic_begin; ", ""));
    let answer = verdict(&broken, &options(Method::Lazy, None));
    assert!(matches!(answer, ConcurrentVerdict::False(_)), "{answer:?}");
}

/// A bug that needs three copies must not be denied when only two are looked at.
#[test]
fn bounded_starts_are_never_a_reason_for_true() {
    let text = "decl a := F; decl b := F;\n\
        void worker() begin\n\
          if (!a) then a := T; elsif (!b) then b := T; else assert(F); fi\n\
        end\n\
        void main() begin while (T) do start_thread worker(); od end";
    let (_, system) = system("three", text);
    let bounded = ConcurrentOptions { prove: true, ..options(Method::Lazy, Some(3)) };
    match verdict(&system, &bounded) {
        ConcurrentVerdict::Unknown { contexts: 3, .. } => {}
        other => panic!("{other:?}"),
    }
}
