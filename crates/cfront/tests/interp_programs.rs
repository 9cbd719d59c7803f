//! The programs in `tests/programs/interp`, lowered and run by the interpreter.
//!
//! Every program starts with `// gnomon: run N`, where N is its exit code. They have no undefined
//! behaviour, so the interpreter must not find any, and what they print must be what the compiled
//! program prints, on both machines (on ILP32 only where the compiler can do it).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use gnomon_budget::Budget;
use gnomon_cfront::diag::Severity;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::preprocess::{Machine, PreprocessOptions, load};
use gnomon_cfront::translate::translate;
use gnomon_ir::interp::{Captured, Outcome, RunOptions, ZeroSource, interpret};
use gnomon_ir::types::Target;

/// Far more than any of the programs needs.
const MAX_STEPS: u64 = 1_000_000;

fn programs() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/interp");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&dir)
        .expect("the directory of programs can be read")
        .map(|entry| entry.expect("an entry of the directory").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    assert!(files.len() >= 60, "only {} programs in {}", files.len(), dir.display());
    files
}

fn expected_code(source: &str) -> Result<i32, String> {
    let header = source.lines().next().unwrap_or_default();
    header
        .strip_prefix("// gnomon: run ")
        .and_then(|code| code.trim().parse().ok())
        .ok_or_else(|| format!("the first line is not `// gnomon: run N` but `{header}`"))
}

/// What the interpreter prints.
fn interpreted(path: &Path, machine: Machine, expected: i32) -> Result<Vec<u8>, String> {
    let options = PreprocessOptions { machine, ..PreprocessOptions::default() };
    let preprocessed = load(path, &options).map_err(|error| error.to_string())?;
    let target = match machine {
        Machine::Lp64 => Target::Lp64,
        Machine::Ilp32 => Target::Ilp32,
    };
    let translation = translate(vec![preprocessed.source], target, &ParseOptions::default());
    if !translation.is_complete() {
        return Err(translation.render(Severity::Error));
    }
    let mut output = Captured::default();
    let budget = Budget::unlimited().with_steps(MAX_STEPS);
    let run = interpret(
        &translation.program,
        &RunOptions::default(),
        &mut ZeroSource,
        &mut output,
        &budget,
    );
    if run.outcome != Outcome::Exit(expected) {
        return Err(format!("{:?} instead of {expected}", run.outcome));
    }
    match run.noted.first() {
        Some(ub) => {
            let place = ub.site.map(|site| translation.program.files.show(site.span));
            Err(format!("{}: {}", place.unwrap_or_default(), ub.kind.message()))
        }
        None => Ok(output.stdout),
    }
}

fn flags(machine: Machine) -> &'static [&'static str] {
    match machine {
        Machine::Lp64 => &["-m64"],
        // The model has no excess precision, so neither may the compiled program.
        Machine::Ilp32 => &["-m32", "-msse2", "-mfpmath=sse"],
    }
}

fn compile(source: &Path, to: &Path, machine: Machine) -> bool {
    Command::new("cc")
        .args(["-w", "-O1", "-fwrapv", "-fno-strict-aliasing"])
        .args(flags(machine))
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
        compile(&source, &dir.path().join("empty"), Machine::Ilp32)
    })
}

fn check(path: &Path, machine: Machine) -> Result<(), String> {
    let source = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let code = expected_code(&source)?;
    let printed = interpreted(path, machine, code)?;
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let binary = dir.path().join("program");
    if !compile(path, &binary, machine) {
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

fn check_all(machine: Machine) {
    let failures: Vec<String> = programs()
        .iter()
        .filter_map(|path| Some(format!("{}: {}", path.display(), check(path, machine).err()?)))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn programs_do_what_the_compiled_ones_do_on_lp64() {
    check_all(Machine::Lp64);
}

#[test]
fn programs_do_what_the_compiled_ones_do_on_ilp32() {
    if has_ilp32() {
        check_all(Machine::Ilp32);
    }
}
