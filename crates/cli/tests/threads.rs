//! The programs of `tests/threads`: the verdict of `gnomon check` is the one in the first line.
//!
//! A program with an error must also fail when it is executed with the schedule that was found,
//! unless the error is a deadlock or a data race.

use std::path::{Path, PathBuf};
use std::process::Command;

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/threads");
    let entries = std::fs::read_dir(root).expect("the programs");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    found.sort();
    found
}

#[test]
fn verdicts_are_as_told() {
    let mut checked = 0;
    for path in programs() {
        let text = std::fs::read_to_string(&path).expect("a program");
        let header = text.lines().next().and_then(|line| line.strip_prefix("// gnomon: "));
        let mut words = header.expect("a header").split_whitespace();
        let expected = words.next().expect("a verdict").to_uppercase();
        let run = Command::new(env!("CARGO_BIN_EXE_gnomon"))
            .args(["check", "--replay", "--time", "60"])
            .args(words)
            .arg(&path)
            .output()
            .expect("gnomon starts");
        let output = String::from_utf8_lossy(&run.stdout);
        let last = output.lines().last().unwrap_or_default();
        let verdict = last.strip_prefix("VERDICT: ").unwrap_or_default();
        assert!(verdict.starts_with(&expected), "{}: {output}", path.display());
        let shown = !text.contains("deadlock") && !output.starts_with("FALSE: data race");
        if expected == "FALSE" && shown {
            let confirmed = output.contains("confirmed by execution");
            assert!(confirmed && !output.contains("not confirmed"), "{output}");
        }
        checked += 1;
    }
    assert!(checked >= 10);
}

#[test]
fn what_is_not_modelled_is_named() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/threads/cancel.c");
    let run = Command::new(env!("CARGO_BIN_EXE_gnomon")).arg("check").arg(path).output();
    let output = run.expect("gnomon starts").stdout;
    assert!(String::from_utf8_lossy(&output).contains("`pthread_cancel` is not modelled"));
}

#[test]
fn deadlocks_say_who_holds_what_others_wait_for() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("../../tests/threads/philosophers_broken.c");
    let run = Command::new(env!("CARGO_BIN_EXE_gnomon"))
        .args(["check", "--thread-errors", "deadlock"])
        .arg(path)
        .output();
    let output = run.expect("gnomon starts").stdout;
    let output = String::from_utf8_lossy(&output);
    let first = output.lines().next().unwrap_or_default();
    assert!(first.starts_with("FALSE: deadlock: "), "{output}");
    let waits = |line: &str, holder: &str| first.contains(&format!("broken.c:{line} for {holder}"));
    assert!(waits("12:5", "thread 2: other") && waits("22:5", "thread 1: one"), "{output}");
}

#[test]
fn data_races_name_what_is_accessed_by_whom() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("../../tests/threads/race_flag.c");
    let run = Command::new(env!("CARGO_BIN_EXE_gnomon"))
        .args(["check", "--thread-errors", "race"])
        .arg(path)
        .output();
    let output = run.expect("gnomon starts").stdout;
    let output = String::from_utf8_lossy(&output);
    let first = output.lines().next().unwrap_or_default();
    for part in ["data race: ", "thread 0: main reads ready at ", "thread 1: produce writes at "] {
        assert!(first.contains(part), "{output}");
    }
}

#[test]
fn the_sequential_program_is_c_with_the_errors_of_so_many_contexts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = root.join("../../tests/threads/bank_broken.c");
    for (contexts, expected) in [("2", "TRUE"), ("3", "FALSE")] {
        let name = format!("sequential-{contexts}");
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
        let made = Command::new(env!("CARGO_BIN_EXE_gnomon"))
            .args(["sequentialize", "--contexts", contexts, "-o"])
            .args([&file, &program])
            .status()
            .expect("gnomon starts");
        assert!(made.success());
        let object = file.with_extension("o");
        let compiled = Command::new("cc").args(["-w", "-c", "-o"]).args([&object, &file]).status();
        assert!(compiled.expect("cc starts").success());
        let checked =
            Command::new(env!("CARGO_BIN_EXE_gnomon")).args(["check", "-q"]).arg(&file).output();
        let output = checked.expect("gnomon starts").stdout;
        assert_eq!(String::from_utf8_lossy(&output), format!("VERDICT: {expected}\n"));
    }
}

#[test]
fn what_is_not_there_for_threads_is_said() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/threads/join_result.c");
    let run = |option: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gnomon"));
        command.args(["check", "-q", option]).arg(&path).output().expect("gnomon starts")
    };
    assert_eq!(run("--each").status.code(), Some(2));
    let certified = run("--certify");
    let output = String::from_utf8_lossy(&certified.stdout);
    assert!(output.starts_with("VERDICT: UNKNOWN (uncertified"), "{output}");
}
