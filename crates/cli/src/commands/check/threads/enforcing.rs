//! The failing schedule as a C program that follows it, written and executed if that is asked for.

use std::process::{Command, Stdio};
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_engine::replay::Counterexample;
use gnomon_ir::emit_c::{EmitOptions, emit};
use gnomon_ir::program::Program;
use gnomon_report::model::Execution;
use gnomon_threads::enforced::{Ending, enforced, schedule, tables};
use gnomon_threads::{Reported, Sequential};
use gnomon_verify::decide::Options;

use crate::args::Machine;
use crate::exit::Failure;
use crate::load;
use crate::output_args::OutputArgs;
use crate::thread_args::{ThreadArgs, ThreadError};

/// How long the program may run.
const TIME: Duration = Duration::from_secs(10);

/// What is executed.
pub struct Enforcing<'a> {
    /// The program with threads.
    pub program: &'a Program,
    /// What was checked.
    pub options: &'a Options,
    /// What is an error.
    pub threads: &'a ThreadArgs,
}

impl Enforcing<'_> {
    /// Writes the program that follows the schedule, and executes it, as far as that is asked for.
    pub fn execute(
        &self,
        sequential: &Sequential,
        run: &Counterexample,
        wanted: &OutputArgs,
    ) -> Result<Execution, Failure> {
        if wanted.harness.is_none() && !wanted.replay {
            return Ok(Execution::NotTried);
        }
        let text = match self.text(sequential, run) {
            Ok(text) => text,
            Err(reason) => return Ok(Execution::NotConfirmed(reason)),
        };
        if let Some(file) = &wanted.harness {
            std::fs::write(file, &text)
                .map_err(|error| Failure::error(format!("{}: {error}", file.display())))?;
        }
        match wanted.replay {
            true => self.compiled_and_run(&text),
            false => Ok(Execution::NotTried),
        }
    }

    fn text(&self, sequential: &Sequential, run: &Counterexample) -> Result<String, String> {
        let ending = match &run.message {
            message if message.starts_with("deadlock") => Ending::Deadlock,
            message if message.starts_with("data race") => Ending::Race,
            _ => Ending::Fails,
        };
        let edges: Vec<_> = run.edges.iter().map(|taken| (taken.func, taken.edge)).collect();
        let whole = u64::try_from(edges.len()) == Ok(run.length);
        let followed = schedule(sequential, &edges, &run.inputs).filter(|_| whole);
        let Some(schedule) = followed else {
            return Err("the inputs of the run cannot be told apart".to_owned());
        };
        let options = gnomon_threads::Options {
            entry: self.options.entry.clone(),
            errors: self.options.property.functions.clone(),
            reported: Reported { race: ending == Ending::Race, ..Reported::default() },
            ..gnomon_threads::Options::default()
        };
        let program = enforced(self.program, &options, &Budget::unlimited())
            .map_err(|refused| refused.to_string())?;
        let c = emit(&program, &EmitOptions::default()).map_err(|error| error.to_string())?;
        let misuse = self.threads.thread_errors.contains(&ThreadError::Misuse);
        let flags = "// This file is for cc -std=gnu17 -pthread -fwrapv -fno-strict-aliasing -w\n";
        Ok(format!("{flags}{c}{}", tables(&program, &schedule, ending, misuse)))
    }

    fn compiled_and_run(&self, text: &str) -> Result<Execution, Failure> {
        let problem = |error: std::io::Error| Failure::error(error.to_string());
        let directory = tempfile::tempdir().map_err(problem)?;
        let (source, binary) = (directory.path().join("run.c"), directory.path().join("run"));
        std::fs::write(&source, text).map_err(problem)?;
        let machine = match self.program.types.target() {
            gnomon_ir::types::Target::Ilp32 => Machine::Bits32,
            gnomon_ir::types::Target::Lp64 => Machine::Bits64,
        };
        let compiled = Command::new(load::compiler())
            .args(["-std=gnu17", "-pthread", "-fwrapv", "-fno-strict-aliasing", "-w"])
            .arg(load::machine_flag(machine))
            .arg("-o")
            .args([&binary, &source])
            .output()
            .map_err(problem)?;
        if !compiled.status.success() {
            let complaint = String::from_utf8_lossy(&compiled.stderr);
            let first = complaint.lines().find(|line| line.contains("error")).unwrap_or_default();
            return Ok(Execution::NotConfirmed(format!("it cannot be compiled: {first}")));
        }
        let mut child = Command::new(&binary)
            .current_dir(directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(problem)?;
        let end = std::time::Instant::now() + TIME;
        let status = loop {
            match child.try_wait().map_err(problem)? {
                Some(status) => break status,
                None if std::time::Instant::now() > end => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Ok(Execution::NotConfirmed("it does not end".to_owned()));
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        // A failing assertion aborts; other errors end with 1.
        Ok(match status.code() {
            None | Some(1) => Execution::Confirmed,
            Some(3) => Execution::NotConfirmed("the schedule cannot be followed".to_owned()),
            Some(code) => Execution::NotConfirmed(format!("it ended with status {code}")),
        })
    }
}
