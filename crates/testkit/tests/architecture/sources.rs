//! Who reads the clock, prints, reaches outside of the process, or is `unsafe`: nobody but those in the
//! table of ARCHITECTURE.md, and of those, each does.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::document::{quoted, table};

/// What is told apart, with what it looks like in a source.
const KINDS: [(&str, &[&str]); 4] = [
    ("clock", &["Instant::now", "SystemTime", "ProcessCPUTime", "ThreadCPUTime"]),
    ("printing", &["println!", "print!(", "dbg!", "io::stdout", "io::stderr"]),
    ("outside", &["std::fs", "fs::read", "fs::write", "std::process", "std::env", "env::var"]),
    ("unsafe", &["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"]),
];

/// The sources of all crates, without tests, by their names below `crates`.
fn sources() -> Vec<(String, String)> {
    let crates = crate::root().join("crates");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&crates).expect("the crates") {
        collect(&entry.expect("a crate").path().join("src"), &mut files);
    }
    files.sort();
    let name = |file: &Path| {
        let name = file.strip_prefix(&crates).expect("below it");
        name.to_string_lossy().into_owned()
    };
    let text = |file: &Path| std::fs::read_to_string(file).expect("a source");
    files.iter().map(|file| (name(file), without_tests(&text(file)))).collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        let name = path.file_stem().expect("a name").to_string_lossy();
        if name == "tests" {
            continue;
        }
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The code, without comments and without the tests at the end of it.
fn without_tests(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The kinds of the table that a text has.
fn kinds(text: &str) -> BTreeSet<&'static str> {
    let has = |patterns: &[&str]| patterns.iter().any(|pattern| text.contains(pattern));
    KINDS.into_iter().filter(|(_, patterns)| has(patterns)).map(|(kind, _)| kind).collect()
}

#[test]
fn only_who_has_a_reason_reaches_outside() {
    let allowed: Vec<(Vec<String>, BTreeSet<String>)> = table("Who touches the outside")
        .iter()
        .map(|row| (quoted(&row[0]), row[1].split(", ").map(str::to_owned).collect()))
        .collect();
    let mut wrong = Vec::new();
    let mut used: BTreeSet<(String, &str)> = BTreeSet::new();
    for (name, text) in sources() {
        for kind in kinds(&text) {
            let mut reasons = allowed.iter().filter_map(|(files, kinds)| {
                let file = files.iter().find(|file| name.starts_with(*file))?;
                kinds.contains(kind).then_some(file)
            });
            match reasons.next() {
                Some(file) => _ = used.insert((file.clone(), kind)),
                None => {
                    wrong.push(format!("crates/{name}: {kind}, which the table does not allow"))
                }
            }
        }
    }
    for (files, kinds) in &allowed {
        for (file, kind) in files.iter().flat_map(|file| kinds.iter().map(move |kind| (file, kind)))
        {
            if !used.contains(&(file.clone(), kind.as_str())) {
                wrong.push(format!("`{file}`: {kind} is in the table, but it needs none"));
            }
        }
    }
    assert!(wrong.is_empty(), "ARCHITECTURE.md, who touches the outside:\n{}", wrong.join("\n"));
}

#[test]
fn the_checker_of_proofs_has_its_own_meaning_of_programs() {
    for (name, text) in sources().into_iter().filter(|(name, _)| name.starts_with("certify/")) {
        let uses = ["gnomon_logic::encode", "logic::encode", "encode::"];
        let found = uses.iter().find(|part| text.contains(*part));
        assert_eq!(found, None, "crates/{name} uses the encodings of the engines");
    }
}

#[test]
fn kinds_are_recognised() {
    assert_eq!(kinds("let t = Instant::now();"), BTreeSet::from(["clock"]));
    assert_eq!(kinds("println!(); unsafe { f() }"), BTreeSet::from(["printing", "unsafe"]));
    assert_eq!(kinds(&without_tests("// println!()\nlet x = 1;")), BTreeSet::new());
    let tested = "fn f() {}\n#[cfg(test)]\nmod tests {\n fn g() { println!(); } }";
    assert_eq!(kinds(&without_tests(tested)), BTreeSet::new());
}
