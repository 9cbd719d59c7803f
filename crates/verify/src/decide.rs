//! The answer for a program, for each of its error sites, or for some of them.

use gnomon_budget::{Budget, Exhausted};
pub use gnomon_engine::check::{
    BadRequest, Engine, NotExecuted, Options, ProjectionReport, Report, SiteReport, all_executed,
    assumptions_of_proof, entry, execute_error_paths, executed, project, run_options,
};
use gnomon_engine::facts::Facts;
use gnomon_engine::outside;
use gnomon_engine::proof::MemoryFacts;
use gnomon_engine::property::ErrorSites;
use gnomon_engine::verdict::{Proof, Reason, Verdict};
use gnomon_ir::program::{FuncId, Program};

use crate::scheduler::{Decision, SECOND};
use crate::sequential::{self, Examine, Subject};

/// Checks a program, of which nothing is known yet.
pub fn check(program: &Program, options: &Options, budget: &Budget) -> Result<Report, BadRequest> {
    let entry = entry(program, options)?;
    let sites = ErrorSites::of(program, &options.property)?;
    let facts = Facts::new(program, entry, options.memory, budget);
    Ok(check_known(&facts, entry, &sites, options, budget))
}

/// Checks some sites of a program, if facts about it are known.
pub fn check_known(
    facts: &Result<Facts<'_>, Exhausted>,
    entry: FuncId,
    sites: &ErrorSites,
    options: &Options,
    budget: &Budget,
) -> Report {
    match facts {
        Ok(facts) => check_sites(facts, entry, sites, options, budget),
        Err(limit) => Report::of(Verdict::Unknown(Reason::Limit(*limit))),
    }
}

/// Work for each site in the first iteration over all of them, and by how much it grows.
const FIRST_WORK: u64 = 4 * SECOND;
const GROWTH: u64 = 4;

/// Checks every error site of a program for itself; at the others, runs end or go on as they would
/// if nobody had asked. Those that are hard are asked about again, with more work, when all others
/// had their turn.
pub fn check_each(
    facts: &Result<Facts<'_>, Exhausted>,
    entry: FuncId,
    sites: &ErrorSites,
    options: &Options,
    budget: &Budget,
) -> Vec<SiteReport> {
    let groups = sites.each();
    let all = groups.len();
    let mut reports: Vec<Option<Report>> = vec![None; all];
    let mut work = FIRST_WORK;
    let mut decided = 0;
    loop {
        let mut is_open = false;
        for (report, (_, what, only)) in reports.iter_mut().zip(&groups) {
            if report.as_ref().is_some_and(|known| !is_limited(known)) {
                continue;
            }
            budget.report_part(decided, all);
            budget.report("check", format_args!("{what}, {} to go", all - decided));
            let found = check_known(facts, entry, only, options, &budget.with_work(work));
            is_open |= is_limited(&found);
            decided += usize::from(!is_limited(&found));
            *report = Some(found);
        }
        if !is_open || facts.is_err() || budget.check_now().is_err() {
            break;
        }
        work = work.saturating_mul(GROWTH);
    }
    let with_site = |((site, what, _), report): ((_, String, ErrorSites), Option<Report>)| {
        let report =
            report.unwrap_or_else(|| Report::of(Verdict::Unknown(Reason::Limit(Exhausted::Time))));
        SiteReport { site, what, report }
    };
    groups.into_iter().zip(reports).map(with_site).collect()
}

/// Whether more work may bring more.
fn is_limited(report: &Report) -> bool {
    matches!(report.verdict, Verdict::Unknown(Reason::Limit(_)))
}

/// Checks some sites, with facts that are known already.
pub fn check_sites(
    facts: &Facts<'_>,
    entry: FuncId,
    sites: &ErrorSites,
    options: &Options,
    budget: &Budget,
) -> Report {
    check_examined(facts, entry, sites, options, budget, None)
}

/// The same, where only those proofs count with which somebody agrees.
pub fn check_examined(
    facts: &Facts<'_>,
    entry: FuncId,
    sites: &ErrorSites,
    options: &Options,
    budget: &Budget,
    examine: Option<Examine<'_>>,
) -> Report {
    let program = facts.program();
    if sites.is_empty() {
        return Report::of(Verdict::True(Proof::NoErrorSite));
    }
    if let (true, Some(name)) = (options.strict, outside::unknown_functions(program).first()) {
        let why = format!("`{name}` has no body");
        return Report::of(Verdict::Unknown(Reason::NotCovered(why)));
    }
    let subject = Subject { program, entry, sites, facts, options, budget, examine };
    let Decision { verdict, statistics, partial, tree } = sequential::decide(&subject);
    let (assumptions, memory) = match &verdict {
        Verdict::Unknown(_) => Default::default(),
        Verdict::False(run) => (outside::assumptions_of_run(program, run), MemoryFacts::default()),
        Verdict::True(_) => (assumptions_of_proof(facts), facts.memory_facts()),
    };
    Report { verdict, statistics, assumptions, partial, memory, tree }
}
