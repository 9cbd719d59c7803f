//! What C expressions are worth: small programs, lowered and run by the interpreter.
//!
//! A case has declarations and conditions that must hold. With `GNOMON_CHECK_CASES=1` the
//! conditions are also checked by `cc`, so that the expectations themselves are right.

mod expressions;
#[path = "../lowering/mod.rs"]
mod lowering;
mod objects;

use std::process::Command;

use gnomon_budget::Budget;
use gnomon_ir::interp::{Captured, Outcome, RunOptions, ZeroSource, interpret};
use gnomon_ir::types::Target;

/// Declarations and what must hold of them.
pub struct Case {
    name: &'static str,
    /// At file scope.
    text: &'static str,
    /// Expressions that must not be zero, evaluated one after the other.
    holds: &'static [&'static str],
}

impl Case {
    /// A program whose exit code is the number of the first condition that does not hold.
    fn program(&self) -> String {
        let tests: String = self
            .holds
            .iter()
            .zip(1..)
            .map(|(condition, number)| format!("  if (!({condition})) return {number};\n"))
            .collect();
        format!("{}\nint main(void) {{\n{tests}  return 0;\n}}\n", self.text)
    }
}

/// A case, in one line less.
pub const fn case(name: &'static str, text: &'static str, holds: &'static [&'static str]) -> Case {
    Case { name, text, holds }
}

fn cases(target: Target) -> impl Iterator<Item = &'static Case> {
    let wide: &[Case] = match target {
        Target::Lp64 => expressions::LP64_CASES,
        Target::Ilp32 => &[],
    };
    expressions::CASES.iter().chain(objects::CASES).chain(wide)
}

fn main_result(program: &str, target: Target) -> Outcome {
    let translation = lowering::lower(program, target);
    let mut output = Captured::default();
    let budget = Budget::unlimited().with_steps(1_000_000);
    let options = RunOptions::default();
    let run = interpret(&translation.program, &options, &mut ZeroSource, &mut output, &budget);
    assert!(run.noted.is_empty(), "{:?}\n{program}", run.noted);
    run.outcome
}

fn failures(target: Target) -> Vec<String> {
    let failed = cases(target).chain(expressions::OWN_CASES).filter_map(|case| {
        match main_result(&case.program(), target) {
            Outcome::Exit(0) => None,
            Outcome::Exit(n) => {
                let condition = case.holds[n as usize - 1];
                Some(format!("{}: does not hold: {condition}", case.name))
            }
            other => Some(format!("{}: {other:?}", case.name)),
        }
    });
    failed.collect()
}

#[test]
fn conditions_hold_on_lp64() {
    let failures = failures(Target::Lp64);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn conditions_hold_on_ilp32() {
    let failures = failures(Target::Ilp32);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Compiles and runs a program; its exit code.
fn compiled(program: &str, flag: &str) -> Option<i32> {
    let dir = tempfile::tempdir().ok()?;
    let (source, binary) = (dir.path().join("case.c"), dir.path().join("case"));
    std::fs::write(&source, program).ok()?;
    let flags = ["-w", "-fwrapv", "-fno-strict-aliasing", "-std=gnu2x", flag];
    let status = Command::new("cc").args(flags).arg(&source).arg("-o").arg(&binary).status();
    if !status.is_ok_and(|status| status.success()) {
        return None;
    }
    Command::new(binary).status().ok()?.code()
}

#[test]
fn conditions_hold_for_the_compiler() {
    if std::env::var_os("GNOMON_CHECK_CASES").is_none() {
        return;
    }
    let wrong: Vec<String> = [(Target::Lp64, "-m64"), (Target::Ilp32, "-m32")]
        .into_iter()
        .flat_map(|(target, flag)| cases(target).map(move |case| (case, flag)))
        .filter_map(|(case, flag)| match compiled(&case.program(), flag) {
            Some(0) => None,
            code => Some(format!("{} {flag}: {code:?}", case.name)),
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
