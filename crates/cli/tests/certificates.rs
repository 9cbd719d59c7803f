//! For the safe programs of `tests/programs`, the independent checker accepts the proof.
//!
//! Daily some areas are checked; `GNOMON_CAMPAIGN=1 cargo test -p gnomon --test certificates` takes
//! all. What is not accepted stands in `certificate_exceptions.txt`, with the reason.

use std::path::Path;
use std::process::Command;

use gnomon_certify::{Certificate, Claim, Node};
use gnomon_testkit::header::Expected;

mod suite;

#[test]
fn proofs_are_accepted_by_the_checker() {
    suite::Suite {
        of: Expected::True,
        arguments: &["check", "--assertions-only", "--time", "60"],
        expected: "the independent checker accepts the proof",
        exceptions: include_str!("certificate_exceptions.txt"),
    }
    .run();
}

/// What `gnomon certify` says of a certificate.
fn answer(program: &Path, file: &Path, certificate: &Certificate) -> String {
    let text = serde_json::to_string(certificate).expect("JSON");
    std::fs::write(file, text).expect("a certificate");
    let run = Command::new(env!("CARGO_BIN_EXE_gnomon"))
        .args(["certify", "--certificate"])
        .args([file, program])
        .output()
        .expect("gnomon starts");
    String::from_utf8_lossy(&run.stdout).trim().to_owned()
}

/// Every invariant in turn becomes `true`, is dropped, or says the opposite: the checker refuses all
/// but those that were not needed.
#[test]
fn certificates_with_a_changed_invariant_are_refused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificate.json");
    let by_itself = ["drivers/read_write_lock.c", "drivers/request_loop.c", "loops/two_counters.c"];
    // With facts about pointers, which are trusted, what is wrong is not decided.
    let trusting = ["heap/record_with_buffer.c"];
    for name in by_itself.into_iter().chain(trusting) {
        let program = root.join(name);
        let run = Command::new(env!("CARGO_BIN_EXE_gnomon"))
            .args([
                "check",
                "--engine",
                "lazy",
                "--no-search",
                "--assertions-only",
                "--certificate",
            ])
            .args([&file, &program])
            .output()
            .expect("gnomon starts");
        assert!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stdout));
        let text = std::fs::read_to_string(&file).expect("a certificate");
        let right: Certificate = serde_json::from_str(&text).expect("a certificate");
        let (accepted, refused) = match trusting.contains(&name) {
            false => ("accepted", "refused: "),
            true => ("accepted, if ", "not decided: "),
        };
        assert!(answer(&program, &file, &right).starts_with(accepted), "{name}");
        let Claim::Invariants { formulas, places } = &right.claim else {
            panic!("{name} has invariants");
        };
        let mut changed = 0;
        for at in 0..places.len() {
            let formula = &formulas.nodes[places[at].formula as usize];
            if *formula == Node::Apply("true".into(), Vec::new(), Vec::new()) {
                continue;
            }
            let with = |change: &dyn Fn(&mut Certificate)| {
                let mut wrong = right.clone();
                change(&mut wrong);
                answer(&program, &file, &wrong)
            };
            let replaced = |op: &str, args: Vec<u32>| {
                with(&|wrong| {
                    if let Claim::Invariants { formulas, places } = &mut wrong.claim {
                        places[at].formula = formulas.nodes.len() as u32;
                        formulas.nodes.push(Node::Apply(op.into(), Vec::new(), args.clone()));
                    }
                })
            };
            let weakened = replaced("true", Vec::new());
            let opposite = replaced("not", vec![places[at].formula]);
            let dropped = with(&|wrong| {
                if let Claim::Invariants { places, .. } = &mut wrong.claim {
                    places.remove(at);
                }
            });
            for answer in [weakened, opposite, dropped] {
                assert!(answer.starts_with(refused), "{name}, invariant {at}: {answer}");
            }
            changed += 1;
        }
        assert!(changed > 0, "{name} has an invariant that says something");
    }
}

/// Proofs by the typestate analysis have no certificates, so none passes for certified.
#[test]
fn proofs_by_typestate_are_not_certified() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/specs/file/open_close.c");
    let verdict = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gnomon"));
        command.args(["check", "-q", "--spec", "file"]).args(more).arg(&program);
        let output = command.output().expect("gnomon starts").stdout;
        String::from_utf8_lossy(&output).trim().to_owned()
    };
    assert_eq!(verdict(&[]), "VERDICT: TRUE if no access is out of bounds");
    assert!(verdict(&["--certify"]).starts_with("VERDICT: UNKNOWN"), "{}", verdict(&["--certify"]));
}
