//! The programs of `tests/programs` with known verdicts: none may be decided wrongly, and of the
//! areas that the engine covers, most must be decided quickly.
//!
//! Every third program is taken, with two seconds each; `GNOMON_PROGRAMS=all` takes all, and
//! `GNOMON_SECONDS` gives another limit.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::{Models, translate_with};
use gnomon_engine::check::{Options, check};
use gnomon_engine::verdict::Verdict;
use gnomon_ir::program::Program;
use gnomon_ir::types::Target;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs")
}

/// The program in a file, preprocessed where it has directives.
fn load(file: &Path) -> Program {
    let text = fs::read(file).expect("a readable file");
    let bytes = if text.contains(&b'#') {
        let output = Command::new("cc").arg("-E").arg(file).output().expect("a C compiler");
        output.stdout
    } else {
        text
    };
    let name = file.display().to_string();
    let source = SourceBuffer::new(&name, bytes).expect("a source");
    let translation =
        translate_with(vec![source], Target::Lp64, &ParseOptions::default(), Models::BuiltIn);
    assert!(translation.is_complete(), "{name} is not translated completely");
    translation.program
}

/// The files of an area in order, with what their headers say.
fn programs(area: &str) -> Vec<(PathBuf, bool)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join(area)).expect("an area") {
        let file = entry.expect("an entry").path();
        let text = fs::read_to_string(&file).expect("a readable file");
        let header = text.lines().next().unwrap_or_default();
        match header.strip_prefix("// gnomon: ").map(str::trim) {
            Some("true") => found.push((file, true)),
            Some("false") => found.push((file, false)),
            _ => {}
        }
    }
    found.sort();
    found
}

/// Checks an area; at least the given share, in percent, must be decided.
fn area(name: &str, least: usize) {
    let all = std::env::var("GNOMON_PROGRAMS").is_ok_and(|v| v == "all");
    let seconds = std::env::var("GNOMON_SECONDS").ok().and_then(|v| v.parse().ok()).unwrap_or(2);
    let step = if all { 1 } else { 3 };
    let (mut decided, mut tried) = (0, 0);
    let mut wrong = Vec::new();
    for (file, expected) in programs(name).into_iter().step_by(step) {
        let program = load(&file);
        let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
        let report = check(&program, &Options::default(), &budget).expect("a good request");
        tried += 1;
        match report.verdict {
            Verdict::Unknown(reason) => println!("{}: {reason}", file.display()),
            Verdict::True(_) if expected => decided += 1,
            Verdict::False(_) if !expected => decided += 1,
            _ => wrong.push(file),
        }
    }
    println!("{name}: {decided} of {tried} decided");
    assert!(wrong.is_empty(), "wrong verdicts: {wrong:?}");
    assert!(decided * 100 >= tried * least, "{name}: only {decided} of {tried} decided");
}

macro_rules! areas {
    ($($name:ident $least:literal;)*) => {$(
        #[test]
        fn $name() {
            area(stringify!($name), $least);
        }
    )*};
}

// The shares hold on a machine that has other work to do.
areas! {
    arithmetic 60;
    arrays 40;
    bits 40;
    branches 80;
    drivers 50;
    enums 60;
    floats 30;
    function_pointers 40;
    functions 50;
    goto 60;
    heap 40;
    loops 40;
    papers 50;
    pointers 50;
    recursion 10;
    strings 30;
    structs 30;
    switch 80;
    unions 40;
}
