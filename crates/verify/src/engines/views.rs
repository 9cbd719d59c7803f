//! A proof for any number of threads and contexts: what any two threads beside the first one can see of each other
//! ([`gnomon_threads::views`]).

use gnomon_budget::Budget;
use gnomon_engine::outside;
use gnomon_engine::verdict::{Statistics, Verdict};
use gnomon_threads::views::{Shown, look};
use gnomon_threads::{Options as Reduction, Rounds, sequentialize};

use crate::decide::{AllRuns, run_options};
use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;
use crate::scheduler::{Attendant, Begins, Entrant, Role, SECOND};
use crate::threads::{Decided, Threaded, asked, open, wanted_reports};

/// The name of the engine.
const VIEWS: &str = "views";

struct Viewing<'a> {
    subject: &'a Threaded<'a>,
    budget: &'a Budget,
}

/// The proof by views, where errors are calls only and nothing is asked about threads themselves.
pub(crate) fn views<'s>(subject: &'s Threaded<'s>) -> Option<Entrant<'s>> {
    let (property, how) = (&subject.options.property, subject.how);
    let only_calls =
        property.labels.is_empty() && property.lines.is_empty() && property.edges.is_empty();
    let reported = how.reported;
    let about_threads = reported.deadlock || reported.misuse || reported.race;
    if how.threads.only_contexts || !only_calls || about_threads {
        return None;
    }
    let make = move |budget: &Budget, attendant: Attendant<'_>| {
        attendant(&mut Viewing { subject, budget });
        Ok(())
    };
    Some(Entrant {
        name: VIEWS,
        role: Role::Tries,
        begins: Begins::Together,
        first: 2 * SECOND,
        share: 1,
        make: Box::new(make),
    })
}

impl Viewing<'_> {
    fn prove(&self) -> Result<Progress, Progress> {
        let Threaded { program, options, how, .. } = *self.subject;
        let reduction = Reduction {
            entry: options.entry.clone(),
            rounds: Rounds::Unbounded,
            threads_per_call: 1,
            errors: options.property.functions.clone(),
            reported: how.reported,
            kinds: true,
            ..Reduction::default()
        };
        let sequential = sequentialize(program, &reduction, self.budget);
        let sequential = sequential.map_err(|refused| open(refused.to_string()))?;
        let unknown = outside::unknown_functions(&sequential.program);
        if let (true, Some(name)) = (options.strict, unknown.first()) {
            return Err(open(format!("`{name}` is not known")));
        }
        let options = asked(&sequential, options, &wanted_reports(how.reported));
        let running =
            run_options(&sequential.program, &options).map_err(|bad| self.subject.bad(bad))?;
        match look(&sequential, &running.error_functions, self.budget) {
            Shown::Open { why, span } => {
                let place = sequential.program.files.show(span);
                self.budget.report(VIEWS, format_args!("{why} ({place})"));
                self.budget.check_now().map_err(Progress::limit)?;
                Err(open(why))
            }
            Shown::Proved { views } => {
                let all = |runs: AllRuns<'_>| runs.views(views);
                let engine = self.subject.all_runs(&sequential, &options, self.budget, all)?;
                if let Verdict::Unknown(reason) = engine.verdict {
                    return Err(Progress::GivenUp(reason));
                }
                let (contexts, proved) = (None, None);
                let sequential = Some(sequential);
                let decided = Decided { sequential, engine, contexts, proved };
                Ok(self.subject.tell(VIEWS, decided))
            }
        }
    }
}

impl Engine for Viewing<'_> {
    fn step(&mut self, _: Slice, _: &Exchange) -> Progress {
        self.prove().unwrap_or_else(|end| end)
    }

    fn statistics(&self) -> Statistics {
        Statistics::default()
    }
}
