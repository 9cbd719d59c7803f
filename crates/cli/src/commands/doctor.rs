//! `gnomon doctor`: what is there to work with, what is missing, and how to get it.
//!
//! What gnomon cannot do without is tried, not looked up: a query is solved, in this process and in a
//! worker, and small programs are preprocessed, compiled and executed. Only a solver that does not work
//! is a failure; everything else is told with what it means and what to do.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use gnomon_logic::solver::worker;
use gnomon_logic::{Answer, Limits, Purpose, Scope, Solver, Sort, Terms, Z3Solver};

use crate::exit::{Failure, Status};
use crate::output;

/// The version of the solver that is linked.
pub fn solver_version() -> String {
    format!("Z3 {}", gnomon_logic::solver::z3::version())
}

/// What was found of something.
struct Finding {
    name: &'static str,
    state: Result<String, Missing>,
}

/// What is missing, what that means, and the cure.
struct Missing {
    what: String,
    means: &'static str,
    cure: String,
}

/// Tries everything that gnomon needs from the machine.
pub fn run() -> Result<Status, Failure> {
    let solver = solves(&mut Z3Solver::integers());
    let works = solver.is_ok();
    let compiler = compiler();
    let mut findings = vec![
        Finding { name: "gnomon", state: Ok(env!("CARGO_PKG_VERSION").to_owned()) },
        Finding { name: "solver", state: solver_state(solver) },
        Finding { name: "worker", state: worker_state() },
        Finding { name: "compiler", state: compiler_state(&compiler) },
    ];
    if compiler.is_some() {
        findings.push(Finding { name: "headers", state: headers(&[], "libc6-dev") });
        findings.push(Finding { name: "32 bits", state: headers(&["-m32"], "gcc-multilib") });
        findings.push(Finding { name: "replay", state: executes() });
    }
    output::result(&shown(&findings));
    if works { Ok(Status::True) } else { Err(Failure::error("the solver does not work")) }
}

fn shown(findings: &[Finding]) -> String {
    let mut text = String::new();
    for Finding { name, state } in findings {
        let label = format!("{name}:");
        let _ = match state {
            Ok(found) => writeln!(text, "{label:<10}{found}"),
            Err(Missing { what, means, cure }) => {
                writeln!(text, "{label:<10}MISSING: {what}\n{:<10}{means}\n{:<10}{cure}", "", "")
            }
        };
    }
    text
}

fn solver_state(solver: Result<(), String>) -> Result<String, Missing> {
    let from = library().map_or(String::new(), |file| format!(", {file}"));
    solver.map(|()| format!("{} (works{from})", solver_version())).map_err(|reason| Missing {
        what: format!("{} does not work{from}: {reason}", solver_version()),
        means: "nothing can be decided without it",
        cure: "install gnomon again: the library that it is built with comes with it".to_owned(),
    })
}

/// The file of the solver's library, where the system tells it.
fn library() -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let named = maps.lines().filter_map(|line| line.split_ascii_whitespace().nth(5));
    let mut libraries = named.filter(|file| {
        Path::new(file).file_name().is_some_and(|name| name.to_string_lossy().starts_with("libz3"))
    });
    libraries.next().map(str::to_owned)
}

fn worker_state() -> Result<String, Missing> {
    let missing = |what: String| Missing {
        what,
        means: "hard queries are solved in this process, and may go on after their time is over",
        cure: "gnomon starts its own program again; see that the file can be executed".to_owned(),
    };
    let program = worker::locate().ok_or_else(|| missing("no worker is found".to_owned()))?;
    match solves(&mut worker::solver(program)) {
        Ok(()) => Ok("a solver in a process of its own works".to_owned()),
        Err(reason) => Err(missing(reason)),
    }
}

/// `x' = x + 1` and `x' <= x` contradict each other.
fn solves(solver: &mut dyn Solver) -> Result<(), String> {
    let mut terms = Terms::new();
    let x = terms.variable("x", Scope::Global, Sort::Int);
    let (before, after) = (terms.var_at(x, 0), terms.var_at(x, 1));
    let next = terms.add_constant(before, 1);
    let step = terms.eq(after, next);
    let smaller = terms.le(after, before);
    solver.assert(&terms, step);
    match solver.check(&terms, &[smaller], Purpose::FEASIBILITY, Limits::default()) {
        Answer::Unsat => Ok(()),
        other => Err(format!("expected a contradiction, got {other:?}")),
    }
}

/// The words of the compiler's command line.
fn command() -> Vec<String> {
    let chosen = std::env::var("CC").ok().filter(|words| !words.trim().is_empty());
    let words: Vec<String> =
        chosen.iter().flat_map(|line| line.split_whitespace()).map(str::to_owned).collect();
    if words.is_empty() { vec!["cc".to_owned()] } else { words }
}

fn compile(arguments: &[&str]) -> Command {
    let words = command();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(arguments).stdin(Stdio::null());
    command
}

fn compiler() -> Option<String> {
    let output = compile(&["--version"]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().map(str::to_owned)
}

fn compiler_state(found: &Option<String>) -> Result<String, Missing> {
    found.clone().ok_or_else(|| Missing {
        what: format!("`{}` does not start", command().join(" ")),
        means: "only .i and .ir files can be read, and bugs cannot be executed",
        cure: "install a C compiler (Debian: apt-get install gcc libc6-dev), or name one in CC"
            .into(),
    })
}

/// Whether a file that includes what most programs include can be preprocessed.
fn headers(flags: &[&str], package: &str) -> Result<String, Missing> {
    let work = tempfile::tempdir().ok();
    let file = work.as_ref().map(|work| work.path().join("headers.c"));
    let text = "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n";
    let written = file.as_ref().is_some_and(|file| std::fs::write(file, text).is_ok());
    let done = file.filter(|_| written).is_some_and(|file| {
        let mut command = compile(flags);
        command.arg("-E").arg(file).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    });
    let name = if flags.is_empty() { "of the C library" } else { "of the C library, for -m32" };
    if done {
        return Ok(format!("{name}: found"));
    }
    Err(Missing {
        what: format!("headers {name}"),
        means: if flags.is_empty() {
            "programs that include assert.h and the like cannot be read"
        } else {
            "programs that include headers cannot be read with -m32"
        },
        cure: format!("Debian: apt-get install {package}"),
    })
}

/// Whether a program can be compiled and executed.
fn executes() -> Result<String, Missing> {
    let missing = |what: &str| {
        Missing {
        what: what.to_owned(),
        means: "gnomon check --replay and gnomon replay cannot show that a bug is real",
        cure: "install the compiler's linker and the C library (Debian: apt-get install gcc libc6-dev)"
            .to_owned(),
    }
    };
    let work = tempfile::tempdir().map_err(|_| missing("no temporary directory can be made"))?;
    let (source, program) = (work.path().join("seven.c"), work.path().join("seven"));
    std::fs::write(&source, "int main(void) { return 7; }\n")
        .map_err(|_| missing("the temporary directory cannot be written"))?;
    let mut command = compile(&["-o"]);
    command.arg(&program).arg(&source).stdout(Stdio::null()).stderr(Stdio::null());
    if !command.status().is_ok_and(|status| status.success()) {
        return Err(missing("a small program cannot be compiled"));
    }
    match Command::new(&program).status() {
        Ok(status) if status.code() == Some(7) => {
            Ok("programs can be compiled and executed".into())
        }
        _ => Err(missing("a compiled program cannot be executed in the temporary directory")),
    }
}
