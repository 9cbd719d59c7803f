//! Counterexamples as C files that make the compiled program fail, and their execution.

use std::collections::BTreeSet;

use gnomon_engine::property::ErrorSites;
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::trace::InputTrace;
use gnomon_report::harness::{Failing, Harness, NotReplayable, harness};
use gnomon_report::model::{self, Answer, Execution};

use crate::clock;
use crate::decide::Options;
use crate::error::VerifyError;
use crate::execution::execute;
use crate::listen::{Listener, Note};
use crate::memory;
use crate::request::Request;
use crate::task::Task;

/// The program in which a run fails.
#[derive(Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub program: &'a Program,
    pub inserted: &'a BTreeSet<(FuncId, EdgeId)>,
    pub options: &'a Options,
    pub request: &'a Request,
}

impl Attempt<'_> {
    /// The C file that makes the program fail with these inputs, or why there is none.
    fn harness(&self, inputs: &InputTrace) -> Result<Result<Harness, NotReplayable>, VerifyError> {
        if self.request.inputs.iter().any(|input| input.is_model()) {
            return Ok(Err(NotReplayable::NotRepeated("the program is not given as C".into())));
        }
        let sites = ErrorSites::of(self.program, &self.options.property)?;
        let failing = Failing {
            program: self.program,
            entry: &self.options.entry,
            sites: &sites,
            inserted: self.inserted,
            inputs,
        };
        Ok(harness(&failing, &clock::description()))
    }

    /// Makes harnesses of the runs in a report, and executes them, as far as that is wanted. Gives
    /// the text of the last one.
    pub fn confirm(
        &self,
        report: &mut model::Report,
        listener: &dyn Listener,
    ) -> Result<Option<String>, VerifyError> {
        let wanted = self.request.wanted;
        let mut text = None;
        if !wanted.execution && !wanted.harness {
            return Ok(text);
        }
        for finding in &mut report.findings {
            let Answer::Violated(run) = &mut finding.answer else { continue };
            match self.harness(&run.inputs)? {
                Ok(harness) => {
                    if wanted.execution {
                        run.execution = execute(&harness, self.request)?;
                    }
                    text = Some(harness.text);
                }
                Err(reason) if wanted.execution => {
                    run.execution = Execution::NotConfirmed(reason.to_string());
                }
                Err(reason) => listener.note(&Note::NoHarness(reason.to_string())),
            }
        }
        Ok(text)
    }
}

/// What became of the repetition of a run.
pub struct Replayed {
    /// The C file that makes the program fail, if there is one.
    pub harness: Option<String>,
    /// What its execution showed, if it is wanted.
    pub execution: Execution,
}

/// Repeats recorded runs of the program of a request, compiled. With [`Wanted::execution`] it is
/// executed.
///
/// [`Wanted::execution`]: crate::request::Wanted::execution
pub fn replay(
    request: &Request,
    traces: &[InputTrace],
    listener: &dyn Listener,
) -> Result<Vec<Replayed>, VerifyError> {
    let Task { program, mut options, inserted, .. } = Task::read(request, listener)?;
    options.property.faults = memory::faults(&program, memory::asked(&request.specification));
    let attempt = Attempt { program: &program, inserted: &inserted, options: &options, request };
    let mut all = Vec::with_capacity(traces.len());
    for inputs in traces {
        all.push(match attempt.harness(inputs)? {
            Ok(harness) => {
                let execution = match request.wanted.execution {
                    true => execute(&harness, request)?,
                    false => Execution::NotTried,
                };
                Replayed { harness: Some(harness.text), execution }
            }
            Err(reason) => {
                let execution = Execution::NotConfirmed(reason.to_string());
                Replayed { harness: None, execution }
            }
        });
    }
    Ok(all)
}
