//! The programs in `tests/programs/interp`, lowered and run by the interpreter.
//!
//! Every program starts with `// gnomon: run N`, where N is its exit code. They have no undefined
//! behaviour, so the interpreter must not find any, and what they print must be what the compiled
//! program prints, on both machines (on ILP32 only where the compiler can do it).

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use gnomon_budget::Budget;
use gnomon_ir::interp::{Captured, Outcome, RunOptions, ZeroSource, interpret};
use gnomon_ir::types::Target;
use gnomon_testkit::corpus::Case;
use gnomon_testkit::header::Expected;
use gnomon_testkit::{Reader, corpus};

/// Far more than any of the programs needs.
const MAX_STEPS: u64 = 1_000_000;

/// What the interpreter prints.
fn interpreted(path: &Path, target: Target, expected: i32) -> Result<Vec<u8>, String> {
    let program = Reader::default().on(target).try_file(path)?;
    let mut output = Captured::default();
    let budget = Budget::unlimited().with_steps(MAX_STEPS);
    let options = RunOptions::default();
    let run = interpret(&program, &options, &mut ZeroSource, &mut output, &budget);
    if run.outcome != Outcome::Exit(expected) {
        return Err(format!("{:?} instead of {expected}", run.outcome));
    }
    match run.noted.first() {
        Some(ub) => {
            let place = ub.site.map(|site| program.files.show(site.span));
            Err(format!("{}: {}", place.unwrap_or_default(), ub.kind.message()))
        }
        None => Ok(output.stdout),
    }
}

fn flags(target: Target) -> &'static [&'static str] {
    match target {
        Target::Lp64 => &["-m64"],
        // The model has no excess precision, so neither may the compiled program.
        Target::Ilp32 => &["-m32", "-msse2", "-mfpmath=sse"],
    }
}

fn compile(source: &Path, to: &Path, target: Target) -> bool {
    Command::new("cc")
        .args(["-w", "-O1", "-fwrapv", "-fno-strict-aliasing"])
        .args(flags(target))
        .arg(source)
        .arg("-o")
        .arg(to)
        .arg("-lm")
        .output()
        .is_ok_and(|output| output.status.success())
}

/// Whether programs for ILP32 can be compiled and linked here.
fn has_ilp32() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let source = dir.path().join("empty.c");
        std::fs::write(&source, "#include <stdio.h>\nint main(void) { return 0; }\n")
            .expect("a file in the temporary directory");
        compile(&source, &dir.path().join("empty"), Target::Ilp32)
    })
}

fn check(case: &Case, target: Target) -> Result<(), String> {
    let Expected::Run(code) = case.header.expected else {
        return Err("the first line is not `// gnomon: run N`".to_owned());
    };
    let path = &case.file;
    let printed = interpreted(path, target, code)?;
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let binary = dir.path().join("program");
    if !compile(path, &binary, target) {
        return Err("the compiler refuses it".to_owned());
    }
    let ran = Command::new(&binary).output().map_err(|error| error.to_string())?;
    if ran.status.code() != Some(code) {
        return Err(format!("compiled, it ends with {:?}", ran.status));
    }
    if ran.stdout != printed {
        let texts = [&ran.stdout, &printed].map(|text| String::from_utf8_lossy(text).into_owned());
        let [compiled, interpreted] = &texts;
        let mut lines = compiled.lines().zip(interpreted.lines());
        let first = lines.find(|(a, b)| a != b);
        return Err(format!("the output differs, first here: {first:?}"));
    }
    Ok(())
}

fn check_all(target: Target) {
    let cases = corpus::area("interp");
    assert!(cases.len() >= 60, "only {} programs", cases.len());
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| Some(format!("{}: {}", case.name, check(case, target).err()?)))
        .collect();
    assert!(
        failures.is_empty(),
        "{}",
        failures.join(
            "
"
        )
    );
}

#[test]
fn programs_do_what_the_compiled_ones_do_on_lp64() {
    check_all(Target::Lp64);
}

#[test]
fn programs_do_what_the_compiled_ones_do_on_ilp32() {
    if has_ilp32() {
        check_all(Target::Ilp32);
    }
}
