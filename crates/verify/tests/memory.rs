//! The programs of `tests/memory`: pairs, of which one is right and the other has an error of memory
//! that the sanitizers of a compiler see. The header says what is asked beside divisions and wrong
//! accesses.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gnomon_report::model::AssumptionKind;
use gnomon_testkit::header::{Expected, Header};
use gnomon_verify::request::Limits;
use gnomon_verify::{CheckKind, Property, Request, Silent, VerdictName, verify};

fn programs() -> Vec<(PathBuf, Header)> {
    let directory = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/memory"));
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("the directory")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    let read = |file: PathBuf| {
        let text = std::fs::read_to_string(&file).expect("a program");
        let header = Header::parse(&text).expect("a header");
        (file, header)
    };
    files.into_iter().map(read).collect()
}

fn asked(file: &Path, kinds: &str, seconds: u64) -> Request {
    let checks: gnomon_instrument::Checks = kinds.parse().expect("kinds of checks");
    let always = [CheckKind::Division, CheckKind::Access, CheckKind::Free];
    let mut request = Request::of_files([file]);
    for kind in CheckKind::ALL {
        if always.contains(&kind) || checks.contains(kind) {
            request = request.property(Property::Undefined(kind));
        }
    }
    request.limits(Limits { time: Duration::from_secs(seconds), memory: 4000 })
}

#[test]
fn programs_have_the_verdicts_of_their_headers() {
    let mut wrong = Vec::new();
    let programs = programs();
    assert!(programs.len() >= 30, "there are {}", programs.len());
    for (file, header) in programs {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let open = header.known_failing.is_some();
        let seconds = if open { 4 } else { 60 };
        let outcome = verify(&asked(&file, &header.rest, seconds), &Silent).expect("an outcome");
        let expected = match header.expected {
            _ if open => VerdictName::Unknown,
            Expected::True => VerdictName::True,
            Expected::False => VerdictName::False,
            Expected::Unknown | Expected::Run(_) => VerdictName::Unknown,
        };
        if outcome.verdict() != expected {
            wrong.push(format!("{name}: {:?}, not {expected:?}", outcome.verdict()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An assertion behind a wrong access holds for runs that get there; only the reading that the user
/// asks for says TRUE.
#[test]
fn what_follows_a_wrong_access_is_not_proved() {
    let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
        int main(void) { int a[2] = {0, 0}; int i = __VERIFIER_nondet_int(); int *p = a;
            if (i < 0) return 0; p[i] = 1; if (i > 1) reach_error(); return 0; }";
    let conditional = verify(&Request::of_text(text), &Silent).expect("an outcome");
    assert_eq!(conditional.verdict(), VerdictName::Unknown, "a run that was tried is wrong");
    let strict = Request::of_text(text).property(Property::Undefined(CheckKind::Access));
    let strict = verify(&strict, &Silent).expect("an outcome");
    assert_eq!(strict.verdict(), VerdictName::False);
    let finding = &strict.report.findings[0];
    assert_eq!(finding.property, Some(Property::Undefined(CheckKind::Access)));
}

/// Nothing is accessed through these pointers, and still one of them may lead to where the other led.
#[test]
fn pointers_that_are_only_compared_are_looked_at() {
    let outcome = |result: &str| {
        let text = format!(
            "extern void reach_error(void);
            int *local(void) {{ int x = 1; int *p = &x; if (p != &x) reach_error(); return {result}; }}
            int main(void) {{ int *p = local(); int *q = local(); if (p == q && p) reach_error(); }}"
        );
        verify(&Request::of_text(&text), &Silent).expect("an outcome")
    };
    let (gone, null) = (outcome("p"), outcome("0"));
    assert_eq!(gone.verdict(), VerdictName::True);
    assert!(is_conditional(&gone));
    assert_eq!(null.verdict(), VerdictName::True);
    assert!(!is_conditional(&null));
}

/// The only run is one at the addresses that the interpreter has chosen.
#[test]
fn the_only_run_says_nothing_of_other_addresses() {
    let outcome = |text: &str| {
        let request = Request::of_text(text).property(Property::Undefined(CheckKind::Access));
        verify(&request, &Silent).expect("an outcome")
    };
    let reused = outcome(
        "#include <stdlib.h>
        int main(void) { int *p = malloc(4); free(p); int *q = malloc(4), *z = 0;
            if (p == q) *z = 1; free(q); return 0; }",
    );
    assert!(is_conditional(&reused), "{:?}", reused.verdict());
    let order = outcome(
        "#include <stdint.h>
        int a, b; int main(void) { int *z = 0; if ((uintptr_t)&a > (uintptr_t)&b) *z = 1; }",
    );
    assert_ne!(order.verdict(), VerdictName::True);
    let threads = Request::of_text(
        "#include <stdlib.h>
        #include <pthread.h>
        extern void reach_error(void);
        static void *one(void *argument) { return argument; }
        int main(void) { pthread_t h; pthread_create(&h, 0, one, 0); pthread_join(h, 0);
            int *p = malloc(4); free(p); int *q = malloc(4); if (p == q) reach_error(); }",
    );
    let threads = verify(&threads, &Silent).expect("an outcome");
    assert!(is_conditional(&threads), "{:?}", threads.verdict());
}

/// Whether the condition is told that no dangling pointer is compared.
fn is_conditional(outcome: &gnomon_verify::Outcome) -> bool {
    let mut assumptions = outcome.report.assumptions.iter();
    assumptions.any(|assumption| assumption.kind == AssumptionKind::DanglingNotCompared)
}
