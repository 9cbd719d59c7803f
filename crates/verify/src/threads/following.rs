//! The failing schedule as a C program that follows it, and its execution.

use std::process::Stdio;
use std::time::{Duration, Instant};

use gnomon_budget::Budget;
use gnomon_cfront::preprocess::Machine;
use gnomon_engine::replay::Counterexample;
use gnomon_ir::emit_c::{EmitOptions, emit};
use gnomon_ir::program::Program;
use gnomon_report::model::Execution;
use gnomon_threads::enforced::{Ending, enforced, schedule, tables};
use gnomon_threads::intrinsics::reports::Kind;
use gnomon_threads::{Reported, Sequential};

use super::messages::reported_at;
use crate::decide::Options;
use crate::error::VerifyError;
use crate::request::Request;

/// How long the program may run.
const TIME: Duration = Duration::from_secs(10);

/// What is executed.
pub(crate) struct Following<'a> {
    /// The program with threads.
    pub program: &'a Program,
    /// What was checked.
    pub options: &'a Options,
    /// Whether misuse of primitives is an error.
    pub misuse: bool,
    /// What was asked for.
    pub request: &'a Request,
}

impl Following<'_> {
    /// Makes the program that follows the schedule, and executes it, as far as that is wanted.
    pub fn confirm(
        &self,
        sequential: &Sequential,
        run: &Counterexample,
    ) -> Result<(Option<String>, Execution), VerifyError> {
        let wanted = self.request.wanted;
        if !wanted.harness && !wanted.execution {
            return Ok((None, Execution::NotTried));
        }
        let text = match self.text(sequential, run) {
            Ok(text) => text,
            Err(reason) => return Ok((None, Execution::NotConfirmed(reason))),
        };
        let execution = match wanted.execution {
            true => self.compiled_and_run(&text)?,
            false => Execution::NotTried,
        };
        Ok((Some(text), execution))
    }

    fn text(&self, sequential: &Sequential, run: &Counterexample) -> Result<String, String> {
        let ending = match reported_at(sequential, run.site) {
            Some((Kind::Deadlock, _)) => Ending::Deadlock,
            Some((Kind::Race, _)) => Ending::Race,
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
        let flags = "// This file is for cc -std=gnu17 -pthread -fwrapv -fno-strict-aliasing -w\n";
        Ok(format!("{flags}{c}{}", tables(&program, &schedule, ending, self.misuse)))
    }

    fn compiled_and_run(&self, text: &str) -> Result<Execution, VerifyError> {
        let directory = tempfile::tempdir()?;
        let (source, binary) = (directory.path().join("run.c"), directory.path().join("run"));
        std::fs::write(&source, text)?;
        let machine = Machine::of(self.program.types.target());
        let mut compiler = self.request.preprocess.compiler()?;
        let compiled = compiler
            .args(["-std=gnu17", "-pthread", "-fwrapv", "-fno-strict-aliasing", "-w"])
            .arg(machine.flag())
            .arg("-o")
            .args([&binary, &source])
            .output()?;
        if !compiled.status.success() {
            let complaint = String::from_utf8_lossy(&compiled.stderr);
            let first = complaint.lines().find(|line| line.contains("error")).unwrap_or_default();
            return Ok(Execution::NotConfirmed(format!("it cannot be compiled: {first}")));
        }
        let mut child = std::process::Command::new(&binary)
            .current_dir(directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let end = Instant::now() + TIME;
        let status = loop {
            match child.try_wait()? {
                Some(status) => break status,
                None if Instant::now() > end => {
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
