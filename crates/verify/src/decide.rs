//! The answer for a program, for each of its error sites, or for some of them.

use gnomon_budget::{Budget, Exhausted};
use gnomon_engine::assumption::Assumption;
use gnomon_engine::check::covered;
pub use gnomon_engine::check::{
    AllRuns, BadRequest, Engine, NotExecuted, Options, ProjectionReport, Report, SiteReport,
    assumptions_of_proof, entry, execute_error_paths, executed, project, run_options,
};
use gnomon_engine::facts::Facts;
use gnomon_engine::outside;
use gnomon_engine::proof::MemoryFacts;
use gnomon_engine::property::ErrorSites;
use gnomon_engine::unsupported::Construct;
use gnomon_engine::verdict::{Proof, Reason, Verdict};
use gnomon_ir::program::{FuncId, Program};

use crate::earlier::Earlier;
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

/// What a proof about functions that call themselves relies on.
const ENOUGH_STACK: &str = "the stack is large enough for all open calls";

/// Work for each site in the first iteration over all of them, and by how much it grows.
const FIRST_WORK: u64 = 4 * SECOND;
const GROWTH: u64 = 4;

/// Asks about one thing after the other, at first with little work; those that are hard are asked about
/// again, with more, when all others had their turn.
pub(crate) fn with_growing_work<T, A>(
    things: Vec<T>,
    budget: &Budget,
    is_limited: impl Fn(&A) -> bool,
    mut ask: impl FnMut(&T, &Budget) -> A,
) -> Vec<(T, A)> {
    let all = things.len();
    let mut answers: Vec<Option<A>> = things.iter().map(|_| None).collect();
    let mut work = FIRST_WORK;
    let mut decided = 0;
    loop {
        let mut is_open = false;
        for (answer, thing) in answers.iter_mut().zip(&things) {
            if answer.as_ref().is_some_and(|known| !is_limited(known)) {
                continue;
            }
            budget.report_part(decided, all);
            let found = ask(thing, &budget.with_work(work));
            is_open |= is_limited(&found);
            decided += usize::from(!is_limited(&found));
            *answer = Some(found);
        }
        if !is_open || budget.check_now().is_err() {
            break;
        }
        work = work.saturating_mul(GROWTH);
    }
    things.into_iter().zip(answers).filter_map(|(thing, answer)| Some((thing, answer?))).collect()
}

/// Checks every error site of a program for itself; at the others, runs end or go on as they would
/// if nobody had asked.
pub fn check_each(
    facts: &Result<Facts<'_>, Exhausted>,
    entry: FuncId,
    sites: &ErrorSites,
    options: &Options,
    budget: &Budget,
) -> Vec<SiteReport> {
    // Without facts, no work is enough.
    let is_limited = |report: &Report| facts.is_ok() && is_limited(report);
    let reports = with_growing_work(sites.each(), budget, is_limited, |(_, what, only), budget| {
        budget.report("check", format_args!("{what}"));
        check_known(facts, entry, only, options, budget)
    });
    let with_site = |((site, what, _), report)| SiteReport { site, what, report };
    reports.into_iter().map(with_site).collect()
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
    check_examined(facts, entry, sites, options, budget, None, None)
}

/// The same, where only those proofs count with which somebody agrees, and an earlier proof may help.
pub fn check_examined(
    facts: &Facts<'_>,
    entry: FuncId,
    sites: &ErrorSites,
    options: &Options,
    budget: &Budget,
    examine: Option<Examine<'_>>,
    earlier: Option<&Earlier>,
) -> Report {
    let program = facts.program();
    if let (true, Some(name)) = (options.strict, outside::unknown_functions(program).first()) {
        let why = Reason::unsupported(Construct::WithoutBody((*name).to_owned()));
        return Report::of(Verdict::Unknown(why));
    }
    if sites.is_empty() {
        // What is not modelled may be an error too, and so may what functions without a body call.
        return match covered(program) {
            Err(reason @ Reason::Unsupported(_)) => Report::of(Verdict::Unknown(reason)),
            _ => Report {
                assumptions: outside::assumptions(program),
                ..Report::of(Verdict::True(Proof::NoErrorSite))
            },
        };
    }
    let subject = Subject { program, entry, sites, facts, options, budget, examine, earlier };
    let Decision { verdict, statistics, partial, tree } = sequential::decide(&subject);
    let (assumptions, memory) = match &verdict {
        Verdict::Unknown(_) => Default::default(),
        Verdict::False(run) => (outside::assumptions_of_run(program, run), MemoryFacts::default()),
        Verdict::True(_) => {
            let mut all = assumptions_of_proof(facts);
            all.extend(subject.is_recursive().then(|| Assumption::Other(ENOUGH_STACK.to_owned())));
            (all, facts.memory_facts())
        }
    };
    Report { verdict, statistics, assumptions, partial, memory, tree }
}
