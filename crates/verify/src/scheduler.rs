//! Who works when: the one place where work is divided.
//!
//! The [table](crate::table) says which engines there are, for which programs, and when each begins. Every engine
//! has a thread of its own, with its own solvers and its own count of work; the scheduler lets as
//! many of them go on as there are jobs. Next is always the one with the least work behind it, for
//! its share, so engines advance side by side and what one finds in `n` units of
//! its own is found when all together have used about `n` for each of them. Slices do not depend on
//! the user's limits: a run with a small limit is the beginning of a run with a large one. The first
//! answer counts, and ends all others.
//!
//! The idea is that of a parallel portfolio (CPAchecker), with fair queueing in place of processes.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope};
use std::time::{Duration, Instant};

use gnomon_budget::{Budget, Exhausted};
use gnomon_engine::check::{Options, Task};
use gnomon_engine::facts::Facts;
use gnomon_engine::outline::OutlineNode;
use gnomon_engine::property::ErrorSites;
use gnomon_engine::sliced::Relevance;
use gnomon_engine::verdict::{Proof, Reason, Statistics, Verdict};
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::solver::client;

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;
use crate::table::{AFFINE, Begins, ELEMENTS, Entry, Kind, PATHS, RUNS, SECOND, TABLE, VALUES};

/// The slice after the first one, by how much slices grow, and the greatest.
const SLICE: u64 = SECOND / 4;
const GROWTH: u64 = 2;
const GREATEST: u64 = SECOND;

/// The stack of an engine's thread: real programs nest deeply, and so do the functions that walk
/// over them.
const STACK_BYTES: usize = 128 << 20;

/// What is checked.
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
}

/// Looks at a proof, and says why it does not count: then the other engines go on.
pub type Examine<'a> = &'a (dyn Fn(&Proof, &Budget) -> Result<(), Reason> + Sync);

/// What came of a check.
pub struct Decision {
    /// The answer.
    pub verdict: Verdict,
    /// What all engines did.
    pub statistics: Statistics,
    /// What is known without an answer.
    pub partial: Vec<String>,
    /// The reachability tree of lazy abstraction, if it is wanted.
    pub tree: Vec<OutlineNode>,
}

/// Lets the engines of the table work on a check until one has the answer, or none can go on.
pub fn decide(subject: &Subject<'_>) -> Decision {
    let kind = Kind::of(subject);
    let chosen = if kind.is_recursive { "recursive" } else { "not recursive" };
    subject.budget.report("engine", format_args!("the program is {chosen}"));
    decide_with(subject, kind, TABLE)
}

/// The same with other engines.
pub fn decide_with(subject: &Subject<'_>, kind: Kind, table: &'static [Entry]) -> Decision {
    let exchange = Exchange::default();
    exchange.propose_equations(subject.options.candidate_invariants.iter().cloned());
    let all = subject.budget.cancellable();
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        let slots = Slot::of(table, &kind, &all);
        let exchange = &exchange;
        Portfolio { scope, subject, exchange, kind, all: &all, sender, receiver, slots }.decide()
    })
}

/// What the thread of an engine is told.
enum Order {
    /// Go on.
    Step(Slice),
    /// Tell what is known, and end.
    End,
}

/// What the thread of an engine tells after an order.
struct Told {
    /// The number of the slot.
    slot: usize,
    /// A panic is one of the whole check.
    step: Result<Step, Box<dyn Any + Send>>,
}

/// How a step ended.
enum Step {
    /// There is more to do.
    More,
    /// It was the last one.
    Last(Box<Last>),
}

/// All that is known of an engine at its end.
struct Last {
    end: End,
    statistics: Statistics,
    open_work: Vec<String>,
    tree: Vec<OutlineNode>,
}

/// How an engine ended.
enum End {
    Answer(Verdict),
    Unsupported(Reason),
    GivenUp(Reason),
    /// It was told to.
    Told,
}

/// An engine of the check.
struct Slot {
    entry: &'static Entry,
    begins: Begins,
    budget: Budget,
    state: State,
    /// The work of others that counts as its own, since it began later.
    advance: u64,
    /// The work of its next slice.
    slice: u64,
    /// When its slice began, and how long all of them took.
    began: Instant,
    time: Duration,
}

enum State {
    /// Not begun.
    Waiting,
    /// Its thread waits for an order.
    Ready(Sender<Order>),
    /// Its thread is at work.
    Working(Sender<Order>),
    /// It came to its end, with this reason if it gave up.
    Over(Option<Reason>),
}

impl Slot {
    fn of(table: &'static [Entry], kind: &Kind, all: &Budget) -> Vec<Self> {
        let slot = |entry: &'static Entry| {
            Some(Self {
                entry,
                begins: (entry.begins)(kind)?,
                budget: all.metered(),
                state: State::Waiting,
                advance: 0,
                slice: entry.first,
                began: Instant::now(),
                time: Duration::ZERO,
            })
        };
        table.iter().filter_map(slot).collect()
    }

    /// What it has done, for its share.
    fn done(&self) -> u64 {
        self.advance + self.budget.work() / self.entry.share
    }

    fn has_begun(&self) -> bool {
        matches!(self.state, State::Ready(_) | State::Working(_))
    }
}

/// The engines of a check, at work.
struct Portfolio<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    subject: &'scope Subject<'scope>,
    exchange: &'scope Exchange,
    kind: Kind,
    all: &'scope Budget,
    sender: Sender<Told>,
    receiver: Receiver<Told>,
    slots: Vec<Slot>,
}

impl Portfolio<'_, '_> {
    fn decide(mut self) -> Decision {
        let jobs = self.subject.options.jobs.max(1);
        let mut decision = Decision {
            verdict: Verdict::Unknown(Reason::Limit(Exhausted::Steps)),
            statistics: Statistics::default(),
            partial: Vec::new(),
            tree: Vec::new(),
        };
        let mut answer = None;
        let mut working = 0;
        loop {
            while answer.is_none()
                && working < jobs
                && let Some(next) = self.next()
            {
                working += usize::from(self.start(next));
            }
            if working == 0 {
                break;
            }
            let Ok(Told { slot, step }) = self.receiver.recv() else { break };
            working -= 1;
            let ended = self.ended(slot, step, &mut decision);
            if let (None, Some(verdict)) = (&answer, ended) {
                if !matches!(verdict, Verdict::Unknown(_)) {
                    decision.statistics.engine = Some(self.slots[slot].entry.name);
                }
                answer = Some(verdict);
                self.all.cancel_handle().cancel();
            }
        }
        self.end_others(&mut decision);
        decision.verdict = answer.unwrap_or_else(|| Verdict::Unknown(self.why_unknown()));
        match &decision.verdict {
            Verdict::Unknown(_) => self.tell_ends(&mut decision.partial),
            _ => decision.partial.clear(),
        }
        decision
    }

    /// The engine whose turn it is.
    fn next(&self) -> Option<usize> {
        let may_go_on = |slot: &Slot| match slot.state {
            State::Ready(_) => true,
            State::Waiting => match slot.begins {
                Begins::First | Begins::Together => true,
                Begins::After(names) => names.iter().any(|name| self.has_given_up(name)),
            },
            State::Working(_) | State::Over(_) => false,
        };
        let order = |slot: &Slot| {
            let is_waiting = matches!(slot.state, State::Waiting);
            let is_first = slot.begins == Begins::First && is_waiting;
            // Who begins late counts as having done as much as the last of the others, and is next.
            (!is_first, self.done(slot), !is_waiting)
        };
        let possible = self.slots.iter().enumerate().filter(|(_, slot)| may_go_on(slot));
        possible.min_by_key(|(number, slot)| (order(slot), *number)).map(|(number, _)| number)
    }

    /// Whether no engine of that name can go on; what one says is not supported is not supported by
    /// its successor either.
    fn has_given_up(&self, name: &str) -> bool {
        let mut named = self.slots.iter().filter(|slot| slot.entry.name == name);
        named.all(|slot| match &slot.state {
            State::Over(reason) => !matches!(reason, Some(Reason::NotCovered(_))),
            _ => false,
        })
    }

    /// What counts as done by an engine. One that begins later is not behind those that have begun.
    fn done(&self, slot: &Slot) -> u64 {
        match (&slot.state, slot.begins) {
            (State::Waiting, Begins::After(_)) => {
                let begun = self.slots.iter().filter(|slot| slot.has_begun());
                begun.map(Slot::done).min().unwrap_or(0)
            }
            _ => slot.done(),
        }
    }

    /// Lets an engine go on; whether that was possible.
    fn start(&mut self, number: usize) -> bool {
        let advance = self.done(&self.slots[number]);
        let orders = match std::mem::replace(&mut self.slots[number].state, State::Over(None)) {
            State::Ready(orders) => Some(orders),
            _ => {
                self.slots[number].advance = advance;
                self.spawn(number)
            }
        };
        let slot = &mut self.slots[number];
        let slice = Slice::of(slot.slice, &slot.budget);
        slot.slice = match slot.budget.work() {
            0 => SLICE,
            _ => (slot.slice * GROWTH).min(GREATEST),
        };
        slot.began = Instant::now();
        match orders.filter(|orders| orders.send(Order::Step(slice)).is_ok()) {
            Some(orders) => slot.state = State::Working(orders),
            None => {
                let why = format!("no thread for the engine `{}`", slot.entry.name);
                slot.state = State::Over(Some(Reason::NoProgress(why)));
            }
        }
        matches!(self.slots[number].state, State::Working(_))
    }

    fn spawn(&self, number: usize) -> Option<Sender<Order>> {
        let (orders, ordered) = channel();
        let (subject, exchange, sender) = (self.subject, self.exchange, self.sender.clone());
        let Slot { entry, budget, .. } = &self.slots[number];
        let (entry, budget) = (*entry, budget.clone());
        let thread = Builder::new().name(entry.name.to_owned()).stack_size(STACK_BYTES);
        let work = move || {
            client::work_for(Some(budget.clone()));
            at_work(entry, subject, exchange, &budget, &ordered, &mut |step| {
                // Nobody who waits is gone: the scope ends after its threads.
                let _ = sender.send(Told { slot: number, step });
            });
        };
        thread.spawn_scoped(self.scope, work).ok().map(|_| orders)
    }

    /// Takes note of a step. Gives the answer to the check, if this is one.
    fn ended(
        &mut self,
        number: usize,
        step: Result<Step, Box<dyn Any + Send>>,
        decision: &mut Decision,
    ) -> Option<Verdict> {
        let slot = &mut self.slots[number];
        slot.time += slot.began.elapsed();
        let last = match step {
            Ok(Step::More) => {
                if let State::Working(orders) =
                    std::mem::replace(&mut slot.state, State::Over(None))
                {
                    slot.state = State::Ready(orders);
                }
                return None;
            }
            Ok(Step::Last(last)) => *last,
            Err(panic) => {
                self.all.cancel_handle().cancel();
                self.slots.clear();
                resume_unwind(panic);
            }
        };
        let name = slot.entry.name;
        decision.statistics.add(last.statistics);
        let seconds = &mut decision.statistics.seconds;
        *seconds.entry(format!("engine, {name}")).or_default() += slot.time.as_secs_f64();
        *seconds.entry(format!("work, {name}")).or_default() +=
            slot.budget.work() as f64 / SECOND as f64;
        decision.partial.extend(last.open_work);
        if !last.tree.is_empty() {
            decision.tree = last.tree;
        }
        let (reason, answer) = match last.end {
            End::Answer(verdict) => (None, Some(verdict)),
            // All others have the same formulas, but those that follow recursion.
            End::Unsupported(reason) if !self.kind.is_recursive => {
                (Some(reason.clone()), Some(Verdict::Unknown(reason)))
            }
            End::GivenUp(
                reason @ Reason::Limit(Exhausted::Time | Exhausted::Memory | Exhausted::Work),
            ) => (Some(reason.clone()), Some(Verdict::Unknown(reason))),
            End::Unsupported(reason) | End::GivenUp(reason) => (Some(reason), None),
            End::Told => (None, None),
        };
        self.all.report(
            "engine",
            format_args!(
                "{name}: {}",
                match (&reason, &answer) {
                    (Some(reason), _) => reason.to_string(),
                    (None, Some(_)) => "has the answer".to_owned(),
                    (None, None) => "is ended".to_owned(),
                }
            ),
        );
        self.slots[number].state = State::Over(reason);
        answer
    }

    /// Asks those that wait what they know, and ends them.
    fn end_others(&mut self, decision: &mut Decision) {
        for number in 0..self.slots.len() {
            let slot = &mut self.slots[number];
            slot.began = Instant::now();
            if let State::Ready(orders) = &slot.state
                && orders.send(Order::End).is_ok()
                && let Ok(Told { slot, step }) = self.receiver.recv()
            {
                self.ended(slot, step, decision);
            }
        }
    }

    /// Why there is no answer: what is not supported, or what the first prover says.
    fn why_unknown(&self) -> Reason {
        let reasons = || {
            self.slots.iter().filter_map(|slot| match &slot.state {
                State::Over(Some(reason)) => Some((slot.entry.name, reason)),
                _ => None,
            })
        };
        let weight = |name: &str, reason: &Reason| match reason {
            Reason::NotCovered(_) => 0,
            Reason::Uncertified(_) => 1,
            Reason::NotConfirmed(_) => 1,
            _ if [RUNS, AFFINE, ELEMENTS, PATHS, VALUES].contains(&name) => 3,
            _ => 2,
        };
        let best = reasons().min_by_key(|(name, reason)| weight(name, reason));
        best.map_or(Reason::Limit(Exhausted::Steps), |(_, reason)| reason.clone())
    }

    /// Says of each engine that gave up why it did.
    fn tell_ends(&self, partial: &mut Vec<String>) {
        for slot in &self.slots {
            if let State::Over(Some(reason)) = &slot.state
                && ![RUNS, AFFINE].contains(&slot.entry.name)
                && !matches!(reason, Reason::Limit(_))
            {
                partial.push(format!("{} gave up: {reason}", slot.entry.name));
            }
        }
    }
}

/// The thread of an engine.
fn at_work(
    entry: &Entry,
    subject: &Subject<'_>,
    exchange: &Exchange,
    budget: &Budget,
    orders: &Receiver<Order>,
    tell: &mut dyn FnMut(Result<Step, Box<dyn Any + Send>>),
) {
    let Subject { program, entry: start, sites, facts, options, .. } = *subject;
    let relevance = Relevance::new(facts);
    let relevance = &relevance;
    let task = Task { program, entry: start, sites, facts, relevance, options, budget };
    let mut engine: Option<Box<dyn Engine + '_>> = None;
    while let Ok(order) = orders.recv() {
        let step = catch_unwind(AssertUnwindSafe(|| {
            let end = match order {
                Order::End => End::Told,
                Order::Step(slice) => {
                    match stepped(&mut engine, entry, &task, slice, exchange, subject.examine) {
                        Some(end) => end,
                        None => return Step::More,
                    }
                }
            };
            let (mut statistics, mut open_work, mut tree) = Default::default();
            if let Some(engine) = &mut engine {
                statistics = engine.statistics();
                tree = engine.outline();
                if !matches!(end, End::Answer(_)) {
                    open_work = engine.open_work();
                }
            }
            Step::Last(Box::new(Last { end, statistics, open_work, tree }))
        }));
        let is_last = !matches!(step, Ok(Step::More));
        tell(step);
        if is_last {
            break;
        }
    }
}

/// Makes the engine if there is none, and goes on; gives its end, if this was the last step.
fn stepped<'a>(
    engine: &mut Option<Box<dyn Engine + 'a>>,
    entry: &Entry,
    task: &'a Task<'a>,
    slice: Slice,
    exchange: &Exchange,
    examine: Option<Examine<'_>>,
) -> Option<End> {
    let engine = match engine {
        Some(engine) => engine,
        None => match (entry.make)(task, entry.theory) {
            Ok(new) => engine.insert(new),
            Err(reason @ Reason::NotCovered(_)) => return Some(End::Unsupported(reason)),
            Err(reason) => return Some(End::GivenUp(reason)),
        },
    };
    Some(match engine.step(slice, exchange) {
        Progress::More => return None,
        Progress::Proved(proof) => {
            let undefined = match proof {
                Proof::OnlyRun => None,
                _ => exchange.undefined(),
            };
            let examined = examine.map_or(Ok(()), |examine| examine(&proof, task.budget));
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
}
