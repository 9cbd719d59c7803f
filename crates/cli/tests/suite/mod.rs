//! The programs of `tests/programs`, and lists of exceptions from what must hold for all of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every so many programs are taken daily.
const DAILY: usize = 20;

/// A command with `tests/programs` as what it is about.
pub struct Suite {
    /// The programs are those whose first line begins so.
    pub header: &'static str,
    /// The arguments of `gnomon` before the program.
    pub arguments: &'static [&'static str],
    /// The line of the output that must be there.
    pub expected: &'static str,
    /// The variable that says `all` if all programs are to be taken.
    pub variable: &'static str,
    /// `FILE: REASON`, a line for each program for which that line is not expected.
    pub exceptions: &'static str,
}

impl Suite {
    /// Runs the command on the programs and counts.
    pub fn run(&self) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
        let mut all = Vec::new();
        programs(&root, &mut all);
        all.sort();
        all.retain(|path| {
            let text = std::fs::read_to_string(path).expect("a program");
            text.starts_with(self.header)
        });
        let exceptions = self.exceptions();
        let everything = std::env::var(self.variable).is_ok_and(|value| value == "all");
        let every = if everything { 1 } else { DAILY };
        let (mut fulfilled, mut excepted) = (0, 0);
        for path in all.iter().step_by(every) {
            let name = path.strip_prefix(&root).expect("below the root").to_string_lossy();
            if exceptions.contains_key(&*name) {
                excepted += 1;
                continue;
            }
            let run = Command::new(env!("CARGO_BIN_EXE_gnomon"))
                .args(self.arguments)
                .arg(path)
                .output()
                .expect("gnomon starts");
            let text = String::from_utf8_lossy(&run.stdout);
            let is_there = text.lines().any(|line| line.trim() == self.expected);
            assert!(is_there, "{name}: `{}` is missing:\n{text}", self.expected);
            fulfilled += 1;
        }
        println!("{fulfilled}: {}; {excepted} exceptions", self.expected);
        assert!(fulfilled > all.len() / every / 2);
    }

    fn exceptions(&self) -> BTreeMap<&'static str, &'static str> {
        let lines = self.exceptions.lines();
        let entries = lines.filter(|line| !line.starts_with('#') && !line.is_empty());
        entries.map(|line| line.split_once(": ").expect("FILE: REASON")).collect()
    }
}

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
