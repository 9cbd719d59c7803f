//! Threads taken apart: one sequential program after the other, with more and more contexts of each thread,
//! until there is an error, or a proof for all schedules. Each of them is a check of its own, by the engines
//! of the [table](crate::table), with as much work as it may do; one that was not enough for is asked again
//! with more.

use gnomon_budget::{Budget, Exhausted};
use gnomon_engine::facts::Facts;
use gnomon_engine::property::ErrorSites;
use gnomon_engine::verdict::{Reason, Statistics, Verdict};
use gnomon_threads::intrinsics::reports;
use gnomon_threads::{Refused, Rounds, Sequential, sequentialize};

use crate::decide::{self, BadRequest, Report};
use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;
use crate::scheduler::{Attendant, Begins, Entrant, Role, SECOND};
use crate::threads::{
    CALLS_DEEP, Decided, Found, MOST_CALLS_DEEP, Threaded, asked, found, wanted_reports,
};

/// The name of the engine.
pub(crate) const CONTEXTS: &str = "contexts";

/// What one look at a sequential program may take at first, and by how much that grows.
const FIRST_WORK: u64 = 16 * SECOND;
const GROWTH: u64 = 4;

struct Deepening<'a> {
    subject: &'a Threaded<'a>,
    budget: &'a Budget,
    contexts: usize,
    threads_per_call: usize,
    calls_deep: usize,
    allowance: u64,
    statistics: Statistics,
}

/// The deepening of contexts.
pub(crate) fn contexts<'s>(subject: &'s Threaded<'s>) -> Entrant<'s> {
    let make = move |budget: &Budget, attendant: Attendant<'_>| {
        let threads_per_call = 2.min(subject.how.threads.threads_per_call.max(1));
        let (contexts, allowance, calls_deep) = (1, FIRST_WORK, CALLS_DEEP);
        let statistics = Statistics::default();
        attendant(&mut Deepening {
            subject,
            budget,
            contexts,
            threads_per_call,
            calls_deep,
            allowance,
            statistics,
        });
        Ok(())
    };
    Entrant {
        name: CONTEXTS,
        role: Role::Decides,
        begins: Begins::Together,
        first: SECOND,
        share: 1,
        make: Box::new(make),
    }
}

impl Deepening<'_> {
    fn reduced(&self, tries_more: bool) -> Result<Sequential, Refused> {
        let Threaded { program, options, how, .. } = *self.subject;
        let reduction = gnomon_threads::Options {
            entry: options.entry.clone(),
            rounds: Rounds::Bounded(self.contexts),
            tries_more,
            threads_per_call: self.threads_per_call,
            calls_deep: self.calls_deep,
            errors: options.property.functions.clone(),
            reported: how.reported,
            ..gnomon_threads::Options::default()
        };
        sequentialize(program, &reduction, self.budget)
    }

    fn refused(&self, refused: &Refused) -> Progress {
        let mut decided = Decided::refused(self.subject.program, refused);
        if self.contexts > 1 {
            decided.engine.partial.push(known_so_far(self.contexts - 1));
        }
        self.subject.tell(CONTEXTS, decided)
    }

    /// Checks the sequential program for the user's errors and some of the reduction's own reports.
    fn look(
        &mut self,
        sequential: &Sequential,
        also: &[&str],
    ) -> Result<(Found, Report), BadRequest> {
        let options = asked(sequential, self.subject.options, also);
        let budget = &self.budget.with_work(self.allowance);
        let program = &sequential.program;
        let entry = decide::entry(program, &options)?;
        let sites = ErrorSites::of(program, &options.property)?;
        let facts = Facts::new(program, entry, options.memory, budget);
        let mut engine = decide::check_known(&facts, entry, &sites, &options, budget);
        self.statistics.add(engine.statistics.clone());
        let found = found(sequential, &mut engine);
        Ok((found, engine))
    }

    /// Looks at one number of contexts.
    fn go_on(&mut self) -> Result<Progress, Progress> {
        let Threaded { options, how, .. } = *self.subject;
        let (contexts, threads) = (self.contexts, how.threads);
        self.budget.report("threads", format_args!("{contexts} contexts of each thread"));
        let mut sequential = self.reduced(true).map_err(|why| self.refused(&why))?;
        let wanted = wanted_reports(how.reported);
        let mut more = wanted.clone();
        more.push(reports::MORE_CONTEXTS);
        // Whether threads can go on is mostly easy to see, and a proof that they cannot says all.
        let looked = self.look(&sequential, &more);
        let (mut found, mut engine) = looked.map_err(|bad| self.subject.bad(bad))?;
        let is_open = matches!(engine.verdict, Verdict::Unknown(_));
        if is_open || matches!(found, Found::MoreContexts) {
            sequential = self.reduced(false).map_err(|why| self.refused(&why))?;
            let alone = self.look(&sequential, &wanted);
            (found, engine) = alone.map_err(|bad| self.subject.bad(bad))?;
            if matches!(found, Found::Proved) {
                found = Found::MoreContexts;
            }
        }
        if matches!(found, Found::Deeper) {
            // Not all of it, but an error is one.
            let shallow: Vec<_> =
                wanted.iter().copied().filter(|&name| name != reports::TOO_DEEP).collect();
            let (here, shown) =
                self.look(&sequential, &shallow).map_err(|bad| self.subject.bad(bad))?;
            if matches!((&here, &shown.verdict), (Found::Answer, Verdict::False(_))) {
                (found, engine) = (here, shown);
            }
        }
        let decided = match found {
            Found::Answer => {
                if let Verdict::Unknown(reason) = &engine.verdict {
                    let is_over = self.budget.check_now().is_err();
                    if *reason == Reason::Limit(Exhausted::Work) && !is_over {
                        self.allowance = self.allowance.saturating_mul(GROWTH);
                        return Ok(Progress::More);
                    }
                    engine.partial.insert(0, known_so_far(contexts - 1));
                }
                let (contexts, proved) = (None, None);
                Decided { sequential: Some(sequential), engine, contexts, proved }
            }
            Found::Proved => {
                let (contexts, proved) = (Some(contexts), Some(asked(&sequential, options, &more)));
                Decided { sequential: Some(sequential), engine, contexts, proved }
            }
            Found::MoreThreads if self.threads_per_call < threads.threads_per_call => {
                self.threads_per_call = (self.threads_per_call * 2).min(threads.threads_per_call);
                return Ok(Progress::More);
            }
            Found::MoreThreads => Decided::too_many_threads(how),
            Found::Deeper if self.calls_deep < MOST_CALLS_DEEP => {
                self.calls_deep *= 2;
                return Ok(Progress::More);
            }
            Found::Deeper => Decided::too_deep(),
            Found::NotModelled(what) => Decided::not_modelled(&what),
            Found::MoreContexts if contexts < threads.contexts => {
                self.contexts += 1;
                return Ok(Progress::More);
            }
            Found::MoreContexts => Decided::bounded(threads.contexts),
        };
        Ok(self.subject.tell(CONTEXTS, decided))
    }
}

fn known_so_far(contexts: usize) -> String {
    match contexts {
        0 => "no number of contexts per thread was looked at to the end".to_owned(),
        1 => "no error is reached with one context per thread".to_owned(),
        _ => format!("no error is reached with up to {contexts} contexts per thread"),
    }
}

impl Engine for Deepening<'_> {
    fn step(&mut self, _: Slice, _: &Exchange) -> Progress {
        self.go_on().unwrap_or_else(|end| end)
    }

    fn statistics(&self) -> Statistics {
        self.statistics.clone()
    }
}
