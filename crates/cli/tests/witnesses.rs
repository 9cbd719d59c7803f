//! Witnesses that `gnomon check` writes are confirmed by `gnomon validate`, wrong ones are refuted.

use std::path::{Path, PathBuf};
use std::process::Command;

fn gnomon(arguments: &[&str], file: &Path, program: &Path) -> String {
    let run = Command::new(env!("CARGO_BIN_EXE_gnomon"))
        .args(arguments)
        .args([file, program])
        .output()
        .expect("gnomon starts");
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    text.lines().last().unwrap_or_default().to_owned()
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs")
}

fn witness_of(name: &str, file: &Path) -> (PathBuf, String) {
    let program = programs().join(name);
    gnomon(&["check", "--witness"], file, &program);
    let text = std::fs::read_to_string(file).expect("a witness");
    (program, text)
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn violations_are_confirmed_and_wrong_ones_refuted() {
    let file = file("violation.yml");
    for name in ["loops/specific_sequence.c", "switch/missing_break.c"] {
        let (program, text) = witness_of(name, &file);
        let validate = ["validate", "--time", "60", "--witness"];
        assert_eq!(gnomon(&validate, &file, &program), "WITNESS: CONFIRMED", "{name}");
        // The target is one line too early.
        let at = text.rfind("line: ").expect("a target") + "line: ".len();
        let end = at + text[at..].find('\n').expect("a line end");
        let line: u32 = text[at..end].parse().expect("a number");
        let wrong = format!("{}{}{}", &text[..at], line - 1, &text[end..]);
        std::fs::write(&file, wrong).expect("a witness");
        let answer = gnomon(&validate, &file, &program);
        assert!(answer.starts_with("WITNESS: REFUTED"), "{name}: {answer}");
        // Another program.
        std::fs::write(&file, text.replace(".c: ", ".c: 0")).expect("it");
        let answer = gnomon(&validate, &file, &program);
        assert!(answer.starts_with("WITNESS: REFUTED"), "{name}: {answer}");
    }
}

#[test]
fn invariants_are_confirmed_and_wrong_ones_refuted() {
    let file = file("correctness.yml");
    let (program, text) = witness_of("drivers/module_load_unload.c", &file);
    let validate = ["validate", "--time", "60", "--witness"];
    assert_eq!(gnomon(&validate, &file, &program), "WITNESS: CONFIRMED");
    assert!(text.contains("registered == 0LL"), "{text}");
    std::fs::write(&file, text.replace("registered == 0LL", "registered == 1LL")).expect("it");
    assert_eq!(gnomon(&validate, &file, &program), "WITNESS: REFUTED (an invariant does not hold)");
}
