//! The last part of the pipeline: what was decided becomes a report.

use std::collections::BTreeSet;

use gnomon_budget::Budget;
use gnomon_engine::facts::Facts;
use gnomon_engine::property::Site;
use gnomon_engine::verdict::Verdict;
use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::{BinaryOp, ExprKind};
use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_ir::property::{CheckKind, Property, Specification};
use gnomon_ir::types::Target;
use gnomon_report::called::told;
use gnomon_report::collect::Checked;
use gnomon_report::model::{self, Answer, CertificateState, SourceFile, Task};

use crate::decide::Options;
use crate::outcome::Answers;

/// Whose outcome it is.
pub(crate) struct Subject<'a> {
    /// The program that was decided.
    pub program: &'a Program,
    /// What is known of it, if that could be found out.
    pub facts: Option<&'a Facts<'a>>,
    /// Edges which nobody wrote.
    pub inserted: &'a BTreeSet<(FuncId, EdgeId)>,
    /// What was decided, and how.
    pub options: &'a Options,
    /// What the user asked.
    pub asked: &'a Specification,
    /// Which property an edge is about.
    pub property_of: &'a dyn Fn(Site) -> Option<Property>,
    /// The files of the user.
    pub files: &'a [SourceFile],
}

impl<'a> Subject<'a> {
    /// The program with what was asked of it.
    pub fn checked(&self) -> Checked<'a> {
        let data_model = match self.program.types.target() {
            Target::Ilp32 => "ILP32",
            Target::Lp64 => "LP64",
        };
        Checked {
            program: self.program,
            facts: self.facts,
            inserted: self.inserted,
            entry: self.options.entry.clone(),
            task: Task {
                files: self.files.to_vec(),
                data_model: data_model.to_owned(),
                entry: self.asked.entry.clone(),
                property: self.asked.to_string(),
                forbidden: self.asked.properties.clone(),
            },
            version: env!("CARGO_PKG_VERSION"),
        }
    }

    /// The report, with what is known of certificates.
    pub fn report(
        &self,
        answers: &Answers,
        states: Vec<CertificateState>,
        budget: &Budget,
    ) -> model::Report {
        let checked = self.checked();
        let mut report = match answers {
            Answers::Whole(report) => checked.whole(report, budget),
            Answers::Each(reports) => checked.each(reports, budget),
            Answers::Groups(groups) => {
                let sites = groups.iter().flat_map(|group| group.sites.iter().cloned());
                checked.each(&sites.collect::<Vec<_>>(), budget)
            }
        };
        let sites: Vec<Option<Site>> = match answers {
            Answers::Whole(report) => vec![match &report.verdict {
                Verdict::False(run) => Some(run.site),
                _ => None,
            }],
            Answers::Each(reports) => reports.iter().map(|report| report.site).collect(),
            Answers::Groups(groups) => {
                groups.iter().flat_map(|group| group.sites.iter().map(|site| site.site)).collect()
            }
        };
        for (finding, site) in report.findings.iter_mut().zip(sites) {
            finding.property = site.and_then(|site| (self.property_of)(site));
            let text = match (&finding.property, site) {
                (Some(call @ Property::Call(_)), Some(site)) if self.asked.forbids(call) => {
                    told(self.program, site)
                }
                (Some(Property::Undefined(CheckKind::Overflow)), Some(site)) => {
                    let known = match &finding.answer {
                        Answer::Violated(run) => &run.message,
                        _ => &finding.what,
                    };
                    is_below(self.program, site).then(|| underflow(known)).flatten()
                }
                _ => None,
            };
            let Some(text) = text else { continue };
            if let Answer::Violated(run) = &mut finding.answer {
                run.message.clone_from(&text);
            }
            if !matches!(answers, Answers::Whole(_)) {
                finding.what = text;
            }
        }
        for (finding, state) in report.findings.iter_mut().zip(states) {
            if let Answer::Proved(proof) = &mut finding.answer {
                proof.certificate = state;
            }
        }
        report
    }
}

/// Whether the condition of a site says that a result is below the smallest number of its type.
fn is_below(program: &Program, site: Site) -> bool {
    let Some(body) = &program.funcs[site.func].body else { return false };
    let Op::Assume(condition) = body.edge(site.edge).op else { return false };
    matches!(program.exprs.expr(condition).kind, ExprKind::Binary(BinaryOp::Lt, _, limit)
        if program.as_int(limit).is_some_and(|limit| limit < 0))
}

/// What is said of an overflow, for a result that is too small.
fn underflow(message: &str) -> Option<String> {
    let rest = message.strip_prefix(CheckKind::Overflow.message())?;
    Some(format!("signed underflow{rest}"))
}

/// The function that is called at a site, as a property.
pub(crate) fn called_at(program: &Program, site: Site) -> Option<Property> {
    let body = program.funcs[site.func].body.as_ref()?;
    match &body.edge(site.edge).op {
        Op::Call(Call { callee: Callee::Direct(func), .. }) => {
            Some(Property::Call(source_name(&program.funcs[*func].name).to_owned()))
        }
        _ => None,
    }
}
