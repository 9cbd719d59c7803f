//! Who works when: the one place where work is divided.
//!
//! A [`Contest`] has [`Entrant`]s, engines that are yet to be made, and lets them work on one question. Every
//! engine has a thread of its own, with its own solvers and its own count of work; the scheduler lets as
//! many of them go on as there are jobs. Next is always the one with the least work behind it, for
//! its share, so engines advance side by side and what one finds in `n` units of
//! its own is found when all together have used about `n` for each of them. Slices do not depend on
//! the user's limits: a run with a small limit is the beginning of a run with a large one. The first
//! answer counts, and ends all others. What an engine says is an answer only if the [`Judge`] agrees.
//!
//! Which engines enter is not decided here: the [table](crate::table) says it for programs without threads,
//! [`threads`](crate::threads) for those with, and [`groups`](crate::groups) before sites are grouped.
//!
//! The idea is that of a parallel portfolio (CPAchecker), with fair queueing in place of processes.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope};
use std::time::Duration;

use gnomon_budget::{Budget, Exhausted, thread_time, turn};
use gnomon_engine::outline::OutlineNode;
use gnomon_engine::reason::{NoProgress, NotConfirmed};
use gnomon_engine::verdict::{Reason, Statistics, Verdict};
use gnomon_logic::solver::client;

pub use crate::engine::SECOND;
use crate::engine::{Engine, Progress, Slice, TOLERANCE};
use crate::exchange::Exchange;

/// The slice after the first one, by how much slices grow, and the greatest.
const SLICE: u64 = SECOND / 4;
const GROWTH: u64 = 2;
const GREATEST: u64 = SECOND;

/// The slice in which a proof is checked, or an error path is executed.
const JUDGED: u64 = 3 * SECOND;

/// The stack of an engine's thread: real programs nest deeply, and so do the functions that walk
/// over them. All stacks together must leave room where address space is limited.
const STACK_BYTES: usize = 64 << 20;

/// When an engine begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// Before those that begin together.
    First,
    /// With the others.
    Together,
    /// When one of these names has given up, or is not there.
    After(&'static [&'static str]),
}

/// What an engine is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It can decide every program that it supports: why it did not is why there is no answer.
    Decides,
    /// It decides some programs; that it did not says nothing of the program.
    Tries,
    /// It decides nothing, or hardly anything, and helps the others.
    Helps,
}

/// Takes an engine and steps it until it comes to its end.
pub type Attendant<'a> = &'a mut dyn FnMut(&mut dyn Engine);

/// Makes an engine that works with this budget, and gives it to the attendant; or says why there is none.
pub type Make<'s> = Box<dyn Fn(&Budget, Attendant<'_>) -> Result<(), Reason> + Sync + 's>;

/// An engine that takes part, before it is made.
pub struct Entrant<'s> {
    /// Its name, for people and in statistics.
    pub name: &'static str,
    /// What it is there for.
    pub role: Role,
    /// When it begins.
    pub begins: Begins,
    /// The work of its first slice: what it may do before others have their next turn.
    pub first: u64,
    /// Its share of the work, beside the others.
    pub share: u64,
    /// How it is made, in the thread in which it will work.
    pub make: Make<'s>,
}

/// Says what the progress of an engine is worth: whether a proof counts, whether an error path can be
/// executed. It is asked in the thread of the engine, and pays with its budget.
pub trait Judge: Sync {
    /// How the engine ends, unless there is more to do.
    fn judge(&self, progress: Progress, exchange: &Exchange, budget: &Budget) -> Option<End>;
}

/// Believes engines that have looked for themselves.
pub struct AsTold;

impl Judge for AsTold {
    fn judge(&self, progress: Progress, _: &Exchange, _: &Budget) -> Option<End> {
        Some(match progress {
            Progress::More => return None,
            Progress::Proved(proof) => End::Answer(Verdict::True(proof)),
            Progress::Executed(counterexample) => End::Answer(Verdict::False(counterexample)),
            Progress::ErrorPath(_) => End::GivenUp(Reason::NotConfirmed(NotConfirmed::NoExecution)),
            Progress::Unsupported(reason) => End::Unsupported(reason),
            Progress::GivenUp(reason) => End::GivenUp(reason),
        })
    }
}

/// How an engine ended.
#[derive(Debug)]
pub enum End {
    /// With an answer to the question.
    Answer(Verdict),
    /// There is something that it does not have.
    Unsupported(Reason),
    /// It has nothing more to try.
    GivenUp(Reason),
    /// It was told to.
    Told,
}

/// One question, and who tries to answer it.
pub struct Contest<'s> {
    /// Of several that have done equally much, the first one is next.
    pub entrants: Vec<Entrant<'s>>,
    /// Who looks at what they say.
    pub judge: &'s dyn Judge,
    /// What they tell each other.
    pub exchange: &'s Exchange,
    /// The limits of all together.
    pub budget: &'s Budget,
    /// How many work at once.
    pub jobs: usize,
    /// Whether what one of them does not support may be supported by another.
    pub differs_in_support: bool,
}

/// What came of a contest.
#[derive(Debug)]
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

impl Contest<'_> {
    /// Lets the engines work until one has the answer, or none can go on.
    pub fn decide(&self) -> Decision {
        let all = self.budget.cancellable();
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let slots = self.entrants.iter().map(|entrant| Slot::new(entrant, &all)).collect();
            Portfolio { scope, contest: self, all: &all, sender, receiver, slots }.decide()
        })
    }
}

/// What the thread of an engine is told.
enum Order {
    /// Go on for so much work.
    Step(u64),
    /// Tell what is known, and end.
    End,
}

/// What the thread of an engine tells after an order.
struct Told {
    /// The number of the slot.
    slot: usize,
    /// The processor time of its thread so far.
    time: Duration,
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

/// An engine of the check.
struct Slot<'s> {
    entrant: &'s Entrant<'s>,
    budget: Budget,
    state: State,
    /// The work of others that counts as its own, since it began later.
    advance: u64,
    /// The work of its next slice.
    slice: u64,
    /// The processor time of all its slices.
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

impl<'s> Slot<'s> {
    fn new(entrant: &'s Entrant<'s>, all: &Budget) -> Self {
        Self {
            entrant,
            budget: all.cancellable().metered(),
            state: State::Waiting,
            advance: 0,
            slice: entrant.first,
            time: Duration::ZERO,
        }
    }

    /// What it has done, for its share. An engine that counts far too little of its work may not
    /// keep the others waiting for that.
    fn done(&self) -> u64 {
        let time = u64::try_from(self.time.as_micros()).unwrap_or(u64::MAX);
        let worth = time.saturating_mul(SECOND / 1_000_000) / u64::from(TOLERANCE);
        self.advance + self.budget.work().max(worth) / self.entrant.share
    }

    fn has_begun(&self) -> bool {
        matches!(self.state, State::Ready(_) | State::Working(_))
    }
}

/// The engines of a contest, at work.
struct Portfolio<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    contest: &'scope Contest<'scope>,
    all: &'scope Budget,
    sender: Sender<Told>,
    receiver: Receiver<Told>,
    slots: Vec<Slot<'scope>>,
}

impl Portfolio<'_, '_> {
    fn decide(mut self) -> Decision {
        let jobs = self.contest.jobs.max(1);
        let mut decision = Decision {
            verdict: Verdict::Unknown(Reason::Limit(Exhausted::Steps)),
            statistics: Statistics::default(),
            partial: Vec::new(),
            tree: Vec::new(),
        };
        let mut answer = None;
        let mut working = 0;
        loop {
            // A contest inside of another one gives way between its slices.
            turn::look();
            while answer.is_none()
                && working < jobs
                && let Some(next) = self.next()
            {
                working += usize::from(self.start(next));
            }
            if working == 0 {
                break;
            }
            let Ok(Told { slot, time, step }) = self.receiver.recv() else { break };
            self.slots[slot].time = time;
            working -= 1;
            let ended = self.ended(slot, step, &mut decision);
            if let (None, Some(verdict)) = (&answer, ended) {
                if !matches!(verdict, Verdict::Unknown(_)) {
                    decision.statistics.engine = Some(self.slots[slot].entrant.name);
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
            State::Waiting => self.may_begin(slot),
            State::Working(_) | State::Over(_) => false,
        };
        let order = |slot: &Slot| {
            let is_waiting = matches!(slot.state, State::Waiting);
            let is_first = slot.entrant.begins == Begins::First && is_waiting;
            // Who begins late counts as having done as much as the last of the others, and is next.
            (!is_first, self.done(slot), !is_waiting)
        };
        let possible = self.slots.iter().enumerate().filter(|(_, slot)| may_go_on(slot));
        possible.min_by_key(|(number, slot)| (order(slot), *number)).map(|(number, _)| number)
    }

    /// Whether an engine waits for nothing but its turn to begin.
    fn may_begin(&self, slot: &Slot) -> bool {
        matches!(slot.state, State::Waiting)
            && match slot.entrant.begins {
                Begins::First | Begins::Together => true,
                Begins::After(names) => names.iter().any(|name| self.has_given_up(name)),
            }
    }

    /// Whether no engine of that name can go on; what one says is not supported is not supported by
    /// its successor either.
    fn has_given_up(&self, name: &str) -> bool {
        let mut named = self.slots.iter().filter(|slot| slot.entrant.name == name);
        named.all(|slot| match &slot.state {
            State::Over(reason) => !matches!(reason, Some(Reason::Unsupported(_))),
            _ => false,
        })
    }

    /// What counts as done by an engine. One that begins later is not behind those that have begun.
    fn done(&self, slot: &Slot) -> u64 {
        match (&slot.state, slot.entrant.begins) {
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
        let work = slot.slice;
        slot.slice = match slot.budget.work() {
            0 => SLICE,
            _ => (slot.slice * GROWTH).min(GREATEST),
        };
        match orders.filter(|orders| orders.send(Order::Step(work)).is_ok()) {
            Some(orders) => slot.state = State::Working(orders),
            None => {
                let why = format!("no thread for the engine `{}`", slot.entrant.name);
                slot.state = State::Over(Some(Reason::NoProgress(NoProgress::Failed(why))));
            }
        }
        matches!(self.slots[number].state, State::Working(_))
    }

    fn spawn(&self, number: usize) -> Option<Sender<Order>> {
        let (orders, ordered) = channel();
        let (contest, sender) = (self.contest, self.sender.clone());
        let Slot { entrant, budget, .. } = &self.slots[number];
        let (entrant, budget) = (*entrant, budget.clone());
        let thread = Builder::new().name(entrant.name.to_owned()).stack_size(STACK_BYTES);
        let work = move || {
            client::work_for(Some(budget.clone()));
            let turns = Rc::new(Turns::new(number, sender, ordered, budget));
            turn::take(turns.clone());
            at_work(entrant, contest, &turns);
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
        let name = slot.entrant.name;
        decision.statistics.add(last.statistics);
        let seconds = &mut decision.statistics.seconds;
        *seconds.entry(format!("engine, {name}")).or_default() += slot.time.as_secs_f64();
        *seconds.entry(format!("work, {name}")).or_default() +=
            slot.budget.work() as f64 / SECOND as f64;
        decision.partial.extend(last.open_work);
        if !last.tree.is_empty() {
            decision.tree = last.tree;
        }
        let limit = match slot.budget.check_now() {
            Err(limit @ (Exhausted::Time | Exhausted::Memory | Exhausted::Work)) => {
                Some(Reason::Limit(limit))
            }
            _ => None,
        };
        let (reason, answer) = match (last.end, limit) {
            (End::Answer(verdict), _) => (None, Some(verdict)),
            (End::Unsupported(reason), _) if !self.contest.differs_in_support => {
                (Some(reason.clone()), Some(Verdict::Unknown(reason)))
            }
            // An engine may have smaller limits of its own, which end nobody else.
            (End::GivenUp(Reason::Limit(_)), Some(limit)) => {
                (Some(limit.clone()), Some(Verdict::Unknown(limit)))
            }
            (End::Unsupported(reason) | End::GivenUp(reason), _) => (Some(reason), None),
            (End::Told, _) => (None, None),
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
        let can_go_on = |slot: &Slot| slot.has_begun() || self.may_begin(slot);
        if self.slots.iter().filter(|slot| can_go_on(slot)).count() <= 1 {
            self.contest.exchange.only_one_is_left();
        }
        answer
    }

    /// Asks those that wait what they know, and ends them.
    fn end_others(&mut self, decision: &mut Decision) {
        for number in 0..self.slots.len() {
            if let State::Ready(orders) = &self.slots[number].state
                && orders.send(Order::End).is_ok()
                && let Ok(Told { slot, time, step }) = self.receiver.recv()
            {
                self.slots[slot].time = time;
                self.ended(slot, step, decision);
            }
        }
    }

    /// Why there is no answer: what is not supported, what was found and does not count, the limit that
    /// all were stopped by, or what the first prover says.
    fn why_unknown(&self) -> Reason {
        const OF_LIMIT: u8 = 2;
        let reasons = self.slots.iter().filter_map(|slot| match &slot.state {
            State::Over(Some(reason)) => Some((slot.entrant.role, reason)),
            _ => None,
        });
        let weight = |role: Role, reason: &Reason| match reason {
            Reason::Unsupported(_) => 0,
            Reason::Uncertified(_) | Reason::NotConfirmed(_) => 1,
            Reason::Limit(Exhausted::Cancelled) => 6,
            _ if role == Role::Decides => 3,
            _ if role == Role::Tries => 4,
            _ => 5,
        };
        let weighed = reasons.map(|(role, reason)| (weight(role, reason), reason));
        let best = weighed.min_by_key(|(weight, _)| *weight);
        match (best, self.contest.budget.check_now()) {
            (Some((weight, reason)), Err(_)) if weight < OF_LIMIT => reason.clone(),
            (_, Err(limit)) => Reason::Limit(limit),
            (Some((_, reason)), Ok(())) => reason.clone(),
            (None, Ok(())) => Reason::Limit(Exhausted::Steps),
        }
    }

    /// Says of each engine that gave up why it did.
    fn tell_ends(&self, partial: &mut Vec<String>) {
        for slot in &self.slots {
            if let State::Over(Some(reason)) = &slot.state
                && slot.entrant.role != Role::Helps
                && !matches!(reason, Reason::Limit(_))
            {
                partial.push(format!("{} gave up: {reason}", slot.entrant.name));
            }
        }
    }
}

/// The turns of an engine, as its thread sees them.
struct Turns {
    /// The number of the slot.
    slot: usize,
    sender: Sender<Told>,
    orders: Receiver<Order>,
    budget: Budget,
    /// What it may do before others have their turn.
    slice: Cell<Slice>,
    is_told_to_end: Cell<bool>,
}

impl Turns {
    fn new(slot: usize, sender: Sender<Told>, orders: Receiver<Order>, budget: Budget) -> Self {
        let slice = Cell::new(Slice::of(0, &budget));
        Self { slot, sender, orders, budget, slice, is_told_to_end: Cell::new(false) }
    }

    fn tell(&self, step: Result<Step, Box<dyn Any + Send>>) {
        // Nobody who waits is gone: the scope ends after its threads.
        let _ = self.sender.send(Told { slot: self.slot, time: thread_time(), step });
    }

    /// Waits for an order. Who is told to end finds that all limits are passed.
    fn wait(&self) {
        match self.orders.recv() {
            Ok(Order::Step(work)) => self.slice.set(Slice::of(work, &self.budget)),
            Ok(Order::End) | Err(_) => {
                self.is_told_to_end.set(true);
                self.budget.cancel_handle().cancel();
            }
        }
    }
}

impl turn::Turns for Turns {
    fn is_over(&self) -> bool {
        !self.is_told_to_end.get() && self.slice.get().is_over(&self.budget)
    }

    /// Lets others work if it is their turn, wherever the engine is.
    fn look(&self) {
        if self.is_over() {
            self.tell(Ok(Step::More));
            self.wait();
        }
    }
}

/// The thread of an engine.
fn at_work(entrant: &Entrant<'_>, contest: &Contest<'_>, turns: &Turns) {
    turns.wait();
    let attended = catch_unwind(AssertUnwindSafe(|| {
        let made = (entrant.make)(&turns.budget, &mut |engine| attend(engine, contest, turns));
        if let Err(reason) = made {
            let end = match reason {
                _ if turns.is_told_to_end.get() => End::Told,
                Reason::Unsupported(_) => End::Unsupported(reason),
                _ => End::GivenUp(reason),
            };
            let (statistics, open_work, tree) = Default::default();
            turns.tell(Ok(Step::Last(Box::new(Last { end, statistics, open_work, tree }))));
        }
    }));
    if let Err(panic) = attended {
        turns.tell(Err(panic));
    }
}

/// Does what is ordered, until the engine comes to its end.
fn attend(engine: &mut dyn Engine, contest: &Contest<'_>, turns: &Turns) {
    let end = loop {
        let progress = engine.step(turns.slice.get(), contest.exchange);
        if turns.is_told_to_end.get() {
            break End::Told;
        }
        // What is nearly an answer goes first, for a while: checking a proof or executing an error path
        // may also take long, and come to nothing.
        if !matches!(progress, Progress::More) {
            turns.slice.set(Slice::of(JUDGED, &turns.budget));
        }
        let judged = contest.judge.judge(progress, contest.exchange, &turns.budget);
        if turns.is_told_to_end.get() {
            break End::Told;
        }
        if let Some(end) = judged {
            break end;
        }
        turn::Turns::look(turns);
        if turns.is_told_to_end.get() {
            break End::Told;
        }
        // Limits hold for engines that do not look at them, too.
        if let Err(limit) = turns.budget.check_now() {
            break End::GivenUp(Reason::Limit(limit));
        }
    };
    let (statistics, tree) = (engine.statistics(), engine.outline());
    let open_work = match end {
        End::Answer(_) => Vec::new(),
        _ => engine.open_work(),
    };
    turns.tell(Ok(Step::Last(Box::new(Last { end, statistics, open_work, tree }))));
}
