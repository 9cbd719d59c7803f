//! Points-to and mod-ref against runs of the programs of the repository and of random programs
//! (`GNOMON_RANDOM` says how many, from `GNOMON_SEED` on).

mod points_to_support;

use std::path::{Path, PathBuf};

use gnomon_ir::types::Target;
use points_to_support::{compare_both, from_file, from_text, generate};

fn programs() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut files = Vec::new();
    for area in std::fs::read_dir(dir).expect("the directory of programs") {
        let area = area.expect("an entry").path();
        if area.is_dir() {
            let entries = std::fs::read_dir(area).expect("an area");
            files.extend(entries.map(|entry| entry.expect("an entry").path()));
        }
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    files
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn runs_of_the_programs_of_the_repository_do_what_they_may() {
    let files = programs();
    assert!(files.len() >= 300, "only {} programs", files.len());
    let (mut failures, mut pointers) = (Vec::new(), 0);
    for (number, path) in files.iter().enumerate() {
        for target in [Target::Lp64, Target::Ilp32] {
            // Preprocessing takes most of the time: every sixth program on the other machine.
            if target == Target::Ilp32 && number % 6 != 0 {
                continue;
            }
            let Ok(program) = from_file(path, target) else { continue };
            match compare_both(&program, 0..1) {
                Ok(compared) => pointers += compared.pointers,
                Err(violation) => failures.push(format!("{}: {violation}", path.display())),
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(pointers > 10_000, "only {pointers} pointers were compared");
}

#[test]
fn runs_of_random_programs_do_what_they_may() {
    let first = number("GNOMON_SEED", 0);
    let mut pointers = 0;
    for seed in first..first + number("GNOMON_RANDOM", 150) {
        let text = generate::program(seed, 4 + seed as usize % 30);
        let program = from_text(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        match compare_both(&program, seed..seed + 1) {
            Ok(compared) => pointers += compared.pointers,
            Err(violation) => panic!("seed {seed}: {violation}\n{text}"),
        }
    }
    assert!(pointers > 1_000, "only {pointers} pointers were compared");
}
