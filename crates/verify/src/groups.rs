//! Many error sites, in groups by the function that contains them (PS 5): each group is one check
//! with limits of its own, and groups are checked in parallel.
//!
//! Sites of one function are mostly proved by the same facts, so they are asked for together. A
//! site that a run reaches is put aside, and the others are asked again; if there is no answer for
//! all that are left, each is asked for alone, with work that grows. So every site has a
//! verdict of its own. Groups share nothing but the program and where its pointers point, and
//! reports come in the order of functions, whoever was faster.
//!
//! Sites of property automata that the typestate analysis excludes are decided before.

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gnomon_budget::{Budget, Exhausted};
use gnomon_dataflow::typestate::Automaton;
use gnomon_engine::assumption::Assumption;
use gnomon_engine::facts::Facts;
use gnomon_engine::outside;
use gnomon_engine::proof::{Invariants, MemoryFacts};
use gnomon_engine::property::{ErrorSites, Site};
use gnomon_engine::replay::Counterexample;
use gnomon_engine::verdict::{Proof, Reason, Statistics, Verdict};
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::span::Span;
use gnomon_logic::Terms;
use gnomon_logic::encode::Theory;

use crate::decide::{
    BadRequest, Options, Report, SiteReport, assumptions_of_proof, check_sites, entry,
    with_growing_work,
};
use crate::engines;
use crate::exchange::Exchange;
use crate::scheduler::{AsTold, Contest, SECOND};

/// How groups are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupOptions {
    /// The processor time of each, about: threads share it.
    pub time: Duration,
    /// How many at once.
    pub jobs: usize,
    /// The stack of each thread, in bytes.
    pub stack: usize,
}

/// The answer for the sites of a function.
#[derive(Clone, Debug)]
pub struct GroupReport {
    /// The function.
    pub func: FuncId,
    /// Its sites in order, each with its answer; what was done for all is told of the first.
    pub sites: Vec<SiteReport>,
    /// The processor time it took, about.
    pub time: Duration,
}

/// Whom to tell that a group is done: how many are, and how many there are.
pub type Listener<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// The work for several sites together, before each is asked about alone.
const TOGETHER: u64 = 16 * SECOND;

/// Who looks at the proof about some sites before it counts: gives what was trusted, or
/// why it is no proof.
pub type Examiner<'a> = &'a (
        dyn Fn(&Proof, &MemoryFacts, &ErrorSites, &Budget) -> Result<Option<Assumption>, Reason>
            + Sync
    );

/// Who is asked and told while groups are checked.
#[derive(Clone, Copy)]
pub struct Hooks<'a> {
    /// Is told that a group is done.
    pub done: Listener<'a>,
    /// Looks at proofs.
    pub examine: Examiner<'a>,
}

/// Checks the error sites of a program in groups by function. Calls of forbidden functions through
/// pointers belong to no function and are left out. Of the automata, whose sites are among them, it
/// is first asked which errors cannot be reached; those proofs are not examined.
pub fn check_groups(
    program: &Program,
    facts: &Result<Facts<'_>, Exhausted>,
    options: &Options,
    automata: &[Automaton],
    how: GroupOptions,
    budget: &Budget,
    Hooks { done, examine }: Hooks<'_>,
) -> Result<Vec<GroupReport>, BadRequest> {
    let first = entry(program, options)?;
    let sites = ErrorSites::of(program, &options.property)?;
    let groups = sites.by_function();
    let (excluded, mut analysed) = match facts {
        Ok(facts) => excluded(facts, automata, &sites, options, budget),
        Err(_) => Default::default(),
    };
    let open_order = automata.iter().flat_map(|automaton| &automaton.unordered).next();
    let open_order = open_order.map(|(_, stmt)| program.stmts[*stmt].span);
    let excluded = &excluded;
    let shared = Shared { facts, entry: first, options, excluded, examine, open_order };
    let jobs = how.jobs.clamp(1, groups.len().max(1));
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut checked = Vec::new();
        while let Some((func, sites)) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            // Threads share the processor time of the process.
            let time = how.time.saturating_mul(jobs as u32);
            let mut group = Group::new(*func, sites, budget, time);
            group.check(&shared);
            group.ended(jobs as u32);
            checked.push(group);
            done(finished.fetch_add(1, Ordering::Relaxed) + 1, groups.len());
        }
        checked
    };
    let mut checked: Vec<Group> = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..jobs)
            .filter_map(|_| {
                let thread = std::thread::Builder::new().stack_size(how.stack);
                thread.spawn_scoped(scope, work).ok()
            })
            .collect();
        let mut all = work();
        for thread in threads {
            // A panic of a thread is one of all.
            all.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all
    });
    checked.sort_by_key(|group| group.func);
    if let Some(group) = checked.first_mut() {
        group.statistics.add(std::mem::take(&mut analysed));
    }
    Ok(checked.into_iter().map(|group| group.report(&sites)).collect())
}

/// Sites of the automata that no run reaches, and what was done to find them.
fn excluded(
    facts: &Facts<'_>,
    automata: &[Automaton],
    sites: &ErrorSites,
    options: &Options,
    budget: &Budget,
) -> (BTreeSet<Site>, Statistics) {
    let refused = options.strict && !outside::unknown_functions(facts.program()).is_empty();
    if automata.is_empty() || refused {
        return Default::default();
    }
    let exchange = Exchange::default();
    let contest = Contest {
        entrants: vec![engines::typestate(facts, automata, sites)],
        judge: &AsTold,
        exchange: &exchange,
        budget,
        jobs: 1,
        differs_in_support: true,
    };
    let statistics = contest.decide().statistics;
    // The engines of the groups are named, not what came before them.
    (exchange.unreached(), Statistics { engine: None, ..statistics })
}

/// What is known of a site, as threads can hand it over: formulas belong to their thread.
enum Decided {
    Proved(How),
    Violated(Box<Counterexample>),
    Unknown(Reason),
}

/// How a site was proved.
#[derive(Clone, Copy)]
enum How {
    NoErrorSite,
    OnlyRun,
    AllExecutions(usize),
    AllPaths(u64),
    AllStates(u64),
    Views(u64),
    Invariants,
    KInduction(usize),
    Summaries,
    Typestate,
}

impl How {
    fn of(proof: &Proof) -> Self {
        match proof {
            Proof::NoErrorSite => Self::NoErrorSite,
            Proof::OnlyRun => Self::OnlyRun,
            Proof::AllExecutions { depth } => Self::AllExecutions(*depth),
            Proof::Invariants(_) | Proof::ForAll(_) => Self::Invariants,
            Proof::KInduction { k, .. } => Self::KInduction(*k),
            Proof::AllPaths { paths } => Self::AllPaths(*paths),
            Proof::AllStates { states } => Self::AllStates(*states),
            Proof::Views { views } => Self::Views(*views),
            Proof::Summaries(_) => Self::Summaries,
            Proof::Typestate => Self::Typestate,
            Proof::OfRest(rest) => Self::of(&rest.proof),
        }
    }
}

impl Decided {
    fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::True(proof) => Self::Proved(How::of(proof)),
            Verdict::False(run) => Self::Violated(run.clone()),
            Verdict::Unknown(reason) => Self::Unknown(reason.clone()),
        }
    }

    /// As a verdict; invariants are not kept.
    fn verdict(self) -> Verdict {
        match self {
            Self::Proved(how) => Verdict::True(match how {
                How::NoErrorSite => Proof::NoErrorSite,
                How::OnlyRun => Proof::OnlyRun,
                How::AllExecutions(depth) => Proof::AllExecutions { depth },
                How::AllPaths(paths) => Proof::AllPaths { paths },
                How::AllStates(states) => Proof::AllStates { states },
                How::Views(views) => Proof::Views { views },
                How::Invariants => Proof::Invariants(Arc::new(no_invariants())),
                How::KInduction(k) => {
                    Proof::KInduction { k, invariants: Arc::new(no_invariants()) }
                }
                How::Summaries => Proof::Summaries(None),
                How::Typestate => Proof::Typestate,
            }),
            Self::Violated(run) => Verdict::False(run),
            Self::Unknown(reason) => Verdict::Unknown(reason),
        }
    }
}

/// Invariants that were not kept.
fn no_invariants() -> Invariants {
    let (places, elements) = Default::default();
    Invariants { theory: Theory::Int, terms: Terms::new(), places, elements, held: Vec::new() }
}

/// What all groups are told.
struct Shared<'a> {
    facts: &'a Result<Facts<'a>, Exhausted>,
    entry: FuncId,
    options: &'a Options,
    excluded: &'a BTreeSet<Site>,
    examine: Examiner<'a>,
    /// A place at which automata make steps in an order that C leaves open.
    open_order: Option<Span>,
}

/// A group that is being checked.
struct Group {
    func: FuncId,
    /// What is not decided yet.
    open: ErrorSites,
    decided: Vec<(Site, Decided)>,
    statistics: Statistics,
    assumptions: BTreeSet<Assumption>,
    limit: Duration,
    time: Duration,
    budget: Budget,
}

impl Group {
    fn new(func: FuncId, sites: &ErrorSites, budget: &Budget, limit: Duration) -> Self {
        let limit = budget.time_left().map_or(limit, |left| left.min(limit));
        Self {
            func,
            open: sites.clone(),
            decided: Vec::new(),
            statistics: Statistics::default(),
            assumptions: BTreeSet::new(),
            limit,
            time: Duration::ZERO,
            budget: budget.with_cpu_time(limit),
        }
    }

    fn check(&mut self, shared: &Shared<'_>) {
        let all: Vec<Site> = self.open.iter().map(|(site, _)| site).collect();
        for site in all.into_iter().filter(|site| shared.excluded.contains(site)) {
            self.open = self.open.without(site);
            self.decided.push((site, Decided::Proved(How::Typestate)));
        }
        if let (false, Ok(facts)) = (self.decided.is_empty(), shared.facts) {
            self.assumptions.extend(assumptions_of_proof(facts));
        }
        while !self.open.is_empty() {
            let budget = match self.open.len() {
                1 => self.budget.clone(),
                _ => self.budget.with_work(TOGETHER),
            };
            match self.ask(shared, &self.open.clone(), &budget) {
                Verdict::False(run) => {
                    self.open = self.open.without(run.site);
                    self.decided.push((run.site, Decided::Violated(run)));
                }
                Verdict::Unknown(_) if self.open.len() > 1 => {
                    return self.check_alone(shared);
                }
                verdict => return self.finish(&verdict),
            }
        }
    }

    /// Every open site for itself: those that are hard are asked about again, with more work, when all
    /// others had their turn.
    fn check_alone(&mut self, shared: &Shared<'_>) {
        let each = self.open.each();
        let sites = each.iter().filter_map(|(site, _, only)| Some(((*site)?, only))).collect();
        let whole = self.budget.clone();
        let limited = |verdict: &Verdict| matches!(verdict, Verdict::Unknown(Reason::Limit(_)));
        let verdicts = with_growing_work(sites, &whole, limited, |(_, only), budget| {
            self.ask(shared, only, budget)
        });
        for ((site, _), verdict) in verdicts {
            self.decided.push((site, Decided::of(&verdict)));
        }
    }

    /// The verdict for some sites together.
    fn ask(&mut self, shared: &Shared<'_>, sites: &ErrorSites, budget: &Budget) -> Verdict {
        match shared.facts {
            Ok(facts) => {
                let report = check_sites(facts, shared.entry, sites, shared.options, budget);
                self.statistics.add(report.statistics);
                self.assumptions.extend(report.assumptions);
                let Verdict::True(proof) = &report.verdict else { return report.verdict };
                if let Some(span) = shared.open_order {
                    let what =
                        "calls that the automaton sees are made from left to right, where C \
                                leaves the order open"
                            .to_owned();
                    let at = facts.program().files.position(span);
                    return Verdict::Unknown(Reason::OneOrderOnly { what, at });
                }
                match (shared.examine)(proof, &facts.memory_facts(), sites, budget) {
                    Ok(trusted) => {
                        self.assumptions.extend(trusted);
                        report.verdict
                    }
                    Err(reason) => Verdict::Unknown(reason),
                }
            }
            Err(limit) => Verdict::Unknown(Reason::Limit(*limit)),
        }
    }

    /// All that is open gets the same verdict.
    fn finish(&mut self, verdict: &Verdict) {
        let open = self.open.iter().map(|(site, _)| (site, Decided::of(verdict)));
        self.decided.extend(open);
    }

    /// Stops the clock.
    fn ended(&mut self, jobs: u32) {
        let left = self.budget.time_left().unwrap_or_default();
        self.time = self.limit.saturating_sub(left) / jobs;
    }

    fn report(mut self, all: &ErrorSites) -> GroupReport {
        self.decided.sort_by_key(|(site, _)| *site);
        let assumptions: Vec<Assumption> = self.assumptions.into_iter().collect();
        let mut sites = Vec::with_capacity(self.decided.len());
        for (site, decided) in self.decided {
            let verdict = decided.verdict();
            let statistics = std::mem::take(&mut self.statistics);
            let (assumptions, partial, tree) = (assumptions.clone(), Vec::new(), Vec::new());
            let memory = MemoryFacts::default();
            let report = Report { verdict, statistics, assumptions, partial, memory, tree };
            let what = all.describe(site).to_owned();
            sites.push(SiteReport { site: Some(site), what, report });
        }
        GroupReport { func: self.func, sites, time: self.time }
    }
}
