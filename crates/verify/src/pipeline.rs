//! The pipeline: read, instrument or weave, take threads apart, find facts, decide, make runs short,
//! certify, report, confirm. Checks of the whole program, of each site, of property automata and of
//! threads are configurations of it: they differ in what is decided, and pass the same stages.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use gnomon_budget::{Analysis, Budget, Exhausted};
use gnomon_engine::facts::Facts;
use gnomon_engine::proof::MemoryFacts;
use gnomon_engine::property::{ErrorSites, Site};
use gnomon_engine::reason::OpenAccess;
use gnomon_engine::verdict::{Proof, Reason, Verdict};
use gnomon_instrument::{Checks, Unproved};
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::property::{Property, Specification};
use gnomon_ir::span::Span;
use gnomon_report::model::{Answer, Report};

use crate::certification::{Certification, of_groups, of_schedules};
use crate::clock::{Clock, page_time};
use crate::confirm::Attempt;
use crate::decide::{self, Options};
use crate::error::VerifyError;
use crate::groups::{GroupOptions, Hooks, check_groups};
use crate::listen::{Listener, NoCertificate, Note};
use crate::memory::{self, Checked};
use crate::minimise::minimise;
use crate::outcome::{Answers, Openness, Outcome, Page};
use crate::projection;
use crate::request::{Certify, Request, Sites};
use crate::scheduler::SECOND;
use crate::specs::Automata;
use crate::subject::{Subject, called_at};
use crate::task::Task;
use crate::threads::following::Following;
use crate::threads::messages::name_threads;
use crate::threads::rows::rows;
use crate::threads::{self, Decided, How, say_contexts};

/// So many accesses that cannot be proved are looked for.
const MOST_OPEN: usize = 12;

/// How many nodes of the reachability tree a page shows.
const OUTLINED: usize = 2_000;

/// Decides a request: the whole pipeline.
///
/// ```
/// use gnomon_verify::{Request, Silent, VerdictName, verify};
///
/// let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
///     int main(void) { int x = __VERIFIER_nondet_int(); if (x == 42) reach_error(); return 0; }";
/// let outcome = verify(&Request::of_text(text), &Silent)?;
/// assert_eq!(outcome.verdict(), VerdictName::False);
/// assert!(outcome.counterexample().is_some());
/// # Ok::<(), gnomon_verify::VerifyError>(())
/// ```
pub fn verify(request: &Request, listener: &dyn Listener) -> Result<Outcome, VerifyError> {
    let mut task = Task::read(request, listener)?;
    if request.wanted.page {
        task.options.lazy.outlined = OUTLINED;
    }
    let clock = Clock::start(request, listener);
    let read =
        [("preprocessor calls", task.preprocessor_calls), ("files parsed", task.files_parsed)];
    let page_time = Cell::new(page_time(request));
    let run = Run { request, listener, clock, page_time: &page_time };
    let mut outcome = match task.has_threads {
        true => run.with_threads(task)?,
        false => run.sequential(task)?,
    };
    outcome.work.extend(read);
    outcome.work.push(("points-to analyses", run.clock.whole.counted(Analysis::PointsTo)));
    for (name, number) in &outcome.work {
        outcome.report.counts.insert((*name).to_owned(), *number as f64);
    }
    Ok(outcome)
}

/// One run of the pipeline.
struct Run<'a> {
    request: &'a Request,
    listener: &'a dyn Listener,
    clock: Clock,
    /// What is left for the projections of a page.
    page_time: &'a Cell<Duration>,
}

/// Which runs are reported.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// Those that were found.
    AsFound,
    /// The shortest ones that are found from there.
    Minimised,
}

/// What proving accesses to memory may take, where they are not what is asked.
const ASIDE: u64 = 5 * SECOND;

impl Run<'_> {
    /// A program without threads: its assertions, and then its memory, if that is asked for.
    fn sequential(&self, mut task: Task) -> Result<Outcome, VerifyError> {
        let checks = memory::asked(&self.request.specification);
        let has_sites = !ErrorSites::of(&task.program, &task.options.property)?.is_empty();
        if self.request.sites == Sites::Each || self.request.wanted.projection || checks.is_empty()
        {
            if !has_sites && task.automata.is_none() {
                self.listener.note(&Note::NothingToCheck);
            }
            return self.decided(task, None);
        }
        if !memory::is_needed(&task.program, checks) {
            if !has_sites {
                self.listener.note(&Note::NothingToCheck);
            }
            return self.decided(task, None).map(Outcome::with_memory);
        }
        let is_named = self.request.by_default.is_empty();
        if let (false, Some(function)) = (is_named, memory::stated_property(&task.program)) {
            return self.aside(&task, function, checks);
        }
        task.options.property.faults = memory::faults(&task.program, checks);
        if !has_sites && task.automata.is_none() {
            return match memory::executed(&task, &self.clock.engines)? {
                Some(report) => self.decided(task, Some(report)).map(Outcome::with_accesses),
                None => self.memory(&task, checks, None),
            };
        }
        let assertions = self.decided(task.clone(), None)?;
        match assertions.is_open() {
            Openness::Decided => Ok(assertions),
            Openness::Executed => Ok(assertions.with_accesses()),
            Openness::Proved | Openness::Unknown => self.memory(&task, checks, Some(assertions)),
        }
    }

    /// A program that says itself what must not happen. That is decided; if it does not, accesses to
    /// memory are looked at for a while: where they are proved to be right, so is what relies on it, and
    /// where one is executed that is wrong, what follows it is not known.
    fn aside(&self, task: &Task, function: &str, checks: Checks) -> Result<Outcome, VerifyError> {
        let assertions = self.decided(task.clone(), None)?;
        match assertions.is_open() {
            Openness::Proved => {}
            Openness::Executed => return Ok(assertions.with_accesses()),
            Openness::Decided | Openness::Unknown => return Ok(assertions),
        }
        let clock =
            Clock { whole: self.clock.whole.clone(), engines: self.clock.engines.with_work(ASIDE) };
        let mut faulty = task.clone();
        faulty.options.property.faults = memory::faults(&task.program, checks);
        let aside = Run { clock, ..*self };
        let accesses = aside.memory(&faulty, checks, None)?;
        let Answers::Whole(report) = &accesses.answers else { return Ok(assertions) };
        if !matches!(report.verdict, Verdict::True(_)) {
            self.listener.note(&Note::StatedProperty(function.to_owned()));
        }
        match &report.verdict {
            Verdict::True(_) => Ok(assertions.with_memory()),
            Verdict::Unknown(_) => Ok(assertions),
            Verdict::False(run) => {
                let body = task.program.funcs[run.site.func].body.as_ref();
                let span = body.map_or(Span::NONE, |body| body.edge(run.site.edge).span);
                let (what, at) = (run.message.clone(), task.program.files.position(span));
                let verdict = Verdict::Unknown(Reason::Undefined { what, at });
                self.decided(task.clone(), Some(decide::Report::of(verdict)))
            }
        }
    }

    /// Whether accesses to memory are right, after what is known of assertions.
    fn memory(
        &self,
        task: &Task,
        checks: Checks,
        assertions: Option<Outcome>,
    ) -> Result<Outcome, VerifyError> {
        let engines = &self.clock.engines;
        let Checked { task: mut checked, mut unproved } =
            match memory::checked(task, checks, engines)? {
                Ok(checked) => checked,
                Err(limit) => {
                    let report = decide::Report::of(Verdict::Unknown(Reason::Limit(limit)));
                    return self.decided(task.clone(), Some(report));
                }
            };
        // Of one site after the other, only a proof is shown to anybody, which needs no projection.
        let (clock, no_time) = (self.clock.clone(), Cell::new(Duration::ZERO));
        let page_time = if checked.automata.is_none() { &no_time } else { self.page_time };
        let sites = Run { clock, page_time, ..*self };
        loop {
            // What is found here is executed in the program without checks, and minimised there.
            let mut outcome = sites.reported(checked.clone(), None, Runs::AsFound)?;
            let Answers::Whole(report) = &mut outcome.answers else { return Ok(outcome) };
            match &report.verdict {
                Verdict::True(_) if unproved.is_empty() => {
                    return Ok(match assertions {
                        Some(assertions) if assertions.is_open() == Openness::Unknown => assertions,
                        Some(assertions) => assertions.with_memory(),
                        None => outcome.with_memory(),
                    });
                }
                Verdict::False(run) => {
                    let inputs = run.inputs.clone();
                    let found = decide::executed(&task.program, &task.options, inputs, engines)?;
                    if let Some(mut found) = found
                        && matches!(found.verdict, Verdict::False(_))
                    {
                        found.statistics.add(report.statistics.clone());
                        return self.decided(task.clone(), Some(found));
                    }
                    // It is not proved, and no execution shows that it goes wrong.
                    let site = run.site;
                    let span = match &checked.program.funcs[site.func].body {
                        Some(body) => body.edge(site.edge).span,
                        None => Span::NONE,
                    };
                    unproved.push(Unproved { span, why: run.message.clone() });
                    checked.options.property.edges.retain(|(known, _)| *known != site);
                    if unproved.len() < MOST_OPEN && engines.check_now().is_ok() {
                        continue;
                    }
                }
                Verdict::True(_) => {}
                Verdict::Unknown(reason) if unproved.is_empty() => {
                    let first = checked.options.property.edges.first();
                    let span = first.and_then(|(site, _)| {
                        let body = checked.program.funcs[site.func].body.as_ref()?;
                        Some(body.edge(site.edge).span)
                    });
                    let span = span.unwrap_or(Span::NONE);
                    let why = format!("and {} other checks: {reason}", checked.properties.len());
                    unproved.push(Unproved { span, why });
                }
                Verdict::Unknown(_) => {}
            }
            if let Some(assertions) = assertions
                && assertions.is_open() == Openness::Unknown
            {
                return Ok(assertions);
            }
            let statistics = report.statistics.clone();
            let verdict = Verdict::Unknown(Reason::Memory(open_accesses(task, unproved)));
            let report = decide::Report { statistics, ..decide::Report::of(verdict) };
            return self.decided(task.clone(), Some(report));
        }
    }

    /// Decides a program, or takes what was decided, and reports it, runs as short as they become.
    fn decided(&self, task: Task, known: Option<decide::Report>) -> Result<Outcome, VerifyError> {
        self.reported(task, known, Runs::Minimised)
    }

    /// The same, with runs as they should be.
    fn reported(
        &self,
        task: Task,
        known: Option<decide::Report>,
        runs: Runs,
    ) -> Result<Outcome, VerifyError> {
        let Task { program, options, inserted, properties, automata, pointers, files, .. } = task;
        let request = self.request;
        let without_memory = memory::without(&request.specification);
        let entry = decide::entry(&program, &options)?;
        let engines = &self.clock.engines;
        let facts = pointers.facts(&program, entry, options.memory, engines);
        let certification = Certification {
            program: &program,
            asked: &without_memory,
            options: &options,
            request,
            listener: self.listener,
            budget: &self.clock.whole,
            said: Mutex::default(),
        };
        let mut answers = match (known, &automata) {
            (Some(known), _) => Answers::Whole(Box::new(known)),
            (None, Some(automata)) => self.groups(&program, &facts, &options, automata)?,
            (None, None) => self.decide(&certification, &facts, entry)?,
        };
        if runs == Runs::Minimised {
            minimise(&program, &options, &mut answers, &self.clock.whole);
        }
        let mut certificate = None;
        let states = match &mut answers {
            Answers::Whole(report) => {
                let certified = certification.whole(report)?;
                certificate = certified.certificate;
                vec![certified.state]
            }
            Answers::Each(reports) => certification.each(reports)?,
            Answers::Groups(groups) => of_groups(groups, request.certify),
        };
        let budget = self.clock.description();
        let projected = match (&facts, request.wanted.projection) {
            (_, false) => None,
            (Ok(facts), true) => Some(projection::projected(facts, &options, request, &budget)?),
            (Err(limit), true) => Some(Err(Reason::Limit(*limit))),
        };
        let property_of = |site: Site| {
            let of_edge = properties.get(&site).cloned();
            let forbidden = |property: &Property| request.specification.forbids(property);
            of_edge.or_else(|| called_at(&program, site).filter(forbidden))
        };
        // What went wrong in an execution, and no edge is forbidden for.
        let fault = match &answers {
            Answers::Whole(report) => match &report.verdict {
                Verdict::False(run) => run.fault.map(Property::Undefined),
                _ => None,
            },
            _ => None,
        };
        let property_of = |site: Site| fault.clone().or_else(|| property_of(site));
        let shown = match &fault {
            Some(property) => Specification {
                properties: vec![property.clone()],
                ..request.specification.clone()
            },
            None => request.specification.clone(),
        };
        let subject = Subject {
            program: &program,
            facts: facts.as_ref().ok(),
            inserted: &inserted,
            options: &options,
            asked: &shown,
            property_of: &property_of,
            files: &files,
        };
        let mut report = subject.report(&answers, states, &budget);
        let attempt =
            Attempt { program: &program, inserted: &inserted, options: &options, request };
        let harness = attempt.confirm(&mut report, self.listener)?;
        let page = self.page(&subject, &report, &mut answers, &budget)?;
        drop(facts);
        Ok(Outcome {
            report,
            answers,
            program,
            inserted,
            certificate,
            projection: projected,
            page,
            harness,
            automata,
            sequential: None,
            rows: Vec::new(),
            work: Vec::new(),
        })
    }

    /// Asks the engines.
    fn decide(
        &self,
        certification: &Certification<'_>,
        facts: &Result<Facts<'_>, Exhausted>,
        entry: FuncId,
    ) -> Result<Answers, VerifyError> {
        let &Certification { program, options, .. } = certification;
        let budget = &self.clock.engines;
        let sites = ErrorSites::of(program, &options.property)?;
        if self.request.sites == Sites::Each {
            let mut reports = decide::check_each(facts, entry, &sites, options, budget);
            reports.sort_by_key(|report| report.site.map(|site| place_of(program, site)));
            return Ok(Answers::Each(reports));
        }
        let report = match facts {
            Err(limit) => decide::Report::of(Verdict::Unknown(Reason::Limit(*limit))),
            Ok(facts) => {
                let examine = |proof: &Proof, budget: &Budget| {
                    certification.while_deciding(proof, &facts.memory_facts(), budget)
                };
                let (examine, earlier) = (Some(&examine as _), self.request.earlier.as_ref());
                decide::check_examined(facts, entry, &sites, options, budget, examine, earlier)
            }
        };
        Ok(Answers::Whole(Box::new(report)))
    }

    /// Asks about the sites of automata, in groups by function. The independent checker looks at what
    /// the engines prove in the thread that proved it: formulas belong to it.
    fn groups(
        &self,
        program: &Program,
        facts: &Result<Facts<'_>, Exhausted>,
        options: &Options,
        automata: &Automata,
    ) -> Result<Answers, VerifyError> {
        let request = self.request;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let groups = request.groups;
        let jobs = groups.jobs.unwrap_or(processors);
        let how = GroupOptions { time: groups.time, jobs, stack: groups.stack };
        let told = |done: usize, all: usize| self.listener.groups_done(done, all);
        let (certify, asked) = (request.certify, &request.specification);
        let examine = |proof: &Proof, memory: &MemoryFacts, sites: &ErrorSites, budget: &Budget| {
            match certify {
                Certify::Never => Ok(None),
                Certify::WherePossible | Certify::Always => {
                    Certification::examined(program, asked, options, proof, memory, sites, budget)
                }
            }
        };
        let automata = &automata.in_program;
        let hooks = Hooks { done: &told, examine: &examine };
        let budget = &self.clock.engines;
        // Where groups are checked side by side, the engines of each take turns.
        let options = &Options { jobs: options.jobs.div_ceil(jobs), ..options.clone() };
        let reports = check_groups(program, facts, options, automata, how, budget, hooks)?;
        Ok(Answers::Groups(reports))
    }

    /// A program with threads, in place of which sequential ones are decided.
    fn with_threads(&self, task: Task) -> Result<Outcome, VerifyError> {
        let Task { program, options, properties, automata, files, .. } = task;
        let request = self.request;
        if request.sites == Sites::Each || request.wanted.projection {
            return Err(VerifyError::NotForThreads("--each and --projection"));
        }
        let how = How::new(request.threads, &request.specification);
        let decided = match automata {
            Some(_) => Decided::unknown("property automata do not follow threads".to_owned()),
            None => threads::decided(&program, &options, how, &self.clock.engines)?,
        };
        let Decided { sequential, mut engine, contexts, proved } = decided;
        if request.wanted.certificate {
            self.listener.note(&Note::NoCertificate(NoCertificate::Sequential));
        }
        // The checker looks at the proof about the sequential program; the reduction is trusted.
        let state = match (&sequential, &proved) {
            (Some(sequential), Some(proved)) => {
                let certification = Certification {
                    program: &sequential.program,
                    asked: &request.specification,
                    options: proved,
                    request,
                    listener: self.listener,
                    budget: &self.clock.whole,
                    said: Mutex::default(),
                };
                certification.unwritten(&mut engine)?
            }
            _ => of_schedules(&mut engine, request.certify),
        };
        let budget = self.clock.description();
        let entry = sequential.as_ref().map_or(options.entry.clone(), |s| s.entry.clone());
        let options_of_run = Options { entry, ..options.clone() };
        let decided = sequential.as_ref().map_or(&program, |s| &s.program);
        let first = decide::entry(decided, &options_of_run)?;
        let is_shown = !matches!(engine.verdict, Verdict::True(_));
        let facts = is_shown.then(|| Facts::new(decided, first, options.memory, &budget).ok());
        let facts = facts.flatten();
        let inserted = BTreeSet::new();
        let property_of = |site: Site| threads::property_of(sequential.as_ref(), &properties, site);
        let subject = Subject {
            program: decided,
            facts: facts.as_ref(),
            inserted: &inserted,
            options: &options_of_run,
            asked: &request.specification,
            property_of: &property_of,
            files: &files,
        };
        let mut answers = Answers::Whole(Box::new(engine));
        if let Some(sequential) = &sequential {
            let whole = &self.clock.whole;
            threads::minimised(sequential, &options, how, &mut answers, whole);
        }
        let mut report = subject.report(&answers, vec![state], &budget);
        say_contexts(&mut report, contexts);
        let (mut shown, mut harness) = (Vec::new(), None);
        if let (Answers::Whole(engine), Some(sequential)) = (&answers, &sequential)
            && let Verdict::False(found) = &engine.verdict
        {
            let misuse = how.reported.misuse;
            let follow = Following { program: &program, options: &options, misuse, request };
            let (text, execution) = follow.confirm(sequential, found)?;
            harness = text;
            shown = rows(sequential, found, &report, &budget);
            if let Some(Answer::Violated(run)) = report.findings.first_mut().map(|f| &mut f.answer)
            {
                run.execution = execution;
                name_threads(sequential, found, run, &budget);
            }
        }
        let page = self.page(&subject, &report, &mut answers, &budget)?;
        drop(facts);
        Ok(Outcome {
            report,
            answers,
            program,
            inserted,
            certificate: None,
            projection: None,
            page,
            harness,
            automata: None,
            sequential,
            rows: shown,
            work: Vec::new(),
        })
    }

    /// What a page shows beside the report, if it is wanted.
    fn page(
        &self,
        subject: &Subject<'_>,
        report: &Report,
        answers: &mut Answers,
        budget: &Budget,
    ) -> Result<Option<Page>, VerifyError> {
        if !self.request.wanted.page {
            return Ok(None);
        }
        let tree = match answers {
            Answers::Whole(report) => std::mem::take(&mut report.tree),
            Answers::Each(_) | Answers::Groups(_) => Vec::new(),
        };
        let projection =
            projection::lines(subject, report.verdict, self.request, budget, self.page_time)?;
        Ok(Some(Page { projection, tree }))
    }
}

/// Where a site is, in the order in which people read.
fn place_of(program: &Program, site: Site) -> (String, u32, u32) {
    let body = program.funcs[site.func].body.as_ref();
    let span = body.map_or(Span::NONE, |body| body.edge(site.edge).span);
    let file = if span.is_none() { "" } else { program.files.name(span.file) };
    (file.to_owned(), span.line, span.column.into())
}

/// Where accesses may be wrong.
fn open_accesses(task: &Task, unproved: Vec<Unproved>) -> Vec<OpenAccess> {
    let files = &task.program.files;
    let open = |Unproved { span, why }| OpenAccess { at: files.position(span), why };
    unproved.into_iter().map(open).collect()
}
