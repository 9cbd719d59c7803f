//! Schedules of threads, executed: that decides small programs for any number of contexts, and finds errors
//! that need many threads.

use std::cell::OnceCell;

use gnomon_budget::Budget;
use gnomon_engine::verdict::{Statistics, Verdict};
use gnomon_ir::interp::RunOptions;
use gnomon_threads::schedules::{Exploration, Schedules};
use gnomon_threads::{Rounds, Sequential, sequentialize};

use crate::decide::{AllRuns, BadRequest, Options, executed, run_options};
use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;
use crate::scheduler::{Attendant, Begins, Entrant, Role, SECOND};
use crate::threads::{
    CALLS_DEEP, Decided, Found, MOST_CALLS_DEEP, Threaded, asked, found, open, wanted_reports,
};

/// The name of the engine.
pub(crate) const SCHEDULES: &str = "schedules";

/// How often the number of threads of a call, or of calls of a function, can be doubled.
const DOUBLINGS: usize = 16;
/// The work of what happens between two looks at the budget, beside the look.
const LOOK_WORK: u64 = 40;

/// How many threads there may be.
const MOST_THREADS: usize = 62;
/// Where there are more threads than are looked at, so many schedules are executed by chance before all with few threads;
/// elsewhere one for so many states, from so many states on.
const BY_CHANCE: u64 = 400;
const STATES_FOR_ONE: u64 = 20;
const FEW_STATES: u64 = 3_000;

/// A sequential program without a bound on contexts, and how it is run.
struct Reduced {
    sequential: Sequential,
    options: Options,
    running: RunOptions,
}

struct Executing<'a> {
    subject: &'a Threaded<'a>,
    budget: &'a Budget,
    /// One sequential program for each number of threads that was tried.
    rooms: &'a [OnceCell<Reduced>; DOUBLINGS],
    tried: usize,
    threads_per_call: usize,
    calls_deep: usize,
    /// Whether threads are made without end, so that only errors with few of them can be found.
    bounded: bool,
    /// How many schedules were executed by chance.
    by_chance: u64,
    exploration: Option<Exploration<'a>>,
}

/// The execution of schedules, where errors are calls only.
pub(crate) fn schedules<'s>(subject: &'s Threaded<'s>) -> Option<Entrant<'s>> {
    let property = &subject.options.property;
    let only_calls =
        property.labels.is_empty() && property.lines.is_empty() && property.edges.is_empty();
    if subject.how.threads.only_contexts || !only_calls {
        return None;
    }
    let make = move |budget: &Budget, attendant: Attendant<'_>| {
        let rooms = Default::default();
        let threads_per_call = 2.min(subject.how.threads.threads_per_call.max(1));
        let (tried, calls_deep, exploration) = (0, CALLS_DEEP, None);
        let (bounded, by_chance, rooms) = (false, 0, &rooms);
        attendant(&mut Executing {
            subject,
            budget,
            rooms,
            tried,
            threads_per_call,
            calls_deep,
            bounded,
            by_chance,
            exploration,
        });
        Ok(())
    };
    Some(Entrant {
        name: SCHEDULES,
        role: Role::Tries,
        begins: Begins::First,
        first: 2 * SECOND,
        share: 1,
        make: Box::new(make),
    })
}

impl<'a> Executing<'a> {
    fn reduced(&self) -> Result<Reduced, Progress> {
        let Threaded { program, options, how, .. } = *self.subject;
        let reduction = gnomon_threads::Options {
            entry: options.entry.clone(),
            rounds: Rounds::Unbounded,
            threads_per_call: self.threads_per_call,
            calls_deep: self.calls_deep,
            max_threads: MOST_THREADS,
            errors: options.property.functions.clone(),
            reported: how.reported,
            ..gnomon_threads::Options::default()
        };
        let sequential = sequentialize(program, &reduction, self.budget);
        let sequential = sequential.map_err(|refused| open(refused.to_string()))?;
        let options = asked(&sequential, options, &wanted_reports(how.reported));
        let running =
            run_options(&sequential.program, &options).map_err(|bad| self.subject.bad(bad))?;
        Ok(Reduced { sequential, options, running })
    }

    /// The program that is being executed.
    fn room(&self) -> Result<&'a Reduced, Progress> {
        let room = self.rooms.get(self.tried).ok_or_else(|| open("too many threads"))?;
        match room.get() {
            Some(reduced) => Ok(reduced),
            None => {
                let reduced = self.reduced()?;
                Ok(room.get_or_init(|| reduced))
            }
        }
    }

    fn go_on(&mut self, slice: Slice) -> Result<Progress, Progress> {
        let reduced = self.room()?;
        let budget = self.budget;
        let exploration = match &mut self.exploration {
            Some(exploration) => exploration,
            empty => {
                let begun = Exploration::begin(&reduced.sequential, &reduced.running, budget);
                let begun = begun.map_err(open)?;
                self.by_chance = 0;
                empty.insert(if self.bounded { begun.bounded() } else { begun })
            }
        };
        let before = budget.work();
        let over = || {
            let looked = budget.work().saturating_sub(before);
            looked.saturating_mul(LOOK_WORK) >= slice.left(budget)
        };
        let wanted = match exploration.states() {
            _ if self.bounded => BY_CHANCE,
            states if states > FEW_STATES => states / STATES_FOR_ONE,
            _ => 0,
        };
        let mut schedules = None;
        while schedules.is_none() && self.by_chance < wanted && !over() {
            self.by_chance += 1;
            schedules = exploration.by_chance(self.by_chance);
        }
        if schedules.is_none() && !over() {
            schedules = exploration.go_on(&over);
        }
        let (states, too_deep) = (exploration.states(), exploration.was_too_deep());
        budget.charge(budget.work().saturating_sub(before) * LOOK_WORK);
        let Some(schedules) = schedules else { return Ok(Progress::More) };
        self.exploration = None;
        let Reduced { sequential, options, .. } = reduced;
        let engine = match schedules {
            Schedules::Open { why, .. } => {
                budget.report("schedules", format_args!("{states} states: {why}"));
                budget.check_now().map_err(Progress::limit)?;
                if too_deep && self.calls_deep < MOST_CALLS_DEEP {
                    self.calls_deep *= 2;
                    self.tried += 1;
                    return Ok(Progress::More);
                }
                if self.bounded {
                    return self.with_more();
                }
                return Err(open(why));
            }
            Schedules::All { states } => {
                let all = |runs: AllRuns<'_>| runs.schedules(states);
                self.subject.all_runs(sequential, options, budget, all)?
            }
            Schedules::Error(inputs) => {
                let run = executed(&sequential.program, options, inputs, budget);
                let run = run.map_err(|bad: BadRequest| self.subject.bad(bad))?;
                run.ok_or_else(|| open("a schedule could not be repeated"))?
            }
        };
        if let Verdict::Unknown(reason) = engine.verdict {
            return Err(Progress::GivenUp(reason));
        }
        self.decided(sequential, engine)
    }

    /// Goes on with more threads for each call, if there may be more.
    fn with_more(&mut self) -> Result<Progress, Progress> {
        let most = self.subject.how.threads.threads_per_call;
        if self.threads_per_call >= most {
            return Ok(self.subject.tell(SCHEDULES, Decided::too_many_threads(self.subject.how)));
        }
        self.threads_per_call = (self.threads_per_call * 2).min(most);
        self.tried += 1;
        Ok(Progress::More)
    }

    /// What all schedules, or one of them, say.
    fn decided(
        &mut self,
        sequential: &Sequential,
        mut engine: crate::decide::Report,
    ) -> Result<Progress, Progress> {
        let most = self.subject.how.threads.threads_per_call;
        let decided = match found(sequential, &mut engine) {
            Found::MoreThreads if self.threads_per_call < most => return self.with_more(),
            Found::MoreThreads if !self.bounded => {
                // No number of threads is enough; errors that need few are looked for.
                self.bounded = true;
                self.threads_per_call = 2.min(most.max(1));
                self.tried = 0;
                return Ok(Progress::More);
            }
            Found::MoreThreads => Decided::too_many_threads(self.subject.how),
            Found::Deeper => Decided::too_deep(),
            Found::NotModelled(what) => Decided::not_modelled(&what),
            Found::Answer | Found::Proved | Found::MoreContexts => {
                let (contexts, proved) = (None, None);
                Decided { sequential: Some(sequential.clone()), engine, contexts, proved }
            }
        };
        Ok(self.subject.tell(SCHEDULES, decided))
    }
}

impl Engine for Executing<'_> {
    fn step(&mut self, slice: Slice, _: &Exchange) -> Progress {
        self.go_on(slice).unwrap_or_else(|end| end)
    }

    fn statistics(&self) -> Statistics {
        Statistics::default()
    }
}
