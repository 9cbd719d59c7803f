//! `gnomon doctor`: what is there to work with, and whether the solver answers.

use std::process::Command;

use gnomon_logic::{Answer, Limits, Purpose, Scope, Solver, Sort, Terms, Z3Solver};

use crate::exit::{Failure, Status};
use crate::output;

/// The version of the solver that is linked.
pub fn solver_version() -> String {
    format!("Z3 {}", gnomon_logic::solver::z3::version())
}

/// Tries everything that gnomon needs from the machine.
pub fn run() -> Result<Status, Failure> {
    let solver = match solves() {
        Ok(()) => "works".to_owned(),
        Err(reason) => format!("FAILS: {reason}"),
    };
    let works = solver == "works";
    let compiler = match compiler() {
        Some(version) => version,
        None => "not found: only .i and .ir files can be read".into(),
    };
    output::result(&format!(
        "gnomon:   {}\nsolver:   {} ({solver})\ncompiler: {compiler}\n",
        env!("CARGO_PKG_VERSION"),
        solver_version(),
    ));
    if works { Ok(Status::True) } else { Err(Failure::error("the solver does not work")) }
}

/// `x' = x + 1` and `x' <= x` contradict each other.
fn solves() -> Result<(), String> {
    let mut terms = Terms::new();
    let x = terms.variable("x", Scope::Global, Sort::Int);
    let (before, after) = (terms.var_at(x, 0), terms.var_at(x, 1));
    let next = terms.add_constant(before, 1);
    let step = terms.eq(after, next);
    let smaller = terms.le(after, before);
    let mut solver = Z3Solver::integers();
    solver.assert(&terms, step);
    match solver.check(&terms, &[smaller], Purpose::FEASIBILITY, Limits::default()) {
        Answer::Unsat => Ok(()),
        other => Err(format!("expected a contradiction, got {other:?}")),
    }
}

fn compiler() -> Option<String> {
    let output = Command::new("cc").arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().map(str::to_owned)
}
