//! What a verification brings.

use std::collections::BTreeSet;

use gnomon_certify::Certificate;
use gnomon_engine::assumption::Assumption;
use gnomon_engine::outline::OutlineNode;
use gnomon_engine::verdict::{Proof, Reason, Verdict};
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_report::html::error_paths::ProjectedLines;
use gnomon_report::model::{self, Answer, AssumptionKind, VerdictName};
use gnomon_threads::Sequential;

use crate::decide::{ProjectionReport, Report, SiteReport};
use crate::groups::GroupReport;
use crate::specs::Automata;
use crate::threads::rows::Row;

/// A verdict with everything that stands behind it.
pub struct Outcome {
    /// The outcome as data, from which all forms are made.
    pub report: model::Report,
    /// What the engines said.
    pub answers: Answers,
    /// The program, with checks and automata in it.
    pub program: Program,
    /// Edges of checks and automata in it.
    pub inserted: BTreeSet<(FuncId, EdgeId)>,
    /// The certificate of a proof, if it is wanted and there is one.
    pub certificate: Option<Certificate>,
    /// The error projection, if it is wanted, or why it is not known.
    pub projection: Option<Result<ProjectionReport, Reason>>,
    /// What a page shows beside the report, if it is wanted.
    pub page: Option<Page>,
    /// A C file that makes the compiled program fail, if it is wanted and there is one.
    pub harness: Option<String>,
    /// The automata, if some were asked for.
    pub automata: Option<Automata>,
    /// The sequential program that was decided in place of one with threads.
    pub sequential: Option<Sequential>,
    /// A failing run of threads, line by line.
    pub rows: Vec<Row>,
    /// What was done of which nothing should be done twice: names and numbers.
    pub work: Vec<(&'static str, u64)>,
}

/// What the engines said.
#[derive(Clone, Debug)]
pub enum Answers {
    /// Of all sites together.
    Whole(Box<Report>),
    /// Of each site.
    Each(Vec<SiteReport>),
    /// Of each site of property automata, in groups by function.
    Groups(Vec<GroupReport>),
}

/// What a page shows beside the report.
#[derive(Clone, Debug)]
pub struct Page {
    /// The error projection by lines, or why there is none.
    pub projection: Result<ProjectedLines, String>,
    /// The reachability tree.
    pub tree: Vec<OutlineNode>,
}

/// What is left to decide about memory after assertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Openness {
    /// There is an error already, or no way to go on.
    Decided,
    /// The program has one run, and it was done: nothing went wrong in it.
    Executed,
    /// No assertion fails.
    Proved,
    /// Nothing is known of assertions.
    Unknown,
}

impl Outcome {
    /// What is left to decide about memory, if this is about assertions.
    pub(crate) fn is_open(&self) -> Openness {
        let verdict = match &self.answers {
            Answers::Whole(report) => &report.verdict,
            Answers::Each(_) | Answers::Groups(_) => return Openness::Decided,
        };
        match verdict {
            Verdict::False(_) => Openness::Decided,
            Verdict::True(Proof::OnlyRun) => Openness::Executed,
            Verdict::True(_) => Openness::Proved,
            Verdict::Unknown(Reason::Limit(_)) => Openness::Decided,
            Verdict::Unknown(_) => Openness::Unknown,
        }
    }

    /// The same where memory is known to be used as it should be: nothing is assumed of that.
    pub(crate) fn with_memory(mut self) -> Self {
        let assumptions = &mut self.report.assumptions;
        assumptions.retain(|assumption| assumption.kind != AssumptionKind::DanglingNotCompared);
        if let Answers::Whole(report) = &mut self.answers {
            report.assumptions.retain(|assumption| *assumption != Assumption::DanglingNotCompared);
        }
        self.with_accesses()
    }

    /// The same where the only run was executed: it accesses nothing that is not there. What it compares is not
    /// looked at.
    pub(crate) fn with_accesses(mut self) -> Self {
        let assumptions = &mut self.report.assumptions;
        assumptions.retain(|assumption| assumption.kind != AssumptionKind::AccessesInside);
        if let Answers::Whole(report) = &mut self.answers {
            report.assumptions.retain(|assumption| *assumption != Assumption::AccessesInside);
        }
        self
    }

    /// The verdict.
    pub fn verdict(&self) -> VerdictName {
        self.report.verdict
    }

    /// The program that was decided: the sequential one in place of one with threads.
    pub fn decided(&self) -> &Program {
        self.sequential.as_ref().map_or(&self.program, |sequential| &sequential.program)
    }

    /// A run that reaches an error, if one was found.
    pub fn counterexample(&self) -> Option<&model::Run> {
        self.report.findings.iter().find_map(|finding| match &finding.answer {
            Answer::Violated(run) => Some(&**run),
            _ => None,
        })
    }

    /// Why no run reaches an error, if that is proved; of each site, if they were asked alone.
    pub fn proofs(&self) -> impl Iterator<Item = &model::Proof> {
        self.report.findings.iter().filter_map(|finding| match &finding.answer {
            Answer::Proved(proof) => Some(proof),
            _ => None,
        })
    }
}
