//! For the bug programs of `tests/programs`, the compiled program fails as predicted.
//!
//! Daily a part of them is executed; `GNOMON_REPLAY=all cargo test -p gnomon --test replay` takes
//! all. What is not confirmed stands in `replay_exceptions.txt`, with the reason, and must not be
//! confirmed: an entry that is no longer needed is an error too.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every so many programs are executed daily.
const DAILY: usize = 12;

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the programs");
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
}

fn exceptions() -> BTreeMap<&'static str, &'static str> {
    let lines = include_str!("replay_exceptions.txt").lines();
    let entries = lines.filter(|line| !line.starts_with('#') && !line.is_empty());
    entries.map(|line| line.split_once(": ").expect("FILE: REASON")).collect()
}

#[test]
fn compiled_programs_fail_as_predicted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut all = Vec::new();
    programs(&root, &mut all);
    all.sort();
    all.retain(|path| {
        let text = std::fs::read_to_string(path).expect("a program");
        text.starts_with("// gnomon: false")
    });
    let exceptions = exceptions();
    let everything = std::env::var("GNOMON_REPLAY").is_ok_and(|value| value == "all");
    let every = if everything { 1 } else { DAILY };
    let (mut confirmed, mut excepted) = (0, 0);
    for path in all.iter().step_by(every) {
        let name = path.strip_prefix(&root).expect("below the root").to_string_lossy();
        let run = Command::new(env!("CARGO_BIN_EXE_gnomon"))
            .args(["check", "--time", "60", "--replay"])
            .arg(path)
            .output()
            .expect("gnomon starts");
        let text = String::from_utf8_lossy(&run.stdout);
        let is_confirmed = text.lines().any(|line| line.trim() == "confirmed by execution");
        match exceptions.get(&*name) {
            None => assert!(is_confirmed, "{name} is not confirmed:\n{text}"),
            Some(reason) => {
                assert!(!is_confirmed, "{name} is confirmed, but an exception says: {reason}");
                excepted += 1;
            }
        }
        confirmed += usize::from(is_confirmed);
    }
    println!("{confirmed} confirmed by execution, {excepted} exceptions");
    assert!(confirmed > all.len() / every / 2);
}
