//! The programs under `tests/specs`: what each spec says of them.
//!
//! The first line of a program is `// gnomon: true` or `// gnomon: false LINE MESSAGE`, the
//! directory is the name of the spec; `// option: NAME=VALUE` sets an option of it.

mod ready;

use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_engine::property::{Property, Site};
use gnomon_engine::verdict::Verdict;
use gnomon_ir::validate::validate;
use gnomon_spec::{READY, Woven, history};
use gnomon_testkit::corpus;
use gnomon_testkit::header::Expected;
use gnomon_testkit::table::{Outcome, Table};
use gnomon_verify::decide::{Options, check};

fn checked(woven: &Woven) -> Verdict {
    let edges = woven.violations.iter();
    let edges = edges.map(|v| (Site { func: v.func, edge: v.edge }, v.message.clone())).collect();
    let property = Property { functions: Vec::new(), edges, ..Property::default() };
    let options = Options { property, ..Options::default() };
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    check(&woven.program, &options, &budget).expect("a good request").verdict
}

/// What is said of a program; a violation must be in the right line and have the right message.
fn said(woven: &Woven, expected: &str) -> Outcome {
    match checked(woven) {
        Verdict::True(_) => Outcome::True,
        Verdict::Unknown(reason) => Outcome::Unknown(reason.to_string()),
        Verdict::False(run) => {
            let violation = woven
                .violations
                .iter()
                .find(|v| (v.func, v.edge) == (run.site.func, run.site.edge))
                .expect("a violation of the spec");
            let edges = run.edges.iter().map(|e| (e.func, e.edge));
            let history = history(&woven.transitions, violation, edges);
            let last = history.last().expect("a history");
            assert!(last.text.ends_with(&violation.message));
            assert!(history.len() > 1 || !violation.span.is_none());
            let found = format!("{} {}", violation.span.line, violation.message);
            if found == expected || expected.is_empty() {
                Outcome::False
            } else {
                Outcome::Bad(format!("false {found}"))
            }
        }
    }
}

/// All programs of a spec are decided; there are enough correct and faulty ones.
fn all_are_decided(name: &str) {
    let cases = corpus::specs(name);
    let count = |expected| cases.iter().filter(|case| case.header.expected == expected).count();
    let (correct, faulty) = (count(Expected::True), count(Expected::False));
    assert!(correct >= 5 && faulty >= 5, "{correct} correct and {faulty} faulty programs");
    let table = Table::of(cases, |case| {
        let woven = ready::woven(name, case);
        assert_eq!(validate(&woven.program), []);
        said(&woven, &case.header.rest)
    });
    table.assert_as_told(name);
}

macro_rules! programs {
    ($($test:ident: $name:literal),* $(,)?) => {
        $(#[test]
        fn $test() {
            all_are_decided($name);
        })*

        #[test]
        fn every_spec_has_programs() {
            let tested = [$($name),*];
            assert_eq!(READY.map(|ready| ready.name).to_vec(), tested.to_vec());
        }
    };
}

programs! {
    file: "file",
    lock: "lock",
    memory: "memory",
    null: "null",
    irp: "irp",
    fd: "fd",
    alloc_check: "alloc-check",
    seteuid: "seteuid",
    reentrancy: "reentrancy",
    format: "format",
}
