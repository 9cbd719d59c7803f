//! What `gnomon` prints about the programs of `tests/programs`, and lists of exceptions.

use std::collections::BTreeMap;
use std::process::Command;

use gnomon_testkit::header::Expected;
use gnomon_testkit::{corpus, limits};

/// The areas of the daily run: one for each kind of data and of control, decided quickly. A campaign
/// (`GNOMON_CAMPAIGN=1`) takes all areas.
const DAILY: [&str; 4] = ["branches", "enums", "goto", "papers"];

/// A command with `tests/programs` as what it is about.
pub struct Suite {
    /// The programs are those of which this is true.
    pub of: Expected,
    /// The arguments of `gnomon` before the program.
    pub arguments: &'static [&'static str],
    /// The line of the output that must be there.
    pub expected: &'static str,
    /// `FILE: REASON`, a line for each program for which that line is not expected.
    pub exceptions: &'static str,
}

impl Suite {
    /// Runs the command on the programs; says all that is not as expected at once.
    pub fn run(&self) {
        let mut cases = corpus::programs();
        cases.retain(|case| case.header.expected == self.of && case.header.known_failing.is_none());
        let exceptions = self.exceptions();
        for name in exceptions.keys() {
            let is_there = cases.iter().any(|case| case.name == *name);
            assert!(is_there, "{name} is excepted, but there is no such program");
        }
        if !limits::is_campaign() {
            let is_daily =
                |name: &str| DAILY.iter().any(|area| name.starts_with(&format!("{area}/")));
            cases.retain(|case| is_daily(&case.name));
        }
        let (mut fulfilled, mut excepted, mut missing) = (0, 0, Vec::new());
        for case in &cases {
            if exceptions.contains_key(case.name.as_str()) {
                excepted += 1;
                continue;
            }
            let run = Command::new(env!("CARGO_BIN_EXE_gnomon"))
                .args(self.arguments)
                .arg(&case.file)
                .output()
                .expect("gnomon starts");
            let text = String::from_utf8_lossy(&run.stdout);
            if text.lines().any(|line| line.trim() == self.expected) {
                fulfilled += 1;
            } else {
                missing.push(format!("{}:\n{text}", case.name));
            }
        }
        println!("{fulfilled}: {}; {excepted} exceptions", self.expected);
        assert!(missing.is_empty(), "`{}` is missing:\n{}", self.expected, missing.join("\n"));
        assert!(fulfilled > cases.len() / 2);
    }

    fn exceptions(&self) -> BTreeMap<&'static str, &'static str> {
        let lines = self.exceptions.lines();
        let entries = lines.filter(|line| !line.starts_with('#') && !line.is_empty());
        entries.map(|line| line.split_once(": ").expect("FILE: REASON")).collect()
    }
}
