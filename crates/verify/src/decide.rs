//! The deciding machinery, as the pipeline sees it: facts and sites in, reports out. Nothing else in
//! this crate calls an engine.

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::program::FuncId;

use gnomon_engine::facts::Facts;
use gnomon_engine::property::ErrorSites;
use gnomon_engine::verdict::Reason;

pub use gnomon_engine::check::{
    BadRequest, Engine, NotExecuted, Options, ProjectionReport, Report, SiteReport, all_executed,
    assumptions_of_proof, check_sites, entry, execute_ways, executed, project, run_options,
};

/// Checks all sites of a program together.
pub fn check(
    facts: &Result<Facts<'_>, Exhausted>,
    entry: FuncId,
    sites: &ErrorSites,
    options: &Options,
    budget: &Budget,
) -> Report {
    match facts {
        Ok(facts) => check_sites(facts, entry, sites, options, budget).with_memory(facts),
        Err(limit) => Report::unknown(Reason::Limit(*limit)),
    }
}

/// Checks every site for itself; at the others, runs end or go on as they would if nobody had asked.
/// What is left of the time is divided equally.
pub fn check_each(
    facts: &Result<Facts<'_>, Exhausted>,
    entry: FuncId,
    sites: &ErrorSites,
    options: &Options,
    budget: &Budget,
) -> Vec<SiteReport> {
    let groups = sites.each();
    let all = groups.len();
    let mut reports = Vec::with_capacity(all);
    for (site, what, only) in groups {
        let left = all - reports.len();
        budget.report_part(reports.len(), all);
        budget.report("check", format_args!("{what}, {left} to go"));
        let budget = match budget.time_left() {
            Some(time) => budget.with_cpu_time(time / left as u32),
            None => budget.clone(),
        };
        let report = check(facts, entry, &only, options, &budget);
        reports.push(SiteReport { site, what, report });
    }
    reports
}
