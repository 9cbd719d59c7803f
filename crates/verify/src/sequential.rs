//! A check of a program without threads, as a contest of the engines of the [table](crate::table).

use gnomon_budget::Budget;
use gnomon_engine::check::{Engine as Chosen, Options, Task};
use gnomon_engine::facts::Facts;
use gnomon_engine::property::ErrorSites;
use gnomon_engine::sliced::Relevance;
use gnomon_engine::verdict::{Proof, Reason, Verdict};
use gnomon_ir::program::{FuncId, Program};

use crate::earlier::{self, Earlier};
use crate::engine::Progress;
use crate::engines;
use crate::exchange::Exchange;
use crate::scheduler::{Attendant, Contest, Decision, End, Entrant, Judge};
use crate::table::{Entry, Kind, TABLE};

/// What is checked.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The program.
    pub program: &'a Program,
    /// Where runs begin.
    pub entry: FuncId,
    /// What must not be reached.
    pub sites: &'a ErrorSites,
    /// What is known of the program.
    pub facts: &'a Facts<'a>,
    /// What is asked for.
    pub options: &'a Options,
    /// The limits of all engines together.
    pub budget: &'a Budget,
    /// Who looks at a proof before it counts, if anybody does.
    pub examine: Option<Examine<'a>>,
    /// A proof about something like it, if there is one.
    pub earlier: Option<&'a Earlier>,
}

/// Looks at a proof, and says why it does not count: then the other engines go on.
pub type Examine<'a> = &'a (dyn Fn(&Proof, &Budget) -> Result<(), Reason> + Sync);

/// Lets the engines of the table work on a check until one has the answer, or none can go on.
pub fn decide(subject: &Subject<'_>) -> Decision {
    let kind = Kind::of(subject);
    let is_wanted = matches!(subject.options.engine, Chosen::Auto | Chosen::Lazy);
    let further = is_wanted.then(|| engines::of_rest(subject)).into_iter().collect();
    let chosen = if kind.is_recursive { "recursive" } else { "not recursive" };
    subject.budget.report("engine", format_args!("the program is {chosen}"));
    decide_among(subject, kind, TABLE, further)
}

/// The same with other engines.
pub fn decide_with(subject: &Subject<'_>, kind: Kind, table: &'static [Entry]) -> Decision {
    decide_among(subject, kind, table, Vec::new())
}

/// The same with entrants beside those of a table.
fn decide_among<'s>(
    subject: &'s Subject<'s>,
    kind: Kind,
    table: &'static [Entry],
    further: Vec<Entrant<'s>>,
) -> Decision {
    let exchange = Exchange::default();
    exchange.propose_equations(subject.options.candidate_invariants.iter().cloned());
    if let Some(earlier) = subject.earlier {
        let count = earlier::propose(earlier, subject.program, &exchange);
        subject.budget.report("earlier proof", format_args!("{count} predicates are proposed"));
    }
    let wanted = |entry: &&Entry| !subject.options.without.iter().any(|name| name == entry.name);
    let entrants = table.iter().filter(wanted).filter_map(|entry| entrant(entry, subject, &kind));
    let entrants = entrants.chain(further).collect();
    let contest = Contest {
        entrants,
        judge: subject,
        exchange: &exchange,
        budget: subject.budget,
        jobs: subject.options.jobs,
        // All have the same formulas, but those that follow recursion.
        differs_in_support: kind.is_recursive,
    };
    contest.decide()
}

/// An entry of the table, if it is there for such a check at all.
fn entrant<'s>(
    entry: &'static Entry,
    subject: &'s Subject<'s>,
    kind: &Kind,
) -> Option<Entrant<'s>> {
    let Entry { name, role, theory, make, begins, first, share } = *entry;
    let make = move |budget: &Budget, attendant: Attendant<'_>| {
        subject.with_task(budget, |task| {
            attendant(make(task, theory)?.as_mut());
            Ok(())
        })
    };
    Some(Entrant { name, role, begins: begins(kind)?, first, share, make: Box::new(make) })
}

impl Subject<'_> {
    /// Whether functions of the program call themselves.
    pub fn is_recursive(&self) -> bool {
        self.with_task(self.budget, |task| task.is_recursive())
    }

    /// The check for one engine.
    fn with_task<T>(&self, budget: &Budget, work: impl for<'t> FnOnce(&'t Task<'t>) -> T) -> T {
        let Self { program, entry, sites, facts, options, .. } = *self;
        let relevance = Relevance::new(facts);
        let relevance = &relevance;
        let task = Task { program, entry, sites, facts, relevance, options, budget };
        work(&task)
    }
}

impl Judge for Subject<'_> {
    /// Proofs are examined, error paths executed.
    fn judge(&self, progress: Progress, exchange: &Exchange, budget: &Budget) -> Option<End> {
        self.with_task(budget, |task| {
            Some(match progress {
                Progress::More => return None,
                Progress::Proved(proof) => {
                    let undefined = match proof {
                        Proof::OnlyRun => None,
                        _ => exchange.undefined(),
                    };
                    let examined = self.examine.map_or(Ok(()), |examine| examine(&proof, budget));
                    match (examined, task.proved(proof, undefined)) {
                        (Err(reason), Verdict::True(_)) => End::GivenUp(reason),
                        (_, verdict) => End::Answer(verdict),
                    }
                }
                Progress::Executed(counterexample) => match task.real(counterexample) {
                    Verdict::Unknown(reason) => End::GivenUp(reason),
                    verdict => End::Answer(verdict),
                },
                Progress::ErrorPath(path) => match task.confirm(&path) {
                    Ok(Verdict::Unknown(reason)) | Err(reason) => End::GivenUp(reason),
                    Ok(verdict) => End::Answer(verdict),
                },
                Progress::Unsupported(reason) => End::Unsupported(reason),
                Progress::GivenUp(reason) => End::GivenUp(reason),
            })
        })
    }
}
